/* envs.c - every environment, interpreter and Jupyter kernel: frameworks, GPU-ready or the first reason why not, disk.
 */
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "os/os.h"
#include "report/envs.h"
#include "strings.gen.h"

static int sort_of(struct tn_cmd_ctx *c, enum tn_envs_sort *ret)
{
    static const char *const names[] = {"path", "name", "python", "framework", "gpu", "used", "size"};
    const char *v = tn_opt_value(c, TN_OPT_SORT);
    *ret = TN_SORT_DEFAULT;
    for (unsigned i = 0; v && i < TN_LEN(names); i++)
        if (tn_str_ieq(v, names[i]))
            *ret = (enum tn_envs_sort)(TN_SORT_PATH + i);
    if (!v || *ret != TN_SORT_DEFAULT)
        return 0;
    tn_cmd_say(c, "%s", tn_s(c, TN_S_usage_sort));
    return TN_EXIT_USAGE;
}

/* Words behind the command, and those of --filter. */
static const char *const *filter(struct tn_cmd_ctx *c)
{
    unsigned n = 0;
    const char **w = tn_arena_array(c->mem, c->n_arg + TN_MAX_REPEAT + 1, sizeof *w);
    for (unsigned i = 0; i < c->n_arg; i++)
        w[n++] = c->arg[i];
    for (unsigned i = 0; i < c->opt[TN_OPT_FILTER].n; i++)
        w[n++] = c->opt[TN_OPT_FILTER].v[i];
    w[n] = NULL;
    return w;
}

static int show(struct tn_cmd_ctx *c, const struct tn_snap *s, enum tn_envs_sort sort, struct tn_err *err)
{
    struct tn_judge j;
    struct tn_buf b;
    int rc = tn_judge_init(&j, s, NULL, err);
    if (rc)
        return tn_cmd_fail(c, err);
    tn_judge_narrow(&j, c->mem);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    struct tn_envs e = {.mem = c->mem,
                        .judge = &j,
                        .lang = c->lang,
                        .sort = sort,
                        .filter = filter(c),
                        .all = c->document || tn_opt_on(c, TN_OPT_ALL),
                        .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0,
                        .about =
                            tn_opt_on(c, TN_OPT_FROM) ? tn_opt_value(c, TN_OPT_FROM) : tn_opt_value(c, TN_OPT_ROOT)};
    tn_envs_make(&e);
    tn_buf_init(&b);
    if (c->document)
        tn_envs_json(&e, &b);
    else
        tn_envs_text(&e, &b);
    rc = tn_cmd_print(c, &b, e.n_match ? TN_EXIT_OK : s->env.listed == TN_UNASKED ? TN_EXIT_UNKNOWN : TN_EXIT_PROBLEM);
    tn_buf_deinit(&b);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    enum tn_envs_sort sort;
    int rc = sort_of(c, &sort);
    if (rc)
        return rc;
    c->sizes = true;
    rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    rc = show(c, &s, sort, &err);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON, TN_OPT_SORT, TN_OPT_FILTER,   TN_OPT_ALL,
                                      TN_OPT_ROOT, TN_OPT_FROM, TN_OPT_DEADLINE, TN_OPT_COUNT};
static const char *const examples[] = {"tenon envs",
                                       "tenon envs torch --sort used",
                                       "tenon envs cpu-only-build --all",
                                       "tenon envs --sort size",
                                       "tenon envs --filter 3.11 --filter ready --json",
                                       "tenon envs --root /mnt/image --lang zh",
                                       NULL};

TN_CMD(envs, "envs", "[WORD...]", opts, 0, 16, run, TN_S_cmd_envs, examples, 0);
