/* check_installed.c - half-upgraded drivers, two drivers at once, lost links: each with a hit and a near miss, and no
 * remedy that takes the running driver away. */
#include "check_machine.h"

#define V1 "535.183.01"
#define V2 "550.90.07"
#define DIR "/usr/lib/x86_64-linux-gnu"

static struct tn_rec_library *lib(struct machine *m, const char *stem, const char *version, const char *path, bool met)
{
    struct tn_rec_library *l = add_library(m, stem, tn_arena_printf(&m->mem, "%s.so.1", stem), version, NULL);
    l->path = T(path);
    l->place = T("driver");
    l->reachable = N(met);
    l->rank = met ? N(0) : tn_fact_noint(0, TN_ABSENT);
    return l;
}

/* Driver 535.183.01 in all parts; the module's version as a file says it. */
static struct tn_rec_library *begin(struct machine *m)
{
    start_healthy(m);
    m->s.module.v[0].version = T(V1);
    struct tn_rec_library *l = lib(m, "libcuda", V1, DIR "/libcuda.so." V1, true);
    TN_THE(&m->s, driver)->library_path = l->path;
    return l;
}

/* Programs meet a libcuda of this version. */
static void meets(struct machine *m, struct tn_rec_library *l, const char *version)
{
    l->version = T(version);
    l->path = T(tn_arena_printf(&m->mem, DIR "/libcuda.so.%s", version));
    TN_THE(&m->s, driver)->library_version = l->version;
    TN_THE(&m->s, driver)->library_path = l->path;
}

static const struct tn_rec_package *package(struct machine *m, const char *name, const char *state)
{
    struct tn_rec_package *p = TN_ADD(&m->s, package);
    p->name = T(name);
    p->version = T("550.90.07-0ubuntu1");
    p->manager = T("dpkg");
    p->state = T(state);
    p->driver = N(strstr(name, "cudnn") == NULL && strstr(name, "container") == NULL);
    return p;
}

static void is_first(const struct tn_finding *f, const char *remedy)
{
    assert_true(f->n_remedy > 0);
    assert_string_equal(f->remedy[0].id, remedy);
}

static void restart_helps(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_library *l = begin(m);
    expect_ok(m, 0);
    meets(m, l, V2);
    m->s.module.v[0].version = T(V2);
    is_first(expect_problem(m, "driver-library-mismatch", NULL), "reboot");
    /* A step back is one, too. */
    meets(m, l, "525.60.13");
    m->s.module.v[0].version = T("525.60.13");
    is_first(expect_problem(m, "driver-library-mismatch", "changed"), "reboot");
    /* The module of the kernel that starts next. */
    meets(m, l, V2);
    m->s.module.v[0].version = T(V1);
    add_module(m, "6.8.0-50-generic", false);
    m->s.module.v[1].version = T(V2);
    is_first(expect_problem(m, "driver-library-mismatch", NULL), "reboot");
    /* Nobody has read that one: it may be. */
    m->s.module.v[1].version = (struct tn_str){0};
    is_first(expect_problem(m, "driver-library-mismatch", NULL), "reboot");
    finish(m);
}

static void restart_does_not(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_library *l = begin(m);
    meets(m, l, V2);
    is_first(expect_problem(m, "driver-library-mismatch", "mixed"), "same-version");
    package(m, "nvidia-dkms-535", "installed");
    m->s.package.v[0].held = N(1);
    const struct tn_finding *f = expect_problem(m, "driver-library-mismatch", "mixed");
    assert_string_equal(f->remedy[0].variant, "held");
    meets(m, l, "525.60.13");
    expect_problem(m, "driver-library-mismatch", "mixed");
    finish(m);
}

