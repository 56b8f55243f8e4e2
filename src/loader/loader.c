/* loader.c - the list of loaded objects: a start, what is opened later, what both bring.
 *
 * Rules (glibc elf/rtld.c, dl-deps.c, dl-open.c, dl-load.c: _dl_lookup_map, _dl_map_object_from_fd):
 * - a name is served by a loaded object that was asked for by it or whose DT_SONAME it is; else by the file found,
 *   unless that file (device and inode) is loaded: then that object answers to the new name too
 * - the program, what is preloaded, then all needs breadth first; who brought an object is its loader
 * - dlopen: the tags of the calling object serve to find the file and are then forgotten: the opened object has no
 *   loader. What a failed one had loaded goes again
 * - a missing preloaded object is left out, a missing need ends the start or the open
 * - the reason of the last failed opening (errno) is kept while needs are mapped, and stands again after them if none
 * of them left another (_dl_map_object_deps: errno_saved)
 * Windows (wine dlls/ntdll/loader.c: load_dll, fixup_imports): a loaded module of the same base name serves a bare
 * name; what is imported is searched in the folders of the open that it belongs to; delayed imports are not loaded;
 * what is imported from a forwarder loads the DLL that serves it. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

static bool is_musl(const struct tn_loader *l)
{
    return l->process->kind == TN_PROCESS_MUSL;
}

static bool is_windows(const struct tn_loader *l)
{
    return l->process->kind == TN_PROCESS_WINDOWS;
}

/* Folder of the path as it was opened; relative to the working folder. */
static const char *origin_of(struct tn_loader *l, const char *path)
{
    const char *dir = tn_path_dir(l->mem, TN_PATH_POSIX, path);
    const char *slash = strrchr(path, '/');
    if (is_musl(l)) /* as it stands */
        return slash ? tn_arena_strndup(l->mem, path, (size_t)(slash - path)) : ".";
    if (tn_loader_is_whole(path) && slash)
        return slash == path ? "/" : tn_arena_strndup(l->mem, path, (size_t)(slash - path));
    if (!l->process->cwd)
        return NULL;
    return slash ? tn_path_join(l->mem, TN_PATH_POSIX, l->process->cwd, dir) : l->process->cwd;
}

static void answer_to(struct tn_loader *l, size_t object, const char *name)
{
    struct tn_object *o = &l->object[object];
    for (size_t i = 0; i < o->n_names; i++)
        if (strcmp(o->names[i], name) == 0)
            return;
    o->names = tn_arena_grow(l->mem, o->names, o->n_names, &o->cap_names, sizeof *o->names);
    o->names[o->n_names++] = name;
    if (*name)
        tn_names_add(l->mem, &l->in->names, name, object, false);
}

static const char *file_key(struct tn_loader *l, const char *path)
{
    return is_windows(l) ? tn_path_key(l->mem, TN_PATH_WINDOWS, path) : path;
}

/* The names under which an object answers from the beginning. musl knows no sonames, and what was opened by path has
 * no short name. */
static void index_names(struct tn_loader *l, size_t object)
{
    struct tn_object *o = &l->object[object];
    for (size_t i = 0; i < o->n_names; i++)
        if (*o->names[i])
            tn_names_add(l->mem, &l->in->names, o->names[i], object, false);
    const struct tn_str file[] = {o->image.id, o->image.real, o->image.path};
    for (size_t i = 0; i < TN_LEN(file) && object; i++)
        if (tn_known(file[i]))
            tn_names_add(l->mem, &l->in->files, file_key(l, file[i].v), object, false);
    if (is_windows(l) && *o->path) /* by their base names alone, wherever they lie */
        tn_names_add(l->mem, &l->in->names, tn_windows_key(l, o->path), object, false);
    if (is_musl(l) || is_windows(l) || o->faked)
        return;
    if (tn_known(o->image.soname))
        tn_names_add(l->mem, &l->in->names, o->image.soname.v, object, false);
    if (*o->path)
        tn_names_add(l->mem, &l->in->names, o->path, object, false);
    for (uint32_t i = 0; o->image.provides.k == TN_KNOWN && i < o->image.provides.n; i++)
        tn_names_add(l->mem, &l->in->versions, o->image.provides.v[i], object, true);
}

