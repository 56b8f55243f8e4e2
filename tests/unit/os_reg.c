/* os_reg.c - the registry: values of every type as text, lists in order; elsewhere there is none. */
#include "os_help.h"

#include "base/limits.h"
#include "base/str.h"

static struct tn_err err;

#ifdef _WIN32
#define KEY "HKCU\\Software\\tenon-unit-test"

static HKEY made;

static void put(const wchar_t *name, DWORD type, const void *data, size_t n)
{
    assert_int_equal(RegSetValueExW(made, name, 0, type, data, (DWORD)n), 0);
}

static int setup(void **state)
{
    if (help_setup(state))
        return 1;
    return RegCreateKeyExW(HKEY_CURRENT_USER, L"Software\\tenon-unit-test", 0, NULL, 0,
                           KEY_ALL_ACCESS | KEY_WOW64_64KEY, NULL, &made, NULL) != 0;
}

static int teardown(void **state)
{
    RegDeleteKeyExW(made, L"v12.4", KEY_WOW64_64KEY, 0);
    RegDeleteKeyExW(made, L"v12.10", KEY_WOW64_64KEY, 0);
    RegDeleteKeyExW(made, L"both", KEY_WOW64_64KEY, 0);
    RegCloseKey(made);
    RegDeleteKeyExW(HKEY_CURRENT_USER, L"Software\\tenon-unit-test", KEY_WOW64_64KEY, 0);
    return help_teardown(state);
}

static void expect(const char *value, const char *want)
{
    const char *got = NULL;
    if (tn_os_reg_value(KEY, value, &mem, &got, &err))
        fail_msg("%s: %s", value, err.text);
    assert_string_equal(got, want);
}

static void values(void **state)
{
    const char *got = "kept";
    DWORD d = 4000000000u;
    uint64_t q = 18446744073709551615u;
    (void)state;
    put(L"InstallDir", REG_SZ, L"C:\\\x4E2D\x6587", 2 * 6);
    expect("InstallDir", "C:\\\xE4\xB8\xAD\xE6\x96\x87");
    expect("INSTALLDIR", "C:\\\xE4\xB8\xAD\xE6\x96\x87");
    put(L"unended", REG_SZ, L"abc", 2 * 3); /* no NUL: the writer's fault, and seen in practice */
    expect("unended", "abc");
    put(L"odd", REG_SZ, L"abc", 2 * 2 + 1); /* half a character at the end */
    expect("odd", "ab");
    put(L"inside", REG_SZ, L"ab\0cd", 2 * 6);
    expect("inside", "ab");
    put(L"empty", REG_SZ, L"", 0);
    expect("empty", "");
    put(L"expand", REG_EXPAND_SZ, L"%SystemRoot%\\x", 2 * 15);
    expect("expand", "%SystemRoot%\\x");
    put(L"multi", REG_MULTI_SZ, L"one\0two\0", 2 * 9);
    expect("multi", "one\ntwo");
    put(L"multi2", REG_MULTI_SZ, L"one\0tw", 2 * 6);
    expect("multi2", "one\ntw");
    put(L"dword", REG_DWORD, &d, 4);
    expect("dword", "4000000000");
    put(L"big", REG_DWORD_BIG_ENDIAN, "\0\0\1\2", 4);
    expect("big", "258");
    put(L"qword", REG_QWORD, &q, 8);
    expect("qword", "18446744073709551615");
    put(L"", REG_SZ, L"default", 2 * 8);
    expect("", "default");
    put(L"short", REG_DWORD, &d, 2);
    assert_int_equal(tn_os_reg_value(KEY, "short", &mem, &got, &err), TN_E_FORMAT);
    put(L"binary", REG_BINARY, "\1\2\3", 3);
    assert_int_equal(tn_os_reg_value(KEY, "binary", &mem, &got, &err), TN_E_FORMAT);
    void *large = tn_arena_alloc(&mem, TN_MAX_SMALL_FILE + 2);
    put(L"large", REG_SZ, large, TN_MAX_SMALL_FILE + 2);
    assert_int_equal(tn_os_reg_value(KEY, "large", &mem, &got, &err), TN_E_LIMIT);
    assert_int_equal(tn_os_reg_value(KEY, "missing", &mem, &got, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_reg_value(KEY "\\missing", "x", &mem, &got, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_reg_value("HKXX\\Software", "x", &mem, &got, &err), TN_E_USAGE);
    assert_string_equal(got, "kept");
}

static void lists(void **state)
{
    static const char *const want[] = {"both", "both", "v12.10", "v12.4"};
    struct tn_os_entry *list;
    size_t n, k = 0;
    HKEY sub;
    (void)state;
    static const wchar_t *const keys[] = {L"v12.4", L"v12.10", L"both"};
    for (size_t i = 0; i < TN_LEN(keys); i++) {
        assert_int_equal(RegCreateKeyExW(made, keys[i], 0, NULL, 0, KEY_ALL_ACCESS | KEY_WOW64_64KEY, NULL, &sub, NULL),
                         0);
        RegCloseKey(sub);
    }
    put(L"both", REG_SZ, L"x", 4);
    assert_int_equal(tn_os_reg_list(KEY, &mem, &list, &n, &err), 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(i == 0 || strcmp(list[i - 1].name, list[i].name) <= 0);
        if (list[i].type == 'd' || strcmp(list[i].name, "both") == 0)
            assert_string_equal(list[i].name, want[k++]);
    }
    assert_int_equal(k, 4);
    assert_int_equal(tn_os_reg_list(KEY "\\v12.4", &mem, &list, &n, &err), 0);
    assert_int_equal(n, 0);
    assert_int_equal(tn_os_reg_list(KEY "\\missing", &mem, &list, &n, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_reg_list("HKEY_LOCAL_MACHINE\\SOFTWARE", &mem, &list, &n, &err), 0);
    assert_true(n > 0);
    assert_int_equal(tn_os_reg_list("HKLM", &mem, &list, &n, &err), 0);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(lists)};
    tn_os_start();
    return cmocka_run_group_tests_name("os_reg", tests, setup, teardown);
}
#else
static void none(void **state)
{
    const char *got;
    struct tn_os_entry *list;
    size_t n;
    (void)state;
    assert_int_equal(tn_os_reg_value("HKLM\\SOFTWARE", "x", &mem, &got, &err), TN_E_UNSUPPORTED);
    assert_int_equal(tn_os_reg_list("HKLM\\SOFTWARE", &mem, &list, &n, &err), TN_E_UNSUPPORTED);
    assert_string_equal(err.place, "HKLM\\SOFTWARE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none)};
    return cmocka_run_group_tests_name("os_reg", tests, help_setup, help_teardown);
}
#endif
