/* judge_platform.c - what the platform alone decides: no GPU where no build has one; WSL's folder without the driver.
 *
 * TensorFlow lists no GPU on native Windows: from 2.11 on none of its builds there has one.
 * The check windows-native-unsupported says so where a card is stated; here the text itself shows that a GPU was looked
 * for. Source: tensorflow/docs install/pip.md; table tensorflow_builds. */
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

/* Windows lays its own libraries (dxcore, d3d12) into /usr/lib/wsl/lib in any case, the driver's only where the driver
 * of Windows brings them. Source: Microsoft, "DirectX on Linux"; NVIDIA, CUDA on WSL User Guide. */
static void wsl_folder(const struct tn_weigh *w)
{
    size_t windows = SIZE_MAX;
    for (size_t i = 0; i < w->s->observation.n; i++) {
        const struct tn_rec_observation *o = &w->s->observation.v[i];
        if (!tn_says(o->fact, "found.library") || !tn_known(o->value))
            continue;
        if (tn_str_starts(o->value.v, "libcuda.so"))
            return;
        if (strcmp(o->value.v, "libdxcore.so") == 0 || strcmp(o->value.v, "libd3d12core.so") == 0)
            windows = i;
    }
    if (windows == SIZE_MAX)
        return;
    tn_weigh_add(w, "wsl-driver", 62, windows);
    tn_weigh_add(w, "wsl-libcuda-not-found", 50, windows);
}

/* A platform without CUDA is the cause only where somebody looks for a GPU: every text of that platform states it. */
bool tn_judge_platform_asked(const struct tn_weigh *w)
{
    static const char *const about[] = {"gpu.",
                                        "driver.",
                                        "toolkit.",
                                        "cudnn.",
                                        "fallback.",
                                        "asked.",
                                        "complaint.",
                                        "found.",
                                        "smi.",
                                        "wanted.",
                                        "tf.no_gpu",
                                        "tensorflow.gpus",
                                        "package.tensorflow-gpu"};
    if (tn_weigh_most(w) > 0)
        return true;
    for (size_t i = 0; i < w->s->observation.n; i++)
        for (unsigned k = 0; k < TN_LEN(about); k++)
            if (tn_known(w->s->observation.v[i].fact) && tn_str_starts(w->s->observation.v[i].fact.v, about[k]))
                return true;
    return false;
}

void tn_judge_platform(const struct tn_weigh *w)
{
    wsl_folder(w);
    static const char *const name[] = {"package.tensorflow", "package.tensorflow-intel", "package.tensorflow-cpu"};
    char last[TN_DOTTED_TEXT];
    size_t listed = tn_weigh_told(w, "tensorflow.gpus");
    const struct tn_sign *cpu = tn_signs_find(w->signs, "built-with-cuda-false"); /* as every such build there says */
    if (listed == SIZE_MAX && cpu)
        listed = cpu->observation;
    tn_facts_tf_last_windows_gpu(last, sizeof last);
    if (listed == SIZE_MAX || !last[0] || !tn_weigh_os(w, "windows"))
        return;
    for (unsigned i = 0; i < TN_LEN(name); i++) {
        size_t row = tn_weigh_told(w, name[i]);
        if (row != SIZE_MAX && tn_version_dotted_cmp_parts(tn_weigh_value(w, row), last, 2) > 0) {
            tn_weigh_add(w, "windows-native-unsupported", cpu ? 112 : 85, row);
            tn_weigh_add(w, "windows-native-unsupported", 85, listed);
        }
    }
}
