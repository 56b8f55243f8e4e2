/* builds_tensorflow.c - TensorFlow's releases.
 *
 * Which name holds what: up to 2.0 the GPU build is tensorflow-gpu, from 2.1 on tensorflow holds both and
 * tensorflow-cpu the CPU alone (RELEASE.md 2.1.0; of 1.15 the wheel "tensorflow" is a GPU build in 1.15.0 alone: table
 * wheels, sizes). Native Windows ended with 2.10, aarch64 wheels have no CUDA (tested-build tables).
 *
 * Run time: from 2.14 on the extra and-cuda names NVIDIA's wheels (table tensorflow_pins); 2.5 to 2.13 open the names
 * of CUDA 11.2 to 11.8, which the wheels for CUDA 11.8 bring ("minor version compatibility", CUDA Compatibility guide);
 * older ones need a CUDA that is not on the package index. */
#include <string.h>

#include "base/str.h"
#include "facts/tensorflow.h"
#include "plan/inner.h"
#include "version/dotted.h"

static bool before(const char *version, const char *limit)
{
    return tn_version_dotted_cmp_parts(version, limit, 2) < 0;
}

/* Before 2.14 there was no extra: the pins of the last release whose extra was for CUDA 11. */
const char *tn_plan_pins_release(const char *version)
{
    const struct tn_table *t = tn_facts_find("tensorflow_pins");
    const char *asked = before(version, "2.14") ? "2.14.1" : version, *best = "";
    char minor[TN_DOTTED_TEXT];
    if (!t || !tn_version_dotted_head(asked, 2, minor, sizeof minor))
        return "";
    const struct tn_filter f[] = {{"tf_version", TN_FILTER_VERSION, minor}};
    for (uint32_t r = 0; (r = tn_facts_next(t, r, f, TN_LEN(f))) < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "tf_version");
        if (strstr(v, "dev") || tn_facts_rank(t, r) != 1)
            continue;
        if (tn_str_eq(v, asked))
            return v;
        if (tn_version_dotted_cmp(v, best) > 0)
            best = v;
    }
    return best;
}

static const char *constraint(const char *release, const char *package)
{
    const struct tn_table *t = tn_facts_find("tensorflow_pins");
    const struct tn_filter f[] = {
        {"tf_version", TN_FILTER_EQ, release}, {"package", TN_FILTER_EQ, package}, {"rank", TN_FILTER_EQ, "1"}};
    uint32_t r = t ? tn_facts_next(t, 0, f, TN_LEN(f)) : 0;
    return t && r < t->nrows ? tn_facts_get(t, r, "constraint") : "";
}

/* "12.5.82" -> "==12.5.*", ">=12.5.82,<13.0" -> ">=12.5,<13.0": what CUDA release a package of it belongs to. */
static const char *line_of(struct tn_arena *mem, const char *c)
{
    char minor[TN_DOTTED_TEXT];
    const char *number = c + strcspn(c, "0123456789");
    if (!*c || !tn_version_dotted_head(number, 2, minor, sizeof minor))
        return "";
    if (number == c)
        return tn_arena_printf(mem, "==%s.*", minor);
    const char *rest = strchr(number, ',');
    return tn_arena_printf(mem, ">=%s%s", minor, rest ? rest : "");
}

static void extra_runtime(struct tn_arena *mem, struct tn_plan_build *b)
{
    const char *cu = tn_version_dotted_major(b->cuda) >= 12 ? "cu12" : "cu11",
               *release = tn_plan_pins_release(b->version);
    const char *runtime = constraint(release, tn_arena_printf(mem, "nvidia-cuda-runtime-%s", cu));
    const char *cudnn = constraint(release, tn_arena_printf(mem, "nvidia-cudnn-%s", cu));
    b->cuda_spec = line_of(mem, runtime);
    b->cudnn_spec = tn_is_digit(*cudnn) ? tn_arena_printf(mem, "==%s", cudnn) : cudnn;
}

static void own_pair(struct tn_arena *mem, struct tn_plan_build *b)
{
    b->cuda_spec = tn_arena_printf(mem, "==%s.*", b->cuda);
    b->cudnn_spec = *b->cudnn ? tn_arena_printf(mem, "==%s.*", b->cudnn) : "";
}

