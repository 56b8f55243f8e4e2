/* export.c - a plan in the form of another tool: what the forms share. Every word is quoted for where it goes, and one
 * that has no safe form there leaves no export at all, never half of one. */
#include <string.h>

#include "base/str.h"
#include "plan/export.h"
#include "strings.gen.h"

void tn_export_title(struct tn_export *x, const char *mark)
{
    const struct tn_plan_choice *c = &x->p->choice;
    tn_buf_printf(x->b, "%stenon plan: ", mark);
    for (unsigned i = 0; i < c->n; i++)
        tn_buf_printf(x->b, "%s%s %s", i ? ", " : "", c->build[i]->package, c->build[i]->version);
    if (*c->python)
        tn_buf_printf(x->b, ", Python %s", c->python);
    if (*c->cuda)
        tn_buf_printf(x->b, ", CUDA %s", c->cuda);
    if (*c->cudnn)
        tn_buf_printf(x->b, ", cuDNN %s", c->cudnn);
    tn_buf_ch(x->b, '\n');
}

const struct tn_plan_step *tn_export_step(const struct tn_export *x, enum tn_step_kind kind)
{
    for (unsigned i = 0; i < x->steps->n; i++)
        if (x->steps->v[i].kind == kind)
            return &x->steps->v[i];
    return NULL;
}

const char *tn_export_name(struct tn_export *x)
{
    const char *env = x->steps->n ? x->steps->v[0].env : "", *end = env + strlen(env), *at;
    while (end > env && strchr("/\\", end[-1]))
        end--;
    for (at = end; at > env && !strchr("/\\", at[-1]);)
        at--;
    char *name = tn_arena_alloc(x->mem, (size_t)(end - at) + 1);
    size_t n = 0;
    for (; at < end; at++)
        if (tn_is_alpha(*at) || tn_is_digit(*at) || (n && strchr("-._", *at)))
            name[n++] = *at;
    while (n && strchr("-._", name[n - 1]))
        n--;
    name[n] = 0;
    return n && n <= 60 ? name : tn_plan_kind_word(x->p->choice.build[0]->kind);
}

void tn_export_string(struct tn_export *x, const char *s)
{
    tn_buf_ch(x->b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            tn_buf_ch(x->b, '\\');
        tn_buf_ch(x->b, *s);
    }
    tn_buf_ch(x->b, '"');
}

bool tn_export_package_ok(struct tn_export *x, const char *package)
{
    for (const char *c = package; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f || strchr("#\\\"'`$%{}", *c) || *package == '-') {
            x->refused = package;
            return false;
        }
    return true;
}

void tn_export_inside(struct tn_export *x, struct tn_plan_steps *ret)
{
    *ret = *x->steps;
    ret->n = 0;
    for (unsigned i = 0; i < x->steps->n; i++) {
        struct tn_plan_step s = x->steps->v[i];
        if (s.kind == TN_STEP_CHECK || s.kind == TN_STEP_PYTHON || s.kind == TN_STEP_DRIVER)
            continue; /* the image brings its Python, the host its driver */
        s.env = "/opt/env";
        s.named = false;
        if (s.tool == TN_STEP_BY_CONDA)
            s.program = "conda", s.exe = "";
        else
            s.tool = TN_STEP_BY_PIP;
        ret->v[ret->n++] = s;
    }
}

bool tn_export_commands(struct tn_export *x, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                        enum tn_shell shell, const char *head, const char *tail)
{
    struct tn_buf b;
    tn_buf_init(&b);
    bool ok = tn_plan_step_command(x->mem, all, s, shell, &b);
    if (!ok) {
        x->refused = tn_plan_step_refused(x->mem, all, s, shell);
        x->why = x->refused ? NULL : s->kind == TN_STEP_IMAGE ? TN_S_pl_no_form_image : TN_S_pl_no_form_hand;
    }
    for (char *line = b.p, *end; ok && line && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = 0;
        tn_buf_printf(x->b, "%s%s%s", head, line, tail);
    }
    tn_buf_deinit(&b);
    return ok;
}

