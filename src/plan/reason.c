/* reason.c - a reason of the solver as a sentence: what of the wish, the machine or a release it rests on. */
#include <string.h>

#include "base/str.h"
#include "plan/index.h"
#include "plan/inner.h"
#include "strings.gen.h"
#include "version/dotted.h"

/* The builds that a sentence speaks of: those that the reason concerns and that no other reason of the clash has
 * already excluded. */
struct spoken {
    const struct tn_plan_build *first, *newest, *oldest;
};

static bool others_exclude(const struct tn_plan_universe *u, const struct tn_plan_build *b, unsigned package,
                           const uint32_t *clash, uint32_t n, enum tn_plan_aspect but)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct tn_plan_reason *r = &u->reason[clash[i]];
        if (r->kind == TN_REASON_BUILD && r->package == package && r->aspect < TN_ASPECT_PYTHON && r->aspect != but &&
            tn_plan_excluded(b, r->aspect))
            return true;
    }
    return false;
}

static bool concerns(const struct tn_plan_build *b, enum tn_plan_aspect aspect)
{
    switch (aspect) {
    case TN_ASPECT_PYTHON: return *b->python_min || *b->python_max;
    case TN_ASPECT_LINE: return b->gpu && *b->cuda_spec;
    case TN_ASPECT_CUDNN: return b->gpu && *b->cudnn_spec;
    case TN_ASPECT_PIN: return true;
    default: return tn_plan_excluded(b, aspect);
    }
}

/* Of all that is excluded for a reason the sentence speaks of what the clash leaves and the user asked for; where
 * nothing of that is left, of what the clash leaves; else of all. */
static bool is_spoken_of(const struct tn_plan_universe *u, const struct tn_plan_build *b,
                         const struct tn_plan_reason *r, const uint32_t *clash, uint32_t n, int again)
{
    return concerns(b, r->aspect) && (again > 1 || !others_exclude(u, b, r->package, clash, n, r->aspect)) &&
           (again > 0 || r->aspect == TN_ASPECT_WISH || !tn_plan_excluded(b, TN_ASPECT_WISH));
}

static void find_spoken(const struct tn_plan_universe *u, const struct tn_plan_reason *r, const uint32_t *clash,
                        uint32_t n, struct spoken *ret)
{
    const struct tn_plan_builds *all = &u->builds[r->package];
    memset(ret, 0, sizeof *ret);
    for (int again = 0; again < 3 && !ret->first; again++)
        for (size_t i = 0; i < all->n; i++) {
            const struct tn_plan_build *b = &all->v[i];
            if (!is_spoken_of(u, b, r, clash, n, again))
                continue;
            if (!ret->first)
                ret->first = b;
            if (!ret->newest || tn_version_dotted_cmp(b->version, ret->newest->version) > 0)
                ret->newest = b;
            if (!ret->oldest || tn_version_dotted_cmp(b->version, ret->oldest->version) < 0)
                ret->oldest = b;
        }
}

static const char *versions_of(struct tn_arena *mem, const struct spoken *s)
{
    if (tn_str_eq(s->oldest->version, s->newest->version))
        return s->newest->version;
    return tn_arena_printf(mem, "%s-%s", s->oldest->version, s->newest->version);
}

static const struct tn_plan_card *hardest_card(const struct tn_plan_machine *m)
{
    for (unsigned i = 0; i < m->n_card; i++)
        if (*m->card[i].capability)
            return &m->card[i];
    return m->n_card ? &m->card[0] : NULL;
}

/* Is there a wheel of what was asked for, for another system or processor? */
static bool known_elsewhere(const struct tn_plan_universe *u, unsigned package)
{
    static const char *const places[][2] = {{"linux", "x86_64"}, {"windows", "x86_64"}};
    for (unsigned i = 0; i < TN_LEN(places); i++) {
        struct tn_plan_wheels it;
        struct tn_plan_wheel w;
        tn_plan_wheels_of(&it, tn_plan_kind_word(u->w->v[package].kind), places[i][0], places[i][1]);
        while (tn_plan_wheels_next(&it, &w))
            if (tn_plan_meets(w.version, u->w->v[package].spec))
                return true;
    }
    return false;
}

