/* loader_asks_windows.c - what frameworks get from the loader of Windows, over a made disk: each rule that differs from
 * Linux seen with a hit and a near miss. */
#include "loader_disk.h"

#include "loader/asks_run.h"

#define ENV "C:\\e"
#define SITE ENV "\\Lib\\site-packages\\"
#define CRT "KERNEL32.dll"

struct world {
    struct machine m;
    struct tn_rec_framework *f;
    struct tn_asks a;
    struct tn_loads l;
};

static void dll(struct world *w, const char *path, const char *needed)
{
    m_lib(&w->m, path, NULL, needed, NULL, NULL);
}

static void found(struct world *w, const char *path)
{
    struct tn_rec_library *l = TN_ADD(&w->m.s, library);
    l->path = tn_fact_str(&w->m.s, 0, path);
    l->env = tn_fact_str(&w->m.s, 0, "env1");
}

static void place(struct world *w, const char *by, int rank, const char *path)
{
    struct tn_rec_search *r = TN_ADD(&w->m.s, search);
    r->by = tn_fact_str(&w->m.s, 0, by);
    r->rank = tn_fact_int(0, rank);
    r->path = tn_fact_str(&w->m.s, 0, path);
}

static struct tn_rec_framework *framework(struct world *w, const char *name, const char *version, const char *cuda,
                                          const char *asks)
{
    struct tn_rec_framework *f = TN_ADD(&w->m.s, framework);
    f->env = tn_fact_str(&w->m.s, 0, "env1");
    f->name = tn_fact_str(&w->m.s, 0, name);
    f->version = tn_fact_str(&w->m.s, 0, version);
    f->gpu_build = tn_fact_int(0, 1);
    f->cuda = tn_fact_str(&w->m.s, 0, cuda);
    f->path = tn_fact_str(&w->m.s, 0, tn_arena_printf(&w->m.mem, SITE "%s", name));
    f->asks = asks ? m_list(&w->m, asks, ',') : tn_fact_nolist(0, TN_ABSENT);
    return f;
}

static void init(struct world *w, const char *kind)
{
    memset(w, 0, sizeof *w);
    m_init(&w->m);
    struct tn_snap *s = &w->m.s;
    TN_THE(s, host)->os = tn_fact_str(s, 0, "windows");
    struct tn_rec_env *e = TN_ADD(s, env);
    e->id = tn_fact_str(s, 0, "env1");
    e->kind = tn_fact_str(s, 0, kind);
    e->path = tn_fact_str(s, 0, ENV);
    e->interpreter = tn_fact_str(s, 0, ENV "\\python.exe");
    e->machine = tn_fact_str(s, 0, "x86_64");
    e->python = tn_fact_str(s, 0, "3.10.11");
    place(w, "default", 0, "C:\\Windows\\System32");
    place(w, "PATH", 0, "C:\\old");
    place(w, "PATH", 1, "C:\\cuda\\v12.4\\bin");
    s->search.listed = s->variable.listed = TN_KNOWN;
    dll(w, ENV "\\python.exe", CRT);
    dll(w, "C:\\Windows\\System32\\nvcuda.dll", CRT);
}

static void run(struct world *w, const struct tn_rec_framework *f, const char *call)
{
    assert_true(tn_asks_make_call(&w->a, &w->m.mem, &w->m.s, f, call));
    assert_true(tn_loads_start(&w->l, &w->m.s, &w->m.s.env.v[0], &w->m.disk, &w->m.mem));
    assert_int_equal(w->l.start, TN_OUTCOME_FOUND);
    tn_loads_make(&w->l, &w->a);
}

/* The file that a name comes to, "missing", "stops: NAME", or "-" where nobody asks. */
static const char *got(struct world *w, const char *name)
{
    for (unsigned i = 0; i < w->l.n; i++) {
        const struct tn_load *v = &w->l.v[i];
        if (!tn_str_ieq(v->name, name))
            continue;
        if (v->outcome == TN_OUTCOME_FOUND)
            return v->path ? v->path : "a part of Windows";
        return v->outcome == TN_OUTCOME_STOPS ? tn_arena_printf(&w->m.mem, "stops: %s", v->culprit ? v->culprit : "?")
                                              : tn_outcome_word(v->outcome);
    }
    return "-";
}

static void end(struct world *w)
{
    m_deinit(&w->m);
}

/* torch 2.4.0: fbgemm.dll needs libomp140.x86_64.dll, which nothing of the wheel brings (read in the wheel); 2.4.1
 * needs its own libiomp5md.dll. */
