/* table.c - the compatibility tables as they are compiled in: rows with source and date, rival claims shown. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "facts/table.h"
#include "report/escape.h"
#include "snapshot/json.h"
#include "strings.gen.h"
#include "version/dotted.h"

#define MAX_ROWS 4096

/* How an option filters: the first of these columns that the table has. */
static const struct filter {
    enum tn_opt_id opt;
    const char *table; /* shown when no table is named */
    const char *column[6];
    enum { WITHIN, PREFIX_OF, WORD, ANYWHERE, SAME } how;
    const char *from, *to; /* or a range: least and greatest column */
} filters[] = {
    {TN_OPT_TF, "tensorflow_builds", {"tf_version", "version"}, WITHIN, "tf_from", "tf_to"},
    {TN_OPT_TORCH, "pytorch_builds", {"torch_version"}, WITHIN, NULL, NULL},
    {TN_OPT_JAX, "jax_builds", {"jax_version"}, WITHIN, NULL, NULL},
    {TN_OPT_GPU, "gpus", {"name", "architectures"}, ANYWHERE, NULL, NULL},
    {TN_OPT_CUDNN, "cudnn_support", {"cudnn_version", "cudnn", "built_cudnn"}, WITHIN, NULL, NULL},
    {TN_OPT_CUDA, "cuda_driver_min", {"cuda_release", "cuda", "built_cuda", "max_cuda_supported"}, WITHIN, NULL, NULL},
    {TN_OPT_DRIVER, "driver_branches", {"branch"}, PREFIX_OF, NULL, NULL},
    {TN_OPT_PYTHON, "tensorflow_builds", {NULL}, WITHIN, "python_min", "python_max"},
    {TN_OPT_OS, "tensorflow_builds", {"platform"}, SAME, NULL, NULL},
};

struct view {
    struct tn_cmd_ctx *c;
    const struct tn_table *t;
    uint32_t row[MAX_ROWS];
    unsigned n;
    struct tn_cite source[4]; /* what the rows come from, each once */
    unsigned n_source;        /* 0: more than these */
};

static int column_of(const struct tn_table *t, const struct filter *f)
{
    for (unsigned i = 0; i < TN_LEN(f->column) && f->column[i]; i++) {
        int col = tn_facts_column(t, f->column[i]);
        if (col >= 0)
            return col;
    }
    return -1;
}

static bool has_range(const struct tn_table *t, const struct filter *f)
{
    return f->from && tn_facts_column(t, f->from) >= 0 && tn_facts_column(t, f->to) >= 0;
}

/* Is v between the two cells, as far as they go? An empty bound is open. */
static bool in_range(const char *v, const char *least, const char *most)
{
    return (!*least || tn_version_dotted_cmp(v, least) >= 0) &&
           (!*most || tn_version_dotted_cmp(v, most) <= 0 || tn_facts_version_within(v, most));
}

static bool one_matches(const struct tn_table *t, const struct filter *f, uint32_t row, const char *v)
{
    int col = column_of(t, f);
    if (col < 0)
        return has_range(t, f) && in_range(v, tn_facts_get(t, row, f->from), tn_facts_get(t, row, f->to));
    const char *cell = tn_facts_cell(t, row, (uint32_t)col);
    struct tn_filter part = {tn_facts_column_name(t, (uint32_t)col), TN_FILTER_PART, v};
    switch (f->how) {
    case WITHIN: return tn_facts_version_within(cell, v);
    case PREFIX_OF: return tn_facts_version_within(v, cell);
    case WORD: return tn_facts_list_has(cell, v);
    case ANYWHERE: return tn_facts_next(t, row, &part, 1) == row;
    default: return tn_str_ieq(cell, v);
    }
}

/* Does any of the comma-separated values match? */
static bool matches(struct tn_arena *mem, const struct tn_table *t, const struct filter *f, uint32_t row,
                    const char *values)
{
    while (*values) {
        size_t n = strcspn(values, ",");
        if (n && one_matches(t, f, row, tn_arena_strndup(mem, values, n)))
            return true;
        values += n + (values[n] == ',');
    }
    return false;
}

