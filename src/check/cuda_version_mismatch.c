/* cuda_version_mismatch.c - CUDA is there, but not the one whose library names the framework asks for.
 *
 * CUDA 12 has no cudart64_110.dll, whatever else fits. A run time of the same major but another minor than the build's
 * has the names and is compatible by design (CUDA Compatibility guide): untested, so a warning and no error; not even
 * that where the environment's own packages brought it. */
#include "check/look.h"
#include "facts/cuda.h"
#include "version/dotted.h"

static const char *version_of(const struct tn_rec_library *l)
{
    struct tn_facts_lib_range range;
    if (tn_known(l->version))
        return l->version.v;
    return tn_known(l->soname) && tn_facts_cuda_of_lib(l->soname.v, &range) == TN_ANSWER_YES ? range.first : "?";
}

static void mismatch(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *asked, size_t other)
{
    char line[32];
    const struct tn_rec_library *l = &j->s->library.v[other];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, other, soname));
    tn_look_cuda_line(asked, tn_look_cuda(j->s, &j->s->framework.v[row]), line, sizeof line);
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "line", "%s", line);
    tn_find_arg(out, f, "asked", "%s", asked);
    tn_find_arg(out, f, "other", "%s", version_of(l));
    tn_find_arg(out, f, "offers", "%s", tn_look_text(l->soname, "?"));
    tn_find_evidence(f, TN_REF(framework, row, asks));
    tn_find_evidence(f, TN_REF(library, other, soname));
    tn_find_evidence(f, TN_REF(library, other, version));
    tn_look_remedy_env_cuda(j, out, f, row);
}

static void untested(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t cudart)
{
    const char *built = tn_look_cuda(j->s, &j->s->framework.v[row]);
    const struct tn_rec_library *l = &j->s->library.v[cudart];
    if (!*built || !tn_known(l->version) || tn_known(l->env) || tn_version_dotted_count(built) < 2 ||
        tn_version_dotted_cmp_parts(l->version.v, built, 2) == 0)
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, cudart, version));
    f->severity = TN_WARNING;
    f->variant = "untested";
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "cuda", "%s", built);
    tn_find_arg(out, f, "other", "%s", l->version.v);
    tn_find_evidence(f, TN_REF(framework, row, cuda));
    tn_find_evidence(f, TN_REF(library, cudart, version));
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    struct tn_look_cuda_libs libs;
    while (tn_look_gpu_build(j, out, &row)) {
        if (!tn_look_cuda_libs(j, out, row - 1, &libs))
            continue;
        for (unsigned i = 0; i < libs.n_missing; i++)
            if (libs.other[i] < j->s->library.n) {
                mismatch(j, out, row - 1, libs.missing[i], libs.other[i]);
                break; /* one library tells it; the rest follow */
            }
        if (libs.n_missing == 0 && libs.cudart < j->s->library.n)
            untested(j, out, row - 1, libs.cudart);
    }
}

TN_CHECK(cuda_version_mismatch, "cuda-version-mismatch", run, .needs = TN_NEEDS_LIBRARY);
