/* os.h - the contract of the only folder that makes system calls. posix/ and win32/ implement it, one file
 * per concern with the same names.
 *
 * Paths are bytes (POSIX) or WTF-8 (Windows). Nothing here writes, except where a name says so. Regular files
 * only are read: a FIFO, device or socket behind a path is refused without being opened for data. As root, a
 * file below a folder that another user owns is opened with that user's rights (design 6.10). */
#ifndef TN_OS_OS_H
#define TN_OS_OS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"

#define TN_OS_STYLE_NATIVE tn_os_path_style()

struct tn_os_stat {
    char type;     /* f file, d folder, l link, p FIFO, s socket, b block device, c character device, o other */
    uint32_t mode; /* permission bits; 0 on Windows */
    uint32_t uid, gid;
    uint32_t major, minor; /* of a device node */
    uint64_t size, dev, ino, nlink;
    int64_t mtime; /* seconds since 1970 */
    int64_t atime; /* the same: last read, as far as the file system keeps that */
};

struct tn_os_entry {
    const char *name;
    char type; /* as above; '?' when the file system does not say */
};

struct tn_os_run {
    int status;        /* exit status; 128 + signal when killed by one */
    bool timed_out;    /* killed at the deadline */
    bool cut;          /* more output than asked for */
    struct tn_buf out; /* stdout and stderr together */
};

enum tn_path_style tn_os_path_style(void);

/* file.c. at: a folder opened by tn_os_open_root, inside which every link is resolved, or NULL for the machine itself.
 */
struct tn_os_root;
int tn_os_root_open(const char *path, struct tn_os_root **ret, struct tn_err *err);
void tn_os_root_close(struct tn_os_root *root);

int tn_os_stat(struct tn_os_root *at, const char *path, bool follow, struct tn_os_stat *ret, struct tn_err *err);
/* The target of a link, as written. */
int tn_os_readlink(struct tn_os_root *at, const char *path, struct tn_buf *ret, struct tn_err *err);
/* Entries in byte order of names, without . and .. */
int tn_os_list(struct tn_os_root *at, const char *path, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n,
               struct tn_err *err);
/* The same without the names that keep refuses: neither copied nor sorted. keep NULL: all. */
int tn_os_list_some(struct tn_os_root *at, const char *path, bool (*keep)(const void *ctx, const char *name),
                    const void *ctx, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err);
/* Up to max bytes from off. *ret_size: the size of the file as the system states it (0 for most of /proc). */
int tn_os_read(struct tn_os_root *at, const char *path, uint64_t off, size_t max, struct tn_buf *ret,
               uint64_t *ret_size, struct tn_err *err);
/* The same of a file that stays open between the reads; it is one and the same file then, whatever its path leads to.
 */
struct tn_os_held;
int tn_os_hold(struct tn_os_root *at, const char *path, struct tn_os_held **ret, struct tn_err *err);
int tn_os_read_held(struct tn_os_held *f, uint64_t off, size_t max, struct tn_buf *ret, uint64_t *ret_size,
                    struct tn_err *err);
void tn_os_release(struct tn_os_held *f); /* NULL is none */
/* Standard input to its end, at most max bytes. */
int tn_os_read_stdin(size_t max, struct tn_buf *ret, struct tn_err *err);
/* Some bytes of it, at most n; *ret_n 0: the end. */
int tn_os_stdin_some(void *buf, size_t n, size_t *ret_n, struct tn_err *err);
int tn_os_disk(struct tn_os_root *at, const char *path, uint64_t *ret_free, uint64_t *ret_total, struct tn_err *err);
/* Absolute path without links; the machine itself only. */
int tn_os_realpath(const char *path, struct tn_buf *ret, struct tn_err *err);
char *tn_os_cwd(struct tn_arena *mem);
/* Writes a new file, private to the user if asked, through a temporary file in the same folder and a rename. Into a
 * device, a pipe or a socket that is there by this name: straight. */
int tn_os_write_file(const char *path, const void *p, size_t n, bool private_file, struct tn_err *err);

/* seek.c: every entry of the disks whose name is wanted, without following a link and without leaving a file system for
 * one that is none of this machine's. Several processes look; one that hangs is left, with the file system it is on. */
