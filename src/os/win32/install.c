/* install.c - a program that changes a folder, watched while it works; and the user's wish to end. See os/change.h.
 *
 * The job ends with its last handle, which is ours alone: however we end, the program and all that it has started end,
 * too. It holds the lock by a handle of its own until then. */
#include "os/win32/job.h"
#include "os/win32/lock.h"

#include <stdlib.h>
#include <string.h>

#include "os/lines.h"

#define TICK_MS 100u

static volatile LONG interrupted;

/* Of a console that closes, a user who logs off, a machine that shuts down, the system waits for the answer (five
 * seconds for a console) and ends the program with it, whatever it is (Microsoft, HandlerRoutine): it is not given, and
 * the program ends by itself. */
BOOL tn_win32_go_on(DWORD event)
{
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

static BOOL WINAPI on_event(DWORD event)
{
    InterlockedExchange(&interrupted, 1);
    return tn_win32_go_on(event);
}

void tn_os_interrupts_hold(void)
{
    SetConsoleCtrlHandler(on_event, TRUE);
}

bool tn_os_interrupted(void)
{
    return InterlockedCompareExchange(&interrupted, 0, 0) != 0;
}

void tn_os_interrupts_release(void)
{
    if (tn_os_interrupted()) /* before the list of handlers is touched: one that does not answer may hold it */
        ExitProcess(130);
    SetConsoleCtrlHandler(on_event, FALSE);
}

static bool ended(const struct tn_win32_job *c, DWORD ms)
{
    return WaitForSingleObject(c->process, ms) == WAIT_OBJECT_0;
}

/* One read that lasts a tick at most. *ret_n 0: nothing came. false: the pipe is closed. */
static bool some(struct tn_win32_job *c, char *p, DWORD max, DWORD ms, DWORD *ret_n)
{
    OVERLAPPED o = {.hEvent = c->event};
    DWORD n = 0;
    *ret_n = 0;
    ResetEvent(c->event);
    if (!ReadFile(c->out, p, max, NULL, &o) && GetLastError() != ERROR_IO_PENDING)
        return false;
    if (WaitForSingleObject(c->event, ms) != WAIT_OBJECT_0)
        CancelIoEx(c->out, &o);
    if (GetOverlappedResult(c->out, &o, &n, TRUE)) {
        *ret_n = n;
        return true;
    }
    return GetLastError() == ERROR_OPERATION_ABORTED;
}

/* Until it has ended and its pipe is empty; what it left running may hold the pipe open. */
static int watch(const struct tn_os_install *how, struct tn_win32_job *c)
{
    struct tn_os_lines *l = tn_xmalloc(sizeof *l);
    uint64_t heard = tn_os_monotonic_us();
    bool last = false;
    int rc = 0;
    l->n = 0;
    while (!rc) {
        DWORD n;
        bool open = some(c, l->p + l->n, (DWORD)(sizeof l->p - l->n), last ? 10 : TICK_MS, &n);
        if (how->tick)
            how->tick(how->ctx);
        if (tn_os_interrupted()) {
            rc = TN_E_INTERRUPTED;
        } else if (n) {
            l->n += n;
            tn_os_lines_hand_on(how, l, false);
            heard = tn_os_monotonic_us();
        } else if (!open || last) {
            break;
        } else {
            last = ended(c, 0);
            if (!last && how->idle_ms && tn_os_monotonic_us() - heard > how->idle_ms * 1000ull)
                rc = TN_E_TIMEOUT;
        }
    }
    if (!rc)
        tn_os_lines_hand_on(how, l, true);
    free(l);
    while (!rc && !ended(c, TICK_MS)) { /* it has closed its output and still runs */
        if (how->tick)
            how->tick(how->ctx);
        if (tn_os_interrupted())
            rc = TN_E_INTERRUPTED;
    }
    return rc;
}

/* A handle that a program of ours inherits, for as long as it is started. */
static HANDLE inheritable(HANDLE h)
{
    HANDLE r = NULL;
    HANDLE self = GetCurrentProcess();
    return DuplicateHandle(self, h, self, &r, 0, TRUE, DUPLICATE_SAME_ACCESS) ? r : NULL;
}

int tn_os_install(const struct tn_os_install *how, int *ret_status, struct tn_err *err)
{
    struct tn_win32_job c;
    DWORD code = 255;
    memset(&c, 0, sizeof c);
    if (how->folder || how->n_file || how->in)
        return tn_err_set(err, TN_E_UNSUPPORTED, how->argv[0], "no helper of tenon's is there on Windows");
    if (how->lock)
        c.theirs[2] = inheritable(how->lock->h);
    int rc = tn_win32_job_start(&c, how->argv, how->env, how->cwd, err);
    if (!rc) {
        rc = watch(how, &c);
        TerminateJobObject(c.job, 1);
        WaitForSingleObject(c.process, 10000);
        GetExitCodeProcess(c.process, &code);
        if (rc == TN_E_TIMEOUT)
            tn_err_set(err, rc, how->argv[0], "silent for %u s, ended", how->idle_ms / 1000);
        else if (rc)
            tn_err_set(err, rc, how->argv[0], "interrupted");
    }
    tn_win32_job_close(&c);
    if (!rc)
        *ret_status = (int)code;
    return rc;
}
