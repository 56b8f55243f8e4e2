/* envs.c - see envs.h: which rows are shown, in which order, and the table. JSON: envs_json.c. */
#include "report/envs.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "strings.gen.h"
#include "version/dotted.h"

#define WORTH_SAYING (1u << 20) /* bytes */
#define MANY 40u                /* rows that are shown one by one without --all */

static const char *str(const struct tn_envs *e, const char *id)
{
    const char *s = tn_string(id, e->lang);
    return s ? s : id;
}

static const char *const words[] = {"none", "ready", "no", "unclear"};

static const char *reason(const struct tn_envs *e, const struct tn_ready *r)
{
    struct tn_buf b;
    if (!r->reason)
        return "";
    tn_buf_init(&b);
    if (r->how == TN_READY_NO) {
        tn_finding_say(&b, r->reason, e->lang);
    } else {
        const struct tn_cause *c = tn_cause_find(r->reason->cause);
        tn_buf_str(&b, c ? tn_cause_title(c, e->lang) : r->reason->cause);
    }
    const char *s = tn_arena_printf(e->mem, e->lang == TN_ZH ? "%s：%s" : "%s: %s", r->reason->cause, b.p);
    tn_buf_deinit(&b);
    return s;
}

/* Does the word occur in what is shown of the row? Case does not count. */
static bool holds(struct tn_arena *mem, const char *text, const char *word)
{
    char *t = tn_arena_strdup(mem, text), *w = tn_arena_strdup(mem, word);
    for (char *p = t; *p; p++)
        *p = tn_lower(*p);
    for (char *p = w; *p; p++)
        *p = tn_lower(*p);
    return strstr(t, w) != NULL;
}

static bool matches(const struct tn_envs *e, const struct tn_envs_row *r)
{
    struct tn_arena tmp;
    bool all = true;
    tn_arena_init(&tmp);
    for (const char *const *w = e->filter; w && *w && all; w++) {
        const char *const text[] = {r->path,
                                    r->name,
                                    r->kind,
                                    r->frameworks,
                                    r->kernels,
                                    r->ready->reason ? r->ready->reason->cause : "",
                                    words[r->ready->how]};
        all = tn_str_starts(r->python, *w);
        for (unsigned i = 0; i < TN_LEN(text) && !all; i++)
            all = i + 1 == TN_LEN(text) ? tn_str_ieq(text[i], *w) : holds(&tmp, text[i], *w);
    }
    tn_arena_deinit(&tmp);
    return all;
}

/* What qsort cannot be given: the order that was asked for, and which one is judged. */
struct keyed {
    const struct tn_envs *e;
    struct tn_envs_row r;
};

static int rank(const struct tn_envs_row *r)
{
    static const int of[] = {3, 0, 2, 1};
    return of[r->ready->how];
}

static int by_order(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int c = 0;
    int64_t u, v;
    switch (x->e->sort) {
    case TN_SORT_NAME: c = strcmp(x->r.name, y->r.name); break;
    case TN_SORT_PYTHON: c = tn_version_dotted_cmp(y->r.python, x->r.python); break;
    case TN_SORT_FRAMEWORK:
        c = (*x->r.frameworks == 0) - (*y->r.frameworks == 0);
        c = c ? c : strcmp(x->r.frameworks, y->r.frameworks);
        break;
    case TN_SORT_GPU: c = rank(&x->r) - rank(&y->r); break;
    case TN_SORT_USED:
        u = x->e->judge->s->env.v[x->r.env].used_s.v;
        v = x->e->judge->s->env.v[y->r.env].used_s.v;
        c = u < v ? 1 : u > v ? -1 : 0;
        break;
    case TN_SORT_SIZE:
        u = x->e->judge->s->env.v[x->r.env].bytes.v;
        v = x->e->judge->s->env.v[y->r.env].bytes.v;
        c = u < v ? 1 : u > v ? -1 : 0;
        break;
    case TN_SORT_DEFAULT:
        c = (y->r.env == y->e->judge->env_row && y->e->judge->env) -
            (x->r.env == x->e->judge->env_row && x->e->judge->env);
        break;
    default: break;
    }
    c = c ? c : strcmp(x->r.path, y->r.path);
    return c ? c : x->r.env < y->r.env ? -1 : 1;
}

