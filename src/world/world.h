/* world.h - the one object through which a machine is asked.
 *
 * Kinds: live (this machine), root (another root folder), replay (a record), and a recorder around any of them.
 * A probe sees only this header; it cannot tell which kind it talks to. Every answer is one of five things
 * (base/know.h); no call fails otherwise, none waits longer than its deadline. */
#ifndef TN_WORLD_WORLD_H
#define TN_WORLD_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/know.h"
#include "base/path.h"
#include "base/span.h"
#include "base/view.h"

enum tn_question_kind {
    TN_Q_STAT,     /* name: path; follow */
    TN_Q_LINK,     /* name: path -> data: the target as written */
    TN_Q_LIST,     /* name: folder; keep, ctx -> entry[] sorted by bytes */
    TN_Q_READ,     /* name: file, off, max -> data, size */
    TN_Q_DISK,     /* name: path -> size: free bytes, total */
    TN_Q_ENV,      /* name: variable -> data */
    TN_Q_SYS,      /* name: os, release, arch, node, uid, root, cwd, clock (seconds since 1970),
                    * awake (seconds that the machine was awake since its start), log (what the kernel's log says of GPUs),
                    * "device INSTANCE" (Windows: its problem code, 0 when it works; "gone") -> data */
    TN_Q_REG,      /* name: key, sub: value -> data */
    TN_Q_REG_LIST, /* name: key -> entry[] (d: subkeys, f: values) */
    TN_Q_RUN,      /* argv, deadline_ms, max -> data, status */
    TN_Q_ASK,      /* name: path of a vendor library, sub: nvml or cuda; deadline_ms -> data (world/ask.h) */
    TN_Q_SEEK, /* name: a wanted file name, keep, ctx; sub: "all" for disks of the network, too -> data: lines (below)
                */
    TN_Q_MEASURE, /* name: what is measured; sub: "content" when copies are told by that, not by name and size; argv:
                   * folders without links, "" between groups, a "-" before one that is left out -> data: lines (below)
                   */
    TN_Q_GET      /* name: URL, off, max -> data; live end comes with the network side */
};

struct tn_question {
    enum tn_question_kind kind;
    const char *name, *sub;
    const char *const *argv; /* run: argv[0] is a full path; ends with NULL */
    uint64_t off;
    size_t max;
    unsigned deadline_ms;
    bool follow;
    bool more; /* READ: other parts of the file will be asked for next, so it may stay open */
    bool (*keep)(const void *ctx, const char *name); /* names it refuses may be left out; NULL: all are wanted */
    const void *ctx;
    void (*tick)(void *ctx, uint64_t folders); /* seek, measure: called a few times a second; may be NULL */
    void *tick_ctx;
};

/* What TN_Q_SEEK answers: a line for each hit and each file system, its words parted by tabs; in a word "\\", "\t" and
 * "\n" stand for a backslash, a tab and a line end.
 *   file PATH SIZE LINKS DEV:INO    LINKS: hard links; 0:0 where the system does not say
 *   link PATH TARGET
 *   tree PATH TYPE STATE FOLDERS UNREADABLE    STATE: whole, network, late, denied, record
 * What TN_Q_MEASURE answers, in the same way: a line for each group, by its first folder, and one for all (os/os.h):
 *   size PATH STATE BYTES FREED SHARED DOUBLED FILES FOLDERS UNREADABLE YOUNGEST    STATE: whole, late; the last was
 *                                                                                  not told before
 *   all BYTES DOUBLED */

struct tn_entry {
    const char *name;
    char type; /* f d l p s b c o, ? unknown */
};

struct tn_stat {
    char type;
    uint32_t mode, uid, gid, major, minor;
    uint64_t size, dev, ino, nlink;
    int64_t mtime, atime;
};

#define TN_NOTE_TOO_LONG "too many links or too long a name"

