/* want.c - the packages that a command asks for, and what the way here did to them.
 *
 * Sources: PEP 508 (pip, uv), conda's package match specification ("name=version=build", one or two equal signs),
 * POSIX.1-2024 2.7 (an unquoted > or < is a redirection in every shell). */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "command/inner.h"
#include "snapshot/packages.h"

bool tn_command_is_version(const char *s)
{
    static const char *const tails[] = {"a", "b", "rc", "post", "dev", "alpha", "beta", NULL};
    if (!tn_is_digit(*s))
        return false;
    while (tn_is_digit(*s) || (*s == '.' && tn_is_digit(s[1])))
        s++;
    while (*s) {
        unsigned i = 0;
        s += *s == '.' || *s == '-';
        if (*s == '*')
            return s[1] == 0;
        if (*s == '+')
            return s[1] && strspn(s + 1, "abcdefghijklmnopqrstuvwxyz0123456789._") == strlen(s + 1);
        while (tails[i] && strncmp(s, tails[i], strlen(tails[i])) != 0)
            i++;
        if (!tails[i])
            return false;
        s += strlen(tails[i]);
        while (tn_is_digit(*s))
            s++;
    }
    return true;
}

static bool is_name_char(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '-' || c == '_' || c == '.';
}

bool tn_command_name(const char *s, size_t n, char buf[64])
{
    if (n == 0 || n >= 64 || !(tn_is_alpha(s[0]) || tn_is_digit(s[0])) ||
        !(tn_is_alpha(s[n - 1]) || tn_is_digit(s[n - 1])))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_name_char(s[i]))
            return false;
        buf[i] = s[i] == '_' || s[i] == '.' ? '-' : tn_lower(s[i]);
    }
    buf[n] = 0;
    return true;
}

static bool is_public(const char *s, size_t n)
{
    char name[64];
    return tn_command_name(s, n, name) && tn_package_is_public(name);
}

static unsigned end_of(const struct tn_mending *m)
{
    return m->to < m->w->n ? m->to : m->w->n;
}

static const char *value(const struct tn_mending *m, unsigned i)
{
    return i < end_of(m) ? m->w->v[i].value : "";
}

static bool is_plain_word(const struct tn_mending *m, unsigned i)
{
    return i < end_of(m) && m->w->v[i].kind == TN_WORD && !m->w->v[i].magic;
}

/* An address, a file or a folder: nothing to read here. */
static bool is_place(const char *s)
{
    return strstr(s, "://") || strchr(s, '/') || strchr(s, '\\') || *s == '.' || tn_str_ends(s, ".whl") ||
           tn_str_ends(s, ".txt") || tn_str_ends(s, ".gz") || tn_str_ends(s, ".zip") || strchr(s, '@');
}

/* ">" "=2.10" -> tensorflow>=2.10: what the shell takes for redirections. Returns the words that belong together. */
static unsigned redirected(const struct tn_mending *m, unsigned i, struct tn_buf *ret)
{
    unsigned k = i + 1;
    tn_buf_str(ret, value(m, i));
    while (k + 1 < end_of(m) && m->w->v[k].kind == TN_WORD_REDIRECT && m->w->v[k].value[1] == 0 &&
           m->w->v[k + 1].kind == TN_WORD && !m->w->v[k + 1].quoted) {
        const char *target = value(m, k + 1);
        bool equals = *target == '=';
        bool apart = equals && !target[1];
        if (apart)
            target = value(m, k + 2);
        char first[64];
        size_t n = strcspn(target + (equals && !apart), ",");
        if (n == 0 || n >= sizeof first)
            break;
        memcpy(first, target + (equals && !apart), n);
        first[n] = 0;
        if (!tn_command_is_version(first))
            break;
        tn_buf_str(ret, value(m, k));
        if (apart)
            tn_buf_ch(ret, '=');
        tn_buf_str(ret, target);
        k += apart ? 3 : 2;
    }
    return k - i;
}

