/* loader_asks.c - what each framework asks the loader for, against what was read in its wheels and sources. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "loader/asks.h"

struct world {
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_asks a;
    bool made;
};

/* asks: names with blanks between. */
static void make(struct world *w, const char *name, const char *version, const char *cuda, const char *asks)
{
    const char *v[16];
    size_t n = 0;
    memset(w, 0, sizeof *w);
    tn_snap_init(&w->s);
    tn_arena_init(&w->mem);
    TN_THE(&w->s, host)->os = tn_fact_str(&w->s, 0, "linux");
    struct tn_rec_env *e = TN_ADD(&w->s, env);
    e->id = tn_fact_str(&w->s, 0, "env1");
    e->python = tn_fact_str(&w->s, 0, "3.11.7");
    e->machine = tn_fact_str(&w->s, 0, "x86_64");
    struct tn_rec_framework *f = TN_ADD(&w->s, framework);
    f->env = tn_fact_str(&w->s, 0, "env1");
    f->name = tn_fact_str(&w->s, 0, name);
    f->version = tn_fact_str(&w->s, 0, version);
    f->gpu_build = tn_fact_int(0, 1);
    f->cuda = tn_fact_str(&w->s, 0, cuda);
    f->path = tn_fact_str(&w->s, 0, tn_arena_printf(&w->mem, "/v/lib/python3.11/site-packages/%s", name));
    char *copy = tn_arena_strdup(&w->mem, asks);
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
        v[n++] = p;
    f->asks = tn_fact_list(&w->s, 0, v, n);
    w->made = tn_asks_make(&w->a, &w->mem, &w->s, f);
}

static void end(struct world *w)
{
    tn_arena_deinit(&w->mem);
    tn_snap_deinit(&w->s);
}

static const struct tn_ask *find(const struct world *w, enum tn_ask_how how, const char *name)
{
    for (unsigned i = 0; i < w->a.n; i++)
        if (w->a.v[i].how == how && strcmp(w->a.v[i].name, name) == 0)
            return &w->a.v[i];
    return NULL;
}

#define CUDA12                                                                                                         \
    "libcudart.so.12 libcublas.so.12 libcublasLt.so.12 libcufft.so.11 libcusolver.so.11 libcusparse.so.12 "            \
    "libcudnn.so.9"
#define FRAMEWORK "/v/lib/python3.11/site-packages/tensorflow/libtensorflow_framework.so.2"

/* Wheels of cupy-cuda13x 14.2.0 (python3 -c 'import cupy' under LD_DEBUG=libs); before, NVRTC was linked. */
static void cupy(void **state)
{
    struct world ww, *w = &ww;
    (void)state;
    make(w, "cupy", "14.2.0", "13", "");
    assert_non_null(find(w, TN_ASK_FILE, "cublas.cpython-311-x86_64-linux-gnu.so"));
    const struct tn_ask *r = find(w, TN_ASK_PRELOAD, "libnvrtc.so.13");
    assert_non_null(r);
    assert_string_equal(r->path[0], "/v/lib/python3.11/site-packages/nvidia/cu13/lib");
    r = find(w, TN_ASK_NAME, "libnvrtc.so.13");
    assert_non_null(r);
    assert_null(r->from);
    assert_string_equal(r->part, "jit");
    struct tn_rec_variable *v = TN_ADD(&w->s, variable); /* where it would be sought in the end */
    v->name = tn_fact_str(&w->s, 0, "CUDA_PATH");
    v->value = tn_fact_str(&w->s, 0, "/usr/local/cuda");
    assert_true(tn_asks_make(&w->a, &w->mem, &w->s, &w->s.framework.v[0]));
    assert_int_equal(find(w, TN_ASK_NAME, "libnvrtc.so.13")->is, TN_ASK_HARMLESS);
    end(w);
    make(w, "cupy", "13.6.0", "12", "");
    assert_non_null(find(w, TN_ASK_FILE, "nvrtc.cpython-311-x86_64-linux-gnu.so"));
    assert_null(find(w, TN_ASK_NAME, "libnvrtc.so.12"));
    end(w);
}

