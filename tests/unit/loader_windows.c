/* loader_windows.c - the rules of Windows' search, one by one, over hand-made rows. wine's loader is the judge in
 * tests/windows/loader_oracle.sh; here each rule can be seen to fail alone, and what wine does not do. */
#include "loader_disk.h"

struct windows {
    struct machine m;
    struct tn_windows w;
};

static const char *const path_folders[] = {"C:\\p"};

static void w_init(struct windows *x)
{
    m_init(&x->m);
    TN_THE(&x->m.s, host)->os = tn_fact_str(&x->m.s, 0, "windows");
    x->w = (struct tn_windows){.application = "C:\\py",
                               .system = "C:\\Windows\\System32",
                               .folder = "C:\\Windows",
                               .path = path_folders,
                               .n_path = 1,
                               .path_known = true};
    x->m.p = (struct tn_process){.kind = TN_PROCESS_WINDOWS,
                                 .version = "",
                                 .machine = "x86_64",
                                 .bits = 64,
                                 .program = "C:\\py\\python.exe",
                                 .library_path = "",
                                 .preload = "",
                                 .audit = "",
                                 .cwd = "C:\\cwd",
                                 .windows = &x->w};
}

static struct tn_rec_image *w_dll(struct windows *x, const char *path, const char *needed)
{
    m_lib(&x->m, path, NULL, needed, NULL, NULL);
    return m_last(&x->m);
}

static void w_start(struct windows *x)
{
    w_dll(x, "C:\\py\\python.exe", "KERNEL32.dll");
    assert_true(m_start(&x->m, TN_LOADER_SHADOWS));
}

/* The file, or the number of the error, or "unknown". */
static const char *w_open(struct windows *x, const char *name, unsigned flags)
{
    const struct tn_search *s = tn_loader_open_with(&x->m.l, TN_PROGRAM, name, flags);
    if (s->outcome == TN_OUTCOME_FOUND)
        return s->object == TN_NO_OBJECT ? "a part of Windows" : x->m.l.object[s->object].path;
    return s->outcome == TN_OUTCOME_UNKNOWN ? "unknown" : strstr(s->error, "WinError") + 9;
}

#define ERROR_126 "126] The specified module could not be found"
#define ERROR_193 "193] %1 is not a valid Win32 application"

/* Program, System32, System, Windows, working folder, PATH. */
static void standard_order(void **state)
{
    static const char *const at[] = {"C:\\py\\x.dll",
                                     "C:\\Windows\\System32\\x.dll",
                                     "C:\\Windows\\System\\x.dll",
                                     "C:\\Windows\\x.dll",
                                     "C:\\cwd\\x.dll",
                                     "C:\\p\\x.dll"};
    (void)state;
    for (unsigned from = 0; from <= TN_LEN(at); from++) {
        struct windows x;
        w_init(&x);
        for (unsigned i = from; i < TN_LEN(at); i++)
            w_dll(&x, at[i], "");
        w_start(&x);
        assert_string_equal(w_open(&x, "X.DLL", 0),
                            from < TN_LEN(at) ? tn_path_join(&x.m.mem, TN_PATH_WINDOWS,
                                                             tn_path_dir(&x.m.mem, TN_PATH_WINDOWS, at[from]), "X.DLL")
                                              : ERROR_126);
        const struct tn_search *s = &x.m.l.search[x.m.l.n_search - 1];
        assert_int_equal(s->n_shadowed, from < TN_LEN(at) ? TN_LEN(at) - 1 - from : 0);
        m_deinit(&x.m);
    }
}

/* An extension module of Python 3.8 and later: its own folder, the program's, os.add_dll_directory, System32; no PATH.
 */
static void python_import(void **state)
{
    (void)state;
    struct windows x;
    w_init(&x);
    w_dll(&x, "C:\\site\\m.pyd", "beside.dll,added.dll,KERNEL32.dll,api-ms-win-crt-heap-l1-1-0.dll");
    w_dll(&x, "C:\\site\\n.pyd", "onpath.dll");
    w_dll(&x, "C:\\site\\beside.dll", "");
    w_dll(&x, "C:\\p\\beside.dll", "");
    w_dll(&x, "C:\\p\\onpath.dll", "");
    w_dll(&x, "C:\\add\\added.dll", "");
    w_start(&x);
    assert_string_equal(w_open(&x, "C:\\site\\m.pyd", TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR), ERROR_126);
    tn_loader_add_folder(&x.m.l, "C:\\add");
    assert_string_equal(w_open(&x, "C:\\site\\m.pyd", TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR), "C:\\site\\m.pyd");
    assert_int_not_equal(m_object(&x.m, "C:\\site\\beside.dll"), TN_NO_OBJECT);
    assert_string_equal(w_open(&x, "C:\\site\\n.pyd", TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR), ERROR_126);
    assert_string_equal(w_open(&x, "C:\\site\\n.pyd", TN_LOAD_ALTERED), "C:\\site\\n.pyd"); /* Python 3.7 */
    m_deinit(&x.m);
}

/* A loaded module serves its base name wherever it lies; a whole path is another file. */
static void loaded(void **state)
{
    (void)state;
    struct windows x;
    w_init(&x);
    w_dll(&x, "C:\\torch\\cudart64_12.dll", "");
    w_dll(&x, "C:\\p\\cudart64_12.dll", "");
    w_start(&x);
    assert_string_equal(w_open(&x, "C:\\torch\\cudart64_12.dll", 0x1100), "C:\\torch\\cudart64_12.dll");
    assert_string_equal(w_open(&x, "CUDART64_12", 0), "C:\\torch\\cudart64_12.dll");
    assert_string_equal(w_open(&x, "C:\\p\\cudart64_12.dll", 0), "C:\\p\\cudart64_12.dll");
    assert_string_equal(w_open(&x, "cudart64_12.dll", 0x100), "87] The parameter is incorrect");
    m_deinit(&x.m);
}

