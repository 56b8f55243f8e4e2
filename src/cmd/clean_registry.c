/* clean_registry.c - see clean_settings.h: the environment that Windows gives to new programs, of the user and of the
 * machine, as far as it leads to what goes.
 *
 * Values are read byte for byte, shown before and after, and written by the transaction (apply/tx.h). */
#include <string.h>

#include "base/str.h"
#include "cmd/clean_settings.h"
#include "os/change.h"

#define MAX_NAMES 64u

struct environment {
    struct tn_cmd_ctx *c;
    struct tn_clean_settings *ret;
    const char *folder[32], *name[MAX_NAMES]; /* that go */
    struct tn_setting_goes goes;
    size_t cap;
};

static void folders(struct environment *x, const struct tn_clean *k)
{
    for (size_t i = 0; i < k->n && x->goes.n_folder < TN_LEN(x->folder); i++)
        if (tn_clean_goes(&k->item[i]) && k->item[i].kind == TN_CLEAN_TOOLKIT)
            x->folder[x->goes.n_folder++] = k->item[i].r->path.v;
    x->goes.folder = x->folder;
    x->goes.name = x->name;
}

/* Path is there always, if empty. */
static bool is_path(const char *name)
{
    return tn_str_ieq(name, "Path");
}

static void add(struct environment *x, const char *key, const char *name, const struct tn_os_reg_raw *raw,
                const struct tn_setting *is)
{
    struct tn_clean_settings *r = x->ret;
    r->file = tn_arena_grow(x->c->mem, r->file, r->n, &x->cap, sizeof *r->file);
    struct tn_setting_file *f = &r->file[r->n++];
    *f = (struct tn_setting_file){.path = tn_arena_printf(x->c->mem, "%s\\%s", key, name),
                                  .at = tn_arena_strdup(x->c->mem, name),
                                  .key = key,
                                  .was = tn_span_of(raw->p, raw->n),
                                  .left = tn_os_reg_may_set(key) ? TN_SETTING_DONE : TN_SETTING_ADMIN,
                                  .is = *is};
    if (f->is.empty && is_path(name)) {
        f->is.empty = false;
        f->is.line->after = "";
    }
}

/* note: only the names of variables that go whole. */
static void look(struct environment *x, const char *key, bool note)
{
    struct tn_os_entry *e = NULL;
    size_t n = 0;
    if (tn_os_reg_list(key, x->c->mem, &e, &n, NULL))
        return;
    for (size_t i = 0; i < n; i++) {
        struct tn_os_reg_raw raw;
        struct tn_setting is;
        if (e[i].type != 'f' || tn_os_reg_get(key, e[i].name, x->c->mem, &raw, NULL))
            continue;
        const char *text = tn_os_reg_text(x->c->mem, &raw);
        if (!text || !tn_setting_variable(x->c->mem, tn_span_of(text, strlen(text)), &x->goes, &is))
            continue;
        if (!note)
            add(x, key, e[i].name, &raw, &is);
        else if (is.empty && !is_path(e[i].name) && x->goes.n_name < MAX_NAMES)
            x->name[x->goes.n_name++] = e[i].name;
    }
}

void tn_clean_registry(struct tn_cmd_ctx *c, const struct tn_clean *k, struct tn_clean_settings *ret)
{
    static const char *const keys[] = {"HKCU\\Environment",
                                       "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"};
    struct environment *x = tn_arena_alloc(c->mem, sizeof *x);
    memset(x, 0, sizeof *x);
    x->c = c;
    x->ret = ret;
    folders(x, k);
    for (unsigned i = 0; x->goes.n_folder && i < 2 * TN_LEN(keys); i++)
        look(x, keys[i % TN_LEN(keys)], i < TN_LEN(keys));
}

int tn_clean_registry_do(struct tn_cmd_ctx *c, struct tn_tx *t, const struct tn_setting_file *f, struct tn_err *err)
{
    struct tn_tx_value v = {.key = f->key, .name = f->at};
    int rc = tn_os_reg_get(f->key, f->at, c->mem, &v.before, err);
    if (!rc && (!v.before.there || v.before.n != f->was.n || memcmp(v.before.p, f->was.p, f->was.n) != 0))
        rc = tn_err_set(err, TN_E_EXISTS, f->path, "it was changed meanwhile");
    if (!rc && !f->is.empty)
        v.after = tn_os_reg_with(c->mem, &v.before, f->is.text);
    return rc ? rc : tn_tx_value(t, &v, err);
}
