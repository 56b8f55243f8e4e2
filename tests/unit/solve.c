/* solve.c - the solver against brute force on random small universes, and its own promises on hand-made ones.
 *
 * TN_SOLVE_TRIES (10,000) universes from TN_SOLVE_SEED (1): found or not, the best solution, minimal clashes, reasons
 * why a better value was not taken, all ways out of up to two reasons. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "solve/solve.h"

enum { VARS = 7, VALUES = 4, CLAUSES = 26, REASONS = 8, LITERALS = 3 };

struct universe {
    uint32_t n_var, n_values[VARS], n_reason, n_clause;
    struct {
        uint32_t reason, n, var[LITERALS], set[LITERALS]; /* bits of values */
    } clause[CLAUSES];
};

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 11) % n;
}

static void make(struct universe *u)
{
    memset(u, 0, sizeof *u);
    bool deep = below(4) == 0; /* many variables of two values: values fail only after several decisions */
    u->n_var = deep ? VARS : 1 + below(5);
    u->n_reason = 1 + below(REASONS);
    u->n_clause = deep ? CLAUSES - below(8) : below(14);
    for (uint32_t v = 0; v < u->n_var; v++)
        u->n_values[v] = deep ? 2 : below(40) ? 1 + below(VALUES) : 0;
    for (uint32_t c = 0; c < u->n_clause; c++) {
        u->clause[c].reason = below(u->n_reason);
        u->clause[c].n = deep ? LITERALS : below(30) ? 1 + below(LITERALS) : 0;
        for (uint32_t i = 0; i < u->clause[c].n; i++) {
            u->clause[c].var[i] = below(u->n_var);
            u->clause[c].set[i] = deep ? 1 + below(2) : below(1u << VALUES);
        }
    }
}

static bool holds(const struct universe *u, uint32_t reasons, const uint32_t *value)
{
    for (uint32_t c = 0; c < u->n_clause; c++) {
        bool any = !(reasons >> u->clause[c].reason & 1);
        for (uint32_t i = 0; i < u->clause[c].n && !any; i++)
            any = u->clause[c].set[i] >> value[u->clause[c].var[i]] & 1;
        if (!any)
            return false;
    }
    return true;
}

/* The first solution in lexicographic order under these reasons and these given values. */
static bool brute(const struct universe *u, uint32_t reasons, const uint32_t *given, uint32_t *value)
{
    for (uint32_t v = 0; v < u->n_var; v++) {
        if (!u->n_values[v])
            return false;
        value[v] = 0;
    }
    for (;;) {
        bool as_given = true;
        for (uint32_t v = 0; given && v < u->n_var; v++)
            as_given = as_given && (given[v] == TN_SOLVE_NONE || given[v] == value[v]);
        if (as_given && holds(u, reasons, value))
            return true;
        uint32_t v = u->n_var;
        while (v-- > 0 && ++value[v] == u->n_values[v])
            value[v] = 0;
        if (v == UINT32_MAX)
            return false;
    }
}

static struct tn_solve *build(const struct universe *u, struct tn_arena *mem)
{
    struct tn_solve *s = tn_solve_new(mem);
    for (uint32_t v = 0; v < u->n_var; v++)
        assert_int_equal(tn_solve_var(s, u->n_values[v]), v);
    for (uint32_t r = 0; r < u->n_reason; r++)
        assert_int_equal(tn_solve_reason(s), r);
    for (uint32_t c = 0; c < u->n_clause; c++) {
        tn_solve_clause(s, u->clause[c].reason);
        for (uint32_t i = 0; i < u->clause[c].n; i++) {
            tn_solve_either(s, u->clause[c].var[i],
                            VALUES); /* no such value: the literal is there, with an empty set */
            for (uint32_t k = 0; k < VALUES; k++)
                if (u->clause[c].set[i] >> k & 1 && k < u->n_values[u->clause[c].var[i]])
                    tn_solve_either(s, u->clause[c].var[i], k);
        }
    }
    return s;
}

static void check_clash(const struct universe *u, const struct tn_solve_answer *a)
{
    uint32_t set = 0, value[VARS];
    for (uint32_t i = 0; i < a->n_reason; i++)
        set |= 1u << a->reason[i];
    assert_false(brute(u, set, NULL, value));
    for (uint32_t i = 0; i < a->n_reason; i++)
        assert_true(brute(u, set & ~(1u << a->reason[i]), NULL, value));
}

