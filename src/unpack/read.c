/* read.c - the members of an archive, by libarchive: wheels and zips, tar.gz, tar.xz, tar.zst, tar.bz2, .conda.
 *
 * Of libarchive only the readers of those forms are switched on, none that starts a program, and nothing of its own
 * writing. What it warns of (a checksum that does not hold, a name that it cannot read) is damage. A .conda is a zip of
 * two tar.zst (conda documentation, "Conda package specification", .conda file format): both are read as they come. */
#include "unpack/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

struct reading {
    struct tn_unpack *u;
    unsigned index;
    struct archive *outer; /* of a .conda */
    char *piece;           /* of its member */
    struct archive *a;     /* whose members are taken */
    struct archive *meter; /* that tells the packed bytes */
    uint64_t start;        /* unpacked bytes before this archive */
};

static int damaged(struct reading *r, const char *member, struct archive *a)
{
    char why[300];
    int e = archive_errno(a);
    if (e == EIO || e == ENOMEM)
        return e == EIO ? tn_unpack_fail(r->u, member, e)
                        : tn_unpack_refuse(r->u, member, "it asks for more memory than allowed");
    snprintf(why, sizeof why, "damaged: %s", archive_error_string(a) ? archive_error_string(a) : "unreadable");
    return tn_unpack_refuse(r->u, member, why);
}

static char type_of(struct archive_entry *e)
{
    if (archive_entry_hardlink(e))
        return 'h';
    switch (archive_entry_filetype(e)) {
    case AE_IFREG: return 'f';
    case AE_IFDIR: return 'd';
    case AE_IFLNK: return 'l';
    case AE_IFCHR: return 'c';
    case AE_IFBLK: return 'b';
    case AE_IFIFO: return 'p';
    case AE_IFSOCK: return 's';
    default: return '?';
    }
}

static const char *too_much(struct reading *r)
{
    int64_t packed = archive_filter_bytes(r->meter, -1);
    return tn_unpack_judge_bytes(&r->u->judge, r->u->unpacked - r->start, packed > 0 ? (uint64_t)packed : 0);
}

/* The bytes of a member into fd (-1: nowhere) and the digest. */
static int take_bytes(struct reading *r, const char *member, int fd, uint64_t *ret_size)
{
    struct tn_unpack *u = r->u;
    gcry_md_reset(u->hash);
    *ret_size = 0;
    for (;;) {
        la_ssize_t n = archive_read_data(r->a, u->piece, TN_UNPACK_PIECE);
        if (n < 0)
            return damaged(r, member, r->a);
        if (n == 0)
            return TN_UNPACK_DONE;
        *ret_size += (uint64_t)n;
        u->unpacked += (uint64_t)n;
        const char *why = u->unpacked > u->judge.caps.bytes ? "more bytes than allowed" : too_much(r);
        if (why)
            return tn_unpack_refuse(u, member, why);
        gcry_md_write(u->hash, u->piece, (size_t)n);
        for (la_ssize_t k = 0; fd >= 0 && k < n;) {
            ssize_t w = write(fd, u->piece + k, (size_t)(n - k));
            if (w < 0 && errno != EINTR)
                return tn_unpack_fail(u, member, errno);
            k += w > 0 ? w : 0;
        }
    }
}

static int take_file(struct reading *r, struct tn_unpack_entry *e)
{
    struct tn_unpack *u = r->u;
    int fd = u->writes ? tn_beneath_create(&u->at, e->path, 0600) : -1;
    if (u->writes && fd < 0)
        return tn_unpack_fail(u, e->path, errno);
    e->written = u->writes;
    int rc = take_bytes(r, e->path, fd, &e->size);
    if (!rc && fd >= 0 && fchmod(fd, e->mode))
        rc = tn_unpack_fail(u, e->path, errno);
    if (fd >= 0 && close(fd) && !rc)
        rc = tn_unpack_fail(u, e->path, errno);
    if (!rc)
        tn_unpack_hex(u, e->sha256);
    return rc;
}

