/* fuzz_requirement.c - hostile lines of Requires-Dist. Beyond memory safety it holds that a name that was read is
 * normal, and that a marker which holds without a value holds with it. */
#include <stdlib.h>
#include <string.h>

#include "version/requirement.h"
#include "version/wheeltag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), again[TN_REQUIREMENT_NAME];
    struct tn_requirement q;
    struct tn_marker_env none = {0};
    struct tn_marker_env all = {"3.11", "3.11.9", "posix", "linux", "Linux", "x86_64", "cpython", "cuda"};
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (tn_version_requirement_parse(text, &q, NULL) == 0) {
        if (tn_version_normal_name(q.name, again, sizeof again, NULL) || strcmp(again, q.name) != 0)
            abort();
        enum tn_marker_truth x = tn_version_marker(q.marker, &none), y = tn_version_marker(q.marker, &all);
        if (x != TN_MARKER_UNKNOWN && x != y)
            abort();
    }
    free(text);
    return 0;
}
