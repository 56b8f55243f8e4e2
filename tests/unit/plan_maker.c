/* plan_maker.c - what makes an environment: Python's own venv; virtualenv where it is asked for, or where that Python
 * is known to lack ensurepip and virtualenv is there; uv where the Python has to be fetched. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "plan/step.h"
#include "probe/describe.h"

struct machine {
    struct tn_snap s;
    uint32_t src;
};

static void describe(struct machine *m)
{
    struct tn_err err;
    assert_int_equal(tn_describe("os=linux", &m->s, &err), 0);
    m->src = tn_snap_src(&m->s, TN_KNOWN, NULL, "test");
}

/* makes: 1, 0; -1: nobody looked. */
static void python(struct machine *m, const char *version, int makes)
{
    struct tn_rec_env *e = TN_ADD(&m->s, env);
    e->kind = tn_fact_str(&m->s, m->src, "system");
    e->python = tn_fact_str(&m->s, m->src, version);
    if (makes >= 0)
        e->makes_venv = tn_fact_int(m->src, makes);
}

static void installer(struct machine *m, const char *name, const char *by)
{
    struct tn_rec_installer *r = TN_ADD(&m->s, installer);
    r->name = tn_fact_str(&m->s, m->src, name);
    r->by = tn_fact_str(&m->s, m->src, by);
}

static void makes(struct machine *m, enum tn_plan_method method, enum tn_step_tool tool, const char *command)
{
    struct tn_arena mem;
    struct tn_plan_wishes w;
    struct tn_err err;
    struct tn_buf b;
    tn_arena_init(&mem);
    tn_buf_init(&b);
    struct tn_plan *p = tn_arena_alloc(&mem, sizeof *p);
    struct tn_plan_steps *all = tn_arena_alloc(&mem, sizeof *all);
    tn_plan_wishes_init(&w);
    assert_int_equal(tn_plan_wish(&mem, &w, "onnxruntime==1.20.1", &err), 0);
    w.method = method;
    w.cpu = true;
    w.python = "3.11";
    w.env = "an env";
    tn_plan_make(&mem, &w, &m->s, p);
    tn_plan_steps_of(&mem, p, all);
    assert_int_equal(p->end, TN_PLAN_FITS);
    assert_int_equal(all->v[0].kind, TN_STEP_VENV);
    assert_int_equal(all->v[0].tool, tool);
    assert_true(tn_plan_step_command(&mem, all, &all->v[0], TN_SHELL_SH, &b));
    assert_string_equal(b.p, command);
    assert_int_equal(all->v[1].tool, tool == TN_STEP_BY_UV ? TN_STEP_BY_UV : TN_STEP_BY_PIP);
    tn_buf_deinit(&b);
    tn_arena_deinit(&mem);
}

#define VENV "python3.11 -m venv 'an env'\n"
#define VIRTUALENV "virtualenv --python 3.11 'an env'\n"
#define UV "uv venv --python 3.11 'an env'\n"

static void asked(void **state)
{
    struct machine m;
    (void)state;
    describe(&m);
    python(&m, "3.11.2", 1);
    makes(&m, TN_METHOD_VIRTUALENV, TN_STEP_BY_VIRTUALENV, VIRTUALENV);
    makes(&m, TN_METHOD_PIP, TN_STEP_BY_PIP, VENV);
    tn_snap_deinit(&m.s);
}

static void alone(void **state)
{
    struct machine m;
    (void)state;
    describe(&m);
    python(&m, "3.11.2", 0);
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_PIP, VENV); /* nothing else is there */
    installer(&m, "virtualenv", "place");
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_PIP, VENV); /* no shell would find it by its name */
    installer(&m, "virtualenv", "PATH");
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_VIRTUALENV, VIRTUALENV);
    installer(&m, "uv", "PATH");
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_UV, UV);
    makes(&m, TN_METHOD_PIP, TN_STEP_BY_VIRTUALENV, VIRTUALENV);
    tn_snap_deinit(&m.s);
}

static void beside(void **state)
{
    struct machine m;
    (void)state;
    describe(&m);
    installer(&m, "virtualenv", "PATH");
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_UV, UV); /* no Python at all */
    python(&m, "3.11.2", -1);
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_PIP, VENV); /* nobody looked */
    tn_snap_deinit(&m.s);
    describe(&m);
    installer(&m, "virtualenv", "PATH");
    python(&m, "3.12.1", 1);
    python(&m, "3.11.2", 0);
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_VIRTUALENV, VIRTUALENV);
    python(&m, "3.11.7", 1); /* another one of that release has it */
    makes(&m, TN_METHOD_AUTO, TN_STEP_BY_PIP, VENV);
    tn_snap_deinit(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(asked), cmocka_unit_test(alone), cmocka_unit_test(beside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
