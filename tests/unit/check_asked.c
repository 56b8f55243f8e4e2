/* check_asked.c - what the driver answered when it was asked: each diagnosis with a hit and a near miss. */
#include "check_machine.h"

static void start_asked(struct machine *m)
{
    start_healthy(m);
    struct tn_rec_driver *d = TN_THE(&m->s, driver);
    d->nvml = T("NVML_SUCCESS");
    d->cuda_start = T("CUDA_SUCCESS");
    d->cuda_devices = N(1);
    d->uvm = N(1);
    m->s.gpu.v[0].bus = T("0000:01:00.0");
    m->s.gpu.v[0].nvml = T("NVML_SUCCESS");
    m->s.gpu.v[0].index = N(0);
    m->s.gpu.v[0].uuid = T("GPU-aaaaaaaa-1111");
    m->s.gpu.v[0].compute_mode = T("default");
}

static void add_node(struct machine *m, const char *path, int mode, bool ok, const char *group)
{
    struct tn_rec_node *n = TN_ADD(&m->s, node);
    n->path = T(path);
    n->type = T("c");
    n->mode = N(mode);
    n->accessible = N(ok);
    if (group)
        n->group = T(group);
}

static void set_variable(struct machine *m, const char *name, const char *value)
{
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T(name);
    v->value = T(value);
}

static void well(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    add_node(m, "/dev/nvidiactl", 0666, true, NULL);
    add_node(m, "/dev/nvidia0", 0666, true, NULL);
    set_variable(m, "CUDA_VISIBLE_DEVICES", "0");
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    finish(m);
}

static void permission(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    add_node(m, "/dev/nvidiactl", 0660, false, "video");
    expect_sentence(expect_problem(m, "device-permission", "group"), TN_EN, "video");
    m->s.node.v[0].group = T("nogroup"); /* LXC: no group of the container helps */
    TN_THE(&m->s, container)->kind = T("lxc");
    assert_string_not_equal(expect_problem(m, "device-permission", "nobody")->remedy[0].id, "join-group");
    TN_THE(&m->s, container)->kind = tn_fact_nostr(0, TN_ABSENT);
    m->s.node.v[0].group = T("video");
    m->s.node.v[0].mode = N(01232);
    expect_problem(m, "device-permission", "mode");
    m->s.node.v[0].mode = N(0600);
    expect_problem(m, "device-permission", NULL);
    m->s.node.n = 0;
    TN_THE(&m->s, driver)->nvml = T("NVML_ERROR_NO_PERMISSION");
    expect_problem(m, "device-permission", "unseen");
    finish(m);
    start_asked(m); /* two cards, one of them for others */
    add_node(m, "/dev/nvidiactl", 0666, true, NULL);
    add_node(m, "/dev/nvidia0", 0660, false, "video");
    add_node(m, "/dev/nvidia1", 0666, true, NULL);
    expect_ok(m, 0);
    finish(m);
}

/* A pipe or a file where a device should be. */
static void no_device(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    add_node(m, "/dev/nvidiactl", 0666, true, NULL);
    add_node(m, "/dev/nvidia0", 0666, true, NULL);
    add_node(m, "/dev/nvidia1", 0666, true, NULL);
    m->s.node.v[0].type = T("p");
    expect_ok(m, 0); /* whatever it is, it works */
    TN_THE(&m->s, driver)->nvml = TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    expect_sentence(expect_problem(m, "device-permission", "no-device"), TN_EN, "/dev/nvidiactl");
    m->s.node.v[0].type = T("c");
    m->s.node.v[1].type = T("-"); /* one of two cards */
    expect_ok(m, 0);
    m->s.node.v[2].type = T("-");
    expect_problem(m, "device-permission", "no-device");
    TN_THE(&m->s, driver)->loaded = N(0); /* leftovers of an image */
    judge(m, NULL);
    assert_null(found(m, "device-permission"));
    finish(m);
}