static bool alike(const struct tn_envs_row *a, const struct tn_envs_row *b)
{
    return a->ready->how == b->ready->how && strcmp(a->python, b->python) == 0 &&
           strcmp(a->frameworks, b->frameworks) == 0 && strcmp(a->cuda, b->cuda) == 0 &&
           strcmp(a->cudnn, b->cudnn) == 0 && !*a->kernels && !*b->kernels &&
           (a->ready->reason == b->ready->reason ||
            (a->ready->reason && b->ready->reason && strcmp(a->ready->reason->cause, b->ready->reason->cause) == 0));
}

/* Of many rows those that say the same are shown by the first. */
static void fold(struct tn_envs *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->n; i++) {
        size_t k = 0;
        while (k < kept && !alike(&e->row[k], &e->row[i]))
            k++;
        if (k < kept)
            e->row[k].alike++;
        else
            e->row[kept++] = e->row[i];
    }
    e->n = kept;
}

void tn_envs_make(struct tn_envs *e)
{
    const struct tn_snap *s = e->judge->s;
    const struct tn_judge_rows *rows = tn_judge_index(s, e->mem);
    struct keyed *v = tn_arena_array(e->mem, s->env.n, sizeof *v);
    tn_check_ready(e->judge, e->mem, &e->readiness);
    bool filtered = e->filter && *e->filter;
    for (size_t i = 0; i < s->env.n; i++) {
        struct tn_judge j = *e->judge;
        struct tn_envs_row r;
        j.env = &s->env.v[i];
        j.env_row = i;
        j.rows = &rows[i];
        if (j.env->kind.k == TN_ABSENT) /* a VIRTUAL_ENV that leads nowhere */
            continue;
        tn_envs_row_of(e, &j, &r);
        e->n_all++;
        e->count[r.ready->how]++;
        if (!matches(e, &r))
            continue;
        e->n_match++;
        bool judged = e->judge->env && e->judge->env_row == i;
        if (r.ready->how == TN_READY_NONE && !e->all && !filtered && !judged && !*r.kernels)
            e->n_hidden++;
        else
            v[e->n++] = (struct keyed){e, r};
    }
    if (e->n > 1)
        qsort(v, e->n, sizeof *v, by_order);
    e->row = tn_arena_array(e->mem, e->n, sizeof *e->row);
    for (size_t i = 0; i < e->n; i++)
        e->row[i] = v[i].r;
    if (e->n > MANY && !e->all)
        fold(e);
}

/* --- text --------------------------------------------------------------------------------------------------- */

static void line(const struct tn_envs *e, struct tn_buf *b, unsigned indent, const char *text)
{
    struct tn_report r = {.lang = e->lang, .width = e->width};
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_report_wrap(&r, b, text, indent, indent + 2);
    tn_buf_ch(b, '\n');
}

static void say(const struct tn_envs *e, struct tn_buf *b, unsigned indent, const char *id, const struct tn_arg *a,
                unsigned n)
{
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, str(e, id), a, n);
    line(e, b, indent, t.p);
    tn_buf_deinit(&t);
}

enum { GPU, PYTHON, FRAMEWORK, CUDA, CUDNN, SIZE, USED, PATH, COLUMNS };

static const char *cell(const struct tn_envs *e, const struct tn_envs_row *r, unsigned col)
{
    static const char *const head[] = {"GPU",   "Python",           TN_S_envs_col_framework, "CUDA",
                                       "cuDNN", TN_S_envs_col_size, TN_S_envs_col_used,      TN_S_envs_col_path};
    static const char *const ready[] = {NULL, TN_S_envs_ready, TN_S_envs_no, TN_S_envs_open};
    if (!r)
        return str(e, head[col]);
    const char *text[] = {r->ready->how ? str(e, ready[r->ready->how]) : "",
                          r->python,
                          r->frameworks,
                          r->cuda,
                          r->cudnn,
                          r->size,
                          r->used,
                          r->path};
    return *text[col] || col == PATH ? text[col] : "-";
}

