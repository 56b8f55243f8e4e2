/* check_proved.c - failures of real work have a cause each; none is silent, and a pass is none. */
#include "check_machine.h"

static void add(struct machine *m, const char *layer, const char *what, const char *status, const char *error)
{
    struct tn_rec_measurement *r = TN_ADD(&m->s, measurement);
    m->s.measurement.listed = TN_KNOWN;
    r->layer = T(layer);
    r->what = T(what);
    r->status = T(status);
    r->version = T("12.4.5");
    r->file = T("/usr/lib/x86_64-linux-gnu/lib.so");
    if (error)
        r->error = T(error);
}

static void each(void **state)
{
    static const struct {
        const char *layer, *what, *error, *cause, *variant;
    } cases[] = {{"driver", "memory", "wrong-result", "gpu-hardware-fault", "work-wrong"},
                 {"driver", "kernel", "CUDA_ERROR_ECC_UNCORRECTABLE", "gpu-hardware-fault", "work"},
                 {"cublas", "matmul", "CUDA_ERROR_ECC_UNCORRECTABLE", "gpu-hardware-fault", "work"},
                 {"driver", "memory", "CUDA_ERROR_OUT_OF_MEMORY", "out-of-memory", "work"},
                 {"cublas", "handle", "CUBLAS_STATUS_ALLOC_FAILED", "out-of-memory", "work"},
                 {"cudart", "memory", "cudaErrorMemoryAllocation", "out-of-memory", "work"},
                 {"driver", "kernel", "CUDA_ERROR_LAUNCH_TIMEOUT", "kernel-timeout", "work"},
                 {"nccl", "allreduce", "wrong-result", "nccl-failure", "work"},
                 {"nccl", "handle", "ncclSystemError", "nccl-failure", "work"},
                 {"nccl", "allreduce-cards", "wrong-result", "nccl-failure", "work-cards"},
                 {"driver", "peer-copy", "wrong-result", "peer-to-peer-broken", "work"},
                 {"driver", "peer-copy", "late", "peer-to-peer-broken", "work"},
                 {"cublas", "matmul", "wrong-result", "vendor-library-bug", "work-wrong"},
                 {"cudnn", "convolution", "crashed-11", "vendor-library-bug", "work"},
                 {"cufft", "fft", "CUFFT_INTERNAL_ERROR", "vendor-library-bug", "work"},
                 {"cusparse", "handle", "late", "vendor-library-bug", "work"},
                 {"cublas", "load", "crashed-7", "unknown", "library-died"},
                 {"cublas", "load", "unloadable", "unknown", "library-unloadable"},
                 {"cublas", "load", "missing", "unknown", "library-foreign"},
                 {"tensorflow", "matmul", "wrong-result", "framework-bug", "work-wrong"},
                 {"tensorflow", "matmul", "INTERNAL", "unknown", "work"},
                 {"driver", "kernel", "CUDA_ERROR_UNKNOWN", "unknown", "work"}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct machine mm, *m = &mm;
        start_healthy(m);
        add(m, cases[i].layer, cases[i].what, "fail", cases[i].error);
        expect_problem(m, cases[i].cause, cases[i].variant);
        finish(m);
    }
}

static void no_failure(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    add(m, "driver", "kernel", "pass", NULL);
    add(m, "cublas", "matmul", "pass", NULL);
    add(m, "cudnn", "load", "not_tried", NULL);
    expect_ok(m, 0);
    assert_null(found(m, "vendor-library-bug"));
    assert_null(found(m, "gpu-hardware-fault"));
    assert_null(found(m, "unknown"));
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each), cmocka_unit_test(no_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
