/* driver_package.c - see fix.h: which driver of the distribution's own repository serves this machine.
 *
 * A driver serves when every card runs with it: its branch is none after the last one of a card's generation, its CUDA
 * knows the youngest generation (a driver learns a card with the CUDA that first compiles for it), and its module is of
 * a kind that the cards take: the closed one alone below 7.5, the open one alone from 10.0 on (NVIDIA Driver
 * Installation Guide, "Kernel Modules"). Of those that serve, the smallest change: the branch that is nearest above
 * what is needed, of the kind that is installed now; a branch that NVIDIA calls a new feature branch comes last, since
 * it ends within months. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "facts/gpu.h"
#include "plan/fix.h"
#include "version/dotted.h"

static bool serves_cards(const struct tn_plan_machine *m, const struct tn_facts_distro_driver *d)
{
    struct tn_facts_branch b;
    bool branch = tn_facts_driver_branch(d->version, &b) == TN_ANSWER_YES;
    for (unsigned i = 0; i < m->n_card; i++) {
        const struct tn_plan_card *c = &m->card[i];
        struct tn_facts_capability cap;
        if (!*c->capability)
            continue;
        bool open = tn_str_eq(d->flavour, "open");
        if (tn_version_dotted_cmp(c->capability, open ? "7.5" : "10.0") < 0
                ? open
                : !open && tn_version_dotted_cmp(c->capability, "10.0") >= 0)
            return false;
        if (*c->last_branch && tn_version_dotted_cmp_parts(d->version, c->last_branch, 1) > 0)
            return false;
        if (branch && *b.max_cuda && tn_facts_capability(c->capability, &cap) == TN_ANSWER_YES && *cap.first_cuda &&
            tn_version_dotted_cmp(b.max_cuda, cap.first_cuda) < 0)
            return false;
    }
    return true;
}

static bool installed_server(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_is(s->package.v[i].driver, 1) && tn_known(s->package.v[i].name) &&
            strstr(s->package.v[i].name.v, "-server") && tn_says(s->package.v[i].state, "installed"))
            return true;
    return false;
}

static bool is_new_feature(const char *version)
{
    struct tn_facts_branch b;
    return tn_facts_driver_branch(version, &b) == TN_ANSWER_YES && b.status && tn_str_starts(b.status, "New feature");
}

/* Higher is better. want->newest: nothing is needed but a driver. */
static long worth(const struct tn_snap *s, const struct tn_fix_driver_want *want,
                  const struct tn_facts_distro_driver *d)
{
    const char *now = want->flavour                                 ? want->flavour
                      : tn_says(TN_THE(s, driver)->flavour, "open") ? "open"
                      : tn_known(TN_THE(s, driver)->flavour)        ? "closed"
                                                                    : NULL;
    long branch = (long)tn_version_dotted_major(d->version), points = 0;
    bool server = installed_server(s);
    points += tn_str_eq(d->use, server ? "server" : "desktop") ? 100000 : 0;
    points += is_new_feature(d->version) ? 0 : 50000;
    points += want->newest ? branch : 10000 - branch;
    points *= 2;
    bool open = tn_str_eq(d->flavour, "open");
    points += now ? tn_str_eq(d->flavour, now) : open == (branch >= 560);
    return points;
}

bool tn_fix_driver_package(const struct tn_snap *s, const struct tn_plan_machine *m,
                           const struct tn_fix_driver_want *want, struct tn_facts_distro_driver *ret,
                           const char **ret_newest)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    const char *distro = tn_known(h->distro) ? h->distro.v : "";
    const char *release = tn_known(h->distro_version) ? h->distro_version.v : "";
    struct tn_facts_distro_driver d;
    uint32_t row = 0;
    long best = -1;
    *ret_newest = "";
    while (tn_facts_distro_driver_next(distro, release, &row, &d)) {
        if (!**ret_newest || tn_version_dotted_cmp(d.version, *ret_newest) > 0)
            *ret_newest = d.version;
        if (want->need && tn_version_dotted_cmp(d.version, want->need) < 0)
            continue;
        if (want->branch && tn_version_dotted_cmp_parts(d.version, want->branch, 1) != 0)
            continue;
        if (want->flavour && !tn_str_eq(d.flavour, want->flavour))
            continue;
        if (!serves_cards(m, &d))
            continue;
        long w = worth(s, want, &d);
        if (w > best) {
            best = w;
            *ret = d;
        }
    }
    return best >= 0;
}
