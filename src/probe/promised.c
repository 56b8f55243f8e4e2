/* promised.c - see promised.h. */
#include "probe/promised.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "facts/cudnn.h"
#include "probe/stated.h"
#include "version/soname.h"

static void observe(struct tn_snap *s, uint32_t src, const char *fact, const char *value)
{
    struct tn_rec_observation *o = TN_ADD(s, observation);
    o->fact = tn_fact_str(s, src, fact);
    o->value = tn_fact_str(s, src, value);
}

/* What lies in environments and toolkits, and what was found for them. Files of the system and of the driver, variables
 * and search orders stay: they would be there afterwards, too. */
static void forget(struct tn_snap *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_says(s->library.v[i].place, "system") || tn_says(s->library.v[i].place, "driver") ||
            tn_says(s->library.v[i].place, "path"))
            s->library.v[n++] = s->library.v[i];
    s->library.n = n;
    s->env.n = s->dist.n = s->framework.n = s->toolkit.n = s->load.n = s->image.n = 0;
    s->observation.n = s->shadow.n = s->choice.n = s->cached.n = 0;
    s->load.listed = s->image.listed = s->cached.listed = s->shadow.listed = s->choice.listed = TN_UNASKED;
}

static bool is_driver(const char *soname)
{
    return tn_str_starts(soname, "libcuda.so") || tn_str_starts(soname, "nvcuda") ||
           tn_str_starts(soname, "libnvidia-ml");
}

static void add_library(struct tn_snap *s, uint32_t src, const char *soname, const char *version)
{
    struct tn_soname cut;
    struct tn_err err;
    if (is_driver(soname) || tn_version_soname_parse(soname, &cut, &err) != 0)
        return;
    struct tn_rec_library *l = TN_ADD(s, library);
    l->stem = tn_fact_str(s, src, cut.stem);
    l->soname = tn_fact_str(s, src, soname);
    if (*version)
        l->version = tn_fact_str(s, src, version);
    l->kind = tn_fact_str(s, src, "real");
    l->place = tn_fact_str(s, src, "env");
    l->env = tn_snap_judged(s)->id;
    l->bits = tn_fact_int(src, 64);
    l->reachable = tn_fact_int(src, 0);
}

static void add_cudnn(struct tn_snap *s, uint32_t src, const char *version)
{
    struct tn_facts_cudnn f = {0};
    char name[64];
    bool windows = tn_says(TN_THE(s, host)->os, "windows");
    if (tn_facts_cudnn(version, windows ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX, &f) != TN_ANSWER_YES || !f.files)
        return;
    for (const char *list = f.files; tn_facts_list_next(&list, name, sizeof name);)
        add_library(s, src, name, version);
}

static void add_libraries(struct tn_snap *s, uint32_t src, const char *cuda, const char *cudnn)
{
    for (size_t i = 0; i < s->framework.n && *cuda; i++) {
        struct tn_list asks = s->framework.v[i].asks;
        for (uint32_t k = 0; asks.k == TN_KNOWN && k < asks.n; k++)
            if (!strstr(asks.v[k], "cudnn"))
                add_library(s, src, asks.v[k], cuda);
    }
    for (size_t i = 0; i < s->framework.n && *cuda; i++) /* PyTorch's wheels for Windows bring it in torch\\lib */
        if (tn_says(s->framework.v[i].name, "torch") && tn_says(TN_THE(s, host)->os, "windows"))
            add_library(s, src, "zlibwapi.dll", "");
    if (*cudnn)
        add_cudnn(s, src, cudnn);
}

void tn_probe_promised(struct tn_snap *s, const char *python, const struct tn_promise *v, size_t n, const char *cuda,
                       const char *cudnn)
{
    char fact[160];
    bool looked = s->library.listed == TN_KNOWN;
    forget(s);
    uint32_t src = tn_snap_src(s, TN_KNOWN, NULL, "the plan");
    observe(s, src, "python.version", python);
    for (size_t i = 0; i < n; i++)
        if (strlen(v[i].package) < sizeof fact - 16) {
            snprintf(fact, sizeof fact, "package.%s", v[i].package);
            observe(s, src, fact, v[i].version);
        }
    tn_probe_stated(s);
    s->env.listed = s->dist.listed = TN_KNOWN;
    s->env.src = s->dist.src = src;
    if (looked) /* of a machine that was only described nothing is known of the system's own files */
        add_libraries(s, src, cuda, cudnn);
}

