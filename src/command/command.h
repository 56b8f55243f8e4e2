/* command.h - a command as somebody typed or pasted it: what it asks for, and what it was before the way here damaged
 * it.
 *
 * Web pages, mailers and word processors turn quotes and dashes into others, lose equal signs and blanks, break lines.
 * Each repair has a kind and says what became what; nothing is changed in silence, and what cannot be made right is
 * refused with its reason. Invariant: what was made right is right: reading it again repairs nothing. Pure; made for
 * hostile text. */
#ifndef TN_COMMAND_COMMAND_H
#define TN_COMMAND_COMMAND_H

#include "base/arena.h"
#include "base/span.h"
#include "finding/catalogue.h"

#define TN_MAX_COMMAND_BYTES 4096u
#define TN_MAX_COMMAND_WORDS 128u
#define TN_MAX_COMMAND_PARTS 8u /* commands of one line */
#define TN_MAX_COMMAND_WANTS 48u
#define TN_MAX_COMMAND_REPAIRS 16u
#define TN_MAX_COMMANDS 64u /* lines of one text that are kept */

enum tn_mend {
    /* the way here did it: the line is damaged */
    TN_MEND_BLANK_CHAR, /* a blank that is none for a shell */
    TN_MEND_UNSEEN,     /* characters that nobody sees */
    TN_MEND_DASH,       /* a dash that is no hyphen */
    TN_MEND_QUOTE,      /* typographic quotation marks */
    TN_MEND_WIDE,       /* full-width letters and signs */
    TN_MEND_ENTITY,     /* &amp; and its like */
    TN_MEND_OPEN_QUOTE, /* one of two quotation marks is gone */
    TN_MEND_WRAPPED,    /* the line went on in the next one */
    TN_MEND_LOST_BLANK,
    TN_MEND_EXTRA_BLANK,
    TN_MEND_LOST_EQUALS,
    TN_MEND_LOST_DASH,
    TN_MEND_LOST_SCHEME, /* of a URL */
    TN_MEND_TRAILING,    /* a comma or full stop behind a word */
    TN_MEND_TYPO,
    /* it was typed so, and does not do what is meant */
    TN_MEND_PROMPT,
    TN_MEND_PYTHON_PROMPT,
    TN_MEND_SINGLE_EQUALS, /* pip wants two */
    TN_MEND_OPERATOR,      /* "=>" */
    TN_MEND_REDIRECT,      /* an unquoted > or < writes or reads a file */
    TN_MEND_BRACKETS,      /* zsh takes [ ] for a pattern */
    TN_MEND_NAME,          /* the name is withdrawn or a placeholder; another one is meant */
    TN_MEND_NEVER,         /* the same, and there is none instead: refused */
    TN_MEND_PIN,           /* what the release needs and pip does not know */
    TN_MENDS
};

struct tn_repair {
    enum tn_mend kind;
    const char *was, *now; /* never NULL */
    const char *because;   /* of the tables, in English; "" if the kind says it all */
};

enum tn_tool { TN_TOOL_NONE, TN_TOOL_PIP, TN_TOOL_UV, TN_TOOL_CONDA, TN_TOOL_APT, TN_TOOL_DOCKER, TN_TOOL_OTHER };

struct tn_want {
    const char *name, *extras, *spec; /* normalised; as written between [ ]; "==2.10", conda's "=11.2" */
};

/* One command between the shell's operators. Texts that it does not name are "". */
struct tn_part {
    enum tn_tool tool;
    const char *program, *action; /* "pip", "install" */
    const char *env, *python;     /* conda -n, -p; conda's python=, uv's --python */
    const char *index, *extra_index, *find_links, *file;
    const char *channel[8];
    unsigned n_channel;
    struct tn_want want[TN_MAX_COMMAND_WANTS];
    unsigned n_want;
};

struct tn_command {
    unsigned line;       /* of the text, from 1 */
    enum tn_shell shell; /* whose rules its quotation marks follow */
    bool whole;          /* the line is this command and nothing else */
    bool damaged;        /* on its way here */
    bool refused;        /* something in it must not be typed, and nothing better is known */
    const char *given, *right;
    struct tn_repair repair[TN_MAX_COMMAND_REPAIRS];
    unsigned n_repair;
    struct tn_part part[TN_MAX_COMMAND_PARTS];
    unsigned n_part;
};

struct tn_commands {
    struct tn_command *v[TN_MAX_COMMANDS];
    unsigned n;
    bool alone; /* the text is nothing but commands */
    bool talk;  /* say also what is no damage: as alone, or nothing else was found in the text */
};

/* The word for a kind of repair: "single-equals". */
const char *tn_mend_word(enum tn_mend kind);

/* One line that is known to be a command. NULL when no program that is known here begins it. */
struct tn_command *tn_command_read(struct tn_arena *mem, const char *text);

/* The commands of a text (tn_explain_clean). In prose, only what is surely one. */
void tn_commands_find(struct tn_arena *mem, struct tn_span text, struct tn_commands *ret);

#endif
