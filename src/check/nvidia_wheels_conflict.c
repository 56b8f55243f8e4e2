/* nvidia_wheels_conflict.c - NVIDIA's packages in the environment are not the ones that its frameworks were made for.
 *
 * Within a CUDA major a newer library serves an older build (CUDA and cuDNN promise that), so a newer one than metadata
 * names is a warning: pip check complains, it works. An older one fails where somebody checks or a symbol is missing:
 *  - cuDNN: another major, or an older minor, is refused (torch/backends/cudnn/__init__.py in torch 2.9.1; TensorFlow's
 *    cuda_dnn.cc; jax_plugins/cuda/__init__.py);
 *  - JAX asks six libraries for their version and refuses what is older than its minimum (the same file);
 *  - nvJitLink and NCCL: cuSPARSE and PyTorch are linked against symbols of their own release ("undefined symbol:
 *    __nvJitLinkComplete_12_4, version libnvJitLink.so.12"; pytorch/pytorch issues 111469 and 134929, for NCCL 119072).
 * Packages for two CUDA majors lie side by side unless they hold files of the same name: then the later one has
 * overwritten the earlier. Names: libraries in the wheels, see table cuda_libs. With cuDNN each is linked to the cuBLAS
 * of its CUDA; an older NCCL over a newer one leaves PyTorch without symbols (pytorch/pytorch issue 186591). */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "check/needs.h"
#include "version/dotted.h"

static bool is(const char *name, const char *component)
{
    size_t n = strlen(component);
    return tn_str_starts(name, "nvidia-") && strncmp(name + 7, component, n) == 0 &&
           (name[7 + n] == '\0' || strncmp(name + 7 + n, "-cu", 3) == 0);
}

static bool is_jax(const char *name)
{
    return tn_str_starts(name, "jax-cuda") && tn_str_ends(name, "-plugin");
}

static bool jax_looks_at(const char *name)
{
    return is(name, "cuda-runtime") || is(name, "cudnn") || is(name, "cufft") || is(name, "cuda-cupti") ||
           is(name, "cublas") || is(name, "cusparse");
}

enum harm { NONE, COMPLAINT, FAILS };

static enum harm harm_of(const struct tn_judge *j, const struct tn_need *n, const char *framework, bool extra)
{
    const char *have = tn_needs_version(j, n->have);
    bool cudnn = is(n->q.name, "cudnn");
    if (n->met || !*have)
        return NONE;
    if (cudnn && *n->floor &&
        (tn_needs_differ(have, n->floor, 1) || tn_version_dotted_cmp_parts(have, n->floor, 2) < 0))
        return FAILS;
    if (n->older && is_jax(framework) && jax_looks_at(n->q.name))
        return FAILS;
    if (n->older && !extra && is(n->q.name, "nvjitlink"))
        return FAILS;
    if (n->older && strcmp(framework, "torch") == 0 && is(n->q.name, "nccl") &&
        tn_version_dotted_cmp_parts(have, n->floor, 2) < 0)
        return FAILS;
    return extra ? NONE : COMPLAINT; /* nobody knows whether the extra was asked for */
}

struct worst {
    struct tn_need need;
    enum harm harm;
    unsigned n;
    size_t have[8];
};

static void weigh(const struct tn_judge *j, const struct tn_need *n, const char *framework, bool extra,
                  struct worst *ret)
{
    enum harm h = NONE;
    if (n->have < j->s->dist.n && tn_str_starts(n->q.name, "nvidia-")) /* what is missing, its absence tells */
        h = harm_of(j, n, framework, extra);
    if (h > ret->harm) {
        ret->need = *n;
        ret->harm = h;
    }
    if (h && ret->n < TN_LEN(ret->have))
        ret->have[ret->n++] = n->have;
}

static void look(const struct tn_judge *j, size_t who, const char *extras, const char *framework, bool extra,
                 struct worst *ret)
{
    struct tn_need n, inner;
    for (struct tn_needs it = tn_needs_of(j, who, extras); tn_needs_next(&it, &n);) {
        weigh(j, &n, framework, extra, ret);
        /* torch 2.11 and later name NVIDIA's packages by way of this one. */
        if (n.have < j->s->dist.n && strcmp(n.q.name, "cuda-toolkit") == 0)
            for (struct tn_needs in = tn_needs_of(j, n.have, n.q.extras); tn_needs_next(&in, &inner);)
                weigh(j, &inner, framework, extra, ret);
    }
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t who, const struct worst *w)
{
    bool fails = w->harm == FAILS;
    const struct tn_need *n = &w->need;
    struct tn_finding *f = tn_find(out, fails ? TN_CONFIRMED : TN_POSSIBLE, TN_REF(dist, n->have, version));
    f->variant = fails ? "older" : w->n > 1 ? "several" : "metadata";
    if (!fails)
        f->severity = TN_WARNING;
    tn_needs_say(out, f, j, who, n->q.name, n->have, n->want);
    tn_find_arg(out, f, "n", "%u", w->n);
    for (unsigned i = 0; i < w->n; i++)
        tn_find_evidence(f, TN_REF(dist, w->have[i], version));
    tn_needs_remedy(out, f, j, n->q.name, n->want);
}

