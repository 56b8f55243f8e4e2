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
#include "measure/tf_api.h"
#include "measure/worker.h"
#include "os/os.h"

static TFE_TensorHandle *tensor(struct tn_tf *t, const int64_t *dims, int n_dims, uint32_t seed)
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

/* The result's bytes, expected to be so many floats; NULL: it failed. *ret_placed: where it was computed. */
static const void *execute(struct tn_tf *t, const char *what, TFE_Op *o, size_t n, const char **ret_placed)
{
    TFE_TensorHandle *out = NULL;
    int n_out = 1;
    t->TFE_Execute(o, &out, &n_out, t->status);
    if (!tn_tf_worked(t, what, "TFE_Execute"))
        return NULL;
    *ret_placed = t->TFE_TensorHandleBackingDeviceName(out, t->status);
    TF_Tensor *r = t->TFE_TensorHandleResolve(out, t->status);
    if (!tn_tf_worked(t, what, "TFE_TensorHandleResolve"))
        return NULL;
    if (t->TF_TensorByteSize(r) == n * sizeof(float))
        return t->TF_TensorData(r);
    tn_tell_failed(what, "TF_TensorByteSize", "wrong-size", "");
    return NULL;
}

static bool matmul(struct tn_tf *t, uint32_t seed)
{
    static const struct tn_ref_matmul m = {.m = 192, .n = 160, .k = 256};
    struct tn_ref_matmul r = m;
    const int64_t a[] = {m.m, m.k}, b[] = {m.k, m.n};
    const char *placed = NULL;
    r.seed = seed;
    TFE_TensorHandle *ha = tensor(t, a, 2, seed), *hb = tensor(t, b, 2, seed + 1);
    TFE_Op *o = ha && hb ? tn_tf_op(t, "matmul", TF_FLOAT, "MatMul", ha, hb) : NULL;
    const void *data = o ? execute(t, "matmul", o, (size_t)m.m * m.n, &placed) : NULL;
    return data && tn_tell_matmul(&r, TN_FP32, t->cpu ? TN_FP32 : TN_TF32, data, t->cpu ? "cpu" : "gpu", placed);
}

static bool convolution(struct tn_tf *t, uint32_t seed)
{
    static const struct tn_ref_conv c = {.rows = 24, .columns = 20, .in = 16, .out = 32, .h = 3, .w = 3};
    struct tn_ref_conv r = c;
    const int64_t image[] = {1, c.rows, c.columns, c.in}, filter[] = {c.h, c.w, c.in, c.out}, ones[] = {1, 1, 1, 1};
    const char *placed = NULL;
    r.seed = seed;
    TFE_TensorHandle *ha = tensor(t, image, 4, seed), *hb = tensor(t, filter, 4, seed + 1);
    TFE_Op *o = ha && hb ? tn_tf_op(t, "convolution", TF_FLOAT, "Conv2D", ha, hb) : NULL;
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
    static struct tn_tf t;
    if (!argv[0] || !argv[1])
        return 2;
    tn_step("load", 60000); /* a gigabyte from a cold disk */
    if (!tn_tf_open(&t, argv + 1))
        return 1;
    tn_tell("version text=%s", t.TF_Version());
    tn_step("start", 60000);
    if (!tn_tf_start(&t))
        return 1;
    tn_step("devices", 60000);
    if (!tn_tf_choose(&t, argv[0]))
        return 1;
    tn_step("matmul", 60000);                 /* the first one makes the context and compiles */
    bool ok = matmul(&t, 1) && matmul(&t, 7); /* a second one: no result of before */
    tn_step("convolution", 120000);
    ok = convolution(&t, 3) && ok;
    tn_tell_loaded();
    return ok ? 0 : 1;
}

TN_WORK(tensorflow, "tensorflow", run);
