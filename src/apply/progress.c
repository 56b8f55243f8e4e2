/* progress.c - see progress.h.
 *
 * pip, _internal/network/download.py and utils/misc.py (format_size): "Downloading NAME (1.2 MB)", decimal units, "12
 * kB", "900 bytes"; one file at a time. uv, crates/uv/src/commands/reporters.rs: "Downloading NAME (1.2MiB)", binary
 * units, for files of more than 1 MiB, many at once; " Downloaded NAME" (before 0.8: "Downloaded NAME"). */
#include "apply/progress.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/str.h"

#define SAMPLE_US 1000000u
#define WINDOW_US 2000000u /* a rate over less is noise */

static bool take(struct tn_span *s, const char *word)
{
    if (!tn_span_starts(*s, word))
        return false;
    *s = tn_span_from(*s, strlen(word));
    return true;
}

/* "797.2 MB", "760.1MiB"; 0: none. *ret_binary: uv's units. */
static uint64_t size_of(struct tn_span s, bool *ret_binary)
{
    static const struct {
        const char *unit;
        uint64_t bytes;
        bool binary;
    } units[] = {{"bytes", 1, false},     {"kB", 1000, false},     {"MB", 1000000, false}, {"GB", 1000000000, false},
                 {"KiB", 1u << 10, true}, {"MiB", 1u << 20, true}, {"GiB", 1u << 30, true}};
    uint64_t whole = 0, tenths = 0;
    size_t i = 0;
    for (; i < s.n && i < 9 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
        whole = whole * 10 + (uint64_t)(s.p[i] - '0');
    if (i == 0)
        return 0;
    if (i + 1 < s.n && s.p[i] == '.' && s.p[i + 1] >= '0' && s.p[i + 1] <= '9') {
        tenths = (uint64_t)(s.p[i + 1] - '0');
        i += 2;
    }
    struct tn_span unit = tn_span_trim(tn_span_from(s, i));
    for (size_t k = 0; k < TN_LEN(units); k++)
        if (unit.n == strlen(units[k].unit) && tn_span_starts(unit, units[k].unit)) {
            *ret_binary = units[k].binary;
            return whole * units[k].bytes + tenths * units[k].bytes / 10;
        }
    return 0;
}

static void keep(char *to, size_t size, struct tn_span s)
{
    snprintf(to, size, "%.*s", (int)(s.n < size ? s.n : size - 1), (const char *)s.p);
}

static void announce(struct tn_progress *p, struct tn_span name, uint64_t size, bool several)
{
    p->announced++;
    p->total += size;
    p->several = several;
    for (size_t i = name.n; i-- > 0;) /* of another index than the public one pip names the whole address */
        if (name.p[i] == '/') {
            name = tn_span_from(name, i + 1);
            break;
        }
    keep(p->name, sizeof p->name, name);
    if (!several) {
        p->now = 0;
        p->of = size;
        p->n_sample = 0;
        return;
    }
    p->of += size;
    if (p->n_open < TN_PROGRESS_OPEN) {
        keep(p->open[p->n_open].name, sizeof p->open[0].name, name);
        p->open[p->n_open++].size = size;
    }
}

static void done(struct tn_progress *p, struct tn_span name)
{
    for (unsigned i = 0; i < p->n_open; i++)
        if (strlen(p->open[i].name) == name.n && memcmp(p->open[i].name, name.p, name.n) == 0) {
            p->now += p->open[i].size;
            p->open[i] = p->open[--p->n_open];
            break;
        }
}

bool tn_progress_line(struct tn_progress *p, struct tn_span line)
{
    line = tn_span_trim(line);
    if (take(&line, "Downloaded ")) {
        done(p, tn_span_trim(line));
        return false;
    }
    size_t open = take(&line, "Downloading ") ? tn_span_find(line, 0, " (", 2) : line.n;
    if (open < line.n && line.p[line.n - 1] == ')') {
        struct tn_span inside = tn_span_from(line, open + 2);
        bool binary = false;
        inside.n--;
        uint64_t size = size_of(inside, &binary);
        line.n = open;
        if (size)
            announce(p, line, size, binary);
        return size != 0;
    }
    if (!p->several) /* whatever pip does next, this file is there */
        p->of = p->now = 0;
    else if (tn_span_starts(line, "Prepared ") || tn_span_starts(line, "Installed "))
        p->of = p->now = 0;
    return false;
}

void tn_progress_told(struct tn_progress *p, const char *file, uint64_t now, uint64_t of)
{
    if (strcmp(p->name, file) != 0)
        p->n_sample = 0;
    p->told = true;
    p->several = false;
    keep(p->name, sizeof p->name, tn_span_str(file));
    p->now = now;
    p->of = of;
}

void tn_progress_seen(struct tn_progress *p, uint64_t us, uint64_t bytes)
{
    if (!p->several && !p->told)
        p->now = bytes < p->of ? bytes : p->of;
    if (p->n_sample && us - p->sample[p->n_sample - 1].us < SAMPLE_US)
        return;
    if (p->n_sample == TN_PROGRESS_SAMPLES)
        memmove(p->sample, p->sample + 1, --p->n_sample * sizeof p->sample[0]);
    p->sample[p->n_sample].us = us;
    p->sample[p->n_sample++].bytes = p->now;
}

uint64_t tn_progress_rate(const struct tn_progress *p)
{
    if (!p->of || p->n_sample < 2)
        return 0;
    uint64_t us = p->sample[p->n_sample - 1].us - p->sample[0].us;
    uint64_t last = p->sample[p->n_sample - 1].bytes, first = p->sample[0].bytes;
    return us < WINDOW_US || last <= first ? 0 : (last - first) * 1000000u / us;
}

uint64_t tn_progress_left(const struct tn_progress *p)
{
    uint64_t rate = tn_progress_rate(p);
    return !rate || p->now >= p->of ? 0 : (p->of - p->now + rate - 1) / rate;
}
