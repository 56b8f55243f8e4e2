/* record.c - the record itself, the world that fills it and the world that answers from it. */
#include "world/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "world/seek.h"

void tn_record_init(struct tn_record *r, const char *os)
{
    memset(r, 0, sizeof *r);
    tn_arena_init(&r->mem);
    r->origin = "";
    r->os = tn_arena_strdup(&r->mem, os);
    r->style = strcmp(os, "windows") == 0 ? TN_PATH_WINDOWS : TN_PATH_POSIX;
    tn_tree_init(&r->files, &r->mem, r->style);
    tn_tree_init(&r->reg, &r->mem, TN_PATH_WINDOWS);
}

void tn_record_deinit(struct tn_record *r)
{
    tn_arena_deinit(&r->mem);
    memset(r, 0, sizeof *r);
}

struct tn_note *tn_record_find(const struct tn_record *r, enum tn_question_kind kind, const char *name)
{
    bool fold = kind == TN_Q_ENV && r->style == TN_PATH_WINDOWS;
    for (size_t i = 0; i < r->n_note; i++)
        if (r->note[i].kind == kind && (fold ? tn_str_ieq(r->note[i].name, name) : strcmp(r->note[i].name, name) == 0))
            return &r->note[i];
    return NULL;
}

struct tn_note *tn_record_add(struct tn_record *r, enum tn_question_kind kind, const char *name)
{
    r->note = tn_arena_grow(&r->mem, r->note, r->n_note, &r->cap_note, sizeof *r->note);
    struct tn_note *n = &r->note[r->n_note++];
    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->name = tn_arena_strdup(&r->mem, name);
    return n;
}

struct over {
    struct tn_world w;
    struct tn_world *inner; /* recorder only */
    struct tn_record *r;
};

/* The name under which a question that is no file is noted. */
static const char *note_name(struct tn_arena *mem, const struct tn_question *q)
{
    const char *s = tn_question_name(mem, q);
    const char *space = strchr(s, ' ');
    return space ? space + 1 : s;
}

static bool is_file(enum tn_question_kind k)
{
    return k == TN_Q_STAT || k == TN_Q_LINK || k == TN_Q_LIST || k == TN_Q_READ;
}

/* --- replay ------------------------------------------------------------------------------------------------- */

static void answer_reg(struct tn_record *r, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_node *key = tn_tree_walk(&r->reg, q->name, true, &ret->got), *v;
    if (!key)
        return;
    if (q->kind == TN_Q_REG_LIST) {
        struct tn_question list = {.kind = TN_Q_LIST, .name = q->name};
        tn_tree_answer(&r->reg, mem, &list, ret);
        return;
    }
    const char *name = q->sub && *q->sub ? q->sub : "@";
    v = tn_tree_child(&r->reg, key, name, strlen(name));
    if (!v || v->type == '-' || v->n_part == 0) {
        ret->got = v || key->listed || r->reg.complete ? TN_ABSENT : TN_UNASKED;
        return;
    }
    ret->got = TN_KNOWN;
    ret->data =
        tn_span_of(tn_arena_strndup(mem, (const char *)v->part[0].bytes.p, v->part[0].bytes.n), v->part[0].bytes.n);
}

/* What a record was asked for is in it; of another name its files tell. */
static void answer_seek(struct tn_record *r, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_buf b;
    if (!q->keep)
        return;
    tn_buf_init(&b);
    tn_seek_tree(&r->files, q->keep, q->ctx, &b);
    ret->got = TN_KNOWN;
    ret->data = tn_span_of(tn_arena_strndup(mem, b.p, b.n), b.n);
    tn_buf_deinit(&b);
}

static void replay_answer(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_record *r = ((struct over *)w)->r;
    struct tn_arena tmp;
    if (is_file(q->kind)) {
        tn_tree_answer(&r->files, mem, q, ret);
        return;
    }
    if (q->kind == TN_Q_REG || q->kind == TN_Q_REG_LIST) {
        answer_reg(r, mem, q, ret);
        return;
    }
    if (q->kind == TN_Q_SYS && strcmp(q->name, "os") == 0) {
        ret->got = TN_KNOWN;
        ret->data = tn_span_str(tn_arena_strdup(mem, r->os));
        return;
    }
    tn_arena_init(&tmp);
    const struct tn_note *n = tn_record_find(r, q->kind, note_name(&tmp, q));
    tn_arena_deinit(&tmp);
    if (n) {
        *ret = n->a;
        if (n->a.data.p && mem)
            ret->data = tn_span_of(tn_arena_strndup(mem, (const char *)n->a.data.p, n->a.data.n), n->a.data.n);
    } else if (q->kind == TN_Q_SEEK) {
        answer_seek(r, mem, q, ret);
    } else if ((q->kind == TN_Q_ENV && r->env_complete) || (q->kind == TN_Q_SYS && r->sys_complete)) {
        ret->got = TN_ABSENT;
    }
}

static void over_close(struct tn_world *w)
{
    struct over *o = (struct over *)w;
    if (o->inner)
        tn_world_close(o->inner);
    free(o);
}

static struct over *make(const struct tn_world_ops *ops, struct tn_record *r, struct tn_world *inner)
{
    struct over *o = tn_xmalloc(sizeof *o);
    memset(o, 0, sizeof *o);
    o->w.ops = ops;
    o->w.style = r->style;
    o->w.os = r->os;
    o->inner = inner;
    o->r = r;
    return o;
}

