/* index.c - see index.h: which builds the index does not have, and what it has besides. */
#include "plan/index.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "plan/inner.h"
#include "strings.gen.h"
#include "version/dotted.h"
#include "version/pep440.h"
#include "version/wheeltag.h"

struct tn_index_package *tn_index_find(const struct tn_plan_index *x, const char *name, const char *variant)
{
    for (unsigned i = 0; i < x->n; i++)
        if (tn_str_eq(x->package[i].name, name) && tn_str_eq(x->package[i].variant, variant))
            return (struct tn_index_package *)(uintptr_t)&x->package[i];
    return NULL;
}

static int order(const char *a, const char *b)
{
    struct tn_pep440 x, y;
    if (tn_version_pep440_parse(tn_span_str(a), &x, NULL) != 0 ||
        tn_version_pep440_parse(tn_span_str(b), &y, NULL) != 0)
        return tn_str_cmp(a, b);
    return tn_version_pep440_cmp(&x, &y);
}

static bool is_pre(const char *v)
{
    struct tn_pep440 x;
    return tn_version_pep440_parse(tn_span_str(v), &x, NULL) != 0 || tn_version_pep440_is_pre(&x);
}

static bool tag_fits(struct tn_span tag, const struct tn_plan_machine *m)
{
    struct tn_platform_libc libc;
    char t[128];
    if (tag.n >= sizeof t)
        return false;
    memcpy(t, tag.p, tag.n);
    t[tag.n] = 0;
    if (tn_str_eq(t, "any"))
        return true;
    if (m->windows)
        return tn_str_eq(t, tn_str_eq(m->arch, "aarch64") ? "win_arm64" : "win_amd64");
    if (m->macos)
        return tn_str_starts(t, "macosx_");
    const char *arch = *m->arch ? m->arch : "x86_64";
    if (!tn_str_ends(t, arch))
        return false;
    if (tn_version_platform_libc(tag, &libc)) {
        char least[32];
        snprintf(least, sizeof least, "%u.%u", libc.major, libc.minor);
        return libc.kind == (m->musl ? TN_LIBC_MUSL : TN_LIBC_GLIBC) &&
               (m->musl || !*m->glibc || tn_version_dotted_cmp_parts(m->glibc, least, 2) >= 0);
    }
    return tn_str_starts(t, "linux_");
}

static bool fits_platform(const struct tn_index_file *f, const struct tn_plan_machine *m)
{
    const char *rest = f->platform;
    struct tn_span tag;
    while (tn_version_tag_next(&rest, &tag))
        if (tag_fits(tag, m))
            return true;
    return false;
}

/* "3.11": cp311, py3, or cp38 with abi3. */
static bool fits_python(struct tn_arena *mem, const struct tn_index_file *f, const char *python)
{
    const char *dot = strchr(python, '.');
    bool met;
    if (!dot)
        return true;
    if (*f->requires_python && tn_version_pep440_match(python, f->requires_python, &met, NULL) == 0 && !met)
        return false;
    if (tn_version_tag_has(f->python, "py3") || tn_version_tag_has(f->abi, "abi3"))
        return true;
    const char *tag = tn_arena_printf(mem, "%.*s%s", (int)(dot - python), python, dot + 1);
    return tn_version_tag_has(f->python, tn_arena_printf(mem, "cp%s", tag)) ||
           tn_version_tag_has(f->python, tn_arena_printf(mem, "py%s", tag));
}

const struct tn_index_file *tn_index_file_for(const struct tn_index_package *p, const struct tn_plan_machine *m,
                                              const char *version, const char *python)
{
    const struct tn_index_file *found = NULL;
    struct tn_arena tmp;
    tn_arena_init(&tmp);
    for (size_t i = 0; i < p->n; i++) {
        const struct tn_index_file *f = &p->v[i];
        if (order(f->version, version) != 0 || !fits_platform(f, m) || !fits_python(&tmp, f, python))
            continue;
        if (!found || (found->yanked && !f->yanked))
            found = f;
    }
    tn_arena_deinit(&tmp);
    return found;
}

bool tn_index_meets(const struct tn_index_package *p, const struct tn_plan_machine *m, const char *spec,
                    const char *python)
{
    struct tn_arena tmp;
    bool found = false;
    tn_arena_init(&tmp);
    for (size_t i = 0; i < p->n && !found; i++)
        found =
            tn_plan_meets(p->v[i].version, spec) && fits_platform(&p->v[i], m) && fits_python(&tmp, &p->v[i], python);
    tn_arena_deinit(&tmp);
    return found;
}

void tn_index_machine(const struct tn_plan *p, struct tn_plan_machine *ret)
{
    tn_plan_inside(&p->machine, p->method, ret);
}

