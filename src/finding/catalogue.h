/* catalogue.h - the texts: causes, remedies and interface strings in English and Chinese, compiled in from data/.
 *
 * Checks know ids and arguments; only reports turn them into words, here. */
#ifndef TN_FINDING_CATALOGUE_H
#define TN_FINDING_CATALOGUE_H

#include "base/buf.h"
#include "finding/finding.h"

enum tn_lang { TN_EN, TN_ZH, TN_LANGS };

/* No pointers: nothing to relocate at start. Texts are offsets into the pool: tn_cause_title and its neighbours. */
struct tn_cause {
    char slug[40], layer[12];
    char scope[8]; /* machine or env */
    enum tn_severity severity;
    unsigned say, n_say; /* tn_say_rows: its sentences */
    unsigned title[TN_LANGS], why[TN_LANGS], see;
    unsigned behind, n_behind, remedy, n_remedy; /* tn_cause_words */
};

/* Every cause there is, in the order of data/causes.tsv, whether a check names it yet or not. */
struct tn_cause_def {
    const char *slug, *layer;
    const char *text[TN_LANGS];
};

struct tn_remedy_text {
    const char *id;
    const char *title[TN_LANGS], *changes[TN_LANGS], *undo[TN_LANGS];
    const char *size, *source, *needs; /* may be "" */
    unsigned command, n_command;       /* tn_remedy_template */
};

extern const struct tn_cause tn_causes[];
extern const unsigned tn_n_causes;
extern const unsigned tn_n_cause_defs;
struct tn_cause_def tn_cause_def_at(unsigned i);

const struct tn_cause *tn_cause_find(const char *slug);
const char *tn_cause_title(const struct tn_cause *c, enum tn_lang lang);
const char *tn_cause_why(const struct tn_cause *c, enum tn_lang lang);
const char *tn_cause_see(const struct tn_cause *c);                /* where the rule comes from */
const char *tn_cause_behind(const struct tn_cause *c, unsigned i); /* its i-th root; NULL behind the last one */
const char *tn_cause_remedy(const struct tn_cause *c, unsigned i); /* usual ones; NULL behind the last one */
/* False: there is none. */
bool tn_remedy_find(const char *id, struct tn_remedy_text *ret);
/* Its i-th command and the variant that it is for: debian, ubuntu, linux, windows, wsl, pip, conda ...; "" for any. */
const char *tn_remedy_template(const struct tn_remedy_text *t, unsigned i, const char **ret_variant);
/* The layer of a cause as json_contract.md names them: wsl and runtime belong to driver, gpu-code to framework, build
 * to cuda. */
const char *tn_cause_json_layer(const struct tn_cause *c);

/* Replaces {key} by its argument; an unknown key stays visible as {key}. */
void tn_text_fill(struct tn_buf *ret, const char *text, const struct tn_arg *arg, unsigned n_arg);
/* The finding in one sentence. */
void tn_finding_say(struct tn_buf *ret, const struct tn_finding *f, enum tn_lang lang);
void tn_remedy_say(struct tn_buf *ret, const struct tn_remedy *r, enum tn_lang lang);

enum tn_shell { TN_SHELL_SH, TN_SHELL_POWERSHELL, TN_SHELL_CMD };
/* The command of a remedy for the described machine, each argument quoted for the shell. False: it has none there, or
 * an argument cannot be quoted safely (control or bidirectional characters): then nothing is offered. */
bool tn_remedy_command(struct tn_buf *ret, const struct tn_remedy *r, const struct tn_snap *s, enum tn_shell shell);
/* The same, one command a line; how many those are, whether they can be quoted or not. */
bool tn_remedy_lines(struct tn_buf *ret, const struct tn_remedy *r, const struct tn_snap *s, enum tn_shell shell);
unsigned tn_remedy_count(const struct tn_remedy *r, const struct tn_snap *s);
bool tn_shell_quote(struct tn_buf *ret, enum tn_shell shell, const char *word);

/* Interface strings: ids are checked by the build (strings.gen.h has TN_S_<id> constants of this form). */
const char *tn_string(const char *id, enum tn_lang lang); /* NULL if there is none */
const char *tn_string_date(void);                         /* of the texts: 2026-12-01 */

/* From catalogue.gen.c: sorted by id; offsets into the pool, so that there is nothing to relocate at start. */
struct tn_string_row {
    unsigned id, text[TN_LANGS];
};
struct tn_remedy_row {
    unsigned id, title[TN_LANGS], changes[TN_LANGS], undo[TN_LANGS], size, source, needs, command, n_command;
};
struct tn_cause_def_row {
    unsigned slug, layer, text[TN_LANGS];
};
struct tn_say_row {
    unsigned variant, text[TN_LANGS]; /* "" is the plain one */
};
struct tn_command_row {
    unsigned variant, text;
};
extern const struct tn_remedy_row tn_remedy_rows[];
extern const unsigned tn_n_remedies;
extern const struct tn_cause_def_row tn_cause_def_rows[];
extern const struct tn_say_row tn_say_rows[];
extern const unsigned tn_cause_words[];
extern const struct tn_command_row tn_command_rows[];
extern const char tn_string_pool[];
extern const struct tn_string_row tn_strings[];
extern const unsigned tn_n_strings;
extern const char tn_catalogue_date[];

#endif
