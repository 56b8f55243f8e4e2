/* reference.c - see reference.h. Pure arithmetic; nothing here knows who computed the result. */
#include "measure/reference.h"

#include <float.h>
#include <string.h>

#include "base/str.h"

static const struct {
    const char *word;
    int input_bits;     /* significant bits that an input keeps when it is multiplied; TF32: 11, but cut, not rounded */
    int sum_bits;       /* of the type in which products are summed; tensor cores cut their sums: a bit less (Fasi,
                           Higham, Mikaitis, Pranesh, Numerical behavior of NVIDIA tensor cores, 2021) */
    int stored_bits;    /* of the type of the result */
    unsigned size, out; /* bytes */
} types[TN_PRECISIONS] = {[TN_FP64] = {"fp64", 53, 53, 53, 8, 8}, [TN_FP32] = {"fp32", 24, 24, 24, 4, 4},
                          [TN_TF32] = {"tf32", 10, 23, 24, 4, 4}, [TN_FP16] = {"fp16", 11, 23, 11, 2, 2},
                          [TN_BF16] = {"bf16", 8, 23, 8, 2, 2},   [TN_INT8] = {"int8", 8, 64, 64, 1, 4}};

const char *tn_precision_word(enum tn_precision p)
{
    return types[p].word;
}

enum tn_precision tn_precision_of(const char *word, size_t n)
{
    for (unsigned i = 0; i < TN_PRECISIONS; i++)
        if (strlen(types[i].word) == n && memcmp(types[i].word, word, n) == 0)
            return (enum tn_precision)i;
    return TN_PRECISIONS;
}

size_t tn_ref_size(enum tn_precision p)
{
    return types[p].size;
}

size_t tn_ref_out_size(enum tn_precision p)
{
    return types[p].out;
}

double tn_ref_value(enum tn_precision p, uint32_t seed, uint32_t i)
{
    uint32_t h = i * 2654435761u + seed * 40503u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    double v = ((double)(h >> 8) - 8388608.0) / 8388608.0;
    switch (p) {
    case TN_FP16: return (double)(int)(v * 1024) / 1024;
    case TN_BF16: return (double)(int)(v * 128) / 128;
    case TN_INT8: return (double)(int)(v * 127);
    default: return v;
    }
}

/* FP16 of a multiple of 2^-10 in (-1, 1), which is exact. */
static uint16_t half_of(double v)
{
    uint16_t sign = v < 0 ? 0x8000 : 0;
    unsigned m = (unsigned)((v < 0 ? -v : v) * 1024), e = 15;
    if (m == 0)
        return sign;
    while (m < 1024) {
        m <<= 1;
        e--;
    }
    return (uint16_t)(sign | (e << 10) | (m & 1023));
}

static double half_to(uint16_t b)
{
    int e = b >> 10 & 31;
    double m = b & 1023, v;
    if (e == 31)
        return m != 0 ? (double)__builtin_nanf("") : b & 0x8000 ? -(double)__builtin_inff() : (double)__builtin_inff();
    v = e ? (1024 + m) : 2 * m;
    for (int i = e; i < 25; i++)
        v /= 2;
    for (int i = 25; i < e; i++)
        v *= 2;
    return b & 0x8000 ? -v : v;
}

void tn_ref_fill(enum tn_precision p, uint32_t seed, size_t n, void *ret)
{
    for (size_t i = 0; i < n; i++) {
        double v = tn_ref_value(p, seed, (uint32_t)i);
        float f = (float)v;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        switch (p) {
        case TN_FP64: ((double *)ret)[i] = v; break;
        case TN_FP16: ((uint16_t *)ret)[i] = half_of(v); break;
        case TN_BF16: ((uint16_t *)ret)[i] = (uint16_t)(bits >> 16); break;
        case TN_INT8: ((int8_t *)ret)[i] = (int8_t)v; break;
        default: ((float *)ret)[i] = f;
        }
    }
}

static double result_at(enum tn_precision p, const void *result, size_t i)
{
    const unsigned char *at = (const unsigned char *)result + i * types[p].out;
    uint16_t half;
    uint32_t word;
    int32_t whole;
    float f;
    double d;
    switch (p) {
    case TN_FP64: memcpy(&d, at, sizeof d); return d;
    case TN_FP16: memcpy(&half, at, sizeof half); return half_to(half);
    case TN_INT8: memcpy(&whole, at, sizeof whole); return whole;
    case TN_BF16:
        memcpy(&half, at, sizeof half);
        word = (uint32_t)half << 16;
        memcpy(&f, &word, sizeof f);
        return (double)f;
    default: memcpy(&f, at, sizeof f); return (double)f;
    }
}

static double roundoff(int bits)
{
    double u = 1;
    for (int i = 0; i < bits; i++)
        u /= 2;
    return u;
}

/* Factor of sum |a||b| for k products. Inputs are exact in their type except TF32's, which the card rounds. The value
 * of the exact result is at most that sum, so that storing it costs another roundoff of the stored type. */
double tn_ref_factor(enum tn_precision p, unsigned k)
{
    double u = roundoff(types[p].sum_bits), gamma = k * u / (1 - k * u);
    double in = p == TN_TF32 ? roundoff(types[p].input_bits) : 0;
    double stored = types[p].stored_bits < types[p].sum_bits ? roundoff(types[p].stored_bits) : 0;
    return (1 + in) * (1 + in) * (1 + gamma) * (1 + stored) - 1;
}

