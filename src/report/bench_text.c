/* bench_text.c - what was measured, for people: figures first, then a bar chart. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "report/bench.h"
#include "report/bench_card.h"
#include "report/escape.h"
#include "report/report.h"
#include "strings.gen.h"

#define BAR 40u    /* columns of the longest bar */
#define NOISY 0.25 /* half of the runs lie further apart than this share of the median */
#define OTHERS 0.1 /* processors that other programs had */

static const char *str(const struct tn_bench_report *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

/* The string with its arguments filled in, escapes disarmed. */
static void add(const struct tn_bench_report *r, struct tn_buf *b, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, str(r, id), a, n);
    tn_escape_terminal(b, t.p);
    tn_buf_deinit(&t);
}

static void line(const struct tn_bench_report *r, struct tn_buf *b, const char *indent, const char *id,
                 const struct tn_arg *a, unsigned n)
{
    struct tn_buf t;
    const struct tn_report wrap = {.lang = r->lang, .width = r->width};
    tn_buf_init(&t);
    tn_text_fill(&t, str(r, id), a, n);
    tn_buf_str(b, indent);
    tn_report_wrap(&wrap, b, t.p, (unsigned)strlen(indent), (unsigned)strlen(indent));
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&t);
}

const char *tn_bench_time(struct tn_arena *mem, double s)
{
    static const struct {
        double from;
        const char *unit;
        double scale;
    } units[] = {{0.1, "s", 1}, {1e-4, "ms", 1e3}, {0, "us", 1e6}};
    unsigned i = 0;
    while (i + 1 < TN_LEN(units) && s < units[i].from)
        i++;
    double v = s * units[i].scale;
    return tn_arena_printf(mem, v < 10 ? "%.3g %s" : v < 100 ? "%.1f %s" : "%.0f %s", v, units[i].unit);
}

const char *tn_bench_size(struct tn_arena *mem, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    double v = (double)bytes;
    unsigned i = 0;
    for (; v >= 1000 && i + 1 < TN_LEN(units); i++)
        v /= 1000;
    return tn_arena_printf(mem, i && v < 100 ? "%.1f %s" : "%.0f %s", v, units[i]);
}

static const char *figure(struct tn_arena *mem, double v)
{
    return tn_arena_printf(mem, v < 10 ? "%.2f" : v < 100 ? "%.1f" : "%.0f", v);
}

static const char *device(const struct tn_bench_report *r, const struct tn_bench_side *s)
{
    if (s->framework)
        return s->library ? s->library : s->framework;
    return str(r, tn_arena_printf(r->mem, "bench_dev_%s", s->device));
}

const char *tn_bench_why(const struct tn_bench_report *r, const struct tn_bench_side *s)
{
    struct tn_buf t;
    struct tn_arg a[] = {
        {"file", s->path ? s->path : ""}, {"what", s->why_what ? s->why_what : ""}, {"step", s->step ? s->step : ""}};
    if (!s->why)
        return "";
    tn_buf_init(&t);
    tn_text_fill(&t, str(r, s->why), a, TN_LEN(a));
    const char *text = tn_arena_strdup(r->mem, t.p);
    tn_buf_deinit(&t);
    return text;
}

const char *tn_bench_name(struct tn_arena *mem, const struct tn_bench_result *x, enum tn_lang lang)
{
    const struct tn_bench_report r = {.mem = mem, .lang = lang};
    const bool product = x->op == TN_BENCH_MATMUL;
    struct tn_arg a[] = {{"n", tn_arena_printf(mem, "%llu", (unsigned long long)x->n)},
                         {"work", product ? "" : str(&r, tn_arena_printf(mem, "bench_op_%s", tn_bench_ops[x->op]))}};
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, str(&r, product ? TN_S_bench_rows : TN_S_bench_work), a, TN_LEN(a));
    const char *text = tn_arena_strdup(mem, t.p);
    tn_buf_deinit(&t);
    return text;
}

