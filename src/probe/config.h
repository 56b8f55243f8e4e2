/* config.h - what a value of a setting may show.
 *
 * Private to config*.c. Invariant: no user, password, query or token of a URL leaves here, however the value is cut. */
#ifndef TN_PROBE_CONFIG_H
#define TN_PROBE_CONFIG_H

#include "base/arena.h"

/* Bytes of the first word. A separator inside a password is no end: what follows has an '@' and no scheme before it. */
size_t tn_config_word(const char *s, const char *separators);
/* The words of the value, one blank between them, each without its secrets. */
const char *tn_config_without_secrets(struct tn_arena *mem, const char *value);

#endif
