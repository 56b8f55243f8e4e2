/* tool.c - what makes environments here: conda, mamba, micromamba, pixi, uv, virtualenv; as PATH, a variable or its
 * usual place leads to it.
 *
 * One row a name, the first way that leads to it: what the shell would start, then the variable that its own start
 * code leaves, then the places of its installer. No program is started. Sources: conda, core/initialize.py (condabin,
 * CONDA_EXE) and "Installing on Linux", "Installing on Windows" (Scripts\conda.exe); mamba, libmamba's shell code
 * (MAMBA_EXE, MAMBA_ROOT_PREFIX) and mamba-org/micromamba-releases, install.sh and install.ps1; pixi, "Installation"
 * (PIXI_HOME); uv, "The uv installer" (XDG_BIN_HOME). */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

static const char names[][12] = {"conda", "mamba", "micromamba", "pixi", "uv", "virtualenv"};

static const char *join(struct tn_probe_ctx *c, const char *a, const char *b)
{
    return tn_path_join(c->tmp, c->w->style, a, b);
}

static bool have(const struct tn_probe_ctx *c, const char *name)
{
    for (size_t i = 0; i < c->s->installer.n; i++)
        if (tn_says(c->s->installer.v[i].name, name))
            return true;
    return false;
}

/* Adds the row if a program is there. A shell passes over what it may not start. */
static void add(struct tn_probe_ctx *c, const char *name, const char *path, const char *by)
{
    if (!path || have(c, name) || !tn_path_is_abs(c->w->style, path))
        return;
    struct tn_answer a = tn_world_stat(c->w, path);
    bool starts = c->w->style == TN_PATH_WINDOWS || (a.st.mode & 0111) != 0;
    if (a.got != TN_KNOWN || a.st.type != 'f' || !starts)
        return;
    uint32_t src = tn_probe_src(c->s, "stat", path, &a);
    struct tn_rec_installer *r = TN_ADD(c->s, installer);
    r->name = tn_fact_str(c->s, src, name);
    r->path = tn_fact_str(c->s, src, path);
    r->by = tn_fact_str(c->s, src, by);
}

/* A folder of programs. Windows: the command of conda is condabin\conda.bat (PATHEXT). */
static void look_in(struct tn_probe_ctx *c, const char *dir, const char *name, const char *by)
{
    if (!dir)
        return;
    if (c->w->style == TN_PATH_POSIX) {
        add(c, name, join(c, dir, name), by);
        return;
    }
    add(c, name, join(c, dir, tn_arena_printf(c->tmp, "%s.exe", name)), by);
    add(c, name, join(c, dir, tn_arena_printf(c->tmp, "%s.bat", name)), by);
}

static void look_path(struct tn_probe_ctx *c)
{
    for (size_t i = 0; i < c->s->search.n; i++) {
        const struct tn_rec_search *d = &c->s->search.v[i];
        if (!tn_says(d->by, "PATH") || !tn_known(d->path) || !tn_path_is_abs(c->w->style, d->path.v))
            continue;
        for (unsigned n = 0; n < TN_LEN(names); n++)
            look_in(c, d->path.v, names[n], "PATH");
    }
}

/* CONDA_EXE, MAMBA_EXE: whole paths. MAMBA_EXE is micromamba's as well. */
static void look_variable(struct tn_probe_ctx *c, const char *variable)
{
    const char *path = tn_probe_env(c, variable, NULL);
    if (!path)
        return;
    const char *base = tn_path_base(c->w->style, path);
    for (unsigned n = 0; n < 3; n++)
        if (strncmp(base, names[n], strlen(names[n])) == 0 && strchr(".", base[strlen(names[n])]))
            add(c, names[n], path, variable);
}

/* The root of a conda: bin, or Scripts and condabin. */
static void look_root(struct tn_probe_ctx *c, const char *root)
{
    bool win = c->w->style == TN_PATH_WINDOWS;
    if (!root || !tn_world_is_dir(c->w, root))
        return;
    for (unsigned n = 0; n < 3; n++) {
        look_in(c, join(c, root, win ? "Scripts" : "bin"), names[n], "place");
        if (win)
            look_in(c, join(c, root, "condabin"), names[n], "place");
    }
}

static void look_roots(struct tn_probe_ctx *c, const char *below)
{
    static const char roots[][12] = {"miniconda3", "anaconda3", "miniforge3", "mambaforge",
                                     "miniconda",  "anaconda",  "micromamba", "conda"};
    for (unsigned i = 0; below && i < TN_LEN(roots); i++)
        look_root(c, join(c, below, roots[i]));
}

static void look_home(struct tn_probe_ctx *c, const char *home)
{
    bool win = c->w->style == TN_PATH_WINDOWS;
    const char *pixi = tn_probe_env(c, "PIXI_HOME", NULL), *bin = tn_probe_env(c, "XDG_BIN_HOME", NULL);
    look_in(c, bin, "uv", "place");
    look_in(c, pixi ? join(c, pixi, "bin") : NULL, "pixi", "place");
    if (!home)
        return;
    look_in(c, join(c, home, win ? ".local\\bin" : ".local/bin"), "micromamba", "place");
    look_in(c, join(c, home, win ? ".local\\bin" : ".local/bin"), "uv", "place");
    look_in(c, join(c, home, win ? ".local\\bin" : ".local/bin"), "virtualenv", "place");
    look_in(c, join(c, home, win ? ".cargo\\bin" : ".cargo/bin"), "uv", "place");
    look_in(c, join(c, home, win ? ".pixi\\bin" : ".pixi/bin"), "pixi", "place");
    look_roots(c, home);
    if (!win)
        look_root(c, join(c, home, ".local/share/mamba"));
}

static void look(struct tn_probe_ctx *c)
{
    bool win = c->w->style == TN_PATH_WINDOWS;
    if (c->want && c->want->plain && !c->want->conda)
        return;
    look_path(c);
    look_variable(c, "CONDA_EXE");
    look_variable(c, "MAMBA_EXE");
    look_root(c, tn_probe_env(c, "MAMBA_ROOT_PREFIX", NULL));
    look_home(c, tn_probe_env(c, win ? "USERPROFILE" : "HOME", NULL));
    if (win) {
        const char *local = tn_probe_env(c, "LOCALAPPDATA", NULL);
        look_in(c, local ? join(c, local, "micromamba") : NULL, "micromamba", "place");
        look_in(c, local ? join(c, local, "pixi\\bin") : NULL, "pixi", "place");
        look_roots(c, local);
        look_roots(c, tn_probe_env(c, "PROGRAMDATA", NULL));
    } else {
        look_roots(c, "/opt");
    }
    for (size_t i = 0; i < c->s->env.n; i++) /* another root folder: as the environments were found */
        if (tn_says(c->s->env.v[i].kind, "conda") && tn_known(c->s->env.v[i].path))
            look_root(c, c->s->env.v[i].path.v);
    c->s->installer.listed = c->s->search.listed;
    c->s->installer.src = c->s->search.src;
}

TN_PROBE(tool, TN_PHASE_LIBRARY, look,
         "conda, mamba, micromamba, pixi, uv and virtualenv, by PATH, variables and usual places",
         .gives = TN_HAS(installer), .reads = TN_HAS(search) | TN_HAS(env));
