/* inner.h - what the files of this folder share. Private. */
#ifndef TN_COMMAND_INNER_H
#define TN_COMMAND_INNER_H

#include "command/command.h"

/* A line in plain characters. mark: what each byte was made from (a bit for each enum tn_mend below 8); at: where it
 * came from in the raw line. */
struct tn_typed {
    char text[TN_MAX_COMMAND_BYTES + 1];
    unsigned char mark[TN_MAX_COMMAND_BYTES + 1];
    unsigned short at[TN_MAX_COMMAND_BYTES + 1];
    size_t n;
};
/* False: the line is too long to be a command. */
bool tn_command_plain(struct tn_span raw, struct tn_typed *ret);

enum tn_word_kind { TN_WORD, TN_WORD_OPERATOR, TN_WORD_REDIRECT };
struct tn_word {
    enum tn_word_kind kind;
    const char *raw, *value;
    bool glued;   /* no blank before it */
    bool quoted;  /* some of it */
    bool magic;   /* the shell expands something in it: left as it is */
    bool changed; /* value is no longer what raw says */
};
struct tn_words {
    struct tn_word v[TN_MAX_COMMAND_WORDS];
    unsigned n;
    bool open_quote;
};
/* False: more words than a command has. */
bool tn_words_split(struct tn_arena *mem, const char *text, enum tn_shell shell, struct tn_words *ret);

/* Work on one line. */
struct tn_mending {
    struct tn_arena *mem;
    struct tn_command *c;
    struct tn_words *w;
    struct tn_part *part;
    unsigned from, to; /* words of this part */
    bool prose;        /* only what is sure */
    bool zsh, full;    /* full: too many repairs for one line */
};
void tn_mend_note(struct tn_mending *m, enum tn_mend kind, const char *was, const char *now, const char *because);
/* Words i to i+n-1 become one of this value; the raw text is what stood there. */
void tn_mend_word_is(struct tn_mending *m, unsigned i, unsigned n, const char *value, enum tn_mend kind);
/* A new word at i. */
void tn_mend_insert(struct tn_mending *m, unsigned i, const char *value);
void tn_mend_drop(struct tn_mending *m, unsigned i, unsigned n);

/* program.c: which program the part runs; glued and torn names of programs and actions are mended. Returns the first
 * word behind the action; 0: no command. */
unsigned tn_mend_program(struct tn_mending *m);
/* option.c: options and their values from word i on. */
void tn_mend_options(struct tn_mending *m, unsigned i);
/* Words that the option at i takes: 1, or 2 with its value; 0: it is no option. */
unsigned tn_option_words(const struct tn_mending *m, unsigned i);
/* want.c: the packages that pip, uv and conda are asked for. */
void tn_mend_wants(struct tn_mending *m, unsigned i);
/* name.c: names that are withdrawn, placeholders or misspelt. */
void tn_mend_name(struct tn_mending *m, unsigned i, struct tn_want *want);
void tn_mend_pins(struct tn_mending *m);

/* Is it a version number, all of it? */
bool tn_command_is_version(const char *s);
/* Normalised (PEP 503) into buf; false when it is no name. */
bool tn_command_name(const char *s, size_t n, char buf[64]);

struct tn_command *tn_command_make(struct tn_arena *mem, const struct tn_typed *t, size_t from, size_t to,
                                   struct tn_span raw, enum tn_shell shell, unsigned flags);
enum {
    TN_MAKE_PROSE = 1,
    TN_MAKE_PINS = 2,
    TN_MAKE_ZSH = 4,
    TN_MAKE_PROMPT = 8,
    TN_MAKE_PYTHON_PROMPT = 16,
    TN_MAKE_WRAPPED = 32
};

#endif
