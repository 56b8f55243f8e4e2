/* english.c - see english.h. Source of every literal: table system_messages. */
#include "explain/english.h"

#include <string.h>

#include "base/str.h"
#include "facts/table.h"

#define MAX_MESSAGES 1024u

struct message {
    const char *text, *english;
    size_t n;
    unsigned next; /* of those that begin with the same byte, 1 more than its index; 0: none */
};

struct messages {
    struct message v[MAX_MESSAGES];
    unsigned n, first[256];
};

/* The longest first, so that "a file or folder" is not taken for "a file". */
static void add(struct messages *m, const char *text, const char *english)
{
    unsigned *at = &m->first[(unsigned char)text[0]];
    struct message *x = &m->v[m->n];
    *x = (struct message){text, english, strlen(text), 0};
    while (*at && m->v[*at - 1].n >= x->n)
        at = &m->v[*at - 1].next;
    x->next = *at;
    *at = ++m->n;
}

static void load(struct messages *m)
{
    const struct tn_table *t = tn_facts_find("system_messages");
    memset(m, 0, sizeof *m);
    if (!t)
        return;
    int text = tn_facts_column(t, "text"), english = tn_facts_column(t, "english");
    for (uint32_t r = 0; r < t->nrows && m->n < MAX_MESSAGES; r++)
        add(m, tn_facts_cell(t, r, (uint32_t)text), tn_facts_cell(t, r, (uint32_t)english));
}

static bool is_letter(unsigned char c)
{
    return tn_is_alpha((char)c) || tn_is_digit((char)c);
}

/* A word of letters is whole at both ends; Chinese has no blanks between words. */
static const struct message *at(const struct messages *m, struct tn_span s, size_t i)
{
    for (unsigned k = m->first[s.p[i]]; k; k = m->v[k - 1].next) {
        const struct message *x = &m->v[k - 1];
        if (!x->text || x->n > s.n - i || memcmp(s.p + i, x->text, x->n) != 0)
            continue;
        if (i && is_letter(s.p[i - 1]) && is_letter(s.p[i]))
            continue;
        if (i + x->n < s.n && is_letter(s.p[i + x->n - 1]) && is_letter(s.p[i + x->n]))
            continue;
        return x;
    }
    return NULL;
}

/* The mark of code in Markdown, between letters, or between a letter and a blank: `torch.cuda.is_available()` returns.
 */
static bool is_code_mark(struct tn_span s, size_t i)
{
    if (s.p[i] != '`' || (i && s.p[i - 1] == '`') || (i + 1 < s.n && s.p[i + 1] == '`'))
        return false;
    return i && s.p[i - 1] != '\n';
}

bool tn_english_read(struct tn_span clean, struct tn_english *ret)
{
    static const char colon[] = "\xEF\xBC\x9A"; /* U+FF1A, which Chinese programs put for ": " */
    struct messages m;
    size_t done = 0, i = 0;
    unsigned line = 1;
    load(&m);
    ret->n_changed = 0;
    tn_buf_clear(&ret->text);
    while (i < clean.n) {
        static const struct message nothing = {"`", "", 1, 0};
        const struct message *x = is_code_mark(clean, i) ? &nothing : at(&m, clean, i);
        line += clean.p[i] == '\n';
        if (!x) {
            i++;
            continue;
        }
        size_t before = i - done;
        bool wide = before >= 3 && memcmp(clean.p + i - 3, colon, 3) == 0;
        tn_buf_add(&ret->text, clean.p + done, before - (wide ? 3 : 0));
        tn_buf_str(&ret->text, wide ? ": " : "");
        /* 'nvcc' and the message are two words, where the language writes no blank */
        if (!wide && before && clean.p[i - 1] > 0x20 && clean.p[i] > 0x7F && !strchr("([{<:/=", clean.p[i - 1]))
            tn_buf_ch(&ret->text, ' ');
        tn_buf_str(&ret->text, x->english);
        i += x->n;
        done = i;
        bool wide_behind = clean.n - i >= 3 && memcmp(clean.p + i, colon, 3) == 0;
        if (wide_behind)
            tn_buf_str(&ret->text, ": ");
        done += wide_behind ? 3 : 0;
        i = done;
        if (ret->n_changed < TN_MAX_ENGLISH_LINES && (!ret->n_changed || ret->changed[ret->n_changed - 1] != line))
            ret->changed[ret->n_changed++] = line;
    }
    if (!ret->n_changed)
        return false;
    tn_buf_add(&ret->text, clean.p + done, clean.n - done);
    return true;
}

bool tn_english_changed(const struct tn_english *e, unsigned first, unsigned last)
{
    unsigned low = 0, high = e->n_changed;
    while (low < high) {
        unsigned mid = (low + high) / 2;
        if (e->changed[mid] < first)
            low = mid + 1;
        else
            high = mid;
    }
    return low < e->n_changed && e->changed[low] <= last;
}
