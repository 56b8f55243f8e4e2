/* Container, batch job, variables: by their signs only. (The probes share the toy world of the Python tests.) */
#include "probe_python_toy.h"

static void kind_is(const struct toy_item *items, const char *kind)
{
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_container, NULL, &s);
    if (kind)
        toy_assert_str(TN_THE(&s, container)->kind, kind);
    else
        assert_int_equal(TN_THE(&s, container)->kind.k, TN_ABSENT);
    tn_snap_deinit(&s);
}

#define ONE(kind, name, text) ((const struct toy_item[]){{kind, name, text, 0}, {0, 0, 0, 0}})

static void test_container(void **state)
{
    (void)state;
    kind_is(ONE('v', "X", "1"), NULL);
    kind_is(ONE('z', "/.dockerenv", ""), "docker");
    kind_is(ONE('z', "/run/.containerenv", ""), "podman");
    kind_is(ONE('v', "KUBERNETES_SERVICE_HOST", "10.0.0.1"), "kubernetes");
    kind_is(ONE('v', "KUBERNETES_SERVICE_HOST", ""), NULL);
    kind_is(ONE('v', "APPTAINER_CONTAINER", "/x.sif"), "apptainer");
    kind_is(ONE('v', "container", "lxc"), "lxc");
    kind_is(ONE('v', "container", "systemd-nspawn"), "other");
    kind_is(ONE('f', "/run/systemd/container", "wsl\n"), NULL);
    kind_is(ONE('f', "/proc/1/cgroup", "0::/\n"), NULL);
    kind_is(ONE('f', "/proc/1/cgroup", "8:pids:/docker/abc\n"), "docker");
    kind_is(ONE('f', "/proc/1/cgroup", "0::/kubepods.slice/x\n"), "kubernetes");
    /* an overlay root alone: virtual machines and live systems have one */
    kind_is(ONE('f', "/proc/self/mountinfo", "1 0 0:1 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/u\n"), NULL);
    kind_is(
        ONE('f', "/proc/self/mountinfo", "1 0 0:1 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/X\n"),
        "docker");
    kind_is(((const struct toy_item[]){
                {'z', "/.dockerenv", "", 0}, {'v', "KUBERNETES_SERVICE_HOST", "10.0.0.1", 0}, {0, 0, 0, 0}}),
            "kubernetes");
}

static void test_container_gpus(void **state)
{
    (void)state;
    static const struct toy_item items[] = {{'z', "/.dockerenv", "", 0},
                                            {'v', "NVIDIA_VISIBLE_DEVICES", "all", 0},
                                            {'v', "NVIDIA_DRIVER_CAPABILITIES", "compute,utility", 0},
                                            {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_container, NULL, &s);
    toy_assert_str(TN_THE(&s, container)->gpus, "all");
    toy_assert_list(TN_THE(&s, container)->capabilities, "compute utility");
    assert_int_equal(TN_THE(&s, container)->requires.k, TN_ABSENT);
    tn_snap_deinit(&s);
    t.no_env = true; /* a sign is a sign; without one nothing is known of another root */
    t.item = ONE('v', "container", "docker");
    toy_probe(&t, &tn_probe_container, NULL, &s);
    assert_int_equal(TN_THE(&s, container)->kind.k, TN_UNASKED);
    tn_snap_deinit(&s);
    t.no_env = false;
    t.item = ONE('x', "/proc/1/cgroup", "");
    toy_probe(&t, &tn_probe_container, NULL, &s);
    assert_int_equal(TN_THE(&s, container)->kind.k, TN_DENIED);
    tn_snap_deinit(&s);
}

static void test_scheduler(void **state)
{
    (void)state;
    struct toy t = toy_make(
        ((const struct toy_item[]){{'v', "SLURM_JOB_ID", "7", 0}, {'v', "SLURM_JOB_GPUS", "0,1", 0}, {0, 0, 0, 0}}),
        false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_scheduler, NULL, &s);
    toy_assert_str(TN_THE(&s, scheduler)->kind, "slurm");
    toy_assert_str(TN_THE(&s, scheduler)->gpus, "0,1");
    tn_snap_deinit(&s);
    t.item = ONE('v', "X", "1");
    toy_probe(&t, &tn_probe_scheduler, NULL, &s);
    assert_int_equal(TN_THE(&s, scheduler)->kind.k, TN_ABSENT);
    tn_snap_deinit(&s);
    t.no_env = true;
    toy_probe(&t, &tn_probe_scheduler, NULL, &s);
    assert_int_equal(TN_THE(&s, scheduler)->kind.k, TN_UNASKED);
    tn_snap_deinit(&s);
}

static void test_variables(void **state)
{
    (void)state;
    static const struct toy_item items[] = {{'v', "TF_FORCE_GPU_ALLOW_GROWTH", "true", 0},
                                            {'v', "LD_LIBRARY_PATH", "/a:/b\xff", 0},
                                            {'v', "AWS_SECRET_ACCESS_KEY", "no", 0},
                                            {'v', "CUDA_VISIBLE_DEVICES", "", 0},
                                            {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_variable, NULL, &s);
    assert_int_equal(s.variable.listed, TN_KNOWN);
    assert_int_equal(s.variable.n, 3);
    toy_assert_str(s.variable.v[0].name, "CUDA_VISIBLE_DEVICES");
    toy_assert_str(s.variable.v[0].value, ""); /* set and empty hides every GPU */
    toy_assert_str(s.variable.v[1].value, "/a:/b\xff");
    toy_assert_str(s.variable.v[2].name, "TF_FORCE_GPU_ALLOW_GROWTH");
    tn_snap_deinit(&s);
    t.no_env = true;
    toy_probe(&t, &tn_probe_variable, NULL, &s);
    assert_int_equal(s.variable.listed, TN_UNASKED);
    assert_int_equal(s.variable.n, 0);
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_container), cmocka_unit_test(test_container_gpus),
                                       cmocka_unit_test(test_scheduler), cmocka_unit_test(test_variables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
