/* plan_file.c - files of wishes: what each line asks for, and what nobody should fall over. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "plan/file.h"

struct other {
    const char *name, *text;
};

/* Files beside, by their names. */
static int read_other(void *ctx, const char *path, struct tn_span *ret, struct tn_err *err)
{
    for (const struct other *o = ctx; o && o->name; o++)
        if (tn_str_eq(o->name, path)) {
            *ret = tn_span_str(o->text);
            return 0;
        }
    return tn_err_set(err, TN_E_NOTFOUND, path, "no such file");
}

static struct tn_arena mem;

static int setup(void **state)
{
    (void)state;
    tn_arena_init(&mem);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tn_arena_deinit(&mem);
    return 0;
}

static const struct tn_wish_line *line_of(const struct tn_wish_file *f, const char *spec)
{
    for (size_t i = 0; i < f->n; i++)
        if (tn_str_eq(f->v[i].spec, spec))
            return &f->v[i];
    return NULL;
}

static int read_as(enum tn_file_kind kind, const char *name, struct tn_span text, const struct other *others,
                   struct tn_wish_file *ret)
{
    struct tn_err err;
    struct tn_wish_reader r = {.mem = &mem,
                               .name = name,
                               .extras = "",
                               .read = read_other,
                               .ctx = (void *)(uintptr_t)others,
                               .env = {"3.11", "3.11.9", "posix", "linux", "Linux", "x86_64", "cpython", ""}};
    return tn_wish_file_read(&r, kind, text, ret, &err);
}

static void expect(const struct tn_wish_file *f, const char *spec, enum tn_line_what what, unsigned line,
                   enum tn_marker_truth marker)
{
    const struct tn_wish_line *l = line_of(f, spec);
    if (!l)
        fail_msg("no line %s", spec);
    assert_int_equal(l->what, what);
    assert_int_equal(l->line, line);
    assert_int_equal(l->marker, marker);
}

static void requirements(void **state)
{
    static const char text[] = "# all\r\n"
                               "torch==2.3.0+cu121  # with a variant\n"
                               "numpy \\\n"
                               "    >=1.19,\\\n"
                               "    <2 --hash=sha256:abc \\\n"
                               "    --hash=sha256:def\n"
                               "jax[cuda12] ; sys_platform == 'win32'\n"
                               "keras<3;python_version<'3.12'\n"
                               "--extra-index-url https://example.org/simple\n"
                               "-e ./here\n"
                               "onnxruntime @ https://example.org/onnxruntime_gpu-1.18.0-cp311-cp311-win_amd64.whl#a\n"
                               "one two\n"
                               "-r sub/more.txt\n"
                               "--constraint=c.txt";
    static const struct other others[] = {{"dir/sub/more.txt", "tensorflow-gpu==2.6.0\n-r ../r.txt\n-rgone.txt\n"},
                                          {"dir/c.txt", "scipy<1.10"},
                                          {NULL, NULL}};
    struct tn_wish_file f;
    (void)state;
    assert_int_equal(read_as(TN_FILE_REQUIREMENTS, "dir/r.txt", tn_span_str(text), others, &f), 0);
    expect(&f, "torch==2.3.0+cu121", TN_LINE_WANT, 2, TN_MARKER_YES);
    expect(&f, "numpy>=1.19,    <2", TN_LINE_WANT, 3, TN_MARKER_YES);
    expect(&f, "jax[cuda12]", TN_LINE_WANT, 7, TN_MARKER_NO);
    expect(&f, "keras<3", TN_LINE_WANT, 8, TN_MARKER_YES);
    expect(&f, "https://example.org/simple", TN_LINE_INDEX, 9, TN_MARKER_YES);
    expect(&f, "./here", TN_LINE_FILE, 10, TN_MARKER_YES);
    expect(&f, "onnxruntime_gpu==1.18.0", TN_LINE_WANT, 11, TN_MARKER_YES);
    assert_int_equal(f.v[7].what, TN_LINE_BROKEN);
    expect(&f, "tensorflow-gpu==2.6.0", TN_LINE_WANT, 1, TN_MARKER_YES);
    expect(&f, "dir/r.txt", TN_LINE_FILE, 2, TN_MARKER_YES); /* in a circle */
    expect(&f, "dir/sub/gone.txt", TN_LINE_FILE, 3, TN_MARKER_YES);
    expect(&f, "scipy<1.10", TN_LINE_CONSTRAINT, 1, TN_MARKER_YES);
    assert_int_equal(f.n, 12);
}