static bool mend_redirect(struct tn_mending *m, unsigned i)
{
    struct tn_buf b;
    if (strcmp(value(m, i + 1), "=") == 0 && i + 2 < end_of(m) && m->w->v[i + 2].kind == TN_WORD_REDIRECT) { /* => */
        m->w->v[i].value = tn_arena_printf(m->mem, "%s=", value(m, i));
        tn_mend_drop(m, i + 1, 1);
    }
    size_t n = strcspn(value(m, i), "[=,");
    bool bare = is_name_char(value(m, i)[0]) &&
                (!value(m, i)[n] || value(m, i)[strlen(value(m, i)) - 1] == ']' || strchr(value(m, i), '='));
    if (m->w->v[i].quoted || !bare || i + 1 >= end_of(m) || m->w->v[i + 1].kind != TN_WORD_REDIRECT)
        return false;
    tn_buf_init(&b);
    unsigned words = redirected(m, i, &b);
    if (words > 1)
        tn_mend_word_is(m, i, words, tn_arena_strndup(m->mem, b.p, b.n), TN_MEND_REDIRECT);
    tn_buf_deinit(&b);
    return words > 1;
}

/* "tensorflow == 2.10", "tensorflow= =2.10", "jax [cuda12]": pieces of one requirement. */
static bool mend_pieces(struct tn_mending *m, unsigned i)
{
    char text[160];
    size_t name = strcspn(value(m, i), "[=<>!~"), size = 0;
    bool open = false;
    unsigned k = i;
    if (m->w->v[i].quoted || !is_name_char(value(m, i)[0]))
        return false;
    for (; k < i + 5 && is_plain_word(m, k); k++) {
        const char *w = value(m, k);
        size_t n = strlen(w);
        bool more = k == i || strchr("=<>!~[", *w) || (size && strchr("=<>!~", text[size - 1])) || open;
        if (!more || size + n >= sizeof text)
            break;
        memcpy(text + size, w, n);
        size += n;
        text[size] = 0;
        const char *bracket = strrchr(text, '[');
        open = bracket && !strchr(bracket, ']');
    }
    if (k <= i + 1 || text[name] == 0 || open)
        return false;
    const char *op = text + name;
    if (*op == '[')
        op = strchr(op, ']') + 1;
    size_t n = strspn(op, "=<>!~");
    if (n > 3 || (n ? !tn_command_is_version(op + n) : *op != 0))
        return false;
    tn_mend_word_is(m, i, k - i, tn_arena_strdup(m->mem, text), TN_MEND_EXTRA_BLANK);
    return true;
}

static const char *joined(struct tn_mending *m, const char *name, size_t n, const char *version)
{
    return tn_arena_printf(m->mem, "%.*s%s%s", (int)n, name, m->part->tool == TN_TOOL_CONDA ? "=" : "==", version);
}

/* "tensorflow 2.10", "python3.9", "cudatoolkit-11.2": the sign between name and version is gone. */
static void mend_lost_equals(struct tn_mending *m, unsigned i)
{
    const char *w = value(m, i), *next = value(m, i + 1);
    bool conda = m->part->tool == TN_TOOL_CONDA;
    size_t n = strlen(w);
    if (m->w->v[i].quoted || strpbrk(w, "=<>!~["))
        return;
    if (is_public(w, n)) {
        if (is_plain_word(m, i + 1) && strchr(next, '.') && tn_command_is_version(next))
            tn_mend_word_is(m, i, 2, joined(m, w, n, next), TN_MEND_LOST_EQUALS);
        return;
    }
    for (size_t at = 1; at < n; at++) {
        size_t name = w[at - 1] == '-' ? at - 1 : at;
        if (!tn_is_digit(w[at]) || !strchr(w + at, '.') || !tn_command_is_version(w + at) || !is_public(w, name))
            continue;
        if (conda || strncmp(w, "python", name) != 0) {
            tn_mend_word_is(m, i, 1, joined(m, w, name, w + at), TN_MEND_LOST_EQUALS);
            return;
        }
    }
}

