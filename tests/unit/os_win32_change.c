/* os_win32_change.c - changes on Windows: nothing behind a junction, what others hold stays whole, names that Windows
 * keeps, read-only files, long paths, the lock and what is started with it. */
#include "os_help.h"

#ifndef _WIN32
int main(void)
{
    return 0; /* nothing of it exists here */
}
#else
#include <process.h>

#include "os/change.h"

static struct tn_err err;
static struct tn_os_dir *top;

static int setup(void **state)
{
    int rc = help_setup(state);
    return rc ? rc : tn_os_dir_open(scratch, &top, &err);
}

static int teardown(void **state)
{
    tn_os_dir_close(top);
    return help_teardown(state);
}

static const wchar_t *wide(const char *path)
{
    wchar_t *w;
    assert_int_equal(tn_win32_native(&mem, path, &w, NULL), 0);
    return w;
}

static bool is_there(const char *name)
{
    return GetFileAttributesW(wide(in(name))) != INVALID_FILE_ATTRIBUTES;
}

static const char *content(const char *name)
{
    struct tn_buf b;
    tn_buf_init(&b);
    const char *r =
        tn_os_read(NULL, in(name), 0, 4096, &b, NULL, NULL) ? "(none)" : tn_arena_strdup(&mem, b.n ? b.p : "");
    tn_buf_deinit(&b);
    return r;
}

/* A folder that leads elsewhere: a junction, under wine, which makes none, a link of the machine below. */
static bool lead(const char *name, const char *to)
{
    wchar_t line[2048];
    STARTUPINFOW s = {.cb = sizeof s};
    PROCESS_INFORMATION p;
    bool wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
    if (wine) {
        char *(CDECL * unix_name)(const WCHAR *) =
            (void *)GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "wine_get_unix_file_name");
        char *a = unix_name ? unix_name(wide(in(to))) : NULL, *b = unix_name ? unix_name(wide(scratch)) : NULL;
        if (!a || !b)
            return false;
        _snwprintf(line, 2048, L"\"Z:\\bin\\ln\" -s %hs %hs/%hs", a, b, name);
    } else {
        _snwprintf(line, 2048, L"cmd /c mklink /J \"%ls\" \"%ls\"", wide(in(name)), wide(in(to)));
    }
    if (!CreateProcessW(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &s, &p))
        return false;
    WaitForSingleObject(p.hProcess, 10000);
    CloseHandle(p.hProcess);
    CloseHandle(p.hThread);
    for (int i = 0; i < 100 && !is_there(name); i++)
        Sleep(20);
    return is_there(name);
}

static int no_precious(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *ret)
{
    (void)ret;
    if (strstr(e->path, "precious"))
        *(bool *)ctx = true;
    return 0;
}

static void test_junction(void **state)
{
    (void)state;
    bool seen = false;
    make_dir(in("outside"));
    make_file(in("outside\\precious"), "precious");
    make_dir(in("tree"));
    make_file(in("tree\\mine"), "mine");
    if (!lead("tree/out", "outside")) {
        print_message("no junction can be made here\n");
        return;
    }
    assert_true(is_there("tree\\out\\precious"));
    assert_int_equal(tn_os_tree_walk(top, "tree", no_precious, &seen, &err), 0);
    assert_false(seen);
    tn_os_tree_remove(top, "tree", &err); /* wine removes no such link: then it says so */
    assert_string_equal(content("outside\\precious"), "precious");
    RemoveDirectoryW(wide(in("tree\\out")));
}

