/* plan_conda.c - scheme A: a GPU build by its build string and no other, only what conda-forge has, the words of each
 * tool, what cannot be quoted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "plan/step.h"
#include "probe/describe.h"

struct planned {
    struct tn_arena mem;
    struct tn_snap s;
    struct tn_plan *p;
    struct tn_plan_steps *steps;
};

static void open_machine(struct planned *t, const char *machine, const char *program, const char *path)
{
    struct tn_err err;
    assert_int_equal(tn_describe(machine, &t->s, &err), 0);
    tn_arena_init(&t->mem);
    t->p = tn_arena_alloc(&t->mem, sizeof *t->p);
    t->steps = tn_arena_alloc(&t->mem, sizeof *t->steps);
    t->s.installer.listed = TN_KNOWN;
    if (!program)
        return;
    struct tn_rec_installer *r = TN_ADD(&t->s, installer);
    r->name = tn_fact_str(&t->s, 0, program);
    r->path = tn_fact_str(&t->s, 0, path);
    r->by = tn_fact_str(&t->s, 0, strchr(path, ' ') ? "place" : "PATH");
}

static void make(struct planned *t, const char *wish, enum tn_plan_method method, const char *env)
{
    struct tn_plan_wishes w;
    struct tn_err err;
    tn_plan_wishes_init(&w);
    assert_int_equal(tn_plan_wish(&t->mem, &w, wish, &err), 0);
    w.method = method;
    w.env = env;
    tn_plan_make(&t->mem, &w, &t->s, t->p);
    tn_plan_steps_of(&t->mem, t->p, t->steps);
}

static void done(struct planned *t)
{
    tn_snap_deinit(&t->s);
    tn_arena_deinit(&t->mem);
}

static const char *command(struct planned *t, unsigned i, enum tn_shell shell)
{
    struct tn_buf b;
    tn_buf_init(&b);
    bool ok = tn_plan_step_command(&t->mem, t->steps, &t->steps->v[i], shell, &b);
    const char *text = ok ? tn_arena_strdup(&t->mem, b.p) : "";
    tn_buf_deinit(&b);
    return text;
}

static void expect(struct planned *t, unsigned i, enum tn_shell shell, const char *text)
{
    const char *c = command(t, i, shell);
    if (!strstr(c, text))
        fail_msg("not in it: %s\n%s", text, c);
}

static bool warns(const struct tn_plan *p, const char *id)
{
    for (unsigned i = 0; i < p->warning.n; i++)
        if (tn_str_eq(p->warning.v[i].id, id))
            return true;
    return false;
}

/* Over every release that conda has: version, build string that says CUDA, cuDNN and CUDA that the channel has. */
static void by_build_string(void **state)
{
    static const char *const wishes[] = {"tensorflow", "tensorflow==2.10", "tensorflow==2.15", "torch", "jax[cuda12]"};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(wishes); i++) {
        struct planned t;
        open_machine(&t, "os=linux,gpu=RTX 3090,driver=550.54.14", "conda", "/opt/conda/bin/conda");
        make(&t, wishes[i], TN_METHOD_CONDA, "");
        assert_int_equal(t.p->end, TN_PLAN_FITS);
        assert_true(t.p->gpu);
        const struct tn_plan_build *b = t.p->choice.build[0];
        if (!tn_str_starts(b->build, "cuda"))
            fail_msg("%s: build string %s", wishes[i], b->build);
        expect(&t, 0, TN_SHELL_SH, tn_arena_printf(&t.mem, "%s=%s=%s", b->package, b->version, b->build));
        expect(&t, 0, TN_SHELL_SH, " --override-channels --strict-channel-priority -c conda-forge ");
        expect(&t, 0, TN_SHELL_SH, " cudnn=");
        done(&t);
    }
}

