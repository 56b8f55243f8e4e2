/* probe_vendor.c - what NVML and the CUDA driver interface said, as facts; and when they are not asked. */
#include "probe_world.h"

#include "probe/vendor_text.h"

static const char two_cards[] = "started\n"
                                "driver 550.54.14\n"
                                "nvml 12.550.54.14\n"
                                "cuda 12040\n"
                                "count 2\n"
                                "gpu 0\n"
                                "bus 00000000:01:00.0\n"
                                "name NVIDIA A100-SXM4-80GB\n"
                                "uuid GPU-0\n"
                                "capability 8.0\n"
                                "memory 85899345920 1073741824 84825604096 0\n"
                                "compute_mode 3\n"
                                "mig 1 1\n"
                                "ecc 1 1\n"
                                "ecc_now 7\n"
                                "rows 1 2 1 0\n"
                                "throttle 0x44\n"
                                "nvlink 11 12\n"
                                "fabric 2 0\n"
                                "process c 4711 1073741824 -1\n"
                                "process g 1 - -1\n"
                                "gpu 1\n"
                                "! nvmlDeviceGetHandleByIndex_v2 15\n"
                                "end\n";

static struct tn_snap fresh(const char *const *bus, size_t n)
{
    struct tn_snap s;
    tn_snap_init(&s);
    for (size_t i = 0; i < n; i++) {
        struct tn_rec_gpu *g = TN_ADD(&s, gpu);
        g->bus = tn_fact_str(&s, 0, bus[i]);
        g->vendor = tn_fact_str(&s, 0, "nvidia");
    }
    return s;
}

static void test_cards(void **state)
{
    (void)state;
    const char *const bus[] = {"0000:01:00.0", "0000:41:00.0"};
    struct tn_snap s = fresh(bus, 2);
    tn_vendor_nvml(&s, tn_span_str(two_cards), 0);
    assert_int_equal(s.gpu.n, 2);
    const struct tn_rec_gpu *g = &s.gpu.v[0];
    assert_true(tn_says(TN_THE(&s, driver)->nvml, "NVML_SUCCESS"));
    assert_true(tn_says(TN_THE(&s, driver)->nvml_version, "550.54.14"));
    assert_true(tn_says(g->nvml, "NVML_SUCCESS"));
    assert_true(tn_says(g->compute_mode, "exclusive_process"));
    assert_true(tn_is(g->mig, 1) && tn_is(g->ecc_errors, 7) && tn_is(g->rows_pending, 1) && tn_is(g->rows_failed, 0));
    assert_true(tn_is(g->used_bytes, 1073741824) && tn_is(g->nvlinks, 12) && tn_is(g->nvlinks_active, 11));
    assert_true(tn_list_has(g->throttle, "power") && tn_list_has(g->throttle, "hw_thermal"));
    assert_true(tn_says(g->fabric, "in_progress"));
    assert_int_equal(s.process.n, 2);
    assert_true(tn_is(s.process.v[0].pid, 4711) && tn_is(s.process.v[0].memory_bytes, 1073741824));
    assert_int_equal(s.process.v[1].memory_bytes.k, TN_ABSENT);
    assert_true(tn_says(s.gpu.v[1].nvml, "NVML_ERROR_GPU_IS_LOST")); /* the only one without an answer */
    tn_snap_deinit(&s);
    const char *const three[] = {"0000:01:00.0", "0000:41:00.0", "0000:81:00.0"};
    s = fresh(three, 3);
    tn_vendor_nvml(&s, tn_span_str(two_cards), 0);
    assert_int_equal(s.gpu.v[1].nvml.k, TN_UNASKED); /* of two silent ones none is guessed */
    tn_snap_deinit(&s);
    s = fresh(three, 3); /* nothing was refused: what is not listed is known to be so */
    tn_vendor_nvml(&s, tn_span_str("started\ncount 1\ngpu 0\nbus 0000:41:00.0\nend\n"), 0);
    assert_int_equal(s.gpu.v[0].nvml.k, TN_ABSENT);
    assert_true(tn_says(s.gpu.v[1].nvml, "NVML_SUCCESS"));
    tn_snap_deinit(&s);
    s = fresh(three, 3); /* lost while it was asked */
    tn_vendor_nvml(&s, tn_span_str("started\ncount 1\ngpu 0\nbus 0000:41:00.0\n! nvmlDeviceGetName 15\nend\n"), 0);
    assert_true(tn_says(s.gpu.v[1].nvml, "NVML_ERROR_GPU_IS_LOST"));
    tn_snap_deinit(&s);
}