/* Does the release find NVIDIA's wheels beside it? Table tf_run_path; what nobody read is taken to. */
static bool finds_wheels(const char *version)
{
    static const char *const needed[] = {"cublas", "cuda_runtime", "cudnn", "cufft", "cusolver", "cusparse"};
    const struct tn_table *t = tn_facts_find("tf_run_path");
    const struct tn_filter f[] = {{"version", TN_FILTER_EQ, version}, {"rank", TN_FILTER_EQ, "1"}};
    uint32_t r = t ? tn_facts_next(t, 0, f, TN_LEN(f)) : 0;
    if (!t || r >= t->nrows)
        return true;
    for (unsigned i = 0; i < TN_LEN(needed); i++)
        if (!tn_facts_list_has(tn_facts_get(t, r, "folders"), needed[i]))
            return false;
    return true;
}

static void runtime(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                    struct tn_plan_build *b)
{
    bool wheels = tn_plan_method_is_wheels(method);
    if (!wheels) {
        own_pair(mem, b);
        if (method == TN_METHOD_MIXED)
            tn_plan_conda_runtime(mem, m, b);
    } else if (m->windows || before(b->version, "2.5")) {
        own_pair(mem, b);
        tn_plan_exclude(b, TN_ASPECT_RUNTIME);
    } else {
        extra_runtime(mem, b);
        if (before(b->version, "2.14"))
            b->quality = TN_PLAN_DOCUMENTED;
        else if (!finds_wheels(b->version))
            b->mark |= TN_PLAN_OWN_WHEELS;
    }
}

static void add_gpu(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                    const struct tn_plan_wheel *w, const char *package, struct tn_plan_builds *ret)
{
    struct tn_facts_tf t = {0};
    struct tn_facts_tf_code code;
    bool aarch64 = !tn_str_eq(m->arch, "x86_64"), ended = m->windows && before("2.10", w->version);
    enum tn_found found = tn_facts_tf_build(w->version, ended ? TN_PLATFORM_LINUX : m->platform, true, &t);
    if (found != TN_ANSWER_YES && found != TN_ANSWER_NEWER)
        return;
    struct tn_plan_build *b = tn_plan_build_add(mem, ret);
    b->kind = TN_PLAN_TENSORFLOW;
    b->gpu = true;
    b->package = package;
    b->version = w->version;
    tn_plan_take_wheel(b, w);
    if (found == TN_ANSWER_NEWER) {
        b->mark |= TN_PLAN_NEWER;
    } else {
        b->cuda = t.cuda;
        b->cudnn = t.cudnn;
        b->cite = t.cite;
        runtime(mem, m, method, b);
    }
    if (tn_facts_tf_code(w->version, TN_PLATFORM_LINUX, &code) == TN_ANSWER_YES) {
        b->sass = code.sass;
        b->ptx = code.ptx;
    }
    if (ended)
        tn_plan_exclude(b, TN_ASPECT_SYSTEM);
    if (aarch64)
        tn_plan_exclude(b, TN_ASPECT_ARCH);
    tn_plan_judge(b, m);
}

static void add_cpu(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_wheel *w,
                    const char *package, struct tn_plan_builds *ret)
{
    struct tn_plan_build *b = tn_plan_build_add(mem, ret);
    b->kind = TN_PLAN_TENSORFLOW;
    b->package = package;
    b->version = w->version;
    tn_plan_take_wheel(b, w);
    b->cite = w->cite;
    tn_plan_judge(b, m);
}

void tn_plan_list_tensorflow(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                             struct tn_plan_builds *ret)
{
    struct tn_plan_wheels it;
    struct tn_plan_wheel w;
    const char *platform = tn_plan_wheel_platform(m);
    bool known_arch = tn_str_eq(m->arch, "x86_64") || tn_str_eq(m->arch, "aarch64");
    const char *arch = known_arch ? m->arch : "x86_64";
    bool cpu_name = tn_str_eq(arch, "x86_64") && !m->macos;
    tn_plan_wheels_of(&it, "tensorflow", platform, arch);
    while (tn_plan_wheels_next(&it, &w)) {
        if (!before(w.version, "2.1"))
            add_gpu(mem, m, method, &w, "tensorflow", ret);
        if (!cpu_name || before(w.version, "2.1"))
            add_cpu(mem, m, &w, "tensorflow", ret);
    }
    tn_plan_wheels_of(&it, "tensorflow-gpu", platform, arch);
    while (tn_plan_wheels_next(&it, &w))
        if (before(w.version, "2.1"))
            add_gpu(mem, m, method, &w, "tensorflow-gpu", ret);
    tn_plan_wheels_of(&it, "tensorflow-cpu", platform, arch);
    while (cpu_name && tn_plan_wheels_next(&it, &w))
        if (!before(w.version, "2.1"))
            add_cpu(mem, m, &w, "tensorflow-cpu", ret);
    for (size_t i = 0; !known_arch && i < ret->n; i++)
        tn_plan_exclude(&ret->v[i], TN_ASPECT_ARCH);
}
