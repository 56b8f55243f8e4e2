/* plan.c - plans on the real tables against a second, plain reading of them: is there any release of the kind that the
 * machine, the driver, the card and the Python allow? And of plans for several frameworks, does the choice hold
 * together?
 *
 * TN_PLAN_TRIES (240) combinations of card, driver, system, C library, Python and wish from TN_PLAN_SEED (1). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "facts/arch.h"
#include "facts/conda.h"
#include "facts/cuda.h"
#include "facts/gpu.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"
#include "facts/wheels.h"
#include "plan/step.h"
#include "probe/describe.h"
#include "version/dotted.h"
#include "version/pep440.h"

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 11) % n;
}

#define PICK(list) list[below(TN_LEN(list))]

static const char *const cards[] = {"3.5", "3.7", "5.0", "5.2", "6.0",  "6.1",  "7.0",  "7.5",
                                    "8.0", "8.6", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1"};
static const char *const drivers[] = {"",       "390.157",   "418.40.04", "440.33", "450.80.02", "451.67", "470.82.01",
                                      "511.23", "525.60.13", "528.33",    "535.54", "550.54.14", "570.26", "580.65.06"};
static const char *const systems[] = {"os=linux", "os=linux", "os=linux", "os=wsl2", "os=windows"};
static const char *const glibcs[] = {"", "2.17", "2.23", "2.27", "2.31", "2.35", "2.39"};
static const char *const pythons[] = {"", "", "", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"};
static const char *const minors[] = {"2.7",  "3.4",  "3.5",  "3.6",  "3.7",  "3.8", "3.9",
                                     "3.10", "3.11", "3.12", "3.13", "3.14", "3.15"};

struct question {
    char machine[128];
    const char *card, *driver, *glibc, *python;
    bool windows, wsl;
    enum tn_platform platform, driver_platform;
    const char *ceiling;
};

static void ask(struct question *q)
{
    struct tn_facts_branch b;
    const char *system = PICK(systems);
    q->card = PICK(cards);
    q->driver = PICK(drivers);
    q->python = PICK(pythons);
    q->windows = strcmp(system, "os=windows") == 0;
    q->wsl = strcmp(system, "os=wsl2") == 0;
    q->glibc = q->windows ? "" : PICK(glibcs);
    q->platform = q->windows ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
    q->driver_platform = q->windows || q->wsl ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
    q->ceiling = *q->driver && tn_facts_driver_branch(q->driver, &b) == TN_ANSWER_YES ? b.max_cuda : "";
    snprintf(q->machine, sizeof q->machine, "%s,gpu=%s%s%s%s%s", system, q->card, *q->driver ? ",driver=" : "",
             q->driver, *q->glibc ? ",glibc=" : "", q->glibc);
}

/* --- the second reading --- */

static bool driver_serves(const struct question *q, const char *cuda)
{
    bool runs = false;
    struct tn_facts_capability c;
    struct tn_facts_driver_need need;
    if (*q->driver) {
        enum tn_found found = tn_facts_driver_runs(q->driver, cuda, q->driver_platform, &runs);
        return (found != TN_ANSWER_YES && found != TN_ANSWER_NEWER) || runs;
    }
    /* no driver yet: the last one for the card has to be new enough */
    return tn_facts_capability(q->card, &c) != TN_ANSWER_YES || c.driver_current || !*c.last_driver_branch ||
           tn_facts_cuda_driver(cuda, q->driver_platform, &need) != TN_ANSWER_YES || !*need.floor ||
           tn_version_dotted_cmp_parts(c.last_driver_branch, need.floor, 1) >= 0;
}

static bool code_serves(const struct question *q, const char *sass, const char *ptx, const char *cuda)
{
    struct tn_facts_code code;
    struct tn_facts_capability c;
    char generation[16];
    if ((!*sass && !*ptx) || tn_facts_arch_code(q->card, sass, ptx, &code) != TN_ANSWER_YES)
        return true;
    if (code.how == TN_CODE_NATIVE)
        return true;
    if (code.how == TN_CODE_NONE)
        return false;
    snprintf(generation, sizeof generation, "%.*s.0", (int)strcspn(q->card, "."), q->card);
    if (tn_facts_capability(generation, &c) == TN_ANSWER_YES && *c.first_cuda &&
        tn_version_dotted_cmp_parts(cuda, c.first_cuda, 1) < 0)
        return false;
    return !*q->ceiling || tn_version_dotted_cmp(q->ceiling, cuda) >= 0;
}

static bool wheel_serves(const struct question *q, const struct tn_facts_wheel *w)
{
    if (w->yanked || (*q->glibc && tn_facts_wheel_takes_glibc(w, q->glibc) == TN_ANSWER_NO))
        return false;
    if (*q->python)
        return tn_facts_wheel_takes_python(w, q->python) != TN_ANSWER_NO;
    for (unsigned i = 0; i < TN_LEN(minors); i++)
        if (tn_facts_wheel_takes_python(w, minors[i]) != TN_ANSWER_NO)
            return true;
    return false;
}

