/* remedy.c - the command of a remedy, for the machine that is described and the shell that it is shown for.
 *
 * Invariant: an argument is one word of the command whatever is in it, and never an option of the program. */
#include <string.h>

#include "base/str.h"
#include "finding/catalogue.h"

/* Distributions that take another's commands (ID_LIKE of their os-release). */
static const char *const like[][2] = {
    {"ubuntu", "debian"},
    {"linuxmint", "ubuntu"},
    {"pop", "ubuntu"},
    {"zorin", "ubuntu"},
    {"elementary", "ubuntu"},
    {"kali", "debian"},
    {"raspbian", "debian"},
    {"rhel", "fedora"},
    {"rocky", "rhel"},
    {"almalinux", "rhel"},
    {"centos", "rhel"},
    {"ol", "rhel"},
    {"amzn", "fedora"},
    {"manjaro", "arch"},
    {"endeavouros", "arch"},
    {"opensuse-leap", "suse"},
    {"opensuse-tumbleweed", "suse"},
    {"sles", "suse"},
};

static const char *find(const struct tn_remedy_text *t, const char *variant)
{
    const char *of;
    for (unsigned i = 0; i < t->n_command; i++) {
        const char *command = tn_remedy_template(t, i, &of);
        if (strcmp(of, variant) == 0)
            return command;
    }
    return NULL;
}

static const char *for_distro(const struct tn_remedy_text *t, const char *distro)
{
    for (unsigned hops = 0; distro && hops < 4; hops++) {
        const char *c = find(t, distro);
        if (c)
            return c;
        const char *next = NULL;
        for (unsigned i = 0; i < TN_LEN(like); i++)
            if (strcmp(like[i][0], distro) == 0)
                next = like[i][1];
        distro = next;
    }
    return NULL;
}

static const char *choose(const struct tn_remedy_text *t, const struct tn_remedy *r, const struct tn_snap *s)
{
    if (r->variant)
        return find(t, r->variant);
    const struct tn_rec_host *host = TN_THE(s, host);
    const char *c = NULL;
    if (tn_is(host->wsl, 2))
        c = find(t, "wsl2");
    if (c == NULL && tn_known(host->distro) && !tn_says(host->os, "windows"))
        c = for_distro(t, host->distro.v);
    if (c == NULL && tn_known(host->os))
        c = find(t, host->os.v);
    return c ? c : find(t, "");
}

/* Fills one word of the template; false when an argument is missing, or would turn the word into an option. */
static bool fill_word(struct tn_buf *ret, const char *word, size_t n, const struct tn_remedy *r)
{
    struct tn_buf text;
    tn_buf_init(&text);
    tn_buf_add(&text, word, n);
    tn_buf_clear(ret);
    tn_text_fill(ret, text.p, r->arg, r->n_arg);
    bool literal = strchr(text.p, '{') == NULL, minus = text.p[0] == '-';
    tn_buf_deinit(&text);
    if (literal)
        return true;
    for (const char *p = word; p < word + n; p++) {
        const char *end = *p == '{' ? memchr(p, '}', (size_t)(word + n - p)) : NULL;
        bool given = end == NULL;
        for (unsigned i = 0; i < r->n_arg && !given; i++)
            given = strlen(r->arg[i].key) == (size_t)(end - p - 1) &&
                    memcmp(r->arg[i].key, p + 1, (size_t)(end - p - 1)) == 0 && r->arg[i].value[0];
        if (!given)
            return false;
    }
    return minus || ret->p[0] != '-';
}

/* The next word of the template: blanks between quotes belong to it, the quotes do not. */
static const char *next_word(struct tn_buf *ret, const char *p, const char *end)
{
    char inside = 0;
    tn_buf_clear(ret);
    for (; p < end && (inside || *p != ' '); p++) {
        if (inside ? *p == inside : *p == '"' || *p == '\'')
            inside = inside ? 0 : *p;
        else
            tn_buf_add(ret, p, 1);
    }
    return p;
}

