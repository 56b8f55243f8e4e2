/* names.c - texts and whose they are: a hash table that only grows. FNV-1a. */
#include <string.h>

#include "loader/inner.h"

uint32_t tn_loader_hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static void put(struct tn_names *t, struct tn_name n)
{
    size_t i = n.hash & (t->cap - 1);
    while (t->v[i].text)
        i = (i + 1) & (t->cap - 1);
    t->v[i] = n;
    t->n++;
}

static void grow(struct tn_arena *mem, struct tn_names *t)
{
    struct tn_names old = *t;
    t->cap = old.cap ? old.cap * 2 : 64;
    t->v = tn_arena_array(mem, t->cap, sizeof *t->v);
    t->n = 0;
    for (size_t i = 0; i < old.cap; i++)
        if (old.v[i].text)
            put(t, old.v[i]);
}

static const struct tn_name *find(const struct tn_names *t, const char *text, size_t object, bool own)
{
    uint32_t h = tn_loader_hash(text);
    for (size_t i = h & (t->cap - 1); t->cap && t->v[i].text; i = (i + 1) & (t->cap - 1))
        if (t->v[i].hash == h && (!own || t->v[i].object == object) && strcmp(t->v[i].text, text) == 0)
            return &t->v[i];
    return NULL;
}

void tn_names_add(struct tn_arena *mem, struct tn_names *t, const char *text, size_t object, bool own)
{
    if (find(t, text, object, own))
        return;
    if (t->cap < 2 * (t->n + 1))
        grow(mem, t);
    put(t, (struct tn_name){text, tn_loader_hash(text), object});
}

size_t tn_names_find(const struct tn_names *t, const char *text)
{
    const struct tn_name *n = find(t, text, 0, false);
    return n ? n->object : TN_NO_OBJECT;
}

bool tn_names_has(const struct tn_names *t, const char *text, size_t object)
{
    return find(t, text, object, true) != NULL;
}
