/* framework_tf.c - TensorFlow through its C API, in the child, without starting Python.
 *
 * words: the device wanted ("cpu", or the number of a GPU), then the libraries in the order in which they are to be
 * opened; one with "global:" before it shares its symbols (a libpython that older releases need). From 2.12 on:
 * libtensorflow_framework.so.2, libtensorflow_cc.so.2; before: a libpython, the framework, _pywrap_tensorflow_internal.
 * Names of the API: tensorflow/c/c_api.h, c/eager/c_api.h; symbols are found in whichever library has them. Nothing is
 * looked up globally: from 2.21 on the framework itself exports names like cuInit. */
#include <string.h>

#include "base/str.h"
#include "measure/told.h"
#include "measure/reference.h"
#include "measure/worker.h"
#include "os/os.h"

#define MAX_LIBRARIES 8
enum { TF_FLOAT = 1 };

typedef struct TF_Status TF_Status;
typedef struct TF_Tensor TF_Tensor;
typedef struct TF_DeviceList TF_DeviceList;
typedef struct TFE_ContextOptions TFE_ContextOptions;
typedef struct TFE_Context TFE_Context;
typedef struct TFE_TensorHandle TFE_TensorHandle;
typedef struct TFE_Op TFE_Op;

#define API(X)                                                                                                         \
    X(const char *, TF_Version, (void))                                                                                \
    X(TF_Status *, TF_NewStatus, (void))                                                                               \
    X(int, TF_GetCode, (const TF_Status *))                                                                            \
    X(const char *, TF_Message, (const TF_Status *))                                                                   \
    X(TFE_ContextOptions *, TFE_NewContextOptions, (void))                                                             \
    X(void, TFE_ContextOptionsSetConfig, (TFE_ContextOptions *, const void *, size_t, TF_Status *))                    \
    X(TFE_Context *, TFE_NewContext, (const TFE_ContextOptions *, TF_Status *))                                        \
    X(TF_DeviceList *, TFE_ContextListDevices, (TFE_Context *, TF_Status *))                                           \
    X(int, TF_DeviceListCount, (const TF_DeviceList *))                                                                \
    X(const char *, TF_DeviceListName, (const TF_DeviceList *, int, TF_Status *))                                      \
    X(const char *, TF_DeviceListType, (const TF_DeviceList *, int, TF_Status *))                                      \
    X(int64_t, TF_DeviceListMemoryBytes, (const TF_DeviceList *, int, TF_Status *))                                    \
    X(TF_Tensor *, TF_AllocateTensor, (int, const int64_t *, int, size_t))                                             \
    X(void *, TF_TensorData, (const TF_Tensor *))                                                                      \
    X(size_t, TF_TensorByteSize, (const TF_Tensor *))                                                                  \
    X(TFE_TensorHandle *, TFE_NewTensorHandle, (const TF_Tensor *, TF_Status *))                                       \
    X(TFE_Op *, TFE_NewOp, (TFE_Context *, const char *, TF_Status *))                                                 \
    X(void, TFE_OpSetAttrType, (TFE_Op *, const char *, int))                                                          \
    X(void, TFE_OpSetAttrIntList, (TFE_Op *, const char *, const int64_t *, int))                                      \
    X(void, TFE_OpSetAttrString, (TFE_Op *, const char *, const void *, size_t))                                       \
    X(void, TFE_OpSetDevice, (TFE_Op *, const char *, TF_Status *))                                                    \
    X(void, TFE_OpAddInput, (TFE_Op *, TFE_TensorHandle *, TF_Status *))                                               \
    X(void, TFE_Execute, (TFE_Op *, TFE_TensorHandle **, int *, TF_Status *))                                          \
    X(const char *, TFE_TensorHandleBackingDeviceName, (TFE_TensorHandle *, TF_Status *))                              \
    X(TF_Tensor *, TFE_TensorHandleResolve, (TFE_TensorHandle *, TF_Status *))

struct tf {
    void *library[MAX_LIBRARIES];
    unsigned n_library;
#define MEMBER(type, name, args) type(*name) args;
    API(MEMBER)
#undef MEMBER
    TF_Status *status;
    TFE_Context *context;
    const char *device; /* full name of the one that works */
    bool cpu;
};

