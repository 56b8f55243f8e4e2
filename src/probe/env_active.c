/* env_active.c - which environment the verdict is about (design 6.1): the one asked for, the active one, else the
 * interpreter first on PATH, through pyenv's shims.
 *
 * Sources: pyenv libexec/pyenv-version-name and pyenv-version-file (PYENV_VERSION, .python-version in the current
 * folder and above, the root's version file; "system"; a prefix "3.11" means the newest of its line). */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/env.h"
#include "version/dotted.h"

static bool is_folder(struct tn_py *p, const char *path)
{
    return path && tn_world_is_dir(p->w, path);
}

/* A folder as a person names it: the prefix itself, or its folder of programs. */
static bool folder_place(struct tn_py *p, const char *path, struct tn_pyplace *ret)
{
    const char *base = tn_path_base(p->st, path);
    if (*base == 0 && strlen(path) > 1)
        path = tn_path_norm(p->mem, p->st, path), base = tn_path_base(p->st, path);
    if ((strcmp(base, "bin") == 0 || strcmp(base, "Scripts") == 0) &&
        !tn_world_exists(p->w, tn_pyenv_join(p, path, "conda-meta")) && tn_pyenv_python_in(p, path))
        return tn_pyenv_of_interpreter(p, tn_pyenv_python_in(p, path), ret);
    memset(ret, 0, sizeof *ret);
    ret->system = true;
    ret->real = tn_world_real(p->w, p->mem, path, NULL);
    for (size_t i = 0; ret->real && i < p->n_place; i++) /* of the Store the interpreter lies elsewhere */
        if (p->place[i].interpreter && tn_path_same(p->st, p->place[i].real, ret->real))
            *ret = p->place[i];
    return ret->real != NULL;
}

static bool is_python_name(const char *base)
{
    static const char *const names[] = {"python", "pypy", "graalpy", "pip"};
    for (unsigned i = 0; i < TN_LEN(names); i++) {
        size_t n = 0;
        while (names[i][n] && tn_lower(base[n]) == names[i][n])
            n++;
        if (!names[i][n])
            return true;
    }
    return false;
}

/* What --env names is an interpreter (or its pip) by its name, or lies in an environment that something marks
 * (venv/bin/activate); a text, a pipe or a program in some folder is none. */
static bool file_place(struct tn_py *p, const char *path, char type, struct tn_pyplace *ret)
{
    if (type != 'f' || !tn_pyenv_of_interpreter(p, path, ret))
        return false;
    return is_python_name(tn_path_base(p->st, path)) || is_python_name(tn_path_base(p->st, ret->interpreter)) ||
           tn_world_exists(p->w, tn_pyenv_join(p, ret->real, "pyvenv.cfg")) ||
           tn_world_exists(p->w, tn_pyenv_join(p, ret->real, "conda-meta"));
}

static bool named_path(struct tn_py *p, const char *text, struct tn_pyplace *ret)
{
    const char *at = p->cwd ? tn_pyenv_join(p, p->cwd, text) : text;
    if (p->home && text[0] == '~' && (text[1] == 0 || tn_path_is_sep(p->st, text[1])))
        at = tn_pyenv_join(p, p->home, text[1] ? text + 2 : "");
    struct tn_answer a = tn_world_stat(p->w, at);
    if (a.got != TN_KNOWN)
        return false;
    at = tn_path_norm(p->mem, p->st, at);
    const char *prefix;
    if (p->st == TN_PATH_WINDOWS && a.st.type != 'd' && tn_pyenv_store_stub(p, at, &prefix)) {
        *ret = (struct tn_pyplace){prefix, at, false, true};
        return prefix != NULL;
    }
    return a.st.type == 'd' ? folder_place(p, at, ret) : file_place(p, at, a.st.type, ret);
}