/* Another archive brought it: NVIDIA's share licences and some headers. The same bytes are one file. */
static int compare(struct reading *r, const struct tn_unpack_entry *e)
{
    char sha256[65];
    uint64_t size;
    int rc = take_bytes(r, e->path, -1, &size);
    if (rc)
        return rc;
    tn_unpack_hex(r->u, sha256);
    return size == e->size && strcmp(sha256, e->sha256) == 0
               ? TN_UNPACK_DONE
               : tn_unpack_refuse(r->u, e->path, "two archives have it, with different bytes");
}

static int take_hard_link(struct tn_unpack *u, struct tn_unpack_entry *e)
{
    const struct tn_unpack_entry *of = tn_unpack_judge_find(&u->judge, e->target);
    e->size = of->size;
    e->mode = of->mode;
    memcpy(e->sha256, of->sha256, sizeof e->sha256);
    return tn_unpack_make(u, e);
}

static int take_member(struct reading *r, struct archive_entry *entry)
{
    struct tn_unpack *u = r->u;
    const char *name = archive_entry_pathname(entry), *why = NULL;
    struct tn_unpack_entry *e;
    bool again;
    if (!name)
        return tn_unpack_refuse(u, "?", "a name that cannot be read");
    struct tn_unpack_member m = {.type = type_of(entry), .name = name, .mode = archive_entry_mode(entry) & 07777};
    m.target = m.type == 'h' ? archive_entry_hardlink(entry) : m.type == 'l' ? archive_entry_symlink(entry) : NULL;
    m.size =
        archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0 ? (uint64_t)archive_entry_size(entry) : 0;
    if (archive_entry_is_encrypted(entry))
        why = "encrypted";
    else if (archive_entry_sparse_count(entry) > 0)
        why = "a sparse file";
    else
        why = tn_unpack_judge(&u->judge, &m, &e, &again);
    if (why)
        return tn_unpack_refuse(u, name, why);
    if (!e)
        return TN_UNPACK_DONE;
    int rc = tn_unpack_prepare(u, e);
    if (rc)
        return rc;
    if (m.type == 'h')
        return e->written ? TN_UNPACK_DONE : take_hard_link(u, e);
    if (m.type != 'f')
        return tn_unpack_make(u, e);
    return again ? compare(r, e) : take_file(r, e);
}

static void tell(struct reading *r)
{
    struct tn_unpack *u = r->u;
    int64_t here = archive_filter_bytes(r->meter, -1);
    uint64_t packed = u->before + (here > 0 ? (uint64_t)here : 0);
    if (packed < u->told + (4u << 20))
        return;
    u->told = packed;
    printf("at %llu\n", (unsigned long long)packed);
    fflush(stdout);
}

static int take_all(struct reading *r)
{
    struct archive_entry *entry;
    for (;;) {
        int k = archive_read_next_header(r->a, &entry);
        if (k == ARCHIVE_EOF)
            break;
        if (k != ARCHIVE_OK)
            return damaged(r, k == ARCHIVE_WARN && archive_entry_pathname(entry) ? archive_entry_pathname(entry) : "",
                           r->a);
        int rc = take_member(r, entry);
        if (rc)
            return rc;
        tell(r);
    }
    return TN_UNPACK_DONE;
}

static struct archive *tar_reader(void)
{
    struct archive *a = archive_read_new();
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_tar(a);
    return a;
}

/* --- .conda --- */

static la_ssize_t from_outer(struct archive *a, void *ctx, const void **ret)
{
    struct reading *r = ctx;
    la_ssize_t n = archive_read_data(r->outer, r->piece, TN_UNPACK_PIECE);
    if (n < 0)
        archive_set_error(a, archive_errno(r->outer), "%s", archive_error_string(r->outer));
    *ret = r->piece;
    return n;
}

