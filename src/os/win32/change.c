/* change.c - names in an opened folder: made, seen, renamed. See os/change.h; what is written into them: write.c.
 *
 * Invariant: a name is used with the folder's handle only, and never followed (at.c). NTFS keeps names in a journal of
 * its own: a rename is there whole or not at all after a crash; FILE_WRITE_THROUGH waits for it. */
#include "os/win32/dir.h"

#include <aclapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winternl.h>

#include "base/limits.h"
#include "base/str.h"

int tn_win32_dir_error(struct tn_err *err, const struct tn_os_dir *d, const char *name, DWORD e)
{
    static const struct {
        DWORD e;
        int code;
        const char *text;
    } known[] = {
        {ERROR_ALREADY_EXISTS, TN_E_EXISTS, "something of that name is there"},
        {ERROR_FILE_EXISTS, TN_E_EXISTS, "something of that name is there"},
        {ERROR_DIR_NOT_EMPTY, TN_E_EXISTS, "the folder is not empty"},
        {ERROR_DISK_FULL, TN_E_FULL, "the disk is full"},
        {ERROR_HANDLE_DISK_FULL, TN_E_FULL, "the disk is full"},
        {1295, TN_E_FULL, "the quota is used up"}, /* ERROR_DISK_QUOTA_EXCEEDED */
        {ERROR_NOT_SAME_DEVICE, TN_E_REFUSED, "another volume is mounted there"},
        {ERROR_INVALID_PARAMETER, TN_E_UNSUPPORTED, "not supported by this volume"},
        {ERROR_NOT_A_REPARSE_POINT, TN_E_UNSUPPORTED, "not supported by this volume"},
    };
    char place[TN_ERR_TEXT];
    size_t n = strlen(d->path);
    snprintf(place, sizeof place, "%s%s%s", d->path, *name && n && d->path[n - 1] != '\\' ? "\\" : "", name);
    for (size_t i = 0; i < TN_LEN(known); i++)
        if (known[i].e == e)
            return tn_err_say(err, known[i].code, place, known[i].text);
    return tn_win32_error(err, place, e);
}

/* Names that Windows keeps for devices: a file of that name could not be opened by other programs. */
static bool is_device(const char *name)
{
    static const char *const all[] = {"con", "prn", "aux", "nul", "conin$", "conout$", NULL};
    char stem[8];
    size_t n = strcspn(name, ".");
    while (n && name[n - 1] == ' ')
        n--;
    if (n == 0 || n >= sizeof stem)
        return false;
    for (size_t i = 0; i <= n; i++)
        stem[i] = i < n ? (char)(tn_is_alpha(name[i]) ? name[i] | 32 : name[i]) : (char)0;
    bool port =
        n == 4 && (memcmp(stem, "com", 3) == 0 || memcmp(stem, "lpt", 3) == 0) && stem[3] >= '1' && stem[3] <= '9';
    return port || tn_str_in(stem, all);
}

int tn_win32_name(struct tn_arena *mem, struct tn_err *err, const char *name, wchar_t **ret)
{
    size_t n = strlen(name);
    bool ok = n && n <= TN_MAX_NAME_BYTES && !strpbrk(name, "/\\:*?\"<>|") && name[n - 1] != '.' &&
              name[n - 1] != ' ' && !is_device(name);
    for (size_t i = 0; ok && i < n; i++)
        ok = (unsigned char)name[i] >= 32;
    if (!ok)
        return tn_err_set(err, TN_E_USAGE, name, "not a name that a file can have");
    *ret = tn_win32_wide(mem, name);
    return 0;
}

/* --- folders --- */

/* Elevated: nobody else's folder, who could exchange what is in it. */
static bool is_ours(HANDLE h)
{
    static const WELL_KNOWN_SID_TYPE trusted[] = {WinBuiltinAdministratorsSid, WinLocalSystemSid};
    struct tn_os_sys sys;
    struct tn_arena mem;
    PSECURITY_DESCRIPTOR sd = NULL;
    PSID owner = NULL;
    tn_arena_init(&mem);
    tn_os_sys(&mem, &sys);
    bool ours = !sys.root || GetSecurityInfo(h, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL,
                                             &sd) != ERROR_SUCCESS;
    for (size_t i = 0; !ours && owner && i < TN_LEN(trusted); i++)
        ours = IsWellKnownSid(owner, trusted[i]);
    HANDLE token;
    if (!ours && owner && OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        DWORD n = 0;
        GetTokenInformation(token, TokenUser, NULL, 0, &n);
        TOKEN_USER *me = tn_arena_alloc(&mem, n + 1u);
        ours = n && GetTokenInformation(token, TokenUser, me, n, &n) && EqualSid(me->User.Sid, owner);
        CloseHandle(token);
    }
    if (sd)
        LocalFree(sd);
    tn_arena_deinit(&mem);
    return ours;
}

