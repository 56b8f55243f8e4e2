/* tty.c - the console: is there one, how wide, which language. */
#include "os/win32/win32.h"

#include <string.h>

#include "os/win32/wtf8.h"

static HANDLE std(int fd)
{
    return GetStdHandle(fd == 0 ? STD_INPUT_HANDLE : fd == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

bool tn_os_is_tty(int fd)
{
    DWORD mode;
    return fd >= 0 && fd <= 2 && GetConsoleMode(std(fd), &mode);
}

unsigned tn_os_tty_width(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO i;
    if (fd < 0 || fd > 2 || !GetConsoleScreenBufferInfo(std(fd), &i))
        return 0;
    return i.srWindow.Right >= i.srWindow.Left ? (unsigned)(i.srWindow.Right - i.srWindow.Left + 1) : 0;
}

const char *tn_os_locale(struct tn_arena *mem, bool *ret_utf8)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    wchar_t w[LOCALE_NAME_MAX_LENGTH];
    const char *v = NULL;
    *ret_utf8 = true; /* a console gets UTF-16; a file or pipe gets UTF-8 whatever the code page */
    for (unsigned i = 0; i < 3 && (!v || !*v); i++)
        v = tn_os_env(mem, names[i]);
    if (v && *v) {
        char *r = tn_arena_strndup(mem, v, strcspn(v, ".@"));
        return strcmp(r, "C") == 0 || strcmp(r, "POSIX") == 0 ? "" : r;
    }
    int n = GetUserDefaultLocaleName(w, LOCALE_NAME_MAX_LENGTH);
    char *r = tn_win32_narrow(mem, w, n > 1 ? (size_t)n - 1 : 0);
    /* zh-Hans-CN, sr-Latn-RS_xx: language and region are what is asked for */
    char *dash = strchr(r, '-'), *last = strrchr(r, '-');
    if (!dash)
        return r;
    char *end = strchr(last, '_');
    if (end)
        *end = 0;
    return tn_arena_printf(mem, "%.*s_%s", (int)(dash - r), r, last + 1);
}

static bool print_console(HANDLE h, const char *p, size_t n)
{
    enum { PIECE = 4096 };
    wchar_t w[PIECE];
    while (n) {
        size_t k = tn_wtf8_whole(p, n < PIECE ? n : PIECE);
        size_t units = tn_wtf8_to_utf16(p, k, w, PIECE);
        for (size_t done = 0; done < units;) {
            DWORD got = 0;
            if (!WriteConsoleW(h, w + done, (DWORD)(units - done), &got, NULL) || got == 0)
                return false;
            done += got;
        }
        p += k;
        n -= k;
    }
    return true;
}

bool tn_os_print(int fd, const char *p, size_t n)
{
    HANDLE h = std(fd);
    if (tn_os_is_tty(fd))
        return print_console(h, p, n);
    while (n) {
        DWORD k = 0, want = n < (1u << 20) ? (DWORD)n : 1u << 20;
        if (!WriteFile(h, p, want, &k, NULL) || k == 0)
            return false;
        p += k;
        n -= k;
    }
    return true;
}

bool tn_os_print_text(int fd, const char *p, size_t n)
{
    return tn_os_print(fd, p, n); /* the console takes UTF-16 whatever its code page; a pipe gets UTF-8 */
}
