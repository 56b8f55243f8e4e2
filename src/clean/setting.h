/* setting.h - what becomes of a start file of a shell, or of the loader's configuration, when folders that it names go.
 *
 * Pure. Invariant: only a line that is understood to its end is touched, and of it only what leads to those folders;
 * every other byte of the file stays. A line that names them and is not understood stays and is told. */
#ifndef TN_CLEAN_SETTING_H
#define TN_CLEAN_SETTING_H

#include "base/arena.h"
#include "base/span.h"

enum tn_setting_kind {
    TN_SETTING_SHELL, /* sh, bash, zsh; /etc/environment is the same without expansion */
    TN_SETTING_LOADER /* ld.so.conf, ldconfig(8) */
};

struct tn_setting_line {
    unsigned number;      /* from 1 */
    const char *before;   /* as it is, without its line feed */
    const char *after;    /* NULL: it goes whole */
    bool stays;           /* it names one of the folders and is not understood */
    const char *leads_to; /* the folder */
};

struct tn_setting {
    struct tn_setting_line *line; /* those that change, and those that stay though they name one */
    size_t n, n_changed;
    const char *text; /* the whole file afterwards */
    size_t size;
    bool empty; /* nothing is left in it but blank lines (and comments, of the loader's) */
};

/* Which rules a file is read by, by who names it (mention.by) and its path; false: none that is understood (csh, fish).
 */
bool tn_setting_kind_of(const char *by, const char *file, enum tn_setting_kind *ret);
/* folder: absolute paths of what goes, and of links that lead there; n of them. Texts are copied into mem. */
void tn_setting_make(struct tn_arena *mem, enum tn_setting_kind kind, struct tn_span text, const char *const *folder,
                     size_t n, struct tn_setting *ret);

/* Why a file is left as it is. */
enum tn_setting_left {
    TN_SETTING_DONE,    /* it is not left */
    TN_SETTING_UNREAD,  /* it could not be read */
    TN_SETTING_LINK,    /* it is reached through a link */
    TN_SETTING_OTHERS,  /* its folder is another user's */
    TN_SETTING_UNKNOWN, /* of a shell whose lines are not understood */
    TN_SETTING_LINES,   /* no line of it is one that can be changed */
    TN_SETTING_ADMIN    /* Windows: the machine's, for an administrator alone */
};

const char *tn_setting_left_word(enum tn_setting_left l); /* unread, link, others, unknown, lines, admin */

/* A file that names what goes. */
struct tn_setting_file {
    const char *path; /* as people know it */
    const char *at;   /* where it lies, without links; NULL: not known */
    bool loader;      /* the loader's: its cache is older then */
    const char *key;  /* of Windows' registry, and at is the name of a value in it; NULL: a file */
    struct tn_span was;
    enum tn_setting_left left;
    unsigned line;        /* where nothing of it was read: the first that names it */
    struct tn_setting is; /* what becomes of it */
};

/* A variable of Windows' environment (setting_variable.c): what goes are folders and variables that lead there. False:
 * it has nothing to do with them. What is left of its text is ret->text; ret->empty: it goes whole. */
struct tn_setting_goes {
    const char *const *folder, *const *name;
    size_t n_folder, n_name;
};
bool tn_setting_variable(struct tn_arena *mem, struct tn_span text, const struct tn_setting_goes *goes,
                         struct tn_setting *ret);

/* Private to this folder, setting_shell.c. */
struct tn_setting_names { /* variables that lead to what goes, by lines above */
    const char **name, **value;
    size_t n, cap;
};
enum tn_setting_found { TN_SETTING_NOT, TN_SETTING_CHANGES, TN_SETTING_GOES };
/* A line that stands alone (no quote, no continuation, no here-document open): is it an assignment that leads there?
 * *ret_after: what it becomes when it changes. */
enum tn_setting_found tn_setting_shell_line(struct tn_arena *mem, struct tn_span line, const char *const *folder,
                                            size_t n, struct tn_setting_names *names, const char **ret_after);
/* What a line that stays has of a variable. */
enum tn_setting_use {
    TN_SETTING_UNUSED,
    TN_SETTING_USED,    /* $NAME, ${NAME...}; or it is set where nobody can say whether that happens */
    TN_SETTING_SET_ANEW /* from here on it is another one's */
};
enum tn_setting_use tn_setting_shell_use(struct tn_span line, const char *name);

/* What of a shell's text a line leaves open. */
struct tn_setting_lexer {
    char quote;   /* ' or " or 0 */
    bool goes_on; /* the line ended with a backslash */
    bool lost;    /* a here-document, $'...': nothing more is understood */
    char last[8]; /* the last word that is no comment, its end */
};
void tn_setting_lex(struct tn_setting_lexer *x, struct tn_span line);

#endif
