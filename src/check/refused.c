/* refused.c - a driver that does not run the card: by its own words in the kernel's log, else by its branch.
 *
 * Branches drop old chips (table driver_branches). Open modules need a card with a system processor, Turing or newer;
 * from Blackwell on only the open ones run (NVIDIA driver README, "Open Linux Kernel Modules"). Only where every card
 * is refused does the module stay out. A vGPU runs with the driver of NVIDIA's vGPU software alone (the module's own
 * words, open-gpu-kernel-modules, rm_is_supported_device).
 *
 * The kernel refuses an unsigned module and one whose key it does not know; where only lockdown speaks, its sentence is
 * the same for both (kernel/module/signing.c) and the file decides. */
#include "check/refused.h"

#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "facts/gpu.h"
#include "version/dotted.h"

static size_t card_at(const struct tn_judge *j, struct tn_str bus)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_known(bus) && tn_says(g->bus, bus.v))
            return row - 1;
    row = 0;
    return tn_judge_gpu(j, &row) ? row - 1 : j->s->gpu.n;
}

static bool by_log(const struct tn_judge *j, struct tn_arena *mem, size_t module, struct tn_refused *ret)
{
    static const char *const kinds[][2] = {{"legacy", "legacy"},
                                           {"needs_open", "open"},
                                           {"vgpu_guest", "vgpu-guest"},
                                           {"vgpu_host", "vgpu-host"},
                                           {"needs_closed", "closed"},
                                           {"unsupported", "unsupported"},
                                           {"key_rejected", "rejected-key"},
                                           {"rejected", "rejected"}};
    const struct tn_snap *s = j->s;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < s->event.n; i++) {
            const struct tn_rec_event *e = &s->event.v[i];
            if (!tn_says(e->kind, kinds[k][0]) || (k == 0 && e->code.k != TN_KNOWN))
                continue;
            ret->variant = kinds[k][1];
            ret->status = TN_CONFIRMED;
            ret->card = card_at(j, e->gpu);
            if (k == 0)
                ret->branch = tn_arena_printf(mem, "%lld", (long long)e->code.v);
            ret->ref[ret->n_ref++] = TN_REF(event, i, text);
            if (tn_str_eq(ret->variant, "rejected") && module < s->module.n &&
                tn_is(s->module.v[module].has_signature, 1)) {
                ret->variant = "rejected-key";
                ret->ref[ret->n_ref++] = TN_REF(module, module, has_signature);
            }
            return true;
        }
    return false;
}

/* What the branch and flavour of the module mean for one card; NULL: it runs, or nobody knows. */
const char *tn_look_refused_card(const struct tn_rec_gpu *g, struct tn_str version, struct tn_str flavour,
                                 const char **ret_branch)
{
    struct tn_facts_capability c;
    struct tn_facts_branch b;
    const char *capability = tn_look_capability(g);
    if (!*capability || tn_facts_capability(capability, &c) != TN_ANSWER_YES)
        return NULL;
    if (tn_known(version) && !c.driver_current && *c.last_driver_branch &&
        tn_facts_driver_branch(version.v, &b) == TN_ANSWER_YES &&
        tn_version_dotted_major(b.branch) > tn_version_dotted_major(c.last_driver_branch)) {
        *ret_branch = c.last_driver_branch;
        return "legacy";
    }
    if (tn_says(flavour, "open") && tn_version_dotted_cmp(capability, "7.5") < 0)
        return "closed";
    if (tn_says(flavour, "proprietary") && tn_version_dotted_cmp(capability, "10.0") >= 0)
        return "open";
    return NULL;
}

bool tn_look_refused(const struct tn_judge *j, struct tn_arena *mem, size_t module, struct tn_refused *ret)
{
    const struct tn_snap *s = j->s;
    size_t row = 0;
    memset(ret, 0, sizeof *ret);
    ret->card = s->gpu.n;
    if (by_log(j, mem, module, ret))
        return true;
    if (module >= s->module.n)
        return false;
    const struct tn_rec_module *m = &s->module.v[module];
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        const char *branch = NULL, *why = tn_look_refused_card(g, m->version, m->flavour, &branch);
        if (!why)
            return false;
        if (!ret->variant) {
            ret->variant = why;
            ret->branch = branch;
            ret->card = row - 1;
        }
    }
    if (!ret->variant)
        return false;
    ret->status = TN_LIKELY;
    ret->ref[ret->n_ref++] = TN_REF(gpu, ret->card, capability);
    ret->ref[ret->n_ref++] = TN_REF(module, module, version);
    ret->ref[ret->n_ref++] = TN_REF(module, module, flavour);
    return true;
}
