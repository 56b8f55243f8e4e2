/* probe_owner.c - packages and owners by the databases of dpkg, pacman and rpm. The rpm database is a real one: written
 * by rpm 4.18 from a package that rpmbuild made (cuda-nvcc-12-4, three files), its table copied into pages of 512
 * bytes.
 */
#include "probe_world.h"

#include "base/base64.h"

static const struct {
    unsigned at;
    const char *base64;
} rpmdb[] = {
    {0, "U1FMaXRlIGZvcm1hdCAzAAIAAQEAQCAgAAAAAgAAAAYAAAAAAAAAAAAAAAEAAAAEAAAAAAAAAAAAAAAB"},
    {95, "AgAuYwENAAAAAQGdAAGd"},
    {413, "YQEHFx0dAYEVdGFibGVQYWNrYWdlc1BhY2thZ2VzAkNSRUFURSBUQUJMRSBQYWNrYWdlcyAoaG51bSBJTlRFR0VSIF"
          "BSSU1BUlkgS0VZLCBibG9iIEJMT0IgTk9UIE5VTEwpDQAAAAEBqQABqQ=="},
    {937, "kEABBAChBAAAAD0AAARkAAAAPwAAAAcAAAO9AAAAEAAAAGQAAAAIAAAAAAAAAAEAAAPoAAAABgAAAAIAAAABAAAD6Q"
          "AAAAYAAAARAAAAAQAAA+oAAAADAAAABAAAAAYAAAAaAAAAAQAAA+sAAAAEAAAAHAAAAAEAAAPsAAAACQAAACAAAAAB"
          "AAAD7QAAAAkAAAAqAAAAAQAAA+4AAAAEAAAALAAAAAEAAAPvAAAABgAAADAAAAABAAAD8QAAAAQAAAA0AAAAAQAAA/"
          "YAAAAGAAAAOAAAAAEAAAP4AAAACQAAADoAAAABAAAD/QAAAAYAAABGAAAAAQAAA/4AAAAGAAAATAAAAAEAAAQEAAAA"
          "BAAAAFQAAAADAAAEBgAAAAMAAABgAAAAAwAABAkAAAADAAAAZgAAAAMAAAQKAAAABAAAAGwAAAADAAAECwAAAAgAAA"
          "B4AAAAAwAABAwAAAAIAAABOwAAAAMAAAQNAAAABAAAAUAAAAADAAAEDwAAAAgAAAFMAAAAAwAABBAAAAAIAAABWwAA"
          "AAMAAAQUAAAABgAAAWoAAAABAAAEFQAAAAQAAAGMAAAAAwAABBcAAAAIAAABmAAAAAIAAAQYAAAABAAAAcAAAAADAA"
          "AEGQAAAAgAAAHMAAAAAwAABBoAAAAIAAACGwAAAAMAAAQoAAAABgAAAjEAAAABAAAERwAAAAQAAAI4AAAAAwAABEgA"
          "AAAEAAACRAAAAAMAAARJAAAACAAAAlAAAAADAAAEWAAAAAQAAAJUAAAAAgAABFkAAAAIAAACXAAAAAIAAAAFAAAEXA"
          "AAAAQAAAJ4AAAAAwAABF0AAAAIAAAChAAAAAMAAAReAAAACAAAAp8AAAACAAAEYgAAAAYAAALeAAAAAQAABGQAAAAG"
          "AAAC5QAAAAEAAARlAAAABgAAAuoAAAABAAAEZgAAAAYAAALvAAAAAQAABGwAAAAGAAAC8QAAAAEAAAR0AAAABAAAAw"
          "gAAAADAAAEdQAAAAQAAAMUAAAAAwAABHYAAAAIAAADIAAAAAEAABOTAAAABAAAAywAAAABAAATxgAAAAYAAAMwAAAA"
          "AQAAE+QAAAAIAAADNgAAAAEAABPlAAAABAAAA3gAAAABAAAT6QAAAAgAAAN8AAAAAQAAAQEAAAAEAAAD0AAAAAEAAA"
          "EFAAAABwAAA9QAAAAQAAABDQAAAAYAAAPkAAAAAQAAAREAAAAGAAAEDQAAAAEAAAPwAAAABAAABFAAAAABAAAEBQAA"
          "AAEAAARUAAAAAwAABBYAAAAEAAAEWAAAAAEAAARnAAAABAAABFwAAAABAAAEaAAAAAQAAARgAAAAAUMAY3VkYS1udm"
          "NjLTEyLTQAMTIuNC4xMzEAMQAAAAABQ1VEQSBudmNjAHgAaw9ewXZtAAAAAAAGeABVbnNwZWNpZmllZABsaW51eAB4"
          "ODZfNjQAAAAAAAIAAAACAAAAAoGkgaSBpAAAAAAAAAAAAAZrD17Baw9ewWsPXsE3M2NiMzg1OGE2ODdhODQ5NGNhMz"
          "MyMzA1MzAxNjI4MmYzZGFkMzlkNDJjZjYyY2E0ZTc5ZGRhMmFhYzdkOWFjADczY2IzODU4YTY4N2E4NDk0Y2EzMzIz"
          "MDUzMDE2MjgyZjNkYWQzOWQ0MmNmNjJjYTRlNzlkZGEyYWFjN2Q5YWMANzNjYjM4NThhNjg3YTg0OTRjYTMzMjMwNT"
          "MwMTYyODJmM2RhZDM5ZDQyY2Y2MmNhNGU3OWRkYTJhYWM3ZDlhYwAAAAAAAAAAAAAAAAAAAAAAAHJvb3QAcm9vdABy"
          "b290AHJvb3QAcm9vdAByb290AGN1ZGEtbnZjYy0xMi00LTEyLjQuMTMxLTEuc3JjLnJwbQD///////////////9jdW"
          "RhLW52Y2MtMTItNABjdWRhLW52Y2MtMTItNCh4ODYtNjQpAAAAAQAACgEAAAoBAAAKcnBtbGliKENvbXByZXNzZWRG"
          "aWxlTmFtZXMpAHJwbWxpYihGaWxlRGlnZXN0cykAcnBtbGliKFBheWxvYWRGaWxlc0hhdmVQcmVmaXgpADMuMC40LT"
          "EANC42LjAtMQA0LjAtMQA0LjE4LjAAAAAAAQAAAAEAAAABAAAAAQAAAAIAAAADAAAAAAAAAAgAAAAIMToxMi40LjEz"
          "MS0xAAAAAAAxOjEyLjQuMTMxLTEAAAAAAAAAAAAAAAAAAAFudmNjAHB0eGFzAGxpYmRldmljZS4xMC5iYwAvdXNyL2"
          "xvY2FsL2N1ZGEtMTIuNC9iaW4vAC91c3IvbG9jYWwvY3VkYS0xMi40L252dm0vbGliZGV2aWNlLwAtTzIgLWcAY3Bp"
          "bwBnemlwADkAeDg2XzY0LWRlYmlhbi1saW51eA=="},
    {2748, "QVNDSUkgdGV4dAAAAAAACHV0Zi04ADBjZWIwNDhjNjIzN2M3MWY4OWZjNDA4YTgwYTI5ODIzMjMzODA5NWIwNDdlMW"
           "U0ZWVhOTIxZGU0YzE3ZTNjZjcAAAAAAAgzNWM2NmVmN2I5ZWEzYTNjODgyNDIwODdiZDU0YjRkYjVlNzA3MGU2MDRh"
           "NWMxZmIzYjVlOGVkNTBkODE5MTcwAAAAAD8AAAAH///8wAAAABAAAAAAAAfAGryymnKGt+YIHsqo48wfB2YyZGVkNW"
           "UwMWRhMzhhZTYxMTQwYWE4MWIxZmViM2I0YmUyM2Q1ZGMAMjVmOWE0ZTIyOTg0N2Y4OGQ4NTdjMWY3MTY0NTYwYjM3"
           "ODYwNDBhNzRhMWI4NzI0ODczYTZlMjJkZmFlOWU0YgAAAGsPYRUAAAAAAAACTAAAAANrD2EV"},
};
#define RPMDB_BYTES 3072u

