/* Probes of cards, driver, nodes and modules on composed machines. Texts of the driver: as posted in public, see the
 * format strings of its nv-procfs.c. */
#include "probe_world.h"

static void put_card(struct machine *m, const char *bus, const char *vendor, const char *device, const char *class,
                     const char *power)
{
    char path[256];
    const char *names[] = {"vendor", "device", "class", "power/runtime_status"};
    const char *values[] = {vendor, device, class, power};
    for (unsigned i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", bus, names[i]);
        if (values[i])
            put(m, path, values[i]);
    }
}

static void put_information(struct machine *m, const char *bus)
{
    char path[256];
    snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", bus);
    put(m, path,
        "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 10\nGPU UUID: \t GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b\n"
        "Video BIOS: \t 92.00\nGPU Firmware: \t N/A\nGPU Excluded:\t No\n");
}

static void cards_of_any_vendor(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0-57-amd64");
    put_card(&m, "0000:01:00.0", "0x10de\n", "0x2204\n", "0x030000\n", "suspended\n");
    put_link(&m, "/sys/bus/pci/devices/0000:01:00.0/driver", "../../../../bus/pci/drivers/nouveau");
    put_information(&m, "0000:01:00.0"); /* asleep: not to be read */
    put_card(&m, "0000:01:00.1", "0x10de\n", "0x1aef\n", "0x040300\n", "active\n");
    put_card(&m, "0000:02:00.0", "0x10de\n", "0x20b0\n", "0x030200\n", "active\n");
    put_information(&m, "0000:02:00.0");
    put_card(&m, "0000:03:00.0", "0x1002\n", "0x744c\n", "0x030000\n", NULL);
    put_card(&m, "0000:04:00.0", "0x1a03\n", "0x2000\n", "0x030000\n", NULL);
    put(&m, "/usr/share/misc/pci.ids",
        "# head\n1002  Advanced Micro Devices\n\t744c  Navi 31\n\t\t1002 0e3b  Board\n10de  NVIDIA\n\t2204  GA102\n");
    run_probes(&m);
    assert_int_equal(m.s.gpu.listed, TN_KNOWN);
    assert_int_equal(m.s.gpu.n, 4);
    const struct tn_rec_gpu *g = m.s.gpu.v;
    assert_fact(g[0].vendor, "nvidia");
    assert_fact(g[0].device_id, "0x2204");
    assert_fact(g[0].capability, "8.6");
    assert_fact(g[0].bound, "nouveau");
    assert_fact(g[0].power, "suspended");
    assert_state(g[0].uuid, TN_UNASKED);
    assert_fact(g[1].name, "NVIDIA A100-SXM4-40GB");
    assert_fact(g[1].uuid, "GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b");
    assert_state(g[1].firmware, TN_ABSENT);
    assert_state(g[1].bound, TN_ABSENT);
    assert_fact(g[2].vendor, "amd");
    assert_fact(g[2].name, "Navi 31");
    assert_fact(g[3].vendor, "0x1a03");
    assert_state(g[3].name, TN_UNASKED);
    close_machine(&m);
}

static void a_bus_that_may_not_be_seen(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "5.15.153.1-microsoft-standard-WSL2");
    put_dir(&m, "/sys/bus/pci/devices");
    put_node(&m, "/dev/dxg", 0666, 0, 10, 125);
    run_probes(&m);
    assert_number(TN_THE(&m.s, host)->wsl, 2);
    assert_int_equal(m.s.gpu.listed, TN_UNASKED);
    assert_state(TN_THE(&m.s, driver)->loaded, TN_UNASKED);
    assert_int_equal(m.s.node.n, 1);
    assert_fact(m.s.node.v[0].path, "/dev/dxg");
    assert_number(m.s.node.v[0].accessible, 1);
    close_machine(&m);
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    tn_tree_make(&m.r.files, "/sys/bus/pci/devices")->error = TN_DENIED;
    run_probes(&m);
    assert_int_equal(m.s.gpu.listed, TN_DENIED);
    close_machine(&m);
    open_machine(&m, "linux"); /* a device that cannot be looked at may be the card */
    put_linux(&m, "6.1.0");
    put_card(&m, "0000:01:00.0", "0x8086\n", "0x1000\n", "0x020000\n", NULL);
    put_dir(&m, "/sys/bus/pci/devices/0000:02:00.0");
    put_denied(&m, "/sys/bus/pci/devices/0000:02:00.0/class");
    put(&m, "/etc/modprobe.d/a.conf", "options nvidia NVreg_X=1\n");
    put_denied(&m, "/etc/modprobe.d/b.conf");
    run_probes(&m);
    assert_int_equal(m.s.gpu.n, 0);
    assert_int_equal(m.s.gpu.listed, TN_DENIED);
    assert_int_equal(m.s.modprobe.listed, TN_DENIED);
    close_machine(&m);
}

