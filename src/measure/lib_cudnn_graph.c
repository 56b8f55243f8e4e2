/* lib_cudnn_graph.c - cuDNN's graph interface, by which frameworks call releases 8 and 9: a convolution as a graph of
 * one operation. Its descriptors are made and checked by the library without a GPU. Source: cudnn_backend.h of 8.0
 * to 9.
 *
 * Which engine computes is the library's choice: it may transform or round FP32 to TF32, so the looser bounds hold. */
#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(cudnnGetVersion, (void))                                                                                         \
    X(cudnnCreate, (void **ret))                                                                                       \
    X(cudnnDestroy, (void *handle))                                                                                    \
    X(cudnnBackendCreateDescriptor, (int kind, void **ret))                                                            \
    X(cudnnBackendDestroyDescriptor, (void *desc))                                                                     \
    X(cudnnBackendSetAttribute, (void *desc, int name, int type, int64_t n, const void *value))                        \
    X(cudnnBackendGetAttribute, (void *desc, int name, int type, int64_t n, int64_t *ret_n, void *ret))                \
    X(cudnnBackendFinalize, (void *desc))                                                                              \
    X(cudnnBackendExecute, (void *handle, void *plan, void *pack))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

enum kind {
    CONVOLUTION = 1,
    ENGINECFG = 3,
    ENGINEHEUR = 4,
    PLAN = 5,
    FORWARD = 10,
    GRAPH = 15,
    PACK = 16,
    TENSOR = 17
};
enum type { HANDLE = 0, DATA_TYPE = 1, INT64 = 3, DOUBLE = 5, POINTER = 6, CONV_MODE = 7, HEUR_MODE = 8, DESC = 15 };

#define MAX_MADE 24
#define MAX_CONFIGS 8

struct use {
    const struct api *a;
    void *handle, *made[MAX_MADE];
    unsigned n;
    bool ok; /* until a call fails: told then, and none is made any more */
};

static void worked(struct use *u, const char *call, int result)
{
    u->ok = u->ok && tn_lib_worked("convolution", call, result);
}

static void *make(struct use *u, enum kind kind)
{
    void *d = NULL;
    if (!u->ok || u->n == MAX_MADE)
        return NULL;
    worked(u, "cudnnBackendCreateDescriptor", u->a->cudnnBackendCreateDescriptor((int)kind, &d));
    if (d)
        u->made[u->n++] = d;
    return d;
}

static void set(struct use *u, void *d, int name, enum type type, int64_t n, const void *value)
{
    if (u->ok)
        worked(u, "cudnnBackendSetAttribute", u->a->cudnnBackendSetAttribute(d, name, (int)type, n, value));
}

static void *finalize(struct use *u, void *d)
{
    if (u->ok)
        worked(u, "cudnnBackendFinalize", u->a->cudnnBackendFinalize(d));
    return d;
}

/* NCHW, FP32; id names its memory. */
static void *tensor(struct use *u, int64_t id, int64_t n, int64_t c, int64_t h, int64_t w)
{
    const int64_t size[] = {n, c, h, w}, stride[] = {c * h * w, h * w, w, 1}, alignment = 16;
    const int type = 0; /* CUDNN_DATA_FLOAT */
    void *d = make(u, TENSOR);
    set(u, d, 901, DATA_TYPE, 1, &type);
    set(u, d, 902, INT64, 4, size);
    set(u, d, 903, INT64, 4, stride);
    set(u, d, 906, INT64, 1, &id);
    set(u, d, 900, INT64, 1, &alignment);
    return finalize(u, d);
}

static void *convolution(struct use *u, const struct tn_ref_conv *s)
{
    const int64_t two = 2, one[] = {1, 1}, pad[] = {(s->h - 1) / 2, (s->w - 1) / 2};
    const int type = 0, mode = 1; /* CUDNN_CROSS_CORRELATION */
    void *d = make(u, CONVOLUTION);
    set(u, d, 100, DATA_TYPE, 1, &type);
    set(u, d, 101, CONV_MODE, 1, &mode);
    set(u, d, 106, INT64, 1, &two);
    set(u, d, 105, INT64, 2, pad);
    set(u, d, 104, INT64, 2, pad);
    set(u, d, 102, INT64, 2, one);
    set(u, d, 103, INT64, 2, one);
    return finalize(u, d);
}

/* Image 'x', filters 'w', result 'y'. */
static void *operation(struct use *u, const struct tn_ref_conv *s)
{
    const double one = 1, zero = 0;
    void *x = tensor(u, 'x', 1, s->in, s->rows, s->columns), *w = tensor(u, 'w', s->out, s->in, s->h, s->w),
         *y = tensor(u, 'y', 1, s->out, s->rows, s->columns), *conv = convolution(u, s), *d = make(u, FORWARD);
    set(u, d, 700, DOUBLE, 1, &one);
    set(u, d, 701, DOUBLE, 1, &zero);
    set(u, d, 702, DESC, 1, &conv);
    set(u, d, 704, DESC, 1, &x);
    set(u, d, 703, DESC, 1, &w);
    set(u, d, 705, DESC, 1, &y);
    return finalize(u, d);
}

static void forget(struct use *u)
{
    while (u->n)
        u->a->cudnnBackendDestroyDescriptor(u->made[--u->n]);
}

static const struct tn_ref_conv shape = {16, 12, 8, 16, 3, 3, 81, true, false};

