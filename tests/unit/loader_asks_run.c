/* loader_asks_run.c - requests of frameworks, run by the loader over a small made disk: what is found, missing,
 * preloaded, and what another framework left in the process. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "loader/asks_run.h"

#define SITE "/v/lib/python3.11/site-packages"

struct file {
    const char *path, *soname, *needed, *runpath, *rpath; /* words */
    bool short_file;
};

struct machine {
    struct tn_snap s;
    struct tn_arena mem;
    const struct file *file;
    size_t n;
    struct tn_disk disk;
    struct tn_asks asks;
    struct tn_loads l;
};

static struct tn_list words(struct machine *m, const char *text, const char *by)
{
    const char *v[32];
    size_t n = 0;
    if (!text)
        return tn_fact_nolist(0, TN_ABSENT);
    char *copy = tn_arena_strdup(&m->mem, text);
    for (char *p = strtok(copy, by); p; p = strtok(NULL, by))
        v[n++] = p;
    return tn_fact_list(&m->s, 0, v, n);
}

static bool image(void *ctx, const char *path, struct tn_rec_image *r)
{
    struct machine *m = ctx;
    const char *norm = tn_path_norm(&m->mem, TN_PATH_POSIX, path);
    memset(r, 0, sizeof *r);
    r->path = tn_fact_str(&m->s, 0, path);
    r->seen = tn_fact_str(&m->s, 0, "none");
    for (size_t i = 0; i < m->n; i++) {
        const struct file *f = &m->file[i];
        if (strcmp(f->path, norm) != 0)
            continue;
        r->seen = tn_fact_str(&m->s, 0, "file");
        r->real = tn_fact_str(&m->s, 0, norm);
        r->id = tn_fact_str(&m->s, 0, norm);
        r->bytes = tn_fact_int(0, f->short_file ? 0 : 5000);
        r->format = tn_fact_str(&m->s, 0, "elf");
        r->machine = tn_fact_str(&m->s, 0, "x86_64");
        r->bits = tn_fact_int(0, 64);
        r->osabi = tn_fact_int(0, 0);
        r->soname = tn_fact_str(&m->s, 0, f->soname);
        r->needed = words(m, f->needed ? f->needed : "", " ");
        r->runpath = words(m, f->runpath, ":");
        r->rpath = words(m, f->rpath, ":");
        r->interp = tn_fact_str(&m->s, 0, strcmp(f->path, "/v/bin/python") == 0 ? "/lib64/ld-linux-x86-64.so.2" : NULL);
        r->flags = words(m, "", " ");
        r->requires = words(m, "", " ");
        r->provides = tn_fact_nolist(0, TN_ABSENT);
        r->damage = tn_fact_str(&m->s, 0, f->short_file ? "short" : NULL);
        return true;
    }
    return true;
}

static enum tn_know folder(void *ctx, const char *path)
{
    struct machine *m = ctx;
    const char *norm = tn_path_norm(&m->mem, TN_PATH_POSIX, path);
    for (size_t i = 0; i < m->n; i++)
        if (tn_path_under(TN_PATH_POSIX, m->file[i].path, norm))
            return TN_KNOWN;
    return TN_ABSENT;
}

static enum tn_know cached(void *ctx, const char *name, size_t i, struct tn_rec_cached *r)
{
    (void)ctx, (void)name, (void)i, (void)r;
    return TN_ABSENT;
}

static void start(struct machine *m, const struct file *file, size_t n, const char *library_path)
{
    memset(m, 0, sizeof *m);
    tn_snap_init(&m->s);
    tn_arena_init(&m->mem);
    m->file = file;
    m->n = n;
    m->disk = (struct tn_disk){m, image, folder, cached, NULL};
    struct tn_rec_host *h = TN_THE(&m->s, host);
    h->os = tn_fact_str(&m->s, 0, "linux");
    h->arch = tn_fact_str(&m->s, 0, "x86_64");
    h->libc = tn_fact_str(&m->s, 0, "glibc");
    h->libc_version = tn_fact_str(&m->s, 0, "2.36");
    TN_THE(&m->s, cpu)->flags = words(m, "", " ");
    struct tn_rec_env *e = TN_ADD(&m->s, env);
    e->id = tn_fact_str(&m->s, 0, "env1");
    e->interpreter = tn_fact_str(&m->s, 0, "/v/bin/python");
    e->machine = tn_fact_str(&m->s, 0, "x86_64");
    e->loader = tn_fact_str(&m->s, 0, "/lib64/ld-linux-x86-64.so.2");
    e->python = tn_fact_str(&m->s, 0, "3.11.2");
    struct tn_rec_search *d = TN_ADD(&m->s, search);
    d->by = tn_fact_str(&m->s, 0, "default");
    d->rank = tn_fact_int(0, 0);
    d->path = tn_fact_str(&m->s, 0, "/usr/lib");
    m->s.search.listed = m->s.variable.listed = TN_KNOWN;
    if (library_path) {
        struct tn_rec_variable *v = TN_ADD(&m->s, variable);
        v->name = tn_fact_str(&m->s, 0, "LD_LIBRARY_PATH");
        v->value = tn_fact_str(&m->s, 0, library_path);
    }
    for (size_t i = 0; i < n; i++)
        if (file[i].soname) {
            struct tn_rec_library *l = TN_ADD(&m->s, library);
            l->soname = tn_fact_str(&m->s, 0, file[i].soname);
            l->path = tn_fact_str(&m->s, 0, file[i].path);
            l->env = tn_fact_str(&m->s, 0, "env1");
        }
}

