/* child.c - work in a child process: our own program again, in a job that ends with us. */
#include "os/win32/win32.h"

#include <string.h>

static bool is_program; /* ours: it knows TN_OS_CHILD */

void tn_win32_is_program(void)
{
    is_program = true;
}

bool tn_os_is_child(int argc, char *const *argv)
{
    return argc > 1 && strcmp(argv[1], TN_OS_CHILD) == 0;
}

static int start(const char *const *argv, unsigned deadline_ms, size_t max_out, struct tn_os_run *ret,
                 struct tn_err *err)
{
    wchar_t self[32768];
    const char *line[16];
    struct tn_arena mem;
    size_t n = 0;
    DWORD len = GetModuleFileNameW(NULL, self, 32767);
    if (!is_program || !len || len >= 32767)
        return tn_err_set(err, TN_E_UNSUPPORTED, argv[0], "only the program itself can ask in a child process");
    tn_arena_init(&mem);
    line[n++] = tn_win32_narrow(&mem, self, len);
    line[n++] = TN_OS_CHILD;
    for (size_t i = 0; argv[i] && n < 15; i++)
        line[n++] = argv[i];
    line[n] = NULL;
    int rc = tn_win32_run(line, NULL, deadline_ms, max_out, ret, err);
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_child(tn_os_work *work, const char *const *argv, unsigned deadline_ms, size_t max_out, struct tn_os_run *ret,
                struct tn_err *err)
{
    (void)work; /* the child finds it by its words */
    return start(argv, deadline_ms, max_out, ret, err);
}

int tn_os_labour(tn_os_work *work, const char *const *argv, const struct tn_os_labour *how, struct tn_os_run *ret,
                 struct tn_err *err)
{
    (void)work;
    int rc = start(argv, how->deadline_ms, how->max_out, ret, err);
    if (rc == 0 && how->out)
        how->out(how->ctx, ret->out.p, ret->out.n);
    return rc;
}

static volatile LONG64 step_end; /* tick count at which this process ends; 0: none */

static DWORD WINAPI watch(void *unused)
{
    (void)unused;
    for (;; Sleep(20)) {
        LONG64 end = InterlockedCompareExchange64(&step_end, 0, 0);
        if (end && (LONG64)GetTickCount64() >= end)
            TerminateProcess(GetCurrentProcess(), TN_OS_LATE);
    }
    return 0;
}

void tn_os_step(unsigned ms)
{
    static bool watched;
    InterlockedExchange64(&step_end, ms ? (LONG64)GetTickCount64() + ms : 0);
    if (watched)
        return;
    HANDLE t = CreateThread(NULL, 0, watch, NULL, 0, NULL);
    watched = t != NULL;
    if (t)
        CloseHandle(t);
}

/* A job inside the one that it was started in; it lasts as long as the process. */
bool tn_os_cap_memory(uint64_t bytes)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION l;
    memset(&l, 0, sizeof l);
    l.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    l.ProcessMemoryLimit = (SIZE_T)bytes;
    HANDLE job = CreateJobObjectW(NULL, NULL);
    return job && SetInformationJobObject(job, JobObjectExtendedLimitInformation, &l, sizeof l) &&
           AssignProcessToJobObject(job, GetCurrentProcess());
}
