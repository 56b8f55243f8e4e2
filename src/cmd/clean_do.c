/* clean_do.c - see clean_do.h.
 *
 * Invariant: a path is moved only where it is without links the very path that was surveyed (so that --root DIR stays
 * in DIR), each by one rename of a transaction (apply/tx.h), which refuses what has something mounted in it; nothing is
 * deleted. What another tool keeps is left to its own command. */
#include <string.h>

#include "base/str.h"
#include "cmd/applied.h"
#include "cmd/clean_do.h"
#include "cmd/clean_settings.h"
#include "os/os.h"
#include "strings.gen.h"

#define MAX_STEPS 60u /* that a journal names */

struct doing {
    struct tn_cmd_ctx *c;
    const struct tn_clean_report *r;
    const char *root; /* without links; "" for this machine */
    const char **path;
    size_t n, cap;
    struct tn_clean_done *done;
};

static bool below(const char *path, const char *folder)
{
    return tn_path_under(TN_PATH_POSIX, path, folder);
}

/* Inside a folder that goes as a whole, or named already. */
static bool goes_with(const struct doing *d, const char *path)
{
    const struct tn_clean *k = d->r->clean;
    for (size_t i = 0; i < k->n; i++)
        if (tn_clean_goes(&k->item[i]) && k->item[i].how == TN_CLEAN_ASIDE && !k->item[i].r->pieces.n &&
            strcmp(path, k->item[i].r->path.v) != 0 && below(path, k->item[i].r->path.v))
            return true;
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->path[i] + strlen(d->root), path) == 0)
            return true;
    return false;
}

static void push(struct doing *d, const char *path)
{
    if (goes_with(d, path))
        return;
    d->path = tn_arena_grow(d->c->mem, (void *)d->path, d->n, &d->cap, sizeof *d->path);
    d->path[d->n++] = tn_arena_printf(d->c->mem, "%s%s", d->root, path);
}

static void collect(struct doing *d)
{
    const struct tn_clean *k = d->r->clean;
    for (size_t i = 0; i < k->n; i++) {
        const struct tn_rec_stock *s = k->item[i].r;
        if (!tn_clean_goes(&k->item[i]) || k->item[i].how != TN_CLEAN_ASIDE)
            continue;
        if (s->pieces.k != TN_KNOWN || !s->pieces.n)
            push(d, s->path.v);
        for (size_t p = 0; s->pieces.k == TN_KNOWN && p < s->pieces.n; p++)
            push(d, s->pieces.v[p]);
    }
    for (size_t i = 0; i < d->r->settings->n_link; i++)
        push(d, d->r->settings->link[i]);
}

/* A folder that was surveyed has no links above it; one that has some now leads elsewhere. */
static int stays_put(struct doing *d, const char *path, struct tn_err *err)
{
    struct tn_buf real;
    const char *dir = tn_path_dir(d->c->mem, TN_PATH_POSIX, path);
    tn_buf_init(&real);
    int rc = tn_os_realpath(dir, &real, err);
    if (!rc && strcmp(real.p, dir) != 0)
        rc = tn_err_set(err, TN_E_REFUSED, path, "a link leads there now");
    tn_buf_deinit(&real);
    return rc;
}

static int move_all(struct doing *d, struct tn_tx *t, struct tn_err *err)
{
    int rc = 0;
    for (size_t i = 0; i < d->n && !rc; i++) {
        rc = stays_put(d, d->path[i], err);
        if (!rc)
            rc = tn_tx_away(t, d->path[i], err);
        if (!rc && i < MAX_STEPS)
            rc = tn_tx_step(t, d->path[i], "aside", err);
        if (!rc && tn_os_interrupted())
            rc = tn_err_set(err, TN_E_INTERRUPTED, d->path[i], "interrupted");
    }
    for (size_t i = 0; i < d->r->settings->n && !rc; i++) {
        const struct tn_setting_file *f = &d->r->settings->file[i];
        if (f->left != TN_SETTING_DONE || !(d->n || f->key))
            continue;
        rc = tn_clean_setting_do(d->c, t, f, err);
        if (!rc)
            rc = tn_tx_step(t, f->path, f->is.empty ? "aside" : "changed", err);
    }
    return rc ? rc : tn_tx_commit(t, err);
}

static const char *goal(struct doing *d)
{
    const struct tn_clean *k = d->r->clean;
    const char *s = "clean";
    unsigned n = 0;
    for (size_t i = 0; i < k->n; i++)
        if (tn_clean_goes(&k->item[i]) && (k->item[i].how == TN_CLEAN_ASIDE || !d->n) && n++ < 4)
            s = tn_arena_printf(d->c->mem, "%s%s %s", s, n > 1 ? "," : "", k->item[i].r->path.v);
    return n > 4 ? tn_arena_printf(d->c->mem, "%s, ...", s) : s;
}

/* Where what went lies now. */
static void keep_names(struct doing *d, const struct tn_tx *t)
{
    const struct tn_tx_record *x = tn_tx_record_of(t);
    struct tn_clean_done *done = d->done;
    bool *edited = tn_arena_array(d->c->mem, x->n_item + 1, sizeof *edited);
    done->path = tn_arena_array(d->c->mem, x->n_item + 1, sizeof *done->path);
    done->aside = tn_arena_array(d->c->mem, x->n_item + 1, sizeof *done->aside);
    for (unsigned i = 0; i < x->n_item; i++) {
        done->path[i] = tn_path_join(d->c->mem, TN_PATH_POSIX, x->item[i].folder, x->item[i].name);
        done->aside[i] = tn_path_join(d->c->mem, TN_PATH_POSIX, x->item[i].folder, x->item[i].twin);
        edited[i] = x->item[i].how == TN_TX_EDIT;
    }
    done->edited = edited;
    done->n = x->n_item;
    done->n_value = x->n_value;
    done->id = tn_tx_id_of(t);
}

/* Values of the registry that change though nothing is moved: what removes the toolkit is another program. */
static size_t values(const struct tn_clean_report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->settings->n; i++)
        n += r->settings->file[i].key && r->settings->file[i].left == TN_SETTING_DONE;
    return n;
}

int tn_clean_do(struct tn_cmd_ctx *c, const struct tn_clean_report *r, struct tn_clean_done *ret)
{
    struct doing d = {.c = c, .r = r, .root = r->root, .done = ret};
    struct tn_state *s;
    struct tn_tx *t = NULL;
    struct tn_err err;
    int rc;
    memset(ret, 0, sizeof *ret);
    collect(&d);
    if (!d.n && !values(r))
        return 0;
    tn_os_interrupts_hold();
    if ((rc = tn_applied_open(c, &s)) != 0)
        return rc;
    rc = tn_tx_begin(s, "clean", goal(&d), &t, &err);
    if (!rc)
        rc = move_all(&d, t, &err);
    if (!rc)
        keep_names(&d, t);
    int status = rc ? tn_applied_fail(c, &err) : 0;
    if (t)
        tn_tx_end(t);
    tn_state_close(s);
    return status;
}
