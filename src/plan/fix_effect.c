/* fix_effect.c - see fix.h: what each remedy promises, as facts.
 *
 * Invariant: a fact is only put where the remedy's own command makes it true; what else would change is left as it
 * was, so that a remedy is never believed to mend more than it says. */
#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "plan/fix.h"
#include "version/pep440.h"

static const char *arg(const struct tn_remedy *r, const char *key)
{
    for (unsigned i = 0; i < r->n_arg; i++)
        if (tn_str_eq(r->arg[i].key, key))
            return r->arg[i].value;
    return "";
}

static void set_driver(struct tn_snap *s, uint32_t src, const char *version)
{
    struct tn_rec_driver *d = TN_THE(s, driver);
    struct tn_facts_branch b;
    d->loaded = tn_fact_int(src, 1);
    d->version = tn_fact_str(s, src, version);
    d->library_version = tn_fact_str(s, src, version);
    if (tn_known(d->nvml_version))
        d->nvml_version = tn_fact_str(s, src, version);
    if (tn_known(d->nvml))
        d->nvml = tn_fact_str(s, src, "NVML_SUCCESS");
    if (tn_known(d->cuda_start))
        d->cuda_start = tn_fact_str(s, src, "CUDA_SUCCESS");
    if (tn_facts_driver_branch(version, &b) == TN_ANSWER_YES)
        d->cuda = tn_fact_str(s, src, b.max_cuda);
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_says(s->library.v[i].place, "driver"))
            s->library.v[i].version = tn_fact_str(s, src, version);
    for (size_t i = 0; i < s->module.n; i++)
        if (tn_is(s->module.v[i].running, 1))
            s->module.v[i].version = tn_fact_str(s, src, version);
}

/* After a start the module on the disk is the one that runs. */
static bool restart(struct tn_snap *s, uint32_t src)
{
    const char *version = NULL;
    for (size_t i = 0; i < s->module.n && !version; i++)
        if (tn_is(s->module.v[i].running, 1) && tn_says(s->module.v[i].name, "nvidia") &&
            tn_known(s->module.v[i].version))
            version = s->module.v[i].version.v;
    if (!version && tn_known(TN_THE(s, driver)->library_version))
        version = TN_THE(s, driver)->library_version.v;
    if (!version)
        return false;
    struct tn_rec_driver *d = TN_THE(s, driver);
    d->loaded = tn_fact_int(src, 1);
    d->version = tn_fact_str(s, src, version);
    if (tn_known(d->nvml))
        d->nvml = tn_fact_str(s, src, "NVML_SUCCESS");
    if (tn_known(d->cuda_start))
        d->cuda_start = tn_fact_str(s, src, "CUDA_SUCCESS");
    return true;
}

static bool drop_variable(struct tn_snap *s, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < s->variable.n; i++)
        if (!tn_says(s->variable.v[i].name, name))
            s->variable.v[n++] = s->variable.v[i];
    bool had = n < s->variable.n;
    s->variable.n = n;
    return had;
}

/* "numpy==1.26.4", or a bound whose one release is named by the tables: of an open range nothing is promised. */
static bool set_package(struct tn_snap *s, uint32_t src, const char *want)
{
    const struct tn_rec_env *e = tn_snap_judged(s);
    size_t name = strcspn(want, "=<>!~[ ");
    const char *eq = strstr(want, "=="), *version = eq ? eq + 2 : NULL;
    if (tn_str_eq(want, "numpy<2"))
        version = "1.26.4"; /* the last release of NumPy 1 */
    if (!e || !tn_known(e->id) || !version || strpbrk(version, "*,<> "))
        return false;
    bool found = false;
    for (size_t i = 0; i < s->dist.n; i++) {
        struct tn_rec_dist *d = &s->dist.v[i];
        if (!tn_says(d->env, e->id.v) || !tn_known(d->name) || strlen(d->name.v) != name ||
            memcmp(d->name.v, want, name) != 0)
            continue;
        d->version = tn_fact_str(s, src, version);
        d->damage = tn_fact_nostr(src, TN_ABSENT);
        found = true;
    }
    return found;
}

static bool one(struct tn_snap *s, uint32_t src, const struct tn_remedy *r)
{
    const char *id = r->id;
    if (tn_str_eq(id, "reboot") || tn_str_eq(id, "reload-module"))
        return restart(s, src);
    if (tn_str_eq(id, "load-module")) {
        TN_THE(s, driver)->loaded = tn_fact_int(src, 1);
        return true;
    }
    if ((tn_str_eq(id, "update-driver") || tn_str_eq(id, "update-windows-driver")) && *arg(r, "need")) {
        set_driver(s, src, arg(r, "need"));
        return true;
    }
    if (tn_str_eq(id, "unset-variable"))
        return drop_variable(s, arg(r, "name"));
    if (tn_str_eq(id, "show-all-gpus"))
        return drop_variable(s, "CUDA_VISIBLE_DEVICES");
    if (tn_str_eq(id, "drop-pythonhome"))
        return drop_variable(s, "PYTHONHOME");
    if (tn_str_eq(id, "pin-numpy"))
        return set_package(s, src, "numpy<2");
    if (tn_str_eq(id, "pin-package"))
        return set_package(s, src, arg(r, "want"));
    if (tn_str_eq(id, "init-shell")) {
        TN_THE(s, shell)->conda_init = tn_fact_int(src, 1);
        return true;
    }
    if (tn_str_eq(id, "allow-profile")) {
        TN_THE(s, shell)->policy = tn_fact_str(s, src, "RemoteSigned");
        return true;
    }
    return false;
}

bool tn_fix_effect(struct tn_snap *s, const struct tn_fix *fix)
{
    uint32_t src = tn_snap_src(s, TN_KNOWN, NULL, "the plan");
    return one(s, src, &fix->chosen);
}
