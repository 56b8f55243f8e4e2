/* recover.c - what an interruption has left is put right: every change does that first; here nothing else is done. */
#include "cmd/applied.h"
#include "strings.gen.h"

static int run(struct tn_cmd_ctx *c)
{
    struct tn_state *s;
    int rc = tn_applied_look(c, &s);
    if (rc)
        return rc;
    if (s) {
        tn_state_close(s);
        tn_os_interrupts_hold();
        rc = tn_applied_open(c, &s);
        if (rc)
            return rc;
        tn_state_close(s);
    }
    return TN_EXIT_OK;
}

static const enum tn_opt_id opts[] = {TN_OPT_COUNT};
static const char *const examples[] = {"tenon recover", NULL};

TN_CMD(recover, "recover", "", opts, 0, 0, run, TN_S_cmd_recover, examples, 0);
