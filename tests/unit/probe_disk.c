/* The probes disk and limit: which folders have rows, which mount wins, what limits say. */
#include "probe_world.h"

static void put_disk(struct machine *m, const char *path, uint64_t free_bytes, uint64_t total)
{
    struct tn_note *n = tn_record_add(&m->r, TN_Q_DISK, path);
    n->a.got = TN_KNOWN;
    n->a.size = free_bytes;
    n->a.total = total;
}

static const struct tn_rec_disk *find(struct machine *m, const char *use, const char *path)
{
    for (size_t i = 0; i < m->s.disk.n; i++)
        if (tn_says(m->s.disk.v[i].use, use) && tn_says(m->s.disk.v[i].path, path))
            return &m->s.disk.v[i];
    fail_msg("no row %s %s", use, path);
    return NULL;
}

static void put_user(struct machine *m)
{
    put_linux(m, "6.1.0-37-amd64");
    put_note(m, TN_Q_ENV, "HOME", "/home/ada");
    put_note(m, TN_Q_ENV, "VIRTUAL_ENV", "/home/ada/v");
    put(m, "/home/ada/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    put(m, "/home/ada/v/bin/python3", "x");
    put_dir(m, "/tmp");
    put_dir(m, "/dev/shm");
    put(m, "/proc/self/mountinfo",
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "30 22 0:40 / /home rw,relatime shared:9 - nfs4 server:/home rw,vers=4.2\n"
        "31 30 0:41 / /home/ada/.cache\\040x rw - tmpfs tmpfs rw\n"
        "32 22 0:42 / /tmp ro,nosuid - tmpfs tmpfs rw\n"
        "33 22 0:43 / /dev/shm rw - tmpfs shm rw,size=65536k\nshort line\n");
    put_disk(m, "/home/ada", 100, 1000);
    put_disk(m, "/home/ada/v", 100, 1000);
    put_disk(m, "/tmp", 0, 50);
    put_disk(m, "/dev/shm", 67108864, 67108864);
}

static void rows(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    run_probes(&m);
    assert_int_equal(m.s.disk.listed, TN_KNOWN);
    const struct tn_rec_disk *d = find(&m, "env", "/home/ada/v");
    assert_number(d->free_bytes, 100);
    assert_number(d->total_bytes, 1000);
    assert_fact(d->type, "nfs4");
    assert_number(d->read_only, 0);
    d = find(&m, "cache", "/home/ada"); /* nothing is there yet: where it would be made */
    assert_fact(d->type, "nfs4");
    d = find(&m, "temp", "/tmp");
    assert_fact(d->type, "tmpfs");
    assert_number(d->read_only, 1);
    assert_number(d->free_bytes, 0);
    d = find(&m, "shm", "/dev/shm");
    assert_number(d->total_bytes, 67108864);
    assert_fact(d->type, "tmpfs");
    close_machine(&m);
}

/* pip.conf moves the cache; a folder with a blank in its name is found in mountinfo. */
static void caches(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_user(&m);
    put_dir(&m, "/home/ada/.cache x/pip");
    put(&m, "/etc/pip.conf", "[global]\ncache-dir = /home/ada/.cache x/pip\n");
    put_disk(&m, "/home/ada/.cache x/pip", 7, 8);
    run_probes(&m);
    assert_fact(find(&m, "cache", "/home/ada/.cache x/pip")->type, "tmpfs");
    close_machine(&m);
}

/* A record that holds no such answers, and a plain verdict: no rows, not "no disks". */
static void unasked(void **state)
{
    struct machine m;
    struct tn_want want = {.plain = true};
    struct tn_err err;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0-37-amd64");
    put_note(&m, TN_Q_ENV, "HOME", "/home/ada");
    run_probes(&m);
    assert_int_equal(m.s.disk.n, 0);
    assert_int_equal(m.s.disk.listed, TN_UNASKED);
    close_machine(&m);
    open_machine(&m, "linux");
    put_user(&m);
    assert_int_equal(tn_world_replay(&m.r, &m.w, &err), 0);
    tn_probe_all(m.w, &want, &m.s);
    assert_int_equal(m.s.disk.n, 0);
    assert_int_equal(m.s.limit.n, 0);
    close_machine(&m);
}

static void limits(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0-37-amd64");
    put(&m, "/proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max stack size            8388608              unlimited            bytes     \n"
        "Max processes             96363                96363                processes \n"
        "Max open files            1024                 99999999999999999999 files     \n"
        "Max locked memory         65536                65536                bytes     \n"
        "Max address space         unlimited            unlimited            bytes     \n");
    run_probes(&m);
    assert_int_equal(m.s.limit.n, 4); /* the number that is none is left out */
    assert_fact(m.s.limit.v[0].name, "as");
    assert_number(m.s.limit.v[0].soft, -1);
    assert_fact(m.s.limit.v[1].name, "memlock");
    assert_number(m.s.limit.v[1].soft, 65536);
    assert_fact(m.s.limit.v[3].name, "stack");
    assert_number(m.s.limit.v[3].hard, -1);
    close_machine(&m);
}

static void windows(void **state)
{
    struct machine m;
    (void)state;
    open_machine(&m, "windows");
    put_note(&m, TN_Q_SYS, "release", "10.0.19045");
    put_note(&m, TN_Q_ENV, "USERPROFILE", "C:\\Users\\ada");
    put_note(&m, TN_Q_ENV, "LOCALAPPDATA", "C:\\Users\\ada\\AppData\\Local");
    put_note(&m, TN_Q_ENV, "TEMP", "D:\\Temp");
    put_dir(&m, "C:\\Users\\ada\\AppData\\Local\\pip\\Cache");
    put_dir(&m, "D:\\Temp");
    put_disk(&m, "C:\\Users\\ada", 1, 2);
    put_disk(&m, "C:\\Users\\ada\\AppData\\Local\\pip\\Cache", 1, 2);
    put_disk(&m, "D:\\Temp", 3, 4);
    run_probes(&m);
    assert_number(find(&m, "home", "C:\\Users\\ada")->free_bytes, 1);
    assert_number(find(&m, "cache", "C:\\Users\\ada\\AppData\\Local\\pip\\Cache")->free_bytes, 1);
    assert_number(find(&m, "temp", "D:\\Temp")->total_bytes, 4);
    assert_state(find(&m, "temp", "D:\\Temp")->type, TN_UNASKED);
    assert_int_equal(m.s.limit.n, 0);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(caches), cmocka_unit_test(unasked),
                                       cmocka_unit_test(limits), cmocka_unit_test(windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
