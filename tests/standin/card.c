/* card.c - a card for tests: libcuda, cuBLAS, cuDNN and NVML in one library, which computes on the CPU and is strict.
 *
 * It enforces what the driver documents: started before it is asked, a context that is current, handles and addresses
 * that are its own, events that were recorded and waited for. Work fails late, as on a card: what a product or a kernel
 * did wrong comes out of the next call that waits. Whoever gives the context back while anything is still allocated is
 * aborted: a leak is a crash. Its name says what it is.
 *
 * TENON_CARD_DO, words joined by commas: no-init, no-context, oom, ecc, lost, illegal (from the third product on),
 * hang, hang-launch, jit, no-handle, wrong, nan, nothing (no work), tf32 (inputs rounded), small (memory of 8 MB),
 * missing (a result of cuInit that tells of no device), hot, batched (a status of products by the batch); of cuDNN:
 * card_dnn.h. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
#define MAX 64
enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    ECC = 214,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    UNKNOWN = 999
};

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static struct {
    char *p;
    size_t n;
    int pinned;
} block[MAX];
static struct event {
    int used, recorded, waited;
    double at;
} event[MAX];
static int started, retained, current, modules, handles, products, late, broken;
static size_t taken;

static int does(const char *what)
{
    const char *all = getenv("TENON_CARD_DO"), *s = all ? strstr(all, what) : NULL;
    size_t n = strlen(what);
    for (; s; s = strstr(s + 1, what))
        if ((s == all || s[-1] == ',') && (s[n] == 0 || s[n] == ','))
            return 1;
    return 0;
}

static size_t total(void)
{
    return does("small") ? 8u << 20 : 32u << 20;
}

static int dnn_left(void);

/* What every call but the first ones begins with. */
static int ready(void)
{
    return !started ? NOT_INITIALIZED : !current ? INVALID_CONTEXT : broken;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Whoever waits learns what went wrong; from then on the context is of no use. */
static int waited(void)
{
    if (late) {
        broken = late;
        late = 0;
    }
    return broken;
}

static int inside(uint64_t at, size_t n)
{
    for (int i = 0; i < MAX; i++)
        if (block[i].p && !block[i].pinned && at >= (uintptr_t)block[i].p &&
            at + n <= (uintptr_t)block[i].p + block[i].n)
            return 1;
    return 0;
}

API int cuDriverGetVersion(int *ret)
{
    *ret = 12040;
    return 0;
}
API int cuInit(unsigned flags)
{
    if (does("no-init"))
        return UNKNOWN;
    if (does("missing"))
        return NO_DEVICE;
    started = 1;
    return flags ? INVALID_VALUE : 0;
}
API int cuDeviceGetCount(int *ret)
{
    *ret = 1;
    return started ? 0 : NOT_INITIALIZED;
}
API int cuDeviceGet(int *ret, int n)
{
    *ret = n;
    return !started ? NOT_INITIALIZED : n == 0 ? 0 : INVALID_DEVICE;
}
API int cuDeviceGetName(char *ret, int size, int d)
{
    snprintf(ret, (size_t)size, "STAND-IN, computes on the CPU");
    return d ? INVALID_DEVICE : 0;
}
API int cuDeviceGetPCIBusId(char *ret, int size, int d)
{
    snprintf(ret, (size_t)size, "0000:01:00.0");
    return d ? INVALID_DEVICE : 0;
}
API int cuDeviceTotalMem_v2(size_t *ret, int d)
{
    *ret = total();
    return d ? INVALID_DEVICE : 0;
}
API int cuDeviceGetAttribute(int *ret, int what, int d)
{
    *ret = what == 13 ? 1000000 : what == 16 ? 2 : what == 75 ? 8 : what == 76 ? 6 : 0;
    return d ? INVALID_DEVICE : 0;
}
API int cuDevicePrimaryCtxRetain(void **ret, int d)
{
    if (does("no-context"))
        return OUT_OF_MEMORY;
    retained++;
    *ret = &retained;
    return !started ? NOT_INITIALIZED : d ? INVALID_DEVICE : 0;
}
API int cuDevicePrimaryCtxRelease_v2(int d)
{
    int left = modules + handles + dnn_left();
    for (int i = 0; i < MAX; i++)
        left += (block[i].p != NULL) + event[i].used;
    if (left) {
        fprintf(stderr, "stand-in: %d things are still allocated\n", left);
        abort();
    }
    return d || --retained < 0 ? INVALID_CONTEXT : 0;
}
API int cuCtxSetCurrent(void *c)
{
    current = c == &retained;
    return c && c != &retained ? INVALID_CONTEXT : 0;
}
API int cuCtxSynchronize(void)
{
    int rc = ready();
    if (!rc && does("hang-launch"))
        for (;;)
            pause();
    return rc ? rc : waited();
}
API int cuMemGetInfo_v2(size_t *ret_free, size_t *ret_total)
{
    *ret_total = total();
    *ret_free = total() - taken;
    return ready();
}

static int take(void **ret, size_t n, int pinned)
{
    int rc = ready(), i = 0;
    while (i < MAX && block[i].p)
        i++;
    if (rc || i == MAX)
        return rc ? rc : OUT_OF_MEMORY;
    if (!pinned && (taken + n > total() || (does("oom") && products > 0)))
        return OUT_OF_MEMORY;
    block[i].p = *ret = malloc(n);
    block[i].n = n;
    block[i].pinned = pinned;
    taken += pinned ? 0 : n;
    return 0;
}
/* On a broken context, too: the memory goes with it. */
static int give(const void *p, int pinned)
{
    for (int i = 0; i < MAX; i++)
        if (block[i].p && block[i].p == p && block[i].pinned == pinned) {
            taken -= pinned ? 0 : block[i].n;
            free(block[i].p);
            block[i].p = NULL;
            return broken;
        }
    return INVALID_VALUE;
}
API int cuMemAlloc_v2(uint64_t *ret, size_t n)
{
    void *p = NULL;
    int rc = take(&p, n, 0);
    *ret = (uintptr_t)p;
    return rc;
}
API int cuMemFree_v2(uint64_t at)
{
    return give((const void *)(uintptr_t)at, 0);
}
API int cuMemHostAlloc(void **ret, size_t n, unsigned flags)
{
    return flags ? INVALID_VALUE : take(ret, n, 1);
}
API int cuMemFreeHost(void *p)
{
    return give(p, 1);
}
static int copy(void *to, const void *from, size_t n, int ok)
{
    int rc = ready();
    rc = rc ? rc : waited();
    if (!rc && !ok)
        rc = broken = ILLEGAL_ADDRESS;
    if (!rc)
        memcpy(to, from, n);
    return rc;
}
API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n)
{
    return copy((void *)(uintptr_t)to, from, n, inside(to, n));
}
API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n)
{
    return copy(to, (void *)(uintptr_t)from, n, inside(from, n));
}
API int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t n)
{
    return copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, n, inside(to, n) && inside(from, n));
}
API int cuMemsetD8_v2(uint64_t to, unsigned char v, size_t n)
{
    int rc = ready();
    if (!rc && !inside(to, n))
        late = ILLEGAL_ADDRESS;
    else if (!rc)
        memset((void *)(uintptr_t)to, v, n);
    return rc;
}

