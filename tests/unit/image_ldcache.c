/* image_ldcache.c - loader caches assembled here in every format. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "image/ldcache.h"

struct out {
    unsigned char p[1024];
    size_t n;
    bool big;
};

static void num(struct out *o, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        o->p[o->n++] = (unsigned char)(bytes > 8 ? 0 : v >> 8 * (o->big ? bytes - 1 - i : i));
}

static void raw(struct out *o, const char *s, size_t n)
{
    memcpy(o->p + o->n, s, n);
    o->n += n;
}

#define CUDA "libcuda.so.1"
#define V3 "/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/libcuda.so.1"
#define PLAIN "/lib/x86_64-linux-gnu/libcuda.so.1"
#define CAP "x86-64-v3"
#define GENERATOR "ldconfig (Debian GLIBC 2.36-9+deb12u4) stable release version 2.36"

enum { ENTRIES = 2, TEXTS = 48 + ENTRIES * 24 };

static void new_format(struct out *o, unsigned order)
{
    static const char texts[] = CUDA "\0" V3 "\0" PLAIN "\0" CAP;
    size_t start = o->n, v3 = TEXTS + sizeof CUDA, plain = v3 + sizeof V3, cap = plain + sizeof PLAIN;
    size_t extension = (TEXTS + sizeof texts + 3) / 4 * 4, data = extension + 8 + 2 * 16;
    raw(o, "glibc-ld.so.cache1.1", 20);
    num(o, ENTRIES, 4);
    num(o, sizeof texts, 4);
    num(o, order, 1);
    num(o, 0, 3);
    num(o, extension, 4);
    num(o, 0, 12);
    const uint64_t entries[ENTRIES][3] = {{v3, UINT64_C(1) << 62, 0}, {plain, 0, 0}};
    for (unsigned i = 0; i < ENTRIES; i++) {
        num(o, TN_LDCACHE_X86_64, 4);
        num(o, TEXTS, 4);
        num(o, entries[i][0], 4);
        num(o, 0, 4);
        num(o, entries[i][1], 8);
    }
    raw(o, texts, sizeof texts);
    while (o->n - start < extension)
        num(o, 0, 1);
    num(o, 0xEAA42174u, 4);
    num(o, 2, 4);
    num(o, 0, 4);
    num(o, 0, 4);
    num(o, data + 4, 4);
    num(o, sizeof GENERATOR - 1, 4);
    num(o, 1, 4);
    num(o, 0, 4);
    num(o, data, 4);
    num(o, 4, 4);
    num(o, cap, 4);
    raw(o, GENERATOR, sizeof GENERATOR - 1);
}

static void check_new(const struct out *o)
{
    struct tn_ldcache c;
    struct tn_arena a;
    struct tn_err err;
    tn_arena_init(&a);
    if (tn_image_ldcache_parse(tn_span_of(o->p, o->n), &a, &c, &err))
        fail_msg("%s", err.text);
    assert_int_equal(c.n, ENTRIES);
    assert_string_equal(c.entries[0].soname, CUDA);
    assert_string_equal(c.entries[0].path, V3);
    assert_string_equal(c.entries[0].hwcap, CAP);
    assert_string_equal(c.entries[1].path, PLAIN);
    assert_null(c.entries[1].hwcap);
    assert_int_equal(c.entries[1].flags, TN_LDCACHE_X86_64);
    assert_string_equal(c.generator, GENERATOR);
    assert_false(c.old_format);
    tn_arena_deinit(&a);
}

static void new_only(void **state)
{
    struct out o = {{0}, 0, false};
    (void)state;
    new_format(&o, 2);
    check_new(&o);
    struct out big = {{0}, 0, true};
    new_format(&big, 3);
    check_new(&big);
    struct out unset = {{0}, 0, true};
    new_format(&unset, 0);
    check_new(&unset);
}

static void old_format(struct out *o)
{
    raw(o, "ld.so-1.7.0\0", 12);
    num(o, 1, 4);
    num(o, 3, 4);
    num(o, 0, 4);
    num(o, sizeof CUDA, 4);
}

static void old_only(void **state)
{
    struct out o = {{0}, 0, false};
    struct tn_ldcache c;
    struct tn_arena a;
    (void)state;
    old_format(&o);
    raw(&o, CUDA "\0" PLAIN, sizeof CUDA + sizeof PLAIN);
    tn_arena_init(&a);
    assert_int_equal(tn_image_ldcache_parse(tn_span_of(o.p, o.n), &a, &c, NULL), 0);
    assert_true(c.old_format);
    assert_int_equal(c.n, 1);
    assert_string_equal(c.entries[0].soname, CUDA);
    assert_string_equal(c.entries[0].path, PLAIN);
    tn_arena_deinit(&a);
}

static void new_behind_old(void **state)
{
    struct out o = {{0}, 0, false};
    (void)state;
    old_format(&o);
    while (o.n % 8)
        num(&o, 0, 1);
    new_format(&o, 2);
    check_new(&o);
}

static void damaged(void **state)
{
    struct out o = {{0}, 0, false};
    struct tn_ldcache c = {NULL, 77, NULL, false};
    struct tn_arena a;
    (void)state;
    new_format(&o, 2);
    tn_arena_init(&a);
    for (size_t n = 0; n < TEXTS + sizeof CUDA + sizeof V3 + sizeof PLAIN - 1; n++) {
        unsigned char *copy = malloc(n + 1);
        memcpy(copy, o.p, n);
        assert_int_equal(tn_image_ldcache_parse(tn_span_of(copy, n), &a, &c, NULL), TN_E_FORMAT);
        free(copy);
    }
    assert_int_equal(c.n, 77);
    o.p[28] = 1; /* "invalid" byte order */
    assert_int_equal(tn_image_ldcache_parse(tn_span_of(o.p, o.n), &a, &c, NULL), TN_E_FORMAT);
    o.p[28] = 2;
    o.p[20] = o.p[21] = o.p[22] = 0xFF; /* a count beyond the file */
    assert_int_equal(tn_image_ldcache_parse(tn_span_of(o.p, o.n), &a, &c, NULL), TN_E_FORMAT);
    tn_arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(new_only), cmocka_unit_test(old_only),
                                       cmocka_unit_test(new_behind_old), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
