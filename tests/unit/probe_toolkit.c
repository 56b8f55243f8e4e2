/* probe_toolkit.c - toolkits in every layout: one row each, by whatever ways it is reached. Layouts as the packages and
 * tools lay them out; mistake 29 of other tools. */
#include "probe_world.h"

#include "probe/toolkit.h"

static const struct tn_rec_toolkit *toolkit(struct machine *m, const char *path)
{
    for (size_t i = 0; i < m->s.toolkit.n; i++)
        if (tn_says(m->s.toolkit.v[i].path, path))
            return &m->s.toolkit.v[i];
    fail_msg("no toolkit row for %s", path);
    return NULL;
}

static void put_toolkit(struct machine *m, const char *root, const char *cuda, const char *nvcc)
{
    char path[300], text[300];
    snprintf(path, sizeof path, "%s/version.json", root);
    snprintf(text, sizeof text, "{\"cuda\": {\"version\": \"%s\"}, \"cuda_nvcc\": {\"version\": \"%s\"}}", cuda, nvcc);
    put(m, path, text);
    snprintf(path, sizeof path, "%s/bin/nvcc", root);
    put(m, path, "x");
    snprintf(path, sizeof path, "%s/bin/ptxas", root);
    put(m, path, "x");
    snprintf(path, sizeof path, "%s/nvvm/libdevice/libdevice.10.bc", root);
    put(m, path, "x");
}

static void start(struct machine *m)
{
    open_machine(m, "linux");
    put_linux(m, "6.1.0");
}

/* The folder, its link, a link through alternatives, a variable and PATH: one toolkit. */
static void one_by_many_ways(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put_toolkit(&m, "/usr/local/cuda-12.4", "12.4.1", "12.4.131");
    put_link(&m, "/etc/alternatives/cuda", "/usr/local/cuda-12.4");
    put_link(&m, "/etc/alternatives/cuda-12", "/usr/local/cuda-12.4");
    put_link(&m, "/usr/local/cuda", "/etc/alternatives/cuda");
    put_link(&m, "/usr/local/cuda-12", "/etc/alternatives/cuda-12");
    put_link(&m, "/opt/cuda", "/usr/local/cuda/");
    put_note(&m, TN_Q_ENV, "CUDA_HOME", "/usr/local/cuda");
    put_note(&m, TN_Q_ENV, "PATH", "/usr/local/cuda-12/bin:/usr/bin");
    put(&m, "/usr/local/cuda-12.4/include/cudnn_version.h",
        "#ifndef CUDNN_VERSION_H_\n#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 0\n");
    run_probes(&m);
    assert_int_equal(m.s.toolkit.n, 1);
    const struct tn_rec_toolkit *t = toolkit(&m, "/usr/local/cuda-12.4");
    assert_fact(t->cudnn_header, "9.1.0");
    assert_fact(t->version, "12.4.1");
    assert_fact(t->nvcc, "12.4.131");
    assert_fact(t->ptxas, "12.4.131");
    assert_number(t->libdevice, 1);
    assert_number(t->on_path, 1);
    assert_fact(t->kind, "nvidia");
    assert_int_equal(t->names.n, 3);
    close_machine(&m);
}

