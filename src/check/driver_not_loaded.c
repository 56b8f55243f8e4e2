/* driver_not_loaded.c - the driver is installed, but its kernel module does not run.
 *
 * Why, in the order in which a cause explains the next: the kernel loads no modules at all; another driver holds the
 * card (nouveau, nova, vfio-pci); the module was built for other kernels only; Secure Boot refuses an unsigned one;
 * else it just is not loaded. In WSL no module is ever loaded: Windows has the driver. */
#include "base/buf.h"
#include "base/str.h"
#include "check/refused.h"

static bool is_installed(const struct tn_snap *s, size_t running, size_t other)
{
    return running < s->module.n || other < s->module.n || tn_known(TN_THE(s, driver)->library_version);
}

/* The driver that holds a card in place of nvidia; *ref says where that is written. */
static const char *holder(const struct tn_judge *j, struct tn_ref *ref)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_known(g->bound) && !tn_str_starts(g->bound.v, "nvidia")) {
            *ref = TN_REF(gpu, row - 1, bound);
            return g->bound.v;
        }
    *ref = TN_REF(driver, 0, other);
    return tn_look_text(TN_THE(j->s, driver)->other, NULL);
}

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, enum tn_status status,
                                 const char *variant)
{
    const struct tn_rec_host *host = TN_THE(j->s, host);
    struct tn_finding *f = tn_find(out, status, TN_REF(driver, 0, loaded));
    f->variant = variant;
    tn_find_arg(out, f, "kernel", "%s", tn_look_text(host->kernel, "?"));
    tn_find_evidence(f, TN_REF(driver, 0, loaded));
    return f;
}

static void by_holder(const struct tn_judge *j, struct tn_sink *out, const char *name, struct tn_ref ref)
{
    bool vfio = tn_str_starts(name, "vfio") || tn_str_eq(name, "pci-stub");
    struct tn_finding *f = report(j, out, TN_CONFIRMED, vfio ? "vfio" : "held");
    tn_find_arg(out, f, "other", "%s", name);
    tn_find_evidence(f, ref);
    tn_find_remedy(out, f, vfio ? "see-vfio" : "blacklist-nouveau", NULL);
    if (!vfio && tn_str_eq(name, "nouveau"))
        tn_find_remedy(out, f, "swap-nouveau", NULL);
}

/* A kernel made for one virtual machine: another one must be started, or there is no GPU here. */
static void no_modules(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = report(j, out, TN_CONFIRMED, "no-modules");
    tn_find_evidence(f, TN_REF(host, 0, modules));
    tn_find_remedy(out, f, "expect-cpu", NULL);
}

static void other_kernel(const struct tn_judge *j, struct tn_sink *out, size_t other)
{
    struct tn_finding *f = report(j, out, TN_CONFIRMED, "kernel");
    tn_find_arg(out, f, "built_for", "%s", tn_look_text(j->s->module.v[other].kernel, "?"));
    tn_find_evidence(f, TN_REF(module, other, kernel));
    tn_find_evidence(f, TN_REF(module, other, running));
    tn_find_evidence(f, TN_REF(host, 0, kernel));
    tn_remedy_arg(out, tn_find_remedy(out, f, "rebuild-module", NULL), "kernel", "%s", f->arg[0].value);
    tn_find_remedy(out, f, "see-dkms", NULL);
}

static void by_module(const struct tn_judge *j, struct tn_sink *out, size_t running)
{
    const struct tn_snap *s = j->s;
    bool refused =
        running < s->module.n && tn_is(TN_THE(s, host)->secure_boot, 1) && tn_is(s->module.v[running].has_signature, 0);
    struct tn_finding *f = report(j, out, refused ? TN_LIKELY : TN_CONFIRMED, refused ? "secure-boot" : NULL);
    if (running < s->module.n)
        tn_find_evidence(f, TN_REF(module, running, running));
    if (refused) {
        tn_find_evidence(f, TN_REF(host, 0, secure_boot));
        tn_find_evidence(f, TN_REF(module, running, has_signature));
        tn_find_remedy(out, f, "sign-module", NULL);
        tn_find_remedy(out, f, "see-secure-boot", NULL);
    } else {
        tn_find_remedy(out, f, "load-module", NULL);
    }
}

