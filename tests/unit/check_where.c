/* check_where.c - the wrong environment, a shell that cannot activate, a loader that does not search the system. */
#include "check_machine.h"

static struct tn_rec_env *second(struct machine *m, const char *kind, const char *path)
{
    add_env(m, "env2", false);
    struct tn_rec_env *e = &m->s.env.v[m->s.env.n - 1];
    e->kind = T(kind);
    e->path = T(path);
    e->interpreter = tn_fact_str(&m->s, 0, "/other/bin/python");
    return e;
}

static void add_choice(struct machine *m, const char *by, const char *name, const char *env, const char *file)
{
    struct tn_rec_choice *c = TN_ADD(&m->s, choice);
    c->by = T(by);
    c->name = T(name);
    c->interpreter = T("/other/bin/python");
    c->env = env ? T(env) : tn_fact_nostr(0, TN_ABSENT);
    c->file = file ? T(file) : tn_fact_nostr(0, TN_ABSENT);
    c->exists = N(env != NULL);
    m->s.choice.listed = TN_KNOWN;
}

/* CONDA_PREFIX names one, PATH finds another. */
static void path(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    (void)state;
    start_healthy(m);
    m->s.env.v[0].active = N(1);
    m->s.env.v[0].chosen_by = T("CONDA_PREFIX");
    second(m, "pyenv", "/home/u/.pyenv/versions/3.9.1");
    add_choice(m, "path-python", NULL, "env1", NULL);
    expect_ok(m, 0);
    m->s.choice.v[0].env = T("env2");
    expect_ok(m, 1); /* the variable alone */
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T("PATH");
    v->value = T("/home/u/envs/tf2/bin:/usr/bin");
    expect_ok(m, 1);
    m->s.variable.v[0].value = T("/home/u/.pyenv/shims:/home/u/envs/tf/bin:/usr/bin");
    const struct tn_finding *f = expect_problem(m, "wrong-environment", "path");
    expect_sentence(f, TN_EN,
                    "CONDA_PREFIX names /home/u/envs/tf, but \"python\" on PATH belongs to "
                    "/home/u/.pyenv/versions/3.9.1");
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    assert_string_equal(b.p, "conda activate /home/u/envs/tf");
    tn_buf_deinit(&b);
    add_framework(m, "env2", "torch", "2.4.0", true); /* both have one: a note */
    expect_ok(m, 0);
    m->s.env.v[0].active = N(0);
    judge(m, NULL);
    assert_null(found(m, "wrong-environment"));
    finish(m);
}

/* Many environments, the judged one without a framework: healthy, unless a GPU was asked for. */
static void others(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "linux");
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    set_driver(m, "535.183.01", "12.2");
    add_module(m, "6.8.0-45-generic", true);
    add_env(m, "env1", true);
    m->s.env.v[0].kind = T("system");
    m->s.env.v[0].chosen_by = T("PATH");
    second(m, "venv", "/home/u/tf");
    expect_ok(m, 0);
    assert_null(found(m, "wrong-environment"));
    add_framework(m, "env2", "torch", "2.4.0", true);
    expect_ok(m, 0);
    assert_int_equal(found(m, "wrong-environment")->severity, TN_NOTE);
    judge(m, "gpu");
    assert_int_equal(found(m, "wrong-environment")->severity, TN_WARNING);
    m->s.env.v[0].chosen_by = T("option"); /* asked for by name */
    expect_ok(m, 0);
    assert_null(found(m, "wrong-environment"));
    m->s.env.v[0].chosen_by = T("PATH");
    add_choice(m, "path-python", NULL, "env1", NULL);
    add_choice(m, "path-pip", NULL, "env2", "/home/u/.local/bin/pip");
    expect_ok(m, 1);
    assert_string_equal(found(m, "wrong-environment")->variant, "pip");
    finish(m);
}

static void kernel(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    second(m, "system", "/usr");
    add_choice(m, "jupyter", "python3", "env1", "/home/u/envs/tf/share/jupyter/kernels/python3/kernel.json");
    expect_ok(m, 0);
    assert_null(found(m, "wrong-environment"));
    m->s.choice.v[0].env = T("env2");
    expect_sentence(expect_problem(m, "wrong-environment", "kernel"), TN_ZH, "python3");
    m->s.choice.v[0].file = T("/home/u/.local/share/jupyter/kernels/python3/kernel.json"); /* one of many */
    expect_ok(m, 0);
    assert_null(found(m, "wrong-environment"));
    m->s.choice.v[0].env = tn_fact_nostr(0, TN_ABSENT);
    m->s.choice.v[0].exists = N(0);
    expect_ok(m, 0);
    assert_string_equal(found(m, "wrong-environment")->variant, "kernel-gone");
    m->s.choice.v[0].exists = tn_fact_noint(0, TN_DENIED); /* could not look: nothing is said of it */
    expect_ok(m, 0);
    assert_null(found(m, "wrong-environment"));
    finish(m);
}