/* What its operations are, and what did it. */
static void work(const struct tn_bench_report *r, const struct tn_bench_result *x, struct tn_buf *b)
{
    struct tn_arg a[] = {{"operations", tn_arena_printf(r->mem, "%.3g", tn_bench_operations(x->op, x->n) / 1e9)},
                         {"how", x->how ? x->how : ""}};
    if (x->op == TN_BENCH_MATMUL)
        return;
    line(r, b, "      ", x->op == TN_BENCH_STEP ? TN_S_bench_counted_step : TN_S_bench_counted_convolution, a, 1);
    if (x->how)
        line(r, b, "      ", TN_S_bench_how, a, TN_LEN(a));
}

static void result(const struct tn_bench_report *r, const struct tn_bench_side *s, const struct tn_bench_result *x,
                   struct tn_buf *b)
{
    struct tn_arena *m = r->mem;
    const struct tn_stat *t = &x->stat;
    const bool product = x->op == TN_BENCH_MATMUL;
    struct tn_arg head[] = {{"n", tn_bench_name(m, x, r->lang)},
                            {"median", tn_bench_time(m, t->median)},
                            {"gflops", figure(m, x->gflops)},
                            {"percent", s->peak_gflops > 0 ? figure(m, 100 * x->gflops / s->peak_gflops) : ""}};
    struct tn_arg range[] = {{"low", tn_bench_time(m, t->low)}, {"high", tn_bench_time(m, t->high)}};
    struct tn_arg spread[] = {{"q1", tn_bench_time(m, t->q1)},
                              {"q3", tn_bench_time(m, t->q3)},
                              {"min", tn_bench_time(m, t->min)},
                              {"max", tn_bench_time(m, t->max)}};
    struct tn_arg runs[] = {{"runs", tn_arena_printf(m, "%zu", x->n_sample)},
                            {"calls", tn_arena_printf(m, "%u", x->calls)},
                            {"warmup", tn_arena_printf(m, "%u", x->warmup)},
                            {"first", tn_bench_time(m, x->first_s)}};
    struct tn_arg untimed[] = {{"create", tn_bench_time(m, x->create_s)},
                               {"allocate", tn_bench_time(m, x->allocate_s)}};
    struct tn_arg fastest[] = {{"gflops", figure(m, x->gflops * t->median / t->min)}, {"others", figure(m, x->others)}};
    tn_buf_str(b, "  ");
    add(r, b, TN_S_bench_size, head, 3);
    if (s->peak_gflops > 0)
        add(r, b, TN_S_bench_of_peak, head, 4);
    tn_buf_ch(b, '\n');
    work(r, x, b);
    line(r, b, "      ", t->bounded ? TN_S_bench_range : TN_S_bench_no_range, range, 2);
    line(r, b, "      ", TN_S_bench_spread, spread, 4);
    line(r, b, "      ", product ? TN_S_bench_runs : TN_S_bench_work_runs, runs, 4);
    if (!x->steady)
        line(r, b, "      ", TN_S_bench_unsteady, NULL, 0);
    if (x->others > OTHERS)
        line(r, b, "      ", TN_S_bench_others, fastest, 2);
    else if (t->q3 - t->q1 > NOISY * t->median)
        line(r, b, "      ", TN_S_bench_noisy, fastest, 1);
    line(r, b, "      ", TN_S_bench_untimed, untimed, 2);
    tn_bench_card_result(r, x, b);
    if (x->checked)
        line(r, b, "      ", TN_S_bench_checked, NULL, 0);
    if (x->checked && s->card.model && tn_str_eq(s->precision, "fp32"))
        line(r, b, "      ", tn_bench_lowered(x) ? TN_S_bench_lowered : TN_S_bench_kept, NULL, 0);
}

