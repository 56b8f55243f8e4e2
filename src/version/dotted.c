/* dotted.c - see dotted.h. */
#include "version/dotted.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/str.h"

/* Takes one part off *p and the dot behind it if another part follows; false at the end of the number. */
static bool next_part(const char **p, uint64_t *ret)
{
    const char *s = *p;
    uint64_t v = 0;
    if (!tn_is_digit(*s))
        return false;
    for (; tn_is_digit(*s); s++) {
        /* Saturated a digit early where the last one might overflow: no division for each digit. */
        v = v > (UINT64_MAX - 9) / 10 ? UINT64_MAX : v * 10 + (unsigned)(*s - '0');
    }
    if (s[0] == '.' && tn_is_digit(s[1]))
        s++;
    *p = s;
    *ret = v;
    return true;
}

bool tn_version_dotted_ok(const char *v)
{
    uint64_t x;
    bool any = false;
    while (next_part(&v, &x))
        any = true;
    return any && *v != '.';
}

int tn_version_dotted_cmp_parts(const char *a, const char *b, unsigned parts)
{
    for (unsigned i = 0; i < parts; i++) {
        uint64_t x = 0, y = 0;
        bool more = next_part(&a, &x);
        more = next_part(&b, &y) || more;
        if (x != y)
            return x < y ? -1 : 1;
        if (!more)
            break;
    }
    return 0;
}

/* Parts that both begin with are passed over as text: most numbers that are compared differ in their last ones. */
int tn_version_dotted_cmp(const char *a, const char *b)
{
    size_t part = 0;
    for (size_t i = 0; a[i] == b[i] && (tn_is_digit(a[i]) || (i && a[i] == '.' && tn_is_digit(a[i + 1]))); i++)
        if (a[i] == '.')
            part = i + 1;
    return tn_version_dotted_cmp_parts(a + part, b + part, UINT_MAX);
}

bool tn_version_dotted_part(const char *v, unsigned i, uint64_t *ret)
{
    uint64_t x;
    do {
        if (!next_part(&v, &x))
            return false;
    } while (i--);
    *ret = x;
    return true;
}

unsigned tn_version_dotted_count(const char *v)
{
    uint64_t x;
    unsigned n = 0;
    while (next_part(&v, &x))
        n++;
    return n;
}

uint64_t tn_version_dotted_major(const char *v)
{
    uint64_t x = 0;
    tn_version_dotted_part(v, 0, &x);
    return x;
}

bool tn_version_dotted_head(const char *v, unsigned n, char *buf, size_t size)
{
    char out[256];
    size_t k = 0;
    uint64_t x;
    for (unsigned i = 0; i < n; i++) {
        if (!next_part(&v, &x) || sizeof out - k < 24)
            return false;
        k += (size_t)snprintf(out + k, sizeof out - k, "%s%" PRIu64, i ? "." : "", x);
    }
    if (n == 0 || k >= size)
        return false;
    snprintf(buf, size, "%s", out);
    return true;
}

static bool three(unsigned a, unsigned b, unsigned c, char *buf)
{
    snprintf(buf, TN_DOTTED_TEXT, "%u.%u.%u", a, b, c);
    return true;
}

bool tn_version_cuda_text(int64_t code, char buf[TN_DOTTED_TEXT])
{
    if (code < 1000 || code > 999999)
        return false;
    snprintf(buf, TN_DOTTED_TEXT, "%u.%u", (unsigned)(code / 1000), (unsigned)(code % 1000 / 10));
    return true;
}

bool tn_version_cudnn_text(int64_t code, char buf[TN_DOTTED_TEXT])
{
    unsigned c = (unsigned)code;
    if (code < 1000 || code > 9999999 || (code >= 9000 && code < 90000))
        return false;
    return c < 9000 ? three(c / 1000, c % 1000 / 100, c % 100, buf) : three(c / 10000, c % 10000 / 100, c % 100, buf);
}

bool tn_version_nccl_text(int64_t code, char buf[TN_DOTTED_TEXT])
{
    unsigned c = (unsigned)code;
    if (code < 1000 || code > 9999999 || (code >= 3000 && code < 20000))
        return false;
    return c < 10000 ? three(c / 1000, c % 1000 / 100, c % 100, buf) : three(c / 10000, c % 10000 / 100, c % 100, buf);
}

/* Exactly four parts, no tail. */
static bool four(const char *v, uint64_t ret[4])
{
    for (int i = 0; i < 4; i++)
        if (!next_part(&v, &ret[i]))
            return false;
    return *v == 0;
}

bool tn_version_windows_driver(const char *file_version, char buf[TN_DOTTED_TEXT])
{
    uint64_t p[4];
    if (!four(file_version, p) || p[2] > 999 || p[3] > 9999)
        return false;
    unsigned last5 = (unsigned)(p[2] % 10 * 10000 + p[3]);
    if (last5 < 10000) /* NVIDIA's own numbers have three digits before the dot since 2005 */
        return false;
    snprintf(buf, TN_DOTTED_TEXT, "%u.%02u", last5 / 100, last5 % 100);
    return true;
}

bool tn_version_windows_cudart(const char *file_version, char buf[TN_DOTTED_TEXT])
{
    uint64_t p[4];
    if (!four(file_version, p) || p[0] != 6 || p[1] != 14 || p[2] != 11 || p[3] > 999999)
        return false;
    return tn_version_cuda_text((int64_t)p[3], buf);
}