static void trees(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put_note(&m, TN_Q_ENV, "HOME", "/home/u");
    put_note(&m, TN_Q_ENV, "SPACK_ROOT", "/apps/spack");
    put_note(&m, TN_Q_ENV, "MODULEPATH", "/apps/modules::relative:/apps/lua");
    put_toolkit(&m, "/apps/spack/opt/spack/linux-ubuntu22.04-x86_64_v3/gcc-11.4.0/cuda-12.3.0-abcdefg", "12.3.0",
                "12.3.52");
    put_toolkit(&m, "/home/u/spack/opt/spack/linux-x86_64_v3/cuda-12.6.3-hijklmn", "12.6.3", "12.6.85");
    put_dir(&m, "/apps/spack/opt/spack/linux-ubuntu22.04-x86_64_v3/gcc-11.4.0/cuda-12.0.0-empty");
    put_toolkit(&m, "/opt/nvidia/hpc_sdk/Linux_x86_64/24.3/cuda/12.3", "12.3.2", "12.3.107");
    put_toolkit(&m, "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-cudatoolkit-11.8.0", "11.8.0", "11.8.89");
    put_dir(&m, "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-cudatoolkit-11.8.0-lib");
    put(&m, "/apps/modules/cuda/11.7",
        "#%Module1.0\nset root /apps/cuda\nset dir ${root}/11.7\nsetenv CUDA_HOME $dir\nprepend-path PATH $dir/bin\n");
    put_toolkit(&m, "/apps/cuda/11.7", "11.7.1", "11.7.99");
    put(&m, "/apps/lua/cuda/12.1.lua", "local root = \"/apps/cuda12\"\nsetenv(\"CUDA_HOME\", root)\n");
    put_toolkit(&m, "/apps/cuda12", "12.1.1", "12.1.105");
    run_probes(&m);
    assert_fact(toolkit(&m, "/apps/spack/opt/spack/linux-ubuntu22.04-x86_64_v3/gcc-11.4.0/cuda-12.3.0-abcdefg")->kind,
                "spack");
    assert_fact(toolkit(&m, "/home/u/spack/opt/spack/linux-x86_64_v3/cuda-12.6.3-hijklmn")->version, "12.6.3");
    assert_fact(toolkit(&m, "/opt/nvidia/hpc_sdk/Linux_x86_64/24.3/cuda/12.3")->kind, "hpc-sdk");
    assert_fact(toolkit(&m, "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-cudatoolkit-11.8.0")->kind, "nix");
    assert_fact(toolkit(&m, "/apps/cuda/11.7")->version, "11.7.1");
    assert_fact(toolkit(&m, "/apps/cuda12")->nvcc, "12.1.105");
    assert_int_equal(m.s.toolkit.n, 6);
    close_machine(&m);
}

