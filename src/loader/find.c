/* find.c - the search for one file: glibc's order, and what a candidate does to it.
 *
 * Rules (glibc elf/dl-load.c: _dl_map_new_object, open_path, open_verify; elf/dl-cache.c):
 *   1  if the asker has no DT_RUNPATH: DT_RPATH of the asker, of who brought it, and so on; then of the program. Who
 *      has DT_RUNPATH gives no DT_RPATH
 *   2  LD_LIBRARY_PATH    3  DT_RUNPATH of the asker alone    4  ld.so.cache    5  the default folders
 * A file that is not there or may not be read, one of another class and one for another processor are passed over.
 * One that is no library at all stops the search with an error. Another error of opening (a loop of links, a name too
 * long) ends the list of folders in which it is met, if its folder is there. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

#define MUSL_BUFFER 512u /* 2 * NAME_MAX + 2: longer paths are passed over (load_library, path_open) */

static const char absent[] = "No such file or directory", denied[] = "Permission denied",
                  broken[] = "Input/output error";

/* The loader itself knows few words; the C library, which speaks for dlopen, knows all. */
static const char *loop(const struct tn_loader *l)
{
    return l->in->opening ? "Too many levels of symbolic links" : "Error 40";
}

static const char *too_long(const struct tn_loader *l)
{
    return l->in->opening ? "File name too long" : "Error 36";
}

bool tn_flag(const struct tn_rec_image *i, const char *flag)
{
    return i->flags.k == TN_KNOWN && tn_list_has(i->flags, flag);
}

void tn_hunt_step(struct tn_hunt *h, enum tn_rule rule, enum tn_step_end end, size_t object, const char *folder,
                  const char *path)
{
    if (h->taken)
        return;
    h->step = tn_arena_grow(h->l->mem, h->step, h->n_step, &h->cap_step, sizeof *h->step);
    h->step[h->n_step++] = (struct tn_step){rule, end, object, folder, path};
    h->unknown = h->unknown || end == TN_STEP_UNKNOWN;
}

/* Why a file with an ELF header is no library for anybody, in glibc's words. */
static const char *damage_text(const struct tn_rec_image *i)
{
    static const struct {
        const char *word, *text;
    } of[] = {{"encoding", "ELF file data encoding not little-endian"},
              {"version", "ELF file version ident does not match current one"},
              {"padding", "nonzero padding in e_ident"},
              {"e_version", "ELF file version does not match current one"}},
      late[] = {{"type", "only ET_DYN and ET_EXEC can be loaded"},
                {"phentsize", "ELF file's phentsize not the expected size"},
                {"headers", "cannot read file data"}};
    if (i->damage.k != TN_KNOWN)
        return NULL;
    for (size_t k = 0; k < TN_LEN(of); k++)
        if (strcmp(i->damage.v, of[k].word) == 0)
            return of[k].text;
    for (size_t k = 0; k < TN_LEN(late); k++)
        if (strcmp(i->damage.v, late[k].word) == 0)
            return late[k].text;
    return NULL;
}

/* ELFOSABI_SYSV 0 with ABI version 0; ELFOSABI_GNU 3 with the versions that glibc knows (LIBC_ABI_MAX). */
static bool osabi_fits(int64_t v)
{
    return v == 0 || ((v & 255) == 3 && v >> 8 < 4);
}

static const char *osabi_text(int64_t v)
{
    return (v & 255) != 0 && (v & 255) != 3 ? "ELF file OS ABI invalid" : "ELF file ABI version invalid";
}

