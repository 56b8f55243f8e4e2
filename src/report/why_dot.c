/* why_dot.c - why.h as a picture in the language of Graphviz: who asks for which file, and what led to it.
 *
 * A node is a file (by its path) or a name that leads to none. With a library asked for: it, and who brings it. */
#include <string.h>

#include "base/str.h"
#include "report/why.h"
#include "strings.gen.h"

struct picture {
    const struct tn_why *w;
    const struct tn_why_asker *a;
    struct tn_buf *b;
};

static const char *str(const struct tn_why *w, const char *id)
{
    const char *s = tn_string(id, w->lang);
    return s ? s : id;
}

/* \ and " alone have a meaning there; control characters become blanks, of a label a new line stays one. */
static void quote(struct tn_buf *b, const char *s)
{
    tn_buf_ch(b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            tn_buf_ch(b, '\\');
        if (*s == '\n')
            tn_buf_str(b, "\\n");
        else
            tn_buf_ch(b, (unsigned char)*s < ' ' || *s == 0x7f ? ' ' : *s);
    }
    tn_buf_ch(b, '"');
}

static const char *node_of(const struct tn_load *v)
{
    return v->path ? v->path : v->name;
}

/* The row that brought the object at that path; NULL: the framework's Python, or the program. */
static const struct tn_load *bringer(const struct tn_why_asker *a, const char *path)
{
    for (unsigned i = 0; path && i < a->loads->n; i++)
        if (a->loads->v[i].path && strcmp(a->loads->v[i].path, path) == 0)
            return &a->loads->v[i];
    return NULL;
}

static void node(const struct picture *p, const struct tn_load *v)
{
    static const char *const word[] = {[TN_OUTCOME_FOUND] = TN_S_why_word_found,
                                       [TN_OUTCOME_MISSING] = TN_S_why_word_missing,
                                       [TN_OUTCOME_STOPS] = TN_S_why_word_stops,
                                       [TN_OUTCOME_UNKNOWN] = TN_S_why_word_unknown};
    const struct tn_rec_library *l = tn_why_library(p->w, v);
    bool found = v->outcome == TN_OUTCOME_FOUND, version = l && tn_known(l->version);
    tn_buf_str(p->b, "  ");
    quote(p->b, node_of(v));
    tn_buf_str(p->b, " [label=");
    quote(p->b, tn_arena_printf(p->w->mem, "%s%s%s%s%s", v->name, version ? "\n" : "", version ? l->version.v : "",
                                found ? "" : "\n", found ? "" : str(p->w, word[v->outcome])));
    if (v->path)
        tn_buf_str(p->b, ", tooltip="), quote(p->b, v->path);
    tn_buf_str(p->b, found ? "];\n" : ", color=red, style=dashed];\n");
}

/* What led to the file: names of tags and files as they are, the rest in the person's language. */
static const char *label(const struct tn_why *w, const struct tn_load *v)
{
    if (!v->path || v->rule == TN_RULE_PATH)
        return "";
    if (v->rule == TN_RULE_LOADED || v->rule == TN_RULE_DEFAULT)
        return str(w, v->rule == TN_RULE_LOADED ? TN_S_why_rule_loaded : TN_S_why_rule_default);
    return tn_rule_word(v->rule);
}

static void edge(const struct picture *p, const char *from, const struct tn_load *v)
{
    tn_buf_str(p->b, "  ");
    quote(p->b, from);
    tn_buf_str(p->b, " -> ");
    quote(p->b, node_of(v));
    tn_buf_str(p->b, " [label=");
    quote(p->b, label(p->w, v));
    tn_buf_str(p->b, "];\n");
}

/* A row, hung on who brought it: another row, an object that is none (its base name), or the asker itself. */
static void draw(const struct picture *p, const struct tn_load *v)
{
    const struct tn_load *by = bringer(p->a, v->from);
    node(p, v);
    if (v->from && !by) {
        tn_buf_str(p->b, "  ");
        quote(p->b, v->from);
        tn_buf_str(p->b, " [label=");
        quote(p->b, tn_path_base(tn_snap_style(p->w->s), v->from));
        tn_buf_str(p->b, "];\n");
    }
    const char *from = v->from ? v->from : p->a->name;
    if (strcmp(from, node_of(v)) != 0) /* --for FILE: the file is the asker */
        edge(p, from, v);
}

/* The row and who brought it, up to the asker. */
static void draw_chain(const struct picture *p, const struct tn_load *v)
{
    for (unsigned n = 0; v && n < TN_MAX_LOADS; n++) {
        const struct tn_load *by = bringer(p->a, v->from);
        draw(p, v);
        v = by == v ? NULL : by;
    }
}

void tn_why_dot(const struct tn_why *w, struct tn_buf *b)
{
    tn_buf_str(b, "digraph why {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
                  "  edge [fontname=\"sans-serif\", fontsize=8];\n");
    for (unsigned i = 0; i < w->n; i++) {
        struct picture p = {w, &w->v[i], b};
        const struct tn_load *one = w->lib ? tn_why_row(w, p.a) : NULL;
        if (w->lib && !one)
            continue;
        tn_buf_str(b, "  ");
        quote(b, p.a->name);
        tn_buf_str(b, " [style=bold];\n");
        if (one)
            draw_chain(&p, one);
        for (unsigned k = 0; !w->lib && k < p.a->loads->n; k++)
            draw(&p, &p.a->loads->v[k]);
    }
    tn_buf_str(b, "}\n");
}
