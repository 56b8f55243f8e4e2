/* fatbin_dump.c - prints which GPU code a file holds, as src/image/fatbin.h reads it: for fatbins.sh, bench/ and
 * tools/mine.py. "fatbin_dump [--sections] FILE...": one line for each kind and architecture,
 * "sass 90a 33", "ptx 120 188 isa 900 900", "lto 75 12728", "parts-sass 70 1"; then "file" with totals.
 * --time N: reads N times and prints the median of the wall time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "image/fatbin.h"

struct file {
    int fd;
    unsigned char *p; /* the last span: all that the reader uses */
    size_t cap;
};

static int file_at(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    struct file *f = ctx;
    if (n > f->cap) {
        free(f->p);
        f->p = malloc(f->cap = n);
    }
    ssize_t got = pread(f->fd, f->p, n, (off_t)off);
    if (got < 0 || (size_t)got != n)
        return tn_err_set(err, TN_E_IO, NULL, "cannot read %zu at %" PRIu64, n, off);
    *ret = tn_span_of(f->p, n);
    return 0;
}

static void list(const char *head, const struct tn_fatbin_list l[TN_FATBIN_KINDS])
{
    static const char *const kind[] = {"sass", "ptx", "lto"};
    for (unsigned k = 0; k < TN_FATBIN_KINDS; k++)
        for (unsigned i = 0; i < l[k].n; i++) {
            const struct tn_fatbin_arch *a = &l[k].v[i];
            printf("%s%s %u%.1s %" PRIu32, head, kind[k], a->number, a->mark ? &a->mark : "", a->n);
            if (k == TN_FATBIN_PTX)
                printf(" isa %u %u", a->isa, a->isa_last);
            printf("\n");
        }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum tn_fatbin_where where = TN_FATBIN_ANYWHERE;
    int bad = 0, times = 1;
    for (int i = 1; i < argc; i++) {
        struct file f = {-1, NULL, 0};
        struct tn_fatbin b;
        struct tn_err err;
        struct stat st;
        double took[100];
        if (strcmp(argv[i], "--sections") == 0) {
            where = TN_FATBIN_SECTIONS;
            continue;
        }
        if (strcmp(argv[i], "--time") == 0 && i + 1 < argc) {
            times = atoi(argv[++i]);
            times = times < 1 ? 1 : times > 100 ? 100 : times;
            continue;
        }
        f.fd = open(argv[i], O_RDONLY);
        if (f.fd < 0 || fstat(f.fd, &st) != 0) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            return 2;
        }
        struct tn_view v = {(uint64_t)st.st_size, file_at, &f};
        int rc = 0;
        for (int t = 0; t < times; t++) {
            double start = now();
            rc = tn_image_fatbin_read(&v, where, &b, &err);
            took[t] = now() - start;
        }
        if (rc) {
            fprintf(stderr, "%s: %s\n", argv[i], err.text);
            bad = 1;
        } else {
            list("", b.code);
            list("parts-", b.parts);
            qsort(took, (size_t)times, sizeof took[0], by_size);
            printf("file containers %" PRIu32 " other %" PRIu32 " damaged %" PRIu32 "%s%s%s reads %" PRIu64
                   " bytes %" PRIu64 " ms %.2f %s\n",
                   b.containers, b.other, b.damaged, b.section ? " section" : "", b.scanned ? " scanned" : "",
                   b.cut ? " cut" : "", b.reads, b.bytes, took[times / 2], argv[i]);
        }
        close(f.fd);
        free(f.p);
    }
    return bad;
}
