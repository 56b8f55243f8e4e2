/* tf_api.c - see tf_api.h. Nothing is looked up globally: from 2.21 on the framework itself exports names like cuInit.
 */
#include "measure/tf_api.h"

#include <string.h>

#include "base/str.h"
#include "measure/told.h"
#include "measure/worker.h"
#include "os/os.h"

static void *find(const struct tn_tf *t, const char *name)
{
    void *f = NULL;
    for (unsigned i = t->n_library; i-- > 0 && !f;)
        f = tn_os_dl_find(t->library[i], name);
    if (!f)
        tn_tell_failed("load", name, "missing", "");
    return f;
}

static bool find_all(struct tn_tf *t)
{
#define FIND(type, name, args)                                                                                         \
    t->name = (type(*) args)(uintptr_t)find(t, #name);                                                                 \
    if (!t->name)                                                                                                      \
        return false;
    TN_TF_API(FIND)
#undef FIND
    return true;
}

bool tn_tf_open(struct tn_tf *t, const char *const *path)
{
    for (; *path; path++) {
        const char *why = "", *file = tn_str_starts(*path, "global:") ? *path + 7 : *path;
        if (t->n_library == TN_TF_LIBRARIES)
            return false;
        void *h = file == *path ? tn_os_dl_open(file, &why) : tn_os_dl_open_shared(file, &why);
        if (!h) {
            tn_tell_failed("load", "dlopen", tn_os_dl_refused() ? "refused" : "unloadable", why);
            return false;
        }
        t->library[t->n_library++] = h;
    }
    return find_all(t);
}

bool tn_tf_worked(struct tn_tf *t, const char *what, const char *call)
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
bool tn_tf_start(struct tn_tf *t)
{
    static const unsigned char config[] = {0x32, 0x02, 0x20, 0x01};
    t->status = t->TF_NewStatus();
    TFE_ContextOptions *o = t->TFE_NewContextOptions();
    t->TFE_ContextOptionsSetConfig(o, config, sizeof config, t->status);
    if (!tn_tf_worked(t, "start", "TFE_ContextOptionsSetConfig"))
        return false;
    t->context = t->TFE_NewContext(o, t->status);
    return tn_tf_worked(t, "start", "TFE_NewContext");
}

/* "cpu", or the number that TensorFlow itself gives its GPUs. */
static bool is_wanted(const char *type, int number, const char *wanted)
{
    uint64_t n;
    if (strcmp(wanted, "cpu") == 0)
        return strcmp(type, "CPU") == 0;
    return strcmp(type, "GPU") == 0 && tn_str_u64(wanted, strlen(wanted), 10, &n) && (int64_t)n == number;
}

bool tn_tf_choose(struct tn_tf *t, const char *wanted)
{
    int gpu = 0;
    TF_DeviceList *l = t->TFE_ContextListDevices(t->context, t->status);
    if (!tn_tf_worked(t, "devices", "TFE_ContextListDevices"))
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

TFE_Op *tn_tf_op(struct tn_tf *t, const char *what, int type, const char *name, TFE_TensorHandle *a,
                 TFE_TensorHandle *b)
{
    TFE_Op *o = t->TFE_NewOp(t->context, name, t->status);
    if (!tn_tf_worked(t, what, "TFE_NewOp"))
        return NULL;
    t->TFE_OpSetAttrType(o, "T", type);
    t->TFE_OpSetDevice(o, t->device, t->status);
    if (!tn_tf_worked(t, what, "TFE_OpSetDevice"))
        return NULL;
    t->TFE_OpAddInput(o, a, t->status);
    if (tn_tf_worked(t, what, "TFE_OpAddInput"))
        t->TFE_OpAddInput(o, b, t->status);
    return tn_tf_worked(t, what, "TFE_OpAddInput") ? o : NULL;
}
