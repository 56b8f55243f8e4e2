/* signs.c - see signs.h: from matches to signs, and whether a condition holds. */
#include "explain/signs.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"
#include "explain/judge.h"
#include "finding/catalogue.h"

#define MAX_SHOWN 240u /* bytes of a line that is shown as evidence */

struct scan {
    struct tn_signs *signs;
    struct tn_explain *e;
    struct tn_span text;
    size_t at; /* lines are counted up to here */
    unsigned line;
    const struct tn_english *english; /* text is the one in English; NULL: it is the original */
    unsigned first_line;
    struct tn_span rest; /* of the original: the lines from original_line on */
    unsigned original_line;
    struct tn_span original; /* the one before that */
};

const char *tn_sign_name(const struct tn_sign *sign)
{
    return tn_form_pool + tn_forms[sign->form].name;
}

static bool is_forgotten(const struct tn_signs *signs, unsigned form)
{
    const struct tn_form *f = &tn_forms[form];
    if (!signs->forget || !f->n_source)
        return false;
    for (unsigned i = 0; i < f->n_source; i++)
        if (strcmp(tn_form_pool + tn_form_sources[f->source + i].text, signs->forget) != 0)
            return false;
    return true;
}

static struct tn_sign *sign_of(struct tn_signs *signs, unsigned form)
{
    for (size_t i = 0; i < signs->n; i++)
        if (signs->v[i].form == form)
            return &signs->v[i];
    if (signs->n == signs->cap) {
        size_t cap = signs->cap ? 2 * signs->cap : 16;
        struct tn_sign *v = tn_arena_array(signs->mem, cap, sizeof *v);
        if (signs->n)
            memcpy(v, signs->v, signs->n * sizeof *v);
        signs->v = v;
        signs->cap = cap;
    }
    struct tn_sign *s = &signs->v[signs->n++];
    memset(s, 0, sizeof *s);
    s->form = form;
    return s;
}

static const char *copy(struct tn_arena *mem, struct tn_span v)
{
    return tn_arena_strndup(mem, (const char *)v.p, v.n < MAX_SHOWN ? v.n : MAX_SHOWN);
}

