/* env_place.c - where environments usually are. Nothing is searched: each place is one folder listed once.
 *
 * Sources: the tools' own documents (conda environments.txt and envs_dirs, pipx, uv, poetry, pipenv, pyenv,
 * virtualenvwrapper), see mechanics of environments in doc/. A folder below a person's home is looked at one level
 * deep: ~/NAME/pyvenv.cfg and ~/NAME/.venv. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/env.h"

void tn_pyenv_add_place(struct tn_py *p, const char *real, const char *interpreter, bool conda, bool system)
{
    if (tn_str_glob(".*.tenon-????????", tn_path_base(p->st, real))) /* what a change of tenon's has put aside */
        return;
    if (p->n_place >= TN_MAX_ENV_DIRS) {
        p->full = true;
        return;
    }
    p->place = tn_arena_grow(p->mem, p->place, p->n_place, &p->cap_place, sizeof *p->place);
    p->place[p->n_place++] = (struct tn_pyplace){real, interpreter, conda, system};
}

/* Lists a folder whose path has no links left; what could not be listed is remembered. */
static struct tn_answer list_some(struct tn_py *p, const char *folder, bool (*keep)(const void *ctx, const char *name))
{
    struct tn_answer a = tn_world_list_some(p->w, p->mem, folder, keep, NULL);
    if ((a.got == TN_DENIED || a.got == TN_FAILED) && !p->trouble_src) {
        p->trouble = a.got;
        p->trouble_src = tn_probe_src(p->s, "list", folder, &a);
    }
    return a;
}

static struct tn_answer list(struct tn_py *p, const char *folder)
{
    return list_some(p, folder, NULL);
}

/* The entry's path, links resolved; NULL when it is no folder. */
static const char *folder_entry(struct tn_py *p, const char *folder, const struct tn_entry *e)
{
    const char *at = tn_pyenv_join(p, folder, e->name);
    if (e->type == 'd')
        return at;
    if (e->type != 'l' && e->type != '?')
        return NULL;
    at = tn_world_real(p->w, p->mem, at, NULL);
    return at && tn_world_is_dir(p->w, at) ? at : NULL;
}

void tn_pyenv_add_children(struct tn_py *p, const char *folder, bool conda)
{
    const char *real = folder ? tn_world_real(p->w, p->mem, folder, NULL) : NULL;
    if (!real)
        return;
    struct tn_answer a = list(p, real);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *at = folder_entry(p, real, &a.entry[i]);
        if (at)
            tn_pyenv_add_place(p, at, NULL, conda, false);
    }
}

static void add_one(struct tn_py *p, const char *path, bool conda)
{
    const char *real = path ? tn_world_real(p->w, p->mem, path, NULL) : NULL;
    if (real)
        tn_pyenv_add_place(p, real, NULL, conda, false);
}

static void add_conda_base(struct tn_py *p, const char *base)
{
    if (!base || !tn_world_is_dir(p->w, base))
        return;
    add_one(p, base, true);
    tn_pyenv_add_children(p, tn_pyenv_join(p, base, "envs"), true);
}

/* Folders that "envs_dirs:" of .condarc lists: "  - FOLDER" lines. */
static void add_condarc(struct tn_py *p, const char *file)
{
    struct tn_answer a = tn_world_read(p->w, p->mem, file, TN_MAX_SMALL_FILE);
    struct tn_span rest = a.data, line;
    bool inside = false;
    for (unsigned n = 0; a.got == TN_KNOWN && n < 4096 && tn_span_line(&rest, &line); n++) {
        struct tn_span t = tn_span_trim(line);
        if (t.n == 0 || t.p[0] == '#')
            continue;
        bool item = t.p[0] == '-';
        if (!item)
            inside = tn_span_starts(t, "envs_dirs:") || tn_span_starts(t, "envs_path:");
        if (!inside || !item)
            continue;
        t = tn_span_trim(tn_span_from(t, 1));
        if (t.n > 1 && (t.p[0] == '"' || t.p[0] == '\'') && t.p[t.n - 1] == t.p[0])
            t = tn_span_of(t.p + 1, t.n - 2);
        if (t.n == 0 || t.n >= TN_MAX_PATH_BYTES || memchr(t.p, 0, t.n))
            continue;
        const char *at = tn_arena_strndup(p->mem, (const char *)t.p, t.n);
        if (p->home && at[0] == '~' && (at[1] == '/' || at[1] == '\\'))
            at = tn_pyenv_join(p, p->home, at + 2);
        if (tn_path_is_abs(p->st, at))
            tn_pyenv_add_children(p, at, true);
    }
}

static void add_list(struct tn_py *p, const char *list, bool conda)
{
    char sep = p->st == TN_PATH_WINDOWS ? ';' : ':';
    for (unsigned n = 0; list && *list && n < 64; n++) {
        const char *end = strchr(list, sep);
        size_t len = end ? (size_t)(end - list) : strlen(list);
        const char *at = tn_arena_strndup(p->mem, list, len);
        if (tn_path_is_abs(p->st, at))
            tn_pyenv_add_children(p, at, conda);
        list += len + (end != NULL);
    }
}

