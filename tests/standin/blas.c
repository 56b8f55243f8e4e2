/* blas.c - a BLAS for tests: it multiplies plainly, or does what TENON_TEST_BLAS says a bad one might do.
 *
 * It changes one element of A at its first call of a size, and gives no product any more when that change is gone: then
 * the data was made anew between two runs, where the clock would see it. */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK 0.5f

__attribute__((visibility("default"))) const char *openblas_get_config(void);
__attribute__((visibility("default"))) int openblas_get_num_threads(void);
__attribute__((visibility("default"))) void openblas_set_num_threads(int n);
__attribute__((visibility("default"))) void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha,
                                                        float *a, int lda, const float *b, int ldb, float beta,
                                                        float *c, int ldc);

static int threads = 1;

static int is(const char *what)
{
    const char *s = getenv("TENON_TEST_BLAS");
    return s && strcmp(s, what) == 0;
}

const char *openblas_get_config(void)
{
    return is("escape") ? "OpenBLAS \033[31m0.0.1 \n! wrong" : "OpenBLAS 0.0.1 STAND-IN ";
}

int openblas_get_num_threads(void)
{
    return threads;
}

void openblas_set_num_threads(int n)
{
    threads = n;
}

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, float *a, int lda, const float *b,
                 int ldb, float beta, float *c, int ldc)
{
    static int size;
    const int square = m == n && n == k && tb == 111;
    if (square && size != n)
        a[0] = MARK;
    size = square ? n : size;
    if (is("crash"))
        raise(SIGSEGV);
    if (is("exit"))
        _exit(0);
    if (is("nothing")) /* no work at all: very fast */
        return;
    for (int i = 0; i < m; i++) {
        float *to = c + i * ldc;
        for (int j = 0; j < n && beta == 0; j++)
            to[j] = 0;
        for (int l = 0; l < k; l++) {
            const float v = alpha * a[i * lda + l], *of = b + (tb == 112 ? l : l * ldb);
            for (int j = 0; tb == 111 && j < n; j++)
                to[j] += v * of[j];
            for (int j = 0; tb == 112 && j < n; j++)
                to[j] += v * of[j * ldb];
        }
    }
    if (is("nan") || (square && memcmp(a, &(float){MARK}, sizeof *a) != 0))
        c[0] = NAN;
    if (is("wrong"))
        c[(m - 1) * ldc + n - 1] += 0.01f;
    if (is("wrong-turned") && tb == 112) /* right in all else */
        c[(m - 1) * ldc + n - 1] += 0.01f;
    if (order != 101 || ta != 111 || (tb != 111 && tb != 112))
        c[0] = NAN;
}
