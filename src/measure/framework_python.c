/* framework_python.c - see framework_python.h. */
#include "measure/framework_python.h"

#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/pairs.h"
#include "base/str.h"
#include "measure/told.h"
#include "os/os.h"

static const struct tn_ref_matmul product = {.m = 48, .n = 40, .k = 64, .seed = 11};
static const struct tn_ref_conv convolution = {
    .rows = 12, .columns = 10, .in = 8, .out = 16, .h = 3, .w = 3, .seed = 21, .channels_first = true};

/* Inputs by the rule of reference.h; lines of told.h, and "data what=... text=BASE64 of float32". */
#define COMMON                                                                                                         \
    "import base64, struct, sys\n"                                                                                     \
    "gpu = int(sys.argv[1])\n"                                                                                         \
    "def tell(*words):\n"                                                                                              \
    "    print('\\n' + ' '.join(str(w) for w in words), flush=True)\n"                                                 \
    "def values(seed, n):\n"                                                                                           \
    "    out = []\n"                                                                                                   \
    "    for i in range(n):\n"                                                                                         \
    "        h = (i * 2654435761 + seed * 40503) & 0xffffffff\n"                                                       \
    "        h ^= h >> 15\n"                                                                                           \
    "        h = h * 2246822519 & 0xffffffff\n"                                                                        \
    "        h ^= h >> 13\n"                                                                                           \
    "        out.append(((h >> 8) - 8388608) / 8388608)\n"                                                             \
    "    return out\n"                                                                                                 \
    "def data(what, flat, device, placed):\n"                                                                          \
    "    flat = [float(x) for x in flat]\n"                                                                            \
    "    text = base64.b64encode(struct.pack('<%df' % len(flat), *flat)).decode()\n"                                   \
    "    tell('data', 'what=' + what, 'device=' + device, 'placed=' + str(placed).replace(' ', '_'), 'text=' + "       \
    "text)\n"                                                                                                          \
    "A, B = values(11, 48 * 64), values(12, 64 * 40)\n"                                                                \
    "X, F = values(21, 8 * 12 * 10), values(22, 16 * 8 * 9)\n"                                                         \
    "device = 'cpu' if gpu < 0 else 'gpu'\n"                                                                           \
    "step = 'load'\n"                                                                                                  \
    "def fails(kind, error, trace):\n"                                                                                 \
    "    last = (str(error).strip() or kind.__name__).splitlines()[0]\n"                                               \
    "    tell('failed', 'what=' + step, 'call=python', 'error=' + kind.__name__, 'text=' + last)\n"                    \
    "    sys.exit(1)\n"                                                                                                \
    "sys.excepthook = fails\n"

#define TORCH                                                                                                          \
    "import torch\n"                                                                                                   \
    "tell('version', 'text=' + torch.__version__)\n"                                                                   \
    "step = 'devices'\n"                                                                                               \
    "tell('device', 'device=cpu', 'memory=0', 'text=CPU')\n"                                                           \
    "for i in range(torch.cuda.device_count()):\n"                                                                     \
    "    p = torch.cuda.get_device_properties(i)\n"                                                                    \
    "    tell('device', 'device=gpu', 'memory=%d' % p.total_memory, 'text=%s, compute capability %d.%d' % (p.name, "   \
    "p.major, p.minor))\n"                                                                                             \
    "d = torch.device('cpu') if gpu < 0 else torch.device('cuda', gpu)\n"                                              \
    "step = 'matmul'\n"                                                                                                \
    "c = torch.tensor(A).reshape(48, 64).to(d) @ torch.tensor(B).reshape(64, 40).to(d)\n"                              \
    "data('matmul', c.flatten().tolist(), device, c.device)\n"                                                         \
    "step = 'convolution'\n"                                                                                           \
    "y = torch.nn.functional.conv2d(torch.tensor(X).reshape(1, 8, 12, 10).to(d), torch.tensor(F).reshape(16, 8, 3, "   \
    "3).to(d), padding=1)\n"                                                                                           \
    "data('convolution', y.flatten().tolist(), device, y.device)\n"

