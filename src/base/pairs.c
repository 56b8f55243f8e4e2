/* pairs.c - see pairs.h. */
#include "base/pairs.h"

#include <stdint.h>
#include <string.h>

struct tn_span tn_pairs_value(struct tn_span line, const char *key)
{
    size_t n = strlen(key), end = tn_span_find(line, 0, " text=", 6);
    const bool text = strcmp(key, "text") == 0;
    for (size_t at = 0; (at = tn_span_find(line, at, " ", 1)) != SIZE_MAX; at++) {
        struct tn_span rest = tn_span_from(line, at + 1);
        if (end != SIZE_MAX && at >= end && !(text && at == end))
            break;
        if (!tn_span_starts(rest, key) || rest.n <= n || rest.p[n] != '=')
            continue;
        struct tn_span value = tn_span_from(rest, n + 1);
        size_t stop = text ? SIZE_MAX : tn_span_find(value, 0, " ", 1);
        return tn_span_of(value.p, stop == SIZE_MAX ? value.n : stop);
    }
    return tn_span_of("", 0);
}
