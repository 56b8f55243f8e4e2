/* solve.h - the best choice under clauses, or the reasons that together leave none.
 *
 * A universe has variables (packages, "python", "the driver") with numbered values (versions, builds), value 0 the one
 * that is wanted most, and clauses: of several "variable in set" at least one must hold. Every clause belongs to a
 * reason, which the caller can put into a sentence; reasons are what an answer is explained with.
 *
 * - The answer is the best one in lexicographic order: the first variable gets the best value with which a solution
 *   exists, then the second, and so on. So the order of variables and of values *is* the preference, stated once.
 * - No answer: a set of reasons that clash, minimal by inclusion: without any one of them the others have a solution.
 * - The search is complete and deterministic; it counts its steps and says TN_SOLVE_LIMIT at TN_MAX_SOLVE_STEPS.
 *
 * Method: a depth-first search in the order of the preference, which makes the first solution the best one; unit
 * propagation; jumping back over decisions that had no part in a conflict (P. Prosser, "Hybrid algorithms for the
 * constraint satisfaction problem", 1993). Minimal sets by deletion (J. Chinneck, E. Dravnieks, "Locating minimal
 * infeasible constraint sets", 1991). Ways out: smallest sets of reasons whose removal leaves a solution, by breadth
 * first search over the clashes (R. Reiter, "A theory of diagnosis from first principles", 1987). */
#ifndef TN_SOLVE_SOLVE_H
#define TN_SOLVE_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define TN_SOLVE_NONE UINT32_MAX

enum tn_solve_end { TN_SOLVE_FOUND, TN_SOLVE_CLASH, TN_SOLVE_LIMIT };

struct tn_solve;

struct tn_solve *tn_solve_new(struct tn_arena *mem);

/* Their numbers, from 0; TN_SOLVE_NONE when there are too many (TN_MAX_SOLVE_VARS, TN_MAX_SOLVE_VALUES,
 * TN_MAX_SOLVE_REASONS): the search then ends with TN_SOLVE_LIMIT. */
uint32_t tn_solve_var(struct tn_solve *s, uint32_t n_values);
uint32_t tn_solve_reason(struct tn_solve *s);
uint32_t tn_solve_vars(const struct tn_solve *s);
uint32_t tn_solve_reasons(const struct tn_solve *s);
uint32_t tn_solve_values(const struct tn_solve *s, uint32_t var);

/* A clause: begun, then filled. A literal is a variable with a set of its values: several calls for one variable add to
 * one set. A clause without literals cannot hold. */
void tn_solve_clause(struct tn_solve *s, uint32_t reason);
void tn_solve_either(struct tn_solve *s, uint32_t var, uint32_t value);
/* A literal with the values for which the predicate is as wanted. */
void tn_solve_where(struct tn_solve *s, uint32_t var, bool (*is)(void *ctx, uint32_t value), void *ctx, bool wanted);

/* "If var has this value, other must have one of a set": the clause is begun and holds its first part. */
void tn_solve_if(struct tn_solve *s, uint32_t reason, uint32_t var, uint32_t value);

struct tn_solve_answer {
    enum tn_solve_end end;
    uint32_t *value;  /* of each variable, when found */
    uint32_t *reason; /* that clash, in the order of their numbers */
    uint32_t n_reason;
    uint64_t steps; /* decisions of all searches that it took */
};

void tn_solve_run(struct tn_solve *s, struct tn_solve_answer *ret);

/* Why is this value of var not the one of a found answer, although it is wanted more? The reasons that forbid it
 * together with the answer's values of the variables in `keep` (numbers; those count as given): minimal. kept tells
 * which of them take part. */
struct tn_solve_whynot {
    enum tn_solve_end end; /* CLASH: explained; FOUND: it was possible (the answer was not the best one) */
    uint32_t *reason, *kept;
    uint32_t n_reason, n_kept;
};
void tn_solve_why_not(struct tn_solve *s, const struct tn_solve_answer *found, uint32_t var, uint32_t value,
                      struct tn_solve_whynot *ret);

/* Ways out of a clash: sets of at most `most` reasons, from those that may_go allows, without which a solution exists;
 * no set contains another. Fewer reasons first, then in the order of their numbers; at most TN_MAX_SOLVE_WAYS. */
struct tn_solve_way {
    uint32_t reason[3], n;
    uint32_t *value; /* of each variable in the best solution without them */
};
struct tn_solve_ways {
    enum tn_solve_end end; /* LIMIT: perhaps not all */
    struct tn_solve_way *way;
    uint32_t n;
};
void tn_solve_ways(struct tn_solve *s, bool (*may_go)(void *ctx, uint32_t reason), void *ctx, uint32_t most,
                   struct tn_solve_ways *ret);

#endif
