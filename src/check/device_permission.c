/* device_permission.c - the device nodes are there, but this user may not use them.
 *
 * The kernel decides by owner, group and mode; every program needs nvidiactl and one nvidiaN, to read and to write
 * (libcuda opens them with O_RDWR). NVreg_DeviceFileMode is read as a decimal number: 666 there gives mode 01232
 * (driver README, "Device nodes"). A control group of devices forbids a node whose mode allows it: opening gives EPERM
 * (kernel documentation, cgroup-v1/devices). In a container container_lost_gpu tells it. A name of a node that is no
 * character device serves nobody (nvidia-modprobe, modprobe-utils, get_file_state_helper). */
#include <string.h>

#include "base/str.h"
#include "check/look.h"

static bool is_card(const char *path)
{
    return tn_str_starts(path, "/dev/nvidia") && tn_is_digit(path[strlen("/dev/nvidia")]);
}

static bool is_needed(const char *path)
{
    static const char *const names[] = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/dxg", NULL};
    return tn_str_in(path, names);
}

/* The first node that nobody could do without and that this user may not open; node.n if there is none. Of several
 * cards one is enough to work. */
static size_t refused(const struct tn_snap *s)
{
    size_t common = s->node.n, card = s->node.n;
    bool some_card = false;
    for (size_t i = 0; i < s->node.n; i++) {
        const struct tn_rec_node *n = &s->node.v[i];
        if (!tn_known(n->path) || !tn_says(n->type, "c"))
            continue;
        some_card = some_card || (is_card(n->path.v) && tn_is(n->accessible, 1));
        if (!tn_is(n->accessible, 0))
            continue;
        if (is_needed(n->path.v) && common == s->node.n)
            common = i;
        if (is_card(n->path.v) && card == s->node.n)
            card = i;
    }
    return common < s->node.n ? common : some_card ? s->node.n : card;
}

/* A node that nobody could do without, or every card's, is something else: a pipe, a plain file. */
static size_t no_device(const struct tn_snap *s)
{
    size_t card = s->node.n;
    bool some_card = false;
    for (size_t i = 0; i < s->node.n; i++) {
        const struct tn_rec_node *n = &s->node.v[i];
        if (!tn_known(n->path) || !(is_needed(n->path.v) || is_card(n->path.v)))
            continue;
        bool odd = tn_known(n->type) && !tn_str_eq(n->type.v, "c");
        if (odd && is_needed(n->path.v) && !tn_str_eq(n->path.v, "/dev/dxg"))
            return i;
        some_card = some_card || (!odd && is_card(n->path.v));
        if (odd && is_card(n->path.v) && card == s->node.n)
            card = i;
    }
    return some_card ? s->node.n : card;
}

/* 01232 and its like: a mode without the owner's own right to read. */
static bool is_odd(const struct tn_rec_node *n)
{
    return n->mode.k == TN_KNOWN && (n->mode.v & 0400) == 0;
}

static bool by_group(const struct tn_snap *s)
{
    const struct tn_rec_driver *d = TN_THE(s, driver);
    return tn_says(d->opens, "EPERM") && !tn_says(d->nvml, "NVML_SUCCESS") && !tn_known(TN_THE(s, container)->kind);
}

static void forbidden(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    bool job = tn_known(TN_THE(j->s, scheduler)->kind);
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(driver, 0, opens));
    f->variant = "cgroup";
    tn_find_evidence(f, TN_REF(driver, 0, opens));
    if (tn_known(d->nvml))
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
    if (job)
        tn_find_evidence(f, TN_REF(scheduler, 0, kind));
    tn_find_remedy(out, f, "see-cgroup", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t row = refused(s), odd = no_device(s);
    bool works = tn_says(d->nvml, "NVML_SUCCESS") || tn_says(d->cuda_start, "CUDA_SUCCESS");
    if (odd < s->node.n && tn_is(d->loaded, 1) && !works) {
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(node, odd, type));
        f->variant = "no-device";
        tn_find_arg(out, f, "path", "%s", s->node.v[odd].path.v);
        tn_find_arg(out, f, "type", "%s", s->node.v[odd].type.v);
        tn_find_evidence(f, TN_REF(node, odd, type));
        tn_find_remedy(out, f, "see-nodes", NULL);
        return;
    }
    bool says_so = tn_says(d->nvml, "NVML_ERROR_NO_PERMISSION");
    if (row == s->node.n && by_group(s)) {
        forbidden(j, out);
        return;
    }
    if (row == s->node.n && !says_so)
        return;
    if (row == s->node.n) {
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(driver, 0, nvml));
        f->variant = "unseen";
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
        tn_find_remedy(out, f, "see-nodes", NULL);
        return;
    }
    const struct tn_rec_node *n = &s->node.v[row];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(node, row, accessible));
    tn_find_arg(out, f, "path", "%s", n->path.v);
    tn_find_arg(out, f, "mode", "%04llo", n->mode.k == TN_KNOWN ? (unsigned long long)n->mode.v : 0ull);
    tn_find_evidence(f, TN_REF(node, row, accessible));
    tn_find_evidence(f, TN_REF(node, row, mode));
    if (says_so)
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
    if (is_odd(n)) {
        f->variant = "mode";
        tn_find_remedy(out, f, "device-file-mode", NULL);
    } else if (tn_says(n->group, "nogroup") || tn_says(n->group, "nobody")) {
        f->variant = "nobody"; /* an id of the host that this container does not map: no group of it helps */
        tn_find_evidence(f, TN_REF(node, row, group));
        tn_look_remedy_container(j, out, f);
    } else if (tn_known(n->group) && n->mode.k == TN_KNOWN && (n->mode.v & 0060) == 0060) {
        f->variant = "group";
        tn_find_arg(out, f, "group", "%s", n->group.v);
        tn_find_evidence(f, TN_REF(node, row, group));
        struct tn_remedy *r = tn_find_remedy(out, f, "join-group", NULL);
        tn_remedy_arg(out, r, "group", "%s", n->group.v);
    }
    tn_find_remedy(out, f, "see-nodes", NULL);
}

TN_CHECK(device_permission, "device-permission", run,
         .needs = TN_HAS(node) | TN_HAS(driver) | TN_HAS(container) | TN_HAS(scheduler));
