/* What may go and what stays: who uses it by the loader's answer, who requires it, what in it is nobody's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clean/clean.h"

struct place {
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_clean c;
    uint32_t src;
};

static int setup(void **state)
{
    struct place *p = test_calloc(1, sizeof *p);
    tn_snap_init(&p->s);
    tn_arena_init(&p->mem);
    p->src = tn_snap_src(&p->s, TN_KNOWN, NULL, "test");
    TN_THE(&p->s, host)->os = tn_fact_str(&p->s, p->src, "linux");
    p->c.mem = &p->mem;
    p->c.s = &p->s;
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    tn_snap_deinit(&p->s);
    tn_arena_deinit(&p->mem);
    test_free(p);
    return 0;
}

#define SAY(p, row, field, text) ((row)->field = tn_fact_str(&(p)->s, (p)->src, (text)))

static struct tn_rec_stock *stock(struct place *p, const char *kind, const char *name, const char *path)
{
    struct tn_rec_stock *r = TN_ADD(&p->s, stock);
    SAY(p, r, kind, kind);
    SAY(p, r, name, name);
    SAY(p, r, path, path);
    r->by = tn_fact_nostr(p->src, TN_ABSENT);
    r->bytes = r->freed_bytes = tn_fact_int(p->src, 1000);
    r->n_foreign = tn_fact_int(p->src, 0);
    r->unreadable = tn_fact_int(p->src, 0);
    return r;
}

static void toolkit(struct place *p, const char *version, const char *path)
{
    SAY(p, stock(p, "toolkit", "cuda", path), version, version);
}

static void env(struct place *p, const char *id, const char *path)
{
    struct tn_rec_env *e = TN_ADD(&p->s, env);
    SAY(p, e, id, id);
    SAY(p, e, path, path);
    SAY(p, e, kind, "venv");
    SAY(p, e, interpreter, "/home/a/env/bin/python");
}

static void load(struct place *p, const char *id, const char *file)
{
    struct tn_rec_load *l = TN_ADD(&p->s, load);
    SAY(p, l, env, id);
    SAY(p, l, framework, "tensorflow");
    SAY(p, l, name, "libcudart.so.11.0");
    SAY(p, l, outcome, "found");
    SAY(p, l, path, file);
    SAY(p, l, real, file);
}

static struct tn_rec_framework *framework(struct place *p, const char *id)
{
    struct tn_rec_framework *f = TN_ADD(&p->s, framework);
    SAY(p, f, env, id);
    SAY(p, f, name, "tensorflow");
    f->gpu_build = tn_fact_int(p->src, 1);
    return f;
}

static const char *make(struct place *p, const char *a, const char *b)
{
    const char *word[] = {a, b}, *bad;
    struct tn_clean_wish w = {word, a ? b ? 2 : 1 : 0};
    tn_clean_make(&p->c, &w, &bad);
    return bad;
}

static const struct tn_clean_item *at(const struct place *p, const char *path)
{
    for (size_t i = 0; i < p->c.n; i++)
        if (strcmp(p->c.item[i].r->path.v, path) == 0)
            return &p->c.item[i];
    fail_msg("no item %s", path);
    return NULL;
}

static void what_an_environment_loads_stays(void **state)
{
    struct place *p = *state;
    toolkit(p, "11.2", "/usr/local/cuda-11.2");
    toolkit(p, "11.6", "/usr/local/cuda-11.6");
    env(p, "env1", "/home/a/env");
    framework(p, "env1");
    load(p, "env1", "/usr/local/cuda-11.2/lib64/libcudart.so.11.0");
    assert_null(make(p, NULL, NULL));
    assert_int_equal(at(p, "/usr/local/cuda-11.2")->state, TN_CLEAN_USED);
    assert_int_equal(at(p, "/usr/local/cuda-11.2")->user[0].use, TN_CLEAN_LOADS);
    assert_false(tn_clean_goes(at(p, "/usr/local/cuda-11.2")));
    assert_true(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
    assert_int_equal(at(p, "/usr/local/cuda-11.6")->how, TN_CLEAN_ASIDE);
    assert_int_equal(p->c.can_go, 1000);
    /* Not even by its name. */
    assert_null(make(p, "cuda", "11.2"));
    assert_false(tn_clean_goes(at(p, "/usr/local/cuda-11.2")));
    assert_false(at(p, "/usr/local/cuda-11.6")->asked);
    assert_int_equal(p->c.can_go, 0);
}