static void lines_of_the_kernel_module(void **state)
{
    static const struct {
        const char *text, *version, *flavour;
    } cases[] = {
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.81  Wed Aug 17 22:24:07 PDT 2016\nGCC version:  gcc\n",
         "384.81", "proprietary"},
        {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.58.02  Release Build  (dvs-builder@U16-I3-B03-4"
         "-3)  Tue Jun 25 01:26:03 UTC 2024\nGCC version:  \n",
         "555.58.02", "open"},
        {"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release Build  (b@h)  Tue Jan  7\n"
         "GCC version:  collect2: error: ld returned 1 exit status    \n",
         "540.4.0", "open"},
        {"NVRM version: NVIDIA UNIX Kernel Module for aarch64  34.1.1  Release Build  ...\n", "34.1.1", "proprietary"},
        {"NVRM version: NVIDIA UNIX x86 Kernel Module  169.12  Thu Feb 14 17:53:07 PST 2008\n", "169.12",
         "proprietary"},
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  1.2.3.4  x\n", NULL, NULL},
        {"NVRM version: nothing\n", NULL, NULL},
        {"garbage 1.2\n", NULL, NULL},
        {"", NULL, NULL}};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(cases); i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "6.1.0");
        put(&m, "/proc/driver/nvidia/version", cases[i].text);
        run_probes(&m);
        const struct tn_rec_driver *d = TN_THE(&m.s, driver);
        assert_number(d->loaded, 1);
        if (cases[i].version) {
            assert_fact(d->version, cases[i].version);
            assert_fact(d->flavour, cases[i].flavour);
        } else {
            assert_state(d->version, TN_FAILED);
        }
        close_machine(&m);
    }
}

static void loaded_only_when_decidable(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux"); /* a folder in which nothing runs */
    put_dir(&m, "/usr/lib");
    m.r.sys_complete = m.r.env_complete = false;
    run_probes(&m);
    assert_state(TN_THE(&m.s, driver)->loaded, TN_UNASKED);
    assert_state(TN_THE(&m.s, driver)->other, TN_UNASKED);
    assert_int_not_equal(m.s.node.listed, TN_KNOWN);
    close_machine(&m);
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_dir(&m, "/sys/module/nouveau");
    run_probes(&m);
    assert_number(TN_THE(&m.s, driver)->loaded, 0);
    assert_state(TN_THE(&m.s, driver)->version, TN_ABSENT);
    assert_fact(TN_THE(&m.s, driver)->other, "nouveau");
    close_machine(&m);
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_denied(&m, "/proc/driver/nvidia/version");
    run_probes(&m);
    assert_state(TN_THE(&m.s, driver)->loaded, TN_DENIED);
    assert_state(TN_THE(&m.s, driver)->version, TN_DENIED);
    close_machine(&m);
    open_machine(&m, "linux"); /* procfs hidden, sysfs not */
    put_linux(&m, "6.1.0");
    put(&m, "/sys/module/nvidia/initstate", "live\n");
    put(&m, "/sys/module/nvidia/version", "535.309.01\n");
    run_probes(&m);
    assert_number(TN_THE(&m.s, driver)->loaded, 1);
    assert_fact(TN_THE(&m.s, driver)->version, "535.309.01");
    assert_fact(TN_THE(&m.s, driver)->cuda, "12.2");
    close_machine(&m);
}

static void rights_on_nodes(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put(&m, "/proc/self/status", "Name:\tx\nGid:\t1000\t1000\t1000\t1000\nGroups:\t27 44 \n");
    put_node(&m, "/dev/nvidia-caps/nvidia-cap1", 0444, 0, 237, 1);
    put_node(&m, "/dev/nvidia0", 0660, 44, 195, 0);
    put_node(&m, "/dev/nvidia1", 0660, 45, 195, 1);
    put_node(&m, "/dev/nvidiactl", 0666, 0, 195, 255);
    put(&m, "/dev/nvidia-uvm", "");
    put_node(&m, "/dev/null", 0666, 0, 1, 3);
    run_probes(&m);
    assert_int_equal(m.s.node.n, 5);
    const struct tn_rec_node *n = m.s.node.v;
    assert_fact(n[0].path, "/dev/nvidia-caps/nvidia-cap1");
    assert_number(n[0].accessible, 0);
    assert_fact(n[1].type, "-"); /* a plain file where a node should be */
    assert_state(n[1].major, TN_UNASKED);
    assert_number(n[2].accessible, 1);
    assert_number(n[2].mode, 0660);
    assert_number(n[3].accessible, 0);
    assert_number(n[4].accessible, 1);
    assert_number(n[4].minor, 255);
    close_machine(&m);
}

