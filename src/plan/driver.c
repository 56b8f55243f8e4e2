/* driver.c - see fix.h: work on the driver of the whole machine, step by step.
 *
 * In this order: what the package manager left half done; a driver that NVIDIA's own installer put there, before
 * packages come over it (NVIDIA Driver Installation Guide: the two are not mixed); what the module is built with; the
 * packages; the key of Secure Boot; the restart. The packages are those of the distribution, by their exact names where
 * the tables know its release; else, or where none of them serves, NVIDIA's own repository; its installer is a way
 * beside.
 *
 * Which module a card takes: from compute capability 10.0 (Blackwell) on the open one alone, below 7.5 (Turing) the
 * closed one alone (NVIDIA/open-gpu-kernel-modules README, "Compatible GPUs"; Driver Installation Guide, "Kernel
 * Modules"). The last branch of older cards: tables cuda_arch and driver_branches. */
#include <string.h>

#include "base/str.h"
#include "plan/driver.h"
#include "version/dotted.h"

static struct tn_remedy *add(struct tn_fix *fix, const char *id)
{
    if (fix->n_step == TN_FIX_MAX_STEPS)
        return &fix->step[fix->n_step - 1];
    fix->step[fix->n_step] = (struct tn_remedy){.id = id};
    return &fix->step[fix->n_step++];
}

static void arg(struct tn_remedy *r, const char *key, const char *value)
{
    if (r->n_arg < TN_MAX_ARGS)
        r->arg[r->n_arg++] = (struct tn_arg){key, value};
}

static const char *arg_of(const struct tn_remedy *r, const char *key)
{
    for (unsigned i = 0; i < r->n_arg; i++)
        if (tn_str_eq(r->arg[i].key, key) && *r->arg[i].value)
            return r->arg[i].value;
    return NULL;
}

/* A way beside the others: the first of them, or the last. */
static void beside(struct tn_fix *fix, const struct tn_remedy *r, bool first)
{
    if (fix->n_other == TN_MAX_REMEDIES)
        return;
    if (first)
        memmove(fix->other + 1, fix->other, fix->n_other * sizeof *fix->other);
    fix->other[first ? 0 : fix->n_other] = *r;
    fix->n_other++;
}

static bool is_half_done(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->package.n; i++) {
        const struct tn_rec_package *p = &s->package.v[i];
        if (tn_is(p->driver, 1) && tn_says(p->manager, "dpkg") &&
            (tn_says(p->state, "half-installed") || tn_says(p->state, "half-configured") ||
             tn_says(p->state, "unpacked")))
            return true;
    }
    return false;
}

/* What has to be known of each card before a driver is chosen. */
static void cards(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_fix *fix)
{
    for (unsigned i = 0; i < m->n_card; i++) {
        const struct tn_plan_card *c = &m->card[i];
        const char *id = NULL;
        if (*c->last_branch)
            id = "fx_card_branch";
        else if (*c->capability && tn_version_dotted_cmp(c->capability, "10.0") >= 0)
            id = "fx_card_open";
        if (id) {
            struct tn_plan_say *say = tn_plan_says_add(&fix->notes, id);
            tn_plan_arg(mem, say, "gpu", "%s", c->name);
            tn_plan_arg(mem, say, "branch", "%s", c->last_branch);
        }
        if (*c->capability && tn_version_dotted_cmp(c->capability, "7.5") < 0)
            tn_plan_arg(mem, tn_plan_says_add(&fix->notes, "fx_card_closed"), "gpu", "%s", c->name);
    }
}

static void want_of(const struct tn_snap *s, const struct tn_plan_machine *m, const struct tn_remedy *r,
                    struct tn_fix_driver_want *ret)
{
    struct tn_str now = TN_THE(s, driver)->version;
    bool open = tn_str_eq(r->id, "open-module"), closed = tn_str_eq(r->id, "closed-module");
    bool legacy = false;
    for (unsigned i = 0; i < m->n_card; i++)
        legacy = legacy || *m->card[i].last_branch;
    *ret = (struct tn_fix_driver_want){.need = arg_of(r, "need"), .branch = arg_of(r, "branch")};
    ret->flavour = open ? "open" : closed ? "closed" : NULL;
    if ((open || closed) && tn_known(now) && !legacy)
        ret->need = now.v; /* no older one */
    ret->newest = tn_str_eq(r->id, "install-driver") || tn_str_eq(r->id, "other-driver");
}

