/* wrong_environment.c - the framework is in another environment than the one that runs.
 *
 * What runs is told by PATH (a shell's "python"), by the activation variables, by Jupyter's kernel and by PYTHONHOME;
 * where they lead to different environments, and only one of them holds a framework, the person meets the other one.
 * Sources: venv's and conda's activation (they set VIRTUAL_ENV, CONDA_PREFIX and put their folder first on PATH),
 * Jupyter "Kernel specs" (argv[0] is what runs), CPython "PYTHONHOME". Many environments on one machine are healthy:
 * without such a contradiction there is at most a note. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "strings.gen.h"

static bool has_framework(const struct tn_snap *s, struct tn_str env)
{
    for (size_t i = 0; tn_known(env) && i < s->framework.n; i++)
        if (tn_says(s->framework.v[i].env, env.v))
            return true;
    return false;
}

/* Row of a choice; choice.n if there is none. */
static size_t choice(const struct tn_snap *s, const char *by)
{
    size_t i = 0;
    while (i < s->choice.n && !tn_says(s->choice.v[i].by, by))
        i++;
    return i;
}

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, const char *variant,
                                 enum tn_severity severity, const struct tn_rec_env *other, struct tn_ref evidence)
{
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(env, j->env_row, path));
    f->variant = variant;
    f->severity = severity;
    tn_find_arg(out, f, "prefix", "%s", tn_look_text(j->env->path, "?"));
    tn_find_arg(out, f, "other", "%s", other ? tn_look_text(other->path, "?") : "?");
    tn_find_evidence(f, TN_REF(env, j->env_row, path));
    tn_find_evidence(f, evidence);
    if (other)
        tn_find_evidence(f, TN_REF(env, other - j->s->env.v, path));
    return f;
}

/* How a shell gets into an environment. */
static void activate(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const struct tn_rec_env *e)
{
    static const char *const kinds[] = {"venv", "conda", NULL};
    bool known = e && tn_known(e->path) && tn_known(e->kind) && tn_str_in(e->kind.v, kinds);
    bool windows = tn_snap_style(j->s) == TN_PATH_WINDOWS;
    if (known) {
        struct tn_remedy *r = tn_find_remedy(out, f, "activate-environment",
                                             tn_says(e->kind, "conda") ? "conda"
                                             : windows                 ? "venv-windows"
                                                                       : "venv");
        tn_remedy_arg(out, r, "prefix", "%s", e->path.v);
    }
    if (e && tn_known(e->path)) {
        struct tn_remedy *r = tn_find_remedy(out, f, "judge-environment", NULL);
        tn_remedy_arg(out, r, "prefix", "%s", e->path.v);
    }
}

/* Is its folder of programs on PATH at all? Then something came before it after it was activated. */
static bool is_on_path(const struct tn_judge *j)
{
    enum tn_path_style st = tn_snap_style(j->s);
    size_t at = tn_look_variable(j->s, "PATH"), n = tn_known(j->env->path) ? strlen(j->env->path.v) : 0;
    char sep = st == TN_PATH_WINDOWS ? ';' : ':';
    for (const char *p = n && at < j->s->variable.n ? j->s->variable.v[at].value.v : NULL; p; p = strchr(p, sep)) {
        p += *p == sep;
        if (strncmp(p, j->env->path.v, n) == 0 && (p[n] == sep || !p[n] || tn_path_is_sep(st, p[n])))
            return true;
    }
    return false;
}

/* An activated environment that "python" does not start. A variable alone may be meant for one tool. */
static void look_path(const struct tn_judge *j, struct tn_sink *out)
{
    size_t at = choice(j->s, "path-python");
    const struct tn_rec_choice *c = at < j->s->choice.n ? &j->s->choice.v[at] : NULL;
    const struct tn_rec_env *e = c && tn_known(c->env) ? tn_snap_env(j->s, c->env.v) : NULL;
    if (!e || e == j->env || !tn_is(j->env->active, 1) || tn_says(j->env->chosen_by, "option"))
        return;
    bool here = has_framework(j->s, j->env->id), there = has_framework(j->s, e->id);
    struct tn_finding *f = report(j, out, "path",
                                  !here || there  ? TN_NOTE
                                  : is_on_path(j) ? TN_ERROR
                                                  : TN_WARNING,
                                  e, TN_REF(choice, at, interpreter));
    tn_find_arg(out, f, "by", "%s", tn_look_text(j->env->chosen_by, "?"));
    tn_find_evidence(f, TN_REF(env, j->env_row, chosen_by));
    if (f->severity != TN_NOTE)
        activate(j, out, f, j->env);
}

