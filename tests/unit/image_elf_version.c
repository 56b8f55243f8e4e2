/* image_elf_version.c - constants in code, and the versions of real libraries (TN_REAL_CUDA_LIB: CUDA 13.0's lib
 * folder; TN_REAL_DRIVER_LIB: a folder with libcuda.so.1 and, in its name, the version behind the link). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "image/code.h"
#include "image/elf_version.h"

static void constants(void **state)
{
    /* ncclGetVersion 2.28.9, cublasLtGetVersion 13.1.0 and cusparseGetVersion 12.6.3 as their compilers wrote them. */
    static const unsigned char nccl[] = {0x48, 0x85, 0xFF, 0x74, 0x09, 0xC7, 0x07, 0x19, 0x59, 0, 0, 0x31, 0xC0, 0xC3};
    static const unsigned char blas[] = {0x48, 0x81, 0xC4, 0x20, 0xB8, 0x34, 0xFC, 0x01, 0x00, 0x5B};
    static const unsigned char sparse[] = {0x41, 0xC7, 0x45, 0x00, 0x3B, 0x31, 0, 0};
    static const unsigned char wide[] = {0x48, 0xB8, 1, 2, 3, 4, 5, 6, 7, 8};
    /* mov w8, #0x66fc; movk w8, #1, lsl 16; str w8, [x0] : 91900 */
    static const unsigned char arm[] = {0x88, 0xDF, 0x8C, 0x52, 0x28, 0x00, 0xA0, 0x72, 0x08, 0x00, 0x00, 0xB9};
    static const unsigned char call[] = {0x90, 0xE8, 0x10, 0, 0, 0};
    uint32_t n;
    uint64_t to;
    size_t at = 0;
    (void)state;
    assert_true(tn_image_code_next_constant(TN_EM_X86_64, tn_span_of(nccl, sizeof nccl), &at, &n));
    assert_int_equal(n, 22809);
    at = 0;
    assert_true(tn_image_code_next_constant(TN_EM_X86_64, tn_span_of(blas, sizeof blas), &at, &n));
    assert_int_equal(n, 130100);
    at = 0;
    assert_true(tn_image_code_next_constant(TN_EM_X86_64, tn_span_of(sparse, sizeof sparse), &at, &n));
    assert_int_equal(n, 12603);
    at = 0;
    assert_false(tn_image_code_next_constant(TN_EM_X86_64, tn_span_of(wide, sizeof wide), &at, &n));
    at = 0;
    assert_true(tn_image_code_next_constant(TN_EM_AARCH64, tn_span_of(arm, sizeof arm), &at, &n));
    assert_int_equal(n, 91900);
    at = 0;
    assert_false(tn_image_code_next_constant(TN_EM_PPC64, tn_span_of(arm, sizeof arm), &at, &n));
    assert_true(tn_image_code_next_call(TN_EM_X86_64, tn_span_of(call, sizeof call), 0x1000, &at, &to));
    assert_int_equal(to, 0x1016);
    for (size_t i = 0; i < sizeof nccl; i++) { /* cut anywhere */
        at = 0;
        tn_image_code_next_constant(TN_EM_X86_64, tn_span_of(nccl, i), &at, &n);
    }
}

struct file {
    FILE *f;
    struct tn_arena *a;
    size_t bytes;
};

static int file_at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    struct file *f = ctx;
    void *p = tn_arena_alloc(f->a, n);
    f->bytes += n;
    if (fseek(f->f, (long)off, SEEK_SET) || fread(p, 1, n, f->f) != n)
        return tn_err_set(err, TN_E_IO, NULL, "cannot read");
    *ret = tn_span_of(p, n);
    return 0;
}

