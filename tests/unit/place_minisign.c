/* Keys and signatures of minisign as texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/str.h"
#include "place/minisign.h"

static struct tn_arena mem;

/* base64 of a head, an id of eight bytes i and n bytes x. */
static const char *line(const char *head, unsigned char i, size_t n, unsigned char x)
{
    unsigned char raw[128];
    struct tn_buf b;
    memcpy(raw, head, 2);
    memset(raw + 2, i, 8);
    memset(raw + 10, x, n);
    tn_buf_init(&b);
    tn_base64_encode(&b, tn_span_of(raw, 10 + n));
    const char *s = tn_arena_strdup(&mem, b.p);
    tn_buf_deinit(&b);
    return s;
}

static const char *global(void)
{
    unsigned char raw[64] = {3};
    struct tn_buf b;
    tn_buf_init(&b);
    tn_base64_encode(&b, tn_span_of(raw, sizeof raw));
    const char *s = tn_arena_strdup(&mem, b.p);
    tn_buf_deinit(&b);
    return s;
}

static int sign(const char *first, const char *second, struct tn_minisign *x)
{
    const char *text = tn_arena_printf(&mem, "%s\n%s\ntrusted comment: at noon\n%s\n", first, second, global());
    return tn_minisign_signature(&mem, tn_span_str(text), x, NULL);
}

static void keys_and_signatures(void **state)
{
    struct tn_minisign x;
    (void)state;
    tn_arena_init(&mem);
    const char *key = line("Ed", 7, 32, 1), *head = "untrusted comment: whose";
    assert_int_equal(tn_minisign_key(tn_span_str(key), &x, NULL), 0);
    assert_int_equal(tn_minisign_key(tn_span_str(tn_arena_printf(&mem, "%s\n%s\n", head, key)), &x, NULL), 0);
    assert_string_equal(x.name, "0707070707070707");
    assert_int_equal(x.key[31], 1);
    assert_int_equal(sign(head, line("ED", 7, 64, 2), &x), 0);
    assert_string_equal(x.comment, "at noon");
    assert_int_equal(x.signature[63], 2);
    assert_int_equal(sign(head, line("ED", 8, 64, 2), &x), TN_E_REFUSED);
    assert_int_equal(sign(head, line("Ed", 7, 64, 2), &x), TN_E_FORMAT);
    assert_int_equal(sign(head, line("ED", 7, 63, 2), &x), TN_E_FORMAT);
    assert_int_equal(sign("comment: x", line("ED", 7, 64, 2), &x), TN_E_FORMAT);
    assert_int_equal(tn_minisign_signature(&mem, tn_span_str(""), &x, NULL), TN_E_FORMAT);
    assert_int_equal(tn_minisign_key(tn_span_str(""), &x, NULL), TN_E_FORMAT);
    assert_int_equal(tn_minisign_key(tn_span_str(line("ED", 7, 32, 1)), &x, NULL), TN_E_FORMAT);
    struct tn_buf b;
    tn_buf_init(&b);
    assert_int_equal(tn_minisign_key(tn_span_str(key), &x, NULL), 0);
    assert_int_equal(sign(head, line("ED", 7, 64, 2), &x), 0);
    tn_minisign_request(&x, &b);
    assert_true(tn_str_starts(b.p, "signed 0101") && tn_str_ends(b.p, " 6174206e6f6f6e\n"));
    tn_buf_deinit(&b);
    tn_arena_deinit(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_and_signatures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
