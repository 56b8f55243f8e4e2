/* schema.c - descriptors of every record and field, made from schema.def. */
#include "snapshot/schema.h"

#include "base/str.h"
#include "snapshot/snapshot.h"

/* Every documentation one after the other, so that its place in this structure is its number. */
static const struct texts {
#define TN_ONE(rec, text) char rec##_[sizeof text];
#define TN_MANY(rec, text) char rec##_[sizeof text];
#define TN_FIELD(rec, kind, name, class, weight, text) char rec##_##name[sizeof text];
#define TN_END(rec)
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END
} texts = {
#define TN_ONE(rec, text) text,
#define TN_MANY(rec, text) text,
#define TN_FIELD(rec, kind, name, class, weight, text) text,
#define TN_END(rec)
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END
};

const char *tn_schema_doc(uint32_t doc)
{
    return (const char *)&texts + doc;
}

#define TN_ONE(rec, doc) static const struct tn_field_desc fields_##rec[] = {
#define TN_MANY(rec, doc) static const struct tn_field_desc fields_##rec[] = {
#define TN_FIELD(rec, kind, name, class, weight, doc)                                                                  \
    {#name,                                                                                                            \
     TN_KIND_##kind,                                                                                                   \
     TN_CLASS_##class,                                                                                                 \
     TN_WEIGHT_##weight,                                                                                               \
     offsetof(struct texts, rec##_##name),                                                                             \
     offsetof(struct tn_rec_##rec, name)},
#define TN_END(rec)                                                                                                    \
    }                                                                                                                  \
    ;
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END

const struct tn_rec_desc tn_schema[TN_REC_COUNT] = {
#define TN_ONE(rec, doc)                                                                                               \
    {#rec,                                                                                                             \
     true,                                                                                                             \
     sizeof(struct tn_rec_##rec),                                                                                      \
     offsetof(struct tn_snap, rec##_rows),                                                                             \
     fields_##rec,                                                                                                     \
     (unsigned)TN_LEN(fields_##rec),                                                                                   \
     offsetof(struct texts, rec##_)},
#define TN_MANY(rec, doc)                                                                                              \
    {#rec,                                                                                                             \
     false,                                                                                                            \
     sizeof(struct tn_rec_##rec),                                                                                      \
     offsetof(struct tn_snap, rec),                                                                                    \
     fields_##rec,                                                                                                     \
     (unsigned)TN_LEN(fields_##rec),                                                                                   \
     offsetof(struct texts, rec##_)},
#define TN_FIELD(rec, kind, name, class, weight, doc)
#define TN_END(rec)
#include "snapshot/schema.def"
#undef TN_ONE
#undef TN_MANY
#undef TN_FIELD
#undef TN_END
};

const char *tn_kind_word(enum tn_kind k)
{
    static const char *const words[] = {"text", "integer", "version", "boolean", "list", "path", "paths"};
    return words[k];
}

const char *tn_class_word(enum tn_class c)
{
    static const char *const words[] = {"public", "pseudonym",   "path",        "package",
                                        "url",    "kernel text", "environment", "never"};
    return words[c];
}
