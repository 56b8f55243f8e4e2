/* write.c - see write.h. */
#include "snapshot/write.h"

#include <string.h>

#include "snapshot/json.h"

struct out {
    const struct tn_snap *s;
    struct tn_buf *b;
};

/* {"is", "value", "from", "note", "got"}; value may be NULL and is taken over. */
static json_t *fact(const struct tn_snap *s, enum tn_know k, uint32_t src, json_t *value)
{
    json_t *o = tn_json_must(json_object());
    tn_json_set(o, "is", json_string(tn_know_word(k)));
    if (value)
        tn_json_set(o, "value", value);
    if (src && src < s->n_src) {
        const struct tn_src *from = &s->src[src];
        tn_json_set(o, "from", tn_json_text(from->asked));
        if (from->note)
            tn_json_set(o, "note", tn_json_text(from->note));
        if (from->got != k)
            tn_json_set(o, "got", json_string(tn_know_word(from->got)));
    }
    return o;
}

static json_t *value_of(const void *row, const struct tn_field_desc *f)
{
    const void *p = (const char *)row + f->offset;
    switch (f->kind) {
    case TN_KIND_INT: return tn_json_must(json_integer((json_int_t)((const struct tn_int *)p)->v));
    case TN_KIND_BOOL: return tn_json_must(json_boolean(((const struct tn_int *)p)->v != 0));
    case TN_KIND_LIST:
    case TN_KIND_PATHS: {
        const struct tn_list *l = p;
        json_t *a = tn_json_must(json_array());
        for (uint32_t i = 0; i < l->n; i++)
            tn_json_append(a, tn_json_text(l->v[i]));
        return a;
    }
    default: break;
    }
    const struct tn_str *t = p;
    return tn_json_text(t->v ? t->v : "");
}

/* The unknown members that were read at a place: the text between the braces, or NULL. */
static const char *extra_at(const struct tn_snap *s, unsigned rec, uint32_t row, unsigned field, size_t *ret_n)
{
    size_t lo = 0, hi = s->n_more;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct tn_ref *at = &s->more[mid].at;
        int c = at->rec != rec   ? (at->rec > rec) - (at->rec < rec)
                : at->row != row ? (at->row > row) - (at->row < row)
                                 : (at->field > field) - (at->field < field);
        if (c == 0) {
            *ret_n = strlen(s->more[mid].json) - 2;
            return s->more[mid].json + 1;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

static void add_fact(struct out *o, unsigned rec, uint32_t row, unsigned field, json_t *j)
{
    size_t n;
    const char *more = extra_at(o->s, rec, row, field, &n);
    tn_json_dump(o->b, j, 0);
    json_decref(j);
    if (more) { /* before the closing brace */
        o->b->n--;
        tn_buf_str(o->b, ", ");
        tn_buf_add(o->b, more, n);
        tn_buf_ch(o->b, '}');
    }
}

/* Starts the next member of an object on its own line. */
static void next_line(struct out *o, bool *first, unsigned indent)
{
    tn_buf_printf(o->b, "%s\n%*s", *first ? "" : ",", (int)indent, "");
    *first = false;
}

static void end_object(struct out *o, bool first, unsigned indent, char brace)
{
    if (!first)
        tn_buf_printf(o->b, "\n%*s", (int)indent, "");
    tn_buf_ch(o->b, brace);
}

static void add_more(struct out *o, unsigned rec, uint32_t row, unsigned field, bool *first, unsigned indent)
{
    size_t n;
    const char *more = extra_at(o->s, rec, row, field, &n);
    if (!more)
        return;
    next_line(o, first, indent);
    tn_buf_add(o->b, more, n);
}

static void add_row(struct out *o, unsigned rec, size_t i, unsigned indent)
{
    const struct tn_rec_desc *d = &tn_schema[rec];
    const void *row = tn_snap_row(o->s, rec, i);
    bool first = true;
    tn_buf_ch(o->b, '{');
    for (unsigned k = 0; k < d->n_field; k++) {
        const struct tn_field_desc *f = &d->field[k];
        uint32_t src, at = (uint32_t)i;
        size_t n;
        enum tn_know know = tn_field_know(row, f, &src);
        if (know == TN_UNASKED && !src && !extra_at(o->s, rec, at, k, &n))
            continue;
        next_line(o, &first, indent);
        tn_buf_printf(o->b, "\"%s\": ", f->name);
        add_fact(o, rec, at, k, fact(o->s, know, src, know == TN_KNOWN ? value_of(row, f) : NULL));
    }
    add_more(o, rec, (uint32_t)i, TN_REF_ROW, &first, indent);
    end_object(o, first, indent - 1, '}');
}

static void add_record(struct out *o, unsigned rec)
{
    const struct tn_rows *r = tn_snap_rows(o->s, rec);
    if (tn_schema[rec].one) {
        add_row(o, rec, 0, 2);
        return;
    }
    bool first = true, first_row = true;
    tn_buf_ch(o->b, '{');
    next_line(o, &first, 2);
    tn_buf_str(o->b, "\"listed\": ");
    add_fact(o, rec, TN_REF_LIST, 0, fact(o->s, r->listed, r->src, NULL));
    next_line(o, &first, 2);
    tn_buf_str(o->b, "\"rows\": [");
    for (size_t i = 0; i < r->n; i++) {
        next_line(o, &first_row, 3);
        add_row(o, rec, i, 4);
    }
    end_object(o, first_row, 2, ']');
    add_more(o, rec, TN_REF_LIST, TN_REF_ROW, &first, 2);
    end_object(o, first, 1, '}');
}

void tn_snapshot_write(const struct tn_snap *s, struct tn_buf *ret)
{
    struct out o = {s, ret};
    bool first = true;
    tn_json_seed();
    tn_buf_clear(ret);
    tn_buf_printf(ret, "{\n \"schema_version\": %d,\n \"command\": \"snapshot\",\n \"redacted\": %s",
                  s->schema > TN_SCHEMA_VERSION ? s->schema : TN_SCHEMA_VERSION, s->redacted ? "true" : "false");
    first = false;
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        next_line(&o, &first, 1);
        tn_buf_printf(ret, "\"%s\": ", tn_schema[rec].name);
        add_record(&o, rec);
    }
    if (s->extra && strlen(s->extra) > 2) {
        next_line(&o, &first, 1);
        tn_buf_add(ret, s->extra + 1, strlen(s->extra) - 2);
    }
    tn_buf_str(ret, "\n}\n");
}

void tn_snapshot_write_fact(const struct tn_snap *s, const void *row, const struct tn_field_desc *f, struct tn_buf *ret)
{
    uint32_t src;
    enum tn_know know = tn_field_know(row, f, &src);
    tn_json_seed();
    json_t *j = fact(s, know, src, know == TN_KNOWN ? value_of(row, f) : NULL);
    tn_json_dump(ret, j, 0);
    json_decref(j);
}
