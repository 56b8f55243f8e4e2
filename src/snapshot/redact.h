/* redact.h - a copy of a snapshot that may be shown to strangers.
 *
 * An allow-list by schema: each field is shown as its privacy class says (schema.h), what has no class is not shown.
 * The same text becomes the same name everywhere, so that what was equal stays equal and checks judge the copy as
 * they judge the original. Then a second net searches the finished bytes for this machine's own names. */
#ifndef TN_SNAPSHOT_REDACT_H
#define TN_SNAPSHOT_REDACT_H

#include "base/span.h"
#include "snapshot/snapshot.h"

struct tn_redact_count {
    unsigned masked[TN_CLASS_NEVER + 1]; /* facts of a class that were changed or left out; by enum tn_class */
    unsigned packages;                   /* rows of packages that are not on the public list: "+213 others" */
    unsigned variables;                  /* rows of variables that are not on the exact-name list */
    unsigned sources;                    /* sources whose text was changed */
    unsigned unknown;                    /* members of newer versions, which have no class here */
};

/* *out needs no tn_snap_init and is untouched on failure. TN_E_REFUSED: the copy would still show something; err->place
 * names the field, err->text what it is, never the text itself. ret may be NULL.
 *
 * pseudonym: user1, host1, gpu1 ... in order of appearance (process ids: numbers from 1). path: see redact_path.c.
 * package: rows are left out and counted. url: index1 for a host that is not public; credentials and query cut.
 * kernel: the numbers at the beginning. environment: item by item as path, URL or known word, else "other".
 * never: not asked. Members of newer versions are left out. */
int tn_snapshot_redact(const struct tn_snap *in, struct tn_snap *out, struct tn_redact_count *ret, struct tn_err *err);

/* The second net alone, for any finished text about the machine raw (HTML, Markdown): TN_E_REFUSED when it holds a
 * name of that machine (host, user, home, values of pseudonym facts; of 4 bytes and more; as it is, in other case,
 * base64 at 3 offsets, hexadecimal, URL- or JSON-escaped) or the shape of a secret (private key, token, password in a
 * URL). err->place: "byte N". */
int tn_redact_search(const struct tn_snap *raw, struct tn_span text, struct tn_err *err);

/* A URL without user, password, query and fragment: due in private reports as well. Appends. */
void tn_redact_credentials(const char *url, struct tn_buf *ret);

/* Is there the shape of a secret (token, API key, web token) at s? Its length; 0: no. */
size_t tn_redact_secret(const char *s, size_t n, bool starts_word);

/* Text for the user's own file: URLs without user, password, query and fragment, secrets as "***". Whole lines.
 * *in_key, first false: inside a private key. Appends. */
void tn_redact_log(struct tn_span text, bool *in_key, struct tn_buf *ret);

#endif