/* "onnxruntime-gpu": the name as it was asked for. */
static const char *name_asked(struct tn_arena *mem, const struct tn_plan_wish *w)
{
    size_t n = strcspn(w->asked, "[=<>!~ ;");
    return n ? tn_arena_strndup(mem, w->asked, n) : tn_plan_kind_word(w->kind);
}

/* "==2.0.1+cu118", "[cuda12]==0.4.30": all that was asked of it. */
static const char *spec_asked(struct tn_arena *mem, const struct tn_plan_wish *w)
{
    bool extra = w->kind == TN_PLAN_JAX && *w->variant;
    return tn_arena_printf(mem, "%s%s%s%s%s%s", extra ? "[" : "", extra ? w->variant : "", extra ? "]" : "", w->spec,
                           *w->variant && !extra ? "+" : "", extra ? "" : w->variant);
}

static const char *wish_id(const struct tn_plan_universe *u, unsigned package)
{
    for (size_t i = 0; i < u->builds[package].n; i++)
        if (!tn_plan_excluded(&u->builds[package].v[i], TN_ASPECT_WISH))
            return TN_S_pl_no_wish;
    if (*u->w->v[package].variant)
        return TN_S_pl_no_variant;
    return known_elsewhere(u, package) ? TN_S_pl_no_release_here : TN_S_pl_no_such_release;
}

static const char *system_id(const struct tn_plan_universe *u, const struct tn_plan_build *b)
{
    if (u->m->macos)
        return TN_S_pl_no_macos;
    if (u->m->wsl1)
        return TN_S_pl_no_wsl1;
    return b->kind == TN_PLAN_TENSORFLOW ? TN_S_pl_no_windows : TN_S_pl_no_windows_ever;
}

static const char *driver_id(const struct tn_plan_universe *u)
{
    return *u->m->driver ? TN_S_pl_no_driver : *u->m->ceiling ? TN_S_pl_no_ceiling : TN_S_pl_no_branch;
}

static const char *conda_id(const struct tn_plan_build *b)
{
    if (b->kind == TN_PLAN_ORT)
        return TN_S_pl_no_conda_table;
    if (b->mark & TN_PLAN_TERMS)
        return b->gpu ? TN_S_pl_no_conda_terms : TN_S_pl_no_conda_terms_cpu;
    if (b->gpu && *b->build)
        return TN_S_pl_no_conda_cpu;
    return b->kind == TN_PLAN_TENSORFLOW ? TN_S_pl_no_conda_tensorflow : TN_S_pl_no_conda;
}

static const char *index_id(const struct tn_index_miss *miss)
{
    return !miss || miss->why == TN_MISS_FILE ? TN_S_pl_no_index
           : miss->why == TN_MISS_PIN         ? TN_S_pl_no_index_pin
                                              : TN_S_pl_no_index_python;
}

static const char *id_of(const struct tn_plan_universe *u, const struct tn_plan_reason *r, const struct spoken *s)
{
    switch (r->aspect) {
    case TN_ASPECT_WISH: return wish_id(u, r->package);
    case TN_ASPECT_DATE: return TN_S_pl_no_date;
    case TN_ASPECT_GPU:
        if (u->w->v[r->package].gpu && !u->gpu)
            return TN_S_pl_no_gpu_name;
        return tn_str_eq(u->gpu_why, "pl_why_gpu_card") ? TN_S_pl_no_gpu_card
               : u->w->gpu                              ? TN_S_pl_no_gpu_wish
                                                        : TN_S_pl_no_gpu_unknown;
    case TN_ASPECT_CPU: return u->w->v[r->package].cpu || u->w->cpu ? TN_S_pl_no_cpu_wish : TN_S_pl_no_cpu_none;
    case TN_ASPECT_CUDA: return TN_S_pl_no_cuda;
    case TN_ASPECT_SYSTEM: return system_id(u, s->first);
    case TN_ASPECT_ARCH:
        if (s->first->gpu && s->first->kind == TN_PLAN_TORCH)
            return TN_S_pl_no_arch_torch;
        return s->first->gpu ? TN_S_pl_no_arch : TN_S_pl_no_arch_any;
    case TN_ASPECT_LIBC: return TN_S_pl_no_libc;
    case TN_ASPECT_GLIBC: return TN_S_pl_no_glibc;
    case TN_ASPECT_FLAGS: return TN_S_pl_no_flags;
    case TN_ASPECT_DRIVER: return driver_id(u);
    case TN_ASPECT_CARD: return s->newest->mark & TN_PLAN_NO_LIBRARIES ? TN_S_pl_no_card_libraries : TN_S_pl_no_card;
    case TN_ASPECT_RUNTIME:
        if (u->method == TN_METHOD_CONDA)
            return conda_id(s->newest);
        if (u->method == TN_METHOD_MIXED)
            return TN_S_pl_no_runtime_conda;
        return u->m->windows ? TN_S_pl_no_runtime_windows : TN_S_pl_no_runtime;
    case TN_ASPECT_INDEX: return index_id(tn_index_missed(u->w->index, s->newest));
    case TN_ASPECT_PYTHON: return TN_S_pl_no_python;
    case TN_ASPECT_LINE: return TN_S_pl_no_line;
    case TN_ASPECT_CUDNN: return TN_S_pl_no_cudnn;
    case TN_ASPECT_PIN: return TN_S_pl_no_pin;
    case TN_ASPECTS: break;
    }
    return TN_S_pl_no_wish;
}

