/* stock_env.c - see stock.h: environments that are broken beyond use, and whether all that lies in them is known.
 *
 * Broken is: the interpreter is gone (a link that leads nowhere), the Python that it was made from is gone, or half of
 * it is removed (site folder and activation script without pyvenv.cfg). Known is: what venv, virtualenv, uv and conda
 * write themselves, what a RECORD or a conda-meta record lists, and compiled files beside them. A file that none of
 * these names is somebody's. Sources: CPython Lib/venv, virtualenv's activation and seed, uv's virtualenv.rs; PyPA
 * "Recording installed projects"; conda's PrefixRecord. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/stock.h"

#define RECORD_BYTES (16u << 20)
#define MAX_PARENTS 64u
#define MAX_CHILDREN 4096u

struct recorded {
    struct tn_stock *k;
    const char *prefix;
    const char **v; /* whole paths, sorted */
    size_t n, cap;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void note(struct recorded *r, const char *path)
{
    r->v = tn_arena_grow(r->k->c->tmp, (void *)r->v, r->n, &r->cap, sizeof *r->v);
    r->v[r->n++] = path;
}

static bool is_noted(const struct recorded *r, const char *path)
{
    return r->n && bsearch((void *)&path, (void *)r->v, r->n, sizeof *r->v, by_text) != NULL;
}

/* "a/b.py,sha256=...,12", or with a quoted path. */
static void read_record(struct recorded *r, const char *site, const char *info)
{
    struct tn_arena mem;
    tn_arena_init(&mem);
    struct tn_answer a =
        tn_world_read(r->k->c->w, &mem, tn_path_join3(&mem, TN_PATH_POSIX, site, info, "RECORD"), RECORD_BYTES);
    struct tn_span rest = a.data, line;
    while (a.got == TN_KNOWN && tn_span_line(&rest, &line)) {
        bool quoted = line.n > 1 && line.p[0] == '"';
        size_t from = quoted, end = from;
        while (end < line.n && line.p[end] != (quoted ? '"' : ','))
            end++;
        if (end == from || end - from >= TN_MAX_PATH_BYTES || memchr(line.p + from, 0, end - from))
            continue;
        char *path = tn_arena_strndup(&mem, (const char *)line.p + from, end - from);
        note(r, tn_path_norm(r->k->c->tmp, TN_PATH_POSIX, tn_path_join(&mem, TN_PATH_POSIX, site, path)));
    }
    tn_arena_deinit(&mem);
}

static void read_site(struct recorded *r, const char *site)
{
    struct tn_answer a = tn_world_list(r->k->c->w, r->k->c->tmp, site);
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++)
        if (tn_str_ends(a.entry[i].name, ".dist-info"))
            read_record(r, site, a.entry[i].name);
}

static void read_conda(struct recorded *r, const char *file)
{
    struct tn_arena mem;
    size_t i;
    json_t *one;
    tn_arena_init(&mem);
    struct tn_answer a = tn_world_read(r->k->c->w, &mem, file, RECORD_BYTES);
    json_object_seed(1);
    json_t *j = a.got == TN_KNOWN ? json_loadb((const char *)a.data.p, a.data.n, 0, NULL) : NULL;
    json_array_foreach(json_object_get(j, "files"), i, one)
    {
        const char *path = json_string_value(one);
        if (path && *path && strlen(path) < TN_MAX_PATH_BYTES)
            note(r, tn_path_norm(r->k->c->tmp, TN_PATH_POSIX, tn_stock_join(r->k, r->prefix, path)));
    }
    json_decref(j);
    tn_arena_deinit(&mem);
}

