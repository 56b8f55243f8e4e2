/* builds_torch.c - PyTorch's releases and their CUDA variants.
 *
 * The variants lie on PyTorch's own index, one folder each; the package index holds one of them, on Windows the CPU
 * build (table pytorch_builds). From 2.1 on (1.13 for the package index's) a Linux build names NVIDIA's wheels exactly,
 * so that it shares them with whoever else is in the environment; older ones and Windows' bring them inside.
 *
 * On aarch64 (Grace, GB10, Thor) the package index has the same variant from 2.11 on, for fewer cards; before, its
 * wheels there are for the CPU (column sass_aarch64; sizes in table wheels). */
#include "base/str.h"
#include "facts/pytorch.h"
#include "plan/inner.h"
#include "version/dotted.h"

struct wheels {
    struct tn_plan_wheel *v;
    size_t n, cap;
};

const char *tn_plan_torch_default(const char *version)
{
    const struct tn_table *t = tn_facts_find("pytorch_builds");
    const struct tn_filter f[] = {{"torch_version", TN_FILTER_EQ, version}, {"pypi_default", TN_FILTER_EQ, "yes"}};
    uint32_t r = t ? tn_facts_next(t, 0, f, TN_LEN(f)) : 0;
    return t && r < t->nrows ? tn_facts_get(t, r, "variant") : "";
}

static void read_wheels(struct tn_arena *mem, const struct tn_plan_machine *m, struct wheels *ret)
{
    struct tn_plan_wheels it;
    struct tn_plan_wheel w;
    tn_plan_wheels_of(&it, "torch", tn_plan_wheel_platform(m), m->arch);
    while (tn_plan_wheels_next(&it, &w)) {
        if (ret->n == ret->cap)
            ret->v = tn_arena_grow(mem, ret->v, ret->n, &ret->cap, sizeof *ret->v);
        ret->v[ret->n++] = w;
    }
}

static const struct tn_plan_wheel *wheel_of(const struct wheels *all, const char *version)
{
    for (size_t i = 0; i < all->n; i++)
        if (tn_str_eq(all->v[i].version, version))
            return &all->v[i];
    return NULL;
}

static bool seen(const struct tn_plan_builds *b, const char *version, const char *variant)
{
    for (size_t i = 0; i < b->n; i++)
        if (tn_str_eq(b->v[i].version, version) && tn_str_eq(b->v[i].variant, variant))
            return true;
    return false;
}

static void add_gpu(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_table *t, uint32_t r,
                    const struct tn_plan_wheel *w, struct tn_plan_builds *ret)
{
    struct tn_plan_build *b = tn_plan_build_add(mem, ret);
    bool aarch64 = !m->windows && tn_str_eq(m->arch, "aarch64");
    bool own = tn_str_eq(tn_facts_get(t, r, "pypi_default"), "yes");
    b->kind = TN_PLAN_TORCH;
    b->gpu = true;
    b->package = "torch";
    b->version = tn_facts_get(t, r, "torch_version");
    b->variant = tn_facts_get(t, r, "variant");
    if (w)
        tn_plan_take_wheel(b, w);
    b->cuda = tn_facts_get(t, r, "cuda");
    b->cudnn = tn_facts_get(t, r, "cudnn");
    if (*tn_facts_get(t, r, "python_min")) {
        b->python_min = tn_facts_get(t, r, "python_min");
        b->python_max = tn_facts_get(t, r, "python_max");
    }
    const char *sass = m->windows ? "sass_windows" : aarch64 ? "sass_aarch64" : "sass_linux";
    const char *ptx = m->windows ? "ptx_windows" : aarch64 ? "ptx_aarch64" : "ptx_linux";
    b->sass = tn_facts_get(t, r, sass);
    b->ptx = tn_facts_get(t, r, ptx);
    b->cite = tn_facts_cite(t, r);
    if (m->windows || tn_version_dotted_cmp(b->version, own ? "1.13" : "2.1") < 0) {
        b->mark |= TN_PLAN_BUNDLED;
    } else {
        b->cuda_spec = tn_arena_printf(mem, "==%s.*", b->cuda);
        b->cudnn_spec = *b->cudnn ? tn_arena_printf(mem, "==%s", b->cudnn) : "";
    }
    if (aarch64 ? !*b->sass : !tn_str_eq(m->arch, "x86_64"))
        tn_plan_exclude(b, TN_ASPECT_ARCH);
    tn_plan_judge(b, m);
}

void tn_plan_list_torch(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                        struct tn_plan_builds *ret)
{
    const struct tn_table *t = tn_facts_find("pytorch_builds");
    struct wheels all = {0};
    (void)method;
    read_wheels(mem, m, &all);
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        const char *version = tn_facts_get(t, r, "torch_version"), *variant = tn_facts_get(t, r, "variant");
        if (tn_facts_rank(t, r) == 1 && tn_str_starts(variant, "cu") && tn_version_dotted_ok(version) &&
            !tn_str_ends(version, "dev0") && !seen(ret, version, variant))
            add_gpu(mem, m, t, r, wheel_of(&all, version), ret);
    }
    for (size_t i = 0; i < all.n; i++) {
        struct tn_plan_build *b = tn_plan_build_add(mem, ret);
        b->kind = TN_PLAN_TORCH;
        b->package = "torch";
        b->version = all.v[i].version;
        b->variant = "cpu";
        tn_plan_take_wheel(b, &all.v[i]);
        b->cite = all.v[i].cite;
        tn_plan_judge(b, m);
    }
}
