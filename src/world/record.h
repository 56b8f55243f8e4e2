/* record.h - a machine's raw answers as data: made by the recorder, kept in a JSON file, answered again by the replay.
 *
 * Two heights of recording (design 6.3): this is the lower one, private, probed again by newer versions. A record may
 * also be composed by hand from reports: "complete" then closes what is not written. Format: doc/record.md. */
#ifndef TN_WORLD_RECORD_H
#define TN_WORLD_RECORD_H

#include "base/buf.h"
#include "world/tree.h"
#include "world/world.h"

/* An answer that is no file: a variable, a system value, a program's output, a vendor library's or a server's reply. */
struct tn_note {
    enum tn_question_kind kind;
    const char *name; /* tn_question_name() without its first word */
    const char *from;
    struct tn_answer a;
};

struct tn_record {
    struct tn_arena mem;
    const char *origin; /* which machine, real part or report this is */
    const char *os;
    enum tn_path_style style;
    bool env_complete, sys_complete;
    struct tn_tree files, reg;
    struct tn_note *note;
    size_t n_note, cap_note;
};

void tn_record_init(struct tn_record *r, const char *os);
void tn_record_deinit(struct tn_record *r);
/* The note of that kind and name, or NULL. */
struct tn_note *tn_record_find(const struct tn_record *r, enum tn_question_kind kind, const char *name);
struct tn_note *tn_record_add(struct tn_record *r, enum tn_question_kind kind, const char *name);

/* True if the bytes are a record (and not, say, a snapshot): a quick look at the first kilobytes. */
bool tn_record_looks_like(struct tn_span json);
/* r is initialised by it. TN_E_FORMAT with line or path as place, TN_E_LIMIT. */
int tn_record_read(struct tn_span json, struct tn_record *r, struct tn_err *err);
/* Deterministic: the same record gives the same bytes. */
void tn_record_write(const struct tn_record *r, struct tn_buf *ret);

/* A world that answers from r, which must outlive it. */
int tn_world_replay(struct tn_record *r, struct tn_world **ret, struct tn_err *err);
/* A world that passes questions to inner, which it owns, and notes every answer in r. */
int tn_world_recorder(struct tn_world *inner, struct tn_record *r, struct tn_world **ret, struct tn_err *err);

#endif