static int say(struct tn_cmd_ctx *c, const char *id, const struct tn_arg *a, unsigned n, int status)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, n);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
    return status;
}

static int list_tables(struct tn_cmd_ctx *c)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_printf(&b, "%s\n", tn_s(c, TN_S_table_list));
    for (uint32_t i = 0; i < tn_facts_ntables; i++) {
        const struct tn_table *t = &tn_facts_tables[i];
        tn_buf_printf(&b, "  %-24s %5u  %s\n", tn_facts_name(t), t->nrows,
                      tn_facts_title(t, c->lang == TN_ZH ? "zh" : "en"));
    }
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static int no_table(struct tn_cmd_ctx *c, const char *name)
{
    const char *known[64];
    unsigned n = 0;
    for (; n < tn_facts_ntables && n < TN_LEN(known); n++)
        known[n] = tn_facts_name(&tn_facts_tables[n]);
    const char *near = tn_cmd_near(name, known, n);
    struct tn_arg a[] = {{"name", name}, {"near", near ? near : ""}};
    return say(c, near ? TN_S_table_no_table_near : TN_S_table_no_table, a, 2, TN_EXIT_USAGE);
}

/* What rows begin with: each text once, the first few. */
static const char *first_column(const struct view *v, struct tn_arena *mem)
{
    const char *out = "", *last = "";
    unsigned n = 0;
    for (uint32_t r = 0; r < v->t->nrows && n < 24; r++) {
        const char *cell = tn_facts_cell(v->t, r, 0);
        if (tn_str_eq(cell, last))
            continue;
        out = tn_arena_printf(mem, "%s%s%s", out, n++ ? ", " : "", cell);
        last = cell;
    }
    return n == 24 ? tn_arena_printf(mem, "%s ...", out) : out;
}

/* Nothing matched: what was asked, the range that is known, and whether the question is simply newer. */
static int no_row(const struct view *v)
{
    struct tn_cmd_ctx *c = v->c;
    struct tn_arena *mem = c->mem;
    const char *what = "", *range = "", *newest = NULL, *asked = NULL;
    for (unsigned i = 1; i < c->n_arg; i++)
        what = tn_arena_printf(mem, "%s%s%s", what, *what ? ", " : "", c->arg[i]);
    for (unsigned i = 0; i < TN_LEN(filters); i++) {
        const char *value = tn_opt_value(c, filters[i].opt);
        int col = value ? column_of(v->t, &filters[i]) : -1;
        if (!value)
            continue;
        what = tn_arena_printf(mem, "%s%s%s", what, *what ? ", " : "", value);
        if (col < 0 || filters[i].how == SAME || filters[i].how == ANYWHERE)
            continue;
        const char *least = NULL, *most = NULL;
        for (uint32_t r = 0; r < v->t->nrows; r++) {
            const char *cell = tn_facts_cell(v->t, r, (uint32_t)col);
            if (!tn_version_dotted_ok(cell))
                continue;
            if (!least || tn_version_dotted_cmp(cell, least) < 0)
                least = cell;
            if (!most || tn_version_dotted_cmp(cell, most) > 0)
                most = cell;
        }
        range = tn_arena_printf(mem, "%s%s%s - %s", range, *range ? ", " : "", least ? least : "", most ? most : "");
        newest = most;
        asked = value;
    }
    if (!*range)
        range = first_column(v, mem);
    struct tn_arg a[] = {{"name", tn_facts_name(v->t)}, {"what", what}, {"range", range}, {"date", tn_facts_date}};
    if (newest && tn_version_dotted_ok(asked) && tn_version_dotted_cmp(asked, newest) > 0)
        say(c, TN_S_table_newer, a, TN_LEN(a), 0);
    return say(c, TN_S_table_no_row, a, TN_LEN(a), TN_EXIT_PROBLEM);
}