static void uvm(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_UNKNOWN");
    expect_problem(m, "uvm-unavailable", NULL);
    assert_non_null(found(m, "unknown"));
    assert_string_equal(found(m, "unknown")->behind, "uvm-unavailable");
    finish(m);
    start_asked(m); /* not loaded, and so not asked: no finding on a bare machine (design 6.11) */
    TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    TN_THE(&m->s, driver)->uvm = N(0);
    add_node(m, "/dev/nvidiactl", 0666, true, NULL);
    expect_ok(m, 0);
    TN_THE(&m->s, container)->kind = T("lxc");
    expect_problem(m, "uvm-unavailable", "container");
    finish(m);
}

/* NVSwitches and nobody who sets them up; CUDA was not asked. */
static void switches(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        start_healthy(m);
        TN_THE(&m->s, host)->nvswitches = N(i == 1 ? 0 : 6);
        struct tn_rec_service *v = TN_ADD(&m->s, service);
        v->name = T("nvidia-fabricmanager");
        v->state = T(i == 2 ? "running" : "stopped");
        if (i == 3)
            TN_THE(&m->s, driver)->cuda_start = T("CUDA_SUCCESS");
        if (i == 0)
            expect_problem(m, "fabric-manager-down", "stopped");
        else
            expect_ok(m, 0);
        finish(m);
    }
}

static void fabric(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_SYSTEM_NOT_READY");
    expect_problem(m, "fabric-manager-down", NULL);
    struct tn_rec_service *v = TN_ADD(&m->s, service);
    v->name = T("nvidia-fabricmanager");
    v->state = T("failed");
    v->version = T("535.129.03");
    expect_sentence(expect_problem(m, "fabric-manager-down", "version"), TN_ZH, "535.129.03");
    finish(m);
    start_asked(m);
    m->s.gpu.v[0].fabric = T("not_supported");
    expect_ok(m, 0);
    finish(m);
}

static void compat(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", "560.35.05", NULL);
    l->kind = T("compat");
    l->rank = N(0);
    l->path = T("/usr/local/cuda/compat/libcuda.so.560.35.05");
    TN_THE(&m->s, driver)->library_version = T("560.35.05");
    TN_THE(&m->s, driver)->library_path = l->path;
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE");
    expect_sentence(expect_problem(m, "forward-compat-unsupported", NULL), TN_EN, "RTX 3060");
    TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    expect_problem(m, "forward-compat-unsupported", NULL);
    m->s.gpu.v[0].name = T("NVIDIA A100-SXM4-80GB");
    m->s.gpu.v[0].capability = T("8.0");
    judge(m, NULL);
    assert_null(found(m, "forward-compat-unsupported"));
    finish(m);
}

static void hidden(void **state)
{
    static const struct {
        const char *value, *variant;
        bool hides;
    } cases[] = {{"", NULL, true},
                 {"-1", "names-none", true},
                 {"all", "names-none", true},
                 {"1", "names-none", true},
                 {"0", NULL, false},
                 {"0,1", NULL, false},
                 {" 0 ", NULL, false},
                 {"GPU-aaaa", NULL, false},
                 {"GPU-b", "names-none", true},
                 {"NoDevFiles", "names-none", true}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_asked(m);
        set_variable(m, "CUDA_VISIBLE_DEVICES", cases[i].value);
        if (cases[i].hides)
            expect_problem(m, "gpu-hidden-by-env", cases[i].variant);
        else
            expect_ok(m, 0);
        judge(m, "cpu"); /* on purpose */
        assert_null(found(m, "gpu-hidden-by-env"));
        finish(m);
    }
    start_asked(m);
    set_variable(m, "JAX_PLATFORMS", "cpu");
    expect_ok(m, 0); /* no JAX here */
    add_framework(m, "env1", "jax", "0.4.30", true);
    judge(m, NULL);
    assert_non_null(found(m, "gpu-hidden-by-env"));
    assert_int_equal(found(m, "gpu-hidden-by-env")->severity, TN_WARNING);
    finish(m);
}