void tn_ref_judge(struct tn_ref_verdict *v, double got, long double want, double bound, size_t i)
{
    long double error = (long double)got - want;
    double ratio = (double)((error < 0 ? -error : error) / (long double)(bound > 0 ? bound : DBL_MIN));
    if (!(ratio <= DBL_MAX)) /* NaN, too */
        ratio = (double)__builtin_inff();
    double off = (double)(error < 0 ? -error : error);
    if (off > v->off || !(off <= DBL_MAX))
        v->off = off;
    if (ratio > v->worst)
        v->worst = ratio;
    if (bound > v->bound)
        v->bound = bound;
    if (!(ratio <= 1)) {
        if (v->wrong++ == 0)
            v->first = i;
        v->right = false;
    }
}

struct dot {
    long double sum, size;
};

static void add(struct dot *d, double a, double b)
{
    long double p = (long double)a * (long double)b;
    d->sum += p;
    d->size += p < 0 ? -p : p;
}

void tn_ref_check_matmul(const struct tn_ref_matmul *r, enum tn_precision p, const void *result,
                         struct tn_ref_verdict *ret)
{
    double f = tn_ref_factor(p, r->k);
    *ret = (struct tn_ref_verdict){.right = true};
    for (unsigned i = 0; i < r->m; i++)
        for (unsigned j = 0; j < r->n; j++) {
            struct dot d = {0, 0};
            size_t at = (size_t)i * r->n + j;
            for (unsigned l = 0; l < r->k; l++)
                add(&d, tn_ref_value(p, r->seed, i * r->k + l), tn_ref_value(p, r->seed + 1, l * r->n + j));
            tn_ref_judge(ret, result_at(p, result, at), d.sum, f * (double)d.size, at);
        }
}

/* One output element: place (row, column) of filter o. */
static struct dot conv_at(const struct tn_ref_conv *r, enum tn_precision p, unsigned row, unsigned column, unsigned o)
{
    struct dot d = {0, 0};
    for (unsigned y = 0; y < r->h; y++)
        for (unsigned x = 0; x < r->w; x++) {
            unsigned iy = row + y - (r->h - 1) / 2, ix = column + x - (r->w - 1) / 2; /* above the size: a zero */
            for (unsigned c = 0; iy < r->rows && ix < r->columns && c < r->in; c++) {
                uint32_t image =
                    r->channels_first ? (c * r->rows + iy) * r->columns + ix : (iy * r->columns + ix) * r->in + c;
                uint32_t filter = r->channels_first ? ((o * r->in + c) * r->h + y) * r->w + x
                                                    : ((y * r->w + x) * r->in + c) * r->out + o;
                add(&d, tn_ref_value(p, r->seed, image), tn_ref_value(p, r->seed + 1, filter));
            }
        }
    return d;
}

void tn_ref_check_conv(const struct tn_ref_conv *r, enum tn_precision p, const void *result, struct tn_ref_verdict *ret)
{
    /* The largest sum |a||b| that any element can have: all products are at most 1 in size. */
    double f = tn_ref_factor(p, r->h * r->w * r->in), largest = 0;
    *ret = (struct tn_ref_verdict){.right = true};
    for (int pass = 0; pass < 2; pass++)
        for (unsigned row = 0; row < r->rows; row++)
            for (unsigned column = 0; column < r->columns; column++)
                for (unsigned o = 0; o < r->out; o++) {
                    struct dot d = conv_at(r, p, row, column, o);
                    size_t at = r->channels_first ? ((size_t)o * r->rows + row) * r->columns + column
                                                  : ((size_t)row * r->columns + column) * r->out + o;
                    if (pass == 0)
                        largest = (double)d.size > largest ? (double)d.size : largest;
                    else
                        tn_ref_judge(ret, result_at(p, result, at), d.sum,
                                     r->direct ? f * (double)d.size : f * largest * TN_REF_TRANSFORMED, at);
                }
}

/* cos and sin of 2 pi k / n by Taylor's series within an eighth of the circle, where 24 terms are beyond the last bit.
 */
void tn_ref_wave(unsigned k, unsigned n, long double *cosine, long double *sine)
{
    uint64_t quarters = (4 * (uint64_t)(k % n) + n / 2) / n; /* the nearest; what is left is at most half of one */
    int64_t left = (int64_t)(4 * (uint64_t)(k % n)) - (int64_t)(quarters * n);
    long double x = 1.57079632679489661923132169163975144L * (long double)left / n, term = 1, c = 0, s = 0;
    for (int i = 0; i < 24; i++) {
        if (i % 2 == 0)
            c += i % 4 ? -term : term;
        else
            s += i % 4 == 1 ? term : -term;
        term *= x / (i + 1);
    }
    *cosine = quarters % 4 == 0 ? c : quarters % 4 == 1 ? -s : quarters % 4 == 2 ? -c : s;
    *sine = quarters % 4 == 0 ? s : quarters % 4 == 1 ? c : quarters % 4 == 2 ? -s : -c;
}

/* Newton's steps come down from above the root and end where they no longer fall. */
double tn_ref_root(double x)
{
    double r = x > 1 ? x : 1;
    if (!(x > 0))
        return 0;
    for (;;) {
        double next = (r + x / r) / 2;
        if (!(next < r))
            return r;
        r = next;
    }
}
