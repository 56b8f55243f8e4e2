/* verdict_text.c - the verdict on a terminal or in a pipe.
 *
 * Order: the cause; what was judged against which expectation; the layers; other findings; why; what to do, with what
 * it changes, needs and how it is undone; last line the one command. A status is always a word, colour only adds. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "report/report.h"
#include "strings.gen.h"

enum color { C_NONE, C_GOOD, C_BAD, C_WARN, C_DIM, C_BOLD };

static void paint(const struct tn_report *r, struct tn_buf *b, enum color c, const char *text)
{
    static const char *const on[] = {"", "\033[32m", "\033[31m", "\033[33m", "\033[2m", "\033[1m"};
    if (r->color && c)
        tn_buf_printf(b, "%s%s\033[0m", on[c], text);
    else
        tn_buf_str(b, text);
}

static const char *str(const struct tn_report *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

static void pad(struct tn_buf *b, const char *text, unsigned column)
{
    for (unsigned w = tn_utf8_width(text); w < column; w++)
        tn_buf_ch(b, ' ');
}

/* Text with escapes disarmed, wrapped at the width; following lines are indented. Chinese breaks between any two
 * characters, English at blanks. */
static void wrapped(const struct tn_report *r, struct tn_buf *b, const char *text, unsigned start, unsigned indent)
{
    struct tn_buf safe;
    tn_buf_init(&safe);
    tn_escape_terminal(&safe, text);
    unsigned col = start, limit = r->width > indent + 20 ? r->width : 0;
    const char *p = safe.p;
    while (*p) {
        size_t n = strcspn(p, " "), k;
        uint32_t c;
        k = tn_utf8_next(p, strlen(p), &c);
        if (c >= 0x2E80) /* a wide character is a word of its own, with the punctuation that follows it */
            n = k;
        else
            for (size_t i = 0; i < n; i += k) {
                k = tn_utf8_next(p + i, strlen(p + i), &c);
                if (c >= 0x2E80) {
                    n = i;
                    break;
                }
            }
        if (n == 0) {
            tn_buf_ch(b, *p++);
            col++;
            continue;
        }
        char word[512];
        if (n >= sizeof word)
            n = sizeof word - 1;
        memcpy(word, p, n);
        word[n] = 0;
        unsigned w = tn_utf8_width(word);
        if (limit && col + w > limit && col > indent) {
            while (b->n && b->p[b->n - 1] == ' ')
                b->p[--b->n] = 0;
            tn_buf_ch(b, '\n');
            for (col = 0; col < indent; col++)
                tn_buf_ch(b, ' ');
        }
        tn_buf_add(b, p, n);
        col += w;
        p += n;
    }
    tn_buf_deinit(&safe);
}

static void labelled(const struct tn_report *r, struct tn_buf *b, const char *label, const char *text)
{
    const unsigned COLUMN = 11;
    paint(r, b, C_DIM, label);
    pad(b, label, COLUMN);
    wrapped(r, b, text, COLUMN, COLUMN);
    tn_buf_ch(b, '\n');
}

static void head(const struct tn_report *r, struct tn_buf *b)
{
    static const char *const word[] = {TN_S_word_ok, TN_S_word_problem, TN_S_word_unknown};
    static const enum color color[] = {C_GOOD, C_BAD, C_WARN};
    const struct tn_verdict *v = r->verdict;
    struct tn_buf say;
    tn_buf_init(&say);
    paint(r, b, color[v->status], str(r, word[v->status]));
    tn_buf_str(b, r->lang == TN_ZH ? "：" : ": ");
    if (v->first)
        tn_finding_say(&say, v->first, r->lang);
    else
        tn_text_fill(&say, str(r, v->say), v->arg, v->n_arg);
    if (v->first)
        tn_buf_printf(&say, " [%s]", v->first->cause);
    wrapped(r, b, say.p, tn_utf8_width(str(r, word[v->status])) + 2, 4);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&say);
}

