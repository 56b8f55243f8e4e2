/* guard.c - root must not read, through another user's links, what that user could not read (design 6.10).
 *
 * The first component of a path that does not belong to root, links on the way followed, names the user whose file
 * rights are taken on (setfsuid(2): only file access changes, and the capabilities that override modes go with it).
 * What is not the last component is remembered: it is looked at once, by this thread and as long as a machine is being
 * looked at (tn_os_look_begin). Folders of root that others may write to (/tmp)
 * rely on fs.protected_symlinks for links that appear between the look and the open. */
#include "os/posix/posix.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "os/os.h"

#ifdef SYS_setgroups32
#define SET_GROUPS SYS_setgroups32
#else
#define SET_GROUPS SYS_setgroups
#endif

#define FIRST_SLOTS 1024u
#define MAX_SLOTS 65536u
#define MAX_LENT 4096u

/* Keyed by a path without links, all of whose folders are root's: only such a walk goes on. */
struct seen {
    char *target;    /* of a link that root owns */
    struct stat *st; /* of the end of a path behind links, where it was asked for */
    uid_t uid;
    gid_t gid;
    bool open; /* others may put something else there */
    bool lent; /* a user's link leads here: uid is that user's */
    char path[];
};

static _Thread_local struct slot {
    struct seen *seen; /* NULL: free */
    size_t hash;
} * cache;
static _Thread_local size_t n_slots, n_seen, n_lent;
static _Thread_local int am_root = -1;
static _Thread_local unsigned looks; /* that have begun and not ended */
static _Thread_local gid_t *groups;  /* that were given up */
static _Thread_local int n_groups;

/* Eight bytes at a time: paths are long, and each question hashes one. */
static size_t hash_of(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u, word;
    size_t n = strlen(s);
    for (; n >= 8; n -= 8, s += 8) {
        memcpy(&word, s, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, s, n);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ h >> 29);
}

static struct slot *free_slot(size_t hash)
{
    size_t at = hash & (n_slots - 1);
    while (cache[at].seen)
        at = (at + 1) & (n_slots - 1);
    return &cache[at];
}

static struct seen *find(const char *path)
{
    size_t hash = hash_of(path), at = hash & (n_slots - 1);
    while (cache[at].seen && (cache[at].hash != hash || strcmp(cache[at].seen->path, path) != 0))
        at = (at + 1) & (n_slots - 1);
    return cache[at].seen;
}

static void forget(struct seen *s)
{
    if (s) {
        free(s->target);
        free(s->st);
        free(s);
    }
}

/* Moves what is remembered into n slots; all of it, or what is lent. */
static void move_to(size_t n, bool all)
{
    struct slot *old = cache;
    size_t n_old = n_slots;
    n_slots = n;
    n_seen = 0;
    cache = tn_xmalloc(n_slots * sizeof *cache);
    memset(cache, 0, n_slots * sizeof *cache);
    for (size_t i = 0; old && i < n_old; i++) {
        if (!old[i].seen)
            continue;
        if (all || old[i].seen->lent) {
            *free_slot(old[i].hash) = old[i];
            n_seen++;
        } else {
            forget(old[i].seen);
        }
    }
    free(old);
}

/* Twice the room, half of it empty; a machine with more folders than that is looked at anew. */
static void make_room(void)
{
    if (n_slots == 0 || n_seen >= n_slots / 2)
        move_to(!n_slots ? FIRST_SLOTS : n_slots < MAX_SLOTS ? n_slots * 2 : n_slots, n_slots < MAX_SLOTS);
}

/* May others put something else there? In a sticky folder (/tmp) they may not move what is root's. */
static bool others_write(mode_t m)
{
    return (m & 022) && !(m & S_ISVTX);
}

