/* path.h - paths as algebra: no file system is asked.
 *
 * A path belongs to the machine that it describes, not to the one tenon runs on, so the style is an
 * argument. Paths are bytes (POSIX) or WTF-8 (Windows); a NUL never occurs inside. */
#ifndef TN_BASE_PATH_H
#define TN_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum tn_path_style { TN_PATH_POSIX, TN_PATH_WINDOWS };

bool tn_path_is_sep(enum tn_path_style s, char c);
bool tn_path_is_abs(enum tn_path_style s, const char *path);
/* a/b with one separator; b alone when it is absolute. */
char *tn_path_join(struct tn_arena *mem, enum tn_path_style s, const char *a, const char *b);
char *tn_path_join3(struct tn_arena *mem, enum tn_path_style s, const char *a, const char *b, const char *c);
/* The last component; a pointer into path. */
const char *tn_path_base(enum tn_path_style s, const char *path);
/* All but the last component: "/" for "/x", "." for "x". */
char *tn_path_dir(struct tn_arena *mem, enum tn_path_style s, const char *path);
/* Without doubled separators, "." and, where the component before is a plain name, ".."; the loader's and the
 * shell's view, not the kernel's: resolve links first where they may matter. */
char *tn_path_norm(struct tn_arena *mem, enum tn_path_style s, const char *path);
/* Equal for two spellings of one name: separators as '/', none doubled or trailing; Windows: ASCII lower case. */
char *tn_path_key(struct tn_arena *mem, enum tn_path_style s, const char *path);
bool tn_path_same(enum tn_path_style s, const char *a, const char *b);
/* Is path dir itself or below it? */
bool tn_path_under(enum tn_path_style s, const char *path, const char *dir);

#endif
