/* read.c - one line: cut into words, its commands read and mended, and put together again. */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "command/inner.h"

const char *tn_mend_word(enum tn_mend kind)
{
    static const char *const word[TN_MENDS] = {
        "blank-char",  "unseen",   "dash",       "quote",       "wide",          "entity",
        "open-quote",  "wrapped",  "lost-blank", "extra-blank", "lost-equals",   "lost-dash",
        "lost-scheme", "trailing", "typo",       "prompt",      "python-prompt", "single-equals",
        "operator",    "redirect", "brackets",   "name",        "never",         "pin"};
    return word[kind];
}

void tn_mend_note(struct tn_mending *m, enum tn_mend kind, const char *was, const char *now, const char *because)
{
    if (m->c->n_repair == TN_MAX_COMMAND_REPAIRS) {
        m->full = true;
        return;
    }
    m->c->repair[m->c->n_repair++] = (struct tn_repair){kind, was, now, because};
    m->c->damaged |= kind < TN_MEND_PROMPT;
}

void tn_mend_drop(struct tn_mending *m, unsigned i, unsigned n)
{
    memmove(&m->w->v[i], &m->w->v[i + n], (m->w->n - i - n) * sizeof m->w->v[0]);
    m->w->n -= n;
    m->to -= n;
}

void tn_mend_insert(struct tn_mending *m, unsigned i, const char *value)
{
    if (m->w->n == TN_MAX_COMMAND_WORDS) {
        m->full = true;
        return;
    }
    memmove(&m->w->v[i + 1], &m->w->v[i], (m->w->n - i) * sizeof m->w->v[0]);
    m->w->v[i] = (struct tn_word){.kind = TN_WORD, .raw = value, .value = value, .changed = true};
    m->w->n++;
    m->to++;
}

void tn_mend_word_is(struct tn_mending *m, unsigned i, unsigned n, const char *value, enum tn_mend kind)
{
    struct tn_buf was;
    tn_buf_init(&was);
    for (unsigned k = i; k < i + n; k++) {
        if (k > i && !m->w->v[k].glued)
            tn_buf_ch(&was, ' ');
        tn_buf_str(&was, m->w->v[k].value);
    }
    tn_mend_note(m, kind, tn_arena_strndup(m->mem, was.p ? was.p : "", was.n), value, "");
    tn_buf_deinit(&was);
    m->w->v[i].value = value;
    m->w->v[i].kind = TN_WORD;
    m->w->v[i].changed = true;
    if (n > 1)
        tn_mend_drop(m, i + 1, n - 1);
}

static bool takes_packages(const struct tn_part *p)
{
    static const char *const does[] = {"install", "add", "create", "update", "upgrade", "download", "wheel", NULL};
    return (p->tool == TN_TOOL_PIP || p->tool == TN_TOOL_UV || p->tool == TN_TOOL_CONDA) && tn_str_in(p->action, does);
}

/* A list of packages with brackets is quoted: zsh takes them for a pattern. */
static void brackets(struct tn_mending *m, unsigned i)
{
    for (; i < m->to && i < m->w->n; i++) {
        struct tn_word *w = &m->w->v[i];
        if (w->kind != TN_WORD || w->quoted || w->magic || !strchr(w->value, '[') || *w->value == '-' ||
            m->c->shell != TN_SHELL_SH)
            continue;
        if (m->zsh)
            tn_mend_note(m, TN_MEND_BRACKETS, w->value, tn_arena_printf(m->mem, "'%s'", w->value), "");
        w->changed = true;
    }
}

