/* env.h - what the parts of the Python probe share: the environments found, and of each the few names that matter.
 *
 * Private to the Python side of probe/ (env*.c, dist*.c, framework*.c). Invariant: a site folder is listed once; the
 * names that no fact can come from are dropped at once. Nothing here judges. */
#ifndef TN_PROBE_ENV_H
#define TN_PROBE_ENV_H

#include "probe/probe.h"

/* What an entry of a site folder or of conda-meta says by its name. */
enum tn_pydist_kind { TN_PYDIST_NONE, TN_PYDIST_INFO, TN_PYDIST_EGG, TN_PYDIST_LEFTOVER, TN_PYDIST_CONDA };

struct tn_pyentry {
    const char *name; /* of the file or folder */
    char type;
    enum tn_pydist_kind kind;              /* NONE: a package folder or a .pth file */
    const char *package, *version, *build; /* package normalised; "" what the name does not say */
};

/* A folder that holds packages: a site folder, or the conda-meta folder of a conda environment. */
struct tn_pysite {
    const char *path;
    enum tn_know got; /* of the listing; its source is src */
    uint32_t src;
    const struct tn_pyentry *entry; /* those that matter, sorted */
    size_t n;
};

struct tn_pyenv {
    const char *prefix;
    const char *real; /* links resolved: what makes two of them one */
    const char *interpreter;
    const char *kind;     /* NULL: nothing there */
    const char *python;   /* version */
    const char *base;     /* prefix of the base interpreter, of a venv */
    const char *home_bin; /* pyvenv.cfg's home */
    const char *name;
    const char *prompt;
    const char *made_by;          /* by pyvenv.cfg: venv, virtualenv, uv; NULL: it does not say */
    const char *machine, *loader; /* of the interpreter's file (env_program.c) */
    const char *chosen_by;
    bool venv, system_site, active, judged, has_framework;
    enum tn_know kind_got, python_got, interpreter_got;
    enum tn_know program_got; /* of the interpreter's file: TN_ABSENT once it was read */
    uint32_t src, kind_src, python_src, interpreter_src, program_src;
    const struct tn_pysite **site;
    size_t n_site, cap_site;
    size_t end_path, end_env, end_user; /* site[0..]: PYTHONPATH's, then its own, the user's and the base's in order */
    bool user_first;                    /* the user's come before its own: all but virtual environments */
    const struct tn_pysite *meta;       /* conda-meta; NULL: no conda environment */
    struct tn_str id_fact;              /* env.id, for the rows that belong to it */
};

/* A place where an environment may be. */
struct tn_pyplace {
    const char *real;        /* prefix */
    const char *interpreter; /* when the place was found by it */
    bool conda;              /* look for conda-meta first */
    bool system;             /* a prefix without pyvenv.cfg or conda-meta is one, too */
};

/* Somebody's choice of an interpreter. */
struct tn_pychoice {
    const char *by, *name, *file, *interpreter;
    struct tn_pyplace place; /* real NULL: it leads to no interpreter */
    enum tn_know exists_got; /* TN_UNASKED: a name alone, which PATH resolves */
    uint32_t src;
};

struct tn_py {
    struct tn_world *w;
    struct tn_snap *s;
    struct tn_arena *mem;
    const struct tn_want *want;
    enum tn_path_style st;
    const char *home, *cwd, *appdata, *localappdata; /* NULL: not known */
    const char *pyenv_root;
    const char *store_alias; /* python.exe of PATH that only opens the Store, no other before it */
    bool live;               /* environment variables are answered */
    bool no_user_site;       /* PYTHONNOUSERSITE */
    struct tn_pyplace *place;
    size_t n_place, cap_place;
    struct tn_pyenv *env;
    size_t n_env, cap_env;
    struct tn_pychoice *choice;
    size_t n_choice, cap_choice;
    const struct tn_pysite **shared; /* site folders that several environments see */
    size_t n_shared, cap_shared;
    enum tn_know trouble; /* a place that could not be looked into */
    uint32_t trouble_src;
    const char *asks_key; /* the last list of names by rule: environments of one release ask for the same */
    const char *asks[16];
    size_t n_asks;
    size_t first_dist; /* first row of dist that belongs to the environment at hand */
    bool full;         /* TN_MAX_ENV_DIRS reached */
};

/* The value of a variable, in p->mem; NULL when not set, empty or not asked. */
const char *tn_pyenv_var(struct tn_py *p, const char *name);
const char *tn_pyenv_join(struct tn_py *p, const char *a, const char *b);
const char *tn_pyenv_join_in(struct tn_py *p, struct tn_arena *mem, const char *a, const char *b);