/* A framework's own needs, and those of the extra that brings NVIDIA's packages. */
static void judge_needs(const struct tn_judge *j, struct tn_sink *out, size_t who)
{
    const char *name = j->s->dist.v[who].name.v;
    bool tf = tn_needs_is_tensorflow(name), jax = is_jax(name);
    struct worst w;
    memset(&w, 0, sizeof w);
    if (!tf && !jax && strcmp(name, "torch") != 0)
        return;
    look(j, who, tf ? "and-cuda" : jax ? "with-cuda" : "", name, tf || jax, &w);
    if (w.harm)
        report(j, out, who, &w);
}

/* Components whose packages for different CUDA majors hold files of the same name, below nvidia/FOLDER/lib. */
static const struct {
    const char *component, *last; /* last: the newest CUDA major that has this layout, "" for any */
} shared[] = {{"cudnn", ""}, {"nccl", ""}, {"nvshmem", ""}, {"cusparselt", ""}, {"curand", "12"}, {"cusolver", "12"}};

static size_t package_of(const struct tn_judge *j, const char *component, unsigned major)
{
    char name[64];
    snprintf(name, sizeof name, "nvidia-%s-cu%u", component, major);
    size_t row = tn_needs_have(j, name);
    /* 0.0.1: a name without a library in it. */
    return tn_version_dotted_cmp(tn_needs_version(j, row), "0.1") >= 0 ? row : j->s->dist.n;
}

static void report_overwritten(const struct tn_judge *j, struct tn_sink *out, const char *component, size_t a, size_t b)
{
    bool hurts = strcmp(component, "cudnn") == 0 ||
                 (strcmp(component, "nccl") == 0 && tn_needs_have(j, "torch") < j->s->dist.n &&
                  tn_needs_differ(tn_needs_version(j, a), tn_needs_version(j, b), 3));
    struct tn_finding *f = tn_find(out, hurts ? TN_LIKELY : TN_POSSIBLE, TN_REF(dist, a, name));
    f->variant = "overwritten";
    if (!hurts)
        f->severity = TN_WARNING;
    tn_find_arg(out, f, "needs", "%s", j->s->dist.v[a].name.v);
    tn_find_arg(out, f, "other", "%s", j->s->dist.v[b].name.v);
    tn_find_arg(out, f, "folder", "nvidia/%s", component);
    tn_find_evidence(f, TN_REF(dist, a, name));
    tn_find_evidence(f, TN_REF(dist, b, name));
    for (unsigned i = 0; i < 2; i++) {
        size_t row = i ? b : a;
        if (tn_known(j->s->dist.v[row].damage))
            tn_find_evidence(f, TN_REF(dist, row, damage));
    }
    struct tn_remedy *r = tn_find_remedy(out, f, "separate-environments", NULL);
    tn_remedy_arg(out, r, "name", "%s", j->s->dist.v[a].name.v);
    tn_remedy_arg(out, r, "want", "%s==%s", j->s->dist.v[b].name.v, tn_needs_version(j, b));
    tn_look_env_args(out, r, j);
}

static void judge_shared(const struct tn_judge *j, struct tn_sink *out)
{
    for (size_t i = 0; i < TN_LEN(shared); i++)
        for (unsigned a = 11; a <= 13; a++)
            for (unsigned b = a + 1; b <= 13; b++) {
                size_t x = package_of(j, shared[i].component, a), y = package_of(j, shared[i].component, b);
                if (x == j->s->dist.n || y == j->s->dist.n || (*shared[i].last && b > 12))
                    continue;
                bool cudnn = strcmp(shared[i].component, "cudnn") == 0;
                if (!cudnn || !tn_needs_differ(tn_needs_version(j, x), tn_needs_version(j, y), 1))
                    report_overwritten(j, out, shared[i].component, x, y);
            }
}

static bool any_nvidia(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_dist *d; (d = tn_needs_dist(j, &row));)
        if (tn_str_starts(d->name.v, "nvidia-"))
            return true;
    return false;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    if (!any_nvidia(j))
        return;
    while (tn_needs_dist(j, &row))
        judge_needs(j, out, row - 1);
    judge_shared(j, out);
}

TN_CHECK(nvidia_wheels_conflict, "nvidia-wheels-conflict", run, .needs = TN_NEEDS_FRAMEWORK);
