/* fuzz_rpmdb.c - hostile bytes as rpm's database: reading ends, within bounds, in rows or in "failed". */
#include <stdint.h>
#include <string.h>

#include "probe/probe.h"
#include "world/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void lay(struct tn_record *r, const char *path, const void *p, size_t n)
{
    struct tn_node *f = tn_tree_make(&r->files, path);
    f->type = 'f';
    f->whole = f->has_stat = true;
    f->st = (struct tn_stat){.type = 'f', .mode = 0644, .size = n, .nlink = 1};
    if (n)
        tn_tree_add_part(&r->files, f, 0, tn_span_of(tn_arena_memdup(&r->mem, p, n), n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_record r;
    struct tn_world *w;
    struct tn_snap s;
    struct tn_err err;
    struct tn_want want = {.env = NULL};
    tn_record_init(&r, "linux");
    r.files.complete = r.env_complete = r.sys_complete = true;
    lay(&r, "/usr/local/cuda-12.4/bin/nvcc", "x", 1);
    lay(&r, "/var/lib/rpm/rpmdb.sqlite", data, size);
    tn_snap_init(&s);
    tn_world_replay(&r, &w, &err);
    tn_probe_all(w, &want, &s);
    tn_world_close(w);
    tn_snap_deinit(&s);
    tn_record_deinit(&r);
    return 0;
}
