/* redist.c - see redist.h. */
#include "place/redist.h"

#include <jansson.h>
#include <string.h>

#include "base/str.h"

#define MAX_ENTRIES 4096u

static const char *text(struct tn_arena *mem, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? tn_arena_strdup(mem, s) : "";
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_sha256(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!tn_is_digit(s[i]) && !(s[i] >= 'a' && s[i] <= 'f'))
            return false;
    return n == 64;
}

/* Nothing that leads out of the folder or into another part of a URL. */
static const char *plain(const char *path)
{
    for (const char *p = path; *p; p++)
        if (!tn_is_digit(*p) && !tn_is_alpha(*p) && !strchr("/._+-", *p))
            return "";
    return *path == '/' || strstr(path, "..") || strstr(path, "//") ? "" : path;
}

struct reading {
    struct tn_arena *mem;
    struct tn_redist_list *list;
    size_t cap;
    struct tn_redist now;
};

static int add(struct reading *r, const json_t *o, struct tn_err *err)
{
    struct tn_redist *e;
    const json_t *size = json_object_get(o, "size");
    r->list->v = tn_arena_grow(r->mem, r->list->v, r->list->n, &r->cap, sizeof *r->list->v);
    e = &r->list->v[r->list->n];
    *e = r->now;
    e->path = plain(text(r->mem, o, "relative_path"));
    e->file = base(text(r->mem, o, "relative_path"));
    e->sha256 = text(r->mem, o, "sha256");
    if (json_string_value(size)) /* NVIDIA writes it as a text */
        tn_str_u64(json_string_value(size), json_string_length(size), 10, &e->size);
    if (json_is_integer(size) && json_integer_value(size) > 0)
        e->size = (uint64_t)json_integer_value(size);
    if (!*e->file || !is_sha256(e->sha256, strlen(e->sha256)))
        return tn_err_set(err, TN_E_FORMAT, r->now.component, "an archive without name or sha256");
    if (++r->list->n > MAX_ENTRIES)
        return tn_err_set(err, TN_E_LIMIT, r->now.component, "more than %u archives", MAX_ENTRIES);
    return 0;
}

static int component(struct reading *r, json_t *o, struct tn_err *err)
{
    const char *platform, *variant;
    json_t *at, *one;
    int rc = 0;
    json_object_foreach(o, platform, at)
    {
        if (!json_is_object(at))
            continue; /* name, license, version, cuda_variant */
        r->now.platform = tn_arena_strdup(r->mem, platform);
        r->now.cuda = "";
        if (json_object_get(at, "relative_path")) {
            if ((rc = add(r, at, err)))
                return rc;
            continue;
        }
        json_object_foreach(at, variant, one)
        {
            if (!json_is_object(one) || !tn_str_starts(variant, "cuda"))
                continue;
            r->now.cuda = tn_arena_strdup(r->mem, variant + 4);
            if ((rc = add(r, one, err)))
                return rc;
        }
    }
    return rc;
}

static int read_json(struct reading *r, json_t *root, struct tn_err *err)
{
    const char *name;
    json_t *o;
    r->list->label = text(r->mem, root, "release_label");
    json_object_foreach(root, name, o)
    {
        if (!json_is_object(o))
            continue;
        r->now = (struct tn_redist){.component = tn_arena_strdup(r->mem, name), .version = text(r->mem, o, "version")};
        int rc = component(r, o, err);
        if (rc)
            return rc;
    }
    return r->list->n ? 0 : tn_err_set(err, TN_E_FORMAT, NULL, "it lists no archive");
}

/* "HEX  NAME" or "HEX *NAME". */
static int read_lines(struct reading *r, struct tn_span rest, struct tn_err *err)
{
    struct tn_span line;
    while (tn_span_line(&rest, &line)) {
        const char *p = (const char *)line.p;
        if (!line.n)
            continue;
        if (line.n < 67 || !is_sha256(p, 64) || p[64] != ' ' || (p[65] != ' ' && p[65] != '*') ||
            r->list->n == MAX_ENTRIES)
            return tn_err_set(err, TN_E_FORMAT, NULL, "neither NVIDIA's JSON nor lines of sha256sum");
        struct tn_redist e = {.file = base(tn_arena_strndup(r->mem, p + 66, line.n - 66))};
        if (!tn_redist_name(r->mem, e.file, &e))
            e = (struct tn_redist){.component = "", .version = "", .platform = "", .cuda = "", .file = e.file};
        e.path = "";
        e.sha256 = tn_arena_strndup(r->mem, p, 64);
        r->list->v = tn_arena_grow(r->mem, r->list->v, r->list->n, &r->cap, sizeof *r->list->v);
        r->list->v[r->list->n++] = e;
    }
    return r->list->n ? 0 : tn_err_set(err, TN_E_FORMAT, NULL, "it lists no archive");
}

