/* smi.h - what nvidia-smi prints, in any of its forms, into gpu, process and driver rows.
 *
 * For the readers of its forms (text_smi.c: tables and failures; smi_query.c: -q, -L; smi_xml.c: -q -x). Each reading
 * is also an observation "gpu[0].field" with its line, so far as it may be shared. */
#ifndef TN_EXPLAIN_SMI_H
#define TN_EXPLAIN_SMI_H

#include "explain/explain.h"

#define TN_SMI_BUS 16u /* dddd:bb:dd.f and NUL */

/* The PCI address at p in the way of the system, "0000:0c:00.0"; NULL if there is none, else the byte behind it. */
const char *tn_smi_bus(const char *p, char bus[TN_SMI_BUS]);
/* From now on readings are of the card with this address, or of this number (bus NULL; -1: not known). */
void tn_smi_open(struct tn_explain *e, const char *bus, long long index, unsigned line);
void tn_smi_close(struct tn_explain *e);
/* A card of -q, which tells no number: it follows from its place, when all cards are there. */
void tn_smi_attached(struct tn_explain *e, const char *count);
void tn_smi_open_next(struct tn_explain *e, const char *bus, unsigned line);
/* One field of the open card by its name in the schema. */
void tn_smi_text(struct tn_explain *e, const char *field, const char *text, unsigned line);
void tn_smi_number(struct tn_explain *e, const char *field, long long v, unsigned line);
/* The same from "5 MiB", "71.02 W", "On", "E. Process" ...; what is not such a value is passed over. */
void tn_smi_memory(struct tn_explain *e, const char *field, const char *text, unsigned line);
/* The card has no memory of its own to tell of. */
void tn_smi_no_memory(struct tn_explain *e, unsigned line);
void tn_smi_watts(struct tn_explain *e, const char *field, const char *text, unsigned line);
void tn_smi_switch(struct tn_explain *e, const char *field, const char *text, unsigned line);
void tn_smi_mode(struct tn_explain *e, const char *text, unsigned line);
/* A value of -q by its path below the card, "fb_memory_usage/total", in the words of the XML or of the text. */
void tn_smi_value(struct tn_explain *e, const char *path, const char *text, unsigned line);

/* A process is gathered and then added. */
void tn_smi_process_value(struct tn_explain *e, const char *key, const char *text, unsigned line);
void tn_smi_process_add(struct tn_explain *e);

/* What nvmlInit or a card answered, by NVML's words ("Unknown Error", "GPU is lost. ..."): its name, or NULL. */
const char *tn_smi_error(const char *words);
/* A new output of the program begins: what was read of cards before is of an earlier moment. */
void tn_smi_frame(struct tn_explain *e);

void tn_smi_table_line(struct tn_explain *e, const struct tn_explain_line *line);
void tn_smi_query_line(struct tn_explain *e, const struct tn_explain_line *line);
void tn_smi_xml_line(struct tn_explain *e, struct tn_span text, unsigned line);

#endif
