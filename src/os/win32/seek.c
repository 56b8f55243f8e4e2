/* seek.c - searching all disks for names on Windows: the fixed drives one after the other.
 *
 * Invariant: junctions and links to folders are not followed; what the system lists is enough, no file is opened.
 * FindFirstFileExW with the large fetch gives names and attributes without short names. Drives of the network, and what
 * can be taken out, are searched with all alone. */
#include "os/win32/win32.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

#define MAX_PATH_UNITS 32000u

struct seek {
    const struct tn_os_seek *how;
    struct tn_arena *mem;
    struct tn_os_sought *ret;
    size_t cap_hit;
    size_t strip;
    struct tn_os_tree *tree;
    wchar_t *path; /* of the folder at hand, ends with a backslash */
    wchar_t **todo;
    size_t n_todo, cap_todo;
    uint64_t folders, tick;
};

static wchar_t *join(const wchar_t *dir, const wchar_t *name, const wchar_t *end)
{
    size_t a = wcslen(dir), b = wcslen(name), c = wcslen(end);
    wchar_t *s = tn_xmalloc((a + b + c + 1) * sizeof *s);
    memcpy(s, dir, a * sizeof *s);
    memcpy(s + a, name, b * sizeof *s);
    memcpy(s + a + b, end, (c + 1) * sizeof *s);
    return s;
}

static void hit(struct seek *s, const WIN32_FIND_DATAW *f, char type, const char *name)
{
    if (s->ret->n_hit == TN_MAX_SEEK_HITS)
        return;
    const wchar_t *dir = wcsncmp(s->path, L"\\\\?\\", 4) == 0 ? s->path + 4 : s->path;
    const char *folder = tn_win32_narrow(s->mem, dir, wcslen(dir));
    s->ret->hit = tn_arena_grow(s->mem, s->ret->hit, s->ret->n_hit, &s->cap_hit, sizeof *s->ret->hit);
    struct tn_os_hit *h = &s->ret->hit[s->ret->n_hit];
    memset(h, 0, sizeof *h);
    h->path = tn_arena_printf(s->mem, "%s%s", folder, name);
    h->st.type = type;
    h->st.size = (uint64_t)f->nFileSizeHigh << 32 | f->nFileSizeLow;
    if (type == 'l') {
        struct tn_buf to;
        struct tn_err err;
        tn_buf_init(&to);
        if (tn_os_readlink(NULL, h->path, &to, &err) == 0)
            h->target = tn_arena_strndup(s->mem, to.p, to.n);
        tn_buf_deinit(&to);
        if (!h->target)
            return;
    }
    h->path += s->strip;
    s->ret->n_hit++;
}

static void entry(struct seek *s, const WIN32_FIND_DATAW *f)
{
    const wchar_t *w = f->cFileName;
    char type = tn_win32_type(f->dwFileAttributes, f->dwReserved0);
    struct tn_arena tmp;
    if (w[0] == '.' && (!w[1] || (w[1] == '.' && !w[2])))
        return;
    if (type == 'd') {
        if (wcslen(s->path) + wcslen(w) + 2 > MAX_PATH_UNITS) {
            s->tree->unreadable++;
            return;
        }
        s->todo = s->n_todo < s->cap_todo
                      ? s->todo
                      : tn_xrealloc(s->todo, (s->cap_todo = s->cap_todo * 2 + 64) * sizeof *s->todo);
        s->todo[s->n_todo++] = join(s->path, w, L"\\");
        return;
    }
    tn_arena_init(&tmp);
    const char *name = tn_win32_narrow(&tmp, w, wcslen(w));
    if ((type == 'f' || type == 'l') && s->how->keep(s->how->ctx, name))
        hit(s, f, type, name);
    tn_arena_deinit(&tmp);
}

