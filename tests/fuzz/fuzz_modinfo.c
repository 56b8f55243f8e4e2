/* fuzz_modinfo.c - hostile kernel modules, plain and compressed. */
#include <stdlib.h>
#include <string.h>

#include "image/modinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_span s = tn_span_of(data, size);
    struct tn_view v = tn_view_of_span(&s);
    struct tn_modinfo m;
    struct tn_arena a;
    tn_arena_init(&a);
    if (tn_image_modinfo_read(&v, &a, &m, NULL) == 0)
        for (size_t i = 0; i < m.n_firmware; i++)
            if (!m.firmware[i])
                abort();
    tn_arena_deinit(&a);
    return 0;
}
