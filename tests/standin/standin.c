/* standin.c - libnvidia-ml.so.1 and libcuda.so.1 (-DCUDA) that answer from a text file, for machines without a GPU.
 *
 * TENON_STANDIN names the file. Lines are "KEY VALUES..."; "gpu ADDRESS" begins a card; "#" a note. Keys are the words
 * of world/ask.h. "KEY !15" makes the call fail with that number; what is left out is "not supported" (NVML 3). Of all
 * cards: driver, cuda (12020), nvml_init and cu_init (numbers of errors). TENON_STANDIN_DO makes the library misbehave:
 * hang, hang-2 (at the second card), flood, fork, hydra, write, node, link, exit, exit-2, crash, noise.
 * The layouts are those that the program uses; tests/real/nvml_abi.sh compares them with NVIDIA's header. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/world/ask_nvml.h"

#define NOT_SUPPORTED 3
#define MAX_LINES 1024

static struct {
    int card; /* -1: of the machine */
    const char *key, *rest;
} line[MAX_LINES];
static int n_line, n_card;
static const char *card_bus[64];

static void load(void)
{
    const char *path = getenv("TENON_STANDIN");
    FILE *f = path ? fopen(path, "r") : NULL;
    char *text = NULL;
    size_t cap = 0;
    if (n_line || !f)
        return;
    while (getline(&text, &cap, f) > 0 && n_line < MAX_LINES) {
        char *p = strdup(text + strspn(text, " ")), *rest;
        p[strcspn(p, "\n")] = 0;
        if (!*p || *p == '#')
            continue;
        rest = p + strcspn(p, " ");
        if (*rest)
            *rest++ = 0;
        if (strcmp(p, "gpu") == 0)
            card_bus[n_card++] = rest;
        line[n_line].card = n_card - 1;
        line[n_line].key = p;
        line[n_line++].rest = rest;
    }
    fclose(f);
}

static const char *find(int card, const char *key)
{
    load();
    for (int i = 0; i < n_line; i++)
        if (line[i].card == card && strcmp(line[i].key, key) == 0)
            return line[i].rest;
    return NULL;
}

static int text(int card, const char *key, char *ret, size_t size)
{
    const char *v = find(card, key);
    if (!v || *v == '!')
        return v ? atoi(v + 1) : NOT_SUPPORTED;
    snprintf(ret, size, "%s", v);
    return 0;
}

/* Up to four numbers. */
static int numbers(int card, const char *key, unsigned long long *ret, int n)
{
    const char *v = find(card, key);
    char *end;
    if (!v || *v == '!')
        return v ? atoi(v + 1) : NOT_SUPPORTED;
    for (int i = 0; i < n; i++) {
        ret[i] = strtoull(v, &end, 0);
        if (end == v)
            return NOT_SUPPORTED;
        v = end;
    }
    return 0;
}