static void a_folder_of_nearly_the_same_name_is_another(void **state)
{
    struct place *p = *state;
    toolkit(p, "11.6", "/usr/local/cuda-11.6");
    toolkit(p, "11.60", "/usr/local/cuda-11.60");
    env(p, "env1", "/home/a/env");
    framework(p, "env1");
    load(p, "env1", "/usr/local/cuda-11.60/lib64/libcudart.so.11.0");
    assert_null(make(p, "cuda", "11.6"));
    assert_true(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
    assert_false(at(p, "/usr/local/cuda-11.60")->asked);
    assert_int_equal(at(p, "/usr/local/cuda-11.60")->state, TN_CLEAN_USED);
    assert_string_equal(make(p, "cuda", "12.0"), "12.0");
}

static void where_a_framework_loads_from_unknown_places_nothing_goes(void **state)
{
    struct place *p = *state;
    toolkit(p, "11.6", "/usr/local/cuda-11.6");
    env(p, "env1", "/home/a/env");
    struct tn_rec_framework *f = framework(p, "env1");
    make(p, "cuda", "11.6");
    assert_int_equal(at(p, "/usr/local/cuda-11.6")->state, TN_CLEAN_UNCLEAR);
    assert_false(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
    f->gpu_build = tn_fact_int(p->src, 0); /* a CPU build loads none of it */
    make(p, "cuda", "11.6");
    assert_true(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
}

static void what_settings_name_goes_only_by_its_name(void **state)
{
    struct place *p = *state;
    toolkit(p, "11.6", "/usr/local/cuda-11.6");
    struct tn_rec_mention *m = TN_ADD(&p->s, mention);
    SAY(p, m, by, "shell");
    SAY(p, m, file, "/home/a/.bashrc");
    SAY(p, m, leads_to, "/usr/local/cuda-11.6");
    make(p, NULL, NULL);
    assert_int_equal(at(p, "/usr/local/cuda-11.6")->state, TN_CLEAN_NAMED);
    assert_false(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
    make(p, "cuda", NULL);
    assert_false(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
    make(p, "cuda", "11.6");
    assert_true(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
    make(p, "/usr/local/cuda-11.6", NULL);
    assert_true(tn_clean_goes(at(p, "/usr/local/cuda-11.6")));
    SAY(p, m, by, "process"); /* running code is use */
    make(p, "cuda", "11.6");
    assert_int_equal(at(p, "/usr/local/cuda-11.6")->state, TN_CLEAN_USED);
}

static void what_nobody_knows_stays(void **state)
{
    struct place *p = *state;
    struct tn_rec_stock *r = stock(p, "env", "venv", "/home/a/old");
    SAY(p, r, damage, "interpreter");
    r->n_foreign = tn_fact_int(p->src, 1);
    make(p, "envs", NULL);
    assert_int_equal(at(p, "/home/a/old")->state, TN_CLEAN_FOREIGN);
    r->n_foreign = (struct tn_int){0}; /* nobody has looked */
    make(p, "envs", NULL);
    assert_int_equal(at(p, "/home/a/old")->state, TN_CLEAN_FOREIGN);
    r->n_foreign = tn_fact_int(p->src, 0);
    r->unreadable = tn_fact_int(p->src, 1);
    make(p, "envs", NULL);
    assert_int_equal(at(p, "/home/a/old")->state, TN_CLEAN_FOREIGN);
    r->unreadable = tn_fact_int(p->src, 0);
    const char *mount[] = {"/home/a/old/data"};
    r->mounts = tn_fact_list(&p->s, p->src, mount, 1);
    make(p, "/home/a/old", NULL);
    assert_false(tn_clean_goes(at(p, "/home/a/old")));
    r->mounts = tn_fact_list(&p->s, p->src, NULL, 0);
    make(p, "envs", NULL);
    assert_true(tn_clean_goes(at(p, "/home/a/old")));
    r->by = tn_fact_nostr(p->src, TN_DENIED);
    make(p, "envs", NULL);
    assert_int_equal(at(p, "/home/a/old")->state, TN_CLEAN_UNCLEAR);
}

static struct tn_rec_stock *wheel(struct place *p, const char *name, const char *path, const char *asker, bool asked)
{
    struct tn_rec_stock *r = stock(p, "wheel", name, path);
    SAY(p, r, env, "env1");
    SAY(p, r, by, "pip");
    r->wanted_by = tn_fact_list(&p->s, p->src, &asker, asker ? 1 : 0);
    r->requested = tn_fact_int(p->src, asked);
    return r;
}

static void a_wheel_stays_as_long_as_somebody_asks_for_it(void **state)
{
    struct place *p = *state;
    env(p, "env1", "/home/a/env");
    wheel(p, "nvidia-cublas-cu12", "/s/a", "nvidia-cudnn-cu12", false);
    wheel(p, "nvidia-cudnn-cu12", "/s/b", "torch", false);
    wheel(p, "nvidia-cublas-cu11", "/s/c", "nvidia-cudnn-cu11", false);
    wheel(p, "nvidia-cudnn-cu11", "/s/d", NULL, false);
    wheel(p, "nvidia-nccl-cu11", "/s/e", NULL, true);
    make(p, "wheels", NULL);
    assert_int_equal(at(p, "/s/a")->state, TN_CLEAN_USED); /* through cuDNN */
    assert_string_equal(at(p, "/s/a")->user[0].text, "torch");
    assert_int_equal(at(p, "/s/b")->state, TN_CLEAN_USED);
    assert_int_equal(at(p, "/s/c")->state, TN_CLEAN_FREE);
    assert_int_equal(at(p, "/s/d")->state, TN_CLEAN_FREE);
    assert_string_equal(at(p, "/s/d")->command, "/home/a/env/bin/python -m pip uninstall nvidia-cudnn-cu11");
    assert_int_equal(at(p, "/s/e")->state, TN_CLEAN_USED); /* named by a person */
}

static void two_wheels_that_ask_for_each_other_are_not_asked_for(void **state)
{
    struct place *p = *state;
    env(p, "env1", "/home/a/env");
    wheel(p, "nvidia-cublas-cu11", "/s/a", "nvidia-cudnn-cu11", false);
    wheel(p, "nvidia-cudnn-cu11", "/s/b", "nvidia-cublas-cu11", false);
    make(p, NULL, NULL);
    assert_int_equal(at(p, "/s/a")->state, TN_CLEAN_FREE);
    assert_int_equal(at(p, "/s/b")->state, TN_CLEAN_FREE);
}

static void a_wheel_that_is_loaded_stays(void **state)
{
    struct place *p = *state;
    env(p, "env1", "/home/a/env");
    framework(p, "env1");
    wheel(p, "nvidia-cudnn-cu11", "/s/a", NULL, false);
    struct tn_rec_library *l = TN_ADD(&p->s, library);
    SAY(p, l, path, "/s/nvidia/cudnn/lib/libcudnn.so.8");
    SAY(p, l, env, "env1");
    SAY(p, l, owner, "nvidia-cudnn-cu11 8.6.0.163");
    load(p, "env1", "/s/nvidia/cudnn/lib/libcudnn.so.8");
    make(p, NULL, NULL);
    assert_int_equal(at(p, "/s/a")->state, TN_CLEAN_USED);
    SAY(p, l, owner, "nvidia-cudnn-cu110 8.6.0.163"); /* another's */
    make(p, NULL, NULL);
    assert_int_equal(at(p, "/s/a")->state, TN_CLEAN_FREE);
}

static void package(struct place *p, const char *name)
{
    struct tn_rec_package *k = TN_ADD(&p->s, package);
    SAY(p, k, name, name);
    SAY(p, k, manager, "dpkg");
    SAY(p, k, state, "installed");
}

static void packages_go_by_their_manager_and_the_driver_stays(void **state)
{
    struct place *p = *state;
    const char *names[] = {"cuda-nvcc-11-6", "libcublas-11-6"};
    toolkit(p, "11.6", "/usr/local/cuda-11.6");
    struct tn_rec_stock *r = &p->s.stock.v[0];
    SAY(p, r, by, "dpkg");
    r->packages = tn_fact_list(&p->s, p->src, names, 2);
    r->n_foreign = (struct tn_int){0}; /* what packages own is not walked through */
    package(p, "cuda-nvcc-11-6");
    package(p, "cuda-drivers");
    package(p, "nvidia-driver-535");
    make(p, NULL, NULL);
    const struct tn_clean_item *i = at(p, "/usr/local/cuda-11.6");
    assert_int_equal(i->how, TN_CLEAN_COMMAND);
    assert_string_equal(i->command, "sudo apt-get remove cuda-nvcc-11-6 libcublas-11-6");
    assert_string_equal(i->before, "sudo apt-mark manual cuda-drivers nvidia-driver-535");
    SAY(p, r, by, "spack");
    make(p, NULL, NULL);
    assert_int_equal(at(p, "/usr/local/cuda-11.6")->how, TN_CLEAN_BY_HAND);
}

static void names_that_cannot_be_shown_make_no_command(void **state)
{
    struct place *p = *state;
    struct tn_rec_stock *r = stock(p, "cache", "pip", "/home/a/\033[2Jcache");
    SAY(p, r, by, "tool");
    make(p, NULL, NULL);
    assert_null(p->c.item[0].command);
    assert_int_equal(p->c.item[0].how, TN_CLEAN_BY_HAND);
    SAY(p, r, path, "/home/a/$(id) x");
    make(p, NULL, NULL);
    assert_string_equal(p->c.item[0].command, "pip cache purge --cache-dir '/home/a/$(id) x'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_an_environment_loads_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_folder_of_nearly_the_same_name_is_another, setup, teardown),
        cmocka_unit_test_setup_teardown(where_a_framework_loads_from_unknown_places_nothing_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(what_settings_name_goes_only_by_its_name, setup, teardown),
        cmocka_unit_test_setup_teardown(what_nobody_knows_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wheel_stays_as_long_as_somebody_asks_for_it, setup, teardown),
        cmocka_unit_test_setup_teardown(two_wheels_that_ask_for_each_other_are_not_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wheel_that_is_loaded_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(packages_go_by_their_manager_and_the_driver_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(names_that_cannot_be_shown_make_no_command, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
