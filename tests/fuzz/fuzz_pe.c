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
    struct tn_pe_forward *f;
    struct tn_pe_symbol *y;
    size_t n;
    if (tn_image_pe_forwards(&v, &a, &f, &n, NULL) == 0)
        for (size_t i = 0; i < n; i++)
            if (!f[i].dll || !f[i].target || strlen(f[i].dll) > 1024 + 4)
                abort();
    if (tn_image_pe_symbols(&v, "KERNEL32.dll", &a, &y, &n, NULL) == 0 && n > 65536)
        abort();
    tn_arena_deinit(&a);
    return 0;
}
