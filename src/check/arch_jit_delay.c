/* arch_jit_delay.c - a build holds only PTX for a card: it works, but the driver compiles all of it at the first start.
 *
 * Sources: CUDA C++ Programming Guide, "Just-in-Time Compilation" (compiled when loaded, kept in the compute cache,
 * which is thrown away when the driver changes) and "CUDA Environment Variables" (CUDA_CACHE_MAXSIZE, at most 4 GiB).
 * A driver reads the PTX of its own CUDA release and older ones only (error 222, "PTX compatibility"). Where the PTX's
 * own version is known it decides: too new a one is no code at all (arch-unsupported). Where it is not, a build for a
 * newer CUDA may hold newer PTX, or older (TensorFlow 2.21 for CUDA 12.5: ISA 8.3).
 *
 * Where the CUDA release whose cudart is met has compilers that know no code for the card (table cuda_arch), its cuBLAS
 * and cuDNN hold none either, and whether they bring PTX is theirs alone: that is said, since it is what "Blas GEMM
 * launch failed" comes to on such a card (CUDA 10 under an RTX 30). Never by the release that the build is for: within
 * a major newer libraries take its place. */
#include "base/str.h"
#include "check/look.h"
#include "facts/cuda.h"

/* Row of the run time that the framework meets, where it is older than the card; else library.n. */
static size_t older_cudart(const struct tn_judge *j, const struct tn_rec_framework *fw, const struct tn_rec_gpu *g)
{
    const char *name[TN_MAX_ASKS], *known;
    const struct tn_snap *s = j->s;
    unsigned n = tn_look_asks(s, fw, name);
    for (unsigned i = 0; i < n; i++) {
        if (!tn_str_starts(name[i], "libcudart.so") && !tn_str_starts(name[i], "cudart64_"))
            continue;
        size_t row = tn_look_library(j, fw, name[i]);
        struct tn_facts_code code;
        if (row < s->library.n && tn_known(s->library.v[row].version) &&
            tn_facts_cuda_capabilities(s->library.v[row].version.v, &known) == TN_ANSWER_YES &&
            tn_facts_arch_code(tn_look_capability(g), known, "", &code) == TN_ANSWER_YES && code.how == TN_CODE_NONE &&
            code.newer)
            return row;
    }
    return s->library.n;
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t fw_row, size_t gpu_row,
                   const struct tn_look_code *c, const char *entry)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[gpu_row];
    const struct tn_rec_framework *fw = &j->s->framework.v[fw_row];
    const char *reads;
    bool newer = tn_look_ptx(j->s, fw, &reads) != TN_ANSWER_YES;
    size_t cudart = newer ? j->s->library.n : older_cudart(j, fw, g);
    struct tn_finding *f = tn_find(out, newer ? TN_POSSIBLE : TN_CONFIRMED, TN_REF(gpu, gpu_row, capability));
    f->variant = newer ? "newer-ptx" : cudart < j->s->library.n ? "older-libraries" : NULL;
    tn_look_name(out, f, j, fw_row);
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "capability", "%s", tn_look_capability(g));
    tn_find_arg(out, f, "sass", "%s", tn_look_code_shown(out, c->sass.p));
    tn_find_arg(out, f, "ptx", "%s", tn_look_code_shown(out, entry));
    tn_find_arg(out, f, "from", "%s", c->from);
    if (newer) {
        tn_find_arg(out, f, "cuda", "%s", tn_look_cuda(j->s, fw));
        tn_find_arg(out, f, "ceiling", "%s", TN_THE(j->s, driver)->cuda.v);
        tn_find_evidence(f, TN_REF(driver, 0, cuda));
    }
    if (cudart < j->s->library.n) {
        tn_find_arg(out, f, "cuda", "%s", j->s->library.v[cudart].version.v);
        tn_find_evidence(f, TN_REF(library, cudart, version));
    }
    tn_find_evidence(f, TN_REF(gpu, gpu_row, capability));
    tn_find_evidence(f, TN_REF(framework, fw_row, sass));
    tn_find_evidence(f, TN_REF(framework, fw_row, ptx));
    if (tn_known(fw->ptx_isa))
        tn_find_evidence(f, TN_REF(framework, fw_row, ptx_isa));
    bool fits = cudart < j->s->library.n && tn_look_remedy_fitting(j, out, f, fw);
    tn_find_remedy(out, f, "keep-compute-cache", NULL);
    if (!fits)
        tn_look_remedy_builds(j, out, f, fw);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        struct tn_look_code c;
        struct tn_facts_code code;
        size_t gpu = 0;
        const char *reads;
        tn_look_code_init(j->s, fw, &c);
        for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &gpu));)
            if (c.known && *tn_look_capability(g) && tn_look_code_how(g, &c, &code) == TN_CODE_JIT &&
                tn_look_ptx(j->s, fw, &reads) != TN_ANSWER_NO)
                report(j, out, row - 1, gpu - 1, &c, code.entry);
        tn_look_code_deinit(&c);
    }
}

TN_CHECK(arch_jit_delay, "arch-jit-delay", run, .needs = TN_NEEDS_FIT);
