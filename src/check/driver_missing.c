/* driver_missing.c - an NVIDIA GPU without an NVIDIA driver, or a loaded driver without its library.
 *
 * A driver is there when any part of it is: a module file, a loaded module, libcuda. Only when every part was looked
 * for and none is there is it missing; nvidia-smi alone says nothing (mechanics: TensorFlow's error 303 is just a
 * libcuda.so.1 that was not found). */
#include <string.h>

#include "base/str.h"
#include "check/installed.h"
#include "version/dotted.h"

static bool has_libcuda(const struct tn_snap *s)
{
    if (tn_known(TN_THE(s, driver)->library_version) || tn_known(TN_THE(s, driver)->library_path))
        return true;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (tn_look_is_libcuda(l) && !tn_says(l->kind, "stub") && !tn_says(l->kind, "empty") &&
            !tn_says(l->kind, "compat") && !tn_known(l->env) && !tn_is(l->bits, 32))
            return true;
    }
    return false;
}

/* Was it looked for, and not found? A look that failed is not made good by a list of files. */
static bool no_libcuda(const struct tn_snap *s)
{
    const struct tn_rec_driver *d = TN_THE(s, driver);
    if (d->library_version.k == TN_ABSENT || d->library_path.k == TN_ABSENT)
        return true;
    return d->library_version.k == TN_UNASKED && s->library.listed == TN_KNOWN;
}

/* Ubuntu's packages carry the branch in their names. */
static void complete(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    struct tn_remedy *r = tn_find_remedy(out, f, "complete-driver", NULL);
    struct tn_str version = TN_THE(j->s, driver)->version;
    if (tn_known(version))
        tn_remedy_arg(out, r, "branch", "%u", (unsigned)tn_version_dotted_major(version.v));
    tn_find_remedy(out, f, "see-loaded-version", NULL);
}

static void report(const struct tn_judge *j, struct tn_sink *out, enum tn_status status, const char *variant)
{
    size_t row = 0;
    const struct tn_rec_gpu *g = tn_judge_gpu(j, &row);
    struct tn_finding *f = tn_find(out, status, TN_REF(driver, 0, library_version));
    f->variant = variant;
    tn_find_arg(out, f, "gpu", "%s", g ? tn_look_gpu_name(g) : "NVIDIA GPU");
    tn_find_arg(out, f, "library", "%s", tn_look_platform(j->s) == TN_PLATFORM_WINDOWS ? "nvcuda.dll" : "libcuda.so.1");
    tn_find_evidence(f, TN_REF(driver, 0, library_version));
    tn_find_evidence(f, TN_REF(driver, 0, loaded));
    if (g)
        tn_find_evidence(f, TN_REF(gpu, row - 1, device_id));
    if (g && tn_known(g->bound))
        tn_find_evidence(f, TN_REF(gpu, row - 1, bound));
    if (variant == NULL || tn_str_eq(variant, "unseen")) {
        tn_find_remedy(out, f, "install-driver", NULL);
        tn_find_remedy(out, f, "see-card", NULL);
    } else if (tn_str_eq(variant, "wsl"))
        tn_find_remedy(out, f, "update-windows-driver", NULL);
    else if (tn_str_eq(variant, "container"))
        tn_look_remedy_container(j, out, f);
    else if (tn_str_eq(variant, "library"))
        complete(j, out, f);
}

/* The library is installed, and its link is lost: Debian's go through /etc/alternatives, others are ldconfig's. */
static void no_link(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_library *l = &j->s->library.v[row];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, row, reachable));
    f->variant = "link";
    tn_find_arg(out, f, "path", "%s", tn_look_text(l->path, "?"));
    tn_find_evidence(f, TN_REF(library, row, reachable));
    tn_find_evidence(f, TN_REF(library, row, version));
    tn_find_evidence(f, TN_REF(driver, 0, loaded));
    bool debian = tn_known(l->path) && strstr(l->path.v, "-linux-gnu/nvidia/");
    tn_find_remedy(out, f, "relink-driver", debian ? "alternatives" : "ldconfig");
}

static void only_32(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, row, bits));
    f->variant = "bits";
    tn_find_arg(out, f, "path", "%s", tn_look_text(j->s->library.v[row].path, "?"));
    tn_find_evidence(f, TN_REF(library, row, bits));
    tn_find_evidence(f, TN_REF(driver, 0, library_version));
    complete(j, out, f);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t row = 0, running, other, first = tn_look_libcuda(s);
    bool gpu = tn_judge_gpu(j, &row) != NULL;
    if (first < s->library.n && tn_says(s->library.v[first].kind, "empty") && tn_is(d->loaded, 1) &&
        TN_THE(s, container)->kind.k == TN_ABSENT) { /* in a container it is what its image kept of another run */
        report(j, out, TN_CONFIRMED, "empty");
        return;
    }
    size_t unlinked = tn_installed_unlinked(j);
    if (unlinked < s->library.n && tn_is(d->loaded, 1) && !tn_known(TN_THE(s, container)->kind)) {
        no_link(j, out, unlinked);
        return;
    }
    if (has_libcuda(s))
        return;
    if (!gpu && s->gpu.listed == TN_KNOWN && !tn_look_wsl(s) && !tn_is(d->loaded, 1))
        return; /* no card: no driver is missed */
    if (tn_says(d->nvml, "NVML_SUCCESS") && tn_known(d->cuda) && !no_libcuda(s))
        return; /* a text that names the ceiling: nvidia-smi asks libcuda for it */
    if (!no_libcuda(s)) {
        tn_untestable(out, TN_REF(driver, 0, library_version));
        return;
    }
    tn_look_modules(s, &running, &other);
    size_t other_bits = tn_installed_32(j);
    if (tn_look_wsl(s))
        report(j, out, TN_LIKELY, "wsl");
    else if (tn_known(TN_THE(s, container)->kind)) /* a loaded module is the host's there, its library is handed in */
        report(j, out, TN_LIKELY, "container");
    else if (other_bits < s->library.n)
        only_32(j, out, other_bits);
    else if (tn_is(d->loaded, 1))
        report(j, out, TN_CONFIRMED, "library");
    else if (running < s->module.n || other < s->module.n)
        return; /* driver-not-loaded tells it */
    else if (!gpu)
        report(j, out, TN_LIKELY, "unseen"); /* the bus could not be read */
    else if (tn_look_platform(s) == TN_PLATFORM_LINUX && (s->module.listed != TN_KNOWN || !tn_is(d->loaded, 0)))
        report(j, out, TN_LIKELY, NULL);
    else
        report(j, out, TN_CONFIRMED, NULL);
}

TN_CHECK(driver_missing, "driver-missing", run,
         .needs = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(module) | TN_HAS(container) | TN_HAS(library));
