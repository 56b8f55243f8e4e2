/* numpy_abi.c - NumPy 2 beside a build that was compiled against NumPy 1.
 *
 * Old builds set no upper bound, so a fresh install today takes NumPy 2. The other way round is fine: what was
 * compiled against NumPy 2 runs with 1.x. First releases for NumPy 2: TensorFlow 2.18 (RELEASE.md), torch 2.3
 * (release notes 2.3.0), jaxlib 0.4.26 (CHANGELOG), onnxruntime 1.19 (release notes). torch only loses its bridge to
 * NumPy; the others do not import. Of the packages that frameworks import themselves: SciPy 1.13 (METADATA: numpy<2.3,
 * that of 1.12: numpy<1.29), which JAX imports; h5py 3.11, without which Keras writes no HDF5 (TensorFlow 2.18, the
 * first for NumPy 2, asks for h5py>=3.11). A package that nothing of the GPU stack imports is not judged. */
#include "check/look.h"
#include "facts/pins.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

static const struct {
    const char *package, *variant;
    enum tn_severity severity;
    const char *imported_by; /* NULL: a framework itself */
} other[] = {{"torch", "bridge", TN_WARNING, NULL}, {"jaxlib", NULL, TN_ERROR, NULL},
             {"onnxruntime", NULL, TN_ERROR, NULL}, {"onnxruntime-gpu", NULL, TN_ERROR, NULL},
             {"scipy", NULL, TN_ERROR, "jax"},      {"h5py", "hdf5", TN_WARNING, "keras"}};

static void report(const struct tn_judge *j, struct tn_sink *out, const struct tn_rec_dist *numpy, const char *package,
                   const char *version, struct tn_ref built)
{
    size_t row = (size_t)(numpy - j->s->dist.v);
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(dist, row, version));
    tn_find_arg(out, f, "package", "%s", package);
    tn_find_arg(out, f, "version", "%s", version);
    tn_find_arg(out, f, "numpy", "%s", numpy->version.v);
    tn_find_evidence(f, TN_REF(dist, row, version));
    tn_find_evidence(f, built);
    tn_look_env_args(out, tn_find_remedy(out, f, "pin-numpy", tn_look_installer(j, "numpy")), j);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    const struct tn_rec_dist *numpy = tn_judge_dist(j, "numpy");
    if (numpy == NULL || !tn_known(numpy->version) || tn_version_dotted_major(numpy->version.v) < 2)
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));) {
        const char *spec;
        struct tn_cite cite;
        if (tn_says(fw->name, "tensorflow") && tn_known(fw->version) &&
            tn_facts_tf_pin(fw->version.v, "numpy", &spec, &cite) == TN_ANSWER_YES)
            report(j, out, numpy, tn_look_package(fw), fw->version.v, TN_REF(framework, row - 1, version));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        const struct tn_rec_dist *d = tn_judge_dist(j, other[i].package);
        if (d == NULL || !tn_known(d->version) ||
            (other[i].imported_by && tn_judge_dist(j, other[i].imported_by) == NULL) ||
            tn_version_dotted_cmp(d->version.v, tn_facts_numpy2_since(other[i].package)->first) >= 0)
            continue;
        report(j, out, numpy, other[i].package, d->version.v, TN_REF(dist, d - j->s->dist.v, version));
        out->v[out->n - 1].severity = other[i].severity;
        out->v[out->n - 1].variant = other[i].variant;
    }
}

TN_CHECK(numpy_abi, "numpy-abi", run, .needs = TN_NEEDS_FRAMEWORK);
