/* planned_file.c - see planned.h: a plan that was written down, as the one word of a command line. */
#include "apply/plan_file.h"
#include "base/limits.h"
#include "base/str.h"
#include "cmd/planned.h"
#include "os/os.h"
#include "strings.gen.h"

bool tn_planned_is_file(const struct tn_cmd_ctx *c, struct tn_buf *ret)
{
    struct tn_os_stat st;
    uint64_t size;
    if (c->n_arg != 1 || tn_os_stat(NULL, c->arg[0], true, &st, NULL) != 0 || st.type != 'f' ||
        tn_os_read(NULL, c->arg[0], 0, TN_MAX_SMALL_FILE, ret, &size, NULL) != 0)
        return false;
    struct tn_span text = tn_span_trim(tn_span_of(ret->p, ret->n));
    return text.n && text.p[0] == '{';
}

int tn_planned_file(struct tn_cmd_ctx *c, struct tn_span text, struct tn_snap *ret_machine, struct tn_plan_machine *ret,
                    struct tn_plan_steps *steps, struct tn_err *err)
{
    static const enum tn_opt_id others[] = {TN_OPT_PYTHON, TN_OPT_METHOD, TN_OPT_ENV,        TN_OPT_CUDA,
                                            TN_OPT_DATE,   TN_OPT_CPU,    TN_OPT_REQUIREMENT};
    for (unsigned i = 0; i < TN_LEN(others); i++)
        if (tn_opt_on(c, others[i]))
            return tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_ap_usage_file));
    c->makes_env = true;
    c->records = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(env) | TN_HAS(program) | TN_HAS(installer);
    int rc = tn_cmd_subject(c, ret_machine, err);
    if (rc)
        return rc;
    tn_plan_machine_of(c->mem, ret_machine, ret);
    rc = tn_plan_file_read(c->mem, text, ret, steps, err);
    if (rc)
        tn_snap_deinit(ret_machine);
    return rc;
}
