/* blas_find.c - where a BLAS lies: in an environment (NumPy's wheel, scipy-openblas, conda, MKL), then in the system.
 * Names only; whether it is one shows when it is opened. */
#include <string.h>

#include "base/str.h"
#include "measure/blas_cpu.h"
#include "os/os.h"

struct found {
    struct tn_arena *mem;
    const char **path;
    size_t n, cap;
};

/* Names of the library itself, not of what links to it; best first. */
static const char *const names[] = {"libscipy_openblas64_-*.so",
                                    "libscipy_openblas-*.so",
                                    "libscipy_openblas64_*.dll",
                                    "libscipy_openblas*.dll",
                                    "libopenblas64_p*.so",
                                    "libopenblasp*.so",
                                    "libopenblas64_*.dll",
                                    "libopenblas*.dll",
                                    "libscipy_openblas64_.so",
                                    "libscipy_openblas.so",
                                    "libopenblas.so.0",
                                    "libopenblas.so",
                                    "openblas.dll",
                                    "libopenblasp-r*.so",
                                    "libopenblas64.so.0",
                                    "libmkl_rt.so.*",
                                    "libmkl_rt.so",
                                    "mkl_rt.*.dll",
                                    "mkl_rt.dll",
                                    NULL};

static const char *const in_site[] = {"numpy.libs",           "numpy/.libs", "scipy_openblas64/lib",
                                      "scipy_openblas32/lib", "scipy.libs",  NULL};
static const char *const in_prefix[] = {"lib", "Library/bin", NULL};
static const char *const in_system[] = {"/usr/lib/x86_64-linux-gnu/openblas-pthread",
                                        "/usr/lib/x86_64-linux-gnu/openblas-openmp",
                                        "/usr/lib/x86_64-linux-gnu/openblas-serial",
                                        "/usr/lib/aarch64-linux-gnu/openblas-pthread",
                                        "/usr/lib/aarch64-linux-gnu/openblas-openmp",
                                        "/usr/lib/x86_64-linux-gnu",
                                        "/usr/lib/aarch64-linux-gnu",
                                        "/usr/lib64",
                                        "/usr/lib",
                                        "/usr/local/lib",
                                        "/opt/OpenBLAS/lib",
                                        "/opt/intel/oneapi/mkl/latest/lib",
                                        "/opt/intel/oneapi/mkl/latest/lib/intel64",
                                        NULL};

static bool is_kept(const void *ctx, const char *name)
{
    (void)ctx;
    for (unsigned i = 0; names[i]; i++)
        if (tn_str_glob(names[i], name))
            return true;
    return false;
}

static void add(struct found *f, const char *path)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->path[i], path) == 0)
            return;
    f->path = tn_arena_grow(f->mem, f->path, f->n, &f->cap, sizeof *f->path);
    f->path[f->n++] = path;
}

static void look(struct found *f, const char *folder)
{
    struct tn_os_entry *e;
    size_t n;
    if (tn_os_list_some(NULL, folder, is_kept, NULL, f->mem, &e, &n, NULL))
        return;
    for (unsigned i = 0; names[i]; i++)
        for (size_t k = 0; k < n; k++)
            if (tn_str_glob(names[i], e[k].name)) {
                struct tn_buf real;
                tn_buf_init(&real);
                const char *path = tn_path_join(f->mem, TN_OS_STYLE_NATIVE, folder, e[k].name);
                add(f, tn_os_realpath(path, &real, NULL) == 0 ? tn_arena_strdup(f->mem, real.p) : path);
                tn_buf_deinit(&real);
            }
}

size_t tn_blas_find(const struct tn_blas_places *where, struct tn_arena *mem, const char *const **ret)
{
    struct found f = {.mem = mem};
    for (size_t i = 0; where->site && where->site[i]; i++)
        for (unsigned k = 0; in_site[k]; k++)
            look(&f, tn_path_join(mem, TN_OS_STYLE_NATIVE, where->site[i], in_site[k]));
    for (size_t i = 0; where->prefix && where->prefix[i]; i++)
        for (unsigned k = 0; in_prefix[k]; k++)
            look(&f, tn_path_join(mem, TN_OS_STYLE_NATIVE, where->prefix[i], in_prefix[k]));
    for (unsigned k = 0; in_system[k]; k++)
        look(&f, in_system[k]);
    f.path = tn_arena_grow(mem, f.path, f.n, &f.cap, sizeof *f.path);
    f.path[f.n] = NULL;
    *ret = f.path;
    return f.n;
}
