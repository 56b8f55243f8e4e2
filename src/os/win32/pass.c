/* pass.c - a program run for its user, as if nobody stood between.
 *
 * Pipes are handed on by a thread each; files are read afterwards; a console is the program's own, since a
 * pseudoconsole would paint its output anew instead of passing it on (CreatePseudoConsole, "the output is a
 * rendering"): what goes there is not seen. Ctrl-C reaches everybody on a console by itself. */
#include "os/win32/win32.h"

#include <fcntl.h>
#include <io.h>
#include <string.h>

struct stream {
    HANDLE to, source, theirs, thread;
    struct pass *p;
    volatile LONG reading;
};

struct pass {
    const struct tn_os_pass *how;
    CRITICAL_SECTION keeping;
    struct stream stream[2];
    struct {
        HANDLE h; /* to read it by; NULL: none */
        LONGLONG old;
    } file[2];
    char *head, *tail;
    size_t n_head, n_tail;
    bool open_line, unseen;
};

static void keep(struct pass *p, const char *s, size_t n)
{
    size_t k = p->how->head - p->n_head < n ? p->how->head - p->n_head : n;
    memcpy(p->head + p->n_head, s, k);
    p->n_head += k;
    for (; k < n; k++)
        p->tail[p->n_tail++ % p->how->tail] = s[k];
}

static bool hand_on(HANDLE to, const char *s, size_t n)
{
    while (n) {
        DWORD k = 0;
        if (!WriteFile(to, s, (DWORD)n, &k, NULL) || !k)
            return false;
        s += k;
        n -= k;
    }
    return true;
}

static DWORD WINAPI relay(void *ctx)
{
    struct stream *s = ctx;
    char chunk[32768];
    for (;;) {
        DWORD n = 0;
        InterlockedExchange(&s->reading, 1);
        BOOL ok = ReadFile(s->source, chunk, sizeof chunk, &n, NULL);
        InterlockedExchange(&s->reading, 0);
        if (!ok)
            break;
        if (!hand_on(s->to, chunk, n))
            break;
        EnterCriticalSection(&s->p->keeping);
        keep(s->p, chunk, n);
        if (s->p->how->log && n)
            s->p->how->log(s->p->how->ctx, chunk, n);
        if (n)
            s->p->open_line = chunk[n - 1] != '\n';
        LeaveCriticalSection(&s->p->keeping);
    }
    CloseHandle(s->source); /* the program's next write fails as it would have on ours */
    return 0;
}

static HANDLE inheritable(HANDLE h)
{
    HANDLE mine = NULL;
    HANDLE self = GetCurrentProcess();
    if (!h || h == INVALID_HANDLE_VALUE || !DuplicateHandle(self, h, self, &mine, 0, TRUE, DUPLICATE_SAME_ACCESS))
        return NULL;
    return mine;
}

/* What the program gets for one of our outputs. */
static HANDLE way(struct pass *p, int i, HANDLE ours)
{
    struct stream *s = &p->stream[i];
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
    DWORD mode, type = ours ? GetFileType(ours) : FILE_TYPE_UNKNOWN;
    LARGE_INTEGER at, zero = {.QuadPart = 0};
    if (type == FILE_TYPE_DISK) {
        HANDLE h = ReOpenFile(ours, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, 0);
        p->file[i].h = h == INVALID_HANDLE_VALUE ? NULL : h;
        if (SetFilePointerEx(ours, zero, &at, FILE_CURRENT))
            p->file[i].old = at.QuadPart;
    }
    if (type == FILE_TYPE_CHAR && GetConsoleMode(ours, &mode))
        p->unseen = true;
    if (type != FILE_TYPE_PIPE)
        return inheritable(ours);
    if (i == 1 && p->stream[0].theirs && ours == p->stream[0].to)
        return inheritable(p->stream[0].theirs);
    if (!CreatePipe(&s->source, &s->theirs, &inherit, 65536))
        return inheritable(ours);
    SetHandleInformation(s->source, HANDLE_FLAG_INHERIT, 0);
    s->to = ours;
    s->p = p;
    return s->theirs;
}

