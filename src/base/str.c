/* str.c - see str.h. */
#include "base/str.h"

#include <string.h>

bool tn_str_eq(const char *a, const char *b)
{
    return a == b || (a && b && *a == *b && strcmp(a, b) == 0); /* most differ in the first character */
}

bool tn_str_ieq(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tn_lower(*a) != tn_lower(*b))
            return false;
    return *a == *b;
}

bool tn_str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool tn_str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool tn_str_in(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(s, *list) == 0)
            return true;
    return false;
}

int tn_str_cmp(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

bool tn_str_u64(const char *s, size_t n, int base, uint64_t *ret)
{
    uint64_t v = 0;
    if (base == 16 && n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        s += 2, n -= 2;
    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = tn_lower(s[i]);
        unsigned d;
        if (tn_is_digit(c))
            d = (unsigned)(c - '0');
        else if (base == 16 && c >= 'a' && c <= 'f')
            d = (unsigned)(c - 'a') + 10;
        else
            return false;
        if (v > (UINT64_MAX - d) / (unsigned)base)
            return false;
        v = v * (unsigned)base + d;
    }
    *ret = v;
    return true;
}

bool tn_str_glob(const char *p, const char *s)
{
    const char *star = NULL, *mark = NULL;
    while (*s) {
        if (*p == '*') {
            star = p++;
            mark = s;
        } else if (*p == '?' || *p == *s) {
            p++, s++;
        } else if (star) {
            p = star + 1;
            s = ++mark;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return *p == 0;
}

unsigned tn_str_distance(const char *a, const char *b, unsigned max)
{
    enum { MAX = 64 };
    size_t n = strlen(a), m = strlen(b);
    unsigned row[3][MAX + 1];
    if (n > MAX || m > MAX)
        return max + 1;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *cur = row[i % 3], *prev = row[(i - 1) % 3], *before = row[(i + 1) % 3];
        cur[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = prev[j - 1] + (a[i - 1] != b[j - 1]);
            if (prev[j] + 1 < best)
                best = prev[j] + 1;
            if (cur[j - 1] + 1 < best)
                best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            cur[j] = best;
        }
    }
    unsigned d = row[n % 3][m];
    return d > max ? max + 1 : d;
}

size_t tn_utf8_next(const char *text, size_t n, uint32_t *ret)
{
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned len = s[0] < 0x80                   ? 1
                   : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                   : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                   : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                                                 : 0;
    uint32_t c = len == 1 ? s[0] : len == 2 ? s[0] & 0x1Fu : len == 3 ? s[0] & 0x0Fu : s[0] & 0x07u;
    *ret = 0xFFFD;
    if (len == 0 || len > n)
        return 1;
    for (unsigned i = 1; i < len; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 1;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if (c < least[len] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return 1;
    *ret = c;
    return len;
}

bool tn_utf8_valid(const char *s, size_t n)
{
    while (n) {
        uint32_t c;
        size_t k = tn_utf8_next(s, n, &c);
        if (c == 0xFFFD && !(k == 3 && memcmp(s, "\xEF\xBF\xBD", 3) == 0))
            return false;
        s += k;
        n -= k;
    }
    return true;
}

static unsigned width_of(uint32_t c)
{
    static const struct {
        uint32_t from, to;
    } wide[] = {{0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},  {0x4E00, 0x9FFF},
                {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60},
                {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if ((c >= 0x0300 && c <= 0x036F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F))
        return 0;
    for (size_t i = 0; i < TN_LEN(wide); i++)
        if (c >= wide[i].from && c <= wide[i].to)
            return 2;
    return 1;
}

unsigned tn_utf8_width(const char *s)
{
    unsigned w = 0;
    size_t n = strlen(s);
    while (n) {
        uint32_t c;
        size_t k = tn_utf8_next(s, n, &c);
        w += width_of(c);
        s += k;
        n -= k;
    }
    return w;
}
