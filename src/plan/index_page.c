/* index_page.c - a page of a package index as files; see index.h. */
#include <string.h>

#include "base/str.h"
#include "plan/index.h"
#include "snapshot/json.h"
#include "version/wheeltag.h"

#define MAX_TEXT 4096u /* of one attribute */

/* --- URLs (RFC 3986, section 5.2, for what indexes use) --- */

static bool is_url(const char *s)
{
    return strncmp(s, "http://", 7) == 0 || strncmp(s, "https://", 8) == 0;
}

/* Without "." and ".." */
static const char *plain_path(struct tn_arena *mem, const char *url)
{
    const char *host = strstr(url, "://");
    size_t root = host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/") : 0;
    char *out = tn_arena_strdup(mem, url);
    size_t n = root;
    for (const char *p = url + root; *p;) {
        size_t len = 1 + strcspn(p + 1, "/");
        bool last = !p[len];
        if (len == 3 && strncmp(p, "/..", 3) == 0) {
            while (n > root && out[--n] != '/')
                ;
            if (last)
                out[n++] = '/';
        } else if (len == 2 && strncmp(p, "/.", 2) == 0) {
            if (last)
                out[n++] = '/';
        } else {
            memmove(out + n, p, len);
            n += len;
        }
        p += len;
    }
    out[n] = 0;
    return out;
}

const char *tn_index_join(struct tn_arena *mem, const char *base, const char *link)
{
    const char *hash = strchr(link, '#');
    link = tn_arena_strndup(mem, link, hash ? (size_t)(hash - link) : strlen(link));
    for (const char *p = link; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f)
            return "";
    if (is_url(link))
        return link;
    const char *host = is_url(base) ? strstr(base, "://") + 3 : NULL;
    if (!host || !*link)
        return "";
    int scheme = (int)(host - base - 2);
    if (strncmp(link, "//", 2) == 0)
        return tn_arena_printf(mem, "%.*s%s", scheme, base, link);
    if (strstr(link, "://"))
        return ""; /* another scheme */
    size_t root = (size_t)(host - base) + strcspn(host, "/?#"), end = strcspn(base, "?#");
    while (end > root && base[end - 1] != '/')
        end--;
    if (*link == '/')
        return plain_path(mem, tn_arena_printf(mem, "%.*s%s", (int)root, base, link));
    return plain_path(mem, tn_arena_printf(mem, "%.*s%s%s", (int)end, base, end == root ? "/" : "", link));
}

/* --- files --- */

static bool is_of(const char *wheel, const char *package)
{
    char a[256], b[256];
    return tn_version_normal_name(wheel, a, sizeof a, NULL) == 0 &&
           tn_version_normal_name(package, b, sizeof b, NULL) == 0 && tn_str_eq(a, b);
}

static int add(struct tn_arena *mem, struct tn_index_package *p, const struct tn_index_file *f, struct tn_err *err)
{
    struct tn_wheel w;
    if (p->n == TN_INDEX_MAX_FILES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "more than %u files", TN_INDEX_MAX_FILES);
    if (tn_version_wheel_parse(f->file, mem, &w, NULL) != 0 || !is_of(w.name, p->name) || !*f->url) {
        p->others++;
        return 0;
    }
    if (p->n == p->cap)
        p->v = tn_arena_grow(mem, p->v, p->n, &p->cap, sizeof *p->v);
    p->v[p->n] = *f;
    p->v[p->n].version = w.version;
    p->v[p->n].python = w.python;
    p->v[p->n].abi = w.abi;
    p->v[p->n++].platform = w.platform;
    return 0;
}

static const char *text_of(struct tn_arena *mem, const json_t *j)
{
    const char *s = json_string_value(j);
    return s && strlen(s) <= MAX_TEXT ? tn_arena_strdup(mem, s) : "";
}

static int read_json(struct tn_arena *mem, struct tn_span page, const char *url, struct tn_index_package *ret,
                     struct tn_err *err)
{
    size_t i;
    json_t *one;
    tn_json_seed();
    json_t *j = tn_json_load(page, err), *files = j ? json_object_get(j, "files") : NULL;
    int rc = j ? 0 : err && err->code == TN_E_LIMIT ? TN_E_LIMIT : TN_E_FORMAT;
    if (j && !json_is_array(files))
        rc = tn_err_set(err, TN_E_FORMAT, NULL, "no list of files");
    json_array_foreach(rc ? NULL : files, i, one)
    {
        const json_t *yanked = json_object_get(one, "yanked"), *meta = json_object_get(one, "core-metadata");
        json_int_t size = json_integer_value(json_object_get(one, "size"));
        if (!meta)
            meta = json_object_get(one, "dist-info-metadata");
        struct tn_index_file f = {.file = text_of(mem, json_object_get(one, "filename")),
                                  .url = tn_index_join(mem, url, text_of(mem, json_object_get(one, "url"))),
                                  .requires_python = text_of(mem, json_object_get(one, "requires-python")),
                                  .yanked = json_is_string(yanked) ? text_of(mem, yanked)
                                            : json_is_true(yanked) ? ""
                                                                   : NULL,
                                  .size = size > 0 ? (uint64_t)size : 0,
                                  .metadata = json_is_true(meta) || json_is_object(meta),
                                  .metadata_sha256 = text_of(mem, json_object_get(meta, "sha256"))};
        if ((rc = add(mem, ret, &f, err)) != 0)
            break;
    }
    json_decref(j);
    return rc;
}

