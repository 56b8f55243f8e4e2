/* find.c - the commands of a text: behind prompts and list marks, over broken lines, in the middle of a sentence.
 *
 * Sources of prompts: bash, zsh, fish, cmd.exe, PowerShell, conda's "(base) ", Python's ">>> ", IPython's "In [1]: ".
 * Invariant: in a sentence a command ends where the sentence goes on, and only what is sure is mended. */
#include <string.h>

#include "base/str.h"
#include "command/inner.h"

struct found {
    struct tn_arena *mem;
    struct tn_commands *ret;
    bool zsh;
    unsigned lines, whole;  /* with text; of them, commands and nothing else */
    struct tn_typed *typed; /* of the line at hand */
    unsigned flags;
    bool nested; /* what is read was made right here */
};

static void find(struct tn_arena *mem, struct tn_span text, struct tn_commands *ret, bool nested);

static size_t blanks(const char *p)
{
    return strspn(p, " ");
}

/* "- ", "* ", "1. ", "$" of Markdown; "> " of a quotation. */
static size_t list_mark(const char *p)
{
    size_t n = blanks(p), digits = strspn(p + n, "0123456789");
    if (digits && digits < 3 && (p[n + digits] == '.' || p[n + digits] == ')') && p[n + digits + 1] == ' ')
        return n + digits + 2 + blanks(p + n + digits + 2);
    if (strchr("-*+", p[n]) && p[n] && p[n + 1] == ' ' && tn_is_alpha(p[n + 2]))
        return n + 2;
    if (p[n] == '>' && p[n + 1] == ' ')
        return n + 2 + blanks(p + n + 2);
    return n;
}

/* Bytes of a prompt at p, 0 if there is none. */
static size_t prompt(const char *p, enum tn_shell *shell, unsigned *flags)
{
    size_t n = 0, at;
    while (p[n] == '(' && (at = strcspn(p + n, " )")) && p[n + at] == ')' && p[n + at + 1] == ' ') /* (base) */
        n += at + 1 + blanks(p + n + at + 1);
    if (strncmp(p + n, ">>> ", 4) == 0) {
        *flags |= TN_MAKE_PYTHON_PROMPT;
        return n + 4;
    }
    if (strncmp(p + n, "In [", 4) == 0 && (at = strcspn(p + n, "]")) < 12 && strncmp(p + n + at, "]: ", 3) == 0) {
        *flags |= TN_MAKE_PROMPT;
        return n + at + 3;
    }
    bool ps = strncmp(p + n, "PS ", 3) == 0;
    const char *drive = p + n + (ps ? 3 : 0);
    if (tn_is_alpha(drive[0]) && drive[1] == ':' && (at = strcspn(drive, ">")) && drive[at] == '>') {
        *shell = ps ? TN_SHELL_POWERSHELL : TN_SHELL_CMD;
        *flags |= TN_MAKE_PROMPT;
        return (size_t)(drive - p) + at + 1 + blanks(drive + at + 1);
    }
    if (ps) {
        *shell = TN_SHELL_POWERSHELL;
        *flags |= TN_MAKE_PROMPT;
        return n + 3;
    }
    const char *q = p + n; /* user@host:~/x$, [user@host x]#, a bare $, %, # */
    size_t word = *q == '[' ? strcspn(q, "]") : strcspn(q, " $#%`'\"");
    bool host = word && memchr(q, '@', word);
    if (*q == '[' && host && q[word] == ']')
        word++;
    if (!host)
        word = 0;
    else if (q[word] == ' ' && word < 60)
        word += strcspn(q + word, "$#%");
    if (q[word] && strchr("$#%", q[word]) && q[word + 1] == ' ') {
        *flags |= TN_MAKE_PROMPT | (q[word] == '%' ? TN_MAKE_ZSH : 0);
        return n + word + 1 + blanks(q + word + 1);
    }
    return n;
}

static bool is_stop(const char *p, size_t n)
{
    static const char *const stops[] = {
        "is",      "was",   "are",   "were",    "and",    "or",       "but",   "the",    "to",    "for",
        "with",    "did",   "does",  "do",      "not",    "it",       "then",  "i",      "of",    "that",
        "this",    "which", "when",  "works",   "worked", "working",  "fails", "failed", "gives", "gave",
        "gets",    "got",   "error", "because", "after",  "before",   "still", "also",   "only",  "command",
        "instead", "said",  "says",  "you",     "we",     "my",       "your",  "has",    "have",  "had",
        "will",    "would", "can",   "could",   "should", "command:", NULL};
    char word[12];
    if (n >= sizeof word)
        return false;
    for (size_t i = 0; i < n; i++)
        word[i] = tn_lower(p[i]);
    word[n] = 0;
    return tn_str_in(word, stops);
}

/* Where the sentence goes on: a stop word, a character that is no ASCII, the quotation mark that opened it. In
 * quotation marks of the command itself nothing ends. */
