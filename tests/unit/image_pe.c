/* image_pe.c - a DLL assembled here, PE32+ and PE32: imports, delay imports, version resource. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "image/pe.h"

/* One section: RVA 0x1000, file offset 0x400. */
enum {
    RVA = 0x1000,
    RAW = 0x400,
    IMPORTS = 0x1000,
    DELAYED = 0x1080,
    NAMES = 0x1100,
    RESOURCES = 0x1200,
    VERSION = 0x1300,
    SIZE = 0x1000
};

static void put(unsigned char *p, size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[at + i] = (unsigned char)(v >> 8 * i);
}

static size_t file(uint32_t rva)
{
    return rva - RVA + RAW;
}

/* UTF-16 text with its NUL, padded to 4 bytes from the start of the version block. */
static size_t text(unsigned char *p, size_t at, const char *s)
{
    do
        put(p, at, (unsigned char)*s, 2), at += 2;
    while (*s++);
    return at + ((at - file(VERSION)) & 2);
}

static void version_block(unsigned char *p)
{
    static const char *const strings[][2] = {{"FileDescription", "NVIDIA CUDA Runtime, Version 12.9.79"},
                                             {"FileVersion", "6,14,11,12090"},
                                             {"ProductName", "NVIDIA CUDA 12.9.79 Runtime"},
                                             {"ProductVersion", "12.9.79"}};
    size_t root = file(VERSION), at = text(p, root + 6, "VS_VERSION_INFO"), info, table;
    put(p, root + 2, 52, 2);
    put(p, at, 0xFEEF04BDu, 4);
    put(p, at + 8, 0x0006000E, 4);
    put(p, at + 12, 11u << 16 | 12090, 4);
    put(p, at + 16, 0x000C0009, 4);
    put(p, at + 20, 79u << 16, 4);
    info = at + 52;
    table = text(p, info + 6, "StringFileInfo");
    at = text(p, table + 6, "040904b0");
    for (size_t i = 0; i < TN_LEN(strings); i++) {
        size_t node = at, value = text(p, node + 6, strings[i][0]);
        at = text(p, value, strings[i][1]);
        put(p, node, at - node, 2);
        put(p, node + 2, strlen(strings[i][1]) + 1, 2);
        put(p, node + 4, 1, 2);
    }
    put(p, table, at - table, 2);
    put(p, info, at - info, 2);
    put(p, root, at - root, 2);
}

/* Three folders with one entry each, the last but one with two languages, then the data entry. */
static void resources(unsigned char *p)
{
    size_t at = file(RESOURCES);
    put(p, at + 14, 1, 2);
    put(p, at + 16, 16, 4);
    put(p, at + 20, 0x80000018u, 4);
    put(p, at + 0x18 + 14, 1, 2);
    put(p, at + 0x18 + 16, 1, 4);
    put(p, at + 0x18 + 20, 0x80000030u, 4);
    put(p, at + 0x30 + 14, 2, 2);
    put(p, at + 0x30 + 16, 0x401, 4);
    put(p, at + 0x30 + 20, 0x60, 4);
    put(p, at + 0x30 + 24, 0x409, 4);
    put(p, at + 0x30 + 28, 0x50, 4);
    put(p, at + 0x50, VERSION, 4);
    put(p, at + 0x54, 0x600, 4);
}

