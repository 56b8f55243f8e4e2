/* json_shape.c - what a JSON text would cost, before anything is built from it. Knows no JSON library. */
#include "base/json_shape.h"

#include <stdio.h>

#include "base/limits.h"

int tn_json_shape(struct tn_span t, struct tn_err *err)
{
    unsigned depth = 0, line = 1, objects = 0, values = 0;
    size_t start = 0;
    bool in_string = false;
    if (t.n > TN_MAX_JSON_BYTES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "larger than %u MB", TN_MAX_JSON_BYTES >> 20);
    for (size_t i = 0; i < t.n; i++) {
        unsigned char c = t.p[i];
        if (c == '\n') {
            line++;
            start = i + 1;
        }
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == ',') {
            values++;
        } else if (c == '[' || c == '{') {
            objects++;
            if (++depth > TN_MAX_JSON_DEPTH) {
                char place[48];
                snprintf(place, sizeof place, "%u:%lu", line, (unsigned long)(i - start + 1));
                return tn_err_set(err, TN_E_LIMIT, place, "nested deeper than %u levels", TN_MAX_JSON_DEPTH);
            }
        } else if ((c == ']' || c == '}') && depth) {
            depth--;
        }
        if (objects > TN_MAX_JSON_OBJECTS || values > TN_MAX_JSON_VALUES)
            return tn_err_set(err, TN_E_LIMIT, NULL, "more than %u objects or %u values", TN_MAX_JSON_OBJECTS,
                              TN_MAX_JSON_VALUES);
    }
    return 0;
}