/* Red Hat's, its kin's and SUSE's enterprise releases have no driver with the closed parts among their own packages. */
static bool has_none_itself(const struct tn_snap *s)
{
    static const char *const none[] = {"rhel", "rocky", "almalinux", "centos", "ol", "sles", NULL};
    struct tn_str distro = TN_THE(s, host)->distro;
    return tn_known(distro) && tn_str_in(distro.v, none);
}

/* The step that was chosen, as packages. */
static void choose(struct tn_arena *mem, const struct tn_snap *s, const struct tn_plan_machine *m, struct tn_fix *fix)
{
    struct tn_facts_distro_driver d;
    struct tn_fix_driver_want want;
    const struct tn_rec_host *h = TN_THE(s, host);
    const char *newest;
    struct tn_remedy was = fix->chosen, repository;
    want_of(s, m, &was, &want);
    bool has = tn_fix_driver_package(s, m, &want, &d, &newest);
    bool offers = tn_fix_nvidia_repository(mem, s, m, &want, &repository);
    if (has) {
        fix->chosen = (struct tn_remedy){.id = "distro-driver", .variant = *d.second ? "two" : "one"};
        arg(&fix->chosen, "version", d.version);
        arg(&fix->chosen, "package", d.package);
        arg(&fix->chosen, "second", d.second);
        arg(&fix->chosen, "flavour", tn_str_eq(d.flavour, "open") ? "open" : "proprietary");
        if (offers)
            beside(fix, &repository, false);
    } else if (*newest) {
        struct tn_plan_say *say = tn_plan_says_add(&fix->notes, want.need ? "fx_driver_older" : "fx_driver_other");
        tn_plan_arg(mem, say, "distro", "%s %s", h->distro.v, h->distro_version.v);
        tn_plan_arg(mem, say, "newest", "%s", newest);
        tn_plan_arg(mem, say, "need", "%s", want.need ? want.need : "");
        if (offers)
            fix->chosen = repository;
    } else if (offers && has_none_itself(s)) {
        fix->chosen = repository;
    } else {
        tn_plan_says_add(&fix->notes, "fx_driver_unknown");
        if (offers)
            beside(fix, &repository, false);
    }
    bool file = tn_fix_runfile(mem, s, m, &want, &repository);
    if (has || offers || !*newest) {
        if (file)
            beside(fix, &repository, false);
    } else if (file) {
        fix->chosen = repository;
    } else {
        fix->chosen = (struct tn_remedy){.id = "see-branches"};
        arg(&fix->chosen, "branch", want.branch ? want.branch : m->n_card ? m->card[0].last_branch : "");
    }
}

/* Where the packages come from has to be known to the package manager first. */
static void sources(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix)
{
    static const char *const fusion[] = {"install-driver", "update-driver", "driver-of-branch",
                                         "open-module",    "closed-module", NULL};
    const struct tn_rec_host *h = TN_THE(s, host);
    bool has = false;
    for (size_t i = 0; i < s->package.n; i++)
        has = has || (tn_is(s->package.v[i].driver, 1) && tn_says(s->package.v[i].state, "installed"));
    if (has)
        return;
    if (tn_says(h->distro, "fedora") && tn_known(h->distro_version) && tn_str_in(fix->chosen.id, fusion))
        arg(add(fix, "add-rpmfusion"), "release", h->distro_version.v);
    if (tn_says(h->distro, "debian") && tn_str_eq(fix->chosen.id, "distro-driver"))
        tn_plan_arg(mem, tn_plan_says_add(&fix->notes, "fx_debian_components"), "package", "%s",
                    arg_of(&fix->chosen, "package"));
}

/* Ubuntu builds and signs the modules of each branch for each of its kernels: "linux-modules-nvidia-580-open-6.8.0-31-
 * generic" (linux-restricted-modules). */
