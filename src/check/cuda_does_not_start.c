/* cuda_does_not_start.c - cuInit fails, and no other check knows why: never silence, and never "all well".
 *
 * What the numbers mean: table error_codes. Those that other checks explain stand behind them. */
#include "check/look.h"
#include "facts/error.h"

static void died(const struct tn_judge *j, struct tn_sink *out, struct tn_ref answer, const char *library)
{
    struct tn_finding *f = tn_find(out, TN_LIKELY, answer);
    f->variant = "died";
    tn_find_arg(out, f, "library", "%s", tn_look_platform(j->s) == TN_PLATFORM_WINDOWS ? "nvcuda.dll" : library);
    tn_find_evidence(f, answer);
    tn_find_remedy(out, f, "see-kernel-log", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    struct tn_facts_error e;
    if (tn_says(d->cuda_start, "died"))
        died(j, out, TN_REF(driver, 0, cuda_start), "libcuda.so.1");
    else if (tn_says(d->nvml, "died"))
        died(j, out, TN_REF(driver, 0, nvml), "libnvidia-ml.so.1");
    if (!tn_known(d->cuda_start) || tn_says(d->cuda_start, "CUDA_SUCCESS") || tn_says(d->cuda_start, "late") ||
        tn_says(d->cuda_start, "died"))
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, cuda_start));
    f->variant = "start";
    bool named = tn_facts_error_named(d->cuda_start.v, &e) == TN_ANSWER_YES;
    tn_find_arg(out, f, "error", "%s", d->cuda_start.v);
    tn_find_arg(out, f, "meaning", "%s", named ? e.meaning : "?");
    tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
    tn_find_remedy(out, f, "see-kernel-log", NULL);
}

TN_CHECK(cuda_does_not_start, "unknown", run, .needs = TN_HAS(driver));
