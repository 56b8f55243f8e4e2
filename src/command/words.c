/* words.c - a command line cut into words as its shell does.
 *
 * Sources: POSIX.1-2024 2.2, 2.3; PowerShell about_Quoting_Rules; cmd.exe: "..." and ^. Expansion is not done: a word
 * that the shell would expand is marked. */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "command/inner.h"

struct cut {
    const char *p;
    struct tn_buf value;
    enum tn_shell shell;
    bool quoted, magic, open;
};

/* The closing mark of a quotation that begins at p; what it holds goes to value. */
static void quotation(struct cut *x)
{
    char mark = *x->p++;
    char escape = x->shell == TN_SHELL_POWERSHELL ? '`' : x->shell == TN_SHELL_SH ? '\\' : 0;
    x->quoted = true;
    for (; *x->p && *x->p != '\n'; x->p++) {
        bool twice = x->shell == TN_SHELL_POWERSHELL && *x->p == mark && x->p[1] == mark;
        if (twice || (mark == '"' && escape && *x->p == escape && x->p[1] && strchr("\"$`\\", x->p[1]))) {
            x->p++;
        } else if (*x->p == mark) {
            x->p++;
            return;
        } else if (mark == '"' && *x->p == '$') {
            x->magic = true;
        }
        tn_buf_ch(&x->value, *x->p);
    }
    x->open = true;
}

/* $(...), ${...}: taken whole, not understood. */
static void expansion(struct cut *x)
{
    unsigned depth = 0;
    x->magic = true;
    do {
        depth += *x->p == '(' || *x->p == '{';
        depth -= (*x->p == ')' || *x->p == '}') && depth;
        tn_buf_ch(&x->value, *x->p++);
    } while (*x->p && *x->p != '\n' && depth);
}

static bool ends_word(char c)
{
    return !c || strchr(" \t\n|&;<>", c) != NULL;
}

static void word(struct cut *x)
{
    char escape = x->shell == TN_SHELL_POWERSHELL ? '`' : x->shell == TN_SHELL_CMD ? '^' : '\\';
    while (!ends_word(*x->p)) {
        if (*x->p == '"' || (*x->p == '\'' && x->shell != TN_SHELL_CMD)) {
            quotation(x);
        } else if (*x->p == '$' && (x->p[1] == '(' || x->p[1] == '{')) {
            tn_buf_ch(&x->value, *x->p++);
            expansion(x);
        } else if (*x->p == escape && x->p[1] && !(escape == '\\' && tn_is_alpha(x->p[1]))) {
            x->quoted = true; /* C:\x in a text for cmd stays what it is */
            tn_buf_ch(&x->value, x->p[1]);
            x->p += 2;
        } else {
            x->magic |=
                *x->p == '$' || (*x->p == '`' && x->shell == TN_SHELL_SH) || (*x->p == '%' && x->shell == TN_SHELL_CMD);
            tn_buf_ch(&x->value, *x->p++);
        }
    }
}

/* Bytes of the operator or redirection at p; 0: a word. */
static size_t operator_at(const char *p, enum tn_word_kind *kind)
{
    size_t digits = 0;
    *kind = TN_WORD_OPERATOR;
    if (*p == '|' || *p == '&')
        return p[1] == *p ? 2 : 1;
    if (*p == ';')
        return 1;
    *kind = TN_WORD_REDIRECT;
    while (tn_is_digit(p[digits]))
        digits++;
    if (digits > 1 || (p[digits] != '>' && p[digits] != '<'))
        return 0;
    size_t n = digits + 1;
    n += p[n] == '>' && p[n - 1] == '>';
    return p[n] == '&' && tn_is_digit(p[n + 1]) ? n + 2 : n;
}

bool tn_words_split(struct tn_arena *mem, const char *text, enum tn_shell shell, struct tn_words *ret)
{
    struct cut x = {.p = text, .shell = shell};
    bool glued = false;
    tn_buf_init(&x.value);
    ret->n = 0;
    ret->open_quote = false;
    for (;;) {
        const char *gap = x.p;
        x.p += strspn(x.p, " \t\n");
        glued = ret->n && x.p == gap;
        if (!*x.p || ret->n == TN_MAX_COMMAND_WORDS)
            break;
        struct tn_word *w = &ret->v[ret->n++];
        const char *from = x.p;
        *w = (struct tn_word){.glued = glued};
        size_t n = glued && tn_is_digit(*x.p) ? 0 : operator_at(x.p, &w->kind);
        tn_buf_clear(&x.value);
        x.quoted = x.magic = x.open = false;
        if (*x.p == '#' && !glued) { /* a comment */
            w->kind = TN_WORD_OPERATOR;
            n = strcspn(x.p, "\n");
        }
        if (n) {
            x.p += n;
        } else {
            w->kind = TN_WORD;
            word(&x);
        }
        w->raw = tn_arena_strndup(mem, from, (size_t)(x.p - from));
        w->value = w->kind == TN_WORD ? tn_arena_strndup(mem, x.value.p ? x.value.p : "", x.value.n) : w->raw;
        w->quoted = x.quoted;
        w->magic = x.magic;
        ret->open_quote |= x.open;
        w->changed = x.open;
    }
    tn_buf_deinit(&x.value);
    return !*x.p;
}
