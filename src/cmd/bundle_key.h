/* bundle_key.h - `apply --bundle FILE --key KEY`: the key, and the signature that lies beside the bundle. */
#ifndef TN_CMD_BUNDLE_KEY_H
#define TN_CMD_BUNDLE_KEY_H

#include "cmd/cmd.h"
#include "place/minisign.h"

/* KEY is minisign's public key, or the file that holds it; the signature is FILE.minisig. TN_E_REFUSED: there is none,
 * or it is another key's. Whether it holds tenon-unpack finds out. */
int tn_bundle_key(struct tn_cmd_ctx *c, const char *bundle, const struct tn_minisign **ret, struct tn_err *err);

#endif
