/* bench_gpu_state.c - see bench_gpu.h. Source: nvml.h of CUDA 11 to 13 (NVML_CLOCK_SM 1, NVML_TEMPERATURE_GPU 0). */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "measure/bench_gpu.h"
#include "os/os.h"

enum { CLOCK_SM = 1, TEMPERATURE_GPU = 0 };

/* The same folder, another name. */
static bool beside(const char *cuda, char *ret, size_t size)
{
    const char *slash = strrchr(cuda, '/'), *back = strrchr(cuda, '\\');
    const char *end = slash > back || !back ? slash : back;
    int n =
        end ? snprintf(ret, size, "%.*s%s", (int)(end - cuda + 1), cuda, back ? "nvml.dll" : "libnvidia-ml.so.1") : 0;
    return n > 0 && (size_t)n < size;
}

void tn_bench_nvml_open(struct tn_bench_nvml *l, const char *cuda, const char *bus)
{
    char path[TN_MAX_PATH_BYTES];
    int (*init)(void), (*by_bus)(const char *, void **);
    memset(l, 0, sizeof *l);
    void *library = beside(cuda, path, sizeof path) && tn_os_dl_trusted(path) ? tn_os_dl_open(path, NULL) : NULL;
    if (!library)
        return;
    const struct {
        const char *name;
        void *at;
    } all[] = {{"nvmlInit_v2", &init},
               {"nvmlDeviceGetHandleByPciBusId_v2", &by_bus},
               {"nvmlDeviceGetClockInfo", &l->clock},
               {"nvmlDeviceGetMaxClockInfo", &l->clock_max},
               {"nvmlDeviceGetPowerUsage", &l->power},
               {"nvmlDeviceGetTemperature", &l->temperature},
               {"nvmlDeviceGetCurrentClocksThrottleReasons", &l->reasons}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        void *f = tn_os_dl_find(library, all[i].name);
        if (!f)
            return;
        memcpy(all[i].at, &f, sizeof f);
    }
    if (init() || by_bus(bus, &l->card))
        l->card = NULL;
}

void tn_bench_nvml_tell(const struct tn_bench_nvml *l, const char *word)
{
    unsigned mhz = 0, max = 0, milliwatts = 0, celsius = 0;
    unsigned long long reasons = 0;
    if (!l->card || l->clock(l->card, CLOCK_SM, &mhz))
        return;
    if (l->clock_max(l->card, CLOCK_SM, &max) == 0)
        tn_tell("max_mhz %u", max);
    if (l->power(l->card, &milliwatts))
        milliwatts = 0;
    if (l->temperature(l->card, TEMPERATURE_GPU, &celsius))
        celsius = 0;
    if (l->reasons(l->card, &reasons))
        reasons = 0;
    tn_tell("%s %u %.1f %u %llu", word, mhz, milliwatts / 1e3, celsius, reasons);
}
