/* cudnn_missing.c - no cuDNN, of any version, that the framework could load.
 *
 * Two half installations look like a cuDNN and are none: headers copied into a toolkit without the libraries (the
 * archive has both folders: cuDNN installation guide, "Tarball Installation"), and Debian's package nvidia-cudnn, which
 * holds no cuDNN but the script that downloads one (its description: "only contains the script
 * /usr/sbin/update-nvidia-cudnn"). */
#include "check/look.h"

/* Says which of them is there. A toolkit's header first: it can be seen without its package. */
static void name_half(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    const struct tn_snap *s = j->s;
    for (size_t i = 0; i < s->toolkit.n; i++)
        if (tn_known(s->toolkit.v[i].cudnn_header) && tn_known(s->toolkit.v[i].path)) {
            f->variant = "headers";
            tn_find_arg(out, f, "dir", "%s", s->toolkit.v[i].path.v);
            tn_find_arg(out, f, "header", "%s", s->toolkit.v[i].cudnn_header.v);
            tn_find_evidence(f, TN_REF(toolkit, i, cudnn_header));
            return;
        }
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_says(s->package.v[i].name, "nvidia-cudnn") && tn_says(s->package.v[i].manager, "dpkg") &&
            tn_says(s->package.v[i].state, "installed")) {
            f->variant = "downloader";
            tn_find_evidence(f, TN_REF(package, i, state));
            return;
        }
}

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
        name_half(j, out, f);
        tn_look_remedy_env_cuda(j, out, f, row - 1);
    }
}

TN_CHECK(cudnn_missing, "cudnn-missing", run, .needs = TN_NEEDS_LIBRARY | TN_HAS(toolkit));
