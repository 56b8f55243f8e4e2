/* causes.c - the catalogue of causes: what each means, why it is so, what helps; those that no check names yet, too. */
#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "cmd/cmd.h"
#include "os/os.h"
#include "report/report.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static bool is_diagnosed(const char *slug)
{
    for (unsigned i = 0; i < tn_n_checks; i++)
        if (strcmp(tn_checks[i]->cause, slug) == 0)
            return true;
    return false;
}

/* Texts of the catalogue have {holes}; without a finding there is nothing to fill them with: <holes>. */
static const char *open_text(struct tn_cmd_ctx *c, const char *text)
{
    char *s = tn_arena_strdup(c->mem, text);
    for (char *p = s; *p; p++)
        *p = *p == '{' ? '<' : *p == '}' ? '>' : *p;
    return s;
}

static const char *title(struct tn_cmd_ctx *c, const struct tn_cause_def *d)
{
    const struct tn_cause *cause = tn_cause_find(d->slug);
    return cause ? open_text(c, tn_cause_title(cause, c->lang)) : d->text[c->lang];
}

static void list(struct tn_cmd_ctx *c, struct tn_buf *b)
{
    const char *layer = "";
    unsigned checked = 0;
    for (unsigned i = 0; i < tn_n_cause_defs; i++) {
        struct tn_cause_def def = tn_cause_def_at(i), *d = &def;
        bool yes = is_diagnosed(d->slug);
        checked += yes;
        if (strcmp(d->layer, layer) != 0)
            tn_buf_printf(b, "%s%s\n", *layer ? "\n" : "", d->layer);
        layer = d->layer;
        tn_buf_printf(b, "  %-28s %s", d->slug, title(c, d));
        if (!yes && strcmp(d->slug, "unknown") != 0)
            tn_buf_printf(b, c->lang == TN_ZH ? "（%s）" : " (%s)", tn_s(c, TN_S_causes_not_yet));
        tn_buf_ch(b, '\n');
    }
    struct tn_arg a[] = {{"n", tn_arena_printf(c->mem, "%u", tn_n_cause_defs)},
                         {"checked", tn_arena_printf(c->mem, "%u", checked)}};
    tn_buf_ch(b, '\n');
    tn_text_fill(b, tn_s(c, TN_S_causes_list), a, TN_LEN(a));
    tn_buf_ch(b, '\n');
}

