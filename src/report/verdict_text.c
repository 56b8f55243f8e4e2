/* verdict_text.c - the verdict on a terminal or in a pipe.
 *
 * Order: the cause; what was judged against which expectation; the layers; other findings; why; what to do, with what
 * it changes, needs and how it is undone; last line the one command. A status is always a word, colour only adds. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "report/escape.h"
#include "report/explain.h"
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

static bool is_wide(uint32_t c)
{
    return c >= 0x2E80;
}

/* Brackets and quotation marks that must not end a line. */
static bool opens(uint32_t c)
{
    return c == 0x201C || c == 0x300A || c == 0x3010 || c == 0xFF08;
}

/* Punctuation that must not begin one. */
static bool closes(uint32_t c)
{
    return c == 0x201D || (c >= 0x3001 && c <= 0x3003) || c == 0x300B || c == 0x3011 || c == 0xFF01 || c == 0xFF09 ||
           c == 0xFF0C || c == 0xFF1A || c == 0xFF1B || c == 0xFF1F;
}

/* Bytes of the next piece that stays on one line, with its width: an English word, or one Chinese character with the
 * punctuation around it. */
static size_t next_piece(const char *p, unsigned *ret_width)
{
    size_t n = 0;
    unsigned width = 0;
    bool joined = true; /* what stands before allows no break here */
    uint32_t last = 0;
    while (p[n] && p[n] != ' ') {
        uint32_t c;
        size_t k = tn_utf8_next(p + n, strlen(p + n), &c);
        bool may_break = n && !joined && !closes(c) && (is_wide(c) || is_wide(last) || closes(last) || opens(c));
        if (may_break)
            break;
        char one[8] = "";
        memcpy(one, p + n, k < sizeof one ? k : 0);
        width += tn_utf8_width(one);
        joined = opens(c);
        last = c;
        n += k;
    }
    *ret_width = width;
    return n;
}

static void new_line(struct tn_buf *b, unsigned indent)
{
    while (b->n && b->p[b->n - 1] == ' ')
        b->p[--b->n] = 0;
    tn_buf_ch(b, '\n');
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
}

/* Text with escapes disarmed, wrapped at the width; following lines are indented. Chinese breaks between any two
 * characters, English at blanks. */
void tn_report_wrap(const struct tn_report *r, struct tn_buf *b, const char *text, unsigned start, unsigned indent)
{
    struct tn_buf safe;
    tn_buf_init(&safe);
    tn_escape_terminal(&safe, text);
    unsigned col = start, limit = r->width > indent + 20 ? r->width : 0, width;
    for (const char *p = safe.p; *p;) {
        size_t n = next_piece(p, &width);
        if (n == 0) {
            tn_buf_ch(b, *p++);
            col++;
            continue;
        }
        if (limit && col + width > limit && col > indent) {
            new_line(b, indent);
            col = indent;
        }
        tn_buf_add(b, p, n);
        col += width;
        p += n;
    }
    tn_buf_deinit(&safe);
}

/* Columns of the text's widest word. */
static unsigned widest(const char *text)
{
    unsigned most = 0, width;
    for (size_t n; *text; text += n ? n : 1) {
        n = next_piece(text, &width);
        most = width > most ? width : most;
    }
    return most;
}

/* The text stands behind its label; below it where a long path would not fit beside it on a narrow console. */
static void labelled(const struct tn_report *r, struct tn_buf *b, const char *label, const char *text)
{
    const unsigned COLUMN = 11, NARROW = 2;
    unsigned most = r->width ? widest(text) : 0;
    bool below = *label && r->width && COLUMN + most > r->width && NARROW + most <= r->width;
    paint(r, b, C_DIM, label);
    if (below)
        new_line(b, NARROW);
    else
        pad(b, label, COLUMN);
    tn_report_wrap(r, b, text, below ? NARROW : COLUMN, below ? NARROW : COLUMN);
    tn_buf_ch(b, '\n');
}

