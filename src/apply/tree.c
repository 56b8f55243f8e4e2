/* tree.c - see inner.h: what a tree holds, so that it can be told later whether somebody else has changed it.
 *
 * One entry a line, in byte order of paths: type, mode, size, time of the last change in nanoseconds, path and, for a
 * link, its target, each as base64 would be too long: percent-escaped. No digests: the file system's own times tell, as
 * they do for make(1), and a tree of 2 GB is looked through in a fraction of a second. */
#include <inttypes.h>
#include <string.h>

#include "apply/inner.h"
#include "base/limits.h"
#include "base/str.h"

#define MAX_NOTE (256u << 20)

static void escaped(struct tn_buf *b, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c <= ' ' || c == '%' || c >= 0x7F)
            tn_buf_printf(b, "%%%02X", c);
        else
            tn_buf_ch(b, *s);
    }
}

static bool is_python_cache(const char *path)
{
    return strstr(path, "__pycache__") != NULL || tn_str_ends(path, ".pyc");
}

struct note {
    struct tn_buf text;
    bool made; /* leave out what Python makes, and the folders' times, which that changes */
};

static int add(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err)
{
    struct note *n = ctx;
    if (n->text.n > MAX_NOTE)
        return tn_err_set(err, TN_E_LIMIT, e->path, "too many files");
    if (n->made && is_python_cache(e->path))
        return 0;
    bool folder = e->st.type == 'd';
    tn_buf_printf(&n->text, "%c %o %" PRIu64 " %" PRId64 " ", e->st.type, e->st.mode, folder ? 0 : e->st.size,
                  folder ? 0 : e->mtime_ns);
    escaped(&n->text, *e->path ? e->path : ".");
    if (e->target) {
        tn_buf_ch(&n->text, ' ');
        escaped(&n->text, e->target);
    }
    tn_buf_ch(&n->text, '\n');
    return 0;
}

int tn_tx_note_tree(struct tn_tx *t, struct tn_os_dir *d, const char *name, const char *file, struct tn_err *err)
{
    struct note n = {.made = false};
    tn_buf_init(&n.text);
    int rc = tn_os_tree_walk(d, name, add, &n, err);
    if (!rc)
        rc = tn_os_dir_write(t->folder, file, n.text.p, n.text.n, 0600, err);
    tn_buf_deinit(&n.text);
    return rc;
}

static struct tn_span path_of(struct tn_span line)
{
    for (int i = 0; i < 4; i++) {
        const uint8_t *space = memchr(line.p, ' ', line.n);
        line = tn_span_from(line, space ? (uint64_t)(space - line.p) + 1 : line.n);
    }
    const uint8_t *space = line.n ? memchr(line.p, ' ', line.n) : NULL;
    if (space)
        line.n = (size_t)(space - line.p);
    return line;
}

static bool wanted_line(struct tn_span *rest, struct tn_span *line, bool made)
{
    while (tn_span_line(rest, line)) {
        struct tn_span p = path_of(*line);
        bool cache = tn_span_find(p, 0, "__pycache__", 11) < p.n || (p.n > 4 && memcmp(p.p + p.n - 4, ".pyc", 4) == 0);
        if (!made || !cache)
            return true;
    }
    return false;
}

static bool equal(struct tn_span a, struct tn_span b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

int tn_tx_compare_tree(struct tn_tx *t, struct tn_os_dir *d, const char *name, const char *file, bool made,
                       const char **ret_first, struct tn_err *err)
{
    struct note now = {.made = made};
    struct tn_buf was;
    tn_buf_init(&now.text);
    tn_buf_init(&was);
    int rc = tn_os_dir_read(t->folder, file, MAX_NOTE, &was, err);
    if (!rc)
        rc = tn_os_tree_walk(d, name, add, &now, err);
    if (!rc) {
        struct tn_span a = tn_span_of(was.p, was.n), b = tn_span_of(now.text.p, now.text.n), la, lb;
        const char *first = NULL;
        for (;;) {
            bool more_a = wanted_line(&a, &la, made), more_b = wanted_line(&b, &lb, made);
            if (!more_a && !more_b)
                break;
            if (more_a && more_b && equal(la, lb))
                continue;
            struct tn_span p = path_of(more_b ? lb : la);
            first = tn_arena_strndup(t->state->mem, (const char *)p.p, p.n);
            break;
        }
        *ret_first = first;
    }
    tn_buf_deinit(&was);
    tn_buf_deinit(&now.text);
    return rc;
}
