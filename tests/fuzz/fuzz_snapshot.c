/* fuzz_snapshot.c - hostile snapshot files. Beyond memory safety it holds that what was read is written and read again
 * to the same bytes, and that a copy for strangers is either refused or readable. */
#include <stdlib.h>
#include <string.h>

#include "snapshot/read.h"
#include "snapshot/redact.h"
#include "snapshot/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_snap s, t;
    struct tn_err err;
    struct tn_buf a, b;
    if (tn_snapshot_read(tn_span_of(data, size), &s, &err))
        return 0;
    tn_buf_init(&a);
    tn_buf_init(&b);
    tn_snapshot_write(&s, &a);
    if (tn_snapshot_read(tn_span_of(a.p, a.n), &t, &err))
        abort();
    tn_snapshot_write(&t, &b);
    if (a.n != b.n || memcmp(a.p, b.p, a.n) != 0)
        abort();
    tn_snap_deinit(&t);
    if (tn_snapshot_redact(&s, &t, NULL, &err) == 0) {
        tn_snapshot_write(&t, &b);
        tn_snap_deinit(&t);
        if (tn_snapshot_read(tn_span_of(b.p, b.n), &t, &err))
            abort();
        tn_snap_deinit(&t);
    }
    tn_snap_deinit(&s);
    tn_buf_deinit(&a);
    tn_buf_deinit(&b);
    return 0;
}
