/* python_dependency_conflict.c - a Python package that a framework needs is there in a version that does not do.
 *
 * What `pip check` says of the frameworks (Requires-Dist, PEP 508 and 440), and what it cannot know: bounds that were
 * found out after the release (tables tensorflow_python_pins, python_pins). A bound of metadata alone is a warning,
 * since many are careful. A package that is not there at all counts where `import tensorflow` fails without it (tried
 * one by one with TensorFlow 2.15.1 from pip: not clang, grpc, h5py, tensorboard and the file system plug-in), and
 * where most of the others are there: whoever sees none of them does not see where they lie. Left to other checks:
 * protobuf, NVIDIA's packages, companions, and NumPy 2 under builds for NumPy 1. */
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

/* Without these TensorFlow does not import. */
static bool is_imported(const char *needs, const char *version)
{
    static const char *const names[] = {
        "absl-py", "astunparse",        "flatbuffers",          "gast", "ml-dtypes", "numpy", "opt-einsum", "protobuf",
        "wrapt",   "typing-extensions", "tensorflow-estimator", NULL};
    bool keras = strcmp(needs, "keras") == 0; /* opened when it is asked for since 2.16 */
    return keras ? tn_version_dotted_cmp(version, "2.16") < 0 : tn_str_in(needs, names);
}

static void judge_missing(const struct tn_judge *j, struct tn_sink *out, size_t who)
{
    struct tn_need n, missing = {0};
    unsigned there = 0, absent = 0;
    for (struct tn_needs it = tn_needs_of(j, who, ""); tn_needs_next(&it, &n);) {
        if (!is_imported(n.q.name, tn_needs_version(j, who)))
            continue;
        there += n.have < j->s->dist.n;
        if (n.have == j->s->dist.n && absent++ == 0)
            missing = n;
    }
    if (absent == 0 || absent > 2 || there < 5 || tn_needs_by_conda(j, who))
        return;
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(dist, who, requires));
    f->variant = "missing";
    tn_needs_say(out, f, j, who, missing.q.name, missing.have, missing.want);
    tn_needs_remedy(out, f, j, missing.q.name, missing.want);
}

static bool mine_with_numpy(const char *needs)
{
    return strcmp(needs, "numpy") == 0 || mine(needs);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = tn_needs_have(j, "numpy"), at = 0;
    bool one = row < j->s->dist.n && tn_version_dotted_major(tn_needs_version(j, row)) < 2;
    tn_pins_judge(j, out, one ? mine_with_numpy : mine, true);
    if (j->s->dist.listed != TN_KNOWN)
        return;
    for (const struct tn_rec_dist *d; (d = tn_needs_dist(j, &at));)
        if (tn_needs_is_tensorflow(d->name.v) && d->requires.k == TN_KNOWN)
            judge_missing(j, out, at - 1);
}

TN_CHECK(python_dependency_conflict, "python-dependency-conflict", run, .needs = TN_NEEDS_FRAMEWORK);
