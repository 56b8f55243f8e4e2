/* bench_tf.c - the matrix product through TensorFlow's C API, as an eager program does it: each multiplication is an
 * operation that is made, executed and forgotten; its result lies in memory that TensorFlow gives.
 *
 * Words: precision, runs, budget in ms, sizes joined by commas, the libraries in the order of opening. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "measure/bench_run.h"
#include "measure/tf_api.h"
#include "os/os.h"

struct product {
    struct tn_tf *t;
    enum tn_bench_precision precision;
    int type;
    TF_Tensor *given[2];
    TFE_TensorHandle *in[2], *out;
};

static bool once(struct product *p)
{
    int n = 1;
    if (p->out)
        p->t->TFE_DeleteTensorHandle(p->out);
    p->out = NULL;
    TFE_Op *o = tn_tf_op(p->t, "multiply", p->type, "MatMul", p->in[0], p->in[1]);
    if (!o)
        return false;
    p->t->TFE_Execute(o, &p->out, &n, p->t->status);
    p->t->TFE_DeleteOp(o);
    return tn_tf_worked(p->t, "multiply", "TFE_Execute");
}

static bool multiply(void *ctx, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++)
        if (!once(ctx))
            return false;
    return true;
}

static bool create(struct product *p, uint64_t n)
{
    const int64_t dims[] = {(int64_t)n, (int64_t)n};
    const size_t bytes = (size_t)(n * n * tn_bench_kinds[p->precision].bytes);
    uint64_t from = tn_os_monotonic_us();
    for (unsigned i = 0; i < 2; i++)
        if (!(p->given[i] = p->t->TF_AllocateTensor(p->type, dims, 2, bytes))) {
            tn_tell("! memory %llu", (unsigned long long)bytes);
            return false;
        }
    tn_tell("allocate %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    from = tn_os_monotonic_us();
    for (unsigned i = 0; i < 2; i++) {
        tn_bench_fill(p->t->TF_TensorData(p->given[i]), n * n, p->precision, i + 1);
        p->in[i] = p->t->TFE_NewTensorHandle(p->given[i], p->t->status);
        if (!tn_tf_worked(p->t, "create", "TFE_NewTensorHandle"))
            return false;
    }
    tn_tell("create %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    return true;
}

static int check(struct product *p, uint64_t n)
{
    tn_step("check", 600000);
    TF_Tensor *r = p->t->TFE_TensorHandleResolve(p->out, p->t->status);
    if (!tn_tf_worked(p->t, "check", "TFE_TensorHandleResolve"))
        return 3;
    int rc = 4;
    if (p->t->TF_TensorByteSize(r) != n * n * tn_bench_kinds[p->precision].bytes)
        tn_tell("! wrong size of the result: %llu bytes", (unsigned long long)p->t->TF_TensorByteSize(r));
    else if (tn_bench_check(n, p->precision, 0, p->t->TF_TensorData(p->given[0]), p->t->TF_TensorData(p->given[1]),
                            p->t->TF_TensorData(r)))
        rc = 0;
    p->t->TF_DeleteTensor(r);
    if (rc == 0)
        tn_tell("checked");
    return rc;
}

static int measure(struct tn_tf *t, enum tn_bench_precision precision, uint64_t n, unsigned runs, unsigned budget_ms)
{
    struct product p = {.t = t, .precision = precision, .type = precision == TN_BENCH_FP64 ? TF_DOUBLE : TF_FLOAT};
    const struct tn_bench_clock clock = {
        .ctx = &p, .step = "multiply", .run = multiply, .runs = runs, .budget_ms = budget_ms};
    tn_tell("size %llu", (unsigned long long)n);
    tn_step("create", 600000);
    int rc = create(&p, n) && tn_bench_clock(&clock, tn_bench_operations(TN_BENCH_MATMUL, n)) ? check(&p, n) : 3;
    if (p.out)
        t->TFE_DeleteTensorHandle(p.out);
    for (unsigned i = 0; i < 2; i++) {
        if (p.in[i])
            t->TFE_DeleteTensorHandle(p.in[i]);
        if (p.given[i])
            t->TF_DeleteTensor(p.given[i]);
    }
    return rc;
}

static int work(const char *const *argv)
{
    static struct tn_tf t;
    uint64_t runs = 0, budget = 0, n = 0;
    if (!tn_str_u64(argv[1], strlen(argv[1]), 10, &runs) || !tn_str_u64(argv[2], strlen(argv[2]), 10, &budget) ||
        runs > TN_STAT_MAX || budget > UINT32_MAX)
        return 2;
    tn_step("open", 60000); /* a gigabyte from a cold disk */
    if (!tn_tf_open(&t, argv + 4))
        return 3;
    tn_tell("library TensorFlow %s", t.TF_Version());
    tn_step("start", 60000);
    if (!tn_tf_start(&t) || !tn_tf_choose(&t, "cpu"))
        return 3;
    int rc = 0;
    for (const char *s = argv[3]; *s && rc == 0;) {
        size_t digits = strcspn(s, ",");
        if (!tn_str_u64(s, digits, 10, &n) || n == 0 || n > TN_BENCH_MAX_N)
            return 2;
        rc = measure(&t, strcmp(argv[0], "fp64") == 0 ? TN_BENCH_FP64 : TN_BENCH_FP32, n, (unsigned)runs,
                     (unsigned)budget);
        s += digits + (s[digits] == ',');
    }
    return rc;
}

TN_WORK(bench_tensorflow, "bench-tensorflow", work);

int tn_bench_tensorflow(const struct tn_bench_job *job, const char *const *libraries, struct tn_bench *b,
                        struct tn_bench_side *s, struct tn_bench_fault *fault, struct tn_err *err)
{
    const char *argv[16] = {tn_bench_kinds[job->precision].name, tn_arena_printf(b->mem, "%u", job->runs),
                            tn_arena_printf(b->mem, "%u", job->budget_ms), tn_bench_sizes(job, b->mem)};
    for (unsigned i = 0; libraries[i] && i < 10; i++)
        argv[4 + i] = libraries[i];
    return tn_bench_work(&tn_work_bench_tensorflow, argv, job, b, s, fault, err);
}
