/* online_metadata.c - see asker.h: METADATA of a wheel on an index, without the wheel.
 *
 * As a file of its own where the page announces one (PEP 658, 714: FILE.metadata, its digest compared), else from the
 * wheel by ranges, one a request: its last 64 KB hold the end record, small directories and often the member itself; of
 * a larger directory the beginning is looked at, where some builders put dist-info, then all of it up to a bound. A
 * server that answers a range with the whole file is left at once: some do for two ranges in one request, so that one
 * is asked for each time. */
#include <string.h>
#include <zlib.h>

#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "cmd/asker.h"
#include "image/zip.h"
#include "plan/metadata.h"
#include "strings.gen.h"
#include "version/pep440.h"
#include "version/wheeltag.h"

#define TAIL 66000u /* an end record and the longest comment behind it are 65,557 bytes */
#define PART 65536u /* of a directory's beginning */
#define MAX_DIRECTORY (4u << 20)
#define MAX_PIECES 6u

/* The parts of a wheel that are here. */
struct pieces {
    struct {
        uint64_t off;
        struct tn_span s;
    } v[MAX_PIECES];
    unsigned n;
    uint64_t total;
};

struct reading {
    struct tn_asker *a;
    struct tn_index_file *f;
    struct pieces p;
    const char *where;    /* hop of the file */
    const char *not_read; /* an interface string: why it cannot be had in parts */
};

static int piece_at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    const struct pieces *p = ctx;
    for (unsigned i = 0; i < p->n; i++)
        if (off >= p->v[i].off && off - p->v[i].off <= p->v[i].s.n && n <= p->v[i].s.n - (off - p->v[i].off)) {
            *ret = tn_span_of(p->v[i].s.p + (off - p->v[i].off), n);
            return 0;
        }
    return tn_err_set(err, TN_E_NOTFOUND, NULL, "this part was not fetched");
}

static int bad(struct reading *r, const char *id, const char *why, struct tn_err *err)
{
    struct tn_arg arg[] = {{"file", r->f->file}, {"hop", r->where}, {"why", why}};
    return tn_asker_fail(r->a, err, id, arg, TN_LEN(arg));
}

static int bad_status(struct reading *r, int status, struct tn_err *err)
{
    struct tn_arg arg[] = {
        {"name", r->f->file}, {"hop", r->where}, {"status", tn_arena_printf(r->a->c->mem, "%d", status)}};
    return tn_asker_fail(r->a, err, TN_S_pl_online_status, arg, TN_LEN(arg));
}

/* One range; a piece more, or r->not_read. */
static int range(struct reading *r, const char *words, size_t max, struct tn_err *err)
{
    const char *const argv[] = {words, NULL};
    struct tn_question q = {.kind = TN_Q_GET, .name = r->f->url, .argv = argv, .max = max};
    struct tn_answer answer;
    struct tn_got got;
    bool whole = false;
    int rc = tn_asker_get(r->a, r->f->file, &q, &whole, &answer, &got, err);
    if (rc)
        return rc;
    if (whole || answer.status == 416) {
        r->not_read = TN_S_pl_meta_whole;
        return 0;
    }
    if (answer.status != 206)
        return bad_status(r, answer.status, err);
    if (!got.total || answer.data.n > got.total || got.from > got.total - answer.data.n || r->p.n == MAX_PIECES ||
        (r->p.n && got.total != r->p.total))
        return bad(r, TN_S_pl_meta_bad, "another range than was asked for", err);
    r->p.total = got.total;
    r->p.v[r->p.n].off = got.from;
    r->p.v[r->p.n++].s = answer.data;
    return 0;
}

/* Bytes that may be here already. */
static int need(struct reading *r, uint64_t off, uint64_t n, struct tn_err *err)
{
    struct tn_span s;
    if (off >= r->p.total || piece_at(&r->p, off, (size_t)n, &s, NULL) == 0)
        return 0;
    uint64_t last = n < r->p.total - off ? off + n - 1 : r->p.total - 1;
    const char *words = tn_arena_printf(r->a->c->mem, "%llu-%llu", (unsigned long long)off, (unsigned long long)last);
    return range(r, words, (size_t)n, err);
}

/* Looks at what is here of the directory. */
static bool find(struct reading *r, uint64_t off, uint64_t n, bool first, struct tn_zip_member *ret, uint32_t *crc)
{
    struct tn_span s = {0};
    return piece_at(&r->p, off, (size_t)n, &s, NULL) == 0 && tn_image_zip_metadata(s, first, r->a->c->mem, ret, crc);
}

static int find_member(struct reading *r, struct tn_zip_member *m, uint32_t *crc, struct tn_err *err)
{
    struct tn_view v = {.size = r->p.total, .at = piece_at, .ctx = &r->p};
    struct tn_err why;
    uint64_t off, size;
    if (tn_image_zip_place(&v, &off, &size, &why) != 0)
        return bad(r, TN_S_pl_meta_bad, tn_arena_strdup(r->a->c->mem, why.text), err);
    uint64_t tail = r->p.v[0].off, end = off + size;
    if (end > tail && find(r, off > tail ? off : tail, end - (off > tail ? off : tail), off >= tail, m, crc))
        return 0;
    uint64_t head = size < PART ? size : PART;
    int rc = off < tail ? need(r, off, head, err) : 0;
    if (rc || r->not_read || find(r, off, head, true, m, crc))
        return rc;
    if (size > MAX_DIRECTORY)
        r->not_read = TN_S_pl_meta_large;
    else if (off < tail)
        rc = need(r, off, size, err);
    if (rc || r->not_read || find(r, off, size, true, m, crc))
        return rc;
    return bad(r, TN_S_pl_meta_bad, "no METADATA in its directory", err);
}

