/* explained.h - from a text to its causes, for the commands that have one: explain, run. */
#ifndef TN_CMD_EXPLAINED_H
#define TN_CMD_EXPLAINED_H

#include "cmd/cmd.h"
#include "command/command.h"
#include "explain/long.h"
#include "explain/signs.h"
#include "finding/verdict.h"

struct tn_explained {
    struct tn_snap s, here; /* what the text says; the machine, if joined */
    struct tn_judge j;      /* of s, or after tn_explained_here of the machine */
    struct tn_judge j_here;
    struct tn_signs signs;
    struct tn_sink stated, live, found; /* of the text's facts, of the machine, and what it all comes to */
    struct tn_join join;
    bool joined;
    struct tn_commands *commands; /* NULL: not looked for */
};

/* Reads the text: x->s, x->signs. Then close it. */
void tn_explained_read(struct tn_cmd_ctx *c, const struct tn_long *text, struct tn_explained *x);
/* The commands in it, which somebody typed or means to type. */
void tn_explained_commands(struct tn_cmd_ctx *c, const struct tn_long *text, struct tn_explained *x);
/* Looks at the machine that the text is believed to come from: this one, or that of --from. False: it is not joined,
 * and *ret says why, or is empty. expect: gpu, cpu, a number, or NULL: by evidence. */
bool tn_explained_join(struct tn_cmd_ctx *c, struct tn_explained *x, const char *expect, struct tn_err *ret);
/* Instead of what the text comes to: what the joined machine lacks, text or not. False: nothing. */
bool tn_explained_here(struct tn_cmd_ctx *c, struct tn_explained *x);
/* The causes: x->found. */
int tn_explained_rank(struct tn_cmd_ctx *c, struct tn_explained *x, struct tn_err *err);
/* The first cause, if there is one that the text may have. */
const struct tn_finding *tn_explained_first(const struct tn_explained *x);
/* The same if it is confirmed or likely, and no mere note. */
const struct tn_finding *tn_explained_cause(const struct tn_explained *x);
/* The exit status of it all. */
int tn_explained_status(const struct tn_explained *x);
/* For people, or with --json for programs. fd: whose width counts. Appends. */
void tn_explained_report(struct tn_cmd_ctx *c, const struct tn_explained *x, int fd, struct tn_buf *ret);
void tn_explained_close(struct tn_explained *x);

#endif
