/* gpu_too_weak.c - the GPU works, but was measured slower than this machine's processor, or its drivers end.
 *
 * Never a guess from a name: only the user's own measurement (bench) says "slower". That a driver branch is the last
 * for a card is a note: "update the driver" would take the card away (table driver_branches). A driver beyond that
 * branch has taken it away. */
#include "base/str.h"
#include "check/look.h"
#include "facts/cuda.h"
#include "facts/gpu.h"
#include "version/dotted.h"

static bool passed(const struct tn_rec_measurement *m, bool cpu)
{
    return tn_says(m->what, "matmul") && tn_says(m->status, "pass") && m->median_us.k == TN_KNOWN &&
           tn_known(m->device) && tn_says(m->device, "cpu") == cpu;
}

/* Row of the fastest matrix product on the CPU or a GPU; measurement.n if there is none. */
static size_t fastest(const struct tn_snap *s, bool cpu)
{
    size_t best = s->measurement.n;
    for (size_t i = 0; i < s->measurement.n; i++)
        if (passed(&s->measurement.v[i], cpu) &&
            (best == s->measurement.n || s->measurement.v[i].median_us.v < s->measurement.v[best].median_us.v))
            best = i;
    return best;
}

/* Last driver branch of a card whose architecture newer drivers dropped; "" for others. */
static const char *last_branch(const struct tn_rec_gpu *g)
{
    struct tn_facts_capability c;
    const char *cc = tn_look_capability(g);
    return *cc && tn_facts_capability(cc, &c) == TN_ANSWER_YES && !c.driver_current ? c.last_driver_branch : "";
}

static void remedies(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));)
        if (tn_is(fw->gpu_build, 1)) {
            tn_look_remedy_cpu_build(j, out, f, fw);
            return;
        }
    tn_find_remedy(out, f, "expect-cpu", NULL);
}

/* Is the installed driver beyond the last branch for this card? One that holds the card serves it. */
static bool is_dropped(const struct tn_judge *j, const struct tn_rec_gpu *g, const char *last)
{
    struct tn_facts_branch b;
    struct tn_str driver = TN_THE(j->s, driver)->version;
    if (!*last || !tn_known(driver) || (tn_known(g->bound) && tn_str_starts(g->bound.v, "nvidia")))
        return false;
    enum tn_found found = tn_facts_driver_branch(driver.v, &b);
    return found == TN_ANSWER_NEWER ||
           ((found == TN_ANSWER_YES || found == TN_ANSWER_OPEN) && tn_version_dotted_cmp_parts(b.branch, last, 1) > 0);
}

static bool any_served(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (!is_dropped(j, g, last_branch(g)))
            return true;
    return false;
}

static void dropped(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *branch)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[row];
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(gpu, row, capability));
    f->severity = any_served(j) ? TN_WARNING : TN_ERROR;
    f->variant = "dropped";
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "branch", "%s", branch);
    tn_find_arg(out, f, "driver", "%s", TN_THE(j->s, driver)->version.v);
    tn_find_evidence(f, TN_REF(gpu, row, capability));
    tn_find_evidence(f, TN_REF(driver, 0, version));
    tn_remedy_arg(out, tn_find_remedy(out, f, "driver-of-branch", NULL), "branch", "%s", branch);
    tn_remedy_arg(out, tn_find_remedy(out, f, "see-branches", NULL), "branch", "%s", branch);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t row = 0, cpu = fastest(s, true), gpu = fastest(s, false);
    bool slower = cpu < s->measurement.n && gpu < s->measurement.n &&
                  s->measurement.v[gpu].median_us.v > s->measurement.v[cpu].median_us.v;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        const char *branch = last_branch(g);
        if (is_dropped(j, g, branch)) {
            dropped(j, out, row - 1, branch);
            continue;
        }
        if (!slower && !*branch)
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(gpu, row - 1, capability));
        f->severity = slower ? TN_WARNING : TN_NOTE;
        f->variant = slower ? *branch ? "slower-last" : NULL : "last";
        tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
        tn_find_evidence(f, TN_REF(gpu, row - 1, capability));
        if (*branch)
            tn_find_arg(out, f, "branch", "%s", branch);
        if (!slower)
            continue;
        tn_find_arg(out, f, "gpu_ms", "%.1f", (double)s->measurement.v[gpu].median_us.v / 1000);
        tn_find_arg(out, f, "cpu_ms", "%.1f", (double)s->measurement.v[cpu].median_us.v / 1000);
        tn_find_evidence(f, TN_REF(measurement, gpu, median_us));
        tn_find_evidence(f, TN_REF(measurement, cpu, median_us));
        slower = false; /* told once, of the first card */
        remedies(j, out, f);
    }
}

TN_CHECK(gpu_too_weak, "gpu-too-weak", run, .needs = TN_NEEDS_FIT | TN_HAS(measurement));