bool tn_index_has_kind(const struct tn_plan_machine *m, const struct tn_plan_build *b)
{
    return b->kind != TN_PLAN_TORCH || !*b->variant ||
           (b->gpu && !m->windows && tn_str_eq(tn_plan_torch_default(b->version), b->variant));
}

const struct tn_index_miss *tn_index_missed(const struct tn_plan_index *x, const struct tn_plan_build *b)
{
    for (unsigned i = 0; x && i < x->n_miss; i++)
        if (tn_str_eq(x->miss[i].name, b->package) && tn_str_eq(x->miss[i].version, b->version) &&
            tn_str_eq(x->miss[i].variant, b->variant))
            return &x->miss[i];
    return NULL;
}

void tn_index_exclude(struct tn_arena *mem, const struct tn_plan_index *x, const struct tn_plan_machine *m,
                      struct tn_plan_builds *b)
{
    for (size_t i = 0; i < b->n; i++) {
        bool own = tn_index_has_kind(m, &b->v[i]);
        const struct tn_index_package *p = tn_index_find(x, b->v[i].package, own ? "" : b->v[i].variant);
        if (!p)
            continue;
        const char *version = own ? b->v[i].version : tn_arena_printf(mem, "%s+%s", b->v[i].version, b->v[i].variant);
        const struct tn_index_file *f = tn_index_file_for(p, m, version, "");
        if (!f || f->yanked || tn_index_missed(x, &b->v[i]))
            tn_plan_exclude(&b->v[i], TN_ASPECT_INDEX);
    }
}

static struct tn_plan_say *say(struct tn_arena *mem, struct tn_plan_says *ret, const char *id, const char *package,
                               const char *version)
{
    struct tn_plan_say *s = tn_plan_says_add(ret, id);
    tn_plan_arg(mem, s, "package", "%s", package);
    tn_plan_arg(mem, s, "version", "%s", version);
    return s;
}

static bool is_known(const char *package, const char *version)
{
    const struct tn_table *t = tn_facts_find("wheels");
    const struct tn_filter f[] = {{"package", TN_FILTER_EQ, package}, {"version", TN_FILTER_EQ, version}};
    return t && tn_facts_next(t, 0, f, 2) < t->nrows;
}

/* The newest of each sort. */
static void say_package(struct tn_arena *mem, struct tn_plan *p, const struct tn_index_package *x,
                        const struct tn_plan_build *b, const char *spec)
{
    const struct tn_index_file *yanked = NULL, *newer = NULL;
    for (size_t i = 0; i < x->n; i++) {
        const struct tn_index_file *f = &x->v[i];
        if (is_pre(f->version) || !fits_platform(f, &p->machine) || order(f->version, b->version) <= 0 ||
            (*spec && !tn_plan_meets(f->version, spec)))
            continue;
        bool known = is_known(b->package, f->version);
        if (f->yanked && (!yanked || order(f->version, yanked->version) > 0))
            yanked = f;
        if (!f->yanked && !known && (!newer || order(f->version, newer->version) > 0))
            newer = f;
    }
    if (yanked) {
        const struct tn_index_file *f = tn_index_file_for(x, &p->machine, yanked->version, "");
        if (f && f->yanked)
            tn_plan_arg(mem,
                        say(mem, &p->warning, *f->yanked ? TN_S_pl_index_yanked_why : TN_S_pl_index_yanked, x->name,
                            f->version),
                        "why", "%s", f->yanked);
    }
    if (newer)
        say(mem, &p->warning, TN_S_pl_index_newer, x->name, newer->version);
}

void tn_index_say_misses(struct tn_arena *mem, const struct tn_plan_index *x, struct tn_plan_says *ret)
{
    for (unsigned i = 0; x && i < x->n_miss; i++) {
        const struct tn_index_miss *m = &x->miss[i];
        bool first = m->why != TN_MISS_FILE;
        for (unsigned k = 0; k < i && first; k++)
            first = x->miss[k].why == TN_MISS_FILE || !tn_str_eq(x->miss[k].name, m->name);
        const char *id = m->why == TN_MISS_PIN ? TN_S_pl_index_pin : TN_S_pl_index_python;
        if (first)
            tn_plan_arg(mem, say(mem, ret, id, m->name, m->version), "what", "%s", m->what);
    }
}

void tn_index_says(struct tn_arena *mem, const struct tn_plan_index *x, struct tn_plan *p)
{
    struct tn_plan_machine *m = tn_arena_alloc(mem, sizeof *m);
    tn_index_machine(p, m);
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        const struct tn_index_package *page = tn_index_find(x, b->package, "");
        if (page && tn_index_has_kind(m, b))
            say_package(mem, p, page, b, p->wishes.v[i].spec);
    }
    tn_index_say_misses(mem, x, &p->warning);
}
