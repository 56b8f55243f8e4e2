/* index.h - what a package index has of the frameworks: its pages, and what they exclude. Pure: pages come as bytes.
 *
 * A page is hostile: sizes and numbers are capped, a name that is no wheel of the asked package is passed over.
 * Sources: "Simple repository API" of the PyPA specifications (PEP 503 HTML, PEP 691 JSON, PEP 592 yanked, PEP 658 and
 * 714 metadata files, PEP 700 sizes). */
#ifndef TN_PLAN_INDEX_H
#define TN_PLAN_INDEX_H

#include "base/span.h"
#include "plan/plan.h"

#define TN_INDEX_MAX_PACKAGES 16u
#define TN_INDEX_MAX_FILES 20000u /* of one package; the largest projects have some 5,000 */
#define TN_INDEX_MAX_MISSES 32u

struct tn_index_file {
    const char *file, *url;
    const char *version, *python, *abi, *platform; /* of the wheel's name */
    const char *requires_python;                   /* "" */
    const char *yanked;                            /* the reason, "" without one; NULL: it is not */
    uint64_t size;                                 /* 0: not said */
    bool metadata;                                 /* FILE.metadata is announced */
};

/* A package's files on all asked indexes. absent: none of them knows the name. */
struct tn_index_package {
    const char *name;
    bool absent;
    struct tn_index_file *v;
    size_t n, cap;
    unsigned others; /* files that are no wheels of this package */
};

struct tn_plan_index {
    struct tn_index_package package[TN_INDEX_MAX_PACKAGES];
    unsigned n;
    struct { /* releases that have no file for the chosen Python */
        const char *name, *version, *python;
    } miss[TN_INDEX_MAX_MISSES];
    unsigned n_miss;
};

/* Adds the files of a page: JSON if type says so, else HTML. url: where it came from. TN_E_FORMAT: no such page, or one
 * that ends in the middle; TN_E_LIMIT. */
int tn_index_read(struct tn_arena *mem, struct tn_span page, const char *type, const char *url,
                  struct tn_index_package *ret, struct tn_err *err);
/* A link of a page as a whole URL; "" if it is none over http. */
const char *tn_index_join(struct tn_arena *mem, const char *base, const char *link);

struct tn_index_package *tn_index_find(const struct tn_plan_index *x, const char *name);
/* A file of this release that this machine can take; python "" for any. NULL: none. Not yanked before yanked. */
const struct tn_index_file *tn_index_file_for(const struct tn_index_package *p, const struct tn_plan_machine *m,
                                              const char *version, const char *python);
/* Excludes the builds that the asked indexes do not have. */
void tn_index_exclude(struct tn_arena *mem, const struct tn_plan_index *x, const struct tn_plan_machine *m,
                      struct tn_plan_builds *b);
/* Is this build to be had from the user's index at all? PyTorch's variants have an index of their own. */
bool tn_index_has_kind(const struct tn_plan_machine *m, const struct tn_plan_build *b);
/* What is to be said of a package: yanked releases that would have been taken, a release that the tables do not know.
 */
void tn_index_says(struct tn_arena *mem, const struct tn_plan_index *x, struct tn_plan *p);

#endif