static void side(const struct tn_bench_report *r, const struct tn_bench_side *s, struct tn_buf *b)
{
    struct tn_arena *m = r->mem;
    struct tn_arg head[] = {
        {"device", device(r, s)},
        {"library", s->library ? s->library : ""},
        {"core", s->core && *s->core ? tn_arena_printf(m, " (%s)", s->core) : ""},
        {"threads", tn_arena_printf(m, "%u", s->threads)},
        {"cores", tn_arena_printf(m, "%u", s->cores)},
        {"why", tn_bench_why(r, s)},
        {"gflops", figure(m, s->peak_gflops)},
        {"see", s->see ? s->see : ""},
    };
    struct tn_arg left[] = {{"device", device(r, s)}, {"why", s->left ? str(r, s->left) : ""}};
    struct tn_arg memory[] = {{"read", figure(m, s->memory.read)},
                              {"write", figure(m, s->memory.write)},
                              {"copy", figure(m, s->memory.copy)},
                              {"size", tn_bench_size(m, s->memory.bytes)}};
    if (s->card.model) {
        tn_bench_card_text(r, s, device(r, s), b);
    } else if (s->library) {
        line(r, b, "", s->framework ? TN_S_bench_through : TN_S_bench_by, head, 5);
        tn_buf_str(b, "  ");
        tn_escape_terminal(b, s->path);
        tn_buf_ch(b, '\n');
        if (s->peak_gflops > 0)
            line(r, b, "  ", TN_S_bench_peak, head, TN_LEN(head));
        if (s->memory.bytes)
            line(r, b, "  ", TN_S_bench_memory, memory, TN_LEN(memory));
    }
    if (s->why)
        line(r, b, "", TN_S_bench_not_measured, head, TN_LEN(head));
    if (s->see)
        line(r, b, "  ", TN_S_bench_see, head, TN_LEN(head));
    for (size_t i = 0; i < s->n; i++)
        if (s->r[i].n_sample)
            result(r, s, &s->r[i], b);
    if (s->left && s->left != s->why)
        line(r, b, "", TN_S_bench_left, left, TN_LEN(left));
}

/* Blocks of an eighth of a column, or whole "#". */
static void bar(const struct tn_bench_report *r, double share, struct tn_buf *b)
{
    static const char *const eighths[] = {"",
                                          "\xe2\x96\x8f",
                                          "\xe2\x96\x8e",
                                          "\xe2\x96\x8d",
                                          "\xe2\x96\x8c",
                                          "\xe2\x96\x8b",
                                          "\xe2\x96\x8a",
                                          "\xe2\x96\x89"};
    unsigned at = (unsigned)((share < 1 ? share : 1) * BAR * 8 + 0.5), columns = 0;
    if (r->ascii) {
        for (; columns < (at + 4) / 8; columns++)
            tn_buf_ch(b, '#');
    } else {
        for (; columns < at / 8; columns++)
            tn_buf_str(b, "\xe2\x96\x88");
        tn_buf_str(b, eighths[at % 8]);
        columns += at % 8 != 0;
    }
    for (; columns < BAR; columns++)
        tn_buf_ch(b, ' ');
}

static double most(const struct tn_bench *m, bool *ret_peak)
{
    double top = 0;
    *ret_peak = false;
    for (size_t i = 0; i < m->n; i++) {
        for (size_t k = 0; k < m->side[i].n; k++)
            if (m->side[i].r[k].gflops > top) {
                top = m->side[i].r[k].gflops;
                *ret_peak = false;
            }
        if (m->side[i].n && m->side[i].peak_gflops > top) {
            top = m->side[i].peak_gflops;
            *ret_peak = true;
        }
    }
    return top;
}

static unsigned widest(const struct tn_bench_report *r)
{
    unsigned w = 9;
    for (size_t i = 0; i < r->b->n; i++) {
        unsigned n = r->b->side[i].n ? tn_utf8_width(device(r, &r->b->side[i])) + 1 : 0;
        w = n > w && n < 40 ? n : w;
    }
    return w;
}

