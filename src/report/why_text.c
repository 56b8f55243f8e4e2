/* why_text.c - the chain of one name, and everything as a tree, for people. Every line's status is a word. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "report/why.h"
#include "strings.gen.h"

static const char *str(const struct tn_why *w, const char *id)
{
    const char *s = tn_string(id, w->lang);
    return s ? s : id;
}

static const char *fill(const struct tn_why *w, const char *id, const char *key, const char *value, const char *key2,
                        const char *value2)
{
    struct tn_arg a[] = {{key, value ? value : ""}, {key2 ? key2 : "-", value2 ? value2 : ""}};
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, str(w, id), a, TN_LEN(a));
    const char *ret = tn_arena_strdup(w->mem, b.p);
    tn_buf_deinit(&b);
    return ret;
}

static void line(struct tn_buf *b, unsigned indent, const char *text)
{
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_escape_terminal(b, text);
    tn_buf_ch(b, '\n');
}

static const char *base(const struct tn_why *w, const char *path)
{
    return tn_path_base(tn_snap_style(w->s), path);
}

/* Without "..": shorter to read; the JSON has it as the loader writes it. */
static const char *plain(const struct tn_why *w, const char *path)
{
    return tn_path_norm(w->mem, tn_snap_style(w->s), path);
}

/* "TEXT  MORE", MORE at a column or, where it would leave the terminal, on a line of its own. */
static void two(const struct tn_why *w, struct tn_buf *b, unsigned indent, const char *text, unsigned column,
                const char *more)
{
    unsigned at = indent + tn_utf8_width(text), to = indent + column;
    bool alone = w->width && (at + 2 > to ? at + 2 : to) + tn_utf8_width(more) > w->width;
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_escape_terminal(b, text);
    if (alone) {
        tn_buf_ch(b, '\n');
        at = 0;
        to = indent + 4;
    } else if (at + 2 > to) {
        to = at + 2;
    }
    for (; at < to; at++)
        tn_buf_ch(b, ' ');
    tn_escape_terminal(b, more);
    tn_buf_ch(b, '\n');
}

static const char *part_of(const struct tn_why *w, const struct tn_ask *ask)
{
    static const struct {
        const char *part, *id;
    } t[] = {{"gpu", TN_S_why_part_gpu},           {"import", TN_S_why_part_import},
             {"driver", TN_S_why_part_driver},     {"dnn", TN_S_why_part_dnn},
             {"linalg", TN_S_why_part_linalg},     {"jit", TN_S_why_part_jit},
             {"multi-gpu", TN_S_why_part_several}, {"profiler", TN_S_why_part_profiler},
             {"tensorrt", TN_S_why_part_tensorrt}};
    for (unsigned i = 0; i < TN_LEN(t); i++)
        if (strcmp(t[i].part, ask->part) == 0)
            return str(w, t[i].id);
    return "";
}

static const char *rule(const struct tn_why *w, const struct tn_loader *l, const struct tn_step *s)
{
    static const char *const id[] = {
        [TN_RULE_LOADED] = TN_S_why_rule_loaded,   [TN_RULE_PATH] = TN_S_why_rule_path,
        [TN_RULE_RPATH] = TN_S_why_rule_rpath,     [TN_RULE_ENV] = TN_S_why_rule_env,
        [TN_RULE_RUNPATH] = TN_S_why_rule_runpath, [TN_RULE_CACHE] = TN_S_why_rule_cache,
        [TN_RULE_DEFAULT] = TN_S_why_rule_default, [TN_RULE_API_SET] = TN_S_why_rule_api,
        [TN_RULE_SXS] = TN_S_why_rule_sxs,         [TN_RULE_KNOWN] = TN_S_why_rule_known,
        [TN_RULE_DLL_DIR] = TN_S_why_rule_dll_dir, [TN_RULE_APP] = TN_S_why_rule_app,
        [TN_RULE_ADDED] = TN_S_why_rule_added,     [TN_RULE_SET] = TN_S_why_rule_set,
        [TN_RULE_SYSTEM] = TN_S_why_rule_system,   [TN_RULE_WINDOWS] = TN_S_why_rule_windows,
        [TN_RULE_CWD] = TN_S_why_rule_cwd,         [TN_RULE_PATHS] = TN_S_why_rule_paths};
    const char *file = s->object < l->n_object && l->object[s->object].path ? base(w, l->object[s->object].path) : "?";
    return fill(w, id[s->rule], "file", file, NULL, NULL);
}