/* Of a text in two languages (effect, effect_zh) one is shown. */
static bool hidden_in_text(const struct view *v, const char *column)
{
    static const char *const names[] = {"rank", "notes", "source", "date", NULL};
    bool zh = v->c->lang == TN_ZH;
    return tn_str_in(column, names) || (!zh && tn_str_ends(column, "_zh")) ||
           (zh && tn_facts_column(v->t, tn_arena_printf(v->c->mem, "%s_zh", column)) >= 0);
}

/* Place of a source in the list; n_source if it is not there. */
static unsigned source_of(const struct view *v, const struct tn_cite *cite)
{
    unsigned i = 0;
    while (i < v->n_source &&
           (strcmp(v->source[i].source, cite->source) != 0 || strcmp(v->source[i].date, cite->date) != 0))
        i++;
    return i;
}

/* Behind a row: the number of its source, and where sources disagree, which of them tenon follows. */
static void remark(const struct view *v, uint32_t row, struct tn_buf *b)
{
    struct tn_cite cite = tn_facts_cite(v->t, row);
    bool zh = v->c->lang == TN_ZH;
    if (v->n_source > 1)
        tn_buf_printf(b, "  [%u]", source_of(v, &cite) + 1);
    bool rival = tn_facts_rank(v->t, row) > 1;
    if (!rival && tn_facts_rival(v->t, row, 0) >= v->t->nrows)
        return;
    tn_buf_printf(b, "  [%s", tn_s(v->c, rival ? TN_S_table_rival : TN_S_table_used));
    if (*cite.notes || rival) {
        tn_buf_str(b, zh ? "：" : ": ");
        tn_escape_terminal(b, *cite.notes ? cite.notes : cite.source);
    }
    tn_buf_ch(b, ']');
}

static void text_row(const struct view *v, const unsigned *width, uint32_t row, struct tn_buf *b)
{
    const struct tn_table *t = v->t;
    bool full = tn_opt_on(v->c, TN_OPT_FULL);
    for (uint32_t col = 0; col < t->ncolumns; col++) {
        if (!width[col])
            continue;
        const char *cell = row == UINT32_MAX ? tn_facts_column_name(t, col) : tn_facts_cell(t, row, col);
        struct tn_buf safe;
        tn_buf_init(&safe);
        tn_escape_terminal(&safe, *cell ? cell : "-");
        tn_buf_str(b, safe.p);
        for (unsigned w = tn_utf8_width(safe.p); w < width[col] + 2; w++)
            tn_buf_ch(b, ' ');
        tn_buf_deinit(&safe);
    }
    while (b->n && b->p[b->n - 1] == ' ')
        b->p[--b->n] = 0;
    if (row != UINT32_MAX && !full)
        remark(v, row, b);
    tn_buf_ch(b, '\n');
}

/* The sources of the rows; too many are left to --full. */
static void collect_sources(struct view *v)
{
    v->n_source = 0;
    for (unsigned i = 0; i < v->n; i++) {
        struct tn_cite cite = tn_facts_cite(v->t, v->row[i]);
        if (source_of(v, &cite) < v->n_source)
            continue;
        if (v->n_source == TN_LEN(v->source)) {
            v->n_source = 0;
            return;
        }
        v->source[v->n_source++] = cite;
    }
}

static void foot(const struct view *v, struct tn_buf *b)
{
    struct tn_arg a[] = {{"n", tn_arena_printf(v->c->mem, "%u", v->n)}, {"source", ""}, {"date", ""}};
    tn_text_fill(b, tn_s(v->c, v->n_source ? TN_S_table_rows : TN_S_table_foot), a, 1);
    tn_buf_ch(b, '\n');
    for (unsigned i = 0; i < v->n_source; i++) {
        if (v->n_source > 1)
            tn_buf_printf(b, "[%u] ", i + 1);
        a[1].value = v->source[i].source;
        a[2].value = v->source[i].date;
        tn_text_fill(b, tn_s(v->c, TN_S_table_source), a, TN_LEN(a));
        tn_buf_ch(b, '\n');
    }
}

