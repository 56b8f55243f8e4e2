/* cudnn_version_mismatch.c - the cuDNN that would be loaded does not go with the build, or not with itself.
 *
 * Rules: the major must be the build's, and the minor no older (TensorFlow: "CuDNN library needs to have matching major
 * version and equal or higher minor version"; tensorflow stream_executor/cuda/cuda_dnn.cc). All parts of one cuDNN have
 * one version (cuDNN installation guide: 8 and 9 are sets of libraries). The name proves the major only: cudnn64_8.dll
 * is 8.0 to 8.9. A newer minor is compatible by the rule above: alone it is untested. Only where CUDA is another minor
 * than the build's too, and no release was ever tested with such a pair, cuDNN is the likely culprit of odd faults.
 * A release of cuDNN serves cards from some capability on: 9.11 left out all before Turing (NVIDIA's support matrices,
 * table cudnn_support), within a major that builds take whole. Before 9.0 it serves none that came after it either
 * (tn_facts_cudnn_newest_major). */
#include "base/str.h"
#include "check/look.h"
#include "check/needs.h"
#include "facts/cudnn.h"
#include "facts/gpu.h"
#include "version/dotted.h"

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, enum tn_status status, size_t row,
                                 size_t lib, const char *variant)
{
    const struct tn_rec_library *l = &j->s->library.v[lib];
    struct tn_finding *f = tn_find(out, status, TN_REF(library, lib, version));
    f->variant = variant;
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "file", "%s", tn_look_text(l->soname, "cuDNN"));
    tn_find_arg(out, f, "cudnn", "%s", tn_look_text(l->version, "?"));
    tn_find_arg(out, f, "built", "%s", tn_look_cudnn(j->s, &j->s->framework.v[row]));
    tn_find_evidence(f, TN_REF(library, lib, version));
    tn_find_evidence(f, TN_REF(framework, row, cudnn));
    return f;
}

static bool differ(const char *a, const char *b)
{
    unsigned na = tn_version_dotted_count(a), nb = tn_version_dotted_count(b), n = na < nb ? na : nb;
    return tn_version_dotted_cmp_parts(a, b, n < 3 ? n : 3) != 0;
}

/* On Windows it matters of which release the odd file is: 8.3 to 9.1 load zlibwapi.dll (table cudnn_support). */
static const char *mixed_variant(const struct tn_snap *s, const char *odd_version)
{
    struct tn_facts_cudnn set;
    if (tn_look_platform(s) != TN_PLATFORM_WINDOWS ||
        tn_facts_cudnn(odd_version, TN_PLATFORM_WINDOWS, &set) != TN_ANSWER_YES)
        return "mixed";
    return set.needs_zlibwapi ? "mixed_zlib" : "mixed_plain";
}

/* Parts of the set whose version is not the main library's; every part is met in the copy that would be loaded. */
static bool judge_set(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t main_row)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_library *m = &s->library.v[main_row];
    struct tn_finding *f = NULL;
    size_t next = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &next));) {
        size_t i = next - 1;
        if (i == main_row || !tn_known(l->soname) || !tn_known(l->version) || !tn_look_usable(j, l) ||
            tn_facts_cudnn_major(l->soname.v) != tn_facts_cudnn_major(m->soname.v) ||
            tn_str_ieq(l->soname.v, m->soname.v) || tn_look_library(j, &s->framework.v[row], l->soname.v) != i ||
            tn_look_found(j, l) != tn_look_found(j, m) || !differ(l->version.v, m->version.v))
            continue;
        if (f == NULL) {
            f = report(j, out, TN_CONFIRMED, row, main_row, mixed_variant(s, l->version.v));
            tn_find_arg(out, f, "odd", "%s", l->soname.v);
            tn_find_arg(out, f, "odd_version", "%s", l->version.v);
            tn_look_remedy_env_cuda(j, out, f, row);
        }
        tn_find_evidence(f, TN_REF(library, i, version));
    }
    return f != NULL;
}

