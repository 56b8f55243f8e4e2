/* check_driver.c - hardware and driver: each diagnosis with a hit and a near miss; stories 4, 5; peer mistakes 1, 9b,
 * 15, 18, 24, 30. */
#include "check_machine.h"

static void healthy(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    finish(m);
}

static void no_gpu(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    m->s.gpu.n = 0;
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->cuda = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "no-nvidia-gpu", NULL);
    /* An AMD card alone is said. */
    struct tn_rec_gpu *g = TN_ADD(&m->s, gpu);
    g->vendor = T("amd");
    g->name = T("Radeon RX 6800");
    expect_sentence(expect_problem(m, "no-nvidia-gpu", "other"), TN_ZH, "Radeon RX 6800");
    /* Where the CPU is expected it is a note (design 6.2). */
    judge(m, "cpu");
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    assert_int_equal(found(m, "no-nvidia-gpu")->severity, TN_NOTE);
    assert_int_equal(m->v.warnings, 0);
    finish(m);
}

/* "NVML missing" does not prove "no GPU" (mistake 30); nothing looked at is never [ok] (24). */
static void gpu_not_listed(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "linux");
    m->s.gpu.listed = TN_DENIED;
    TN_THE(&m->s, driver)->loaded = tn_fact_noint(0, TN_FAILED);
    TN_THE(&m->s, driver)->library_version = tn_fact_nostr(0, TN_FAILED);
    TN_THE(&m->s, driver)->library_path = tn_fact_nostr(0, TN_FAILED);
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    assert_int_equal(found(m, "no-nvidia-gpu")->status, TN_UNTESTABLE);
    /* Looked for, and not there: that much is sure. */
    TN_THE(&m->s, driver)->library_version = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "driver-missing", "unseen");
    finish(m);
    start(m, "linux");
    m->s.gpu.listed = m->s.library.listed = m->s.module.listed = TN_UNASKED;
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    finish(m);
}

static void wsl(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    /* No bus, no module, no /dev/nvidia0: all normal in WSL. */
    m->s.gpu.n = m->s.module.n = 0;
    TN_THE(&m->s, host)->wsl = N(2);
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    TN_ADD(&m->s, node)->path = T("/dev/dxg");
    expect_ok(m, 0);
    m->s.node.n = 0;
    expect_problem(m, "wsl-driver", NULL);
    assert_string_equal(found(m, "no-nvidia-gpu")->variant, "wsl");
    /* The driver is Windows' and has its numbers. */
    TN_ADD(&m->s, node)->path = T("/dev/dxg");
    TN_THE(&m->s, driver)->library_version = T("451.67");
    expect_sentence(expect_problem(m, "driver-too-old", "windows"), TN_EN, "452.39");
    assert_string_equal(m->v.first->remedy[0].id, "update-windows-driver");
    TN_THE(&m->s, driver)->library_version = TN_THE(&m->s, driver)->library_path = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "wsl-driver", "library");
    assert_string_equal(found(m, "driver-missing")->behind, "wsl-driver");
    finish(m);
}

static void without_driver(struct machine *m)
{
    struct tn_rec_driver *d = TN_THE(&m->s, driver);
    memset(d, 0, sizeof *d);
    m->s.module.n = 0;
    d->loaded = N(0);
    d->version = d->library_version = d->library_path = d->cuda = tn_fact_nostr(0, TN_ABSENT);
}

static void missing(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    without_driver(m);
    const struct tn_finding *f = expect_problem(m, "driver-missing", NULL);
    assert_int_equal(f->status, TN_CONFIRMED);
    assert_null(found(m, "driver-not-loaded"));
    /* The toolkit's stand-in for the linker is no driver. */
    struct tn_rec_library *stub = add_library(m, "libcuda", "libcuda.so.1", NULL, NULL);
    stub->kind = T("stub");
    stub->place = T("toolkit");
    stub->reachable = N(0);
    expect_problem(m, "driver-missing", NULL);
    m->s.library.n--;
    TN_THE(&m->s, container)->kind = T("docker");
    expect_problem(m, "container-gpu-not-requested", NULL);
    assert_string_equal(found(m, "driver-missing")->variant, "container");
    TN_THE(&m->s, container)->kind = tn_fact_nostr(0, TN_ABSENT);
    /* The library was not looked for: no guess. */
    TN_THE(&m->s, driver)->library_version = TN_THE(&m->s, driver)->library_path = tn_fact_nostr(0, TN_DENIED);
    m->s.library.listed = TN_DENIED;
    judge(m, NULL);
    assert_int_equal(found(m, "driver-missing")->status, TN_UNTESTABLE);
    finish(m);
    /* Half a driver: the module without libcuda. */
    start_healthy(m);
    TN_THE(&m->s, driver)->library_version = TN_THE(&m->s, driver)->library_path = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "driver-missing", "library");
    finish(m);
    /* Windows. */
    start_windows(m, "2.6.0");
    without_driver(m);
    expect_sentence(expect_problem(m, "driver-missing", NULL), TN_EN, "nvcuda.dll");
    finish(m);
}

