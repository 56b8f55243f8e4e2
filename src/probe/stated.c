/* stated.c - see stated.h. A release of a framework that is stated alone gets what the tables say of it, by the same
 * code that reads an installed one of which only the record is left (framework*.c). */
#include "probe/stated.h"

#include <string.h>

#include "base/str.h"
#include "facts/gpu.h"
#include "probe/framework.h"
#include "probe/tables.h"

#define SITE "stated"

/* The last statement of a fact, or NULL. */
static const struct tn_rec_observation *told(const struct tn_snap *s, const char *fact)
{
    for (size_t i = s->observation.n; i-- > 0;)
        if (tn_says(s->observation.v[i].fact, fact) && tn_known(s->observation.v[i].value))
            return &s->observation.v[i];
    return NULL;
}

static void put(struct tn_snap *s, struct tn_str *to, const char *fact)
{
    const struct tn_rec_observation *o = to->k == TN_KNOWN ? NULL : told(s, fact);
    if (o)
        *to = o->value;
}

static void host(struct tn_snap *s)
{
    struct tn_rec_host *h = TN_THE(s, host);
    const struct tn_rec_observation *os = told(s, "host.os");
    put(s, &h->distro, "host.distro");
    put(s, &h->distro_version, "host.distro_version");
    put(s, &TN_THE(s, container)->kind, "container.kind");
    if (!os)
        return;
    bool wsl = tn_says(os->value, "wsl2");
    bool guessed = tn_says(h->os, "windows") && tn_says(os->value, "linux"); /* by a driver's number of two parts */
    if (h->os.k != TN_KNOWN || wsl || guessed)
        h->os = tn_fact_str(s, os->value.src, wsl ? "linux" : os->value.v);
    if (h->wsl.k != TN_KNOWN)
        h->wsl = tn_fact_int(os->value.src, wsl ? 2 : 0);
}

static void gpus(struct tn_snap *s)
{
    struct tn_facts_gpu g;
    if (s->gpu.n) /* a table of nvidia-smi is nearer */
        return;
    for (size_t i = 0; i < s->observation.n; i++) {
        struct tn_str name = s->observation.v[i].value;
        if (!tn_says(s->observation.v[i].fact, "gpu.name") || !tn_known(name))
            continue;
        if (tn_facts_gpu_by_name(name.v, &g) != TN_ANSWER_YES) /* also "NVIDIA" alone: no name to ask by */
            continue;
        uint32_t table = tn_snap_src(s, TN_KNOWN, NULL, "table gpus");
        struct tn_rec_gpu *r = TN_ADD(s, gpu);
        r->vendor = tn_fact_str(s, name.src, "nvidia");
        r->name = name;
        if (*g.architecture)
            r->architecture = tn_fact_str(s, table, g.architecture);
        if (*g.capability)
            r->capability = tn_fact_str(s, table, g.capability);
        s->gpu.listed = TN_KNOWN;
        s->gpu.src = name.src;
    }
}

static void driver(struct tn_snap *s)
{
    struct tn_rec_driver *d = TN_THE(s, driver);
    put(s, &d->version, "driver.version");
    if (tn_known(d->version) && !tn_known(d->cuda))
        d->cuda = tn_probe_cuda_of_driver(s, d->version.v);
}

static struct tn_str env_row(struct tn_snap *s)
{
    const struct tn_rec_observation *o = told(s, "python.version");
    uint32_t src = o ? o->value.src : tn_snap_src(s, TN_KNOWN, NULL, "the text");
    struct tn_rec_env *e = TN_ADD(s, env);
    e->id = tn_fact_str(s, src, "env1");
    e->judged = tn_fact_int(src, 1);
    e->chosen_by = tn_fact_str(s, src, "text");
    if (o)
        e->python = o->value;
    return e->id;
}

static void dists(struct tn_snap *s, struct tn_str env)
{
    const struct tn_rec_observation *how = told(s, "installer");
    for (size_t i = 0; i < s->observation.n; i++) {
        const struct tn_rec_observation *o = &s->observation.v[i];
        if (!tn_known(o->fact) || !tn_str_starts(o->fact.v, "package.") || !tn_known(o->value))
            continue;
        const char *name = o->fact.v + strlen("package.");
        if (told(s, o->fact.v) != o) /* stated again further down */
            continue;
        struct tn_str version = o->value;
        struct tn_rec_dist *d = TN_ADD(s, dist);
        d->env = env;
        d->name = tn_fact_str(s, version.src, name);
        d->version = version;
        d->installer = how ? how->value : d->installer;
        d->place = tn_fact_str(s, version.src, "env");
        d->path = tn_fact_str(s, version.src, SITE "/record");
    }
}

static void frameworks(struct tn_snap *s, struct tn_arena *mem)
{
    struct tn_py p = {.s = s, .mem = mem, .st = tn_snap_style(s)};
    struct tn_pysite site = {.path = SITE, .got = TN_KNOWN, .src = s->env.v[0].id.src};
    const struct tn_pysite *sites[] = {&site};
    struct tn_pyenv e = {.prefix = SITE, .kind = "stated", .site = sites, .n_site = 1, .id_fact = s->env.v[0].id};
    tn_pyframework_rows(&p, &e);
    for (size_t i = 0; i < s->dist.n; i++) /* nobody's path */
        s->dist.v[i].path = tn_fact_nostr(0, TN_UNASKED);
    s->framework.listed = TN_KNOWN;
}

/* "TensorFlow version: 1.11" and tf.__version__ name no package, and up to 1.14 tensorflow was the CPU's beside
 * tensorflow-gpu: only a pin or a row of a list tells which build it was. */
static void forget_build_of_release(struct tn_snap *s)
{
    if (told(s, "named.tensorflow"))
        return;
    for (size_t i = 0; i < s->framework.n; i++)
        if (tn_says(s->framework.v[i].package, "tensorflow") && tn_is(s->framework.v[i].gpu_build, 0))
            s->framework.v[i].gpu_build = tn_fact_noint(0, TN_UNASKED);
}

static void toolkits(struct tn_snap *s)
{
    const struct tn_rec_observation *o = told(s, "toolkit.nvcc");
    o = o ? o : told(s, "toolkit.version");
    if (!o || s->toolkit.n)
        return;
    struct tn_str version = o->value;
    struct tn_rec_toolkit *t = TN_ADD(s, toolkit);
    t->version = version;
}

void tn_probe_stated(struct tn_snap *s)
{
    struct tn_arena mem;
    tn_arena_init(&mem);
    host(s);
    gpus(s);
    driver(s);
    if (s->env.n == 0) {
        struct tn_str env = env_row(s);
        dists(s, env);
        frameworks(s, &mem);
        forget_build_of_release(s);
    }
    toolkits(s);
    tn_arena_deinit(&mem);
}
