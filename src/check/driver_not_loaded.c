/* driver_not_loaded.c - the driver is installed, but its kernel module does not run.
 *
 * Why, in the order in which a cause explains the next: the kernel loads no modules at all; another driver holds the
 * card (nouveau, nova, vfio-pci); the module was built for other kernels only; modprobe is told not to load it; Secure
 * Boot (or lockdown) refuses an unsigned one, or one whose key is not enrolled; else it just is not loaded. In WSL no
 * module is ever loaded: Windows has the driver.
 *
 * A card that vfio-pci, pci-stub or xen-pciback has is meant for a virtual machine (kernel documentation, vfio.rst):
 * the reason for nothing while another card is free. Nouveau that runs though a file forbids it came from the start-up
 * image, which holds copies of those files (initramfs-tools(7), dracut(8)). */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "check/refused.h"

static bool is_installed(const struct tn_snap *s, size_t running, size_t other)
{
    return running < s->module.n || other < s->module.n || tn_known(TN_THE(s, driver)->library_version);
}

/* Does it hand cards to virtual machines? */
static bool is_captor(const char *name)
{
    return tn_str_starts(name, "vfio") || tn_str_eq(name, "pci-stub") || tn_str_eq(name, "pciback") ||
           tn_str_eq(name, "xen-pciback");
}

/* Row of the first card that is handed to a virtual machine, where all of them are; gpu.n if not. */
static size_t captured(const struct tn_judge *j)
{
    size_t row = 0, first = j->s->gpu.n;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        if (!tn_known(g->bound) || !is_captor(g->bound.v))
            return j->s->gpu.n;
        first = first == j->s->gpu.n ? row - 1 : first;
    }
    return first;
}

/* The driver that holds a card in place of nvidia; *ref says where that is written. */
static const char *holder(const struct tn_judge *j, struct tn_ref *ref)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_known(g->bound) && !tn_str_starts(g->bound.v, "nvidia") && !is_captor(g->bound.v)) {
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

/* Row of the line that tells the captor to take this card; modprobe.n if none does. */
static size_t captor_line(const struct tn_snap *s, const struct tn_rec_gpu *g)
{
    for (size_t i = 0; i < s->modprobe.n; i++) {
        const struct tn_list *l = &s->modprobe.v[i].devices;
        for (uint32_t k = 0; l->k == TN_KNOWN && k < l->n; k++) {
            bool by_id = tn_str_starts(l->v[k], "10de:") && tn_known(g->device_id) && strlen(g->device_id.v) == 6 &&
                         tn_str_ieq(l->v[k] + 5, g->device_id.v + 2);
            if (by_id || tn_says(g->bus, l->v[k]))
                return i;
        }
    }
    return s->modprobe.n;
}

static void by_captor(const struct tn_judge *j, struct tn_sink *out, size_t card)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_gpu *g = &s->gpu.v[card];
    size_t line = captor_line(s, g);
    bool set = line == s->modprobe.n && tn_known(g->override);
    struct tn_finding *f = report(j, out, TN_CONFIRMED, "vfio");
    tn_find_arg(out, f, "other", "%s", g->bound.v);
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_evidence(f, TN_REF(gpu, card, bound));
    if (line < s->modprobe.n) {
        const char *file = tn_look_text(s->modprobe.v[line].file, "?");
        bool cmdline = tn_str_eq(file, "/proc/cmdline");
        f->variant = "vfio-line";
        tn_find_arg(out, f, "file", "%s", file);
        tn_find_evidence(f, TN_REF(modprobe, line, devices));
        tn_find_evidence(f, TN_REF(modprobe, line, file));
        struct tn_remedy *r = tn_find_remedy(out, f, cmdline ? "release-card-cmdline" : "release-card-line", NULL);
        tn_remedy_arg(out, r, "file", "%s", file);
    } else if (set && tn_known(g->bus)) {
        f->variant = "vfio-set";
        tn_find_evidence(f, TN_REF(gpu, card, override));
        struct tn_remedy *r = tn_find_remedy(out, f, "release-card", NULL);
        tn_remedy_arg(out, r, "bus", "%s", g->bus.v);
        tn_remedy_arg(out, r, "other", "%s", g->bound.v);
    }
    tn_find_remedy(out, f, "see-vfio", NULL);
}

