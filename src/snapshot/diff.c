/* diff.c - see diff.h. */
#include "snapshot/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Which fields name a row. A field env stands for the environment's path: env1 of one machine may be env2 of another
 * snapshot of it. Records without an entry are compared by all that they hold. */
static const struct {
    enum tn_rec_id rec;
    const char *key[4];
} keys[] = {
    {TN_REC_gpu, {"bus", NULL}},
    {TN_REC_module, {"path", "name", "kernel", NULL}},
    {TN_REC_node, {"path", NULL}},
    {TN_REC_process, {"pid", "gpu", NULL}},
    {TN_REC_toolkit, {"path", NULL}},
    {TN_REC_library, {"path", "place", NULL}},
    {TN_REC_env, {"path", NULL}},
    {TN_REC_dist, {"env", "name", NULL}},
    {TN_REC_framework, {"env", "name", "package", NULL}},
    {TN_REC_image, {"path", "env", NULL}},
    {TN_REC_dir, {"path", NULL}},
    {TN_REC_search, {"by", "env", "path", NULL}},
    {TN_REC_variable, {"name", NULL}},
    {TN_REC_disk, {"path", NULL}},
    {TN_REC_event, {"kind", "code", "gpu", NULL}},
    {TN_REC_service, {"name", NULL}},
    {TN_REC_config, {"path", "key", NULL}},
    {TN_REC_installer, {"env", "name", "path", NULL}},
    {TN_REC_measurement, {"what", "device", NULL}},
    {TN_REC_load, {"framework", "after", "name", NULL}},
    {TN_REC_observation, {"fact", "line", NULL}},
    {TN_REC_cached, {"soname", "rank", NULL}},
};

struct named {
    const char *name;
    uint32_t row;
};

static const char *const *key_of(unsigned rec)
{
    for (size_t i = 0; i < TN_LEN(keys); i++)
        if (keys[i].rec == (enum tn_rec_id)rec)
            return keys[i].key;
    return NULL;
}

static const struct tn_field_desc *field_of(unsigned rec, const char *name)
{
    for (unsigned i = 0; i < tn_schema[rec].n_field; i++)
        if (strcmp(tn_schema[rec].field[i].name, name) == 0)
            return &tn_schema[rec].field[i];
    return NULL;
}

static void add_key(const struct tn_snap *s, unsigned rec, const void *row, const struct tn_field_desc *f,
                    struct tn_buf *ret)
{
    struct tn_buf text;
    if (!f)
        return;
    tn_buf_init(&text);
    tn_field_text(row, f, &text);
    const char *own = text.n ? text.p : "";
    const struct tn_rec_env *env = rec != TN_REC_env && strcmp(f->name, "env") == 0 ? tn_snap_env(s, own) : NULL;
    const char *say = env && tn_known(env->path) ? env->path.v : own;
    if (*say) {
        tn_buf_str(ret, ret->n ? " " : "");
        tn_buf_str(ret, say);
    }
    tn_buf_deinit(&text);
}

void tn_snapshot_row_name(const struct tn_snap *s, unsigned rec, size_t row, struct tn_buf *ret)
{
    const char *const *key = key_of(rec);
    const void *r = tn_snap_row(s, rec, row);
    struct tn_buf name;
    tn_buf_init(&name);
    for (; key && *key; key++)
        add_key(s, rec, r, field_of(rec, *key), &name);
    for (unsigned i = 0; !key_of(rec) && i < tn_schema[rec].n_field; i++)
        add_key(s, rec, r, &tn_schema[rec].field[i], &name);
    tn_buf_add(ret, name.p, name.n);
    tn_buf_deinit(&name);
}

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

/* Names of all rows in order; of equal names the second is "name #2". */
static struct named *name_rows(struct tn_arena *mem, const struct tn_snap *s, unsigned rec)
{
    size_t n = tn_snap_rows(s, rec)->n;
    struct named *v = tn_arena_array(mem, n, sizeof *v);
    struct tn_buf b;
    tn_buf_init(&b);
    for (size_t i = 0; i < n; i++) {
        tn_buf_clear(&b);
        tn_snapshot_row_name(s, rec, i, &b);
        v[i].name = tn_arena_strdup(mem, b.p);
        v[i].row = (uint32_t)i;
    }
    tn_buf_deinit(&b);
    if (!n)
        return v;
    qsort(v, n, sizeof *v, by_name);
    for (size_t i = 1, same = 0; i < n; i++) {
        const char *first = v[i - 1 - same].name;
        same = strcmp(first, v[i].name) == 0 ? same + 1 : 0;
        if (same)
            v[i].name = tn_arena_printf(mem, "%s #%lu", v[i].name, (unsigned long)same + 1);
    }
    qsort(v, n, sizeof *v, by_name);
    return v;
}