static int read_member(struct reading *r, const struct tn_zip_member *m, uint32_t crc, struct tn_buf *ret,
                       struct tn_err *err)
{
    struct tn_view v = {.size = r->p.total, .at = piece_at, .ctx = &r->p};
    struct tn_err why;
    uint64_t all = 30 + strlen(m->name) + 64 + m->packed; /* an extra field of the local header is shorter, mostly */
    if (m->packed > TN_MAX_SMALL_FILE || m->size > TN_MAX_SMALL_FILE)
        return bad(r, TN_S_pl_meta_bad, "METADATA of more than 1 MB", err);
    int rc = need(r, m->off, all, err);
    if (rc || r->not_read)
        return rc;
    rc = tn_image_zip_read(&v, m, TN_MAX_SMALL_FILE, ret, &why);
    if (rc == TN_E_NOTFOUND) {
        rc = need(r, m->off, all + 65535, err);
        if (rc || r->not_read)
            return rc;
        tn_buf_clear(ret);
        rc = tn_image_zip_read(&v, m, TN_MAX_SMALL_FILE, ret, &why);
    }
    if (!rc && crc32(0, (const unsigned char *)(ret->p ? ret->p : ""), (unsigned)ret->n) != crc)
        return bad(r, TN_S_pl_meta_bad, "METADATA is damaged: its CRC is another", err);
    return rc ? bad(r, TN_S_pl_meta_bad, tn_arena_strdup(r->a->c->mem, why.text), err) : 0;
}

static int by_ranges(struct reading *r, struct tn_buf *ret, struct tn_err *err)
{
    struct tn_zip_member m = {.name = ""};
    uint32_t crc = 0;
    uint64_t size = r->f->size;
    const char *words = size && size < TAIL ? tn_arena_printf(r->a->c->mem, "0-%llu", (unsigned long long)size - 1)
                                            : tn_arena_printf(r->a->c->mem, "-%u", TAIL);
    int rc = range(r, words, TAIL, err);
    if (!rc && !r->not_read)
        rc = find_member(r, &m, &crc, err);
    if (!rc && !r->not_read)
        rc = read_member(r, &m, crc, ret, err);
    return rc;
}

/* *ret_there: false for a server that has no such file after all. */
static int announced(struct reading *r, struct tn_buf *ret, bool *ret_there, struct tn_err *err)
{
    struct tn_question q = {
        .kind = TN_Q_GET, .name = tn_arena_printf(r->a->c->mem, "%s.metadata", r->f->url), .max = TN_MAX_SMALL_FILE};
    struct tn_answer answer;
    struct tn_got got;
    char hex[TN_SHA256_HEX];
    int rc = tn_asker_get(r->a, r->f->file, &q, NULL, &answer, &got, err);
    *ret_there = !rc && answer.status == 200;
    if (rc || answer.status == 404 || answer.status == 410)
        return rc;
    if (answer.status != 200)
        return bad_status(r, answer.status, err);
    tn_sha256_hex(answer.data.p, answer.data.n, hex);
    if (*r->f->metadata_sha256 && !tn_str_ieq(hex, r->f->metadata_sha256))
        return bad(r, TN_S_pl_meta_hash, "", err);
    tn_buf_add(ret, answer.data.p, answer.data.n);
    return 0;
}

static bool is_of(const struct tn_metadata *m, const struct tn_index_package *p, const struct tn_index_file *f)
{
    char name[TN_REQUIREMENT_NAME];
    struct tn_pep440 a, b;
    return tn_version_normal_name(p->name, name, sizeof name, NULL) == 0 && tn_str_eq(name, m->name) &&
           tn_version_pep440_parse(tn_span_str(m->version), &a, NULL) == 0 &&
           tn_version_pep440_parse(tn_span_str(f->version), &b, NULL) == 0 && tn_version_pep440_cmp(&a, &b) == 0;
}

int tn_asker_metadata(struct tn_asker *a, const struct tn_index_package *p, struct tn_index_file *f, struct tn_err *err)
{
    struct reading r = {.a = a, .f = f, .where = tn_asker_hop(a->c->mem, f->url)};
    struct tn_metadata *m = tn_arena_alloc(a->c->mem, sizeof *m);
    struct tn_buf text;
    struct tn_err why;
    uint64_t before = a->ret->said.bytes;
    bool there = false;
    tn_buf_init(&text);
    f->meta_asked = true;
    int rc = f->metadata ? announced(&r, &text, &there, err) : 0;
    if (!rc && !there)
        rc = by_ranges(&r, &text, err);
    if (!rc && !r.not_read) {
        const char *kept = tn_arena_strndup(a->c->mem, text.p ? text.p : "", text.n);
        if (tn_metadata_read(a->c->mem, tn_span_of(kept, text.n), m, &why) != 0)
            rc = bad(&r, TN_S_pl_meta_bad, tn_arena_strdup(a->c->mem, why.text), err);
        else if (!is_of(m, p, f))
            rc = bad(&r, TN_S_pl_meta_bad, tn_arena_printf(a->c->mem, "it is of %s %.40s", m->name, m->version), err);
        else
            f->meta = m;
    }
    f->not_read = r.not_read;
    f->meta_bytes = a->ret->said.bytes - before;
    tn_buf_deinit(&text);
    return rc;
}