/* Was any TensorFlow release tested with this cuDNN minor on this CUDA major? */
static bool tested_pair(const char *cudnn, const char *cuda)
{
    const struct tn_table *t = tn_facts_find("tensorflow_builds");
    char head[TN_DOTTED_TEXT];
    if (t == NULL || !tn_version_dotted_head(cudnn, 2, head, sizeof head))
        return true;
    struct tn_filter filter = {"cudnn", TN_FILTER_VERSION, head};
    for (uint32_t r = tn_facts_next(t, 0, &filter, 1); r < t->nrows; r = tn_facts_next(t, r + 1, &filter, 1))
        if (tn_version_dotted_cmp_parts(tn_facts_get(t, r, "cuda"), cuda, 1) == 0)
            return true;
    return false;
}

static void judge_newer(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t lib)
{
    struct tn_look_cuda_libs libs;
    const struct tn_rec_library *l = &j->s->library.v[lib];
    const char *built = tn_look_cuda(j->s, &j->s->framework.v[row]);
    if (tn_known(l->env))
        return; /* the environment's own packages chose it */
    bool seen = tn_look_cuda_libs(j, out, row, &libs) && libs.cudart < j->s->library.n &&
                tn_known(j->s->library.v[libs.cudart].version) && tn_version_dotted_count(built) > 1;
    const char *cuda = seen ? j->s->library.v[libs.cudart].version.v : built;
    bool other_cuda = seen && tn_version_dotted_cmp_parts(cuda, built, 2) != 0;
    bool suspect = other_cuda && !tested_pair(l->version.v, cuda);
    struct tn_finding *f = report(j, out, suspect ? TN_LIKELY : TN_POSSIBLE, row, lib, suspect ? "suspect" : "newer");
    if (!suspect) {
        f->severity = TN_NOTE;
        return;
    }
    tn_find_arg(out, f, "cuda", "%s", cuda);
    tn_find_arg(out, f, "built_cuda", "%s", built);
    tn_find_evidence(f, TN_REF(library, libs.cudart, version));
    tn_look_remedy_env_cuda(j, out, f, row);
}

/* The card that can most; NULL if there is none or the capability of one is not known. */
static const struct tn_rec_gpu *best_card(const struct tn_judge *j)
{
    const struct tn_rec_gpu *best = NULL;
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        const char *cc = tn_look_capability(g);
        if (!cc || !*cc)
            return NULL;
        if (!best || tn_version_dotted_cmp(cc, tn_look_capability(best)) > 0)
            best = g;
    }
    return best;
}

/* "<9.11": the first release of the major that leaves the card out; NULL if none does. */
static const char *serving_bound(struct tn_arena *mem, const char *cudnn, const char *cc)
{
    const struct tn_table *t = tn_facts_find("cudnn_support");
    const char *first = NULL;
    char minor[TN_DOTTED_TEXT];
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "cudnn_version"), *min = tn_facts_get(t, r, "min_cc");
        if (tn_version_dotted_major(v) == tn_version_dotted_major(cudnn) && *min &&
            tn_version_dotted_cmp(cc, min) < 0 && (!first || tn_version_dotted_cmp(v, first) < 0))
            first = v;
    }
    if (!first || !tn_version_dotted_head(first, 2, minor, sizeof minor))
        return NULL;
    return tn_arena_printf(mem, "<%s", minor);
}

/* Is the CUDA that the framework was built for older than this generation of cards? Then cuBLAS is as well, which
 * arch-jit-delay and arch-unsupported tell. */
static bool cuda_is_older(const struct tn_judge *j, size_t row, const char *capability)
{
    struct tn_facts_capability cap;
    const char *cuda = tn_look_cuda(j->s, &j->s->framework.v[row]);
    return tn_facts_capability(capability, &cap) != TN_ANSWER_YES || !*cap.first_cuda || !*cuda ||
           tn_version_dotted_cmp_parts(cuda, cap.first_cuda, 2) < 0;
}

