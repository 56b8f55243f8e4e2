/* Digests: the vectors of FIPS 180-4's examples (NIST, "SHA256"), and that pieces make the same as a whole. */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void vectors(void **state)
{
    char hex[TN_SHA256_HEX];
    (void)state;
    tn_sha256_hex("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    tn_sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    tn_sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void pieces(void **state)
{
    char bytes[300], whole[TN_SHA256_HEX];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    for (size_t n = 0; n <= sizeof bytes; n++) {
        struct tn_sha256 s;
        unsigned char digest[32];
        tn_sha256_hex(bytes, n, whole);
        tn_sha256_start(&s);
        for (size_t at = 0, step = 1; at < n; at += step, step = step * 2 % 37 + 1)
            tn_sha256_add(&s, bytes + at, n - at < step ? n - at : step);
        tn_sha256_end(&s, digest);
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(digest[i],
                             (unsigned)(strchr("0123456789abcdef", whole[2 * i]) - "0123456789abcdef") * 16 +
                                 (unsigned)(strchr("0123456789abcdef", whole[2 * i + 1]) - "0123456789abcdef"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