static int take_inner(struct reading *r, const char *name)
{
    int rc;
    r->a = tar_reader();
    if (archive_read_open(r->a, r, NULL, from_outer, NULL) != ARCHIVE_OK)
        rc = damaged(r, name, r->a);
    else
        rc = take_all(r);
    archive_read_free(r->a);
    r->a = NULL;
    return rc;
}

static int take_conda(struct reading *r)
{
    struct archive_entry *entry;
    bool had[2] = {false, false}; /* package, information */
    r->piece = tn_arena_alloc(&r->u->mem, TN_UNPACK_PIECE);
    for (;;) {
        int k = archive_read_next_header(r->outer, &entry);
        if (k == ARCHIVE_EOF)
            return had[0] && had[1] ? TN_UNPACK_DONE
                                    : tn_unpack_refuse(r->u, "", "damaged: no package and information in it");
        if (k != ARCHIVE_OK)
            return damaged(r, "", r->outer);
        const char *name = archive_entry_pathname(entry);
        bool part = name && tn_str_ends(name, ".tar.zst") && !strchr(name, '/') &&
                    (tn_str_starts(name, "pkg-") || tn_str_starts(name, "info-"));
        if (!part && !(name && strcmp(name, "metadata.json") == 0))
            return tn_unpack_refuse(r->u, name ? name : "?", "no part of a conda package");
        if (!part)
            continue;
        char *copy = tn_arena_strdup(&r->u->mem, name);
        bool *one = &had[*name == 'i'];
        int rc = *one ? tn_unpack_refuse(r->u, copy, "named twice") : take_inner(r, copy);
        *one = true;
        if (rc)
            return rc;
    }
}

/* --- */

static int open_and_take(struct reading *r)
{
    const struct tn_unpack_archive *f = &r->u->archive[r->index];
    bool conda = tn_str_ends(f->name, ".conda");
    bool zip = conda || tn_str_ends(f->name, ".whl") || tn_str_ends(f->name, ".zip");
    struct archive *a = zip ? archive_read_new() : tar_reader();
    int rc;
    if (zip)
        archive_read_support_format_zip_seekable(a);
    r->u->judge.no_links = tn_str_ends(f->name, ".whl");
    r->meter = a;
    if (lseek(f->fd, 0, SEEK_SET) < 0)
        rc = tn_unpack_fail(r->u, f->name, errno);
    else if (archive_read_open_fd(a, f->fd, TN_UNPACK_PIECE) != ARCHIVE_OK)
        rc = damaged(r, "", a);
    else if (conda) {
        r->outer = a;
        rc = take_conda(r);
    } else {
        r->a = a;
        rc = take_all(r);
    }
    archive_read_free(a);
    return rc;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

int tn_unpack_read(struct tn_unpack *u, unsigned i)
{
    struct reading r = {.u = u, .index = i, .start = u->unpacked};
    const struct tn_unpack_archive *f = &u->archive[i];
    struct stat before, after;
    char sha256[65];
    uint64_t size;
    tn_unpack_judge_next(&u->judge);
    if (fstat(f->fd, &before) || !S_ISREG(before.st_mode))
        return tn_unpack_refuse(u, "", "the archive is no regular file");
    if (tn_unpack_digest(u, f->fd, &size, sha256))
        return tn_unpack_fail(u, f->name, errno);
    printf("archive %u %llu %s\n", i + 1, (unsigned long long)size, sha256);
    if (f->sha256 && strcmp(f->sha256, sha256) != 0)
        return tn_unpack_refuse(u, "", "its sha256 is another one");
    if (f->signature && !tn_unpack_is_signed(f->signature, gcry_md_read(u->hash, GCRY_MD_BLAKE2B_512)))
        return tn_unpack_refuse(u, "", "its signature is not that of the key");
    u->judge.strip = f->strip;
    u->judge.rename = f->rename;
    u->judge.n_rename = f->n_rename;
    int rc = open_and_take(&r);
    if (!rc && (fstat(f->fd, &after) || !same(&before, &after)))
        rc = tn_unpack_refuse(u, "", "it changed while it was read");
    u->before += size;
    return rc;
}
