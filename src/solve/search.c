/* search.c - depth first in the order of the preference, with propagation and jumps back.
 *
 * Invariants: a domain is a set of values that is never empty outside a conflict. by[v] holds the decisions (variables,
 * as bits) that had a part in what is gone from v's domain: more than needed, never less. So a conflict at v, or at a
 * clause, comes from the decisions in the by[] of its variables alone, and whoever is not among them cannot mend it. */
#include <string.h>

#include "solve/inner.h"

struct frame { /* a decision that is being tried */
    uint32_t var, value;
    uint64_t *domain; /* as it was before */
    uint64_t by[TN_MAX_SOLVE_VARS];
    uint64_t blame; /* decisions that the failed values hang on */
};

struct search {
    struct tn_solve *s;
    struct tn_arena mem;
    uint64_t *domain;
    uint64_t by[TN_MAX_SOLVE_VARS];
    uint32_t *of_var, *of_var_at; /* clauses of each variable */
    uint32_t *queue;
    bool *queued;
    size_t n_queue;
    bool *used;
    struct frame *frame;
    uint32_t n_frame;
};

/* Values that are left: 0, 1, or 2 for more. */
static uint32_t left(const struct search *h, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->s->words[v] && n < 2; i++) {
        uint64_t w = h->domain[h->s->base[v] + i];
        n += w == 0 ? 0 : (w & (w - 1)) == 0 ? 1 : 2;
    }
    return n < 2 ? n : 2;
}

static uint32_t first_value(const struct search *h, uint32_t v)
{
    for (uint32_t i = 0; i < h->s->words[v]; i++)
        if (h->domain[h->s->base[v] + i])
            return i * 64 + (uint32_t)__builtin_ctzll(h->domain[h->s->base[v] + i]);
    return TN_SOLVE_NONE;
}

static void enqueue(struct search *h, uint32_t var)
{
    for (uint32_t i = h->of_var_at[var]; i < h->of_var_at[var + 1]; i++) {
        uint32_t c = h->of_var[i];
        if (!h->queued[c]) {
            h->queued[c] = true;
            h->queue[h->n_queue++] = c;
        }
    }
}

static void clear_queue(struct search *h)
{
    while (h->n_queue)
        h->queued[h->queue[--h->n_queue]] = false;
}

/* What of a literal is possible: none, all or some of the domain lie in its set. */
enum part { PART_NONE, PART_SOME, PART_ALL };

static enum part part_of(const struct search *h, const struct tn_literal *l)
{
    const uint64_t *d = &h->domain[h->s->base[l->var]], *set = &h->s->word[l->first];
    bool in = false, out = false;
    for (uint32_t i = 0; i < h->s->words[l->var]; i++) {
        in = in || (d[i] & set[i]);
        out = out || (d[i] & ~set[i]);
    }
    return !in ? PART_NONE : out ? PART_SOME : PART_ALL;
}

/* One clause: true when it can hold still. If one literal alone can make it hold, its variable's domain shrinks. */
static bool look(struct search *h, const struct tn_clause *c, uint64_t *blame)
{
    const struct tn_literal *open = NULL;
    uint64_t by = 0;
    for (uint32_t i = 0; h->s->literal && i < c->n; i++) {
        const struct tn_literal *l = &h->s->literal[c->first + i];
        enum part p = part_of(h, l);
        if (p == PART_ALL || (p == PART_SOME && open))
            return true;
        if (p == PART_SOME)
            open = l;
        else
            by |= h->by[l->var];
    }
    h->used[c->reason] = true;
    if (!open) {
        *blame = by;
        return false;
    }
    uint64_t *d = &h->domain[h->s->base[open->var]], *set = &h->s->word[open->first];
    for (uint32_t i = 0; i < h->s->words[open->var]; i++)
        d[i] &= set[i];
    h->by[open->var] |= by;
    enqueue(h, open->var);
    return true;
}

static bool propagate(struct search *h, uint64_t *blame)
{
    while (h->n_queue) {
        uint32_t c = h->queue[--h->n_queue];
        h->queued[c] = false;
        if (!look(h, &h->s->clause[c], blame)) {
            clear_queue(h);
            return false;
        }
    }
    return true;
}