static void hold(HANDLE h, const char *path, struct tn_os_dir **ret)
{
    struct tn_os_dir *d = tn_xmalloc(sizeof *d);
    size_t n = strlen(path) + 1;
    d->h = h;
    d->path = tn_xmalloc(n);
    memcpy(d->path, path, n);
    *ret = d;
}

static int open_folder(struct tn_arena *mem, const char *path, struct tn_os_dir **ret, struct tn_err *err)
{
    static const DWORD look = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;
    HANDLE h;
    DWORD attributes, tag;
    int rc = tn_win32_open(NULL, path, look | FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY, true, &h, err);
    if (rc == TN_E_DENIED)
        rc = tn_win32_open(NULL, path, look, true, &h, err);
    if (rc)
        return rc;
    char *final = tn_win32_final(mem, h, path);
    if (!final || !tn_win32_attributes(h, &attributes, &tag))
        rc = tn_win32_error(err, path, GetLastError());
    else if (!(attributes & FILE_ATTRIBUTE_DIRECTORY))
        rc = tn_win32_error(err, path, ERROR_DIRECTORY);
    else if (!is_ours(h))
        rc = tn_err_set(err, TN_E_REFUSED, path, "it belongs to another user");
    if (rc)
        CloseHandle(h);
    else
        hold(h, final, ret);
    return rc;
}

int tn_os_dir_open(const char *path, struct tn_os_dir **ret, struct tn_err *err)
{
    struct tn_arena mem;
    if (!tn_path_is_abs(TN_PATH_WINDOWS, path))
        return tn_err_set(err, TN_E_USAGE, path, "not an absolute path");
    tn_arena_init(&mem);
    int rc = open_folder(&mem, path, ret, err);
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_dir_enter(struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *w;
    HANDLE h = NULL;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    DWORD e = rc ? 0 : tn_win32_enter(d->h, w, &h);
    if (e)
        rc = tn_win32_dir_error(err, d, name, e);
    if (!rc)
        hold(h, tn_path_join(&mem, TN_PATH_WINDOWS, d->path, name), ret);
    tn_arena_deinit(&mem);
    return rc;
}

static DWORD make(HANDLE dir, const wchar_t *name, PSECURITY_DESCRIPTOR sd)
{
    const struct tn_win32_at how = {
        .access = FILE_READ_ATTRIBUTES, .disposition = FILE_CREATE, .options = FILE_DIRECTORY_FILE, .sd = sd};
    HANDLE h;
    DWORD e = tn_win32_open_at(dir, name, &how, &h);
    if (!e)
        CloseHandle(h);
    return e;
}

int tn_os_dir_make(struct tn_os_dir *d, const char *name, uint32_t mode, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *w;
    (void)mode; /* what its folder hands down */
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    DWORD e = rc ? 0 : make(d->h, w, NULL);
    tn_arena_deinit(&mem);
    return e ? tn_win32_dir_error(err, d, name, e) : rc;
}

int tn_os_dir_ensure(struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *w;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    PSECURITY_DESCRIPTOR sd = rc ? NULL : tn_win32_private(&mem, true);
    DWORD e = rc ? 0 : make(d->h, w, sd);
    if (sd)
        LocalFree(sd);
    tn_arena_deinit(&mem);
    if (e && e != ERROR_ALREADY_EXISTS && e != ERROR_FILE_EXISTS)
        return tn_win32_dir_error(err, d, name, e);
    return rc ? rc : tn_os_dir_enter(d, name, ret, err);
}

void tn_os_dir_close(struct tn_os_dir *d)
{
    if (d) {
        CloseHandle(d->h);
        free(d->path);
        free(d);
    }
}

const char *tn_os_dir_path(const struct tn_os_dir *d)
{
    return d->path;
}

/* --- what an entry is --- */

/* A file reference of NTFS holds how often its record was used: no time is needed to know it again. */
bool tn_os_id_eq(struct tn_os_id a, struct tn_os_id b)
{
    return a.ino == b.ino;
}

static int look(struct tn_os_dir *d, const char *name, struct tn_os_stat *ret, DWORD *ret_e, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *w;
    HANDLE h;
    char type;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    *ret_e = rc ? 0 : tn_win32_look_at(d->h, w, &type, &h);
    tn_arena_deinit(&mem);
    if (rc || *ret_e)
        return rc;
    rc = tn_win32_stat(h, name, ret, err);
    CloseHandle(h);
    return rc;
}

static bool is_nothing(DWORD e)
{
    return e == ERROR_FILE_NOT_FOUND || e == ERROR_PATH_NOT_FOUND;
}

int tn_os_dir_id(struct tn_os_dir *d, const char *name, struct tn_os_id *ret, struct tn_err *err)
{
    struct tn_os_stat st = {.type = 0};
    DWORD e;
    int rc = look(d, name, &st, &e, err);
    if (!rc && e && !is_nothing(e))
        rc = tn_win32_dir_error(err, d, name, e);
    if (!rc)
        *ret = (struct tn_os_id){e ? 0 : st.ino, 0};
    return rc;
}

int tn_os_dir_stat(struct tn_os_dir *d, const char *name, struct tn_os_stat *ret, struct tn_err *err)
{
    DWORD e;
    int rc = look(d, name, ret, &e, err);
    return e ? tn_win32_dir_error(err, d, name, e) : rc;
}

int tn_os_dir_list(struct tn_os_dir *d, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n,
                   struct tn_err *err)
{
    HANDLE again; /* a handle lists what there was when it began to */
    DWORD e = tn_win32_enter(d->h, L"", &again);
    if (e)
        return tn_win32_dir_error(err, d, "", e);
    int rc = tn_win32_list(again, d->path, NULL, NULL, mem, ret, ret_n, err);
    CloseHandle(again);
    return rc;
}

/* --- renamed --- */

static DWORD rename_entry(HANDLE dir, const wchar_t *from, const wchar_t *to, bool replace)
{
    const struct tn_win32_at how = {
        .access = DELETE | FILE_READ_ATTRIBUTES, .disposition = FILE_OPEN, .options = FILE_WRITE_THROUGH};
    HANDLE h;
    DWORD e = tn_win32_open_at(dir, from, &how, &h);
    if (e)
        return e;
    e = tn_win32_rename(h, dir, to, replace);
    CloseHandle(h);
    return e;
}

int tn_os_dir_rename(struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *a, *b;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, from, &a);
    if (!rc)
        rc = tn_win32_name(&mem, err, to, &b);
    DWORD e = rc ? 0 : rename_entry(d->h, a, b, false);
    tn_arena_deinit(&mem);
    if (e)
        return tn_win32_dir_error(err, d, e == ERROR_ALREADY_EXISTS ? to : from, e);
    return rc ? rc : tn_os_dir_sync(d, err);
}

