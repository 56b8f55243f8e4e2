/* redact_log.c - a program's output for a file that its user keeps: what it may have printed of secrets is cut, all
 * else stays as it is. */
#include "snapshot/redact.h"

#include <string.h>

#include "base/str.h"

#define MAX_URL 4096u

static bool is_word(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c);
}

/* Where the URL around "://" at i begins, or i if no scheme stands there (RFC 3986, 3.1). */
static size_t scheme(const char *s, size_t i, size_t least)
{
    size_t from = i;
    while (from > least && (is_word(s[from - 1]) || strchr("+-.", s[from - 1])))
        from--;
    while (from < i && !tn_is_alpha(s[from]))
        from++;
    return from;
}

static size_t url_end(const char *s, size_t n, size_t i)
{
    size_t from = i;
    while (i < n && i - from < MAX_URL && (unsigned char)s[i] > ' ' && !strchr("\"'<>`\\", s[i]))
        i++;
    return i;
}

/* A line of a key: nothing of it is kept. True: and it is none any more. */
static bool ends_key(const char *s, size_t n)
{
    return n >= 9 && memcmp(s, "-----END ", 9) == 0;
}

static bool begins_key(const char *s, size_t n)
{
    static const char begin[] = "-----BEGIN ", key[] = "KEY-----";
    while (n && (s[n - 1] == '\n' || s[n - 1] == '\r'))
        n--;
    return n > sizeof begin + sizeof key && memcmp(s, begin, sizeof begin - 1) == 0 &&
           memcmp(s + n - (sizeof key - 1), key, sizeof key - 1) == 0;
}

static void line(const char *s, size_t n, struct tn_buf *ret)
{
    size_t done = 0; /* written up to here */
    for (size_t i = 0; i < n; i++) {
        bool url = s[i] == ':' && n - i > 3 && memcmp(s + i, "://", 3) == 0;
        size_t from = url ? scheme(s, i, done) : i, to = url ? url_end(s, n, i + 3) : i;
        if (url && from < i && memchr(s + from, 0, to - from) == NULL) {
            struct tn_buf one;
            tn_buf_init(&one);
            tn_buf_add(&one, s + from, to - from);
            tn_buf_add(ret, s + done, from - done);
            tn_redact_credentials(one.p, ret);
            tn_buf_deinit(&one);
        } else if (!url && (to = tn_redact_secret(s + i, n - i, i == 0 || !is_word(s[i - 1]))) > 0) {
            tn_buf_add(ret, s + done, i - done);
            tn_buf_str(ret, "***");
            to += i;
        } else {
            continue;
        }
        done = to;
        i = to - 1;
    }
    tn_buf_add(ret, s + done, n - done);
}

void tn_redact_log(struct tn_span text, bool *in_key, struct tn_buf *ret)
{
    const char *p = (const char *)text.p, *end = p + text.n;
    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *next = nl ? nl + 1 : end;
        size_t n = (size_t)(next - p);
        if (*in_key) {
            *in_key = !ends_key(p, n);
        } else if (begins_key(p, n)) {
            *in_key = true;
            tn_buf_str(ret, "***\n");
        } else {
            line(p, n, ret);
        }
        p = next;
    }
}
