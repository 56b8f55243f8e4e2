/* remove.c - how an item is removed: by the command of what keeps it, or moved aside.
 *
 * Invariant: a command removes what it names and nothing else: packages by their names, never by a pattern; the
 * packages of the driver are marked as wanted before the toolkit's go, since a package manager that removes what nobody
 * asks for any more would take them along (apt-get(8) autoremove, apt-mark(8)). Sources: apt-get(8); dnf(8)
 * --noautoremove; zypper(8); pacman(8) -R; CUDA Installation Guide for Linux; pip cache, uv cache prune, conda clean.
 */
#include <string.h>

#include "base/str.h"
#include "clean/index.h"
#include "clean/clean.h"

struct line {
    struct tn_buf b;
    bool bad;
};

static void word(struct line *l, const char *w)
{
    if (l->b.n)
        tn_buf_ch(&l->b, ' ');
    l->bad |= !tn_shell_quote(&l->b, TN_SHELL_SH, w);
}

static void words(struct line *l, const char *const *w)
{
    for (; *w; w++)
        word(l, *w);
}

static const char *finish(struct tn_clean *c, struct line *l)
{
    const char *s = l->bad || !l->b.n ? NULL : tn_arena_strdup(c->mem, l->b.p);
    tn_buf_deinit(&l->b);
    return s;
}

static void begin(const struct tn_clean *c, struct line *l, bool root)
{
    memset(l, 0, sizeof *l);
    tn_buf_init(&l->b);
    if (root && !tn_is(TN_THE(c->s, host)->root, 1))
        word(l, "sudo");
}

/* Removes packages of the system. */
static const char *const *manager(const struct tn_clean *c, const char *by)
{
    static const char *const apt[] = {"apt-get", "remove", NULL},
                             *const dnf[] = {"dnf", "remove", "--noautoremove", NULL},
                             *const zypper[] = {"zypper", "remove", NULL}, *const pacman[] = {"pacman", "-R", NULL};
    const struct tn_rec_host *h = TN_THE(c->s, host);
    if (strcmp(by, "dpkg") == 0 || strcmp(by, "debian") == 0)
        return apt;
    if (strcmp(by, "pacman") == 0)
        return pacman;
    bool suse = tn_known(h->distro) && (strstr(h->distro.v, "suse") || tn_str_starts(h->distro.v, "sle"));
    return strcmp(by, "rpm") != 0 ? NULL : suse ? zypper : dnf;
}

/* Packages that bring the driver along and that the toolkit's own packages may have brought. */
bool tn_clean_keeps_driver(const struct tn_rec_package *p)
{
    static const char *const heads[] = {"cuda-drivers",    "nvidia-driver", "nvidia-open", "nvidia-dkms",
                                        "nvidia-headless", "nvidia-kernel", NULL};
    if (!tn_known(p->name) || !tn_says(p->state, "installed"))
        return false;
    for (unsigned i = 0; heads[i]; i++)
        if (tn_str_starts(p->name.v, heads[i]))
            return true;
    return false;
}

static void of_system(struct tn_clean *c, struct tn_clean_item *i, const char *by)
{
    static const char *const mark[] = {"apt-mark", "manual", NULL};
    const char *const *remove = manager(c, by);
    const struct tn_rec_stock *r = i->r;
    struct line l;
    if (!remove)
        return;
    begin(c, &l, true);
    words(&l, remove);
    size_t n = 0;
    for (; r->packages.k == TN_KNOWN && n < r->packages.n; n++)
        word(&l, r->packages.v[n]);
    if (n == 0 && strcmp(by, "debian") == 0)
        word(&l, "nvidia-cuda-toolkit"), n++;
    l.bad |= n == 0;
    i->command = finish(c, &l);
    if (remove != manager(c, "dpkg") || i->kind != TN_CLEAN_TOOLKIT)
        return;
    begin(c, &l, true);
    words(&l, mark);
    n = 0;
    for (size_t p = 0; p < c->s->package.n; p++)
        if (tn_clean_keeps_driver(&c->s->package.v[p]))
            word(&l, c->s->package.v[p].name.v), n++;
    l.bad |= n == 0;
    i->before = finish(c, &l);
}

