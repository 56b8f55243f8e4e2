/* measure_told.c - lines of works become rows, and what the rows come to: never "ok" without a GPU at work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/pairs.h"
#include "probe/measured.h"
#include "report/verify.h"

static void read(struct tn_snap *s, const char *text)
{
    tn_snap_init(s);
    tn_probe_measured(s, tn_span_str(text), tn_snap_src(s, TN_KNOWN, NULL, "verify"));
}

static enum tn_verify_outcome outcome(const char *text)
{
    struct tn_snap s;
    read(&s, text);
    enum tn_verify_outcome o = tn_verify_outcome(&s);
    tn_snap_deinit(&s);
    return o;
}

#define CPU_PASS                                                                                                       \
    "part layer=tensorflow env=env1 text=/site/libtensorflow_cc.so.2\nversion text=2.15.1\n"                           \
    "result what=matmul precision=fp32 device=cpu status=pass worst=0.1 off=1e-06 bound=1e-05 text=CPU:0\n"
#define GPU_PASS                                                                                                       \
    "part layer=driver text=/usr/lib/libcuda.so.1\nresult what=kernel device=gpu status=pass wrong=0 first=0 text=\n"

static void test_rows(void **state)
{
    struct tn_snap s;
    (void)state;
    read(&s, CPU_PASS
         "failed what=convolution call=TFE_Execute error=INTERNAL text=a text with what=other in it\nnonsense\n");
    assert_int_equal(s.measurement.n, 2);
    const struct tn_rec_measurement *m = s.measurement.v;
    assert_true(tn_says(m[0].layer, "tensorflow") && tn_says(m[0].env, "env1") && tn_says(m[0].version, "2.15.1"));
    assert_true(tn_says(m[0].file, "/site/libtensorflow_cc.so.2") && tn_says(m[0].status, "pass"));
    assert_true(tn_says(m[0].bound, "1e-05") && tn_says(m[0].text, "CPU:0"));
    assert_true(tn_says(m[1].what, "convolution") && tn_says(m[1].status, "fail") && tn_says(m[1].error, "INTERNAL"));
    assert_true(tn_says(m[1].text, "a text with what=other in it"));
    assert_int_equal(m[0].median_us.k, TN_UNASKED); /* proof is no measurement of speed */
    tn_snap_deinit(&s);
}

/* A number of a library's answer is told by its name, of the numbering that its version has. */
static void test_numbers(void **state)
{
    struct tn_snap s;
    (void)state;
    read(&s, "part layer=cublas text=/l/libcublas.so.12\nversion text=12.4.5\n"
             "failed what=matmul call=cublasGemmEx error=number-13 text=\n"
             "part layer=cudnn text=/l/libcudnn.so.8\nversion text=8.9.7\n"
             "failed what=handle call=cudnnCreate error=number-1 text=\n"
             "part layer=cudnn text=/l/libcudnn.so.9\nversion text=9.1.0\n"
             "failed what=handle call=cudnnCreate error=number-1001 text=\n"
             "failed what=handle call=cudnnCreate error=number-99999 text=\n");
    const struct tn_rec_measurement *m = s.measurement.v;
    assert_int_equal(s.measurement.n, 4);
    assert_true(tn_says(m[0].error, "CUBLAS_STATUS_EXECUTION_FAILED") && tn_known(m[0].text));
    assert_true(tn_says(m[1].error, "CUDNN_STATUS_NOT_INITIALIZED"));
    assert_true(tn_says(m[2].error, "CUDNN_STATUS_NOT_INITIALIZED"));
    assert_true(tn_says(m[3].error, "number-99999"));
    tn_snap_deinit(&s);
}

#define TWO_CARDS                                                                                                      \
    "part layer=driver text=/usr/lib/libcuda.so.1\ndevice device=gpu.0000:01:00.0 memory=1 text=NVIDIA A\n"            \
    "device device=gpu.0000:41:00.0 memory=1 text=NVIDIA B\non device=gpu.0000:01:00.0\n"                              \
    "result what=memory device=gpu status=pass text=\npart layer=driver text=/usr/lib/libcuda.so.1\n"

/* What was done on one of several cards is told of that one, a failure without a device, too. */
static void test_cards(void **state)
{
    struct tn_snap s;
    struct tn_verify_card card[3];
    (void)state;
    read(&s, TWO_CARDS "on device=gpu.0000:41:00.0\nfailed what=kernel call=- error=crashed-11 text=\n");
    assert_int_equal(tn_verify_cards(&s, card, 3), 2);
    assert_string_equal(card[0].device, "gpu.0000:01:00.0");
    assert_null(card[0].failed);
    assert_string_equal(card[1].name, "NVIDIA B");
    assert_true(card[1].failed && tn_says(card[1].failed->error, "crashed-11"));
    tn_snap_deinit(&s);
    read(&s, TWO_CARDS "result what=memory device=gpu status=pass text=\n"); /* of a card that is not known */
    assert_int_equal(tn_verify_cards(&s, card, 3), 1);
    assert_true(tn_says(s.measurement.v[2].device, "gpu.0000:01:00.0") && tn_says(s.measurement.v[3].device, "gpu"));
    tn_snap_deinit(&s);
}

static void test_outcomes(void **state)
{
    (void)state;
    assert_int_equal(outcome(""), TN_VERIFY_PARTLY);
    assert_int_equal(outcome(CPU_PASS), TN_VERIFY_PARTLY);
    assert_int_equal(outcome(CPU_PASS "skipped what=matmul device=gpu why=no-gpu\n"), TN_VERIFY_PARTLY);
    assert_int_equal(outcome(GPU_PASS), TN_VERIFY_OK);
    assert_int_equal(outcome(GPU_PASS "skipped what=matmul device=gpu why=cpu-build\n"), TN_VERIFY_PARTLY);
    assert_int_equal(outcome(GPU_PASS "skipped what=matmul precision=bf16 device=gpu why=not-on-card\n"), TN_VERIFY_OK);
    assert_int_equal(outcome("part layer=cublas text=/l\nresult what=load device=- status=pass text=\n"),
                     TN_VERIFY_PARTLY);
    assert_int_equal(outcome(GPU_PASS "failed what=release call=- error=crashed-11 text=\n"), TN_VERIFY_FAILED);
    assert_int_equal(outcome(GPU_PASS "result what=matmul device=gpu status=wrong text=\n"), TN_VERIFY_FAILED);
}

static void test_text(void **state)
{
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_buf b;
    (void)state;
    read(&s, "part layer=driver text=/usr/lib/libcuda.so.1\nfailed what=start call=cuInit error=CUDA_ERROR_NO_DEVICE "
             "text=no "
             "\x1b[31mdevice\n");
    tn_arena_init(&mem);
    tn_buf_init(&b);
    struct tn_verify_report r = {.s = &s, .mem = &mem, .lang = TN_EN};
    tn_verify_text(&r, &b);
    assert_ptr_equal(strstr(b.p, "PROBLEM: driver: starting failed: cuInit answers CUDA_ERROR_NO_DEVICE\n"), b.p);
    assert_null(strchr(b.p, '\x1b'));
    tn_buf_clear(&b);
    r.lang = TN_ZH;
    tn_verify_text(&r, &b);
    assert_non_null(strstr(b.p, "cuInit 返回 CUDA_ERROR_NO_DEVICE"));
    tn_buf_deinit(&b);
    tn_arena_deinit(&mem);
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_cards), cmocka_unit_test(test_outcomes),
                                       cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
