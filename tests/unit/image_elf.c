/* image_elf.c - ELF files assembled here in both classes and byte orders, and real libraries. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "image/elf.h"
#include "image/elf_version.h"

/* The file below: headers, one PT_LOAD over everything at BASE, then the tables at fixed places. */
enum {
    BASE = 0x400000,
    DYNAMIC = 0x200,
    DYNSTR = 0x400,
    DYNSYM = 0x500,
    HASH = 0x580,
    VERNEED = 0x5C0,
    VERDEF = 0x620,
    TEXT = 0x680,
    NOTE = 0x6C0,
    RODATA = 0x700,
    SHSTR = 0x740,
    SECTIONS = 0x780,
    SIZE = 0x900
};

struct build {
    unsigned char p[SIZE];
    bool is64, big;
};

static void put(struct build *b, size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->p[at + i] = (unsigned char)(v >> 8 * (b->big ? bytes - 1 - i : i));
}

static unsigned word(const struct build *b)
{
    return b->is64 ? 8 : 4;
}

static void segment(struct build *b, unsigned i, uint32_t type, uint64_t off, uint64_t size, uint32_t flags)
{
    size_t at = 64 + i * (b->is64 ? 56u : 32u);
    put(b, at, type, 4);
    put(b, at + (b->is64 ? 4 : 24), flags, 4);
    put(b, at + (b->is64 ? 8 : 4), off, word(b));
    put(b, at + (b->is64 ? 16 : 8), BASE + off, word(b));
    put(b, at + (b->is64 ? 32 : 16), size, word(b));
}

static void tag(struct build *b, unsigned i, uint64_t name, uint64_t value)
{
    put(b, DYNAMIC + i * 2 * word(b), name, word(b));
    put(b, DYNAMIC + (i * 2 + 1) * word(b), value, word(b));
}

static void symbol(struct build *b, unsigned i, uint32_t name, uint64_t value, uint64_t size, unsigned type)
{
    size_t at = DYNSYM + i * (b->is64 ? 24u : 16u);
    put(b, at, name, 4);
    b->p[at + (b->is64 ? 4 : 12)] = (unsigned char)(0x10 | type);
    put(b, at + (b->is64 ? 6 : 14), 1, 2);
    put(b, at + (b->is64 ? 8 : 4), BASE + value, word(b));
    put(b, at + (b->is64 ? 16 : 8), size, word(b));
}

static void section(struct build *b, unsigned i, uint32_t name, uint32_t type, uint64_t off, uint64_t size)
{
    size_t at = SECTIONS + i * (b->is64 ? 64u : 40u);
    put(b, at, name, 4);
    put(b, at + 4, type, 4);
    put(b, at + (b->is64 ? 24 : 16), off, word(b));
    put(b, at + (b->is64 ? 32 : 20), size, word(b));
}

static const char strings[] = "\0libcudnn_ops.so.9\0libc.so.6\0GLIBC_2.17\0$ORIGIN/../x\0/old\0"
                              "cudnn_ops_version\0cuInit\0TN_1\0libz.so.1";

static uint32_t str(const char *s)
{
    for (size_t i = 1; i < sizeof strings; i += strlen(strings + i) + 1)
        if (strcmp(strings + i, s) == 0)
            return (uint32_t)i;
    fail_msg("no %s", s);
    return 0;
}

