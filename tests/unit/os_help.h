/* os_help.h - a scratch folder for the tests of os/, on every system. */
#ifndef OS_HELP_H
#define OS_HELP_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "os/os.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include "os/win32/win32.h"
#define SEP "\\"
#else
#include <sys/stat.h>
#include <unistd.h>
#define SEP "/"
#endif

static struct tn_arena mem;
static char *scratch;

static inline char *in(const char *name)
{
    return tn_arena_printf(&mem, "%s" SEP "%s", scratch, name);
}

static inline void make_dir(const char *path)
{
#ifdef _WIN32
    wchar_t *w;
    assert_int_equal(tn_win32_native(&mem, path, &w, NULL), 0);
    assert_true(CreateDirectoryW(w, NULL));
#else
    assert_int_equal(mkdir(path, 0755), 0);
#endif
}

static inline void make_file(const char *path, const char *text)
{
    struct tn_err err = {0};
    if (tn_os_write_file(path, text, strlen(text), false, &err))
        fail_msg("%s: %s", path, err.text);
}

static inline void remove_tree(const char *path)
{
    struct tn_os_entry *list;
    size_t n;
    struct tn_os_stat st;
    if (tn_os_stat(NULL, path, false, &st, NULL))
        return;
    if (st.type == 'd' && tn_os_list(NULL, path, &mem, &list, &n, NULL) == 0)
        for (size_t i = 0; i < n; i++)
            remove_tree(tn_arena_printf(&mem, "%s" SEP "%s", path, list[i].name));
#ifdef _WIN32
    wchar_t *w;
    if (tn_win32_native(&mem, path, &w, NULL) == 0 && !RemoveDirectoryW(w))
        DeleteFileW(w);
#else
    if (st.type == 'd')
        rmdir(path);
    else
        unlink(path);
#endif
}

static inline int help_setup(void **state)
{
    (void)state;
    tn_arena_init(&mem);
#ifdef _WIN32
    const char *temp = tn_os_env(&mem, "TEMP");
    scratch = tn_arena_printf(&mem, "%s\\tenon-%lu-%lu", temp ? temp : "C:", (unsigned long)GetCurrentProcessId(),
                              (unsigned long)GetTickCount());
    make_dir(scratch);
#else
    const char *temp = tn_os_env(&mem, "TMPDIR");
    scratch = tn_arena_printf(&mem, "%s/tenon-XXXXXX", temp ? temp : "/tmp");
    if (!mkdtemp(scratch))
        return 1;
    if (chmod(scratch, 0755))
        return 1;
#endif
    return 0;
}

static inline int help_teardown(void **state)
{
    (void)state;
    remove_tree(scratch);
    tn_arena_deinit(&mem);
    return 0;
}

/* This very program, to be run again as a child. */
static inline const char *self(void)
{
#ifdef _WIN32
    wchar_t w[1024];
    DWORD n = GetModuleFileNameW(NULL, w, 1024);
    return tn_win32_narrow(&mem, w, n);
#else
    struct tn_buf b;
    tn_buf_init(&b);
    assert_int_equal(tn_os_realpath("/proc/self/exe", &b, NULL), 0);
    char *p = tn_arena_strdup(&mem, b.p);
    tn_buf_deinit(&b);
    return p;
#endif
}

#endif