static void prepare(struct search *h, struct tn_solve *s, bool *used)
{
    memset(h, 0, sizeof *h);
    h->s = s;
    h->used = used;
    tn_arena_init(&h->mem);
    h->domain = tn_arena_array(&h->mem, s->domain_words, sizeof *h->domain);
    for (uint32_t v = 0; v < s->n_var; v++)
        for (uint32_t i = 0; i < s->n_values[v]; i++)
            h->domain[s->base[v] + i / 64] |= (uint64_t)1 << i % 64;
    h->of_var_at = tn_arena_array(&h->mem, (size_t)s->n_var + 2, sizeof *h->of_var_at);
    h->of_var = tn_arena_array(&h->mem, s->n_literal, sizeof *h->of_var);
    h->queue = tn_arena_array(&h->mem, s->n_clause, sizeof *h->queue);
    h->queued = tn_arena_array(&h->mem, s->n_clause, sizeof *h->queued);
    for (size_t c = 0; c < s->n_clause; c++)
        for (uint32_t i = 0; i < s->clause[c].n && !s->off[s->clause[c].reason]; i++)
            h->of_var_at[s->literal[s->clause[c].first + i].var + 2]++;
    for (uint32_t v = 2; v <= s->n_var + 1; v++)
        h->of_var_at[v] += h->of_var_at[v - 1];
    for (size_t c = 0; c < s->n_clause; c++)
        for (uint32_t i = 0; i < s->clause[c].n && !s->off[s->clause[c].reason]; i++)
            h->of_var[h->of_var_at[s->literal[s->clause[c].first + i].var + 1]++] = (uint32_t)c;
    for (size_t c = s->n_clause; c-- > 0;)
        if (!s->off[s->clause[c].reason]) {
            h->queued[c] = true;
            h->queue[h->n_queue++] = (uint32_t)c;
        }
    h->frame = tn_arena_array(&h->mem, s->n_var, sizeof *h->frame);
    for (uint32_t v = 0; v < s->n_var; v++)
        h->frame[v].domain = tn_arena_array(&h->mem, s->domain_words, sizeof *h->domain);
}

/* The next variable gets its best value that is left. False: every variable has one value. */
static bool decide(struct search *h)
{
    uint32_t v = 0;
    while (v < h->s->n_var && left(h, v) == 1)
        v++;
    if (v == h->s->n_var)
        return false;
    struct frame *f = &h->frame[h->n_frame++];
    f->var = v;
    f->value = first_value(h, v);
    f->blame = 0;
    memcpy(f->domain, h->domain, h->s->domain_words * sizeof *h->domain);
    memcpy(f->by, h->by, sizeof f->by);
    for (uint32_t i = 0; i < h->s->words[v]; i++)
        h->domain[h->s->base[v] + i] = 0;
    h->domain[h->s->base[v] + f->value / 64] = (uint64_t)1 << f->value % 64;
    h->by[v] |= (uint64_t)1 << v;
    enqueue(h, v);
    h->s->steps++;
    return true;
}

/* Back to the last decision that had a part: its value goes for good, as long as those before it stand. False: none. */
static bool jump(struct search *h, uint64_t blame)
{
    while (h->n_frame) {
        struct frame *f = &h->frame[--h->n_frame];
        uint64_t me = (uint64_t)1 << f->var;
        memcpy(h->domain, f->domain, h->s->domain_words * sizeof *h->domain);
        memcpy(h->by, f->by, sizeof f->by);
        if (!(blame & me))
            continue;
        blame &= ~me;
        h->domain[h->s->base[f->var] + f->value / 64] &= ~((uint64_t)1 << f->value % 64);
        h->by[f->var] |= blame;
        if (left(h, f->var)) {
            enqueue(h, f->var);
            return true;
        }
        blame |= h->by[f->var];
    }
    return false;
}

/* Not a clause that nothing can make hold, nor a variable without values. */
static bool may_hold(const struct tn_solve *s, bool *used)
{
    for (size_t c = 0; c < s->n_clause; c++)
        if (!s->clause[c].n && !s->off[s->clause[c].reason]) {
            used[s->clause[c].reason] = true;
            return false;
        }
    for (uint32_t v = 0; v < s->n_var; v++)
        if (!s->n_values[v])
            return false;
    return true;
}

static enum tn_solve_end run(struct search *h)
{
    uint64_t blame = 0, first_step = h->s->steps;
    for (;;) {
        bool good = propagate(h, &blame);
        if (!good && !jump(h, blame))
            return TN_SOLVE_CLASH;
        if (h->s->steps - first_step > TN_MAX_SOLVE_STEPS)
            return TN_SOLVE_LIMIT;
        if (good && !decide(h))
            return TN_SOLVE_FOUND;
    }
}

enum tn_solve_end tn_solve_search(struct tn_solve *s, uint32_t *value, bool *used)
{
    struct search h;
    if (s->limited)
        return TN_SOLVE_LIMIT;
    if (!may_hold(s, used))
        return TN_SOLVE_CLASH;
    prepare(&h, s, used);
    enum tn_solve_end end = run(&h);
    for (uint32_t v = 0; value && end == TN_SOLVE_FOUND && v < s->n_var; v++)
        value[v] = first_value(&h, v);
    tn_arena_deinit(&h.mem);
    return end;
}
