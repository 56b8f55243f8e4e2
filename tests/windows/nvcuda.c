/* nvcuda.c - a stand-in nvcuda.dll with one card, for a Windows that has none: the functions that tenon asks, with the
 * types of cuda.h. -D: CARD, BUS, CUDA (11070), MAJOR, MINOR, INIT (what cuInit answers). */
#include <stddef.h>
#include <stdio.h>

#define OUT __declspec(dllexport)
OUT int cuDriverGetVersion(int *ret)
{
    *ret = CUDA;
    return 0;
}
OUT int cuInit(unsigned flags)
{
    return flags ? 1 : INIT;
}
OUT int cuDeviceGetCount(int *ret)
{
    *ret = 1;
    return 0;
}
OUT int cuDeviceGet(int *ret, int n)
{
    *ret = n;
    return n ? 101 : 0;
}
OUT int cuDeviceGetName(char *ret, int size, int d)
{
    snprintf(ret, (size_t)size, "%s", CARD);
    return d;
}
OUT int cuDeviceGetPCIBusId(char *ret, int size, int d)
{
    snprintf(ret, (size_t)size, "%s", BUS);
    return d;
}
OUT int cuDeviceTotalMem_v2(size_t *ret, int d)
{
    *ret = (size_t)8 << 30;
    return d;
}
OUT int cuDeviceGetAttribute(int *ret, int attribute, int d)
{
    *ret = attribute == 75 ? MAJOR : attribute == 76 ? MINOR : 0;
    return d;
}