static void add_range(struct tn_plan_universe *u, const struct tn_plan_reason *r, const uint32_t *clash, uint32_t n,
                      struct tn_plan_say *say)
{
    const struct tn_plan_builds *all = &u->builds[r->package];
    const char *min = "", *max = "";
    for (size_t i = 0; i < all->n; i++) {
        const struct tn_plan_build *b = &all->v[i];
        if (!*b->python_min || others_exclude(u, b, r->package, clash, n, r->aspect))
            continue;
        if (!*min || tn_version_dotted_cmp(b->python_min, min) < 0)
            min = b->python_min;
        if (!*max || tn_version_dotted_cmp(b->python_max, max) > 0)
            max = b->python_max;
    }
    tn_plan_arg(u->mem, say, "min", "%s", min);
    tn_plan_arg(u->mem, say, "max", "%s", *max ? max : "…");
}

/* Of several packages that it binds those that the clash is about. */
static bool is_of_clash(const struct tn_plan_universe *u, const char *name, const uint32_t *clash, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct tn_plan_reason *r = &u->reason[clash[i]];
        if (r->kind == TN_REASON_OTHER && tn_str_eq(u->w->other[r->package].name, name))
            return true;
        any = any || r->kind == TN_REASON_OTHER;
    }
    return !any;
}

static void add_pin(struct tn_plan_universe *u, const struct tn_plan_build *b, const uint32_t *clash, uint32_t n,
                    struct tn_plan_say *say)
{
    const char *all = "";
    for (unsigned i = 0; i < b->n_bound; i++) {
        if (!is_of_clash(u, b->bound[i].name, clash, n))
            continue;
        all = tn_arena_printf(u->mem, "%s%s%s%s", all, *all ? ", " : "", b->bound[i].name, b->bound[i].spec);
        say->cite = b->bound[i].cite;
    }
    tn_plan_arg(u->mem, say, "pin", "%s", all);
}

static const char *code_of(struct tn_arena *mem, const struct tn_plan_build *b)
{
    return *b->ptx ? tn_arena_printf(mem, "%s; PTX %s", b->sass, b->ptx) : b->sass;
}

