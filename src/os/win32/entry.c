/* entry.c - where the program begins (-municode): the arguments become WTF-8. A unit test brings its own main, and
 * this one is then not linked. */
#include "os/win32/win32.h"

int main(int argc, char **argv);
int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
    static struct tn_arena mem; /* as long as the program */
    tn_arena_init(&mem);
    char **list = tn_arena_array(&mem, (size_t)argc + 1, sizeof *list);
    for (int i = 0; i < argc; i++)
        list[i] = tn_win32_narrow(&mem, argv[i], wcslen(argv[i]));
    return main(argc, list);
}
