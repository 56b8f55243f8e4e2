/* check_blocked.c - a module that is there and kept out: by modprobe's settings, by a signature that nobody knows. */
#include "check_machine.h"

#include "probe/modprobe_text.h"
#include "probe/probe.h"
#include "world/record.h"

static void lines(void **state)
{
    struct tn_snap s;
    static const struct {
        const char *kind, *module, *value;
    } want[] = {{"blacklist", "nouveau", NULL},
                {"install", "nvidia", "/bin/false"},
                {"alias", "nvidia-drm", "off"},
                {"options", "nvidia-current", "NVreg_DeviceFileMode=0660"},
                {"blacklist", "nvidia", "modprobe.blacklist"},
                {"blacklist", "nouveau", "rd.driver.blacklist"},
                {"options", "nvidia-drm", "modeset=1"}};
    (void)state;
    tn_snap_init(&s);
    tn_modprobe_read(
        &s, "/etc/modprobe.d/a.conf",
        tn_span_str("# blacklist nvidia\nblacklist nouveau\n  install\tnvidia   /bin/false\nalias nvidia_drm "
                    "off\nblacklist nvidiafb\nblacklist pcspkr\noptions nvidia-current "
                    "NVreg_DeviceFileMode=0660\noptions snd \\\nblacklist nvidia\n"),
        0);
    tn_modprobe_cmdline_read(&s, "/proc/cmdline",
                             tn_span_str("ro nomodeset modprobe.blacklist=pcspkr,nvidia rd.driver.blacklist=nouveau "
                                         "nvidia_drm.modeset=1 quiet\n"),
                             0);
    assert_int_equal(s.modprobe.n, TN_LEN(want));
    for (size_t i = 0; i < TN_LEN(want); i++) {
        const struct tn_rec_modprobe *m = &s.modprobe.v[i];
        assert_true(tn_says(m->kind, want[i].kind) && tn_says(m->module, want[i].module));
        assert_true(want[i].value ? tn_says(m->value, want[i].value) : m->value.k == TN_ABSENT);
    }
    tn_snap_deinit(&s);
}

static void captors(void **state)
{
    static const struct {
        const char *file, *module, *devices;
    } want[] = {{"f", "vfio-pci", "10de:2204 10de:1aef"},
                {"f", "pci-stub", "10de:1b80"},
                {"/proc/cmdline", "vfio-pci", "10de:2204"},
                {"/proc/cmdline", "xen-pciback", "0000:01:00.0 0001:41:00.1"},
                {"/proc/cmdline", "pci-stub", "1002:73bf"}};
    struct tn_snap s;
    (void)state;
    tn_snap_init(&s);
    tn_modprobe_read(&s, "f",
                     tn_span_str("options vfio_pci ids=10DE:2204:1043:87b3,10de:1aef disable_vga=1\n"
                                 "# options vfio-pci ids=10de:1111\noptions vfio-pci disable_vga=1\n"
                                 "options vfio-pci ids=\noptions vfio-pci ids=x,:::,10de\n"
                                 "options pci-stub ids=10de:1b80\noptions vfio ids=10de:2222\nblacklist vfio-pci\n"),
                     0);
    tn_modprobe_cmdline_read(&s, "/proc/cmdline",
                             tn_span_str("ro intel_iommu=on vfio-pci.ids=10de:2204 vfio_pci.idle=1 vfio-pci. "
                                         "xen-pciback.hide=(01:00.0)(0001:41:00.1) pci_stub.ids=1002:73BF iommu=pt"),
                             0);
    assert_int_equal(s.modprobe.n, TN_LEN(want));
    for (size_t i = 0; i < TN_LEN(want); i++) {
        const struct tn_rec_modprobe *m = &s.modprobe.v[i];
        char text[128] = "";
        for (uint32_t k = 0; k < m->devices.n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? " " : "", m->devices.v[k]);
        assert_true(tn_says(m->file, want[i].file) && tn_says(m->module, want[i].module) &&
                    tn_says(m->kind, "capture"));
        assert_string_equal(text, want[i].devices);
    }
    tn_snap_deinit(&s);
}

static void start_stopped(struct machine *m)
{
    start_healthy(m);
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    m->s.module.v[0].path = T("/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko");
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
}

static void block(struct machine *m, const char *file, const char *kind, const char *module, const char *value)
{
    struct tn_rec_modprobe *p = TN_ADD(&m->s, modprobe);
    p->file = T(file);
    p->kind = T(kind);
    p->module = T(module);
    p->value = value ? T(value) : tn_fact_nostr(0, TN_ABSENT);
}

static void blocked(void **state)
{
    static const struct {
        const char *file, *kind, *module, *value, *variant, *remedy;
        enum tn_status status;
    } cases[] = {
        {"/etc/modprobe.d/a.conf", "blacklist", "nvidia", NULL, "blacklisted", "unblock-module", TN_LIKELY},
        {"/etc/modprobe.d/a.conf", "install", "nvidia", "/bin/false", "blacklisted", "unblock-module", TN_CONFIRMED},
        {"/lib/modprobe.d/blacklist-nvidia.conf", "alias", "nvidia", "off", "blacklisted", "prime-select",
         TN_CONFIRMED},
        {"/proc/cmdline", "blacklist", "nvidia", "modprobe.blacklist", "cmdline", "unblock-cmdline", TN_LIKELY},
        {"/proc/cmdline", "blacklist", "nvidia", "module_blacklist", "cmdline", "unblock-cmdline", TN_CONFIRMED},
        {"/etc/modprobe.d/a.conf", "blacklist", "nouveau", NULL, NULL, "load-module", TN_CONFIRMED},
        {"/proc/cmdline", "blacklist", "nouveau", "rd.driver.blacklist", NULL, "load-module", TN_CONFIRMED},
        {"/etc/modprobe.d/a.conf", "install", "nvidia", "modprobe -i nvidia-current $CMDLINE_OPTS", NULL, "load-module",
         TN_CONFIRMED},
        {"/etc/modprobe.d/a.conf", "alias", "nvidia", "nvidia-current", NULL, "load-module", TN_CONFIRMED},
        {"/etc/modprobe.d/a.conf", "blacklist", "nvidia-drm", NULL, NULL, "load-module", TN_CONFIRMED}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_stopped(m);
        block(m, cases[i].file, cases[i].kind, cases[i].module, cases[i].value);
        const struct tn_finding *f = expect_problem(m, "driver-not-loaded", cases[i].variant);
        assert_string_equal(f->remedy[0].id, cases[i].remedy);
        assert_int_equal(f->status, cases[i].status);
        finish(m);
    }
    start_healthy(m); /* the driver runs: whatever is written there */
    block(m, "/etc/modprobe.d/a.conf", "blacklist", "nvidia", NULL);
    expect_ok(m, 0);
    finish(m);
}

