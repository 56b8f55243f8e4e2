/* loader.h - what a dynamic loader would do, that of Linux (glibc, musl) or of Windows: which file it takes for a name,
 * and why no other.
 *
 * Invariant: a pure function of what is known of files (struct tn_disk). What nobody looked at makes an outcome
 * "unknown", never "missing". Nothing is followed without bound and nothing recurses: names that need each other,
 * thousands of needs and megabytes of run path end at the limits of limits.h, with outcome "unknown".
 * Sources: glibc elf/dl-load.c, dl-deps.c, dl-cache.c, dl-version.c, dl-hwcaps.c; musl ldso/dynlink.c; ld.so(8). For
 * Windows: windows.c.
 *
 * A process is started, then libraries are opened from inside loaded objects:
 *
 *     tn_loader_start(&l, &process, &disk, &arena, 0);
 *     const struct tn_search *s = tn_loader_open(&l, TN_PROGRAM, "/site/tensorflow/libtensorflow_framework.so.2");
 *     s = tn_loader_open(&l, s->object, "libcudnn.so.9"); // from inside that library
 */
#ifndef TN_LOADER_LOADER_H
#define TN_LOADER_LOADER_H

#include "snapshot/snapshot.h"

/* What is asked of a machine. Implementations: tn_disk_snapshot (below), tn_disk_world (probe/loader_disk.h). */
struct tn_disk {
    void *ctx;
    /* The file at path, read through links. ret->seen says what is there; false: nobody looked. */
    bool (*image)(void *ctx, const char *path, struct tn_rec_image *ret);
    /* Known: a folder is there. Absent: nothing, or something else. */
    enum tn_know (*folder)(void *ctx, const char *path);
    /* Entry i of ld.so.cache for a name, in the order of the file. Known: *ret is filled in; absent: no more. */
    enum tn_know (*cached)(void *ctx, const char *soname, size_t i, struct tn_rec_cached *ret);
    /* Windows: does the file `importer` import anything of `dll` (found at `exporter`) that this forwards to `target`?
     * Known, absent (it does not), or not known. NULL: never known. */
    enum tn_know (*forwarded)(void *ctx, const char *importer, const char *dll, const char *exporter,
                              const char *target);
};

/* From rows alone: image (by path), dir, cached. The index lies in mem; rows that are added later are found too. */
void tn_disk_snapshot(struct tn_disk *ret, const struct tn_snap *s, struct tn_arena *mem);

/* What Windows searches for one program. Folders without backslash at their end. */
struct tn_windows {
    const char *application; /* folder of the program; NULL: not known (packaged: its package, which holds no CUDA) */
    const char *system, *folder; /* C:\Windows\System32, C:\Windows; NULL: not known */
    const char *const *path;     /* folders of PATH, in order */
    size_t n_path;
    bool path_known;
    bool packaged;            /* a program of the Store: PATH and the Windows folder are not searched */
    bool unsafe;              /* SafeDllSearchMode is off: the working folder comes second */
    bool newest_first;        /* order of AddDllDirectory: as wine; Windows promises none */
    const char *const *added; /* what the program itself adds with AddDllDirectory at its start, in order */
    size_t n_added;
    const char *const *own; /* names that are loaded when it runs, wherever they came from: python310.dll */
    size_t n_own;
};

/* Flags of LoadLibraryEx. */
enum {
    TN_LOAD_ALTERED = 0x8, /* LOAD_WITH_ALTERED_SEARCH_PATH */
    TN_LOAD_DLL_DIR = 0x100,
    TN_LOAD_APPLICATION = 0x200,
    TN_LOAD_USER = 0x400,
    TN_LOAD_SYSTEM = 0x800,
    TN_LOAD_DEFAULT = 0x1000 /* application, user and system */
};

enum tn_process_kind { TN_PROCESS_UNKNOWN, TN_PROCESS_GLIBC, TN_PROCESS_MUSL, TN_PROCESS_WINDOWS };

