/* bench_html.c - a page with a plot: GFLOP/s by size, each side a line, its peak a dashed one.
 *
 * No script, nothing fetched: the page says so itself by a content policy that allows its one style and nothing else.
 * Every text from outside is escaped. Sizes and figures stand on logarithmic axes. */
#include <string.h>

#include "base/str.h"
#include "report/bench.h"
#include "report/escape.h"
#include "strings.gen.h"

#define LEFT 70.0
#define TOP 44.0
#define WIDTH 620.0
#define HEIGHT 300.0
#define N_COLORS 4

static const char *str(const struct tn_bench_report *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

static void html(struct tn_buf *b, const char *text)
{
    static const struct {
        char c;
        const char *as;
    } named[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    struct tn_buf t;
    tn_buf_init(&t);
    tn_escape_terminal(&t, text);
    for (const char *p = t.p; *p; p++) {
        unsigned i = 0;
        while (i < TN_LEN(named) && named[i].c != *p)
            i++;
        if (i < TN_LEN(named))
            tn_buf_str(b, named[i].as);
        else
            tn_buf_ch(b, *p);
    }
    tn_buf_deinit(&t);
}

/* The logarithm to base 2, to 1e-9: no library is needed for an axis. v > 0. */
static double log2_of(double v)
{
    double whole = 0, part = 0, bit = 0.5;
    while (v >= 2) {
        v /= 2;
        whole++;
    }
    while (v < 1) {
        v *= 2;
        whole--;
    }
    for (unsigned i = 0; i < 30; i++, bit /= 2) {
        v *= v;
        if (v >= 2) {
            v /= 2;
            part += bit;
        }
    }
    return whole + part;
}

struct axes {
    double n0, n1, g0, g1; /* logarithms */
};

static double x_of(const struct axes *a, double n)
{
    return a->n1 > a->n0 ? LEFT + (log2_of(n) - a->n0) / (a->n1 - a->n0) * WIDTH : LEFT + WIDTH / 2;
}

static double y_of(const struct axes *a, double gflops)
{
    return TOP + HEIGHT - (log2_of(gflops) - a->g0) / (a->g1 - a->g0) * HEIGHT;
}

static void widen(struct axes *a, double gflops)
{
    double g = gflops > 0 ? log2_of(gflops) : a->g0;
    a->g0 = g < a->g0 ? g : a->g0;
    a->g1 = g > a->g1 ? g : a->g1;
}

/* By size: the matrix product alone. */
static bool is_drawn(const struct tn_bench_result *x)
{
    return x->op == TN_BENCH_MATMUL && x->gflops > 0;
}

/* False: nothing to draw. Whole powers of two on the axis of figures. */
static bool scale(const struct tn_bench *m, struct axes *a)
{
    *a = (struct axes){1e9, -1e9, 1e9, -1e9};
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->side[i].n; k++) {
            const struct tn_bench_result *x = &m->side[i].r[k];
            double n = log2_of((double)x->n);
            if (!is_drawn(x))
                continue;
            a->n0 = n < a->n0 ? n : a->n0;
            a->n1 = n > a->n1 ? n : a->n1;
            widen(a, x->gflops);
            widen(a, m->side[i].peak_gflops);
        }
    if (a->n1 < a->n0)
        return false;
    a->g0 = (double)(int)(a->g0 + 100) - 100;
    a->g1 = (double)(int)(a->g1 + 101) - 100;
    return true;
}

static void grid(const struct axes *a, const struct tn_bench *m, struct tn_buf *b)
{
    double last = -1e9;
    unsigned step = a->g1 - a->g0 > 8 ? 2 : 1;
    for (int g = (int)a->g0; g <= (int)a->g1; g += (int)step) {
        double v = 1;
        for (int i = 0; i < (g < 0 ? -g : g); i++)
            v = g < 0 ? v / 2 : v * 2;
        tn_buf_printf(b, "<line class=\"g\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, LEFT + WIDTH,
                      y_of(a, v), y_of(a, v));
        tn_buf_printf(b, "<text class=\"r\" x=\"%.0f\" y=\"%.1f\">%g</text>\n", LEFT - 8, y_of(a, v) + 4, v);
    }
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->side[i].n; k++) {
            double x = x_of(a, (double)m->side[i].r[k].n);
            if (!is_drawn(&m->side[i].r[k]) || (x - last < 34 && last - x < 34))
                continue;
            last = x;
            tn_buf_printf(b, "<line class=\"g\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\"/>", x, x, TOP,
                          TOP + HEIGHT);
            tn_buf_printf(b, "<text class=\"m\" x=\"%.1f\" y=\"%.0f\">%llu</text>\n", x, TOP + HEIGHT + 18,
                          (unsigned long long)m->side[i].r[k].n);
        }
}

