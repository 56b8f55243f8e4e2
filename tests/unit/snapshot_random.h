/* snapshot_random.h - snapshots of every shape, from a seed: for round trips, comparison and redaction. */
#ifndef TESTS_SNAPSHOT_RANDOM_H
#define TESTS_SNAPSHOT_RANDOM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "snapshot/snapshot.h"

static uint64_t random_state = 88172645463325252u;

/* TENON_TEST_SEED moves all seeds, so that each run can meet others. */
static inline void random_seed(uint64_t seed)
{
    const char *v = getenv("TENON_TEST_SEED");
    seed += v ? (uint64_t)strtoull(v, NULL, 10) * 1000003u : 0;
    random_state = seed * 2862933555777941757u + 3037000493u;
    if (!random_state)
        random_state = 1;
}

static inline unsigned random_below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 20) % n);
}

/* Counts of tests that check-long raises: TENON_TEST_COUNT, else the small number. */
static inline unsigned random_count(unsigned small)
{
    const char *v = getenv("TENON_TEST_COUNT");
    return v && atoi(v) > 0 ? (unsigned)atoi(v) : small;
}

static inline const char *random_text(struct tn_snap *s, enum tn_kind kind)
{
    static const char *const texts[] = {"nvidia",
                                        "NVIDIA GeForce RTX 3090",
                                        "",
                                        "line\nbreak\ttab",
                                        "\x1b[31mred\x1b[0m",
                                        "\"quoted\" \\ back",
                                        "caf\xC3\xA9",
                                        "\xE5\xAE\xB6\xE7\x9B\xAE",
                                        "not\xFFutf8\xC0",
                                        "\xED\xA0\x80 lone surrogate",
                                        "\xE2\x80\xAEright to left",
                                        "\xC2\x9B[31m C1",
                                        "\x7F",
                                        "\xF0\x9F\x92\xA9"};
    static const char *const paths[] = {"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
                                        "/home/ann/venv/lib/python3.10/site-packages/nvidia/cudnn/lib/libcudnn.so.8",
                                        "/opt/conda/envs/tf/lib/libcudart.so.11.0",
                                        "C:\\Users\\ann\\x",
                                        "/mnt/\xB0\xA1/x",
                                        "relative/path",
                                        "/"};
    if (kind == TN_KIND_VER)
        return tn_arena_printf(&s->mem, "%u.%u.%u", random_below(600), random_below(20), random_below(200));
    if (kind == TN_KIND_PATH || kind == TN_KIND_PATHS)
        return paths[random_below(TN_LEN(paths))];
    return texts[random_below(TN_LEN(texts))];
}

static inline uint32_t random_src(struct tn_snap *s, enum tn_know k)
{
    static const char *const asked[] = {"read /proc/version", "list /sys/bus/pci/devices", "described", "table gpus",
                                        "read /home/ann/\xFF"};
    switch (random_below(4)) {
    case 0: return 0;
    case 1: return tn_snap_src(s, (enum tn_know)random_below(5), NULL, "%s", asked[random_below(5)]);
    case 2: return tn_snap_src(s, TN_DENIED, "Permission denied", "%s", asked[random_below(5)]);
    default: return tn_snap_src(s, k, NULL, "%s %u", asked[random_below(5)], random_below(9));
    }
}

static inline void random_fact(struct tn_snap *s, void *row, const struct tn_field_desc *f)
{
    enum tn_know k = (enum tn_know)random_below(5);
    uint32_t src = random_src(s, k);
    void *p = (char *)row + f->offset;
    if (f->kind == TN_KIND_INT || f->kind == TN_KIND_BOOL) {
        int64_t v = f->kind == TN_KIND_BOOL ? (int64_t)random_below(2) : (int64_t)random_below(1000000000) * 1000 - 5;
        *(struct tn_int *)p = k == TN_KNOWN ? tn_fact_int(src, v) : tn_fact_noint(src, k);
    } else if (f->kind == TN_KIND_LIST || f->kind == TN_KIND_PATHS) {
        const char *v[4];
        size_t n = random_below(5);
        for (size_t i = 0; i < n; i++)
            v[i] = random_text(s, f->kind);
        *(struct tn_list *)p = k == TN_KNOWN ? tn_fact_list(s, src, v, n) : tn_fact_nolist(src, k);
    } else {
        *(struct tn_str *)p = k == TN_KNOWN ? tn_fact_str(s, src, random_text(s, f->kind)) : tn_fact_nostr(src, k);
    }
}

/* Every field of every record in a random state. */
static inline void random_snap(struct tn_snap *s)
{
    tn_snap_init(s);
    s->redacted = random_below(2);
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        const struct tn_rec_desc *d = &tn_schema[rec];
        struct tn_rows *r = tn_snap_rows(s, rec);
        unsigned rows = d->one ? 0 : random_below(4);
        if (!d->one) {
            r->listed = (enum tn_know)random_below(5);
            r->src = random_src(s, r->listed);
        }
        for (unsigned i = 0; i < rows; i++)
            tn_snap_add(s, (enum tn_rec_id)rec);
        for (size_t i = 0; i < r->n; i++)
            for (unsigned k = 0; k < d->n_field; k++)
                random_fact(s, tn_snap_row(s, rec, i), &d->field[k]);
    }
}

#endif
