/* env.c - Python environments, what is installed in them, and what their frameworks were built for.
 *
 * Invariant: the judged environment comes first, the others by path; a site folder is listed once and serves all
 * three subjects (env, dist, framework), which is why they are one probe. Python is never run. */
#include "probe/env.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "version/dotted.h"

const char *tn_pyenv_var(struct tn_py *p, const char *name)
{
    struct tn_answer a = tn_world_env(p->w, p->mem, name);
    if (a.got == TN_UNASKED)
        return NULL;
    p->live = true;
    return a.got == TN_KNOWN && a.data.n ? (const char *)a.data.p : NULL;
}

const char *tn_pyenv_join_in(struct tn_py *p, struct tn_arena *mem, const char *a, const char *b)
{
    return tn_path_join(mem, p->st, a, b);
}

const char *tn_pyenv_join(struct tn_py *p, const char *a, const char *b)
{
    return tn_pyenv_join_in(p, p->mem, a, b);
}

static void init(struct tn_py *p, struct tn_probe_ctx *c)
{
    memset(p, 0, sizeof *p);
    p->w = c->w;
    p->s = c->s;
    p->mem = c->tmp;
    p->want = c->want;
    p->st = c->w->style;
    p->home = tn_pyenv_var(p, p->st == TN_PATH_WINDOWS ? "USERPROFILE" : "HOME");
    p->appdata = p->st == TN_PATH_WINDOWS ? tn_pyenv_var(p, "APPDATA") : NULL;
    p->localappdata = p->st == TN_PATH_WINDOWS ? tn_pyenv_var(p, "LOCALAPPDATA") : NULL;
    p->no_user_site = tn_pyenv_var(p, "PYTHONNOUSERSITE") != NULL;
    struct tn_answer a = tn_world_sys(p->w, p->mem, "cwd");
    p->cwd = a.got == TN_KNOWN ? (const char *)a.data.p : NULL;
    p->pyenv_root = tn_pyenv_var(p, "PYENV_ROOT");
    if (!p->pyenv_root && p->home)
        p->pyenv_root = tn_pyenv_join(p, p->home, ".pyenv");
    if (p->pyenv_root) {
        const char *real = tn_world_real(p->w, p->mem, p->pyenv_root, NULL);
        p->pyenv_root = real ? real : p->pyenv_root;
    }
}

static struct tn_pyenv *new_env(struct tn_py *p)
{
    p->env = tn_arena_grow(p->mem, p->env, p->n_env, &p->cap_env, sizeof *p->env);
    return memset(&p->env[p->n_env++], 0, sizeof *p->env);
}

static bool same_place(struct tn_py *p, const struct tn_pyplace *a, const struct tn_pyplace *b)
{
    return tn_path_same(p->st, a->real, b->real) &&
           (!a->interpreter || !b->interpreter || tn_path_same(p->st, a->interpreter, b->interpreter) ||
            strcmp(a->real, "/usr") != 0);
}

static void look_judged(struct tn_py *p, const struct tn_pyplace *at, struct tn_pyenv *e)
{
    if (tn_pyenv_look(p, at, e)) {
        tn_pyenv_program(p, e);
        return;
    }
    e->kind = NULL; /* a folder without marks and without an interpreter */
    e->kind_got = e->python_got = TN_ABSENT;
    e->src = e->kind_src = e->python_src = tn_snap_src(p->s, TN_KNOWN, NULL, "stat %s", e->prefix);
}

/* The judged one, if the answer is known before the others are looked at. */
static bool add_judged(struct tn_py *p, const struct tn_pyactive *active)
{
    if (!active->place.real && !active->asked)
        return false;
    struct tn_pyenv *e = new_env(p);
    e->judged = true;
    e->chosen_by = active->why;
    if (active->asked) {
        e->prefix = e->real = active->asked;
        e->src = e->kind_src = tn_snap_src(p->s, TN_ABSENT, NULL, "stat %s", active->asked);
        e->kind_got = e->python_got = e->interpreter_got = TN_ABSENT;
        e->python_src = e->interpreter_src = e->src;
        return true;
    }
    look_judged(p, &active->place, e);
    return true;
}

/* A variable that names a folder that is not there is a fact. */
static void add_dangling(struct tn_py *p, const struct tn_pyactive *active)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!active->dangling[i])
            continue;
        struct tn_pyenv *e = new_env(p);
        e->prefix = e->real = active->dangling[i];
        e->active = true;
        e->chosen_by = active->dangling_by[i];
        e->src = tn_snap_src(p->s, TN_KNOWN, NULL, "env %s", active->dangling_by[i]);
        e->kind_src = e->python_src = e->interpreter_src =
            tn_snap_src(p->s, TN_ABSENT, NULL, "stat %s", active->dangling[i]);
        e->kind_got = e->python_got = e->interpreter_got = TN_ABSENT;
    }
}