static const char *end(const struct tn_why *w, enum tn_step_end e)
{
    static const char *const id[] = {
        [TN_STEP_TAKEN] = TN_S_why_end_taken,     [TN_STEP_NO_FOLDER] = TN_S_why_end_folder,
        [TN_STEP_ABSENT] = TN_S_why_end_absent,   [TN_STEP_DENIED] = TN_S_why_end_denied,
        [TN_STEP_CLASS] = TN_S_why_end_class,     [TN_STEP_MACHINE] = TN_S_why_end_machine,
        [TN_STEP_REFUSED] = TN_S_why_end_refused, [TN_STEP_DAMAGED] = TN_S_why_end_damaged,
        [TN_STEP_FAILED] = TN_S_why_end_failed,   [TN_STEP_UNKNOWN] = TN_S_why_end_unknown,
        [TN_STEP_NOT_IN] = TN_S_why_end_not_in};
    return str(w, id[e]);
}

/* Up to the file that is taken: what lies behind it is hidden by it. */
static size_t length(const struct tn_search *s)
{
    size_t n = 0;
    while (n < s->n_step && s->step[n].end != TN_STEP_TAKEN)
        n++;
    return n < s->n_step ? n + 1 : n;
}

static void chain(const struct tn_why *w, const struct tn_loader *l, const struct tn_search *s, struct tn_buf *b)
{
    unsigned none = 0;
    size_t n = length(s);
    line(b, 2, str(w, TN_S_why_searched));
    for (size_t i = 0; i < n; i++) {
        const struct tn_step *p = &s->step[i];
        bool head = i == 0 || p->rule != s->step[i - 1].rule || p->object != s->step[i - 1].object;
        bool last = i + 1 == n || p[1].rule != p->rule || p[1].object != p->object;
        const char *where = p->folder && p->end != TN_STEP_TAKEN ? p->folder : p->path;
        if (head && !where) /* the cache, or what is loaded: nothing but the rule to say */
            two(w, b, 4, rule(w, l, p), 44, end(w, p->end));
        else if (head)
            line(b, 4, rule(w, l, p));
        if (where && p->end == TN_STEP_NO_FOLDER && !w->verbose)
            none++;
        else if (where)
            two(w, b, 6, plain(w, where), 42, end(w, p->end));
        if (last && none) {
            line(b, 6, fill(w, TN_S_why_folders, "n", tn_arena_printf(w->mem, "%u", none), NULL, NULL));
            none = 0;
        }
    }
}

/* "PATH  VERSION, from OWNER" */
static void copy(const struct tn_why *w, struct tn_buf *b, const char *path, const struct tn_rec_library *l)
{
    const char *more = l && tn_known(l->version) ? l->version.v : "", *owner = tn_why_owner(l);
    if (owner)
        more = tn_arena_printf(w->mem, "%s%s%s", more, *more ? ", " : "",
                               fill(w, TN_S_why_from, "owner", owner, NULL, NULL));
    if (*more)
        two(w, b, 4, plain(w, path), 44, more);
    else
        line(b, 4, plain(w, path));
}

static const struct tn_rec_library *library_at(const struct tn_why *w, const char *path)
{
    struct tn_load v = {.path = path};
    return tn_why_library(w, &v);
}

static void others(const struct tn_why *w, const struct tn_load *v, struct tn_buf *b)
{
    size_t row = 0;
    bool head = true;
    if (v->n_shadowed)
        line(b, 2, str(w, TN_S_why_hides));
    for (size_t i = 0; i < v->n_shadowed; i++)
        copy(w, b, v->shadowed[i], library_at(w, v->shadowed[i]));
    for (const struct tn_rec_library *l; (l = tn_why_elsewhere(w, v, &row)); head = false) {
        if (head)
            line(b, 2, str(w, TN_S_why_elsewhere));
        copy(w, b, l->path.v, l);
    }
}

/* Why a file that is there could not be judged; NULL: nothing is known of that. */
static const char *unread(const struct tn_why *w, const struct tn_load *v)
{
    const struct tn_snap *s = w->s;
    const char *path = v->real ? v->real : v->path;
    for (size_t i = 0; v->outcome == TN_OUTCOME_UNKNOWN && path && i < s->image.n; i++) {
        const struct tn_rec_image *m = &s->image.v[i];
        if (!tn_says(m->path, path) || (m->needed.k != TN_FAILED && m->needed.k != TN_DENIED))
            continue;
        const char *note = s->src[m->needed.src].note;
        return fill(w, TN_S_why_unread, "error", note ? note : str(w, TN_S_why_end_failed), NULL, NULL);
    }
    return NULL;
}

