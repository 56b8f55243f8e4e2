/* pe_version.c - see pe_version.h. Every node is {u16 length, u16 value length, u16 type, UTF-16 key, padding to 4
 * bytes from the start of the block, value, padding, children}. */
#include "image/pe_version.h"

#include <string.h>

#include "base/str.h"

struct node {
    char key[32]; /* ASCII; longer or other keys are of no interest and read as "" */
    size_t value; /* offset in the block */
    size_t value_length;
    size_t end;
};

static size_t align4(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

static bool read_node(struct tn_span b, size_t at, size_t end, struct node *ret)
{
    uint16_t length, value_length, c = 1;
    if (at > end || end - at < 6 || !tn_span_u16(b, at, false, &length) ||
        !tn_span_u16(b, at + 2, false, &value_length))
        return false;
    if (length < 6 || length > end - at)
        return false;
    size_t n = 0, i = at + 6;
    ret->end = at + length;
    for (; i + 2 <= ret->end; i += 2) {
        tn_span_u16(b, i, false, &c);
        if (c == 0)
            break;
        if (n < sizeof ret->key)
            ret->key[n++] = c < 128 ? (char)c : '?';
    }
    if (c != 0 && i + 2 > ret->end)
        return false;
    if (n == sizeof ret->key)
        n = 0;
    ret->key[n] = 0;
    ret->value = align4(i + 2);
    if (ret->value > ret->end)
        ret->value = ret->end;
    ret->value_length = value_length;
    return true;
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((n == 2 ? 0xC0u : n == 3 ? 0xE0u : 0xF0u) | c);
    return n;
}

/* UTF-16 up to a NUL or end; lone surrogates are kept (WTF-8). */
static const char *utf16(struct tn_span b, size_t at, size_t end, struct tn_arena *a)
{
    char *out = tn_arena_alloc(a, (end - at) / 2 * 3 + 4);
    size_t n = 0;
    for (; at + 2 <= end; at += 2) {
        uint16_t c = 0, low = 0;
        uint32_t full;
        tn_span_u16(b, at, false, &c);
        if (c == 0)
            break;
        full = c;
        if (c >= 0xD800 && c < 0xDC00 && at + 4 <= end && tn_span_u16(b, at + 2, false, &low) && low >= 0xDC00 &&
            low < 0xE000) {
            full = 0x10000 + ((uint32_t)(c - 0xD800) << 10) + (low - 0xDC00u);
            at += 2;
        }
        n += put_utf8(out + n, full);
    }
    out[n] = 0;
    return out;
}

static void string_value(struct tn_span b, const struct node *s, struct tn_arena *a, struct tn_pe *ret)
{
    const struct {
        const char *key;
        const char **to;
    } wanted[] = {{"FileVersion", &ret->file_version_text},
                  {"ProductVersion", &ret->product_version_text},
                  {"FileDescription", &ret->description},
                  {"ProductName", &ret->product}};
    for (size_t i = 0; i < TN_LEN(wanted); i++)
        if (strcmp(wanted[i].key, s->key) == 0 && !*wanted[i].to)
            *wanted[i].to = utf16(b, s->value, s->end, a);
}

/* StringFileInfo: string tables, one per language and code page ("040904b0"), each with strings. US English decides
 * where it is there, since texts are compared with it; then the first table that has the string. */
static void string_info(struct tn_span b, const struct node *info, struct tn_arena *a, struct tn_pe *ret)
{
    struct node table, s;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t at = info->value; read_node(b, at, info->end, &table); at = align4(table.end))
            for (size_t k = table.value; read_node(b, k, table.end, &s); k = align4(s.end))
                if (pass || tn_str_starts(table.key, "0409"))
                    string_value(b, &s, a, ret);
}

static void fixed_info(struct tn_span b, const struct node *root, struct tn_pe *ret)
{
    uint32_t magic, v[4];
    if (root->value_length < 52 || !tn_span_u32(b, root->value, false, &magic) || magic != 0xFEEF04BDu)
        return;
    for (unsigned i = 0; i < 4; i++)
        if (!tn_span_u32(b, root->value + 8 + 4 * i, false, &v[i]))
            return;
    for (unsigned i = 0; i < 4; i++) {
        uint16_t part = (uint16_t)(i % 2 ? v[i / 2] & 0xFFFF : v[i / 2] >> 16);
        ret->file_version[i] = part;
        ret->product_version[i] = (uint16_t)(i % 2 ? v[2 + i / 2] & 0xFFFF : v[2 + i / 2] >> 16);
    }
    ret->has_fixed = true;
}

void tn_image_pe_version_parse(struct tn_span block, struct tn_arena *a, struct tn_pe *ret)
{
    struct node root, child;
    if (!read_node(block, 0, block.n, &root) || strcmp(root.key, "VS_VERSION_INFO") != 0)
        return;
    fixed_info(block, &root, ret);
    if (root.value_length > root.end - root.value)
        return;
    for (size_t at = align4(root.value + root.value_length); read_node(block, at, root.end, &child);
         at = align4(child.end))
        if (strcmp(child.key, "StringFileInfo") == 0)
            string_info(block, &child, a, ret);
}
