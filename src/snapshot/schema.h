/* schema.h - the types and descriptors that schema.def makes.
 *
 * A fact is one of five things (base/know.h) and names its source. Zeroed memory is "not asked". Strings live in
 * the snapshot's arena and never hold a NUL; paths are bytes, not always UTF-8. */
#ifndef TN_SNAPSHOT_SCHEMA_H
#define TN_SNAPSHOT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/know.h"

#define TN_SCHEMA_VERSION 1

/* src: index into the snapshot's sources; 0 means none is named. */
struct tn_str {
    const char *v;
    uint32_t src;
    enum tn_know k;
};
struct tn_int {
    int64_t v;
    uint32_t src;
    enum tn_know k;
};
struct tn_list {
    const char *const *v;
    uint32_t n;
    uint32_t src;
    enum tn_know k;
};

enum tn_kind { TN_KIND_STR, TN_KIND_INT, TN_KIND_VER, TN_KIND_BOOL, TN_KIND_LIST, TN_KIND_PATH, TN_KIND_PATHS };

/* Privacy classes (reliability: an allow-list by schema). Each field has one, or it does not build. */
enum tn_class {
    TN_CLASS_PUBLIC,      /* shared as it is */
    TN_CLASS_PSEUDONYM,   /* shared as kind1, kind2 ... in order of appearance */
    TN_CLASS_PATH,        /* home and user names, environment prefixes replaced; the tail kept below known roots */
    TN_CLASS_PACKAGE,     /* shared when on the public list, else only counted */
    TN_CLASS_URL,         /* credentials and query cut; unknown hosts as index1 ... */
    TN_CLASS_KERNEL,      /* only the parsed shape: numbers; local suffixes cut */
    TN_CLASS_ENVIRONMENT, /* value of a listed variable, through the path and URL rules */
    TN_CLASS_NEVER        /* never shared */
};

enum tn_weight { TN_WEIGHT_MATTERS, TN_WEIGHT_NOISE };

#define TN_FACT_STR struct tn_str
#define TN_FACT_INT struct tn_int
#define TN_FACT_VER struct tn_str
#define TN_FACT_BOOL struct tn_int
#define TN_FACT_LIST struct tn_list
#define TN_FACT_PATH struct tn_str
#define TN_FACT_PATHS struct tn_list

#define TN_ONE(rec, doc) struct tn_rec_##rec {
#define TN_MANY(rec, doc) struct tn_rec_##rec {
#define TN_FIELD(rec, kind, name, class, weight, doc) TN_FACT_##kind name;
#define TN_END(rec)                                                                                                    \
    }                                                                                                                  \
    ;
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END

/* The rows of one record, and what is known of the listing itself: known means "these are all". */
#define TN_ROWS(rec)                                                                                                   \
    struct tn_rows_##rec {                                                                                             \
        struct tn_rec_##rec *v;                                                                                        \
        size_t n, cap;                                                                                                 \
        enum tn_know listed;                                                                                           \
        uint32_t src;                                                                                                  \
    }
#define TN_ONE(rec, doc) TN_ROWS(rec);
#define TN_MANY(rec, doc) TN_ROWS(rec);
#define TN_FIELD(rec, kind, name, class, weight, doc)
#define TN_END(rec)
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END

/* tn_rows of any record has this shape; descriptors work on it. */
struct tn_rows {
    void *v;
    size_t n, cap;
    enum tn_know listed;
    uint32_t src;
};

enum tn_rec_id {
#define TN_ONE(rec, doc) TN_REC_##rec,
#define TN_MANY(rec, doc) TN_REC_##rec,
#define TN_FIELD(rec, kind, name, class, weight, doc)
#define TN_END(rec)
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END
    TN_REC_COUNT
};

/* A set of records: TN_HAS(env) | TN_HAS(dist). */
typedef uint64_t tn_record_set;
#define TN_HAS(rec) ((tn_record_set)1 << TN_REC_##rec)
_Static_assert(TN_REC_COUNT <= 64, "a set of records has 64 bits");

/* Names in place, documentation by number: a pointer each would be relocated at every start. */
struct tn_field_desc {
    char name[24];
    enum tn_kind kind;
    enum tn_class privacy;
    enum tn_weight weight;
    uint32_t doc;  /* tn_schema_doc */
    size_t offset; /* of the fact in its row */
};

struct tn_rec_desc {
    char name[16];
    bool one;
    size_t row_size;
    size_t offset; /* of its tn_rows in struct tn_snap */
    const struct tn_field_desc *field;
    unsigned n_field;
    uint32_t doc; /* tn_schema_doc */
};

extern const struct tn_rec_desc tn_schema[TN_REC_COUNT];

const char *tn_schema_doc(uint32_t doc);
const char *tn_kind_word(enum tn_kind k);
const char *tn_class_word(enum tn_class c);

#endif
