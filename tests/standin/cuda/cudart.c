/* cudart.c - libcudart for tests: standin.h. Its memory is the driver's. */
#include "standin.h"

#define LAYER "cudart"
AT_LOAD(LAYER)

extern int cuCtxSynchronize(void);

int cudaRuntimeGetVersion(int *ret)
{
    *ret = 12040;
    return 0;
}
int cudaSetDevice(int device)
{
    standin_trouble(LAYER);
    if (device < 0 || device >= standin_cards())
        return 101;
    standin_on_card(device);
    return 0;
}
int cudaMalloc(uint64_t *ret, size_t bytes)
{
    if (standin_fault(LAYER, "status"))
        return 2;
    *ret = standin_alloc(bytes);
    return 0;
}
int cudaFree(uint64_t at)
{
    return standin_free(at) ? 0 : 1;
}
int cudaMemcpy(uint64_t to, uint64_t from, size_t bytes, int kind)
{
    if ((kind != 1 && kind != 2) || !standin_is_device(kind == 1 ? to : from, bytes))
        return 1;
    if (!standin_works(LAYER))
        return 0;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    if (kind == 2 && standin_fault(LAYER, "wrong"))
        ((unsigned char *)(uintptr_t)to)[bytes / 2] ^= 1;
    return 0;
}
int cudaDeviceSynchronize(void)
{
    return cuCtxSynchronize();
}
