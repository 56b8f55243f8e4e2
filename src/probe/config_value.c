/* config_value.c - see config.h: values of settings without the secrets that stand in their URLs. */
#include <string.h>

#include "base/str.h"
#include "probe/config.h"
#include "snapshot/redact.h"

/* A path component that can only be a token: 20 and more letters and digits in one piece, both among them. */
static bool is_token(const char *s, size_t n)
{
    size_t run = 0, digits = 0, letters = 0;
    for (size_t i = 0; i < n; i++) {
        if (tn_is_digit(s[i]))
            digits++;
        else if (tn_is_alpha(s[i]))
            letters++;
        else {
            run = digits = letters = 0;
            continue;
        }
        if (++run >= 20 && digits > 1 && letters > 1)
            return true;
    }
    return false;
}

/* One word without user, password, query, and tokens of its path; conda's are behind /t/ (conda, "Using a private
 * repository": conda.anaconda.org/t/TOKEN/CHANNEL). */
static void cut_word(struct tn_arena *mem, const char *word, struct tn_buf *ret)
{
    const char *mark = strstr(word, "://");
    struct tn_buf b;
    if (!mark) {
        const char *at = strrchr(word, '@');
        tn_buf_str(ret, at ? at + 1 : word);
        return;
    }
    const char *scheme = mark;
    while (scheme > word && (tn_is_alpha(scheme[-1]) || tn_is_digit(scheme[-1]) || strchr("+.-", scheme[-1])))
        scheme--;
    const char *name = tn_arena_strndup(mem, word, (size_t)(scheme - word)); /* "pytorch=" of UV_INDEX */
    tn_buf_init(&b);
    tn_redact_credentials(scheme, &b);
    tn_buf_str(ret, name);
    bool after_t = false;
    unsigned part = 0; /* scheme, nothing, host, then the path */
    for (size_t i = 0, n; i < b.n; i += n + 1, part++) {
        n = strcspn(b.p + i, "/");
        bool secret = n && (after_t || is_token(b.p + i, n));
        if (secret)
            tn_buf_str(ret, "***");
        else
            tn_buf_add(ret, b.p + i, n);
        after_t = part > 2 && n == 1 && b.p[i] == 't';
        if (b.p[i + n])
            tn_buf_ch(ret, '/');
    }
    tn_buf_deinit(&b);
}

size_t tn_config_word(const char *s, const char *separators)
{
    size_t n = strcspn(s, separators);
    while (s[n]) {
        size_t gap = strspn(s + n, separators), more = strcspn(s + n + gap, separators);
        const char *next = s + n + gap, *at = memchr(next, '@', more), *mark = strstr(next, "://");
        if (!at || (mark && mark < at))
            break;
        n += gap + more;
    }
    return n;
}

const char *tn_config_without_secrets(struct tn_arena *mem, const char *value)
{
    struct tn_buf b;
    tn_buf_init(&b);
    while (*value) {
        size_t n = tn_config_word(value, " \t\r\n");
        if (n)
            cut_word(mem, tn_arena_strndup(mem, value, n), &b);
        value += n;
        if (*value) {
            tn_buf_ch(&b, ' ');
            value++;
        }
    }
    const char *s = tn_arena_strndup(mem, b.p ? b.p : "", b.n);
    tn_buf_deinit(&b);
    return s;
}
