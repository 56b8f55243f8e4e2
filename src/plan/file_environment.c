/* file_environment.c - conda's environment.yml.
 *
 * Sources: conda, docs "Managing environments" (name, channels, dependencies, a list "pip" within it); conda package
 * match specification: [channel::]name[ version[ build]], "name=1.2=build", "name[version='1.2',build='*cuda*']". The
 * file is read as the subset of YAML that base/conf.h holds: anchors, aliases and tags are outside, so nothing
 * multiplies. */
#include <string.h>

#include "base/conf.h"
#include "base/limits.h"
#include "base/str.h"
#include "plan/file.h"

/* What conda calls by another name, or what its name says of the build. */
static const struct conda_name {
    const char *conda, *name;
    bool gpu, cpu;
} names[] = {
    {"pytorch", "torch", false, false},
    {"pytorch-gpu", "torch", true, false},
    {"pytorch-cpu", "torch", false, true},
    {"tensorflow-gpu", "tensorflow", true, false},
    {"tensorflow-cpu", "tensorflow", false, true},
    {"tensorflow-eigen", "tensorflow", false, true},
    {"tensorflow-mkl", "tensorflow", false, true},
    {"onnxruntime-gpu", "onnxruntime", true, false},
};

static const char *const cuda_names[] = {"cudatoolkit", "cuda-version", "pytorch-cuda", "cuda-toolkit", "cuda", NULL};

struct match {
    const char *name, *version, *build;
};

static const char *cut(struct tn_arena *mem, const char *from, const char *to)
{
    while (to > from && to[-1] == ' ')
        to--;
    while (from < to && *from == ' ')
        from++;
    return tn_arena_strndup(mem, from, (size_t)(to - from));
}

/* The value of a key between brackets: [version='>=1,<2', build=*cuda*]; "" */
static const char *bracket(struct tn_arena *mem, const char *in, const char *key)
{
    size_t n = strlen(key);
    for (const char *p = in; (p = strstr(p, key)) != NULL; p += n) {
        const char *v = p + n;
        if ((p > in && p[-1] != ' ' && p[-1] != ',' && p[-1] != '[') || *v != '=')
            continue;
        v++;
        if (*v == '\'' || *v == '"') {
            const char *end = strchr(v + 1, *v);
            return end ? cut(mem, v + 1, end) : "";
        }
        return cut(mem, v, v + strcspn(v, ",]"));
    }
    return "";
}

static struct match take_apart(struct tn_arena *mem, const char *spec)
{
    struct match m = {"", "", ""};
    const char *sep = strstr(spec, "::");
    spec = sep ? sep + 2 : spec;
    size_t n = strcspn(spec, " =<>!~[");
    m.name = cut(mem, spec, spec + n);
    const char *p = spec + n + strspn(spec + n, " ");
    if (*p == '[') {
        m.version = bracket(mem, p, "version");
        m.build = bracket(mem, p, "build");
        return m;
    }
    bool fuzzy = *p == '=' && p[1] != '=';
    bool blank = p > spec + n && !strchr("=<>!~", *p); /* "name 1.2 build" */
    if (fuzzy)
        p++;
    bool ops = !fuzzy && !blank;
    size_t k = ops ? strcspn(p, "[") : strcspn(p, " =[");
    if (ops && tn_str_starts(p, "==")) /* "name==1.2=build" */
        k = 2 + strcspn(p + 2, " =[");
    m.version = cut(mem, p, p + k);
    const char *build = p + k + strspn(p + k, " =");
    m.build = ops && !tn_str_starts(p, "==") ? "" : cut(mem, build, build + strcspn(build, " ["));
    if (fuzzy && *m.version && !strpbrk(m.version, "*,<>!~|"))
        m.version = tn_arena_printf(mem, "==%s.*", m.version);
    else if (fuzzy && *m.version && strchr("<>!~", *m.version) == NULL)
        m.version = tn_arena_printf(mem, "==%s", m.version);
    return m;
}

/* As PEP 440 writes it; "1.2*" is "1.2.*", and a lone number "==". */
static const char *version_of(struct tn_arena *mem, const char *v)
{
    size_t n = strlen(v);
    if (!*v || tn_str_eq(v, "*"))
        return "";
    if (n > 1 && v[n - 1] == '*' && v[n - 2] != '.')
        v = tn_arena_printf(mem, "%.*s.*", (int)(n - 1), v);
    return tn_is_digit(*v) ? tn_arena_printf(mem, "==%s", v) : v;
}

/* "3.10" of "==3.10.*", or the whole. */
static const char *plain_of(struct tn_arena *mem, const char *v)
{
    size_t n = strlen(v);
    if (!tn_str_starts(v, "==") || strchr(v, ','))
        return v;
    return tn_arena_strndup(mem, v + 2, n - 2 - (tn_str_ends(v, ".*") ? 2 : 0));
}

void tn_file_conda_line(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned number, const char *spec)
{
    struct match m = take_apart(r->mem, spec);
    struct tn_span text = tn_span_str(spec);
    const char *version = version_of(r->mem, m.version);
    if (tn_str_eq(m.name, "python") || tn_str_in(m.name, cuda_names)) {
        bool python = tn_str_eq(m.name, "python");
        const char *plain = plain_of(r->mem, version);
        if (*plain && (python || tn_is_digit(*plain))) {
            struct tn_wish_line *l = tn_wish_line_add(r, f, python ? TN_LINE_PYTHON : TN_LINE_CUDA, number, text);
            l->spec = plain;
            l->conda = true;
        }
        return;
    }
    if (strchr(version, '|')) { /* conda's "or" has no counterpart */
        tn_wish_line_broken(r, f, number, text, "alternatives of versions are not read");
        return;
    }
    const struct conda_name *known = NULL;
    for (unsigned i = 0; i < TN_LEN(names); i++)
        if (tn_str_eq(names[i].conda, m.name))
            known = &names[i];
    size_t before = f->n;
    tn_wish_line_requirement(r, f, TN_LINE_WANT, number, text,
                             tn_span_str(tn_arena_printf(r->mem, "%s%s", known ? known->name : m.name, version)));
    if (f->n == before)
        return;
    struct tn_wish_line *l = &f->v[f->n - 1];
    l->conda = true;
    l->gpu = (known && known->gpu) || strstr(m.build, "cuda") || strstr(m.build, "gpu");
    l->cpu = (known && known->cpu) || strstr(m.build, "cpu") || strstr(m.build, "mkl") || strstr(m.build, "eigen");
}

int tn_file_environment(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret,
                        struct tn_err *err)
{
    struct tn_conf c;
    bool any = false;
    tn_conf_yaml(text, r->mem, &c);
    for (size_t i = 0; i < c.n; i++) {
        const struct tn_conf_item *it = &c.v[i];
        if (tn_str_eq(it->key, "dependencies"))
            tn_file_conda_line(r, ret, it->line, it->value);
        else if (tn_str_eq(it->key, "dependencies.pip"))
            tn_file_requirement_line(r, ret, it->line, tn_span_str(it->value));
        else if (tn_str_eq(it->key, "channels"))
            tn_wish_line_add(r, ret, TN_LINE_INDEX, it->line, tn_span_str(it->value))->spec = it->value;
        any = any || tn_str_starts(it->key, "dependencies") || tn_str_eq(it->key, "channels");
    }
    if (c.odd)
        tn_wish_line_broken(r, ret, c.odd, tn_span_str(""), "YAML that is not read here: anchors, tags, nested lists");
    if (!any)
        return tn_err_set(err, TN_E_FORMAT, r->name, "no environment.yml: it has no dependencies");
    return 0;
}
