/* steps.c - see step.h: which steps make the chosen combination; each way of installing has a file of its own. */
#include "plan/steps.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "plan/inner.h"
#include "version/dotted.h"

struct tn_plan_step *tn_plan_step_add(struct tn_plan_steps *all, enum tn_step_kind kind)
{
    struct tn_plan_step *s = &all->v[all->n < TN_PLAN_MAX_STEPS ? all->n++ : TN_PLAN_MAX_STEPS - 1];
    *s = (struct tn_plan_step){.kind = kind,
                               .program = "",
                               .exe = "",
                               .override = "",
                               .env = "",
                               .python = "",
                               .version = "",
                               .image = "",
                               .into = "",
                               .link = "",
                               .index = "",
                               .find_links = "",
                               .extra_index = ""};
    return s;
}

void tn_plan_step_package(struct tn_plan_step *s, const char *text)
{
    if (s->n_package < TN_STEP_MAX_PACKAGES)
        s->package[s->n_package++] = text;
}

/* --- names and folders --- */

/* "tf-2.15-py311": what a person would call it. */
static const char *default_name(struct tn_arena *mem, const struct tn_plan *p)
{
    const struct tn_plan_build *b = p->choice.build[0];
    char head[TN_DOTTED_TEXT];
    if (!tn_version_dotted_head(b->version, 2, head, sizeof head))
        snprintf(head, sizeof head, "%s", "x");
    return tn_arena_printf(mem, "%s-%s", b->kind == TN_PLAN_TENSORFLOW ? "tf" : tn_plan_kind_word(b->kind), head);
}

const char *tn_plan_env_of(struct tn_arena *mem, const struct tn_plan *p)
{
    return *p->wishes.env ? p->wishes.env : default_name(mem, p);
}

bool tn_plan_is_path(const char *env)
{
    return strpbrk(env, "/\\") != NULL || env[0] == '.' || env[0] == '~';
}

/* --- packages --- */

static const char *torch_index(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_build *b)
{
    bool own = b->gpu && !m->windows &&
               tn_str_eq(tn_plan_torch_default(b->version), b->variant); /* the package index has this very one */
    return own ? "" : tn_arena_printf(mem, "https://download.pytorch.org/whl/%s", b->variant);
}

static bool floats(const char *spec)
{
    return !tn_str_starts(spec, "==") || strchr(spec, '*') != NULL;
}

/* NVIDIA's wheels of the extra, from the table, at the versions of the release that was tested. */
static void add_extra_pins(struct tn_arena *mem, const struct tn_plan_build *b, struct tn_plan_step *s)
{
    const struct tn_table *t = tn_facts_find("tensorflow_pins");
    const char *version = tn_plan_pins_release(b->version);
    const struct tn_filter f[] = {{"tf_version", TN_FILTER_EQ, version}};
    for (uint32_t r = 0; t && (r = tn_facts_next(t, r, f, 1)) < t->nrows; r++) {
        const char *name = tn_facts_get(t, r, "package"), *c = tn_facts_get(t, r, "constraint");
        if (tn_facts_rank(t, r) != 1 || !tn_str_starts(name, "nvidia-"))
            continue;
        tn_plan_step_package(s, tn_is_digit(*c) ? tn_arena_printf(mem, "%s==%s", name, c)
                                                : tn_arena_printf(mem, "%s%s", name, c));
        s->cite = tn_facts_cite(t, r);
    }
}

/* The floor of each range is the version that the release was tested with: a fresh install would take the newest. */
static void pin_floors(struct tn_arena *mem, const struct tn_plan_build *b, struct tn_plan_step *s)
{
    const struct tn_table *t = tn_facts_find("tensorflow_pins");
    const struct tn_filter f[] = {{"tf_version", TN_FILTER_EQ, tn_plan_pins_release(b->version)}};
    for (uint32_t r = 0; t && (r = tn_facts_next(t, r, f, 1)) < t->nrows; r++) {
        const char *name = tn_facts_get(t, r, "package"), *c = tn_facts_get(t, r, "constraint");
        if (tn_facts_rank(t, r) == 1 && tn_str_starts(name, "nvidia-") && tn_str_starts(c, ">="))
            tn_plan_step_package(s, tn_arena_printf(mem, "%s==%.*s", name, (int)strcspn(c + 2, ","), c + 2));
    }
}