static void test_copy(void **state)
{
    (void)state;
    struct tn_os_stat a, b;
    make_dir(in("env"));
    make_dir(in("env\\sub"));
    make_file(in("env\\sub\\x"), "x");
    make_file(in("env\\locked"), "read only");
    assert_true(SetFileAttributesW(wide(in("env\\locked")), FILE_ATTRIBUTE_READONLY));
    assert_int_equal(tn_os_tree_copy(top, "env", "copy", &err), 0);
    assert_int_equal(tn_os_stat(NULL, in("env\\sub\\x"), false, &a, &err), 0);
    assert_int_equal(tn_os_stat(NULL, in("copy\\sub\\x"), false, &b, &err), 0);
    assert_true(a.ino == b.ino); /* a further name of the same file */
    assert_int_equal(tn_os_stat(NULL, in("env\\sub"), false, &a, &err), 0);
    assert_int_equal(tn_os_stat(NULL, in("copy\\sub"), false, &b, &err), 0);
    assert_true(a.ino != b.ino && a.mtime == b.mtime);
    struct tn_os_dir *d;
    assert_int_equal(tn_os_dir_enter(top, "copy", &d, &err), 0);
    assert_int_equal(tn_os_dir_replace(d, "sub2", "y", 1, 0644, &err), 0);
    tn_os_dir_close(d);
    assert_int_equal(tn_os_tree_remove(top, "copy", &err), 0);
    assert_false(is_there("copy"));
    assert_string_equal(content("env\\locked"), "read only");
    assert_true(GetFileAttributesW(wide(in("env\\locked"))) & FILE_ATTRIBUTE_READONLY);
    assert_int_equal(tn_os_tree_remove(top, "env", &err), 0);
    assert_false(is_there("env"));
}

/* The name never is without a file, and what others hold for themselves stays as it is. */
static void test_held(void **state)
{
    (void)state;
    make_file(in("a"), "old");
    make_file(in("b"), "new");
    assert_int_equal(tn_os_dir_swap(top, "a", "b", &err), 0);
    assert_string_equal(content("a"), "new");
    assert_string_equal(content("b"), "old");
    assert_false(is_there("b-"));
    assert_int_equal(tn_os_dir_write(top, "a", "newer", 5, 0600, &err), 0);
    assert_string_equal(content("a"), "newer");
    HANDLE h = CreateFileW(wide(in("a")), GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    assert_true(h != INVALID_HANDLE_VALUE);
    assert_int_equal(tn_os_dir_write(top, "a", "x", 1, 0600, &err), TN_E_DENIED);
    assert_int_equal(tn_os_dir_swap(top, "a", "b", &err), TN_E_DENIED);
    assert_int_equal(tn_os_tree_remove(top, "a", &err), TN_E_DENIED);
    assert_int_equal(tn_os_dir_rename(top, "a", "c", &err), TN_E_DENIED);
    CloseHandle(h);
    assert_string_equal(content("a"), "newer");
    assert_string_equal(content("b"), "old");
    struct tn_os_entry *list;
    size_t n;
    assert_int_equal(tn_os_dir_list(top, &mem, &list, &n, &err), 0);
    assert_int_equal(n, 2); /* nothing is left of what was tried */
    assert_int_equal(tn_os_dir_rename(top, "a", "b", &err), TN_E_EXISTS);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "..", "a/b", "a\\b", "a:b",  "CON",     "nul.txt", "com1",
                                      "Lpt9", "x.", "x ",  "a*",   "a\tb", "conout$", NULL};
    for (unsigned i = 0; bad[i]; i++)
        assert_int_equal(tn_os_dir_make(top, bad[i], 0755, &err), TN_E_USAGE);
    assert_int_equal(tn_os_dir_make(top, "console", 0755, &err), 0);
    assert_int_equal(tn_os_dir_make(top, "\xe6\x96\x87\xe4\xbb\xb6", 0755, &err), 0);
    assert_int_equal(tn_os_dir_make(top, "console", 0755, &err), TN_E_EXISTS);
}