/* The first item of a list, without the comma behind it; its bytes. */
static size_t item(const char *list)
{
    const char *comma = strstr(list, ", ");
    return comma ? (size_t)(comma - list) : strlen(list);
}

/* Columns side by side, two blanks between them. */
static unsigned side_by_side(const unsigned width[COLUMNS])
{
    unsigned sum = 0;
    for (unsigned col = 0; col < PATH; col++)
        sum += width[col] ? width[col] + 2 : 0;
    return sum;
}

/* On a narrow terminal frameworks stand below each other; then the columns that matter least are left out. */
static void narrow(const struct tn_envs *e, unsigned width[COLUMNS])
{
    static const unsigned less[] = {USED, CUDNN, CUDA, SIZE};
    unsigned least = tn_utf8_width(cell(e, NULL, FRAMEWORK));
    for (size_t i = 0; i < e->n; i++)
        for (const char *s = e->row[i].frameworks; *s;) {
            size_t n = item(s);
            unsigned w = tn_utf8_width(tn_arena_strndup(e->mem, s, n)) + (s[n] != 0); /* a comma stays */
            least = w > least ? w : least;
            s += n + (s[n] ? 2 : 0);
        }
    for (unsigned k = 0; e->width && side_by_side(width) > e->width; k++) {
        unsigned over = side_by_side(width) - e->width;
        if (width[FRAMEWORK] >= least + over)
            width[FRAMEWORK] -= over;
        else if (k < TN_LEN(less))
            width[less[k]] = 0;
        else
            break;
    }
}

static void measure(const struct tn_envs *e, unsigned width[COLUMNS])
{
    for (unsigned col = 0; col < PATH; col++) {
        bool any = col <= FRAMEWORK;
        width[col] = tn_utf8_width(cell(e, NULL, col));
        for (size_t i = 0; i < e->n; i++) {
            unsigned w = tn_utf8_width(cell(e, &e->row[i], col));
            any |= strcmp(cell(e, &e->row[i], col), "-") != 0;
            width[col] = w > width[col] ? w : width[col];
        }
        width[col] = !any ? 0 : width[col] > 40 ? 40 : width[col]; /* an empty column is left out */
    }
    narrow(e, width);
}

/* As many items of a list as the column holds, at least one; *rest: what is left. */
static const char *some_of(const struct tn_envs *e, const char *list, unsigned width, const char **rest)
{
    size_t n = item(list);
    while (list[n]) {
        size_t next = n + 2 + item(list + n + 2);
        if (tn_utf8_width(tn_arena_strndup(e->mem, list, next)) + (list[next] != 0) > width)
            break;
        n = next;
    }
    *rest = list[n] ? list + n + 2 : "";
    return tn_arena_strndup(e->mem, list, n + (list[n] != 0));
}

static void pad(struct tn_buf *b, unsigned n)
{
    while (n--)
        tn_buf_ch(b, ' ');
}

/* A row; the path takes a line of its own where it does not fit, frameworks as many as they need. */
static void put_row(const struct tn_envs *e, const struct tn_envs_row *r, const unsigned width[COLUMNS],
                    struct tn_buf *b)
{
    unsigned at = 2, frameworks = 2;
    const char *rest = "";
    tn_buf_str(b, "  ");
    for (unsigned col = 0; col < PATH; col++) {
        if (!width[col])
            continue;
        const char *text = cell(e, r, col);
        if (col == FRAMEWORK) {
            frameworks = at;
            text = some_of(e, text, width[col], &rest);
        }
        tn_escape_terminal(b, text);
        unsigned w = tn_utf8_width(text), fill = w < width[col] ? width[col] - w : 0;
        pad(b, fill + 2);
        at += w + fill + 2;
    }
    const char *path = cell(e, r, PATH);
    bool below = *rest || (e->width && at + tn_utf8_width(path) > e->width);
    while (below && b->n && b->p[b->n - 1] == ' ')
        b->p[--b->n] = 0;
    while (*rest) {
        const char *text = some_of(e, rest, width[FRAMEWORK], &rest);
        tn_buf_ch(b, '\n');
        pad(b, frameworks);
        tn_escape_terminal(b, text);
    }
    if (below)
        tn_buf_str(b, "\n    ");
    tn_escape_terminal(b, path);
    tn_buf_ch(b, '\n');
}

