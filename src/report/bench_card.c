/* bench_card.c - what belongs to a card alone: how it was at work, first use, launches, copies; is it worth it. */
#include <string.h>

#include "base/str.h"
#include "report/bench_card.h"
#include "report/report.h"
#include "strings.gen.h"

static const char *str(const struct tn_bench_report *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

static const char *filled(const struct tn_bench_report *r, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, str(r, id), a, n);
    const char *s = tn_arena_strdup(r->mem, t.p);
    tn_buf_deinit(&t);
    return s;
}

static void line(const struct tn_bench_report *r, struct tn_buf *b, unsigned indent, const char *id,
                 const struct tn_arg *a, unsigned n)
{
    const struct tn_report wrap = {.lang = r->lang, .width = r->width};
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_report_wrap(&wrap, b, filled(r, id, a, n), indent, indent);
    tn_buf_ch(b, '\n');
}

static const char *figure(struct tn_arena *mem, double v)
{
    return tn_arena_printf(mem, v < 10 ? "%.2f" : v < 100 ? "%.1f" : "%.0f", v);
}

static const char *whole(struct tn_arena *mem, double v)
{
    return tn_arena_printf(mem, "%.0f", v);
}

/* nvml.h, nvmlClocksThrottleReasons: power cap 0x4, power brake 0x80; software and hardware thermal 0x20, 0x40; the
 * hardware's slowdown 0x8 is told by what made it where that is known. */
static const char *held_back(const struct tn_bench_report *r, double reasons)
{
    const uint64_t bits = (uint64_t)reasons;
    if (bits & 0x60)
        return str(r, TN_S_bench_held_heat);
    if (bits & 0x84)
        return str(r, TN_S_bench_held_power);
    return bits & 0x8 ? str(r, TN_S_bench_held_hardware) : "";
}

static void state(const struct tn_bench_report *r, const struct tn_bench_state *s, const char *when, struct tn_buf *b)
{
    struct tn_arg a[] = {{"when", str(r, when)},
                         {"mhz", whole(r->mem, s->mhz)},
                         {"watts", whole(r->mem, s->watts)},
                         {"celsius", whole(r->mem, s->celsius)},
                         {"reasons", held_back(r, s->reasons)}};
    if (s->mhz > 0)
        line(r, b, 2, TN_S_bench_card_state, a, TN_LEN(a));
}

static void first_use(const struct tn_bench_report *r, const struct tn_bench_card *c, struct tn_buf *b)
{
    struct tn_arg cublas[] = {{"cublas", tn_bench_time(r->mem, c->cublas_s)}},
                  cudnn[] = {{"cudnn", tn_bench_time(r->mem, c->cudnn_s)}};
    struct tn_arg a[] = {{"load", tn_bench_time(r->mem, c->load_s)},
                         {"start", tn_bench_time(r->mem, c->start_s)},
                         {"context", tn_bench_time(r->mem, c->context_s)},
                         {"compile", tn_bench_time(r->mem, c->compile_s)},
                         {"cublas", c->cublas_s > 0 ? filled(r, TN_S_bench_card_first_cublas, cublas, 1) : ""},
                         {"cudnn", c->cudnn_s > 0 ? filled(r, TN_S_bench_card_first_cudnn, cudnn, 1) : ""}};
    if (c->load_s > 0)
        line(r, b, 2, TN_S_bench_card_first, a, TN_LEN(a));
}

static void speeds(const struct tn_bench_report *r, const struct tn_bench_card *c, struct tn_buf *b)
{
    struct tn_arg launch[] = {{"each", tn_bench_time(r->mem, c->launch_s)},
                              {"alone", tn_bench_time(r->mem, c->launch_alone_s)}};
    struct tn_arg link[] = {{"pinned_up", figure(r->mem, c->link.pinned_up)},
                            {"pinned_down", figure(r->mem, c->link.pinned_down)},
                            {"pageable_up", figure(r->mem, c->link.pageable_up)},
                            {"pageable_down", figure(r->mem, c->link.pageable_down)},
                            {"inside", figure(r->mem, c->link.inside)}};
    if (c->launch_s > 0)
        line(r, b, 2, TN_S_bench_card_launch, launch, TN_LEN(launch));
    if (c->link.inside > 0)
        line(r, b, 2, TN_S_bench_card_link, link, TN_LEN(link));
}

static void peak(const struct tn_bench_report *r, const struct tn_bench_side *s, struct tn_buf *b)
{
    double now = tn_bench_card_peak(&s->card, s->precision, s->card.after.mhz);
    struct tn_arg clock[] = {{"gflops", figure(r->mem, now)}, {"mhz", whole(r->mem, s->card.after.mhz)}};
    struct tn_arg a[] = {{"gflops", figure(r->mem, s->peak_gflops)},
                         {"clock", now > 0 ? filled(r, TN_S_bench_card_clock, clock, 2) : ""}};
    if (s->peak_gflops > 0)
        line(r, b, 2, TN_S_bench_card_peak, a, TN_LEN(a));
}

void tn_bench_card_text(const struct tn_bench_report *r, const struct tn_bench_side *s, const char *device,
                        struct tn_buf *b)
{
    const struct tn_bench_card *c = &s->card;
    struct tn_arg a[] = {{"device", device},
                         {"model", c->model},
                         {"capability", tn_arena_printf(r->mem, "%.1f", c->capability)},
                         {"sms", whole(r->mem, c->multiprocessors)},
                         {"memory", tn_bench_size(r->mem, (uint64_t)c->bytes)},
                         {"library", s->library ? s->library : ""},
                         {"file", s->path ? s->path : ""},
                         {"driver", s->driver ? s->driver : ""}};
    if (strcmp(s->device, "standin") == 0)
        line(r, b, 0, TN_S_bench_standin, a, TN_LEN(a));
    line(r, b, 0, TN_S_bench_card, a, TN_LEN(a));
    if (s->library)
        line(r, b, 2, TN_S_bench_card_library, a, TN_LEN(a));
    peak(r, s, b);
    state(r, &c->before, TN_S_bench_card_before, b);
    state(r, &c->after, TN_S_bench_card_after, b);
    first_use(r, c, b);
    speeds(r, c, b);
}

void tn_bench_card_result(const struct tn_bench_report *r, const struct tn_bench_result *x, struct tn_buf *b)
{
    struct tn_arg a[] = {{"sent", tn_bench_time(r->mem, x->sent_s)}, {"fetched", tn_bench_time(r->mem, x->fetched_s)}};
    if (x->fetched_s > 0)
        line(r, b, 6, TN_S_bench_copied, a, TN_LEN(a));
}

void tn_bench_card_worth(const struct tn_bench_report *r, const struct tn_bench_side *cpu,
                         const struct tn_bench_side *gpu, const char *device, struct tn_buf *b)
{
    uint64_t copied = tn_bench_worth(cpu, gpu, true), resident = tn_bench_worth(cpu, gpu, false);
    struct tn_arg a[] = {{"n", tn_arena_printf(r->mem, "%llu", (unsigned long long)copied)},
                         {"resident", tn_arena_printf(r->mem, "%llu", (unsigned long long)resident)},
                         {"device", device}};
    line(r, b, 0,
         copied     ? TN_S_bench_worth
         : resident ? TN_S_bench_worth_resident
                    : TN_S_bench_worth_never,
         a, TN_LEN(a));
}