static size_t add_object(struct tn_loader *l, const char *path, const struct tn_rec_image *image, size_t loader,
                         size_t search, enum tn_came came)
{
    l->object = tn_arena_grow(l->mem, l->object, l->n_object, &l->cap_object, sizeof *l->object);
    struct tn_object *o = &l->object[l->n_object];
    memset(o, 0, sizeof *o);
    o->path = path;
    if (image)
        o->image = *image;
    o->loader = loader;
    o->search = search;
    o->came = came;
    bool links = came == TN_CAME_PROGRAM || is_musl(l); /* musl: the name as it is, but links of the program resolved */
    o->origin = came == TN_CAME_PROGRAM && links && image && tn_known(image->real) ? origin_of(l, image->real.v)
                : *path                                                            ? origin_of(l, path)
                                                                                   : NULL;
    return l->n_object++;
}

/* Takes objects back to the first n. */
static void forget(struct tn_loader *l, size_t n)
{
    if (n == l->n_object)
        return;
    l->n_object = n;
    memset(&l->in->names, 0, sizeof l->in->names);
    memset(&l->in->versions, 0, sizeof l->in->versions);
    memset(&l->in->files, 0, sizeof l->in->files);
    for (size_t i = 0; i < n; i++)
        index_names(l, i);
    for (size_t i = 0; i < l->n_search; i++)
        if (l->search[i].object != TN_NO_OBJECT && l->search[i].object >= n)
            l->search[i].object = TN_NO_OBJECT;
}

size_t tn_loader_loaded(const struct tn_loader *l, const char *name)
{
    if (is_musl(l) && !strchr(name, '/') && tn_loader_musl_own(name))
        return 1;
    if (is_musl(l) && strchr(name, '/'))
        return TN_NO_OBJECT;
    if (is_windows(l)) {
        struct tn_loader *own = (struct tn_loader *)l; /* room for the key alone */
        return tn_windows_is_path(name) ? TN_NO_OBJECT : tn_names_find(&l->in->names, tn_windows_key(own, name));
    }
    return tn_names_find(&l->in->names, name);
}

/* Is it certain that these are two files? */
static bool other_id(const struct tn_rec_image *a, const struct tn_rec_image *b)
{
    return tn_known(a->id) && tn_known(b->id) && strcmp(a->id.v, b->id.v) != 0;
}

/* A loaded object that is this file: by device and inode, where they are not known by its path without links. The
 * program's own file does not count in glibc (its map has no file id). */
static size_t loaded_file(struct tn_loader *l, const struct tn_rec_image *i)
{
    const struct tn_str by[] = {i->id, i->real, i->path};
    for (size_t k = 0; k < TN_LEN(by); k++) {
        size_t o = tn_known(by[k]) ? tn_names_find(&l->in->files, file_key(l, by[k].v)) : TN_NO_OBJECT;
        if (o != TN_NO_OBJECT && !other_id(&l->object[o].image, i))
            return o;
    }
    return TN_NO_OBJECT;
}

/* Is a stack executable where a file says nothing (DEFAULT_STACK_PERMS)? */
static bool wants_exec_stack(const struct tn_loader *l, const struct tn_rec_image *i)
{
    bool x86 = strcmp(l->process->machine, "x86_64") == 0 || strcmp(l->process->machine, "i386") == 0;
    return tn_flag(i, "exec-stack") || (x86 && tn_flag(i, "no-stack-header"));
}

