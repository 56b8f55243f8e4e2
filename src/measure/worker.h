/* worker.h - a piece of real work in a child: it loads the vendor's libraries, by paths handed in, and may crash, hang,
 * flood or take all memory without harm to us. Both `verify` and `bench` work through this.
 *
 * A work is one constant in one file: TN_WORK(ident, "name", run). In the child, run calls tn_step before whatever may
 * fail and tn_tell for each result; the parent gets those lines of text, in order, and knows the step in which the
 * child ended, however it ended. What the libraries themselves print is kept apart from it.
 *
 * Invariant: a child that did not come to its end is never mistaken for one that did. */
#ifndef TN_MEASURE_WORKER_H
#define TN_MEASURE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct tn_work {
    const char *name;                    /* one word: its first argument is what the child is found by */
    int (*run)(const char *const *argv); /* in the child; its result is the child's exit status, 0: done */
};
#define TN_WORK(ident, ...) const struct tn_work tn_work_##ident = {__VA_ARGS__}

enum tn_worker_end {
    TN_WORKER_DONE,    /* run returned 0 */
    TN_WORKER_STOPPED, /* run returned something else: status. What went wrong is in its lines */
    TN_WORKER_QUIT,    /* a library ended the process by itself, with status */
    TN_WORKER_CRASHED, /* signal; on Windows the number of the exception */
    TN_WORKER_LATE,    /* a step, or all of it, took longer than allowed */
    TN_WORKER_FLOODED  /* more output than anybody can mean */
};

struct tn_worker {
    const struct tn_work *work;
    const char *const *argv; /* what run gets; ends with NULL */
    unsigned deadline_ms;    /* of all of it; steps have their own */
    uint64_t memory;         /* bytes that it may take for itself, 0: as many as there are */
    bool free; /* not confined as `ask` is: it may start programs and write files, as the driver's own helper does */
    void (*told)(void *ctx, struct tn_span line); /* each line of tn_tell, as it comes; NULL: only afterwards */
    void (*step)(void *ctx, const char *name);    /* each step, as it begins; NULL likewise */
    void *ctx;
};

struct tn_worked {
    enum tn_worker_end end;
    int status, signal;
    char step[64];      /* the last one that began; "" when none did */
    struct tn_buf told; /* the lines of tn_tell, each with its line feed */
    struct tn_buf log;  /* what the libraries printed, to standard error, too */
};

/* TN_E_UNSUPPORTED, TN_E_IO ...: no child could be started; else 0 and *ret, to be deinitialised. */
int tn_worker_run(const struct tn_worker *w, struct tn_worked *ret, struct tn_err *err);
void tn_worked_deinit(struct tn_worked *w);

/* In the child. A step is named in a few plain characters: "driver/init". It may take ms from now on. */
void tn_step(const char *name, unsigned ms);
/* One line; control characters as spaces, at most some 4000 bytes. */
void tn_tell(const char *format, ...) TN_PRINTF(1, 2);

/* For main(), on systems whose children are started and not forked: is that a word of a worker? Then do it. */
bool tn_worker_is(const char *const *argv);
int tn_worker_work(const char *const *argv);

#endif
