/* wish.c - what somebody asks for, as wishes: names that mislead are put right or refused, with the reason.
 *
 * Sources: PyPA "Dependency specifiers"; tables package_names and never_install. "name=1.2" is conda's way of writing
 * "name==1.2.*" (conda package match specification). */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
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
    *r = (struct tn_plan_wish){.kind = kind, .asked = "", .spec = "", .extras = "", .variant = ""};
    return r;
}

/* Both specifiers at once; one that is there already is not written again. NULL: longer than is read. */
static const char *join_specs(struct tn_arena *mem, const char *a, const char *b)
{
    size_t n = strlen(b);
    if (!n)
        return a;
    for (const char *p = a; (p = strstr(p, b)) != NULL; p += n)
        if ((p == a || p[-1] == ',') && (!p[n] || p[n] == ','))
            return a;
    if (strlen(a) + n > TN_MAX_WISH_SPECS)
        return NULL;
    return *a ? tn_arena_printf(mem, "%s,%s", a, b) : b;
}

static bool wants_gpu(const char *extras)
{
    return strstr(extras, "cuda") != NULL || tn_str_eq(extras, "gpu");
}

/* "cu118" of "==2.0.1+cu118", which is cut off: PyTorch's builds for one CUDA, or for the CPU. "" for none. */
static const char *cut_variant(struct tn_arena *mem, const char **spec)
{
    const char *plus = strchr(*spec, '+');
    if (!plus || !tn_str_starts(*spec, "==") || strchr(*spec, ','))
        return "";
    *spec = tn_arena_strndup(mem, *spec, (size_t)(plus - *spec));
    return tn_arena_strdup(mem, plus + 1);
}

/* JAX's extras name a CUDA: "cuda12", "cuda11-pip" (as old releases write it). *ret: the one, "" for none. */
static bool one_cuda(struct tn_arena *mem, const char *extras, const char **ret)
{
    for (const char *p = extras; *p;) {
        size_t n = strcspn(p, " "), digits = tn_str_starts(p, "cuda") ? 4 + strspn(p + 4, "0123456789") : 0;
        if (digits > 4) {
            const char *one = tn_arena_strndup(mem, p, digits);
            if (**ret && !tn_str_eq(*ret, one))
                return false;
            *ret = one;
        }
        p += n + (p[n] == ' ');
    }
    return true;
}

/* Extras that ask for nothing that is planned here are named, since they are left out. */
static void note_extras(struct tn_arena *mem, struct tn_plan_wishes *w, const struct tn_plan_wish *r)
{
    for (const char *p = r->extras; *p;) {
        size_t n = strcspn(p, " ");
        bool cuda = r->kind == TN_PLAN_JAX && tn_str_starts(p, "cuda");
        if (!cuda && !(r->kind == TN_PLAN_TENSORFLOW && n == 8 && tn_str_starts(p, "and-cuda"))) {
            struct tn_plan_say *say = tn_plan_says_add(&w->say, TN_S_pl_note_extra);
            tn_plan_arg(mem, say, "package", "%s", tn_plan_kind_word(r->kind));
            tn_plan_arg(mem, say, "extra", "%.*s", (int)n, p);
        }
        p += n + (p[n] == ' ');
    }
}

/* A character that looks like another, or like nothing, is told by its number. */
static int refuse(const char *text, struct tn_err *err)
{
    uint32_t c;
    for (const char *p = text; *p; p += tn_utf8_next(p, strlen(p), &c))
        if ((unsigned char)*p >= 0x80) {
            tn_utf8_next(p, strlen(p), &c);
            return tn_err_set(err, TN_E_USAGE, NULL, "'%.80s' is no requirement: it holds U+%04X, which no name has",
                              text, (unsigned)c);
        }
    return tn_err_set(err, TN_E_USAGE, NULL, "'%.80s' is no requirement such as tensorflow==2.15", text);
}

int tn_plan_wishes_check(const struct tn_plan_wishes *w, struct tn_err *err)
{
    if (w->cpu && *w->cuda)
        return tn_err_set(err, TN_E_USAGE, NULL, "--cpu and CUDA %s at once", w->cuda);
    for (unsigned i = 0; i < w->n && w->cpu; i++)
        if (w->v[i].gpu)
            return tn_err_set(err, TN_E_USAGE, NULL, "--cpu and %.80s: a GPU build and a CPU build at once",
                              w->v[i].asked);
    return 0;
}

int tn_plan_wish(struct tn_arena *mem, struct tn_plan_wishes *w, const char *text, struct tn_err *err)
{
    struct tn_requirement q;
    struct tn_span trimmed = tn_span_trim(tn_span_str(text));
    const char *asked = tn_arena_strndup(mem, (const char *)trimmed.p, trimmed.n);
    if (tn_version_requirement_parse(from_conda(mem, text), &q, err) != 0 || has_spec_error(q.spec))
        return refuse(text, err);
    if (q.url)
        return tn_err_set(err, TN_E_USAGE, NULL,
                          "'%.80s': what lies at an address is not looked at; name a release, or a file: tenon fits "
                          "FILE.whl",
                          text);
    if (q.marker.n)
        return tn_err_set(err, TN_E_USAGE, NULL, "'%.80s': markers (behind ';') are read in files: -r FILE", text);
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
    const char *variant = k->kind == TN_PLAN_TORCH ? cut_variant(mem, &spec) : "";
    const char *joined = join_specs(mem, r->spec, spec);
    if (!joined)
        return tn_err_set(err, TN_E_USAGE, NULL, "%s: more conditions than are read", name);
    if (strstr(r->asked, asked) || strlen(r->asked) > TN_MAX_WISH_TEXT)
        r->asked = tn_arena_strdup(mem, r->asked); /* another pointer: this text made the wish, too */
    else
        r->asked = *r->asked ? tn_arena_printf(mem, "%s %s", r->asked, asked) : asked;
    r->spec = joined;
    if (*q.extras) {
        r->extras = tn_arena_strdup(mem, q.extras);
        note_extras(mem, w, r);
    }
    bool one = k->kind != TN_PLAN_JAX || one_cuda(mem, q.extras, &variant);
    if (!one || (*variant && *r->variant && !tn_str_eq(variant, r->variant)))
        return tn_err_set(err, TN_E_USAGE, NULL, "%s: several variants at once", r->asked);
    r->variant = *variant ? variant : r->variant;
    r->gpu = r->gpu || k->gpu || (before && before->gpu) || wants_gpu(r->extras) || tn_str_starts(r->variant, "cu");
    r->cpu = r->cpu || k->cpu || tn_str_eq(r->variant, "cpu");
    if (r->gpu && r->cpu)
        return tn_err_set(err, TN_E_USAGE, NULL, "%s: a GPU build and a CPU build at once", r->asked);
    return 0;
}
