/* fuzz_vendor.c - the answer of a vendor library is as hostile as the library: first byte chooses NVML or CUDA, or
 * /proc/PID/cgroup, whose names are anybody's to choose. */
#include <stdint.h>

#include "probe/process_text.h"
#include "probe/vendor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct tn_snap s;
    if (n < 1)
        return 0;
    if (p[0] == 'p') {
        struct tn_process_place place;
        tn_process_place(tn_span_of(p + 1, n - 1), &place);
        return place.container.n > n || place.job.n > n;
    }
    tn_snap_init(&s);
    (p[0] == 'c' ? tn_vendor_cuda : tn_vendor_nvml)(&s, tn_span_of(p + 1, n - 1), 0);
    tn_snap_deinit(&s);
    return 0;
}