/* Why the file that was found cannot be mapped, or NULL. */
static const char *refuses(const struct tn_loader *l, const struct tn_rec_image *i, enum tn_came came)
{
    if (tn_flag(i, "no-load"))
        return "object file has no loadable segments";
    if (tn_flag(i, "exec"))
        return "cannot dynamically load executable";
    if (tn_flag(i, "no-dynamic"))
        return "object file has no dynamic section";
    if (tn_flag(i, "pie") && tn_process_is(l->process, 2, 30))
        return "cannot dynamically load position-independent executable";
    if (tn_flag(i, "noopen") && (came == TN_CAME_OPEN || l->in->opening))
        return "shared object cannot be dlopen()ed";
    if (l->in->opening && wants_exec_stack(l, i) && !l->in->exec_stack && *l->process->version &&
        tn_process_is(l->process, 2, 41))
        return "cannot enable executable stack as shared object requires: Invalid argument";
    return NULL;
}

static struct tn_search *new_search(struct tn_loader *l, const char *name, size_t asker, enum tn_came came)
{
    l->search = tn_arena_grow(l->mem, l->search, l->n_search, &l->cap_search, sizeof *l->search);
    struct tn_search *s = &l->search[l->n_search];
    memset(s, 0, sizeof *s);
    s->name = name;
    s->asker = asker;
    s->came = came;
    s->object = TN_NO_OBJECT;
    s->cause = l->n_search++;
    return s;
}

/* The file was found: the object for it, old or new. */
static void map(struct tn_loader *l, struct tn_hunt *h, struct tn_search *s, size_t number, bool keep)
{
    if (is_windows(l) && (!h->path || tn_windows_is_own(l, h->path)))
        return; /* a part of Windows: found, and no more is followed */
    size_t o = loaded_file(l, &h->image);
    if (o != TN_NO_OBJECT) {
        s->object = o;
        tn_hunt_step(h, TN_RULE_LOADED, TN_STEP_TAKEN, o, NULL, l->object[o].path);
        if (keep && !is_musl(l) && !is_windows(l))
            answer_to(l, o, s->name);
        else if (keep && is_musl(l) && !strchr(s->name, '/') && l->object[o].n_names == 0)
            answer_to(l, o, tn_path_base(TN_PATH_POSIX, l->object[o].path)); /* by its own name, not by this one */
        return;
    }
    const char *why = is_musl(l) || is_windows(l) ? NULL : refuses(l, &h->image, s->came);
    if (why) {
        s->outcome = TN_OUTCOME_STOPS;
        s->error = tn_arena_printf(l->mem, "%s: %s", s->name, why);
        return;
    }
    if (!keep)
        return;
    if (l->n_object >= TN_MAX_LOADER_OBJECTS) {
        l->limited = true;
        s->outcome = TN_OUTCOME_UNKNOWN;
        return;
    }
    size_t loader = s->asker;
    if (s->came == TN_CAME_OPEN)
        loader = is_musl(l) ? TN_PROGRAM : TN_NO_OBJECT;
    else if (s->came == TN_CAME_PRELOAD && is_musl(l))
        loader = TN_NO_OBJECT;
    o = add_object(l, h->path, &h->image, loader, number, s->came);
    l->in->exec_stack = l->in->exec_stack || (!l->in->opening && wants_exec_stack(l, &h->image));
    if (!is_windows(l) && (!is_musl(l) || !strchr(s->name, '/')))
        answer_to(l, o, s->name);
    index_names(l, o);
    s->object = o;
}