/* What opening this file and looking at its header comes to. */
static enum tn_step_end examine(struct tn_hunt *h, const char *path, struct tn_rec_image *i, const char **error)
{
    const struct tn_process *p = h->l->process;
    const char **reason = &h->l->in->reason;
    memset(i, 0, sizeof *i);
    if (!h->l->disk->image(h->l->disk->ctx, path, i) || i->seen.k != TN_KNOWN)
        return TN_STEP_UNKNOWN;
    if (tn_says(i->seen, "none") || tn_says(i->seen, "denied")) {
        bool no = tn_says(i->seen, "none");
        *reason = no ? absent : denied;
        return no ? TN_STEP_ABSENT : TN_STEP_DENIED;
    }
    if (tn_says(i->seen, "loop") || tn_says(i->seen, "long")) {
        *reason = tn_says(i->seen, "loop") ? loop(h->l) : too_long(h->l);
        return TN_STEP_FAILED;
    }
    if (tn_says(i->seen, "folder")) {
        *error = h->l->in->opening ? "cannot read file data: Is a directory" : "cannot read file data: Error 21";
        return TN_STEP_DAMAGED;
    }
    if (tn_says(i->seen, "failed")) {
        *reason = broken;
        *error = "cannot read file data: Input/output error";
        return TN_STEP_DAMAGED;
    }
    if (!tn_says(i->seen, "file"))
        return TN_STEP_UNKNOWN;
    if (tn_says(i->damage, "short") || tn_says(i->damage, "not-elf")) {
        *error = tn_says(i->damage, "short") ? "file too short" : "invalid ELF header";
        return TN_STEP_DAMAGED;
    }
    *reason = absent;
    if (i->bits.k == TN_KNOWN && i->bits.v != p->bits) {
        h->other_class = true;
        return TN_STEP_CLASS;
    }
    const char *text = damage_text(i);
    bool early =
        text && !tn_says(i->damage, "type") && !tn_says(i->damage, "phentsize") && !tn_says(i->damage, "headers");
    if (early || (i->osabi.k == TN_KNOWN && !osabi_fits(i->osabi.v))) {
        *error = early ? text : osabi_text(i->osabi.v);
        return TN_STEP_DAMAGED;
    }
    if (tn_known(i->machine) && strcmp(i->machine.v, p->machine) != 0)
        return TN_STEP_MACHINE;
    *error = text;
    return text ? TN_STEP_DAMAGED : TN_STEP_TAKEN;
}

/* musl takes the first file that opens; what it is decides only whether the search fails there. Of the header it looks
 * at the type, the table of segments and whether there is a dynamic section (map_library). A file of another class or
 * processor, or of the other byte order, fails there or at the latest when it is relocated. */
static enum tn_step_end examine_musl(struct tn_hunt *h, const char *path, struct tn_rec_image *i, const char **error)
{
    static const char *const unseen[] = {"version", "padding", "e_version"};
    enum tn_step_end end = examine(h, path, i, error);
    bool other = end == TN_STEP_CLASS || end == TN_STEP_MACHINE;
    if (end == TN_STEP_FAILED && tn_says(i->seen, "long")) { /* ENAMETOOLONG: the search goes on */
        h->l->in->reason = "Filename too long";
        return TN_STEP_ABSENT;
    }
    if (end == TN_STEP_FAILED)
        h->l->in->reason = "Symbolic link loop";
    if (end == TN_STEP_DAMAGED && tn_says(i->seen, "file")) {
        bool fine = i->damage.k == TN_ABSENT; /* OSABI */
        for (size_t k = 0; k < TN_LEN(unseen); k++)
            fine = fine || tn_says(i->damage, unseen[k]);
        if (fine)
            end = TN_STEP_TAKEN;
    }
    if (end == TN_STEP_TAKEN && tn_flag(i, "no-dynamic"))
        end = TN_STEP_DAMAGED;
    if (other || (end == TN_STEP_DAMAGED && !tn_says(i->seen, "folder"))) {
        *error = tn_says(i->seen, "failed") ? "I/O error" : "Exec format error";
        return TN_STEP_DAMAGED;
    }
    if (end == TN_STEP_DAMAGED)
        *error = "Is a directory";
    return end;
}

static bool same_file(const struct tn_rec_image *a, const struct tn_rec_image *b)
{
    if (tn_known(a->id) && tn_known(b->id))
        return strcmp(a->id.v, b->id.v) == 0;
    return tn_known(a->real) && tn_known(b->real) && strcmp(a->real.v, b->real.v) == 0;
}

void tn_hunt_shadow(struct tn_hunt *h, const char *path, const struct tn_rec_image *i)
{
    if (same_file(i, &h->image) || h->n_shadowed >= 256)
        return;
    for (size_t k = 0; k < h->n_shadowed; k++)
        if (strcmp(h->shadowed[k], path) == 0)
            return;
    h->shadowed = tn_arena_grow(h->l->mem, h->shadowed, h->n_shadowed, &h->cap_shadowed, sizeof *h->shadowed);
    h->shadowed[h->n_shadowed++] = path;
}

