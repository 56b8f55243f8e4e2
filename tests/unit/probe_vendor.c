/* probe_vendor.c - what NVML and the CUDA driver interface said, as facts; and when they are not asked. */
#include "probe_world.h"

#include "probe/process_text.h"
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

extern const struct tn_probe tn_probe_process, tn_probe_vendor;

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void place_is(const char *text, const char *engine, const char *container, const char *scheduler,
                     const char *job)
{
    struct tn_process_place p;
    tn_process_place(tn_span_str(text), &p);
    if (engine)
        assert_string_equal(p.engine, engine);
    else
        assert_null(p.engine);
    assert_true(tn_span_eq(p.container, container));
    if (scheduler)
        assert_string_equal(p.scheduler, scheduler);
    else
        assert_null(p.scheduler);
    assert_true(tn_span_eq(p.job, job));
}

static void test_places(void **state)
{
    (void)state;
    place_is("12:devices:/docker/" HEX64 "\n", "docker", "0123456789ab", NULL, "");
    place_is("0::/system.slice/docker-" HEX64 ".scope\n", "docker", "0123456789ab", NULL, "");
    place_is("0::/machine.slice/libpod-" HEX64 ".scope/container\n", "podman", "0123456789ab", NULL, "");
    place_is("0::/machine.slice/libpod-conmon-" HEX64 ".scope\n", NULL, "", NULL, "");
    place_is("3:memory:/kubepods/burstable/pod1a2b3c4d-0000-1111-2222-333344445555/" HEX64 "\n", "kubernetes",
             "0123456789ab", NULL, "");
    place_is("0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1a2b.slice/cri-containerd-" HEX64
             ".scope\n",
             "kubernetes", "0123456789ab", NULL, "");
    place_is("0::/lxc.payload.web-1/system.slice/x.service\n", "lxc", "web-1", NULL, "");
    place_is("4:cpu:/lxc/web/init.scope\n", "lxc", "web", NULL, "");
    place_is("0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0\n", NULL, "", "slurm", "4711");
    place_is("9:devices:/slurm/uid_1001/job_12/step_batch\n1:name=systemd:/\n", NULL, "", "slurm", "12");
    place_is("2:cpuset:/pbs_jobs.service/jobid/2404743.opbs\n", NULL, "", "pbs", "2404743.opbs");
    place_is("5:freezer:/lsf/cluster1/job.815.33.1600000000\n", NULL, "", "lsf", "815");
    /* A container inside a job. */
    place_is("0::/system.slice/slurmstepd.scope/job_7/step_0/user/libpod-" HEX64 "\n", "podman", "0123456789ab",
             "slurm", "7");
    /* None of all that; names that only begin like one. */
    place_is("0::/user.slice/user-1000.slice/session-2.scope\n", NULL, "", NULL, "");
    place_is("0::/docker-notes.scope\n0::/docker-12.scope\n0::/home/job_12\n0::/slurm/job_x\nx\n::\n", NULL, "", NULL,
             "");
}

/* Two processes of two users, one of a container; the third cannot be looked at. */
static void open_busy(struct machine *m)
{
    open_machine(m, "linux");
    put_note(m, TN_Q_SYS, "uid", "1000");
    put(m, "/etc/passwd", "root:x:0:0:root:/root:/bin/bash\nbob:x:1002:1002::/home/bob:/bin/sh\nx:x:\n");
    put_link(m, "/proc/self/ns/pid", "pid:[4026531836]");
    put(m, "/proc/71/status", "Name:\tpython3\nUid:\t1002\t1002\t1002\t1002\n");
    put(m, "/proc/71/cgroup", "0::/system.slice/docker-" HEX64 ".scope\n");
    put(m, "/proc/72/status", "Name:\ttrain\nPPid:\t70\nUid:\t1000\t1000\t1000\t1000\n");
    put(m, "/proc/70/status", "Name:\tjupyter-noteboo\nUid:\t1000\t1000\t1000\t1000\n");
    put_link(m, "/proc/72/exe", "/usr/bin/python3.11");
    put_link(m, "/proc/72/cwd", "/home/ada/thesis");
    put(m, "/proc/72/cgroup", "0::/user.slice\n");
    put_denied(m, "/proc/73/status");
    put_denied(m, "/proc/73/cgroup");
    for (int pid = 71; pid <= 73; pid++)
        TN_ADD(&m->s, process)->pid = tn_fact_int(0, pid);
}

static void probe(struct machine *m, void (*run)(struct tn_probe_ctx *c))
{
    struct tn_arena tmp;
    struct tn_err err;
    struct tn_probe_ctx c = {.s = &m->s, .tmp = &tmp};
    tn_arena_init(&tmp);
    assert_int_equal(tn_world_replay(&m->r, &m->w, &err), 0);
    c.w = m->w;
    run(&c);
    tn_arena_deinit(&tmp);
}

