/* builds.c - what every kind of build shares: its wheel, and what this machine makes of it. */
#include "plan/inner.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "facts/arch.h"
#include "facts/cuda.h"
#include "facts/gpu.h"
#include "facts/needs.h"
#include "facts/wheels.h"
#include "version/dotted.h"
#include "version/pep440.h"

struct tn_plan_build *tn_plan_build_add(struct tn_arena *mem, struct tn_plan_builds *b)
{
    if (b->n == b->cap)
        b->v = tn_arena_grow(mem, b->v, b->n, &b->cap, sizeof *b->v);
    struct tn_plan_build *r = &b->v[b->n++];
    *r = (struct tn_plan_build){.package = "",
                                .version = "",
                                .variant = "",
                                .build = "",
                                .cuda = "",
                                .cudnn = "",
                                .cuda_spec = "",
                                .cudnn_spec = "",
                                .python_min = "",
                                .python_max = "",
                                .glibc_min = "",
                                .date = "",
                                .sass = "",
                                .ptx = "",
                                .driver_need = "",
                                .needs_flag = ""};
    return r;
}

void tn_plan_exclude(struct tn_plan_build *b, enum tn_plan_aspect a)
{
    b->excluded |= TN_PLAN_BIT(a);
}

bool tn_plan_excluded(const struct tn_plan_build *b, enum tn_plan_aspect a)
{
    return b->excluded & TN_PLAN_BIT(a);
}

bool tn_plan_meets(const char *version, const char *spec)
{
    bool met;
    struct tn_err err;
    return tn_version_pep440_match(version, spec, &met, &err) == 0 && met;
}

enum { VERSION, PLATFORM, ARCH, PYTHON_MIN, PYTHON_MAX, GLIBC, MB, YANKED, COLUMNS };

static uint32_t column(const struct tn_table *t, const char *name)
{
    int c = tn_facts_column(t, name);
    return c < 0 ? 0 : (uint32_t)c;
}

/* Rows of a package stand together. */
void tn_plan_wheels_of(struct tn_plan_wheels *it, const char *package, const char *platform, const char *arch)
{
    static const char *const names[COLUMNS] = {"version",    "platform",  "arch", "python_min",
                                               "python_max", "glibc_min", "mb",   "yanked"};
    it->t = tn_facts_find("wheels");
    it->platform = platform;
    it->arch = arch;
    it->row = it->end = 0;
    if (!it->t)
        return;
    for (unsigned i = 0; i < COLUMNS; i++)
        it->column[i] = column(it->t, names[i]);
    tn_facts_run(it->t, column(it->t, "package"), package, &it->row, &it->end);
}

bool tn_plan_wheels_next(struct tn_plan_wheels *it, struct tn_plan_wheel *ret)
{
    while (it->row < it->end) {
        uint32_t r = it->row++;
        const char *cell[COLUMNS];
        for (unsigned i = 0; i < COLUMNS; i++)
            cell[i] = tn_facts_cell(it->t, r, it->column[i]);
        bool any = tn_str_eq(cell[PLATFORM], "any");
        if ((!any && (!tn_str_eq(cell[PLATFORM], it->platform) || !tn_str_ieq(cell[ARCH], it->arch))) ||
            tn_str_eq(cell[YANKED], "yes"))
            continue;
        *ret = (struct tn_plan_wheel){.version = cell[VERSION],
                                      .python_min = cell[PYTHON_MIN],
                                      .python_max = cell[PYTHON_MAX],
                                      .glibc_min = cell[GLIBC],
                                      .mb = (unsigned)strtoul(cell[MB], NULL, 10),
                                      .cite = tn_facts_cite(it->t, r)};
        return true;
    }
    return false;
}

void tn_plan_take_wheel(struct tn_plan_build *b, const struct tn_plan_wheel *w)
{
    b->python_min = w->python_min;
    b->python_max = w->python_max;
    b->glibc_min = w->glibc_min;
    b->mb = w->mb;
    b->date = w->cite.date;
    b->wheel = w->cite;
}

const char *tn_plan_wheel_platform(const struct tn_plan_machine *m)
{
    return m->windows ? "windows" : "linux";
}

static bool lacks(const struct tn_plan_machine *m, const char *flag)
{
    return m->flags_known && !tn_list_has(TN_THE(m->s, cpu)->flags, flag);
}

static void judge_processor(struct tn_plan_build *b, const struct tn_plan_machine *m)
{
    struct tn_facts_needs needs;
    char word[32];
    const char *dist = b->kind == TN_PLAN_TENSORFLOW ? "tensorflow" : b->kind == TN_PLAN_JAX ? "jaxlib" : "";
    if (!*dist || tn_facts_cpu_needs(dist, b->version, m->arch, &needs) != TN_ANSWER_YES)
        return;
    for (const char *list = needs.needs; tn_facts_list_next(&list, word, sizeof word);)
        if (lacks(m, word)) {
            b->needs_flag = needs.needs;
            tn_plan_exclude(b, TN_ASPECT_FLAGS);
        }
}

