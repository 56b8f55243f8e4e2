/* walk.c - see walk.h. */
#include "os/win32/walk.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "os/win32/wtf8.h"

#define MAX_REST (128u << 10) /* a Windows path has at most 32767 units */

static bool is_sep(char c)
{
    return c == '/' || c == '\\';
}

/* The part of an absolute path that is below the root; NULL: outside whatever the root stands for. */
static const char *inside(const char *p)
{
    if (tn_is_alpha(p[0]) && p[1] == ':')
        return tn_lower(p[0]) == 'c' && (is_sep(p[2]) || !p[2]) ? p + 2 : NULL;
    if (p[0] == '\\' && is_sep(p[1])) /* \\server\share, \\?\Volume{...} */
        return NULL;
    return p;
}

/* Names that NTFS cannot hold; ':' would open a stream or a drive. */
static bool impossible(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < 32 || strchr(":*?<>|\"", name[i]))
            return true;
    return n > 3 * TN_MAX_NAME_BYTES;
}

struct walk {
    struct tn_buf at;   /* root\a\b */
    struct tn_buf rest; /* still to walk */
    size_t floor;       /* length of the root */
    unsigned links;
};

static void up(struct walk *w)
{
    size_t n = w->at.n;
    while (n > w->floor && w->at.p[n - 1] != '\\')
        n--;
    w->at.n = n > w->floor ? n - 1 : w->floor;
    w->at.p[w->at.n] = 0;
}

/* The link just looked at (and appended to at) is replaced by its target, put before what is left. */
static int follow(struct walk *w, const char *target, bool folder, struct tn_err *err)
{
    if (!*target)
        return tn_err_set(err, TN_E_NOTFOUND, w->at.p, "the link leads nowhere");
    if (++w->links > TN_MAX_LINKS)
        return tn_err_set(err, TN_E_LIMIT, w->at.p, "too many links");
    if (strlen(target) + w->rest.n + 1 > MAX_REST)
        return tn_err_set(err, TN_E_LIMIT, w->at.p, "path too long");
    bool absolute = is_sep(target[0]) || (tn_is_alpha(target[0]) && target[1] == ':');
    const char *in = absolute ? inside(target) : target;
    if (!in)
        return tn_err_set(err, TN_E_REFUSED, w->at.p, "the link leads out of the root folder");
    struct tn_buf all;
    tn_buf_init(&all);
    tn_buf_str(&all, in);
    if (w->rest.n || folder) {
        tn_buf_ch(&all, '\\');
        tn_buf_add(&all, w->rest.p, w->rest.n);
    }
    tn_buf_deinit(&w->rest);
    w->rest = all;
    if (absolute) {
        w->at.n = w->floor;
        w->at.p[w->floor] = 0;
    } else {
        up(w);
    }
    return 0;
}

static int step(struct walk *w, size_t from, size_t n, bool last, tn_walk_look_fn look, void *ctx, struct tn_err *err)
{
    char type = 0;
    struct tn_buf target;
    const char *name = w->rest.p + from;
    bool folder = from + n < w->rest.n; /* a separator follows */
    size_t after = from + n;
    while (after < w->rest.n && is_sep(w->rest.p[after]))
        after++;
    bool is_last = after == w->rest.n;
    if (impossible(name, n))
        return tn_err_set(err, TN_E_NOTFOUND, w->rest.p, "no such file");
    if (w->at.n + n + 1 > MAX_REST)
        return tn_err_set(err, TN_E_LIMIT, w->rest.p, "path too long");
    if (w->at.p[w->at.n - 1] != '\\')
        tn_buf_ch(&w->at, '\\');
    tn_buf_add(&w->at, name, n);
    memmove(w->rest.p, w->rest.p + after, w->rest.n - after + 1);
    w->rest.n -= after;
    tn_buf_init(&target);
    int rc = look(ctx, w->at.p, &type, &target, err);
    if (rc == 0 && type == 'l' && (!is_last || folder || last))
        rc = follow(w, target.p, folder, err);
    else if (rc == 0 && type != 'd' && folder)
        rc = tn_err_set(err, TN_E_NOTFOUND, w->at.p, "not a folder");
    tn_buf_deinit(&target);
    return rc;
}

