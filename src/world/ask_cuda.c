/* ask_cuda.c - the CUDA driver interface, asked in the child: versions, whether it starts, its devices.
 *
 * cuInit makes no context. Numbers of attributes: cuda.h, CUdevice_attribute (13.0). The names of errors are the
 * caller's to know: here are numbers. */
#include <stdint.h>
#include <string.h>

#include "os/os.h"
#include "world/ask.h"

typedef int call_version(int *ret);
typedef int call_init(unsigned flags);
typedef int call_count(int *ret);
typedef int call_device(int *ret, int ordinal);
typedef int call_text(char *ret, int size, int device);
typedef int call_memory(size_t *ret, int device);
typedef int call_attribute(int *ret, int attribute, int device);
typedef int call_uuid(unsigned char *ret, int device);
typedef int call_peer(int *ret, int device, int peer);

#define MAX_DEVICES 64

static void *find(void *library, const char *name)
{
    void *f = tn_os_dl_find(library, name);
    if (!f)
        tn_ask_say("! %s missing", name);
    return f;
}

static bool worked(const char *name, int result)
{
    if (result)
        tn_ask_say("! %s %d", name, result);
    return result == 0;
}

static void say_device(void *library, int n)
{
    static const struct {
        const char *word;
        int attribute;
    } numbers[] = {{"compute_mode", 20},     {"integrated", 18}, {"ecc", 32},
                   {"driver_model_tcc", 35}, {"managed", 83},    {"multiprocessors", 16}};
    char text[128];
    int d, a = 0, b = 0;
    size_t bytes;
    call_device *get = (call_device *)(uintptr_t)find(library, "cuDeviceGet");
    call_text *name = (call_text *)(uintptr_t)find(library, "cuDeviceGetName");
    call_text *bus = (call_text *)(uintptr_t)tn_os_dl_find(library, "cuDeviceGetPCIBusId");
    call_memory *memory = (call_memory *)(uintptr_t)find(library, "cuDeviceTotalMem_v2");
    call_attribute *attribute = (call_attribute *)(uintptr_t)find(library, "cuDeviceGetAttribute");
    if (!get || !worked("cuDeviceGet", get(&d, n)))
        return;
    if (name && worked("cuDeviceGetName", name(text, sizeof text, d))) {
        text[sizeof text - 1] = 0;
        tn_ask_say("name %s", text);
    }
    if (bus && worked("cuDeviceGetPCIBusId", bus(text, sizeof text, d))) {
        text[sizeof text - 1] = 0;
        tn_ask_say("bus %s", text);
    }
    if (memory && worked("cuDeviceTotalMem_v2", memory(&bytes, d)))
        tn_ask_say("memory %llu", (unsigned long long)bytes);
    if (!attribute)
        return;
    if (worked("cuDeviceGetAttribute", attribute(&a, 75, d)) && worked("cuDeviceGetAttribute", attribute(&b, 76, d)))
        tn_ask_say("capability %d.%d", a, b);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (attribute(&a, numbers[i].attribute, d) == 0)
            tn_ask_say("%s %d", numbers[i].word, a);
}

static void say_uuid(void *library, int n)
{
    unsigned char u[16];
    int d;
    call_uuid *uuid = (call_uuid *)(uintptr_t)tn_os_dl_find(library, "cuDeviceGetUuid_v2");
    call_device *get = (call_device *)(uintptr_t)tn_os_dl_find(library, "cuDeviceGet");
    if (!uuid)
        uuid = (call_uuid *)(uintptr_t)tn_os_dl_find(library, "cuDeviceGetUuid");
    if (!uuid || !get || get(&d, n) || uuid(u, d))
        return;
    tn_ask_say("uuid GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3],
               u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* "peer 2 1 0 1": device 0 says whether it can reach the memory of devices 1, 2, ... */
static void say_peers(void *library, int n, int count)
{
    call_peer *peer = (call_peer *)(uintptr_t)tn_os_dl_find(library, "cuDeviceCanAccessPeer");
    for (int other = 0; peer && other < count; other++) {
        int yes = 0;
        if (other != n && peer(&yes, n, other) == 0)
            tn_ask_say("peer %d %d", other, yes != 0);
    }
}

void tn_ask_cuda(void *library)
{
    int n = 0;
    call_version *version = (call_version *)(uintptr_t)find(library, "cuDriverGetVersion");
    call_init *init = (call_init *)(uintptr_t)find(library, "cuInit");
    call_count *count = (call_count *)(uintptr_t)find(library, "cuDeviceGetCount");
    if (version && worked("cuDriverGetVersion", version(&n)))
        tn_ask_say("cuda %d", n);
    if (!init || !worked("cuInit", init(0)))
        return;
    tn_ask_say("started");
    n = 0;
    if (!count || !worked("cuDeviceGetCount", count(&n)))
        return;
    tn_ask_say("count %d", n);
    n = n < MAX_DEVICES ? n : MAX_DEVICES;
    for (int i = 0; i < n; i++) {
        tn_ask_say("gpu %d", i);
        say_device(library, i);
        say_uuid(library, i);
        say_peers(library, i, n);
    }
}
