/* say_conda.c - see steps.h: what has to be known of a plan that conda or one of its kind carries out.
 *
 * __cuda is the driver that conda finds where it runs; packages for CUDA ask for it, so that nothing is found, or a CPU
 * build, on a machine without one. CONDA_OVERRIDE_CUDA states it (conda, "Managing virtual packages"; libmamba reads
 * the same variable); pixi keeps it in its file. */
#include "base/str.h"
#include "plan/inner.h"
#include "plan/steps.h"
#include "strings.gen.h"

static bool is_described(const struct tn_snap *s)
{
    uint32_t src = TN_THE(s, host)->os.src;
    return tn_known(TN_THE(s, host)->os) && src < s->n_src && tn_str_eq(s->src[src].asked, "described");
}

bool tn_plan_asks_cuda(const struct tn_plan *p)
{
    bool pixi = tn_str_eq(p->machine.conda, "pixi");
    return *p->choice.cuda && p->gpu && !pixi &&
           (p->method == TN_METHOD_CONDA || (p->method == TN_METHOD_MIXED && tn_plan_takes_conda_runtime(p)));
}

void tn_plan_say_conda(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_says *why,
                       struct tn_plan_says *warning)
{
    const struct tn_plan_machine *m = &p->machine;
    struct tn_plan_say *say;
    if (p->method != TN_METHOD_MIXED && p->method != TN_METHOD_CONDA)
        return;
    if (m->tools_known && !*m->conda)
        tn_plan_says_add(warning, TN_S_pl_note_no_conda);
    if (p->gpu && p->method == TN_METHOD_MIXED && !tn_plan_takes_conda_runtime(p)) {
        say = tn_plan_says_add(why, TN_S_pl_why_own_cuda);
        tn_plan_arg(mem, say, "package", "%s", p->choice.build[0]->package);
    }
    if (!tn_plan_asks_cuda(p) || (!m->no_driver && (m->windows || !is_described(m->s))))
        return;
    say = tn_plan_says_add(why, m->no_driver ? TN_S_pl_why_override : TN_S_pl_why_override_elsewhere);
    tn_plan_arg(mem, say, "cuda", "%s", p->choice.cuda);
    tn_plan_arg(mem, say, "program", "%s", *m->conda ? m->conda : "conda");
}
