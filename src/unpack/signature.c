/* signature.c - whether an archive is signed by a key, as minisign(1) signs: Ed25519 over the BLAKE2b-512 digest of the
 * file, and once more over that signature and the trusted comment. By libgcrypt. Sources: minisign's "Signature
 * format"; RFC 8032 (Ed25519); libgcrypt manual, "EdDSA". */
#include <string.h>

#include "unpack/unpack.h"

static bool holds(const unsigned char key[32], const unsigned char sig[64], const void *p, size_t n)
{
    gcry_sexp_t k = NULL, s = NULL, d = NULL;
    bool ok = !gcry_sexp_build(&k, NULL, "(public-key (ecc (curve Ed25519) (flags eddsa) (q %b)))", 32, key) &&
              !gcry_sexp_build(&s, NULL, "(sig-val (eddsa (r %b) (s %b)))", 32, sig, 32, sig + 32) &&
              !gcry_sexp_build(&d, NULL, "(data (flags eddsa) (hash-algo sha512) (value %b))", (int)n, p) &&
              !gcry_pk_verify(s, d, k);
    gcry_sexp_release(k);
    gcry_sexp_release(s);
    gcry_sexp_release(d);
    return ok;
}

bool tn_unpack_is_signed(const struct tn_unpack_signature *x, const void *blake2b)
{
    unsigned char all[64 + TN_UNPACK_COMMENT];
    memcpy(all, x->signature, 64);
    memcpy(all + 64, x->comment, x->n_comment);
    return holds(x->key, x->signature, blake2b, 64) && holds(x->key, x->global, all, 64 + x->n_comment);
}
