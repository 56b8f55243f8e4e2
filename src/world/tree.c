/* tree.c - see tree.h. */
#include "world/tree.h"

#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"

void tn_tree_init(struct tn_tree *t, struct tn_arena *mem, enum tn_path_style style)
{
    memset(t, 0, sizeof *t);
    t->mem = mem;
    t->style = style;
    t->root.name = "";
    t->root.type = 'd';
}

static int cmp(const struct tn_tree *t, const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (t->style == TN_PATH_WINDOWS) {
            x = (unsigned char)tn_lower((char)x);
            y = (unsigned char)tn_lower((char)y);
        }
        if (x != y)
            return x < y ? -1 : 1;
        if (!x)
            return 0;
    }
    return a[n] ? 1 : 0;
}

/* Where name is, or would be put. */
static size_t place(const struct tn_tree *t, const struct tn_node *dir, const char *name, size_t n, bool *ret_hit)
{
    size_t lo = 0, hi = dir->n_child;
    *ret_hit = false;
    if (hi && cmp(t, dir->child[hi - 1]->name, name, n) < 0)
        return hi; /* listings come sorted */
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int c = cmp(t, dir->child[mid]->name, name, n);
        if (c == 0) {
            *ret_hit = true;
            return mid;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct tn_node *tn_tree_child(const struct tn_tree *t, const struct tn_node *dir, const char *name, size_t n)
{
    bool hit;
    size_t i = place(t, dir, name, n, &hit);
    return hit ? dir->child[i] : NULL;
}

struct tn_node *tn_tree_add_child(struct tn_tree *t, struct tn_node *dir, const char *name, size_t n)
{
    bool hit;
    size_t i = place(t, dir, name, n, &hit);
    if (hit)
        return dir->child[i];
    dir->child = tn_arena_grow(t->mem, dir->child, dir->n_child, &dir->cap_child, sizeof(struct tn_node *));
    memmove(dir->child + i + 1, dir->child + i, (dir->n_child - i) * sizeof(struct tn_node *));
    struct tn_node *c = tn_arena_alloc(t->mem, sizeof *c);
    c->name = tn_arena_strndup(t->mem, name, n);
    c->type = '?';
    c->id = ++t->n_node;
    dir->child[i] = c;
    dir->n_child++;
    return c;
}

/* The next component of *p; false at the end. */
static bool component(const struct tn_tree *t, const char **p, const char **ret, size_t *ret_n)
{
    while (tn_path_is_sep(t->style, **p))
        ++*p;
    *ret = *p;
    while (**p && !tn_path_is_sep(t->style, **p))
        ++*p;
    *ret_n = (size_t)(*p - *ret);
    return *ret_n != 0;
}

struct tn_node *tn_tree_make(struct tn_tree *t, const char *path)
{
    struct tn_node *n = &t->root;
    const char *name;
    size_t len;
    while (component(t, &path, &name, &len)) {
        if (n->type == '?')
            n->type = 'd';
        n = tn_tree_add_child(t, n, name, len);
    }
    return n;
}

/* The state of a walk: the folders passed, so that ".." goes back, and what is left of the path. */
struct walk {
    struct tn_node *dir[256];
    unsigned depth, links;
    const char *rest;
};

static const char *path_of(struct tn_arena *mem, const struct walk *w, const char *name, size_t n,
                           enum tn_path_style style)
{
    const char *s = "";
    for (unsigned i = 1; i <= w->depth; i++)
        s = i == 1 && style == TN_PATH_WINDOWS
                ? w->dir[i]->name
                : tn_arena_printf(mem, "%s%c%s", s, style == TN_PATH_WINDOWS ? '\\' : '/', w->dir[i]->name);
    if (style == TN_PATH_WINDOWS && w->depth == 0)
        return tn_arena_printf(mem, "%.*s\\", (int)n, name);
    return tn_arena_printf(mem, "%s%c%.*s", s, style == TN_PATH_WINDOWS ? '\\' : '/', (int)n, name);
}

static struct tn_node *step(struct tn_tree *t, struct walk *w, const char *name, size_t n, enum tn_know *got)
{
    struct tn_node *dir = w->dir[w->depth], *c = tn_tree_child(t, dir, name, n);
    if (!c && !dir->listed && t->learn)
        c = tn_tree_add_child(t, dir, name, n);
    if (c && c->type == '?' && t->learn) {
        struct tn_arena tmp;
        tn_arena_init(&tmp);
        t->learn(t->ctx, c, path_of(&tmp, w, name, n, t->style));
        tn_arena_deinit(&tmp);
    }
    t->why = c ? c->note : dir->note;
    if (!c && dir->error != TN_UNASKED)
        *got = dir->error;
    else if (!c)
        *got = dir->listed || t->complete ? TN_ABSENT : TN_UNASKED;
    else if (c->type == '-')
        *got = TN_ABSENT;
    else if (c->type == '?' && c->error != TN_UNASKED && !c->has_stat)
        *got = c->error;
    else
        return c;
    return NULL;
}

struct tn_node *tn_tree_walk(struct tn_tree *t, const char *path, bool follow, enum tn_know *ret_got)
{
    struct walk w = {.depth = 0, .links = 0, .rest = path};
    struct tn_arena tmp;
    struct tn_node *hit = &t->root;
    const char *name;
    size_t n;
    w.dir[0] = &t->root;
    *ret_got = TN_KNOWN;
    tn_arena_init(&tmp);
    while (hit && component(t, &w.rest, &name, &n)) {
        hit = w.dir[w.depth];
        if (n == 1 && name[0] == '.')
            continue;
        if (n == 2 && name[0] == '.' && name[1] == '.') {
            w.depth -= w.depth > 0;
            hit = w.dir[w.depth];
            continue;
        }
        if (hit->type != 'd' && hit->type != '?') {
            *ret_got = TN_ABSENT; /* a file is no folder */
            hit = NULL;
            break;
        }
        hit = step(t, &w, name, n, ret_got);
        if (!hit)
            break;
        bool last = w.rest[strspn(w.rest, t->style == TN_PATH_WINDOWS ? "/\\" : "/")] == 0;
        if (hit->type == 'l' && hit->link && (!last || follow)) {
            if (++w.links > TN_MAX_LINKS) {
                t->why = TN_NOTE_TOO_LONG;
                *ret_got = TN_FAILED;
                hit = NULL;
                break;
            }
            if (tn_path_is_sep(t->style, hit->link[0]) || tn_path_is_abs(t->style, hit->link))
                w.depth = 0;
            w.rest = tn_arena_printf(&tmp, "%s/%s", hit->link, w.rest);
            hit = w.dir[w.depth];
            continue;
        }
        if (!last && w.depth + 1 < TN_LEN(w.dir))
            w.dir[++w.depth] = hit;
        else if (!last) {
            t->why = TN_NOTE_TOO_LONG;
            *ret_got = TN_FAILED;
            hit = NULL;
        }
    }
    tn_arena_deinit(&tmp);
    return hit;
}

void tn_tree_add_part(struct tn_tree *t, struct tn_node *n, uint64_t off, struct tn_span bytes)
{
    uint64_t from = off, end = off + bytes.n;
    size_t i = 0, j;
    while (i < n->n_part && n->part[i].off + n->part[i].bytes.n < off)
        i++;
    for (j = i; j < n->n_part && n->part[j].off <= end; j++) { /* those that it overlaps or touches */
        if (n->part[j].off < from)
            from = n->part[j].off;
        if (n->part[j].off + n->part[j].bytes.n > end)
            end = n->part[j].off + n->part[j].bytes.n;
    }
    size_t need = (size_t)(end - from), room = j > i ? 2 * need : need;
    if (j == i + 1 && n->part[i].off == from && n->part[i].room >= need) { /* the usual case: on where it ended */
        if (bytes.n)
            memcpy((unsigned char *)(uintptr_t)n->part[i].bytes.p + (off - from), bytes.p, bytes.n);
        n->part[i].bytes.n = need;
        return;
    }
    unsigned char *joined = tn_arena_alloc(t->mem, room + 1);
    for (size_t k = i; k < j; k++)
        memcpy(joined + (n->part[k].off - from), n->part[k].bytes.p, n->part[k].bytes.n);
    if (bytes.n)
        memcpy(joined + (off - from), bytes.p, bytes.n);
    n->part = tn_arena_grow(t->mem, n->part, n->n_part, &n->cap_part, sizeof *n->part);
    memmove(n->part + i + 1, n->part + j, (n->n_part - j) * sizeof *n->part);
    n->n_part = n->n_part - (j - i) + 1;
    n->part[i] = (struct tn_part){from, tn_span_of(joined, need), room};
}

static void answer_list(const struct tn_tree *t, struct tn_arena *mem, const struct tn_node *n, struct tn_answer *ret)
{
    if (n->type != 'd' && n->type != '?') {
        ret->got = TN_ABSENT;
        return;
    }
    if (n->error != TN_UNASKED || (!n->listed && !t->complete)) {
        ret->got = n->error;
        ret->note = n->note;
        return;
    }
    struct tn_entry *e = tn_arena_array(mem, n->n_child, sizeof *e);
    for (size_t i = 0; i < n->n_child; i++)
        if (n->child[i]->type != '-')
            e[ret->n_entry++] = (struct tn_entry){n->child[i]->name, n->child[i]->type};
    ret->entry = e;
    ret->got = TN_KNOWN;
}

static void answer_read(struct tn_arena *mem, const struct tn_node *n, const struct tn_question *q,
                        struct tn_answer *ret)
{
    ret->size = n->st.size;
    if (n->type != 'f' && n->type != '?') {
        ret->got = TN_FAILED;
        ret->note = n->type == 'd' ? "is a folder" : "is not a regular file";
        return;
    }
    for (size_t i = 0; i < n->n_part; i++) {
        const struct tn_part *p = &n->part[i];
        struct tn_span s;
        if (q->off < p->off || q->off > p->off + p->bytes.n)
            continue;
        s = tn_span_from(p->bytes, q->off - p->off);
        bool to_end = n->whole && i + 1 == n->n_part;
        if (s.n >= q->max)
            s.n = q->max;
        else if (!to_end)
            continue;
        ret->got = TN_KNOWN;
        ret->data = tn_span_of(tn_arena_strndup(mem, (const char *)s.p, s.n), s.n);
        return;
    }
    if (n->whole && n->n_part == 0) {
        ret->got = TN_KNOWN;
        ret->data = tn_span_of(tn_arena_alloc(mem, 1), 0);
        return;
    }
    ret->got = n->error;
    ret->note = n->note;
}

void tn_tree_answer(struct tn_tree *t, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    bool follow = q->kind == TN_Q_READ || q->kind == TN_Q_LIST || q->follow;
    struct tn_node *n = tn_tree_walk(t, q->name, follow, &ret->got);
    if (!n) {
        if (ret->got == TN_DENIED || ret->got == TN_FAILED)
            ret->note = t->why ? t->why : ret->got == TN_DENIED ? tn_err_word(TN_E_DENIED) : tn_know_word(ret->got);
        return;
    }
    switch (q->kind) {
    case TN_Q_LIST: answer_list(t, mem, n, ret); break;
    case TN_Q_READ: answer_read(mem, n, q, ret); break;
    case TN_Q_LINK:
        ret->got = n->link ? TN_KNOWN : n->type == '?' ? TN_UNASKED : TN_FAILED;
        if (n->link)
            ret->data = tn_span_str(tn_arena_strdup(mem, n->link));
        else
            ret->note = "not a link";
        break;
    default:
        if (n->type == '?' && !n->has_stat) {
            ret->got = n->error;
            break;
        }
        ret->got = TN_KNOWN;
        ret->st = n->st;
        ret->st.type = n->type;
        ret->size = n->st.size;
    }
}
