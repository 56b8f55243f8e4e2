/* wsl.c - the Linux distributions of this Windows account, from outside: nothing is started for it.
 *
 * WSL keeps them in HKCU\...\Lxss, a key for each with DistributionName and Version (Microsoft, "Advanced settings
 * configuration in WSL"; absent in WSL of before 2019: 1), and the id of the one that `wsl` starts in
 * DefaultDistribution. State is 1 of one that is installed, else it is being installed or removed. */
#include "base/str.h"
#include "probe/ask.h"
#include "probe/probe.h"

#define LXSS "HKCU\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Lxss"

static void add(struct tn_probe_ctx *c, const char *id, const char *first)
{
    const char *key = tn_arena_printf(c->tmp, LXSS "\\%s", id), *name = tn_probe_reg(c, key, "DistributionName");
    const char *state = tn_probe_reg(c, key, "State"), *version = tn_probe_reg(c, key, "Version");
    if (!name || (state && !tn_str_eq(state, "1")))
        return;
    uint32_t src = tn_snap_src(c->s, TN_KNOWN, NULL, "reg %s", key);
    struct tn_rec_wsl *r = TN_ADD(c->s, wsl);
    r->distribution = tn_fact_str(c->s, src, name);
    r->version = tn_fact_int(src, version && tn_str_eq(version, "2") ? 2 : 1);
    r->first = tn_fact_int(src, first && tn_str_ieq(first, id));
}

static void run(struct tn_probe_ctx *c)
{
    if (!tn_probe_is_windows(c))
        return;
    struct tn_answer a = tn_world_reg_list(c->w, c->tmp, LXSS);
    const char *first = a.got == TN_KNOWN ? tn_probe_reg(c, LXSS, "DefaultDistribution") : NULL;
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++)
        if (a.entry[i].type == 'd' && a.entry[i].name[0] == '{')
            add(c, a.entry[i].name, first);
    c->s->wsl.listed = a.got == TN_ABSENT ? TN_KNOWN : a.got;
    c->s->wsl.src = tn_probe_src(c->s, "reg", LXSS, &a);
}

TN_PROBE(wsl, TN_PHASE_HOST, run, "Linux distributions in WSL, seen from Windows", .gives = TN_HAS(wsl),
         .reads = TN_HAS(host));
