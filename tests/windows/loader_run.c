/* loader_run.c - the simulated loader over a folder that stands for a Windows machine: the same plans, the same output
 * as loader_prog.c.
 *
 * loader_run PLAN MARK MARK2 PROGRAM: Z: is the root of this machine, C: the folder of $TN_C. A plan ends where a
 * failed open leaves wine with modules that Windows would not keep: "left"; where wine makes a stub of what a forwarder
 * lacks: "stub". Each open is done a second time over the rows that the first one left (a snapshot): "differs" where it
 * comes to something else. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "loader/loader.h"
#include "probe/loader_image.h"

struct side {
    struct tn_disk disk;
    struct tn_loader l;
};

static struct tn_snap snap;
static struct tn_arena mem;
static struct tn_disk known;
static const char *mark[2], *root_c;

/* The name of this machine's file system, in the spelling that is there; NULL: not there. */
static const char *host_path(const char *path)
{
    static char at[8192];
    char drive = tn_lower(path[0]);
    if (path[1] != ':' || (drive != 'z' && drive != 'c'))
        return NULL;
    const char *norm = tn_path_norm(&mem, TN_PATH_WINDOWS, path + 2);
    strcpy(at, drive == 'c' ? root_c : "");
    while (*norm) {
        norm += strspn(norm, "\\/");
        size_t n = strcspn(norm, "\\/");
        if (!n)
            break;
        size_t end = strlen(at);
        snprintf(at + end, sizeof at - end, "/%.*s", (int)n, norm);
        struct stat st;
        if (lstat(at, &st)) { /* another spelling? */
            at[end] = 0;
            DIR *d = opendir(end ? at : "/");
            struct dirent *e = NULL;
            while (d && (e = readdir(d)) && !(strlen(e->d_name) == n && strncasecmp(e->d_name, norm, n) == 0))
                ;
            if (e)
                snprintf(at + end, sizeof at - end, "/%s", e->d_name);
            if (d)
                closedir(d);
            if (!e)
                return NULL;
        }
        norm += n;
    }
    return *at ? at : "/";
}

static struct tn_span bytes_of(const char *host)
{
    struct stat st;
    int fd = open(host, O_RDONLY);
    if (fd < 0 || fstat(fd, &st))
        return tn_span_of(NULL, 0);
    unsigned char *p = tn_arena_alloc(&mem, (size_t)st.st_size + 1);
    ssize_t n = read(fd, p, (size_t)st.st_size);
    close(fd);
    return tn_span_of(p, n < 0 ? 0 : (size_t)n);
}

