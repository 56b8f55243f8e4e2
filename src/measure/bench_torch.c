/* bench_torch.c - the matrix product through PyTorch, by the environment's own Python as a child, on the CPU.
 *
 * The script keeps to the method of bench_clock.c and prints its lines; for the comparison it prints rows, columns and
 * elements as they are, which are multiplied here, so that nothing of the framework judges itself. */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/limits.h"
#include "base/pairs.h"
#include "base/str.h"
#include "measure/bench_run.h"
#include "measure/framework_python.h"
#include "os/os.h"

static const char script[] =
    "import base64, random, statistics, struct, sys, time\n"
    "kind, runs, budget, sizes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) / 1e3, sys.argv[4]\n"
    "def tell(*words):\n"
    "    print('\\n@' + ' '.join(str(w) for w in words), flush=True)\n"
    "def fails(error, text, trace):\n"
    "    tell('failed', (str(text).strip() or error.__name__).splitlines()[0])\n"
    "    sys.exit(1)\n"
    "sys.excepthook = fails\n"
    "import torch\n"
    "tell('library', 'PyTorch', torch.__version__)\n"
    "tell('threads', torch.get_num_threads())\n"
    "type, code = (torch.float64, 'd') if kind == 'fp64' else (torch.float32, 'f')\n"
    "def us(f, calls=1):\n"
    "    t = time.perf_counter()\n"
    "    for i in range(calls):\n"
    "        f()\n"
    "    return (time.perf_counter() - t) * 1e6 / calls\n"
    "def steady(v):\n"
    "    a, b = statistics.median(v[-6:-3] or [0]), statistics.median(v[-3:])\n"
    "    return len(v) >= 6 and abs(a - b) <= 0.03 * b\n"
    "def calls_of(v):\n"
    "    return 1 if min(v) >= 1000 else int(1000 / min(v)) + 1\n"
    "def packed(v):\n"
    "    return base64.b64encode(struct.pack('<%d%s' % (len(v), code), *v)).decode()\n"
    "for n in (int(s) for s in sizes.split(',')):\n"
    "    tell('size', n)\n"
    "    t = time.perf_counter()\n"
    "    a, b = (torch.rand(n, n, dtype=type) * 2 - 1 for i in 'ab')\n"
    "    tell('create', (time.perf_counter() - t) * 1e6)\n"
    "    c = [None]\n"
    "    def multiply():\n"
    "        c[0] = a @ b\n"
    "    with torch.inference_mode():\n"
    "        v, end = [us(multiply)], time.perf_counter() + budget / 2\n"
    "        tell('first', v[0])\n"
    "        while len(v) < 40 and not steady(v) and time.perf_counter() < end:\n"
    "            v.append(us(multiply, calls_of(v)))\n"
    "        calls, done, end = calls_of(v), 0, time.perf_counter() + budget\n"
    "        tell('warmup', len(v), int(steady(v)))\n"
    "        tell('calls', calls)\n"
    "        while done < (runs or 1000) and (runs or done < 3 or time.perf_counter() < end):\n"
    "            tell('sample', us(multiply, calls))\n"
    "            done += 1\n"
    "    for i in range(8):\n"
    "        x, y = ((n - 1) * (i & 1), (n - 1) * (i >> 1 & 1)) if i < 4 else (random.randrange(n), "
    "random.randrange(n))\n"
    "        tell('element', 'a=' + packed(a[x].tolist()), 'b=' + packed(b[:, y].tolist()),\n"
    "             'c=' + packed([c[0][x][y].item()]))\n"
    "    tell('end')\n";

struct reading {
    struct tn_bench *b;
    struct tn_bench_side *s;
    struct tn_bench_fault *f;
    enum tn_bench_precision precision;
    unsigned elements;
};

static double at(const struct tn_buf *b, enum tn_bench_precision p, size_t i)
{
    double d;
    float f;
    if (p == TN_BENCH_FP64) {
        memcpy(&d, b->p + i * sizeof d, sizeof d);
        return d;
    }
    memcpy(&f, b->p + i * sizeof f, sizeof f);
    return (double)f;
}

