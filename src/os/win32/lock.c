/* lock.c - one at a time: who has a file open for writing that lets nobody else write. An open file lasts as long as
 * the last process that has its handle, whatever ends it. */
#include "os/win32/lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <winternl.h>

#include "os/win32/dir.h"

static long holder(struct tn_os_dir *d, const char *name)
{
    struct tn_buf b;
    long r = 0;
    tn_buf_init(&b);
    if (tn_os_dir_read(d, name, 23, &b, NULL) == 0 && b.n)
        r = strtol(b.p, NULL, 10);
    tn_buf_deinit(&b);
    return r;
}

/* Who has it stands in the file, for people. */
static void sign(HANDLE h)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%lu\n", (unsigned long)GetCurrentProcessId());
    if (SetFilePointer(h, 0, NULL, FILE_BEGIN) == 0 && SetEndOfFile(h))
        tn_win32_write(h, text, (size_t)n);
}

int tn_os_lock_take(struct tn_os_dir *d, const char *name, unsigned wait_ms, struct tn_os_lock **ret, long *ret_holder,
                    struct tn_err *err)
{
    const struct tn_win32_at how = {.access = GENERIC_WRITE | FILE_READ_ATTRIBUTES,
                                    .disposition = FILE_OPEN_IF,
                                    .options = FILE_NON_DIRECTORY_FILE,
                                    .share = TN_WIN32_ALONE};
    struct tn_arena mem;
    wchar_t *w;
    HANDLE h = NULL;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    uint64_t end = tn_os_monotonic_us() + wait_ms * 1000ull;
    DWORD e = rc ? 0 : tn_win32_open_at(d->h, w, &how, &h);
    while (e == ERROR_SHARING_VIOLATION && tn_os_monotonic_us() < end) {
        Sleep(20);
        e = tn_win32_open_at(d->h, w, &how, &h);
    }
    tn_arena_deinit(&mem);
    if (e == ERROR_SHARING_VIOLATION) {
        *ret_holder = holder(d, name);
        return tn_err_set(err, TN_E_TIMEOUT, name, "held by another process");
    }
    if (rc || e)
        return e ? tn_win32_dir_error(err, d, name, e) : rc;
    sign(h);
    struct tn_os_lock *l = tn_xmalloc(sizeof *l);
    l->h = h;
    *ret = l;
    return 0;
}

void tn_os_lock_drop(struct tn_os_lock *l)
{
    if (l) {
        CloseHandle(l->h);
        free(l);
    }
}
