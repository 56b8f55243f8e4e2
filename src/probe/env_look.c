/* env_look.c - what kind of environment a prefix is, whose interpreter it has, what a person calls it.
 *
 * Sources: PEP 405 and CPython Lib/venv (pyvenv.cfg), virtualenv and uv (version_info, base-prefix), conda
 * (conda-meta/ makes a prefix an environment), CPython Modules/getpath.py (which prefix an interpreter has). */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/env.h"

/* "3.11.7" of "3.11.7.final.0"; NULL for what is no version. */
static const char *python_version(struct tn_py *p, struct tn_span v)
{
    size_t n = 0;
    unsigned dots = 0;
    while (n < v.n && (tn_is_digit((char)v.p[n]) || v.p[n] == '.') && (v.p[n] != '.' || ++dots < 3))
        n++;
    if (dots < 3)
        while (n < v.n && n < 32 && (tn_is_digit((char)v.p[n]) || tn_is_alpha((char)v.p[n]))) /* 3.14.0rc1 */
            n++;
    return n && n < 32 && tn_is_digit((char)v.p[0]) ? tn_arena_strndup(p->mem, (const char *)v.p, n) : NULL;
}

static bool key_is(struct tn_span key, const char *name)
{
    char low[40];
    if (key.n >= sizeof low)
        return false;
    for (size_t i = 0; i < key.n; i++)
        low[i] = tn_lower((char)key.p[i]);
    low[key.n] = 0;
    return strcmp(low, name) == 0;
}

static const char *path_of(struct tn_py *p, struct tn_span v)
{
    return v.n && v.n < TN_MAX_PATH_BYTES && !memchr(v.p, 0, v.n) ? tn_arena_strndup(p->mem, (const char *)v.p, v.n)
                                                                  : NULL;
}

static void read_cfg(struct tn_py *p, struct tn_span text, struct tn_pyenv *e)
{
    struct tn_span line;
    while (tn_span_line(&text, &line)) {
        const unsigned char *eq = memchr(line.p, '=', line.n);
        if (!eq)
            continue;
        size_t k = (size_t)(eq - line.p);
        struct tn_span key = tn_span_trim(tn_span_of(line.p, k)), v = tn_span_trim(tn_span_from(line, k + 1));
        if (key_is(key, "home"))
            e->home_bin = path_of(p, v);
        else if (key_is(key, "base-prefix"))
            e->base = path_of(p, v);
        else if (key_is(key, "include-system-site-packages"))
            e->system_site = key_is(v, "true");
        else if (key_is(key, "version") || (key_is(key, "version_info") && !e->python))
            e->python = python_version(p, v);
        else if (key_is(key, "prompt"))
            e->prompt = path_of(p, v);
        else if (key_is(key, "uv") || key_is(key, "virtualenv"))
            e->made_by = key_is(key, "uv") ? "uv" : "virtualenv";
        else if (key_is(key, "command") && !e->made_by && tn_span_find(v, 0, "-m venv", 7) != SIZE_MAX)
            e->made_by = "venv";
    }
    if (!e->base && e->home_bin) {
        const char *last = tn_path_base(p->st, e->home_bin);
        e->base =
            p->st == TN_PATH_POSIX && strcmp(last, "bin") == 0 ? tn_path_dir(p->mem, p->st, e->home_bin) : e->home_bin;
    }
}

static bool look_venv(struct tn_py *p, struct tn_pyenv *e)
{
    const char *cfg = tn_pyenv_join(p, e->real, "pyvenv.cfg");
    struct tn_answer a = tn_world_read(p->w, p->mem, cfg, TN_MAX_SMALL_FILE);
    if (a.got == TN_ABSENT || a.got == TN_UNASKED)
        return false;
    if (a.got == TN_DENIED && !e->judged) { /* somebody's folder: there may be an environment */
        if (!p->trouble_src) {
            p->trouble = a.got;
            p->trouble_src = tn_probe_src(p->s, "read", cfg, &a);
        }
        return false;
    }
    e->kind_src = tn_probe_src(p->s, "read", cfg, &a);
    e->kind_got = a.got == TN_KNOWN ? TN_KNOWN : a.got;
    e->kind = "venv";
    e->venv = true;
    if (a.got == TN_KNOWN)
        read_cfg(p, a.data, e);
    e->python_src = e->kind_src;
    e->python_got = e->python ? TN_KNOWN : a.got == TN_KNOWN ? TN_ABSENT : a.got;
    return true;
}

static bool look_conda(struct tn_py *p, struct tn_pyenv *e)
{
    const char *meta = tn_pyenv_join(p, e->real, "conda-meta");
    if (!tn_world_is_dir(p->w, meta))
        return false;
    e->meta = tn_pyenv_list(p, meta, e->judged);
    e->kind = "conda";
    e->kind_got = TN_KNOWN;
    e->kind_src = e->python_src = e->meta->src;
    e->python_got = e->meta->got == TN_KNOWN ? TN_ABSENT : e->meta->got; /* no package of that name: no Python in it */
    for (size_t i = 0; i < e->meta->n; i++) {
        if (strcmp(e->meta->entry[i].package, "python") == 0) {
            e->python = python_version(p, tn_span_str(e->meta->entry[i].version));
            e->python_got = e->python ? TN_KNOWN : TN_FAILED;
        }
    }
    return true;
}

