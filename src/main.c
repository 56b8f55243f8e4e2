/* main.c - nothing but the way in. On Windows os/win32/entry.c calls it with the arguments as WTF-8. */
#include "cmd/cmd.h"
#include "measure/worker.h"
#include "os/os.h"
#include "world/ask.h"

int main(int argc, char **argv);

/* The child of a system whose children are started and not forked. */
static int work(const char *const *argv)
{
    return tn_worker_is(argv) ? tn_worker_work(argv) : tn_ask_work(argv);
}

int main(int argc, char **argv)
{
    tn_os_start();
    if (tn_os_is_child(argc, argv))
        return work((const char *const *)argv + 2);
    return tn_main(argc, argv);
}
