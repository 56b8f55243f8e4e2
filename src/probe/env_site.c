/* env_site.c - the folders that hold an environment's packages, in Python's search order, each listed once.
 *
 * Rules: CPython Lib/site.py (main(): the venv's own folder, then the user's, then the base's; without a venv the
 * user's first), Debian's patch of it (dist-packages, /usr/local before /usr), Fedora's platlibdir lib64, and of the
 * judged environment PYTHONPATH and .pth files as well. A Windows layout has Lib\site-packages. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/env.h"
#include "snapshot/packages.h"

/* Package folders that frameworks are read from. */
static const char *const folders[] = {
    "cupy",        "jax",   "jax_plugins", "jaxlib",          "numpy",    "nvidia",
    "onnxruntime", "torch", "tensorflow",  "tensorflow_core", "tensorrt", "tensorrt_bindings",
    NULL};

/* *ret says what a record's name says. */
static bool matters(const char *name, bool conda, bool judged, struct tn_pydist_name *ret)
{
    ret->kind = TN_PYDIST_NONE;
    if (!judged && !tn_package_may_be_framework(name)) /* most names of most environments end here */
        return false;
    if (judged && !conda && name[0] == '~' && tn_pydist_parse(name, false, ret)) /* of a package folder, too */
        return tn_package_is_public(ret->package);
    const char *dot = strrchr(name, '.');
    if (!dot)
        return !conda && tn_str_in(name, folders);
    if (tn_pydist_parse(name, conda, ret) == TN_PYDIST_NONE)
        return judged && !conda && strcmp(dot, ".pth") == 0;
    return judged ? tn_package_is_public(ret->package) : tn_package_is_framework(ret->package);
}

struct kept {
    bool conda, judged;
};

static bool keep(const void *ctx, const char *name)
{
    const struct kept *k = ctx;
    struct tn_pydist_name d;
    return matters(name, k->conda, k->judged, &d);
}

const struct tn_pysite *tn_pyenv_list(struct tn_py *p, const char *path, bool judged)
{
    struct tn_arena scratch;
    struct tn_pydist_name d;
    tn_arena_init(&scratch);
    bool conda = strcmp(tn_path_base(p->st, path), "conda-meta") == 0;
    struct kept which = {conda, judged};
    struct tn_answer a = tn_world_list_some(p->w, &scratch, path, keep, &which);
    struct tn_pysite *s = tn_arena_alloc(p->mem, sizeof *s);
    struct tn_pyentry *entry = NULL;
    size_t cap = 0;
    s->path = tn_arena_strdup(p->mem, path);
    s->got = a.got;
    if (a.got != TN_ABSENT)
        s->src = tn_probe_src(p->s, "list", path, &a);
    for (size_t i = 0; i < a.n_entry; i++) {
        if (!matters(a.entry[i].name, conda, judged, &d))
            continue;
        entry = tn_arena_grow(p->mem, entry, s->n, &cap, sizeof *entry);
        struct tn_pyentry *e = &entry[s->n++];
        e->name = tn_arena_strdup(p->mem, a.entry[i].name);
        e->type = a.entry[i].type;
        e->kind = d.kind;
        e->package = d.kind ? tn_arena_strdup(p->mem, d.package) : "";
        e->version = d.kind ? tn_arena_strdup(p->mem, d.version) : "";
        e->build = d.kind == TN_PYDIST_CONDA ? tn_arena_strdup(p->mem, d.build) : "";
    }
    s->entry = entry;
    tn_arena_deinit(&scratch);
    return s;
}

const struct tn_pyentry *tn_pyenv_entry(const struct tn_pysite *s, const char *name)
{
    for (size_t i = 0; s && i < s->n; i++)
        if (strcmp(s->entry[i].name, name) == 0)
            return &s->entry[i];
    return NULL;
}

static const struct tn_pysite *list_shared(struct tn_py *p, const char *path, bool judged)
{
    for (size_t i = 0; !judged && i < p->n_shared; i++)
        if (strcmp(p->shared[i]->path, path) == 0)
            return p->shared[i];
    const struct tn_pysite *s = tn_pyenv_list(p, path, judged);
    if (!judged && p->n_shared < 64) { /* a handful of base interpreters and user folders on any machine */
        p->shared = tn_arena_grow(p->mem, p->shared, p->n_shared, &p->cap_shared, sizeof *p->shared);
        p->shared[p->n_shared++] = s;
    }
    return s;
}

