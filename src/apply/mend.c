/* mend.c - see installer.h: an environment that is there and whose own Python or pip is damaged.
 *
 * What makes environments makes those again over what is there. It writes into its own files where they lie, and in the
 * stage they are the same inodes as in the environment (tx.h): so they are taken out of the stage first. */
#include <string.h>

#include "apply/here.h"
#include "apply/installer.h"
#include "base/str.h"

static bool starts(struct tn_apply *a, const char *script)
{
    const char *const argv[] = {tn_here_python(a->mem, a->stage, a->conda), "-I", "-B", "-c", script, NULL};
    int status = 0;
    struct tn_err err;
    return tn_installer_run(a, argv, NULL, &status, &err) == 0 && status == 0;
}

/* Of Lib/venv, virtualenv and uv, in the folder of programs. */
static bool is_makers(const char *name)
{
    static const char *const heads[] = {"activate", "Activate", "deactivate", "pydoc.bat", "python"};
    for (unsigned i = 0; i < TN_LEN(heads); i++)
        if (tn_str_starts(name, heads[i]))
            return true;
    return false;
}

static int clear_programs(struct tn_apply *a, struct tn_os_dir *stage, struct tn_err *err)
{
    struct tn_os_dir *bin;
    struct tn_os_entry *e = NULL;
    size_t n = 0;
    if (tn_os_dir_enter(stage, tn_here_is_windows() ? "Scripts" : "bin", &bin, NULL))
        return 0;
    int rc = tn_os_dir_list(bin, a->mem, &e, &n, err);
    for (size_t i = 0; i < n && !rc; i++)
        if (is_makers(e[i].name))
            rc = tn_os_tree_remove(bin, e[i].name, err);
    tn_os_dir_close(bin);
    return rc;
}

int tn_mend_begin(struct tn_apply *a, const struct tn_plan_step *s, bool *ret_whole, struct tn_err *err)
{
    static const char *const own[] = {"pyvenv.cfg", ".gitignore", "CACHEDIR.TAG", ".lock"};
    struct tn_os_dir *stage;
    *ret_whole = starts(a, s->tool == TN_STEP_BY_UV ? "pass" : "import pip");
    if (*ret_whole || tn_os_interrupted())
        return 0;
    int rc = tn_os_dir_open(a->stage, &stage, err);
    if (rc)
        return rc;
    rc = clear_programs(a, stage, err);
    for (unsigned i = 0; i < TN_LEN(own) && !rc; i++) {
        struct tn_os_stat st;
        if (tn_os_dir_stat(stage, own[i], &st, NULL) == 0)
            rc = tn_os_tree_remove(stage, own[i], err);
    }
    tn_os_dir_close(stage);
    return rc;
}
