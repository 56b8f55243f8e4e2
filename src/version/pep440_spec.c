/* pep440_spec.c - specifier sets: see pep440.h.
 *
 * Invariant: every clause is checked for form before the answer is given, so that a malformed set is an error
 * whatever the version. */
#include "version/pep440.h"

#include <string.h>

#include "base/str.h"

enum op { OP_COMPATIBLE, OP_EQ, OP_NE, OP_LE, OP_GE, OP_LT, OP_GT, OP_ARBITRARY };

struct tn_pep440_clause {
    enum op op;
    bool prefix;         /* ==V.* and !=V.* */
    struct tn_span text; /* behind the operator, trimmed */
    struct tn_pep440 v;  /* not for OP_ARBITRARY */
};

static bool take_op(struct tn_span *s, enum op *ret)
{
    /* "===" before "==", two characters before one. */
    static const struct {
        const char *text;
        enum op op;
    } ops[] = {{"===", OP_ARBITRARY}, {"~=", OP_COMPATIBLE}, {"==", OP_EQ}, {"!=", OP_NE},
               {"<=", OP_LE},         {">=", OP_GE},         {"<", OP_LT},  {">", OP_GT}};
    for (size_t i = 0; i < TN_LEN(ops); i++) {
        if (!tn_span_starts(*s, ops[i].text))
            continue;
        *ret = ops[i].op;
        *s = tn_span_trim(tn_span_from(*s, strlen(ops[i].text)));
        return true;
    }
    return false;
}

static int parse_clause(struct tn_span s, struct tn_pep440_clause *ret, struct tn_err *err)
{
    struct tn_pep440_clause c;
    memset(&c, 0, sizeof c);
    if (!take_op(&s, &c.op) || s.n == 0)
        return tn_err_set(err, TN_E_FORMAT, NULL, "not a version specifier");
    c.text = s;
    if (c.op == OP_ARBITRARY) {
        for (size_t i = 0; i < s.n; i++)
            if (s.p[i] <= ' ')
                return tn_err_set(err, TN_E_FORMAT, NULL, "blanks in a version specifier");
        *ret = c;
        return 0;
    }
    if ((c.op == OP_EQ || c.op == OP_NE) && s.n > 2 && s.p[s.n - 2] == '.' && s.p[s.n - 1] == '*') {
        c.prefix = true;
        s.n -= 2;
    }
    int r = tn_version_pep440_parse(s, &c.v, err);
    if (r)
        return r;
    bool bare = !c.v.pre && !c.v.has_post && !c.v.has_dev && !c.v.local[0];
    if (c.prefix && !bare)
        return tn_err_set(err, TN_E_FORMAT, NULL, ".* may follow a plain release only");
    if (c.v.local[0] && c.op != OP_EQ && c.op != OP_NE)
        return tn_err_set(err, TN_E_FORMAT, NULL, "a local version may stand behind == and != only");
    if (c.op == OP_COMPATIBLE && c.v.n_release < 2)
        return tn_err_set(err, TN_E_FORMAT, NULL, "~= needs two release parts");
    *ret = c;
    return 0;
}

static bool same_prefix(const struct tn_pep440 *v, const struct tn_pep440 *want, unsigned parts)
{
    if (v->epoch != want->epoch)
        return false;
    for (unsigned i = 0; i < parts; i++)
        if ((i < v->n_release ? v->release[i] : 0) != want->release[i])
            return false;
    return true;
}

static bool same_base(const struct tn_pep440 *a, const struct tn_pep440 *b)
{
    const struct tn_pep440 *longer = a->n_release > b->n_release ? a : b;
    return same_prefix(longer == a ? b : a, longer, longer->n_release);
}

static bool equal(const struct tn_pep440 *v, const struct tn_pep440 *public, const struct tn_pep440_clause *c)
{
    if (c->prefix)
        return same_prefix(v, &c->v, c->v.n_release);
    return tn_version_pep440_cmp(c->v.local[0] ? v : public, &c->v) == 0;
}

