/* plan.h - the combination of framework, Python, CUDA and cuDNN that fits a machine, or the facts that leave none.
 *
 * Pure: wishes, a snapshot and the tables in; data out. Every choice and every exclusion has a reason that can be put
 * into a sentence (strings-plan.tsv) with the row of the table that it rests on. What fits is decided by src/solve over
 * the builds that the tables know; the rest of the dependency graph is the work of the user's resolver.
 *
 * Preference, in this order: what the person asked for; a build for the GPU where there is one worth it (else the CPU
 * build); "tested by its makers" before "within documented compatibility" before "untested"; builds that serve every
 * card; the newest release. Frameworks in the order in which they were asked for, then Python (one that is there before
 * one that would be fetched), then the pins. */
#ifndef TN_PLAN_PLAN_H
#define TN_PLAN_PLAN_H

#include "facts/table.h"
#include "finding/catalogue.h"
#include "snapshot/snapshot.h"

#define TN_PLAN_MAX_SAY 24u
#define TN_PLAN_MAX_OTHER 64u
#define TN_PLAN_MAX_CARDS 16u
#define TN_PLAN_MAX_WAYS 6u
#define TN_PLAN_MAX_PINS 16u

enum tn_plan_kind { TN_PLAN_TENSORFLOW, TN_PLAN_TORCH, TN_PLAN_JAX, TN_PLAN_ORT, TN_PLAN_KINDS };

enum tn_plan_method {
    TN_METHOD_AUTO,
    TN_METHOD_PIP,        /* venv, pip, the CUDA run time of NVIDIA's wheels */
    TN_METHOD_UV,         /* the same by uv, which also fetches a Python */
    TN_METHOD_VIRTUALENV, /* the same, the environment made by virtualenv */
    TN_METHOD_MIXED,      /* conda's Python and CUDA run time first, pip second */
    TN_METHOD_CONDA,      /* all of it from conda-forge */
    TN_METHOD_MANUAL,     /* toolkit and cuDNN placed by hand */
    TN_METHOD_DOCKER,
    TN_METHOD_WSL, /* on Windows: as pip, inside WSL 2 */
    TN_METHODS
};

enum tn_plan_quality {
    TN_PLAN_TESTED,     /* by its makers: this release with this CUDA and cuDNN on code made for these cards */
    TN_PLAN_DOCUMENTED, /* within a compatibility that NVIDIA or the makers document */
    TN_PLAN_UNTESTED
};

/* A sentence: id of an interface string and its arguments. */
struct tn_plan_say {
    const char *id;
    struct tn_arg arg[TN_MAX_ARGS];
    unsigned n_arg;
    struct tn_cite cite; /* source NULL: it rests on no table */
};
struct tn_plan_says {
    struct tn_plan_say v[TN_PLAN_MAX_SAY];
    unsigned n;
};

struct tn_plan_wish {
    enum tn_plan_kind kind;
    const char *asked;   /* "tensorflow-gpu==2.6.0" */
    const char *spec;    /* "==2.6.0"; "" for any */
    const char *extras;  /* "and-cuda" */
    const char *variant; /* "cu118" of torch==2.0.1+cu118, "cpu"; "cuda12" of jax[cuda12]; "" for any */
    bool gpu, cpu;       /* the name, the extra or the variant says so */
};

struct tn_plan_index;

struct tn_plan_wishes {
    struct tn_plan_wish v[TN_PLAN_KINDS]; /* one of a kind; several specifiers of one are joined */
    unsigned n;
    struct {
        const char *name, *spec;
    } other[TN_PLAN_MAX_OTHER]; /* installed beside, not planned for */
    unsigned n_other;
    const char *python, *cuda,
        *date;       /* "3.10" or ">=3.9"; "11" or "11.8"; "2022-10": released before its end. "": any */
    const char *env; /* name or path of the environment; "" */
    enum tn_plan_method method;
    bool cpu, gpu;                     /* whatever the machine has */
    const struct tn_plan_index *index; /* --online: what is had there; NULL: not asked */
    bool refused;                      /* a name that must not be installed, and nothing is known instead */
    struct tn_plan_says say;           /* what was rewritten or refused, and why */
};

