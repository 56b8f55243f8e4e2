/* census.c - everything that was counted and looked up, for --verbose: environments, programs, packages, settings,
 * variables with meaning and trap, disks, limits; each with its origin.
 *
 * Invariant: nothing is judged here, and a number that is not known is no number. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "facts/table.h"
#include "report/report.h"
#include "strings.gen.h"

struct census {
    const struct tn_report *r;
    const struct tn_snap *s;
    struct tn_buf *b;
    struct tn_arena mem;
    const char *head; /* of the section at hand; NULL once it is printed */
};

static const char *str(const struct census *c, const char *id)
{
    const char *s = tn_string(id, c->r->lang);
    return s ? s : id;
}

/* One line of the section; the first one prints the section's head. A line that says more of the one above is deeper.
 */
static void put(struct census *c, const char *text, uint32_t src, unsigned indent)
{
    if (c->head) {
        tn_buf_printf(c->b, "\n%s\n", str(c, c->head));
        c->head = NULL;
    }
    bool from = src && src < c->s->n_src;
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(c->b, ' ');
    tn_report_wrap(c->r, c->b, from ? tn_arena_printf(&c->mem, "%s (%s)", text, c->s->src[src].asked) : text, indent,
                   indent + 4);
    tn_buf_ch(c->b, '\n');
}

static void line(struct census *c, const char *text, uint32_t src)
{
    put(c, text, src, 2);
}

static const char *fill(struct census *c, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, str(c, id), a, n);
    const char *s = tn_arena_strndup(&c->mem, b.p ? b.p : "", b.n);
    tn_buf_deinit(&b);
    return s;
}

static const char *text(struct tn_str f)
{
    return tn_known(f) ? f.v : "?";
}

static const char *count(struct census *c, struct tn_int f)
{
    return f.k == TN_KNOWN ? tn_arena_printf(&c->mem, "%lld", (long long)f.v) : "?";
}

static void environments(struct census *c)
{
    c->head = TN_S_census_env;
    for (size_t i = 0; i < c->s->env.n; i++) {
        const struct tn_rec_env *e = &c->s->env.v[i];
        struct tn_arg a[] = {{"path", text(e->path)},
                             {"kind", tn_known(e->tool) ? e->tool.v : text(e->kind)},
                             {"python", text(e->python)},
                             {"dists", count(c, e->dists)},
                             {"conda", count(c, e->conda_packages)}};
        bool conda = e->conda_packages.k == TN_KNOWN;
        line(c, fill(c, conda ? TN_S_census_env_conda : TN_S_census_env_row, a, TN_LEN(a)),
             e->dists.k == TN_KNOWN ? e->dists.src : e->path.src);
    }
}

static void programs(struct census *c)
{
    c->head = TN_S_census_program;
    for (size_t i = 0; i < c->s->program.n; i++) {
        const struct tn_rec_program *p = &c->s->program.v[i];
        line(c,
             tn_arena_printf(&c->mem, "%s %s  %s", text(p->name), text(p->version),
                             tn_known(p->found) ? p->found.v : text(p->path)),
             p->version.k == TN_KNOWN ? p->version.src : p->path.src);
    }
}

static void packages(struct census *c)
{
    const struct tn_rec_host *h = TN_THE(c->s, host);
    c->head = TN_S_census_package;
    if (h->packages.k == TN_KNOWN) {
        struct tn_arg a[] = {{"n", count(c, h->packages)}};
        line(c, fill(c, TN_S_census_package_all, a, 1), h->packages.src);
    }
    for (size_t i = 0; i < c->s->package.n; i++) {
        const struct tn_rec_package *p = &c->s->package.v[i];
        bool odd = tn_known(p->state) && !tn_says(p->state, "installed");
        line(c,
             tn_arena_printf(&c->mem, "%s %s%s%s", text(p->name), text(p->version), odd ? "  " : "",
                             odd ? p->state.v : ""),
             p->name.src);
    }
}

static void settings(struct census *c)
{
    c->head = TN_S_census_config;
    for (size_t i = 0; i < c->s->config.n; i++) {
        const struct tn_rec_config *r = &c->s->config.v[i];
        bool section = tn_known(r->section) && !tn_says(r->section, "environment");
        const char *value = tn_known(r->value) ? r->value.v : tn_know_word(r->value.k);
        line(c,
             tn_known(r->key) ? tn_arena_printf(&c->mem, "%s: %s%s%s = %s", text(r->by), section ? r->section.v : "",
                                                section ? "." : "", r->key.v, value)
                              : tn_arena_printf(&c->mem, "%s: %s", text(r->by), value),
             r->by.src);
    }
}

