/* proc.c - child programs with a deadline, and the environment.
 *
 * Invariant: the call returns at the deadline even if the child cannot be ended. The child and all that it starts
 * live in a job that ends with the call; it inherits one pipe and an empty stdin, nothing else. */
#include "os/win32/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define MAX_COMMAND 32767u

const char *tn_os_env(struct tn_arena *mem, const char *name)
{
    const wchar_t *w = tn_win32_wide(mem, name);
    for (DWORD cap = 256;;) {
        wchar_t *v = tn_arena_array(mem, cap, sizeof *v);
        SetLastError(0);
        DWORD n = GetEnvironmentVariableW(w, v, cap);
        if (n == 0 && GetLastError())
            return NULL;
        if (n < cap)
            return tn_win32_narrow(mem, v, n);
        cap = n + 1;
    }
}

void tn_os_env_set(const char *name, const char *value)
{
    struct tn_arena mem;
    tn_arena_init(&mem);
    SetEnvironmentVariableW(tn_win32_wide(&mem, name), value ? tn_win32_wide(&mem, value) : NULL);
    tn_arena_deinit(&mem);
}

/* One argument as CommandLineToArgvW and the C runtime read it: backslashes count only before a quote. */
static void quote(struct tn_buf *b, const char *arg)
{
    if (*arg && !strpbrk(arg, " \t\n\v\"")) {
        tn_buf_str(b, arg);
        return;
    }
    tn_buf_ch(b, '"');
    for (size_t slashes = 0;; arg++) {
        if (*arg == '\\') {
            slashes++;
            continue;
        }
        size_t n = *arg == 0 ? 2 * slashes : *arg == '"' ? 2 * slashes + 1 : slashes;
        while (n--)
            tn_buf_ch(b, '\\');
        slashes = 0;
        if (!*arg)
            break;
        tn_buf_ch(b, *arg);
    }
    tn_buf_ch(b, '"');
}

int tn_win32_command_line(struct tn_arena *mem, const char *const *argv, wchar_t **ret, struct tn_err *err)
{
    struct tn_buf b;
    if (strchr(argv[0], '"'))
        return tn_err_set(err, TN_E_NOTFOUND, argv[0], "no file can have this name");
    if (tn_str_ends(argv[0], ".") || tn_str_ends(argv[0], " "))
        return tn_err_set(err, TN_E_REFUSED, argv[0], "a name that the system changes");
    size_t n = strlen(argv[0]);
    if (n > 4 && (tn_str_ieq(argv[0] + n - 4, ".bat") || tn_str_ieq(argv[0] + n - 4, ".cmd")))
        return tn_err_set(err, TN_E_REFUSED, argv[0], "a batch file needs a shell, whose quoting cannot be relied on");
    tn_buf_init(&b);
    tn_buf_printf(&b, "\"%s\"", argv[0]); /* the first word knows no escapes */
    for (size_t i = 1; argv[i]; i++) {
        tn_buf_ch(&b, ' ');
        quote(&b, argv[i]);
    }
    *ret = tn_win32_wide(mem, b.p);
    tn_buf_deinit(&b);
    return wcslen(*ret) < MAX_COMMAND ? 0 : tn_err_set(err, TN_E_LIMIT, argv[0], "command line too long");
}

static int by_key(const void *a, const void *b)
{
    return _wcsicmp(*(wchar_t *const *)a, *(wchar_t *const *)b);
}

static char *windows_folder(struct tn_arena *mem)
{
    wchar_t w[MAX_PATH + 1];
    UINT n = GetWindowsDirectoryW(w, MAX_PATH);
    return n && n <= MAX_PATH ? tn_win32_narrow(mem, w, n) : tn_arena_strdup(mem, "C:\\Windows");
}

/* The block for CreateProcessW, sorted as it must be. SystemRoot is added when missing: without it sockets,
 * cryptography and side-by-side assemblies fail. */
static wchar_t *environment(struct tn_arena *mem, const char *const *env)
{
    const char *win = windows_folder(mem);
    const char *const clean[] = {tn_arena_printf(mem, "PATH=%s\\System32;%s", win, win),
                                 tn_arena_printf(mem, "SystemDrive=%.2s", win),
                                 tn_arena_printf(mem, "TEMP=%s\\Temp", win),
                                 tn_arena_printf(mem, "TMP=%s\\Temp", win),
                                 tn_arena_printf(mem, "windir=%s", win),
                                 NULL};
    size_t n = 0, units = 1, used = 0;
    bool have = false;
    if (!env)
        env = clean;
    while (env[n])
        n++;
    wchar_t **list = tn_arena_array(mem, n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        list[i] = tn_win32_wide(mem, env[i]);
        have = have || _wcsnicmp(list[i], L"SystemRoot=", 11) == 0;
    }
    if (!have)
        list[n++] = tn_win32_wide(mem, tn_arena_printf(mem, "SystemRoot=%s", win));
    qsort(list, n, sizeof *list, by_key);
    for (size_t i = 0; i < n; i++)
        units += wcslen(list[i]) + 1;
    wchar_t *block = tn_arena_array(mem, units + 1, sizeof *block);
    for (size_t i = 0; i < n; i++) {
        size_t k = wcslen(list[i]) + 1;
        memcpy(block + used, list[i], k * sizeof *block);
        used += k;
    }
    return block;
}