static void modes(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    m->s.gpu.v[0].mig = N(1);
    m->s.gpu.v[0].mig_devices = N(0);
    TN_THE(&m->s, driver)->cuda_devices = N(0);
    expect_problem(m, "mig-misconfigured", "no-instance");
    m->s.gpu.v[0].mig_devices = N(2);
    expect_ok(m, 0);
    m->s.gpu.v[0].mig = N(0);
    m->s.gpu.v[0].compute_mode = T("prohibited");
    expect_problem(m, "mig-misconfigured", "prohibited");
    m->s.gpu.v[0].compute_mode = T("exclusive_process");
    expect_ok(m, 0);
    struct tn_rec_process *p = TN_ADD(&m->s, process);
    p->pid = N(4711);
    p->kind = T("compute");
    p->gpu = m->s.gpu.v[0].bus;
    expect_problem(m, "mig-misconfigured", "exclusive");
    finish(m);
}

static void is_no(struct machine *m, const char *cause)
{
    judge(m, NULL);
    if (found(m, cause))
        fail_msg("%s is found", cause);
}

/* What looks like nvidia_uvm, and is another cause's. */
static void not_uvm(void **state)
{
    static const struct {
        const char *start, *nvml;
        int wsl, loaded;
    } cases[] = {{"CUDA_ERROR_UNKNOWN", "NVML_ERROR_UNKNOWN", 0, 1}, /* all is forbidden: a lost device rule */
                 {"CUDA_ERROR_UNKNOWN", "NVML_ERROR_DRIVER_NOT_LOADED", 0, 0},
                 {"CUDA_ERROR_NO_DEVICE", "NVML_SUCCESS", 0, 1},
                 {"CUDA_ERROR_SYSTEM_NOT_READY", "NVML_SUCCESS", 0, 1},
                 {"CUDA_ERROR_UNKNOWN", "NVML_SUCCESS", 2, 1}, /* WSL has no such module */
                 {"CUDA_SUCCESS", "NVML_SUCCESS", 0, 1}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_asked(m);
        TN_THE(&m->s, host)->wsl = N(cases[i].wsl);
        TN_THE(&m->s, driver)->cuda_start = T(cases[i].start);
        TN_THE(&m->s, driver)->nvml = T(cases[i].nvml);
        TN_THE(&m->s, driver)->loaded = N(cases[i].loaded);
        is_no(m, "uvm-unavailable");
        finish(m);
    }
    start_asked(m); /* a container that has the node */
    TN_THE(&m->s, container)->kind = T("docker");
    TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    add_node(m, "/dev/nvidiactl", 0666, true, NULL);
    add_node(m, "/dev/nvidia0", 0666, true, NULL);
    add_node(m, "/dev/nvidia-uvm", 0666, true, NULL);
    is_no(m, "uvm-unavailable");
    m->s.node.n = 0; /* and one that was given no GPU at all */
    is_no(m, "uvm-unavailable");
    finish(m);
}

/* A fabric that is none, or that is there. */
static void not_fabric(void **state)
{
    static const char *const cases[][3] = {{"in_progress", "CUDA_SUCCESS", "running"},
                                           {"not_started", "CUDA_SUCCESS", "stopped"},
                                           {"not_supported", "CUDA_ERROR_NO_DEVICE", "stopped"},
                                           {"completed", "CUDA_ERROR_UNKNOWN", "stopped"},
                                           {"completed", "CUDA_SUCCESS", "failed"}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_asked(m);
        m->s.gpu.v[0].fabric = T(cases[i][0]);
        TN_THE(&m->s, driver)->cuda_start = T(cases[i][1]);
        TN_THE(&m->s, host)->nvswitches = N(6);
        struct tn_rec_service *v = TN_ADD(&m->s, service);
        v->name = T("nvidia-fabricmanager");
        v->state = T(cases[i][2]);
        is_no(m, "fabric-manager-down");
        finish(m);
    }
}

