/* inner.h - what the files of this folder share. Private to loader/. */
#ifndef TN_LOADER_INNER_H
#define TN_LOADER_INNER_H

#include "base/limits.h"
#include "loader/loader.h"

/* A folder that somebody searches, once for the whole process. */
struct tn_folder {
    const char *path;   /* without slash at its end; "" is the working folder, "/" the root */
    const char *prefix; /* what stands before a name: "/usr/lib/", "" */
    enum tn_know there; /* relative ones count as there, as the working folder may change */
    const char **sub;   /* prefixes of its folders for this hardware, best first */
    size_t n_sub;
    bool sub_asked, sub_unknown;
    bool missed; /* not there, and tried once */
};

struct tn_folders { /* an expanded search path: numbers of folders, each once */
    uint32_t *v;
    size_t n;
    bool unknown; /* there may be more of them: the tag could not be read, or where its object lies is not known */
};

struct tn_name {
    const char *text; /* NULL: free */
    uint32_t hash;
    size_t object;
};

struct tn_names { /* hash table of a power of two; object tells whose */
    struct tn_name *v;
    size_t n, cap;
};

struct tn_place { /* a folder that Windows searches */
    enum tn_rule rule;
    const char *folder;
};

struct tn_places {
    struct tn_place *v;
    size_t n, cap;
    bool refused; /* these flags with this name are an error (87) */
};

struct tn_loader_inner {
    struct tn_folder *folder;
    size_t n_folder, cap_folder;
    struct tn_names folder_names; /* object: number of the folder */
    struct tn_names names;        /* by which objects answer */
    struct tn_names files;        /* ids and paths of their files */
    struct tn_names versions;     /* version nodes of objects */
    size_t steps;                 /* places looked at, all together */
    struct tn_folders *env, *defaults;
    bool exec_stack; /* the process has an executable stack */
    bool opening;    /* dlopen, not the start */
    size_t start_error;
    struct tn_places places, added, first; /* Windows: of the open at hand; AddDllDirectory; put before PATH */
    const char *set;                       /* Windows: SetDllDirectory */
    const char *reason; /* why the last file could not be opened (errno): No such file or directory ...; NULL: none */
};

/* names.c */
uint32_t tn_loader_hash(const char *s);
/* Adds unless there is one of this text (and, with own, of this object). */
void tn_names_add(struct tn_arena *mem, struct tn_names *t, const char *text, size_t object, bool own);
size_t tn_names_find(const struct tn_names *t, const char *text);
bool tn_names_has(const struct tn_names *t, const char *text, size_t object);

/* folders.c */
/* With tokens replaced; NULL when the loader drops such a text. */
const char *tn_loader_expand(struct tn_loader *l, size_t object, const char *s, size_t n);
bool tn_loader_is_whole(const char *path); /* not relative to the working folder */
struct tn_folders *tn_loader_folders_of_list(struct tn_loader *l, size_t object, struct tn_list list);
struct tn_folders *tn_loader_folders_of_text(struct tn_loader *l, const char *text, const char *separators);
struct tn_folder *tn_loader_folder(struct tn_loader *l, uint32_t i);
void tn_loader_hardware(struct tn_loader *l, struct tn_folder *f);
/* Those of an object's tags; empty when there are none or when they do not count. Made once. */
const struct tn_folders *tn_loader_rpath(struct tn_loader *l, size_t object);
const struct tn_folders *tn_loader_runpath(struct tn_loader *l, size_t object);

/* find.c */
struct tn_hunt {
    struct tn_loader *l;
    const char *name;
    size_t asker;
    enum tn_outcome outcome;
    const char *path, *error;
    struct tn_rec_image image; /* of path, when found */
    bool other_class, unknown;
    bool taken; /* looking on for what is shadowed */
    struct tn_step *step;
    size_t n_step, cap_step;
    const char **shadowed;
    size_t n_shadowed, cap_shadowed;
    bool musl;
};

enum tn_try { TN_TRY_NEXT, TN_TRY_TAKEN, TN_TRY_LIST_ENDS, TN_TRY_STOPS };

enum tn_try tn_hunt_file(struct tn_hunt *h, enum tn_rule rule, size_t object, const char *folder, const char *path);
enum tn_try tn_hunt_folders(struct tn_hunt *h, enum tn_rule rule, size_t object, const struct tn_folders *f);
void tn_hunt_step(struct tn_hunt *h, enum tn_rule rule, enum tn_step_end end, size_t object, const char *folder,
                  const char *path);
/* The search for a file by name; fills in outcome, path, image, error. */
void tn_hunt_glibc(struct tn_hunt *h);
void tn_hunt_musl(struct tn_hunt *h);
/* Names that musl keeps for itself: libc., libpthread. ... */
bool tn_loader_musl_own(const char *name);

/* What the taken file hides; not the same file under another name. */
void tn_hunt_shadow(struct tn_hunt *h, const char *path, const struct tn_rec_image *i);
/* process_windows.c */
bool tn_process_windows(const struct tn_snap *s, const struct tn_rec_env *env, struct tn_arena *mem,
                        struct tn_process *ret);
/* windows.c */
void tn_hunt_windows(struct tn_hunt *h);
/* The folders that an open of that name searches, with what its needs search. */
void tn_windows_places(struct tn_loader *l, const char *name, unsigned flags);
/* How names are compared: base name, ".dll" added where it has no ending, ASCII lower case. */
const char *tn_windows_key(struct tn_loader *l, const char *name);
bool tn_windows_is_path(const char *name);
/* Is the file a part of Windows, whose needs are Windows' own matter? */
bool tn_windows_is_own(const struct tn_loader *l, const char *path);
bool tn_windows_is_part(const char *name);

/* version.c */
/* Checks what the objects from `first` on require; the number of the first lack that is fatal, or TN_NO_OBJECT. */
size_t tn_loader_versions(struct tn_loader *l, size_t first);

bool tn_flag(const struct tn_rec_image *i, const char *flag);
/* "2.37" or newer; an unknown version counts as new. */
bool tn_process_is(const struct tn_process *p, unsigned major, unsigned minor);

#endif
