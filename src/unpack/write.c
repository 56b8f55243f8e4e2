/* write.c - what tenon-unpack makes, and takes back: below one folder only (os/posix/beneath.h). */
#include "unpack/unpack.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(struct tn_unpack *u, struct tn_unpack_entry *e)
{
    if (!u->writes || e->written)
        return TN_UNPACK_DONE;
    if (tn_beneath_mkdir(&u->at, e->path, 0755))
        return tn_unpack_fail(u, e->path, errno);
    e->written = true;
    return TN_UNPACK_DONE;
}

int tn_unpack_prepare(struct tn_unpack *u, const struct tn_unpack_entry *e)
{
    struct tn_unpack_judge *j = &u->judge;
    int rc = TN_UNPACK_DONE;
    if (!u->writes)
        return rc;
    size_t i = j->n_entry; /* the folders that came with it are the entries just before it */
    while (i && (j->entry[i - 1] == e || (j->entry[i - 1]->type == 'd' && !j->entry[i - 1]->written)))
        i--;
    for (; i < j->n_entry && !rc; i++)
        if (j->entry[i]->type == 'd' && j->entry[i] != e)
            rc = make_folder(u, j->entry[i]);
    return rc;
}

int tn_unpack_make(struct tn_unpack *u, struct tn_unpack_entry *e)
{
    int rc = 0;
    if (e->type == 'd')
        return make_folder(u, e);
    if (!u->writes || e->written)
        return TN_UNPACK_DONE;
    rc = e->type == 'l' ? tn_beneath_symlink(&u->at, e->target, e->path) : tn_beneath_link(&u->at, e->target, e->path);
    if (rc)
        return tn_unpack_fail(u, e->path, errno);
    e->written = true;
    return TN_UNPACK_DONE;
}

int tn_unpack_finish(struct tn_unpack *u)
{
    return u->writes && u->sync && syncfs(u->at.root) ? tn_unpack_fail(u, "", errno) : TN_UNPACK_DONE;
}

void tn_unpack_take_back(struct tn_unpack *u)
{
    struct tn_unpack_judge *j = &u->judge;
    for (size_t i = j->n_entry; i-- > 0;) /* what is in a folder comes behind it */
        if (j->entry[i]->written && tn_beneath_unlink(&u->at, j->entry[i]->path, j->entry[i]->type == 'd') == 0)
            j->entry[i]->written = false;
}

void tn_unpack_hex(struct tn_unpack *u, char ret[65])
{
    static const char digit[] = "0123456789abcdef";
    const unsigned char *d = gcry_md_read(u->hash, GCRY_MD_SHA256);
    for (unsigned i = 0; i < 32; i++) {
        ret[2 * i] = digit[d[i] >> 4];
        ret[2 * i + 1] = digit[d[i] & 15];
    }
    ret[64] = 0;
}

int tn_unpack_digest(struct tn_unpack *u, int fd, uint64_t *ret_size, char ret[65])
{
    uint64_t off = 0;
    gcry_md_reset(u->hash);
    for (;;) {
        ssize_t n = pread(fd, u->piece, TN_UNPACK_PIECE, (off_t)off);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        gcry_md_write(u->hash, u->piece, (size_t)n);
        off += (uint64_t)n;
    }
    tn_unpack_hex(u, ret);
    *ret_size = off;
    return 0;
}
