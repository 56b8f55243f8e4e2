/* sys.c - what the system says of itself, the clock, and what must happen before anything else. */
#include "os/win32/win32.h"

#include <string.h>

typedef LONG(WINAPI *rtl_get_version_fn)(OSVERSIONINFOW *);
typedef BOOL(WINAPI *is_wow64_process2_fn)(HANDLE, USHORT *, USHORT *);

/* A function that older systems lack. */
static FARPROC ask(const wchar_t *dll, const char *name)
{
    HMODULE m = GetModuleHandleW(dll);
    return m ? GetProcAddress(m, name) : NULL;
}

static void allow_escapes(DWORD which)
{
    DWORD mode;
    HANDLE h = GetStdHandle(which);
    if (GetConsoleMode(h, &mode))
        SetConsoleMode(h, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

void tn_os_look_begin(void)
{
}

void tn_os_look_end(bool all)
{
    (void)all; /* nothing is remembered */
}

void tn_os_start(void)
{
    tn_win32_is_program();
    SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
    SetDllDirectoryW(L""); /* the current folder, for callers of plain LoadLibrary */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    allow_escapes(STD_OUTPUT_HANDLE);
    allow_escapes(STD_ERROR_HANDLE);
}

/* RtlGetVersion: GetVersionEx says 6.2 to a program without a manifest. */
static const char *release(struct tn_arena *mem)
{
    OSVERSIONINFOW v = {.dwOSVersionInfoSize = sizeof v};
    FARPROC f = ask(L"ntdll.dll", "RtlGetVersion");
    rtl_get_version_fn get;
    memcpy(&get, &f, sizeof get);
    if (!f || get(&v))
        return NULL;
    return tn_arena_printf(mem, "%lu.%lu.%lu", (unsigned long)v.dwMajorVersion, (unsigned long)v.dwMinorVersion,
                           (unsigned long)v.dwBuildNumber);
}

/* Of the machine, not of this program, which may run emulated. */
static const char *arch(struct tn_arena *mem)
{
    USHORT process, native;
    SYSTEM_INFO i;
    FARPROC f = ask(L"kernel32.dll", "IsWow64Process2");
    is_wow64_process2_fn is;
    memcpy(&is, &f, sizeof is);
    if (f && is(GetCurrentProcess(), &process, &native)) {
        if (native == IMAGE_FILE_MACHINE_AMD64)
            return "x86_64";
        if (native == 0xAA64)
            return "aarch64";
        if (native == IMAGE_FILE_MACHINE_I386)
            return "i686";
    }
    GetNativeSystemInfo(&i);
    switch (i.wProcessorArchitecture) {
    case PROCESSOR_ARCHITECTURE_AMD64: return "x86_64";
    case 12: return "aarch64"; /* PROCESSOR_ARCHITECTURE_ARM64 */
    case PROCESSOR_ARCHITECTURE_INTEL: return "i686";
    default: return tn_arena_printf(mem, "processor-%u", i.wProcessorArchitecture);
    }
}

/* CPUID and XGETBV through the compiler: IsProcessorFeaturePresent denies AVX on systems that are older than its
 * constant.
 */
static const char *cpu(struct tn_arena *mem)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    return tn_arena_printf(
        mem, "%s%s%s%s%s%s%s%s%s%s", __builtin_cpu_supports("avx") ? "avx " : "",
        __builtin_cpu_supports("avx2") ? "avx2 " : "", __builtin_cpu_supports("avx512f") ? "avx512f " : "",
        __builtin_cpu_supports("bmi2") ? "bmi2 " : "", __builtin_cpu_supports("fma") ? "fma " : "",
        __builtin_cpu_supports("sse3") ? "pni " : "", __builtin_cpu_supports("popcnt") ? "popcnt " : "",
        __builtin_cpu_supports("sse4.1") ? "sse4_1 " : "", __builtin_cpu_supports("sse4.2") ? "sse4_2 " : "",
        __builtin_cpu_supports("ssse3") ? "ssse3" : "");
#else
    (void)mem;
    return NULL;
#endif
}

static const char *node(struct tn_arena *mem)
{
    wchar_t w[256];
    DWORD n = 256;
    return GetComputerNameExW(ComputerNameDnsHostname, w, &n) ? tn_win32_narrow(mem, w, n) : NULL;
}

static bool elevated(void)
{
    HANDLE token;
    TOKEN_ELEVATION e = {0};
    DWORD n;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    BOOL ok = GetTokenInformation(token, TokenElevation, &e, sizeof e, &n);
    CloseHandle(token);
    return ok && e.TokenIsElevated;
}

/* The Windows Installer holds this mutex while it works on a package (Windows Installer SDK, "_MSIExecute Mutex").
 * NtQueryMutant tells that without taking it. */
static const char *installing(void)
{
    struct {
        LONG count;
        BOOLEAN mine, abandoned;
    } state = {1, FALSE, FALSE};
    LONG(WINAPI * query)(HANDLE, int, void *, ULONG, ULONG *);
    FARPROC f = ask(L"ntdll.dll", "NtQueryMutant");
    memcpy(&query, &f, sizeof query);
    HANDLE h = OpenMutexW(MUTANT_QUERY_STATE, FALSE, L"Global\\_MSIExecute");
    if (!h)
        return GetLastError() == ERROR_FILE_NOT_FOUND ? "0" : NULL;
    bool told = f && query(h, 0, &state, sizeof state, NULL) >= 0;
    CloseHandle(h);
    return !told ? NULL : state.count <= 0 ? "1" : "0";
}

void tn_os_sys(struct tn_arena *mem, struct tn_os_sys *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->name = "windows";
    ret->release = release(mem);
    ret->arch = arch(mem);
    ret->node = node(mem);
    ret->cpu = cpu(mem);
    ret->root = elevated();
    ret->installing = installing();
}

int64_t tn_os_now(void)
{
    FILETIME t; /* 100 ns since 1601 */
    GetSystemTimeAsFileTime(&t);
    return (int64_t)(((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) / 10000000u) - 11644473600;
}

uint64_t tn_os_monotonic_us(void)
{
    LARGE_INTEGER f, t;
    QueryPerformanceFrequency(&f);
    QueryPerformanceCounter(&t);
    uint64_t hz = (uint64_t)f.QuadPart, now = (uint64_t)t.QuadPart;
    return now / hz * 1000000u + now % hz * 1000000u / hz;
}

void tn_os_deadline(unsigned ms)
{
    (void)ms; /* blocked calls cannot be woken here; children have deadlines of their own */
}
