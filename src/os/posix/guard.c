/* guard.c - root must not read, through another user's links, what that user could not read (design 6.10).
 *
 * The first component of a path that does not belong to root names the user whose file rights are taken on
 * (setfsuid(2): only file access changes, and the capabilities that override modes go with it). Owners of
 * folders are remembered: they are asked for once each. */
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

#define SLOTS 4096u

struct owner {
    char *path;
    uid_t uid;
    gid_t gid;
};

static struct owner seen[SLOTS];
static unsigned n_seen;
static int am_root = -1;

static uint32_t hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static void forget(void)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        free(seen[i].path);
        seen[i].path = NULL;
    }
    n_seen = 0;
}

/* Who owns this one path: the link itself when it is one and not root's, else what it leads to. */
static struct owner owner_of(const char *path)
{
    struct owner o = {NULL, 0, 0};
    struct stat st;
    if (lstat(path, &st) == 0 && (st.st_uid != 0 || !S_ISLNK(st.st_mode) || stat(path, &st) == 0)) {
        o.uid = st.st_uid;
        o.gid = st.st_gid;
    }
    return o;
}

static struct owner folder_owner(const char *path, size_t n)
{
    char text[2 * TN_MAX_PATH_BYTES];
    uint32_t at = hash(path, n) % SLOTS;
    for (unsigned i = 0; i < 8; i++) {
        struct owner *o = &seen[(at + i) % SLOTS];
        if (o->path && strncmp(o->path, path, n) == 0 && o->path[n] == 0)
            return *o;
    }
    memcpy(text, path, n);
    text[n] = 0;
    struct owner o = owner_of(text);
    if (n_seen > SLOTS / 2)
        forget();
    for (unsigned i = 0; i < 8; i++) {
        struct owner *slot = &seen[(at + i) % SLOTS];
        if (!slot->path) {
            *slot = o;
            slot->path = strdup(text);
            n_seen += slot->path != NULL;
            break;
        }
    }
    return o;
}

static struct owner governor(const char *root, const char *path)
{
    char full[2 * TN_MAX_PATH_BYTES];
    struct owner none = {NULL, 0, 0};
    size_t a = root ? strlen(root) : 0, b = strlen(path);
    if (a + b + 2 > sizeof full)
        return none;
    if (root) {
        memcpy(full, root, a);
        full[a++] = '/';
    }
    memcpy(full + a, path, b + 1);
    for (size_t i = 1; full[i]; i++) {
        if (full[i] != '/' || full[i - 1] == '/')
            continue;
        struct owner o = folder_owner(full, i);
        if (o.uid)
            return o;
    }
    return owner_of(full);
}

void tn_posix_guard_enter(struct tn_posix_guard *g, const char *root, const char *path)
{
    g->uid = 0;
    if (am_root < 0) {
        am_root = geteuid() == 0;
        if (am_root && setgroups(0, NULL)) { /* else files of root's groups stay readable; refused in some sandboxes */
        }
    }
    if (!am_root || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0)
        return;
    struct owner o = governor(root, path);
    if (o.uid) {
        setfsgid(o.gid);
        setfsuid(o.uid);
        g->uid = o.uid;
    }
}

void tn_posix_guard_leave(struct tn_posix_guard *g)
{
    if (g->uid) {
        setfsuid(0);
        setfsgid(0);
    }
}
