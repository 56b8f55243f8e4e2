/* thread.c - one work on several threads at once. */
#include "os/os.h"

#include <pthread.h>
#include <stdlib.h>

struct hand {
    void (*work)(void *ctx, unsigned i);
    void *ctx;
    unsigned i;
    pthread_t id;
};

static void *begin(void *p)
{
    struct hand *h = p;
    h->work(h->ctx, h->i);
    return NULL;
}

unsigned tn_os_parallel(unsigned n, void (*work)(void *ctx, unsigned i), void *ctx)
{
    struct hand *h = tn_xmalloc((n ? n : 1) * sizeof *h);
    unsigned started = 1;
    for (unsigned i = 0; i < n; i++)
        h[i] = (struct hand){.work = work, .ctx = ctx, .i = i};
    while (started < n && pthread_create(&h[started].id, NULL, begin, &h[started]) == 0)
        started++;
    if (n)
        work(ctx, 0);
    for (unsigned i = 1; i < started && i < n; i++)
        pthread_join(h[i].id, NULL);
    for (unsigned i = started; i < n; i++) /* no thread was to be had */
        work(ctx, i);
    free(h);
    return started < n ? started : n;
}
