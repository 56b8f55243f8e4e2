/* find.c - see find.h: which rows are meant, and their text. JSON: find_json.c. */
#include "report/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "strings.gen.h"

#define MAX_NAMED 4u /* environments and links that are named before they are counted */

const char *tn_report_size(struct tn_arena *mem, uint64_t bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    unsigned u = 0;
    uint64_t tenths = bytes < UINT64_MAX / 10 ? bytes * 10 : UINT64_MAX;
    for (; tenths >= 10240 && u + 1 < TN_LEN(unit); u++)
        tenths /= 1024;
    return tn_arena_printf(mem, u ? "%llu.%llu %s" : "%llu%.0llu %s", (unsigned long long)(tenths / 10),
                           u ? (unsigned long long)(tenths % 10) : 0, unit[u]);
}

static bool is_meant(const struct tn_find *f, const struct tn_rec_library *l)
{
    enum tn_path_style st = tn_snap_style(f->judge->s);
    if (!tn_known(l->path))
        return false;
    if (tn_version_wanted(f->wanted, tn_path_base(st, l->path.v)) ||
        (tn_known(l->soname) && tn_version_wanted(f->wanted, l->soname.v)))
        return true;
    for (size_t i = 0; l->links.k == TN_KNOWN && i < l->links.n; i++)
        if (tn_version_wanted(f->wanted, tn_path_base(st, l->links.v[i])))
            return true;
    return false;
}

struct keyed {
    const char *path;
    size_t row;
};

static int by_path(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int c = strcmp(x->path, y->path);
    return c ? c : x->row < y->row ? -1 : 1;
}

void tn_find_make(struct tn_find *f)
{
    const struct tn_snap *s = f->judge->s;
    struct keyed *v = tn_arena_array(f->mem, s->library.n, sizeof *v);
    f->row = tn_arena_array(f->mem, s->library.n, sizeof *f->row);
    f->n = 0;
    for (size_t i = 0; i < s->library.n; i++)
        if (is_meant(f, &s->library.v[i]))
            v[f->n++] = (struct keyed){s->library.v[i].path.v, i};
    if (f->n > 1)
        qsort(v, f->n, sizeof *v, by_path);
    for (size_t i = 0; i < f->n; i++)
        f->row[i] = v[i].row;
    const struct tn_judge_rows *rows = tn_judge_index(s, f->mem);
    f->env = tn_arena_array(f->mem, s->env.n, sizeof *f->env);
    f->n_env = s->env.n;
    for (size_t i = 0; i < s->env.n; i++) {
        f->env[i] = *f->judge;
        f->env[i].env = &s->env.v[i];
        f->env[i].env_row = i;
        f->env[i].rows = &rows[i];
    }
}

static const struct tn_judge *asked(const struct tn_find *f)
{
    return f->judge->env && f->judge->env_row < f->n_env ? &f->env[f->judge->env_row] : NULL;
}

/* The copy that it uses; else one that it passes over, best with a reason. */
static size_t of_env(const struct tn_find *f, struct tn_takes_answer *ret)
{
    size_t hit = f->n;
    const struct tn_judge *j = asked(f);
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; j && i < f->n; i++) {
        struct tn_takes_answer a;
        tn_check_takes(j, f->row[i], &a);
        bool better = hit == f->n || a.how == TN_TAKES_YES || (a.path_unused && ret->how != TN_TAKES_YES);
        if (better && ret->how != TN_TAKES_YES)
            *ret = a, hit = i;
    }
    return hit;
}

enum tn_find_result tn_find_result(const struct tn_find *f)
{
    struct tn_takes_answer a;
    if (f->n == 0)
        return TN_FIND_NONE;
    if (of_env(f, &a) == f->n)
        return TN_FIND_UNCLEAR;
    return a.how == TN_TAKES_YES ? TN_FIND_USED : a.how == TN_TAKES_UNKNOWN ? TN_FIND_UNCLEAR : TN_FIND_UNUSED;
}

static const char *str(const struct tn_find *f, const char *id)
{
    const char *s = tn_string(id, f->lang);
    return s ? s : id;
}

static void line(const struct tn_find *f, struct tn_buf *b, unsigned indent, const char *text)
{
    struct tn_report r = {.lang = f->lang, .width = f->width};
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_report_wrap(&r, b, text, indent, indent + 2);
    tn_buf_ch(b, '\n');
}

static const char *fill(const struct tn_find *f, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, str(f, id), a, n);
    const char *s = tn_arena_strdup(f->mem, b.p);
    tn_buf_deinit(&b);
    return s;
}

static void say(const struct tn_find *f, struct tn_buf *b, unsigned indent, const char *id, const struct tn_arg *a,
                unsigned n)
{
    line(f, b, indent, fill(f, id, a, n));
}