static void as_text(struct view *v, struct tn_buf *b)
{
    unsigned width[64] = {0};
    bool full = tn_opt_on(v->c, TN_OPT_FULL);
    for (uint32_t col = 0; col < v->t->ncolumns && col < TN_LEN(width); col++) {
        const char *name = tn_facts_column_name(v->t, col);
        if (!full && hidden_in_text(v, name))
            continue;
        for (unsigned i = 0; i < v->n; i++) {
            unsigned w = tn_utf8_width(tn_facts_cell(v->t, v->row[i], col));
            if (w > width[col])
                width[col] = w;
        }
        unsigned head = tn_utf8_width(name); /* an empty column is left out */
        if (width[col] && width[col] < head)
            width[col] = head;
    }
    bool zh = v->c->lang == TN_ZH;
    collect_sources(v);
    tn_buf_printf(b, zh ? "%s（%s）\n" : "%s (%s)\n", tn_facts_title(v->t, zh ? "zh" : "en"), tn_facts_name(v->t));
    text_row(v, width, UINT32_MAX, b);
    for (unsigned i = 0; i < v->n; i++)
        text_row(v, width, v->row[i], b);
    if (!full)
        foot(v, b);
}

static void as_json(const struct view *v, struct tn_buf *b)
{
    tn_json_seed();
    json_t *top = json_pack("{s:i,s:s,s:s,s:s}", "schema_version", 1, "command", "table", "table", tn_facts_name(v->t),
                            "date", tn_facts_date);
    json_t *columns = json_array(), *rows = json_array();
    for (uint32_t col = 0; col < v->t->ncolumns; col++)
        tn_json_append(columns, json_string(tn_facts_column_name(v->t, col)));
    for (unsigned i = 0; i < v->n; i++) {
        json_t *o = json_object();
        for (uint32_t col = 0; col < v->t->ncolumns; col++) {
            const char *cell = tn_facts_cell(v->t, v->row[i], col);
            tn_json_set(o, tn_facts_column_name(v->t, col), *cell ? json_string(cell) : json_null());
        }
        tn_json_append(rows, o);
    }
    tn_json_set(top, "columns", columns);
    tn_json_set(top, "rows", rows);
    tn_json_dump(b, top, 1);
    tn_buf_ch(b, '\n');
    json_decref(top);
}

/* CSV and Markdown: every column. */
static void as_cells(const struct view *v, bool markdown, struct tn_buf *b)
{
    for (int i = markdown ? -2 : -1; i < (int)v->n; i++) {
        int at = markdown ? (i == -2 ? -1 : i == -1 ? -2 : i) : i; /* head, rule, rows */
        for (uint32_t col = 0; col < v->t->ncolumns; col++) {
            tn_buf_str(b, markdown ? "| " : col ? "," : "");
            const char *cell = at == -1   ? tn_facts_column_name(v->t, col)
                               : at == -2 ? "---"
                                          : tn_facts_cell(v->t, v->row[at], col);
            if (at == -2)
                tn_buf_str(b, cell);
            else if (markdown)
                tn_escape_markdown(b, cell);
            else
                tn_escape_csv(b, cell);
            tn_buf_str(b, markdown ? " " : "");
        }
        tn_buf_str(b, markdown ? "|\n" : "\r\n");
    }
}

/* Is the word a release of the run or range that the row stands for? */
static bool in_run(const struct tn_table *t, uint32_t row, const char *word)
{
    return tn_version_dotted_ok(word) && tn_facts_column(t, "version_from") >= 0 &&
           *tn_facts_get(t, row, "version_to") &&
           in_range(word, tn_facts_get(t, row, "version_from"), tn_facts_get(t, row, "version_to"));
}

/* Words behind the table's name: each must be one of the row's key cells, a version within it, or in the row's range.
 */