/* The module is there, and will not run this card, or the kernel will not have the module. */
static void refused(const struct tn_judge *j, struct tn_sink *out, const struct tn_refused *r)
{
    const struct tn_snap *s = j->s;
    struct tn_finding *f = report(j, out, r->status, r->variant);
    tn_find_arg(out, f, "gpu", "%s", r->card < s->gpu.n ? tn_look_gpu_name(&s->gpu.v[r->card]) : "GPU");
    for (unsigned i = 0; i < r->n_ref; i++)
        tn_find_evidence(f, r->ref[i]);
    if (r->branch) {
        tn_find_arg(out, f, "branch", "%s", r->branch);
        tn_remedy_arg(out, tn_find_remedy(out, f, "driver-of-branch", NULL), "branch", "%s", r->branch);
        tn_remedy_arg(out, tn_find_remedy(out, f, "see-branches", NULL), "branch", "%s", r->branch);
        return;
    } else if (tn_str_eq(r->variant, "open") || tn_str_eq(r->variant, "closed")) {
        tn_find_remedy(out, f, tn_str_eq(r->variant, "open") ? "open-module" : "closed-module", NULL);
    } else if (tn_str_eq(r->variant, "rejected")) {
        tn_find_remedy(out, f, "sign-module", NULL);
        tn_find_remedy(out, f, "see-secure-boot", NULL);
        return;
    }
    tn_find_remedy(out, f, "see-card", NULL);
}

/* A pasted text: NVML found no module to speak to, or, in a container, no device node. */
static void by_word(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(driver, 0, nvml));
    f->variant = "said";
    tn_find_evidence(f, TN_REF(driver, 0, nvml));
    if (tn_look_platform(j->s) == TN_PLATFORM_WINDOWS)
        tn_find_remedy(out, f, "see-windows-device", NULL);
    else if (tn_known(TN_THE(j->s, container)->kind))
        tn_look_remedy_container(j, out, f);
    else
        tn_find_remedy(out, f, "load-module", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t row = 0, running, other;
    struct tn_ref ref;
    bool gpu = tn_judge_gpu(j, &row) != NULL;
    tn_look_modules(s, &running, &other);
    if (tn_look_wsl(s) || tn_is(d->loaded, 1) || (!gpu && s->gpu.listed == TN_KNOWN))
        return;
    if (d->loaded.k == TN_UNASKED && tn_says(d->nvml, "NVML_ERROR_DRIVER_NOT_LOADED")) {
        by_word(j, out);
        return;
    }
    if (d->loaded.k != TN_KNOWN && d->loaded.k != TN_ABSENT) {
        tn_untestable(out, TN_REF(driver, 0, loaded));
        return;
    }
    if (!is_installed(s, running, other))
        return; /* driver-missing tells it */
    const char *held = holder(j, &ref);
    struct tn_refused why;
    if (tn_look_platform(s) == TN_PLATFORM_WINDOWS)
        tn_find_remedy(out, report(j, out, TN_CONFIRMED, "windows"), "see-windows-device", NULL);
    else if (tn_is(TN_THE(s, host)->modules, 0))
        no_modules(j, out);
    else if (tn_known(TN_THE(s, container)->kind)) /* the host's to load */
        tn_look_remedy_container(j, out, report(j, out, TN_CONFIRMED, NULL));
    else if (held)
        by_holder(j, out, held, ref);
    else if (running == s->module.n && other < s->module.n)
        other_kernel(j, out, other);
    else if (tn_look_refused(j, out->mem, running, &why))
        refused(j, out, &why);
    else
        by_module(j, out, running);
}

TN_CHECK(driver_not_loaded, "driver-not-loaded", run,
         .needs = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(module) | TN_HAS(container) | TN_HAS(event));
