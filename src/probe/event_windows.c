/* event_windows.c - Windows' events of graphics cards out of their XML: resets after a deadline (TDR), exceptions of
 * the card, crashes.
 *
 * Formats: the event schema of Windows as EvtRender and wevtutil write it. nvlddmkm has no texts of its own, what it
 * says are its data: "\Device\Video3", then "Resetting TDR occurred on GPUID:100", "Error occurred on GPUID: 100"
 * (153), "Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Out Of Range Address" (13, the words of Linux' Xid 13) as
 * posted with drivers 353 to 596. GPUID is domain, bus and device in one number (open-gpu-kernel-modules, gpu_mgr.c:
 * domain << 16 | bus << 8 | device), hexadecimal. Display 4101: "Display driver %1 stopped responding and has
 * successfully recovered". A crash: "0x00000116 (0xffff..., ...)" (Microsoft, Bug Check 0x116 VIDEO_TDR_FAILURE, 0x117
 * VIDEO_TDR_TIMEOUT_DETECTED, 0x119 VIDEO_SCHEDULER_INTERNAL_ERROR). */
#include "probe/event_text.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define MAX_TEXT 300u

static size_t find(struct tn_span s, size_t from, const char *text)
{
    return tn_span_find(s, from, text, strlen(text));
}

static bool has(struct tn_span s, const char *text)
{
    return find(s, 0, text) != SIZE_MAX;
}

/* The value of an attribute of an element: <Provider Name='nvlddmkm'/>, with either kind of quotes. */
static struct tn_span attribute(struct tn_span xml, const char *element, const char *name)
{
    size_t at = find(xml, 0, element), end = at == SIZE_MAX ? at : find(xml, at, ">");
    if (end == SIZE_MAX)
        return tn_span_of(NULL, 0);
    struct tn_span tag = tn_span_of(xml.p + at, end - at);
    at = find(tag, 0, name);
    size_t open = at == SIZE_MAX ? at : at + strlen(name);
    if (open >= tag.n || (tag.p[open] != '\'' && tag.p[open] != '"'))
        return tn_span_of(NULL, 0);
    char quote[] = {(char)tag.p[open], 0};
    size_t close = find(tag, open + 1, quote);
    return close == SIZE_MAX ? tn_span_of(NULL, 0) : tn_span_of(tag.p + open + 1, close - open - 1);
}

/* What stands in the next element of this name; *at moves behind it. */
static bool content(struct tn_span xml, const char *open, const char *close, size_t *at, struct tn_span *ret)
{
    size_t start = find(xml, *at, open), from = start == SIZE_MAX ? start : find(xml, start, ">");
    if (from == SIZE_MAX)
        return false;
    if (xml.p[from - 1] == '/') { /* <Data/> */
        *at = from + 1;
        *ret = tn_span_of(NULL, 0);
        return true;
    }
    size_t end = find(xml, from + 1, close);
    if (end == SIZE_MAX)
        return false;
    *ret = tn_span_of(xml.p + from + 1, end - from - 1);
    *at = end + strlen(close);
    return true;
}

