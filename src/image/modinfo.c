/* modinfo.c - see modinfo.h. A compressed module becomes a view whose head and tail are kept from the first pass;
 * what lies between is decoded again, forward, when asked for. */
#include "image/modinfo.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/decode.h"
#include "image/elf.h"

enum { KEEP = 256 << 10, PIECE = 64 << 10 };

static const char mark[] = "~Module signature appended~\n";

struct module {
    const struct tn_view *file;
    struct tn_arena *a;
    enum tn_codec codec;
    uint64_t size;
    unsigned char *head, *tail; /* KEEP bytes, or less of a shorter module */
    size_t n_head, n_tail;
    struct tn_decoder *d; /* of the second pass */
    uint64_t pos;
};

/* Appends to the tail: at most 2 * KEEP are there, of which the last KEEP count. */
static void keep_tail(struct module *m, const unsigned char *p, size_t n)
{
    if (m->n_tail + n > 2 * KEEP) {
        memmove(m->tail, m->tail + m->n_tail - KEEP, KEEP);
        m->n_tail = KEEP;
    }
    memcpy(m->tail + m->n_tail, p, n);
    m->n_tail += n;
}

static int first_pass(struct module *m, unsigned char *piece, struct tn_err *err)
{
    uint64_t most = (uint64_t)TN_MAX_MODULE_RATIO * m->file->size;
    struct tn_decoder *d;
    size_t n;
    int r = tn_image_decode_open(m->file, m->codec, &d, err);
    if (r)
        return r;
    if (most > TN_MAX_MODULE_BYTES)
        most = TN_MAX_MODULE_BYTES;
    while ((r = tn_image_decode_read(d, piece, PIECE, &n, err)) == 0 && n) {
        size_t head = m->n_head < KEEP ? KEEP - m->n_head : 0;
        if (head > n)
            head = n;
        memcpy(m->head + m->n_head, piece, head);
        m->n_head += head;
        keep_tail(m, piece, n);
        m->size += n;
        if (m->size > most) {
            r = tn_err_set(err, TN_E_LIMIT, NULL, "decodes to more than %llu bytes", (unsigned long long)most);
            break;
        }
    }
    tn_image_decode_close(d);
    return r;
}

/* Decodes forward to off and then n bytes into p. */
static int decode_at(struct module *m, uint64_t off, unsigned char *p, size_t n, struct tn_err *err)
{
    size_t got;
    int r = 0;
    if (m->d && off < m->pos) {
        tn_image_decode_close(m->d);
        m->d = NULL;
    }
    if (!m->d) {
        m->pos = 0;
        r = tn_image_decode_open(m->file, m->codec, &m->d, err);
    }
    unsigned char *piece = tn_xmalloc(PIECE);
    while (r == 0 && m->pos < off) {
        size_t want = off - m->pos < PIECE ? (size_t)(off - m->pos) : PIECE;
        r = tn_image_decode_read(m->d, piece, want, &got, err);
        if (r == 0 && got != want)
            r = tn_err_set(err, TN_E_FORMAT, NULL, "damaged stream");
        m->pos += want;
    }
    free(piece);
    if (r == 0)
        r = tn_image_decode_read(m->d, p, n, &got, err);
    if (r == 0 && got != n)
        r = tn_err_set(err, TN_E_FORMAT, NULL, "damaged stream");
    m->pos += n;
    return r;
}

static int module_at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    struct module *m = ctx;
    uint64_t tail = m->size - m->n_tail;
    if (off + n <= m->n_head) {
        *ret = tn_span_of(m->head + off, n);
        return 0;
    }
    if (off >= tail) {
        *ret = tn_span_of(m->tail + (off - tail), n);
        return 0;
    }
    if (n > 2 * TN_MAX_MODINFO)
        return tn_err_set(err, TN_E_LIMIT, NULL, "a part of %zu bytes", n);
    unsigned char *p = tn_arena_alloc(m->a, n);
    int r = decode_at(m, off, p, n, err);
    if (r == 0)
        *ret = tn_span_of(p, n);
    return r;
}