static void module_files(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0-57-amd64");
    put(&m, "/lib/modules/6.1.0-57-amd64/updates/dkms/nvidia-current.ko", "not a module");
    put(&m, "/lib/modules/6.1.0-57-amd64/updates/dkms/nvidia-current-uvm.ko", "not a module");
    put(&m, "/lib/modules/6.8.0-45-generic/kernel/nvidia-550/nvidia.ko.zst", "x");
    put(&m, "/lib/modules/6.8.0-45-generic/kernel/drivers/video/nvidiafb.ko", "x");
    run_probes(&m);
    assert_int_equal(m.s.module.n, 3);
    const struct tn_rec_module *v = m.s.module.v;
    assert_fact(v[0].name, "nvidia-current-uvm");
    assert_state(v[0].version, TN_UNASKED);
    assert_fact(v[1].name, "nvidia-current");
    assert_state(v[1].version, TN_FAILED);
    assert_number(v[1].running, 1);
    assert_fact(v[2].kernel, "6.8.0-45-generic");
    assert_number(v[2].running, 0);
    assert_state(v[2].version, TN_UNASKED); /* packed, for a kernel that does not run */
    close_machine(&m);
}

/* What is called nvidia-smi, but is none: there is no program, and no text without a value. */
static void a_folder_named_nvidia_smi(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0-57-amd64");
    put_dir(&m, "/usr/bin/nvidia-smi");
    run_probes(&m);
    assert_state(TN_THE(&m.s, driver)->smi_path, TN_ABSENT);
    assert_null(TN_THE(&m.s, driver)->smi_path.v);
    close_machine(&m);
}

/* Switches on the bus, the manager among the processes by the 15 bytes of its name, the open module's firmware. */
static void switches_and_firmware(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "6.1.0-57-amd64");
        put_card(&m, "0000:02:00.0", "0x10de\n", "0x2330\n", "0x030200\n", "active\n");
        put_card(&m, "0000:05:00.0", "0x10de\n", "0x22a3\n", "0x068000\n", NULL);
        put_card(&m, "0000:06:00.0", "0x8086\n", "0x0001\n", "0x068000\n", NULL);
        put(&m, "/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build\n");
        put(&m, "/proc/4711/comm", i == 1 ? "nv-fabricmanage\n" : "nv-fabricmanag\n");
        if (i != 2) /* else root's processes are not shown */
            put(&m, "/proc/1/comm", "systemd\n");
        if (i == 1)
            put(&m, "/lib/firmware/nvidia/550.54.15/gsp_ga10x.bin.xz", "");
        run_probes(&m);
        assert_int_equal(m.s.gpu.n, 1);
        assert_int_equal(TN_THE(&m.s, host)->nvswitches.v, 1);
        assert_true(tn_is(TN_THE(&m.s, driver)->gsp_firmware, i == 1));
        assert_int_equal(m.s.service.n, i == 2 ? 0 : 2);
        if (i < 2)
            assert_fact(m.s.service.v[0].state, i ? "running" : "stopped");
        close_machine(&m);
    }
}

static void license(const char *conf, bool token, const char *feature, const char *from)
{
    struct machine m;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0-57-amd64");
    if (conf)
        put(&m, "/etc/nvidia/gridd.conf", conf);
    if (token)
        put(&m, "/srv/tokens/client_configuration_token_01.tok", "x");
    run_probes(&m);
    const struct tn_rec_driver *d = TN_THE(&m.s, driver);
    if (feature)
        assert_fact(d->license_feature, feature);
    else
        assert_false(tn_known(d->license_feature));
    if (from)
        assert_fact(d->license_from, from);
    else
        assert_state(d->license_from, TN_ABSENT);
    close_machine(&m);
}

/* gridd.conf as its template has it, with what an administrator sets. */
static void license_of_a_guest(void **state)
{
    (void)state;
    license("# FeatureType=2\n#ServerAddress=a\nFeatureType=1\nClientConfigTokenPath=/srv/tokens\n", true, "vgpu",
            "token");
    license("ServerAddress=license.example\nServerPort=7070\nFeatureType=4\n", false, "compute", "server");
    license("ClientConfigTokenPath=\"/srv/tokens\"\r\nFeatureType=\"2\"\r\n", true, "vws", "token");
    license("FeatureType=0\nClientConfigTokenPath=/srv/tokens\n", false, "none", NULL);
    license("FeatureType=9999999999\n", false, NULL, NULL);
    license("", false, NULL, NULL);
    license(NULL, true, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(switches_and_firmware),
                                       cmocka_unit_test(license_of_a_guest),
                                       cmocka_unit_test(cards_of_any_vendor),
                                       cmocka_unit_test(a_bus_that_may_not_be_seen),
                                       cmocka_unit_test(lines_of_the_kernel_module),
                                       cmocka_unit_test(loaded_only_when_decidable),
                                       cmocka_unit_test(rights_on_nodes),
                                       cmocka_unit_test(module_files),
                                       cmocka_unit_test(a_folder_named_nvidia_smi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
