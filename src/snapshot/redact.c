/* redact.c - see redact.h: the walk over the schema. The rules for one text: redact_path.c, redact_value.c. */
#include "snapshot/redact.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "snapshot/packages.h"
#include "snapshot/redact_rules.h"
#include "snapshot/write.h"

/* FNV-1a */
static uint32_t hash(const char *kind, const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (; *kind; kind++)
        h = (h ^ (unsigned char)*kind) * 16777619u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static struct tn_alias *slot_of(struct tn_redactor *r, const char *kind, const char *s, size_t n)
{
    size_t i = hash(kind, s, n) & (r->cap - 1);
    while (r->slot[i].key &&
           !(strcmp(r->slot[i].kind, kind) == 0 && strlen(r->slot[i].key) == n && memcmp(r->slot[i].key, s, n) == 0))
        i = (i + 1) & (r->cap - 1);
    return &r->slot[i];
}

static void grow(struct tn_redactor *r)
{
    struct tn_alias *old = r->slot;
    size_t n = r->cap;
    r->cap = n ? n * 2 : 256;
    r->slot = tn_arena_array(&r->mem, r->cap, sizeof *r->slot);
    for (size_t i = 0; i < n; i++)
        if (old[i].key)
            *slot_of(r, old[i].kind, old[i].key, strlen(old[i].key)) = old[i];
}

/* On Windows names differ by more than case. */
static const char *fold(struct tn_redactor *r, const char *s, size_t n)
{
    char *t = tn_arena_strndup(&r->mem, s, n);
    for (size_t i = 0; i < n && r->style == TN_PATH_WINDOWS; i++)
        t[i] = tn_lower(t[i]);
    return t;
}

unsigned tn_redact_known(struct tn_redactor *r, const char *kind, const char *s, size_t n)
{
    struct tn_alias *a;
    if (r->style == TN_PATH_WINDOWS)
        s = fold(r, s, n);
    a = r->cap ? slot_of(r, kind, s, n) : NULL;
    return a && a->key ? a->number : 0;
}

/* Adds a text with a number; the counter of a kind is an alias of its own. */
static unsigned put(struct tn_redactor *r, const char *kind, const char *s, size_t n, unsigned number)
{
    if (r->cap < 2 * (r->n + 1))
        grow(r);
    struct tn_alias *a = slot_of(r, kind, s, n);
    if (!a->key) {
        a->kind = kind;
        a->key = tn_arena_strndup(&r->mem, s, n);
        r->n++;
    }
    return a->number = number;
}

unsigned tn_redact_number(struct tn_redactor *r, const char *kind, const char *s, size_t n)
{
    unsigned known = tn_redact_known(r, kind, s, n);
    if (known)
        return known;
    unsigned next = tn_redact_known(r, "COUNT", kind, strlen(kind)) + 1;
    const char *count = fold(r, kind, strlen(kind));
    put(r, "COUNT", count, strlen(count), next);
    return put(r, kind, fold(r, s, n), n, next);
}

void tn_redact_alias(struct tn_redactor *r, const char *kind, const char *s, size_t n, struct tn_buf *ret)
{
    tn_buf_printf(ret, "%s%u", kind, tn_redact_number(r, kind, s, n));
}

/* What a pseudonym is called: fields that hold the same sort of name share their numbers. */
static const char *kind_of(unsigned rec, const struct tn_field_desc *f)
{
    if (strcmp(f->name, "env") == 0 || (rec == TN_REC_env && strcmp(f->name, "id") == 0))
        return "env";
    if (strcmp(f->name, "user") == 0)
        return "user";
    if (rec == TN_REC_host && strcmp(f->name, "name") == 0)
        return "host";
    if (rec == TN_REC_gpu && strcmp(f->name, "uuid") == 0)
        return "gpu";
    return strcmp(f->name, "name") == 0 ? "name" : "id";
}

static void note_user(struct tn_redactor *r, const char *kind, struct tn_str f)
{
    if (tn_known(f) && *f.v && !tn_redact_is_alias(f.v, strlen(f.v)))
        tn_redact_number(r, kind, f.v, strlen(f.v));
}

/* Would this prefix be shown as it is? Then it needs no name, and giving it one would hide the system's folders. Asked
 * of an empty redactor, so that the question itself takes no number. */
static bool says_nothing(const struct tn_redactor *r, const char *path)
{
    struct tn_redactor fresh;
    struct tn_buf b;
    memset(&fresh, 0, sizeof fresh);
    tn_arena_init(&fresh.mem);
    tn_buf_init(&b);
    fresh.in = r->in;
    fresh.style = r->style;
    tn_redact_path(&fresh, path, &b);
    bool same = strcmp(b.p, path) == 0;
    tn_buf_deinit(&b);
    tn_arena_deinit(&fresh.mem);
    return same;
}

void tn_redactor_init(struct tn_redactor *r, const struct tn_snap *in)
{
    memset(r, 0, sizeof *r);
    tn_arena_init(&r->mem);
    r->in = in;
    r->style = tn_snap_style(in);
    const struct tn_rec_host *h = TN_THE(in, host);
    note_user(r, "host", h->name);
    note_user(r, "user", h->user);
    for (size_t i = 0; i < in->process.n; i++)
        note_user(r, "user", in->process.v[i].user);
    if (tn_known(h->home) && tn_path_is_abs(r->style, h->home.v)) {
        const char *home = tn_path_key(&r->mem, r->style, h->home.v), *base = tn_path_base(TN_PATH_POSIX, home);
        bool plain = tn_redact_plain_component(base, strlen(base));
        if (strcmp(base, "root") == 0 || !plain) /* else /home itself, /opt ... */
            r->home = home;
        if (!plain && !tn_redact_is_alias(base, strlen(base)))
            tn_redact_number(r, "user", base, strlen(base));
    }
    for (size_t i = 0; i < in->env.n; i++) {
        const struct tn_rec_env *e = &in->env.v[i];
        const char *id = tn_known(e->id) ? e->id.v : NULL;
        const char *path = tn_known(e->path) && *e->path.v ? tn_path_key(&r->mem, r->style, e->path.v) : NULL;
        unsigned n = id ? tn_redact_number(r, "env", id, strlen(id)) : 0;
        if (!path || tn_redact_known(r, "ENVPATH", path, strlen(path)))
            continue;
        if (!tn_path_is_abs(r->style, e->path.v) || says_nothing(r, e->path.v))
            continue;
        if (!n) /* without an id: a number that no other has */
            n = tn_redact_number(r, "env", path, strlen(path));
        put(r, "ENVPATH", path, strlen(path), n);
    }
}

void tn_redactor_deinit(struct tn_redactor *r)
{
    tn_arena_deinit(&r->mem);
}

struct copy {
    struct tn_redactor r;
    struct tn_snap out;
    struct tn_redact_count count;
    uint32_t *src; /* index in the copy of each source, 0 not yet */
    struct tn_buf b;
};

static uint32_t source(struct copy *c, uint32_t src)
{
    const struct tn_snap *in = c->r.in;
    if (!src || src >= in->n_src)
        return 0;
    if (!c->src[src]) {
        const struct tn_src *s = &in->src[src];
        tn_buf_clear(&c->b);
        tn_redact_source(&c->r, s->asked, &c->b);
        bool note = s->note && tn_redact_public_note(s->note);
        c->count.sources += strcmp(c->b.p, s->asked) != 0 || (s->note && !note);
        c->src[src] = tn_snap_src(&c->out, s->got, note ? s->note : NULL, "%s", c->b.p);
    }
    return c->src[src];
}

/* Name of a requirement, "nvidia-cudnn-cu12 (==9.1) ; extra": is it public, and without a URL? */
static bool public_package(const char *text, bool whole)
{
    char name[128];
    size_t n = 0;
    while (n + 1 < sizeof name &&
           (tn_is_alpha(text[n]) || tn_is_digit(text[n]) || (text[n] && strchr("._-", text[n])))) {
        name[n] = text[n] == '_' || text[n] == '.' ? '-' : tn_lower(text[n]);
        n++;
    }
    name[n] = 0;
    return n && (!whole || !text[n]) && !strchr(text, '@') && !strchr(text, '/') && tn_package_is_public(name);
}

/* Is it an observation of a fact that is a number? Free text has no other place in a shared report. */
static bool of_number(unsigned rec, const void *row)
{
    struct tn_buf name;
    bool yes = false;
    if (rec != TN_REC_observation || !tn_known(((const struct tn_rec_observation *)row)->fact))
        return false;
    tn_buf_init(&name);
    for (unsigned i = 0; i < TN_REC_COUNT; i++)
        for (unsigned k = 0; k < tn_schema[i].n_field && !yes; k++) {
            const struct tn_field_desc *f = &tn_schema[i].field[k];
            tn_buf_clear(&name);
            tn_buf_printf(&name, "%s.%s", tn_schema[i].name, f->name);
            yes = (f->kind == TN_KIND_VER || f->kind == TN_KIND_INT) && f->privacy != TN_CLASS_PSEUDONYM &&
                  strcmp(name.p, ((const struct tn_rec_observation *)row)->fact.v) == 0;
        }
    tn_buf_deinit(&name);
    return yes;
}

/* What forbids a module: words of modprobe.d(5) and of the kernel's command line, which are nobody's. */
static bool is_modprobe_word(const char *v)
{
    static const char *const words[] = {"",
                                        "off",
                                        "true",
                                        "false",
                                        "/bin/true",
                                        "/bin/false",
                                        "/usr/bin/true",
                                        "/usr/bin/false",
                                        "modeset=0",
                                        "modeset=1",
                                        "module_blacklist",
                                        "modprobe.blacklist",
                                        "rd.driver.blacklist",
                                        NULL};
    return tn_str_in(v, words);
}

/* Names of DLLs; "a.dll:b.dll" of takes. */
static bool of_pe(struct copy *c, const struct tn_field_desc *f, const char *v)
{
    static const char *const names[] = {"path", "real", "needed", "delayed", "forwards", NULL};
    const char *colon = strcmp(f->name, "takes") == 0 ? strchr(v, ':') : NULL;
    if (colon) {
        tn_redact_library(&c->r, v, (size_t)(colon - v), &c->b);
        tn_buf_ch(&c->b, ':');
        if (colon[1])
            tn_redact_library(&c->r, colon + 1, strlen(colon + 1), &c->b);
        return true;
    }
    if (!tn_str_in(f->name, names))
        return false;
    tn_redact_library_path(&c->r, v, &c->b);
    return true;
}

/* What the loader's facts hold must stay together: names of libraries and the folders that lead to them. Their own rule
 * for each field; false: the class decides. */
static bool of_loader(struct copy *c, unsigned rec, const void *row, const struct tn_field_desc *f, const char *v)
{
    const struct tn_rec_image *i = row;
    struct tn_redactor *r = &c->r;
    if (rec == TN_REC_cached) {
        if (strcmp(f->name, "soname") != 0 && strcmp(f->name, "path") != 0)
            return false;
        tn_redact_library_path(r, v, &c->b);
        return true;
    }
    if (rec == TN_REC_load && strcmp(f->name, "error") == 0 && tn_str_starts(v, "[WinError ")) {
        tn_buf_str(&c->b, v); /* Windows' own words: no names in them */
        return true;
    }
    if (rec != TN_REC_image)
        return false;
    if (r->style == TN_PATH_WINDOWS)
        return of_pe(c, f, v);
    /* $ORIGIN of a program is where its file really lies */
    struct tn_str at = tn_known(i->interp) && tn_known(i->real) ? i->real : i->path;
    const char *slash = tn_known(at) ? strrchr(at.v, '/') : NULL;
    const char *origin = slash ? tn_arena_strndup(&r->mem, at.v, (size_t)(slash - at.v)) : NULL;
    if (strcmp(f->name, "rpath") == 0 || strcmp(f->name, "runpath") == 0 ||
        (strcmp(f->name, "needed") == 0 && strchr(v, '/') && v[0] == '$'))
        tn_redact_run_path(r, origin, v, &c->b);
    else if (strcmp(f->name, "path") == 0 || strcmp(f->name, "real") == 0 || strcmp(f->name, "soname") == 0 ||
             strcmp(f->name, "needed") == 0)
        tn_redact_library_path(r, v, &c->b);
    else if (strcmp(f->name, "requires") == 0 || strcmp(f->name, "provides") == 0)
        tn_redact_version_node(r, v, &c->b);
    else
        return false;
    return true;
}

/* One text by its class into c->b; false: it is left out. */
static bool text_of(struct copy *c, unsigned rec, const void *row, const struct tn_field_desc *f, const char *v)
{
    tn_buf_clear(&c->b);
    if (of_loader(c, rec, row, f, v))
        return true;
    switch (f->privacy) {
    case TN_CLASS_PUBLIC: tn_redact_public(&c->r, v, &c->b); return true;
    case TN_CLASS_PSEUDONYM:
        if (*v)
            tn_redact_alias(&c->r, kind_of(rec, f), v, strlen(v), &c->b);
        return true;
    case TN_CLASS_PATH: tn_redact_path(&c->r, v, &c->b); return true;
    case TN_CLASS_PACKAGE:
        if (public_package(v, f->kind == TN_KIND_STR))
            tn_buf_str(&c->b, v);
        else if (f->kind == TN_KIND_STR)
            tn_buf_str(&c->b, "other");
        return c->b.n > 0;
    case TN_CLASS_URL: tn_redact_url(&c->r, v, &c->b); return true;
    case TN_CLASS_KERNEL: return (f->kind == TN_KIND_VER || of_number(rec, row)) && tn_redact_kernel(v, &c->b);
    case TN_CLASS_ENVIRONMENT:
        if (rec == TN_REC_modprobe && is_modprobe_word(v)) {
            tn_buf_str(&c->b, v);
            return true;
        }
        if (rec != TN_REC_variable)
            return false;
        tn_redact_variable(&c->r, ((const struct tn_rec_variable *)row)->name.v, v, &c->b);
        return true;
    default: return false;
    }
}

static bool is_text(const struct tn_field_desc *f)
{
    return f->kind == TN_KIND_STR || f->kind == TN_KIND_VER || f->kind == TN_KIND_PATH;
}

static bool is_number(const struct tn_field_desc *f)
{
    return f->kind == TN_KIND_INT || f->kind == TN_KIND_BOOL;
}

/* Leaves the fact "not asked" when nothing of it may be shown. */
static void copy_text(struct copy *c, unsigned rec, const void *row, const struct tn_field_desc *f, struct tn_str *ret)
{
    struct tn_str v = *(const struct tn_str *)(const void *)((const char *)row + f->offset);
    if (v.k != TN_KNOWN) {
        *ret = tn_fact_nostr(source(c, v.src), v.k);
        return;
    }
    bool kept = text_of(c, rec, row, f, v.v);
    c->count.masked[f->privacy] += !kept || strcmp(c->b.p, v.v) != 0;
    if (!kept)
        return;
    struct tn_str copy = tn_fact_str(&c->out, 0, c->b.p);
    copy.src = source(c, v.src);
    *ret = copy;
}

static void copy_number(struct copy *c, unsigned rec, const void *row, const struct tn_field_desc *f,
                        struct tn_int *ret)
{
    struct tn_int v = *(const struct tn_int *)(const void *)((const char *)row + f->offset);
    v.src = source(c, v.src);
    if (v.k == TN_KNOWN && f->privacy == TN_CLASS_PSEUDONYM) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)v.v);
        v.v = tn_redact_number(&c->r, kind_of(rec, f), text, strlen(text));
        c->count.masked[f->privacy]++;
    } else if (v.k == TN_KNOWN && f->privacy != TN_CLASS_PUBLIC) {
        c->count.masked[f->privacy]++;
        return;
    }
    *ret = v;
}

