/* solve.c - a universe is put together; answers and their reasons. */
#include <string.h>

#include "solve/inner.h"

struct tn_solve *tn_solve_new(struct tn_arena *mem)
{
    struct tn_solve *s = tn_arena_alloc(mem, sizeof *s);
    s->mem = mem;
    return s;
}

uint32_t tn_solve_var(struct tn_solve *s, uint32_t n_values)
{
    if (s->n_var >= TN_MAX_SOLVE_VARS || n_values > TN_MAX_SOLVE_VALUES) {
        s->limited = true;
        return TN_SOLVE_NONE;
    }
    uint32_t v = s->n_var++;
    s->n_values[v] = n_values;
    s->words[v] = (n_values + 63) / 64;
    s->base[v] = s->domain_words;
    s->domain_words += s->words[v];
    return v;
}

uint32_t tn_solve_reason(struct tn_solve *s)
{
    if (s->n_reason >= TN_MAX_SOLVE_REASONS) {
        s->limited = true;
        return TN_SOLVE_NONE;
    }
    s->off = tn_arena_grow(s->mem, s->off, s->n_reason, &s->cap_off, sizeof *s->off);
    s->off[s->n_reason] = false;
    return s->n_reason++;
}

uint32_t tn_solve_vars(const struct tn_solve *s)
{
    return s->n_var;
}

uint32_t tn_solve_reasons(const struct tn_solve *s)
{
    return s->n_reason;
}

uint32_t tn_solve_values(const struct tn_solve *s, uint32_t var)
{
    return var < s->n_var ? s->n_values[var] : 0;
}

void tn_solve_clause(struct tn_solve *s, uint32_t reason)
{
    if (reason >= s->n_reason || s->n_literal >= TN_MAX_SOLVE_LITERALS) {
        s->limited = true;
        return;
    }
    s->clause = tn_arena_grow(s->mem, s->clause, s->n_clause, &s->cap_clause, sizeof *s->clause);
    s->clause[s->n_clause++] = (struct tn_clause){reason, (uint32_t)s->n_literal, 0};
}

/* The set of var in the clause that is being filled; NULL when there is no such variable. */
static uint64_t *set_of(struct tn_solve *s, uint32_t var)
{
    if (s->limited || !s->n_clause || var >= s->n_var || s->n_literal >= TN_MAX_SOLVE_LITERALS) {
        s->limited = true;
        return NULL;
    }
    struct tn_clause *c = &s->clause[s->n_clause - 1];
    for (uint32_t i = 0; i < c->n; i++)
        if (s->literal[c->first + i].var == var)
            return &s->word[s->literal[c->first + i].first];
    s->literal = tn_arena_grow(s->mem, s->literal, s->n_literal, &s->cap_literal, sizeof *s->literal);
    s->literal[s->n_literal++] = (struct tn_literal){var, (uint32_t)s->n_word};
    c->n++;
    for (uint32_t i = 0; i < s->words[var]; i++) {
        s->word = tn_arena_grow(s->mem, s->word, s->n_word, &s->cap_word, sizeof *s->word);
        s->word[s->n_word++] = 0;
    }
    return &s->word[s->n_word - s->words[var]];
}

void tn_solve_either(struct tn_solve *s, uint32_t var, uint32_t value)
{
    uint64_t *set = set_of(s, var);
    if (set && value < s->n_values[var])
        set[value / 64] |= (uint64_t)1 << value % 64;
}

void tn_solve_where(struct tn_solve *s, uint32_t var, bool (*is)(void *ctx, uint32_t value), void *ctx, bool wanted)
{
    uint64_t *set = set_of(s, var);
    for (uint32_t i = 0; set && i < s->n_values[var]; i++)
        if (is(ctx, i) == wanted)
            set[i / 64] |= (uint64_t)1 << i % 64;
}

void tn_solve_if(struct tn_solve *s, uint32_t reason, uint32_t var, uint32_t value)
{
    tn_solve_clause(s, reason);
    uint64_t *set = set_of(s, var);
    for (uint32_t i = 0; set && i < s->n_values[var]; i++)
        if (i != value)
            set[i / 64] |= (uint64_t)1 << i % 64;
}

/* What counted and what there was before, for questions that add or leave out for a while. */
struct mark {
    bool *off;
    uint32_t n_reason;
    size_t n_clause, n_literal, n_word;
};

static struct mark mark(struct tn_solve *s)
{
    return (struct mark){tn_arena_memdup(s->mem, s->off ? s->off : &s->limited, s->n_reason * sizeof *s->off),
                         s->n_reason, s->n_clause, s->n_literal, s->n_word};
}

static void back(struct tn_solve *s, const struct mark *m)
{
    if (m->n_reason)
        memcpy(s->off, m->off, m->n_reason * sizeof *s->off);
    s->n_reason = m->n_reason;
    s->n_clause = m->n_clause;
    s->n_literal = m->n_literal;
    s->n_word = m->n_word;
}

void tn_solve_run(struct tn_solve *s, struct tn_solve_answer *ret)
{
    memset(ret, 0, sizeof *ret);
    uint64_t before = s->steps;
    bool *used = tn_arena_array(s->mem, s->n_reason, sizeof *used);
    ret->value = tn_arena_array(s->mem, s->n_var, sizeof *ret->value);
    ret->end = tn_solve_search(s, ret->value, used);
    if (ret->end == TN_SOLVE_CLASH) {
        struct mark m = mark(s);
        (void)tn_solve_minimal(s, used, &ret->reason, &ret->n_reason);
        back(s, &m);
    }
    ret->steps = s->steps - before;
}

