/* wishes.c - see wishes.h. */
#include "cmd/wishes.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "explain/encoding.h"
#include "os/os.h"
#include "plan/plan.h"
#include "strings.gen.h"
#include "version/dotted.h"
#include "version/pep440.h"

int tn_cmd_wish_text(struct tn_cmd_ctx *c, const char *name, struct tn_span *ret, struct tn_err *err)
{
    struct tn_buf raw, text;
    uint64_t size;
    size_t skip;
    tn_buf_init(&raw);
    tn_buf_init(&text);
    int rc = tn_str_eq(name, "-") ? tn_os_read_stdin(TN_MAX_TEXT_FILE + 1u, &raw, err)
                                  : tn_os_read(NULL, name, 0, TN_MAX_TEXT_FILE + 1u, &raw, &size, err);
    if (!rc && raw.n > TN_MAX_TEXT_FILE)
        rc = tn_err_set(err, TN_E_LIMIT, name, "larger than %u MB", TN_MAX_TEXT_FILE >> 20);
    if (!rc) {
        struct tn_span s = tn_span_of(raw.p, raw.n);
        enum tn_encoding e = tn_encoding_of(s, &skip);
        if (e == TN_UTF16 || e == TN_UTF16_BE) {
            tn_encoding_decode(tn_span_from(s, skip), e, &text);
            s = tn_span_of(text.p, text.n);
        }
        *ret = tn_span_of(tn_arena_memdup(c->mem, s.p, s.n), s.n);
    }
    tn_buf_deinit(&raw);
    tn_buf_deinit(&text);
    return rc;
}

static int read_other(void *ctx, const char *path, struct tn_span *ret, struct tn_err *err)
{
    return tn_cmd_wish_text(ctx, path, ret, err);
}

void tn_cmd_wish_reader(struct tn_cmd_ctx *c, const char *name, const struct tn_snap *s, const char *python,
                        struct tn_wish_reader *ret)
{
    struct tn_plan_machine *m = tn_arena_alloc(c->mem, sizeof *m);
    tn_plan_machine_of(c->mem, s, m);
    if (python && !*python && m->n_python)
        python = m->python[0];
    *ret = (struct tn_wish_reader){.mem = c->mem, .name = name, .extras = "", .read = read_other, .ctx = c};
    tn_wish_markers(c->mem, m, python && tn_is_digit(*python) ? python : "", &ret->env);
}

static int refuse_line(const struct tn_wish_line *l, int rc, struct tn_err *err)
{
    char place[TN_ERR_TEXT];
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_printf(&b, "%.200s:%u", l->file, l->line);
    strncpy(place, b.p, sizeof place - 1);
    place[sizeof place - 1] = '\0';
    tn_buf_deinit(&b);
    return tn_err_set(err, rc, place, "%.60s: %.150s", l->text, l->note);
}

/* What was not understood, or not read, of what holds here. */
static int check_lines(struct tn_cmd_ctx *c, const struct tn_wish_file *f, struct tn_plan_wishes *w, struct tn_err *err)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct tn_wish_line *l = &f->v[i];
        if (l->marker == TN_MARKER_NO)
            continue;
        if (l->what == TN_LINE_BROKEN)
            return refuse_line(l, TN_E_USAGE, err);
        if (l->what == TN_LINE_FILE && l->included && l->open)
            return refuse_line(l, TN_E_NOTFOUND, err);
        if (l->what != TN_LINE_FILE)
            continue;
        struct tn_plan_say *say = tn_plan_says_add(&w->say, TN_S_ft_not_read);
        tn_plan_arg(c->mem, say, "file", "%s", l->file);
        tn_plan_arg(c->mem, say, "line", "%u", l->line);
        tn_plan_arg(c->mem, say, "text", "%s", l->text);
        tn_plan_arg(c->mem, say, "because", "%s", l->note);
    }
    return f->cut ? tn_err_set(err, TN_E_LIMIT, f->n ? f->v[0].file : NULL, "%s", tn_s(c, TN_S_ft_cut)) : 0;
}