static bool open_all(struct tf *t, const char *const *path)
{
    for (; *path; path++) {
        const char *why = "", *file = tn_str_starts(*path, "global:") ? *path + 7 : *path;
        if (t->n_library == MAX_LIBRARIES)
            return false;
        void *h = file == *path ? tn_os_dl_open(file, &why) : tn_os_dl_open_shared(file, &why);
        if (!h) {
            tn_tell_failed("load", "dlopen", tn_os_dl_refused() ? "refused" : "unloadable", why);
            return false;
        }
        t->library[t->n_library++] = h;
    }
    return true;
}

static void *find(const struct tf *t, const char *name)
{
    void *f = NULL;
    for (unsigned i = t->n_library; i-- > 0 && !f;)
        f = tn_os_dl_find(t->library[i], name);
    if (!f)
        tn_tell_failed("load", name, "missing", "");
    return f;
}

static bool find_all(struct tf *t)
{
#define FIND(type, name, args)                                                                                         \
    t->name = (type(*) args)(uintptr_t)find(t, #name);                                                                 \
    if (!t->name)                                                                                                      \
        return false;
    API(FIND)
#undef FIND
    return true;
}

static bool worked(struct tf *t, const char *what, const char *call)
{
    static const char *const names[] = {
        "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
        "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
        "DATA_LOSS"}; /* absl/status/status.h */
    int code = t->TF_GetCode(t->status);
    if (code == 0)
        return true;
    tn_tell_failed(what, call, code > 0 && code < (int)TN_LEN(names) ? names[code] : "UNKNOWN",
                   t->TF_Message(t->status));
    return false;
}

/* ConfigProto: gpu_options.allow_growth, so that it does not take the whole card; log_device_placement off,
 * allow_soft_placement off: what is asked for on a device runs there or fails. (tensorflow/core/protobuf/config.proto,
 * fields 6.4 and 7) */
static bool start(struct tf *t)
{
    static const unsigned char config[] = {0x32, 0x02, 0x20, 0x01};
    t->status = t->TF_NewStatus();
    TFE_ContextOptions *o = t->TFE_NewContextOptions();
    t->TFE_ContextOptionsSetConfig(o, config, sizeof config, t->status);
    if (!worked(t, "start", "TFE_ContextOptionsSetConfig"))
        return false;
    t->context = t->TFE_NewContext(o, t->status);
    return worked(t, "start", "TFE_NewContext");
}

/* "cpu", or the number that TensorFlow itself gives its GPUs. */
static bool is_wanted(const char *type, int number, const char *wanted)
{
    uint64_t n;
    if (strcmp(wanted, "cpu") == 0)
        return strcmp(type, "CPU") == 0;
    return strcmp(type, "GPU") == 0 && tn_str_u64(wanted, strlen(wanted), 10, &n) && (int64_t)n == number;
}

static bool choose(struct tf *t, const char *wanted)
{
    int gpu = 0;
    TF_DeviceList *l = t->TFE_ContextListDevices(t->context, t->status);
    if (!worked(t, "devices", "TFE_ContextListDevices"))
        return false;
    for (int i = 0; i < t->TF_DeviceListCount(l); i++) {
        const char *name = t->TF_DeviceListName(l, i, t->status), *type = t->TF_DeviceListType(l, i, t->status);
        if (!name || !type)
            continue;
        tn_tell("device device=%s memory=%lld text=%s", strcmp(type, "CPU") == 0 ? "cpu" : type,
                strcmp(type, "CPU") == 0 ? 0LL : (long long)t->TF_DeviceListMemoryBytes(l, i, t->status), name);
        if (!t->device && is_wanted(type, gpu, wanted))
            t->device = name;
        gpu += strcmp(type, "GPU") == 0;
    }
    t->cpu = strcmp(wanted, "cpu") == 0;
    if (!t->device)
        tn_tell_failed("devices", "TFE_ContextListDevices", "no-gpu-listed", "");
    return t->device != NULL;
}

static TFE_TensorHandle *tensor(struct tf *t, const int64_t *dims, int n_dims, uint32_t seed)
{
    size_t n = 1;
    for (int i = 0; i < n_dims; i++)
        n *= (size_t)dims[i];
    TF_Tensor *x = t->TF_AllocateTensor(TF_FLOAT, dims, n_dims, n * sizeof(float));
    if (!x)
        return NULL;
    tn_ref_fill(TN_FP32, seed, n, t->TF_TensorData(x));
    return t->TFE_NewTensorHandle(x, t->status);
}

static TFE_Op *op(struct tf *t, const char *what, const char *name, TFE_TensorHandle *a, TFE_TensorHandle *b)
{
    TFE_Op *o = t->TFE_NewOp(t->context, name, t->status);
    if (!worked(t, what, "TFE_NewOp"))
        return NULL;
    t->TFE_OpSetAttrType(o, "T", TF_FLOAT);
    t->TFE_OpSetDevice(o, t->device, t->status);
    if (!worked(t, what, "TFE_OpSetDevice"))
        return NULL;
    t->TFE_OpAddInput(o, a, t->status);
    if (worked(t, what, "TFE_OpAddInput"))
        t->TFE_OpAddInput(o, b, t->status);
    return worked(t, what, "TFE_OpAddInput") ? o : NULL;
}

/* The result's bytes, expected to be so many floats; NULL: it failed. *ret_placed: where it was computed. */
static const void *execute(struct tf *t, const char *what, TFE_Op *o, size_t n, const char **ret_placed)
{
    TFE_TensorHandle *out = NULL;
    int n_out = 1;
    t->TFE_Execute(o, &out, &n_out, t->status);
    if (!worked(t, what, "TFE_Execute"))
        return NULL;
    *ret_placed = t->TFE_TensorHandleBackingDeviceName(out, t->status);
    TF_Tensor *r = t->TFE_TensorHandleResolve(out, t->status);
    if (!worked(t, what, "TFE_TensorHandleResolve"))
        return NULL;
    if (t->TF_TensorByteSize(r) == n * sizeof(float))
        return t->TF_TensorData(r);
    tn_tell_failed(what, "TF_TensorByteSize", "wrong-size", "");
    return NULL;
}

static bool matmul(struct tf *t, uint32_t seed)
{
    static const struct tn_ref_matmul m = {.m = 192, .n = 160, .k = 256};
    struct tn_ref_matmul r = m;
    const int64_t a[] = {m.m, m.k}, b[] = {m.k, m.n};
    const char *placed = NULL;
    r.seed = seed;
    TFE_TensorHandle *ha = tensor(t, a, 2, seed), *hb = tensor(t, b, 2, seed + 1);
    TFE_Op *o = ha && hb ? op(t, "matmul", "MatMul", ha, hb) : NULL;
    const void *data = o ? execute(t, "matmul", o, (size_t)m.m * m.n, &placed) : NULL;
    return data && tn_tell_matmul(&r, TN_FP32, t->cpu ? TN_FP32 : TN_TF32, data, t->cpu ? "cpu" : "gpu", placed);
}

static bool convolution(struct tf *t, uint32_t seed)
{
    static const struct tn_ref_conv c = {.rows = 24, .columns = 20, .in = 16, .out = 32, .h = 3, .w = 3};
    struct tn_ref_conv r = c;
    const int64_t image[] = {1, c.rows, c.columns, c.in}, filter[] = {c.h, c.w, c.in, c.out}, ones[] = {1, 1, 1, 1};
    const char *placed = NULL;
    r.seed = seed;
    TFE_TensorHandle *ha = tensor(t, image, 4, seed), *hb = tensor(t, filter, 4, seed + 1);
    TFE_Op *o = ha && hb ? op(t, "convolution", "Conv2D", ha, hb) : NULL;
    if (!o)
        return false;
    t->TFE_OpSetAttrIntList(o, "strides", ones, 4);
    t->TFE_OpSetAttrIntList(o, "dilations", ones, 4);
    t->TFE_OpSetAttrString(o, "padding", "SAME", 4);
    t->TFE_OpSetAttrString(o, "data_format", "NHWC", 4);
    const void *data = execute(t, "convolution", o, (size_t)c.rows * c.columns * c.out, &placed);
    return data && tn_tell_conv(&r, TN_FP32, t->cpu ? TN_FP32 : TN_TF32, data, t->cpu ? "cpu" : "gpu", placed);
}

static int run(const char *const *argv)
{
    static struct tf t;
    if (!argv[0] || !argv[1])
        return 2;
    tn_step("load", 60000); /* a gigabyte from a cold disk */
    if (!open_all(&t, argv + 1) || !find_all(&t))
        return 1;
    tn_tell("version text=%s", t.TF_Version());
    tn_step("start", 60000);
    if (!start(&t))
        return 1;
    tn_step("devices", 60000);
    if (!choose(&t, argv[0]))
        return 1;
    tn_step("matmul", 60000);                 /* the first one makes the context and compiles */
    bool ok = matmul(&t, 1) && matmul(&t, 7); /* a second one: no result of before */
    tn_step("convolution", 120000);
    ok = convolution(&t, 3) && ok;
    tn_tell_loaded();
    return ok ? 0 : 1;
}

TN_WORK(tensorflow, "tensorflow", run);
