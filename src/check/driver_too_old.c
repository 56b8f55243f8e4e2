/* driver_too_old.c - the driver is below the least one for the CUDA that a framework of the environment was built for.
 *
 * From CUDA 11 on the floor is that of the major ("minor-version compatibility": CUDA release notes Table 2), and it
 * differs between Linux and Windows: 450.80.02 is enough for CUDA 11 on Linux, 451.67 is not on Windows (452.39).
 * Toolkits that lie around need nothing here: only what the framework runs on counts. */
#include "check/look.h"
#include "facts/cuda.h"
#include "facts/gpu.h"
#include "version/dotted.h"

/* A compat libcuda serves what its own version serves, whatever the module's. */
static struct tn_str serving(const struct tn_snap *s, struct tn_ref *ref)
{
    const struct tn_rec_driver *d = TN_THE(s, driver);
    bool library = tn_known(d->library_version);
    *ref = library ? TN_REF(driver, 0, library_version) : TN_REF(driver, 0, version);
    return library ? d->library_version : d->version;
}

/* Where only the ceiling is known (a pasted header): the same rule on CUDA numbers. */
static bool ceiling_serves(const char *ceiling, const char *cuda)
{
    uint64_t need = tn_version_dotted_major(cuda);
    if (need < 11)
        return tn_version_dotted_cmp(ceiling, cuda) >= 0;
    return tn_version_dotted_major(ceiling) >= need;
}

/* The last driver branch of the oldest card, when it ends below what is needed: then no update helps. */
static bool card_ends_below(const struct tn_judge *j, const char *need, const char **branch)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        struct tn_facts_capability c;
        const char *cc = tn_look_capability(g);
        if (*cc && tn_facts_capability(cc, &c) == TN_ANSWER_YES && !c.driver_current && *c.last_driver_branch &&
            tn_version_dotted_cmp_parts(c.last_driver_branch, need, 1) < 0) {
            *branch = c.last_driver_branch;
            return true;
        }
    }
    return false;
}

/* The driver belongs to Windows below WSL, and to the host of a container; else a build for an older CUDA may do. */
static void remedies(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, size_t row, const char *need)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    bool container = tn_known(TN_THE(j->s, container)->kind);
    if (need) {
        const char *id = container ? "update-host-driver" : "update-driver";
        tn_remedy_arg(out, tn_find_remedy(out, f, tn_look_wsl(j->s) ? "update-windows-driver" : id, NULL), "need", "%s",
                      need);
    }
    if (need && !container && !tn_look_wsl(j->s))
        tn_remedy_arg(out, tn_find_remedy(out, f, "see-driver-need", NULL), "need", "%s", need);
    if (!tn_look_remedy_fitting(j, out, f, fw) && !need)
        tn_look_remedy_builds(j, out, f, fw);
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *cuda, const char *driver,
                   const char *need, struct tn_ref ref)
{
    const char *branch = "";
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, ref);
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "cuda", "%s", cuda);
    tn_find_arg(out, f, "need", "%s", need);
    tn_find_arg(out, f, "driver", "%s", driver);
    tn_find_arg(out, f, "ceiling", "%s", tn_look_text(TN_THE(j->s, driver)->cuda, "?"));
    tn_find_arg(out, f, "os", "%s", tn_look_os_name(j->s));
    tn_find_evidence(f, ref);
    tn_find_evidence(f, TN_REF(framework, row, cuda));
    if (card_ends_below(j, need, &branch)) {
        f->variant = "card";
        tn_find_arg(out, f, "branch", "%s", branch);
        remedies(j, out, f, row, NULL);
        return;
    }
    struct tn_facts_driver_need linux_need;
    if (ref.field == TN_REF(driver, 0, cuda).field)
        f->variant = "ceiling";
    else if (tn_look_driver_platform(j->s) == TN_PLATFORM_WINDOWS &&
             tn_facts_cuda_driver(cuda, TN_PLATFORM_LINUX, &linux_need) == TN_ANSWER_YES && *linux_need.floor) {
        f->variant = "windows";
        tn_find_arg(out, f, "linux", "%s", linux_need.floor);
    }
    remedies(j, out, f, row, need);
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *cuda)
{
    struct tn_ref ref;
    struct tn_facts_driver_need need;
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    struct tn_str driver = serving(j->s, &ref);
    enum tn_found found = tn_facts_cuda_driver(cuda, tn_look_driver_platform(j->s), &need);
    bool known = (found == TN_ANSWER_YES || found == TN_ANSWER_NEWER) && *need.floor;
    if (tn_known(driver) && known) {
        if (tn_version_dotted_cmp(driver.v, need.floor) < 0)
            report(j, out, row, cuda, driver.v, need.floor, ref);
    } else if (tn_known(d->cuda)) {
        if (!ceiling_serves(d->cuda.v, cuda))
            report(j, out, row, cuda, "?", known ? need.floor : "?", TN_REF(driver, 0, cuda));
    } else if (driver.k != TN_ABSENT) {
        tn_untestable(out, tn_known(driver) ? TN_REF(framework, row, cuda) : ref);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        const char *cuda = tn_look_cuda(j->s, fw);
        if (*cuda)
            judge(j, out, row - 1, cuda);
        else
            tn_untestable(out, TN_REF(framework, row - 1, cuda));
    }
}

TN_CHECK(driver_too_old, "driver-too-old", run, .needs = TN_NEEDS_FIT);