/* NVIDIA's wheels from 2.5 on, on Linux; else what conda-forge has: that CUDA, and a cuDNN of the major, not older. */
static bool runtime_serves(const struct question *q, const char *version, const char *cuda, const char *cudnn)
{
    struct tn_facts_conda c;
    const char *platform = q->windows ? "win-64" : "linux-64";
    if (!q->windows && tn_version_dotted_cmp_parts(version, "2.5", 2) >= 0)
        return true;
    if (tn_facts_conda_toolkit(platform, cuda, &c) != TN_ANSWER_YES)
        return false;
    for (uint32_t row = 0; tn_facts_conda_next("cudnn", NULL, platform, NULL, &row, &c);) {
        struct tn_facts_conda same;
        if (tn_version_dotted_cmp_parts(c.version, cudnn, 1) == 0 && tn_version_dotted_cmp(c.version, cudnn) >= 0 &&
            tn_facts_conda_cudnn(platform, cuda, c.version, &same) == TN_ANSWER_YES)
            return true;
    }
    return false;
}

/* cuDNN 8 serves no card that came after it: 2.18 is the first with cuDNN 9; 2.5 is the first that takes the cuDNN 8.7
 * of NVIDIA's wheels, which knows Hopper, 2.4 takes 8.0. */
static bool cudnn_serves(const struct question *q, const char *version)
{
    unsigned long major = strtoul(q->card, NULL, 10);
    return major < 9 || (!q->windows && tn_version_dotted_cmp_parts(version, major == 9 ? "2.5" : "2.18", 2) >= 0);
}

static bool tensorflow_serves(const struct question *q, const char *version)
{
    struct tn_facts_wheel w;
    struct tn_facts_tf t;
    struct tn_facts_tf_code code = {0};
    bool old = tn_version_dotted_cmp_parts(version, "2.1", 2) < 0;
    if (q->windows && tn_version_dotted_cmp_parts(version, "2.10", 2) > 0)
        return false;
    if (tn_facts_wheel(old ? "tensorflow-gpu" : "tensorflow", version, q->platform, "x86_64", &w) != TN_ANSWER_YES ||
        !wheel_serves(q, &w) || tn_facts_tf_build(version, q->platform, true, &t) != TN_ANSWER_YES)
        return false;
    bool read = tn_facts_tf_code(version, TN_PLATFORM_LINUX, &code) == TN_ANSWER_YES;
    return cudnn_serves(q, version) && driver_serves(q, t.cuda) && runtime_serves(q, version, t.cuda, t.cudnn) &&
           (!read || code_serves(q, code.sass, code.ptx, t.cuda));
}

static bool any_tensorflow(const struct question *q, const char *spec)
{
    const struct tn_table *t = tn_facts_find("wheels");
    const struct tn_filter f[] = {{"package", TN_FILTER_PART, "tensorflow"},
                                  {"platform", TN_FILTER_EQ, q->windows ? "windows" : "linux"},
                                  {"arch", TN_FILTER_EQ, "x86_64"}};
    for (uint32_t r = 0; (r = tn_facts_next(t, r, f, TN_LEN(f))) < t->nrows; r++) {
        bool met;
        struct tn_err err;
        if (!tn_str_starts("tensorflow-gpu", tn_facts_get(t, r, "package")))
            continue;
        const char *version = tn_facts_get(t, r, "version");
        if (*spec && (tn_version_pep440_match(version, spec, &met, &err) != 0 || !met))
            continue;
        if (tensorflow_serves(q, version))
            return true;
    }
    return false;
}

/* --- the plan --- */

static void plan(struct tn_arena *mem, const struct question *q, const char *const *wish, struct tn_snap *s,
                 struct tn_plan *p)
{
    struct tn_plan_wishes w;
    struct tn_err err;
    tn_plan_wishes_init(&w);
    w.python = q->python;
    for (; *wish; wish++)
        assert_int_equal(tn_plan_wish(mem, &w, *wish, &err), 0);
    w.gpu = true;
    assert_int_equal(tn_describe(q->machine, s, &err), 0);
    tn_plan_make(mem, &w, s, p);
    assert_int_not_equal(p->end, TN_PLAN_LIMIT);
}

static unsigned tries(void)
{
    const char *n = getenv("TN_PLAN_TRIES"), *seed = getenv("TN_PLAN_SEED");
    state = 88172645463325252ull ^ (seed ? strtoull(seed, NULL, 10) * 2654435761u : 1);
    return n ? (unsigned)strtoul(n, NULL, 10) : 240;
}

