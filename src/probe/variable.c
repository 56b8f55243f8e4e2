/* variable.c - environment variables that steer the GPU stack: those of the facts table and a few of the shell.
 *
 * Names are exact: nothing else of the environment is read. A variable that is not set is no row; where variables
 * cannot be asked at all (another root folder) the listing stays "not asked". */
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

#include "facts/table.h"

/* What the facts table does not hold because no framework reads it, but checks and people do. */
static const char *const extra[] = {
    "APPTAINER_CONTAINER",
    "CONDA_DEFAULT_ENV",
    "CONDA_DLL_SEARCH_MODIFICATION_ENABLE",
    "CONDA_PREFIX",
    "CUDA_BIN_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDNN_PATH",
    "CUPY_CUDA_LIB_PATH",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NUMBA_CUDA_DRIVER",
    "PATH",
    "PYENV_VERSION",
    "PYTHONHOME",
    "PYTHONNOUSERSITE",
    "PYTHONPATH",
    "PYTHONUSERBASE",
    "VIRTUAL_ENV",
    "WSL_DISTRO_NAME",
    NULL,
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_name(struct tn_arena *mem, const char ***list, size_t *n, size_t *cap, const char *name)
{
    if (!*name || strpbrk(name, "=*<> "))
        return;
    *list = tn_arena_grow(mem, *list, *n, cap, sizeof **list);
    (*list)[(*n)++] = name;
}

static void variable_run(struct tn_probe_ctx *c)
{
    const char **name = NULL;
    size_t n = 0, cap = 0;
    for (unsigned i = 0; extra[i]; i++)
        add_name(c->tmp, &name, &n, &cap, extra[i]);
    const struct tn_table *t = tn_facts_find("env_vars");
    for (uint32_t i = 0; t && i < t->nrows; i++)
        add_name(c->tmp, &name, &n, &cap, tn_facts_get(t, i, "name"));
    if (c->w->style == TN_PATH_WINDOWS) /* one for each toolkit that its installer set up */
        for (unsigned major = 7; major <= 14; major++)
            for (unsigned minor = 0; minor <= 9; minor++)
                add_name(c->tmp, &name, &n, &cap, tn_arena_printf(c->tmp, "CUDA_PATH_V%u_%u", major, minor));
    qsort(name, n, sizeof *name, by_text);
    for (size_t i = 0; i < n; i++) {
        if (i && strcmp(name[i], name[i - 1]) == 0)
            continue;
        struct tn_answer a = tn_world_env(c->w, c->tmp, name[i]);
        if (a.got == TN_UNASKED)
            continue;
        c->s->variable.listed = TN_KNOWN;
        if (a.got == TN_ABSENT)
            continue;
        uint32_t src = tn_probe_src(c->s, "env", name[i], &a);
        struct tn_rec_variable *v = TN_ADD(c->s, variable);
        v->name = tn_fact_str(c->s, src, name[i]);
        v->value = a.got == TN_KNOWN ? tn_fact_strn(c->s, src, a.data.p, a.data.n) : tn_fact_nostr(src, a.got);
    }
}

TN_PROBE(variable, TN_PHASE_SEARCH, variable_run, "environment variables that steer the GPU stack, by exact name",
         .gives = TN_HAS(variable));
