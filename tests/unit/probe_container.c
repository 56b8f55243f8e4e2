/* The probes of containers: kinds by their signs, device rules of the control group. */
#include "probe/device_rules.h"
#include "probe_world.h"

static struct tn_span span(const char *text)
{
    return tn_span_of(text, strlen(text));
}

static void rules(void **state)
{
    static const struct {
        const char *list;
        bool nvidiactl;
    } cases[] = {{"a *:* rwm\n", true},
                 {"c 195:* rw\n", true},
                 {"c 195:255 rwm\n", true},
                 {"c *:* m\nc 195:255 rw", true},
                 {"c 195:255 r\n", false},
                 {"c *:* m\nc 1:3 rwm\n", false},
                 {"b 195:255 rwm\n", false},
                 {"c 195:0 rw\nc 19:255 rw\n", false},
                 {"", false},
                 {"\n\n", false},
                 {"c 195:255", false},
                 {"c 195 rw\n", false},
                 {"c 4294967491:255 rw\n", false}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++)
        assert_int_equal(tn_device_rules_allow(span(cases[i].list), 195, 255), cases[i].nvidiactl);
}

#define V1 "25 20 0:22 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
#define RULES "c 1:3 rwm\nc 195:0 rw\n"

static void check_place(const char *group, const char *mounts, const char *file, bool known)
{
    struct machine m;
    open_machine(&m, "linux");
    put_linux(&m, "5.15.0-91-generic");
    put_node(&m, "/dev/nvidia0", 0666, 0, 195, 0);
    put_node(&m, "/dev/nvidiactl", 0666, 0, 195, 255);
    put(&m, "/proc/self/cgroup", group);
    put(&m, "/proc/self/mountinfo", mounts);
    if (file)
        put(&m, file, RULES);
    run_probes(&m);
    assert_int_equal(m.s.node.n, 2);
    if (known) {
        assert_number(m.s.node.v[0].allowed, 1);
        assert_number(m.s.node.v[1].allowed, 0);
    } else {
        assert_int_equal(m.s.node.v[0].allowed.k, TN_ABSENT);
    }
    close_machine(&m);
}

static void places(void **state)
{
    (void)state;
    /* As docker mounts them; in a control group namespace; the whole hierarchy, as on a host. */
    check_place("5:devices:/docker/ab\n0::/docker/ab\n",
                V1 "26 20 0:23 /docker/ab /sys/fs/cgroup/devices ro - cgroup cgroup rw,devices\n",
                "/sys/fs/cgroup/devices/devices.list", true);
    check_place("5:devices:/\n", V1 "26 20 0:23 / /sys/fs/cgroup/devices ro - cgroup cgroup rw,devices\n",
                "/sys/fs/cgroup/devices/devices.list", true);
    check_place("5:cpu,devices:/a/b\n", "26 20 0:23 / /cg rw - cgroup cgroup rw,cpu,devices\n", "/cg/a/b/devices.list",
                true);
    /* Another container's folder, no such mount, no such file, version 2, something else. */
    check_place("5:devices:/docker/abc\n", "26 20 0:23 /docker/ab /cg ro - cgroup cgroup rw,devices\n",
                "/cg/c/devices.list", false);
    check_place("5:devices:/docker/ab\n", V1, "/sys/fs/cgroup/devices/devices.list", false);
    check_place("5:devices:/\n", "26 20 0:23 / /cg ro - cgroup cgroup rw,devices\n", NULL, false);
    check_place("0::/\n", "26 20 0:23 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "/sys/fs/cgroup/devices.list", false);
    check_place("devices\n5:devices\n5:devices:x\n", "- cgroup \n - cgroup  devices\n", NULL, false);
}

static void expect_kind(const char *path, const char *text, const char *kind)
{
    struct machine m;
    open_machine(&m, "linux");
    put_linux(&m, "5.15.0-91-generic");
    put(&m, path, text);
    run_probes(&m);
    if (kind)
        assert_fact(TN_THE(&m.s, container)->kind, kind);
    else
        assert_int_equal(TN_THE(&m.s, container)->kind.k, TN_ABSENT);
    close_machine(&m);
}

static void kinds(void **state)
{
    (void)state;
    expect_kind("/proc/self/mountinfo", "9 1 8:1 /home/ada/.local/share/enroot/ubuntu / rw - ext4 /dev/sda1 rw\n",
                "enroot");
    expect_kind("/proc/self/mountinfo",
                "9 1 8:1 / / rw - ext4 /dev/sda1 rw\n10 9 8:1 /x/enroot/u /mnt rw - ext4 d rw\n", NULL);
    expect_kind("/proc/1/cgroup", "5:devices:/lxc.payload.101/init.scope\n", "lxc");
}

static void demands(void **state)
{
    static const struct {
        const char *value;
        int off;
    } cases[] = {{"1", 1}, {"true", 1}, {"T", 1}, {"yes", 0}, {"false", 0}, {"", 0}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "5.15.0-91-generic");
        put(&m, "/.dockerenv", "");
        put_note(&m, TN_Q_ENV, "NVIDIA_REQUIRE_DRIVER", "driver>=570");
        put_note(&m, TN_Q_ENV, "NVIDIA_DISABLE_REQUIRE", cases[i].value);
        if (i < 2)
            put_note(&m, TN_Q_ENV, "NVIDIA_REQUIRE_CUDA", i ? "" : "cuda>=9.0");
        put_note(&m, TN_Q_ENV, "CUDA_VERSION", "12.4.1");
        run_probes(&m);
        assert_int_equal(TN_THE(&m.s, container)->legacy_cuda.k, i ? TN_KNOWN : TN_UNASKED);
        assert_fact(TN_THE(&m.s, container)->requires_driver, "driver>=570");
        assert_int_equal(TN_THE(&m.s, container)->requires_arch.k, TN_ABSENT);
        assert_number(TN_THE(&m.s, container)->requires_off, cases[i].off);
        close_machine(&m);
    }
}

