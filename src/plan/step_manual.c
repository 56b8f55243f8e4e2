/* step_manual.c - the command lines of steps_manual.c, word by word. */
#include "plan/hooks.h"
#include "plan/step_line.h"

#include <string.h>

#include "base/str.h"

/* What lies below the environment: "./-x/cuda/lib64". */
static const char *inside(struct tn_arena *mem, const struct tn_plan_step *s, const char *path)
{
    return tn_arena_printf(mem, "%s%s/%s", s->env[0] == '-' ? "./" : "", s->env, path);
}

static void raw(struct tn_line *l, const char *text)
{
    tn_buf_str(l->b, text);
}

/* curl is part of Windows 10 (1803) and later; its alias in Windows PowerShell is another program. */
static void fetch(struct tn_line *l, const struct tn_plan_step *s)
{
    tn_line_words(l, l->shell == TN_SHELL_POWERSHELL ? "curl.exe" : "curl", "-fL", "-o", s->program, s->image, NULL);
}

static void set_of(struct tn_line *l, const struct tn_plan_step *s)
{
    for (unsigned i = 0; i < s->n_package; i++) {
        if (i && l->shell == TN_SHELL_POWERSHELL)
            raw(l, ",");
        tn_line_word(l, s->package[i]);
    }
}

/* --toolkit alone: no driver. --override: an old CUDA refuses newer compilers, and none is asked for here. */
static void toolkit_sh(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    static const char *const paths[] = {" --toolkitpath=", " --defaultroot="};
    fetch(l, s);
    raw(l, " &&");
    tn_line_words(l, "sh", s->program, "--silent", "--toolkit", "--override", "--no-man-page", NULL);
    unsigned n = tn_str_starts(s->version, "10.") ? 1 : 2;
    for (unsigned i = 0; i < n; i++) {
        raw(l, paths[i]);
        if (s->env[0] != '/')
            raw(l, "\"$PWD\"/");
        tn_line_glue(l, tn_arena_printf(mem, "%s/cuda", s->env));
    }
}

/* The installer is no console program: PowerShell would not wait for it. */
static void toolkit_windows(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    fetch(l, s);
    raw(l, "; Start-Process -Wait -Verb RunAs -FilePath");
    tn_line_word(l, tn_arena_printf(mem, ".\\%s", s->program));
    raw(l, " -ArgumentList '-s'");
    for (unsigned i = 0; i < s->n_package; i++) {
        raw(l, ",");
        tn_line_glue(l, s->package[i]);
    }
}

/* All that the archive has, into the toolkit's own folders, through links where they are links; then every file of the
 * set has to be there. */
static void cudnn_sh(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    const char *at = inside(mem, s, "cuda/cudnn");
    fetch(l, s);
    raw(l, " &&");
    tn_line_words(l, "mkdir", at, NULL);
    raw(l, " &&");
    tn_line_words(l, "tar", "-xf", s->program, "-C", at, "--strip-components=1", NULL);
    raw(l, " &&");
    tn_line_words(l, "cp", "-P", at, NULL);
    raw(l, "/lib*/lib*");
    tn_line_word(l, inside(mem, s, "cuda/lib64/"));
    raw(l, " &&");
    tn_line_words(l, "cp", at, NULL);
    raw(l, "/include/*");
    tn_line_word(l, inside(mem, s, "cuda/include/"));
    raw(l, " &&");
    tn_line_words(l, "rm", "-r", at, NULL);
    raw(l, " && (cd");
    tn_line_word(l, inside(mem, s, "cuda/lib64"));
    raw(l, " && ls");
    set_of(l, s);
    raw(l, ")");
}

static void cudnn_windows(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    fetch(l, s);
    raw(l, "; Expand-Archive -Force -DestinationPath cudnn-unpacked -LiteralPath");
    tn_line_word(l, s->program);
    raw(l, "; Copy-Item -Recurse -Force -Path .\\cudnn-unpacked\\*\\* -Destination");
    tn_line_word(l, s->into);
    raw(l, "; Push-Location -LiteralPath");
    tn_line_word(l, tn_arena_printf(mem, "%s\\bin", s->into));
    raw(l, "; Get-Item -ErrorAction Stop -Path");
    set_of(l, s);
    raw(l, "; Pop-Location");
}

/* conda's own hooks: "Saving environment variables" in its user guide. What is in front of PATH goes from there. */
#define HOOK "/tenon-cuda.sh"

static void search_conda(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    static const char *const folders[] = {"etc/conda/activate.d", "etc/conda/deactivate.d"};
    static const char *const texts[] = {TN_HOOK_CUDA_ENTER("CONDA_PREFIX"),
                                        TN_HOOK_CUDA_LEAVE "; " TN_HOOK_CUDA_PATH_BACK};
    tn_line_words(l, "mkdir", "-p", inside(mem, s, folders[0]), inside(mem, s, folders[1]), NULL);
    for (unsigned i = 0; i < TN_LEN(folders); i++) {
        raw(l, tn_arena_printf(mem, " && printf '%%s\\n' '%s' >", texts[i]));
        tn_line_glue(l, tn_arena_printf(mem, "%s" HOOK, inside(mem, s, folders[i])));
    }
}

static void search_sh(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    if (s->tool == TN_STEP_BY_CONDA) {
        search_conda(l, s, mem);
        return;
    }
    const char *activate = inside(mem, s, "bin/activate");
    tn_line_words(l, "sed", "-i", "s/^deactivate *() *{$/& " TN_HOOK_CUDA_LEAVE "/", activate, NULL);
    raw(l, " && printf '%s\\n' '" TN_HOOK_CUDA_ENTER("VIRTUAL_ENV") "' >>");
    tn_line_glue(l, activate);
}

static void search_windows(struct tn_line *l, const struct tn_plan_step *s, struct tn_arena *mem)
{
    const char *head = tn_arena_printf(mem, "%s%s\\Scripts\\", s->env[0] == '-' ? ".\\" : "", s->env);
    raw(l, "Add-Content -LiteralPath");
    l->first = false;
    tn_line_word(l, tn_arena_printf(mem, "%sactivate.ps1", head));
    raw(l, tn_arena_printf(mem, " -Value '','$Env:PATH = \"%s\\bin;%s\\extras\\CUPTI\\lib64;$Env:PATH\"'", s->into,
                           s->into)); /* this folder is ours: no quote in it */
    raw(l, "; Add-Content -LiteralPath");
    tn_line_word(l, tn_arena_printf(mem, "%sactivate.bat", head));
    raw(l,
        tn_arena_printf(mem, " -Value '','@set \"PATH=%s\\bin;%s\\extras\\CUPTI\\lib64;%%PATH%%\"'", s->into, s->into));
}

bool tn_plan_step_by_hand(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                          struct tn_line *l)
{
    bool file = s->kind != TN_STEP_SEARCH;
    if ((file && !*s->image) || (all->windows ? l->shell != TN_SHELL_POWERSHELL : l->shell != TN_SHELL_SH))
        return false; /* what is to be fetched is not known by name */
    switch (s->kind) {
    case TN_STEP_TOOLKIT: (all->windows ? toolkit_windows : toolkit_sh)(l, s, mem); return true;
    case TN_STEP_CUDNN: (all->windows ? cudnn_windows : cudnn_sh)(l, s, mem); return true;
    default: (all->windows ? search_windows : search_sh)(l, s, mem); return true;
    }
}
