/* asks_run.c - see asks_run.h.
 *
 * A request whose asker is not loaded is not made: nothing of it is known, and nothing is said. Of the needs of a file
 * those that every program has (the C library and its like) are left out unless they fail. */
#include "loader/asks_run.h"

#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

struct runner {
    struct tn_loads *out;
    const struct tn_asks *a;
    const struct tn_ask *file; /* the last FILE request */
    unsigned file_row;         /* its first row */
    bool file_unknown;         /* whether it is loaded is not known */
    bool file_failed, again;   /* it failed; what is opened after a failure was, so it is made again */
    bool stopped;              /* a preload found no file */
    const char *added[16];     /* folders of TN_ASK_ADD */
    unsigned n_added;
};

static bool is_windows(const struct tn_loads *l)
{
    return l->process.kind == TN_PROCESS_WINDOWS;
}

static enum tn_path_style style_of(const struct tn_loads *l)
{
    return is_windows(l) ? TN_PATH_WINDOWS : TN_PATH_POSIX;
}

/* The C library and its like; of Windows what is a part of it. */
static bool is_everybodys(const char *name)
{
    static const char *const head[] = {"libc.so",  "libm.so",      "libdl.so",    "libpthread.so",
                                       "librt.so", "libutil.so",   "ld-linux",    "libgcc_s.so",
                                       "libz.so",  "libstdc++.so", "libresolv.so"};
    for (unsigned i = 0; i < TN_LEN(head); i++)
        if (tn_str_starts(name, head[i]))
            return true;
    return tn_windows_is_part(name);
}

static const char *path_of(const struct tn_loader *l, size_t object)
{
    return object != TN_NO_OBJECT && object != TN_PROGRAM && object < l->cap_object ? l->object[object].path : NULL;
}

static const struct tn_step *taken(const struct tn_search *s)
{
    for (size_t i = s->n_step; i-- > 0;)
        if (s->step[i].end == TN_STEP_TAKEN)
            return &s->step[i];
    return NULL;
}

static const char *base_of(const struct tn_loads *l, const char *name)
{
    return tn_path_base(style_of(l), name);
}

static void add(struct runner *r, const struct tn_ask *ask, size_t number, bool need)
{
    struct tn_loader *l = &r->out->l;
    const struct tn_search *s = &l->search[number];
    const struct tn_step *step = taken(s);
    if (r->out->n == TN_MAX_LOADS) {
        r->out->n_dropped++;
        return;
    }
    struct tn_load *v = &r->out->v[r->out->n++];
    memset(v, 0, sizeof *v);
    v->name = base_of(r->out, s->name);
    v->from = s->asker == TN_PROGRAM ? (is_windows(r->out) && !need ? ask->from : NULL) : path_of(l, s->asker);
    v->ask = ask;
    v->need = need;
    v->outcome = s->outcome;
    v->path = s->path;
    if (step) {
        v->rule = step->rule;
        v->tag = step->rule == TN_RULE_RPATH || step->rule == TN_RULE_RUNPATH ? path_of(l, step->object) : NULL;
    }
    if (s->object != TN_NO_OBJECT && s->object < l->n_object && tn_known(l->object[s->object].image.real))
        v->real = l->object[s->object].image.real.v;
    v->error = s->error;
    if (s->error && s->cause < l->n_search) {
        const struct tn_search *cause = &l->search[s->cause];
        v->culprit = base_of(r->out, cause->name);
        v->culprit_outcome = cause->outcome;
        v->damaged = cause->n_step && cause->step[cause->n_step - 1].end == TN_STEP_DAMAGED;
        v->culprit_path = cause->path;
    }
    for (size_t i = 0; v->error && i < l->n_lack; i++)
        if (l->lack[i].fatal && tn_str_eq(l->lack[i].text, v->error)) {
            v->lacks = l->lack[i].version;
            v->culprit_path = path_of(l, l->lack[i].of);
            v->culprit = v->culprit_path ? base_of(r->out, v->culprit_path) : v->culprit;
        }
    v->shadowed = s->shadowed;
    v->n_shadowed = s->n_shadowed;
    v->search = number;
}

static bool is_worth_a_row(const struct tn_loads *l, const struct tn_search *s)
{
    const struct tn_step *step = taken(s);
    if (s->came != TN_CAME_NEED)
        return false;
    if (s->outcome == TN_OUTCOME_FOUND &&
        (is_everybodys(base_of(l, s->name)) || (step && step->rule == TN_RULE_LOADED)))
        return false;
    return true;
}

