/* env_choice.c - who else has chosen an interpreter: the shell's PATH (python, pip), Jupyter's kernels, version files.
 *
 * Sources: jupyter_core paths.py (JUPYTER_PATH, then the environment's and the user's share/jupyter, then the
 * system's), Jupyter "Kernel specs" (kernel.json, argv[0]), PDM (.pdm-python), uv and pyenv (.python-version is
 * followed in env_active.c). Every interpreter named is a place to look at; nothing is started. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/env.h"

#define MAX_CHOICES 256u
#define MAX_KERNELS 64u /* of one folder */

static struct tn_pychoice *new_choice(struct tn_py *p, const char *by, const char *name, const char *file,
                                      const char *interpreter, uint32_t src)
{
    if (p->n_choice >= MAX_CHOICES || strlen(interpreter) >= TN_MAX_PATH_BYTES)
        return NULL;
    p->choice = tn_arena_grow(p->mem, p->choice, p->n_choice, &p->cap_choice, sizeof *p->choice);
    struct tn_pychoice *c = &p->choice[p->n_choice++];
    memset(c, 0, sizeof *c);
    c->by = by;
    c->name = name;
    c->file = file;
    c->interpreter = interpreter;
    c->src = src;
    return c;
}

void tn_pychoice_add(struct tn_py *p, const char *by, const char *name, const char *file, const char *interpreter,
                     uint32_t src)
{
    struct tn_pychoice *c = new_choice(p, by, name, file, interpreter, src);
    if (!c)
        return;
    if (!tn_path_is_abs(p->st, interpreter)) /* "python": whatever PATH finds then */
        return;
    struct tn_answer a = tn_world_stat(p->w, interpreter);
    c->exists_got = a.got;
    if (a.got != TN_KNOWN || !tn_pyenv_of_interpreter(p, interpreter, &c->place))
        return;
    tn_pyenv_add_place(p, c->place.real, c->place.interpreter, false, true);
}

static void add_kernel(struct tn_py *p, const char *folder, const char *name)
{
    const char *file = tn_pyenv_join(p, tn_pyenv_join(p, folder, name), "kernel.json");
    struct tn_answer a = tn_world_read(p->w, p->mem, file, 65536);
    if (a.got != TN_KNOWN)
        return;
    json_object_seed(1);
    json_t *j = json_loadb((const char *)a.data.p, a.data.n, 0, NULL);
    json_t *argv0 = json_array_get(json_object_get(j, "argv"), 0), *language = json_object_get(j, "language");
    const char *python = json_string_value(argv0), *of = json_string_value(language);
    if (python && *python && strlen(python) == json_string_length(argv0) && (!of || strcmp(of, "python") == 0))
        tn_pychoice_add(p, "jupyter", tn_arena_strdup(p->mem, name), file, tn_arena_strdup(p->mem, python),
                        tn_probe_src(p->s, "read", file, &a));
    json_decref(j);
}

static void add_kernels(struct tn_py *p, const char *share)
{
    const char *folder = tn_pyenv_join(p, share, "kernels");
    struct tn_answer a = tn_world_list(p->w, p->mem, folder);
    for (size_t i = 0; i < a.n_entry && i < MAX_KERNELS; i++)
        add_kernel(p, folder, a.entry[i].name);
}

void tn_pychoice_kernels_of(struct tn_py *p, const struct tn_pyenv *e)
{
    const char *share = tn_pyenv_join(p, e->prefix, "share");
    add_kernels(p, tn_pyenv_join(p, share, "jupyter"));
}

static void add_jupyter(struct tn_py *p)
{
    const char *list = tn_pyenv_var(p, "JUPYTER_PATH"), *data = tn_pyenv_var(p, "JUPYTER_DATA_DIR");
    char sep = p->st == TN_PATH_WINDOWS ? ';' : ':';
    for (unsigned n = 0; list && *list && n < 32; n++) {
        const char *end = strchr(list, sep);
        size_t len = end ? (size_t)(end - list) : strlen(list);
        const char *at = tn_arena_strndup(p->mem, list, len);
        if (tn_path_is_abs(p->st, at))
            add_kernels(p, at);
        list += len + (end != NULL);
    }
    if (data)
        add_kernels(p, data);
    else if (p->st == TN_PATH_WINDOWS && p->appdata)
        add_kernels(p, tn_pyenv_join(p, p->appdata, "jupyter"));
    else if (p->home)
        add_kernels(p, tn_pyenv_join(p, p->home, ".local/share/jupyter"));
    if (p->st == TN_PATH_POSIX) {
        add_kernels(p, "/usr/local/share/jupyter");
        add_kernels(p, "/usr/share/jupyter");
    }
}