/* One request; returns its number. keep: load what is found. */
static size_t request(struct tn_loader *l, const char *name, size_t asker, enum tn_came came, bool keep)
{
    struct tn_search *s = new_search(l, name, asker, came);
    size_t number = l->n_search - 1, o = tn_loader_loaded(l, name);
    size_t by = asker;
    if (is_musl(l) && came != TN_CAME_NEED) /* musl's dlopen does not know who called it; nobody asks for a preload */
        by = came == TN_CAME_OPEN ? TN_PROGRAM : TN_NO_OBJECT;
    struct tn_hunt h = {.l = l, .name = name, .asker = by, .outcome = TN_OUTCOME_MISSING};
    bool refused = is_windows(l) && l->in->places.refused; /* flags and name do not go together: before all else */
    if (o != TN_NO_OBJECT && !refused) {
        tn_hunt_step(&h, TN_RULE_LOADED, TN_STEP_TAKEN, o, NULL, l->object[o].path);
        s->outcome = l->object[o].faked ? TN_OUTCOME_MISSING : TN_OUTCOME_FOUND;
        s->object = o;
        s->path = l->object[o].faked ? NULL : l->object[o].path;
        s->error = l->object[o].faked ? l->search[l->object[o].search].error : NULL;
    } else {
        if (is_musl(l))
            tn_hunt_musl(&h);
        else if (is_windows(l))
            tn_hunt_windows(&h);
        else
            tn_hunt_glibc(&h);
        s->outcome = h.unknown ? TN_OUTCOME_UNKNOWN : h.outcome;
        s->path = h.path;
        s->error = h.unknown || h.outcome == TN_OUTCOME_FOUND ? NULL : h.error;
        if (s->outcome == TN_OUTCOME_FOUND)
            map(l, &h, s, number, keep);
    }
    s->step = h.step;
    s->n_step = h.n_step;
    s->shadowed = h.shadowed;
    s->n_shadowed = h.n_shadowed;
    if (s->outcome == TN_OUTCOME_MISSING && s->object == TN_NO_OBJECT && keep && (l->flags & TN_LOADER_TRACE) &&
        l->n_object < TN_MAX_LOADER_OBJECTS) { /* as ldd: a stand-in, so that it is missed once */
        o = add_object(l, name, NULL, asker, number, came);
        l->object[o].faked = true;
        answer_to(l, o, name);
        l->search[number].object = o;
    }
    return number;
}

static bool too_much(struct tn_loader *l)
{
    l->limited = l->limited || l->n_search >= TN_MAX_LOADER_SEARCHES || l->in->steps > TN_MAX_LOADER_STEPS;
    return l->limited;
}

/* A search to speak of a program whose needs nobody read. */
static size_t unknown_start(struct tn_loader *l, size_t program)
{
    struct tn_search *s = new_search(l, l->object[program].path, TN_NO_OBJECT, TN_CAME_PROGRAM);
    s->outcome = TN_OUTCOME_UNKNOWN;
    return l->n_search - 1;
}

/* Windows: what object o takes from the DLL that search n brought may be served by further ones, which are loaded then.
 * The number of a search that fails, or TN_NO_OBJECT. */
static size_t map_forwards(struct tn_loader *l, size_t o, size_t n, size_t *unknown)
{
    const char *dll = l->search[n].name;
    size_t by = l->search[n].object;
    struct tn_list to = {.k = TN_ABSENT};
    if (by != TN_NO_OBJECT && by < l->n_object)
        to = l->object[by].image.forwards;
    for (uint32_t i = 0; to.k == TN_KNOWN && i < to.n && !too_much(l); i++) {
        if (tn_windows_is_part(to.v[i]) || tn_loader_loaded(l, to.v[i]) != TN_NO_OBJECT)
            continue;
        enum tn_know k = l->disk->forwarded
                             ? l->disk->forwarded(l->disk->ctx, l->object[o].path, dll, l->object[by].path, to.v[i])
                             : TN_UNASKED;
        if (k == TN_ABSENT)
            continue;
        if (k != TN_KNOWN) {
            *unknown = *unknown == TN_NO_OBJECT ? n : *unknown;
            continue;
        }
        size_t got = request(l, to.v[i], by, TN_CAME_NEED, true);
        enum tn_outcome end = l->search[got].outcome;
        if (end == TN_OUTCOME_UNKNOWN)
            *unknown = *unknown == TN_NO_OBJECT ? got : *unknown;
        if (end == TN_OUTCOME_MISSING || end == TN_OUTCOME_STOPS) {
            l->search[got].error = "[WinError 127] The specified procedure could not be found";
            return got;
        }
    }
    return TN_NO_OBJECT;
}

