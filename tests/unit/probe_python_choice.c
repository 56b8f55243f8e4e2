/* Who has chosen an interpreter (PATH, kernels, editors), what made an environment, and what its program is. */
#include "probe_python_toy.h"

#define ELF                                                                                                            \
    "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\76\0\1\0\0\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0" \
    "\70\0\1\0\0\0\0\0\0\0\3\0\0\0\4\0\0\0\170\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\21\0\0\0\0\0\0\0\21\0\0"  \
    "\0"                                                                                                               \
    "\0\0\0\0\1\0\0\0\0\0\0\0"                                                                                         \
    "/gnu/store/x/ld\0\0"
#define CFG "home = /usr/bin\nversion = 3.11.2\n"

static const struct toy_item items[] = {
    {'v', "HOME", "/home/u", 0},
    {'v', "VIRTUAL_ENV", "/home/u/a/.venv", 0},
    {'v', "PATH", "/opt/tools:/usr/bin", 0},
    {'v', "CONDA_ENVS_PATH", "/big/envs", 0},
    {'f', "/usr/bin/python3.11", ELF, sizeof ELF - 1},
    {'l', "/usr/bin/python3", "python3.11", 0},
    {'f', "/opt/tools/pip", "#!/home/u/.virtualenvs/b/bin/python3 -E\nimport sys\n", 0},
    {'f', "/home/u/a/.venv/pyvenv.cfg", CFG "virtualenv = 20.1\n", 0},
    {'f', "/home/u/a/poetry.lock", "", 0},
    {'f', "/home/u/a/.venv/bin/python3", ELF, sizeof ELF - 1},
    {'f', "/home/u/.virtualenvs/b/pyvenv.cfg", CFG "uv = 0.5.1\n", 0},
    {'f', "/home/u/.virtualenvs/b/bin/python3", "#!/bin/sh\n", 0},
    {'f', "/home/u/.local/share/hatch/env/virtual/proj/Ab3/proj/pyvenv.cfg", CFG, 0},
    {'f', "/big/envs/c/conda-meta/python-3.10.1-h_0.json", "{}", 0},
    {'f', "/rc/envs/d/conda-meta/python-3.10.1-h_0.json", "{}", 0},
    {'f', "/home/u/.condarc", "channels:\n  - x\nenvs_dirs:\n  - '/rc/envs'\n  - ~/none\nssl_verify: true\n", 0},
    {'f', "/srv/k/pyvenv.cfg", CFG "command = /usr/bin/python3 -m venv /srv/k\n", 0}, /* only a kernel leads there */
    {'f', "/srv/k/bin/python", "x", 0},
    {'f', "/home/u/.local/share/jupyter/kernels/k/kernel.json",
     "{\"argv\": [\"/srv/k/bin/python\", \"-m\", \"ipykernel\"], \"language\": \"python\"}", 0},
    {'f', "/home/u/.local/share/jupyter/kernels/gone/kernel.json", "{\"argv\": [\"/gone/bin/python\"]}", 0},
    {'f', "/home/u/.local/share/jupyter/kernels/r/kernel.json", "{\"argv\": [\"/usr/bin/R\"], \"language\": \"R\"}", 0},
    {'f', "/home/u/.local/share/jupyter/kernels/bad/kernel.json", "{\"argv\": [[", 0},
    {'f', "/home/u/a/.venv/share/jupyter/kernels/python3/kernel.json", "{\"argv\": [\"python\"]}", 0},
    {'f', "/home/u/a/.vscode/settings.json",
     "// \"python.pythonPath\": \"/x\"\n{ \"a\": [1, /* } */ \"python.defaultInterpreterPath\"],\n"
     "  \"python.defaultInterpreterPath\" : \"${workspaceFolder}/.venv/bin/python3\",\n}",
     0},
    {'f', "/home/u/a/.idea/misc.xml", "<component project-jdk-name=\"Python 3.9 (old)\" project-jdk-type=\"x\"/>", 0},
    {0, 0, 0, 0}};

static const struct tn_rec_choice *choice(const struct tn_snap *s, const char *by, const char *name)
{
    for (size_t i = 0; i < s->choice.n; i++)
        if (tn_says(s->choice.v[i].by, by) && (!name || tn_says(s->choice.v[i].name, name)))
            return &s->choice.v[i];
    fail_msg("no choice %s %s", by, name ? name : "");
    return NULL;
}

static const char *env_path(const struct tn_snap *s, struct tn_str id)
{
    const struct tn_rec_env *e = tn_known(id) ? tn_snap_env(s, id.v) : NULL;
    return e ? e->path.v : "";
}

static void test_choices(void **state)
{
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    (void)state;
    t.cwd = "/home/u/a/deep";
    toy_probe(&t, &tn_probe_python, NULL, &s);
    assert_string_equal(env_path(&s, choice(&s, "path-python", NULL)->env), "/usr");
    assert_string_equal(env_path(&s, choice(&s, "path-pip", NULL)->env), "/home/u/.virtualenvs/b");
    assert_string_equal(env_path(&s, choice(&s, "jupyter", "k")->env), "/srv/k");
    assert_true(tn_is(choice(&s, "jupyter", "gone")->exists, 0));
    assert_int_equal(choice(&s, "jupyter", "gone")->env.k, TN_ABSENT);
    toy_assert_str(choice(&s, "jupyter", "python3")->interpreter, "python");
    assert_int_equal(choice(&s, "jupyter", "python3")->exists.k, TN_UNASKED);
    assert_string_equal(env_path(&s, choice(&s, "vscode", "a")->env), "/home/u/a/.venv");
    toy_assert_str(choice(&s, "pycharm", "a")->interpreter, "Python 3.9 (old)");
    assert_int_equal(s.choice.n, 7);
    assert_int_equal(s.choice.listed, TN_KNOWN);
    tn_snap_deinit(&s);
}

static void test_tools(void **state)
{
    static const struct {
        const char *path, *tool;
    } want[] = {{"/home/u/a/.venv", "poetry"},
                {"/home/u/.virtualenvs/b", "uv"},
                {"/home/u/.local/share/hatch/env/virtual/proj/Ab3/proj", "hatch"},
                {"/big/envs/c", "conda"},
                {"/rc/envs/d", "conda"},
                {"/srv/k", "venv"},
                {"/usr", NULL}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    (void)state;
    t.cwd = "/home/u/a";
    toy_probe(&t, &tn_probe_python, NULL, &s);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct tn_rec_env *e = NULL;
        for (size_t k = 0; k < s.env.n; k++)
            if (tn_says(s.env.v[k].path, want[i].path))
                e = &s.env.v[k];
        if (!e)
            fail_msg("%s was not found", want[i].path);
        if (want[i].tool)
            toy_assert_str(e->tool, want[i].tool);
        else
            assert_int_equal(e->tool.k, TN_ABSENT);
    }
    toy_assert_str(s.env.v[0].machine, "x86_64");
    toy_assert_str(s.env.v[0].loader, "/gnu/store/x/ld");
    assert_true(tn_is(s.env.v[0].user_site, 0));
    assert_int_equal(s.env.v[1].loader.k, TN_UNASKED); /* of others nobody asks */
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choices), cmocka_unit_test(test_tools)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
