/* folders.c - search paths: tokens, the folders that they name, their folders for particular hardware.
 *
 * Sources: glibc elf/dl-load.c (_dl_dst_substitute, fillin_rpath, decompose_rpath); musl ldso/dynlink.c (fixup_rpath).
 * A folder that is named twice is searched once; a relative one always counts as there. */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "loader/inner.h"

/* Length of the token's name behind '$', braces included; 0 for another. ORIGIN, {ORIGIN}; not ORIGINAL, but musl looks
 * at the first letters alone. */
static size_t token(const char *s, const char *end, const char *name, bool musl)
{
    size_t n = strlen(name), brace = s < end && *s == '{';
    if ((size_t)(end - s) < n + 2 * brace || strncmp(s + brace, name, n) != 0)
        return 0;
    if (brace)
        return s[n + 1] == '}' ? n + 2 : 0;
    char next = s + n < end ? s[n] : 0;
    return !musl && (tn_is_alpha(next) || tn_is_digit(next) || next == '_') ? 0 : n;
}

static bool trusted(struct tn_loader *l, const char *path)
{
    const char *norm = tn_path_norm(l->mem, TN_PATH_POSIX, path);
    for (size_t i = 0; i < l->process->n_defaults; i++)
        if (tn_path_under(TN_PATH_POSIX, norm, l->process->defaults[i]))
            return true;
    return false;
}

/* Setuid programs: $ORIGIN alone at the beginning, and the program's own only below a default folder. */
const char *tn_loader_expand(struct tn_loader *l, size_t object, const char *s, size_t n)
{
    const struct tn_process *p = l->process;
    const char *end = s + n, *from = s;
    bool check = false, musl = p->kind == TN_PROCESS_MUSL;
    if (!memchr(s, '$', n))
        return tn_arena_strndup(l->mem, s, n);
    struct tn_buf b;
    tn_buf_init(&b);
    bool drop = false;
    while (s < end && !drop) {
        const char *with = NULL;
        size_t m = 0;
        if (*s != '$') {
            tn_buf_ch(&b, *s++);
            continue;
        }
        if ((m = token(++s, end, "ORIGIN", musl)) != 0) {
            with = object != TN_NO_OBJECT && object < l->n_object ? l->object[object].origin : NULL;
            if (p->secure && !(s == from + 1 && (s + m == end || s[m] == '/')))
                with = NULL;
            check = p->secure && object == TN_PROGRAM;
        } else if (!musl && (m = token(s, end, "PLATFORM", musl)) != 0) {
            with = p->platform;
        } else if (!musl && (m = token(s, end, "LIB", musl)) != 0) {
            with = p->lib;
        }
        drop = (m && !with) || (musl && !m) || b.n > TN_MAX_PATH_BYTES;
        if (with)
            tn_buf_str(&b, with);
        else
            tn_buf_ch(&b, '$');
        s += m;
    }
    const char *ret = drop ? NULL : tn_arena_strndup(l->mem, b.p, b.n);
    tn_buf_deinit(&b);
    return ret && check && !trusted(l, ret) ? NULL : ret;
}

/* A snapshot for strangers calls the home folder ~ and an environment ENV1: those are whole paths too. */
bool tn_loader_is_whole(const char *path)
{
    size_t n = 3;
    if (path[0] == '/' || (path[0] == '~' && (path[1] == '/' || !path[1])))
        return true;
    if (strncmp(path, "ENV", 3) != 0)
        return false;
    while (tn_is_digit(path[n]))
        n++;
    return n > 3 && (path[n] == '/' || !path[n]);
}

struct tn_folder *tn_loader_folder(struct tn_loader *l, uint32_t i)
{
    return &l->in->folder[i];
}

static uint32_t intern(struct tn_loader *l, const char *path)
{
    struct tn_loader_inner *in = l->in;
    bool musl = l->process->kind == TN_PROCESS_MUSL; /* writes folders as they stand */
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/' && !musl)
        n--;
    path = tn_arena_strndup(l->mem, path, n);
    size_t at = tn_names_find(&in->folder_names, path);
    if (at != TN_NO_OBJECT)
        return (uint32_t)at;
    in->folder = tn_arena_grow(l->mem, in->folder, in->n_folder, &in->cap_folder, sizeof *in->folder);
    struct tn_folder *f = &in->folder[in->n_folder];
    memset(f, 0, sizeof *f);
    f->path = path;
    f->prefix = n == 0 || (path[n - 1] == '/' && !musl) ? path : tn_arena_printf(l->mem, "%s/", path);
    f->there = !tn_loader_is_whole(path)    ? TN_KNOWN
               : n + 2 >= TN_MAX_PATH_BYTES ? TN_FAILED
               : l->disk->folder            ? l->disk->folder(l->disk->ctx, path)
                                            : TN_UNASKED;
    tn_names_add(l->mem, &in->folder_names, path, in->n_folder, false);
    return (uint32_t)in->n_folder++;
}