static void copy_list(struct copy *c, unsigned rec, const void *row, const struct tn_field_desc *f, struct tn_list *ret)
{
    struct tn_list v = *(const struct tn_list *)(const void *)((const char *)row + f->offset);
    const char **item = tn_arena_array(&c->out.mem, v.n, sizeof *item);
    uint32_t n = 0;
    bool changed = false;
    for (uint32_t i = 0; v.k == TN_KNOWN && i < v.n; i++) {
        bool kept = text_of(c, rec, row, f, v.v[i]);
        changed = changed || !kept || strcmp(c->b.p, v.v[i]) != 0;
        if (kept)
            item[n++] = tn_arena_strdup(&c->out.mem, c->b.p);
    }
    c->count.masked[f->privacy] += changed;
    v.v = v.k == TN_KNOWN ? item : NULL;
    v.n = n;
    v.src = source(c, v.src);
    *ret = v;
}

/* Rows that strangers do not even see. */
static bool is_hidden(struct copy *c, unsigned rec, const void *row)
{
    if (rec == TN_REC_dist) {
        const struct tn_rec_dist *d = row;
        if (!tn_known(d->name) || public_package(d->name.v, true))
            return false;
        c->count.packages++;
        return true;
    }
    if (rec == TN_REC_variable) {
        const struct tn_rec_variable *v = row;
        if (tn_known(v->name) && tn_redact_variable_kind(v->name.v) != TN_REDACT_UNLISTED)
            return false;
        c->count.variables++;
        return true;
    }
    return false;
}

