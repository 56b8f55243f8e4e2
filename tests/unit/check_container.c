/* check_container.c - containers, WSL and batch jobs: each diagnosis with a hit and a near miss. */
#include "check_machine.h"

static void add_node(struct machine *m, const char *path)
{
    struct tn_rec_node *n = TN_ADD(&m->s, node);
    n->path = T(path);
    n->type = T("c");
    n->mode = N(0666);
    n->accessible = N(1);
}

/* A container whose runtime was asked for the GPU. */
static void start_container(struct machine *m, const char *kind)
{
    start_healthy(m);
    TN_THE(&m->s, container)->kind = T(kind);
    TN_THE(&m->s, container)->gpus = T("all");
    words(m, &TN_THE(&m->s, container)->capabilities, "compute utility");
    add_node(m, "/dev/nvidiactl");
    add_node(m, "/dev/nvidia0");
    add_node(m, "/dev/nvidia-uvm");
}

static void without_library(struct machine *m)
{
    struct tn_rec_driver *d = TN_THE(&m->s, driver);
    d->library_version = d->library_path = tn_fact_nostr(0, TN_ABSENT);
}

static void whole(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "docker");
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    finish(m);
}

static void not_requested(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "docker");
    m->s.node.n = 0;
    without_library(m);
    const struct tn_finding *f = expect_problem(m, "container-gpu-not-requested", NULL);
    assert_string_equal(f->remedy[0].variant, "docker");
    assert_string_equal(found(m, "driver-missing")->behind, "container-gpu-not-requested");
    TN_THE(&m->s, container)->gpus = T("void");
    expect_problem(m, "container-gpu-not-requested", "off");
    TN_THE(&m->s, container)->gpus = T("all");
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", NULL, NULL);
    l->kind = T("empty");
    l->path = T("/usr/lib/x86_64-linux-gnu/libcuda.so.535.309.01");
    expect_sentence(expect_problem(m, "container-gpu-not-requested", "leftover"), TN_EN, "535.309.01");
    /* The same in a container of a machine without a GPU is another matter. */
    m->s.gpu.n = 0;
    m->s.library.n--;
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->cuda = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "no-nvidia-gpu", NULL);
    assert_null(found(m, "container-gpu-not-requested"));
    finish(m);
}

static void capability(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "docker");
    without_library(m);
    words(m, &TN_THE(&m->s, container)->capabilities, "utility");
    expect_problem(m, "container-capability-missing", NULL);
    assert_int_equal(m->v.first->status, TN_CONFIRMED);
    words(m, &TN_THE(&m->s, container)->capabilities, "compute utility");
    expect_problem(m, "container-capability-missing", "asked");
    finish(m);
    start_container(m, "docker");
    words(m, &TN_THE(&m->s, container)->capabilities, "compute");
    expect_ok(m, 0); /* TensorFlow 2.10 does without NVML */
    finish(m);
}

static void lost(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "docker");
    TN_THE(&m->s, driver)->nvml = T("NVML_ERROR_UNKNOWN");
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_NO_DEVICE");
    expect_problem(m, "container-lost-gpu", NULL);
    assert_string_equal(found(m, "unknown")->behind, "container-lost-gpu");
    m->s.node.v[0].accessible = N(0); /* then it is the mode */
    m->s.node.v[0].mode = N(0600);
    expect_problem(m, "device-permission", NULL);
    assert_null(found(m, "container-lost-gpu"));
    finish(m);
}

