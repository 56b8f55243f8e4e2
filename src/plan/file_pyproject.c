/* file_pyproject.c - pyproject.toml: [project] (PEP 621), dependency groups (PEP 735), [tool.poetry], [tool.uv]; and
 * the locks of uv, Poetry and pylock.toml (PEP 751), of which only names and versions are read.
 *
 * Sources: the specifications named; Poetry, docs "Dependency specification": ^1.2 is >=1.2,<2; ~1.2 is >=1.2,<1.3. */
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/limits.h"
#include "base/str.h"
#include "plan/file.h"
#include "version/dotted.h"

static bool in_words(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; n && (p = strstr(p, word)) != NULL; p += n)
        if ((p == words || p[-1] == ' ' || p[-1] == ',') && (!p[n] || p[n] == ' ' || p[n] == ','))
            return true;
    return false;
}

/* The version whose part number `at` is one more: 1.2.3, 1 -> 1.3 */
static const char *above(struct tn_arena *mem, const char *v, unsigned at)
{
    const char *ret = "";
    for (unsigned i = 0; i <= at; i++) {
        ret = tn_arena_printf(mem, "%s%s%lu", ret, *ret ? "." : "", strtoul(v, NULL, 10) + (i == at));
        v += strcspn(v, ".");
        v += *v == '.';
    }
    return ret;
}

/* Poetry's constraint as PEP 440. */
static const char *of_poetry(struct tn_arena *mem, const char *v)
{
    const char *ret = "";
    while (*v) {
        size_t n = strcspn(v, ","), lead = strspn(v, " ");
        const char *one = tn_arena_strndup(mem, v + lead, n - lead);
        v += n + (v[n] == ',');
        const char *bare = one + strspn(one, "^~ ");
        unsigned count = tn_version_dotted_ok(bare) ? tn_version_dotted_count(bare) : 0;
        if ((*one == '^' || (*one == '~' && one[1] != '=')) && count) {
            unsigned at = *one == '^' ? 0 : count > 1 ? 1 : 0;
            for (const char *p = bare; *one == '^' && *p == '0' && at + 1 < count; at++) /* ^0.4 is <0.5 */
                p += strcspn(p, ".") + 1;
            one = tn_arena_printf(mem, ">=%s,<%s", bare, above(mem, bare, at));
        } else if (tn_is_digit(*one)) {
            one = tn_arena_printf(mem, "==%s", one);
        } else if (tn_str_eq(one, "*")) {
            one = "";
        }
        if (*one)
            ret = tn_arena_printf(mem, "%s%s%s", ret, *ret ? "," : "", one);
    }
    return ret;
}

static void want(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line, const char *text,
                 const char *group)
{
    size_t before = f->n;
    tn_wish_line_requirement(r, f, TN_LINE_WANT, line, tn_span_str(text), tn_span_str(text));
    if (f->n > before && *group && !in_words(r->extras, group)) {
        f->v[f->n - 1].marker = TN_MARKER_NO;
        f->v[f->n - 1].note = tn_arena_printf(r->mem, "of the group %s", group);
    }
}

/* tensorflow = "^2.15" | {version = "2.15", extras = ["and-cuda"]}: each member comes as an item of its own. */
static void poetry(const struct tn_wish_reader *r, struct tn_wish_file *f, const struct tn_conf *c, size_t *i,
                   const char *group)
{
    const struct tn_conf_item *it = &c->v[*i];
    size_t n = strcspn(it->key, ".");
    const char *name = tn_arena_strndup(r->mem, it->key, n), *version = "", *extras = "", *marker = "";
    bool optional = false;
    for (; *i < c->n; ++*i) {
        const struct tn_conf_item *m = &c->v[*i];
        if (m->section != it->section || strncmp(m->key, name, n) != 0 || (m->key[n] && m->key[n] != '.'))
            break;
        if (!m->key[n] || tn_str_eq(m->key + n, ".version"))
            version = m->value;
        else if (tn_str_eq(m->key + n, ".extras"))
            extras = tn_arena_printf(r->mem, "%s%s%s", extras, *extras ? "," : "", m->value);
        else if (tn_str_eq(m->key + n, ".optional"))
            optional = tn_str_eq(m->value, "true");
        else if (tn_str_eq(m->key + n, ".markers"))
            marker = tn_arena_printf(r->mem, " ; %s", m->value);
    }
    --*i;
    if (tn_str_eq(name, "python")) {
        struct tn_wish_line *l = tn_wish_line_add(r, f, TN_LINE_PYTHON, it->line, tn_span_str(version));
        l->spec = of_poetry(r->mem, version);
        return;
    }
    want(r, f, it->line,
         tn_arena_printf(r->mem, "%s%s%s%s%s%s", name, *extras ? "[" : "", extras, *extras ? "]" : "",
                         of_poetry(r->mem, version), marker),
         optional && !*group ? name : group);
}

