/* check_build.c - logs of module builds as they were posted (issues of Frogging-Family/nvidia-all, clearlinux,
 * pop-os, Bumblebee, MeowIce/nvidia-legacy), DKMS' tree, and what is said of them. */
#include "check_machine.h"

#include "probe/build_text.h"
#include "probe/probe.h"
#include "world/record.h"

#define HEAD "DKMS make.log for nvidia-465.31 for kernel 5.12.0-rc5-144-tkg-cfs (x86_64)\nThu 24 Jun 2021\n"
#define API                                                                                                            \
    "  CC [M]  /var/lib/dkms/nvidia/465.31/build/nvidia/procfs_nvswitch.o\n"                                           \
    "/var/lib/dkms/nvidia/465.31/build/nvidia/nv-caps.c: In function 'nv_cap_close_fd':\n"                             \
    "/var/lib/dkms/nvidia/465.31/build/nvidia/nv-caps.c:598:5: error: implicit declaration of function 'sys_close' "   \
    "[-Werror=implicit-function-declaration]\n"                                                                        \
    "  598 |     sys_close(fd);\n"                                                                                     \
    "cc1: some warnings being treated as errors\n"                                                                     \
    "make[2]: *** [scripts/Makefile.build:271: /var/lib/dkms/nvidia/465.31/build/nvidia/nv-caps.o] Error 1\n"          \
    "make: *** [Makefile:80: modules] Error 2\n"

static void logs(void **state)
{
    static const struct {
        const char *log, *kind, *part, *compiler;
    } cases[] = {
        {HEAD API, "kernel", "sys_close", NULL},
        {HEAD "/bin/sh: 1: gcc-12: not found\nmake[2]: *** [x] Error 127\n", "compiler", "gcc-12", NULL},
        {HEAD "\nCompiler version check failed:\n\nThe major and minor number of the compiler used to\ncompile the "
              "kernel:\n\ngcc version 9.3.1 20200507 releases/gcc-9.3.0-217 (Clear Linux OS)\n\ndoes not match the "
              "compiler used here:\n\ncc (Clear Linux OS) 10.1.1 20200513\n\n*** Failed CC version check. Bailing "
              "out! ***\n\nmake[3]: *** [/x/Kbuild:182: cc_version_check] Error 1\n",
         "compiler", "Bailing out", "9.3.1"},
        {HEAD "warning: the compiler differs from the one used to build the kernel\n  The kernel was built by: "
              "x86_64-linux-gnu-gcc-12 (Ubuntu 12.3.0-1ubuntu1~22.04) 12.3.0\n  You are using:           cc (Ubuntu "
              "11.4.0-1ubuntu1~22.04) 11.4.0\ncc: error: unrecognized command-line option "
              "'-ftrivial-auto-var-init=zero'\n",
         "compiler", "ftrivial", "12.3.0"},
        /* the newer check only warns; the error is another one */
        {HEAD "\nWarning: Compiler version check failed:\n\n*** Failed CC version check. ***\n" API, "kernel",
         "sys_close", NULL},
        {HEAD "fatal error: error writing to /tmp/ccX.s: No space left on device\n", "space", "No space", NULL},
        {HEAD "gcc: fatal error: Killed signal terminated program cc1\n", "memory", "Killed", NULL},
        {HEAD "make: *** /lib/modules/5.12.0/build: No such file or directory.  Stop.\n", "headers", "Stop", NULL},
        {HEAD "ERROR: modpost: GPL-incompatible module nvidia.ko uses GPL-only symbol '__rcu_read_lock'\n", "kernel",
         "__rcu_read_lock", NULL},
        {HEAD "make[1]: *** [Makefile:1851: x] Error 2\nmake: *** [Makefile:80: modules] Error 2\n", "other",
         "Makefile:1851", NULL},
        {HEAD "a.c:3:1: warning: this statement may fall through\n  LD [M]  nvidia.ko\nmake[1]: Leaving directory\n",
         NULL, NULL, NULL},
        {"", NULL, NULL, NULL}};
    struct tn_arena mem;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct tn_build_log l;
        tn_arena_init(&mem);
        tn_build_log_read(tn_span_str(cases[i].log), &mem, &l);
        if (*cases[i].log)
            assert_string_equal(l.kernel, "5.12.0-rc5-144-tkg-cfs");
        assert_true(tn_str_eq(l.kind, cases[i].kind));
        assert_true(cases[i].part ? l.error && strstr(l.error, cases[i].part) : l.error == NULL);
        assert_true(tn_str_eq(l.compiler, cases[i].compiler));
        tn_arena_deinit(&mem);
    }
}

#define INSTALLER                                                                                                      \
    "nvidia-installer log file '/var/log/nvidia-installer.log'\ncreation time: Wed May 15 21:17:02 2024\n"             \
    "installer version: 340.108\n\n-> License accepted.\n-> Installing NVIDIA driver version 340.108.\n"

