/* driver.c - see fix.h: work on the driver of the whole machine, step by step.
 *
 * In this order: what the package manager left half done; a driver that NVIDIA's own installer put there, before
 * packages come over it (NVIDIA Driver Installation Guide: the two are not mixed); what the module is built with; the
 * packages; the key of Secure Boot; the restart. The packages are those of the distribution, by its own names, as the
 * catalogue has them for apt, dnf, zypper and pacman.
 *
 * Which module a card takes: from compute capability 10.0 (Blackwell) on the open one alone, below 7.5 (Turing) the
 * closed one alone (NVIDIA/open-gpu-kernel-modules README, "Compatible GPUs"; Driver Installation Guide, "Kernel
 * Modules"). The last branch of older cards: tables cuda_arch and driver_branches. */
#include <string.h>

#include "base/str.h"
#include "facts/gpu.h"
#include "plan/fix.h"
#include "version/dotted.h"

static void add(struct tn_fix *fix, const char *id)
{
    if (fix->n_step < TN_FIX_MAX_STEPS)
        fix->step[fix->n_step++] = (struct tn_remedy){.id = id};
}

static void arg(struct tn_fix *fix, const char *key, const char *value)
{
    struct tn_remedy *r = &fix->step[fix->n_step - 1];
    if (fix->n_step && r->n_arg < TN_MAX_ARGS)
        r->arg[r->n_arg++] = (struct tn_arg){key, value};
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

bool tn_fix_driver(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix)
{
    static const char *const work[] = {"install-driver", "update-driver", "driver-of-branch", "open-module",
                                       "closed-module",  "other-driver",  "other-kernel",     NULL};
    static const char *const only[] = {"same-version",
                                       "complete-driver",
                                       "finish-packages",
                                       "uninstall-runfile",
                                       "rebuild-module",
                                       "update-windows-driver",
                                       NULL};
    const struct tn_rec_host *host = TN_THE(s, host);
    bool linux_here = tn_says(host->os, "linux") && !tn_known(TN_THE(s, container)->kind);
    fix->driver = tn_str_in(fix->chosen.id, work) || tn_str_in(fix->chosen.id, only);
    if (!tn_str_in(fix->chosen.id, work))
        return false;
    struct tn_plan_machine *m = tn_arena_alloc(mem, sizeof *m);
    tn_plan_machine_of(mem, s, m);
    cards(mem, m, fix);
    if (linux_here && is_half_done(s))
        add(fix, "finish-packages");
    if (linux_here && tn_known(TN_THE(s, driver)->runfile) && tn_known(host->distro))
        add(fix, "remove-runfile-driver");
    if (linux_here && tn_is(host->headers, 0) && tn_known(host->kernel)) {
        add(fix, "install-headers");
        arg(fix, "kernel", host->kernel.v);
    }
    fix->step[fix->n_step++] = fix->chosen;
    if (linux_here && tn_is(host->secure_boot, 1) && !tn_is(host->mok_enrolled, 1))
        tn_plan_says_add(&fix->notes, "fx_secure_boot");
    if (linux_here)
        add(fix, "reboot");
    return true;
}
