/* redact_rules.h - how one text is shown to strangers, by privacy class; shared by the files redact*.c only. */
#ifndef TN_SNAPSHOT_REDACT_RULES_H
#define TN_SNAPSHOT_REDACT_RULES_H

#include "base/buf.h"
#include "snapshot/redact.h"

struct tn_alias {
    const char *kind, *key; /* key NULL: free slot */
    unsigned number;
};

struct tn_redactor {
    const struct tn_snap *in;
    enum tn_path_style style;
    struct tn_arena mem;
    struct tn_alias *slot; /* hash table of a power of two */
    size_t n, cap;
    const char *home; /* NULL: not known, or a folder that says nothing */
};

void tn_redactor_init(struct tn_redactor *r, const struct tn_snap *in);
void tn_redactor_deinit(struct tn_redactor *r);

/* Number of a text among its kind, from 1, in order of appearance. Windows: in any case. */
unsigned tn_redact_number(struct tn_redactor *r, const char *kind, const char *text, size_t n);
/* The same without adding it; 0 if it was not met. */
unsigned tn_redact_known(struct tn_redactor *r, const char *kind, const char *text, size_t n);
/* Appends kind and number: "user2". */
void tn_redact_alias(struct tn_redactor *r, const char *kind, const char *text, size_t n, struct tn_buf *ret);

/* All append. */
void tn_redact_path(struct tn_redactor *r, const char *path, struct tn_buf *ret);
/* The name of a library file, by itself: the same in every folder, so that who needs it and who has it stay together.
 */
void tn_redact_library(struct tn_redactor *r, const char *name, size_t n, struct tn_buf *ret);
/* A path whose last component is one. */
void tn_redact_library_path(struct tn_redactor *r, const char *path, struct tn_buf *ret);
/* An entry of the run path of an object in the folder origin (NULL: not known): what follows $ORIGIN is shown as it is
 * shown in the paths of the files there. */
void tn_redact_run_path(struct tn_redactor *r, const char *origin, const char *entry, struct tn_buf *ret);
/* "libc.so.6:GLIBC_2.17", "GLIBC_2.17": file and version node. */
void tn_redact_version_node(struct tn_redactor *r, const char *text, struct tn_buf *ret);
void tn_redact_url(struct tn_redactor *r, const char *text, struct tn_buf *ret);
void tn_redact_public(struct tn_redactor *r, const char *text, struct tn_buf *ret); /* UUIDs of GPUs alone */
void tn_redact_variable(struct tn_redactor *r, const char *name, const char *value, struct tn_buf *ret);
void tn_redact_source(struct tn_redactor *r, const char *asked, struct tn_buf *ret);
/* False: nothing of it is kept. */
bool tn_redact_kernel(const char *text, struct tn_buf *ret);

/* Words that say nothing of a machine's owner (redact_words.c). Case does not count. */
bool tn_redact_plain_component(const char *s, size_t n); /* of a path */
bool tn_redact_package_folder(const char *s, size_t n);  /* of site-packages */
bool tn_redact_plain_value(const char *s, size_t n);     /* of a variable or a setting */
bool tn_redact_plain_node(const char *s, size_t n);      /* version node of a public library */
bool tn_redact_public_host(const char *s, size_t n);
bool tn_redact_public_note(const char *s);     /* words of the system or of tenon for an error */
bool tn_redact_public_question(const char *s); /* name of a table, word of a question about the system */
/* env1, dir2 ...: the form of our own names */
bool tn_redact_is_alias(const char *s, size_t n);

enum tn_redact_variable { TN_REDACT_UNLISTED, TN_REDACT_PATHS, TN_REDACT_NAME, TN_REDACT_WORDS };
enum tn_redact_variable tn_redact_variable_kind(const char *name);

#endif
