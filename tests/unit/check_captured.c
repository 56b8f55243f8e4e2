/* check_captured.c - cards that virtual machines have, what a start-up image still holds, what a suspend leaves, a
 * fabric manager of another version. */
#include "check_machine.h"

static void start_stopped(struct machine *m)
{
    start_healthy(m);
    m->s.gpu.v[0].bus = T("0000:01:00.0");
    m->s.gpu.v[0].device_id = T("0x2204");
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
}

static void capture(struct machine *m, const char *file, const char *device)
{
    struct tn_rec_modprobe *p = TN_ADD(&m->s, modprobe);
    const char **v = tn_arena_array(&m->s.mem, 1, sizeof *v);
    v[0] = device;
    p->file = T(file);
    p->kind = T("capture");
    p->module = T("vfio-pci");
    p->devices = tn_fact_list(&m->s, 0, v, 1);
}

static void captured(void **state)
{
    static const struct {
        const char *bound, *file, *device, *override, *variant, *remedy;
    } cases[] = {{"vfio-pci", "/etc/modprobe.d/vfio.conf", "10de:2204", "vfio-pci", "vfio-line", "release-card-line"},
                 {"vfio-pci", "/proc/cmdline", "10de:2204", NULL, "vfio-line", "release-card-cmdline"},
                 {"pciback", "/proc/cmdline", "0000:01:00.0", NULL, "vfio-line", "release-card-cmdline"},
                 {"vfio-pci", "/etc/modprobe.d/vfio.conf", "10de:2208", "vfio-pci", "vfio-set", "release-card"},
                 {"vfio-pci", "/etc/modprobe.d/vfio.conf", "1002:2204", NULL, "vfio", "see-vfio"},
                 {"pci-stub", NULL, NULL, NULL, "vfio", "see-vfio"}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < 2 * TN_LEN(cases); i++) {
        size_t k = i / 2;
        start_stopped(m);
        if (i % 2) { /* the module is loaded and has no card */
            TN_THE(&m->s, driver)->loaded = N(1);
            TN_THE(&m->s, driver)->version = T("535.183.01");
            TN_THE(&m->s, driver)->library_version = T("535.183.01");
        }
        m->s.gpu.v[0].bound = T(cases[k].bound);
        m->s.gpu.v[0].override = cases[k].override ? T(cases[k].override) : tn_fact_nostr(0, TN_ABSENT);
        if (cases[k].file)
            capture(m, cases[k].file, cases[k].device);
        const struct tn_finding *f = expect_problem(m, "driver-not-loaded", cases[k].variant);
        assert_string_equal(f->remedy[0].id, cases[k].remedy);
        finish(m);
    }
}

/* One card for a virtual machine, one for this system: only the second one's state counts. */
static void beside(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    m->s.gpu.v[1].bound = T("vfio-pci");
    expect_ok(m, 0);
    finish(m);
    start_stopped(m);
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    m->s.gpu.v[1].bound = T("vfio-pci");
    expect_problem(m, "driver-not-loaded", NULL);
    finish(m);
}

static void nouveau_of_image(void **state)
{
    static const struct {
        int file, image, boot; /* when: 0 is not known */
        const char *variant, *remedy;
    } cases[] = {{200, 100, 300, "held-image", "renew-image"}, {200, 100, 0, "held-image", "renew-image"},
                 {100, 200, 150, "held-restart", "reboot"},    {0, 200, 150, "held-restart", "reboot"},
                 {100, 200, 300, "held", "blacklist-nouveau"}, {100, 0, 300, "held", "blacklist-nouveau"},
                 {-1, 200, 150, "held", "blacklist-nouveau"}}; /* -1: nothing forbids it */
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_stopped(m);
        m->s.gpu.v[0].bound = T("nouveau");
        if (cases[i].file >= 0) {
            struct tn_rec_modprobe *p = TN_ADD(&m->s, modprobe);
            p->file = T("/etc/modprobe.d/nvidia-blacklists-nouveau.conf");
            p->kind = T("blacklist");
            p->module = T("nouveau");
            if (cases[i].file)
                p->changed_s = N(cases[i].file);
        }
        TN_THE(&m->s, host)->initrd = T("/boot/initrd.img-6.8.0-45-generic");
        if (cases[i].image)
            TN_THE(&m->s, host)->initrd_s = N(cases[i].image);
        if (cases[i].boot)
            TN_THE(&m->s, host)->booted_s = N(cases[i].boot);
        const struct tn_finding *f = expect_problem(m, "driver-not-loaded", cases[i].variant);
        assert_string_equal(f->remedy[0].id, cases[i].remedy);
        finish(m);
    }
}

