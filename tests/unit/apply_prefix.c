/* apply_prefix.c - an environment's place in texts, binaries and compiled modules, and the digests that conda keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "apply/prefix.h"
#include "base/str.h"

#define FROM "/a/.env.tenon-12345678"
#define TO "/a/env"

static struct tn_buf ret;

static enum tn_prefix_found move(const char *path, const void *p, size_t n)
{
    tn_buf_clear(&ret);
    return tn_prefix_move(path, tn_span_of(p, n), FROM, TO, &ret);
}

static void test_text(void **state)
{
    (void)state;
    static const char text[] = "#!" FROM "/bin/python\nx = '" FROM ":" FROM "/lib'\n";
    assert_int_equal(move("bin/x", text, sizeof text - 1), TN_PREFIX_MOVED);
    assert_string_equal(ret.p, "#!/a/env/bin/python\nx = '/a/env:/a/env/lib'\n");
    assert_int_equal(move("bin/x", "abc", 3), TN_PREFIX_NONE);
    assert_int_equal(move("bin/x", "", 0), TN_PREFIX_NONE);
    assert_int_equal(move("x", FROM, strlen(FROM)), TN_PREFIX_MOVED);
    assert_string_equal(ret.p, TO);
}

static void test_binary(void **state)
{
    (void)state;
    static const char elf[] = "\x7f"
                              "ELF\0" FROM "/a:" FROM "/b\0next\0" FROM;
    size_t n = sizeof elf - 1, less = strlen(FROM) - strlen(TO);
    assert_int_equal(move("bin/x", elf, n), TN_PREFIX_MOVED);
    assert_int_equal(ret.n, n);
    assert_string_equal(ret.p + 5, TO "/a:" TO "/b");
    size_t next = 5 + 2 * strlen(FROM) + 6;
    for (size_t i = next - 2 * less - 1; i < next; i++)
        assert_int_equal(ret.p[i], 0);
    assert_string_equal(ret.p + next, "next");
    assert_string_equal(ret.p + next + 5, TO);
    assert_int_equal(ret.p[n - 1], 0);
}

static void test_module(void **state)
{
    (void)state;
    struct tn_buf pyc;
    static const char is[] = FROM "/x.py", becomes[] = TO "/x.py";
    tn_buf_init(&pyc);
    tn_buf_add(&pyc, "\xa7\r\r\n\0\0\0\0", 8);
    tn_buf_ch(&pyc, (char)('z' | 0x80)); /* short: one byte of length */
    tn_buf_ch(&pyc, (char)(sizeof is - 1));
    tn_buf_str(&pyc, is);
    tn_buf_add(&pyc, "u", 1); /* long: four bytes */
    tn_buf_ch(&pyc, (char)(sizeof is - 1));
    tn_buf_add(&pyc, "\0\0\0", 3);
    tn_buf_str(&pyc, is);
    tn_buf_ch(&pyc, 'N');
    assert_int_equal(move("x.pyc", pyc.p, pyc.n), TN_PREFIX_MOVED);
    size_t k = sizeof becomes - 1;
    assert_int_equal(ret.n, 8 + 2 + k + 5 + k + 1);
    assert_int_equal((unsigned char)ret.p[9], k);
    assert_memory_equal(ret.p + 10, becomes, k);
    assert_int_equal((unsigned char)ret.p[10 + k + 1], k);
    assert_memory_equal(ret.p + 15 + k, becomes, k);
    assert_int_equal(ret.p[ret.n - 1], 'N');

    tn_buf_clear(&pyc); /* in the middle of a string; a length that is not there */
    tn_buf_str(&pyc, "z\x30 see " FROM "                                    ");
    assert_int_equal(move("x.pyc", pyc.p, pyc.n), TN_PREFIX_UNSAID);
    assert_int_equal(ret.n, 0);
    tn_buf_clear(&pyc);
    tn_buf_str(&pyc, "z\x7f" FROM);
    assert_int_equal(move("x.pyc", pyc.p, pyc.n), TN_PREFIX_UNSAID);
    tn_buf_deinit(&pyc);
}

static void test_record(void **state)
{
    (void)state;
    struct tn_prefix_file f[] = {{.path = "bin/entry", .size = 7}, {.path = "bin/x", .size = 9}};
    memset(f[0].sha256, 0xAB, 32);
    memset(f[1].sha256, 0xCD, 32);
    static const char json[] =
        "{\"paths_data\":{\"paths\":[{\"_path\":\"bin/entry\",\"sha256\":\"1\",\"size_in_bytes\":1},"
        "{\"_path\":\"bin/x\",\"prefix_placeholder\":\"/opt\",\"sha256\":\"2\",\"sha256_in_prefix\":\"3\","
        "\"size_in_bytes\":4},{\"_path\":\"bin/y\",\"sha256\":\"5\"}]}}";
    tn_buf_clear(&ret);
    assert_true(tn_prefix_record(tn_span_of(json, sizeof json - 1), f, TN_LEN(f), &ret));
    assert_non_null(strstr(ret.p, "\"sha256\": \"abababab"));
    assert_non_null(strstr(ret.p, "\"size_in_bytes\": 7"));
    assert_non_null(strstr(ret.p, "\"sha256\": \"2\""));
    assert_non_null(strstr(ret.p, "\"sha256_in_prefix\": \"cdcdcdcd"));
    assert_non_null(strstr(ret.p, "\"size_in_bytes\": 4"));
    assert_non_null(strstr(ret.p, "\"sha256\": \"5\""));
    assert_false(tn_prefix_record(tn_span_of(json, sizeof json - 1), f, 0, &ret));
    static const char *const odd[] = {"", "{", "[]", "{\"paths_data\":[]}",
                                      "{\"paths_data\":{\"paths\":[1,{\"_path\":2}]}}"};
    for (unsigned i = 0; i < TN_LEN(odd); i++)
        assert_false(tn_prefix_record(tn_span_of(odd[i], strlen(odd[i])), f, TN_LEN(f), &ret));
}

static int teardown(void **state)
{
    (void)state;
    tn_buf_deinit(&ret);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_binary),
                                       cmocka_unit_test(test_module), cmocka_unit_test(test_record)};
    return cmocka_run_group_tests(tests, NULL, teardown);
}