static void wishes(void **state)
{
    static const char text[] = "torch==2.3.0+cu121\nnvidia-cublas-cu110\ntensorflow-gpu==2.12\nnumpy==1.24\n-c c.txt\n";
    static const struct other others[] = {{"c.txt", "torch<3\njax==0.4.1\n"}, {NULL, NULL}};
    struct tn_wish_file f;
    struct tn_plan_wishes w;
    (void)state;
    assert_int_equal(read_as(TN_FILE_REQUIREMENTS, "r.txt", tn_span_str(text), others, &f), 0);
    tn_plan_wishes_init(&w);
    tn_wish_file_wishes(&mem, &f, &w);
    assert_int_equal(w.n, 2); /* a constraint wants nothing by itself */
    assert_string_equal(w.v[0].spec, "==2.3.0,<3");
    assert_string_equal(w.v[0].variant, "cu121");
    assert_true(w.refused);
    assert_int_equal(f.v[1].n_say, 1);
    assert_int_equal(f.v[2].wish, 1);
    assert_string_equal(w.v[1].spec, "==2.12");
    assert_int_equal(f.v[3].other, 0);
}

/* Nobody falls over; nothing grows without bound. */
static void hostile(void **state)
{
    static const struct other circle[] = {{"a", "-r b"},
                                          {"b", "-r c\n-r c\n-r c"},
                                          {"c", "-r d\n-r d\n-r d"},
                                          {"d", "-r e\n-r e\n-r e"},
                                          {"e", "-r f\n-r f\n-r f"},
                                          {"f", "-r g\n-r g\n-r g"},
                                          {"g", "-r a\n-r b"},
                                          {NULL, NULL}};
    struct tn_wish_file f;
    (void)state;
    assert_int_equal(read_as(TN_FILE_REQUIREMENTS, "a", tn_span_str("-r b"), circle, &f), 0);
    for (size_t i = 0; i < f.n; i++)
        assert_int_equal(f.v[i].what, TN_LINE_FILE);
    assert_int_equal(read_as(TN_FILE_REQUIREMENTS, "a", tn_span_of("tor\0ch\n\0", 8), NULL, &f), 0);
    assert_int_equal(f.v[0].what, TN_LINE_BROKEN);
    size_t n = 3u << 20;
    char *big = malloc(n);
    memset(big, 'a', n);
    assert_int_equal(read_as(TN_FILE_REQUIREMENTS, "a", tn_span_of(big, n), NULL, &f), 0);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.v[0].what, TN_LINE_BROKEN);
    for (size_t i = 1; i < n; i += 2)
        big[i] = '\n';
    assert_int_equal(read_as(TN_FILE_REQUIREMENTS, "a", tn_span_of(big, n), NULL, &f), 0);
    assert_int_equal(f.n, TN_MAX_WISH_LINES);
    assert_true(f.cut);
    for (size_t i = 0; i + 1 < n; i += 2) {
        big[i] = '\\';
        big[i + 1] = '\n';
    }
    assert_int_equal(read_as(TN_FILE_REQUIREMENTS, "a", tn_span_of(big, n), NULL, &f), 0);
    free(big);
}

