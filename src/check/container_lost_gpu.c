/* container_lost_gpu.c - this container had the GPU and lost the right to it.
 *
 * The nodes are there with a mode that allows them, but the kernel forbids opening them: NVML then says 999, "Unknown
 * Error". That is what a systemd daemon-reload (or an update of a container with systemd's cgroup driver) leaves, since
 * it writes the device rules anew without those that the toolkit had added (nvidia-container-toolkit issue 48, notice).
 * Where the rules can be read (control groups of version 1, node.allowed) nobody needs to be asked. */
#include <string.h>

#include "base/str.h"
#include "check/container_gpu.h"

static bool forbidden(const struct tn_rec_driver *d)
{
    if (tn_known(d->opens)) /* it was tried: EPERM is the kernel's own word */
        return tn_says(d->opens, "EPERM") && !tn_says(d->nvml, "NVML_SUCCESS");
    return tn_says(d->nvml, "NVML_ERROR_UNKNOWN") || tn_says(d->nvml, "NVML_ERROR_OPERATING_SYSTEM") ||
           tn_says(d->cuda_start, "CUDA_ERROR_OPERATING_SYSTEM");
}

static bool is_card(const char *path)
{
    return tn_str_starts(path, "/dev/nvidia") && tn_is_digit(path[strlen("/dev/nvidia")]);
}

/* The node that every program needs, or the first card where no card is allowed; node.n if the rules forbid neither. */
static size_t ruled_out(const struct tn_snap *s)
{
    size_t card = s->node.n;
    bool some_card = false;
    for (size_t i = 0; i < s->node.n; i++) {
        const struct tn_rec_node *n = &s->node.v[i];
        if (!tn_known(n->path) || !tn_says(n->type, "c"))
            continue;
        if (tn_says(n->path, "/dev/nvidiactl") && tn_is(n->allowed, 0))
            return i;
        if (!is_card(n->path.v))
            continue;
        some_card = some_card || !tn_is(n->allowed, 0);
        if (tn_is(n->allowed, 0) && card == s->node.n)
            card = i;
    }
    return some_card ? s->node.n : card;
}

static void remedies(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    const char *kind = tn_look_text(TN_THE(j->s, container)->kind, "");
    if (strcmp(kind, "lxc") == 0) { /* its rules are written by hand: no daemon takes them away */
        tn_find_remedy(out, f, "lxc-device-rules", NULL);
        return;
    }
    tn_find_remedy(out, f, "recreate-container", strcmp(kind, "kubernetes") == 0 ? kind : NULL);
    tn_find_remedy(out, f, "keep-device-rules", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    struct tn_container_gpu c;
    tn_look_container_gpu(j, &c);
    size_t row = ruled_out(s);
    bool ruled = row < s->node.n, nvml = tn_known(d->nvml);
    if (!c.inside || !c.nodes || !c.library || (!ruled && !forbidden(d)))
        return;
    for (size_t i = 0; !ruled && i < s->node.n; i++)
        if (tn_says(s->node.v[i].path, "/dev/nvidiactl") && !tn_is(s->node.v[i].accessible, 1))
            return; /* device-permission tells it */
    struct tn_finding *f = tn_find(out, ruled || tn_known(d->opens) ? TN_CONFIRMED : TN_LIKELY,
                                   ruled  ? TN_REF(node, row, allowed)
                                   : nvml ? TN_REF(driver, 0, nvml)
                                          : TN_REF(driver, 0, cuda_start));
    if (ruled) {
        const struct tn_rec_node *n = &s->node.v[row];
        f->variant = "rule";
        tn_find_arg(out, f, "path", "%s", n->path.v);
        tn_find_arg(out, f, "device", "%lld:%lld", n->major.k == TN_KNOWN ? (long long)n->major.v : 195ll,
                    n->minor.k == TN_KNOWN ? (long long)n->minor.v : 255ll);
        tn_find_evidence(f, TN_REF(node, row, allowed));
    }
    if (nvml)
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
    if (tn_known(d->opens))
        tn_find_evidence(f, TN_REF(driver, 0, opens));
    if (tn_known(d->cuda_start))
        tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
    tn_find_evidence(f, TN_REF_REC(node));
    remedies(j, out, f);
}

TN_CHECK(container_lost_gpu, "container-lost-gpu", run,
         .needs = TN_HAS(container) | TN_HAS(node) | TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(library));
