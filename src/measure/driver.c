/* driver.c - the CUDA driver interface at work, in the child: start, devices, and on one of them a context, memory
 * written and read back, a kernel.
 *
 * words: path of libcuda, level (quick, full), path of libcuda again (as every
 * layer's third word), number of the GPU, "list": the devices are told, too. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "measure/cuda_api.h"
#include "measure/told.h"
#include "measure/worker.h"
#include "os/os.h"

bool tn_cuda_worked(const struct tn_cuda *c, const char *what, const char *call, int result)
{
    const char *name = NULL, *text = NULL;
    char number[24];
    if (result == 0)
        return true;
    if (!c->cuGetErrorName || c->cuGetErrorName(result, &name) || !name) {
        memcpy(number, "number-", 7);
        unsigned n = 7, v = result < 0 ? 0u : (unsigned)result, digit = 1;
        while (digit <= v / 10)
            digit *= 10;
        for (; digit; digit /= 10)
            number[n++] = (char)('0' + v / digit % 10);
        number[n] = 0;
        name = number;
    }
    if (c->cuGetErrorString && c->cuGetErrorString(result, &text))
        text = NULL;
    tn_tell_failed(what, call, name, text ? text : "");
    return false;
}

bool tn_cuda_open(struct tn_cuda *c, const char *path)
{
    const char *why = "";
    memset(c, 0, sizeof *c);
    c->library = tn_os_dl_open(path, &why);
    if (!c->library) {
        tn_tell_failed("load", "dlopen", tn_os_dl_refused() ? "refused" : "unloadable", why);
        return false;
    }
#define FIND(name, args) c->name = (int(*) args)(uintptr_t)tn_os_dl_find(c->library, #name);
    TN_CUDA_API(FIND)
    TN_CUDA_OPTIONAL(FIND)
#undef FIND
#define CHECK(name, args)                                                                                              \
    if (!c->name) {                                                                                                    \
        tn_tell_failed("load", #name, "missing", "");                                                                  \
        return false;                                                                                                  \
    }
    TN_CUDA_API(CHECK)
#undef CHECK
    return true;
}

static bool tell_device(struct tn_cuda *c, int i)
{
    char name[128] = "", bus[32] = "";
    int d, major = 0, minor = 0;
    size_t bytes = 0;
    if (!tn_cuda_worked(c, "devices", "cuDeviceGet", c->cuDeviceGet(&d, i)) ||
        !tn_cuda_worked(c, "devices", "cuDeviceGetName", c->cuDeviceGetName(name, sizeof name - 1, d)) ||
        !tn_cuda_worked(c, "devices", "cuDeviceGetPCIBusId", c->cuDeviceGetPCIBusId(bus, sizeof bus - 1, d)) ||
        !tn_cuda_worked(c, "devices", "cuDeviceTotalMem", c->cuDeviceTotalMem_v2(&bytes, d)) ||
        !tn_cuda_worked(c, "devices", "cuDeviceGetAttribute", c->cuDeviceGetAttribute(&major, 75, d)) ||
        !tn_cuda_worked(c, "devices", "cuDeviceGetAttribute", c->cuDeviceGetAttribute(&minor, 76, d)))
        return false;
    tn_tell("device device=gpu.%s memory=%llu text=%s, compute capability %d.%d", bus, (unsigned long long)bytes, name,
            major, minor);
    return true;
}

bool tn_cuda_tell_on(const struct tn_cuda *c, const char *what, int device, const char *peer)
{
    char bus[32] = "";
    if (!tn_cuda_worked(c, what, "cuDeviceGetPCIBusId", c->cuDeviceGetPCIBusId(bus, sizeof bus - 1, device)))
        return false;
    tn_tell("on device=gpu.%s%s%s", bus, peer ? " peer=gpu." : "", peer ? peer : "");
    return true;
}

static bool start(struct tn_cuda *c, bool list, int *ret_count)
{
    int version = 0;
    if (tn_cuda_worked(c, "start", "cuDriverGetVersion", c->cuDriverGetVersion(&version)))
        tn_tell("version text=%d.%d", version / 1000, version % 1000 / 10);
    if (!tn_cuda_worked(c, "start", "cuInit", c->cuInit(0)) ||
        !tn_cuda_worked(c, "devices", "cuDeviceGetCount", c->cuDeviceGetCount(ret_count)))
        return false;
    for (int i = 0; list && i < *ret_count && i < TN_CUDA_CARDS; i++)
        if (!tell_device(c, i))
            return false;
    return true;
}

static int run(const char *const *argv)
{
    static struct tn_cuda c;
    uint64_t gpu = 0;
    int count = 0;
    if (!argv[0] || !argv[1] || !argv[2] || !argv[3] || !tn_str_u64(argv[3], strlen(argv[3]), 10, &gpu) || gpu > 1023)
        return 2;
    tn_step("load", 30000);
    if (!tn_cuda_open(&c, argv[0]))
        return 1;
    tn_step("start", 60000); /* without a persistent driver every card is started first */
    if (!start(&c, argv[4] && strcmp(argv[4], "list") == 0, &count))
        return 1;
    if ((int)gpu >= count) {
        tn_tell_failed("devices", "cuDeviceGetCount", "no-such-gpu", "");
        return 1;
    }
    return tn_cuda_prove(&c, (int)gpu, strcmp(argv[1], "full") == 0) ? 0 : 1;
}

TN_WORK(driver, "driver", run);