struct tn_os_seek {
    bool (*keep)(const void *ctx, const char *name); /* is the name wanted? Called in another process. */
    const void *ctx;
    bool all;                                  /* file systems of the network, too */
    void (*tick)(void *ctx, uint64_t folders); /* a few times a second; may be NULL */
    void *tick_ctx;
    /* Measuring: a number that large files of one content share, of their ends or (whole) of all; 0: not known, and
     * then it is no copy. Asked only of files of one size in several groups. NULL, and on Windows: name and size tell.
     */
    uint64_t (*content)(void *ctx, const char *path, uint64_t size, bool whole);
    void *content_ctx;
};
struct tn_os_hit {
    const char *path, *target; /* target: of a link, as written; else NULL */
    struct tn_os_stat st;      /* files and links only; a Windows one without dev, ino and nlink */
};
enum tn_os_tree_state {
    TN_OS_TREE_WHOLE,
    TN_OS_TREE_NETWORK, /* not searched */
    TN_OS_TREE_LATE,    /* left, because it did not answer */
    TN_OS_TREE_DENIED   /* not searched: no right to */
};
struct tn_os_tree { /* one file system that was to be searched */
    const char *path, *type;
    enum tn_os_tree_state state;
    uint64_t folders, unreadable;
};
struct tn_os_sought {
    struct tn_os_hit *hit; /* by path */
    struct tn_os_tree *tree;
    size_t n_hit, n_tree;
};
int tn_os_seek(struct tn_os_root *at, const struct tn_os_seek *how, struct tn_arena *mem, struct tn_os_sought *ret,
               struct tn_err *err);

/* measure.c: what folders take on the disk, as du(1) counts: blocks of every folder, file and link below, none
 * followed, an inode once however many names it has, and what copies share (reflinks) once. A folder of the list that
 * lies in another one is not counted there. TN_E_UNSUPPORTED where the system has no such numbers. */
struct tn_os_folder {
    const char *path; /* absolute, without links */
    unsigned group;   /* folders of one group are counted together; TN_OS_NO_GROUP: left out, also of what holds it */
};
#define TN_OS_NO_GROUP (~0u)
struct tn_os_taken {
    uint64_t bytes;
    uint64_t freed;   /* of these: what would be free again without the group */
    uint64_t shared;  /* of these: what other groups hold as well, stored once */
    uint64_t doubled; /* of these: files of TN_OS_TWIN_BYTES and more that other groups hold, too, of the same content
                         (name and size, where that is not asked), and stored once more */
    uint64_t files, folders, unreadable;
    uint64_t youngest; /* seconds since 1970, of its regular files; 0: not known (Windows) */
    bool late;         /* a file system did not answer */
};
#define TN_OS_TWIN_BYTES (1u << 20)
struct tn_os_measured {
    struct tn_os_taken *group;
    uint64_t bytes, doubled; /* of all: each inode once; what is stored more than once, but for one of them */
};
int tn_os_measure(struct tn_os_root *at, const struct tn_os_folder *folder, size_t n, unsigned n_group,
                  const struct tn_os_seek *how, struct tn_arena *mem, struct tn_os_measured *ret, struct tn_err *err);

/* proc.c */
const char *tn_os_env(struct tn_arena *mem, const char *name); /* NULL: not set */
/* Of this process, from now on; value NULL: not set. Only while no other thread runs. */
void tn_os_env_set(const char *name, const char *value);
/* Runs a program without a shell, stdin empty, in its own process group, with a deadline; its descendants end with it.
 * One that cannot be ended (state D) is left behind and the call returns: TN_E_TIMEOUT. env NULL: a small clean one. */
int tn_os_run(const char *const *argv, const char *const *env, unsigned deadline_ms, size_t max_out,
              struct tn_os_run *ret, struct tn_err *err);

/* child.c: work that may crash, hang or flood without harm to us: in a child process that gains no privileges, makes no
 * device node, loads no kernel module, starts no program, writes no file, leaves no core and ends with us. It writes
 * its answer to stdout, with tn_os_print(1, ...). What it wrote before it died or was killed is kept: ret->status and
 * ret->timed_out say how it ended. TN_E_UNSUPPORTED where it cannot be started: on Windows only a program that began
 * with tn_os_start and hands the words behind "--child" to its works can. */
typedef int tn_os_work(const char *const *argv);
int tn_os_child(tn_os_work *work, const char *const *argv, unsigned deadline_ms, size_t max_out, struct tn_os_run *ret,
                struct tn_err *err);