bool tn_export_is_wheels(struct tn_export *x)
{
    for (unsigned i = 0; i < x->steps->n; i++)
        switch (x->steps->v[i].kind) {
        case TN_STEP_VENV:
        case TN_STEP_PYTHON:
        case TN_STEP_PACKAGES:
        case TN_STEP_LINK:
        case TN_STEP_DRIVER:
        case TN_STEP_CHECK: break;
        case TN_STEP_CONDA_ENV: x->why = TN_S_pl_no_form_conda; return false;
        case TN_STEP_IMAGE: x->why = TN_S_pl_no_form_image; return false;
        default: x->why = TN_S_pl_no_form_hand; return false;
        }
    if (!tn_export_step(x, TN_STEP_PACKAGES))
        x->why = TN_S_pl_no_form_hand;
    return !x->why;
}

static const char *const forms[] = {"sh",         "ps1",          "requirements", "environment", "pyproject",
                                    "dockerfile", "devcontainer", "apptainer",    "slurm"};

int tn_plan_form_of(const char *word)
{
    for (unsigned i = 0; i < TN_LEN(forms); i++)
        if (tn_str_eq(word, forms[i]))
            return (int)i;
    return -1;
}

/* What is typed inside WSL, as a plan for Linux; uv is fetched by a script alone, files of other tools have theirs. */
static const struct tn_plan_steps *inside_wsl(struct tn_arena *mem, const struct tn_plan_steps *steps, bool script)
{
    struct tn_plan_steps *in = tn_arena_memdup(mem, steps, sizeof *steps);
    in->n = 0;
    in->windows = false;
    for (unsigned i = 0; i < steps->n; i++)
        if (steps->v[i].inside && (script || steps->v[i].kind != TN_STEP_UV))
            in->v[in->n++] = steps->v[i];
    return in;
}

bool tn_plan_export(struct tn_arena *mem, const struct tn_plan *p, const struct tn_plan_steps *steps,
                    enum tn_plan_form form, struct tn_buf *ret, const char **ret_why, const char **ret_word)
{
    static bool (*const write[])(struct tn_export *) = {
        tn_export_sh,           tn_export_ps1,       tn_export_requirements,
        tn_export_environment,  tn_export_pyproject, tn_export_dockerfile,
        tn_export_devcontainer, tn_export_apptainer, tn_export_slurm};
    if (p->method == TN_METHOD_WSL && form != TN_FORM_PS1)
        steps = inside_wsl(mem, steps, form == TN_FORM_SH);
    struct tn_export x = {.mem = mem, .p = p, .steps = steps, .b = ret};
    bool image = p->method == TN_METHOD_DOCKER && form >= TN_FORM_DOCKERFILE;
    size_t n = ret->n;
    bool files =
        form == TN_FORM_PS1 || form == TN_FORM_REQUIREMENTS || form == TN_FORM_ENVIRONMENT || form == TN_FORM_PYPROJECT;
    bool ok = false;
    for (unsigned i = 0; i < steps->n && !x.refused; i++)
        x.refused = tn_plan_step_refused(mem, steps, &steps->v[i], steps->windows ? TN_SHELL_POWERSHELL : TN_SHELL_SH);
    if (p->method == TN_METHOD_WSL && form == TN_FORM_PS1)
        x.why = TN_S_pl_no_form_wsl;
    else if (steps->windows && !files && !image)
        x.why = TN_S_pl_no_form_windows;
    else if (!steps->windows && form == TN_FORM_PS1)
        x.why = TN_S_pl_no_form_not_windows;
    else if (!x.refused)
        ok = write[form](&x);
    if (!ok) {
        ret->n = n;
        if (ret->p)
            ret->p[n] = 0;
    }
    *ret_why = x.why;
    *ret_word = x.refused;
    return ok;
}
