/* fuzz_record.c - a world record from a stranger: read, written again, probed as a machine. */
#include <stdint.h>
#include <string.h>

#include "probe/probe.h"
#include "world/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool keep(const void *ctx, const char *name)
{
    (void)ctx;
    return strstr(name, "lib") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_record r;
    struct tn_err err;
    struct tn_world *w;
    struct tn_snap s;
    struct tn_want_file file = {.name = "libcudnn.so", .keep = keep};
    struct tn_want want = {.env = NULL, .file = &file};
    struct tn_buf b;
    if (size > 1u << 16 || tn_record_read(tn_span_of(data, size), &r, &err))
        return 0;
    tn_buf_init(&b);
    tn_record_write(&r, &b);
    tn_buf_deinit(&b);
    tn_snap_init(&s);
    tn_world_replay(&r, &w, &err);
    tn_probe_all(w, &want, &s);
    tn_world_close(w);
    tn_snap_deinit(&s);
    tn_record_deinit(&r);
    return 0;
}