static void copy_row(struct copy *c, unsigned rec, const void *from, void *to)
{
    const struct tn_rec_desc *d = &tn_schema[rec];
    for (unsigned i = 0; i < d->n_field; i++) {
        const struct tn_field_desc *f = &d->field[i];
        void *ret = (char *)to + f->offset;
        if (f->privacy == TN_CLASS_NEVER)
            c->count.masked[f->privacy] += tn_field_know(from, f, NULL) == TN_KNOWN;
        else if (is_text(f))
            copy_text(c, rec, from, f, ret);
        else if (is_number(f))
            copy_number(c, rec, from, f, ret);
        else
            copy_list(c, rec, from, f, ret);
    }
}

static void copy_record(struct copy *c, unsigned rec)
{
    const struct tn_rows *r = tn_snap_rows(c->r.in, rec);
    for (size_t i = 0; i < r->n; i++) {
        const void *from = tn_snap_row(c->r.in, rec, i);
        if (is_hidden(c, rec, from))
            continue;
        size_t at = 0;
        if (!tn_schema[rec].one) {
            tn_snap_add(&c->out, (enum tn_rec_id)rec);
            at = tn_snap_rows(&c->out, rec)->n - 1;
        }
        copy_row(c, rec, from, tn_snap_row(&c->out, rec, at));
    }
    tn_snap_rows(&c->out, rec)->listed = r->listed;
    tn_snap_rows(&c->out, rec)->src = source(c, r->src);
}

