/* no_nvidia_gpu.c - no NVIDIA GPU is in this machine, or fewer than were asked for.
 *
 * Only a complete list of the bus can say so: a failing driver, NVML or nvidia-smi proves nothing about hardware. In
 * WSL 2 the bus shows nothing; there the device node /dev/dxg is what Windows hands in (microsoft/WSL
 * documentation, "GPU support"). */
#include "base/buf.h"
#include "check/look.h"

static bool has_node(const struct tn_snap *s, const char *path)
{
    for (size_t i = 0; i < s->node.n; i++)
        if (tn_says(s->node.v[i].path, path))
            return true;
    return false;
}

/* A loaded driver that serves something outweighs a bus that shows nothing: virtual machines, Jetson. */
static bool works_anyway(const struct tn_snap *s)
{
    return has_node(s, "/dev/nvidia0") || (tn_is(TN_THE(s, driver)->loaded, 1) && tn_known(TN_THE(s, driver)->cuda));
}

static void in_wsl(const struct tn_snap *s, struct tn_sink *out)
{
    if (!tn_is(TN_THE(s, host)->wsl, 2) || has_node(s, "/dev/dxg"))
        return;
    if (s->node.listed != TN_KNOWN) {
        tn_untestable(out, TN_REF_REC(node));
        return;
    }
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(node));
    f->variant = "wsl";
    tn_find_evidence(f, TN_REF_REC(node));
    tn_find_evidence(f, TN_REF(host, 0, wsl));
}

/* Cards of other makers are named: "the GPU is an AMD one" is the answer to many questions. */
static void name_others(const struct tn_snap *s, struct tn_sink *out, struct tn_finding *f)
{
    struct tn_buf names;
    tn_buf_init(&names);
    for (size_t i = 0; i < s->gpu.n; i++) {
        tn_buf_str(&names, names.n ? ", " : "");
        tn_buf_str(&names, tn_look_text(s->gpu.v[i].name, tn_look_text(s->gpu.v[i].vendor, "?")));
        tn_find_evidence(f, TN_REF(gpu, i, vendor));
    }
    f->variant = "other";
    tn_find_arg(out, f, "others", "%s", names.p);
    tn_buf_deinit(&names);
}

static void fewer(const struct tn_judge *j, struct tn_sink *out, size_t count)
{
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(gpu));
    f->variant = "fewer";
    tn_find_arg(out, f, "expected", "%u", j->gpus);
    tn_find_arg(out, f, "count", "%zu", count);
    tn_find_evidence(f, TN_REF_REC(gpu));
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t row = 0, count = 0;
    while (tn_judge_gpu(j, &row))
        count++;
    if (count > 0 || works_anyway(s)) {
        if (j->gpus > count && s->gpu.listed == TN_KNOWN)
            fewer(j, out, count);
        return;
    }
    if (tn_look_wsl(s)) {
        in_wsl(s, out);
        return;
    }
    if (s->gpu.listed != TN_KNOWN) {
        tn_untestable(out, TN_REF_REC(gpu));
        return;
    }
    for (size_t i = 0; i < s->gpu.n; i++)
        if (!tn_known(s->gpu.v[i].vendor)) { /* it may be the one */
            tn_untestable(out, TN_REF(gpu, i, vendor));
            return;
        }
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(gpu));
    tn_find_evidence(f, TN_REF_REC(gpu));
    if (s->gpu.n)
        name_others(s, out, f);
    tn_find_remedy(out, f, "use-cpu-build", NULL);
}

TN_CHECK(no_nvidia_gpu, "no-nvidia-gpu", run);