struct tn_plan_card {
    const char *name, *capability; /* "" if not known */
    size_t row;
    bool weak;               /* see tn_plan_machine_of */
    const char *last_branch; /* "" while drivers still support it */
    const char *first_cuda;  /* whose compiler knows its generation; "" if not known */
};

/* What of a snapshot decides. "" or false: not known, which excludes nothing. */
struct tn_plan_machine {
    const struct tn_snap *s;
    enum tn_platform platform, driver_platform;
    bool windows, wsl, wsl1, macos, musl, container;
    bool os_known, flags_known, cards_known, no_driver;
    const char *arch, *glibc, *driver, *ceiling;
    struct tn_plan_card card[TN_PLAN_MAX_CARDS];
    unsigned n_card;
    bool weak; /* every card is */
    const char *uv, *virtualenv, *conda,
        *docker;           /* the program's name, "" if not seen; conda: conda, mamba, micromamba or pixi */
    const char *conda_exe; /* its path where PATH does not lead to it; "" */
    bool tools_known;      /* what is not seen of these is not there */
    const char *python[8]; /* minors of interpreters that are there, newest first */
    bool no_venv[8];       /* of that minor none is known to have ensurepip, and one is known to lack it */
    unsigned n_python;
};

enum tn_plan_mark {
    TN_PLAN_JIT = 1,           /* a card runs it from PTX only */
    TN_PLAN_OWN_WHEELS = 2,    /* the release does not find the CUDA wheels that it asks for */
    TN_PLAN_SOME_CARDS = 4,    /* one of several cards cannot run it */
    TN_PLAN_NEWER = 8,         /* newer than the table of tested builds */
    TN_PLAN_CODE_UNKNOWN = 16, /* nobody read which cards it has code for */
    TN_PLAN_BUNDLED = 32,      /* the wheel brings its run time inside */
    TN_PLAN_NO_LIBRARIES = 64, /* its CUDA knows nothing of a card's generation */
    TN_PLAN_TERMS = 128,       /* in a channel whose terms are to be accepted first */
    TN_PLAN_BEFORE_CARD = 512, /* its compiler knows nothing of a card's generation: its makers could not test it */
    TN_PLAN_OTHER_CUDNN = 256  /* the tested cuDNN is not in the channel, a later one of its major is */
};

/* What a release asks of a Python package beside it. */
struct tn_plan_bound {
    const char *name, *spec;
    const char *python_min, *python_max; /* it holds for these Pythons; "" without an end */
    bool known_to_pip;                   /* the release's own metadata says so */
    struct tn_cite cite;
};

struct tn_plan_build {
    enum tn_plan_kind kind;
    bool gpu;
    const char *package, *version, *variant; /* "tensorflow-cpu", "2.15.0.post1", "cu126" | "cuda12" | "" */
    const char *build;                       /* of conda: "cuda126py*h*_*"; "" */
    const char *cuda, *cudnn;                /* built for; "" for CPU builds */
    const char *cuda_spec, *cudnn_spec;      /* which run time may serve it, PEP 440; "": its own, or any */
    const char *python_min, *python_max, *glibc_min, *date;
    const char *sass, *ptx;
    const char *driver_need; /* least driver on this platform; "" */
    const char *needs_flag;  /* instruction set that the processor lacks; "" */
    uint32_t excluded;       /* bits of enum tn_plan_aspect */
    unsigned mark, mb;
    enum tn_plan_quality quality;
    const struct tn_plan_bound *bound;
    unsigned n_bound;
    struct tn_cite cite, wheel;
};

struct tn_plan_builds {
    struct tn_plan_build *v;
    size_t n, cap;
};

/* Why a build cannot be had or does not go together with another choice. */
enum tn_plan_aspect {
    TN_ASPECT_WISH, /* another release was asked for */
    TN_ASPECT_DATE,
    TN_ASPECT_GPU,    /* a GPU build is wanted */
    TN_ASPECT_CPU,    /* a CPU build is wanted */
    TN_ASPECT_CUDA,   /* another CUDA was asked for */
    TN_ASPECT_SYSTEM, /* no build of this kind for this system */
    TN_ASPECT_ARCH,
    TN_ASPECT_LIBC,
    TN_ASPECT_GLIBC,
    TN_ASPECT_FLAGS,
    TN_ASPECT_DRIVER,
    TN_ASPECT_CARD,
    TN_ASPECT_RUNTIME, /* this way of installing has no run time for it */
    TN_ASPECT_INDEX,   /* the index that was asked has no file of it for this system */
    TN_ASPECT_PYTHON,  /* from here on: together with other choices */
    TN_ASPECT_LINE,    /* the CUDA run time that several share */
    TN_ASPECT_CUDNN,
    TN_ASPECT_PIN,
    TN_ASPECTS
};

