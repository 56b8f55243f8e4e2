/* disk.c - room where environments, caches, the home folder and temporary files live, and of /dev/shm; what kind of
 * file system each is.
 *
 * Invariant: a folder that is not there stands for the nearest one above it, where it would be made; one row for each
 * use and folder. Sources: statvfs(3); proc(5), mountinfo: the last mount on the longest path wins; caches: pip,
 * "Caching"; uv, "Storage"; conda, "pkgs_dirs". */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/ask.h"

#define MOUNTS "/proc/self/mountinfo"
#define MAX_ENVS 256u /* looked at for other file systems */

struct mount {
    const char *point, *type;
    size_t length;
    bool ro;
};

struct disks {
    struct tn_probe_ctx *c;
    enum tn_path_style st;
    enum tn_know mounts_got;
    uint32_t mounts_src;
    struct mount *mount; /* in the order in which they were made */
    size_t n, cap;
    const char *home, *cache; /* NULL: not known; cache: where programs keep what they can fetch again */
};

/* The next word of a line of mountinfo, with \040 and its like as what they stand for. */
static const char *field(struct tn_arena *mem, struct tn_span *rest)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ')
        n++;
    char *s = tn_arena_strndup(mem, (const char *)rest->p, n), *to = s;
    for (const char *p = s; *p; p++) {
        uint64_t v = 0;
        unsigned k = 0;
        for (; *p == '\\' && k < 3 && p[1 + k] >= '0' && p[1 + k] <= '7'; k++)
            v = v * 8 + (uint64_t)(p[1 + k] - '0');
        if (k == 3 && v && v < 256) {
            *to++ = (char)v;
            p += 3;
        } else {
            *to++ = *p;
        }
    }
    *to = 0;
    *rest = tn_span_from(*rest, n + 1);
    return s;
}

static bool has_option(const char *options, const char *name)
{
    size_t n = strlen(name);
    for (; *options; options += strcspn(options, ",") + (options[strcspn(options, ",")] == ','))
        if (strncmp(options, name, n) == 0 && (options[n] == ',' || !options[n]))
            return true;
    return false;
}

static void read_mounts(struct disks *d)
{
    struct tn_arena *mem = d->c->tmp;
    struct tn_answer a = tn_world_read(d->c->w, mem, MOUNTS, TN_MAX_SMALL_FILE);
    struct tn_span rest = a.data, line;
    d->mounts_got = a.got;
    d->mounts_src = tn_probe_src(d->c->s, "read", MOUNTS, &a);
    while (a.got == TN_KNOWN && tn_span_line(&rest, &line)) {
        if (tn_span_find(line, 0, " - ", 3) == SIZE_MAX)
            continue;
        for (unsigned i = 0; i < 4; i++)
            field(mem, &line);
        struct mount m = {.point = field(mem, &line)};
        const char *options = field(mem, &line);
        size_t dash = tn_span_find(line, 0, "- ", 2);
        struct tn_span tail = tn_span_from(line, dash == SIZE_MAX ? line.n : dash + 2);
        m.length = strlen(m.point);
        m.type = field(mem, &tail);
        field(mem, &tail);
        m.ro = has_option(options, "ro") || has_option(field(mem, &tail), "ro");
        d->mount = tn_arena_grow(mem, d->mount, d->n, &d->cap, sizeof *d->mount);
        d->mount[d->n++] = m;
    }
}

/* Where the file system of a path is mounted; r (may be NULL) learns its type and whether it may be written. NULL: not
 * known. */
static const char *mount_of(struct disks *d, const char *path, struct tn_rec_disk *r)
{
    const struct mount *best = NULL;
    if (d->st == TN_PATH_WINDOWS) /* a drive; what kind it is, nobody asks yet */
        return tn_arena_strndup(d->c->tmp, path, strcspn(path, "\\/"));
    for (size_t i = 0; i < d->n; i++)
        if ((!best || d->mount[i].length >= best->length) &&
            strncmp(path, d->mount[i].point, d->mount[i].length) == 0 &&
            (d->mount[i].length == 1 || path[d->mount[i].length] == '/' || !path[d->mount[i].length]))
            best = &d->mount[i];
    if (r && d->mounts_got != TN_KNOWN) {
        r->type = tn_fact_nostr(d->mounts_src, d->mounts_got);
        r->read_only = tn_fact_noint(d->mounts_src, d->mounts_got);
    } else if (r && best) {
        r->type = tn_fact_str(d->c->s, d->mounts_src, *best->type ? best->type : NULL);
        r->read_only = tn_fact_int(d->mounts_src, best->ro);
    }
    return best ? best->point : NULL;
}

/* The folder, or the nearest one above it that is there. NULL: nobody knows. */
static const char *there(struct disks *d, const char *path)
{
    for (unsigned i = 0; i < 64; i++) {
        struct tn_answer a = tn_world_stat(d->c->w, path);
        if (a.got == TN_KNOWN)
            return tn_world_real(d->c->w, d->c->tmp, path, NULL);
        const char *up = tn_path_dir(d->c->tmp, d->st, path);
        if (a.got != TN_ABSENT || strcmp(up, path) == 0 || strcmp(up, ".") == 0)
            return NULL;
        path = up;
    }
    return NULL;
}