/* A kernel of the judged environment's own folder that runs another interpreter, or one that is gone. */
static void look_kernel(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_choice *c = &j->s->choice.v[row];
    enum tn_path_style st = tn_snap_style(j->s);
    if (!tn_says(c->by, "jupyter") || !tn_known(c->interpreter) || !tn_known(c->file))
        return;
    bool own =
        tn_known(j->env->path) && tn_path_under(st, c->file.v, j->env->path.v) && !tn_says(j->env->kind, "system");
    const struct tn_rec_env *e = tn_known(c->env) ? tn_snap_env(j->s, c->env.v) : NULL;
    struct tn_finding *f;
    if (tn_is(c->exists, 0))
        f = report(j, out, "kernel-gone", own ? TN_WARNING : TN_NOTE, NULL, TN_REF(choice, row, interpreter));
    else if (own && e && e != j->env)
        f = report(j, out, "kernel",
                   has_framework(j->s, j->env->id) && !has_framework(j->s, e->id) ? TN_ERROR : TN_NOTE, e,
                   TN_REF(choice, row, interpreter));
    else
        return;
    tn_find_arg(out, f, "kernel", "%s", tn_look_text(c->name, "?"));
    tn_find_arg(out, f, "interpreter", "%s", c->interpreter.v);
    tn_find_evidence(f, TN_REF(choice, row, file));
    if (f->severity == TN_NOTE)
        return;
    struct tn_remedy *r = tn_find_remedy(out, f, "register-kernel", NULL);
    tn_remedy_arg(out, r, "kernel", "%s", tn_look_text(c->name, "?"));
    tn_look_env_args(out, r, j);
}

/* VIRTUAL_ENV or CONDA_PREFIX names a folder that is gone. */
static void look_dangling(const struct tn_judge *j, struct tn_sink *out)
{
    for (size_t i = 0; i < j->s->env.n; i++) {
        const struct tn_rec_env *e = &j->s->env.v[i];
        if (e == j->env || !tn_is(e->active, 1) || e->kind.k != TN_ABSENT || !tn_known(e->path))
            continue;
        struct tn_finding *f =
            report(j, out, "gone", has_framework(j->s, j->env->id) ? TN_NOTE : TN_WARNING, e, TN_REF(env, i, kind));
        tn_find_arg(out, f, "by", "%s", tn_look_text(e->chosen_by, "?"));
    }
}

/* "pip" installs for another Python than "python" starts. */
static void look_pip(const struct tn_judge *j, struct tn_sink *out)
{
    size_t at = choice(j->s, "path-pip"), python = choice(j->s, "path-python");
    if (at >= j->s->choice.n || python >= j->s->choice.n)
        return;
    const struct tn_rec_choice *c = &j->s->choice.v[at];
    const struct tn_rec_env *e = tn_known(c->env) ? tn_snap_env(j->s, c->env.v) : NULL;
    if (!e || e == j->env || !tn_says(j->s->choice.v[python].env, tn_look_text(j->env->id, "")))
        return;
    bool lost = !has_framework(j->s, j->env->id) && has_framework(j->s, e->id);
    struct tn_finding *f = report(j, out, "pip", lost ? TN_WARNING : TN_NOTE, e, TN_REF(choice, at, interpreter));
    tn_find_evidence(f, TN_REF(choice, at, file));
    if (lost)
        activate(j, out, f, e);
}

/* The judged one has no framework at all, another one has. */
static void look_others(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_env *one = NULL;
    unsigned n = 0;
    if (j->s->framework.listed != TN_KNOWN || has_framework(j->s, j->env->id) || tn_says(j->env->chosen_by, "option"))
        return;
    for (size_t i = 0; i < j->s->env.n; i++)
        if (&j->s->env.v[i] != j->env && has_framework(j->s, j->s->env.v[i].id)) {
            one = one ? one : &j->s->env.v[i];
            n++;
        }
    if (!n)
        return;
    bool asked = j->why && strcmp(j->why, TN_S_expect_option) == 0 && j->expect == TN_EXPECT_GPU;
    struct tn_finding *f = report(j, out, n > 1 ? "several" : NULL, asked ? TN_WARNING : TN_NOTE, one,
                                  (struct tn_ref){TN_REC_framework, TN_REF_ROW, TN_REF_LIST});
    f->status = asked ? TN_LIKELY : TN_POSSIBLE;
    tn_find_arg(out, f, "n", "%u", n);
    activate(j, out, f, one);
}

static void look_pythonhome(const struct tn_judge *j, struct tn_sink *out)
{
    enum tn_path_style st = tn_snap_style(j->s);
    size_t at = tn_look_variable(j->s, "PYTHONHOME");
    const char *home = at < j->s->variable.n ? j->s->variable.v[at].value.v : "";
    if (!*home || !tn_path_is_abs(st, home) || !tn_known(j->env->path) || tn_path_same(st, home, j->env->path.v) ||
        tn_path_under(st, j->env->path.v, home) || (tn_known(j->env->base) && tn_path_same(st, home, j->env->base.v)))
        return;
    struct tn_finding *f = report(j, out, "pythonhome", TN_WARNING, NULL, TN_REF(variable, at, value));
    tn_find_arg(out, f, "value", "%s", home);
    tn_find_remedy(out, f, "drop-pythonhome", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (!j->env || !tn_is(j->env->judged, 1)) /* of a shell there is one; others are only counted */
        return;
    look_path(j, out);
    for (size_t i = 0; i < j->s->choice.n; i++)
        look_kernel(j, out, i);
    look_dangling(j, out);
    look_pip(j, out);
    look_pythonhome(j, out);
    if (out->n == 0 || strcmp(out->v[out->n - 1].cause, out->cause) != 0)
        look_others(j, out);
}

TN_CHECK(wrong_environment, "wrong-environment", run, .needs = TN_NEEDS_EXPECT | TN_HAS(choice) | TN_HAS(variable));
