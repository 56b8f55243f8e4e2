/* framework_package_conflict.c - two packages bring one framework, or a name brings none.
 *
 * Packages such as tensorflow and tensorflow-cpu write the same folder; the one that was installed later has written
 * over the other, and removing either takes files of both (table package_names). Of one version the mixture mostly
 * works: a warning; of two it does not, nor does a CPU build over a GPU build. A package that asks for the other is its
 * shell: tensorflow for tensorflow-intel on Windows. What lies in different folders hides, but does not overwrite.
 *
 * Placeholders and withdrawn names (story 27) are errors where what was wanted is missing. Conda's metapackages
 * (tensorflow-gpu, pytorch-gpu) are no builds; conda keeps its own apart. pip over conda: framework-corrupt. */
#include <string.h>

#include "base/str.h"
#include "check/needs.h"
#include "facts/names.h"
#include "version/dotted.h"

static bool asks_for(const struct tn_judge *j, size_t who, const char *name)
{
    struct tn_need n;
    for (struct tn_needs it = tn_needs_of(j, who, ""); tn_needs_next(&it, &n);)
        if (strcmp(n.q.name, name) == 0)
            return true;
    return false;
}

/* The empty wheel of one name beside the full one that it asks for. */
static bool is_shell_of(const struct tn_judge *j, size_t who, size_t other)
{
    static const char *const full[] = {"tensorflow-intel", "tensorflow-cpu-aws", "tensorflow-macos", NULL};
    const char *name = j->s->dist.v[other].name.v;
    if (asks_for(j, who, name))
        return true;
    return j->s->dist.v[who].requires.k != TN_KNOWN && tn_str_in(name, full) &&
           !tn_needs_differ(tn_needs_version(j, who), tn_needs_version(j, other), 3);
}

static bool one_site(const struct tn_judge *j, size_t a, size_t b)
{
    struct tn_str x = j->s->dist.v[a].site, y = j->s->dist.v[b].site;
    return tn_says(j->s->dist.v[a].env, tn_look_text(j->s->dist.v[b].env, "")) &&
           (!tn_known(x) || !tn_known(y) || strcmp(x.v, y.v) == 0);
}

static bool is_damaged(const struct tn_judge *j, size_t row)
{
    return tn_says(j->s->dist.v[row].damage, "files-replaced") || tn_says(j->s->dist.v[row].damage, "files-missing");
}

/* Row of the framework that comes from this folder; framework.n if there is none. */
static size_t framework_of(const struct tn_judge *j, const char *folder)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));)
        if (tn_says(fw->name, folder))
            return row - 1;
    return j->s->framework.n;
}

static bool is_cpu_name(const char *name)
{
    static const char *const names[] = {"tensorflow-cpu",
                                        "tensorflow-intel",
                                        "tf-nightly-cpu",
                                        "intel-tensorflow",
                                        "onnxruntime",
                                        "onnxruntime-openvino",
                                        NULL};
    return tn_str_in(name, names);
}

static void report_pair(const struct tn_judge *j, struct tn_sink *out, size_t a, size_t b, const char *folder)
{
    const struct tn_rec_dist *x = &j->s->dist.v[a], *y = &j->s->dist.v[b];
    size_t fw = framework_of(j, folder);
    bool mixed = is_cpu_name(x->name.v) != is_cpu_name(y->name.v);
    bool cpu_won = mixed && fw < j->s->framework.n && tn_is(j->s->framework.v[fw].gpu_build, 0);
    bool differ =
        strcmp(folder, "tensorflow") == 0 && tn_needs_differ(tn_needs_version(j, a), tn_needs_version(j, b), 3);
    bool hurts = cpu_won || differ || is_damaged(j, a) || is_damaged(j, b);
    struct tn_finding *f = tn_find(out, hurts ? TN_CONFIRMED : TN_LIKELY, TN_REF(dist, a, name));
    f->variant = cpu_won ? "cpu" : hurts ? "mixed" : NULL;
    if (!hurts)
        f->severity = TN_WARNING;
    const struct tn_rec_dist *keep = is_cpu_name(x->name.v) ? y : x;
    tn_find_arg(out, f, "package", "%s", x->name.v);
    tn_find_arg(out, f, "version", "%s", tn_needs_version(j, a));
    tn_find_arg(out, f, "other", "%s", y->name.v);
    tn_find_arg(out, f, "other_version", "%s", tn_needs_version(j, b));
    tn_find_arg(out, f, "folder", "%s", folder);
    tn_find_evidence(f, TN_REF(dist, a, version));
    tn_find_evidence(f, TN_REF(dist, b, version));
    if (cpu_won)
        tn_find_evidence(f, TN_REF(framework, fw, gpu_build));
    if (is_damaged(j, a))
        tn_find_evidence(f, TN_REF(dist, a, damage));
    if (is_damaged(j, b))
        tn_find_evidence(f, TN_REF(dist, b, damage));
    struct tn_remedy *r = tn_find_remedy(out, f, "keep-one-build", NULL);
    tn_remedy_arg(out, r, "package", "%s", x->name.v);
    tn_remedy_arg(out, r, "other", "%s", y->name.v);
    tn_remedy_arg(out, r, "want", "%s==%s", keep->name.v, tn_look_text(keep->version, ""));
    tn_look_env_args(out, r, j);
}

