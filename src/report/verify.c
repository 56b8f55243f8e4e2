/* verify.c - see verify.h: what both forms have in common, and the text. First line the outcome, then a layer a block.
 */
#include "report/verify.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "strings.gen.h"

#define LAYER_COLUMN 12

enum tn_verify_outcome tn_verify_outcome(const struct tn_snap *s)
{
    bool gpu = false, open = false;
    for (size_t i = 0; i < s->measurement.n; i++) {
        const struct tn_rec_measurement *m = &s->measurement.v[i];
        if (tn_says(m->status, "fail"))
            return TN_VERIFY_FAILED;
        gpu = gpu || (tn_says(m->status, "pass") && tn_known(m->device) && tn_str_starts(m->device.v, "gpu"));
        open = open || (tn_says(m->status, "not_tried") && !tn_says(m->why, "not-on-card") &&
                        !tn_says(m->why, "no-peer-access"));
    }
    return gpu && !open ? TN_VERIFY_OK : TN_VERIFY_PARTLY;
}

unsigned tn_verify_cards(const struct tn_snap *s, struct tn_verify_card *ret, unsigned max)
{
    unsigned n = 0;
    for (size_t i = 0; i < s->measurement.n && n < max; i++) {
        const struct tn_rec_measurement *d = &s->measurement.v[i];
        struct tn_verify_card c = {.device = tn_known(d->device) ? d->device.v : "",
                                   .name = tn_known(d->text) ? d->text.v : ""};
        bool done = false;
        for (size_t k = 0; tn_says(d->what, "device") && tn_says(d->layer, "driver") && k < s->measurement.n; k++) {
            const struct tn_rec_measurement *m = &s->measurement.v[k];
            if (!tn_known(m->status) || !tn_says(m->device, c.device))
                continue;
            done = true;
            if (!c.failed && tn_says(m->status, "fail"))
                c.failed = m;
        }
        if (done)
            ret[n++] = c;
    }
    return n;
}

static const char *text_of(struct tn_str f)
{
    return tn_known(f) ? f.v : "";
}

/* A word of the record as ids are written, up to its number: "crashed-11" is crashed, "no-gpu" no_gpu. */
static const char *plain(char *buf, size_t size, const char *word)
{
    size_t n = 0;
    for (; word[n] && n < size - 1 && !(word[n] == '-' && tn_is_digit(word[n + 1])); n++)
        buf[n] = word[n] == '-' ? '_' : word[n];
    buf[n] = 0;
    return buf;
}

enum worded { WHAT, WHY, ERROR };

/* The interface string for a word; NULL: there is none. */
static const char *worded(const struct tn_verify_report *r, enum worded of, const char *word)
{
    char id[64], w[40];
    plain(w, sizeof w, word);
    switch (of) {
    case WHAT: snprintf(id, sizeof id, "vf_what_%s", w); break;
    case WHY: snprintf(id, sizeof id, "vf_why_%s", w); break;
    default: snprintf(id, sizeof id, "vf_err_%s", w);
    }
    return tn_string(id, r->lang);
}

static const char *what_of(const struct tn_verify_report *r, const struct tn_rec_measurement *m)
{
    const char *s = worded(r, WHAT, text_of(m->what));
    struct tn_arg a[] = {{"peer", text_of(m->peer)}};
    struct tn_buf b;
    if (!s || !tn_known(m->peer))
        return s ? s : text_of(m->what);
    tn_buf_init(&b);
    tn_text_fill(&b, s, a, 1);
    const char *filled = tn_arena_printf(r->mem, "%s", b.p);
    tn_buf_deinit(&b);
    return filled;
}

static const char *error_of(const struct tn_verify_report *r, const struct tn_rec_measurement *m)
{
    const char *word = text_of(m->error), *s = worded(r, ERROR, word);
    const char *number = strpbrk(word, "0123456789");
    if (s && number)
        return tn_arena_printf(r->mem, "%s (%s)", s, number);
    return s ? s : word;
}

static void fill(const struct tn_verify_report *r, struct tn_buf *ret, const char *id, const struct tn_arg *arg,
                 unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_string(id, r->lang), arg, n);
    tn_escape_terminal(ret, b.p); /* names and messages from outside may hold escapes */
    tn_buf_deinit(&b);
}