API int cuModuleLoadDataEx(void **ret, const void *image, unsigned n, int *options, void **values)
{
    (void)options, (void)values, (void)n;
    int rc = ready();
    if (!rc && (does("jit") || !strstr(image, ".entry mix(")))
        rc = INVALID_PTX;
    if (!rc)
        *ret = &modules, modules++;
    return rc;
}
API int cuModuleUnload(void *m)
{
    return m == &modules && modules-- > 0 ? broken : INVALID_HANDLE;
}
API int cuModuleGetFunction(void **ret, void *m, const char *name)
{
    *ret = &started;
    return m != &modules ? INVALID_HANDLE : strcmp(name, "mix") ? NOT_FOUND : 0;
}
API int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **parameter, void **extra)
{
    int rc = ready();
    uint64_t to;
    unsigned n, seed;
    if (rc || f != &started || shared || stream || extra || gy != 1 || gz != 1 || by != 1 || bz != 1 || bx > 1024)
        return rc ? rc : INVALID_VALUE;
    memcpy(&to, parameter[0], sizeof to);
    memcpy(&n, parameter[1], sizeof n);
    memcpy(&seed, parameter[2], sizeof seed);
    n = n < gx * bx ? n : gx * bx;
    if (n && !inside(to, n * 4ull))
        late = ILLEGAL_ADDRESS;
    for (unsigned i = 0; !late && i < n; i++) {
        uint32_t h = i * 2654435761u + seed;
        ((uint32_t *)(uintptr_t)to)[i] = h ^ h >> 15;
    }
    return 0;
}

