/* vendor.c - the driver's own libraries asked: NVML, then the CUDA driver interface.
 *
 * They are asked only where a driver is loaded (else they would try to load one), in a child process (world/ask.h), and
 * not when every card sleeps: asking wakes it up. nvidia-smi is not needed, nor run. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "probe/vendor_text.h"

/* The copy that a program would load. */
static const struct tn_rec_library *meets_first(const struct tn_snap *s, const char *const *stems)
{
    const struct tn_rec_library *best = NULL;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        bool named = tn_says(l->stem, stems[0]) || tn_says(l->stem, stems[1]);
        if (!named || !tn_known(l->path) || !tn_is(l->reachable, 1) || tn_is(l->bits, 32) || tn_says(l->kind, "stub") ||
            tn_says(l->kind, "empty"))
            continue;
        if (!best || (tn_known(l->path) && l->rank.k == TN_KNOWN && l->rank.v < best->rank.v))
            best = l;
    }
    return best;
}

static bool all_asleep(const struct tn_snap *s)
{
    size_t cards = 0, asleep = 0;
    for (size_t i = 0; i < s->gpu.n; i++) {
        const struct tn_rec_gpu *g = &s->gpu.v[i];
        if (!tn_says(g->vendor, "nvidia"))
            continue;
        cards++;
        asleep += tn_known(g->power) && tn_str_starts(g->power.v, "suspend");
    }
    return cards && cards == asleep;
}

/* A device, or what could not be looked at: the library would wait for ever at a pipe. */
static bool is_node(const struct tn_snap *s, const char *path)
{
    for (size_t i = 0; i < s->node.n; i++)
        if (tn_says(s->node.v[i].path, path))
            return s->node.v[i].type.k != TN_KNOWN || tn_says(s->node.v[i].type, "c");
    return false;
}

/* The libraries make a missing node or load a missing module themselves, where they may: nvidia-modprobe does it for
 * everybody. Ours may not, so that its answer would be that of no program: it is not asked for. */
static bool is_ready(const struct tn_probe_ctx *c, bool uvm)
{
    const struct tn_snap *s = c->s;
    if (tn_probe_is_wsl(c) || tn_probe_is_windows(c))
        return true;
    if (uvm)
        return is_node(s, "/dev/nvidia-uvm") && tn_is(TN_THE(s, driver)->uvm, 1);
    return is_node(s, "/dev/nvidiactl");
}

static bool is_driver_there(struct tn_probe_ctx *c)
{
    if (tn_is(TN_THE(c->s, driver)->loaded, 1))
        return tn_probe_running(c) || tn_probe_is_windows(c);
    return tn_probe_is_wsl(c) && tn_world_exists(c->w, "/dev/dxg");
}

static void ask(struct tn_probe_ctx *c, const char *const *stems, const char *subject, struct tn_str *result,
                void (*read)(struct tn_snap *s, struct tn_span text, uint32_t src))
{
    const struct tn_rec_library *l = meets_first(c->s, stems);
    if (!l)
        return;
    struct tn_answer a = tn_world_vendor(c->w, c->tmp, l->path.v, subject);
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "ask", tn_arena_printf(c->tmp, "%s %s", subject, l->path.v), &a);
    if (a.got == TN_KNOWN)
        read(c->s, a.data, src);
    else
        *result = tn_fact_nostr(src, a.got);
}

/* Whether a library could be asked hangs on what could not be looked at itself: then its answer is missing, not idle.
 */
static void missed(struct tn_probe_ctx *c, const char *const *stems, struct tn_str *result)
{
    const struct tn_snap *s = c->s;
    enum tn_know got = s->node.listed;
    uint32_t src = s->node.src;
    if (got == TN_KNOWN && !meets_first(s, stems)) {
        got = s->library.listed;
        src = s->library.src;
    }
    if (result->k == TN_UNASKED && (got == TN_DENIED || got == TN_FAILED))
        *result = tn_fact_nostr(src, got);
}

static void run(struct tn_probe_ctx *c)
{
    static const char *const nvml[] = {"libnvidia-ml", "nvml"}, *const cuda[] = {"libcuda", "nvcuda"};
    struct tn_rec_driver *d = TN_THE(c->s, driver);
    if (!is_driver_there(c) || all_asleep(c->s))
        return;
    if (is_ready(c, false))
        ask(c, nvml, "nvml", &d->nvml, tn_vendor_nvml);
    if (is_ready(c, true))
        ask(c, cuda, "cuda", &TN_THE(c->s, driver)->cuda_start, tn_vendor_cuda);
    missed(c, nvml, &TN_THE(c->s, driver)->nvml);
    missed(c, cuda, &TN_THE(c->s, driver)->cuda_start);
    if (c->s->process.n || tn_says(TN_THE(c->s, driver)->nvml, "NVML_SUCCESS")) {
        c->s->process.listed = TN_KNOWN;
        c->s->process.src = TN_THE(c->s, driver)->nvml.src;
    }
}

TN_PROBE(vendor, TN_PHASE_LIBRARY, run, "state of the cards, from NVML and the CUDA driver interface",
         .gives = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(process), .reads = TN_HAS(library) | TN_HAS(node));
