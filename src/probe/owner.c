/* owner.c - which package installed a module, a toolkit, a library.
 *
 * Invariant: the package database of the distribution is read, never asked: dpkg's file lists of packages with a
 * vendor's name, pacman's likewise, rpm's headers (owner_rpm.c). For a plain verdict it is left alone, unless the
 * driver's own files contradict each other (owner_driver.c). "absent" means that none of those packages lists the
 * file. The packages themselves and their states become rows, and all that are installed are counted. Runs after the
 * probe of libraries.
 * Sources: dpkg(1) for /var/lib/dpkg/info/PACKAGE[:ARCH].list and /var/lib/dpkg/status; pacman's local database.
 * dpkg-divert(1) for /var/lib/dpkg/diversions. Links of update-alternatives need nothing: paths have
 * no links in them. Libraries of environments: owner_env.c. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/module.h"
#include "probe/owner.h"

#define INFO "/var/lib/dpkg/info"
#define STATUS "/var/lib/dpkg/status"
#define DIVERSIONS "/var/lib/dpkg/diversions"
#define UPDATES "/var/lib/dpkg/updates"
#define MAX_UPDATES 1000u /* dpkg writes the status anew after 250 */
#define PACMAN "/var/lib/pacman/local"
#define MAX_LISTS 400u
#define MAX_ALL_LISTS 20000u
#define PIECE (64u << 10) /* of status; a paragraph has a few kilobytes */

/* Three lines a diversion: the path that packages list, the path that holds their file instead, the package that
 * diverts and whose own file is in place; ":" when an administrator did. */
static void want_diverted(struct tn_owners *o, size_t row)
{
    struct tn_span rest = o->diversions, from, to, by;
    while (tn_span_line(&rest, &from) && tn_span_line(&rest, &to) && tn_span_line(&rest, &by)) {
        struct tn_arena *mem = o->c->tmp;
        const char *path = o->v[row].path, *who = tn_arena_strndup(mem, (const char *)by.p, by.n);
        bool is_from = strlen(path) == from.n && memcmp(path, from.p, from.n) == 0;
        bool is_to = strlen(path) == to.n && memcmp(path, to.p, to.n) == 0;
        if (is_from)
            o->v[row].only = who;
        else if (is_to) {
            struct tn_owner_wanted w = {
                tn_arena_strndup(mem, (const char *)from.p, from.n), o->v[row].slot, NULL, 0, NULL, who};
            o->v = tn_arena_grow(mem, o->v, o->n, &o->cap, sizeof *o->v);
            o->v[o->n++] = w;
        }
    }
}

/* "name version": is it that package? */
static bool is_package(const char *package, const char *name)
{
    size_t n = strlen(name);
    return strncmp(package, name, n) == 0 && (package[n] == ' ' || package[n] == '\0');
}

static void want(struct tn_owners *o, const char *path, struct tn_str *slot)
{
    for (unsigned twice = 0; twice < 2; twice++) {
        if (!path)
            return;
        o->v = tn_arena_grow(o->c->tmp, o->v, o->n, &o->cap, sizeof *o->v);
        o->v[o->n++] = (struct tn_owner_wanted){path, slot, NULL, 0, NULL, NULL};
        want_diverted(o, o->n - 1);
        /* Merged /usr: the list may say /lib where the file is in /usr/lib. */
        path = tn_str_starts(path, "/usr/lib") ? path + 4
               : tn_str_starts(path, "/lib")   ? tn_arena_printf(o->c->tmp, "/usr%s", path)
                                               : NULL;
    }
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct tn_owner_wanted *)a)->path, ((const struct tn_owner_wanted *)b)->path);
}

#define END 6u

/* A place among the bits of ends: length and last bytes; both separators are one. */
static unsigned end_bit(size_t n, struct tn_span end)
{
    uint32_t h = (uint32_t)n;
    for (size_t i = end.n > END ? end.n - END : 0; i < end.n; i++)
        h = h * 31u + (end.p[i] == '\\' ? '/' : end.p[i]);
    return (h ^ h >> 12) & 4095u;
}

