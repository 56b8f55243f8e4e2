/* measure.c - what folders take on the disk on Windows, one after the other.
 *
 * Every file is opened for its attributes alone (FILE_READ_ATTRIBUTES, links as themselves, nothing fetched back from a
 * cloud): only its handle tells the space that it is given and how many names it has (FILE_STANDARD_INFO), and of
 * compressed and sparse files what they really take (FILE_COMPRESSION_INFO). Junctions and links are not followed.
 * What counts once: os/sum.h. NTFS keeps very small files inside its own table: those take nothing. Copies that share
 * clusters (ReFS) count each. */
#include "os/win32/win32.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "os/sum.h"

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
#define MAX_PATH_UNITS 32000u
#define PAUSE_US 200000

struct tree {
    const char *path; /* as the question has it */
    wchar_t *wide;    /* verbatim */
    uint64_t bytes, files, folders, unreadable;
    bool late;
};

struct measure {
    const struct tn_os_seek *how;
    struct tn_os_folder *folder; /* by path; each path and group once, without those that are left out */
    size_t n_folder, *first;
    struct tree *tree; /* each path once; the first n_tree are measured, the rest left out */
    wchar_t **other;   /* all of them, sorted */
    size_t n_tree, n_all;
    struct tn_os_sum sum;
    wchar_t **todo;
    size_t n_todo, cap_todo;
    uint64_t walked, tick;
};

static wchar_t *join(const wchar_t *dir, const wchar_t *name)
{
    size_t a = wcslen(dir), b = wcslen(name), slash = a && dir[a - 1] != '\\';
    wchar_t *s = tn_xmalloc((a + slash + b + 1) * sizeof *s);
    memcpy(s, dir, a * sizeof *s);
    s[a] = '\\';
    memcpy(s + a + slash, name, (b + 1) * sizeof *s);
    return s;
}

static int by_name(const void *a, const void *b)
{
    const wchar_t *const *x = a, *const *y = b;
    return CompareStringOrdinal(*x, -1, *y, -1, TRUE) - CSTR_EQUAL;
}

/* Another folder of the question: it is a tree of its own. */
static bool is_other(const struct measure *m, const wchar_t *path)
{
    return bsearch(&path, m->other, m->n_all, sizeof *m->other, by_name) != NULL;
}

static HANDLE open_it(const wchar_t *path)
{
    return CreateFileW(path, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_OPEN_NO_RECALL, NULL);
}

/* A file, link or folder by its handle. name: of a file, for its twins. */
static void count(struct measure *m, uint32_t number, HANDLE h, const wchar_t *name)
{
    struct tree *t = &m->tree[number];
    BY_HANDLE_FILE_INFORMATION i;
    FILE_STANDARD_INFO s;
    FILE_COMPRESSION_INFO c;
    if (!GetFileInformationByHandle(h, &i) || !GetFileInformationByHandleEx(h, FileStandardInfo, &s, sizeof s))
        return;
    uint64_t bytes = (uint64_t)s.AllocationSize.QuadPart;
    bool thin = (i.dwFileAttributes & (FILE_ATTRIBUTE_COMPRESSED | FILE_ATTRIBUTE_SPARSE_FILE)) && !s.Directory;
    if (thin && GetFileInformationByHandleEx(h, FileCompressionInfo, &c, sizeof c))
        bytes = (uint64_t)c.CompressedFileSize.QuadPart;
    bool file = !s.Directory && !(i.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT);
    bool large = file && s.EndOfFile.QuadPart >= TN_OS_TWIN_BYTES;
    t->files += !s.Directory;
    t->bytes += s.Directory || (s.NumberOfLinks < 2 && !large) ? bytes : 0;
    if (s.Directory || (s.NumberOfLinks < 2 && !large))
        return;
    struct tn_os_inode one = {.dev = i.dwVolumeSerialNumber,
                              .at = (uint64_t)i.nFileIndexHigh << 32 | i.nFileIndexLow,
                              .bytes = bytes,
                              .tree = number,
                              .links = s.NumberOfLinks};
    if (large) {
        struct tn_arena tmp;
        tn_arena_init(&tmp);
        one.twin = tn_os_twin(tn_win32_narrow(&tmp, name, wcslen(name)), (uint64_t)s.EndOfFile.QuadPart);
        tn_arena_deinit(&tmp);
    }
    if (!tn_os_sum_add(&m->sum, &one))
        t->late = true;
}

static void entry(struct measure *m, uint32_t number, const wchar_t *dir, const WIN32_FIND_DATAW *f)
{
    const wchar_t *w = f->cFileName;
    struct tree *t = &m->tree[number];
    if (w[0] == '.' && (!w[1] || (w[1] == '.' && !w[2])))
        return;
    if (wcslen(dir) + wcslen(w) + 2 > MAX_PATH_UNITS) {
        t->unreadable++;
        return;
    }
    wchar_t *path = join(dir, w);
    if (tn_win32_type(f->dwFileAttributes, f->dwReserved0) == 'd') {
        if (is_other(m, path)) {
            free(path);
            return;
        }
        if (m->n_todo == m->cap_todo)
            m->todo = tn_xrealloc(m->todo, (m->cap_todo = m->cap_todo * 2 + 64) * sizeof *m->todo);
        m->todo[m->n_todo++] = path;
        return;
    }
    HANDLE h = open_it(path);
    if (h == INVALID_HANDLE_VALUE)
        t->unreadable++;
    else
        count(m, number, h, w);
    if (h != INVALID_HANDLE_VALUE)
        CloseHandle(h);
    free(path);
}

