/* escape.c - see escape.h. */
#include "report/escape.h"

#include <string.h>

#include "base/str.h"

static bool dangerous(uint32_t c)
{
    return c < 32 || c == 127 || (c >= 0x80 && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB);
}

void tn_escape_terminal(struct tn_buf *ret, const char *s)
{
    size_t n = strlen(s);
    while (n) {
        uint32_t c;
        size_t k = tn_utf8_next(s, n, &c);
        if (c == 0xFFFD && k == 1)
            tn_buf_printf(ret, "\\x%02X", (unsigned char)s[0]);
        else if (dangerous(c))
            tn_buf_printf(ret, c < 0x80 ? "\\x%02X" : "\\u{%04X}", (unsigned)c);
        else
            tn_buf_add(ret, s, k);
        s += k;
        n -= k;
    }
}

void tn_escape_csv(struct tn_buf *ret, const char *s)
{
    struct tn_buf t;
    tn_buf_init(&t);
    if (*s && strchr("=+-@", *s) && !(tn_is_digit(s[1]) || s[1] == '.'))
        tn_buf_ch(&t, '\'');
    tn_escape_terminal(&t, s);
    if (strpbrk(t.p, "\",")) {
        tn_buf_ch(ret, '"');
        for (const char *p = t.p; *p; p++) {
            if (*p == '"')
                tn_buf_ch(ret, '"');
            tn_buf_ch(ret, *p);
        }
        tn_buf_ch(ret, '"');
    } else {
        tn_buf_str(ret, t.p);
    }
    tn_buf_deinit(&t);
}

void tn_escape_markdown(struct tn_buf *ret, const char *s)
{
    struct tn_buf t;
    tn_buf_init(&t);
    tn_escape_terminal(&t, s);
    for (const char *p = t.p; *p; p++) {
        if (strchr("|\\`*_<>[]", *p))
            tn_buf_ch(ret, '\\');
        tn_buf_ch(ret, *p);
    }
    tn_buf_deinit(&t);
}