static size_t each_need(struct tn_loader *l, size_t first)
{
    size_t unknown = TN_NO_OBJECT;
    for (size_t o = first; o < l->n_object; o++) {
        struct tn_list needed = l->object[o].image.needed;
        bool real = *l->object[o].path && !l->object[o].faked && l->object[o].came != TN_CAME_SELF;
        if (real && needed.k != TN_KNOWN && needed.k != TN_ABSENT) {
            size_t by = l->object[o].search == TN_NO_OBJECT ? unknown_start(l, o) : l->object[o].search;
            l->search[by].outcome = TN_OUTCOME_UNKNOWN;
            unknown = unknown == TN_NO_OBJECT ? by : unknown;
        }
        for (uint32_t i = 0; needed.k == TN_KNOWN && i < needed.n && !too_much(l); i++) {
            const char *name = needed.v[i];
            if (strchr(name, '$') && !is_musl(l) && !is_windows(l)) {
                const char *at = tn_loader_expand(l, o, name, strlen(name));
                name = at && *at ? at : name;
            }
            size_t n = request(l, name, o, TN_CAME_NEED, true);
            enum tn_outcome end = l->search[n].outcome;
            if (end == TN_OUTCOME_UNKNOWN && unknown == TN_NO_OBJECT)
                unknown = n;
            if (end == TN_OUTCOME_STOPS || (end == TN_OUTCOME_MISSING && !(l->flags & TN_LOADER_TRACE)))
                return n;
            if (is_windows(l) && map_forwards(l, o, n, &unknown) != TN_NO_OBJECT)
                return l->n_search - 1;
        }
    }
    return l->limited && unknown == TN_NO_OBJECT && l->n_search ? l->n_search - 1 : unknown;
}

/* Needs of the objects from `first` on, and of what they bring, breadth first. The number of the search that ends it,
 * or of the first whose outcome is not known, or TN_NO_OBJECT. */
static size_t map_needs(struct tn_loader *l, size_t first)
{
    const char *before = l->in->reason;
    l->in->reason = NULL;
    size_t n = each_need(l, first);
    if (!l->in->reason)
        l->in->reason = before;
    return n;
}

static void map_preload(struct tn_loader *l, const char *name)
{
    size_t i = request(l, name, TN_PROGRAM, TN_CAME_PRELOAD, true), o = l->search[i].object;
    if (o != TN_NO_OBJECT && l->object[o].faked)
        forget(l, o);
}

/* /etc/ld.so.preload, in setuid programs too. That it is not there, as on most machines, is the reason that stands. */
static void map_preload_file(struct tn_loader *l)
{
    struct tn_list file = l->process->preload_file;
    if (is_musl(l))
        return;
    if (file.k != TN_KNOWN)
        l->in->reason = file.k == TN_DENIED ? "Permission denied" : "No such file or directory";
    for (uint32_t i = 0; file.k == TN_KNOWN && i < file.n && !too_much(l); i++)
        map_preload(l, file.v[i]);
}

/* LD_PRELOAD: separated by blanks or colons; what is not found is left out. Setuid: plain names alone. */
static void map_preloads(struct tn_loader *l)
{
    const char *separators = is_musl(l) ? ": \t\n\v\f\r" : ": ";
    for (const char *s = l->process->preload ? l->process->preload : ""; *s;) {
        size_t n = strcspn(s, separators);
        if (n && !(l->process->secure && memchr(s, '/', n)) && !too_much(l))
            map_preload(l, tn_arena_strndup(l->mem, s, n));
        s += n + (s[n] != 0);
    }
}

