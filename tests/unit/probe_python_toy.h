/* probe_python_toy.h - a world in memory for the tests of the Python probes: files, links, variables, registry.
 *
 * Folders exist because something lies in them. Everything is looked up in a table that the test writes; both path
 * styles work on every platform that runs the tests. */
#ifndef TN_TEST_PROBE_PYTHON_TOY_H
#define TN_TEST_PROBE_PYTHON_TOY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe.h"

extern const struct tn_probe tn_probe_python, tn_probe_container, tn_probe_scheduler, tn_probe_variable;

/* kind: f file, l link (text: target), d empty folder, p FIFO, x no right to read (folder or file), z zero bytes,
 * v variable, r registry value ("KEY|VALUE"; "KEY|" the default one) */
struct toy_item {
    char kind;
    const char *name, *text;
    size_t n; /* bytes of text; 0: its length */
};

struct toy {
    struct tn_world w;
    const struct toy_item *item;
    bool no_env; /* another root folder: variables are not asked */
    const char *cwd;
};

static inline const struct toy_item *toy_find(struct toy *t, char kind, const char *name)
{
    for (const struct toy_item *i = t->item; i->kind; i++)
        if (kind ? i->kind == kind && strcmp(i->name, name) == 0
                 : i->kind != 'v' && i->kind != 'r' && tn_path_same(t->w.style, i->name, name))
            return i;
    return NULL;
}

/* Does something lie below? */
static inline bool toy_is_dir(struct toy *t, const char *name)
{
    for (const struct toy_item *i = t->item; i->kind; i++)
        if (i->kind != 'v' && i->kind != 'r' && !tn_path_same(t->w.style, i->name, name) &&
            tn_path_under(t->w.style, i->name, name))
            return true;
    const struct toy_item *i = toy_find(t, 0, name);
    return i && i->kind == 'd';
}

/* The path without links before its last component, and of that too if follow. */
static inline const char *toy_resolve(struct toy *t, struct tn_arena *mem, const char *path, bool follow, int depth)
{
    if (t->w.style == TN_PATH_WINDOWS)
        return path;
    char *at = tn_path_norm(mem, t->w.style, path);
    for (size_t i = 1; depth < 20; i++) {
        if (at[i] && at[i] != '/')
            continue;
        const char *head = tn_arena_strndup(mem, at, i);
        const struct toy_item *l = toy_find(t, 'l', head);
        if (l && (at[i] || follow)) {
            const char *to =
                tn_path_join3(mem, t->w.style, tn_path_dir(mem, t->w.style, head), l->text, at[i] ? at + i + 1 : "");
            return toy_resolve(t, mem, to, follow, depth + 1);
        }
        if (!at[i])
            return at;
    }
    return "/none";
}

/* A folder that may not be read hides what is in it. */
static inline bool toy_hidden(struct toy *t, const char *path)
{
    for (const struct toy_item *i = t->item; i->kind; i++)
        if (i->kind == 'x' && tn_path_under(t->w.style, path, i->name))
            return true;
    return false;
}

static inline int toy_by_name(const void *a, const void *b)
{
    return strcmp(((const struct tn_entry *)a)->name, ((const struct tn_entry *)b)->name);
}

static inline void toy_list(struct toy *t, struct tn_arena *mem, const char *at, struct tn_answer *ret)
{
    struct tn_entry *e = tn_arena_array(mem, 512, sizeof *e);
    for (const struct toy_item *i = t->item; i->kind; i++) {
        if (i->kind == 'v' || i->kind == 'r' || !tn_path_under(t->w.style, i->name, at) ||
            tn_path_same(t->w.style, i->name, at))
            continue;
        const char *rest = i->name + strlen(at);
        while (tn_path_is_sep(t->w.style, *rest))
            rest++;
        size_t n = strcspn(rest, t->w.style == TN_PATH_WINDOWS ? "\\/" : "/");
        bool have = false, deep = rest[n] != 0;
        for (size_t k = 0; k < ret->n_entry; k++)
            have |= strlen(e[k].name) == n && strncmp(e[k].name, rest, n) == 0;
        if (!have) {
            e[ret->n_entry].name = tn_arena_strndup(mem, rest, n);
            e[ret->n_entry++].type = deep || i->kind == 'd' || i->kind == 'x' ? 'd' : i->kind == 'z' ? 'f' : i->kind;
        }
    }
    qsort(e, ret->n_entry, sizeof *e, toy_by_name);
    ret->entry = e;
    ret->got = TN_KNOWN;
}

static inline void toy_reg_list(struct toy *t, struct tn_arena *mem, const char *key, struct tn_answer *ret)
{
    struct tn_entry *e = tn_arena_array(mem, 64, sizeof *e);
    size_t len = strlen(key);
    for (const struct toy_item *i = t->item; i->kind; i++) {
        if (i->kind != 'r' || strncmp(i->name, key, len) != 0 || i->name[len] != '\\')
            continue;
        size_t n = strcspn(i->name + len + 1, "\\|");
        bool have = false;
        for (size_t k = 0; k < ret->n_entry; k++)
            have |= strlen(e[k].name) == n && strncmp(e[k].name, i->name + len + 1, n) == 0;
        if (!have) {
            e[ret->n_entry].name = tn_arena_strndup(mem, i->name + len + 1, n);
            e[ret->n_entry++].type = 'd';
        }
    }
    ret->entry = e;
    ret->got = ret->n_entry ? TN_KNOWN : TN_ABSENT;
}