static const struct tn_rec_framework *add(struct machine *m, const char *name, const char *version, const char *asks)
{
    struct tn_rec_framework *f = TN_ADD(&m->s, framework);
    f->env = tn_fact_str(&m->s, 0, "env1");
    f->name = tn_fact_str(&m->s, 0, name);
    f->version = tn_fact_str(&m->s, 0, version);
    f->gpu_build = tn_fact_int(0, 1);
    f->cuda = tn_fact_str(&m->s, 0, "12.5");
    f->path = tn_fact_str(&m->s, 0, tn_arena_printf(&m->mem, SITE "/%s", name));
    f->asks = words(m, asks, " ");
    return f;
}

static void run(struct machine *m, const struct tn_rec_framework *f)
{
    assert_true(tn_asks_make(&m->asks, &m->mem, &m->s, f));
    if (!m->l.mem)
        assert_true(tn_loads_start(&m->l, &m->s, &m->s.env.v[0], &m->disk, &m->mem));
    assert_int_equal(m->l.start, TN_OUTCOME_FOUND);
    tn_loads_make(&m->l, &m->asks);
}

static void end(struct machine *m)
{
    tn_arena_deinit(&m->mem);
    tn_snap_deinit(&m->s);
}

#define PYTHON                                                                                                         \
    {                                                                                                                  \
        "/v/bin/python", NULL, NULL, NULL, NULL, false                                                                 \
    }
#define LIB(folder, name)                                                                                              \
    {                                                                                                                  \
        SITE "/nvidia/" folder "/lib/" name, name, NULL, NULL, NULL, false                                             \
    }

static void tensorflow(void **state)
{
    static const struct file file[] = {
        PYTHON,
        {SITE "/tensorflow/libtensorflow_framework.so.2", "libtensorflow_framework.so.2", NULL,
         "$ORIGIN/../nvidia/cublas/lib:$ORIGIN/../nvidia/cudnn/lib", NULL, false},
        LIB("cublas", "libcublas.so.12"),
        LIB("cusolver", "libcusolver.so.11"),
        {SITE "/nvidia/cudnn/lib/libcudnn.so.9", "libcudnn.so.9", NULL, "$ORIGIN", NULL, false},
        LIB("cudnn", "libcudnn_graph.so.9"),
        {SITE "/nvidia/cudnn/lib/libcudnn_ops.so.9", "libcudnn_ops.so.9", NULL, NULL, NULL, true},
    };
    struct machine mm, *m = &mm;
    (void)state;
    start(m, file, TN_LEN(file), NULL);
    run(m, add(m, "tensorflow", "2.20.0", "libcublas.so.12 libcusolver.so.11 libcudnn.so.9"));
    assert_int_equal(tn_loads_find(&m->l, "libcublas.so.12")->outcome, TN_OUTCOME_FOUND);
    assert_int_equal(tn_loads_find(&m->l, "libcublas.so.12")->rule, TN_RULE_RUNPATH);
    assert_string_equal(tn_loads_find(&m->l, "libcublas.so.12")->real, SITE "/nvidia/cublas/lib/libcublas.so.12");
    /* on the disk, but in no folder that is searched */
    assert_int_equal(tn_loads_find(&m->l, "libcusolver.so.11")->outcome, TN_OUTCOME_MISSING);
    /* cuDNN's parts by cuDNN's own run path, not the framework's */
    assert_string_equal(tn_loads_find(&m->l, "libcudnn_graph.so.9")->from, tn_loads_find(&m->l, "libcudnn.so.9")->path);
    assert_int_equal(tn_loads_find(&m->l, "libcudnn_graph.so.9")->outcome, TN_OUTCOME_FOUND);
    assert_int_equal(tn_loads_find(&m->l, "libcudnn_ops.so.9")->outcome, TN_OUTCOME_STOPS);
    assert_true(tn_loads_find(&m->l, "libcudnn_ops.so.9")->damaged);
    assert_int_equal(tn_loads_find(&m->l, "libcudnn_cnn.so.9")->outcome, TN_OUTCOME_MISSING);
    /* its asker libcudnn_graph has no run path: the engines are not found */
    assert_int_equal(tn_loads_find(&m->l, "libcudnn_heuristic.so.9")->outcome, TN_OUTCOME_MISSING);
    end(m);
    /* LD_LIBRARY_PATH comes before RUNPATH */
    start(m, file, TN_LEN(file), SITE "/nvidia/cusolver/lib");
    run(m, add(m, "tensorflow", "2.20.0", "libcublas.so.12 libcusolver.so.11 libcudnn.so.9"));
    assert_int_equal(tn_loads_find(&m->l, "libcusolver.so.11")->rule, TN_RULE_ENV);
    end(m);
}