static void add(struct disks *d, const char *use, const char *path)
{
    struct tn_snap *s = d->c->s;
    path = path && tn_path_is_abs(d->st, path) ? there(d, path) : NULL;
    if (!path)
        return;
    for (size_t i = 0; i < s->disk.n; i++)
        if (tn_says(s->disk.v[i].use, use) && tn_says(s->disk.v[i].path, path))
            return;
    struct tn_question q = {.kind = TN_Q_DISK, .name = path};
    struct tn_answer a = tn_world_ask(d->c->w, d->c->tmp, &q);
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(s, "disk", path, &a);
    struct tn_rec_disk *r = TN_ADD(s, disk);
    s->disk.listed = TN_KNOWN;
    r->path = tn_fact_str(s, src, path);
    r->use = tn_fact_str(s, src, use);
    bool known = a.got == TN_KNOWN && a.size <= INT64_MAX && a.total <= INT64_MAX;
    r->free_bytes = known ? tn_fact_int(src, (int64_t)a.size) : tn_fact_noint(src, a.got);
    r->total_bytes = known ? tn_fact_int(src, (int64_t)a.total) : tn_fact_noint(src, a.got);
    mount_of(d, path, r);
}

/* An environment elsewhere than those that have a row. */
static void add_env(struct disks *d, const char *path)
{
    const char *at = mount_of(d, path, NULL);
    bool known = !at;
    for (size_t i = 0; i < d->c->s->disk.n && !known; i++) {
        const struct tn_rec_disk *r = &d->c->s->disk.v[i];
        known = tn_says(r->use, "env") && tn_str_eq(mount_of(d, r->path.v, NULL), at);
    }
    if (!known)
        add(d, "env", path);
}

static const char *join(struct disks *d, const char *a, const char *b)
{
    return a ? tn_path_join(d->c->tmp, d->st, a, b) : NULL;
}

/* What the installer's settings say, last one first; else where it keeps things by itself. */
static void cache_of(struct disks *d, const char *by, const char *key, const char *usual)
{
    const struct tn_snap *s = d->c->s;
    for (size_t i = s->config.n; i-- > 0;) {
        const struct tn_rec_config *r = &s->config.v[i];
        if (tn_says(r->by, by) && tn_says(r->key, key) && tn_known(r->value) && tn_path_is_abs(d->st, r->value.v)) {
            add(d, "cache", r->value.v);
            return;
        }
    }
    add(d, "cache", usual);
}

static void disk_run(struct tn_probe_ctx *c)
{
    struct disks d = {.c = c, .st = c->w->style};
    bool win = d.st == TN_PATH_WINDOWS;
    if (!win && !tn_probe_running(c)) /* the disk below an image is not the image's */
        return;
    if (c->want && c->want->plain) { /* a verdict asks only for what engines make too small */
        if (tn_known(TN_THE(c->s, container)->kind))
            add(&d, "shm", "/dev/shm");
        return;
    }
    if (!win)
        read_mounts(&d);
    d.home = tn_probe_env(c, win ? "USERPROFILE" : "HOME", NULL);
    d.cache = tn_probe_env(c, win ? "LOCALAPPDATA" : "XDG_CACHE_HOME", NULL);
    if (!d.cache && !win)
        d.cache = join(&d, d.home, ".cache");
    const struct tn_rec_env *judged = tn_snap_judged(c->s);
    if (judged && tn_known(judged->path))
        add(&d, "env", judged->path.v);
    for (size_t i = 0; i < c->s->env.n && i < MAX_ENVS; i++)
        if (tn_known(c->s->env.v[i].path))
            add_env(&d, c->s->env.v[i].path.v);
    add(&d, "home", d.home);
    cache_of(&d, "pip", "cache-dir", win ? join(&d, d.cache, "pip\\Cache") : join(&d, d.cache, "pip"));
    cache_of(&d, "uv", "cache-dir", win ? join(&d, d.cache, "uv\\cache") : join(&d, d.cache, "uv"));
    if (judged && tn_says(judged->kind, "conda") && tn_known(judged->path)) {
        const char *up = tn_path_dir(c->tmp, d.st, judged->path.v);
        bool below = strcmp(tn_path_base(d.st, up), "envs") == 0;
        cache_of(&d, "conda", "pkgs_dirs", join(&d, below ? tn_path_dir(c->tmp, d.st, up) : judged->path.v, "pkgs"));
    }
    const char *temp = tn_probe_env(c, win ? "TEMP" : "TMPDIR", NULL);
    add(&d, "temp", temp ? temp : win ? NULL : "/tmp");
    if (!win && tn_world_is_dir(c->w, "/dev/shm"))
        add(&d, "shm", "/dev/shm");
}

TN_PROBE(disk, TN_PHASE_LIBRARY, disk_run,
         "free space where environments, caches, home, temporary files live; /dev/shm", .gives = TN_HAS(disk),
         .reads = TN_HAS(env) | TN_HAS(config) | TN_HAS(container));