/* Two files: a keeps a further name while b takes its place, so that the name a is never without a file. After a crash
 * in between it is b's name with "-" behind it that holds what a was. */
static DWORD swap_files(HANDLE dir, const wchar_t *a, const wchar_t *b, const wchar_t *third)
{
    const struct tn_win32_at how = {.access = DELETE | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES,
                                    .disposition = FILE_OPEN};
    HANDLE h;
    DWORD e = tn_win32_open_at(dir, a, &how, &h); /* DELETE: who holds it would hold the further name, too */
    if (e)
        return e;
    e = tn_win32_link_file(h, dir, third);
    CloseHandle(h);
    if (!e)
        e = rename_entry(dir, b, a, true);
    return e ? e : rename_entry(dir, third, b, false);
}

int tn_os_dir_swap(struct tn_os_dir *d, const char *a, const char *b, struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_stat sa = {.type = 0}, sb = {.type = 0}, sc = {.type = 0};
    wchar_t *wa, *wb, *wc;
    tn_arena_init(&mem);
    const char *third = tn_arena_printf(&mem, "%s-", b);
    int rc = tn_os_dir_stat(d, a, &sa, err);
    if (!rc)
        rc = tn_os_dir_stat(d, b, &sb, err);
    if (!rc && (sa.type != 'f' || sb.type != 'f'))
        rc = tn_win32_dir_error(err, d, a, ERROR_NOT_SUPPORTED);
    if (!rc && tn_os_dir_stat(d, third, &sc, NULL) == 0 && sc.ino == sa.ino)
        rc = tn_os_tree_remove(d, third, err); /* what an interrupted one has left */
    if (!rc)
        rc = tn_win32_name(&mem, err, a, &wa);
    if (!rc)
        rc = tn_win32_name(&mem, err, b, &wb);
    if (!rc)
        rc = tn_win32_name(&mem, err, third, &wc);
    DWORD e = rc ? 0 : swap_files(d->h, wa, wb, wc);
    if (e)
        rc = tn_win32_dir_error(err, d, a, e);
    if (e && tn_os_dir_stat(d, a, &sb, NULL) == 0 && sb.ino == sa.ino && tn_os_dir_stat(d, third, &sc, NULL) == 0 &&
        sc.ino == sa.ino)
        tn_os_tree_remove(d, third, NULL);
    tn_arena_deinit(&mem);
    return rc ? rc : tn_os_dir_sync(d, err);
}

int tn_os_dir_may_go(struct tn_os_dir *d, const char *name, const char *aside, struct tn_err *err)
{
    int rc = tn_os_dir_rename(d, name, aside, err);
    return rc ? rc : tn_os_dir_rename(d, aside, name, err);
}

/* Names are in the volume's journal; where a folder's handle may be flushed, it is. */
int tn_os_dir_sync(struct tn_os_dir *d, struct tn_err *err)
{
    (void)err;
    FlushFileBuffers(d->h);
    return 0;
}