static void read_records(struct recorded *r)
{
    struct tn_probe_ctx *c = r->k->c;
    const char *lib = tn_stock_join(r->k, r->prefix, "lib"), *meta = tn_stock_join(r->k, r->prefix, "conda-meta");
    struct tn_answer a = tn_world_list(c->w, c->tmp, lib);
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++)
        if (tn_str_starts(a.entry[i].name, "python") && a.entry[i].type == 'd')
            read_site(r, tn_stock_join(r->k, tn_stock_join(r->k, lib, a.entry[i].name), "site-packages"));
    a = tn_world_list(c->w, c->tmp, meta);
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++)
        if (tn_str_ends(a.entry[i].name, ".json"))
            read_conda(r, tn_stock_join(r->k, meta, a.entry[i].name));
    if (r->n > 1)
        qsort((void *)r->v, r->n, sizeof *r->v, by_text);
}

static bool is_python_folder(const char *name)
{
    return tn_str_starts(name, "python") && tn_is_digit(name[6]);
}

/* bin/NAME that the makers of environments write themselves. */
static bool is_script(const char *name)
{
    static const char *const list[] = {"activate",
                                       "activate.csh",
                                       "activate.fish",
                                       "activate.nu",
                                       "activate.ps1",
                                       "Activate.ps1",
                                       "activate.bat",
                                       "activate.xsh",
                                       "activate_this.py",
                                       "deactivate.bat",
                                       "deactivate.nu",
                                       "pydoc.bat",
                                       NULL};
    if (tn_str_in(name, list))
        return true;
    if (!tn_str_starts(name, "python") && !tn_str_starts(name, "pypy"))
        return false;
    name += name[2] == 't' ? 6 : 4;
    return name[strspn(name, "0123456789.t")] == 0;
}

/* "x.cpython-311.pyc" in a __pycache__ folder: compiled of a source that is recorded, or of one that is gone. */
static bool is_compiled(const char *path)
{
    const char *base = tn_path_base(TN_PATH_POSIX, path);
    size_t n = base > path ? (size_t)(base - path) - 1 : 0;
    return tn_str_ends(base, ".pyc") && n >= 11 && strncmp(path + n - 11, "__pycache__", 11) == 0;
}

static bool is_of_env(const void *ctx, const struct tn_stock_entry *e)
{
    static const char *const marks[] = {"pyvenv.cfg",         ".gitignore",        "CACHEDIR.TAG",     ".lock", "lib64",
                                        "conda-meta/history", "conda-meta/pinned", "conda-meta/state", NULL};
    const struct recorded *r = ctx;
    const char *tail = e->tail, *base = tn_path_base(TN_PATH_POSIX, tail);
    if (e->type == 'd') /* a folder holds nothing by itself */
        return strcmp(base, ".git") != 0;
    if (is_noted(r, e->path) || tn_str_in(tail, marks) || is_compiled(tail))
        return true;
    if (tn_str_starts(tail, "bin/") && !strchr(tail + 4, '/'))
        return is_script(tail + 4);
    if (tn_str_starts(tail, "conda-meta/"))
        return tn_str_ends(tail, ".json") && !strchr(tail + 11, '/');
    if (tn_str_starts(tail, "lib/") && is_python_folder(tail + 4)) {
        static const char *const own[] = {"_virtualenv.py", "_virtualenv.pth", NULL};
        const char *rest = strstr(tail, "/site-packages/");
        return rest && tn_str_in(rest + 15, own);
    }
    return false;
}

static void add(struct tn_stock *k, const char *path, const char *kind, const char *damage, const struct tn_rec_env *e,
                uint32_t src)
{
    struct recorded *r = tn_arena_alloc(k->c->tmp, sizeof *r);
    *r = (struct recorded){.k = k, .prefix = path};
    struct tn_rec_stock *s = tn_stock_add(k, "env", tn_path_base(TN_PATH_POSIX, path), path, src);
    size_t row = k->c->s->stock.n - 1;
    s->name = tn_fact_str(k->c->s, src, kind); /* the folder's name is a person's */
    s->damage = tn_fact_str(k->c->s, src, damage);
    if (e) {
        s->env = e->id;
        s->version = e->python;
    }
    tn_stock_measure(k, path);
    read_records(r);
    tn_stock_walk(k, row, path, is_of_env, r);
}

