/* tty.c - the terminal: is there one, how wide, which language. */
#include "os/os.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool tn_os_is_tty(int fd)
{
    return isatty(fd);
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
