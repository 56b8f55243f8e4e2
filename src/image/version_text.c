/* version_text.c - see version_text.h. */
#include "image/version_text.h"

#include <string.h>

#include "base/str.h"

enum { PIECE = 64 << 10, OVERLAP = 256, TAIL = 1 << 20, HEAD = 1 << 20 };

/* What a search does with one piece; true ends it. A match that touches the piece's end is met again in the next
 * one, which begins OVERLAP bytes earlier. */
typedef bool (*piece_fn)(struct tn_span piece, void *ctx);

static int scan(const struct tn_view *v, uint64_t off, uint64_t end, uint64_t *budget, piece_fn fn, void *ctx,
                bool *ret, struct tn_err *err)
{
    *ret = false;
    while (off < end && *budget && !*ret) {
        size_t n = end - off < PIECE ? (size_t)(end - off) : PIECE;
        struct tn_span s;
        if (n > *budget)
            n = (size_t)*budget;
        int r = tn_view_at(v, off, n, &s, err);
        if (r)
            return r;
        *budget -= n;
        *ret = fn(s, ctx);
        if (n <= OVERLAP || off + n >= end)
            break;
        off += n - OVERLAP;
    }
    return 0;
}

/* Where constant text lies: .rodata, else the first segment that is readable and neither writable nor executable,
 * else the executable one. */
static bool text_range(const struct tn_elf *e, const struct tn_view *v, uint64_t *ret_off, uint64_t *ret_end)
{
    struct tn_elf_section s;
    uint64_t off = 0, size = 0;
    if (tn_image_elf_section(e, v, ".rodata", &s, NULL) == 0 && s.type == 1) {
        off = s.off;
        size = s.size;
    } else {
        /* The last such segment: linkers that separate code put headers into the first and .rodata behind .text. */
        for (size_t i = 0; i < e->n_loads; i++)
            if ((e->loads[i].flags & 3) == 0 || (size == 0 && !(e->loads[i].flags & 2))) {
                off = e->loads[i].off;
                size = e->loads[i].filesz;
            }
    }
    if (size == 0 || off >= v->size)
        return false;
    *ret_off = off;
    *ret_end = size > v->size - off ? v->size : off + size;
    return true;
}

/* The same towards the head: pieces from end down to off. */
static int scan_back(const struct tn_view *v, uint64_t off, uint64_t end, uint64_t *budget, piece_fn fn, void *ctx,
                     bool *ret, struct tn_err *err)
{
    *ret = false;
    while (off < end && *budget && !*ret) {
        uint64_t from = end - off > PIECE ? end - PIECE : off;
        uint64_t piece = end - from;
        int r = scan(v, from, end, budget, fn, ctx, ret, err);
        if (r || from == off || piece <= OVERLAP)
            return r;
        end = from + OVERLAP;
    }
    return 0;
}

/* Digits and dots at off: their length, or 0 when they run into the end of the piece. */
static size_t version_length(struct tn_span s, size_t off)
{
    size_t n = 0;
    while (off + n < s.n && (tn_is_digit((char)s.p[off + n]) || s.p[off + n] == '.'))
        n++;
    return off + n < s.n ? n : 0;
}

static bool release_piece(struct tn_span s, void *ctx)
{
    static const char lead[] = ", release ";
    char *buf = ctx;
    for (size_t at = 0; (at = tn_span_find(s, at, lead, sizeof lead - 1)) != SIZE_MAX; at++) {
        size_t first = at + sizeof lead - 1, n = version_length(s, first), second = first + n + 3;
        if (n == 0 || second > s.n || memcmp(s.p + first + n, ", V", 3) != 0)
            continue;
        size_t m = version_length(s, second);
        /* V13.0.88 must repeat 13.0. */
        if (m <= n || m >= TN_MAX_VERSION_TEXT || memcmp(s.p + first, s.p + second, n) != 0)
            continue;
        memcpy(buf, s.p + second, m);
        buf[m] = 0;
        return true;
    }
    return false;
}

int tn_image_text_release(const struct tn_elf *e, const struct tn_view *v, uint64_t budget,
                          char buf[TN_MAX_VERSION_TEXT], struct tn_err *err)
{
    char text[TN_MAX_VERSION_TEXT] = "";
    uint64_t off, end;
    bool done;
    if (text_range(e, v, &off, &end)) {
        int r = scan(v, off, end, &budget, release_piece, text, &done, err);
        if (r)
            return r;
    }
    if (!text[0])
        return tn_err_set(err, TN_E_NOTFOUND, NULL, "no release text");
    memcpy(buf, text, strlen(text) + 1);
    return 0;
}