/* A text of the table in the language of the report. */
static const char *cell(struct census *c, const struct tn_table *t, uint32_t row, const char *column)
{
    const char *zh = tn_facts_get(t, row, tn_arena_printf(&c->mem, "%s_zh", column));
    return c->r->lang == TN_ZH && *zh ? zh : tn_facts_get(t, row, column);
}

/* A value that may hold a password is not shown. */
static void variables(struct census *c)
{
    const struct tn_table *t = tn_facts_find("env_vars");
    c->head = TN_S_census_variable;
    for (size_t i = 0; i < c->s->variable.n; i++) {
        const struct tn_rec_variable *v = &c->s->variable.v[i];
        if (!tn_known(v->name))
            continue;
        const char *value = tn_known(v->value) ? v->value.v : "?";
        if (strstr(value, "://") && strchr(value, '@'))
            value = "***";
        if (!value[strspn(value, " ")])
            value = str(c, TN_S_census_empty);
        else if (*value == ' ' || tn_str_ends(value, " "))
            value = tn_arena_printf(&c->mem, "\"%s\"", value);
        line(c, tn_arena_printf(&c->mem, "%s = %s", v->name.v, value), 0);
        struct tn_filter by_name = {"name", TN_FILTER_EQ, v->name.v};
        for (uint32_t row = t ? tn_facts_next(t, 0, &by_name, 1) : 0; t && row < t->nrows;
             row = tn_facts_next(t, row + 1, &by_name, 1)) {
            if (tn_facts_rank(t, row) != 1)
                continue;
            struct tn_arg a[] = {{"text", cell(c, t, row, "effect")}};
            if (*a[0].value)
                put(c, fill(c, TN_S_census_meaning, a, 1), 0, 6);
            a[0].value = cell(c, t, row, "common_mistake");
            if (*a[0].value)
                put(c, fill(c, TN_S_census_trap, a, 1), 0, 6);
        }
    }
}

/* 1024^3 with one digit: what df -h shows. */
static const char *size(struct census *c, struct tn_int f)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    unsigned u = 0;
    if (f.k != TN_KNOWN || f.v < 0)
        return "?";
    uint64_t tenths = (uint64_t)f.v < UINT64_MAX / 10 ? (uint64_t)f.v * 10 : UINT64_MAX;
    for (; tenths >= 10240 && u + 1 < TN_LEN(unit); u++)
        tenths /= 1024;
    return tn_arena_printf(&c->mem, "%llu.%llu %s", (unsigned long long)(tenths / 10),
                           (unsigned long long)(tenths % 10), unit[u]);
}

static void disks(struct census *c)
{
    c->head = TN_S_census_disk;
    for (size_t i = 0; i < c->s->disk.n; i++) {
        const struct tn_rec_disk *d = &c->s->disk.v[i];
        struct tn_arg a[] = {{"use", text(d->use)},
                             {"path", text(d->path)},
                             {"free", size(c, d->free_bytes)},
                             {"total", size(c, d->total_bytes)},
                             {"type", tn_known(d->type) ? tn_arena_printf(&c->mem, " %s", d->type.v) : ""}};
        line(c,
             tn_arena_printf(&c->mem, "%s%s%s", fill(c, TN_S_census_disk_row, a, TN_LEN(a)),
                             tn_is(d->read_only, 1) ? ", " : "",
                             tn_is(d->read_only, 1) ? str(c, TN_S_census_read_only) : ""),
             d->free_bytes.src);
    }
}

static const char *bound(struct census *c, struct tn_str name, struct tn_int f)
{
    bool number = tn_says(name, "nofile") || tn_says(name, "nproc");
    return f.k == TN_KNOWN && f.v < 0 ? str(c, TN_S_census_unlimited) : number ? count(c, f) : size(c, f);
}

static void limits(struct census *c)
{
    c->head = TN_S_census_limit;
    for (size_t i = 0; i < c->s->limit.n; i++) {
        const struct tn_rec_limit *l = &c->s->limit.v[i];
        struct tn_arg a[] = {
            {"name", text(l->name)}, {"soft", bound(c, l->name, l->soft)}, {"hard", bound(c, l->name, l->hard)}};
        line(c, fill(c, TN_S_census_limit_row, a, TN_LEN(a)), l->soft.src);
    }
}

void tn_report_census(const struct tn_report *r, struct tn_buf *b)
{
    struct census c = {.r = r, .s = r->judge->s, .b = b};
    tn_arena_init(&c.mem);
    environments(&c);
    programs(&c);
    packages(&c);
    settings(&c);
    variables(&c);
    disks(&c);
    limits(&c);
    tn_arena_deinit(&c.mem);
}
