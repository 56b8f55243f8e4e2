/* wishes.c - see wishes.h. */
#include "cmd/wishes.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "explain/encoding.h"
#include "os/os.h"
#include "strings.gen.h"

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
    if (!*python && m->n_python)
        python = m->python[0];
    *ret = (struct tn_wish_reader){.mem = c->mem, .name = name, .extras = "", .read = read_other, .ctx = c};
    tn_wish_markers(c->mem, m, tn_is_digit(*python) ? python : "", &ret->env);
}

static int check_lines(const struct tn_wish_file *f, struct tn_err *err)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct tn_wish_line *l = &f->v[i];
        char place[TN_ERR_TEXT];
        if (l->what != TN_LINE_BROKEN)
            continue;
        struct tn_buf b;
        tn_buf_init(&b);
        tn_buf_printf(&b, "%.200s:%u", l->file, l->line);
        strncpy(place, b.p, sizeof place - 1);
        place[sizeof place - 1] = '\0';
        tn_buf_deinit(&b);
        return tn_err_set(err, TN_E_USAGE, place, "%.60s: %.150s", l->text, l->note);
    }
    return 0;
}

int tn_cmd_required(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_plan_wishes *w, struct tn_err *err)
{
    const struct tn_given *g = &c->opt[TN_OPT_REQUIREMENT];
    for (unsigned i = 0; i < g->n; i++) {
        struct tn_wish_reader r;
        struct tn_wish_file f;
        struct tn_span text;
        int rc = tn_cmd_wish_text(c, g->v[i], &text, err);
        if (rc)
            return rc;
        tn_cmd_wish_reader(c, g->v[i], s, w->python, &r);
        rc = tn_wish_file_read(&r, tn_wish_file_kind(g->v[i], text), text, &f, err);
        if (rc)
            return rc;
        tn_wish_file_wishes(c->mem, &f, w);
        rc = check_lines(&f, err);
        if (rc)
            return rc;
    }
    if (g->n && !w->n && !w->say.n)
        return tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_pl_usage_no_framework));
    return 0;
}