static void add_conda(struct tn_py *p, const char *home)
{
    static const char *const names[] = {"miniconda3", "anaconda3",  "miniforge3", "mambaforge",
                                        "miniconda",  "micromamba", "anaconda",   ".local/share/mamba"};
    for (unsigned i = 0; i < TN_LEN(names); i++)
        add_conda_base(p, tn_pyenv_join(p, home, names[i]));
    tn_pyenv_add_children(p, tn_pyenv_join(p, home, ".conda/envs"), true);
    add_condarc(p, tn_pyenv_join(p, home, ".condarc"));
    struct tn_answer a =
        tn_world_read(p->w, p->mem, tn_pyenv_join(p, home, ".conda/environments.txt"), TN_MAX_SMALL_FILE);
    struct tn_span rest = a.data, line;
    while (a.got == TN_KNOWN && tn_span_line(&rest, &line) && !p->full) {
        line = tn_span_trim(line);
        if (line.n && line.n < TN_MAX_PATH_BYTES && !memchr(line.p, 0, line.n)) {
            const char *at = tn_arena_strndup(p->mem, (const char *)line.p, line.n);
            if (tn_path_is_abs(p->st, at))
                add_one(p, at, true);
        }
    }
}

/* pyenv's interpreters and the virtual environments that its plugin keeps below them. */
static void add_pyenv(struct tn_py *p, const char *root)
{
    const char *versions = tn_world_real(p->w, p->mem, tn_pyenv_join(p, root, "versions"), NULL);
    if (!versions)
        return;
    struct tn_answer a = list(p, versions);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *at = folder_entry(p, versions, &a.entry[i]);
        if (!at)
            continue;
        tn_pyenv_add_place(p, at, NULL, false, true);
        if (a.entry[i].type == 'd') {
            tn_pyenv_add_children(p, tn_pyenv_join(p, at, "envs"), false);
        }
    }
}

/* Pythons that uv manages. */
static void add_interpreters(struct tn_py *p, const char *folder)
{
    const char *real = tn_world_real(p->w, p->mem, folder, NULL);
    struct tn_answer a = {0};
    if (real)
        a = list(p, real);
    for (size_t i = 0; i < a.n_entry; i++)
        if (a.entry[i].type == 'd')
            tn_pyenv_add_place(p, tn_pyenv_join(p, real, a.entry[i].name), NULL, false, true);
}

/* ~/NAME and ~/NAME/.venv, ~/NAME/venv */
static void add_projects(struct tn_py *p, const char *home)
{
    const char *real = tn_world_real(p->w, p->mem, home, NULL);
    if (!real)
        return;
    struct tn_answer a = list(p, real);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *at = folder_entry(p, real, &a.entry[i]);
        if (!at)
            continue;
        tn_pyenv_add_place(p, at, NULL, false, false);
        if (a.entry[i].name[0] == '.')
            continue;
        add_one(p, tn_pyenv_join(p, at, ".venv"), false);
        add_one(p, tn_pyenv_join(p, at, "venv"), false);
    }
}

/* hatch: PROJECT/HASH/ENVIRONMENT */
static void add_hatch(struct tn_py *p, const char *folder)
{
    const char *real = tn_world_real(p->w, p->mem, folder, NULL);
    struct tn_answer a = {0};
    if (real)
        a = list(p, real);
    for (size_t i = 0; i < a.n_entry && i < 1024; i++) {
        const char *project = folder_entry(p, real, &a.entry[i]);
        struct tn_answer b = {0};
        if (project)
            b = list(p, project);
        for (size_t k = 0; k < b.n_entry && k < 64; k++)
            tn_pyenv_add_children(p, tn_pyenv_join(p, project, b.entry[k].name), false);
    }
}

static void add_home(struct tn_py *p, const char *home)
{
    static const char *const posix[] = {
        ".virtualenvs",          ".local/share/virtualenvs",    ".local/share/pipx/venvs", ".local/pipx/venvs",
        ".local/share/uv/tools", ".cache/pypoetry/virtualenvs", ".local/share/pdm/venvs",  NULL};
    static const char *const windows[] = {".virtualenvs", "Envs", "pipx\\venvs", NULL};
    for (const char *const *n = p->st == TN_PATH_WINDOWS ? windows : posix; *n; n++)
        tn_pyenv_add_children(p, tn_pyenv_join(p, home, *n), false);
    if (p->st == TN_PATH_POSIX)
        add_hatch(p, tn_pyenv_join(p, home, ".local/share/hatch/env/virtual"));
    add_conda(p, home);
    tn_pyenv_add_children(p, tn_pyenv_join(p, home, ".pixi/envs"), true);
    if (p->st == TN_PATH_POSIX)
        add_interpreters(p, tn_pyenv_join(p, home, ".local/share/uv/python"));
    const char *own =
        p->pyenv_root && p->home && strcmp(home, p->home) == 0 ? p->pyenv_root : tn_pyenv_join(p, home, ".pyenv");
    add_pyenv(p, own);
    add_projects(p, home);
}