static bool host(const void *api)
{
    struct use u = {.a = api, .ok = true};
    tn_step("descriptors", 60000);
    operation(&u, &shape);
    forget(&u);
    if (u.ok)
        tn_tell("result what=descriptors device=cpu status=pass text=");
    return u.ok;
}

/* The heuristics propose engines, best first; the first that makes a plan for this card is taken, as frameworks do. */
static void *plan(struct use *u, void *op)
{
    const int mode = 0; /* CUDNN_HEUR_MODE_INSTANT */
    void *graph = make(u, GRAPH), *heuristics, *config[MAX_CONFIGS], *made = NULL;
    int64_t n = 0;
    set(u, graph, 800, HANDLE, 1, &u->handle);
    set(u, graph, 801, DESC, 1, &op);
    finalize(u, graph);
    heuristics = make(u, ENGINEHEUR);
    set(u, heuristics, 201, DESC, 1, &graph);
    set(u, heuristics, 200, HEUR_MODE, 1, &mode);
    finalize(u, heuristics);
    for (unsigned i = 0; i < MAX_CONFIGS; i++)
        config[i] = make(u, ENGINECFG);
    if (u->ok)
        worked(u, "cudnnBackendGetAttribute",
               u->a->cudnnBackendGetAttribute(heuristics, 202, DESC, MAX_CONFIGS, &n, config));
    for (int64_t i = 0; u->ok && i < n && i < MAX_CONFIGS; i++) {
        made = make(u, PLAN);
        set(u, made, 400, HANDLE, 1, &u->handle);
        set(u, made, 401, DESC, 1, &config[i]);
        int rc = u->ok ? u->a->cudnnBackendFinalize(made) : 1;
        if (rc == 0)
            return made;
        if (i == n - 1 || i == MAX_CONFIGS - 1)
            worked(u, "cudnnBackendFinalize", rc);
    }
    if (u->ok)
        worked(u, "cudnnBackendGetAttribute", 3000); /* no engine at all: CUDNN_STATUS_NOT_SUPPORTED */
    return NULL;
}

static void execute(struct use *u, struct tn_gpu *g, void *p, void *const memory[3])
{
    static const int64_t id[] = {'x', 'w', 'y'};
    int64_t bytes = 0, n = 0;
    if (u->ok)
        worked(u, "cudnnBackendGetAttribute", u->a->cudnnBackendGetAttribute(p, 402, INT64, 1, &n, &bytes));
    uint64_t work = u->ok ? tn_gpu_put(g, NULL, bytes > 0 ? (size_t)bytes : 1) : 0;
    void *space = (void *)(uintptr_t)work, *pack = work ? make(u, PACK) : NULL;
    u->ok = u->ok && work;
    set(u, pack, 1001, POINTER, 3, memory);
    set(u, pack, 1000, INT64, 3, id);
    set(u, pack, 1003, POINTER, 1, &space);
    finalize(u, pack);
    if (u->ok)
        worked(u, "cudnnBackendExecute", u->a->cudnnBackendExecute(u->handle, p, pack));
}

static uint64_t put(struct tn_gpu *g, uint32_t seed, size_t n)
{
    float *v = tn_arena_array(&g->mem, n, sizeof *v);
    tn_ref_fill(TN_FP32, seed, n, v);
    return tn_gpu_put(g, v, n * sizeof *v);
}

static bool convolve(struct use *u, struct tn_gpu *g)
{
    const struct tn_ref_conv *s = &shape;
    size_t n = (size_t)s->out * s->rows * s->columns;
    float *got = tn_arena_array(&g->mem, n, sizeof *got);
    uint64_t x = put(g, s->seed, (size_t)s->in * s->rows * s->columns),
             w = x ? put(g, s->seed + 1, (size_t)s->out * s->in * s->h * s->w) : 0,
             y = w ? tn_gpu_put(g, NULL, n * sizeof *got) : 0;
    void *const memory[] = {(void *)(uintptr_t)x, (void *)(uintptr_t)w, (void *)(uintptr_t)y};
    u->ok = y != 0;
    void *p = plan(u, operation(u, s));
    execute(u, g, p, memory);
    return u->ok && tn_gpu_take(g, got, y, n * sizeof *got) &&
           tn_tell_conv(s, TN_FP32, g->capability >= 80 ? TN_TF32 : TN_FP32, got, "gpu", NULL);
}

static bool prove(const void *api, struct tn_gpu *g)
{
    struct use u = {.a = api};
    tn_gpu_step(g, "handle", 120000);
    if (!tn_gpu_worked(g, "cudnnCreate", u.a->cudnnCreate(&u.handle)))
        return false;
    tn_gpu_step(g, "convolution", 120000);
    bool ok = convolve(&u, g);
    forget(&u);
    tn_gpu_step(g, "release", 60000);
    return tn_gpu_worked(g, "cudnnDestroy", u.a->cudnnDestroy(u.handle)) && ok;
}

static bool version(const void *api, char *ret, size_t size)
{
    int v = ((const struct api *)api)->cudnnGetVersion(), unit = v < 90000 ? 1000 : 10000;
    tn_version_of(ret, size, v / unit, v % unit / 100, v % 100);
    return true;
}

static const struct tn_gpulib lib = {.layer = "cudnn-graph",
                                     .api = names,
                                     .n_api = TN_LEN(names),
                                     .since = 8,
                                     .version = version,
                                     .host = host,
                                     .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cudnn_graph, "cudnn-graph", run);