static void module_of_image(void **state)
{
    static const struct {
        int module, image, boot;
        const char *version, *variant, *remedy;
    } cases[] = {{200, 100, 300, NULL, "old-image", "renew-image"}, /* started since, and the image is old */
                 {200, 100, 300, "550.54.15", "old-image", "renew-image"},
                 {200, 100, 300, "535.183.01", "mixed", "same-version"}, /* the disk has the loaded one */
                 {200, 100, 150, NULL, NULL, "reboot"},                  /* not started since */
                 {200, 250, 300, NULL, NULL, "reboot"},                  /* the image is newer */
                 {0, 100, 300, NULL, NULL, "reboot"}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_healthy(m);
        TN_THE(&m->s, driver)->version = T("535.183.01");
        TN_THE(&m->s, driver)->library_version = T("550.54.15");
        if (cases[i].module)
            m->s.module.v[0].changed_s = N(cases[i].module);
        if (cases[i].version)
            m->s.module.v[0].version = T(cases[i].version);
        TN_THE(&m->s, host)->initrd_s = N(cases[i].image);
        TN_THE(&m->s, host)->booted_s = N(cases[i].boot);
        const struct tn_finding *f = expect_problem(m, "driver-library-mismatch", cases[i].variant);
        assert_string_equal(f->remedy[0].id, cases[i].remedy);
        finish(m);
    }
}

/* cuInit gives 999 while NVML works: what the kernel's log says of a suspend since nvidia_uvm was loaded. */
static void suspended(void **state)
{
    static const struct {
        int suspend, uvm, log, preserves; /* seconds ago; -1: no such line, or not known */
        const char *variant;
        unsigned remedies;
    } cases[] = {{60, 500, 1, 0, "suspended", 2}, {60, 500, 1, 1, "suspended", 1}, {60, -1, 1, -1, "suspended", 1},
                 {60, 30, 1, 0, "awake", 1},      {-1, 30, 1, 0, "awake", 1},      {-1, -1, 0, 0, NULL, 1}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_healthy(m);
        TN_THE(&m->s, driver)->nvml = T("NVML_SUCCESS");
        TN_THE(&m->s, driver)->cuda_start = T("CUDA_ERROR_UNKNOWN");
        TN_THE(&m->s, driver)->uvm = N(1);
        if (cases[i].preserves >= 0)
            TN_THE(&m->s, driver)->preserves = N(cases[i].preserves);
        const int age[] = {cases[i].suspend, cases[i].uvm};
        for (unsigned k = 0; k < 2; k++)
            if (age[k] >= 0) {
                struct tn_rec_event *e = TN_ADD(&m->s, event);
                e->kind = T(k ? "uvm_loaded" : "suspend");
                e->age_s = N(age[k]);
            }
        m->s.event.listed = cases[i].log ? TN_KNOWN : TN_DENIED;
        const struct tn_finding *f = expect_problem(m, "uvm-unavailable", cases[i].variant);
        assert_string_equal(f->remedy[0].id, "reload-uvm");
        assert_int_equal(f->n_remedy, cases[i].remedies);
        finish(m);
    }
    start_healthy(m); /* a machine that slept and works */
    TN_THE(&m->s, driver)->nvml = T("NVML_SUCCESS");
    TN_THE(&m->s, driver)->cuda_start = T("CUDA_SUCCESS");
    TN_ADD(&m->s, event)->kind = T("suspend");
    expect_ok(m, 0);
    finish(m);
}

