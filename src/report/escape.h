/* escape.h - text made safe for where it goes (design 6.13). A fact may hold anything: names of files, lines of logs.
 */
#ifndef TN_REPORT_ESCAPE_H
#define TN_REPORT_ESCAPE_H

#include "base/buf.h"

/* Control characters, C1 controls, bidirectional overrides and invalid UTF-8 become \xNN or \u{NNNN}. Line feeds too.
 */
void tn_escape_terminal(struct tn_buf *ret, const char *s);
void tn_escape_csv(struct tn_buf *ret, const char *s);      /* RFC 4180; a leading = + - @ is disarmed with ' */
void tn_escape_markdown(struct tn_buf *ret, const char *s); /* for a table cell */

#endif
