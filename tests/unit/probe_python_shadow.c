/* Files that hide a module from the program, and shells that can or cannot activate. */
#include "base/str.h"
#include "probe_python_toy.h"

extern const struct tn_probe tn_probe_shadow, tn_probe_shell;

static void run(struct toy *t, const struct tn_probe *probe, struct tn_snap *s)
{
    static const struct tn_want none = {.env = NULL};
    struct tn_arena tmp;
    toy_probe(t, &tn_probe_python, NULL, s);
    TN_THE(s, host)->home = tn_fact_str(s, 0, "/home/u");
    tn_arena_init(&tmp);
    struct tn_probe_ctx c = {&t->w, s, &tmp, &none};
    probe->run(&c);
    tn_arena_deinit(&tmp);
}

#define US "/home/u/.local/lib/python3.11/site-packages/"
static const struct toy_item items[] = {{'v', "HOME", "/home/u", 0},
                                        {'v', "PYTHONPATH", "relative:/mods", 0},
                                        {'v', "PATH", "/usr/bin", 0},
                                        {'f', "/usr/bin/python3.11", "x", 0},
                                        {'l', "/usr/bin/python3", "python3.11", 0},
                                        {'d', "/usr/lib/python3.11/site-packages", "", 0},
                                        {'f', "/w/torch.py", "", 0},
                                        {'f', "/w/tensorflow/readme", "", 0}, /* a namespace folder: hides nothing */
                                        {'f', "/w/keras/__init__.py", "", 0},
                                        {'f', "/w/numpy/__init__.py", "", 0}, /* NumPy itself, put there on purpose */
                                        {'f', "/w/numpy/version.py", "", 0},
                                        {'f', "/w/random.py", "", 0},
                                        {'d', "/w/queue", "", 0},
                                        {'f', "/w/jax.txt", "", 0},
                                        {'f', "/mods/onnxruntime.py", "", 0},
                                        {'f', US "jax/__init__.py", "", 0},
                                        {'f', US "types.py", "", 0}, /* behind the standard library */
                                        {0, 0, 0, 0}};

static void test_shadows(void **state)
{
    static const struct {
        const char *module, *by, *type;
    } want[] = {{"tensorflow", "cwd", "folder"}, {"keras", "cwd", "package"}, {"torch", "cwd", "file"},
                {"random", "cwd", "file"},       {"jax", "user", "package"},  {"onnxruntime", "path", "file"}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    (void)state;
    t.cwd = "/w";
    run(&t, &tn_probe_shadow, &s);
    for (size_t i = 0; i < TN_LEN(want); i++) {
        bool hit = false;
        for (size_t k = 0; k < s.shadow.n; k++)
            hit |= tn_says(s.shadow.v[k].module, want[i].module) && tn_says(s.shadow.v[k].by, want[i].by) &&
                   tn_says(s.shadow.v[k].type, want[i].type);
        if (!hit)
            fail_msg("%s by %s", want[i].module, want[i].by);
    }
    assert_int_equal(s.shadow.n, TN_LEN(want));
    assert_int_equal(s.shadow.listed, TN_KNOWN);
    toy_assert_str(s.shadow.v[0].env, "env1");
    tn_snap_deinit(&s);
}

static void test_shadows_safe(void **state)
{
    struct toy_item safe[TN_LEN(items) + 1];
    struct tn_snap s;
    (void)state;
    memcpy(safe + 1, items, sizeof items);
    safe[0] = (struct toy_item){'v', "PYTHONSAFEPATH", "1", 0};
    struct toy t = toy_make(safe, false);
    t.cwd = "/w";
    run(&t, &tn_probe_shadow, &s);
    assert_int_equal(s.shadow.n, 2); /* not those of the current folder */
    tn_snap_deinit(&s);
}

static void shell_is(const struct toy_item *item, bool windows, const char *name, int conda, int init,
                     const char *policy)
{
    struct toy t = toy_make(item, windows);
    struct tn_snap s;
    run(&t, &tn_probe_shell, &s);
    const struct tn_rec_shell *r = TN_THE(&s, shell);
    toy_assert_str(r->name, name);
    assert_true(tn_is(r->conda, conda));
    if (init >= 0)
        assert_true(tn_is(r->conda_init, init));
    else
        assert_int_equal(r->conda_init.k, TN_UNASKED);
    if (policy)
        toy_assert_str(r->policy, policy);
    tn_snap_deinit(&s);
}

#define MARK "export A=1\n# >>> conda initialize >>>\n# <<< conda initialize <<<\n"
#define BASE                                                                                                           \
    {                                                                                                                  \
        'f', "/home/u/miniconda3/conda-meta/python-3.10.1-h_0.json", "{}", 0                                           \
    }

static void test_shells(void **state)
{
    (void)state;
    static const struct toy_item none[] = {{'v', "HOME", "/home/u", 0},
                                           {'v', "PATH", "/usr/bin", 0},
                                           {'v', "SHELL", "/bin/bash", 0},
                                           {'f', "/home/u/.bashrc", MARK, 0},
                                           {0, 0, 0, 0}};
    shell_is(none, false, "bash", 0, -1, NULL);
    static const struct toy_item bash[] = {BASE,
                                           {'v', "HOME", "/home/u", 0},
                                           {'v', "PATH", "/usr/bin", 0},
                                           {'v', "SHELL", "/usr/bin/bash", 0},
                                           {'f', "/home/u/.bashrc", "export A=1\n", 0},
                                           {'f', "/home/u/.zshrc", MARK, 0},
                                           {0, 0, 0, 0}};
    shell_is(bash, false, "bash", 1, 0, NULL);
    static const struct toy_item zsh[] = {BASE,
                                          {'v', "HOME", "/home/u", 0},
                                          {'v', "PATH", "/usr/bin", 0},
                                          {'v', "SHELL", "/bin/zsh", 0},
                                          {'f', "/home/u/.zshrc", MARK, 0},
                                          {0, 0, 0, 0}};
    shell_is(zsh, false, "zsh", 1, 1, NULL);
    static const struct toy_item power[] = {
        {'v', "USERPROFILE", "C:\\Users\\u", 0},
        {'v', "PATH", "C:\\Windows", 0},
        {'v', "CONDA_EXE", "C:\\mc\\Scripts\\conda.exe", 0},
        {'v', "PSModulePath", "C:\\Users\\u\\Documents\\WindowsPowerShell\\Modules;C:\\x", 0},
        {'f', "C:\\Users\\u\\Documents\\PowerShell\\profile.ps1", MARK, 0},
        {'r', "HKLM\\SOFTWARE\\Microsoft\\PowerShell\\1\\ShellIds\\Microsoft.PowerShell|ExecutionPolicy", "Restricted",
         0},
        {0, 0, 0, 0}};
    shell_is(power, true, "powershell", 1, 1, "Restricted");
    static const struct toy_item cmd[] = {{'v', "USERPROFILE", "C:\\Users\\u", 0},
                                          {'v', "PATH", "C:\\Windows", 0},
                                          {'v', "CONDA_EXE", "C:\\mc\\Scripts\\conda.exe", 0},
                                          {'v', "PSModulePath", "C:\\Program Files\\WindowsPowerShell\\Modules", 0},
                                          {0, 0, 0, 0}};
    shell_is(cmd, true, "cmd", 1, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shadows), cmocka_unit_test(test_shadows_safe),
                                       cmocka_unit_test(test_shells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
