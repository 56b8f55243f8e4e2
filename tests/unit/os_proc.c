/* os_proc.c - children: arguments, output, deadlines, descendants. This program is its own child. */
#include "os_help.h"

#include "base/str.h"

#ifdef _WIN32
#include <shellapi.h>
#else
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#endif

static struct tn_err err;
static const char *me;

/* The children. */

static void say(const char *text)
{
    tn_os_print(1, text, strlen(text));
}

static void nap(unsigned ms)
{
#ifdef _WIN32
    Sleep(ms);
#else
    usleep(ms * 1000);
#endif
}

#ifdef _WIN32
/* Arguments as the system's own parser reads them. */
static void echo(int argc, char **argv)
{
    int n;
    LPWSTR *w = CommandLineToArgvW(GetCommandLineW(), &n);
    for (int i = 2; i < n; i++) {
        say(tn_win32_narrow(&mem, w[i], wcslen(w[i])));
        say("\x01");
    }
    say(n == argc ? "" : "the C runtime counts others");
    LocalFree(w);
    (void)argv;
}

/* Starts itself as a grandchild that outlives its parent. */
static void spawn(const char *mode, const char *arg)
{
    STARTUPINFOW s = {.cb = sizeof s};
    PROCESS_INFORMATION p;
    wchar_t *line = tn_win32_wide(&mem, tn_arena_printf(&mem, "\"%s\" %s \"%s\"", self(), mode, arg));
    s.dwFlags = STARTF_USESTDHANDLES;
    s.hStdOutput = s.hStdError = GetStdHandle(STD_OUTPUT_HANDLE);
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &s, &p))
        say("cannot spawn");
}
#else
static void echo(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        say(argv[i]);
        say("\x01");
    }
}

static void spawn(const char *mode, const char *arg)
{
    if (fork() == 0)
        execl(self(), self(), mode, arg, NULL);
}
#endif

static int child(int argc, char **argv)
{
    const char *mode = argv[1], *arg = argc > 2 ? argv[2] : "";
    tn_arena_init(&mem);
    if (strcmp(mode, "--echo") == 0) {
        echo(argc, argv);
    } else if (strcmp(mode, "--status") == 0) {
        return atoi(arg);
    } else if (strcmp(mode, "--env") == 0) {
        const char *v = tn_os_env(&mem, arg);
        say(v ? v : "(not set)");
    } else if (strcmp(mode, "--flood") == 0) {
        for (;;)
            if (!tn_os_print(1, "0123456789", 10))
                return 1;
    } else if (strcmp(mode, "--sleep") == 0) {
        say("before");
        nap(60000);
    } else if (strcmp(mode, "--tick") == 0) { /* writes its pulse into a file */
        for (unsigned i = 0; i < 600; i++) {
            char text[16];
            snprintf(text, sizeof text, "%u", i);
            tn_os_write_file(arg, text, strlen(text), false, NULL);
            nap(20);
        }
    } else if (strcmp(mode, "--family") == 0) {
        spawn("--tick", arg);
        nap(60000);
    } else if (strcmp(mode, "--leave") == 0) { /* ends, and leaves one that holds the pipe */
        spawn("--tick", arg);
        nap(100);
        say("done");
    } else if (strcmp(mode, "--stdin") == 0) {
        char c;
        say(fread(&c, 1, 1, stdin) == 0 && feof(stdin) ? "empty" : "not empty");
    } else if (strcmp(mode, "--both") == 0) {
        tn_os_print(1, "out ", 4);
        tn_os_print(2, "err", 3);
    }
    return 0;
}

/* The tests. */

static int run(const char *mode, const char *arg, unsigned ms, size_t max, struct tn_os_run *ret)
{
    const char *argv[] = {me, mode, arg, NULL};
    return tn_os_run(argv, NULL, ms, max, ret, &err);
}

