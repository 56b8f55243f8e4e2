/* cmd.h - a command is one file with one constant; this is all that commands share.
 *
 * Only this folder joins the ends: it opens worlds, runs probes and checks, hands the result to a report, and turns
 * it into an exit status. Texts are interface strings; help texts of options stand beside them. */
#ifndef TN_CMD_CMD_H
#define TN_CMD_CMD_H

#include "base/attr.h"
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "finding/catalogue.h"
#include "snapshot/snapshot.h"

/* Exit statuses: design, section 5. */
enum {
    TN_EXIT_OK = 0,
    TN_EXIT_PROBLEM = 1,
    TN_EXIT_USAGE = 2,
    TN_EXIT_UNKNOWN = 3, /* could not find out */
    TN_EXIT_REFUSED = 4,
    TN_EXIT_UNFINISHED = 5,
    TN_EXIT_BUG = 70,
    TN_EXIT_INTERRUPTED = 130
};

enum tn_opt_id {
    TN_OPT_HELP,
    TN_OPT_VERSION,
    TN_OPT_JSON,
    TN_OPT_LANG,
    TN_OPT_PLAIN,
    TN_OPT_QUIET,
    TN_OPT_VERBOSE,
    TN_OPT_DEBUG,
    TN_OPT_ENV,
    TN_OPT_ROOT,
    TN_OPT_FROM,
    TN_OPT_MACHINE,
    TN_OPT_EXPECT,
    TN_OPT_DEADLINE,
    TN_OPT_STRICT,
    TN_OPT_LIST,
    TN_OPT_ONLY,
    TN_OPT_SKIP,
    TN_OPT_RAW,
    TN_OPT_OUTPUT,
    TN_OPT_SCHEMA,
    TN_OPT_INCLUDE_IDS,
    TN_OPT_FORMAT,
    TN_OPT_FULL,
    TN_OPT_OS,
    TN_OPT_TF,
    TN_OPT_TORCH,
    TN_OPT_JAX,
    TN_OPT_CUDA,
    TN_OPT_CUDNN,
    TN_OPT_DRIVER,
    TN_OPT_GPU,
    TN_OPT_PYTHON,
    TN_OPT_ALL,
    TN_OPT_SORT,
    TN_OPT_FILTER,
    TN_OPT_NO_JOIN,
    TN_OPT_FORGET,
    TN_OPT_FOR,
    TN_OPT_DOT,
    TN_OPT_LOG,
    TN_OPT_METHOD,
    TN_OPT_DATE,
    TN_OPT_CPU,
    TN_OPT_REQUIREMENT,
    TN_OPT_SIDE_BY_SIDE,
    TN_OPT_EXPORT,
    TN_OPT_FIX,
    TN_OPT_SIMULATED,
    TN_OPT_ONLINE,
    TN_OPT_YES,
    TN_OPT_INTO,
    TN_OPT_ARCHIVES,
    TN_OPT_BUNDLE,
    TN_OPT_KEY,
    TN_OPT_REMOVE_DRIVER,
    TN_OPT_VERIFY,
    TN_OPT_LEVEL,
    TN_OPT_PLACEMENT,
    TN_OPT_GPU_NUMBER,
    TN_OPT_N,
    TN_OPT_DEVICE,
    TN_OPT_PRECISION,
    TN_OPT_RUNS,
    TN_OPT_THREADS,
    TN_OPT_BLAS,
    TN_OPT_LIBCUDA,
    TN_OPT_CUBLAS,
    TN_OPT_LIBCUDNN,
    TN_OPT_WORK,
    TN_OPT_BATCH,
    TN_OPT_REPLAY,
    TN_OPT_CSV,
    TN_OPT_HTML,
    TN_OPT_SAVE,
    TN_OPT_COMPARE,
    TN_OPT_COUNT
};

#define TN_MAX_REPEAT 64

/* What the command line said. An option that was not given has n == 0. */
struct tn_given {
    const char *v[TN_MAX_REPEAT]; /* the last one counts unless the option repeats */
    unsigned n;
};

