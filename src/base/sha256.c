/* sha256.c - see sha256.h. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void block(uint32_t h[8], const unsigned char *p)
{
    uint32_t w[64], v[8];
    for (unsigned i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (unsigned i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, h, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (unsigned i = 0; i < 8; i++)
        h[i] += v[i];
}

void tn_sha256_start(struct tn_sha256 *s)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->h, first, sizeof s->h);
    s->n = 0;
}

void tn_sha256_add(struct tn_sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    while (n) {
        size_t have = (size_t)(s->n % 64), part = 64 - have < n ? 64 - have : n;
        memcpy(s->rest + have, p, part);
        if (have + part == 64)
            block(s->h, s->rest);
        s->n += part;
        p += part;
        n -= part;
    }
}

void tn_sha256_end(struct tn_sha256 *s, unsigned char ret[32])
{
    static const unsigned char pad[64] = {0x80};
    unsigned char length[8];
    uint64_t bits = s->n * 8;
    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    tn_sha256_add(s, pad, 1 + (size_t)((119 - s->n % 64) % 64));
    tn_sha256_add(s, length, 8);
    for (unsigned i = 0; i < 32; i++)
        ret[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void tn_sha256_end_hex(struct tn_sha256 *s, char ret[TN_SHA256_HEX])
{
    unsigned char digest[32];
    tn_sha256_end(s, digest);
    for (unsigned i = 0; i < 32; i++) {
        ret[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        ret[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    ret[64] = 0;
}

void tn_sha256_hex(const void *p, size_t n, char ret[TN_SHA256_HEX])
{
    struct tn_sha256 s;
    tn_sha256_start(&s);
    if (n)
        tn_sha256_add(&s, p, n);
    tn_sha256_end_hex(&s, ret);
}
