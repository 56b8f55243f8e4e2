/* driver_library_mismatch.c - the loaded kernel module and the libcuda that programs load are of different releases.
 *
 * NVIDIA demands the very same version (CUDA error 803, NVML 18). A forward-compatibility libcuda is meant to be newer
 * and does not count (CUDA Compatibility guide, "Forward compatibility"); a stub has a cause of its own. In WSL there
 * is no kernel module; on Windows both halves come in one package. So they do on a Jetson, whose library is
 * libcuda.so.1.1 in every release (package nvidia-l4t-cuda): where its text names no release, nothing is compared. The
 * driver's own answers (803, 18) are proof even where the files cannot be compared, or look alike. */
#include "check/look.h"
#include "version/dotted.h"

/* The library row that has the version in question, whichever way it is known. */
static bool is_not_the_drivers(const struct tn_snap *s, const char *version)
{
    size_t loaded = tn_look_libcuda(s);
    if (loaded < s->library.n && tn_known(s->library.v[loaded].kind))
        return !tn_says(s->library.v[loaded].kind, "real");
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_look_is_libcuda(&s->library.v[i]) && tn_says(s->library.v[i].kind, "compat") &&
            tn_says(s->library.v[i].version, version))
            return true;
    return false;
}

/* The module itself refused a library; which one did it refuse? */
static void by_answer(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    bool cuda = tn_says(d->cuda_start, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    bool nvml = tn_says(d->nvml, "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
    if (!cuda && !nvml)
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, cuda ? TN_REF(driver, 0, cuda_start) : TN_REF(driver, 0, nvml));
    f->variant = "answer";
    tn_find_arg(out, f, "library", "%s", cuda ? "libcuda.so.1" : "libnvidia-ml.so.1");
    tn_find_arg(out, f, "error", "%s", cuda ? d->cuda_start.v : d->nvml.v);
    if (cuda)
        tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
    if (nvml)
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
    if (tn_known(d->version))
        tn_find_evidence(f, TN_REF(driver, 0, version));
    if (nvml && tn_known(d->nvml_version))
        tn_find_evidence(f, TN_REF(driver, 0, nvml_version));
    if (tn_known(TN_THE(j->s, container)->kind)) {
        tn_find_remedy(out, f, "recreate-container", NULL); /* it keeps the libraries of its first day */
        return;
    }
    tn_find_remedy(out, f, "reboot", NULL);
    tn_find_remedy(out, f, "reload-module", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    if (tn_look_wsl(s) || tn_look_platform(s) == TN_PLATFORM_WINDOWS || !tn_is(d->loaded, 1))
        return;
    if (d->library_version.k == TN_ABSENT)
        return; /* driver-missing tells it */
    if (tn_look_is_tegra(s) && !tn_known(d->library_version))
        return;
    if (!tn_known(d->version) || !tn_known(d->library_version)) {
        by_answer(j, out);
        if (tn_says(d->nvml, "NVML_SUCCESS")) /* both halves spoke to each other */
            return;
        tn_untestable(out, tn_known(d->version) ? TN_REF(driver, 0, library_version) : TN_REF(driver, 0, version));
        return;
    }
    int order = tn_version_dotted_cmp(d->library_version.v, d->version.v);
    if (order == 0 || is_not_the_drivers(s, d->library_version.v)) {
        by_answer(j, out);
        return;
    }
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, version));
    /* The usual way: packages were updated, the old module runs on. An older library is a left-over. */
    f->variant = order < 0 ? "older" : NULL;
    tn_find_arg(out, f, "driver", "%s", d->version.v);
    tn_find_arg(out, f, "library", "%s", d->library_version.v);
    tn_find_arg(out, f, "path", "%s", tn_look_text(d->library_path, "libcuda.so.1"));
    tn_find_evidence(f, TN_REF(driver, 0, version));
    tn_find_evidence(f, TN_REF(driver, 0, library_version));
    if (order > 0) {
        tn_find_remedy(out, f, "reboot", NULL);
        tn_find_remedy(out, f, "reload-module", NULL);
    } else {
        struct tn_remedy *r = tn_find_remedy(out, f, "remove-old-libcuda", NULL);
        if (tn_known(d->library_path))
            tn_remedy_arg(out, r, "path", "%s", d->library_path.v);
    }
}

TN_CHECK(driver_library_mismatch, "driver-library-mismatch", run,
         .needs = TN_HAS(driver) | TN_HAS(library) | TN_HAS(gpu) | TN_HAS(container));