static void environment(void **state)
{
    static const char text[] = "name: x\r\nchannels: [conda-forge, defaults]\n"
                               "dependencies:\n"
                               "  - python=3.10\n"
                               "  - cudatoolkit=11.2\n"
                               "  - conda-forge::pytorch=2.1=*cuda*   # the build\n"
                               "  - \"numpy>=1.19,<2\"\n"
                               "  - tensorflow-gpu 2.4.1\n"
                               "  - scipy[version='>=1',build=*mkl*]\n"
                               "  - jaxlib 0.4|0.5\n"
                               "  - pip:\n"
                               "    - onnxruntime-gpu==1.18.0 ; sys_platform == 'linux'\n"
                               "    - -r more.txt\n"
                               "  - pandas\n";
    static const struct other others[] = {{"more.txt", "jax\n"}, {NULL, NULL}};
    struct tn_wish_file f;
    struct tn_plan_wishes w;
    (void)state;
    assert_int_equal(read_as(TN_FILE_CONDA, "environment.yml", tn_span_str(text), others, &f), 0);
    expect(&f, "3.10", TN_LINE_PYTHON, 4, TN_MARKER_YES);
    expect(&f, "11.2", TN_LINE_CUDA, 5, TN_MARKER_YES);
    expect(&f, "torch==2.1.*", TN_LINE_WANT, 6, TN_MARKER_YES);
    assert_true(line_of(&f, "torch==2.1.*")->gpu);
    expect(&f, "numpy>=1.19,<2", TN_LINE_WANT, 7, TN_MARKER_YES);
    expect(&f, "tensorflow==2.4.1", TN_LINE_WANT, 8, TN_MARKER_YES); /* conda's is a real one */
    assert_true(line_of(&f, "tensorflow==2.4.1")->gpu);
    expect(&f, "scipy>=1", TN_LINE_WANT, 9, TN_MARKER_YES);
    expect(&f, "onnxruntime-gpu==1.18.0", TN_LINE_WANT, 12, TN_MARKER_YES);
    assert_false(line_of(&f, "onnxruntime-gpu==1.18.0")->conda);
    expect(&f, "jax", TN_LINE_WANT, 1, TN_MARKER_YES);
    expect(&f, "pandas", TN_LINE_WANT, 14, TN_MARKER_YES);
    tn_plan_wishes_init(&w);
    tn_wish_file_wishes(&mem, &f, &w);
    assert_string_equal(w.cuda, "11.2");
    assert_string_equal(w.python, "3.10");
    assert_int_equal(w.n, 4);
    assert_int_equal(w.say.n, 0);
    /* what would multiply is outside of what is read */
    assert_int_equal(read_as(TN_FILE_CONDA, "e.yml",
                             tn_span_str("channels: [x]\ndependencies: &a\n  - *a\n  - [*a, *a]\n"), NULL, &f),
                     0);
    assert_int_equal(f.v[f.n - 1].what, TN_LINE_BROKEN);
    assert_int_not_equal(read_as(TN_FILE_CONDA, "e.yml", tn_span_str("services:\n  web: x\n"), NULL, &f), 0);
}

