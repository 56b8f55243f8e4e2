/* place.h - archives of CUDA and cuDNN, placed: all of them or nothing, and a list of what was placed.
 *
 * Digests are compared before a byte is unpacked; unpacking is done by the helper tenon-unpack, which sees nothing but
 * the archives and the one empty folder. Whatever goes wrong, the folder is empty again. No PATH, no registry, no file
 * elsewhere is touched; making it real is the caller's transaction. */
#ifndef TN_PLACE_PLACE_H
#define TN_PLACE_PLACE_H

#include "base/arena.h"
#include "base/err.h"
#include "os/change.h"
#include "place/redist.h"

struct tn_placed_entry {
    char type; /* f d l */
    uint32_t mode;
    uint64_t size;
    const char *sha256; /* of a file; else "" */
    const char *path;   /* below the folder */
    const char *target; /* of a link; else "" */
};

struct tn_placed {
    struct tn_placed_entry *v; /* folders before what is in them */
    size_t n;
    uint64_t bytes;
};

struct tn_place_part {
    struct tn_redist is; /* what it is, by the list or by its name */
    bool listed;         /* its sha256 is that of a list; false: nothing says what it should be */
};

struct tn_place {
    const char *const *archive; /* paths */
    size_t n_archive;
    const char *const *list; /* paths of lists of digests (redist.h); none: those beside the archives that name them */
    size_t n_list;
    const char *cudnn;       /* a cuDNN of that version is asked for ("9.20", "8"); "" for any; NULL: none is */
    const char *cuda;        /* major of CUDA that it is for; "" for any */
    const char *const *part; /* components that must be there, of one release: tn_place_toolkit ...; NULL-ended; NULL */
    const char *lib;         /* what the archives' lib is called on Linux; NULL: lib64 */
    const char *helper;      /* tenon-unpack; NULL: the one beside this program */
    struct tn_os_dir *into;  /* empty; open for the whole call */
    void (*told)(void *ctx, uint64_t packed, uint64_t of); /* progress; may be NULL */
    void *ctx;
};

/* What TensorFlow's and ONNX Runtime's wheels load, and the compiler that XLA starts. */
extern const char *const tn_place_toolkit[];

/* ret_part: n_archive of them. TN_E_REFUSED: an archive is hostile, damaged, not the listed one, or the set is not full
 * (place: archive or member); TN_E_UNSUPPORTED: there is no helper; others: could not. Then the folder is empty. */
int tn_place_archives(struct tn_arena *mem, const struct tn_place *how, struct tn_placed *ret,
                      struct tn_place_part *ret_part, struct tn_err *err);

/* The members of one archive (a wheel, a conda package ...) with their digests; nothing is written. sha256: that the
 * archive must have; "" for any. ret_sha256 may be NULL. */
int tn_place_members(struct tn_arena *mem, const char *archive, const char *sha256, const char *helper,
                     struct tn_placed *ret, char ret_sha256[65], struct tn_err *err);
/* The same, into an empty folder. by: a signature that it must have; NULL. */
struct tn_minisign;
int tn_place_extract(struct tn_arena *mem, const char *archive, const char *sha256, const struct tn_minisign *by,
                     const char *helper, struct tn_os_dir *into, struct tn_placed *ret, struct tn_err *err);

/* --- placed.c: the list as a file, and what has become of it --- */

void tn_placed_write(const struct tn_placed *p, struct tn_buf *ret);
/* TN_E_FORMAT for what tn_placed_write has not written. */
int tn_placed_read(struct tn_arena *mem, struct tn_span text, struct tn_placed *ret, struct tn_err *err);

enum tn_placed_state { TN_PLACED_SAME, TN_PLACED_CHANGED, TN_PLACED_GONE };
/* For each entry, by type, mode, target and digest, of what lies below name in d. A folder is the same while it is a
 * folder: others may have put things there. ret: p->n of them. */
int tn_placed_check(struct tn_arena *mem, const struct tn_placed *p, struct tn_os_dir *d, const char *name,
                    const char *helper, enum tn_placed_state *ret, struct tn_err *err);

#endif