struct tn_plan_pin {
    const char *name, *spec; /* "numpy", "<2" */
    const char *version;     /* "" where the tables do not list releases */
    bool needed;             /* pip would take another one by itself */
    struct tn_cite cite;
};

struct tn_plan_choice {
    const struct tn_plan_build *build[TN_PLAN_KINDS]; /* in the order of the wishes */
    unsigned n;
    const char *python, *cuda, *cudnn; /* "3.11"; "" for CPU builds */
    struct tn_plan_pin pin[TN_PLAN_MAX_PINS];
    unsigned n_pin;
    enum tn_plan_quality quality;
};

struct tn_plan_way {
    struct tn_plan_say change[3]; /* "with Python 3.9" */
    unsigned n_change;
    enum tn_plan_method method;
    struct tn_plan_choice choice; /* no builds where the image is not from the tables of builds */
    const char *image;            /* a container; NULL: none */
};

enum tn_plan_end { TN_PLAN_FITS, TN_PLAN_NONE, TN_PLAN_LIMIT };

struct tn_plan {
    enum tn_plan_end end;
    enum tn_plan_method method; /* never AUTO */
    struct tn_plan_wishes wishes;
    struct tn_plan_machine machine;
    bool gpu;          /* the choice uses one */
    const char *image; /* of the makers, for the method docker; "": there is none, or what is in it is not known */
    struct tn_plan_choice choice;
    struct tn_plan_says why;      /* of the choice */
    struct tn_plan_says conflict; /* a smallest set of facts that clash */
    struct tn_plan_says warning;
    struct tn_plan_way way[TN_PLAN_MAX_WAYS]; /* ways out of a conflict, or other good choices */
    unsigned n_way;
    uint64_t steps; /* of the solver */
};

/* machine.c. A card is weak when its peak in the tables is below 2 TFLOP/s of FP32, when it is of NVIDIA's entry lines
 * (GeForce MX, GeForce GT), or when it was measured slower than this processor: then the CPU build is offered first.
 * Eight cores of a laptop reach 0.7 TFLOP/s in a matrix product. */
void tn_plan_machine_of(struct tn_arena *mem, const struct tn_snap *s, struct tn_plan_machine *ret);

/* One argument of a command line into w: "tensorflow==2.10", "jax[cuda12]", "numpy<2"; a pasted command's wants alike.
 * TN_E_USAGE: no requirement, or contradictions. */
int tn_plan_wish(struct tn_arena *mem, struct tn_plan_wishes *w, const char *text, struct tn_err *err);
/* TN_E_USAGE where the CPU is wanted altogether, and a GPU or a CUDA too. */
int tn_plan_wishes_check(const struct tn_plan_wishes *w, struct tn_err *err);
void tn_plan_wishes_init(struct tn_plan_wishes *w);
/* The word of --method; -1 if there is none such. */
int tn_plan_method_of(const char *word);
const char *tn_plan_method_word(enum tn_plan_method m);
bool tn_plan_method_is_wheels(enum tn_plan_method m);     /* an environment of Python's own, its run time from wheels */
const char *tn_plan_quality_word(enum tn_plan_quality q); /* tested, documented, untested */
const char *tn_plan_kind_word(enum tn_plan_kind k);       /* tensorflow, torch, jax, onnxruntime */

void tn_plan_make(struct tn_arena *mem, const struct tn_plan_wishes *w, const struct tn_snap *s, struct tn_plan *ret);

/* Adds a sentence; fill its arguments with tn_plan_arg. Never NULL: what is too much is dropped. */
struct tn_plan_say *tn_plan_says_add(struct tn_plan_says *says, const char *id);
void tn_plan_arg(struct tn_arena *mem, struct tn_plan_say *say, const char *key, const char *fmt, ...) TN_PRINTF(4, 5);

#endif
