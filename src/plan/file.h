/* file.h - what files ask for: requirements.txt, environment.yml, pyproject.toml, locks, Dockerfile, an image's
 * configuration, the name of a wheel; as lines that become wishes.
 *
 * Pure: bytes in, lines out; a file that another one names comes through a callback, to a depth of TN_MAX_WISH_DEPTH.
 * Nothing is guessed: a line that is not understood stays in the list and says so. Input is hostile: bytes, lines,
 * files and depth are bounded. */
#ifndef TN_PLAN_FILE_H
#define TN_PLAN_FILE_H

#include "plan/plan.h"
#include "version/requirement.h"

enum tn_file_kind {
    TN_FILE_REQUIREMENTS,
    TN_FILE_CONDA, /* environment.yml */
    TN_FILE_PYPROJECT,
    TN_FILE_LOCK, /* uv.lock, poetry.lock, pylock.toml */
    TN_FILE_DOCKER,
    TN_FILE_IMAGE, /* docker inspect, OCI image configuration */
    TN_FILE_WHEEL,
    TN_FILE_KINDS
};

enum tn_line_what {
    TN_LINE_WANT,
    TN_LINE_CONSTRAINT, /* binds what is wanted elsewhere */
    TN_LINE_PYTHON,     /* spec: ">=3.9" */
    TN_LINE_CUDA,       /* spec: "11.8" */
    TN_LINE_INDEX,      /* spec: the index */
    TN_LINE_FILE,       /* another file, or a project, that is not read: note says why */
    TN_LINE_IMAGE,      /* spec: the image that it stands on */
    TN_LINE_REQUIRE,    /* spec: NAME=VALUE of an image's NVIDIA_REQUIRE_ variable, or CUDA_VERSION and its like */
    TN_LINE_BROKEN      /* note says why */
};

struct tn_wish_line {
    enum tn_line_what what;
    const char *file, *text; /* as written, cut to TN_MAX_WISH_TEXT */
    unsigned line;           /* from 1; 0: the file as a whole */
    const char *spec;        /* a requirement without its marker and options; see above */
    enum tn_marker_truth marker;
    const char *note; /* English; "" */
    bool conda;       /* of conda, not pip */
    bool gpu, cpu;    /* another name than the one in spec says so */
    bool open;        /* what it asks for is not known */
    bool included;    /* a file that this one names by -r or -c */
    int wish, other;  /* number in tn_plan_wishes, -1 */
    int say, n_say;   /* what was said of its name: numbers in tn_plan_wishes.say */
};

struct tn_wish_file {
    enum tn_file_kind kind;
    struct tn_wish_line *v;
    size_t n, cap;
    bool cut;        /* larger than the limits: the rest was not read */
    unsigned n_read; /* other files */
    size_t bytes;    /* of them */
};

/* Bytes of a file that another one names; path is relative to where the first one is. */
typedef int (*tn_wish_read)(void *ctx, const char *path, struct tn_span *ret, struct tn_err *err);

struct tn_wish_reader {
    struct tn_arena *mem;
    const char *name;         /* of the file, as it is shown and as others are found from it */
    struct tn_marker_env env; /* NULL: not known */
    const char *extras;       /* of pyproject.toml: groups that are wanted too, with one blank between */
    tn_wish_read read;        /* NULL: others are not read */
    void *ctx;
};

/* By its name, else by its first bytes. */
enum tn_file_kind tn_wish_file_kind(const char *name, struct tn_span text);
const char *tn_file_kind_word(enum tn_file_kind k);

/* text: UTF-8. TN_E_FORMAT: it is none of the kind; TN_E_LIMIT. */
int tn_wish_file_read(const struct tn_wish_reader *r, enum tn_file_kind kind, struct tn_span text,
                      struct tn_wish_file *ret, struct tn_err *err);

/* The lines that hold on this machine as wishes. A line that makes no wish becomes TN_LINE_BROKEN. */
void tn_wish_file_wishes(struct tn_arena *mem, struct tn_wish_file *f, struct tn_plan_wishes *w);

/* What a marker asks of a machine; python "" if not known. */
void tn_wish_markers(struct tn_arena *mem, const struct tn_plan_machine *m, const char *python,
                     struct tn_marker_env *ret);

/* For the files file_*.c. */
struct tn_wish_line *tn_wish_line_add(const struct tn_wish_reader *r, struct tn_wish_file *f, enum tn_line_what what,
                                      unsigned line, struct tn_span text);
/* A requirement with its marker, without options. */
void tn_wish_line_requirement(const struct tn_wish_reader *r, struct tn_wish_file *f, enum tn_line_what what,
                              unsigned line, struct tn_span text, struct tn_span requirement);
void tn_wish_line_broken(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line, struct tn_span text,
                         const char *why);
/* One line of a requirements file; a match specification of conda; an image that a Dockerfile stands on. */
void tn_file_requirement_line(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line,
                              struct tn_span text);
void tn_file_conda_line(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line, const char *spec);
void tn_file_image_name(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line, const char *image);
int tn_file_environment(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret,
                        struct tn_err *err);
int tn_file_pyproject(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret,
                      struct tn_err *err);
int tn_file_lock(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret, struct tn_err *err);
int tn_file_docker(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret, struct tn_err *err);
int tn_file_image(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret, struct tn_err *err);
int tn_file_requirements(const struct tn_wish_reader *r, struct tn_span text, struct tn_wish_file *ret,
                         struct tn_err *err);

#endif