static void below(const struct tn_envs *e, const struct tn_envs_row *r, struct tn_buf *b)
{
    if (r->ready->reason && !r->ready->of_machine)
        line(e, b, 6, reason(e, r->ready));
    struct tn_arg a[] = {{"names", r->kernels}, {"n", tn_arena_printf(e->mem, "%u", r->alike)}};
    if (*r->kernels)
        say(e, b, 6, TN_S_envs_kernels, a, TN_LEN(a));
    if (e->judge->env && e->judge->env_row == r->env)
        say(e, b, 6, TN_S_envs_judged, NULL, 0);
    if (r->alike)
        say(e, b, 6, TN_S_envs_alike, a, TN_LEN(a));
}

/* Frameworks of one version in several environments' own folders. */
static void twice(const struct tn_envs *e, struct tn_buf *b)
{
    const struct tn_snap *s = e->judge->s;
    const char *list = "";
    unsigned named = 0;
    for (size_t i = 0; i < s->framework.n && named < 6; i++) {
        const struct tn_rec_framework *f = &s->framework.v[i];
        unsigned n = 1;
        bool first = tn_known(f->name) && tn_known(f->version);
        for (size_t k = 0; first && k < s->framework.n; k++) {
            const struct tn_rec_framework *o = &s->framework.v[k];
            bool same = k != i && tn_says(o->name, f->name.v) && tn_says(o->version, f->version.v);
            first = !(same && k < i);
            n += same;
        }
        if (!first || n < 2)
            continue;
        struct tn_arg a[] = {{"name", f->name.v}, {"version", f->version.v}, {"n", tn_arena_printf(e->mem, "%u", n)}};
        struct tn_buf t;
        tn_buf_init(&t);
        tn_text_fill(&t, str(e, TN_S_envs_twice_one), a, TN_LEN(a));
        list = tn_arena_printf(e->mem, "%s%s%s", list, !*list ? "" : e->lang == TN_ZH ? "；" : "; ", t.p);
        tn_buf_deinit(&t);
        named++;
    }
    struct tn_arg a[] = {{"list", list}};
    if (*list)
        say(e, b, 0, TN_S_envs_twice, a, 1);
}

/* All of them together, what links save, and what is stored more than once. */
static void disk(const struct tn_envs *e, struct tn_buf *b)
{
    const struct tn_snap *s = e->judge->s;
    const struct tn_rec_envs *all = TN_THE(s, envs);
    uint64_t sum = 0, unread = 0;
    for (size_t i = 0; i < s->env.n; i++) {
        sum += s->env.v[i].bytes.k == TN_KNOWN ? (uint64_t)s->env.v[i].bytes.v : 0;
        unread += s->env.v[i].unreadable.k == TN_KNOWN ? (uint64_t)s->env.v[i].unreadable.v : 0;
    }
    if (all->bytes.k != TN_KNOWN)
        return;
    uint64_t total = (uint64_t)all->bytes.v,
             doubled = all->doubled_bytes.k == TN_KNOWN ? (uint64_t)all->doubled_bytes.v : 0;
    uint64_t saved = sum > total ? sum - total : 0;
    struct tn_arg a[] = {{"total", tn_report_size(e->mem, total)},
                         {"saved", tn_report_size(e->mem, saved)},
                         {"doubled", tn_report_size(e->mem, doubled)},
                         {"n", tn_arena_printf(e->mem, "%llu", (unsigned long long)unread)}};
    say(e, b, 0, saved >= WORTH_SAYING ? TN_S_envs_disk_saved : TN_S_envs_disk, a, TN_LEN(a));
    if (doubled >= WORTH_SAYING)
        say(e, b, 0, TN_S_envs_disk_doubled, a, TN_LEN(a));
    if (unread)
        say(e, b, 0, TN_S_envs_disk_unread, a, TN_LEN(a));
}

