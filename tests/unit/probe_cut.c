/* Files of /proc and of the driver, cut at every length: what is said of the rest is what the whole file says, or not
 * said at all. And the forms of other releases of kernel and driver, and of control groups that are not there. */
#include "probe_world.h"

#include "snapshot/schema.h"

static const struct {
    const char *path, *text;
} files[] = {
    {"/proc/driver/nvidia/version",
     "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.58.02  Release Build  (dvs-builder@U16-I3-B03-4-3)  "
     "Tue Jun 25 01:26:03 UTC 2024\nGCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n"},
    {"/proc/driver/nvidia/gpus/0000:01:00.0/information",
     "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 10\nGPU UUID: \t GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b\n"
     "Video BIOS: \t 92.00.45.00.03\nBus Type: \t PCIe\nDMA Size: \t 47 bits\nDevice Minor: \t 12\n"
     "GPU Firmware: \t 555.58.02\nGPU Excluded:\t No\n"},
    {"/proc/meminfo", "MemTotal:       65536000 kB\nMemFree:        12345678 kB\n"},
    {"/proc/self/status", "Name:\ttenon\nGid:\t1000\t1000\t1000\t1000\nGroups:\t27 44 1000 \nNoNewPrivs:\t0\n"},
    {"/proc/self/cgroup", "12:pids:/user.slice\n5:devices:/docker/abcdef\n0::/docker/abcdef\n"},
    {"/proc/1/cgroup", "12:pids:/\n5:devices:/docker/abcdef\n0::/docker/abcdef\n"},
    {"/proc/self/mountinfo", "20 1 0:25 / / rw - ext4 /dev/sda1 rw\n"
                             "26 20 0:23 /docker/abcdef /sys/fs/cgroup/devices ro - cgroup cgroup rw,devices\n"},
    {"/sys/fs/cgroup/devices/devices.list", "c 1:3 rwm\nc 195:255 rw\nc 195:12 rw\n"},
    {"/proc/uptime", "1000.25 3000.50\n"},
    {"/proc/modules", "nvidia_uvm 1736704 0 - Live 0x0000000000000000\nnvidia 56823808 2 nvidia_uvm, Live 0x0\n"},
    {"/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet modprobe.blacklist=nouveau nvidia-drm.modeset=1\n"},
    {"/proc/driver/nvidia/params", "ResmanDebugLevel: 4294967295\nPreserveVideoMemoryAllocations: 1\n"}};

static const char *uptime; /* in place of the one above */

