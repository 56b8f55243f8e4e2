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
    expect(&f, "torch==2.3.0", TN_LINE_WANT, 2, TN_MARKER_YES);
    assert_string_equal(line_of(&f, "torch==2.3.0")->local, "cu121");
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
    assert_string_equal(w.cuda, "12.1");
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
        cmocka_unit_test(kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
