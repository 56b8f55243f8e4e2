/* probe_kernel.c - what the kernel side leaves behind: captors, start-up images, suspend, logs of akmods and of the
 * fabric manager. */
#include "probe_world.h"

#define VERSION "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Thu May  1 00:00:00 UTC 2025\n"

static void put_gpu(struct machine *m, const char *driver)
{
    put(m, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    put(m, "/sys/bus/pci/devices/0000:01:00.0/device", "0x2204\n");
    put(m, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    char to[64];
    snprintf(to, sizeof to, "../../../../bus/pci/drivers/%s", driver);
    put_link(m, "/sys/bus/pci/devices/0000:01:00.0/driver", to);
}

static void set_time(struct machine *m, const char *path, int64_t when)
{
    tn_tree_make(&m->r.files, path)->st.mtime = when;
}

static void run_plain(struct machine *m, bool plain)
{
    struct tn_want want = {.env = NULL, .plain = plain};
    struct tn_err err;
    assert_int_equal(tn_world_replay(&m->r, &m->w, &err), 0);
    tn_probe_all(m->w, &want, &m->s);
}

/* A card that vfio-pci has: the line that says so, and what was set while the system ran. */
static void captors(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "6.1.0-57-amd64");
        put_gpu(&m, i == 2 ? "nvidia" : "vfio-pci");
        put(&m, "/proc/driver/nvidia/version", VERSION); /* loaded, for another card */
        put(&m, "/sys/bus/pci/devices/0000:01:00.0/driver_override", i ? "(null)\n" : "vfio-pci\n");
        put(&m, "/sys/bus/pci/devices/0000:01:00.0/iommu_group/type", "DMA-FQ\n");
        put(&m, "/etc/modprobe.d/vfio.conf", "options vfio-pci ids=10de:2204\n");
        set_time(&m, "/etc/modprobe.d/vfio.conf", 1700000000);
        run_plain(&m, true);
        const struct tn_rec_gpu *g = &m.s.gpu.v[0];
        assert_int_equal(g->override.k, i == 0 ? TN_KNOWN : i == 1 ? TN_ABSENT : TN_UNASKED);
        assert_int_equal(g->iommu.k, TN_UNASKED);
        assert_int_equal(m.s.modprobe.n, i == 2 ? 0 : 1);
        if (i < 2)
            assert_true(tn_is(m.s.modprobe.v[0].changed_s, 1700000000));
        close_machine(&m);
    }
}

