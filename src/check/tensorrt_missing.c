/* tensorrt_missing.c - TensorRT is there in part or in another release than TensorFlow asks for: harmless.
 *
 * Rules: Linux' GPU builds from 2.5 to 2.17 try to open libnvinfer and go on without it ("TF-TRT Warning: Could not
 * find TensorRT"); TF-TRT is gone from 2.18 on (RELEASE.md 2.18). Which one: the extra and-cuda of 2.14 asks for
 * tensorrt 8.5.3.1, that of 2.15.0 for 8.6.1 (METADATA of the wheels). Of the others the number is not established.
 * Where nothing of TensorRT is installed, nobody waits for it: silence. Never more than a note. */
#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

static size_t find_nvinfer(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));)
        if (tn_says(l->stem, "libnvinfer") && tn_look_usable(j, l))
            return row - 1;
    return j->s->library.n;
}

/* A package of TensorRT in the environment; NULL if there is none. */
static const struct tn_rec_dist *package(const struct tn_judge *j)
{
    static const char *const name[] = {"tensorrt", "tensorrt-libs", "nvidia-tensorrt", "tensorrt-cu12",
                                       "tensorrt-cu13"};
    const struct tn_rec_dist *d = NULL;
    for (size_t i = 0; i < TN_LEN(name) && !d; i++)
        d = tn_judge_dist(j, name[i]);
    return d;
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    const char *version = tn_look_text(fw->version, "");
    bool is14 = tn_version_dotted_cmp_parts(version, "2.14", 2) == 0;
    bool is15 = tn_version_dotted_cmp_parts(version, "2.15", 2) == 0;
    if (!tn_says(fw->name, "tensorflow") || tn_version_dotted_cmp(version, "2.5") < 0 ||
        tn_version_dotted_cmp(version, "2.18") >= 0 || j->s->library.listed != TN_KNOWN)
        return;
    size_t lib = find_nvinfer(j);
    const struct tn_rec_dist *d = package(j);
    const char *have = lib < j->s->library.n ? tn_look_text(j->s->library.v[lib].version, "")
                       : d                   ? tn_look_text(d->version, "")
                                             : "";
    bool fits = lib < j->s->library.n && (!(is14 || is15) || tn_version_dotted_major(have) == 8);
    if (!*have || fits)
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row, version));
    f->severity = TN_NOTE;
    f->variant = is14 || is15 ? "other" : NULL;
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "have", "%s", have);
    if (is14 || is15)
        tn_find_arg(out, f, "built", "%s", is14 ? "8.5.3" : "8.6.1");
    if (lib < j->s->library.n)
        tn_find_evidence(f, TN_REF(library, lib, version));
    else
        tn_find_evidence(f, TN_REF(dist, d - j->s->dist.v, version));
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    if (tn_look_platform(j->s) != TN_PLATFORM_LINUX)
        return;
    while (tn_look_gpu_build(j, out, &row))
        judge(j, out, row - 1);
}

TN_CHECK(tensorrt_missing, "tensorrt-missing", run, .needs = TN_NEEDS_LIBRARY);
