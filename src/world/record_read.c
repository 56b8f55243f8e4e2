/* record_read.c - JSON to a record. The file may come from a stranger: every type is checked, every size bounded. */
#include "world/record.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_shape.h"
#include "base/limits.h"
#include "base/str.h"

struct reader {
    struct tn_record *r;
    struct tn_err *err;
    const char *place; /* path or key being read */
};

static int bad(struct reader *rd, const char *what)
{
    return tn_err_set(rd->err, TN_E_FORMAT, rd->place, "%s", what);
}

bool tn_record_looks_like(struct tn_span json)
{
    if (json.n > 4096)
        json.n = 4096;
    return tn_span_find(json, 0, "\"tenon_record\"", 14) != SIZE_MAX;
}

/* "text", "lines" or "base64" of o as bytes in the record's memory. *ret_has: was one of them there? */
static int content(struct reader *rd, json_t *o, struct tn_span *ret, bool *ret_has)
{
    json_t *text = json_object_get(o, "text"), *lines = json_object_get(o, "lines"),
           *b64 = json_object_get(o, "base64");
    struct tn_buf b;
    int rc = 0;
    *ret_has = text || lines || b64;
    *ret = tn_span_of("", 0);
    tn_buf_init(&b);
    if (text && json_is_string(text)) {
        tn_buf_add(&b, json_string_value(text), json_string_length(text));
    } else if (lines && json_is_array(lines)) {
        size_t i;
        json_t *line;
        json_array_foreach(lines, i, line)
        {
            if (!json_is_string(line))
                rc = bad(rd, "lines holds something that is not a string");
            else
                tn_buf_add(&b, json_string_value(line), json_string_length(line));
            tn_buf_ch(&b, '\n');
        }
    } else if (b64 && json_is_string(b64)) {
        struct tn_err inner;
        if (tn_base64_decode(&b, tn_span_of(json_string_value(b64), json_string_length(b64)), &inner))
            rc = bad(rd, inner.text);
    } else if (*ret_has) {
        rc = bad(rd, "text and base64 want a string, lines a list of strings");
    }
    if (!rc)
        *ret = tn_span_of(tn_arena_strndup(&rd->r->mem, b.p, b.n), b.n);
    tn_buf_deinit(&b);
    return rc;
}

/* A name: a string, or {"bytes": base64}. NULL after an error. */
static const char *name_of(struct reader *rd, json_t *j)
{
    if (json_is_string(j) && !memchr(json_string_value(j), 0, json_string_length(j)))
        return tn_arena_strdup(&rd->r->mem, json_string_value(j));
    json_t *b64 = json_object_get(j, "bytes");
    struct tn_buf b;
    tn_buf_init(&b);
    const char *s = NULL;
    if (!json_is_string(b64) || tn_base64_decode(&b, tn_span_str(json_string_value(b64)), rd->err) ||
        memchr(b.p, 0, b.n))
        bad(rd, "a name is neither a string nor {\"bytes\": base64}");
    else
        s = tn_arena_strndup(&rd->r->mem, b.p, b.n);
    tn_buf_deinit(&b);
    return s;
}

static int read_list(struct reader *rd, struct tn_tree *t, struct tn_node *n, json_t *list)
{
    const char *type;
    json_t *names, *name;
    if (!json_is_object(list))
        return bad(rd, "list wants an object of types");
    json_object_foreach(list, type, names)
    {
        size_t i;
        if (strlen(type) != 1 || !strchr("fdlpscbo?", type[0]) || !json_is_array(names) ||
            json_array_size(names) > TN_MAX_DIR_ENTRIES)
            return bad(rd, "list wants one-letter types with lists of names");
        json_array_foreach(names, i, name)
        {
            const char *s = name_of(rd, name);
            if (!s || !*s)
                return bad(rd, "list holds a name that is none");
            struct tn_node *c = tn_tree_add_child(t, n, s, strlen(s));
            if (c->type == '?')
                c->type = type[0];
        }
    }
    n->listed = true;
    n->type = 'd';
    return 0;
}