static void signed_modules(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    const char *package = arg_of(&fix->chosen, "package");
    if (!tn_says(h->distro, "ubuntu") || !tn_known(h->kernel) || !tn_str_eq(fix->chosen.id, "distro-driver") ||
        !package || !tn_str_starts(package, "nvidia-driver-"))
        return;
    tn_plan_arg(mem, tn_plan_says_add(&fix->notes, "fx_signed_modules"), "package", "linux-modules-nvidia-%s-%s",
                package + strlen("nvidia-driver-"), h->kernel.v);
}

static void secure_boot(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    struct tn_remedy key = {.id = "enrol-build-key"};
    if (!tn_is(h->secure_boot, 1) || tn_is(h->mok_enrolled, 1))
        return;
    tn_plan_says_add(&fix->notes, "fx_secure_boot");
    signed_modules(mem, s, fix);
    if (tn_remedy_count(&key, s))
        add(fix, key.id);
}

static bool on_windows(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_fix *fix)
{
    bool laptop = false;
    for (unsigned i = 0; i < m->n_card; i++)
        laptop = laptop || strstr(m->card[i].name, "Laptop") || strstr(m->card[i].name, "Max-Q") ||
                 strstr(m->card[i].name, "Mobile") || strstr(m->card[i].name, " MX");
    struct tn_plan_say *say = tn_plan_says_add(&fix->notes, laptop ? "fx_windows_laptop" : "fx_windows_driver");
    if (m->n_card)
        tn_plan_arg(mem, say, "gpu", "%s", m->card[0].name);
    if (arg_of(&fix->chosen, "need")) /* the download page offers newer ones alone; the person chooses it */
        arg(&fix->chosen, "version", arg_of(&fix->chosen, "need"));
    fix->step[fix->n_step++] = fix->chosen;
    return true;
}

bool tn_fix_is_driver_work(const char *remedy)
{
    static const char *const work[] = {"install-driver", "update-driver", "driver-of-branch", "open-module",
                                       "closed-module",  "other-driver",  "other-kernel",     NULL};
    return tn_str_in(remedy, work);
}

bool tn_fix_driver(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix)
{
    static const char *const only[] = {"same-version",        "complete-driver",
                                       "finish-packages",     "uninstall-runfile",
                                       "rebuild-module",      "update-windows-driver",
                                       "sign-module",         "enrol-key",
                                       "module-compiler",     "gsp-firmware",
                                       "relink-driver",       "choose-alternative",
                                       "remove-other-driver", NULL};
    const struct tn_rec_host *host = TN_THE(s, host);
    bool wsl = tn_is(host->wsl, 1) || tn_is(host->wsl, 2);
    bool linux_here = tn_says(host->os, "linux") && !tn_known(TN_THE(s, container)->kind) && !wsl;
    fix->driver = tn_fix_is_driver_work(fix->chosen.id) || tn_str_in(fix->chosen.id, only);
    if (tn_str_eq(fix->chosen.id, "sign-module") && linux_here) {
        fix->step[fix->n_step++] = fix->chosen;
        add(fix, "confirm-key");
        return true;
    }
    if (!tn_fix_is_driver_work(fix->chosen.id))
        return false;
    struct tn_plan_machine *m = tn_arena_alloc(mem, sizeof *m);
    tn_plan_machine_of(mem, s, m);
    cards(mem, m, fix);
    if (tn_says(host->os, "windows"))
        return on_windows(mem, m, fix);
    if (linux_here && !tn_str_eq(fix->chosen.id, "other-kernel"))
        choose(mem, s, m, fix);
    tn_fix_driver_users(mem, s, fix);
    if (linux_here && is_half_done(s))
        add(fix, "finish-packages");
    if (linux_here && tn_known(TN_THE(s, driver)->runfile) && tn_known(host->distro))
        add(fix, "remove-runfile-driver");
    if (linux_here && tn_is(host->headers, 0) && tn_known(host->kernel))
        arg(add(fix, "install-headers"), "kernel", host->kernel.v);
    if (linux_here)
        sources(mem, s, fix);
    fix->step[fix->n_step++] = fix->chosen;
    bool looks = tn_fix_scope_of(&fix->chosen) == TN_FIX_LOOKS;
    if (linux_here && !looks)
        secure_boot(mem, s, fix);
    bool key = fix->n_step && tn_str_eq(fix->step[fix->n_step - 1].id, "enrol-build-key");
    if (linux_here && !looks)
        add(fix, key ? "confirm-key" : "reboot");
    return true;
}
