/* prefix.c - see prefix.h. */
#include "apply/prefix.h"

#include <jansson.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "snapshot/json.h"

static bool text_moved(struct tn_span text, struct tn_span from, const char *to, struct tn_buf *ret)
{
    size_t at = 0, next;
    while ((next = tn_span_find(text, at, from.p, from.n)) < text.n) {
        tn_buf_add(ret, text.p + at, next - at);
        tn_buf_str(ret, to);
        at = next + from.n;
    }
    if (at)
        tn_buf_add(ret, text.p + at, text.n - at);
    return at != 0;
}

/* Each string that names it, up to its NUL, is replaced within itself and filled up. */
static void binary_moved(struct tn_span text, struct tn_span from, const char *to, struct tn_buf *ret)
{
    size_t at = 0, next, base = ret->n;
    while ((next = tn_span_find(text, at, from.p, from.n)) < text.n) {
        const uint8_t *nul = memchr(text.p + next, 0, text.n - next);
        size_t end = nul ? (size_t)(nul - text.p) : text.n;
        tn_buf_add(ret, text.p + at, next - at);
        text_moved(tn_span_of(text.p + next, end - next), from, to, ret);
        while (ret->n - base < end)
            tn_buf_ch(ret, '\0');
        at = end;
    }
    tn_buf_add(ret, text.p + at, text.n - at);
}

/* A string of marshal that begins with the place: its type and length stand before it, one byte of length for the
 * short types, four for the others; the type may be marked for reference (0x80). */
static size_t head_of(struct tn_span text, size_t floor, size_t at, size_t least, uint64_t *ret_n)
{
    const uint8_t *p = text.p + at;
    if (at - floor >= 2 && memchr("zZ", p[-2] & 0x7F, 2) && p[-1] >= least && p[-1] <= text.n - at) {
        *ret_n = p[-1];
        return 1;
    }
    if (at - floor >= 5 && memchr("aAuts", p[-5] & 0x7F, 5)) {
        *ret_n = (uint64_t)p[-4] | (uint64_t)p[-3] << 8 | (uint64_t)p[-2] << 16 | (uint64_t)p[-1] << 24;
        return *ret_n >= least && *ret_n <= text.n - at ? 4 : 0;
    }
    return 0;
}

static bool module_moved(struct tn_span text, struct tn_span from, const char *to, struct tn_buf *ret)
{
    size_t at = 0, next, less = from.n - strlen(to);
    while ((next = tn_span_find(text, at, from.p, from.n)) < text.n) {
        uint64_t n = 0;
        size_t head = head_of(text, at, next, from.n, &n);
        if (!head)
            return false;
        tn_buf_add(ret, text.p + at, next - head - at);
        for (size_t i = 0; i < head; i++)
            tn_buf_ch(ret, (char)((n - less) >> (8 * i) & 0xFF));
        tn_buf_str(ret, to);
        at = next + from.n;
    }
    tn_buf_add(ret, text.p + at, text.n - at);
    return true;
}

/* A console script of Windows: a program, "#!" with the interpreter, a zip, which is found from its end (pip's vendored
 * distlib, scripts.py): what stands between them may be of any length. */
static bool is_launcher(const char *path, struct tn_span text, struct tn_span from)
{
    size_t at = tn_span_find(text, 0, from.p, from.n), quote = at && text.p[at - 1] == '"';
    return tn_str_ends(path, ".exe") && at >= 2 + quote && memcmp(text.p + at - quote - 2, "#!", 2) == 0;
}

enum tn_prefix_found tn_prefix_move(const char *path, struct tn_span text, const char *from, const char *to,
                                    struct tn_buf *ret)
{
    struct tn_span f = tn_span_of(from, strlen(from));
    if (tn_span_find(text, 0, f.p, f.n) >= text.n)
        return TN_PREFIX_NONE;
    if (tn_str_ends(path, ".pyc")) {
        size_t was = ret->n;
        if (module_moved(text, f, to, ret))
            return TN_PREFIX_MOVED;
        ret->n = was;
        return TN_PREFIX_UNSAID;
    }
    if (memchr(text.p, 0, text.n) && !is_launcher(path, text, f))
        binary_moved(text, f, to, ret);
    else
        text_moved(text, f, to, ret);
    return TN_PREFIX_MOVED;
}

static const struct tn_prefix_file *find(const struct tn_prefix_file *file, size_t n, const char *path)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = strcmp(file[mid].path, path);
        if (c == 0)
            return &file[mid];
        *(c < 0 ? &low : &high) = c < 0 ? mid + 1 : mid;
    }
    return NULL;
}

static const char *hex_of(const unsigned char *digest, char ret[65])
{
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 0; i < 32; i++) {
        ret[2 * i] = digits[digest[i] >> 4];
        ret[2 * i + 1] = digits[digest[i] & 15];
    }
    ret[64] = 0;
    return ret;
}

/* Of a file in which the package's placeholder was replaced, "sha256" and size are those in the package; of one that
 * was made in place (an entry point), its own. */
static bool is_now(json_t *entry, const struct tn_prefix_file *f)
{
    bool in_package = json_object_get(entry, "prefix_placeholder") != NULL, any = false;
    const char *keys[] = {"sha256_in_prefix", in_package ? "" : "sha256"};
    char hex[65];
    for (unsigned i = 0; i < TN_LEN(keys); i++)
        if (json_is_string(json_object_get(entry, keys[i]))) {
            json_object_set_new(entry, keys[i], json_string(hex_of(f->sha256, hex)));
            any = true;
        }
    if (any && !in_package && json_is_integer(json_object_get(entry, "size_in_bytes")))
        json_object_set_new(entry, "size_in_bytes", json_integer((json_int_t)f->size));
    return any;
}

bool tn_prefix_record(struct tn_span json, const struct tn_prefix_file *file, size_t n, struct tn_buf *ret)
{
    struct tn_err err;
    bool any = false;
    size_t i;
    tn_json_seed();
    json_t *j = tn_json_load(json, &err), *one;
    json_t *paths = json_object_get(json_object_get(j, "paths_data"), "paths");
    json_array_foreach(paths, i, one)
    {
        const char *path = json_string_value(json_object_get(one, "_path"));
        const struct tn_prefix_file *f = path ? find(file, n, path) : NULL;
        if (f && is_now(one, f))
            any = true;
    }
    if (any)
        tn_json_dump(ret, j, 2);
    json_decref(j);
    return any;
}
