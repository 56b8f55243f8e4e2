/* find_json.c - the copies of a file as JSON (json_contract.md, command find). */
#include <string.h>

#include "report/find.h"
#include "snapshot/json.h"

static json_t *text(struct tn_str f)
{
    return tn_known(f) ? tn_json_text(f.v) : json_null();
}

static json_t *number(struct tn_int f)
{
    return f.k == TN_KNOWN ? json_integer(f.v) : json_null();
}

static json_t *yes_no(struct tn_int f)
{
    return f.k == TN_KNOWN ? json_boolean(f.v != 0) : json_null();
}

static json_t *copy(const struct tn_find *f, size_t row)
{
    const struct tn_snap *s = f->judge->s;
    const struct tn_rec_library *l = &s->library.v[row];
    json_t *o = json_object(), *links = json_array(), *by = json_array(), *shadowed = json_array();
    tn_json_set(o, "path", text(l->path));
    tn_json_set(o, "version", text(l->version));
    tn_json_set(o, "bytes", number(l->bytes));
    tn_json_set(o, "owner", text(l->owner));
    for (size_t i = 0; i < f->n_env; i++) {
        struct tn_takes_answer a;
        tn_check_takes(&f->env[i], row, &a);
        if (a.how == TN_TAKES_YES && a.by)
            tn_json_append(by, text(f->env[i].env->path));
        if (a.how == TN_TAKES_SHADOWED && a.by && a.first < s->library.n) {
            json_t *x = json_object();
            tn_json_set(x, "environment", text(f->env[i].env->path));
            tn_json_set(x, "by", text(s->library.v[a.first].path));
            tn_json_append(shadowed, x);
        }
    }
    tn_json_set(o, "loaded_by", by);
    tn_json_set(o, "shadowed_for", shadowed);
    tn_json_set(o, "kind", l->kind.k == TN_ABSENT ? json_string("dangling") : text(l->kind));
    tn_json_set(o, "soname", text(l->soname));
    for (size_t i = 0; l->links.k == TN_KNOWN && i < l->links.n; i++)
        tn_json_append(links, tn_json_text(l->links.v[i]));
    tn_json_set(o, "links", links);
    const struct tn_rec_env *e = tn_known(l->env) ? tn_snap_env(s, l->env.v) : NULL;
    tn_json_set(o, "environment", e ? text(e->path) : json_null());
    tn_json_set(o, "on_search_path", yes_no(l->reachable));
    return o;
}

static json_t *searched(const struct tn_snap *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->mount.n; i++) {
        json_t *o = json_object();
        tn_json_set(o, "path", text(s->mount.v[i].path));
        tn_json_set(o, "type", text(s->mount.v[i].type));
        tn_json_set(o, "state", text(s->mount.v[i].state));
        tn_json_set(o, "folders", number(s->mount.v[i].folders));
        tn_json_set(o, "unreadable", number(s->mount.v[i].unreadable));
        tn_json_append(list, o);
    }
    return list;
}

void tn_find_json(const struct tn_find *f, struct tn_buf *ret)
{
    tn_json_seed();
    json_t *top = json_object(), *copies = json_array(), *env = json_null();
    enum tn_find_result r = tn_find_result(f);
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string("find"));
    tn_json_set(top, "asked", tn_json_text(f->wanted->text));
    for (size_t i = 0; i < f->n; i++)
        tn_json_append(copies, copy(f, f->row[i]));
    tn_json_set(top, "copies", copies);
    if (f->judge->env) {
        env = json_object();
        tn_json_set(env, "path", text(f->judge->env->path));
        tn_json_set(env, "uses", r == TN_FIND_UNCLEAR ? json_null() : json_boolean(r == TN_FIND_USED));
        tn_json_set(env, "searches_path",
                    tn_snap_style(f->judge->s) == TN_PATH_WINDOWS ? json_boolean(!tn_check_is_store(f->judge))
                                                                  : json_null());
    }
    tn_json_set(top, "environment", env);
    tn_json_set(top, "searched", searched(f->judge->s));
    tn_json_dump(ret, top, 1);
    tn_buf_ch(ret, '\n');
    json_decref(top);
}
