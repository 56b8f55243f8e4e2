/* cpu_instruction_missing.c - a build uses instructions that this processor (or its virtual machine) does not offer.
 *
 * Rule: table cpu_needs (TensorFlow from 1.6 on and jaxlib from 0.1.62 on need AVX); the library stops at its first
 * instruction or says so and aborts, whatever the GPU is. A processor that QEMU models as qemu64 or kvm64 hides AVX
 * (QEMU, "CPU models"): the machine below has it. */
#include <string.h>

#include "check/look.h"
#include "version/dotted.h"

static const char *missing(const struct tn_judge *j, struct tn_sink *out, const struct tn_rec_framework *fw)
{
    const char *all = "";
    for (uint32_t i = 0; i < fw->cpu.n; i++)
        if (!tn_list_has(TN_THE(j->s, cpu)->flags, fw->cpu.v[i]))
            all = tn_arena_printf(out->mem, "%s%s%s", all, *all ? ", " : "", fw->cpu.v[i]);
    return all;
}

static bool is_virtual(const struct tn_judge *j)
{
    struct tn_str model = TN_THE(j->s, cpu)->model;
    return tn_known(model) && (strstr(model.v, "QEMU Virtual CPU") || strstr(model.v, "Common KVM processor") ||
                               strstr(model.v, "Common 32-bit KVM processor"));
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *flags)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row, cpu));
    f->variant = is_virtual(j) ? "virtual" : NULL;
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "flags", "%s", flags);
    tn_find_arg(out, f, "cpu", "%s", tn_look_text(TN_THE(j->s, cpu)->model, "CPU"));
    tn_find_evidence(f, TN_REF(framework, row, cpu));
    tn_find_evidence(f, TN_REF(cpu, 0, flags));
    tn_find_evidence(f, TN_REF(cpu, 0, model));
    if (f->variant)
        tn_find_remedy(out, f, "pass-host-cpu", NULL);
    if (tn_says(fw->name, "tensorflow") && tn_known(fw->version) &&
        tn_version_dotted_cmp_parts(fw->version.v, "2.4.0", 3) == 0 && tn_list_has(TN_THE(j->s, cpu)->flags, "avx"))
        tn_look_env_args(out, tn_find_remedy(out, f, "tensorflow-2-4-1", NULL), j);
    struct tn_remedy *r = tn_find_remedy(out, f, "conda-forge-build", NULL);
    tn_remedy_arg(out, r, "name", "%s", tn_look_text(fw->name, ""));
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));) {
        if (fw->cpu.k != TN_KNOWN || fw->cpu.n == 0 || tn_look_other_machine(j, fw))
            continue;
        if (TN_THE(j->s, cpu)->flags.k != TN_KNOWN) {
            tn_untestable(out, TN_REF(cpu, 0, flags));
            continue;
        }
        const char *flags = missing(j, out, fw);
        if (*flags)
            report(j, out, row - 1, flags);
    }
}

TN_CHECK(cpu_instruction_missing, "cpu-instruction-missing", run, .needs = TN_NEEDS_FRAMEWORK | TN_HAS(cpu));
