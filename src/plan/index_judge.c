/* index_judge.c - see index.h: what METADATA of the chosen files has against the plan.
 *
 * Rules: an extra that METADATA does not provide is passed over by pip with a warning (pip, "Requirement Specifiers";
 * PEP 508), so that what it stands for does not come; a version that the plan pins and METADATA's own requirement does
 * not take makes every resolver refuse. That the tables say something else than METADATA is told, and METADATA is what
 * holds. Markers are judged for the plan's Python and system. */
#include <string.h>

#include "base/str.h"
#include "plan/file.h"
#include "plan/index.h"
#include "plan/inner.h"
#include "plan/metadata.h"
#include "plan/step.h"
#include "strings.gen.h"
#include "version/dotted.h"
#include "version/requirement.h"

struct judging {
    struct tn_arena *mem;
    const struct tn_plan *p;
    const struct tn_plan_steps *steps;
    struct tn_plan_says *ret;
    const struct tn_index_file *f;
    const struct tn_plan_build *b;
    const bool *wanted; /* of METADATA's requirements */
    bool refused;
};

static struct tn_plan_say *say(struct judging *j, const char *id)
{
    struct tn_plan_say *s = tn_plan_says_add(j->ret, id);
    tn_plan_arg(j->mem, s, "file", "%s", j->f->file);
    return s;
}

static void say_read(struct judging *j)
{
    const struct tn_index_file *f = j->f;
    struct tn_plan_say *s = say(j, f->meta ? TN_S_pl_online_read_meta : TN_S_pl_online_read);
    tn_plan_arg(j->mem, s, "python", "%s", j->p->choice.python);
    tn_plan_arg(j->mem, s, "size", f->size ? "%llu MB" : "?", (unsigned long long)(f->size + 500000) / 1000000);
    tn_plan_arg(j->mem, s, "kib", "%llu", (unsigned long long)(f->meta_bytes + 1023) / 1024);
    if (f->not_read)
        say(j, f->not_read);
}

/* Each package of the plan's own steps. */
static bool next_package(const struct judging *j, unsigned *step, unsigned *at, struct tn_requirement *ret)
{
    for (; *step < j->steps->n; ++*step, *at = 0) {
        const struct tn_plan_step *s = &j->steps->v[*step];
        while (s->kind == TN_STEP_PACKAGES && *at < s->n_package)
            if (tn_version_requirement_parse(s->package[(*at)++], ret, NULL) == 0)
                return true;
    }
    return false;
}

/* The extras of it that the steps ask for. */
static const char *extras_of(struct judging *j)
{
    struct tn_requirement q;
    const char *all = "";
    for (unsigned step = 0, at = 0; next_package(j, &step, &at, &q);)
        if (tn_str_eq(q.name, j->f->meta->name) && *q.extras)
            all = tn_arena_printf(j->mem, "%s%s%s", all, *all ? " " : "", q.extras);
    return all;
}

static void judge_extras(struct judging *j, const char *all)
{
    for (const char *rest = all; *rest; rest += strspn(rest, " ")) {
        size_t n = strcspn(rest, " ");
        const char *extra = tn_arena_strndup(j->mem, rest, n);
        rest += n;
        if (tn_metadata_has_extra(j->f->meta, extra))
            continue;
        tn_plan_arg(j->mem, say(j, TN_S_pl_meta_no_extra), "extra", "%s", extra);
        j->refused = true;
    }
}

/* "==12.5.3.2" as "12.5.3.2"; NULL for what names more than one release. */
static const char *exact(const char *spec)
{
    return tn_str_starts(spec, "==") && spec[2] != '=' && !strpbrk(spec, ",*") ? spec + 2 : NULL;
}

static void judge_pins(struct judging *j, const struct tn_metadata_require *w)
{
    struct tn_requirement q;
    for (unsigned step = 0, at = 0; next_package(j, &step, &at, &q);) {
        const char *version = exact(q.spec);
        if (!version || !*w->spec || !tn_str_eq(q.name, w->name) || tn_plan_meets(version, w->spec))
            continue;
        struct tn_plan_say *s = say(j, TN_S_pl_meta_pin);
        tn_plan_arg(j->mem, s, "says", "%s%s", w->name, w->spec);
        tn_plan_arg(j->mem, s, "ours", "%s%s", q.name, q.spec);
        j->refused = true;
    }
}

/* "nvidia-cuda-runtime-cu12==12.8.90" and "cuda-toolkit[...]==13.0.2" name the CUDA release that it was built for. */
static void judge_cuda(struct judging *j, const struct tn_metadata_require *w)
{
    bool runtime = tn_str_starts(w->name, "nvidia-cuda-runtime") || tn_str_eq(w->name, "cuda-toolkit");
    const char *version = exact(w->spec);
    if (!runtime || !version || !j->b->gpu || !*j->b->cuda || tn_version_dotted_cmp_parts(version, j->b->cuda, 2) == 0)
        return;
    struct tn_plan_say *s = say(j, TN_S_pl_meta_cuda);
    tn_plan_arg(j->mem, s, "says", "%s%s", w->name, w->spec);
    tn_plan_arg(j->mem, s, "cuda", "%s", j->b->cuda);
}