static const char *name_of(const struct tn_bench_report *r, const struct tn_bench_side *s)
{
    if (s->framework)
        return s->library ? s->library : s->framework;
    return str(r, tn_arena_printf(r->mem, "bench_dev_%s", s->device));
}

/* Above the plot, where no line crosses it: behind the names of the sides before, of which a column takes 8. */
static double key_of(const struct tn_bench_report *r, size_t i)
{
    double at = LEFT + 170;
    for (size_t k = 0; k < i; k++)
        if (r->b->side[k].n)
            at += 46 + 8 * (double)tn_utf8_width(name_of(r, &r->b->side[k]));
    return at;
}

static void curve(const struct tn_bench_report *r, const struct axes *a, size_t i, struct tn_buf *b)
{
    const struct tn_bench_side *s = &r->b->side[i];
    size_t drawn = 0;
    for (size_t k = 0; k < s->n; k++) {
        if (!is_drawn(&s->r[k]))
            continue;
        tn_buf_printf(b, "%s%.1f,%.1f",
                      drawn++ ? " " : tn_arena_printf(r->mem, "<polyline class=\"s%zu\" points=\"", i % N_COLORS),
                      x_of(a, (double)s->r[k].n), y_of(a, s->r[k].gflops));
    }
    if (!drawn)
        return;
    tn_buf_str(b, "\"/>\n");
    for (size_t k = 0; k < s->n; k++)
        if (is_drawn(&s->r[k]))
            tn_buf_printf(b, "<circle class=\"d%zu\" r=\"4\" cx=\"%.1f\" cy=\"%.1f\"/>\n", i % N_COLORS,
                          x_of(a, (double)s->r[k].n), y_of(a, s->r[k].gflops));
    const double key = key_of(r, i);
    tn_buf_printf(b, "<line class=\"k s%zu\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>", i % N_COLORS, key,
                  key + 24, TOP - 21, TOP - 21);
    tn_buf_printf(b, "<text class=\"t%zu\" x=\"%.0f\" y=\"%.0f\">", i % N_COLORS, key + 30, TOP - 17);
    html(b, name_of(r, s));
    tn_buf_str(b, "</text>\n");
    if (s->peak_gflops <= 0)
        return;
    double y = y_of(a, s->peak_gflops);
    tn_buf_printf(b, "<line class=\"p%zu\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>", i % N_COLORS, LEFT,
                  LEFT + WIDTH, y, y);
    tn_buf_printf(b, "<text class=\"r t%zu\" x=\"%.0f\" y=\"%.1f\">", i % N_COLORS, LEFT + WIDTH - 4, y - 5);
    html(b, name_of(r, s));
    tn_buf_printf(b, " %s %.0f</text>\n", str(r, TN_S_bench_html_peak), s->peak_gflops);
}

static void plot(const struct tn_bench_report *r, struct tn_buf *b)
{
    struct axes a;
    if (!scale(r->b, &a))
        return;
    tn_buf_printf(b, "<svg role=\"img\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\"><title>",
                  LEFT + WIDTH + 20, TOP + HEIGHT + 50, LEFT + WIDTH + 20, TOP + HEIGHT + 50);
    html(b, str(r, TN_S_bench_html_title));
    tn_buf_str(b, "</title>\n");
    grid(&a, r->b, b);
    tn_buf_printf(b, "<text x=\"0\" y=\"%.0f\">", TOP - 17);
    html(b, str(r, TN_S_bench_html_axis));
    tn_buf_str(b, "</text>\n");
    for (size_t i = 0; i < r->b->n; i++)
        curve(r, &a, i, b);
    tn_buf_printf(b, "<text class=\"m\" x=\"%.0f\" y=\"%.0f\">", LEFT + WIDTH / 2, TOP + HEIGHT + 40);
    html(b, str(r, TN_S_bench_th_n));
    tn_buf_str(b, "</text>\n</svg>\n");
}

