/* shared_memory_too_small.c - PyTorch in a container with the shared memory that engines give by themselves.
 *
 * 64 MiB of /dev/shm is what Docker, Podman and containerd give unasked (docker run, "--shm-size"; podman-run(1)).
 * DataLoader workers hand their tensors over there (PyTorch README, "Docker Image"), and NCCL its buffers between GPUs
 * (NCCL User Guide, "Troubleshooting", "Sharing Data": --shm-size=1g --ulimit memlock=-1). A single process with one
 * GPU lives well with it: a note. Several GPUs, or a /dev/shm that is full now, make it a warning. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"

#define UNASKED_BYTES (64 * 1024 * 1024)
#define FULL_BYTES (1024 * 1024)

static unsigned n_cards(const struct tn_snap *s)
{
    unsigned n = 0;
    for (size_t i = 0; i < s->node.n; i++) {
        const struct tn_rec_node *r = &s->node.v[i];
        n += tn_known(r->path) && tn_says(r->type, "c") && tn_str_starts(r->path.v, "/dev/nvidia") &&
             tn_is_digit(r->path.v[strlen("/dev/nvidia")]);
    }
    return n;
}

/* A GPU build of PyTorch: its row, or framework.n. */
static size_t torch(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));)
        if (tn_says(fw->name, "torch") && tn_is(fw->gpu_build, 1))
            return row - 1;
    return j->s->framework.n;
}

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, size_t fw, const char *variant,
                                 struct tn_ref subject)
{
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, subject);
    f->variant = variant;
    tn_look_name(out, f, j, fw);
    tn_find_evidence(f, TN_REF(container, 0, kind));
    tn_find_evidence(f, TN_REF_REC(node));
    return f;
}

static void shm(const struct tn_judge *j, struct tn_sink *out, size_t fw, unsigned cards)
{
    static const char *const ways[] = {"docker", "podman", NULL};
    const struct tn_snap *s = j->s;
    size_t i = 0;
    while (i < s->disk.n && !tn_says(s->disk.v[i].use, "shm"))
        i++;
    if (i == s->disk.n || s->disk.v[i].total_bytes.k != TN_KNOWN)
        return;
    const struct tn_rec_disk *r = &s->disk.v[i];
    bool full = r->free_bytes.k == TN_KNOWN && r->free_bytes.v < FULL_BYTES;
    if (r->total_bytes.v > UNASKED_BYTES && !full)
        return;
    struct tn_finding *f = report(j, out, fw,
                                  full        ? "full"
                                  : cards > 1 ? "several"
                                              : NULL,
                                  TN_REF(disk, i, total_bytes));
    f->severity = full || cards > 1 ? TN_WARNING : TN_NOTE;
    tn_find_arg(out, f, "size", "%lld", (long long)(r->total_bytes.v >> 20));
    tn_find_arg(out, f, "gpus", "%u", cards);
    tn_find_evidence(f, TN_REF(disk, i, total_bytes));
    if (full)
        tn_find_evidence(f, TN_REF(disk, i, free_bytes));
    const char *kind = TN_THE(s, container)->kind.v;
    if (strcmp(kind, "kubernetes") == 0)
        tn_find_remedy(out, f, "pod-shared-memory", NULL);
    else
        tn_find_remedy(out, f, "more-shared-memory", tn_str_in(kind, ways) ? kind : NULL);
}

/* What InfiniBand may reach is locked into memory. */
static void memlock(const struct tn_judge *j, struct tn_sink *out, size_t fw, unsigned cards)
{
    const struct tn_snap *s = j->s;
    size_t i = 0;
    while (i < s->limit.n && !tn_says(s->limit.v[i].name, "memlock"))
        i++;
    if (i == s->limit.n || s->limit.v[i].soft.k != TN_KNOWN || s->limit.v[i].soft.v < 0 || cards < 2 ||
        !tn_is(TN_THE(s, host)->rdma, 1))
        return;
    struct tn_finding *f = report(j, out, fw, "memlock", TN_REF(limit, i, soft));
    tn_find_arg(out, f, "size", "%lld", (long long)(s->limit.v[i].soft.v >> 10));
    tn_find_evidence(f, TN_REF(limit, i, soft));
    tn_find_evidence(f, TN_REF(host, 0, rdma));
    tn_find_remedy(out, f, "lift-memlock", tn_says(TN_THE(s, container)->kind, "docker") ? "docker" : NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    unsigned cards = n_cards(j->s);
    size_t fw = torch(j);
    if (!tn_known(TN_THE(j->s, container)->kind) || fw == j->s->framework.n || cards == 0)
        return;
    shm(j, out, fw, cards);
    memlock(j, out, fw, cards);
}

TN_CHECK(shared_memory_too_small, "shared-memory-too-small", run,
         .needs = TN_NEEDS_FRAMEWORK | TN_HAS(container) | TN_HAS(disk) | TN_HAS(node) | TN_HAS(limit));
