/* snapshot.c - see snapshot.h. */
#include "snapshot/snapshot.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"

void tn_snap_init(struct tn_snap *s)
{
    memset(s, 0, sizeof *s);
    tn_arena_init(&s->mem);
    s->schema = TN_SCHEMA_VERSION;
    s->src = tn_arena_grow(&s->mem, NULL, 0, &s->cap_src, sizeof *s->src);
    s->src[0] = (struct tn_src){.asked = ""};
    s->n_src = 1;
    for (unsigned i = 0; i < TN_REC_COUNT; i++)
        if (tn_schema[i].one)
            tn_snap_add(s, (enum tn_rec_id)i);
}

void tn_snap_deinit(struct tn_snap *s)
{
    tn_arena_deinit(&s->mem);
    memset(s, 0, sizeof *s);
}

static uint32_t add_src(struct tn_snap *s, enum tn_know got, const char *note, const char *asked)
{
    s->src = tn_arena_grow(&s->mem, s->src, s->n_src, &s->cap_src, sizeof *s->src);
    struct tn_src *n = &s->src[s->n_src];
    n->asked = asked;
    n->got = got;
    n->note = note && *note ? tn_arena_strdup(&s->mem, note) : NULL;
    return (uint32_t)s->n_src++;
}

uint32_t tn_snap_src_of(struct tn_snap *s, enum tn_know got, const char *note, const char *word, const char *name)
{
    size_t n = strlen(word), m = strlen(name);
    char *asked = tn_arena_alloc(&s->mem, n + m + 2);
    memcpy(asked, word, n);
    asked[n] = ' ';
    memcpy(asked + n + 1, name, m);
    return add_src(s, got, note, asked);
}

uint32_t tn_snap_src(struct tn_snap *s, enum tn_know got, const char *note, const char *fmt, ...)
{
    char text[TN_MAX_PATH_BYTES + 64];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return add_src(s, got, note, tn_arena_strdup(&s->mem, text));
}

struct tn_rows *tn_snap_rows(const struct tn_snap *s, unsigned rec)
{
    return (struct tn_rows *)((char *)(uintptr_t)s + tn_schema[rec].offset);
}

void *tn_snap_row(const struct tn_snap *s, unsigned rec, size_t row)
{
    return (char *)tn_snap_rows(s, rec)->v + row * tn_schema[rec].row_size;
}

void *tn_snap_add(struct tn_snap *s, enum tn_rec_id rec)
{
    struct tn_rows *r = tn_snap_rows(s, rec);
    r->v = tn_arena_grow(&s->mem, r->v, r->n, &r->cap, tn_schema[rec].row_size);
    void *row = tn_snap_row(s, rec, r->n++);
    return memset(row, 0, tn_schema[rec].row_size);
}

struct tn_str tn_fact_str(struct tn_snap *s, uint32_t src, const char *v)
{
    struct tn_str f = {v ? tn_arena_strdup(&s->mem, v) : NULL, src, v ? TN_KNOWN : TN_ABSENT};
    return f;
}

struct tn_str tn_fact_strn(struct tn_snap *s, uint32_t src, const void *v, size_t n)
{
    const char *nul = n ? memchr(v, 0, n) : NULL;
    struct tn_str f = {tn_arena_strndup(&s->mem, v, nul ? (size_t)(nul - (const char *)v) : n), src, TN_KNOWN};
    return f;
}

struct tn_int tn_fact_int(uint32_t src, int64_t v)
{
    struct tn_int f = {v, src, TN_KNOWN};
    return f;
}

