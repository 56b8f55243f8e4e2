/* packages.h - the public list: names of packages that the GPU stack is made of.
 *
 * Only these become rows of dist, and only these names stay in a shared report (design 6.6); a check that reads
 * another name does not pass the lint. Names are normalised as in PEP 503. */
#ifndef TN_SNAPSHOT_PACKAGES_H
#define TN_SNAPSHOT_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Is this normalised name on the public list? Names of pip and of conda packages. */
bool tn_package_is_public(const char *normalised_name);

/* The frameworks themselves, their companions that carry GPU code, NumPy, and the nvidia-* wheels: what is noted of
 * an environment that is not judged. */
bool tn_package_is_framework(const char *normalised_name);

/* May a record with this raw name ("Torch-2.1.dist-info") be one of those? Looks at two characters: a cheap no. */
bool tn_package_may_be_framework(const char *raw);

/* The name of a public package of which a broken pip removal left "~ensorflow" or "~-nsorflow" behind
 * (pip, _internal/utils/temp_dir.py, AdjacentTempDirectory: "~", then 0 or more filling characters, replace the
 * beginning). leftover is normalised but for that beginning. False when no public name ends like it. */
bool tn_package_restore(const char *leftover, char *buf, size_t n);

#endif
