/* steps_inside.c - see steps.h: a container, and WSL 2. */
#include "base/str.h"
#include "plan/export.h"
#include "plan/inner.h"
#include "plan/steps.h"

/* The makers' image as it is; else Python's own with the wheels in it. */
void tn_plan_steps_docker(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    struct tn_plan_step *s;
    const char *name = p->image;
    if (!*p->image || p->wishes.n_other) {
        s = tn_plan_step_add(all, TN_STEP_IMAGE);
        s->program = tn_plan_engine_of(&p->machine);
        s->env = tn_plan_env_of(mem, p);
        struct tn_export x = {.mem = mem, .p = p, .steps = all};
        char *lower = tn_arena_printf(mem, "%s", tn_export_name(&x)); /* of an image: no capitals */
        for (char *c = lower; *c; c++)
            *c = tn_lower(*c);
        s->image = *p->image ? p->image : tn_arena_printf(mem, "python:%s", p->choice.python);
        s->into = name = lower;
        s->network = true;
        if (*p->image)
            for (unsigned i = 0; i < p->wishes.n_other; i++)
                tn_plan_step_package(s, tn_arena_printf(mem, "%s%s", p->wishes.other[i].name, p->wishes.other[i].spec));
        else
            tn_plan_step_frameworks(mem, p, true, s);
        if (!*p->image && tn_plan_needs_link(p)) {
            s->python = p->choice.python;
            s->link = tn_plan_link_into(p);
        }
    }
    s = tn_plan_step_add(all, TN_STEP_IMAGE);
    s->program = tn_plan_engine_of(&p->machine);
    s->env = tn_plan_env_of(mem, p);
    s->image = name;
    s->gpu = p->gpu;
    s->network = name == p->image;
}

/* WSL once, in PowerShell; what follows is typed in there, where uv fetches the Python. */
void tn_plan_steps_wsl(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    struct tn_plan *inside = tn_arena_memdup(mem, p, sizeof *p);
    const struct tn_rec_wsl *there = tn_plan_wsl_there(&p->machine);
    struct tn_plan_step *s;
    if (!there) {
        s = tn_plan_step_add(all, TN_STEP_WSL);
        s->network = s->root = true;
    }
    s = tn_plan_step_add(all, TN_STEP_UV);
    s->network = s->inside = true;
    tn_plan_inside(&p->machine, TN_METHOD_WSL, &inside->machine);
    inside->method = TN_METHOD_UV;
    unsigned first = all->n;
    tn_plan_steps_wheels(mem, inside, all);
    for (unsigned i = first; i < all->n; i++)
        all->v[i].inside = true;
}
