/* plan_manual.c - scheme C, containers and WSL 2: over every TensorFlow that scheme C serves no command brings a driver
 * and cuDNN's set is the full one; what a container engine still lacks, and whether WSL 2 can be had, comes from facts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "facts/cudnn.h"
#include "plan/step.h"
#include "probe/describe.h"

struct planned {
    struct tn_arena mem;
    struct tn_snap s;
    struct tn_plan *p;
    struct tn_plan_steps *steps;
};

static void describe(struct planned *t, const char *machine)
{
    struct tn_err err;
    assert_int_equal(tn_describe(machine, &t->s, &err), 0);
    tn_arena_init(&t->mem);
    t->p = tn_arena_alloc(&t->mem, sizeof *t->p);
    t->steps = tn_arena_alloc(&t->mem, sizeof *t->steps);
}

static void plan(struct planned *t, const char *wish, enum tn_plan_method method)
{
    struct tn_plan_wishes w;
    struct tn_err err;
    tn_plan_wishes_init(&w);
    assert_int_equal(tn_plan_wish(&t->mem, &w, wish, &err), 0);
    w.method = method;
    tn_plan_make(&t->mem, &w, &t->s, t->p);
    tn_plan_steps_of(&t->mem, t->p, t->steps);
}

static void done(struct planned *t)
{
    tn_snap_deinit(&t->s);
    tn_arena_deinit(&t->mem);
}

static bool says(const struct tn_plan_says *all, const char *id)
{
    for (unsigned i = 0; i < all->n; i++)
        if (tn_str_eq(all->v[i].id, id))
            return true;
    return false;
}

static unsigned words(const char *list)
{
    unsigned n = 0;
    char word[64];
    while (tn_facts_list_next(&list, word, sizeof word))
        n++;
    return n;
}

static void by_hand(const char *machine, const char *wish, enum tn_shell shell)
{
    struct planned t;
    struct tn_facts_cudnn set = {0};
    bool toolkit = false, cudnn = false;
    describe(&t, machine);
    plan(&t, wish, TN_METHOD_MANUAL);
    if (t.p->end != TN_PLAN_FITS)
        fail_msg("%s on %s does not fit", wish, machine);
    for (unsigned i = 0; i < t.steps->n; i++) {
        const struct tn_plan_step *s = &t.steps->v[i];
        struct tn_buf b;
        tn_buf_init(&b);
        bool ok = tn_plan_step_command(&t.mem, t.steps, s, shell, &b);
        if (ok && (strstr(b.p, "--driver") || strstr(b.p, "isplay.Driver")))
            fail_msg("%s on %s: a driver in %s", wish, machine, b.p);
        if (ok && strstr(b.p, "nvidia-c"))
            fail_msg("%s on %s: NVIDIA's wheels in %s", wish, machine, b.p);
        if (s->kind == TN_STEP_TOOLKIT && ok && !t.steps->windows)
            assert_non_null(strstr(b.p, " --toolkit "));
        if (s->kind == TN_STEP_TOOLKIT && ok && t.steps->windows)
            assert_non_null(strstr(b.p, "-ArgumentList '-s',nvcc_"));
        toolkit = toolkit || s->kind == TN_STEP_TOOLKIT;
        if (s->kind == TN_STEP_CUDNN) {
            enum tn_platform platform = t.steps->windows ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
            cudnn = true;
            if (tn_facts_cudnn(t.p->choice.cudnn, platform, &set) == TN_ANSWER_YES && set.files)
                assert_int_equal(s->n_package, words(set.files));
        }
        tn_buf_deinit(&b);
    }
    assert_true(toolkit && cudnn);
    done(&t);
}

static void test_by_hand(void **ctx)
{
    static const char *const pascal[] = {"1.15", "2.0", "2.1", "2.3", "2.4", "2.6", "2.9", "2.10"};
    static const char *const later[] = {"2.4", "2.8", "2.10", "2.12", "2.13", "2.15", "2.16", "2.17", "2.18", "2.20"};
    (void)ctx;
    char wish[32];
    for (unsigned i = 0; i < TN_LEN(pascal); i++) {
        snprintf(wish, sizeof wish, "tensorflow==%s", pascal[i]);
        by_hand("os=windows,gpu=6.1,driver=537.13", wish, TN_SHELL_POWERSHELL);
    }
    for (unsigned i = 0; i < TN_LEN(later); i++) {
        snprintf(wish, sizeof wish, "tensorflow==%s", later[i]);
        by_hand("os=linux,gpu=8.0,driver=560.35.03", wish, TN_SHELL_SH);
    }
}

static void engine(struct tn_snap *s, const char *name)
{
    struct tn_rec_engine *e = TN_ADD(s, engine);
    e->name = tn_fact_str(s, tn_snap_src(s, TN_KNOWN, NULL, "test"), name);
    s->engine.listed = TN_KNOWN;
}

#define AMPERE "os=linux,gpu=8.6,driver=535.54.03"

static void test_engines(void **ctx)
{
    struct planned t;
    (void)ctx;
    describe(&t, AMPERE);
    plan(&t, "tensorflow==2.10", TN_METHOD_DOCKER);
    assert_true(says(&t.p->warning, "pl_engine_unasked"));
    t.s.engine.listed = TN_KNOWN;
    plan(&t, "tensorflow==2.10", TN_METHOD_DOCKER);
    assert_true(says(&t.p->warning, "pl_engine_none"));
    engine(&t.s, "docker");
    plan(&t, "tensorflow==2.10", TN_METHOD_DOCKER);
    assert_true(says(&t.p->warning, "pl_engine_no_toolkit"));
    assert_true(says(&t.p->warning, "pl_engine_group"));
    engine(&t.s, "nvidia-container-toolkit");
    plan(&t, "tensorflow==2.10", TN_METHOD_DOCKER);
    assert_false(says(&t.p->warning, "pl_engine_no_toolkit"));
    assert_true(says(&t.p->why, "pl_engine_ready"));
    done(&t);

    describe(&t, AMPERE); /* Podman alone: devices by their CDI names */
    engine(&t.s, "podman");
    t.s.cdi.listed = TN_KNOWN;
    plan(&t, "tensorflow==2.10", TN_METHOD_DOCKER);
    assert_true(says(&t.p->warning, "pl_engine_no_cdi"));
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(tn_plan_step_command(&t.mem, t.steps, &t.steps->v[0], TN_SHELL_SH, &b));
    assert_string_equal(b.p, "podman run --rm -it --device nvidia.com/gpu=all -v .:/work -w /work "
                             "tensorflow/tensorflow:2.10.0-gpu\n");
    tn_buf_deinit(&b);
    done(&t);
}