static void judge_pairs(const struct tn_judge *j, struct tn_sink *out, size_t a, const char *folder)
{
    size_t row = a + 1;
    for (const struct tn_rec_dist *d; (d = tn_needs_dist(j, &row));) {
        struct tn_facts_package other;
        size_t b = row - 1;
        if (tn_facts_package_name(d->name.v, tn_needs_version(j, b), &other) && strcmp(other.kind, "build") == 0 &&
            strcmp(other.folder, folder) == 0 && one_site(j, a, b) && !is_shell_of(j, a, b) && !is_shell_of(j, b, a))
            report_pair(j, out, a, b, folder);
    }
}

/* Is what the name promises there from another package? */
static bool has_instead(const struct tn_judge *j, const char *name, const struct tn_facts_package *n)
{
    char plain[64];
    size_t len = strlen(name);
    if (*n->instead)
        return tn_needs_have(j, n->instead) < j->s->dist.n;
    if (strcmp(n->kind, "stub") != 0 || len < 5 || len - 5 >= sizeof plain)
        return false;
    memcpy(plain, name, len - 5); /* without -cu13 */
    plain[len - 5] = '\0';
    return tn_needs_have(j, plain) < j->s->dist.n;
}

static void judge_name(const struct tn_judge *j, struct tn_sink *out, size_t row, const struct tn_facts_package *n)
{
    const struct tn_rec_dist *d = &j->s->dist.v[row];
    bool there = has_instead(j, d->name.v, n), framework = *n->instead && !there;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(dist, row, name));
    f->variant = strcmp(n->kind, "withdrawn") == 0 ? "withdrawn" : "placeholder";
    f->severity = there ? TN_NOTE : framework ? TN_ERROR : TN_WARNING;
    tn_find_arg(out, f, "package", "%s", d->name.v);
    tn_find_arg(out, f, "version", "%s", tn_needs_version(j, row));
    tn_find_evidence(f, TN_REF(dist, row, name));
    tn_find_evidence(f, TN_REF(dist, row, version));
    struct tn_remedy *r = tn_find_remedy(out, f, "replace-package", framework ? "instead" : "");
    tn_remedy_arg(out, r, "package", "%s", d->name.v);
    tn_remedy_arg(out, r, "want", "%s", framework ? n->instead : "");
    tn_look_env_args(out, r, j);
}

/* Each plug-in registers itself as the one platform "cuda" (jax_plugins/cuda/__init__.py @ cec06d116c): one is used. */
static void judge_plugins(const struct tn_judge *j, struct tn_sink *out)
{
    static const char *const names[] = {"jax-cuda11-plugin", "jax-cuda12-plugin", "jax-cuda13-plugin"};
    size_t first = j->s->dist.n;
    for (size_t i = 0; i < TN_LEN(names); i++) {
        size_t row = tn_needs_have(j, names[i]);
        if (row == j->s->dist.n)
            continue;
        if (first == j->s->dist.n) {
            first = row;
            continue;
        }
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(dist, row, name));
        f->variant = "plugins";
        f->severity = TN_WARNING;
        tn_find_arg(out, f, "package", "%s", j->s->dist.v[first].name.v);
        tn_find_arg(out, f, "other", "%s", j->s->dist.v[row].name.v);
        tn_find_evidence(f, TN_REF(dist, first, name));
        tn_find_evidence(f, TN_REF(dist, row, name));
        struct tn_remedy *r = tn_find_remedy(out, f, "replace-package", "");
        tn_remedy_arg(out, r, "package", "%s", j->s->dist.v[first].name.v);
        tn_remedy_arg(out, r, "want", "%s", "");
        tn_look_env_args(out, r, j);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_dist *d; (d = tn_needs_dist(j, &row));) {
        struct tn_facts_package n;
        size_t at = row - 1;
        if (tn_facts_package_name(d->name.v, tn_needs_version(j, at), &n)) {
            if (strcmp(n.kind, "build") == 0)
                judge_pairs(j, out, at, n.folder);
            else if (strcmp(n.kind, "helper") != 0)
                judge_name(j, out, at, &n);
        }
    }
    judge_plugins(j, out);
}

TN_CHECK(framework_package_conflict, "framework-package-conflict", run, .needs = TN_NEEDS_FRAMEWORK);