static void test_owners(void **state)
{
    (void)state;
    struct machine m;
    open_busy(&m);
    probe(&m, tn_probe_process.run);
    const struct tn_rec_process *p = m.s.process.v;
    assert_true(tn_says(p[0].user, "bob") && tn_is(p[0].uid, 1002) && tn_is(p[0].own, 0) &&
                tn_says(p[0].name, "python3"));
    assert_true(tn_says(p[0].container, "0123456789ab") && tn_says(p[0].engine, "docker"));
    assert_true(p[0].job.k == TN_ABSENT && p[1].container.k == TN_ABSENT);
    assert_true(p[0].cwd.k == TN_UNASKED && p[0].program.k == TN_UNASKED); /* others' are their own matter */
    assert_true(tn_says(p[1].program, "/usr/bin/python3.11") && tn_says(p[1].cwd, "/home/ada/thesis") &&
                tn_is(p[1].notebook, 1));
    assert_true(tn_is(p[1].own, 1) && p[1].user.k == TN_ABSENT); /* kept elsewhere than in /etc/passwd */
    assert_true(p[2].uid.k == TN_DENIED && p[2].container.k == TN_DENIED && p[2].own.k == TN_DENIED);
    close_machine(&m);
    open_busy(&m); /* in a namespace 71 may be another process */
    put_link(&m, "/proc/self/ns/pid", "pid:[4026532999]");
    probe(&m, tn_probe_process.run);
    assert_int_equal(m.s.process.v[0].uid.k, TN_UNASKED);
    close_machine(&m);
}

/* A driver is loaded, and what asking it hangs on could not be looked at: the answer is missing, not "not asked". */
static void test_no_time(void **state)
{
    (void)state;
    struct machine m;
    open_machine(&m, "linux");
    put_note(&m, TN_Q_SYS, "release", "6.1.0");
    struct tn_rec_driver *d = TN_THE(&m.s, driver);
    d->loaded = tn_fact_int(0, 1);
    m.s.library.listed = m.s.node.listed = TN_FAILED;
    probe(&m, tn_probe_vendor.run);
    assert_int_equal(d->nvml.k, TN_FAILED);
    assert_int_equal(d->cuda_start.k, TN_FAILED);
    d->nvml = d->cuda_start = tn_fact_nostr(0, TN_UNASKED);
    tn_world_close(m.w);
    m.s.node.listed = TN_KNOWN; /* and no node is there: nobody would ask */
    probe(&m, tn_probe_vendor.run);
    assert_int_equal(d->nvml.k, TN_FAILED); /* which library it would be is not known either */
    d->nvml = d->cuda_start = tn_fact_nostr(0, TN_UNASKED);
    tn_world_close(m.w);
    m.s.library.listed = TN_KNOWN;
    probe(&m, tn_probe_vendor.run);
    assert_int_equal(d->nvml.k, TN_UNASKED);
    close_machine(&m);
}

/* A pipe in the place of /dev/nvidiactl: the library would wait at it, so nobody asks. */
static void test_a_pipe_for_a_device(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_note(&m, TN_Q_SYS, "release", "6.1.0");
        put_note(&m, TN_Q_ASK, "nvml /l/libnvidia-ml.so.1", "! nvmlInit_v2 9\nend\n");
        put_note(&m, TN_Q_ASK, "/l/libnvidia-ml.so.1 nvml", "! nvmlInit_v2 9\nend\n");
        struct tn_rec_driver *d = TN_THE(&m.s, driver);
        d->loaded = tn_fact_int(0, 1);
        m.s.library.listed = m.s.node.listed = TN_KNOWN;
        struct tn_rec_library *l = TN_ADD(&m.s, library);
        l->stem = tn_fact_str(&m.s, 0, "libnvidia-ml");
        l->path = tn_fact_str(&m.s, 0, "/l/libnvidia-ml.so.1");
        l->reachable = tn_fact_int(0, 1);
        struct tn_rec_node *n = TN_ADD(&m.s, node);
        n->path = tn_fact_str(&m.s, 0, "/dev/nvidiactl");
        n->type = tn_fact_str(&m.s, 0, i ? "p" : "c");
        probe(&m, tn_probe_vendor.run);
        assert_int_equal(d->nvml.k, i ? TN_UNASKED : TN_KNOWN);
        close_machine(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cards),   cmocka_unit_test(test_failures_by_name),
                                       cmocka_unit_test(test_peers),   cmocka_unit_test(test_nonsense),
                                       cmocka_unit_test(test_places),  cmocka_unit_test(test_owners),
                                       cmocka_unit_test(test_no_time), cmocka_unit_test(test_a_pipe_for_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
