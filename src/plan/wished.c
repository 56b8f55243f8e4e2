/* wished.c - which builds are not what was asked for: release, variant, date, CUDA, GPU or CPU. */
#include <string.h>

#include "base/str.h"
#include "plan/inner.h"
#include "version/dotted.h"

/* pip's rules, but a repaired upload serves its release (2.15.0.post1 for ==2.15.0), and "==2.16" takes 2.16.1 where
 * there never was a 2.16.0. */
static bool meets_wish(const struct tn_plan_builds *all, const char *version, const char *spec, struct tn_arena *mem)
{
    if (!*spec || tn_plan_meets(version, spec))
        return true;
    const char *exact = spec + 2;
    if (!tn_str_starts(spec, "==") || strpbrk(exact, ",*=") != NULL)
        return false;
    if (strstr(version, ".post") && tn_version_dotted_cmp(version, exact) == 0)
        return true;
    if (tn_version_dotted_count(exact) != 2)
        return false;
    for (size_t i = 0; i < all->n; i++)
        if (tn_plan_meets(all->v[i].version, spec))
            return false;
    return tn_plan_meets(version, tn_arena_printf(mem, "%s.*", spec));
}

/* Released before the end of that month (day, year)? A date that is not known excludes. */
static bool is_before(const char *date, const char *limit)
{
    return *date && strncmp(date, limit, strlen(limit)) <= 0;
}

static bool is_of_cuda(const struct tn_plan_build *b, const char *cuda)
{
    unsigned parts = tn_version_dotted_count(cuda);
    if (!b->gpu || !*b->cuda)
        return true;
    if (parts > 1 && *b->cuda_spec)
        return tn_plan_meets(cuda, b->cuda_spec);
    return tn_version_dotted_cmp_parts(b->cuda, cuda, parts > 1 ? 2 : 1) == 0;
}

/* "cu118": the build for CUDA 11.8; "cuda12" of JAX: one for CUDA 12; "cpu"; others (ROCm's) are in no table. */
static bool is_variant(const struct tn_plan_build *b, const char *variant)
{
    size_t lead = strcspn(variant, "0123456789"), n = strlen(variant);
    if (!*variant || tn_str_eq(variant, "cpu"))
        return !*variant || !b->gpu;
    if (!b->gpu || !tn_str_starts(variant, "cu"))
        return false;
    uint64_t major = tn_version_dotted_major(b->cuda), minor = 0;
    if (tn_str_starts(variant, "cuda"))
        return major == tn_version_dotted_major(variant + lead);
    const char *dot = strchr(b->cuda, '.');
    uint64_t both = 0;
    return dot && tn_str_u64(dot + 1, strspn(dot + 1, "0123456789"), 10, &minor) && minor < 10 &&
           tn_str_u64(variant + lead, n - lead, 10, &both) && both == major * 10 + minor;
}

void tn_plan_exclude_unwished(struct tn_plan_universe *u, unsigned package)
{
    const struct tn_plan_wish *w = &u->w->v[package];
    struct tn_plan_builds *all = &u->builds[package];
    bool cpu = w->cpu || (u->w->cpu && !w->gpu) || (!u->gpu && *u->cpu_why && !w->gpu);
    bool gpu = !cpu && (w->gpu || u->gpu);
    for (size_t i = 0; i < all->n; i++) {
        struct tn_plan_build *b = &all->v[i];
        if (!meets_wish(all, b->version, w->spec, u->mem) || !is_variant(b, w->variant))
            tn_plan_exclude(b, TN_ASPECT_WISH);
        if (*u->w->date && !is_before(b->date, u->w->date))
            tn_plan_exclude(b, TN_ASPECT_DATE);
        if (*u->w->cuda && !is_of_cuda(b, u->w->cuda))
            tn_plan_exclude(b, TN_ASPECT_CUDA);
        if (gpu && !b->gpu)
            tn_plan_exclude(b, TN_ASPECT_GPU);
        if (cpu && b->gpu)
            tn_plan_exclude(b, TN_ASPECT_CPU);
    }
}