struct tn_cmd_ctx {
    const struct tn_cmd *cmd;
    struct tn_arena *mem;
    struct tn_given opt[TN_OPT_COUNT];
    const char *const *arg; /* what is no option */
    unsigned n_arg;
    enum tn_lang lang;
    bool color, color_wanted; /* on standard output; where there is a terminal */
    tn_record_set records;    /* all that the command needs of a machine; then, all that was looked at. 0: everything */
    const struct tn_want_file *file;   /* to be sought on all disks; NULL: nothing */
    bool sizes;                        /* measure the environments */
    bool clean;                        /* what could be cleaned away */
    bool over;                         /* --machine describes cards and driver alone; all else is looked at */
    bool makes_env;                    /* --env names one that is to be made */
    bool document;                     /* what is printed is for programs: UTF-8 whatever the locale */
    const char *load_file, *load_name; /* of `why`: what a probe is to try besides (probe/probe.h) */
};

struct tn_cmd {
    const char *name;
    const char *args;          /* as in usage: "[FILE|-]"; "" for none */
    const enum tn_opt_id *opt; /* besides --help --version --lang --plain --debug; ends with TN_OPT_COUNT */
    unsigned min_arg, max_arg;
    int (*run)(struct tn_cmd_ctx *c);
    const char *about;          /* id of an interface string: one line */
    const char *const *example; /* command lines, ends with NULL */
    unsigned how;               /* TN_CMD_..., 0 */
};

enum {
    TN_CMD_HIDDEN = 1,
    TN_CMD_REST = 2 /* options stand before the first word; all behind it is another program's */
};

#define TN_CMD(ident, ...) const struct tn_cmd tn_cmd_##ident = {__VA_ARGS__}

extern const struct tn_cmd *const tn_cmds[];
extern const unsigned tn_n_cmds;

/* Everything between main() and the command. argv[0] is the program. */
int tn_main(int argc, char **argv);

const char *tn_opt_value(const struct tn_cmd_ctx *c, enum tn_opt_id o); /* NULL: not given */
bool tn_opt_on(const struct tn_cmd_ctx *c, enum tn_opt_id o);

/* options.c */
int tn_cmd_parse(struct tn_cmd_ctx *c, int argc, char **argv, struct tn_buf *ret_message);
void tn_cmd_help_text(const struct tn_cmd_ctx *c, struct tn_buf *ret);
void tn_cmd_overview(const struct tn_cmd_ctx *c, struct tn_buf *ret);
/* The known word nearest to a mistyped one, or NULL. */
const char *tn_cmd_near(const char *word, const char *const *known, unsigned n);

/* main.c: says that there is no such command, and which one is near; returns the exit status. */
int tn_cmd_unknown(struct tn_cmd_ctx *c, const char *word);

/* subject.c: the snapshot that --root, --from, --machine or this machine give. On success deinit it. */
int tn_cmd_subject(struct tn_cmd_ctx *c, struct tn_snap *ret, struct tn_err *err);
/* progress.c: what a long search says of itself on a terminal (a tn_want's tick), and takes back. */
struct tn_cmd_progress {
    const struct tn_cmd_ctx *c;
    uint64_t since, shown;
};
void tn_cmd_progress_start(struct tn_cmd_progress *p, const struct tn_cmd_ctx *c);
void tn_cmd_progress_tick(void *ctx, uint64_t folders);
void tn_cmd_progress_clear(const struct tn_cmd_progress *p);
/* Adds to the cards and the driver of a pasted text what the tables say of them. */
void tn_cmd_complete(struct tn_snap *s);
/* Reads FILE or - (stdin) whole, bounded. */
int tn_cmd_slurp(struct tn_cmd_ctx *c, const char *name, struct tn_buf *ret, struct tn_err *err);

/* Messages go to stderr as "tenon: ..."; results to stdout. */
void tn_cmd_say(const struct tn_cmd_ctx *c, const char *fmt, ...) TN_PRINTF(2, 3);
int tn_cmd_fail(const struct tn_cmd_ctx *c, const struct tn_err *err); /* prints, returns the exit status */
/* Writes b to stdout; the status unless the reader is gone or writing failed. */
int tn_cmd_print(struct tn_cmd_ctx *c, const struct tn_buf *b, int status);
const char *tn_s(const struct tn_cmd_ctx *c, const char *id); /* interface string in the user's language */

#endif
