/* plan_fix.c - the order of remedies in plan --fix, and what they promise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "plan/fix.h"

static enum tn_fix_scope scope(const char *id)
{
    struct tn_remedy r = {.id = id};
    return tn_fix_scope_of(&r);
}

static void test_scope(void **state)
{
    (void)state;
    assert_int_equal(scope("see-card"), TN_FIX_LOOKS);
    assert_int_equal(scope("see-vfio"), TN_FIX_LOOKS);
    assert_int_equal(scope("expect-cpu"), TN_FIX_LOOKS);
    assert_int_equal(scope("pin-numpy"), TN_FIX_INSIDE);
    assert_int_equal(scope("unset-variable"), TN_FIX_INSIDE);
    assert_int_equal(scope("reboot"), TN_FIX_SYSTEM); /* "nothing on the disk", but it ends every program */
    assert_int_equal(scope("install-driver"), TN_FIX_SYSTEM);
}

/* An environment before the system; what only looks last; where the check names that first, its order stays. */
static void test_order(void **state)
{
    (void)state;
    struct tn_arena mem;
    struct tn_snap s;
    struct tn_fix fix;
    struct tn_finding f = {
        .cause = "driver-not-loaded",
        .remedy = {{.id = "reboot"}, {.id = "see-dkms"}, {.id = "reload-uvm"}, {.id = "drop-pythonhome"}},
        .n_remedy = 4};
    tn_arena_init(&mem);
    tn_snap_init(&s);
    assert_true(tn_fix_make(&mem, &s, &f, &fix));
    assert_string_equal(fix.chosen.id, "drop-pythonhome");
    assert_string_equal(fix.other[0].id, "reboot");
    assert_string_equal(fix.other[1].id, "reload-uvm");
    assert_string_equal(fix.other[2].id, "see-dkms");
    f.remedy[0].id = "see-vfio";
    assert_true(tn_fix_make(&mem, &s, &f, &fix));
    assert_string_equal(fix.chosen.id, "see-vfio");
    assert_int_equal(fix.scope, TN_FIX_LOOKS);
    f.n_remedy = 0;
    assert_false(tn_fix_make(&mem, &s, &f, &fix));
    tn_snap_deinit(&s);
    tn_arena_deinit(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scope), cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
