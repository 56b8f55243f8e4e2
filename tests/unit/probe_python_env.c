/* Which environment is judged, what the others are, and where their packages lie. */
#include "probe_python_toy.h"

#define CFG311 "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n"
#define VENV(p)                                                                                                        \
    {'f', p "/pyvenv.cfg", CFG311, 0}, {'l', p "/bin/python3", "/usr/bin/python3.11", 0},                              \
    {                                                                                                                  \
        'd', p "/lib/python3.11/site-packages", "", 0                                                                  \
    }
#define SYSTEM                                                                                                         \
    {'f', "/usr/bin/python3.11", "ELF", 0},                                                                            \
    {                                                                                                                  \
        'l', "/usr/bin/python3", "python3.11", 0                                                                       \
    }

static const struct tn_rec_env *judged(const struct tn_snap *s)
{
    const struct tn_rec_env *e = tn_snap_judged(s);
    assert_non_null(e);
    return e;
}

static void test_active(void **state)
{
    (void)state;
    static const struct toy_item items[] = {SYSTEM,
                                            VENV("/home/u/p/.venv"),
                                            VENV("/home/u/.virtualenvs/two"),
                                            {'v', "HOME", "/home/u", 0},
                                            {'v', "VIRTUAL_ENV", "/home/u/p/.venv", 0},
                                            {'v', "PATH", "/usr/bin", 0},
                                            {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    const struct tn_rec_env *e = judged(&s);
    toy_assert_str(e->id, "env1");
    toy_assert_str(e->path, "/home/u/p/.venv");
    toy_assert_str(e->kind, "venv");
    toy_assert_str(e->python, "3.11.2");
    toy_assert_str(e->chosen_by, "VIRTUAL_ENV");
    toy_assert_str(e->name, "p/.venv");
    toy_assert_str(e->base, "/usr");
    toy_assert_str(e->interpreter, "/home/u/p/.venv/bin/python3");
    assert_true(tn_is(e->active, 1));
    assert_true(tn_is(e->system_site, 0));
    toy_assert_list(e->site, "/home/u/p/.venv/lib/python3.11/site-packages");
    assert_int_equal(s.env.n, 3); /* the other venv and the system's */
    toy_assert_str(s.env.v[1].path, "/home/u/.virtualenvs/two");
    toy_assert_str(s.env.v[2].kind, "system");
    assert_int_equal(s.env.listed, TN_KNOWN);
    tn_snap_deinit(&s);
}

/* A variable that leads nowhere: a row of its own; the judged one is what a shell would start. */
static void test_dangling(void **state)
{
    (void)state;
    static const struct toy_item items[] = {SYSTEM,
                                            {'v', "VIRTUAL_ENV", "/gone", 0},
                                            {'v', "HOME", "/home/u", 0},
                                            {'v', "PATH", "/nothing:/usr/bin", 0},
                                            {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->path, "/usr");
    toy_assert_str(judged(&s)->chosen_by, "PATH");
    assert_int_equal(s.env.n, 2);
    toy_assert_str(s.env.v[1].path, "/gone");
    assert_int_equal(s.env.v[1].kind.k, TN_ABSENT);
    assert_true(tn_is(s.env.v[1].active, 1));
    tn_snap_deinit(&s);
}

static const struct toy_item pyenv[] = {
    SYSTEM,
    {'f', "/home/u/.pyenv/shims/python3", "#!/usr/bin/env bash\nexec pyenv exec\n", 0},
    {'f', "/home/u/.pyenv/versions/3.9.18/bin/python3", "ELF", 0},
    {'f', "/home/u/.pyenv/versions/3.11.7/bin/python3", "ELF", 0},
    {'f', "/home/u/.pyenv/versions/3.11.10/bin/python3", "ELF", 0},
    {'d', "/home/u/.pyenv/versions/3.9.18/lib/python3.9/site-packages", "", 0},
    {'f', "/home/u/.pyenv/version", "3.9.18\n", 0},
    {'f', "/home/u/work/.python-version", "3.11\n", 0},
    {'d', "/home/u/work/deep/er", "", 0},
    {'v', "HOME", "/home/u", 0},
    {'v', "PATH", "/home/u/.pyenv/shims:/usr/bin", 0},
    {0, 0, 0, 0},
};

static void pyenv_gives(const char *cwd, const char *path)
{
    struct toy t = toy_make(pyenv, false);
    struct tn_snap s;
    t.cwd = cwd;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->path, path);
    toy_assert_str(judged(&s)->kind, "pyenv");
    tn_snap_deinit(&s);
}

static void test_pyenv(void **state)
{
    (void)state;
    pyenv_gives("/elsewhere", "/home/u/.pyenv/versions/3.9.18");
    pyenv_gives("/home/u/work/deep/er", "/home/u/.pyenv/versions/3.11.10"); /* the newest of the line, not by text */
}

static void test_pyenv_system(void **state)
{
    (void)state;
    enum { N = sizeof pyenv / sizeof *pyenv };
    struct toy_item items[N + 1];
    memcpy(items, pyenv, sizeof pyenv);
    items[N - 1] = (struct toy_item){'v', "PYENV_VERSION", "system", 0};
    items[N] = (struct toy_item){0, 0, 0, 0};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->path, "/usr");
    tn_snap_deinit(&s);
}

/* The option: a prefix, its python, a name, a name of a project; one that is not there. */
static void wants(const char *env, const char *path, enum tn_know kind)
{
    static const struct toy_item items[] = {
        SYSTEM,
        VENV("/home/u/proj/.venv"),
        VENV("/data/ve"),
        {'f', "/home/u/miniconda3/envs/tf/conda-meta/python-3.10.1-h_0.json", "{}", 0},
        {'f', "/home/u/miniconda3/envs/tf/bin/python", "ELF", 0},
        {'f', "/data/ve/bin/activate", "# of a shell", 0},
        {'f', "/srv/job/environment.yml", "name: job", 0},
        {'v', "HOME", "/home/u", 0},
        {'v', "VIRTUAL_ENV", "/data/ve", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_want want = {.env = env};
    struct tn_snap s;
    t.cwd = "/data";
    toy_probe(&t, &tn_probe_python, &want, &s);
    toy_assert_str(judged(&s)->path, path);
    toy_assert_str(judged(&s)->chosen_by, "option");
    assert_int_equal(judged(&s)->kind.k, kind);
    tn_snap_deinit(&s);
}

static void test_option(void **state)
{
    (void)state;
    wants("/data/ve", "/data/ve", TN_KNOWN);
    wants("/data/ve/", "/data/ve", TN_KNOWN);
    wants("ve", "/data/ve", TN_KNOWN); /* below the current folder */
    wants("/data/ve/bin/python3", "/data/ve", TN_KNOWN);
    wants("/data/ve/bin", "/data/ve", TN_KNOWN);
    wants("~/proj/.venv", "/home/u/proj/.venv", TN_KNOWN);
    wants("tf", "/home/u/miniconda3/envs/tf", TN_KNOWN);
    wants("proj", "/home/u/proj/.venv", TN_KNOWN);
    wants("/usr/bin/python3", "/usr", TN_KNOWN);
    wants("no-such", "no-such", TN_ABSENT);
    wants("/data/ve/bin/activate", "/data/ve", TN_KNOWN);
    wants("/srv/job/environment.yml", "/srv/job/environment.yml", TN_ABSENT); /* its folder is no Python's */
}

/* Search order: the venv's own folder, the user's, the base's; conda: the user's first. */
static void test_sites(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        SYSTEM,
        {'f', "/v/pyvenv.cfg",
         "home = /usr/bin\r\ninclude-system-site-packages = true\r\nversion_info = 3.11.2.final.0\r\n", 0},
        {'d', "/v/lib/python3.11/site-packages", "", 0},
        {'d', "/v/lib64/python3.11/site-packages", "", 0},
        {'d', "/home/u/.local/lib/python3.11/site-packages", "", 0},
        {'d', "/usr/lib/python3/dist-packages", "", 0},
        {'d', "/usr/local/lib/python3.11/dist-packages", "", 0},
        {'f', "/opt/conda/conda-meta/python-3.11.9-h955ad1f_0.json", "{}", 0},
        {'f', "/opt/conda/bin/python", "ELF", 0},
        {'d', "/opt/conda/lib/python3.11/site-packages", "", 0},
        {'f', "/v/lib/python3.11/site-packages/x.pth", "# c\nimport os\n/srv/extra\nno-such\n", 0},
        {'d', "/srv/extra", "", 0},
        {'v', "HOME", "/home/u", 0},
        {'v', "VIRTUAL_ENV", "/v", 0},
        {'v', "PYTHONPATH", "/mod/tf:relative:/none", 0},
        {'d', "/mod/tf", "", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->python, "3.11.2");
    assert_true(tn_is(judged(&s)->system_site, 1));
    toy_assert_list(judged(&s)->site, "/mod/tf /v/lib64/python3.11/site-packages /v/lib/python3.11/site-packages "
                                      "/srv/extra /home/u/.local/lib/python3.11/site-packages "
                                      "/usr/local/lib/python3.11/dist-packages /usr/lib/python3/dist-packages");
    const struct tn_rec_env *conda = NULL;
    for (size_t i = 0; i < s.env.n; i++)
        if (tn_says(s.env.v[i].kind, "conda"))
            conda = &s.env.v[i];
    assert_non_null(conda);
    toy_assert_str(conda->python, "3.11.9");
    toy_assert_list(conda->site, "/home/u/.local/lib/python3.11/site-packages /opt/conda/lib/python3.11/site-packages");
    tn_snap_deinit(&s);
}

/* A broken environment stays one: its interpreter is gone, its file unreadable or no file at all. */
static void test_broken(void **state)
{
    (void)state;
    static const struct toy_item items[] = {{'f', "/a/pyvenv.cfg", CFG311, 0},
                                            {'l', "/a/bin/python3", "/gone/python3", 0},
                                            {'x', "/a/lib/python3.11/site-packages", "", 0},
                                            {'v', "VIRTUAL_ENV", "/a", 0},
                                            {'p', "/home/u/.virtualenvs/fifo/pyvenv.cfg", "", 0},
                                            {'x', "/home/u/.virtualenvs/closed", "", 0},
                                            {'v', "HOME", "/home/u", 0},
                                            {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->kind, "venv");
    assert_int_equal(judged(&s)->interpreter.k, TN_ABSENT);
    assert_int_equal(s.dist.listed, TN_DENIED); /* could not look is not "nothing installed" */
    assert_int_equal(s.framework.listed, TN_DENIED);
    assert_int_equal(s.env.n, 2);
    toy_assert_str(s.env.v[1].path, "/home/u/.virtualenvs/fifo");
    assert_int_equal(s.env.v[1].kind.k, TN_FAILED);
    assert_int_equal(s.env.listed, TN_DENIED);
    tn_snap_deinit(&s);
}

/* Another root folder: no variable is asked; the one environment with a framework is meant. */
static void test_root(void **state)
{
    (void)state;
    static const struct toy_item items[] = {SYSTEM,
                                            VENV("/opt/one"),
                                            VENV("/home/x/.virtualenvs/two"),
                                            {'f', "/opt/one/lib/python3.11/site-packages/torch/__init__.py", "x", 0},
                                            {'v', "VIRTUAL_ENV", "/home/x/.virtualenvs/two", 0},
                                            {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    t.no_env = true;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->path, "/opt/one");
    assert_int_equal(judged(&s)->active.k, TN_UNASKED);
    assert_int_equal(s.env.n, 3);
    assert_non_null(toy_framework(&s, "env1", "torch"));
    tn_snap_deinit(&s);
    t.item = items + 2; /* without /usr/bin/python3's link and file: nothing but the environments */
    toy_probe(&t, &tn_probe_python, NULL, &s);
    assert_non_null(tn_snap_judged(&s));
    tn_snap_deinit(&s);
}

static void test_windows(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        {'f', "C:\\v\\pyvenv.cfg", "home = C:\\Python310\r\nversion = 3.10.11\r\n", 0},
        {'f', "C:\\v\\Scripts\\python.exe", "MZ", 0},
        {'d', "C:\\v\\Lib\\site-packages", "", 0},
        {'f', "C:\\Python310\\python.exe", "MZ", 0},
        {'d', "C:\\Python310\\Lib\\site-packages", "", 0},
        {'z', "C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps\\python.exe", "", 0},
        {'r', "HKLM\\SOFTWARE\\Python\\PythonCore\\3.10\\InstallPath|", "C:\\Python310\\", 0},
        {'v', "LOCALAPPDATA", "C:\\Users\\u\\AppData\\Local", 0},
        {'v', "USERPROFILE", "C:\\Users\\u", 0},
        {'v', "PATH", "C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps;\"C:\\v\\Scripts\"", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, true);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->path, "C:\\v");
    toy_assert_str(judged(&s)->base, "C:\\Python310");
    toy_assert_list(judged(&s)->site, "C:\\v\\Lib\\site-packages");
    assert_int_equal(s.env.n, 2); /* the stub of the Store is no Python, and named as what it is */
    assert_int_equal(s.choice.n, 2);
    toy_assert_str(s.choice.v[1].by, "store-alias");
    toy_assert_str(s.choice.v[1].interpreter, "C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps\\python.exe");
    tn_snap_deinit(&s);
}

static void test_windows_store(void **state)
{
    (void)state;
#define PACKAGE "C:\\L\\Packages\\PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0"
    static const struct toy_item items[] = {
        {'z', "C:\\L\\Microsoft\\WindowsApps\\python.exe", "", 0},
        {'d', PACKAGE "\\LocalCache\\local-packages\\Python311\\site-packages", "", 0},
        {'v', "LOCALAPPDATA", "C:\\L", 0},
        {'v', "PATH", "C:\\L\\Microsoft\\WindowsApps", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, true);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->kind, "store");
    toy_assert_str(judged(&s)->python, "3.11");
    toy_assert_list(judged(&s)->site, PACKAGE "\\LocalCache\\local-packages\\Python311\\site-packages");
    tn_snap_deinit(&s);
}

static void test_windows_registry(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        {'f', "C:\\P39\\python.exe", "MZ", 0},
        {'f', "C:\\P310\\python.exe", "MZ", 0},
        {'f', "C:\\P310\\python3.dll", "MZ", 0},
        {'f', "C:\\P310\\Python310.dll", "MZ", 0},
        {'r', "HKCU\\SOFTWARE\\Python\\PythonCore\\3.9\\InstallPath|ExecutablePath", "C:\\P39\\python.exe", 0},
        {'r', "HKLM\\SOFTWARE\\Python\\PythonCore\\3.10\\InstallPath|", "C:\\P310\\", 0},
        {'v', "PATH", "C:\\Windows", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, true);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(judged(&s)->path, "C:\\P310"); /* 3.10 is above 3.9 */
    toy_assert_str(judged(&s)->chosen_by, "registry");
    toy_assert_str(judged(&s)->python, "3.10");
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_active),
        cmocka_unit_test(test_dangling),
        cmocka_unit_test(test_pyenv),
        cmocka_unit_test(test_pyenv_system),
        cmocka_unit_test(test_option),
        cmocka_unit_test(test_sites),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_root),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_windows_store),
        cmocka_unit_test(test_windows_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
