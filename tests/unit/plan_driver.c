/* plan_driver.c - work on the driver: which package, which ways beside it, what else rests on the driver of now. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "plan/fix_effect.h"

struct toy {
    struct tn_arena mem;
    struct tn_snap s;
    struct tn_fix fix;
    struct tn_finding f;
    uint32_t src;
};

static void set_up(struct toy *t, const char *distro, const char *release, const char *gpu, const char *cc)
{
    memset(t, 0, sizeof *t);
    tn_arena_init(&t->mem);
    tn_snap_init(&t->s);
    t->src = tn_snap_src(&t->s, TN_KNOWN, NULL, "test");
    struct tn_rec_host *h = TN_THE(&t->s, host);
    h->os = tn_fact_str(&t->s, t->src, "linux");
    h->arch = tn_fact_str(&t->s, t->src, "x86_64");
    h->distro = tn_fact_str(&t->s, t->src, distro);
    h->distro_version = tn_fact_str(&t->s, t->src, release);
    struct tn_rec_gpu *g = TN_ADD(&t->s, gpu);
    g->vendor = tn_fact_str(&t->s, t->src, "nvidia");
    g->name = tn_fact_str(&t->s, t->src, gpu);
    g->capability = tn_fact_str(&t->s, t->src, cc);
    t->s.gpu.listed = TN_KNOWN;
    t->f.cause = "driver-missing";
}

static void tear_down(struct toy *t)
{
    tn_snap_deinit(&t->s);
    tn_arena_deinit(&t->mem);
}

static void make(struct toy *t, const char *remedy, const char *key, const char *value)
{
    t->f.remedy[0] = (struct tn_remedy){.id = remedy, .arg = {{key, value}}, .n_arg = *key ? 1 : 0};
    t->f.n_remedy = 1;
    assert_true(tn_fix_make(&t->mem, &t->s, &t->f, &t->fix));
}

static bool has_step(const struct toy *t, const char *id)
{
    for (unsigned i = 0; i < t->fix.n_step; i++)
        if (tn_str_eq(t->fix.step[i].id, id))
            return true;
    return false;
}

static unsigned notes(const struct toy *t, const char *id)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t->fix.notes.n; i++)
        n += tn_str_eq(t->fix.notes.v[i].id, id);
    return n;
}

static void test_package(void **state)
{
    (void)state;
    struct toy t;
    set_up(&t, "ubuntu", "24.04", "GeForce RTX 3060", "8.6");
    make(&t, "update-driver", "need", "580");
    assert_string_equal(t.fix.chosen.id, "distro-driver");
    assert_string_equal(tn_effect_arg(&t.fix.chosen, "package"), "nvidia-driver-580-open");
    TN_THE(&t.s, driver)->flavour = tn_fact_str(&t.s, t.src, "proprietary"); /* the smallest change keeps the kind */
    make(&t, "update-driver", "need", "580");
    assert_string_equal(tn_effect_arg(&t.fix.chosen, "package"), "nvidia-driver-580");
    make(&t, "open-module", "", "");
    assert_string_equal(tn_effect_arg(&t.fix.chosen, "flavour"), "open");
    make(&t, "update-driver", "need", "999");
    assert_string_equal(t.fix.chosen.id, "nvidia-repository");
    assert_int_equal(notes(&t, "fx_driver_older"), 1);
    struct tn_rec_package *p = TN_ADD(&t.s, package);
    p->name = tn_fact_str(&t.s, t.src, "nvidia-driver-535-server");
    p->driver = tn_fact_int(t.src, 1);
    p->state = tn_fact_str(&t.s, t.src, "installed");
    make(&t, "update-driver", "need", "580");
    assert_string_equal(tn_effect_arg(&t.fix.chosen, "package"), "nvidia-driver-580-server");
    tear_down(&t);
}

/* What comes is told as a fact: a branch below what is needed is never believed to be enough. */
static void test_promise(void **state)
{
    (void)state;
    struct toy t;
    struct tn_fix_after after;
    set_up(&t, "debian", "11", "GeForce RTX 3060", "8.6");
    make(&t, "update-driver", "need", "450.80.02");
    assert_int_equal(tn_fix_effect(&t.mem, &t.s, &t.fix, &after), TN_FIX_TOLD);
    assert_string_equal(TN_THE(&t.s, driver)->version.v, "470.256.02");
    make(&t, "update-driver", "need", "525.60.13");
    assert_string_equal(t.fix.chosen.id, "nvidia-repository");
    assert_int_equal(tn_fix_effect(&t.mem, &t.s, &t.fix, &after), TN_FIX_TOLD_CHOICE);
    tear_down(&t);
}

