/* Environments beside the judged one: counted alike whatever the order of their rows, and judged together only when
 * nothing that matters tells them apart. */
#include "check_machine.h"

#define ENVS 40

/* The judged environment and ENVS others; every third has a build for the CPU alone. mixed: rows not side by side. */
static void fill(struct machine *m, bool mixed)
{
    char id[16];
    start(m, "linux");
    add_gpu(m, "NVIDIA GeForce RTX 3090", "8.6");
    set_driver(m, "535.104.05", "12.2");
    add_env(m, "env1", true);
    for (unsigned i = 0; i < ENVS; i++) {
        snprintf(id, sizeof id, "env%u", i + 2);
        add_env(m, id, false);
    }
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < ENVS; i++) {
            unsigned k = mixed && pass ? ENVS - 1 - i : i;
            snprintf(id, sizeof id, "env%u", k + 2);
            if (pass == 0)
                add_framework(m, id, "tensorflow", "2.15.1", k % 3 != 0);
            else
                add_dist(m, id, "numpy", "1.26.4");
        }
    tn_judge_init(&m->j, &m->s, NULL, NULL);
}

static void counted(void **state)
{
    struct machine one, two;
    (void)state;
    fill(&one, false);
    fill(&two, true);
    tn_check_others(&one.j, &one.v);
    tn_check_others(&two.j, &two.v);
    assert_int_equal(one.v.others, ENVS);
    assert_in_range(one.v.others_not_ready, (ENVS + 2) / 3, ENVS);
    assert_int_equal(two.v.others, one.v.others);
    assert_int_equal(two.v.others_not_ready, one.v.others_not_ready);
    finish(&one);
    finish(&two);
}

static bool alike(struct machine *m, size_t a, size_t b)
{
    const struct tn_judge_rows *rows = tn_judge_index(&m->s, &m->mem);
    struct tn_judge x = m->j, y = m->j;
    x.env = &m->s.env.v[a];
    y.env = &m->s.env.v[b];
    x.rows = &rows[a];
    y.rows = &rows[b];
    return tn_check_alike(&x, &y) && tn_check_alike(&y, &x);
}

static void told_apart(void **state)
{
    struct machine box, *m = &box;
    (void)state;
    fill(m, false);
    assert_true(alike(m, 2, 3));
    assert_false(alike(m, 1, 2)); /* a build for the CPU */
    m->s.env.v[3].path = T("/srv/elsewhere");
    assert_true(alike(m, 2, 3));
    m->s.env.v[3].python = T("3.12.1");
    assert_false(alike(m, 2, 3));
    assert_true(alike(m, 5, 6));
    m->s.dist.v[5].version = T("2.0.0"); /* of env7, whose row in env is 6 */
    assert_false(alike(m, 5, 6));
    assert_true(alike(m, 8, 9));
    add_library(m, "libcudart", "libcudart.so.12", "12.2.140", "env10");
    assert_false(alike(m, 8, 9)); /* what it brings itself is judged by where it lies */
    assert_true(alike(m, 11, 12));
    m->s.env.v[11].system_site = m->s.env.v[12].system_site = N(1);
    assert_false(alike(m, 11, 12));
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted), cmocka_unit_test(told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