static bool number(json_t *o, const char *key, uint64_t *ret)
{
    json_t *j = json_object_get(o, key);
    if (!json_is_integer(j) || json_integer_value(j) < 0)
        return false;
    *ret = (uint64_t)json_integer_value(j);
    return true;
}

static int read_parts(struct reader *rd, struct tn_node *n, json_t *parts)
{
    size_t i;
    json_t *p;
    if (!json_is_array(parts))
        return bad(rd, "parts wants a list");
    json_array_foreach(parts, i, p)
    {
        struct tn_span s;
        bool has;
        json_t *at = json_object_get(p, "at");
        if (!json_is_integer(at) || json_integer_value(at) < 0)
            return bad(rd, "a part wants \"at\"");
        int rc = content(rd, p, &s, &has);
        if (rc)
            return rc;
        uint64_t off = (uint64_t)json_integer_value(at), zeros = 0;
        if (off > UINT64_MAX / 2)
            return bad(rd, "a part lies beyond any file");
        if (number(p, "zeros", &zeros)) { /* of a hollow file, behind the bytes that matter */
            if (zeros > TN_MAX_SMALL_FILE)
                return bad(rd, "a part has too many zeros");
            char *all = tn_arena_alloc(&rd->r->mem, s.n + (size_t)zeros + 1);
            memcpy(all, s.p, s.n);
            memset(all + s.n, 0, (size_t)zeros + 1);
            s = tn_span_of(all, s.n + (size_t)zeros);
        }
        tn_tree_add_part(&rd->r->files, n, off, s);
        if (n->st.size && off + s.n == n->st.size)
            n->whole = true;
    }
    return 0;
}

static void read_stat(struct tn_node *n, json_t *o)
{
    uint64_t v;
    const char *mode = json_string_value(json_object_get(o, "mode"));
    json_t *dev = json_object_get(o, "device");
    n->st.mode = n->type == 'd' ? 0755 : 0644;
    for (uint32_t m = 0; mode && *mode >= '0' && *mode <= '7' && m < 010000; mode++)
        n->st.mode = m = m * 8 + (uint32_t)(*mode - '0');
    if (number(o, "uid", &v))
        n->st.uid = (uint32_t)v;
    if (number(o, "gid", &v))
        n->st.gid = (uint32_t)v;
    if (json_array_size(dev) == 2) {
        n->st.major = (uint32_t)json_integer_value(json_array_get(dev, 0));
        n->st.minor = (uint32_t)json_integer_value(json_array_get(dev, 1));
    }
    if (number(o, "mtime", &v) && v <= INT64_MAX)
        n->st.mtime = (int64_t)v;
    if (number(o, "atime", &v) && v <= INT64_MAX)
        n->st.atime = (int64_t)v;
    n->st.ino = n->id;
    n->st.nlink = 1;
}

