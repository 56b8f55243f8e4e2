/* probe_tool.c - conda and its like as a shell, a variable or their installer leads to them; which one a plan names. */
#include "probe_world.h"

#include "plan/plan.h"

static const struct tn_rec_installer *tool(struct machine *m, const char *name)
{
    for (size_t i = 0; i < m->s.installer.n; i++)
        if (tn_says(m->s.installer.v[i].name, name))
            return &m->s.installer.v[i];
    return NULL;
}

static void program(struct machine *m, const char *path, uint32_t mode)
{
    put(m, path, "x");
    tn_tree_make(&m->r.files, path)->st.mode = mode;
}

static void look(struct machine *m, struct tn_arena *mem, struct tn_plan_machine *ret)
{
    run_probes(m);
    tn_arena_init(mem);
    tn_plan_machine_of(mem, &m->s, ret);
}

static void done(struct machine *m, struct tn_arena *mem)
{
    tn_arena_deinit(mem);
    close_machine(m);
}

/* PATH before a variable before a place; what may not be started is passed over. */
static void ways(void **state)
{
    struct machine m;
    struct tn_arena mem;
    struct tn_plan_machine p;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_note(&m, TN_Q_ENV, "HOME", "/home/u");
    put_note(&m, TN_Q_ENV, "PATH", "/usr/local/bin:/usr/bin");
    put_note(&m, TN_Q_ENV, "MAMBA_EXE", "/srv/mm/micromamba");
    program(&m, "/usr/local/bin/conda", 0644);
    program(&m, "/home/u/miniforge3/bin/conda", 0755);
    program(&m, "/home/u/.pixi/bin/pixi", 0755);
    program(&m, "/home/u/.local/bin/uv", 0755);
    program(&m, "/srv/mm/micromamba", 0755);
    look(&m, &mem, &p);
    assert_fact(tool(&m, "conda")->path, "/home/u/miniforge3/bin/conda");
    assert_fact(tool(&m, "conda")->by, "place");
    assert_fact(tool(&m, "micromamba")->by, "MAMBA_EXE");
    assert_fact(tool(&m, "pixi")->path, "/home/u/.pixi/bin/pixi");
    assert_null(tool(&m, "mamba"));
    assert_string_equal(p.conda, "micromamba");
    assert_string_equal(p.conda_exe, "/srv/mm/micromamba");
    assert_string_equal(p.uv, ""); /* not on PATH: a command with its name would not start */
    assert_true(p.tools_known);
    done(&m, &mem);
}

static void by_path(void **state)
{
    struct machine m;
    struct tn_arena mem;
    struct tn_plan_machine p;
    (void)state;
    open_machine(&m, "linux");
    put_linux(&m, "6.1.0");
    put_note(&m, TN_Q_ENV, "HOME", "/home/u");
    put_note(&m, TN_Q_ENV, "PATH", "/usr/bin:/home/u/.pixi/bin");
    program(&m, "/home/u/.pixi/bin/pixi", 0755);
    program(&m, "/opt/conda/bin/conda", 0755);
    program(&m, "/usr/bin/uv", 0755);
    look(&m, &mem, &p);
    assert_string_equal(p.conda, "pixi");
    assert_string_equal(p.conda_exe, "");
    assert_string_equal(p.uv, "uv");
    assert_fact(tool(&m, "conda")->path, "/opt/conda/bin/conda");
    done(&m, &mem);
    open_machine(&m, "linux"); /* none at all */
    put_linux(&m, "6.1.0");
    put_note(&m, TN_Q_ENV, "PATH", "/usr/bin");
    look(&m, &mem, &p);
    assert_string_equal(p.conda, "");
    assert_true(p.tools_known);
    done(&m, &mem);
}

/* condabin\conda.bat is what the shell starts; without PATH Scripts\conda.exe. */
static void windows(void **state)
{
    struct machine m;
    struct tn_arena mem;
    struct tn_plan_machine p;
    (void)state;
    open_machine(&m, "windows");
    put_note(&m, TN_Q_SYS, "os", "windows");
    put_note(&m, TN_Q_ENV, "USERPROFILE", "C:\\Users\\a b");
    put_note(&m, TN_Q_ENV, "LOCALAPPDATA", "C:\\Users\\a b\\AppData\\Local");
    put_note(&m, TN_Q_ENV, "PATH", "C:\\Windows;C:\\Users\\a b\\miniconda3\\condabin");
    put(&m, "C:\\Users\\a b\\miniconda3\\condabin\\conda.bat", "x");
    put(&m, "C:\\Users\\a b\\miniconda3\\Scripts\\conda.exe", "x");
    put(&m, "C:\\Users\\a b\\AppData\\Local\\micromamba\\micromamba.exe", "x");
    look(&m, &mem, &p);
    assert_fact(tool(&m, "conda")->path, "C:\\Users\\a b\\miniconda3\\condabin\\conda.bat");
    assert_fact(tool(&m, "micromamba")->by, "place");
    assert_string_equal(p.conda, "conda");
    assert_string_equal(p.conda_exe, "");
    done(&m, &mem);
    open_machine(&m, "windows");
    put_note(&m, TN_Q_SYS, "os", "windows");
    put_note(&m, TN_Q_ENV, "USERPROFILE", "C:\\Users\\ada");
    put_note(&m, TN_Q_ENV, "PATH", "C:\\Windows");
    put(&m, "C:\\Users\\ada\\miniconda3\\Scripts\\conda.exe", "x");
    look(&m, &mem, &p);
    assert_string_equal(p.conda_exe, "C:\\Users\\ada\\miniconda3\\Scripts\\conda.exe");
    done(&m, &mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ways), cmocka_unit_test(by_path), cmocka_unit_test(windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