/* A name: an environment of the usual places, or the project that holds a .venv. */
static bool named_place(struct tn_py *p, const char *name, struct tn_pyplace *ret)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->n_place; i++) {
            const char *at = p->place[i].real, *base = tn_path_base(p->st, at);
            if (pass) {
                if (strcmp(base, ".venv") != 0 && strcmp(base, "venv") != 0 &&
                    !(strcmp(name, "base") == 0 && tn_world_is_dir(p->w, tn_pyenv_join(p, at, "condabin"))))
                    continue;
                at = tn_path_dir(p->mem, p->st, at);
                if (strcmp(name, "base") == 0 || strcmp(tn_path_base(p->st, at), name) == 0) {
                    *ret = p->place[i];
                    return true;
                }
            } else if (strcmp(base, name) == 0) {
                struct tn_pyenv e;
                memset(&e, 0, sizeof e);
                if (tn_pyenv_look(p, &p->place[i], &e)) {
                    *ret = p->place[i];
                    return true;
                }
            }
        }
    return false;
}

static bool shim(struct tn_py *p, const char *python)
{
    const char *bin = tn_path_dir(p->mem, p->st, python);
    if (strcmp(tn_path_base(p->st, bin), "shims") != 0)
        return false;
    const char *root = tn_path_dir(p->mem, p->st, bin);
    if (p->pyenv_root && tn_path_same(p->st, root, p->pyenv_root))
        return true;
    struct tn_answer a = tn_world_read(p->w, p->mem, python, 4096);
    if (a.got != TN_KNOWN || tn_span_find(a.data, 0, "pyenv", 5) == SIZE_MAX)
        return false;
    p->pyenv_root = root;
    return true;
}

/* The versions that pyenv would use, as text: separated by colons, blanks or line ends. NULL: the system's. */
static const char *pyenv_wants(struct tn_py *p)
{
    const char *v = tn_pyenv_var(p, "PYENV_VERSION"), *dir = tn_pyenv_var(p, "PYENV_DIR");
    if (v)
        return v;
    for (dir = dir ? dir : p->cwd; dir; dir = tn_path_dir(p->mem, p->st, dir)) {
        struct tn_answer a = tn_world_read(p->w, p->mem, tn_pyenv_join(p, dir, ".python-version"), 4096);
        if (a.got == TN_KNOWN)
            return tn_arena_strndup(p->mem, (const char *)a.data.p, a.data.n);
        if (strcmp(dir, "/") == 0 || strcmp(dir, ".") == 0)
            break;
    }
    struct tn_answer a = tn_world_read(p->w, p->mem, tn_pyenv_join(p, p->pyenv_root, "version"), 4096);
    return a.got == TN_KNOWN ? tn_arena_strndup(p->mem, (const char *)a.data.p, a.data.n) : NULL;
}

/* The installed version that a word means: itself, without "python-", or the newest of its line. */
static const char *pyenv_version(struct tn_py *p, const char *versions, const char *word)
{
    const char *plain = strncmp(word, "python-", 7) == 0 ? word + 7 : word;
    const char *try[] = {word, plain};
    for (unsigned i = 0; i < 2; i++)
        if (is_folder(p, tn_pyenv_join(p, versions, try[i])))
            return tn_pyenv_join(p, versions, try[i]);
    struct tn_answer a = tn_world_list(p->w, p->mem, versions);
    const char *best = NULL;
    size_t n = strlen(plain);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *name = a.entry[i].name;
        if (strncmp(name, plain, n) == 0 && name[n] == '.' && (!best || tn_version_dotted_cmp(name, best) > 0))
            best = name;
    }
    return best ? tn_pyenv_join(p, versions, best) : NULL;
}