static void test_repositories(void **state)
{
    (void)state;
    struct toy t;
    set_up(&t, "sles", "15.6", "NVIDIA A100", "8.0");
    make(&t, "install-driver", "", "");
    assert_string_equal(t.fix.chosen.variant, "zypper");
    assert_string_equal(tn_effect_arg(&t.fix.chosen, "repo"), "sles15");
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &t.fix.chosen, &t.s, TN_SHELL_SH));
    assert_non_null(strstr(b.p, "sudo zypper install nvidia-open"));
    tn_buf_deinit(&b);
    tear_down(&t);
    set_up(&t, "rocky", "9.4", "GeForce GTX 1080", "6.1");
    make(&t, "install-driver", "", "");
    assert_string_equal(tn_effect_arg(&t.fix.chosen, "stream"), "580-dkms");
    tear_down(&t);
    set_up(&t, "rocky", "9.4", "Tesla K80", "3.7"); /* its last branch is not there */
    make(&t, "install-driver", "", "");
    assert_string_not_equal(t.fix.chosen.id, "nvidia-repository");
    tear_down(&t);
}

static void test_secure_boot(void **state)
{
    (void)state;
    struct toy t;
    set_up(&t, "ubuntu", "24.04", "GeForce RTX 3060", "8.6");
    TN_THE(&t.s, host)->secure_boot = tn_fact_int(t.src, 1);
    TN_THE(&t.s, host)->kernel = tn_fact_str(&t.s, t.src, "6.8.0-31-generic");
    make(&t, "install-driver", "", "");
    assert_true(has_step(&t, "enrol-build-key"));
    assert_int_equal(notes(&t, "fx_signed_modules"), 1);
    assert_string_equal(t.fix.step[t.fix.n_step - 1].id, "confirm-key");
    TN_THE(&t.s, host)->mok_enrolled = tn_fact_int(t.src, 1);
    make(&t, "install-driver", "", "");
    assert_false(has_step(&t, "enrol-build-key"));
    TN_THE(&t.s, host)->mok_enrolled = tn_fact_int(t.src, 0);
    TN_THE(&t.s, host)->secure_boot = tn_fact_int(t.src, 0);
    make(&t, "install-driver", "", "");
    assert_false(has_step(&t, "enrol-build-key"));
    assert_string_equal(t.fix.step[t.fix.n_step - 1].id, "reboot");
    make(&t, "sign-module", "", "");
    assert_int_equal(t.fix.n_step, 2);
    assert_true(has_step(&t, "confirm-key"));
    assert_true(t.fix.driver);
    tear_down(&t);
}

/* Wheels for CUDA 11 are of use only with their folders. */
static void test_wheel_folders(void **state)
{
    (void)state;
    struct toy t;
    static const char *const site[] = {"/e/lib/python3.10/site-packages"};
    set_up(&t, "ubuntu", "22.04", "GeForce RTX 3060", "8.6");
    struct tn_rec_env *e = TN_ADD(&t.s, env);
    e->id = tn_fact_str(&t.s, t.src, "env1");
    e->judged = tn_fact_int(t.src, 1);
    e->site = tn_fact_list(&t.s, t.src, site, 1);
    make(&t, "env-cuda11-wheels", "python", "/e/bin/python3");
    assert_int_equal(t.fix.n_step, 2);
    assert_non_null(strstr(tn_effect_arg(&t.fix.step[1], "value"), "/e/lib/python3.10/site-packages/nvidia/cudnn/lib"));
    tear_down(&t);
}

static void framework(struct toy *t, const char *name, const char *cuda)
{
    struct tn_rec_framework *f = TN_ADD(&t->s, framework);
    f->env = tn_fact_str(&t->s, t->src, "env1");
    f->name = tn_fact_str(&t->s, t->src, name);
    f->version = tn_fact_str(&t->s, t->src, "1.0");
    f->gpu_build = tn_fact_int(t->src, 1);
    f->cuda = tn_fact_str(&t->s, t->src, cuda);
}

/* A framework for CUDA 12 would not run with branch 470; one for CUDA 11 does, and neither minds a newer driver. */
static void test_users(void **state)
{
    (void)state;
    struct toy t;
    set_up(&t, "ubuntu", "22.04", "Tesla K80", "3.7");
    TN_THE(&t.s, driver)->library_version = tn_fact_str(&t.s, t.src, "535.309.01");
    framework(&t, "torch", "12.1");
    framework(&t, "tensorflow", "11.2");
    make(&t, "driver-of-branch", "branch", "470");
    assert_string_equal(tn_effect_arg(&t.fix.chosen, "package"), "nvidia-driver-470");
    assert_int_equal(notes(&t, "fx_user_framework"), 1);
    tear_down(&t);
    set_up(&t, "ubuntu", "22.04", "GeForce RTX 3060", "8.6");
    TN_THE(&t.s, driver)->library_version = tn_fact_str(&t.s, t.src, "535.309.01");
    framework(&t, "torch", "12.1");
    framework(&t, "tensorflow", "11.2");
    make(&t, "update-driver", "need", "580");
    assert_int_equal(notes(&t, "fx_user_framework"), 0);
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_package),      cmocka_unit_test(test_promise),
                                       cmocka_unit_test(test_repositories), cmocka_unit_test(test_secure_boot),
                                       cmocka_unit_test(test_users),        cmocka_unit_test(test_wheel_folders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