static void channel_has_it(void **state)
{
    struct planned t;
    (void)state;
    open_machine(&t, "os=linux,gpu=RTX 3090,driver=550.54.14", "conda", "/opt/conda/bin/conda");
    make(&t, "jax[cuda12]", TN_METHOD_MIXED, "");
    assert_int_equal(t.p->end, TN_PLAN_FITS);
    expect(&t, 0, TN_SHELL_SH, "cudnn=9.13"); /* NVIDIA has later ones of cuDNN for CUDA 12, the channel has not */
    expect(&t, 1, TN_SHELL_SH, "-local]==");
    done(&t);
    open_machine(&t, "os=windows,gpu=RTX 3060,driver=537.13", "conda", "C:\\m\\condabin\\conda.bat");
    make(&t, "tensorflow==2.6", TN_METHOD_CONDA, "");
    assert_int_equal(t.p->end, TN_PLAN_NONE);
    assert_true(t.p->n_way > 0);
    done(&t);
}

static void tools(void **state)
{
    struct planned t;
    (void)state;
    open_machine(&t, "os=linux,gpu=RTX 3090,driver=550.54.14", "micromamba", "/home/a b/micromamba");
    make(&t, "tensorflow==2.10", TN_METHOD_MIXED, "my env");
    expect(&t, 0, TN_SHELL_SH, "'/home/a b/micromamba' create -y -p './my env' ");
    expect(&t, 1, TN_SHELL_SH, "'/home/a b/micromamba' run -p './my env' python -m pip install tensorflow==2.10");
    done(&t);
    open_machine(&t, "os=linux,gpu=RTX 3090,driver=550.54.14", "pixi", "/usr/bin/pixi");
    make(&t, "tensorflow==2.10", TN_METHOD_MIXED, "$(id)");
    expect(&t, 0, TN_SHELL_SH, "pixi init -c conda-forge '$(id)'\n");
    expect(&t, 0, TN_SHELL_SH, "'[system-requirements]' 'cuda = \"11\"' >> '$(id)/pixi.toml'\n");
    expect(&t, 1, TN_SHELL_SH, "pixi add --manifest-path '$(id)/pixi.toml' --pypi tensorflow==2.10");
    done(&t);
    open_machine(&t, "os=linux,gpu=RTX 3090,driver=none", "conda", "/opt/conda/bin/conda");
    make(&t, "tensorflow==2.10", TN_METHOD_MIXED, "");
    expect(&t, 0, TN_SHELL_SH, "CONDA_OVERRIDE_CUDA=11.2 conda create ");
    done(&t);
    open_machine(&t, "os=linux,gpu=RTX 3090,driver=550.54.14", NULL, NULL);
    make(&t, "tensorflow==2.10", TN_METHOD_MIXED, "");
    assert_true(warns(t.p, "pl_note_no_conda"));
    done(&t);
}

static void windows(void **state)
{
    struct planned t;
    (void)state;
    open_machine(&t, "os=windows,gpu=RTX 3060,driver=537.13", "conda",
                 "C:\\Users\\a b\\miniconda3\\Scripts\\conda.exe");
    make(&t, "tensorflow==2.10", TN_METHOD_MIXED, "a'b");
    expect(&t, 0, TN_SHELL_POWERSHELL, "& 'C:\\Users\\a b\\miniconda3\\Scripts\\conda.exe' create -y -n 'a''b' ");
    expect(&t, 0, TN_SHELL_CMD, "\"C:\\Users\\a b\\miniconda3\\Scripts\\conda.exe\" create -y -n \"a'b\" ");
    done(&t);
    open_machine(&t, "os=windows,gpu=RTX 3060,driver=537.13", "conda", "C:\\m\\condabin\\conda.bat");
    make(&t, "tensorflow==2.10", TN_METHOD_MIXED, "%PATH%");
    assert_string_equal(command(&t, 0, TN_SHELL_CMD), ""); /* cmd has no quoting for it */
    done(&t);
    open_machine(&t, "os=windows,gpu=RTX 3060,driver=537.13", "pixi", "C:\\p\\pixi.exe");
    make(&t, "tensorflow==2.10", TN_METHOD_MIXED, "e");
    expect(&t, 0, TN_SHELL_POWERSHELL, "pixi init -c conda-forge e");
    expect(&t, 0, TN_SHELL_POWERSHELL, "Add-Content -LiteralPath e\\pixi.toml -Value '',");
    done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_build_string), cmocka_unit_test(channel_has_it),
                                       cmocka_unit_test(tools), cmocka_unit_test(windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
