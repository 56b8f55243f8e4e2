/* vendor_text.c - lines of the answers of NVML and of the CUDA driver interface, into gpu, process and driver rows.
 *
 * Invariant: a line that is not understood is passed over; a number that cannot be one is not a fact. */
#include "probe/vendor_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "facts/error.h"

#define MAX_CARDS 64u
#define MAX_PROCESSES 4096u
#define NVML_GPU_IS_LOST 15 /* nvml.h, nvmlReturn_t */
#define NVML_RESET_REQUIRED 16

struct reading {
    struct tn_snap *s;
    uint32_t src;
    size_t row[MAX_CARDS]; /* of each number of the library, into gpu; SIZE_MAX: not known */
    unsigned card, n_card;
    bool in_card;
    long long refused[MAX_CARDS]; /* by NVML's number of the error; 0: it was not */
    long long count;              /* devices of the library; -1: not known */
};

/* A line as words: the first, and the numbers or the text behind it. */
struct line {
    const char *word, *rest;
    long long v[5];
    unsigned n;
};

static void cut(struct tn_arena *mem, struct tn_span text, struct line *l)
{
    char *p = tn_arena_strndup(mem, (const char *)text.p, text.n), *end;
    l->word = p;
    p += strcspn(p, " ");
    if (*p)
        *p++ = 0;
    l->rest = p;
    for (l->n = 0; l->n < 5; l->n++) {
        l->v[l->n] = strtoll(p, &end, 0);
        if (end == p || (*end && *end != ' '))
            return;
        p = end;
    }
}

static bool is(const struct line *l, const char *word, unsigned numbers)
{
    return tn_str_eq(l->word, word) && l->n >= numbers;
}

static struct tn_rec_gpu *card(struct reading *r)
{
    return r->in_card && r->row[r->card] != SIZE_MAX ? &r->s->gpu.v[r->row[r->card]] : NULL;
}

static void open_card(struct reading *r, long long number)
{
    r->in_card = number >= 0 && number < MAX_CARDS;
    if (!r->in_card)
        return;
    r->card = (unsigned)number;
    if (r->card >= r->n_card)
        r->n_card = r->card + 1;
}

/* "00000000:01:00.0" and "0000:01:00.0" are one: compared from the last four digits of the domain on. */
static const char *short_bus(const char *bus)
{
    const char *colon = strchr(bus, ':');
    return colon && colon - bus > 4 ? colon - 4 : bus;
}

static void find_card(struct reading *r, const char *bus)
{
    struct tn_snap *s = r->s;
    if (!r->in_card || !*bus || strlen(bus) > 32)
        return;
    for (size_t i = 0; i < s->gpu.n; i++)
        if (tn_known(s->gpu.v[i].bus) && tn_str_ieq(short_bus(s->gpu.v[i].bus.v), short_bus(bus))) {
            r->row[r->card] = i;
            return;
        }
    /* Below WSL the bus lists nothing, and an integrated GPU has a row without an address. */
    for (size_t i = 0; i < s->gpu.n; i++)
        if (tn_says(s->gpu.v[i].bus, "platform")) {
            r->row[r->card] = i;
            return;
        }
    struct tn_rec_gpu *g = TN_ADD(s, gpu);
    g->bus = tn_fact_str(s, r->src, short_bus(bus));
    g->vendor = tn_fact_str(s, r->src, "nvidia");
    r->row[r->card] = s->gpu.n - 1;
}

static void set(struct reading *r, struct tn_int *f, long long v)
{
    if (v >= 0)
        *f = tn_fact_int(r->src, v);
}

static void say(struct reading *r, struct tn_str *f, const char *text)
{
    if (*text)
        *f = tn_fact_str(r->s, r->src, text);
}

static const char *choose(const char *const *words, size_t n, long long v)
{
    return v >= 0 && (size_t)v < n ? words[v] : "";
}

