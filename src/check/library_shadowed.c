/* library_shadowed.c - a framework gets another file than the one that its environment holds for it, and it matters.
 *
 * The loader's answer is a fact (record load); what makes it a fault:
 * - the file belongs to a toolkit of another CUDA major than the build. libcudnn.so.9, libnccl.so.2, libcurand.so.10
 *   and libcusparse.so.12 have one name in CUDA 12 and 13 (read in the wheels); cuDNN is made for one CUDA major
 *   (NVIDIA, cuDNN support matrix), and libcusparse.so.12 of 13 needs libnvJitLink.so.13
 * - nvJitLink is older than the copy that the environment holds: cuSPARSE of 12.x requires the nvJitLink of its own
 *   release or a newer one (nvJitLink documentation, "Compatibility"; symbol __nvJitLinkComplete_12_4)
 * - a symbol version that an object requires is not in the file (GLIBCXX_3.4.30 in an older libstdc++.so.6); of
 *   glibc's own versions glibc-too-old speaks
 * - any other library of a lower release than the environment's, also of two copies inside of it: a warning; a newer
 *   one of the same major serves (CUDA: minor version compatibility) */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, size_t framework, size_t load,
                                 enum tn_status status, const char *variant)
{
    const struct tn_rec_load *r = &j->s->load.v[load];
    bool symbol = tn_str_eq(variant, "symbol"); /* another file than the one that is opened may lack it */
    const char *path = tn_look_text(symbol && tn_known(r->culprit_path) ? r->culprit_path : r->path, "?");
    struct tn_finding *f = tn_find(out, status, TN_REF(load, load, path));
    f->variant = variant;
    tn_look_name(out, f, j, framework);
    tn_find_arg(out, f, "file", "%s", tn_look_text(r->name, "?"));
    tn_find_arg(out, f, "path", "%s", path);
    tn_find_arg(out, f, "by", "%s", tn_look_text(r->by, "?"));
    tn_find_evidence(f, TN_REF(load, load, path));
    tn_find_evidence(f, TN_REF(load, load, by));
    const char *rest = tn_says(r->by, "LD_LIBRARY_PATH") ? tn_look_search_without(j, out->mem, path) : NULL;
    if (rest) {
        struct tn_remedy *way = tn_find_remedy(out, f, "drop-search-folder", *rest ? "value" : "unset");
        tn_remedy_arg(out, way, "value", "%s", rest);
        tn_find_evidence(f, TN_REF(variable, tn_look_variable(j->s, "LD_LIBRARY_PATH"), value));
    } else {
        tn_find_remedy(out, f, "ask-why", NULL);
        tn_remedy_arg(out, &f->remedy[f->n_remedy - 1], "file", "%s", tn_look_text(r->name, "?"));
    }
    return f;
}

/* Another CUDA major than the build's. */
static bool other_major(const struct tn_judge *j, const struct tn_rec_framework *fw, const struct tn_rec_load *r)
{
    const char *built = tn_look_cuda(j->s, fw);
    return *built && tn_known(r->toolkit) && tn_version_dotted_major(built) != tn_version_dotted_major(r->toolkit.v);
}

static bool is_older(const struct tn_rec_load *r)
{
    return tn_known(r->version) && tn_known(r->own_version) &&
           tn_version_dotted_cmp_parts(r->version.v, r->own_version.v, 2) < 0;
}

static bool judge(const struct tn_judge *j, struct tn_sink *out, size_t framework, size_t load)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[framework];
    const struct tn_rec_load *r = &j->s->load.v[load];
    struct tn_finding *f;
    if (tn_says(r->fault, "version") && tn_known(r->lacks) && !tn_says(r->class, "harmless") &&
        !tn_str_starts(r->lacks.v, "GLIBC_")) {
        f = report(j, out, framework, load, TN_CONFIRMED, "symbol");
        tn_find_arg(out, f, "lacks", "%s", r->lacks.v);
        tn_find_evidence(f, TN_REF(load, load, lacks));
        return true;
    }
    if (!tn_is(r->own, 1) || !tn_says(r->outcome, "found") || tn_says(r->how, "preload"))
        return false;
    bool other = other_major(j, fw, r), jit = tn_known(r->name) && tn_str_starts(r->name.v, "libnvJitLink.so");
    if (!other && !is_older(r))
        return false;
    const char *plain = tn_says(r->place, "env") ? "two" : "older";
    f = report(j, out, framework, load, TN_LIKELY, other ? "other-cuda" : jit ? "older-jit" : plain);
    tn_find_arg(out, f, "own", "%s", tn_look_text(r->own_path, "?"));
    tn_find_arg(out, f, "own_version", "%s", tn_look_text(r->own_version, "?"));
    tn_find_arg(out, f, "found", "%s", tn_look_text(r->version, "?"));
    tn_find_arg(out, f, "built", "%s", tn_look_cuda(j->s, fw));
    tn_find_arg(out, f, "toolkit", "%s", tn_look_text(r->toolkit, "?"));
    tn_find_evidence(f, TN_REF(load, load, own_path));
    if (!other && !jit)
        f->severity = TN_WARNING;
    return true;
}

/* One lie of the search explains the others; cuDNN's is the one that people know by name. */
static bool judge_framework(const struct tn_judge *j, struct tn_sink *out, size_t framework, bool cudnn)
{
    size_t load = 0;
    for (const struct tn_rec_load *r; (r = tn_look_load_next(j, &j->s->framework.v[framework], &load));)
        if (!tn_known(r->after) && tn_known(r->name) && tn_str_starts(r->name.v, "libcudnn.so") == cudnn &&
            judge(j, out, framework, load - 1))
            return true;
    return false;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    while (tn_look_gpu_build(j, out, &row))
        if (!judge_framework(j, out, row - 1, true))
            judge_framework(j, out, row - 1, false);
}

TN_CHECK(library_shadowed, "library-shadowed", run, .needs = TN_NEEDS_LIBRARY);
