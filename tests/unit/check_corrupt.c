/* check_corrupt.c - installations that are not whole, or hidden by something else (framework-corrupt). */
#include "check_machine.h"

static struct tn_rec_dist *damaged(struct machine *m, const char *name, const char *version, const char *damage)
{
    struct tn_rec_dist *d = add_dist(m, "env1", name, version);
    d->place = T("env");
    d->hidden = N(0);
    d->damage = damage ? T(damage) : tn_fact_nostr(0, TN_ABSENT);
    d->damaged_path = T("/home/u/envs/tf/lib/python3.9/site-packages/x/lib.so");
    return d;
}

static void damage(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    (void)state;
    start_healthy(m);
    struct tn_rec_dist *d = damaged(m, "tensorflow", "2.10.1", NULL);
    expect_ok(m, 0);
    d->damage = T("files-missing");
    const struct tn_finding *f = expect_problem(m, "framework-corrupt", NULL);
    expect_sentence(f, TN_EN, "site-packages/x/lib.so is missing");
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    assert_string_equal(b.p, "/home/u/envs/tf/bin/python -m pip install --force-reinstall --no-deps --no-cache-dir "
                             "tensorflow==2.10.1");
    tn_buf_deinit(&b);
    d->damage = T("files-empty");
    expect_problem(m, "framework-corrupt", "empty");
    d->hidden = N(1); /* nobody imports it */
    expect_ok(m, 0);
    d->hidden = N(0);
    d->damage = T("doubled");
    expect_ok(m, 1);
    static const char *const harmless[] = {"files-replaced", "leftover", "no-record", "no-metadata"};
    for (size_t i = 0; i < TN_LEN(harmless); i++) {
        d->damage = T(harmless[i]);
        expect_ok(m, 0);
    }
    d->damage = T("files-missing");
    d->name = T("scipy"); /* no part of the stack */
    expect_ok(m, 0);
    finish(m);
}

static void interpreter(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_env *e = &m->s.env.v[0];
    e->kind = T("venv");
    expect_ok(m, 0);
    e->interpreter = tn_fact_nostr(0, TN_ABSENT);
    e->base = T("/opt/python3.9");
    expect_sentence(expect_problem(m, "framework-corrupt", "no-interpreter"), TN_EN, "/opt/python3.9");
    e->interpreter = tn_fact_nostr(0, TN_DENIED);
    expect_ok(m, 0);
    e->kind = T("conda"); /* an environment without Python */
    e->interpreter = tn_fact_nostr(0, TN_ABSENT);
    expect_ok(m, 0);
    finish(m);
}

static struct tn_rec_shadow *add_shadow(struct machine *m, const char *module, const char *by, const char *type)
{
    struct tn_rec_shadow *r = TN_ADD(&m->s, shadow);
    r->env = T("env1");
    r->module = T(module);
    r->by = T(by);
    r->type = T(type);
    r->path = tn_fact_str(&m->s, 0, strcmp(type, "file") == 0 ? "/w/x.py" : "/w/x");
    m->s.shadow.listed = TN_KNOWN;
    return r;
}

static void shadows(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    (void)state;
    start_healthy(m);
    struct tn_rec_shadow *r = add_shadow(m, "tensorflow", "path", "file");
    const struct tn_finding *f = expect_problem(m, "framework-corrupt", "file");
    expect_sentence(f, TN_EN, "/w/x.py in place of the installed tensorflow");
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    assert_string_equal(b.p, "mv /w/x.py /w/x_renamed.py");
    tn_buf_deinit(&b);
    r->by = T("cwd");
    expect_ok(m, 1); /* only programs that are started there */
    r->type = T("folder");
    expect_ok(m, 0); /* peer 25: a namespace folder is no module */
    r->type = T("package");
    r->module = T("torch"); /* not installed */
    expect_ok(m, 0);
    r->module = T("random");
    expect_ok(m, 0);
    r->by = T("path");
    expect_ok(m, 1);
    finish(m);
}

/* Story 25: what lies below ~/.local is imported in place of the environment's own. */
static void user_site(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_dist *user = damaged(m, "tensorflow", "2.15.0", NULL);
    user->place = T("user");
    user->site = T("/home/u/.local/lib/python3.9/site-packages");
    struct tn_rec_dist *own = damaged(m, "tensorflow", "2.10.1", NULL);
    own->hidden = N(1);
    const struct tn_finding *f = expect_problem(m, "framework-corrupt", "user-site");
    expect_sentence(f, TN_EN, "tensorflow 2.15.0 in /home/u/.local/lib/python3.9/site-packages");
    assert_string_equal(f->remedy[0].id, "ignore-user-site");
    struct tn_rec_shadow *r = add_shadow(m, "tensorflow", "user", "package");
    r->path = T("/home/u/.local/lib/python3.9/site-packages/tensorflow");
    f = expect_problem(m, "framework-corrupt", "user-site"); /* installed there: nobody would rename it */
    own->version = T("2.15.0");                              /* the same: no harm */
    expect_ok(m, 0);
    own->version = T("2.10.1");
    r->path = T("/home/u/.local/lib/python3.9/site-packages/other/tensorflow");
    f = expect_problem(m, "framework-corrupt", "file");
    r->path = T("/home/u/.local/lib/python3.9/site-packages/tensorflow");
    m->s.env.v[0].kind = T("system"); /* pip install --user is meant so */
    expect_ok(m, 0);
    m->s.env.v[0].kind = T("conda");
    m->s.dist.v[m->s.dist.n - 2].place = T("path");
    expect_problem(m, "framework-corrupt", "path");
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damage), cmocka_unit_test(interpreter),
                                       cmocka_unit_test(shadows), cmocka_unit_test(user_site)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
