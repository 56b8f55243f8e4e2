/* gpu_hardware_fault.c - the card itself, its bus or its memory failed.
 *
 * NVML's own words: GPU_IS_LOST (fell off the bus), RESET_REQUIRED (nvml.h); a failed row remapping means replacement,
 * a pending one a reset (GPU Memory Error Management, "Row remapping"); uncorrectable errors since the driver was
 * loaded ended the programs that met them. Of several cards each has its own verdict. A driver that does not answer at
 * all within the deadline is a sign, not a proof. */
#include <string.h>

#include "check/look.h"
#include "facts/error.h"

static struct tn_finding *of_card(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *variant,
                                  struct tn_ref ref, enum tn_severity severity, const char *remedy)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[row];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(gpu, row, name));
    f->variant = variant;
    f->severity = severity;
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "bus", "%s", tn_look_text(g->bus, "?"));
    tn_find_evidence(f, ref);
    tn_find_evidence(f, TN_REF(gpu, row, bus));
    struct tn_remedy *r = tn_find_remedy(out, f, remedy, NULL);
    tn_remedy_arg(out, r, "bus", "%s", tn_look_text(g->bus, "0000:00:00.0"));
    return f;
}

/* Another error for this card alone. Rights are no fault: a card can be meant for others. */
static bool is_refused(const struct tn_rec_gpu *g)
{
    return tn_known(g->nvml) && !tn_says(g->nvml, "NVML_SUCCESS") && !tn_says(g->nvml, "NVML_ERROR_NO_PERMISSION") &&
           !tn_says(g->nvml, "NVML_ERROR_NOT_SUPPORTED");
}

static void refused(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    struct tn_facts_error e;
    struct tn_finding *f = of_card(j, out, row, "refused", TN_REF(gpu, row, nvml), TN_ERROR, "see-kernel-log");
    f->status = TN_LIKELY;
    tn_find_arg(out, f, "error", "%s", j->s->gpu.v[row].nvml.v);
    tn_find_arg(out, f, "meaning", "%s",
                tn_facts_error_named(j->s->gpu.v[row].nvml.v, &e) == TN_ANSWER_YES ? e.meaning : "?");
}

/* The driver holds the card, answers, and does not list it: it failed to start it (the kernel's log then has
 * "RmInitAdapter failed"). A container gets some of the host's cards only; a card for a virtual machine has another
 * holder. */
static bool is_unserved(const struct tn_judge *j, const struct tn_rec_gpu *g)
{
    return g->nvml.k == TN_ABSENT && tn_says(g->bound, "nvidia") && TN_THE(j->s, container)->kind.k == TN_ABSENT &&
           !tn_look_wsl(j->s);
}

static void unserved(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    struct tn_finding *f = of_card(j, out, row, "unserved", TN_REF(gpu, row, nvml), TN_ERROR, "see-kernel-log");
    f->status = TN_LIKELY;
    tn_find_evidence(f, TN_REF(gpu, row, bound));
}

static void look_at(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[row];
    if (tn_says(g->nvml, "NVML_ERROR_GPU_IS_LOST"))
        of_card(j, out, row, "lost", TN_REF(gpu, row, nvml), TN_ERROR, "reboot-off");
    else if (tn_says(g->nvml, "NVML_ERROR_RESET_REQUIRED"))
        of_card(j, out, row, "reset", TN_REF(gpu, row, nvml), TN_ERROR, "reset-gpu");
    else if (tn_says(g->nvml, "NVML_ERROR_INSUFFICIENT_POWER"))
        of_card(j, out, row, "power", TN_REF(gpu, row, nvml), TN_ERROR, "reboot-off");
    else if (is_refused(g))
        refused(j, out, row);
    else if (is_unserved(j, g))
        unserved(j, out, row);
    else if (tn_is(g->rows_failed, 1))
        of_card(j, out, row, "replace", TN_REF(gpu, row, rows_failed), TN_ERROR, "see-memory-errors");
    else if (tn_is(g->rows_pending, 1) || tn_is(g->pages_pending, 1))
        of_card(j, out, row, "pending",
                tn_is(g->rows_pending, 1) ? TN_REF(gpu, row, rows_pending) : TN_REF(gpu, row, pages_pending),
                TN_WARNING, "reset-gpu");
    else if (g->ecc_errors.k == TN_KNOWN && g->ecc_errors.v > 0)
        of_card(j, out, row, "memory", TN_REF(gpu, row, ecc_errors), TN_WARNING, "see-memory-errors");
}

