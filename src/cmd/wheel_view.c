/* wheel_view.c - see wheel_view.h. */
#include "cmd/wheel_view.h"

#include <string.h>

static int at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    struct tn_wheel_view *w = ctx;
    uint64_t size;
    tn_buf_clear(&w->last);
    int rc = tn_os_read_held(w->file, off, n, &w->last, &size, err);
    if (!rc && w->last.n < n)
        rc = tn_err_set(err, TN_E_FORMAT, w->name, "the file is shorter than it was");
    if (!rc)
        *ret = tn_span_of(w->last.p, n);
    return rc;
}

int tn_wheel_view_open(struct tn_wheel_view *w, const char *name, struct tn_err *err)
{
    memset(w, 0, sizeof *w);
    w->name = name;
    tn_buf_init(&w->last);
    int rc = tn_os_hold(NULL, name, &w->file, err);
    if (!rc)
        rc = tn_os_read_held(w->file, 0, 1, &w->last, &w->view.size, err);
    w->view.at = at;
    w->view.ctx = w;
    if (rc)
        tn_wheel_view_close(w);
    return rc;
}

void tn_wheel_view_close(struct tn_wheel_view *w)
{
    tn_os_release(w->file);
    w->file = NULL;
    tn_buf_deinit(&w->last);
}
