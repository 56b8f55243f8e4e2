/* long.c - see long.h. Invariant: pieces are whole lines (a line beyond MAX_LINE is cut), in the order of the text. */
#include "explain/long.h"

#include <string.h>

#include "explain/form.h"

#define AROUND 3u            /* lines kept before and behind a match */
#define MAX_LINE (64u << 10) /* longer ones are cut into lines of this length */
#define MAX_OF_FORM 16u
#define DECIDED_AT 256u /* bytes that tell UTF-16 */
#define MAX_PIECES (sizeof((struct tn_long *)0)->piece / sizeof(struct tn_long_piece))

void tn_long_init(struct tn_long *l)
{
    memset(l, 0, sizeof *l);
    tn_buf_init(&l->text);
    tn_buf_init(&l->wait);
    l->line = 1;
    for (unsigned i = 0; i < tn_n_forms && i < sizeof l->full; i++)
        l->full[i] = !tn_forms[i].n_mean;
}

void tn_long_deinit(struct tn_long *l)
{
    tn_buf_deinit(&l->text);
    tn_buf_deinit(&l->wait);
}

static unsigned count_lines(const char *p, size_t n)
{
    unsigned lines = 0;
    for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        lines++;
    return lines;
}

static void keep(struct tn_long *l, size_t from, size_t to, unsigned line)
{
    if (l->n_piece == MAX_PIECES || from >= to)
        return;
    struct tn_long_piece *p = &l->piece[l->n_piece++];
    *p = (struct tn_long_piece){l->text.n, to - from, line};
    tn_buf_add(&l->text, l->wait.p + from, to - from);
    if (l->text.p[l->text.n - 1] != '\n') {
        tn_buf_ch(&l->text, '\n');
        p->n++;
    }
}

struct gather {
    struct tn_long *l;
    size_t end;  /* of what is to be looked through */
    size_t done; /* kept up to here */
    size_t at;   /* lines are counted up to here */
    unsigned line;
};

static size_t back(const char *p, size_t at, unsigned lines, size_t least)
{
    while (at > least && at > 0 && (p[at - 1] != '\n' || lines-- > 0))
        at--;
    return at;
}

static size_t forth(const char *p, size_t at, unsigned lines, size_t most)
{
    while (at < most && (p[at] != '\n' || lines-- > 0))
        at++;
    return at < most ? at + 1 : at;
}

static bool on_hit(void *ctx, const struct tn_form_hit *h)
{
    struct gather *g = ctx;
    struct tn_long *l = g->l;
    if (h->from >= g->end || l->kept > TN_LONG_KEPT)
        return false;
    if (h->to <= g->done || !tn_forms[h->form].n_mean || h->form >= sizeof l->seen || l->seen[h->form] == MAX_OF_FORM)
        return true;
    l->full[h->form] = ++l->seen[h->form] == MAX_OF_FORM;
    size_t from = back(l->wait.p, h->from, AROUND, g->done), to = forth(l->wait.p, h->to, AROUND, l->wait.n);
    g->line += count_lines(l->wait.p + g->at, from - g->at);
    g->at = from;
    keep(l, from, to, g->line);
    l->kept += to - from;
    g->done = to;
    return true;
}

/* Looks through the first n waiting bytes, which end a line, and lets them go. */
static void look(struct tn_long *l, size_t n)
{
    struct gather g = {l, n, 0, 0, l->line};
    tn_form_scan_but(tn_span_of(l->wait.p, l->wait.n), l->full, sizeof l->full, on_hit, &g);
    l->line += count_lines(l->wait.p, n);
    memmove(l->wait.p, l->wait.p + n, l->wait.n - n);
    l->wait.n -= n;
    l->wait.p[l->wait.n] = 0;
}

/* Where the last line before limit ends; a line without end is cut. */
static size_t line_end(const struct tn_long *l, size_t limit)
{
    for (size_t i = limit; i > 0 && limit - i < MAX_LINE; i--)
        if (l->wait.p[i - 1] == '\n')
            return i;
    return limit;
}

/* Whole characters of UTF-16 go to the waiting text; a half one stays. */
static void add_utf16(struct tn_long *l, struct tn_span bytes)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_add(&b, l->rest, l->n_rest);
    tn_buf_add(&b, bytes.p, bytes.n);
    size_t n = b.n & ~(size_t)1;
    uint16_t last;
    if (n >= 2 && tn_span_u16(tn_span_of(b.p, n), n - 2, l->encoding == TN_UTF16_BE, &last) && last >= 0xD800 &&
        last < 0xDC00)
        n -= 2;
    tn_encoding_decode(tn_span_of(b.p, n), l->encoding, &l->wait);
    l->n_rest = (unsigned)(b.n - n);
    memcpy(l->rest, b.p + n, l->n_rest);
    tn_buf_deinit(&b);
}

/* As soon as enough has come to tell. */
static void decide(struct tn_long *l)
{
    size_t skip;
    if (l->decided || l->wait.n < DECIDED_AT)
        return;
    l->decided = true;
    enum tn_encoding e = tn_encoding_of(tn_span_of(l->wait.p, l->wait.n), &skip);
    if (e != TN_UTF16 && e != TN_UTF16_BE)
        return;
    struct tn_buf raw = l->wait;
    l->encoding = e;
    tn_buf_init(&l->wait);
    add_utf16(l, tn_span_from(tn_span_of(raw.p, raw.n), skip));
    tn_buf_deinit(&raw);
}

void tn_long_add(struct tn_long *l, struct tn_span bytes)
{
    if (!bytes.n)
        return;
    if (l->encoding == TN_UTF8)
        tn_buf_add(&l->wait, bytes.p, bytes.n);
    else
        add_utf16(l, bytes);
    decide(l);
    l->total += bytes.n;
    if (!l->head_done && l->wait.n > TN_LONG_HEAD) {
        size_t n = line_end(l, TN_LONG_HEAD);
        keep(l, 0, n, 1);
        l->line += count_lines(l->wait.p, n);
        memmove(l->wait.p, l->wait.p + n, l->wait.n - n);
        l->wait.n -= n;
        l->head_done = true;
    }
    if (l->head_done && l->wait.n > 4 * TN_LONG_TAIL)
        look(l, line_end(l, l->wait.n - TN_LONG_TAIL));
}

void tn_long_end(struct tn_long *l)
{
    size_t n = l->wait.n;
    if (l->head_done && n > TN_LONG_TAIL) {
        look(l, line_end(l, n - TN_LONG_TAIL));
        n = l->wait.n;
    }
    if (l->n_piece == MAX_PIECES)
        l->n_piece--; /* the end says more than one line of the middle */
    keep(l, 0, n, l->line);
    l->wait.n = 0;
}