#define JAX                                                                                                            \
    "import jax, jax.numpy as jnp\n"                                                                                   \
    "tell('version', 'text=' + jax.__version__)\n"                                                                     \
    "step = 'devices'\n"                                                                                               \
    "for x in jax.devices():\n"                                                                                        \
    "    tell('device', 'device=' + ('cpu' if x.platform == 'cpu' else 'gpu'), 'memory=0', 'text=' + x.device_kind)\n" \
    "d = jax.devices('cpu')[0] if gpu < 0 else jax.devices('gpu')[gpu]\n"                                              \
    "put = lambda v, *shape: jax.device_put(jnp.array(v, jnp.float32).reshape(shape), d)\n"                            \
    "step = 'matmul'\n"                                                                                                \
    "c = put(A, 48, 64) @ put(B, 64, 40)\n"                                                                            \
    "data('matmul', c.flatten().tolist(), device, c.devices() if hasattr(c, 'devices') else d)\n"                      \
    "step = 'convolution'\n"                                                                                           \
    "y = jax.lax.conv(put(X, 1, 8, 12, 10), put(F, 16, 8, 3, 3), (1, 1), 'SAME')\n"                                    \
    "data('convolution', y.flatten().tolist(), device, y.devices() if hasattr(y, 'devices') else d)\n"

/* Models as bytes: messages of onnx.proto, opset 13, without the package onnx. */
#define ONNXRUNTIME                                                                                                    \
    "import numpy as np, onnxruntime as ort\n"                                                                         \
    "tell('version', 'text=' + ort.__version__)\n"                                                                     \
    "step = 'devices'\n"                                                                                               \
    "for p in ort.get_available_providers():\n"                                                                        \
    "    tell('device', 'device=' + ('gpu' if p.startswith(('CUDA', 'Tensorrt')) else 'cpu'), 'memory=0', 'text=' + "  \
    "p)\n"                                                                                                             \
    "def field(n, x):\n"                                                                                               \
    "    x = x.encode() if isinstance(x, str) else x\n"                                                                \
    "    return bytes([n << 3 | 2]) + size(len(x)) + x\n"                                                              \
    "def size(n):\n"                                                                                                   \
    "    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + size(n >> 7)\n"                                    \
    "def number(n, v):\n"                                                                                              \
    "    return bytes([n << 3]) + size(v)\n"                                                                           \
    "def value(name, shape):\n"                                                                                        \
    "    dims = b''.join(field(1, number(1, s)) for s in shape)\n"                                                     \
    "    return field(1, name) + field(2, field(1, number(1, 1) + field(2, dims)))\n"                                  \
    "def run(op, a, b, out, attributes=b''):\n"                                                                        \
    "    node = field(1, 'a') + field(1, 'b') + field(2, 'c') + field(4, op) + attributes\n"                           \
    "    graph = field(1, node) + field(2, 'g') + field(11, value('a', a.shape)) + field(11, value('b', b.shape)) + "  \
    "field(12, value('c', out))\n"                                                                                     \
    "    model = number(1, 7) + field(7, graph) + field(8, field(1, '') + number(2, 13))\n"                            \
    "    if gpu < 0:\n"                                                                                                \
    "        wanted = ['CPUExecutionProvider']\n"                                                                      \
    "    else:\n"                                                                                                      \
    "        wanted = [('CUDAExecutionProvider', {'device_id': gpu})]\n"                                               \
    "    s = ort.InferenceSession(model, providers=wanted)\n"                                                          \
    "    placed = s.get_providers()[0]\n"                                                                              \
    "    if gpu >= 0 and not placed.startswith('CUDA'):\n"                                                             \
    "        raise RuntimeError('asked for CUDA, runs on ' + placed)\n"                                                \
    "    return s.run(None, {'a': a, 'b': b})[0], placed\n"                                                            \
    "array = lambda v, *shape: np.array(v, np.float32).reshape(shape)\n"                                               \
    "step = 'matmul'\n"                                                                                                \
    "c, placed = run('MatMul', array(A, 48, 64), array(B, 64, 40), (48, 40))\n"                                        \
    "data('matmul', c.flatten().tolist(), device, placed)\n"                                                           \
    "step = 'convolution'\n"                                                                                           \
    "pads = field(5, field(1, 'pads') + number(8, 1) * 4 + number(20, 7).replace(bytes([160]), bytes([160, 1]), 1))\n" \
    "y, placed = run('Conv', array(X, 1, 8, 12, 10), array(F, 16, 8, 3, 3), (1, 16, 12, 10), pads)\n"                  \
    "data('convolution', y.flatten().tolist(), device, placed)\n"

