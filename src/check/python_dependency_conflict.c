/* python_dependency_conflict.c - a Python package that a framework needs is there in a version that does not do.
 *
 * What `pip check` says of the frameworks (Requires-Dist, PEP 508 and 440), and what it cannot know: bounds that were
 * found out after the release (tables tensorflow_python_pins, python_pins). A bound of metadata alone is a warning,
 * since many are careful. Left to other checks: protobuf, NVIDIA's packages, companions, and NumPy 2 under builds for
 * NumPy 1. */
#include <string.h>

#include "base/str.h"
#include "check/pins.h"
#include "version/dotted.h"

static bool mine(const char *needs)
{
    static const char *const others[] = {"protobuf", "numpy", "torch", "jaxlib", "triton", "tensorboard", NULL};
    return !tn_str_in(needs, others) && !tn_str_starts(needs, "nvidia-") && !tn_str_starts(needs, "cuda-") &&
           !tn_str_starts(needs, "jax-") && !tn_needs_is_tensorflow(needs) && !tn_str_starts(needs, "tensorflow-");
}

static bool numpy(const char *needs)
{
    return strcmp(needs, "numpy") == 0;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = tn_needs_have(j, "numpy");
    tn_pins_judge(j, out, mine, true);
    if (row < j->s->dist.n && tn_version_dotted_major(tn_needs_version(j, row)) < 2)
        tn_pins_judge(j, out, numpy, true);
}

TN_CHECK(python_dependency_conflict, "python-dependency-conflict", run, .needs = TN_NEEDS_FRAMEWORK);
