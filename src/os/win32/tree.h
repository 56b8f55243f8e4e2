/* tree.h - what the files of os/win32 share that go through whole trees. Private.
 *
 * Invariant: each folder is opened in the one above it by its handle; a junction, a link, a volume that is mounted
 * there is an entry and never entered. */
#ifndef TN_OS_WIN32_TREE_H
#define TN_OS_WIN32_TREE_H

#include "os/win32/dir.h"

#define TN_WIN32_DEPTH 200u /* handles that are open at once; real environments have some 20 levels */
#define TN_WIN32_TOO_DEEP ERROR_CANT_RESOLVE_FILENAME

struct tn_win32_tree {
    struct tn_os_dir *d;
    const char *top;
    struct tn_buf path; /* below the top, with "/" */
};

void tn_win32_tree_init(struct tn_win32_tree *t, struct tn_os_dir *d, const char *top);
/* An error at the place where the tree is looked at. */
int tn_win32_tree_failed(struct tn_err *err, const struct tn_win32_tree *t, DWORD e);
/* Into an entry, and back to what "in" returned. */
size_t tn_win32_tree_in(struct tn_win32_tree *t, const char *name);
void tn_win32_tree_back(struct tn_win32_tree *t, size_t was);
/* What an opened folder holds, in byte order. What the list calls a link is one. */
int tn_win32_tree_names(struct tn_win32_tree *t, struct tn_arena *mem, HANDLE h, struct tn_os_entry **ret,
                        size_t *ret_n, struct tn_err *err);
/* A folder that is empty by now goes; else it stays, and is said (tree_remove.c). */
int tn_win32_tree_remove_empty(struct tn_win32_tree *t, HANDLE dir, const wchar_t *name, unsigned depth,
                               struct tn_err *err);

#endif