/* The bound: bench_run.h, tn_bench_check. */
static bool is_product(const struct reading *r, const struct tn_buf v[3], size_t n)
{
    const double u = r->precision == TN_BENCH_FP64 ? 0x1p-53 : 0x1p-24, nu = ((double)n + 1) * u;
    double sum = 0, size = 0, got = at(&v[2], r->precision, 0);
    for (size_t i = 0; i < n; i++) {
        double product = at(&v[0], r->precision, i) * at(&v[1], r->precision, i);
        sum += product;
        size += product < 0 ? -product : product;
    }
    return got - sum <= nu / (1 - nu) * size && sum - got <= nu / (1 - nu) * size;
}

static bool element(const struct reading *r, struct tn_span line)
{
    static const char *const keys[] = {"a", "b", "c"};
    const size_t n = r->s->n ? (size_t)r->s->r[r->s->n - 1].n : 0, bytes = tn_bench_kinds[r->precision].bytes;
    struct tn_buf v[3];
    bool ok = n > 0;
    for (unsigned i = 0; i < 3; i++) {
        tn_buf_init(&v[i]);
        ok = tn_base64_decode(&v[i], tn_pairs_value(line, keys[i]), NULL) == 0 && v[i].n == (i < 2 ? n : 1) * bytes &&
             ok;
    }
    ok = ok && is_product(r, v, n);
    for (unsigned i = 0; i < 3; i++)
        tn_buf_deinit(&v[i]);
    return ok;
}

static void say(struct reading *r, const char *word, struct tn_span text)
{
    if (!*r->f->text)
        snprintf(r->f->text, sizeof r->f->text, "%s %.*s", word, (int)(text.n < 300 ? text.n : 300),
                 (const char *)text.p);
}

static void take(struct reading *r, struct tn_span line)
{
    if (tn_span_starts(line, "element ")) {
        r->elements++;
        if (!element(r, line))
            say(r, "wrong", tn_span_of("", 0));
    } else if (tn_span_starts(line, "failed ")) {
        say(r, "open", tn_span_from(line, 7));
    } else if (tn_span_eq(line, "end")) {
        if (r->s->n && !*r->f->text && r->elements == 8)
            r->s->r[r->s->n - 1].checked = true;
        r->elements = 0;
    } else {
        tn_bench_take(r->b, r->s, line);
    }
}

int tn_bench_torch(const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s,
                   struct tn_bench_fault *fault, struct tn_err *err)
{
    const char *const argv[] = {job->path,
                                "-c",
                                script,
                                tn_bench_kinds[job->precision].name,
                                tn_arena_printf(b->mem, "%u", job->runs),
                                tn_arena_printf(b->mem, "%u", job->budget_ms),
                                tn_bench_sizes(job, b->mem),
                                NULL};
    struct reading r = {b, s, fault, job->precision, 0};
    struct tn_os_run run;
    struct tn_span text, line;
    memset(fault, 0, sizeof *fault);
    s->path = job->path;
    s->precision = tn_bench_kinds[job->precision].name;
    int rc = tn_os_run(argv, tn_framework_environment(b->mem), 3600000, TN_MAX_CHILD_OUTPUT, &run, err);
    fault->end = rc == TN_E_TIMEOUT ? TN_WORKER_LATE : TN_WORKER_STOPPED;
    if (rc)
        return rc;
    text = tn_span_of(run.out.p, run.out.n);
    while (tn_span_line(&text, &line))
        if (tn_span_starts(line, "@"))
            take(&r, tn_span_from(line, 1));
    for (size_t i = 0; i < s->n; i++)
        tn_bench_settle(&s->r[i]);
    fault->end = run.timed_out      ? TN_WORKER_LATE
                 : run.status > 128 ? TN_WORKER_CRASHED
                 : *fault->text     ? TN_WORKER_STOPPED
                                    : TN_WORKER_QUIT;
    fault->number = run.status > 128 ? run.status - 128 : run.status;
    snprintf(fault->step, sizeof fault->step, "multiply");
    tn_buf_deinit(&run.out);
    return run.status || run.timed_out || *fault->text
               ? tn_err_set(err, TN_E_IO, job->path, "it did not come to its end")
               : 0;
}