/* Did every card come after this release? Then it holds no code for any. */
static bool judge_newer_card(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t lib)
{
    unsigned last = tn_facts_cudnn_newest_major(j->s->library.v[lib].version.v);
    const struct tn_rec_gpu *g = NULL;
    size_t next = 0;
    for (const struct tn_rec_gpu *k; last && (k = tn_judge_gpu(j, &next)); g = k) {
        const char *cc = tn_look_capability(k);
        if (!cc || !*cc || tn_version_dotted_major(cc) <= last || cuda_is_older(j, row, cc))
            return false;
    }
    if (!g)
        return false;
    struct tn_finding *f = report(j, out, TN_LIKELY, row, lib, "older_than_card");
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "capability", "%s", tn_look_capability(g));
    tn_find_arg(out, f, "last", "%u", last);
    tn_find_evidence(f, TN_REF(gpu, g - j->s->gpu.v, capability));
    tn_remedy_arg(out, tn_find_remedy(out, f, "plan", NULL), "framework", "%s", j->s->framework.v[row].name.v);
    return true;
}

/* Does no card take this release? */
static bool judge_card(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t lib)
{
    static const char *const wheels[] = {"nvidia-cudnn-cu12", "nvidia-cudnn-cu11", NULL}; /* cu13 begins with 9.12 */
    const struct tn_rec_library *l = &j->s->library.v[lib];
    const struct tn_rec_gpu *g = best_card(j);
    struct tn_facts_cudnn set;
    if (!g || tn_facts_cudnn(l->version.v, TN_PLATFORM_LINUX, &set) != TN_ANSWER_YES || !*set.min_cc ||
        tn_version_dotted_cmp(tn_look_capability(g), set.min_cc) >= 0)
        return false;
    struct tn_finding *f = report(j, out, TN_CONFIRMED, row, lib, "card");
    const char *bound = serving_bound(out->mem, l->version.v, tn_look_capability(g));
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "capability", "%s", tn_look_capability(g));
    tn_find_arg(out, f, "floor", "%s", set.min_cc);
    tn_find_evidence(f, TN_REF(gpu, g - j->s->gpu.v, capability));
    bool exact = tn_says(j->s->framework.v[row].name, "torch"); /* its metadata names one cuDNN: another torch, then */
    for (const char *const *w = wheels; bound && !exact && tn_known(l->env) && *w; w++)
        if (tn_judge_dist(j, *w)) {
            tn_needs_remedy(out, f, j, *w, bound);
            return true;
        }
    if (!tn_known(l->env))
        tn_look_remedy_env_cuda(j, out, f, row);
    else
        tn_remedy_arg(out, tn_find_remedy(out, f, "plan", NULL), "framework", "%s", j->s->framework.v[row].name.v);
    return true;
}

static void judge_version(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t lib)
{
    const char *built = tn_look_cudnn(j->s, &j->s->framework.v[row]), *have = j->s->library.v[lib].version.v;
    if (tn_version_dotted_count(built) < 2 || tn_version_dotted_major(built) != tn_version_dotted_major(have))
        return;
    int order = tn_version_dotted_cmp_parts(have, built, 2);
    if (order < 0)
        tn_look_remedy_env_cuda(j, out, report(j, out, TN_CONFIRMED, row, lib, NULL), row);
    else if (order > 0)
        judge_newer(j, out, row, lib);
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    char name[64];
    size_t n = j->s->library.n;
    tn_look_cudnn_name(j, &j->s->framework.v[row], name, sizeof name);
    size_t lib = name[0] ? tn_look_library(j, &j->s->framework.v[row], name) : n;
    size_t other = name[0] && j->s->library.listed == TN_KNOWN ? tn_look_any_cudnn(j) : n;
    if (lib == n && other < n) {
        struct tn_finding *f = report(j, out, TN_CONFIRMED, row, other, "major");
        tn_find_arg(out, f, "asked", "%s", name);
        tn_look_remedy_env_cuda(j, out, f, row);
    } else if (lib < n && !tn_known(j->s->library.v[lib].version)) {
        tn_untestable(out, TN_REF(library, lib, version));
    } else if (lib < n && !judge_set(j, out, row, lib) && !judge_card(j, out, row, lib) &&
               !judge_newer_card(j, out, row, lib)) {
        judge_version(j, out, row, lib);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    while (tn_look_gpu_build(j, out, &row))
        judge(j, out, row - 1);
}

TN_CHECK(cudnn_version_mismatch, "cudnn-version-mismatch", run, .needs = TN_NEEDS_LIBRARY);
