/* bench_gpu.c - one GPU measured, in the worker: first use, launches, copies, matrix products.
 *
 * Words: path of libcuda, path of cuBLAS ("-": none), number of the GPU, precision, runs, budget in ms, sizes joined by
 * commas, path of cuDNN ("-": none), other works (bits), their batch. All lines: bench/told.c. */
#include "measure/bench_gpu.h"

#include <string.h>

#include "base/str.h"
#include "measure/bench_cudnn.h"
#include "measure/kernel.h"
#include "os/os.h"

/* CUdevice_attribute */
enum { CLOCK_KHZ = 13, MULTIPROCESSORS = 16, MAJOR = 75, MINOR = 76 };

struct order {
    const char *cuda, *cublas, *cudnn, *sizes;
    uint64_t gpu, works, batch;
    enum tn_bench_precision precision;
    unsigned runs, budget_ms;
};

bool tn_bench_gpu_worked(const struct tn_bench_gpu *g, const char *call, int result)
{
    return tn_cuda_worked(&g->cuda, "gpu", call, result);
}

double tn_bench_gpu_timed(const struct tn_bench_gpu *g, bool (*work)(void *ctx), void *ctx, unsigned calls)
{
    float ms = 0;
    if (!tn_bench_gpu_worked(g, "cuEventRecord", g->cuEventRecord(g->from, NULL)))
        return 0;
    for (unsigned i = 0; i < calls; i++)
        if (!work(ctx))
            return 0;
    if (!tn_bench_gpu_worked(g, "cuEventRecord", g->cuEventRecord(g->to, NULL)) ||
        !tn_bench_gpu_worked(g, "cuEventSynchronize", g->cuEventSynchronize(g->to)) ||
        !tn_bench_gpu_worked(g, "cuEventElapsedTime", g->cuEventElapsedTime(&ms, g->from, g->to)))
        return 0;
    return ms > 0 ? (double)ms * 1e3 : 0.5; /* the clock's own step */
}

static uint64_t lap(uint64_t *from)
{
    uint64_t now = tn_os_monotonic_us(), took = now - *from;
    *from = now;
    return took;
}

