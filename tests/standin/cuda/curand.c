/* curand.c - libcurand for tests: a counter, mixed: standin.h. */
#include "standin.h"

#define LAYER "curand"
AT_LOAD(LAYER)
enum { CARD = 1, HOST };
#define NOT_INITIALIZED 101

int curandGetVersion(int *ret)
{
    *ret = 10305;
    return 0;
}
int curandCreateGenerator(void **ret, int kind)
{
    standin_trouble(LAYER);
    return kind != 161 ? 103 : standin_has_context() ? standin_make(ret, CARD) : 203;
}
int curandCreateGeneratorHost(void **ret, int kind)
{
    return kind != 161 ? 103 : standin_make(ret, HOST);
}
int curandDestroyGenerator(void *g)
{
    return standin_destroy(g, standin_is(g, HOST) ? HOST : CARD, NOT_INITIALIZED);
}
int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed)
{
    if (!standin_is(g, HOST) && !standin_is(g, CARD))
        return NOT_INITIALIZED;
    ((struct standin_handle *)g)->v[0] = (long)seed;
    return 0;
}
int curandGenerateUniform(void *g, uint64_t to, size_t n)
{
    bool host = standin_is(g, HOST);
    float *v = (float *)(uintptr_t)to;
    if (!host && !standin_is(g, CARD))
        return NOT_INITIALIZED;
    if (!host && standin_fault(LAYER, "status"))
        return 201;
    if (!host && (!standin_is_device(to, n * 4) || !standin_works(LAYER)))
        return 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t h = (uint64_t)((struct standin_handle *)g)->v[0] * 0x9e3779b97f4a7c15u + i * 0xbf58476d1ce4e5b9u;
        h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
        h = (h ^ h >> 27) * 0x94d049bb133111ebu;
        v[i] = (float)((h >> 40) + 1) / 16777216.0f;
        if (!host && standin_fault(LAYER, "constant"))
            v[i] = 0.5f;
    }
    if (!host)
        standin_spoil_float(LAYER, v, n);
    if (!host && standin_fault(LAYER, "wrong")) /* outside of what is promised */
        v[3] = 1.5f;
    return 0;
}