/* Each better value of each variable: forbidden by what the solver says, and by nothing less. */
static uint32_t check_why_not(const struct universe *u, struct tn_solve *s, const struct tn_solve_answer *a)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < u->n_var; v++)
        for (uint32_t k = 0; k < a->value[v]; k++, n++) {
            struct tn_solve_whynot w;
            tn_solve_why_not(s, a, v, k, &w);
            assert_int_equal(w.end, TN_SOLVE_CLASH);
            for (uint32_t skip = 0; skip <= w.n_reason + w.n_kept; skip++) { /* the last time nothing is skipped */
                uint32_t given[VARS], value[VARS], set = 0;
                for (uint32_t i = 0; i < VARS; i++)
                    given[i] = TN_SOLVE_NONE;
                given[v] = k;
                for (uint32_t i = 0; i < w.n_reason; i++)
                    set |= i == skip ? 0 : 1u << w.reason[i];
                for (uint32_t i = 0; i < w.n_kept; i++)
                    if (w.n_reason + i != skip)
                        given[w.kept[i]] = a->value[w.kept[i]];
                assert_int_equal(brute(u, set, given, value), skip < w.n_reason + w.n_kept);
            }
        }
    return n;
}

static bool odd_stays(void *ctx, uint32_t reason)
{
    return !*(const bool *)ctx || reason % 2 == 0;
}

static uint32_t check_ways(const struct universe *u, struct tn_solve *s, bool odd)
{
    struct tn_solve_ways w;
    uint32_t all = (1u << u->n_reason) - 1, n = 0, value[VARS], found[REASONS * REASONS];
    tn_solve_ways(s, odd_stays, &odd, 2, &w);
    for (uint32_t size = 0; size <= 2; size++)
        for (uint32_t a = 0; a < u->n_reason; a++)
            for (uint32_t b = a; b < u->n_reason; b++) {
                uint32_t set = size == 0 ? 0 : size == 1 ? 1u << a : 1u << a | 1u << b;
                bool once = size == 0 ? a == 0 && b == 0 : size == 1 ? a == b : a != b;
                bool may = !odd || !(set & 0xAAAAAAAA), more = true;
                for (uint32_t i = 0; i < n; i++)
                    more = more && (found[i] & set) != found[i];
                if (once && may && more && brute(u, all & ~set, NULL, value))
                    found[n++] = set;
            }
    if (w.end == TN_SOLVE_LIMIT) {
        assert_true(n >= TN_MAX_SOLVE_WAYS);
        return w.n;
    }
    assert_int_equal(w.n, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t set = 0;
        for (uint32_t k = 0; k < w.way[i].n; k++)
            set |= 1u << w.way[i].reason[k];
        assert_int_equal(set, found[i]);
        assert_true(brute(u, all & ~set, NULL, value));
        assert_memory_equal(value, w.way[i].value, u->n_var * sizeof *value);
    }
    return n;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void random_universes(void **unused)
{
    uint64_t tries = setting("TN_SOLVE_TRIES", 10000), seed = setting("TN_SOLVE_SEED", 1), found = 0, why = 0, ways = 0;
    (void)unused;
    state = seed * 0x9E3779B97F4A7C15u + 1;
    for (uint64_t i = 0; i < tries; i++) {
        struct universe u;
        struct tn_arena mem;
        struct tn_solve_answer a;
        uint32_t value[VARS];
        tn_arena_init(&mem);
        make(&u);
        struct tn_solve *s = build(&u, &mem);
        tn_solve_run(s, &a);
        bool is = brute(&u, (1u << u.n_reason) - 1, NULL, value);
        if ((a.end == TN_SOLVE_FOUND) != is)
            fail_msg("seed %llu, try %llu", (unsigned long long)seed, (unsigned long long)i);
        if (is) {
            assert_memory_equal(value, a.value, u.n_var * sizeof *value);
            why += check_why_not(&u, s, &a);
        } else {
            check_clash(&u, &a);
            ways += check_ways(&u, s, i % 2);
        }
        found += is;
        tn_arena_deinit(&mem);
    }
    printf(
        "%llu universes from seed %llu: %llu solved as by brute force, %llu clashes minimal, %llu refusals explained, "
        "%llu ways out, 0 differences\n",
        (unsigned long long)tries, (unsigned long long)seed, (unsigned long long)found,
        (unsigned long long)(tries - found), (unsigned long long)why, (unsigned long long)ways);
}

/* A conflict among the last variables is found once, not for every choice of the others: 20 variables of 50 values that
 * nothing binds, and three that cannot agree. */
static void conflict_at_the_end(void **unused)
{
    struct tn_arena mem;
    struct tn_solve_answer a;
    (void)unused;
    tn_arena_init(&mem);
    struct tn_solve *s = tn_solve_new(&mem);
    for (uint32_t i = 0; i < 20; i++)
        tn_solve_var(s, 50);
    uint32_t x[3], r = tn_solve_reason(s), wish = tn_solve_reason(s);
    for (uint32_t i = 0; i < 3; i++)
        x[i] = tn_solve_var(s, 2);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 2; k++) { /* each differs from the next */
            tn_solve_if(s, r, x[i], k);
            tn_solve_either(s, x[(i + 1) % 3], 1 - k);
        }
    tn_solve_clause(s, wish);
    tn_solve_either(s, 3, 49);
    tn_solve_run(s, &a);
    assert_int_equal(a.end, TN_SOLVE_CLASH);
    assert_int_equal(a.n_reason, 1);
    assert_int_equal(a.reason[0], r);
    assert_true(a.steps < 1000);
    tn_arena_deinit(&mem);
}

