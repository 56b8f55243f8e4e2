/* probe_installed.c - what brought the driver's libraries: packages, NVIDIA's installer, container, WSL, Nix; and that
 * a healthy machine's package database is left alone in a plain verdict. */
#include "probe_world.h"

#include "probe/owner.h"

#define LIB "/usr/lib/x86_64-linux-gnu"

static struct tn_rec_library *add_lib(struct machine *m, const char *stem, const char *version, const char *path)
{
    struct tn_rec_library *l = TN_ADD(&m->s, library);
    l->stem = tn_fact_str(&m->s, 0, stem);
    l->version = tn_fact_str(&m->s, 0, version);
    l->path = tn_fact_str(&m->s, 0, path);
    l->kind = tn_fact_str(&m->s, 0, "real");
    l->place = tn_fact_str(&m->s, 0, "driver");
    l->env = tn_fact_nostr(0, TN_ABSENT);
    l->bits = tn_fact_int(0, 64);
    return l;
}

/* Driver 535.183.01, loaded, of packages. */
static void start(struct machine *m)
{
    open_machine(m, "linux");
    put(m, "/proc/version", "Linux version 6.8.0-45-generic\n");
    put(m, "/var/lib/dpkg/status",
        "Package: libnvidia-compute-535\nStatus: hold ok unpacked\nArchitecture: amd64\nMulti-Arch: same\n"
        "Version: 535.183.01-0ubuntu1\n\n");
    put(m, "/var/lib/dpkg/info/libnvidia-compute-535:amd64.list", "/.\n" LIB "/libcuda.so.535.183.01\n");
    TN_THE(&m->s, host)->os = tn_fact_str(&m->s, 0, "linux");
    TN_THE(&m->s, host)->arch = tn_fact_str(&m->s, 0, "x86_64");
    TN_THE(&m->s, container)->kind = tn_fact_nostr(0, TN_ABSENT);
    struct tn_rec_driver *d = TN_THE(&m->s, driver);
    d->loaded = tn_fact_int(0, 1);
    d->version = d->library_version = tn_fact_str(&m->s, 0, "535.183.01");
    d->library_path = tn_fact_str(&m->s, 0, LIB "/libcuda.so.535.183.01");
    add_lib(m, "libcuda", "535.183.01", LIB "/libcuda.so.535.183.01");
}

static void owners(struct machine *m)
{
    extern const struct tn_probe tn_probe_owner;
    struct tn_want want = {.no_owners = true, .plain = true};
    struct tn_arena tmp;
    struct tn_err err;
    assert_int_equal(tn_world_replay(&m->r, &m->w, &err), 0);
    tn_arena_init(&tmp);
    struct tn_probe_ctx c = {m->w, &m->s, &tmp, &want};
    tn_probe_owner.run(&c);
    tn_arena_deinit(&tmp);
}

static void healthy_is_not_asked(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m);
    owners(m);
    assert_int_equal(m->s.package.n, 0);
    assert_int_equal(m->s.library.v[0].owner.k, TN_UNASKED);
    assert_int_equal(m->s.library.v[0].by.k, TN_UNASKED);
    close_machine(m);
}

static void two_installs(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m);
    add_lib(m, "libcuda", "550.90.07", LIB "/libcuda.so.550.90.07");
    add_lib(m, "libnvidia-ml", "525.60.13", "/opt/old/libnvidia-ml.so.525.60.13");
    TN_THE(&m->s, driver)->runfile = tn_fact_str(&m->s, 0, "550.90.07");
    put(m, TN_RUNFILE_LOG,
        "1.0-5509007 (550.90.07)\nNVIDIA Accelerated Graphics Driver for Linux-x86_64\n"
        "1: " LIB "/libcuda.so.550.90.07\n3406017230\n0: " LIB "/libcuda.so.1\nlibcuda.so.550.90.07\n");
    owners(m);
    assert_string_equal(m->s.library.v[0].by.v, "dpkg");
    assert_string_equal(m->s.library.v[0].owner.v, "libnvidia-compute-535 535.183.01-0ubuntu1");
    assert_string_equal(m->s.library.v[1].by.v, "runfile");
    assert_int_equal(m->s.library.v[2].by.k, TN_ABSENT);
    assert_string_equal(m->s.package.v[0].state.v, "unpacked");
    assert_true(tn_is(m->s.package.v[0].held, 1));
    assert_true(tn_is(m->s.package.v[0].driver, 1));
    assert_true(tn_owner_is_driver_package("linux-modules-nvidia-535-generic"));
    assert_false(tn_owner_is_driver_package("libnvidia-container1"));
    assert_false(tn_owner_is_driver_package("nvidia-cuda-toolkit"));
    assert_false(tn_owner_is_driver_package("libcudnn8"));
    close_machine(m);
}

