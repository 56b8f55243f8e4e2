/* standin.h - what the stand-ins of CUDA libraries share. The driver's (driver.c) owns the memory; the others are
 * linked with it. They keep the documented rules: no handle, no work; leading dimensions and sizes; only memory that
 * the driver gave out, else the error of asynchronous work, which the next call that waits tells. They compute on the
 * CPU.
 *
 * TENON_STANDIN_FAULT: "LAYER:FAULT", what a bad one does: wrong (one element), nothing (success without work), nan,
 * crash, hang and quit (at the first call that makes a handle), load (at load), status (a call fails), late (an error
 * that the next wait tells); those of the driver: driver.c. With "@N" behind it on card N alone. */
#ifndef TN_TEST_STANDIN_H
#define TN_TEST_STANDIN_H

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

/* driver.c */
API bool standin_is_device(uint64_t at, size_t bytes); /* else the next wait says CUDA_ERROR_ILLEGAL_ADDRESS */
API void standin_late(int error);
API bool standin_has_context(void);
API int standin_card(void); /* whose context is current; -1: none is */
API void standin_on_card(int card);
API int standin_cards(void);
API void standin_stuck(int card); /* what was begun on it does not end */
API uint64_t standin_alloc(size_t bytes);
API bool standin_free(uint64_t at);

static inline bool standin_fault_on(const char *layer, const char *fault, int card)
{
    const char *v = getenv("TENON_STANDIN_FAULT");
    size_t n = strlen(layer), m = strlen(fault);
    if (!v || strncmp(v, layer, n) != 0 || v[n] != ':' || strncmp(v + n + 1, fault, m) != 0)
        return false;
    v += n + 1 + m;
    return *v == 0 || (*v == '@' && atoi(v + 1) == card);
}

static inline bool standin_fault(const char *layer, const char *fault)
{
    return standin_fault_on(layer, fault, standin_card());
}

static inline void standin_trouble_on(const char *layer, int card)
{
    if (standin_fault_on(layer, "crash", card))
        raise(SIGSEGV);
    if (standin_fault_on(layer, "quit", card))
        _exit(0);
    while (standin_fault_on(layer, "hang", card))
        pause();
}

static inline void standin_trouble(const char *layer)
{
    standin_trouble_on(layer, standin_card());
}

/* Before the work: false: none is done. */
static inline bool standin_works(const char *layer)
{
    if (standin_fault(layer, "late"))
        standin_late(719); /* CUDA_ERROR_LAUNCH_FAILED */
    return !standin_fault(layer, "nothing");
}

/* After it, on n results. */
static inline void standin_spoil_float(const char *layer, float *v, size_t n)
{
    if (standin_fault(layer, "nan"))
        v[n / 2] = NAN;
    if (standin_fault(layer, "wrong"))
        v[n - 1] += 0.01f;
}
static inline void standin_spoil_double(const char *layer, double *v, size_t n)
{
    if (standin_fault(layer, "nan"))
        v[n / 2] = NAN;
    if (standin_fault(layer, "wrong"))
        v[n - 1] += 1e-6;
}

/* A handle that was made and not destroyed. */
struct standin_handle {
    uint32_t magic;
    int kind;
    long v[12];
    uint64_t at[3];
};
#define STANDIN_MAGIC 0x5713d1e5u
static inline int standin_make(void **ret, int kind)
{
    struct standin_handle *h = calloc(1, sizeof *h);
    h->magic = STANDIN_MAGIC;
    h->kind = kind;
    *ret = h;
    return 0;
}
static inline bool standin_is(const void *p, int kind)
{
    const struct standin_handle *h = p;
    return h && h->magic == STANDIN_MAGIC && h->kind == kind;
}
static inline int standin_destroy(void *p, int kind, int error)
{
    if (!standin_is(p, kind))
        return error;
    ((struct standin_handle *)p)->magic = 0;
    free(p);
    return 0;
}
#define AT_LOAD(layer)                                                                                                 \
    __attribute__((constructor)) static void at_load(void)                                                             \
    {                                                                                                                  \
        if (standin_fault(layer, "load"))                                                                              \
            raise(SIGSEGV);                                                                                            \
    }

#endif
