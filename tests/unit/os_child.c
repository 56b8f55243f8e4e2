/* os_child.c - work in a child process: what it wrote survives its death, and what it cannot do to the machine. */
#include "os_help.h"

#include "base/str.h"

#ifndef _WIN32
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct tn_err err;

static void say(const char *text)
{
    tn_os_print(1, text, strlen(text));
}

static bool grown(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    ssize_t n = fd < 0 ? -1 : write(fd, "x", 1);
    if (fd >= 0)
        close(fd);
    return n == 1;
}

/* Each word is one thing that a vendor's library might do. */
static int work(const char *const *argv)
{
    static char *const none[] = {NULL};
    say("before\n");
    if (strcmp(argv[0], "crash") == 0)
        raise(SIGBUS);
    if (strcmp(argv[0], "hang") == 0)
        for (;;)
            pause();
    if (strcmp(argv[0], "flood") == 0)
        for (;;)
            say("0123456789012345678901234567890123456789012345678901234567890123456789\n");
    if (strcmp(argv[0], "node") == 0)
        say(mknod(argv[1], S_IFCHR | 0600, 0) == 0 ? "made\n" : "refused\n");
    if (strcmp(argv[0], "write") == 0)
        say(grown(argv[1]) ? "made\n" : "refused\n");
    if (strcmp(argv[0], "file") == 0) { /* what libnvidia-ml does to /dev/char as root, and its like */
        bool made =
            symlink("x", argv[1]) == 0 || mkdir(argv[1], 0700) == 0 || open(argv[1], O_CREAT | O_RDWR, 0600) >= 0;
        bool changed = chmod(argv[2], 0640) == 0 || chown(argv[2], 1, 1) == 0 || rename(argv[2], argv[1]) == 0 ||
                       open(argv[2], O_WRONLY | O_TRUNC) >= 0 || truncate(argv[2], 0) == 0 || unlink(argv[2]) == 0;
        say(made ? "made\n" : "refused\n");
        say(changed ? "changed\n" : "refused\n");
        say(open(argv[2], O_RDWR) >= 0 ? "opened\n" : "not opened\n");
    }
    if (strcmp(argv[0], "map") == 0) { /* as ld.so does it with what a library needs */
        int f = open(argv[1], O_RDONLY);
        void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, f, 0);
        say(p != MAP_FAILED ? *(char *)p == 't' ? "mapped\n" : "other\n" : errno == EPERM ? "refused\n" : "failed\n");
        say(tn_os_dl_refused() ? "named\n" : "nothing to name\n");
        p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        say(p != MAP_FAILED ? "memory\n" : "no memory\n");
    }
    if (strcmp(argv[0], "leave") == 0) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(setsid() < 0 && setpgid(0, 0) < 0 ? 9 : 8);
        int st = 0;
        waitpid(pid, &st, 0);
        say(WIFEXITED(st) && WEXITSTATUS(st) == 9 ? "refused\n" : "left\n");
    }
    if (strcmp(argv[0], "exec") == 0) {
        execve("/bin/true", none, none);
        say(errno == EPERM ? "refused\n" : "other\n");
        pid_t pid = fork(); /* as NVML starts nvidia-modprobe */
        if (pid == 0) {
            execve("/bin/true", none, none);
            _exit(9);
        }
        int st = 0;
        waitpid(pid, &st, 0);
        say(WIFEXITED(st) && WEXITSTATUS(st) == 9 ? "refused\n" : "started\n");
    }
    return strcmp(argv[0], "fail") == 0 ? 3 : 0;
}

static struct tn_os_run child(const char *what, const char *arg, unsigned ms)
{
    struct tn_os_run r;
    const char *const argv[] = {what, arg, NULL};
    assert_int_equal(tn_os_child(work, argv, ms, 100000, &r, &err), 0);
    return r;
}

static void check(const char *what, const char *arg, int status, const char *out)
{
    struct tn_os_run r = child(what, arg, 5000);
    assert_string_equal(r.out.p, out);
    assert_int_equal(r.status, status);
    assert_false(r.timed_out);
    tn_buf_deinit(&r.out);
}

static void test_what_it_said_is_kept(void **state)
{
    (void)state;
    check("well", NULL, 0, "before\n");
    check("fail", NULL, 3, "before\n");
    check("crash", NULL, 128 + SIGBUS, "before\n");
}

static void test_hang_and_flood_end(void **state)
{
    (void)state;
    uint64_t start = tn_os_monotonic_us();
    struct tn_os_run r = child("hang", NULL, 100);
    assert_true(r.timed_out);
    assert_string_equal(r.out.p, "before\n");
    tn_buf_deinit(&r.out);
    assert_true(tn_os_monotonic_us() - start < 3000000);
    r = child("flood", NULL, 5000);
    assert_true(r.cut);
    assert_int_equal(r.out.n, 100000);
    tn_buf_deinit(&r.out);
}

static void test_it_changes_nothing(void **state)
{
    (void)state;
    char path[] = "tenon-child-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    check("node", path, 0, "before\nrefused\n");
    assert_int_not_equal(access(path, F_OK), 0);
    check("write", path, 0, "before\nrefused\n");
    unlink(path);
    char old[] = "tenon-child-XXXXXX";
    fd = mkstemp(old);
    assert_true(fd >= 0 && write(fd, "text", 4) == 4);
    close(fd);
    struct tn_os_run r;
    const char *const argv[] = {"file", path, old, NULL};
    struct stat st;
    assert_int_equal(tn_os_child(work, argv, 5000, 100000, &r, &err), 0);
    assert_string_equal(r.out.p, "before\nrefused\nrefused\nopened\n");
    tn_buf_deinit(&r.out);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(stat(old, &st), 0);
    assert_true(st.st_size == 4 && (st.st_mode & 0777) == 0600);
    unlink(old);
    check("leave", NULL, 0, "before\nrefused\n");
    check("exec", NULL, 0, "before\nrefused\nrefused\n");
}

/* As root no file that others may write or replace comes into the child, by whatever way a library found it. */
static void test_it_maps_nothing_of_others(void **state)
{
    (void)state;
    static const char no[] = "before\nrefused\nnamed\nmemory\n", yes[] = "before\nmapped\nnothing to name\nmemory\n";
    char folder[] = "/tmp/tenon-child-XXXXXX", path[64], link[64];
    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/lib.so", folder);
    snprintf(link, sizeof link, "%s/link.so", folder);
    int fd = open(path, O_CREAT | O_RDWR, 0644);
    assert_true(fd >= 0 && write(fd, "text", 4) == 4);
    close(fd);
    assert_int_equal(symlink(path, link), 0);
    check("map", path, 0, yes);
    check("map", link, 0, yes);
    assert_int_equal(chmod(path, 0664), 0);
    check("map", path, 0, no);
    check("map", link, 0, no);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(chmod(folder, 0777), 0); /* somebody may put another one there */
    check("map", path, 0, no);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chown(path, 65000, 65000), 0);
    check("map", path, 0, no);
    assert_int_equal(chown(path, 0, 0), 0);
    assert_int_equal(chown(folder, 65000, 65000), 0);
    check("map", path, 0, no);
    unlink(link);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_said_is_kept), cmocka_unit_test(test_hang_and_flood_end),
        cmocka_unit_test(test_it_changes_nothing), cmocka_unit_test(test_it_maps_nothing_of_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    return 0; /* the program itself is the child there: tests/cli */
}
#endif