/* What the kernel's log of this boot says. A card that answers NVML again is not lost; an Xid that programs cause is
 * theirs (table xid, cause_class). */
static bool answers(const struct tn_judge *j, struct tn_str bus)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_known(bus) && tn_says(g->bus, bus.v) && tn_says(g->nvml, "NVML_SUCCESS"))
            return true;
    return false;
}

static size_t card_of(const struct tn_judge *j, struct tn_str bus)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_known(bus) && tn_says(g->bus, bus.v))
            return row - 1;
    return j->s->gpu.n;
}

static void by_event(const struct tn_judge *j, struct tn_sink *out, size_t at)
{
    const struct tn_rec_event *e = &j->s->event.v[at];
    struct tn_facts_xid x;
    bool is_xid = tn_says(e->kind, "xid") && e->code.k == TN_KNOWN;
    bool lost = tn_says(e->kind, "lost") || (is_xid && e->code.v == 79);
    if (lost ? answers(j, e->gpu) : !is_xid || tn_facts_xid((int)e->code.v, &x) != TN_ANSWER_YES || !x.hardware)
        return;
    size_t card = card_of(j, e->gpu);
    if (card < j->s->gpu.n && tn_known(j->s->gpu.v[card].nvml) && !tn_says(j->s->gpu.v[card].nvml, "NVML_SUCCESS"))
        return; /* told by what NVML says */
    struct tn_finding *f = tn_find(out, lost ? TN_CONFIRMED : TN_LIKELY, TN_REF(event, at, text));
    f->variant = lost ? "lost" : "xid";
    f->severity = lost ? TN_ERROR : TN_WARNING;
    tn_find_arg(out, f, "gpu", "%s", card < j->s->gpu.n ? tn_look_gpu_name(&j->s->gpu.v[card]) : "GPU");
    tn_find_arg(out, f, "bus", "%s", tn_look_text(e->gpu, "?"));
    if (!lost) {
        tn_find_arg(out, f, "xid", "%lld", (long long)e->code.v);
        tn_find_arg(out, f, "meaning", "%s", *x.meaning ? x.meaning : x.mnemonic);
    }
    tn_find_evidence(f, TN_REF(event, at, text));
    if (is_xid)
        tn_find_evidence(f, TN_REF(event, at, code));
    tn_find_remedy(out, f, lost ? "reboot-off" : "see-kernel-log", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    size_t row = 0;
    while (tn_judge_gpu(j, &row))
        look_at(j, out, row - 1);
    for (size_t i = 0; i < j->s->event.n; i++)
        by_event(j, out, i);
    bool nvml = tn_says(d->nvml, "late");
    if (!nvml && !tn_says(d->cuda_start, "late"))
        return;
    tn_untestable(out, nvml ? TN_REF(driver, 0, nvml) : TN_REF(driver, 0, cuda_start));
    struct tn_finding *f = tn_find(out, TN_POSSIBLE, nvml ? TN_REF(driver, 0, nvml) : TN_REF(driver, 0, cuda_start));
    f->variant = "silent";
    tn_find_evidence(f, nvml ? TN_REF(driver, 0, nvml) : TN_REF(driver, 0, cuda_start));
    tn_find_remedy(out, f, "see-kernel-log", NULL);
}

TN_CHECK(gpu_hardware_fault, "gpu-hardware-fault", run,
         .needs = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(event) | TN_HAS(container));