static void make_rpmdb(unsigned char db[RPMDB_BYTES])
{
    struct tn_buf b;
    memset(db, 0, RPMDB_BYTES);
    for (size_t i = 0; i < TN_LEN(rpmdb); i++) {
        tn_buf_init(&b);
        assert_int_equal(tn_base64_decode(&b, tn_span_str(rpmdb[i].base64), NULL), 0);
        memcpy(db + rpmdb[i].at, b.p, b.n);
        tn_buf_deinit(&b);
    }
}

static void start(struct machine *m)
{
    open_machine(m, "linux");
    put_linux(m, "6.8.0");
    put(m, "/usr/local/cuda-12.4/bin/nvcc", "x");
    put(m, "/usr/local/cuda-12.4/version.json", "{\"cuda\": {\"version\": \"12.4.1\"}}");
}

static const struct tn_rec_package *package(struct machine *m, const char *name)
{
    for (size_t i = 0; i < m->s.package.n; i++)
        if (tn_says(m->s.package.v[i].name, name))
            return &m->s.package.v[i];
    fail_msg("no package row for %s", name);
    return NULL;
}

static void rpm(void **state)
{
    struct machine m;
    unsigned char db[RPMDB_BYTES];
    (void)state;
    make_rpmdb(db);
    start(&m);
    put_bytes(&m, "/usr/lib/sysimage/rpm/rpmdb.sqlite", db, sizeof db);
    run_probes(&m);
    assert_number(TN_THE(&m.s, host)->packages, 1);
    assert_fact(package(&m, "cuda-nvcc-12-4")->version, "1:12.4.131-1");
    assert_fact(package(&m, "cuda-nvcc-12-4")->manager, "rpm");
    assert_fact(m.s.toolkit.v[0].owner, "cuda-nvcc-12-4 1:12.4.131-1");
    close_machine(&m);
}

