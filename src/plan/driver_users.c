/* driver_users.c - see driver.h: what else of this machine rests on the driver of now, and would not go with the new
 * one.
 *
 * A newer driver runs what an older one ran (CUDA Compatibility guide: backward compatibility); so what breaks is what
 * needs a newer driver than the one that comes, and what is bound to the very version: the fabric manager (Fabric
 * Manager User Guide, "the versions must match"), specifications of container engines that name the driver's files
 * (nvidia-ctk cdi generate). */
#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "plan/driver.h"
#include "version/dotted.h"

#define MAX_NOTES 8u

static const char *coming(const struct tn_fix *fix)
{
    for (unsigned i = 0; i < fix->chosen.n_arg; i++)
        if (tn_str_eq(fix->chosen.arg[i].key, "version") && *fix->chosen.arg[i].value)
            return fix->chosen.arg[i].value;
    return NULL;
}

static const char *env_name(const struct tn_snap *s, struct tn_str id)
{
    const struct tn_rec_env *e = tn_known(id) ? tn_snap_env(s, id.v) : NULL;
    return e && tn_known(e->path) ? e->path.v : tn_known(id) ? id.v : "?";
}

/* A framework that ran until now, and would not with the driver that comes. */
static void frameworks(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix, const char *version)
{
    struct tn_str now = TN_THE(s, driver)->library_version;
    for (size_t i = 0, n = 0; i < s->framework.n && n < MAX_NOTES; i++) {
        const struct tn_rec_framework *f = &s->framework.v[i];
        struct tn_facts_driver_need need;
        if (!tn_known(f->cuda) || !tn_is(f->gpu_build, 1) || !tn_known(f->name) ||
            tn_facts_cuda_driver(f->cuda.v, TN_PLATFORM_LINUX, &need) != TN_ANSWER_YES || !*need.floor)
            continue;
        bool runs_now = tn_known(now) && tn_version_dotted_cmp(now.v, need.floor) >= 0;
        if (tn_version_dotted_cmp(version, need.floor) >= 0 || (tn_known(now) && !runs_now))
            continue;
        struct tn_plan_say *say = tn_plan_says_add(&fix->notes, "fx_user_framework");
        tn_plan_arg(mem, say, "name", "%s %s", f->name.v, tn_known(f->version) ? f->version.v : "");
        tn_plan_arg(mem, say, "env", "%s", env_name(s, f->env));
        tn_plan_arg(mem, say, "cuda", "%s", f->cuda.v);
        tn_plan_arg(mem, say, "need", "%s", need.floor);
        n++;
    }
}

/* What a toolkit's compiler makes needs the same: said once, of the newest. */
static void toolkits(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix, const char *version)
{
    for (size_t i = 0, n = 0; i < s->toolkit.n && n < MAX_NOTES; i++) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        struct tn_facts_driver_need need;
        if (!tn_known(t->version) || !tn_known(t->nvcc) ||
            tn_facts_cuda_driver(t->version.v, TN_PLATFORM_LINUX, &need) != TN_ANSWER_YES || !*need.floor ||
            tn_version_dotted_cmp(version, need.floor) >= 0)
            continue;
        struct tn_plan_say *say = tn_plan_says_add(&fix->notes, "fx_user_toolkit");
        tn_plan_arg(mem, say, "cuda", "%s", t->version.v);
        tn_plan_arg(mem, say, "path", "%s", tn_known(t->path) ? t->path.v : "?");
        tn_plan_arg(mem, say, "need", "%s", need.floor);
        n++;
    }
}

void tn_fix_driver_users(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix)
{
    const char *version = coming(fix);
    if (version) {
        frameworks(mem, s, fix, version);
        toolkits(mem, s, fix, version);
    }
    for (size_t i = 0; i < s->service.n; i++)
        if (tn_says(s->service.v[i].name, "nvidia-fabricmanager"))
            tn_plan_says_add(&fix->notes, "fx_user_fabric");
    if (s->cdi.n && tn_known(s->cdi.v[0].path))
        tn_plan_arg(mem, tn_plan_says_add(&fix->notes, "fx_user_cdi"), "path", "%s", s->cdi.v[0].path.v);
    if (s->process.n)
        tn_plan_arg(mem, tn_plan_says_add(&fix->notes, "fx_user_processes"), "n", "%zu", s->process.n);
}