/* One reading of all files for a Python; NULL: for none that is known. *ret_open: a line asks which it is. */
static int read_all(struct tn_cmd_ctx *c, const struct tn_snap *s, const struct tn_span *text, const char *python,
                    struct tn_plan_wishes *w, bool *ret_open, struct tn_err *err)
{
    const struct tn_given *g = &c->opt[TN_OPT_REQUIREMENT];
    *ret_open = false;
    for (unsigned i = 0; i < g->n; i++) {
        struct tn_wish_reader r;
        struct tn_wish_file f;
        tn_cmd_wish_reader(c, g->v[i], s, python, &r);
        int rc = tn_wish_file_read(&r, tn_wish_file_kind(g->v[i], text[i]), text[i], &f, err);
        if (rc)
            return rc;
        tn_wish_file_wishes(c->mem, &f, w);
        rc = check_lines(c, &f, w, err);
        if (rc)
            return rc;
        for (size_t k = 0; k < f.n; k++)
            *ret_open = *ret_open || f.v[k].marker == TN_MARKER_UNKNOWN;
    }
    return 0;
}

static bool may_be(const char *python, const char *wish)
{
    bool met;
    struct tn_err err;
    if (!*wish || tn_is_digit(*wish))
        return !*wish || tn_version_dotted_cmp_parts(python, wish, 2) == 0;
    return tn_version_pep440_match(python, wish, &met, &err) == 0 && met;
}

#define OLDEST_PYTHON 6u
#define NEWEST_PYTHON 15u

/* Lines hold for some Pythons only: the machine's own first, then from the newest on, the first that goes. */
static int choose_python(struct tn_cmd_ctx *c, const struct tn_snap *s, const struct tn_span *text, const char *wish,
                         struct tn_plan_wishes *w, struct tn_err *err)
{
    struct tn_plan_machine *m = tn_arena_alloc(c->mem, sizeof *m);
    struct tn_plan *p = tn_arena_alloc(c->mem, sizeof *p);
    struct tn_plan_wishes *first = NULL, *one;
    tn_plan_machine_of(c->mem, s, m);
    for (unsigned i = 0; i < m->n_python + NEWEST_PYTHON - OLDEST_PYTHON + 1u; i++) {
        bool open, here = i < m->n_python;
        const char *v = here ? m->python[i] : tn_arena_printf(c->mem, "3.%u", NEWEST_PYTHON + m->n_python - i);
        if (!may_be(v, wish))
            continue;
        one = tn_arena_memdup(c->mem, w, sizeof *w);
        one->python = v;
        int rc = read_all(c, s, text, v, one, &open, err);
        if (rc)
            return rc;
        tn_plan_arg(c->mem, tn_plan_says_add(&one->say, TN_S_pl_python_of_lines), "python", "%s", v);
        first = first ? first : one;
        if (one->n)
            tn_plan_make(c->mem, one, s, p);
        if (one->n && p->end == TN_PLAN_FITS) {
            *w = *one;
            return 0;
        }
    }
    if (first)
        *w = *first;
    return 0;
}

int tn_cmd_required(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_plan_wishes *w, struct tn_err *err)
{
    const struct tn_given *g = &c->opt[TN_OPT_REQUIREMENT];
    struct tn_span *text = tn_arena_array(c->mem, g->n + 1u, sizeof *text);
    struct tn_plan_wishes *before = tn_arena_memdup(c->mem, w, sizeof *w);
    bool open = false, one_python = tn_is_digit(*w->python);
    int rc = 0;
    for (unsigned i = 0; i < g->n && !rc; i++)
        rc = tn_cmd_wish_text(c, g->v[i], &text[i], err);
    if (!rc)
        rc = read_all(c, s, text, one_python ? w->python : NULL, w, &open, err);
    if (!rc && open && !one_python) {
        const char *wish = w->python;
        *w = *before;
        rc = choose_python(c, s, text, wish, w, err);
    }
    if (!rc && g->n && !w->n && !w->refused)
        return tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_pl_usage_no_framework));
    return rc ? rc : tn_plan_wishes_check(w, err);
}
