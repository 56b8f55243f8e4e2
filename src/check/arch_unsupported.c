/* arch_unsupported.c - a build holds no code that a GPU of this machine could run.
 *
 * The rule is facts/arch.h: machine code runs within a major from its minor on (sm_86 code on 8.9, plain sm_100 on
 * 10.3, but sm_90a on 9.0 only and sm_100f within its family), PTX on any later card, neither on an older one. Each GPU
 * is judged for itself; one that cannot be used beside one that can is a warning. On
 * Tegra (Jetson) NVIDIA promises nothing for code of another capability: then it is possible. A build that must be
 * compiled from PTX works: arch-jit-delay.
 */
#include "check/look.h"

static const char *variant_of(const struct tn_look_code *c, bool older)
{
    if (!c->sass.n)
        return older ? "older" : "no-sass";
    if (!c->ptx.n)
        return older ? "older-no-ptx" : "no-ptx";
    return older ? "older" : NULL;
}

static bool any_served(const struct tn_judge *j, const struct tn_look_code *c)
{
    size_t row = 0;
    struct tn_facts_code code;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (*tn_look_capability(g) && tn_look_code_how(g, c, &code) != TN_CODE_NONE)
            return true;
    return false;
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t fw_row, size_t gpu_row,
                   const struct tn_look_code *c, const struct tn_facts_code *code)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[gpu_row];
    struct tn_finding *f = tn_find(out, code->tegra ? TN_POSSIBLE : TN_CONFIRMED, TN_REF(gpu, gpu_row, capability));
    const struct tn_rec_framework *fw = &j->s->framework.v[fw_row];
    f->variant = code->tegra ? "tegra" : variant_of(c, code->older);
    tn_look_name(out, f, j, fw_row);
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "capability", "%s", tn_look_capability(g));
    tn_find_arg(out, f, "sass", "%s", tn_look_code_shown(out, c->sass.p));
    tn_find_arg(out, f, "ptx", "%s", tn_look_code_shown(out, c->ptx.p));
    tn_find_evidence(f, TN_REF(gpu, gpu_row, capability));
    tn_find_evidence(f, TN_REF(framework, fw_row, sass));
    tn_find_evidence(f, TN_REF(framework, fw_row, ptx));
    if (any_served(j, c) && j->gpus < 2)
        f->severity = TN_WARNING;
    if (!tn_look_remedy_fitting(j, out, f, fw))
        tn_look_remedy_builds(j, out, f, fw);
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
        else if (tn_look_code_how(g, c, &code) == TN_CODE_NONE)
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
