/* requirement.c - see requirement.h. */
#include "version/requirement.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "version/pep440.h"
#include "version/wheeltag.h"

#define MAX_DEPTH 16u /* parentheses of a marker; real ones have two */

static struct tn_span skip_blanks(struct tn_span s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = tn_span_from(s, 1);
    return s;
}

static bool copy(struct tn_span s, char *buf, size_t size)
{
    s = tn_span_trim(s);
    if (s.n >= size || memchr(s.p, 0, s.n))
        return false;
    memcpy(buf, s.p, s.n);
    buf[s.n] = '\0';
    return true;
}

static bool is_name_char(unsigned char c)
{
    return tn_is_alpha((char)c) || tn_is_digit((char)c) || c == '-' || c == '_' || c == '.';
}

static int take_name(struct tn_span *s, char *buf, size_t size, struct tn_err *err)
{
    char raw[TN_REQUIREMENT_NAME];
    size_t n = 0;
    *s = skip_blanks(*s);
    while (n < s->n && is_name_char(s->p[n]))
        n++;
    if (n == 0 || n >= sizeof raw)
        return tn_err_set(err, n ? TN_E_LIMIT : TN_E_FORMAT, NULL, "no name of a package");
    memcpy(raw, s->p, n);
    raw[n] = '\0';
    *s = skip_blanks(tn_span_from(*s, n));
    return tn_version_normal_name(raw, buf, size, err);
}

/* "[a, b]" -> "a b" */
static int take_extras(struct tn_span *s, char *buf, size_t size, struct tn_err *err)
{
    size_t n = 0;
    buf[0] = '\0';
    if (s->n == 0 || s->p[0] != '[')
        return 0;
    *s = skip_blanks(tn_span_from(*s, 1));
    while (s->n && s->p[0] != ']') {
        char one[TN_REQUIREMENT_NAME];
        int r = take_name(s, one, sizeof one, err);
        if (r)
            return r;
        if (n + strlen(one) + 2 > size)
            return tn_err_set(err, TN_E_LIMIT, NULL, "too many extras");
        n += (size_t)snprintf(buf + n, size - n, n ? " %s" : "%s", one);
        if (s->n && s->p[0] == ',')
            *s = skip_blanks(tn_span_from(*s, 1));
    }
    if (s->n == 0)
        return tn_err_set(err, TN_E_FORMAT, NULL, "extras without an end");
    *s = skip_blanks(tn_span_from(*s, 1));
    return 0;
}

int tn_version_requirement_parse(const char *text, struct tn_requirement *ret, struct tn_err *err)
{
    struct tn_requirement q;
    struct tn_span s = tn_span_str(text);
    bool ok;
    int r = take_name(&s, q.name, sizeof q.name, err);
    if (r == 0)
        r = take_extras(&s, q.extras, sizeof q.extras, err);
    if (r)
        return r;
    const unsigned char *semicolon = memchr(s.p, ';', s.n);
    size_t n = semicolon ? (size_t)(semicolon - s.p) : s.n;
    struct tn_span spec = tn_span_of(s.p, n);
    q.marker = semicolon ? tn_span_trim(tn_span_from(s, n + 1)) : tn_span_of(s.p + n, 0);
    q.url = spec.n && spec.p[0] == '@';
    if (q.url)
        spec = tn_span_of(spec.p, 0);
    if (!copy(spec, q.spec, sizeof q.spec))
        return tn_err_set(err, TN_E_LIMIT, NULL, "versions of %zu bytes", spec.n);
    r = tn_version_pep440_match("1", q.spec, &ok, err);
    if (r == 0)
        *ret = q;
    return r;
}

/* Markers: or_expr = and_expr ("or" and_expr)*; and_expr = atom ("and" atom)*; atom = "(" or_expr ")" | value op value.
 * A part that is malformed ends the reading: the whole is unknown. */
struct reader {
    struct tn_span rest;
    const struct tn_marker_env *env;
    bool bad;
};

struct value {
    bool known, literal;
    bool is_extra;
    char text[TN_REQUIREMENT_NAME];
};

static bool take_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    r->rest = skip_blanks(r->rest);
    if (!tn_span_starts(r->rest, word) || (tn_is_alpha(word[0]) && r->rest.n > n && is_name_char(r->rest.p[n])))
        return false;
    r->rest = tn_span_from(r->rest, n);
    return true;
}

static void set_text(struct value *v, const char *text)
{
    v->known = text != NULL && strlen(text) < sizeof v->text;
    if (v->known)
        snprintf(v->text, sizeof v->text, "%s", text);
}

static void take_variable(struct reader *r, struct value *v)
{
    const struct tn_marker_env *e = r->env;
    const struct {
        const char *name, *value;
    } all[] = {{"python_version", e->python_version},
               {"python_full_version", e->python_full_version},
               {"os_name", e->os_name},
               {"os.name", e->os_name},
               {"sys_platform", e->sys_platform},
               {"sys.platform", e->sys_platform},
               {"platform_system", e->platform_system},
               {"platform_machine", e->platform_machine},
               {"platform.machine", e->platform_machine},
               {"implementation_name", e->implementation},
               {"platform_python_implementation",
                e->implementation && strcmp(e->implementation, "cpython") == 0 ? "CPython" : NULL},
               {"implementation_version", e->python_full_version},
               {"extra", e->extra},
               {"platform_release", NULL},
               {"platform_version", NULL}};
    for (size_t i = 0; i < TN_LEN(all); i++)
        if (take_word(r, all[i].name)) {
            set_text(v, all[i].value);
            v->is_extra = strcmp(all[i].name, "extra") == 0;
            return;
        }
    r->bad = true;
}

