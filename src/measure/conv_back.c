/* conv_back.c - see conv_back.h. Pure arithmetic. FP32 results alone are read, as cuDNN is asked for. */
#include "measure/conv_back.h"

struct place {
    const struct tn_ref_conv *r;
    enum tn_precision p;
    long double sum, size;
};

/* One product: the element of the result at (row, column) of filter o by what `other` is there. */
static void add(struct place *s, double gradient, double other)
{
    long double p = (long double)gradient * (long double)other;
    s->sum += p;
    s->size += p < 0 ? -p : p;
}

static double gradient(const struct place *s, unsigned o, unsigned row, unsigned column)
{
    return tn_ref_value(s->p, s->r->seed + 2, (o * s->r->rows + row) * s->r->columns + column);
}

static double image(const struct place *s, unsigned c, unsigned row, unsigned column)
{
    return tn_ref_value(s->p, s->r->seed, (c * s->r->rows + row) * s->r->columns + column);
}

static double filter(const struct place *s, unsigned o, unsigned c, unsigned y, unsigned x)
{
    return tn_ref_value(s->p, s->r->seed + 1, ((o * s->r->in + c) * s->r->h + y) * s->r->w + x);
}

/* The image's element (row, column) went into results (row - y + border, column - x + border). */
static void of_image(struct place *s, unsigned c, unsigned row, unsigned column)
{
    const struct tn_ref_conv *r = s->r;
    for (unsigned o = 0; o < r->out; o++)
        for (unsigned y = 0; y < r->h; y++)
            for (unsigned x = 0; x < r->w; x++) {
                unsigned oy = row + (r->h - 1) / 2 - y, ox = column + (r->w - 1) / 2 - x; /* below 0: above the size */
                if (oy < r->rows && ox < r->columns)
                    add(s, gradient(s, o, oy, ox), filter(s, o, c, y, x));
            }
}

static void of_filter(struct place *s, unsigned o, unsigned c, unsigned y, unsigned x)
{
    const struct tn_ref_conv *r = s->r;
    for (unsigned row = 0; row < r->rows; row++)
        for (unsigned column = 0; column < r->columns; column++) {
            unsigned iy = row + y - (r->h - 1) / 2, ix = column + x - (r->w - 1) / 2;
            if (iy < r->rows && ix < r->columns)
                add(s, gradient(s, o, row, column), image(s, c, iy, ix));
        }
}

void tn_ref_check_conv_image(const struct tn_ref_conv *r, enum tn_precision p, const void *result,
                             struct tn_ref_verdict *ret)
{
    double f = tn_ref_factor(p, r->h * r->w * r->out);
    size_t at = 0;
    *ret = (struct tn_ref_verdict){.right = true};
    for (unsigned c = 0; c < r->in; c++)
        for (unsigned row = 0; row < r->rows; row++)
            for (unsigned column = 0; column < r->columns; column++, at++) {
                struct place s = {r, p, 0, 0};
                of_image(&s, c, row, column);
                tn_ref_judge(ret, (double)((const float *)result)[at], s.sum, f * (double)s.size, at);
            }
}

void tn_ref_check_conv_filter(const struct tn_ref_conv *r, enum tn_precision p, const void *result,
                              struct tn_ref_verdict *ret)
{
    double f = tn_ref_factor(p, r->rows * r->columns);
    size_t at = 0;
    *ret = (struct tn_ref_verdict){.right = true};
    for (unsigned o = 0; o < r->out; o++)
        for (unsigned c = 0; c < r->in; c++)
            for (unsigned y = 0; y < r->h; y++)
                for (unsigned x = 0; x < r->w; x++, at++) {
                    struct place s = {r, p, 0, 0};
                    of_filter(&s, o, c, y, x);
                    tn_ref_judge(ret, (double)((const float *)result)[at], s.sum, f * (double)s.size, at);
                }
}