static BOOL WINAPI survive(DWORD event)
{
    return tn_win32_go_on(event); /* the program has it as well, and decides */
}

static wchar_t *find_program(struct tn_arena *mem, const char *name)
{
    wchar_t *w = tn_win32_wide(mem, name), found[MAX_PATH + 1];
    DWORD n = SearchPathW(NULL, w, L".exe", MAX_PATH, found, NULL);
    if (!n || n > MAX_PATH)
        return NULL;
    wchar_t *full = tn_arena_array(mem, (size_t)n + 1, sizeof *full);
    memcpy(full, found, ((size_t)n + 1) * sizeof *full);
    return full;
}

static DWORD start(struct pass *p, wchar_t *program, wchar_t *line, HANDLE *ret_process, HANDLE *ret_job)
{
    STARTUPINFOW s;
    PROCESS_INFORMATION i;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION l;
    memset(&s, 0, sizeof s);
    memset(&l, 0, sizeof l);
    s.cb = sizeof s;
    s.dwFlags = STARTF_USESTDHANDLES;
    s.hStdInput = inheritable(GetStdHandle(STD_INPUT_HANDLE));
    s.hStdOutput = way(p, 0, GetStdHandle(STD_OUTPUT_HANDLE));
    s.hStdError = way(p, 1, GetStdHandle(STD_ERROR_HANDLE));
    /* Who ends us means the program; what it starts goes its own ways. */
    l.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    *ret_job = CreateJobObjectW(NULL, NULL);
    if (*ret_job)
        SetInformationJobObject(*ret_job, JobObjectExtendedLimitInformation, &l, sizeof l);
    SetConsoleCtrlHandler(survive, TRUE);
    if (!CreateProcessW(program, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &s, &i))
        return GetLastError();
    if (*ret_job)
        AssignProcessToJobObject(*ret_job, i.hProcess); /* refused in a job that allows none: then without */
    ResumeThread(i.hThread);
    CloseHandle(i.hThread);
    CloseHandle(s.hStdInput);
    if (s.hStdOutput != p->stream[0].theirs)
        CloseHandle(s.hStdOutput);
    if (s.hStdError != p->stream[1].theirs)
        CloseHandle(s.hStdError);
    *ret_process = i.hProcess;
    return 0;
}

/* The program has ended: what it wrote is handed on; for what it left running nobody waits. */
static void finish(struct stream *s)
{
    DWORD left = 0;
    if (!s->thread)
        return;
    while (WaitForSingleObject(s->thread, 20) == WAIT_TIMEOUT)
        if (s->reading && (!PeekNamedPipe(s->source, NULL, 0, NULL, &left, NULL) || left == 0))
            CancelSynchronousIo(s->thread);
    CloseHandle(s->thread);
}

static void take_file(struct pass *p, int i, struct tn_buf *b)
{
    LARGE_INTEGER size, at;
    char chunk[16384];
    DWORD n;
    size_t before = b->n;
    if (!p->file[i].h || !GetFileSizeEx(p->file[i].h, &size))
        return;
    at.QuadPart = size.QuadPart < p->file[i].old ? 0 : p->file[i].old;
    if (size.QuadPart - at.QuadPart > (LONGLONG)p->how->head) /* the end says what it failed of */
        at.QuadPart = size.QuadPart - (LONGLONG)p->how->head;
    SetFilePointerEx(p->file[i].h, at, NULL, FILE_BEGIN);
    while (b->n - before < p->how->head && ReadFile(p->file[i].h, chunk, sizeof chunk, &n, NULL) && n)
        tn_buf_add(b, chunk, n);
    if (p->how->log && b->n > before)
        p->how->log(p->how->ctx, b->p + before, b->n - before);
    CloseHandle(p->file[i].h);
}