/* What is there now, without its path. False with errno: nothing. */
static bool look(const char *path, struct stat *st, struct seen *ret)
{
    char text[TN_MAX_PATH_BYTES];
    memset(ret, 0, sizeof *ret);
    if (lstat(path, st))
        return false;
    ret->uid = st->st_uid;
    ret->gid = st->st_gid;
    ret->open = !S_ISLNK(st->st_mode) && others_write(st->st_mode); /* of a link the mode says nothing */
    ssize_t n = st->st_uid == 0 && S_ISLNK(st->st_mode) ? readlink(path, text, sizeof text - 1) : -1;
    if (n >= 0) {
        text[n] = 0;
        ret->target = strdup(text);
    }
    return true;
}

/* Remembers what was seen at a path that is not remembered yet. */
static struct seen *keep(const char *path, const struct seen *what)
{
    make_room();
    size_t n = strlen(path) + 1, hash = hash_of(path);
    struct seen *s = tn_xmalloc(sizeof *s + n);
    *s = *what;
    memcpy(s->path, path, n);
    *free_slot(hash) = (struct slot){s, hash};
    n_seen++;
    return s;
}

/* The remembered look at a folder, or a new one. NULL with errno: there is nothing. */
static const struct seen *look_once(const char *path, bool open)
{
    struct stat st;
    struct seen now, *s = cache ? find(path) : NULL;
    if (s)
        return s;
    if (!look(path, &st, &now))
        return NULL;
    now.open |= open;
    return keep(path, &now);
}

/* Another look at a folder of root's that was worth it: it may hold what is asked for next. */
static void remember(const char *path, gid_t gid, bool open)
{
    struct seen now = {.gid = gid, .open = open};
    if (!find(path))
        keep(path, &now);
}

/* Behind a link to root's own folder lies what many links lead to, the system's interpreter: its state is kept. */
static const struct seen *look_behind(const char *path, struct stat *st)
{
    struct seen now, *s = find(path);
    if (s && s->st) {
        *st = *s->st;
        return s;
    }
    if (!look(path, st, &now))
        return NULL;
    if (s)
        free(now.target);
    else
        s = keep(path, &now);
    s->st = memcpy(tn_xmalloc(sizeof *st), st, sizeof *st);
    return s;
}

struct walk {
    char at[2 * TN_MAX_PATH_BYTES];   /* where we are, without links; "" is / */
    char rest[2 * TN_MAX_PATH_BYTES]; /* still to walk */
    size_t n;                         /* length of at */
    size_t floor;                     /* ".." and absolute links stop here */
    size_t links;
    bool open;   /* a folder on the way is */
    int missing; /* errno of the look at a name that is not there */
    bool plain;  /* no link and no ".." so far */
    bool looked; /* at the last name, by a plain path; it is root's */
    bool stat;   /* is the state of the end behind links wanted: no name before it ends in '/' */
    bool behind; /* st is that state, and nobody but root could change it */
    struct stat st;
};

static bool put_before(struct walk *w, const char *target)
{
    size_t n = strlen(target), left = strlen(w->rest);
    if (++w->links > TN_MAX_LINKS || n + left + 2 > sizeof w->rest)
        return false;
    memmove(w->rest + n + 1, w->rest, left + 1);
    memcpy(w->rest, target, n);
    w->rest[n] = '/';
    return true;
}

static void up(struct walk *w)
{
    w->plain = false;
    while (w->n > w->floor && w->at[w->n - 1] != '/')
        w->n--;
    if (w->n > w->floor)
        w->n--;
    w->at[w->n] = 0;
}

static bool follow(struct walk *w, const char *target)
{
    if (!put_before(w, target))
        return false;
    up(w);
    if (target[0] == '/')
        w->at[w->n = w->floor] = 0;
    w->stat &= !tn_str_ends(target, "/");
    return true;
}