/* The line that holds the match, cut to what can be shown, around the match. */
static const char *shown(struct scan *x, const struct tn_form_hit *h)
{
    size_t from = h->from, to = h->to;
    while (from > 0 && x->text.p[from - 1] != '\n' && h->from - from < MAX_SHOWN / 3)
        from--;
    while (to < x->text.n && x->text.p[to] != '\n' && to - from < MAX_SHOWN)
        to++;
    char *t = tn_arena_strndup(x->signs->mem, (const char *)x->text.p + from, to - from);
    for (char *p = t; *p; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    return t;
}

/* The line of the original that has this number; numbers never fall, and several forms may match in one line. */
static const char *original(struct scan *x)
{
    while (x->original_line <= x->line && tn_span_line(&x->rest, &x->original))
        x->original_line++;
    struct tn_span line = x->original;
    char *t =
        tn_arena_strndup(x->signs->mem, line.n ? (const char *)line.p : "", line.n < MAX_SHOWN ? line.n : MAX_SHOWN);
    for (char *p = t; *p; p++)
        if (*p == '\t')
            *p = ' ';
    return t;
}

/* In the second look: lines that were not changed have been read, and so has a form that matched there. */
static bool is_read(const struct scan *x, const struct tn_form_hit *h)
{
    unsigned last = x->line, changed_from = x->line - x->first_line + 1;
    for (size_t i = h->from; i < h->to; i++)
        last += x->text.p[i] == '\n';
    if (!tn_english_changed(x->english, changed_from, changed_from + (last - x->line)))
        return true;
    for (size_t i = 0; i < x->signs->n; i++)
        for (unsigned k = 0; x->signs->v[i].form == h->form && k < x->signs->v[i].n_hit; k++)
            if (x->signs->v[i].hit[k].line == x->line)
                return true;
    return false;
}

static void say(struct scan *x, const struct tn_form *f, const struct tn_form_hit *h)
{
    for (unsigned i = 0; i < f->n_say; i++) {
        const struct tn_form_say *s = &tn_form_says[f->say + i];
        struct tn_arg a[TN_MAX_FORM_HOLES];
        struct tn_buf b;
        tn_buf_init(&b);
        for (unsigned k = 0; k < h->n_hole; k++)
            a[k] = (struct tn_arg){h->hole[k].name, copy(x->signs->mem, h->hole[k].value)};
        tn_text_fill(&b, tn_form_pool + s->value, a, h->n_hole);
        tn_explain_say(x->e, tn_form_pool + s->fact, b.n ? b.p : NULL, x->line);
        tn_buf_deinit(&b);
    }
}

static bool on_hit(void *ctx, const struct tn_form_hit *h)
{
    struct scan *x = ctx;
    if (is_forgotten(x->signs, h->form))
        return true;
    for (; x->at < h->from; x->at++)
        x->line += x->text.p[x->at] == '\n';
    if (x->english && is_read(x, h))
        return true;
    struct tn_sign *s = sign_of(x->signs, h->form);
    if (x->line > s->last_line) /* a second look begins at the top again */
        s->last_line = x->line;
    if (s->count && x->line < s->first_line)
        s->first_line = x->line;
    if (s->told < 8)
        s->told += !tn_signs_supposed(x->text, h->from, h->to);
    if (s->count++ == 0) {
        s->first_line = x->line;
        uint32_t src = tn_snap_src(x->e->s, TN_KNOWN, NULL, "line %u of the text", x->line);
        struct tn_rec_observation *o = TN_ADD(x->e->s, observation);
        s->observation = x->e->s->observation.n - 1;
        o->fact = tn_fact_str(x->e->s, src, tn_arena_printf(x->signs->mem, "message.%s", tn_sign_name(s)));
        o->value = tn_fact_str(x->e->s, src, x->english ? original(x) : shown(x, h));
        o->line = tn_fact_int(src, x->line);
    }
    if (s->n_hit < TN_MAX_SIGN_HITS) {
        unsigned n = s->n_hit++;
        s->hit[n].line = x->line;
        s->hit[n].n_hole = h->n_hole;
        for (unsigned i = 0; i < h->n_hole; i++) {
            s->hit[n].hole[i].name = h->hole[i].name;
            s->hit[n].hole[i].value = copy(x->signs->mem, h->hole[i].value);
        }
    }
    if (s->count <= 64) /* a fact keeps few rivals anyway */
        say(x, &tn_forms[h->form], h);
    return true;
}

static void scan_with(struct scan *x, struct tn_snap *s)
{
    struct tn_explain e = {.s = s};
    x->e = &e;
    tn_arena_init(&e.mem);
    tn_form_scan(x->text, on_hit, x);
    s->observation.listed = TN_KNOWN;
    tn_arena_deinit(&e.mem);
}

void tn_signs_scan(struct tn_signs *signs, struct tn_span clean, unsigned first_line, struct tn_snap *s)
{
    struct scan x = {.signs = signs, .text = clean, .line = first_line, .first_line = first_line};
    scan_with(&x, s);
}

void tn_signs_scan_english(struct tn_signs *signs, const struct tn_english *e, struct tn_span clean,
                           unsigned first_line, struct tn_snap *s)
{
    struct scan x = {.signs = signs,
                     .text = tn_span_of(e->text.p, e->text.n),
                     .line = first_line,
                     .english = e,
                     .first_line = first_line,
                     .rest = clean,
                     .original_line = first_line};
    scan_with(&x, s);
}

bool tn_signs_speak(const struct tn_signs *signs)
{
    for (size_t i = 0; i < signs->n; i++) {
        const struct tn_form *f = &tn_forms[signs->v[i].form];
        for (unsigned k = 0; signs->v[i].told && k < f->n_mean; k++)
            if (tn_form_means[f->mean + k].weight > 0)
                return true;
        for (unsigned k = 0; k < f->n_say; k++)
            if (tn_str_starts(tn_form_pool + tn_form_says[f->say + k].fact, "fallback.") ||
                tn_str_starts(tn_form_pool + tn_form_says[f->say + k].fact, "asked.") ||
                tn_str_ends(tn_form_pool + tn_form_says[f->say + k].fact, ".no_gpu"))
                return true;
    }
    return false;
}

const struct tn_sign *tn_signs_find(const struct tn_signs *signs, const char *form)
{
    for (size_t i = 0; i < signs->n; i++)
        if (strcmp(tn_sign_name(&signs->v[i]), form) == 0)
            return &signs->v[i];
    return NULL;
}

/* A glob in small letters against a value in any. */
static bool says(const char *glob, const char *value)
{
    char low[256];
    size_t n = 0;
    for (; value[n] && n < sizeof low - 1; n++)
        low[n] = value[n] >= 'A' && value[n] <= 'Z' ? (char)(value[n] + 32) : value[n];
    low[n] = 0;
    return tn_str_glob(glob, low);
}

/* "name=glob", or a name alone: a text says something of it. */
static bool is_told(const struct tn_snap *s, const char *what)
{
    const char *eq = strchr(what, '=');
    size_t n = eq ? (size_t)(eq - what) : strlen(what);
    for (size_t i = 0; i < s->observation.n; i++) {
        const struct tn_rec_observation *o = &s->observation.v[i];
        if (tn_known(o->fact) && strlen(o->fact.v) == n && memcmp(o->fact.v, what, n) == 0 &&
            (eq ? tn_known(o->value) && says(eq + 1, o->value.v) : true))
            return true;
    }
    return false;
}

/* linux (not WSL), wsl2, windows, macos, docker (a container). */
static bool is_os(const struct tn_snap *s, const char *os)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    bool wsl = h->wsl.k == TN_KNOWN && h->wsl.v > 0;
    if (strcmp(os, "docker") == 0)
        return tn_known(TN_THE(s, container)->kind) || is_told(s, "host.container");
    if (strncmp(os, "wsl", 3) == 0)
        return wsl;
    return tn_says(h->os, os) && !(wsl && strcmp(os, "linux") == 0);
}