struct tn_answer {
    enum tn_know got;
    const char *note;    /* for denied and failed: the system's words; else NULL */
    struct tn_span data; /* NUL follows it; valid as long as the arena that was passed */
    uint64_t size, total;
    struct tn_stat st;
    const struct tn_entry *entry;
    size_t n_entry;
    int status;
};

struct tn_world;
struct tn_world_ops {
    const char *kind; /* live, root, record, replay */
    void (*answer)(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret);
    void (*close)(struct tn_world *w);
};

struct tn_world {
    const struct tn_world_ops *ops;
    enum tn_path_style style; /* of the described machine */
    const char *os;           /* linux, windows, macos */
};

/* Worlds. Each is closed with tn_world_close; a recorder closes the world that it wraps. */
int tn_world_live(struct tn_world **ret, struct tn_err *err);
int tn_world_root(const char *folder, struct tn_world **ret, struct tn_err *err);
void tn_world_close(struct tn_world *w);

/* Asks. The answer's memory comes from mem. */
struct tn_answer tn_world_ask(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q);

/* The same by kind. */
struct tn_answer tn_world_stat(struct tn_world *w, const char *path);
struct tn_answer tn_world_lstat(struct tn_world *w, const char *path);
struct tn_answer tn_world_link(struct tn_world *w, struct tn_arena *mem, const char *path);
struct tn_answer tn_world_list(struct tn_world *w, struct tn_arena *mem, const char *folder);
/* The same for a caller that looks at few of the names and tells them by keep; others may be among them all the same.
 */
struct tn_answer tn_world_list_some(struct tn_world *w, struct tn_arena *mem, const char *folder,
                                    bool (*keep)(const void *ctx, const char *name), const void *ctx);
struct tn_answer tn_world_read(struct tn_world *w, struct tn_arena *mem, const char *path, size_t max);
struct tn_answer tn_world_part(struct tn_world *w, struct tn_arena *mem, const char *path, uint64_t off, size_t n);
struct tn_answer tn_world_env(struct tn_world *w, struct tn_arena *mem, const char *name);
struct tn_answer tn_world_sys(struct tn_world *w, struct tn_arena *mem, const char *name);
struct tn_answer tn_world_reg(struct tn_world *w, struct tn_arena *mem, const char *key, const char *value);
/* A vendor library by its full path, in a child process (world/ask.h): what it answered, line by line. */
struct tn_answer tn_world_vendor(struct tn_world *w, struct tn_arena *mem, const char *path, const char *subject);
struct tn_answer tn_world_reg_list(struct tn_world *w, struct tn_arena *mem, const char *key);

/* Is it there, whatever it is? Follows links. */
bool tn_world_exists(struct tn_world *w, const char *path);
bool tn_world_is_dir(struct tn_world *w, const char *path);

/* The path without links, by asking the world for each of them: works in every kind. NULL when it leads nowhere;
 * *ret_got says why (may be NULL). */
const char *tn_world_real(struct tn_world *w, struct tn_arena *mem, const char *path, enum tn_know *ret_got);

/* A window over a file of the world, for parsers of large files. The view holds what it read, in mem. *ret_got tells
 * why it could not be opened. Regular files only. */
struct tn_world_file {
    struct tn_view view;
    struct tn_world *w;
    struct tn_arena *mem;
    const char *path;
    struct tn_answer *part; /* parts read so far */
    uint64_t *off;
    size_t n, cap, cap_off;
    struct tn_arena *passing; /* the opener's, for a reader of many parts that looks at the last one alone: each read
                                 empties it, nothing is read beyond what is asked for. NULL: as above */
};
int tn_world_open(struct tn_world *w, struct tn_arena *mem, const char *path, struct tn_world_file *ret,
                  enum tn_know *ret_got, struct tn_err *err);

/* "read /proc/version", "list /usr/lib": how a question is named in sources and records. */
const char *tn_question_name(struct tn_arena *mem, const struct tn_question *q);

#endif
