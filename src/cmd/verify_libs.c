/* verify_libs.c - see verify_libs.h. */
#include "cmd/verify_libs.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "check/look.h"
#include "os/os.h"
#include "version/soname.h"

/* "libcublas.so.12", "cublas64_12.dll" of "cublas". */
static bool is_of(struct tn_str name, const char *stem)
{
    struct tn_soname so;
    if (!tn_known(name) || tn_version_soname_parse(name.v, &so, NULL))
        return false;
    return tn_str_ieq(tn_str_starts(so.stem, "lib") ? so.stem + 3 : so.stem, stem);
}

/* What the frameworks get, alone and not after one another. */
static bool by_framework(const struct tn_judge *j, const char *stem, struct tn_verify_library *ret)
{
    size_t row = 0;
    bool asked = false;
    for (const struct tn_rec_load *r; (r = tn_look_load_next(j, NULL, &row));) {
        if (!is_of(r->name, stem) || tn_known(r->after))
            continue;
        ret->env = r->env.v;
        if (tn_says(r->outcome, "found") && tn_known(r->path) && !tn_says(r->kind, "stub")) {
            ret->file = r->path.v;
            ret->why = NULL;
            return true;
        }
        if (!asked && (tn_says(r->outcome, "missing") || tn_says(r->outcome, "stops"))) {
            ret->file = r->name.v;
            ret->why = tn_says(r->outcome, "missing") ? "not-found" : "loader-stops";
            asked = true;
        }
    }
    return asked;
}

static bool is_better(const struct tn_rec_library *l, const struct tn_rec_library *than)
{
    if (tn_known(l->env) != tn_known(than->env))
        return tn_known(l->env);
    if (l->rank.k == TN_KNOWN && l->rank.k == than->rank.k && l->rank.v == than->rank.v) /* a damaged one has no own */
        return tn_says(l->place, "path") && !tn_says(than->place, "path");
    return l->rank.k == TN_KNOWN && (than->rank.k != TN_KNOWN || l->rank.v < than->rank.v);
}

/* A damaged copy, too, and a stub: the loader takes what it meets first. */
static bool is_met(const struct tn_judge *j, const struct tn_rec_library *l)
{
    if (tn_known(l->env))
        return tn_judge_sees(j, l->env);
    return tn_is(l->reachable, 1) && !tn_is(l->bits, 32);
}

/* In the environment, else where every program finds it. */
static bool by_search(const struct tn_judge *j, const char *stem, struct tn_verify_library *ret)
{
    const struct tn_rec_library *best = NULL;
    size_t row = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));)
        if (is_of(l->soname, stem) && tn_known(l->path) && is_met(j, l) && (!best || is_better(l, best)))
            best = l;
    if (!best)
        return false;
    ret->file = best->path.v;
    ret->env = tn_known(best->env) ? best->env.v : NULL;
    return true;
}

unsigned tn_verify_libs(const struct tn_judge *j, struct tn_verify_library ret[TN_VERIFY_LAYERS])
{
    unsigned n = 0;
    for (unsigned i = 0; j && i < TN_VERIFY_LAYERS; i++) {
        struct tn_verify_library l = {.layer = i};
        const char *stem = tn_verify_layers[i].stem;
        bool asked = by_framework(j, stem, &l);
        if (asked && !l.why) {
            ret[n++] = l;
            continue;
        }
        struct tn_verify_library found = {.layer = i};
        if (!asked && by_search(j, stem, &found))
            ret[n++] = found;
        else if (asked)
            ret[n++] = l;
    }
    return n;
}

/* The file that was predicted for a name; NULL: none was. */
static const char *predicted(const struct tn_judge *j, const struct tn_verify_library *library, unsigned n,
                             const char *name)
{
    enum tn_path_style st = tn_snap_style(j->s);
    for (unsigned i = 0; i < n; i++)
        if (!library[i].why && tn_path_same(st, tn_path_base(st, library[i].file), name))
            return library[i].file;
    size_t row = tn_look_load(j, NULL, name);
    if (row == j->s->load.n || !tn_says(j->s->load.v[row].outcome, "found"))
        return NULL;
    const struct tn_rec_load *r = &j->s->load.v[row];
    return tn_known(r->real) ? r->real.v : tn_known(r->path) ? r->path.v : NULL;
}

/* maps(5) shows files with their links resolved. */
static bool same_file(const char *path, const char *real)
{
    struct tn_buf b;
    bool same = strcmp(path, real) == 0;
    tn_buf_init(&b);
    if (!same && tn_os_realpath(path, &b, NULL) == 0)
        same = strcmp(b.p, real) == 0;
    tn_buf_deinit(&b);
    return same;
}

void tn_verify_others(struct tn_snap *s, const struct tn_judge *j, const struct tn_verify_library *library, unsigned n)
{
    enum tn_path_style st = tn_snap_style(s);
    for (size_t i = 0; i < s->measurement.n; i++) {
        struct tn_rec_measurement *m = &s->measurement.v[i];
        if (!tn_says(m->what, "loaded") || !tn_known(m->file))
            continue;
        const char *want = predicted(j, library, n, tn_path_base(st, m->file.v));
        if (want && !same_file(want, m->file.v))
            m->text = tn_fact_str(s, m->what.src, want);
    }
}
