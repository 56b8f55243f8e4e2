/* wanted.h - which file names somebody means who asks for a library by name.
 *
 * Invariant: a name alone decides; it is asked of every entry of every disk, so most names are refused at the first
 * letters. Knows no folder. */
#ifndef TN_VERSION_WANTED_H
#define TN_VERSION_WANTED_H

#include "base/err.h"
#include "version/soname.h"

enum tn_wanted_kind {
    TN_WANTED_GLOB, /* * and ?, of the whole name */
    TN_WANTED_LIB,  /* libcudnn.so.8, and so libcudnn.so.8.9.7 and the renamed copies of wheels */
    TN_WANTED_STEM  /* cudnn, libcudnn: any version; or a file of just that name (ptxas, libdevice.10.bc) */
};

struct tn_wanted {
    enum tn_wanted_kind kind;
    bool fold; /* Windows: upper and lower case are one */
    const char *text;
    struct tn_soname cut;
    size_t head; /* so many first letters of stem (of text, of a glob) must be there */
    bool bare;   /* a stem without "lib": names with it count too */
};

/* text must outlive ret. TN_E_USAGE: empty, a path, or longer than a name can be. */
int tn_version_wanted_init(struct tn_wanted *ret, const char *text, bool fold, struct tn_err *err);
/* Is it one of those? ctx: a struct tn_wanted. */
bool tn_version_wanted(const void *ctx, const char *name);

#endif