static void arguments(void **state)
{
    static const char *const list[] = {"plain",
                                       "",
                                       "two words",
                                       "tab\there",
                                       "\"",
                                       "\"quoted\"",
                                       "a\"b",
                                       "\\",
                                       "\\\\",
                                       "ends with \\",
                                       "ends with two \\\\",
                                       "C:\\Program Files\\x\\",
                                       "\\\"",
                                       "a\\\"b c\\\\\"d",
                                       "a\\b\\\\c",
                                       "%PATH% ^ & | < > ( ) ! `$HOME` 'x' ;",
                                       "*.c",
                                       "line\nbreak",
                                       "\xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x98\x80"};
    const char *argv[TN_LEN(list) + 3] = {me, "--echo"};
    struct tn_os_run r;
    struct tn_buf want;
    (void)state;
    tn_buf_init(&want);
    for (size_t i = 0; i < TN_LEN(list); i++) {
        argv[i + 2] = list[i];
        tn_buf_printf(&want, "%s\x01", list[i]);
    }
    if (tn_os_run(argv, NULL, 20000, 1 << 20, &r, &err))
        fail_msg("%s", err.text);
    assert_string_equal(r.out.p, want.p);
    tn_buf_deinit(&r.out);
    tn_buf_deinit(&want);
}

static void status_and_streams(void **state)
{
    struct tn_os_run r;
    (void)state;
    assert_int_equal(run("--status", "7", 20000, 100, &r), 0);
    assert_int_equal(r.status, 7);
    assert_int_equal(r.out.n, 0);
    assert_false(r.cut);
    assert_int_equal(run("--both", "", 20000, 100, &r), 0);
    assert_string_equal(r.out.p, "out err");
    tn_buf_deinit(&r.out);
    assert_int_equal(run("--stdin", "", 20000, 100, &r), 0);
    assert_string_equal(r.out.p, "empty");
    tn_buf_deinit(&r.out);
}

static void environment(void **state)
{
    const char *const env[] = {"Z_LAST=1", "TENON_ODD=a=b \xE4\xB8\xAD", NULL};
    const char *argv[] = {me, "--env", "TENON_ODD", NULL};
    struct tn_os_run r;
    (void)state;
    assert_int_equal(tn_os_run(argv, env, 20000, 1000, &r, &err), 0);
    assert_string_equal(r.out.p, "a=b \xE4\xB8\xAD");
    tn_buf_deinit(&r.out);
#ifdef _WIN32
    _putenv("TENON_SECRET=x");
#else
    setenv("TENON_SECRET", "x", 1);
#endif
    assert_string_equal(tn_os_env(&mem, "TENON_SECRET"), "x");
    assert_null(tn_os_env(&mem, "TENON_NOT_SET"));
    assert_int_equal(run("--env", "TENON_SECRET", 20000, 100, &r), 0); /* ours is not passed on */
    assert_string_equal(r.out.p, "(not set)");
    tn_buf_deinit(&r.out);
    assert_int_equal(run("--env", "PATH", 20000, 1000, &r), 0);
    assert_true(r.out.n > 5 && r.out.p[0] != '(');
    tn_buf_deinit(&r.out);
}

static void output_is_capped(void **state)
{
    struct tn_os_run r;
    (void)state;
    uint64_t from = tn_os_monotonic_us();
    assert_int_equal(run("--flood", "", 20000, 100005, &r), 0);
    assert_true(tn_os_monotonic_us() - from < 15000000);
    assert_true(r.cut);
    assert_false(r.timed_out);
    assert_int_equal(r.out.n, 100005);
    assert_memory_equal(r.out.p + 100000, "01234", 5);
    tn_buf_deinit(&r.out);
    assert_int_equal(run("--both", "", 20000, 7, &r), 0); /* exactly as much as there is */
    assert_false(r.cut);
    tn_buf_deinit(&r.out);
}

static void deadline(void **state)
{
    struct tn_os_run r;
    memset(&r, 'x', sizeof r);
    (void)state;
    uint64_t from = tn_os_monotonic_us();
    assert_int_equal(run("--sleep", "", 700, 100, &r), TN_E_TIMEOUT);
    uint64_t took = tn_os_monotonic_us() - from;
    assert_true(took >= 700000 && took < 3000000);
    assert_int_equal(r.status, 0x78787878); /* untouched */
}

