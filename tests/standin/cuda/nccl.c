/* nccl.c - libnccl for tests, of one card: standin.h. */
#include "standin.h"

#define LAYER "nccl"
AT_LOAD(LAYER)

int ncclGetVersion(int *ret)
{
    *ret = 22005;
    return 0;
}
int ncclCommInitAll(void **ret, int n, const int *device)
{
    standin_trouble(LAYER);
    if (n != 1 || device[0])
        return 4;
    return standin_fault(LAYER, "status") ? 2 : standin_make(ret, 1);
}
int ncclCommDestroy(void *c)
{
    return standin_destroy(c, 1, 4);
}
int ncclAllReduce(uint64_t from, uint64_t to, size_t n, int type, int op, void *c, void *stream)
{
    (void)stream;
    if (!standin_is(c, 1) || type != 7 || op)
        return 4;
    if (!standin_is_device(from, n * 4) || !standin_is_device(to, n * 4) || !standin_works(LAYER))
        return 0;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n * 4);
    standin_spoil_float(LAYER, (float *)(uintptr_t)to, n);
    return 0;
}