/* The version of dir/file, or "" ; *ret_bytes were read. */
static void version_of(const char *dir, const char *file, const char *stem, char *ret, size_t *ret_bytes,
                       bool *ret_stub)
{
    struct tn_arena a;
    struct tn_elf e;
    const char *version = "", *how = "";
    tn_arena_init(&a);
    const char *path = tn_arena_printf(&a, "%s/%s", dir, file);
    struct file f = {fopen(path, "rb"), &a, 0};
    if (!f.f)
        fail_msg("cannot open %s", path);
    fseek(f.f, 0, SEEK_END);
    struct tn_view v = {(uint64_t)ftell(f.f), file_at, &f};
    assert_int_equal(tn_image_elf_open(&v, &a, &e, NULL), 0);
    assert_true(e.file_end <= v.size);
    tn_image_elf_product_version(&e, &v, stem, &a, &version, &how, NULL);
    snprintf(ret, 32, "%s", version);
    *ret_bytes = f.bytes;
    *ret_stub = tn_image_elf_is_cuda_stub(&e, &v);
    fclose(f.f);
    tn_arena_deinit(&a);
}

static void real_toolkit(void **state)
{
    static const struct {
        const char *file, *stem, *version;
        size_t most;
    } rows[] = {
        {"libcudart.so.13", "libcudart", "13.0", 100000},
        {"libcublasLt.so.13", "libcublasLt", "13.1.0", 100000},
        {"libcublas.so.13", "libcublas", "", 100000},
        {"libcufft.so.12", "libcufft", "12.0.0", 100000},
        {"libcurand.so.10", "libcurand", "10.4.0", 100000},
        {"libcusolver.so.12", "libcusolver", "12.0.4", 100000},
        {"libcusparse.so.12", "libcusparse", "12.6.3", 100000},
        {"libcupti.so.13", "libcupti", "13.0", 100000},
        {"libnccl.so.2", "libnccl", "2.28.9", 100000},
        {"libnvrtc.so.13", "libnvrtc", "13.0.88", 5000000},
        {"libnvJitLink.so.13", "libnvJitLink", "13.0.88", 200000},
        {"libnvvm.so.4", "libnvvm", "13.0.88", 200000},
        {"libcudnn_graph.so.9", "libcudnn_graph", "9.19.0", 100000},
        {"libcudnn_ops.so.9", "libcudnn_ops", "9.19.0", 100000},
        {"libcudnn_adv.so.9", "libcudnn_adv", "9.19.0", 100000},
        {"libcudnn_cnn.so.9", "libcudnn_cnn", "9.19.0", 100000},
        {"libcudnn.so.9", "libcudnn", "", 100000},
        {"libcudnn_engines_precompiled.so.9", "libcudnn_engines_precompiled", "", 100000},
        {"stubs/libcuda.so", "libcuda", "", 200000},
    };
    const char *dir = getenv("TN_REAL_CUDA_LIB");
    (void)state;
    if (!dir)
        skip();
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        char version[32];
        size_t bytes;
        bool stub;
        version_of(dir, rows[i].file, rows[i].stem, version, &bytes, &stub);
        assert_string_equal(version, rows[i].version);
        if (bytes > rows[i].most)
            fail_msg("%s: %u bytes read", rows[i].file, (unsigned)bytes);
        assert_int_equal(stub, strcmp(rows[i].stem, "libcuda") == 0);
    }
}

static void real_driver(void **state)
{
    const char *dir = getenv("TN_REAL_DRIVER_LIB"), *want = getenv("TN_REAL_DRIVER_VERSION");
    char version[32];
    size_t bytes;
    bool stub;
    (void)state;
    if (!dir || !want)
        skip();
    version_of(dir, "libcuda.so.1", "libcuda", version, &bytes, &stub);
    assert_string_equal(version, want);
    assert_false(stub);
    assert_true(bytes < 11000000);
}

static void partners(void **state)
{
    (void)state;
    assert_string_equal(tn_image_elf_version_partner("libcudnn"), "libcudnn_graph");
    assert_string_equal(tn_image_elf_version_partner("libnvidia-ptxjitcompiler"), "libcuda");
    assert_null(tn_image_elf_version_partner("libcudart"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constants), cmocka_unit_test(partners),
                                       cmocka_unit_test(real_toolkit), cmocka_unit_test(real_driver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
