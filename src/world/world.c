/* world.c - the questions by kind, and what is built from them: real paths and views of large files. */
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"

struct tn_answer tn_world_ask(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q)
{
    struct tn_answer a;
    memset(&a, 0, sizeof a);
    w->ops->answer(w, mem, q, &a);
    return a;
}

void tn_world_close(struct tn_world *w)
{
    if (w)
        w->ops->close(w);
}

static struct tn_answer by_name(struct tn_world *w, struct tn_arena *mem, enum tn_question_kind kind, const char *name)
{
    struct tn_question q = {.kind = kind, .name = name};
    return tn_world_ask(w, mem, &q);
}

struct tn_answer tn_world_stat(struct tn_world *w, const char *path)
{
    struct tn_question q = {.kind = TN_Q_STAT, .name = path, .follow = true};
    return tn_world_ask(w, NULL, &q);
}

struct tn_answer tn_world_lstat(struct tn_world *w, const char *path)
{
    return by_name(w, NULL, TN_Q_STAT, path);
}

struct tn_answer tn_world_link(struct tn_world *w, struct tn_arena *mem, const char *path)
{
    return by_name(w, mem, TN_Q_LINK, path);
}

struct tn_answer tn_world_list(struct tn_world *w, struct tn_arena *mem, const char *folder)
{
    return by_name(w, mem, TN_Q_LIST, folder);
}

struct tn_answer tn_world_list_some(struct tn_world *w, struct tn_arena *mem, const char *folder,
                                    bool (*keep)(const void *ctx, const char *name), const void *ctx)
{
    struct tn_question q = {.kind = TN_Q_LIST, .name = folder, .keep = keep, .ctx = ctx};
    return tn_world_ask(w, mem, &q);
}

struct tn_answer tn_world_part(struct tn_world *w, struct tn_arena *mem, const char *path, uint64_t off, size_t n)
{
    struct tn_question q = {.kind = TN_Q_READ, .name = path, .off = off, .max = n};
    return tn_world_ask(w, mem, &q);
}

struct tn_answer tn_world_read(struct tn_world *w, struct tn_arena *mem, const char *path, size_t max)
{
    return tn_world_part(w, mem, path, 0, max);
}

struct tn_answer tn_world_env(struct tn_world *w, struct tn_arena *mem, const char *name)
{
    return by_name(w, mem, TN_Q_ENV, name);
}

struct tn_answer tn_world_sys(struct tn_world *w, struct tn_arena *mem, const char *name)
{
    return by_name(w, mem, TN_Q_SYS, name);
}

struct tn_answer tn_world_reg(struct tn_world *w, struct tn_arena *mem, const char *key, const char *value)
{
    struct tn_question q = {.kind = TN_Q_REG, .name = key, .sub = value};
    return tn_world_ask(w, mem, &q);
}

struct tn_answer tn_world_reg_list(struct tn_world *w, struct tn_arena *mem, const char *key)
{
    return by_name(w, mem, TN_Q_REG_LIST, key);
}

struct tn_answer tn_world_vendor(struct tn_world *w, struct tn_arena *mem, const char *path, const char *subject)
{
    const struct tn_question q = {.kind = TN_Q_ASK, .name = path, .sub = subject};
    return tn_world_ask(w, mem, &q);
}

bool tn_world_exists(struct tn_world *w, const char *path)
{
    return tn_world_stat(w, path).got == TN_KNOWN;
}

bool tn_world_is_dir(struct tn_world *w, const char *path)
{
    struct tn_answer a = tn_world_stat(w, path);
    return a.got == TN_KNOWN && a.st.type == 'd';
}

const char *tn_world_real(struct tn_world *w, struct tn_arena *mem, const char *path, enum tn_know *ret_got)
{
    enum tn_know none;
    enum tn_know *got = ret_got ? ret_got : &none;
    struct tn_arena tmp;
    tn_arena_init(&tmp);
    const char *rest = tn_path_key(&tmp, TN_PATH_POSIX, path), *done = "";
    if (w->style == TN_PATH_WINDOWS) /* links are rare there, and drive letters are not components: only existence */
        done = path, rest = "";
    *got = TN_KNOWN;
    for (unsigned links = 0; *rest && *got == TN_KNOWN;) {
        rest += strspn(rest, "/");
        size_t n = strcspn(rest, "/");
        const char *name = tn_arena_strndup(&tmp, rest, n);
        rest += n;
        if (n == 0 || strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            const char *slash = strrchr(done, '/');
            done = tn_arena_strndup(&tmp, done, slash ? (size_t)(slash - done) : 0);
            continue;
        }
        const char *next = tn_arena_printf(&tmp, "%s/%s", done, name);
        struct tn_answer a = tn_world_lstat(w, next);
        if (a.got != TN_KNOWN) {
            *got = a.got;
        } else if (a.st.type == 'l') {
            struct tn_answer to = tn_world_link(w, &tmp, next);
            *got = ++links > TN_MAX_LINKS ? TN_FAILED : to.got;
            if (*got == TN_KNOWN) {
                if (to.data.n && to.data.p[0] == '/')
                    done = "";
                rest = tn_arena_printf(&tmp, "%s/%s", (const char *)to.data.p, rest);
            }
        } else {
            done = next;
        }
    }
    if (*got == TN_KNOWN && w->style == TN_PATH_WINDOWS)
        *got = tn_world_stat(w, done).got;
    const char *r = *got == TN_KNOWN ? tn_arena_strdup(mem, *done ? done : "/") : NULL;
    tn_arena_deinit(&tmp);
    return r;
}

