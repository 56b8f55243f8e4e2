/* export_script.c - a plan as a script: POSIX sh, PowerShell, a batch job of Slurm. */
#include <string.h>

#include "base/str.h"
#include "plan/export.h"
#include "strings.gen.h"

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
static void slurm_head(struct tn_export *x, const char *first)
{
    tn_buf_str(x->b, "#!/bin/sh\n");
    tn_export_title(x, "# ");
    tn_buf_printf(x->b, "# sbatch THIS-FILE SCRIPT.py [ARGUMENTS]; the first run %s, and needs the network for it\n",
                  first);
    tn_buf_printf(x->b, "#SBATCH --job-name=%s\n", tn_export_name(x));
    tn_buf_str(x->b, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=4\n#SBATCH --time=01:00:00\n");
    if (x->p->gpu)
        tn_buf_str(x->b, "#SBATCH --gres=gpu:1\n");
}

/* Apptainer keeps what it has pulled (apptainer.org/docs/user/latest/docker_and_oci.html). */
static bool slurm_image(struct tn_export *x)
{
    const struct tn_plan_step *s = tn_export_step(x, TN_STEP_IMAGE);
    if (!s || *s->into) {
        x->why = TN_S_pl_no_form_made;
        return false;
    }
    slurm_head(x, "fetches the image");
    tn_buf_printf(x->b, "set -eu\nexec srun apptainer exec%s docker://%s python \"$@\"\n", x->p->gpu ? " --nv" : "",
                  s->image);
    return true;
}

/* Made once, by one job: others that start meanwhile wait for it (flock), later ones go past. An environment that is
 * there already, half made or by hand, is filled, not made again. */
static bool make_once(struct tn_export *x, const char *env)
{
    struct tn_buf b;
    const char *files[] = {".made", ".lock", "/pyvenv.cfg"}, *word[3];
    bool ok = true;
    for (unsigned i = 0; i < TN_LEN(files); i++) {
        tn_buf_init(&b);
        ok = tn_shell_quote(&b, TN_SHELL_SH,
                            tn_arena_printf(x->mem, "%s%s%s", env[0] == '-' ? "./" : "", env, files[i])) &&
             ok;
        word[i] = tn_arena_strdup(x->mem, b.p ? b.p : "");
        tn_buf_deinit(&b);
    }
    if (!ok) {
        x->refused = env;
        return false;
    }
    tn_buf_printf(x->b, "set -eu\nif [ ! -e %s ]; then\n    exec 9>%s\n    flock 9\nfi\nif [ ! -e %s ]; then\n",
                  word[0], word[1], word[0]);
    for (unsigned i = 0; i < x->steps->n && ok; i++) {
        const struct tn_plan_step *s = &x->steps->v[i];
        const char *head = s->kind == TN_STEP_VENV ? tn_arena_printf(x->mem, "    [ -e %s ] || ", word[2]) : "    ";
        if (s->kind != TN_STEP_CHECK && s->kind != TN_STEP_DRIVER)
            ok = tn_export_commands(x, x->steps, s, TN_SHELL_SH, head, "\n");
    }
    tn_buf_printf(x->b, "    : >%s\nfi\nexec 9>&-\n", word[0]);
    return ok;
}

bool tn_export_slurm(struct tn_export *x)
{
    const struct tn_plan_step *s = tn_export_step(x, TN_STEP_PACKAGES), *conda = tn_export_step(x, TN_STEP_CONDA_ENV);
    if (x->p->method == TN_METHOD_DOCKER)
        return slurm_image(x);
    if (!conda && !tn_export_is_wheels(x))
        return false;
    if (!s)
        s = conda;
    if (!s)
        return false;
    slurm_head(x, "makes the environment");
    if (!make_once(x, s->env))
        return false;
    tn_buf_str(x->b, "exec srun ");
    tn_plan_step_start(x->mem, x->steps, s, TN_SHELL_SH, x->b);
    tn_buf_str(x->b, " \"$@\"\n");
    return true;
}
