/* replay.c - runs a fuzz target over the files of its corpus: a crash found once stays found, on every system. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/os.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int main(int argc, char **argv);

int main(int argc, char **argv)
{
    struct tn_arena mem;
    struct tn_os_entry *e;
    struct tn_err err;
    size_t n = 0, ran = 0;
    tn_arena_init(&mem);
    if (argc < 2 || tn_os_list(NULL, argv[1], &mem, &e, &n, &err)) {
        fprintf(stderr, "no corpus: %s\n", argc < 2 ? "name its folder" : argv[1]);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        struct tn_buf b;
        uint64_t size;
        tn_buf_init(&b);
        if (tn_os_read(NULL, tn_path_join(&mem, tn_os_path_style(), argv[1], e[i].name), 0, 1u << 26, &b, &size,
                       &err) == 0) {
            uint8_t *copy = malloc(b.n ? b.n : 1); /* exact size: a read past the end is seen */
            for (size_t k = 0; copy && k < b.n; k++)
                copy[k] = (uint8_t)b.p[k];
            LLVMFuzzerTestOneInput(copy, b.n);
            free(copy);
            ran++;
        }
        tn_buf_deinit(&b);
    }
    tn_arena_deinit(&mem);
    printf("%zu inputs\n", ran);
    return ran ? 0 : 1;
}
