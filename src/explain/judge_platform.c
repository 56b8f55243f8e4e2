/* judge_platform.c - TensorFlow lists no GPU on native Windows: from 2.11 on none of its builds there has one.
 *
 * The check windows-native-unsupported says so where a card is stated; here the text itself shows that a GPU was looked
 * for. Source: tensorflow/docs install/pip.md; table tensorflow_builds. */
#include "base/str.h"
#include "explain/judge.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

void tn_judge_platform(const struct tn_weigh *w)
{
    static const char *const name[] = {"package.tensorflow", "package.tensorflow-intel", "package.tensorflow-cpu"};
    char last[TN_DOTTED_TEXT];
    size_t listed = tn_weigh_told(w, "tensorflow.gpus");
    tn_facts_tf_last_windows_gpu(last, sizeof last);
    if (listed == SIZE_MAX || !last[0] || !tn_weigh_os(w, "windows"))
        return;
    for (unsigned i = 0; i < TN_LEN(name); i++) {
        size_t row = tn_weigh_told(w, name[i]);
        if (row != SIZE_MAX && tn_version_dotted_cmp_parts(tn_weigh_value(w, row), last, 2) > 0) {
            tn_weigh_add(w, "windows-native-unsupported", 85, row);
            tn_weigh_add(w, "windows-native-unsupported", 85, listed);
        }
    }
}