static void table(const struct tn_bench_report *r, struct tn_buf *b)
{
    static const char *const heads[] = {TN_S_bench_th_device, TN_S_bench_th_n,    TN_S_bench_th_median,
                                        TN_S_bench_th_range,  TN_S_bench_th_runs, TN_S_bench_th_peak};
    struct tn_arena *m = r->mem;
    tn_buf_str(b, "<table><tr>");
    for (unsigned i = 0; i < TN_LEN(heads); i++)
        tn_buf_printf(b, "<th>%s</th>", str(r, heads[i]));
    tn_buf_str(b, "<th>GFLOP/s</th></tr>\n");
    for (size_t i = 0; i < r->b->n; i++)
        for (size_t k = 0; k < r->b->side[i].n; k++) {
            const struct tn_bench_side *s = &r->b->side[i];
            const struct tn_bench_result *x = &s->r[k];
            if (!x->n_sample)
                continue;
            tn_buf_str(b, "<tr><td>");
            html(b, name_of(r, s));
            tn_buf_printf(b, "</td><td>%s</td><td>%s</td><td>",
                          x->op == TN_BENCH_MATMUL ? tn_arena_printf(m, "%llu", (unsigned long long)x->n)
                                                   : tn_bench_name(m, x, r->lang),
                          tn_bench_time(m, x->stat.median));
            if (x->stat.bounded)
                tn_buf_printf(b, "%s \xe2\x80\x93 %s", tn_bench_time(m, x->stat.low), tn_bench_time(m, x->stat.high));
            tn_buf_printf(b, "</td><td>%zu</td><td>", x->n_sample);
            if (s->peak_gflops > 0)
                tn_buf_printf(b, "%.0f %%", 100 * x->gflops / s->peak_gflops);
            tn_buf_printf(b, "</td><td>%.1f</td></tr>\n", x->gflops);
        }
    tn_buf_str(b, "</table>\n");
}

static void side(const struct tn_bench_report *r, const struct tn_bench_side *s, struct tn_buf *b)
{
    struct tn_buf t;
    struct tn_arg a[] = {{"device", name_of(r, s)}, {"why", tn_bench_why(r, s)}};
    tn_buf_init(&t);
    if (s->library) {
        tn_buf_printf(&t, "%s: %s", name_of(r, s), s->library);
        tn_buf_str(b, "<p>");
        html(b, t.p);
        tn_buf_str(b, "<br><code>");
        html(b, s->path ? s->path : "");
        tn_buf_str(b, "</code></p>\n");
    }
    tn_buf_clear(&t);
    tn_text_fill(&t, str(r, TN_S_bench_not_measured), a, TN_LEN(a));
    if (s->why) {
        tn_buf_str(b, "<p>");
        html(b, t.p);
        tn_buf_str(b, "</p>\n");
    }
    tn_buf_deinit(&t);
}

static void head(const struct tn_bench_report *r, struct tn_buf *b)
{
    const char *precision = r->b->n && r->b->side[0].precision ? r->b->side[0].precision : "fp32";
    struct tn_arg a[] = {{"precision", str(r, tn_arena_printf(r->mem, "bench_%s", precision))}};
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, str(r, TN_S_bench_head), a, 1);
    tn_buf_str(b, "<p>");
    html(b, t.p);
    tn_buf_str(b, "</p>\n");
    tn_buf_deinit(&t);
}

void tn_bench_html(const struct tn_bench_report *r, struct tn_buf *b)
{
    static const char style[] =
        "body{font:15px/1.5 sans-serif;color:#222;background:#fff;max-width:760px;margin:2em auto;padding:0 1em}"
        "table{border-collapse:collapse;font-size:13px}td{white-space:nowrap}td,th{padding:.2em "
        ".6em;text-align:right;border-bottom:1px solid #ddd}"
        "svg{max-width:100%;height:auto}text{font:13px sans-serif;fill:#444}.r{text-anchor:end}.m{text-anchor:middle}"
        ".g{stroke:#e4e4e4}polyline{fill:none}polyline,.k{stroke-width:2}.s0{stroke:#1f5fa8}.d0,.t0{fill:#1f5fa8}.p0{"
        "stroke:#"
        "1f5fa8}"
        ".s1{stroke:#b3470f}.d1,.t1{fill:#b3470f}.p1{stroke:#b3470f}.s2{stroke:#3a7d34}.d2,.t2{fill:#3a7d34}"
        ".p2{stroke:#3a7d34}.s3{stroke:#7a3b8f}.d3,.t3{fill:#7a3b8f}.p3{stroke:#7a3b8f}.p0,.p1,.p2,.p3{stroke-width:1."
        "5;stroke-dasharray:6 "
        "4}code{font-size:12px;overflow-wrap:anywhere}"
        ".n{color:#555;font-size:13px}";
    tn_buf_printf(b, "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n",
                  r->lang == TN_ZH ? "zh" : "en");
    tn_buf_str(b,
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
               "base-uri 'none'; form-action 'none'\">\n");
    tn_buf_printf(b,
                  "<meta name=\"viewport\" "
                  "content=\"width=device-width\"><title>%s</title>\n<style>%s</style></head><body>\n<h1>%s</h1>\n",
                  str(r, TN_S_bench_html_title), style, str(r, TN_S_bench_html_title));
    head(r, b);
    plot(r, b);
    table(r, b);
    for (size_t i = 0; i < r->b->n; i++)
        side(r, &r->b->side[i], b);
    tn_buf_printf(b, "<p class=\"n\">%s</p>\n", str(r, TN_S_bench_html_note));
    tn_buf_str(b, "</body></html>\n");
}