static void torch_fbgemm(void **state)
{
    (void)state;
    for (unsigned fixed = 0; fixed < 3; fixed++) {
        struct world w;
        init(&w, "venv");
        dll(&w, SITE "torch\\lib\\fbgemm.dll",
            fixed == 1 ? "asmjit.dll,libiomp5md.dll" : "asmjit.dll,libomp140.x86_64.dll");
        dll(&w, SITE "torch\\lib\\asmjit.dll", CRT);
        dll(&w, SITE "torch\\lib\\libiomp5md.dll", CRT);
        dll(&w, SITE "torch\\lib\\c10.dll", CRT);
        dll(&w, SITE "torch\\_C.cp310-win_amd64.pyd", CRT);
        if (fixed == 2) /* put on PATH: the second, plain try finds it there */
            dll(&w, "C:\\old\\libomp140.x86_64.dll", CRT);
        run(&w, framework(&w, "torch", "2.4.0+cu124", "12.4", NULL), NULL);
        assert_string_equal(got(&w, "fbgemm.dll"),
                            fixed ? SITE "torch\\lib\\fbgemm.dll" : "stops: libomp140.x86_64.dll");
        assert_string_equal(got(&w, "c10.dll"), SITE "torch\\lib\\c10.dll");
        assert_string_equal(got(&w, "uv.dll"), "-"); /* not there: not asked for */
        end(&w);
    }
}

/* Every DLL of torch\lib is opened by its path, so cuDNN's parts are torch's own whatever PATH holds. */
static void torch_own_cudnn(void **state)
{
    struct world w;
    (void)state;
    init(&w, "venv");
    dll(&w, SITE "torch\\lib\\torch_cuda.dll", "cudnn64_9.dll");
    dll(&w, SITE "torch\\lib\\cudnn64_9.dll", CRT);
    dll(&w, SITE "torch\\lib\\cudnn_ops64_9.dll", CRT);
    found(&w, SITE "torch\\lib\\cudnn_ops64_9.dll");
    found(&w, SITE "torch\\lib\\cudnn64_9.dll");
    dll(&w, "C:\\old\\cudnn_ops64_9.dll", CRT);
    dll(&w, SITE "torch\\_C.cp310-win_amd64.pyd", CRT);
    run(&w, framework(&w, "torch", "2.4.1+cu124", "12.4", NULL), NULL);
    assert_string_equal(got(&w, "cudnn_ops64_9.dll"), SITE "torch\\lib\\cudnn_ops64_9.dll");
    assert_string_equal(got(&w, "nvcuda.dll"), "C:\\Windows\\System32\\nvcuda.dll");
    end(&w);
}

/* The toolkit's folder is searched for torch only where no cudart64*.dll lies in its own. */
static void torch_toolkit(void **state)
{
    (void)state;
    for (unsigned own = 0; own < 2; own++) {
        struct world w;
        init(&w, "venv");
        struct tn_rec_variable *v = TN_ADD(&w.m.s, variable);
        v->name = tn_fact_str(&w.m.s, 0, "CUDA_PATH_V12_4");
        v->value = tn_fact_str(&w.m.s, 0, "D:\\cuda124");
        dll(&w, "D:\\cuda124\\bin\\cublas64_12.dll", CRT);
        dll(&w, SITE "torch\\lib\\torch_cuda.dll", "cublas64_12.dll");
        dll(&w, SITE "torch\\_C.cp310-win_amd64.pyd", CRT);
        if (own) {
            dll(&w, SITE "torch\\lib\\cudart64_12.dll", CRT);
            found(&w, SITE "torch\\lib\\cudart64_12.dll");
            w.m.s.library.v[0].stem = tn_fact_str(&w.m.s, 0, "cudart");
        }
        run(&w, framework(&w, "torch", "2.4.1+cu124", "12.4", NULL), NULL);
        assert_string_equal(got(&w, "cublas64_12.dll"), own ? "missing" : "D:\\cuda124\\bin\\cublas64_12.dll");
        end(&w);
    }
}

