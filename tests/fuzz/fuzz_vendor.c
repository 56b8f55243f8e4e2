/* fuzz_vendor.c - the answer of a vendor library is as hostile as the library: first byte chooses NVML or CUDA. */
#include <stdint.h>

#include "probe/vendor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct tn_snap s;
    if (n < 1)
        return 0;
    tn_snap_init(&s);
    (p[0] == 'c' ? tn_vendor_cuda : tn_vendor_nvml)(&s, tn_span_of(p + 1, n - 1), 0);
    tn_snap_deinit(&s);
    return 0;
}
