/* live.c - this machine, and another root folder on it.
 *
 * The root kind answers questions about files inside the folder only; everything that belongs to the running
 * machine (environment, registry, programs, kernel) is "not asked" there: the host is never mixed in. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "os/os.h"
#include "world/ask.h"
#include "world/seek.h"
#include "world/world.h"

struct live {
    struct tn_world w;
    struct tn_os_root *root; /* NULL: the machine itself */
    struct tn_arena mem;
    struct tn_os_sys sys;
    struct tn_os_held *held; /* a file that is read in many parts */
    char *held_path;
};

static void refuse(struct tn_arena *mem, struct tn_answer *ret, int code, const struct tn_err *err)
{
    ret->got = tn_know_of_error(code);
    if (ret->got == TN_DENIED) /* in words of our own, whatever was asked: a record of it says the same */
        ret->note = tn_err_word(TN_E_DENIED);
    else if (ret->got == TN_FAILED && strcmp(err->text, TN_OS_TOO_LONG) == 0)
        ret->note = TN_NOTE_TOO_LONG;
    else if (ret->got == TN_FAILED && mem)
        ret->note = tn_arena_strdup(mem, err->text);
    else if (ret->got == TN_FAILED)
        ret->note = tn_err_word(code);
}

static void give(struct tn_arena *mem, struct tn_answer *ret, struct tn_buf *b)
{
    ret->got = TN_KNOWN;
    ret->data = tn_span_of(tn_arena_strndup(mem, b->p, b->n), b->n);
    tn_buf_deinit(b);
}

static void answer_stat(struct live *l, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_os_stat st;
    struct tn_err err;
    int rc = tn_os_stat(l->root, q->name, q->follow, &st, &err);
    if (rc) {
        refuse(NULL, ret, rc, &err);
        return;
    }
    ret->got = TN_KNOWN;
    ret->st = (struct tn_stat){st.type, st.mode, st.uid, st.gid,   st.major, st.minor,
                               st.size, st.dev,  st.ino, st.nlink, st.mtime, st.atime};
    ret->size = st.size;
}

static void answer_list(struct live *l, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_os_entry *e;
    struct tn_err err;
    int rc = q->kind == TN_Q_LIST ? tn_os_list_some(l->root, q->name, q->keep, q->ctx, mem, &e, &ret->n_entry, &err)
                                  : tn_os_reg_list(q->name, mem, &e, &ret->n_entry, &err);
    if (rc) {
        ret->n_entry = 0;
        refuse(mem, ret, rc, &err);
        return;
    }
    struct tn_entry *out = tn_arena_array(mem, ret->n_entry, sizeof *out);
    for (size_t i = 0; i < ret->n_entry; i++)
        out[i] = (struct tn_entry){e[i].name, e[i].type};
    ret->entry = out;
    ret->got = TN_KNOWN;
}

/* Opens the file unless it is the one that is open. */
static int hold(struct live *l, const char *path, struct tn_err *err)
{
    if (tn_str_eq(l->held_path, path))
        return 0;
    tn_os_release(l->held);
    free(l->held_path);
    l->held = NULL;
    l->held_path = NULL;
    int rc = tn_os_hold(l->root, path, &l->held, err);
    if (rc == 0 && (l->held_path = strdup(path)) == NULL)
        tn_oom();
    return rc;
}

static void answer_held(struct live *l, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_buf b;
    struct tn_err err;
    tn_buf_init(&b);
    int rc = hold(l, q->name, &err);
    if (rc == 0)
        rc = tn_os_read_held(l->held, q->off, q->max, &b, &ret->size, &err);
    if (rc) {
        tn_buf_deinit(&b);
        refuse(mem, ret, rc, &err);
        return;
    }
    give(mem, ret, &b);
}

static void answer_file(struct live *l, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_buf b;
    struct tn_err err;
    tn_buf_init(&b);
    int rc = q->kind == TN_Q_LINK ? tn_os_readlink(l->root, q->name, &b, &err)
                                  : tn_os_read(l->root, q->name, q->off, q->max, &b, &ret->size, &err);
    if (rc) {
        tn_buf_deinit(&b);
        refuse(mem, ret, rc, &err);
        return;
    }
    give(mem, ret, &b);
}

static void answer_text(struct tn_arena *mem, struct tn_answer *ret, const char *text)
{
    ret->got = text ? TN_KNOWN : TN_ABSENT;
    if (text)
        ret->data = tn_span_str(tn_arena_strdup(mem, text));
}