/* Text of XML without its entities: only those five that EvtRender writes. */
static size_t plain(struct tn_span from, char *ret, size_t room)
{
    static const struct {
        char name[8], c;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    size_t n = 0;
    for (size_t i = 0; i < from.n && n + 1 < room;) {
        size_t step = 1;
        char c = (char)from.p[i];
        for (unsigned k = 0; c == '&' && step == 1 && k < TN_LEN(entities); k++)
            if (tn_span_starts(tn_span_from(from, i), entities[k].name)) {
                step = strlen(entities[k].name);
                c = entities[k].c;
            }
        ret[n++] = c;
        i += step;
    }
    ret[n] = '\0';
    return n;
}

static bool two(struct tn_span s, size_t at, unsigned *ret)
{
    uint64_t v;
    if (at + 2 > s.n || !tn_str_u64((const char *)s.p + at, 2, 10, &v))
        return false;
    *ret = (unsigned)v;
    return true;
}

/* "2023-02-09T15:15:31.3464479Z": seconds since 1970 (days by the civil calendar); -1: not such a time. */
static int64_t time_of(struct tn_span s)
{
    unsigned century, rest, month, day, hour, minute, second;
    if (s.n < 20 || s.p[s.n - 1] != 'Z' || s.p[4] != '-' || s.p[10] != 'T' || !two(s, 0, &century) ||
        !two(s, 2, &rest) || !two(s, 5, &month) || !two(s, 8, &day) || !two(s, 11, &hour) || !two(s, 14, &minute) ||
        !two(s, 17, &second) || month < 1 || month > 12 || century < 16)
        return -1;
    int64_t year = (int64_t)century * 100 + rest - (month <= 2);
    int64_t in_year = (153 * (int64_t)((month + 9) % 12) + 2) / 5 + day - 1; /* the year begins in March */
    int64_t days = year * 365 + year / 4 - year / 100 + year / 400 + in_year - 719468;
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

/* The hexadecimal number at this place, of at most eight digits. */
static bool hex(struct tn_span text, size_t at, uint64_t *ret)
{
    size_t n = 0;
    while (at + n < text.n && n < 8 && text.p[at + n] && strchr("0123456789abcdefABCDEF", text.p[at + n]))
        n++;
    return n > 0 && tn_str_u64((const char *)text.p + at, n, 16, ret);
}

/* "GPUID:100", "GPUID: 100" -> "0000:01:00.0"; "" where none is named or it has no bus (a virtual machine's). */
static void card_of(struct tn_span text, char ret[16])
{
    size_t at = find(text, 0, "GPUID:");
    uint64_t id;
    ret[0] = '\0';
    if (at != SIZE_MAX && hex(tn_span_trim(tn_span_from(text, at + 6)), 0, &id) && id >= 0x100)
        snprintf(ret, 16, "%04x:%02x:%02x.0", (unsigned)(id >> 16) & 0xffff, (unsigned)(id >> 8) & 0xff,
                 (unsigned)id & 0x1f);
}

struct event {
    struct tn_span provider;
    uint64_t id;
    int64_t at; /* seconds since 1970; -1 not known */
    char text[MAX_TEXT];
    size_t n;
};

/* The event in one line, "nvlddmkm 153: \Device\Video3 Resetting TDR occurred on GPUID:100". */
static bool read_event(struct tn_span xml, struct event *e)
{
    struct tn_span id, data;
    size_t at = 0;
    e->provider = attribute(xml, "<Provider", "Name=");
    e->at = time_of(attribute(xml, "<TimeCreated", "SystemTime="));
    if (!e->provider.n || !content(xml, "<EventID", "</EventID>", &at, &id) ||
        !tn_str_u64((const char *)id.p, id.n, 10, &e->id) || e->id > 0xffff)
        return false;
    e->n = (size_t)snprintf(e->text, sizeof e->text, "%.*s %u:", (int)(e->provider.n < 64 ? e->provider.n : 64),
                            (const char *)e->provider.p, (unsigned)e->id);
    while (e->n + 2 < MAX_TEXT && content(xml, "<Data", "</Data>", &at, &data)) {
        if (data.n)
            e->text[e->n++] = ' ';
        e->n += plain(data, e->text + e->n, MAX_TEXT - e->n);
    }
    return true;
}

/* What it is, and its number; NULL: nothing of ours. */
static const char *kind_of(const struct event *e, long long *ret_code)
{
    struct tn_span text = tn_span_of(e->text, e->n);
    uint64_t code;
    *ret_code = (long long)e->id;
    if (tn_span_eq(e->provider, "Display"))
        return e->id == 4101 && has(text, "nvlddmkm") ? "tdr" : NULL;
    if (tn_span_eq(e->provider, "Microsoft-Windows-WER-SystemErrorReporting")) {
        size_t at = find(text, 0, "0x");
        *ret_code = at != SIZE_MAX && hex(text, at + 2, &code) ? (long long)code : 0;
        return *ret_code == 0x116 || *ret_code == 0x117 || *ret_code == 0x119 ? "bugcheck" : NULL;
    }
    if (!tn_span_eq(e->provider, "nvlddmkm"))
        return NULL;
    if (has(text, "TDR occurred"))
        return "tdr";
    if (has(text, "fallen off the bus")) {
        *ret_code = -1;
        return "lost";
    }
    if (has(text, "Exception") && e->id == 13)
        return "xid";
    return "nvlddmkm";
}

void tn_event_read_windows(struct tn_snap *s, struct tn_span text, int64_t now, uint32_t src)
{
    struct tn_span line;
    struct event e;
    char card[16];
    long long code;
    while (tn_span_line(&text, &line)) {
        const char *kind = read_event(line, &e) ? kind_of(&e, &code) : NULL;
        if (!kind)
            continue;
        card_of(tn_span_of(e.text, e.n), card);
        struct tn_rec_event *row = tn_event_row(s, kind, code, card, src);
        bool told = now >= 0 && e.at >= 0 && e.at <= now;
        if (!row || (row->text.k == TN_KNOWN && (!told || (row->age_s.k == TN_KNOWN && row->age_s.v <= now - e.at))))
            continue;
        row->age_s = told ? tn_fact_int(src, now - e.at) : tn_fact_noint(src, TN_ABSENT);
        row->at_ms = tn_fact_noint(src, TN_ABSENT);
        row->text = tn_fact_strn(s, src, e.text, e.n);
    }
}
