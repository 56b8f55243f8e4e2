/* framework_torch.c - PyTorch by torch/version.py and the object that needs the CUDA libraries.
 *
 * Source: pytorch tools/generate_torch_version.py (cuda and hip are None or a text; a CPU build has both None). Its
 * CUDA libraries are DT_NEEDED of libtorch_cuda.so, found by its run path (from 1.13 on in the nvidia-* wheels). */
#include <string.h>

#include "base/str.h"
#include "probe/framework.h"

static const char *const packages[] = {"torch", "pytorch", "pytorch-gpu", "pytorch-cpu", "libtorch", NULL};

/* The wheel's own pin, "nvidia-cudnn-cu12==9.1.0.70; ...", is nearer than the table. */
static void cudnn_of_pin(struct tn_pyfw *f, const struct tn_rec_dist *d)
{
    for (uint32_t i = 0; d && d->requires.k == TN_KNOWN && i < d->requires.n; i++) {
        const char *one = d->requires.v[i], *eq = strstr(one, "==");
        if (!tn_str_starts(one, "nvidia-cudnn-cu") || !eq)
            continue;
        size_t n = strspn(eq + 2, "0123456789.");
        if (n)
            tn_pyfw_row(f)->cudnn = tn_fact_strn(f->p->s, d->requires.src, eq + 2, n);
    }
}

/* Without version.py the local part of the version is all there is: 2.1.0+cu121, 2.1.0+cpu. */
static void build_of_version(struct tn_pyfw *f)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    const char *plus = r->version.k == TN_KNOWN ? strchr(r->version.v, '+') : NULL;
    if (!plus)
        return;
    if (strcmp(plus, "+cpu") == 0)
        r->gpu_build = tn_fact_int(r->version.src, 0);
    size_t n = tn_str_starts(plus, "+cu") ? strspn(plus + 3, "0123456789") : 0;
    if (n < 2 || plus[3 + n])
        return;
    r->gpu_build = tn_fact_int(r->version.src, 1);
    r->cuda = tn_fact_str(f->p->s, r->version.src,
                          tn_arena_printf(f->p->mem, "%.*s.%c", (int)n - 1, plus + 3, plus[3 + n - 1]));
    r->evidence = tn_fact_str(f->p->s, r->version.src, "version");
}

void tn_pyfw_torch(struct tn_pyfw *f)
{
    uint32_t src = f->site->src;
    struct tn_answer a = tn_pyfw_read(f, "version.py", &src);
    struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_pyvalue v;
    if (a.got == TN_KNOWN) {
        if (tn_pyfw_value(f->p->mem, a.data, "__version__", &v) && v.kind == TN_PYVALUE_STR)
            r->version = tn_fact_str(f->p->s, src, v.text);
        if (tn_pyfw_value(f->p->mem, a.data, "cuda", &v)) {
            r->evidence = tn_fact_str(f->p->s, src, "version.py");
            r->gpu_build = tn_fact_int(src, v.kind == TN_PYVALUE_STR);
            r->cuda = v.kind == TN_PYVALUE_STR ? tn_fact_str(f->p->s, src, v.text) : tn_fact_nostr(src, TN_ABSENT);
        }
    }
    const struct tn_rec_dist *d = tn_pyfw_package(f, packages);
    if (r->gpu_build.k != TN_KNOWN)
        build_of_version(f);
    if (tn_is(r->gpu_build, 1)) {
        cudnn_of_pin(f, d);
        if (f->folder)
            tn_pyfw_elf(f, "torch/lib/libtorch_cuda.so", true);
        tn_pyfw_torch_of_table(f);
    }
    tn_pyfw_close(f, a.got == TN_KNOWN ? TN_ABSENT : a.got, src);
}