static void build(struct build *b, bool is64, bool big)
{
    static const char sections[] = "\0.rodata\0.shstrtab";
    static const unsigned char stub[] = {0xB8, 34, 0, 0, 0, 0xC3};
    memset(b, 0, sizeof *b);
    b->is64 = is64;
    b->big = big;
    memcpy(b->p, "\177ELF", 4);
    b->p[4] = is64 ? 2 : 1;
    b->p[5] = big ? 2 : 1;
    b->p[6] = 1;
    put(b, 16, TN_ET_DYN, 2);
    put(b, 18, TN_EM_X86_64, 2);
    put(b, is64 ? 32 : 28, 64, word(b));
    put(b, is64 ? 40 : 32, SECTIONS, word(b));
    size_t tail = is64 ? 54 : 42;
    put(b, tail, is64 ? 56 : 32, 2);
    put(b, tail + 2, 4, 2);
    put(b, tail + 4, is64 ? 64 : 40, 2);
    put(b, tail + 6, 3, 2);
    put(b, tail + 8, 2, 2);
    segment(b, 0, 1, 0, SIZE, 5);
    segment(b, 1, 2, DYNAMIC, 0x1C0, 6);
    segment(b, 2, 4, NOTE, 24, 4);
    segment(b, 3, 0x6474e551, 0, 0, 7);
    const uint64_t tags[][2] = {
        {1, str("libc.so.6")}, {1, str("libz.so.1")}, {14, str("libcudnn_ops.so.9")}, {29, str("$ORIGIN/../x")},
        {15, str("/old")},     {5, BASE + DYNSTR},    {10, sizeof strings},           {6, BASE + DYNSYM},
        {4, BASE + HASH},      {0x6ffffffb, 0x800},   {0x6ffffffe, BASE + VERNEED},   {0x6ffffffc, BASE + VERDEF}};
    for (unsigned i = 0; i < TN_LEN(tags); i++)
        tag(b, i, tags[i][0], tags[i][1]);
    memcpy(b->p + DYNSTR, strings, sizeof strings);
    symbol(b, 1, str("cudnn_ops_version"), RODATA, 4, 1);
    symbol(b, 2, str("cuInit"), TEXT, sizeof stub, 2);
    put(b, HASH, 1, 4); /* one bucket: 1 -> 2 */
    put(b, HASH + 4, 3, 4);
    put(b, HASH + 8, 1, 4);
    put(b, HASH + 16, 2, 4);
    put(b, VERNEED, 1, 2);
    put(b, VERNEED + 2, 1, 2);
    put(b, VERNEED + 4, str("libc.so.6"), 4);
    put(b, VERNEED + 8, 16, 4);
    put(b, VERNEED + 16 + 4, 2, 2);
    put(b, VERNEED + 16 + 8, str("GLIBC_2.17"), 4);
    put(b, VERDEF + 2, 1, 2); /* the base, then TN_1 */
    put(b, VERDEF + 12, 20, 4);
    put(b, VERDEF + 16, 28, 4);
    put(b, VERDEF + 20, str("libcudnn_ops.so.9"), 4);
    put(b, VERDEF + 28 + 12, 20, 4);
    put(b, VERDEF + 28 + 20, str("TN_1"), 4);
    memcpy(b->p + TEXT, stub, sizeof stub);
    put(b, NOTE, 4, 4);
    put(b, NOTE + 4, 4, 4);
    put(b, NOTE + 8, 3, 4);
    memcpy(b->p + NOTE + 12, "GNU\0\1\2\3\4", 8);
    memcpy(b->p + RODATA, "\0\x13\x09\0", 4);
    memcpy(b->p + SHSTR, sections, sizeof sections);
    section(b, 1, 1, 1, RODATA, 16);
    section(b, 2, 9, 3, SHSTR, sizeof sections);
}