struct tn_process {
    enum tn_process_kind kind;
    const char *version; /* of the C library; "" when it is not known */
    const char *machine; /* x86_64 ... */
    unsigned bits;
    const char *program;         /* its file, links resolved; NULL when it is not known */
    const char *lib, *platform;  /* $LIB and $PLATFORM; NULL: not known, an element with it leads nowhere we know */
    const char *const *hwcaps;   /* sub folders that are searched before each folder, best first */
    size_t n_hwcaps;             /* "glibc-hwcaps/x86-64-v3" ..., before glibc 2.37 also "tls/haswell" ... */
    const char *const *defaults; /* the loader's own folders */
    size_t n_defaults;
    const char *library_path, *preload; /* LD_LIBRARY_PATH, LD_PRELOAD; "" when not set, NULL when not known */
    struct tn_list preload_file;        /* what /etc/ld.so.preload names; absent: there is none */
    const char *audit;                  /* LD_AUDIT: such modules may change every name; "" when not set */
    const char *cwd;                    /* NULL: not known */
    bool secure;                        /* setuid and its like */
    bool no_cache;                      /* --inhibit-cache */
    bool foreign;                     /* not the system's loader (Nix, Guix): its cache and its folders are not known */
    const char *self;                 /* path of the loader (PT_INTERP); NULL when not known */
    const struct tn_windows *windows; /* of TN_PROCESS_WINDOWS */
};

/* The interpreter of one environment, as this snapshot knows it: env.interpreter, env.loader, host, cpu, search,
 * variable. False when the snapshot does not say enough (no interpreter, another system). env NULL: any program of the
 * system; program is then NULL and may be set. Texts live in mem or in s. */
bool tn_process_of(const struct tn_snap *s, const struct tn_rec_env *env, struct tn_arena *mem, struct tn_process *ret);

#define TN_NO_OBJECT ((size_t)-1)
#define TN_PROGRAM ((size_t)0)

enum tn_rule {
    TN_RULE_LOADED,  /* an object that is loaded already has this name, or is this file */
    TN_RULE_PATH,    /* the name holds a slash */
    TN_RULE_RPATH,   /* DT_RPATH of step.object */
    TN_RULE_ENV,     /* LD_LIBRARY_PATH */
    TN_RULE_RUNPATH, /* DT_RUNPATH of step.object */
    TN_RULE_CACHE,   /* ld.so.cache */
    TN_RULE_DEFAULT, /* the loader's own folders */
    /* Windows: */
    TN_RULE_API_SET, /* api-ms-..., ext-ms-...: names that Windows itself serves, no files */
    TN_RULE_SXS,     /* side by side: a manifest names the assembly */
    TN_RULE_KNOWN,   /* KnownDLLs: always System32's */
    TN_RULE_DLL_DIR, /* folder of the file that the open began with */
    TN_RULE_APP,     /* folder of the program */
    TN_RULE_ADDED,   /* AddDllDirectory: os.add_dll_directory */
    TN_RULE_SET,     /* SetDllDirectory */
    TN_RULE_SYSTEM,  /* System32 */
    TN_RULE_WINDOWS, /* C:\Windows\System, C:\Windows */
    TN_RULE_CWD,     /* the working folder */
    TN_RULE_PATHS    /* PATH */
};

enum tn_step_end {
    TN_STEP_TAKEN,
    TN_STEP_NO_FOLDER, /* the folder is not there; path is NULL */
    TN_STEP_ABSENT,    /* no such file */
    TN_STEP_DENIED,    /* there, but this user may not read it */
    TN_STEP_CLASS,     /* 32 bits for 64 or the other way round: passed over */
    TN_STEP_MACHINE,   /* another processor: passed over */
    TN_STEP_REFUSED,   /* a rule forbids it: a default folder for who wants none (nodeflib), secure mode */
    TN_STEP_DAMAGED,   /* no library: the loader stops here, search.error says with which words */
    TN_STEP_FAILED,    /* reading went wrong */
    TN_STEP_UNKNOWN,   /* nobody looked there: what follows is not certain */
    TN_STEP_NOT_IN     /* the cache does not hold the name */
};

struct tn_step {
    enum tn_rule rule;
    enum tn_step_end end;
    size_t object;      /* whose run path; for TN_RULE_LOADED the object itself; else TN_NO_OBJECT */
    const char *folder; /* searched folder as the loader writes it, without slash at its end; NULL: none */
    const char *path;   /* the file that was tried, or NULL */
};

enum tn_outcome {
    TN_OUTCOME_FOUND,
    TN_OUTCOME_MISSING, /* searched to the end */
    TN_OUTCOME_STOPS,   /* the loader gives up: a damaged file, a missing symbol version, a need that is missing */
    TN_OUTCOME_UNKNOWN
};

enum tn_came {
    TN_CAME_PROGRAM,
    TN_CAME_PRELOAD,
    TN_CAME_NEED,
    TN_CAME_OPEN,
    TN_CAME_SELF /* the loader itself, which is in every process: object 1 */
};

