/* loader_prog.c - does what the lines of a plan say with the real loader, and prints what came of it.
 *
 *   cwd FOLDER       path LIST (PATH is that)     first FOLDER (put before PATH)
 *   add FOLDER (AddDllDirectory)     set FOLDER | set (SetDllDirectory)
 *   open FLAGS NAME  prints "ok" or the number of the error, then the modules whose path holds the text of argv[2] or
 *                    argv[3], lower case, sorted
 *
 * loader_prog PLAN MARK MARK2; with "children" as PLAN each further line of standard input is a command line to run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#ifndef LOAD_LIBRARY_SEARCH_DEFAULT_DIRS
#define LOAD_LIBRARY_SEARCH_DEFAULT_DIRS 0x1000
#endif

static const char *mark[2];

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef BOOL(WINAPI *enum_modules)(HANDLE, HMODULE *, DWORD, LPDWORD);

static void modules(void)
{
    static HMODULE m[4096];
    static char *name[4096];
    DWORD bytes = 0;
    size_t n = 0;
    enum_modules all = (enum_modules)(void *)GetProcAddress(GetModuleHandleA("kernel32.dll"), "K32EnumProcessModules");
    if (!all(GetCurrentProcess(), m, sizeof m, &bytes))
        exit(3);
    for (size_t i = 1; i < bytes / sizeof *m; i++) { /* 0 is the program */
        char at[1024];
        GetModuleFileNameA(m[i], at, sizeof at);
        CharLowerA(at);
        if (strstr(at, mark[0]) || strstr(at, mark[1]))
            name[n++] = strdup(at);
    }
    qsort(name, n, sizeof *name, by_text);
    for (size_t i = 0; i < n; i++)
        printf(" %s", name[i]);
    printf("\n");
}

static void path_first(const char *folder)
{
    static char old[32767], path[40000];
    GetEnvironmentVariableA("PATH", old, sizeof old);
    snprintf(path, sizeof path, "%s;%s", folder, old);
    SetEnvironmentVariableA("PATH", path);
}

static void add_folder(const char *folder)
{
    WCHAR w[1024];
    MultiByteToWideChar(CP_UTF8, 0, folder, -1, w, 1024);
    typedef void *(WINAPI * add)(PCWSTR);
    add f = (add)(void *)GetProcAddress(GetModuleHandleA("kernel32.dll"), "AddDllDirectory");
    if (!f(w))
        printf("add failed %lu\n", GetLastError());
}

static void line(char *s)
{
    s[strcspn(s, "\r\n")] = 0;
    char *word = strtok(s, " "), *rest = strtok(NULL, "");
    if (!word)
        return;
    if (strcmp(word, "cwd") == 0) {
        SetCurrentDirectoryA(rest);
    } else if (strcmp(word, "path") == 0) {
        SetEnvironmentVariableA("PATH", rest ? rest : "");
    } else if (strcmp(word, "first") == 0) {
        path_first(rest);
    } else if (strcmp(word, "add") == 0) {
        add_folder(rest);
    } else if (strcmp(word, "set") == 0) {
        SetDllDirectoryA(rest);
    } else if (strcmp(word, "open") == 0) {
        char *end;
        unsigned long flags = strtoul(rest, &end, 16);
        HMODULE h = LoadLibraryExA(end + 1, NULL, flags);
        if (h)
            printf("ok");
        else
            printf("%lu", GetLastError());
        modules();
    }
}

/* Starting programs from a running one is several times faster than from outside. */
static int children(void)
{
    static char s[8192];
    while (fgets(s, sizeof s, stdin)) {
        STARTUPINFOA si = {.cb = sizeof si};
        PROCESS_INFORMATION pi;
        s[strcspn(s, "\r\n")] = 0;
        fflush(stdout);
        if (!CreateProcessA(NULL, s, NULL, NULL, TRUE, 0, NULL, NULL, &si, &pi)) {
            printf("not started: %lu\n", GetLastError());
            continue;
        }
        WaitForSingleObject(pi.hProcess, INFINITE);
        CloseHandle(pi.hProcess);
        CloseHandle(pi.hThread);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static char s[65536];
    SetErrorMode(SEM_FAILCRITICALERRORS);
    if (argc == 2 && strcmp(argv[1], "children") == 0)
        return children();
    if (argc != 4)
        return 2;
    mark[0] = argv[2];
    mark[1] = argv[3];
    FILE *f = fopen(argv[1], "r");
    if (!f)
        return 2;
    while (fgets(s, sizeof s, f))
        line(s);
    fclose(f);
    printf("end\n");
    return 0;
}
