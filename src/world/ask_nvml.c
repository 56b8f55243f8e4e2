/* ask_nvml.c - NVML, asked in the child: versions, devices and their state, who uses them.
 *
 * Every call is looked up by name: a library that lacks one, or answers "not supported", leaves its line out or says
 * the number. Types and sizes: nvml.h of nvidia-nvml-dev, in words of our own; tests compare them with the header. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "os/os.h"
#include "world/ask.h"
#include "world/ask_nvml.h"

#define MAX_DEVICES 64
#define MAX_PROCESSES 1024
#define NOT_SUPPORTED 3
#define INSUFFICIENT_SIZE 7

typedef void *device;
typedef int call_none(void);
typedef int call_text(char *ret, unsigned size);
typedef int call_int(int *ret);
typedef int call_count(unsigned *ret);
typedef int call_handle(unsigned index, device *ret);
typedef int call_device_text(device d, char *ret, unsigned size);
typedef int call_pci(device d, struct tn_nvml_pci *ret);
typedef int call_u(device d, unsigned *ret);
typedef int call_u2(device d, unsigned *ret, unsigned *ret2);
typedef int call_u4(device d, unsigned *a, unsigned *b, unsigned *c, unsigned *e);
typedef int call_of(device d, unsigned what, unsigned *ret);
typedef int call_wide(device d, unsigned long long *ret);
typedef int call_errors(device d, unsigned type, unsigned counter, unsigned long long *ret);
typedef int call_memory(device d, void *ret);
typedef int call_processes(device d, unsigned *count, void *ret);
typedef int call_fabric(device d, struct tn_nvml_fabric *ret);
typedef int call_firmware(device d, char *ret);

static void *library;

#define FIND(type, name) ((type *)(uintptr_t)tn_os_dl_find(library, name))

/* A call that is there and did not answer; "not supported" is no trouble: the card has none of it. */
static bool worked(const char *name, int result)
{
    if (result && result != NOT_SUPPORTED)
        tn_ask_say("! %s %d", name, result);
    return result == 0;
}

static void say_text(device d, const char *word, const char *name)
{
    char text[128] = "";
    call_device_text *f = FIND(call_device_text, name);
    if (f && worked(name, f(d, text, sizeof text - 1)) && *text)
        tn_ask_say("%s %s", word, text);
}

static void say_pci(device d)
{
    struct tn_nvml_pci p;
    memset(&p, 0, sizeof p);
    const char *name = "nvmlDeviceGetPciInfo_v3";
    call_pci *f = FIND(call_pci, name);
    if (!f)
        f = FIND(call_pci, name = "nvmlDeviceGetPciInfo_v2");
    if (!f || !worked(name, f(d, &p)))
        return;
    tn_ask_say("bus %04x:%02x:%02x.0", p.domain, p.bus, p.device);
    tn_ask_say("pci 0x%08x", p.device_id);
}

static void say_numbers(device d)
{
    static const struct {
        const char *word, *name;
    } one[] = {{"minor", "nvmlDeviceGetMinorNumber"},
               {"compute_mode", "nvmlDeviceGetComputeMode"},
               {"persistence", "nvmlDeviceGetPersistenceMode"},
               {"power_mw", "nvmlDeviceGetPowerUsage"},
               {"power_limit_mw", "nvmlDeviceGetEnforcedPowerLimit"},
               {"virtualization", "nvmlDeviceGetVirtualizationMode"},
               {"pages_pending", "nvmlDeviceGetRetiredPagesPendingStatus"},
               {"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration"},
               {"pcie_generation_max", "nvmlDeviceGetMaxPcieLinkGeneration"},
               {"pcie_width", "nvmlDeviceGetCurrPcieLinkWidth"},
               {"pcie_width_max", "nvmlDeviceGetMaxPcieLinkWidth"}},
      two[] = {{"mig", "nvmlDeviceGetMigMode"},
               {"ecc", "nvmlDeviceGetEccMode"},
               {"gsp", "nvmlDeviceGetGspFirmwareMode"},
               {"driver_model", "nvmlDeviceGetDriverModel"}};
    static const struct {
        const char *word, *name;
        unsigned what;
    } of[] = {{"temperature_c", "nvmlDeviceGetTemperature", 0},
              {"clock_mhz", "nvmlDeviceGetClockInfo", 1},
              {"clock_max_mhz", "nvmlDeviceGetMaxClockInfo", 1}};
    unsigned a, b;
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        call_u *f = FIND(call_u, one[i].name);
        if (f && worked(one[i].name, f(d, &a)))
            tn_ask_say("%s %u", one[i].word, a);
    }
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) { /* current, and what holds after the next reset */
        call_u2 *f = FIND(call_u2, two[i].name);
        if (f && worked(two[i].name, f(d, &a, &b)))
            tn_ask_say("%s %u %u", two[i].word, a, b);
    }
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        call_of *f = FIND(call_of, of[i].name);
        if (f && worked(of[i].name, f(d, of[i].what, &a)))
            tn_ask_say("%s %u", of[i].word, a);
    }
}