enum tn_try tn_hunt_file(struct tn_hunt *h, enum tn_rule rule, size_t object, const char *folder, const char *path)
{
    struct tn_rec_image i;
    const char *error = NULL;
    if (++h->l->in->steps > TN_MAX_LOADER_STEPS) {
        h->l->limited = h->unknown = true;
        return TN_TRY_STOPS;
    }
    enum tn_step_end end = h->musl ? examine_musl(h, path, &i, &error) : examine(h, path, &i, &error);
    tn_hunt_step(h, rule, end, object, folder, path);
    if (h->taken) {
        if (end == TN_STEP_TAKEN)
            tn_hunt_shadow(h, path, &i);
        return TN_TRY_NEXT;
    }
    switch (end) {
    case TN_STEP_TAKEN:
        h->image = i;
        h->path = path;
        h->outcome = TN_OUTCOME_FOUND;
        h->l->in->reason = NULL; /* errno is 0 once a file is open */
        h->taken = (h->l->flags & TN_LOADER_SHADOWS) != 0;
        return h->taken ? TN_TRY_NEXT : TN_TRY_TAKEN;
    case TN_STEP_DAMAGED:
        h->path = path;
        h->outcome = TN_OUTCOME_STOPS;
        h->error = h->musl ? error : tn_arena_printf(h->l->mem, "%s: %s", path, error);
        return TN_TRY_STOPS;
    case TN_STEP_FAILED: return TN_TRY_LIST_ENDS;
    default: return TN_TRY_NEXT;
    }
}

static enum tn_try in_folder(struct tn_hunt *h, enum tn_rule rule, size_t object, struct tn_folder *f)
{
    struct tn_arena *mem = h->l->mem;
    if (!h->musl)
        tn_loader_hardware(h->l, f);
    if (f->sub_unknown)
        tn_hunt_step(h, rule, TN_STEP_UNKNOWN, object, f->path, NULL);
    for (size_t i = 0; i < f->n_sub; i++) {
        enum tn_try t = tn_hunt_file(h, rule, object, f->path, tn_arena_printf(mem, "%s%s", f->sub[i], h->name));
        if (t == TN_TRY_STOPS || t == TN_TRY_TAKEN)
            return t;
    }
    if (h->musl && strlen(f->prefix) + strlen(h->name) >= MUSL_BUFFER) {
        tn_hunt_step(h, rule, TN_STEP_REFUSED, object, f->path, NULL);
        return TN_TRY_NEXT;
    }
    /* what the last one came to decides whether the list goes on */
    enum tn_try t = tn_hunt_file(h, rule, object, f->path, tn_arena_printf(mem, "%s%s", f->prefix, h->name));
    /* before 2.38 glibc asked whether "" is a folder when it meant "/": its answer hides what the file came to */
    if ((t == TN_TRY_NEXT || t == TN_TRY_LIST_ENDS) && !h->taken && !h->musl && strcmp(f->path, "/") == 0 &&
        !tn_process_is(h->l->process, 2, 38)) {
        f->there = TN_ABSENT, f->missed = true;
        h->l->in->reason = absent;
        t = TN_TRY_NEXT;
    }
    return t;
}

/* A folder that cannot be looked at is one that is not there (open_path: stat fails); the file in it, which glibc tries
 * first, fails for the same reason. False: nobody knows the reason. */
static bool out_of_reach(struct tn_hunt *h, const struct tn_folder *f)
{
    struct tn_rec_image i;
    const char *error;
    return f->there == TN_FAILED && !h->musl &&
           (f->missed ||
            examine(h, tn_arena_printf(h->l->mem, "%s%s", f->prefix, h->name), &i, &error) == TN_STEP_FAILED);
}

enum tn_try tn_hunt_folders(struct tn_hunt *h, enum tn_rule rule, size_t object, const struct tn_folders *list)
{
    if (list->unknown)
        tn_hunt_step(h, rule, TN_STEP_UNKNOWN, object, NULL, NULL);
    for (size_t i = 0; i < list->n; i++) {
        struct tn_folder *f = tn_loader_folder(h->l, list->v[i]);
        bool closed = out_of_reach(h, f);
        if (f->there == TN_ABSENT || f->there == TN_DENIED || closed) {
            if (!f->missed && !closed) /* later the loader knows and does not try */
                h->l->in->reason = f->there == TN_ABSENT ? absent : denied;
            f->missed = true;
            if (++h->l->in->steps > TN_MAX_LOADER_STEPS) {
                h->l->limited = h->unknown = true;
                return TN_TRY_STOPS;
            }
            tn_hunt_step(h, rule, TN_STEP_NO_FOLDER, object, f->path, NULL);
            continue;
        }
        if (f->there != TN_KNOWN && h->l->process->n_hwcaps)
            tn_hunt_step(h, rule, TN_STEP_UNKNOWN, object, f->path, NULL);
        enum tn_try t = f->there == TN_KNOWN ? in_folder(h, rule, object, f)
                                             : tn_hunt_file(h, rule, object, f->path,
                                                            tn_arena_printf(h->l->mem, "%s%s", f->prefix, h->name));
        if (t != TN_TRY_NEXT)
            return t;
    }
    return TN_TRY_NEXT;
}

