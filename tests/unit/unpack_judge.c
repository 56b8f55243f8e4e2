/* unpack_judge.c - which members of archives may become files: what a whole archive shows is in tests/unpack; here what
 * two archives in one tree mean, and the bounds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "unpack/judge.h"

static struct tn_arena mem;
static struct tn_unpack_judge j;
static bool again;

static void begin(enum tn_unpack_target target)
{
    tn_unpack_judge_init(&j, &mem, 1);
    j.target = target;
    tn_unpack_judge_next(&j);
}

static const char *member(char type, const char *name, const char *target)
{
    const struct tn_unpack_member m = {.type = type, .name = name, .target = target, .mode = 0644};
    struct tn_unpack_entry *e;
    return tn_unpack_judge(&j, &m, &e, &again);
}

static void test_two_archives(void **state)
{
    (void)state;
    begin(TN_UNPACK_POSIX);
    assert_null(member('f', "include/a.h", NULL));
    assert_null(member('l', "lib/liba.so", "liba.so.1"));
    tn_unpack_judge_next(&j);
    assert_null(member('f', "include/a.h", NULL));
    assert_true(again);
    assert_null(member('l', "lib/liba.so", "liba.so.1"));
    assert_false(again);
    tn_unpack_judge_next(&j);
    assert_non_null(member('l', "lib/liba.so", "liba.so.2"));
    assert_non_null(member('f', "lib/liba.so", NULL));
    assert_non_null(member('f', "lib", NULL));
    assert_non_null(member('h', "hard", "include/a.h")); /* of another archive */
}

static void test_strip(void **state)
{
    (void)state;
    begin(TN_UNPACK_POSIX);
    j.strip = 1;
    assert_null(member('d', "top", NULL));
    assert_null(member('l', "top/lib/x", "../include"));
    assert_non_null(member('l', "top/x", "../top/lib")); /* up to the stripped folder, and out */
    assert_non_null(member('f', "other/x", NULL));
    assert_non_null(member('f', "top", NULL));
    assert_int_equal(j.n_entry, 2);
    assert_string_equal(j.entry[0]->path, "lib");
    assert_string_equal(j.entry[1]->path, "lib/x");
}

static void test_targets(void **state)
{
    static const char *const devices[] = {"con", "Aux.h", "lib/COM1", "nul .txt", "x.", "x ", "a:b", "C:/x"};
    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        begin(TN_UNPACK_WINDOWS);
        assert_non_null(member('f', devices[i], NULL));
        begin(TN_UNPACK_POSIX);
        assert_null(member('f', devices[i], NULL));
    }
    begin(TN_UNPACK_MACOS);
    assert_null(member('f', "Include/a", NULL));
    assert_non_null(member('f', "include/b", NULL));
    assert_non_null(member('f', "Include/A", NULL));
    assert_null(member('f', "Include/aa", NULL));
}

static void test_bounds(void **state)
{
    (void)state;
    begin(TN_UNPACK_POSIX);
    assert_null(tn_unpack_judge_bytes(&j, TN_UNPACK_FREE, 1));
    assert_non_null(tn_unpack_judge_bytes(&j, TN_UNPACK_FREE + 1024, 1));
    assert_null(tn_unpack_judge_bytes(&j, (uint64_t)10 << 30, (uint64_t)1 << 30));
    assert_non_null(tn_unpack_judge_bytes(&j, (uint64_t)33 << 30, (uint64_t)32 << 30));
    j.caps.members = 2;
    assert_null(member('f', "a", NULL));
    assert_null(member('f', "b", NULL));
    assert_non_null(member('f', "c", NULL));
}

/* Many names: each is found again, none is taken for another. */
static void test_many(void **state)
{
    char name[32];
    (void)state;
    begin(TN_UNPACK_MACOS);
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "d%u/f%u", i % 100, i);
        assert_null(member('f', name, NULL));
    }
    for (unsigned i = 0; i < 20000; i += 7) {
        snprintf(name, sizeof name, "D%u/F%u", i % 100, i);
        assert_non_null(member('f', name, NULL));
        assert_non_null(tn_unpack_judge_find(&j, name));
    }
    assert_int_equal(j.n_entry, 20100);
}

static int setup(void **state)
{
    (void)state;
    tn_arena_init(&mem);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tn_arena_deinit(&mem);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_archives), cmocka_unit_test(test_strip),
                                       cmocka_unit_test(test_targets), cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