static void folder(struct measure *m, uint32_t number, const wchar_t *path)
{
    WIN32_FIND_DATAW f;
    struct tree *t = &m->tree[number];
    wchar_t *pattern = join(path, L"*");
    HANDLE own = open_it(path);
    HANDLE h = FindFirstFileExW(pattern, FindExInfoBasic, &f, FindExSearchNameMatch, NULL, FIND_FIRST_EX_LARGE_FETCH);
    DWORD e = GetLastError();
    free(pattern);
    t->folders++;
    if (own != INVALID_HANDLE_VALUE) {
        count(m, number, own, L"");
        CloseHandle(own);
    }
    if (h == INVALID_HANDLE_VALUE) {
        t->unreadable += e != ERROR_FILE_NOT_FOUND && e != ERROR_PATH_NOT_FOUND;
        return;
    }
    do
        entry(m, number, path, &f);
    while (FindNextFileW(h, &f));
    FindClose(h);
    m->walked++;
    if (m->how->tick && tn_os_monotonic_us() - m->tick > PAUSE_US) {
        m->tick = tn_os_monotonic_us();
        m->how->tick(m->how->tick_ctx, m->walked);
    }
}

static void walk(struct measure *m, uint32_t number, const wchar_t *path)
{
    m->todo = NULL;
    m->n_todo = m->cap_todo = 0;
    folder(m, number, path);
    while (m->n_todo && !tn_os_expired()) {
        wchar_t *next = m->todo[--m->n_todo];
        folder(m, number, next);
        free(next);
    }
    m->tree[number].late = m->tree[number].late || m->n_todo;
    while (m->n_todo)
        free(m->todo[--m->n_todo]);
    free(m->todo);
}

static int by_path(const void *a, const void *b)
{
    const struct tn_os_folder *x = a, *y = b;
    int c = strcmp(x->path, y->path);
    return c ? c : x->group < y->group ? -1 : x->group > y->group;
}

/* Paths as the disk has them, each a tree; those that are measured first. */
static void prepare(struct measure *m, const struct tn_os_root *at, const struct tn_os_folder *given, size_t n,
                    struct tn_arena *mem)
{
    struct tn_os_folder *all = tn_arena_array(mem, n ? n : 1, sizeof *all);
    m->folder = tn_arena_array(mem, n ? n : 1, sizeof *m->folder);
    m->first = tn_arena_array(mem, n + 1, sizeof *m->first);
    m->tree = tn_arena_array(mem, n ? n : 1, sizeof *m->tree);
    m->other = tn_arena_array(mem, n ? n : 1, sizeof *m->other);
    for (size_t i = 0; i < n; i++) {
        char *p = tn_arena_strdup(
            mem,
            at ? tn_path_join(mem, TN_PATH_WINDOWS, at->path, given[i].path + (*given[i].path == '/')) : given[i].path);
        for (char *c = p; *c; c++)
            *c = *c == '/' ? '\\' : *c;
        all[i] = (struct tn_os_folder){p, given[i].group};
    }
    if (n > 1)
        qsort(all, n, sizeof *all, by_path);
    for (unsigned out = 0; out < 2; out++)
        for (size_t i = 0; i < n; i++) {
            bool again = m->n_all && strcmp(all[i].path, m->tree[m->n_all - 1].path) == 0;
            if ((all[i].group == TN_OS_NO_GROUP) != (out == 1) ||
                (again && i && all[i].group == all[i - 1].group && strcmp(all[i].path, all[i - 1].path) == 0))
                continue;
            if (!again) {
                m->tree[m->n_all].path = all[i].path;
                m->tree[m->n_all].wide = m->other[m->n_all] = tn_win32_verbatim(mem, all[i].path);
                m->n_all++;
                m->n_tree += !out;
            }
            if (!out) {
                m->folder[m->n_folder++] = all[i];
                m->first[m->n_tree] = m->n_folder;
            }
        }
    qsort(m->other, m->n_all, sizeof *m->other, by_name);
}

static void add_trees(struct measure *m, struct tn_os_measured *ret)
{
    for (size_t t = 0; t < m->n_tree; t++) {
        const struct tree *x = &m->tree[t];
        bool alone = m->first[t + 1] - m->first[t] == 1;
        ret->bytes += x->bytes;
        for (size_t f = m->first[t]; f < m->first[t + 1]; f++) {
            struct tn_os_taken *g = &ret->group[m->folder[f].group];
            g->bytes += x->bytes;
            g->freed += alone ? x->bytes : 0;
            g->shared += alone ? 0 : x->bytes;
            g->files += x->files;
            g->folders += x->folders;
            g->unreadable += x->unreadable;
            g->late = g->late || x->late;
        }
    }
}

int tn_os_measure(struct tn_os_root *at, const struct tn_os_folder *given, size_t n, unsigned n_group,
                  const struct tn_os_seek *how, struct tn_arena *mem, struct tn_os_measured *ret, struct tn_err *err)
{
    struct measure m = {.how = how};
    (void)err;
    memset(ret, 0, sizeof *ret);
    ret->group = tn_arena_array(mem, n_group, sizeof *ret->group);
    prepare(&m, at, given, n, mem);
    for (uint32_t t = 0; t < m.n_tree; t++)
        walk(&m, t, m.tree[t].wide);
    add_trees(&m, ret);
    m.sum.folder = m.folder;
    m.sum.first = m.first;
    m.sum.ret = ret;
    tn_os_sum(&m.sum, n_group, mem);
    return 0;
}
