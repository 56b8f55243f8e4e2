/* search.c - which folders are searched, in which order: by the shell, by the loader of every program.
 *
 * Invariant: folders stand as they are written, in the order of the searcher; what a program adds for itself (run
 * paths) is not here. Sources: ld.so(8); glibc elf/dl-load.c, elf/cache.c; Microsoft, "Dynamic-link library search
 * order". */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/ldcache.h"
#include "probe/ask.h"

#define CACHE "/etc/ld.so.cache"
#define PRELOAD "/etc/ld.so.preload"
#define MAX_ENTRIES 512u

static bool have_row(const struct tn_probe_ctx *c, const char *by, const char *path)
{
    for (size_t i = 0; i < c->s->search.n; i++)
        if (tn_says(c->s->search.v[i].by, by) && tn_says(c->s->search.v[i].path, path))
            return true;
    return false;
}

/* One row in the search order, and once for each folder a row that says whether it is there. */
static void add(struct tn_probe_ctx *c, const char *by, int64_t rank, uint32_t src, const char *path)
{
    if (rank >= (int64_t)MAX_ENTRIES)
        return;
    struct tn_rec_search *r = TN_ADD(c->s, search);
    r->by = tn_fact_str(c->s, src, by);
    r->rank = tn_fact_int(src, rank);
    r->path = tn_fact_str(c->s, src, path);
    for (size_t i = 0; i < c->s->dir.n; i++)
        if (tn_says(c->s->dir.v[i].path, path))
            return;
    struct tn_answer a = tn_world_stat(c->w, path);
    uint32_t at = tn_probe_src(c->s, "stat", path, &a);
    struct tn_rec_dir *d = TN_ADD(c->s, dir);
    d->path = tn_fact_str(c->s, src, path);
    d->exists = a.got == TN_KNOWN || a.got == TN_ABSENT ? tn_fact_int(at, a.got == TN_KNOWN && a.st.type == 'd')
                                                        : tn_fact_noint(at, a.got);
}

/* A list variable. An empty element is the working folder for the loader and the shell; Windows knows none, and takes
 * quotes around an element. */
static bool look_variable(struct tn_probe_ctx *c, const char *name, const char *separators)
{
    bool win = tn_probe_is_windows(c);
    struct tn_answer a = tn_world_env(c->w, c->tmp, name);
    uint32_t src = tn_probe_src(c->s, "env", name, &a);
    const char *rest = a.got == TN_KNOWN ? (const char *)a.data.p : "";
    int64_t rank = 0;
    while (*rest) {
        size_t n = strcspn(rest, separators);
        const char *from = rest;
        size_t len = n;
        if (win && len >= 2 && from[0] == '"' && from[len - 1] == '"')
            from++, len -= 2;
        const char *dir = len ? tn_arena_strndup(c->tmp, from, len) : ".";
        if (len || !win)
            add(c, name, rank++, src, dir);
        rest += n;
        if (*rest && !*++rest && !win) /* "a:" ends with an empty element */
            add(c, name, rank++, src, ".");
    }
    return a.got != TN_UNASKED;
}

/* The folders that the cache leads to, in the order in which it names them first. Which file of two folders wins is
 * decided name by name (loader). */
static void look_cache(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, CACHE, TN_MAX_TEXT_FILE);
    struct tn_ldcache cache;
    struct tn_err err;
    int64_t rank = 0;
    if (a.got == TN_KNOWN && tn_image_ldcache_parse(a.data, c->tmp, &cache, &err)) {
        a.got = TN_FAILED;
        a.note = err.text;
    }
    uint32_t src = tn_probe_src(c->s, "read", CACHE, &a);
    if (a.got != TN_KNOWN) {
        if (a.got == TN_DENIED || a.got == TN_FAILED) {
            struct tn_rec_search *r = TN_ADD(c->s, search);
            r->by = tn_fact_str(c->s, src, "ld.so.cache");
            r->path = tn_fact_nostr(src, a.got);
        }
        return;
    }
    const char *last = "";
    size_t last_n = 0;
    for (size_t i = 0; i < cache.n; i++) {
        const char *path = cache.entries[i].path, *slash = strrchr(path, '/');
        size_t n = slash ? (size_t)(slash - path) : 0;
        if (!n || (n == last_n && memcmp(path, last, n) == 0))
            continue;
        last = path;
        last_n = n;
        const char *dir = tn_arena_strndup(c->tmp, path, n);
        if (!have_row(c, "ld.so.cache", dir))
            add(c, "ld.so.cache", rank++, src, dir);
    }
}

