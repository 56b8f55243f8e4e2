/* cuda_does_not_start.c - cuInit or nvmlInit fails, and no other check knows why: never silence, never "all well".
 *
 * What the numbers mean: table error_codes. Those that other checks explain stand behind them. Where CUDA starts, NVML
 * is what nvidia-smi, monitors and NCCL miss: a warning. */
#include "base/str.h"
#include "check/look.h"
#include "facts/error.h"

/* Not an error of the driver's: what became of the library. */
static bool is_library(struct tn_str answer)
{
    static const char *const words[] = {"died", "unloadable", "foreign", NULL};
    return tn_known(answer) && tn_str_in(answer.v, words);
}

static bool is_bad(struct tn_str answer, const char *good)
{
    static const char *const told[] = {"late", "other", NULL}; /* by gpu-hardware-fault, driver-library-mismatch */
    return tn_known(answer) && !tn_says(answer, good) && !tn_str_in(answer.v, told);
}

static struct tn_finding *report(struct tn_sink *out, enum tn_status status, struct tn_ref answer)
{
    struct tn_finding *f = tn_find(out, status, answer);
    tn_find_evidence(f, answer);
    return f;
}

static void library(const struct tn_judge *j, struct tn_sink *out, struct tn_str answer, struct tn_ref ref, bool cuda)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    bool win = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    struct tn_finding *f = report(out, tn_says(answer, "died") ? TN_LIKELY : TN_CONFIRMED, ref);
    f->variant = answer.v;
    if (!cuda && tn_says(d->cuda_start, "CUDA_SUCCESS"))
        f->severity = TN_WARNING;
    tn_find_arg(out, f, "library", "%s",
                cuda ? (win ? "nvcuda.dll" : "libcuda.so.1") : (win ? "nvml.dll" : "libnvidia-ml.so.1"));
    tn_find_remedy(out, f, "see-kernel-log", NULL);
}

static void answer(const struct tn_judge *j, struct tn_sink *out, bool cuda)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    struct tn_str said = cuda ? d->cuda_start : d->nvml;
    struct tn_ref ref = cuda ? TN_REF(driver, 0, cuda_start) : TN_REF(driver, 0, nvml);
    struct tn_facts_error e;
    if (is_library(said)) {
        library(j, out, said, ref, cuda);
        return;
    }
    struct tn_finding *f = report(out, TN_CONFIRMED, ref);
    f->variant = cuda ? "start" : "nvml";
    if (!cuda && tn_says(d->cuda_start, "CUDA_SUCCESS"))
        f->severity = TN_WARNING;
    if (cuda && is_bad(d->nvml, "NVML_SUCCESS"))
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
    bool named = tn_facts_error_named(said.v, &e) == TN_ANSWER_YES;
    tn_find_arg(out, f, "error", "%s", said.v);
    tn_find_arg(out, f, "meaning", "%s", named ? e.meaning : "?");
    tn_find_remedy(out, f, "see-kernel-log", NULL);
}

/* No time was left, or root does not load that file (os/posix/trust.c): nobody knows whether CUDA starts. */
static void missing(const struct tn_judge *j, struct tn_sink *out, enum tn_know why, struct tn_ref ref,
                    const char *library)
{
    tn_untestable(out, ref);
    if (why == TN_FAILED || !tn_is(TN_THE(j->s, host)->root, 1))
        return;
    struct tn_finding *f = report(out, TN_POSSIBLE, ref);
    f->variant = "untrusted";
    tn_find_arg(out, f, "library", "%s", library);
}

static bool is_missing(struct tn_str answer)
{
    return answer.k == TN_DENIED || answer.k == TN_FAILED;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    bool cuda = is_bad(d->cuda_start, "CUDA_SUCCESS"), nvml = is_bad(d->nvml, "NVML_SUCCESS");
    if (cuda)
        answer(j, out, true);
    if (nvml && (!cuda || is_library(d->nvml)))
        answer(j, out, false);
    if (is_missing(d->cuda_start))
        missing(j, out, d->cuda_start.k, TN_REF(driver, 0, cuda_start), "libcuda.so.1");
    else if (is_missing(d->nvml) && !tn_known(d->cuda_start))
        missing(j, out, d->nvml.k, TN_REF(driver, 0, nvml), "libnvidia-ml.so.1");
}

TN_CHECK(cuda_does_not_start, "unknown", run, .needs = TN_HAS(driver) | TN_HAS(host));
