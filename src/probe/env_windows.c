/* env_windows.c - interpreters that only Windows has ways to name: the registry and the Store.
 *
 * Sources: PEP 514 (SOFTWARE\Python\COMPANY\TAG\InstallPath), the py launcher (py.ini, PY_PYTHON; the newest of
 * PythonCore otherwise), Microsoft's Store packages (0-byte stubs in WindowsApps). */
#include <string.h>

#include "base/str.h"
#include "probe/env.h"
#include "version/dotted.h"

static const char *const hives[] = {"HKCU\\SOFTWARE\\Python", "HKLM\\SOFTWARE\\Python"};

/* The program of one tag; NULL when the key does not say. */
static const char *registered(struct tn_py *p, const char *key)
{
    const char *at = tn_arena_printf(p->mem, "%s\\InstallPath", key);
    struct tn_answer a = tn_world_reg(p->w, p->mem, at, "ExecutablePath");
    if (a.got == TN_KNOWN && a.data.n)
        return (const char *)a.data.p;
    a = tn_world_reg(p->w, p->mem, at, "");
    return a.got == TN_KNOWN && a.data.n ? tn_pyenv_join(p, (const char *)a.data.p, "python.exe") : NULL;
}

void tn_pyenv_windows_places(struct tn_py *p)
{
    for (unsigned h = 0; h < TN_LEN(hives); h++) {
        struct tn_answer companies = tn_world_reg_list(p->w, p->mem, hives[h]);
        for (size_t i = 0; i < companies.n_entry; i++) {
            if (companies.entry[i].type != 'd' || strcmp(companies.entry[i].name, "PyLauncher") == 0)
                continue;
            const char *company = tn_arena_printf(p->mem, "%s\\%s", hives[h], companies.entry[i].name);
            struct tn_answer tags = tn_world_reg_list(p->w, p->mem, company);
            for (size_t j = 0; j < tags.n_entry; j++) {
                struct tn_pyplace at;
                const char *python = registered(p, tn_arena_printf(p->mem, "%s\\%s", company, tags.entry[j].name));
                if (python && tn_world_exists(p->w, python) && tn_pyenv_of_interpreter(p, python, &at))
                    tn_pyenv_add_place(p, at.real, at.interpreter, false, true);
            }
        }
    }
    if (p->localappdata) {
        static const char *const below[] = {"pypoetry\\Cache\\virtualenvs", "pipx\\pipx\\venvs", "Programs\\Python"};
        for (unsigned i = 0; i < TN_LEN(below); i++)
            tn_pyenv_add_children(p, tn_pyenv_join(p, p->localappdata, below[i]), false);
        const char *prefix;
        const char *stub = tn_pyenv_join(p, p->localappdata, "Microsoft\\WindowsApps\\python.exe");
        if (tn_pyenv_store_stub(p, stub, &prefix) && prefix)
            tn_pyenv_add_place(p, prefix, stub, false, true);
    }
    if (p->appdata)
        tn_pyenv_add_children(p, tn_pyenv_join(p, p->appdata, "uv\\tools"), false);
    static const char *const bases[] = {"C:\\ProgramData\\miniconda3", "C:\\ProgramData\\anaconda3",
                                        "C:\\ProgramData\\miniforge3"};
    for (unsigned i = 0; i < TN_LEN(bases); i++) {
        if (!tn_world_is_dir(p->w, bases[i]))
            continue;
        tn_pyenv_add_place(p, bases[i], NULL, true, false);
        tn_pyenv_add_children(p, tn_pyenv_join(p, bases[i], "envs"), true);
    }
}

/* What `py` starts: PY_PYTHON's tag, else the newest of PythonCore, the user's before the machine's. */
bool tn_pyenv_windows_default(struct tn_py *p, const char **ret_interpreter, const char **ret_why)
{
    const char *wanted = tn_pyenv_var(p, "PY_PYTHON"), *best = NULL, *found = NULL;
    bool named = false;
    for (unsigned h = 0; h < TN_LEN(hives) && !named; h++) {
        const char *core = tn_arena_printf(p->mem, "%s\\PythonCore", hives[h]);
        struct tn_answer tags = tn_world_reg_list(p->w, p->mem, core);
        for (size_t i = 0; i < tags.n_entry && !named; i++) {
            const char *tag = tags.entry[i].name;
            const char *python = registered(p, tn_arena_printf(p->mem, "%s\\%s", core, tag));
            if (!python || !tn_world_exists(p->w, python))
                continue;
            named = wanted && tn_str_ieq(wanted, tag);
            if (named || !best || tn_version_dotted_cmp(tag, best) > 0) {
                best = tag;
                found = python;
            }
        }
    }
    if (!found)
        return false;
    *ret_interpreter = found;
    *ret_why = "registry";
    return true;
}

bool tn_pyenv_store_stub(struct tn_py *p, const char *path, const char **ret_prefix)
{
    static const char start[] = "PythonSoftwareFoundation.Python.";
    *ret_prefix = NULL;
    const char *bin = tn_path_dir(p->mem, p->st, path);
    if (!tn_str_ieq(tn_path_base(p->st, bin), "WindowsApps"))
        return false;
    struct tn_answer a = tn_world_stat(p->w, path);
    if (a.got == TN_ABSENT || (a.got == TN_KNOWN && a.st.size != 0))
        return false;
    if (!p->localappdata)
        return true;
    const char *packages = tn_pyenv_join(p, p->localappdata, "Packages"), *best = NULL;
    a = tn_world_list(p->w, p->mem, packages);
    for (size_t i = 0; i < a.n_entry; i++)
        if (strncmp(a.entry[i].name, start, sizeof start - 1) == 0 &&
            (!best || tn_version_dotted_cmp(a.entry[i].name + sizeof start - 1, best + sizeof start - 1) > 0))
            best = a.entry[i].name;
    *ret_prefix = best ? tn_pyenv_join(p, packages, best) : NULL;
    return true;
}
