/* image_fatbin.c - GPU code in ELF and PE files assembled here: hops, other data between, sizes that lie, cut files.
 * Real files: tests/real/fatbins.sh. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "image/fatbin.h"

struct out {
    unsigned char p[16384];
    size_t n;
};

static void put(struct out *o, size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        o->p[at + i] = (unsigned char)(v >> 8 * i);
}

static void add(struct out *o, uint64_t v, unsigned bytes)
{
    put(o, o->n, v, bytes);
    o->n += bytes;
}

enum { PTX = 1, CUBIN = 2, LTO = 8, A = 0x100000, F = 0x200000, ZSTD = 0x8000 };

/* Containers are opened, filled and closed; close states the size. */
static size_t begin(struct out *o)
{
    size_t at = o->n;
    add(o, 0xBA55ED50, 4);
    add(o, 1, 2);
    add(o, 16, 2);
    add(o, 0, 8);
    return at;
}

static void entry(struct out *o, unsigned kind, unsigned arch, uint64_t flags, unsigned isa, size_t payload)
{
    size_t at = o->n, header = kind == LTO ? 128 : 64;
    memset(o->p + at, 0, header + payload);
    put(o, at, kind, 2);
    put(o, at + 2, 0x101, 2);
    put(o, at + 4, header, 4);
    put(o, at + 8, payload, 8);
    put(o, at + 24, isa % 100, 2);
    put(o, at + 26, isa / 100, 2);
    put(o, at + 28, arch, 4);
    put(o, at + 40, flags, 8);
    o->n += header + payload;
}

static void end(struct out *o, size_t at)
{
    put(o, at + 8, o->n - at - 16, 8);
}

static void container(struct out *o, unsigned sass, unsigned ptx)
{
    size_t at = begin(o);
    entry(o, CUBIN, sass, ZSTD, 107, 24);
    if (ptx)
        entry(o, PTX, ptx, ZSTD, 900, 16);
    end(o, at);
}

/* An ELF file whose one section of this name (and one segment) spans from 64 to the end of what is there. */
static void elf(struct out *o, const char *name, unsigned flags)
{
    size_t size = o->n - 64, strings, table;
    memcpy(o->p, "\177ELF\2\1\1", 8);
    strings = o->n;
    memcpy(o->p + o->n, "\0.shstrtab", 11);
    memcpy(o->p + o->n + 11, name, strlen(name) + 1);
    o->n = (o->n + 11 + strlen(name) + 8) & ~(size_t)7;
    table = o->n;
    memset(o->p + table, 0, 3 * 64 + 56);
    put(o, table + 64, 1, 4);
    put(o, table + 64 + 4, 3, 4);
    put(o, table + 64 + 24, strings, 8);
    put(o, table + 64 + 32, 11 + strlen(name) + 1, 8);
    put(o, table + 128, 11, 4);
    put(o, table + 128 + 4, 1, 4);
    put(o, table + 128 + 8, flags, 8);
    put(o, table + 128 + 24, 64, 8);
    put(o, table + 128 + 32, size, 8);
    put(o, table + 192, 1, 4); /* a segment */
    put(o, table + 192 + 4, 4, 4);
    put(o, table + 192 + 8, 0, 8);
    put(o, table + 192 + 32, 64 + size, 8);
    o->n += 3 * 64 + 56;
    put(o, 32, table + 192, 8);
    put(o, 40, table, 8);
    put(o, 54, 56, 2);
    put(o, 56, 1, 2);
    put(o, 58, 64, 2);
    put(o, 60, 3, 2);
    put(o, 62, 1, 2);
}

static void start(struct out *o)
{
    memset(o, 0, sizeof *o);
    o->n = 64;
}

/* "sass 75:2 90a:1 ptx 120:1@900 lto -" */
static const char *text(const struct tn_fatbin_list l[TN_FATBIN_KINDS])
{
    static char buf[512];
    static const char *const kind[] = {"sass", " ptx", " lto"};
    size_t n = 0;
    for (unsigned k = 0; k < TN_FATBIN_KINDS; k++) {
        n += (size_t)snprintf(buf + n, sizeof buf - n, "%s", kind[k]);
        for (unsigned i = 0; i < l[k].n; i++) {
            const struct tn_fatbin_arch *a = &l[k].v[i];
            n += (size_t)snprintf(buf + n, sizeof buf - n, " %u%.1s:%u", a->number, a->mark ? &a->mark : "",
                                  (unsigned)a->n);
            if (k == TN_FATBIN_PTX)
                n += (size_t)snprintf(buf + n, sizeof buf - n, "@%u-%u", a->isa, a->isa_last);
        }
    }
    return buf;
}