int tn_redist_read(struct tn_arena *mem, struct tn_span s, struct tn_redist_list *ret, struct tn_err *err)
{
    struct tn_redist_list list = {.label = ""};
    struct reading r = {.mem = mem, .list = &list};
    int rc;
    if (s.n > TN_MAX_REDIST_BYTES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "a list of more than %u bytes", TN_MAX_REDIST_BYTES);
    if (tn_span_trim(s).n && *tn_span_trim(s).p == '{') {
        json_object_seed(1);
        json_t *root = json_loadb((const char *)s.p, s.n, JSON_REJECT_DUPLICATES, NULL);
        rc = root ? read_json(&r, root, err) : tn_err_set(err, TN_E_FORMAT, NULL, "damaged JSON");
        json_decref(root);
    } else {
        rc = read_lines(&r, s, err);
    }
    if (!rc)
        *ret = list;
    return rc;
}

const struct tn_redist *tn_redist_find(const struct tn_redist_list *l, const char *file)
{
    for (size_t i = 0; i < l->n; i++)
        if (tn_str_eq(l->v[i].file, file))
            return &l->v[i];
    return NULL;
}

/* --- names --- */

static size_t ending(const char *file)
{
    static const char *const all[] = {".tar.xz", ".tar.gz", ".tar.zst", ".tar.bz2", ".tgz", ".txz", ".zip"};
    for (size_t i = 0; i < TN_LEN(all); i++)
        if (tn_str_ends(file, all[i]))
            return strlen(all[i]);
    return 0;
}

/* cudnn-11.2-linux-x64-v8.1.1.33 */
static bool old_name(struct tn_arena *mem, const char *stem, struct tn_redist *ret)
{
    const char *cuda = stem + 6, *dash = strchr(cuda, '-'), *v = strstr(stem, "-v");
    if (!tn_str_starts(stem, "cudnn-") || !tn_is_digit(*cuda) || !dash || !v || !tn_is_digit(v[2]))
        return false;
    ret->component = "cudnn";
    ret->cuda = tn_arena_strndup(mem, cuda, strcspn(cuda, ".-"));
    ret->version = tn_arena_strdup(mem, v + 2);
    ret->platform = tn_str_starts(dash, "-linux-x64")     ? "linux-x86_64"
                    : tn_str_starts(dash, "-windows-x64") ? "windows-x86_64"
                    : tn_str_starts(dash, "-linux-sbsa")  ? "linux-sbsa"
                                                          : "";
    return *ret->platform;
}

bool tn_redist_name(struct tn_arena *mem, const char *file, struct tn_redist *ret)
{
    size_t end = ending(file);
    char *stem = tn_arena_strndup(mem, file, strlen(file) - end);
    struct tn_redist e = {.cuda = "", .sha256 = "", .file = file};
    if (end && old_name(mem, stem, &e)) {
        *ret = e;
        return true;
    }
    char *tail = strstr(stem, "-archive"), *os = strstr(stem, "-linux-");
    os = os ? os : strstr(stem, "-windows-");
    char *arch = os ? strchr(os + 1, '-') : NULL, *version = arch ? strchr(arch + 1, '-') : NULL;
    if (!end || !tail || tail[8] || !version || version >= tail || !tn_is_digit(version[1]))
        return false;
    e.component = tn_arena_strndup(mem, stem, (size_t)(os - stem));
    e.platform = tn_arena_strndup(mem, os + 1, (size_t)(version - os - 1));
    *tail = 0;
    char *cuda = strstr(version, "_cuda");
    if (cuda) {
        e.cuda = tn_arena_strndup(mem, cuda + 5, strcspn(cuda + 5, "."));
        *cuda = 0;
    }
    e.version = tn_arena_strdup(mem, version + 1);
    *ret = e;
    return true;
}
