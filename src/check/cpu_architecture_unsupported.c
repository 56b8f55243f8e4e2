/* cpu_architecture_unsupported.c - a build for another machine than the interpreter's, or a machine without a GPU
 * build.
 *
 * An extension loads only into an interpreter of its own machine. TensorFlow, PyTorch and JAX were never published for
 * 32 bits (tensorflow/docs install/pip.md: "64-bit"; pytorch and jax indexes). TensorFlow's Linux wheels for aarch64
 * (2.10 on) are CPU builds: is_cuda_build False in 2.21.0. A machine that emulates another one runs what its
 * interpreter is made for.
 */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "strings.gen.h"

static const char *const published[] = {"jax", "tensorflow", "torch", NULL};

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, struct tn_ref subject,
                                 const char *variant)
{
    struct tn_ref machine;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, subject);
    f->variant = variant;
    tn_find_arg(out, f, "machine", "%s", tn_look_machine(j, &machine));
    tn_find_evidence(f, machine);
    return f;
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    const char *machine = tn_look_machine(j, NULL);
    struct tn_finding *f;
    if (tn_look_other_machine(j, fw)) {
        f = report(j, out, TN_REF(framework, row, machine), NULL);
        tn_find_arg(out, f, "build", "%s", fw->machine.v);
        tn_find_evidence(f, TN_REF(framework, row, machine));
        tn_look_name(out, f, j, row);
        if (strcmp(machine, "i386") == 0)
            tn_find_remedy(out, f, "python-64-bit", NULL);
        else
            tn_look_remedy_pip_choice(j, out, f, fw);
    } else if (strcmp(machine, "i386") == 0 && tn_known(fw->name) && tn_str_in(fw->name.v, published)) {
        f = report(j, out, TN_REF(framework, row, name), "bits");
        tn_look_name(out, f, j, row);
        tn_find_remedy(out, f, "python-64-bit", NULL);
    } else if (strcmp(machine, "aarch64") == 0 && tn_says(fw->name, "tensorflow") && tn_is(fw->gpu_build, 0) &&
               j->expect == TN_EXPECT_GPU && tn_look_platform(j->s) == TN_PLATFORM_LINUX && !tn_look_has_gpu_build(j)) {
        f = report(j, out, TN_REF(framework, row, gpu_build), "no-gpu-build");
        tn_look_name(out, f, j, row);
        tn_find_evidence(f, TN_REF(framework, row, gpu_build));
        tn_find_remedy(out, f, "nvidia-tensorflow-container", tn_look_is_tegra(j->s) ? "igpu" : "");
        tn_find_remedy(out, f, "expect-cpu", NULL);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0, seen = 0;
    for (; tn_judge_framework(j, &row); seen++)
        judge(j, out, row - 1);
    /* A wish, and an interpreter for which nothing of all this exists. */
    if (seen == 0 && j->env && j->expect == TN_EXPECT_GPU && strcmp(j->why, TN_S_expect_option) == 0 &&
        strcmp(tn_look_machine(j, NULL), "i386") == 0) {
        struct tn_finding *f = report(j, out, TN_REF(env, j->env_row, machine), "none");
        tn_find_remedy(out, f, "python-64-bit", NULL);
    }
}

TN_CHECK(cpu_architecture_unsupported, "cpu-architecture-unsupported", run, .needs = TN_NEEDS_EXPECT);
