/* requirement.h - one line of Requires-Dist: name, extras, versions, marker.
 *
 * Invariant: a marker that asks for something that is not known is unknown, never false.
 * Sources: PyPA "Dependency specifiers" (PEP 508); where it leaves a corner open, the `packaging` library is followed.
 * Old metadata writes the versions in parentheses: "numpy (<2.0,>=1.14.5)". */
#ifndef TN_VERSION_REQUIREMENT_H
#define TN_VERSION_REQUIREMENT_H

#include "base/err.h"
#include "base/span.h"

#define TN_REQUIREMENT_NAME 128
#define TN_REQUIREMENT_TEXT 512

struct tn_requirement {
    char name[TN_REQUIREMENT_NAME];   /* normalised */
    char extras[TN_REQUIREMENT_TEXT]; /* normalised words with one blank between: "cublas cudart" */
    char spec[TN_REQUIREMENT_TEXT];   /* "" for any version, and for a URL */
    struct tn_span marker;            /* of the text; empty: always */
    bool url;                         /* "name @ address" */
};

/* TN_E_FORMAT when it is none (conda's own requirements are not), TN_E_LIMIT when a part is too long. */
int tn_version_requirement_parse(const char *text, struct tn_requirement *ret, struct tn_err *err);

/* What a marker may ask. NULL: not known. */
struct tn_marker_env {
    const char *python_version, *python_full_version; /* "3.11", "3.11.9" */
    const char *os_name, *sys_platform;               /* "posix", "linux" */
    const char *platform_system, *platform_machine;   /* "Linux", "x86_64" */
    const char *implementation;                       /* "cpython" */
    const char *extra;                                /* "" when none was asked for */
};

enum tn_marker_truth { TN_MARKER_NO, TN_MARKER_YES, TN_MARKER_UNKNOWN };

/* Does the marker hold? UNKNOWN too for a marker that is malformed. */
enum tn_marker_truth tn_version_marker(struct tn_span marker, const struct tn_marker_env *env);
/* Is it one, whatever it asks? */
bool tn_version_marker_ok(struct tn_span marker);

#endif