/* The program, and the loader as object 1. */
static bool add_program(struct tn_loader *l)
{
    const struct tn_process *p = l->process;
    struct tn_rec_image program, self;
    memset(&program, 0, sizeof program);
    memset(&self, 0, sizeof self);
    bool known = !p->program || (l->disk->image(l->disk->ctx, p->program, &program) && tn_says(program.seen, "file"));
    if (is_windows(l)) /* one that nobody read: which DLLs it needs is not known, that it runs is */
        known = known || !tn_known(program.seen) || tn_says(program.seen, "failed");
    add_object(l, p->program ? p->program : "", &program, TN_NO_OBJECT, TN_NO_OBJECT, TN_CAME_PROGRAM);
    index_names(l, 0);
    l->in->exec_stack = known && p->program && wants_exec_stack(l, &program);
    if (p->self && !(l->disk->image(l->disk->ctx, p->self, &self) && tn_says(self.seen, "file")))
        memset(&self, 0, sizeof self);
    size_t o = add_object(l, p->self ? p->self : "", &self, TN_NO_OBJECT, TN_NO_OBJECT, TN_CAME_SELF);
    if (p->self)
        answer_to(l, o, tn_known(self.soname) ? self.soname.v : tn_path_base(TN_PATH_POSIX, p->self));
    index_names(l, o);
    return known;
}

static bool no_image(void *ctx, const char *path, struct tn_rec_image *ret)
{
    (void)ctx, (void)path, (void)ret;
    return false;
}

static enum tn_know no_folder(void *ctx, const char *path)
{
    (void)ctx, (void)path;
    return TN_UNASKED;
}

static enum tn_know no_cache(void *ctx, const char *soname, size_t i, struct tn_rec_cached *ret)
{
    (void)ctx, (void)soname, (void)i, (void)ret;
    return TN_UNASKED;
}

/* A fatal lack of a version among the objects from `first` on as the error of search n. */
static bool fails_by_version(struct tn_loader *l, size_t first, size_t n)
{
    size_t lack = tn_loader_versions(l, first);
    if (lack == TN_NO_OBJECT || (l->flags & TN_LOADER_TRACE))
        return false;
    if (n != TN_NO_OBJECT) {
        l->search[n].outcome = TN_OUTCOME_STOPS;
        l->search[n].error = l->lack[lack].text;
    }
    return true;
}

/* Windows: what the program has loaded when it runs, where its own tables did not tell. */
static void add_own(struct tn_loader *l)
{
    const struct tn_windows *w = l->process->windows;
    for (size_t i = 0; i < w->n_own; i++)
        if (tn_loader_loaded(l, w->own[i]) == TN_NO_OBJECT)
            index_names(l, add_object(l, w->own[i], NULL, TN_NO_OBJECT, TN_NO_OBJECT, TN_CAME_SELF));
}

/* Windows: only what is certain to fail keeps a program from starting; it is there, and somebody runs it. */
static void start_windows(struct tn_loader *l)
{
    size_t e = l->in->start_error;
    if (e != TN_NO_OBJECT && l->search[e].outcome == TN_OUTCOME_UNKNOWN)
        l->in->start_error = TN_NO_OBJECT;
    add_own(l);
}

