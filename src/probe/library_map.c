/* library_map.c - see library.h: which number a text has. A thousand environments have ten thousand folders. */
#include <string.h>

#include "base/str.h"
#include "probe/library.h"

static size_t hash(const char *s) /* FNV-1a */
{
    uint32_t h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

static struct tn_lib_slot *slot_of(const struct tn_lib_map *m, const char *key)
{
    size_t at = hash(key) & (m->cap - 1);
    while (m->slot[at].key && !tn_str_eq(m->slot[at].key, key))
        at = (at + 1) & (m->cap - 1);
    return &m->slot[at];
}

static void grow(struct tn_lib_map *m, struct tn_arena *mem)
{
    struct tn_lib_map old = *m;
    m->cap = old.cap ? 2 * old.cap : 64;
    m->slot = tn_arena_array(mem, m->cap, sizeof *m->slot);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].key)
            *slot_of(m, old.slot[i].key) = old.slot[i];
}

int tn_lib_map_get(const struct tn_lib_map *m, const char *key)
{
    const struct tn_lib_slot *s = m->cap ? slot_of(m, key) : NULL;
    return s && s->key ? s->number : TN_LIB_NEW;
}

void tn_lib_map_put(struct tn_lib_map *m, struct tn_arena *mem, const char *key, int number)
{
    if (2 * m->n >= m->cap)
        grow(m, mem);
    struct tn_lib_slot *s = slot_of(m, key);
    m->n += s->key == NULL;
    *s = (struct tn_lib_slot){key, number};
}
