/* settle.c - see settle.h.
 *
 * What an installer writes of the place: console scripts and their first line (pip's vendored distlib, scripts.py:
 * "#!PYTHON", or for long paths and those with spaces "#!/bin/sh" and "'''exec' "PYTHON" ..."), activate scripts and
 * pyvenv.cfg ("command = ...", CPython's Lib/venv). Compiled modules name their source, too, which the import system
 * puts right when it loads them (importlib/_bootstrap_external.py, _fix_co_filename in C). */
#include "apply/settle.h"

#include <string.h>

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

bool tn_apply_rerecorded(struct tn_span record, const char *path, struct tn_span content, struct tn_buf *ret)
{
    size_t n = strlen(path), was = ret->n;
    struct tn_span line;
    bool found = false;
    while (tn_span_line(&record, &line)) {
        if (line.n > n && memcmp(line.p, path, n) == 0 && line.p[n] == ',') {
            struct tn_sha256 s;
            unsigned char digest[32];
            struct tn_buf b;
            tn_sha256_start(&s);
            tn_sha256_add(&s, content.p, content.n);
            tn_sha256_end(&s, digest);
            tn_buf_init(&b);
            tn_base64_encode(&b, tn_span_of(digest, sizeof digest));
            for (size_t i = 0; i < b.n; i++) /* urlsafe, without padding */
                b.p[i] = b.p[i] == '+' ? '-' : b.p[i] == '/' ? '_' : b.p[i];
            while (b.n && b.p[b.n - 1] == '=')
                b.n--;
            tn_buf_printf(ret, "%s,sha256=%.*s,%zu\n", path, (int)b.n, b.p, content.n);
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

#define MAX_CHANGED 4096u

struct settle {
    struct tn_arena *mem;
    const char *stage, *final;
    struct tn_os_dir *top;
    struct changed {
        const char *path; /* below the environment: "bin/pip" */
        struct tn_span content;
    } changed[MAX_CHANGED];
    unsigned n;
};

static bool is_installers(const char *path)
{
    return tn_str_starts(path, "bin/") || tn_str_starts(path, "etc/") || tn_str_starts(path, "share/jupyter/") ||
           tn_str_eq(path, "pyvenv.cfg") || tn_str_ends(path, ".pth") ||
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
    rc = tn_os_dir_read(d, name, TN_MAX_SMALL_FILE, &was, err);
    if (!rc && tn_apply_replaced(tn_span_of(was.p, was.n), s->stage, s->final, &now)) {
        rc = tn_os_dir_write(d, name, now.p, now.n, mode, err);
        if (s->n < MAX_CHANGED)
            s->changed[s->n++] = (struct changed){tn_arena_strdup(s->mem, path),
                                                  tn_span_of(tn_arena_memdup(s->mem, now.p, now.n), now.n)};
    }
    tn_buf_deinit(&was);
    tn_buf_deinit(&now);
    tn_os_dir_close(d);
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
    struct tn_os_dir *d;
    const char *name;
    struct tn_buf text;
    bool any = false;
    int rc = folder_of(s, record, &d, &name, err);
    if (rc)
        return rc;
    tn_buf_init(&text);
    rc = tn_os_dir_read(d, name, TN_MAX_TEXT_FILE, &text, err);
    for (unsigned i = 0; i < s->n && !rc; i++) {
        const char *as = recorded_as(s, record, s->changed[i].path);
        struct tn_buf now;
        if (!as || tn_span_find(tn_span_of(text.p, text.n), 0, as, strlen(as)) >= text.n)
            continue;
        tn_buf_init(&now);
        if (tn_apply_rerecorded(tn_span_of(text.p, text.n), as, s->changed[i].content, &now)) {
            tn_buf_clear(&text);
            tn_buf_add(&text, now.p, now.n);
            any = true;
        }
        tn_buf_deinit(&now);
    }
    if (!rc && any)
        rc = tn_os_dir_write(d, name, text.p, text.n, mode, err);
    tn_buf_deinit(&text);
    tn_os_dir_close(d);
    return rc;
}

struct found {
    struct tn_arena *mem;
    struct tn_buf files, records; /* of struct file */
};
struct file {
    const char *path;
    uint32_t mode;
};

static int note(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err)
{
    struct found *f = ctx;
    (void)err;
    bool record = tn_str_ends(e->path, ".dist-info/RECORD");
    if (e->st.type != 'f' || (!record && (e->st.size > TN_MAX_SMALL_FILE || !is_installers(e->path))))
        return 0;
    struct file one = {tn_arena_strdup(f->mem, e->path), e->st.mode};
    tn_buf_add(record ? &f->records : &f->files, &one, sizeof one);
    return 0;
}

int tn_apply_settle(struct tn_arena *mem, const char *stage, const char *final, struct tn_err *err)
{
    struct settle *s = tn_arena_alloc(mem, sizeof *s);
    struct found f = {.mem = mem};
    struct tn_os_dir *up;
    const char *slash = strrchr(stage, '/');
    memset(s, 0, sizeof *s);
    s->mem = mem;
    s->stage = stage;
    s->final = final;
    int rc = tn_os_dir_open(slash == stage ? "/" : tn_arena_strndup(mem, stage, (size_t)(slash - stage)), &up, err);
    if (rc)
        return rc;
    tn_buf_init(&f.files);
    tn_buf_init(&f.records);
    rc = tn_os_tree_walk(up, slash + 1, note, &f, err);
    tn_os_dir_close(up);
    for (size_t i = 0; !rc && i < f.files.n / sizeof(struct file); i++) {
        struct file one;
        memcpy(&one, f.files.p + i * sizeof one, sizeof one);
        rc = rewrite(s, one.path, one.mode, err);
    }
    for (size_t i = 0; !rc && s->n && i < f.records.n / sizeof(struct file); i++) {
        struct file one;
        memcpy(&one, f.records.p + i * sizeof one, sizeof one);
        rc = rerecord(s, one.path, one.mode, err);
    }
    tn_buf_deinit(&f.files);
    tn_buf_deinit(&f.records);
    return rc;
}