static void close_handle(HANDLE *h)
{
    if (*h && *h != INVALID_HANDLE_VALUE)
        CloseHandle(*h);
    *h = NULL;
}

void tn_win32_job_close(struct tn_win32_job *c)
{
    close_handle(&c->job); /* ends everything that is still in it */
    close_handle(&c->process);
    close_handle(&c->thread);
    close_handle(&c->out);
    close_handle(&c->event);
    for (size_t i = 0; i < TN_LEN(c->theirs); i++)
        close_handle(&c->theirs[i]);
}

static bool make_pipe(struct tn_win32_job *c, struct tn_arena *mem)
{
    static volatile LONG serial;
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
    LARGE_INTEGER t;
    QueryPerformanceCounter(&t);
    const wchar_t *name = tn_win32_wide(
        mem, tn_arena_printf(mem, "\\\\.\\pipe\\tenon-%lx-%lx-%llx", (unsigned long)GetCurrentProcessId(),
                             (unsigned long)InterlockedIncrement(&serial), (unsigned long long)t.QuadPart));
    c->out = CreateNamedPipeW(name, PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                              PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, 0, 65536, 0, NULL);
    if (c->out == INVALID_HANDLE_VALUE)
        return false;
    c->theirs[1] = CreateFileW(name, GENERIC_WRITE, 0, &inherit, OPEN_EXISTING, 0, NULL);
    c->theirs[0] =
        CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit, OPEN_EXISTING, 0, NULL);
    c->event = CreateEventW(NULL, TRUE, FALSE, NULL);
    return c->theirs[0] != INVALID_HANDLE_VALUE && c->theirs[1] != INVALID_HANDLE_VALUE && c->event;
}

static bool make_job(struct tn_win32_job *c)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION l;
    memset(&l, 0, sizeof l);
    l.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    c->job = CreateJobObjectW(NULL, NULL);
    return c->job && SetInformationJobObject(c->job, JobObjectExtendedLimitInformation, &l, sizeof l);
}

/* Started suspended, so that it is in the job before its first instruction. */
static DWORD start(struct tn_win32_job *c, const wchar_t *program, wchar_t *line, wchar_t *env, const wchar_t *cwd,
                   struct tn_arena *mem)
{
    STARTUPINFOEXW s;
    PROCESS_INFORMATION p;
    SIZE_T n = 0, given = (c->theirs[2] ? 3 : 2) * sizeof c->theirs[0];
    memset(&s, 0, sizeof s);
    InitializeProcThreadAttributeList(NULL, 1, 0, &n);
    s.lpAttributeList = tn_arena_alloc(mem, n);
    if (!InitializeProcThreadAttributeList(s.lpAttributeList, 1, 0, &n))
        return GetLastError();
    DWORD e = 0;
    if (!UpdateProcThreadAttribute(s.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, c->theirs, given, NULL,
                                   NULL))
        e = GetLastError();
    s.StartupInfo.cb = sizeof s;
    s.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    s.StartupInfo.hStdInput = c->theirs[0];
    s.StartupInfo.hStdOutput = s.StartupInfo.hStdError = c->theirs[1];
    if (!e && !CreateProcessW(program, line, NULL, NULL, TRUE,
                              CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT |
                                  EXTENDED_STARTUPINFO_PRESENT | CREATE_NEW_PROCESS_GROUP,
                              env, cwd, &s.StartupInfo, &p))
        e = GetLastError();
    DeleteProcThreadAttributeList(s.lpAttributeList);
    if (e)
        return e;
    c->process = p.hProcess;
    c->thread = p.hThread;
    if (!AssignProcessToJobObject(c->job, c->process) || ResumeThread(c->thread) == (DWORD)-1) {
        e = GetLastError();
        TerminateProcess(c->process, 1);
    }
    return e;
}

