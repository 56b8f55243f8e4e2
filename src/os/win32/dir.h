/* dir.h - what the files of os/win32 share that change something below an opened folder. Private.
 *
 * A name is opened with the folder's handle (NtCreateFile, RootDirectory), and never followed: a link, a junction or a
 * volume mounted there is the entry itself. */
#ifndef TN_OS_WIN32_DIR_H
#define TN_OS_WIN32_DIR_H

#include "os/change.h"
#include "os/win32/win32.h"

struct tn_os_dir {
    HANDLE h;
    char *path;
};

/* How an entry is opened: access rights, FILE_OPEN, FILE_CREATE ... and FILE_DIRECTORY_FILE ...; sd: of a new one, NULL
 * is what it inherits. 0 or a Windows error. */
struct tn_win32_at {
    ACCESS_MASK access;
    ULONG disposition, options;
    ULONG share; /* 0: with everybody */
    PSECURITY_DESCRIPTOR sd;
};
#define TN_WIN32_ALONE FILE_SHARE_READ /* nobody else opens it to write */
DWORD tn_win32_open_at(HANDLE dir, const wchar_t *name, const struct tn_win32_at *how, HANDLE *ret);
/* To look at it, by what its own attributes say. */
DWORD tn_win32_look_at(HANDLE dir, const wchar_t *name, char *ret_type, HANDLE *ret);
/* A folder in a folder. ERROR_DIRECTORY: it is none, or a link to one. */
DWORD tn_win32_enter(HANDLE dir, const wchar_t *name, HANDLE *ret);

/* An error of an entry of the folder: "FOLDER\NAME". */
int tn_win32_dir_error(struct tn_err *err, const struct tn_os_dir *d, const char *name, DWORD e);
/* One component that can be made? 0, or TN_E_USAGE. *ret: for Windows. */
int tn_win32_name(struct tn_arena *mem, struct tn_err *err, const char *name, wchar_t **ret);

/* An open entry (with DELETE) gets a name in a folder; replace: in the place of a file that is there. Waits a moment
 * for a virus scanner. */
DWORD tn_win32_rename(HANDLE h, HANDLE to, const wchar_t *name, bool replace);
/* A further name of an open file. */
DWORD tn_win32_link_file(HANDLE h, HANDLE to, const wchar_t *name);
/* An open entry (with DELETE and FILE_WRITE_ATTRIBUTES) goes; read-only ones, too. */
DWORD tn_win32_delete(HANDLE h);
DWORD tn_win32_write(HANDLE h, const void *p, size_t n);
/* Access list, times and attributes of an open entry to another. */
DWORD tn_win32_copy_meta(HANDLE from, HANDLE to);
int64_t tn_win32_mtime_ns(HANDLE h);

#endif
