/* event.c - what Windows' System log keeps of graphics cards, as XML, an event a line.
 *
 * Asked by provider: nvlddmkm (NVIDIA's kernel driver), Display 4101 (a driver was reset after its deadline) and the
 * note of a crash (WER-SystemErrorReporting 1001). The newest first, of 30 days at most. wevtapi.dll is opened when it
 * is needed; where it lacks the functions, or the log's service does not run, there is no log to be had.
 * Sources: Microsoft, "Consuming Events (Windows Event Log)", "Event Schema", "Event 4101 (Display)". */
#include "os/win32/win32.h"

#include <string.h>
#include <winevt.h>

#define MAX_EVENTS 256u
#define MAX_XML 65536u /* bytes of one event */
#define WAIT_MS 2000u

static const wchar_t query[] = L"*[System[(Provider[@Name='nvlddmkm'] or (Provider[@Name='Display'] and EventID=4101)"
                               L" or (Provider[@Name='Microsoft-Windows-WER-SystemErrorReporting'] and EventID=1001))"
                               L" and TimeCreated[timediff(@SystemTime) <= 2592000000]]]";

struct api {
    EVT_HANDLE(WINAPI *query)(EVT_HANDLE, LPCWSTR, LPCWSTR, DWORD);
    BOOL(WINAPI *next)(EVT_HANDLE, DWORD, EVT_HANDLE *, DWORD, DWORD, DWORD *);
    BOOL(WINAPI *render)(EVT_HANDLE, EVT_HANDLE, DWORD, DWORD, void *, DWORD *, DWORD *);
    BOOL(WINAPI *close)(EVT_HANDLE);
};

static bool load(HMODULE m, const char *name, void *ret)
{
    FARPROC f = m ? GetProcAddress(m, name) : NULL;
    memcpy(ret, &f, sizeof f);
    return f != NULL;
}

static bool open_api(struct api *a)
{
    HMODULE m = LoadLibraryExW(L"wevtapi.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    bool query_there = load(m, "EvtQuery", &a->query), next = load(m, "EvtNext", &a->next);
    bool render = load(m, "EvtRender", &a->render), close = load(m, "EvtClose", &a->close);
    return query_there && next && render && close;
}

/* One event on one line; false: it cannot be written down. */
static bool add_event(const struct api *a, EVT_HANDLE event, struct tn_arena *mem, size_t max, struct tn_buf *ret)
{
    DWORD used = 0, properties;
    wchar_t *w = tn_arena_alloc(mem, MAX_XML);
    if (!a->render(NULL, event, EvtRenderEventXml, MAX_XML, w, &used, &properties))
        return false;
    char *line = tn_win32_narrow(mem, w, wcsnlen(w, used / sizeof *w));
    for (char *p = line; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    size_t n = strlen(line);
    if (ret->n + n + 1 > max)
        return false;
    tn_buf_add(ret, line, n);
    tn_buf_ch(ret, '\n');
    return true;
}

int tn_os_kernel_log(size_t max, struct tn_buf *ret, struct tn_err *err)
{
    struct api a;
    EVT_HANDLE event;
    DWORD n;
    if (!open_api(&a))
        return tn_err_set(err, TN_E_UNSUPPORTED, "System log", "this system has no event log");
    EVT_HANDLE found = a.query(NULL, L"System", query, EvtQueryChannelPath | EvtQueryReverseDirection);
    if (!found)
        return GetLastError() == ERROR_ACCESS_DENIED
                   ? tn_win32_error(err, "System log", ERROR_ACCESS_DENIED)
                   : tn_err_set(err, TN_E_UNSUPPORTED, "System log", "the event log does not answer");
    bool room = true;
    for (unsigned i = 0; room && i < MAX_EVENTS && a.next(found, 1, &event, WAIT_MS, 0, &n) && n == 1; i++) {
        struct tn_arena mem;
        tn_arena_init(&mem);
        add_event(&a, event, &mem, max, ret);
        room = ret->n < max;
        a.close(event);
        tn_arena_deinit(&mem);
    }
    a.close(found);
    return 0;
}