/* Access control of the bridges above a card: PCI's extended configuration space, as sysfs shows it to root. */
static void access_control(void **state)
{
    static const struct {
        unsigned control;    /* of the root port */
        bool acs, whole, up; /* it has ACS; its space is seen; there is a bridge at all */
        enum tn_know k;
        const char *word;
    } cases[] = {{0x001D, true, true, true, TN_KNOWN, "redirects"}, /* as Linux sets it below an IOMMU */
                 {0x0004, true, true, true, TN_KNOWN, "redirects"}, {0x0008, true, true, true, TN_KNOWN, "redirects"},
                 {0x0011, true, true, true, TN_KNOWN, "direct"},    {0, true, true, true, TN_KNOWN, "direct"},
                 {0x001D, false, true, true, TN_ABSENT, NULL},      {0x001D, true, false, true, TN_DENIED, NULL},
                 {0x001D, true, true, false, TN_ABSENT, NULL}};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(cases); i++) {
        static unsigned char config[4096];
        struct machine m;
        memset(config, 0, sizeof config);
        config[0x100] = 0x01; /* AER; the next at 0x148 */
        config[0x102] = 0x82;
        config[0x103] = 0x14;
        config[0x148] = cases[i].acs ? 0x0D : 0x0B;
        config[0x14A] = 0x82; /* and back again, for ever */
        config[0x14B] = 0x14;
        config[0x14E] = (unsigned char)cases[i].control;
        open_machine(&m, "linux");
        put_linux(&m, "6.1.0-57-amd64");
        put_dir(&m, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0");
        put(&m, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/vendor", "0x10de\n");
        put(&m, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/device", "0x2204\n");
        put(&m, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/class", "0x030000\n");
        put_bytes(&m, "/sys/devices/pci0000:00/0000:00:01.0/config", config, cases[i].whole ? sizeof config : 64);
        put_link(&m, "/sys/bus/pci/devices/0000:00:01.0", "../../../devices/pci0000:00/0000:00:01.0");
        put_link(&m, "/sys/bus/pci/devices/0000:01:00.0",
                 cases[i].up ? "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0"
                             : "../../../devices/pci0000:00/0000:01:00.0");
        if (!cases[i].up) {
            put(&m, "/sys/devices/pci0000:00/0000:01:00.0/vendor", "0x10de\n");
            put(&m, "/sys/devices/pci0000:00/0000:01:00.0/class", "0x030000\n");
        }
        run_plain(&m, false);
        assert_int_equal(m.s.gpu.n, 1);
        assert_int_equal(m.s.gpu.v[0].acs.k, cases[i].k);
        if (cases[i].word)
            assert_fact(m.s.gpu.v[0].acs, cases[i].word);
        close_machine(&m);
    }
}

static void images(void **state)
{
    static const struct {
        const char *release, *image;
    } cases[] = {{"6.1.0-57-amd64", "/boot/initrd.img-6.1.0-57-amd64"},
                 {"6.8.9-300.fc40.x86_64", "/boot/initramfs-6.8.9-300.fc40.x86_64.img"},
                 {"6.4.0-150600.23-default", "/boot/initrd-6.4.0-150600.23-default"},
                 {"6.10.3-arch1-1", "/boot/initramfs-linux.img"},
                 {"6.6.44-1-lts", "/boot/initramfs-linux-lts.img"},
                 {"6.1.0-57-amd64", "/boot/initrd.img-6.1.0-50-amd64"}};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(cases); i++) {
        struct machine m;
        bool there = i + 1 < TN_LEN(cases);
        open_machine(&m, "linux");
        put_linux(&m, cases[i].release);
        put_note(&m, TN_Q_SYS, "clock", "1700001000");
        put(&m, "/proc/uptime", "250.75 900.00\n");
        put_gpu(&m, "nouveau");
        put_dir(&m, "/sys/module/nouveau");
        put(&m, cases[i].image, "");
        set_time(&m, cases[i].image, 1690000000);
        run_plain(&m, true);
        const struct tn_rec_host *h = TN_THE(&m.s, host);
        assert_int_equal(h->initrd_s.k, there ? TN_KNOWN : TN_UNASKED);
        assert_int_equal(h->booted_s.k, there ? TN_KNOWN : TN_UNASKED);
        if (there) {
            assert_fact(h->initrd, cases[i].image);
            assert_true(tn_is(h->initrd_s, 1690000000) && tn_is(h->booted_s, 1700000749));
        }
        close_machine(&m);
    }
}

/* The clock was set back since the image was made: when the machine was started says nothing of its files. */
static void image_of_the_future(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0-57-amd64");
    put_note(&m, TN_Q_SYS, "clock", "1500001000");
    put(&m, "/proc/uptime", "250.75 900.00\n");
    put_gpu(&m, "nouveau");
    put_dir(&m, "/sys/module/nouveau");
    put(&m, "/boot/initrd.img-6.1.0-57-amd64", "");
    set_time(&m, "/boot/initrd.img-6.1.0-57-amd64", 1690000000);
    run_plain(&m, true);
    assert_number(TN_THE(&m.s, host)->initrd_s, 1690000000);
    assert_state(TN_THE(&m.s, host)->booted_s, TN_FAILED);
    close_machine(&m);
}

static void suspend(void **state)
{
    static const char *const units[] = {"/usr/lib/systemd/system/nvidia-suspend.service",
                                        "/etc/systemd/system/systemd-suspend.service.wants/nvidia-suspend.service"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "6.1.0-57-amd64");
        put_gpu(&m, "nvidia");
        put(&m, "/proc/driver/nvidia/version", VERSION);
        put(&m, "/proc/driver/nvidia/params", i ? "Mobile: 4294967295\nPreserveVideoMemoryAllocations: 0\n" : "X: 1\n");
        for (unsigned k = 0; k < i; k++)
            put(&m, units[k], "");
        run_plain(&m, false);
        struct tn_int preserves = TN_THE(&m.s, driver)->preserves;
        assert_int_equal(preserves.k, i ? TN_KNOWN : TN_ABSENT);
        assert_int_equal(preserves.v, 0);
        size_t found = m.s.service.n;
        for (size_t k = 0; k < m.s.service.n; k++)
            if (tn_says(m.s.service.v[k].name, "nvidia-suspend"))
                found = k;
        assert_int_equal(found<m.s.service.n, i> 0);
        if (i)
            assert_fact(m.s.service.v[found].state, i == 1 ? "disabled" : "enabled");
        close_machine(&m);
    }
}

static void manager(void **state)
{
    static const struct {
        const char *log, *version;
    } cases[] = {
        {"[Nov 05 2024 13:55:26] [INFO] Fabric Manager version is : 535.161.08\n", "535.161.08"},
        {"Fabric Manager version is : 535.161.08\n[x] fabric manager NVIDIA GPU driver interface version 550.127.05 "
         "don't match with driver version 550.120. Please update with matching NVIDIA driver package.\n",
         "550.127.05"},
        {"Fabric Manager version is : \nFabric Manager version is : x\n", NULL}};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(cases); i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, "6.1.0-57-amd64");
        put_gpu(&m, "nvidia");
        put(&m, "/sys/bus/pci/devices/0000:05:00.0/vendor", "0x10de\n");
        put(&m, "/sys/bus/pci/devices/0000:05:00.0/class", "0x068000\n");
        put(&m, "/proc/driver/nvidia/version", VERSION);
        put(&m, "/proc/1/comm", "systemd\n");
        put(&m, "/var/log/fabricmanager.log", cases[i].log);
        run_plain(&m, true);
        assert_true(m.s.service.n > 0 && tn_says(m.s.service.v[0].state, "stopped"));
        struct tn_str version = m.s.service.v[0].version;
        if (cases[i].version)
            assert_fact(version, cases[i].version);
        else
            assert_int_equal(version.k, TN_ABSENT);
        close_machine(&m);
    }
}

