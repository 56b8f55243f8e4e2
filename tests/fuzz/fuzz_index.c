/* fuzz_index.c - hostile pages of a package index. The first byte says JSON or HTML. Beyond memory safety it holds that
 * every file is a wheel of the package, with a URL over http and no control character in it. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plan/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_arena mem;
    struct tn_plan_machine m = {.arch = "x86_64", .glibc = ""};
    struct tn_index_package p = {.name = "tensorflow", .variant = ""};
    if (!size)
        return 0;
    tn_arena_init(&mem);
    int rc = tn_index_read(&mem, tn_span_of(data + 1, size - 1), data[0] & 1 ? "x+json" : "text/html",
                           "http://127.0.0.1/simple/tensorflow/", &p, NULL);
    if (rc && p.n)
        abort();
    for (size_t i = 0; i < p.n; i++) {
        const struct tn_index_file *f = &p.v[i];
        if (strncmp(f->url, "http://", 7) != 0 && strncmp(f->url, "https://", 8) != 0)
            abort();
        for (const char *c = f->url; *c; c++)
            if ((unsigned char)*c <= ' ')
                abort();
        if (strncasecmp(f->file, "tensorflow-", 11) != 0)
            abort();
        tn_index_file_for(&p, &m, f->version, "3.11");
    }
    tn_arena_deinit(&mem);
    return 0;
}