/* A line of modprobe.d that keeps nouveau out; modprobe.n if there is none. */
static size_t nouveau_line(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->modprobe.n; i++) {
        const struct tn_rec_modprobe *p = &s->modprobe.v[i];
        if (tn_says(p->module, "nouveau") && tn_says(p->kind, "blacklist") && !tn_says(p->file, "/proc/cmdline"))
            return i;
    }
    return s->modprobe.n;
}

/* Nouveau, though a file forbids it: the start-up image is older than the file, or newer than the last start. */
static const char *from_image(const struct tn_snap *s, size_t line, struct tn_finding *f)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    const struct tn_rec_modprobe *p = &s->modprobe.v[line];
    if (h->initrd_s.k != TN_KNOWN)
        return NULL;
    bool old = p->changed_s.k == TN_KNOWN && h->initrd_s.v < p->changed_s.v;
    bool fresh = !old && h->booted_s.k == TN_KNOWN && h->booted_s.v < h->initrd_s.v;
    if (!old && !fresh)
        return NULL;
    tn_find_evidence(f, TN_REF(modprobe, line, module));
    tn_find_evidence(f, TN_REF(host, 0, initrd_s));
    tn_find_evidence(f, old ? TN_REF(modprobe, line, changed_s) : TN_REF(host, 0, booted_s));
    return old ? "held-image" : "held-restart";
}

static void by_holder(const struct tn_judge *j, struct tn_sink *out, const char *name, struct tn_ref ref)
{
    const struct tn_snap *s = j->s;
    bool nouveau = tn_str_eq(name, "nouveau");
    size_t line = nouveau ? nouveau_line(s) : s->modprobe.n;
    struct tn_finding *f = report(j, out, TN_CONFIRMED, "held");
    tn_find_arg(out, f, "other", "%s", name);
    tn_find_evidence(f, ref);
    const char *why = line < s->modprobe.n ? from_image(s, line, f) : NULL;
    if (why) {
        f->variant = why;
        tn_find_arg(out, f, "file", "%s", tn_look_text(s->modprobe.v[line].file, "?"));
        tn_find_arg(out, f, "image", "%s", tn_look_text(TN_THE(s, host)->initrd, "initramfs"));
        tn_find_remedy(out, f, tn_str_eq(why, "held-image") ? "renew-image" : "reboot", NULL);
    } else {
        tn_find_remedy(out, f, "blacklist-nouveau", NULL);
    }
    if (nouveau)
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

/* Signed where it was built: not by the distribution, whose key the kernel brings along. */
static bool is_own_build(const struct tn_rec_module *m)
{
    return tn_known(m->path) && (strstr(m->path.v, "/updates/") || strstr(m->path.v, "/extra/"));
}

/* A key that is there only needs to be known to the firmware; else the module must be signed with one first. */
static void signature_remedies(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, bool signed_already)
{
    const struct tn_rec_host *h = TN_THE(j->s, host);
    if (signed_already && tn_known(h->mok_key) && !tn_is(h->mok_enrolled, 1))
        tn_remedy_arg(out, tn_find_remedy(out, f, "enrol-key", NULL), "key", "%s", h->mok_key.v);
    else
        tn_find_remedy(out, f, "sign-module", NULL);
    tn_find_remedy(out, f, "see-secure-boot", NULL);
}

static void unsigned_module(const struct tn_judge *j, struct tn_sink *out, size_t running, bool mok)
{
    const struct tn_rec_host *h = TN_THE(j->s, host);
    struct tn_finding *f = report(j, out, TN_LIKELY, mok ? "mok" : "secure-boot");
    tn_find_evidence(f, TN_REF(module, running, running));
    tn_find_evidence(f, h->secure_boot.k == TN_KNOWN ? TN_REF(host, 0, secure_boot) : TN_REF(host, 0, lockdown));
    tn_find_evidence(f, TN_REF(module, running, has_signature));
    if (mok) {
        tn_find_arg(out, f, "key", "%s", tn_look_text(h->mok_key, "?"));
        tn_find_evidence(f, TN_REF(host, 0, mok_enrolled));
    }
    signature_remedies(j, out, f, mok);
}

static void by_module(const struct tn_judge *j, struct tn_sink *out, size_t running)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_host *h = TN_THE(s, host);
    const struct tn_rec_module *m = running < s->module.n ? &s->module.v[running] : NULL;
    bool locked = tn_is(h->secure_boot, 1) || (tn_known(h->lockdown) && !tn_says(h->lockdown, "none"));
    bool mok =
        m && tn_is(h->secure_boot, 1) && tn_is(m->has_signature, 1) && tn_is(h->mok_enrolled, 0) && is_own_build(m);
    if (mok || (m && locked && tn_is(m->has_signature, 0))) {
        unsigned_module(j, out, running, mok);
        return;
    }
    struct tn_finding *f = report(j, out, TN_CONFIRMED, NULL);
    if (m)
        tn_find_evidence(f, TN_REF(module, running, running));
    tn_find_remedy(out, f, "load-module", NULL);
}