static void asked_by(const struct tn_why *w, const struct tn_why_asker *a, const struct tn_load *v, struct tn_buf *b)
{
    const char *id = v->need ? TN_S_why_needs : v->from ? TN_S_why_opens : TN_S_why_python;
    const char *who = fill(w, id, "file", base(w, v->from ? v->from : a->name), NULL, NULL), *part = part_of(w, v->ask);
    line(b, 2, *part ? tn_arena_printf(w->mem, "%s%s%s", who, w->lang == TN_ZH ? "；" : "; ", part) : who);
}

static void one(const struct tn_why *w, const struct tn_why_asker *a, const struct tn_load *v, struct tn_buf *b)
{
    static const char *const head[] = {[TN_OUTCOME_FOUND] = TN_S_why_found,
                                       [TN_OUTCOME_MISSING] = TN_S_why_missing,
                                       [TN_OUTCOME_STOPS] = TN_S_why_stops,
                                       [TN_OUTCOME_UNKNOWN] = TN_S_why_unknown};
    const struct tn_rec_library *l = tn_why_library(w, v);
    line(b, 0, fill(w, head[v->outcome], "lib", v->name, "asker", a->name));
    if (v->path)
        copy(w, b, v->path, l);
    if (v->real && v->path && strcmp(v->real, plain(w, v->path)) != 0)
        line(b, 4, fill(w, TN_S_why_link, "path", v->real, NULL, NULL));
    asked_by(w, a, v, b);
    if (v->search != TN_NO_OBJECT)
        chain(w, &a->loads->l, &a->loads->l.search[v->search], b);
    others(w, v, b);
    if (v->error)
        line(b, 2, fill(w, TN_S_why_says, "error", v->error, NULL, NULL));
    else if (unread(w, v))
        line(b, 2, unread(w, v));
}

static unsigned depth_of(const struct tn_loads *l, const struct tn_load *v)
{
    unsigned depth = 0;
    for (size_t s = v->search; v->need && s != TN_NO_OBJECT && depth < 6; depth++) {
        size_t asker = l->l.search[s].asker;
        if (l->l.search[s].came != TN_CAME_NEED || asker >= l->l.n_object)
            break;
        s = l->l.object[asker].search;
    }
    return depth;
}

static void tree(const struct tn_why *w, const struct tn_why_asker *a, struct tn_buf *b)
{
    static const char *const word[] = {[TN_OUTCOME_FOUND] = TN_S_why_word_found,
                                       [TN_OUTCOME_MISSING] = TN_S_why_word_missing,
                                       [TN_OUTCOME_STOPS] = TN_S_why_word_stops,
                                       [TN_OUTCOME_UNKNOWN] = TN_S_why_word_unknown};
    const char *where = w->env && tn_known(w->env->path) ? w->env->path.v : NULL;
    line(b, 0, where ? fill(w, TN_S_why_tree, "asker", a->name, "env", where) : a->name);
    if (a->loads->start != TN_OUTCOME_FOUND)
        line(b, 2, str(w, a->loads->start == TN_OUTCOME_UNKNOWN ? TN_S_why_start_unknown : TN_S_why_start_fails));
    for (unsigned i = 0; i < a->loads->n; i++) {
        const struct tn_load *v = &a->loads->v[i];
        const struct tn_rec_library *l = tn_why_library(w, v);
        const char *status = str(w, word[v->outcome]);
        unsigned indent = 2 * depth_of(a->loads, v);
        char head[320];
        snprintf(head, sizeof head, "%s%*s  %*s%.200s%s%.40s", status, (int)(10 - tn_utf8_width(status)), "",
                 (int)indent, "", v->name, l && tn_known(l->version) ? " " : "",
                 l && tn_known(l->version) ? l->version.v : "");
        const char *part = v->need || v->outcome == TN_OUTCOME_FOUND ? "" : part_of(w, v->ask);
        two(w, b, 2, head, 50, v->real ? v->real : v->path ? v->path : part);
        if (v->path && *part && v->outcome != TN_OUTCOME_FOUND)
            line(b, 14, part);
        if (v->error && v->culprit && strcmp(v->culprit, v->name) == 0 && v->path)
            line(b, 14, v->error);
        else if (unread(w, v))
            line(b, 14, unread(w, v));
    }
    if (a->loads->n_dropped)
        line(b, 2, fill(w, TN_S_why_more, "n", tn_arena_printf(w->mem, "%u", a->loads->n_dropped), NULL, NULL));
}

void tn_why_text(const struct tn_why *w, struct tn_buf *b)
{
    bool any = false;
    for (unsigned i = 0; i < w->n; i++) {
        const struct tn_load *v = w->lib ? tn_why_row(w, &w->v[i]) : NULL;
        if (w->lib && !v)
            continue;
        if (any)
            tn_buf_ch(b, '\n');
        if (v)
            one(w, &w->v[i], v, b);
        else
            tree(w, &w->v[i], b);
        any = true;
    }
}
