/* fuzz_wheeltag.c - hostile wheel names, tag sets and distribution names. */
#include <stdlib.h>
#include <string.h>

#include "version/wheeltag.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *name = malloc(size + 1), buf[300], again[300];
    struct tn_platform_libc libc;
    struct tn_arena a;
    struct tn_wheel w;
    tn_arena_init(&a);
    if (size)
        memcpy(name, data, size);
    name[size] = 0;
    if (tn_version_wheel_parse(name, &a, &w, NULL) == 0) {
        tn_version_wheel_libc(w.platform, TN_LIBC_GLIBC, &libc);
        tn_version_tag_has(w.python, "py3");
    }
    tn_version_wheel_libc(name, TN_LIBC_MUSL, &libc);
    if (tn_version_normal_name(name, buf, sizeof buf, NULL) == 0 &&
        (tn_version_normal_name(buf, again, sizeof again, NULL) || strcmp(buf, again) != 0))
        abort();
    tn_arena_deinit(&a);
    free(name);
    return 0;
}
