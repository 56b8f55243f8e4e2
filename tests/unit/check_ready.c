/* Which environments would see the GPU: each from its own rows, the machine's fault told once. */
#include "check/ready.h"

#include "check_machine.h"

static void three(struct machine *m, bool card)
{
    start_healthy(m);
    if (!card) {
        m->s.gpu.n = 0;
        TN_THE(&m->s, driver)->loaded = N(0);
        TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    }
    add_env(m, "env2", false);
    add_env(m, "env3", false);
    add_framework(m, "env2", "tensorflow", "2.15.1", false);
    tn_judge_init(&m->j, &m->s, NULL, NULL);
}

static void each_by_its_own(void **state)
{
    struct machine box, *m = &box;
    struct tn_readiness r;
    (void)state;
    three(m, true);
    tn_check_ready(&m->j, &m->mem, &r);
    assert_int_equal(r.n, 3);
    assert_null(r.machine);
    assert_int_equal(r.env[0].how, TN_READY_YES);
    assert_int_equal(r.env[1].how, TN_READY_NO);
    assert_string_equal(r.env[1].reason->cause, "cpu-only-build");
    assert_false(r.env[1].of_machine);
    assert_int_equal(r.env[2].how, TN_READY_NONE);
    assert_null(r.env[2].reason);
    finish(m);
}

static void machine_once(void **state)
{
    struct machine box, *m = &box;
    struct tn_readiness r;
    (void)state;
    three(m, false);
    tn_check_ready(&m->j, &m->mem, &r);
    assert_non_null(r.machine);
    assert_string_equal(r.machine->cause, "no-nvidia-gpu");
    assert_int_equal(r.env[0].how, TN_READY_NO);
    assert_true(r.env[0].of_machine);
    assert_ptr_equal(r.env[0].reason, r.machine);
    assert_int_equal(r.env[1].how, TN_READY_NO); /* its own fault stays its own */
    assert_false(r.env[1].of_machine);
    assert_int_equal(r.env[2].how, TN_READY_NONE);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_by_its_own), cmocka_unit_test(machine_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
