/* fuzz_ldcache.c - hostile loader caches: every entry has both texts, inside the file. */
#include <stdlib.h>
#include <string.h>

#include "image/ldcache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_ldcache c;
    struct tn_arena a;
    size_t sum = 0;
    tn_arena_init(&a);
    if (tn_image_ldcache_parse(tn_span_of(data, size), &a, &c, NULL) == 0)
        for (size_t i = 0; i < c.n; i++)
            sum += strlen(c.entries[i].soname) + strlen(c.entries[i].path) +
                   (c.entries[i].hwcap ? strlen(c.entries[i].hwcap) : 0);
    tn_arena_deinit(&a);
    return sum == SIZE_MAX;
}