/* Opens it and adds its row, then those of its needs. */
static enum tn_outcome open_it(struct runner *r, const struct tn_ask *ask, size_t caller, const char *name)
{
    struct tn_loader *l = &r->out->l;
    size_t before = l->n_search;
    const struct tn_search *s = tn_loader_open_with(l, caller, name, ask->flags);
    size_t own = (size_t)(s - l->search);
    enum tn_outcome outcome = s->outcome;
    add(r, ask, own, false);
    for (size_t i = before; i < l->n_search; i++)
        if (i != own && is_worth_a_row(r->out, &l->search[i]))
            add(r, ask, i, true);
    return outcome;
}

static enum tn_know seen(struct runner *r, const char *path)
{
    struct tn_rec_image image;
    memset(&image, 0, sizeof image);
    if (!r->out->l.disk->image(r->out->l.disk->ctx, path, &image) || image.seen.k != TN_KNOWN)
        return TN_UNASKED;
    return tn_says(image.seen, "file") ? TN_KNOWN : TN_ABSENT;
}

/* A file that no candidate leads to. */
static void no_file(struct runner *r, const struct tn_ask *ask, enum tn_outcome outcome)
{
    if (ask->is != TN_ASK_REQUIRED || r->out->n == TN_MAX_LOADS)
        return;
    struct tn_load *v = &r->out->v[r->out->n++];
    memset(v, 0, sizeof *v);
    v->name = ask->name;
    v->ask = ask;
    v->outcome = outcome;
    v->culprit = ask->name;
    v->search = TN_NO_OBJECT;
    if (outcome == TN_OUTCOME_MISSING)
        v->error = is_windows(r->out)
                       ? "[WinError 126] The specified module could not be found"
                       : tn_arena_printf(r->out->mem, "%s: cannot open shared object file: No such file or directory",
                                         ask->path[0]);
}

/* torch: what is not found is opened once more, with what was added put before PATH. */
static enum tn_outcome open_file(struct runner *r, const struct tn_ask *ask, const char *path)
{
    unsigned row = r->out->n;
    enum tn_outcome end = open_it(r, ask, TN_PROGRAM, path);
    const char *error = row < r->out->n ? r->out->v[row].error : NULL;
    if (!ask->then_path || !error || !strstr(error, "WinError 126"))
        return end;
    struct tn_ask *plain = tn_arena_memdup(r->out->mem, ask, sizeof *ask);
    for (unsigned i = r->n_added; i-- > 0;)
        tn_loader_path_first(&r->out->l, r->added[i]);
    r->n_added = 0; /* once */
    plain->flags = 0;
    r->out->n = row;
    return open_it(r, plain, TN_PROGRAM, path);
}

static void file(struct runner *r, const struct tn_ask *ask)
{
    enum tn_outcome outcome = TN_OUTCOME_MISSING;
    r->file = ask;
    r->file_row = r->out->n;
    r->stopped = false;
    for (unsigned i = 0; ask->path[i]; i++) {
        enum tn_know k = seen(r, ask->path[i]);
        if (k == TN_KNOWN) {
            enum tn_outcome end = open_file(r, ask, ask->path[i]);
            r->file_failed = end != TN_OUTCOME_FOUND;
            r->file_unknown = end == TN_OUTCOME_UNKNOWN;
            return;
        }
        if (k == TN_UNASKED)
            outcome = TN_OUTCOME_UNKNOWN;
    }
    if (ask->if_there)
        return;
    r->file_failed = true;
    r->file_unknown = outcome == TN_OUTCOME_UNKNOWN;
    no_file(r, ask, outcome);
}

static size_t asker(const struct tn_loader *l, const char *from)
{
    if (l->process->kind == TN_PROCESS_WINDOWS) {
        if (from && !tn_windows_is_path(from))
            return tn_loader_loaded(l, from);
        for (size_t i = 0; from && i < l->n_object; i++)
            if (tn_path_same(TN_PATH_WINDOWS, l->object[i].path, from))
                return i;
        return from ? TN_NO_OBJECT : TN_PROGRAM;
    }
    if (!from) /* ctypes of the interpreter: its modules carry the interpreter's run path */
        return TN_PROGRAM;
    if (!strchr(from, '/'))
        return tn_loader_loaded(l, from);
    for (size_t i = 0; i < l->n_object; i++)
        if (tn_str_eq(l->object[i].path, from))
            return i;
    return TN_NO_OBJECT;
}

static void name(struct runner *r, const struct tn_ask *ask)
{
    struct tn_loads *out = r->out;
    size_t from = asker(&out->l, ask->from);
    unsigned row = out->n;
    if (from == TN_NO_OBJECT && is_windows(out) && r->file_unknown && tn_windows_is_path(ask->from))
        from = TN_PROGRAM; /* who calls does not matter there; whether that file loads is not known */
    if (from == TN_NO_OBJECT)
        return;
    if (open_it(r, ask, from, ask->name) == TN_OUTCOME_MISSING && ask->or_name &&
        tn_loader_probe(&out->l, from, ask->or_name)->outcome == TN_OUTCOME_FOUND) {
        out->n = row;
        open_it(r, ask, from, ask->or_name);
    }
}

