/* json.c - see json.h. */
#include "snapshot/json.h"

#include <stdint.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_shape.h"
#include "base/limits.h"
#include "base/str.h"

void tn_json_seed(void)
{
    /* An address is different in each process where addresses are randomised: enough against prepared collisions. */
    int here;
    size_t seed = (size_t)((uintptr_t)&here >> 4) ^ (size_t)((uintptr_t)&tn_json_seed >> 4);
    json_object_seed(seed ? seed : 1);
}

json_t *tn_json_must(json_t *j)
{
    if (!j)
        tn_oom();
    return j;
}

void tn_json_set(json_t *object, const char *key, json_t *value)
{
    if (!value || json_object_set_new_nocheck(object, key, value) != 0)
        tn_oom();
}

void tn_json_append(json_t *array, json_t *value)
{
    if (!value || json_array_append_new(array, value) != 0)
        tn_oom();
}

json_t *tn_json_load(struct tn_span text, struct tn_err *err)
{
    json_error_t e;
    char place[48];
    if (tn_span_starts(text, "\xFF\xFE") || tn_span_starts(text, "\xFE\xFF")) {
        tn_err_set(err, TN_E_FORMAT, "1:1", "the text is UTF-16; JSON is UTF-8 (PowerShell: -Encoding utf8)");
        return NULL;
    }
    if (tn_span_starts(text, "\xEF\xBB\xBF"))
        text = tn_span_from(text, 3);
    if (tn_json_shape(text, err))
        return NULL;
    tn_json_seed();
    json_t *j = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES, &e);
    if (j)
        return j;
    if (json_error_code(&e) == json_error_out_of_memory)
        tn_oom();
    char *near = strstr(e.text, " near '"); /* what follows is the file's own bytes */
    if (near)
        *near = 0;
    snprintf(place, sizeof place, "%d:%d", e.line, e.column);
    tn_err_set(err, TN_E_FORMAT, place, "%s", e.text);
    return NULL;
}

static int dump_piece(const char *p, size_t n, void *ctx)
{
    tn_buf_add(ctx, p, n);
    return 0;
}

/* Characters that act on a terminal or on the reading order; jansson escapes only those below 0x20. */
static bool acts(uint32_t c)
{
    return (c >= 0x7F && c < 0xA0) || c == 0x061C || (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void tn_json_dump(struct tn_buf *ret, const json_t *j, unsigned indent)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (json_dump_callback(j, dump_piece, &b,
                           JSON_ENCODE_ANY | JSON_REAL_PRECISION(12) | JSON_INDENT((size_t)indent)) != 0)
        tn_oom();
    for (size_t i = 0, k; i < b.n; i += k) {
        uint32_t c;
        k = tn_utf8_next(b.p + i, b.n - i, &c);
        if (acts(c))
            tn_buf_printf(ret, "\\u%04x", (unsigned)c);
        else
            tn_buf_add(ret, b.p + i, k);
    }
    tn_buf_deinit(&b);
}

/* The bytes for people: what is no UTF-8 as \xNN. */
static json_t *shown(const char *s, size_t n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t c;
        k = tn_utf8_next(s + i, n - i, &c);
        if (c == 0xFFFD && k == 1)
            tn_buf_printf(&b, "\\x%02x", (unsigned char)s[i]);
        else
            tn_buf_add(&b, s + i, k);
    }
    json_t *j = json_stringn_nocheck(b.p, b.n);
    tn_buf_deinit(&b);
    return tn_json_must(j);
}

json_t *tn_json_text(const char *s)
{
    size_t n = strlen(s);
    if (tn_utf8_valid(s, n))
        return tn_json_must(json_stringn_nocheck(s, n));
    struct tn_buf b;
    json_t *o = tn_json_must(json_object());
    tn_buf_init(&b);
    tn_base64_encode(&b, tn_span_of(s, n));
    tn_json_set(o, "bytes", json_stringn_nocheck(b.p, b.n));
    tn_json_set(o, "text", shown(s, n));
    tn_buf_deinit(&b);
    return o;
}

const char *tn_json_untext(struct tn_arena *mem, const json_t *j, const char **ret_why)
{
    const json_t *bytes = json_object_get(j, "bytes");
    const char *copy = NULL;
    *ret_why = "expected a text, or {\"bytes\": base64}";
    if (json_is_string(j)) {
        *ret_why = "a text that is too long";
        if (json_string_length(j) <= TN_MAX_SMALL_FILE)
            copy = tn_arena_strndup(mem, json_string_value(j), json_string_length(j));
    } else if (json_is_string(bytes)) {
        struct tn_buf b;
        tn_buf_init(&b);
        if (json_string_length(bytes) > TN_MAX_SMALL_FILE / 3 * 4)
            *ret_why = "a text that is too long";
        else if (tn_base64_decode(&b, tn_span_of(json_string_value(bytes), json_string_length(bytes)), NULL))
            *ret_why = "bytes that are no base64";
        else if (memchr(b.p, 0, b.n))
            *ret_why = "a text with a NUL inside";
        else
            copy = tn_arena_strndup(mem, b.p, b.n);
        tn_buf_deinit(&b);
    }
    return copy;
}
