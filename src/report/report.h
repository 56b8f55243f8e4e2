/* report.h - a verdict as text for people or JSON for programs. Pure: facts in, bytes out; never a terminal or a file.
 */
#ifndef TN_REPORT_REPORT_H
#define TN_REPORT_REPORT_H

#include "finding/catalogue.h"
#include "finding/verdict.h"

struct tn_commands; /* command/command.h */

struct tn_report {
    const struct tn_judge *judge;
    const struct tn_sink *findings;
    const struct tn_verdict *verdict;
    const char *about; /* which machine, when it is not this one: a file, a root folder; NULL */
    const char *const
        *again; /* words of the command line that chose machine and environment, ends with NULL; or NULL */
    enum tn_lang lang;
    enum tn_shell shell;
    bool color, quiet, verbose;
    bool plans;                         /* what is more than one command is left to plan --fix */
    bool inventory;                     /* list what is installed, with owners */
    unsigned width;                     /* columns; 0: do not wrap */
    const struct tn_commands *commands; /* of a pasted text; NULL: none */
};

/* The verdict: first line the cause, last line the one command, where there is something to do. */
void tn_report_text(const struct tn_report *r, struct tn_buf *ret);
/* json_contract.md, command doctor. */
void tn_report_json(const struct tn_report *r, const char *command, struct tn_buf *ret);

/* say.c: what both have in common. The verdict in one sentence. */
void tn_report_say(const struct tn_report *r, struct tn_buf *ret);
bool tn_report_say_layer(const struct tn_report *r, const struct tn_layer *l, struct tn_buf *ret);
/* The command of a remedy in one line; false: it has none here. */
bool tn_report_command(const struct tn_report *r, const struct tn_remedy *m, struct tn_buf *ret);
/* "tenon plan --fix CAUSE" for the machine of the report; false where its words cannot be quoted. */
bool tn_report_fix_command(const struct tn_report *r, const char *cause, struct tn_buf *ret);
/* "administrator rights, a restart" of "root reboot". Appends. */
void tn_report_needs(const struct tn_report *r, struct tn_buf *ret, const char *needs);
/* The one thing to do next; false when nothing is needed. Its command exists. */
bool tn_report_next(const struct tn_report *r, struct tn_remedy *ret);

/* installed.c: the toolkits and libraries that count for the judged environment, one a call, *at from 0; false at the
 * end. Texts are NULL when not known. */
struct tn_installed {
    const char *name, *version, *kind, *path;
    struct tn_str owner; /* package and its version */
};
bool tn_report_installed(const struct tn_report *r, size_t *at, struct tn_installed *ret);

/* Text with escapes disarmed, wrapped at the width: start is the column where it begins, indent that of further lines.
 */
void tn_report_wrap(const struct tn_report *r, struct tn_buf *b, const char *text, unsigned start, unsigned indent);

/* "4.2 GiB": units of 1024, one digit behind the point (find.c). */
const char *tn_report_size(struct tn_arena *mem, uint64_t bytes);

/* census.c: environments, programs, packages, settings, variables, disks and limits, with their origin. Appends. */
void tn_report_census(const struct tn_report *r, struct tn_buf *ret);

/* "gpu[0].capability = 8.6 (table gpus)": name, value or its state, and origin of one fact. */
void tn_report_fact(const struct tn_snap *s, struct tn_ref ref, struct tn_buf *ret_name, struct tn_buf *ret_value,
                    const char **ret_from);

#endif
