/* plan.c - see plan.h: which way of installing, what is chosen, and what has to be said of it. */
#include "plan/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "plan/index.h"
#include "plan/inner.h"
#include "plan/steps.h"
#include "strings.gen.h"
#include "version/dotted.h"

struct tn_plan_say *tn_plan_says_add(struct tn_plan_says *says, const char *id)
{
    struct tn_plan_say *say = &says->v[says->n < TN_PLAN_MAX_SAY ? says->n++ : TN_PLAN_MAX_SAY - 1];
    *say = (struct tn_plan_say){.id = id};
    return say;
}

void tn_plan_arg(struct tn_arena *mem, struct tn_plan_say *say, const char *key, const char *fmt, ...)
{
    va_list ap;
    char text[512];
    if (say->n_arg == TN_MAX_ARGS)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    say->arg[say->n_arg++] = (struct tn_arg){key, tn_arena_strdup(mem, text)};
}

static const char *const method_words[TN_METHODS] = {"auto",  "pip",    "uv",     "virtualenv", "mixed",
                                                     "conda", "manual", "docker", "wsl"};

int tn_plan_method_of(const char *word)
{
    for (int i = 0; i < TN_METHODS; i++)
        if (tn_str_eq(word, method_words[i]))
            return i;
    return -1;
}

bool tn_plan_method_is_wheels(enum tn_plan_method m)
{
    return m == TN_METHOD_PIP || m == TN_METHOD_UV || m == TN_METHOD_VIRTUALENV;
}

const char *tn_plan_method_word(enum tn_plan_method m)
{
    return method_words[m];
}

const char *tn_plan_quality_word(enum tn_plan_quality q)
{
    static const char *const words[] = {"tested", "documented", "untested"};
    return words[q];
}

const char *tn_plan_kind_word(enum tn_plan_kind k)
{
    static const char *const words[] = {"tensorflow", "torch", "jax", "onnxruntime"};
    return words[k];
}

/* One way of installing, tried. */
struct attempt {
    enum tn_plan_method method;
    struct tn_plan_universe u;
    struct tn_solve_answer answer;
    struct tn_plan_choice choice;
};

static struct attempt *solve(struct tn_arena *mem, const struct tn_plan *p, const struct tn_plan_wishes *w,
                             enum tn_plan_method method, enum tn_plan_method runtime)
{
    struct attempt *a = tn_arena_alloc(mem, sizeof *a);
    struct tn_plan_machine *m = tn_arena_alloc(mem, sizeof *m);
    memset(a, 0, sizeof *a);
    tn_plan_inside(&p->machine, method, m);
    a->method = method;
    a->u = (struct tn_plan_universe){.mem = mem, .w = w, .m = m, .method = runtime};
    tn_plan_universe_make(&a->u);
    tn_solve_run(a->u.solve, &a->answer);
    if (a->answer.end == TN_SOLVE_FOUND)
        tn_plan_choose(&a->u, a->answer.value, &a->choice);
    return a;
}

static bool clashes_in(const struct attempt *a, enum tn_plan_aspect aspect)
{
    for (uint32_t i = 0; a->answer.end == TN_SOLVE_CLASH && i < a->answer.n_reason; i++) {
        const struct tn_plan_reason *r = &a->u.reason[a->answer.reason[i]];
        if (r->kind == TN_REASON_BUILD && r->aspect == aspect)
            return true;
    }
    return false;
}

/* Inside WSL and containers NVIDIA's wheels serve; the makers' images also hold what is not among those. */
static struct attempt *try(struct tn_arena *mem, const struct tn_plan *p, const struct tn_plan_wishes *w,
                           enum tn_plan_method method)
{
    if (method != TN_METHOD_DOCKER && method != TN_METHOD_WSL)
        return solve(mem, p, w, method, method);
    struct attempt *a = solve(mem, p, w, method, TN_METHOD_PIP);
    bool image = method == TN_METHOD_DOCKER && w->n == 1 && clashes_in(a, TN_ASPECT_RUNTIME);
    struct attempt *b = image ? solve(mem, p, w, method, TN_METHOD_DOCKER) : a;
    return b->answer.end == TN_SOLVE_FOUND && !*tn_plan_image_of(mem, &p->machine, w, &b->choice) && image ? a : b;
}

/* The wheels' run time where it can be had; conda's where conda is there and its pair is the better tested one, or
 * where the index has none. */
