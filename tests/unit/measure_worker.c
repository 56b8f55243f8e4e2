/* measure_worker.c - work in a child: whatever becomes of it, the parent knows what it said and where it ended. */
#include "os_help.h"

#include "base/str.h"
#include "measure/worker.h"

#ifndef _WIN32
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* Each word is one thing that a vendor's library might do. */
static int act(const char *const *argv)
{
    tn_step("load", 5000);
    tn_tell("library %s", argv[1] ? argv[1] : "none");
    tn_step("compute", strcmp(argv[0], "hang") == 0 ? 100 : 5000);
    fprintf(stderr, "half a line of a library");
    tn_tell("result 1\nstep forged");
    if (strcmp(argv[0], "crash") == 0)
        raise(SIGSEGV);
    while (strcmp(argv[0], "hang") == 0 || strcmp(argv[0], "stuck") == 0)
        tn_os_monotonic_us();
    while (strcmp(argv[0], "flood") == 0)
        fprintf(stderr, "a line of a library that does not stop\n");
    if (strcmp(argv[0], "exit") == 0)
        _exit(0);
    if (strcmp(argv[0], "memory") == 0) {
        void *volatile p = malloc(64u << 20); /* or a compiler leaves it out */
        tn_tell(p ? "memory" : "no memory");
        free(p);
    }
    tn_step("late", 5000);
    return strcmp(argv[0], "stop") == 0 ? 3 : 0;
}

static const struct tn_work acting = {"acting", act};

static struct tn_worked run(const char *what, unsigned deadline_ms, uint64_t memory)
{
    const char *const argv[] = {what, "libcuda.so.1", NULL};
    const struct tn_worker w = {.work = &acting, .argv = argv, .deadline_ms = deadline_ms, .memory = memory};
    struct tn_worked r;
    struct tn_err err;
    assert_int_equal(tn_worker_run(&w, &r, &err), 0);
    return r;
}

static void expect(const char *what, unsigned deadline_ms, enum tn_worker_end end, int number, const char *step)
{
    struct tn_worked r = run(what, deadline_ms, 0);
    assert_int_equal(r.end, end);
    assert_int_equal(end == TN_WORKER_CRASHED ? r.signal : end == TN_WORKER_LATE ? number : r.status, number);
    assert_string_equal(r.step, step);
    assert_true(tn_str_starts(r.told.p, "library libcuda.so.1\nresult 1 step forged\n"));
    if (end != TN_WORKER_FLOODED)
        assert_string_equal(r.log.p, "half a line of a library\n");
    tn_worked_deinit(&r);
}

static void test_every_end_is_told(void **state)
{
    (void)state;
    expect("well", 5000, TN_WORKER_DONE, 0, "late");
    expect("stop", 5000, TN_WORKER_STOPPED, 3, "late");
    expect("exit", 5000, TN_WORKER_QUIT, 0, "compute"); /* not done, whatever the status */
    expect("crash", 5000, TN_WORKER_CRASHED, SIGSEGV, "compute");
    expect("hang", 5000, TN_WORKER_LATE, 0, "compute");
    expect("stuck", 200, TN_WORKER_LATE, 0, "compute");
}

static void test_a_flood_ends(void **state)
{
    (void)state;
    struct tn_worked r = run("flood", 60000, 0);
    assert_int_equal(r.end, TN_WORKER_FLOODED);
    assert_string_equal(r.step, "compute");
    tn_worked_deinit(&r);
}

static void test_memory_is_capped(void **state)
{
    struct tn_worked r;
    (void)state;
#ifndef __SANITIZE_ADDRESS__ /* which maps terabytes: no cap can be set beside it */
    r = run("memory", 5000, 32u << 20);
    assert_non_null(strstr(r.told.p, "\nno memory\n"));
    tn_worked_deinit(&r);
#endif
    r = run("memory", 5000, 0);
    assert_non_null(strstr(r.told.p, "\nmemory\n"));
    tn_worked_deinit(&r);
}

static void count(void *ctx, struct tn_span line)
{
    *(unsigned *)ctx += line.n > 0;
}

static void test_lines_come_as_they_are_told(void **state)
{
    (void)state;
    unsigned n = 0;
    const char *const argv[] = {"well", NULL};
    const struct tn_worker w = {.work = &acting, .argv = argv, .deadline_ms = 5000, .told = count, .ctx = &n};
    struct tn_worked r;
    struct tn_err err;
    assert_int_equal(tn_worker_run(&w, &r, &err), 0);
    assert_int_equal(n, 2);
    tn_worked_deinit(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_end_is_told), cmocka_unit_test(test_a_flood_ends),
                                       cmocka_unit_test(test_memory_is_capped),
                                       cmocka_unit_test(test_lines_come_as_they_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    return 0;
}
#endif