/* cuDNN's main DLL opens its parts by bare names from PATH: those of an older one that comes first. */
static void cudnn_mixed(void **state)
{
    (void)state;
    for (unsigned mixed = 0; mixed < 2; mixed++) {
        struct world w;
        init(&w, "venv");
        dll(&w, "C:\\cuda\\v12.4\\bin\\cudart64_110.dll", CRT);
        dll(&w, "C:\\cuda\\v12.4\\bin\\cudnn64_8.dll", CRT);
        dll(&w, "C:\\cuda\\v12.4\\bin\\cudnn_ops_infer64_8.dll", CRT);
        if (mixed)
            dll(&w, "C:\\old\\cudnn_ops_infer64_8.dll", CRT);
        dll(&w, SITE "tensorflow\\python\\_pywrap_tensorflow_internal.pyd", CRT);
        run(&w, framework(&w, "tensorflow", "2.10.1", "11.2", "cudart64_110.dll,cudnn64_8.dll"), NULL);
        assert_string_equal(got(&w, "cudnn64_8.dll"), "C:\\cuda\\v12.4\\bin\\cudnn64_8.dll");
        assert_string_equal(got(&w, "cudnn_ops_infer64_8.dll"), mixed
                                                                    ? "C:\\old\\cudnn_ops_infer64_8.dll"
                                                                    : "C:\\cuda\\v12.4\\bin\\cudnn_ops_infer64_8.dll");
        assert_string_equal(got(&w, "cudnn_cnn_infer64_8.dll"), "missing");
        end(&w);
    }
}

/* A provider of ONNX Runtime: PATH counts for what it needs; os.add_dll_directory does not. */
static void onnxruntime(void **state)
{
    (void)state;
    for (unsigned path = 0; path < 2; path++) {
        struct world w;
        init(&w, "venv");
        dll(&w, SITE "onnxruntime\\capi\\onnxruntime_pybind11_state.pyd", CRT);
        dll(&w, SITE "onnxruntime\\capi\\onnxruntime_providers_shared.dll", CRT);
        dll(&w, SITE "onnxruntime\\capi\\onnxruntime_providers_cuda.dll",
            "cublasLt64_12.dll,onnxruntime_providers_shared.dll");
        dll(&w, SITE "nvidia\\cublas\\bin\\cublasLt64_12.dll", CRT);
        if (path)
            dll(&w, "C:\\cuda\\v12.4\\bin\\cublasLt64_12.dll", CRT);
        run(&w, framework(&w, "onnxruntime", "1.21.1", "12.4", NULL), NULL);
        assert_string_equal(got(&w, "onnxruntime_providers_cuda.dll"),
                            path ? SITE "onnxruntime\\capi\\onnxruntime_providers_cuda.dll"
                                 : "stops: cublasLt64_12.dll");
        run(&w, &w.m.s.framework.v[0], "preload_dlls"); /* the wheel's own comes first then */
        assert_string_equal(got(&w, "cublasLt64_12.dll"), SITE "nvidia\\cublas\\bin\\cublasLt64_12.dll");
        assert_string_equal(got(&w, "onnxruntime_providers_cuda.dll"),
                            SITE "onnxruntime\\capi\\onnxruntime_providers_cuda.dll");
        end(&w);
    }
}

/* preload_dlls: torch's own where torch is one for the same CUDA; CUDA 13's folder; else as ctypes finds it. */
static void preload_places(void **state)
{
    static const struct {
        const char *torch, *cuda, *name, *at, *want;
    } of[] = {
        {"2.5.1+cu124", "12.4", "cudart64_12.dll", SITE "torch\\lib\\cudart64_12.dll",
         SITE "torch\\lib\\cudart64_12.dll"},
        {"2.5.1+cu118", "12.4", "cudart64_12.dll", SITE "torch\\lib\\cudart64_12.dll", "-"},
        {"2.12.0+cu130", "13.0", "cudart64_13.dll", SITE "torch\\lib\\cudart64_13.dll",
         SITE "torch\\lib\\cudart64_13.dll"},
        {"2.12.0", "13.0", "cufft64_12.dll", SITE "nvidia\\cu13\\bin\\x86_64\\cufft64_12.dll",
         SITE "nvidia\\cu13\\bin\\x86_64\\cufft64_12.dll"},
        {"2.12.0", "13.0", "cufft64_12.dll", SITE "nvidia\\cufft\\bin\\cufft64_12.dll", "-"},
        {"2.12.0", "12.4", "cufft64_11.dll", "C:\\Windows\\System32\\cufft64_11.dll",
         "C:\\Windows\\System32\\cufft64_11.dll"},
        {"2.12.0", "12.4", "cufft64_11.dll", "C:\\old\\cufft64_11.dll", "-"}, /* ctypes: no PATH */
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(of); i++) {
        struct world w;
        init(&w, "venv");
        dll(&w, of[i].at, CRT);
        framework(&w, "torch", of[i].torch, "12.4", NULL);
        run(&w, framework(&w, "onnxruntime", "1.31.1", of[i].cuda, NULL), "preload_dlls");
        assert_string_equal(got(&w, of[i].name), of[i].want);
        end(&w);
    }
}

