/* dist_files.c - are the files of a distribution those that its record lists?
 *
 * Source: PyPA "Recording installed projects": RECORD is CSV, path (relative to the site folder, with '/'), hash, size.
 * Only what decides whether a framework starts is looked at: __init__.py of its packages and the shared objects; of
 * each one stat. Other sizes are no proof of harm (a container image may have stripped them); no file, or an empty
 * one, is. */
#include <string.h>

#include "base/str.h"
#include "probe/dist.h"

#define MAX_RECORD (8u << 20) /* PyTorch's and TensorFlow's have 1 to 2 MB */
#define MAX_LOOKED 256u

struct file {
    struct tn_span path;
    uint64_t size;
    bool sized;
};

/* path,hash,size; a path with a comma stands in quotes and is left out: no package has one. */
static bool parse_line(struct tn_span line, struct file *ret)
{
    const unsigned char *comma = memchr(line.p, ',', line.n);
    if (!comma || comma == line.p || line.p[0] == '"')
        return false;
    ret->path = tn_span_of(line.p, (size_t)(comma - line.p));
    struct tn_span rest = tn_span_from(line, ret->path.n + 1);
    comma = memchr(rest.p, ',', rest.n);
    size_t digits = comma ? (size_t)(comma - rest.p) + 1 : rest.n;
    ret->sized = digits < rest.n && tn_str_u64((const char *)rest.p + digits, rest.n - digits, 10, &ret->size);
    return true;
}

static bool ends(struct tn_span s, const char *text)
{
    size_t n = strlen(text);
    return s.n >= n && memcmp(s.p + s.n - n, text, n) == 0;
}

/* NAME/__init__.py, and what the loader loads. */
static bool counts(struct tn_span path)
{
    if (path.p[0] == '.' || path.p[0] == '/' || memchr(path.p, 0, path.n) || memchr(path.p, '\\', path.n))
        return false;
    if (ends(path, "/__init__.py"))
        return memchr(path.p, '/', path.n) == path.p + path.n - 12;
    return ends(path, ".so") || ends(path, ".dll") || ends(path, ".pyd") ||
           tn_span_find(path, 0, ".so.", 4) != SIZE_MAX;
}

static const char *native(struct tn_py *p, struct tn_span path)
{
    char *own = tn_arena_strndup(p->mem, (const char *)path.p, path.n);
    for (char *c = own; p->st == TN_PATH_WINDOWS && *c; c++)
        if (*c == '/')
            *c = '\\';
    return own;
}

/* False: everything that comes behind it is of no more interest. */
static bool compare(struct tn_py *p, const struct tn_pysite *site, const struct file *f, size_t row)
{
    const char *at = tn_pyenv_join(p, site->path, native(p, f->path));
    struct tn_answer a = tn_world_stat(p->w, at);
    bool cut = a.got == TN_KNOWN && a.st.type == 'f' && a.st.size == 0 && f->sized && f->size > 0;
    if (a.got == TN_ABSENT || cut) {
        tn_pydist_damage(p, row, cut ? "files-empty" : "files-missing", at, tn_probe_src(p->s, "stat", at, &a));
        return false;
    }
    if (a.got == TN_KNOWN && a.st.type == 'f' && f->sized && a.st.size != f->size &&
        ends(f->path, "__init__.py") == false)
        tn_pydist_damage(p, row, "files-replaced", at, tn_probe_src(p->s, "stat", at, &a));
    return true;
}

void tn_pydist_damage(struct tn_py *p, size_t row, const char *word, const char *path, uint32_t src)
{
    static const char *const order[] = {"leftover", "files-missing", "files-empty", "files-replaced",
                                        "doubled",  "no-metadata",   "no-record",   NULL}; /* gravest first */
    struct tn_rec_dist *r = &p->s->dist.v[row];
    for (const char *const *o = order; *o && r->damage.k == TN_KNOWN; o++) {
        if (strcmp(*o, r->damage.v) == 0)
            return;
        if (strcmp(*o, word) == 0)
            break;
    }
    r->damage = tn_fact_str(p->s, src, word);
    r->damaged_path = path ? tn_fact_str(p->s, src, path) : tn_fact_nostr(src, TN_ABSENT);
}

/* Tools that write a wheel's files as its record lists them. */
static bool keeps_record(const struct tn_rec_dist *r)
{
    static const char *const tools[] = {"pip", "uv", "pdm", "hatch", NULL};
    return tn_known(r->installer) && (tn_str_in(r->installer.v, tools) || tn_str_starts(r->installer.v, "poetry"));
}

void tn_pydist_files(struct tn_py *p, const struct tn_pysite *site, const char *path, size_t row)
{
    if (!keeps_record(&p->s->dist.v[row]))
        return;
    const char *at = tn_pyenv_join(p, path, "RECORD");
    struct tn_arena mem;
    tn_arena_init(&mem);
    struct tn_answer a = tn_world_read(p->w, &mem, at, MAX_RECORD);
    struct tn_span rest = a.data, line;
    struct file f;
    if (a.got == TN_ABSENT)
        tn_pydist_damage(p, row, "no-record", at, tn_probe_src(p->s, "read", at, &a));
    for (unsigned n = 0; a.got == TN_KNOWN && n < MAX_LOOKED && tn_span_line(&rest, &line);)
        if (parse_line(line, &f) && counts(f.path)) {
            n++;
            if (!compare(p, site, &f, row))
                break;
        }
    tn_arena_deinit(&mem);
}