/* Takes the next name off the path and goes there. False at the path's end, or when it is too long. */
static bool step(struct walk *w, bool *ret_moved, bool *ret_folder)
{
    char *p = w->rest + strspn(w->rest, "/");
    size_t n = strcspn(p, "/");
    bool dots = n == 2 && memcmp(p, "..", 2) == 0;
    *ret_moved = !dots && !(n == 1 && *p == '.');
    *ret_folder = p[n] == '/';
    if (n == 0 || w->n + n + 2 > sizeof w->at)
        return false;
    if (dots) {
        up(w);
    } else if (*ret_moved) {
        w->at[w->n++] = '/';
        memcpy(w->at + w->n, p, n);
        w->at[w->n += n] = 0;
    }
    memmove(w->rest, p + n, strlen(p + n) + 1);
    return true;
}

/* Walks rest; true with the owner when one on the way is not root. A path too odd to walk is nobody's, nor is one that
 * ends early: unless it comes back by "..", nothing is behind what is missing. */
static bool governor(struct walk *w, uid_t *ret_uid, gid_t *ret_gid)
{
    bool moved, folder;
    while (step(w, &moved, &folder)) {
        struct seen plain;
        const struct seen *s = &plain;
        bool open = w->open;
        if (!moved)
            continue;
        bool behind = w->stat && !w->open && w->rest[strspn(w->rest, "/")] == 0;
        const struct seen *lent = n_lent ? find(w->at) : NULL;
        if (lent && lent->lent) {
            *ret_uid = lent->uid;
            *ret_gid = lent->gid;
            return true;
        }
        bool once = folder || (!w->plain && !w->open);
        if (behind)
            s = look_behind(w->at, &w->st);
        else if (once)
            s = look_once(w->at, w->open);
        else if (!look(w->at, &w->st, &plain))
            s = NULL;
        if (!s) {
            if (!strstr(w->rest, "..")) {
                w->missing = w->plain && (errno == ENOENT || errno == ENOTDIR) ? errno : 0;
                return false;
            }
            continue;
        }
        w->open |= s->open;
        *ret_uid = s->uid;
        *ret_gid = s->gid;
        bool ok = !s->target || follow(w, s->target);
        w->behind = behind && !s->target && !s->open;
        w->looked = !folder && w->plain;
        if (!once)
            free(plain.target);
        if (!ok || s->uid)
            return ok;
        w->open = folder ? w->open : open;
    }
    return false;
}

static bool governed(struct tn_posix_guard *g, const char *root, const char *path, uid_t *ret_uid, gid_t *ret_gid)
{
    struct walk w;
    size_t n = strlen(path);
    w.n = w.floor = w.links = 0;
    w.at[0] = 0;
    w.missing = 0;
    w.open = w.looked = w.stat = w.behind = false;
    w.plain = true;
    if (n + 1 > TN_MAX_PATH_BYTES)
        return false;
    if (root || path[0] != '/') { /* whose folder are we in? */
        if (root && strlen(root) < TN_MAX_PATH_BYTES)
            memcpy(w.rest, root, strlen(root) + 1);
        else if (root || !getcwd(w.rest, TN_MAX_PATH_BYTES))
            return false;
        if (governor(&w, ret_uid, ret_gid))
            return true;
        w.floor = root ? w.n : 0;
        w.missing = 0;
        w.looked = false;
    }
    memcpy(w.rest, path, n + 1);
    if (governor(&w, ret_uid, ret_gid))
        return true;
    g->error = w.missing;
    g->looked = w.looked;
    g->own = w.looked && !w.open;
    if (w.looked)
        g->st = w.st;
    return false;
}

/* What is remembered of the folder at; if nothing, the folders down to it from the deepest one that is remembered are
 * looked at once. NULL: walk, or *ret_missing says that it is not there. */
static const struct seen *folder_of(char *at, size_t n, int *ret_missing)
{
    size_t down = n;
    const struct seen *s;
    while (!(s = find(at))) {
        while (down && at[--down] != '/') {
        }
        if (down == 0)
            return NULL;
        at[down] = 0;
    }
    while (s->uid == 0 && !s->target && down < n) {
        const char *name = at + down + 1;
        if (name[strspn(name, ".")] == 0) /* "", "." and ".." are for the walk */
            return NULL;
        at[down] = '/';
        down += 1 + strlen(name);
        s = look_once(at, s->open);
        if (!s) {
            *ret_missing = errno == ENOENT || errno == ENOTDIR ? errno : 0;
            return NULL;
        }
    }
    return s->target ? NULL : s;
}