static void key_value(struct tn_span item, struct tn_arena *a, struct tn_modinfo *ret, size_t *cap)
{
    const struct {
        const char *key;
        const char **to;
    } wanted[] = {{"version", &ret->version}, {"license", &ret->license}, {"vermagic", &ret->vermagic},
                  {"name", &ret->name},       {"depends", &ret->depends}, {"srcversion", &ret->srcversion}};
    const unsigned char *eq = memchr(item.p, '=', item.n);
    if (!eq)
        return;
    struct tn_span key = tn_span_of(item.p, (size_t)(eq - item.p)), value = tn_span_from(item, key.n + 1);
    for (size_t i = 0; i < TN_LEN(wanted); i++)
        if (tn_span_eq(key, wanted[i].key) && !*wanted[i].to)
            *wanted[i].to = tn_arena_strndup(a, (const char *)value.p, value.n);
    if (!tn_span_eq(key, "firmware") || ret->n_firmware == TN_MAX_LIST)
        return;
    ret->firmware = tn_arena_grow(a, ret->firmware, ret->n_firmware, cap, sizeof *ret->firmware);
    ret->firmware[ret->n_firmware++] = tn_arena_strndup(a, (const char *)value.p, value.n);
}

static int read_module(const struct tn_view *v, struct tn_arena *a, struct tn_modinfo *ret, struct tn_err *err)
{
    struct tn_elf e;
    struct tn_elf_section sec;
    struct tn_span s;
    size_t cap = 0;
    int r = tn_image_elf_open(v, a, &e, err);
    if (r == 0)
        r = tn_image_elf_section(&e, v, ".modinfo", &sec, err);
    if (r)
        return r;
    if (sec.size > TN_MAX_MODINFO)
        return tn_err_set(err, TN_E_LIMIT, ".modinfo", "%llu bytes", (unsigned long long)sec.size);
    r = tn_view_at(v, sec.off, (size_t)sec.size, &s, err);
    if (r)
        return r;
    ret->size = v->size;
    ret->machine = e.machine;
    while (s.n) {
        const unsigned char *nul = memchr(s.p, 0, s.n);
        size_t n = nul ? (size_t)(nul - s.p) : s.n;
        key_value(tn_span_of(s.p, n), a, ret, &cap);
        s = tn_span_from(s, n + 1);
    }
    if (v->size >= sizeof mark - 1 && tn_view_at(v, v->size - (sizeof mark - 1), sizeof mark - 1, &s, NULL) == 0)
        ret->signature = memcmp(s.p, mark, sizeof mark - 1) == 0;
    return 0;
}

int tn_image_modinfo_read(const struct tn_view *v, struct tn_arena *a, struct tn_modinfo *ret, struct tn_err *err)
{
    static const char *const names[] = {"none", "gzip", "xz", "zstd"};
    struct tn_modinfo info;
    struct module m;
    memset(&info, 0, sizeof info);
    memset(&m, 0, sizeof m);
    m.file = v;
    m.a = a;
    m.codec = tn_image_decode_codec(v);
    info.compression = names[m.codec];
    if (v->size > TN_MAX_MODULE_BYTES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "a module of %llu bytes", (unsigned long long)v->size);
    int r;
    if (m.codec == TN_CODEC_NONE) {
        r = read_module(v, a, &info, err);
    } else {
        unsigned char *piece = tn_xmalloc(PIECE);
        m.head = tn_xmalloc(KEEP);
        m.tail = tn_xmalloc(2 * KEEP);
        r = first_pass(&m, piece, err);
        free(piece);
        struct tn_view decoded = {m.size, module_at, &m};
        if (r == 0)
            r = read_module(&decoded, a, &info, err);
        if (m.d)
            tn_image_decode_close(m.d);
        free(m.head);
        free(m.tail);
    }
    if (r == 0)
        *ret = info;
    return r;
}