static void head(const struct tn_report *r, struct tn_buf *b)
{
    static const char *const word[] = {TN_S_word_ok, TN_S_word_problem, TN_S_word_unclear};
    static const enum color color[] = {C_GOOD, C_BAD, C_WARN};
    const struct tn_verdict *v = r->verdict;
    const struct tn_finding *about = v->first ? v->first : v->open;
    struct tn_buf say;
    tn_buf_init(&say);
    paint(r, b, color[v->status], str(r, word[v->status]));
    tn_buf_str(b, r->lang == TN_ZH ? "：" : ": ");
    tn_report_say(r, &say);
    if (about)
        tn_buf_printf(&say, " [%s]", about->cause);
    tn_report_wrap(r, b, say.p, tn_utf8_width(str(r, word[v->status])) + 2, 4);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&say);
}

/* No environment: nowhere looked, none there, or a "python" that is none. */
static void judged_none(const struct tn_report *r, struct tn_buf *say)
{
    const struct tn_snap *s = r->judge->s;
    struct tn_arg path = {"path", NULL};
    for (size_t i = 0; i < s->choice.n; i++)
        if (tn_says(s->choice.v[i].by, "store-alias") && tn_known(s->choice.v[i].interpreter))
            path.value = s->choice.v[i].interpreter.v;
    if (s->env.listed != TN_KNOWN)
        tn_buf_str(say, str(r, TN_S_r_judged_unknown));
    else if (path.value)
        tn_text_fill(say, str(r, TN_S_r_judged_store_alias), &path, 1);
    else
        tn_buf_str(say, str(r, TN_S_r_judged_none));
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
                             {"by", tn_says(e->chosen_by, "option") ? "--env"
                                    : tn_known(e->chosen_by)        ? e->chosen_by.v
                                                                    : "?"}};
        tn_text_fill(&say, str(r, tn_known(e->path) ? TN_S_r_judged_env : TN_S_r_judged_described), a, TN_LEN(a));
    } else {
        judged_none(r, &say);
    }
    labelled(r, b, str(r, TN_S_label_judged), say.p);
    tn_buf_clear(&say);
    struct tn_arg what[] = {{"why", str(r, r->judge->why)}};
    tn_text_fill(&say, str(r, r->judge->expect == TN_EXPECT_GPU ? TN_S_r_expect_gpu : TN_S_r_expect_cpu), what, 1);
    labelled(r, b, str(r, TN_S_label_expected), say.p);
    tn_buf_deinit(&say);
}

static void evidence(const struct tn_report *r, struct tn_buf *b, const struct tn_ref *ref, unsigned n)
{
    struct tn_buf name, value, line;
    const char *from;
    tn_buf_init(&name);
    tn_buf_init(&value);
    tn_buf_init(&line);
    for (unsigned i = 0; i < n && r->verbose; i++) {
        tn_report_fact(r->judge->s, ref[i], &name, &value, &from);
        tn_buf_clear(&line);
        tn_buf_printf(&line, "%s = %s%s%s%s", name.p, value.p, *from ? " (" : "", from, *from ? ")" : "");
        tn_buf_str(b, "      ");
        tn_report_wrap(r, b, line.p, 6, 8);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&name);
    tn_buf_deinit(&value);
    tn_buf_deinit(&line);
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
        tn_report_say_layer(r, l, &say);
        if (l->finding && l->finding != r->verdict->first) /* the first line has that one's */
            tn_buf_printf(&say, " [%s]", l->finding->cause);
        tn_report_wrap(r, b, say.p, 23, 23);
        tn_buf_ch(b, '\n');
        if (!l->finding) /* a finding shows its own below */
            evidence(r, b, l->fact, l->n_fact);
    }
    tn_buf_deinit(&say);
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

/* "; not known: gpu, driver.version": why a question stays open. */
static void missing(const struct tn_report *r, struct tn_buf *say, const struct tn_finding *f)
{
    struct tn_buf names, one;
    tn_buf_init(&names);
    tn_buf_init(&one);
    for (unsigned i = 0; i < f->n_evidence; i++) {
        tn_ref_name(f->evidence[i], &one);
        tn_buf_printf(&names, "%s%s", i ? ", " : "", one.p);
        tn_buf_clear(&one);
    }
    struct tn_arg a[] = {{"facts", names.p}};
    tn_buf_str(say, r->lang == TN_ZH ? "；" : "; ");
    tn_text_fill(say, str(r, TN_S_r_not_known), a, 1);
    tn_buf_deinit(&names);
    tn_buf_deinit(&one);
}

