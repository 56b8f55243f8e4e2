/* event_text.c - lines of the NVIDIA driver and of the kernel about graphics cards.
 *
 * Formats: Xid (NVIDIA "XID Errors"); refusals of cards as posted with drivers 280 to 595 (a sentence of several lines,
 * each with NVRM: in front; open-gpu-kernel-modules 595.45.04, rm_is_supported_device and RmFetchGspRmImages); module
 * signatures (kernel/module/signing.c: "Loading of unsigned module is rejected", since 5.12 "nvidia: loading of ...";
 * the lockdown line is the same for a missing signature and an unknown key); files of firmware
 * (drivers/base/firmware_loader/main.c; -2 is ENOENT); nvidia_uvm without addresses for the cards' memory (CUDA 13
 * release notes, known issues; uvm_pmm_gpu.c); suspend (kernel/power/suspend.c, hibernate.c); the out-of-memory
 * killer (mm/oom_kill.c).
 *
 * The log's clock stands still while the machine sleeps, /proc/uptime does not (dmesg(1), "-T": right for messages
 * after the last resume alone; proc(5)). So an event is as old as it seems where the machine never slept, or not since;
 * else nobody can say how old it is. */
#include "probe/event_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define SLACK 2.0 /* seconds: both clocks are read one after the other, to whole seconds */

struct reader {
    struct tn_snap *s;
    uint32_t src;
    struct tn_event_now now;
    bool slept, asleep; /* the log has a line about a suspend; the last one is not its end */
    double sleep;       /* time of the last one */
    char card[32];      /* of the sentence that goes on over several lines */
    bool vgpu;          /* that sentence is about a vGPU */
    double at;          /* of the line; negative: not known */
};

static bool has(struct tn_span line, const char *text)
{
    return tn_span_find(line, 0, text, strlen(text)) != SIZE_MAX;
}

/* Cuts "<6>" and "[   12.345678] " off. */
static struct tn_span strip(struct tn_span line, double *ret_at)
{
    *ret_at = -1;
    if (line.n > 2 && line.p[0] == '<') {
        size_t end = tn_span_find(line, 1, ">", 1);
        if (end != SIZE_MAX && end < 6)
            line = tn_span_from(line, end + 1);
    }
    if (line.n > 2 && line.p[0] == '[') {
        size_t end = tn_span_find(line, 1, "]", 1);
        if (end != SIZE_MAX && end < 24) {
            char number[24];
            memcpy(number, line.p + 1, end - 1);
            number[end - 1] = 0;
            char *stop;
            double v = strtod(number, &stop);
            if (stop != number && v >= 0)
                *ret_at = v;
            line = tn_span_from(line, end + 1);
        }
    }
    return tn_span_trim(line);
}

/* "0000:01:00" or "0000:01:00.0" at p: to "0000:01:00.0". */
static bool bus_at(struct tn_span line, size_t at, char *ret)
{
    char text[16];
    size_t n = 0;
    while (at + n < line.n && n < 12 && strchr("0123456789abcdefABCDEF:.", line.p[at + n]) && line.p[at + n])
        n++;
    if (n < 10 || line.p[at + 4] != ':' || line.p[at + 7] != ':')
        return false;
    memcpy(text, line.p + at, n);
    text[n] = 0;
    memcpy(ret, text, 10);
    memcpy(ret + 10, n == 12 && text[10] == '.' ? text + 10 : ".0", 3);
    for (char *c = ret; *c; c++)
        if (*c >= 'A' && *c <= 'F')
            *c = (char)(*c + ('a' - 'A'));
    return true;
}

static bool bus_after(struct tn_span line, const char *text, char *ret)
{
    size_t at = tn_span_find(line, 0, text, strlen(text));
    return at != SIZE_MAX && bus_at(line, at + strlen(text), ret);
}

static long long number_after(struct tn_span line, const char *text)
{
    size_t at = tn_span_find(line, 0, text, strlen(text));
    long long v = -1;
    for (at = at == SIZE_MAX ? line.n : at + strlen(text); at < line.n && tn_is_digit((char)line.p[at]) && v < 100000;
         at++)
        v = (v < 0 ? 0 : v) * 10 + (line.p[at] - '0');
    return v;
}

struct tn_rec_event *tn_event_row(struct tn_snap *s, const char *kind, long long code, const char *card, uint32_t src)
{
    struct tn_rec_event *e = NULL;
    for (size_t i = 0; i < s->event.n && !e; i++) {
        struct tn_rec_event *old = &s->event.v[i];
        bool same_card = *card ? tn_says(old->gpu, card) : old->gpu.k != TN_KNOWN;
        bool same_code = code < 0 ? old->code.k != TN_KNOWN : tn_is(old->code, code);
        if (tn_says(old->kind, kind) && same_card && same_code)
            e = old;
    }
    if (!e)
        e = s->event.n < TN_MAX_EVENTS ? TN_ADD(s, event) : NULL;
    if (!e)
        return NULL;
    e->kind = tn_fact_str(s, src, kind);
    e->code = code < 0 ? tn_fact_noint(src, TN_ABSENT) : tn_fact_int(src, code);
    e->gpu = *card ? tn_fact_str(s, src, card) : tn_fact_nostr(src, TN_ABSENT);
    e->count = tn_fact_int(src, e->count.k == TN_KNOWN ? e->count.v + 1 : 1);
    return e;
}

static void add(struct reader *r, const char *kind, long long code, const char *card, struct tn_span line)
{
    struct tn_rec_event *e = tn_event_row(r->s, kind, code, card, r->src);
    if (!e)
        return;
    e->at_ms = r->at >= 0 ? tn_fact_int(r->src, (int64_t)(r->at * 1000)) : tn_fact_noint(r->src, TN_ABSENT);
    e->text = tn_fact_strn(r->s, r->src, line.p, line.n < 300 ? line.n : 300);
}

