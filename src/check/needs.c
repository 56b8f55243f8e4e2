/* needs.c - see needs.h. */
#include "check/needs.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "version/pep440.h"

bool tn_needs_is_conda_record(const struct tn_rec_dist *d)
{
    return tn_says(d->place, "conda") || (tn_known(d->path) && tn_str_ends(d->path.v, ".json"));
}

/* Not what an interrupted removal left behind, and not what an earlier folder hides. */
static bool counts(const struct tn_judge *j, const struct tn_rec_dist *d)
{
    return tn_judge_sees(j, d->env) && tn_known(d->name) && !tn_is(d->hidden, 1) && !tn_says(d->damage, "leftover") &&
           !tn_says(d->damage, "no-metadata");
}

static struct tn_range dist_rows(const struct tn_judge *j)
{
    return j->rows ? j->rows->dist : (struct tn_range){0, j->s->dist.n};
}

static bool is_own(const struct tn_judge *j, const struct tn_rec_dist *d)
{
    return j->env && tn_known(j->env->id) && tn_says(d->env, j->env->id.v);
}

size_t tn_needs_have(const struct tn_judge *j, const char *name)
{
    struct tn_range r = dist_rows(j);
    size_t best = j->s->dist.n;
    int best_weight = -1;
    for (size_t i = r.from; i < r.to; i++) {
        const struct tn_rec_dist *d = &j->s->dist.v[i];
        if (!tn_known(d->name) || d->name.v[0] != name[0] || strcmp(d->name.v, name) != 0 || !counts(j, d))
            continue;
        int weight = 2 * is_own(j, d) + !tn_needs_is_conda_record(d);
        if (weight > best_weight) {
            best = i;
            best_weight = weight;
        }
    }
    return best;
}

const struct tn_rec_dist *tn_needs_dist(const struct tn_judge *j, size_t *row)
{
    struct tn_range r = dist_rows(j);
    for (*row = *row > r.from ? *row : r.from; *row < r.to;) {
        const struct tn_rec_dist *d = &j->s->dist.v[(*row)++];
        if (counts(j, d) && !tn_needs_is_conda_record(d) && tn_needs_have(j, d->name.v) == *row - 1)
            return d;
    }
    return NULL;
}

static const char *conda_name(const char *name)
{
    return strcmp(name, "torch") == 0 ? "pytorch" : name;
}

bool tn_needs_by_conda(const struct tn_judge *j, size_t row)
{
    const struct tn_rec_dist *d = &j->s->dist.v[row];
    struct tn_range r = dist_rows(j);
    if (tn_needs_is_conda_record(d))
        return true;
    for (size_t i = r.from; i < r.to; i++) {
        const struct tn_rec_dist *c = &j->s->dist.v[i];
        if (counts(j, c) && tn_needs_is_conda_record(c) && tn_known(d->name) &&
            strcmp(c->name.v, conda_name(d->name.v)) == 0)
            return !tn_known(c->version) || !tn_known(d->version) || !tn_needs_differ(c->version.v, d->version.v, 3);
    }
    return tn_says(d->installer, "conda");
}

bool tn_needs_is_tensorflow(const char *name)
{
    static const char *const names[] = {"tensorflow",
                                        "tensorflow-cpu",
                                        "tensorflow-gpu",
                                        "tensorflow-intel",
                                        "tensorflow-macos",
                                        "tensorflow-rocm",
                                        "tensorflow-cpu-aws",
                                        "tf-nightly",
                                        "tensorflow-aarch64",
                                        "intel-tensorflow",
                                        NULL};
    return tn_str_in(name, names);
}

const char *tn_needs_version(const struct tn_judge *j, size_t row)
{
    return row < j->s->dist.n ? tn_look_text(j->s->dist.v[row].version, "") : "";
}

bool tn_needs_differ(const char *a, const char *b, unsigned n)
{
    return tn_version_dotted_cmp_parts(a, b, n) != 0;
}

bool tn_needs_meets(const char *version, const char *spec)
{
    bool ok = true;
    return tn_version_pep440_match(version, spec, &ok, NULL) != 0 || ok;
}

/* "(<2.0, >=1.14.5)" -> "<2.0,>=1.14.5" */
static void clean(const char *spec, char *buf)
{
    size_t n = 0;
    for (; *spec; spec++)
        if (*spec != ' ' && *spec != '\t' && *spec != '(' && *spec != ')')
            buf[n++] = *spec;
    buf[n] = '\0';
}

/* The lower bound of a set of versions: of ==, >=, ~= and >. */
static void floor_of(const char *want, char *buf, size_t size)
{
    buf[0] = '\0';
    for (const char *p = want; p;) {
        const char *number = p + strcspn(p, "0123456789,");
        bool lower = *p == '=' || *p == '>' || *p == '~';
        if (lower && tn_is_digit(*number)) {
            size_t n = strspn(number, "0123456789.");
            while (n && number[n - 1] == '.')
                n--;
            if (n < size)
                snprintf(buf, size, "%.*s", (int)n, number);
        }
        p = strchr(p, ',');
        p = p ? p + 1 : NULL;
    }
}

