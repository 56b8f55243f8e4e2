/* start.exe ENVFILE PROGRAM ARGUMENT...: runs PROGRAM with the variables of ENVFILE (UTF-8, one a line) and no others,
 * and ends as it does. wine makes an environment of its own out of ours; this one is exact. */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

static int by_name(const void *a, const void *b)
{
    return _wcsicmp(*(wchar_t *const *)a, *(wchar_t *const *)b);
}

int wmain(int argc, wchar_t **argv)
{
    static char text[1 << 20];
    static wchar_t wide[1 << 20], block[1 << 20], line[32768];
    wchar_t *list[512];
    size_t n = 0, used = 0;
    FILE *f = argc > 2 ? _wfopen(argv[1], L"rb") : NULL;
    if (!f)
        return 99;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, 1 << 20);
    for (wchar_t *p = wide; *p && n < 512;) {
        wchar_t *end = wcschr(p, '\n');
        list[n++] = p;
        if (!end)
            break;
        *end = 0;
        p = end + 1;
    }
    qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n; i++) {
        wcscpy(block + used, list[i]);
        used += wcslen(list[i]) + 1;
    }
    for (int i = 2; i < argc; i++) { /* no argument of these tests has a quote in it */
        wcscat(line, L"\"");
        wcscat(line, argv[i]);
        wcscat(line, L"\" ");
    }
    STARTUPINFOW s = {.cb = sizeof s};
    PROCESS_INFORMATION p;
    DWORD code = 98;
    if (!CreateProcessW(argv[2], line, NULL, NULL, TRUE, CREATE_UNICODE_ENVIRONMENT, block, NULL, &s, &p))
        return printf("start.exe: error %lu\n", GetLastError()), 97;
    WaitForSingleObject(p.hProcess, INFINITE);
    GetExitCodeProcess(p.hProcess, &code);
    return (int)code;
}