static void compose(struct machine *m, size_t cut_file, size_t cut)
{
    open_machine(m, "linux");
    put_linux(m, "6.8.0-45-generic");
    put(m, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    put(m, "/sys/bus/pci/devices/0000:01:00.0/device", "0x20b0\n");
    put(m, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
    put_link(m, "/sys/bus/pci/devices/0000:01:00.0/driver", "../../../../bus/pci/drivers/nvidia");
    put_node(m, "/dev/nvidiactl", 0660, 44, 195, 255);
    put_node(m, "/dev/nvidia12", 0660, 45, 195, 12);
    put_note(m, TN_Q_SYS, "log", "[  900.500000] NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.\n");
    for (size_t i = 0; i < TN_LEN(files); i++) {
        const char *text = uptime && strcmp(files[i].path, "/proc/uptime") == 0 ? uptime : files[i].text;
        put_bytes(m, files[i].path, text, i == cut_file ? cut : strlen(text));
    }
}

/* What a cut file may not say otherwise. A list that is cut is shorter; a sign that is cut off is not seen. */
static void same_or_nothing(const struct machine *a, const struct machine *whole, const char *path, size_t cut)
{
#define TEXT(f)                                                                                                        \
    if (tn_known(TN_CAT(f, a)) && !(tn_known(TN_CAT(f, whole)) && tn_says(TN_CAT(f, whole), TN_CAT(f, a).v)))          \
    fail_msg("%s cut at %u: " #f " is %s", path, (unsigned)cut, TN_CAT(f, a).v)
#define NUMBER(f)                                                                                                      \
    if (TN_CAT(f, a).k == TN_KNOWN && !tn_is(TN_CAT(f, whole), TN_CAT(f, a).v))                                        \
    fail_msg("%s cut at %u: " #f " is %lld", path, (unsigned)cut, (long long)TN_CAT(f, a).v)
#define TN_CAT(f, m) f(m)
#define driver_version(m) TN_THE(&(m)->s, driver)->version
#define driver_flavour(m) TN_THE(&(m)->s, driver)->flavour
#define driver_cuda(m) TN_THE(&(m)->s, driver)->cuda
#define driver_preserves(m) TN_THE(&(m)->s, driver)->preserves
#define driver_loaded(m) TN_THE(&(m)->s, driver)->loaded
#define gpu_uuid(m) (m)->s.gpu.v[0].uuid
#define gpu_name(m) (m)->s.gpu.v[0].name
#define gpu_minor(m) (m)->s.gpu.v[0].minor
#define gpu_firmware(m) (m)->s.gpu.v[0].firmware
#define memory_bytes(m) TN_THE(&(m)->s, cpu)->memory_bytes
#define container_kind(m) TN_THE(&(m)->s, container)->kind
#define host_modules(m) TN_THE(&(m)->s, host)->modules
#define event_age(m) (m)->s.event.v[0].age_s
    TEXT(driver_version);
    TEXT(driver_flavour);
    TEXT(driver_cuda);
    NUMBER(driver_preserves);
    NUMBER(driver_loaded);
    TEXT(gpu_uuid);
    if (!tn_says(gpu_name(a), "A100 SXM4 40GB")) /* of the table */
        TEXT(gpu_name);
    NUMBER(gpu_minor);
    TEXT(gpu_firmware);
    NUMBER(memory_bytes);
    TEXT(container_kind);
    NUMBER(host_modules);
    NUMBER(event_age);
}

static void cut_at_every_length(void **state)
{
    struct machine whole;
    (void)state;
    compose(&whole, TN_LEN(files), 0);
    run_probes(&whole);
    assert_fact(TN_THE(&whole.s, driver)->version, "555.58.02");
    assert_fact(whole.s.gpu.v[0].uuid, "GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b");
    assert_fact(whole.s.gpu.v[0].firmware, "555.58.02");
    assert_number(TN_THE(&whole.s, cpu)->memory_bytes, 65536000ll * 1024);
    assert_fact(TN_THE(&whole.s, container)->kind, "docker");
    assert_number(whole.s.event.v[0].age_s, 99);
    assert_int_equal(whole.s.node.n, 2);
    assert_number(whole.s.node.v[0].allowed, 1);
    for (size_t i = 0; i < TN_LEN(files); i++)
        for (size_t cut = 0; cut < strlen(files[i].text); cut++) {
            struct machine m;
            compose(&m, i, cut);
            run_probes(&m);
            assert_int_equal(m.s.gpu.n, 1);
            assert_int_equal(m.s.node.n, 2);
            assert_int_equal(m.s.event.n, 1);
            same_or_nothing(&m, &whole, files[i].path, cut);
            close_machine(&m);
        }
    close_machine(&whole);
}

/* No control groups at all, files of them that are denied, empty, of version 2 alone or of both: a node stays what its
 * mode says, and no rule is made up. */
static void control_groups(void **state)
{
    static const struct {
        const char *group, *mounts;
    } cases[] = {{NULL, NULL},
                 {"", ""},
                 {"0::/\n", NULL},
                 {NULL, "20 1 0:25 / / rw - ext4 /dev/sda1 rw\n"},
                 {"0::/system.slice/docker-ab.scope\n", "26 20 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
                 {"4:devices:/docker/ab\n0::/docker/ab\n", "26 20 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
                 {"4:devices:/docker/ab\n", "26 20 0:23 / /sys/fs/cgroup/devices ro - cgroup cgroup rw,devices\n"},
                 {"4:devices:/../..\n", "26 20 0:23 /.. /sys/fs/cgroup/devices ro - cgroup cgroup rw,devices\n"},
                 {"4:devices", "\xff\xfe - cgroup \n"}};
    (void)state;
    for (size_t i = 0; i < 2 * TN_LEN(cases); i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "6.8.0-45-generic");
        put_node(&m, "/dev/nvidiactl", 0666, 0, 195, 255);
        if (cases[i / 2].group)
            put(&m, "/proc/self/cgroup", cases[i / 2].group);
        else if (i % 2)
            put_denied(&m, "/proc/self/cgroup");
        if (cases[i / 2].mounts)
            put(&m, "/proc/self/mountinfo", cases[i / 2].mounts);
        else if (i % 2)
            put_denied(&m, "/proc/self/mountinfo");
        run_probes(&m);
        assert_int_equal(m.s.node.n, 1);
        assert_number(m.s.node.v[0].accessible, 1);
        assert_int_not_equal(m.s.node.v[0].allowed.k, TN_KNOWN);
        if (cases[i / 2].group == NULL && i % 2)
            assert_int_equal(m.s.node.v[0].allowed.k, TN_DENIED);
        close_machine(&m);
    }
}

/* What stands in /dev in a node's place is told, not opened and not taken for a node. */
static void odd_nodes(void **state)
{
    static const char types[] = {'p', 's', 'b', 'f', 'l'};
    (void)state;
    for (size_t i = 0; i < sizeof types; i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "6.8.0-45-generic");
        put_node(&m, "/dev/nvidiactl", 0666, 0, 195, 255);
        struct tn_node *f = tn_tree_make(&m.r.files, "/dev/nvidiactl");
        f->type = f->st.type = types[i];
        f->error = TN_FAILED; /* whoever reads it fails */
        f->note = "it was opened";
        if (types[i] == 'l')
            f->link = "/dev/nvidiactl";
        run_probes(&m);
        assert_int_equal(m.s.node.n, 1);
        assert_true(!tn_says(m.s.node.v[0].type, "c"));
        assert_int_not_equal(m.s.node.v[0].major.k, TN_KNOWN);
        assert_int_not_equal(m.s.node.v[0].allowed.k, TN_KNOWN);
        close_machine(&m);
    }
}

/* The wall clock goes back, or was never set: ages come from the kernel's own clock. A time after the end of the log's
 * own clock is none. */
static void clocks(void **state)
{
    static const char *const wall[] = {"1700001000", "0", "-5", "99999999999999999999", "x", ""};
    (void)state;
    for (size_t i = 0; i < TN_LEN(wall); i++) {
        struct machine m;
        compose(&m, TN_LEN(files), 0);
        put_note(&m, TN_Q_SYS, "clock", wall[i]);
        run_probes(&m);
        assert_number(m.s.event.v[0].age_s, 99);
        close_machine(&m);
    }
    static const char *const up[] = {"5.00 1.00\n", "-3 2\n", "nan inf\n", "x\n", ""};
    for (size_t i = 0; i < TN_LEN(up); i++) {
        struct machine m;
        uptime = up[i];
        compose(&m, TN_LEN(files), 0);
        uptime = NULL;
        run_probes(&m);
        assert_int_equal(m.s.event.n, 1);
        assert_int_not_equal(m.s.event.v[0].age_s.k, TN_KNOWN);
        close_machine(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_at_every_length), cmocka_unit_test(control_groups),
                                       cmocka_unit_test(odd_nodes), cmocka_unit_test(clocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