static size_t end_of_command(const char *p, char opened)
{
    char inside = 0;
    size_t i = 0;
    for (; p[i]; i++) {
        if (!inside && (opened ? p[i] == opened : p[i] == '`'))
            break;
        if (inside ? p[i] == inside : (p[i] == '"' || p[i] == '\'')) {
            inside = inside ? 0 : p[i];
            continue;
        }
        if (inside)
            continue;
        if ((unsigned char)p[i] > 0x7F)
            break;
        size_t n = strcspn(p + i, " ,.;:)");
        if ((i == 0 || p[i - 1] == ' ') && n && is_stop(p + i, n))
            break;
        if (strchr(",.;:)!?", p[i]) && (p[i + 1] == ' ' || !p[i + 1]))
            break;
    }
    while (i && p[i - 1] == ' ')
        i--;
    return i;
}

/* A sentence that begins with the command has words that no command has. */
static bool is_sentence(const char *p)
{
    size_t n = end_of_command(p, 0), rest = n + blanks(p + n);
    if (p[n] && (unsigned char)p[n] > 0x7F)
        return true;
    return p[rest] && is_stop(p + rest, strcspn(p + rest, " ,.;:)"));
}

/* Most lines are none: they are looked at in memory that is given back. */
static struct tn_command *make_one(struct found *f, const struct tn_typed *t, size_t from, size_t to,
                                   struct tn_span raw, enum tn_shell shell, unsigned flags)
{
    struct tn_arena scratch;
    tn_arena_init(&scratch);
    bool is_one = tn_command_make(&scratch, t, from, to, raw, shell, flags) != NULL;
    tn_arena_deinit(&scratch);
    return is_one ? tn_command_make(f->mem, t, from, to, raw, shell, flags) : NULL;
}

/* Is what was made right right: does reading it again mend nothing? */
static bool settles(const struct found *f, const struct tn_command *c)
{
    if (!c || f->nested || !c->right || !c->n_repair || !c->whole || c->shell != TN_SHELL_SH)
        return true;
    struct tn_commands *all = tn_arena_array(f->mem, 1, sizeof *all);
    find(f->mem, tn_span_str(c->right), all, true);
    for (unsigned i = 0; all->n == 1 && i < all->v[0]->n_repair; i++)
        if (all->v[0]->repair[i].kind != TN_MEND_PIN)
            return false;
    return true;
}

static void keep(struct found *f, struct tn_command *c, unsigned line)
{
    if (!settles(f, c))
        return;
    if (!c || f->ret->n == TN_MAX_COMMANDS)
        return;
    c->line = line;
    f->ret->v[f->ret->n++] = c;
}

/* Commands in the middle of a line. */
static void in_sentence(struct found *f, const struct tn_typed *t, struct tn_span raw, unsigned line)
{
    static const char *const begin[] = {"pip install ",    "pip3 install ", "python -m pip install ",
                                        "conda install ",  "conda create ", "mamba install ",
                                        "uv pip install ", "uv add ",       "python3 -m pip install "};
    for (size_t i = 0; i < t->n; i++) {
        char before = i ? t->text[i - 1] : ' ';
        if (tn_is_alpha(before) || tn_is_digit(before) || strchr("-_./\\", before))
            continue;
        for (unsigned k = 0; k < TN_LEN(begin); k++) {
            size_t n = strlen(begin[k]);
            if (strncmp(t->text + i, begin[k], n) != 0)
                continue;
            size_t end = i + end_of_command(t->text + i, strchr("`'\"", before) ? before : 0);
            if (end > i + n)
                keep(f, make_one(f, t, i, end, raw, TN_SHELL_SH, TN_MAKE_PROSE | (f->flags & TN_MAKE_ZSH)), line);
            i = end > i ? end - 1 : i;
            break;
        }
    }
}

/* The mark that says that the line goes on. */
static bool goes_on(const struct tn_typed *t, enum tn_shell *shell)
{
    size_t n = t->n;
    while (n && t->text[n - 1] == ' ')
        n--;
    if (n < 2 || !strchr("\\^`", t->text[n - 1]) || t->text[n - 2] != ' ')
        return false;
    if (t->text[n - 1] != '\\')
        *shell = t->text[n - 1] == '^' ? TN_SHELL_CMD : TN_SHELL_POWERSHELL;
    return true;
}

static size_t trimmed(struct tn_span s)
{
    size_t n = s.n;
    while (n && (s.p[n - 1] == ' ' || s.p[n - 1] == '\t'))
        n--;
    return n;
}

/* "pip install torch --index-url" / "https://...": the line was broken without a mark. */
static bool is_rest(const struct tn_typed *t, struct tn_span next)
{
    next = tn_span_trim(next);
    size_t n = trimmed(tn_span_of(t->text, t->n)), last = n;
    while (last && t->text[last - 1] != ' ')
        last--;
    bool option = n - last > 2 && strncmp(t->text + last, "--", 2) == 0 && strstr(t->text + last, "url");
    bool url = tn_span_starts(next, "https://") || tn_span_starts(next, "http://");
    bool more = tn_span_starts(next, "--index-url ") || tn_span_starts(next, "--extra-index-url ") ||
                tn_span_starts(next, "--find-links ");
    return (option && url) || (more && !strstr(t->text, "index-url"));
}

