/* room.c - how much memory and how many processors a program of ours could have now. */
#include "os/os.h"
#include "os/win32/win32.h"

#include <stdlib.h>

uint64_t tn_os_memory_free(void)
{
    MEMORYSTATUSEX m;
    m.dwLength = sizeof m;
    if (!GlobalMemoryStatusEx(&m))
        return 0;
    return m.ullAvailPhys < m.ullAvailVirtual ? m.ullAvailPhys : m.ullAvailVirtual;
}

unsigned tn_os_cpus(unsigned *ret_cores)
{
    SYSTEM_INFO s;
    DWORD n = 0;
    unsigned cores = 0;
    GetSystemInfo(&s);
    GetLogicalProcessorInformation(NULL, &n);
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION *p = tn_xmalloc(n ? n : 1);
    if (GetLogicalProcessorInformation(p, &n))
        for (DWORD i = 0; i < n / sizeof *p; i++)
            cores += p[i].Relationship == RelationProcessorCore;
    free(p);
    *ret_cores = cores ? cores : 1;
    return s.dwNumberOfProcessors ? s.dwNumberOfProcessors : 1;
}

static double seconds(FILETIME t)
{
    return (double)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) * 1e-7;
}

bool tn_os_busy(double *ret_all, double *ret_own)
{
    FILETIME idle, kernel, user, made, ended; /* the kernel's time holds the idle one */
    if (!GetSystemTimes(&idle, &kernel, &user))
        return false;
    *ret_all = seconds(kernel) + seconds(user) - seconds(idle);
    if (!GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user))
        return false;
    *ret_own = seconds(kernel) + seconds(user);
    return true;
}

void *tn_os_block(uint64_t bytes)
{
    return VirtualAlloc(NULL, (SIZE_T)bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void tn_os_block_free(void *p, uint64_t bytes)
{
    (void)bytes;
    if (p)
        VirtualFree(p, 0, MEM_RELEASE);
}