static void labelled(struct tn_cmd_ctx *c, struct tn_buf *b, const char *label, const char *text)
{
    struct tn_report r = {.lang = c->lang, .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    tn_buf_printf(b, "\n%s\n  ", tn_s(c, label));
    tn_report_wrap(&r, b, text, 2, 2);
    tn_buf_ch(b, '\n');
}

static void one(struct tn_cmd_ctx *c, const struct tn_cause_def *d, struct tn_buf *b)
{
    const struct tn_cause *cause = tn_cause_find(d->slug);
    struct tn_arg a[] = {{"layer", d->layer}};
    tn_buf_printf(b, "%s: %s\n", d->slug, title(c, d));
    tn_text_fill(b, tn_s(c, TN_S_causes_layer), a, 1);
    if (!is_diagnosed(d->slug) && strcmp(d->slug, "unknown") != 0)
        tn_buf_printf(b, c->lang == TN_ZH ? "；%s" : "; %s", tn_s(c, TN_S_causes_not_yet));
    tn_buf_ch(b, '\n');
    labelled(c, b, TN_S_causes_means, d->text[c->lang]);
    if (!cause)
        return;
    labelled(c, b, TN_S_causes_why, open_text(c, tn_cause_why(cause, c->lang)));
    for (unsigned i = 0; tn_cause_behind(cause, i); i++)
        tn_buf_printf(b, i ? ", %s" : "\n%s\n  %s", i ? tn_cause_behind(cause, i) : tn_s(c, TN_S_causes_root),
                      tn_cause_behind(cause, i));
    tn_buf_str(b, tn_cause_behind(cause, 0) ? "\n" : "");
    for (unsigned i = 0; tn_cause_remedy(cause, i); i++) {
        struct tn_remedy_text r;
        bool known = tn_remedy_find(tn_cause_remedy(cause, i), &r);
        if (i == 0)
            tn_buf_printf(b, "\n%s\n", tn_s(c, TN_S_causes_help));
        tn_buf_printf(b, "  %-24s %s\n", tn_cause_remedy(cause, i), known ? open_text(c, r.title[c->lang]) : "");
    }
    labelled(c, b, TN_S_causes_see, tn_cause_see(cause));
}

static json_t *one_json(struct tn_cmd_ctx *c, const struct tn_cause_def *d)
{
    const struct tn_cause *cause = tn_cause_find(d->slug);
    json_t *o = json_object(), *remedies = json_array(), *roots = json_array();
    tn_json_set(o, "slug", json_string(d->slug));
    tn_json_set(o, "layer", json_string(d->layer));
    tn_json_set(o, "title", json_string(title(c, d)));
    tn_json_set(o, "definition", json_string(d->text[c->lang]));
    tn_json_set(o, "diagnosed", json_boolean(is_diagnosed(d->slug)));
    tn_json_set(o, "severity", cause ? json_string(tn_severity_word(cause->severity)) : json_null());
    tn_json_set(o, "why", cause ? json_string(open_text(c, tn_cause_why(cause, c->lang))) : json_null());
    for (unsigned i = 0; cause && tn_cause_behind(cause, i); i++)
        tn_json_append(roots, json_string(tn_cause_behind(cause, i)));
    tn_json_set(o, "behind", roots);
    for (unsigned i = 0; cause && tn_cause_remedy(cause, i); i++) {
        struct tn_remedy_text t;
        bool known = tn_remedy_find(tn_cause_remedy(cause, i), &t);
        json_t *r = json_object();
        tn_json_set(r, "id", json_string(tn_cause_remedy(cause, i)));
        tn_json_set(r, "title", known ? json_string(open_text(c, t.title[c->lang])) : json_null());
        tn_json_append(remedies, r);
    }
    tn_json_set(o, "remedies", remedies);
    tn_json_set(o, "see", cause ? json_string(tn_cause_see(cause)) : json_null());
    return o;
}

static void as_json(struct tn_cmd_ctx *c, const struct tn_cause_def *d, struct tn_buf *b)
{
    tn_json_seed();
    json_t *top = json_object(), *causes = json_array();
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string("causes"));
    for (unsigned i = 0; i < tn_n_cause_defs; i++) {
        struct tn_cause_def def = tn_cause_def_at(i);
        if (!d || tn_str_eq(d->slug, def.slug))
            tn_json_append(causes, one_json(c, &def));
    }
    tn_json_set(top, "causes", causes);
    tn_json_dump(b, top, 1);
    tn_buf_ch(b, '\n');
    json_decref(top);
}

static int no_cause(struct tn_cmd_ctx *c, const char *slug)
{
    const char *known[256];
    unsigned n = 0;
    for (; n < tn_n_cause_defs && n < TN_LEN(known); n++)
        known[n] = tn_cause_def_at(n).slug;
    const char *near = tn_cmd_near(slug, known, n);
    struct tn_arg a[] = {{"slug", slug}, {"near", near ? near : ""}};
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, near ? TN_S_causes_unknown_near : TN_S_causes_unknown), a, TN_LEN(a));
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
    return TN_EXIT_USAGE;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_cause_def def = {0}, *d = NULL;
    struct tn_buf b;
    for (unsigned i = 0; c->n_arg && i < tn_n_cause_defs && !d; i++) {
        def = tn_cause_def_at(i);
        if (tn_str_ieq(def.slug, c->arg[0]))
            d = &def;
    }
    if (c->n_arg && !d)
        return no_cause(c, c->arg[0]);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    tn_buf_init(&b);
    if (c->document)
        as_json(c, d, &b);
    else if (d)
        one(c, d, &b);
    else
        list(c, &b);
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON, TN_OPT_COUNT};
static const char *const examples[] = {"tenon causes", "tenon causes driver-too-old", "tenon causes --json --lang zh",
                                       NULL};

TN_CMD(causes, "causes", "[SLUG]", opts, 0, 1, run, TN_S_cmd_causes, examples, 0);