static void say_capability(device d)
{
    unsigned a, b;
    call_u2 *f = FIND(call_u2, "nvmlDeviceGetCudaComputeCapability");
    if (f && worked("nvmlDeviceGetCudaComputeCapability", f(d, &a, &b)))
        tn_ask_say("capability %u.%u", a, b);
}

static void say_memory(device d)
{
    struct tn_nvml_memory2 m2;
    struct tn_nvml_memory m;
    memset(&m2, 0, sizeof m2);
    m2.version = (unsigned)sizeof m2 | 2u << 24;
    call_memory *f = FIND(call_memory, "nvmlDeviceGetMemoryInfo_v2");
    if (f && f(d, &m2) == 0) {
        tn_ask_say("memory %llu %llu %llu %llu", m2.total, m2.used, m2.free, m2.reserved);
        return;
    }
    f = FIND(call_memory, "nvmlDeviceGetMemoryInfo");
    if (f && worked("nvmlDeviceGetMemoryInfo", f(d, &m)))
        tn_ask_say("memory %llu %llu %llu", m.total, m.used, m.free);
}

/* Errors of memory that were not corrected: since the last start, and ever. */
static void say_faults(device d)
{
    unsigned long long n;
    unsigned corrected, not, pending, failed;
    call_errors *errors = FIND(call_errors, "nvmlDeviceGetTotalEccErrors");
    call_u4 *rows = FIND(call_u4, "nvmlDeviceGetRemappedRows");
    call_wide *throttle = FIND(call_wide, "nvmlDeviceGetCurrentClocksThrottleReasons");
    for (unsigned counter = 0; errors && counter < 2; counter++)
        if (worked("nvmlDeviceGetTotalEccErrors", errors(d, 1, counter, &n)))
            tn_ask_say("%s %llu", counter ? "ecc_ever" : "ecc_now", n);
    if (rows && worked("nvmlDeviceGetRemappedRows", rows(d, &corrected, &not, &pending, &failed)))
        tn_ask_say("rows %u %u %u %u", corrected, not, pending, failed);
    if (throttle && worked("nvmlDeviceGetCurrentClocksThrottleReasons", throttle(d, &n)))
        tn_ask_say("throttle 0x%llx", n);
}

static void say_links(device d)
{
    unsigned active = 0, n = 0, on;
    call_of *f = FIND(call_of, "nvmlDeviceGetNvLinkState");
    for (unsigned i = 0; f && i < 18; i++)
        if (f(d, i, &on) == 0) {
            n++;
            active += on != 0;
        }
    if (n)
        tn_ask_say("nvlink %u %u", active, n);
    struct tn_nvml_fabric fabric;
    memset(&fabric, 0, sizeof fabric);
    call_fabric *get = FIND(call_fabric, "nvmlDeviceGetGpuFabricInfo");
    if (get && worked("nvmlDeviceGetGpuFabricInfo", get(d, &fabric)))
        tn_ask_say("fabric %u %d", fabric.state, fabric.status);
}

/* "process c 4711 1073741824 0": kind (c compute, g graphics), process id, bytes or -, MIG instance or -. */
static void say_processes(device d, char kind, const char *base)
{
    static const struct {
        const char *suffix;
        size_t size;
    } form[] = {{"_v3", sizeof(struct tn_nvml_process)}, {"_v2", sizeof(struct tn_nvml_process)}, {"", 16}};
    static struct tn_nvml_process list[MAX_PROCESSES];
    for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
        char name[64];
        unsigned n = MAX_PROCESSES;
        snprintf(name, sizeof name, "%s%s", base, form[k].suffix);
        call_processes *f = FIND(call_processes, name);
        if (!f)
            continue;
        memset(list, 0, sizeof list);
        int result = f(d, &n, list);
        if (result == INSUFFICIENT_SIZE)
            tn_ask_say("processes_left_out %u", n - MAX_PROCESSES);
        else if (!worked(name, result))
            return;
        for (unsigned i = 0; i < n && i < MAX_PROCESSES; i++) {
            struct tn_nvml_process p = {0, 0, ~0u, ~0u};
            memcpy(&p, (const char *)list + i * form[k].size, form[k].size);
            if (p.bytes == ~0ull)
                tn_ask_say("process %c %u - %d", kind, p.pid, (int)p.instance);
            else
                tn_ask_say("process %c %u %llu %d", kind, p.pid, p.bytes, (int)p.instance);
        }
        return;
    }
}

