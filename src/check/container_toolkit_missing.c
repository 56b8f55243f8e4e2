/* container_toolkit_missing.c - on the host of containers: what hands the GPU to them is missing, or speaks of another
 * driver.
 *
 * A specification (CDI) names files by the driver's version; after an update it leads nowhere until it is generated
 * anew (NVIDIA Container Toolkit, "Support for Container Device Interface": by hand, or from 1.18 on by
 * nvidia-cdi-refresh). Of several that describe the GPU the first counts. Half an update, where module and libraries
 * differ, is another cause's; and that an engine has no toolkit is no fault as long as no container wants a GPU. */
#include "base/str.h"
#include "check/look.h"

static bool differs(struct tn_str known, const char *v)
{
    return tn_known(known) && !tn_str_eq(known.v, v);
}

static void stale(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    for (size_t i = 0; i < s->cdi.n; i++) {
        const struct tn_rec_cdi *r = &s->cdi.v[i];
        if (!tn_says(r->kind, "nvidia.com/gpu") || !tn_known(r->path))
            continue;
        if (!tn_known(r->driver) || !differs(d->version, r->driver.v) ||
            (tn_known(d->library_version) && !differs(d->library_version, r->driver.v)))
            return;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(cdi, i, driver));
        f->severity = TN_WARNING;
        f->variant = "stale";
        tn_find_arg(out, f, "path", "%s", r->path.v);
        tn_find_arg(out, f, "old", "%s", r->driver.v);
        tn_find_arg(out, f, "driver", "%s", d->version.v);
        tn_find_evidence(f, TN_REF(cdi, i, driver));
        tn_find_evidence(f, TN_REF(driver, 0, version));
        struct tn_remedy *m = tn_find_remedy(out, f, "generate-cdi", NULL);
        tn_remedy_arg(out, m, "path", "%s", r->path.v);
        return;
    }
}

static size_t engine(const struct tn_snap *s, const char *name)
{
    size_t i = 0;
    while (i < s->engine.n && !tn_says(s->engine.v[i].name, name))
        i++;
    return i;
}

static void missing(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t docker = engine(s, "docker"), podman = engine(s, "podman"), row = 0;
    size_t which = docker < s->engine.n ? docker : podman;
    if (s->engine.listed != TN_KNOWN || which == s->engine.n || s->cdi.n > 0 ||
        engine(s, "nvidia-container-toolkit") < s->engine.n)
        return;
    if (!tn_judge_gpu(j, &row) || !tn_is(TN_THE(s, driver)->loaded, 1))
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(engine));
    tn_find_arg(out, f, "engine", "%s", s->engine.v[which].name.v);
    tn_find_evidence(f, TN_REF(engine, which, path));
    tn_find_evidence(f, TN_REF_REC(engine));
    tn_find_remedy(out, f, which == docker ? "install-container-toolkit" : "install-toolkit-podman", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (tn_known(TN_THE(j->s, container)->kind) || tn_look_platform(j->s) != TN_PLATFORM_LINUX)
        return;
    stale(j, out);
    missing(j, out);
}

TN_CHECK(container_toolkit_missing, "container-toolkit-missing", run,
         .needs = TN_HAS(container) | TN_HAS(engine) | TN_HAS(cdi) | TN_HAS(driver) | TN_HAS(gpu));
