/* clean.c - see clean.h: the items, their state, and which the command line means. */
#include "clean/clean.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "clean/index.h"

const char *tn_clean_kind_word(enum tn_clean_kind k)
{
    static const char word[][8] = {"toolkit", "cudnn", "wheel", "conda", "env", "cache"};
    return k < TN_CLEAN_KINDS ? word[k] : "";
}

const char *tn_clean_state_word(enum tn_clean_state s)
{
    static const char word[][8] = {"free", "named", "used", "foreign", "unclear"};
    return (size_t)s < TN_LEN(word) ? word[s] : "";
}

const char *tn_clean_how_word(enum tn_clean_how h)
{
    static const char word[][8] = {"aside", "command", "by_hand"};
    return (size_t)h < TN_LEN(word) ? word[h] : "";
}

const char *tn_clean_use_word(enum tn_clean_use u)
{
    static const char word[][12] = {"loads",  "runs",     "requires", "held",     "requested", "chosen",
                                    "active", "searched", "link",     "variable", "file"};
    return u < TN_CLEAN_USES ? word[u] : "";
}

/* Words that mean a whole kind. */
static bool kind_of(const char *word, enum tn_clean_kind *ret)
{
    static const struct {
        char word[12];
        unsigned char kind;
    } words[] = {{"cuda", TN_CLEAN_TOOLKIT}, {"toolkit", TN_CLEAN_TOOLKIT}, {"toolkits", TN_CLEAN_TOOLKIT},
                 {"cudnn", TN_CLEAN_CUDNN},  {"wheel", TN_CLEAN_WHEEL},     {"wheels", TN_CLEAN_WHEEL},
                 {"conda", TN_CLEAN_CONDA},  {"env", TN_CLEAN_ENV},         {"envs", TN_CLEAN_ENV},
                 {"cache", TN_CLEAN_CACHE},  {"caches", TN_CLEAN_CACHE}};
    for (unsigned i = 0; i < TN_LEN(words); i++)
        if (strcmp(word, words[i].word) == 0) {
            *ret = (enum tn_clean_kind)words[i].kind;
            return true;
        }
    return false;
}

/* "11.6" means 11.6.2, not 11.60. */
static bool is_version(const char *wish, const char *version)
{
    size_t n = strlen(wish);
    return tn_is_digit(*wish) && strncmp(version, wish, n) == 0 && (version[n] == 0 || version[n] == '.');
}

static bool is_meant(const struct tn_clean *c, const struct tn_clean_item *i, const char *word)
{
    const struct tn_rec_stock *r = i->r;
    if (tn_path_is_abs(tn_snap_style(c->s), word))
        return tn_known(r->path) && tn_path_same(tn_snap_style(c->s), r->path.v, word);
    return (tn_known(r->version) && is_version(word, r->version.v)) ||
           (i->kind != TN_CLEAN_TOOLKIT && tn_says(r->name, word));
}

/* A word of a kind, with or without words behind it that narrow it; or a path, a name by itself. */
static void choose(struct tn_clean *c, const struct tn_clean_wish *w, const char **ret_bad)
{
    *ret_bad = NULL;
    for (size_t i = 0; i < c->n; i++)
        c->item[i].asked = w->n == 0;
    for (unsigned at = 0; at < w->n;) {
        enum tn_clean_kind kind = TN_CLEAN_KINDS, other;
        const char *word = w->word[at];
        if (kind_of(word, &kind))
            at++;
        unsigned from = at, hits = 0;
        while (at < w->n && !kind_of(w->word[at], &other)) {
            hits = 0;
            for (size_t i = 0; i < c->n; i++)
                if ((kind == TN_CLEAN_KINDS || c->item[i].kind == kind) && is_meant(c, &c->item[i], w->word[at])) {
                    c->item[i].asked = c->item[i].by_itself = true;
                    hits++;
                }
            if (!hits && !*ret_bad)
                *ret_bad = w->word[at];
            at++;
        }
        for (size_t i = 0; at == from && i < c->n; i++)
            if (c->item[i].kind == kind)
                c->item[i].asked = true;
    }
}

static bool uses(enum tn_clean_use u)
{
    return u == TN_CLEAN_LOADS || u == TN_CLEAN_RUNS || u == TN_CLEAN_REQUIRES || u == TN_CLEAN_HELD ||
           u == TN_CLEAN_REQUESTED;
}

/* Of an environment, or of any. */
static bool env_is_unclear(const struct tn_clean *c, struct tn_str env)
{
    return tn_known(env) ? tn_keys_has(&c->index->unclear, env.v) : c->index->unclear.n > 0;
}

bool tn_clean_is_stored(const struct tn_rec_stock *r)
{
    return tn_says(r->kind, "conda") && r->held_by.k == TN_KNOWN;
}