/* Damaged at every byte, cut at every length: a fact that says so, or another reading; never more. */
static void rpm_damaged(void **state)
{
    struct machine m;
    unsigned char db[RPMDB_BYTES];
    (void)state;
    for (size_t i = 0; i < RPMDB_BYTES; i += 7) {
        make_rpmdb(db);
        db[i] ^= 0xFF;
        start(&m);
        put_bytes(&m, "/var/lib/rpm/rpmdb.sqlite", db, i % 2 ? sizeof db : i);
        run_probes(&m);
        enum tn_know k = m.s.package.listed;
        assert_true(k == TN_KNOWN || k == TN_FAILED);
        close_machine(&m);
    }
    make_rpmdb(db);
    memset(db + 512, 0, 512);
    start(&m);
    put_bytes(&m, "/var/lib/rpm/rpmdb.sqlite", db, sizeof db);
    run_probes(&m);
    assert_int_equal(m.s.package.listed, TN_FAILED);
    assert_state(TN_THE(&m.s, host)->packages, TN_FAILED);
    assert_state(m.s.toolkit.v[0].owner, TN_FAILED);
    close_machine(&m);
}

/* Kinds that are not read, one that may not be read, and none at all. */
static void rpm_unread(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put(&m, "/var/lib/rpm/Packages", "\0\0\0\0bdb");
    run_probes(&m);
    assert_int_equal(m.s.package.listed, TN_FAILED);
    assert_state(m.s.toolkit.v[0].owner, TN_FAILED);
    assert_non_null(strstr(m.s.src[m.s.package.src].note, "not read"));
    close_machine(&m);
    start(&m);
    put_denied(&m, "/var/lib/rpm/rpmdb.sqlite");
    run_probes(&m);
    assert_int_equal(m.s.package.listed, TN_DENIED);
    close_machine(&m);
    start(&m);
    run_probes(&m);
    assert_int_equal(m.s.package.listed, TN_UNASKED);
    assert_state(TN_THE(&m.s, host)->packages, TN_UNASKED);
    close_machine(&m);
}