/* A Python of the Store: no PATH, no Windows folder, no working folder. */
static void packaged(void **state)
{
    (void)state;
    struct windows x;
    w_init(&x);
    x.w.packaged = true;
    w_dll(&x, "C:\\p\\x.dll", "");
    w_dll(&x, "C:\\Windows\\System32\\y.dll", "");
    w_start(&x);
    assert_string_equal(w_open(&x, "x.dll", 0), ERROR_126);
    assert_string_equal(w_open(&x, "x.dll", TN_LOAD_ALTERED), ERROR_126);
    assert_string_equal(w_open(&x, "y.dll", 0), "C:\\Windows\\System32\\y.dll");
    m_deinit(&x.m);
}

/* KnownDLLs are System32's, whatever lies beside the program; parts of Windows are never missing. */
static void windows_own(void **state)
{
    (void)state;
    struct windows x;
    w_init(&x);
    w_dll(&x, "C:\\py\\shell32.dll", "");
    w_dll(&x, "C:\\py\\dbghelp.dll", "");
    w_start(&x);
    assert_string_equal(w_open(&x, "SHELL32.dll", 0), "a part of Windows");
    assert_string_equal(w_open(&x, "dbghelp.dll", 0), "C:\\py\\dbghelp.dll"); /* is none of KnownDLLs */
    assert_string_equal(w_open(&x, "bcrypt.dll", 0), "a part of Windows");
    assert_string_equal(w_open(&x, "ext-ms-win-gdi-dc-l1-2-0.dll", 0x1000), "a part of Windows");
    m_deinit(&x.m);
}

/* 32 bits are passed over, no PE file stops; what nobody looked at makes it unknown. */
static void kinds_of_files(void **state)
{
    (void)state;
    struct windows x;
    w_init(&x);
    w_dll(&x, "C:\\py\\x.dll", "")->bits = tn_fact_int(0, 32);
    w_dll(&x, "C:\\p\\x.dll", "");
    w_dll(&x, "C:\\py\\y.dll", "")->damage = tn_fact_str(&x.m.s, 0, "not-pe");
    w_dll(&x, "C:\\p\\y.dll", "");
    w_dll(&x, "C:\\p\\z.dll", "")->bits = tn_fact_int(0, 32);
    w_dll(&x, "C:\\p\\u.dll", "")->seen = tn_fact_nostr(0, TN_UNASKED);
    w_start(&x);
    assert_string_equal(w_open(&x, "x.dll", 0), "C:\\p\\x.dll");
    assert_string_equal(w_open(&x, "y.dll", 0), ERROR_193);
    assert_string_equal(w_open(&x, "z.dll", 0), ERROR_193);
    x.m.silent = true;
    assert_string_equal(w_open(&x, "u.dll", 0), "unknown");
    x.m.silent = false;
    x.w.path_known = false;
    assert_string_equal(w_open(&x, "none.dll", 0), "unknown");
    m_deinit(&x.m);
}

/* Two folders of os.add_dll_directory with different files: no order is promised. */
static void added_twice(void **state)
{
    (void)state;
    struct windows x;
    w_init(&x);
    w_dll(&x, "C:\\a\\x.dll", "");
    w_dll(&x, "C:\\b\\x.dll", "");
    w_start(&x);
    tn_loader_add_folder(&x.m.l, "C:\\a");
    assert_string_equal(w_open(&x, "x.dll", TN_LOAD_DEFAULT), "C:\\a\\x.dll");
    m_deinit(&x.m);
    w_init(&x);
    w_dll(&x, "C:\\a\\x.dll", "");
    w_dll(&x, "C:\\b\\x.dll", "");
    w_start(&x);
    tn_loader_add_folder(&x.m.l, "C:\\a");
    tn_loader_add_folder(&x.m.l, "C:\\b");
    assert_string_equal(w_open(&x, "x.dll", TN_LOAD_DEFAULT), "unknown");
    m_deinit(&x.m);
}

/* python3.dll has its symbols served by python310.dll: who imports one loads both; delayed imports are not loaded. */
static void forwarders(void **state)
{
    (void)state;
    struct windows x;
    w_init(&x);
    struct tn_rec_image *i = w_dll(&x, "C:\\s\\a.pyd", "two.dll");
    i->takes = m_list(&x.m, "two.dll:three.dll", ',');
    i->delayed = m_list(&x.m, "late.dll", ',');
    w_dll(&x, "C:\\s\\b.pyd", "two.dll")->takes = m_list(&x.m, "two.dll:", ',');
    w_dll(&x, "C:\\s\\two.dll", "")->forwards = m_list(&x.m, "three.dll", ',');
    w_start(&x);
    assert_string_equal(w_open(&x, "C:\\s\\b.pyd", 0x1100), "C:\\s\\b.pyd");
    assert_string_equal(w_open(&x, "C:\\s\\a.pyd", 0x1100), "127] The specified procedure could not be found");
    w_dll(&x, "C:\\s\\three.dll", "");
    assert_string_equal(w_open(&x, "C:\\s\\a.pyd", 0x1100), "C:\\s\\a.pyd");
    assert_int_not_equal(m_object(&x.m, "C:\\s\\three.dll"), TN_NO_OBJECT);
    m_deinit(&x.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(standard_order), cmocka_unit_test(python_import),
                                       cmocka_unit_test(loaded),         cmocka_unit_test(packaged),
                                       cmocka_unit_test(windows_own),    cmocka_unit_test(kinds_of_files),
                                       cmocka_unit_test(added_twice),    cmocka_unit_test(forwarders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