static void lost_kernels(const struct tn_envs *e, struct tn_buf *b)
{
    for (size_t i = 0; i < e->judge->s->choice.n; i++) {
        const struct tn_rec_choice *c = &e->judge->s->choice.v[i];
        struct tn_arg a[] = {{"name", tn_known(c->name) ? c->name.v : "?"},
                             {"path", tn_known(c->interpreter) ? c->interpreter.v : "?"}};
        if (tn_says(c->by, "jupyter") && tn_is(c->exists, 0))
            say(e, b, 0, TN_S_envs_lost_kernel, a, TN_LEN(a));
    }
}

/* What "python" of PATH is where it is none. */
static void store_alias(const struct tn_envs *e, struct tn_buf *b)
{
    for (size_t i = 0; i < e->judge->s->choice.n; i++) {
        const struct tn_rec_choice *c = &e->judge->s->choice.v[i];
        struct tn_arg a = {"path", tn_known(c->interpreter) ? c->interpreter.v : "?"};
        if (tn_says(c->by, "store-alias"))
            say(e, b, 0, TN_S_envs_store_alias, &a, 1);
    }
}

static const char *number(const struct tn_envs *e, size_t n)
{
    return tn_arena_printf(e->mem, "%zu", n);
}

static void machine(const struct tn_envs *e, struct tn_buf *b)
{
    struct tn_ready r = {.how = TN_READY_NO, .reason = e->readiness.machine};
    struct tn_arg a[] = {{"why", reason(e, &r)}, {"n", ""}};
    size_t would = 0;
    if (!e->readiness.machine || e->count[TN_READY_NONE] == e->n_all)
        return;
    for (size_t i = 0; i < e->readiness.n; i++)
        would += e->readiness.env[i].how != TN_READY_NONE && e->readiness.env[i].of_machine;
    a[1].value = number(e, would);
    say(e, b, 0, TN_S_envs_machine, a, TN_LEN(a));
    if (would)
        say(e, b, 0, TN_S_envs_machine_would, a, TN_LEN(a));
}

void tn_envs_text(const struct tn_envs *e, struct tn_buf *b)
{
    struct tn_arg a[] = {{"n", number(e, e->n_all)},
                         {"machine", e->about ? e->about : str(e, TN_S_envs_this)},
                         {"ready", number(e, e->count[TN_READY_YES])},
                         {"no", number(e, e->count[TN_READY_NO])},
                         {"unknown", number(e, e->count[TN_READY_UNKNOWN])},
                         {"none", number(e, e->count[TN_READY_NONE])}};
    struct tn_arg hidden[] = {{"n", number(e, e->n_hidden)}};
    unsigned width[COLUMNS] = {0};
    if (e->n_all == 0) {
        say(e, b, 0, e->judge->s->env.listed == TN_KNOWN ? TN_S_envs_none : TN_S_envs_unknown, NULL, 0);
        store_alias(e, b);
        return;
    }
    say(e, b, 0, TN_S_envs_head, a, TN_LEN(a));
    machine(e, b);
    if (e->n_match == 0)
        say(e, b, 0, TN_S_envs_no_match, NULL, 0);
    if (e->n) {
        measure(e, width);
        tn_buf_ch(b, '\n');
        put_row(e, NULL, width, b);
        for (size_t i = 0; i < e->n; i++) {
            put_row(e, &e->row[i], width, b);
            below(e, &e->row[i], b);
        }
        tn_buf_ch(b, '\n');
    }
    lost_kernels(e, b);
    twice(e, b);
    disk(e, b);
    if (e->n_hidden)
        say(e, b, 0, TN_S_envs_hidden, hidden, 1);
    if (width[USED])
        say(e, b, 0, TN_S_envs_used_what, NULL, 0);
}
