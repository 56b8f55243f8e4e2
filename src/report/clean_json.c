/* clean_json.c - see clean.h: every item that was asked for, none folded.
 *
 * {schema_version, command: "clean", status: survey|done|nothing, id, steps [{what, outcome, aside}], changed [path],
 * bytes, items [{kind, name, version, path, environment, bytes, bytes_freed, state: free|named|used|foreign|unclear,
 * goes, used_by [{use, environment, framework, file, text, path, number}], reason, kept_by, packages, damage, foreign,
 * foreign_count, mounts, removal {how: aside|command|by_hand, command, before}}], settings [{file, left, goes, lines
 * [{line, before, after, stays}]}], packages [{path, simulation,
 * in_the_way, removes, done}], links, bytes_doubled, driver} */
#include <string.h>

#include "report/clean.h"
#include "snapshot/json.h"

static json_t *text(const char *s)
{
    return s && *s ? tn_json_text(s) : json_null();
}

static json_t *fact(struct tn_str f)
{
    return tn_known(f) ? tn_json_text(f.v) : json_null();
}

static json_t *number(struct tn_int f)
{
    return f.k == TN_KNOWN ? json_integer(f.v) : json_null();
}

static json_t *list(struct tn_list l)
{
    json_t *a = json_array();
    for (size_t i = 0; l.k == TN_KNOWN && i < l.n; i++)
        tn_json_append(a, tn_json_text(l.v[i]));
    return a;
}

static json_t *users(const struct tn_clean_item *i)
{
    json_t *a = json_array();
    for (size_t n = 0; n < i->n_user; n++) {
        const struct tn_clean_user *u = &i->user[n];
        json_t *o = json_object();
        tn_json_set(o, "use", json_string(tn_clean_use_word(u->use)));
        tn_json_set(o, "environment", u->env ? fact(u->env->path) : json_null());
        tn_json_set(o, "framework", u->load ? fact(u->load->framework) : json_null());
        tn_json_set(o, "file", u->load ? fact(u->load->name) : json_null());
        tn_json_set(o, "by", u->load ? fact(u->load->by) : json_null());
        tn_json_set(o, "text", text(u->text));
        tn_json_set(o, "path", u->load ? fact(u->load->path) : text(u->path));
        tn_json_set(o, "number", u->number < 0 ? json_null() : json_integer(u->number));
        tn_json_append(a, o);
    }
    return a;
}

static json_t *item(const struct tn_clean_report *r, const struct tn_clean_item *i)
{
    const struct tn_rec_stock *s = i->r;
    const struct tn_rec_env *e = tn_known(s->env) ? tn_snap_env(r->clean->s, s->env.v) : NULL;
    json_t *o = json_object(), *removal = json_object();
    tn_json_set(o, "kind", json_string(tn_clean_kind_word(i->kind)));
    tn_json_set(o, "name", fact(s->name));
    tn_json_set(o, "version", fact(s->version));
    tn_json_set(o, "path", fact(s->path));
    tn_json_set(o, "environment", e ? fact(e->path) : json_null());
    tn_json_set(o, "bytes", number(s->bytes));
    tn_json_set(o, "bytes_freed", number(s->freed_bytes));
    tn_json_set(o, "state", json_string(tn_clean_state_word(i->state)));
    tn_json_set(o, "goes", json_boolean(tn_clean_goes(i)));
    tn_json_set(o, "used_by", users(i));
    tn_json_set(o, "reason", text(tn_clean_reason(r, i)));
    tn_json_set(o, "kept_by", fact(s->by));
    tn_json_set(o, "packages", list(s->packages));
    tn_json_set(o, "damage", fact(s->damage));
    tn_json_set(o, "pieces", list(s->pieces));
    tn_json_set(o, "foreign", list(s->foreign));
    tn_json_set(o, "foreign_count", number(s->n_foreign));
    tn_json_set(o, "mounts", list(s->mounts));
    tn_json_set(removal, "how", json_string(tn_clean_how_word(i->how)));
    tn_json_set(removal, "before", text(i->before));
    tn_json_set(removal, "command", text(i->command));
    tn_json_set(o, "removal", removal);
    return o;
}