/* dpkg was killed: what it did last stands in its journal. */
static void journal(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m);
    TN_THE(&m->s, driver)->version = tn_fact_str(&m->s, 0, "550.90.07");
    put(m, "/var/lib/dpkg/updates/0000",
        "Package: nvidia-dkms-550\nStatus: install reinstreq half-installed\nArchitecture: amd64\n");
    put(m, "/var/lib/dpkg/updates/0001",
        "Package: libnvidia-compute-535\nStatus: install ok half-configured\nVersion: 535.183.01-0ubuntu1\n");
    put(m, "/var/lib/dpkg/updates/0002", "Package: bash\nStatus: install ok half-installed\n");
    put(m, "/var/lib/dpkg/updates/tmp.i", "Package: libcuda1\nStatus: install ok half-installed\n");
    owners(m);
    assert_int_equal(m->s.package.n, 2);
    assert_string_equal(m->s.package.v[0].name.v, "libnvidia-compute-535");
    assert_string_equal(m->s.package.v[0].state.v, "half-configured");
    assert_string_equal(m->s.package.v[1].name.v, "nvidia-dkms-550");
    assert_string_equal(m->s.package.v[1].state.v, "half-installed");
    assert_true(tn_is(TN_THE(&m->s, host)->packages, 0));
    close_machine(m);
}

static void container(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m);
    put(m, "/proc/self/mountinfo",
        "700 600 0:50 / / rw - overlay overlay rw\n"
        "712 700 8:1 /usr/lib/x86_64-linux-gnu/libcuda.so.550.90.07 " LIB
        "/libcuda.so.550.90.07 ro,nosuid - ext4 /dev/sda1 rw\n"
        "713 700 8:1 /x " LIB "/libcuda.so.535.183.01.old ro - ext4 /dev/sda1 rw\n");
    TN_THE(&m->s, container)->kind = tn_fact_str(&m->s, 0, "docker");
    add_lib(m, "libcuda", "550.90.07", LIB "/libcuda.so.550.90.07");
    owners(m);
    assert_string_equal(m->s.library.v[0].by.v, "dpkg"); /* the image's own */
    assert_string_equal(m->s.library.v[1].by.v, "container");
    close_machine(m);
}

static void by_folder(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m);
    m->s.library.v[0].path = tn_fact_str(&m->s, 0, "/nix/store/abc-nvidia-x11-535.183.01/lib/libcuda.so.535.183.01");
    add_lib(m, "libcuda", "535.183.01", "/usr/lib/wsl/lib/libcuda.so.1");
    owners(m);
    assert_string_equal(m->s.library.v[0].by.v, "nix");
    assert_string_equal(m->s.library.v[1].by.v, "wsl");
    close_machine(m);
}

static void by_log(struct machine *m)
{
    extern const struct tn_probe tn_probe_runfile;
    struct tn_arena tmp;
    struct tn_err err;
    assert_int_equal(tn_world_replay(&m->r, &m->w, &err), 0);
    tn_arena_init(&tmp);
    struct tn_probe_ctx c = {m->w, &m->s, &tmp, NULL};
    tn_probe_runfile.run(&c);
    tn_arena_deinit(&tmp);
}

#define ENDED                                                                                                          \
    "nvidia-installer log file '/var/log/nvidia-installer.log'\ncreation time: Fri May 10 10:00:00 2024\n"             \
    "installer version: 550.90.07\n\n-> Installation of the NVIDIA Accelerated Graphics Driver for Linux-x86_64 "      \
    "(version: 550.90.07) is now complete.\n"

static void runfile(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m);
    by_log(m);
    assert_int_equal(TN_THE(&m->s, driver)->runfile.k, TN_ABSENT);
    close_machine(m);
    start(m);
    put(m, TN_RUNFILE_LOG, "1.0-5509007 (550.90.07)\nNVIDIA Accelerated Graphics Driver for Linux-x86_64\n");
    by_log(m);
    assert_string_equal(TN_THE(&m->s, driver)->runfile.v, "550.90.07");
    close_machine(m);
    start(m); /* what a cloud keeps there */
    put(m, TN_RUNFILE_LOG, "installing...\n");
    by_log(m);
    assert_int_equal(TN_THE(&m->s, driver)->runfile.k, TN_FAILED);
    close_machine(m);
    /* Not root. */
    start(m);
    put_denied(m, TN_RUNFILE_LOG);
    put(m, "/var/log/nvidia-installer.log", ENDED);
    by_log(m);
    assert_int_equal(TN_THE(&m->s, driver)->runfile.k, TN_ABSENT); /* it has uninstalled itself */
    close_machine(m);
    start(m);
    put_denied(m, TN_RUNFILE_LOG);
    put(m, "/usr/bin/nvidia-uninstall", "x");
    put(m, "/var/log/nvidia-installer.log", ENDED);
    by_log(m);
    assert_string_equal(TN_THE(&m->s, driver)->runfile.v, "550.90.07");
    close_machine(m);
    start(m); /* a later try failed: which one is there is not known */
    put_denied(m, TN_RUNFILE_LOG);
    put(m, "/usr/bin/nvidia-uninstall", "x");
    put(m, "/var/log/nvidia-installer.log", "installer version: 570.1.1\nERROR: Installation has failed.\n");
    by_log(m);
    assert_int_equal(TN_THE(&m->s, driver)->runfile.k, TN_DENIED);
    close_machine(m);
    open_machine(m, "windows");
    TN_THE(&m->s, host)->os = tn_fact_str(&m->s, 0, "windows");
    by_log(m);
    assert_int_equal(TN_THE(&m->s, driver)->runfile.k, TN_UNASKED);
    close_machine(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(healthy_is_not_asked),
                                       cmocka_unit_test(two_installs),
                                       cmocka_unit_test(container),
                                       cmocka_unit_test(journal),
                                       cmocka_unit_test(by_folder),
                                       cmocka_unit_test(runfile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