static void test_failures_by_name(void **state)
{
    (void)state;
    const char *const bus[] = {"0000:01:00.0"};
    struct tn_snap s = fresh(bus, 1);
    tn_vendor_nvml(&s, tn_span_str("! nvmlInit_v2 18\nnvml 12.535.309.01\nend\n"), 0);
    tn_vendor_cuda(&s, tn_span_str("cuda 12020\n! cuInit 803\nend\n"), 0);
    struct tn_rec_driver *d = TN_THE(&s, driver);
    assert_true(tn_says(d->nvml, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"));
    assert_true(tn_says(d->nvml_version, "535.309.01"));
    assert_true(tn_says(d->cuda_start, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
    assert_true(tn_says(d->cuda, "12.2"));
    tn_snap_deinit(&s);
    s = fresh(bus, 1);
    tn_vendor_nvml(&s, tn_span_str("opens EPERM\n! open file too short\nend\n"), 0);
    tn_vendor_cuda(&s, tn_span_str("! cuDriverGetVersion missing\n! cuInit missing\nend\n"), 0);
    assert_true(tn_says(TN_THE(&s, driver)->opens, "EPERM"));
    assert_true(tn_says(TN_THE(&s, driver)->nvml, "unloadable"));
    assert_true(tn_says(TN_THE(&s, driver)->cuda_start, "foreign"));
    tn_snap_deinit(&s);
    s = fresh(bus, 1); /* a library that ends its program, quietly or at the second card */
    tn_vendor_nvml(&s, tn_span_str(""), 0);
    tn_vendor_cuda(&s, tn_span_str("started\ncount 2\ngpu 0\n"), 0);
    assert_true(tn_says(TN_THE(&s, driver)->nvml, "died"));
    assert_true(tn_says(TN_THE(&s, driver)->cuda_start, "died"));
    tn_snap_deinit(&s);
    s = fresh(bus, 1);
    tn_vendor_nvml(&s, tn_span_str("ended signal 7\n"), 0);
    tn_vendor_cuda(&s, tn_span_str("cuda 12020\nended late\n"), 0);
    assert_true(tn_says(TN_THE(&s, driver)->nvml, "died"));
    assert_true(tn_says(TN_THE(&s, driver)->cuda_start, "late"));
    tn_snap_deinit(&s);
    s = fresh(bus, 1);
    tn_vendor_nvml(&s, tn_span_str("started\ncount 1\ngpu 0\n! nvmlDeviceGetHandleByIndex_v2 15\nend\n"), 0);
    assert_true(tn_says(s.gpu.v[0].nvml, "NVML_ERROR_GPU_IS_LOST"));
    tn_snap_deinit(&s);
}

static void test_peers(void **state)
{
    (void)state;
    const char *const bus[] = {"0000:41:00.0", "0000:01:00.0"};
    struct tn_snap s = fresh(bus, 2);
    tn_vendor_cuda(
        &s,
        tn_span_str("started\ncount 2\ngpu 0\nbus 0000:01:00.0\npeer 1 1\ngpu 1\nbus 0000:41:00.0\npeer 0 0\n"
                    "peer 99 1\npeer -1 1\nend\n"),
        0);
    assert_true(tn_is(s.gpu.v[1].cuda_index, 0) && tn_is(s.gpu.v[0].cuda_index, 1));
    assert_true(tn_list_has(s.gpu.v[1].peers, "0000:41:00.0"));
    assert_int_equal(s.gpu.v[0].peers.k, TN_UNASKED);
    assert_true(tn_is(TN_THE(&s, driver)->cuda_devices, 2));
    tn_snap_deinit(&s);
}

static void test_nonsense(void **state)
{
    (void)state;
    struct tn_snap s = fresh(NULL, 0);
    tn_vendor_nvml(
        &s, tn_span_str("gpu 70\nbus 0000:01:00.0\ngpu -1\nbus x\nprocess c 0 1\nprocess\n!\n! \ncuda x\n\n"), 0);
    assert_int_equal(s.gpu.n, 0);
    assert_int_equal(s.process.n, 0);
    tn_vendor_cuda(&s, tn_span_str("cuda 99999999999999999999\ncount -3\ngpu 0\nbus 0000:01:00.0\n"), 0);
    assert_int_equal(TN_THE(&s, driver)->cuda.k, TN_UNASKED);
    assert_int_equal(s.gpu.n, 1); /* a card that the bus did not list */
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cards), cmocka_unit_test(test_failures_by_name),
                                       cmocka_unit_test(test_peers), cmocka_unit_test(test_nonsense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
