/* form.c - finds message forms in one pass over a text. See form.h.
 *
 * Invariant: nothing before the text or behind it is read, and the work at one place is bounded by MAX_STEPS, so that
 * the time grows with the length of the text alone, whatever it says. */
#include "explain/form.h"

#include <string.h>

#include "base/str.h"

#define GRAM 4u
#define MAX_STEPS 4096u /* of one text of a form at one place */
#define MAX_ANY 400u    /* bytes of an {any} */
#define MAX_HOLE 300u

static uint32_t gram_at(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v); /* every system of ours is little endian; others would only find nothing */
    return v | 0x20202020u;
}

/* The upper 18 bits: one of tn_form_bits; without the last two of them an index of tn_form_first. */
static unsigned hash_of(uint32_t gram)
{
    return (uint32_t)(gram * 0x9E3779B1u) >> 14;
}

static unsigned char fold(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* "0:00:00Could not locate": a sentence behind a progress bar that left its line. */
static bool is_glued(struct tn_span t, size_t from)
{
    bool capital =
        t.p[from] >= 'A' && t.p[from] <= 'Z' && from + 1 < t.n && t.p[from + 1] >= 'a' && t.p[from + 1] <= 'z';
    return capital && from > 2 && tn_is_digit((char)t.p[from - 1]) && t.p[from - 3] == ':';
}

static bool is_word(unsigned char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (fold(c) >= 'a' && fold(c) <= 'z');
}

/* An underscore between a word and none is Markdown's: "_out of memory_". */
static bool is_mark(struct tn_span t, size_t at)
{
    bool before = at > 0 && is_word(t.p[at - 1]), behind = at + 1 < t.n && is_word(t.p[at + 1]);
    return t.p[at] == '_' && before != behind;
}

struct matcher {
    struct tn_span text;
    unsigned steps;
    const struct tn_form_token *token;
    unsigned n;
    struct tn_form_hit hit;
};

/* Blanks and at most one line end from at on, with the marks of a quotation or a table behind it; at itself if there
 * is none. */
static size_t over_blanks(struct tn_span t, size_t at)
{
    bool ended = false;
    for (; at < t.n && is_blank(t.p[at]); at++)
        if (t.p[at] == '\n') {
            if (ended)
                return at;
            ended = true;
            while (at + 1 < t.n && (t.p[at + 1] == '>' || t.p[at + 1] == '|'))
                at++;
        }
    return at;
}

/* Bytes of the quotation mark at at that stands for this straight one: itself, escaped (a log inside JSON), a back
 * quote, or what word processors and blogs make of it (U+2018, U+2019, U+201C, U+201D); 0: none. */
static size_t quote_after(struct tn_span t, size_t at, char mark)
{
    char c = (char)t.p[at];
    if (c == mark || (c == '`' && mark == '\''))
        return 1;
    if (c == '\\')
        return at + 1 < t.n && (char)t.p[at + 1] == mark ? 2 : 0;
    if (t.p[at] != 0xE2 || at + 2 >= t.n || t.p[at + 1] != 0x80)
        return 0;
    unsigned char low = t.p[at + 2];
    return (mark == '\'' ? low == 0x98 || low == 0x99 : low == 0x9C || low == 0x9D) ? 3 : 0;
}

static size_t quote_before(struct tn_span t, size_t at, char mark)
{
    static const size_t length[] = {3, 2, 1};
    for (unsigned i = 0; i < TN_LEN(length); i++)
        if (length[i] <= at && quote_after(t, at - length[i], mark) == length[i])
            return length[i];
    return 0;
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

/* The literal at at, from its byte i on; where it ends, or SIZE_MAX. */
static size_t literal(struct tn_span t, size_t at, const char *lit, size_t i, size_t n)
{
    for (; i < n; i++) {
        if (lit[i] == ' ') {
            size_t next = over_blanks(t, at);
            if (next == at)
                return SIZE_MAX;
            at = next;
        } else if (at < t.n && is_quote(lit[i])) {
            size_t mark = quote_after(t, at, lit[i]);
            if (mark == 0)
                return SIZE_MAX;
            at += mark;
        } else if (at < t.n && fold(t.p[at]) == (unsigned char)lit[i]) {
            at++;
        } else {
            return SIZE_MAX;
        }
    }
    return at;
}

/* The marks of a quotation at the beginning of at's line, backwards: their line end, or at itself. */
static size_t over_mark(struct tn_span t, size_t at)
{
    size_t from = at;
    while (from > 0 && (t.p[from - 1] == '>' || t.p[from - 1] == '|'))
        from--;
    return from < at && from > 0 && t.p[from - 1] == '\n' ? from : at;
}

/* Where the literal's first i bytes begin, when its byte i stands at at; SIZE_MAX if they do not. */
static size_t before(struct tn_span t, size_t at, const char *lit, size_t i)
{
    while (i-- > 0) {
        if (lit[i] == ' ') {
            size_t from = at;
            bool ended = false;
            while (from > 0 && is_blank(t.p[from - 1]) && !(ended && t.p[from - 1] == '\n')) {
                ended |= t.p[--from] == '\n';
                from = ended ? from : over_mark(t, from);
            }
            if (from == at)
                return SIZE_MAX;
            at = from;
        } else if (at > 0 && is_quote(lit[i])) {
            size_t mark = quote_before(t, at, lit[i]);
            if (mark == 0)
                return SIZE_MAX;
            at -= mark;
        } else if (at > 0 && fold(t.p[at - 1]) == (unsigned char)lit[i]) {
            at--;
        } else {
            return SIZE_MAX;
        }
    }
    return at;
}

static bool in_hole(enum tn_hole kind, unsigned char c)
{
    switch (kind) {
    case TN_HOLE_NUM: return c >= '0' && c <= '9';
    case TN_HOLE_WORD: return is_word(c) || c == '.' || c == '+' || c == '-' || c >= 0x80;
    case TN_HOLE_VER: return is_word(c) || c == '.' || c == '+' || c == '-' || c == '!';
    case TN_HOLE_HEX: return (c >= '0' && c <= '9') || (fold(c) >= 'a' && fold(c) <= 'f') || fold(c) == 'x';
    case TN_HOLE_PATH: return !is_blank(c) && !strchr("\"'`<>|", c);
    default: return c != '\n';
    }
}

static bool may_begin(enum tn_hole kind, unsigned char c)
{
    return (kind != TN_HOLE_VER && kind != TN_HOLE_HEX) || (c >= '0' && c <= '9');
}

static size_t hole_end(struct tn_span t, size_t at, enum tn_hole kind)
{
    size_t end = at, most = kind == TN_HOLE_ANY || kind == TN_HOLE_REST ? MAX_ANY : MAX_HOLE;
    while (end < t.n && end - at < most && in_hole(kind, t.p[end]))
        end++;
    /* What ends a sentence is no part of a version or path. */
    if (kind == TN_HOLE_VER || kind == TN_HOLE_WORD || kind == TN_HOLE_PATH)
        while (end > at && strchr(".,-+:;)", t.p[end - 1]))
            end--;
    return end;
}

static void keep(struct matcher *m, unsigned i, size_t from, size_t to)
{
    if (m->hit.n_hole >= TN_MAX_FORM_HOLES)
        return;
    m->hit.hole[m->hit.n_hole].name = tn_form_pool + m->token[i].text;
    m->hit.hole[m->hit.n_hole++].value = tn_span_of(m->text.p + from, to - from);
}

/* The tokens from i on at at. Depth is bounded by the tokens of a form. */
static bool rest_matches(struct matcher *m, unsigned i, size_t at, size_t *ret_end)
{
    if (i == m->n) {
        *ret_end = at;
        return true;
    }
    const struct tn_form_token *k = &m->token[i];
    if (k->kind == TN_HOLE_LIT) {
        size_t next = literal(m->text, at, tn_form_pool + k->text, 0, k->n);
        m->steps++;
        return next != SIZE_MAX && rest_matches(m, i + 1, next, ret_end);
    }
    enum tn_hole kind = (enum tn_hole)k->kind;
    size_t longest = hole_end(m->text, at, kind);
    bool lazy = kind == TN_HOLE_ANY;
    unsigned kept = m->hit.n_hole;
    if (!lazy && (longest == at || !may_begin(kind, m->text.p[at])))
        return false;
    for (size_t n = lazy ? 0 : longest - at; m->steps < MAX_STEPS; n = lazy ? n + 1 : n - 1) {
        m->steps++;
        m->hit.n_hole = kept;
        keep(m, i, at, at + n);
        if (rest_matches(m, i + 1, at + n, ret_end))
            return true;
        if (lazy ? at + n >= longest : n <= 1)
            break;
    }
    m->hit.n_hole = kept;
    return false;
}

static size_t lead_hole(struct tn_span t, size_t at, enum tn_hole kind)
{
    size_t from = at;
    while (from > 0 && at - from < MAX_HOLE && in_hole(kind, t.p[from - 1]))
        from--;
    while (from < at && !may_begin(kind, t.p[from]))
        from++;
    return from;
}

/* One text of a form whose anchor stands at at. */
static bool matches(struct matcher *m, const struct tn_form_text *x, size_t at)
{
    const struct tn_form_token *lead = &tn_form_tokens[x->token + x->lead];
    const char *lit = tn_form_pool + lead->text;
    size_t from = before(m->text, at, lit, x->anchor), end;
    m->token = &tn_form_tokens[x->token];
    m->n = x->n_token;
    m->steps = 0;
    if (from == SIZE_MAX)
        return false;
    size_t head = literal(m->text, at, lit, x->anchor, lead->n);
    if (head == SIZE_MAX)
        return false;
    memset(&m->hit, 0, sizeof m->hit);
    m->hit.form = x->form;
    if (x->lead) {
        size_t hole = lead_hole(m->text, from, (enum tn_hole)m->token->kind);
        if (hole == from)
            return false;
        keep(m, 0, hole, from);
        from = hole;
    }
    if (!rest_matches(m, x->lead + 1u, head, &end))
        return false;
    /* Words are whole. */
    struct tn_span t = m->text;
    if (from > 0 && is_word(t.p[from]) && is_word(t.p[from - 1]) && !is_glued(t, from) && !is_mark(t, from - 1))
        return false;
    if (end < t.n && end > 0 && is_word(t.p[end]) && is_word(t.p[end - 1]) && !is_mark(t, end))
        return false;
    m->hit.from = from;
    m->hit.to = end;
    return true;
}

static inline bool may_begin_here(const unsigned char *p)
{
    unsigned h = hash_of(gram_at(p));
    return (tn_form_bits[h >> 3] >> (h & 7)) & 1u;
}

/* The next place from at on where an anchor may stand, or where no four bytes are left. A function of its own and four
 * places at a time: this is where the time goes in a log. */
static size_t next_place(struct tn_span t, size_t at)
{
    const unsigned char *p = t.p + at, *end = t.p + t.n;
    for (; (size_t)(end - p) >= GRAM + 3; p += 4) {
        bool a = may_begin_here(p), b = may_begin_here(p + 1), c = may_begin_here(p + 2), d = may_begin_here(p + 3);
        if (a | b | c | d)
            return (size_t)(p - t.p) + (a ? 0 : b ? 1 : c ? 2 : 3);
    }
    while ((size_t)(end - p) >= GRAM && !may_begin_here(p))
        p++;
    return (size_t)(p - t.p);
}

void tn_form_scan(struct tn_span text, bool (*hit)(void *ctx, const struct tn_form_hit *h), void *ctx)
{
    tn_form_scan_but(text, NULL, 0, hit, ctx);
}

void tn_form_scan_but(struct tn_span text, const unsigned char *skip, unsigned n_skip,
                      bool (*hit)(void *ctx, const struct tn_form_hit *h), void *ctx)
{
    struct matcher m = {.text = text};
    for (size_t at = next_place(text, 0); at + GRAM <= text.n; at = next_place(text, at + 1)) {
        uint32_t gram = gram_at(text.p + at);
        unsigned h = hash_of(gram);
        unsigned last = UINT16_MAX;
        for (unsigned i = tn_form_first[h >> 2]; i < tn_form_first[(h >> 2) + 1]; i++)
            if (tn_form_texts[i].gram == gram && tn_form_texts[i].form != last &&
                !(tn_form_texts[i].form < n_skip && skip[tn_form_texts[i].form]) &&
                matches(&m, &tn_form_texts[i], at)) {
                last = tn_form_texts[i].form;
                if (!hit(ctx, &m.hit))
                    return;
            }
    }
}

bool tn_form_may_match(struct tn_span text)
{
    return next_place(text, 0) + GRAM <= text.n;
}

struct tn_span tn_form_hole(const struct tn_form_hit *h, const char *name)
{
    for (unsigned i = 0; i < h->n_hole; i++)
        if (strcmp(h->hole[i].name, name) == 0)
            return h->hole[i].value;
    return tn_span_of("", 0);
}