/* needed: a row even if it is not there. */
void tn_pyenv_add_site(struct tn_py *p, struct tn_pyenv *e, const char *path, bool needed, bool shared)
{
    for (size_t i = 0; i < e->n_site; i++)
        if (tn_path_same(p->st, e->site[i]->path, path))
            return;
    const struct tn_pysite *s = shared ? list_shared(p, path, e->judged) : tn_pyenv_list(p, path, e->judged);
    if (s->got == TN_ABSENT && !needed)
        return;
    e->site = tn_arena_grow(p->mem, (void *)e->site, e->n_site, &e->cap_site, sizeof *e->site);
    e->site[e->n_site++] = s;
    static const char *const marks[] = {"jax", "onnxruntime", "torch", "tensorflow", "tensorflow_core", NULL};
    for (size_t i = 0; s->entry && i < s->n; i++)
        e->has_framework |= tn_str_in(s->entry[i].name, marks) ||
                            (s->entry[i].kind && strncmp(s->entry[i].package, "tensorflow", 10) == 0);
}

/* "3.11" of "3.11.7". */
static const char *short_version(struct tn_py *p, const char *v)
{
    size_t n = strspn(v, "0123456789");
    if (v[n] == '.')
        n += 1 + strspn(v + n + 1, "0123456789");
    return tn_arena_strndup(p->mem, v, n);
}

/* prefix/lib/pythonX.Y, found by listing when the version is not known. */
static const char *lib_folder(struct tn_py *p, const char *lib, const char *python)
{
    if (python)
        return tn_pyenv_join(p, lib, tn_arena_printf(p->mem, "python%s", short_version(p, python)));
    struct tn_answer a = tn_world_list(p->w, p->mem, lib);
    const char *best = NULL;
    for (size_t i = 0; i < a.n_entry; i++)
        if (strncmp(a.entry[i].name, "python", 6) == 0 && tn_is_digit(a.entry[i].name[6]) &&
            strchr(a.entry[i].name, '.'))
            best = a.entry[i].name;
    return best ? tn_pyenv_join(p, lib, best) : NULL;
}

static void add_prefix_sites(struct tn_py *p, struct tn_pyenv *e, const char *prefix, const char *python, bool shared)
{
    if (p->st == TN_PATH_WINDOWS) {
        const char *at = "Lib\\site-packages";
        if (e->python && tn_str_eq(e->kind, "store")) { /* its own folder below the package's data */
            const char *v = short_version(p, e->python), *dot = strchr(v, '.');
            at = tn_arena_printf(p->mem, "LocalCache\\local-packages\\Python%.*s%s\\site-packages",
                                 dot ? (int)(dot - v) : 8, v, dot ? dot + 1 : "");
        }
        tn_pyenv_add_site(p, e, tn_pyenv_join(p, prefix, at), !shared, shared);
        return;
    }
    const char *lib64 = tn_pyenv_join(p, prefix, "lib64"), *at;
    struct tn_answer a = tn_world_lstat(p->w, lib64);
    if (a.got == TN_KNOWN && a.st.type == 'd' && (at = lib_folder(p, lib64, python)) != NULL)
        tn_pyenv_add_site(p, e, tn_pyenv_join(p, at, "site-packages"), false, shared);
    if ((at = lib_folder(p, tn_pyenv_join(p, prefix, "lib"), python)) != NULL)
        tn_pyenv_add_site(p, e, tn_pyenv_join(p, at, "site-packages"), !shared, shared);
}

/* The system's own interpreter: Debian's folders, else the usual ones with /usr/local before /usr. */
static void add_system_sites(struct tn_py *p, struct tn_pyenv *e, const char *python)
{
    const char *v = python ? short_version(p, python) : "3";
    if (tn_world_is_dir(p->w, "/usr/lib/python3/dist-packages")) {
        tn_pyenv_add_site(p, e, tn_arena_printf(p->mem, "/usr/local/lib/python%s/dist-packages", v), false, true);
        tn_pyenv_add_site(p, e, v[0] == '2' ? "/usr/lib/python2.7/dist-packages" : "/usr/lib/python3/dist-packages",
                          true, true);
        tn_pyenv_add_site(p, e, tn_arena_printf(p->mem, "/usr/lib/python%s/dist-packages", v), false, true);
        return;
    }
    static const char *const lib[] = {"/usr/local/lib64", "/usr/local/lib", "/usr/lib64", "/usr/lib"};
    for (unsigned i = 0; i < TN_LEN(lib); i++)
        tn_pyenv_add_site(p, e, tn_arena_printf(p->mem, "%s/python%s/site-packages", lib[i], v), i == 3, true);
}

