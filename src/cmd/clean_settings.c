/* clean_settings.c - see clean_settings.h.
 *
 * Invariant: a file is changed only where it lies in a folder of the user who asks (or of root), is regular and is
 * reached without a link of its own name; it is read once to be shown and once more to be changed, and has to be the
 * same. A link goes only where it leads to what goes in one step: others are somebody's alternatives. */
#include "cmd/clean_settings.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "os/change.h"

struct looking {
    struct tn_cmd_ctx *c;
    const struct tn_clean *k;
    struct tn_clean_settings *ret;
    const char *root;
    const char **folder; /* that goes, and links to it */
    size_t n, cap, cap_file, cap_link;
};

int tn_clean_root(struct tn_cmd_ctx *c, const char **ret)
{
    struct tn_buf real;
    struct tn_err err;
    *ret = "";
    if (!tn_opt_on(c, TN_OPT_ROOT))
        return 0;
    tn_buf_init(&real);
    int rc = tn_os_realpath(tn_opt_value(c, TN_OPT_ROOT), &real, &err);
    if (!rc)
        *ret = strcmp(real.p, "/") == 0 ? "" : tn_arena_strdup(c->mem, real.p);
    tn_buf_deinit(&real);
    return rc ? tn_cmd_fail(c, &err) : 0;
}

static void push(struct looking *x, const char *path)
{
    x->folder = tn_arena_grow(x->c->mem, (void *)x->folder, x->n, &x->cap, sizeof *x->folder);
    x->folder[x->n++] = path;
}

/* Does the link lead straight there? */
static bool is_straight(struct looking *x, const char *link, const char *to)
{
    struct tn_buf target;
    tn_buf_init(&target);
    const char *at = tn_arena_printf(x->c->mem, "%s%s", x->root, link);
    bool ok = tn_os_readlink(NULL, at, &target, NULL) == 0;
    if (ok) {
        const char *dir = tn_path_dir(x->c->mem, TN_PATH_POSIX, link);
        const char *all = tn_path_join(x->c->mem, TN_PATH_POSIX, dir, target.p);
        ok = tn_path_same(TN_PATH_POSIX, tn_path_norm(x->c->mem, TN_PATH_POSIX, all), to);
    }
    tn_buf_deinit(&target);
    return ok;
}

/* The folders that go, and the links to them. */
static void targets(struct looking *x)
{
    for (size_t i = 0; i < x->k->n; i++) {
        const struct tn_clean_item *it = &x->k->item[i];
        if (!tn_clean_goes(it) || it->how != TN_CLEAN_ASIDE ||
            (it->kind != TN_CLEAN_TOOLKIT && it->kind != TN_CLEAN_ENV))
            continue;
        push(x, it->r->path.v);
        for (size_t u = 0; u < it->n_user; u++) {
            const char *link = it->user[u].text;
            if (it->user[u].use != TN_CLEAN_LINK || !link)
                continue;
            push(x, link);
            if (!is_straight(x, link, it->r->path.v))
                continue;
            x->ret->link =
                tn_arena_grow(x->c->mem, (void *)x->ret->link, x->ret->n_link, &x->cap_link, sizeof *x->ret->link);
            x->ret->link[x->ret->n_link++] = link;
        }
    }
}

/* The folder of the file, and the file's name in it, without links above it and inside the root. */
static const char *place(struct looking *x, const char *file, const char **ret_name)
{
    struct tn_buf real;
    const char *dir = tn_arena_printf(x->c->mem, "%s%s", x->root, tn_path_dir(x->c->mem, TN_PATH_POSIX, file));
    tn_buf_init(&real);
    *ret_name = tn_path_base(TN_PATH_POSIX, file);
    bool ok = tn_os_realpath(dir, &real, NULL) == 0 && (!*x->root || tn_path_under(TN_PATH_POSIX, real.p, x->root));
    dir = ok ? tn_arena_strdup(x->c->mem, real.p) : NULL;
    tn_buf_deinit(&real);
    return dir;
}

/* May it be changed by who asks? */
static bool is_own(const char *dir)
{
    struct tn_os_stat st;
    struct tn_os_sys sys;
    struct tn_arena mem;
    tn_arena_init(&mem);
    tn_os_sys(&mem, &sys);
    tn_arena_deinit(&mem);
    return tn_os_stat(NULL, dir, false, &st, NULL) == 0 && (sys.root || st.uid == sys.uid);
}