static void chart(const struct tn_bench_report *r, struct tn_buf *b)
{
    bool peak;
    const unsigned name_width = widest(r);
    double top = most(r->b, &peak);
    if (top <= 0)
        return;
    tn_buf_printf(b, "\n%s\n", str(r, peak ? TN_S_bench_chart : TN_S_bench_chart_most));
    for (size_t i = 0; i < r->b->n; i++)
        for (size_t k = 0; k < r->b->side[i].n; k++) {
            const struct tn_bench_result *x = &r->b->side[i].r[k];
            if (!x->n_sample)
                continue;
            const char *name = device(r, &r->b->side[i]);
            tn_buf_printf(b, "  %s", name);
            for (unsigned w = tn_utf8_width(name); w < name_width; w++)
                tn_buf_ch(b, ' ');
            const char *what = x->op == TN_BENCH_MATMUL
                                   ? tn_arena_printf(r->mem, "%llu", (unsigned long long)x->n)
                                   : str(r, tn_arena_printf(r->mem, "bench_short_%s", tn_bench_ops[x->op]));
            for (unsigned w = tn_utf8_width(what); w < 7; w++)
                tn_buf_ch(b, ' ');
            tn_buf_printf(b, "%s |", what);
            bar(r, x->gflops / top, b);
            tn_buf_printf(b, "| %8s\n", figure(r->mem, x->gflops));
        }
}

/* The same product by the framework and by the library itself: what lies between is the framework's. */
static void overhead(const struct tn_bench_report *r, const struct tn_bench_side *bare, const struct tn_bench_side *s,
                     struct tn_buf *b)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct tn_bench_result *x = &s->r[i], *y = tn_bench_find(bare, x->op, x->n);
        if (!y || !x->n_sample)
            continue;
        double more = x->stat.median - y->stat.median;
        struct tn_arg a[] = {{"n", tn_bench_name(r->mem, x, r->lang)},
                             {"framework", device(r, s)},
                             {"library", bare->library ? bare->library : ""},
                             {"time", tn_bench_time(r->mem, x->stat.median)},
                             {"bare", tn_bench_time(r->mem, y->stat.median)},
                             {"percent", figure(r->mem, 100 * (more < 0 ? -more : more) / y->stat.median)},
                             {"each", tn_bench_time(r->mem, more < 0 ? -more : more)}};
        line(r, b, "", more < 0 ? TN_S_bench_overhead_less : TN_S_bench_overhead, a, TN_LEN(a));
    }
}

/* Of each size that two sides have: who is faster, and how much. */
static void ratios(const struct tn_bench_report *r, struct tn_buf *b)
{
    for (size_t i = 1; i < r->b->n; i++) {
        bool any = false;
        if (r->b->side[i].framework) {
            overhead(r, &r->b->side[0], &r->b->side[i], b);
            continue;
        }
        for (size_t k = 0; k < r->b->side[0].n; k++) {
            const struct tn_bench_side *first = &r->b->side[0], *other = &r->b->side[i];
            const struct tn_bench_result *x = &first->r[k], *y = tn_bench_find(other, x->op, x->n);
            if (!y || !x->n_sample)
                continue;
            double q = x->stat.median / y->stat.median;
            struct tn_arg a[] = {{"n", tn_bench_name(r->mem, x, r->lang)},
                                 {"fast", device(r, q >= 1 ? other : first)},
                                 {"slow", device(r, q >= 1 ? first : other)},
                                 {"ratio", figure(r->mem, q >= 1 ? q : 1 / q)}};
            line(r, b, "", TN_S_bench_ratio, a, TN_LEN(a));
            any = any || x->op == TN_BENCH_MATMUL;
        }
        if (any && r->b->side[i].card.model)
            tn_bench_card_worth(r, &r->b->side[0], &r->b->side[i], device(r, &r->b->side[i]), b);
    }
}