/* Rule 1. */
static enum tn_try by_rpath(struct tn_hunt *h)
{
    struct tn_loader *l = h->l;
    bool did_program = false;
    size_t bound = l->n_object + 1;
    if (h->asker != TN_NO_OBJECT && l->object[h->asker].image.runpath.k == TN_KNOWN)
        return TN_TRY_NEXT;
    for (size_t o = h->asker; o != TN_NO_OBJECT && bound--; o = l->object[o].loader) {
        enum tn_try t = tn_hunt_folders(h, TN_RULE_RPATH, o, tn_loader_rpath(l, o));
        if (t == TN_TRY_TAKEN || t == TN_TRY_STOPS)
            return t;
        did_program = did_program || o == TN_PROGRAM;
    }
    return did_program ? TN_TRY_NEXT : tn_hunt_folders(h, TN_RULE_RPATH, TN_PROGRAM, tn_loader_rpath(l, TN_PROGRAM));
}

/* _DL_CACHE_DEFAULT_ID of each machine (sysdeps/.../dl-cache.h, ldconfig.h). */
static bool flags_fit(const struct tn_process *p, struct tn_int flags)
{
    if (flags.k != TN_KNOWN)
        return true;
    if (tn_str_eq(p->machine, "x86_64"))
        return flags.v == 0x303;
    if (tn_str_eq(p->machine, "aarch64"))
        return flags.v == 0xa03;
    if (tn_str_eq(p->machine, "ppc64le"))
        return flags.v == 0x503 || flags.v == 3;
    return flags.v == 1 || flags.v == 3;
}

/* Place of a named hardware folder among those of this process; SIZE_MAX: not usable. */
static size_t hwcap_rank(const struct tn_process *p, const char *name)
{
    static const char head[] = "glibc-hwcaps/";
    for (size_t i = 0; i < p->n_hwcaps; i++)
        if (tn_str_starts(p->hwcaps[i], head) && strcmp(p->hwcaps[i] + sizeof head - 1, name) == 0)
            return i;
    return SIZE_MAX;
}

/* Bits of old kinds of folders that count before glibc 2.37 (sysdeps/x86/dl-hwcap.h, dl-procinfo.h of 2.36: platforms
 * from bit 48 on in the order i586, i686, haswell, xeon_phi; tls is bit 63). */
static uint64_t legacy_bits(const struct tn_process *p)
{
    static const struct {
        const char *folder;
        unsigned bit;
    } of[] = {{"x86_64", 1}, {"avx512_1", 2}, {"haswell", 50}, {"xeon_phi", 51}, {"tls", 63}};
    uint64_t bits = 0;
    for (size_t i = 0; i < p->n_hwcaps; i++)
        for (size_t k = 0; k < TN_LEN(of); k++)
            if (strcmp(p->hwcaps[i], of[k].folder) == 0)
                bits |= (uint64_t)1 << of[k].bit;
    return bits;
}

/* The entry that the loader takes: the best usable hardware folder, else the first plain one (search_cache). */
static const char *cache_entry(struct tn_hunt *h, bool *unknown)
{
    const struct tn_process *p = h->l->process;
    const char *best = NULL;
    size_t best_rank = SIZE_MAX;
    uint64_t legacy = legacy_bits(p);
    for (size_t i = 0; i < TN_MAX_LIST; i++) {
        struct tn_rec_cached e;
        memset(&e, 0, sizeof e);
        enum tn_know k = h->l->disk->cached(h->l->disk->ctx, h->name, i, &e);
        *unknown = *unknown || (k != TN_KNOWN && k != TN_ABSENT);
        if (k != TN_KNOWN)
            break;
        if (!tn_known(e.path) || !flags_fit(p, e.flags))
            continue;
        if (tn_known(e.hwcap)) {
            size_t rank = hwcap_rank(p, e.hwcap.v);
            if (rank < best_rank) {
                best = e.path.v;
                best_rank = rank;
            }
            continue;
        }
        if (best)
            break;
        if (e.legacy.k == TN_KNOWN && ((uint64_t)e.legacy.v & ~legacy) != 0)
            continue;
        best = e.path.v;
        break;
    }
    return best;
}

