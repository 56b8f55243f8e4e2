/* cuda_runtime_missing.c - the CUDA libraries that a framework opens by name are nowhere, in no version.
 *
 * One miss and TensorFlow uses no GPU ("Cannot dlopen some GPU libraries"); from 2.12 on it does not say which. */
#include "base/buf.h"
#include "check/look.h"

static bool any_other(const struct tn_judge *j, const struct tn_look_cuda_libs *libs)
{
    for (unsigned i = 0; i < libs->n_missing; i++)
        if (libs->other[i] < j->s->library.n)
            return true;
    return false;
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t row, const struct tn_look_cuda_libs *libs)
{
    char line[32];
    struct tn_buf names;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row, asks));
    tn_buf_init(&names);
    for (unsigned i = 0; i < libs->n_missing; i++)
        tn_buf_printf(&names, "%s%s", i ? ", " : "", libs->missing[i]);
    tn_look_cuda_line(libs->missing[0], tn_look_cuda(j->s, &j->s->framework.v[row]), line, sizeof line);
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "line", "%s", line);
    tn_find_arg(out, f, "missing", "%s", names.p);
    tn_find_evidence(f, TN_REF(framework, row, asks));
    tn_find_evidence(f, TN_REF_REC(library));
    tn_look_remedy_env_cuda(j, out, f, row);
    tn_buf_deinit(&names);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    struct tn_look_cuda_libs libs;
    while (tn_look_gpu_build(j, out, &row))
        if (tn_look_cuda_libs(j, out, row - 1, &libs) && libs.n_missing && !any_other(j, &libs))
            report(j, out, row - 1, &libs);
}

TN_CHECK(cuda_runtime_missing, "cuda-runtime-missing", run, .needs = TN_NEEDS_LIBRARY);
