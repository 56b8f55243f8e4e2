/* judge.h - which members of an archive may become files, and under which names.
 *
 * Pure: names, types and sizes in, a path below one folder or a reason out. Invariant: a path that is given out has no
 * "..", no component that is a link or a file, and never meant two things; a link that is given out stays in the tree
 * whatever the links that it passes. Tar: POSIX.1-2017, pax, "ustar Interchange Format"; zip: PKWARE APPNOTE 6.3.10,
 * 4.4.17; Windows names: Microsoft, "Naming Files, Paths, and Namespaces"; bidirectional controls: Unicode UAX 9. */
#ifndef TN_UNPACK_JUDGE_H
#define TN_UNPACK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum tn_unpack_target { TN_UNPACK_POSIX, TN_UNPACK_WINDOWS, TN_UNPACK_MACOS }; /* whose names clash by case, too */

struct tn_unpack_caps {
    uint64_t bytes;      /* of all files together */
    uint64_t ratio;      /* of unpacked to packed bytes, above TN_UNPACK_FREE */
    uint64_t members;    /* of all archives */
    unsigned depth;      /* folders of one path */
    unsigned name, path; /* bytes of a component, of a path */
};
#define TN_UNPACK_FREE (64u << 20) /* unpacked bytes that no ratio forbids: small texts shrink a lot */
extern const struct tn_unpack_caps tn_unpack_caps;

struct tn_unpack_member {
    char type;          /* f file, d folder, l link, h hard link; anything else is refused */
    const char *name;   /* as the archive writes it */
    const char *target; /* of links */
    unsigned mode;      /* permission bits with setuid, setgid and sticky */
    uint64_t size;      /* as the archive states it; 0 when it does not */
};

struct tn_unpack_entry {
    const char *path;
    const char *target; /* of a link, as written; of a hard link: path of the file */
    char type;          /* f d l */
    unsigned archive, mode;
    bool made;    /* for a folder: by a member of its own */
    bool written; /* by the caller: it lies on the disk */
    uint64_t size;
    char sha256[65];
};

struct tn_unpack_rename {
    const char *from, *to; /* first component of a path, after the stripping */
};

struct tn_unpack_judge {
    struct tn_arena *mem;
    struct tn_unpack_caps caps;
    enum tn_unpack_target target;
    bool no_links;  /* of the archive: a wheel has none */
    unsigned strip; /* leading components that all its members share */
    const struct tn_unpack_rename *rename;
    size_t n_rename;
    unsigned archive; /* that is being judged, from 1 */
    const char *top;  /* what was stripped of it */
    uint64_t seed;    /* of the table */
    uint64_t members;
    struct tn_unpack_slot **slot;
    size_t n_slot, n_entry;
    struct tn_unpack_entry **entry; /* folders before what they hold */
    size_t entry_cap;
};

void tn_unpack_judge_init(struct tn_unpack_judge *j, struct tn_arena *mem, uint64_t seed);
/* The members of another archive follow. packed: its bytes. */
void tn_unpack_judge_next(struct tn_unpack_judge *j);

/* NULL: *ret is what it becomes, and the folders on the way are entries before it; *ret NULL: it is nothing of the
 * tree (the stripped folder itself). *ret_again: an earlier archive has a file there: its bytes must be the same. Else
 * the reason why the whole archive is refused. */
const char *tn_unpack_judge(struct tn_unpack_judge *j, const struct tn_unpack_member *m, struct tn_unpack_entry **ret,
                            bool *ret_again);
/* NULL: there is none. */
const struct tn_unpack_entry *tn_unpack_judge_find(const struct tn_unpack_judge *j, const char *path);
/* So many bytes were unpacked of so many packed ones: NULL, or why that is too much. */
const char *tn_unpack_judge_bytes(const struct tn_unpack_judge *j, uint64_t unpacked, uint64_t packed);

/* Why no file should have that name; NULL: it may. One component. */
const char *tn_unpack_bad_name(const struct tn_unpack_caps *caps, enum tn_unpack_target target, const char *name,
                               size_t n);

#endif