/* .pdm-python in the current folder or above: one line, the interpreter. */
static void add_pdm(struct tn_py *p)
{
    const char *dir = p->cwd;
    for (unsigned n = 0; dir && n < 16; n++, dir = tn_path_dir(p->mem, p->st, dir)) {
        const char *file = tn_pyenv_join(p, dir, ".pdm-python");
        struct tn_answer a = tn_world_read(p->w, p->mem, file, TN_MAX_PATH_BYTES);
        struct tn_span rest = a.data, line;
        if (a.got == TN_KNOWN && tn_span_line(&rest, &line) && (line = tn_span_trim(line)).n &&
            !memchr(line.p, 0, line.n)) {
            tn_pychoice_add(p, "pdm", tn_path_base(p->st, dir), file,
                            tn_arena_strndup(p->mem, (const char *)line.p, line.n),
                            tn_probe_src(p->s, "read", file, &a));
            return;
        }
        if (strcmp(dir, "/") == 0 || strcmp(dir, ".") == 0 || tn_str_eq(dir, tn_path_dir(p->mem, p->st, dir)))
            return;
    }
}

/* "#!/home/u/venv/bin/python3": the interpreter that a script of PATH names. */
static const char *shebang(struct tn_py *p, const char *script, uint32_t *ret_src)
{
    struct tn_answer a = tn_world_part(p->w, p->mem, script, 0, 512);
    struct tn_span rest = a.data, line;
    if (a.got != TN_KNOWN || !tn_span_starts(a.data, "#!") || !tn_span_line(&rest, &line) || memchr(line.p, 0, line.n))
        return NULL;
    *ret_src = tn_probe_src(p->s, "read", script, &a);
    line = tn_span_trim(tn_span_from(line, 2));
    const char *text = tn_arena_strndup(p->mem, (const char *)line.p, line.n);
    size_t n = strcspn(text, " \t");
    text = tn_arena_strndup(p->mem, text, n);
    return tn_str_starts(tn_path_base(p->st, text), "python") ? text : NULL;
}

/* What "python" and "pip" would run. Windows' pip.exe holds its interpreter inside and is not opened. */
static void add_path(struct tn_py *p)
{
    const char *path = tn_pyenv_var(p, "PATH");
    struct tn_pyplace at;
    if (!p->live || !path)
        return;
    if (tn_pyenv_on_path(p, path, &at) && at.interpreter)
        tn_pychoice_add(p, "path-python", NULL, NULL, at.interpreter, tn_snap_src(p->s, TN_KNOWN, NULL, "env PATH"));
    if (p->store_alias) /* no interpreter: named, never looked at as one */
        new_choice(p, "store-alias", NULL, NULL, p->store_alias, tn_snap_src(p->s, TN_KNOWN, NULL, "env PATH"));
    for (unsigned n = 0; p->st == TN_PATH_POSIX && *path && n < 256; n++) {
        size_t len = strcspn(path, ":");
        const char *bin = tn_arena_strndup(p->mem, path, len), *pip = tn_pyenv_join(p, bin, "pip");
        path += len + (path[len] == ':');
        if (!tn_path_is_abs(p->st, bin) || !tn_world_exists(p->w, pip))
            continue;
        uint32_t src = 0;
        const char *python = shebang(p, pip, &src);
        if (python)
            tn_pychoice_add(p, "path-pip", NULL, pip, python, src);
        return;
    }
}

void tn_pychoice_find(struct tn_py *p)
{
    add_path(p);
    add_jupyter(p);
    add_pdm(p);
    tn_pychoice_editors(p);
}

static const struct tn_pyenv *env_of(struct tn_py *p, const struct tn_pychoice *c)
{
    for (size_t i = 0; c->place.real && i < p->n_env; i++) {
        const struct tn_pyenv *e = &p->env[i];
        if (e->id_fact.k == TN_KNOWN && tn_path_same(p->st, e->real, c->place.real) &&
            (strcmp(e->real, "/usr") != 0 || !e->interpreter || tn_str_eq(e->interpreter, c->place.interpreter)))
            return e;
    }
    return NULL;
}

void tn_pychoice_rows(struct tn_py *p)
{
    for (size_t i = 0; i < p->n_choice; i++) {
        const struct tn_pychoice *c = &p->choice[i];
        const struct tn_pyenv *e = env_of(p, c);
        struct tn_rec_choice *r = TN_ADD(p->s, choice);
        r->by = tn_fact_str(p->s, c->src, c->by);
        r->name = tn_fact_str(p->s, c->src, c->name);
        r->file = tn_fact_str(p->s, c->src, c->file);
        r->interpreter = tn_fact_str(p->s, c->src, c->interpreter);
        r->env = e ? e->id_fact : tn_fact_nostr(c->src, TN_ABSENT);
        if (c->exists_got == TN_KNOWN || c->exists_got == TN_ABSENT)
            r->exists = tn_fact_int(c->src, c->exists_got == TN_KNOWN);
        else if (c->exists_got)
            r->exists = tn_fact_noint(c->src, c->exists_got);
    }
    p->s->choice.listed = TN_KNOWN;
    p->s->choice.src = tn_snap_src(p->s, TN_KNOWN, NULL, "places of choices");
}
