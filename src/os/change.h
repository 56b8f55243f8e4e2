/* change.h - what writes: names in a folder that is held open, copies and removals of whole trees, the lock of a state,
 * and a program that installs.
 *
 * Everything is done in the folder that was opened, whatever its path leads to meanwhile; a name is one component and
 * is never followed when it is a link. No tree is entered that lies on another file system than its top (mount points
 * of the same one included, where the kernel tells). What is created under its final name appears there whole or not at
 * all. On Windows modes count for nothing: what is made has the access list that its folder hands down.
 *
 * Errors besides those of os.h: TN_E_EXISTS, TN_E_FULL, TN_E_REFUSED (not safe), TN_E_INTERRUPTED. */
#ifndef TN_OS_CHANGE_H
#define TN_OS_CHANGE_H

#include "os/os.h"

struct tn_os_dir;

/* The folder at an absolute path; links in the path are followed once, and the folder is held from then on. As root
 * refused where the folder, or one above it, is another user's or may be written by others (unless sticky). */
int tn_os_dir_open(const char *path, struct tn_os_dir **ret, struct tn_err *err);
/* A folder in it, not through a link. */
int tn_os_dir_enter(struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err);
/* The same, made first where it is not there. Private to the user. */
int tn_os_dir_ensure(struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err);
void tn_os_dir_close(struct tn_os_dir *d); /* NULL is none */
/* Without links; as it was when it was opened. */
const char *tn_os_dir_path(const struct tn_os_dir *d);

/* What an entry is, so that it is known again after a rename or a crash. Zeroes: there is none. */
struct tn_os_id {
    uint64_t ino, born; /* born: when the inode was made, in nanoseconds; 0 where the file system does not keep it */
};
bool tn_os_id_eq(struct tn_os_id a, struct tn_os_id b);
int tn_os_dir_id(struct tn_os_dir *d, const char *name, struct tn_os_id *ret, struct tn_err *err);
/* The entry itself, a link not followed. */
int tn_os_dir_stat(struct tn_os_dir *d, const char *name, struct tn_os_stat *ret, struct tn_err *err);

int tn_os_dir_make(struct tn_os_dir *d, const char *name, uint32_t mode, struct tn_err *err);
int tn_os_dir_symlink(struct tn_os_dir *d, const char *name, const char *target, struct tn_err *err);
/* A whole file under its name, in the place of what was there: written, synced, renamed. */
int tn_os_dir_write(struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode, struct tn_err *err);
/* The same, on the disk with the next tn_os_dir_sync_all: for what is built in a stage. */
int tn_os_dir_replace(struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode,
                      struct tn_err *err);
/* A regular file's first max bytes. */
int tn_os_dir_read(struct tn_os_dir *d, const char *name, size_t max, struct tn_buf *ret, struct tn_err *err);
int tn_os_dir_list(struct tn_os_dir *d, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n,
                   struct tn_err *err);
/* Within the folder, and the folder synced. Never over something that is there. */
int tn_os_dir_rename(struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err);
/* Both change their names in one step. TN_E_UNSUPPORTED where the file system cannot. On Windows files alone, and after
 * a crash in between what a was may have the name b with "-" behind it. */
int tn_os_dir_swap(struct tn_os_dir *d, const char *a, const char *b, struct tn_err *err);
/* Could it be renamed now? On Windows an open file keeps all folders above it where they are: it is tried, by a rename
 * to "aside", which is free, and back. TN_E_DENIED: it is in use. Elsewhere always 0. */
int tn_os_dir_may_go(struct tn_os_dir *d, const char *name, const char *aside, struct tn_err *err);
int tn_os_dir_sync(struct tn_os_dir *d, struct tn_err *err);
/* The tree of that name, with all of its file system that is not on the disk yet. */
int tn_os_dir_sync_all(struct tn_os_dir *d, const char *name, struct tn_err *err);

/* A line at the end of a file, on the disk when this returns. */
int tn_os_dir_append(struct tn_os_dir *d, const char *name, const void *p, size_t n, struct tn_err *err);

/* tree.c */
struct tn_os_tree_entry {
    const char *path;   /* below the top, "" for the top; bytes */
    const char *target; /* of a link */
    struct tn_os_stat st;
    int64_t mtime_ns;
};
/* Every entry in byte order of paths, folders before what is in them. seen returns 0 to go on, else that is returned.
 */