/* python3.11 and the like in a folder of programs; the plain names are links to them. */
static bool is_python(const void *ctx, const char *name)
{
    (void)ctx;
    return strncmp(name, "python", 6) == 0 && tn_is_digit(name[6]) && name[7] == '.' &&
           name[8 + strspn(name + 8, "0123456789")] == 0;
}

static void add_programs(struct tn_py *p, const char *bin)
{
    struct tn_answer a = list_some(p, bin, is_python);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *name = a.entry[i].name;
        if (!is_python(NULL, name) || a.entry[i].type == 'd')
            continue;
        struct tn_pyplace at;
        if (tn_pyenv_of_interpreter(p, tn_pyenv_join(p, bin, name), &at))
            tn_pyenv_add_place(p, at.real, at.interpreter, false, true);
    }
}

static void add_elsewhere(struct tn_py *p)
{
    static const char *const bases[] = {"/opt/conda",      "/opt/miniconda3", "/opt/anaconda3",
                                        "/opt/miniforge3", "/opt/mambaforge", "/opt/micromamba"};
    static const char *const apps[] = {"/venv", "/.venv", "/app/.venv", "/app/venv", "/workspace/.venv"};
    for (unsigned i = 0; i < TN_LEN(bases); i++)
        add_conda_base(p, bases[i]);
    tn_pyenv_add_children(p, "/opt", false);
    for (unsigned i = 0; i < TN_LEN(apps); i++)
        add_one(p, apps[i], false);
    add_programs(p, "/usr/bin");
    add_programs(p, "/usr/local/bin");
}

/* Places that variables name. */
static void add_named(struct tn_py *p)
{
    const char *exe = tn_pyenv_var(p, "CONDA_EXE"), *v;
    if (exe)
        add_conda_base(p, tn_path_dir(p->mem, p->st, tn_path_dir(p->mem, p->st, exe)));
    add_conda_base(p, tn_pyenv_var(p, "MAMBA_ROOT_PREFIX"));
    add_list(p, tn_pyenv_var(p, "CONDA_ENVS_PATH"), true);
    add_list(p, tn_pyenv_var(p, "CONDA_ENVS_DIRS"), true);
    if ((v = tn_pyenv_var(p, "UV_PYTHON_INSTALL_DIR")) != NULL)
        add_interpreters(p, v);
    tn_pyenv_add_children(p, tn_pyenv_var(p, "WORKON_HOME"), false);
    if ((v = tn_pyenv_var(p, "PIPX_HOME")) != NULL)
        tn_pyenv_add_children(p, tn_pyenv_join(p, v, "venvs"), false);
    tn_pyenv_add_children(p, tn_pyenv_var(p, "UV_TOOL_DIR"), false);
    if ((v = tn_pyenv_var(p, "POETRY_CACHE_DIR")) != NULL)
        tn_pyenv_add_children(p, tn_pyenv_join(p, v, "virtualenvs"), false);
    if (p->cwd) {
        add_one(p, tn_pyenv_join(p, p->cwd, ".venv"), false);
        add_one(p, tn_pyenv_join(p, p->cwd, "venv"), false);
        add_one(p, tn_pyenv_join(p, p->cwd, "env"), false);
        tn_pyenv_add_children(p, tn_pyenv_join(p, p->cwd, ".pixi/envs"), true);
    }
}

static int by_path(const void *a, const void *b)
{
    const struct tn_pyplace *x = a, *y = b;
    int c = strcmp(x->real, y->real);
    if (!c)
        c = tn_str_cmp(x->interpreter, y->interpreter);
    if (!c)
        c = (int)y->system - (int)x->system;
    return c ? c : (int)y->conda - (int)x->conda;
}

/* One for each prefix; of the system's prefix one for each interpreter. */
void tn_pyenv_sort_places(struct tn_py *p)
{
    size_t n = 0;
    if (p->n_place > 1)
        qsort(p->place, p->n_place, sizeof *p->place, by_path);
    for (size_t i = 0; i < p->n_place; i++) {
        struct tn_pyplace *last = n ? &p->place[n - 1] : NULL, *at = &p->place[i];
        bool same = last && tn_path_same(p->st, last->real, at->real);
        if (same && (!last->interpreter || !at->interpreter || strcmp(last->interpreter, at->interpreter) == 0)) {
            last->system |= at->system;
            last->conda |= at->conda;
            if (!last->interpreter)
                last->interpreter = at->interpreter;
            continue;
        }
        p->place[n++] = *at;
    }
    p->n_place = n;
}

void tn_pyenv_places(struct tn_py *p)
{
    add_named(p);
    if (p->home)
        add_home(p, p->home);
    if (p->st == TN_PATH_WINDOWS) {
        tn_pyenv_windows_places(p);
    } else {
        if (!p->live) { /* another root: everybody's home */
            add_home(p, "/root");
            struct tn_answer a = list(p, "/home");
            for (size_t i = 0; i < a.n_entry; i++) {
                const char *at = folder_entry(p, "/home", &a.entry[i]);
                if (at)
                    add_home(p, at);
            }
        }
        add_elsewhere(p);
    }
    tn_pychoice_find(p);
    tn_pyenv_sort_places(p);
}