/* What is chosen of a range is written down: a run time that floats is not the one that was tested. */
static void pin_runtime(struct tn_arena *mem, const struct tn_plan *p, const struct tn_plan_build *b,
                        struct tn_plan_step *s)
{
    unsigned major = (unsigned)tn_version_dotted_major(p->choice.cuda);
    const char *end = major >= 13 ? "" : tn_arena_printf(mem, "-cu%u", major);
    if (*b->cuda_spec && floats(b->cuda_spec) && tn_str_starts(b->cuda_spec, ">="))
        tn_plan_step_package(s, tn_arena_printf(mem, "nvidia-cuda-runtime%s==%s.*", end, p->choice.cuda));
    if (*b->cudnn_spec && *p->choice.cudnn && floats(b->cudnn_spec))
        tn_plan_step_package(s, tn_arena_printf(mem, "nvidia-cudnn-cu%u==%s", major, p->choice.cudnn));
}

static void add_tensorflow(struct tn_arena *mem, const struct tn_plan *p, const struct tn_plan_build *b, bool wheels,
                           bool alone, struct tn_plan_step *s)
{
    bool extra = tn_version_dotted_cmp_parts(b->version, "2.14", 2) >= 0;
    if (!b->gpu || !wheels) {
        tn_plan_step_package(s, tn_arena_printf(mem, "%s==%s", b->package, b->version));
        return;
    }
    /* the extras of 2.14 and of 2.15.0 ask for a TensorRT that the index does not have for every Python */
    bool broken = tn_version_dotted_cmp_parts(b->version, "2.14", 2) == 0 || tn_str_eq(b->version, "2.15.0");
    if (extra && !broken) {
        tn_plan_step_package(s, tn_arena_printf(mem, "%s[and-cuda]==%s", b->package, b->version));
        if (alone && floats(b->cuda_spec) && tn_version_dotted_cmp_parts(p->choice.cuda, b->cuda, 2) == 0)
            pin_floors(mem, b, s);
        else if (alone)
            pin_runtime(mem, p, b, s);
        return;
    }
    tn_plan_step_package(s, tn_arena_printf(mem, "%s==%s", b->package, b->version));
    add_extra_pins(mem, b, s);
}

void tn_plan_step_frameworks(struct tn_arena *mem, const struct tn_plan *p, bool wheels, struct tn_plan_step *s)
{
    const struct tn_plan_choice *c = &p->choice;
    for (unsigned i = 0; i < c->n; i++) {
        const struct tn_plan_build *b = c->build[i];
        switch (b->kind) {
        case TN_PLAN_TENSORFLOW: add_tensorflow(mem, p, b, wheels, c->n == 1, s); break;
        case TN_PLAN_TORCH:
            s->index = torch_index(mem, &p->machine, b);
            tn_plan_step_package(s, *s->index ? tn_arena_printf(mem, "torch==%s+%s", b->version, b->variant)
                                              : tn_arena_printf(mem, "torch==%s", b->version));
            break;
        case TN_PLAN_JAX:
            tn_plan_step_package(s, b->gpu ? tn_arena_printf(mem, "jax[%s]==%s", b->variant, b->version)
                                           : tn_arena_printf(mem, "jax==%s", b->version));
            if (tn_str_ends(b->variant, "_pip")) /* jaxlib+cudaNN of then: JAX's installation page up to 0.4.30 */
                s->find_links = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
            if (b->gpu && wheels && c->n == 1)
                pin_runtime(mem, p, b, s);
            break;
        case TN_PLAN_ORT: tn_plan_step_package(s, tn_arena_printf(mem, "%s==%s", b->package, b->version)); break;
        case TN_PLAN_KINDS: break;
        }
        s->mb += b->mb > 1 ? b->mb : 0; /* 1 MB: a name that asks for the real wheel */
        if (!s->cite.source)
            s->cite = b->cite;
    }
    for (unsigned i = 0; i < c->n_pin; i++) /* what the metadata says, pip keeps by itself */
        if (c->pin[i].needed)
            tn_plan_step_package(s, tn_arena_printf(mem, "%s%s", c->pin[i].name, c->pin[i].spec));
    for (unsigned i = 0; i < p->wishes.n_other; i++)
        tn_plan_step_package(s, tn_arena_printf(mem, "%s%s", p->wishes.other[i].name, p->wishes.other[i].spec));
}

