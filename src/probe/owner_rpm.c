/* owner_rpm.c - see owner.h: rpm's database where it is an SQLite file (rpm 4.16 and later; Fedora, RHEL 9).
 *
 * Invariant: read page by page, never written, never locked; pages, depth and sizes are bounded, so that a damaged file
 * ends in "failed". Formats: SQLite's "Database File Format" (b-trees, records, overflow pages); table Packages
 * (hnum INTEGER PRIMARY KEY, blob) of rpm's lib/backend/sqlite.c; rpm's "RPM Package format", header structure. What
 * only the write-ahead log holds is not seen. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/owner.h"

#define MAX_DEPTH 12u
#define MAX_PAGES 400000u
#define HEAD_BYTES 16384u /* name, version and the index of a header lie in these */
#define MAX_HEADER (16u << 20)
#define MAX_TAGS 4096u

struct db {
    struct tn_world_file file;
    struct tn_arena *mem; /* emptied by the caller after each row */
    uint32_t page, usable;
    uint32_t left; /* pages that may still be read */
    struct tn_owners *o;
    uint32_t src;
    uint32_t root; /* of table Packages; 0: not found yet */
};

/* One row of a table: where its payload begins. */
struct row {
    struct tn_span local;
    uint64_t size;
    uint32_t overflow;
};

static bool page_of(struct db *d, uint32_t number, struct tn_span *ret)
{
    struct tn_answer a;
    if (number == 0 || d->left == 0)
        return false;
    d->left--;
    a = tn_world_part(d->file.w, d->mem, d->file.path, (uint64_t)(number - 1) * d->page, d->page);
    *ret = a.data;
    return a.got == TN_KNOWN && a.data.n == d->page;
}

static bool varint(struct tn_span *s, uint64_t *ret)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 9 && i < s->n; i++) {
        v = i == 8 ? v << 8 | s->p[i] : v << 7 | (s->p[i] & 0x7F);
        if (i == 8 || !(s->p[i] & 0x80)) {
            *ret = v;
            *s = tn_span_from(*s, i + 1);
            return true;
        }
    }
    return false;
}

/* The first max bytes of the payload, together. */
static bool payload(struct db *d, const struct row *r, uint64_t max, struct tn_span *ret)
{
    uint64_t want = r->size < max ? r->size : max;
    if (r->local.n >= want) {
        *ret = tn_span_of(r->local.p, (size_t)want);
        return true;
    }
    unsigned char *p = tn_arena_alloc(d->mem, (size_t)want);
    size_t n = r->local.n;
    memcpy(p, r->local.p, n);
    for (uint32_t next = r->overflow; n < want;) {
        struct tn_span s;
        if (!page_of(d, next, &s) || !tn_span_u32(s, 0, true, &next))
            return false;
        size_t part = d->usable - 4 < want - n ? d->usable - 4 : (size_t)(want - n);
        memcpy(p + n, s.p + 4, part);
        n += part;
    }
    *ret = tn_span_of(p, n);
    return true;
}

static bool cell(const struct db *d, struct tn_span page, size_t at, struct row *ret)
{
    uint64_t rowid, local, most = d->usable - 35, least = (uint64_t)(d->usable - 12) * 32 / 255 - 23;
    struct tn_span s = tn_span_from(page, at);
    if (at >= page.n || !varint(&s, &ret->size) || !varint(&s, &rowid) || ret->size > MAX_HEADER)
        return false;
    local = least + (ret->size - least) % (d->usable - 4);
    local = ret->size <= most ? ret->size : local <= most ? local : least;
    ret->overflow = 0;
    if (local > s.n || (local < ret->size && !tn_span_u32(s, local, true, &ret->overflow)))
        return false;
    ret->local = tn_span_of(s.p, (size_t)local);
    return true;
}

typedef bool (*row_fn)(struct db *d, const struct row *r);