int tn_win32_walk(const char *root, const char *path, bool last, tn_walk_look_fn look, void *ctx, struct tn_buf *ret,
                  struct tn_err *err)
{
    struct walk w = {.links = 0};
    const char *in = inside(path);
    if (!*path || !in)
        return tn_err_set(err, TN_E_NOTFOUND, path, "no such file");
    if (strlen(path) > MAX_REST)
        return tn_err_set(err, TN_E_LIMIT, path, "path too long");
    tn_buf_init(&w.at);
    tn_buf_init(&w.rest);
    tn_buf_str(&w.at, root);
    tn_buf_str(&w.rest, in);
    w.floor = w.at.n;
    int rc = 0;
    while (rc == 0) {
        size_t i = 0;
        while (i < w.rest.n && is_sep(w.rest.p[i]))
            i++;
        size_t n = 0;
        while (i + n < w.rest.n && !is_sep(w.rest.p[i + n]))
            n++;
        if (n == 0)
            break;
        bool dot = n == 1 && w.rest.p[i] == '.', dots = n == 2 && memcmp(w.rest.p + i, "..", 2) == 0;
        if (!dot && !dots) {
            rc = step(&w, i, n, last, look, ctx, err);
            continue;
        }
        if (dots)
            up(&w);
        memmove(w.rest.p, w.rest.p + i + n, w.rest.n - i - n + 1);
        w.rest.n -= i + n;
    }
    tn_buf_deinit(&w.rest);
    if (rc) {
        tn_buf_deinit(&w.at);
        return rc;
    }
    tn_buf_deinit(ret);
    *ret = w.at;
    return 0;
}

static void add_utf16(struct tn_buf *b, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint16_t u[2] = {(uint16_t)(p[2 * i] | p[2 * i + 1] << 8), 0};
        size_t k = 1;
        if (i + 1 < n && (u[0] & 0xFC00) == 0xD800) {
            u[1] = (uint16_t)(p[2 * i + 2] | p[2 * i + 3] << 8);
            k = (u[1] & 0xFC00) == 0xDC00 ? 2 : 1;
        }
        char out[4];
        tn_buf_add(b, out, tn_wtf8_from_utf16(u, k, out, sizeof out));
        i += k;
    }
}

int tn_win32_reparse_target(struct tn_span data, struct tn_buf *ret, struct tn_err *err)
{
    uint32_t tag;
    uint16_t len, off, n;
    struct tn_span body, name;
    if (!tn_span_u32(data, 0, false, &tag) || !tn_span_u16(data, 4, false, &len) || !tn_span_sub(data, 8, len, &body))
        return tn_err_set(err, TN_E_FORMAT, "reparse data", "shorter than its own length");
    if (tag == TN_TAG_LX_SYMLINK) {
        if (body.n < 4 || memchr(body.p + 4, 0, body.n - 4))
            return tn_err_set(err, TN_E_FORMAT, "reparse data", "bad link text");
        tn_buf_clear(ret);
        tn_buf_add(ret, body.p + 4, body.n - 4);
        return 0;
    }
    if (tag != TN_TAG_SYMLINK && tag != TN_TAG_MOUNT_POINT)
        return tn_err_set(err, TN_E_FORMAT, "reparse data", "not a link");
    size_t names = tag == TN_TAG_SYMLINK ? 12 : 8;
    if (!tn_span_u16(body, 0, false, &off) || !tn_span_u16(body, 2, false, &n) || n % 2 ||
        !tn_span_sub(body, names + off, n, &name))
        return tn_err_set(err, TN_E_FORMAT, "reparse data", "name outside of it");
    struct tn_buf b;
    tn_buf_init(&b);
    add_utf16(&b, name.p, name.n / 2);
    if (strlen(b.p) != b.n) {
        tn_buf_deinit(&b);
        return tn_err_set(err, TN_E_FORMAT, "reparse data", "NUL in a name");
    }
    const char *p = b.p;
    bool unc = strncmp(p, "\\??\\UNC\\", 8) == 0, volume = strncmp(p, "\\??\\Volume{", 11) == 0;
    tn_buf_clear(ret);
    tn_buf_str(ret, unc ? "\\\\" : volume ? "\\\\?\\" : "");
    tn_buf_str(ret, unc ? p + 8 : strncmp(p, "\\??\\", 4) == 0 ? p + 4 : p);
    tn_buf_deinit(&b);
    return 0;
}
