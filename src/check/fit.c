/* fit.c - see look.h: a build from the tables that the cards and the driver of this machine can run.
 *
 * Invariant: every number is a row of pytorch_builds or tensorflow_builds; a row whose code or driver is not
 * established is passed over. Only x86-64: the lists of code are of those builds. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "facts/arch.h"
#include "facts/cuda.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

static bool serves_cards(const struct tn_judge *j, const char *sass, const char *ptx)
{
    size_t row = 0;
    struct tn_facts_code code;
    if (!*sass && !*ptx)
        return false;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        const char *cc = tn_look_capability(g);
        if (*cc && tn_facts_arch_code(cc, sass, ptx, &code) == TN_ANSWER_YES && code.how == TN_CODE_NONE)
            return false;
    }
    return true;
}

static bool driver_serves(const struct tn_judge *j, const char *cuda)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    struct tn_str driver = tn_known(d->library_version) ? d->library_version : d->version;
    bool runs = false;
    if (!*cuda)
        return false;
    if (!tn_known(driver))
        return true;
    enum tn_found found = tn_facts_driver_runs(driver.v, cuda, tn_look_driver_platform(j->s), &runs);
    return (found == TN_ANSWER_YES || found == TN_ANSWER_NEWER) && runs;
}

static bool python_fits(const struct tn_judge *j, const char *min, const char *max)
{
    const char *v = j->env ? tn_look_text(j->env->python, "") : "";
    return !*v || ((!*min || tn_version_dotted_cmp_parts(v, min, 2) >= 0) &&
                   (!*max || tn_version_dotted_cmp_parts(v, max, 2) <= 0));
}

static bool is_x86(const struct tn_judge *j)
{
    struct tn_str arch = TN_THE(j->s, host)->arch;
    return !tn_known(arch) || tn_says(arch, "x86_64") || tn_says(arch, "amd64");
}

/* Is a a better release than b? The wanted one, then the newest. */
static bool is_better(const char *wanted, const char *a, const char *b)
{
    bool wa = *wanted && tn_version_dotted_cmp(a, wanted) == 0, wb = *wanted && tn_version_dotted_cmp(b, wanted) == 0;
    return !*b || (wa != wb ? wa : tn_version_dotted_cmp(a, b) > 0);
}

bool tn_look_fit_torch(const struct tn_judge *j, const char *wanted, struct tn_look_fit *ret)
{
    const struct tn_table *t = tn_facts_find("pytorch_builds");
    enum tn_platform platform = tn_look_platform(j->s);
    struct tn_look_fit best = {"", "", ""};
    for (uint32_t r = 0; t && is_x86(j) && r < t->nrows; r++) {
        struct tn_facts_torch b;
        const char *version = tn_facts_get(t, r, "torch_version"), *variant = tn_facts_get(t, r, "variant");
        if (tn_facts_rank(t, r) != 1 || !tn_str_starts(variant, "cu") || strstr(version, "dev") ||
            tn_facts_torch_build(version, variant, platform, &b) != TN_ANSWER_YES || !b.exact ||
            !python_fits(j, b.python_min, b.python_max) || !driver_serves(j, b.cuda) || !serves_cards(j, b.sass, b.ptx))
            continue;
        bool same = *best.release && tn_version_dotted_cmp(version, best.release) == 0;
        if (same ? tn_version_dotted_cmp(b.cuda, best.cuda) > 0 : is_better(wanted, version, best.release))
            best = (struct tn_look_fit){version, b.cuda, variant};
    }
    if (*best.release)
        *ret = best;
    return *best.release != '\0';
}

bool tn_look_fit_tensorflow(const struct tn_judge *j, const char *wanted, struct tn_look_fit *ret)
{
    const struct tn_table *t = tn_facts_find("tensorflow_builds");
    enum tn_platform platform = tn_look_platform(j->s);
    struct tn_look_fit best = {"", "", ""};
    const struct tn_filter filter[] = {
        {"platform", TN_FILTER_EQ, platform == TN_PLATFORM_WINDOWS ? "windows" : "linux"},
        {"gpu", TN_FILTER_EQ, "yes"},
        {"package", TN_FILTER_EQ, "tensorflow"},
    };
    for (uint32_t r = 0; t && is_x86(j) && (r = tn_facts_next(t, r, filter, TN_LEN(filter))) < t->nrows; r++) {
        const char *version = tn_facts_get(t, r, "version"), *cuda = tn_facts_get(t, r, "cuda");
        struct tn_facts_tf_code code;
        if (tn_facts_rank(t, r) != 1 || tn_version_dotted_cmp(version, "2.1") < 0 || strstr(version, "rc") ||
            tn_facts_tf_code(version, platform, &code) != TN_ANSWER_YES ||
            !python_fits(j, tn_facts_get(t, r, "python_min"), tn_facts_get(t, r, "python_max")) ||
            !driver_serves(j, cuda) || !serves_cards(j, code.sass, code.ptx))
            continue;
        if (is_better(wanted, version, best.release))
            best = (struct tn_look_fit){version, cuda, ""};
    }
    if (*best.release)
        *ret = best;
    return *best.release != '\0';
}
