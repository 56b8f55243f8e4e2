/* snapshot_describe.c - machines from --machine: every key, what tables add, mistakes with help, hostile text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/describe.h"

static struct tn_snap made(const char *spec)
{
    struct tn_snap s;
    struct tn_err err = {0, "", ""};
    memset(&s, 0, sizeof s);
    if (tn_describe(spec, &s, &err))
        fail_msg("%s: %s: %s", spec, err.place, err.text);
    return s;
}

static const char *from(const struct tn_snap *s, uint32_t src)
{
    return s->src[src].asked;
}

static void a_linux_machine(void **state)
{
    struct tn_snap s = made("os=linux, os_release=ubuntu-22.04, arch=amd64,glibc=2.35,driver=535.183.01,gpu=RTX 3090,"
                            "python=3.10,container=docker,kernel=5.15.0-91-generic");
    const struct tn_rec_host *h = TN_THE(&s, host);
    const struct tn_rec_driver *d = TN_THE(&s, driver);
    (void)state;
    assert_true(tn_says(h->os, "linux"));
    assert_true(tn_is(h->wsl, 0));
    assert_true(tn_says(h->distro, "ubuntu"));
    assert_true(tn_says(h->distro_version, "22.04"));
    assert_true(tn_says(h->arch, "x86_64"));
    assert_true(tn_says(h->libc, "glibc"));
    assert_true(tn_says(h->libc_version, "2.35"));
    assert_true(tn_says(h->kernel, "5.15.0-91-generic"));
    assert_string_equal(from(&s, h->os.src), "described");
    assert_true(tn_is(d->loaded, 1));
    assert_true(tn_says(d->version, "535.183.01"));
    assert_true(tn_says(d->cuda, "12.2"));
    assert_string_equal(from(&s, d->cuda.src), "table driver_branches");
    assert_int_equal(s.gpu.listed, TN_KNOWN);
    assert_int_equal(s.gpu.n, 1);
    assert_true(tn_says(s.gpu.v[0].capability, "8.6"));
    assert_true(tn_says(s.gpu.v[0].vendor, "nvidia"));
    assert_string_equal(from(&s, s.gpu.v[0].capability.src), "table gpus");
    assert_true(tn_says(tn_snap_judged(&s)->python, "3.10"));
    assert_true(tn_says(TN_THE(&s, container)->kind, "docker"));
    /* not said, not asked */
    assert_int_equal(h->root.k, TN_UNASKED);
    assert_int_equal(TN_THE(&s, cpu)->flags.k, TN_UNASKED);
    assert_int_equal(s.library.listed, TN_UNASKED);
    assert_int_equal(s.env.listed, TN_UNASKED);
    assert_true(tn_says(d->library_version, "535.183.01")); /* the driver is the whole of it */
    tn_snap_deinit(&s);
}

static void nothing_there(void **state)
{
    struct tn_snap s = made("driver=none,gpu=none,container=none");
    (void)state;
    assert_true(tn_is(TN_THE(&s, driver)->loaded, 0));
    assert_int_equal(TN_THE(&s, driver)->version.k, TN_ABSENT);
    assert_int_equal(s.gpu.listed, TN_KNOWN);
    assert_int_equal(s.gpu.n, 0);
    assert_int_equal(TN_THE(&s, container)->kind.k, TN_ABSENT);
    assert_int_equal(TN_THE(&s, host)->os.k, TN_UNASKED);
    tn_snap_deinit(&s);
}

static void windows_and_wsl(void **state)
{
    struct tn_snap s = made("os=windows,os_build=19045,driver=31.0.15.1694");
    (void)state;
    assert_true(tn_says(TN_THE(&s, host)->os, "windows"));
    assert_true(tn_is(TN_THE(&s, host)->os_build, 19045));
    assert_true(tn_says(TN_THE(&s, driver)->version, "516.94"));
    tn_snap_deinit(&s);
    s = made("os_build=22631,os=wsl2");
    assert_true(tn_says(TN_THE(&s, host)->os, "linux"));
    assert_true(tn_is(TN_THE(&s, host)->wsl, 2));
    tn_snap_deinit(&s);
    s = made("os_release=arch,libc=musl");
    assert_true(tn_says(TN_THE(&s, host)->distro, "arch"));
    assert_int_equal(TN_THE(&s, host)->distro_version.k, TN_UNASKED);
    tn_snap_deinit(&s);
    s = made("os_release=opensuse-leap-15.5");
    assert_true(tn_says(TN_THE(&s, host)->distro, "opensuse-leap"));
    assert_true(tn_says(TN_THE(&s, host)->distro_version, "15.5"));
    tn_snap_deinit(&s);
}