static bool even(void *ctx, uint32_t value)
{
    (void)ctx;
    return value % 2 == 0;
}

static void literals_of_sets(void **unused)
{
    struct tn_arena mem;
    struct tn_solve_answer a;
    (void)unused;
    tn_arena_init(&mem);
    struct tn_solve *s = tn_solve_new(&mem);
    uint32_t v = tn_solve_var(s, 130), r = tn_solve_reason(s);
    tn_solve_clause(s, r);
    tn_solve_where(s, v, even, NULL, false);
    for (uint32_t i = 0; i < 128; i++) {
        tn_solve_if(s, r, v, i);
        tn_solve_either(s, v, TN_SOLVE_NONE);
    }
    tn_solve_run(s, &a);
    assert_int_equal(a.end, TN_SOLVE_FOUND);
    assert_int_equal(a.value[v], 129);
    tn_arena_deinit(&mem);
}

/* Too much of anything ends with LIMIT, never with a wrong answer. */
static void limits(void **unused)
{
    struct tn_arena mem;
    struct tn_solve_answer a;
    (void)unused;
    tn_arena_init(&mem);
    struct tn_solve *s = tn_solve_new(&mem);
    assert_int_equal(tn_solve_var(s, TN_MAX_SOLVE_VALUES + 1), TN_SOLVE_NONE);
    tn_solve_run(s, &a);
    assert_int_equal(a.end, TN_SOLVE_LIMIT);
    s = tn_solve_new(&mem);
    for (uint32_t i = 0; i < TN_MAX_SOLVE_VARS; i++)
        assert_int_equal(tn_solve_var(s, 1), i);
    assert_int_equal(tn_solve_var(s, 1), TN_SOLVE_NONE);
    s = tn_solve_new(&mem);
    tn_solve_var(s, 2);
    tn_solve_clause(s, 0); /* no such reason */
    tn_solve_either(s, 0, 1);
    tn_solve_run(s, &a);
    assert_int_equal(a.end, TN_SOLVE_LIMIT);
    s = tn_solve_new(&mem);
    tn_solve_clause(s, tn_solve_reason(s));
    tn_solve_either(s, 7, 1); /* no such variable */
    tn_solve_run(s, &a);
    assert_int_equal(a.end, TN_SOLVE_LIMIT);
    s = tn_solve_new(&mem); /* holes and pigeons: no propagation helps */
    uint32_t r = tn_solve_reason(s);
    for (uint32_t i = 0; i < 13; i++)
        tn_solve_var(s, 12);
    for (uint32_t i = 0; i < 13; i++)
        for (uint32_t k = 0; k < i; k++)
            for (uint32_t x = 0; x < 12; x++) {
                tn_solve_if(s, r, i, x);
                for (uint32_t y = 0; y < 12; y++)
                    if (y != x)
                        tn_solve_either(s, k, y);
            }
    tn_solve_run(s, &a);
    assert_int_equal(a.end, TN_SOLVE_LIMIT);
    tn_arena_deinit(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_universes),
        cmocka_unit_test(conflict_at_the_end),
        cmocka_unit_test(literals_of_sets),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
