/* minisign.c - see minisign.h. */
#include "place/minisign.h"

#include <string.h>

#include "base/base64.h"

#define UNTRUSTED "untrusted comment: "
#define TRUSTED "trusted comment: "

/* n bytes of base64. */
static bool bytes_of(struct tn_span line, void *ret, size_t n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    bool ok = tn_base64_decode(&b, tn_span_trim(line), NULL) == 0 && b.n == n;
    if (ok)
        memcpy(ret, b.p, n);
    tn_buf_deinit(&b);
    return ok;
}

int tn_minisign_key(struct tn_span text, struct tn_minisign *ret, struct tn_err *err)
{
    unsigned char raw[2 + 8 + 32];
    struct tn_span line = {NULL, 0};
    bool any = tn_span_line(&text, &line);
    if (any && tn_span_starts(line, UNTRUSTED))
        any = tn_span_line(&text, &line);
    if (!any || !bytes_of(line, raw, sizeof raw) || memcmp(raw, "Ed", 2) != 0)
        return tn_err_set(err, TN_E_FORMAT, NULL, "not a public key of minisign");
    memset(ret, 0, sizeof *ret);
    memcpy(ret->id, raw + 2, 8);
    memcpy(ret->key, raw + 10, 32);
    for (unsigned i = 0; i < 8; i++) { /* a little-endian number in minisign's words */
        static const char hex[] = "0123456789ABCDEF";
        ret->name[2 * i] = hex[ret->id[7 - i] >> 4];
        ret->name[2 * i + 1] = hex[ret->id[7 - i] & 15];
    }
    return 0;
}

int tn_minisign_signature(struct tn_arena *mem, struct tn_span text, struct tn_minisign *ret, struct tn_err *err)
{
    unsigned char raw[2 + 8 + 64];
    struct tn_span line[4];
    unsigned n = 0;
    while (n < 4 && tn_span_line(&text, &line[n]))
        n++;
    size_t skip = sizeof TRUSTED - 1;
    if (n < 4 || !tn_span_starts(line[0], UNTRUSTED) || !tn_span_starts(line[2], TRUSTED) ||
        line[2].n - skip > TN_MINISIGN_COMMENT || !bytes_of(line[1], raw, sizeof raw) ||
        !bytes_of(line[3], ret->global, sizeof ret->global))
        return tn_err_set(err, TN_E_FORMAT, NULL, "not a signature of minisign");
    if (memcmp(raw, "ED", 2) != 0)
        return tn_err_set(err, TN_E_FORMAT, NULL, "a signature of minisign's older form");
    if (memcmp(raw + 2, ret->id, 8) != 0)
        return tn_err_set(err, TN_E_REFUSED, NULL, "signed by another key");
    memcpy(ret->signature, raw + 10, 64);
    ret->comment = tn_arena_strndup(mem, (const char *)line[2].p + skip, line[2].n - skip);
    return 0;
}

static void hex(struct tn_buf *b, const void *p, size_t n)
{
    tn_buf_ch(b, ' ');
    for (size_t i = 0; i < n; i++)
        tn_buf_printf(b, "%02x", ((const unsigned char *)p)[i]);
}

void tn_minisign_request(const struct tn_minisign *x, struct tn_buf *ret)
{
    tn_buf_str(ret, "signed");
    hex(ret, x->key, sizeof x->key);
    hex(ret, x->signature, sizeof x->signature);
    hex(ret, x->global, sizeof x->global);
    hex(ret, x->comment, strlen(x->comment));
    tn_buf_ch(ret, '\n');
}