static void judge_driver(struct tn_plan_build *b, const struct tn_plan_machine *m)
{
    struct tn_facts_driver_need need;
    enum tn_found found = tn_facts_cuda_driver(b->cuda, m->driver_platform, &need);
    bool floor = (found == TN_ANSWER_YES || found == TN_ANSWER_NEWER) && *need.floor;
    if (floor)
        b->driver_need = need.floor;
    if (*m->driver) {
        if (floor && tn_version_dotted_cmp(m->driver, need.floor) < 0)
            tn_plan_exclude(b, TN_ASPECT_DRIVER);
    } else if (*m->ceiling) {
        uint64_t major = tn_version_dotted_major(b->cuda);
        bool serves = major >= 11 ? tn_version_dotted_major(m->ceiling) >= major
                                  : tn_version_dotted_cmp(m->ceiling, b->cuda) >= 0;
        if (!serves)
            tn_plan_exclude(b, TN_ASPECT_DRIVER);
    }
    /* no last branch of the card may lie below the floor */
    for (unsigned i = 0; floor && i < m->n_card && !*m->driver; i++)
        if (*m->card[i].last_branch && tn_version_dotted_cmp_parts(m->card[i].last_branch, need.floor, 1) < 0)
            tn_plan_exclude(b, TN_ASPECT_DRIVER);
}

/* PTX of a CUDA release is read by drivers of that release on (error 222 else): facts/cuda.h. */
static bool reads_ptx(const struct tn_plan_build *b, const struct tn_plan_machine *m)
{
    return !*m->ceiling || tn_version_dotted_cmp(m->ceiling, b->cuda) >= 0;
}

/* Does the compiler of this CUDA write code for the card's generation? By the first release that does, to so many parts
 * of the number. To one: cuBLAS, cuDNN and their like hold code for the cards of their CUDA's days, and a later run
 * time of the major may serve; a release whose compiler knows nothing of a card's generation brings no libraries for
 * it, whatever PTX the framework itself holds. */
static bool knows(const struct tn_plan_build *b, const struct tn_plan_card *c, unsigned parts)
{
    return !*b->cuda || !*c->first_cuda || tn_version_dotted_cmp_parts(b->cuda, c->first_cuda, parts) >= 0;
}

static void judge_cards(struct tn_plan_build *b, const struct tn_plan_machine *m)
{
    unsigned run = 0, known = 0, jit = 0;
    bool unread = !*b->sass && !*b->ptx;
    if (unread)
        b->mark |= TN_PLAN_CODE_UNKNOWN;
    for (unsigned i = 0; i < m->n_card; i++) {
        const char *cc = m->card[i].capability;
        struct tn_facts_code code = {0};
        if (!*cc || (!unread && tn_facts_arch_code(cc, b->sass, b->ptx, &code) != TN_ANSWER_YES))
            continue;
        known++;
        const struct tn_plan_card *card = &m->card[i];
        bool compiled = unread ? !knows(b, card, 2) : code.how == TN_CODE_JIT; /* from PTX, if at all */
        if (compiled && !knows(b, card, 1))
            b->mark |= TN_PLAN_NO_LIBRARIES;
        else if (unread || code.how == TN_CODE_NATIVE || (compiled && reads_ptx(b, m)))
            run++;
        if (compiled && !knows(b, card, 2))
            b->mark |= TN_PLAN_BEFORE_CARD;
        jit += !unread && compiled;
    }
    if (known && !run)
        tn_plan_exclude(b, TN_ASPECT_CARD);
    if (run && run < known)
        b->mark |= TN_PLAN_SOME_CARDS;
    if (jit)
        b->mark |= TN_PLAN_JIT;
}

void tn_plan_judge(struct tn_plan_build *b, const struct tn_plan_machine *m)
{
    if ((m->macos || m->wsl1) && b->gpu)
        tn_plan_exclude(b, TN_ASPECT_SYSTEM);
    if (m->musl)
        tn_plan_exclude(b, TN_ASPECT_LIBC);
    if (*m->glibc && *b->glibc_min && tn_version_dotted_cmp(m->glibc, b->glibc_min) < 0)
        tn_plan_exclude(b, TN_ASPECT_GLIBC);
    judge_processor(b, m);
    if (b->gpu) {
        if (*b->cuda)
            judge_driver(b, m);
        judge_cards(b, m);
    }
    if (b->mark & (TN_PLAN_JIT | TN_PLAN_OWN_WHEELS | TN_PLAN_CODE_UNKNOWN) && b->quality < TN_PLAN_DOCUMENTED)
        b->quality = TN_PLAN_DOCUMENTED;
    if (b->mark & (TN_PLAN_NEWER | TN_PLAN_BEFORE_CARD))
        b->quality = TN_PLAN_UNTESTED;
}

static int by_preference(const void *x, const void *y)
{
    const struct tn_plan_build *a = x, *b = y;
    if (a->quality != b->quality)
        return a->quality < b->quality ? -1 : 1;
    unsigned some_a = a->mark & TN_PLAN_SOME_CARDS, some_b = b->mark & TN_PLAN_SOME_CARDS;
    if (some_a != some_b)
        return some_a < some_b ? -1 : 1;
    struct tn_pep440 va, vb;
    struct tn_err err;
    int cmp = tn_version_dotted_cmp(b->version, a->version); /* settles most, without reading further */
    if (cmp == 0 && tn_version_pep440_parse(tn_span_str(a->version), &va, &err) == 0 &&
        tn_version_pep440_parse(tn_span_str(b->version), &vb, &err) == 0)
        cmp = tn_version_pep440_cmp(&vb, &va);
    if (cmp == 0)
        cmp = tn_version_dotted_cmp(b->cuda, a->cuda);
    return cmp ? cmp : strcmp(a->variant, b->variant);
}

/* Stable, and the two halves apart, so that one comparison needs no context. */
void tn_plan_sort(struct tn_plan_builds *b, bool gpu)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->v[i].gpu == gpu) {
            struct tn_plan_build t = b->v[i];
            memmove(b->v + n + 1, b->v + n, (i - n) * sizeof t);
            b->v[n++] = t;
        }
    qsort(b->v, n, sizeof *b->v, by_preference);
    qsort(b->v + n, b->n - n, sizeof *b->v, by_preference);
}
