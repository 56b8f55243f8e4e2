/* loader_run.c - the simulated loader over this machine, driven by lines on standard input, for loader_oracle.py.
 *
 *   new                      forgets all, looks at the host again
 *   env LLP <tab> PRELOAD    cwd FOLDER
 *   start PROGRAM            prints what tests/real/loader_prog.c prints, and "tried FILE ..." of each search
 *   open CALLER <tab> NAME
 *   list FILE                what ldd prints of it: the files in order
 *   time N FILE              microseconds of a simulation over the snapshot alone
 *
 * With TN_ORACLE_MUSL set the machine is taken for one whose C library is musl.
 *
 * After each start and open the same is done over the snapshot alone, and over a redacted copy: "differs" if they come
 * to something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/loader_disk.h"
#include "probe/probe.h"
#include "snapshot/redact.h"

struct side { /* one simulation */
    struct tn_disk disk;
    struct tn_loader l;
    struct tn_process p;
};

static struct tn_world *world;
static struct tn_snap snap;
static struct tn_arena mem;
static struct tn_process process;
static struct side live;
static char llp[1 << 16], preload[1 << 16], cwd[4096], program[4096];
static struct {
    char *name;
    size_t object;
} opened[64];
static size_t n_opened;

/* The folders of musl's loader: the probe that reads its file, on a host of musl. */
static void as_musl(const struct tn_want *want)
{
    struct tn_arena tmp;
    struct tn_probe_ctx c = {world, &snap, &tmp, want};
    TN_THE(&snap, host)->libc = tn_fact_str(&snap, 0, "musl");
    snap.search.n = 0;
    tn_arena_init(&tmp);
    for (unsigned i = 0; i < tn_n_probes; i++)
        if (strcmp(tn_probes[i]->name, "search") == 0)
            tn_probes[i]->run(&c);
    tn_arena_deinit(&tmp);
}

static void forget(void)
{
    struct tn_want want = {.records = TN_HAS(host) | TN_HAS(cpu) | TN_HAS(search)};
    bool musl = getenv("TN_ORACLE_MUSL") != NULL;
    struct tn_err err;
    if (world) {
        tn_world_close(world);
        tn_snap_deinit(&snap);
        tn_arena_deinit(&mem);
    }
    if (tn_world_live(&world, &err))
        exit(2);
    tn_snap_init(&snap);
    tn_arena_init(&mem);
    unsetenv("LD_LIBRARY_PATH");
    tn_probe_all(world, &want, &snap);
    if (musl)
        as_musl(&want);
    if (!tn_process_of(&snap, NULL, &mem, &process))
        exit(3);
    process.self = musl ? "/lib/ld-musl-x86_64.so.1" : "/lib64/ld-linux-x86-64.so.2";
    *llp = *preload = 0;
    if (chdir("/") || !getcwd(cwd, sizeof cwd))
        exit(4);
}

static void map(const struct tn_loader *l)
{
    for (size_t i = 1; i < l->n_object; i++)
        if (!l->object[i].faked && i != 1)
            printf(" %s", l->object[i].path);
    printf(" %s\n", l->object[1].path);
}

static void tried(const struct tn_loader *l, size_t from)
{
    for (size_t i = from; i < l->n_search; i++) {
        const struct tn_search *s = &l->search[i];
        bool any = false;
        if (strchr(s->name, '/'))
            continue;
        for (size_t k = 0; k < s->n_step; k++)
            if (s->step[k].path && s->step[k].rule != TN_RULE_LOADED) {
                printf("%s%s", any ? " " : "tried ", s->step[k].path);
                any = true;
            }
        if (any)
            printf("\n");
    }
}

static size_t caller_of(const struct tn_loader *l, const char *path)
{
    for (size_t i = 1; i < l->n_object; i++)
        if (strcmp(l->object[i].path, path) == 0)
            return i;
    return *path ? TN_NO_OBJECT : TN_PROGRAM;
}

static bool begin(struct side *s)
{
    s->p.cwd = s->p.cwd ? s->p.cwd : cwd;
    return tn_loader_start(&s->l, &s->p, &s->disk, &mem, 0);
}

/* A path or name of ours as the copy has it: by a row of image that both have. */
static const char *shown(const struct tn_snap *s, const char *text)
{
    for (size_t i = 0; i < snap.image.n; i++)
        if (tn_says(snap.image.v[i].path, text))
            return s->image.v[i].path.v;
    for (size_t i = 0; i < snap.image.n && !strchr(text, '/'); i++)
        if (strcmp(tn_path_base(TN_PATH_POSIX, snap.image.v[i].path.v), text) == 0)
            return tn_path_base(TN_PATH_POSIX, s->image.v[i].path.v);
    for (size_t i = 0; i < snap.image.n; i++)
        if (tn_says(snap.image.v[i].soname, text))
            return s->image.v[i].soname.v;
    for (size_t i = 0; i < snap.cached.n; i++)
        if (tn_says(snap.cached.v[i].soname, text))
            return s->cached.v[i].soname.v;
    return text;
}