/* "a, b, 3 more" */
static const char *join(const struct tn_find *f, const char *const *v, size_t n)
{
    const char *s = "";
    for (size_t i = 0; i < n && i < MAX_NAMED; i++)
        s = tn_arena_printf(f->mem, "%s%s%s", s, i ? (f->lang == TN_ZH ? "、" : ", ") : "", v[i]);
    if (n > MAX_NAMED) {
        struct tn_arg a[] = {{"n", tn_arena_printf(f->mem, "%zu", n - MAX_NAMED)}};
        s = tn_arena_printf(f->mem, "%s%s%s", s, f->lang == TN_ZH ? "、" : ", ", fill(f, TN_S_find_also_more, a, 1));
    }
    return s;
}

static const char *env_name(const struct tn_judge *j)
{
    return j->env && tn_known(j->env->path) ? j->env->path.v : j->env && tn_known(j->env->id) ? j->env->id.v : "?";
}

static void what(const struct tn_find *f, const struct tn_rec_library *l, struct tn_buf *b)
{
    static const struct {
        const char *kind, *id;
    } kinds[] = {{"stub", TN_S_find_stub}, {"empty", TN_S_find_empty}, {"compat", TN_S_find_compat}};
    const char *comma = f->lang == TN_ZH ? "，" : ", ", *s = NULL;
    for (unsigned i = 0; i < TN_LEN(kinds); i++)
        if (tn_says(l->kind, kinds[i].kind))
            s = str(f, kinds[i].id);
    if (l->kind.k == TN_ABSENT)
        s = str(f, TN_S_find_dangling);
    if (tn_known(l->version))
        s = s ? tn_arena_printf(f->mem, "%s%s%s", l->version.v, comma, s) : l->version.v;
    if (!s)
        s = str(f, TN_S_find_version_unknown);
    if (l->bytes.k == TN_KNOWN)
        s = tn_arena_printf(f->mem, "%s%s%s", s, comma, tn_report_size(f->mem, (uint64_t)l->bytes.v));
    if (tn_known(l->owner)) {
        struct tn_arg a[] = {{"owner", l->owner.v}};
        s = tn_arena_printf(f->mem, "%s%s%s", s, comma, fill(f, TN_S_find_package, a, 1));
    }
    line(f, b, 4, s);
}

static void reach(const struct tn_find *f, const struct tn_rec_library *l, struct tn_buf *b)
{
    bool win = tn_snap_style(f->judge->s) == TN_PATH_WINDOWS;
    const struct tn_rec_env *e = tn_known(l->env) ? tn_snap_env(f->judge->s, l->env.v) : NULL;
    struct tn_arg a[] = {{"env", e && tn_known(e->path) ? e->path.v : "?"}};
    if (tn_is(l->reachable, 1))
        line(f, b, 4,
             str(f, l->rank.k == TN_KNOWN && l->rank.v > 0  ? TN_S_find_reach_rank
                    : win && !strstr(l->path.v, "System32") ? TN_S_find_reach_path
                                                            : TN_S_find_reach_all));
    else if (e)
        say(f, b, 4, TN_S_find_in_env, a, 1);
    else if (l->reachable.k == TN_KNOWN)
        line(f, b, 4, str(f, win ? TN_S_find_reach_none_win : TN_S_find_reach_none));
}

static void takers(const struct tn_find *f, size_t row, struct tn_buf *b)
{
    const struct tn_snap *s = f->judge->s;
    const char **yes = tn_arena_array(f->mem, f->n_env, sizeof *yes),
               **no = tn_arena_array(f->mem, f->n_env, sizeof *no);
    const char **store = tn_arena_array(f->mem, f->n_env, sizeof *store);
    size_t n_yes = 0, n_no = 0, n_store = 0, first = s->library.n;
    for (size_t i = 0; i < f->n_env; i++) {
        struct tn_takes_answer a;
        tn_check_takes(&f->env[i], row, &a);
        if (!a.by)
            continue;
        const char *who =
            tn_arena_printf(f->mem, f->lang == TN_ZH ? "%s（%s%s%s）" : "%s (%s%s%s)", env_name(&f->env[i]),
                            tn_known(a.by->name) ? a.by->name.v : "?", tn_known(a.by->version) ? " " : "",
                            tn_known(a.by->version) ? a.by->version.v : "");
        if (a.how == TN_TAKES_YES)
            yes[n_yes++] = who;
        else if (a.path_unused)
            store[n_store++] = who;
        else if (a.how == TN_TAKES_SHADOWED && (first == s->library.n || first == a.first))
            no[n_no++] = who, first = a.first;
    }
    struct tn_arg a[] = {{"who", join(f, yes, n_yes)}, {"first", ""}};
    if (n_yes)
        say(f, b, 4, TN_S_find_loaded, a, TN_LEN(a));
    a[0].value = join(f, store, n_store);
    if (n_store)
        say(f, b, 4, TN_S_find_store, a, TN_LEN(a));
    a[0].value = join(f, no, n_no);
    if (n_no && first < s->library.n && tn_known(s->library.v[first].path)) {
        a[1].value = s->library.v[first].path.v;
        say(f, b, 4, TN_S_find_shadowed, a, TN_LEN(a));
    }
}