static void variables(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T("PYTHONHOME");
    v->value = T("/home/u/envs/tf");
    expect_ok(m, 0);
    m->s.variable.v[0].value = T("/opt/python3.6");
    expect_ok(m, 1);
    assert_string_equal(found(m, "wrong-environment")->variant, "pythonhome");
    m->s.variable.v[0].name = T("OTHER");
    struct tn_rec_env *e = second(m, "venv", "/gone");
    e->kind = tn_fact_nostr(0, TN_ABSENT);
    e->active = N(1);
    e->chosen_by = T("VIRTUAL_ENV");
    expect_ok(m, 0);
    assert_string_equal(found(m, "wrong-environment")->variant, "gone");
    finish(m);
}

static void loader(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    m->s.env.v[0].loader = T("/lib64/ld-linux-x86-64.so.2");
    expect_ok(m, 0);
    m->s.env.v[0].loader = T("/nix/store/abc-glibc-2.39/lib/ld-linux-x86-64.so.2");
    expect_sentence(expect_problem(m, "foreign-loader", NULL), TN_EN, "the loader of Nix");
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T("LD_LIBRARY_PATH");
    v->value = T("/x:/run/opengl-driver/lib");
    expect_ok(m, 0);
    m->s.variable.v[0].value = T("/x");
    m->s.framework.v[0].path = T("/nix/store/def-torch/lib/python3.12/site-packages/torch");
    expect_ok(m, 0);
    m->s.framework.v[0].path = T("/home/u/envs/tf/lib/python3.9/site-packages/tensorflow");
    judge(m, "cpu");
    assert_null(found(m, "foreign-loader"));
    finish(m);
}

static void shell(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    (void)state;
    start(m, "windows");
    add_gpu(m, "NVIDIA GeForce GTX 1660", "7.5");
    set_driver(m, "551.23", "12.4");
    TN_THE(&m->s, driver)->library_path = T("C:\\Windows\\System32\\nvcuda.dll");
    add_env(m, "env1", true);
    m->s.env.v[0].kind = T("system");
    m->s.env.v[0].chosen_by = T("PATH");
    second(m, "conda", "C:\\mc\\envs\\tf");
    add_framework(m, "env2", "tensorflow", "2.10.0", true);
    struct tn_rec_shell *sh = TN_THE(&m->s, shell);
    sh->name = T("powershell");
    sh->conda = N(1);
    sh->conda_init = N(0);
    sh->file = T("C:\\Users\\u\\Documents\\WindowsPowerShell\\profile.ps1");
    sh->policy = T("RemoteSigned");
    expect_ok(m, 0);
    assert_int_equal(found(m, "shell-not-initialised")->severity, TN_NOTE);
    judge(m, "gpu");
    const struct tn_finding *f = found(m, "shell-not-initialised");
    assert_int_equal(f->severity, TN_WARNING);
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_POWERSHELL));
    assert_string_equal(b.p, "conda init powershell");
    tn_buf_deinit(&b);
    /* PATH need not have it yet: the installation's own, where that is known. */
    struct tn_rec_env *base = TN_ADD(&m->s, env);
    base->id = base->path = T("C:\\mc");
    base->kind = T("conda");
    judge(m, "gpu");
    f = found(m, "shell-not-initialised");
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_POWERSHELL));
    assert_string_equal(b.p, "C:\\mc\\Scripts\\conda.exe init powershell");
    tn_buf_deinit(&b);
    sh->conda_init = N(1);
    expect_ok(m, 0);
    assert_null(found(m, "shell-not-initialised"));
    sh->policy = T("Restricted");
    expect_ok(m, 1);
    assert_string_equal(found(m, "shell-not-initialised")->variant, "policy");
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T("CONDA_PREFIX"); /* activated: it works */
    v->value = T("C:\\mc");
    expect_ok(m, 0);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(path),      cmocka_unit_test(others), cmocka_unit_test(kernel),
                                       cmocka_unit_test(variables), cmocka_unit_test(loader), cmocka_unit_test(shell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