/* Modes that keep nobody out. */
static void not_modes(void **state)
{
    static const char *const kinds[] = {"graphics", "mps", NULL};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; kinds[i]; i++) {
        start_asked(m);
        m->s.gpu.v[0].compute_mode = T("exclusive_process");
        struct tn_rec_process *p = TN_ADD(&m->s, process);
        p->pid = N(4711);
        p->kind = T(kinds[i]);
        p->gpu = m->s.gpu.v[0].bus;
        is_no(m, "mig-misconfigured");
        p->kind = T("compute");
        p->gpu = T("0000:02:00.0"); /* on another card */
        is_no(m, "mig-misconfigured");
        p->gpu = m->s.gpu.v[0].bus;
        m->s.gpu.v[0].compute_mode = T("default");
        is_no(m, "mig-misconfigured");
        finish(m);
    }
    start_asked(m); /* nobody has counted the MIG devices, or CUDA shows the card all the same */
    m->s.gpu.v[0].mig = N(1);
    is_no(m, "mig-misconfigured");
    m->s.gpu.v[0].mig_devices = N(0);
    is_no(m, "mig-misconfigured");
    finish(m);
}

static void faults(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    m->s.gpu.v[0].nvml = T("NVML_ERROR_GPU_IS_LOST");
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_NO_DEVICE");
    expect_problem(m, "gpu-hardware-fault", "lost");
    assert_string_equal(found(m, "unknown")->behind, "gpu-hardware-fault");
    finish(m);
    start_asked(m);
    m->s.gpu.v[0].rows_pending = N(1);
    expect_ok(m, 1);
    m->s.gpu.v[0].rows_failed = N(1);
    expect_problem(m, "gpu-hardware-fault", "replace");
    finish(m);
    start_asked(m);
    m->s.gpu.v[0].rows_pending = m->s.gpu.v[0].rows_failed = m->s.gpu.v[0].ecc_errors = N(0);
    expect_ok(m, 0);
    TN_THE(&m->s, driver)->cuda_start = T("late"); /* nobody can tell, and it is said */
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    assert_string_equal(m->out.v[0].cause, "gpu-hardware-fault");
    TN_THE(&m->s, driver)->cuda_start = T("died");
    expect_problem(m, "unknown", "died");
    finish(m);
}

/* No time was left to ask, or root does not load the file: nobody says that all is well. Never asked: the files count.
 */
static void no_answer(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_rec_driver *d;
    (void)state;
    start_asked(m);
    d = TN_THE(&m->s, driver);
    d->nvml = d->cuda_start = tn_fact_nostr(0, TN_FAILED);
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    d->cuda_start = T("CUDA_SUCCESS");
    expect_ok(m, 0);
    d->nvml = d->cuda_start = tn_fact_nostr(0, TN_DENIED);
    TN_THE(&m->s, host)->root = N(1);
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    assert_string_equal(found(m, "unknown")->variant, "untrusted");
    d->nvml = d->cuda_start = tn_fact_nostr(0, TN_UNASKED);
    expect_ok(m, 0);
    TN_THE(&m->s, host)->late = N(1); /* whatever was not asked any more */
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    finish(m);
}

static void add_event(struct machine *m, const char *kind, int code)
{
    struct tn_rec_event *e = TN_ADD(&m->s, event);
    e->kind = T(kind);
    e->code = code < 0 ? tn_fact_noint(0, TN_ABSENT) : N(code);
    e->gpu = m->s.gpu.v[0].bus;
    e->text = T("NVRM: Xid");
}