/* Is nothing said of the error but that the result is wrong, or that the child was lost? Then no call answered. */
static bool is_answer(const struct tn_rec_measurement *m)
{
    return tn_known(m->call) && !tn_says(m->call, "-") && !tn_says(m->call, "python");
}

static void problem(const struct tn_verify_report *r, const struct tn_rec_measurement *m, struct tn_buf *ret)
{
    struct tn_arg a[] = {{"layer", text_of(m->layer)}, {"what", what_of(r, m)},  {"error", error_of(r, m)},
                         {"call", text_of(m->call)},   {"off", text_of(m->off)}, {"bound", text_of(m->bound)}};
    bool wrong = tn_says(m->error, "wrong-result") && tn_known(m->bound);
    fill(r, ret, wrong ? TN_S_vf_problem_wrong : is_answer(m) ? TN_S_vf_problem_call : TN_S_vf_problem, a, TN_LEN(a));
}

/* Why the GPU was not tried, or anything at all. */
static const char *why_not(const struct tn_verify_report *r, bool *ret_nothing)
{
    const char *why = NULL;
    *ret_nothing = true;
    for (size_t i = 0; i < r->s->measurement.n; i++) {
        const struct tn_rec_measurement *m = &r->s->measurement.v[i];
        *ret_nothing = *ret_nothing && (!tn_says(m->status, "pass") || tn_says(m->device, "-"));
        if (!why && tn_says(m->status, "not_tried"))
            why = worded(r, WHY, text_of(m->why));
    }
    return why ? why : tn_string(TN_S_vf_why_cannot, r->lang);
}

void tn_verify_headline(const struct tn_verify_report *r, struct tn_buf *ret)
{
    bool nothing;
    struct tn_arg a[] = {{"why", why_not(r, &nothing)}};
    switch (tn_verify_outcome(r->s)) {
    case TN_VERIFY_OK: fill(r, ret, TN_S_vf_ok, NULL, 0); break;
    case TN_VERIFY_PARTLY: fill(r, ret, nothing ? TN_S_vf_nothing : TN_S_vf_partly, a, 1); break;
    case TN_VERIFY_FAILED:
        for (size_t i = 0; i < r->s->measurement.n; i++)
            if (tn_says(r->s->measurement.v[i].status, "fail")) {
                problem(r, &r->s->measurement.v[i], ret);
                break;
            }
    }
    tn_buf_ch(ret, '\n');
}

static void cause(const struct tn_verify_report *r, struct tn_buf *ret)
{
    struct tn_buf say;
    if (!r->cause)
        return;
    tn_buf_init(&say);
    tn_finding_say(&say, r->cause, r->lang);
    struct tn_arg a[] = {{"say", say.p}, {"slug", r->cause->cause}};
    fill(r, ret, TN_S_vf_cause, a, 2);
    tn_buf_ch(ret, '\n');
    tn_buf_deinit(&say);
}

static void pad(struct tn_buf *b, size_t from, unsigned column)
{
    for (unsigned w = tn_utf8_width(b->p + from); w < column; w++)
        tn_buf_ch(b, ' ');
}

static const char *named_device(const struct tn_rec_measurement *m)
{
    return tn_known(m->device) && !tn_says(m->device, "-") ? m->device.v : "";
}

/* "  right      matrix product    fp32  cpu   largest error ..." */
static void line(const struct tn_verify_report *r, const struct tn_rec_measurement *m, struct tn_buf *ret)
{
    const char *status = tn_says(m->status, "pass")   ? TN_S_vf_pass
                         : tn_says(m->status, "fail") ? TN_S_vf_fail
                                                      : TN_S_vf_not_tried;
    struct tn_arg a[] = {{"off", text_of(m->off)}, {"bound", text_of(m->bound)}, {"where", text_of(m->text)}};
    const char *why = tn_known(m->why) ? worded(r, WHY, m->why.v) : NULL;
    size_t from = ret->n;
    tn_buf_printf(ret, "  %s", tn_string(status, r->lang));
    pad(ret, from, LAYER_COLUMN);
    tn_buf_printf(ret, " %s", what_of(r, m));
    pad(ret, from, LAYER_COLUMN + 34);
    tn_buf_printf(ret, " %-5s ", tn_known(m->precision) ? m->precision.v : "");
    tn_escape_terminal(ret, named_device(m));
    if (tn_known(m->why)) {
        tn_buf_printf(ret, "  %s", why ? why : m->why.v);
    } else if (tn_says(m->status, "pass") && tn_known(m->bound)) {
        tn_buf_str(ret, "  ");
        fill(r, ret, TN_S_vf_right, a, 3);
    } else if (tn_says(m->status, "fail")) {
        tn_buf_str(ret, "  ");
        if (is_answer(m))
            tn_buf_printf(ret, "%s: ", m->call.v);
        tn_escape_terminal(ret, error_of(r, m));
        if (tn_known(m->text) && !tn_says(m->error, "wrong-result")) {
            tn_buf_str(ret, ": ");
            tn_escape_terminal(ret, m->text.v);
        }
    }
    if (r->placement && tn_known(m->text) && tn_known(m->precision)) {
        tn_buf_str(ret, "  ");
        fill(r, ret, TN_S_vf_on, a, 3);
    }
    tn_buf_ch(ret, '\n');
}

