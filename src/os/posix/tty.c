/* tty.c - the terminal: is there one, how wide, which language. */
#include "os/os.h"

#include <errno.h>
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

const char *tn_os_locale(struct tn_arena *mem, bool *ret_utf8)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    const char *v = NULL;
    for (unsigned i = 0; i < 3 && (!v || !*v); i++)
        v = getenv(names[i]);
    if (!v)
        v = "";
    *ret_utf8 = strcasestr(v, "utf-8") || strcasestr(v, "utf8");
    return tn_arena_strndup(mem, v, strcspn(v, ".@"));
}

bool tn_os_print(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}
