/* os_win32_canary.c - the stack protector's canary on Windows: another one in each process, and what runs over it ends
 * the process past every handler. */
#include "os_help.h"

#ifndef _WIN32
int main(void)
{
    return 0; /* nothing of it exists here */
}
#else
#include <process.h>

extern uintptr_t __stack_chk_guard;

static __attribute__((noinline)) void overrun(volatile size_t n)
{
    char text[16];
    volatile char *p = text;
    for (size_t i = 0; i < n; i++)
        p[i] = 'x';
}

static int child(const char *how)
{
    if (strcmp(how, "overrun") == 0) {
        SetErrorMode(SEM_NOGPFAULTERRORBOX);
        overrun(40);
        return 0;
    }
    return (int)(__stack_chk_guard >> 8 & 0x3fffffff);
}

static void test_chosen(void **state)
{
    (void)state;
    assert_int_equal(__stack_chk_guard & 0xff, 0);
    intptr_t a = _spawnl(_P_WAIT, self(), "canary", "say", NULL), b = _spawnl(_P_WAIT, self(), "canary", "say", NULL);
    assert_true(a > 0 && b > 0 && a != b);
}

static void test_overrun(void **state)
{
    (void)state;
    assert_int_equal((uint32_t)_spawnl(_P_WAIT, self(), "canary", "overrun", NULL), 0xC0000409u);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chosen), cmocka_unit_test(test_overrun)};
    return argc > 1 ? child(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
