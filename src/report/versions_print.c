/* versions_print.c - the rows of versions.c as text for people and as JSON. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "report/report.h"
#include "report/versions.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static const char *str(const struct tn_versions *v, const char *id)
{
    const char *s = tn_string(id, v->lang);
    return s ? s : id;
}

static void pad_to(struct tn_buf *b, size_t line, unsigned column)
{
    for (unsigned w = tn_utf8_width(b->p + line); w < column; w++)
        tn_buf_ch(b, ' ');
    tn_buf_str(b, "  ");
}

static unsigned widest(const struct tn_versions *v, bool names)
{
    unsigned w = 0;
    char id[40];
    for (size_t i = 0; i < v->n; i++) {
        snprintf(id, sizeof id, "vs_name_%s", v->v[i].name);
        unsigned k = tn_utf8_width(names ? str(v, id) : v->v[i].version ? v->v[i].version : str(v, TN_S_vs_none));
        w = k > w ? k : w;
    }
    return w < 40 ? w : 40;
}

/* Two blanks, or where what comes would leave the terminal, a new line below the meaning. */
static void before(const struct tn_versions *v, struct tn_buf *b, size_t line, unsigned column, unsigned width)
{
    const char *last = strrchr(b->p + line, '\n');
    unsigned at = last ? tn_utf8_width(last + 1) : tn_utf8_width(b->p + line) + 2;
    if (!v->width || at + 2 + width <= v->width) {
        tn_buf_str(b, "  ");
        return;
    }
    tn_buf_ch(b, '\n');
    for (unsigned i = 0; i < column; i++)
        tn_buf_ch(b, ' ');
}

static void row(const struct tn_versions *v, const struct tn_version_row *r, unsigned name_width,
                unsigned version_width, struct tn_buf *b)
{
    char id[40];
    size_t line = b->n + 2; /* of the text behind the margin */
    snprintf(id, sizeof id, "vs_name_%s", r->name);
    tn_buf_printf(b, "  %s", str(v, id));
    pad_to(b, line, name_width);
    tn_escape_terminal(b, r->version ? r->version : str(v, TN_S_vs_none));
    pad_to(b, line, name_width + 2 + version_width);
    tn_escape_terminal(b, r->meaning);
    const char *where = r->path && !(r->env && strcmp(r->path, r->env) == 0) ? r->path : r->line ? NULL : r->from;
    if (r->line) {
        struct tn_arg a[] = {{"line", tn_arena_printf(v->mem, "%u", r->line)}};
        tn_buf_str(b, v->lang == TN_ZH ? "（" : " (");
        tn_text_fill(b, str(v, TN_S_vs_line), a, 1);
        tn_buf_str(b, v->lang == TN_ZH ? "）" : ")");
    } else if (where && *where) {
        before(v, b, line, name_width + version_width + 6, tn_utf8_width(where) + 2);
        tn_buf_ch(b, '[');
        tn_escape_terminal(b, where);
        tn_buf_ch(b, ']');
    }
    if (r->used) {
        struct tn_arg a[] = {{"package", r->used}};
        before(v, b, line, name_width + version_width + 6, tn_utf8_width(r->used) + 12);
        tn_buf_str(b, "<- ");
        tn_text_fill(b, str(v, TN_S_vs_used), a, 1);
    }
    tn_buf_ch(b, '\n');
}

void tn_versions_text(const struct tn_versions *v, const char *head, struct tn_buf *b)
{
    unsigned names = widest(v, true), versions = widest(v, false);
    bool cudnn = false;
    tn_escape_terminal(b, head);
    tn_buf_str(b, "\n\n");
    for (size_t i = 0; i < v->n; i++) {
        if (!cudnn && strcmp(v->v[i].component, "cudnn") == 0) {
            tn_buf_printf(b, "\n%s\n\n", str(v, TN_S_vs_head_cudnn));
            cudnn = true;
        }
        row(v, &v->v[i], names, versions, b);
    }
    for (unsigned i = 0; i < v->n_minimum; i++) {
        struct tn_arg a[] = {{"cuda", v->minimum[i].cuda}, {"driver", v->minimum[i].driver}, {"os", v->minimum[i].os}};
        tn_buf_str(b, i ? "" : "\n");
        tn_text_fill(b, str(v, TN_S_vs_minimum), a, TN_LEN(a));
        tn_buf_ch(b, '\n');
    }
    for (unsigned i = 0; i < v->n_note; i++) {
        tn_buf_str(b, i ? "" : "\n");
        tn_report_wrap(&(struct tn_report){.lang = v->lang, .width = v->width}, b, v->note[i], 0, 4);
        tn_buf_ch(b, '\n');
    }
}

static json_t *text_or_null(const char *s)
{
    return s && *s ? tn_json_text(s) : json_null();
}

void tn_versions_json(const struct tn_versions *v, struct tn_buf *b)
{
    tn_json_seed();
    json_t *top = json_object(), *rows = json_array(), *minima = json_array(), *notes = json_array();
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string("versions"));
    for (size_t i = 0; i < v->n; i++) {
        const struct tn_version_row *r = &v->v[i];
        json_t *o = json_object();
        tn_json_set(o, "name", json_string(r->name));
        tn_json_set(o, "component", json_string(r->component));
        tn_json_set(o, "version", text_or_null(r->version));
        tn_json_set(o, "meaning", text_or_null(r->meaning));
        tn_json_set(o, "from", text_or_null(r->from));
        tn_json_set(o, "path", text_or_null(r->path));
        tn_json_set(o, "environment", text_or_null(r->env));
        tn_json_set(o, "used_by", text_or_null(r->used));
        tn_json_set(o, "line", r->line ? json_integer(r->line) : json_null());
        tn_json_append(rows, o);
    }
    tn_json_set(top, "rows", rows);
    for (unsigned i = 0; i < v->n_minimum; i++) {
        json_t *o = json_object();
        tn_json_set(o, "cuda", text_or_null(v->minimum[i].cuda));
        tn_json_set(o, "os", text_or_null(v->minimum[i].os));
        tn_json_set(o, "driver", text_or_null(v->minimum[i].driver));
        tn_json_append(minima, o);
    }
    tn_json_set(top, "minimum_driver", minima);
    for (unsigned i = 0; i < v->n_note; i++)
        tn_json_append(notes, text_or_null(v->note[i]));
    tn_json_set(top, "uses", notes);
    tn_json_dump(b, top, 1);
    tn_buf_ch(b, '\n');
    json_decref(top);
}