/* A build that names folders of NVIDIA's packages in its run path does not look into its own (2.21.0; 2.16.1 names
 * one): the links go into one of those, which is always there. Others look into their own alone ($ORIGIN/). */
const char *tn_plan_link_into(const struct tn_plan *p)
{
    for (unsigned i = 0; i < p->choice.n; i++)
        if (p->choice.build[i]->kind == TN_PLAN_TENSORFLOW && p->choice.build[i]->mark & TN_PLAN_OWN_WHEELS &&
            tn_version_dotted_cmp_parts(p->choice.build[i]->version, "2.14", 2) >= 0)
            return "nvidia/cuda_runtime/lib";
    return "tensorflow";
}

bool tn_plan_needs_link(const struct tn_plan *p)
{
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        if (b->kind == TN_PLAN_TENSORFLOW && b->gpu &&
            (b->mark & TN_PLAN_OWN_WHEELS || tn_version_dotted_cmp_parts(b->version, "2.14", 2) < 0))
            return true;
    }
    return false;
}

/* --- ways of installing --- */

/* Where among the machine's it is; -1: not there. */
static int at_python(const struct tn_plan *p)
{
    for (unsigned i = 0; i < p->machine.n_python; i++)
        if (tn_str_eq(p->machine.python[i], p->choice.python))
            return (int)i;
    return -1;
}

/* Python's own venv, unless another is asked for or nothing else would do. Only uv fetches a Python. */
static enum tn_step_tool maker(const struct tn_plan *p)
{
    int at = at_python(p);
    if (p->method == TN_METHOD_UV || at < 0)
        return TN_STEP_BY_UV;
    if (p->method == TN_METHOD_VIRTUALENV || (p->machine.no_venv[at] && *p->machine.virtualenv))
        return TN_STEP_BY_VIRTUALENV;
    return TN_STEP_BY_PIP;
}

void tn_plan_steps_venv(struct tn_arena *mem, const struct tn_plan *p, bool wheels, struct tn_plan_steps *all)
{
    enum tn_step_tool by = maker(p);
    const char *env = tn_plan_env_of(mem, p);
    struct tn_plan_step *s = tn_plan_step_add(all, TN_STEP_VENV);
    s->tool = by;
    s->env = env;
    s->python = p->choice.python;
    s->network = at_python(p) < 0;
    s = tn_plan_step_add(all, TN_STEP_PACKAGES);
    s->tool = by == TN_STEP_BY_UV ? TN_STEP_BY_UV : TN_STEP_BY_PIP;
    s->env = env;
    s->python = p->choice.python;
    s->network = true;
    tn_plan_step_frameworks(mem, p, wheels, s);
}

void tn_plan_steps_wheels(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    const char *env = tn_plan_env_of(mem, p);
    tn_plan_steps_venv(mem, p, true, all);
    if (tn_plan_needs_link(p)) {
        struct tn_plan_step *s = tn_plan_step_add(all, TN_STEP_LINK);
        s->env = env;
        s->python = p->choice.python;
        s->into = tn_plan_link_into(p);
    }
}

void tn_plan_steps_of(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->windows = p->machine.windows;
    if (p->end != TN_PLAN_FITS)
        return;
    switch (p->method) {
    case TN_METHOD_CONDA: tn_plan_steps_conda(mem, p, ret); break;
    case TN_METHOD_MIXED: tn_plan_steps_both(mem, p, ret); break;
    case TN_METHOD_MANUAL: tn_plan_steps_manual(mem, p, ret); break;
    case TN_METHOD_DOCKER: tn_plan_steps_docker(mem, p, ret); return;
    case TN_METHOD_WSL: tn_plan_steps_wsl(mem, p, ret); break;
    default: tn_plan_steps_wheels(mem, p, ret); break;
    }
    struct tn_plan_step *s = tn_plan_step_add(ret, TN_STEP_CHECK);
    s->env = tn_plan_env_of(mem, p);
    const struct tn_plan_step *last = &ret->v[ret->n - 2];
    s->named = last->named;
    s->tool = last->tool;
    s->inside = last->inside;
    if (s->tool == TN_STEP_BY_CONDA) {
        s->program = last->program;
        s->exe = last->exe;
    }
    if (last->kind == TN_STEP_SEARCH) { /* what the activation leads to is found by an activated shell only */
        s->into = last->into;
        s->program = last->program;
        s->exe = last->exe;
        s->env = last->env;
    }
}
