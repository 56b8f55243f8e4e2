/* mounts.c - see mounts.h.
 *
 * Source: proc_pid_mountinfo(5): "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw". */
#include "os/posix/mounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"

/* Of the kernel's own: processes, devices, control groups; automounters, which mount when they are looked into. */
static const char *const pseudo[] = {
    "proc",        "sysfs",      "devpts",          "devtmpfs",  "cgroup",    "cgroup2", "securityfs", "debugfs",
    "tracefs",     "configfs",   "fusectl",         "mqueue",    "hugetlbfs", "pstore",  "bpf",        "binfmt_misc",
    "rpc_pipefs",  "autofs",     "efivarfs",        "selinuxfs", "nsfs",      "nfsd",    "resctrl",    "smackfs",
    "fuse.portal", "fuse.lxcfs", "fuse.gvfsd-fuse", "sockfs",    "pipefs",    NULL};
/* 9p: the disks of Windows below WSL, of a host below a virtual machine. */
static const char *const network[] = {"nfs",
                                      "nfs4",
                                      "cifs",
                                      "smb3",
                                      "smbfs",
                                      "9p",
                                      "ceph",
                                      "glusterfs",
                                      "afs",
                                      "lustre",
                                      "beegfs",
                                      "gpfs",
                                      "ocfs2",
                                      "gfs2",
                                      "wekafs",
                                      "fuse.sshfs",
                                      "fuse.s3fs",
                                      "fuse.rclone",
                                      "fuse.gcsfuse",
                                      "fuse.goofys",
                                      "fuse.glusterfs",
                                      "fuse.ceph",
                                      "fuse.curlftpfs",
                                      "fuse.davfs",
                                      "fuse.juicefs",
                                      "fuse.blobfuse",
                                      "fuse.blobfuse2",
                                      "fuse.mount-s3",
                                      "cvmfs2",
                                      "fuse.cvmfs2",
                                      "davfs",
                                      "coda",
                                      "ncpfs",
                                      "orangefs",
                                      NULL};

/* Blanks are written as \040. In place. */
static const char *plain(char *s)
{
    char *to = s;
    for (const char *p = s; *p; to++)
        if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' && p[3] >= '0' && p[3] <= '7') {
            *to = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 4;
        } else {
            *to = *p++;
        }
    *to = 0;
    return s;
}

static bool parse(char *line, struct tn_posix_mount *ret)
{
    char *word[6], *save = NULL, *rest = strstr(line, " - ");
    if (!rest)
        return false;
    *rest = 0;
    rest += 3;
    rest[strcspn(rest, " ")] = 0;
    word[0] = strtok_r(line, " ", &save);
    for (unsigned i = 1; i < TN_LEN(word); i++)
        word[i] = word[i - 1] ? strtok_r(NULL, " ", &save) : NULL;
    if (!word[4])
        return false;
    *ret = (struct tn_posix_mount){.path = plain(word[4]), .type = rest, .dev = word[2], .root = plain(word[3])};
    ret->pseudo = tn_str_in(rest, pseudo);
    ret->network = tn_str_in(rest, network);
    return true;
}

struct numbered {
    struct tn_posix_mount m;
    size_t at;
};

static int by_path(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int c = strcmp(x->m.path, y->m.path);
    return c ? c : x->at < y->at ? -1 : 1;
}

/* A folder of a device that is seen elsewhere as a whole, or in a folder above it: bind mounts of containers. */
static void mark_twice(struct tn_posix_mount *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < n && !v[i].twice; k++)
            if (k != i && !v[k].twice && !v[k].pseudo && strcmp(v[k].dev, v[i].dev) == 0 &&
                tn_path_under(TN_PATH_POSIX, v[i].root, v[k].root) && (strcmp(v[i].root, v[k].root) != 0 || k < i))
                v[i].twice = true;
}

/* What is seen below a folder: mounts there, and the part of the one that holds the folder. */
static size_t narrow(struct tn_arena *mem, struct tn_posix_mount *v, size_t n, const char *below)
{
    size_t kept = 0;
    struct tn_posix_mount *holder = NULL, first;
    for (size_t i = 0; i < n; i++)
        if (tn_path_under(TN_PATH_POSIX, below, v[i].path) && (!holder || strlen(v[i].path) >= strlen(holder->path)))
            holder = &v[i];
    if (holder) {
        first = *holder;
        const char *rest = below + (strcmp(first.path, "/") == 0 ? 0 : strlen(first.path));
        first.root =
            *rest ? tn_path_norm(mem, TN_PATH_POSIX, tn_arena_printf(mem, "%s/%s", first.root, rest)) : first.root;
        first.path = below;
    }
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].path, below) != 0 && tn_path_under(TN_PATH_POSIX, v[i].path, below))
            v[kept++] = v[i];
    if (!holder)
        return kept;
    struct tn_posix_mount *copy = tn_arena_memdup(mem, v, (kept + 1) * sizeof *v);
    v[0] = first;
    memcpy(v + 1, copy, kept * sizeof *v);
    return kept + 1;
}

size_t tn_posix_mounts(struct tn_arena *mem, const char *text, const char *below, struct tn_posix_mount **ret)
{
    char *copy = tn_arena_strdup(mem, text), *next;
    struct numbered *v = NULL;
    size_t n = 0, cap = 0, kept = 0;
    for (char *line = copy; line && *line; line = next) {
        struct tn_posix_mount m;
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (!parse(line, &m))
            continue;
        v = tn_arena_grow(mem, v, n, &cap, sizeof *v);
        v[n] = (struct numbered){m, n};
        n++;
    }
    if (n > 1)
        qsort(v, n, sizeof *v, by_path);
    struct tn_posix_mount *out = tn_arena_array(mem, n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || strcmp(v[i].m.path, v[i + 1].m.path) != 0)
            out[kept++] = v[i].m;
    kept = narrow(mem, out, kept, below);
    mark_twice(out, kept);
    *ret = out;
    return kept;
}
