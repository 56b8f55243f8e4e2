/* fuzz_describe.c - hostile --machine texts. Beyond memory safety it holds that a message never carries control
 * characters, and that what was described can be written and read. */
#include <stdlib.h>
#include <string.h>

#include "probe/describe.h"
#include "snapshot/read.h"
#include "snapshot/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_snap s, t;
    struct tn_err err;
    struct tn_buf b;
    char *text = malloc(size + 1);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (tn_describe(text, &s, &err)) {
        for (const char *p = err.text; *p; p++)
            if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7F)
                abort();
    } else {
        tn_buf_init(&b);
        tn_snapshot_write(&s, &b);
        if (tn_snapshot_read(tn_span_of(b.p, b.n), &t, NULL))
            abort();
        tn_snap_deinit(&t);
        tn_buf_deinit(&b);
        tn_snap_deinit(&s);
    }
    free(text);
    return 0;
}
