/* driver.c - the vendor's own part of asking: loads one of its libraries, initialises it, counts the cards and ends.
 * usage: driver nvml|cuda FILE */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int call(void *library, const char *name)
{
    int (*f)(void);
    *(void **)&f = dlsym(library, name);
    return f ? f() : -1;
}

static int call_unsigned(void *library, const char *name, unsigned argument)
{
    int (*f)(unsigned);
    *(void **)&f = dlsym(library, name);
    return f ? f(argument) : -1;
}

static int call_count(void *library, const char *name, unsigned *n)
{
    int (*f)(unsigned *);
    *(void **)&f = dlsym(library, name);
    return f ? f(n) : -1;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    void *library = dlopen(argv[2], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    unsigned n = 0;
    int nvml = strcmp(argv[1], "nvml") == 0,
        rc = nvml ? call(library, "nvmlInit_v2") : call_unsigned(library, "cuInit", 0);
    if (rc == 0)
        rc = call_count(library, nvml ? "nvmlDeviceGetCount_v2" : "cuDeviceGetCount", &n);
    printf("%s: %d, %u cards\n", argv[1], rc, n);
    return 0;
}
