/* stock.c - what could be cleaned away, and what it takes on the disk; only for who asked for it.
 *
 * Runs last, when environments, libraries, loads and owners are known. Counting: os.h, tn_os_measure; file systems that
 * are mounted inside are left out, since nothing crosses them. Nothing is judged here: src/clean. */
#include "probe/stock.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "world/seek.h"

const char *tn_stock_join(struct tn_stock *k, const char *a, const char *b)
{
    return tn_path_join(k->c->tmp, k->c->w->style, a, b);
}

struct tn_rec_stock *tn_stock_add(struct tn_stock *k, const char *kind, const char *name, const char *path,
                                  uint32_t src)
{
    struct tn_rec_stock *r = TN_ADD(k->c->s, stock);
    r->kind = tn_fact_str(k->c->s, src, kind);
    r->name = tn_fact_str(k->c->s, src, name);
    r->path = tn_fact_str(k->c->s, src, path);
    r->by = tn_fact_nostr(src, TN_ABSENT);
    return r;
}

void tn_stock_measure(struct tn_stock *k, const char *folder)
{
    size_t row = k->c->s->stock.n - 1;
    struct tn_stock_group *g = k->n_group ? &k->group[k->n_group - 1] : NULL;
    if (!g || g->row != row) {
        k->group = tn_arena_grow(k->c->tmp, k->group, k->n_group, &k->cap_group, sizeof *k->group);
        g = &k->group[k->n_group++];
        *g = (struct tn_stock_group){.row = row};
    }
    g->folder = tn_arena_grow(k->c->tmp, (void *)g->folder, g->n, &g->cap, sizeof *g->folder);
    g->folder[g->n++] = folder;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "\040" of mountinfo (proc_pid_mountinfo(5)). */
static const char *plain(struct tn_arena *mem, struct tn_span word)
{
    char *s = tn_arena_strndup(mem, (const char *)word.p, word.n), *to = s;
    for (const char *p = s; *p; to++) {
        bool octal =
            p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' && p[3] >= '0' && p[3] <= '7';
        *to = octal ? (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0')) : *p;
        p += octal ? 4 : 1;
    }
    *to = 0;
    return s;
}

/* The fifth word of each line. */
static void read_mounts(struct tn_stock *k)
{
    struct tn_answer a = tn_world_read(k->c->w, k->c->tmp, "/proc/self/mountinfo", TN_MAX_TEXT_FILE);
    struct tn_span rest = a.data, line;
    while (a.got == TN_KNOWN && tn_span_line(&rest, &line)) {
        size_t from = 0, end = 0;
        for (unsigned word = 0; word < 5 && end < line.n; word++) {
            from = end + (word > 0);
            for (end = from; end < line.n && line.p[end] != ' '; end++) {
            }
        }
        if (end <= from)
            continue;
        k->mount = tn_arena_grow(k->c->tmp, (void *)k->mount, k->n_mount, &k->cap_mount, sizeof *k->mount);
        k->mount[k->n_mount++] = plain(k->c->tmp, tn_span_of(line.p + from, end - from));
    }
    if (k->n_mount > 1)
        qsort((void *)k->mount, k->n_mount, sizeof *k->mount, by_text);
}

struct words {
    const char **v;
    size_t n, cap;
};

static void push(struct tn_stock *k, struct words *w, const char *s)
{
    w->v = tn_arena_grow(k->c->tmp, (void *)w->v, w->n, &w->cap, sizeof *w->v);
    w->v[w->n++] = s;
}

/* The folders of all rows, group by group, and what is mounted in them left out. */
static const char *const *question(struct tn_stock *k)
{
    struct words w = {NULL, 0, 0};
    for (size_t i = 0; i < k->n_group; i++) {
        if (i)
            push(k, &w, "");
        for (size_t f = 0; f < k->group[i].n; f++)
            push(k, &w, k->group[i].folder[f]);
        for (size_t f = 0; f < k->group[i].n; f++)
            for (size_t m = 0; m < k->n_mount; m++)
                if (tn_path_under(k->c->w->style, k->mount[m], k->group[i].folder[f]) &&
                    strcmp(k->mount[m], k->group[i].folder[f]) != 0)
                    push(k, &w, tn_arena_printf(k->c->tmp, "-%s", k->mount[m]));
    }
    push(k, &w, NULL);
    return w.v;
}

static void measure(struct tn_stock *k)
{
    struct tn_probe_ctx *c = k->c;
    struct tn_seek_line line;
    if (!k->n_group)
        return;
    struct tn_question q = {.kind = TN_Q_MEASURE,
                            .name = "stock",
                            .argv = question(k),
                            .tick = c->want->tick,
                            .tick_ctx = c->want->tick_ctx};
    struct tn_answer a = tn_world_ask(c->w, c->tmp, &q);
    uint32_t src = tn_probe_src(c->s, "measure", q.name, &a);
    size_t at = 0; /* lines come in the order of the question; of a record some may be others */
    for (struct tn_span rest = a.data; a.got == TN_KNOWN && tn_seek_next(c->tmp, &rest, &line);)
        for (size_t n = 0; line.type == 's' && n < k->n_group; n++, at++) {
            const struct tn_stock_group *g = &k->group[at % k->n_group];
            if (strcmp(g->folder[0], line.path) != 0)
                continue;
            struct tn_rec_stock *r = &c->s->stock.v[g->row];
            bool late = strcmp(line.state, "whole") != 0;
            r->bytes = late ? tn_fact_noint(src, TN_FAILED) : tn_fact_int(src, (int64_t)line.size);
            r->freed_bytes = late ? tn_fact_noint(src, TN_FAILED) : tn_fact_int(src, (int64_t)line.freed);
            r->unreadable = tn_fact_int(src, (int64_t)line.unreadable);
            k->group[at % k->n_group].youngest = (int64_t)line.youngest;
            at++;
            break;
        }
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_stock k = {.c = c};
    if (!c->want || !c->want->clean)
        return;
    if (tn_probe_is_windows(c)) {
        tn_stock_windows(&k);
    } else {
        read_mounts(&k);
        tn_stock_toolkits(&k);
        tn_stock_wheels(&k);
        tn_stock_envs(&k);
        tn_stock_caches(&k);
        tn_stock_conda(&k);
        tn_stock_mentions(&k);
    }
    measure(&k);
    tn_stock_walk_due(&k);
    c->s->stock.listed = c->s->mention.listed = TN_KNOWN;
    c->s->stock.src = c->s->mention.src = tn_snap_src(c->s, TN_KNOWN, NULL, "toolkits, environments and caches");
}

TN_PROBE(stock, TN_PHASE_OWNER, look, "what could be cleaned away, and who names it (for clean alone)",
         .gives = TN_HAS(stock) | TN_HAS(mention),
         .reads = TN_HAS(toolkit) | TN_HAS(library) | TN_HAS(env) | TN_HAS(dist) | TN_HAS(package) | TN_HAS(load) |
                  TN_HAS(config) | TN_HAS(choice) | TN_HAS(search) | TN_HAS(variable));
