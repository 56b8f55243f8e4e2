/* index.h - what a package index has of the frameworks: its pages, and what they exclude. Pure: pages come as bytes.
 *
 * A page is hostile: sizes and numbers are capped, a name that is no wheel of the asked package is passed over.
 * Sources: "Simple repository API" of the PyPA specifications (PEP 503 HTML, PEP 691 JSON, PEP 592 yanked, PEP 658 and
 * 714 metadata files, PEP 700 sizes). */
#ifndef TN_PLAN_INDEX_H
#define TN_PLAN_INDEX_H

#include "base/span.h"
#include "plan/plan.h"

struct tn_metadata;
struct tn_plan_steps;

#define TN_INDEX_MAX_PACKAGES 48u
#define TN_INDEX_MAX_FILES 20000u /* of one package; the largest projects have some 5,000 */
#define TN_INDEX_MAX_MISSES 32u

struct tn_index_file {
    const char *file, *url;
    const char *version, *python, *abi, *platform; /* of the wheel's name */
    const char *requires_python;                   /* "" */
    const char *yanked;                            /* the reason, "" without one; NULL: it is not */
    uint64_t size;                                 /* 0: not said */
    bool metadata;                                 /* FILE.metadata is announced */
    const char *metadata_sha256;                   /* of it; "": not said */
    bool meta_asked;
    const struct tn_metadata *meta; /* what it says; NULL: not read */
    const char *not_read;           /* an interface string: why it could not be read; NULL */
    uint64_t meta_bytes;            /* that came for it */
};

/* A package's files on all asked indexes. absent: none of them knows the name. variant: "cu126", of PyTorch's builds
 * that are not those of the package index itself, whose versions end in it; "". */
struct tn_index_package {
    const char *name, *variant;
    bool absent;
    struct tn_index_file *v;
    size_t n, cap;
    unsigned others; /* files that are no wheels of this package */
};

/* Why a release cannot be had from the index after all. */
enum tn_index_miss_why {
    TN_MISS_FILE,   /* it has no file for the chosen Python */
    TN_MISS_PYTHON, /* METADATA asks for another Python: what it asks for */
    TN_MISS_PIN     /* the index lacks what the plan pins beside it: that */
};
struct tn_index_miss {
    const char *name, *version, *variant, *python;
    enum tn_index_miss_why why;
    const char *what;
};

struct tn_plan_index {
    struct tn_index_package package[TN_INDEX_MAX_PACKAGES];
    unsigned n;
    struct tn_index_miss miss[TN_INDEX_MAX_MISSES];
    unsigned n_miss;
};

/* Adds the files of a page: JSON if type says so, else HTML. url: where it came from. TN_E_FORMAT: no such page, or one
 * that ends in the middle; TN_E_LIMIT. */
int tn_index_read(struct tn_arena *mem, struct tn_span page, const char *type, const char *url,
                  struct tn_index_package *ret, struct tn_err *err);
/* A link of a page as a whole URL; "" if it is none over http. */
const char *tn_index_join(struct tn_arena *mem, const char *base, const char *link);

struct tn_index_package *tn_index_find(const struct tn_plan_index *x, const char *name, const char *variant);
/* A file of this release that this machine can take; python "" for any. NULL: none. Not yanked before yanked. */
const struct tn_index_file *tn_index_file_for(const struct tn_index_package *p, const struct tn_plan_machine *m,
                                              const char *version, const char *python);
/* Is there a file for this machine whose version meets the specifier? */
bool tn_index_meets(const struct tn_index_package *p, const struct tn_plan_machine *m, const char *spec,
                    const char *python);
/* The machine that files are for: as it is in the container or WSL that the plan installs in. */
void tn_index_machine(const struct tn_plan *p, struct tn_plan_machine *ret);
/* NULL: it is not missed. x may be NULL. */
const struct tn_index_miss *tn_index_missed(const struct tn_plan_index *x, const struct tn_plan_build *b);
/* index_judge.c: says which file is there for each choice, and what its METADATA has against the plan's own steps and
 * the tables. true: an installer would not do these steps. */
bool tn_index_judge(struct tn_arena *mem, const struct tn_plan_index *x, const struct tn_plan *p,
                    const struct tn_plan_machine *m, const struct tn_plan_steps *steps, struct tn_plan_says *ret);
/* What METADATA of a file pins to one release, for this plan: "nvidia-cudnn-cu12==9.10.2.21". How many. */
unsigned tn_index_pins(struct tn_arena *mem, const struct tn_index_file *f, const struct tn_plan *p,
                       const struct tn_plan_machine *m, const struct tn_plan_steps *steps, const char **ret,
                       unsigned max);
/* Excludes the builds that the asked indexes do not have. */
void tn_index_exclude(struct tn_arena *mem, const struct tn_plan_index *x, const struct tn_plan_machine *m,
                      struct tn_plan_builds *b);
/* Is this build to be had from the user's index at all? PyTorch's variants have an index of their own. */
bool tn_index_has_kind(const struct tn_plan_machine *m, const struct tn_plan_build *b);
/* The first release of each package that was passed over for what it is pinned to, or for what METADATA asks of Python.
 */
void tn_index_say_misses(struct tn_arena *mem, const struct tn_plan_index *x, struct tn_plan_says *ret);
/* What is to be said of a package: yanked releases that would have been taken, a release that the tables do not know.
 */
void tn_index_says(struct tn_arena *mem, const struct tn_plan_index *x, struct tn_plan *p);

#endif
