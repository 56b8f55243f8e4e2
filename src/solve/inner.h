/* inner.h - what the parts of the solver share. */
#ifndef TN_SOLVE_INNER_H
#define TN_SOLVE_INNER_H

#include "base/limits.h"
#include "base/str.h"
#include "solve/solve.h"

struct tn_literal {
    uint32_t var;
    uint32_t first; /* word of its set in s->word */
};

struct tn_clause {
    uint32_t reason, first, n; /* literals first .. first + n - 1 */
};

struct tn_solve {
    struct tn_arena *mem;
    uint32_t n_var, n_reason;
    uint32_t n_values[TN_MAX_SOLVE_VARS], words[TN_MAX_SOLVE_VARS], base[TN_MAX_SOLVE_VARS]; /* base: in a domain */
    uint32_t domain_words;
    struct tn_clause *clause;
    struct tn_literal *literal;
    uint64_t *word;
    size_t n_clause, cap_clause, n_literal, cap_literal, n_word, cap_word;
    bool *off; /* reasons that do not count now */
    size_t cap_off;
    bool limited;
    uint64_t steps;
};

/* One search with the reasons that count. value: room for n_var values, or NULL. used: room for n_reason; set for all
 * reasons that had a part when there is no solution. */
enum tn_solve_end tn_solve_search(struct tn_solve *s, uint32_t *value, bool *used);

/* No solution with the reasons that count (used: of that search): turns all others off but a minimal set, whose
 * numbers it returns. LIMIT: the set is a clash, but perhaps not minimal. */
enum tn_solve_end tn_solve_minimal(struct tn_solve *s, const bool *used, uint32_t **reason, uint32_t *n);

#endif