static void folder(struct seek *s)
{
    WIN32_FIND_DATAW f;
    wchar_t *pattern = join(s->path, L"*", L"");
    HANDLE h = FindFirstFileExW(pattern, FindExInfoBasic, &f, FindExSearchNameMatch, NULL, FIND_FIRST_EX_LARGE_FETCH);
    DWORD e = GetLastError();
    free(pattern);
    s->tree->folders++;
    s->folders++;
    if (h == INVALID_HANDLE_VALUE) {
        s->tree->unreadable += e != ERROR_FILE_NOT_FOUND && e != ERROR_PATH_NOT_FOUND;
        return;
    }
    do
        entry(s, &f);
    while (FindNextFileW(h, &f));
    FindClose(h);
    if (s->how->tick && tn_os_monotonic_us() - s->tick > 200000) {
        s->tick = tn_os_monotonic_us();
        s->how->tick(s->how->tick_ctx, s->folders);
    }
}

static struct tn_os_tree *add_tree(struct seek *s, size_t *cap, const char *path, const char *type)
{
    s->ret->tree = tn_arena_grow(s->mem, s->ret->tree, s->ret->n_tree, cap, sizeof *s->ret->tree);
    struct tn_os_tree *t = &s->ret->tree[s->ret->n_tree++];
    memset(t, 0, sizeof *t);
    t->path = path;
    t->type = type;
    return t;
}

static void tree(struct seek *s, size_t *cap, const char *shown, const char *type, const char *path)
{
    s->tree = add_tree(s, cap, shown, type);
    s->todo = tn_xmalloc(64 * sizeof *s->todo);
    s->cap_todo = 64;
    s->n_todo = 1;
    s->todo[0] = join(tn_win32_verbatim(s->mem, path), L"", L"");
    while (s->n_todo && !tn_os_expired()) {
        s->path = s->todo[--s->n_todo];
        folder(s);
        free(s->path);
    }
    while (s->n_todo)
        free(s->todo[--s->n_todo]);
    free(s->todo);
    if (s->tree->folders == 1 && s->tree->unreadable)
        s->tree->state = TN_OS_TREE_DENIED;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct tn_os_hit *)a)->path, ((const struct tn_os_hit *)b)->path);
}

int tn_os_seek(struct tn_os_root *at, const struct tn_os_seek *how, struct tn_arena *mem, struct tn_os_sought *ret,
               struct tn_err *err)
{
    struct seek s = {.how = how, .mem = mem, .ret = ret};
    size_t cap = 0;
    (void)err;
    memset(ret, 0, sizeof *ret);
    if (at) {
        s.strip = strlen(at->path) - (at->path[strlen(at->path) - 1] == '\\');
        tree(&s, &cap, "/", "", tn_arena_printf(mem, "%.*s\\", (int)s.strip, at->path));
        for (size_t i = 0; i < ret->n_hit; i++) /* a root folder has the rules of Linux */
            for (char *p = (char *)(uintptr_t)ret->hit[i].path; *p; p++)
                *p = *p == '\\' ? '/' : *p;
    }
    DWORD drives = at ? 0 : GetLogicalDrives();
    for (unsigned i = 0; i < 26; i++) {
        wchar_t root[] = {(wchar_t)('A' + i), ':', '\\', 0};
        UINT type = drives >> i & 1 ? GetDriveTypeW(root) : DRIVE_NO_ROOT_DIR;
        const char *path = tn_arena_printf(mem, "%c:\\", 'A' + i);
        if (type == DRIVE_FIXED || (how->all && (type == DRIVE_REMOTE || type == DRIVE_REMOVABLE)))
            tree(&s, &cap, path, type == DRIVE_FIXED ? "fixed" : type == DRIVE_REMOTE ? "network" : "removable", path);
        else if (type == DRIVE_REMOTE)
            add_tree(&s, &cap, path, "network")->state = TN_OS_TREE_NETWORK;
    }
    if (ret->n_hit > 1)
        qsort(ret->hit, ret->n_hit, sizeof *ret->hit, by_path);
    return 0;
}