static void host_of(struct machine *m)
{
    open_machine(m, "linux");
    put_linux(m, "6.1.0-37-amd64");
    put_dir(m, "/usr/bin");
    put(m, "/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.309.01  Wed Mar 25\n");
}

static void specifications(void **state)
{
    struct machine m;
    (void)state;
    host_of(&m);
    /* As nvidia-ctk cdi generate writes them; the folder that is cleared on boot comes first. */
    put(&m, "/etc/cdi/nvidia.yaml",
        "---\ncdiVersion: 0.5.0\nkind: nvidia.com/gpu\ncontainerEdits:\n  mounts:\n"
        "  - hostPath: /usr/lib64/libcuda.so.525.147.05\n    containerPath: /usr/lib64/libcuda.so.525.147.05\n");
    put(&m, "/etc/cdi/intel.yaml", "kind: intel.com/gpu\n");
    put(&m, "/var/run/cdi/nvidia.json",
        "{\"kind\": \"nvidia.com/gpu\", \"x\": [\"/l/libcuda.so.1\", \"/l/libnvidia-ml.so.535.309.01\"]}");
    put(&m, "/var/run/cdi/nvidia-empty.yaml", "");
    run_probes(&m);
    assert_int_equal(m.s.cdi.listed, TN_KNOWN);
    assert_int_equal(m.s.cdi.n, 3);
    assert_int_equal(m.s.cdi.v[0].kind.k, TN_ABSENT);
    assert_fact(m.s.cdi.v[1].kind, "nvidia.com/gpu");
    assert_fact(m.s.cdi.v[1].driver, "535.309.01");
    assert_fact(m.s.cdi.v[2].path, "/etc/cdi/nvidia.yaml");
    assert_fact(m.s.cdi.v[2].driver, "525.147.05");
    close_machine(&m);
}

static void engines(void **state)
{
    struct machine m;
    (void)state;
    host_of(&m);
    put(&m, "/usr/bin/docker", "x");
    put(&m, "/etc/docker/daemon.json",
        "{\"default-runtime\": \"nvidia\", \"runtimes\": {\"nvidia\": {\"args\": [], \"path\": "
        "\"nvidia-container-runtime\"}}}");
    put(&m, "/usr/bin/containerd", "x");
    put(&m, "/etc/containerd/config.toml",
        "version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".containerd]\ndefault_runtime_name = \"runc\"\n"
        "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia]\nruntime_type = \"io.containerd.runc.v2\"\n"
        "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia.options]\nBinaryName = \"/usr/bin/n\"\n");
    put(&m, "/usr/bin/nvidia-ctk", "x");
    put(&m, "/etc/nvidia-container-runtime/config.toml",
        "disable-require = false\n[nvidia-container-cli]\nno-cgroups = true\n[nvidia-container-runtime]\nmode = "
        "\"auto\"\n");
    run_probes(&m);
    assert_int_equal(m.s.engine.listed, TN_KNOWN);
    assert_int_equal(m.s.engine.n, 3);
    const struct tn_rec_engine *e = m.s.engine.v;
    assert_fact(e[0].name, "docker");
    assert_fact(e[0].default_runtime, "nvidia");
    assert_true(tn_list_has(e[0].runtimes, "nvidia"));
    assert_fact(e[1].name, "containerd");
    assert_fact(e[1].default_runtime, "runc");
    assert_true(tn_list_has(e[1].runtimes, "nvidia"));
    assert_int_equal(e[1].runtimes.n, 1);
    assert_fact(e[2].mode, "auto");
    assert_number(e[2].no_cgroups, 1);
    close_machine(&m);
    host_of(&m);
    put(&m, "/usr/bin/docker", "x");
    put(&m, "/etc/docker/daemon.json", "{ // no JSON\n");
    run_probes(&m);
    assert_int_equal(m.s.engine.v[0].runtimes.k, TN_FAILED);
    close_machine(&m);
    host_of(&m); /* not what an image brings along */
    put(&m, "/.dockerenv", "");
    put(&m, "/usr/bin/docker", "x");
    put(&m, "/etc/cdi/nvidia.yaml", "kind: nvidia.com/gpu\n");
    run_probes(&m);
    assert_int_equal(m.s.engine.n + m.s.cdi.n, 0);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(specifications), cmocka_unit_test(engines),
                                       cmocka_unit_test(rules),          cmocka_unit_test(places),
                                       cmocka_unit_test(kinds),          cmocka_unit_test(demands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