/* "tensorflow==2.10," and "numpy." */
static void mend_trailing(struct tn_mending *m, unsigned i)
{
    const char *w = value(m, i);
    size_t n = strlen(w), keep = n;
    while (keep && strchr(",;.", w[keep - 1]))
        keep--;
    if (keep == n || keep == 0 || m->w->v[i].quoted || !is_name_char(w[0]))
        return;
    tn_mend_word_is(m, i, 1, tn_arena_strndup(m->mem, w, keep), TN_MEND_TRAILING);
}

/* pip: "tensorflow=2.10"; everywhere "=>2.10". */
static void mend_operator(struct tn_mending *m, unsigned i)
{
    const char *w = value(m, i);
    size_t n = strcspn(w, "=<>!~[");
    if (w[n] == '[') {
        const char *close = strchr(w, ']');
        n = close ? (size_t)(close - w) + 1 : strlen(w);
    }
    const char *op = w + n;
    size_t k = strspn(op, "=<>!~");
    if (n == 0 || k == 0)
        return;
    const char *version = op + k;
    if (k == 2 && op[0] == '=' && op[1] != '=') {
        tn_mend_word_is(m, i, 1, tn_arena_printf(m->mem, "%.*s%c=%s", (int)n, w, op[1], version), TN_MEND_OPERATOR);
    } else if (k == 1 && *op == '=' && m->part->tool != TN_TOOL_CONDA && m->part->tool != TN_TOOL_APT &&
               tn_command_is_version(version)) {
        tn_mend_word_is(m, i, 1, tn_arena_printf(m->mem, "%.*s==%s", (int)n, w, version), TN_MEND_SINGLE_EQUALS);
    }
}

/* conda's "conda-forge" where a package must stand: the -c before it is gone. */
static bool mend_channel(struct tn_mending *m, unsigned i)
{
    if (m->part->tool != TN_TOOL_CONDA || strcmp(value(m, i), "conda-forge") != 0)
        return false;
    tn_mend_word_is(m, i, 1, "-c conda-forge", TN_MEND_LOST_DASH);
    m->w->v[i].value = "-c";
    tn_mend_insert(m, i + 1, "conda-forge");
    if (m->part->n_channel < TN_LEN(m->part->channel))
        m->part->channel[m->part->n_channel++] = "conda-forge";
    return true;
}

static void read_want(struct tn_mending *m, unsigned i)
{
    char name[64];
    const char *w = value(m, i), *sep = strstr(w, "::");
    if (m->part->tool == TN_TOOL_CONDA && sep)
        w = sep + 2;
    size_t n = strcspn(w, "=<>!~[; ");
    const char *extras = "", *spec = w + n;
    if (*spec == '[') {
        const char *close = strchr(spec, ']');
        if (!close)
            return;
        extras = tn_arena_strndup(m->mem, spec + 1, (size_t)(close - spec - 1));
        spec = close + 1;
    }
    if (!tn_command_name(w, n, name) || m->part->n_want == TN_MAX_COMMAND_WANTS)
        return;
    if (m->part->tool == TN_TOOL_CONDA && strcmp(name, "python") == 0 && *spec == '=')
        m->part->python = spec + strspn(spec, "=");
    struct tn_want *want = &m->part->want[m->part->n_want++];
    *want = (struct tn_want){tn_arena_strdup(m->mem, name), extras, spec + strspn(spec, " ")};
    if (m->part->tool == TN_TOOL_PIP || m->part->tool == TN_TOOL_UV)
        tn_mend_name(m, i, want);
}

void tn_mend_wants(struct tn_mending *m, unsigned i)
{
    for (unsigned n; i < end_of(m) && !m->full; i += n) {
        n = tn_option_words(m, i);
        if (n)
            continue;
        n = m->w->v[i].kind == TN_WORD_REDIRECT ? 2 : 1;
        if (!is_plain_word(m, i) || is_place(value(m, i)) || !*value(m, i))
            continue;
        if (!m->prose && mend_channel(m, i)) {
            n = 2;
            continue;
        }
        if (!m->prose)
            mend_pieces(m, i);
        mend_redirect(m, i);
        mend_trailing(m, i);
        if (!m->prose)
            mend_lost_equals(m, i);
        mend_operator(m, i);
        read_want(m, i);
    }
}
