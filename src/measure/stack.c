/* stack.c - see stack.h. The child's words: level, path of libcuda, number of the GPU, "list" or "-", then for each
 * layer the name of its work and its file. Before each it tells "next". */
#include "measure/stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "measure/cuda_api.h"

extern const struct tn_work *const tn_works[];

/* ---- the child */

static const struct tn_work *work_of(const char *name)
{
    for (unsigned i = 0; tn_works[i]; i++)
        if (strcmp(tn_works[i]->name, name) == 0)
            return tn_works[i];
    return NULL;
}

/* Holds the card's context from the first layer to the last: each takes the same one and lets it go. What
 * fails but the loading, which is told, the layer will tell by the call's name. */
static bool hold(const char *cuda, int gpu)
{
    static struct tn_cuda c;
    int device = 0;
    void *context = NULL;
    tn_step("load", 30000);
    if (!tn_cuda_open(&c, cuda))
        return false;
    tn_step("start", 60000);
    if (c.cuInit(0) || c.cuDeviceGet(&device, gpu))
        return true;
    tn_step("context", 60000);
    (void)c.cuDevicePrimaryCtxRetain(&context, device);
    return true;
}

static int run(const char *const *argv)
{
    uint64_t gpu = 0;
    if (!argv[0] || !argv[1] || !argv[2] || !argv[3] || !tn_str_u64(argv[2], strlen(argv[2]), 10, &gpu) || gpu > 1023)
        return 2;
    bool held = strcmp(argv[0], "load") == 0 || !argv[4] || !argv[6]; /* nothing is shared */
    for (const char *const *w = argv + 4; w[0] && w[1]; w += 2) {
        const char *const words[] = {w[1], argv[0], argv[1], argv[2], argv[3], NULL};
        const struct tn_work *work = work_of(w[0]);
        tn_tell("next");
        if (!held && !hold(argv[1], (int)gpu))
            return 1;
        held = true;
        int rc = work ? work->run(words) : 2;
        if (rc)
            return rc;
    }
    return 0;
}

TN_WORK(stack, "stack", run);

/* ---- the parent */

struct at {
    const struct tn_stack *s;
    unsigned n; /* layers begun */
};

static void told(void *ctx, struct tn_span line)
{
    struct at *a = ctx;
    if (!tn_span_eq(line, "next"))
        a->s->told(a->s->ctx, line);
    else if (a->n < a->s->n)
        a->s->begin(a->s->ctx, a->n++);
}

unsigned tn_stack_run(const struct tn_stack *s, struct tn_err *err)
{
    struct at at = {.s = s};
    struct tn_worked r;
    char gpu[16];
    const char *argv[TN_STACK_LAYERS * 2 + 5] = {s->level, s->cuda ? s->cuda : "-", gpu, s->list ? "list" : "-"};
    unsigned n = 4;
    snprintf(gpu, sizeof gpu, "%d", s->gpu);
    for (unsigned i = 0; i < s->n && i < TN_STACK_LAYERS; i++) {
        argv[n++] = s->layer[i].work->name;
        argv[n++] = s->layer[i].file;
    }
    const struct tn_worker w = {.work = &tn_work_stack,
                                .argv = argv,
                                .deadline_ms = s->deadline_ms * s->n,
                                .free = s->free,
                                .told = told,
                                .ctx = &at};
    if (tn_worker_run(&w, &r, err))
        return 0;
    if (at.n == 0)
        s->begin(s->ctx, at.n++);
    s->ended(s->ctx, &r);
    tn_worked_deinit(&r);
    return at.n;
}