static struct attempt *try_all(struct tn_arena *mem, const struct tn_plan *p)
{
    const struct tn_plan_wishes *w = &p->wishes;
    if (w->method != TN_METHOD_AUTO)
        return try(mem, p, w, w->method);
    struct attempt *a = try(mem, p, w, *p->machine.uv ? TN_METHOD_UV : TN_METHOD_PIP);
    if (a->answer.end == TN_SOLVE_FOUND && (a->choice.quality == TN_PLAN_TESTED || !*p->machine.conda))
        return a;
    if (a->answer.end == TN_SOLVE_LIMIT)
        return a;
    struct attempt *b = try(mem, p, w, TN_METHOD_MIXED);
    if (a->answer.end == TN_SOLVE_FOUND)
        return b->answer.end == TN_SOLVE_FOUND && b->choice.quality < a->choice.quality ? b : a;
    return b->answer.end == TN_SOLVE_FOUND || clashes_in(a, TN_ASPECT_RUNTIME) ? b : a;
}

/* --- what is said of a choice --- */

static void say_gpu(struct tn_arena *mem, struct tn_plan *p, const struct attempt *a)
{
    const struct tn_plan_machine *m = &p->machine;
    const char *why = *a->u.gpu_why ? a->u.gpu_why : a->u.cpu_why;
    if (*why) {
        struct tn_plan_say *say = tn_plan_says_add(&p->why, why);
        tn_plan_arg(mem, say, "gpu", "%s", m->n_card ? m->card[0].name : "");
        tn_plan_arg(mem, say, "capability", "%s", m->n_card ? m->card[0].capability : "");
    } else if (m->n_card) {
        tn_plan_say_card(mem, &p->why, TN_S_pl_why_weak, &m->card[0]);
    }
}

/* The newest release of the kind that would have been had otherwise, and what speaks against it. */
static void say_newer(struct tn_arena *mem, struct tn_plan *p, struct attempt *a, unsigned package)
{
    const struct tn_plan_build *mine = p->choice.build[package], *newest = mine;
    const struct tn_plan_builds *all = &a->u.builds[package];
    for (size_t i = 0; i < all->n; i++) {
        const struct tn_plan_build *b = &all->v[i];
        if (b->gpu == mine->gpu && !tn_plan_excluded(b, TN_ASPECT_WISH) && !tn_plan_excluded(b, TN_ASPECT_DATE) &&
            tn_version_dotted_cmp(b->version, newest->version) > 0)
            newest = b;
    }
    if (newest == mine)
        return;
    unsigned aspect = TN_ASPECT_PYTHON;
    for (unsigned i = 0; i < TN_ASPECT_PYTHON && aspect == TN_ASPECT_PYTHON; i++)
        if (tn_plan_excluded(newest, i))
            aspect = i;
    static const char *const ids[TN_ASPECT_PYTHON] = {
        [TN_ASPECT_CUDA] = "pl_newer_cuda",   [TN_ASPECT_SYSTEM] = "pl_newer_system",
        [TN_ASPECT_ARCH] = "pl_newer_arch",   [TN_ASPECT_GLIBC] = "pl_newer_glibc",
        [TN_ASPECT_FLAGS] = "pl_newer_flags", [TN_ASPECT_DRIVER] = "pl_newer_driver",
        [TN_ASPECT_CARD] = "pl_newer_card",   [TN_ASPECT_RUNTIME] = "pl_newer_runtime",
        [TN_ASPECT_INDEX] = "pl_newer_index",
    };
    const char *id = aspect < TN_ASPECT_PYTHON ? ids[aspect] : NULL;
    if (aspect == TN_ASPECT_RUNTIME && p->method == TN_METHOD_CONDA)
        id = TN_S_pl_newer_conda;
    if (aspect == TN_ASPECT_INDEX && tn_index_missed(p->wishes.index, newest) &&
        tn_index_missed(p->wishes.index, newest)->why != TN_MISS_FILE)
        return; /* said with the index's own findings */
    if (!id && newest->mark & TN_PLAN_OWN_WHEELS)
        id = TN_S_pl_newer_own_wheels;
    else if (!id && newest->mark & TN_PLAN_JIT && !(mine->mark & TN_PLAN_JIT))
        id = TN_S_pl_newer_jit;
    else if (!id && *p->wishes.python)
        id = TN_S_pl_newer_python;
    else if (!id && p->choice.n > 1)
        id = TN_S_pl_newer_together;
    if (!id)
        return;
    struct tn_plan_say *say = tn_plan_says_add(&p->why, id);
    say->cite = newest->cite;
    tn_plan_arg(mem, say, "package", "%s", tn_plan_kind_word(newest->kind));
    tn_plan_arg(mem, say, "version", "%s", newest->version);
    tn_plan_arg(mem, say, "cuda", "%s", newest->cuda);
    tn_plan_arg(mem, say, "need", "%s", aspect == TN_ASPECT_GLIBC ? newest->glibc_min : newest->driver_need);
    tn_plan_arg(mem, say, "flag", "%s", newest->needs_flag);
    tn_plan_arg(mem, say, "min", "%s", newest->python_min);
    tn_plan_arg(mem, say, "max", "%s", newest->python_max);
    tn_plan_arg(mem, say, "gpu", "%s", p->machine.n_card ? p->machine.card[0].name : "");
    tn_plan_arg(mem, say, "code", "%s", newest->sass);
}

