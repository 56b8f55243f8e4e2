/* pep440.c - see pep440.h: the version itself; specifier sets are in pep440_spec.c. */
#include "version/pep440.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* A reader of ASCII-lowered characters; 0 at the end (a NUL inside the text is no version character either). */
struct cursor {
    struct tn_span s;
    size_t i;
};

static char peek(const struct cursor *c, size_t ahead)
{
    return ahead < c->s.n - c->i ? tn_lower((char)c->s.p[c->i + ahead]) : 0;
}

static bool is_sep(char ch)
{
    return ch == '.' || ch == '-' || ch == '_';
}

static bool take(struct cursor *c, const char *word)
{
    size_t n = strlen(word);
    for (size_t k = 0; k < n; k++)
        if (peek(c, k) != word[k])
            return false;
    c->i += n;
    return true;
}

/* Digits as a number: 1 read, 0 none there, -1 more than 64 bits. */
static int number(struct cursor *c, uint64_t *ret)
{
    size_t n = 0;
    while (tn_is_digit(peek(c, n)))
        n++;
    if (n == 0)
        return 0;
    if (!tn_str_u64((const char *)c->s.p + c->i, n, 10, ret))
        return -1;
    c->i += n;
    return 1;
}

/* [-_.]? word [-_.]? number?  - the cursor stays where it was when no word fits. words are longest first. */
static int suffix(struct cursor *c, const char *const *words, unsigned *ret_word, uint64_t *ret_n)
{
    size_t start = c->i;
    if (is_sep(peek(c, 0)))
        c->i++;
    for (unsigned w = 0; words[w]; w++) {
        if (!take(c, words[w]))
            continue;
        *ret_word = w;
        *ret_n = 0;
        if (is_sep(peek(c, 0))) /* even with no number behind it: the pattern of PEP 440, appendix B */
            c->i++;
        return number(c, ret_n) < 0 ? -1 : 1;
    }
    c->i = start;
    return 0;
}

static bool local_part(struct cursor *c, char *out)
{
    size_t n = 0;
    for (;;) {
        size_t start = c->i;
        bool digits = true;
        while (tn_is_digit(peek(c, 0)) || tn_is_alpha(peek(c, 0))) {
            digits = digits && tn_is_digit(peek(c, 0));
            c->i++;
        }
        if (c->i == start)
            return false;
        while (digits && c->i - start > 1 && c->s.p[start] == '0')
            start++;
        for (; start < c->i; start++)
            out[n++] = tn_lower((char)c->s.p[start]);
        if (!is_sep(peek(c, 0)))
            break;
        out[n++] = '.';
        c->i++;
    }
    out[n] = 0;
    return true;
}

static int release(struct cursor *c, struct tn_pep440 *v)
{
    struct cursor at;
    uint64_t x;
    int r = number(c, &x);
    if (r <= 0)
        return r;
    if (peek(c, 0) == '!') {
        v->epoch = x;
        c->i++;
        r = number(c, &x);
        if (r <= 0)
            return r;
    }
    v->release[v->n_release++] = x;
    while (peek(c, 0) == '.' && tn_is_digit(peek(c, 1))) {
        at = *c;
        at.i++;
        if (number(&at, &x) < 0)
            return -1;
        if (v->n_release == TN_MAX_VERSION_PARTS)
            return -1;
        v->release[v->n_release++] = x;
        *c = at;
    }
    return 1;
}

/* The optional suffixes in their fixed order; -1 for a number that is too large. */
static int suffixes(struct cursor *c, struct tn_pep440 *v)
{
    static const char *const pre[] = {"alpha", "a", "beta", "b", "preview", "pre", "rc", "c", NULL};
    static const char kind[] = {'a', 'a', 'b', 'b', 'c', 'c', 'c', 'c'};
    static const char *const post[] = {"post", "rev", "r", NULL};
    static const char *const dev[] = {"dev", NULL};
    unsigned w = 0;
    int r = suffix(c, pre, &w, &v->pre_n);
    if (r < 0)
        return r;
    if (r)
        v->pre = kind[w];
    if (peek(c, 0) == '-' && tn_is_digit(peek(c, 1))) { /* the implicit post release "1.0-1" */
        c->i++;
        r = number(c, &v->post_n);
    } else {
        r = suffix(c, post, &w, &v->post_n);
    }
    if (r < 0)
        return r;
    v->has_post = r > 0;
    r = suffix(c, dev, &w, &v->dev_n);
    if (r < 0)
        return r;
    v->has_dev = r > 0;
    return 1;
}