static void whole(bool is64, bool big)
{
    struct build b;
    struct tn_arena a;
    struct tn_elf e;
    struct tn_err err;
    struct tn_elf_section sec;
    struct tn_elf_symbol sym;
    struct tn_elf_note *notes;
    struct tn_span s, bytes;
    size_t n;
    build(&b, is64, big);
    s = tn_span_of(b.p, sizeof b.p);
    struct tn_view v = tn_view_of_span(&s);
    tn_arena_init(&a);
    if (tn_image_elf_open(&v, &a, &e, &err))
        fail_msg("%s: %s", err.place, err.text);
    assert_int_equal(e.machine, TN_EM_X86_64);
    assert_int_equal(e.type, TN_ET_DYN);
    assert_string_equal(e.soname, "libcudnn_ops.so.9");
    assert_int_equal(e.n_needed, 2);
    assert_string_equal(e.needed[0], "libc.so.6");
    assert_string_equal(e.needed[1], "libz.so.1");
    assert_string_equal(e.runpath, "$ORIGIN/../x");
    assert_string_equal(e.rpath, "/old");
    assert_int_equal(e.dt_flags_1, TN_DF_1_NODEFLIB);
    assert_int_equal(e.file_end, SIZE);
    assert_true(e.has_stack_header && e.exec_stack);
    assert_int_equal(e.n_needs, 1);
    assert_string_equal(e.needs[0].versions[0].name, "GLIBC_2.17");
    assert_true(e.needs[0].versions[0].weak);
    assert_string_equal(e.defines_base, "libcudnn_ops.so.9");
    assert_int_equal(e.n_defines, 1);
    assert_string_equal(e.defines[0], "TN_1");
    assert_int_equal(tn_image_elf_section(&e, &v, ".rodata", &sec, &err), 0);
    assert_int_equal(sec.off, RODATA);
    assert_int_equal(tn_image_elf_section(&e, &v, ".rodat", &sec, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_image_elf_symbol(&e, &v, "cuInit", &sym, &err), 0);
    assert_int_equal(sym.value, BASE + TEXT);
    assert_int_equal(sym.type, 2);
    assert_int_equal(tn_image_elf_symbol(&e, &v, "cuIni", &sym, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_image_elf_symbol_bytes(&e, &v, "cudnn_ops_version", 64, &bytes, &err), 0);
    assert_int_equal(bytes.n, 4);
    assert_memory_equal(bytes.p, "\0\x13\x09\0", 4);
    assert_int_equal(tn_image_elf_notes(&e, &v, &a, &notes, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_string_equal(notes[0].owner, "GNU");
    assert_int_equal(notes[0].desc.n, 4);
    if (!big) {
        const char *version, *how;
        assert_int_equal(tn_image_elf_product_version(&e, &v, "libcudnn_ops", &a, &version, &how, &err), 0);
        assert_string_equal(version, "9.19.0");
        assert_string_equal(how, "data symbol cudnn_ops_version");
        assert_true(tn_image_elf_is_cuda_stub(&e, &v));
    }
    tn_arena_deinit(&a);
}

static void classes(void **state)
{
    (void)state;
    whole(true, false);
    whole(false, false);
    whole(true, true);
    whole(false, true);
}

/* Every prefix of the file, and every single byte overwritten: an answer or an error, never a read outside. */
static void cut_and_damaged(void **state)
{
    struct build good, b;
    (void)state;
    build(&good, true, false);
    for (size_t i = 0; i < 2 * (size_t)SIZE; i++) {
        struct tn_arena a;
        struct tn_elf e;
        struct tn_elf_symbol sym;
        b = good;
        size_t n = i < SIZE ? i : SIZE;
        if (i >= SIZE)
            b.p[i - SIZE] ^= 0xFF;
        unsigned char *copy = malloc(n + 1);
        memcpy(copy, b.p, n);
        struct tn_span s = tn_span_of(copy, n);
        struct tn_view v = tn_view_of_span(&s);
        tn_arena_init(&a);
        if (tn_image_elf_open(&v, &a, &e, NULL) == 0) {
            tn_image_elf_symbol(&e, &v, "cuInit", &sym, NULL);
            if (i < SIZE)
                assert_true(e.file_end > n);
        }
        tn_arena_deinit(&a);
        free(copy);
    }
}

static void no_elf(void **state)
{
    static const char *const texts[] = {
        "", "\177ELF", "GROUP ( /lib/libc.so.6 )",
        ("version https://git-lfs.github.com/spec/v1\n"
         "oid sha256:0000000000000000000000000000000000000000000000000000000000000000\n")};
    struct tn_arena a;
    struct tn_elf e;
    struct tn_err err;
    (void)state;
    tn_arena_init(&a);
    for (size_t i = 0; i < TN_LEN(texts); i++) {
        struct tn_span s = tn_span_str(texts[i]);
        struct tn_view v = tn_view_of_span(&s);
        assert_int_equal(tn_image_elf_open(&v, &a, &e, &err), TN_E_FORMAT);
    }
    tn_arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes), cmocka_unit_test(cut_and_damaged),
                                       cmocka_unit_test(no_elf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