/* A log holds much that is nobody's business: only lines about graphics devices, their drivers, memory that ran out and
 * the bus are handed on. */
static void answer_log(struct tn_arena *mem, struct tn_answer *ret)
{
    static const char *const words[] = {"NVRM",
                                        "nvidia",
                                        "nouveau",
                                        "Out of memory: Killed",
                                        "AER: ",
                                        "Lockdown: modprobe",
                                        "PCIe Bus Error",
                                        "module verification",
                                        "oading of ",
                                        "PM: suspend entry",
                                        "PM: suspend exit",
                                        "PM: hibernation",
                                        "<Event "}; /* Windows: asked for by provider */
    struct tn_buf all, some;
    struct tn_err err;
    struct tn_span rest, line;
    tn_buf_init(&all);
    tn_buf_init(&some);
    int rc = tn_os_kernel_log(TN_MAX_CHILD_OUTPUT, &all, &err);
    rest = tn_span_of(all.p, all.n);
    while (rc == 0 && tn_span_line(&rest, &line)) {
        bool keep = false;
        for (size_t i = 0; i < sizeof words / sizeof *words && !keep; i++)
            keep = tn_span_find(line, 0, words[i], strlen(words[i])) != SIZE_MAX;
        if (keep) {
            tn_buf_add(&some, line.p, line.n);
            tn_buf_ch(&some, '\n');
        }
    }
    tn_buf_deinit(&all);
    if (rc == TN_E_UNSUPPORTED || rc)
        tn_buf_deinit(&some);
    if (rc && rc != TN_E_UNSUPPORTED)
        refuse(mem, ret, rc, &err);
    else if (rc == 0)
        give(mem, ret, &some);
}

/* "device INSTANCE": a number, or "gone". */
static void answer_device(struct tn_arena *mem, struct tn_answer *ret, const char *instance)
{
    unsigned problem;
    int rc = tn_os_device(instance, &problem, NULL);
    if (rc == 0 || rc == TN_E_NOTFOUND)
        answer_text(mem, ret, rc ? "gone" : tn_arena_printf(mem, "%u", problem));
}

static void answer_sys(struct live *l, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    const struct tn_os_sys *s = &l->sys;
    if (strcmp(q->name, "os") == 0)
        answer_text(mem, ret, s->name);
    else if (strcmp(q->name, "release") == 0)
        answer_text(mem, ret, s->release);
    else if (strcmp(q->name, "arch") == 0)
        answer_text(mem, ret, s->arch);
    else if (strcmp(q->name, "node") == 0)
        answer_text(mem, ret, s->node);
    else if (strcmp(q->name, "cpu") == 0)
        answer_text(mem, ret, s->cpu);
    else if (strcmp(q->name, "uid") == 0)
        answer_text(mem, ret, tn_arena_printf(mem, "%u", s->uid));
    else if (strcmp(q->name, "root") == 0)
        answer_text(mem, ret, s->root ? "1" : "0");
    else if (strcmp(q->name, "installing") == 0 && s->installing)
        answer_text(mem, ret, s->installing);
    else if (strcmp(q->name, "cwd") == 0)
        answer_text(mem, ret, tn_os_cwd(mem));
    else if (strcmp(q->name, "log") == 0)
        answer_log(mem, ret);
    else if (strcmp(q->name, "awake") == 0)
        answer_text(mem, ret, tn_arena_printf(mem, "%llu", (unsigned long long)(tn_os_monotonic_us() / 1000000u)));
    else if (strncmp(q->name, "device ", 7) == 0)
        answer_device(mem, ret, q->name + 7);
    else if (strcmp(q->name, "clock") == 0)
        answer_text(mem, ret, tn_arena_printf(mem, "%lld", (long long)tn_os_now()));
}

static void answer_run(struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_os_run r;
    struct tn_err err;
    if (!tn_os_dl_trusted(q->argv[0])) {
        refuse(mem, ret, TN_E_DENIED, &err);
        return;
    }
    int rc = tn_os_run(q->argv, NULL, q->deadline_ms ? q->deadline_ms : 3000, q->max ? q->max : TN_MAX_CHILD_OUTPUT, &r,
                       &err);
    if (rc) {
        refuse(mem, ret, rc, &err);
        return;
    }
    ret->status = r.status;
    give(mem, ret, &r.out);
}

