/* image_modinfo.c - a kernel module assembled here, plain and in every compression. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "image/modinfo.h"

#define MARK "~Module signature appended~\n"

static const char info[] = "version=535.309.01\0license=NVIDIA\0firmware=nvidia/535.309.01/gsp_tu10x.bin\0"
                           "firmware=nvidia/535.309.01/gsp_ga10x.bin\0srcversion=1A2B\0depends=drm\0name=nvidia\0"
                           "parm=NVreg_X:int\0vermagic=6.1.0-57-amd64 SMP preempt mod_unload modversions \0"
                           "version=1.0"; /* the kernel, too, takes the first */
static const char names[] = "\0.modinfo\0.shstrtab";

/* Larger than what modinfo.c keeps of head and tail, so that .modinfo must be decoded again. */
enum { MODINFO = 400000, SHSTR = 900000, SECTIONS = 900032, SIZE = SECTIONS + 3 * 64 };

static void put(unsigned char *p, size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[at + i] = (unsigned char)(v >> 8 * i);
}

static unsigned char *module(bool is_signed, size_t *ret_n)
{
    unsigned char *p = calloc(1, SIZE + sizeof MARK);
    uint32_t x = 1;
    for (size_t i = 64; i < SHSTR; i++) /* compresses, but not as a bomb would */
        p[i] = (x = x * 1103515245 + 12345) >> 30 ? 0 : (unsigned char)(x >> 16);
    memcpy(p, "\177ELF\2\1\1", 7);
    put(p, 16, 1, 2);
    put(p, 18, 62, 2);
    put(p, 40, SECTIONS, 8);
    put(p, 58, 64, 2);
    put(p, 60, 3, 2);
    put(p, 62, 2, 2);
    memcpy(p + MODINFO, info, sizeof info);
    memcpy(p + SHSTR, names, sizeof names);
    put(p, SECTIONS + 64, 1, 4);
    put(p, SECTIONS + 64 + 24, MODINFO, 8);
    put(p, SECTIONS + 64 + 32, sizeof info, 8);
    put(p, SECTIONS + 128, 10, 4);
    put(p, SECTIONS + 128 + 24, SHSTR, 8);
    put(p, SECTIONS + 128 + 32, sizeof names, 8);
    *ret_n = SIZE;
    if (is_signed) {
        memcpy(p + SIZE, MARK, sizeof MARK - 1);
        *ret_n += sizeof MARK - 1;
    }
    return p;
}

static size_t gzip(const unsigned char *p, size_t n, unsigned char *out, size_t cap)
{
    z_stream z;
    memset(&z, 0, sizeof z);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)p;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    n = z.total_out;
    deflateEnd(&z);
    return n;
}

static size_t xz(const unsigned char *p, size_t n, unsigned char *out, size_t cap)
{
    size_t at = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, p, n, out, &at, cap), LZMA_OK);
    return at;
}

static size_t zstd(const unsigned char *p, size_t n, unsigned char *out, size_t cap)
{
    n = ZSTD_compress(out, cap, p, n, 3);
    assert_false(ZSTD_isError(n));
    return n;
}

static void check(const unsigned char *p, size_t n, const char *compression, bool is_signed)
{
    struct tn_span s = tn_span_of(p, n);
    struct tn_view v = tn_view_of_span(&s);
    struct tn_modinfo m;
    struct tn_arena a;
    struct tn_err err;
    tn_arena_init(&a);
    if (tn_image_modinfo_read(&v, &a, &m, &err))
        fail_msg("%s: %s", compression, err.text);
    assert_string_equal(m.compression, compression);
    assert_string_equal(m.version, "535.309.01");
    assert_string_equal(m.license, "NVIDIA");
    assert_string_equal(m.vermagic, "6.1.0-57-amd64 SMP preempt mod_unload modversions ");
    assert_string_equal(m.name, "nvidia");
    assert_string_equal(m.depends, "drm");
    assert_string_equal(m.srcversion, "1A2B");
    assert_int_equal(m.n_firmware, 2);
    assert_string_equal(m.firmware[1], "nvidia/535.309.01/gsp_ga10x.bin");
    assert_int_equal(m.signature, is_signed);
    assert_int_equal(m.size, SIZE + (is_signed ? sizeof MARK - 1 : 0));
    assert_true(a.total < (4u << 20));
    tn_arena_deinit(&a);
}

typedef size_t (*encoder)(const unsigned char *p, size_t n, unsigned char *out, size_t cap);

static int read_code(const unsigned char *p, size_t n)
{
    struct tn_span s = tn_span_of(p, n);
    struct tn_view v = tn_view_of_span(&s);
    struct tn_modinfo m;
    struct tn_arena a;
    tn_arena_init(&a);
    int r = tn_image_modinfo_read(&v, &a, &m, NULL);
    tn_arena_deinit(&a);
    return r;
}

static void every_form(void **state)
{
    static const encoder encoders[] = {gzip, xz, zstd};
    static const char *const forms[] = {"gzip", "xz", "zstd"};
    const size_t cap = 2u << 20;
    unsigned char *out = malloc(cap);
    (void)state;
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        size_t n;
        unsigned char *p = module(is_signed, &n);
        check(p, n, "none", is_signed);
        for (size_t i = 0; i < 3; i++) {
            size_t k = encoders[i](p, n, out, cap);
            check(out, k, forms[i], is_signed);
            assert_int_equal(read_code(out, k / 2), TN_E_FORMAT); /* cut */
        }
        free(p);
    }
    free(out);
}

static void bomb_and_others(void **state)
{
    static const encoder encoders[] = {gzip, xz, zstd};
    const size_t n = 8u << 20;
    unsigned char *zeros = calloc(1, n), *out = malloc(n);
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(read_code(out, encoders[i](zeros, n, out, n)), TN_E_LIMIT);
    assert_int_equal(read_code(zeros, 4096), TN_E_FORMAT);
    memcpy(zeros, "\177ELF\2\1\1", 7);
    assert_int_equal(read_code(zeros, 4096), TN_E_NOTFOUND); /* no sections */
    free(zeros);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form), cmocka_unit_test(bomb_and_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