static bool image(void *ctx, const char *path, struct tn_rec_image *ret)
{
    struct stat st;
    (void)ctx;
    if (known.image(known.ctx, path, ret))
        return true;
    const char *host = host_path(path);
    struct tn_rec_image r;
    memset(&r, 0, sizeof r);
    r.path = tn_fact_str(&snap, 0, path);
    if (!host || stat(host, &st)) {
        r.seen = tn_fact_str(&snap, 0, "none");
    } else if (S_ISDIR(st.st_mode)) {
        r.seen = tn_fact_str(&snap, 0, "folder");
    } else {
        struct tn_span s = bytes_of(host);
        struct tn_view v = tn_view_of_span(&s);
        r.seen = tn_fact_str(&snap, 0, "file");
        r.id = tn_fact_str(
            &snap, 0, tn_arena_printf(&mem, "%llx:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino));
        tn_probe_image_pe(&snap, 0, &v, &r);
    }
    *TN_ADD(&snap, image) = r;
    *ret = r;
    return true;
}

static enum tn_know folder(void *ctx, const char *path)
{
    struct stat st;
    (void)ctx;
    enum tn_know k = known.folder(known.ctx, path);
    if (k != TN_UNASKED)
        return k;
    const char *host = host_path(path);
    struct tn_rec_dir *d = TN_ADD(&snap, dir);
    d->path = tn_fact_str(&snap, 0, path);
    d->exists = tn_fact_int(0, host && !stat(host, &st) && S_ISDIR(st.st_mode));
    return known.folder(known.ctx, path);
}

static enum tn_know cached(void *ctx, const char *soname, size_t i, struct tn_rec_cached *ret)
{
    (void)ctx, (void)soname, (void)i, (void)ret;
    return TN_ABSENT;
}

static enum tn_know forwarded(void *ctx, const char *importer, const char *dll, const char *exporter,
                              const char *target)
{
    struct tn_err err;
    const char *to[16], *all[256];
    size_t n = 0, old = 0;
    (void)ctx;
    enum tn_know k = known.forwarded(known.ctx, importer, dll, exporter, target);
    if (k != TN_UNASKED)
        return k;
    struct tn_span a = bytes_of(host_path(importer)), b = bytes_of(host_path(exporter));
    struct tn_view va = tn_view_of_span(&a), vb = tn_view_of_span(&b);
    if (tn_probe_pe_takes(&va, dll, &vb, &mem, to, 16, &n, &err))
        return TN_UNASKED;
    for (size_t i = 0; i < snap.image.n; i++) {
        struct tn_rec_image *r = &snap.image.v[i];
        if (!tn_path_same(TN_PATH_WINDOWS, r->path.v, importer))
            continue;
        for (old = 0; r->takes.k == TN_KNOWN && old < r->takes.n && old < 128; old++)
            all[old] = r->takes.v[old];
        for (size_t t = 0; t < n; t++)
            all[old + t] = tn_arena_printf(&mem, "%s:%s", dll, to[t]);
        if (!n)
            all[old + n++] = tn_arena_printf(&mem, "%s:", dll);
        r->takes = tn_fact_list(&snap, 0, all, old + n);
    }
    return known.forwarded(known.ctx, importer, dll, exporter, target);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* " path path": the modules that carry a mark. */
static const char *modules(const struct tn_loader *l)
{
    const char *name[4096], *all = "";
    size_t n = 0;
    for (size_t i = 1; i < l->n_object; i++) {
        char *low = tn_arena_strdup(&mem, tn_path_norm(&mem, TN_PATH_WINDOWS, l->object[i].path));
        for (char *p = low; *p; p++)
            *p = *p == '/' ? '\\' : tn_lower(*p);
        if (strstr(low, mark[0]) || strstr(low, mark[1]))
            name[n++] = low;
    }
    qsort(name, n, sizeof *name, by_text);
    for (size_t i = 0; i < n; i++)
        all = tn_arena_printf(&mem, "%s %s", all, name[i]);
    return all;
}

static const char *result(const struct tn_search *s)
{
    const char *number = s->error ? strstr(s->error, "WinError ") : NULL;
    if (s->outcome == TN_OUTCOME_FOUND)
        return "ok";
    if (s->outcome == TN_OUTCOME_UNKNOWN || !number)
        return "unknown";
    return tn_arena_strndup(&mem, number + 9, strspn(number + 9, "0123456789"));
}

static bool needs(const struct tn_rec_image *i, const char *name)
{
    size_t n = strlen(name) - (tn_str_ends(name, ".dll") ? 4 : 0);
    for (uint32_t k = 0; i->needed.k == TN_KNOWN && k < i->needed.n; k++)
        if (strncasecmp(i->needed.v[k], name, n) == 0)
            return true;
    return false;
}

/* Did what fails come by a forwarder, itself or through what that needs? wine makes a stub then, Windows gives up. What
 * a failed open has loaded is let go, but still stands behind the loaded ones. */
static bool by_forwarder(const struct tn_loader *l, size_t search)
{
    for (unsigned depth = 0; depth < 4096 && search < l->n_search; depth++) {
        const struct tn_search *s = &l->search[search];
        if (s->came != TN_CAME_NEED || s->asker >= l->cap_object)
            return false;
        if (!needs(&l->object[s->asker].image, s->name))
            return true;
        search = l->object[s->asker].search;
    }
    return false;
}

/* False: what follows in wine is not what would follow on Windows. */
static bool open_it(struct side *live, struct side *again, const char *name, unsigned flags)
{
    const struct tn_search *s = tn_loader_open_with(&live->l, TN_PROGRAM, name, flags);
    const char *one = tn_arena_printf(&mem, "%s%s", result(s), modules(&live->l));
    bool left = s->outcome != TN_OUTCOME_FOUND && &live->l.search[s->cause] != s;
    bool stub = left && (by_forwarder(&live->l, s->cause) || (s->error && strstr(s->error, "WinError 127")));
    s = tn_loader_open_with(&again->l, TN_PROGRAM, name, flags);
    const char *two = tn_arena_printf(&mem, "%s%s", result(s), modules(&again->l));
    if (left)
        printf("%s\n", stub ? "stub" : "left");
    else
        printf("%s%s\n", one, strcmp(one, two) == 0 ? "" : " differs from the snapshot");
    return !left;
}

int main(int argc, char **argv)
{
    static char s[65536];
    struct tn_windows w = {
        .system = "C:\\windows\\system32", .folder = "C:\\windows", .path_known = true, .newest_first = true};
    struct tn_process p = {.kind = TN_PROCESS_WINDOWS,
                           .machine = "x86_64",
                           .bits = 64,
                           .windows = &w,
                           .version = "",
                           .library_path = "",
                           .preload = "",
                           .audit = "",
                           .cwd = "Z:\\"};
    struct side side[2];
    if (argc != 5 || !getenv("TN_C"))
        return 2;
    mark[0] = argv[2];
    mark[1] = argv[3];
    root_c = getenv("TN_C");
    tn_snap_init(&snap);
    tn_arena_init(&mem);
    TN_THE(&snap, host)->os = tn_fact_str(&snap, 0, "windows");
    tn_disk_snapshot(&known, &snap, &mem);
    p.program = argv[4];
    w.application = tn_path_dir(&mem, TN_PATH_WINDOWS, argv[4]);
    side[0].disk = (struct tn_disk){NULL, image, folder, cached, forwarded};
    side[1].disk = known;
    FILE *f = fopen(argv[1], "r");
    if (!f)
        return 2;
    bool begun = false, on = true;
    while (on && fgets(s, sizeof s, f)) {
        s[strcspn(s, "\r\n")] = 0;
        char *word = strtok(s, " "), *rest = strtok(NULL, "");
        if (!word)
            continue;
        if (!begun && strcmp(word, "cwd") != 0 && strcmp(word, "path") != 0) {
            for (int i = 0; i < 2; i++)
                if (!tn_loader_start(&side[i].l, &p, &side[i].disk, &mem, 0))
                    printf("does not start\n");
            begun = true;
        }
        if (strcmp(word, "cwd") == 0) {
            p.cwd = tn_arena_strdup(&mem, rest);
        } else if (strcmp(word, "path") == 0) {
            const char **v = tn_arena_array(&mem, 64, sizeof *v);
            size_t n = 0;
            for (char *t = strtok(rest ? rest : (char[]){0}, ";"); t && n < 64; t = strtok(NULL, ";"))
                v[n++] = tn_arena_strdup(&mem, t);
            w.path = v;
            w.n_path = n;
        } else if (strcmp(word, "open") == 0) {
            char *end;
            unsigned flags = (unsigned)strtoul(rest, &end, 16);
            on = open_it(&side[0], &side[1], end + 1, flags);
        }
        for (int i = 0; i < 2 && begun; i++) {
            if (strcmp(word, "first") == 0)
                tn_loader_path_first(&side[i].l, rest);
            else if (strcmp(word, "add") == 0)
                tn_loader_add_folder(&side[i].l, rest);
            else if (strcmp(word, "set") == 0)
                tn_loader_set_folder(&side[i].l, rest);
        }
    }
    fclose(f);
    if (on)
        printf("end\n");
    tn_arena_deinit(&mem);
    tn_snap_deinit(&snap);
    return 0;
}