bool tn_loader_start(struct tn_loader *l, const struct tn_process *process, const struct tn_disk *disk,
                     struct tn_arena *mem, unsigned flags)
{
    static const struct tn_disk nothing = {NULL, no_image, no_folder, no_cache, NULL};
    memset(l, 0, sizeof *l);
    l->process = process;
    l->disk = disk ? disk : &nothing;
    l->mem = mem;
    l->flags = flags;
    l->in = tn_arena_alloc(mem, sizeof *l->in);
    l->in->start_error = TN_NO_OBJECT;
    bool known = add_program(l);
    bool env = process->library_path && !process->secure;
    l->in->env = tn_loader_folders_of_text(l, env ? process->library_path : "", is_musl(l) ? ":\n" : ":;");
    struct tn_list defaults = {process->defaults, (uint32_t)process->n_defaults, 0, TN_KNOWN};
    l->in->defaults = tn_loader_folders_of_list(l, TN_NO_OBJECT, defaults);
    if (is_windows(l)) {
        tn_windows_places(l, "", 0);
    } else {
        map_preloads(l);
        map_preload_file(l);
    }
    l->in->start_error = map_needs(l, 0);
    if (l->in->start_error == TN_NO_OBJECT && fails_by_version(l, 0, TN_NO_OBJECT)) {
        new_search(l, process->program ? process->program : "", TN_NO_OBJECT, TN_CAME_PROGRAM);
        l->in->start_error = l->n_search - 1;
        struct tn_search *s = &l->search[l->in->start_error];
        s->outcome = TN_OUTCOME_STOPS;
        s->path = process->program;
        for (size_t i = l->n_lack; i-- > 0;)
            if (l->lack[i].fatal)
                s->error = l->lack[i].text;
    }
    if (is_windows(l))
        start_windows(l);
    l->in->opening = true;
    return known && l->in->start_error == TN_NO_OBJECT;
}

const struct tn_search *tn_loader_start_error(const struct tn_loader *l)
{
    return l->in->start_error == TN_NO_OBJECT ? NULL : &l->search[l->in->start_error];
}

static const struct tn_search *refuse(struct tn_loader *l, const char *name, size_t caller)
{
    l->limited = true;
    if (l->n_search >= TN_MAX_LOADER_SEARCHES)
        l->n_search--;
    struct tn_search *s = new_search(l, tn_arena_strdup(l->mem, name), caller, TN_CAME_OPEN);
    s->outcome = TN_OUTCOME_UNKNOWN;
    return s;
}

const struct tn_search *tn_loader_open(struct tn_loader *l, size_t caller, const char *name)
{
    return tn_loader_open_with(l, caller, name, 0);
}

const struct tn_search *tn_loader_open_with(struct tn_loader *l, size_t caller, const char *name, unsigned flags)
{
    size_t before = l->n_object, from = caller < l->n_object ? caller : TN_PROGRAM;
    if (too_much(l))
        return refuse(l, name, from);
    if (is_windows(l))
        tn_windows_places(l, name, flags);
    size_t n = request(l, tn_arena_strdup(l->mem, name), from, TN_CAME_OPEN, true);
    if (l->search[n].object != TN_NO_OBJECT && l->object[l->search[n].object].faked)
        forget(l, before);
    if (l->search[n].outcome != TN_OUTCOME_FOUND || l->n_object == before)
        return &l->search[n];
    size_t failed = map_needs(l, before);
    if (failed != TN_NO_OBJECT) {
        enum tn_outcome end = l->search[failed].outcome;
        bool sure = !l->limited && (end == TN_OUTCOME_MISSING || end == TN_OUTCOME_STOPS);
        l->search[n].outcome = sure ? TN_OUTCOME_STOPS : TN_OUTCOME_UNKNOWN;
        l->search[n].error = l->search[n].outcome == TN_OUTCOME_STOPS ? l->search[failed].error : NULL;
        l->search[n].cause = failed;
    } else {
        fails_by_version(l, before, n);
    }
    if (l->search[n].outcome == TN_OUTCOME_STOPS)
        forget(l, before);
    return &l->search[n];
}

const struct tn_search *tn_loader_probe(struct tn_loader *l, size_t caller, const char *name)
{
    size_t from = caller < l->n_object ? caller : TN_PROGRAM;
    if (too_much(l))
        return refuse(l, name, from);
    if (is_windows(l))
        tn_windows_places(l, name, 0);
    size_t n = request(l, tn_arena_strdup(l->mem, name), from, TN_CAME_OPEN, false);
    return &l->search[n];
}