static int look(const struct out *o, enum tn_fatbin_where where, struct tn_fatbin *ret)
{
    struct tn_span s = tn_span_of(o->p, o->n);
    struct tn_view v = tn_view_of_span(&s);
    return tn_image_fatbin_read(&v, where, ret, NULL);
}

static void containers_follow(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    container(&o, 75, 0);
    container(&o, 90, 120);
    size_t at = begin(&o);
    entry(&o, CUBIN, 90, A, 107, 8);
    entry(&o, CUBIN, 100, F, 107, 5000); /* a long hop */
    entry(&o, PTX, 120, 0, 803, 8);
    entry(&o, LTO, 80, 0, 165, 40);
    entry(&o, 16, 80, 0, 0, 8); /* a kind that nobody here knows */
    end(&o, at);
    elf(&o, ".nv_fatbin", 2);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass 75:1 90:1 90a:1 100f:1 ptx 120:2@803-900 lto 80:1");
    assert_int_equal(f.containers, 3);
    assert_int_equal(f.other, 1);
    assert_int_equal(f.damaged, 0);
    assert_true(f.section && !f.scanned && !f.cut);
}

static void pieces_are_apart(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    container(&o, 80, 80);
    elf(&o, "__nv_relfatbin", 2);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass ptx lto");
    assert_string_equal(text(f.parts), "sass 80:1 ptx 80:1@900-900 lto");
    assert_int_equal(f.containers, 0);
}

static void other_data_between(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    o.n += 24;
    container(&o, 75, 0);
    add(&o, 0xBA55ED50, 4); /* the number alone, as code that looks for it holds it */
    add(&o, 0, 4);
    add(&o, 7, 8);
    container(&o, 80, 0);
    size_t at = begin(&o); /* a header, but no entry behind it */
    o.n += 64;
    end(&o, at);
    o.n += 9000;
    container(&o, 86, 0);
    elf(&o, ".ldata", 3);
    assert_int_equal(look(&o, TN_FATBIN_ANYWHERE, &f), 0);
    assert_string_equal(text(f.code), "sass 75:1 80:1 86:1 ptx lto");
    assert_true(f.scanned && !f.section);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_int_equal(f.containers, 0);
    put(&o, o.n - 56 - 64 + 8, 6, 8); /* the same section with code for the processor: not looked at */
    assert_int_equal(look(&o, TN_FATBIN_ANYWHERE, &f), 0);
    assert_int_equal(f.containers, 0);
}

static void without_section_headers(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    container(&o, 75, 0);
    o.n += 40;
    container(&o, 120, 120);
    elf(&o, ".nv_fatbin", 2);
    put(&o, 40, 0, 8);
    put(&o, 60, 0, 2);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass 75:1 120:1 ptx 120:1@900-900 lto");
    assert_true(f.scanned);
}

static void sizes_that_lie(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    container(&o, 75, 0);
    size_t second = o.n;
    container(&o, 80, 90);
    container(&o, 86, 0);
    elf(&o, ".nv_fatbin", 2);
    static const uint64_t lies[] = {UINT64_MAX, UINT64_MAX - 8, 1u << 20, UINT64_C(1) << 63};
    for (unsigned i = 0; i < 4; i++) { /* of the container: it is passed over, the next one found */
        put(&o, second + 8, lies[i], 8);
        assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
        assert_string_equal(text(f.code), "sass 75:1 86:1 ptx lto");
    }
    put(&o, second + 8, 64 + 24 + 64 + 16, 8);
    for (unsigned i = 0; i < 4; i++) { /* of its second entry: what is before counts */
        put(&o, second + 16 + 88 + 8, lies[i], 8);
        assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
        assert_string_equal(text(f.code), "sass 75:1 80:1 86:1 ptx lto");
        assert_int_equal(f.damaged, 1);
    }
    put(&o, second + 16 + 88 + 8, 16, 8);
    put(&o, second + 16 + 88 + 4, 0, 4); /* a header of no bytes: no endless walk */
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_int_equal(f.damaged, 1);
}