static bool find_all(struct tn_bench_gpu *g)
{
#define FIND(name, args)                                                                                               \
    g->name = (int(*) args)(uintptr_t)tn_os_dl_find(g->cuda.library, #name);                                           \
    if (!g->name) {                                                                                                    \
        tn_tell("! open no %s in it", #name);                                                                          \
        return false;                                                                                                  \
    }
    TN_BENCH_GPU_API(FIND)
#undef FIND
    return true;
}

/* Which card that is; bus: its address, for NVML. */
static bool tell_card(struct tn_bench_gpu *g, const struct order *o, char *bus, int size)
{
    static const int attribute[] = {MULTIPROCESSORS, CLOCK_KHZ, MAJOR, MINOR};
    int count = 0, v[4] = {0};
    char name[128] = "";
    size_t bytes = 0;
    if (!tn_bench_gpu_worked(g, "cuDeviceGetCount", g->cuda.cuDeviceGetCount(&count)))
        return false;
    if (o->gpu >= (uint64_t)count) {
        tn_tell("! number %d", count);
        return false;
    }
    if (!tn_bench_gpu_worked(g, "cuDeviceGet", g->cuda.cuDeviceGet(&g->device, (int)o->gpu)) ||
        !tn_bench_gpu_worked(g, "cuDeviceGetName", g->cuda.cuDeviceGetName(name, sizeof name - 1, g->device)) ||
        !tn_bench_gpu_worked(g, "cuDeviceGetPCIBusId", g->cuda.cuDeviceGetPCIBusId(bus, size, g->device)) ||
        !tn_bench_gpu_worked(g, "cuDeviceTotalMem", g->cuda.cuDeviceTotalMem_v2(&bytes, g->device)))
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (!tn_bench_gpu_worked(g, "cuDeviceGetAttribute",
                                 g->cuda.cuDeviceGetAttribute(&v[i], attribute[i], g->device)))
            return false;
    tn_tell("model %s", name);
    tn_tell("card %d %d.%d %llu", v[0], v[2], v[3], (unsigned long long)bytes);
    tn_tell("max_mhz %d", v[1] / 1000);
    return true;
}

static bool wants(const struct order *o, enum tn_bench_op op)
{
    return (o->works >> (unsigned)op & 1) != 0;
}

/* Convolution and step; blas NULL: no cuBLAS, so no step. */
static int works(const struct tn_bench_gpu *g, const struct tn_bench_cublas *blas, const struct order *o,
                 const struct tn_bench_nvml *nvml)
{
    struct tn_bench_cudnn dnn;
    uint64_t from = tn_os_monotonic_us();
    int rc = 0;
    if (strcmp(o->cudnn, "-") == 0 || !o->works)
        return 0;
    tn_step("open", 120000);
    if (!tn_bench_cudnn_open(&dnn, o->cudnn))
        return 3;
    tn_tell("first_cudnn %llu", (unsigned long long)lap(&from));
    for (enum tn_bench_op op = TN_BENCH_CONVOLUTION; op < TN_BENCH_N_OP && rc == 0; op++)
        if (wants(o, op) && (blas || op == TN_BENCH_CONVOLUTION)) {
            rc = tn_bench_gpu_work(g, blas, &dnn, op, o->batch, o->runs, o->budget_ms);
            tn_bench_nvml_tell(nvml, "after");
        }
    return tn_bench_cudnn_close(&dnn) || rc ? rc : 3;
}

static int products(const struct tn_bench_gpu *g, const struct order *o, const struct tn_bench_nvml *nvml)
{
    struct tn_bench_cublas l;
    uint64_t from = tn_os_monotonic_us();
    int rc = 0;
    if (strcmp(o->cublas, "-") == 0)
        return works(g, NULL, o, nvml);
    tn_step("open", 120000);
    if (!tn_bench_cublas_open(&l, o->cublas))
        return 3;
    tn_tell("first_cublas %llu", (unsigned long long)lap(&from));
    for (const char *s = o->sizes; *s && rc == 0;) {
        uint64_t n = 0;
        size_t digits = strcspn(s, ",");
        if (!tn_str_u64(s, digits, 10, &n) || n == 0 || n > TN_BENCH_MAX_N)
            rc = 2;
        else
            rc = tn_bench_gpu_multiply(g, &l, o->precision, n, o->runs, o->budget_ms);
        tn_bench_nvml_tell(nvml, "after");
        s += digits + (s[digits] == ',');
    }
    rc = rc ? rc : works(g, &l, o, nvml);
    return tn_bench_cublas_close(&l) || rc ? rc : 3;
}

/* The driver compiles our PTX for the card that is there: what people wait for where a program has no code for it. */
static bool kernels(const struct tn_bench_gpu *g)
{
    void *module = NULL, *function = NULL;
    uint64_t from = tn_os_monotonic_us();
    tn_step("compile", 60000);
    if (!tn_bench_gpu_worked(g, "cuModuleLoadDataEx",
                             g->cuda.cuModuleLoadDataEx(&module, tn_kernel_ptx, 0, NULL, NULL)))
        return false;
    tn_tell("first_compile %llu", (unsigned long long)lap(&from));
    bool ok = tn_bench_gpu_worked(g, "cuModuleGetFunction", g->cuda.cuModuleGetFunction(&function, module, "mix")) &&
              tn_bench_gpu_launch(g, function);
    return tn_bench_gpu_worked(g, "cuModuleUnload", g->cuda.cuModuleUnload(module)) && ok;
}

static int with_events(struct tn_bench_gpu *g, const struct order *o, const struct tn_bench_nvml *nvml)
{
    int rc = 3;
    if (!tn_bench_gpu_worked(g, "cuEventCreate", g->cuEventCreate(&g->from, 0)))
        return 3;
    if (tn_bench_gpu_worked(g, "cuEventCreate", g->cuEventCreate(&g->to, 0))) {
        rc = kernels(g) && tn_bench_gpu_link(g) ? products(g, o, nvml) : 3;
        if (!tn_bench_gpu_worked(g, "cuEventDestroy", g->cuEventDestroy_v2(g->to)))
            rc = rc ? rc : 3;
    }
    return tn_bench_gpu_worked(g, "cuEventDestroy", g->cuEventDestroy_v2(g->from)) || rc ? rc : 3;
}

static int measure(struct tn_bench_gpu *g, const struct order *o)
{
    struct tn_bench_nvml nvml;
    char bus[32] = "";
    void *context = NULL;
    uint64_t from = tn_os_monotonic_us();
    tn_step("load", 60000);
    tn_tell("path %s", o->cuda);
    if (!tn_cuda_open(&g->cuda, o->cuda) || !find_all(g))
        return 3;
    tn_tell("first_load %llu", (unsigned long long)lap(&from));
    tn_step("start", 60000); /* without a persistent driver every card is started first */
    if (!tn_bench_gpu_worked(g, "cuInit", g->cuda.cuInit(0)))
        return 3;
    tn_tell("first_start %llu", (unsigned long long)lap(&from));
    if (!tell_card(g, o, bus, sizeof bus - 1))
        return 3;
    tn_bench_nvml_open(&nvml, o->cuda, bus);
    tn_bench_nvml_tell(&nvml, "before");
    tn_step("context", 60000);
    from = tn_os_monotonic_us();
    if (!tn_bench_gpu_worked(g, "cuDevicePrimaryCtxRetain", g->cuda.cuDevicePrimaryCtxRetain(&context, g->device)))
        return 3;
    tn_tell("first_context %llu", (unsigned long long)lap(&from));
    int rc = tn_bench_gpu_worked(g, "cuCtxSetCurrent", g->cuda.cuCtxSetCurrent(context)) ? with_events(g, o, &nvml) : 3;
    tn_step("release", 60000);
    g->cuda.cuCtxSetCurrent(NULL);
    return tn_bench_gpu_worked(g, "cuDevicePrimaryCtxRelease", g->cuda.cuDevicePrimaryCtxRelease_v2(g->device)) || rc
               ? rc
               : 3;
}

static int work(const char *const *argv)
{
    static struct tn_bench_gpu g;
    struct order o = {.cuda = argv[0],
                      .cublas = argv[1],
                      .precision = strcmp(argv[3], "fp64") == 0 ? TN_BENCH_FP64 : TN_BENCH_FP32,
                      .sizes = argv[6],
                      .cudnn = argv[7]};
    uint64_t runs = 0, budget = 0;
    if (!tn_str_u64(argv[2], strlen(argv[2]), 10, &o.gpu) || !tn_str_u64(argv[4], strlen(argv[4]), 10, &runs) ||
        !tn_str_u64(argv[5], strlen(argv[5]), 10, &budget) || !tn_str_u64(argv[8], strlen(argv[8]), 10, &o.works) ||
        !tn_str_u64(argv[9], strlen(argv[9]), 10, &o.batch) || o.batch > TN_BENCH_MAX_BATCH || runs > TN_STAT_MAX ||
        budget > UINT32_MAX)
        return 2;
    o.runs = (unsigned)runs;
    o.budget_ms = (unsigned)budget;
    return measure(&g, &o);
}

TN_WORK(bench_gpu, "bench-gpu", work);

int tn_bench_gpu(const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s,
                 struct tn_bench_fault *fault, struct tn_err *err)
{
    const char *const argv[] = {job->path,
                                job->second ? job->second : "-",
                                tn_arena_printf(b->mem, "%u", job->gpu),
                                tn_bench_kinds[job->precision].name,
                                tn_arena_printf(b->mem, "%u", job->runs),
                                tn_arena_printf(b->mem, "%u", job->budget_ms),
                                tn_bench_sizes(job, b->mem),
                                job->cudnn ? job->cudnn : "-",
                                tn_arena_printf(b->mem, "%u", job->works),
                                tn_arena_printf(b->mem, "%u", job->batch),
                                NULL};
    return tn_bench_work(&tn_work_bench_gpu, argv, job, b, s, fault, err);
}
