/* snapshot.h - what is known of one machine: facts and where they came from.
 *
 * Made by probes, by reading a file, or from a description; judged by checks, which only read. Everything in it
 * lives in one arena. It knows nothing of how facts are got. */
#ifndef TN_SNAPSHOT_SNAPSHOT_H
#define TN_SNAPSHOT_SNAPSHOT_H

#include "base/attr.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "snapshot/schema.h"

/* Where a fact came from: "read /proc/driver/nvidia/version", "list /usr/lib", "table gpus", "described". */
struct tn_src {
    const char *asked;
    enum tn_know got;
    const char *note; /* the system's words for denied and failed; may be NULL */
};

/* Names one fact, or with field == TN_REF_ROW a row, or with row == TN_REF_LIST the listing of a record. */
struct tn_ref {
    uint16_t rec, field;
    uint32_t row;
};
#define TN_REF_ROW 0xFFFFu
#define TN_REF_LIST 0xFFFFFFFFu

/* Members of a row, a record or a fact of a newer file that this version does not know; they survive a rewrite. */
struct tn_extra {
    struct tn_ref at;
    const char *json; /* JSON object text */
};

struct tn_snap {
    struct tn_arena mem;
    struct tn_src *src; /* [0] is "not named" */
    size_t n_src, cap_src;
#define TN_ONE(rec, doc) struct tn_rows_##rec rec##_rows; /* reach the row through TN_THE(s, rec) */
#define TN_MANY(rec, doc) struct tn_rows_##rec rec;
#define TN_FIELD(rec, kind, name, class, weight, doc)
#define TN_END(rec)
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END
    const char *extra;     /* JSON object text of members that this version does not know, or NULL */
    struct tn_extra *more; /* the same further down, in the order of rec, row, field */
    size_t n_more, cap_more;
    int schema; /* version of the file it was read from; newer than ours: note it */
    bool redacted;
};

/* The single row of a record that every machine has once. */
#define TN_THE(s, rec) ((s)->rec##_rows.v)

void tn_snap_init(struct tn_snap *s);
void tn_snap_deinit(struct tn_snap *s);

/* Adds a source and returns its index. asked is copied. */
uint32_t tn_snap_src(struct tn_snap *s, enum tn_know got, const char *note, const char *asked_fmt, ...) TN_PRINTF(4, 5);

/* The same for a question "word name", as most are. */
uint32_t tn_snap_src_of(struct tn_snap *s, enum tn_know got, const char *note, const char *word, const char *name);

/* A new zeroed row: struct tn_rec_gpu *g = TN_ADD(s, gpu); pointers to earlier rows of it become invalid. */
#define TN_ADD(s, rec) ((struct tn_rec_##rec *)tn_snap_add((s), TN_REC_##rec))
void *tn_snap_add(struct tn_snap *s, enum tn_rec_id rec);

/* Fact makers: the text is copied into the snapshot. A NULL text gives "absent". */
struct tn_str tn_fact_str(struct tn_snap *s, uint32_t src, const char *v);
struct tn_str tn_fact_strn(struct tn_snap *s, uint32_t src, const void *v, size_t n); /* NULs end it */
struct tn_int tn_fact_int(uint32_t src, int64_t v);
struct tn_list tn_fact_list(struct tn_snap *s, uint32_t src, const char *const *v, size_t n);
/* Facts without value: absent, denied, failed. */
struct tn_str tn_fact_nostr(uint32_t src, enum tn_know k);
struct tn_int tn_fact_noint(uint32_t src, enum tn_know k);
struct tn_list tn_fact_nolist(uint32_t src, enum tn_know k);

static inline bool tn_known(struct tn_str f)
{
    return f.k == TN_KNOWN;
}
static inline bool tn_is(struct tn_int f, int64_t v)
{
    return f.k == TN_KNOWN && f.v == v;
}
/* Known and equal to text. */
bool tn_says(struct tn_str f, const char *text);
bool tn_list_has(struct tn_list f, const char *text);

/* Rows of any record by number, for code that works on the schema. */
struct tn_rows *tn_snap_rows(const struct tn_snap *s, unsigned rec);
void *tn_snap_row(const struct tn_snap *s, unsigned rec, size_t row);
/* The fact's state and source, whatever its kind. */
enum tn_know tn_field_know(const void *row, const struct tn_field_desc *f, uint32_t *ret_src);
/* Do two rows agree in this fact: the same state and, where known, the same value? Sources do not count. */
bool tn_field_same(const void *a, const void *b, const struct tn_field_desc *f);
/* The fact's value as text for people: "" unless known; lists joined by ", ". */
void tn_field_text(const void *row, const struct tn_field_desc *f, struct tn_buf *ret);

/* Which path rules the described machine has. */
enum tn_path_style tn_snap_style(const struct tn_snap *s);
/* The row of env whose id is id, or NULL. The judged one, or NULL. */
const struct tn_rec_env *tn_snap_env(const struct tn_snap *s, const char *id);
const struct tn_rec_env *tn_snap_judged(const struct tn_snap *s);

#define TN_REF(rec, i, name) tn_ref_make(TN_REC_##rec, (uint32_t)(i), offsetof(struct tn_rec_##rec, name))
#define TN_REF_REC(rec) ((struct tn_ref){TN_REC_##rec, TN_REF_ROW, TN_REF_LIST})
struct tn_ref tn_ref_make(unsigned rec, uint32_t row, size_t offset);
/* "gpu[0].capability", "driver.version", "gpu" */
void tn_ref_name(struct tn_ref r, struct tn_buf *ret);

#endif