/* A folder that the person stands in or works with is not looked into as a whole. */
static bool is_common(const struct tn_stock *k, const char *path)
{
    const char *home = tn_probe_env(k->c, "HOME", NULL);
    struct tn_answer cwd = tn_world_sys(k->c->w, k->c->tmp, "cwd");
    return strcmp(path, "/") == 0 || strcmp(path, "/usr") == 0 || strcmp(path, "/usr/local") == 0 ||
           (home && tn_path_under(TN_PATH_POSIX, home, path)) ||
           (cwd.got == TN_KNOWN && tn_path_under(TN_PATH_POSIX, (const char *)cwd.data.p, path));
}

static const char *damage_of(struct tn_stock *k, const struct tn_rec_env *e)
{
    if (e->interpreter.k == TN_ABSENT)
        return tn_says(e->kind, "conda") && e->python.k == TN_ABSENT ? NULL /* one without Python is whole */
                                                                     : "interpreter";
    struct tn_answer a = {.got = TN_KNOWN};
    if (tn_says(e->kind, "venv") && tn_known(e->base))
        a = tn_world_stat(k->c->w, e->base.v);
    return a.got == TN_ABSENT ? "home" : NULL;
}

static bool is_half(struct tn_stock *k, const char *path)
{
    struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, tn_stock_join(k, path, "lib"));
    if (a.got != TN_KNOWN || tn_world_exists(k->c->w, tn_stock_join(k, path, "pyvenv.cfg")) ||
        tn_world_exists(k->c->w, tn_stock_join(k, path, "conda-meta")) ||
        !tn_world_exists(k->c->w, tn_stock_join(k, path, "bin/activate")) ||
        tn_world_exists(k->c->w, tn_stock_join(k, path, "bin/python")) ||
        tn_world_exists(k->c->w, tn_stock_join(k, path, "bin/python3")))
        return false;
    for (size_t i = 0; i < a.n_entry; i++)
        if (is_python_folder(a.entry[i].name) && a.entry[i].type == 'd' &&
            tn_world_is_dir(k->c->w, tn_path_join3(k->c->tmp, TN_PATH_POSIX, tn_stock_join(k, path, "lib"),
                                                   a.entry[i].name, "site-packages")))
            return true;
    return false;
}

static void look_beside(struct tn_stock *k, const char *parent)
{
    struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, parent);
    uint32_t src = tn_probe_src(k->c->s, "list", parent, &a);
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry && i < MAX_CHILDREN; i++) {
        const char *path = tn_stock_join(k, parent, a.entry[i].name);
        if (a.entry[i].type == 'd' && !tn_str_glob(".*.tenon-????????", a.entry[i].name) && !is_common(k, path) &&
            is_half(k, path))
            add(k, path, "venv", "half", NULL, src);
    }
}

void tn_stock_envs(struct tn_stock *k)
{
    struct tn_snap *s = k->c->s;
    const char *parent[MAX_PARENTS];
    size_t n = s->env.n, n_parent = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tn_rec_env e = s->env.v[i];
        bool ours = tn_says(e.kind, "venv") || tn_says(e.kind, "conda");
        if (!ours || !tn_known(e.path) || is_common(k, e.path.v))
            continue;
        const char *real = tn_world_real(k->c->w, k->c->tmp, e.path.v, NULL), *damage = damage_of(k, &e);
        if (!real || strcmp(real, e.path.v) != 0)
            continue;
        if (damage)
            add(k, real, e.kind.v, damage, &e, e.path.src);
        const char *dir = tn_path_dir(k->c->tmp, TN_PATH_POSIX, real);
        bool again = false;
        for (size_t p = 0; p < n_parent && !again; p++)
            again = strcmp(parent[p], dir) == 0;
        if (!again && n_parent < MAX_PARENTS)
            parent[n_parent++] = dir;
    }
    for (size_t p = 0; p < n_parent; p++)
        look_beside(k, parent[p]);
}