static void test_wsl(void **ctx)
{
    static const struct {
        const char *machine, *id;
        bool fits;
    } all[] = {
        {"os=windows,os_build=19044,gpu=8.6,driver=537.13", "pl_wsl_build_met", true},
        {"os=windows,os_build=19043,gpu=8.6,driver=537.13", "pl_no_wsl_old", false},
        {"os=windows,gpu=8.6,driver=537.13", "pl_wsl_build_unknown", true},
        {"os=windows,os_build=22631,gpu=8.6,driver=516.94", "pl_no_driver", false},
        {"os=wsl2,gpu=8.6,driver=537.13", "pl_no_wsl_inside", false},
        {AMPERE, "pl_no_wsl_here", false},
    };
    (void)ctx;
    for (unsigned i = 0; i < TN_LEN(all); i++) {
        struct planned t;
        describe(&t, all[i].machine);
        plan(&t, "tensorflow==2.16", TN_METHOD_WSL);
        if ((t.p->end == TN_PLAN_FITS) != all[i].fits)
            fail_msg("%s: fits: %d", all[i].machine, t.p->end == TN_PLAN_FITS);
        if (!says(&t.p->why, all[i].id) && !says(&t.p->warning, all[i].id) && !says(&t.p->conflict, all[i].id))
            fail_msg("%s: no word of %s", all[i].machine, all[i].id);
        done(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_wsl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