/* Does this line of modprobe.d or of the command line keep the main module out? "install nvidia modprobe -i
 * nvidia-current" of Debian only renames it. */
static bool blocks(const struct tn_rec_modprobe *p, const char *module)
{
    if (!tn_says(p->module, "nvidia") && !tn_says(p->module, module))
        return false;
    const char *value = tn_look_text(p->value, "");
    if (tn_says(p->kind, "install"))
        return strstr(value, "bin/false") || strstr(value, "bin/true") || tn_str_eq(value, "false") ||
               tn_str_eq(value, "true");
    return tn_says(p->kind, "blacklist") || (tn_says(p->kind, "alias") && tn_str_eq(value, "off"));
}

/* Row of the line that does, a certain one first; modprobe.n if none does. A blacklist alone stops only loading by
 * itself, modprobe(8) with the very name still works: what is left is likely. */
static size_t blocked(const struct tn_snap *s, size_t module)
{
    size_t found = s->modprobe.n;
    const char *name = module < s->module.n ? tn_look_text(s->module.v[module].name, "nvidia") : "nvidia";
    for (size_t i = 0; i < s->modprobe.n; i++) {
        const struct tn_rec_modprobe *p = &s->modprobe.v[i];
        if (blocks(p, name) && (found == s->modprobe.n ||
                                (!tn_says(p->kind, "blacklist") && tn_says(s->modprobe.v[found].kind, "blacklist"))))
            found = i;
    }
    return found;
}

static void by_block(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_modprobe *p = &j->s->modprobe.v[row];
    const char *file = tn_look_text(p->file, "?"), *value = tn_look_text(p->value, "");
    bool sure = !tn_says(p->kind, "blacklist") || tn_str_eq(value, "module_blacklist");
    bool cmdline = tn_str_eq(file, "/proc/cmdline"), prime = tn_str_ends(file, "/modprobe.d/blacklist-nvidia.conf");
    struct tn_finding *f = report(j, out, sure ? TN_CONFIRMED : TN_LIKELY, cmdline ? "cmdline" : "blacklisted");
    tn_find_arg(out, f, "file", "%s", file);
    tn_find_arg(out, f, "line", "%s %s%s%s", tn_look_text(p->kind, "?"), tn_look_text(p->module, "?"),
                *value ? " " : "", value);
    tn_find_arg(out, f, "argument", "%s", value);
    tn_find_evidence(f, TN_REF(modprobe, row, kind));
    tn_find_evidence(f, TN_REF(modprobe, row, module));
    if (*value)
        tn_find_evidence(f, TN_REF(modprobe, row, value));
    if (prime && tn_says(TN_THE(j->s, host)->distro, "ubuntu") && !tn_str_starts(file, "/etc/"))
        tn_find_remedy(out, f, "prime-select", NULL);
    struct tn_remedy *r = tn_find_remedy(out, f, cmdline ? "unblock-cmdline" : "unblock-module", NULL);
    tn_remedy_arg(out, r, "file", "%s", file);
    tn_remedy_arg(out, r, "argument", "%s", value);
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
    } else if (tn_str_starts(r->variant, "vgpu")) {
        tn_find_remedy(out, f, "vgpu-driver", r->variant);
        return;
    } else if (tn_str_starts(r->variant, "rejected")) {
        signature_remedies(j, out, f, tn_str_eq(r->variant, "rejected-key"));
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

/* The driver runs, and leaves a card alone that it cannot run: nothing holds it. A warning when another card works. */
static void left_out(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    size_t row = 0, works = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        works += tn_says(g->bound, "nvidia");
    row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        const char *branch = NULL, *why = NULL;
        if (g->bound.k == TN_ABSENT && !tn_says(g->nvml, "NVML_SUCCESS"))
            why = tn_look_refused_card(g, d->version, d->flavour, &branch);
        if (!why)
            continue;
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(gpu, row - 1, bound));
        f->variant = why;
        if (works)
            f->severity = TN_WARNING;
        tn_find_arg(out, f, "kernel", "%s", tn_look_text(TN_THE(j->s, host)->kernel, "?"));
        tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
        tn_find_evidence(f, TN_REF(gpu, row - 1, bound));
        tn_find_evidence(f, TN_REF(gpu, row - 1, capability));
        tn_find_evidence(f, TN_REF(driver, 0, version));
        tn_find_evidence(f, TN_REF(driver, 0, flavour));
        if (branch) {
            tn_find_arg(out, f, "branch", "%s", branch);
            tn_remedy_arg(out, tn_find_remedy(out, f, "see-branches", NULL), "branch", "%s", branch);
        }
        tn_find_remedy(out, f, "see-card", NULL);
    }
}