static void two_drivers(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_library *l = begin(m);
    lib(m, "libcuda", V1, DIR "/libcuda.so." V1, false);
    l = &m->s.library.v[m->s.library.n - 2];
    struct tn_rec_library *good = l + 1;
    meets(m, l, V2);
    l->by = T("runfile");
    good->by = T("dpkg");
    good->owner = T("libnvidia-compute-535 " V1 "-0ubuntu1");
    TN_THE(&m->s, driver)->runfile = T(V2);
    const struct tn_finding *f = expect_problem(m, "driver-library-mismatch", "two");
    is_first(f, "uninstall-runfile");
    assert_string_equal(f->remedy[0].variant, "dpkg");
    assert_string_equal(f->remedy[0].arg[0].value, "libnvidia-compute-535");
    expect_sentence(f, TN_EN, DIR "/libcuda.so." V1);
    /* The installer's own driver is the one that runs: it stays. */
    TN_THE(&m->s, driver)->runfile = T(V1);
    l->by = T("dpkg");
    l->owner = T("libnvidia-compute-550 " V2 "-0ubuntu1");
    good->by = T("runfile");
    f = expect_problem(m, "driver-library-mismatch", "two");
    is_first(f, "remove-other-driver");
    assert_string_equal(f->remedy[0].arg[0].value, "libnvidia-compute-550");
    /* Of rpm's distributions SUSE has zypper. */
    static const char *const distros[][2] = {{"fedora", "rpm"}, {"opensuse-leap", "zypper"}, {"sles", "zypper"}};
    for (unsigned i = 0; i < TN_LEN(distros); i++) {
        TN_THE(&m->s, host)->distro = T(distros[i][0]);
        l->by = T("rpm");
        f = expect_problem(m, "driver-library-mismatch", "two");
        is_first(f, "remove-other-driver");
        assert_string_equal(f->remedy[0].variant, distros[i][1]);
        struct tn_buf command;
        tn_buf_init(&command);
        assert_true(tn_remedy_command(&command, &f->remedy[0], &m->s, TN_SHELL_SH));
        assert_non_null(strstr(command.p, i ? "sudo zypper remove" : "sudo dnf remove"));
        tn_buf_deinit(&command);
    }
    /* Nobody's. */
    l->by = good->by = tn_fact_nostr(0, TN_ABSENT);
    l->owner = good->owner = tn_fact_nostr(0, TN_ABSENT);
    is_first(expect_problem(m, "driver-library-mismatch", "two"), "remove-old-libcuda");
    /* Debian's alternatives have the wrong one of two. */
    l->by = good->by = T("dpkg");
    l->owner = T("libcuda1 " V2);
    l->path = TN_THE(&m->s, driver)->library_path = T(DIR "/nvidia/current/libcuda.so." V2);
    good->path = T(DIR "/nvidia/tesla-535/libcuda.so." V1);
    is_first(expect_problem(m, "driver-library-mismatch", "two"), "choose-alternative");
    /* Both installed, and the right one chosen: all is well. */
    meets(m, l, V1);
    l->path = TN_THE(&m->s, driver)->library_path = T(DIR "/nvidia/tesla-535/libcuda.so." V1);
    good->version = T(V2);
    good->path = T(DIR "/nvidia/current/libcuda.so." V2);
    expect_ok(m, 0);
    finish(m);
}

static void other_parts(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    begin(m);
    struct tn_rec_library *ml = lib(m, "libnvidia-ml", V1, DIR "/libnvidia-ml.so." V1, true);
    expect_ok(m, 0);
    ml->version = T(V2);
    expect_sentence(expect_problem(m, "driver-library-mismatch", "nvml"), TN_EN, "nvidia-smi");
    ml->reachable = N(0); /* a file that no program meets */
    ml->rank = tn_fact_noint(0, TN_ABSENT);
    expect_ok(m, 0);
    lib(m, "libnvidia-ptxjitcompiler", V2, DIR "/libnvidia-ptxjitcompiler.so." V2, true);
    expect_ok(m, 1);
    assert_string_equal(found(m, "driver-library-mismatch")->variant, "jit");
    finish(m);
}

static void before_it_breaks(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    begin(m);
    m->s.module.v[0].version = T(V2);
    expect_ok(m, 1);
    assert_string_equal(found(m, "driver-library-mismatch")->variant, "next");
    add_module(m, "6.8.0-45-generic", true); /* two, one of which is that of the libraries */
    m->s.module.v[1].version = T(V1);
    expect_ok(m, 0);
    m->s.module.v[1].version = (struct tn_str){0}; /* not read */
    expect_ok(m, 0);
    m->s.module.v[1].version = T(V2);
    TN_THE(&m->s, container)->kind = T("docker"); /* the host's modules */
    judge(m, NULL);
    assert_null(found(m, "driver-library-mismatch"));
    finish(m);

    begin(m);
    struct tn_rec_library *left = lib(m, "libcuda", V2, DIR "/libcuda.so." V2, false);
    expect_ok(m, 0); /* no loader looks into that folder, as far as is known */
    struct tn_rec_search *r = TN_ADD(&m->s, search);
    r->by = T("default");
    r->path = T("/lib/x86_64-linux-gnu");
    expect_ok(m, 1);
    assert_string_equal(found(m, "driver-library-mismatch")->variant, "ldconfig");
    left->version = T("525.60.13"); /* ldconfig takes the newest */
    expect_ok(m, 0);
    left->version = T(V2);
    left->path = T(DIR "/nvidia/tesla-550/libcuda.so." V2);
    expect_ok(m, 0);
    finish(m);
}