static void installer(void **state)
{
    struct tn_arena mem;
    struct tn_build_log l;
    (void)state;
    tn_arena_init(&mem);
    tn_build_installer_read(
        tn_span_str(INSTALLER
                    "ERROR: Unable to find the kernel source tree for the currently running kernel.  Please make sure\n"
                    "       you have installed the kernel source files for your kernel and that they are properly\n"
                    "       configured.\nERROR: Installation has failed.  Please see the file\n"
                    "       '/var/log/nvidia-installer.log' for details.\n"),
        &mem, &l);
    assert_string_equal(l.version, "340.108");
    assert_string_equal(l.kind, "headers");
    assert_non_null(strstr(l.error, "make sure you have installed"));
    tn_build_installer_read(tn_span_str(INSTALLER "-> Kernel source path: '/lib/modules/6.8.4-3-pve/build'\n"
                                                  "ERROR: An NVIDIA kernel module 'nvidia-drm' appears to already be "
                                                  "loaded in your kernel.\nERROR: Installation has failed.\n"),
                            &mem, &l);
    assert_string_equal(l.kernel, "6.8.4-3-pve");
    assert_string_equal(l.kind, "other");
    assert_non_null(strstr(l.error, "appears to already be loaded"));
    tn_build_installer_read(tn_span_str(INSTALLER "WARNING: Unable to find a suitable destination\n-> Installation of "
                                                  "the NVIDIA Accelerated Graphics Driver for Linux-x86_64 (version: "
                                                  "340.108) is now complete.\n"),
                            &mem, &l);
    assert_true(l.finished);
    assert_null(l.error);
    tn_arena_deinit(&mem);
}

static void put(struct tn_record *r, const char *path, const char *text)
{
    struct tn_node *f = tn_tree_make(&r->files, path);
    f->type = 'f';
    f->whole = f->has_stat = true;
    f->st = (struct tn_stat){.type = 'f', .mode = 0644, .size = strlen(text), .nlink = 1};
    if (*text)
        tn_tree_add_part(&r->files, f, 0, tn_span_str(tn_arena_strdup(&r->mem, text)));
}

