/* explain.c - runs the readers over every line and keeps what they say, once for each value of a fact. */
#include "explain/explain.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

static bool same(const struct tn_rec_observation *o, const char *value)
{
    return value ? tn_says(o->value, value) : o->value.k == TN_ABSENT;
}

void tn_explain_say(struct tn_explain *e, const char *fact, const char *value, unsigned line)
{
    struct tn_rec_observation *first = NULL;
    size_t n = 0;
    if (value && !*value) /* nothing stands where a value was looked for */
        return;
    for (size_t i = 0; i < e->s->observation.n; i++) {
        struct tn_rec_observation *o = &e->s->observation.v[i];
        if (!tn_says(o->fact, fact))
            continue;
        if (same(o, value) || ++n >= TN_MAX_RIVALS)
            return;
        if (!first && tn_known(o->value))
            first = o;
    }
    const char *rival = first ? tn_arena_strdup(&e->mem, first->value.v) : NULL;
    uint32_t src = tn_snap_src(e->s, TN_KNOWN, NULL, "line %u of the text", line);
    struct tn_rec_observation *o = TN_ADD(e->s, observation);
    o->fact = tn_fact_str(e->s, src, fact);
    o->value = tn_fact_str(e->s, src, value);
    o->line = tn_fact_int(src, line);
    if (rival && value)
        o->rival = tn_fact_str(e->s, src, rival);
}

void tn_explain_system(struct tn_explain *e, const char *os, unsigned line)
{
    struct tn_rec_host *h = TN_THE(e->s, host);
    if (h->os.k != TN_KNOWN)
        h->os = tn_fact_str(e->s, tn_snap_src(e->s, TN_KNOWN, NULL, "line %u of the text", line), os);
}

/* A line of a table that the terminal broke: it begins with a bar, and the next one has a bar at its end alone. Where
 * the line itself ends with a bar it looks whole: then only blanks and one cell may follow. */
static bool is_broken(const char *text, struct tn_span next)
{
    next = tn_span_trim(next);
    if (text[strspn(text, " \t")] != '|' || !next.n || strchr("|+>", next.p[0]) || next.p[next.n - 1] != '|')
        return false;
    return text[strlen(text) - 1] != '|' || memchr(next.p, '|', next.n) == next.p + next.n - 1;
}

/* Takes the rest of a broken line to its beginning; cut blanks at the break count as one. */
static void mend(char *text, struct tn_span *rest, unsigned *ret_lines)
{
    struct tn_span after = *rest, next;
    if (!tn_span_line(&after, &next) || !is_broken(text, next))
        return;
    size_t n = strlen(text);
    bool full = n == 80;
    if (n + next.n + 1 > TN_MAX_PASTE_LINE)
        return;
    if (!full)
        text[n++] = ' ';
    memcpy(text + n, next.p, next.n);
    text[n + next.n] = 0;
    *rest = after;
    ++*ret_lines;
}

/* The marks of a quotation: "> > text". */
static void unquote(char *text)
{
    size_t n = 0;
    while (text[n] == '>')
        n += text[n + 1] == ' ' ? 2 : 1;
    if (n)
        memmove(text, text + n, strlen(text + n) + 1);
}

void tn_explain_stated(struct tn_span clean, struct tn_snap *s)
{
    struct tn_explain e = {.s = s};
    char text[TN_MAX_PASTE_LINE + 1], plain[TN_MAX_PASTE_LINE + 1]; /* ">>>  [" begins a section of SetupAPI */
    struct tn_span rest = clean, line;
    struct tn_explain_line l = {text, 1};
    tn_arena_init(&e.mem);
    for (; tn_span_line(&rest, &line); l.number++) {
        size_t n = line.n < TN_MAX_PASTE_LINE ? line.n : TN_MAX_PASTE_LINE;
        memcpy(text, line.p, n);
        text[n] = 0;
        memcpy(plain, text, n + 1);
        unquote(text);
        tn_explain_stated_line(&e, &l);
        l.text = plain;
        tn_explain_python_line(&e, &l);
        tn_explain_listing_line(&e, &l);
        tn_explain_setup_line(&e, &l);
        l.text = text;
    }
    tn_explain_setup_end(&e);
    s->observation.listed = TN_KNOWN;
    tn_arena_deinit(&e.mem);
}

/* The last line of a table, cut: its last word may be half of one. */
static void drop_half_word(char *text)
{
    size_t n = strlen(text);
    if (n == 0 || text[strspn(text, " \t")] != '|' || strchr("| \t", text[n - 1]))
        return;
    while (n && !strchr("| \t", text[n - 1]))
        n--;
    text[n] = 0;
}

static bool ends_line(struct tn_span raw)
{
    if (raw.n > 1 && raw.p[raw.n - 1] == 0) /* of UTF-16 */
        raw.n--;
    return raw.n == 0 || raw.p[raw.n - 1] == '\n' || raw.p[raw.n - 1] == '\r';
}

void tn_explain_text(struct tn_span raw, struct tn_snap *s)
{
    struct tn_explain e = {.s = s};
    struct tn_buf clean;
    char text[TN_MAX_PASTE_LINE + 1];
    tn_buf_init(&clean);
    tn_arena_init(&e.mem);
    tn_explain_clean(raw, &clean);
    struct tn_span rest = tn_span_of(clean.p, clean.n), line;
    struct tn_explain_line l = {text, 1};
    for (unsigned lines = 1; clean.n && tn_span_line(&rest, &line); l.number += lines, lines = 1) {
        size_t n = line.n < TN_MAX_PASTE_LINE ? line.n : TN_MAX_PASTE_LINE;
        memcpy(text, line.p, n);
        text[n] = 0;
        unquote(text);
        mend(text, &rest, &lines);
        if (rest.n == 0 && !ends_line(raw))
            drop_half_word(text);
        tn_explain_driver_line(&e, &l);
        tn_explain_smi_line(&e, &l, line);
    }
    tn_explain_smi_end(&e);
    s->observation.listed = TN_KNOWN;
    tn_arena_deinit(&e.mem);
    tn_buf_deinit(&clean);
}
