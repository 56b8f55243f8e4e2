/* unpack.h - what the files of tenon-unpack share. */
#ifndef TN_UNPACK_UNPACK_H
#define TN_UNPACK_UNPACK_H

#include <gcrypt.h>

#include "base/attr.h"
#include "os/posix/beneath.h"
#include "unpack/judge.h"

#define TN_UNPACK_ARCHIVES 64u
enum { TN_UNPACK_DONE = 0, TN_UNPACK_USAGE = 2, TN_UNPACK_REFUSED = 4, TN_UNPACK_FAILED = 5 }; /* exit statuses */

#define TN_UNPACK_COMMENT 1024u
struct tn_unpack_signature { /* as minisign makes them */
    unsigned char key[32], signature[64], global[64];
    char comment[TN_UNPACK_COMMENT];
    size_t n_comment;
};

struct tn_unpack_archive {
    int fd;
    const char *sha256;                          /* that it must have; NULL */
    const struct tn_unpack_signature *signature; /* that it must have; NULL */
    const char *name;                            /* tells its form: by the ending */
    unsigned strip;                              /* as in judge.h */
    const struct tn_unpack_rename *rename;
    size_t n_rename;
};

struct tn_unpack {
    struct tn_arena mem;
    struct tn_unpack_judge judge;
    struct tn_beneath at;
    bool writes; /* into at; else members are only read */
    bool sync;
    struct tn_unpack_signature *signature; /* of the next archive; NULL */
    struct tn_unpack_archive archive[TN_UNPACK_ARCHIVES];
    unsigned n_archive;
    const char **digest; /* files below at whose digest is asked */
    size_t n_digest, digest_cap;
    gcry_md_hd_t hash;
    uint64_t unpacked, told; /* bytes; progress that was told */
    uint64_t before;         /* packed bytes of the archives before this one */
    char *piece;             /* TN_UNPACK_PIECE bytes */
};
#define TN_UNPACK_PIECE (1u << 20)

/* Says why, with the member's name escaped, and returns the exit status. */
int tn_unpack_refuse(struct tn_unpack *u, const char *member, const char *why);
int tn_unpack_fail(struct tn_unpack *u, const char *path, int e);
/* Text on one line: bytes that could end or hide it as %XX. */
void tn_unpack_say_name(const char *name);

/* signature.c: is it the signature of what has this digest, and of its comment? */
bool tn_unpack_is_signed(const struct tn_unpack_signature *x, const void *blake2b);

/* read.c: the members of archive i. The exit status. */
int tn_unpack_read(struct tn_unpack *u, unsigned i);
/* write.c */
int tn_unpack_prepare(struct tn_unpack *u, const struct tn_unpack_entry *e); /* the folders that it lies in */
int tn_unpack_make(struct tn_unpack *u, struct tn_unpack_entry *e);          /* a link, or a folder */
int tn_unpack_finish(struct tn_unpack *u);
void tn_unpack_take_back(struct tn_unpack *u); /* all that was written */
/* Into u->hash to its end; the hexadecimal digest. -1 with errno. */
int tn_unpack_digest(struct tn_unpack *u, int fd, uint64_t *ret_size, char ret[65]);
void tn_unpack_hex(struct tn_unpack *u, char ret[65]);

/* confine.c: from now on nothing but reading what is open and changing what lies below at. */
struct tn_unpack_bounds {
    bool no_new_privileges, no_capabilities, landlock, filter; /* as seen afterwards, not as asked for */
};
void tn_unpack_confine(const struct tn_unpack *u, struct tn_unpack_bounds *ret);

#endif
