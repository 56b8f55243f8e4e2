/* os_wtf8.c - the parts of os/win32 that make no system call, tested everywhere: names, reparse data, the walk
 * inside another root over folders that exist only here. */
#ifndef _WIN32 /* there they come with the library */
#include "../../src/os/win32/walk.c"
#include "../../src/os/win32/wtf8.c"
#endif
#include "os_help.h"

#include "base/limits.h"
#include "base/str.h"
#include "os/win32/walk.h"
#include "os/win32/wtf8.h"

static struct tn_err err;

/* A copy without room behind it, so that a sanitizer sees the first byte too many. */
static void *exact(const void *p, size_t n)
{
    void *r = malloc(n ? n : 1);
    assert_non_null(r);
    memcpy(r, p, n);
    return r;
}

static void every_unit_comes_back(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < 0x10000; a++) {
        uint16_t u[3] = {(uint16_t)a, 'x', 0}, back[3];
        char s[9];
        size_t n = tn_wtf8_from_utf16(u, 2, s, sizeof s);
        assert_true(n == (a < 0x80 ? 2u : a < 0x800 ? 3u : 4u));
        assert_int_equal(tn_wtf8_to_utf16(s, n, back, 3), 2);
        assert_memory_equal(u, back, 4);
    }
    uint32_t seed = 12345;
    for (unsigned i = 0; i < 20000; i++) { /* surrogates in any order */
        uint16_t u[6], back[6];
        char s[24];
        for (unsigned k = 0; k < 6; k++) {
            seed = seed * 1664525u + 1013904223u;
            u[k] = (uint16_t)(seed >> 31 ? 0xD800 + (seed >> 16 & 0x7FF) : seed >> 16 & 0xFFFF);
        }
        size_t n = tn_wtf8_from_utf16(u, 6, s, sizeof s);
        assert_int_equal(tn_wtf8_to_utf16(s, n, back, 6), 6);
        assert_memory_equal(u, back, sizeof u);
    }
}

static void known_text(void **state)
{
    static const uint16_t pair[] = {0xD83D, 0xDE00}, half[] = {0xD83D}, swapped[] = {0xDE00, 0xD83D};
    char s[16];
    uint16_t u[8];
    (void)state;
    assert_int_equal(tn_wtf8_from_utf16(pair, 2, s, 16), 4);
    assert_memory_equal(s, "\xF0\x9F\x98\x80", 4);
    assert_int_equal(tn_wtf8_from_utf16(half, 1, s, 16), 3);
    assert_memory_equal(s, "\xED\xA0\xBD", 3);
    assert_int_equal(tn_wtf8_from_utf16(swapped, 2, s, 16), 6);
    assert_memory_equal(s, "\xED\xB8\x80\xED\xA0\xBD", 6);
    assert_int_equal(tn_wtf8_to_utf16("a\xFF\xC0\x80z", 5, u, 8), 5);
    assert_true(u[0] == 'a' && u[1] == 0xFFFD && u[2] == 0xFFFD && u[3] == 0xFFFD && u[4] == 'z');
    assert_int_equal(tn_wtf8_to_utf16("\xE4\xB8", 2, u, 8), 2); /* cut short */
    assert_int_equal(tn_wtf8_to_utf16("\xF5\x80\x80\x80", 4, u, 8), 4);
    assert_int_equal(tn_wtf8_to_utf16("\xF4\x90\x80\x80", 4, u, 8), 4); /* beyond U+10FFFF */
    assert_int_equal(tn_wtf8_to_utf16("", 0, NULL, 0), 0);
}

static void bounds(void **state)
{
    static const char text[] = "a\xE4\xB8\xAD\xF0\x9F\x98\x80z";
    static const uint16_t wide[] = {'a', 0x4E2D, 0xD83D, 0xDE00, 'z'};
    (void)state;
    for (size_t cap = 0; cap <= 5; cap++) {
        uint16_t *u = exact(wide, cap * 2);
        memset(u, 0, cap * 2);
        assert_int_equal(tn_wtf8_to_utf16(text, strlen(text), u, cap), 5);
        assert_memory_equal(u, wide, 2 * (cap == 3 ? 2 : cap)); /* never half a character */
        free(u);
    }
    for (size_t cap = 0; cap <= 9; cap++) {
        char *s = exact(text, cap);
        memset(s, 0, cap);
        assert_int_equal(tn_wtf8_from_utf16(wide, 5, s, cap), 9);
        assert_memory_equal(s, text, cap < 1 ? 0 : cap < 4 ? 1 : cap < 8 ? 4 : cap);
        free(s);
    }
    for (size_t n = 0; n <= strlen(text); n++) {
        char *s = exact(text, n);
        size_t k = tn_wtf8_whole(s, n);
        assert_int_equal(k, n == 2 || n == 3 ? 1 : n >= 5 && n < 8 ? 4 : n);
        free(s);
    }
    assert_int_equal(tn_wtf8_whole("\x80\x80\x80\x80\x80", 5), 5); /* garbage is not held back */
}