/* --expect 2: both are on the bus, one does not answer. */
static void silent_slot(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    struct tn_rec_gpu *g = &m->s.gpu.v[1];
    g->bus = T("0000:41:00.0");
    g->nvml = tn_fact_nostr(0, TN_ABSENT);
    judge(m, "2");
    const struct tn_finding *f = found(m, "no-nvidia-gpu");
    assert_non_null(f);
    assert_string_equal(f->variant, "silent");
    expect_sentence(f, TN_EN, "0000:41:00.0");
    judge(m, "1");
    assert_null(found(m, "no-nvidia-gpu"));
    g->nvml = T("NVML_SUCCESS");
    judge(m, "2");
    assert_null(found(m, "no-nvidia-gpu"));
    finish(m);
}

static void kernel_log(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    add_event(m, "xid", 13); /* a program's own fault */
    add_event(m, "oom", -1);
    expect_ok(m, 0);
    add_event(m, "xid", 48);
    expect_ok(m, 1);
    expect_sentence(found(m, "gpu-hardware-fault"), TN_EN, "Xid 48");
    m->s.event.n = 0;
    add_event(m, "xid", 44); /* the driver's, to be watched: from the second time on */
    expect_ok(m, 0);
    add_event(m, "xid", 44);
    expect_ok(m, 1);
    expect_sentence(found(m, "driver-bug"), TN_EN, "Xid 44");
    assert_int_equal(count(m, "driver-bug"), 1);
    m->s.event.n = 0;
    add_event(m, "xid", 79); /* it answers again */
    expect_ok(m, 0);
    m->s.gpu.v[0].nvml = (struct tn_str){0};
    TN_THE(&m->s, driver)->nvml = TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    expect_problem(m, "gpu-hardware-fault", "lost");
    m->s.gpu.v[0].nvml = T("NVML_ERROR_GPU_IS_LOST"); /* once, not twice */
    expect_problem(m, "gpu-hardware-fault", "lost");
    assert_int_equal(count(m, "gpu-hardware-fault"), 1);
    finish(m);
}

/* Words of the driver itself outweigh files that look alike; what became of a library is told. */
static void answers(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    TN_THE(&m->s, driver)->nvml = T("NVML_ERROR_LIB_RM_VERSION_MISMATCH");
    TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    expect_sentence(expect_problem(m, "driver-library-mismatch", "answer"), TN_EN, "libnvidia-ml");
    TN_THE(&m->s, driver)->nvml = T("NVML_SUCCESS");
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    expect_sentence(expect_problem(m, "driver-library-mismatch", "answer"), TN_ZH, "libcuda");
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_SUCCESS");
    TN_THE(&m->s, driver)->nvml = T("unloadable"); /* CUDA works: a warning */
    expect_ok(m, 1);
    TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    expect_problem(m, "unknown", "unloadable");
    TN_THE(&m->s, driver)->nvml = T("NVML_ERROR_MEMORY");
    expect_problem(m, "unknown", "nvml");
    finish(m);
}