static void pyproject(void **state)
{
    static const char text[] =
        "[project]\nrequires-python = '>=3.9,<3.12'\n"
        "dependencies = [\n  \"tensorflow[and-cuda]==2.15.1; sys_platform == 'linux'\",\n  'numpy',\n]\n"
        "[project.optional-dependencies]\ngpu = ['torch==2.3.0']\nall = ['jax']\n"
        "[[tool.uv.index]]\nname = 'pytorch'\nurl = 'https://example.org/whl/cu121'\n"
        "[tool.poetry.dependencies]\npython = '^3.10'\nkeras = '~2.15'\n"
        "onnxruntime = {version = '^0.4.1', optional = true}\nscipy = '1.*'\n";
    static const char lock[] =
        "version = 1\nrequires-python = \">=3.10\"\n\n[[package]]\nname = \"torch\"\nversion = \"2.3.0\"\n"
        "source = { registry = \"x\" }\n[[package]]\nname = \"numpy\"\nversion = \"1.26.4\"\n"
        "[[package]]\nname = \"numpy\"\nversion = \"2.0.0\"\n[metadata]\nname = \"no\"\nversion = \"1\"\n";
    struct tn_wish_file f;
    struct tn_err err;
    struct tn_wish_reader r = {
        .mem = &mem, .name = "p", .extras = "gpu", .env = {.sys_platform = "linux", .extra = ""}};
    (void)state;
    assert_int_equal(tn_wish_file_read(&r, TN_FILE_PYPROJECT, tn_span_str(text), &f, &err), 0);
    expect(&f, ">=3.9,<3.12", TN_LINE_PYTHON, 2, TN_MARKER_YES);
    expect(&f, "tensorflow[and-cuda]==2.15.1", TN_LINE_WANT, 4, TN_MARKER_YES);
    expect(&f, "numpy", TN_LINE_WANT, 5, TN_MARKER_YES);
    expect(&f, "torch==2.3.0", TN_LINE_WANT, 8, TN_MARKER_YES);
    expect(&f, "jax", TN_LINE_WANT, 9, TN_MARKER_NO);
    expect(&f, "https://example.org/whl/cu121", TN_LINE_INDEX, 12, TN_MARKER_YES);
    expect(&f, ">=3.10,<4", TN_LINE_PYTHON, 14, TN_MARKER_YES);
    expect(&f, "keras>=2.15,<2.16", TN_LINE_WANT, 15, TN_MARKER_YES);
    expect(&f, "onnxruntime>=0.4.1,<0.5", TN_LINE_WANT, 16, TN_MARKER_NO);
    expect(&f, "scipy==1.*", TN_LINE_WANT, 17, TN_MARKER_YES);
    assert_int_equal(tn_wish_file_read(&r, TN_FILE_LOCK, tn_span_str(lock), &f, &err), 0);
    expect(&f, "torch==2.3.0", TN_LINE_WANT, 6, TN_MARKER_YES);
    expect(&f, "numpy==1.26.4", TN_LINE_WANT, 10, TN_MARKER_UNKNOWN);
    assert_null(line_of(&f, "no==1"));
}

static void docker(void **state)
{
    static const char text[] =
        "# syntax=x\nARG CUDA=12.4.1\nFROM nvidia/cuda:${CUDA}-cudnn-devel-ubuntu22.04 AS build\n"
        "RUN apt-get update && \\\n  # a comment\n  pip install torch==2.3.0 \\\n  'numpy<2'; true\n"
        "FROM tensorflow/tensorflow:2.15.0-gpu AS other\nRUN pip install jax\n"
        "FROM build\nCOPY --from=other /a /a\n"
        "RUN <<EOF\nconda install -y cudatoolkit=11.8\npip uninstall -y keras\nEOF\n"
        "RUN --mount=type=cache,target=/x pip install -r /tmp/requirements.txt\n";
    static const struct other others[] = {{"requirements.txt", "scipy==1\n"}, {NULL, NULL}};
    struct tn_wish_file f;
    (void)state;
    assert_int_equal(read_as(TN_FILE_DOCKER, "Dockerfile", tn_span_str(text), others, &f), 0);
    expect(&f, "NVIDIA_REQUIRE_CUDA=cuda>=12.4", TN_LINE_REQUIRE, 3, TN_MARKER_YES);
    expect(&f, "torch==2.3.0", TN_LINE_WANT, 4, TN_MARKER_YES);
    expect(&f, "numpy<2", TN_LINE_WANT, 4, TN_MARKER_YES);
    expect(&f, "jax", TN_LINE_WANT, 9, TN_MARKER_YES); /* copied from */
    expect(&f, "11.8", TN_LINE_CUDA, 12, TN_MARKER_YES);
    expect(&f, "scipy==1", TN_LINE_WANT, 1, TN_MARKER_YES);
    assert_null(line_of(&f, "keras"));
    static const char two[] = "FROM pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime AS a\nFROM python:3.11-slim\nRUN pip "
                              "install onnxruntime-gpu\n";
    assert_int_equal(read_as(TN_FILE_DOCKER, "Dockerfile", tn_span_str(two), NULL, &f), 0);
    expect(&f, "torch==2.3.0", TN_LINE_WANT, 1, TN_MARKER_NO);
    expect(&f, "3.11", TN_LINE_PYTHON, 2, TN_MARKER_YES);
    expect(&f, "onnxruntime-gpu", TN_LINE_WANT, 3, TN_MARKER_YES);
    assert_int_equal(read_as(TN_FILE_DOCKER, "Dockerfile", tn_span_str("ARG V\nFROM nvidia/cuda:$V\n"), NULL, &f), 0);
    assert_int_equal(f.v[0].what, TN_LINE_BROKEN);
    assert_int_not_equal(read_as(TN_FILE_DOCKER, "Dockerfile", tn_span_str("RUN true\n"), NULL, &f), 0);
}

