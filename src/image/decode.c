/* decode.c - see decode.h. */
#include "image/decode.h"

#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"

enum { INPUT_PIECE = 64 << 10, XZ_MEMORY = 40 << 20, ZSTD_WINDOW_LOG = 25 };

struct tn_decoder {
    const struct tn_view *v;
    enum tn_codec codec;
    uint64_t off; /* of the next input */
    bool end;
    const unsigned char *in;
    size_t n_in;
    z_stream z;
    lzma_stream x;
    ZSTD_DStream *s;
};

enum tn_codec tn_image_decode_codec(const struct tn_view *v)
{
    struct tn_span s;
    if (v->size < 18 || tn_view_at(v, 0, 6, &s, NULL))
        return TN_CODEC_NONE;
    if (s.p[0] == 0x1F && s.p[1] == 0x8B)
        return TN_CODEC_GZIP;
    if (memcmp(s.p,
               "\xFD"
               "7zXZ\0",
               6) == 0)
        return TN_CODEC_XZ;
    return memcmp(s.p, "\x28\xB5\x2F\xFD", 4) == 0 ? TN_CODEC_ZSTD : TN_CODEC_NONE;
}

int tn_image_decode_open(const struct tn_view *v, enum tn_codec codec, struct tn_decoder **ret, struct tn_err *err)
{
    static const lzma_stream empty = LZMA_STREAM_INIT;
    struct tn_decoder *d = tn_xmalloc(sizeof *d);
    bool ok = false;
    memset(d, 0, sizeof *d);
    d->v = v;
    d->codec = codec;
    d->x = empty;
    switch (codec) {
    case TN_CODEC_GZIP: ok = inflateInit2(&d->z, 15 + 16) == Z_OK; break;
    case TN_CODEC_XZ: ok = lzma_stream_decoder(&d->x, XZ_MEMORY, 0) == LZMA_OK; break;
    case TN_CODEC_ZSTD:
        d->s = ZSTD_createDStream();
        ok = d->s && !ZSTD_isError(ZSTD_DCtx_setParameter(d->s, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG));
        break;
    default: break;
    }
    if (!ok) {
        tn_image_decode_close(d);
        return tn_err_set(err, TN_E_UNSUPPORTED, NULL, "no decoder");
    }
    *ret = d;
    return 0;
}

void tn_image_decode_close(struct tn_decoder *d)
{
    if (d->codec == TN_CODEC_GZIP)
        inflateEnd(&d->z);
    else if (d->codec == TN_CODEC_XZ)
        lzma_end(&d->x);
    else if (d->codec == TN_CODEC_ZSTD)
        ZSTD_freeDStream(d->s);
    free(d);
}

static int feed(struct tn_decoder *d, struct tn_err *err)
{
    struct tn_span s;
    if (d->n_in || d->off >= d->v->size)
        return 0;
    size_t n = d->v->size - d->off < INPUT_PIECE ? (size_t)(d->v->size - d->off) : INPUT_PIECE;
    int r = tn_view_at(d->v, d->off, n, &s, err);
    if (r)
        return r;
    d->off += n;
    d->in = s.p;
    d->n_in = s.n;
    return 0;
}

/* One call of a decoder: what it took is off d->in, *ret_n is what it gave. */
static int step_gzip(struct tn_decoder *d, unsigned char *p, size_t n, size_t *ret_n)
{
    d->z.next_in = (z_const Bytef *)d->in;
    d->z.avail_in = (uInt)d->n_in;
    d->z.next_out = p;
    d->z.avail_out = (uInt)n;
    int r = inflate(&d->z, Z_NO_FLUSH);
    d->in = d->z.next_in;
    d->n_in = d->z.avail_in;
    *ret_n = n - d->z.avail_out;
    d->end = r == Z_STREAM_END;
    return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? 0 : TN_E_FORMAT;
}

static int step_xz(struct tn_decoder *d, unsigned char *p, size_t n, size_t *ret_n)
{
    d->x.next_in = d->in;
    d->x.avail_in = d->n_in;
    d->x.next_out = p;
    d->x.avail_out = n;
    lzma_ret r = lzma_code(&d->x, LZMA_RUN);
    d->in = d->x.next_in;
    d->n_in = d->x.avail_in;
    *ret_n = n - d->x.avail_out;
    d->end = r == LZMA_STREAM_END;
    if (r == LZMA_MEMLIMIT_ERROR)
        return TN_E_LIMIT;
    return r == LZMA_OK || r == LZMA_STREAM_END || r == LZMA_BUF_ERROR ? 0 : TN_E_FORMAT;
}

static int step_zstd(struct tn_decoder *d, unsigned char *p, size_t n, size_t *ret_n)
{
    ZSTD_inBuffer in = {d->in, d->n_in, 0};
    ZSTD_outBuffer out = {p, n, 0};
    size_t r = ZSTD_decompressStream(d->s, &out, &in);
    d->in += in.pos;
    d->n_in -= in.pos;
    *ret_n = out.pos;
    d->end = r == 0;
    return ZSTD_isError(r) ? TN_E_FORMAT : 0;
}

int tn_image_decode_read(struct tn_decoder *d, void *p, size_t n, size_t *ret_n, struct tn_err *err)
{
    size_t done = 0;
    if (n > (1u << 30))
        n = 1u << 30;
    while (done < n && !d->end) {
        size_t got = 0, had;
        int r = feed(d, err);
        if (r)
            return r;
        had = d->n_in;
        unsigned char *to = (unsigned char *)p + done;
        if (d->codec == TN_CODEC_GZIP)
            r = step_gzip(d, to, n - done, &got);
        else if (d->codec == TN_CODEC_XZ)
            r = step_xz(d, to, n - done, &got);
        else
            r = step_zstd(d, to, n - done, &got);
        if (r == 0 && got == 0 && d->n_in == had && !d->end)
            r = TN_E_FORMAT; /* no progress: the stream is cut */
        if (r)
            return tn_err_set(err, r, NULL, r == TN_E_LIMIT ? "needs too much memory to decode" : "damaged stream");
        done += got;
    }
    *ret_n = done;
    return 0;
}