static enum tn_setting_left read_file(struct tn_arena *mem, const char *path, struct tn_span *ret)
{
    struct tn_os_dir *d;
    struct tn_os_stat st;
    struct tn_buf b;
    const char *name = tn_path_base(TN_PATH_POSIX, path);
    if (tn_os_dir_open(tn_path_dir(mem, TN_PATH_POSIX, path), &d, NULL))
        return TN_SETTING_OTHERS;
    tn_buf_init(&b);
    int rc = tn_os_dir_stat(d, name, &st, NULL);
    bool link = !rc && st.type != 'f';
    if (!rc && !link)
        rc = st.size > TN_MAX_SMALL_FILE ? TN_E_LIMIT : tn_os_dir_read(d, name, TN_MAX_SMALL_FILE, &b, NULL);
    if (!rc && !link)
        *ret = tn_span_of(tn_arena_memdup(mem, b.p ? b.p : "", b.n), b.n);
    tn_buf_deinit(&b);
    tn_os_dir_close(d);
    return link ? TN_SETTING_LINK : rc ? TN_SETTING_UNREAD : TN_SETTING_DONE;
}

static void look(struct looking *x, const struct tn_rec_mention *m)
{
    enum tn_setting_kind kind = TN_SETTING_SHELL;
    struct tn_clean_settings *ret = x->ret;
    const char *name;
    ret->file = tn_arena_grow(x->c->mem, ret->file, ret->n, &x->cap_file, sizeof *ret->file);
    struct tn_setting_file *f = &ret->file[ret->n++];
    memset(f, 0, sizeof *f);
    f->path = m->file.v;
    f->line = m->line.k == TN_KNOWN && m->line.v > 0 ? (unsigned)m->line.v : 0;
    const char *dir = place(x, f->path, &name);
    f->at = dir ? tn_path_join(x->c->mem, TN_PATH_POSIX, dir, name) : NULL;
    if (!tn_setting_kind_of(m->by.v, f->path, &kind))
        f->left = TN_SETTING_UNKNOWN;
    else if (!dir)
        f->left = TN_SETTING_LINK;
    else if (!is_own(dir))
        f->left = TN_SETTING_OTHERS;
    else
        f->left = read_file(x->c->mem, f->at, &f->was);
    if (f->left != TN_SETTING_DONE)
        return;
    tn_setting_make(x->c->mem, kind, f->was, x->folder, x->n, &f->is);
    f->loader = kind == TN_SETTING_LOADER;
    f->left = f->is.n_changed ? TN_SETTING_DONE : TN_SETTING_LINES;
}

void tn_clean_settings(struct tn_cmd_ctx *c, struct tn_clean_report *r, const char *root)
{
    struct tn_clean_settings *ret = tn_arena_alloc(c->mem, sizeof *ret);
    struct looking x = {.c = c, .k = r->clean, .ret = ret, .root = root};
    const struct tn_snap *s = r->clean->s;
    memset(ret, 0, sizeof *ret);
    r->settings = ret;
    if (tn_snap_style(s) == TN_PATH_WINDOWS) {
        tn_clean_registry(c, r->clean, ret);
        return;
    }
    targets(&x);
    for (size_t i = 0; x.n && i < s->mention.n; i++) {
        const struct tn_rec_mention *m = &s->mention.v[i];
        bool again = !tn_known(m->file) || !tn_known(m->leads_to) || !tn_known(m->by) ||
                     (!tn_says(m->by, "shell") && !tn_says(m->by, "ld.so.conf"));
        for (size_t k = 0; !again && k < ret->n; k++)
            again = tn_says(m->file, ret->file[k].path);
        bool ours = false;
        for (size_t k = 0; !again && k < x.n && !ours; k++)
            ours = tn_says(m->leads_to, x.folder[k]);
        if (ours)
            look(&x, m);
    }
}

int tn_clean_setting_do(struct tn_cmd_ctx *c, struct tn_tx *t, const struct tn_setting_file *f, struct tn_err *err)
{
    struct tn_span now = {NULL, 0};
    if (f->key)
        return tn_clean_registry_do(c, t, f, err);
    if (read_file(c->mem, f->at, &now) != TN_SETTING_DONE || now.n != f->was.n ||
        (now.n && memcmp(now.p, f->was.p, now.n) != 0))
        return tn_err_set(err, TN_E_EXISTS, f->at, "it was changed meanwhile");
    return f->is.empty ? tn_tx_away(t, f->at, err) : tn_tx_edit(t, f->at, f->is.text, f->is.size, err);
}