static void finding_line(const struct tn_report *r, struct tn_buf *b, const struct tn_finding *f, bool quiet)
{
    struct tn_buf say;
    const char *word = str(r, finding_word(f));
    enum color loud = f->severity == TN_ERROR && f->status <= TN_LIKELY ? C_BAD : C_WARN;
    tn_buf_init(&say);
    tn_finding_say(&say, f, r->lang);
    tn_buf_printf(&say, " [%s]", f->cause);
    if (f->status == TN_UNTESTABLE)
        missing(r, &say, f);
    tn_buf_str(b, "  ");
    paint(r, b, quiet ? C_DIM : loud, word);
    pad(b, word, 9);
    tn_report_wrap(r, b, say.p, 11, 11);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&say);
}

/* A layer that speaks through this finding has said it. */
static bool is_said(const struct tn_report *r, const struct tn_finding *f)
{
    for (unsigned i = 0; i < TN_LAYERS; i++)
        if (r->verdict->layer[i].finding == f)
            return true;
    return f == r->verdict->first;
}

/* Everything that was not said above. Consequences and what could not be told are for --verbose, except where the
 * verdict is that it is unknown. */
static void findings(const struct tn_report *r, struct tn_buf *b)
{
    for (size_t i = 0; i < r->findings->n; i++) {
        const struct tn_finding *f = &r->findings->v[i];
        bool quiet = f->behind || f->status == TN_RULED_OUT ||
                     (f->status == TN_UNTESTABLE && r->verdict->status != TN_VERDICT_UNKNOWN);
        if (!r->verbose && (quiet || is_said(r, f)))
            continue;
        finding_line(r, b, f, quiet);
        evidence(r, b, f->evidence, f->n_evidence);
    }
}

static void others(const struct tn_report *r, struct tn_buf *b)
{
    const struct tn_verdict *v = r->verdict;
    const struct tn_cause *c = v->first ? tn_cause_find(v->first->cause) : NULL;
    if (!v->others_not_ready || (c && strcmp(c->scope, "machine") == 0))
        return; /* what is wrong with the machine holds for all of them */
    struct tn_arena tmp;
    struct tn_buf say;
    tn_arena_init(&tmp);
    tn_buf_init(&say);
    struct tn_arg a[] = {{"n", tn_arena_printf(&tmp, "%u", v->others_not_ready)},
                         {"all", tn_arena_printf(&tmp, "%u", v->others)}};
    tn_text_fill(&say, str(r, TN_S_others), a, 2);
    tn_report_wrap(r, b, say.p, 0, 2);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&say);
    tn_arena_deinit(&tmp);
}

/* A survey that stopped at its limit says so: what it left out was neither counted nor judged. */
static void left_out(const struct tn_report *r, struct tn_buf *b)
{
    const struct tn_snap *s = r->judge->s;
    if (s->env.listed != TN_FAILED || s->env.n < TN_MAX_ENV_DIRS / 2)
        return;
    tn_report_wrap(r, b, str(r, TN_S_others_left_out), 0, 2);
    tn_buf_ch(b, '\n');
}

/* "root reboot" -> "administrator rights, a restart" */
void tn_report_needs(const struct tn_report *r, struct tn_buf *ret, const char *needs)
{
    while (needs && *needs) {
        char id[40];
        size_t n = strcspn(needs, " ");
        snprintf(id, sizeof id, "needs_%.*s", (int)n, needs);
        tn_buf_printf(ret, "%s%s", ret->n ? (r->lang == TN_ZH ? "、" : ", ") : "", str(r, id));
        needs += n + strspn(needs + n, " ");
    }
}

/* What to do, what it changes, needs and costs, how it is undone; last the command, in a line of its own. */
void tn_report_check(const struct tn_report *r, struct tn_buf *b)
{
    struct tn_remedy next;
    const struct tn_finding *f = r->verdict->first;
    const struct tn_cause *c = f ? tn_cause_find(f->cause) : NULL;
    if (!c || f->status > TN_LIKELY || f->severity == TN_NOTE || !f->n_remedy || !tn_report_next(r, &next))
        return;
    bool driver = strcmp(c->layer, "driver") == 0 || strcmp(c->layer, "wsl") == 0;
    labelled(r, b, str(r, TN_S_label_check), str(r, driver ? TN_S_ex_check_driver : TN_S_ex_check));
}

