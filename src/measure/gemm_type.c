/* gemm_type.c - see gemm_type.h.
 *
 * Row by row, C = A B, is column by column, as both libraries count, C' = B' A': the factors are handed over exchanged,
 * and leading dimensions are the lengths of rows. Sizes are multiples of 16, which every type's fast path wants. */
#include "measure/gemm_type.h"

#include <string.h>

#include "os/os.h"

const struct tn_gemm_type tn_gemm_types[TN_GEMM_TYPES] = {
    {TN_FP64, 1, 1, 1, 70, 1, 0},  {TN_FP32, 0, 0, 0, 68, 0, 0},     {TN_TF32, 0, 0, 0, 77, -1, 80},
    {TN_FP16, 2, 2, 0, 68, 0, 53}, {TN_BF16, 14, 14, 0, 68, -1, 80}, {TN_INT8, 3, 10, 10, 72, 10, 61}};

const double tn_gemm_zero = 0; /* all bits clear in every type */

const void *tn_gemm_one(const struct tn_gemm_type *t)
{
    static const double d = 1;
    static const float f = 1;
    static const int i = 1;
    return t->scale == 1 ? (const void *)&d : t->scale == 10 ? (const void *)&i : (const void *)&f;
}

bool tn_gemm_put(struct tn_gpu *g, const struct tn_gemm_type *t, bool large, struct tn_gemm_data *ret)
{
    static const struct tn_ref_matmul small = {48, 80, 64, 11}, big = {208, 176, 272, 23};
    struct tn_gemm_data d = {.shape = large ? big : small};
    const struct tn_ref_matmul *s = &d.shape;
    size_t na = (size_t)s->m * s->k, nb = (size_t)s->k * s->n;
    void *a = tn_arena_array(&g->mem, na, tn_ref_size(t->p)), *b = tn_arena_array(&g->mem, nb, tn_ref_size(t->p));
    tn_ref_fill(t->p, s->seed, na, a);
    tn_ref_fill(t->p, s->seed + 1, nb, b);
    d.a = tn_gpu_put(g, a, na * tn_ref_size(t->p));
    d.b = d.a ? tn_gpu_put(g, b, nb * tn_ref_size(t->p)) : 0;
    d.c = d.b ? tn_gpu_put(g, NULL, (size_t)s->m * s->n * tn_ref_out_size(t->p)) : 0;
    *ret = d;
    return d.c != 0;
}

bool tn_gemm_judge(struct tn_gpu *g, const struct tn_gemm_type *t, const struct tn_gemm_data *d)
{
    size_t n = (size_t)d->shape.m * d->shape.n;
    void *c = tn_arena_array(&g->mem, n, tn_ref_out_size(t->p));
    if (!tn_gpu_take(g, c, d->c, n * tn_ref_out_size(t->p)))
        return false;
    /* This alone puts TF32 in FP32's place: said, not wrong. */
    const char *override = tn_os_env(&g->mem, "NVIDIA_TF32_OVERRIDE");
    bool tf32 = t->p == TN_FP32 && override && strcmp(override, "1") == 0;
    return tn_tell_matmul(&d->shape, t->p, tf32 ? TN_TF32 : t->p, c, "gpu", NULL);
}

bool tn_gemm_all(struct tn_gpu *g, bool whole_numbers, void *ctx,
                 bool (*multiply)(void *ctx, struct tn_gpu *g, const struct tn_gemm_type *t,
                                  const struct tn_gemm_data *d))
{
    bool ok = true;
    tn_gpu_step(g, "matmul", 120000);
    for (unsigned i = 0; ok && i < TN_GEMM_TYPES; i++) {
        const struct tn_gemm_type *t = &tn_gemm_types[i];
        struct tn_gemm_data d;
        if ((t->p == TN_INT8 && !whole_numbers) || (g->major < 11 && t->compute10 < 0))
            continue;
        if (g->capability < t->capability) {
            tn_tell("skipped what=matmul precision=%s device=gpu why=not-on-card", tn_precision_word(t->p));
            continue;
        }
        ok = tn_gemm_put(g, t, g->full, &d) && multiply(ctx, g, t, &d) && tn_gemm_judge(g, t, &d);
        ok = tn_gpu_drop(g) && ok;
    }
    return ok;
}