static void signatures(void **state)
{
    static const struct {
        int secure_boot, has_signature, enrolled;
        const char *lockdown, *path, *variant;
    } cases[] = {{1, 0, -1, NULL, NULL, "secure-boot"},
                 {1, 1, 0, NULL, NULL, "mok"},
                 {1, 1, 1, NULL, NULL, NULL},
                 {1, 1, -1, NULL, NULL, NULL},
                 {0, 1, 0, NULL, NULL, NULL},
                 {0, 0, -1, "none", NULL, NULL},
                 {-1, 0, -1, "integrity", NULL, "secure-boot"},
                 {1, 1, 0, NULL, "/lib/modules/6.8.0-45-generic/kernel/nvidia-535/nvidia.ko", NULL}};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        start_stopped(m);
        struct tn_rec_host *h = TN_THE(&m->s, host);
        if (cases[i].secure_boot >= 0)
            h->secure_boot = N(cases[i].secure_boot);
        m->s.module.v[0].has_signature = N(cases[i].has_signature);
        if (cases[i].path)
            m->s.module.v[0].path = T(cases[i].path);
        if (cases[i].lockdown)
            h->lockdown = T(cases[i].lockdown);
        if (cases[i].enrolled >= 0) {
            h->mok_enrolled = N(cases[i].enrolled);
            h->mok_key = T("/var/lib/dkms/mok.pub");
        }
        const struct tn_finding *f = expect_problem(m, "driver-not-loaded", cases[i].variant);
        if (tn_str_eq(cases[i].variant, "mok"))
            assert_string_equal(f->remedy[0].id, "enrol-key");
        finish(m);
    }
}

static void put(struct tn_record *r, const char *path, const void *p, size_t n)
{
    struct tn_node *f = tn_tree_make(&r->files, path);
    f->type = 'f';
    f->whole = f->has_stat = true;
    f->st = (struct tn_stat){.type = 'f', .mode = 0644, .size = n, .nlink = 1};
    tn_tree_add_part(&r->files, f, 0, tn_span_of(tn_arena_memdup(&r->mem, p, n), n));
}

/* list: 0 no such variable, 1 with the key, 2 with another one, 3 denied */
static enum tn_know enrolled(int list, int *ret)
{
    static const char vars[] = "/sys/firmware/efi/efivars/";
    unsigned char key[300], var[400] = {6};
    struct tn_record r;
    struct tn_world *w;
    struct tn_want want = {.env = NULL, .plain = true};
    struct tn_snap s;
    struct tn_err err;
    char path[200];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(i * 7 + 1);
    key[0] = 0x30;
    memcpy(var + 48, key, sizeof key);
    var[100] ^= list == 2;
    tn_record_init(&r, "linux");
    r.files.complete = r.env_complete = r.sys_complete = true;
    struct tn_note *n = tn_record_add(&r, TN_Q_SYS, "release");
    n->a.got = TN_KNOWN;
    n->a.data = tn_span_str("6.1.0");
    put(&r, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n", 7);
    put(&r, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n", 9);
    put(&r, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n", 33);
    put(&r, "/var/lib/dkms/mok.pub", key, sizeof key);
    snprintf(path, sizeof path, "%sSecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", vars);
    put(&r, path, "\6\0\0\0\1", 5);
    snprintf(path, sizeof path, "%sMokListRT-605dab50-e046-4300-abb6-3dd810dd8b23", vars);
    if (list)
        put(&r, path, var, sizeof var);
    if (list == 3) {
        struct tn_node *f = tn_tree_make(&r.files, path);
        f->error = TN_DENIED;
        f->whole = false;
        f->n_part = 0;
    }
    tn_snap_init(&s);
    assert_int_equal(tn_world_replay(&r, &w, &err), 0);
    tn_probe_all(w, &want, &s);
    struct tn_int got = TN_THE(&s, host)->mok_enrolled;
    assert_true(tn_says(TN_THE(&s, host)->lockdown, "integrity"));
    *ret = (int)got.v;
    tn_world_close(w);
    tn_record_deinit(&r);
    tn_snap_deinit(&s);
    return got.k;
}

static void keys(void **state)
{
    int is;
    (void)state;
    assert_int_equal(enrolled(0, &is), TN_KNOWN);
    assert_int_equal(is, 0);
    assert_int_equal(enrolled(1, &is), TN_KNOWN);
    assert_int_equal(is, 1);
    assert_int_equal(enrolled(2, &is), TN_KNOWN);
    assert_int_equal(is, 0);
    assert_int_equal(enrolled(3, &is), TN_DENIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(captors), cmocka_unit_test(blocked),
                                       cmocka_unit_test(signatures), cmocka_unit_test(keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
