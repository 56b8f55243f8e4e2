/* driver_library_mismatch.c - the loaded kernel module and the libcuda that programs load are of different releases.
 *
 * NVIDIA demands the very same version (CUDA error 803, NVML 18). A forward-compatibility libcuda is meant to be newer
 * and does not count (CUDA Compatibility guide, "Forward compatibility"); a stub has a cause of its own. In WSL there
 * is no kernel module; on Windows both halves come in one package. So they do on a Jetson, whose library is
 * libcuda.so.1.1 in every release (package nvidia-l4t-cuda): where its text names no release, nothing is compared. The
 * driver's own answers (803, 18) are proof even where the files cannot be compared, or look alike.
 *
 * What would help depends on the files: a restart loads the module that lies on the disk for this kernel, so it helps
 * only where that is of the libraries' version, and not where the start-up image holds an old one: the machine was
 * started after the new module was put on the disk, and the image is older than that. Where a libcuda of the loaded
 * version is there too, two drivers are installed, and the one that does not run is to go, never the one that does. In
 * a container the host hands its libraries in; what the image brings itself hides them. ldconfig(8) makes libcuda.so.1
 * a link to the newest file of that soname in a folder, whatever it was before (seen: glibc 2.36, also over a link of
 * update-alternatives). libcuda opens libnvidia-ptxjitcompiler.so.1 by that name (text in 470.256.02 and 535.309.01).
 */
#include <string.h>

#include "base/str.h"
#include "check/installed.h"
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

/* nvidia-smi asks its library for tables that only the two of one release share, and says so when they are not there
 * (observed with 470 and 535 over a library of somebody's own). On Windows as well: nvml.dll of System32. */
static void by_smi(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, nvml));
    bool windows = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    f->variant = "smi";
    if (tn_says(d->cuda_start, "CUDA_SUCCESS"))
        f->severity = TN_WARNING; /* programs do without */
    tn_find_arg(out, f, "library", "%s", windows ? "nvml.dll" : "libnvidia-ml.so.1");
    tn_find_evidence(f, TN_REF(driver, 0, nvml));
    tn_find_remedy(out, f, "see-nvml-copies", NULL);
}

static void both(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    tn_find_arg(out, f, "driver", "%s", tn_look_text(d->version, "?"));
    tn_find_arg(out, f, "library", "%s", d->library_version.v);
    tn_find_arg(out, f, "path", "%s", tn_look_text(d->library_path, "libcuda.so.1"));
    tn_find_evidence(f, tn_known(d->version) ? TN_REF(driver, 0, version) : TN_REF(driver, 0, loaded));
    tn_find_evidence(f, TN_REF(driver, 0, library_version));
}

/* All parts from one source, in one version. */
static void one_version(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t met = tn_look_libcuda(s), held = tn_installed_held(s);
    if (met < s->library.n && tn_says(s->library.v[met].by, "runfile")) {
        struct tn_remedy *r = tn_find_remedy(out, f, "same-version", "runfile");
        tn_remedy_arg(out, r, "library", "%s", d->library_version.v);
        tn_remedy_arg(out, r, "arch", "%s", tn_look_text(TN_THE(s, host)->arch, "x86_64"));
        return;
    }
    if (held < s->package.n) {
        tn_find_evidence(f, TN_REF(package, held, held));
        tn_remedy_arg(out, tn_find_remedy(out, f, "same-version", "held"), "package", "%s",
                      tn_look_text(s->package.v[held].name, "?"));
        return;
    }
    tn_find_remedy(out, f, "same-version",
                   s->package.n && tn_known(s->package.v[0].manager) ? tn_installed_way(s, s->package.v[0].manager.v)
                                                                     : NULL);
}

/* A library that does not fit the loaded module is in front; the one that fits, if it is there, stays. */
static void remove_wrong(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, size_t wrong, size_t fit)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_library *w = wrong < s->library.n ? &s->library.v[wrong] : NULL;
    const struct tn_rec_library *good = fit < s->library.n ? &s->library.v[fit] : NULL;
    const char *owner = w ? tn_installed_owner(out->mem, w) : NULL;
    const char *keep = good ? tn_installed_owner(out->mem, good) : NULL;
    if (w && tn_known(w->by))
        tn_find_evidence(f, TN_REF(library, wrong, by));
    if (w && tn_says(w->by, "runfile") && !tn_says(TN_THE(s, driver)->runfile, TN_THE(s, driver)->version.v)) {
        struct tn_remedy *r = tn_find_remedy(out, f, "uninstall-runfile",
                                             keep && tn_known(good->by) ? tn_installed_way(s, good->by.v) : NULL);
        tn_remedy_arg(out, r, "package", "%s", keep ? keep : "?");
    } else if (w && good && tn_says(w->by, "dpkg") && tn_says(good->by, "dpkg") && tn_known(w->path) &&
               strstr(w->path.v, "/nvidia/")) {
        tn_find_remedy(out, f, "choose-alternative", NULL);
    } else if (owner && good && tn_known(w->by) && !tn_says(good->by, w->by.v)) {
        tn_remedy_arg(out, tn_find_remedy(out, f, "remove-other-driver", tn_installed_way(s, w->by.v)), "package", "%s",
                      owner);
    } else if (owner) {
        one_version(j, out, f);
    } else if (w) {
        struct tn_remedy *r = tn_find_remedy(out, f, "remove-old-libcuda", NULL);
        tn_remedy_arg(out, r, "path", "%s", tn_look_text(w->path, "libcuda.so.1"));
    }
}