#define CHOOSE(v, ...)                                                                                                 \
    choose((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (v))

static const char *error_name(struct reading *r, enum tn_error_space space, long long number)
{
    struct tn_facts_error e;
    if (tn_facts_error(space, (int)number, &e) == TN_ANSWER_YES)
        return e.name;
    return tn_arena_printf(&r->s->mem, "error %lld", number);
}

/* "! nvmlInit_v2 18": the call, and its number, or a text where the library could not be opened. */
static bool failed(const struct line *l, const char *call, long long *ret)
{
    if (!tn_str_eq(l->word, "!") || !tn_str_starts(l->rest, call))
        return false;
    const char *last = strrchr(l->rest, ' ');
    char *end;
    *ret = last ? strtoll(last, &end, 10) : 0;
    return last && end != last + 1 && !*end;
}

/* What kept the library from its first call, beside an error of that call. */
static const char *start_trouble(const struct line *l, const char *first)
{
    if (!tn_str_eq(l->word, "!"))
        return NULL;
    if (tn_str_starts(l->rest, "open "))
        return "unloadable";
    const char *last = strrchr(l->rest, ' ');
    return last && tn_str_eq(last, " missing") && tn_str_starts(l->rest, first) ? "foreign" : NULL;
}

/* nvml.h, nvmlClocksEventReason*: bits of what keeps the clock down. */
static void throttle(struct reading *r, struct tn_rec_gpu *g, long long bits)
{
    static const char *const name[] = {"idle",       "application_clocks", "power",       "hw_slowdown",   "sync_boost",
                                       "sw_thermal", "hw_thermal",         "power_brake", "display_clocks"};
    const char *on[TN_LEN(name)];
    size_t n = 0;
    for (unsigned i = 0; i < TN_LEN(name); i++)
        if (bits >> i & 1)
            on[n++] = name[i];
    g->throttle = n ? tn_fact_list(r->s, r->src, on, n) : tn_fact_nolist(r->src, TN_ABSENT);
}

static void card_texts(struct reading *r, struct tn_rec_gpu *g, const struct line *l)
{
    if (tn_str_eq(l->word, "name"))
        say(r, &g->name, l->rest);
    else if (tn_str_eq(l->word, "uuid"))
        say(r, &g->uuid, l->rest);
    else if (tn_str_eq(l->word, "firmware"))
        say(r, &g->firmware, l->rest);
    else if (tn_str_eq(l->word, "capability"))
        say(r, &g->capability, l->rest);
    else if (is(l, "compute_mode", 1))
        say(r, &g->compute_mode, CHOOSE(l->v[0], "default", "exclusive_thread", "prohibited", "exclusive_process"));
    else if (is(l, "fabric", 1))
        say(r, &g->fabric, CHOOSE(l->v[0], "not_supported", "not_started", "in_progress", "completed"));
    else if (is(l, "driver_model", 1))
        say(r, &g->driver_model, CHOOSE(l->v[0], "wddm", "tcc", "mcdm"));
    else if (is(l, "virtualization", 1)) /* nvml.h, nvmlGpuVirtualizationMode_t */
        say(r, &g->virtual, CHOOSE(l->v[0], "none", "passthrough", "vgpu", "host_vgpu", "host_vsga"));
    else if (is(l, "throttle", 1))
        throttle(r, g, l->v[0]);
}

static void card_numbers(struct reading *r, struct tn_rec_gpu *g, const struct line *l)
{
    const struct {
        const char *word;
        struct tn_int *f;
    } one[] = {{"minor", &g->minor},
               {"mig", &g->mig},
               {"mig_devices", &g->mig_devices},
               {"ecc", &g->ecc},
               {"ecc_now", &g->ecc_errors},
               {"pages_pending", &g->pages_pending},
               {"temperature_c", &g->temperature_c},
               {"power_mw", &g->power_mw},
               {"power_limit_mw", &g->power_limit_mw},
               {"clock_mhz", &g->clock_mhz},
               {"clock_max_mhz", &g->clock_max_mhz},
               {"pcie_width", &g->pcie_width},
               {"pcie_width_max", &g->pcie_width_max},
               {"persistence", &g->persistence}};
    for (unsigned i = 0; i < TN_LEN(one); i++)
        if (is(l, one[i].word, 1))
            set(r, one[i].f, l->v[0]);
    if (is(l, "memory", 3)) {
        set(r, &g->memory_bytes, l->v[0]);
        set(r, &g->used_bytes, l->v[1]);
        set(r, &g->free_bytes, l->v[2]);
    } else if (is(l, "rows", 4)) {
        set(r, &g->rows_pending, l->v[2] != 0);
        set(r, &g->rows_failed, l->v[3] != 0);
    } else if (is(l, "nvlink", 2)) {
        set(r, &g->nvlinks_active, l->v[0]);
        set(r, &g->nvlinks, l->v[1]);
    }
}

/* "process c 4711 1073741824 0" */
static void process(struct reading *r, struct tn_rec_gpu *g, const struct line *l)
{
    char *end;
    if (!tn_str_eq(l->word, "process") || (l->rest[0] != 'c' && l->rest[0] != 'g') || l->rest[1] != ' ' ||
        r->s->process.n >= MAX_PROCESSES)
        return;
    long long pid = strtoll(l->rest + 2, &end, 10);
    if (pid <= 0 || *end != ' ')
        return;
    struct tn_rec_process *p = TN_ADD(r->s, process);
    p->pid = tn_fact_int(r->src, pid);
    p->kind = tn_fact_str(r->s, r->src, l->rest[0] == 'c' ? "compute" : "graphics");
    p->gpu = g->bus;
    if (end[1] != '-')
        set(r, &p->memory_bytes, strtoll(end + 1, NULL, 10));
    else
        p->memory_bytes = tn_fact_noint(r->src, TN_ABSENT);
}

static void start(struct reading *r, struct tn_snap *s, uint32_t src)
{
    r->s = s;
    r->src = src;
    r->n_card = 0;
    r->in_card = false;
    r->count = -1;
    for (unsigned i = 0; i < MAX_CARDS; i++) {
        r->row[i] = SIZE_MAX;
        r->refused[i] = 0;
    }
}

/* Cards that could not be reached have no address in the answer. When as many cards of the bus are without an answer as
 * were refused, all by one error, they are those. When nothing was refused, a card without an answer is one that the
 * library does not list. */
static void silent_cards(struct reading *r, bool whole)
{
    long long error = 0;
    size_t refused = 0, silent = 0, known = 0;
    bool same = true;
    for (unsigned i = 0; i < r->n_card; i++) {
        known += r->row[i] != SIZE_MAX;
        if (!r->refused[i])
            continue;
        same = same && (!error || error == r->refused[i]);
        error = r->refused[i];
        refused++;
    }
    for (size_t i = 0; i < r->s->gpu.n; i++)
        silent += tn_says(r->s->gpu.v[i].vendor, "nvidia") && r->s->gpu.v[i].nvml.k == TN_UNASKED;
    bool named = refused && refused == silent && same, unlisted = whole && !refused && r->count == (long long)known;
    for (size_t i = 0; i < r->s->gpu.n && (named || unlisted); i++) {
        struct tn_rec_gpu *g = &r->s->gpu.v[i];
        if (!tn_says(g->vendor, "nvidia") || g->nvml.k != TN_UNASKED)
            continue;
        if (named)
            say(r, &g->nvml, error_name(r, TN_ERROR_NVML, error));
        else
            g->nvml = tn_fact_nostr(r->src, TN_ABSENT);
    }
}

static void nvml_line(struct reading *r, const struct line *l)
{
    struct tn_rec_driver *d = TN_THE(r->s, driver);
    struct tn_rec_gpu *g = card(r);
    long long number;
    const char *trouble = start_trouble(l, "nvmlInit");
    if (is(l, "gpu", 1)) {
        open_card(r, l->v[0]);
    } else if (tn_str_eq(l->word, "opens")) {
        say(r, &d->opens, l->rest);
    } else if (tn_str_eq(l->word, "started")) {
        say(r, &d->nvml, "NVML_SUCCESS");
    } else if (trouble) {
        say(r, &d->nvml, trouble);
    } else if (is(l, "count", 1)) {
        r->count = l->v[0];
    } else if (failed(l, "nvmlInit", &number)) {
        say(r, &d->nvml, error_name(r, TN_ERROR_NVML, number));
    } else if (failed(l, "nvmlDeviceGetHandleByIndex", &number) || failed(l, "nvmlDeviceGetPciInfo", &number)) {
        if (r->in_card)
            r->refused[r->card] = number;
    } else if (g && failed(l, "nvmlDevice", &number) && (number == NVML_GPU_IS_LOST || number == NVML_RESET_REQUIRED)) {
        say(r, &g->nvml, error_name(r, TN_ERROR_NVML, number)); /* its handle was still given */
    } else if (tn_str_eq(l->word, "nvml") && strchr(l->rest, '.')) {
        say(r, &d->nvml_version, strchr(l->rest, '.') + 1); /* 12.535.309.01: CUDA's major, then the driver */
    } else if (tn_str_eq(l->word, "bus")) {
        find_card(r, l->rest);
        if ((g = card(r))) {
            g->index = tn_fact_int(r->src, r->card);
            say(r, &g->nvml, "NVML_SUCCESS");
        }
    } else if (g) {
        card_texts(r, g, l);
        card_numbers(r, g, l);
        process(r, g, l);
    }
}

static void cuda_line(struct reading *r, const struct line *l)
{
    struct tn_rec_driver *d = TN_THE(r->s, driver);
    struct tn_rec_gpu *g = card(r);
    long long number;
    if (is(l, "gpu", 1))
        open_card(r, l->v[0]);
    else if (tn_str_eq(l->word, "started"))
        say(r, &d->cuda_start, "CUDA_SUCCESS");
    else if (start_trouble(l, "cuInit"))
        say(r, &d->cuda_start, start_trouble(l, "cuInit"));
    else if (failed(l, "cuInit", &number))
        say(r, &d->cuda_start, error_name(r, TN_ERROR_DRIVER, number));
    else if (is(l, "count", 1))
        set(r, &d->cuda_devices, r->count = l->v[0]);
    else if (is(l, "cuda", 1) && l->v[0] >= 1000 && l->v[0] < 1000000)
        say(r, &d->cuda, tn_arena_printf(&r->s->mem, "%lld.%lld", l->v[0] / 1000, l->v[0] % 1000 / 10));
    else if (tn_str_eq(l->word, "bus")) {
        find_card(r, l->rest);
        if ((g = card(r)))
            g->cuda_index = tn_fact_int(r->src, r->card);
    } else if (g && tn_str_eq(l->word, "capability"))
        say(r, &g->capability, l->rest);
}

/* "peer 1 1" of each card, when the addresses of all are known. */
static void peers(struct reading *r, struct tn_span text)
{
    struct tn_span one;
    struct line l;
    const char *list[MAX_CARDS];
    size_t n = 0;
    r->in_card = false;
    for (bool more = true; more;) {
        more = tn_span_line(&text, &one);
        if (more)
            cut(&r->s->mem, one, &l);
        if (!more || is(&l, "gpu", 1)) {
            struct tn_rec_gpu *g = card(r);
            if (g && n)
                g->peers = tn_fact_list(r->s, r->src, list, n);
            n = 0;
            if (more)
                open_card(r, l.v[0]);
        } else if (is(&l, "peer", 2) && l.v[0] >= 0 && l.v[0] < r->n_card && l.v[1] == 1 && n < MAX_CARDS &&
                   r->row[l.v[0]] != SIZE_MAX) {
            list[n++] = r->s->gpu.v[r->row[l.v[0]]].bus.v;
        }
    }
}

/* Cards that CUDA does not show, where it said all. */
static void hidden_cards(struct reading *r)
{
    size_t known = 0;
    for (unsigned i = 0; i < r->n_card; i++)
        known += r->row[i] != SIZE_MAX;
    for (size_t i = 0; i < r->s->gpu.n && r->count == (long long)known; i++) {
        struct tn_rec_gpu *g = &r->s->gpu.v[i];
        if (tn_says(g->vendor, "nvidia") && g->cuda_index.k == TN_UNASKED)
            g->cuda_index = tn_fact_noint(r->src, TN_ABSENT);
    }
}

/* "ended late", "ended signal 7": it hung, or it died. Without "end" it died as well, quietly: exit(0) in a library. */
static const char *end_of(const struct line *l)
{
    if (tn_str_eq(l->word, "ended"))
        return tn_str_eq(l->rest, "late") ? "late" : "died";
    return tn_str_eq(l->word, "end") ? NULL : "died";
}

static void each(struct tn_snap *s, struct tn_span text, uint32_t src, struct tn_str *ret_start,
                 void (*line)(struct reading *r, const struct line *l))
{
    struct reading r;
    struct tn_span rest = text, one;
    const char *lost = "died";
    start(&r, s, src);
    while (tn_span_line(&rest, &one)) {
        struct line l;
        cut(&s->mem, one, &l);
        lost = end_of(&l);
        line(&r, &l);
    }
    /* Even after a good start: what hangs or dies at a card is no driver that answers. */
    if (lost)
        *ret_start = tn_fact_str(s, src, lost);
    if (line == cuda_line) {
        peers(&r, text);
        if (!lost)
            hidden_cards(&r);
    } else {
        silent_cards(&r, !lost);
    }
}

void tn_vendor_nvml(struct tn_snap *s, struct tn_span text, uint32_t src)
{
    each(s, text, src, &TN_THE(s, driver)->nvml, nvml_line);
}

void tn_vendor_cuda(struct tn_snap *s, struct tn_span text, uint32_t src)
{
    each(s, text, src, &TN_THE(s, driver)->cuda_start, cuda_line);
}