static void empty_library(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", NULL, NULL);
    l->kind = T("empty");
    l->path = T("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    TN_THE(&m->s, driver)->library_path = l->path;
    TN_THE(&m->s, driver)->library_version = tn_fact_nostr(0, TN_FAILED);
    expect_problem(m, "driver-missing", "empty");
    finish(m);
}

static void control_group(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    add_node(m, "/dev/nvidiactl", 0666, true, NULL);
    TN_THE(&m->s, driver)->nvml = T("NVML_ERROR_UNKNOWN");
    TN_THE(&m->s, driver)->cuda_start = (struct tn_str){0};
    expect_problem(m, "unknown", "nvml"); /* not known why */
    TN_THE(&m->s, driver)->opens = T("EPERM");
    expect_problem(m, "device-permission", "cgroup");
    TN_THE(&m->s, container)->kind = T("docker");
    expect_problem(m, "container-lost-gpu", NULL);
    TN_THE(&m->s, driver)->opens = T("ok");
    judge(m, NULL);
    assert_null(found(m, "container-lost-gpu"));
    finish(m);
}

static void add_card(struct machine *m, const char *bus)
{
    struct tn_rec_gpu *g = TN_ADD(&m->s, gpu);
    *g = m->s.gpu.v[0];
    g->bus = T(bus);
    g->index = N(m->s.gpu.n - 1);
}

/* Of several cards the bad one is named. */
static void cards(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    add_card(m, "0000:41:00.0");
    add_card(m, "0000:81:00.0");
    TN_THE(&m->s, driver)->cuda_devices = N(3);
    expect_ok(m, 0);
    m->s.gpu.v[1].nvml = T("NVML_ERROR_GPU_IS_LOST");
    expect_sentence(expect_problem(m, "gpu-hardware-fault", "lost"), TN_EN, "0000:41:00.0");
    m->s.gpu.v[1].nvml = T("NVML_ERROR_IRQ_ISSUE");
    expect_sentence(expect_problem(m, "gpu-hardware-fault", "refused"), TN_EN, "0000:41:00.0");
    m->s.gpu.v[1].nvml = T("NVML_ERROR_NO_PERMISSION"); /* for others */
    expect_ok(m, 0);
    m->s.gpu.v[1].nvml = tn_fact_nostr(0, TN_ABSENT);
    m->s.gpu.v[1].bound = T("vfio-pci"); /* for a virtual machine */
    expect_ok(m, 0);
    m->s.gpu.v[1].bound = T("nvidia");
    expect_sentence(expect_problem(m, "gpu-hardware-fault", "unserved"), TN_ZH, "0000:41:00.0");
    TN_THE(&m->s, container)->kind = T("docker"); /* the host's */
    judge(m, NULL);
    assert_null(found(m, "gpu-hardware-fault"));
    finish(m);
}

/* An answer that nothing explains is never "all well". */
static void unexplained(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m);
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_NO_DEVICE");
    expect_sentence(expect_problem(m, "unknown", "start"), TN_EN, "CUDA_ERROR_NO_DEVICE");
    finish(m);
}

/* The card as NVML tells it: a process of somebody's with so many GiB, and what is free. */
static struct tn_rec_process *work(struct machine *m, size_t card, int gib, int free_gib)
{
    struct tn_rec_gpu *g = &m->s.gpu.v[card];
    struct tn_rec_process *p = TN_ADD(&m->s, process);
    m->s.process.listed = TN_KNOWN;
    g->free_bytes = N((int64_t)free_gib << 30);
    p->pid = N(4711);
    p->gpu = g->bus;
    p->kind = T("compute");
    p->memory_bytes = N((int64_t)gib << 30);
    p->uid = N(1002);
    p->user = T("bob");
    p->own = N(0);
    p->name = T("python3");
    return p;
}

