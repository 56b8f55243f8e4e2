/* builds_conda.c - what conda channels have: builds of the frameworks, and the CUDA run time for wheels.
 *
 * A GPU build is told by its build string (cuda126py..., gpu_py...), never by the package's name: mkl and cpu builds
 * have the same name, and a solver takes them silently (table conda_builds). From defaults nothing is taken: its terms
 * of service are to be accepted by a person first (Anaconda, "Terms of Service"). The driver: cuda-version and
 * cudatoolkit ask for __cuda of at least the major number, of the whole number before 11 (their recipes'
 * run_constrained), which is what tn_plan_judge asks for.
 *
 * Run time: cudatoolkit ends with 11.8; later ones are single packages held together by cuda-version. cuDNN of a later
 * minor of the same major serves ("Loaded runtime CuDNN library ... needs to have matching major version and equal or
 * higher minor version", TensorFlow's cuda_dnn.cc). */
#include <string.h>

#include "base/str.h"
#include "facts/conda.h"
#include "facts/gpu.h"
#include "plan/inner.h"
#include "version/dotted.h"

static const char *const names[] = {"tensorflow", "pytorch", "jaxlib", "onnxruntime"};

/* "3.9 3.10 3.11": its ends. */
static void take_pythons(struct tn_arena *mem, struct tn_plan_build *b, const char *list)
{
    char word[16];
    while (tn_facts_list_next(&list, word, sizeof word)) {
        if (!*b->python_min || tn_version_dotted_cmp(word, b->python_min) < 0)
            b->python_min = tn_arena_strdup(mem, word);
        if (!*b->python_max || tn_version_dotted_cmp(word, b->python_max) > 0)
            b->python_max = tn_arena_strdup(mem, word);
    }
}

static const struct tn_plan_build *find(const struct tn_plan_builds *all, size_t n, const char *version, bool gpu)
{
    for (size_t i = 0; i < n; i++)
        if (all->v[i].gpu == gpu && tn_version_dotted_cmp(all->v[i].version, version) == 0)
            return &all->v[i];
    return NULL;
}

/* Does this CUDA know every card? Its libraries hold code for the cards of its days. */
static bool knows_cards(const struct tn_plan_machine *m, const char *cuda)
{
    bool any = false, known = false;
    for (unsigned i = 0; i < m->n_card; i++) {
        struct tn_facts_capability c;
        if (!*m->card[i].capability || tn_facts_capability(m->card[i].capability, &c) != TN_ANSWER_YES)
            continue;
        known = true;
        any = any || ((!*c.first_cuda || tn_version_dotted_cmp_parts(cuda, c.first_cuda, 2) >= 0) &&
                      (!*c.last_cuda || tn_version_dotted_cmp_parts(cuda, c.last_cuda, 2) <= 0));
    }
    return any || !known;
}

static void take_runtime(struct tn_arena *mem, const char *platform, const struct tn_facts_conda *c,
                         struct tn_plan_build *b)
{
    struct tn_facts_conda cudnn;
    unsigned major = (unsigned)tn_version_dotted_major(c->cuda);
    char line[TN_DOTTED_TEXT];
    b->cuda = c->cuda;
    b->cuda_spec =
        major >= 11 ? tn_arena_printf(mem, ">=%s,<%u", c->cuda, major + 1) : tn_arena_printf(mem, "==%s.*", c->cuda);
    bool pinned = tn_version_dotted_head(c->cudnn, 1, line, sizeof line);
    if (tn_facts_conda_cudnn(platform, c->cuda, pinned ? line : NULL, &cudnn) == TN_ANSWER_YES) {
        b->cudnn = cudnn.version;
        b->cudnn_spec = tn_arena_printf(mem, "==%s", cudnn.version);
    }
}

static void add(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_kind kind,
                const struct tn_facts_conda *c, const struct tn_plan_build *wheel, struct tn_plan_builds *ret)
{
    struct tn_plan_build *b = tn_plan_build_add(mem, ret);
    b->kind = kind;
    b->gpu = !tn_str_eq(c->cuda, "none");
    b->package = names[kind];
    b->version = c->version;
    b->build = c->build;
    b->date = wheel ? wheel->date : c->cite.date;
    b->cite = b->wheel = c->cite;
    b->quality = TN_PLAN_DOCUMENTED;
    take_pythons(mem, b, c->pythons);
    if (b->gpu) {
        take_runtime(mem, c->platform, c, b);
        if (!knows_cards(m, c->cuda)) {
            b->mark |= TN_PLAN_NO_LIBRARIES;
            tn_plan_exclude(b, TN_ASPECT_CARD);
        }
    }
    if (!tn_str_eq(c->channel, "conda-forge")) {
        b->mark |= TN_PLAN_TERMS;
        tn_plan_exclude(b, TN_ASPECT_RUNTIME);
    }
    tn_plan_judge(b, m);
}