static void answer_ask(struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_buf b;
    struct tn_err err;
    int rc = tn_ask(q->name, q->sub, q->deadline_ms ? q->deadline_ms : TN_ASK_MS, &b, &err);
    if (rc == TN_E_UNSUPPORTED)
        return; /* not asked */
    if (rc)
        refuse(mem, ret, rc, &err);
    else
        give(mem, ret, &b);
}

static void answer_seek(struct live *l, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    static const char *const states[] = {"whole", "network", "late", "denied"};
    struct tn_os_seek how = {.keep = q->keep,
                             .ctx = q->ctx,
                             .all = q->sub && strcmp(q->sub, "all") == 0,
                             .tick = q->tick,
                             .tick_ctx = q->tick_ctx};
    struct tn_os_sought found;
    struct tn_err err;
    struct tn_buf b;
    int rc = q->keep ? tn_os_seek(l->root, &how, mem, &found, &err) : TN_E_USAGE;
    if (rc == TN_E_USAGE)
        return;
    if (rc) {
        refuse(mem, ret, rc, &err);
        return;
    }
    tn_buf_init(&b);
    for (size_t i = 0; i < found.n_hit; i++)
        tn_seek_add_hit(&b, found.hit[i].path, found.hit[i].target, found.hit[i].st.size, found.hit[i].st.nlink,
                        found.hit[i].st.dev, found.hit[i].st.ino);
    for (size_t i = 0; i < found.n_tree; i++)
        tn_seek_add_tree(&b, found.tree[i].path, found.tree[i].type, states[found.tree[i].state], found.tree[i].folders,
                         found.tree[i].unreadable);
    give(mem, ret, &b);
}

#define ENDS 65536u       /* so much of both ends of a file */
#define WHOLE (16u << 20) /* files up to this are read whole, larger ones */
#define PLACES 256u       /* in so many places */
#define PLACE 16384u      /* of this many bytes */

static bool mix(struct live *l, struct tn_buf *b, const char *path, uint64_t off, size_t n, uint64_t *hash)
{
    b->n = 0;
    if (tn_os_read(l->root, path, off, n, b, NULL, NULL) || b->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ (unsigned char)b->p[i]) * 1099511628211u; /* FNV-1a */
    return true;
}

/* os.h, struct tn_os_seek. The files are 1 MiB and more. */
static uint64_t content(void *ctx, const char *path, uint64_t size, bool whole)
{
    struct live *l = ctx;
    struct tn_buf b;
    uint64_t hash = 14695981039346656037u, step = size <= WHOLE ? PLACE : (size - PLACE) / (PLACES - 1);
    tn_buf_init(&b);
    bool ok = true;
    if (!whole)
        ok = mix(l, &b, path, 0, ENDS, &hash) && mix(l, &b, path, size - ENDS, ENDS, &hash);
    for (uint64_t off = 0; whole && ok && off < size; off += step)
        ok = mix(l, &b, path, off, size - off < PLACE ? (size_t)(size - off) : PLACE, &hash);
    tn_buf_deinit(&b);
    return ok ? hash | 1 : 0;
}

/* Folders of argv: groups are parted by "", and what begins with "-" is left out. */
static void answer_measure(struct live *l, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tn_os_folder *f = NULL;
    bool contents = q->sub && strcmp(q->sub, "content") == 0;
    struct tn_os_seek how = {
        .tick = q->tick, .tick_ctx = q->tick_ctx, .content = contents ? content : NULL, .content_ctx = l};
    struct tn_os_measured m;
    struct tn_err err;
    struct tn_buf b;
    size_t n = 0, cap = 0;
    unsigned groups = 0;
    for (const char *const *a = q->argv; *a; a++) {
        bool out = **a == '-';
        groups += !**a;
        if (!**a)
            continue;
        f = tn_arena_grow(mem, f, n, &cap, sizeof *f);
        f[n++] = (struct tn_os_folder){*a + out, out ? TN_OS_NO_GROUP : groups};
    }
    int rc = tn_os_measure(l->root, f, n, groups + 1, &how, mem, &m, &err);
    if (rc == TN_E_UNSUPPORTED)
        return; /* not asked */
    if (rc) {
        refuse(mem, ret, rc, &err);
        return;
    }
    tn_buf_init(&b);
    unsigned done = 0; /* groups whose first folder has been met */
    for (size_t i = 0; i < n; i++) {
        if (f[i].group == TN_OS_NO_GROUP || f[i].group < done)
            continue;
        const struct tn_os_taken *t = &m.group[f[i].group];
        done = f[i].group + 1;
        tn_seek_add_size(&b, &(struct tn_seek_line){.type = 's',
                                                    .path = f[i].path,
                                                    .state = t->late ? "late" : "whole",
                                                    .size = t->bytes,
                                                    .freed = t->freed,
                                                    .shared = t->shared,
                                                    .doubled = t->doubled,
                                                    .files = t->files,
                                                    .folders = t->folders,
                                                    .unreadable = t->unreadable,
                                                    .youngest = t->late ? 0 : t->youngest});
    }
    tn_seek_add_size(&b, &(struct tn_seek_line){.type = 'a', .size = m.bytes, .doubled = m.doubled});
    give(mem, ret, &b);
}