static void cut_anywhere(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    container(&o, 75, 0);
    container(&o, 80, 90);
    elf(&o, ".nv_fatbin", 2);
    size_t all = o.n;
    for (o.n = 0; o.n < all; o.n++) {
        int rc = look(&o, TN_FATBIN_ANYWHERE, &f);
        assert_true(rc == 0 || rc == TN_E_FORMAT);
        assert_true(f.code[TN_FATBIN_SASS].n <= 2);
    }
    put(&o, 128, 0, 8);
    memset(o.p + 64, 0, 200); /* a file that a failed download left sparse: nothing is claimed of it */
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_true(f.section && f.damaged == 1 && f.containers == 0);
}

static void pe_file(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    memset(&o, 0, sizeof o);
    o.n = 512;
    container(&o, 75, 0);
    container(&o, 89, 90);
    memcpy(o.p, "MZ", 2);
    put(&o, 0x3C, 64, 4);
    memcpy(o.p + 64, "PE\0\0", 4);
    put(&o, 64 + 6, 1, 2);
    put(&o, 64 + 20, 0, 2);
    memcpy(o.p + 64 + 24, ".nv_fatb", 8);
    put(&o, 64 + 24 + 16, o.n - 512, 4);
    put(&o, 64 + 24 + 20, 512, 4);
    put(&o, 64 + 24 + 36, 0x40000040, 4);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass 75:1 89:1 ptx 90:1@900-900 lto");
    put(&o, 64 + 24 + 16, UINT32_MAX, 4);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_true(f.cut);
}

static void cubin(struct out *o, unsigned abi, uint32_t flags)
{
    memset(o, 0, sizeof *o);
    memcpy(o->p, "\177ELF\2\1\1", 7);
    put(o, 7, abi, 1);
    put(o, 18, 190, 2);
    put(o, 48, flags, 4);
    o->n = 64;
}

static void cubins(void **state)
{
    static struct out o, c;
    struct tn_fatbin f;
    (void)state;
    cubin(&o, 0x41, 0x06006402); /* as CUDA 13 writes them */
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass 100:1 ptx lto");
    cubin(&o, 0x33, 0x00340534);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass 52:1 ptx lto");
    cubin(&c, 0x33, 0x005A0D5A);
    start(&o); /* an entry that does not say its architecture: its cubin does, if it is not packed */
    size_t at = begin(&o);
    entry(&o, CUBIN, 0, 0, 107, 64);
    memcpy(o.p + o.n - 64, c.p, 64);
    entry(&o, CUBIN, 0, ZSTD, 107, 64);
    end(&o, at);
    elf(&o, ".nv_fatbin", 2);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass 90a:1 ptx lto");
    assert_int_equal(f.other, 1);
}

static void other_files(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    assert_int_equal(look(&o, TN_FATBIN_ANYWHERE, &f), TN_E_FORMAT);
    container(&o, 75, 0);
    elf(&o, ".rodata", 2);
    o.p[4] = 1; /* 32 bits */
    assert_int_equal(look(&o, TN_FATBIN_ANYWHERE, &f), 0);
    assert_int_equal(f.containers, 0);
    memset(&o, 0, sizeof o); /* a fatbin by itself */
    container(&o, 75, 80);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_string_equal(text(f.code), "sass 75:1 ptx 80:1@900-900 lto");
}

static void many_architectures(void **state)
{
    static struct out o;
    struct tn_fatbin f;
    (void)state;
    start(&o);
    size_t at = begin(&o);
    for (unsigned i = 0; i < 60; i++)
        entry(&o, CUBIN, 200 - i, 0, 107, 8);
    end(&o, at);
    elf(&o, ".nv_fatbin", 2);
    assert_int_equal(look(&o, TN_FATBIN_SECTIONS, &f), 0);
    assert_int_equal(f.code[TN_FATBIN_SASS].n, TN_FATBIN_ARCHS);
    assert_true(f.cut);
    for (unsigned i = 1; i < TN_FATBIN_ARCHS; i++)
        assert_true(f.code[TN_FATBIN_SASS].v[i - 1].number < f.code[TN_FATBIN_SASS].v[i].number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_follow),
        cmocka_unit_test(pieces_are_apart),
        cmocka_unit_test(other_data_between),
        cmocka_unit_test(without_section_headers),
        cmocka_unit_test(sizes_that_lie),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(pe_file),
        cmocka_unit_test(cubins),
        cmocka_unit_test(other_files),
        cmocka_unit_test(many_architectures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