/* "NVRM: Xid (PCI:0000:01:00): 79, pid=..., GPU has fallen off the bus." */
static void xid(struct reader *r, struct tn_span line)
{
    char card[32] = "";
    if (!bus_after(line, "Xid (PCI:", card))
        bus_after(line, "Xid (", card);
    long long code = number_after(line, "): ");
    if (code > 0 && code < 10000)
        add(r, "xid", code, card, line);
}

static void driver_line(struct reader *r, struct tn_span line)
{
    char card[32] = "";
    if (has(line, "Xid (")) {
        xid(r, line);
        return;
    }
    if (bus_after(line, "NVIDIA vGPU ", card) || bus_after(line, "GPU ", card)) {
        memcpy(r->card, card, sizeof card);
        r->vgpu = has(line, "NVIDIA vGPU ");
    } else if (has(line, "GPU installed in this system"))
        r->card[0] = 0;
    if (has(line, "fallen off the bus"))
        add(r, "lost", -1, r->card, line);
    else if (has(line, "not supported by open"))
        add(r, r->vgpu ? "vgpu_guest" : "needs_closed", -1, r->card, line);
    else if (has(line, "in this vGPU host system is not supported by"))
        add(r, "vgpu_host", -1, r->card, line);
    else if (has(line, "No firmware image found"))
        add(r, "firmware", -1, "", line);
    else if (has(line, "in this system is not supported by the"))
        add(r, "unsupported", -1, r->card, line);
    else if (has(line, "supported through the NVIDIA "))
        add(r, "legacy", number_after(line, "supported through the NVIDIA "), r->card, line);
    else if (has(line, "requires use of the NVIDIA open"))
        add(r, "needs_open", -1, r->card, line);
    else if (has(line, "RmInitAdapter failed!"))
        add(r, "init_failed", -1, r->card, line);
    else if (has(line, "API mismatch"))
        add(r, "mismatch", -1, "", line);
}

/* "loading of module with unavailable key is rejected", of a module of ours or of one that is not named. */
static bool rejected(struct tn_span line, bool *ret_key)
{
    size_t at = tn_span_find(line, 0, "oading of ", 10), from;
    *ret_key = has(line, "with unavailable key is rejected");
    if (at == SIZE_MAX || at == 0 || !(*ret_key || has(line, "unsigned module is rejected")))
        return false;
    if (at < 4) /* nobody is named in front */
        return true;
    size_t end = at - 3; /* "nvidia: loading of": the name ends before the colon */
    for (from = end; from > 0 && line.p[from - 1] != ' ';)
        from--;
    struct tn_span name = tn_span_of(line.p + from, end - from);
    return tn_span_starts(name, "nvidia") || tn_span_eq(name, "kernel"); /* of a journal */
}

static void bus_in(struct tn_span line, char *card)
{
    for (size_t i = 0; i + 12 <= line.n && !*card; i++)
        bus_at(line, i, card);
}

static void kernel_line(struct reader *r, struct tn_span line)
{
    char card[32] = "";
    bool key;
    if (rejected(line, &key))
        add(r, key ? "key_rejected" : "rejected", -1, "", line);
    else if (has(line, "unsigned module loading is restricted"))
        add(r, "rejected", -1, "", line);
    else if (has(line, "firmware load for nvidia/") && has(line, "failed with error -2"))
        add(r, "firmware", -1, "", line);
    else if (has(line, "PM: suspend entry") || has(line, "PM: hibernation: hibernation entry"))
        add(r, "suspend", -1, "", line);
    else if (has(line, "nvidia-uvm: Loaded the UVM driver"))
        add(r, "uvm_loaded", -1, "", line);
    else if (has(line, "nvidia-uvm: ") && has(line, "request_free_mem_region() err"))
        add(r, "uvm_region", -1, "", line);
    else if (has(line, "Out of memory: Killed"))
        add(r, "oom", -1, "", line);
    else if (has(line, "PCIe Bus Error: severity=Uncorrect")) {
        bus_in(line, card);
        add(r, "aer", -1, card, line);
    }
}

/* The last line about a suspend, with its time. */
static void note_sleep(struct reader *r, struct tn_span line)
{
    if (!has(line, "PM: suspend e") && !has(line, "PM: hibernation: hibernation e"))
        return;
    r->asleep = !has(line, " exit");
    r->sleep = r->at;
    r->slept = true;
}

/* Seconds ago, where that can be said. */
static struct tn_int age_of(const struct reader *r, double at)
{
    double up = r->now.up, awake = r->now.awake, now = awake >= 0 ? awake : up;
    bool after = r->slept && !r->asleep && r->sleep >= 0 && at >= r->sleep;
    bool told = awake < 0 ? !r->slept : after || (up >= 0 && up - awake < SLACK);
    if (now < 0 || at > now || now > 1e12)
        return (struct tn_int){0};
    return told ? tn_fact_int(r->src, (int64_t)(now - at)) : tn_fact_noint(r->src, TN_ABSENT);
}

void tn_event_read(struct tn_snap *s, struct tn_span text, struct tn_event_now now, uint32_t src)
{
    struct reader r = {.s = s, .src = src, .now = now};
    struct tn_span line;
    size_t first = s->event.n;
    while (tn_span_line(&text, &line)) {
        line = strip(line, &r.at);
        note_sleep(&r, line);
        if (has(line, "NVRM: "))
            driver_line(&r, line);
        else
            kernel_line(&r, line);
    }
    for (size_t i = first; i < s->event.n; i++)
        if (s->event.v[i].at_ms.k == TN_KNOWN)
            s->event.v[i].age_s = age_of(&r, (double)s->event.v[i].at_ms.v / 1000);
}