/* Mistake 15: "couldn't communicate with the driver" is not "no driver". */
static void not_loaded(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "driver-not-loaded", NULL);
    assert_null(found(m, "driver-missing"));
    assert_null(found(m, "driver-library-mismatch"));
    TN_THE(&m->s, host)->secure_boot = N(1);
    assert_int_equal(expect_problem(m, "driver-not-loaded", "secure-boot")->status, TN_LIKELY);
    m->s.gpu.v[0].bound = T("nouveau");
    expect_problem(m, "driver-not-loaded", "held");
    m->s.gpu.v[0].bound = T("vfio-pci");
    expect_problem(m, "driver-not-loaded", "vfio");
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    m->s.module.v[0].running = N(0);
    m->s.module.v[0].kernel = T("6.8.0-41-generic");
    expect_sentence(expect_problem(m, "driver-not-loaded", "kernel"), TN_EN, "6.8.0-41-generic");
    TN_THE(&m->s, host)->modules = N(0);
    expect_problem(m, "driver-not-loaded", "no-modules");
    TN_THE(&m->s, driver)->loaded = tn_fact_noint(0, TN_FAILED);
    judge(m, NULL);
    assert_int_equal(found(m, "driver-not-loaded")->status, TN_UNTESTABLE);
    finish(m);
}