/* The file of a ticking grandchild stands still. */
static void stands_still(const char *path)
{
    struct tn_buf a, b;
    tn_buf_init(&a);
    tn_buf_init(&b);
    nap(100);
    assert_int_equal(tn_os_read(NULL, path, 0, 100, &a, NULL, &err), 0);
    nap(400);
    assert_int_equal(tn_os_read(NULL, path, 0, 100, &b, NULL, &err), 0);
    assert_string_equal(a.p, b.p);
    tn_buf_deinit(&a);
    tn_buf_deinit(&b);
}

static void grandchild_ends_too(void **state)
{
    struct tn_os_run r;
    (void)state;
    assert_int_equal(run("--family", in("pulse"), 3000, 100, &r), TN_E_TIMEOUT);
    stands_still(in("pulse"));
}

static void one_left_behind(void **state)
{
    struct tn_os_run r;
    (void)state;
    uint64_t from = tn_os_monotonic_us();
    if (run("--leave", in("left"), 10000, 100, &r))
        fail_msg("%s", err.text);
    assert_true(tn_os_monotonic_us() - from < 9000000);
    assert_string_equal(r.out.p, "done");
    assert_int_equal(r.status, 0);
    tn_buf_deinit(&r.out);
    if (tn_os_read(NULL, in("left"), 0, 1, &r.out, NULL, &err) == 0) /* it may not have got that far */
        stands_still(in("left"));
    tn_buf_deinit(&r.out);
}

static void not_programs(void **state)
{
    struct tn_os_run r;
    const char *argv[] = {in("none"), NULL};
    (void)state;
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_NOTFOUND);
    argv[0] = scratch;
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_DENIED);
#ifdef _WIN32
    make_file(in("text.exe"), "not a program, and long enough to have been one if it had begun with MZ");
    argv[0] = in("text.exe");
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_FORMAT);
    make_file(in("x.bat"), "@echo hello");
    argv[0] = in("x.bat");
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_REFUSED);
    argv[0] = in("x.BAT.");
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_REFUSED);
    argv[0] = "NUL";
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_REFUSED);
#else
    make_file(in("text"), "no #! here");
    argv[0] = in("text");
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_DENIED); /* not executable */
    assert_int_equal(chmod(in("text"), 0755), 0);
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_FORMAT);
    make_file(in("lost"), "#!/no/such/interpreter\n");
    assert_int_equal(chmod(in("lost"), 0755), 0);
    argv[0] = in("lost");
    assert_int_equal(tn_os_run(argv, NULL, 5000, 100, &r, &err), TN_E_NOTFOUND);
#endif
}

#ifndef _WIN32
static void only_the_pipe_is_inherited(void **state)
{
    static const char *const argv[] = {"/bin/sh", "-c", "ls /proc/self/fd; kill -PIPE $$; sleep 1; echo alive", NULL};
    struct tn_os_run r;
    (void)state;
    int fd = dup(0); /* without close-on-exec */
    assert_true(fd > 2);
    assert_int_equal(tn_os_run(argv, NULL, 5000, 1000, &r, &err), 0);
    assert_string_equal(r.out.p, "0\n1\n2\n3\n"); /* 3: the folder that ls reads */
    assert_int_equal(r.status, 128 + SIGPIPE);    /* not ignored, though it is in us */
    close(fd);
    tn_buf_deinit(&r.out);
}

#ifdef __linux__
static void no_new_privileges(void **state)
{
    static const char *const argv[] = {"/bin/sh", "-c", "grep NoNewPrivs /proc/self/status", NULL};
    struct tn_os_run r;
    (void)state;
    assert_int_equal(tn_os_run(argv, NULL, 5000, 1000, &r, &err), 0);
    assert_string_equal(r.out.p, "NoNewPrivs:\t1\n");
    tn_buf_deinit(&r.out);
}
#endif

