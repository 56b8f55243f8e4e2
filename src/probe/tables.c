/* tables.c - see tables.h. */
#include "probe/tables.h"

#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "facts/gpu.h"

#define GIB (1024LL * 1024 * 1024)

static void put(struct tn_snap *s, struct tn_str *f, uint32_t src, const char *v)
{
    if (f->k != TN_KNOWN && *v)
        *f = tn_fact_str(s, src, v);
}

/* "24" or "5.5"; "8 12" is two cards sold under one id: not known. */
static void put_memory(struct tn_int *f, uint32_t src, const char *gb)
{
    uint64_t whole, part = 0, scale = 1;
    size_t n = strcspn(gb, ".");
    if (f->k == TN_KNOWN || !tn_str_u64(gb, n, 10, &whole) || whole > 1000000)
        return;
    if (gb[n] && !(strlen(gb + n) < 6 && tn_str_u64(gb + n + 1, strlen(gb + n + 1), 10, &part)))
        return;
    for (size_t i = strlen(gb + n); i > 1; i--)
        scale *= 10;
    *f = tn_fact_int(src, (int64_t)whole * GIB + (int64_t)part * GIB / (int64_t)scale);
}

bool tn_probe_gpu_of_table(struct tn_snap *s, struct tn_rec_gpu *g, unsigned device)
{
    struct tn_facts_gpu t;
    if (tn_facts_gpu_by_pci(device, &t) != TN_ANSWER_YES)
        return false;
    uint32_t src = tn_snap_src(s, TN_KNOWN, NULL, "table gpus");
    put(s, &g->name, src, t.name);
    put(s, &g->chip, src, t.chip);
    put(s, &g->architecture, src, t.architecture);
    put(s, &g->capability, src, t.capability);
    put_memory(&g->memory_bytes, src, t.memory_gb);
    return true;
}

bool tn_probe_gpu_of_chip(struct tn_snap *s, struct tn_rec_gpu *g, const char *chip)
{
    const struct tn_table *t = tn_facts_find("gpus");
    struct tn_filter f[] = {{"chip", TN_FILTER_EQ, chip}, {"rank", TN_FILTER_EQ, "1"}};
    uint32_t row = t ? tn_facts_next(t, 0, f, 2) : 0;
    if (!t || tn_str_eq(tn_facts_get(t, row, "chip"), ""))
        return false;
    uint32_t src = tn_snap_src(s, TN_KNOWN, NULL, "table gpus");
    put(s, &g->chip, src, chip);
    put(s, &g->name, src, tn_facts_get(t, row, "name"));
    put(s, &g->architecture, src, tn_facts_get(t, row, "architecture"));
    put(s, &g->capability, src, tn_facts_get(t, row, "compute_capability"));
    return true;
}

struct tn_str tn_probe_cuda_of_driver(struct tn_snap *s, const char *driver)
{
    struct tn_facts_branch b;
    struct tn_str none = {0};
    if (tn_facts_driver_branch(driver, &b) != TN_ANSWER_YES || !*b.max_cuda)
        return none;
    return tn_fact_str(s, tn_snap_src(s, TN_KNOWN, NULL, "table driver_branches"), b.max_cuda);
}
