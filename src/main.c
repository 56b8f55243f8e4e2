/* main.c - nothing but the way in. On Windows os/win32/main.c calls it with the arguments as WTF-8. */
#include "cmd/cmd.h"
#include "os/os.h"
#include "world/ask.h"

int main(int argc, char **argv);

int main(int argc, char **argv)
{
    tn_os_start();
    if (tn_os_is_child(argc, argv))
        return tn_ask_work((const char *const *)argv + 2);
    return tn_main(argc, argv);
}
