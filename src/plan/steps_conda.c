/* steps_conda.c - see steps.h: with conda-like tools. */
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
    return s;
}

/* TensorFlow's own libraries since 2.7 carry DT_RUNPATH, so that the Python's DT_RPATH ($ORIGIN/../lib) does not serve
 * what they load by name (ld.so(8)), and their folders are those of the wheels: conda's lib is found by
 * LD_LIBRARY_PATH alone. */
static bool needs_search(const struct tn_plan *p)
{
    for (unsigned i = 0; !p->machine.windows && i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        if (b->kind == TN_PLAN_TENSORFLOW && b->gpu && tn_version_dotted_cmp_parts(b->version, "2.7", 2) >= 0)
            return true;
    }
    return false;
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
    if (*p->choice.cuda)
        add_runtime(mem, p, s);
    s = step(mem, p, all, TN_STEP_PACKAGES);
    s->network = true;
    tn_plan_step_frameworks(mem, p, false, s);
    if (needs_search(p))
        step(mem, p, all, TN_STEP_SEARCH)->into = "lib";
}

/* Each framework by its version and build string, so that no other build comes in its place. */
void tn_plan_steps_conda(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    struct tn_plan_step *s = make_env(mem, p, all);
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
    for (unsigned i = 0; i < p->wishes.n_other; i++)
        tn_plan_step_package(s, tn_arena_printf(mem, "%s%s", p->wishes.other[i].name, p->wishes.other[i].spec));
}
