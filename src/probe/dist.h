/* dist.h - reading the records of single distributions. Private to dist*.c. */
#ifndef TN_PROBE_DIST_H
#define TN_PROBE_DIST_H

#include "probe/env.h"

/* dist_meta.c: fills row `row` of dist from METADATA or PKG-INFO, WHEEL and INSTALLER. False: the record is not whole.
 */
bool tn_pydist_read(struct tn_py *p, const struct tn_pyentry *d, const char *path, size_t row);
/* dist_files.c: compares a sample of RECORD with what is there, and writes damage. Only what pip and its like
 * installed: other installers change files behind the record. */
void tn_pydist_files(struct tn_py *p, const struct tn_pysite *site, const char *path, size_t row);
/* Sets damage and the file that shows it, unless something graver is known. */
void tn_pydist_damage(struct tn_py *p, size_t row, const char *word, const char *path, uint32_t src);
/* Reads direct_url.json: where it came from, if not from an index. */
void tn_pydist_origin(struct tn_py *p, const char *path, size_t row);
/* dist_conda.c: the same from a conda-meta file. */
void tn_pydist_read_conda(struct tn_py *p, const char *path, size_t row);
/* Does this requirement ("nvidia-cudnn-cu12==9.1.0.70; extra ..", "cudatoolkit >=11.2", "__cuda") name a package of
 * the public list, or a virtual package of conda? */
bool tn_pydist_requires_public(const char *requirement);

#endif
