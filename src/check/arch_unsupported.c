/* arch_unsupported.c - a build holds no code that a GPU of this machine could run.
 *
 * The rule is facts/arch.h: machine code runs within a major from its minor on (sm_86 code on 8.9, plain sm_100 on
 * 10.3, but sm_90a on 9.0 only and sm_100f within its family), PTX on any later card, neither on an older one. Each GPU
 * is judged for itself; one that cannot be used beside one that can is a warning. On
 * Tegra (Jetson) NVIDIA promises nothing for code of another capability: then it is possible. A build that must be
 * compiled from PTX works (arch-jit-delay), unless its PTX is newer than what the driver reads: CUDA C++ Programming
 * Guide, "PTX compatibility"; CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222); PTX ISA, "Release Notes". */
#include "check/look.h"
#include "facts/cuda.h"

static const char *variant_of(const struct tn_look_code *c, bool older)
{
    if (!c->sass.n)
        return older ? "older" : "no-sass";
    if (!c->ptx.n)
        return older ? "older-no-ptx" : "no-ptx";
    return older ? "older" : NULL;
}

static bool any_served(const struct tn_judge *j, const struct tn_rec_framework *fw, const struct tn_look_code *c)
{
    size_t row = 0;
    struct tn_facts_code code;
    const char *reads;
    bool compiled = tn_look_ptx(j->s, fw, &reads) != TN_ANSWER_NO;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (*tn_look_capability(g)) {
            enum tn_code how = tn_look_code_how(g, c, &code);
            if (how == TN_CODE_NATIVE || (how == TN_CODE_JIT && compiled))
                return true;
        }
    return false;
}

/* The driver that the first CUDA release with such PTX was made with; the table where it is not established. */
static void remedy_driver(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const char *isa)
{
    const char *cuda;
    struct tn_facts_driver_need need;
    bool wsl = tn_look_wsl(j->s), container = tn_known(TN_THE(j->s, container)->kind);
    if (tn_facts_cuda_of_ptx_isa(isa, &cuda) == TN_ANSWER_YES &&
        tn_facts_cuda_driver(cuda, tn_look_driver_platform(j->s), &need) == TN_ANSWER_YES && *need.developed)
        tn_remedy_arg(out,
                      tn_find_remedy(out, f,
                                     wsl         ? "update-windows-driver"
                                     : container ? "update-host-driver"
                                                 : "update-driver",
                                     NULL),
                      "need", "%s", need.developed);
}

/* What the driver has to do with it: PTX that it cannot compile. */
static void add_refusal(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, size_t fw_row,
                        const char *reads)
{
    const char *isa = j->s->framework.v[fw_row].ptx_isa.v;
    f->variant = "newer-ptx";
    tn_find_arg(out, f, "isa", "%s", isa);
    tn_find_arg(out, f, "reads", "%s", reads);
    tn_find_arg(out, f, "ceiling", "%s", TN_THE(j->s, driver)->cuda.v);
    tn_find_evidence(f, TN_REF(framework, fw_row, ptx_isa));
    tn_find_evidence(f, TN_REF(driver, 0, cuda));
    remedy_driver(j, out, f, isa);
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t fw_row, size_t gpu_row,
                   const struct tn_look_code *c, const struct tn_facts_code *code)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[gpu_row];
    const struct tn_rec_framework *fw = &j->s->framework.v[fw_row];
    bool jit = code->how == TN_CODE_JIT, tegra = code->tegra && !jit;
    const char *reads;
    struct tn_finding *f = tn_find(out, tegra ? TN_POSSIBLE : TN_CONFIRMED, TN_REF(gpu, gpu_row, capability));
    f->variant = tegra ? "tegra" : variant_of(c, code->older);
    tn_look_name(out, f, j, fw_row);
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "capability", "%s", tn_look_capability(g));
    tn_find_arg(out, f, "sass", "%s", tn_look_code_shown(out, c->sass.p));
    tn_find_arg(out, f, "ptx", "%s", tn_look_code_shown(out, c->ptx.p));
    tn_find_evidence(f, TN_REF(gpu, gpu_row, capability));
    tn_find_evidence(f, TN_REF(framework, fw_row, sass));
    tn_find_evidence(f, TN_REF(framework, fw_row, ptx));
    if (jit && tn_look_ptx(j->s, fw, &reads) == TN_ANSWER_NO)
        add_refusal(j, out, f, fw_row, reads);
    if (any_served(j, fw, c) && j->gpus < 2)
        f->severity = TN_WARNING;
    if (!tn_look_remedy_fitting(j, out, f, fw))
        tn_look_remedy_builds(j, out, f, fw);
}

/* No code that runs as it is, and none that the driver would compile. */
static bool runs_nothing(const struct tn_judge *j, size_t fw_row, const struct tn_rec_gpu *g,
                         const struct tn_look_code *c, struct tn_facts_code *ret)
{
    const char *reads;
    enum tn_code how = tn_look_code_how(g, c, ret);
    return how == TN_CODE_NONE ||
           (how == TN_CODE_JIT && tn_look_ptx(j->s, &j->s->framework.v[fw_row], &reads) == TN_ANSWER_NO);
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t fw_row, const struct tn_look_code *c)
{
    size_t row = 0;
    struct tn_facts_code code;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        if (*tn_look_capability(g) == '\0')
            tn_untestable(out, TN_REF(gpu, row - 1, capability));
        else if (!c->known)
            tn_untestable(out, TN_REF(framework, fw_row, sass));
        else if (runs_nothing(j, fw_row, g, c, &code))
            report(j, out, fw_row, row - 1, c, &code);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        struct tn_look_code c;
        tn_look_code_init(j->s, fw, &c);
        judge(j, out, row - 1, &c);
        tn_look_code_deinit(&c);
    }
}

TN_CHECK(arch_unsupported, "arch-unsupported", run, .needs = TN_NEEDS_FIT);