/* Lines that stay are not quoted: what they hold is nobody's business. */
static json_t *setting(const struct tn_setting_file *f)
{
    json_t *o = json_object(), *lines = json_array();
    tn_json_set(o, "file", tn_json_text(f->path));
    tn_json_set(o, "left", f->left == TN_SETTING_DONE ? json_null() : json_string(tn_setting_left_word(f->left)));
    tn_json_set(o, "goes", json_boolean(f->left == TN_SETTING_DONE && f->is.empty));
    for (size_t i = 0; i < f->is.n; i++) {
        const struct tn_setting_line *l = &f->is.line[i];
        json_t *one = json_object();
        tn_json_set(one, "line", json_integer(l->number));
        tn_json_set(one, "before", l->stays ? json_null() : tn_json_text(l->before));
        tn_json_set(one, "after", l->after ? tn_json_text(l->after) : json_null());
        tn_json_set(one, "stays", json_boolean(l->stays));
        tn_json_append(lines, one);
    }
    tn_json_set(o, "lines", lines);
    return o;
}

static json_t *settings(const struct tn_clean_report *r)
{
    json_t *a = json_array();
    for (size_t i = 0; r->settings && i < r->settings->n; i++)
        tn_json_append(a, setting(&r->settings->file[i]));
    return a;
}

static json_t *packages(const struct tn_clean_report *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->n_package; i++) {
        const struct tn_clean_package *p = &r->package[i];
        json_t *o = json_object(), *gone = json_array();
        for (size_t n = 0; n < p->n_gone; n++)
            tn_json_append(gone, tn_json_text(p->gone[n]));
        tn_json_set(o, "path", fact(p->item->r->path));
        tn_json_set(o, "simulation", json_string(tn_removal_word(p->kind)));
        tn_json_set(o, "in_the_way", text(p->package));
        tn_json_set(o, "removes", gone);
        tn_json_set(o, "done", json_boolean(p->done));
        tn_json_append(a, o);
    }
    return a;
}

static json_t *links(const struct tn_clean_report *r)
{
    json_t *a = json_array();
    for (size_t i = 0; r->settings && i < r->settings->n_link; i++)
        tn_json_append(a, tn_json_text(r->settings->link[i]));
    return a;
}

static bool any_package(const struct tn_clean_report *r)
{
    for (size_t i = 0; i < r->n_package; i++)
        if (r->package[i].done)
            return true;
    return false;
}

void tn_clean_json(const struct tn_clean_report *r, struct tn_buf *ret)
{
    const struct tn_clean *c = r->clean;
    const struct tn_rec_driver *d = TN_THE(c->s, driver);
    tn_json_seed();
    json_t *top = json_object(), *items = json_array();
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string("clean"));
    json_t *steps = json_array(), *changed = json_array();
    for (size_t i = 0; r->done && i < r->done->n; i++) {
        json_t *o = json_object();
        tn_json_set(o, "what", tn_json_text(r->done->path[i]));
        tn_json_set(o, "outcome", json_string(r->done->edited[i] ? "changed" : "aside"));
        tn_json_set(o, "aside", tn_json_text(r->done->aside[i]));
        tn_json_append(steps, o);
        tn_json_append(changed, tn_json_text(r->done->path[i]));
    }
    tn_json_set(top, "status", json_string(!r->done ? "survey" : r->done->n || any_package(r) ? "done" : "nothing"));
    tn_json_set(top, "id", r->done && r->done->n ? json_integer(r->done->id) : json_null());
    tn_json_set(top, "steps", steps);
    tn_json_set(top, "changed", changed);
    tn_json_set(top, "bytes", json_integer((json_int_t)c->can_go));
    for (size_t i = 0; i < c->n; i++)
        if (c->item[i].asked)
            tn_json_append(items, item(r, &c->item[i]));
    tn_json_set(top, "items", items);
    tn_json_set(top, "settings", settings(r));
    tn_json_set(top, "packages", packages(r));
    tn_json_set(top, "links", links(r));
    tn_json_set(top, "bytes_doubled", number(TN_THE(c->s, envs)->doubled_bytes));
    tn_json_set(top, "driver", fact(tn_known(d->version) ? d->version : d->library_version));
    tn_json_dump(ret, top, 1);
    tn_buf_ch(ret, '\n');
    json_decref(top);
}