/* The host's module, and libraries in a container: handed in when it started, or the image's own. */
static bool in_container(const struct tn_judge *j, struct tn_sink *out, int order, size_t met)
{
    const struct tn_snap *s = j->s;
    if (!tn_known(TN_THE(s, container)->kind) || met == s->library.n)
        return false;
    struct tn_str by = s->library.v[met].by;
    if (by.k != TN_KNOWN && by.k != TN_ABSENT) /* nobody has looked */
        return false;
    bool handed = tn_says(by, "container");
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, version));
    f->variant = handed ? "handed-in" : "image";
    both(j, out, f);
    tn_find_evidence(f, TN_REF(library, met, by));
    if (!handed)
        tn_find_remedy(out, f, "image-driver", NULL);
    else if (order < 0)
        tn_find_remedy(out, f, "recreate-container", NULL);
    else
        tn_find_remedy(out, f, "reboot", NULL);
    return true;
}

static bool out_of_image(const struct tn_judge *j, struct tn_finding *f)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_host *h = TN_THE(s, host);
    size_t running, other;
    tn_look_modules(s, &running, &other);
    if (running == s->module.n || h->initrd_s.k != TN_KNOWN || h->booted_s.k != TN_KNOWN)
        return false;
    const struct tn_rec_module *m = &s->module.v[running];
    bool same = tn_known(m->version) && tn_says(TN_THE(s, driver)->version, m->version.v);
    if (m->changed_s.k != TN_KNOWN || same || h->initrd_s.v >= m->changed_s.v || m->changed_s.v >= h->booted_s.v)
        return false;
    tn_find_evidence(f, TN_REF(module, running, changed_s));
    tn_find_evidence(f, TN_REF(host, 0, initrd_s));
    tn_find_evidence(f, TN_REF(host, 0, booted_s));
    return true;
}

static void restart(const struct tn_judge *j, struct tn_sink *out, const char *variant, size_t module)
{
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, version));
    f->variant = variant;
    both(j, out, f);
    if (module < j->s->module.n)
        tn_find_evidence(f, TN_REF(module, module, version));
    if (out_of_image(j, f)) {
        f->variant = "old-image";
        tn_find_arg(out, f, "image", "%s", tn_look_text(TN_THE(j->s, host)->initrd, "initramfs"));
        tn_find_remedy(out, f, "renew-image", NULL);
        return;
    }
    tn_find_remedy(out, f, "reboot", NULL);
    tn_find_remedy(out, f, "reload-module", NULL);
}

/* Module and libcuda differ: is that one driver at two times, or two drivers? */
static void differ(const struct tn_judge *j, struct tn_sink *out, int order)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t met = tn_look_libcuda(s), fit = tn_installed_libcuda(s, d->version.v), row, other;
    enum tn_on_disk next = tn_installed_module(s, d->library_version.v, false, &row);
    enum tn_on_disk same = tn_installed_module(s, d->version.v, false, &other);
    if (in_container(j, out, order, met))
        return;
    if (next == TN_DISK_HAS && same != TN_DISK_HAS) {
        restart(j, out, order > 0 ? NULL : "changed", row);
    } else if (fit < s->library.n) {
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, version));
        f->variant = order < 0 ? "older" : "two";
        both(j, out, f);
        tn_find_arg(out, f, "good", "%s", tn_look_text(s->library.v[fit].path, "?"));
        tn_find_evidence(f, TN_REF(library, fit, path));
        remove_wrong(j, out, f, met, fit);
    } else if (tn_installed_module(s, d->library_version.v, true, &other) == TN_DISK_HAS) {
        restart(j, out, order > 0 ? NULL : "changed", other); /* of the kernel that starts next */
    } else if (same == TN_DISK_HAS && tn_installed_module(s, d->library_version.v, true, &other) == TN_DISK_LACKS) {
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, version));
        f->variant = "mixed";
        both(j, out, f);
        tn_find_evidence(f, TN_REF(module, other, version));
        one_version(j, out, f);
    } else if (order > 0) { /* the usual way: packages were updated, the old module runs on */
        restart(j, out, NULL, s->module.n);
    } else {
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, version));
        f->variant = "older";
        both(j, out, f);
        struct tn_remedy *r = tn_find_remedy(out, f, "remove-old-libcuda", NULL);
        if (tn_known(d->library_path))
            tn_remedy_arg(out, r, "path", "%s", d->library_path.v);
    }
}

