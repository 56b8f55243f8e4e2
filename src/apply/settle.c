/* settle.c - see settle.h.
 *
 * What an installer writes of the place: console scripts and their first line (pip's vendored distlib, scripts.py:
 * "#!PYTHON", or for long paths and those with spaces "#!/bin/sh" and "'''exec' "PYTHON" ..."), activate scripts and
 * pyvenv.cfg ("command = ...", CPython's Lib/venv). Compiled modules name their source, too, which the import system
 * puts right when it loads them (importlib/_bootstrap_external.py, _fix_co_filename in C). */
#include "apply/settle.h"

#include <string.h>

#include "apply/here.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "os/change.h"

bool tn_apply_replaced(struct tn_span text, const char *from, const char *to, struct tn_buf *ret)
{
    size_t n = strlen(from), at = 0, next;
    bool any = false;
    while ((next = tn_span_find(text, at, from, n)) < text.n) {
        tn_buf_add(ret, text.p + at, next - at);
        tn_buf_str(ret, to);
        at = next + n;
        any = true;
    }
    if (any)
        tn_buf_add(ret, text.p + at, text.n - at);
    return any;
}

bool tn_apply_rerecorded(struct tn_span record, const char *path, const struct tn_prefix_file *is, struct tn_buf *ret)
{
    size_t n = strlen(path), was = ret->n;
    struct tn_span line;
    bool found = false;
    while (tn_span_line(&record, &line)) {
        if (line.n > n && memcmp(line.p, path, n) == 0 && line.p[n] == ',') {
            struct tn_buf b;
            tn_buf_init(&b);
            tn_base64_encode(&b, tn_span_of(is->sha256, sizeof is->sha256));
            for (size_t i = 0; i < b.n; i++) /* urlsafe, without padding */
                b.p[i] = b.p[i] == '+' ? '-' : b.p[i] == '/' ? '_' : b.p[i];
            while (b.n && b.p[b.n - 1] == '=')
                b.n--;
            tn_buf_printf(ret, "%s,sha256=%.*s,%llu\n", path, (int)b.n, b.p, (unsigned long long)is->size);
            tn_buf_deinit(&b);
            found = true;
        } else {
            tn_buf_add(ret, line.p, line.n);
            tn_buf_ch(ret, '\n');
        }
    }
    if (!found)
        ret->n = was;
    return found;
}

#define PIECE (1u << 20)
#define MAX_FILE (1u << 30)

struct settle {
    struct tn_arena *mem;
    const char *stage, *from, *to;
    bool all;              /* every file, not those of installers alone */
    struct tn_buf changed; /* of struct tn_prefix_file, in byte order of paths: as the tree is walked */
};

static bool is_installers(const char *path)
{
    return tn_str_starts(path, "bin/") || tn_str_starts(path, "Scripts/") || tn_str_starts(path, "etc/") ||
           tn_str_starts(path, "share/jupyter/") || tn_str_eq(path, "pyvenv.cfg") || tn_str_ends(path, ".pth") ||
           tn_str_ends(path, ".dist-info/direct_url.json");
}

/* Opens the folder of a path below the environment, part by part; *ret_name: the last part. */
static int folder_of(struct settle *s, const char *path, struct tn_os_dir **ret, const char **ret_name,
                     struct tn_err *err)
{
    struct tn_os_dir *d = NULL, *in;
    const char *slash;
    int rc = tn_os_dir_open(s->stage, &d, err);
    while (!rc && (slash = strchr(path, '/'))) {
        rc = tn_os_dir_enter(d, tn_arena_strndup(s->mem, path, (size_t)(slash - path)), &in, err);
        tn_os_dir_close(d);
        d = rc ? NULL : in;
        path = slash + 1;
    }
    if (rc)
        return rc;
    *ret = d;
    *ret_name = path;
    return 0;
}

static void changed(struct settle *s, const char *path, const struct tn_buf *now)
{
    struct tn_prefix_file f = {.path = tn_arena_strdup(s->mem, path), .size = now->n};
    struct tn_sha256 sum;
    tn_sha256_start(&sum);
    tn_sha256_add(&sum, now->p, now->n);
    tn_sha256_end(&sum, f.sha256);
    tn_buf_add(&s->changed, &f, sizeof f);
}

