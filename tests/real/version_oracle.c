/* version_oracle.c - what vendor libraries answer when they are loaded and asked for their version, for
 * library_versions.sh: "version_oracle FILE..." prints a file and its answer a line; "-" where it cannot be loaded or
 * has nothing to ask. Each is loaded in a child. No function here needs a GPU or a driver. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The forms in which the answer comes: through a pointer, as the value, by property (MAJOR_VERSION 0, MINOR_VERSION 1,
 * PATCH_LEVEL 2 of library_types.h), as two numbers. */
enum how { POINTER, VALUE, PROPERTY, PAIR };

static const struct {
    const char *stem, *symbol;
    enum how how;
    unsigned major, minor, patch; /* what the number is divided by, from the vendor's header */
} table[] = {
    {"libcudart", "cudaRuntimeGetVersion", POINTER, 1000, 10, 0},
    {"libcublasLt", "cublasLtGetProperty", PROPERTY, 0, 0, 0},
    {"libcublas", "cublasGetProperty", PROPERTY, 0, 0, 0},
    {"libcufft", "cufftGetProperty", PROPERTY, 0, 0, 0},
    {"libcurand", "curandGetProperty", PROPERTY, 0, 0, 0},
    {"libcusolver", "cusolverGetProperty", PROPERTY, 0, 0, 0},
    {"libcusparse", "cusparseGetProperty", PROPERTY, 0, 0, 0},
    {"libcusparseLt", "cusparseLtGetProperty", PROPERTY, 0, 0, 0},
    {"libcupti", "cuptiGetVersion", POINTER, 10000, 100, 0},
    {"libnccl", "ncclGetVersion", POINTER, 10000, 100, 1},
    {"libcudnn", "cudnnGetVersion", VALUE, 10000, 100, 1},
    {"libcudnn_graph", "cudnnGetVersion", VALUE, 10000, 100, 1},
    {"libnvrtc", "nvrtcVersion", PAIR, 0, 0, 0},
    {"libnvrtc.alt", "nvrtcVersion", PAIR, 0, 0, 0},
    {"libnvJitLink", "nvJitLinkVersion", PAIR, 0, 0, 0},
    {"libnvinfer", "getInferLibVersion", VALUE, 10000, 100, 1},
    {"libnvinfer_lean", "getInferLibVersion", VALUE, 10000, 100, 1},
    {"libnvinfer_dispatch", "getInferLibVersion", VALUE, 10000, 100, 1},
    {"libnvonnxparser", "getNvOnnxParserVersion", VALUE, 10000, 100, 1},
};

static void print_number(unsigned long n, unsigned major, unsigned minor, unsigned patch)
{
    printf("%lu.%lu", n / major, n % major / minor);
    if (patch)
        printf(".%lu", n % minor);
}

static void ask(const char *path, size_t i)
{
    /* A part of cuDNN asks for its neighbours by name. */
    void *lib = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
    void *f = lib ? dlsym(lib, table[i].symbol) : NULL;
    if (!f) {
        fprintf(stderr, "%s\n", lib ? "the symbol is absent" : dlerror());
        printf("-");
        return;
    }
    int v = 0;
    unsigned u[2] = {0, 0};
    switch (table[i].how) {
    case POINTER:
        ((int (*)(int *))f)(&v);
        print_number((unsigned long)v, table[i].major, table[i].minor, table[i].patch);
        break;
    case VALUE:
        print_number((unsigned long)((size_t(*)(void))f)() & 0xffffffffu, table[i].major, table[i].minor,
                     table[i].patch);
        break;
    case PROPERTY:
        for (int k = 0; k < 3; k++) {
            ((int (*)(int, int *))f)(k, &v);
            printf(k ? ".%d" : "%d", v);
        }
        break;
    default: ((int (*)(unsigned *, unsigned *))f)(&u[0], &u[1]); printf("%u.%u", u[0], u[1]);
    }
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        const char *base = strrchr(argv[k], '/') ? strrchr(argv[k], '/') + 1 : argv[k], *so = strstr(base, ".so");
        printf("%s ", argv[k]);
        fflush(stdout);
        size_t i = 0;
        while (i < sizeof table / sizeof *table && (!so || strlen(table[i].stem) != (size_t)(so - base) ||
                                                    strncmp(base, table[i].stem, (size_t)(so - base))))
            i++;
        pid_t child = i < sizeof table / sizeof *table ? fork() : -1;
        if (child == 0) {
            alarm(60);
            ask(argv[k], i);
            fflush(stdout);
            _exit(0);
        }
        int status = 0;
        if (child > 0)
            waitpid(child, &status, 0);
        if (child < 0 || status)
            printf("-");
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