static void halfway(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_library *l = begin(m);
    package(m, "libcudnn9-cuda-12", "half-configured");
    package(m, "libnvidia-container1", "unpacked");
    package(m, "libnvidia-compute-550", "unpacked");
    expect_ok(m, 0); /* all parts fit: nobody's trouble */
    meets(m, l, V2);
    const struct tn_finding *f = expect_problem(m, "driver-install-failed", "half");
    is_first(f, "finish-packages");
    expect_sentence(f, TN_ZH, "libnvidia-compute-550");
    assert_string_equal(found(m, "driver-library-mismatch")->behind, "driver-install-failed");
    m->s.package.v[2].state = T("config-files"); /* it was removed */
    expect_problem(m, "driver-library-mismatch", "mixed");
    assert_null(found(m, "driver-install-failed"));
    /* Jobs still run; after the restart they will not. */
    m->s.package.v[2].state = T("half-configured");
    meets(m, l, V1);
    m->s.module.v[0].version = T(V2);
    expect_ok(m, 1);
    assert_int_equal(found(m, "driver-install-failed")->severity, TN_WARNING);
    finish(m);
}

static void containers(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_library *l = begin(m);
    m->s.module.n = 0;
    TN_THE(&m->s, container)->kind = T("docker");
    meets(m, l, V2);
    l->by = T("dpkg");
    is_first(expect_problem(m, "driver-library-mismatch", "image"), "image-driver");
    l->by = T("container");
    is_first(expect_problem(m, "driver-library-mismatch", "handed-in"), "reboot");
    meets(m, l, "525.60.13");
    is_first(expect_problem(m, "driver-library-mismatch", "handed-in"), "recreate-container");
    finish(m);
}

static void not_loaded(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_library *l = begin(m);
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "driver-not-loaded", NULL);
    assert_null(found(m, "driver-library-mismatch"));
    m->s.module.v[0].version = T(V2);
    expect_problem(m, "driver-not-loaded", NULL);
    assert_string_equal(found(m, "driver-library-mismatch")->variant, "disk");
    assert_string_equal(found(m, "driver-library-mismatch")->behind, "driver-not-loaded");
    meets(m, l, V2);
    judge(m, NULL);
    assert_null(found(m, "driver-library-mismatch"));
    finish(m);
}

static void links_and_bits(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_library *l = begin(m);
    TN_THE(&m->s, host)->arch = T("x86_64");
    l->reachable = N(0);
    l->path = T(DIR "/nvidia/current/libcuda.so." V1);
    TN_THE(&m->s, driver)->library_version = TN_THE(&m->s, driver)->library_path = tn_fact_nostr(0, TN_ABSENT);
    const struct tn_finding *f = expect_problem(m, "driver-missing", "link");
    assert_string_equal(f->remedy[0].variant, "alternatives");
    l->path = T(DIR "/libcuda.so." V1);
    f = expect_problem(m, "driver-missing", "link");
    assert_string_equal(f->remedy[0].variant, "ldconfig");
    /* Of 32 bits alone. */
    l->bits = N(32);
    l->reachable = N(1);
    expect_sentence(expect_problem(m, "driver-missing", "bits"), TN_EN, "32 bits");
    m->s.library.n--;
    expect_problem(m, "driver-missing", "library");
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart_helps), cmocka_unit_test(restart_does_not), cmocka_unit_test(two_drivers),
        cmocka_unit_test(other_parts),   cmocka_unit_test(before_it_breaks), cmocka_unit_test(halfway),
        cmocka_unit_test(containers),    cmocka_unit_test(not_loaded),       cmocka_unit_test(links_and_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
