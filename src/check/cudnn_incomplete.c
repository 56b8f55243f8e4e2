/* cudnn_incomplete.c - the cuDNN that would be loaded lacks a part of its set, or the zlib that it loads itself.
 *
 * Rules: cuDNN 8 and 9 are a thin main library which opens its parts by name when they are first used (cuDNN API
 * reference, library overview); what belongs to a release is table cudnn_support. From 9 on a set of three is whole
 * too: NVIDIA's GRAPH_JIT_ONLY configuration (cuDNN frontend documentation, "cuDNN Library Configuration"), shipped as
 * cudnn-jit. On Windows 8.3 to 9.1 load zlibwapi.dll at run time (same table). Of a release newer than the table
 * nothing is known. */
#include "base/str.h"
#include "check/look.h"
#include "facts/cudnn.h"
#include "version/dotted.h"

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t lib,
                                 const char *version)
{
    const struct tn_rec_library *l = &j->s->library.v[lib];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, lib, version));
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "file", "%s", tn_look_text(l->soname, "cuDNN"));
    tn_find_arg(out, f, "cudnn", "%s", version);
    tn_find_evidence(f, TN_REF(library, lib, version));
    tn_find_evidence(f, TN_REF_REC(library));
    return f;
}

static bool is_there(const struct tn_judge *j, size_t row, const char *name)
{
    size_t load = tn_look_load(j, &j->s->framework.v[row], name);
    if (load < j->s->load.n) /* the loader's own answer */
        return tn_says(j->s->load.v[load].outcome, "found");
    size_t i = tn_look_library(j, &j->s->framework.v[row], name);
    return i < j->s->library.n && (tn_look_found(j, &j->s->library.v[i]) || tn_known(j->s->library.v[i].env));
}

/* NVIDIA's smaller set: whole without the parts that hold compiled kernels. */
static bool is_jit_set(const struct tn_judge *j)
{
    static const char *const name[] = {"nvidia-cudnn-jit-cu12", "nvidia-cudnn-jit-cu13", "libcudnn-jit"};
    for (size_t i = 0; i < TN_LEN(name); i++)
        if (tn_judge_dist(j, name[i]))
            return true;
    return false;
}

/* The package is there, so pip would find nothing to do: once more, over it. */
static void reinstall(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                      const struct tn_rec_library *l)
{
    static const char *const name[] = {"nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "nvidia-cudnn-cu11"};
    for (size_t i = 0; i < TN_LEN(name); i++) {
        const struct tn_rec_dist *d = tn_judge_dist(j, name[i]);
        if (!d || !tn_known(d->version) || !tn_known(l->env) || !tn_version_dotted_ok(d->version.v) ||
            !tn_known(l->version) || tn_version_dotted_cmp_parts(d->version.v, l->version.v, 2) != 0)
            continue;
        struct tn_remedy *r = tn_find_remedy(out, f, "reinstall-files", "pip");
        tn_remedy_arg(out, r, "package", "%s", name[i]);
        tn_remedy_arg(out, r, "version", "%s", d->version.v);
        tn_look_env_args(out, r, j);
        return;
    }
}

static void judge_parts(const struct tn_judge *j, struct tn_sink *out, size_t row, size_t lib,
                        const struct tn_facts_cudnn *set)
{
    char part[80];
    const char *missing = "";
    const char *rest = set->files;
    while (tn_facts_list_next(&rest, part, sizeof part)) {
        if (!tn_str_ieq(part, j->s->library.v[lib].soname.v) && !is_there(j, row, part))
            missing = tn_arena_printf(out->mem, "%s%s%s", missing, *missing ? ", " : "", part);
    }
    if (!missing[0] || is_jit_set(j))
        return;
    struct tn_finding *f = report(j, out, row, lib, j->s->library.v[lib].version.v);
    tn_find_arg(out, f, "missing", "%s", missing);
    reinstall(j, out, f, &j->s->library.v[lib]);
    tn_look_remedy_env_cuda(j, out, f, row);
}

/* Parts may be of another release than the main library: each asks for itself. */
static void judge_zlib(const struct tn_judge *j, struct tn_sink *out, size_t row, unsigned major)
{
    size_t next = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &next));) {
        struct tn_facts_cudnn set;
        if (!tn_known(l->soname) || !tn_known(l->version) || tn_facts_cudnn_major(l->soname.v) != major ||
            tn_look_library(j, &j->s->framework.v[row], l->soname.v) != next - 1 || !tn_look_found(j, l) ||
            tn_facts_cudnn(l->version.v, TN_PLATFORM_WINDOWS, &set) != TN_ANSWER_YES || !set.needs_zlibwapi)
            continue;
        if (is_there(j, row, "zlibwapi.dll"))
            return;
        struct tn_finding *f = report(j, out, row, next - 1, l->version.v);
        f->variant = "zlib";
        tn_look_remedy_env_cuda(j, out, f, row);
        return;
    }
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    char name[64];
    struct tn_facts_cudnn set;
    enum tn_platform platform = tn_look_platform(j->s);
    tn_look_cudnn_name(j, &j->s->framework.v[row], name, sizeof name);
    size_t lib = name[0] ? tn_look_library(j, &j->s->framework.v[row], name) : j->s->library.n;
    if (lib == j->s->library.n || !tn_look_found(j, &j->s->library.v[lib]))
        return; /* cudnn-missing, cuda-not-on-loader-path */
    if (!tn_known(j->s->library.v[lib].version)) {
        tn_untestable(out, TN_REF(library, lib, version));
        return;
    }
    if (j->s->library.listed != TN_KNOWN) {
        tn_untestable(out, TN_REF_REC(library));
        return;
    }
    if (tn_facts_cudnn(j->s->library.v[lib].version.v, platform, &set) != TN_ANSWER_YES)
        return;
    judge_parts(j, out, row, lib, &set);
    if (platform == TN_PLATFORM_WINDOWS)
        judge_zlib(j, out, row, tn_facts_cudnn_major(name));
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    while (tn_look_gpu_build(j, out, &row))
        judge(j, out, row - 1);
}

TN_CHECK(cudnn_incomplete, "cudnn-incomplete", run, .needs = TN_NEEDS_LIBRARY);