static void probe(struct tn_snap *s, const char *make_log, bool installed)
{
    struct tn_record r;
    struct tn_world *w;
    struct tn_want want = {.env = NULL};
    struct tn_err err;
    tn_record_init(&r, "linux");
    r.files.complete = r.env_complete = r.sys_complete = true;
    struct tn_note *n = tn_record_add(&r, TN_Q_SYS, "release");
    n->a.got = TN_KNOWN;
    n->a.data = tn_span_str("5.12.0-rc5-144-tkg-cfs");
    put(&r, "/proc/version", "Linux version");
    put(&r, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    put(&r, "/sys/bus/pci/devices/0000:01:00.0/device", "0x2204\n");
    put(&r, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    tn_tree_make(&r.files, "/sys/module")->type = 'd';
    tn_tree_make(&r.files, "/lib/modules/5.12.0-rc5-144-tkg-cfs/kernel")->type = 'd';
    put(&r, "/var/lib/dkms/nvidia/465.31/5.10.1/x86_64/module/nvidia.ko", "");
    put(&r, "/var/lib/dkms/nvidia-fs/2.7/source/Makefile", "");
    if (make_log)
        put(&r, "/var/lib/dkms/nvidia/465.31/build/make.log", make_log);
    if (installed) {
        struct tn_node *l = tn_tree_make(&r.files, "/var/lib/dkms/nvidia/kernel-5.10.1-x86_64");
        l->type = 'l';
        l->link = "465.31/5.10.1/x86_64";
    }
    tn_snap_init(s);
    assert_int_equal(tn_world_replay(&r, &w, &err), 0);
    tn_probe_all(w, &want, s);
    tn_world_close(w);
    tn_record_deinit(&r);
}

static void tree(void **state)
{
    struct tn_snap s;
    (void)state;
    probe(&s, HEAD API, true);
    assert_int_equal(s.build.n, 2);
    const struct tn_rec_build *b = s.build.v;
    assert_true(tn_says(b[0].state, "failed") && tn_says(b[0].kind, "kernel") && tn_is(b[0].running, 1));
    assert_true(tn_says(b[1].state, "installed") && tn_says(b[1].kernel, "5.10.1") && tn_is(b[1].running, 0));
    assert_true(tn_is(TN_THE(&s, host)->headers, 0));
    tn_snap_deinit(&s);
    probe(&s, HEAD "  CC [M]  nvidia.o\n", false); /* being built just now */
    assert_int_equal(s.build.n, 1);
    assert_true(tn_says(s.build.v[0].state, "built"));
    tn_snap_deinit(&s);
}

static struct tn_rec_build *start_failed(struct machine *m, const char *kind, const char *error)
{
    start_healthy(m);
    m->s.module.v[0].running = N(0);
    m->s.module.v[0].kernel = T("6.8.0-40-generic");
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    m->s.build.listed = TN_KNOWN;
    struct tn_rec_build *b = TN_ADD(&m->s, build);
    b->by = T("dkms");
    b->name = T("nvidia");
    b->version = T("535.183.01");
    b->kernel = T("6.8.0-45-generic");
    b->running = N(1);
    b->state = T("failed");
    b->kind = T(kind);
    b->error = T(error);
    b->log = T("/var/lib/dkms/nvidia/535.183.01/build/make.log");
    return b;
}

static void findings(void **state)
{
    static const struct {
        const char *kind, *variant, *remedy;
    } cases[] = {{"headers", "headers", "rebuild-module"},
                 {"kernel", "kernel", "other-kernel"},
                 {"rt", "rt", "other-kernel"},
                 {"space", "space", "free-space-build"},
                 {"memory", "memory", "see-build-log"},
                 {"key", "key", "sign-module"},
                 {"other", NULL, "see-build-log"},
                 {"compiler", "compiler", "module-compiler"}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct tn_rec_build *b = start_failed(m, cases[i].kind, "/a/nv-caps.c:598:5: error: x");
        b->compiler = T("12.3.0");
        const struct tn_finding *f = expect_problem(m, "driver-install-failed", cases[i].variant);
        assert_string_equal(f->remedy[0].id, cases[i].remedy);
        assert_int_equal(f->status, TN_CONFIRMED);
        finish(m);
    }
    struct tn_rec_build *b = start_failed(m, "other", "An NVIDIA kernel module appears to already be loaded");
    b->by = T("nvidia-installer");
    b->running = (struct tn_int){0};
    expect_problem(m, "driver-install-failed", "installer");
    finish(m);
}

static void near_misses(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_failed(m, "kernel", "error: x")->running = N(0); /* of another kernel */
    expect_problem(m, "driver-not-loaded", "kernel");
    finish(m);
    start_failed(m, "kernel", "error: x")->state = T("installed");
    expect_problem(m, "driver-not-loaded", "kernel");
    finish(m);
    start_failed(m, "kernel", "error: x"); /* and the module is there all the same */
    add_module(m, "6.8.0-45-generic", true);
    expect_problem(m, "driver-not-loaded", NULL);
    finish(m);
    start_failed(m, "kernel", "error: x")->state = T("added");
    TN_THE(&m->s, host)->headers = N(0);
    expect_problem(m, "driver-install-failed", "no-headers");
    finish(m);
    start_failed(m, "kernel", "error: x")->state = T("added");
    TN_THE(&m->s, host)->headers = N(1);
    expect_problem(m, "driver-not-loaded", "kernel");
    finish(m);
}

/* The open module without its firmware; a card that answers has it from wherever. */
static void firmware(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        start_healthy(m);
        TN_THE(&m->s, driver)->flavour = T("open");
        TN_THE(&m->s, driver)->gsp_firmware = N(0);
        if (i == 1)
            TN_THE(&m->s, driver)->nvml = T("NVML_SUCCESS");
        if (i != 2) {
            struct tn_rec_event *e = TN_ADD(&m->s, event);
            e->kind = T("init_failed");
            e->text = T("NVRM: GPU 0000:01:00.0: RmInitAdapter failed!");
        }
        if (i == 0) {
            const struct tn_finding *f = expect_problem(m, "driver-install-failed", "firmware");
            assert_string_equal(f->remedy[0].id, "gsp-firmware");
        } else
            expect_ok(m, 0);
        finish(m);
    }
}

/* The kernel's own words: a file that was asked for in vain. */
static void firmware_asked(void **state)
{
    static const struct {
        const char *flavour, *nvml, *variant, *remedy;
        int there;
    } cases[] = {{"open", "NVML_ERROR_DRIVER_NOT_LOADED", "firmware", "gsp-firmware", 0},
                 {"open", "NVML_ERROR_DRIVER_NOT_LOADED", "firmware-image", "renew-image", 1},
                 {"open", "NVML_ERROR_DRIVER_NOT_LOADED", "firmware", "gsp-firmware", -1},
                 {"open", "NVML_SUCCESS", NULL, NULL, 0},                /* asked again, and found */
                 {"proprietary", "NVML_ERROR_UNKNOWN", NULL, NULL, -1}}; /* goes on without */
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_healthy(m);
        struct tn_rec_driver *d = TN_THE(&m->s, driver);
        d->flavour = T(cases[i].flavour);
        if (cases[i].nvml)
            d->nvml = T(cases[i].nvml);
        if (cases[i].there >= 0)
            d->gsp_firmware = N(cases[i].there);
        TN_ADD(&m->s, event)->kind = T("firmware");
        if (!cases[i].variant) {
            judge(m, NULL);
            assert_null(found(m, "driver-install-failed"));
        } else {
            const struct tn_finding *f = expect_problem(m, "driver-install-failed", cases[i].variant);
            assert_string_equal(f->remedy[0].id, cases[i].remedy);
            assert_int_equal(f->status, TN_CONFIRMED);
        }
        finish(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(firmware),   cmocka_unit_test(firmware_asked),
                                       cmocka_unit_test(logs),       cmocka_unit_test(installer),
                                       cmocka_unit_test(tree),       cmocka_unit_test(findings),
                                       cmocka_unit_test(near_misses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
