/* shell.c - the shell that tenon was started from, and whether it can activate conda environments.
 *
 * Sources: conda core/initialize.py (the block ">>> conda initialize >>>" in .bashrc or .bash_profile, .zshrc,
 * config.fish, profile.ps1; AutoRun of cmd.exe), mamba shell init (">>> mamba initialize >>>"), Microsoft
 * about_Execution_Policies (policy keys before the user's, the user's before the machine's). Start files are read for
 * the marks alone. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/ask.h"
#include "probe/probe.h"

static bool has_mark(struct tn_probe_ctx *c, const char *file)
{
    static const char *const mark[] = {">>> conda initialize", ">>> mamba initialize", "etc/profile.d/conda.sh",
                                       "shell hook",           "shell.bash",           "shell.zsh",
                                       "shell.fish",           "conda_hook",           "etc/profile.d/micromamba.sh"};
    struct tn_answer a = tn_world_read(c->w, c->tmp, file, TN_MAX_SMALL_FILE);
    for (unsigned i = 0; a.got == TN_KNOWN && i < TN_LEN(mark); i++)
        if (tn_span_find(a.data, 0, mark[i], strlen(mark[i])) != SIZE_MAX)
            return true;
    return false;
}

/* The start file that holds the block, else the one that conda init would write. */
static void look_files(struct tn_probe_ctx *c, const char *home, const char *const *files)
{
    struct tn_rec_shell *r = TN_THE(c->s, shell);
    for (unsigned i = 0; files[i]; i++) {
        const char *at = tn_path_join(c->tmp, c->w->style, home, files[i]);
        bool yes = has_mark(c, at);
        if (i && !yes)
            continue;
        uint32_t src = tn_snap_src(c->s, TN_KNOWN, NULL, "read %s", at);
        r->conda_init = tn_fact_int(src, yes);
        r->file = tn_fact_str(c->s, src, at);
        if (yes)
            return;
    }
}

static void look_posix(struct tn_probe_ctx *c, bool conda)
{
    static const char *const bash[] = {".bashrc", ".bash_profile", ".profile", NULL}, *const zsh[] = {".zshrc", NULL},
                             *const fish[] = {".config/fish/config.fish", NULL};
    struct tn_rec_shell *r = TN_THE(c->s, shell);
    uint32_t src = 0;
    const char *shell = tn_probe_env(c, "SHELL", &src), *home = tn_probe_env(c, "HOME", NULL);
    const char *name = shell ? tn_path_base(c->w->style, shell) : NULL, *zdotdir = NULL;
    if (!shell)
        return;
    r->name = tn_fact_str(c->s, src, name);
    if (!conda || !home)
        return;
    if (strcmp(name, "zsh") == 0)
        zdotdir = tn_probe_env(c, "ZDOTDIR", NULL);
    const char *const *files = strcmp(name, "bash") == 0 || strcmp(name, "sh") == 0 ? bash
                               : strcmp(name, "zsh") == 0                           ? zsh
                               : strcmp(name, "fish") == 0                          ? fish
                                                                                    : NULL;
    if (!files)
        return;
    look_files(c, zdotdir ? zdotdir : home, files);
    if (tn_is(r->conda_init, 0) && files != fish && has_mark(c, "/etc/profile.d/conda.sh"))
        r->conda_init = tn_fact_int(tn_snap_src(c->s, TN_KNOWN, NULL, "read /etc/profile.d/conda.sh"), 1);
}

static void look_policy(struct tn_probe_ctx *c)
{
    static const char *const keys[] = {"HKLM\\SOFTWARE\\Policies\\Microsoft\\Windows\\PowerShell",
                                       "HKCU\\SOFTWARE\\Policies\\Microsoft\\Windows\\PowerShell",
                                       "HKCU\\SOFTWARE\\Microsoft\\PowerShell\\1\\ShellIds\\Microsoft.PowerShell",
                                       "HKLM\\SOFTWARE\\Microsoft\\PowerShell\\1\\ShellIds\\Microsoft.PowerShell"};
    struct tn_rec_shell *r = TN_THE(c->s, shell);
    for (unsigned i = 0; i < TN_LEN(keys) && r->policy.k != TN_KNOWN; i++)
        r->policy = tn_probe_reg_fact(c, keys[i], "ExecutionPolicy");
}

/* PowerShell puts the user's own module folder first; in cmd.exe only the machine's are there. */
static void look_windows(struct tn_probe_ctx *c, bool conda)
{
    static const char *const files[] = {"Documents\\WindowsPowerShell\\profile.ps1",
                                        "Documents\\PowerShell\\profile.ps1", NULL};
    struct tn_rec_shell *r = TN_THE(c->s, shell);
    uint32_t src = 0;
    const char *modules = tn_probe_env(c, "PSModulePath", &src), *home = tn_probe_env(c, "USERPROFILE", NULL);
    bool powershell = modules && home && tn_str_starts(modules, home);
    if (!home)
        return;
    r->name = tn_fact_str(c->s, src, powershell ? "powershell" : "cmd");
    if (powershell) {
        look_policy(c);
        if (conda)
            look_files(c, home, files);
    } else if (conda) {
        struct tn_answer a = tn_world_reg(c->w, c->tmp, "HKCU\\Software\\Microsoft\\Command Processor", "AutoRun");
        if (a.got == TN_KNOWN || a.got == TN_ABSENT)
            r->conda_init = tn_fact_int(tn_probe_src(c->s, "reg", "Command Processor\\AutoRun", &a),
                                        a.got == TN_KNOWN && tn_span_find(a.data, 0, "conda_hook", 10) != SIZE_MAX);
    }
}

/* The base environment of a conda, or a variable that its activation leaves. */
static bool has_conda(struct tn_probe_ctx *c, uint32_t *ret_src)
{
    static const char *const names[] = {"CONDA_EXE", "MAMBA_EXE"};
    for (unsigned i = 0; i < TN_LEN(names); i++)
        if (tn_probe_env(c, names[i], ret_src))
            return true;
    for (size_t i = 0; i < c->s->env.n; i++)
        if (tn_says(c->s->env.v[i].kind, "conda")) {
            *ret_src = c->s->env.v[i].kind.src;
            return true;
        }
    return false;
}

static void shell_run(struct tn_probe_ctx *c)
{
    struct tn_rec_shell *r = TN_THE(c->s, shell);
    struct tn_answer a = tn_world_env(c->w, c->tmp, "PATH");
    uint32_t src = 0;
    if (a.got == TN_UNASKED) /* another root folder: no shell there */
        return;
    bool conda = has_conda(c, &src);
    if (conda || c->s->env.listed == TN_KNOWN)
        r->conda = tn_fact_int(conda ? src : c->s->env.src, conda);
    if (c->w->style == TN_PATH_WINDOWS)
        look_windows(c, conda);
    else
        look_posix(c, conda);
}

TN_PROBE(shell, TN_PHASE_PYTHON, shell_run,
         "the shell and whether its start files let it activate conda environments; execution policy of PowerShell",
         .gives = TN_HAS(shell), .reads = TN_HAS(env));
