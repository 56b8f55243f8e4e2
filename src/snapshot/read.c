/* read.c - see read.h. */
#include "snapshot/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "snapshot/json.h"

struct reader {
    struct tn_snap s;
    struct tn_err *err;
    uint32_t *slot; /* sources by hash: index, 0 is free; size is a power of two above 2 * n_src */
    size_t n_slot;
};

static int fail(struct reader *r, int code, struct tn_ref at, const char *what)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_ref_name(at, &b);
    tn_err_set(r->err, code, b.p, "%s", what);
    tn_buf_deinit(&b);
    return code;
}

/* FNV-1a */
static uint32_t hash(const struct tn_src *s)
{
    uint32_t h = 2166136261u ^ (uint32_t)s->got;
    for (const char *p = s->asked; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    for (const char *p = s->note ? s->note : ""; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    return h;
}

static bool same_src(const struct tn_src *a, const struct tn_src *b)
{
    return a->got == b->got && strcmp(a->asked, b->asked) == 0 && tn_str_eq(a->note, b->note);
}

static void place_src(struct reader *r, uint32_t index)
{
    size_t i = hash(&r->s.src[index]) & (r->n_slot - 1);
    while (r->slot[i])
        i = (i + 1) & (r->n_slot - 1);
    r->slot[i] = index;
}

/* Index of an equal source, or of a new one. Texts live in the snapshot already. */
static uint32_t intern(struct reader *r, const struct tn_src *src)
{
    if (r->n_slot < 2 * (r->s.n_src + 1)) {
        r->n_slot = r->n_slot ? r->n_slot * 2 : 256;
        r->slot = tn_arena_array(&r->s.mem, r->n_slot, sizeof *r->slot);
        for (uint32_t i = 1; i < r->s.n_src; i++)
            place_src(r, i);
    }
    for (size_t i = hash(src) & (r->n_slot - 1); r->slot[i]; i = (i + 1) & (r->n_slot - 1))
        if (same_src(&r->s.src[r->slot[i]], src))
            return r->slot[i];
    r->s.src = tn_arena_grow(&r->s.mem, r->s.src, r->s.n_src, &r->s.cap_src, sizeof *r->s.src);
    r->s.src[r->s.n_src] = *src;
    place_src(r, (uint32_t)r->s.n_src);
    return (uint32_t)r->s.n_src++;
}

/* Keeps the members of o that are not among known[] (and for rows, not fields of d). */
static void keep_unknown(struct reader *r, json_t *o, const char *const *known, const struct tn_rec_desc *d,
                         struct tn_ref at)
{
    json_t *rest = NULL, *v;
    const char *key;
    json_object_foreach(o, key, v)
    {
        bool is_known = known && tn_str_in(key, known);
        for (unsigned i = 0; d && !is_known && i < d->n_field; i++)
            is_known = strcmp(d->field[i].name, key) == 0;
        if (is_known)
            continue;
        if (!rest)
            rest = tn_json_must(json_object());
        tn_json_set(rest, key, json_incref(v));
    }
    if (!rest)
        return;
    struct tn_buf b;
    tn_buf_init(&b);
    tn_json_dump(&b, rest, 0);
    const char *text = tn_arena_strndup(&r->s.mem, b.p, b.n);
    tn_buf_deinit(&b);
    json_decref(rest);
    if (at.rec >= TN_REC_COUNT) {
        r->s.extra = text;
        return;
    }
    r->s.more = tn_arena_grow(&r->s.mem, r->s.more, r->s.n_more, &r->s.cap_more, sizeof *r->s.more);
    r->s.more[r->s.n_more++] = (struct tn_extra){at, text};
}

static int read_source(struct reader *r, json_t *o, struct tn_ref at, enum tn_know k, uint32_t *ret)
{
    json_t *from = json_object_get(o, "from"), *note = json_object_get(o, "note"), *got = json_object_get(o, "got");
    struct tn_src src = {NULL, k, NULL};
    const char *why;
    *ret = 0;
    if (!from) {
        if (note || got)
            return fail(r, TN_E_FORMAT, at, "note or got without from");
        return 0;
    }
    src.asked = tn_json_untext(&r->s.mem, from, &why);
    if (!src.asked)
        return fail(r, TN_E_FORMAT, at, why);
    if (note && !(src.note = tn_json_untext(&r->s.mem, note, &why)))
        return fail(r, TN_E_FORMAT, at, why);
    if (got) {
        int g = json_is_string(got) ? tn_know_parse(json_string_value(got)) : -1;
        if (g < 0)
            return fail(r, TN_E_FORMAT, at, "got is none of known, absent, denied, failed, unasked");
        src.got = (enum tn_know)g;
    }
    *ret = intern(r, &src);
    return 0;
}

static int read_list(struct reader *r, json_t *value, struct tn_ref at, struct tn_list *ret)
{
    const char *why;
    size_t n = json_array_size(value);
    if (!json_is_array(value))
        return fail(r, TN_E_FORMAT, at, "expected a list of texts");
    if (n > TN_MAX_LIST)
        return fail(r, TN_E_LIMIT, at, "the list is too long");
    const char **v = tn_arena_array(&r->s.mem, n, sizeof *v);
    for (size_t i = 0; i < n; i++)
        if (!(v[i] = tn_json_untext(&r->s.mem, json_array_get(value, i), &why)))
            return fail(r, TN_E_FORMAT, at, why);
    ret->v = v;
    ret->n = (uint32_t)n;
    return 0;
}

static int read_value(struct reader *r, json_t *value, struct tn_ref at, enum tn_kind kind, void *fact)
{
    const char *why;
    switch (kind) {
    case TN_KIND_INT:
        if (!json_is_integer(value))
            return fail(r, TN_E_FORMAT, at, "expected a whole number");
        ((struct tn_int *)fact)->v = json_integer_value(value);
        return 0;
    case TN_KIND_BOOL:
        if (!json_is_boolean(value))
            return fail(r, TN_E_FORMAT, at, "expected true or false");
        ((struct tn_int *)fact)->v = json_is_true(value);
        return 0;
    case TN_KIND_LIST:
    case TN_KIND_PATHS: return read_list(r, value, at, fact);
    default: break;
    }
    const char *text = tn_json_untext(&r->s.mem, value, &why);
    if (!text)
        return fail(r, TN_E_FORMAT, at, why);
    ((struct tn_str *)fact)->v = text;
    return 0;
}

static void set_state(enum tn_kind kind, void *fact, enum tn_know k, uint32_t src)
{
    if (kind == TN_KIND_LIST || kind == TN_KIND_PATHS) {
        ((struct tn_list *)fact)->k = k;
        ((struct tn_list *)fact)->src = src;
    } else if (kind == TN_KIND_INT || kind == TN_KIND_BOOL) {
        ((struct tn_int *)fact)->k = k;
        ((struct tn_int *)fact)->src = src;
    } else {
        ((struct tn_str *)fact)->k = k;
        ((struct tn_str *)fact)->src = src;
    }
}

/* The part that a fact and a listing share: "is" and the source. */
static int read_state(struct reader *r, json_t *o, struct tn_ref at, enum tn_know *ret, uint32_t *ret_src)
{
    json_t *is = json_object_get(o, "is");
    if (!json_is_object(o))
        return fail(r, TN_E_FORMAT, at, "expected a fact: an object with \"is\"");
    int k = json_is_string(is) ? tn_know_parse(json_string_value(is)) : -1;
    if (k < 0)
        return fail(r, TN_E_FORMAT, at, "\"is\" is none of known, absent, denied, failed, unasked");
    *ret = (enum tn_know)k;
    return read_source(r, o, at, *ret, ret_src);
}

static int read_fact(struct reader *r, json_t *o, struct tn_ref at, const struct tn_field_desc *f, void *row)
{
    static const char *const known[] = {"is", "value", "from", "note", "got", NULL};
    void *fact = (char *)row + f->offset;
    json_t *value = json_object_get(o, "value");
    enum tn_know k;
    uint32_t src;
    int rc = read_state(r, o, at, &k, &src);
    if (rc)
        return rc;
    if (k == TN_KNOWN && !value)
        return fail(r, TN_E_FORMAT, at, "known, but without a value");
    if (k != TN_KNOWN && value && !json_is_null(value))
        return fail(r, TN_E_FORMAT, at, "not known, but with a value");
    if (k == TN_KNOWN && (rc = read_value(r, value, at, f->kind, fact)))
        return rc;
    set_state(f->kind, fact, k, src);
    keep_unknown(r, o, known, NULL, at);
    return 0;
}

static int read_row(struct reader *r, json_t *o, unsigned rec, uint32_t i)
{
    const struct tn_rec_desc *d = &tn_schema[rec];
    size_t seen = 0;
    struct tn_ref at = {(uint16_t)rec, TN_REF_ROW, i};
    if (!json_is_object(o))
        return fail(r, TN_E_FORMAT, at, "expected an object of facts");
    for (unsigned k = 0; k < d->n_field; k++) {
        json_t *fact = json_object_get(o, d->field[k].name);
        at.field = (uint16_t)k;
        int rc = fact ? read_fact(r, fact, at, &d->field[k], tn_snap_row(&r->s, rec, i)) : 0;
        if (rc)
            return rc;
        seen += fact != NULL;
    }
    at.field = TN_REF_ROW;
    if (seen < json_object_size(o))
        keep_unknown(r, o, NULL, d, at);
    return 0;
}

static int read_many(struct reader *r, json_t *o, unsigned rec)
{
    static const char *const known[] = {"listed", "rows", NULL};
    static const char *const known_listed[] = {"is", "from", "note", "got", NULL};
    struct tn_ref at = {(uint16_t)rec, TN_REF_ROW, TN_REF_LIST};
    json_t *listed = json_object_get(o, "listed"), *rows = json_object_get(o, "rows");
    struct tn_rows *t = tn_snap_rows(&r->s, rec);
    int rc;
    if (!json_is_object(o))
        return fail(r, TN_E_FORMAT, at, "expected an object with \"listed\" and \"rows\"");
    if (listed) {
        if ((rc = read_state(r, listed, at, &t->listed, &t->src)))
            return rc;
        keep_unknown(r, listed, known_listed, NULL, (struct tn_ref){(uint16_t)rec, 0, TN_REF_LIST});
    }
    if (rows && !json_is_array(rows))
        return fail(r, TN_E_FORMAT, at, "\"rows\" is no list");
    if (json_array_size(rows) > TN_MAX_ROWS)
        return fail(r, TN_E_LIMIT, at, "too many rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        tn_snap_add(&r->s, (enum tn_rec_id)rec);
        if ((rc = read_row(r, json_array_get(rows, i), rec, (uint32_t)i)))
            return rc;
    }
    keep_unknown(r, o, known, NULL, at);
    return 0;
}

static int read_head(struct reader *r, json_t *doc)
{
    json_t *version = json_object_get(doc, "schema_version"), *command = json_object_get(doc, "command");
    json_t *redacted = json_object_get(doc, "redacted");
    if (!json_is_object(doc))
        return tn_err_set(r->err, TN_E_FORMAT, NULL, "no snapshot: expected an object");
    if (!json_is_integer(version) || json_integer_value(version) < 1 || json_integer_value(version) > 1000000)
        return tn_err_set(r->err, TN_E_FORMAT, "schema_version", "no snapshot: expected a number from 1 on");
    if (!json_is_string(command) || strcmp(json_string_value(command), "snapshot") != 0)
        return tn_err_set(r->err, TN_E_FORMAT, "command", "no snapshot: expected \"snapshot\"");
    if (redacted && !json_is_boolean(redacted))
        return tn_err_set(r->err, TN_E_FORMAT, "redacted", "expected true or false");
    r->s.schema = (int)json_integer_value(version);
    r->s.redacted = json_is_true(redacted);
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct tn_ref *x = &((const struct tn_extra *)a)->at, *y = &((const struct tn_extra *)b)->at;
    if (x->rec != y->rec)
        return x->rec < y->rec ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->field > y->field) - (x->field < y->field);
}

static int read_document(struct reader *r, json_t *doc)
{
    const char *known[TN_REC_COUNT + 4];
    unsigned n = 0;
    int rc = read_head(r, doc);
    if (rc)
        return rc;
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        json_t *o = json_object_get(doc, known[n++] = tn_schema[rec].name);
        if (o && (rc = tn_schema[rec].one ? read_row(r, o, rec, 0) : read_many(r, o, rec)))
            return rc;
    }
    known[n++] = "schema_version";
    known[n++] = "command";
    known[n++] = "redacted";
    known[n] = NULL;
    keep_unknown(r, doc, known, NULL, (struct tn_ref){TN_REC_COUNT, TN_REF_ROW, 0});
    if (r->s.n_more)
        qsort(r->s.more, r->s.n_more, sizeof *r->s.more, by_place);
    return 0;
}

int tn_snapshot_read(struct tn_span json, struct tn_snap *ret, struct tn_err *err)
{
    struct tn_err local = {TN_E_FORMAT, "", ""};
    struct reader r = {.err = err ? err : &local};
    json_t *doc = tn_json_load(json, r.err);
    if (!doc)
        return r.err->code;
    tn_snap_init(&r.s);
    int rc = read_document(&r, doc);
    json_decref(doc);
    if (rc)
        tn_snap_deinit(&r.s);
    else
        *ret = r.s;
    return rc;
}
