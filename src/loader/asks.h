/* asks.h - what each framework asks the loader for: the rules of one framework a file (asks_*.c).
 *
 * A rule turns the facts of an environment (its framework row, its packages) into requests in the order in which the
 * framework makes them. It looks at no disk: which file a request leads to is loader.h's matter. A framework that is
 * not known to open a name does not get it: a request is never a guess. */
#ifndef TN_LOADER_ASKS_H
#define TN_LOADER_ASKS_H

#include <stdbool.h>

#include "base/arena.h"
#include "snapshot/snapshot.h"

#define TN_MAX_REQUESTS 64u

enum tn_ask_how {
    TN_ASK_FILE,    /* Python opens a file by its path: an extension module, a provider; what it needs comes with it */
    TN_ASK_NAME,    /* the code of another object opens a bare name */
    TN_ASK_PRELOAD, /* Python opens the first file of that name in the folders `path`, by its path */
    TN_ASK_ADD      /* Windows: os.add_dll_directory(path[0]), if that folder is there; no row comes of it */
};

enum tn_ask_class {
    TN_ASK_REQUIRED, /* without it: what `part` says stops working */
    TN_ASK_OPTIONAL, /* without it one use stops working, and only when it is used */
    TN_ASK_HARMLESS  /* without it nothing is lost that a person would miss */
};

struct tn_ask {
    enum tn_ask_how how;
    enum tn_ask_class is;
    const char *name; /* NAME: soname; PRELOAD: file name, its end may be *: a version; FILE: its base name */
    const char *from; /* NAME: the object whose code opens it: its path, or its bare name when it was itself found
                       * by a search (the copy of libcudnn.so.9 that is loaded by then); NULL: Python's ctypes */
    const char *part; /* what stops working without it: an id of tn_ask_parts */
    const char *const *path; /* FILE: candidates, the first that is there is opened; PRELOAD: folders. Ends with NULL */
    const char *or_name;     /* NAME: tried next when the first name is not found; PRELOAD on Windows: opened by this
                              * name when no file is there; NULL: nothing is */
    bool after_failure;      /* made only when the FILE request before it failed for want of one of those that are made
                              * then; afterwards that one is made again */
    bool stops_rest;         /* PRELOAD: when it finds no file, those that follow it are not made */
    unsigned flags;          /* Windows: of LoadLibraryEx */
    bool if_there;           /* FILE: no request where it is not there */
    bool then_path;          /* FILE on Windows: where it is not found (126), what was added is put before PATH, and
                              * it is opened once more, plainly */
    const char *only_after;  /* PRELOAD: made only when a file whose path holds this text is loaded by then */
};

/* Ids of part, for texts: gpu (no GPU is used), import (the import fails), driver (no driver is reached), dnn (layers
 * of neural networks), linalg, jit (compiling kernels), multi-gpu, profiler, tensorrt. Ends with NULL. */
extern const char *const tn_ask_parts[];

struct tn_asks {
    struct tn_arena *mem;
    const struct tn_snap *s;
    const struct tn_rec_framework *f;
    const struct tn_rec_env *env; /* NULL: not known */
    const char *site;             /* site folder that holds the package; NULL: not known */
    struct tn_ask v[TN_MAX_REQUESTS];
    unsigned n;
};

struct tn_asks_rule {
    const char *framework; /* framework.name */
    void (*run)(struct tn_asks *a);
    const char *call; /* made only by programs that call this function of it; NULL: always */
    bool windows;     /* a rule of Windows; else of Linux */
};

/* TN_ASKS(ident, "name", run); TN_ASKS(ident, "name", run, "call"); */
#define TN_ASKS(ident, name, ...) const struct tn_asks_rule tn_asks_##ident = {.framework = name, .run = __VA_ARGS__}

extern const struct tn_asks_rule *const tn_asks_rules[];

/* The requests of a framework row; false when there is no rule for it, it is no GPU build, or what it asks for is
 * not known. */
bool tn_asks_make(struct tn_asks *a, struct tn_arena *mem, const struct tn_snap *s, const struct tn_rec_framework *f);

/* The same for a program that calls that function of it first ("preload_dlls"). */
bool tn_asks_make_call(struct tn_asks *a, struct tn_arena *mem, const struct tn_snap *s,
                       const struct tn_rec_framework *f, const char *call);

/* "required", "optional", "harmless"; "file", "name", "preload". */
const char *tn_ask_class_word(enum tn_ask_class c);
const char *tn_ask_how_word(enum tn_ask_how h);

/* For rules. A request beyond TN_MAX_REQUESTS is dropped. */
const char *tn_asks_path(struct tn_asks *a, const char *below_site);
const char *tn_asks_own(struct tn_asks *a, const char *below_package);
struct tn_ask *tn_asks_file(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *path);
/* An extension module by its path without suffix: what Python's importlib tries ("x.cpython-311-x86_64-linux-gnu.so",
 * "x.abi3.so", "x.so"). */
struct tn_ask *tn_asks_module(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *path);
struct tn_ask *tn_asks_name(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *from,
                            const char *name);
/* The same in one folder, by its whole path. */
struct tn_ask *tn_asks_preload_in(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *name,
                                  const char *folder);
/* Windows. */
void tn_asks_add(struct tn_asks *a, const char *folder);
/* Flags of an import and of ctypes.CDLL: since Python 3.8 no PATH (asks.c). */
unsigned tn_asks_import_flags(const struct tn_asks *a);
unsigned tn_asks_ctypes_flags(const struct tn_asks *a, bool by_path);
/* Value of an environment variable; NULL: not set or not known. */
const char *tn_asks_variable(const struct tn_asks *a, const char *name);
/* dirs: folders below the site folder, ends with NULL. */
struct tn_ask *tn_asks_preload(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *name,
                               const char *const *dirs);
/* The name of this stem among framework.asks ("libcudnn" -> "libcudnn.so.9"); NULL if none. */
const char *tn_asks_named(const struct tn_asks *a, const char *stem);
/* Major and minor of its release: 2.16 -> 216, 1.4 -> 104; 0 when not known. */
unsigned tn_asks_release(const struct tn_asks *a);
/* Major of the CUDA that it was built for; 0 when not known. */
unsigned tn_asks_cuda(const struct tn_asks *a);
/* The parts that a cuDNN of 8 or 9 opens when they are first used (asks_cudnn.c). */
void tn_asks_cudnn_parts(struct tn_asks *a, const char *main_name);
/* The driver, which the CUDA run time of that name (or the object at that path) opens at its first call. */
void tn_asks_driver(struct tn_asks *a, const char *from);

#endif
