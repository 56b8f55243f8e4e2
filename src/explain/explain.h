/* explain.h - text that somebody pasted -> observations: which fact it speaks of, what it says, in which line.
 *
 * Pure and made for hostile text: terminal escapes, overprinted lines, UTF-16, GBK, broken boxes, prose around. What a
 * text does not say plainly is not read out of it. */
#ifndef TN_EXPLAIN_EXPLAIN_H
#define TN_EXPLAIN_EXPLAIN_H

#include "base/buf.h"
#include "base/span.h"
#include "snapshot/snapshot.h"

/* The same text as plain lines: UTF-16 decoded, escapes and control characters out, of an overprinted line what stays
 * visible. Line n is line n of the text as an editor shows it. Appends. */
void tn_explain_clean(struct tn_span raw, struct tn_buf *ret);

/* One line of cleaned text. */
struct tn_explain_line {
    const char *text; /* NUL-ended */
    unsigned number;  /* from 1 */
};

/* Adds what the text says to s->observation, and host.os where the text can only come from one system. A value that is
 * named and not there ("CUDA Version: N/A") is an absent one. A fact that is stated twice with different values names
 * the other as rival. */
void tn_explain_text(struct tn_span raw, struct tn_snap *s);

/* For the readers of single kinds of text (text_*.c). value NULL: absent. */
struct tn_explain {
    struct tn_snap *s;
    struct tn_arena mem;
    unsigned driver_line; /* the last line that named a driver version; 0: none */
};
void tn_explain_say(struct tn_explain *e, const char *fact, const char *value, unsigned line);
void tn_explain_system(struct tn_explain *e, const char *os, unsigned line);
/* text_driver.c: nvidia-smi, nvcc, deviceQuery, /proc/driver/nvidia/version, the Windows control panel. */
void tn_explain_driver_line(struct tn_explain *e, const struct tn_explain_line *line);

#endif