static void image(void **state)
{
    static const char text[] = "[{\"Architecture\":\"arm64\",\"Config\":{\"Env\":[\"PATH=/x\",\"CUDA_VERSION=12.4.1\","
                               "\"NVIDIA_REQUIRE_CUDA=cuda>=12.4\",7]}}]";
    struct tn_wish_file f;
    (void)state;
    assert_int_equal(read_as(TN_FILE_IMAGE, "i.json", tn_span_str(text), NULL, &f), 0);
    expect(&f, "architecture=arm64", TN_LINE_REQUIRE, 0, TN_MARKER_YES);
    expect(&f, "CUDA_VERSION=12.4.1", TN_LINE_REQUIRE, 0, TN_MARKER_YES);
    expect(&f, "NVIDIA_REQUIRE_CUDA=cuda>=12.4", TN_LINE_REQUIRE, 0, TN_MARKER_YES);
    assert_int_equal(f.n, 4);
    assert_int_equal(f.v[3].what, TN_LINE_BROKEN); /* a setting that is no text */
    assert_int_not_equal(read_as(TN_FILE_IMAGE, "i.json", tn_span_str("[]"), NULL, &f), 0);
    assert_int_not_equal(read_as(TN_FILE_IMAGE, "i.json", tn_span_str("[{"), NULL, &f), 0);
}

static void kinds(void **state)
{
    static const struct {
        const char *name, *text;
        enum tn_file_kind kind;
    } rows[] = {{"requirements.txt", "", TN_FILE_REQUIREMENTS},
                {"env/environment.yml", "", TN_FILE_CONDA},
                {"pyproject.toml", "", TN_FILE_PYPROJECT},
                {"uv.lock", "", TN_FILE_LOCK},
                {"docker/Dockerfile.gpu", "", TN_FILE_DOCKER},
                {"image.json", "", TN_FILE_IMAGE},
                {"C:\\x\\a-1-py3-none-any.whl", "", TN_FILE_WHEEL},
                {"-", "[{\"Config\":{}}]", TN_FILE_IMAGE},
                {"-", "[project]\nname='x'", TN_FILE_PYPROJECT},
                {"-", "# x\nFROM nvidia/cuda:12.4.1-base-ubuntu22.04\n", TN_FILE_DOCKER},
                {"-", "name: x\ndependencies:\n  - python\n", TN_FILE_CONDA},
                {"-", "torch\n", TN_FILE_REQUIREMENTS}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        assert_int_equal(tn_wish_file_kind(rows[i].name, tn_span_str(rows[i].text)), rows[i].kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requirements, setup, teardown),
        cmocka_unit_test_setup_teardown(wishes, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile, setup, teardown),
        cmocka_unit_test_setup_teardown(environment, setup, teardown),
        cmocka_unit_test_setup_teardown(pyproject, setup, teardown),
        cmocka_unit_test_setup_teardown(docker, setup, teardown),
        cmocka_unit_test_setup_teardown(image, setup, teardown),
        cmocka_unit_test(kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
