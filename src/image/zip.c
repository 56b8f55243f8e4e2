/* zip.c - see zip.h. */
#include "image/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/limits.h"
#include "base/str.h"

#define END_SIZE 22u
#define CHUNK (256u << 10)
#define MAX_RATIO 1032u

static int bad(struct tn_err *err, const char *why)
{
    return tn_err_set(err, TN_E_FORMAT, NULL, "%s", why);
}

static uint64_t number(struct tn_span s, uint64_t off, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes && off + i < s.n; i++)
        v |= (uint64_t)s.p[off + i] << (8 * i);
    return v;
}

struct directory {
    uint64_t off, size, n;
};

/* The end record lies in the last 64 KB, behind it a comment. */
static int find_end(const struct tn_view *v, struct directory *ret, struct tn_err *err)
{
    struct tn_span tail = {0}, locator = {0}, end = {0};
    size_t n = v->size < END_SIZE + 65535u ? (size_t)v->size : END_SIZE + 65535u;
    int rc = n < END_SIZE ? bad(err, "too short for a zip file") : tn_view_at(v, v->size - n, n, &tail, err);
    if (rc)
        return rc;
    if (!tail.p)
        return bad(err, "too short for a zip file");
    size_t at = n - END_SIZE;
    while (at > 0 && memcmp(tail.p + at, "PK\5\6", 4) != 0)
        at--;
    if (memcmp(tail.p + at, "PK\5\6", 4) != 0)
        return bad(err, "no zip file: it has no end record, or was cut short");
    uint64_t end_at = v->size - n + at;
    *ret = (struct directory){number(tail, at + 16, 4), number(tail, at + 12, 4), number(tail, at + 10, 2)};
    if (ret->off == 0xFFFFFFFFu || ret->size == 0xFFFFFFFFu || ret->n == 0xFFFFu) {
        if (end_at < 20 || tn_view_at(v, end_at - 20, 20, &locator, err) || memcmp(locator.p, "PK\6\7", 4) != 0)
            return bad(err, "a zip64 file without its locator");
        uint64_t record = number(locator, 8, 8);
        if (record > v->size || v->size - record < 56 || tn_view_at(v, record, 56, &end, err) ||
            memcmp(end.p, "PK\6\6", 4) != 0)
            return bad(err, "a zip64 file without its end record");
        *ret = (struct directory){number(end, 48, 8), number(end, 40, 8), number(end, 32, 8)};
        end_at = record;
    }
    if (ret->off > end_at || ret->size > end_at - ret->off)
        return bad(err, "the directory lies outside of the file");
    if (ret->n > TN_MAX_DIR_ENTRIES || ret->size > TN_MAX_JSON_BYTES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "more members than are read");
    return 0;
}

static bool leads_out(const char *name)
{
    if (*name == '/' || *name == '\\' || (tn_is_alpha(*name) && name[1] == ':'))
        return true;
    for (const char *p = name; *p; p += strcspn(p, "/\\"), p += *p != '\0')
        if (p[0] == '.' && p[1] == '.' && (!p[2] || p[2] == '/' || p[2] == '\\'))
            return true;
    return false;
}