static void take_text(struct pass *p, struct tn_buf *b)
{
    size_t cap = p->how->tail, at = p->n_tail % cap;
    take_file(p, 0, b);
    tn_buf_add(b, p->head, p->n_head);
    if (p->n_tail > cap) {
        tn_buf_str(b, "\n...\n");
        tn_buf_add(b, p->tail + at, cap - at);
    }
    tn_buf_add(b, p->tail, at);
    take_file(p, 1, b);
}

int tn_os_pass(const struct tn_os_pass *how, struct tn_os_passed *ret, struct tn_err *err)
{
    struct tn_arena mem;
    struct pass p;
    HANDLE process = NULL, job = NULL;
    wchar_t *line = NULL;
    DWORD code = 255;
    memset(&p, 0, sizeof p);
    tn_arena_init(&mem);
    p.how = how;
    wchar_t *program = find_program(&mem, how->argv[0]);
    int rc = program ? tn_win32_command_line(&mem, how->argv, &line, err)
                     : tn_err_set(err, TN_E_NOTFOUND, how->argv[0], "not found");
    if (rc == 0) {
        InitializeCriticalSection(&p.keeping);
        p.head = tn_arena_alloc(&mem, how->head);
        p.tail = tn_arena_alloc(&mem, how->tail);
        DWORD e = start(&p, program, line, &process, &job);
        rc = e ? tn_win32_error(err, how->argv[0], e) : 0;
    }
    for (unsigned i = 0; i < 2 && !rc; i++)
        if (p.stream[i].theirs) {
            CloseHandle(p.stream[i].theirs);
            p.stream[i].thread = CreateThread(NULL, 0, relay, &p.stream[i], 0, NULL);
        }
    if (rc == 0) {
        WaitForSingleObject(process, INFINITE);
        GetExitCodeProcess(process, &code);
        memset(ret, 0, sizeof *ret);
        tn_buf_init(&ret->text);
        for (unsigned i = 0; i < 2; i++)
            finish(&p.stream[i]);
        take_text(&p, &ret->text);
        ret->status = (int)code;
        ret->unseen = p.unseen;
        ret->open_line = p.open_line;
        CloseHandle(process);
        DeleteCriticalSection(&p.keeping);
    }
    if (job)
        CloseHandle(job);
    tn_arena_deinit(&mem);
    return rc;
}

_Noreturn void tn_os_pass_end(const struct tn_os_passed *p)
{
    ExitProcess((UINT)p->status);
}

int tn_os_log_open(const char *path, int *ret, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *w;
    SECURITY_ATTRIBUTES sa = {.nLength = sizeof sa};
    tn_arena_init(&mem);
    int rc = tn_win32_native(&mem, path, &w, err);
    if (rc == 0 && !(sa.lpSecurityDescriptor = tn_win32_private(&mem, false)))
        rc = tn_err_set(err, TN_E_IO, path, "cannot make a private file");
    if (rc == 0) {
        HANDLE h = CreateFileW(w, FILE_APPEND_DATA, FILE_SHARE_READ, &sa, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        if (h == INVALID_HANDLE_VALUE) /* whose file it is cannot be told as surely as on other systems */
            rc = GetLastError() == ERROR_FILE_EXISTS ? tn_err_set(err, TN_E_REFUSED, path, "there already")
                                                     : tn_win32_error(err, path, GetLastError());
        else
            *ret = _open_osfhandle((intptr_t)h, _O_WRONLY | _O_APPEND);
    }
    if (sa.lpSecurityDescriptor)
        LocalFree(sa.lpSecurityDescriptor);
    tn_arena_deinit(&mem);
    return rc;
}

void tn_os_log_write(int fd, const char *p, size_t n)
{
    hand_on((HANDLE)_get_osfhandle(fd), p, n);
}
