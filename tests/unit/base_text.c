/* base_text.c - arenas, spans, buffers, strings, base64, rows by their texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/keys.h"
#include "base/know.h"
#include "base/span.h"
#include "base/str.h"
#include "base/view.h"

static void arena_pieces(void **state)
{
    (void)state;
    struct tn_arena a;
    size_t cap = 0;
    int *list = NULL;
    tn_arena_init(&a);
    for (size_t i = 1; i < 3000; i += 7) {
        unsigned char *p = tn_arena_alloc(&a, i);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < i; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xAA, i); /* the next piece must be zeroed all the same */
    }
    for (int i = 0; i < 1000; i++) {
        list = tn_arena_grow(&a, list, (size_t)i, &cap, sizeof *list);
        list[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    assert_string_equal(tn_arena_printf(&a, "%s-%d", "x", 12), "x-12");
    assert_string_equal(tn_arena_strndup(&a, "abcdef", 3), "abc");
    tn_arena_deinit(&a);
}

static jmp_buf out;

static void on_oom(void *ctx)
{
    *(int *)ctx += 1;
    longjmp(out, 1);
}

static void arena_out_of_memory(void **state)
{
    (void)state;
    struct tn_arena a;
    static int called;
    tn_arena_init(&a);
    tn_oom_hook(on_oom, &called);
    if (!setjmp(out)) {
        tn_arena_array(&a, SIZE_MAX / 2, 8); /* the product does not fit */
        fail();
    }
    if (!setjmp(out)) {
        tn_arena_alloc(&a, SIZE_MAX - 3);
        fail();
    }
    assert_int_equal(called, 2);
    tn_oom_hook(NULL, NULL);
    tn_arena_deinit(&a);
}

static void span_reads(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
    struct tn_span s = tn_span_of(bytes, sizeof bytes), sub;
    uint8_t a;
    uint16_t b;
    uint32_t c;
    uint64_t d;
    assert_true(tn_span_u8(s, 8, &a) && a == 0);
    assert_false(tn_span_u8(s, 9, &a));
    assert_true(tn_span_u16(s, 0, false, &b) && b == 0x0201);
    assert_true(tn_span_u16(s, 0, true, &b) && b == 0x0102);
    assert_true(tn_span_u32(s, 1, false, &c) && c == 0x05040302);
    assert_true(tn_span_u64(s, 0, true, &d) && d == 0x0102030405060708);
    assert_false(tn_span_u64(s, 2, false, &d));
    assert_false(tn_span_u32(s, UINT64_MAX - 1, false, &c)); /* offset + size wraps */
    assert_false(tn_span_sub(s, 4, UINT64_MAX, &sub));
    assert_true(tn_span_sub(s, 9, 0, &sub) && sub.n == 0);
    assert_int_equal(tn_span_from(s, 100).n, 0);
    assert_non_null(tn_span_cstr(s, 7, 4));
    assert_null(tn_span_cstr(s, 0, 3)); /* no NUL within 3 bytes */
    assert_null(tn_span_cstr(s, 9, 4));
}

static void span_text(void **state)
{
    (void)state;
    struct tn_span rest = tn_span_str("one\r\n\n three "), line;
    assert_true(tn_span_line(&rest, &line) && tn_span_eq(line, "one"));
    assert_true(tn_span_line(&rest, &line) && line.n == 0);
    assert_true(tn_span_line(&rest, &line) && tn_span_eq(tn_span_trim(line), "three"));
    assert_false(tn_span_line(&rest, &line));
    struct tn_span s = tn_span_str("aaab aab");
    assert_int_equal(tn_span_find(s, 0, "aab", 3), 1);
    assert_int_equal(tn_span_find(s, 2, "aab", 3), 5);
    assert_true(tn_span_find(s, 6, "aab", 3) == SIZE_MAX);
    assert_true(tn_span_find(s, 100, "a", 1) == SIZE_MAX);
    assert_true(tn_span_starts(s, "aaa") && !tn_span_starts(s, "aaab aabx"));
}

static void view_is_bounded(void **state)
{
    (void)state;
    struct tn_span s = tn_span_str("0123456789"), got;
    struct tn_view v = tn_view_of_span(&s);
    struct tn_err err;
    assert_int_equal(tn_view_at(&v, 3, 4, &got, &err), 0);
    assert_true(tn_span_eq(got, "3456"));
    assert_int_equal(tn_view_at(&v, 8, 3, &got, &err), TN_E_FORMAT);
    assert_int_equal(tn_view_at(&v, UINT64_MAX, 1, &got, &err), TN_E_FORMAT);
}

static void strings(void **state)
{
    (void)state;
    uint64_t v;
    assert_true(tn_str_u64("0x10de", 6, 16, &v) && v == 0x10de);
    assert_true(tn_str_u64("18446744073709551615", 20, 10, &v) && v == UINT64_MAX);
    assert_false(tn_str_u64("18446744073709551616", 20, 10, &v));
    assert_false(tn_str_u64("", 0, 10, &v) || tn_str_u64("1x", 2, 10, &v) || tn_str_u64("-1", 2, 10, &v));
    assert_true(tn_str_glob("driver-*", "driver-too-old") && tn_str_glob("*", "") && tn_str_glob("a?c*", "abcd"));
    assert_false(tn_str_glob("driver-*x", "driver-too-old") || tn_str_glob("a", "ab"));
    assert_true(tn_str_glob("*a*b*c", "xxaxxbxxaxbxxc"));
    assert_int_equal(tn_str_distance("docter", "doctor", 2), 1);
    assert_int_equal(tn_str_distance("exepct", "expect", 2), 1); /* a swap is one slip */
    assert_int_equal(tn_str_distance("abc", "xyz", 2), 3);
    assert_true(tn_str_ieq("CUDART64_110.DLL", "cudart64_110.dll"));
    assert_true(tn_str_cmp(NULL, "a") < 0 && tn_str_cmp(NULL, NULL) == 0);
}

static void utf8(void **state)
{
    (void)state;
    static const char *const bad[] = {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE4\xB8",
                                      "\xFF",     "a\x80z",       "\xE0\x80\x80"};
    for (size_t i = 0; i < TN_LEN(bad); i++)
        assert_false(tn_utf8_valid(bad[i], strlen(bad[i])));
    assert_true(tn_utf8_valid("\xE9\xA9\xB1\xE5\x8A\xA8 \xEF\xBF\xBD \xF0\x9F\x98\x80", 15));
    assert_int_equal(tn_utf8_width("\xE9\xA9\xB1\xE5\x8A\xA8x"), 5);
    assert_int_equal(tn_utf8_width("e\xCC\x81"), 1);
}

static void base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                           {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}};
    struct tn_buf b;
    struct tn_err err;
    tn_buf_init(&b);
    for (size_t i = 0; i < TN_LEN(pairs); i++) {
        tn_buf_clear(&b);
        tn_base64_encode(&b, tn_span_str(pairs[i][0]));
        assert_string_equal(b.p, pairs[i][1]);
        tn_buf_clear(&b);
        assert_int_equal(tn_base64_decode(&b, tn_span_str(pairs[i][1]), &err), 0);
        assert_string_equal(b.p, pairs[i][0]);
    }
    tn_buf_clear(&b);
    tn_buf_str(&b, "kept");
    assert_int_equal(tn_base64_decode(&b, tn_span_str("Zg=a"), &err), TN_E_FORMAT);
    assert_int_equal(tn_base64_decode(&b, tn_span_str("Zm9"), &err), TN_E_FORMAT);
    assert_int_equal(tn_base64_decode(&b, tn_span_str("Zg==Zg=="), &err), TN_E_FORMAT);
    assert_string_equal(b.p, "kept");
    tn_buf_deinit(&b);
}