int tn_version_pep440_parse(struct tn_span text, struct tn_pep440 *ret, struct tn_err *err)
{
    struct tn_pep440 v;
    struct cursor c = {tn_span_trim(text), 0};
    memset(&v, 0, sizeof v);
    if (c.s.n > TN_MAX_VERSION_TEXT)
        return tn_err_set(err, TN_E_LIMIT, NULL, "version text of %zu bytes", c.s.n);
    if (peek(&c, 0) == 'v')
        c.i++;
    int r = release(&c, &v);
    if (r > 0)
        r = suffixes(&c, &v);
    if (r < 0)
        return tn_err_set(err, TN_E_LIMIT, NULL, "a number of the version is too large");
    if (r > 0 && peek(&c, 0) == '+') {
        c.i++;
        r = local_part(&c, v.local);
    }
    if (r == 0 || c.i != c.s.n)
        return tn_err_set(err, TN_E_FORMAT, NULL, "not a PEP 440 version");
    *ret = v;
    return 0;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Decimal digits without leading zeros, of any length. */
static int cmp_digits(struct tn_span a, struct tn_span b)
{
    return a.n != b.n ? (a.n < b.n ? -1 : 1) : memcmp(a.p, b.p, a.n);
}

static bool all_digits(struct tn_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!tn_is_digit((char)s.p[i]))
            return false;
    return true;
}

static struct tn_span next_segment(const char **rest)
{
    size_t n = strcspn(*rest, ".");
    struct tn_span s = tn_span_of(*rest, n);
    *rest += n + ((*rest)[n] == '.');
    return s;
}

/* No local sorts first; segment by segment, numbers above text, a longer one above its prefix. */
static int cmp_local(const char *a, const char *b)
{
    while (*a && *b) {
        struct tn_span x = next_segment(&a), y = next_segment(&b);
        bool dx = all_digits(x), dy = all_digits(y);
        int r;
        if (dx != dy)
            return dx ? 1 : -1;
        if (dx) {
            r = cmp_digits(x, y);
        } else {
            r = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
            if (r == 0)
                r = cmp_u64(x.n, y.n);
        }
        if (r)
            return r;
    }
    return (*a != 0) - (*b != 0);
}

/* dev of the plain release < a < b < rc < release and post. */
static int pre_rank(const struct tn_pep440 *v)
{
    if (v->pre)
        return v->pre;
    return v->has_dev && !v->has_post ? 0 : 'z';
}

int tn_version_pep440_cmp(const struct tn_pep440 *a, const struct tn_pep440 *b)
{
    unsigned n = a->n_release > b->n_release ? a->n_release : b->n_release;
    int r = cmp_u64(a->epoch, b->epoch);
    for (unsigned i = 0; i < n && r == 0; i++)
        r = cmp_u64(i < a->n_release ? a->release[i] : 0, i < b->n_release ? b->release[i] : 0);
    if (r == 0)
        r = pre_rank(a) - pre_rank(b);
    if (r == 0 && a->pre)
        r = cmp_u64(a->pre_n, b->pre_n);
    if (r == 0)
        r = a->has_post - b->has_post;
    if (r == 0 && a->has_post)
        r = cmp_u64(a->post_n, b->post_n);
    if (r == 0)
        r = b->has_dev - a->has_dev;
    if (r == 0 && a->has_dev)
        r = cmp_u64(a->dev_n, b->dev_n);
    return r ? r : cmp_local(a->local, b->local);
}

bool tn_version_pep440_is_pre(const struct tn_pep440 *v)
{
    return v->pre || v->has_dev;
}

bool tn_version_pep440_text(const struct tn_pep440 *v, char *buf, size_t n)
{
    char out[TN_MAX_VERSION_PARTS * 21 + 4 * 24 + TN_MAX_VERSION_TEXT + 8];
    int k = 0;
    size_t cap = sizeof out;
    if (v->epoch)
        k += snprintf(out + k, cap - (size_t)k, "%" PRIu64 "!", v->epoch);
    for (unsigned i = 0; i < v->n_release; i++)
        k += snprintf(out + k, cap - (size_t)k, "%s%" PRIu64, i ? "." : "", v->release[i]);
    if (v->pre)
        k += snprintf(out + k, cap - (size_t)k, "%s%" PRIu64,
                      v->pre == 'c'   ? "rc"
                      : v->pre == 'a' ? "a"
                                      : "b",
                      v->pre_n);
    if (v->has_post)
        k += snprintf(out + k, cap - (size_t)k, ".post%" PRIu64, v->post_n);
    if (v->has_dev)
        k += snprintf(out + k, cap - (size_t)k, ".dev%" PRIu64, v->dev_n);
    if (v->local[0])
        k += snprintf(out + k, cap - (size_t)k, "+%s", v->local);
    if ((size_t)k >= n)
        return false;
    memcpy(buf, out, (size_t)k + 1);
    return true;
}