/* Which field holds what the second net found? */
static void blame(const struct tn_snap *raw, const struct tn_snap *s, struct tn_err *err)
{
    struct tn_buf b, name;
    tn_buf_init(&b);
    tn_buf_init(&name);
    bool found = false;
    for (unsigned rec = 0; rec < TN_REC_COUNT && !found; rec++)
        for (size_t i = 0; i < tn_snap_rows(s, rec)->n && !found; i++)
            for (unsigned k = 0; k < tn_schema[rec].n_field && !found; k++) {
                tn_buf_clear(&b);
                tn_snapshot_write_fact(s, tn_snap_row(s, rec, i), &tn_schema[rec].field[k], &b);
                if (tn_redact_search(raw, tn_span_of(b.p, b.n), NULL) == 0)
                    continue;
                tn_ref_name((struct tn_ref){(uint16_t)rec, (uint16_t)k, (uint32_t)i}, &name);
                snprintf(err->place, sizeof err->place, "%s", name.p);
                found = true;
            }
    tn_buf_deinit(&b);
    tn_buf_deinit(&name);
}

int tn_snapshot_redact(const struct tn_snap *in, struct tn_snap *out, struct tn_redact_count *ret, struct tn_err *err)
{
    struct copy c;
    struct tn_err local;
    memset(&c, 0, sizeof c);
    err = err ? err : &local;
    tn_redactor_init(&c.r, in);
    tn_snap_init(&c.out);
    tn_buf_init(&c.b);
    c.src = tn_arena_array(&c.r.mem, in->n_src, sizeof *c.src);
    c.count.unknown = (unsigned)in->n_more + (in->extra != NULL);
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++)
        copy_record(&c, rec);
    c.out.redacted = true;
    tn_snapshot_write(&c.out, &c.b);
    int rc = tn_redact_search(in, tn_span_of(c.b.p, c.b.n), err);
    if (rc)
        blame(in, &c.out, err);
    tn_buf_deinit(&c.b);
    tn_redactor_deinit(&c.r);
    if (rc) {
        tn_snap_deinit(&c.out);
        return rc;
    }
    *out = c.out;
    if (ret)
        *ret = c.count;
    return 0;
}