/* The groups that those bring along which are wanted: {include-group = "b"}, "this[b]". Each is taken once, so that a
 * circle ends. */
static const char *all_groups(const struct tn_wish_reader *r, const struct tn_conf *c)
{
    const char *groups = r->extras, *name = "";
    bool more = *groups;
    for (size_t i = 0; i < c->n; i++)
        if (tn_str_eq(c->v[i].section, "project") && tn_str_eq(c->v[i].key, "name"))
            name = c->v[i].value;
    while (more) {
        more = false;
        for (size_t i = 0; i < c->n; i++) {
            const struct tn_conf_item *it = &c->v[i];
            size_t n = strcspn(it->key, "."), own = strlen(name);
            const char *add = "";
            if (!in_words(groups, tn_arena_strndup(r->mem, it->key, n)))
                continue;
            if (tn_str_eq(it->section, "dependency-groups") && tn_str_eq(it->key + n, ".include-group"))
                add = it->value;
            else if (tn_str_eq(it->section, "project.optional-dependencies") && own &&
                     strncmp(it->value, name, own) == 0 && it->value[own] == '[')
                add = tn_arena_strndup(r->mem, it->value + own + 1, strcspn(it->value + own + 1, "]"));
            if (!*add || in_words(groups, add) || strlen(groups) > TN_MAX_WISH_LINE)
                continue;
            groups = tn_arena_printf(r->mem, "%s,%s", groups, add);
            more = true;
        }
    }
    return groups;
}

static bool has_group(const struct tn_conf *c, const char *group)
{
    size_t n = strlen(group);
    for (size_t i = 0; i < c->n; i++) {
        const char *key = c->v[i].key, *s = c->v[i].section;
        if (tn_str_starts(key, "optional-dependencies."))
            key += strlen("optional-dependencies.");
        if ((strncmp(key, group, n) == 0 && (!key[n] || key[n] == '.')) ||
            (tn_str_starts(s, "tool.poetry.group.") && strncmp(s + 18, group, n) == 0 && s[18 + n] == '.'))
            return true;
    }
    return tn_str_eq(group, "dev");
}

/* Groups that were asked for and that the file does not have. */
static void name_missing(const struct tn_wish_reader *r, const struct tn_conf *c, struct tn_wish_file *f)
{
    for (const char *p = r->extras; *p;) {
        size_t n = strcspn(p, ", ");
        const char *one = tn_arena_strndup(r->mem, p, n);
        if (n && !has_group(c, one))
            tn_wish_line_broken(r, f, 0, tn_span_str(tn_arena_printf(r->mem, "[%s]", one)), "there is no such group");
        p += n + (p[n] != '\0');
    }
}

