/* gpu_hardware_fault.c - the card itself, its bus or its memory failed.
 *
 * NVML's own words: GPU_IS_LOST (fell off the bus), RESET_REQUIRED (nvml.h); a failed row remapping means replacement,
 * a pending one a reset (GPU Memory Error Management, "Row remapping"); uncorrectable errors since the driver was
 * loaded ended the programs that met them. A driver that does not answer at all within the deadline is a sign, not a
 * proof. */
#include "check/look.h"

static void of_card(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *variant, struct tn_ref ref,
                    enum tn_severity severity, const char *remedy)
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
}

static void look_at(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[row];
    if (tn_says(g->nvml, "NVML_ERROR_GPU_IS_LOST"))
        of_card(j, out, row, "lost", TN_REF(gpu, row, nvml), TN_ERROR, "reboot-off");
    else if (tn_says(g->nvml, "NVML_ERROR_RESET_REQUIRED"))
        of_card(j, out, row, "reset", TN_REF(gpu, row, nvml), TN_ERROR, "reset-gpu");
    else if (tn_is(g->rows_failed, 1))
        of_card(j, out, row, "replace", TN_REF(gpu, row, rows_failed), TN_ERROR, "see-memory-errors");
    else if (tn_is(g->rows_pending, 1) || tn_is(g->pages_pending, 1))
        of_card(j, out, row, "pending",
                tn_is(g->rows_pending, 1) ? TN_REF(gpu, row, rows_pending) : TN_REF(gpu, row, pages_pending),
                TN_WARNING, "reset-gpu");
    else if (g->ecc_errors.k == TN_KNOWN && g->ecc_errors.v > 0)
        of_card(j, out, row, "memory", TN_REF(gpu, row, ecc_errors), TN_WARNING, "see-memory-errors");
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    size_t row = 0;
    while (tn_judge_gpu(j, &row))
        look_at(j, out, row - 1);
    bool nvml = tn_says(d->nvml, "late");
    if (!nvml && !tn_says(d->cuda_start, "late"))
        return;
    tn_untestable(out, nvml ? TN_REF(driver, 0, nvml) : TN_REF(driver, 0, cuda_start));
    struct tn_finding *f = tn_find(out, TN_POSSIBLE, nvml ? TN_REF(driver, 0, nvml) : TN_REF(driver, 0, cuda_start));
    f->variant = "silent";
    tn_find_evidence(f, nvml ? TN_REF(driver, 0, nvml) : TN_REF(driver, 0, cuda_start));
    tn_find_remedy(out, f, "see-kernel-log", NULL);
}

TN_CHECK(gpu_hardware_fault, "gpu-hardware-fault", run, .needs = TN_HAS(gpu) | TN_HAS(driver));
