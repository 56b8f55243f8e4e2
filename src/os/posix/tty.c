/* tty.c - the terminal: is there one, how wide, which language. */
#include "os/os.h"

#include <errno.h>
#include <iconv.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"
#include "os/posix/posix.h"

bool tn_os_is_tty(int fd)
{
    return isatty(fd);
}

bool tn_os_takes_escapes(int fd)
{
    return isatty(fd);
}

bool tn_os_console_is_ours(void)
{
    return false;
}

void tn_os_console_wait(void)
{
}

unsigned tn_os_tty_width(int fd)
{
    struct winsize w;
    return ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

/* The first of these that is set and not empty, "" if none (POSIX, Base Definitions 8.2). */
static const char *first_of(const char *const *names)
{
    for (; *names; names++) {
        const char *v = getenv(*names);
        if (v && *v)
            return v;
    }
    return "";
}

const char *tn_os_locale(struct tn_arena *mem, bool *ret_utf8)
{
    static const char *const messages[] = {"LC_ALL", "LC_MESSAGES", "LANG", NULL};
    static const char *const characters[] = {"LC_ALL", "LC_CTYPE", "LANG", NULL};
    const char *v = first_of(characters);
    *ret_utf8 = strcasestr(v, "utf-8") || strcasestr(v, "utf8");
    v = first_of(messages);
    size_t n = strcspn(v, ".@");
    if ((n == 1 && *v == 'C') || (n == 5 && strncmp(v, "POSIX", 5) == 0))
        n = 0;
    return tn_arena_strndup(mem, v, n);
}

bool tn_os_print(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0 && errno == EAGAIN) { /* somebody made the terminal non-blocking */
            struct pollfd f = {.fd = fd, .events = POLLOUT};
            poll(&f, 1, 1000);
            continue;
        }
        if (k < 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

/* The user's character set when it is not UTF-8 and the locale names one ("zh_CN.GBK"); "" otherwise. */
static void charset(char *ret, size_t size)
{
    static const char *const characters[] = {"LC_ALL", "LC_CTYPE", "LANG", NULL};
    const char *v = first_of(characters), *dot = strchr(v, '.');
    size_t n = dot ? strcspn(dot + 1, "@") : 0;
    ret[0] = 0;
    if (n == 0 || n >= size || strcasestr(v, "utf-8") || strcasestr(v, "utf8"))
        return;
    for (size_t i = 0; i < n; i++) /* nothing but a name: iconv takes options and paths too */
        if (!tn_is_alpha(dot[1 + i]) && !tn_is_digit(dot[1 + i]) && !strchr("-_", dot[1 + i]))
            return;
    memcpy(ret, dot + 1, n);
    ret[n] = 0;
}

bool tn_os_print_text(int fd, const char *p, size_t n)
{
    char name[32], out[4096];
    charset(name, sizeof name);
    unsetenv("GCONV_PATH"); /* iconv would load modules from there, also as root */
    /* and what a module needs from LD_LIBRARY_PATH */
    iconv_t to = name[0] && tn_posix_search_trusted() ? iconv_open(name, "UTF-8") : (iconv_t)-1;
    if (to == (iconv_t)-1)
        return tn_os_print(fd, p, n);
    bool ok = true;
    char *in = (char *)(uintptr_t)p;
    while (n && ok) {
        char *end = out;
        size_t room = sizeof out;
        if (iconv(to, &in, &n, &end, &room) == (size_t)-1 && (errno == EILSEQ || errno == EINVAL) && n) {
            uint32_t c;
            size_t k = tn_utf8_next(in, n, &c);
            in += k;
            n -= k;
            if (room)
                *end++ = '?';
        }
        ok = tn_os_print(fd, out, (size_t)(end - out));
    }
    iconv_close(to);
    return ok;
}