static struct event *of(void *e)
{
    for (int i = 0; i < MAX; i++)
        if (e == &event[i] && event[i].used)
            return e;
    return NULL;
}
API int cuEventCreate(void **ret, unsigned flags)
{
    int rc = ready();
    for (int i = 0; !rc && !flags && i < MAX; i++)
        if (!event[i].used) {
            event[i] = (struct event){.used = 1};
            *ret = &event[i];
            return 0;
        }
    return rc ? rc : INVALID_VALUE;
}
API int cuEventDestroy_v2(void *e)
{
    if (!of(e))
        return INVALID_HANDLE;
    of(e)->used = 0;
    return broken;
}
API int cuEventRecord(void *e, void *stream)
{
    int rc = ready();
    if (rc || !of(e) || stream)
        return rc ? rc : INVALID_HANDLE;
    *of(e) = (struct event){1, 1, 0, now_ms()};
    return 0;
}
API int cuEventSynchronize(void *e)
{
    int rc = ready();
    if (rc || !of(e))
        return rc ? rc : INVALID_HANDLE;
    if (does("hang") && products > 2)
        for (;;)
            pause();
    for (int i = 0; i < MAX; i++)
        event[i].waited |= event[i].recorded && event[i].at <= of(e)->at;
    return waited();
}
API int cuEventElapsedTime(float *ret, void *from, void *to)
{
    if (!of(from) || !of(to) || !of(from)->recorded || !of(to)->recorded)
        return INVALID_HANDLE;
    if (!of(from)->waited || !of(to)->waited)
        return NOT_READY;
    *ret = (float)(of(to)->at - of(from)->at);
    return ready();
}
API int cuGetErrorName(int error, const char **ret)
{
    static const struct {
        int n;
        const char *name;
    } all[] = {
        {1, "CUDA_ERROR_INVALID_VALUE"},       {2, "CUDA_ERROR_OUT_OF_MEMORY"},     {3, "CUDA_ERROR_NOT_INITIALIZED"},
        {100, "CUDA_ERROR_NO_DEVICE"},         {101, "CUDA_ERROR_INVALID_DEVICE"},  {201, "CUDA_ERROR_INVALID_CONTEXT"},
        {214, "CUDA_ERROR_ECC_UNCORRECTABLE"}, {218, "CUDA_ERROR_INVALID_PTX"},     {400, "CUDA_ERROR_INVALID_HANDLE"},
        {600, "CUDA_ERROR_NOT_READY"},         {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {999, "CUDA_ERROR_UNKNOWN"}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].n == error) {
            *ret = all[i].name;
            return 0;
        }
    return INVALID_VALUE;
}
API int cuGetErrorString(int error, const char **ret)
{
    *ret = "said by the stand-in";
    return error ? 0 : 1;
}

/* ---- cuBLAS: column by column */

API int cublasCreate_v2(void **ret)
{
    if (ready() || does("no-handle"))
        return 3; /* CUBLAS_STATUS_ALLOC_FAILED */
    handles++;
    *ret = &handles;
    return 0;
}
API int cublasDestroy_v2(void *h)
{
    return h == &handles && handles-- > 0 ? 0 : 1;
}
API int cublasGetProperty(int which, int *ret)
{
    *ret = which == 0 ? 99 : 0;
    return 0;
}
API int cublasSetMathMode(void *h, int mode)
{
    return h != &handles ? 1 : mode != 0 ? 7 : 0;
}

static int tf32, idle;

static double rounded(double v)
{
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u = tf32 ? (u + 0x1000u) & ~0x1fffu : u;
    memcpy(&f, &u, sizeof f);
    return (double)f;
}

/* Before a product: what is wrong with it, else 0; from the third one on what goes wrong on the card. */
static int begun(const void *h, int wrong)
{
    if (h != &handles || wrong)
        return 7;
    if (ready())
        return 14; /* CUBLAS_STATUS_INTERNAL_ERROR */
    tf32 = does("tf32"), idle = does("nothing");
    if (++products > 2)
        late = does("ecc") ? ECC : does("lost") ? UNKNOWN : does("illegal") ? ILLEGAL_ADDRESS : late;
    return 0;
}