static inline void toy_text(struct tn_arena *mem, struct tn_answer *ret, const char *text, size_t n)
{
    ret->got = text ? TN_KNOWN : TN_ABSENT;
    if (text)
        ret->data = tn_span_of(tn_arena_strndup(mem, text, n ? n : strlen(text)), n ? n : strlen(text));
}

static inline void toy_answer(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q,
                              struct tn_answer *ret)
{
    struct toy *t = (struct toy *)w;
    struct tn_arena own;
    const struct toy_item *i;
    tn_arena_init(&own);
    if (q->kind == TN_Q_ENV && !t->no_env) {
        i = toy_find(t, 'v', q->name);
        toy_text(mem, ret, i ? i->text : NULL, 0);
    } else if (q->kind == TN_Q_SYS && strcmp(q->name, "cwd") == 0 && t->cwd) {
        toy_text(mem, ret, t->cwd, 0);
    } else if (q->kind == TN_Q_REG) {
        i = toy_find(t, 'r', tn_arena_printf(&own, "%s|%s", q->name, q->sub));
        toy_text(mem, ret, i ? i->text : NULL, 0);
    } else if (q->kind == TN_Q_REG_LIST) {
        toy_reg_list(t, mem, q->name, ret);
    } else if (q->kind <= TN_Q_READ) {
        const char *at = toy_resolve(t, &own, q->name, q->kind != TN_Q_LINK && (q->kind != TN_Q_STAT || q->follow), 0);
        i = toy_find(t, 0, at);
        bool dir = toy_is_dir(t, at);
        ret->got = i || dir ? TN_KNOWN : TN_ABSENT;
        if (toy_hidden(t, at) && !(q->kind == TN_Q_STAT && i && i->kind == 'x'))
            ret->got = TN_DENIED;
        else if (ret->got == TN_ABSENT)
            ;
        else if (q->kind == TN_Q_STAT)
            ret->st = (struct tn_stat){.type = dir              ? 'd'
                                               : i->kind == 'z' ? 'f'
                                               : i->kind == 'x' ? 'd'
                                                                : i->kind,
                                       .size = i && i->kind == 'f' ? (i->n ? i->n : strlen(i->text)) : 0};
        else if (q->kind == TN_Q_LINK)
            toy_text(mem, ret, i && i->kind == 'l' ? i->text : NULL, 0);
        else if (q->kind == TN_Q_LIST && dir)
            toy_list(t, mem, at, ret);
        else if (q->kind == TN_Q_READ && i && (i->kind == 'f' || i->kind == 'z')) {
            toy_text(mem, ret, i->kind == 'z' ? "" : i->text, i->kind == 'z' ? 0 : i->n);
            ret->size = ret->data.n;
            ret->data = tn_span_from(ret->data, q->off);
            if (ret->data.n > q->max)
                ret->data.n = q->max;
        } else {
            ret->got = q->kind == TN_Q_LIST ? TN_ABSENT : TN_FAILED;
        }
    }
    tn_arena_deinit(&own);
}

static inline void toy_close(struct tn_world *w)
{
    (void)w;
}

static inline struct toy toy_make(const struct toy_item *item, bool windows)
{
    static const struct tn_world_ops ops = {"toy", toy_answer, toy_close};
    struct toy t;
    memset(&t, 0, sizeof t);
    t.w.ops = &ops;
    t.w.style = windows ? TN_PATH_WINDOWS : TN_PATH_POSIX;
    t.w.os = windows ? "windows" : "linux";
    t.item = item;
    return t;
}

static inline void toy_probe(struct toy *t, const struct tn_probe *probe, const struct tn_want *want, struct tn_snap *s)
{
    struct tn_arena tmp;
    static const struct tn_want none = {.env = NULL};
    tn_arena_init(&tmp);
    tn_snap_init(s);
    TN_THE(s, host)->os = tn_fact_str(s, 0, t->w.os);
    struct tn_probe_ctx c = {&t->w, s, &tmp, want ? want : &none};
    probe->run(&c);
    tn_arena_deinit(&tmp);
}

static inline const struct tn_rec_dist *toy_dist(const struct tn_snap *s, const char *env, const char *name)
{
    for (size_t i = 0; i < s->dist.n; i++)
        if (tn_says(s->dist.v[i].env, env) && tn_says(s->dist.v[i].name, name))
            return &s->dist.v[i];
    return NULL;
}

static inline const struct tn_rec_framework *toy_framework(const struct tn_snap *s, const char *env, const char *name)
{
    for (size_t i = 0; i < s->framework.n; i++)
        if (tn_says(s->framework.v[i].env, env) && tn_says(s->framework.v[i].name, name))
            return &s->framework.v[i];
    return NULL;
}

/* "a b c" */
static inline void toy_assert_list(struct tn_list l, const char *want)
{
    char text[4096] = "";
    assert_int_equal(l.k, TN_KNOWN);
    for (uint32_t i = 0; i < l.n; i++) {
        strcat(text, i ? " " : "");
        strcat(text, l.v[i]);
    }
    assert_string_equal(text, want);
}

static inline void toy_assert_str(struct tn_str f, const char *want)
{
    assert_int_equal(f.k, TN_KNOWN);
    assert_string_equal(f.v, want);
}

#endif