struct driver_search {
    char text[TN_MAX_VERSION_TEXT];
    bool plain; /* whole texts count too */
    bool conflict;
};

/* ddd.dd[d][.dd] of n bytes; *ret_parts: 2 or 3. */
static bool driver_form(const unsigned char *p, size_t n, unsigned *ret_parts)
{
    size_t part[3] = {0, 0, 0};
    unsigned k = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] != '.')
            part[k]++;
        else if (++k > 2)
            return false;
    }
    *ret_parts = k + 1;
    return part[0] == 3 && (part[1] == 2 || part[1] == 3) && (k == 1 || (k == 2 && part[2] == 2)) && p[0] >= '1';
}

static void take(struct driver_search *d, const unsigned char *p, size_t n, bool decides)
{
    if (decides)
        d->conflict = false;
    else if (d->text[0] && (strlen(d->text) != n || memcmp(d->text, p, n) != 0))
        d->conflict = true;
    memcpy(d->text, p, n);
    d->text[n] = 0;
}

/* Is the run of n bytes at off one of the forms, by what stands around it? 2 decides, 1 counts, 0 not. */
static int context(struct tn_span s, size_t off, size_t n, unsigned parts)
{
    static const char profiles[] = "nvidia-application-profiles-", id[] = "nvidia id: NVIDIA ", lib[] = ".so.";
    size_t from = off;
    struct tn_span before;
    while (from > 0 && off - from < 128 && s.p[from - 1] >= ' ' && s.p[from - 1] < 127)
        from--;
    before = tn_span_of(s.p + from, off - from);
    if (before.n >= sizeof profiles - 1 &&
        memcmp(before.p + before.n - (sizeof profiles - 1), profiles, sizeof profiles - 1) == 0 && s.p[off + n] == '-')
        return 2;
    if (tn_span_find(before, 0, id, sizeof id - 1) != SIZE_MAX && s.p[off - 1] == ' ')
        return 2;
    if (s.p[off + n] != 0)
        return 0;
    if (tn_span_starts(before, "libnvidia-") && memcmp(s.p + off - 4, lib, 4) == 0)
        return 2;
    return off > 0 && s.p[off - 1] == 0 && parts == 3;
}

static bool driver_piece(struct tn_span s, void *ctx)
{
    struct driver_search *d = ctx;
    for (size_t i = 0; i < s.n; i++) {
        unsigned parts;
        if (!tn_is_digit((char)s.p[i]))
            continue;
        size_t n = version_length(s, i);
        if (n == 0)
            break;
        size_t skip = n > 3 && s.p[i + 2] == '.' ? 3 : 0; /* NVML's "12.535.309.01" */
        if (n - skip <= 10 && driver_form(s.p + i + skip, n - skip, &parts)) {
            int how = context(s, i, n, parts);
            if (skip)
                how = how == 1 && d->plain ? 2 : 0;
            if (how == 2 || (how == 1 && d->plain))
                take(d, s.p + i + skip, n - skip, how == 2);
            if (how == 2)
                return true;
        }
        i += n - 1;
    }
    return false;
}

int tn_image_text_driver(const struct tn_elf *e, const struct tn_view *v, bool plain, char buf[TN_MAX_VERSION_TEXT],
                         struct tn_err *err)
{
    struct driver_search d;
    uint64_t off, end, budget = TN_MAX_DRIVER_SCAN;
    bool done;
    memset(&d, 0, sizeof d);
    d.plain = plain;
    if (text_range(e, v, &off, &end)) {
        uint64_t tail = end - off > TAIL ? end - TAIL : off;
        int r = scan(v, tail, end, &budget, driver_piece, &d, &done, err);
        uint64_t head = tail - off > HEAD ? off + HEAD : tail;
        if (r == 0 && !done)
            r = scan(v, off, head, &budget, driver_piece, &d, &done, err);
        if (r == 0 && !done)
            r = scan_back(v, head, tail, &budget, driver_piece, &d, &done, err);
        if (r)
            return r;
    }
    if (!d.text[0] || d.conflict)
        return tn_err_set(err, TN_E_NOTFOUND, NULL, "no driver version text");
    memcpy(buf, d.text, strlen(d.text) + 1);
    return 0;
}