/* env_place.c: every usual place, into p->place, sorted and without repeats. */
void tn_pyenv_places(struct tn_py *p);
void tn_pyenv_add_place(struct tn_py *p, const char *real, const char *interpreter, bool conda, bool system);
/* Whole children of folder that are folders themselves. */
void tn_pyenv_add_children(struct tn_py *p, const char *folder, bool conda);
void tn_pyenv_sort_places(struct tn_py *p);
/* env_choice.c, env_editor.c: who has chosen an interpreter. What they name becomes a place, too. */
void tn_pychoice_find(struct tn_py *p);
void tn_pychoice_kernels_of(struct tn_py *p, const struct tn_pyenv *e);
void tn_pychoice_editors(struct tn_py *p);
void tn_pychoice_add(struct tn_py *p, const char *by, const char *name, const char *file, const char *interpreter,
                     uint32_t src);
void tn_pychoice_rows(struct tn_py *p);
/* env_windows.c: interpreters of the registry (PEP 514) and of the Store. */
void tn_pyenv_windows_places(struct tn_py *p);
bool tn_pyenv_windows_default(struct tn_py *p, const char **ret_interpreter, const char **ret_why);
/* Is this a 0-byte stub of WindowsApps? *ret_site: the folder of the Store Python behind it, or NULL. */
bool tn_pyenv_store_stub(struct tn_py *p, const char *path, const char **ret_prefix);

/* env_look.c: looks into one prefix. False: no environment there. */
bool tn_pyenv_look(struct tn_py *p, const struct tn_pyplace *at, struct tn_pyenv *ret);
/* The prefix that an interpreter file belongs to, by CPython's rules (Modules/getpath.py). */
bool tn_pyenv_of_interpreter(struct tn_py *p, const char *path, struct tn_pyplace *ret);
/* The first of python3 and python in a folder of interpreters; NULL if none. */
const char *tn_pyenv_python_in(struct tn_py *p, const char *bin);

/* env_program.c: machine and loader of the interpreter's file. */
void tn_pyenv_program(struct tn_py *p, struct tn_pyenv *e);
/* env_count.c: how much an environment holds, for who asked to see everything. */
void tn_pyenv_count(struct tn_py *p, const struct tn_pyenv *e, struct tn_rec_env *r);
/* env_tool.c: what made it; NULL: not known. */
const char *tn_pyenv_tool(struct tn_py *p, const struct tn_pyenv *e);

/* env_site.c: site folders in search order, each listed. */
void tn_pyenv_sites(struct tn_py *p, struct tn_pyenv *e);
void tn_pyenv_add_site(struct tn_py *p, struct tn_pyenv *e, const char *path, bool needed, bool shared);
const struct tn_pysite *tn_pyenv_list(struct tn_py *p, const char *path, bool judged);
/* dist.place of its i-th site folder. */
const char *tn_pyenv_place(const struct tn_pyenv *e, size_t i);
/* The entry of that name in a listing, or NULL. */
const struct tn_pyentry *tn_pyenv_entry(const struct tn_pysite *s, const char *name);

/* env_active.c: which environment is judged. False: none was found. *ret_why is its chosen_by. A VIRTUAL_ENV or
 * CONDA_PREFIX that leads nowhere becomes a row of its own (*ret_dangling). */
struct tn_pyactive {
    struct tn_pyplace place; /* real NULL: none */
    const char *why, *asked; /* asked: what was named and is not there */
    const char *dangling[2], *dangling_by[2];
    const char *virtual_env, *conda_prefix; /* links resolved; NULL when not set or dangling */
};
void tn_pyenv_active(struct tn_py *p, struct tn_pyactive *ret);
/* The interpreter first on PATH, through pyenv's shims. */
bool tn_pyenv_on_path(struct tn_py *p, const char *path, struct tn_pyplace *ret);

/* dist.c, framework.c: rows of one environment. */
void tn_pydist_rows(struct tn_py *p, const struct tn_pyenv *e);
void tn_pyframework_rows(struct tn_py *p, const struct tn_pyenv *e);

/* dist_name.c */
struct tn_pydist_name {
    enum tn_pydist_kind kind;
    char package[256]; /* normalised */
    char version[160]; /* "" if the name has none */
    char build[160];   /* conda */
};
enum tn_pydist_kind tn_pydist_parse(const char *entry, bool conda, struct tn_pydist_name *ret);

#endif