static void library_mismatch(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    TN_THE(&m->s, driver)->library_version = T("535.216.01");
    const struct tn_finding *f = expect_problem(m, "driver-library-mismatch", NULL);
    assert_string_equal(f->remedy[0].id, "reboot");
    /* All three parts are told (mistake 18). */
    expect_sentence(f, TN_EN, "535.183.01");
    TN_THE(&m->s, driver)->library_version = T("535.183.06"); /* the last part alone */
    expect_problem(m, "driver-library-mismatch", NULL);
    TN_THE(&m->s, driver)->library_version = T("535.183");
    expect_problem(m, "driver-library-mismatch", "older");
    TN_THE(&m->s, driver)->library_version = T("525.60.13");
    expect_problem(m, "driver-library-mismatch", "older");
    /* A forward-compatibility libcuda is meant to be newer; on a data centre card. */
    m->s.gpu.v[0].name = T("NVIDIA A40");
    TN_THE(&m->s, driver)->library_version = T("570.86.15");
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", "570.86.15", NULL);
    l->kind = T("compat");
    l->path = T("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    expect_ok(m, 0);
    finish(m);
}

/* Mistake 1: 12.x minor-version compatibility holds from 525.60.13 on. Story 4: the numbers of each system. */
/* nvidia-smi's own word, on any system; where CUDA works it costs nvidia-smi alone. */
static void smi_of_another(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    TN_THE(&m->s, driver)->nvml = T("other");
    expect_problem(m, "driver-library-mismatch", "smi");
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_SUCCESS");
    expect_ok(m, 1);
    finish(m);
}

static void too_old(void **state)
{
    static const struct {
        const char *os, *driver, *cuda;
        bool old;
    } c[] = {{"linux", "535.183.01", "12.4", false}, {"linux", "525.60.13", "12.4", false},
             {"linux", "525.60.11", "12.4", true},   {"linux", "450.80.02", "11.2", false},
             {"linux", "450.66", "11.2", true},      {"windows", "451.67", "11.2", true},
             {"windows", "452.39", "11.2", false},   {"linux", "570.86.15", "13.0", true},
             {"linux", "999.10", "13.0", false},     {"linux", "418.39", "10.1", false}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(c); i++) {
        struct machine mm, *m = &mm;
        bool windows = strcmp(c[i].os, "windows") == 0;
        struct tn_rec_framework *f = windows ? start_windows(m, "2.10.0") : start_healthy(m);
        set_driver(m, c[i].driver, "12.2");
        f->cuda = T(c[i].cuda);
        judge(m, NULL);
        if ((found(m, "driver-too-old") != NULL) != c[i].old)
            fail_msg("%s %s %s", c[i].os, c[i].driver, c[i].cuda);
        if (c[i].old && windows) {
            expect_sentence(found(m, "driver-too-old"), TN_EN, "452.39");
            expect_sentence(found(m, "driver-too-old"), TN_ZH, "450.80.02");
        }
        finish(m);
    }
}

static void too_old_ways(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    /* Only the ceiling is known, as from a pasted header. */
    struct tn_rec_framework *f = start_healthy(m);
    TN_THE(&m->s, driver)->version = TN_THE(&m->s, driver)->library_version = tn_fact_nostr(0, TN_UNASKED);
    TN_THE(&m->s, driver)->loaded = tn_fact_noint(0, TN_UNASKED);
    TN_THE(&m->s, driver)->cuda = T("10.2");
    judge(m, NULL);
    expect_sentence(found(m, "driver-too-old"), TN_EN, "10.2");
    TN_THE(&m->s, driver)->cuda = T("11.0");
    judge(m, NULL);
    assert_null(found(m, "driver-too-old"));
    finish(m);
    /* A Kepler card ends with branch 470: no update reaches CUDA 12. */
    f = start_healthy(m);
    m->s.gpu.n = 0;
    add_gpu(m, "Tesla K80", "3.7");
    set_driver(m, "470.256.02", "11.4");
    f->cuda = T("12.3");
    judge(m, NULL);
    assert_string_equal(found(m, "driver-too-old")->variant, "card");
    /* A toolkit that lies around asks for nothing (mistake 9b). */
    f->cuda = T("11.2");
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    struct tn_rec_toolkit *t = TN_ADD(&m->s, toolkit);
    t->version = T("13.0");
    t->on_path = N(1);
    expect_ok(m, 0);
    finish(m);
}

static void stub(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", "12.4", NULL);
    l->kind = T("stub");
    l->place = T("toolkit");
    l->path = T("/usr/local/cuda/lib64/stubs/libcuda.so");
    l->reachable = N(0);
    expect_ok(m, 0); /* where it belongs */
    l->reachable = N(1);
    l->rank = N(0);
    TN_THE(&m->s, driver)->library_path = l->path;
    expect_problem(m, "stub-libcuda-loaded", NULL);
    finish(m);
}

/* Story 5: it works, was measured slower, and its drivers end; all in Chinese; no problem. */
static void weak(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GeForce MX150", "6.1");
    judge(m, NULL);
    assert_string_equal(found(m, "gpu-too-weak")->variant, "last");
    assert_int_equal(m->v.warnings, 0);
    for (int i = 0; i < 2; i++) {
        struct tn_rec_measurement *r = TN_ADD(&m->s, measurement);
        r->what = T("matmul");
        r->status = T("pass");
        r->device = T(i ? "0000:01:00.0" : "cpu");
        r->median_us = N(i ? 130000 : 100000);
    }
    expect_ok(m, 1);
    expect_sentence(found(m, "gpu-too-weak"), TN_ZH, "580");
    expect_sentence(found(m, "gpu-too-weak"), TN_ZH, "可以工作");
    finish(m);
}

/* Branch 580 is the last one for Pascal: a newer driver leaves the card alone. */
static void dropped(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GeForce GTX 1080", "6.1");
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    set_driver(m, "590.44.01", "13.1");
    expect_problem(m, "gpu-too-weak", "dropped");
    set_driver(m, "580.95.05", "13.0");
    expect_ok(m, 0);
    set_driver(m, "581.29", "13.0"); /* Windows' number of the same branch */
    expect_ok(m, 0);
    set_driver(m, "999.10", "14.0");
    expect_problem(m, "gpu-too-weak", "dropped");
    /* Beside a card that works it is a warning, and the verdict names the other one. */
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    expect_ok(m, 1);
    assert_string_equal(m->v.arg[2].value, "NVIDIA GeForce RTX 3060");
    /* The kernel says that the driver holds it: that is the truth. */
    m->s.gpu.v[0].bound = T("nvidia");
    expect_ok(m, 0);
    finish(m);
}

static void counted(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    judge(m, "2");
    assert_string_equal(m->v.first->variant, "fewer");
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    judge(m, "2");
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    finish(m);
}

/* Windows' own word for a card that does not work; another one that works makes it a warning. */
static void stopped(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_windows(m, "2.6.0");
    m->s.gpu.v[0].problem = N(43);
    TN_THE(&m->s, driver)->loaded = N(0);
    const struct tn_finding *f = expect_problem(m, "driver-not-loaded", "code-43");
    assert_int_equal(f->status, TN_CONFIRMED);
    expect_sentence(f, TN_EN, "code 43");
    m->s.gpu.v[0].problem = N(39);
    expect_sentence(expect_problem(m, "driver-not-loaded", "code"), TN_EN, "code 39");
    m->s.gpu.v[0].problem = N(0);
    TN_THE(&m->s, driver)->loaded = N(1);
    judge(m, NULL);
    assert_null(found(m, "driver-not-loaded"));
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    m->s.gpu.v[1].problem = N(12);
    judge(m, NULL);
    assert_int_equal(found(m, "driver-not-loaded")->severity, TN_WARNING);
    assert_string_equal(found(m, "driver-not-loaded")->variant, "code-12");
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(no_gpu),
        cmocka_unit_test(gpu_not_listed),
        cmocka_unit_test(wsl),
        cmocka_unit_test(missing),
        cmocka_unit_test(not_loaded),
        cmocka_unit_test(library_mismatch),
        cmocka_unit_test(smi_of_another),
        cmocka_unit_test(too_old),
        cmocka_unit_test(too_old_ways),
        cmocka_unit_test(stub),
        cmocka_unit_test(weak),
        cmocka_unit_test(dropped),
        cmocka_unit_test(counted),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