static void judged(const struct tn_report *r, struct tn_buf *b)
{
    struct tn_buf say;
    const struct tn_rec_env *e = r->judge->env;
    tn_buf_init(&say);
    if (r->about)
        labelled(r, b, str(r, TN_S_label_machine), r->about);
    if (e) {
        struct tn_arg a[] = {{"path", tn_known(e->path) ? e->path.v : "?"},
                             {"kind", tn_known(e->kind) ? e->kind.v : "?"},
                             {"python", tn_known(e->python) ? e->python.v : "?"},
                             {"by", tn_known(e->chosen_by) ? e->chosen_by.v : "?"}};
        tn_text_fill(&say, str(r, TN_S_r_judged_env), a, TN_LEN(a));
    } else {
        tn_buf_str(&say, str(r, TN_S_r_judged_none));
    }
    labelled(r, b, str(r, TN_S_label_judged), say.p);
    tn_buf_clear(&say);
    struct tn_arg what[] = {{"why", str(r, r->judge->why)}};
    tn_text_fill(&say, str(r, r->judge->expect == TN_EXPECT_GPU ? TN_S_r_expect_gpu : TN_S_r_expect_cpu), what, 1);
    labelled(r, b, str(r, TN_S_label_expected), say.p);
    tn_buf_deinit(&say);
}

static void layers(const struct tn_report *r, struct tn_buf *b)
{
    static const char *const word[] = {TN_S_word_good, TN_S_word_bad, TN_S_word_warning, TN_S_word_unknown,
                                       TN_S_word_nothing};
    static const enum color color[] = {C_GOOD, C_BAD, C_WARN, C_WARN, C_DIM};
    static const char *const name[] = {TN_S_layer_hardware,  TN_S_layer_driver, TN_S_layer_container,
                                       TN_S_layer_platform,  TN_S_layer_cuda,   TN_S_layer_cudnn,
                                       TN_S_layer_framework, TN_S_layer_python};
    struct tn_buf say;
    tn_buf_init(&say);
    for (unsigned i = 0; i < TN_LAYERS; i++) {
        const struct tn_layer *l = &r->verdict->layer[i];
        if (l->status == TN_LAYER_NOTHING && !r->verbose)
            continue;
        tn_buf_str(b, "  ");
        paint(r, b, color[l->status], str(r, word[l->status]));
        pad(b, str(r, word[l->status]), 9);
        tn_buf_str(b, str(r, name[i]));
        pad(b, str(r, name[i]), 12);
        tn_buf_clear(&say);
        if (l->finding)
            tn_finding_say(&say, l->finding, r->lang);
        else if (l->say)
            tn_text_fill(&say, str(r, l->say), l->arg, l->n_arg);
        wrapped(r, b, say.p, 23, 23);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&say);
}

static void evidence(const struct tn_report *r, struct tn_buf *b, const struct tn_finding *f)
{
    struct tn_buf name, value, line;
    const char *from;
    tn_buf_init(&name);
    tn_buf_init(&value);
    tn_buf_init(&line);
    for (unsigned i = 0; i < f->n_evidence; i++) {
        tn_report_fact(r->judge->s, f->evidence[i], &name, &value, &from);
        tn_buf_clear(&line);
        tn_buf_printf(&line, "%s = %s%s%s%s", name.p, value.p, *from ? " (" : "", from, *from ? ")" : "");
        tn_buf_str(b, "      ");
        wrapped(r, b, line.p, 6, 8);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&name);
    tn_buf_deinit(&value);
    tn_buf_deinit(&line);
}

static const char *finding_word(const struct tn_finding *f)
{
    if (f->status == TN_UNTESTABLE)
        return TN_S_word_untestable;
    if (f->status == TN_RULED_OUT)
        return TN_S_word_ruled_out;
    if (f->behind)
        return TN_S_word_consequence;
    return f->severity == TN_ERROR ? TN_S_word_bad : f->severity == TN_WARNING ? TN_S_word_warning : TN_S_word_note;
}

/* Everything that the first line did not say. Consequences and what could not be told are for --verbose, except where
 * the verdict is that it is unknown. */
