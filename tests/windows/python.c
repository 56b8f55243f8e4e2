/* python.c - stands in for python.exe where none can be had: what venv and pip do to a folder, file by file. What a
 * package holds lies ready in C:\t\pip, where the real pip has put it; a console script is pip's own launcher with the
 * place of this interpreter in it. With a file C:\t\slow each file takes a moment. */
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

static void write_text(const wchar_t *path, const char *text)
{
    FILE *f = _wfopen(path, L"wb");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void add_file(FILE *to, const wchar_t *path)
{
    char chunk[65536];
    FILE *f = _wfopen(path, L"rb");
    for (size_t n; f && (n = fread(chunk, 1, sizeof chunk, f));)
        fwrite(chunk, 1, n, to);
    if (f)
        fclose(f);
}

/* pip replaces what is there: a new file, renamed. */
static void put(const wchar_t *from, const wchar_t *to)
{
    wchar_t temp[2048];
    _snwprintf(temp, 2048, L"%ls.new", to);
    CopyFileW(from, temp, FALSE);
    MoveFileExW(temp, to, MOVEFILE_REPLACE_EXISTING);
    if (GetFileAttributesW(L"C:\\t\\slow") != INVALID_FILE_ATTRIBUTES)
        Sleep(40);
}

static void copy_tree(const wchar_t *from, const wchar_t *to)
{
    WIN32_FIND_DATAW f;
    wchar_t a[2048], b[2048];
    CreateDirectoryW(to, NULL);
    _snwprintf(a, 2048, L"%ls\\*", from);
    HANDLE h = FindFirstFileW(a, &f);
    if (h == INVALID_HANDLE_VALUE)
        return;
    do {
        if (f.cFileName[0] == '.')
            continue;
        _snwprintf(a, 2048, L"%ls\\%ls", from, f.cFileName);
        _snwprintf(b, 2048, L"%ls\\%ls", to, f.cFileName);
        if (f.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
            copy_tree(a, b);
        else
            put(a, b);
    } while (FindNextFileW(h, &f));
    FindClose(h);
}

static int venv(const wchar_t *self, const wchar_t *to)
{
    wchar_t path[2048], home[2048];
    char text[8192];
    wcscpy(home, self);
    *wcsrchr(home, '\\') = 0;
    _snwprintf(path, 2048, L"%ls\\Scripts", to);
    CreateDirectoryW(to, NULL);
    CreateDirectoryW(path, NULL);
    _snwprintf(path, 2048, L"%ls\\Lib", to);
    CreateDirectoryW(path, NULL);
    _snwprintf(path, 2048, L"%ls\\Lib\\site-packages", to);
    CreateDirectoryW(path, NULL);
    _snwprintf(path, 2048, L"%ls\\Scripts\\python.exe", to);
    CopyFileW(self, path, FALSE);
    _snwprintf(path, 2048, L"%ls\\pyvenv.cfg", to);
    snprintf(text, sizeof text,
             "home = %ls\r\nimplementation = CPython\r\ninclude-system-site-packages = false\r\nversion = 3.10.11\r\n"
             "executable = %ls\r\ncommand = %ls -m venv %ls\r\n",
             home, self, self, to);
    write_text(path, text);
    _snwprintf(path, 2048, L"%ls\\Scripts\\activate.bat", to);
    snprintf(text, sizeof text, "@echo off\r\nset VIRTUAL_ENV=%ls\r\nset PATH=%%VIRTUAL_ENV%%\\Scripts;%%PATH%%\r\n",
             to);
    write_text(path, text);
    _snwprintf(path, 2048, L"%ls\\Scripts\\Activate.ps1", to);
    write_text(path, "function global:deactivate ([switch]$NonDestructive) {\r\n}\r\n$env:VIRTUAL_ENV = Split-Path "
                     "$PSScriptRoot\r\n");
    return 0;
}

static int install(const wchar_t *self)
{
    wchar_t env[2048], path[2048];
    wcscpy(env, self);
    *wcsrchr(env, '\\') = 0;
    *wcsrchr(env, '\\') = 0;
    _snwprintf(path, 2048, L"%ls\\Lib\\site-packages", env);
    puts("Installing collected packages: tinya, tinyb");
    copy_tree(L"C:\\t\\pip\\site", path);
    _snwprintf(path, 2048, L"%ls\\Scripts\\tinyb-run.exe", env);
    FILE *f = _wfopen(path, L"wb");
    if (!f)
        return 1;
    add_file(f, L"C:\\t\\pip\\launcher.exe");
    fprintf(f, "#!%ls\r\n", self);
    add_file(f, L"C:\\t\\pip\\script.zip");
    fclose(f);
    puts("Successfully installed tinya-1.0 tinyb-2.0");
    return 0;
}

int wmain(int argc, wchar_t **argv)
{
    wchar_t self[2048];
    GetModuleFileNameW(NULL, self, 2048);
    for (int i = 1; i < argc; i++) {
        if (wcscmp(argv[i], L"venv") == 0)
            return venv(self, argv[argc - 1]);
        if (wcscmp(argv[i], L"install") == 0)
            return install(self);
        if (wcscmp(argv[i], L"-c") == 0)
            return 0;
    }
    if (argc > 1) /* a launcher hands itself over */
        printf("%ls runs %ls\n", self, wcsrchr(argv[1], '\\') ? wcsrchr(argv[1], '\\') + 1 : argv[1]);
    return 0;
}
