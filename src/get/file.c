/* file.c - a body into a file of the folder that tenon has given, behind what is there of it already.
 *
 * What was left by an interrupted run is asked for no more: "Range: bytes=N-" (RFC 9110, 14.2). A server that knows no
 * ranges sends all of it, and the file begins anew; so it does where a server has nothing behind N ("416"). Whether
 * what comes together is the file that was meant tells its digest, which tenon compares. No time limit for all of it:
 * it ends when nothing comes for half a minute. Lines "at BYTES" say how far it is. */
#include "get/get.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER 4 /* TN_OS_GIVEN_FOLDER of tenon */
#define SILENT_S 30L
#define TELL_MS 250

int get_file_open(struct get *g, const char *name)
{
    struct stat st = {0};
    g->file = strchr(name, '/') ? (errno = EINVAL, -1)
                                : openat(FOLDER, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    g->failed = g->file < 0 || fstat(g->file, &st) ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
    if (!g->failed)
        g->from = st.st_size;
    return g->failed;
}

void get_file_ask(struct get *g)
{
    char range[40];
    snprintf(range, sizeof range, "%lld-", g->from);
    curl_easy_setopt(g->curl, CURLOPT_RANGE, g->from ? range : NULL);
    curl_easy_setopt(g->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(g->curl, CURLOPT_LOW_SPEED_TIME, SILENT_S);
}

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void tell(struct get *g)
{
    long long now = now_ms();
    if (g->told && now - g->told_ms < TELL_MS)
        return;
    printf("at %lld\n", g->from + g->at);
    fflush(stdout);
    g->told = 1;
    g->told_ms = now;
}

/* Where the body begins: behind what is there, or at the start. */
static int begin(struct get *g, long status)
{
    int behind = status == 206 && g->from && atoll(g->range) == g->from;
    if (status == 206 && !behind)
        return EPROTO;
    if (!behind)
        g->from = 0;
    if (ftruncate(g->file, (off_t)g->from) || lseek(g->file, 0, SEEK_END) < 0)
        return errno;
    return 0;
}

size_t get_file_take(struct get *g, const char *p, size_t n, long status)
{
    if (status != 200 && status != 206) {
        if (status == 416 && g->from && ftruncate(g->file, 0))
            g->failed = errno;
        return n; /* words about an error, or of a redirection */
    }
    if (!g->at && (g->failed = begin(g, status)))
        return 0;
    if (n > g->max || (size_t)(g->from + g->at) > g->max - n) {
        g->large = 1;
        return 0;
    }
    for (size_t k = 0; k < n;) {
        ssize_t w = write(g->file, p + k, n - k);
        if (w < 0 && errno != EINTR) {
            g->failed = errno;
            return 0;
        }
        k += w > 0 ? (size_t)w : 0;
    }
    g->at += (long long)n;
    tell(g);
    return n;
}
