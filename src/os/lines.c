/* lines.c - see lines.h. */
#include "os/lines.h"

#include <string.h>

void tn_os_lines_hand_on(const struct tn_os_install *how, struct tn_os_lines *l, bool all)
{
    size_t from = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->p[i] != '\n' && l->p[i] != '\r')
            continue;
        if (i > from)
            how->said(how->ctx, l->p + from, i - from);
        from = i + 1;
    }
    if (l->n > from && (all || (from == 0 && l->n == sizeof l->p))) {
        how->said(how->ctx, l->p + from, l->n - from);
        from = l->n;
    }
    memmove(l->p, l->p + from, l->n - from);
    l->n -= from;
}
