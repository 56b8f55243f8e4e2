/* wheels.h - which Python, glibc and pip the wheels of a release take, as the package index lists them.
 *
 * Invariant: only final releases of the default index (a version with +local is another index's build: OPEN). Names are
 * compared as PEP 503 says. Knows the packages of table wheels and nothing of others: OPEN, never NO.
 * The installed distribution's own WHEEL file and METADATA beat this. Source: table wheels (tools/mine.py). */
#ifndef TN_FACTS_WHEELS_H
#define TN_FACTS_WHEELS_H

#include "facts/table.h"

struct tn_facts_wheel {
    const char *version;                 /* the row's */
    const char *python_min, *python_max; /* "3.9", "3.12"; max "" where the release states no end; both "" if unknown */
    const char *glibc_min;               /* "2.17"; "" for Windows and pure Python */
    const char *pip_min;                 /* the first pip that knows the wheel's platform tag; "" as above */
    bool yanked;
    uint32_t row;
    struct tn_cite cite;
};

/* arch: "x86_64", "aarch64" as in host.arch. YES: there is a wheel for this platform (or for any), outputs filled.
 * NO: the release is there, but no wheel for this platform (other platforms only, or sources only).
 * NEWER: newer than every release of the package. OPEN: package or release not in the table. BAD: no version, no name.
 */
enum tn_found tn_facts_wheel(const char *package, const char *version, enum tn_platform platform, const char *arch,
                             struct tn_facts_wheel *ret);

/* Does the wheel take this Python ("3.11", "3.11.4")? OPEN where the row does not say; BAD if it is no version. */
enum tn_found tn_facts_wheel_takes_python(const struct tn_facts_wheel *w, const char *python);
/* Does it run on this glibc ("2.17")? OPEN where no glibc is named (Windows, pure Python). */
enum tn_found tn_facts_wheel_takes_glibc(const struct tn_facts_wheel *w, const char *glibc);
/* Does this pip see the wheel at all ("9.0.1")? OPEN where no tag asks for one. */
enum tn_found tn_facts_wheel_takes_pip(const struct tn_facts_wheel *w, const char *pip);

/* The newest release, not yanked, with a wheel for this platform that takes what is given (NULL: whatever). NO if there
 * is none, OPEN if the package is not in the table. */
enum tn_found tn_facts_wheel_newest(const char *package, enum tn_platform platform, const char *arch,
                                    const char *python, const char *glibc, const char *pip, struct tn_facts_wheel *ret);

#endif
