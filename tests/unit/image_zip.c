/* image_zip.c - zip files as tools write them, and as nobody writes them by accident. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <zlib.h>

#include "base/str.h"
#include "image/zip.h"

static struct tn_arena mem;
static struct tn_buf file, directory;
static unsigned members;

static void put(struct tn_buf *b, uint64_t v, unsigned bytes)
{
    for (; bytes--; v >>= 8)
        tn_buf_ch(b, (char)(v & 255));
}

static int setup(void **state)
{
    (void)state;
    tn_arena_init(&mem);
    tn_buf_init(&file);
    tn_buf_init(&directory);
    members = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tn_buf_deinit(&file);
    tn_buf_deinit(&directory);
    tn_arena_deinit(&mem);
    return 0;
}

static void add_directory(const char *name, uint64_t off, uint64_t packed, uint64_t size, unsigned method)
{
    tn_buf_str(&directory, "PK\1\2");
    put(&directory, 0, 6);
    put(&directory, method, 2);
    put(&directory, 0, 8);
    put(&directory, packed, 4);
    put(&directory, size, 4);
    put(&directory, strlen(name), 2);
    put(&directory, 0, 12);
    put(&directory, off, 4);
    tn_buf_str(&directory, name);
    members++;
}

static void add_member(const char *name, const void *bytes, size_t packed, size_t size, unsigned method)
{
    add_directory(name, file.n, packed, size, method);
    tn_buf_str(&file, "PK\3\4");
    put(&file, 0, 22);
    put(&file, strlen(name), 2);
    put(&file, 0, 2);
    tn_buf_str(&file, name);
    tn_buf_add(&file, bytes, packed);
}

static struct tn_span whole;

static int open_zip(struct tn_view *v, struct tn_zip *z)
{
    struct tn_err err;
    uint64_t off = file.n;
    tn_buf_add(&file, directory.p, directory.n);
    tn_buf_str(&file, "PK\5\6");
    put(&file, 0, 4);
    put(&file, members, 2);
    put(&file, members, 2);
    put(&file, directory.n, 4);
    put(&file, off, 4);
    put(&file, 0, 2);
    whole = tn_span_of(file.p, file.n);
    *v = tn_view_of_span(&whole);
    return tn_image_zip_open(v, &mem, z, &err);
}

static size_t deflated(const void *p, size_t n, unsigned char *out, size_t max)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)p;
    z.avail_in = (unsigned)n;
    z.next_out = out;
    z.avail_out = (unsigned)max;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    max -= z.avail_out;
    deflateEnd(&z);
    return max;
}

static void reads(void **state)
{
    struct tn_view v;
    struct tn_zip z;
    struct tn_err err;
    struct tn_buf b;
    static char zeros[300000];
    unsigned char packed[4096];
    size_t n = deflated(zeros, sizeof zeros, packed, sizeof packed);
    (void)state;
    add_member("a/b.txt", "hello", 5, 5, 0);
    add_member("zeros", packed, n, sizeof zeros, 8);
    assert_int_equal(open_zip(&v, &z), 0);
    assert_int_equal(z.n, 2);
    tn_buf_init(&b);
    assert_int_equal(tn_image_zip_read(&v, tn_image_zip_find(&z, "a/b.txt"), 100, &b, &err), 0);
    assert_string_equal(b.p, "hello");
    tn_buf_clear(&b);
    assert_int_equal(tn_image_zip_read(&v, tn_image_zip_find(&z, "zeros"), sizeof zeros, &b, &err), 0);
    assert_int_equal(b.n, sizeof zeros);
    tn_buf_clear(&b);
    assert_int_equal(tn_image_zip_head(&v, tn_image_zip_find(&z, "zeros"), 4, &b, &err), 0);
    assert_int_equal(b.n, 4);
    assert_int_equal(tn_image_zip_read(&v, tn_image_zip_find(&z, "zeros"), 100, &b, &err), TN_E_LIMIT);
    assert_null(tn_image_zip_find(&z, "gone"));
    tn_buf_deinit(&b);
}

/* A part of the directory: from its beginning, or up to its end; with a name in it that looks like an entry. */
static void parts(void **state)
{
    struct tn_view v;
    struct tn_zip z;
    struct tn_zip_member m;
    uint64_t off, size;
    uint32_t crc;
    struct tn_err err;
    (void)state;
    for (unsigned i = 0; i < 50; i++)
        add_member(tn_arena_printf(&mem, "pkg/PK\1\2%s%u",
                                   "the name goes on and on to look like an entry of more than 46 bytes", i),
                   "x", 1, 1, 0);
    add_member("vendored/other-1.0.dist-info/METADATA", "Name: other", 11, 11, 0);
    add_member("pkg-2.0.dist-info/METADATA", "Name: pkg", 9, 9, 0);
    add_member("pkg-2.0.dist-info/RECORD", "", 0, 0, 0);
    assert_int_equal(open_zip(&v, &z), 0);
    assert_int_equal(tn_image_zip_place(&v, &off, &size, &err), 0);
    assert_int_equal(off, whole.n - 22 - size);
    struct tn_span dir = tn_span_of(whole.p + off, (size_t)size);
    assert_true(tn_image_zip_metadata(dir, true, &mem, &m, &crc));
    assert_string_equal(m.name, "pkg-2.0.dist-info/METADATA");
    for (size_t cut = 1; cut < dir.n; cut++) {
        bool in_tail =
            cut <= dir.n - (46 + strlen("pkg-2.0.dist-info/METADATA")) - (46 + strlen("pkg-2.0.dist-info/RECORD"));
        assert_int_equal(tn_image_zip_metadata(tn_span_from(dir, cut), false, &mem, &m, &crc), in_tail);
        bool in_head = dir.n - cut >= dir.n - (46 + strlen("pkg-2.0.dist-info/RECORD"));
        assert_int_equal(tn_image_zip_metadata(tn_span_of(dir.p, dir.n - cut), true, &mem, &m, &crc), in_head);
    }
}

