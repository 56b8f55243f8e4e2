/* cudnn_missing.c - no cuDNN, of any version, that the framework could load. */
#include "check/look.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        char name[64];
        tn_look_cudnn_name(j, fw, name, sizeof name);
        if (name[0] == '\0') {
            if (fw->asks.k != TN_KNOWN)
                tn_untestable(out, TN_REF(framework, row - 1, asks));
            continue;
        }
        if (j->s->library.listed != TN_KNOWN) {
            tn_untestable(out, TN_REF_REC(library));
            continue;
        }
        if (tn_look_library(j, fw, name) < j->s->library.n || tn_look_any_cudnn(j) < j->s->library.n)
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row - 1, asks));
        tn_look_name(out, f, j, row - 1);
        tn_find_arg(out, f, "missing", "%s", name);
        tn_find_evidence(f, TN_REF(framework, row - 1, asks));
        tn_find_evidence(f, TN_REF_REC(library));
        tn_look_remedy_env_cuda(j, out, f, row - 1);
    }
}

TN_CHECK(cudnn_missing, "cudnn-missing", run, .needs = TN_NEEDS_LIBRARY);
