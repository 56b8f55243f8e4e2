/* online.c - see plan.h: what the network was asked for, and what came. */
#include "base/str.h"
#include "report/escape.h"
#include "report/plan.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static void fill(struct tn_buf *b, const char *id, enum tn_lang lang, const struct tn_arg *arg, unsigned n)
{
    const char *form = tn_string(id, lang);
    tn_text_fill(b, form ? form : id, arg, n);
}

/* Against the plan, not beside it. */
static const char *mark(const char *id)
{
    static const char *const against[] = {TN_S_pl_meta_no_extra, TN_S_pl_meta_pin, TN_S_pl_dry_refused, NULL};
    return tn_str_in(id, against) ? "!" : "-";
}

void tn_report_online_text(const struct tn_report_online *o, enum tn_lang lang, unsigned width, struct tn_buf *b)
{
    struct tn_report w = {.lang = lang, .width = width};
    struct tn_buf line, requests, kib;
    tn_buf_init(&line);
    for (unsigned i = 0; i < o->says.n; i++) {
        tn_buf_clear(&line);
        fill(&line, o->says.v[i].id, lang, o->says.v[i].arg, o->says.v[i].n_arg);
        tn_buf_printf(b, "  %s ", mark(o->says.v[i].id));
        tn_report_wrap(&w, b, line.p, 4, 4);
        tn_buf_ch(b, '\n');
    }
    if (!o->requests) { /* conda's channels are another program's */
        tn_buf_deinit(&line);
        return;
    }
    tn_buf_init(&requests);
    tn_buf_init(&kib);
    tn_buf_printf(&requests, "%u", o->requests);
    tn_buf_printf(&kib, "%llu", (unsigned long long)(o->bytes + 1023) / 1024);
    const struct tn_arg a[] = {{"index", o->index}, {"requests", requests.p}, {"kib", kib.p}};
    tn_buf_clear(&line);
    fill(&line, o->requests == 1 ? TN_S_pl_online_one : TN_S_pl_online, lang, a, TN_LEN(a));
    tn_report_wrap(&w, b, line.p, 0, 2);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&line);
    tn_buf_deinit(&requests);
    tn_buf_deinit(&kib);
}

/* A sentence, shown: a name from outside may be no text. */
static json_t *say(const struct tn_plan_say *s, enum tn_lang lang)
{
    struct tn_buf b, safe;
    tn_buf_init(&b);
    tn_buf_init(&safe);
    fill(&b, s->id, lang, s->arg, s->n_arg);
    tn_escape_terminal(&safe, b.p);
    json_t *j = json_pack("{s:s, s:o, s:o}", "id", s->id, "text", tn_json_text(safe.p), "source",
                          s->cite.source && *s->cite.source ? tn_json_text(s->cite.source) : json_null());
    tn_buf_deinit(&b);
    tn_buf_deinit(&safe);
    return j;
}

json_t *tn_report_online_json(const struct tn_report_online *o, enum tn_lang lang)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < o->says.n; i++)
        tn_json_append(list, say(&o->says.v[i], lang));
    return json_pack("{s:s, s:i, s:I, s:o, s:b}", "index", o->index, "requests", (int)o->requests, "bytes",
                     (json_int_t)o->bytes, "read", list, "refused", o->refused);
}
