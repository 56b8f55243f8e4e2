/* fuzz_modprobe.c - files of modprobe.d and the kernel's command line. */
#include <stdint.h>

#include "probe/modprobe_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct tn_snap s;
    tn_snap_init(&s);
    tn_modprobe_read(&s, "/etc/modprobe.d/x.conf", tn_span_of(p, n), 0);
    tn_modprobe_cmdline_read(&s, "/proc/cmdline", tn_span_of(p, n), 0);
    tn_snap_deinit(&s);
    return 0;
}
