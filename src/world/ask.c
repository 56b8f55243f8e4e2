/* ask.c - the parent's and the child's common part of asking a vendor library. */
#include "world/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/span.h"
#include "os/os.h"

static const struct {
    const char *name;
    void (*ask)(void *library);
} subjects[] = {{"nvml", tn_ask_nvml}, {"cuda", tn_ask_cuda}};

#define REFUSED "refused "

void tn_ask_say(const char *format, ...)
{
    char line[1024];
    va_list a;
    va_start(a, format);
    int n = vsnprintf(line, sizeof line - 1, format, a);
    va_end(a);
    if (n < 0)
        return;
    size_t len = (size_t)n < sizeof line - 2 ? (size_t)n : sizeof line - 2;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = ' ';
    line[len] = '\n';
    tn_os_print(1, line, len + 1);
}

int tn_ask_work(const char *const *argv)
{
    const char *why = "";
    for (size_t i = 0; argv[0] && argv[1] && i < sizeof subjects / sizeof *subjects; i++) {
        if (strcmp(argv[0], subjects[i].name) != 0)
            continue;
        void *library = tn_os_dl_open(argv[1], &why);
        if (!library) {
            if (tn_os_dl_refused())
                tn_ask_say(REFUSED "%s", tn_os_dl_refused());
            tn_ask_say("! open %s", why);
            tn_ask_say("end");
            return 0;
        }
        subjects[i].ask(library);
        if (tn_os_dl_refused())
            tn_ask_say(REFUSED "%s", tn_os_dl_refused());
        tn_ask_say("end");
        return 0;
    }
    return 2;
}

static bool said_refused(const struct tn_buf *out)
{
    struct tn_span rest = tn_span_of(out->p, out->n), line;
    while (tn_span_line(&rest, &line))
        if (tn_span_starts(line, REFUSED))
            return true;
    return false;
}

int tn_ask(const char *path, const char *subject, unsigned ms, struct tn_buf *ret, struct tn_err *err)
{
    struct tn_os_run r;
    const char *const argv[] = {subject, path, NULL};
    unsigned left = tn_os_left_ms();
    if (!tn_os_dl_trusted(path))
        return tn_err_set(err, TN_E_DENIED, path, "another user may write it: not loaded as root");
    int rc = tn_os_child(tn_ask_work, argv, ms < left ? ms : left, TN_MAX_CHILD_OUTPUT, &r, err);
    if (rc)
        return rc;
    if (said_refused(&r.out)) { /* what it answered without that file is no program's answer */
        tn_buf_deinit(&r.out);
        return tn_err_set(err, TN_E_DENIED, path, "wants a file that another user may write: not loaded as root");
    }
    if (r.out.n && r.out.p[r.out.n - 1] != '\n')
        tn_buf_ch(&r.out, '\n');
    if (r.timed_out)
        tn_buf_str(&r.out, "ended late\n");
    else if (r.status > 128)
        tn_buf_printf(&r.out, "ended signal %d\n", r.status - 128);
    else if (r.status || r.cut)
        tn_buf_printf(&r.out, "ended status %d\n", r.status);
    *ret = r.out;
    return 0;
}