static bool walk(struct db *d, uint32_t number, unsigned depth, row_fn fn)
{
    struct tn_arena *outer = d->mem, mine;
    struct tn_span page;
    bool good = true;
    tn_arena_init(&mine);
    d->mem = &mine;
    size_t at = number == 1 ? 100 : 0;
    uint16_t n = 0, where;
    uint32_t child;
    good = depth < MAX_DEPTH && page_of(d, number, &page) && tn_span_u16(page, at + 3, true, &n) &&
           (page.p[at] == 0x05 || page.p[at] == 0x0D);
    bool leaf = good && page.p[at] == 0x0D;
    for (uint16_t i = 0; good && i < n; i++) {
        struct row r;
        struct tn_arena row_mem;
        good = tn_span_u16(page, at + (leaf ? 8 : 12) + 2u * i, true, &where);
        if (!good || !leaf) {
            good = good && tn_span_u32(page, where, true, &child) && walk(d, child, depth + 1, fn);
            continue;
        }
        tn_arena_init(&row_mem);
        d->mem = &row_mem;
        good = cell(d, page, where, &r) && fn(d, &r);
        d->mem = &mine;
        tn_arena_deinit(&row_mem);
    }
    if (good && !leaf)
        good = tn_span_u32(page, at + 8, true, &child) && walk(d, child, depth + 1, fn);
    d->mem = outer;
    tn_arena_deinit(&mine);
    return good;
}

/* The columns of a record: up to n of them, as they lie in its body. */
static bool columns(struct tn_span record, uint64_t type[], struct tn_span col[], unsigned n)
{
    static const unsigned char size_of[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    struct tn_span head = record;
    uint64_t head_n, used = 0;
    if (!varint(&head, &head_n) || head_n > record.n)
        return false;
    head.n = head.n < head_n ? head.n : (size_t)head_n - (size_t)(head.p - record.p);
    for (unsigned i = 0; i < n; i++) {
        if (!varint(&head, &type[i]))
            return false;
        uint64_t bytes = type[i] < 12 ? size_of[type[i]] : (type[i] - 12) / 2;
        size_t from = (size_t)(head_n + used);
        if (from > record.n || bytes > MAX_HEADER)
            return false;
        col[i] = tn_span_of(record.p + from, bytes < record.n - from ? (size_t)bytes : record.n - from);
        used += bytes;
    }
    return true;
}

/* type, name, tbl_name, rootpage, sql */
static bool schema_row(struct db *d, const struct row *r)
{
    uint64_t type[4], root = 0;
    struct tn_span s, col[4];
    if (!payload(d, r, 4096, &s) || !columns(s, type, col, 4))
        return false;
    if (col[0].n != 5 || memcmp(col[0].p, "table", 5) != 0 || col[1].n != 8 || memcmp(col[1].p, "Packages", 8) != 0)
        return true;
    for (size_t i = 0; i < col[3].n && i < 4; i++)
        root = root << 8 | col[3].p[i];
    d->root = (uint32_t)root;
    return true;
}

struct header {
    struct tn_span index, data;
    uint32_t n;
};

static bool header_of(struct tn_span blob, struct header *h)
{
    uint32_t n, size;
    if (!tn_span_u32(blob, 0, true, &n) || !tn_span_u32(blob, 4, true, &size) || n > MAX_TAGS || 8 + 16u * n > blob.n)
        return false;
    h->n = n;
    h->index = tn_span_of(blob.p + 8, 16u * n);
    h->data = tn_span_from(blob, 8 + 16u * n);
    return true;
}

/* Where the values of a tag begin, and how many there are; false when the header lacks it. */
static bool tag(const struct header *h, uint32_t want, struct tn_span *ret, uint32_t *ret_n)
{
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t t, off;
        if (tn_span_u32(h->index, 16u * i, true, &t) && t == want && tn_span_u32(h->index, 16u * i + 8, true, &off) &&
            tn_span_u32(h->index, 16u * i + 12, true, ret_n) && off < h->data.n) {
            *ret = tn_span_from(h->data, off);
            return true;
        }
    }
    return false;
}

/* The next of several texts, each with its NUL; NULL at the end. */
static const char *next_text(struct tn_span *s)
{
    const unsigned char *end = s->n ? memchr(s->p, 0, s->n) : NULL;
    const char *text = (const char *)s->p;
    if (!end)
        return NULL;
    *s = tn_span_from(*s, (size_t)(end - s->p) + 1);
    return text;
}

static const char *text_tag(const struct header *h, uint32_t want)
{
    struct tn_span s;
    uint32_t n;
    return tag(h, want, &s, &n) ? next_text(&s) : NULL;
}

