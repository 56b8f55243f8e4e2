/* confine.c - a child that loads foreign code: what it cannot do to the machine.
 *
 * Looking changes nothing, but the vendor's libraries would: as root they make /dev/nvidia*, and with a setuid
 * nvidia-modprobe or as root they load the kernel module, and they renew links in /dev/char. Each ban stands by itself:
 * no new privileges (no setuid program helps), no capability to make nodes or load modules (root cannot either), and a
 * filter that refuses to start programs, to change a file system, and to leave the process group that we end. A kernel
 * that lacks one of them still has the others. */
#include "os/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/os.h"

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#endif

static void drop_capabilities(void)
{
    static const unsigned bad[] = {CAP_MKNOD, CAP_SYS_MODULE, CAP_SYS_ADMIN, CAP_SYS_BOOT, CAP_SYS_RAWIO};
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2];
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        prctl(PR_CAPBSET_DROP, bad[i], 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capget, &h, d))
        return;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        d[bad[i] / 32].effective &= ~(1u << (bad[i] % 32));
        d[bad[i] / 32].permitted &= ~(1u << (bad[i] % 32));
        d[bad[i] / 32].inheritable &= ~(1u << (bad[i] % 32));
    }
    syscall(SYS_capset, &h, d);
}

/* Refused with EPERM (files: as on a medium that cannot be written), so that a library goes on with its own handling of
 * errors. An existing file is opened as asked: device nodes must be, and RLIMIT_FSIZE keeps the others as they are. */
static void filter_calls(void)
{
#ifdef ARCH
#define NR ((uint32_t)offsetof(struct seccomp_data, nr))
#define REFUSE_AS(call, error)                                                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define REFUSE(call) REFUSE_AS(call, EPERM)
#define REFUSE_FILE(call) REFUSE_AS(call, EROFS)
    const uint32_t look = tn_posix_look_at_maps() ? SECCOMP_RET_TRAP : SECCOMP_RET_ALLOW;
#define CHANGES (O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define LOOK_AT_MAPS /* a private mapping of a file, unless it was looked at: trust.c */                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4),                                                               \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[3])),                          \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS | MAP_SHARED | TN_POSIX_MAP_LOOKED_AT, 1, 0),               \
        BPF_STMT(BPF_RET | BPF_K, look), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE_TO_MAKE(call, flags) /* flags: which argument holds them */                                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4),                                                                 \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[flags])),                      \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CHANGES, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EROFS),     \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), /* calls of another architecture */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
#ifdef __x86_64__
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1), /* x32 */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        REFUSE(SYS_mknod),
        REFUSE_TO_MAKE(SYS_open, 1),
        REFUSE_FILE(SYS_creat),
        REFUSE_FILE(SYS_link),
        REFUSE_FILE(SYS_symlink),
        REFUSE_FILE(SYS_unlink),
        REFUSE_FILE(SYS_rename),
        REFUSE_FILE(SYS_mkdir),
        REFUSE_FILE(SYS_rmdir),
        REFUSE_FILE(SYS_chmod),
        REFUSE_FILE(SYS_chown),
        REFUSE_FILE(SYS_lchown),
        REFUSE_FILE(SYS_utime),
        REFUSE_FILE(SYS_utimes),
        REFUSE_FILE(SYS_futimesat),
#endif
        REFUSE_TO_MAKE(SYS_openat, 2),
        LOOK_AT_MAPS,
        REFUSE_FILE(SYS_linkat),
        REFUSE_FILE(SYS_symlinkat),
        REFUSE_FILE(SYS_unlinkat),
        REFUSE_FILE(SYS_renameat),
        REFUSE_FILE(SYS_renameat2),
        REFUSE_FILE(SYS_mkdirat),
        REFUSE_FILE(SYS_fchmod),
        REFUSE_FILE(SYS_fchmodat),
        REFUSE_FILE(452), /* fchmodat2 */
        REFUSE_FILE(SYS_fchown),
        REFUSE_FILE(SYS_fchownat),
        REFUSE_FILE(SYS_utimensat),
        REFUSE_FILE(SYS_truncate),
        REFUSE_FILE(SYS_ftruncate),
        REFUSE_FILE(SYS_setxattr),
        REFUSE_FILE(SYS_lsetxattr),
        REFUSE_FILE(SYS_fsetxattr),
        REFUSE_AS(437, ENOSYS), /* openat2: its flags cannot be seen; libraries know kernels without it */
        REFUSE_AS(425, ENOSYS), /* io_uring_setup: it would pass by this filter */
        REFUSE(SYS_mount),
        REFUSE(SYS_umount2),
        REFUSE(SYS_setsid),
        REFUSE(SYS_setpgid),
        REFUSE(SYS_execve),
        REFUSE(SYS_execveat),
        REFUSE(SYS_mknodat),
        REFUSE(SYS_init_module),
        REFUSE(SYS_finit_module),
        REFUSE(SYS_delete_module),
        REFUSE(SYS_ptrace),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog prog = {sizeof code / sizeof *code, code};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
#endif
}

static void limit(int what)
{
    const struct rlimit none = {0, 0};
    setrlimit(what, &none);
}

void tn_posix_confine(pid_t parent, bool freely)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGQUIT, SIGCHLD};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(130);
    for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_CORE);
    if (!freely)
        limit(RLIMIT_FSIZE); /* writing to a file fails; the pipe is none */
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 0u); /* descriptors of a program that embeds us */
#endif
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    if (freely)
        return;
    drop_capabilities();
    filter_calls();
}