static void releases_as_people_say_them(void **state)
{
    static const struct {
        const char *spec, *distro, *version, *libc, *glibc;
    } rows[] = {
        {"os=ubuntu-22.04", "ubuntu", "22.04", "glibc", "2.35"},
        {"os=Ubuntu 20.04", "ubuntu", "20.04", "glibc", "2.31"},
        {"os=centos7", "centos", "7", "glibc", "2.17"},
        {"os=rocky-8.9", "rocky", "8.9", "glibc", "2.28"},
        {"os=alpine", "alpine", NULL, "musl", NULL},
        {"os=alpine-3.20", "alpine", "3.20", "musl", NULL},
        {"os=opensuse-leap-15.6", "opensuse-leap", "15.6", "glibc", "2.38"},
        {"os=ubuntu-19.04", "ubuntu", "19.04", NULL, NULL}, /* not in the table: nothing is made up */
        {"os=centos-7,glibc=2.28", "centos", "7", "glibc", "2.28"},
        {"os=wsl2,os_release=ubuntu-24.04", "ubuntu", "24.04", "glibc", "2.39"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_snap s = made(rows[i].spec);
        const struct tn_rec_host *h = TN_THE(&s, host);
        if (!tn_says(h->os, "linux") || !tn_says(h->distro, rows[i].distro) ||
            tn_known(h->distro_version) != (rows[i].version != NULL) ||
            (rows[i].version && !tn_says(h->distro_version, rows[i].version)) ||
            tn_known(h->libc) != (rows[i].libc != NULL) || (rows[i].libc && !tn_says(h->libc, rows[i].libc)) ||
            tn_known(h->libc_version) != (rows[i].glibc != NULL) ||
            (rows[i].glibc && !tn_says(h->libc_version, rows[i].glibc)))
            fail_msg("%s", rows[i].spec);
        tn_snap_deinit(&s);
    }
    struct tn_snap s = made("os=windows-11");
    assert_true(tn_says(TN_THE(&s, host)->os, "windows"));
    assert_true(tn_is(TN_THE(&s, host)->os_build, 22000));
    tn_snap_deinit(&s);
    s = made("os=win11,os_build=26100");
    assert_true(tn_is(TN_THE(&s, host)->os_build, 26100));
    tn_snap_deinit(&s);
    s = made("os=windows10");
    assert_int_equal(TN_THE(&s, host)->os_build.k, TN_UNASKED);
    tn_snap_deinit(&s);
}

static void gpus(void **state)
{
    struct tn_snap s = made("gpu=10de:2204,gpu=0x2204,gpu=8.6,gpu=1002:744c,gpu=0xfffe,gpu=GTX 1080");
    (void)state;
    assert_int_equal(s.gpu.n, 6);
    assert_true(tn_says(s.gpu.v[0].capability, "8.6"));
    assert_true(tn_says(s.gpu.v[0].device_id, "0x2204"));
    assert_true(tn_says(s.gpu.v[1].name, s.gpu.v[0].name.v));
    assert_true(tn_says(s.gpu.v[2].capability, "8.6"));
    assert_string_equal(from(&s, s.gpu.v[2].capability.src), "described");
    assert_true(tn_says(s.gpu.v[2].architecture, "Ampere"));
    assert_int_equal(s.gpu.v[2].name.k, TN_UNASKED);
    assert_true(tn_says(s.gpu.v[3].vendor, "amd"));
    assert_int_equal(s.gpu.v[3].capability.k, TN_UNASKED);
    assert_true(tn_says(s.gpu.v[4].device_id, "0xfffe")); /* newer than the tables is no mistake */
    assert_int_equal(s.gpu.v[4].capability.k, TN_UNASKED);
    assert_true(tn_says(s.gpu.v[5].capability, "6.1"));
    tn_snap_deinit(&s);
}

static void cpus(void **state)
{
    static const struct {
        const char *spec, *has, *lacks;
    } rows[] = {{"cpu=avx", "avx", "avx2"},        {"cpu=avx2", "fma", "avx512f"},
                {"cpu=noavx", "sse4_2", "avx"},    {"cpu=noavx2", "avx", "avx2"},
                {"cpu=avx512f", "avx512f", "sve"}, {"cpu=sve", "sve", "avx"},
                {"cpu=avx2,cpu=sve", "sve", "x"},  {"cpu=nossse3,cpu=sve", "sve", "ssse3"}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_snap s = made(rows[i].spec);
        struct tn_list f = TN_THE(&s, cpu)->flags;
        assert_true(tn_list_has(f, rows[i].has));
        assert_false(tn_list_has(f, rows[i].lacks));
        for (uint32_t k = 1; k < f.n; k++)
            assert_true(strcmp(f.v[k - 1], f.v[k]) < 0);
        tn_snap_deinit(&s);
    }
}

static void mistakes(void **state)
{
    static const struct {
        const char *spec, *place, *part;
    } rows[] = {
        {"", "", "KEY=VALUE"},
        {"linux", "", "KEY=VALUE"},
        {"os=linux,", "", "KEY=VALUE"},
        {"drivr=535", "", "did you mean 'driver'"},
        {"colour=red", "", "it may be os,"},
        {"os=linus", "os", "did you mean 'linux'"},
        {"os=beos", "os", "it may be linux, windows, wsl2, macos"},
        {"os=linux,os=linux", "os", "said twice"},
        {"os=ubuntu-22.x", "os", "such as ubuntu-22.04"},
        {"os=windows12", "os", "did you mean 'windows'"},
        {"os=ubuntu-22.04,os_release=debian-12", "os_release", "contradict"},
        {"os_release=debian-12,os=ubuntu-22.04", "os", "contradict"},
        {"os=", "os", "without a value"},
        {"os_build=ten", "os_build", "build number"},
        {"os_release=Ubuntu", "os_release", "ubuntu-22.04"},
        {"os_release=-1", "os_release", "ubuntu-22.04"},
        {"arch=x86-64", "arch", "did you mean 'x86_64'"},
        {"driver=latest", "driver", "no version"},
        {"gpu=none,gpu=8.6", "gpu", "none, and yet one"},
        {"gpu=8.6,gpu=none", "gpu", "none, and yet one"},
        {"gpu=RTX 3099", "gpu", "did you mean"},
        {"gpu=Voodoo 2 of the attic", "gpu", "a PCI id"},
        {"gpu=10de:22x4", "gpu", "is not known"},
        {"cpu=avx3", "cpu", "did you mean 'avx"},
        {"cpu=noavx3", "cpu", "did you mean 'noavx"},
        {"cpu=avx,cpu=noavx", "cpu", "says another thing"},
        {"libc=musl,glibc=2.31", "glibc", "contradict"},
        {"python=three", "python", "no version"},
        {"container=dokcer", "container", "did you mean 'docker'"},
        {"os=\x1b[31m\xff", "os", "'?[31m?'"},
        {"os\\=x", "", "KEY=VALUE"},
        {"container=a\\,b", "container", "'a,b'"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_snap s;
        struct tn_err err;
        memset(&s, 0xA5, sizeof s);
        int rc = tn_describe(rows[i].spec, &s, &err);
        if (rc != TN_E_USAGE || strcmp(err.place, rows[i].place) != 0 || !strstr(err.text, rows[i].part))
            fail_msg("%s gave %d %s: %s", rows[i].spec, rc, err.place, err.text);
        assert_int_equal(((unsigned char *)&s)[0], 0xA5);
        assert_int_equal(tn_describe(rows[i].spec, &s, NULL), TN_E_USAGE);
    }
}

static void too_long(void **state)
{
    static char spec[TN_MAX_SPEC_TEXT + 2];
    struct tn_snap s;
    (void)state;
    memset(spec, 'x', sizeof spec - 1);
    assert_int_equal(tn_describe(spec, &s, NULL), TN_E_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linux_machine),
        cmocka_unit_test(nothing_there),
        cmocka_unit_test(windows_and_wsl),
        cmocka_unit_test(releases_as_people_say_them),
        cmocka_unit_test(gpus),
        cmocka_unit_test(cpus),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
