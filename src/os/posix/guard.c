/* guard.c - root must not read, through another user's links, what that user could not read (design 6.10).
 *
 * The first component of a path that does not belong to root, links on the way followed, names the user whose file
 * rights are taken on (setfsuid(2): only file access changes, and the capabilities that override modes go with it).
 * What is not the last component is remembered: it is looked at once. Folders of root that others may write to (/tmp)
 * rely on fs.protected_symlinks for links that appear between the look and the open. */
#include "os/posix/posix.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"

#define SLOTS 4096u
#define PROBES 8u

struct seen {
    char *path;
    char *target; /* of a link that root owns */
    uid_t uid;
    gid_t gid;
};

static struct seen cache[SLOTS];
static unsigned n_seen;
static int am_root = -1;

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static void drop(struct seen *s)
{
    free(s->path);
    free(s->target);
    memset(s, 0, sizeof *s);
}

static void forget(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        drop(&cache[i]);
    n_seen = 0;
}

/* What is there now; path NULL: nothing. */
static struct seen look(const char *path)
{
    struct seen s = {NULL, NULL, 0, 0};
    struct stat st;
    char text[TN_MAX_PATH_BYTES];
    if (lstat(path, &st))
        return s;
    s.uid = st.st_uid;
    s.gid = st.st_gid;
    ssize_t n = st.st_uid == 0 && S_ISLNK(st.st_mode) ? readlink(path, text, sizeof text - 1) : -1;
    if (n >= 0) {
        text[n] = 0;
        s.target = strdup(text);
    }
    s.path = strdup(path);
    return s;
}

/* The remembered look; a new one in *temp when it is not to be kept or there is no room. */
static const struct seen *find(const char *path, bool folder, struct seen *temp)
{
    uint32_t at = hash(path);
    if (!folder) {
        *temp = look(path);
        return temp;
    }
    for (unsigned i = 0; i < PROBES; i++) {
        const struct seen *s = &cache[(at + i) % SLOTS];
        if (s->path && strcmp(s->path, path) == 0)
            return s;
    }
    *temp = look(path);
    if (!temp->path)
        return temp;
    if (n_seen > SLOTS / 2)
        forget();
    for (unsigned i = 0; i < PROBES; i++) {
        struct seen *slot = &cache[(at + i) % SLOTS];
        if (slot->path)
            continue;
        *slot = *temp;
        memset(temp, 0, sizeof *temp);
        n_seen++;
        return slot;
    }
    return temp;
}

struct walk {
    char at[2 * TN_MAX_PATH_BYTES];   /* where we are, without links; "" is / */
    char rest[2 * TN_MAX_PATH_BYTES]; /* still to walk */
    size_t n;                         /* length of at */
    size_t floor;                     /* ".." and absolute links stop here */
    unsigned links;
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
    while (w->n > w->floor && w->at[w->n - 1] != '/')
        w->n--;
    if (w->n > w->floor)
        w->n--;
    w->at[w->n] = 0;
}

/* Walks rest; true with the owner when one on the way is not root. A path too odd to walk is nobody's. */
static bool governor(struct walk *w, uid_t *ret_uid, gid_t *ret_gid)
{
    for (;;) {
        char *p = w->rest + strspn(w->rest, "/");
        size_t n = strcspn(p, "/");
        struct seen temp = {NULL, NULL, 0, 0};
        if (n == 0)
            return false;
        if (n == 2 && memcmp(p, "..", 2) == 0) {
            up(w);
        } else if (!(n == 1 && *p == '.')) {
            if (w->n + n + 2 > sizeof w->at)
                return false;
            w->at[w->n++] = '/';
            memcpy(w->at + w->n, p, n);
            w->at[w->n += n] = 0;
        }
        bool folder = p[n] == '/', step = *p != '.' || n > 2 || (n == 2 && p[1] != '.');
        memmove(w->rest, p + n, strlen(p + n) + 1);
        const struct seen *s = step ? find(w->at, folder, &temp) : &temp;
        *ret_uid = s->uid;
        *ret_gid = s->gid;
        bool ok = true;
        if (s->uid == 0 && s->target) {
            bool absolute = s->target[0] == '/';
            ok = put_before(w, s->target);
            up(w);
            if (absolute)
                w->at[w->n = w->floor] = 0;
        }
        drop(&temp);
        if (!ok || *ret_uid)
            return ok;
    }
}

static bool governed(const char *root, const char *path, uid_t *ret_uid, gid_t *ret_gid)
{
    struct walk w = {.n = 0};
    size_t n = strlen(path);
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
    }
    memcpy(w.rest, path, n + 1);
    return governor(&w, ret_uid, ret_gid);
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

void tn_posix_guard_enter(struct tn_posix_guard *g, const char *root, const char *path)
{
    uid_t uid = 0;
    gid_t gid = 0;
    g->uid = 0;
    if (am_root < 0) {
        am_root = geteuid() == 0;
        if (am_root && setgroups(0, NULL)) { /* else files of root's groups stay readable; refused in some sandboxes */
        }
    }
    if (!am_root || (!root && exempt(path)))
        return;
    if (governed(root, path, &uid, &gid) && uid) {
        setfsgid(gid);
        setfsuid(uid);
        g->uid = uid;
    }
}

void tn_posix_guard_leave(struct tn_posix_guard *g)
{
    if (g->uid) {
        setfsuid(0);
        setfsgid(0);
    }
}
