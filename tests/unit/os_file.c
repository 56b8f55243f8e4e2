/* os_file.c - files, folders and names: what is the same on every system, and what each refuses. */
#include "os_help.h"

#include "base/limits.h"
#include "base/str.h"

static struct tn_err err;

static void stat_and_missing(void **state)
{
    struct tn_os_stat st;
    (void)state;
    make_file(in("plain"), "12345");
    assert_int_equal(tn_os_stat(NULL, in("plain"), true, &st, &err), 0);
    assert_int_equal(st.type, 'f');
    assert_int_equal(st.size, 5);
    assert_int_equal(st.nlink, 1);
    assert_true(st.ino != 0);
    assert_true(st.mtime > 1500000000 && st.mtime < 5000000000);
    assert_int_equal(tn_os_stat(NULL, scratch, false, &st, &err), 0);
    assert_int_equal(st.type, 'd');
    memset(&st, 'x', sizeof st);
    assert_int_equal(tn_os_stat(NULL, in("missing"), true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(st.type, 'x'); /* outputs untouched */
    assert_int_equal(tn_os_stat(NULL, in("missing" SEP "below"), true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(NULL, in("plain" SEP "below"), true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(NULL, "", true, &st, &err), TN_E_NOTFOUND);
    assert_string_equal(err.place, "");
}

static void ranges(void **state)
{
    struct tn_buf b;
    uint64_t size = 0;
    size_t n = 200000;
    char *text = tn_arena_alloc(&mem, n + 1);
    (void)state;
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i % 23);
    make_file(in("ranges"), text);
    tn_buf_init(&b);
    assert_int_equal(tn_os_read(NULL, in("ranges"), 0, SIZE_MAX, &b, &size, &err), 0);
    assert_int_equal(size, n);
    assert_int_equal(b.n, n);
    assert_memory_equal(b.p, text, n);
    assert_int_equal(tn_os_read(NULL, in("ranges"), 131000, 1000, &b, &size, &err), 0);
    assert_int_equal(b.n, 1000);
    assert_memory_equal(b.p, text + 131000, 1000);
    assert_int_equal(tn_os_read(NULL, in("ranges"), n - 3, 1000, &b, &size, &err), 0);
    assert_int_equal(b.n, 3);
    assert_int_equal(tn_os_read(NULL, in("ranges"), n, 10, &b, &size, &err), 0);
    assert_int_equal(b.n, 0);
    assert_int_equal(tn_os_read(NULL, in("ranges"), 1ull << 40, 10, &b, NULL, &err), 0);
    assert_int_equal(b.n, 0);
    assert_int_equal(tn_os_read(NULL, in("ranges"), 7, 0, &b, &size, &err), 0);
    assert_int_equal(b.n, 0);
    make_file(in("empty"), "");
    assert_int_equal(tn_os_read(NULL, in("empty"), 0, 10, &b, &size, &err), 0);
    assert_int_equal(b.n, 0);
    assert_int_equal(size, 0);
    tn_buf_str(&b, "kept");
    assert_int_equal(tn_os_read(NULL, in("missing"), 0, 10, &b, &size, &err), TN_E_NOTFOUND);
    assert_string_equal(b.p, "kept");
    assert_int_equal(tn_os_read(NULL, scratch, 0, 10, &b, &size, &err), TN_E_FORMAT);
    assert_string_equal(err.text, "is a folder");
    tn_buf_deinit(&b);
}

static void list_in_byte_order(void **state)
{
    static const char *const made[] = {"b",
                                       "a",
                                       "B",
                                       "a-b",
                                       "a.b",
                                       "\xE4\xB8\xAD\xE6\x96\x87",
                                       "z",
#ifdef _WIN32 /* names that differ in case only are one file there */
                                       "c",
#else
                                       "A",
#endif
                                       "\xF0\x9F\x98\x80"};
    struct tn_os_entry *list;
    size_t n, want = TN_LEN(made);
    (void)state;
    make_dir(in("list"));
    assert_int_equal(tn_os_list(NULL, in("list"), &mem, &list, &n, &err), 0);
    assert_int_equal(n, 0);
    for (size_t i = 0; i < TN_LEN(made); i++)
        make_file(in(tn_arena_printf(&mem, "list" SEP "%s", made[i])), "");
#ifdef _WIN32
    want--; /* "b" and "B" */
#endif
    make_dir(in("list" SEP "dir"));
    assert_int_equal(tn_os_list(NULL, in("list"), &mem, &list, &n, &err), 0);
    assert_int_equal(n, want + 1);
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(list[i - 1].name, list[i].name) < 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list[i].type, strcmp(list[i].name, "dir") == 0 ? 'd' : 'f');
    assert_string_equal(list[n - 1].name, "\xF0\x9F\x98\x80");
    assert_int_equal(tn_os_list(NULL, in("list" SEP "a"), &mem, &list, &n, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_list(NULL, in("missing"), &mem, &list, &n, &err), TN_E_NOTFOUND);
}

static void many_entries(void **state)
{
    struct tn_os_entry *list;
    size_t n;
    (void)state;
    make_dir(in("many"));
    for (unsigned i = 0; i < 700; i++) /* more than one buffer of the system holds */
        make_file(in(tn_arena_printf(&mem, "many" SEP "a-file-with-a-rather-long-name-of-its-own-%04u", i)), "");
    assert_int_equal(tn_os_list(NULL, in("many"), &mem, &list, &n, &err), 0);
    assert_int_equal(n, 700);
    assert_true(tn_str_ends(list[699].name, "-0699"));
}

static void write_replaces(void **state)
{
    struct tn_os_stat a, b;
    struct tn_buf text;
    struct tn_os_entry *list;
    size_t n;
    (void)state;
    tn_buf_init(&text);
    make_dir(in("write"));
    make_file(in("write" SEP "f"), "old and long");
    assert_int_equal(tn_os_write_file(in("write" SEP "f"), "new", 3, true, &err), 0);
    assert_int_equal(tn_os_read(NULL, in("write" SEP "f"), 0, 100, &text, NULL, &err), 0);
    assert_string_equal(text.p, "new");
    tn_buf_deinit(&text);
    assert_int_equal(tn_os_list(NULL, in("write"), &mem, &list, &n, &err), 0);
    assert_int_equal(n, 1); /* no temporary file left */
    assert_int_equal(tn_os_stat(NULL, in("write" SEP "f"), true, &a, &err), 0);
#ifndef _WIN32
    assert_int_equal(a.mode, 0600);
#endif
    make_file(in("write" SEP "g"), "");
    assert_int_equal(tn_os_stat(NULL, in("write" SEP "g"), true, &b, &err), 0);
    assert_true(a.ino != b.ino);
    make_dir(in("write" SEP "d"));
    assert_true(tn_os_write_file(in("write" SEP "d"), "x", 1, false, &err) < 0); /* over a folder */
    assert_int_equal(tn_os_list(NULL, in("write"), &mem, &list, &n, &err), 0);
    assert_int_equal(n, 3);
    assert_int_equal(tn_os_write_file(in("no" SEP "such"), "x", 1, false, &err), TN_E_NOTFOUND);
}

static void long_paths(void **state)
{
    char *p = in("long");
    struct tn_buf b;
    struct tn_os_stat st;
    struct tn_os_entry *list;
    size_t n;
    (void)state;
    make_dir(p);
    while (strlen(p) < 320) {
        p = tn_arena_printf(&mem, "%s" SEP "a-folder-with-a-name-of-forty-characters", p);
        make_dir(p);
    }
    tn_buf_init(&b);
    char *f = tn_arena_printf(&mem, "%s" SEP "file", p);
    make_file(f, "deep");
    assert_int_equal(tn_os_read(NULL, f, 0, 100, &b, NULL, &err), 0);
    assert_string_equal(b.p, "deep");
    assert_int_equal(tn_os_stat(NULL, f, true, &st, &err), 0);
    assert_int_equal(st.size, 4);
    assert_int_equal(tn_os_list(NULL, p, &mem, &list, &n, &err), 0);
    assert_int_equal(n, 1);
    if (tn_os_realpath(f, &b, &err))
        fail_msg("%s", err.text);
    assert_true(tn_str_ends(b.p, SEP "file"));
    assert_true(b.n > 320 && b.p[0] != '\\');
    uint64_t space, total;
    if (tn_os_disk(NULL, f, &space, &total, &err))
        fail_msg("%s", err.text);
    struct tn_os_root *root;
    assert_int_equal(tn_os_root_open(in("long"), &root, &err), 0);
    if (tn_os_read(root, f + strlen(in("long")), 0, 100, &b, NULL, &err))
        fail_msg("%s", err.text);
    assert_string_equal(b.p, "deep");
    tn_os_root_close(root);
    tn_buf_deinit(&b);
    char *huge = tn_arena_alloc(&mem, 200001);
    memset(huge, 'x', 200000);
    assert_int_equal(tn_os_stat(NULL, huge, true, &st, &err), TN_E_LIMIT);
}

static void odd_names(void **state)
{
#ifdef _WIN32
    static const char name[] = "lone-\xED\xA0\x80-surrogate";
#else
    static const char name[] = "not-\xFF\xFE-utf8\nline";
#endif
    struct tn_os_entry *list;
    struct tn_buf b;
    size_t n;
    (void)state;
    make_dir(in("odd"));
    char *p = in(tn_arena_printf(&mem, "odd" SEP "%s", name));
    if (tn_os_write_file(p, "x", 1, false, &err))
        skip(); /* a file system that refuses such names */
    assert_int_equal(tn_os_list(NULL, in("odd"), &mem, &list, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_string_equal(list[0].name, name);
    tn_buf_init(&b);
    assert_int_equal(tn_os_read(NULL, p, 0, 10, &b, NULL, &err), 0);
    assert_string_equal(b.p, "x");
    tn_buf_deinit(&b);
}

static void places(void **state)
{
    struct tn_buf b;
    uint64_t space = 0, total = 0;
    (void)state;
    tn_buf_init(&b);
    make_dir(in("places"));
    assert_int_equal(tn_os_realpath(in("places" SEP "." SEP ".." SEP "places"), &b, &err), 0);
    assert_true(tn_str_ends(b.p, SEP "places"));
    assert_true(tn_path_is_abs(TN_OS_STYLE_NATIVE, b.p));
    tn_buf_clear(&b);
    tn_buf_str(&b, "kept");
    assert_int_equal(tn_os_realpath(in("missing"), &b, &err), TN_E_NOTFOUND);
    assert_string_equal(b.p, "kept");
    assert_int_equal(tn_os_disk(NULL, scratch, &space, &total, &err), 0);
    assert_true(total > 0 && space <= total);
    assert_int_equal(tn_os_disk(NULL, in("missing"), &space, &total, &err), TN_E_NOTFOUND);
    assert_true(tn_path_is_abs(TN_OS_STYLE_NATIVE, tn_os_cwd(&mem)));
    assert_int_equal(tn_os_readlink(NULL, in("places"), &b, &err), TN_E_FORMAT);
    assert_int_equal(tn_os_readlink(NULL, in("missing"), &b, &err), TN_E_NOTFOUND);
    tn_buf_deinit(&b);
}

/* Both spellings of a root: everything stays below the folder. */
static void inside_a_root(void **state)
{
    static const char *const good[] = {"/etc/name", "etc/name", "/../../etc/./name", "/etc/../etc//name",
                                       "/etc/../../etc/name"};
    static const char *const bad[] = {"/etc/missing", "/etc/name/", "/etc/name/..", "/etc/name/x", "", "/other/name"};
    struct tn_os_root *root;
    struct tn_os_stat st;
    struct tn_os_entry *list;
    struct tn_buf b;
    uint64_t space, total;
    size_t n;
    (void)state;
    make_dir(in("root"));
    make_dir(in("other"));
    make_file(in("other" SEP "name"), "outside");
    make_dir(in("root" SEP "etc"));
    make_file(in("root" SEP "etc" SEP "name"), "inside");
    tn_buf_init(&b);
    assert_int_equal(tn_os_root_open(in("missing"), &root, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_root_open(in("root" SEP "etc" SEP "name"), &root, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_root_open(in("root"), &root, &err), 0);
    for (size_t i = 0; i < TN_LEN(good); i++) {
        if (tn_os_read(root, good[i], 0, 100, &b, NULL, &err))
            fail_msg("%s: %s", good[i], err.text);
        assert_string_equal(b.p, "inside");
    }
    for (size_t i = 0; i < TN_LEN(bad); i++)
        if (tn_os_stat(root, bad[i], true, &st, &err) != TN_E_NOTFOUND)
            fail_msg("%s: found", bad[i]);
    assert_int_equal(tn_os_list(root, "/", &mem, &list, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_string_equal(list[0].name, "etc");
    assert_int_equal(tn_os_read(root, "/etc", 0, 10, &b, NULL, &err), TN_E_FORMAT);
    assert_int_equal(tn_os_list(root, "/etc/name", &mem, &list, &n, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_readlink(root, "/etc/name", &b, &err), TN_E_FORMAT);
    assert_int_equal(tn_os_disk(root, "/etc", &space, &total, &err), 0);
#ifdef _WIN32
    assert_int_equal(tn_os_stat(root, "C:\\etc\\name", true, &st, &err), 0);
    assert_int_equal(tn_os_stat(root, "c:/ETC/name", true, &st, &err), 0);
    assert_int_equal(tn_os_stat(root, "D:\\etc\\name", true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(root, "\\\\server\\share", true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(root, "/etc/name::$DATA", true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(root, "/etc/C:", true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(root, "/NUL", true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(root, "/etc/na*", true, &st, &err), TN_E_NOTFOUND);
#endif
    tn_os_root_close(root);
    tn_os_root_close(NULL);
    tn_buf_deinit(&b);
}

#ifdef _WIN32
static void devices_refused(void **state)
{
    static const char *const list[] = {"NUL",
                                       "nul",
                                       "CON",
                                       "COM1",
                                       "CONIN$",
                                       "C:\\NUL",
                                       "\\\\.\\PhysicalDrive0",
                                       "//./COM1",
                                       "\\\\?\\GLOBALROOT\\Device\\Null",
                                       "\\\\.\\pipe\\tenon-none",
                                       "\\\\?\\pipe\\tenon-none",
                                       "\\\\server\\pipe\\x",
                                       "//server/PIPE/x",
                                       "\\\\?\\UNC\\server\\pipe\\x",
                                       "\\\\server\\mailslot\\x",
                                       "\\??\\C:\\x"};
    struct tn_buf b;
    struct tn_os_stat st;
    (void)state;
    tn_buf_init(&b);
    for (size_t i = 0; i < TN_LEN(list); i++) {
        if (tn_os_read(NULL, list[i], 0, 10, &b, NULL, &err) != TN_E_REFUSED)
            fail_msg("%s was not refused: %d %s", list[i], err.code, err.text);
        assert_int_equal(tn_os_stat(NULL, list[i], true, &st, &err), TN_E_NOTFOUND); /* no file, no folder */
    }
    assert_int_equal(tn_os_stat(NULL, "C:\\*", true, &st, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_stat(NULL, "C:\\win<", true, &st, &err), TN_E_NOTFOUND);
    tn_buf_deinit(&b);
}

static void spellings(void **state)
{
    struct tn_os_stat a, b;
    (void)state;
    make_file(in("Spelled"), "x");
    assert_int_equal(tn_os_stat(NULL, in("Spelled"), true, &a, &err), 0);
    assert_int_equal(tn_os_stat(NULL, in("sPELLED"), true, &b, &err), 0);
    assert_int_equal(a.ino, b.ino);
    char *p = in("Spelled");
    for (char *c = p; *c; c++)
        if (*c == '\\')
            *c = '/';
    assert_int_equal(tn_os_stat(NULL, p, true, &b, &err), 0);
    assert_int_equal(tn_os_stat(NULL, tn_arena_printf(&mem, "\\\\?\\%s", in("Spelled")), true, &b, &err), 0);
    assert_int_equal(a.ino, b.ino);
}

static void held_open(void **state)
{
    struct tn_buf b;
    wchar_t *w;
    (void)state;
    make_file(in("held"), "text");
    tn_buf_init(&b);
    assert_int_equal(tn_win32_native(&mem, in("held"), &w, &err), 0);
    HANDLE h =
        CreateFileW(w, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    assert_int_equal(tn_os_read(NULL, in("held"), 0, 10, &b, NULL, &err), 0); /* we do not disturb a writer */
    assert_string_equal(b.p, "text");
    CloseHandle(h);
    h = CreateFileW(w, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    assert_int_equal(tn_os_read(NULL, in("held"), 0, 10, &b, NULL, &err), TN_E_DENIED);
    CloseHandle(h);
    tn_buf_deinit(&b);
}
#else
static void devices_refused(void **state)
{
    static const char *const list[] = {"/dev/null", "/dev/zero", "/dev/tty", "/dev/stdin/../null"};
    struct tn_buf b;
    struct tn_os_stat st;
    struct tn_os_entry *names;
    size_t n;
    (void)state;
    tn_buf_init(&b);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(tn_os_read(NULL, list[i], 0, 10, &b, NULL, &err), TN_E_REFUSED);
    assert_int_equal(tn_os_stat(NULL, "/dev/null", true, &st, &err), 0);
    assert_int_equal(st.type, 'c');
    assert_int_equal(st.major, 1);
    assert_int_equal(st.minor, 3);
    assert_int_equal(mkfifo(in("fifo"), 0666), 0); /* a read of it would hang */
    assert_int_equal(tn_os_read(NULL, in("fifo"), 0, 10, &b, NULL, &err), TN_E_REFUSED);
    assert_int_equal(tn_os_list(NULL, in("fifo"), &mem, &names, &n, &err), TN_E_NOTFOUND);
    assert_int_equal(symlink("fifo", in("to-fifo")), 0);
    assert_int_equal(tn_os_read(NULL, in("to-fifo"), 0, 10, &b, NULL, &err), TN_E_REFUSED);
    assert_int_equal(tn_os_stat(NULL, in("to-fifo"), true, &st, &err), 0);
    assert_int_equal(st.type, 'p');
    assert_int_equal(tn_os_stat(NULL, in("to-fifo"), false, &st, &err), 0);
    assert_int_equal(st.type, 'l');
    assert_int_equal(tn_os_readlink(NULL, in("to-fifo"), &b, &err), 0);
    assert_string_equal(b.p, "fifo");
    tn_buf_deinit(&b);
}

static void files_of_proc(void **state)
{
    struct tn_buf b;
    uint64_t size = 1;
    (void)state;
    tn_buf_init(&b);
    assert_int_equal(tn_os_read(NULL, "/proc/self/status", 0, TN_MAX_SMALL_FILE, &b, &size, &err), 0);
    assert_int_equal(size, 0);
    assert_non_null(strstr(b.p, "Pid:"));
    tn_buf_deinit(&b);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stat_and_missing), cmocka_unit_test(ranges),         cmocka_unit_test(list_in_byte_order),
        cmocka_unit_test(many_entries),     cmocka_unit_test(write_replaces), cmocka_unit_test(long_paths),
        cmocka_unit_test(odd_names),        cmocka_unit_test(places),         cmocka_unit_test(inside_a_root),
        cmocka_unit_test(devices_refused),
#ifdef _WIN32
        cmocka_unit_test(spellings),        cmocka_unit_test(held_open),
#else
        cmocka_unit_test(files_of_proc),
#endif
    };
    tn_os_start();
    return cmocka_run_group_tests_name("os_file", tests, help_setup, help_teardown);
}