static bool ordered(const struct tn_pep440 *v, const struct tn_pep440_clause *c)
{
    struct tn_pep440 public = *v;
    public.local[0] = 0;
    switch (c->op) {
    case OP_EQ: return equal(v, &public, c);
    case OP_NE: return !equal(v, &public, c);
    case OP_LE: return tn_version_pep440_cmp(&public, &c->v) <= 0;
    case OP_GE: return tn_version_pep440_cmp(&public, &c->v) >= 0;
    case OP_COMPATIBLE: return tn_version_pep440_cmp(&public, &c->v) >= 0 && same_prefix(v, &c->v, c->v.n_release - 1);
    case OP_LT:
        if (tn_version_pep440_cmp(v, &c->v) >= 0)
            return false;
        return tn_version_pep440_is_pre(&c->v) || !tn_version_pep440_is_pre(v) || !same_base(v, &c->v);
    case OP_GT:
        if (tn_version_pep440_cmp(v, &c->v) <= 0)
            return false;
        if (!c->v.has_post && v->has_post && same_base(v, &c->v))
            return false;
        return !v->local[0] || !same_base(v, &c->v);
    default: return false;
    }
}

static bool same_text(struct tn_span a, struct tn_span b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (tn_lower((char)a.p[i]) != tn_lower((char)b.p[i]))
            return false;
    return true;
}

/* The trimmed set without the parentheses of old metadata. */
static struct tn_span set_of(const char *spec)
{
    struct tn_span s = tn_span_trim(tn_span_str(spec));
    if (s.n >= 2 && s.p[0] == '(' && s.p[s.n - 1] == ')')
        s = tn_span_trim(tn_span_of(s.p + 1, s.n - 2));
    return s;
}

/* The next non-empty clause; packaging drops empty ones, so "a trailing comma" is no error. */
static bool next_clause(struct tn_span *rest, struct tn_span *ret)
{
    while (rest->n) {
        const unsigned char *comma = memchr(rest->p, ',', rest->n);
        size_t n = comma ? (size_t)(comma - rest->p) : rest->n;
        *ret = tn_span_trim(tn_span_of(rest->p, n));
        *rest = tn_span_from(*rest, comma ? n + 1 : n);
        if (ret->n)
            return true;
    }
    return false;
}

int tn_version_pep440_match(const char *version, const char *spec, bool *ret, struct tn_err *err)
{
    struct tn_span text = tn_span_trim(tn_span_str(version)), rest = set_of(spec), part;
    struct tn_pep440 v;
    bool have_v = false, ok = true;
    if (rest.n > TN_MAX_SPEC_TEXT)
        return tn_err_set(err, TN_E_LIMIT, NULL, "version specifier of %zu bytes", rest.n);
    while (next_clause(&rest, &part)) {
        struct tn_pep440_clause c;
        int r = parse_clause(part, &c, err);
        if (r)
            return r;
        if (c.op == OP_ARBITRARY) {
            ok = ok && same_text(text, c.text);
            continue;
        }
        if (!have_v) {
            r = tn_version_pep440_parse(text, &v, err);
            if (r)
                return r;
            have_v = true;
        }
        ok = ok && ordered(&v, &c);
    }
    *ret = ok;
    return 0;
}

struct tn_pep440_clause *tn_version_pep440_set(struct tn_arena *mem, const char *spec, unsigned *ret_n)
{
    struct tn_span rest = set_of(spec), part;
    struct tn_pep440_clause *all = NULL;
    size_t n = 0, cap = 0;
    *ret_n = 0;
    for (; rest.n <= TN_MAX_SPEC_TEXT && next_clause(&rest, &part); n++) {
        if (n == cap)
            all = tn_arena_grow(mem, all, n, &cap, sizeof *all);
        if (parse_clause(part, &all[n], NULL) || all[n].op == OP_ARBITRARY)
            return NULL;
    }
    *ret_n = (unsigned)n;
    return n ? all : NULL;
}

bool tn_version_pep440_set_takes(const struct tn_pep440_clause *set, unsigned n, const struct tn_pep440 *v)
{
    for (unsigned i = 0; i < n; i++)
        if (!ordered(v, &set[i]))
            return false;
    return true;
}

bool tn_version_pep440_spec_names_pre(const char *spec)
{
    struct tn_span rest = set_of(spec), part;
    struct tn_pep440_clause c = {0};
    if (rest.n > TN_MAX_SPEC_TEXT)
        return false;
    while (next_clause(&rest, &part)) {
        if (parse_clause(part, &c, NULL) || c.op == OP_NE)
            continue;
        if (c.op == OP_ARBITRARY && tn_version_pep440_parse(c.text, &c.v, NULL))
            continue;
        if (tn_version_pep440_is_pre(&c.v))
            return true;
    }
    return false;
}