/* The list of rules says it: nobody needs to be asked. */
static void rule(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "docker");
    for (size_t i = 0; i < m->s.node.n; i++)
        m->s.node.v[i].allowed = N(1);
    expect_ok(m, 0);
    m->s.node.v[0].allowed = N(0);
    m->s.node.v[0].major = N(195);
    m->s.node.v[0].minor = N(255);
    const struct tn_finding *f = expect_problem(m, "container-lost-gpu", "rule");
    assert_int_equal(f->status, TN_CONFIRMED);
    assert_string_equal(f->remedy[0].id, "recreate-container");
    expect_sentence(f, TN_EN, "/dev/nvidiactl (195:255)");
    TN_THE(&m->s, container)->kind = T("lxc");
    assert_string_equal(expect_problem(m, "container-lost-gpu", "rule")->remedy[0].id, "lxc-device-rules");
    m->s.node.v[0].allowed = m->s.node.v[1].allowed = N(1);
    add_node(m, "/dev/nvidia1");
    m->s.node.v[3].allowed = N(0); /* one of two cards */
    expect_ok(m, 0);
    TN_THE(&m->s, container)->kind = tn_fact_nostr(0, TN_ABSENT);
    m->s.node.v[0].allowed = N(0); /* no container */
    judge(m, NULL);
    assert_null(found(m, "container-lost-gpu"));
    finish(m);
}

/* Every container of this kind has the host's nodes. */
static void host_dev(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "apptainer");
    expect_ok(m, 0);
    without_library(m);
    TN_THE(&m->s, container)->gpus = tn_fact_nostr(0, TN_ABSENT);
    const struct tn_finding *f = expect_problem(m, "container-gpu-not-requested", "library");
    assert_string_equal(f->remedy[0].variant, "apptainer");
    assert_null(found(m, "container-capability-missing"));
    TN_THE(&m->s, container)->kind = T("enroot");
    assert_string_equal(expect_problem(m, "container-gpu-not-requested", "library")->remedy[0].variant, "enroot");
    TN_THE(&m->s, container)->kind = T("podman"); /* there, somebody gave them */
    expect_problem(m, "container-capability-missing", "asked");
    finish(m);
}

static void add_cdi(struct machine *m, const char *path, const char *kind, const char *driver)
{
    struct tn_rec_cdi *r = TN_ADD(&m->s, cdi);
    r->path = T(path);
    r->kind = T(kind);
    r->driver = T(driver);
}

/* A host with engines: an old specification warns, a toolkit that nobody needs yet is a note. */
static void toolkit(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    const char *now = TN_THE(&m->s, driver)->version.v;
    add_cdi(m, "/etc/cdi/nvidia.yaml", "nvidia.com/gpu", now);
    expect_ok(m, 0);
    m->s.cdi.v[0].driver = T("470.1.2");
    expect_ok(m, 1);
    const struct tn_finding *f = found(m, "container-toolkit-missing");
    assert_int_equal(f->severity, TN_WARNING);
    assert_string_equal(f->remedy[0].id, "generate-cdi");
    expect_sentence(f, TN_EN, "470.1.2");
    TN_THE(&m->s, driver)->library_version = T("470.1.2"); /* half an update */
    judge(m, NULL);
    assert_null(found(m, "container-toolkit-missing"));
    TN_THE(&m->s, driver)->library_version = T(now);
    m->s.cdi.v[0].path = T("/var/run/cdi/nvidia.yaml"); /* wins, and is of now */
    m->s.cdi.v[0].driver = T(now);
    add_cdi(m, "/etc/cdi/nvidia.yaml", "nvidia.com/gpu", "470.1.2");
    expect_ok(m, 0);
    m->s.cdi.v[0].kind = T("nvidia.com/pva"); /* of something else */
    expect_ok(m, 1);
    m->s.cdi.n = 0;
    m->s.engine.listed = TN_KNOWN;
    struct tn_rec_engine *e = TN_ADD(&m->s, engine);
    e->name = T("podman");
    e->path = T("/usr/bin/podman");
    expect_ok(m, 0);
    f = found(m, "container-toolkit-missing");
    assert_int_equal(f->severity, TN_NOTE);
    expect_sentence(f, TN_EN, "podman");
    assert_string_equal(f->remedy[0].id, "install-toolkit-podman");
    m->s.engine.v[0].name = T("docker");
    expect_ok(m, 0);
    assert_string_equal(found(m, "container-toolkit-missing")->remedy[0].id, "install-container-toolkit");
    e = TN_ADD(&m->s, engine);
    e->name = T("nvidia-container-toolkit");
    expect_ok(m, 0);
    assert_null(found(m, "container-toolkit-missing"));
    finish(m);
}

