/* Probes of the system, the processor and search orders on composed machines. */
#include "probe_world.h"

static void kernels_of_wsl(void **state)
{
    static const struct {
        const char *release;
        int wsl, build;
    } cases[] = {{"5.15.153.1-microsoft-standard-WSL2", 2, 0},
                 {"4.19.104-microsoft-standard", 2, 0},
                 {"4.4.0-19041-Microsoft", 1, 19041},
                 {"6.8.0-45-generic", 0, 0},
                 {"5.15.0-1053-azure", 0, 0}};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(cases); i++) {
        struct machine m;
        open_machine(&m, "linux");
        put_linux(&m, cases[i].release);
        run_probes(&m);
        const struct tn_rec_host *h = TN_THE(&m.s, host);
        assert_number(h->wsl, cases[i].wsl);
        if (cases[i].build)
            assert_number(h->os_build, cases[i].build);
        assert_fact(h->kernel, cases[i].release);
        assert_number(h->modules, 0); /* no /proc/modules */
        close_machine(&m);
    }
}

/* glibc's own way with comments: what it has blanked is counted twice, so that a late # is a name. */
static void preload_file(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put(&m, "/etc/ld.so.preload", "# of last year\n/opt/libhook.so:libb.so\tlibc1.so # late");
    run_probes(&m);
    struct tn_list l = TN_THE(&m.s, host)->preload;
    assert_int_equal(l.n, 5);
    assert_string_equal(l.v[0], "/opt/libhook.so");
    assert_string_equal(l.v[2], "libc1.so");
    assert_string_equal(l.v[3], "#");
    close_machine(&m);
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    run_probes(&m);
    assert_int_equal(TN_THE(&m.s, host)->preload.k, TN_ABSENT);
    close_machine(&m);
}

static void files_of_a_system(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put(&m, "/usr/lib/os-release", "NAME=\"Rocky Linux\"\nID=\"rocky\"\nVERSION_ID='9.4'\n");
    put(&m, "/proc/modules", "");
    put_bytes(&m, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", "\6\0\0\0\1", 5);
    put(&m, "/lib/ld-musl-x86_64.so.1", "x");
    put(&m, "/lib/apk/db/installed", "P:busybox\nV:1\n\nC:Q1\nP:musl\nV:1.2.4-r2\nA:x86_64\n\n");
    put(&m, "/proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon\nflags\t\t: fpu avx2 avx sse4_2 amx_tile\n\n"
        "processor\t: 1\n");
    put(&m, "/proc/meminfo", "MemTotal:       24683584 kB\nMemFree: 1 kB\n");
    run_probes(&m);
    const struct tn_rec_host *h = TN_THE(&m.s, host);
    assert_fact(h->distro, "rocky");
    assert_fact(h->distro_version, "9.4");
    assert_number(h->modules, 1);
    assert_number(h->secure_boot, 1);
    assert_fact(h->libc, "musl");
    assert_fact(h->libc_version, "1.2.4-r2");
    const struct tn_rec_cpu *c = TN_THE(&m.s, cpu);
    assert_fact(c->model, "Xeon");
    assert_number(c->threads, 2);
    assert_number(c->memory_bytes, 24683584LL * 1024);
    assert_int_equal(c->flags.n, 4);
    assert_string_equal(c->flags.v[0], "amx_tile");
    assert_string_equal(c->flags.v[2], "avx2");
    assert_int_equal(m.s.search.n, 3); /* musl's own folders */
    close_machine(&m);
}

static void nothing_seen_is_nothing_said(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    m.r.files.complete = m.r.env_complete = m.r.sys_complete = false; /* a record that holds no answer */
    run_probes(&m);
    const struct tn_rec_host *h = TN_THE(&m.s, host);
    assert_state(h->kernel, TN_UNASKED);
    assert_state(h->wsl, TN_UNASKED);
    assert_state(h->modules, TN_UNASKED);
    assert_state(h->secure_boot, TN_UNASKED);
    assert_state(h->root, TN_UNASKED);
    assert_state(TN_THE(&m.s, driver)->loaded, TN_UNASKED);
    assert_state(TN_THE(&m.s, driver)->library_version, TN_UNASKED);
    assert_int_equal(m.s.gpu.listed, TN_UNASKED);
    assert_int_equal(m.s.node.listed, TN_UNASKED);
    assert_int_equal(m.s.module.listed, TN_UNASKED);
    assert_int_equal(m.s.toolkit.listed, TN_UNASKED);
    assert_int_equal(m.s.library.listed, TN_UNASKED);
    assert_int_equal(m.s.search.listed, TN_UNASKED);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_of_wsl), cmocka_unit_test(files_of_a_system),
                                       cmocka_unit_test(preload_file), cmocka_unit_test(nothing_seen_is_nothing_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