#define PART 4096u

/* n bytes at off out of an answer about the part that begins at from. */
static int part_of(const struct tn_world_file *f, const struct tn_answer *a, uint64_t from, uint64_t off, size_t n,
                   struct tn_span *ret, struct tn_err *err)
{
    if (a->got != TN_KNOWN)
        return tn_err_set(err,
                          a->got == TN_DENIED   ? TN_E_DENIED
                          : a->got == TN_FAILED ? TN_E_IO
                                                : TN_E_NOTFOUND,
                          f->path, "%s", a->note ? a->note : "these bytes are not in the record");
    unsigned long long after = off + n;
    if (!tn_span_sub(a->data, off - from, n, ret))
        return tn_err_set(err, TN_E_FORMAT, f->path, "the file ends before offset %llu", after);
    return 0;
}

static int file_at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    struct tn_world_file *f = ctx;
    if (f->passing) {
        tn_arena_deinit(f->passing);
        tn_arena_init(f->passing);
        struct tn_question q = {.kind = TN_Q_READ, .name = f->path, .off = off, .max = n, .more = true};
        struct tn_answer a = tn_world_ask(f->w, f->passing, &q);
        return part_of(f, &a, off, off, n, ret, err);
    }
    for (size_t i = f->n; i-- > 0;)
        if (off >= f->off[i] && tn_span_sub(f->part[i].data, off - f->off[i], n, ret))
            return 0;
    uint64_t from = off - off % PART, end = off + n;
    end += (PART - end % PART) % PART;
    if (end > f->view.size)
        end = f->view.size;
    struct tn_question q = {.kind = TN_Q_READ, .name = f->path, .off = from, .max = (size_t)(end - from), .more = true};
    struct tn_answer a = tn_world_ask(f->w, f->mem, &q);
    int rc = part_of(f, &a, from, off, n, ret, err);
    if (rc)
        return rc;
    f->part = tn_arena_grow(f->mem, f->part, f->n, &f->cap, sizeof *f->part);
    f->off = tn_arena_grow(f->mem, f->off, f->n, &f->cap_off, sizeof *f->off);
    f->part[f->n] = a;
    f->off[f->n++] = from;
    return 0;
}

int tn_world_open(struct tn_world *w, struct tn_arena *mem, const char *path, struct tn_world_file *ret,
                  enum tn_know *ret_got, struct tn_err *err)
{
    struct tn_answer a = tn_world_stat(w, path);
    enum tn_know got = a.got;
    if (got == TN_KNOWN && a.st.type != 'f')
        got = TN_FAILED;
    if (ret_got)
        *ret_got = got;
    if (got != TN_KNOWN)
        return tn_err_set(err,
                          got == TN_DENIED   ? TN_E_DENIED
                          : got == TN_ABSENT ? TN_E_NOTFOUND
                                             : TN_E_IO,
                          path, "%s",
                          a.note             ? a.note
                          : got == TN_FAILED ? "not a regular file"
                                             : tn_know_word(got));
    memset(ret, 0, sizeof *ret);
    ret->w = w;
    ret->mem = mem;
    ret->path = tn_arena_strdup(mem, path);
    ret->view.size = a.st.size;
    ret->view.at = file_at;
    ret->view.ctx = ret;
    return 0;
}

const char *tn_question_name(struct tn_arena *mem, const struct tn_question *q)
{
    static const char *const words[] = {"stat", "link", "list", "read", "disk", "env",     "sys",
                                        "reg",  "reg",  "run",  "ask",  "seek", "measure", "get"};
    if (q->kind == TN_Q_RUN) {
        const char *s = "run";
        for (unsigned i = 0; q->argv[i]; i++)
            s = tn_arena_printf(mem, "%s %s", s, q->argv[i]);
        return s;
    }
    if (q->sub)
        return tn_arena_printf(mem, "%s %s %s", words[q->kind], q->name, q->sub);
    return tn_arena_printf(mem, "%s %s", words[q->kind], q->name);
}