#define TN_OS_CHILD "--child"
/* The same for work that a person asked for and that takes its time. */
struct tn_os_labour {
    unsigned deadline_ms; /* of all of it */
    size_t max_out;       /* a child that says more is ended: ret->cut */
    bool free;            /* not confined: what any program of this user may do, it may, such as have a module loaded */
    bool with_errors;     /* its standard error comes with its output */
    void (*out)(void *ctx, const char *p, size_t n); /* each piece as it comes; on Windows all of it at the end */
    void *ctx;
};
/* Ends early where tn_os_interrupted (os/change.h) says that the user wants it, as if it had been late. */
int tn_os_labour(tn_os_work *work, const char *const *argv, const struct tn_os_labour *how, struct tn_os_run *ret,
                 struct tn_err *err);
/* For such a child: this process ends with TN_OS_LATE unless it is called again within so many ms; 0: no longer. */
#define TN_OS_LATE 142 /* 128 + SIGALRM */
void tn_os_step(unsigned ms);
/* No more memory of its own than that from now on; what a library merely reserves is not counted. False: cannot be. */
bool tn_os_cap_memory(uint64_t bytes);
/* Was this process started as such a child, so that the words behind TN_OS_CHILD are its work's? Never where a child is
 * a copy of us: nobody then loads a library by writing the word. */
bool tn_os_is_child(int argc, char *const *argv);

/* pass.c: a program that is run for its user, as if nobody stood between. It gets our standard input, our other
 * descriptors, our process group, terminal, environment and signal settings; where its output is a terminal it gets one
 * of the same size and settings, where it is a pipe or socket it gets such a one, and what it writes goes on as it
 * comes. A regular file or device it gets itself; a file is read afterwards. Signals that reach us alone are handed to
 * it, it stops and goes on with us, and it ends with us (not the reverse: what it leaves running keeps its output).
 * As process 1 every orphan is reaped. Afterwards our standard input and output are empty. */
struct tn_os_pass {
    const char *const *argv;
    size_t head, tail; /* bytes of its output to be kept */
    bool own_terminal; /* it leads jobs of its own, and needs the terminal itself: what it writes there is not seen */
    /* Called with each piece of output, whole lines, in another process, and at the end with n 0. NULL: nobody. */
    void (*log)(void *ctx, const char *p, size_t n);
    void *ctx;
    int log_fd; /* that it writes to */
};
struct tn_os_passed {
    int status;         /* as a shell tells it: 128 + signal when killed */
    int signal;         /* that ended it; 0: it ended by itself */
    struct tn_buf text; /* what it printed: its head, and if something lies between a line "...", its tail */
    bool open_line;     /* the last byte on our standard error, or its terminal, is no line feed */
    bool unseen;        /* a console that could not be looked into */
};
/* TN_E_NOTFOUND, TN_E_DENIED ...: it was not started. */
int tn_os_pass(const struct tn_os_pass *how, struct tn_os_passed *ret, struct tn_err *err);
/* Ends this process as the program ended, by the same signal where that can be. */
_Noreturn void tn_os_pass_end(const struct tn_os_passed *p);
/* A file for a log: new, or a regular one of the same user to be added to; readable by the user alone. *ret: its
 * descriptor. */
int tn_os_log_open(const char *path, int *ret, struct tn_err *err);
void tn_os_log_write(int fd, const char *p, size_t n);

/* dl.c: libraries opened at run time, by full path, for themselves alone. NULL: *ret_why (may be NULL) says why. */
void *tn_os_dl_open(const char *path, const char **ret_why);
/* The same, and what is opened later finds its symbols; on Windows as above. */
void *tn_os_dl_open_shared(const char *path, const char **ret_why);
void *tn_os_dl_find(void *library, const char *name);
/* Opens a device as those libraries do, and closes it: "ok" or the name of the error, "EPERM"; NULL on Windows. */
const char *tn_os_dl_device(const char *path);
/* May the library be loaded here at all? As root only what no other user can write or replace. */
bool tn_os_dl_trusted(const char *path);
/* In a child that loads libraries, as root: a file that others may write and that one of them wanted. NULL: none. */
const char *tn_os_dl_refused(void);
/* What was loaded into this program before it began although it does not ask for it (LD_PRELOAD, LD_AUDIT), and as root
 * what it asks for from a place of others'. NULL: nothing. */
const char *tn_os_preloaded(struct tn_arena *mem);

#define TN_OS_TOO_LONG "too many links or too long a name" /* the text of that TN_E_LIMIT */