/* libcuda fits the module, another of the driver's libraries does not. */
static bool parts(const struct tn_judge *j, struct tn_sink *out)
{
    static const struct {
        const char *stem, *variant;
        enum tn_severity severity;
    } part[] = {{"libnvidia-ml", "nvml", TN_ERROR}, {"libnvidia-ptxjitcompiler", "jit", TN_WARNING}};
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    bool any = false;
    for (unsigned i = 0; i < TN_LEN(part); i++) {
        size_t row = tn_installed_met(s, part[i].stem);
        if (row == s->library.n || tn_version_dotted_cmp(s->library.v[row].version.v, d->version.v) == 0)
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, row, version));
        f->variant = part[i].variant;
        f->severity = part[i].severity;
        both(j, out, f);
        tn_find_arg(out, f, "part", "%s", s->library.v[row].version.v);
        tn_find_arg(out, f, "file", "%s", tn_look_text(s->library.v[row].path, part[i].stem));
        tn_find_evidence(f, TN_REF(library, row, version));
        if (tn_known(TN_THE(s, container)->kind))
            tn_find_remedy(out, f, "image-driver", NULL);
        else
            remove_wrong(j, out, f, row, s->library.n);
        any = any || i == 0;
    }
    return any;
}

/* Is it a folder of the loader? The cache may say /lib where the file is in /usr/lib. */
static bool is_searched(const struct tn_judge *j, struct tn_sink *out, const char *dir)
{
    for (size_t i = 0; i < j->s->search.n; i++) {
        const struct tn_rec_search *r = &j->s->search.v[i];
        if ((tn_says(r->by, "default") || tn_says(r->by, "ld.so.cache")) && tn_known(r->path) &&
            (tn_str_eq(r->path.v, dir) || tn_str_eq(tn_arena_printf(out->mem, "/usr%s", r->path.v), dir)))
            return true;
    }
    return false;
}

/* All is well today. A newer libcuda in a folder of the loader takes over when ldconfig runs the next time. */
static void before_ldconfig(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t fit = tn_look_libcuda(s);
    for (size_t i = 0; i < s->library.n && fit < s->library.n && !tn_known(TN_THE(s, container)->kind); i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (i == fit || !tn_installed_library(l, "libcuda") || !tn_known(l->path) ||
            !tn_says(l->soname, "libcuda.so.1") || tn_version_dotted_cmp(l->version.v, d->version.v) <= 0 ||
            !is_searched(j, out, tn_path_dir(out->mem, TN_PATH_POSIX, l->path.v)))
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, i, version));
        f->variant = "ldconfig";
        f->severity = TN_WARNING;
        both(j, out, f);
        tn_find_arg(out, f, "part", "%s", l->version.v);
        tn_find_arg(out, f, "file", "%s", l->path.v);
        tn_find_evidence(f, TN_REF(library, i, version));
        remove_wrong(j, out, f, i, fit);
        return;
    }
}

/* All is well today. The module on the disk is another one: after a restart the two halves differ. */
static void before_restart(const struct tn_judge *j, struct tn_sink *out, bool now)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t row, all;
    if (tn_known(TN_THE(s, container)->kind) ||
        tn_installed_module(s, d->library_version.v, false, &row) != TN_DISK_LACKS)
        return;
    struct tn_finding *f = tn_find(out, now ? TN_LIKELY : TN_CONFIRMED, TN_REF(module, row, version));
    f->variant = now ? "disk" : "next";
    if (!now)
        f->severity = TN_WARNING;
    both(j, out, f);
    tn_find_arg(out, f, "module", "%s", s->module.v[row].version.v);
    tn_find_evidence(f, TN_REF(module, row, version));
    size_t fit = tn_installed_libcuda(s, s->module.v[row].version.v);
    if (fit < s->library.n && now)
        remove_wrong(j, out, f, tn_look_libcuda(s), fit);
    if (f->n_remedy == 0 && tn_installed_module(s, d->library_version.v, true, &all) != TN_DISK_HAS)
        one_version(j, out, f);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t card = 0;
    if (tn_says(d->nvml, "other"))
        by_smi(j, out);
    if (tn_look_wsl(s) || tn_look_platform(s) == TN_PLATFORM_WINDOWS)
        return;
    if (tn_is(d->loaded, 0) && tn_known(d->library_version) && !is_not_the_drivers(s, d->library_version.v) &&
        tn_judge_gpu(j, &card))
        before_restart(j, out, true);
    if (!tn_is(d->loaded, 1))
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
    if (is_not_the_drivers(s, d->library_version.v)) {
        by_answer(j, out);
    } else if (order != 0) {
        differ(j, out, order);
    } else {
        if (!parts(j, out))
            by_answer(j, out);
        before_ldconfig(j, out);
        before_restart(j, out, false);
    }
}

TN_CHECK(driver_library_mismatch, "driver-library-mismatch", run,
         .needs = TN_HAS(driver) | TN_HAS(library) | TN_HAS(gpu) | TN_HAS(container) | TN_HAS(module) |
                  TN_HAS(package) | TN_HAS(search));
