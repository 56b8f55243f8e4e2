/* warn.c - what else has to be known of a choice. */
#include <string.h>

#include "base/str.h"
#include "plan/inner.h"
#include "strings.gen.h"
#include "version/dotted.h"

struct tn_plan_say *tn_plan_say_card(struct tn_arena *mem, struct tn_plan_says *says, const char *id,
                                     const struct tn_plan_card *c)
{
    struct tn_plan_say *say = tn_plan_says_add(says, id);
    tn_plan_arg(mem, say, "gpu", "%s", c->name);
    tn_plan_arg(mem, say, "capability", "%s", c->capability);
    tn_plan_arg(mem, say, "branch", "%s", c->last_branch);
    return say;
}

static struct tn_plan_say *say_build(struct tn_arena *mem, struct tn_plan_says *says, const char *id,
                                     const struct tn_plan_build *b)
{
    struct tn_plan_say *say = tn_plan_says_add(says, id);
    say->cite = b->cite;
    tn_plan_arg(mem, say, "package", "%s", b->package);
    tn_plan_arg(mem, say, "version", "%s", b->version);
    tn_plan_arg(mem, say, "cuda", "%s", b->cuda);
    tn_plan_arg(mem, say, "need", "%s", b->driver_need);
    return say;
}

static void say_post(struct tn_arena *mem, struct tn_plan *p, unsigned i)
{
    const struct tn_plan_build *b = p->choice.build[i];
    const struct tn_plan_wish *w = &p->wishes.v[i];
    if (*w->spec && !tn_plan_meets(b->version, w->spec)) {
        struct tn_plan_say *say =
            say_build(mem, &p->warning, strstr(b->version, ".post") ? TN_S_pl_note_post : TN_S_pl_note_minor, b);
        tn_plan_arg(mem, say, "spec", "%s", w->spec);
    }
}

/* Kernels that TensorFlow's build makes by MLIR are PTX of 9.0 in 2.16 and later, which drivers refuse for Blackwell:
 * its users reported so with 2.16.2, 2.18, 2.19, 2.20 and nightlies of 2.21 (tensorflow/tensorflow issues 89272, 90291,
 * 97387, 99592, 101746). No maker says so: it is told, and excludes nothing. */
static bool fails_from_ptx(const struct tn_plan_build *b)
{
    return b->kind == TN_PLAN_TENSORFLOW && !*b->build && tn_str_starts(b->ptx, "9.0");
}

/* Two generations of CUDA in one environment. */
static void warn_generations(struct tn_arena *mem, struct tn_plan *p)
{
    const char *shared = p->choice.cuda;
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        if (p->choice.n > 1 && b->gpu && b->mark & TN_PLAN_BUNDLED && *shared && *b->cuda &&
            tn_version_dotted_major(b->cuda) != tn_version_dotted_major(shared))
            tn_plan_arg(mem, say_build(mem, &p->warning, TN_S_pl_note_generations, b), "shared", "%s", shared);
    }
}

void tn_plan_warn(struct tn_arena *mem, struct tn_plan *p)
{
    const struct tn_plan_machine *m = &p->machine;
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        if (b->mark & TN_PLAN_JIT)
            say_build(mem, &p->warning, TN_S_pl_note_jit, b);
        if (b->mark & TN_PLAN_BEFORE_CARD)
            say_build(mem, &p->warning, fails_from_ptx(b) ? TN_S_pl_note_invalid_ptx : TN_S_pl_note_before_card, b);
        if (b->mark & TN_PLAN_SOME_CARDS)
            say_build(mem, &p->warning, TN_S_pl_note_some_cards, b);
        if (b->mark & TN_PLAN_OWN_WHEELS)
            say_build(mem, &p->warning, TN_S_pl_note_own_wheels, b);
        if (b->mark & TN_PLAN_OTHER_CUDNN)
            tn_plan_arg(mem, say_build(mem, &p->warning, TN_S_pl_note_conda_cudnn, b), "cudnn", "%s", b->cudnn);
        if (b->mark & TN_PLAN_NEWER)
            say_build(mem, &p->warning, TN_S_pl_note_newer, b);
        if (b->gpu && m->no_driver && *b->driver_need)
            say_build(mem, &p->warning, TN_S_pl_note_no_driver, b);
        say_post(mem, p, i);
    }
    warn_generations(mem, p);
    for (unsigned i = 0; i < m->n_card; i++)
        if (*m->card[i].last_branch)
            tn_plan_say_card(mem, &p->warning, TN_S_pl_note_last_branch, &m->card[i]);
}
