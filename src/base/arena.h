/* arena.h - memory that is freed all at once.
 *
 * One arena per snapshot, report or world; pieces are never freed alone. An arena never returns NULL:
 * when memory is out, tn_oom() leaves through the hook that the embedding set (see there). */
#ifndef TN_BASE_ARENA_H
#define TN_BASE_ARENA_H

#include "base/attr.h"
#include <stddef.h>

struct tn_arena_block;

struct tn_arena {
    struct tn_arena_block *head;
    size_t used, cap; /* of the head block */
    size_t total;     /* bytes taken from the system */
};

void tn_arena_init(struct tn_arena *a);
void tn_arena_deinit(struct tn_arena *a);

/* n bytes, zeroed, aligned for any type. n == 0 gives a valid pointer. */
void *tn_arena_alloc(struct tn_arena *a, size_t n);
/* n items of size bytes; the product is checked. */
void *tn_arena_array(struct tn_arena *a, size_t n, size_t size);
void *tn_arena_memdup(struct tn_arena *a, const void *p, size_t n);
/* Copies n bytes and adds a NUL. */
char *tn_arena_strndup(struct tn_arena *a, const char *s, size_t n);
char *tn_arena_strdup(struct tn_arena *a, const char *s);
char *tn_arena_printf(struct tn_arena *a, const char *fmt, ...) TN_PRINTF(2, 3);

/* Grows an array of *cap items so that it holds one more than n; the old block stays in the arena.
 * Doubling keeps the waste below the final size. */
void *tn_arena_grow(struct tn_arena *a, void *p, size_t n, size_t *cap, size_t size);

/* Memory is out: calls the hook, which must not return (a longjmp to the entry of the public call, or
 * the end of the program). Without a hook: abort(). */
typedef void (*tn_oom_fn)(void *ctx);
void tn_oom_hook(tn_oom_fn fn, void *ctx);
_Noreturn void tn_oom(void);
/* malloc and realloc through the same door. */
void *tn_xmalloc(size_t n);
void *tn_xrealloc(void *p, size_t n);

#endif