int tn_os_tree_walk(struct tn_os_dir *d, const char *name,
                    int (*seen)(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err), void *ctx,
                    struct tn_err *err);
/* Folders anew, links anew, regular files as further names of the same inode (copied where that cannot be): modes,
 * owners, times and extended attributes as they are. TN_E_REFUSED for what is none of these. */
int tn_os_tree_copy(struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err);
/* What is in the folder "name" goes into d beside it, in the place of files of the same names; folders are joined, and
 * "name" is gone. TN_E_EXISTS where a file and a folder have one name. */
int tn_os_tree_merge(struct tn_os_dir *d, const char *name, struct tn_err *err);
/* A new file with the mode, the owner and the extended attributes of a regular one in the folder: what will take its
 * place. TN_E_EXISTS; TN_E_REFUSED where it is none. */
int tn_os_file_like(struct tn_os_dir *d, const char *like, const char *name, const void *p, size_t n,
                    struct tn_err *err);
/* Removes the tree; nothing behind links, nothing on another file system (then TN_E_REFUSED, and the rest is gone).
 * Not there: 0. */
int tn_os_tree_remove(struct tn_os_dir *d, const char *name, struct tn_err *err);

/* lock.c: one at a time. The lock goes with the last process that has it: this one and what tn_os_install starts. */
struct tn_os_lock;
/* TN_E_TIMEOUT after wait_ms: *ret_holder is the process that has it, 0 if not known. */
int tn_os_lock_take(struct tn_os_dir *d, const char *name, unsigned wait_ms, struct tn_os_lock **ret, long *ret_holder,
                    struct tn_err *err);
void tn_os_lock_drop(struct tn_os_lock *l);

/* reg_change.c: a value of the Windows registry, 64-bit view, byte for byte. TN_E_UNSUPPORTED elsewhere. */
struct tn_os_reg_raw {
    bool there;
    uint32_t type; /* REG_SZ 1, REG_EXPAND_SZ 2 ... */
    const void *p;
    size_t n;
};
/* Not there: ret->there is false. */
int tn_os_reg_get(const char *key, const char *value, struct tn_arena *mem, struct tn_os_reg_raw *ret,
                  struct tn_err *err);
/* Set, or removed where it is not to be there; on the disk when this returns. */
int tn_os_reg_set(const char *key, const char *value, const struct tn_os_reg_raw *is, struct tn_err *err);
/* May this user set values of the key? */
bool tn_os_reg_may_set(const char *key);
/* The text of a REG_SZ or REG_EXPAND_SZ value, as WTF-8, and the same value with another text: type and what ended it
 * as they were. NULL: it is none. */
const char *tn_os_reg_text(struct tn_arena *mem, const struct tn_os_reg_raw *v);
struct tn_os_reg_raw tn_os_reg_with(struct tn_arena *mem, const struct tn_os_reg_raw *v, const char *text);
/* New programs of Explorer get the environment anew (WM_SETTINGCHANGE). */
void tn_os_reg_announce(void);

/* install.c: a program that changes a folder, with the user's rights and the environment given, standard input empty.
 * Its output, lines and what ends in a carriage return, goes to said; tick is called several times a second. It and its
 * children end when we end, however we do, before the lock is free, and when the user interrupts (TN_E_INTERRUPTED). */
struct tn_os_install {
    const char *const *argv, *const *env;
    const char *cwd;
    struct tn_os_lock *lock; /* held by it as well; NULL: none */
    unsigned idle_ms;        /* ended when it has been silent so long; 0: never */
    void (*said)(void *ctx, const char *line, size_t n);
    void (*tick)(void *ctx);
    void *ctx;
    /* What a helper of ours gets: a folder (NULL: none), open files, each as the descriptor tn_os_given says, and a
     * text as its standard input. */
    const struct tn_os_dir *folder;
    struct tn_os_held *const *file;
    size_t n_file; /* at most TN_OS_MAX_GIVEN */
    const void *in;
    size_t n_in;
};
#define TN_OS_MAX_GIVEN 64u
#define TN_OS_GIVEN_FOLDER 4
#define TN_OS_GIVEN_FILE 5 /* the first */
int tn_os_install(const struct tn_os_install *how, int *ret_status, struct tn_err *err);
/* From now on SIGINT, SIGTERM and SIGHUP are remembered and nothing else; asked between changes. */
void tn_os_interrupts_hold(void);
bool tn_os_interrupted(void);
/* As the signal would have ended us; nothing where none came. */
void tn_os_interrupts_release(void);

#endif
