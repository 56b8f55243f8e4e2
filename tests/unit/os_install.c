/* os_install.c - what an installer has started itself does not outlive a killed tenon's lock: whoever gets the lock
 * works alone, though that child has closed the lock, as Python's do. */
#include "os_help.h"

#ifdef _WIN32
int main(void)
{
    return 0; /* os_win32_change.c */
}
#else
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "os/change.h"

static struct tn_err err;

static void said(void *ctx, const char *line, size_t n)
{
    (void)ctx;
    (void)line;
    (void)n;
}

static uint64_t size_of(const char *name)
{
    struct tn_os_stat st;
    return tn_os_stat(NULL, in(name), true, &st, NULL) ? 0 : st.size;
}

/* As tenon does: takes the lock and starts a program that starts another one, which writes for as long as it lives, or
 * the folder does. */
static _Noreturn void tenon(const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL}, *const env[] = {"PATH=/usr/bin:/bin", NULL};
    struct tn_os_dir *d = NULL;
    struct tn_os_lock *lock = NULL;
    long holder;
    int status = 0;
    if (tn_os_dir_open(scratch, &d, &err) || tn_os_lock_take(d, "lock", 0, &lock, &holder, &err))
        _exit(1);
    struct tn_os_install how = {.argv = argv, .env = env, .cwd = scratch, .lock = lock, .said = said};
    tn_os_install(&how, &status, &err);
    _exit(2);
}

/* Nobody asks after what the killed one has left, as in a container whose first process is no init. */
static void test_killed(void **state)
{
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    struct tn_os_dir *d;
    struct tn_os_lock *lock;
    long holder;
    for (unsigned i = 0; i < 10; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            tenon("(exec 3>&- 1>&- 2>&-; while echo x >>written; do :; done) & wait");
        uint64_t was = size_of("written");
        for (unsigned k = 0; k < 3000 && size_of("written") == was; k++)
            usleep(10000);
        assert_true(size_of("written") > was);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_int_equal(tn_os_dir_open(scratch, &d, &err), 0);
        assert_int_equal(tn_os_lock_take(d, "lock", 8000, &lock, &holder, &err), 0);
        was = size_of("written");
        usleep(30000);
        assert_int_equal(size_of("written"), was);
        tn_os_lock_drop(lock);
        tn_os_dir_close(d);
    }
}

/* What it leaves running when it ends is ended before the answer comes. */
static void test_left_running(void **state)
{
    (void)state;
    const char *const argv[] = {"/bin/sh", "-c", "(while echo x >>left; do :; done) & exit 7", NULL};
    const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    struct tn_os_install how = {.argv = argv, .env = env, .cwd = scratch, .said = said};
    int status = 0;
    assert_int_equal(tn_os_install(&how, &status, &err), 0);
    assert_int_equal(status, 7);
    uint64_t was = size_of("left");
    usleep(30000);
    assert_int_equal(size_of("left"), was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_killed, help_setup, help_teardown),
                                       cmocka_unit_test_setup_teardown(test_left_running, help_setup, help_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