/* No environment that is known here lists it; but files of it have other names. */
static bool is_linked(const struct tn_rec_stock *r)
{
    return r->bytes.k != TN_KNOWN || r->freed_bytes.k != TN_KNOWN || r->freed_bytes.v < r->bytes.v;
}

static enum tn_clean_state state_of(const struct tn_clean *c, const struct tn_clean_item *i)
{
    const struct tn_rec_stock *r = i->r;
    bool stored = tn_clean_is_stored(r), code = i->kind != TN_CLEAN_ENV && i->kind != TN_CLEAN_CACHE && !stored;
    for (size_t u = 0; u < i->n_user; u++)
        if (uses(i->user[u].use))
            return TN_CLEAN_USED;
    if (r->by.k != TN_KNOWN && r->by.k != TN_ABSENT)
        return TN_CLEAN_UNCLEAR;
    if (code &&
        env_is_unclear(c, i->kind == TN_CLEAN_TOOLKIT || i->kind == TN_CLEAN_CUDNN ? (struct tn_str){0} : r->env))
        return TN_CLEAN_UNCLEAR;
    if (stored && is_linked(r))
        return TN_CLEAN_UNCLEAR;
    if (!stored && (i->kind == TN_CLEAN_WHEEL || i->kind == TN_CLEAN_CONDA) &&
        (r->wanted_by.k != TN_KNOWN || r->requested.k != TN_KNOWN))
        return TN_CLEAN_UNCLEAR;
    bool mounted = r->mounts.k == TN_KNOWN && r->mounts.n;
    if (mounted ||
        (i->how == TN_CLEAN_ASIDE && (!tn_is(r->n_foreign, 0) || (r->unreadable.k == TN_KNOWN && r->unreadable.v))))
        return TN_CLEAN_FOREIGN;
    return i->n_user ? TN_CLEAN_NAMED : TN_CLEAN_FREE;
}

bool tn_clean_goes(const struct tn_clean_item *i)
{
    return i->asked && (i->state == TN_CLEAN_FREE || (i->state == TN_CLEAN_NAMED && i->by_itself));
}

uint64_t tn_clean_bytes(const struct tn_clean_item *i)
{
    struct tn_int b = i->r->freed_bytes.k == TN_KNOWN ? i->r->freed_bytes : i->r->bytes;
    return b.k == TN_KNOWN && b.v > 0 ? (uint64_t)b.v : 0;
}

static int by_kind(const void *a, const void *b)
{
    const struct tn_clean_item *x = a, *y = b;
    int c = (int)x->kind - (int)y->kind;
    c = c ? c : strcmp(tn_known(x->r->path) ? x->r->path.v : "", tn_known(y->r->path) ? y->r->path.v : "");
    return c ? c : x->row < y->row ? -1 : x->row > y->row;
}

static bool kind_at(const struct tn_rec_stock *r, enum tn_clean_kind *ret)
{
    for (unsigned k = 0; k < TN_CLEAN_KINDS; k++)
        if (tn_says(r->kind, tn_clean_kind_word((enum tn_clean_kind)k))) {
            *ret = (enum tn_clean_kind)k;
            return true;
        }
    return false;
}

void tn_clean_make(struct tn_clean *c, const struct tn_clean_wish *wish, const char **ret_bad)
{
    const struct tn_snap *s = c->s;
    c->item = tn_arena_array(c->mem, s->stock.n + 1, sizeof *c->item);
    c->n = 0;
    c->can_go = 0;
    tn_clean_index(c);
    c->unclear_env = c->index->unclear.n > 0;
    for (size_t i = 0; i < s->stock.n; i++) {
        struct tn_clean_item *x = &c->item[c->n];
        memset(x, 0, sizeof *x);
        x->row = i;
        x->r = &s->stock.v[i];
        bool code = kind_at(x->r, &x->kind) && (x->kind == TN_CLEAN_WHEEL || x->kind == TN_CLEAN_CONDA);
        if (kind_at(x->r, &x->kind) && tn_known(x->r->path) &&
            !(code && tn_known(x->r->env) && tn_keys_has(&c->index->broken, x->r->env.v)))
            c->n++;
    }
    if (c->n > 1)
        qsort(c->item, c->n, sizeof *c->item, by_kind);
    for (size_t i = 0; i < c->n; i++) {
        tn_clean_users(c, &c->item[i]);
        tn_clean_remove(c, &c->item[i]);
        c->item[i].state = state_of(c, &c->item[i]);
    }
    choose(c, wish, ret_bad);
    for (size_t i = 0; i < c->n; i++)
        if (tn_clean_goes(&c->item[i]))
            c->can_go += tn_clean_bytes(&c->item[i]);
}