int tn_world_replay(struct tn_record *r, struct tn_world **ret, struct tn_err *err)
{
    static const struct tn_world_ops ops = {"replay", replay_answer, over_close};
    (void)err;
    *ret = &make(&ops, r, NULL)->w;
    return 0;
}

/* --- recorder ----------------------------------------------------------------------------------------------- */

static const char *keep(struct tn_record *r, const char *s)
{
    return s ? tn_arena_strdup(&r->mem, s) : NULL;
}

static void keep_stat(struct tn_record *r, struct tn_node *n, const struct tn_answer *a)
{
    if (a->got == TN_KNOWN) {
        n->type = a->st.type;
        n->st = a->st;
        n->has_stat = true;
    } else if (a->got == TN_ABSENT) {
        n->type = '-';
    } else {
        n->error = a->got;
        n->note = keep(r, a->note);
    }
}

/* A component that the record does not know yet: what is it, and if a link, where does it lead? */
static void learn(void *ctx, struct tn_node *n, const char *path)
{
    struct over *o = ctx;
    struct tn_answer a = tn_world_lstat(o->inner, path);
    keep_stat(o->r, n, &a);
    if (n->type == 'l') {
        struct tn_answer to = tn_world_link(o->inner, &o->r->mem, path);
        n->link = to.got == TN_KNOWN ? (const char *)to.data.p : NULL;
    }
}

static void keep_entries(struct tn_tree *t, struct tn_node *dir, const struct tn_answer *a)
{
    for (size_t i = 0; i < a->n_entry; i++) {
        struct tn_node *c = tn_tree_add_child(t, dir, a->entry[i].name, strlen(a->entry[i].name));
        if (c->type == '?' && a->entry[i].type != 'l') /* where a link leads is learnt when it is walked */
            c->type = a->entry[i].type;
    }
    dir->listed = true;
}

static void keep_file(struct over *o, const struct tn_question *q, const struct tn_answer *a)
{
    enum tn_know got;
    struct tn_record *r = o->r;
    bool follow = q->kind == TN_Q_READ || q->kind == TN_Q_LIST || q->follow;
    struct tn_node *n = tn_tree_walk(&r->files, q->name, follow, &got);
    if (!n)
        return; /* the walk has noted where it ended */
    if (a->got == TN_DENIED || a->got == TN_FAILED) {
        n->error = a->got;
        n->note = keep(r, a->note);
        return;
    }
    if (a->got != TN_KNOWN)
        return;
    switch (q->kind) {
    case TN_Q_STAT:
        if (!n->has_stat || q->follow)
            keep_stat(r, n, a);
        break;
    case TN_Q_LIST: keep_entries(&r->files, n, a); break;
    case TN_Q_READ:
        n->st.size = a->size;
        n->type = 'f';
        if (a->data.n < q->max || (a->size && q->off + a->data.n >= a->size))
            n->whole = true;
        tn_tree_add_part(&r->files, n, q->off, a->data);
        break;
    default: break;
    }
}

static void keep_reg(struct tn_record *r, const struct tn_question *q, const struct tn_answer *a)
{
    struct tn_node *key = tn_tree_make(&r->reg, q->name);
    if (a->got != TN_KNOWN && a->got != TN_ABSENT)
        return;
    if (q->kind == TN_Q_REG_LIST) {
        if (a->got == TN_ABSENT)
            key->type = '-';
        else
            keep_entries(&r->reg, key, a);
        return;
    }
    const char *name = q->sub && *q->sub ? q->sub : "@";
    struct tn_node *v = tn_tree_add_child(&r->reg, key, name, strlen(name));
    v->type = a->got == TN_KNOWN ? 'f' : '-';
    if (a->got == TN_KNOWN && v->n_part == 0)
        tn_tree_add_part(&r->reg, v, 0, a->data);
}

static void recorder_answer(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q,
                            struct tn_answer *ret)
{
    struct over *o = (struct over *)w;
    struct tn_record *r = o->r;
    struct tn_question all = *q; /* a record is whole */
    struct tn_arena tmp;
    if (q->kind != TN_Q_SEEK)
        all.keep = NULL;
    o->inner->ops->answer(o->inner, mem, &all, ret);
    if (is_file(q->kind)) {
        keep_file(o, q, ret);
        return;
    }
    if (q->kind == TN_Q_REG || q->kind == TN_Q_REG_LIST) {
        keep_reg(r, q, ret);
        return;
    }
    tn_arena_init(&tmp);
    const char *name = note_name(&tmp, q);
    if (!tn_record_find(r, q->kind, name) && ret->got != TN_UNASKED) {
        struct tn_note *n = tn_record_add(r, q->kind, name);
        n->a = *ret;
        n->a.note = keep(r, ret->note);
        n->a.data = tn_span_of(tn_arena_strndup(&r->mem, (const char *)ret->data.p, ret->data.n), ret->data.n);
    }
    tn_arena_deinit(&tmp);
}

int tn_world_recorder(struct tn_world *inner, struct tn_record *r, struct tn_world **ret, struct tn_err *err)
{
    static const struct tn_world_ops ops = {"record", recorder_answer, over_close};
    (void)err;
    struct over *o = make(&ops, r, inner);
    r->files.learn = learn;
    r->files.ctx = o;
    *ret = &o->w;
    return 0;
}
