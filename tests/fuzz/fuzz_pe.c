/* fuzz_pe.c - hostile PE files. */
#include <stdlib.h>
#include <string.h>

#include "image/pe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_span s = tn_span_of(data, size);
    struct tn_view v = tn_view_of_span(&s);
    struct tn_arena a;
    struct tn_pe p;
    tn_arena_init(&a);
    if (tn_image_pe_open(&v, &a, &p, NULL) == 0) {
        for (size_t i = 0; i < p.n_imports; i++)
            if (strlen(p.imports[i]) > 1024)
                abort();
        for (size_t i = 0; i < p.n_delayed; i++)
            if (strlen(p.delayed[i]) > 1024)
                abort();
        if (p.product && strlen(p.product) > 200000)
            abort();
    }
    tn_arena_deinit(&a);
    return 0;
}