static bool is_part(const struct tn_snap *s, const char *part)
{
    char what[80];
    size_t n = strlen(part);
    if (n > 40)
        return false;
    memcpy(what, part, n);
    memcpy(what + n, ".version", sizeof ".version");
    if (is_told(s, what))
        return true;
    memcpy(what, "part=", 5);
    memcpy(what + 5, part, n + 1);
    if (is_told(s, what))
        return true;
    for (size_t i = 0; i < s->framework.n; i++)
        if (tn_says(s->framework.v[i].name, part))
            return true;
    return false;
}

bool tn_weigh_os(const struct tn_weigh *w, const char *os)
{
    return is_os(w->s, os);
}

bool tn_weigh_part(const struct tn_weigh *w, const char *part)
{
    return is_part(w->s, part);
}

static bool has_hole(const struct tn_sign *of, const char *what)
{
    const char *eq = strchr(what, '=');
    for (unsigned i = 0; of && eq && i < of->n_hit; i++)
        for (unsigned k = 0; k < of->hit[i].n_hole; k++)
            if (strlen(of->hit[i].hole[k].name) == (size_t)(eq - what) &&
                strncmp(of->hit[i].hole[k].name, what, (size_t)(eq - what)) == 0 &&
                says(eq + 1, of->hit[i].hole[k].value))
                return true;
    return false;
}

static bool is_seen(const struct tn_signs *signs, unsigned form)
{
    for (size_t i = 0; i < signs->n; i++)
        if (signs->v[i].form == form)
            return true;
    return false;
}

bool tn_signs_hold(const struct tn_signs *signs, const struct tn_snap *s, const struct tn_sign *of, unsigned cond,
                   unsigned n)
{
    for (unsigned i = cond; i < cond + n; i++) {
        const struct tn_form_cond *c = &tn_form_conds[i];
        const char *what = c->kind == TN_COND_SEEN ? "" : tn_form_pool + c->what;
        bool yes = false;
        switch ((enum tn_cond)c->kind) {
        case TN_COND_OS: yes = is_os(s, what); break;
        case TN_COND_PART: yes = is_part(s, what); break;
        case TN_COND_SEEN: yes = is_seen(signs, c->what); break;
        case TN_COND_TOLD:
        case TN_COND_SAYS: yes = is_told(s, what); break;
        case TN_COND_HOLE: yes = has_hole(of, what); break;
        }
        if (yes == c->no)
            return false;
    }
    return true;
}

static bool differs(struct tn_str a, struct tn_str b)
{
    return tn_known(a) && tn_known(b) && !tn_str_ieq(a.v, b.v);
}

bool tn_signs_elsewhere(const struct tn_snap *text, const struct tn_snap *machine)
{
    const struct tn_rec_host *a = TN_THE(text, host), *b = TN_THE(machine, host);
    bool wsl = a->wsl.k == TN_KNOWN && b->wsl.k == TN_KNOWN && (a->wsl.v > 0) != (b->wsl.v > 0);
    if (wsl || differs(a->os, b->os) || differs(TN_THE(text, driver)->version, TN_THE(machine, driver)->version))
        return true;
    for (size_t i = 0; i < text->gpu.n; i++) {
        bool found = machine->gpu.n == 0;
        for (size_t k = 0; k < machine->gpu.n; k++)
            found |= !differs(text->gpu.v[i].capability, machine->gpu.v[k].capability);
        if (!found)
            return true;
    }
    return false;
}
