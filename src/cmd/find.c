/* find.c - every copy of a library on the disks: what it is, whose it is, who would load it. */
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "os/os.h"
#include "probe/probe.h"
#include "report/find.h"
#include "strings.gen.h"

/* A name of Windows is one in either case, on whatever system it is asked for. */
static bool folds(const char *name)
{
    size_t n = strlen(name);
    return tn_os_path_style() == TN_PATH_WINDOWS || (n > 4 && tn_str_ieq(name + n - 4, ".dll"));
}

static int status(const struct tn_cmd_ctx *c, const struct tn_find *f)
{
    const struct tn_snap *s = f->judge->s;
    switch (tn_find_result(f)) {
    case TN_FIND_NONE:
        if (s->mount.listed != TN_KNOWN)
            return TN_EXIT_UNKNOWN;
        for (size_t i = 0; i < s->mount.n; i++)
            if (tn_says(s->mount.v[i].state, "record"))
                return TN_EXIT_UNKNOWN;
        return TN_EXIT_PROBLEM;
    case TN_FIND_UNUSED: return tn_opt_on(c, TN_OPT_ENV) ? TN_EXIT_PROBLEM : TN_EXIT_OK;
    default: return TN_EXIT_OK;
    }
}

static int show(struct tn_cmd_ctx *c, const struct tn_snap *s, const struct tn_wanted *w, struct tn_err *err)
{
    struct tn_judge j;
    struct tn_buf b;
    int rc = tn_judge_init(&j, s, NULL, err);
    if (rc)
        return tn_cmd_fail(c, err);
    tn_judge_narrow(&j, c->mem);
    struct tn_find f = {.mem = c->mem,
                        .judge = &j,
                        .wanted = w,
                        .asked_env = tn_opt_on(c, TN_OPT_ENV),
                        .lang = c->lang,
                        .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    tn_find_make(&f);
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_find_json(&f, &b);
    else
        tn_find_text(&f, &b);
    rc = tn_cmd_print(c, &b, status(c, &f));
    tn_buf_deinit(&b);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    struct tn_wanted w;
    if (tn_version_wanted_init(&w, c->arg[0], folds(c->arg[0]), &err)) {
        struct tn_arg a[] = {{"name", c->arg[0]}};
        struct tn_buf b;
        tn_buf_init(&b);
        tn_text_fill(&b, tn_s(c, TN_S_find_bad_name), a, 1);
        tn_cmd_say(c, "%s", b.p);
        tn_buf_deinit(&b);
        return TN_EXIT_USAGE;
    }
    struct tn_want_file file = {c->arg[0], tn_version_wanted, &w, tn_opt_on(c, TN_OPT_ALL)};
    c->file = &file;
    c->records = TN_HAS(library) | TN_HAS(mount) | TN_HAS(env) | TN_HAS(dist) | TN_HAS(framework) | TN_HAS(search) |
                 TN_HAS(driver) | TN_HAS(load);
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    rc = show(c, &s, &w, &err);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON, TN_OPT_ALL,      TN_OPT_ENV,  TN_OPT_ROOT,
                                      TN_OPT_FROM, TN_OPT_DEADLINE, TN_OPT_COUNT};
static const char *const examples[] = {"tenon find libcudnn.so.8",
                                       "tenon find cudnn --env ~/venv",
                                       "tenon find 'libcublas*' --all --json",
                                       "tenon find cudart64_110.dll --from machine.record.json",
                                       "tenon find libcuda.so.1 --root /mnt/image",
                                       NULL};

TN_CMD(find, "find", "LIB|PATTERN", opts, 1, 1, run, TN_S_cmd_find, examples, 0);
