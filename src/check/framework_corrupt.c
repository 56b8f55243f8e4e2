/* framework_corrupt.c - an installation that is not whole: files of its own record are gone or empty, two records of
 * one package lie in one folder, or the interpreter of the environment is no longer there.
 *
 * Sources: PyPA "Recording installed projects" (RECORD lists every file of a package; pip removes by it), PEP 405 (a
 * virtual environment starts the interpreter of its base), pip's "Ignoring invalid distribution -orch" (remains that
 * pip moved aside, harmless). A file of another size is no proof: images are stripped of symbols; and pip over conda
 * works as long as nobody asks conda. Both are notes. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "snapshot/packages.h"

static void remedy(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const struct tn_rec_dist *d)
{
    const char *version = tn_look_text(d->version, ""), *local = strchr(version, '+');
    bool conda = tn_says(d->installer, "conda"), torch = local && tn_str_starts(d->name.v, "torch");
    struct tn_remedy *r = tn_find_remedy(out, f, "reinstall-files",
                                         conda   ? "conda"
                                         : torch ? "torch"
                                         : local ? "any"
                                                 : "pip");
    tn_remedy_arg(out, r, "package", "%s", d->name.v);
    tn_remedy_arg(out, r, "version", "%.*s", (int)strcspn(version, "+"), version);
    tn_remedy_arg(out, r, "flavour", "%s", local ? local + 1 : "");
    tn_look_env_args(out, r, j);
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *variant,
                   enum tn_severity severity, enum tn_status status)
{
    const struct tn_rec_dist *d = &j->s->dist.v[row];
    struct tn_finding *f = tn_find(out, status, TN_REF(dist, row, damage));
    f->variant = variant;
    f->severity = severity;
    tn_find_arg(out, f, "package", "%s", d->name.v);
    tn_find_arg(out, f, "version", "%s", tn_look_text(d->version, "?"));
    tn_find_arg(out, f, "path", "%s", tn_look_text(d->damaged_path, tn_look_text(d->path, "?")));
    tn_find_evidence(f, TN_REF(dist, row, damage));
    tn_find_evidence(f, TN_REF(dist, row, damaged_path));
    tn_find_evidence(f, TN_REF(dist, row, version));
    if (severity != TN_NOTE)
        remedy(j, out, f, d);
}

/* Without a GPU nobody loads NVIDIA's libraries. */
static enum tn_severity weight(const struct tn_judge *j, const char *name)
{
    return j->expect == TN_EXPECT_CPU && tn_str_starts(name, "nvidia-") ? TN_NOTE : TN_ERROR;
}

static void look_dist(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_dist *d = &j->s->dist.v[row];
    if (!tn_known(d->name) || !tn_known(d->damage) || tn_is(d->hidden, 1) || !tn_package_is_framework(d->name.v))
        return;
    if (tn_says(d->damage, "files-missing"))
        report(j, out, row, NULL, weight(j, d->name.v), TN_CONFIRMED);
    else if (tn_says(d->damage, "files-empty"))
        report(j, out, row, "empty", weight(j, d->name.v), TN_CONFIRMED);
    else if (tn_says(d->damage, "doubled"))
        report(j, out, row, "doubled", TN_WARNING, TN_LIKELY);
    else if (tn_says(d->damage, "files-replaced"))
        report(j, out, row, tn_says(d->place, "conda") ? "conda-pip" : "replaced", TN_NOTE, TN_POSSIBLE);
    else if (tn_says(d->damage, "leftover"))
        report(j, out, row, "leftover", TN_NOTE, TN_CONFIRMED);
}

/* The program of a virtual environment is a link into its base: removed or upgraded there, dead here. */
static void look_interpreter(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_env *e = j->env;
    if (!tn_says(e->kind, "venv") || e->interpreter.k != TN_ABSENT || !tn_known(e->path))
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(env, j->env_row, interpreter));
    f->variant = "no-interpreter";
    tn_find_arg(out, f, "prefix", "%s", e->path.v);
    tn_find_arg(out, f, "base", "%s", tn_look_text(e->base, "?"));
    tn_find_evidence(f, TN_REF(env, j->env_row, interpreter));
    tn_find_evidence(f, TN_REF(env, j->env_row, base));
    tn_look_env_args(out, tn_find_remedy(out, f, "upgrade-venv", NULL), j);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (!j->env)
        return;
    look_interpreter(j, out);
    size_t end = j->rows ? j->rows->dist.to : j->s->dist.n;
    for (size_t i = j->rows ? j->rows->dist.from : 0; i < end; i++)
        if (tn_known(j->env->id) && tn_says(j->s->dist.v[i].env, j->env->id.v))
            look_dist(j, out, i);
}

TN_CHECK(framework_corrupt, "framework-corrupt", run, .needs = TN_NEEDS_EXPECT);
