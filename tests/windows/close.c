/* close.c - closes the console of a program as Windows does: close.exe NAME.exe. Its handlers are called in a thread of
 * its own; with their answer, or after five seconds, the program is ended (Microsoft, HandlerRoutine). wine does not
 * end it by itself. Status 0: it had ended before. */
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <tlhelp32.h>

static DWORD find(const wchar_t *name)
{
    PROCESSENTRY32W e = {.dwSize = sizeof e};
    HANDLE h = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    DWORD id = 0;
    for (BOOL more = Process32FirstW(h, &e); more && !id; more = Process32NextW(h, &e))
        if (_wcsicmp(e.szExeFile, name) == 0)
            id = e.th32ProcessID;
    CloseHandle(h);
    return id;
}

int wmain(int argc, wchar_t **argv)
{
    FARPROC f = GetProcAddress(GetModuleHandleW(L"kernelbase.dll"), "CtrlRoutine"); /* of one address in all programs */
    LPTHREAD_START_ROUTINE routine;
    DWORD id = argc > 1 ? find(argv[1]) : 0;
    HANDLE p = id ? OpenProcess(PROCESS_ALL_ACCESS, FALSE, id) : NULL;
    memcpy(&routine, &f, sizeof routine);
    HANDLE t = p && f ? CreateRemoteThread(p, NULL, 0, routine, (void *)(ULONG_PTR)CTRL_CLOSE_EVENT, 0, NULL) : NULL;
    if (!t)
        return 2;
    HANDLE both[] = {p, t};
    DWORD answer = 0, status = STILL_ACTIVE;
    WaitForMultipleObjects(2, both, FALSE, 5000);
    /* A program that ends takes its threads with it first, with its own status. */
    if (WaitForSingleObject(p, 1000) == WAIT_OBJECT_0 && GetExitCodeProcess(p, &status) &&
        GetExitCodeThread(t, &answer) && answer == status)
        return 0;
    TerminateProcess(p, 0xC000013A);
    return 1;
}