static void start_torch(struct machine *m, int64_t shm_free, int64_t shm_total)
{
    start_container(m, "docker");
    m->s.framework.v[0].name = m->s.framework.v[0].package = T("torch");
    struct tn_rec_disk *d = TN_ADD(&m->s, disk);
    d->use = T("shm");
    d->path = T("/dev/shm");
    d->free_bytes = N(shm_free);
    d->total_bytes = N(shm_total);
}

static const struct tn_finding *shm_of(struct machine *m)
{
    judge(m, NULL);
    return found(m, "shared-memory-too-small");
}

static void shared_memory(void **state)
{
    struct machine mm, *m = &mm;
    const struct tn_finding *f;
    (void)state;
    start_torch(m, 67108864, 67108864);
    f = shm_of(m);
    assert_int_equal(f->severity, TN_NOTE);
    assert_null(f->variant);
    assert_string_equal(f->remedy[0].variant, "docker");
    add_node(m, "/dev/nvidia1");
    f = shm_of(m);
    assert_int_equal(f->severity, TN_WARNING);
    assert_string_equal(f->variant, "several");
    struct tn_rec_limit *l = TN_ADD(&m->s, limit);
    l->name = T("memlock");
    l->soft = N(65536);
    m->s.disk.n = 0;
    assert_null(shm_of(m)); /* no InfiniBand */
    TN_THE(&m->s, host)->rdma = N(1);
    f = shm_of(m);
    assert_string_equal(f->variant, "memlock");
    assert_int_equal(f->severity, TN_NOTE);
    l->soft = N(-1);
    assert_null(shm_of(m));
    finish(m);
    start_torch(m, 4096, (int64_t)1 << 30);
    assert_string_equal(shm_of(m)->variant, "full");
    m->s.disk.v[0].free_bytes = N((int64_t)1 << 29);
    assert_null(shm_of(m));
    m->s.disk.v[0].free_bytes = m->s.disk.v[0].total_bytes = N(67108864);
    m->s.framework.v[0].name = T("tensorflow"); /* its input pipeline works in one process */
    assert_null(shm_of(m));
    m->s.framework.v[0].name = T("torch");
    TN_THE(&m->s, container)->kind = tn_fact_nostr(0, TN_ABSENT);
    assert_null(shm_of(m));
    finish(m);
}

static void requirement(void **state)
{
    static const struct {
        const char *text;
        bool bad;
    } cases[] = {{"cuda>=12.4", true},
                 {"cuda>=12.2", false},
                 {"cuda>=12.4 brand=tesla,driver>=470,driver<471 brand=tesla,driver>=535,driver<536", true},
                 {"cuda>=12.4 brand=geforce,driver>=470,driver<471 brand=geforce,driver>=535,driver<536", false},
                 {"cuda>=12.4 brand=unknown,driver>=535,driver<536 brand=geforcertx,driver>=535,driver<536", true},
                 {"CUDA>=12.4", true},
                 {"cuda>=12.4 vendor=x", true},
                 {"vendor=x", false},
                 {"cuda>=12.2,vendor=x", false},
                 {"cuda!=12.2", true},
                 {"arch>=9.0", true},
                 {"brand!=geforce", true},
                 {"cuda>=12.4 driver>=525,driver<526", true},
                 {"cuda>=12.4 driver>=535,driver<536", false},
                 {"cuda>=99,brand=tesla", true},
                 {"arch>=8.0", false},
                 {"cuda", false},
                 {">=", false},
                 {"", false},
                 {"   ", false}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_container(m, "docker");
        TN_THE(&m->s, container)->requires = T(cases[i].text);
        if (cases[i].bad)
            expect_problem(m, "container-cuda-requirement", NULL);
        else
            expect_ok(m, 0);
        finish(m);
    }
}

