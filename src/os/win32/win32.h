/* win32.h - what the files of os/win32 share.
 *
 * Only W functions are called; names pass through wtf8.h. Paths are turned into full ones first, so that what a
 * DOS device name means is decided by the system and seen by us before anything is opened. */
#ifndef TN_OS_WIN32_H
#define TN_OS_WIN32_H

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "os/os.h"

struct tn_os_root {
    char *path; /* as GetFinalPathNameByHandle says, without \\?\ */
};

/* From a Windows error to a TN_E code with the path as place. The text is ours: FormatMessage speaks the user's
 * language. */
int tn_win32_error(struct tn_err *err, const char *path, DWORD e);

wchar_t *tn_win32_wide(struct tn_arena *mem, const char *s);
char *tn_win32_narrow(struct tn_arena *mem, const wchar_t *s, size_t n);

/* A path for CreateFileW: full, \\?\ when long. TN_E_REFUSED for devices and pipes, TN_E_NOTFOUND for names that no
 * file can have. */
int tn_win32_native(struct tn_arena *mem, const char *path, wchar_t **ret, struct tn_err *err);
/* \\?\ before an absolute path that is taken as it is. */
wchar_t *tn_win32_verbatim(struct tn_arena *mem, const char *path);

/* Opens anything for looking (access FILE_READ_ATTRIBUTES) or reading; folders too. Inside a root every link is
 * resolved there and the opened object is proved to lie below it (root.c). */
int tn_win32_open(struct tn_os_root *at, const char *path, DWORD access, bool follow, HANDLE *ret, struct tn_err *err);
int tn_win32_root_open(struct tn_os_root *at, const char *path, DWORD access, bool follow, HANDLE *ret,
                       struct tn_err *err);

/* The type letter of tn_os_stat. tag: of the reparse point, if the attributes say that it is one. */
char tn_win32_type(DWORD attributes, DWORD tag);
/* Attributes and reparse tag of an open file. */
bool tn_win32_attributes(HANDLE h, DWORD *ret_attributes, DWORD *ret_tag);
int tn_win32_link(HANDLE h, const char *path, struct tn_buf *ret, struct tn_err *err);
/* The path of an open file without links and without \\?\; path: how it was opened. NULL: the system does not say. */
char *tn_win32_final(struct tn_arena *mem, HANDLE h, const char *path);

/* What an open file is. */
int tn_win32_stat(HANDLE h, const char *path, struct tn_os_stat *ret, struct tn_err *err);
/* What an open folder (FILE_LIST_DIRECTORY) holds, in byte order (list.c). */
int tn_win32_list(HANDLE h, const char *path, bool (*keep)(const void *ctx, const char *name), const void *ctx,
                  struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err);

/* Only the owner's (file.c), of a folder with all that will be in it; NULL: it cannot be made. LocalFree it. */
PSECURITY_DESCRIPTOR tn_win32_private(struct tn_arena *mem, bool folder);
/* One line of arguments as programs take it apart again (proc.c). TN_E_REFUSED: a batch file. */
int tn_win32_command_line(struct tn_arena *mem, const char *const *argv, wchar_t **ret, struct tn_err *err);

/* As tn_os_run, but what came before the deadline is kept: ret->timed_out (proc.c). */
int tn_win32_run(const char *const *argv, const char *const *env, unsigned deadline_ms, size_t max_out,
                 struct tn_os_run *ret, struct tn_err *err);

/* The answer of a console's handler in a program that ends when its work is done or taken back (install.c). */
BOOL tn_win32_go_on(DWORD event);

/* A key by its name, "HKLM\\SOFTWARE\\...", in the 64-bit view (reg.c). */
int tn_win32_reg_open(const char *key, struct tn_arena *mem, REGSAM access, HKEY *ret, struct tn_err *err);

/* This process runs our own program, not one that embeds the library (child.c). */
void tn_win32_is_program(void);

#endif
