/* bundle_key.c - see bundle_key.h. */
#include "cmd/bundle_key.h"

#include <string.h>

#include "base/str.h"

#define KEY_CHARACTERS 56u /* base64 of 42 bytes */

static int read_text(struct tn_cmd_ctx *c, const char *path, struct tn_buf *ret, struct tn_err *err)
{
    tn_buf_clear(ret);
    int rc = tn_cmd_slurp(c, path, ret, err);
    return rc ? rc : ret->n > 65536 ? tn_err_set(err, TN_E_LIMIT, path, "too long for a key or a signature") : 0;
}

int tn_bundle_key(struct tn_cmd_ctx *c, const char *bundle, const struct tn_minisign **ret, struct tn_err *err)
{
    const char *key = tn_opt_value(c, TN_OPT_KEY);
    struct tn_minisign *x = tn_arena_alloc(c->mem, sizeof *x);
    const char *file = tn_arena_printf(c->mem, "%s.minisig", bundle);
    bool bare = strlen(key) == KEY_CHARACTERS && tn_str_starts(key, "RW");
    struct tn_buf b;
    tn_buf_init(&b);
    int rc = bare ? tn_minisign_key(tn_span_str(key), x, err) : read_text(c, key, &b, err);
    if (!rc && !bare)
        rc = tn_minisign_key(tn_span_of(b.p, b.n), x, err);
    if (!rc)
        rc = read_text(c, file, &b, err);
    if (!rc)
        rc = tn_minisign_signature(c->mem, tn_span_of(b.p, b.n), x, err);
    tn_buf_deinit(&b);
    if (!rc)
        *ret = x;
    else if (err->code == TN_E_NOTFOUND || err->code == TN_E_FORMAT) /* without it nothing is authenticated: refused */
        err->code = rc = TN_E_REFUSED;
    return rc;
}