static void live_answer(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct live *l = (struct live *)w;
    struct tn_err err;
    const char *text = NULL;
    if (tn_os_expired()) {
        ret->got = TN_FAILED;
        ret->note = "deadline";
        return;
    }
    switch (q->kind) {
    case TN_Q_STAT: answer_stat(l, q, ret); return;
    case TN_Q_LIST: answer_list(l, mem, q, ret); return;
    case TN_Q_LINK:
    case TN_Q_READ: (q->more ? answer_held : answer_file)(l, mem, q, ret); return;
    case TN_Q_SEEK: answer_seek(l, mem, q, ret); return;
    case TN_Q_MEASURE: answer_measure(l, mem, q, ret); return;
    case TN_Q_DISK: {
        int rc = tn_os_disk(l->root, q->name, &ret->size, &ret->total, &err);
        if (rc)
            refuse(mem, ret, rc, &err);
        else
            ret->got = TN_KNOWN;
        return;
    }
    default: break;
    }
    if (l->root) { /* the rest is about a running machine */
        if (q->kind == TN_Q_SYS && strcmp(q->name, "os") == 0)
            answer_text(mem, ret, w->os);
        return;
    }
    switch (q->kind) {
    case TN_Q_ENV: answer_text(mem, ret, tn_os_env(mem, q->name)); return;
    case TN_Q_SYS: answer_sys(l, mem, q, ret); return;
    case TN_Q_RUN: answer_run(mem, q, ret); return;
    case TN_Q_ASK: answer_ask(mem, q, ret); return;
    case TN_Q_REG_LIST: answer_list(l, mem, q, ret); return;
    case TN_Q_REG: {
        int rc = tn_os_reg_value(q->name, q->sub ? q->sub : "", mem, &text, &err);
        if (rc)
            refuse(mem, ret, rc, &err);
        else
            answer_text(mem, ret, text);
        return;
    }
    default: return; /* get: not asked */
    }
}

static void live_close(struct tn_world *w)
{
    struct live *l = (struct live *)w;
    tn_os_release(l->held);
    free(l->held_path);
    tn_os_root_close(l->root);
    tn_arena_deinit(&l->mem);
    free(l);
    tn_os_look_end(false);
}

static const struct tn_world_ops live_ops = {"live", live_answer, live_close};
static const struct tn_world_ops root_ops = {"root", live_answer, live_close};

static struct live *make(const struct tn_world_ops *ops)
{
    struct live *l = tn_xmalloc(sizeof *l);
    memset(l, 0, sizeof *l);
    tn_arena_init(&l->mem);
    l->w.ops = ops;
    l->w.style = tn_os_path_style();
    return l;
}

int tn_world_live(struct tn_world **ret, struct tn_err *err)
{
    (void)err;
    tn_os_look_begin();
    struct live *l = make(&live_ops);
    tn_os_sys(&l->mem, &l->sys);
    l->w.os = l->sys.name ? l->sys.name : "linux";
    *ret = &l->w;
    return 0;
}

int tn_world_root(const char *folder, struct tn_world **ret, struct tn_err *err)
{
    struct tn_os_root *root;
    tn_os_look_begin();
    int rc = tn_os_root_open(folder, &root, err);
    if (rc) {
        tn_os_look_end(false);
        return rc;
    }
    struct live *l = make(&root_ops);
    l->root = root;
    l->w.style = TN_PATH_POSIX; /* a Windows tree below a root comes with the Windows side */
    l->w.os = "linux";
    *ret = &l->w;
    return 0;
}
