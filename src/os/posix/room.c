/* room.c - how much memory and how many processors a program of ours could have now.
 *
 * The kernel's MemAvailable is bounded by what limits this process: its address space (ulimit -v) and the memory of
 * each cgroup that it is in (cgroups(7); version 2: memory.max and memory.current, version 1: memory.limit_in_bytes and
 * memory.usage_in_bytes). A page cache that the kernel would give up counts as used in a cgroup: "less" is safe. */
#include "os/os.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

/* The first number in a file, behind the text if one is given; false: none. */
static bool number_in(const char *path, const char *behind, uint64_t *ret)
{
    struct tn_buf b;
    uint64_t size;
    tn_buf_init(&b);
    bool ok = tn_os_read(NULL, path, 0, 65536, &b, &size, NULL) == 0;
    const char *at = ok && behind ? strstr(b.p, behind) : b.p;
    at = ok && at ? at + (behind ? strlen(behind) : 0) : NULL;
    at = at ? at + strspn(at, " \t") : "";
    ok = tn_str_u64(at, strspn(at, "0123456789"), 10, ret);
    tn_buf_deinit(&b);
    return ok;
}

static void bound(uint64_t *left, uint64_t limit, uint64_t used)
{
    uint64_t free_ = limit > used ? limit - used : 0;
    *left = free_ < *left ? free_ : *left;
}

/* A cgroup and all above it. */
static void bound_by_groups(uint64_t *left, const char *top, char *group, const char *limit, const char *used)
{
    char a[TN_ERR_TEXT + 256], b[TN_ERR_TEXT + 256];
    for (;;) {
        uint64_t max, now;
        int n = snprintf(a, sizeof a, "%s%s/%s", top, group, limit),
            m = snprintf(b, sizeof b, "%s%s/%s", top, group, used);
        if (n > 0 && (size_t)n < sizeof a && m > 0 && (size_t)m < sizeof b && number_in(a, NULL, &max) &&
            number_in(b, NULL, &now))
            bound(left, max, now);
        char *slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

static void bound_by_cgroups(uint64_t *left)
{
    struct tn_buf b;
    uint64_t size;
    tn_buf_init(&b);
    if (tn_os_read(NULL, "/proc/self/cgroup", 0, 65536, &b, &size, NULL) == 0)
        for (char *line = b.p, *next; line && *line; line = next) {
            next = strchr(line, '\n');
            if (next)
                *next++ = 0;
            char *group = strrchr(line, ':');
            if (!group)
                continue;
            *group++ = 0;
            group = strcmp(group, "/") == 0 ? group + 1 : group;
            if (strcmp(line, "0:") == 0)
                bound_by_groups(left, "/sys/fs/cgroup", group, "memory.max", "memory.current");
            else if (strstr(line, "memory"))
                bound_by_groups(left, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes");
        }
    tn_buf_deinit(&b);
}

uint64_t tn_os_memory_free(void)
{
    uint64_t kb, left, used = 0;
    struct rlimit l;
    if (!number_in("/proc/meminfo", "MemAvailable:", &kb))
        return 0;
    left = kb * 1024;
    if (getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur != RLIM_INFINITY) {
        number_in("/proc/self/status", "VmSize:", &used);
        bound(&left, l.rlim_cur, used * 1024);
    }
    if (getrlimit(RLIMIT_DATA, &l) == 0 && l.rlim_cur != RLIM_INFINITY) {
        number_in("/proc/self/status", "VmData:", &used);
        bound(&left, l.rlim_cur, used * 1024);
    }
    bound_by_cgroups(&left);
    return left ? left : 1;
}

unsigned tn_os_cpus(unsigned *ret_cores)
{
    cpu_set_t mine;
    unsigned cpus = 0, cores = 0;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return *ret_cores = 1;
    for (unsigned i = 0; i < CPU_SETSIZE; i++) {
        char path[96];
        uint64_t first;
        if (!CPU_ISSET(i, &mine))
            continue;
        cpus++;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", i);
        if (!number_in(path, NULL, &first) || first == i || first >= CPU_SETSIZE || !CPU_ISSET(first, &mine))
            cores++;
    }
    *ret_cores = cores ? cores : 1;
    return cpus ? cpus : 1;
}

/* proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal; what a processor is not idle it works. */
static double ticks_of(const char *line)
{
    double all = 0;
    for (unsigned i = 0; i < 8; i++) {
        char *end;
        double v = strtod(line, &end);
        all += i == 3 || i == 4 ? 0 : v;
        line = end;
    }
    return all;
}

bool tn_os_busy(double *ret_all, double *ret_own)
{
    cpu_set_t mine;
    struct timespec own;
    struct tn_buf b;
    uint64_t size;
    double ticks = 0;
    tn_buf_init(&b);
    CPU_ZERO(&mine);
    bool ok = sched_getaffinity(0, sizeof mine, &mine) == 0 && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0 &&
              tn_os_read(NULL, "/proc/stat", 0, 1u << 20, &b, &size, NULL) == 0;
    for (const char *at = ok ? strstr(b.p, "\ncpu") : NULL; at; at = strstr(at + 1, "\ncpu")) {
        char *rest;
        unsigned long cpu = strtoul(at + 4, &rest, 10);
        if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &mine))
            ticks += ticks_of(rest);
    }
    tn_buf_deinit(&b);
    if (!ok || ticks <= 0)
        return false;
    *ret_all = ticks / (double)sysconf(_SC_CLK_TCK);
    *ret_own = (double)own.tv_sec + (double)own.tv_nsec * 1e-9;
    return true;
}

#define LARGE_PAGE (2u << 20)

/* A page more than asked for, so that the block can begin where a large page does. */
static size_t mapped(uint64_t bytes)
{
    return (size_t)((bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
}

void *tn_os_block(uint64_t bytes)
{
    const size_t all = mapped(bytes) + LARGE_PAGE;
    char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
    if (before)
        munmap(p, before);
    if (before < LARGE_PAGE)
        munmap(p + before + mapped(bytes), LARGE_PAGE - before);
    (void)madvise(p + before, mapped(bytes), MADV_HUGEPAGE);
    return p + before;
}

void tn_os_block_free(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, mapped(bytes));
}
