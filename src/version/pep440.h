/* pep440.h - Python's version numbers and version specifiers.
 *
 * Invariant: two texts that PEP 440 calls equal compare equal, whatever their spelling.
 * Knows nothing of wheels, indexes or environments. Source: PEP 440, now "Version specifiers" of the PyPA
 * specifications; where the text leaves a corner open, the behaviour of the `packaging` library is followed. */
#ifndef TN_VERSION_PEP440_H
#define TN_VERSION_PEP440_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/span.h"

struct tn_pep440 {
    uint64_t epoch;
    uint64_t release[TN_MAX_VERSION_PARTS];
    unsigned n_release; /* at least 1 */
    char pre;           /* 0, or 'a', 'b', 'c' (rc) */
    bool has_post, has_dev;
    uint64_t pre_n, post_n, dev_n;
    char local[TN_MAX_VERSION_TEXT + 1]; /* normalised: lower case, dots, no leading zeros; "" if none */
};

/* Parses one whole version ("v1.0-Beta.3", blanks around it allowed). TN_E_FORMAT when it is none,
 * TN_E_LIMIT when it is longer than TN_MAX_VERSION_TEXT or a number exceeds 64 bits. */
int tn_version_pep440_parse(struct tn_span text, struct tn_pep440 *ret, struct tn_err *err);

/* <0, 0, >0: the total order of PEP 440, section "Summary of permitted suffixes and relative ordering". */
int tn_version_pep440_cmp(const struct tn_pep440 *a, const struct tn_pep440 *b);

/* Alpha, beta, release candidate or development release. */
bool tn_version_pep440_is_pre(const struct tn_pep440 *v);

/* The normalised text, NUL-ended; false when it does not fit into n bytes (2 * TN_MAX_VERSION_TEXT is enough). */
bool tn_version_pep440_text(const struct tn_pep440 *v, char *buf, size_t n);

/* Does version satisfy the comma-separated set spec? An empty set is satisfied by everything; the set may stand
 * in parentheses (old Requires-Dist). TN_E_FORMAT when the spec, or a version that must be ordered, is malformed.
 *
 * Pre-releases: the order alone decides, so that an *installed* pre-release satisfies ">=2.0" when it is in
 * range; PEP 440 ("Handling of pre-releases") accepts what is already present and pip check does so. Who chooses
 * among candidates drops those for which is_pre() holds unless tn_version_pep440_spec_names_pre(). The exclusions
 * that are part of the operators stay: <2.0 excludes 2.0rc1, >1.0 excludes 1.0.post1 and 1.0+local.
 * "===" compares the texts, ASCII case folded, and is the only operator for versions outside PEP 440. */
int tn_version_pep440_match(const char *version, const char *spec, bool *ret, struct tn_err *err);

/* A set that many versions are asked about, read once. NULL: it is empty, malformed, too long or has a "===": then ask
 * tn_version_pep440_match. */
struct tn_pep440_clause *tn_version_pep440_set(struct tn_arena *mem, const char *spec, unsigned *ret_n);
bool tn_version_pep440_set_takes(const struct tn_pep440_clause *set, unsigned n, const struct tn_pep440 *v);

/* True when some clause other than != names a pre-release: the set then admits pre-releases when choosing. */
bool tn_version_pep440_spec_names_pre(const char *spec);

#endif