struct tn_list tn_fact_list(struct tn_snap *s, uint32_t src, const char *const *v, size_t n)
{
    const char **copy = tn_arena_array(&s->mem, n, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = tn_arena_strdup(&s->mem, v[i]);
    struct tn_list f = {copy, (uint32_t)n, src, TN_KNOWN};
    return f;
}

/* What answered, but with nothing of the kind asked for (a folder where a program should be), is absent. */
static enum tn_know no_value(enum tn_know k)
{
    return k == TN_KNOWN ? TN_ABSENT : k;
}

struct tn_str tn_fact_nostr(uint32_t src, enum tn_know k)
{
    struct tn_str f = {NULL, src, no_value(k)};
    return f;
}

struct tn_int tn_fact_noint(uint32_t src, enum tn_know k)
{
    struct tn_int f = {0, src, no_value(k)};
    return f;
}

struct tn_list tn_fact_nolist(uint32_t src, enum tn_know k)
{
    struct tn_list f = {NULL, 0, src, k};
    return f;
}

bool tn_says(struct tn_str f, const char *text)
{
    return f.k == TN_KNOWN && strcmp(f.v, text) == 0;
}

bool tn_list_has(struct tn_list f, const char *text)
{
    for (uint32_t i = 0; f.k == TN_KNOWN && i < f.n; i++)
        if (strcmp(f.v[i], text) == 0)
            return true;
    return false;
}

static bool is_list(enum tn_kind k)
{
    return k == TN_KIND_LIST || k == TN_KIND_PATHS;
}

static bool is_number(enum tn_kind k)
{
    return k == TN_KIND_INT || k == TN_KIND_BOOL;
}

enum tn_know tn_field_know(const void *row, const struct tn_field_desc *f, uint32_t *ret_src)
{
    const void *p = (const char *)row + f->offset;
    if (is_list(f->kind)) {
        const struct tn_list *l = p;
        if (ret_src)
            *ret_src = l->src;
        return l->k;
    }
    if (is_number(f->kind)) {
        const struct tn_int *n = p;
        if (ret_src)
            *ret_src = n->src;
        return n->k;
    }
    const struct tn_str *t = p;
    if (ret_src)
        *ret_src = t->src;
    return t->k;
}

static bool same_list(const struct tn_list *a, const struct tn_list *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (strcmp(a->v[i], b->v[i]) != 0)
            return false;
    return true;
}

bool tn_field_same(const void *a, const void *b, const struct tn_field_desc *f)
{
    const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
    enum tn_know k = tn_field_know(a, f, NULL);
    if (k != tn_field_know(b, f, NULL) || k != TN_KNOWN)
        return k == tn_field_know(b, f, NULL);
    if (is_list(f->kind))
        return same_list(x, y);
    if (is_number(f->kind))
        return ((const struct tn_int *)x)->v == ((const struct tn_int *)y)->v;
    return strcmp(((const struct tn_str *)x)->v, ((const struct tn_str *)y)->v) == 0;
}

void tn_field_text(const void *row, const struct tn_field_desc *f, struct tn_buf *ret)
{
    const void *p = (const char *)row + f->offset;
    tn_buf_clear(ret);
    if (tn_field_know(row, f, NULL) != TN_KNOWN)
        return;
    if (is_list(f->kind)) {
        const struct tn_list *l = p;
        for (uint32_t i = 0; i < l->n; i++) {
            tn_buf_str(ret, i ? ", " : "");
            tn_buf_str(ret, l->v[i]);
        }
    } else if (f->kind == TN_KIND_BOOL) {
        tn_buf_str(ret, ((const struct tn_int *)p)->v ? "yes" : "no");
    } else if (f->kind == TN_KIND_INT) {
        tn_buf_printf(ret, "%" PRId64, ((const struct tn_int *)p)->v);
    } else {
        tn_buf_str(ret, ((const struct tn_str *)p)->v);
    }
}

enum tn_path_style tn_snap_style(const struct tn_snap *s)
{
    return tn_says(TN_THE(s, host)->os, "windows") ? TN_PATH_WINDOWS : TN_PATH_POSIX;
}

/* Probes number environments by their rows ("env12" is the twelfth); other snapshots may not. */
static size_t row_of_id(const char *id)
{
    uint64_t number = 0;
    bool ok = tn_str_starts(id, "env") && tn_str_u64(id + 3, strlen(id + 3), 10, &number);
    return ok && number ? (size_t)number - 1 : SIZE_MAX;
}

const struct tn_rec_env *tn_snap_env(const struct tn_snap *s, const char *id)
{
    size_t guess = row_of_id(id);
    if (guess < s->env.n && tn_says(s->env.v[guess].id, id))
        return &s->env.v[guess];
    for (size_t i = 0; i < s->env.n; i++)
        if (tn_says(s->env.v[i].id, id))
            return &s->env.v[i];
    return NULL;
}

const struct tn_rec_env *tn_snap_judged(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->env.n; i++)
        if (tn_is(s->env.v[i].judged, 1))
            return &s->env.v[i];
    return NULL;
}

struct tn_ref tn_ref_make(unsigned rec, uint32_t row, size_t offset)
{
    struct tn_ref r = {(uint16_t)rec, TN_REF_ROW, row};
    for (unsigned i = 0; i < tn_schema[rec].n_field; i++)
        if (tn_schema[rec].field[i].offset == offset)
            r.field = (uint16_t)i;
    return r;
}

void tn_ref_name(struct tn_ref r, struct tn_buf *ret)
{
    const struct tn_rec_desc *d = &tn_schema[r.rec];
    tn_buf_clear(ret);
    tn_buf_str(ret, d->name);
    if (r.row != TN_REF_LIST && !d->one)
        tn_buf_printf(ret, "[%u]", r.row);
    if (r.field != TN_REF_ROW)
        tn_buf_printf(ret, ".%s", d->field[r.field].name);
}
