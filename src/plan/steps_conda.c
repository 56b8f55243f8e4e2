/* steps_conda.c - see steps.h: with conda-like tools. */
#include "base/str.h"
#include "plan/steps.h"
#include "version/dotted.h"

/* conda's Python and CUDA run time, then pip (TensorFlow's install page for Windows up to 2.10). */
void tn_plan_steps_both(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    const char *env = tn_plan_env_of(mem, p);
    struct tn_plan_step *s = tn_plan_step_add(all, TN_STEP_CONDA_ENV);
    s->tool = TN_STEP_BY_CONDA;
    s->program = *p->machine.conda ? p->machine.conda : "conda";
    s->env = env;
    s->named = !tn_plan_is_path(env);
    s->python = p->choice.python;
    s->channel[s->n_channel++] = "conda-forge";
    s->network = true;
    tn_plan_step_package(s, tn_arena_printf(mem, "python=%s", p->choice.python));
    if (*p->choice.cuda) {
        tn_plan_step_package(s, tn_arena_printf(mem, "cudatoolkit=%s", p->choice.cuda));
        char minor[TN_DOTTED_TEXT];
        if (tn_version_dotted_head(p->choice.cudnn, 2, minor, sizeof minor))
            tn_plan_step_package(s, tn_arena_printf(mem, "cudnn=%s", minor));
    }
    s = tn_plan_step_add(all, TN_STEP_PACKAGES);
    s->tool = TN_STEP_BY_CONDA;
    s->program = *p->machine.conda ? p->machine.conda : "conda";
    s->env = env;
    s->named = !tn_plan_is_path(env);
    s->python = p->choice.python;
    s->network = true;
    tn_plan_step_frameworks(mem, p, false, s);
}
