/* place_redist.c - NVIDIA's lists and names of archives, as published: lists of cuDNN 9.20.0 and 8.9.7 and of CUDA have
 * these forms (NVIDIA/build-system-archive-import-examples reads the same members). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "place/place.h"

#define SUM "c10623d2ee9fd4cd0a5d809237958b80884405c2f8a122712dd7b98c1d780a92"
#define ENTRY(path)                                                                                                    \
    "{\"relative_path\": \"" path "\", \"sha256\": \"" SUM "\", \"md5\": \"3ac9\", \"size\": \"890794116\"}"

static struct tn_arena mem;

static int read_text(const char *text, struct tn_redist_list *ret)
{
    return tn_redist_read(&mem, tn_span_str(text), ret, NULL);
}

static void test_variants(void **state)
{
    struct tn_redist_list l;
    (void)state;
    assert_int_equal(
        read_text(
            "{\"release_date\": \"2026-03-09\", \"release_label\": \"9.20.0\", \"cudnn\": {\"name\": \"n\","
            "\"license_path\": \"cudnn/LICENSE.txt\", \"version\": \"9.20.0.48\","
            "\"linux-x86_64\": {\"cuda12\": " ENTRY("cudnn/linux-x86_64/a12.tar.xz") ", \"cuda13\": " ENTRY(
                "cudnn/linux-x86_64/a13.tar.xz") "}, \"cuda_variant\": [\"12\", \"13\"]},"
                                                 "\"cudnn_samples\": {\"version\": \"9.20.0.48\", \"source\": " ENTRY(
                                                     "s/s.tar.xz") "}}",
            &l),
        0);
    assert_int_equal(l.n, 3);
    assert_string_equal(l.label, "9.20.0");
    const struct tn_redist *e = tn_redist_find(&l, "a13.tar.xz");
    assert_non_null(e);
    assert_string_equal(e->component, "cudnn");
    assert_string_equal(e->version, "9.20.0.48");
    assert_string_equal(e->platform, "linux-x86_64");
    assert_string_equal(e->cuda, "13");
    assert_int_equal(e->size, 890794116);
    assert_null(tn_redist_find(&l, "cudnn/linux-x86_64/a13.tar.xz"));
}

static void test_damage(void **state)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{}",
                                      "{\"a\": {\"linux-x86_64\": {\"relative_path\": \"x\"}}}",
                                      "{\"a\": {\"linux-x86_64\": {\"relative_path\": \"x\", \"sha256\": \""
                                      "C10623D2"
                                      "\"}}}",
                                      "{\"a\": {\"linux-x86_64\": {\"relative_path\": \"x/\", \"sha256\": \"" SUM
                                      "\"}}}",
                                      SUM " x",
                                      SUM "  x\nrubbish\n",
                                      "<html>404</html>"};
    struct tn_redist_list l;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(read_text(bad[i], &l) < 0);
    assert_int_equal(read_text(SUM "  ./dir/cudnn-linux-x86_64-9.20.0.48_cuda12-archive.tar.xz\n", &l), 0);
    assert_string_equal(l.v[0].component, "cudnn");
    assert_string_equal(l.v[0].sha256, SUM);
}

static void test_names(void **state)
{
    static const struct {
        const char *file, *component, *version, *platform, *cuda;
    } good[] = {
        {"cudnn-linux-x86_64-9.20.0.48_cuda13-archive.tar.xz", "cudnn", "9.20.0.48", "linux-x86_64", "13"},
        {"cudnn-windows-x86_64-8.3.1.22_cuda11.5-archive.zip", "cudnn", "8.3.1.22", "windows-x86_64", "11"},
        {"cudnn-11.2-linux-x64-v8.1.1.33.tgz", "cudnn", "8.1.1.33", "linux-x86_64", "11"},
        {"cudnn-10.0-windows10-x64-v7.6.5.32.zip", NULL, NULL, NULL, NULL},
        {"cuda_nvcc-linux-x86_64-13.0.48-archive.tar.xz", "cuda_nvcc", "13.0.48", "linux-x86_64", ""},
        {"libcublas-linux-sbsa-13.0.0.19-archive.tar.xz", "libcublas", "13.0.0.19", "linux-sbsa", ""},
        {"cudnn.zip", NULL, NULL, NULL, NULL},
        {"cudnn-linux-x86_64-9.20.0.48_cuda13-archive.exe", NULL, NULL, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct tn_redist r;
        assert_int_equal(tn_redist_name(&mem, good[i].file, &r), good[i].component != NULL);
        if (!good[i].component)
            continue;
        assert_string_equal(r.component, good[i].component);
        assert_string_equal(r.version, good[i].version);
        assert_string_equal(r.platform, good[i].platform);
        assert_string_equal(r.cuda, good[i].cuda);
    }
}

static void test_placed(void **state)
{
    static const char *const bad[] = {"",
                                      "tenon-placed 2\nend 0\n",
                                      "tenon-placed 1\n",
                                      "tenon-placed 1\nend 1\n",
                                      "tenon-placed 1\nend 0\nmore\n",
                                      "tenon-placed 1\nf 0644 1 " SUM " ../x\nend 1\n",
                                      "tenon-placed 1\nf 0644 1 " SUM " /x\nend 1\n",
                                      "tenon-placed 1\nf 0644 1 " SUM " a/../x\nend 1\n",
                                      "tenon-placed 1\nf 4755 1 " SUM " x\nend 1\n",
                                      "tenon-placed 1\nf 0644 1 - x\nend 1\n",
                                      "tenon-placed 1\nl 0000 0 - x\nend 1\n",
                                      "tenon-placed 1\nf 0644 1 " SUM " a%0Ab\nend 1\n",
                                      "tenon-placed 1\n> x\nend 0\n",
                                      "tenon-placed 1\nf 0644 1 " SUM " a//b\nend 1\n",
                                      "tenon-placed 1\nc 0644 1 - a\nend 1\n"};
    struct tn_placed p;
    struct tn_buf b;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(tn_placed_read(&mem, tn_span_str(bad[i]), &p, NULL) < 0);
    const char *good =
        "tenon-placed 1\nd 0755 0 - lib64\nf 0755 12 " SUM " lib64/a b%25\nl 0000 0 - lib64/l\n> a b%25\nend 3\n";
    assert_int_equal(tn_placed_read(&mem, tn_span_str(good), &p, NULL), 0);
    assert_string_equal(p.v[1].path, "lib64/a b%");
    assert_string_equal(p.v[2].target, "a b%");
    tn_buf_init(&b);
    tn_placed_write(&p, &b);
    assert_string_equal(b.p, good);
    tn_buf_deinit(&b);
}

static int setup(void **state)
{
    (void)state;
    tn_arena_init(&mem);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tn_arena_deinit(&mem);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_placed)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
