/* shell_not_initialised.c - a conda is installed, but this shell cannot activate its environments.
 *
 * Sources: conda core/initialize.py (conda activate is a shell function that conda init puts into the start file;
 * without it: "Your shell has not been properly configured to use 'conda activate'"), Microsoft
 * about_Execution_Policies (Restricted and AllSigned run no profile script; Restricted holds where nothing is set on a
 * client). People work without initialising (conda run, full paths), so the state of a shell alone is a note; it is a
 * warning where PowerShell is kept from running the profile that conda wrote, or where a GPU was asked for, the judged
 * environment holds no framework and a conda environment does. */
#include <string.h>

#include "check/look.h"
#include "strings.gen.h"

static const struct tn_rec_env *conda_with_framework(const struct tn_judge *j)
{
    for (size_t i = 0; i < j->s->framework.n; i++) {
        struct tn_str id = j->s->framework.v[i].env;
        const struct tn_rec_env *e = tn_known(id) ? tn_snap_env(j->s, id.v) : NULL;
        if (e && e != j->env && tn_says(e->kind, "conda"))
            return e;
    }
    return NULL;
}

/* The program by its whole path, since PATH need not have it before conda init: that of the installation whose
 * environment this is. */
static const char *conda_program(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_env *e = conda_with_framework(j);
    bool windows = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    const char *path = e ? tn_look_text(e->path, "") : "", *envs = strstr(path, windows ? "\\envs\\" : "/envs/");
    const char *base = envs ? tn_arena_strndup(out->mem, path, (size_t)(envs - path)) : path;
    for (size_t i = 0; i < j->s->env.n; i++)
        if (tn_says(j->s->env.v[i].kind, "conda") && tn_says(j->s->env.v[i].path, base))
            return tn_arena_printf(out->mem, windows ? "%s\\Scripts\\conda.exe" : "%s/bin/conda", base);
    return "conda";
}

static void report(const struct tn_judge *j, struct tn_sink *out, const char *variant, enum tn_severity severity)
{
    const struct tn_rec_shell *sh = TN_THE(j->s, shell);
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(shell, 0, conda_init));
    f->variant = variant;
    f->severity = severity;
    tn_find_arg(out, f, "shell", "%s", tn_look_text(sh->name, "?"));
    tn_find_arg(out, f, "file", "%s", tn_look_text(sh->file, "?"));
    tn_find_arg(out, f, "policy", "%s", tn_look_text(sh->policy, "Restricted"));
    tn_find_evidence(f, TN_REF(shell, 0, conda));
    tn_find_evidence(f, TN_REF(shell, 0, conda_init));
    if (variant)
        tn_find_evidence(f, TN_REF(shell, 0, policy));
    struct tn_remedy *r = tn_find_remedy(out, f, variant ? "allow-profile" : "init-shell", NULL);
    tn_remedy_arg(out, r, "conda", "%s", conda_program(j, out));
    tn_remedy_arg(out, r, "shell", "%s", tn_says(sh->name, "cmd") ? "cmd.exe" : tn_look_text(sh->name, ""));
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_shell *sh = TN_THE(j->s, shell);
    size_t row = 0, level = tn_look_variable(j->s, "CONDA_PREFIX");
    if (!j->env || !tn_is(j->env->judged, 1) || !tn_is(sh->conda, 1) || !tn_known(sh->name) ||
        level < j->s->variable.n || tn_says(j->env->kind, "conda") || !conda_with_framework(j))
        return; /* activated, or nothing to activate */
    bool blocked = tn_says(sh->policy, "Restricted") || tn_says(sh->policy, "AllSigned") ||
                   (tn_says(sh->name, "powershell") && sh->policy.k == TN_ABSENT);
    bool lost = !tn_judge_framework(j, &row);
    if (tn_is(sh->conda_init, 1) && blocked)
        report(j, out, "policy", lost ? TN_WARNING : TN_NOTE);
    else if (tn_is(sh->conda_init, 0))
        report(j, out, NULL,
               lost && j->why && strcmp(j->why, TN_S_expect_option) == 0 && j->expect == TN_EXPECT_GPU ? TN_WARNING
                                                                                                       : TN_NOTE);
}

TN_CHECK(shell_not_initialised, "shell-not-initialised", run,
         .needs = TN_NEEDS_EXPECT | TN_HAS(shell) | TN_HAS(variable));
