/* windows_native_unsupported.c - a framework that has no GPU build for native Windows, where a GPU is expected.
 *
 * TensorFlow's last one is 2.10 (tensorflow/docs install/pip.md; wheels from 2.11 on are CPU builds); JAX never had one
 * (jax installation page). TensorFlow's DirectML plugin is another way and no CUDA: with it nothing is said. */
#include "check/look.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

static bool is_unsupported(const struct tn_judge *j, const struct tn_rec_framework *f)
{
    char last[TN_DOTTED_TEXT];
    if (tn_is(f->gpu_build, 1))
        return false; /* somebody built it: the build's own truth first */
    if (tn_says(f->name, "jax"))
        return true;
    tn_facts_tf_last_windows_gpu(last, sizeof last);
    return tn_says(f->name, "tensorflow") && tn_known(f->version) && last[0] &&
           tn_version_dotted_cmp_parts(f->version.v, last, 2) > 0 &&
           tn_judge_dist(j, "tensorflow-directml-plugin") == NULL;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    if (tn_look_platform(j->s) != TN_PLATFORM_WINDOWS || j->expect == TN_EXPECT_CPU)
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));) {
        if (!is_unsupported(j, fw))
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row - 1, version));
        bool jax = tn_says(fw->name, "jax");
        f->variant = jax ? "jax" : NULL;
        tn_look_name(out, f, j, row - 1);
        tn_find_evidence(f, TN_REF(host, 0, os));
        if (tn_look_has_gpu_build(j))
            f->severity = TN_WARNING;
        tn_find_remedy(out, f, "use-wsl2", NULL);
        if (!jax)
            tn_find_remedy(out, f, "use-tensorflow-2-10", NULL);
    }
}

TN_CHECK(windows_native_unsupported, "windows-native-unsupported", run, .needs = TN_NEEDS_FRAMEWORK | TN_NEEDS_EXPECT);
