/* clean_text.c - see clean.h: what can go first, then what only its name removes, then what stays, each with its users.
 */
#include <string.h>

#include "base/str.h"
#include "report/clean.h"
#include "report/report.h"
#include "strings.gen.h"

#define MAX_NAMED 6u /* users that are named before they are counted */

static const char *str(const struct tn_clean_report *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

static const char *fill(const struct tn_clean_report *r, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, str(r, id), a, n);
    const char *s = tn_arena_strdup(r->mem, b.p ? b.p : "");
    tn_buf_deinit(&b);
    return s;
}

static void line(const struct tn_clean_report *r, struct tn_buf *b, unsigned indent, const char *text)
{
    struct tn_report w = {.lang = r->lang, .width = r->width};
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_report_wrap(&w, b, text, indent, indent + 2);
    tn_buf_ch(b, '\n');
}

static const char *known(struct tn_str f)
{
    return tn_known(f) ? f.v : "?";
}

static const char *join(const struct tn_clean_report *r, struct tn_list l, int64_t all)
{
    const char *s = "", *comma = r->lang == TN_ZH ? "、" : ", ";
    for (size_t i = 0; l.k == TN_KNOWN && i < l.n && i < MAX_NAMED; i++)
        s = tn_arena_printf(r->mem, "%s%s%s", s, i ? comma : "", l.v[i]);
    int64_t named = l.k != TN_KNOWN ? 0 : l.n < MAX_NAMED ? (int64_t)l.n : (int64_t)MAX_NAMED;
    if (all > named) {
        struct tn_arg a[] = {{"n", tn_arena_printf(r->mem, "%lld", (long long)(all - named))}};
        s = tn_arena_printf(r->mem, "%s%s%s", s, comma, fill(r, TN_S_cl_use_more, a, 1));
    }
    return s;
}

const char *tn_clean_name(const struct tn_clean_report *r, const struct tn_clean_item *i)
{
    static const char *const ids[] = {TN_S_cl_kind_toolkit, TN_S_cl_kind_cudnn, TN_S_cl_kind_wheel,
                                      TN_S_cl_kind_conda,   TN_S_cl_kind_env,   TN_S_cl_kind_cache};
    struct tn_arg a[] = {{"version", known(i->r->version)}, {"name", known(i->r->name)}};
    return fill(r, ids[i->kind], a, TN_LEN(a));
}

static const char *size(const struct tn_clean_report *r, const struct tn_rec_stock *s)
{
    if (s->bytes.k != TN_KNOWN || s->bytes.v < 0)
        return str(r, TN_S_cl_size_unknown);
    const char *all = tn_report_size(r->mem, (uint64_t)s->bytes.v), *free = all;
    if (s->freed_bytes.k == TN_KNOWN && s->freed_bytes.v >= 0 && s->freed_bytes.v < s->bytes.v)
        free = tn_report_size(r->mem, (uint64_t)s->freed_bytes.v);
    struct tn_arg a[] = {{"bytes", all}, {"freed", free}};
    return strcmp(all, free) == 0 ? all : fill(r, TN_S_cl_size_freed, a, TN_LEN(a));
}

static const char *user(const struct tn_clean_report *r, const struct tn_clean_user *u)
{
    static const char *const ids[] = {TN_S_cl_use_loads,    TN_S_cl_use_runs,      TN_S_cl_use_requires,
                                      TN_S_cl_use_held,     TN_S_cl_use_requested, TN_S_cl_use_chosen,
                                      TN_S_cl_use_active,   TN_S_cl_use_searched,  TN_S_cl_use_link,
                                      TN_S_cl_use_variable, TN_S_cl_use_file};
    const char *number = u->number < 0 ? "?" : tn_arena_printf(r->mem, "%lld", (long long)u->number);
    struct tn_arg a[] = {{"env", u->env ? known(u->env->path) : "?"},
                         {"framework", u->load ? known(u->load->framework) : "?"},
                         {"file", u->load ? known(u->load->name) : "?"},
                         {"pid", number},
                         {"line", number},
                         {"program", u->text ? u->text : "?"},
                         {"text", u->text ? u->text : "?"},
                         {"path", u->path ? u->path : "?"}};
    return fill(r, ids[u->use], a, TN_LEN(a));
}