static void busy(void **state)
{
    static const char *const bus = "0000:41:00.0";
    struct machine mm, *m = &mm;
    (void)state;
    start_asked(m); /* at work, and more than half is free */
    work(m, 0, 11, 12);
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    finish(m);
    start_asked(m); /* full: a note, no alarm */
    work(m, 0, 22, 2);
    expect_ok(m, 0);
    const struct tn_finding *f = found(m, "gpu-busy");
    assert_non_null(f);
    assert_true(f->severity == TN_NOTE && f->variant == NULL && f->n_remedy == 0);
    finish(m);
    start_asked(m); /* the same with a second card that is free */
    work(m, 0, 22, 2);
    add_gpu(m, "NVIDIA GeForce RTX 3090", "8.6");
    m->s.gpu.v[1].bus = T(bus);
    m->s.gpu.v[1].uuid = T("GPU-bbbb");
    m->s.gpu.v[1].nvml = T("NVML_SUCCESS");
    m->s.gpu.v[1].free_bytes = N(24ll << 30);
    m->s.gpu.v[1].cuda_index = N(1);
    TN_THE(&m->s, driver)->cuda_devices = N(2);
    expect_ok(m, 0);
    f = found(m, "gpu-busy");
    assert_true(f && f->n_remedy == 1 && strcmp(f->remedy[0].id, "use-other-gpu") == 0);
    assert_string_equal(f->remedy[0].arg[2].value, "GPU-bbbb");
    finish(m);
    start_asked(m); /* the second is as full */
    add_gpu(m, "NVIDIA GeForce RTX 3090", "8.6");
    m->s.gpu.v[1].bus = T(bus);
    m->s.gpu.v[1].nvml = T("NVML_SUCCESS");
    m->s.gpu.v[1].cuda_index = N(1);
    TN_THE(&m->s, driver)->cuda_devices = N(2);
    work(m, 1, 23, 1);
    work(m, 0, 22, 2);
    expect_ok(m, 0);
    assert_int_equal(found(m, "gpu-busy")->n_remedy, 0);
    finish(m);
    start_asked(m); /* one's own, a job's, and one that cannot be seen */
    work(m, 0, 22, 2)->own = N(1);
    expect_ok(m, 0);
    assert_string_equal(found(m, "gpu-busy")->variant, "own");
    finish(m);
    start_asked(m); /* kernels of two notebooks are told by their folders, and what both hold is one sum */
    work(m, 0, 12, 2)->own = N(1);
    work(m, 0, 10, 2)->own = N(1);
    for (unsigned i = 0; i < 2; i++) {
        m->s.process.v[i].cwd = T(i ? "/home/u/thesis" : "/home/u/week3");
        m->s.process.v[i].program = T("/usr/bin/python3.10");
        m->s.process.v[i].notebook = N(1);
    }
    expect_ok(m, 0);
    expect_sentence(found(m, "gpu-busy"), TN_EN,
                    "notebook kernels of your own hold 22.0 GiB, 2.0 GiB are free: /home/u/week3 (4711, "
                    "/usr/bin/python3.10, 12.0 GiB); /home/u/thesis (4711, /usr/bin/python3.10, 10.0 GiB)");
    expect_sentence(found(m, "gpu-busy"), TN_ZH, "notebook 内核");
    assert_string_equal(found(m, "gpu-busy")->remedy[0].id, "shut-down-kernels");
    finish(m);
    start_asked(m); /* one of them is no notebook */
    work(m, 0, 22, 2)->own = N(1);
    m->s.process.v[0].cwd = T("/home/u/week3");
    m->s.process.v[0].notebook = N(0);
    expect_ok(m, 0);
    expect_sentence(found(m, "gpu-busy"), TN_EN, "programs of your own hold 22.0 GiB");
    assert_int_equal(found(m, "gpu-busy")->n_remedy, 0);
    finish(m);
    start_asked(m);
    work(m, 0, 22, 2)->job = T("4711");
    expect_ok(m, 0);
    assert_string_equal(found(m, "gpu-busy")->variant, "job");
    finish(m);
    start_asked(m);
    struct tn_rec_process *p = work(m, 0, 22, 2);
    p->uid = p->own = tn_fact_noint(0, TN_DENIED);
    p->user = p->name = tn_fact_nostr(0, TN_DENIED);
    expect_ok(m, 0);
    assert_string_equal(found(m, "gpu-busy")->variant, "hidden");
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well),       cmocka_unit_test(busy),          cmocka_unit_test(permission),
        cmocka_unit_test(uvm),        cmocka_unit_test(not_uvm),       cmocka_unit_test(not_fabric),
        cmocka_unit_test(not_modes),  cmocka_unit_test(no_device),     cmocka_unit_test(fabric),
        cmocka_unit_test(switches),   cmocka_unit_test(compat),        cmocka_unit_test(hidden),
        cmocka_unit_test(modes),      cmocka_unit_test(faults),        cmocka_unit_test(no_answer),
        cmocka_unit_test(answers),    cmocka_unit_test(control_group), cmocka_unit_test(empty_library),
        cmocka_unit_test(cards),      cmocka_unit_test(kernel_log),    cmocka_unit_test(silent_slot),
        cmocka_unit_test(unexplained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
