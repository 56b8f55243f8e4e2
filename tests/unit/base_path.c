/* base_path.c - paths of both styles, whatever system this runs on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/path.h"
#include "base/str.h"

static struct tn_arena mem;

static void join(void **state)
{
    (void)state;
    assert_string_equal(tn_path_join(&mem, TN_PATH_POSIX, "/a", "b"), "/a/b");
    assert_string_equal(tn_path_join(&mem, TN_PATH_POSIX, "/a/", "b"), "/a/b");
    assert_string_equal(tn_path_join(&mem, TN_PATH_POSIX, "/a", "/b"), "/b");
    assert_string_equal(tn_path_join(&mem, TN_PATH_POSIX, "", "b"), "b");
    assert_string_equal(tn_path_join(&mem, TN_PATH_WINDOWS, "C:\\a", "b"), "C:\\a\\b");
    assert_string_equal(tn_path_join(&mem, TN_PATH_WINDOWS, "C:\\a", "D:\\b"), "D:\\b");
    assert_string_equal(tn_path_join(&mem, TN_PATH_POSIX, "a", "C:\\b"), "a/C:\\b"); /* a backslash is a letter there */
}

static void parts(void **state)
{
    (void)state;
    assert_string_equal(tn_path_base(TN_PATH_POSIX, "/a/b.so"), "b.so");
    assert_string_equal(tn_path_base(TN_PATH_WINDOWS, "C:\\a/b.dll"), "b.dll");
    assert_string_equal(tn_path_dir(&mem, TN_PATH_POSIX, "/a/b"), "/a");
    assert_string_equal(tn_path_dir(&mem, TN_PATH_POSIX, "/a"), "/");
    assert_string_equal(tn_path_dir(&mem, TN_PATH_POSIX, "/a/b//"), "/a");
    assert_string_equal(tn_path_dir(&mem, TN_PATH_POSIX, "a"), ".");
    assert_string_equal(tn_path_dir(&mem, TN_PATH_WINDOWS, "C:\\a"), "C:\\");
    assert_true(tn_path_is_abs(TN_PATH_POSIX, "/") && !tn_path_is_abs(TN_PATH_POSIX, "a/b"));
    assert_true(tn_path_is_abs(TN_PATH_WINDOWS, "c:/x") && tn_path_is_abs(TN_PATH_WINDOWS, "\\\\server\\x"));
    assert_false(tn_path_is_abs(TN_PATH_WINDOWS, "c:x"));
}

static void norm(void **state)
{
    (void)state;
    assert_string_equal(tn_path_norm(&mem, TN_PATH_POSIX, "/a//b/./c/../d/"), "/a/b/d");
    assert_string_equal(tn_path_norm(&mem, TN_PATH_POSIX, "/../../a"), "/a");
    assert_string_equal(tn_path_norm(&mem, TN_PATH_POSIX, "../a/.."), "..");
    assert_string_equal(tn_path_norm(&mem, TN_PATH_POSIX, "a/../.."), "..");
    assert_string_equal(tn_path_norm(&mem, TN_PATH_POSIX, "./"), ".");
    assert_string_equal(tn_path_norm(&mem, TN_PATH_POSIX, "/"), "/");
    assert_string_equal(tn_path_norm(&mem, TN_PATH_WINDOWS, "C:/a/../b\\c"), "C:\\b\\c");
    assert_string_equal(tn_path_norm(&mem, TN_PATH_POSIX, "/x/$ORIGIN/../nvidia"), "/x/nvidia");
}

static void same(void **state)
{
    (void)state;
    assert_true(tn_path_same(TN_PATH_POSIX, "/a/b", "/a/b/"));
    assert_false(tn_path_same(TN_PATH_POSIX, "/a/B", "/a/b"));
    assert_true(tn_path_same(TN_PATH_WINDOWS, "C:\\A\\b", "c:/a/B"));
    assert_true(tn_path_under(TN_PATH_POSIX, "/a/b/c", "/a/b"));
    assert_true(tn_path_under(TN_PATH_POSIX, "/a/b", "/a/b"));
    assert_true(tn_path_under(TN_PATH_POSIX, "/a", "/"));
    assert_false(tn_path_under(TN_PATH_POSIX, "/a/bc", "/a/b")); /* the classic */
    assert_false(tn_path_under(TN_PATH_POSIX, "/a", "/a/b"));
    assert_string_equal(tn_path_key(&mem, TN_PATH_WINDOWS, "C:\\\\Windows\\System32\\"), "c:/windows/system32");
    assert_string_equal(tn_path_key(&mem, TN_PATH_POSIX, "//a//B/"), "/a/B");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(join), cmocka_unit_test(parts), cmocka_unit_test(norm),
                                       cmocka_unit_test(same)};
    tn_arena_init(&mem);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    tn_arena_deinit(&mem);
    return rc;
}
