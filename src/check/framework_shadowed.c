/* framework_shadowed.c - Python would import something else than the installed framework: a file of that name, or
 * another copy in a folder that is searched first.
 *
 * Source: CPython, "sys.path initialisation": the program's folder, PYTHONPATH, the standard library, and outside of
 * virtual environments the user's site folder before the environment's own (Lib/site.py). A copy of the user's before
 * the system's is how pip install --user is meant; before a conda environment's it is nobody's intention. What stands
 * in the current folder matters only to programs started there, so it is no error. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"

static const char *const main_packages[] = {
    "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tf-nightly",      "torch",
    "jax",        "jaxlib",         "onnxruntime",    "onnxruntime-gpu", NULL};

static bool is_installed(const struct tn_judge *j, const char *module)
{
    size_t row = 0;
    if (tn_judge_dist(j, strcmp(module, "google") == 0 ? "protobuf" : module))
        return true;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));)
        if (tn_says(f->name, module))
            return true;
    return false;
}

static bool is_of_library(const char *module)
{
    static const char *const frameworks[] = {"google",      "jax",   "jaxlib",     "keras", "numpy",
                                             "onnxruntime", "torch", "tensorflow", NULL};
    return !tn_str_in(module, frameworks);
}

/* An installer has put it there: a second copy, which look_hidden judges. Nobody would give it another name. */
static bool is_copy(const struct tn_judge *j, const struct tn_rec_shadow *s)
{
    const char *package = strcmp(s->module.v, "google") == 0 ? "protobuf" : s->module.v;
    size_t end = j->rows ? j->rows->dist.to : j->s->dist.n;
    for (size_t i = j->rows ? j->rows->dist.from : 0; i < end; i++) {
        const struct tn_rec_dist *d = &j->s->dist.v[i];
        size_t n = tn_known(d->site) ? strlen(d->site.v) : 0;
        if (n && tn_says(d->env, j->env->id.v) && (tn_says(d->place, "user") || tn_says(d->place, "path")) &&
            tn_known(d->name) && tn_str_starts(d->name.v, package) && tn_str_starts(s->path.v, d->site.v) &&
            strchr("/\\", s->path.v[n]) && !strpbrk(s->path.v + n + 1, "/\\"))
            return true;
    }
    return false;
}

static void look_shadow(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_shadow *s = &j->s->shadow.v[row];
    size_t any = 0;
    if (!tn_known(s->module) || !tn_known(s->path) || !tn_known(s->by) || tn_says(s->type, "folder") ||
        !tn_says(s->env, tn_look_text(j->env->id, "")) || is_copy(j, s))
        return;
    bool library = is_of_library(s->module.v), here = tn_says(s->by, "cwd");
    if (library ? !tn_judge_framework(j, &any) : !is_installed(j, s->module.v))
        return;
    struct tn_finding *f = tn_find(out, library ? TN_POSSIBLE : TN_LIKELY, TN_REF(shadow, row, path));
    f->variant = here ? "here" : "file";
    f->severity = library ? (here ? TN_NOTE : TN_WARNING) : here ? TN_WARNING : TN_ERROR;
    tn_find_arg(out, f, "module", "%s", s->module.v);
    tn_find_arg(out, f, "path", "%s", s->path.v);
    tn_find_evidence(f, TN_REF(shadow, row, path));
    tn_find_evidence(f, TN_REF(shadow, row, by));
    struct tn_remedy *r = tn_find_remedy(out, f, "rename-shadow", NULL);
    tn_remedy_arg(out, r, "path", "%s", s->path.v);
    size_t n = strlen(s->path.v);
    bool py = tn_str_ends(s->path.v, ".py");
    tn_remedy_arg(out, r, "new", "%.*s_renamed%s", (int)(py ? n - 3 : n), s->path.v, py ? ".py" : "");
}

static bool usable(const struct tn_rec_dist *d, const struct tn_rec_dist *hidden)
{
    return d && d != hidden && tn_known(d->place) && tn_known(d->version);
}

/* The copy that is met first: of the same name, or a package of another name that brings the same folder. */
static const struct tn_rec_dist *first_copy(const struct tn_judge *j, const struct tn_rec_dist *hidden)
{
    static const char *const tensorflow[] = {"tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tf-nightly", NULL};
    const struct tn_rec_dist *d = tn_judge_dist(j, hidden->name.v);
    if (tn_is(hidden->hidden, 1))
        return usable(d, hidden) ? d : NULL;
    for (unsigned i = 0; tn_str_in(hidden->name.v, tensorflow) && tensorflow[i]; i++) {
        d = tn_judge_dist(j, tensorflow[i]);
        if (usable(d, hidden) && (tn_says(d->place, "user") || tn_says(d->place, "path")))
            return d;
    }
    return NULL;
}

static void look_hidden(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_dist *own = &j->s->dist.v[row], *first;
    if (!tn_says(own->place, "env") || !tn_known(own->name) || !tn_known(own->version) ||
        !(tn_str_in(own->name.v, main_packages) || tn_says(own->name, "numpy")) || !(first = first_copy(j, own)) ||
        (tn_says(first->version, own->version.v) && tn_says(first->name, own->name.v)))
        return;
    bool user = tn_says(first->place, "user"),
         isolated = tn_says(j->env->kind, "conda") || tn_says(j->env->kind, "venv");
    if (!user && !tn_says(first->place, "path"))
        return;
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(dist, row, hidden));
    f->variant = user ? "user-site" : "path";
    f->severity = !isolated ? TN_NOTE : tn_says(own->name, "numpy") ? TN_WARNING : TN_ERROR;
    tn_find_arg(out, f, "package", "%s", first->name.v);
    tn_find_arg(out, f, "version", "%s", own->version.v);
    tn_find_arg(out, f, "other", "%s", first->version.v);
    tn_find_arg(out, f, "dir", "%s", tn_look_text(first->site, tn_look_text(first->path, "?")));
    size_t at = (size_t)(first - j->s->dist.v);
    tn_find_evidence(f, TN_REF(dist, at, version));
    tn_find_evidence(f, TN_REF(dist, at, path));
    tn_find_evidence(f, TN_REF(dist, row, version));
    tn_find_evidence(f, TN_REF(dist, row, path));
    if (f->severity != TN_NOTE)
        tn_find_remedy(out, f, user ? "ignore-user-site" : "drop-pythonpath", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (!j->env || !tn_known(j->env->id))
        return;
    for (size_t i = 0; tn_is(j->env->judged, 1) && i < j->s->shadow.n; i++)
        look_shadow(j, out, i);
    size_t end = j->rows ? j->rows->dist.to : j->s->dist.n;
    for (size_t i = j->rows ? j->rows->dist.from : 0; i < end; i++)
        if (tn_says(j->s->dist.v[i].env, j->env->id.v))
            look_hidden(j, out, i);
}

TN_CHECK(framework_shadowed, "framework-corrupt", run, .needs = TN_NEEDS_FRAMEWORK | TN_HAS(shadow));
