/* sha256.h - digests of bytes, as package indexes and RECORD files give them. Source: FIPS 180-4, sections 5 and 6.2.
 */
#ifndef TN_BASE_SHA256_H
#define TN_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define TN_SHA256_HEX 65u

struct tn_sha256 {
    uint32_t h[8];
    uint64_t n; /* bytes so far */
    unsigned char rest[64];
};

void tn_sha256_start(struct tn_sha256 *s);
void tn_sha256_add(struct tn_sha256 *s, const void *p, size_t n);
void tn_sha256_end(struct tn_sha256 *s, unsigned char ret[32]);
/* The same in lower case, NUL-ended. */
void tn_sha256_end_hex(struct tn_sha256 *s, char ret[TN_SHA256_HEX]);
/* Of these bytes, which are no digest yet. */
void tn_sha256_hex(const void *p, size_t n, char ret[TN_SHA256_HEX]);

#endif