static void misbehave(const char *where)
{
    const char *what = getenv("TENON_STANDIN_DO"), *file = getenv("TENON_STANDIN_FILE");
    char kind[32] = "";
    if (!what)
        return;
    snprintf(kind, sizeof kind, "%s", what);
    char *dash = strchr(kind, '-');
    if (dash)
        *dash++ = 0;
    if (strcmp(dash ? dash : "1", where) != 0)
        return;
    if (strcmp(kind, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(kind, "flood") == 0)
        for (;;)
            if (write(1, "name x\ngpu 0\nprocess c 1 1 1\n", 29) < 0)
                _exit(1);
    if (strcmp(kind, "noise") == 0)
        printf("started\ncount 77\nend\n"), fflush(stdout);
    if (strcmp(kind, "exit") == 0)
        exit(0);
    if (strcmp(kind, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(kind, "hydra") == 0) {
        signal(SIGTERM, SIG_IGN);
        for (int i = 0; i < 8 && fork() > 0; i++) {
        }
        for (;;)
            pause();
    }
    if (strcmp(kind, "fork") == 0)
        for (int i = 0; i < 8; i++)
            if (fork() == 0) {
                setsid();
                sleep(30);
                _exit(0);
            }
    if (!file)
        return;
    if (strcmp(kind, "write") == 0) {
        int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd >= 0 && write(fd, "x", 1) == 1)
            close(fd);
    }
    if (strcmp(kind, "node") == 0 && mknod(file, S_IFCHR | 0666, 0x103) && mkfifo(file, 0666) && mkdir(file, 0777))
        return;
    if (strcmp(kind, "link") == 0 && symlink("/dev/null", file) == 0)
        return;
}

#ifndef CUDA
static int of(const void *d)
{
    return (int)((uintptr_t)d - 1);
}
#define DEVICE_U(name, key)                                                                                            \
    int name(void *d, unsigned *ret)                                                                                   \
    {                                                                                                                  \
        unsigned long long v[4];                                                                                       \
        int rc = numbers(of(d), key, v, 1);                                                                            \
        if (!rc)                                                                                                       \
            *ret = (unsigned)v[0];                                                                                     \
        return rc;                                                                                                     \
    }
#define DEVICE_U2(name, key)                                                                                           \
    int name(void *d, unsigned *ret, unsigned *ret2)                                                                   \
    {                                                                                                                  \
        unsigned long long v[4];                                                                                       \
        int rc = numbers(of(d), key, v, 2);                                                                            \
        if (!rc) {                                                                                                     \
            *ret = (unsigned)v[0];                                                                                     \
            *ret2 = (unsigned)v[1];                                                                                    \
        }                                                                                                              \
        return rc;                                                                                                     \
    }
#define DEVICE_OF(name, key)                                                                                           \
    int name(void *d, unsigned what, unsigned *ret)                                                                    \
    {                                                                                                                  \
        unsigned long long v[4];                                                                                       \
        (void)what;                                                                                                    \
        int rc = numbers(of(d), key, v, 1);                                                                            \
        if (!rc)                                                                                                       \
            *ret = (unsigned)v[0];                                                                                     \
        return rc;                                                                                                     \
    }
#define DEVICE_TEXT(name, key)                                                                                         \
    int name(void *d, char *ret, unsigned size)                                                                        \
    {                                                                                                                  \
        return text(of(d), key, ret, size);                                                                            \
    }

int nvmlInit_v2(void)
{
    unsigned long long v[1] = {0};
    misbehave("1");
    numbers(-1, "nvml_init", v, 1);
    return (int)v[0];
}
int nvmlShutdown(void)
{
    return 0;
}
int nvmlSystemGetDriverVersion(char *ret, unsigned size)
{
    return text(-1, "driver", ret, size);
}
int nvmlSystemGetNVMLVersion(char *ret, unsigned size)
{
    char driver[64] = "";
    int rc = text(-1, "driver", driver, sizeof driver);
    if (!rc)
        snprintf(ret, size, "12.%s", driver);
    return rc;
}
int nvmlSystemGetCudaDriverVersion_v2(int *ret)
{
    unsigned long long v[1] = {0};
    int rc = numbers(-1, "cuda", v, 1);
    *ret = (int)v[0];
    return rc;
}
static bool listed(int card)
{
    const char *v = find(card, "nvml");
    return !v || strcmp(v, "no") != 0;
}
int nvmlDeviceGetCount_v2(unsigned *ret)
{
    load();
    *ret = 0;
    for (int i = 0; i < n_card; i++)
        *ret += listed(i);
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret)
{
    int card = 0;
    if (index == 1)
        misbehave("2");
    for (card = 0; card < n_card; card++)
        if (listed(card) && index-- == 0)
            break;
    if (card == n_card)
        return 2;
    *ret = (void *)(uintptr_t)(card + 1);
    const char *v = find(card, "nvml");
    return v && *v == '!' ? atoi(v + 1) : 0;
}
int nvmlDeviceGetPciInfo_v3(void *d, struct tn_nvml_pci *ret)
{
    unsigned device = 0;
    if (of(d) < 0 || of(d) >= n_card)
        return 2;
    sscanf(card_bus[of(d)], "%x:%x:%x", &ret->domain, &ret->bus, &ret->device);
    sscanf(find(of(d), "pci") ? find(of(d), "pci") : "0", "%x", &device);
    ret->device_id = device << 16 | 0x10de;
    snprintf(ret->text, sizeof ret->text, "0000%s", card_bus[of(d)]);
    return 0;
}
DEVICE_TEXT(nvmlDeviceGetName, "name")
int nvmlDeviceGetUUID(void *d, char *ret, unsigned size)
{
    if (of(d) < 1000)
        return text(of(d), "uuid", ret, size);
    snprintf(ret, size, "MIG-%08d-1111-2222-3333-444444444444", of(d));
    return 0;
}
DEVICE_U2(nvmlDeviceGetCudaComputeCapability, "capability")
int nvmlDeviceGetMemoryInfo_v2(void *d, struct tn_nvml_memory2 *ret)
{
    unsigned long long v[4];
    if (ret->version != (sizeof *ret | 2u << 24))
        return 25;
    int rc = numbers(of(d), "memory", v, 4);
    if (rc)
        return rc;
    ret->total = v[0];
    ret->used = v[1];
    ret->free = v[2];
    ret->reserved = v[3];
    return 0;
}
int nvmlDeviceGetMemoryInfo(void *d, struct tn_nvml_memory *ret)
{
    unsigned long long v[4];
    int rc = numbers(of(d), "memory", v, 3);
    if (rc)
        return rc;
    ret->total = v[0];
    ret->used = v[1];
    ret->free = v[2];
    return 0;
}
DEVICE_U(nvmlDeviceGetMinorNumber, "minor")
DEVICE_U(nvmlDeviceGetComputeMode, "compute_mode")
DEVICE_U(nvmlDeviceGetPersistenceMode, "persistence")
DEVICE_U(nvmlDeviceGetPowerUsage, "power_mw")
DEVICE_U(nvmlDeviceGetEnforcedPowerLimit, "power_limit_mw")
DEVICE_U(nvmlDeviceGetRetiredPagesPendingStatus, "pages_pending")
DEVICE_U(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
DEVICE_U(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max")
DEVICE_U2(nvmlDeviceGetMigMode, "mig")
DEVICE_U2(nvmlDeviceGetEccMode, "ecc")
DEVICE_OF(nvmlDeviceGetTemperature, "temperature_c")
DEVICE_OF(nvmlDeviceGetClockInfo, "clock_mhz")
DEVICE_OF(nvmlDeviceGetMaxClockInfo, "clock_max_mhz")
int nvmlDeviceGetGspFirmwareVersion(void *d, char *ret)
{
    return text(of(d), "firmware", ret, 80);
}
int nvmlDeviceGetTotalEccErrors(void *d, unsigned type, unsigned counter, unsigned long long *ret)
{
    return type == 1 ? numbers(of(d), counter ? "ecc_ever" : "ecc_now", ret, 1) : 2;
}
int nvmlDeviceGetRemappedRows(void *d, unsigned *a, unsigned *b, unsigned *c, unsigned *e)
{
    unsigned long long v[4];
    int rc = numbers(of(d), "rows", v, 4);
    if (rc)
        return rc;
    *a = (unsigned)v[0];
    *b = (unsigned)v[1];
    *c = v[2] != 0;
    *e = v[3] != 0;
    return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *ret)
{
    return numbers(of(d), "throttle", ret, 1);
}
int nvmlDeviceGetNvLinkState(void *d, unsigned link, unsigned *ret)
{
    unsigned long long v[4];
    int rc = numbers(of(d), "nvlink", v, 2);
    if (rc)
        return rc;
    *ret = link < v[0];
    return link < v[1] ? 0 : 2;
}
int nvmlDeviceGetGpuFabricInfo(void *d, struct tn_nvml_fabric *ret)
{
    unsigned long long v[4];
    int rc = numbers(of(d), "fabric", v, 2);
    if (rc)
        return rc;
    ret->state = (unsigned char)v[0];
    ret->status = (int)v[1];
    return 0;
}
static int processes(int card, char kind, unsigned *count, struct tn_nvml_process *ret)
{
    unsigned n = 0;
    load();
    for (int i = 0; i < n_line; i++) {
        char k;
        unsigned pid;
        unsigned long long bytes = ~0ull;
        if (line[i].card != card || strcmp(line[i].key, "process") != 0 ||
            sscanf(line[i].rest, "%c %u %llu", &k, &pid, &bytes) < 2 || k != kind)
            continue;
        if (n < *count) {
            ret[n].pid = pid;
            ret[n].bytes = bytes;
            ret[n].instance = ret[n].compute_instance = ~0u;
        }
        n++;
    }
    int rc = n > *count ? 7 : 0;
    *count = n;
    return rc;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *count, struct tn_nvml_process *ret)
{
    return processes(of(d), 'c', count, ret);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *d, unsigned *count, struct tn_nvml_process *ret)
{
    return processes(of(d), 'g', count, ret);
}
int nvmlDeviceGetMaxMigDeviceCount(void *d, unsigned *ret)
{
    *ret = find(of(d), "mig_devices") ? 7 : 0;
    return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void *d, unsigned index, void **ret)
{
    unsigned long long v[1] = {0};
    numbers(of(d), "mig_devices", v, 1);
    *ret = (void *)(uintptr_t)(1001 + of(d) * 10 + (int)index);
    return index < v[0] ? 0 : 6;
}
#else
static int shown[64], n_shown;

int cuDriverGetVersion(int *ret)
{
    unsigned long long v[1] = {0};
    numbers(-1, "cuda", v, 1);
    *ret = (int)v[0];
    return 0;
}
int cuInit(unsigned flags)
{
    unsigned long long v[1] = {0};
    misbehave("1");
    numbers(-1, "cu_init", v, 1);
    for (int i = n_shown = 0; i < n_card; i++)
        if (!find(i, "cuda_hidden"))
            shown[n_shown++] = i;
    return flags ? 1 : (int)v[0];
}
int cuDeviceGetCount(int *ret)
{
    *ret = n_shown;
    return 0;
}
int cuDeviceGet(int *ret, int n)
{
    if (n == 1)
        misbehave("2");
    *ret = n;
    return n >= 0 && n < n_shown ? 0 : 101;
}
int cuDeviceGetName(char *ret, int size, int d)
{
    return text(shown[d], "name", ret, (size_t)size);
}
int cuDeviceGetPCIBusId(char *ret, int size, int d)
{
    snprintf(ret, (size_t)size, "%s", card_bus[shown[d]]);
    return 0;
}
int cuDeviceTotalMem_v2(size_t *ret, int d)
{
    unsigned long long v[1] = {0};
    numbers(shown[d], "memory", v, 1);
    *ret = v[0];
    return 0;
}
int cuDeviceGetAttribute(int *ret, int attribute, int d)
{
    unsigned long long v[2] = {0, 0};
    if (attribute == 75 || attribute == 76) {
        int rc = numbers(shown[d], "capability", v, 2);
        *ret = (int)v[attribute - 75];
        return rc ? 1 : 0;
    }
    *ret = 0;
    return 0;
}
int cuDeviceCanAccessPeer(int *ret, int d, int peer)
{
    const char *v = find(shown[d], "peers");
    *ret = v && strstr(v, card_bus[shown[peer]]) != NULL;
    return 0;
}
#endif