static bool of_python(const struct tn_plan_bound *b, const char *python)
{
    return !*python || ((!*b->python_min || tn_version_dotted_cmp_parts(python, b->python_min, 2) >= 0) &&
                        (!*b->python_max || tn_version_dotted_cmp_parts(python, b->python_max, 2) <= 0));
}

/* Does METADATA say what the tables have out of it? *ret_says: what it says instead. */
static bool agrees(struct judging *j, const struct tn_plan_bound *bound, const char **ret_says)
{
    const struct tn_metadata *m = j->f->meta;
    *ret_says = NULL;
    for (size_t i = 0; i < m->n; i++)
        if (j->wanted[i] && tn_str_eq(m->v[i].name, bound->name)) {
            if (tn_metadata_same_spec(j->mem, m->v[i].spec, bound->spec))
                return true;
            *ret_says = m->v[i].spec;
        }
    return false;
}

static const char *listed(struct tn_arena *mem, const char *list, const char *name, const char *spec)
{
    return tn_arena_printf(mem, "%s%s%s%s", list, *list ? ", " : "", name, spec);
}

static void judge_bounds(struct judging *j)
{
    const char *says = "", *tables = "";
    for (unsigned i = 0; i < j->b->n_bound; i++) {
        const struct tn_plan_bound *bound = &j->b->bound[i];
        const char *instead;
        if (!bound->known_to_pip || !of_python(bound, j->p->choice.python) || agrees(j, bound, &instead))
            continue;
        if (instead)
            says = listed(j->mem, says, bound->name, instead);
        tables = listed(j->mem, tables, bound->name, bound->spec);
    }
    if (!*tables)
        return;
    struct tn_plan_say *s = say(j, *says ? TN_S_pl_meta_bound : TN_S_pl_meta_unbound);
    tn_plan_arg(j->mem, s, "says", "%s", says);
    tn_plan_arg(j->mem, s, "tables", "%s", tables);
}

/* Which of METADATA's requirements hold for the plan. */
static const char *take_wanted(struct judging *j, const struct tn_plan_machine *machine)
{
    struct tn_marker_env env;
    bool *wanted = tn_arena_array(j->mem, j->f->meta->n + 1, sizeof *wanted);
    const char *extras = extras_of(j);
    tn_wish_markers(j->mem, machine, j->p->choice.python, &env);
    tn_metadata_wanted(j->mem, j->f->meta, &env, extras, wanted);
    j->wanted = wanted;
    return extras;
}

static void judge(struct judging *j, const struct tn_plan_machine *machine)
{
    const struct tn_metadata *m = j->f->meta;
    judge_extras(j, take_wanted(j, machine));
    for (size_t i = 0; i < m->n; i++)
        if (j->wanted[i]) {
            judge_pins(j, &m->v[i]);
            judge_cuda(j, &m->v[i]);
        }
    judge_bounds(j);
}

unsigned tn_index_pins(struct tn_arena *mem, const struct tn_index_file *f, const struct tn_plan *p,
                       const struct tn_plan_machine *m, const struct tn_plan_steps *steps, const char **ret,
                       unsigned max)
{
    struct judging j = {.mem = mem, .p = p, .steps = steps, .f = f};
    unsigned n = 0;
    if (!f->meta)
        return 0;
    take_wanted(&j, m);
    for (size_t i = 0; i < f->meta->n && n < max; i++) {
        const struct tn_metadata_require *w = &f->meta->v[i];
        if (j.wanted[i] && tn_str_starts(w->spec, "==") && !strchr(w->spec, ',') && !tn_str_eq(w->name, f->meta->name))
            ret[n++] = tn_arena_printf(mem, "%s%s", w->name, w->spec);
    }
    return n;
}

bool tn_index_judge(struct tn_arena *mem, const struct tn_plan_index *x, const struct tn_plan *p,
                    const struct tn_plan_machine *m, const struct tn_plan_steps *steps, struct tn_plan_says *ret)
{
    struct judging j = {.mem = mem, .p = p, .steps = steps, .ret = ret};
    for (unsigned i = 0; i < p->choice.n; i++) {
        j.b = p->choice.build[i];
        bool own = tn_index_has_kind(m, j.b);
        const struct tn_index_package *page = tn_index_find(x, j.b->package, own ? "" : j.b->variant);
        const char *version = own ? j.b->version : tn_arena_printf(mem, "%s+%s", j.b->version, j.b->variant);
        j.f = page ? tn_index_file_for(page, m, version, p->choice.python) : NULL;
        if (!j.f)
            continue;
        say_read(&j);
        if (j.f->meta)
            judge(&j, m);
    }
    return j.refused;
}
