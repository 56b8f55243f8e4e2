/* replay.c - "2.3 s / 10": a time that somebody printed for several runs together, put right. */
#include <string.h>

#include "base/str.h"
#include "bench/bench.h"

static const char *blanks(const char *s)
{
    return s + strspn(s, " \t");
}

/* A decimal number with a point; at most 15 digits. */
static const char *number(const char *s, double *ret)
{
    double v = 0, place = 1;
    unsigned digits = 0;
    bool point = false;
    for (; tn_is_digit(*s) || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        v = v * 10 + (*s - '0');
        place *= point ? 10 : 1;
        digits++;
    }
    *ret = v / place;
    return digits && digits <= 15 ? s : NULL;
}

static const char *unit(const char *s, double *scale)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6}, {"min", 60},
                 {"sec", 1},   {"s", 1},     {"\xe7\xa7\x92", 1}};
    *scale = 1;
    for (unsigned i = 0; i < TN_LEN(units); i++)
        if (tn_str_starts(s, units[i].name)) {
            *scale = units[i].scale;
            return s + strlen(units[i].name);
        }
    return s;
}

bool tn_bench_replay(const char *text, struct tn_bench_replay *ret)
{
    double total, runs = 1, scale;
    const char *s = number(blanks(text), &total);
    if (!s)
        return false;
    s = blanks(unit(blanks(s), &scale));
    if (*s == '/') {
        s = number(blanks(s + 1), &runs);
        s = s ? blanks(s) : NULL;
    }
    const unsigned whole = runs >= 1 && runs <= 1e9 ? (unsigned)runs : 0;
    if (!s || *s || total <= 0 || !whole || runs > whole)
        return false;
    *ret = (struct tn_bench_replay){total * scale, total * scale / whole, whole};
    return true;
}