/* Adds one element; the table seen holds the folders of this list. */
static void add(struct tn_loader *l, struct tn_folders *f, size_t *cap, struct tn_names *seen, const char *path)
{
    if (f->n >= TN_MAX_LIST || l->in->n_folder >= TN_MAX_LOADER_STEPS)
        return;
    uint32_t i = intern(l, path);
    size_t before = seen->n;
    tn_names_add(l->mem, seen, l->in->folder[i].path, 0, false);
    if (seen->n == before)
        return;
    f->v = tn_arena_grow(l->mem, f->v, f->n, cap, sizeof *f->v);
    f->v[f->n++] = i;
}

struct tn_folders *tn_loader_folders_of_list(struct tn_loader *l, size_t object, struct tn_list list)
{
    struct tn_folders *f = tn_arena_alloc(l->mem, sizeof *f);
    struct tn_names seen = {0};
    size_t cap = 0;
    bool musl = l->process->kind == TN_PROCESS_MUSL;
    bool nowhere = object != TN_NO_OBJECT && object < l->n_object && !l->object[object].origin;
    f->unknown = list.k == TN_FAILED || list.k == TN_DENIED;
    for (uint32_t i = 0; list.k == TN_KNOWN && i < list.n; i++) {
        const char *at = tn_loader_expand(l, object, list.v[i], strlen(list.v[i]));
        f->unknown = f->unknown || (!at && nowhere && strstr(list.v[i], "ORIGIN"));
        if (!at && musl) { /* one bad token spoils the whole of it */
            f->n = 0;
            return f;
        }
        if (musl && !*at)
            continue;
        if (at && (*at || !*list.v[i]) && (*at || list.n > 1)) /* an empty tag is none, an empty element "." */
            add(l, f, &cap, &seen, at);
    }
    return f;
}

struct tn_folders *tn_loader_folders_of_text(struct tn_loader *l, const char *text, const char *separators)
{
    struct tn_folders *f = tn_arena_alloc(l->mem, sizeof *f);
    struct tn_names seen = {0};
    size_t cap = 0;
    bool musl = l->process->kind == TN_PROCESS_MUSL; /* takes no tokens here and no empty element */
    for (const char *s = text; s && *text;) {
        size_t n = strcspn(s, separators);
        const char *at = !musl ? tn_loader_expand(l, TN_PROGRAM, s, n) : n ? tn_arena_strndup(l->mem, s, n) : NULL;
        if (at && (*at || !n))
            add(l, f, &cap, &seen, at);
        s = s[n] ? s + n + 1 : NULL;
    }
    return f;
}

const struct tn_folders *tn_loader_rpath(struct tn_loader *l, size_t object)
{
    struct tn_object *o = &l->object[object];
    if (!o->rpath) {
        struct tn_list none = {0};
        bool dropped = o->image.runpath.k == TN_KNOWN; /* who has both tags has DT_RUNPATH */
        struct tn_folders *f = tn_loader_folders_of_list(l, object, dropped ? none : o->image.rpath);
        l->object[object].rpath = f;
    }
    return l->object[object].rpath;
}

const struct tn_folders *tn_loader_runpath(struct tn_loader *l, size_t object)
{
    struct tn_object *o = &l->object[object];
    if (!o->runpath)
        o->runpath = tn_loader_folders_of_list(l, object, o->image.runpath);
    return o->runpath;
}

/* A loop of links, or a name too long, is no folder. */
static enum tn_know folder_at(struct tn_loader *l, const char *path)
{
    struct tn_rec_image i;
    enum tn_know k = l->disk->folder(l->disk->ctx, path);
    if (k != TN_FAILED || !l->disk->image(l->disk->ctx, path, &i))
        return k;
    return tn_says(i.seen, "loop") || tn_says(i.seen, "long") ? TN_ABSENT : k;
}

/* Which of the process's hardware folders this one has: the first component is asked for first. */
void tn_loader_hardware(struct tn_loader *l, struct tn_folder *f)
{
    const struct tn_process *p = l->process;
    size_t cap = 0;
    const char *last = NULL;
    enum tn_know last_there = TN_UNASKED;
    if (f->sub_asked)
        return;
    f->sub_asked = true;
    for (size_t i = 0; i < p->n_hwcaps; i++) {
        const char *slash = strchr(p->hwcaps[i], '/');
        size_t n = slash ? (size_t)(slash - p->hwcaps[i]) : strlen(p->hwcaps[i]);
        if (!last || strlen(last) != n || strncmp(last, p->hwcaps[i], n) != 0) {
            last = tn_arena_strndup(l->mem, p->hwcaps[i], n);
            last_there = folder_at(l, tn_arena_printf(l->mem, "%s%s", f->prefix, last));
        }
        enum tn_know there = last_there;
        const char *path = NULL;
        if (there == TN_KNOWN) {
            path = tn_arena_printf(l->mem, "%s%s", f->prefix, p->hwcaps[i]);
            there = slash ? folder_at(l, path) : there;
        }
        if (there == TN_UNASKED || there == TN_FAILED)
            f->sub_unknown = true;
        if (there != TN_KNOWN)
            continue;
        f->sub = tn_arena_grow(l->mem, f->sub, f->n_sub, &cap, sizeof *f->sub);
        f->sub[f->n_sub++] = tn_arena_printf(l->mem, "%s/", path);
    }
}