/* REPARSE_DATA_BUFFER as MS-FSCC has it. */
static size_t reparse(unsigned char *b, uint32_t tag, const char *substitute, const char *print)
{
    size_t n = strlen(substitute), m = strlen(print), head = tag == TN_TAG_SYMLINK ? 12 : 8;
    uint16_t fields[6] = {0, (uint16_t)(2 * n), (uint16_t)(2 * n), (uint16_t)(2 * m), 1, 0};
    uint16_t len = (uint16_t)(head + 2 * (n + m));
    memset(b, 0, 8);
    memcpy(b, &tag, 4);
    memcpy(b + 4, &len, 2);
    memcpy(b + 8, fields, head);
    tn_wtf8_to_utf16(substitute, n, (uint16_t *)(void *)(b + 8 + head), n);
    tn_wtf8_to_utf16(print, m, (uint16_t *)(void *)(b + 8 + head + 2 * n), m);
    return 8u + len;
}

static void reparse_targets(void **state)
{
    static const struct {
        uint32_t tag;
        const char *substitute, *want;
    } rows[] = {
        {TN_TAG_SYMLINK, "..\\a\\b", "..\\a\\b"},
        {TN_TAG_SYMLINK, "\\??\\C:\\x", "C:\\x"},
        {TN_TAG_SYMLINK, "\\??\\UNC\\server\\share", "\\\\server\\share"},
        {TN_TAG_MOUNT_POINT, "\\??\\D:\\data\\", "D:\\data\\"},
        {TN_TAG_MOUNT_POINT, "\\??\\Volume{01}\\", "\\\\?\\Volume{01}\\"},
        {TN_TAG_SYMLINK, "", ""},
    };
    unsigned char b[512];
    struct tn_buf t;
    (void)state;
    tn_buf_init(&t);
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        size_t n = reparse(b, rows[i].tag, rows[i].substitute, "what is shown");
        assert_int_equal(tn_win32_reparse_target(tn_span_of(b, n), &t, &err), 0);
        assert_string_equal(t.p, rows[i].want);
        for (size_t cut = 0; cut < n; cut++) { /* shorter than it says */
            void *p = exact(b, cut);
            assert_int_equal(tn_win32_reparse_target(tn_span_of(p, cut), &t, &err), TN_E_FORMAT);
            free(p);
        }
        for (size_t at = 4; at < 24 && at < n; at++) { /* lengths and offsets of any value */
            unsigned char *p = exact(b, n);
            for (unsigned v = 0; v < 256; v++) {
                p[at] = (unsigned char)v;
                tn_win32_reparse_target(tn_span_of(p, n), &t, NULL);
            }
            free(p);
        }
    }
    static const unsigned char lx[] = {0x1D, 0, 0,   0xA0, 12,  0,   0,   0,   2,   0,
                                       0,    0, '/', 'u',  's', 'r', '/', 'l', 'i', 'b'};
    assert_int_equal(tn_win32_reparse_target(tn_span_of(lx, sizeof lx), &t, &err), 0);
    assert_string_equal(t.p, "/usr/lib");
    static const unsigned char exec[] = {0x1B, 0, 0, 0x80, 4, 0, 0, 0, 3, 0, 0, 0};
    assert_int_equal(tn_win32_reparse_target(tn_span_of(exec, sizeof exec), &t, &err), TN_E_FORMAT);
    tn_buf_deinit(&t);
}

/* A tree of its own: name, type, target. Whatever is not below R:\root is the host, which must not be asked for. */
static const struct node {
    const char *path;
    char type;
    const char *target;
} tree[] = {
    {"R:\\root\\usr", 'd', NULL},
    {"R:\\root\\usr\\lib", 'd', NULL},
    {"R:\\root\\usr\\lib\\libx.so.1", 'f', NULL},
    {"R:\\root\\usr\\lib\\libx.so", 'l', "libx.so.1"},
    {"R:\\root\\lib", 'l', "usr/lib"},
    {"R:\\root\\abs", 'l', "/usr/lib"},
    {"R:\\root\\win", 'l', "C:\\usr\\lib\\"},
    {"R:\\root\\chain", 'l', "abs"},
    {"R:\\root\\up", 'l', "../../../../usr"},
    {"R:\\root\\slash", 'l', "usr/lib/libx.so.1/"},
    {"R:\\root\\other-drive", 'l', "D:\\host"},
    {"R:\\root\\share", 'l', "\\\\server\\share"},
    {"R:\\root\\volume", 'l', "\\\\?\\Volume{01}\\"},
    {"R:\\root\\loop", 'l', "loop2"},
    {"R:\\root\\loop2", 'l', "/loop"},
    {"R:\\root\\self", 'l', "self/x"},
    {"R:\\root\\empty", 'l', ""},
    {"R:\\root\\stream", 'l', "usr:x"},
};