static void take_value(struct reader *r, struct value *v)
{
    memset(v, 0, sizeof *v);
    r->rest = skip_blanks(r->rest);
    if (r->rest.n == 0) {
        r->bad = true;
    } else if (r->rest.p[0] == '\'' || r->rest.p[0] == '"') {
        const unsigned char *end = memchr(r->rest.p + 1, r->rest.p[0], r->rest.n - 1);
        size_t n = end ? (size_t)(end - r->rest.p) - 1 : 0;
        v->literal = v->known = true;
        r->bad |= end == NULL || !copy(tn_span_of(r->rest.p + 1, n), v->text, sizeof v->text);
        r->rest = tn_span_from(r->rest, end ? n + 2 : r->rest.n);
    } else {
        take_variable(r, v);
    }
}

static const char *take_op(struct reader *r)
{
    static const char *const ops[] = {"===", "==", "~=", "!=", "<=", ">=", "<", ">", "in", NULL};
    for (const char *const *p = ops; *p; p++)
        if (take_word(r, *p))
            return *p;
    if (take_word(r, "not") && take_word(r, "in"))
        return "not in";
    r->bad = true;
    return "==";
}

static bool normal(const char *text, char *buf, size_t n)
{
    return tn_version_normal_name(text, buf, n, NULL) == 0;
}

static bool compare(const struct value *a, const char *op, const struct value *b)
{
    char spec[TN_REQUIREMENT_NAME + 8], x[TN_REQUIREMENT_NAME], y[TN_REQUIREMENT_NAME];
    bool ok;
    struct tn_pep440 parsed;
    if (strcmp(op, "in") == 0 || strcmp(op, "not in") == 0)
        return (strstr(b->text, a->text) != NULL) == (op[0] == 'i');
    snprintf(spec, sizeof spec, "%s%s", op, b->text);
    if (!a->is_extra && !b->is_extra && tn_version_pep440_parse(tn_span_str(a->text), &parsed, NULL) == 0 &&
        tn_version_pep440_match(a->text, spec, &ok, NULL) == 0)
        return ok;
    int order = strcmp(a->text, b->text);
    if ((a->is_extra || b->is_extra) && normal(a->text, x, sizeof x) && normal(b->text, y, sizeof y))
        order = strcmp(x, y);
    if (op[0] == '!')
        return order != 0;
    if (op[0] == '<')
        return order < 0 || (op[1] && order == 0);
    if (op[0] == '>')
        return order > 0 || (op[1] && order == 0);
    return order == 0;
}

static enum tn_marker_truth or_expr(struct reader *r, unsigned depth);

static enum tn_marker_truth atom(struct reader *r, unsigned depth)
{
    struct value a, b;
    if (r->bad || depth >= MAX_DEPTH) {
        r->bad = true;
        return TN_MARKER_UNKNOWN;
    }
    if (take_word(r, "(")) {
        enum tn_marker_truth t = or_expr(r, depth + 1);
        r->bad |= !take_word(r, ")");
        return t;
    }
    take_value(r, &a);
    const char *op = take_op(r);
    take_value(r, &b);
    if (r->bad || !a.known || !b.known)
        return TN_MARKER_UNKNOWN;
    return compare(&a, op, &b) ? TN_MARKER_YES : TN_MARKER_NO;
}

static enum tn_marker_truth and_expr(struct reader *r, unsigned depth)
{
    enum tn_marker_truth all = atom(r, depth);
    while (!r->bad && take_word(r, "and")) {
        enum tn_marker_truth t = atom(r, depth);
        if (t == TN_MARKER_NO || all == TN_MARKER_NO)
            all = TN_MARKER_NO;
        else if (t == TN_MARKER_UNKNOWN)
            all = TN_MARKER_UNKNOWN;
    }
    return all;
}

static enum tn_marker_truth or_expr(struct reader *r, unsigned depth)
{
    enum tn_marker_truth any = and_expr(r, depth);
    while (!r->bad && take_word(r, "or")) {
        enum tn_marker_truth t = and_expr(r, depth);
        if (t == TN_MARKER_YES || any == TN_MARKER_YES)
            any = TN_MARKER_YES;
        else if (t == TN_MARKER_UNKNOWN)
            any = TN_MARKER_UNKNOWN;
    }
    return any;
}

static enum tn_marker_truth read_marker(struct tn_span marker, const struct tn_marker_env *env, bool *ret_ok)
{
    struct reader r = {tn_span_trim(marker), env, false};
    *ret_ok = true;
    if (r.rest.n == 0)
        return TN_MARKER_YES;
    enum tn_marker_truth t = or_expr(&r, 0);
    *ret_ok = !r.bad && skip_blanks(r.rest).n == 0;
    return *ret_ok ? t : TN_MARKER_UNKNOWN;
}

enum tn_marker_truth tn_version_marker(struct tn_span marker, const struct tn_marker_env *env)
{
    bool ok;
    return read_marker(marker, env, &ok);
}

bool tn_version_marker_ok(struct tn_span marker)
{
    const struct tn_marker_env nothing = {0};
    bool ok;
    read_marker(marker, &nothing, &ok);
    return ok;
}
