/* judge.c - which environment the verdict is about, and what is expected of it (design 6.1, 6.2).
 *
 * Invariant: the expectation is decided by facts alone, and its reason can be said. */
#include <limits.h>
#include <string.h>

#include "base/str.h"
#include "finding/verdict.h"
#include "strings.gen.h"

const struct tn_rec_gpu *tn_judge_gpu(const struct tn_judge *j, size_t *row)
{
    for (; *row < j->s->gpu.n; (*row)++) {
        const struct tn_rec_gpu *g = &j->s->gpu.v[*row];
        if (tn_says(g->vendor, "nvidia") || tn_says(g->vendor, "0x10de")) {
            (*row)++;
            return g;
        }
    }
    return NULL;
}

static bool is_own(const struct tn_judge *j, struct tn_str env)
{
    return j->env && tn_known(j->env->id) && tn_says(env, j->env->id.v);
}

bool tn_judge_sees(const struct tn_judge *j, struct tn_str env)
{
    const char *base = j->rows ? j->rows->base : j->base;
    return is_own(j, env) || (base && tn_says(env, base));
}

const char *tn_judge_base(const struct tn_snap *s, const struct tn_rec_env *env)
{
    enum tn_path_style style = tn_snap_style(s);
    if (env == NULL || !tn_is(env->system_site, 1) || !tn_known(env->base))
        return NULL;
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        if (e != env && tn_known(e->id) && tn_known(e->path) && tn_path_same(style, e->path.v, env->base.v))
            return e->id.v;
    }
    return NULL;
}

/* The base's TensorFlow is not met by an environment that has one of its own. */
static bool is_hidden(const struct tn_judge *j, const struct tn_rec_framework *f, size_t from, size_t end)
{
    if (is_own(j, f->env))
        return false;
    for (size_t i = from; i < end; i++)
        if (is_own(j, j->s->framework.v[i].env) && tn_known(f->name) && tn_says(j->s->framework.v[i].name, f->name.v))
            return true;
    return false;
}

/* CuPy and TensorRT stand beside frameworks: what they ask for is judged by checks of their own. */
static bool is_library(const struct tn_rec_framework *f)
{
    return tn_says(f->name, "cupy") || tn_says(f->name, "tensorrt");
}

const struct tn_rec_framework *tn_judge_framework(const struct tn_judge *j, size_t *row)
{
    size_t end = j->rows ? j->rows->framework.to : j->s->framework.n;
    size_t from = j->rows ? j->rows->framework.from : 0;
    if (*row < from)
        *row = from;
    for (; *row < end; (*row)++) {
        const struct tn_rec_framework *f = &j->s->framework.v[*row];
        if (tn_judge_sees(j, f->env) && !is_library(f) && !is_hidden(j, f, from, end)) {
            (*row)++;
            return f;
        }
    }
    return NULL;
}

bool tn_judge_node(const struct tn_snap *s, const char *path)
{
    for (size_t i = 0; i < s->node.n; i++)
        if (tn_says(s->node.v[i].path, path))
            return true;
    return false;
}

const struct tn_rec_dist *tn_judge_dist(const struct tn_judge *j, const char *name)
{
    const struct tn_rec_dist *of_base = NULL, *of_conda = NULL;
    size_t end = j->rows ? j->rows->dist.to : j->s->dist.n;
    for (size_t i = j->rows ? j->rows->dist.from : 0; i < end; i++) {
        const struct tn_rec_dist *d = &j->s->dist.v[i];
        if (!tn_judge_sees(j, d->env) || !tn_says(d->name, name) || tn_is(d->hidden, 1) ||
            tn_says(d->damage, "leftover"))
            continue;
        bool own = is_own(j, d->env), conda = tn_says(d->place, "conda");
        if (own && !conda)
            return d;
        if (own && of_conda == NULL)
            of_conda = d;
        if (!own && of_base == NULL)
            of_base = d;
    }
    return of_conda ? of_conda : of_base;
}

/* The next row at or after row that may matter to the judge. */
static size_t next_library(const struct tn_judge *j, size_t row)
{
    const struct tn_range *r[2];
    size_t best = j->s->library.n;
    if (!j->rows)
        return row;
    r[0] = &j->rows->library;
    r[1] = &j->rows->common;
    for (unsigned i = 0; i < 2; i++) {
        size_t at = row > r[i]->from ? row : r[i]->from;
        if (at < r[i]->to && at < best)
            best = at;
    }
    return best;
}

const struct tn_rec_library *tn_judge_library(const struct tn_judge *j, size_t *row)
{
    while ((*row = next_library(j, *row)) < j->s->library.n) {
        const struct tn_rec_library *l = &j->s->library.v[(*row)++];
        if (!tn_known(l->env) || tn_judge_sees(j, l->env))
            return l;
    }
    return NULL;
}

/* Anything that only an NVIDIA driver leaves behind. */
static bool sees_driver(const struct tn_snap *s)
{
    const struct tn_rec_driver *d = TN_THE(s, driver);
    if (tn_is(d->loaded, 1) || tn_known(d->version) || tn_known(d->library_version) || tn_known(d->cuda))
        return true;
    for (size_t i = 0; i < s->module.n; i++)
        if (tn_known(s->module.v[i].name) && tn_str_starts(s->module.v[i].name.v, "nvidia"))
            return true;
    return false;
}

static void expect_by_evidence(struct tn_judge *j)
{
    size_t row = 0, cpu_builds = 0;
    j->expect = TN_EXPECT_GPU;
    if (tn_judge_gpu(j, &row)) {
        j->why = TN_S_expect_gpu_seen;
        return;
    }
    if (sees_driver(j->s)) {
        j->why = TN_S_expect_driver_seen;
        return;
    }
    row = 0;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));) {
        if (tn_is(f->gpu_build, 1)) {
            j->why = TN_S_expect_gpu_build;
            return;
        }
        cpu_builds += tn_is(f->gpu_build, 0);
    }
    if (cpu_builds)
        j->expect = TN_EXPECT_CPU;
    j->why = cpu_builds ? TN_S_expect_cpu_builds : TN_S_expect_default;
}

int tn_judge_init(struct tn_judge *j, const struct tn_snap *s, const char *expect, struct tn_err *err)
{
    struct tn_judge n;
    uint64_t count = 0;
    memset(&n, 0, sizeof n);
    n.s = s;
    n.env = tn_snap_judged(s);
    n.env_row = n.env ? (size_t)(n.env - s->env.v) : 0;
    n.base = tn_judge_base(s, n.env);
    if (expect == NULL) {
        expect_by_evidence(&n);
    } else {
        n.why = TN_S_expect_option;
        if (strcmp(expect, "cpu") == 0)
            n.expect = TN_EXPECT_CPU;
        else if (strcmp(expect, "gpu") == 0)
            n.expect = TN_EXPECT_GPU;
        else if (tn_str_u64(expect, strlen(expect), 10, &count) && count <= UINT_MAX)
            n.expect = count ? TN_EXPECT_GPU : TN_EXPECT_CPU;
        else
            return tn_err_set(err, TN_E_USAGE, expect, "expected is gpu, cpu or a number of GPUs");
        n.gpus = (unsigned)count;
    }
    *j = n;
    return 0;
}