/* --- inside the same environment --- */

/* All but what the new row names: other rows refer to that. */
static void keep_env(struct tn_rec_env *e, const struct tn_rec_env *was)
{
    struct tn_rec_env now = *e;
    *e = *was;
    e->id = now.id;
    e->judged = now.judged;
}

static const struct tn_rec_dist *dist_of(const struct tn_rec_dist *v, size_t n, const char *env, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (tn_says(v[i].env, env) && tn_says(v[i].name, name) && !tn_is(v[i].hidden, 1))
            return &v[i];
    return NULL;
}

static void keep_dist(struct tn_snap *s, const struct tn_rec_dist *was)
{
    for (size_t i = 0; i < s->dist.n; i++) {
        struct tn_rec_dist *d = &s->dist.v[i];
        if (!tn_says(d->name, was->name.v))
            continue;
        struct tn_str env = d->env;
        *d = *was;
        d->env = env;
        return;
    }
}

static void *kept(struct tn_arena *mem, const void *v, size_t n, size_t size)
{
    void *p = tn_arena_array(mem, n + 1, size);
    if (n)
        memcpy(p, v, n * size);
    return p;
}

/* Rows of before that are not an environment's, or this one's. */
static void keep_libraries(struct tn_snap *s, const struct tn_rec_library *v, size_t n, const char *env)
{
    s->library.n = 0;
    for (size_t i = 0; i < n; i++) {
        if (tn_known(v[i].env) && !tn_says(v[i].env, env))
            continue;
        struct tn_rec_library *l = TN_ADD(s, library);
        *l = v[i];
        if (tn_known(l->env))
            l->env = s->env.v[0].id;
    }
}

static void keep_shadows(struct tn_snap *s, const struct tn_rec_shadow *v, size_t n, const char *env)
{
    for (size_t i = 0; i < n; i++) {
        if (!tn_says(v[i].env, env))
            continue;
        struct tn_rec_shadow *r = TN_ADD(s, shadow);
        *r = v[i];
        r->env = s->env.v[0].id;
    }
}

void tn_probe_promised_inside(struct tn_snap *s, const struct tn_promise *v, size_t n, bool keep)
{
    const struct tn_rec_env *judged = tn_snap_judged(s);
    struct tn_arena mem;
    if (!judged || !tn_known(judged->id))
        return;
    tn_arena_init(&mem);
    struct tn_rec_env was = *judged;
    size_t n_dist = s->dist.n, n_shadow = s->shadow.n, n_library = s->library.n, n_toolkit = s->toolkit.n;
    struct tn_rec_dist *dist = kept(&mem, s->dist.v, n_dist, sizeof *dist);
    struct tn_rec_shadow *shadow = kept(&mem, s->shadow.v, n_shadow, sizeof *shadow);
    struct tn_rec_library *library = kept(&mem, s->library.v, n_library, sizeof *library);
    enum tn_know listed = s->shadow.listed;
    tn_probe_promised(s, tn_known(was.python) ? was.python.v : "", v, n, "", "");
    if (s->env.n) {
        keep_env(&s->env.v[0], &was);
        for (size_t i = 0; i < n; i++) {
            const struct tn_rec_dist *d = v[i].stays ? dist_of(dist, n_dist, was.id.v, v[i].package) : NULL;
            if (d)
                keep_dist(s, d);
        }
        keep_shadows(s, shadow, n_shadow, was.id.v);
        s->shadow.listed = listed;
        if (keep) {
            keep_libraries(s, library, n_library, was.id.v);
            s->toolkit.n = n_toolkit; /* rows stay where they are */
        }
    }
    tn_arena_deinit(&mem);
}

void tn_probe_promised_libraries(struct tn_snap *s, const char *cuda, const char *cudnn)
{
    if (s->library.listed == TN_KNOWN && tn_snap_judged(s))
        add_libraries(s, tn_snap_src(s, TN_KNOWN, NULL, "the plan"), cuda, cudnn);
}
