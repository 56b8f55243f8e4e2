/* index.h - the rows of a snapshot as `clean` asks for them, so that many items, environments and files stay quick.
 *
 * Private to this folder. Paths are keys (tn_path_key). */
#ifndef TN_CLEAN_INDEX_H
#define TN_CLEAN_INDEX_H

#include "base/keys.h"
#include "clean/clean.h"

struct tn_clean_index {
    struct tn_keys env;     /* env.id: rows of env */
    struct tn_keys broken;  /* env.id: rows of stock, environments that are broken */
    struct tn_keys stock;   /* env.id: rows of stock */
    struct tn_keys load;    /* file: rows of load, of environments that are not broken */
    struct tn_keys library; /* file: rows of library */
    struct tn_keys owned;   /* env.id, "" outside of one: rows of library that have an owner */
    struct tn_keys mention; /* stock.path: rows of mention */
    struct tn_keys unclear; /* env.id: rows of framework whose loads are not known */
};

void tn_clean_index(struct tn_clean *c);
/* NULL: there is none. */
const struct tn_rec_env *tn_clean_env(const struct tn_clean *c, struct tn_str id);
/* The file that was loaded; NULL: none. */
const char *tn_clean_loaded(const struct tn_rec_load *l);

#endif