/* nvidia_uvm found no addresses for the card's memory: until it is loaded anew, and only where CUDA does not start. */
static void no_region(void **state)
{
    static const struct {
        int uvm; /* loaded so many seconds ago, the line is 60 old; -1: not known */
        const char *start, *variant, *remedy;
    } cases[] = {{500, "CUDA_ERROR_UNKNOWN", "region", "without-hmm"},
                 {-1, "CUDA_ERROR_OUT_OF_MEMORY", "region", "without-hmm"},
                 {30, "CUDA_ERROR_UNKNOWN", NULL, "reload-uvm"},
                 {500, "CUDA_SUCCESS", NULL, NULL}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_healthy(m);
        TN_THE(&m->s, driver)->nvml = T("NVML_SUCCESS");
        TN_THE(&m->s, driver)->cuda_start = T(cases[i].start);
        struct tn_rec_event *e = TN_ADD(&m->s, event);
        e->kind = T("uvm_region");
        e->age_s = N(60);
        if (cases[i].uvm >= 0) {
            e = TN_ADD(&m->s, event);
            e->kind = T("uvm_loaded");
            e->age_s = N(cases[i].uvm);
        }
        if (cases[i].remedy)
            assert_string_equal(expect_problem(m, "uvm-unavailable", cases[i].variant)->remedy[0].id, cases[i].remedy);
        else
            expect_ok(m, 0);
        finish(m);
    }
}

/* Switches, no manager: one of another version could not start either. */
static void manager(void **state)
{
    static const struct {
        const char *driver, *manager, *state, *variant, *remedy, *package, *rpm;
    } cases[] = {{"535.183.01", NULL, "stopped", "stopped", "start-fabric-manager", NULL, NULL},
                 {"535.183.01", "535.183.01", "stopped", "stopped", "start-fabric-manager", NULL, NULL},
                 {"535.183.01", "550.127.05", "stopped", "stopped-version", "fit-fabric-manager",
                  "nvidia-fabricmanager-535", "nvidia-fabric-manager"},
                 {"580.126.09", "590.48.01", "stopped", "stopped-version", "fit-fabric-manager", "nvidia-fabricmanager",
                  "nvidia-fabricmanager"},
                 {"535.183.01", "550.127.05", "running", NULL, NULL, NULL, NULL}}; /* its log is of former days */
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_healthy(m);
        TN_THE(&m->s, driver)->version = T(cases[i].driver);
        TN_THE(&m->s, driver)->library_version = T(cases[i].driver);
        TN_THE(&m->s, host)->nvswitches = N(4);
        struct tn_rec_service *v = TN_ADD(&m->s, service);
        v->name = T("nvidia-fabricmanager");
        v->state = T(cases[i].state);
        v->version = cases[i].manager ? T(cases[i].manager) : tn_fact_nostr(0, TN_ABSENT);
        if (!cases[i].remedy) {
            expect_ok(m, 0);
            finish(m);
            continue;
        }
        const struct tn_finding *f = expect_problem(m, "fabric-manager-down", cases[i].variant);
        assert_string_equal(f->remedy[0].id, cases[i].remedy);
        if (cases[i].package) {
            assert_string_equal(f->remedy[0].arg[1].value, cases[i].package);
            assert_string_equal(f->remedy[0].arg[2].value, cases[i].rpm);
        }
        finish(m);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(captured),         cmocka_unit_test(beside),
                                              cmocka_unit_test(nouveau_of_image), cmocka_unit_test(module_of_image),
                                              cmocka_unit_test(suspended),        cmocka_unit_test(no_region),
                                              cmocka_unit_test(manager)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
