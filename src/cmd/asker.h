/* asker.h - what the files online*.c share: who is asked, how, and how long. */
#ifndef TN_CMD_ASKER_H
#define TN_CMD_ASKER_H

#include "cmd/online.h"
#include "world/get.h"

#define TN_ASKER_INDEXES 8u

struct tn_asker {
    struct tn_cmd_ctx *c;
    struct tn_online *ret;
    const char *by;                    /* pip or uv */
    const char *url[TN_ASKER_INDEXES]; /* the index proper last */
    struct tn_get_how how[TN_ASKER_INDEXES];
    struct tn_get_how other; /* for hosts that are no index: nobody's password */
    const char *shown;
    const char *find_links; /* where files lie that are not looked at; NULL */
    unsigned n;
    uint64_t end_us;
};

/* online_settings.c: the indexes of this machine's pip or uv (a->by), with what leads to them. */
int tn_asker_settings(struct tn_asker *a, struct tn_err *err);

/* online.c. One request about something of that name; bytes and requests are counted. Answers of any status are
 * answers; TN_E_IO: none came, and err names the hop. With whole: a server that sends the whole file for a range is no
 * error. */
int tn_asker_get(struct tn_asker *a, const char *name, const struct tn_question *q, bool *whole, struct tn_answer *ret,
                 struct tn_got *got, struct tn_err *err);
int tn_asker_fail(struct tn_asker *a, struct tn_err *err, const char *id, const struct tn_arg *arg, unsigned n);
const char *tn_asker_hop(struct tn_arena *mem, const char *url); /* "host:port" of a URL */

/* online_metadata.c: METADATA of a file, once. f->meta stays NULL where it cannot be had in parts, which is said. */
int tn_asker_metadata(struct tn_asker *a, const struct tn_index_package *p, struct tn_index_file *f,
                      struct tn_err *err);

#endif