static void build(unsigned char *p, bool plus)
{
    size_t opt = 0x80 + 24, size = plus ? 240 : 224, dirs = opt + (plus ? 112 : 96), sec = opt + size;
    memset(p, 0, SIZE);
    memcpy(p, "MZ", 2);
    put(p, 0x3C, 0x80, 4);
    memcpy(p + 0x80, "PE", 2);
    put(p, 0x84, plus ? TN_PE_AMD64 : TN_PE_I386, 2);
    put(p, 0x86, 1, 2);
    put(p, 0x94, size, 2);
    put(p, 0x96, 0x2000, 2);
    put(p, opt, plus ? 0x20B : 0x10B, 2);
    put(p, opt + (plus ? 24 : 28), 0x400000, plus ? 8 : 4);
    put(p, opt + 60, 0x400, 4);
    put(p, dirs - 4, 16, 4);
    put(p, dirs + 8, IMPORTS, 4);
    put(p, dirs + 16, RESOURCES, 4);
    put(p, dirs + 20, 0x600, 4);
    put(p, dirs + 13 * 8, DELAYED, 4);
    put(p, sec + 12, RVA, 4);
    put(p, sec + 16, SIZE - RAW, 4);
    put(p, sec + 20, RAW, 4);
    put(p, file(IMPORTS) + 12, NAMES, 4);
    put(p, file(IMPORTS) + 20 + 12, NAMES + 16, 4);
    put(p, file(DELAYED), 1, 4);
    put(p, file(DELAYED) + 4, NAMES + 32, 4);
    put(p, file(DELAYED) + 32 + 4, 0x400000 + NAMES + 48, 4); /* the old form: an address */
    memcpy(p + file(NAMES), "KERNEL32.dll", 12);
    memcpy(p + file(NAMES) + 16, "zlibwapi.dll", 12);
    memcpy(p + file(NAMES) + 32, "nvcuda.dll", 10);
    memcpy(p + file(NAMES) + 48, "cublas64_12.dll", 15);
    resources(p);
    version_block(p);
}

static void check(bool plus)
{
    unsigned char bytes[SIZE];
    struct tn_arena a;
    struct tn_pe pe;
    struct tn_err err;
    build(bytes, plus);
    struct tn_span s = tn_span_of(bytes, SIZE);
    struct tn_view v = tn_view_of_span(&s);
    tn_arena_init(&a);
    if (tn_image_pe_open(&v, &a, &pe, &err))
        fail_msg("%s", err.text);
    assert_int_equal(pe.machine, plus ? TN_PE_AMD64 : TN_PE_I386);
    assert_int_equal(pe.plus, plus);
    assert_true(pe.dll);
    assert_int_equal(pe.file_end, SIZE);
    assert_int_equal(pe.n_imports, 2);
    assert_string_equal(pe.imports[0], "KERNEL32.dll");
    assert_string_equal(pe.imports[1], "zlibwapi.dll");
    assert_int_equal(pe.n_delayed, 2);
    assert_string_equal(pe.delayed[0], "nvcuda.dll");
    assert_string_equal(pe.delayed[1], "cublas64_12.dll");
    assert_true(pe.has_fixed);
    assert_string_equal(tn_image_pe_version_text(pe.file_version, &a), "6.14.11.12090");
    assert_string_equal(tn_image_pe_version_text(pe.product_version, &a), "12.9.79.0");
    assert_string_equal(pe.file_version_text, "6,14,11,12090");
    assert_string_equal(pe.product_version_text, "12.9.79");
    assert_string_equal(pe.description, "NVIDIA CUDA Runtime, Version 12.9.79");
    assert_string_equal(pe.product, "NVIDIA CUDA 12.9.79 Runtime");
    tn_arena_deinit(&a);
}

static void whole(void **state)
{
    (void)state;
    check(true);
    check(false);
}

/* Exports in the room behind the version block: f is its own, g and number 3 are served by others. */
static void exports(unsigned char *p, bool plus)
{
    enum { EXPORTS = 0x1900, SYMBOLS = 0x1A00, THUNKS = 0x1A80 };
    size_t opt = 0x80 + 24, dirs = opt + (plus ? 112 : 96), x = file(EXPORTS);
    put(p, dirs, EXPORTS, 4);
    put(p, dirs + 4, 0xF0, 4);
    put(p, x + 16, 1, 4); /* base */
    put(p, x + 20, 3, 4);
    put(p, x + 24, 2, 4);
    put(p, x + 28, EXPORTS + 0x28, 4);
    put(p, x + 32, EXPORTS + 0x38, 4);
    put(p, x + 36, EXPORTS + 0x40, 4);
    put(p, x + 0x28, 0x1010, 4);
    put(p, x + 0x2C, EXPORTS + 0x50, 4);
    put(p, x + 0x30, EXPORTS + 0x60, 4);
    put(p, x + 0x38, EXPORTS + 0x70, 4);
    put(p, x + 0x3C, EXPORTS + 0x74, 4);
    put(p, x + 0x42, 1, 2);
    memcpy(p + x + 0x50, "python310.g", 11);
    memcpy(p + x + 0x60, "a.b.#7", 6);
    memcpy(p + x + 0x70, "f\0\0\0g", 5);
    put(p, file(IMPORTS) + 20, THUNKS, 4);
    put(p, file(THUNKS), SYMBOLS, plus ? 8 : 4);
    put(p, file(THUNKS) + (plus ? 8 : 4), 9, plus ? 8 : 4);
    put(p, file(THUNKS) + (plus ? 15 : 7), 0x80, 1);
    memcpy(p + file(SYMBOLS) + 2, "inflate", 8);
}