/* --- HTML --- */

static const char *unescape(struct tn_arena *mem, const char *p, size_t n)
{
    static const struct {
        const char *name;
        char is;
    } all[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&#x27;", '\''}};
    char *out = tn_arena_alloc(mem, (n < MAX_TEXT ? n : MAX_TEXT) + 1);
    size_t k = 0;
    while (n && k < MAX_TEXT) {
        size_t len = 1;
        char c = *p;
        for (size_t i = 0; c == '&' && i < TN_LEN(all); i++)
            if (n >= strlen(all[i].name) && strncmp(p, all[i].name, strlen(all[i].name)) == 0) {
                len = strlen(all[i].name);
                c = all[i].is;
                break;
            }
        out[k++] = c ? c : ' ';
        p += len;
        n -= len;
    }
    out[k] = 0;
    return out;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void attribute(struct tn_arena *mem, struct tn_index_file *f, const char *base, const char *name, size_t len,
                      const char *value)
{
    static const char *const names[] = {"href", "data-requires-python", "data-yanked", "data-core-metadata",
                                        "data-dist-info-metadata"};
    unsigned i = 0;
    while (i < TN_LEN(names) && (strlen(names[i]) != len || strncmp(name, names[i], len) != 0))
        i++;
    switch (i) {
    case 0: f->url = tn_index_join(mem, base, value); break;
    case 1: f->requires_python = value; break;
    case 2: f->yanked = value; break;
    case 3:
    case 4:
        f->metadata = f->metadata || !tn_str_eq(value, "false");
        if (tn_str_starts(value, "sha256="))
            f->metadata_sha256 = value + strlen("sha256=");
        break;
    default: break;
    }
}

/* The attributes of "<a ..."; s at the first byte behind the name. The byte behind its ">", or NULL: there is none. */
static const char *anchor(struct tn_arena *mem, const char *s, const char *end, const char *base,
                          struct tn_index_file *f)
{
    while (s < end) {
        while (s < end && (is_blank(*s) || *s == '/'))
            s++;
        if (s < end && *s == '>')
            return s + 1;
        const char *name = s, *value = "";
        while (s < end && !is_blank(*s) && *s != '=' && *s != '>' && *s != '/')
            s++;
        size_t len = (size_t)(s - name);
        while (s < end && is_blank(*s))
            s++;
        if (s < end && *s == '=') {
            for (s++; s < end && is_blank(*s); s++)
                ;
            char quote = s < end && (*s == '"' || *s == '\'') ? *s++ : 0;
            const char *from = s;
            while (s < end && (quote ? *s != quote : !is_blank(*s) && *s != '>'))
                s++;
            if (s == end)
                return NULL;
            value = unescape(mem, from, (size_t)(s - from));
            s += quote != 0;
        }
        attribute(mem, f, base, name, len, value);
    }
    return NULL;
}

static int read_html(struct tn_arena *mem, struct tn_span page, const char *url, struct tn_index_package *ret,
                     struct tn_err *err)
{
    const char *s = (const char *)page.p, *end = s + page.n;
    bool any = false;
    while (s < end && (s = memchr(s, '<', (size_t)(end - s))) != NULL) {
        struct tn_index_file f = {.url = "", .requires_python = "", .metadata_sha256 = ""};
        any = true;
        s++;
        if (end - s < 2 || tn_lower(*s) != 'a' || !is_blank(s[1]))
            continue;
        s = anchor(mem, s + 1, end, url, &f);
        const char *stop = s && s < end ? memchr(s, '<', (size_t)(end - s)) : NULL;
        if (!stop)
            return tn_err_set(err, TN_E_FORMAT, NULL, "the page ends in the middle");
        struct tn_span name = tn_span_trim(tn_span_of(s, (size_t)(stop - s)));
        while (name.n && name.p[0] == '\n')
            name = tn_span_trim(tn_span_from(name, 1));
        while (name.n && name.p[name.n - 1] == '\n')
            name = tn_span_trim(tn_span_of(name.p, name.n - 1));
        f.file = unescape(mem, (const char *)name.p, name.n);
        int rc = add(mem, ret, &f, err);
        if (rc)
            return rc;
        s = stop;
    }
    return any ? 0 : tn_err_set(err, TN_E_FORMAT, NULL, "no page of a package index");
}

int tn_index_read(struct tn_arena *mem, struct tn_span page, const char *type, const char *url,
                  struct tn_index_package *ret, struct tn_err *err)
{
    bool json = strstr(type, "json") != NULL;
    struct tn_index_package tmp = *ret;
    int rc = (json ? read_json : read_html)(mem, page, url, &tmp, err);
    if (rc == 0)
        *ret = tmp;
    return rc;
}
