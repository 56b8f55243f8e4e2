/* judge_generation.c - a card of a generation that what the text states was not made for.
 *
 *  - torch of a release whose variant nobody stated: if no CUDA build of that release holds code for the card, none
 *    that was installed does (the check arch-unsupported wants the variant; "2.4.0" with an RTX 5090 needs none);
 *  - a CUDA image older than the first CUDA that knows the card's capability: the libraries in it have no code for it
 *    (cuBLAS then fails with CUBLAS_STATUS_EXECUTION_FAILED);
 *  - an extension that is compiled by an nvcc older than that.
 * Sources: tables pytorch_builds and cuda_arch. */
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"
#include "facts/arch.h"
#include "facts/gpu.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

/* No CUDA build of this release has code for the card, and at least one is in the table. */
static bool none_serves(const char *version, const char *capability)
{
    static const char *const variant[] = {"cu75",  "cu80",  "cu90",  "cu91",  "cu92",  "cu100", "cu101", "cu102",
                                          "cu110", "cu111", "cu113", "cu115", "cu116", "cu117", "cu118", "cu121",
                                          "cu124", "cu126", "cu128", "cu129", "cu130", "cu132", "cu134"};
    static const enum tn_platform platform[] = {TN_PLATFORM_LINUX, TN_PLATFORM_WINDOWS};
    struct tn_facts_torch build;
    struct tn_facts_code code;
    bool seen = false;
    for (unsigned i = 0; i < TN_LEN(variant); i++)
        for (unsigned k = 0; k < TN_LEN(platform); k++) {
            if (tn_facts_torch_build(version, variant[i], platform[k], &build) != TN_ANSWER_YES || !build.exact)
                continue;
            if (!*build.sass && !*build.ptx) { /* a build of which nothing is known might serve it */
                if (k == 0)
                    return false;
                continue;
            }
            if (tn_facts_arch_code(capability, build.sass, build.ptx, &code) != TN_ANSWER_YES ||
                code.how != TN_CODE_NONE)
                return false;
            seen = true;
        }
    return seen;
}

/* cuBLAS of a CUDA that does not know the card runs no kernel on it, though the framework's own PTX is compiled for it:
 * the toolkit that is stated, or the CUDA that the stated TensorFlow was built with. */
static void libraries(const struct tn_weigh *w, const char *first_cuda)
{
    static const char *const fact[] = {"toolkit.version", "package.tensorflow-gpu", "package.tensorflow"};
    struct tn_facts_tf f;
    if (!tn_signs_find(w->signs, "cublas-execution-failed"))
        return;
    for (unsigned i = 0; i < TN_LEN(fact); i++) {
        size_t row = tn_weigh_told(w, fact[i]);
        const char *cuda = row == SIZE_MAX ? "" : tn_weigh_value(w, row);
        if (*cuda && i > 0)
            cuda = tn_facts_tf_build(cuda, TN_PLATFORM_LINUX, true, &f) == TN_ANSWER_YES ? f.cuda : "";
        if (*cuda && tn_version_dotted_cmp_parts(cuda, first_cuda, 2) < 0)
            tn_weigh_add(w, "arch-unsupported", 86, row);
    }
}

/* An nvcc of a CUDA that does not know the card makes no code for it. */
static void compiler(const struct tn_weigh *w, const char *first_cuda)
{
    size_t row = tn_weigh_told(w, "toolkit.nvcc");
    if (tn_weigh_told(w, "build.nvcc") == SIZE_MAX || row == SIZE_MAX ||
        tn_version_dotted_cmp_parts(tn_weigh_value(w, row), first_cuda, 2) >= 0)
        return;
    tn_weigh_add(w, "compiler-unsupported", 60, row);
    tn_weigh_add(w, "arch-unsupported", 50, row);
}

void tn_judge_generation(const struct tn_weigh *w)
{
    struct tn_facts_capability cap;
    size_t torch = tn_weigh_told(w, "package.torch"), image = tn_weigh_told(w, "image.cuda");
    for (size_t i = 0; i < w->s->gpu.n; i++) {
        const struct tn_rec_gpu *g = &w->s->gpu.v[i];
        if (!tn_known(g->capability))
            continue;
        if (torch != SIZE_MAX && !strchr(tn_weigh_value(w, torch), '+') &&
            none_serves(tn_weigh_value(w, torch), g->capability.v))
            tn_weigh_add(w, "arch-unsupported", 76, torch);
        if (tn_facts_capability(g->capability.v, &cap) != TN_ANSWER_YES || !*cap.first_cuda)
            continue;
        if (image != SIZE_MAX && tn_version_dotted_cmp_parts(tn_weigh_value(w, image), cap.first_cuda, 2) < 0)
            tn_weigh_add(w, "arch-unsupported", 76, image);
        libraries(w, cap.first_cuda);
        compiler(w, cap.first_cuda);
    }
}