static void say_build(struct tn_plan_universe *u, const struct tn_plan_reason *r, const uint32_t *clash, uint32_t n,
                      struct tn_plan_says *ret)
{
    struct spoken s;
    const struct tn_plan_machine *m = u->m;
    const struct tn_plan_wish *w = &u->w->v[r->package];
    find_spoken(u, r, clash, n, &s);
    if (!s.first)
        return;
    const struct tn_plan_card *card = hardest_card(m);
    struct tn_plan_say *say = tn_plan_says_add(ret, id_of(u, r, &s));
    say->cite = r->aspect == TN_ASPECT_GLIBC || r->aspect == TN_ASPECT_PYTHON ? s.newest->wheel : s.newest->cite;
    bool asked = r->aspect == TN_ASPECT_WISH, ort = w->kind == TN_PLAN_ORT; /* whose builds have names of their own */
    tn_plan_arg(u->mem, say, "package", "%s",
                asked ? name_asked(u->mem, w)
                : ort ? s.newest->package
                      : tn_plan_kind_word(w->kind));
    tn_plan_arg(u->mem, say, "versions", "%s", versions_of(u->mem, &s));
    switch (r->aspect) {
    case TN_ASPECT_WISH:
        tn_plan_arg(u->mem, say, "spec", "%s", spec_asked(u->mem, w));
        tn_plan_arg(u->mem, say, "arch", "%s", m->arch);
        say->cite = (struct tn_cite){0};
        break;
    case TN_ASPECT_DATE: tn_plan_arg(u->mem, say, "date", "%s", u->w->date); break;
    case TN_ASPECT_GPU:
    case TN_ASPECT_CPU: say->cite = (struct tn_cite){0}; break;
    case TN_ASPECT_CUDA: tn_plan_arg(u->mem, say, "wanted", "%s", u->w->cuda); break;
    case TN_ASPECT_ARCH: tn_plan_arg(u->mem, say, "arch", "%s", m->arch); break;
    case TN_ASPECT_GLIBC:
        tn_plan_arg(u->mem, say, "need", "%s", s.oldest->glibc_min);
        tn_plan_arg(u->mem, say, "have", "%s", m->glibc);
        break;
    case TN_ASPECT_FLAGS: tn_plan_arg(u->mem, say, "flag", "%s", s.first->needs_flag); break;
    case TN_ASPECT_DRIVER:
        tn_plan_arg(u->mem, say, "need", "%s", s.oldest->driver_need);
        tn_plan_arg(u->mem, say, "driver", "%s", m->driver);
        tn_plan_arg(u->mem, say, "ceiling", "%s", m->ceiling);
        tn_plan_arg(u->mem, say, "branch", "%s", card ? card->last_branch : "");
        break;
    case TN_ASPECT_CARD:
        tn_plan_arg(u->mem, say, "capability", "%s", card ? card->capability : "");
        tn_plan_arg(u->mem, say, "code", "%s", code_of(u->mem, s.newest));
        break;
    case TN_ASPECT_RUNTIME: tn_plan_arg(u->mem, say, "build", "%s", s.newest->build); break;
    case TN_ASPECT_PYTHON: add_range(u, r, clash, n, say); break;
    case TN_ASPECT_LINE: tn_plan_arg(u->mem, say, "spec", "%s", s.newest->cuda_spec); break;
    case TN_ASPECT_CUDNN: tn_plan_arg(u->mem, say, "spec", "%s", s.newest->cudnn_spec); break;
    case TN_ASPECT_PIN: add_pin(u, s.newest, clash, n, say); break;
    case TN_ASPECT_INDEX: {
        const struct tn_index_miss *miss = tn_index_missed(u->w->index, s.newest);
        tn_plan_arg(u->mem, say, "what", "%s", miss ? miss->what : "");
        if (tn_str_eq(say->id, TN_S_pl_no_index)) /* older ones may be there, and were left out for their own reasons */
            tn_index_say_misses(u->mem, u->w->index, ret);
        break;
    }
    default: break;
    }
    tn_plan_arg(u->mem, say, "cuda", "%s", s.oldest->cuda);
    tn_plan_arg(u->mem, say, "gpu", "%s", card ? card->name : "");
}

/* sign -1: cards that it dropped, 1: cards that came later. */
static void say_cudnn_card(struct tn_plan_universe *u, int sign, struct tn_plan_says *ret)
{
    struct tn_plan_say *say = tn_plan_says_add(ret, sign < 0 ? TN_S_pl_no_cudnn_card : TN_S_pl_no_cudnn_later);
    const struct tn_plan_card *c = hardest_card(u->m);
    for (unsigned i = 0; i < u->m->n_card; i++)
        if (*u->m->card[i].capability && tn_version_dotted_cmp(u->m->card[i].capability, c->capability) * sign > 0)
            c = &u->m->card[i];
    tn_plan_arg(u->mem, say, "gpu", "%s", c->name);
    tn_plan_arg(u->mem, say, "capability", "%s", c->capability);
}

