/* ask.h - the short way from a question to a fact, for the probes of this folder.
 *
 * Invariant: the state of an answer passes into the fact unchanged. Knows no subject. */
#ifndef TN_PROBE_ASK_H
#define TN_PROBE_ASK_H

#include "probe/probe.h"

/* The first line of a small file, without blanks at both ends; NULL unless it is there and not empty. */
const char *tn_probe_line(struct tn_probe_ctx *c, const char *path, struct tn_answer *ret);
/* The same as a fact; an empty file gives "absent". */
struct tn_str tn_probe_line_fact(struct tn_probe_ctx *c, const char *path);

/* A variable's value, or NULL. *ret_src: its source, if not NULL. */
const char *tn_probe_env(struct tn_probe_ctx *c, const char *name, uint32_t *ret_src);
struct tn_str tn_probe_env_fact(struct tn_probe_ctx *c, const char *name);
/* os, release, arch ... of world.h */
struct tn_str tn_probe_sys_fact(struct tn_probe_ctx *c, const char *name);
/* A registry value as a fact; reg: the same as text or NULL. */
struct tn_str tn_probe_reg_fact(struct tn_probe_ctx *c, const char *key, const char *value);
const char *tn_probe_reg(struct tn_probe_ctx *c, const char *key, const char *value);

/* The value of "name <blanks> : value" in a text of such lines (/proc/cpuinfo, os-release with '='); empty if none. */
struct tn_span tn_probe_pair(struct tn_span text, const char *name, char sep);

/* Of a file that the kernel writes the lines that are whole: one without its end was cut. */
struct tn_span tn_probe_whole(struct tn_span text);

/* Does this world show a running kernel (its release, or /proc/version), so that what /proc, /sys and /dev lack is
 * really absent? Another root folder does not, unless somebody mounted them there. */
bool tn_probe_running(struct tn_probe_ctx *c);

/* Does the snapshot say that this is Windows; WSL? Known from phase HOST on. */
bool tn_probe_is_windows(const struct tn_probe_ctx *c);
bool tn_probe_is_wsl(const struct tn_probe_ctx *c);

#endif