static int rewrite(struct settle *s, const char *path, uint32_t mode, struct tn_err *err)
{
    struct tn_os_dir *d;
    const char *name;
    struct tn_buf was, now;
    int rc = folder_of(s, path, &d, &name, err);
    if (rc)
        return rc;
    tn_buf_init(&was);
    tn_buf_init(&now);
    rc = tn_os_dir_read(d, name, s->all ? MAX_FILE : TN_MAX_SMALL_FILE, &was, err);
    if (!rc) {
        enum tn_prefix_found found = tn_prefix_move(path, tn_span_of(was.p, was.n), s->from, s->to, &now);
        if (found == TN_PREFIX_MOVED && !(rc = tn_os_dir_replace(d, name, now.p, now.n, mode, err)))
            changed(s, path, &now);
        else if (found == TN_PREFIX_UNSAID)
            rc = tn_os_tree_remove(d, name, err); /* Python compiles it again */
    }
    tn_buf_deinit(&was);
    tn_buf_deinit(&now);
    tn_os_dir_close(d);
    return rc;
}

/* Read piece by piece, each with the end of the one before: a large file is held in memory only if it names it. */
static int names_it(struct settle *s, const char *path, bool *ret, struct tn_err *err)
{
    size_t n = strlen(s->from);
    struct tn_os_held *f;
    struct tn_buf b;
    uint64_t at = 0, size = 0;
    *ret = false;
    int rc = tn_os_hold(NULL, tn_here_join(s->mem, s->stage, path), &f, err);
    if (rc)
        return rc;
    tn_buf_init(&b);
    do {
        tn_buf_clear(&b);
        rc = tn_os_read_held(f, at, PIECE, &b, &size, err);
        *ret = !rc && tn_span_find(tn_span_of(b.p, b.n), 0, s->from, n) < b.n;
        at += PIECE - n;
    } while (!rc && !*ret && b.n == PIECE);
    tn_buf_deinit(&b);
    tn_os_release(f);
    return rc;
}

static int relink(struct settle *s, const char *path, const char *target, struct tn_err *err)
{
    struct tn_os_dir *d;
    const char *name;
    struct tn_buf now;
    tn_buf_init(&now);
    int rc = 0;
    if (tn_apply_replaced(tn_span_of(target, strlen(target)), s->from, s->to, &now) &&
        !(rc = folder_of(s, path, &d, &name, err))) {
        rc = tn_os_tree_remove(d, name, err);
        if (!rc)
            rc = tn_os_dir_symlink(d, name, now.p, err);
        tn_os_dir_close(d);
    }
    tn_buf_deinit(&now);
    return rc;
}

/* A wheel's script in its RECORD, from site-packages: "../../../bin/pip". */
static const char *recorded_as(struct settle *s, const char *record, const char *path)
{
    const char *folder = strstr(record, "site-packages/");
    struct tn_buf b;
    if (!folder)
        return NULL;
    folder += strlen("site-packages/");
    tn_buf_init(&b);
    for (const char *p = record; p < folder; p++)
        if (*p == '/')
            tn_buf_str(&b, "../");
    tn_buf_str(&b, path);
    const char *r = tn_arena_strdup(s->mem, b.p);
    tn_buf_deinit(&b);
    return r;
}

static int rerecord(struct settle *s, const char *record, uint32_t mode, struct tn_err *err)
{
    const struct tn_prefix_file *file = (const struct tn_prefix_file *)(const void *)s->changed.p;
    struct tn_os_dir *d;
    const char *name;
    struct tn_buf text;
    bool any = false;
    int rc = folder_of(s, record, &d, &name, err);
    if (rc)
        return rc;
    tn_buf_init(&text);
    rc = tn_os_dir_read(d, name, TN_MAX_TEXT_FILE, &text, err);
    for (size_t i = 0; i < s->changed.n / sizeof *file && !rc; i++) {
        const char *as = is_installers(file[i].path) ? recorded_as(s, record, file[i].path) : NULL;
        struct tn_buf now;
        if (!as || tn_span_find(tn_span_of(text.p, text.n), 0, as, strlen(as)) >= text.n)
            continue;
        tn_buf_init(&now);
        if (tn_apply_rerecorded(tn_span_of(text.p, text.n), as, &file[i], &now)) {
            tn_buf_clear(&text);
            tn_buf_add(&text, now.p, now.n);
            any = true;
        }
        tn_buf_deinit(&now);
    }
    if (!rc && any)
        rc = tn_os_dir_replace(d, name, text.p, text.n, mode, err);
    tn_buf_deinit(&text);
    tn_os_dir_close(d);
    return rc;
}