/* Words of the template that are meant for the shell: a pipe, the user's name, files of a folder. No argument of a
 * remedy can become one: they stand in braces. NULL for all others. */
static const char *for_shell(const char *word, enum tn_shell shell)
{
    if (strcmp(word, "|") == 0)
        return word;
    if (shell != TN_SHELL_SH)
        return NULL;
    if (strcmp(word, "$USER") == 0)
        return "\"$USER\"";
    bool glob = word[0] == '/' && word[strcspn(word, "*")] == '*';
    for (const char *p = word; *p && glob; p++)
        glob = *p == '/' || *p == '*' || *p == '-' || *p == '.' || tn_is_digit(*p) ||
               (tn_lower(*p) >= 'a' && tn_lower(*p) <= 'z');
    return glob ? word : NULL;
}

static bool add_line(struct tn_buf *ret, const char *line, size_t n, const struct tn_remedy *r, enum tn_shell shell)
{
    struct tn_buf raw, word, quoted;
    bool ok = true, first = true;
    tn_buf_init(&raw);
    tn_buf_init(&word);
    tn_buf_init(&quoted);
    for (const char *p = line, *end = line + n; ok && p < end; first = false) {
        p = next_word(&raw, p, end);
        tn_buf_clear(&quoted);
        const char *meant = for_shell(raw.p, shell);
        if (meant)
            tn_buf_str(&quoted, meant);
        else
            ok = fill_word(&word, raw.p, raw.n, r) && tn_shell_quote(&quoted, shell, word.p);
        if (ok && first && shell == TN_SHELL_POWERSHELL && quoted.p[0] == '\'')
            tn_buf_str(ret, "& "); /* else a quoted first word is a text, not a program */
        if (ok && first && shell == TN_SHELL_SH && strchr(word.p, '='))
            ok = false; /* it would be read as an assignment */
        tn_buf_str(ret, first ? "" : " ");
        tn_buf_str(ret, quoted.p);
        while (p < end && *p == ' ')
            p++;
    }
    tn_buf_deinit(&raw);
    tn_buf_deinit(&word);
    tn_buf_deinit(&quoted);
    return ok;
}

static bool command(struct tn_buf *ret, const struct tn_remedy *r, const struct tn_snap *s, enum tn_shell shell,
                    const char *between)
{
    struct tn_remedy_text t;
    const char *c = tn_remedy_find(r->id, &t) ? choose(&t, r, s) : NULL;
    if (c == NULL)
        return false;
    struct tn_buf all;
    bool ok = true;
    tn_buf_init(&all);
    for (const char *line = c; ok && *line;) {
        size_t n = strcspn(line, "\n");
        tn_buf_str(&all, all.n ? between : "");
        ok = add_line(&all, line, n, r, shell);
        line += n + (line[n] == '\n');
    }
    if (ok)
        tn_buf_str(ret, all.p);
    tn_buf_deinit(&all);
    return ok;
}

/* PowerShell before 7 has no "&&" (about_Pipeline_Chain_Operators). */
bool tn_remedy_command(struct tn_buf *ret, const struct tn_remedy *r, const struct tn_snap *s, enum tn_shell shell)
{
    return command(ret, r, s, shell, shell == TN_SHELL_POWERSHELL ? "; " : " && ");
}

bool tn_remedy_lines(struct tn_buf *ret, const struct tn_remedy *r, const struct tn_snap *s, enum tn_shell shell)
{
    return command(ret, r, s, shell, "\n");
}

unsigned tn_remedy_count(const struct tn_remedy *r, const struct tn_snap *s)
{
    struct tn_remedy_text t;
    const char *c = tn_remedy_find(r->id, &t) ? choose(&t, r, s) : NULL;
    unsigned n = c && *c;
    for (; c && *c; c++)
        n += *c == '\n' && c[1];
    return n;
}