static void add_others(struct tn_py *p, const struct tn_pyactive *active)
{
    for (size_t i = 0; i < p->n_place; i++) {
        if (active->place.real && same_place(p, &p->place[i], &active->place))
            continue;
        struct tn_pyenv e;
        memset(&e, 0, sizeof e);
        if (tn_pyenv_look(p, &p->place[i], &e)) {
            tn_pyenv_sites(p, &e);
            *new_env(p) = e;
        }
    }
}

/* In another root folder nothing is active: the one environment with a framework, else the system's interpreter. */
static void choose(struct tn_py *p)
{
    struct tn_pyenv *one = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < p->n_env; i++)
        if (p->env[i].has_framework && p->env[i].kind && (p->env[i].venv || strcmp(p->env[i].kind, "conda") == 0)) {
            one = &p->env[i];
            n++;
        }
    const char *why = "the only one with a framework";
    struct tn_pyplace at;
    if (n != 1) {
        why = "PATH";
        one = NULL;
        if (!tn_pyenv_on_path(p, "/usr/local/bin:/usr/bin:/bin", &at))
            return;
        for (size_t i = 0; i < p->n_env; i++) {
            struct tn_pyplace here = {p->env[i].real, p->env[i].interpreter, false, true};
            if (same_place(p, &here, &at))
                one = &p->env[i];
        }
        if (!one)
            one = new_env(p);
    } else {
        at = (struct tn_pyplace){one->real, one->interpreter, one->meta != NULL, true};
    }
    memset(one, 0, sizeof *one);
    one->judged = true;
    one->chosen_by = why;
    look_judged(p, &at, one);
    tn_pyenv_sites(p, one);
}

static int by_path(const void *a, const void *b)
{
    const struct tn_pyenv *x = a, *y = b;
    if (x->judged != y->judged)
        return x->judged ? -1 : 1;
    int c = strcmp(x->prefix, y->prefix);
    return c ? c : tn_str_cmp(x->interpreter, y->interpreter);
}

static struct tn_str text(struct tn_py *p, const char *v, enum tn_know got, uint32_t src)
{
    return v ? tn_fact_str(p->s, src, v) : tn_fact_nostr(src, got == TN_KNOWN ? TN_ABSENT : got);
}

/* Known when all site folders that are there were listed. */
static struct tn_list holders(struct tn_py *p, const struct tn_pyenv *e)
{
    static const char *const name[] = {"nvidia", "torch", "tensorrt_libs"};
    const char **hit = tn_arena_array(p->mem, e->n_site * TN_LEN(name) + 1, sizeof *hit);
    size_t n = 0;
    for (size_t i = 0; i < e->n_site; i++) {
        if (e->site[i]->got != TN_KNOWN && e->site[i]->got != TN_ABSENT)
            return (struct tn_list){0};
        for (unsigned k = 0; k < TN_LEN(name); k++)
            if (tn_pyenv_entry(e->site[i], name[k]))
                hit[n++] = tn_pyenv_join(p, e->site[i]->path, name[k]);
    }
    return e->n_site ? tn_fact_list(p->s, e->site[0]->src, hit, n) : (struct tn_list){0};
}

/* Without a home nobody knows where that folder would be. */
static void set_user_site(struct tn_py *p, const struct tn_pyenv *e, struct tn_rec_env *r)
{
    for (size_t i = 0; i < e->n_site; i++)
        if (strcmp(tn_pyenv_place(e, i), "user") == 0 && e->site[i]->got != TN_ABSENT) {
            r->user_site = tn_fact_int(e->site[i]->src, 1);
            return;
        }
    if (p->home || p->no_user_site || (e->venv && !e->system_site))
        r->user_site = tn_fact_int(e->src, 0);
}

/* Debian and Ubuntu have ensurepip in a package of its own; without it venv ends in the midst of its work. */
static struct tn_int makes_venv(struct tn_py *p, const struct tn_pyenv *e)
{
    char minor[TN_DOTTED_TEXT];
    bool own = !e->venv && !e->meta && e->python && !(p->want && p->want->plain && !p->want->conda);
    if (!own || !tn_version_dotted_head(e->python, 2, minor, sizeof minor))
        return (struct tn_int){0};
    const char *lib =
        p->st == TN_PATH_WINDOWS ? "Lib\\ensurepip" : tn_arena_printf(p->mem, "lib/python%s/ensurepip", minor);
    const char *dir = tn_pyenv_join(p, e->prefix, lib);
    struct tn_answer a = tn_world_stat(p->w, dir);
    if (a.got != TN_KNOWN && a.got != TN_ABSENT)
        return (struct tn_int){0};
    return tn_fact_int(tn_probe_src(p->s, "stat", dir, &a), a.got == TN_KNOWN);
}

static bool is_ascii(const char *s)
{
    while (*s && (unsigned char)*s < 0x80)
        s++;
    return *s == '\0';
}

