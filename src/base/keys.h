/* keys.h - rows by a text: which of many rows have this one, without asking each of them.
 *
 * Add all, sort once, then find. Rows of one text come in the order of their numbers. Texts are not copied. */
#ifndef TN_BASE_KEYS_H
#define TN_BASE_KEYS_H

#include <stdbool.h>

#include "base/arena.h"

struct tn_key {
    const char *text;
    size_t row;
};

struct tn_keys {
    struct tn_key *key;
    size_t n, cap;
};

void tn_keys_add(struct tn_keys *x, struct tn_arena *mem, const char *text, size_t row);
void tn_keys_sort(struct tn_keys *x);
/* How many rows have it; *ret: the first of their keys. */
size_t tn_keys_find(const struct tn_keys *x, const char *text, const struct tn_key **ret);
/* The same for those that begin with it. */
size_t tn_keys_starts(const struct tn_keys *x, const char *text, const struct tn_key **ret);
bool tn_keys_has(const struct tn_keys *x, const char *text);

#endif