static int read_node(struct reader *rd, const char *path, json_t *o)
{
    struct tn_record *r = rd->r;
    rd->place = path;
    if (!json_is_object(o) || strlen(path) > TN_MAX_PATH_BYTES)
        return bad(rd, "a file wants an object and a path of at most 4096 bytes");
    struct tn_node *n = tn_tree_make(&r->files, path);
    json_t *list = json_object_get(o, "list"), *parts = json_object_get(o, "parts"), *link = json_object_get(o, "link");
    const char *error = json_string_value(json_object_get(o, "error")),
               *type = json_string_value(json_object_get(o, "type"));
    const char *s;
    struct tn_span bytes;
    bool has;
    int rc;
    n->from = (s = json_string_value(json_object_get(o, "from"))) ? tn_arena_strdup(&r->mem, s) : NULL;
    n->note = (s = json_string_value(json_object_get(o, "note"))) ? tn_arena_strdup(&r->mem, s) : NULL;
    if (json_is_true(json_object_get(o, "absent")))
        n->type = '-';
    else if (json_is_true(json_object_get(o, "dir")))
        n->type = 'd';
    else if (type && strlen(type) == 1 && strchr("fdpscbo", type[0]))
        n->type = type[0];
    if (error) {
        int k = tn_know_parse(error);
        if (k != TN_DENIED && k != TN_FAILED)
            return bad(rd, "error wants denied or failed");
        n->error = (enum tn_know)k;
    }
    if (link) {
        n->link = name_of(rd, link);
        if (!n->link)
            return TN_E_FORMAT;
        n->type = 'l';
    }
    if (list && (rc = read_list(rd, &r->files, n, list)))
        return rc;
    rc = content(rd, o, &bytes, &has);
    if (rc)
        return rc;
    if (has) {
        n->whole = true;
        n->n_part = 0;
        tn_tree_add_part(&r->files, n, 0, bytes);
    }
    uint64_t size = has ? bytes.n : 0;
    if (number(o, "size", &size) || has || parts) {
        if (n->type == '?' || (n->type == 'd' && !list && !json_object_get(o, "dir")))
            n->type = 'f';
        n->st.size = size;
    }
    if (parts && (rc = read_parts(rd, n, parts)))
        return rc;
    if (n->type == 'f' || n->type == 'd' || strchr("pscbo", n->type))
        n->has_stat = true;
    read_stat(n, o);
    if (has && strncmp(path, "/proc/", 6) == 0 && !json_object_get(o, "size"))
        n->st.size = 0; /* as the kernel states it */
    return 0;
}

static int read_notes(struct reader *rd, json_t *top, const char *key, enum tn_question_kind kind)
{
    json_t *o = json_object_get(top, key), *v;
    const char *name;
    if (!o)
        return 0;
    rd->place = key;
    if (!json_is_object(o))
        return bad(rd, "wants an object");
    json_object_foreach(o, name, v)
    {
        rd->place = name;
        struct tn_note *n = tn_record_add(rd->r, kind, name);
        bool has = true;
        n->a.got = TN_KNOWN;
        if (json_is_null(v)) {
            n->a.got = TN_ABSENT;
        } else if (json_is_string(v)) {
            n->a.data = tn_span_of(tn_arena_strndup(&rd->r->mem, json_string_value(v), json_string_length(v)),
                                   json_string_length(v));
        } else if (json_is_object(v)) {
            int rc = content(rd, v, &n->a.data, &has);
            const char *error = json_string_value(json_object_get(v, "error")), *s;
            int k = error ? tn_know_parse(error) : TN_KNOWN;
            if (rc)
                return rc;
            if (k < 0)
                return bad(rd, "error is not one of the five words");
            n->a.got = (enum tn_know)k;
            n->a.status = (int)json_integer_value(json_object_get(v, "status"));
            number(v, "free", &n->a.size);
            number(v, "total", &n->a.total);
            n->from = (s = json_string_value(json_object_get(v, "from"))) ? tn_arena_strdup(&rd->r->mem, s) : NULL;
            n->a.note = (s = json_string_value(json_object_get(v, "note"))) ? tn_arena_strdup(&rd->r->mem, s) : NULL;
        } else {
            return bad(rd, "wants a string, null or an object");
        }
    }
    return 0;
}

static int read_reg(struct reader *rd, json_t *reg)
{
    const char *path, *name;
    json_t *o, *v;
    if (reg && !json_is_object(reg))
        return bad(rd, "reg wants an object of keys");
    json_object_foreach(reg, path, o)
    {
        rd->place = path;
        if (!json_is_object(o) || strlen(path) > TN_MAX_PATH_BYTES)
            return bad(rd, "a key wants an object");
        struct tn_node *key = tn_tree_make(&rd->r->reg, path);
        json_t *list = json_object_get(o, "list");
        int rc;
        key->type = json_is_true(json_object_get(o, "absent")) ? '-' : 'd';
        if (list && (rc = read_list(rd, &rd->r->reg, key, list)))
            return rc;
        json_object_foreach(json_object_get(o, "values"), name, v)
        {
            const char *s = json_is_null(v) ? "" : name_of(rd, v);
            if (!s || !*name)
                return bad(rd, "a value wants a string");
            struct tn_node *n = tn_tree_add_child(&rd->r->reg, key, name, strlen(name));
            n->type = json_is_null(v) ? '-' : 'f';
            n->n_part = 0;
            if (n->type == 'f')
                tn_tree_add_part(&rd->r->reg, n, 0, tn_span_str(s));
        }
    }
    return 0;
}