static void listed(const struct tn_verify_report *r, const struct tn_rec_measurement *m, struct tn_buf *ret)
{
    struct tn_arg a[] = {{"text", text_of(m->text)}, {"path", text_of(m->file)}};
    bool device = tn_says(m->what, "device"), other = !device && tn_known(m->text);
    if (!device && !other && !r->verbose)
        return;
    tn_buf_str(ret, "  ");
    pad(ret, ret->n - 2, LAYER_COLUMN);
    tn_buf_ch(ret, ' ');
    fill(r, ret, device ? TN_S_vf_lists : other ? TN_S_vf_other : TN_S_vf_loaded, a, 2);
    tn_buf_ch(ret, '\n');
}

/* "tensorflow 2.15.1, by FILE": where a new part begins. The version is told behind the part's first line. */
static void part(const struct tn_verify_report *r, size_t i, struct tn_buf *ret)
{
    const struct tn_rec_measurement *m = &r->s->measurement.v[i];
    const char *version = "";
    for (size_t k = i; k < r->s->measurement.n && tn_says(r->s->measurement.v[k].layer, text_of(m->layer)); k++)
        if (tn_known(r->s->measurement.v[k].version))
            version = r->s->measurement.v[k].version.v;
    struct tn_arg a[] = {{"file", text_of(m->file)}};
    tn_buf_ch(ret, '\n');
    tn_escape_terminal(ret, text_of(m->layer));
    if (*version)
        tn_buf_ch(ret, ' ');
    tn_escape_terminal(ret, version);
    if (tn_known(m->file) && !tn_says(m->what, "loaded")) {
        tn_buf_str(ret, ", ");
        fill(r, ret, TN_S_vf_by, a, 1);
    }
    tn_buf_ch(ret, '\n');
}

/* Of several cards: each with its verdict. */
static void cards(const struct tn_verify_report *r, struct tn_buf *ret)
{
    struct tn_verify_card card[TN_VERIFY_CARDS];
    unsigned n = tn_verify_cards(r->s, card, TN_VERIFY_CARDS);
    for (unsigned i = 0; n > 1 && i < n; i++) {
        const struct tn_rec_measurement *m = card[i].failed;
        struct tn_arg a[] = {{"device", card[i].device},
                             {"name", card[i].name},
                             {"layer", m ? text_of(m->layer) : ""},
                             {"what", m ? what_of(r, m) : ""},
                             {"error", m ? error_of(r, m) : ""}};
        tn_buf_str(ret, "  ");
        fill(r, ret, m ? TN_S_vf_card_failed : TN_S_vf_card_right, a, TN_LEN(a));
        tn_buf_ch(ret, '\n');
    }
}

void tn_verify_text(const struct tn_verify_report *r, struct tn_buf *ret)
{
    const char *layer = "";
    tn_verify_headline(r, ret);
    cause(r, ret);
    cards(r, ret);
    for (size_t i = 0; i < r->s->measurement.n; i++) {
        const struct tn_rec_measurement *m = &r->s->measurement.v[i];
        if (!tn_known(m->layer))
            continue;
        if (strcmp(m->layer.v, layer) != 0)
            part(r, i, ret);
        layer = m->layer.v;
        if (tn_known(m->status))
            line(r, m, ret);
        else
            listed(r, m, ret);
    }
}