static bool is_preload(const char *glob, const char *base)
{
    size_t n = strlen(base);
    return tn_str_glob(glob, base) && (glob[strlen(glob) - 1] != '*' || (n && tn_is_digit(base[n - 1])));
}

/* The file of a folder that the glob matches, by the names of the libraries that are known. NULL: none. */
static const char *match(struct runner *r, const struct tn_ask *ask, const char *folder)
{
    const struct tn_snap *s = r->a->s;
    if (!strchr(ask->name, '*')) {
        const char *at = tn_path_join(r->out->mem, style_of(r->out), folder, ask->name);
        return seen(r, at) == TN_KNOWN ? at : NULL;
    }
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        const char *one[2] = {tn_known(l->soname) ? l->soname.v : "",
                              tn_known(l->path) ? base_of(r->out, l->path.v) : ""};
        for (unsigned k = 0; k < 2; k++) {
            if (!*one[k] || !is_preload(ask->name, one[k]) || (k && tn_str_eq(one[0], one[1])))
                continue;
            const char *at = tn_path_join(r->out->mem, style_of(r->out), folder, one[k]);
            if (seen(r, at) == TN_KNOWN)
                return at;
        }
    }
    return NULL;
}

static bool is_loaded(const struct tn_loader *l, const char *text)
{
    for (size_t i = 0; i < l->n_object; i++)
        if (l->object[i].path && strstr(l->object[i].path, text))
            return true;
    return false;
}

/* Does the error that the file ended with name one of the libraries that are opened then? */
static bool is_named(const struct runner *r)
{
    for (unsigned i = r->file_row; i < r->out->n && r->out->v[i].ask == r->file; i++)
        for (unsigned k = 0; r->out->v[i].error && k < r->a->n; k++) {
            const struct tn_ask *p = &r->a->v[k];
            const char *stem = tn_arena_strndup(r->out->mem, p->name, strcspn(p->name, "."));
            if (p->how == TN_ASK_PRELOAD && p->after_failure && strstr(r->out->v[i].error, stem))
                return true;
        }
    return false;
}

/* Windows: by its name alone, where ctypes looks; no row when it is not there. */
static void by_name(struct runner *r, const struct tn_ask *ask)
{
    struct tn_ask *plain = tn_arena_memdup(r->out->mem, ask, sizeof *ask);
    unsigned row = r->out->n;
    plain->flags = ask->flags & ~(unsigned)TN_LOAD_DLL_DIR;
    if (open_it(r, plain, TN_PROGRAM, ask->or_name) != TN_OUTCOME_FOUND)
        r->out->n = row;
}

static void preload(struct runner *r, const struct tn_ask *ask)
{
    if (r->stopped || (ask->after_failure ? !r->file_failed : r->file && r->file_failed && ask->only_after) ||
        (ask->only_after && !is_loaded(&r->out->l, ask->only_after)))
        return;
    if (ask->after_failure && !r->again) {
        if (!is_named(r)) {
            r->stopped = true;
            return;
        }
        r->again = true;
        r->out->n = r->file_row; /* made again afterwards */
    }
    for (unsigned i = 0; ask->path[i]; i++) {
        const char *at = match(r, ask, ask->path[i]);
        if (at) {
            r->stopped = open_it(r, ask, TN_PROGRAM, at) != TN_OUTCOME_FOUND && ask->stops_rest;
            return;
        }
    }
    if (ask->or_name && is_windows(r->out))
        by_name(r, ask);
    r->stopped = ask->stops_rest;
}

/* os.add_dll_directory: one that is not there is an error that the frameworks avoid by asking first. */
static void add_folder(struct runner *r, const struct tn_ask *ask)
{
    const struct tn_disk *d = r->out->l.disk;
    if (d->folder(d->ctx, ask->path[0]) == TN_ABSENT)
        return;
    tn_loader_add_folder(&r->out->l, ask->path[0]);
    if (r->n_added < TN_LEN(r->added))
        r->added[r->n_added++] = ask->path[0];
}

static void make_again(struct runner *r)
{
    r->again = false;
    file(r, r->file);
}

void tn_loads_make(struct tn_loads *l, const struct tn_asks *a)
{
    struct runner r = {.out = l, .a = a};
    for (unsigned i = 0; i < a->n && l->start == TN_OUTCOME_FOUND; i++) {
        const struct tn_ask *ask = &a->v[i];
        if (r.again && !ask->after_failure)
            make_again(&r);
        switch (ask->how) {
        case TN_ASK_FILE: file(&r, ask); break;
        case TN_ASK_NAME: name(&r, ask); break;
        case TN_ASK_PRELOAD: preload(&r, ask); break;
        case TN_ASK_ADD: add_folder(&r, ask); break;
        }
    }
    if (r.again)
        make_again(&r);
}

