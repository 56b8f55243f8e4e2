/* metadata.c - see metadata.h. */
#include "plan/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "version/wheeltag.h"

static bool value_of(struct tn_span line, const char *key, struct tn_span *ret)
{
    size_t n = strlen(key);
    if (line.n <= n || line.p[n] != ':')
        return false;
    for (size_t i = 0; i < n; i++)
        if (tn_lower((char)line.p[i]) != tn_lower(key[i]))
            return false;
    *ret = tn_span_trim(tn_span_from(line, n + 1));
    return true;
}

static const char *normal(struct tn_arena *mem, const char *name)
{
    char buf[TN_REQUIREMENT_NAME];
    return tn_version_normal_name(name, buf, sizeof buf, NULL) == 0 ? tn_arena_strdup(mem, buf) : "";
}

static int add_require(struct tn_arena *mem, struct tn_span v, struct tn_metadata *ret, struct tn_err *err)
{
    struct tn_requirement q;
    const char *s = tn_arena_strndup(mem, (const char *)v.p, v.n); /* the marker points into it */
    if (ret->n == TN_METADATA_MAX_REQUIRES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "METADATA has more than %u requirements", TN_METADATA_MAX_REQUIRES);
    if (tn_version_requirement_parse(s, &q, NULL) != 0) {
        ret->broken++;
        return 0;
    }
    if (ret->n == ret->cap)
        ret->v = tn_arena_grow(mem, ret->v, ret->n, &ret->cap, sizeof *ret->v);
    ret->v[ret->n++] = (struct tn_metadata_require){.name = tn_arena_strdup(mem, q.name),
                                                    .extras = *q.extras ? tn_arena_strdup(mem, q.extras) : "",
                                                    .spec = *q.spec ? tn_arena_strdup(mem, q.spec) : "",
                                                    .marker = q.marker};
    return 0;
}

static int take_line(struct tn_arena *mem, struct tn_span line, struct tn_metadata *ret, struct tn_err *err)
{
    struct tn_span v;
    if (line.n > TN_METADATA_MAX_LINE)
        return tn_err_set(err, TN_E_LIMIT, NULL, "METADATA has a line of %zu bytes", line.n);
    bool name = value_of(line, "Name", &v);
    if (name || value_of(line, "Version", &v) || value_of(line, "Requires-Python", &v)) {
        const char *text = tn_arena_strndup(mem, (const char *)v.p, v.n);
        if (name)
            ret->name = *ret->name ? ret->name : normal(mem, text);
        else if (tn_lower((char)line.p[0]) == 'v')
            ret->version = *ret->version ? ret->version : text;
        else
            ret->requires_python = text;
    } else if (value_of(line, "Provides-Extra", &v)) {
        const char *extra = normal(mem, tn_arena_strndup(mem, (const char *)v.p, v.n));
        if (*extra && ret->n_extra < TN_METADATA_MAX_EXTRAS)
            ret->extra[ret->n_extra++] = extra;
    } else if (value_of(line, "Requires-Dist", &v)) {
        return add_require(mem, v, ret, err);
    }
    return 0;
}

int tn_metadata_read(struct tn_arena *mem, struct tn_span text, struct tn_metadata *ret, struct tn_err *err)
{
    struct tn_span line;
    *ret = (struct tn_metadata){.name = "", .version = "", .requires_python = ""};
    if (text.n && memchr(text.p, 0, text.n))
        return tn_err_set(err, TN_E_FORMAT, NULL, "no METADATA: it holds a NUL byte");
    while (tn_span_line(&text, &line)) {
        if (!tn_span_trim(line).n) /* the description follows */
            break;
        if (line.p[0] == ' ' || line.p[0] == '\t')
            continue; /* goes on with a field above, of which none is read that does */
        int rc = take_line(mem, line, ret, err);
        if (rc)
            return rc;
    }
    if (!*ret->name || !*ret->version)
        return tn_err_set(err, TN_E_FORMAT, NULL, "no METADATA: it names no package and version");
    return 0;
}

bool tn_metadata_has_extra(const struct tn_metadata *m, const char *extra)
{
    for (unsigned i = 0; i < m->n_extra; i++)
        if (tn_str_eq(m->extra[i], extra))
            return true;
    return false;
}

/* Adds the words of a list to the extras that hold; each is there once, so that a circle ends. */
static void add_extras(struct tn_arena *mem, const char *words, const char **list, unsigned *n)
{
    for (words += strspn(words, " ,"); *words; words += strspn(words, " ,")) {
        size_t len = strcspn(words, " ,");
        const char *word = normal(mem, tn_arena_strndup(mem, words, len));
        bool there = !*word || *n == TN_METADATA_MAX_EXTRAS;
        for (unsigned i = 0; i < *n && !there; i++)
            there = tn_str_eq(list[i], word);
        if (!there)
            list[(*n)++] = word;
        words += len;
    }
}

void tn_metadata_wanted(struct tn_arena *mem, const struct tn_metadata *m, const struct tn_marker_env *env,
                        const char *extras, bool *ret)
{
    const char **list = tn_arena_array(mem, TN_METADATA_MAX_EXTRAS + 1, sizeof *list);
    unsigned n = 0;
    list[n++] = "";
    memset(ret, 0, m->n * sizeof *ret);
    add_extras(mem, extras, list, &n);
    for (unsigned k = 0; k < n; k++) {
        struct tn_marker_env one = *env;
        one.extra = list[k];
        for (size_t i = 0; i < m->n; i++) {
            if (ret[i] || (k && !m->v[i].marker.n) ||
                (m->v[i].marker.n && tn_version_marker(m->v[i].marker, &one) != TN_MARKER_YES))
                continue;
            ret[i] = true;
            if (tn_str_eq(m->v[i].name, m->name))
                add_extras(mem, m->v[i].extras, list, &n);
        }
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ">=1.26, <2" as "<2,>=1.26" */
static const char *sorted(struct tn_arena *mem, const char *spec)
{
    const char *part[64], *all = "";
    unsigned n = 0;
    char *plain = tn_arena_strdup(mem, spec), *out = plain;
    for (const char *s = spec; *s; s++)
        if (*s != ' ' && *s != '\t' && *s != '(' && *s != ')')
            *out++ = *s;
    *out = 0;
    while (*plain && n < TN_LEN(part)) {
        size_t len = strcspn(plain, ",");
        part[n++] = tn_arena_strndup(mem, plain, len);
        plain += len + (plain[len] == ',');
    }
    qsort(part, n, sizeof *part, by_text);
    for (unsigned i = 0; i < n; i++)
        all = tn_arena_printf(mem, "%s%s%s", all, i ? "," : "", part[i]);
    return all;
}

bool tn_metadata_same_spec(struct tn_arena *mem, const char *a, const char *b)
{
    return tn_str_eq(sorted(mem, a), sorted(mem, b));
}