/* False when pyenv hands on to the system: the search goes on behind the shims. */
static bool through_pyenv(struct tn_py *p, struct tn_pyplace *ret)
{
    const char *versions = tn_pyenv_join(p, p->pyenv_root, "versions"), *text = pyenv_wants(p);
    while (text && *text) {
        static const char separators[] = ": \t\r\n";
        text += strspn(text, separators);
        size_t n = strcspn(text, separators);
        const char *word = tn_arena_strndup(p->mem, text, n);
        text += n;
        if (n == 0 || *word == '#')
            continue;
        if (strcmp(word, "system") == 0)
            return false;
        const char *at = strpbrk(word, "/\\") ? NULL : pyenv_version(p, versions, word);
        const char *python = at ? tn_pyenv_python_in(p, tn_pyenv_join(p, at, "bin")) : NULL;
        if (python)
            return tn_pyenv_of_interpreter(p, python, ret);
    }
    return false;
}

bool tn_pyenv_on_path(struct tn_py *p, const char *path, struct tn_pyplace *ret)
{
    char sep = p->st == TN_PATH_WINDOWS ? ';' : ':';
    for (unsigned n = 0; path && *path && n < 1024; n++) {
        const char *end = strchr(path, sep);
        size_t len = end ? (size_t)(end - path) : strlen(path);
        const char *bin = tn_arena_strndup(p->mem, path + (*path == '"'), len - (len && *path == '"'));
        path += len + (end != NULL);
        len = strlen(bin);
        if (len && bin[len - 1] == '"')
            bin = tn_arena_strndup(p->mem, bin, len - 1);
        if (!tn_path_is_abs(p->st, bin))
            continue;
        const char *python = tn_pyenv_python_in(p, bin), *prefix = NULL;
        if (!python)
            continue;
        if (p->st == TN_PATH_WINDOWS && tn_pyenv_store_stub(p, python, &prefix)) {
            if (!prefix) { /* the stub that only opens the Store */
                p->store_alias = p->store_alias ? p->store_alias : python;
                continue;
            }
            *ret = (struct tn_pyplace){prefix, python, false, true};
            return true;
        }
        if (shim(p, python) ? through_pyenv(p, ret) : tn_pyenv_of_interpreter(p, python, ret))
            return true;
    }
    return false;
}

static bool by_variable(struct tn_py *p, struct tn_pyactive *r, unsigned i, const char *name, const char **ret_real)
{
    const char *v = tn_pyenv_var(p, name);
    if (!v)
        return false;
    if (!is_folder(p, v)) {
        r->dangling[i] = v;
        r->dangling_by[i] = name;
        return false;
    }
    *ret_real = tn_world_real(p->w, p->mem, v, NULL);
    if (r->place.real || !*ret_real)
        return false;
    r->place = (struct tn_pyplace){*ret_real, NULL, strcmp(name, "CONDA_PREFIX") == 0, true};
    r->why = name;
    return true;
}

void tn_pyenv_active(struct tn_py *p, struct tn_pyactive *ret)
{
    const char *asked = p->want ? p->want->env : NULL;
    memset(ret, 0, sizeof *ret);
    if (asked && *asked) {
        ret->why = "option";
        if (!named_path(p, asked, &ret->place) && !named_place(p, asked, &ret->place)) {
            ret->asked = asked;
            ret->place.real = NULL;
        }
    }
    const char *first = ret->place.real;
    by_variable(p, ret, 0, "VIRTUAL_ENV", &ret->virtual_env);
    by_variable(p, ret, 1, "CONDA_PREFIX", &ret->conda_prefix);
    if (asked && *asked) {
        if (!first) /* what was asked for is not there: nothing else takes its place */
            ret->place.real = NULL;
        ret->why = "option";
        return;
    }
    if (ret->place.real)
        return;
    ret->why = "PATH";
    if (p->live && tn_pyenv_on_path(p, tn_pyenv_var(p, "PATH"), &ret->place))
        return;
    const char *python;
    if (p->live && p->st == TN_PATH_WINDOWS && tn_pyenv_windows_default(p, &python, &ret->why) &&
        tn_pyenv_of_interpreter(p, python, &ret->place))
        return;
    memset(&ret->place, 0, sizeof ret->place);
}