/* C = alpha A B; the first one turned where ta is 1. */
#define GEMM(NAME, TYPE, ROUNDED)                                                                                      \
    static int NAME(int ta, int m, int n, int k, double alpha, uint64_t a, int lda, uint64_t b, int ldb, uint64_t c,   \
                    int ldc)                                                                                           \
    {                                                                                                                  \
        const TYPE *x = (const TYPE *)(uintptr_t)a, *y = (const TYPE *)(uintptr_t)b;                                   \
        TYPE *z = (TYPE *)(uintptr_t)c;                                                                                \
        if (!inside(a, ((size_t)lda * (size_t)((ta ? m : k) - 1) + (size_t)(ta ? k : m)) * sizeof *x) ||               \
            !inside(b, ((size_t)ldb * (size_t)(n - 1) + (size_t)k) * sizeof *x) ||                                     \
            !inside(c, ((size_t)ldc * (size_t)(n - 1) + (size_t)m) * sizeof *x))                                       \
            late = ILLEGAL_ADDRESS;                                                                                    \
        for (int j = 0; j < n && !late && !idle; j++) {                                                                \
            TYPE *to = z + (size_t)j * (size_t)ldc;                                                                    \
            for (int i = 0; i < m; i++)                                                                                \
                to[i] = 0;                                                                                             \
            for (int l = 0; l < k; l++) {                                                                              \
                const TYPE v = (TYPE)(alpha * (double)ROUNDED(y[l + j * ldb])), *of = x + (ta ? l : l * lda);          \
                for (int i = 0; !ta && !tf32 && i < m; i++)                                                            \
                    to[i] += of[i] * v;                                                                                \
                for (int i = 0; (ta || tf32) && i < m; i++)                                                            \
                    to[i] += (TYPE)ROUNDED(of[ta ? i * lda : i]) * v;                                                  \
            }                                                                                                          \
        }                                                                                                              \
        if (does("nan"))                                                                                               \
            z[0] = (TYPE)NAN;                                                                                          \
        if (does("wrong"))                                                                                             \
            z[(n - 1) * ldc + m - 1] += (TYPE)1;                                                                       \
        return 0;                                                                                                      \
    }
#define PLAIN(v) (v)
#define MAYBE(v) (tf32 ? rounded((double)(v)) : (double)(v))
GEMM(single, float, MAYBE)
GEMM(twice, double, PLAIN)

#define BAD_SIZES                                                                                                      \
    (tb || ta < 0 || ta > 1 || *beta != 0 || lda < (ta ? k : m) || ldb < k || ldc < m || m < 1 || n < 1 || k < 1)
API int cublasSgemm_v2(void *h, int ta, int tb, int m, int n, int k, const float *alpha, uint64_t a, int lda,
                       uint64_t b, int ldb, const float *beta, uint64_t c, int ldc)
{
    int rc = begun(h, BAD_SIZES);
    return rc ? rc : single(ta, m, n, k, *alpha, a, lda, b, ldb, c, ldc);
}
API int cublasDgemm_v2(void *h, int ta, int tb, int m, int n, int k, const double *alpha, uint64_t a, int lda,
                       uint64_t b, int ldb, const double *beta, uint64_t c, int ldc)
{
    int rc = begun(h, BAD_SIZES);
    return rc ? rc : twice(ta, m, n, k, *alpha, a, lda, b, ldb, c, ldc);
}
API int cublasSgemmStridedBatched(void *h, int ta, int tb, int m, int n, int k, const float *alpha, uint64_t a, int lda,
                                  long long a_next, uint64_t b, int ldb, long long b_next, const float *beta,
                                  uint64_t c, int ldc, long long c_next, int times)
{
    int rc = begun(h, BAD_SIZES || times < 1 || does("batched"));
    for (int i = 0; i < times && !rc;
         i++, a += 4 * (uint64_t)a_next, b += 4 * (uint64_t)b_next, c += 4 * (uint64_t)c_next)
        rc = single(ta, m, n, k, *alpha, a, lda, b, ldb, c, ldc);
    return rc;
}

#include "card_dnn.h"
#include "card_nvml.h"
