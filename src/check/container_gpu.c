/* container_gpu.c - what of the GPU arrived in this container. Not a check: what four of them share. */
#include "check/container_gpu.h"

#include <string.h>

#include "base/str.h"

/* Apptainer and Enroot show the host's /dev in every container (apptainer.conf, "mount dev"; enroot,
 * conf/mounts/10-system.fstab); what they are asked for is the libraries. */
static const char *const host_dev[] = {"apptainer", "enroot", NULL};

void tn_look_container_gpu(const struct tn_judge *j, struct tn_container_gpu *ret)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t row = 0;
    memset(ret, 0, sizeof *ret);
    ret->inside = tn_known(TN_THE(s, container)->kind) && tn_look_platform(s) == TN_PLATFORM_LINUX && !tn_look_wsl(s);
    ret->host_has_gpu = tn_judge_gpu(j, &row) != NULL || tn_is(d->loaded, 1);
    ret->host_dev = ret->inside && tn_str_in(TN_THE(s, container)->kind.v, host_dev);
    ret->nodes_known = s->node.listed == TN_KNOWN;
    for (size_t i = 0; i < s->node.n; i++)
        ret->nodes = ret->nodes || (tn_known(s->node.v[i].path) && tn_str_starts(s->node.v[i].path.v, "/dev/nvidia") &&
                                    tn_says(s->node.v[i].type, "c"));
    ret->library = tn_known(d->library_version);
    ret->library_known = ret->library || d->library_version.k == TN_ABSENT ||
                         (d->library_version.k != TN_FAILED && s->library.listed == TN_KNOWN);
    ret->leftover = s->library.n;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (!tn_look_is_libcuda(l) || tn_known(l->env))
            continue;
        if (tn_says(l->kind, "empty"))
            ret->leftover = i;
        else if (tn_says(l->kind, "real") && !tn_is(l->bits, 32))
            ret->library = true;
    }
    ret->library_known = ret->library_known || ret->leftover < s->library.n; /* it was read: an empty one */
}