static void standard_descriptors_closed(void **state)
{
    struct tn_os_run r;
    int keep[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        keep[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
        close(i);
    }
    int rc = run("--both", "", 20000, 100, &r);
    for (int i = 0; i < 3; i++)
        if (keep[i] >= 0) {
            dup2(keep[i], i);
            close(keep[i]);
        }
    assert_int_equal(rc, 0);
    assert_string_equal(r.out.p, "out err");
    tn_buf_deinit(&r.out);
}
#endif

static void the_system(void **state)
{
    struct tn_os_sys s;
    (void)state;
    tn_os_sys(&mem, &s);
    assert_non_null(s.release);
    assert_true(tn_is_digit(s.release[0]));
    assert_non_null(s.node);
    assert_true(tn_str_in(s.arch, (const char *const[]){"x86_64", "aarch64", "i686", NULL}));
#ifdef _WIN32
    assert_string_equal(s.name, "windows");
    assert_non_null(s.cpu);
    assert_non_null(strstr(s.cpu, "pni")); /* of every x86-64 processor that Windows 10 runs on */
    assert_true(tn_str_glob("*.*.*", s.release));
#else
    assert_string_equal(s.name, "linux");
    assert_int_equal(s.uid, getuid());
#endif
    uint64_t a = tn_os_monotonic_us();
    nap(50);
    uint64_t took = tn_os_monotonic_us() - a;
    assert_true(took >= 40000 && took < 5000000);
}

static void put_env(const char *name, const char *value)
{
#ifdef _WIN32
    SetEnvironmentVariableA(name, *value ? value : NULL);
#else
    setenv(name, value, 1);
#endif
}

static void locale(void **state)
{
    bool utf8;
    (void)state;
    put_env("LC_ALL", "");
    put_env("LC_MESSAGES", "");
    put_env("LC_CTYPE", "");
    put_env("LANG", "zh_CN.UTF-8");
    assert_string_equal(tn_os_locale(&mem, &utf8), "zh_CN");
    assert_true(utf8);
    put_env("LC_ALL", "de_DE@euro");
    assert_string_equal(tn_os_locale(&mem, &utf8), "de_DE");
    put_env("LC_ALL", "C.UTF-8");
    assert_string_equal(tn_os_locale(&mem, &utf8), "");
    assert_true(utf8);
    put_env("LC_ALL", "POSIX");
    assert_string_equal(tn_os_locale(&mem, &utf8), "");
    put_env("LC_ALL", "");
    put_env("LANG", "");
#ifdef _WIN32
    const char *l = tn_os_locale(&mem, &utf8);
    assert_true(tn_str_glob("??_??", l) || tn_str_glob("??", l));
#else
    assert_string_equal(tn_os_locale(&mem, &utf8), "");
    assert_false(utf8);
    put_env("LC_CTYPE", "en_US.utf8"); /* the encoding, not the language */
    assert_string_equal(tn_os_locale(&mem, &utf8), "");
    assert_true(utf8);
#endif
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),
        cmocka_unit_test(status_and_streams),
        cmocka_unit_test(environment),
        cmocka_unit_test(output_is_capped),
        cmocka_unit_test(deadline),
        cmocka_unit_test(grandchild_ends_too),
        cmocka_unit_test(one_left_behind),
        cmocka_unit_test(not_programs),
#ifndef _WIN32
        cmocka_unit_test(only_the_pipe_is_inherited),
        cmocka_unit_test(standard_descriptors_closed),
#ifdef __linux__
        cmocka_unit_test(no_new_privileges),
#endif
#endif
        cmocka_unit_test(the_system),
        cmocka_unit_test(locale),
    };
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0)
        return child(argc, argv);
    tn_os_start();
    tn_arena_init(&mem);
    struct tn_arena keep;
    tn_arena_init(&keep);
    me = tn_arena_strdup(&keep, self());
    tn_arena_deinit(&mem);
    int rc = cmocka_run_group_tests_name("os_proc", tests, help_setup, help_teardown);
    tn_arena_deinit(&keep);
    return rc;
}