/* negativo17's packages and other copies spread over /usr; Debian's own layout; Arch. */
static void distributions(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put(&m, "/usr/bin/nvcc", "x");
    put(&m, "/usr/bin/ptxas", "x");
    put(&m, "/usr/include/cuda/cuda.h", "#define CUDA_VERSION 12060\n");
    put_toolkit(&m, "/opt/cuda", "13.0.1", "13.0.88");
    put_note(&m, TN_Q_ENV, "PATH", "/usr/bin");
    run_probes(&m);
    assert_fact(toolkit(&m, "/usr")->kind, "system");
    assert_fact(toolkit(&m, "/usr")->version, "12.6");
    assert_number(toolkit(&m, "/usr")->libdevice, 0);
    assert_fact(toolkit(&m, "/opt/cuda")->version, "13.0.1");
    assert_number(toolkit(&m, "/opt/cuda")->on_path, 0);
    close_machine(&m);
    start(&m);
    put(&m, "/usr/bin/nvcc", "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n");
    put(&m, "/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "x");
    put_link(&m, "/usr/lib/nvidia-cuda-toolkit/bin/ptxas", "../../../bin/ptxas");
    put(&m, "/usr/bin/ptxas", "x");
    put(&m, "/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc", "x");
    put(&m, "/usr/include/cuda.h", "#define CUDA_VERSION 11080\n");
    put_link(&m, "/usr/lib/cuda/nvvm", "../nvidia-cuda-toolkit");
    put_note(&m, TN_Q_ENV, "PATH", "/usr/bin");
    run_probes(&m);
    assert_int_equal(m.s.toolkit.n, 1);
    assert_fact(m.s.toolkit.v[0].kind, "debian");
    assert_fact(m.s.toolkit.v[0].version, "11.8");
    assert_number(m.s.toolkit.v[0].libdevice, 1);
    assert_number(m.s.toolkit.v[0].on_path, 1);
    close_machine(&m);
}

/* The compiler of a conda environment, whether or not it is the active one. */
static void conda(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put_note(&m, TN_Q_ENV, "HOME", "/home/u");
    put_note(&m, TN_Q_ENV, "CONDA_PREFIX", "/home/u/miniconda3/envs/tf");
    put(&m, "/home/u/miniconda3/envs/tf/conda-meta/history", "");
    put(&m, "/home/u/miniconda3/envs/tf/bin/python3.11", "x");
    put_link(&m, "/home/u/miniconda3/envs/tf/bin/python", "python3.11");
    put(&m, "/home/u/miniconda3/envs/tf/bin/nvcc", "x");
    put(&m, "/home/u/miniconda3/envs/tf/bin/ptxas", "x");
    put(&m, "/home/u/miniconda3/envs/tf/include/cuda.h", "#define CUDA_VERSION 12040\n");
    run_probes(&m);
    const struct tn_rec_toolkit *t = toolkit(&m, "/home/u/miniconda3/envs/tf");
    assert_fact(t->kind, "conda");
    assert_fact(t->version, "12.4");
    assert_number(t->libdevice, 0);
    close_machine(&m);
}

/* What nobody asked is not absent. */
static void not_asked(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put(&m, "/usr/local/cuda-12.4/version.json", "{\"cuda\": {\"version\": \"12.4.1\"}}");
    m.r.files.complete = false;
    put_dir(&m, "/usr/local/cuda-12.4");
    put_dir(&m, "/usr/local");
    tn_tree_make(&m.r.files, "/usr/local")->whole = true;
    run_probes(&m);
    if (m.s.toolkit.n) {
        assert_state(m.s.toolkit.v[0].libdevice, TN_UNASKED);
        assert_state(m.s.toolkit.v[0].nvcc, TN_UNASKED);
    }
    close_machine(&m);
}

static const struct tn_rec_program *program(struct machine *m, const char *name, const char *by)
{
    for (size_t i = 0; i < m->s.program.n; i++)
        if (tn_says(m->s.program.v[i].name, name) && tn_says(m->s.program.v[i].by, by))
            return &m->s.program.v[i];
    fail_msg("no program row for %s by %s", name, by);
    return NULL;
}

/* Debian's alternatives, its nvcc behind a script with compilers of its own; what variables name. */
static void programs(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put_note(&m, TN_Q_ENV, "PATH", "/usr/bin:/bin:relative");
    put_note(&m, TN_Q_ENV, "CUDAHOSTCXX", "/opt/gcc-13.2/bin/g++ -m64");
    put_note(&m, TN_Q_ENV, "NVCC_PREPEND_FLAGS", "-O2 -ccbin '/usr/bin/clang-15'");
    put_note(&m, TN_Q_ENV, "CC", "gcc-11");
    put_note(&m, TN_Q_ENV, "CXX", "ccache g++");
    put_link(&m, "/bin", "usr/bin");
    put(&m, "/usr/bin/nvcc", "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n");
    put(&m, "/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "x");
    put(&m, "/usr/include/cuda.h", "#define CUDA_VERSION 11080\n");
    put_link(&m, "/usr/lib/nvidia-cuda-toolkit/bin/gcc", "/usr/bin/gcc-11");
    put_link(&m, "/usr/lib/nvidia-cuda-toolkit/bin/g++", "/usr/bin/g++-11");
    put_link(&m, "/usr/bin/gcc", "gcc-12");
    put_link(&m, "/usr/bin/gcc-12", "x86_64-linux-gnu-gcc-12");
    put(&m, "/usr/bin/x86_64-linux-gnu-gcc-12", "x");
    put(&m, "/usr/bin/gcc-11", "x");
    put(&m, "/usr/bin/g++-11", "x");
    put(&m, "/usr/bin/clang-15", "x");
    put_link(&m, "/usr/bin/clang", "../lib/llvm-14/bin/clang");
    put(&m, "/usr/lib/llvm-14/bin/clang", "x");
    put(&m, "/opt/gcc-13.2/bin/g++", "x");
    put_dir(&m, "/opt/gcc-13.2/lib/gcc/x86_64-pc-linux-gnu/13.2.0");
    put_dir(&m, "/opt/gcc-13.2/lib/gcc/x86_64-w64-mingw32/14.1.0");
    run_probes(&m);
    assert_fact(program(&m, "nvcc", "PATH")->path, "/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
    assert_fact(program(&m, "nvcc", "PATH")->found, "/usr/bin/nvcc");
    assert_fact(program(&m, "gcc", "PATH")->version, "12");
    assert_number(program(&m, "gcc", "PATH")->rank, 0);
    assert_fact(program(&m, "clang", "PATH")->version, "14");
    assert_fact(program(&m, "gcc", "nvcc")->version, "11");
    assert_fact(program(&m, "g++", "nvcc")->path, "/usr/bin/g++-11");
    assert_fact(program(&m, "g++", "CUDAHOSTCXX")->version, "13.2.0");
    assert_fact(program(&m, "clang", "NVCC_PREPEND_FLAGS")->version, "15");
    assert_fact(program(&m, "gcc", "CC")->version, "11");
    unsigned n = 0;
    for (size_t i = 0; i < m.s.program.n; i++)
        n += tn_says(m.s.program.v[i].name, "gcc") && tn_says(m.s.program.v[i].by, "PATH");
    assert_int_equal(n, 1); /* /bin is /usr/bin */
    close_machine(&m);
}

/* Fedora's plain names; a wrapper tells nothing; Microsoft's folder does. */
static void programs_by_folder(void **state)
{
    struct machine m;
    (void)state;
    start(&m);
    put_note(&m, TN_Q_ENV, "PATH", "/usr/lib64/ccache:/usr/bin");
    put_link(&m, "/usr/lib64/ccache/gcc", "../../bin/ccache");
    put(&m, "/usr/bin/ccache", "x");
    put(&m, "/usr/bin/gcc", "x");
    put_dir(&m, "/usr/lib/gcc/x86_64-redhat-linux/14");
    run_probes(&m);
    assert_state(program(&m, "gcc", "PATH")->version, TN_UNASKED);
    assert_fact(m.s.program.v[1].version, "14");
    assert_number(m.s.program.v[1].rank, 1);
    close_machine(&m);
    open_machine(&m, "windows");
    put_note(&m, TN_Q_ENV, "PATH", "C:\\VS\\VC\\Tools\\MSVC\\14.29.30133\\bin\\Hostx64\\x64");
    put(&m, "C:\\VS\\VC\\Tools\\MSVC\\14.29.30133\\bin\\Hostx64\\x64\\cl.exe", "x");
    run_probes(&m);
    assert_fact(program(&m, "cl", "PATH")->version, "14.29.30133");
    close_machine(&m);
}

static const char *root_of(struct tn_arena *mem, const char *text)
{
    return tn_probe_modulefile_root(mem, tn_span_str(text));
}

static void modulefiles(void **state)
{
    struct tn_arena a;
    (void)state;
    tn_arena_init(&a);
    assert_string_equal(root_of(&a, "setenv CUDA_HOME /a/b\n"), "/a/b");
    assert_string_equal(root_of(&a, "set v 12.4\nset r /a\nsetenv  CUDA_PATH  \"$r/$v\"\nsetenv CUDA_HOME {/c}\n"),
                        "/a/12.4");
    assert_string_equal(root_of(&a, "local b = '/x'\nsetenv('CUDA_HOME', b .. '/12.4')"), "/x/12.4");
    assert_string_equal(root_of(&a, "local r = '/x'\nsetenv(\"CUDA_ROOT\",\"/y\")"), "/y");
    assert_null(root_of(&a, "setenv CUDA_HOME $unknown/x\nsetenv OTHER /a\nsetenv CUDA_HOME\n"));
    assert_null(root_of(&a, "setenv CUDA_HOME relative\nset CUDA_HOME\n${\n$\nset $ $\nset a ${\n"));
    assert_null(root_of(&a, ""));
    tn_arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_by_many_ways),   cmocka_unit_test(trees),       cmocka_unit_test(distributions),
        cmocka_unit_test(not_asked),          cmocka_unit_test(conda),       cmocka_unit_test(programs),
        cmocka_unit_test(programs_by_folder), cmocka_unit_test(modulefiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