static void findings(const struct tn_report *r, struct tn_buf *b)
{
    struct tn_buf say;
    tn_buf_init(&say);
    for (size_t i = 0; i < r->findings->n; i++) {
        const struct tn_finding *f = &r->findings->v[i];
        bool quiet = f->behind || f->status == TN_RULED_OUT ||
                     (f->status == TN_UNTESTABLE && r->verdict->status != TN_VERDICT_UNKNOWN);
        if (quiet && !r->verbose)
            continue;
        if (f != r->verdict->first) {
            const char *word = str(r, finding_word(f));
            tn_buf_clear(&say);
            tn_finding_say(&say, f, r->lang);
            tn_buf_printf(&say, " [%s]", f->cause);
            tn_buf_str(b, "  ");
            paint(r, b, f->severity == TN_ERROR && !quiet ? C_BAD : quiet ? C_DIM : C_WARN, word);
            pad(b, word, 9);
            wrapped(r, b, say.p, 11, 11);
            tn_buf_ch(b, '\n');
        } else if (!r->verbose) {
            continue;
        }
        if (r->verbose)
            evidence(r, b, f);
    }
    tn_buf_deinit(&say);
}

static void others(const struct tn_report *r, struct tn_buf *b)
{
    const struct tn_verdict *v = r->verdict;
    if (!v->others_not_ready)
        return;
    struct tn_arena tmp;
    struct tn_buf say;
    tn_arena_init(&tmp);
    tn_buf_init(&say);
    struct tn_arg a[] = {{"n", tn_arena_printf(&tmp, "%u", v->others_not_ready)},
                         {"all", tn_arena_printf(&tmp, "%u", v->others)}};
    tn_text_fill(&say, str(r, TN_S_others), a, 2);
    wrapped(r, b, say.p, 0, 2);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&say);
    tn_arena_deinit(&tmp);
}

/* "root reboot" -> "administrator rights, a restart" */
static void needs_text(const struct tn_report *r, struct tn_buf *ret, const char *needs)
{
    while (needs && *needs) {
        char id[40];
        size_t n = strcspn(needs, " ");
        snprintf(id, sizeof id, "needs_%.*s", (int)n, needs);
        tn_buf_printf(ret, "%s%s", ret->n ? (r->lang == TN_ZH ? "、" : ", ") : "", str(r, id));
        needs += n + strspn(needs + n, " ");
    }
}

static void remedy(const struct tn_report *r, struct tn_buf *b, const struct tn_finding *f)
{
    const struct tn_remedy *m = f->n_remedy ? &f->remedy[0] : NULL;
    const struct tn_remedy_text *t = m ? tn_remedy_find(m->id) : NULL;
    if (!t)
        return;
    struct tn_buf say, needs;
    tn_buf_init(&say);
    tn_buf_init(&needs);
    tn_buf_ch(b, '\n');
    tn_remedy_say(&say, m, r->lang);
    labelled(r, b, str(r, TN_S_label_next), say.p);
    needs_text(r, &needs, t->needs);
    const struct {
        const char *label, *text;
    } more[] = {{TN_S_label_changes, t->changes[r->lang]},
                {TN_S_label_needs, needs.p},
                {TN_S_label_size, t->size},
                {TN_S_label_source, t->source},
                {TN_S_label_undo, t->undo[r->lang]}};
    for (unsigned i = 0; i < TN_LEN(more); i++) {
        if (!more[i].text || !*more[i].text)
            continue;
        tn_buf_clear(&say);
        tn_text_fill(&say, more[i].text, m->arg, m->n_arg);
        labelled(r, b, str(r, more[i].label), say.p);
    }
    tn_buf_clear(&say);
    if (tn_remedy_command(&say, m, r->judge->s, r->shell)) {
        tn_buf_str(b, "  ");
        paint(r, b, C_BOLD, say.p);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&needs);
    tn_buf_deinit(&say);
}

void tn_report_text(const struct tn_report *r, struct tn_buf *b)
{
    const struct tn_finding *f = r->verdict->first;
    head(r, b);
    if (!r->quiet) {
        tn_buf_ch(b, '\n');
        judged(r, b);
        tn_buf_ch(b, '\n');
        layers(r, b);
        findings(r, b);
        others(r, b);
        const struct tn_cause *c = f ? tn_cause_find(f->cause) : NULL;
        if (c && c->why[r->lang]) {
            struct tn_buf say;
            tn_buf_init(&say);
            tn_text_fill(&say, c->why[r->lang], f->arg, f->n_arg);
            tn_buf_ch(b, '\n');
            labelled(r, b, str(r, TN_S_label_why), say.p);
            tn_buf_deinit(&say);
        }
    }
    if (f)
        remedy(r, b, f);
}
