/* wish.c - what somebody asks for, as wishes: names that mislead are put right or refused, with the reason.
 *
 * Sources: PyPA "Dependency specifiers"; tables package_names and never_install. "name=1.2" is conda's way of writing
 * "name==1.2.*" (conda package match specification). */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "facts/names.h"
#include "plan/plan.h"
#include "strings.gen.h"
#include "version/dotted.h"
#include "version/pep440.h"
#include "version/requirement.h"

void tn_plan_wishes_init(struct tn_plan_wishes *w)
{
    memset(w, 0, sizeof *w);
    w->python = w->cuda = w->date = w->env = "";
}

struct known {
    const char *name;
    enum tn_plan_kind kind;
    bool gpu, cpu;
};

static const struct known known[] = {
    {"tensorflow", TN_PLAN_TENSORFLOW, false, false},
    {"tensorflow-gpu", TN_PLAN_TENSORFLOW, true, false},
    {"tensorflow-cpu", TN_PLAN_TENSORFLOW, false, true},
    {"tensorflow-intel", TN_PLAN_TENSORFLOW, false, true},
    {"tf", TN_PLAN_TENSORFLOW, false, false},
    {"torch", TN_PLAN_TORCH, false, false},
    {"pytorch", TN_PLAN_TORCH, false, false},
    {"jax", TN_PLAN_JAX, false, false},
    {"onnxruntime", TN_PLAN_ORT, false, false},
    {"onnxruntime-gpu", TN_PLAN_ORT, true, false},
    {"jax-cuda12-plugin", TN_PLAN_JAX, true, false},
    {"jax-cuda13-plugin", TN_PLAN_JAX, true, false},
};

static const struct known *find_known(const char *name)
{
    for (unsigned i = 0; i < TN_LEN(known); i++)
        if (tn_str_eq(known[i].name, name))
            return &known[i];
    return NULL;
}

static const char *pypi_name(enum tn_plan_kind k)
{
    return tn_plan_kind_word(k);
}

/* "numpy=1.24" as conda writes it. */
static const char *from_conda(struct tn_arena *mem, const char *text)
{
    const char *eq = strchr(text, '=');
    if (!eq || eq == text || eq[1] == '=' || strchr("<>!~=", eq[-1]) || !tn_is_digit(eq[1]))
        return text;
    size_t n = strcspn(eq + 1, "=");
    const char *star = n && eq[n] == '*' ? "" : ".*";
    return tn_arena_printf(mem, "%.*s==%.*s%s", (int)(eq - text), text, (int)n, eq + 1, star);
}

static bool has_spec_error(const char *spec)
{
    bool met;
    struct tn_err err;
    return *spec && tn_version_pep440_match("1", spec, &met, &err) != 0;
}

static const char *exact(struct tn_arena *mem, const char *spec)
{
    return tn_str_starts(spec, "==") && !strpbrk(spec, ",*") ? tn_arena_strdup(mem, spec + 2) : "";
}

/* A name that brings something else than it says. True: refused. *ret_name: what it stands for. */
static bool put_right(struct tn_arena *mem, struct tn_plan_wishes *w, const char *asked, const char *spec,
                      const char **ret_name)
{
    struct tn_facts_package p = {0};
    const char *version = exact(mem, spec);
    bool never = tn_facts_never_install(*ret_name, &p);
    if (!never && (!tn_facts_package_name(*ret_name, version, &p) || tn_str_eq(p.kind, "helper")))
        return false;
    bool build = p.kind && tn_str_eq(p.kind, "build");
    if (build && (!*p.instead || (*version && tn_version_dotted_cmp(version, "2.1") < 0)))
        return false;
    if (never && *version && tn_facts_package_name(*ret_name, version, &p) && !*p.instead)
        return false; /* that release is a real one */
    bool refused = !p.instead || !*p.instead;
    struct tn_plan_say *say = tn_plan_says_add(&w->say, refused ? TN_S_pl_refused : TN_S_pl_rewritten);
    say->cite = p.cite;
    tn_plan_arg(mem, say, "asked", "%s", asked);
    tn_plan_arg(mem, say, "name", "%s", *ret_name);
    tn_plan_arg(mem, say, "instead", "%s%s", refused ? "" : p.instead, spec);
    tn_plan_arg(mem, say, "because", "%s", p.cite.notes ? p.cite.notes : "");
    w->refused = w->refused || refused;
    if (!refused)
        *ret_name = tn_arena_strdup(mem, p.instead);
    return refused;
}

static struct tn_plan_wish *wish_of(struct tn_plan_wishes *w, enum tn_plan_kind kind)
{
    for (unsigned i = 0; i < w->n; i++)
        if (w->v[i].kind == kind)
            return &w->v[i];
    struct tn_plan_wish *r = &w->v[w->n++];
    *r = (struct tn_plan_wish){.kind = kind, .asked = "", .spec = "", .extras = ""};
    return r;
}

static bool wants_gpu(const char *extras)
{
    return strstr(extras, "cuda") != NULL || tn_str_eq(extras, "gpu");
}

int tn_plan_wish(struct tn_arena *mem, struct tn_plan_wishes *w, const char *text, struct tn_err *err)
{
    struct tn_requirement q;
    const char *asked = tn_arena_strdup(mem, text);
    if (tn_version_requirement_parse(from_conda(mem, text), &q, err) != 0 || has_spec_error(q.spec))
        return tn_err_set(err, TN_E_USAGE, NULL, "'%.80s' is no requirement such as tensorflow==2.15", text);
    const char *name = tn_arena_strdup(mem, q.name), *spec = tn_arena_strdup(mem, q.spec);
    const struct known *before = find_known(name);
    if (tn_str_eq(name, "pytorch") || tn_str_eq(name, "tf"))
        name = pypi_name(before->kind);
    else if (put_right(mem, w, asked, spec, &name))
        return 0;
    const struct known *k = find_known(name);
    if (!k) {
        if (w->n_other < TN_PLAN_MAX_OTHER) {
            w->other[w->n_other].name = name;
            w->other[w->n_other++].spec = spec;
        }
        return 0;
    }
    struct tn_plan_wish *r = wish_of(w, k->kind);
    r->asked = *r->asked ? tn_arena_printf(mem, "%s %s", r->asked, asked) : asked;
    r->spec = *r->spec && *spec ? tn_arena_printf(mem, "%s,%s", r->spec, spec) : *spec ? spec : r->spec;
    r->extras = *q.extras ? tn_arena_strdup(mem, q.extras) : r->extras;
    r->gpu = r->gpu || k->gpu || (before && before->gpu) || wants_gpu(r->extras);
    r->cpu = r->cpu || k->cpu;
    if (r->gpu && r->cpu)
        return tn_err_set(err, TN_E_USAGE, NULL, "%s: a GPU build and a CPU build at once", r->asked);
    return 0;
}
