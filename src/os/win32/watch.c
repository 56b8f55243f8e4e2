/* watch.c - a deadline over looking at a machine: here only between calls, as nothing can be split off. */
#include "os/os.h"

static uint64_t end;

bool tn_os_expired(void)
{
    return end && tn_os_monotonic_us() >= end;
}

unsigned tn_os_left_ms(void)
{
    uint64_t now = tn_os_monotonic_us();
    return !end ? ~0u : now >= end ? 0 : (unsigned)((end - now) / 1000);
}

int tn_os_watch(unsigned ms, int *ret_status)
{
    (void)ret_status;
    end = tn_os_monotonic_us() + ms * 1000ull;
    return 0;
}

void tn_os_watch_done(void)
{
    end = 0;
}