void tn_owner_sort(struct tn_owners *o)
{
    if (o->n)
        qsort(o->v, o->n, sizeof *o->v, by_path);
    for (size_t i = 0; i < o->n; i++) {
        struct tn_span path = tn_span_str(o->v[i].path);
        unsigned bit = end_bit(path.n, path);
        o->ends[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

bool tn_owner_may(const struct tn_owners *o, size_t n, struct tn_span end)
{
    unsigned bit = end_bit(n, end);
    return end.n < END || (o->ends[bit / 64] >> bit % 64 & 1);
}

/* Libraries in environments, whose packages are no system's. */
static void look_env(struct tn_probe_ctx *c)
{
    struct tn_owners o = {.c = c};
    struct tn_snap *s = c->s;
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_known(s->library.v[i].path) && tn_known(s->library.v[i].env)) {
            o.v = tn_arena_grow(c->tmp, o.v, o.n, &o.cap, sizeof *o.v);
            o.v[o.n++] = (struct tn_owner_wanted){s->library.v[i].path.v, &s->library.v[i].owner, NULL, 0, NULL, NULL};
        }
    if (!o.n)
        return;
    tn_owner_sort(&o);
    tn_owner_env(&o);
    for (size_t i = 0; i < o.n; i++) /* who else wrote it is not known */
        if (o.v[i].package)
            *o.v[i].slot = tn_fact_str(s, o.v[i].src, o.v[i].package);
}

/* few: where the driver's own files contradict each other, its files alone. */
static void gather(struct tn_owners *o, bool few)
{
    struct tn_snap *s = o->c->s;
    struct tn_answer a = tn_world_read(o->c->w, o->c->tmp, DIVERSIONS, TN_MAX_SMALL_FILE);
    if (a.got == TN_KNOWN)
        o->diversions = a.data;
    for (size_t i = 0; i < s->module.n; i++)
        if (tn_known(s->module.v[i].path))
            want(o, s->module.v[i].path.v, &s->module.v[i].owner);
    for (size_t i = 0; i < s->library.n && few; i++)
        if (tn_owner_is_driver(&s->library.v[i]))
            want(o, s->library.v[i].path.v, &s->library.v[i].owner);
    for (size_t i = 0; i < s->toolkit.n && !few; i++)
        if (tn_known(s->toolkit.v[i].path)) {
            const char *root = s->toolkit.v[i].path.v;
            bool nvcc = s->toolkit.v[i].nvcc.k != TN_ABSENT;
            want(o, tn_path_join(o->c->tmp, TN_PATH_POSIX, root, nvcc ? "bin/nvcc" : "version.json"),
                 &s->toolkit.v[i].owner);
        }
    for (size_t i = 0; i < s->library.n && !few; i++)
        if (tn_known(s->library.v[i].path) && s->library.v[i].env.k != TN_KNOWN)
            want(o, s->library.v[i].path.v, &s->library.v[i].owner);
    for (size_t i = 0; i < s->program.n && !few; i++) /* of the packages that are looked at */
        if (tn_known(s->program.v[i].path) &&
            (tn_says(s->program.v[i].name, "nvcc") || tn_says(s->program.v[i].name, "ptxas")))
            want(o, s->program.v[i].path.v, &s->program.v[i].owner);
    tn_owner_sort(o);
}

bool tn_owner_is_vendor(const char *name)
{
    static const char *const parts[] = {"nvidia",   "cuda",     "cudnn",   "cublas",     "cufft",     "curand",
                                        "cusolver", "cusparse", "nccl",    "nvrtc",      "nvjitlink", "nvinfer",
                                        "cupti",    "tensorrt", "libnvvm", "nvtoolsext", "nouveau"};
    static const char *const not_parts[] = {"-doc", "-source", "-samples", "nsight", "firmware", "settings"};
    bool yes = false;
    if (!strstr(name, "nv") && !strstr(name, "cu") && !strstr(name, "nccl") && !strstr(name, "tensorrt") &&
        !strstr(name, "nouveau")) /* most packages of a system */
        return false;
    for (unsigned i = 0; i < TN_LEN(parts) && !yes; i++)
        yes = strstr(name, parts[i]) != NULL;
    for (unsigned i = 0; i < TN_LEN(not_parts) && yes; i++)
        yes = strstr(name, not_parts[i]) == NULL;
    return yes;
}

void tn_owner_match(struct tn_owners *o, const char *package, uint32_t src, const char *path)
{
    struct tn_owner_wanted key = {.path = path};
    struct tn_owner_wanted *hit = o->n ? bsearch(&key, o->v, o->n, sizeof *o->v, by_path) : NULL;
    if (!hit)
        return;
    while (hit > o->v && strcmp(hit[-1].path, path) == 0)
        hit--;
    for (; hit < o->v + o->n && strcmp(hit->path, path) == 0; hit++)
        if ((!hit->only || is_package(package, hit->only)) && (!hit->not_by || !is_package(package, hit->not_by)))
            hit->package = package, hit->src = src;
}

/* Every line of a file list against the sorted wanted paths. prefix: pacman's lists lack the first slash. */
static void match(struct tn_owners *o, const char *package, uint32_t src, struct tn_span list, const char *prefix)
{
    struct tn_span line;
    char path[TN_MAX_PATH_BYTES + 2];
    size_t p = strlen(prefix);
    memcpy(path, prefix, p);
    while (tn_span_line(&list, &line)) {
        if (line.n + p >= sizeof path || !tn_owner_may(o, line.n + p, line))
            continue;
        memcpy(path + p, line.p, line.n);
        path[p + line.n] = 0;
        tn_owner_match(o, package, src, path);
    }
}

static void answer(struct tn_owners *o, uint32_t src)
{
    for (size_t i = 0; i < o->n; i++) {
        struct tn_owner_wanted *w = &o->v[i];
        if (w->package)
            *w->slot = tn_fact_str(o->c->s, w->src, w->package);
        else if (w->slot->k != TN_KNOWN)
            *w->slot = tn_fact_nostr(src, TN_ABSENT);
    }
}

static void refuse(struct tn_owners *o, uint32_t src, enum tn_know got)
{
    for (size_t i = 0; i < o->n; i++)
        *o->v[i].slot = tn_fact_nostr(src, got);
}

static const char *field(struct tn_arena *mem, struct tn_span paragraph, const char *name)
{
    struct tn_span line;
    size_t n = strlen(name);
    while (tn_span_line(&paragraph, &line))
        if (tn_span_starts(line, name))
            return tn_arena_strndup(mem, (const char *)line.p + n, line.n - n);
    return NULL;
}

struct tn_rec_package *tn_owner_package(struct tn_owners *o, const char *manager, const char *name, const char *version,
                                        const char *state)
{
    struct tn_rec_package *p = TN_ADD(o->c->s, package);
    p->name = tn_fact_str(o->c->s, o->src, name);
    p->version = version ? tn_fact_str(o->c->s, o->src, version) : tn_fact_nostr(o->src, TN_ABSENT);
    p->manager = tn_fact_str(o->c->s, o->src, manager);
    p->state = tn_fact_str(o->c->s, o->src, state);
    p->driver = tn_fact_int(o->src, tn_owner_is_driver_package(name));
    return p;
}

/* What was seen of the database as a whole: the count, and that the rows are all of the kind. */
static void finish(struct tn_owners *o, enum tn_know got)
{
    struct tn_rec_host *h = TN_THE(o->c->s, host);
    h->packages = got == TN_KNOWN ? tn_fact_int(o->src, o->n_installed) : tn_fact_noint(o->src, got);
    o->c->s->package.listed = got;
    o->c->s->package.src = o->src;
}

/* One paragraph of status: a vendor's package that is unpacked has a file list, named with the architecture when the
 * package may be there for several (Multi-Arch: same). */
static void dpkg_package(struct tn_owners *o, struct tn_span paragraph)
{
    struct tn_arena *mem = o->c->tmp;
    const char *name = field(mem, paragraph, "Package: "), *status = field(mem, paragraph, "Status: ");
    const char *state = status ? strrchr(status, ' ') : NULL; /* "install ok half-installed" */
    state = state ? state + 1 : "?";
    o->n_installed += name && tn_str_eq(state, "installed");
    bool vendor = name && tn_owner_is_vendor(name);
    if (!name || !(vendor || o->any) || o->n_list >= (o->any ? MAX_ALL_LISTS : MAX_LISTS))
        return;
    const char *arch = field(mem, paragraph, "Architecture: "), *version = field(mem, paragraph, "Version: ");
    if (vendor)
        tn_owner_package(o, "dpkg", name, version, state)->held =
            tn_fact_int(o->src, tn_str_starts(status ? status : "", "hold "));
    const char *multi = field(mem, paragraph, "Multi-Arch: ");
    const char *path = tn_arena_printf(mem, INFO "/%s.list", name);
    if (arch && multi && tn_str_eq(multi, "same"))
        path = tn_arena_printf(mem, INFO "/%s:%s.list", name, arch);
    o->n_list++;
    if (!o->n)
        return;
    struct tn_answer a = tn_world_read(o->c->w, mem, path, TN_MAX_SMALL_FILE);
    if (a.got == TN_KNOWN)
        match(o, version ? tn_arena_printf(mem, "%s %s", name, version) : name, tn_probe_src(o->c->s, "read", path, &a),
              a.data, "");
}

/* What dpkg did since it last wrote the whole status: one paragraph a file, numbered, in order; they stay when it was
 * killed (dpkg, lib/dpkg/dbmodify.c: "updates"). */
static void dpkg_journal(struct tn_owners *o)
{
    struct tn_answer list = tn_world_list(o->c->w, o->c->tmp, UPDATES);
    int64_t n_installed = o->n_installed;
    for (size_t i = 0; i < list.n_entry && i < MAX_UPDATES; i++) {
        const char *file = tn_arena_printf(o->c->tmp, UPDATES "/%s", list.entry[i].name);
        if (!tn_is_digit(list.entry[i].name[0]))
            continue;
        struct tn_answer a = tn_world_read(o->c->w, o->c->tmp, file, PIECE);
        const char *name = a.got == TN_KNOWN ? field(o->c->tmp, a.data, "Package: ") : NULL;
        size_t first = o->c->s->package.n, k = 0;
        if (!name || !tn_owner_is_vendor(name))
            continue;
        o->src = tn_probe_src(o->c->s, "read", file, &a);
        dpkg_package(o, a.data);
        if (o->c->s->package.n == first)
            continue;
        while (k < first && !tn_says(o->c->s->package.v[k].name, name))
            k++;
        if (k < first)
            o->c->s->package.v[k] = o->c->s->package.v[--o->c->s->package.n];
    }
    o->n_installed = n_installed;
}

/* Paragraphs begin with "Package: " and end with an empty line; the file is read piece by piece. */
static bool ask_dpkg(struct tn_owners *o)
{
    struct tn_arena piece;
    uint64_t at = 0, size = 1;
    uint32_t src = 0;
    while (at < size && at < TN_MAX_TEXT_FILE) {
        tn_arena_init(&piece);
        struct tn_answer a = tn_world_part(o->c->w, &piece, STATUS, at, PIECE);
        if (!src)
            o->src = src = tn_probe_src(o->c->s, "read", STATUS, &a);
        if (a.got != TN_KNOWN || !a.data.n) {
            tn_arena_deinit(&piece);
            if (at == 0 && (a.got == TN_ABSENT || a.got == TN_UNASKED))
                return false;
            if (a.got != TN_KNOWN) {
                refuse(o, src, a.got);
                finish(o, a.got);
                return true;
            }
            break;
        }
        size = a.size;
        size_t from = 0, end;
        while ((end = tn_span_find(a.data, from, "\n\n", 2)) != SIZE_MAX) {
            dpkg_package(o, tn_span_of(a.data.p + from, end + 1 - from));
            from = end + 2;
        }
        if (at + a.data.n >= size || from == 0) { /* the last one; or longer than a piece: not one of ours */
            dpkg_package(o, tn_span_from(a.data, from));
            from = a.data.n;
        }
        at += from;
        tn_arena_deinit(&piece);
    }
    dpkg_journal(o);
    o->src = src;
    answer(o, src);
    finish(o, TN_KNOWN);
    return true;
}

/* "cuda-tools-12.4.1-1": name, version with release; false for what is none. */
static bool cut_pacman(struct tn_arena *mem, const char *folder, const char **ret_name, const char **ret_version)
{
    const char *release = strrchr(folder, '-'), *version = release;
    while (version && version > folder && *--version != '-')
        ;
    if (!version || version == folder || version == release)
        return false;
    *ret_name = tn_arena_strndup(mem, folder, (size_t)(version - folder));
    *ret_version = version + 1;
    return true;
}

/* Folders "cuda-12.4.1-1" with a file "files": "%FILES%", then paths without the first slash. */
static bool ask_pacman(struct tn_owners *o)
{
    struct tn_answer a = tn_world_list(o->c->w, o->c->tmp, PACMAN);
    if (a.got == TN_ABSENT || a.got == TN_UNASKED)
        return false;
    uint32_t src = o->src = tn_probe_src(o->c->s, "list", PACMAN, &a);
    for (size_t i = 0, k = 0; i < a.n_entry && k < (o->any ? MAX_ALL_LISTS : MAX_LISTS); i++) {
        const char *name, *version;
        if (a.entry[i].type == 'f' || !cut_pacman(o->c->tmp, a.entry[i].name, &name, &version))
            continue;
        o->n_installed++;
        bool vendor = tn_owner_is_vendor(name);
        if (!vendor && !o->any)
            continue;
        if (vendor)
            tn_owner_package(o, "pacman", name, version, "installed");
        struct tn_answer list =
            tn_world_read(o->c->w, o->c->tmp, tn_path_join3(o->c->tmp, TN_PATH_POSIX, PACMAN, a.entry[i].name, "files"),
                          8u * TN_MAX_SMALL_FILE);
        k++;
        if (list.got == TN_KNOWN)
            match(o, a.entry[i].name, src, list.data, "/");
    }
    if (a.got == TN_KNOWN)
        answer(o, src);
    else
        refuse(o, src, a.got);
    finish(o, a.got);
    return true;
}

/* Where rpm keeps its database: Fedora 36 and later and openSUSE; before. The file shows the kind: SQLite (Fedora 33
 * and later), ndb (openSUSE), Berkeley DB; only the first is read. */
static void ask_rpm(struct tn_owners *o)
{
    static const char *const file[] = {"/usr/lib/sysimage/rpm/rpmdb.sqlite", "/var/lib/rpm/rpmdb.sqlite",
                                       "/usr/lib/sysimage/rpm/Packages.db", "/var/lib/rpm/Packages.db",
                                       "/var/lib/rpm/Packages"};
    for (unsigned i = 0; i < TN_LEN(file); i++) {
        const char *note = "this kind of rpm database is not read";
        struct tn_answer a = tn_world_stat(o->c->w, file[i]);
        enum tn_know got = a.got;
        if (got == TN_ABSENT || got == TN_UNASKED)
            continue;
        if (got == TN_KNOWN)
            got = i < 2 ? tn_owner_rpm(o, file[i], &note) : TN_FAILED;
        o->src = tn_snap_src_of(o->c->s, got,
                                got == TN_KNOWN     ? NULL
                                : a.got == TN_KNOWN ? note
                                                    : a.note,
                                "read", file[i]);
        if (got == TN_KNOWN)
            answer(o, o->src);
        else
            refuse(o, o->src, got);
        finish(o, got);
        return;
    }
}

/* Was a file sought by its name, and is there one that is no vendor's by its place? */
static bool seeks_any(const struct tn_probe_ctx *c)
{
    bool any = false;
    for (size_t i = 0; c->want && c->want->file && i < c->s->library.n && !any; i++)
        any = tn_says(c->s->library.v[i].place, "disk");
    return any;
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_owners o = {.c = c};
    bool all = !(c->want && c->want->no_owners);
    if (all)
        look_env(c);
    if (tn_probe_is_windows(c))
        return;
    bool unclear = tn_owner_unclear(c);
    if (unclear)
        tn_probe_module_versions(c);
    if (all || unclear) {
        gather(&o, !all);
        o.any = seeks_any(c);
        if (!ask_dpkg(&o) && !ask_pacman(&o))
            ask_rpm(&o);
    }
    tn_owner_by(c, all || unclear);
}

TN_PROBE(owner, TN_PHASE_OWNER, look,
         "packages that own what was found; from the databases of dpkg, pacman and rpm, RECORD and conda-meta",
         .gives = TN_HAS(library) | TN_HAS(module) | TN_HAS(toolkit) | TN_HAS(program) | TN_HAS(package),
         .reads = TN_HAS(library) | TN_HAS(module) | TN_HAS(toolkit) | TN_HAS(program) | TN_HAS(dist) | TN_HAS(driver) |
                  TN_HAS(gpu) | TN_HAS(container));