static const char *foreign(const struct tn_clean_report *r, const struct tn_rec_stock *s)
{
    struct tn_arg a[] = {{"paths", ""}, {"n", ""}};
    if (s->mounts.k == TN_KNOWN && s->mounts.n) {
        a[0].value = join(r, s->mounts, (int64_t)s->mounts.n);
        return fill(r, TN_S_cl_mount, a, TN_LEN(a));
    }
    if (s->n_foreign.k == TN_KNOWN && s->n_foreign.v) {
        a[0].value = join(r, s->foreign, s->n_foreign.v);
        return fill(r, TN_S_cl_foreign, a, TN_LEN(a));
    }
    a[1].value = s->unreadable.k == TN_KNOWN ? tn_arena_printf(r->mem, "%lld", (long long)s->unreadable.v) : "?";
    return fill(r, TN_S_cl_unreadable, a, TN_LEN(a));
}

const char *tn_clean_reason(const struct tn_clean_report *r, const struct tn_clean_item *i)
{
    if (i->state == TN_CLEAN_FOREIGN)
        return foreign(r, i->r);
    if (i->state == TN_CLEAN_UNCLEAR)
        return str(r, tn_clean_is_stored(i->r)                            ? TN_S_cl_unclear_linked
                      : i->r->by.k != TN_KNOWN && i->r->by.k != TN_ABSENT ? TN_S_cl_unclear_owner
                                                                          : TN_S_cl_unclear);
    return i->n_user ? user(r, &i->user[0]) : str(r, TN_S_cl_use_none);
}

static void how(const struct tn_clean_report *r, struct tn_buf *b, const struct tn_clean_item *i)
{
    struct tn_arg a[] = {{"by", known(i->r->by)}, {"command", i->command ? i->command : ""}};
    if (tn_says(i->r->by, "tool") || (i->kind == TN_CLEAN_ENV && tn_known(i->r->name)))
        a[0].value = known(i->r->name);
    if (i->how == TN_CLEAN_ASIDE) {
        line(r, b, 4, str(r, TN_S_cl_how_aside));
        struct tn_buf q;
        tn_buf_init(&q);
        const char *own = tn_known(i->r->path) ? tn_arena_printf(r->mem, "%s/bin/cuda-uninstaller", i->r->path.v) : "";
        if (tn_says(i->r->by, "runfile") && tn_shell_quote(&q, TN_SHELL_SH, own)) {
            a[1].value = tn_arena_strdup(r->mem, q.p);
            line(r, b, 4, fill(r, TN_S_cl_runfile, a, TN_LEN(a)));
        }
        tn_buf_deinit(&q);
        return;
    }
    if (i->how == TN_CLEAN_BY_HAND) {
        line(r, b, 4, tn_known(i->r->by) ? fill(r, TN_S_cl_how_by_hand, a, TN_LEN(a)) : str(r, TN_S_cl_how_no_command));
        return;
    }
    struct tn_arg before[] = {{"command", i->before}};
    if (i->before)
        line(r, b, 4, fill(r, TN_S_cl_before, before, 1));
    line(r, b, 4, fill(r, TN_S_cl_how_command, a, TN_LEN(a)));
}

static void item(const struct tn_clean_report *r, struct tn_buf *b, const struct tn_clean_item *i)
{
    static const struct {
        char word[12];
        const char *id;
    } damages[] = {
        {"interpreter", TN_S_cl_damage_interpreter}, {"home", TN_S_cl_damage_home}, {"half", TN_S_cl_damage_half}};
    const struct tn_rec_stock *s = i->r;
    const struct tn_rec_env *e = tn_known(s->env) ? tn_snap_env(r->clean->s, s->env.v) : NULL;
    bool stored = tn_clean_is_stored(s), inside = !stored && (i->kind == TN_CLEAN_WHEEL || i->kind == TN_CLEAN_CONDA);
    struct tn_arg a[] = {{"env", e ? known(e->path) : "?"}};
    line(r, b, 2,
         tn_arena_printf(r->mem, "%s  %s  %s", tn_clean_name(r, i),
                         inside ? fill(r, TN_S_cl_in_env, a, 1) : known(s->path), size(r, s)));
    for (unsigned d = 0; d < TN_LEN(damages); d++)
        if (tn_says(s->damage, damages[d].word))
            line(r, b, 4, str(r, damages[d].id));
    if (i->state == TN_CLEAN_FOREIGN || i->state == TN_CLEAN_UNCLEAR)
        line(r, b, 4, tn_clean_reason(r, i));
    if (i->state == TN_CLEAN_FREE && stored)
        line(r, b, 4, str(r, TN_S_cl_use_none_held));
    if (i->state == TN_CLEAN_FREE && (i->kind == TN_CLEAN_TOOLKIT || i->kind == TN_CLEAN_CUDNN || inside))
        line(r, b, 4, str(r, TN_S_cl_use_none));
    for (size_t u = 0; u < i->n_user && u < MAX_NAMED; u++)
        line(r, b, 4, user(r, &i->user[u]));
    if (i->n_user > MAX_NAMED) {
        struct tn_arg more[] = {{"n", tn_arena_printf(r->mem, "%zu", i->n_user - MAX_NAMED)}};
        line(r, b, 4, fill(r, TN_S_cl_use_more, more, 1));
    }
    if (i->state == TN_CLEAN_FREE || i->state == TN_CLEAN_NAMED)
        how(r, b, i);
}