/* Every variable must hold; the check can be switched off. */
static void requirements(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "docker");
    struct tn_rec_container *r = TN_THE(&m->s, container);
    r->requires = T("cuda>=12.2");
    r->requires_driver = T("driver>=535");
    r->requires_arch = T("arch>=8.0");
    r->requires_brand = T("brand=geforce");
    r->requires_off = N(0);
    expect_ok(m, 0);
    r->requires_driver = T("driver>=570");
    expect_sentence(expect_problem(m, "container-cuda-requirement", NULL), TN_EN, "driver>=570");
    r->requires_driver = tn_fact_nostr(0, TN_ABSENT);
    r->requires_arch = T("arch>=9.0");
    expect_sentence(expect_problem(m, "container-cuda-requirement", NULL), TN_EN, "arch>=9.0");
    r->requires_off = N(1);
    expect_ok(m, 1);
    expect_sentence(found(m, "container-cuda-requirement"), TN_EN, "NVIDIA_DISABLE_REQUIRE");
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_INSUFFICIENT_DRIVER");
    judge(m, NULL);
    assert_int_equal(found(m, "container-cuda-requirement")->severity, TN_ERROR);
    r->requires_off = N(0);
    r->requires_arch = tn_fact_nostr(0, TN_ABSENT);
    TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    r->requires = tn_fact_nostr(0, TN_ABSENT); /* an image of former days */
    static const char *const demand[] = {"99.1", "99.1.3", NULL}, *const none[] = {"10.2", "99", "99.1.2.004",
                                                                                   "v99",  "",   NULL};
    for (unsigned i = 0; demand[i]; i++) {
        r->legacy_cuda = T(demand[i]);
        expect_ok(m, 0);
        assert_non_null(found(m, "container-cuda-requirement"));
        assert_int_equal(found(m, "container-cuda-requirement")->severity, TN_NOTE);
        expect_sentence(found(m, "container-cuda-requirement"), TN_EN, "cuda>=99.1;");
    }
    for (unsigned i = 0; none[i]; i++) {
        r->legacy_cuda = T(none[i]);
        judge(m, NULL);
        assert_null(found(m, "container-cuda-requirement"));
    }
    r->legacy_cuda = T("99.1");
    r->kind = tn_fact_nostr(0, TN_ABSENT); /* left in the environment of a host */
    judge(m, NULL);
    assert_null(found(m, "container-cuda-requirement"));
    finish(m);
}

/* A card whose brand depends on the driver, or is not known. */
static void requirement_of_others(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_container(m, "docker");
    m->s.gpu.v[0].name = T("NVIDIA A100-SXM4-40GB");
    TN_THE(&m->s, container)->requires = T("cuda>=12.4 brand=tesla,driver>=535,driver<536");
    expect_ok(m, 0);
    TN_THE(&m->s, container)->requires = T("cuda>=12.4 brand=tesla,driver>=470,driver<471");
    expect_problem(m, "container-cuda-requirement", NULL);
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    m->s.gpu.v[0].capability = T("7.0");
    TN_THE(&m->s, container)->requires = T("arch>=8.0"); /* every card must be */
    expect_problem(m, "container-cuda-requirement", NULL);
    finish(m);
}

static void set_visible(struct machine *m, const char *value)
{
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T("CUDA_VISIBLE_DEVICES");
    v->value = T(value);
}

static void jobs(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    TN_THE(&m->s, scheduler)->kind = T("slurm");
    TN_THE(&m->s, scheduler)->gpus = tn_fact_nostr(0, TN_ABSENT);
    const struct tn_finding *f = expect_problem(m, "scheduler-gave-no-gpu", NULL);
    assert_int_equal(f->status, TN_LIKELY);
    assert_string_equal(f->remedy[0].variant, "slurm");
    TN_THE(&m->s, driver)->cuda_devices = N(1); /* a site that hides nothing */
    expect_ok(m, 0);
    TN_THE(&m->s, driver)->cuda_devices = N(0);
    set_visible(m, "NoDevFiles");
    expect_problem(m, "scheduler-gave-no-gpu", NULL);
    assert_null(found(m, "gpu-hidden-by-env"));
    finish(m);
    start_healthy(m);
    TN_THE(&m->s, scheduler)->kind = T("slurm");
    TN_THE(&m->s, scheduler)->gpus = T("0");
    set_visible(m, "0");
    expect_ok(m, 0);
    judge(m, "cpu");
    assert_null(found(m, "scheduler-gave-no-gpu"));
    finish(m);
}