int tn_file_pyproject(const struct tn_wish_reader *given, struct tn_span text, struct tn_wish_file *ret,
                      struct tn_err *err)
{
    struct tn_conf c;
    bool any = false;
    tn_conf_toml(text, given->mem, &c);
    struct tn_wish_reader with_groups = *given, *r = &with_groups;
    with_groups.extras = all_groups(given, &c);
    for (size_t i = 0; i < c.n; i++) {
        const struct tn_conf_item *it = &c.v[i];
        const char *s = it->section;
        any = any || tn_str_starts(s, "project") || tn_str_starts(s, "tool.") || tn_str_eq(s, "dependency-groups");
        if (tn_str_eq(s, "project") && tn_str_eq(it->key, "dependencies")) {
            want(r, ret, it->line, it->value, "");
        } else if (tn_str_eq(s, "project") && tn_str_eq(it->key, "requires-python")) {
            tn_wish_line_add(r, ret, TN_LINE_PYTHON, it->line, tn_span_str(it->value))->spec = it->value;
        } else if (tn_str_eq(s, "project") && tn_str_eq(it->key, "dynamic")) {
            if (tn_str_eq(it->value, "dependencies")) {
                struct tn_wish_line *l = tn_wish_line_add(r, ret, TN_LINE_FILE, it->line, tn_span_str("dependencies"));
                l->note = "made when the project is built: not read";
                l->open = true;
            }
        } else if (tn_str_eq(s, "dependency-groups") && tn_str_ends(it->key, ".include-group")) {
            continue;
        } else if (tn_str_eq(s, "project.optional-dependencies") || tn_str_eq(s, "dependency-groups")) {
            want(r, ret, it->line, it->value, it->key);
        } else if (tn_str_eq(s, "project") && tn_str_starts(it->key, "optional-dependencies.")) {
            want(r, ret, it->line, it->value, it->key + 22);
        } else if (tn_str_eq(s, "tool.poetry.dependencies")) {
            poetry(r, ret, &c, &i, "");
        } else if (tn_str_starts(s, "tool.poetry.group.") && tn_str_ends(s, ".dependencies")) {
            poetry(r, ret, &c, &i, tn_arena_strndup(r->mem, s + 18, strlen(s) - 18 - 13));
        } else if (tn_str_eq(s, "tool.uv") && tn_str_eq(it->key, "dev-dependencies")) {
            want(r, ret, it->line, it->value, "dev");
        } else if (tn_str_eq(s, "tool.uv.index") && tn_str_eq(it->key, "url")) {
            tn_wish_line_add(r, ret, TN_LINE_INDEX, it->line, tn_span_str(it->value))->spec = it->value;
        }
    }
    name_missing(given, &c, ret);
    if (c.odd)
        tn_wish_line_broken(r, ret, c.odd, tn_span_str(""), "this is no TOML, or more of it than is read");
    if (!any)
        return tn_err_set(err, TN_E_FORMAT, r->name, "no pyproject.toml: neither [project] nor [tool]");
    return 0;
}

/* name = "torch": the text between the quotes. */
static bool quoted(struct tn_span line, const char *key, struct tn_span *ret)
{
    size_t n = strlen(key);
    if (!tn_span_starts(line, key))
        return false;
    struct tn_span v = tn_span_trim(tn_span_from(line, n));
    if (v.n < 3 || v.p[0] != '=')
        return false;
    v = tn_span_trim(tn_span_from(v, 1));
    if (v.n < 2 || v.p[0] != '"' || v.p[v.n - 1] != '"' || v.n > TN_MAX_WISH_TEXT)
        return false;
    *ret = tn_span_of(v.p + 1, v.n - 2);
    return true;
}

/* Machines write locks: a table [[package]] each, its name and version on lines of their own. */
int tn_file_lock(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret, struct tn_err *err)
{
    struct tn_span line, name = {0}, v;
    unsigned number = 0;
    bool in = false, any = false;
    while (!ret->cut && tn_span_line(&text, &line)) {
        number++;
        if (tn_span_starts(line, "[")) {
            in = tn_span_starts(line, "[[package]]") || tn_span_starts(line, "[[packages]]");
            any = any || in;
            name.n = 0;
        } else if (quoted(line, "requires-python", &v)) {
            tn_wish_line_add(r, ret, TN_LINE_PYTHON, number, line)->spec =
                tn_arena_strndup(r->mem, (const char *)v.p, v.n);
        } else if (in && quoted(line, "name", &v)) {
            name = v;
        } else if (in && name.n && quoted(line, "version", &v)) {
            const char *spec =
                tn_arena_printf(r->mem, "%.*s==%.*s", (int)name.n, (const char *)name.p, (int)v.n, (const char *)v.p);
            tn_wish_line_requirement(r, ret, TN_LINE_WANT, number, tn_span_str(spec), tn_span_str(spec));
            in = false;
        }
    }
    /* one name twice: for different systems, which is in markers that are not read */
    for (size_t i = 1; i < ret->n; i++) {
        size_t a = strcspn(ret->v[i].spec, "=[");
        if (strncmp(ret->v[i].spec, ret->v[i - 1].spec, a) == 0 && strchr("=[", ret->v[i - 1].spec[a]))
            ret->v[i].marker = ret->v[i - 1].marker = TN_MARKER_UNKNOWN;
    }
    return any ? 0 : tn_err_set(err, TN_E_FORMAT, r->name, "no lock: it has no packages");
}