static void add_user_site(struct tn_py *p, struct tn_pyenv *e)
{
    if (p->no_user_site || !e->python)
        return;
    const char *v = short_version(p, e->python), *base = tn_pyenv_var(p, "PYTHONUSERBASE");
    if (p->st == TN_PATH_WINDOWS) {
        char flat[16];
        size_t n = 0;
        for (; *v && n + 1 < sizeof flat; v++)
            if (*v != '.')
                flat[n++] = *v;
        flat[n] = 0;
        if (!base && p->appdata)
            base = tn_pyenv_join(p, p->appdata, "Python");
        if (base)
            tn_pyenv_add_site(p, e, tn_pyenv_join(p, base, tn_arena_printf(p->mem, "Python%s\\site-packages", flat)),
                              false, true);
        return;
    }
    if (!base && p->home)
        base = tn_pyenv_join(p, p->home, ".local");
    if (base)
        tn_pyenv_add_site(p, e, tn_pyenv_join(p, base, tn_arena_printf(p->mem, "lib/python%s/site-packages", v)), false,
                          true);
}

static void add_base_sites(struct tn_py *p, struct tn_pyenv *e, const char *base, bool shared)
{
    if (strcmp(base, "/usr") == 0 && p->st == TN_PATH_POSIX)
        add_system_sites(p, e, e->python);
    else
        add_prefix_sites(p, e, base, e->python, shared);
}

/* Lines of a .pth file that name folders (site.addpackage); "import" lines are code and are not followed. */
static void follow_pth(struct tn_py *p, struct tn_pyenv *e, const struct tn_pysite *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!tn_str_ends(s->entry[i].name, ".pth"))
            continue;
        struct tn_answer a = tn_world_read(p->w, p->mem, tn_pyenv_join(p, s->path, s->entry[i].name), 65536);
        struct tn_span rest = a.data, line;
        for (unsigned lines = 0; a.got == TN_KNOWN && lines < 256 && tn_span_line(&rest, &line); lines++) {
            line = tn_span_trim(line);
            if (line.n == 0 || line.n >= TN_MAX_PATH_BYTES || line.p[0] == '#' || tn_span_starts(line, "import ") ||
                tn_span_starts(line, "import\t") || memchr(line.p, 0, line.n))
                continue;
            const char *at = tn_pyenv_join(p, s->path, tn_arena_strndup(p->mem, (const char *)line.p, line.n));
            if (tn_world_is_dir(p->w, at))
                tn_pyenv_add_site(p, e, tn_path_norm(p->mem, p->st, at), false, false);
        }
    }
}

static void add_pythonpath(struct tn_py *p, struct tn_pyenv *e)
{
    const char *text = tn_pyenv_var(p, "PYTHONPATH");
    char sep = p->st == TN_PATH_WINDOWS ? ';' : ':';
    for (unsigned n = 0; text && *text && n < 64; n++) {
        const char *end = strchr(text, sep);
        size_t len = end ? (size_t)(end - text) : strlen(text);
        const char *at = tn_arena_strndup(p->mem, text, len);
        if (len && tn_path_is_abs(p->st, at))
            tn_pyenv_add_site(p, e, at, false, false);
        text += len + (end != NULL);
    }
}

/* What .pth files add comes right behind the folders that hold them (site.addsitedir). */
static size_t with_pth(struct tn_py *p, struct tn_pyenv *e, size_t from)
{
    size_t last = e->n_site;
    for (size_t i = from; e->judged && i < last; i++)
        follow_pth(p, e, e->site[i]);
    return e->n_site;
}

void tn_pyenv_sites(struct tn_py *p, struct tn_pyenv *e)
{
    if (e->judged)
        add_pythonpath(p, e);
    e->end_path = e->end_env = e->end_user = e->n_site;
    e->user_first = !e->venv;
    if (e->venv) {
        add_prefix_sites(p, e, e->prefix, e->python, false);
        e->end_env = e->end_user = with_pth(p, e, e->end_path);
        if (e->system_site) {
            add_user_site(p, e);
            e->end_user = with_pth(p, e, e->end_env);
            if (e->base)
                add_base_sites(p, e, e->base, true);
            with_pth(p, e, e->end_user);
        }
    } else {
        add_user_site(p, e);
        e->end_user = with_pth(p, e, e->end_path);
        add_base_sites(p, e, e->prefix, false);
        e->end_env = with_pth(p, e, e->end_user);
    }
}

const char *tn_pyenv_place(const struct tn_pyenv *e, size_t i)
{
    if (i < e->end_path)
        return "path";
    if (e->user_first)
        return i < e->end_user ? "user" : "env";
    return i < e->end_env ? "env" : i < e->end_user ? "user" : "base";
}