static bool same_choice(const struct tn_plan_choice *a, const struct tn_plan_choice *b)
{
    if (a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (a->build[i]->gpu != b->build[i]->gpu || !tn_str_eq(a->build[i]->version, b->build[i]->version) ||
            !tn_str_eq(a->build[i]->variant, b->build[i]->variant))
            return false;
    return tn_str_eq(a->python, b->python);
}

static struct tn_plan_way *new_way(struct tn_plan *p, const struct tn_plan_choice *choice)
{
    for (unsigned i = 0; i < p->n_way; i++)
        if (same_choice(&p->way[i].choice, choice))
            return NULL;
    return p->n_way < TN_PLAN_MAX_WAYS ? &p->way[p->n_way++] : NULL;
}

/* A weak card: the GPU build is offered second. */
static void offer_gpu(struct tn_arena *mem, struct tn_plan *p)
{
    struct tn_plan_wishes *w = tn_arena_memdup(mem, &p->wishes, sizeof p->wishes);
    w->gpu = true;
    struct attempt *a = try(mem, p, w, p->method);
    if (a->answer.end != TN_SOLVE_FOUND && p->wishes.method == TN_METHOD_AUTO)
        a = try(mem, p, w, TN_METHOD_MIXED);
    struct tn_plan_way *way = a->answer.end == TN_SOLVE_FOUND ? new_way(p, &a->choice) : NULL;
    if (!way)
        return;
    *way = (struct tn_plan_way){.choice = a->choice, .method = a->method, .n_change = 1};
    way->change[0] = (struct tn_plan_say){.id = TN_S_pl_way_gpu};
    tn_plan_arg(mem, &way->change[0], "package", "%s", a->choice.build[0]->package);
    tn_plan_arg(mem, &way->change[0], "version", "%s", a->choice.build[0]->version);
    tn_plan_arg(mem, &way->change[0], "cuda", "%s", a->choice.cuda);
}

/* What is in the makers' image: its Python and pins are their choice, its run time is the tested one. */
static void take_image(struct tn_plan_choice *c)
{
    const struct tn_plan_build *b = c->build[0];
    c->python = "";
    c->cuda = b->cuda;
    c->cudnn = b->cudnn;
    c->n_pin = 0;
    if (!(b->mark & (TN_PLAN_JIT | TN_PLAN_CODE_UNKNOWN | TN_PLAN_NEWER)))
        c->quality = TN_PLAN_TESTED;
}

/* What a container or WSL 2 needs, and which image. */
static void inside(struct tn_arena *mem, struct tn_plan *p)
{
    if (p->method == TN_METHOD_MANUAL)
        tn_plan_say_manual(mem, p, &p->warning);
    if (p->method == TN_METHOD_WSL)
        tn_plan_say_wsl(mem, &p->machine, &p->choice, &p->why, &p->warning);
    if (p->method != TN_METHOD_DOCKER)
        return;
    p->image = tn_plan_image_of(mem, &p->machine, &p->wishes, &p->choice);
    if (*p->image) {
        take_image(&p->choice);
        tn_plan_arg(mem, tn_plan_says_add(&p->warning, TN_S_pl_note_tag), "image", "%s", p->image);
    }
    tn_plan_say_engine(mem, &p->machine, p->gpu, &p->why, &p->warning);
}

/* A build that its makers could not test here, and conda has one with code for the card. */
static void offer_conda(struct tn_arena *mem, struct tn_plan *p)
{
    struct attempt *a = try(mem, p, &p->wishes, TN_METHOD_CONDA);
    bool better = a->answer.end == TN_SOLVE_FOUND && a->choice.quality < p->choice.quality;
    struct tn_plan_way *way = better ? new_way(p, &a->choice) : NULL;
    if (!way)
        return;
    *way = (struct tn_plan_way){.choice = a->choice, .method = TN_METHOD_CONDA, .n_change = 1};
    way->change[0] = (struct tn_plan_say){.id = TN_S_pl_way_conda_code};
}

static void found(struct tn_arena *mem, struct tn_plan *p, struct attempt *a)
{
    p->choice = a->choice;
    for (unsigned i = 0; i < p->choice.n; i++)
        p->gpu = p->gpu || p->choice.build[i]->gpu;
    inside(mem, p);
    say_gpu(mem, p, a);
    for (unsigned i = 0; i < p->choice.n; i++)
        say_newer(mem, p, a, i);
    tn_plan_say_mirror(mem, p, &p->why);
    tn_plan_say_conda(mem, p, &p->why, &p->warning);
    tn_plan_warn(mem, p);
    if (p->wishes.index)
        tn_index_says(mem, p->wishes.index, p);
    if (!p->gpu && p->machine.weak && !p->wishes.cpu)
        offer_gpu(mem, p);
    bool before = false;
    for (unsigned i = 0; i < p->choice.n; i++)
        before = before || p->choice.build[i]->mark & TN_PLAN_BEFORE_CARD;
    if (before && p->method != TN_METHOD_CONDA && p->method != TN_METHOD_DOCKER)
        offer_conda(mem, p);
}

/* "with another release", found by another way of installing, for the same package. */
static bool said_already(const struct tn_plan *p, const struct tn_plan_way *way)
{
    for (unsigned i = 0; i < p->n_way; i++) {
        const struct tn_plan_way *o = &p->way[i];
        bool same = o->n_change == way->n_change;
        for (unsigned k = 0; same && k < way->n_change; k++)
            same = tn_str_eq(o->change[k].id, way->change[k].id) && o->change[k].n_arg == way->change[k].n_arg &&
                   (!way->change[k].n_arg || tn_str_eq(o->change[k].arg[0].value, way->change[k].arg[0].value));
        if (same)
            return true;
    }
    return false;
}

static void add_ways(struct tn_plan *p, struct attempt *a)
{
    struct tn_solve_ways ways;
    if (a->answer.end != TN_SOLVE_CLASH)
        return;
    tn_solve_ways(a->u.solve, tn_plan_may_go, &a->u, 2, &ways);
    for (uint32_t i = 0; i < ways.n; i++) {
        struct tn_plan_way way, *slot;
        tn_plan_way_say(&a->u, &ways.way[i], &way);
        slot = said_already(p, &way) ? NULL : new_way(p, &way.choice);
        if (slot)
            *slot = way;
    }
}

/* What the same wishes come to inside WSL 2 of this Windows, and whether it can be had. */
static void add_wsl(struct tn_arena *mem, struct tn_plan *p)
{
    struct tn_int build = TN_THE(p->machine.s, host)->os_build;
    struct attempt *a = try(mem, p, &p->wishes, TN_METHOD_WSL);
    struct tn_plan_way *way = a->answer.end == TN_SOLVE_FOUND ? new_way(p, &a->choice) : NULL;
    if (!way)
        return;
    bool old = build.k == TN_KNOWN && build.v < TN_PLAN_WSL_BUILD;
    const struct tn_plan_build *b = a->choice.build[0];
    *way = (struct tn_plan_way){.choice = a->choice, .method = TN_METHOD_WSL, .n_change = 1};
    way->change[0] = (struct tn_plan_say){.id = old                   ? TN_S_pl_way_wsl_old
                                                : build.k == TN_KNOWN ? TN_S_pl_way_wsl_met
                                                                      : TN_S_pl_way_wsl};
    tn_plan_arg(mem, &way->change[0], "need", "%s", b->driver_need);
    tn_plan_arg(mem, &way->change[0], "driver", "%s", *p->machine.driver ? p->machine.driver : "?");
    tn_plan_arg(mem, &way->change[0], "least", "%d", TN_PLAN_WSL_BUILD);
    tn_plan_arg(mem, &way->change[0], "build", "%lld", build.k == TN_KNOWN ? (long long)build.v : 0);
}

/* A container: NVIDIA's for this release, else the same wishes in an image with a C library that serves. */
static void add_images(struct tn_arena *mem, struct tn_plan *p, struct attempt *a)
{
    struct tn_plan_way way;
    if (tn_plan_image_way(mem, &p->machine, &p->wishes, &way)) {
        if (p->n_way < TN_PLAN_MAX_WAYS)
            p->way[p->n_way++] = way;
        return;
    }
    if (p->wishes.method == TN_METHOD_DOCKER || p->machine.container ||
        (!clashes_in(a, TN_ASPECT_LIBC) && !clashes_in(a, TN_ASPECT_GLIBC)))
        return;
    struct attempt *in = try(mem, p, &p->wishes, TN_METHOD_DOCKER);
    struct tn_plan_way *slot = in->answer.end == TN_SOLVE_FOUND ? new_way(p, &in->choice) : NULL;
    if (!slot)
        return;
    *slot = (struct tn_plan_way){.choice = in->choice, .method = TN_METHOD_DOCKER, .n_change = 1};
    slot->image = tn_plan_image_of(mem, &p->machine, &p->wishes, &in->choice);
    if (*slot->image)
        take_image(&slot->choice);
    slot->change[0] = (struct tn_plan_say){.id = *slot->image ? TN_S_pl_way_image : TN_S_pl_way_docker};
    tn_plan_arg(mem, &slot->change[0], "image", "%s", slot->image);
}

/* What conda channels do not have, pip may: with NVIDIA's wheels, else with conda's run time. */
static void add_pip(struct tn_arena *mem, struct tn_plan *p)
{
    static const enum tn_plan_method methods[] = {TN_METHOD_PIP, TN_METHOD_MIXED};
    for (unsigned i = 0; i < TN_LEN(methods); i++) {
        struct attempt *a = try(mem, p, &p->wishes, methods[i]);
        struct tn_plan_way *way = a->answer.end == TN_SOLVE_FOUND ? new_way(p, &a->choice) : NULL;
        if (!way)
            continue;
        *way = (struct tn_plan_way){.choice = a->choice, .method = methods[i], .n_change = 1};
        way->change[0] = (struct tn_plan_say){.id = methods[i] == TN_METHOD_PIP ? TN_S_pl_way_pip : TN_S_pl_way_mixed};
        return;
    }
}

static void clash(struct tn_arena *mem, struct tn_plan *p, struct attempt *a)
{
    for (uint32_t i = 0; i < a->answer.n_reason; i++)
        tn_plan_reason_say(&a->u, a->answer.reason, a->answer.n_reason, a->answer.reason[i], &p->conflict);
    bool system = clashes_in(a, TN_ASPECT_SYSTEM);
    if (p->machine.windows && system)
        add_wsl(mem, p);
    add_images(mem, p, a);
    add_ways(p, a);
    if (p->wishes.method == TN_METHOD_CONDA)
        add_pip(mem, p);
    if (p->wishes.method == TN_METHOD_AUTO && a->method != TN_METHOD_MIXED) /* releases that need conda's run time */
        add_ways(p, try(mem, p, &p->wishes, TN_METHOD_MIXED));
}

void tn_plan_make(struct tn_arena *mem, const struct tn_plan_wishes *w, const struct tn_snap *s, struct tn_plan *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->wishes = *w;
    if (!ret->wishes.n && ret->wishes.refused) {
        ret->end = TN_PLAN_NONE;
        return;
    }
    if (!ret->wishes.n)
        ret->wishes.v[ret->wishes.n++] =
            (struct tn_plan_wish){.kind = TN_PLAN_TENSORFLOW, .asked = "", .spec = "", .extras = "", .variant = ""};
    tn_plan_machine_of(mem, s, &ret->machine);
    ret->image = "";
    if (w->method == TN_METHOD_WSL && !tn_plan_wsl_can(mem, &ret->machine, &ret->conflict)) {
        ret->end = TN_PLAN_NONE;
        ret->method = w->method;
        return;
    }
    struct attempt *a = try_all(mem, ret);
    ret->method = a->method;
    ret->steps = a->answer.steps;
    switch (a->answer.end) {
    case TN_SOLVE_FOUND:
        ret->end = TN_PLAN_FITS;
        found(mem, ret, a);
        break;
    case TN_SOLVE_CLASH:
        ret->end = TN_PLAN_NONE;
        clash(mem, ret, a);
        break;
    case TN_SOLVE_LIMIT: ret->end = TN_PLAN_LIMIT; break;
    }
}
