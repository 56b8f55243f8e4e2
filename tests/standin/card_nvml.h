/* card_nvml.h - card.c's NVML: idle before the first product, at work from then on. */

API int nvmlInit_v2(void)
{
    return 0;
}
API int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **ret)
{
    *ret = &started;
    return strcmp(bus, "0000:01:00.0") ? 6 : 0;
}
API int nvmlDeviceGetClockInfo(void *d, unsigned which, unsigned *ret)
{
    *ret = products ? 1500 : 300;
    return d && which == 1 ? 0 : 2;
}
API int nvmlDeviceGetMaxClockInfo(void *d, unsigned which, unsigned *ret)
{
    *ret = 2000;
    return d && which == 1 ? 0 : 2;
}
API int nvmlDeviceGetPowerUsage(void *d, unsigned *ret)
{
    *ret = products ? 120000 : 15000;
    return d ? 0 : 2;
}
API int nvmlDeviceGetTemperature(void *d, unsigned which, unsigned *ret)
{
    *ret = products ? 70 : 35;
    return d && which == 0 ? 0 : 2;
}
API int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *ret)
{
    *ret = products ? (does("hot") ? 0x20 : 0x4) : 0x1;
    return d ? 0 : 2;
}
