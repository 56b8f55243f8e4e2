/* help.c - "tenon help [COMMAND]": the same texts as --help. */
#include <string.h>

#include "cmd/cmd.h"
#include "strings.gen.h"

static int run(struct tn_cmd_ctx *c)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (c->n_arg == 0) {
        tn_cmd_overview(c, &b);
    } else {
        const struct tn_cmd *hit = NULL;
        for (unsigned i = 0; i < tn_n_cmds; i++)
            if (strcmp(tn_cmds[i]->name, c->arg[0]) == 0)
                hit = tn_cmds[i];
        if (!hit)
            return tn_cmd_unknown(c, c->arg[0]);
        c->cmd = hit;
        tn_cmd_help_text(c, &b);
    }
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_COUNT};
static const char *const examples[] = {"tenon help", "tenon help doctor", NULL};

TN_CMD(help, "help", "[COMMAND]", opts, 0, 1, run, TN_S_cmd_help, examples, 0);
