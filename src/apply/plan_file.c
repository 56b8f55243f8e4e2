/* plan_file.c - see plan_file.h. */
#include "apply/plan_file.h"

#include <jansson.h>
#include <string.h>

#include "base/str.h"
#include "snapshot/json.h"

struct reader {
    struct tn_arena *mem;
    const char *place;
    struct tn_err *err;
};

static int refuse(struct reader *r, const char *why, const char *what)
{
    return tn_err_set(r->err, TN_E_REFUSED, r->place, "%s%s%s", why, *what ? ": " : "", what);
}

/* A text member; absent: "". */
static int text_of(struct reader *r, const json_t *j, const char *key, const char **ret)
{
    const json_t *v = json_object_get(j, key);
    const char *why;
    *ret = "";
    if (!v || json_is_null(v))
        return 0;
    const char *s = tn_json_untext(r->mem, v, &why);
    if (!s)
        return refuse(r, "not a text", key);
    for (const char *p = s; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7F)
            return refuse(r, "a control character", key);
    *ret = s;
    return 0;
}

static int words_of(struct reader *r, const json_t *j, const char *key, const char **v, unsigned max, unsigned *ret_n)
{
    const json_t *list = json_object_get(j, key), *one;
    size_t i;
    *ret_n = 0;
    if (!list || json_is_null(list))
        return 0;
    if (!json_is_array(list) || json_array_size(list) > max)
        return refuse(r, "not a list of at most a few texts", key);
    json_array_foreach(list, i, one)
    {
        const char *why;
        v[i] = tn_json_untext(r->mem, one, &why);
        if (!v[i] || !*v[i] || v[i][0] == '-') /* an installer would take it for an option */
            return refuse(r, "not a requirement", key);
        for (const char *p = v[i]; *p; p++)
            if ((unsigned char)*p < ' ' || *p == 0x7F)
                return refuse(r, "a control character", key);
    }
    *ret_n = (unsigned)i;
    return 0;
}

static int read_do(struct reader *r, const json_t *j, struct tn_plan_step *s)
{
    const char *kind, *tool;
    const struct {
        const char *key, **to;
    } texts[] = {
        {"program", &s->program},  {"env", &s->env},     {"python", &s->python}, {"version", &s->version},
        {"into", &s->into},        {"image", &s->image}, {"index", &s->index},   {"find_links", &s->find_links},
        {"override", &s->override}};
    int rc = text_of(r, j, "kind", &kind);
    if (!rc)
        rc = text_of(r, j, "tool", &tool);
    if (rc)
        return rc;
    int k = tn_plan_step_kind_of(kind), t = *tool ? tn_plan_step_tool_of(tool) : TN_STEP_BY_PIP;
    if (k < 0)
        return refuse(r, "a kind of step that is not known", kind);
    if (t < 0)
        return refuse(r, "a tool that is not known", tool);
    *s = (struct tn_plan_step){.kind = (enum tn_step_kind)k, .tool = (enum tn_step_tool)t};
    for (unsigned i = 0; i < TN_LEN(texts) && !rc; i++)
        rc = text_of(r, j, texts[i].key, texts[i].to);
    s->extra_index = s->exe = "";
    if (!rc && strspn(s->override, "0123456789.") != strlen(s->override)) /* it is printed as it is */
        return refuse(r, "not a version", "override");
    s->named = json_is_true(json_object_get(j, "named"));
    s->gpu = json_is_true(json_object_get(j, "gpu"));
    if (!rc)
        rc = words_of(r, j, "packages", s->package, TN_STEP_MAX_PACKAGES, &s->n_package);
    if (!rc)
        rc = words_of(r, j, "channels", s->channel, TN_LEN(s->channel), &s->n_channel);
    return rc;
}

/* What is shown to a reader of the file must be what is done. */
static int same_command(struct reader *r, const json_t *step, const struct tn_plan_steps *all,
                        const struct tn_plan_step *s)
{
    const char *claimed;
    struct tn_buf b;
    int rc = 0;
    claimed = json_string_value(json_object_get(step, "command")); /* may have several lines */
    if (!claimed)
        return 0;
    tn_buf_init(&b);
    bool ok = tn_plan_step_command(r->mem, all, s, all->windows ? TN_SHELL_POWERSHELL : TN_SHELL_SH, &b);
    while (b.n && b.p[b.n - 1] == '\n')
        b.p[--b.n] = 0;
    if (!ok || !tn_str_eq(b.p, claimed))
        rc = refuse(r, "its command is not what the step does; here that is", ok ? b.p : "nothing");
    tn_buf_deinit(&b);
    return rc;
}