static void copy(const struct tn_find *f, size_t row, struct tn_buf *b)
{
    const struct tn_rec_library *l = &f->judge->s->library.v[row];
    tn_buf_ch(b, '\n');
    tn_buf_str(b, "  ");
    tn_escape_terminal(b, l->path.v);
    tn_buf_ch(b, '\n');
    what(f, l, b);
    if (l->links.k == TN_KNOWN && l->links.n) {
        struct tn_arg a[] = {{"paths", join(f, l->links.v, l->links.n)}};
        say(f, b, 4, TN_S_find_also, a, 1);
    }
    if (l->kind.k == TN_ABSENT)
        return;
    reach(f, l, b);
    takers(f, row, b);
}

static void verdict(const struct tn_find *f, struct tn_buf *b)
{
    struct tn_takes_answer t;
    size_t hit = of_env(f, &t);
    if (hit == f->n || t.how == TN_TAKES_UNKNOWN || !(f->asked_env || t.by || t.path_unused))
        return;
    struct tn_arg a[] = {{"env", env_name(asked(f))}, {"path", f->judge->s->library.v[f->row[hit]].path.v}};
    tn_buf_ch(b, '\n');
    say(f, b, 0,
        t.how == TN_TAKES_YES ? (t.by ? TN_S_find_env_yes : TN_S_find_env_maybe)
        : t.path_unused       ? TN_S_find_env_store
                              : TN_S_find_env_no,
        a, TN_LEN(a));
}

/* What was not searched, and why: each kind once. */
static void gaps(const struct tn_find *f, struct tn_buf *b)
{
    static const struct {
        const char *state, *id;
    } kinds[] = {{"late", TN_S_find_late}, {"denied", TN_S_find_denied}, {"network", TN_S_find_network}};
    const struct tn_snap *s = f->judge->s;
    const char **path = tn_arena_array(f->mem, s->mount.n, sizeof *path);
    uint64_t unreadable = 0;
    bool record = false;
    size_t before = b->n;
    tn_buf_ch(b, '\n');
    for (unsigned k = 0; k < TN_LEN(kinds); k++) {
        size_t n = 0;
        for (size_t i = 0; i < s->mount.n; i++)
            if (tn_says(s->mount.v[i].state, kinds[k].state) && tn_known(s->mount.v[i].path))
                path[n++] = s->mount.v[i].path.v;
        struct tn_arg a[] = {{"paths", join(f, path, n)}};
        if (n)
            say(f, b, 0, kinds[k].id, a, 1);
    }
    for (size_t i = 0; i < s->mount.n; i++) {
        unreadable += tn_is(s->mount.v[i].unreadable, 0) ? 0 : (uint64_t)s->mount.v[i].unreadable.v;
        record |= tn_says(s->mount.v[i].state, "record");
    }
    struct tn_arg a[] = {{"n", tn_arena_printf(f->mem, "%llu", (unsigned long long)unreadable)}};
    if (unreadable)
        say(f, b, 0, unreadable == 1 ? TN_S_find_unreadable_one : TN_S_find_unreadable, a, 1);
    if (record)
        say(f, b, 0, TN_S_find_record, NULL, 0);
    else if (s->mount.listed == TN_UNASKED)
        say(f, b, 0, TN_S_find_snapshot, NULL, 0);
    else if (s->mount.listed != TN_KNOWN) {
        const char *note = s->mount.src < s->n_src ? s->src[s->mount.src].note : NULL;
        struct tn_arg why[] = {{"why", note ? note : tn_know_word(s->mount.listed)}};
        say(f, b, 0, TN_S_find_failed, why, 1);
    }
    if (b->n == before + 1)
        b->p[b->n = before] = 0;
}

void tn_find_text(const struct tn_find *f, struct tn_buf *b)
{
    struct tn_arg a[] = {{"name", f->wanted->text}, {"n", tn_arena_printf(f->mem, "%zu", f->n)}};
    say(f, b, 0, f->n == 0 ? TN_S_find_head_none : f->n == 1 ? TN_S_find_head_one : TN_S_find_head, a, TN_LEN(a));
    for (size_t i = 0; i < f->n; i++)
        copy(f, f->row[i], b);
    verdict(f, b);
    gaps(f, b);
}