static int read_complete(struct reader *rd, json_t *list)
{
    size_t i;
    json_t *j;
    rd->place = "complete";
    json_array_foreach(list, i, j)
    {
        const char *s = json_string_value(j);
        if (s && strcmp(s, "files") == 0)
            rd->r->files.complete = true;
        else if (s && strcmp(s, "reg") == 0)
            rd->r->reg.complete = true;
        else if (s && strcmp(s, "env") == 0)
            rd->r->env_complete = true;
        else if (s && strcmp(s, "sys") == 0)
            rd->r->sys_complete = true;
        else
            return bad(rd, "complete may name files, reg, env and sys");
    }
    return 0;
}

static int read_top(struct reader *rd, json_t *top)
{
    static const struct {
        const char *key;
        enum tn_question_kind kind;
    } notes[] = {{"sys", TN_Q_SYS}, {"env", TN_Q_ENV},   {"disk", TN_Q_DISK},       {"run", TN_Q_RUN},
                 {"ask", TN_Q_ASK}, {"seek", TN_Q_SEEK}, {"measure", TN_Q_MEASURE}, {"get", TN_Q_GET}};
    json_t *files = json_object_get(top, "files"), *odd = json_object_get(top, "files_odd"), *o;
    const char *path, *s = json_string_value(json_object_get(top, "origin"));
    size_t i;
    int rc = read_complete(rd, json_object_get(top, "complete"));
    rd->r->origin = tn_arena_strdup(&rd->r->mem, s ? s : "");
    for (i = 0; !rc && i < TN_LEN(notes); i++)
        rc = read_notes(rd, top, notes[i].key, notes[i].kind);
    rd->place = "files";
    if (!rc && files && !json_is_object(files))
        rc = bad(rd, "files wants an object of paths");
    if (rc)
        return rc;
    json_object_foreach(files, path, o)
    {
        rc = read_node(rd, path, o);
        if (rc)
            return rc;
    }
    json_array_foreach(odd, i, o)
    {
        path = name_of(rd, json_object_get(o, "path"));
        rc = path ? read_node(rd, path, o) : TN_E_FORMAT;
        if (rc)
            return rc;
    }
    return read_reg(rd, json_object_get(top, "reg"));
}

int tn_record_read(struct tn_span json, struct tn_record *r, struct tn_err *err)
{
    json_error_t je;
    int shape = tn_json_shape(json, err);
    if (shape)
        return shape;
    json_object_seed(1); /* else it reads /dev/urandom */
    json_t *top = json_loadb((const char *)json.p, json.n, JSON_REJECT_DUPLICATES, &je);
    if (!top) {
        char place[64];
        snprintf(place, sizeof place, "line %d, column %d", je.line, je.column);
        return tn_err_set(err, TN_E_FORMAT, place, "%s", je.text);
    }
    const char *os = json_string_value(json_object_get(top, "os"));
    json_t *version = json_object_get(top, "tenon_record");
    int rc;
    if (!json_is_integer(version)) {
        rc = tn_err_set(err, TN_E_FORMAT, "tenon_record", "this is no world record");
    } else if (json_integer_value(version) != 1) {
        rc = tn_err_set(err, TN_E_UNSUPPORTED, "tenon_record", "a record of version %lld; this program reads 1",
                        (long long)json_integer_value(version));
    } else {
        tn_record_init(r, os && *os ? os : "linux");
        struct reader rd = {r, err, ""};
        rc = read_top(&rd, top);
        if (rc)
            tn_record_deinit(r);
    }
    json_decref(top);
    return rc;
}