static void words(void **state)
{
    (void)state;
    for (int k = TN_UNASKED; k <= TN_FAILED; k++)
        assert_int_equal(tn_know_parse(tn_know_word((enum tn_know)k)), k);
    assert_int_equal(tn_know_parse("healthy"), -1);
    assert_int_equal(tn_know_of_error(TN_E_NOTFOUND), TN_ABSENT);
    assert_int_equal(tn_know_of_error(TN_E_DENIED), TN_DENIED);
    assert_int_equal(tn_know_of_error(TN_E_TIMEOUT), TN_FAILED);
    assert_int_equal(tn_know_of_error(TN_E_UNSUPPORTED), TN_UNASKED);
}

static void keys(void **state)
{
    static const char *const text[] = {"b", "a", "ab", "b", "", "b/", "ba"};
    const struct tn_key *k;
    struct tn_keys x = {0};
    struct tn_arena a;
    (void)state;
    assert_int_equal(tn_keys_find(&x, "a", &k), 0);
    tn_arena_init(&a);
    for (size_t i = 0; i < TN_LEN(text); i++)
        tn_keys_add(&x, &a, text[i], i);
    tn_keys_sort(&x);
    assert_int_equal(tn_keys_find(&x, "b", &k), 2);
    assert_true(k[0].row == 0 && k[1].row == 3);
    assert_int_equal(tn_keys_starts(&x, "b", &k), 4);
    assert_int_equal(tn_keys_starts(&x, "b/", &k), 1);
    assert_int_equal(k->row, 5);
    assert_int_equal(tn_keys_find(&x, "", &k), 1);
    assert_int_equal(tn_keys_starts(&x, "", &k), TN_LEN(text));
    assert_true(tn_keys_has(&x, "ab") && !tn_keys_has(&x, "aa") && !tn_keys_has(&x, "c"));
    tn_arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_pieces),
        cmocka_unit_test(arena_out_of_memory),
        cmocka_unit_test(span_reads),
        cmocka_unit_test(span_text),
        cmocka_unit_test(view_is_bounded),
        cmocka_unit_test(strings),
        cmocka_unit_test(utf8),
        cmocka_unit_test(base64),
        cmocka_unit_test(words),
        cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