/* States as dpkg writes them; what is not installed is not counted. */
static void dpkg(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put(&m, "/var/lib/dpkg/status",
        "Package: bash\nStatus: install ok installed\nVersion: 5\n\n"
        "Package: nvidia-driver\nStatus: deinstall ok config-files\nVersion: 470.1\n\n"
        "Package: nvidia-kernel-dkms\nStatus: install reinstreq half-installed\nArchitecture: amd64\n\n"
        "Package: cuda-nvcc-12-4\nStatus: install ok installed\nVersion: 12.4.131-1\n");
    put(&m, "/var/lib/dpkg/info/cuda-nvcc-12-4.list", "/usr/local/cuda-12.4/bin/nvcc\n");
    run_probes(&m);
    assert_number(TN_THE(&m.s, host)->packages, 2);
    assert_int_equal(m.s.package.n, 3);
    assert_fact(package(&m, "nvidia-driver")->state, "config-files");
    assert_fact(package(&m, "nvidia-kernel-dkms")->state, "half-installed");
    assert_state(package(&m, "nvidia-kernel-dkms")->version, TN_ABSENT);
    assert_fact(m.s.toolkit.v[0].owner, "cuda-nvcc-12-4 12.4.131-1");
    close_machine(&m);
}

/* A diverted file is listed by its old path; the diverting package's own file is in place. */
static void diverted(void **state)
{
    struct machine m;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        start(&m);
        put(&m, "/var/lib/dpkg/status",
            "Package: cuda-nvcc-12-4\nStatus: install ok installed\nVersion: 1\n\n"
            "Package: my-cuda\nStatus: install ok installed\nVersion: 2\n");
        put(&m, "/var/lib/dpkg/diversions",
            i ? "/usr/local/cuda-12.4/bin/nvcc\n/usr/local/cuda-12.4/bin/nvcc.real\nmy-cuda\n"
              : "/usr/old/nvcc\n/usr/local/cuda-12.4/bin/nvcc\nmy-cuda\n");
        put(&m, "/var/lib/dpkg/info/cuda-nvcc-12-4.list", i ? "/usr/local/cuda-12.4/bin/nvcc\n" : "/usr/old/nvcc\n");
        put(&m, "/var/lib/dpkg/info/my-cuda.list", i ? "/usr/local/cuda-12.4/bin/nvcc\n" : "/usr/old/nvcc\n");
        put_note(&m, TN_Q_ENV, "PATH", "/usr/local/cuda-12.4/bin");
        run_probes(&m);
        assert_fact(m.s.toolkit.v[0].owner, i ? "my-cuda 2" : "cuda-nvcc-12-4 1");
        for (size_t k = 0; k < m.s.program.n; k++)
            if (tn_says(m.s.program.v[k].name, "nvcc"))
                assert_fact(m.s.program.v[k].owner, i ? "my-cuda 2" : "cuda-nvcc-12-4 1");
        assert_true(m.s.program.n > 0);
        close_machine(&m);
    }
}

static void pacman(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put(&m, "/var/lib/pacman/local/ALPM_DB_VERSION", "9\n");
    put(&m, "/var/lib/pacman/local/cuda-tools-12.4.1-4/files", "%FILES%\nusr/\nusr/local/cuda-12.4/bin/nvcc\n\n");
    put(&m, "/var/lib/pacman/local/bash-5.2.026-2/files", "%FILES%\nusr/bin/bash\n");
    put_dir(&m, "/var/lib/pacman/local/odd");
    put_dir(&m, "/var/lib/pacman/local/-1-1");
    run_probes(&m);
    assert_number(TN_THE(&m.s, host)->packages, 2);
    assert_int_equal(m.s.package.n, 1);
    assert_fact(package(&m, "cuda-tools")->version, "12.4.1-4");
    assert_fact(m.s.toolkit.v[0].owner, "cuda-tools-12.4.1-4");
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpm),  cmocka_unit_test(rpm_damaged), cmocka_unit_test(rpm_unread),
        cmocka_unit_test(dpkg), cmocka_unit_test(pacman),      cmocka_unit_test(diverted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
