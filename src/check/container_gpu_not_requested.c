/* container_gpu_not_requested.c - the machine below this container has a GPU, and nothing of it was handed in.
 *
 * A runtime that was asked for a GPU hands in the device nodes and the driver's libraries (NVIDIA Container Toolkit,
 * "Architecture overview"). Neither is here: it was not asked. NVIDIA_VISIBLE_DEVICES proves nothing, since images of
 * CUDA set it to "all" themselves; "void" and "none" do say it. A libcuda of zero bytes is what an image keeps that was
 * made of a container with a GPU. Where every container has the host's nodes, the libraries alone tell. */
#include "base/str.h"
#include "check/container_gpu.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    static const char *const off[] = {"void", "none", NULL};
    const struct tn_snap *s = j->s;
    struct tn_container_gpu c;
    tn_look_container_gpu(j, &c);
    if (!c.inside || !c.host_has_gpu || (c.nodes && !c.host_dev) || c.library)
        return;
    if (!c.nodes_known || !c.library_known) {
        tn_untestable(out, c.nodes_known ? TN_REF(driver, 0, library_version) : TN_REF_REC(node));
        return;
    }
    struct tn_str asked = TN_THE(s, container)->gpus;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(node));
    size_t row = 0;
    const struct tn_rec_gpu *g = tn_judge_gpu(j, &row);
    tn_find_arg(out, f, "gpu", "%s", g ? tn_look_gpu_name(g) : "GPU");
    tn_find_evidence(f, TN_REF_REC(node));
    tn_find_evidence(f, TN_REF(driver, 0, library_version));
    tn_find_evidence(f, TN_REF(container, 0, kind));
    if (c.nodes)
        f->variant = "library";
    if (tn_known(asked) && tn_str_in(asked.v, off)) {
        f->variant = "off";
        tn_find_arg(out, f, "value", "%s", asked.v);
        tn_find_evidence(f, TN_REF(container, 0, gpus));
    } else if (c.leftover < s->library.n) {
        f->variant = "leftover";
        tn_find_arg(out, f, "path", "%s", tn_look_text(s->library.v[c.leftover].path, "libcuda.so"));
        tn_find_evidence(f, TN_REF(library, c.leftover, kind));
    }
    tn_look_remedy_container(j, out, f);
}

TN_CHECK(container_gpu_not_requested, "container-gpu-not-requested", run,
         .needs = TN_HAS(container) | TN_HAS(node) | TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(library));
