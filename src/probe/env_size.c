/* env_size.c - what each Python environment takes on the disk, and all of them together; only for who asked for it.
 *
 * An environment is the folder of its prefix, without other environments inside and without conda's store of packages
 * (PREFIX/pkgs), from which its files are linked. Of an interpreter that shares its prefix with other programs (/usr,
 * the home folder) it is the folders that hold its packages. Counting: os.h, tn_os_measure. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/ask.h"
#include "world/seek.h"

struct sizes {
    struct tn_probe_ctx *c;
    const char **argv; /* of the question */
    size_t n, cap;
    struct {
        const char *first; /* folder by which the answer names it */
        size_t env;
    } * group;
    size_t n_group, cap_group;
};

static void push(struct sizes *z, const char *s)
{
    z->argv = tn_arena_grow(z->c->tmp, (void *)z->argv, z->n, &z->cap, sizeof *z->argv);
    z->argv[z->n++] = s;
}

/* Programs of others lie below this prefix, too. */
static bool is_common(const struct sizes *z, const struct tn_rec_env *e, const char *home)
{
    static const char *const own[] = {"venv", "conda", "pyenv"};
    for (unsigned i = 0; i < TN_LEN(own); i++)
        if (tn_says(e->kind, own[i]))
            return false;
    return !tn_says(e->kind, "standalone") || strcmp(e->path.v, "/opt") == 0 || strcmp(e->path.v, "/") == 0 ||
           (home && tn_path_under(z->c->w->style, home, e->path.v)) || (home && strcmp(home, e->path.v) == 0);
}

static const char *real_of(const struct sizes *z, const char *path)
{
    const char *real = tn_world_real(z->c->w, z->c->tmp, path, NULL);
    return real && *real && strcmp(real, "/") != 0 && tn_path_is_abs(z->c->w->style, real) ? real : NULL;
}

/* The folders of one environment behind those before it, so that the first stands for the group. */
static void add_env(struct sizes *z, size_t row, const char *home)
{
    const struct tn_rec_env *e = &z->c->s->env.v[row];
    bool common = tn_known(e->path) && is_common(z, e, home);
    size_t n = common ? (e->site.k == TN_KNOWN ? e->site.n : 0) : 1;
    const char *first = NULL;
    if (!tn_known(e->path) || !tn_known(e->kind))
        return;
    for (size_t i = 0; i < n; i++) {
        const char *path = real_of(z, common ? e->site.v[i] : e->path.v);
        if (!path || !tn_world_is_dir(z->c->w, path))
            continue;
        if (!first) {
            first = path;
            if (z->n_group)
                push(z, "");
            z->group = tn_arena_grow(z->c->tmp, z->group, z->n_group, &z->cap_group, sizeof *z->group);
            z->group[z->n_group].first = first;
            z->group[z->n_group++].env = row;
        }
        push(z, path);
    }
    if (first && tn_says(e->kind, "conda"))
        push(z, tn_arena_printf(z->c->tmp, "-%s", tn_path_join(z->c->tmp, z->c->w->style, first, "pkgs")));
}

static void keep(struct tn_rec_env *e, const struct tn_seek_line *l, uint32_t src)
{
    bool late = strcmp(l->state, "whole") != 0;
    const struct {
        struct tn_int *to;
        uint64_t v;
    } of[] = {{&e->bytes, l->size},
              {&e->freed_bytes, l->freed},
              {&e->shared_bytes, l->shared},
              {&e->doubled_bytes, l->doubled},
              {&e->unreadable, l->unreadable}};
    for (unsigned i = 0; i < TN_LEN(of); i++)
        *of[i].to = late ? tn_fact_noint(src, TN_FAILED) : tn_fact_int(src, (int64_t)of[i].v);
}

static void env_size_run(struct tn_probe_ctx *c)
{
    struct sizes z = {.c = c};
    struct tn_seek_line line;
    if (!c->want || !c->want->sizes)
        return;
    const char *home = tn_probe_env(c, "HOME", NULL);
    home = home ? real_of(&z, home) : NULL;
    for (size_t i = 0; i < c->s->env.n; i++)
        add_env(&z, i, home);
    if (!z.n_group)
        return;
    push(&z, NULL);
    struct tn_question q = {.kind = TN_Q_MEASURE,
                            .name = "environments",
                            .sub = c->want->clean ? "content" : NULL, /* what may go must be the same */
                            .argv = z.argv,
                            .tick = c->want->tick,
                            .tick_ctx = c->want->tick_ctx};
    struct tn_answer a = tn_world_ask(c->w, c->tmp, &q);
    uint32_t src = tn_probe_src(c->s, "measure", q.name, &a);
    size_t at = 0; /* lines come in the order of the question; of a record some may be others */
    for (struct tn_span rest = a.data; a.got == TN_KNOWN && tn_seek_next(c->tmp, &rest, &line);) {
        if (line.type == 'a') {
            struct tn_rec_envs *all = TN_THE(c->s, envs);
            all->bytes = tn_fact_int(src, (int64_t)line.size);
            all->doubled_bytes = tn_fact_int(src, (int64_t)line.doubled);
        }
        for (size_t k = 0; line.type == 's' && k < z.n_group; k++, at++)
            if (strcmp(z.group[at % z.n_group].first, line.path) == 0) {
                keep(&c->s->env.v[z.group[at++ % z.n_group].env], &line, src);
                break;
            }
    }
}

TN_PROBE(env_size, TN_PHASE_LIBRARY, env_size_run, "what environments take on the disk (for envs alone)",
         .gives = TN_HAS(env) | TN_HAS(envs), .reads = TN_HAS(env));
