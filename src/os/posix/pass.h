/* pass.h - what pass.c (the process that waits for the program) and relay.c (the one that hands its output on) share.
 */
#ifndef TN_OS_POSIX_PASS_H
#define TN_OS_POSIX_PASS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#include "os/os.h"

#define TN_PASS_SIGNALS 65

/* One way of the program's output, where we stand between. */
struct tn_pass_stream {
    int to;     /* 1 or 2: ours, where it goes on */
    int source; /* our end; -1: none */
    int theirs; /* the program's end */
    int wake;   /* an eventfd: the relay is asked a question */
    bool pty;
    struct termios set; /* of our terminal, as last set */
};

/* Memory that both processes see. */
struct tn_pass_shared {
    atomic_ullong got_us[TN_PASS_SIGNALS]; /* when the relay last had this signal; 0: never */
    atomic_uint ask;                       /* number of the last question: have you handed on what was written? */
    atomic_uint answer[2];                 /* of each stream */
    atomic_int program;                    /* its process, for SIGWINCH; 0: none yet */
    atomic_bool standing;                  /* who waits for the program has stopped with it */
    atomic_bool open_line[2];              /* the last byte of each stream was no line feed */
    size_t n_head, n_tail;                 /* n_tail counts on; the tail is a ring */
    size_t head, tail;                     /* room */
    char byte[];                           /* the head, then the tail */
};

/* The relay's life; returns when every stream has ended, and never where there is none: then it is a witness alone.
 * waiter: the process that waits for the program. */
void tn_pass_relay(struct tn_pass_stream *stream, unsigned n, struct tn_pass_shared *shared,
                   const struct tn_os_pass *how, pid_t waiter);

/* sys.c: how SIGPIPE was set when we began. */
const struct sigaction *tn_posix_sigpipe(void);

#endif