/* Windows: the codes of Device Manager that have a sentence of their own (Microsoft, "Device Manager Error Messages").
 * A warning when another card works. 28, no driver at all, is driver-missing's. */
static bool by_problem(const struct tn_judge *j, struct tn_sink *out)
{
    static const int own[] = {10, 12, 14, 22, 31, 43, 52};
    size_t row = 0;
    bool found = false;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        const char *variant = "code";
        if (g->problem.k != TN_KNOWN || g->problem.v == 0 || g->problem.v == 28)
            continue;
        for (unsigned i = 0; i < TN_LEN(own); i++)
            if (g->problem.v == own[i])
                variant = tn_arena_printf(out->mem, "code-%d", own[i]);
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(gpu, row - 1, problem));
        f->variant = variant;
        if (tn_is(TN_THE(j->s, driver)->loaded, 1))
            f->severity = TN_WARNING;
        tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
        tn_find_arg(out, f, "code", "%lld", (long long)g->problem.v);
        tn_find_arg(out, f, "kernel", "%s", tn_look_text(TN_THE(j->s, host)->kernel, "?"));
        tn_find_evidence(f, TN_REF(gpu, row - 1, problem));
        tn_find_evidence(f, TN_REF(driver, 0, version));
        tn_find_remedy(out, f, "see-windows-device", NULL);
        found = true;
    }
    return found;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t row = 0, running, other;
    struct tn_ref ref;
    bool gpu = tn_judge_gpu(j, &row) != NULL;
    if (tn_look_platform(s) == TN_PLATFORM_WINDOWS && by_problem(j, out))
        return;
    tn_look_modules(s, &running, &other);
    size_t taken = captured(j);
    if (!tn_look_wsl(s) && tn_is(d->loaded, 1) && taken < s->gpu.n)
        by_captor(j, out, taken);
    else if (!tn_look_wsl(s) && tn_is(d->loaded, 1))
        left_out(j, out);
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
    size_t block = running < s->module.n ? blocked(s, running) : s->modprobe.n;
    struct tn_refused why;
    if (tn_look_platform(s) == TN_PLATFORM_WINDOWS)
        tn_find_remedy(out, report(j, out, TN_CONFIRMED, "windows"), "see-windows-device", NULL);
    else if (tn_is(TN_THE(s, host)->modules, 0))
        no_modules(j, out);
    else if (tn_known(TN_THE(s, container)->kind)) /* the host's to load */
        tn_look_remedy_container(j, out, report(j, out, TN_CONFIRMED, NULL));
    else if (taken < s->gpu.n)
        by_captor(j, out, taken);
    else if (block < s->modprobe.n)
        by_block(j, out, block);
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
         .needs = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(module) | TN_HAS(container) | TN_HAS(event) | TN_HAS(modprobe));