void tn_plan_reason_say(struct tn_plan_universe *u, const uint32_t *clash, uint32_t n, uint32_t reason,
                        struct tn_plan_says *ret)
{
    const struct tn_plan_reason *r = &u->reason[reason];
    struct tn_plan_say *say;
    switch (r->kind) {
    case TN_REASON_BUILD: say_build(u, r, clash, n, ret); return;
    case TN_REASON_PYTHON:
        say = tn_plan_says_add(ret, TN_S_pl_no_python_wish);
        tn_plan_arg(u->mem, say, "python", "%s", u->w->python);
        return;
    case TN_REASON_PIN_PYTHON:
        say = tn_plan_says_add(ret, TN_S_pl_no_pin_python);
        tn_plan_arg(u->mem, say, "pin", "%s", u->pin_name[r->package]);
        return;
    case TN_REASON_CUDNN_LINE: tn_plan_says_add(ret, TN_S_pl_no_cudnn_line); return;
    case TN_REASON_CUDNN_CARD: say_cudnn_card(u, -1, ret); return;
    case TN_REASON_OTHER:
        say = tn_plan_says_add(ret, TN_S_pl_no_other);
        tn_plan_arg(u->mem, say, "pin", "%s%s", u->w->other[r->package].name, u->w->other[r->package].spec);
        return;
    case TN_REASON_CUDNN_LATER: say_cudnn_card(u, 1, ret); return;
    }
}

bool tn_plan_may_go(void *universe, uint32_t reason)
{
    const struct tn_plan_universe *u = universe;
    const struct tn_plan_reason *r = &u->reason[reason];
    if (r->kind == TN_REASON_PYTHON || r->kind == TN_REASON_OTHER)
        return true;
    if (r->kind != TN_REASON_BUILD)
        return false;
    switch (r->aspect) {
    case TN_ASPECT_WISH:
    case TN_ASPECT_DATE:
    case TN_ASPECT_GPU:
    case TN_ASPECT_CPU:
    case TN_ASPECT_CUDA: return true;
    case TN_ASPECT_DRIVER: return *u->m->driver || *u->m->ceiling;
    default: return false;
    }
}

void tn_plan_way_say(struct tn_plan_universe *u, const struct tn_solve_way *way, struct tn_plan_way *ret)
{
    static const char *const ids[TN_ASPECTS] = {
        [TN_ASPECT_WISH] = "pl_way_release", [TN_ASPECT_DATE] = "pl_way_date", [TN_ASPECT_GPU] = "pl_way_cpu",
        [TN_ASPECT_CPU] = "pl_way_gpu",      [TN_ASPECT_CUDA] = "pl_way_cuda", [TN_ASPECT_DRIVER] = "pl_way_driver",
    };
    tn_plan_choose(u, way->value, &ret->choice);
    ret->method = u->method;
    ret->image = NULL;
    ret->n_change = 0;
    for (unsigned i = 0; i < way->n; i++) {
        const struct tn_plan_reason *r = &u->reason[way->reason[i]];
        struct tn_plan_say *say = &ret->change[ret->n_change++];
        if (r->kind == TN_REASON_OTHER) {
            *say = (struct tn_plan_say){.id = TN_S_pl_way_other};
            tn_plan_arg(u->mem, say, "pin", "%s%s", u->w->other[r->package].name, u->w->other[r->package].spec);
            continue;
        }
        bool python = r->kind == TN_REASON_PYTHON;
        *say = (struct tn_plan_say){.id = python ? "pl_way_python" : ids[r->aspect]};
        const struct tn_plan_build *b = ret->choice.build[python ? 0 : r->package];
        if (r->kind == TN_REASON_BUILD && r->aspect == TN_ASPECT_DRIVER && u->m->driver_platform == TN_PLATFORM_WINDOWS)
            say->id = "pl_way_driver_windows";
        if (r->kind == TN_REASON_BUILD && r->aspect == TN_ASPECT_GPU && u->w->n > 1)
            say->id = TN_S_pl_way_cpu_of;
        tn_plan_arg(u->mem, say, "package", "%s", b->package);
        tn_plan_arg(u->mem, say, "version", "%s", b->version);
        tn_plan_arg(u->mem, say, "cuda", "%s", ret->choice.cuda);
        tn_plan_arg(u->mem, say, "python", "%s", ret->choice.python);
        tn_plan_arg(u->mem, say, "need", "%s", b->driver_need);
    }
}
