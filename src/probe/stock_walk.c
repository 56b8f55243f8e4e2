/* stock_walk.c - see stock.h: a walk through what would go as a whole, for what in it is not known.
 *
 * Invariant: no link is followed, no file system but the folder's own is entered (what is mounted in it is named), and
 * a walk that does not come to its end counts what it has not seen as unknown. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/stock.h"

#define MAX_ENTRIES 400000u
#define MAX_NAMED 8u

struct walk {
    struct tn_stock *k;
    size_t row;
    const char *folder;
    tn_stock_known *known;
    const void *ctx;
    int64_t youngest;
    uint64_t dev;
    size_t seen;
    int64_t n_foreign;
    const char *foreign[MAX_NAMED], *mount[MAX_NAMED];
    size_t n_mount;
};

static void strange(struct walk *w, const char *path)
{
    if (w->n_foreign < (int64_t)MAX_NAMED)
        w->foreign[w->n_foreign] = tn_arena_strdup(w->k->c->tmp, path);
    w->n_foreign++;
}

static void mounted(struct walk *w, const char *path)
{
    for (size_t i = 0; i < w->n_mount; i++)
        if (strcmp(w->mount[i], path) == 0)
            return;
    if (w->n_mount < MAX_NAMED)
        w->mount[w->n_mount++] = tn_arena_strdup(w->k->c->tmp, path);
}

static bool is_mount(const struct tn_stock *k, const char *path)
{
    size_t from = 0, to = k->n_mount;
    while (from < to) {
        size_t half = from + (to - from) / 2;
        int c = strcmp(k->mount[half], path);
        if (c == 0)
            return true;
        if (c < 0)
            from = half + 1;
        else
            to = half;
    }
    return false;
}

/* One folder: its entries are told apart, its subfolders pushed. */
static void list(struct walk *w, const char *path, const char ***stack, size_t *n, size_t *cap, struct tn_arena *mem)
{
    struct tn_probe_ctx *c = w->k->c;
    struct tn_answer a = tn_world_list(c->w, mem, path);
    if (a.got != TN_KNOWN)
        strange(w, path);
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++) {
        struct tn_stock_entry e = {.path = tn_path_join(mem, c->w->style, path, a.entry[i].name),
                                   .youngest = w->youngest};
        struct tn_answer st = {.got = TN_ABSENT};
        e.tail = e.path + strlen(w->folder) + 1;
        e.type = a.entry[i].type;
        if (e.type == 'd' || e.type == '?') {
            st = tn_world_lstat(c->w, e.path);
            e.type = st.got == TN_KNOWN ? st.st.type : '?';
        }
        if (e.type == 'd' && (is_mount(w->k, e.path) || (w->dev && st.st.dev && st.st.dev != w->dev))) {
            mounted(w, e.path);
            continue;
        }
        if (++w->seen > MAX_ENTRIES || !(e.type == 'f' || e.type == 'l' || e.type == 'd') || !w->known(w->ctx, &e))
            strange(w, e.path);
        else if (e.type == 'd') {
            *stack = tn_arena_grow(c->tmp, (void *)*stack, *n, cap, sizeof **stack);
            (*stack)[(*n)++] = tn_arena_strdup(c->tmp, e.path);
        }
    }
}

void tn_stock_mounts(struct tn_stock *k, size_t row, const char *folder)
{
    const char *in[MAX_NAMED];
    size_t n = 0;
    for (size_t i = 0; i < k->n_mount && n < MAX_NAMED; i++)
        if (tn_path_under(k->c->w->style, k->mount[i], folder))
            in[n++] = k->mount[i];
    k->c->s->stock.v[row].mounts = tn_fact_list(k->c->s, k->c->s->stock.v[row].path.src, in, n);
}

static void walk(struct tn_stock *k, const struct tn_stock_due *due)
{
    struct walk w = {.k = k, .row = due->row, .folder = due->folder, .known = due->known, .ctx = due->ctx};
    const char *folder = due->folder;
    const char **stack = NULL;
    size_t n = 0, cap = 0;
    struct tn_answer a = tn_world_lstat(k->c->w, folder);
    w.dev = a.got == TN_KNOWN ? a.st.dev : 0;
    for (size_t i = 0; i < k->n_group; i++)
        if (k->group[i].row == due->row && strcmp(k->group[i].folder[0], folder) == 0)
            w.youngest = k->group[i].youngest;
    stack = tn_arena_grow(k->c->tmp, (void *)stack, n, &cap, sizeof *stack);
    stack[n++] = folder;
    for (size_t i = 0; i < k->n_mount; i++)
        if (tn_path_under(k->c->w->style, k->mount[i], folder))
            mounted(&w, k->mount[i]);
    while (n && w.seen <= MAX_ENTRIES) {
        struct tn_arena mem;
        tn_arena_init(&mem);
        list(&w, stack[--n], &stack, &n, &cap, &mem);
        tn_arena_deinit(&mem);
    }
    struct tn_rec_stock *r = &k->c->s->stock.v[due->row];
    uint32_t src = tn_probe_src(k->c->s, "list", folder, &a);
    size_t named = w.n_foreign < (int64_t)MAX_NAMED ? (size_t)w.n_foreign : MAX_NAMED;
    if (named > 1)
        for (size_t i = 1; i < named; i++) /* the walk's order is the stack's */
            for (size_t j = i; j && strcmp(w.foreign[j - 1], w.foreign[j]) > 0; j--) {
                const char *swap = w.foreign[j];
                w.foreign[j] = w.foreign[j - 1];
                w.foreign[j - 1] = swap;
            }
    r->foreign = tn_fact_list(k->c->s, src, w.foreign, named);
    r->n_foreign = tn_fact_int(src, w.n_foreign);
    r->mounts = tn_fact_list(k->c->s, src, w.mount, w.n_mount);
    if (a.got == TN_KNOWN) {
        struct tn_answer me = tn_world_sys(k->c->w, k->c->tmp, "uid");
        uint64_t uid;
        if (me.got == TN_KNOWN && tn_str_u64((const char *)me.data.p, me.data.n, 10, &uid))
            r->own = tn_fact_int(src, uid == a.st.uid);
    }
}

void tn_stock_walk(struct tn_stock *k, size_t row, const char *folder, tn_stock_known *known, const void *ctx)
{
    k->due = tn_arena_grow(k->c->tmp, k->due, k->n_due, &k->cap_due, sizeof *k->due);
    k->due[k->n_due++] = (struct tn_stock_due){row, folder, known, ctx};
}

void tn_stock_walk_due(struct tn_stock *k)
{
    for (size_t i = 0; i < k->n_due; i++)
        walk(k, &k->due[i]);
}
