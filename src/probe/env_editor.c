/* env_editor.c - the interpreters that editors have chosen for the project one stands in: VS Code and PyCharm.
 *
 * Sources: VS Code's Python extension (python.defaultInterpreterPath, formerly python.pythonPath, in
 * .vscode/settings.json and the user's settings.json; JSON with comments and commas at ends; ${workspaceFolder}, ~),
 * PyCharm (.idea/misc.xml: project-jdk-name; the name alone, its path stands in the editor's own jdk.table.xml).
 * A scan for one key, no parser: what is more is nobody's business here. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/env.h"

/* Behind the end of a comment that starts at i, else i. */
static size_t skip_comment(struct tn_span t, size_t i)
{
    if (i + 1 >= t.n || t.p[i] != '/')
        return i;
    size_t end = t.p[i + 1] == '/'   ? tn_span_find(t, i, "\n", 1)
                 : t.p[i + 1] == '*' ? tn_span_find(t, i + 2, "*/", 2)
                                     : i;
    return end == SIZE_MAX ? t.n : end == i ? i : end + (t.p[i + 1] == '/' ? 1 : 2);
}

/* The string that begins at the quote i, escapes undone; *ret_end: behind its closing quote. */
static const char *string_at(struct tn_py *p, struct tn_span t, size_t i, size_t *ret_end)
{
    size_t n = 0, k = i + 1;
    while (k < t.n && t.p[k] != '"')
        k += t.p[k] == '\\' ? 2 : 1;
    *ret_end = k < t.n ? k + 1 : t.n;
    if (k >= t.n || k - i > TN_MAX_PATH_BYTES)
        return NULL;
    char *s = tn_arena_alloc(p->mem, k - i);
    for (size_t m = i + 1; m < k; m++) {
        if (t.p[m] == '\\' && m + 1 < k && t.p[m + 1] == 'u') /* no path of an interpreter needs one */
            return NULL;
        m += t.p[m] == '\\' && m + 1 < k;
        s[n++] = (char)t.p[m];
    }
    s[n] = 0;
    return strlen(s) == n ? s : NULL;
}

/* The text value of a key of a JSON document with comments, wherever it stands; NULL if none. */
static const char *jsonc_value(struct tn_py *p, struct tn_span t, const char *const *keys)
{
    const char *key = NULL;
    for (size_t i = 0, end; i < t.n;) {
        if ((end = skip_comment(t, i)) != i) {
            i = end;
        } else if (t.p[i] == '"') {
            const char *s = string_at(p, t, i, &end);
            if (key && tn_str_in(key, keys) && s)
                return s;
            size_t colon = end;
            while (colon < t.n && memchr(" \t\r\n", t.p[colon], 4))
                colon++;
            key = colon < t.n && t.p[colon] == ':' ? s : NULL;
            i = key ? colon + 1 : end;
        } else {
            if (!memchr(" \t\r\n", t.p[i], 4))
                key = NULL;
            i++;
        }
    }
    return NULL;
}

static const char *expand(struct tn_py *p, const char *folder, const char *value)
{
    static const char *const here[] = {"${workspaceFolder}", "${workspaceRoot}", NULL};
    for (const char *const *h = here; *h; h++)
        if (tn_str_starts(value, *h)) {
            const char *rest = value + strlen(*h);
            return tn_pyenv_join(p, folder, rest + (tn_path_is_sep(p->st, *rest) || *rest == '/'));
        }
    if (value[0] == '~' && p->home && (value[1] == '/' || value[1] == '\\'))
        return tn_pyenv_join(p, p->home, value + 2);
    if (tn_str_starts(value, "${"))
        return NULL;
    return strpbrk(value, "/\\") && !tn_path_is_abs(p->st, value) ? tn_pyenv_join(p, folder, value) : value;
}

static bool add_vscode(struct tn_py *p, const char *folder, const char *file)
{
    static const char *const keys[] = {"python.defaultInterpreterPath", "python.pythonPath", NULL};
    struct tn_answer a = tn_world_read(p->w, p->mem, file, TN_MAX_SMALL_FILE);
    const char *value = a.got == TN_KNOWN ? jsonc_value(p, a.data, keys) : NULL;
    const char *path = value && *value ? expand(p, folder, value) : NULL;
    if (path)
        tn_pychoice_add(p, "vscode", tn_path_base(p->st, folder), file, path, tn_probe_src(p->s, "read", file, &a));
    return path != NULL;
}

/* <component name="ProjectRootManager" ... project-jdk-name="Python 3.11 (tf)" ...>: a name that a person gave it. */
static bool add_pycharm(struct tn_py *p, const char *folder)
{
    static const char key[] = "project-jdk-name=\"";
    const char *file = tn_pyenv_join(p, tn_pyenv_join(p, folder, ".idea"), "misc.xml");
    struct tn_answer a = tn_world_read(p->w, p->mem, file, TN_MAX_SMALL_FILE);
    size_t at = a.got == TN_KNOWN ? tn_span_find(a.data, 0, key, sizeof key - 1) : SIZE_MAX;
    if (at == SIZE_MAX)
        return false;
    at += sizeof key - 1;
    size_t end = tn_span_find(a.data, at, "\"", 1);
    if (end == SIZE_MAX || end == at || end - at > 200 || memchr(a.data.p + at, 0, end - at))
        return false;
    tn_pychoice_add(p, "pycharm", tn_path_base(p->st, folder), file,
                    tn_arena_strndup(p->mem, (const char *)a.data.p + at, end - at),
                    tn_probe_src(p->s, "read", file, &a));
    return true;
}

void tn_pychoice_editors(struct tn_py *p)
{
    const char *dir = p->cwd;
    bool vscode = false, pycharm = false;
    for (unsigned n = 0; dir && n < 16 && !(vscode && pycharm); n++) {
        vscode = vscode || add_vscode(p, dir, tn_pyenv_join(p, tn_pyenv_join(p, dir, ".vscode"), "settings.json"));
        pycharm = pycharm || add_pycharm(p, dir);
        const char *up = tn_path_dir(p->mem, p->st, dir);
        if (strcmp(up, dir) == 0 || strcmp(dir, ".") == 0)
            break;
        dir = up;
    }
    const char *user = p->st == TN_PATH_WINDOWS ? p->appdata : p->home;
    if (!vscode && user)
        add_vscode(
            p, user,
            tn_pyenv_join(p, user,
                          p->st == TN_PATH_WINDOWS ? "Code\\User\\settings.json" : ".config/Code/User/settings.json"));
}
