/* quote.c - one word of a command line for the shells that people paste into.
 *
 * Invariant: what is offered reaches the program as the very same bytes in every version of that shell; whatever
 * cannot be promised to is refused. Sources: POSIX.1-2024 2.2 "Quoting"; PowerShell about_Quoting_Rules and
 * about_Parsing (native arguments before 7.3); "Everyone quotes command line arguments the wrong way" for
 * CommandLineToArgvW.
 */
#include <string.h>

#include "base/str.h"
#include "finding/catalogue.h"

/* Control characters, line and paragraph separators, bidirectional controls (Unicode UAX 9) and invisible blanks:
 * a person must see what is run. */
static bool is_unseen(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0x180e ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || c >= 0xe0000;
}

static bool is_showable(const char *word)
{
    size_t n = strlen(word);
    if (!tn_utf8_valid(word, n))
        return false;
    for (size_t i = 0; i < n;) {
        uint32_t c;
        i += tn_utf8_next(word + i, n - i, &c);
        if (is_unseen(c))
            return false;
    }
    return true;
}

static bool is_made_of(const char *word, const char *marks)
{
    for (; *word; word++)
        if (!tn_is_alpha(*word) && !tn_is_digit(*word) && strchr(marks, *word) == NULL)
            return false;
    return true;
}

static bool quote_sh(struct tn_buf *ret, const char *word)
{
    if (*word && *word != '=' && is_made_of(word, "_@%+=:,./-")) {
        tn_buf_str(ret, word);
        return true;
    }
    tn_buf_ch(ret, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            tn_buf_str(ret, "'\\''");
        else
            tn_buf_ch(ret, *word);
    }
    tn_buf_ch(ret, '\'');
    return true;
}

/* Up to 7.2 PowerShell drops empty arguments and does not escape a '"' or a last '\' for the program. */
static bool quote_powershell(struct tn_buf *ret, const char *word)
{
    size_t n = strlen(word);
    if (n == 0 || strchr(word, '"') || (word[n - 1] == '\\' && strchr(word, ' ')))
        return false;
    /* "-a.b" would become two arguments. */
    if (is_made_of(word, "_+=./\\:-") && !(*word == '-' && strpbrk(word, ".:"))) {
        tn_buf_str(ret, word);
        return true;
    }
    tn_buf_ch(ret, '\'');
    for (size_t i = 0; i < n;) {
        uint32_t c;
        size_t step = tn_utf8_next(word + i, n - i, &c);
        tn_buf_add(ret, word + i, step);
        if (c == '\'' || (c >= 0x2018 && c <= 0x201b)) /* PowerShell takes typographic quotes for quotes */
            tn_buf_add(ret, word + i, step);
        i += step;
    }
    tn_buf_ch(ret, '\'');
    return true;
}

/* Nothing keeps cmd from replacing %NAME% (and !NAME! with /V:ON) between quotes. */
static bool quote_cmd(struct tn_buf *ret, const char *word)
{
    if (strpbrk(word, "%!\""))
        return false;
    if (*word && is_made_of(word, "_+./\\:-")) {
        tn_buf_str(ret, word);
        return true;
    }
    size_t n = strlen(word), back = 0;
    while (back < n && word[n - 1 - back] == '\\')
        back++;
    tn_buf_ch(ret, '"');
    tn_buf_str(ret, word);
    for (; back > 0; back--) /* else the last one would escape the closing quote */
        tn_buf_ch(ret, '\\');
    tn_buf_ch(ret, '"');
    return true;
}

bool tn_shell_quote(struct tn_buf *ret, enum tn_shell shell, const char *word)
{
    if (!is_showable(word))
        return false;
    switch (shell) {
    case TN_SHELL_SH: return quote_sh(ret, word);
    case TN_SHELL_POWERSHELL: return quote_powershell(ret, word);
    case TN_SHELL_CMD: return quote_cmd(ret, word);
    }
    return false;
}
