/* builds_jax.c - JAX's releases with the extras cuda12 and cuda13 (cuda11_pip and cuda12_pip before), and without.
 *
 * The extra names NVIDIA's wheels by lower bounds; there is no CUDA build for Windows (JAX installation page). */
#include <string.h>

#include "base/str.h"
#include "plan/inner.h"
#include "version/dotted.h"

static bool is_wanted_extra(const char *extra)
{
    static const char *const extras[] = {"cuda12", "cuda13", "cuda12_pip", "cuda11_pip", NULL};
    return tn_str_in(extra, extras);
}

/* An extra whose row names another CUDA ("cuda13" of 0.7.1): what it takes is not established. */
static bool is_of(const struct tn_table *t, uint32_t r, const char *extra)
{
    const char *min = tn_facts_get(t, r, "cuda_min"), *cuda = *min ? min : tn_facts_get(t, r, "built_cuda");
    return !*cuda || strncmp(cuda, extra + strlen("cuda"), 2) == 0;
}

static bool seen(const struct tn_plan_builds *b, const char *version, const char *variant)
{
    size_t n = strlen(variant) - (tn_str_ends(variant, "_pip") ? 4 : 0);
    for (size_t i = b->n; i-- > 0 && tn_str_eq(b->v[i].version, version);)
        if (strncmp(b->v[i].variant, variant, n) == 0)
            return true;
    return false;
}

/* "12.1.105" -> ">=12.1,<13": a bare number is a lower bound. */
static const char *line_of(struct tn_arena *mem, const char *min)
{
    char minor[TN_DOTTED_TEXT];
    if (!tn_version_dotted_head(min, 2, minor, sizeof minor))
        return "";
    return tn_arena_printf(mem, ">=%s,<%u", minor, (unsigned)tn_version_dotted_major(min) + 1);
}

/* "8.9" -> ">=8.9,<9": a library of cuDNN 9 has another name (libcudnn.so.8, .so.9); newer metadata says so itself. */
static const char *lower(struct tn_arena *mem, const char *min)
{
    if (!*min || !tn_is_digit(*min))
        return min;
    if (strchr(min, ','))
        return tn_arena_printf(mem, ">=%s", min);
    return tn_arena_printf(mem, ">=%s,<%u", min, (unsigned)tn_version_dotted_major(min) + 1);
}

struct libs {
    struct tn_plan_wheel *v;
    size_t n, cap;
};

static void take_lib(const struct libs *all, const char *version, struct tn_plan_build *b)
{
    for (size_t i = 0; i < all->n; i++)
        if (tn_version_dotted_cmp(all->v[i].version, version) == 0) {
            b->glibc_min = all->v[i].glibc_min;
            b->date = all->v[i].cite.date;
            b->wheel = all->v[i].cite;
            if (!*b->python_min) {
                b->python_min = all->v[i].python_min;
                b->python_max = all->v[i].python_max;
            }
            b->mb = all->v[i].mb;
            return;
        }
}

static struct tn_plan_build *add(struct tn_arena *mem, const struct tn_table *t, uint32_t r, struct tn_plan_builds *ret)
{
    struct tn_plan_build *b = tn_plan_build_add(mem, ret);
    b->kind = TN_PLAN_JAX;
    b->package = "jax";
    b->version = tn_facts_get(t, r, "jax_version");
    b->python_min = tn_facts_get(t, r, "python_min");
    b->python_max = tn_facts_get(t, r, "python_max");
    b->date = tn_facts_get(t, r, "tag_date");
    b->cite = tn_facts_cite(t, r);
    return b;
}

static void add_gpu(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_table *t, uint32_t r,
                    const struct libs *libs, struct tn_plan_builds *ret)
{
    struct tn_plan_build *b = add(mem, t, r, ret);
    const char *min = tn_facts_get(t, r, "cuda_min"), *built = tn_facts_get(t, r, "built_cuda");
    char minor[TN_DOTTED_TEXT];
    b->gpu = true;
    b->variant = tn_facts_get(t, r, "cuda_extra");
    if (tn_version_dotted_head(*built ? built : min, 2, minor, sizeof minor))
        b->cuda = tn_arena_strdup(mem, minor);
    b->cudnn = tn_facts_get(t, r, "built_cudnn");
    if (!*b->cuda) { /* up to 0.4.7 the extra names no versions: its own name says the major, and nothing says what was
                        tested */
        b->cuda = tn_arena_printf(mem, "%.2s.0", b->variant + strcspn(b->variant, "0123456789"));
        b->quality = TN_PLAN_DOCUMENTED;
    }
    b->cuda_spec = line_of(mem, *min ? min : b->cuda);
    b->cudnn_spec = lower(mem, tn_facts_get(t, r, "cudnn_min"));
    b->sass = tn_facts_get(t, r, "sass");
    b->ptx = tn_facts_get(t, r, "ptx");
    take_lib(libs, tn_facts_get(t, r, "jaxlib_version"), b);
    if (m->windows)
        tn_plan_exclude(b, TN_ASPECT_SYSTEM);
    tn_plan_judge(b, m);
}

void tn_plan_list_jax(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                      struct tn_plan_builds *ret)
{
    const struct tn_table *t = tn_facts_find("jax_builds");
    struct tn_plan_wheels it;
    struct libs libs = {0};
    struct tn_plan_wheel w;
    const char *last = "";
    (void)method;
    tn_plan_wheels_of(&it, "jaxlib", tn_plan_wheel_platform(m), m->arch);
    while (tn_plan_wheels_next(&it, &w)) {
        if (libs.n == libs.cap)
            libs.v = tn_arena_grow(mem, libs.v, libs.n, &libs.cap, sizeof *libs.v);
        libs.v[libs.n++] = w;
    }
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        const char *version = tn_facts_get(t, r, "jax_version"), *extra = tn_facts_get(t, r, "cuda_extra");
        if (tn_facts_rank(t, r) != 1)
            continue;
        if (is_wanted_extra(extra) && is_of(t, r, extra) && !seen(ret, version, extra))
            add_gpu(mem, m, t, r, &libs, ret);
        if (!tn_str_eq(version, last)) {
            struct tn_plan_build *b = add(mem, t, r, ret);
            take_lib(&libs, tn_facts_get(t, r, "jaxlib_version"), b);
            tn_plan_judge(b, m);
        }
        last = version;
    }
}
