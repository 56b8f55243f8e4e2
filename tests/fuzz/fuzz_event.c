/* fuzz_event.c - the kernel's log: every program can write into it. */
#include <stdint.h>

#include "probe/event_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct tn_snap s;
    tn_snap_init(&s);
    tn_event_read(&s, tn_span_of(p, n), (struct tn_event_now){1000, 900}, 0);
    tn_snap_deinit(&s);
    return 0;
}