/* Files: base names (1117), each with the number (1116) of its folder (1118). */
static void match_files(struct db *d, const struct header *h, const char *package)
{
    struct tn_span base, index, dir;
    uint32_t n, n_index, n_dir, k;
    char path[TN_MAX_PATH_BYTES + 1];
    if (!tag(h, 1117, &base, &n) || !tag(h, 1116, &index, &n_index) || !tag(h, 1118, &dir, &n_dir) || n > index.n / 4 ||
        n_dir > dir.n)
        return;
    const char **folder = tn_arena_array(d->mem, n_dir ? n_dir : 1, sizeof *folder);
    for (k = 0; k < n_dir && (folder[k] = next_text(&dir)); k++)
        ;
    n_dir = k;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = next_text(&base);
        if (!name || !tn_span_u32(index, 4u * i, true, &k) || k >= n_dir)
            return;
        size_t n_folder = strlen(folder[k]), n_name = strlen(name);
        if (n_folder + n_name >= sizeof path)
            continue;
        memcpy(path, folder[k], n_folder);
        memcpy(path + n_folder, name, n_name + 1);
        tn_owner_match(d->o, package, d->src, path);
    }
}

static bool package_row(struct db *d, const struct row *r)
{
    uint64_t type[2];
    struct tn_span s, col[2], epoch;
    struct header h;
    uint32_t n, number = 0;
    if (!payload(d, r, HEAD_BYTES, &s) || !columns(s, type, col, 2) || !header_of(col[1], &h))
        return false;
    const char *name = text_tag(&h, 1000);
    if (!name)
        return false;
    d->o->n_installed += strcmp(name, "gpg-pubkey") != 0; /* keys are kept like packages */
    if (!tn_owner_is_vendor(name))
        return true;
    if (!payload(d, r, MAX_HEADER, &s) || !columns(s, type, col, 2) || !header_of(col[1], &h))
        return false;
    name = text_tag(&h, 1000);
    const char *version = text_tag(&h, 1001), *release = text_tag(&h, 1002);
    if (!name || !version || !release)
        return false;
    if (tag(&h, 1003, &epoch, &n))
        tn_span_u32(epoch, 0, true, &number);
    const char *full = number ? tn_arena_printf(d->mem, "%u:%s-%s", (unsigned)number, version, release)
                              : tn_arena_printf(d->mem, "%s-%s", version, release);
    tn_owner_package(d->o, "rpm", name, full, "installed");
    match_files(d, &h, tn_arena_printf(d->o->c->tmp, "%s %s", name, full));
    return true;
}

enum tn_know tn_owner_rpm(struct tn_owners *o, const char *file, const char **ret_note)
{
    struct db d = {.mem = o->c->tmp, .o = o, .left = MAX_PAGES};
    struct tn_span head;
    struct tn_err err;
    uint16_t size;
    enum tn_know got;
    *ret_note = "no SQLite database, or a damaged one";
    if (tn_world_open(o->c->w, o->c->tmp, file, &d.file, &got, &err)) {
        *ret_note = tn_arena_strdup(o->c->tmp, err.text);
        return got;
    }
    int rc = d.file.view.size < 512 ? 0 : tn_view_at(&d.file.view, 0, 100, &head, &err);
    if (rc && tn_know_of_error(rc) == TN_DENIED) {
        *ret_note = tn_arena_strdup(o->c->tmp, err.text);
        return TN_DENIED;
    }
    if (rc || d.file.view.size < 512 || memcmp(head.p, "SQLite format 3", 16) != 0 ||
        !tn_span_u16(head, 16, true, &size))
        return TN_FAILED;
    d.page = size == 1 ? 65536u : size;
    d.usable = d.page - head.p[20];
    if (d.page < 512 || (d.page & (d.page - 1)) || d.usable < 480)
        return TN_FAILED;
    o->src = d.src = tn_snap_src_of(o->c->s, TN_KNOWN, NULL, "read", file);
    if (!walk(&d, 1, 0, schema_row) || !d.root || !walk(&d, d.root, 0, package_row))
        return TN_FAILED;
    return TN_KNOWN;
}
