/* conf.h - settings out of small configuration files: INI as Python's configparser reads it, and the parts of TOML and
 * YAML that installers' files use.
 *
 * Every item of a list is one setting. What is outside the subset is passed over, and the first such line is named:
 * nothing is guessed. Input is hostile: length, number and depth are bounded. */
#ifndef TN_BASE_CONF_H
#define TN_BASE_CONF_H

#include "base/arena.h"
#include "base/span.h"

struct tn_conf_item {
    const char *section; /* "" at the top; tables of TOML with dots: "tool.uv.index" */
    const char *key;     /* maps inside a value with dots: "custom_channels.pytorch" */
    const char *value;   /* without quotes */
    unsigned line;       /* from 1 */
};

struct tn_conf {
    struct tn_conf_item *v; /* in the order of the file */
    size_t n, cap;
    unsigned odd; /* first line that was not understood; 0: none */
};

/* Names in lower case; a deeper indented line goes on with the value above it, joined by a line feed. */
void tn_conf_ini(struct tn_span text, struct tn_arena *mem, struct tn_conf *ret);
void tn_conf_toml(struct tn_span text, struct tn_arena *mem, struct tn_conf *ret);
void tn_conf_yaml(struct tn_span text, struct tn_arena *mem, struct tn_conf *ret);

/* For the files conf_*.c. */
void tn_conf_start(struct tn_conf *c);
void tn_conf_odd(struct tn_conf *c, unsigned line);
void tn_conf_add(struct tn_conf *c, struct tn_arena *mem, const char *section, const char *key, const char *value,
                 unsigned line);

#endif