static const char *text_of(struct tn_arena *mem, enum tn_know k, const void *row, const struct tn_field_desc *f)
{
    struct tn_buf b;
    if (k != TN_KNOWN)
        return tn_arena_printf(mem, "(%s)", tn_know_word(k));
    tn_buf_init(&b);
    tn_field_text(row, f, &b);
    const char *t = tn_arena_strdup(mem, b.p);
    tn_buf_deinit(&b);
    return t;
}

static struct tn_change *add(struct tn_diff *d, bool matters)
{
    d->v = tn_arena_grow(&d->mem, d->v, d->n, &d->cap, sizeof *d->v);
    d->n_matters += matters;
    d->v[d->n].matters = matters;
    return &d->v[d->n++];
}

/* env.id and the env of other rows are names within one snapshot, not facts. */
static bool is_id(unsigned rec, const struct tn_field_desc *f)
{
    return strcmp(f->name, rec == TN_REC_env ? "id" : "env") == 0;
}

static void compare_row(struct tn_diff *d, const struct tn_snap *a, const struct tn_snap *b, unsigned rec, uint32_t ia,
                        uint32_t ib, const char *name)
{
    const struct tn_rec_desc *r = &tn_schema[rec];
    const void *ra = tn_snap_row(a, rec, ia), *rb = tn_snap_row(b, rec, ib);
    for (unsigned i = 0; i < r->n_field; i++) {
        const struct tn_field_desc *f = &r->field[i];
        enum tn_know ka = tn_field_know(ra, f, NULL), kb = tn_field_know(rb, f, NULL);
        if (is_id(rec, f) || tn_field_same(ra, rb, f))
            continue;
        struct tn_change *c = add(d, f->weight == TN_WEIGHT_MATTERS);
        c->before = (struct tn_ref){(uint16_t)rec, (uint16_t)i, ia};
        c->after = (struct tn_ref){(uint16_t)rec, (uint16_t)i, ib};
        c->fact = name ? tn_arena_printf(&d->mem, "%s[%s].%s", r->name, name, f->name)
                       : tn_arena_printf(&d->mem, "%s.%s", r->name, f->name);
        c->old_know = ka;
        c->new_know = kb;
        c->old_text = text_of(&d->mem, ka, ra, f);
        c->new_text = text_of(&d->mem, kb, rb, f);
    }
}

/* Does any fact of the record matter? */
static bool record_matters(unsigned rec)
{
    for (unsigned i = 0; i < tn_schema[rec].n_field; i++)
        if (tn_schema[rec].field[i].weight == TN_WEIGHT_MATTERS)
            return true;
    return false;
}

/* A row that only one side has. */
static void only(struct tn_diff *d, unsigned rec, const struct named *row, bool is_new)
{
    struct tn_change *c = add(d, record_matters(rec));
    c->before = c->after = (struct tn_ref){(uint16_t)rec, TN_REF_ROW, row->row};
    c->fact = tn_arena_printf(&d->mem, "%s[%s]", tn_schema[rec].name, row->name);
    c->old_know = is_new ? TN_ABSENT : TN_KNOWN;
    c->new_know = is_new ? TN_KNOWN : TN_ABSENT;
    c->old_text = is_new ? NULL : row->name;
    c->new_text = is_new ? row->name : NULL;
}

static void compare_many(struct tn_diff *d, const struct tn_snap *a, const struct tn_snap *b, unsigned rec)
{
    const struct tn_rows *ra = tn_snap_rows(a, rec), *rb = tn_snap_rows(b, rec);
    if (ra->listed != rb->listed) {
        struct tn_change *c = add(d, record_matters(rec));
        c->before = c->after = (struct tn_ref){(uint16_t)rec, TN_REF_ROW, TN_REF_LIST};
        c->fact = tn_schema[rec].name;
        c->old_know = ra->listed;
        c->new_know = rb->listed;
        c->old_text = tn_arena_printf(&d->mem, "(%s)", tn_know_word(ra->listed));
        c->new_text = tn_arena_printf(&d->mem, "(%s)", tn_know_word(rb->listed));
    }
    struct named *na = name_rows(&d->mem, a, rec), *nb = name_rows(&d->mem, b, rec);
    size_t i = 0, k = 0;
    while (i < ra->n || k < rb->n) {
        int order = i == ra->n ? 1 : k == rb->n ? -1 : strcmp(na[i].name, nb[k].name);
        if (order < 0) {
            only(d, rec, &na[i++], false);
        } else if (order > 0) {
            only(d, rec, &nb[k++], true);
        } else {
            compare_row(d, a, b, rec, na[i].row, nb[k].row, na[i].name);
            i++, k++;
        }
    }
}

void tn_snapshot_diff(const struct tn_snap *before, const struct tn_snap *after, struct tn_diff *ret)
{
    memset(ret, 0, sizeof *ret);
    tn_arena_init(&ret->mem);
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        if (tn_schema[rec].one)
            compare_row(ret, before, after, rec, 0, 0, NULL);
        else
            compare_many(ret, before, after, rec);
    }
}

void tn_diff_deinit(struct tn_diff *d)
{
    tn_arena_deinit(&d->mem);
    memset(d, 0, sizeof *d);
}