/* Where a program lies is never a file's to say. */
static void find_program(const struct tn_plan_machine *here, struct tn_plan_step *s)
{
    if (s->tool == TN_STEP_BY_CONDA && tn_str_eq(s->program, here->conda))
        s->exe = here->conda_exe;
}

static int read_steps(struct reader *r, const json_t *list, const struct tn_plan_machine *here,
                      struct tn_plan_steps *ret)
{
    const json_t *one;
    size_t i;
    int rc = 0;
    json_array_foreach(list, i, one)
    {
        const json_t *what = json_object_get(one, "do");
        r->place = tn_arena_printf(r->mem, "step %zu", i + 1);
        if (i == TN_PLAN_MAX_STEPS)
            return refuse(r, "too many steps", "");
        if (!json_is_object(what))
            return refuse(r, "it does not say what to do (\"do\"); a command alone is not run", "");
        rc = read_do(r, what, &ret->v[i]);
        if (rc)
            return rc;
        find_program(here, &ret->v[i]);
        ret->n = (unsigned)i + 1;
    }
    for (unsigned k = 0; k < ret->n && !rc; k++) {
        r->place = tn_arena_printf(r->mem, "step %u", k + 1);
        rc = same_command(r, json_array_get(list, k), ret, &ret->v[k]);
    }
    return rc;
}

/* The facts that it rests on, where it names them, are those of this machine. */
static int same_machine(struct reader *r, const json_t *then, const json_t *now)
{
    const char *key;
    json_t *v;
    if (!json_is_object(then))
        return 0;
    json_object_foreach((json_t *)(uintptr_t)then, key, v)
    {
        const json_t *here = json_object_get(now, key);
        if (here && json_equal(here, v))
            continue;
        struct tn_buf was, is;
        tn_buf_init(&was);
        tn_buf_init(&is);
        tn_json_dump(&was, v, 0);
        if (here)
            tn_json_dump(&is, here, 0);
        while (was.n && was.p[was.n - 1] == '\n')
            was.p[--was.n] = 0;
        while (is.n && is.p[is.n - 1] == '\n')
            is.p[--is.n] = 0;
        int rc = tn_err_set(r->err, TN_E_REFUSED, key, "the plan was made for %s, this machine has %s: plan again",
                            was.p, is.n ? is.p : "none");
        tn_buf_deinit(&was);
        tn_buf_deinit(&is);
        return rc;
    }
    return 0;
}

int tn_plan_file_read(struct tn_arena *mem, struct tn_span text, const struct tn_plan_machine *here,
                      struct tn_plan_steps *ret, struct tn_err *err)
{
    struct reader r = {mem, NULL, err};
    struct tn_plan_steps *all = tn_arena_alloc(mem, sizeof *all);
    memset(all, 0, sizeof *all);
    tn_json_seed();
    json_t *j = tn_json_load(text, err);
    if (!j)
        return TN_E_FORMAT;
    const json_t *steps = json_object_get(j, "steps");
    const char *status = json_string_value(json_object_get(j, "status"));
    json_t *machine = tn_plan_machine_json(here);
    int rc = 0;
    all->windows = here->windows;
    if (!tn_str_eq(json_string_value(json_object_get(j, "command")), "plan") || !json_is_array(steps))
        rc = tn_err_set(err, TN_E_REFUSED, NULL, "not a plan as `tenon plan --json` writes it");
    else if (status && !tn_str_eq(status, "fits"))
        rc = tn_err_set(err, TN_E_REFUSED, NULL, "the plan found no combination that fits");
    if (!rc)
        rc = same_machine(&r, json_object_get(j, "machine"), machine);
    if (!rc)
        rc = read_steps(&r, steps, here, all);
    if (!rc)
        *ret = *all;
    json_decref(machine);
    json_decref(j);
    return rc;
}