void tn_solve_why_not(struct tn_solve *s, const struct tn_solve_answer *found, uint32_t var, uint32_t value,
                      struct tn_solve_whynot *ret)
{
    struct mark m = mark(s);
    memset(ret, 0, sizeof *ret);
    ret->end = TN_SOLVE_LIMIT;
    for (uint32_t v = 0; v <= var && v < s->n_var && !s->limited; v++) { /* reason n_reason + v: its value is given */
        uint32_t r = tn_solve_reason(s);
        if (r == TN_SOLVE_NONE)
            break;
        tn_solve_clause(s, r);
        tn_solve_either(s, v, v == var ? value : found->value[v]);
    }
    bool *used = tn_arena_array(s->mem, s->n_reason, sizeof *used);
    if (s->n_reason == m.n_reason + var + 1)
        ret->end = tn_solve_search(s, NULL, used);
    if (ret->end == TN_SOLVE_CLASH) {
        uint32_t *all, n;
        (void)tn_solve_minimal(s, used, &all, &n);
        ret->reason = tn_arena_array(s->mem, n, sizeof *all);
        ret->kept = tn_arena_array(s->mem, n, sizeof *all);
        for (uint32_t i = 0; i < n; i++) {
            if (all[i] < m.n_reason)
                ret->reason[ret->n_reason++] = all[i];
            else if (all[i] - m.n_reason != var)
                ret->kept[ret->n_kept++] = all[i] - m.n_reason;
        }
    }
    back(s, &m);
}

static bool holds(const struct tn_solve_way *small, const struct tn_solve_way *big)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < small->n; i++)
        for (uint32_t k = 0; k < big->n; k++)
            n += small->reason[i] == big->reason[k];
    return n == small->n;
}

/* Node of the breadth first search: without these reasons. Its place among equals in size is by their numbers. */
static int before(const struct tn_solve_way *a, const struct tn_solve_way *b)
{
    for (uint32_t i = 0; i < a->n && i < b->n; i++)
        if (a->reason[i] != b->reason[i])
            return a->reason[i] < b->reason[i] ? -1 : 1;
    return (int)a->n - (int)b->n;
}

struct nodes {
    struct tn_solve_way *v;
    size_t n, cap;
};

/* Sorted, each once. */
static void add_node(struct tn_solve *s, struct nodes *q, const struct tn_solve_way *from, uint32_t reason)
{
    struct tn_solve_way w = {.n = 0};
    uint32_t i = 0;
    for (; i < from->n && from->reason[i] < reason; i++)
        w.reason[w.n++] = from->reason[i];
    w.reason[w.n++] = reason;
    for (; i < from->n; i++)
        w.reason[w.n++] = from->reason[i];
    size_t at = q->n;
    while (at > 0 && before(&w, &q->v[at - 1]) < 0)
        at--;
    if (at > 0 && before(&w, &q->v[at - 1]) == 0)
        return;
    q->v = tn_arena_grow(s->mem, q->v, q->n, &q->cap, sizeof *q->v);
    memmove(&q->v[at + 1], &q->v[at], (q->n - at) * sizeof *q->v);
    q->v[at] = w;
    q->n++;
}

/* One node: a way out, or the nodes behind it. */
static void visit(struct tn_solve *s, const struct mark *m, struct tn_solve_way *w, struct nodes *next,
                  bool (*may_go)(void *ctx, uint32_t reason), void *ctx, struct tn_solve_ways *ret)
{
    bool *used = tn_arena_array(s->mem, s->n_reason, sizeof *used);
    uint32_t *clash = NULL, n = 0, *value = tn_arena_array(s->mem, s->n_var, sizeof *value);
    back(s, m);
    for (uint32_t i = 0; i < w->n; i++)
        s->off[w->reason[i]] = true;
    enum tn_solve_end end = tn_solve_search(s, value, used);
    if (end == TN_SOLVE_FOUND) {
        w->value = value;
        ret->way[ret->n++] = *w;
        return;
    }
    if (end == TN_SOLVE_CLASH)
        end = tn_solve_minimal(s, used, &clash, &n);
    if (end == TN_SOLVE_LIMIT) {
        ret->end = TN_SOLVE_LIMIT;
        return;
    }
    for (uint32_t i = 0; next && i < n; i++)
        if (may_go(ctx, clash[i]))
            add_node(s, next, w, clash[i]);
}

void tn_solve_ways(struct tn_solve *s, bool (*may_go)(void *ctx, uint32_t reason), void *ctx, uint32_t most,
                   struct tn_solve_ways *ret)
{
    struct mark m = mark(s);
    struct nodes now = {0};
    memset(ret, 0, sizeof *ret);
    ret->way = tn_arena_array(s->mem, TN_MAX_SOLVE_WAYS, sizeof *ret->way);
    most = most < TN_LEN(ret->way->reason) ? most : TN_LEN(ret->way->reason);
    now.v = tn_arena_grow(s->mem, now.v, 0, &now.cap, sizeof *now.v);
    now.v[now.n++] = (struct tn_solve_way){.n = 0};
    for (uint32_t size = 0; size <= most && now.n; size++) {
        struct nodes next = {0};
        for (size_t i = 0; i < now.n; i++) {
            bool more = true;
            for (uint32_t k = 0; more && k < ret->n; k++)
                more = !holds(&ret->way[k], &now.v[i]);
            if (more && (ret->n >= TN_MAX_SOLVE_WAYS || next.n > TN_MAX_SOLVE_REASONS))
                ret->end = TN_SOLVE_LIMIT;
            else if (more)
                visit(s, &m, &now.v[i], size < most ? &next : NULL, may_go, ctx, ret);
        }
        now = next;
    }
    back(s, &m);
}
