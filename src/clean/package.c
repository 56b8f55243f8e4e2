/* package.c - see package.h. Source: apt-get(8) (-s, Dir::Cache in apt.conf(5)), apt-mark(8). */
#include "clean/package.h"

#include <string.h>

#include "base/str.h"

static const char *const *words(struct tn_arena *mem, const char *const *head, struct tn_list names)
{
    size_t n = 0, k = 0;
    while (head[n])
        n++;
    const char **w = tn_arena_array(mem, n + names.n + 1, sizeof *w);
    for (; k < n; k++)
        w[k] = head[k];
    for (size_t i = 0; i < names.n; i++)
        if (names.v[i][0] != '-') /* no option in a name's place */
            w[k++] = names.v[i];
    w[k] = NULL;
    return w;
}

static bool is_dpkgs(const struct tn_clean_item *i)
{
    return i->how == TN_CLEAN_COMMAND && tn_says(i->r->by, "dpkg") && i->r->packages.k == TN_KNOWN && i->r->packages.n;
}

const char *const *tn_clean_package_simulation(struct tn_arena *mem, const struct tn_clean_item *i)
{
    static const char *const head[] = {"/usr/bin/apt-get",
                                       "-s",
                                       "-o",
                                       "Dir::Cache::pkgcache=",
                                       "-o",
                                       "Dir::Cache::srcpkgcache=",
                                       "-o",
                                       "Dir::Log::Planner=", /* eipp.log.xz, which root writes otherwise */
                                       "remove",
                                       NULL};
    return is_dpkgs(i) ? words(mem, head, i->r->packages) : NULL;
}

const char *const *tn_clean_package_removal(struct tn_arena *mem, const struct tn_clean_item *i)
{
    static const char *const head[] = {"/usr/bin/apt-get", "-y", "remove", NULL};
    return is_dpkgs(i) ? words(mem, head, i->r->packages) : NULL;
}

const char *const *tn_clean_package_mark(struct tn_arena *mem, const struct tn_snap *s)
{
    static const char *const head[] = {"/usr/bin/apt-mark", "manual", NULL};
    const char **name = tn_arena_array(mem, s->package.n + 1, sizeof *name);
    struct tn_list l = {.v = name};
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_clean_keeps_driver(&s->package.v[i]))
            name[l.n++] = s->package.v[i].name.v;
    return l.n ? words(mem, head, l) : NULL;
}

static const char *const *held(struct tn_arena *mem, const struct tn_snap *s)
{
    const char **list = tn_arena_array(mem, s->package.n + 1, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_is(s->package.v[i].held, 1) && tn_known(s->package.v[i].name))
            list[n++] = s->package.v[i].name.v;
    list[n] = NULL;
    return list;
}

void tn_clean_package_judge(struct tn_arena *mem, const struct tn_snap *s, struct tn_span answer,
                            struct tn_clean_package *ret)
{
    struct tn_transaction *t = tn_arena_alloc(mem, sizeof *t);
    static const char *const none[] = {NULL};
    struct tn_str kernel = TN_THE(s, host)->kernel;
    struct tn_removal_bound bound = {.named = words(mem, none, ret->item->r->packages),
                                     .held = held(mem, s),
                                     .running = tn_known(kernel) ? kernel.v : NULL};
    struct tn_removal_answer a;
    tn_transaction_read(mem, answer, t);
    tn_removal_judge(t, &bound, &a);
    ret->kind = a.kind;
    ret->package = a.package;
    ret->gone = tn_arena_array(mem, t->n + 1, sizeof *ret->gone);
    ret->n_gone = 0;
    for (unsigned i = 0; i < t->n; i++) {
        bool driver = tn_removal_is_driver(t->v[i].name);
        if (t->v[i].removed)
            ret->gone[ret->n_gone++] = t->v[i].name;
        if (ret->kind == TN_REMOVAL_FINE && (driver || !t->v[i].removed)) { /* nothing comes when something goes */
            ret->kind = driver ? TN_REMOVAL_LAST : TN_REMOVAL_OTHER;
            ret->package = t->v[i].name;
        }
    }
    if (ret->kind == TN_REMOVAL_FINE && !ret->n_gone)
        ret->kind = TN_REMOVAL_UNCLEAR;
}
