/* fuzz_soname.c - hostile file names: the stem is never empty and everything cut out is part of the name. */
#include <stdlib.h>
#include <string.h>

#include "version/soname.h"
#include "version/wanted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *name = malloc(size + 1), buf[64];
    struct tn_soname v;
    if (size)
        memcpy(name, data, size);
    name[size] = 0;
    if (tn_version_soname_parse(name, &v, NULL) == 0) {
        if (!v.stem[0] || !strstr(name, v.version) || !strstr(name, v.copy))
            abort();
        tn_version_dll_token(v.version, buf, sizeof buf);
    }
    tn_version_dll_token(name, buf, sizeof buf);
    char *line = memchr(name, '\n', size); /* what is asked for, and a name that it may mean */
    struct tn_wanted w;
    if (line)
        *line++ = 0;
    if (line && tn_version_wanted_init(&w, name, size & 1, NULL) == 0 && tn_version_wanted(&w, line) &&
        strlen(line) > TN_MAX_NAME_BYTES && w.kind != TN_WANTED_GLOB)
        abort();
    free(name);
    return 0;
}
