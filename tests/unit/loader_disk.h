/* loader_disk.h - a machine of a few files, for the unit tests of the loader: what no row names is not there. */
#ifndef TN_TEST_LOADER_DISK_H
#define TN_TEST_LOADER_DISK_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "loader/loader.h"

struct machine {
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_disk rows, disk;
    struct tn_process p;
    struct tn_loader l;
    bool silent; /* what no row names was not looked at */
};

static inline bool m_image(void *ctx, const char *path, struct tn_rec_image *ret)
{
    struct machine *m = ctx;
    if (m->rows.image(m->rows.ctx, path, ret))
        return true;
    memset(ret, 0, sizeof *ret);
    if (!m->silent)
        ret->seen = tn_fact_str(&m->s, 0, "none");
    return !m->silent;
}

static inline enum tn_know m_folder(void *ctx, const char *path)
{
    struct machine *m = ctx;
    enum tn_know k = m->rows.folder(m->rows.ctx, path);
    if (k != TN_UNASKED || m->silent)
        return k;
    for (size_t i = 0; i < m->s.image.n; i++)
        if (tn_path_under(tn_snap_style(&m->s), m->s.image.v[i].path.v, path))
            return TN_KNOWN;
    return TN_ABSENT;
}

static inline enum tn_know m_cached(void *ctx, const char *soname, size_t i, struct tn_rec_cached *ret)
{
    struct machine *m = ctx;
    enum tn_know k = m->rows.cached(m->rows.ctx, soname, i, ret);
    return k == TN_UNASKED && !m->silent ? TN_ABSENT : k;
}

static inline enum tn_know m_forwarded(void *ctx, const char *importer, const char *dll, const char *exporter,
                                       const char *target)
{
    struct machine *m = ctx;
    return m->rows.forwarded(m->rows.ctx, importer, dll, exporter, target);
}

static inline void m_init(struct machine *m)
{
    static const char *const folder[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"},
                             *const hwcaps[] = {"glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"};
    memset(m, 0, sizeof *m);
    tn_snap_init(&m->s);
    tn_arena_init(&m->mem);
    tn_disk_snapshot(&m->rows, &m->s, &m->mem);
    m->disk = (struct tn_disk){m, m_image, m_folder, m_cached, m_forwarded};
    m->p = (struct tn_process){.kind = TN_PROCESS_GLIBC,
                               .version = "2.39",
                               .machine = "x86_64",
                               .bits = 64,
                               .program = "/usr/bin/python3",
                               .lib = "lib/x86_64-linux-gnu",
                               .platform = "haswell",
                               .hwcaps = hwcaps,
                               .n_hwcaps = 2,
                               .defaults = folder,
                               .n_defaults = 4,
                               .library_path = "",
                               .preload = "",
                               .audit = "",
                               .cwd = "/work",
                               .self = "/lib64/ld-linux-x86-64.so.2"};
}

static inline void m_deinit(struct machine *m)
{
    tn_snap_deinit(&m->s);
    tn_arena_deinit(&m->mem);
}

static inline struct tn_list m_list(struct machine *m, const char *text, char sep)
{
    const char *v[64];
    size_t n = 0;
    if (!text)
        return tn_fact_nolist(0, TN_ABSENT);
    for (const char *p = *text ? text : NULL; p;) {
        const char *end = strchr(p, sep);
        v[n++] = tn_arena_strndup(&m->mem, p, end ? (size_t)(end - p) : strlen(p));
        p = end ? end + 1 : NULL;
    }
    return tn_fact_list(&m->s, 0, v, n);
}

/* The last row. */
static inline struct tn_rec_image *m_last(struct machine *m)
{
    return &m->s.image.v[m->s.image.n - 1];
}

/* A library that is as it should be. needed: separated by commas; tags by colons, NULL for none. */
static inline void m_lib(struct machine *m, const char *path, const char *soname, const char *needed, const char *rpath,
                         const char *runpath)
{
    struct tn_rec_image *i = TN_ADD(&m->s, image);
    i->path = i->real = tn_fact_str(&m->s, 0, path);
    i->id = tn_fact_str(&m->s, 0, path);
    i->seen = tn_fact_str(&m->s, 0, "file");
    i->bits = tn_fact_int(0, 64);
    i->machine = tn_fact_str(&m->s, 0, "x86_64");
    i->osabi = tn_fact_int(0, 0);
    i->soname = tn_fact_str(&m->s, 0, soname);
    i->needed = m_list(m, needed ? needed : "", ',');
    i->rpath = m_list(m, rpath, ':');
    i->runpath = m_list(m, runpath, ':');
    i->flags = m_list(m, "", ',');
    i->requires = m_list(m, "", ',');
    i->provides = tn_fact_nolist(0, TN_ABSENT);
    i->damage = tn_fact_nostr(0, TN_ABSENT);
}

static inline void m_program(struct machine *m, const char *needed, const char *rpath, const char *runpath)
{
    m_lib(m, m->p.program, NULL, needed, rpath, runpath);
}

static inline bool m_start(struct machine *m, unsigned flags)
{
    return tn_loader_start(&m->l, &m->p, &m->disk, &m->mem, flags);
}

/* The file that a name asked for by object `caller` comes to; "missing", "stops" or "unknown". */
static inline const char *m_open(struct machine *m, size_t caller, const char *name)
{
    const struct tn_search *s = tn_loader_open(&m->l, caller, name);
    return s->outcome == TN_OUTCOME_FOUND ? m->l.object[s->object].path : tn_outcome_word(s->outcome);
}

static inline size_t m_object(struct machine *m, const char *path)
{
    for (size_t i = 0; i < m->l.n_object; i++)
        if (strcmp(m->l.object[i].path, path) == 0)
            return i;
    return TN_NO_OBJECT;
}

static inline void m_cache(struct machine *m, const char *soname, const char *path, const char *hwcap)
{
    struct tn_rec_cached *c = TN_ADD(&m->s, cached);
    c->soname = tn_fact_str(&m->s, 0, soname);
    c->path = tn_fact_str(&m->s, 0, path);
    c->flags = tn_fact_int(0, 0x303);
    c->hwcap = tn_fact_str(&m->s, 0, hwcap);
    c->legacy = tn_fact_int(0, 0);
}

#endif