/* A path of thousands of characters: each folder is opened in the one above it. */
static void test_long(void **state)
{
    (void)state;
    struct tn_os_dir *d = NULL, *in_it;
    assert_int_equal(tn_os_dir_ensure(top, "long", &d, &err), 0);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(tn_os_dir_ensure(d, "a-name-of-some-fifty-characters-that-makes-a-long-path", &in_it, &err),
                         0);
        assert_int_equal(tn_os_dir_write(d, "file", "x", 1, 0644, &err), 0);
        tn_os_dir_close(d);
        d = in_it;
    }
    tn_os_dir_close(d);
    assert_int_equal(tn_os_tree_copy(top, "long", "copy", &err), 0);
    assert_int_equal(tn_os_tree_remove(top, "long", &err), 0);
    assert_int_equal(tn_os_tree_remove(top, "copy", &err), 0);
    assert_false(is_there("long"));
    assert_false(is_there("copy"));
}

static void said(void *ctx, const char *line, size_t n)
{
    tn_buf_add(ctx, line, n);
    tn_buf_ch(ctx, '|');
}

/* This program again, as an installer. */
static int install(struct tn_os_lock *lock, const char *how, unsigned idle_ms, struct tn_buf *text, int *ret_status)
{
    const char *const argv[] = {self(), how, NULL};
    struct tn_os_install i = {
        .argv = argv, .cwd = scratch, .lock = lock, .idle_ms = idle_ms, .said = said, .ctx = text};
    return tn_os_install(&i, ret_status, &err);
}

static void test_install(void **state)
{
    (void)state;
    struct tn_os_lock *lock, *other;
    struct tn_buf text;
    long holder = 0;
    int status = 0;
    tn_buf_init(&text);
    assert_int_equal(tn_os_lock_take(top, "lock", 0, &lock, &holder, &err), 0);
    assert_int_equal(tn_os_lock_take(top, "lock", 50, &other, &holder, &err), TN_E_TIMEOUT);
    assert_int_equal(holder, GetCurrentProcessId());
    assert_int_equal(install(lock, "say", 0, &text, &status), 0);
    assert_int_equal(status, 7);
    assert_non_null(strstr(text.p, "one|two|"));
    assert_string_equal(content("made"), "here"); /* in the folder that it was to stand in */
    assert_int_equal(install(lock, "hang", 500, &text, &status), TN_E_TIMEOUT);
    tn_os_lock_drop(lock);
    /* what it has started is gone, too: nobody holds the lock any more */
    assert_int_equal(tn_os_lock_take(top, "lock", 2000, &other, &holder, &err), 0);
    tn_os_lock_drop(other);
    tn_buf_deinit(&text);
}

/* A console that closes: whoever answers the system is ended by it. Until what was begun is taken back nobody does. */
static void test_closed(void **state)
{
    (void)state;
    assert_int_equal(_spawnl(_P_WAIT, self(), "closed", "closed", NULL), 130);
}

static int closed(void)
{
    FARPROC f = GetProcAddress(GetModuleHandleW(L"kernelbase.dll"), "CtrlRoutine"); /* where the system begins it */
    LPTHREAD_START_ROUTINE routine;
    memcpy(&routine, &f, sizeof routine);
    tn_os_interrupts_hold();
    HANDLE h = f ? CreateThread(NULL, 0, routine, (void *)(uintptr_t)CTRL_CLOSE_EVENT, 0, NULL) : NULL;
    if (!h || WaitForSingleObject(h, 300) != WAIT_TIMEOUT || !tn_os_interrupted())
        return 1;
    tn_os_interrupts_release();
    return 2;
}

static int child(const char *how)
{
    if (strcmp(how, "closed") == 0)
        return closed();
    if (strcmp(how, "say") == 0) {
        FILE *f = fopen("made", "wb");
        if (f) {
            fputs("here", f);
            fclose(f);
        }
        fputs("one\r\ntwo\n", stdout);
        return 7;
    }
    Sleep(60000);
    return 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_junction, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_held, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_names, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_long, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_install, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_closed, setup, teardown)};
    return argc > 1 ? child(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