/* A release that pip has and conda has not, or has for the CPU alone. */
static void add_missing(struct tn_arena *mem, const struct tn_plan_build *wheel, const struct tn_plan_build *other,
                        struct tn_plan_builds *ret)
{
    const char *build = other ? other->build : "";
    struct tn_plan_build *b = tn_plan_build_add(mem, ret);
    *b = *wheel;
    b->package = names[b->kind];
    b->build = build;
    b->variant = b->cuda_spec = b->cudnn_spec = "";
    b->excluded = 0;
    b->mark = 0;
    tn_plan_exclude(b, TN_ASPECT_RUNTIME);
}

void tn_plan_list_conda(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_kind kind,
                        const struct tn_plan_builds *wheels, struct tn_plan_builds *ret)
{
    const char *platform = tn_facts_conda_platform(m->platform, m->arch);
    struct tn_facts_conda c;
    for (uint32_t row = 0; tn_facts_conda_next(names[kind], NULL, platform, NULL, &row, &c);)
        if (*c.cuda) /* else what it is built for was not to be read */
            add(mem, m, kind, &c, find(wheels, wheels->n, c.version, false), ret);
    size_t n = ret->n;
    for (size_t i = 0; i < wheels->n; i++) {
        const struct tn_plan_build *w = &wheels->v[i];
        if (!find(ret, n, w->version, w->gpu) && !find(wheels, i, w->version, w->gpu))
            add_missing(mem, w, w->gpu ? find(ret, n, w->version, false) : NULL, ret);
    }
}

/* --- the run time for wheels --- */

bool tn_plan_conda_has_cuda(const struct tn_plan_machine *m, const char *cuda)
{
    struct tn_facts_conda c;
    const char *platform = tn_facts_conda_platform(m->platform, m->arch);
    if (tn_version_dotted_major(cuda) < 12)
        return tn_facts_conda_toolkit(platform, cuda, &c) == TN_ANSWER_YES;
    /* one package for every system */
    return platform && tn_facts_conda_newest("cuda-version", cuda, NULL, "linux-64", NULL, true, &c) == TN_ANSWER_YES;
}

void tn_plan_conda_runtime(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_plan_build *b)
{
    struct tn_facts_conda c;
    char part[TN_DOTTED_TEXT];
    const char *platform = tn_facts_conda_platform(m->platform, m->arch);
    if (!tn_plan_conda_has_cuda(m, b->cuda)) {
        tn_plan_exclude(b, TN_ASPECT_RUNTIME);
        return;
    }
    if (!*b->cudnn || (tn_version_dotted_head(b->cudnn, 2, part, sizeof part) &&
                       tn_facts_conda_cudnn(platform, b->cuda, part, &c) == TN_ANSWER_YES))
        return;
    if (tn_version_dotted_head(b->cudnn, 1, part, sizeof part) &&
        tn_facts_conda_cudnn(platform, b->cuda, part, &c) == TN_ANSWER_YES &&
        tn_version_dotted_cmp(c.version, b->cudnn) > 0) {
        b->cudnn_spec = tn_arena_printf(mem, "==%s", c.version);
        b->mark |= TN_PLAN_OTHER_CUDNN;
        if (b->quality < TN_PLAN_DOCUMENTED)
            b->quality = TN_PLAN_DOCUMENTED;
        return;
    }
    tn_plan_exclude(b, TN_ASPECT_RUNTIME);
}

void tn_plan_conda_cudnns(struct tn_plan_universe *u)
{
    struct tn_facts_conda c;
    const char *platform = tn_facts_conda_platform(u->m->platform, u->m->arch);
    for (uint32_t row = 0; tn_facts_conda_next("cudnn", NULL, platform, NULL, &row, &c);)
        tn_plan_add_value(u, &u->cudnn, c.version);
}

void tn_plan_conda_cudas(struct tn_plan_universe *u)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->cuda.n; i++)
        if (tn_plan_conda_has_cuda(u->m, u->cuda.value[i]))
            u->cuda.value[n++] = u->cuda.value[i];
    u->cuda.n = n;
}

const char *tn_plan_conda_cudnn_majors(const struct tn_plan_universe *u, const char *cudnn)
{
    struct tn_facts_conda c;
    char major[TN_DOTTED_TEXT];
    const char *platform = tn_facts_conda_platform(u->m->platform, u->m->arch), *all = "";
    for (uint32_t row = 0; tn_facts_conda_next("cudnn", cudnn, platform, NULL, &row, &c);)
        if (tn_version_dotted_cmp(c.version, cudnn) == 0 && tn_version_dotted_head(c.cuda, 1, major, sizeof major) &&
            !tn_facts_list_has(all, major))
            all = tn_arena_printf(u->mem, "%s%s%s", all, *all ? " " : "", major);
    return all;
}
