/* thread.c - one work on several threads at once. */
#include "os/os.h"
#include "os/win32/win32.h"

#include <process.h>
#include <stdlib.h>

struct hand {
    void (*work)(void *ctx, unsigned i);
    void *ctx;
    unsigned i;
    HANDLE id;
};

static unsigned __stdcall begin(void *p)
{
    struct hand *h = p;
    h->work(h->ctx, h->i);
    return 0;
}

unsigned tn_os_parallel(unsigned n, void (*work)(void *ctx, unsigned i), void *ctx)
{
    struct hand *h = tn_xmalloc((n ? n : 1) * sizeof *h);
    unsigned started = 1;
    for (unsigned i = 0; i < n; i++)
        h[i] = (struct hand){.work = work, .ctx = ctx, .i = i};
    while (started < n && (h[started].id = (HANDLE)_beginthreadex(NULL, 0, begin, &h[started], 0, NULL)) != NULL)
        started++;
    if (n)
        work(ctx, 0);
    for (unsigned i = 1; i < started && i < n; i++) {
        WaitForSingleObject(h[i].id, INFINITE);
        CloseHandle(h[i].id);
    }
    for (unsigned i = started; i < n; i++) /* no thread was to be had */
        work(ctx, i);
    free(h);
    return started < n ? started : n;
}
