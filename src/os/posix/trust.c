/* trust.c - as root, no code of another user's: what may be loaded, and what ld.so has loaded already.
 *
 * A vendor's library loads others, by names that ld.so looks up in LD_LIBRARY_PATH, RUNPATH and its cache. So a child
 * that loads foreign code maps no file that others may write: the filter of confine.c hands each private mapping of a
 * file to us, which ld.so makes before it runs anything of it, and we look at the very file that is mapped. */
#include "os/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/str.h"
#include "os/os.h"

/* Root's own, and nobody else may write it; in a folder with the sticky bit others cannot replace what is root's. */
static bool is_safe(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && st.st_uid == 0 &&
           (!(st.st_mode & 022) || (S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX));
}

/* The same of every folder down to it; cuts the path, which is without links. Used in a signal handler as well. */
static bool is_safe_down_to(char *real)
{
    if (real[0] != '/')
        return false;
    for (;;) {
        if (!is_safe(*real ? real : "/"))
            return false;
        if (!real[0] || !real[1])
            return true;
        *strrchr(real, '/') = 0;
    }
}

bool tn_os_dl_trusted(const char *path)
{
    char real[PATH_MAX];
    if (geteuid() != 0)
        return true;
    return realpath(path, real) && is_safe_down_to(real);
}

/* A folder that is not there: could others make it? */
static bool is_safe_folder(const char *path)
{
    char at[PATH_MAX], real[PATH_MAX];
    if (path[0] != '/' || strlen(path) >= sizeof at || strchr(path, '$'))
        return false;
    memcpy(at, path, strlen(path) + 1);
    while (!realpath(at, real)) {
        char *slash = strrchr(at, '/');
        if (errno != ENOENT || !slash)
            return false;
        *slash = 0;
        if (slash == at)
            return true;
    }
    return is_safe_down_to(real);
}

bool tn_posix_search_trusted(void)
{
    const char *v = getenv("LD_LIBRARY_PATH");
    char one[PATH_MAX];
    while (geteuid() == 0 && v && *v) {
        size_t n = strcspn(v, ":;");
        if (n >= sizeof one)
            return false;
        memcpy(one, v, n);
        one[n] = 0;
        if (!is_safe_folder(one)) /* an empty one is the folder that we are in */
            return false;
        v += n + (v[n] != 0);
    }
    return true;
}

static char refused[PATH_MAX];

const char *tn_os_dl_refused(void)
{
    return refused[0] ? refused : NULL;
}

/* May this descriptor be mapped? Devices are the library's business; memory files are our own process's. */
static bool may_map(int fd)
{
    char name[40], path[PATH_MAX];
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return true;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(name, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    if (tn_str_starts(path, "/memfd:"))
        return true;
    if (st.st_uid == 0 && !(st.st_mode & 022) && n > 0) {
        char walk[PATH_MAX];
        memcpy(walk, path, (size_t)n + 1);
        if (is_safe_down_to(walk))
            return true;
    }
    if (!refused[0])
        memcpy(refused, *path ? path : "?", *path ? (size_t)n + 1 : 2);
    return false;
}

#if defined __x86_64__
#define ARGUMENT(u, i) ((u)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9}[i]])
#define RESULT(u) ((u)->uc_mcontext.gregs[REG_RAX])
#elif defined __aarch64__
#define ARGUMENT(u, i) ((u)->uc_mcontext.regs[i])
#define RESULT(u) ((u)->uc_mcontext.regs[0])
#endif

#ifdef ARGUMENT
/* The call that the filter stopped, made for the one who asked: with the mark that lets it pass. */
static void on_map(int number, siginfo_t *what, void *context)
{
    ucontext_t *u = context;
    int keep = errno;
    long got = -1;
    (void)number;
    errno = what->si_syscall == SYS_mmap ? EPERM : ENOSYS;
    if (what->si_syscall == SYS_mmap && may_map((int)ARGUMENT(u, 4)))
        got = syscall(SYS_mmap, ARGUMENT(u, 0), ARGUMENT(u, 1), ARGUMENT(u, 2), ARGUMENT(u, 3) | TN_POSIX_MAP_LOOKED_AT,
                      ARGUMENT(u, 4), ARGUMENT(u, 5));
    else
        errno = what->si_syscall == SYS_mmap ? EPERM : ENOSYS;
    RESULT(u) = got == -1 ? -errno : got;
    errno = keep;
}
#endif

bool tn_posix_look_at_maps(void)
{
#ifdef ARGUMENT
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_map;
    a.sa_flags = SA_SIGINFO;
    refused[0] = 0;
    return geteuid() == 0 && sigaction(SIGSYS, &a, NULL) == 0;
#else
    return false;
#endif
}

/* Does an object in the list name it as needed? */
static bool is_needed(const struct link_map *all, const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (; all; all = all->l_next) {
        const char *text = NULL;
        if (!all->l_ld || tn_str_starts(all->l_name, "linux-")) /* the kernel's own page */
            continue;
        for (const ElfW(Dyn) *d = all->l_ld; d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_STRTAB)
                text = (const char *)(d->d_un.d_ptr < all->l_addr ? all->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
        for (const ElfW(Dyn) *d = all->l_ld; text && d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_NEEDED && strcmp(text + d->d_un.d_val, name) == 0)
                return true;
    }
    return false;
}

const char *tn_os_preloaded(struct tn_arena *mem)
{
    const char *audit = getenv("LD_AUDIT"), *ret = NULL; /* auditors have a list of their own */
    const struct link_map *all = _r_debug.r_map;
    if (audit && *audit)
        ret = tn_arena_strdup(mem, audit);
    for (const struct link_map *l = all ? all->l_next : NULL; l; l = l->l_next) { /* the first one is the program */
        const char *slash = strrchr(l->l_name, '/');
        if (!slash || tn_str_starts(slash + 1, "ld-") || tn_str_starts(slash + 1, "ld6"))
            continue;
        if (!is_needed(all, l->l_name) || !tn_os_dl_trusted(l->l_name))
            ret = ret ? tn_arena_printf(mem, "%s, %s", ret, l->l_name) : tn_arena_strdup(mem, l->l_name);
    }
    return ret;
}

/* With a setuid bit or file capabilities we would look for one user with the rights of another. */
void tn_posix_lend_nothing(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    if (!getauxval(AT_SECURE))
        return;
    uid_t uid = getuid();
    gid_t gid = getgid();
    bool ok = setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
    memset(none, 0, sizeof none);
    if (ok && uid != 0) {
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        ok = syscall(SYS_capset, &h, none) == 0;
    }
    if (!ok)
        _exit(4);
}
