/* framework_companions.c - CuPy and TensorRT: CUDA libraries with a Python face, each built for one CUDA major.
 *
 * Sources, read in wheels: cupy-cuda12x 13.6.0 and cupy-cuda13x 14.0.1 (cupy/_version.py; cupy/.data/_wheel.json:
 * "cuda": "12.x"), whose names say the same: cuda12x, before CuPy 12 one release each: cuda117, cuda102 (cupy/cupy
 * docs, install.rst); tensorrt-cu12-bindings 11.4.0.106 (one name for each CUDA major from TensorRT 8.6 on;
 * nvidia-tensorrt and plain tensorrt before). A source build ("cupy", conda) says by its record's build string at most.
 */
#include <string.h>

#include "base/str.h"
#include "probe/framework.h"

/* "12.x" -> "12", "11.2" stays. */
static void set_cuda(struct tn_pyfw *f, const char *text, size_t n, uint32_t src)
{
    size_t len = strspn(text, "0123456789.");
    len = len < n ? len : n;
    while (len && text[len - 1] == '.')
        len--;
    if (len)
        tn_pyfw_row(f)->cuda = tn_fact_strn(f->p->s, src, text, len);
}

/* "cuda12x" -> 12, "cuda117" -> 11.7, "cuda92" -> 9.2, "cu12" -> 12. */
static void cuda_of_name(struct tn_pyfw *f, const char *digits, uint32_t src)
{
    size_t n = strspn(digits, "0123456789");
    if (n == 2 && (digits[2] == 'x' || digits[0] == '1')) /* a major: 12x, cu12, cuda11x; but not 92 or 80 */
        set_cuda(f, digits, 2, src);
    else if (n == 2 || n == 3)
        tn_pyfw_row(f)->cuda =
            tn_fact_str(f->p->s, src, tn_arena_printf(f->p->mem, "%.*s.%c", (int)n - 1, digits, digits[n - 1]));
}

/* The first row of dist whose name begins so; its digits behind. */
static const struct tn_rec_dist *find_prefix(struct tn_pyfw *f, const char *head, const char **ret_digits)
{
    struct tn_snap *s = f->p->s;
    size_t n = strlen(head);
    for (size_t i = f->p->first_dist; i < s->dist.n; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        if (strncmp(d->name.v, head, n) == 0 && tn_is_digit(d->name.v[n]) && !tn_is(d->whole, 0)) {
            *ret_digits = d->name.v + n;
            return d;
        }
    }
    return NULL;
}

static void take_dist(struct tn_pyfw *f, const struct tn_rec_dist *d, const char *digits)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    r->package = d->name;
    if (r->version.k != TN_KNOWN)
        r->version = d->version;
    if (digits && r->cuda.k != TN_KNOWN) {
        cuda_of_name(f, digits, d->name.src);
        r->evidence = tn_fact_str(f->p->s, d->name.src, "name");
    }
}

void tn_pyfw_cupy(struct tn_pyfw *f)
{
    static const char *const plain[] = {"cupy", "cupy-core", NULL};
    uint32_t src = f->site->src, by = src;
    const char *digits = NULL;
    struct tn_pyvalue v;
    struct tn_answer a = tn_pyfw_read(f, "_version.py", &src);
    if (a.got == TN_KNOWN && tn_pyfw_value(f->p->mem, a.data, "__version__", &v) && v.kind == TN_PYVALUE_STR)
        tn_pyfw_row(f)->version = tn_fact_str(f->p->s, src, v.text);
    a = tn_pyfw_read(f, ".data/_wheel.json", &by);
    if (a.got == TN_KNOWN && tn_pyfw_value(f->p->mem, a.data, "cuda", &v) && v.kind == TN_PYVALUE_STR) {
        set_cuda(f, v.text, strlen(v.text), by);
        tn_pyfw_row(f)->evidence = tn_fact_str(f->p->s, by, "_wheel.json");
    }
    const struct tn_rec_dist *d = find_prefix(f, "cupy-cuda", &digits);
    if (d)
        take_dist(f, d, digits);
    else if (!tn_pyfw_package(f, plain) && find_prefix(f, "cupy-rocm-", &digits))
        tn_pyfw_row(f)->gpu_build = tn_fact_int(src, 0);
    if (tn_pyfw_row(f)->cuda.k == TN_KNOWN)
        tn_pyfw_row(f)->gpu_build = tn_fact_int(tn_pyfw_row(f)->cuda.src, 1);
    tn_pyfw_close(f, TN_ABSENT, src);
}

void tn_pyfw_tensorrt(struct tn_pyfw *f)
{
    static const char *const plain[] = {"tensorrt", "tensorrt-bindings", "tensorrt-libs", "nvidia-tensorrt", NULL};
    const char *digits = NULL;
    const struct tn_rec_dist *d = find_prefix(f, "tensorrt-cu", &digits);
    if (d)
        take_dist(f, d, digits);
    else
        tn_pyfw_package(f, plain);
    tn_pyfw_row(f)->gpu_build = tn_fact_int(f->site->src, 1); /* there is no other */
    tn_pyfw_close(f, TN_ABSENT, f->site->src);
}