void tn_bench_text(const struct tn_bench_report *r, struct tn_buf *b)
{
    const char *precision = r->b->n && r->b->side[0].precision ? r->b->side[0].precision : "fp32";
    struct tn_arg a[] = {{"precision", str(r, tn_arena_printf(r->mem, "bench_%s", precision))}};
    add(r, b, TN_S_bench_head, a, 1);
    tn_buf_str(b, "\n\n");
    for (size_t i = 0; i < r->b->n; i++) {
        side(r, &r->b->side[i], b);
    }
    chart(r, b);
    ratios(r, b);
}

/* ---- printed times, put right */

void tn_bench_replay_text(const struct tn_bench_report *r, const struct tn_bench_replay *of, unsigned n_of, uint64_t n,
                          struct tn_buf *b)
{
    for (unsigned i = 0; i < n_of; i++) {
        const double rows = (double)n, gflops = 2 * rows * rows * rows / of[i].each / 1e9;
        struct tn_arg a[] = {{"total", tn_bench_time(r->mem, of[i].total)},
                             {"runs", tn_arena_printf(r->mem, "%u", of[i].runs)},
                             {"each", tn_bench_time(r->mem, of[i].each)},
                             {"gflops", figure(r->mem, gflops)},
                             {"n", tn_arena_printf(r->mem, "%llu", (unsigned long long)n)}};
        add(r, b, TN_S_bench_replay_each, a, 3);
        if (n)
            add(r, b, TN_S_bench_replay_flops, a, 5);
        tn_buf_ch(b, '\n');
    }
    if (n_of == 2) {
        double q = of[0].each / of[1].each;
        struct tn_arg a[] = {{"ratio", tn_arena_printf(r->mem, "%.1f", q >= 1 ? q : 1 / q)}};
        line(r, b, "", TN_S_bench_replay_ratio, a, 1);
    }
    line(r, b, "", TN_S_bench_replay_note, NULL, 0);
}

/* ---- two measurements */

void tn_bench_compare_text(const struct tn_bench_report *r, const struct tn_bench_compared *c, size_t n,
                           struct tn_buf *b)
{
    static const char *const verdicts[] = {[TN_BENCH_FEW] = TN_S_bench_cmp_few,
                                           [TN_BENCH_NO_DIFFERENCE] = TN_S_bench_cmp_none,
                                           [TN_BENCH_FASTER] = TN_S_bench_cmp_faster,
                                           [TN_BENCH_SLOWER] = TN_S_bench_cmp_slower};
    for (size_t i = 0; i < n; i++) {
        struct tn_arg a[] = {
            {"n", tn_bench_name(r->mem, c[i].ra, r->lang)},         {"device", device(r, c[i].a)},
            {"a", tn_bench_time(r->mem, c[i].ra->stat.median)},     {"b", tn_bench_time(r->mem, c[i].rb->stat.median)},
            {"ratio", tn_arena_printf(r->mem, "%.3f", c[i].ratio)}, {"p", tn_arena_printf(r->mem, "%.2g", c[i].p)}};
        line(r, b, "", verdicts[c[i].verdict], a, TN_LEN(a));
    }
    for (size_t i = 0; i < n; i++)
        if (!tn_str_eq(c[i].a->library, c[i].b->library) && (i == 0 || c[i].a != c[i - 1].a)) {
            struct tn_arg a[] = {{"what", device(r, c[i].a)},
                                 {"a", c[i].a->library ? c[i].a->library : "?"},
                                 {"b", c[i].b->library ? c[i].b->library : "?"}};
            line(r, b, "", TN_S_bench_cmp_other, a, TN_LEN(a));
        }
    struct tn_arg method[] = {{"matters", figure(r->mem, TN_BENCH_MATTERS * 100)}};
    line(r, b, "", TN_S_bench_cmp_method, method, 1);
}
