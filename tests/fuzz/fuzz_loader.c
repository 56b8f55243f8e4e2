/* fuzz_loader.c - the simulated loader over hostile rows: it ends, within its limits, says the same when asked again,
 * and never finds what nobody looked at.
 *
 * Input: bytes that pick from short tables (names, folders, words), so that most inputs make libraries that meet; a
 * text at the end serves as run path. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "loader/loader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
    "liba.so.1", "libb.so.1", "libc.so.6",     "$ORIGIN/liba.so.1", "", "/d/liba.so.1", "../liba.so.1", "libd.so",
    "/",         "$",         "${ORIGIN}/x:y", "libpthread.so.0"};
static const char *const folders[] = {"/d",       "$ORIGIN",    "/d/e", "",  "${ORIGIN}/../e", "/$LIB",
                                      "$ORIGIN/", "/$PLATFORM", "/",    ".", "//d//",          "$NOBODY"};
static const char *const words[] = {"file",   "file",   "file", "file", "none",
                                    "denied", "folder", "loop", "long", "other"};
static const char *const damages[] = {NULL, NULL, NULL, NULL, "short", "not-elf", "type", "cut", "encoding", ""};
static const char *const flags[] = {"exec", "pie", "nodeflib", "noopen", "exec-stack", "no-dynamic", "", "x"};

struct in {
    const uint8_t *p;
    size_t n;
};

static unsigned next(struct in *i, unsigned below)
{
    if (!i->n)
        return 0;
    i->n--;
    return *i->p++ % below;
}

#define PICK(i, table) (table)[next(i, (unsigned)(sizeof(table) / sizeof *(table)))]

static struct tn_list list(struct tn_snap *s, struct in *i, const char *const *table, unsigned n, const char *more)
{
    const char *v[17];
    unsigned k = 0, want = next(i, 10);
    if (want == 9)
        return tn_fact_nolist(0, (enum tn_know)next(i, 5));
    while (k < want)
        v[k++] = table[next(i, n)];
    if (more)
        v[k++] = more;
    return tn_fact_list(s, 0, v, k);
}

#define LIST(s, i, table, more) list(s, i, table, (unsigned)(sizeof(table) / sizeof *(table)), more)

static const char *place(struct tn_snap *s, struct in *i)
{
    static const char *const dir[] = {"/d", "/d/e", "/", "/d/glibc-hwcaps/x86-64-v2", "/lib", ".", "/d/../d"};
    const char *d = PICK(i, dir);
    return tn_arena_printf(&s->mem, "%s/%s", d, PICK(i, names));
}

static void row(struct tn_snap *s, struct in *i, const char *text)
{
    static const char *const needs[] = {"liba.so.1:A_1", "libb.so.1:B_1?", "x", ":", "liba.so.1:"};
    static const char *const has[] = {"A_1", "B_1", ""};
    struct tn_rec_image *r = TN_ADD(s, image);
    r->path = tn_fact_str(s, 0, place(s, i));
    r->seen = tn_fact_str(s, 0, PICK(i, words));
    r->damage = tn_fact_str(s, 0, PICK(i, damages));
    r->bits = tn_fact_int(0, next(i, 8) ? 64 : 32);
    r->osabi = tn_fact_int(0, next(i, 8) ? 0 : 3 + 256 * next(i, 9));
    r->machine = tn_fact_str(s, 0, next(i, 8) ? "x86_64" : "aarch64");
    r->soname = tn_fact_str(s, 0, next(i, 3) ? PICK(i, names) : NULL);
    r->id = next(i, 4) ? tn_fact_str(s, 0, PICK(i, names)) : tn_fact_nostr(0, TN_UNASKED);
    r->real = next(i, 4) ? tn_fact_str(s, 0, place(s, i)) : tn_fact_nostr(0, TN_ABSENT);
    r->needed = LIST(s, i, names, NULL);
    r->rpath = LIST(s, i, folders, next(i, 3) ? NULL : text);
    r->runpath = LIST(s, i, folders, next(i, 3) ? NULL : text);
    r->flags = LIST(s, i, flags, NULL);
    r->requires = LIST(s, i, needs, NULL);
    r->provides = LIST(s, i, has, NULL);
}

static void other_rows(struct tn_snap *s, struct in *i)
{
    static const char *const top[] = {"glibc-hwcaps", "tls", "x"};
    for (unsigned n = next(i, 5); n; n--) {
        struct tn_rec_dir *d = TN_ADD(s, dir);
        d->path = tn_fact_str(s, 0, PICK(i, folders));
        d->exists = next(i, 4) ? tn_fact_int(0, next(i, 3) != 0) : tn_fact_noint(0, (enum tn_know)next(i, 5));
        d->hardware = LIST(s, i, top, NULL);
    }
    for (unsigned n = next(i, 5); n; n--) {
        struct tn_rec_cached *c = TN_ADD(s, cached);
        c->soname = tn_fact_str(s, 0, PICK(i, names));
        c->path = next(i, 4) ? tn_fact_str(s, 0, place(s, i)) : tn_fact_nostr(0, (enum tn_know)next(i, 5));
        c->flags = tn_fact_int(0, next(i, 6) ? 0x303 : 3);
        c->hwcap = tn_fact_str(s, 0, next(i, 3) ? NULL : "x86-64-v2");
        c->legacy = tn_fact_int(0, next(i, 4) ? 0 : (int64_t)1 << next(i, 63));
    }
}

/* A number that says what the loader did. */
static uint64_t run(struct tn_snap *s, struct in i)
{
    static const char *const hwcaps[] = {"glibc-hwcaps/x86-64-v2", "tls/x86_64", "tls"}, *const defaults[] = {"/lib",
                                                                                                              "/d"};
    struct tn_arena mem;
    struct tn_disk disk;
    struct tn_loader l;
    tn_arena_init(&mem);
    tn_disk_snapshot(&disk, s, &mem);
    struct tn_process p = {.kind = next(&i, 4) ? TN_PROCESS_GLIBC : TN_PROCESS_MUSL,
                           .version = next(&i, 2) ? "2.36" : "2.41",
                           .machine = "x86_64",
                           .bits = 64,
                           .program = next(&i, 3) ? s->image.n ? s->image.v[0].path.v : "/d/x" : NULL,
                           .lib = "lib",
                           .platform = next(&i, 2) ? "haswell" : NULL,
                           .hwcaps = hwcaps,
                           .n_hwcaps = next(&i, 4),
                           .defaults = defaults,
                           .n_defaults = next(&i, 3),
                           .library_path = next(&i, 4) ? PICK(&i, folders) : NULL,
                           .preload = next(&i, 4) ? "" : PICK(&i, names),
                           .cwd = next(&i, 2) ? "/d" : NULL,
                           .secure = !next(&i, 8),
                           .foreign = !next(&i, 8),
                           .self = next(&i, 2) ? "/lib/libc.so.6" : NULL};
    uint64_t sum = tn_loader_start(&l, &p, &disk, &mem, next(&i, 4));
    for (unsigned n = next(&i, 12); n; n--) {
        size_t caller = next(&i, 6);
        const struct tn_search *f =
            next(&i, 5) ? tn_loader_open(&l, caller, PICK(&i, names)) : tn_loader_probe(&l, caller, PICK(&i, names));
        if (f->outcome == TN_OUTCOME_FOUND && f->object != TN_NO_OBJECT && f->object >= l.n_object)
            abort();
        sum = sum * 31 + (uint64_t)f->outcome;
    }
    if (l.n_object > TN_MAX_LOADER_OBJECTS || l.n_search > TN_MAX_LOADER_SEARCHES)
        abort();
    for (size_t n = 0; n < l.n_search; n++) {
        const struct tn_search *f = &l.search[n];
        for (size_t k = 0; k < f->n_step; k++)
            if (f->outcome == TN_OUTCOME_MISSING && f->step[k].end == TN_STEP_UNKNOWN)
                abort();
        sum = sum * 31 + f->n_step + f->n_shadowed + (f->object == TN_NO_OBJECT ? 7 : f->object);
    }
    sum = sum * 31 + l.n_object + l.n_lack;
    tn_arena_deinit(&mem);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_snap s;
    struct in i = {data, size};
    if (size > 4096)
        return 0;
    tn_snap_init(&s);
    const char *text = size > 40 ? tn_arena_strndup(&s.mem, (const char *)data + size - 20, 20) : "/d";
    for (unsigned n = next(&i, 24); n; n--)
        row(&s, &i, text);
    other_rows(&s, &i);
    if (run(&s, i) != run(&s, i))
        abort();
    tn_snap_deinit(&s);
    return 0;
}