/* CuPy: CUDA_PATH, else the toolkit on PATH, and x64 below it; from 14 on the modules are not judged. */
static void cupy(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        struct world w;
        init(&w, "venv");
        if (k == 0) {
            struct tn_rec_variable *v = TN_ADD(&w.m.s, variable);
            v->name = tn_fact_str(&w.m.s, 0, "CUDA_PATH");
            v->value = tn_fact_str(&w.m.s, 0, "C:\\cuda\\v12.4");
        }
        if (k != 2) {
            struct tn_rec_toolkit *t = TN_ADD(&w.m.s, toolkit);
            t->path = tn_fact_str(&w.m.s, 0, "C:\\cuda\\v12.4");
        }
        dll(&w, k == 1 ? "C:\\cuda\\v12.4\\bin\\x64\\cublas64_12.dll" : "C:\\cuda\\v12.4\\bin\\cublas64_12.dll", CRT);
        dll(&w, SITE "cupy_backends\\cuda\\api\\runtime.cp310-win_amd64.pyd", CRT);
        dll(&w, SITE "cupy_backends\\cuda\\libs\\cublas.cp310-win_amd64.pyd", "cublas64_12.dll");
        run(&w, framework(&w, "cupy", k == 3 ? "14.0.0" : "13.6.0", "12.4", NULL), NULL);
        const char *want[] = {SITE "cupy_backends\\cuda\\libs\\cublas.cp310-win_amd64.pyd",
                              SITE "cupy_backends\\cuda\\libs\\cublas.cp310-win_amd64.pyd", "stops: cublas64_12.dll",
                              "-"};
        assert_string_equal(got(&w, "cublas.cp310-win_amd64.pyd"), want[k]);
        end(&w);
    }
}

/* conda: which releases of its Python add Library\bin, and what the variable does to that; a venv's adds nothing. */
static void conda(void **state)
{
    static const struct {
        const char *kind, *python, *enable, *at;
        bool found;
    } of[] = {
        {"conda", "3.10.11", NULL, ENV "\\Library\\bin", true},
        {"conda", "3.9.9", NULL, ENV "\\Library\\bin", true},
        {"conda", "3.9.7", NULL, ENV "\\Library\\bin", false},
        {"conda", "3.9.7", "1", ENV "\\Library\\bin", true},
        {"conda", "3.10.11", "0", ENV "\\Library\\bin", true},
        {"venv", "3.10.11", "1", ENV "\\Library\\bin", false},
        {"conda", "3.10.11", NULL, "C:\\old", false},
        {"conda", "3.10.11", "1", "C:\\old", true},
        {"conda", "3.12.1", "1", "C:\\old", false},
    };
    (void)state;
    for (size_t k = 0; k < TN_LEN(of); k++) {
        struct world w;
        init(&w, of[k].kind);
        w.m.s.env.v[0].python = tn_fact_str(&w.m.s, 0, of[k].python);
        if (of[k].enable) {
            struct tn_rec_variable *v = TN_ADD(&w.m.s, variable);
            v->name = tn_fact_str(&w.m.s, 0, "CONDA_DLL_SEARCH_MODIFICATION_ENABLE");
            v->value = tn_fact_str(&w.m.s, 0, of[k].enable);
        }
        dll(&w, tn_arena_printf(&w.m.mem, "%s\\cublas64_12.dll", of[k].at), CRT);
        dll(&w, SITE "cupy_backends\\cuda\\libs\\cublas.pyd", "cublas64_12.dll");
        run(&w, framework(&w, "cupy", "13.6.0", "12.4", NULL), NULL);
        assert_string_equal(got(&w, "cublas.pyd"),
                            of[k].found ? SITE "cupy_backends\\cuda\\libs\\cublas.pyd" : "stops: cublas64_12.dll");
        end(&w);
    }
}

int main(void)
{
    static const struct CMUnitTest t[] = {cmocka_unit_test(torch_fbgemm),  cmocka_unit_test(torch_own_cudnn),
                                          cmocka_unit_test(torch_toolkit), cmocka_unit_test(cudnn_mixed),
                                          cmocka_unit_test(onnxruntime),   cmocka_unit_test(preload_places),
                                          cmocka_unit_test(cupy),          cmocka_unit_test(conda)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