static void add_row(struct tn_py *p, struct tn_pyenv *e, size_t number)
{
    e->id_fact = tn_fact_str(p->s, e->src, tn_arena_printf(p->mem, "env%zu", number));
    struct tn_rec_env *r = TN_ADD(p->s, env);
    r->id = e->id_fact;
    r->path = tn_fact_str(p->s, e->src, e->prefix);
    r->path_ascii = tn_fact_int(e->src, is_ascii(e->prefix));
    r->kind = text(p, e->kind_got == TN_KNOWN ? e->kind : NULL, e->kind_got, e->kind_src);
    r->python = text(p, e->python, e->python_got, e->python_src);
    r->interpreter = text(p, e->interpreter, e->interpreter_got, e->interpreter_src);
    if (p->live)
        r->active = tn_fact_int(e->src, e->active);
    r->judged = tn_fact_int(e->src, e->judged);
    r->chosen_by = text(p, e->chosen_by, TN_ABSENT, e->src);
    r->system_site = e->venv && e->kind_got == TN_KNOWN ? tn_fact_int(e->kind_src, e->system_site)
                     : e->venv                          ? tn_fact_noint(e->kind_src, e->kind_got)
                                                        : tn_fact_noint(e->src, TN_ABSENT);
    r->base = text(p, e->base, e->venv && e->kind_got != TN_KNOWN ? e->kind_got : TN_ABSENT, e->kind_src);
    r->name = text(p, e->name, TN_ABSENT, e->src);
    r->tool = text(p, tn_pyenv_tool(p, e), e->kind_got == TN_KNOWN ? TN_ABSENT : e->kind_got, e->kind_src);
    if (e->program_got) {
        r->machine = text(p, e->machine, e->program_got, e->program_src);
        r->loader = text(p, e->loader, e->program_got, e->program_src);
    }
    set_user_site(p, e, r);
    r->makes_venv = makes_venv(p, e);
    tn_pyenv_count(p, e, r);
    const char **site = tn_arena_array(p->mem, e->n_site, sizeof *site);
    size_t n = 0;
    for (size_t i = 0; i < e->n_site; i++)
        if (e->site[i]->got != TN_ABSENT)
            site[n++] = e->site[i]->path;
    r->site = tn_fact_list(p->s, n ? e->site[0]->src : e->src, site, n);
    r->holders = holders(p, e);
}

/* What is known of the listings of packages: the judged environment decides. */
static void set_listed(struct tn_py *p)
{
    enum tn_know got = TN_KNOWN;
    const struct tn_pyenv *e = p->n_env && p->env[0].judged ? &p->env[0] : NULL;
    uint32_t src = e && e->n_site ? e->site[0]->src : tn_snap_src(p->s, TN_KNOWN, NULL, "places of environments");
    for (size_t i = 0; e && i < e->n_site && got == TN_KNOWN; i++)
        if (e->site[i]->got != TN_KNOWN && e->site[i]->got != TN_ABSENT) {
            got = e->site[i]->got;
            src = e->site[i]->src;
        }
    p->s->dist.listed = p->s->framework.listed = got;
    p->s->dist.src = p->s->framework.src = src;
    bool all = !(p->want && p->want->judged_only);
    if (all) {
        p->s->env.listed = p->full ? TN_FAILED : p->trouble_src ? p->trouble : TN_KNOWN;
        p->s->env.src = p->full ? tn_snap_src(p->s, TN_FAILED, "more places than the limit", "places of environments")
                        : p->trouble_src ? p->trouble_src
                                         : tn_snap_src(p->s, TN_KNOWN, NULL, "places of environments");
    }
}

static void env_run(struct tn_probe_ctx *c)
{
    struct tn_py p;
    struct tn_pyactive active;
    init(&p, c);
    bool all = !(p.want && p.want->judged_only), by_name = p.want && p.want->env && !strpbrk(p.want->env, "/\\");
    if (all || by_name || !p.live)
        tn_pyenv_places(&p);
    tn_pyenv_active(&p, &active);
    if (add_judged(&p, &active))
        tn_pyenv_sites(&p, &p.env[0]);
    add_dangling(&p, &active);
    if (all && p.n_env && p.env[0].judged) {
        tn_pychoice_kernels_of(&p, &p.env[0]);
        tn_pyenv_sort_places(&p);
    }
    if (all || (!p.live && !p.n_env))
        add_others(&p, &active);
    if (!p.live && !(p.n_env && p.env[0].judged))
        choose(&p);
    if (p.n_env > 1)
        qsort(p.env, p.n_env, sizeof *p.env, by_path);
    size_t n = 0;
    for (size_t i = 0; i < p.n_env; i++) {
        struct tn_pyenv *e = &p.env[i];
        if (!all && !e->judged && !e->active)
            continue;
        if (active.virtual_env && tn_path_same(p.st, e->real, active.virtual_env))
            e->active = true;
        else if (active.conda_prefix && tn_path_same(p.st, e->real, active.conda_prefix))
            e->active = true;
        add_row(&p, e, ++n);
        tn_pydist_rows(&p, e);
        tn_pyframework_rows(&p, e);
    }
    if (all)
        tn_pychoice_rows(&p);
    set_listed(&p);
}

TN_PROBE(python, TN_PHASE_PYTHON, env_run,
         "Python environments, their distributions and frameworks, from the files that installers and builds write",
         .gives = TN_HAS(env) | TN_HAS(dist) | TN_HAS(framework) | TN_HAS(choice));
