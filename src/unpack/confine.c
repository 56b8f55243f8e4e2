/* confine.c - what tenon-unpack cannot do, whatever an archive makes of libarchive and its decoders.
 *
 * No new privileges, no capability, no core, no processes, bounded memory; Landlock (where the kernel has it): no file
 * but those below the one folder, and there no execution and no device; a filter that knows the few calls that
 * unpacking needs. Each stands by itself: a kernel that lacks one still has the others. */
#include "unpack/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#endif
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define MEMORY ((rlim_t)1 << 30) /* xz -9 asks for 65 MB, zstd --ultra for 128 MB */

static void limit(int what, rlim_t n)
{
    const struct rlimit r = {n, n};
    setrlimit(what, &r);
}

static void drop_capabilities(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    for (int i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++) {
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    syscall(SYS_capset, &h, none);
}

static void landlock(const struct tn_unpack *u)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    uint64_t all = ((uint64_t)1 << 13) - 1, write;
    if (abi < 1)
        return;
    if (abi >= 2)
        all |= LANDLOCK_ACCESS_FS_REFER;
    if (abi >= 3)
        all |= LANDLOCK_ACCESS_FS_TRUNCATE;
    write = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
            LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
            LANDLOCK_ACCESS_FS_REFER;
    const struct landlock_ruleset_attr attr = {.handled_access_fs = all};
    const struct landlock_path_beneath_attr below = {
        .allowed_access = all & (u->writes ? write : LANDLOCK_ACCESS_FS_READ_FILE), .parent_fd = u->at.root};
    int fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (fd < 0)
        return;
    if (u->at.root < 0 || syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0)
        syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
}

static void filter_calls(void)
{
#ifdef ARCH
    /* What else a newer C library would use is refused with ENOSYS, as by an older kernel. */
    static const uint32_t good[] = {
        SYS_read,
        SYS_pread64,
        SYS_write,
        SYS_writev,
        SYS_lseek,
        SYS_close,
        SYS_fstat,
        SYS_newfstatat,
        SYS_statx,
        SYS_fcntl,
        SYS_openat,
        SYS_openat2,
        SYS_mkdirat,
        SYS_symlinkat,
        SYS_linkat,
        SYS_unlinkat,
        SYS_fchmod,
        SYS_syncfs,
        SYS_mmap,
        SYS_munmap,
        SYS_mprotect,
        SYS_mremap,
        SYS_madvise,
        SYS_brk,
        SYS_futex,
        SYS_getrandom,
        SYS_exit,
        SYS_exit_group,
        SYS_rt_sigaction,
        SYS_rt_sigprocmask,
        SYS_rt_sigreturn,
        SYS_clock_gettime,
        SYS_gettimeofday,
        SYS_getpid,
        SYS_gettid,
        SYS_tgkill,
        SYS_sched_getaffinity,
        SYS_restart_syscall,
#if defined __SANITIZE_ADDRESS__
        SYS_sigaltstack, /* asked before each function that does not return: _exit */
#endif
    };
    struct sock_filter code[16 + 2 * TN_LEN(good)] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
        /* no memory that can be run is made */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
    };
    const struct sock_filter yes = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                             no = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    unsigned short n = 10;
    for (size_t i = 0; i < TN_LEN(good); i++) {
        const struct sock_filter is = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, good[i], 0, 1);
        code[n++] = is;
        code[n++] = yes;
    }
    code[n++] = no;
    const struct sock_fprog prog = {n, code};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
#endif
}

/* Before the filter, which refuses to ask. */
static void look(struct tn_unpack_bounds *ret)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct has[2] = {{1, 1, 1}, {1, 1, 1}};
    int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ret->landlock = fd < 0 && errno == EACCES;
    if (fd >= 0)
        close(fd);
    ret->no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    ret->no_capabilities = syscall(SYS_capget, &h, has) == 0 && !(has[0].permitted | has[1].permitted);
}

void tn_unpack_confine(const struct tn_unpack *u, struct tn_unpack_bounds *ret)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NPROC, 0);
#if !defined __SANITIZE_ADDRESS__ /* whose shadow is larger than any limit */
    limit(RLIMIT_AS, MEMORY);
#endif
    limit(RLIMIT_FSIZE, u->writes ? (rlim_t)u->judge.caps.bytes : 0);
    drop_capabilities();
    landlock(u);
    look(ret);
    filter_calls();
    ret->filter = syscall(SYS_getppid) < 0 && errno == ENOSYS;
}