static void symbols(void **state)
{
    (void)state;
    for (unsigned plus = 0; plus < 2; plus++) {
        unsigned char bytes[SIZE];
        struct tn_arena a;
        struct tn_pe_forward *f;
        struct tn_pe_symbol *y;
        size_t n;
        build(bytes, plus);
        exports(bytes, plus);
        struct tn_span s = tn_span_of(bytes, SIZE);
        struct tn_view v = tn_view_of_span(&s);
        tn_arena_init(&a);
        assert_int_equal(tn_image_pe_forwards(&v, &a, &f, &n, NULL), 0);
        assert_int_equal(n, 2);
        assert_string_equal(f[0].symbol, "g");
        assert_string_equal(f[0].dll, "python310.dll");
        assert_string_equal(f[0].target, "g");
        assert_int_equal(f[0].ordinal, 2);
        assert_null(f[1].symbol);
        assert_string_equal(f[1].dll, "a.b.dll");
        assert_string_equal(f[1].target, "#7");
        assert_int_equal(f[1].ordinal, 3);
        assert_int_equal(tn_image_pe_symbols(&v, "ZLIBWAPI.DLL", &a, &y, &n, NULL), 0);
        assert_int_equal(n, 2);
        assert_string_equal(y[0].name, "inflate");
        assert_null(y[1].name);
        assert_int_equal(y[1].ordinal, 9);
        for (size_t i = 0; i < SIZE; i++) { /* damaged: any answer, and it ends */
            bytes[i] ^= 0xFF;
            (void)tn_image_pe_forwards(&v, &a, &f, &n, NULL);
            (void)tn_image_pe_symbols(&v, "zlibwapi.dll", &a, &y, &n, NULL);
            bytes[i] ^= 0xFF;
        }
        tn_arena_deinit(&a);
    }
}

static void cut_and_damaged(void **state)
{
    unsigned char bytes[SIZE];
    (void)state;
    for (size_t i = 0; i < 2 * (size_t)SIZE; i++) {
        struct tn_arena a;
        struct tn_pe pe;
        size_t n = i < SIZE ? i : SIZE;
        build(bytes, true);
        if (i >= SIZE)
            bytes[i - SIZE] ^= 0xFF;
        unsigned char *copy = malloc(n + 1);
        memcpy(copy, bytes, n);
        struct tn_span s = tn_span_of(copy, n);
        struct tn_view v = tn_view_of_span(&s);
        tn_arena_init(&a);
        if (tn_image_pe_open(&v, &a, &pe, NULL) == 0 && i < SIZE)
            assert_true(pe.file_end > n);
        tn_arena_deinit(&a);
        free(copy);
    }
}

/* A resource folder that is its own child, and surrogates in texts. */
static void odd(void **state)
{
    unsigned char bytes[SIZE];
    struct tn_arena a;
    struct tn_pe pe;
    (void)state;
    tn_arena_init(&a);
    build(bytes, true);
    put(bytes, file(RESOURCES) + 20, 0x80000000u, 4);
    struct tn_span s = tn_span_of(bytes, SIZE);
    struct tn_view v = tn_view_of_span(&s);
    assert_int_equal(tn_image_pe_open(&v, &a, &pe, NULL), 0);
    assert_false(pe.has_fixed);
    build(bytes, true);
    size_t at = tn_span_find(s, 0, "N\0V\0I\0D\0I\0A\0 \0C\0U\0D\0A\0 \0R", 25);
    put(bytes, at, 0xD83D, 2);
    put(bytes, at + 2, 0xDE00, 2);
    put(bytes, at + 4, 0xD800, 2);
    assert_int_equal(tn_image_pe_open(&v, &a, &pe, NULL), 0);
    assert_true(tn_str_starts(pe.description, "\xF0\x9F\x98\x80\xED\xA0\x80"
                                              "DIA CUDA"));
    tn_arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(symbols),
                                       cmocka_unit_test(cut_and_damaged), cmocka_unit_test(odd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