struct taken {
    char text[TN_MAX_COMMAND_BYTES + 1]; /* lines that belong together */
    size_t n;
    unsigned lines;
    bool wrapped, marked;
    enum tn_shell shell;
};

/* The line, and those that it goes on in. */
static bool take(struct tn_span first, struct tn_span *rest, struct tn_typed *t, struct taken *ret)
{
    *ret = (struct taken){.lines = 1, .shell = TN_SHELL_SH};
    if (first.n > TN_MAX_COMMAND_BYTES)
        return false;
    memcpy(ret->text, first.p, first.n);
    ret->n = first.n;
    for (;;) {
        struct tn_span after = *rest, next;
        if (!tn_command_plain(tn_span_of(ret->text, ret->n), t))
            return false;
        bool marked = goes_on(t, &ret->shell);
        if (ret->lines > 8 || !tn_span_line(&after, &next) || !tn_span_trim(next).n || (!marked && !is_rest(t, next)))
            break;
        size_t n = trimmed(tn_span_of(ret->text, ret->n)) - (marked ? 1 : 0);
        if (n + next.n + 1 > TN_MAX_COMMAND_BYTES)
            return false;
        ret->text[n] = ' ';
        memcpy(ret->text + n + 1, next.p, next.n);
        ret->n = n + 1 + next.n;
        ret->lines++;
        ret->wrapped |= !marked;
        ret->marked |= marked;
        *rest = after;
    }
    return true;
}

static bool may_hold_one(struct tn_span line)
{
    static const char *const part[] = {"pip",    "conda",  "mamba", "uv ",    "apt", "docker",
                                       "podman", "python", "nvcc",  "nvidia", "wsl", "py "};
    for (unsigned i = 0; i < TN_LEN(part); i++)
        if (tn_span_find(line, 0, part[i], strlen(part[i])) != SIZE_MAX)
            return true;
    return false;
}

/* Full-width letters: the name of the program may be among them. */
static bool is_wide(struct tn_span line)
{
    return tn_span_find(line, 0, "\xEF\xBD", 2) != SIZE_MAX;
}

static void one_line(struct found *f, struct tn_span first, struct tn_span *rest, unsigned line, struct taken *x)
{
    struct tn_typed *t = f->typed;
    struct tn_span after = *rest;
    struct tn_command *c = NULL;
    if (!take(first, &after, t, x))
        return;
    struct tn_span raw = tn_span_of(x->text, x->n);
    unsigned flags = f->flags | (x->wrapped ? TN_MAKE_WRAPPED : 0);
    size_t at = list_mark(t->text), ticks = strspn(t->text + at, "`");
    at += ticks;
    at += prompt(t->text + at, &x->shell, &flags);
    size_t end = t->n;
    while (end > at && (t->text[end - 1] == ' ' || (ticks && t->text[end - 1] == '`')))
        end--;
    if (at < end && !is_sentence(t->text + at))
        c = make_one(f, t, at, end, raw, x->shell, flags);
    if (c) {
        *rest = after;
        f->whole++;
        keep(f, c, line);
        return;
    }
    x->lines = 1;
    if (tn_command_plain(first, t))
        in_sentence(f, t, first, line);
}

static void look(struct found *f, struct tn_span text)
{
    struct tn_span rest = text, line;
    struct taken *x = tn_arena_array(f->mem, 1, sizeof *x);
    f->typed = tn_arena_array(f->mem, 1, sizeof *f->typed);
    f->ret->n = 0;
    f->lines = f->whole = 0;
    for (unsigned number = 1; f->ret->n < TN_MAX_COMMANDS && tn_span_line(&rest, &line); number += x->lines) {
        x->lines = 1;
        struct tn_span bare = tn_span_trim(line);
        if (!bare.n || tn_span_starts(bare, "```"))
            continue;
        f->lines++;
        if (may_hold_one(line) || is_wide(line))
            one_line(f, line, &rest, number, x);
    }
    f->ret->alone = f->lines && f->lines == f->whole;
}

static void find(struct tn_arena *mem, struct tn_span text, struct tn_commands *ret, bool nested)
{
    struct found f = {.mem = mem, .ret = ret, .nested = nested};
    if (tn_span_find(text, 0, "zsh: no matches found", strlen("zsh: no matches found")) != SIZE_MAX)
        f.flags |= TN_MAKE_ZSH;
    look(&f, text);
    if (!ret->alone)
        return;
    f.flags |= TN_MAKE_PINS;
    look(&f, text);
}

void tn_commands_find(struct tn_arena *mem, struct tn_span text, struct tn_commands *ret)
{
    find(mem, text, ret, false);
}

struct tn_command *tn_command_read(struct tn_arena *mem, const char *text)
{
    struct tn_commands *all = tn_arena_array(mem, 1, sizeof *all);
    tn_commands_find(mem, tn_span_str(text), all);
    return all->n == 1 && all->v[0]->whole ? all->v[0] : NULL;
}