/* Everything that this run has asked for again, over other facts: the same objects and outcomes? */
static void again(const char *word, const struct tn_snap *s)
{
    struct side b = {.p = process};
    tn_disk_snapshot(&b.disk, s, &mem);
    if (s != &snap) {
        tn_process_of(s, NULL, &mem, &b.p);
        b.p.self = process.self;
    }
    b.p.program = shown(s, program);
    begin(&b);
    for (size_t i = 0; i < n_opened; i++) { /* callers come in the same order */
        size_t c = opened[i].object;
        if (c < b.l.n_object)
            tn_loader_open(&b.l, c, shown(s, opened[i].name));
    }
    bool same = b.l.n_object == live.l.n_object && b.l.n_search == live.l.n_search;
    size_t i = 0;
    for (; same && i < b.l.n_search; i++)
        same = b.l.search[i].outcome == live.l.search[i].outcome && b.l.search[i].object == live.l.search[i].object &&
               b.l.search[i].n_step == live.l.search[i].n_step;
    if (!same && i && i <= b.l.n_search && i <= live.l.n_search)
        printf("differs %s: search %zu for %s (%s): %s instead of %s\n", word, i - 1, live.l.search[i - 1].name,
               b.l.search[i - 1].name, tn_outcome_word(b.l.search[i - 1].outcome),
               tn_outcome_word(live.l.search[i - 1].outcome));
    else if (!same)
        printf("differs %s: %zu objects, %zu searches instead of %zu, %zu\n", word, b.l.n_object, b.l.n_search,
               live.l.n_object, live.l.n_search);
}

/* One unknown token spoils a whole run path of musl's, and redaction keeps $ORIGIN at the beginning alone; musl takes
 * tokens of names and ';' as they stand. */
static bool spoilt(void)
{
    bool yes = strchr(llp, ';') != NULL;
    for (size_t i = 0; i < snap.image.n; i++) {
        const struct tn_list l[] = {snap.image.v[i].rpath, snap.image.v[i].runpath, snap.image.v[i].needed};
        for (unsigned k = 0; k < TN_LEN(l); k++)
            for (uint32_t n = 0; l[k].k == TN_KNOWN && n < l[k].n; n++) {
                const char *v = l[k].v[n];
                size_t skip = k == 2                              ? 0
                              : strncmp(v, "$ORIGIN/", 8) == 0    ? 8
                              : strcmp(v, "$ORIGIN") == 0         ? 7
                              : strncmp(v, "${ORIGIN}/", 10) == 0 ? 10
                                                                  : 0;
                yes = yes || strchr(v + skip, '$') || strlen(v) > TN_MAX_NAME_BYTES; /* long names get short */
            }
    }
    return yes;
}

/* Only what survives redaction unambiguously is compared there: relative folders and tokens of the environment are a
 * matter of the process, not of files. */
static void both(void)
{
    struct tn_snap copy;
    struct tn_err err;
    again("snapshot", &snap);
    bool token = strchr(llp, '$') || strchr(preload, '$');
    for (size_t i = 0; i < n_opened; i++)
        token = token || strchr(opened[i].name, '$') || (strchr(opened[i].name, '/') && *opened[i].name != '/');
    for (size_t i = 0; i < live.l.n_search;
         i++) /* an origin that hangs on the working folder, which no snapshot tells */
        token = token || (live.l.search[i].path && *live.l.search[i].path != '/');
    token = token || (getenv("TN_ORACLE_MUSL") && spoilt());
    if (token)
        return;
    if (tn_snapshot_redact(&snap, &copy, NULL, &err)) {
        printf("differs: not redacted: %s: %s\n", err.place, err.text);
        return;
    }
    again("redacted", &copy);
    tn_snap_deinit(&copy);
}

static void say(const struct tn_search *s)
{
    if (s->outcome == TN_OUTCOME_FOUND)
        printf("found %s |", live.l.object[s->object].path);
    else if (s->outcome == TN_OUTCOME_UNKNOWN)
        printf("unknown %s |", s->name);
    else
        printf("failed %s |", s->error ? s->error : "");
    map(&live.l);
}

/* The variable as a row, for the copies. */
static void set(const char *name, const char *value)
{
    struct tn_rec_variable *v = TN_ADD(&snap, variable);
    v->name = tn_fact_str(&snap, 0, name);
    v->value = tn_fact_str(&snap, 0, value);
}