static void test_tensorflow(void **ctx)
{
    static const char *const specs[] = {"",         "",         "==1.15.*", "==2.4.*",
                                        "==2.10.*", "==2.15.*", "==2.21.*", ">=2.5,<2.12"};
    unsigned fits = 0, none = 0;
    (void)ctx;
    for (unsigned n = tries(); n-- > 0;) {
        struct tn_arena mem;
        struct tn_snap s;
        struct question q;
        struct tn_plan *p;
        char wish[64];
        const char *spec = PICK(specs), *const wishes[] = {wish, NULL};
        ask(&q);
        tn_arena_init(&mem);
        p = tn_arena_alloc(&mem, sizeof *p);
        snprintf(wish, sizeof wish, "tensorflow%s", spec);
        plan(&mem, &q, wishes, &s, p);
        bool any = any_tensorflow(&q, spec);
        if (any != (p->end == TN_PLAN_FITS))
            fail_msg("%s --python '%s' --machine %s: the plan says %s", wish, q.python, q.machine,
                     any ? "none" : "fits");
        if (any && !tensorflow_serves(&q, p->choice.build[0]->version))
            fail_msg("%s --python '%s' --machine %s: %s does not serve", wish, q.python, q.machine,
                     p->choice.build[0]->version);
        if (!any && !p->conflict.n)
            fail_msg("%s --machine %s: no reason", wish, q.machine);
        fits += any;
        none += !any;
        tn_snap_deinit(&s);
        tn_arena_deinit(&mem);
    }
    printf("%u combinations: %u fit, %u have no release\n", fits + none, fits, none);
    assert_true(fits > 20 && none > 20);
}

static bool takes(const char *version, const char *spec)
{
    bool met;
    struct tn_err err;
    return !*spec || (tn_version_pep440_match(version, spec, &met, &err) == 0 && met);
}

static void holds_together(const struct question *q, const struct tn_plan *p)
{
    const struct tn_plan_choice *c = &p->choice;
    for (unsigned i = 0; i < c->n; i++) {
        const struct tn_plan_build *b = c->build[i];
        const char *bad = NULL;
        if (*b->python_min && tn_version_dotted_cmp_parts(c->python, b->python_min, 2) < 0)
            bad = "Python too old";
        if (*b->python_max && tn_version_dotted_cmp_parts(c->python, b->python_max, 2) > 0)
            bad = "Python too new";
        if (*q->python && tn_version_dotted_cmp_parts(c->python, q->python, 2) != 0)
            bad = "another Python";
        if (b->gpu && !takes(c->cuda, b->cuda_spec))
            bad = "CUDA run time";
        if (b->gpu && !takes(c->cudnn, b->cudnn_spec))
            bad = "cuDNN";
        if (!b->gpu)
            bad = "a CPU build";
        if (b->gpu && *b->cuda && !driver_serves(q, b->cuda))
            bad = "driver";
        for (unsigned k = 0; k < b->n_bound && !bad; k++)
            for (unsigned n = 0; n < c->n_pin; n++)
                if (tn_str_eq(c->pin[n].name, b->bound[k].name) && *c->pin[n].version && !*b->bound[k].python_min &&
                    !*b->bound[k].python_max && !takes(c->pin[n].version, b->bound[k].spec))
                    bad = b->bound[k].name;
        if (bad)
            fail_msg("--python '%s' --machine %s: %s %s: %s", q->python, q->machine, b->package, b->version, bad);
    }
}

static void test_together(void **ctx)
{
    static const char *const sets[][5] = {
        {"tensorflow", "torch", NULL},
        {"torch", "tensorflow", NULL},
        {"tensorflow", "jax", NULL},
        {"tensorflow", "torch", "jax", NULL},
        {"torch", "jax", NULL},
        {"torch", "onnxruntime-gpu", NULL},
        {"tensorflow", "torch", "jax", "onnxruntime-gpu", NULL},
    };
    unsigned fits = 0, none = 0;
    (void)ctx;
    for (unsigned n = tries() / 4; n-- > 0;) {
        struct tn_arena mem;
        struct tn_snap s;
        struct question q;
        struct tn_plan *p;
        ask(&q);
        tn_arena_init(&mem);
        p = tn_arena_alloc(&mem, sizeof *p);
        plan(&mem, &q, PICK(sets), &s, p);
        if (p->end == TN_PLAN_FITS)
            holds_together(&q, p);
        else if (!p->conflict.n)
            fail_msg("--machine %s: no reason", q.machine);
        *(p->end == TN_PLAN_FITS ? &fits : &none) += 1;
        for (unsigned i = 0; i < p->n_way; i++)
            if (!p->way[i].n_change || !p->way[i].choice.n)
                fail_msg("--machine %s: an empty way out", q.machine);
        tn_snap_deinit(&s);
        tn_arena_deinit(&mem);
    }
    printf("%u combinations of several: %u fit\n", fits + none, fits);
    assert_true(fits > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensorflow),
        cmocka_unit_test(test_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