static int remeta(struct settle *s, const char *record, uint32_t mode, struct tn_err *err)
{
    const struct tn_prefix_file *file = (const struct tn_prefix_file *)(const void *)s->changed.p;
    struct tn_os_dir *d;
    const char *name;
    struct tn_buf text, now;
    int rc = folder_of(s, record, &d, &name, err);
    if (rc)
        return rc;
    tn_buf_init(&text);
    tn_buf_init(&now);
    rc = tn_os_dir_read(d, name, TN_MAX_TEXT_FILE, &text, err);
    if (!rc && tn_prefix_record(tn_span_of(text.p, text.n), file, s->changed.n / sizeof *file, &now))
        rc = tn_os_dir_replace(d, name, now.p, now.n, mode, err);
    tn_buf_deinit(&text);
    tn_buf_deinit(&now);
    tn_os_dir_close(d);
    return rc;
}

struct file {
    const char *path, *target; /* target: of a link */
    uint32_t mode;
};
struct found {
    struct settle *s;
    struct tn_buf files, records, meta; /* of struct file */
};

static int note(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err)
{
    struct found *f = ctx;
    struct tn_arena *mem = f->s->mem;
    bool all = f->s->all, record = tn_str_ends(e->path, ".dist-info/RECORD");
    bool meta = all && tn_str_starts(e->path, "conda-meta/") && tn_str_ends(e->path, ".json");
    struct file one = {tn_arena_strdup(mem, e->path), NULL, e->st.mode};
    (void)err;
    if (all && e->st.type == 'l')
        one.target = tn_arena_strdup(mem, e->target);
    else if (e->st.type != 'f')
        return 0;
    else if (!record && !all && (e->st.size > TN_MAX_SMALL_FILE || !is_installers(e->path)))
        return 0;
    if (meta)
        tn_buf_add(&f->meta, &one, sizeof one);
    if (record)
        tn_buf_add(&f->records, &one, sizeof one);
    else if (!all || e->st.type == 'l' || e->st.nlink == 1)
        tn_buf_add(&f->files, &one, sizeof one);
    return 0;
}

static int each(struct settle *s, const struct tn_buf *files,
                int (*one)(struct settle *s, const char *path, uint32_t mode, struct tn_err *err), struct tn_err *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < files->n / sizeof(struct file); i++) {
        struct file f;
        bool named = true;
        memcpy(&f, files->p + i * sizeof f, sizeof f);
        if (f.target) {
            rc = relink(s, f.path, f.target, err);
            continue;
        }
        if (s->all && one == rewrite)
            rc = names_it(s, f.path, &named, err);
        if (!rc && named)
            rc = one(s, f.path, f.mode, err);
    }
    return rc;
}

static int settle(struct settle *s, struct tn_err *err)
{
    struct found f = {.s = s};
    struct tn_os_dir *up;
    int rc = tn_os_dir_open(tn_here_dir(s->mem, s->stage), &up, err);
    if (rc)
        return rc;
    tn_buf_init(&f.files);
    tn_buf_init(&f.records);
    tn_buf_init(&f.meta);
    tn_buf_init(&s->changed);
    rc = tn_os_tree_walk(up, tn_here_base(s->stage), note, &f, err);
    tn_os_dir_close(up);
    if (!rc)
        rc = each(s, &f.files, rewrite, err);
    if (!rc && s->changed.n)
        rc = each(s, &f.records, rerecord, err);
    if (!rc && s->changed.n)
        rc = each(s, &f.meta, remeta, err);
    tn_buf_deinit(&f.files);
    tn_buf_deinit(&f.records);
    tn_buf_deinit(&f.meta);
    tn_buf_deinit(&s->changed);
    return rc;
}

int tn_apply_settle(struct tn_arena *mem, const char *stage, const char *final, struct tn_err *err)
{
    struct settle s = {.mem = mem, .stage = stage, .from = stage, .to = final};
    return settle(&s, err);
}

int tn_apply_settle_all(struct tn_arena *mem, const char *stage, const char *from, const char *to, struct tn_err *err)
{
    struct settle s = {.mem = mem, .stage = stage, .from = from, .to = to, .all = true};
    return settle(&s, err);
}
