/* library.h - what the parts of the library probe share: folders to look into, files found in them.
 *
 * Private to library*.c. Invariant: a folder is listed once and a file is one row, by its path without links. */
#ifndef TN_PROBE_LIBRARY_H
#define TN_PROBE_LIBRARY_H

#include "image/elf.h"
#include "probe/ask.h"
#include "version/soname.h"

#define TN_LIB_MAX_NAMES 12u

enum tn_lib_place { TN_LIB_SYSTEM, TN_LIB_DRIVER, TN_LIB_TOOLKIT, TN_LIB_ENV, TN_LIB_PATH, TN_LIB_DISK };

struct tn_lib_folder {
    const char *path, *real;
    enum tn_lib_place place;
    const char *env; /* env.id */
    uint32_t env_src;
    bool stubs, compat; /* what its name says; content decides where it can */
    struct tn_answer list;
    uint32_t src;
    bool listed;
};

/* A name under which a file can be asked for, in one folder. */
struct tn_lib_name {
    unsigned folder;
    const char *name;
};

struct tn_lib_file {
    const char *path; /* without links */
    unsigned folder;  /* the first one that led to it */
    struct tn_lib_name name[TN_LIB_MAX_NAMES];
    unsigned n_name;
    const char **link; /* other names of it that a search of the disks met */
    size_t n_link, cap_link;
    const char *soname;
    char stem[64];
    uint64_t size;
    int64_t order; /* place in the loader's search, -1: it does not meet it */
};

/* A package that states a version for the libraries of one environment or toolkit. */
struct tn_lib_package {
    const char *env, *root; /* one of them */
    const char *name;       /* as PEP 503 writes it: nvidia-cublas-cu12 */
    const char *version;
    uint32_t src;
};

/* Texts and their numbers. */
struct tn_lib_slot {
    const char *key;
    int number;
};
struct tn_lib_map {
    struct tn_lib_slot *slot;
    size_t n, cap;
};

struct tn_lib {
    struct tn_probe_ctx *c;
    bool win;
    struct tn_lib_folder *folder;
    size_t n_folder, cap_folder;
    struct tn_lib_map by_path, by_real; /* folders by every path that led to them (-1: to none), and by their own */
    struct tn_lib_file *file;
    size_t n_file, cap_file;
    struct tn_lib_map by_file;
    struct tn_lib_package *package;
    size_t n_package, cap_package;
    struct tn_lib_map by_env; /* the first package of each environment; the others follow it */
    size_t first_of_toolkits;
    enum tn_know trouble; /* a folder outside environments that could not be looked into; else TN_UNASKED */
    uint32_t trouble_src;
    uint32_t lost; /* the source of a look that failed: what was not found may be there; else 0 */
};

/* library_code.c: sass and ptx of the copies that the judged environment or any program would load; a verdict asks for
 * none of them. */
void tn_lib_code(struct tn_lib *l);

/* library_dirs.c: every folder where vendor libraries lie, into l->folder. */
void tn_lib_folders(struct tn_lib *l);
/* The folder's number, added if it is new and there; -1 when it is not there. */
int tn_lib_folder(struct tn_lib *l, const char *path, enum tn_lib_place place);
/* Keeps in mind that the list of libraries may lack some. */
void tn_lib_trouble(struct tn_lib *l, const char *word, const char *path, enum tn_lib_place place,
                    const struct tn_answer *a);
const char *tn_lib_join(struct tn_lib *l, const char *a, const char *b);

/* library_map.c: the number of a text, or TN_LIB_NEW. The key is not copied. */
#define TN_LIB_NEW (-2)
int tn_lib_map_get(const struct tn_lib_map *m, const char *key);
void tn_lib_map_put(struct tn_lib_map *m, struct tn_arena *mem, const char *key, int number);

/* library_name.c: is this the file name of a vendor library? ret: as cut. Driver: of the driver's user space. */
/* May a file of this name be one? A cheap look: for listings (ctx: is the machine Windows). */
bool tn_lib_may_be(const void *ctx, const char *name);
bool tn_lib_name(const char *name, bool win, struct tn_soname *ret);
bool tn_lib_is_driver(const char *stem);

/* library_file.c: fills the row of one file: soname, kind, bits, version. */
void tn_lib_look(struct tn_lib *l, struct tn_lib_file *f, struct tn_rec_library *r);

/* library_disk.c: what want->file names, wherever it lies. */
void tn_lib_disks(struct tn_lib *l);
/* library.c: the file of that path, added if it is new; NULL: too many. */
struct tn_lib_file *tn_lib_add(struct tn_lib *l, unsigned folder, const char *path, const char *stem);

/* library_package.c: versions that packages state, from dist rows of environments and dist-info folders of toolkits. */
void tn_lib_packages(struct tn_lib *l);
/* The version of the one package that the file belongs to; unasked when there is none, or more than one. */
struct tn_str tn_lib_packaged(struct tn_lib *l, const struct tn_lib_file *f);

/* library_order.c: the order in which the loader meets files of equal names. False: no search order is known. */
bool tn_lib_order(struct tn_lib *l);

#endif
