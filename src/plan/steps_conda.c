/* steps_conda.c - see steps.h: with conda-like tools. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "plan/inner.h"
#include "plan/steps.h"
#include "version/dotted.h"

static struct tn_plan_step *step(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all,
                                 enum tn_step_kind kind)
{
    const char *env = tn_plan_env_of(mem, p);
    struct tn_plan_step *s = tn_plan_step_add(all, kind);
    s->tool = TN_STEP_BY_CONDA;
    s->program = *p->machine.conda ? p->machine.conda : "conda";
    s->exe = p->machine.conda_exe;
    s->env = env;
    s->named = !tn_plan_is_path(env);
    s->python = p->choice.python;
    return s;
}

static struct tn_plan_step *make_env(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    struct tn_plan_step *s = step(mem, p, all, TN_STEP_CONDA_ENV);
    s->channel[s->n_channel++] = tn_plan_conda_channel(p);
    s->network = true;
    tn_plan_step_package(s, tn_arena_printf(mem, "python=%s", p->choice.python));
    char major[TN_DOTTED_TEXT]; /* what __cuda has to be, for tools that do not ask the machine */
    if (tn_version_dotted_head(p->choice.cuda, tn_version_dotted_major(p->choice.cuda) < 11 ? 2 : 1, major,
                               sizeof major))
        s->version = tn_arena_strdup(mem, major);
    if (p->machine.no_driver && tn_plan_asks_cuda(p))
        s->override = p->choice.cuda;
    return s;
}

/* The extra that takes a run time that is there, "cuda12-local" ("_local" before JAX 0.6); "" before there was one. JAX
 * installation page, "pip installation: NVIDIA GPU (CUDA, installed locally)"; table jax_builds, from the metadata. */
static const char *local_extra(const struct tn_plan_build *b)
{
    const struct tn_table *t = tn_facts_find("jax_builds");
    const struct tn_filter f[] = {{"jax_version", TN_FILTER_EQ, b->version}};
    char word[32];
    snprintf(word, sizeof word, "cuda%u", (unsigned)tn_version_dotted_major(b->cuda));
    for (uint32_t r = 0; t && b->gpu && (r = tn_facts_next(t, r, f, 1)) < t->nrows; r++) {
        const char *extra = tn_facts_get(t, r, "cuda_extra"), *rest = extra + strlen(word);
        if (tn_str_starts(extra, word) && (tn_str_eq(rest, "-local") || tn_str_eq(rest, "_local")))
            return extra;
    }
    return "";
}

/* Does the build take conda's run time? PyTorch's wheels bring or name their own, JAX's do without such an extra. */
static bool takes_runtime(const struct tn_plan_build *b)
{
    return b->gpu && !(b->mark & TN_PLAN_BUNDLED) &&
           (b->kind == TN_PLAN_TENSORFLOW || b->kind == TN_PLAN_ORT ||
            (b->kind == TN_PLAN_JAX && *local_extra(b) != '\0'));
}

bool tn_plan_takes_conda_runtime(const struct tn_plan *p)
{
    for (unsigned i = 0; i < p->choice.n; i++)
        if (takes_runtime(p->choice.build[i]))
            return true;
    return false;
}

/* TensorFlow's own libraries since 2.7 carry DT_RUNPATH, so that the Python's DT_RPATH ($ORIGIN/../lib) does not serve
 * what they load by name (ld.so(8)), and their folders are those of the wheels: conda's lib is found by
 * LD_LIBRARY_PATH alone. JAX's page asks for that variable itself. */
static bool needs_search(const struct tn_plan *p)
{
    for (unsigned i = 0; !p->machine.windows && i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        bool rpath = b->kind == TN_PLAN_TENSORFLOW && tn_version_dotted_cmp_parts(b->version, "2.7", 2) < 0;
        if (takes_runtime(b) && !rpath)
            return true;
    }
    return false;
}

/* "jax[cuda12]==0.6.0" -> "jax[cuda12-local]==0.6.0" */
static void take_local(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_step *s)
{
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        if (b->kind != TN_PLAN_JAX || !takes_runtime(b))
            continue;
        for (unsigned k = 0; k < s->n_package; k++)
            if (tn_str_starts(s->package[k], "jax["))
                s->package[k] = tn_arena_printf(mem, "jax[%s]==%s", local_extra(b), b->version);
    }
}

/* From 12 on: cuda-libraries holds what cudatoolkit held; CUPTI, ptxas and NCCL are packages of their own. */
static void add_runtime(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_step *s)
{
    char minor[TN_DOTTED_TEXT];
    if (tn_version_dotted_major(p->choice.cuda) >= 12) {
        tn_plan_step_package(s, tn_arena_printf(mem, "cuda-version=%s", p->choice.cuda));
        tn_plan_step_package(s, "cuda-libraries");
        tn_plan_step_package(s, "cuda-cupti");
        if (!p->machine.windows) {
            tn_plan_step_package(s, "cuda-nvcc-tools");
            tn_plan_step_package(s, "nccl");
        }
    } else {
        tn_plan_step_package(s, tn_arena_printf(mem, "cudatoolkit=%s", p->choice.cuda));
    }
    if (tn_version_dotted_head(p->choice.cudnn, 2, minor, sizeof minor))
        tn_plan_step_package(s, tn_arena_printf(mem, "cudnn=%s", minor));
}

/* conda's Python and CUDA run time, then pip (TensorFlow's install page for Windows up to 2.10). */
void tn_plan_steps_both(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    struct tn_plan_step *s = make_env(mem, p, all);
    bool runtime = *p->choice.cuda && tn_plan_takes_conda_runtime(p);
    if (runtime)
        add_runtime(mem, p, s);
    s->into = runtime ? "cuda" : "";
    s = step(mem, p, all, TN_STEP_PACKAGES);
    s->network = true;
    tn_plan_step_frameworks(mem, p, false, s);
    take_local(mem, p, s);
    if (needs_search(p))
        step(mem, p, all, TN_STEP_SEARCH)->into = "lib";
}

/* Each framework by its version and build string, so that no other build comes in its place. */
void tn_plan_steps_conda(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    struct tn_plan_step *s = make_env(mem, p, all);
    char minor[TN_DOTTED_TEXT];
    s->into = "all";
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        tn_plan_step_package(s, *b->build ? tn_arena_printf(mem, "%s=%s=%s", b->package, b->version, b->build)
                                          : tn_arena_printf(mem, "%s=%s", b->package, b->version));
        if (b->kind == TN_PLAN_JAX) /* which jaxlib it takes, it says itself */
            tn_plan_step_package(s, "jax");
        if (!s->cite.source)
            s->cite = b->cite;
    }
    if (tn_version_dotted_major(p->choice.cuda) >= 11 && tn_plan_conda_has_cuda(&p->machine, p->choice.cuda))
        tn_plan_step_package(s, tn_arena_printf(mem, "cuda-version=%s", p->choice.cuda));
    if (tn_version_dotted_head(p->choice.cudnn, 2, minor, sizeof minor)) /* else a newer one than was said */
        tn_plan_step_package(s, tn_arena_printf(mem, "cudnn=%s", minor));
    for (unsigned i = 0; i < p->wishes.n_other; i++)
        tn_plan_step_package(s, tn_arena_printf(mem, "%s%s", p->wishes.other[i].name, p->wishes.other[i].spec));
}
