/* pins.c - see pins.h. */
#include "facts/pins.h"

#include <string.h>

#include "base/str.h"
#include "version/dotted.h"

bool tn_facts_in_range(const char *version, const char *from, const char *to)
{
    return (!*from || tn_version_dotted_cmp(version, from) >= 0) &&
           (!*to || tn_version_dotted_cmp(version, to) <= 0 || tn_facts_version_within(version, to));
}

bool tn_facts_pin_next(const char *package, const char *version, uint32_t *row, struct tn_facts_pin *ret)
{
    bool tf = strcmp(package, "tensorflow") == 0;
    const struct tn_table *t = tn_facts_find(tf ? "tensorflow_python_pins" : "python_pins");
    int package_column = t && !tf ? tn_facts_column(t, "package") : 0;
    while (t && *row < t->nrows) {
        uint32_t r = (*row)++;
        if (!tf && strcmp(tn_facts_cell(t, r, (uint32_t)package_column), package) != 0)
            continue;
        const char *from = tn_facts_get(t, r, tf ? "tf_from" : "version_from");
        const char *to = tn_facts_get(t, r, tf ? "tf_to" : "version_to");
        if (tn_facts_rank(t, r) != 1 || !tn_facts_in_range(version, from, to))
            continue;
        ret->needs = tn_facts_get(t, r, tf ? "package" : "needs");
        ret->spec = tn_facts_get(t, r, "spec");
        ret->breaks = tn_facts_get(t, r, "breaks");
        ret->cite = tn_facts_cite(t, r);
        return true;
    }
    return false;
}

const struct tn_facts_numpy2 *tn_facts_numpy2_since(const char *package)
{
    static const struct tn_facts_numpy2 all[] = {
        {"torch", "2.3", {"PyTorch 2.3.0, release notes", "2024-04-24", ""}},
        {"jaxlib", "0.4.26", {"JAX CHANGELOG, jaxlib 0.4.26", "2024-04-03", ""}},
        {"onnxruntime", "1.19", {"ONNX Runtime 1.19.0, release notes", "2024-08-17", ""}},
        {"onnxruntime-gpu", "1.19", {"ONNX Runtime 1.19.0, release notes", "2024-08-17", ""}},
        {"scipy", "1.13", {"METADATA of SciPy 1.12 and 1.13", "2024-04-02", ""}},
        {"h5py", "3.11", {"METADATA of TensorFlow 2.18: h5py>=3.11", "2024-10-24", ""}},
    };
    for (unsigned i = 0; i < TN_LEN(all); i++)
        if (strcmp(all[i].package, package) == 0)
            return &all[i];
    return NULL;
}