/* 0: goes, 1: only by its name, 2: stays */
static unsigned section(const struct tn_clean_item *i)
{
    return tn_clean_goes(i) ? 0 : i->state == TN_CLEAN_NAMED ? 1 : 2;
}

static void driver(const struct tn_clean_report *r, struct tn_buf *b)
{
    const struct tn_rec_driver *d = TN_THE(r->clean->s, driver);
    struct tn_str version = tn_known(d->version) ? d->version : d->library_version;
    struct tn_arg a[] = {{"version", known(version)}};
    if (tn_known(version))
        line(r, b, 0, fill(r, TN_S_cl_driver, a, 1));
}

/* Of what tenon itself has moved. */
static uint64_t moved_bytes(const struct tn_clean *c)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n; i++)
        if (tn_clean_goes(&c->item[i]) && c->item[i].how == TN_CLEAN_ASIDE)
            sum += tn_clean_bytes(&c->item[i]);
    return sum;
}

static void done(const struct tn_clean_report *r, struct tn_buf *b)
{
    const struct tn_clean_done *d = r->done;
    struct tn_arg a[] = {{"n", tn_arena_printf(r->mem, "%zu", d->n)}, {"id", tn_arena_printf(r->mem, "%u", d->id)}};
    struct tn_arg v[] = {{"n", tn_arena_printf(r->mem, "%zu", d->n_value)}, a[1]};
    if (d->n || !d->n_value)
        line(r, b, 0, d->n ? fill(r, TN_S_cl_done, a, TN_LEN(a)) : str(r, TN_S_cl_done_none));
    if (d->n_value)
        line(r, b, 0, fill(r, TN_S_cl_done_values, v, TN_LEN(v)));
    for (size_t i = 0; i < d->n; i++) {
        struct tn_arg w[] = {{"path", d->path[i]}, {"aside", d->aside[i]}};
        line(r, b, 2, fill(r, d->edited[i] ? TN_S_cl_done_edited : TN_S_cl_done_where, w, TN_LEN(w)));
    }
    struct tn_arg s[] = {{"size", tn_report_size(r->mem, moved_bytes(r->clean))},
                         {"command", tn_arena_printf(r->mem, "tenon clean quarantine %u --yes", d->id)}};
    if (d->n)
        line(r, b, 0, fill(r, TN_S_cl_done_space, s, TN_LEN(s)));
}

void tn_clean_text(const struct tn_clean_report *r, struct tn_buf *b)
{
    static const char *const heads[] = {TN_S_cl_can_go, TN_S_cl_by_name, TN_S_cl_kept};
    const struct tn_clean *c = r->clean;
    const struct tn_rec_envs *all = TN_THE(c->s, envs);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += tn_clean_goes(&c->item[i]);
    struct tn_arg a[] = {{"size", tn_report_size(r->mem, c->can_go)}, {"n", tn_arena_printf(r->mem, "%zu", n)}};
    line(r, b, 0,
         n ? fill(r, r->done ? TN_S_cl_head_yes : TN_S_cl_head, a, TN_LEN(a))
           : str(r, r->asked ? TN_S_cl_head_asked_none : TN_S_cl_head_none));
    for (unsigned k = 0; k < TN_LEN(heads); k++) {
        bool head = false;
        for (size_t i = 0; i < c->n; i++) {
            if (!c->item[i].asked || section(&c->item[i]) != k)
                continue;
            tn_buf_ch(b, '\n');
            if (!head)
                line(r, b, 0, str(r, heads[k]));
            head = true;
            item(r, b, &c->item[i]);
        }
    }
    tn_buf_ch(b, '\n');
    if (!r->asked && all->doubled_bytes.k == TN_KNOWN && all->doubled_bytes.v > 0) {
        struct tn_arg d[] = {{"size", tn_report_size(r->mem, (uint64_t)all->doubled_bytes.v)}};
        line(r, b, 0, fill(r, TN_S_cl_doubled, d, 1));
    }
    tn_clean_packages_text(r, b);
    tn_clean_settings_text(r, b);
    driver(r, b);
    if (r->done && n)
        done(r, b);
    struct tn_arg next[] = {{"command", r->command ? r->command : ""}};
    if (r->command)
        line(r, b, 0, fill(r, TN_S_cl_next, next, 1));
}
