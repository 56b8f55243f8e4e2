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

int tn_os_child(tn_os_work *work, const char *const *argv, unsigned deadline_ms, size_t max_out, struct tn_os_run *ret,
                struct tn_err *err)
{
    wchar_t self[32768];
    const char *line[16];
    struct tn_arena mem;
    size_t n = 0;
    (void)work; /* the child finds it by its words */
    DWORD len = GetModuleFileNameW(NULL, self, 32767);
    if (!is_program || !len || len >= 32767)
        return tn_err_set(err, TN_E_UNSUPPORTED, argv[0], "only the program itself can ask in a child process");
    tn_arena_init(&mem);
    line[n++] = tn_win32_narrow(&mem, self, len);
    line[n++] = TN_OS_CHILD;
    for (size_t i = 0; argv[i] && n < 15; i++)
        line[n++] = argv[i];
    line[n] = NULL;
    int rc = tn_os_run(line, NULL, deadline_ms, max_out, ret, err);
    tn_arena_deinit(&mem);
    return rc;
}
