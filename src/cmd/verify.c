/* verify.c - the machine is looked at, then its layers do real work; what came of it is judged with all else.
 *
 * The facts say which files are opened (never a search of our own) and whether there is a GPU to try. Without one
 * the frameworks compute on the CPU, and the exit status is 3: that is no "ok". */
#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "check/look.h"
#include "cmd/cmd.h"
#include "cmd/verify.h"
#include "cmd/verify_frameworks.h"
#include "cmd/verify_libs.h"
#include "measure/verify.h"
#include "os/os.h"
#include "probe/measured.h"
#include "report/verify.h"
#include "strings.gen.h"

static bool has_card(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->gpu.n; i++)
        if (tn_says(s->gpu.v[i].vendor, "nvidia"))
            return true;
    return false;
}

/* Why no GPU can be tried; NULL: it can be. */
static const char *no_gpu(const struct tn_snap *s)
{
    if (!has_card(s) && !tn_is(TN_THE(s, driver)->loaded, 1))
        return "no-gpu";
    return tn_look_libcuda(s) == s->library.n ? "no-driver" : NULL;
}

static void begin(void *ctx, const char *layer)
{
    struct tn_cmd_ctx *c = ctx;
    struct tn_arg a[] = {{"layer", layer}};
    struct tn_buf b;
    if (!tn_os_is_tty(2) || tn_opt_on(c, TN_OPT_QUIET))
        return;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, TN_S_vf_doing), a, 1);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
}

/* The kernel's part is there, but not CUDA's: any program's first call would have it loaded. */
static bool loads_module(const struct tn_snap *s)
{
    return tn_is(TN_THE(s, driver)->loaded, 1) && !tn_is(TN_THE(s, driver)->uvm, 1);
}

void tn_cmd_measure(struct tn_cmd_ctx *c, struct tn_snap *s, bool full, int gpu)
{
    struct tn_verify_framework list[TN_VERIFY_FRAMEWORKS];
    struct tn_verify_library libs[TN_VERIFY_LAYERS];
    struct tn_judge j;
    struct tn_err err;
    struct tn_buf told;
    size_t cuda = tn_look_libcuda(s);
    struct tn_verify v = {.cuda = cuda < s->library.n ? s->library.v[cuda].path.v : NULL,
                          .no_gpu = no_gpu(s),
                          .full = full,
                          .gpu = gpu,
                          .free = loads_module(s),
                          .library = libs,
                          .framework = list,
                          .begin = begin,
                          .ctx = c};
    if (v.no_gpu && strcmp(v.no_gpu, "no-gpu") == 0)
        v.cuda = NULL; /* a library alone, as in an image, says nothing of a card that is not there */
    bool judged = tn_judge_init(&j, s, NULL, &err) == 0;
    if (judged && j.env) {
        tn_judge_narrow(&j, c->mem);
        v.n_framework = tn_verify_frameworks(c, &j, list);
    }
    v.n_library = tn_verify_libs(judged ? &j : NULL, libs);
    tn_buf_init(&told);
    tn_verify_run(&v, &told);
    tn_probe_measured(s, tn_span_of(told.p, told.n), tn_snap_src(s, TN_KNOWN, NULL, "verify"));
    if (judged)
        tn_verify_others(s, &j, libs, v.n_library);
    tn_buf_deinit(&told);
}

/* The first cause, where something failed: judged from all facts, these results among them. */
static const struct tn_finding *judge(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_sink *found)
{
    struct tn_judge j;
    struct tn_err err;
    struct tn_verdict v;
    if (tn_verify_outcome(s) != TN_VERIFY_FAILED || tn_judge_init(&j, s, "gpu", &err))
        return NULL;
    tn_judge_narrow(&j, c->mem);
    tn_check_run(&j, NULL, NULL, found);
    tn_findings_merge(found);
    memset(&v, 0, sizeof v);
    tn_verdict_make(&j, found, &v);
    return v.first;
}

static int print(struct tn_cmd_ctx *c, const struct tn_snap *s)
{
    static const int status[] = {
        [TN_VERIFY_OK] = TN_EXIT_OK, [TN_VERIFY_FAILED] = TN_EXIT_PROBLEM, [TN_VERIFY_PARTLY] = TN_EXIT_UNKNOWN};
    struct tn_sink found;
    struct tn_buf b;
    tn_sink_init(&found, c->mem);
    const struct tn_verify_report r = {.s = s,
                                       .mem = c->mem,
                                       .lang = c->lang,
                                       .placement = tn_opt_on(c, TN_OPT_PLACEMENT),
                                       .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                                       .cause = judge(c, s, &found)};
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_verify_json(&r, &b);
    else
        tn_verify_text(&r, &b);
    int rc = tn_cmd_print(c, &b, status[tn_verify_outcome(s)]);
    tn_buf_deinit(&b);
    return rc;
}

static int usage(struct tn_cmd_ctx *c, const char *id)
{
    tn_cmd_say(c, "%s", tn_s(c, id));
    return TN_EXIT_USAGE;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    const char *level = tn_opt_value(c, TN_OPT_LEVEL), *gpu = tn_opt_value(c, TN_OPT_GPU_NUMBER);
    uint64_t number = 0;
    if (level && strcmp(level, "quick") != 0 && strcmp(level, "full") != 0)
        return usage(c, TN_S_vf_bad_level);
    if (gpu && (!tn_str_u64(gpu, strlen(gpu), 10, &number) || number > 1023))
        return usage(c, TN_S_vf_bad_gpu);
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    tn_cmd_measure(c, &s, level && strcmp(level, "full") == 0, gpu ? (int)number : -1);
    rc = print(c, &s);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_ENV,   TN_OPT_LEVEL,   TN_OPT_GPU_NUMBER, TN_OPT_PLACEMENT, TN_OPT_JSON,
                                      TN_OPT_QUIET, TN_OPT_VERBOSE, TN_OPT_DEADLINE,   TN_OPT_COUNT};
static const char *const examples[] = {"tenon verify", "tenon verify --env ~/venv --placement",
                                       "tenon verify --level full --gpu 1", "tenon verify --json", NULL};

TN_CMD(verify, "verify", "", opts, 0, 0, run, TN_S_cmd_verify, examples, 0);
