/* record_write.c - a record as JSON. Keys of each object are in byte order: the same machine gives the same bytes. */
#include "world/record.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/str.h"

static json_t *bytes_json(struct tn_span s)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_base64_encode(&b, s);
    json_t *j = json_string(b.p);
    tn_buf_deinit(&b);
    return j;
}

static bool is_text(struct tn_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == 0 || (s.p[i] < 32 && !strchr("\t\n\r", s.p[i])))
            return false;
    return tn_utf8_valid((const char *)s.p, s.n);
}

static void put_text(json_t *o, const char *key, const char *s)
{
    if (s)
        json_object_set_new(o, key, json_string(s));
}

static void put_bytes(json_t *o, struct tn_span s)
{
    if (is_text(s))
        json_object_set_new(o, "text", json_stringn((const char *)s.p, s.n));
    else
        json_object_set_new(o, "base64", bytes_json(s));
}

static void put_name(json_t *list, const char *name)
{
    size_t n = strlen(name);
    if (tn_utf8_valid(name, n)) {
        json_array_append_new(list, json_string(name));
        return;
    }
    json_t *o = json_object();
    json_object_set_new(o, "bytes", bytes_json(tn_span_str(name)));
    json_array_append_new(list, o);
}

static void put_entries(json_t *o, const struct tn_node *n)
{
    json_t *list = json_object();
    for (size_t i = 0; i < n->n_child; i++) {
        char key[2] = {n->child[i]->type, 0};
        if (key[0] == '-')
            continue;
        json_t *names = json_object_get(list, key);
        if (!names)
            json_object_set_new(list, key, names = json_array());
        put_name(names, n->child[i]->name);
    }
    json_object_set_new(o, "list", list);
}

static void put_content(json_t *o, const struct tn_node *n)
{
    bool all = n->whole && n->n_part <= 1 && (n->n_part == 0 || n->part[0].off == 0);
    if (n->st.size && n->type != 'd' && !(all && n->n_part && n->part[0].bytes.n == n->st.size))
        json_object_set_new(o, "size", json_integer((json_int_t)n->st.size));
    if (n->n_part == 0 && !n->whole)
        return;
    if (all) {
        struct tn_span none = tn_span_of("", 0);
        put_bytes(o, n->n_part ? n->part[0].bytes : none);
        return;
    }
    json_t *parts = json_array();
    for (size_t i = 0; i < n->n_part; i++) {
        json_t *p = json_object();
        json_object_set_new(p, "at", json_integer((json_int_t)n->part[i].off));
        put_bytes(p, n->part[i].bytes);
        json_array_append_new(parts, p);
    }
    json_object_set_new(o, "parts", parts);
}

static json_t *node_json(const struct tn_node *n)
{
    json_t *o = json_object();
    if (n->type == '-')
        json_object_set_new(o, "absent", json_true());
    if (n->error != TN_UNASKED) {
        put_text(o, "error", tn_know_word(n->error));
        put_text(o, "note", n->note);
    }
    put_text(o, "link", n->link);
    if (n->listed)
        put_entries(o, n);
    else if (n->type == 'd')
        json_object_set_new(o, "dir", json_true());
    put_content(o, n);
    if (strchr("pscbo", n->type)) {
        char t[2] = {n->type, 0};
        put_text(o, "type", t);
    }
    if (n->has_stat) {
        struct tn_arena tmp;
        tn_arena_init(&tmp);
        put_text(o, "mode", tn_arena_printf(&tmp, "%04o", n->st.mode));
        tn_arena_deinit(&tmp);
        if (n->st.uid || n->st.gid) {
            json_object_set_new(o, "uid", json_integer(n->st.uid));
            json_object_set_new(o, "gid", json_integer(n->st.gid));
        }
        if (n->st.mtime > 0)
            json_object_set_new(o, "mtime", json_integer((json_int_t)n->st.mtime));
        if (n->st.atime > 0 && n->type == 'f')
            json_object_set_new(o, "atime", json_integer((json_int_t)n->st.atime));
        if (n->type == 'c' || n->type == 'b')
            json_object_set_new(o, "device", json_pack("[i,i]", (int)n->st.major, (int)n->st.minor));
        if (n->type == 'f' && !json_object_get(o, "size") && n->n_part == 0 && !n->whole)
            json_object_set_new(o, "size", json_integer((json_int_t)n->st.size)); /* 0 too: it makes it a file */
    }
    put_text(o, "from", n->from);
    return o;
}

/* Only nodes that say more than their parent's listing does. */
static bool worth(const struct tn_node *n)
{
    return n->type == '-' || n->error != TN_UNASKED || n->link || n->listed || n->n_part || n->whole || n->has_stat ||
           n->from || (n->type == 'd' && n->n_child == 0);
}

static void put_tree(json_t *files, json_t *odd, const struct tn_tree *t, const struct tn_node *n, const char *path,
                     unsigned depth)
{
    struct tn_arena tmp;
    if (depth > 250)
        return;
    if (worth(n) && (depth || n->listed)) {
        const char *key = *path ? path : "/";
        if (tn_utf8_valid(key, strlen(key))) {
            json_object_set_new(files, key, node_json(n));
        } else {
            json_t *o = node_json(n), *p = json_object();
            json_object_set_new(p, "bytes", bytes_json(tn_span_str(key)));
            json_object_set_new(o, "path", p);
            json_array_append_new(odd, o);
        }
    }
    tn_arena_init(&tmp);
    for (size_t i = 0; i < n->n_child; i++) {
        const char *sep = t->style == TN_PATH_WINDOWS ? (depth ? "\\" : "") : "/";
        put_tree(files, odd, t, n->child[i], tn_arena_printf(&tmp, "%s%s%s", path, sep, n->child[i]->name), depth + 1);
    }
    tn_arena_deinit(&tmp);
}

