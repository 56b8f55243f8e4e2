/* keys.c - see keys.h. */
#include "base/keys.h"

#include <stdlib.h>
#include <string.h>

void tn_keys_add(struct tn_keys *x, struct tn_arena *mem, const char *text, size_t row)
{
    x->key = tn_arena_grow(mem, x->key, x->n, &x->cap, sizeof *x->key);
    x->key[x->n++] = (struct tn_key){text, row};
}

static int by_text(const void *a, const void *b)
{
    const struct tn_key *x = a, *y = b;
    int c = strcmp(x->text, y->text);
    return c ? c : x->row < y->row ? -1 : x->row > y->row;
}

void tn_keys_sort(struct tn_keys *x)
{
    if (x->n > 1)
        qsort(x->key, x->n, sizeof *x->key, by_text);
}

/* The first key whose first n characters are not before (past: are behind) those of text. */
static size_t bound(const struct tn_keys *x, const char *text, size_t n, bool past)
{
    size_t from = 0, to = x->n;
    while (from < to) {
        size_t half = from + (to - from) / 2;
        int c = strncmp(x->key[half].text, text, n);
        if (c < 0 || (past && c == 0))
            from = half + 1;
        else
            to = half;
    }
    return from;
}

static size_t range(const struct tn_keys *x, const char *text, size_t n, const struct tn_key **ret)
{
    size_t first = bound(x, text, n, false);
    *ret = x->n ? x->key + first : NULL;
    return bound(x, text, n, true) - first;
}

size_t tn_keys_find(const struct tn_keys *x, const char *text, const struct tn_key **ret)
{
    return range(x, text, strlen(text) + 1, ret); /* its end is compared, too */
}

size_t tn_keys_starts(const struct tn_keys *x, const char *text, const struct tn_key **ret)
{
    return range(x, text, strlen(text), ret);
}

bool tn_keys_has(const struct tn_keys *x, const char *text)
{
    const struct tn_key *k;
    return tn_keys_find(x, text, &k) > 0;
}