#define TENSORFLOW                                                                                                     \
    "import tensorflow as tf\n"                                                                                        \
    "tell('version', 'text=' + tf.__version__)\n"                                                                      \
    "step = 'devices'\n"                                                                                               \
    "gpus = tf.config.list_physical_devices('GPU')\n"                                                                  \
    "tell('device', 'device=cpu', 'memory=0', 'text=CPU')\n"                                                           \
    "for g in gpus:\n"                                                                                                 \
    "    tf.config.experimental.set_memory_growth(g, True)\n"                                                          \
    "    tell('device', 'device=gpu', 'memory=0', 'text=' + g.name)\n"                                                 \
    "tf.config.set_soft_device_placement(False)\n"                                                                     \
    "with tf.device('/CPU:0' if gpu < 0 else '/GPU:%d' % gpu):\n"                                                      \
    "    step = 'matmul'\n"                                                                                            \
    "    c = tf.matmul(tf.reshape(tf.constant(A), (48, 64)), tf.reshape(tf.constant(B), (64, 40)))\n"                  \
    "    data('matmul', c.numpy().flatten().tolist(), device, c.device)\n"

static const struct {
    const char *name, *script;
} known[] = {{"torch", COMMON TORCH},
             {"jax", COMMON JAX},
             {"onnxruntime", COMMON ONNXRUNTIME},
             {"tensorflow", COMMON TENSORFLOW}};

/* What decides which libraries and cards a program of this shell gets; the rest of the environment is left out. */
static const char *const handed[] = {"PATH",
                                     "HOME",
                                     "USER",
                                     "LANG",
                                     "LC_ALL",
                                     "TMPDIR",
                                     "TEMP",
                                     "TMP",
                                     "USERPROFILE",
                                     "LD_LIBRARY_PATH",
                                     "CUDA_VISIBLE_DEVICES",
                                     "CUDA_DEVICE_ORDER",
                                     "CUDA_HOME",
                                     "CUDA_PATH",
                                     "NVIDIA_VISIBLE_DEVICES",
                                     "NVIDIA_TF32_OVERRIDE",
                                     "PYTHONPATH",
                                     "PYTHONHOME",
                                     "CONDA_PREFIX",
                                     "VIRTUAL_ENV",
                                     "XLA_FLAGS",
                                     "JAX_PLATFORMS",
                                     "JAX_PLATFORM_NAME",
                                     "TF_FORCE_GPU_ALLOW_GROWTH",
                                     "TF_ENABLE_ONEDNN_OPTS",
                                     "OMP_NUM_THREADS",
                                     "SYSTEMROOT"};

const char *const *tn_framework_environment(struct tn_arena *mem)
{
    const char **env = tn_arena_array(mem, TN_LEN(handed) + 3, sizeof *env);
    size_t n = 0;
    for (unsigned i = 0; i < TN_LEN(handed); i++) {
        const char *v = tn_os_env(mem, handed[i]);
        if (v)
            env[n++] = tn_arena_printf(mem, "%s=%s", handed[i], v);
    }
    env[n++] = "XLA_PYTHON_CLIENT_PREALLOCATE=false"; /* JAX would take three quarters of the card */
    env[n++] = "PYTHONDONTWRITEBYTECODE=1";
    env[n] = NULL;
    return env;
}