static void start(struct tn_loads *ret, const struct tn_disk *disk, struct tn_arena *mem)
{
    if (tn_loader_start(&ret->l, &ret->process, disk, mem, TN_LOADER_SHADOWS)) {
        ret->start = TN_OUTCOME_FOUND;
    } else {
        const struct tn_search *e = tn_loader_start_error(&ret->l);
        ret->start = e ? e->outcome : TN_OUTCOME_UNKNOWN;
    }
}

bool tn_loads_start(struct tn_loads *ret, const struct tn_snap *s, const struct tn_rec_env *env,
                    const struct tn_disk *disk, struct tn_arena *mem)
{
    memset(ret, 0, sizeof *ret);
    ret->mem = mem;
    ret->start = TN_OUTCOME_UNKNOWN;
    if (!env || !tn_process_of(s, env, mem, &ret->process))
        return false;
    start(ret, disk, mem);
    return true;
}

static const struct tn_ask *free_ask(struct tn_loads *l, enum tn_ask_how how, const char *name, const char *from)
{
    struct tn_ask *a = tn_arena_alloc(l->mem, sizeof *a);
    memset(a, 0, sizeof *a);
    a->how = how;
    a->is = TN_ASK_REQUIRED;
    a->part = "";
    a->name = name;
    a->from = from;
    if (is_windows(l)) /* as Python imports; a name as a program opens it */
        a->flags = how == TN_ASK_FILE ? TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR : 0;
    return a;
}

/* The row of the search that brought a name which is loaded. */
static bool row_of_loaded(struct runner *r, const char *name)
{
    struct tn_loader *l = &r->out->l;
    size_t object = tn_loader_loaded(l, name);
    if (object == TN_NO_OBJECT || object == TN_PROGRAM || object >= l->n_object)
        return false;
    add(r, free_ask(r->out, TN_ASK_NAME, name, NULL), l->object[object].search, l->object[object].came == TN_CAME_NEED);
    return true;
}

static void ask(struct tn_loads *l, const char *file_path, const char *wanted)
{
    struct runner r = {.out = l};
    size_t caller = TN_PROGRAM;
    if (l->start != TN_OUTCOME_FOUND)
        return;
    if (file_path) {
        open_it(&r, free_ask(l, TN_ASK_FILE, file_path, NULL), TN_PROGRAM, file_path);
        caller = asker(&l->l, file_path);
    }
    if (!wanted || caller == TN_NO_OBJECT || row_of_loaded(&r, wanted))
        return;
    open_it(&r, free_ask(l, TN_ASK_NAME, wanted, file_path), caller, wanted);
}

/* What a program needs at its start, as rows. */
static void program_rows(struct tn_loads *l)
{
    struct runner r = {.out = l};
    const struct tn_ask *own = free_ask(l, TN_ASK_FILE, l->process.program, NULL);
    for (size_t i = 0; i < l->l.n_search; i++)
        if (is_worth_a_row(l, &l->l.search[i]))
            add(&r, own, i, true);
}

static bool is_program(const struct tn_snap *s, const char *path)
{
    size_t n = strlen(path);
    return tn_snap_style(s) == TN_PATH_WINDOWS && n > 4 && tn_str_ieq(path + n - 4, ".exe");
}

bool tn_loads_file(struct tn_loads *ret, const struct tn_snap *s, const struct tn_rec_env *env,
                   const struct tn_disk *disk, struct tn_arena *mem, const char *path, const char *wanted)
{
    struct tn_rec_image image;
    memset(&image, 0, sizeof image);
    bool program = path && disk->image(disk->ctx, path, &image) &&
                   ((tn_known(image.interp) && !tn_known(image.soname)) || is_program(s, path));
    memset(ret, 0, sizeof *ret);
    ret->mem = mem;
    ret->start = TN_OUTCOME_UNKNOWN;
    if (!tn_process_of(s, program ? NULL : env, mem, &ret->process))
        return false;
    if (program && is_windows(ret)) {
        struct tn_windows *w = tn_arena_memdup(mem, ret->process.windows, sizeof *w);
        w->application = tn_path_dir(mem, TN_PATH_WINDOWS, path);
        ret->process.windows = w;
    }
    if (program)
        ret->process.program = path;
    start(ret, disk, mem);
    if (program)
        program_rows(ret);
    ask(ret, program ? NULL : path, wanted);
    return true;
}

const struct tn_load *tn_loads_find(const struct tn_loads *l, const char *name)
{
    const struct tn_load *other = NULL;
    for (unsigned i = 0; i < l->n; i++) {
        if (strcmp(l->v[i].name, name) != 0)
            continue;
        if (l->v[i].ask->how != TN_ASK_PRELOAD)
            return &l->v[i];
        other = other ? other : &l->v[i];
    }
    return other;
}
