/* asks_cudnn.c - the parts of cuDNN, which its main library opens by name when they are first used.
 *
 * Sources: cuDNN API reference, library overview; names and DT_NEEDED read in the wheels 8.9 and 9.19 to 9.28. The main
 * library of 9 opens graph, ops, cnn and adv; libcudnn_graph opens the engines and the heuristic. 9.19 tries
 * libcudnn_graph.so.9.19.0 and .so.9.19 first (seen under LD_DEBUG): files of the very same release, so the major's
 * name tells what there is to tell. The DLLs bear the same names ("cudnn_ops64_9.dll"); how they are opened:
 * asks_windows.c. */
#include <stdio.h>

#include "base/str.h"
#include "loader/asks.h"
#include "version/soname.h"

struct part {
    const char *name, *from; /* both without lib and the number */
    enum tn_ask_class is;
};

static const struct part nine[] = {
    {"cudnn_graph", "cudnn", TN_ASK_REQUIRED},
    {"cudnn_ops", "cudnn", TN_ASK_REQUIRED},
    {"cudnn_cnn", "cudnn", TN_ASK_REQUIRED},
    {"cudnn_adv", "cudnn", TN_ASK_REQUIRED},
    {"cudnn_heuristic", "cudnn_graph", TN_ASK_REQUIRED},
    {"cudnn_engines_precompiled", "cudnn_graph", TN_ASK_REQUIRED},
    {"cudnn_engines_runtime_compiled", "cudnn_graph", TN_ASK_REQUIRED},
};

static const struct part eight[] = {
    {"cudnn_ops_infer", "cudnn", TN_ASK_REQUIRED}, {"cudnn_ops_train", "cudnn", TN_ASK_REQUIRED},
    {"cudnn_cnn_infer", "cudnn", TN_ASK_REQUIRED}, {"cudnn_cnn_train", "cudnn", TN_ASK_REQUIRED},
    {"cudnn_adv_infer", "cudnn", TN_ASK_REQUIRED}, {"cudnn_adv_train", "cudnn", TN_ASK_REQUIRED},
};

static const char *named(struct tn_asks *a, const struct tn_soname *main, const char *part)
{
    return tn_arena_printf(a->mem, main->dll ? "%s64_%s.dll" : "lib%s.so.%s", part, main->version);
}

void tn_asks_cudnn_parts(struct tn_asks *a, const char *main_name)
{
    struct tn_soname so;
    if (tn_version_soname_parse(main_name, &so, NULL) != 0)
        return;
    bool is9 = tn_str_eq(so.version, "9"), is8 = tn_str_eq(so.version, "8");
    const struct part *set = is9 ? nine : eight;
    size_t n = is9 ? TN_LEN(nine) : is8 ? TN_LEN(eight) : 0;
    for (size_t i = 0; i < n; i++)
        tn_asks_name(a, set[i].is, "dnn", named(a, &so, set[i].from), named(a, &so, set[i].name));
}