static void put_reg(json_t *reg, const struct tn_node *n, const char *path, unsigned depth)
{
    struct tn_arena tmp;
    json_t *values = json_object();
    if (depth > 64)
        return;
    tn_arena_init(&tmp);
    for (size_t i = 0; i < n->n_child; i++) {
        const struct tn_node *c = n->child[i];
        if (c->type == 'f' && c->n_part)
            json_object_set_new(values, c->name,
                                is_text(c->part[0].bytes)
                                    ? json_stringn((const char *)c->part[0].bytes.p, c->part[0].bytes.n)
                                    : json_pack("{s:o}", "bytes", bytes_json(c->part[0].bytes)));
        else if (c->type == '-' && c->n_child == 0)
            json_object_set_new(values, c->name, json_null());
        else
            put_reg(reg, c, depth ? tn_arena_printf(&tmp, "%s\\%s", path, c->name) : c->name, depth + 1);
    }
    if (depth && (json_object_size(values) || n->listed || n->type == '-' || n->n_child == 0)) {
        json_t *o = json_object();
        if (n->type == '-')
            json_object_set_new(o, "absent", json_true());
        if (n->listed)
            put_entries(o, n);
        if (json_object_size(values))
            json_object_set(o, "values", values);
        json_object_set_new(reg, path, o);
    }
    json_decref(values);
    tn_arena_deinit(&tmp);
}

static void put_notes(json_t *top, const struct tn_record *r)
{
    static const struct {
        enum tn_question_kind kind;
        const char *key;
    } kinds[] = {{TN_Q_SYS, "sys"}, {TN_Q_ENV, "env"},   {TN_Q_DISK, "disk"},       {TN_Q_RUN, "run"},
                 {TN_Q_ASK, "ask"}, {TN_Q_SEEK, "seek"}, {TN_Q_MEASURE, "measure"}, {TN_Q_GET, "get"}};
    for (size_t k = 0; k < TN_LEN(kinds); k++) {
        json_t *o = json_object();
        for (size_t i = 0; i < r->n_note; i++) {
            const struct tn_note *n = &r->note[i];
            if (n->kind != kinds[k].kind)
                continue;
            bool plain = n->kind == TN_Q_SYS || n->kind == TN_Q_ENV;
            if (plain && n->a.got == TN_ABSENT) {
                json_object_set_new(o, n->name, json_null());
            } else if (plain && n->a.got == TN_KNOWN && is_text(n->a.data)) {
                json_object_set_new(o, n->name, json_stringn((const char *)n->a.data.p, n->a.data.n));
            } else {
                json_t *v = json_object();
                if (n->a.got != TN_KNOWN)
                    put_text(v, "error", tn_know_word(n->a.got));
                else if (n->kind == TN_Q_DISK)
                    json_object_set_new(v, "free", json_integer((json_int_t)n->a.size));
                else
                    put_bytes(v, n->a.data);
                if (n->kind == TN_Q_DISK)
                    json_object_set_new(v, "total", json_integer((json_int_t)n->a.total));
                if (n->kind == TN_Q_RUN)
                    json_object_set_new(v, "status", json_integer(n->a.status));
                put_text(v, "note", n->a.note);
                put_text(v, "from", n->from);
                json_object_set_new(o, n->name, v);
            }
        }
        if (json_object_size(o))
            json_object_set(top, kinds[k].key, o);
        json_decref(o);
    }
}

void tn_record_write(const struct tn_record *r, struct tn_buf *ret)
{
    json_object_seed(1); /* else it reads /dev/urandom */
    json_t *top = json_object(), *files = json_object(), *odd = json_array(), *reg = json_object(),
           *complete = json_array();
    put_text(top, "origin", r->origin);
    put_text(top, "os", r->os);
    if (r->files.complete)
        json_array_append_new(complete, json_string("files"));
    if (r->reg.complete)
        json_array_append_new(complete, json_string("reg"));
    if (r->env_complete)
        json_array_append_new(complete, json_string("env"));
    if (r->sys_complete)
        json_array_append_new(complete, json_string("sys"));
    json_object_set_new(top, "complete", complete);
    put_notes(top, r);
    put_tree(files, odd, &r->files, &r->files.root, "", 0);
    json_object_set_new(top, "files", files);
    if (json_array_size(odd))
        json_object_set(top, "files_odd", odd);
    json_decref(odd);
    put_reg(reg, &r->reg.root, "", 0);
    if (json_object_size(reg))
        json_object_set(top, "reg", reg);
    json_decref(reg);
    char *text = json_dumps(top, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_ENSURE_ASCII * 0);
    json_decref(top);
    if (!text)
        tn_oom();
    tn_buf_clear(ret);
    tn_buf_str(ret, "{\n \"tenon_record\": 1,"); /* first: by its first kilobytes a record is known */
    tn_buf_str(ret, text + 1);
    tn_buf_ch(ret, '\n');
    free(text);
}