static void do_start(const char *path)
{
    snprintf(program, sizeof program, "%s", path);
    n_opened = 0;
    live.p = process;
    live.p.program = program;
    live.p.library_path = llp;
    live.p.preload = preload;
    live.p.cwd = cwd;
    process.library_path = llp;
    process.preload = preload;
    set("LD_LIBRARY_PATH", llp);
    set("LD_PRELOAD", preload);
    tn_disk_world(&live.disk, world, &snap, &mem);
    if (begin(&live)) {
        printf("start");
        map(&live.l);
    } else {
        const struct tn_search *s = tn_loader_start_error(&live.l);
        printf("%s %s\n", s && s->outcome != TN_OUTCOME_UNKNOWN ? "dies" : "unknown",
               s && s->error ? s->error
               : s           ? s->name
                             : "");
    }
    tried(&live.l, 0);
    both();
}

static void do_open(char *arg)
{
    char *tab = strchr(arg, '\t');
    if (!tab || n_opened >= TN_LEN(opened))
        exit(5);
    *tab = 0;
    size_t from = live.l.n_search, c = caller_of(&live.l, arg);
    if (c == TN_NO_OBJECT) {
        printf("no caller |");
        map(&live.l);
        return;
    }
    opened[n_opened].object = c;
    opened[n_opened++].name = tn_arena_strdup(&mem, tab + 1);
    say(tn_loader_open(&live.l, c, tab + 1));
    tried(&live.l, from);
    both();
}

static void do_list(const char *path)
{
    struct tn_loader l;
    struct tn_process p = process;
    struct tn_disk d;
    p.program = path;
    p.library_path = llp;
    p.preload = "";
    p.cwd = cwd;
    tn_disk_world(&d, world, &snap, &mem);
    tn_loader_start(&l, &p, &d, &mem, TN_LOADER_TRACE);
    const struct tn_search *e = tn_loader_start_error(&l);
    printf("%s", e && e->outcome == TN_OUTCOME_STOPS     ? "stops"
                 : e && e->outcome == TN_OUTCOME_UNKNOWN ? "unknown"
                                                         : "list");
    for (size_t i = 2; i < l.n_object; i++)
        printf(" %s=%s", l.search[l.object[i].search].name, l.object[i].faked ? "missing" : l.object[i].path);
    printf("\n");
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void do_time(char *arg)
{
    char *space = strchr(arg, ' ');
    long n = strtol(arg, NULL, 10);
    if (!space || n < 1)
        exit(6);
    struct tn_process p = process;
    struct tn_disk d;
    double best[3] = {1e9, 1e9, 1e9};
    size_t objects = 0, searches = 0, steps = 0;
    p.program = space + 1;
    p.library_path = llp;
    p.preload = "";
    for (long i = 0; i < n; i++) {
        struct tn_loader l;
        double t = now();
        if (i == 0) {
            tn_disk_world(&d, world, &snap, &mem);
            tn_loader_start(&l, &p, &d, &mem, TN_LOADER_TRACE);
            best[0] = now() - t;
            continue;
        }
        struct tn_arena a;
        tn_arena_init(&a);
        tn_disk_snapshot(&d, &snap, &a);
        tn_loader_start(&l, &p, &d, &a, TN_LOADER_TRACE);
        t = now() - t;
        best[1] = t < best[1] ? t : best[1];
        objects = l.n_object;
        searches = l.n_search;
        steps = l.in ? l.n_search : 0;
        tn_arena_deinit(&a);
    }
    (void)steps;
    printf("read %.0f us, simulate %.0f us, %zu objects, %zu searches, rows: image %zu dir %zu cached %zu\n", best[0],
           best[1], objects, searches, snap.image.n, snap.dir.n, snap.cached.n);
}

int main(void)
{
    static char line[1 << 17];
    forget();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *arg = strchr(line, ' ');
        if (arg)
            *arg++ = 0;
        else
            arg = line + strlen(line);
        if (strcmp(line, "new") == 0)
            forget();
        else if (strcmp(line, "start") == 0)
            do_start(arg);
        else if (strcmp(line, "open") == 0)
            do_open(arg);
        else if (strcmp(line, "list") == 0)
            do_list(arg);
        else if (strcmp(line, "time") == 0)
            do_time(arg);
        else if (strcmp(line, "cwd") == 0) {
            if (chdir(arg) || !getcwd(cwd, sizeof cwd))
                exit(7);
        } else if (strcmp(line, "env") == 0) {
            char *tab = strchr(arg, '\t');
            if (!tab)
                exit(8);
            *tab = 0;
            snprintf(llp, sizeof llp, "%s", arg);
            snprintf(preload, sizeof preload, "%s", tab + 1);
        }
        printf(".\n");
        fflush(stdout);
    }
    return 0;
}