void tn_report_remedy(const struct tn_report *r, struct tn_buf *b)
{
    struct tn_remedy next, *m = &next;
    if (!tn_report_next(r, m))
        return;
    struct tn_remedy_text remedy;
    const struct tn_remedy_text *t = tn_remedy_find(m->id, &remedy) ? &remedy : NULL;
    if (!t)
        return;
    struct tn_buf say, needs;
    tn_buf_init(&say);
    tn_buf_init(&needs);
    tn_remedy_say(&say, m, r->lang);
    tn_report_needs(r, &needs, t->needs);
    const struct {
        const char *label, *text;
    } line[] = {{TN_S_label_next, say.p},       {TN_S_label_changes, t->changes[r->lang]},
                {TN_S_label_needs, needs.p},    {TN_S_label_size, t->size},
                {TN_S_label_source, t->source}, {TN_S_label_undo, t->undo[r->lang]}};
    struct tn_buf filled;
    tn_buf_init(&filled);
    tn_buf_str(b, r->quiet ? "" : "\n");
    for (unsigned i = 0; i < TN_LEN(line) && !r->quiet; i++) {
        tn_buf_clear(&filled);
        tn_text_fill(&filled, line[i].text, m->arg, m->n_arg);
        if (filled.n)
            labelled(r, b, str(r, line[i].label), filled.p);
    }
    const struct tn_finding *f = r->plans ? r->verdict->first : NULL;
    tn_buf_clear(&filled);
    bool plan = f && tn_remedy_count(m, r->judge->s) != 1 && tn_report_fix_command(r, f->cause, &filled);
    if (r->quiet && !t->n_command) { /* a title instead */
        tn_buf_printf(b, "  %s\n", say.p);
    } else if (t->n_command || plan) {
        tn_buf_clear(&say);
        if (plan)
            tn_buf_str(&say, filled.p);
        else
            tn_report_command(r, m, &say);
        if (plan && !r->quiet)
            labelled(r, b, str(r, TN_S_label_steps), str(r, TN_S_fx_steps));
        tn_buf_str(b, "  ");
        paint(r, b, C_BOLD, say.p);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&filled);
    tn_buf_deinit(&needs);
    tn_buf_deinit(&say);
}

void tn_report_why(const struct tn_report *r, struct tn_buf *b)
{
    const struct tn_finding *f = r->verdict->first;
    const struct tn_cause *c = f ? tn_cause_find(f->cause) : NULL;
    struct tn_buf say;
    if (!c)
        return;
    tn_buf_init(&say);
    tn_text_fill(&say, tn_cause_why(c, r->lang), f->arg, f->n_arg);
    tn_buf_ch(b, '\n');
    labelled(r, b, str(r, TN_S_label_why), say.p);
    tn_buf_deinit(&say);
}

/* One line each: name, version, what kind if it is no ordinary one, whose package, where. */
static void installed(const struct tn_report *r, struct tn_buf *b)
{
    struct tn_installed x;
    struct tn_buf line;
    tn_buf_init(&line);
    for (size_t at = 0; tn_report_installed(r, &at, &x);) {
        bool first = line.n == 0, odd = x.kind && strcmp(x.kind, "real") != 0 && strcmp(x.kind, "nvidia") != 0;
        tn_buf_clear(&line);
        tn_buf_printf(&line, "%s %s%s%s", x.name, x.version ? x.version : "?", odd ? ", " : "", odd ? x.kind : "");
        if (tn_known(x.owner))
            tn_buf_printf(&line, " (%s)", x.owner.v);
        else if (x.owner.k == TN_ABSENT)
            tn_buf_printf(&line, " (%s)", str(r, TN_S_r_no_owner));
        tn_buf_printf(&line, "  %s", x.path ? x.path : "?");
        if (first)
            tn_buf_ch(b, '\n');
        labelled(r, b, first ? str(r, TN_S_label_installed) : "", line.p);
    }
    tn_buf_deinit(&line);
}

void tn_report_text(const struct tn_report *r, struct tn_buf *b)
{
    head(r, b);
    if (!r->quiet) {
        tn_buf_ch(b, '\n');
        judged(r, b);
        tn_buf_ch(b, '\n');
        layers(r, b);
        findings(r, b);
        others(r, b);
        left_out(r, b);
        if (r->inventory)
            installed(r, b);
        if (r->verbose)
            tn_report_census(r, b);
        tn_report_why(r, b);
    }
    tn_report_remedy(r, b);
}
