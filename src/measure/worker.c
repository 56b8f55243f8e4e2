/* worker.c - both ends of the pipe between us and the child that works.
 *
 * A line of ours begins with the byte 1, behind a line feed of its own, so that no library's half line spoils it:
 *     1 "step NAME"    1 "told TEXT"    1 "end STATUS"
 * Everything else is the libraries' own output. */
#include "measure/worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "os/os.h"

#define OURS '\001'
#define WORD "work"
#define MAX_TOLD 4096u

extern const struct tn_work *const tn_works[];

/* ---- the child */

static void say(const char *word, const char *text, size_t n)
{
    char line[MAX_TOLD + 16];
    size_t at = (size_t)snprintf(line, sizeof line, "\n%c%s ", OURS, word);
    n = n < MAX_TOLD ? n : MAX_TOLD;
    for (size_t i = 0; i < n; i++)
        line[at++] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
    line[at++] = '\n';
    tn_os_print(1, line, at);
}

void tn_step(const char *name, unsigned ms)
{
    say("step", name, strlen(name));
    tn_os_step(ms);
}

void tn_tell(const char *format, ...)
{
    char text[MAX_TOLD + 1];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (n > 0)
        say("told", text, strlen(text));
}

static const struct tn_work *current; /* in a child that is a copy of us */

/* argv: WORD, name, memory, arguments. */
static int work(const char *const *argv)
{
    char status[16];
    uint64_t memory = 0;
    const struct tn_work *w = current;
    for (unsigned i = 0; !w && tn_works[i]; i++)
        if (strcmp(tn_works[i]->name, argv[1]) == 0)
            w = tn_works[i];
    if (!w || !argv[2] || !tn_str_u64(argv[2], strlen(argv[2]), 10, &memory))
        return 2;
    if (memory && !tn_os_cap_memory(memory))
        tn_tell("! memory %s", argv[2]);
    int rc = w->run(argv + 3);
    tn_os_step(0);
    snprintf(status, sizeof status, "%d", rc);
    say("end", status, strlen(status));
    return rc;
}

bool tn_worker_is(const char *const *argv)
{
    return argv[0] && argv[1] && strcmp(argv[0], WORD) == 0;
}

int tn_worker_work(const char *const *argv)
{
    return work(argv);
}

/* ---- the parent */

struct taking {
    const struct tn_worker *w;
    struct tn_worked *r;
    struct tn_buf part; /* of a line */
    bool ended;         /* it said so */
};

static void take_line(struct taking *t, struct tn_span line)
{
    struct tn_worked *r = t->r;
    if (line.n == 0)
        return;
    if (line.p[0] != OURS) {
        tn_buf_add(&r->log, line.p, line.n);
        tn_buf_ch(&r->log, '\n');
        return;
    }
    struct tn_span rest = tn_span_from(line, 6); /* behind the mark, a word of four letters and a blank */
    if (tn_span_starts(tn_span_from(line, 1), "step ")) {
        size_t n = rest.n < sizeof r->step - 1 ? rest.n : sizeof r->step - 1;
        memcpy(r->step, rest.p, n);
        r->step[n] = 0;
        if (t->w->step)
            t->w->step(t->w->ctx, r->step);
    } else if (tn_span_starts(tn_span_from(line, 1), "told ")) {
        tn_buf_add(&r->told, rest.p, rest.n);
        tn_buf_ch(&r->told, '\n');
        if (t->w->told)
            t->w->told(t->w->ctx, rest);
    } else if (tn_span_starts(tn_span_from(line, 1), "end ")) {
        t->ended = true;
    }
}

static void take(void *ctx, const char *p, size_t n)
{
    struct taking *t = ctx;
    for (const char *end = p + n; p < end;) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        tn_buf_add(&t->part, p, (size_t)((feed ? feed : end) - p));
        if (!feed)
            return;
        take_line(t, tn_span_of(t->part.p, t->part.n));
        tn_buf_clear(&t->part);
        p = feed + 1;
    }
}

/* A process that a signal ended has 128 + signal (POSIX) or the number of an exception, which has its top bit set. */
static void judge(struct tn_worked *r, const struct tn_os_run *run, bool said_end)
{
    r->status = run->status;
    if (run->cut)
        r->end = TN_WORKER_FLOODED;
    else if (run->timed_out || (run->status == TN_OS_LATE && !said_end))
        r->end = TN_WORKER_LATE;
    else if (said_end && run->status >= 0 && run->status < 128)
        r->end = run->status ? TN_WORKER_STOPPED : TN_WORKER_DONE;
    else if (run->status < 0 || run->status > 128)
        r->end = TN_WORKER_CRASHED;
    else
        r->end = TN_WORKER_QUIT;
    if (r->end == TN_WORKER_CRASHED)
        r->signal = run->status < 0 ? run->status : run->status - 128;
}

int tn_worker_run(const struct tn_worker *w, struct tn_worked *ret, struct tn_err *err)
{
    const char *argv[36] = {WORD, w->work->name};
    char memory[24];
    size_t n = 2;
    struct tn_os_run run;
    struct tn_worked r;
    struct taking t = {.w = w, .r = &r};
    const struct tn_os_labour how = {.deadline_ms = w->deadline_ms,
                                     .max_out = TN_MAX_CHILD_OUTPUT,
                                     .free = w->free,
                                     .with_errors = true,
                                     .out = take,
                                     .ctx = &t};
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)w->memory);
    argv[n++] = memory;
    for (size_t i = 0; w->argv && w->argv[i]; i++) {
        if (n == TN_LEN(argv) - 1)
            return tn_err_set(err, TN_E_LIMIT, w->work->name, "too many words for a worker");
        argv[n++] = w->argv[i];
    }
    memset(&r, 0, sizeof r);
    tn_buf_init(&r.told);
    tn_buf_init(&r.log);
    tn_buf_init(&t.part);
    current = w->work;
    int rc = tn_os_labour(work, argv, &how, &run, err);
    current = NULL;
    if (rc == 0) {
        take_line(&t, tn_span_of(t.part.p, t.part.n));
        judge(&r, &run, t.ended);
        tn_buf_deinit(&run.out);
        *ret = r;
    } else {
        tn_worked_deinit(&r);
    }
    tn_buf_deinit(&t.part);
    return rc;
}

void tn_worked_deinit(struct tn_worked *w)
{
    tn_buf_deinit(&w->told);
    tn_buf_deinit(&w->log);
}