/* Comments of /etc/ld.so.preload made blank as glibc does it (elf/rtld.c, dl_main): it counts down what is left of the
 * file, yet looks from its beginning again, so that a # beyond that many bytes is no comment but a name. */
static void blank_comments(char *text, size_t n)
{
    for (size_t rest = n; rest;) {
        char *at = memchr(text, '#', rest);
        if (!at)
            return;
        rest -= (size_t)(at - text);
        do
            *at = ' ';
        while (--rest && *++at != '\n');
    }
}

/* glibc alone reads it: names between blanks and colons. */
static void look_preload(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, PRELOAD, TN_MAX_TEXT_FILE);
    uint32_t src = tn_probe_src(c->s, "read", PRELOAD, &a);
    const char **v = NULL;
    size_t n = 0, cap = 0;
    if (a.got != TN_KNOWN) {
        TN_THE(c->s, host)->preload = tn_fact_nolist(src, a.got);
        return;
    }
    char *text = tn_arena_strndup(c->tmp, (const char *)a.data.p, a.data.n);
    blank_comments(text, strlen(text));
    for (const char *s = text; *s && n < TN_MAX_LIST;) {
        size_t len = strcspn(s, ": \t\n");
        if (len) {
            v = tn_arena_grow(c->tmp, v, n, &cap, sizeof *v);
            v[n++] = tn_arena_strndup(c->tmp, s, len);
        }
        s += len + (s[len] != 0);
    }
    TN_THE(c->s, host)->preload = tn_fact_list(c->s, src, v, n);
}

/* "/lib:/usr/local/lib:/usr/lib" (musl ldso/dynlink.c), unless /etc/ld-musl-ARCH.path says otherwise. */
static void look_musl(struct tn_probe_ctx *c, const char *arch)
{
    const char *path = tn_arena_printf(c->tmp, "/etc/ld-musl-%s.path", arch);
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 4096);
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    const char *text = a.got == TN_KNOWN    ? (const char *)a.data.p
                       : a.got == TN_DENIED ? "" /* another error than ENOENT: no folder at all */
                                            : "/lib:/usr/local/lib:/usr/lib";
    for (int64_t rank = 0; *text;) {
        size_t n = strcspn(text, ":\n");
        if (n)
            add(c, "default", rank++, src, tn_arena_strndup(c->tmp, text, n));
        text += n + (text[n] != 0);
    }
}

/* The loader's built-in folders: Debian and its kin search the multiarch folders, 64-bit glibc else /lib64 and
 * /usr/lib64, 32-bit and those who moved it (Arch) /lib and /usr/lib. The place of libc.so.6 tells which. */