/* The elements of a "data" line compared; anything else of ours goes on as it is. */
static void judge(struct tn_span line, struct tn_buf *ret)
{
    struct tn_buf bytes;
    struct tn_ref_verdict v, looser;
    char device[8], placed[64];
    struct tn_span what = tn_pairs_value(line, "what"), where = tn_pairs_value(line, "placed");
    const bool matmul = tn_span_eq(what, "matmul"), cpu = tn_span_eq(tn_pairs_value(line, "device"), "cpu");
    size_t n =
        matmul ? (size_t)product.m * product.n : (size_t)convolution.rows * convolution.columns * convolution.out;
    const enum tn_precision or_else = cpu ? TN_FP32 : TN_TF32;
    memcpy(device, cpu ? "cpu" : "gpu", 4);
    size_t k = where.n < sizeof placed - 1 ? where.n : sizeof placed - 1;
    memcpy(placed, where.p, k);
    placed[k] = 0;
    tn_buf_init(&bytes);
    if (tn_base64_decode(&bytes, tn_pairs_value(line, "text"), NULL) || bytes.n != n * sizeof(float)) {
        tn_buf_printf(ret, "failed what=%s call=python error=wrong-size text=\n", matmul ? "matmul" : "convolution");
    } else if (matmul) {
        tn_ref_check_matmul(&product, TN_FP32, bytes.p, &v);
        tn_ref_check_matmul(&product, or_else, bytes.p, &looser);
        bool other = !v.right && looser.right;
        tn_told_verdict(ret, "matmul", other ? or_else : TN_FP32, other ? &looser : &v, device, placed);
        tn_buf_ch(ret, '\n');
    } else {
        tn_ref_check_conv(&convolution, TN_FP32, bytes.p, &v);
        tn_ref_check_conv(&convolution, or_else, bytes.p, &looser);
        bool other = !v.right && looser.right;
        tn_told_verdict(ret, "convolution", other ? or_else : TN_FP32, other ? &looser : &v, device, placed);
        tn_buf_ch(ret, '\n');
    }
    tn_buf_deinit(&bytes);
}

static void read(struct tn_span text, struct tn_buf *ret)
{
    static const char *const words[] = {"version ", "device ", "failed "};
    struct tn_span line;
    while (tn_span_line(&text, &line)) {
        if (tn_span_starts(line, "data "))
            judge(line, ret);
        for (unsigned i = 0; i < TN_LEN(words); i++)
            if (tn_span_starts(line, words[i])) {
                tn_buf_add(ret, line.p, line.n);
                tn_buf_ch(ret, '\n');
            }
    }
}

bool tn_framework_python(const char *name, const char *interpreter, int gpu, unsigned deadline_ms, struct tn_buf *ret)
{
    struct tn_arena mem;
    struct tn_os_run r;
    struct tn_err err;
    const char *script = NULL;
    for (unsigned i = 0; i < TN_LEN(known); i++)
        if (strcmp(known[i].name, name) == 0)
            script = known[i].script;
    if (!script)
        return false;
    tn_arena_init(&mem);
    const char *const argv[] = {interpreter, "-c", script, tn_arena_printf(&mem, "%d", gpu), NULL};
    int rc = tn_os_run(argv, tn_framework_environment(&mem), deadline_ms, TN_MAX_CHILD_OUTPUT, &r, &err);
    if (rc) {
        tn_buf_printf(ret, "failed what=load call=python error=%s text=%s\n",
                      rc == TN_E_TIMEOUT ? "late" : "unstartable", err.text);
    } else {
        size_t before = ret->n;
        read(tn_span_of(r.out.p, r.out.n), ret);
        bool said = tn_span_find(tn_span_of(ret->p + before, ret->n - before), 0, "failed ", 7) != SIZE_MAX;
        if (r.status > 128)
            tn_buf_printf(ret, "failed what=load call=python error=crashed text=signal %d\n", r.status - 128);
        else if (r.status && !said)
            tn_buf_printf(ret, "failed what=load call=python error=quit text=status %d\n", r.status);
        tn_buf_deinit(&r.out);
    }
    tn_arena_deinit(&mem);
    return true;
}