/* Python's words for the machine that is described. */
static void fill_env(const struct tn_judge *j, struct tn_marker_env *e, char *minor, size_t size)
{
    const struct tn_rec_host *h = TN_THE(j->s, host);
    bool windows = tn_says(h->os, "windows"), mac = tn_says(h->os, "macos");
    const char *arch = tn_look_text(h->arch, NULL);
    *e = (struct tn_marker_env){0};
    if (j->env && tn_known(j->env->python)) {
        e->python_full_version = j->env->python.v;
        e->python_version = tn_version_dotted_head(j->env->python.v, 2, minor, size) ? minor : NULL;
    }
    if (tn_known(h->os)) {
        e->os_name = windows ? "nt" : "posix";
        e->sys_platform = windows ? "win32" : mac ? "darwin" : h->os.v;
        e->platform_system = windows ? "Windows" : mac ? "Darwin" : "Linux";
    }
    if (arch && windows)
        e->platform_machine = strcmp(arch, "x86_64") == 0 ? "AMD64" : strcmp(arch, "aarch64") == 0 ? "ARM64" : arch;
    else
        e->platform_machine = arch;
    e->implementation = "cpython";
}

static bool applies(const struct tn_judge *j, struct tn_span marker, const char *extras)
{
    struct tn_marker_env env;
    char minor[TN_DOTTED_TEXT], word[TN_REQUIREMENT_NAME];
    fill_env(j, &env, minor, sizeof minor);
    env.extra = "";
    if (tn_version_marker(marker, &env) == TN_MARKER_YES)
        return true;
    env.extra = word;
    while (tn_facts_list_next(&extras, word, sizeof word))
        if (tn_version_marker(marker, &env) == TN_MARKER_YES)
            return true;
    return false;
}

struct tn_needs tn_needs_of(const struct tn_judge *j, size_t who, const char *extras)
{
    return (struct tn_needs){j, who, extras, 0};
}

bool tn_needs_next(struct tn_needs *it, struct tn_need *ret)
{
    const struct tn_rec_dist *d = &it->j->s->dist.v[it->who];
    while (d->requires.k == TN_KNOWN && it->at < d->requires.n) {
        const char *text = d->requires.v[it->at++];
        if (tn_version_requirement_parse(text, &ret->q, NULL) || !applies(it->j, ret->q.marker, it->extras))
            continue;
        clean(ret->q.spec, ret->want);
        floor_of(ret->want, ret->floor, sizeof ret->floor);
        ret->who = it->who;
        ret->have = tn_needs_have(it->j, ret->q.name);
        const char *version = tn_needs_version(it->j, ret->have);
        ret->met = *version && tn_needs_meets(version, ret->want);
        ret->older = *version && !ret->met && *ret->floor && tn_version_dotted_cmp(version, ret->floor) < 0;
        return true;
    }
    return false;
}

/* "protobuf!=4.21.0,!=4.21.1,<5.0.0dev,>=3.20.3" -> "protobuf<5.0.0dev,>=3.20.3": what is left out in the middle is not
 * what anybody installs. */
static const char *name_and_want(struct tn_arena *mem, const char *name, const char *want)
{
    char *buf = tn_arena_array(mem, strlen(name) + strlen(want) + 1, 1);
    size_t n = strlen(name), head = n;
    memcpy(buf, name, n);
    for (const char *p = want; *p;) {
        size_t len = strcspn(p, ",");
        if (p[0] != '!') {
            if (n > head)
                buf[n++] = ',';
            memcpy(buf + n, p, len);
            n += len;
        }
        p += len + (p[len] == ',');
    }
    buf[n] = '\0';
    return buf;
}

void tn_needs_say(struct tn_sink *out, struct tn_finding *f, const struct tn_judge *j, size_t who, const char *name,
                  size_t have, const char *want)
{
    tn_find_arg(out, f, "package", "%s", tn_look_text(j->s->dist.v[who].name, "?"));
    tn_find_arg(out, f, "version", "%s", tn_needs_version(j, who));
    tn_find_arg(out, f, "needs", "%s", name);
    tn_find_arg(out, f, "have", "%s", tn_needs_version(j, have));
    tn_find_arg(out, f, "want", "%s", name_and_want(out->mem, name, want));
    tn_find_evidence(f, TN_REF(dist, who, version));
    tn_find_evidence(f, TN_REF(dist, who, requires));
    if (have < j->s->dist.n)
        tn_find_evidence(f, TN_REF(dist, have, version));
}

void tn_needs_remedy(struct tn_sink *out, struct tn_finding *f, const struct tn_judge *j, const char *name,
                     const char *want)
{
    struct tn_remedy *r = tn_find_remedy(out, f, "pin-package", tn_look_installer(j, name));
    tn_remedy_arg(out, r, "want", "%s", name_and_want(out->mem, name, want));
    tn_look_env_args(out, r, j);
}
