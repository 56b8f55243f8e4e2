/* env_tool.c - which tool made an environment, by the marks that it leaves and the folders that it uses.
 *
 * Sources: CPython Lib/venv (command =), virtualenv and uv (a key of their own in pyvenv.cfg), pipx
 * (pipx_metadata.json), conda's history, pixi (conda-meta/pixi), and the default folders of poetry, pdm, hatch, pipenv
 * and pipx in their documents. */
#include <string.h>

#include "base/str.h"
#include "probe/env.h"

static const char *by_folder(struct tn_py *p, const char *real)
{
    static const struct {
        const char *part, *tool;
    } f[] = {
        {"/pypoetry/", "poetry"},          {"/pipx/venvs/", "pipx"}, {"/pdm/venvs/", "pdm"}, {"/hatch/env/", "hatch"},
        {"/share/virtualenvs/", "pipenv"}, {"/.pixi/envs/", "pixi"}, {"/uv/tools/", "uv"},   {"/uv/python/", "uv"}};
    char *at = tn_arena_strdup(p->mem, real);
    for (char *c = at; *c; c++)
        if (*c == '\\')
            *c = '/';
    for (size_t i = 0; i < TN_LEN(f); i++)
        if (strstr(at, f[i].part))
            return f[i].tool;
    return NULL;
}

static bool has(struct tn_py *p, const struct tn_pyenv *e, const char *below)
{
    return tn_world_exists(p->w, tn_pyenv_join(p, e->real, below));
}

/* "# cmd: /opt/conda/bin/mamba create -n x" */
static const char *conda_tool(struct tn_py *p, const struct tn_pyenv *e)
{
    struct tn_answer a =
        tn_world_part(p->w, p->mem, tn_pyenv_join(p, tn_pyenv_join(p, e->real, "conda-meta"), "history"), 0, 4096);
    struct tn_span rest = a.data, line;
    while (a.got == TN_KNOWN && tn_span_line(&rest, &line))
        if (tn_span_starts(line, "# cmd:"))
            return tn_span_find(line, 0, "micromamba", 10) != SIZE_MAX ? "micromamba"
                   : tn_span_find(line, 0, "mamba", 5) != SIZE_MAX     ? "mamba"
                                                                       : "conda";
    return "conda";
}

const char *tn_pyenv_tool(struct tn_py *p, const struct tn_pyenv *e)
{
    const char *tool = e->kind ? by_folder(p, e->real) : NULL;
    if (tool || !e->kind)
        return tool;
    if (strcmp(e->kind, "conda") == 0) {
        if (e->judged && has(p, e, "conda-meta/pixi"))
            return "pixi";
        return e->judged ? conda_tool(p, e) : "conda";
    }
    if (e->venv) {
        if (e->judged && has(p, e, "pipx_metadata.json"))
            return "pipx";
        if (e->judged && strcmp(tn_path_base(p->st, e->real), ".venv") == 0) {
            if (has(p, e, "../poetry.lock"))
                return "poetry";
            if (has(p, e, "../pdm.lock"))
                return "pdm";
        }
        return e->made_by;
    }
    return strcmp(e->kind, "pyenv") == 0 ? "pyenv" : NULL;
}
