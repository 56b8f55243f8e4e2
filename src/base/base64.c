/* base64.c - see base64.h. */
#include "base/base64.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void tn_base64_encode(struct tn_buf *ret, struct tn_span b)
{
    for (size_t i = 0; i < b.n; i += 3) {
        unsigned v =
            (unsigned)b.p[i] << 16 | (i + 1 < b.n ? (unsigned)b.p[i + 1] << 8 : 0) | (i + 2 < b.n ? b.p[i + 2] : 0u);
        char out[4] = {letters[v >> 18], letters[v >> 12 & 63], i + 1 < b.n ? letters[v >> 6 & 63] : '=',
                       i + 2 < b.n ? letters[v & 63] : '='};
        tn_buf_add(ret, out, 4);
    }
}

static int value(unsigned char c)
{
    const char *p = c ? strchr(letters, c) : NULL;
    return p ? (int)(p - letters) : -1;
}

int tn_base64_decode(struct tn_buf *ret, struct tn_span t, struct tn_err *err)
{
    size_t start = ret->n;
    if (t.n % 4)
        return tn_err_set(err, TN_E_FORMAT, NULL, "base64 text of %zu characters", t.n);
    for (size_t i = 0; i < t.n; i += 4) {
        bool last = i + 4 == t.n;
        unsigned pad = last ? (t.p[i + 3] == '=') + (t.p[i + 3] == '=' && t.p[i + 2] == '=') : 0, v = 0;
        for (unsigned k = 0; k < 4; k++) {
            int x = k >= 4 - pad ? 0 : value(t.p[i + k]);
            if (x < 0) {
                ret->n = start;
                if (ret->cap)
                    ret->p[start] = 0;
                return tn_err_set(err, TN_E_FORMAT, NULL, "not base64 at character %zu", i + k);
            }
            v = v << 6 | (unsigned)x;
        }
        char out[3] = {(char)(v >> 16), (char)(v >> 8), (char)v};
        tn_buf_add(ret, out, 3 - pad);
    }
    return 0;
}