static void say_mig(device d)
{
    unsigned n = 0, found = 0;
    call_u *count = FIND(call_u, "nvmlDeviceGetMaxMigDeviceCount");
    typedef int call_mig(device d, unsigned index, device *ret);
    call_mig *get = FIND(call_mig, "nvmlDeviceGetMigDeviceHandleByIndex");
    if (!count || !get || count(d, &n) || n > MAX_DEVICES)
        return;
    for (unsigned i = 0; i < n; i++) {
        device m;
        char text[128] = "";
        call_device_text *uuid = FIND(call_device_text, "nvmlDeviceGetUUID");
        if (get(d, i, &m))
            continue;
        found++;
        if (uuid && uuid(m, text, sizeof text - 1) == 0)
            tn_ask_say("mig_device %s", text);
    }
    tn_ask_say("mig_devices %u", found);
}

static void say_device(device d)
{
    char firmware[96] = "";
    say_pci(d);
    say_text(d, "name", "nvmlDeviceGetName");
    say_text(d, "uuid", "nvmlDeviceGetUUID");
    say_capability(d);
    say_memory(d);
    say_numbers(d);
    call_firmware *f = FIND(call_firmware, "nvmlDeviceGetGspFirmwareVersion");
    if (f && worked("nvmlDeviceGetGspFirmwareVersion", f(d, firmware)) && *firmware)
        tn_ask_say("firmware %.95s", firmware);
    say_faults(d);
    say_links(d);
    say_mig(d);
    say_processes(d, 'c', "nvmlDeviceGetComputeRunningProcesses");
    say_processes(d, 'g', "nvmlDeviceGetGraphicsRunningProcesses");
}

static void say_versions(void)
{
    char text[96] = "";
    int n;
    call_text *driver = FIND(call_text, "nvmlSystemGetDriverVersion");
    call_text *nvml = FIND(call_text, "nvmlSystemGetNVMLVersion");
    call_int *cuda = FIND(call_int, "nvmlSystemGetCudaDriverVersion_v2");
    if (driver && worked("nvmlSystemGetDriverVersion", driver(text, sizeof text - 1)))
        tn_ask_say("driver %s", text);
    if (nvml && worked("nvmlSystemGetNVMLVersion", nvml(text, sizeof text - 1)))
        tn_ask_say("nvml %s", text);
    if (cuda && worked("nvmlSystemGetCudaDriverVersion_v2", cuda(&n)))
        tn_ask_say("cuda %d", n);
}

/* A card that cannot be reached keeps its number: the others are asked all the same. */
void tn_ask_nvml(void *handle)
{
    unsigned n = 0;
    const char *opens = tn_os_dl_device("/dev/nvidiactl");
    library = handle;
    if (opens)
        tn_ask_say("opens %s", opens);
    const char *name = "nvmlInit_v2";
    call_none *init = FIND(call_none, name);
    if (!init)
        init = FIND(call_none, name = "nvmlInit");
    if (!init) {
        tn_ask_say("! nvmlInit_v2 missing");
        return;
    }
    int result = init();
    if (result) {
        tn_ask_say("! %s %d", name, result);
        say_versions();
        return;
    }
    tn_ask_say("started");
    say_versions();
    call_count *count = FIND(call_count, "nvmlDeviceGetCount_v2");
    call_handle *get = FIND(call_handle, "nvmlDeviceGetHandleByIndex_v2");
    if (!count || !get || !worked("nvmlDeviceGetCount_v2", count(&n)))
        return;
    tn_ask_say("count %u", n);
    for (unsigned i = 0; i < n && i < MAX_DEVICES; i++) {
        device d;
        tn_ask_say("gpu %u", i);
        if (worked("nvmlDeviceGetHandleByIndex_v2", get(i, &d)))
            say_device(d);
    }
    call_none *end = FIND(call_none, "nvmlShutdown");
    if (end)
        end();
}