static bool words_match(const struct view *v, uint32_t row)
{
    for (unsigned i = 1; i < v->c->n_arg; i++) {
        bool hit = in_run(v->t, row, v->c->arg[i]);
        for (uint32_t col = 0; col < v->t->ncolumns && !hit; col++) {
            const char *cell = tn_facts_cell(v->t, row, col);
            if (tn_facts_column_is_key(v->t, col))
                hit = tn_str_ieq(cell, v->c->arg[i]) || (tn_facts_column_type(v->t, col) == TN_COL_VERSION &&
                                                         tn_facts_version_within(cell, v->c->arg[i]));
        }
        if (!hit)
            return false;
    }
    return true;
}

static int select_rows(struct view *v)
{
    for (unsigned i = 0; i < TN_LEN(filters); i++)
        if (tn_opt_on(v->c, filters[i].opt) && column_of(v->t, &filters[i]) < 0 && !has_range(v->t, &filters[i])) {
            struct tn_arg a[] = {{"name", tn_facts_name(v->t)}, {"option", ""}};
            static const char *const names[] = {"tf", "torch", "jax", "gpu", "cudnn", "cuda", "driver", "python", "os"};
            a[1].value = names[i];
            return say(v->c, TN_S_table_no_column, a, 2, TN_EXIT_USAGE);
        }
    struct tn_arena tmp;
    tn_arena_init(&tmp);
    for (uint32_t r = 0; r < v->t->nrows && v->n < MAX_ROWS; r++) {
        bool all = words_match(v, r);
        for (unsigned i = 0; i < TN_LEN(filters) && all; i++) {
            const char *value = tn_opt_value(v->c, filters[i].opt);
            all = !value || matches(&tmp, v->t, &filters[i], r, value);
        }
        if (all)
            v->row[v->n++] = r;
    }
    tn_arena_deinit(&tmp);
    return 0;
}

static int run(struct tn_cmd_ctx *c)
{
    static struct view v;
    const char *name = c->n_arg ? c->arg[0] : NULL,
               *format = tn_opt_on(c, TN_OPT_JSON) ? "json" : tn_opt_value(c, TN_OPT_FORMAT);
    struct tn_buf b;
    v.c = c;
    v.n = 0;
    for (unsigned i = 0; i < TN_LEN(filters) && !name; i++)
        if (tn_opt_on(c, filters[i].opt))
            name = filters[i].table;
    if (!name)
        return list_tables(c);
    v.t = tn_facts_find(name);
    if (!v.t)
        return no_table(c, name);
    int rc = select_rows(&v);
    if (rc)
        return rc;
    c->document = format && strcmp(format, "text") != 0;
    int status = v.n ? TN_EXIT_OK : no_row(&v);
    if (v.n == 0 && !c->document)
        return status;
    tn_buf_init(&b); /* a document has no rows then */
    if (!c->document)
        as_text(&v, &b);
    else if (strcmp(format, "json") == 0)
        as_json(&v, &b);
    else if (strcmp(format, "csv") == 0 || strcmp(format, "markdown") == 0)
        as_cells(&v, format[0] == 'm', &b);
    else
        rc = say(c, TN_S_usage_format, NULL, 0, TN_EXIT_USAGE);
    if (!rc)
        rc = tn_cmd_print(c, &b, status);
    tn_buf_deinit(&b);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,  TN_OPT_FORMAT, TN_OPT_FULL, TN_OPT_OS,    TN_OPT_TF,
                                      TN_OPT_TORCH, TN_OPT_JAX,    TN_OPT_CUDA, TN_OPT_CUDNN, TN_OPT_DRIVER,
                                      TN_OPT_GPU,   TN_OPT_PYTHON, TN_OPT_COUNT};
static const char *const examples[] = {"tenon table",
                                       "tenon table --os windows --tf 2.4,2.6,2.10",
                                       "tenon table --tf 2.21 --full",
                                       "tenon table gpus --gpu \"RTX 30\" --format csv",
                                       "tenon table driver_branches --driver 535.183.01",
                                       "tenon table wheels tensorflow 2.10 linux",
                                       NULL};

TN_CMD(table, "table", "[NAME [WORD...]]", opts, 0, 6, run, TN_S_cmd_table, examples, 0);