/* sys.c */
struct tn_os_sys {
    const char *name;    /* linux, windows, macos, or what uname says */
    const char *release; /* of the kernel; Windows: 10.0.19045 */
    const char *arch;    /* x86_64, aarch64 ... */
    const char *node;    /* host name */
    const char *cpu;     /* instruction sets that programs may use, in Linux' words; NULL where a file says it better */
    const char *installing; /* Windows: "1" while the Windows Installer works on a package, "0"; else NULL */
    bool root;              /* uid 0, or elevated */
    uint32_t uid;
};
/* The kernel's log of this boot, oldest line first, "<6>[    1.234567] text"; the newest max bytes. TN_E_DENIED where
 * only root may read it. Windows: what the System log holds of graphics cards, newest first, an event's XML a line;
 * TN_E_UNSUPPORTED where there is no log to be had. */
int tn_os_kernel_log(size_t max, struct tn_buf *ret, struct tn_err *err);
/* A machine is being looked at, by this thread: what was seen of it before is forgotten, and again when the last look
 * ends (all: each that has begun). */
void tn_os_look_begin(void);
void tn_os_look_end(bool all);
void tn_os_start(void); /* before anything else in main */
void tn_os_sys(struct tn_arena *mem, struct tn_os_sys *ret);
uint64_t tn_os_monotonic_us(void);
int64_t tn_os_now(void); /* seconds since 1970, UTC */
/* From now on: a call that waits for the machine longer than this ends with TN_E_TIMEOUT, as far as the system lets it;
 * 0: no more. */
void tn_os_deadline(unsigned ms);

/* thread.c: the same work on n threads at once, each with its number; the caller is the first of them. Returns how many
 * ran side by side; what found no thread is done afterwards. */
unsigned tn_os_parallel(unsigned n, void (*work)(void *ctx, unsigned i), void *ctx);
/* room.c: bytes of memory that a program of ours could have now, by the machine and by every limit that it is under; 0:
 * not known. Processors that it may run on, at least 1, and how many cores those are. */
uint64_t tn_os_memory_free(void);
unsigned tn_os_cpus(unsigned *ret_cores);
/* Seconds that those processors have worked since the system started, for whomever, and of them for this process;
 * false: not known. The difference of two looks, to 1/100 s, is what others did meanwhile. */
bool tn_os_busy(double *ret_all, double *ret_own);
/* Memory of zeros for large arrays, on large pages where the system gives them, as NumPy asks for; NULL: none. */
void *tn_os_block(uint64_t bytes);
void tn_os_block_free(void *p, uint64_t bytes);

/* watch.c: looking with a deadline that holds even where a call cannot be woken. 0: go on and look, say done when
 * looked; 1: somebody else did everything, end with *ret_status; -1: no answer by the deadline, go on without. */
int tn_os_watch(unsigned ms, int *ret_status);
void tn_os_watch_done(void);
bool tn_os_expired(void);     /* the deadline has passed: ask nothing more */
unsigned tn_os_left_ms(void); /* until the deadline; ~0u: there is none */

/* reg.c: the Windows registry, 64-bit view; elsewhere TN_E_UNSUPPORTED. key: "HKLM\\SOFTWARE\\..."; value "" is the
 * default. */
int tn_os_reg_value(const char *key, const char *value, struct tn_arena *mem, const char **ret, struct tn_err *err);
int tn_os_reg_list(const char *key, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err);

/* device.c: a device of Windows by its instance id, "PCI\\VEN_10DE&DEV_2504&...\\4&2d78ab8f&0&0008". *ret_problem: the
 * code of Device Manager, 0: it works. TN_E_NOTFOUND: it was here once. TN_E_UNSUPPORTED elsewhere. */
int tn_os_device(const char *instance, unsigned *ret_problem, struct tn_err *err);

/* tty.c */
bool tn_os_is_tty(int fd);
/* A terminal that obeys escape sequences (colour, erased lines): not an old console of Windows. */
bool tn_os_takes_escapes(int fd);
unsigned tn_os_tty_width(int fd); /* 0: not known */
/* The console was opened for this program alone and closes with it: a double click in Explorer. */
bool tn_os_console_is_ours(void);
void tn_os_console_wait(void); /* until Enter is pressed, or nothing can be read */
/* The language part of the user's locale, "en", "zh_CN"; "" when none. UTF-8 output possible? */
const char *tn_os_locale(struct tn_arena *mem, bool *ret_utf8);
/* Writes bytes to stdout (1) or stderr (2), UTF-8 in; converts where the console needs it. False: the reader is gone.
 */
bool tn_os_print(int fd, const char *p, size_t n);
/* The same for text that people read: in the character set of the user's locale (GBK, Big5 ...), on Windows in that of
 * the console that the program belongs to; "?" for what it lacks, dashes and quotes in ASCII. Documents for programs
 * stay UTF-8 and go through tn_os_print. */
bool tn_os_print_text(int fd, const char *p, size_t n);

#endif