static void tensorflow(void **state)
{
    struct world ww, *w = &ww;
    (void)state;
    make(w, "tensorflow", "2.21.0", "12.5.1", CUDA12);
    assert_true(w->made);
    assert_string_equal(w->a.v[0].path[0], FRAMEWORK);
    const struct tn_ask *r = find(w, TN_ASK_NAME, "libcusolver.so.11");
    assert_non_null(r);
    assert_string_equal(r->from, FRAMEWORK);
    assert_int_equal(r->is, TN_ASK_REQUIRED);
    assert_string_equal(r->part, "gpu");
    /* NVML, NCCL and CUPTI, which its check does not name; TensorRT is gone */
    assert_int_equal(find(w, TN_ASK_NAME, "libnvidia-ml.so.1")->is, TN_ASK_REQUIRED);
    assert_int_equal(find(w, TN_ASK_NAME, "libnccl.so.2")->is, TN_ASK_OPTIONAL);
    assert_string_equal(find(w, TN_ASK_NAME, "libcupti.so.12")->or_name, "libcupti.so");
    assert_string_equal(find(w, TN_ASK_NAME, "libcudnn_heuristic.so.9")->from, "libcudnn_graph.so.9");
    end(w);
    make(w, "tensorflow", "2.15.1", "12.2", CUDA12);
    assert_null(find(w, TN_ASK_NAME, "libnvidia-ml.so.1"));
    assert_null(find(w, TN_ASK_NAME, "libnccl.so.2")); /* not established */
    end(w);
    make(w, "tensorflow", "1.15.5", "10.0", "libcudart.so.10.0 libcudnn.so.7");
    assert_string_equal(w->a.v[0].name, "libtensorflow_framework.so.1");
    assert_null(find(w, TN_ASK_NAME, "libcudnn_graph.so.9")); /* 7 is one library */
    end(w);
    /* 1.1 to 1.13: the import itself, the driver's library with it */
    make(w, "tensorflow", "1.12.0", "9.0", "libcudart.so.9.0");
    assert_int_equal(w->a.n, 1);
    assert_int_equal(w->a.v[0].how, TN_ASK_FILE);
    assert_string_equal(w->a.v[0].part, "import");
    end(w);
    make(w, "tensorflow", "", "", "");
    assert_false(w->made); /* the release decides */
    end(w);
}

static unsigned preloads(const struct world *w, bool after_failure)
{
    unsigned n = 0;
    for (unsigned i = 0; i < w->a.n; i++)
        n += w->a.v[i].how == TN_ASK_PRELOAD && w->a.v[i].after_failure == after_failure;
    return n;
}

static void torch(void **state)
{
    static const struct {
        const char *version;
        unsigned always, after;
    } c[] = {{"1.12.1", 0, 0}, {"1.13.1", 0, 2}, {"2.1.0", 0, 10},
             {"2.5.1", 0, 11}, {"2.6.0", 2, 12}, {"2.10.0", 16, 16}};
    struct world ww, *w = &ww;
    (void)state;
    for (unsigned i = 0; i < TN_LEN(c); i++) {
        make(w, "torch", c[i].version, "12.1", "libcudart.so.12 libcublas.so.12 libcudnn.so.9");
        if (preloads(w, false) != c[i].always || preloads(w, true) != c[i].after)
            fail_msg("%s: %u and %u", c[i].version, preloads(w, false), preloads(w, true));
        end(w);
    }
    make(w, "torch", "2.6.0+cu124", "12.4", "libcudart.so.12");
    const struct tn_ask *r = find(w, TN_ASK_PRELOAD, "libnvJitLink.so.*");
    assert_non_null(r);
    assert_string_equal(r->path[0], "/v/lib/python3.11/site-packages/nvidia/nvjitlink/lib");
    r = find(w, TN_ASK_FILE, "_C.cpython-311-x86_64-linux-gnu.so");
    assert_string_equal(r->path[1], "/v/lib/python3.11/site-packages/torch/_C.abi3.so");
    assert_string_equal(find(w, TN_ASK_NAME, "libcuda.so.1")->from, "libcudart.so.12");
    end(w);
    /* cuBLASLt before cuBLAS from 2.10 on, the folder of CUDA 13 second */
    make(w, "torch", "2.15.0+cu132", "13.2", "libcudart.so.13");
    r = find(w, TN_ASK_PRELOAD, "libcublasLt.so.*");
    assert_true(r < find(w, TN_ASK_PRELOAD, "libcublas.so.*"));
    assert_string_equal(r->path[1], "/v/lib/python3.11/site-packages/nvidia/cu13/lib");
    end(w);
}

static void others(void **state)
{
    struct world ww, *w = &ww;
    (void)state;
    make(w, "jax", "0.12.0", "13", "libcudart.so.13 libcudnn.so.9");
    assert_non_null(find(w, TN_ASK_PRELOAD, "libcusolver.so.12"));
    assert_non_null(find(w, TN_ASK_FILE, "xla_cuda_plugin.so"));
    end(w);
    make(w, "jax", "0.4.30", "12", "libcudart.so.12 libcudnn.so.9");
    assert_null(find(w, TN_ASK_PRELOAD, "libcublas.so.12")); /* preloads since 0.7 */
    end(w);
    make(w, "onnxruntime", "1.31.1", "13.0", "libcudart.so.13");
    assert_non_null(find(w, TN_ASK_FILE, "libonnxruntime_providers_cuda.so"));
    assert_int_equal(find(w, TN_ASK_FILE, "libonnxruntime_providers_tensorrt.so")->is, TN_ASK_HARMLESS);
    end(w);
    make(w, "tensorrt", "10.0", "12", "");
    assert_non_null(find(w, TN_ASK_PRELOAD, "libnvinfer.so.*"));
    end(w);
    make(w, "nobody", "1.0", "12", "");
    assert_false(w->made);
    end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cupy), cmocka_unit_test(tensorflow), cmocka_unit_test(torch),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