static void akmods(void **state)
{
    static const char log[] =
        "2024/05/11 06:40:40 akmods: Building RPM using the command '/usr/bin/akmodsbuild'\n"
        "2024/05/11 06:40:43 akmodsbuild: make[3]: Entering directory '/usr/src/kernels'\n"
        "2024/05/11 06:40:43 akmodsbuild: /tmp/akmodsbuild.1/BUILD/nvidia/nv-acpi.c:84:19: error: "
        "initialization of 'void (*)(struct acpi_device *)' from incompatible pointer type\n"
        "2024/05/11 06:40:44 akmodsbuild: make[3]: *** [nv-acpi.o] Error 1\n";
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.8.9-300.fc40.x86_64");
    put_gpu(&m, "nouveau");
    put(&m, "/var/cache/akmods/akmods.log", "x\n");
    put(&m, "/var/cache/akmods/nvidia/550.76-1-for-6.8.9-300.fc40.x86_64.failed.log", log);
    put(&m, "/var/cache/akmods/nvidia/550.76-1-for-6.8.5-301.fc40.x86_64.log", "x\n");
    put(&m, "/var/cache/akmods/nvidia/.last.log", "x\n");
    put(&m, "/var/cache/akmods/nvidia/-for-.failed.log", "x\n");
    put(&m, "/var/cache/akmods/nvidia/-for-.log", "x\n");
    put(&m, "/var/cache/akmods/wl/6-1-for-6.8.9-300.fc40.x86_64.failed.log", log);
    run_plain(&m, true);
    assert_int_equal(m.s.build.n, 2);
    const struct tn_rec_build *good = &m.s.build.v[0], *bad = &m.s.build.v[1];
    if (tn_says(good->state, "failed")) {
        good = bad;
        bad = &m.s.build.v[0];
    }
    assert_true(tn_says(good->state, "installed") && tn_says(good->kernel, "6.8.5-301.fc40.x86_64"));
    assert_true(tn_is(good->running, 0) && tn_is(bad->running, 1));
    assert_true(tn_says(bad->by, "akmods") && tn_says(bad->name, "nvidia") && tn_says(bad->version, "550.76"));
    assert_true(tn_says(bad->state, "failed") && tn_says(bad->kernel, "6.8.9-300.fc40.x86_64"));
    assert_true(tn_says(bad->kind, "kernel") && strstr(bad->error.v, "/tmp/akmodsbuild.1") == bad->error.v);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(captors),        cmocka_unit_test(images),
                                       cmocka_unit_test(access_control), cmocka_unit_test(image_of_the_future),
                                       cmocka_unit_test(suspend),        cmocka_unit_test(manager),
                                       cmocka_unit_test(akmods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