/* The walk goes on behind a link of root's in a folder of root's. False: it is too odd to walk on from here. */
static bool governed_behind(struct tn_posix_guard *g, const char *link, size_t floor, bool open, uid_t *ret_uid,
                            gid_t *ret_gid)
{
    struct walk w;
    char target[TN_MAX_PATH_BYTES];
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0)
        return false;
    target[n] = 0;
    w.n = strlen(link);
    memcpy(w.at, link, w.n + 1);
    w.floor = floor;
    w.links = 0;
    w.rest[0] = 0;
    w.open = open;
    w.plain = w.looked = w.behind = false;
    w.stat = true;
    if (!follow(&w, target))
        return false;
    if (!governor(&w, ret_uid, ret_gid) && w.behind) {
        g->looked = true;
        g->st = w.st;
    }
    return true;
}

/* The usual case without a walk: all folders are root's own, so the last name alone decides. False: walk. */
static bool governed_last(struct tn_posix_guard *g, const char *root, const char *path, bool follow, uid_t *ret_uid,
                          gid_t *ret_gid)
{
    char at[2 * TN_MAX_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    if (!root || strcmp(root, "/") == 0)
        root = "";
    size_t n = strlen(root), m = strlen(path);
    if (!cache || path[0] != '/' || slash == path || slash[1 + strspn(slash + 1, ".")] == 0 || n + m >= sizeof at)
        return false;
    memcpy(at, root, n);
    memcpy(at + n, path, m + 1);
    n += (size_t)(slash - path);
    at[n] = 0;
    const struct seen *s = folder_of(at, n, &g->error);
    if (g->error && strstr(path, "..")) /* it may come back from what is missing */
        g->error = 0;
    if (!s)
        return g->error != 0;
    *ret_uid = s->uid;
    *ret_gid = s->gid;
    if (s->uid)
        return true;
    at[n] = '/';
    const struct seen *last = n_lent ? find(at) : NULL;
    if (last && last->lent) {
        *ret_uid = last->uid;
        *ret_gid = last->gid;
        return true;
    }
    g->error = lstat(at, &g->st) ? errno : 0;
    if (g->error)
        return true;
    *ret_uid = g->st.st_uid;
    *ret_gid = g->st.st_gid;
    g->looked = g->st.st_uid == 0 && (!follow || !S_ISLNK(g->st.st_mode));
    g->own = g->looked && !s->open;
    if (g->looked && S_ISDIR(g->st.st_mode))
        remember(at, g->st.st_gid, s->open || others_write(g->st.st_mode));
    if (g->st.st_uid == 0 && !g->looked) /* a link; an open folder gets the careful walk */
        return !s->open && governed_behind(g, at, strlen(root), s->open, ret_uid, ret_gid);
    return true;
}

/* /proc and /sys guard themselves, and root is meant to see the processes of others; but the links there that jump
 * (root, cwd, descriptors) lead into other people's folders. */
static bool exempt(const char *path)
{
    static const char *const jumps[] = {"root", "cwd", "fd", "map_files", "..", NULL};
    if (!tn_str_starts(path, "/proc/") && !tn_str_starts(path, "/sys/"))
        return false;
    for (const char *p = path; (p = strchr(p, '/')) != NULL;) {
        size_t n = strcspn(++p, "/");
        bool more = p[n + strspn(p + n, "/")] != 0;
        for (size_t i = 0; jumps[i]; i++)
            if (strlen(jumps[i]) == n && memcmp(jumps[i], p, n) == 0 && (more || i == 4))
                return false;
    }
    return true;
}

/* Files of root's other groups would stay readable. Of this thread alone, as setfsuid(2): a program that uses the
 * library has others. */
static void give_up_groups(void)
{
    int n = getgroups(0, NULL);
    if (n <= 0 || groups)
        return;
    groups = tn_xmalloc((size_t)n * sizeof *groups);
    n_groups = getgroups(n, groups);
    if (n_groups < 0 || syscall(SET_GROUPS, 0, NULL)) { /* refused in some sandboxes */
        free(groups);
        groups = NULL;
    }
}

/* The machine may be another one by the next look. */
static void forget_all(void)
{
    for (size_t i = 0; cache && i < n_slots; i++)
        forget(cache[i].seen);
    free(cache);
    cache = NULL;
    n_slots = n_seen = n_lent = 0;
    am_root = -1;
    if (groups && syscall(SET_GROUPS, n_groups, groups) == 0) {
        free(groups);
        groups = NULL;
    }
}

void tn_os_look_begin(void)
{
    if (looks++ == 0)
        forget_all();
}

void tn_os_look_end(bool all)
{
    looks = all || !looks ? 0 : looks - 1;
    if (!looks)
        forget_all();
}

void tn_posix_guard_enter(struct tn_posix_guard *g, const char *root, const char *path, bool follow)
{
    uid_t uid = 0;
    gid_t gid = 0;
    g->uid = 0;
    g->error = 0;
    g->looked = g->own = false;
    if (am_root < 0) {
        am_root = geteuid() == 0;
        if (am_root)
            give_up_groups();
    }
    g->root = am_root;
    if (!am_root || (!root && exempt(path)))
        return;
    if ((governed_last(g, root, path, follow, &uid, &gid) || governed(g, root, path, &uid, &gid)) && uid) {
        setfsgid(gid);
        setfsuid(uid);
        g->uid = uid;
        g->gid = gid;
    }
}

void tn_posix_guard_leave(struct tn_posix_guard *g)
{
    if (g->uid) {
        setfsuid(0);
        setfsgid(0);
    }
}

/* The path that a link at path leads to, without "." and "..". */
static bool behind_link(const char *root, const char *path, const char *target, char *ret, size_t size)
{
    struct walk w;
    bool moved, folder;
    const char *slash = strrchr(path, '/');
    size_t n = root && strcmp(root, "/") != 0 ? strlen(root) : 0,
           m = target[0] == '/' || !slash ? 0 : (size_t)(slash - path);
    memset(&w, 0, sizeof w);
    if ((target[0] != '/' && path[0] != '/') || n + m + strlen(target) + 2 > sizeof w.rest || n >= size)
        return false;
    memcpy(w.at, root ? root : "", n);
    w.n = w.floor = n;
    memcpy(w.rest, path, m);
    w.rest[m] = '/';
    memcpy(w.rest + m + 1, target, strlen(target) + 1);
    while (step(&w, &moved, &folder)) {
    }
    if (w.n == w.floor || w.n >= size)
        return false;
    memcpy(ret, w.at, w.n + 1);
    return true;
}

/* Whoever asked for a link of a user's goes on by the path that it leads to: with that user's rights. A place of
 * somebody else's keeps those of its own user. */
void tn_posix_guard_lend(const struct tn_posix_guard *g, const char *root, const char *path, const char *target)
{
    char to[2 * TN_MAX_PATH_BYTES];
    struct tn_posix_guard own = {.root = true};
    struct stat st;
    uid_t uid = 0;
    gid_t gid = 0;
    if (!g->uid || n_lent >= MAX_LENT || !behind_link(root, path, target, to, sizeof to) || (!root && exempt(to)) ||
        lstat(to, &st) || (governed(&own, NULL, to, &uid, &gid) && uid))
        return;
    struct seen now = {.uid = g->uid, .gid = g->gid, .lent = true}, *s = cache ? find(to) : NULL;
    if (!S_ISREG(st.st_mode) || s) /* what was seen below it, or of it, was seen as root's */
        move_to(n_slots ? n_slots : FIRST_SLOTS, false);
    keep(to, &now);
    n_lent++;
}
