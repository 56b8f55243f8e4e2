/* fuzz_removal.c - answers of a package manager. */
#include <stdint.h>

#include "plan/removal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_arena mem;
    struct tn_transaction t;
    struct tn_removal_answer a;
    struct tn_removal_bound bound = {.running = "6.8.0-31-generic"};
    if (size > 65536)
        return 0;
    tn_arena_init(&mem);
    tn_transaction_read(&mem, tn_span_of(data, size), &t);
    tn_removal_judge(&t, &bound, &a);
    for (unsigned i = 1; i < t.n && i < 64; i++)
        if (tn_removal_deb_cmp(t.v[i].now, t.v[i - 1].now) < 0 && tn_removal_deb_cmp(t.v[i - 1].now, t.v[i].now) < 0)
            __builtin_trap();
    tn_arena_deinit(&mem);
    return 0;
}