static void look_default(struct tn_probe_ctx *c)
{
    const struct tn_rec_host *h = TN_THE(c->s, host);
    const char *arch = tn_known(h->arch) ? h->arch.v : "x86_64";
    const char *multi = tn_arena_printf(c->tmp, "/lib/%s-linux-gnu", arch);
    if (tn_says(h->libc, "musl")) {
        look_musl(c, arch);
        return;
    }
    uint32_t src = h->libc.src;
    int64_t rank = 0;
    const char *file = tn_says(h->libc, "glibc") ? strchr(c->s->src[src].asked, '/') : NULL;
    bool multiarch = file && tn_path_under(TN_PATH_POSIX, file, multi), lib64 = file && strstr(file, "/lib64/");
    if (!file) { /* part of a system: what its folders show */
        const char *shown = tn_arena_printf(c->tmp, "/usr%s", multi);
        struct tn_answer a = tn_world_stat(c->w, shown);
        multiarch = a.got == TN_KNOWN;
        if (!multiarch) {
            shown = "/usr/lib64";
            a = tn_world_stat(c->w, shown);
            lib64 = a.got == TN_KNOWN;
        }
        if (!multiarch && !lib64)
            return;
        src = tn_probe_src(c->s, "stat", shown, &a);
    }
    if (lib64) {
        add(c, "default", rank++, src, "/lib64");
        add(c, "default", rank++, src, "/usr/lib64");
        return;
    }
    if (multiarch) {
        add(c, "default", rank++, src, multi);
        add(c, "default", rank++, src, tn_arena_printf(c->tmp, "/usr%s", multi));
    }
    add(c, "default", rank++, src, "/lib");
    add(c, "default", rank, src, "/usr/lib");
}

/* %NAME% as Windows expands it for a new terminal: variables of this one, else of the same key. */
static const char *expanded(struct tn_probe_ctx *c, const char *key, const char *dir)
{
    size_t n = dir[0] == '%' ? strcspn(dir + 1, "%") : 0;
    if (!n || !dir[1 + n])
        return dir;
    const char *name = tn_arena_strndup(c->tmp, dir + 1, n), *value = tn_probe_env(c, name, NULL);
    if (!value)
        value = tn_probe_reg(c, key, name);
    return value ? tn_arena_printf(c->tmp, "%s%s", value, dir + n + 2) : dir;
}

/* What the registry gives to terminals that are opened from now on: an installer changes that, and no running program
 * hears of it. Rows alone: nobody searches these folders here. */
static void look_new_terminals(struct tn_probe_ctx *c, const char *key, const char *by)
{
    struct tn_answer a = tn_world_reg(c->w, c->tmp, key, "Path");
    const char *rest = a.got == TN_KNOWN ? (const char *)a.data.p : "";
    if (!*rest)
        return;
    uint32_t src = tn_probe_src(c->s, "reg", key, &a);
    for (int64_t rank = 0; *rest && rank < (int64_t)MAX_ENTRIES;) {
        size_t n = strcspn(rest, ";"), quoted = n >= 2 && rest[0] == '"' && rest[n - 1] == '"';
        const char *dir = expanded(c, key, tn_arena_strndup(c->tmp, rest + quoted, n - 2 * quoted));
        if (*dir) {
            struct tn_rec_search *r = TN_ADD(c->s, search);
            r->by = tn_fact_str(c->s, src, by);
            r->rank = tn_fact_int(src, rank++);
            r->path = tn_fact_str(c->s, src, dir);
        }
        rest += n + (rest[n] != 0);
    }
}

static void look(struct tn_probe_ctx *c)
{
    bool win = tn_probe_is_windows(c), asked = look_variable(c, "PATH", win ? ";" : ":");
    if (win) {
        uint32_t src;
        const char *root = tn_probe_env(c, "SystemRoot", &src);
        if (root)
            add(c, "default", 0, src, tn_arena_printf(c->tmp, "%s\\System32", root));
        look_new_terminals(c, "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment", "machine PATH");
        look_new_terminals(c, "HKCU\\Environment", "user PATH");
    } else {
        look_variable(c, "LD_LIBRARY_PATH", ":;");
        look_cache(c);
        if (!tn_says(TN_THE(c->s, host)->libc, "musl"))
            look_preload(c);
        look_default(c);
    }
    c->s->search.listed = c->s->dir.listed = asked ? TN_KNOWN : TN_UNASKED;
}

TN_PROBE(search, TN_PHASE_SEARCH, look,
         "PATH (Windows: of new terminals, too), LD_LIBRARY_PATH, /etc/ld.so.cache, /etc/ld.so.preload, the loader's "
         "own folders",
         .gives = TN_HAS(search) | TN_HAS(dir));
