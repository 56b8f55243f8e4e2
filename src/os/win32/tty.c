/* tty.c - the console: is there one, how wide, which language. */
#include "os/win32/win32.h"

#include <string.h>

#include "base/str.h"
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

/* ENABLE_VIRTUAL_TERMINAL_PROCESSING is set at the start (sys.c) where the console knows it: Windows 10 1511 and later,
 * but for the legacy console. */
bool tn_os_takes_escapes(int fd)
{
    DWORD mode;
    return fd >= 0 && fd <= 2 && GetConsoleMode(std(fd), &mode) && mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING;
}

bool tn_os_console_is_ours(void)
{
    DWORD id[2];
    return tn_os_is_tty(0) && tn_os_is_tty(1) && GetConsoleProcessList(id, 2) == 1;
}

void tn_os_console_wait(void)
{
    wchar_t c;
    DWORD n = 0;
    HANDLE h = std(0);
    FlushConsoleInputBuffer(h);
    while (ReadConsoleW(h, &c, 1, &n, NULL) && n && c != L'\n')
        ;
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
    *ret_utf8 = true; /* a console gets UTF-16, a pipe what its readers expect */
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

/* What a code page may lack, in ASCII. Never by WideCharToMultiByte's best fit, which makes quotes and slashes of their
 * look-alikes. */
static const char *plain(uint32_t c)
{
    static const struct {
        uint32_t c;
        const char *text;
    } known[] = {{0x2013, "-"},  {0x2014, "-"},   {0x2018, "'"},  {0x2019, "'"},  {0x201c, "\""},
                 {0x201d, "\""}, {0x2026, "..."}, {0x2192, "->"}, {0x2265, ">="}, {0x2264, "<="}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].c == c)
            return known[i].text;
    return "?";
}

/* One character in the code page; ASCII is ASCII in every page of a console. */
static void put(struct tn_buf *b, UINT page, const char *p, size_t k)
{
    wchar_t w[4];
    char out[8];
    BOOL lost = FALSE;
    size_t units = tn_wtf8_to_utf16(p, k, w, 4);
    int n = WideCharToMultiByte(page, WC_NO_BEST_FIT_CHARS, w, (int)units, out, sizeof out, NULL, &lost);
    if (n > 0 && !lost) {
        tn_buf_add(b, out, (size_t)n);
        return;
    }
    tn_buf_str(b, plain(units == 1 ? w[0] : 0));
}

/* A console takes UTF-16 whatever its code page. What reads a pipe or file in a console's session (more, findstr,
 * PowerShell) takes it to be in the console's code page, which is 936 in a Chinese Windows; without a console: UTF-8.
 */
bool tn_os_print_text(int fd, const char *p, size_t n)
{
    UINT page = tn_os_is_tty(fd) ? CP_UTF8 : GetConsoleOutputCP();
    if (page == CP_UTF8 || page == 0)
        return tn_os_print(fd, p, n);
    struct tn_buf b;
    tn_buf_init(&b);
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t c;
        k = tn_utf8_next(p + i, n - i, &c);
        if (k == 1)
            tn_buf_ch(&b, (unsigned char)p[i] < 0x80 ? p[i] : '?');
        else
            put(&b, page, p + i, k);
    }
    bool ok = tn_os_print(fd, b.p, b.n);
    tn_buf_deinit(&b);
    return ok;
}
