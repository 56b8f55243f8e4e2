/* plan_fix.c - the order of remedies in plan --fix, and what they promise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "plan/fix_effect.h"

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

/* Every remedy says what it leaves behind, or why that cannot be told. */
static void test_effects(void **state)
{
    (void)state;
    unsigned count[TN_FIX_TOLD_KINDS] = {0};
    for (unsigned i = 0; i < tn_n_remedies; i++) {
        const char *id = tn_string_pool + tn_remedy_rows[i].id;
        struct tn_remedy r = {.id = id};
        struct tn_remedy_text t;
        enum tn_fix_told told = tn_fix_told_of(id);
        assert_true(tn_remedy_find(id, &t));
        if (tn_effect_find(id) == TN_EFFECT_NONE)
            fail_msg("%s: what does it leave behind? (src/plan/fix_effect.c)", id);
        if (told == TN_FIX_TOLD_LOOKS && tn_fix_scope_of(&r) != TN_FIX_LOOKS && strcmp(id, "nccl-debug") != 0 &&
            strcmp(id, "blocking-launches") != 0)
            fail_msg("%s: its text says that it changes something", id);
        count[told]++;
    }
    printf(
        "remedies: %u, of these simulated %u; look %u, done elsewhere %u, in a program %u, only by trying %u, chosen "
        "by others %u, by hand %u, anew %u\n",
        tn_n_remedies, count[TN_FIX_TOLD], count[TN_FIX_TOLD_LOOKS], count[TN_FIX_TOLD_ELSEWHERE],
        count[TN_FIX_TOLD_PROGRAM], count[TN_FIX_TOLD_TRY], count[TN_FIX_TOLD_CHOICE], count[TN_FIX_TOLD_BY_HAND],
        count[TN_FIX_TOLD_ANEW]);
    assert_true(count[TN_FIX_TOLD] >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scope), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_effects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
