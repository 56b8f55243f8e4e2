/* cards.c - see cards.h. */
#include "measure/cards.h"

#include <stdlib.h>
#include <string.h>

static bool open_one(struct tn_cards *c, int number)
{
    const struct tn_cuda *d = &c->cuda;
    unsigned i = c->n;
    c->number[i] = number;
    if (!tn_cuda_worked(d, "start", "cuDeviceGet", d->cuDeviceGet(&c->device[i], number)) ||
        !tn_cuda_worked(d, "start", "cuDeviceGetPCIBusId",
                        d->cuDeviceGetPCIBusId(c->bus[i], sizeof c->bus[i] - 1, c->device[i])))
        return false;
    tn_tell("on device=gpu.%s", c->bus[i]);
    if (!tn_cuda_worked(d, "context", "cuDevicePrimaryCtxRetain",
                        d->cuDevicePrimaryCtxRetain(&c->context[i], c->device[i])))
        return false;
    c->n++;
    return true;
}

bool tn_cards_open(struct tn_cards *c, const char *cuda, const char *list)
{
    memset(c, 0, sizeof *c);
    tn_step("start", 60000);
    if (!tn_cuda_open(&c->cuda, cuda) || !tn_cuda_worked(&c->cuda, "start", "cuInit", c->cuda.cuInit(0)))
        return false;
    tn_step("context", 120000);
    for (char *end; *list && c->n < TN_CUDA_CARDS; list = *end == ',' ? end + 1 : end) {
        long number = strtol(list, &end, 10);
        if (end == list || number < 0 || number > 1023 || !open_one(c, (int)number))
            return false;
    }
    return true;
}

bool tn_cards_close(struct tn_cards *c)
{
    bool ok = true;
    tn_step("release", 60000);
    c->cuda.cuCtxSetCurrent(NULL);
    while (c->n) {
        unsigned i = --c->n;
        tn_tell("on device=gpu.%s", c->bus[i]);
        ok = tn_cuda_worked(&c->cuda, "release", "cuDevicePrimaryCtxRelease",
                            c->cuda.cuDevicePrimaryCtxRelease_v2(c->device[i])) &&
             ok;
    }
    return ok;
}

bool tn_cards_on(struct tn_cards *c, const char *what, unsigned i, int peer)
{
    tn_tell("on device=gpu.%s%s%s", c->bus[i], peer < 0 ? "" : " peer=gpu.", peer < 0 ? "" : c->bus[peer]);
    return tn_cuda_worked(&c->cuda, what, "cuCtxSetCurrent", c->cuda.cuCtxSetCurrent(c->context[i]));
}