/* WSL 2 as it should be: no bus, no module, libcuda from Windows. */
static void start_wsl(struct machine *m)
{
    start_healthy(m);
    struct tn_rec_driver *d = TN_THE(&m->s, driver);
    m->s.gpu.n = m->s.module.n = 0;
    m->s.gpu.listed = TN_UNASKED;
    TN_THE(&m->s, host)->wsl = N(2);
    d->loaded = (struct tn_int){0};
    d->version = d->library_version = T("552.44");
    d->library_path = T("/usr/lib/wsl/lib/libcuda.so.1");
    add_node(m, "/dev/dxg");
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", "552.44", NULL);
    l->path = T("/usr/lib/wsl/lib/libcuda.so.1");
    l->place = T("driver");
    l->rank = N(0);
}

static void wsl(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_wsl(m);
    expect_ok(m, 0);
    TN_THE(&m->s, host)->wsl = N(1);
    expect_problem(m, "wsl-driver", "one");
    TN_THE(&m->s, host)->wsl = N(2);
    m->s.node.n = 0;
    expect_problem(m, "wsl-driver", NULL);
    assert_string_equal(found(m, "no-nvidia-gpu")->behind, "wsl-driver");
    finish(m);
    start_wsl(m);
    m->s.library.n--;
    without_library(m);
    expect_problem(m, "wsl-driver", "library");
    finish(m);
}

static void wsl_linux_driver(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_wsl(m);
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", "535.183.01", NULL);
    l->path = T("/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01");
    l->place = T("system");
    l->rank = N(1);
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    assert_int_equal(found(m, "wsl-linux-driver-installed")->severity, TN_NOTE);
    l->rank = N(0);
    l[-1].rank = N(1);
    TN_THE(&m->s, driver)->library_path = l->path;
    TN_THE(&m->s, driver)->library_version = l->version;
    expect_problem(m, "wsl-linux-driver-installed", NULL);
    TN_THE(&m->s, host)->wsl = N(0); /* the same libraries elsewhere */
    judge(m, NULL);
    assert_null(found(m, "wsl-linux-driver-installed"));
    finish(m);
    start_wsl(m); /* the toolkit's stub, and a copy that an environment brings, are no driver */
    l = add_library(m, "libcuda", "libcuda.so.1", "12.4", NULL);
    l->path = T("/usr/local/cuda/lib64/stubs/libcuda.so");
    l->kind = T("stub");
    l = add_library(m, "libcuda", "libcuda.so.1", "550.54.15", "tf");
    l->path = T("/home/u/envs/tf/compat/libcuda.so.550.54.15");
    judge(m, NULL);
    assert_null(found(m, "wsl-linux-driver-installed"));
    finish(m);
}

static void wsl_loader(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_wsl(m);
    m->s.library.v[m->s.library.n - 1].reachable = N(0);
    without_library(m);
    expect_problem(m, "wsl-libcuda-not-found", NULL);
    m->s.library.v[m->s.library.n - 1].reachable = (struct tn_int){0}; /* nobody looked at the loader */
    judge(m, NULL);
    assert_null(found(m, "wsl-libcuda-not-found"));
    m->s.library.v[m->s.library.n - 1].reachable = N(0);
    add_library(m, "libcuda", "libcuda.so.1", "552.44", NULL)->path = T("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    m->s.library.v[m->s.library.n - 1].reachable = N(1); /* programs meet another */
    judge(m, NULL);
    assert_null(found(m, "wsl-libcuda-not-found"));
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole),
                                       cmocka_unit_test(not_requested),
                                       cmocka_unit_test(capability),
                                       cmocka_unit_test(lost),
                                       cmocka_unit_test(rule),
                                       cmocka_unit_test(toolkit),
                                       cmocka_unit_test(shared_memory),
                                       cmocka_unit_test(host_dev),
                                       cmocka_unit_test(requirement),
                                       cmocka_unit_test(requirements),
                                       cmocka_unit_test(requirement_of_others),
                                       cmocka_unit_test(jobs),
                                       cmocka_unit_test(wsl),
                                       cmocka_unit_test(wsl_linux_driver),
                                       cmocka_unit_test(wsl_loader)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