/* One command of the line. Returns the word behind it. */
static unsigned read_part(struct tn_mending *m, unsigned from, unsigned flags)
{
    m->from = m->to = from;
    while (m->to < m->w->n && m->w->v[m->to].kind != TN_WORD_OPERATOR)
        m->to++;
    if (m->c->n_part == TN_MAX_COMMAND_PARTS || m->to == from)
        return m->to + 1;
    m->part = &m->c->part[m->c->n_part];
    *m->part = (struct tn_part){TN_TOOL_NONE, "", "", "", "", "", "", "", "", {NULL}, 0, {{0}}, 0};
    unsigned i = tn_mend_program(m);
    if (!i)
        return m->to + 1;
    m->c->n_part++;
    if (!m->prose)
        tn_mend_options(m, i);
    if (takes_packages(m->part)) {
        tn_mend_wants(m, i);
        if (flags & TN_MAKE_PINS)
            tn_mend_pins(m);
        brackets(m, i);
    }
    return m->to + 1;
}

/* False: a word cannot be shown or quoted safely. */
static bool put_together(const struct tn_mending *m, struct tn_buf *ret)
{
    for (unsigned i = 0; i < m->w->n; i++) {
        const struct tn_word *w = &m->w->v[i];
        if (i && !(w->glued && !w->changed && !m->w->v[i - 1].changed))
            tn_buf_ch(ret, ' ');
        if (!w->changed)
            tn_buf_str(ret, w->raw);
        else if (!tn_shell_quote(ret, m->c->shell, w->value))
            return false;
    }
    for (size_t i = 0, n; i < ret->n; i += n) {
        uint32_t c;
        n = tn_utf8_next(ret->p + i, ret->n - i, &c);
        if (c < 32 || c == 0xFFFD || (c >= 0x7F && c < 0xA0))
            return false;
    }
    return ret->n != 0;
}

/* What the characters of the line were made from. */
static void glyphs(struct tn_mending *m, const struct tn_typed *t, size_t from, size_t to)
{
    unsigned seen = 0;
    for (size_t i = from; i < to; i++)
        seen |= t->mark[i];
    for (unsigned k = 0; k < 8; k++)
        if (seen & 1u << k)
            tn_mend_note(m, (enum tn_mend)k, "", "", "");
}

struct tn_command *tn_command_make(struct tn_arena *mem, const struct tn_typed *t, size_t from, size_t to,
                                   struct tn_span raw, enum tn_shell shell, unsigned flags)
{
    struct tn_command *c = tn_arena_array(mem, 1, sizeof *c);
    struct tn_words *w = tn_arena_array(mem, 1, sizeof *w);
    struct tn_mending m = {.mem = mem, .c = c, .w = w, .prose = flags & TN_MAKE_PROSE, .zsh = flags & TN_MAKE_ZSH};
    struct tn_buf right;
    size_t begin = t->at[from], end = to < t->n ? t->at[to] : raw.n;
    c->shell = shell;
    c->whole = !m.prose;
    c->given = tn_arena_strndup(mem, (const char *)raw.p + begin, end > begin ? end - begin : 0);
    if (!tn_words_split(mem, tn_arena_strndup(mem, t->text + from, to - from), shell, w))
        return NULL;
    glyphs(&m, t, from, to);
    if (flags & TN_MAKE_WRAPPED)
        tn_mend_note(&m, TN_MEND_WRAPPED, "", "", "");
    if (w->open_quote) {
        if (m.prose)
            return NULL;
        tn_mend_note(&m, TN_MEND_OPEN_QUOTE, "", "", "");
    }
    for (unsigned i = 0; i < w->n;)
        i = read_part(&m, i, flags);
    if (m.full || c->n_part == 0)
        return NULL;
    if (flags & TN_MAKE_PYTHON_PROMPT)
        tn_mend_note(&m, TN_MEND_PYTHON_PROMPT, ">>>", "", "");
    else if (flags & TN_MAKE_PROMPT)
        tn_mend_note(&m, TN_MEND_PROMPT, "", "", "");
    tn_buf_init(&right);
    if (!c->refused && put_together(&m, &right))
        c->right = tn_arena_strndup(mem, right.p, right.n);
    else
        c->refused = true;
    tn_buf_deinit(&right);
    return c;
}
