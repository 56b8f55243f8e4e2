/* activate.c - see archives.h: what an environment's activation does beyond its own, so that the loader finds a toolkit
 * that lies in it, and what its deactivation takes back.
 *
 * The scripts of venv, virtualenv and uv have the same parts: a "deactivate" that is defined near the top and called by
 * the activation itself, and lines that set variables. csh knows no function: there "deactivate" is an alias
 * (CPython, Lib/venv/scripts; virtualenv, src/virtualenv/activation; uv, crates/uv-virtualenv/src/activator). */
#include <string.h>

#include "apply/archives.h"
#include "apply/installer.h"
#include "base/limits.h"
#include "base/str.h"
#include "plan/hooks.h"

#define MARK "_TENON_LD" /* ours are there already */

struct script {
    const char *name, *begins; /* the line that defines deactivate begins so */
    bool within;               /* leave stands behind those words, else in a line of its own below */
    bool always;               /* every environment has it */
    const char *leave, *enter;
};

static const struct script scripts[] = {
    {"activate", "deactivate ()", false, true, "    " TN_HOOK_CUDA_LEAVE "\n", TN_HOOK_CUDA_ENTER("VIRTUAL_ENV") "\n"},
    {"activate.csh", "alias deactivate '", true, false, TN_HOOK_CUDA_LEAVE_CSH, TN_HOOK_CUDA_ENTER_CSH("VIRTUAL_ENV")},
    {"activate.fish", "function deactivate", false, false, TN_HOOK_CUDA_LEAVE_FISH,
     TN_HOOK_CUDA_ENTER_FISH("VIRTUAL_ENV")}};

static bool changed(const struct script *k, struct tn_span text, struct tn_buf *now)
{
    struct tn_span line;
    bool found = false;
    while (tn_span_line(&text, &line)) {
        bool here = !found && tn_span_starts(line, k->begins);
        size_t n = here && k->within ? strlen(k->begins) : line.n;
        tn_buf_add(now, line.p, n);
        if (here && k->within)
            tn_buf_str(now, k->leave);
        tn_buf_add(now, line.p + n, line.n - n);
        tn_buf_ch(now, '\n');
        if (here && !k->within)
            tn_buf_str(now, k->leave);
        found = found || here;
    }
    tn_buf_str(now, k->enter);
    return found;
}

static int edit(struct tn_os_dir *bin, const struct script *k, struct tn_err *err)
{
    struct tn_os_stat st;
    struct tn_buf was, now;
    int rc = tn_os_dir_stat(bin, k->name, &st, err);
    if (rc)
        return rc == TN_E_NOTFOUND && !k->always ? 0 : rc;
    tn_buf_init(&was);
    tn_buf_init(&now);
    rc = tn_os_dir_read(bin, k->name, TN_MAX_SMALL_FILE, &was, err);
    struct tn_span text = tn_span_of(was.p, was.n);
    if (!rc && tn_span_find(text, 0, MARK, strlen(MARK)) >= text.n) {
        if (changed(k, text, &now))
            rc = tn_os_dir_replace(bin, k->name, now.p, now.n, st.mode, err);
        else if (k->always)
            rc = tn_err_set(err, TN_E_REFUSED, k->name, "not a script of venv, virtualenv or uv: no deactivate in it");
    }
    tn_buf_deinit(&was);
    tn_buf_deinit(&now);
    return rc;
}

static int by_venv(struct tn_apply *a, struct tn_err *err)
{
    struct tn_os_dir *stage, *bin;
    int rc = tn_os_dir_open(a->stage, &stage, err);
    if (rc)
        return rc;
    rc = tn_os_dir_enter(stage, "bin", &bin, err);
    tn_os_dir_close(stage);
    if (rc)
        return rc;
    for (unsigned i = 0; i < TN_LEN(scripts) && !rc; i++)
        rc = edit(bin, &scripts[i], err);
    tn_os_dir_close(bin);
    return rc;
}

/* conda runs those that are for the shell that asks: .sh, .csh, .fish ("Managing environments", conda's user guide). */
static int by_conda(struct tn_apply *a, struct tn_err *err)
{
    static const struct {
        const char *folder, *name, *text;
    } all[] = {{"etc/conda/activate.d", "tenon-cuda.sh", TN_HOOK_CUDA_ENTER("CONDA_PREFIX") "\n"},
               {"etc/conda/deactivate.d", "tenon-cuda.sh", TN_HOOK_CUDA_LEAVE "; " TN_HOOK_CUDA_PATH_BACK "\n"},
               {"etc/conda/activate.d", "tenon-cuda.fish", TN_HOOK_CUDA_ENTER_FISH("CONDA_PREFIX")},
               {"etc/conda/deactivate.d", "tenon-cuda.fish", TN_HOOK_CUDA_LEAVE_FISH TN_HOOK_CUDA_PATH_BACK_FISH}};
    int rc = 0;
    for (unsigned i = 0; i < TN_LEN(all) && !rc; i++)
        rc = tn_installer_write(a, all[i].folder, all[i].name, all[i].text, err);
    return rc;
}

int tn_activate_cuda(struct tn_apply *a, const struct tn_plan_step *s, struct tn_err *err)
{
    return s->tool == TN_STEP_BY_CONDA ? by_conda(a, err) : by_venv(a, err);
}
