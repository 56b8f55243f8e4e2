/* fuzz_pep440.c - hostile versions and specifiers: "version\nspec". Beyond memory safety it holds that a normal
 * form parses to an equal version and that the order is antisymmetric. */
#include <stdlib.h>
#include <string.h>

#include "version/dotted.h"
#include "version/pep440.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), buf[2 * TN_MAX_VERSION_TEXT];
    struct tn_pep440 a, b;
    bool ok;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    char *spec = strchr(text, '\n');
    if (spec)
        *spec++ = 0;
    else
        spec = text;
    if (tn_version_pep440_parse(tn_span_str(text), &a, NULL) == 0) {
        if (!tn_version_pep440_text(&a, buf, sizeof buf))
            abort();
        if (strlen(buf) <= TN_MAX_VERSION_TEXT &&
            (tn_version_pep440_parse(tn_span_str(buf), &b, NULL) || tn_version_pep440_cmp(&a, &b)))
            abort();
        if (tn_version_pep440_parse(tn_span_str(spec), &b, NULL) == 0) {
            int x = tn_version_pep440_cmp(&a, &b), y = tn_version_pep440_cmp(&b, &a);
            if ((x > 0) != (y < 0) || (x == 0) != (y == 0))
                abort();
        }
    }
    tn_version_pep440_match(text, spec, &ok, NULL);
    tn_version_pep440_spec_names_pre(spec);
    if (tn_version_dotted_cmp(text, spec) != -tn_version_dotted_cmp(spec, text))
        abort();
    tn_version_windows_driver(text, buf);
    free(text);
    return 0;
}