static const struct file torch_files[] = {
    PYTHON,
    {SITE "/torch/lib/libtorch_global_deps.so", NULL, "libcublas.so.12", NULL, "$ORIGIN", false},
    {SITE "/torch/_C.abi3.so", NULL, "libtorch_cuda.so", NULL, "$ORIGIN/lib", false},
    {SITE "/torch/lib/libtorch_cuda.so", "libtorch_cuda.so", "libcublas.so.12", NULL, "$ORIGIN", false},
    {SITE "/nvidia/cublas/lib/libcublas.so.12", "libcublas.so.12", NULL, NULL, NULL, false},
    {SITE "/nvidia/cudnn/lib/libcudnn.so.9", "libcudnn.so.9", NULL, NULL, NULL, false},
    {SITE "/tensorflow/libtensorflow_framework.so.2", "libtensorflow_framework.so.2", NULL, NULL, NULL, false},
};

/* The run path does not lead there: the import fails, the wheels' files are opened by path, the import is tried again.
 */
static void torch(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, torch_files, TN_LEN(torch_files), NULL);
    run(m, add(m, "torch", "1.13.1", "libcublas.so.12"));
    const struct tn_load *deps = tn_loads_find(&m->l, "libtorch_global_deps.so");
    assert_int_equal(deps->outcome, TN_OUTCOME_FOUND);
    assert_int_equal(tn_loads_find(&m->l, "_C.abi3.so")->outcome, TN_OUTCOME_FOUND);
    assert_int_equal(tn_loads_find(&m->l, "libcublas.so.12")->rule, TN_RULE_PATH);
    /* The second framework of the process gets what the first has loaded, though nothing leads there for it. */
    unsigned from = m->l.n;
    run(m, add(m, "tensorflow", "2.20.0", "libcublas.so.12 libcufft.so.11"));
    const struct tn_load *second = NULL;
    for (unsigned i = from; i < m->l.n; i++)
        if (strcmp(m->l.v[i].name, "libcublas.so.12") == 0)
            second = &m->l.v[i];
    assert_non_null(second);
    assert_int_equal(second->outcome, TN_OUTCOME_FOUND);
    assert_int_equal(second->rule, TN_RULE_LOADED);
    end(m);
    /* Before 1.13 nothing is preloaded. */
    start(m, torch_files, TN_LEN(torch_files), NULL);
    run(m, add(m, "torch", "1.12.1", "libcublas.so.12"));
    deps = tn_loads_find(&m->l, "libtorch_global_deps.so");
    assert_int_equal(deps->outcome, TN_OUTCOME_STOPS);
    assert_string_equal(deps->culprit, "libcublas.so.12");
    end(m);
}

/* Any file as the asker. */
static void file(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, torch_files, TN_LEN(torch_files), NULL);
    assert_true(tn_loads_file(&m->l, &m->s, &m->s.env.v[0], &m->disk, &m->mem, SITE "/torch/lib/libtorch_cuda.so",
                              "libcublas.so.12"));
    assert_int_equal(tn_loads_find(&m->l, "libtorch_cuda.so")->outcome, TN_OUTCOME_STOPS);
    assert_int_equal(tn_loads_find(&m->l, "libcublas.so.12")->outcome, TN_OUTCOME_MISSING);
    assert_true(tn_loads_file(&m->l, &m->s, &m->s.env.v[0], &m->disk, &m->mem, NULL, "libcudnn.so.9"));
    assert_int_equal(tn_loads_find(&m->l, "libcudnn.so.9")->outcome, TN_OUTCOME_MISSING);
    end(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tensorflow), cmocka_unit_test(torch), cmocka_unit_test(file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