static void of_env(struct tn_clean *c, struct tn_clean_item *i, const char *by)
{
    static const char *const pip[] = {"-m", "pip", "uninstall", NULL}, *const uv[] = {"uv", "pip", "uninstall",
                                                                                      "--python", NULL};
    const struct tn_rec_env *e = tn_clean_env(c, i->r->env);
    struct line l;
    if (!e || !tn_known(e->path) || (!tn_known(i->r->name) && i->kind != TN_CLEAN_ENV))
        return;
    begin(c, &l, false);
    if (strcmp(by, "conda") == 0) {
        static const char *const tools[] = {"mamba", "micromamba", NULL};
        word(&l, tn_known(e->tool) && tn_str_in(e->tool.v, tools) ? e->tool.v : "conda");
        word(&l, "remove");
        word(&l, "--prefix");
        word(&l, e->path.v);
        word(&l, i->kind == TN_CLEAN_ENV ? "--all" : i->r->name.v);
    } else if (!tn_known(e->interpreter)) {
        l.bad = true;
    } else {
        if (strcmp(by, "uv") == 0) {
            words(&l, uv);
            word(&l, e->interpreter.v);
        } else {
            word(&l, e->interpreter.v);
            words(&l, pip);
        }
        word(&l, i->r->name.v);
    }
    i->command = finish(c, &l);
}

/* What no environment links to goes by one command. */
static void of_store(struct tn_clean *c, struct tn_clean_item *i)
{
    static const char *const conda[] = {"conda", "clean", "--packages", NULL};
    struct line l;
    begin(c, &l, false);
    words(&l, conda);
    i->command = finish(c, &l);
}

static void of_tool(struct tn_clean *c, struct tn_clean_item *i)
{
    static const char *const pip[] = {"pip", "cache", "purge", "--cache-dir", NULL},
                             *const uv[] = {"uv", "cache", "clean", "--cache-dir", NULL},
                             *const conda[] = {"conda", "clean", "--packages", "--tarballs", NULL};
    struct line l;
    begin(c, &l, false);
    if (tn_says(i->r->name, "conda")) {
        words(&l, conda);
    } else {
        words(&l, tn_says(i->r->name, "uv") ? uv : pip);
        word(&l, i->r->path.v);
    }
    i->command = finish(c, &l);
}

/* Parts of a toolkit, each by the command of its own entry, in cmd; the one that was installed last goes first. */
static void of_nvidia(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_list u = i->r->uninstall;
    for (size_t k = 0; u.k == TN_KNOWN && k < u.n; k++)
        i->command = i->command ? tn_arena_printf(c->mem, "%s & %s", u.v[k], i->command) : u.v[k];
}

void tn_clean_remove(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_rec_stock *r = i->r;
    const char *by = tn_known(r->by) ? r->by.v : "";
    i->how = TN_CLEAN_COMMAND;
    if (i->kind == TN_CLEAN_CACHE && tn_says(r->by, "tool"))
        of_tool(c, i);
    else if (tn_clean_is_stored(r))
        of_store(c, i);
    else if (i->kind == TN_CLEAN_ENV && tn_says(r->name, "conda"))
        of_env(c, i, "conda");
    else if (i->kind == TN_CLEAN_WHEEL || i->kind == TN_CLEAN_CONDA)
        of_env(c, i, by);
    else if (strcmp(by, "nvidia") == 0)
        of_nvidia(c, i);
    else if (manager(c, by))
        of_system(c, i, by);
    else if (r->by.k == TN_ABSENT || strcmp(by, "runfile") == 0)
        i->how = TN_CLEAN_ASIDE;
    else
        i->how = TN_CLEAN_BY_HAND;
    if (i->how == TN_CLEAN_COMMAND && !i->command)
        i->how = TN_CLEAN_BY_HAND;
}

const char *tn_clean_driver_command(struct tn_arena *mem, const struct tn_snap *s, const char **ret_names)
{
    struct tn_clean c = {.mem = mem, .s = s};
    const char *const *remove = NULL;
    struct line l;
    size_t n = 0;
    *ret_names = "";
    begin(&c, &l, true);
    for (size_t i = 0; i < s->package.n; i++) {
        const struct tn_rec_package *p = &s->package.v[i];
        if (!tn_is(p->driver, 1) || !tn_says(p->state, "installed") || !tn_known(p->name) || !tn_known(p->manager))
            continue;
        if (!remove) {
            if ((remove = manager(&c, p->manager.v)) == NULL)
                break;
            words(&l, remove);
        }
        word(&l, p->name.v);
        *ret_names = tn_arena_printf(mem, "%s%s%s", *ret_names, n++ ? ", " : "", p->name.v);
    }
    l.bad |= n == 0;
    return finish(&c, &l);
}
