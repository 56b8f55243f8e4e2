/* gpu_busy.c - other programs hold more of a card's memory than is left.
 *
 * Never more than a note: a card at work is what it is for. NVML tells what each process holds and what is free
 * (nvmlDeviceGetComputeRunningProcesses, nvmlDeviceGetMemoryInfo_v2); no number of bytes is a limit here, since what
 * the next program needs is not known. A shared machine's way out is another card, never the end of somebody's work. */
#include "check/memory.h"

#include <string.h>

#define MAX_OWN 4u /* programs that are named one by one */

static const char *gib(const struct tn_sink *out, int64_t bytes)
{
    return tn_arena_printf(out->mem, "%lld.%lld", (long long)(bytes >> 30),
                           (long long)((bytes >> 20) % 1024 * 10 / 1024));
}

/* Whose it is, as far as that may be known. */
static const char *variant_of(const struct tn_rec_process *p)
{
    if (tn_known(p->job))
        return "job";
    if (tn_known(p->container))
        return "container";
    if (tn_is(p->own, 1))
        return tn_known(p->cwd) ? "own-at" : "own";
    return p->uid.k == TN_KNOWN ? NULL : "hidden";
}

static const char *number(const struct tn_sink *out, struct tn_int v, const char *other)
{
    return v.k == TN_KNOWN ? tn_arena_printf(out->mem, "%lld", (long long)v.v) : other;
}

/* A name, else the number: not everybody stands in /etc/passwd. */
static const char *user_of(const struct tn_sink *out, const struct tn_rec_process *p)
{
    return tn_known(p->user) ? p->user.v : number(out, p->uid, "?");
}

/* One's own programs on the card by their folders, since that is how a person tells notebooks apart: what they hold,
 * and whether all of them are kernels. */
static void own_ones(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const char *bus)
{
    struct tn_buf list;
    int64_t held = 0;
    unsigned n = 0;
    bool kernels = true;
    tn_buf_init(&list);
    for (size_t i = 0; i < j->s->process.n; i++) {
        const struct tn_rec_process *p = &j->s->process.v[i];
        if (!tn_says(p->gpu, bus) || !tn_is(p->own, 1) || p->memory_bytes.k != TN_KNOWN || p->memory_bytes.v <= 0 ||
            p->memory_bytes.v > INT64_MAX - held)
            continue;
        held += p->memory_bytes.v;
        kernels &= tn_is(p->notebook, 1);
        if (n++ < MAX_OWN)
            tn_buf_printf(&list, "%s%s (%s, %s, %s GiB)", n > 1 ? "; " : "", tn_look_text(p->cwd, "?"),
                          number(out, p->pid, "?"), tn_look_text(p->program, tn_look_text(p->name, "?")),
                          gib(out, p->memory_bytes.v));
        tn_find_evidence(f, TN_REF(process, i, cwd));
    }
    if (n > MAX_OWN)
        tn_buf_str(&list, "; ...");
    tn_find_arg(out, f, "held", "%s", gib(out, held));
    tn_find_arg(out, f, "list", "%s", list.p);
    tn_buf_deinit(&list);
    if (kernels) {
        f->variant = "kernels";
        tn_find_remedy(out, f, "shut-down-kernels", NULL);
    }
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t card, const struct tn_card_memory *m)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_gpu *g = &s->gpu.v[card];
    const struct tn_rec_process *p = &s->process.v[m->holder];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(gpu, card, free_bytes));
    f->severity = TN_NOTE;
    f->variant = variant_of(p);
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "index", "%s", number(out, g->index, g->bus.v));
    tn_find_arg(out, f, "pid", "%s", number(out, p->pid, "?"));
    tn_find_arg(out, f, "program", "%s", tn_look_text(p->name, "?"));
    tn_find_arg(out, f, "user", "%s", user_of(out, p));
    if (f->variant && strcmp(f->variant, "own-at") == 0)
        own_ones(j, out, f, g->bus.v);
    else
        tn_find_arg(out, f, "held", "%s", gib(out, p->memory_bytes.v));
    tn_find_arg(out, f, "free", "%s", gib(out, g->free_bytes.v));
    tn_find_arg(out, f, "job", "%s", tn_look_text(p->job, "?"));
    tn_find_arg(out, f, "scheduler", "%s", tn_look_text(p->scheduler, "?"));
    tn_find_arg(out, f, "container", "%s", tn_look_text(p->container, "?"));
    tn_find_arg(out, f, "engine", "%s", tn_look_text(p->engine, "?"));
    tn_find_evidence(f, TN_REF(gpu, card, free_bytes));
    tn_find_evidence(f, TN_REF(process, m->holder, memory_bytes));
    tn_find_evidence(f, TN_REF(process, m->holder, uid));
    size_t other = tn_look_free_card(j, card);
    if (other < s->gpu.n) {
        const struct tn_rec_gpu *o = &s->gpu.v[other];
        struct tn_remedy *r = tn_find_remedy(out, f, "use-other-gpu", NULL);
        tn_find_evidence(f, TN_REF(gpu, other, free_bytes));
        tn_remedy_arg(out, r, "gpu", "%s", tn_look_gpu_name(o));
        tn_remedy_arg(out, r, "free", "%s", gib(out, o->free_bytes.v));
        /* Its UUID means the same card whatever the variable hides now. */
        tn_remedy_arg(out, r, "id", "%s", tn_known(o->uuid) ? o->uuid.v : number(out, o->cuda_index, "0"));
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    while (tn_judge_gpu(j, &row)) {
        struct tn_card_memory m;
        if (tn_look_card_memory(j, row - 1, &m) && m.crowded && m.holder < j->s->process.n)
            report(j, out, row - 1, &m);
    }
}

TN_CHECK(gpu_busy, "gpu-busy", run, .needs = TN_HAS(gpu) | TN_HAS(process) | TN_HAS(driver));