/* One request for one name. */
struct tn_search {
    const char *name;
    size_t asker; /* object that needs it or opens it; TN_NO_OBJECT for the program and what is preloaded */
    enum tn_came came;
    enum tn_outcome outcome; /* of an open: with all its needs */
    size_t object;           /* what it came to; TN_NO_OBJECT when nothing is loaded now */
    const char *path;        /* of the file taken, also when it stops; NULL if none */
    const char *error;       /* what the loader would print (dlerror), NULL unless missing or stops */
    size_t cause;            /* number of the search that failed: this one, or of a need below it */
    struct tn_step *step;
    size_t n_step;
    const char **shadowed; /* further files that would have served, in order, with TN_LOADER_SHADOWS; not the same file
                              under another name */
    size_t n_shadowed;
};

struct tn_object {
    const char *path;          /* as it was opened: what /proc/PID/maps and ldd show, links not resolved */
    const char *origin;        /* $ORIGIN */
    struct tn_rec_image image; /* what is known of it; image.real: links resolved */
    const char **names;        /* by which it was asked for; DT_SONAME counts as well */
    size_t n_names, cap_names;
    size_t loader; /* who brought it; TN_NO_OBJECT for the program and what was preloaded or opened */
    size_t search; /* number of the search that brought it */
    enum tn_came came;
    bool faked;                         /* TN_LOADER_TRACE: stands for a missing library */
    struct tn_folders *rpath, *runpath; /* private */
};

/* A symbol version that is not there. */
struct tn_version_lack {
    size_t object, of;   /* who requires it, of which object */
    const char *version; /* "GLIBCXX_3.4.30" */
    bool fatal;          /* else a warning, or silently accepted */
    const char *text;    /* what the loader would print */
};

enum {
    TN_LOADER_TRACE = 1,  /* go on after a missing library, as ldd does */
    TN_LOADER_SHADOWS = 2 /* look further down the chain for what the taken file hides */
};

struct tn_loader {
    const struct tn_process *process;
    const struct tn_disk *disk;
    struct tn_arena *mem;
    unsigned flags;
    struct tn_object *object; /* in the order of the link map; [0] is the program */
    size_t n_object, cap_object;
    struct tn_search *search;
    size_t n_search, cap_search;
    struct tn_version_lack *lack;
    size_t n_lack, cap_lack;
    bool limited;               /* a limit was met: outcomes from there on are unknown */
    struct tn_loader_inner *in; /* private */
};

/* The program with what is preloaded and with its needs. False when it would not start or when it is not known whether
 * it does: tn_loader_start_error. Libraries can be opened in a started one only. process->program NULL: an empty
 * program that needs nothing. */
bool tn_loader_start(struct tn_loader *l, const struct tn_process *process, const struct tn_disk *disk,
                     struct tn_arena *mem, unsigned flags);
/* The search that made the start fail, or NULL. */
const struct tn_search *tn_loader_start_error(const struct tn_loader *l);

/* dlopen(name) by code of object caller, with its needs, breadth first. What a failed one had loaded is forgotten; its
 * searches stay. Valid until the next call. */
const struct tn_search *tn_loader_open(struct tn_loader *l, size_t caller, const char *name);
/* The same with flags of LoadLibraryEx (Windows; 0 there is LoadLibrary). */
const struct tn_search *tn_loader_open_with(struct tn_loader *l, size_t caller, const char *name, unsigned flags);
/* Windows: what a program does to the searches that follow. folder NULL of the second: SetDllDirectory(NULL); "": the
 * working folder is searched no more. */
void tn_loader_add_folder(struct tn_loader *l, const char *folder);
void tn_loader_set_folder(struct tn_loader *l, const char *folder);
void tn_loader_path_first(struct tn_loader *l, const char *folder);
/* Would it be found: the same without loading anything. */
const struct tn_search *tn_loader_probe(struct tn_loader *l, size_t caller, const char *name);

/* The loaded object that serves a name now (dlopen with RTLD_NOLOAD for a bare name), or TN_NO_OBJECT. */
size_t tn_loader_loaded(const struct tn_loader *l, const char *name);

/* "RPATH", "LD_LIBRARY_PATH" ...: words for JSON and tests. */
const char *tn_rule_word(enum tn_rule r);
const char *tn_step_word(enum tn_step_end e);
const char *tn_outcome_word(enum tn_outcome o);

#endif