/* "3.11" of ".../python3.11"; NULL otherwise. */
static const char *version_in_name(struct tn_py *p, const char *path)
{
    const char *base = path ? tn_path_base(p->st, path) : "";
    if (strncmp(base, "python", 6) != 0 || !strchr(base, '.') || !tn_is_digit(base[6]))
        return NULL;
    return python_version(p, tn_span_str(base + 6));
}

/* The development header, where it is installed, says all three numbers (Include/patchlevel.h). */
static const char *version_in_header(struct tn_py *p, struct tn_pyenv *e, const char *two)
{
    const char *at = p->st == TN_PATH_WINDOWS ? "include\\patchlevel.h"
                                              : tn_arena_printf(p->mem, "include/python%s/patchlevel.h", two);
    at = tn_pyenv_join(p, e->real, at);
    struct tn_answer a = tn_world_read(p->w, p->mem, at, TN_MAX_SMALL_FILE);
    static const char mark[] = "#define PY_VERSION";
    size_t i = a.got == TN_KNOWN ? tn_span_find(a.data, 0, mark, sizeof mark - 1) : SIZE_MAX;
    size_t quote = i == SIZE_MAX ? SIZE_MAX : tn_span_find(a.data, i, "\"", 1);
    if (quote == SIZE_MAX)
        return NULL;
    const char *v = python_version(p, tn_span_from(a.data, quote + 1));
    if (v)
        e->python_src = tn_probe_src(p->s, "read", at, &a);
    return v;
}

/* "3.10" of the library beside python.exe, python310.dll (PC/layout of CPython; python3.dll is every release's). */
static const char *version_of_library(struct tn_py *p, struct tn_pyenv *e)
{
    struct tn_answer a = tn_world_list(p->w, p->mem, e->real);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *name = tn_path_key(p->mem, p->st, a.entry[i].name);
        size_t n = tn_str_starts(name, "python") ? strspn(name + 6, "0123456789") : 0;
        if (n < 2 || !tn_str_eq(name + 6 + n, ".dll"))
            continue;
        e->python_src = tn_probe_src(p->s, "list", e->real, &a);
        return tn_arena_printf(p->mem, "%c.%.*s", name[6], (int)n - 1, name + 7);
    }
    return NULL;
}

static void look_version(struct tn_py *p, struct tn_pyenv *e)
{
    const char *base = tn_path_base(p->st, e->real);
    const char *two = version_in_name(p, e->interpreter);
    e->python_src = e->src;
    e->python_got = TN_KNOWN;
    if (tn_str_eq(e->kind, "pyenv") && tn_is_digit(*base)) {
        e->python = python_version(p, tn_span_str(base));
        return;
    }
    if (tn_str_eq(e->kind, "store")) { /* ...\\PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0 */
        const char *mark = strstr(base, ".Python.");
        two = mark ? python_version(p, tn_span_str(mark + 8)) : NULL;
    }
    if (!two && p->st == TN_PATH_POSIX) {
        const char *lib = tn_pyenv_join(p, e->real, "lib");
        struct tn_answer a = tn_world_list(p->w, p->mem, lib);
        for (size_t i = 0; i < a.n_entry; i++)
            if (version_in_name(p, a.entry[i].name) && a.entry[i].type != 'f')
                two = version_in_name(p, a.entry[i].name);
        if (two)
            e->python_src = tn_probe_src(p->s, "list", lib, &a);
    }
    if (!two && p->st == TN_PATH_WINDOWS && e->interpreter)
        two = version_of_library(p, e);
    if (!two) {
        e->python_got = e->python ? TN_KNOWN : TN_ABSENT;
        return;
    }
    const char *three = version_in_header(p, e, two);
    e->python = three ? three : two;
}

/* The files that may be its interpreter, best first. */
const char *tn_pyenv_python_in(struct tn_py *p, const char *bin)
{
    static const char *const posix[] = {"python3", "python", "python2", NULL}, *const windows[] = {"python.exe", NULL};
    for (const char *const *n = p->st == TN_PATH_WINDOWS ? windows : posix; *n; n++) {
        const char *at = tn_pyenv_join(p, bin, *n);
        struct tn_answer a = tn_world_stat(p->w, at);
        bool alias = p->st == TN_PATH_WINDOWS && a.st.type == 'o'; /* of a Store program */
        if (a.got == TN_KNOWN && (a.st.type == 'f' || alias))
            return at;
    }
    return NULL;
}

