/* fits_json.c - see fits.h: json_contract.md, command fits. */
#include <jansson.h>

#include "base/str.h"
#include "report/fits.h"
#include "snapshot/json.h"

static json_t *text(const char *s)
{
    return s && *s ? tn_json_text(s) : json_null();
}

static json_t *sentence(const struct tn_report_fits *r, const struct tn_plan_say *s)
{
    struct tn_buf b;
    const char *form = tn_string(s->id, r->lang);
    tn_buf_init(&b);
    tn_text_fill(&b, form ? form : s->id, s->arg, s->n_arg);
    json_t *j = tn_json_text(b.p ? b.p : "");
    tn_buf_deinit(&b);
    return j;
}

static json_t *sentences(const struct tn_report_fits *r, const struct tn_plan_says *all)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < all->n; i++)
        tn_json_append(list, sentence(r, &all->v[i]));
    return list;
}

static json_t *rows(const struct tn_report_fits *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->fits->n_row; i++) {
        const struct tn_fits_row *row = &r->fits->row[i];
        json_t *j = json_object();
        tn_json_set(j, "status", json_string(tn_fits_word(row->status)));
        tn_json_set(j, "file", text(row->line ? row->line->file : NULL));
        tn_json_set(j, "line", row->line && row->line->line ? json_integer(row->line->line) : json_null());
        tn_json_set(j, "asked", text(row->line ? row->line->text : NULL));
        tn_json_set(j, "id", json_string(row->say.id));
        tn_json_set(j, "text", sentence(r, &row->say));
        tn_json_set(j, "source", text(row->say.cite.source));
        tn_json_append(list, j);
    }
    return list;
}

static json_t *ways(const struct tn_report_fits *r)
{
    json_t *list = json_array();
    const struct tn_plan *p = r->fits->plan;
    for (unsigned i = 0; p && p->end == TN_PLAN_NONE && i < p->n_way; i++) {
        json_t *changes = json_array();
        for (unsigned k = 0; k < p->way[i].n_change; k++)
            tn_json_append(changes, sentence(r, &p->way[i].change[k]));
        tn_json_append(list, changes);
    }
    return list;
}

void tn_report_fits_json(const struct tn_report_fits *r, struct tn_buf *ret)
{
    json_t *j = json_object(), *out = json_array();
    tn_json_set(j, "schema_version", json_integer(1));
    tn_json_set(j, "command", json_string("fits"));
    tn_json_set(j, "status", json_string(tn_fits_word(r->fits->status)));
    tn_json_set(j, "kind", json_string(tn_file_kind_word(r->fits->kind)));
    tn_json_set(j, "reasons", sentences(r, &r->fits->reasons));
    tn_json_set(j, "requirements", rows(r));
    tn_json_set(j, "rewritten", sentences(r, &r->fits->rewritten));
    tn_json_set(j, "warnings", sentences(r, &r->fits->notes));
    tn_json_set(j, "ways_out", ways(r));
    if (r->online)
        tn_json_set(j, "online", tn_report_online_json(r->online, r->lang));
    for (size_t i = 0; i < r->file->n; i++)
        if (r->file->v[i].marker == TN_MARKER_NO)
            tn_json_append(out, json_pack("{s:i, s:o, s:o}", "line", (int)r->file->v[i].line, "asked",
                                          text(r->file->v[i].text), "because", text(r->file->v[i].note)));
    tn_json_set(j, "left_out", out);
    tn_json_dump(ret, j, 2);
    json_decref(j);
}
