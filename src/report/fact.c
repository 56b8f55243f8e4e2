/* fact.c - one fact for people: its name, its value or why there is none, and where it came from. */
#include "report/report.h"

#include <string.h>

void tn_report_fact(const struct tn_snap *s, struct tn_ref ref, struct tn_buf *name, struct tn_buf *value,
                    const char **from)
{
    tn_ref_name(ref, name);
    tn_buf_clear(value);
    *from = "";
    struct tn_rows *rows = tn_snap_rows(s, ref.rec);
    if (ref.row == TN_REF_LIST || ref.row >= rows->n) { /* the listing itself */
        tn_buf_str(value, tn_know_word(rows->listed));
        if (rows->listed == TN_KNOWN)
            tn_buf_printf(value, ", %zu", rows->n);
        *from = s->src[rows->src].asked;
        return;
    }
    const void *row = tn_snap_row(s, ref.rec, ref.row);
    if (ref.field == TN_REF_ROW) { /* the row: its first known texts */
        struct tn_buf part;
        tn_buf_init(&part);
        unsigned shown = 0;
        for (unsigned i = 0; i < tn_schema[ref.rec].n_field && shown < 4; i++) {
            uint32_t src;
            if (tn_field_know(row, &tn_schema[ref.rec].field[i], &src) != TN_KNOWN)
                continue;
            tn_field_text(row, &tn_schema[ref.rec].field[i], &part);
            tn_buf_printf(value, "%s%s", shown++ ? ", " : "", part.p);
            if (!**from)
                *from = s->src[src].asked;
        }
        tn_buf_deinit(&part);
        return;
    }
    uint32_t src;
    enum tn_know k = tn_field_know(row, &tn_schema[ref.rec].field[ref.field], &src);
    if (k == TN_KNOWN)
        tn_field_text(row, &tn_schema[ref.rec].field[ref.field], value);
    else
        tn_buf_str(value, tn_know_word(k));
    if (!value->n) /* known, and nothing in it: a list without items */
        tn_buf_str(value, "empty");
    *from = src < s->n_src ? s->src[src].asked : "";
}