static int look_here(void *ctx, const char *path, char *ret_type, struct tn_buf *ret_target, struct tn_err *e)
{
    unsigned *asked = ctx;
    ++*asked;
    assert_true(tn_str_starts(path, "R:\\root\\"));
    assert_null(strstr(path, ".."));
    for (size_t i = 0; i < TN_LEN(tree); i++)
        if (strcmp(tree[i].path, path) == 0) {
            *ret_type = tree[i].type;
            if (tree[i].target)
                tn_buf_str(ret_target, tree[i].target);
            return 0;
        }
    return tn_err_set(e, TN_E_NOTFOUND, path, "no such file");
}

static void walks(void **state)
{
#define LIBX "R:\\root\\usr\\lib\\libx.so.1"
    static const struct {
        const char *path;
        bool last;
        int code;
        const char *want;
    } rows[] = {
        {"/usr/lib/libx.so", true, 0, LIBX},
        {"/usr/lib/libx.so", false, 0, "R:\\root\\usr\\lib\\libx.so"},
        {"/lib/libx.so", true, 0, LIBX},
        {"/abs/libx.so", true, 0, LIBX},
        {"/chain/libx.so", true, 0, LIBX},
        {"/win/libx.so.1", true, 0, LIBX},
        {"C:\\usr\\lib\\libx.so", true, 0, LIBX},
        {"c:/usr//lib/./libx.so.1", true, 0, LIBX},
        {"/up/lib/libx.so.1", true, 0, LIBX},
        {"/../../../usr/lib/libx.so.1", true, 0, LIBX},
        {"/abs/../lib/libx.so.1", true, 0, LIBX}, /* .. of where the link leads */
        {"/", true, 0, "R:\\root"},
        {"/..", true, 0, "R:\\root"},
        {"C:\\", true, 0, "R:\\root"},
        {"/lib", false, 0, "R:\\root\\lib"},
        {"/lib/", false, 0, "R:\\root\\usr\\lib"},
        {"/slash", true, TN_E_NOTFOUND, NULL},
        {"/usr/lib/libx.so.1/", true, TN_E_NOTFOUND, NULL},
        {"/usr/lib/libx.so.1/..", true, TN_E_NOTFOUND, NULL},
        {"", true, TN_E_NOTFOUND, NULL},
        {"/none", true, TN_E_NOTFOUND, NULL},
        {"D:\\usr", true, TN_E_NOTFOUND, NULL},
        {"C:usr", true, TN_E_NOTFOUND, NULL},
        {"\\\\server\\share", true, TN_E_NOTFOUND, NULL},
        {"\\\\.\\COM1", true, TN_E_NOTFOUND, NULL},
        {"/usr/x:y", true, TN_E_NOTFOUND, NULL},
        {"/usr/lib?", true, TN_E_NOTFOUND, NULL},
        {"/usr/a\nb", true, TN_E_NOTFOUND, NULL},
        {"/empty", true, TN_E_NOTFOUND, NULL},
        {"/stream", true, TN_E_NOTFOUND, NULL},
        {"/other-drive", true, TN_E_REFUSED, NULL},
        {"/other-drive", false, 0, "R:\\root\\other-drive"},
        {"/share/x", true, TN_E_REFUSED, NULL},
        {"/volume/x", true, TN_E_REFUSED, NULL},
        {"/loop", true, TN_E_LIMIT, NULL},
        {"/self", true, TN_E_LIMIT, NULL},
    };
    struct tn_buf b;
    (void)state;
    tn_buf_init(&b);
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        unsigned asked = 0;
        int rc = tn_win32_walk("R:\\root", rows[i].path, rows[i].last, look_here, &asked, &b, &err);
        if (rc != rows[i].code || (rc == 0 && strcmp(b.p, rows[i].want) != 0))
            fail_msg("%s: %d %s", rows[i].path, rc, rc ? err.text : b.p);
        assert_true(asked <= 3 * TN_MAX_LINKS);
    }
    tn_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_unit_comes_back), cmocka_unit_test(known_text),
                                       cmocka_unit_test(bounds), cmocka_unit_test(reparse_targets),
                                       cmocka_unit_test(walks)};
    return cmocka_run_group_tests_name("os_wtf8", tests, help_setup, help_teardown);
}
