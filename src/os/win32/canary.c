/* canary.c - the stack protector's canary and its end, in the place of libssp's.
 *
 * Why not libssp: it asks CryptoAPI for the canary before main, which loads ten DLLs, USER32 among them, into every
 * start of the program: four fifths of its time (bench/RESULTS.md). The names are the compiler's (GCC,
 * "-fstack-protector") and _FORTIFY_SOURCE's. */
#include "os/win32/win32.h"

#include <ntsecapi.h>
#include <stdint.h>

extern uintptr_t __stack_chk_guard;
void __stack_chk_fail(void);
void __chk_fail(void);

uintptr_t __stack_chk_guard;

/* Before main and before any thread, in a function that has no canary itself. The lowest byte is zero, so that no text
 * that runs over carries it on. */
__attribute__((constructor, no_stack_protector)) static void choose_canary(void)
{
    uintptr_t canary = 0;
    LARGE_INTEGER ticks;
    if (!RtlGenRandom(&canary, sizeof canary)) { /* as Visual C++'s run time: what nobody outside knows exactly */
        QueryPerformanceCounter(&ticks);
        canary = (uintptr_t)ticks.QuadPart ^ (uintptr_t)&canary ^ ((uintptr_t)GetCurrentProcessId() << 32);
    }
    __stack_chk_guard = canary & ~(uintptr_t)0xff;
}

/* STATUS_STACK_BUFFER_OVERRUN, past every handler: what the stack holds is not to be trusted any more. */
static _Noreturn void end(void)
{
    __asm__ volatile("int $0x29" : : "c"(2)); /* __fastfail(FAST_FAIL_STACK_COOKIE_CHECK_FAILURE) */
    __builtin_unreachable();
}

void __stack_chk_fail(void)
{
    end();
}

void __chk_fail(void)
{
    end();
}