static void look_interpreter(struct tn_py *p, struct tn_pyenv *e)
{
    if (!e->interpreter) {
        const char *folder = p->st == TN_PATH_POSIX ? "bin" : e->venv ? "Scripts" : "";
        const char *bin = *folder ? tn_pyenv_join(p, e->prefix, folder) : e->prefix;
        if (e->venv || e->judged || e->meta)
            e->interpreter = tn_pyenv_python_in(p, bin);
        if (!e->interpreter) {
            const char *at = tn_pyenv_join(p, bin, p->st == TN_PATH_WINDOWS ? "python.exe" : "python");
            struct tn_answer a = tn_world_stat(p->w, at);
            e->interpreter_got =
                a.got == TN_KNOWN ? TN_FAILED : a.got; /* a dead link is absent: nothing starts there */
            e->interpreter_src = tn_probe_src(p->s, "stat", at, &a);
            if (a.got == TN_KNOWN && a.st.type == 'f') {
                e->interpreter = at;
                e->interpreter_got = TN_KNOWN;
            }
            return;
        }
    }
    e->interpreter_got = TN_KNOWN;
    e->interpreter_src = tn_snap_src_of(p->s, TN_KNOWN, NULL, "stat", e->interpreter);
}

static void look_name(struct tn_py *p, struct tn_pyenv *e)
{
    const char *base = tn_path_base(p->st, e->prefix), *dir = tn_path_dir(p->mem, p->st, e->prefix);
    if (strcmp(e->kind, "system") == 0) {
        e->name = e->interpreter ? tn_path_base(p->st, e->interpreter) : base;
    } else if (strcmp(e->kind, "conda") == 0 && strcmp(tn_path_base(p->st, dir), "envs") != 0 &&
               tn_world_is_dir(p->w, tn_pyenv_join(p, e->prefix, "condabin"))) {
        e->name = "base";
    } else if (e->venv && (strcmp(base, ".venv") == 0 || strcmp(base, "venv") == 0 || strcmp(base, "env") == 0)) {
        e->name = tn_pyenv_join(p, tn_path_base(p->st, dir), base); /* project/.venv */
    } else {
        e->name = base;
    }
}

/* A prefix that nothing marks: the system's, pyenv's, or a Python by itself. */
static bool look_bare(struct tn_py *p, struct tn_pyenv *e)
{
    e->kind = "standalone";
    if (strstr(e->real, "/.pyenv/versions/") ||
        (p->pyenv_root && tn_path_under(p->st, e->real, tn_pyenv_join(p, p->pyenv_root, "versions"))))
        e->kind = "pyenv";
    else if (p->st == TN_PATH_POSIX && (strcmp(e->real, "/usr") == 0 || strcmp(e->real, "/usr/local") == 0))
        e->kind = "system";
    else if (strstr(e->real, "PythonSoftwareFoundation.Python."))
        e->kind = "store";
    else if (p->st == TN_PATH_POSIX && tn_world_exists(p->w, tn_pyenv_join(p, e->real, "bin/activate")))
        e->kind = "venv"; /* virtualenv before 20 wrote no pyvenv.cfg */
    look_interpreter(p, e);
    if (!e->interpreter)
        return false;
    e->kind_got = TN_KNOWN;
    e->kind_src = e->src = e->interpreter_src;
    if (!e->python)
        look_version(p, e);
    return true;
}

bool tn_pyenv_look(struct tn_py *p, const struct tn_pyplace *at, struct tn_pyenv *ret)
{
    struct tn_pyenv *e = ret;
    e->real = at->real;
    e->interpreter = at->interpreter;
    if (!e->prefix)
        e->prefix = at->real;
    bool found = at->system && strcmp(at->real, "/usr") == 0 ? false
                 : at->conda                                 ? look_conda(p, e) || look_venv(p, e)
                                                             : look_venv(p, e) || look_conda(p, e);
    if (found) {
        e->src = e->kind_src;
        look_interpreter(p, e);
    } else if (!at->system || !look_bare(p, e))
        return false;
    look_name(p, e);
    return true;
}

bool tn_pyenv_of_interpreter(struct tn_py *p, const char *path, struct tn_pyplace *ret)
{
    const char *bin = tn_path_dir(p->mem, p->st, path), *up = tn_path_dir(p->mem, p->st, bin);
    memset(ret, 0, sizeof *ret);
    ret->system = true;
    ret->interpreter = path;
    if (tn_world_exists(p->w, tn_pyenv_join(p, bin, "pyvenv.cfg")))
        ret->real = bin;
    else if (tn_world_exists(p->w, tn_pyenv_join(p, up, "pyvenv.cfg")))
        ret->real = up;
    if (ret->real) {
        ret->real = tn_world_real(p->w, p->mem, ret->real, NULL);
        return ret->real != NULL;
    }
    const char *real = tn_world_real(p->w, p->mem, path, NULL);
    if (!real)
        return false;
    bin = tn_path_dir(p->mem, p->st, real);
    ret->interpreter = real;
    bool below = strcmp(tn_path_base(p->st, bin), "bin") == 0 && p->st == TN_PATH_POSIX;
    ret->real = below ? tn_path_dir(p->mem, p->st, bin) : bin;
    if (strcmp(ret->real, "/") == 0) /* /bin of a system without usrmerge */
        ret->real = "/usr";
    return true;
}
