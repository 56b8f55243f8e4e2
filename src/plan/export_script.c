/* export_script.c - a plan as a script: POSIX sh, PowerShell, a batch job of Slurm. */
#include <string.h>

#include "base/str.h"
#include "plan/export.h"

/* The steps' commands; the check at the end only where tenon is. */
static bool steps_sh(struct tn_export *x)
{
    for (unsigned i = 0; i < x->steps->n; i++) {
        const struct tn_plan_step *s = &x->steps->v[i];
        bool check = s->kind == TN_STEP_CHECK;
        if (s->kind != TN_STEP_DRIVER &&
            !tn_export_commands(x, x->steps, s, TN_SHELL_SH, check ? "if command -v tenon >/dev/null; then " : "",
                                check ? "; fi\n" : "\n"))
            return false;
    }
    return true;
}

bool tn_export_sh(struct tn_export *x)
{
    tn_buf_str(x->b, "#!/bin/sh\n");
    tn_export_title(x, "# ");
    tn_buf_str(x->b, "set -eu\n");
    return steps_sh(x);
}

/* PowerShell does not stop at a program that failed. Windows PowerShell reads a file without a byte order mark in the
 * system's code page (about_Character_Encoding). */
bool tn_export_ps1(struct tn_export *x)
{
    size_t start = x->b->n;
    tn_export_title(x, "# ");
    tn_buf_str(x->b, "$ErrorActionPreference = 'Stop'\n");
    for (unsigned i = 0; i < x->steps->n; i++) {
        const struct tn_plan_step *s = &x->steps->v[i];
        bool check = s->kind == TN_STEP_CHECK;
        if (s->kind != TN_STEP_DRIVER &&
            !tn_export_commands(x, x->steps, s, TN_SHELL_POWERSHELL,
                                check ? "if (Get-Command tenon -ErrorAction SilentlyContinue) { " : "",
                                check ? " }\n" : "\nif ($LASTEXITCODE) { exit $LASTEXITCODE }\n"))
            return false;
    }
    bool ascii = true;
    for (size_t i = start; i < x->b->n; i++)
        ascii = ascii && (unsigned char)x->b->p[i] < 0x80;
    if (!ascii) {
        char *copy = tn_arena_printf(x->mem, "%s", x->b->p + start);
        x->b->n = start;
        tn_buf_printf(x->b, "\xef\xbb\xbf%s", copy);
    }
    return true;
}

/* Options of sbatch: slurm.schedmd.com/sbatch.html. --gres is known to every selection plugin. */
bool tn_export_slurm(struct tn_export *x)
{
    const struct tn_plan_step *s = tn_export_step(x, TN_STEP_PACKAGES), *conda = tn_export_step(x, TN_STEP_CONDA_ENV);
    if (!conda && !tn_export_is_wheels(x))
        return false;
    tn_buf_str(x->b, "#!/bin/sh\n");
    tn_export_title(x, "# ");
    tn_buf_str(x->b, "# sbatch THIS-FILE SCRIPT.py [ARGUMENTS]; the first run makes the environment, and needs the "
                     "network for it\n");
    tn_buf_printf(x->b, "#SBATCH --job-name=%s\n", tn_export_name(x));
    tn_buf_str(x->b, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=4\n#SBATCH --time=01:00:00\n");
    if (x->p->gpu)
        tn_buf_str(x->b, "#SBATCH --gres=gpu:1\n");
    struct tn_plan_step mark = *s;
    mark.env = tn_arena_printf(x->mem, "%s%s.made", s->env[0] == '-' ? "./" : "", s->env);
    struct tn_buf done;
    tn_buf_init(&done);
    if (!tn_shell_quote(&done, TN_SHELL_SH, mark.env)) {
        x->refused = s->env;
        tn_buf_deinit(&done);
        return false;
    }
    tn_buf_printf(x->b, "set -eu\nif [ ! -e %s ]; then\n", done.p);
    bool ok = true;
    for (unsigned i = 0; i < x->steps->n && ok; i++)
        if (x->steps->v[i].kind != TN_STEP_CHECK && x->steps->v[i].kind != TN_STEP_DRIVER)
            ok = tn_export_commands(x, x->steps, &x->steps->v[i], TN_SHELL_SH, "    ", "\n");
    tn_buf_printf(x->b, "    : >%s\nfi\n", done.p);
    tn_buf_deinit(&done);
    if (!ok)
        return false;
    tn_buf_str(x->b, "exec srun ");
    tn_plan_step_start(x->mem, x->steps, s, TN_SHELL_SH, x->b);
    tn_buf_str(x->b, " \"$@\"\n");
    return true;
}
