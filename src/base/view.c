/* view.c - see view.h. */
#include "base/view.h"

static int span_at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    const struct tn_span *s = ctx;
    if (!tn_span_sub(*s, off, n, ret))
        return tn_err_set(err, TN_E_FORMAT, NULL, "%zu bytes at %llu are not inside %zu bytes", n,
                          (unsigned long long)off, s->n);
    return 0;
}

struct tn_view tn_view_of_span(struct tn_span *s)
{
    struct tn_view v = {s->n, span_at, s};
    return v;
}

int tn_view_at(const struct tn_view *v, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    if (off > v->size || n > v->size - off)
        return tn_err_set(err, TN_E_FORMAT, NULL, "%zu bytes at %llu are beyond the end (%llu)", n,
                          (unsigned long long)off, (unsigned long long)v->size);
    return v->at(v->ctx, off, n, ret, err);
}
