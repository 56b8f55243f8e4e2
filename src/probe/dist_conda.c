/* dist_conda.c - the record of one conda package, conda-meta/NAME-VERSION-BUILD.json.
 *
 * Source: conda's PrefixRecord. The lists of files make most of such a record (megabytes for a framework), and
 * nothing here needs them: what stands before them is enough, where the record is laid out as conda and rattler
 * write it (one member a line, sorted or in rattler's order, both with "files" behind "depends"). */
#include <jansson.h>
#include <string.h>

#include "base/limits.h"
#include "probe/dist.h"

#define HEAD_BYTES (64u << 10)

/* The members before the list of files, closed as an object of their own; NULL when the layout is another. */
static json_t *load_head(struct tn_py *p, struct tn_span head)
{
    static const char mark[] = "\n  \"files\": [";
    size_t at = tn_span_find(head, 0, mark, sizeof mark - 1);
    if (at == SIZE_MAX)
        return NULL;
    while (at && memchr(" \t\r\n,", head.p[at - 1], 5))
        at--;
    char *text = tn_arena_alloc(p->mem, at + 2);
    memcpy(text, head.p, at);
    text[at] = '}';
    json_t *j = json_loadb(text, at + 1, 0, NULL);
    if (j && !json_object_get(j, "depends")) { /* another order of members */
        json_decref(j);
        return NULL;
    }
    return j;
}

static json_t *load(struct tn_py *p, const char *path, struct tn_answer *a)
{
    json_object_seed(1); /* else it reads /dev/urandom; nothing below keeps a table of foreign keys for long */
    *a = tn_world_read(p->w, p->mem, path, HEAD_BYTES);
    if (a->got != TN_KNOWN)
        return NULL;
    json_t *j = load_head(p, a->data);
    if (!j && a->data.n < HEAD_BYTES)
        j = json_loadb((const char *)a->data.p, a->data.n, 0, NULL);
    if (!j && a->data.n == HEAD_BYTES) {
        *a = tn_world_read(p->w, p->mem, path, TN_MAX_TEXT_FILE);
        if (a->got == TN_KNOWN)
            j = json_loadb((const char *)a->data.p, a->data.n, 0, NULL);
    }
    return j;
}

static const char *text_of(json_t *j, const char *key)
{
    json_t *v = json_object_get(j, key);
    const char *s = json_string_value(v);
    return s && strlen(s) == json_string_length(v) ? s : NULL;
}

void tn_pydist_read_conda(struct tn_py *p, const char *path, size_t row)
{
    struct tn_answer a;
    json_t *j = load(p, path, &a);
    if (a.got == TN_KNOWN && !j) {
        a.got = TN_FAILED;
        a.note = "not JSON";
    }
    uint32_t src = tn_probe_src(p->s, "read", path, &a);
    struct tn_rec_dist *r = &p->s->dist.v[row];
    json_t *depends = json_object_get(j, "depends");
    const char *version = text_of(j, "version"), *build = text_of(j, "build");
    bool whole = j && json_is_object(j) && json_is_array(depends);
    if (version && strcmp(version, r->version.v) != 0) { /* the record itself wins over its file name */
        r->version = tn_fact_str(p->s, src, version);
        whole = false;
    }
    if (build && strcmp(build, r->build.v) != 0) {
        r->build = tn_fact_str(p->s, src, build);
        whole = false;
    }
    const char *word[256];
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(depends) && n < 256; i++) {
        const char *one = json_string_value(json_array_get(depends, i));
        if (one && tn_pydist_requires_public(one))
            word[n++] = one;
    }
    const char *channel = text_of(j, "channel");
    r->origin = tn_fact_str(p->s, src, channel && *channel ? channel : text_of(j, "url"));
    r->requires = j ? tn_fact_list(p->s, src, word, n) : tn_fact_nolist(src, a.got);
    r->whole = tn_fact_int(src, whole);
    json_decref(j);
}