static void keep(struct tn_os_run *r, const char *p, size_t n, size_t max)
{
    size_t room = max - r->out.n, some = n < room ? n : room;
    tn_buf_add(&r->out, p, some);
    r->cut = some < n;
}

static DWORD left_ms(uint64_t end_us)
{
    uint64_t now = tn_os_monotonic_us();
    return now >= end_us ? 0 : (DWORD)((end_us - now) / 1000 + 1);
}

/* Until the pipe is closed, or the child has ended and the pipe is empty (what it left running may hold it). */
static int gather(struct tn_win32_job *c, uint64_t end_us, size_t max, struct tn_os_run *r)
{
    char chunk[16384];
    while (!r->cut) {
        OVERLAPPED o = {.hEvent = c->event};
        HANDLE both[2] = {c->event, c->process};
        DWORD n = 0;
        ResetEvent(c->event);
        if (!ReadFile(c->out, chunk, sizeof chunk, NULL, &o) && GetLastError() != ERROR_IO_PENDING)
            return 0; /* ERROR_BROKEN_PIPE: the end */
        DWORD w = WaitForMultipleObjects(2, both, FALSE, left_ms(end_us));
        if (w != WAIT_OBJECT_0) {
            if (w == WAIT_OBJECT_0 + 1) /* its last words may be on their way */
                WaitForSingleObject(c->event, left_ms(end_us) < 10 ? left_ms(end_us) : 10);
            CancelIoEx(c->out, &o);
        }
        BOOL ok = GetOverlappedResult(c->out, &o, &n, TRUE);
        if (ok)
            keep(r, chunk, n, max);
        else if (w == WAIT_OBJECT_0 || w == WAIT_OBJECT_0 + 1)
            return 0;
        if (!ok || left_ms(end_us) == 0)
            return TN_E_TIMEOUT;
    }
    return 0;
}

int tn_win32_job_start(struct tn_win32_job *c, const char *const *argv, const char *const *env, const char *cwd,
                       struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_stat st;
    wchar_t *line = NULL, *program = NULL, *folder = NULL;
    tn_arena_init(&mem);
    int rc = tn_win32_native(&mem, argv[0], &program, err);
    if (rc == 0 && tn_os_stat(NULL, argv[0], true, &st, NULL) == 0 && st.type == 'd')
        rc = tn_win32_error(err, argv[0], ERROR_ACCESS_DENIED);
    if (rc == 0)
        rc = tn_win32_command_line(&mem, argv, &line, err);
    if (rc == 0 && cwd)
        rc = tn_win32_native(&mem, cwd, &folder, err);
    if (rc == 0) {
        DWORD e = !make_job(c) || !make_pipe(c, &mem) ? GetLastError() : 0;
        if (!e)
            e = start(c, program, line, environment(&mem, env), folder, &mem);
        rc = e ? tn_win32_error(err, argv[0], e) : 0;
    }
    close_handle(&c->theirs[1]);
    close_handle(&c->theirs[2]);
    tn_arena_deinit(&mem);
    return rc;
}

int tn_win32_run(const char *const *argv, const char *const *env, unsigned deadline_ms, size_t max_out,
                 struct tn_os_run *ret, struct tn_err *err)
{
    struct tn_win32_job c;
    struct tn_os_run r;
    uint64_t end = tn_os_monotonic_us() + deadline_ms * 1000ull;
    memset(&c, 0, sizeof c);
    memset(&r, 0, sizeof r);
    tn_buf_init(&r.out);
    int rc = tn_win32_job_start(&c, argv, env, NULL, err);
    if (rc == 0) {
        DWORD code = 255;
        int got = gather(&c, end, max_out, &r);
        if (got || r.cut || WaitForSingleObject(c.process, left_ms(end)) != WAIT_OBJECT_0) {
            r.timed_out = !r.cut;
            TerminateJobObject(c.job, 1);
            WaitForSingleObject(c.process, 200);
        }
        GetExitCodeProcess(c.process, &code);
        r.status = (int)code;
    }
    tn_win32_job_close(&c);
    if (rc)
        tn_buf_deinit(&r.out);
    else
        *ret = r;
    return rc;
}

int tn_os_run(const char *const *argv, const char *const *env, unsigned deadline_ms, size_t max_out,
              struct tn_os_run *ret, struct tn_err *err)
{
    struct tn_os_run r;
    int rc = tn_win32_run(argv, env, deadline_ms, max_out, &r, err);
    if (rc)
        return rc;
    if (r.timed_out) {
        tn_buf_deinit(&r.out);
        return tn_err_set(err, TN_E_TIMEOUT, argv[0], "no answer within %u ms", deadline_ms);
    }
    *ret = r;
    return 0;
}
