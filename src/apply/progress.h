/* progress.h - what an installer's own lines and the growth of its files tell of a download. Nothing is guessed: what
 * is not known is 0. */
#ifndef TN_APPLY_PROGRESS_H
#define TN_APPLY_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define TN_PROGRESS_OPEN 64u
#define TN_PROGRESS_SAMPLES 8u

struct tn_progress {
    bool told;          /* what fetches says itself how far it is */
    bool several;       /* uv: many at once, each said to be done; else pip: one after the other */
    unsigned announced; /* files so far */
    uint64_t total;     /* bytes announced so far */
    uint64_t now, of; /* fetched, and of how many: of all by uv, of the file at hand by pip; of 0: nothing is fetched */
    char name[96];    /* of the file at hand */
    struct {
        char name[64];
        uint64_t size;
    } open[TN_PROGRESS_OPEN]; /* uv: announced, not done */
    unsigned n_open;
    struct {
        uint64_t us, bytes;
    } sample[TN_PROGRESS_SAMPLES];
    unsigned n_sample;
};

/* A line of pip ("Downloading torch-2.4.0-...whl (797.2 MB)") or uv ("Downloading torch (760.1MiB)", "Downloaded
 * torch"). True: another file is at hand. */
bool tn_progress_line(struct tn_progress *p, struct tn_span line);
/* A file of which "now" of "of" bytes are there, by what fetches it. */
void tn_progress_told(struct tn_progress *p, const char *file, uint64_t now, uint64_t of);
/* Seen at a time (microseconds, monotonic): the bytes of pip's file that are on the disk; of no matter for uv. */
void tn_progress_seen(struct tn_progress *p, uint64_t us, uint64_t bytes);
/* Bytes a second over the last seconds; 0: not known. */
uint64_t tn_progress_rate(const struct tn_progress *p);
/* Seconds until "of" is there; 0: not known. */
uint64_t tn_progress_left(const struct tn_progress *p);

#endif
