/* minisign.h - public keys and signatures as minisign(1) writes them.
 *
 * Whether a signature holds is found out by tenon-unpack, on the bytes that it unpacks. Signatures of the older form
 * (over the file itself, "Ed") are refused. Source: minisign, "Signature format", "Public key format". */
#ifndef TN_PLACE_MINISIGN_H
#define TN_PLACE_MINISIGN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define TN_MINISIGN_COMMENT 1024u

struct tn_minisign {
    unsigned char id[8], key[32], signature[64], global[64];
    const char *comment; /* the trusted one */
    char name[17];       /* the id as people see it */
};

/* The key of a file, or its second line by itself. TN_E_FORMAT. */
int tn_minisign_key(struct tn_span text, struct tn_minisign *ret, struct tn_err *err);
/* TN_E_FORMAT; TN_E_REFUSED: of another key than the one that is in ret. */
int tn_minisign_signature(struct tn_arena *mem, struct tn_span text, struct tn_minisign *ret, struct tn_err *err);
/* The line for tenon-unpack. */
void tn_minisign_request(const struct tn_minisign *x, struct tn_buf *ret);

#endif
