/* dl.c - libraries opened at run time, by full path; what they need comes from their folder and System32. */
#include "os/win32/win32.h"

#include <stdio.h>

void *tn_os_dl_open(const char *path, const char **ret_why)
{
    static char why[32];
    struct tn_arena mem;
    wchar_t *native;
    HMODULE h = NULL;
    tn_arena_init(&mem);
    DWORD e = ERROR_INVALID_NAME;
    if (tn_win32_native(&mem, path, &native, NULL) == 0) {
        h = LoadLibraryExW(native, NULL, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
        e = GetLastError();
    }
    tn_arena_deinit(&mem);
    if (!h && ret_why) {
        snprintf(why, sizeof why, "error %lu", (unsigned long)e);
        *ret_why = why;
    }
    return (void *)h;
}

void *tn_os_dl_open_shared(const char *path, const char **ret_why)
{
    return tn_os_dl_open(path, ret_why);
}

void *tn_os_dl_find(void *library, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
}

const char *tn_os_dl_device(const char *path)
{
    (void)path;
    return NULL;
}

const char *tn_os_dl_refused(void)
{
    return NULL;
}

const char *tn_os_preloaded(struct tn_arena *mem)
{
    (void)mem;
    return NULL;
}

static bool in_program_files(const wchar_t *path)
{
    wchar_t folder[MAX_PATH + 1] = L"";
    DWORD size = sizeof folder - sizeof *folder; /* bytes */
    if (RegGetValueW(HKEY_LOCAL_MACHINE, L"SOFTWARE\\Microsoft\\Windows\\CurrentVersion", L"ProgramFilesDir",
                     RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY, NULL, folder, &size) != ERROR_SUCCESS)
        return false;
    size_t n = wcslen(folder);
    return n && _wcsnicmp(path, folder, n) == 0 && path[n] == L'\\' && !wcsstr(path, L"\\..");
}

/* System32 and below Program Files are the administrators'; elsewhere anybody may have put it. */
bool tn_os_dl_trusted(const char *path)
{
    struct tn_arena mem;
    struct tn_os_sys sys;
    tn_arena_init(&mem);
    tn_os_sys(&mem, &sys);
    bool ok = !sys.root;
    if (!ok) {
        wchar_t w[MAX_PATH + 1];
        UINT n = GetSystemDirectoryW(w, MAX_PATH);
        const wchar_t *p = tn_win32_wide(&mem, path);
        ok = n && n <= MAX_PATH && _wcsnicmp(p, w, n) == 0 && (p[n] == L'\\' || p[n] == L'/');
        ok = ok || in_program_files(p);
    }
    tn_arena_deinit(&mem);
    return ok;
}
