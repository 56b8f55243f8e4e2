/* list.c - what an opened folder holds.
 *
 * One buffer of FILE_FULL_DIR_INFO after the other: names with their attributes and, of a reparse point, its tag. */
#include "os/win32/win32.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tn_os_entry *)a)->name, ((const struct tn_os_entry *)b)->name);
}

struct listing {
    bool (*keep)(const void *ctx, const char *name);
    const void *ctx;
    struct tn_arena *mem;
    struct tn_os_entry *list;
    size_t n, cap;
};

/* tag: of a reparse point. A folder whose tag is not told (wine) is a link of which no more is known. */
static char type_of(DWORD attributes, DWORD tag)
{
    const DWORD link = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    return !tag && (attributes & link) == link ? 'l' : tn_win32_type(attributes, tag);
}

/* Takes one buffer of FILE_FULL_DIR_INFO; false when the limit is reached or the buffer is not well formed. */
static bool take(struct listing *l, const unsigned char *p, size_t size)
{
    for (size_t off = 0;;) {
        const FILE_FULL_DIR_INFO *i = (const void *)(p + off);
        size_t head = offsetof(FILE_FULL_DIR_INFO, FileName);
        if (off + head > size || i->FileNameLength > size - off - head)
            return false;
        size_t n = i->FileNameLength / 2;
        if (!(n == 1 && i->FileName[0] == '.') && !(n == 2 && i->FileName[0] == '.' && i->FileName[1] == '.')) {
            if (l->n == TN_MAX_DIR_ENTRIES)
                return false;
            const char *name = tn_win32_narrow(l->mem, i->FileName, n);
            bool kept = !l->keep || l->keep(l->ctx, name);
            l->list = tn_arena_grow(l->mem, l->list, l->n, &l->cap, sizeof *l->list);
            l->list[l->n].name = name;
            l->list[l->n].type = type_of(i->FileAttributes, i->EaSize);
            l->n += kept;
        }
        if (!i->NextEntryOffset)
            return true;
        off += i->NextEntryOffset;
    }
}

int tn_win32_list(HANDLE h, const char *path, bool (*keep)(const void *ctx, const char *name), const void *ctx,
                  struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err)
{
    enum { SIZE = 65536 };
    struct listing l = {.keep = keep, .ctx = ctx, .mem = mem};
    FILE_INFO_BY_HANDLE_CLASS what = FileFullDirectoryRestartInfo;
    uint64_t *space = tn_xmalloc(SIZE); /* aligned for the structure */
    DWORD e = 0;
    int rc = 0;
    while (rc == 0) {
        if (!GetFileInformationByHandleEx(h, what, space, SIZE)) {
            e = GetLastError();
            break;
        }
        what = FileFullDirectoryInfo;
        if (!take(&l, (const unsigned char *)space, SIZE))
            rc = tn_err_set(err, TN_E_LIMIT, path, "more than %u entries", TN_MAX_DIR_ENTRIES);
    }
    free(space);
    if (rc == 0 && e != ERROR_NO_MORE_FILES && e != ERROR_FILE_NOT_FOUND) /* the latter: an empty drive */
        rc = tn_win32_error(err, path, e);
    if (rc)
        return rc;
    if (l.n > 1)
        qsort(l.list, l.n, sizeof *l.list, by_name);
    *ret = l.list;
    *ret_n = l.n;
    return 0;
}