static void lies(void **state)
{
    struct tn_view v;
    struct tn_zip z;
    struct tn_err err;
    struct tn_buf b;
    static char zeros[3000];
    unsigned char packed[4096];
    size_t n = deflated(zeros, sizeof zeros, packed, sizeof packed);
    (void)state;
    add_member("more", packed, n, 2000, 8);
    add_member("less", packed, n, 4000, 8);
    add_member("noise", "\xff\xff\xff\xff\xff", 5, 5, 8);
    assert_int_equal(open_zip(&v, &z), 0);
    tn_buf_init(&b);
    assert_int_equal(tn_image_zip_read(&v, &z.v[0], 9999, &b, &err), TN_E_REFUSED);
    assert_int_equal(tn_image_zip_read(&v, &z.v[1], 9999, &b, &err), TN_E_FORMAT);
    assert_int_equal(tn_image_zip_read(&v, &z.v[2], 9999, &b, &err), TN_E_FORMAT);
    tn_buf_deinit(&b);
}

static void one_bad(const char *name, uint64_t off, uint64_t packed, uint64_t size, int want)
{
    struct tn_view v;
    struct tn_zip z;
    void *none = NULL;
    setup(&none);
    add_member("a", "hello", 5, 5, 0);
    add_directory(name, off, packed, size, 8);
    assert_int_equal(open_zip(&v, &z), want);
    teardown(&none);
}

static void refused(void **state)
{
    (void)state;
    one_bad("b", 0, 5, 5, TN_E_REFUSED);        /* lies over a */
    one_bad("b", 36, 999999, 5, TN_E_REFUSED);  /* reaches out */
    one_bad("b", 36, 5, 4000000, TN_E_REFUSED); /* more than deflate can */
    one_bad("../b", 36, 0, 0, TN_E_REFUSED);    /* leads out */
    one_bad("x/..\\b", 36, 0, 0, TN_E_REFUSED);
    one_bad("/b", 36, 0, 0, TN_E_REFUSED);
    one_bad("c:b", 36, 0, 0, TN_E_REFUSED);
    one_bad("", 36, 0, 0, TN_E_FORMAT);
}

/* Cut anywhere: no zip file, never a crash. */
static void cut(void **state)
{
    struct tn_view v;
    struct tn_zip z;
    struct tn_err err;
    (void)state;
    add_member("a", "hello", 5, 5, 0);
    assert_int_equal(open_zip(&v, &z), 0);
    size_t n = whole.n;
    for (size_t i = 0; i < n; i++) {
        whole = tn_span_of(file.p, i);
        v = tn_view_of_span(&whole);
        assert_int_not_equal(tn_image_zip_open(&v, &mem, &z, &err), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads, setup, teardown),
        cmocka_unit_test_setup_teardown(parts, setup, teardown),
        cmocka_unit_test_setup_teardown(lies, setup, teardown),
        cmocka_unit_test(refused),
        cmocka_unit_test_setup_teardown(cut, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