static bool in_default_folder(const struct tn_process *p, const char *path)
{
    for (size_t i = 0; i < p->n_defaults; i++) {
        size_t n = strlen(p->defaults[i]);
        if (strncmp(path, p->defaults[i], n) == 0 && path[n] == '/')
            return true;
    }
    return false;
}

/* Rules 4 and 5. */
static enum tn_try by_system(struct tn_hunt *h)
{
    struct tn_loader *l = h->l;
    const struct tn_process *p = l->process;
    const struct tn_rec_image *asker = &l->object[h->asker == TN_NO_OBJECT ? TN_PROGRAM : h->asker].image;
    bool nodeflib = tn_flag(asker, "nodeflib"), unknown = false;
    if (p->foreign) {
        tn_hunt_step(h, TN_RULE_CACHE, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
        return TN_TRY_NEXT;
    }
    const char *path = p->no_cache ? NULL : cache_entry(h, &unknown);
    if (unknown)
        tn_hunt_step(h, TN_RULE_CACHE, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
    if (path && nodeflib && in_default_folder(p, path)) {
        tn_hunt_step(h, TN_RULE_CACHE, TN_STEP_REFUSED, TN_NO_OBJECT, NULL, path);
    } else if (path) {
        enum tn_try t = tn_hunt_file(h, TN_RULE_CACHE, TN_NO_OBJECT, NULL, path);
        if (t == TN_TRY_TAKEN || t == TN_TRY_STOPS)
            return t;
    } else if (!p->no_cache && !unknown) {
        tn_hunt_step(h, TN_RULE_CACHE, TN_STEP_NOT_IN, TN_NO_OBJECT, NULL, NULL);
    }
    if (nodeflib) {
        tn_hunt_step(h, TN_RULE_DEFAULT, TN_STEP_REFUSED, TN_NO_OBJECT, NULL, NULL);
        return TN_TRY_NEXT;
    }
    return tn_hunt_folders(h, TN_RULE_DEFAULT, TN_NO_OBJECT, l->in->defaults);
}

static void by_name(struct tn_hunt *h)
{
    struct tn_loader *l = h->l;
    enum tn_try t = by_rpath(h);
    if (t == TN_TRY_TAKEN || t == TN_TRY_STOPS)
        return;
    if (!l->process->library_path)
        tn_hunt_step(h, TN_RULE_ENV, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
    t = tn_hunt_folders(h, TN_RULE_ENV, TN_NO_OBJECT, l->in->env);
    if (t == TN_TRY_TAKEN || t == TN_TRY_STOPS)
        return;
    if (h->asker != TN_NO_OBJECT) {
        t = tn_hunt_folders(h, TN_RULE_RUNPATH, h->asker, tn_loader_runpath(l, h->asker));
        if (t == TN_TRY_TAKEN || t == TN_TRY_STOPS)
            return;
    }
    by_system(h);
}

void tn_hunt_glibc(struct tn_hunt *h)
{
    struct tn_loader *l = h->l;
    if (strchr(h->name, '/')) {
        const char *path = tn_loader_expand(l, h->asker, h->name, strlen(h->name));
        if (path)
            tn_hunt_file(h, TN_RULE_PATH, TN_NO_OBJECT, NULL, path);
    } else {
        by_name(h);
    }
    if (h->outcome == TN_OUTCOME_FOUND || h->outcome == TN_OUTCOME_STOPS)
        return;
    const char *reason = l->in->reason; /* of the last file that was tried; none when none was */
    h->error = h->other_class ? tn_arena_printf(l->mem, "%s: wrong ELF class: ELFCLASS%s", h->name,
                                                l->process->bits == 64 ? "32" : "64")
                              : tn_arena_printf(l->mem, "%s: cannot open shared object file%s%s", h->name,
                                                reason ? ": " : "", reason ? reason : "");
}