/* Sizes that do not fit into 32 bits stand in an extra field. */
static void take_zip64(struct tn_span extra, struct tn_zip_member *m)
{
    for (size_t at = 0; at + 4 <= extra.n;) {
        uint64_t id = number(extra, at, 2), n = number(extra, at + 2, 2), p = at + 4;
        uint64_t *wide[] = {&m->size, &m->packed, &m->off};
        if (n > extra.n - p)
            return;
        for (unsigned i = 0; id == 1 && i < TN_LEN(wide); i++)
            if (*wide[i] == 0xFFFFFFFFu && p + 8 <= at + 4 + n) {
                *wide[i] = number(extra, p, 8);
                p += 8;
            }
        at += 4 + (size_t)n;
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct tn_zip_member *const *x = a, *const *y = b;
    return (*x)->off < (*y)->off ? -1 : (*x)->off > (*y)->off;
}

static int by_name(const void *a, const void *b)
{
    const struct tn_zip_member *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int check(const struct tn_zip *z, uint64_t end, struct tn_arena *mem, struct tn_err *err)
{
    const struct tn_zip_member **at = tn_arena_array(mem, z->n + 1, sizeof *at);
    for (size_t i = 0; i < z->n; i++) {
        const struct tn_zip_member *m = at[i] = &z->v[i];
        if (leads_out(m->name))
            return tn_err_set(err, TN_E_REFUSED, m->name, "a name that leads out of the folder");
        if (m->size / MAX_RATIO > m->packed + 1)
            return tn_err_set(err, TN_E_REFUSED, m->name, "claims to grow by more than deflate can");
    }
    qsort(at, z->n, sizeof *at, by_offset);
    for (size_t i = 0; i < z->n; i++) {
        uint64_t next = i + 1 < z->n ? at[i + 1]->off : end, head = 30 + strlen(at[i]->name);
        if (at[i]->off > next || next - at[i]->off < head || next - at[i]->off - head < at[i]->packed)
            return tn_err_set(err, TN_E_REFUSED, at[i]->name, "members lie over each other, or outside of the file");
    }
    qsort(at, z->n, sizeof *at, by_name);
    for (size_t i = 1; i < z->n; i++)
        if (strcmp(at[i]->name, at[i - 1]->name) == 0)
            return tn_err_set(err, TN_E_REFUSED, at[i]->name, "the same name twice");
    return 0;
}

/* One entry at off: bytes of it, 0 if it is none or does not lie inside. */
static size_t entry(struct tn_span s, uint64_t at, struct tn_arena *mem, struct tn_zip_member *ret)
{
    if (at > s.n || s.n - at < 46 || memcmp(s.p + at, "PK\1\2", 4) != 0)
        return 0;
    uint64_t n = number(s, at + 28, 2), extra = number(s, at + 30, 2), comment = number(s, at + 32, 2);
    if (n == 0 || n > TN_MAX_PATH_BYTES || n + extra + comment > s.n - at - 46 || memchr(s.p + at + 46, 0, n))
        return 0;
    if (ret) {
        *ret = (struct tn_zip_member){.name = tn_arena_strndup(mem, (const char *)s.p + at + 46, n),
                                      .off = number(s, at + 42, 4),
                                      .packed = number(s, at + 20, 4),
                                      .size = number(s, at + 24, 4),
                                      .method = (unsigned)number(s, at + 10, 2)};
        take_zip64(tn_span_of(s.p + at + 46 + n, extra), ret);
    }
    return (size_t)(46 + n + extra + comment);
}

int tn_image_zip_open(const struct tn_view *v, struct tn_arena *mem, struct tn_zip *ret, struct tn_err *err)
{
    struct directory d = {0};
    struct tn_span s;
    int rc = find_end(v, &d, err);
    if (!rc)
        rc = tn_view_at(v, d.off, (size_t)d.size, &s, err);
    if (rc)
        return rc;
    struct tn_zip z = {0};
    size_t cap = 0;
    for (uint64_t at = 0; z.n < d.n;) {
        if (z.n == cap)
            z.v = tn_arena_grow(mem, z.v, z.n, &cap, sizeof *z.v);
        size_t n = entry(s, at, mem, &z.v[z.n]);
        if (!n)
            return bad(err, "the directory is damaged");
        z.n++;
        at += n;
    }
    rc = check(&z, d.off, mem, err);
    if (!rc)
        *ret = z;
    return rc;
}

int tn_image_zip_place(const struct tn_view *v, uint64_t *ret_off, uint64_t *ret_size, struct tn_err *err)
{
    struct directory d = {0};
    int rc = find_end(v, &d, err);
    if (!rc) {
        *ret_off = d.off;
        *ret_size = d.size;
    }
    return rc;
}

/* Do entries follow each other from here to the end of the part? A name or a comment may hold the mark of one. */
static bool leads_to_end(struct tn_span part, uint64_t at)
{
    size_t n = 1;
    while (at < part.n && (n = entry(part, at, NULL, NULL)) != 0)
        at += n;
    return n != 0 && at == part.n;
}

static bool is_metadata(struct tn_span part, uint64_t at)
{
    static const char end[] = ".dist-info/METADATA";
    uint64_t n = number(part, at + 28, 2);
    const char *name = (const char *)part.p + at + 46, *slash = memchr(name, '/', (size_t)n);
    return n > sizeof end - 1 && memcmp(name + n - (sizeof end - 1), end, sizeof end - 1) == 0 &&
           slash == name + n - strlen("/METADATA");
}

bool tn_image_zip_metadata(struct tn_span part, bool first, struct tn_arena *mem, struct tn_zip_member *ret,
                           uint32_t *ret_crc)
{
    uint64_t at = 0;
    while (!first && at < part.n && !leads_to_end(part, at)) {
        size_t next = tn_span_find(part, (size_t)at + 1, "PK\1\2", 4);
        at = next == SIZE_MAX ? part.n : next;
    }
    for (size_t n; at < part.n && (n = entry(part, at, NULL, NULL)) != 0; at += n)
        if (is_metadata(part, at)) {
            entry(part, at, mem, ret);
            *ret_crc = (uint32_t)number(part, at + 16, 4);
            return true;
        }
    return false;
}

const struct tn_zip_member *tn_image_zip_find(const struct tn_zip *z, const char *name)
{
    for (size_t i = 0; i < z->n; i++)
        if (tn_str_eq(z->v[i].name, name))
            return &z->v[i];
    return NULL;
}

/* stop: so many bytes are enough. */
static int inflate_all(const struct tn_view *v, uint64_t off, const struct tn_zip_member *m, uint64_t stop,
                       struct tn_buf *ret, struct tn_err *err)
{
    z_stream z = {0};
    struct tn_span in;
    uint64_t left = m->packed;
    size_t before = ret->n;
    int rc = inflateInit2(&z, -15) == Z_OK ? 0 : bad(err, "deflate does not start"), r = Z_OK;
    if (rc)
        return rc;
    while (!rc && r == Z_OK && ret->n - before < stop) {
        if (z.avail_in == 0 && left) {
            size_t n = left < CHUNK ? (size_t)left : CHUNK;
            rc = tn_view_at(v, off, n, &in, err);
            z.next_in = (unsigned char *)(uintptr_t)in.p;
            z.avail_in = rc ? 0 : (unsigned)n;
            off += n;
            left -= n;
        }
        size_t done = ret->n - before, want = m->size - done < CHUNK ? (size_t)(m->size - done) + 1 : CHUNK;
        tn_buf_room(ret, want);
        z.next_out = (unsigned char *)ret->p + ret->n;
        z.avail_out = (unsigned)want;
        if (!rc)
            r = inflate(&z, Z_NO_FLUSH);
        ret->n += want - z.avail_out;
        if (!rc && ret->n - before > m->size)
            rc = tn_err_set(err, TN_E_REFUSED, m->name, "holds more than it says");
        if (!rc && r == Z_BUF_ERROR)
            break;
    }
    if (ret->p)
        ret->p[ret->n] = 0;
    inflateEnd(&z);
    if (!rc && (r != Z_OK || ret->n - before < stop) && (r != Z_STREAM_END || ret->n - before != m->size))
        rc = bad(err, "a member is damaged");
    return rc;
}

static int read_some(const struct tn_view *v, const struct tn_zip_member *m, uint64_t stop, struct tn_buf *ret,
                     struct tn_err *err)
{
    struct tn_span head;
    int rc = tn_view_at(v, m->off, 30, &head, err);
    if (rc)
        return rc;
    if (memcmp(head.p, "PK\3\4", 4) != 0)
        return bad(err, "a member is damaged");
    uint64_t off = m->off + 30 + number(head, 26, 2) + number(head, 28, 2);
    if (off > v->size || m->packed > v->size - off)
        return bad(err, "a member lies outside of the file");
    if (m->method == 8)
        return inflate_all(v, off, m, stop, ret, err);
    if (m->method != 0 || m->packed != m->size)
        return bad(err, "a member is packed in an unknown way");
    for (uint64_t done = 0; !rc && done < m->size && done < stop;) {
        size_t n = m->size - done < CHUNK ? (size_t)(m->size - done) : CHUNK;
        struct tn_span s;
        rc = tn_view_at(v, off + done, n, &s, err);
        if (!rc)
            tn_buf_add(ret, s.p, n);
        done += n;
    }
    return rc;
}

int tn_image_zip_read(const struct tn_view *v, const struct tn_zip_member *m, uint64_t max, struct tn_buf *ret,
                      struct tn_err *err)
{
    if (m->size > max)
        return tn_err_set(err, TN_E_LIMIT, m->name, "larger than is read");
    return read_some(v, m, UINT64_MAX, ret, err);
}

int tn_image_zip_head(const struct tn_view *v, const struct tn_zip_member *m, size_t n, struct tn_buf *ret,
                      struct tn_err *err)
{
    size_t before = ret->n;
    int rc = read_some(v, m, n, ret, err);
    if (!rc && ret->n - before > n)
        ret->n = before + n;
    return rc;
}
