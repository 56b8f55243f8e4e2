/* wrong_package_index.c - why a CPU build was installed where a GPU is wanted: the index or channel gave it.
 *
 * cpu-only-build says what is wrong, and with which command the right build comes. This is the root only where that
 * command would not do: a setting of pip or uv names PyTorch's CPU index. It wins even beside the default index, since
 * 2.9.1+cpu is newer than 2.9.1 (PEP 440, local versions), and stays for the next installation. Elsewhere it is a note
 * beside cpu-only-build that says how the build came:
 *  - the default index has CPU builds of torch alone for Windows (table pytorch_builds; pytorch.org, "Get Started");
 *  - a channel of conda gave a build that names itself cpu, mkl or eigen;
 *  - NVIDIA's packages of a former GPU build still lie beside a torch without CUDA: a later installation replaced it.
 */
#include <string.h>

#include "base/str.h"
#include "check/needs.h"

/* Is the setting one that a later row of the same installer overrides? Lists add up. */
static bool overridden(const struct tn_snap *s, size_t row)
{
    const struct tn_rec_config *c = &s->config.v[row];
    if (!tn_says(c->key, "index-url"))
        return false;
    for (size_t i = row + 1; i < s->config.n; i++)
        if (tn_says(s->config.v[i].by, c->by.v) && tn_says(s->config.v[i].key, "index-url"))
            return true;
    return false;
}

static bool names_cpu(const struct tn_rec_config *c)
{
    static const char *const keys[] = {"index-url", "extra-index-url", "find-links", "url",
                                       "index.url", "default-index",   "index",      NULL};
    if (!tn_known(c->by) || !tn_known(c->key) || !tn_known(c->value))
        return false;
    if (!tn_says(c->by, "pip") && !tn_says(c->by, "uv"))
        return false;
    if (strcmp(c->key.v, "torch-backend") == 0)
        return strcmp(c->value.v, "cpu") == 0;
    const char *at = strstr(c->value.v, "/whl/cpu");
    return tn_str_in(c->key.v, keys) && at != NULL && (at[8] == '\0' || at[8] == '/');
}

/* The setting that hands out CPU builds; config.n if there is none. */
static size_t cpu_setting(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->config.n; i++)
        if (names_cpu(&s->config.v[i]) && !overridden(s, i))
            return i;
    return s->config.n;
}

static void report_setting(const struct tn_judge *j, struct tn_sink *out, size_t fw, size_t row)
{
    const struct tn_rec_config *c = &j->s->config.v[row];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(config, row, value));
    f->variant = "setting";
    if (tn_look_has_gpu_build(j))
        f->severity = TN_WARNING;
    tn_look_name(out, f, j, fw);
    tn_find_arg(out, f, "key", "%s", c->key.v);
    tn_find_arg(out, f, "value", "%s", c->value.v);
    tn_find_arg(out, f, "by", "%s", c->by.v);
    tn_find_evidence(f, TN_REF(config, row, value));
    tn_find_evidence(f, TN_REF(framework, fw, gpu_build));
    bool section = tn_known(c->section) && *c->section.v && tn_says(c->by, "pip") && tn_known(c->path);
    if (section) {
        struct tn_remedy *r = tn_find_remedy(out, f, "unset-index", NULL);
        tn_remedy_arg(out, r, "name", "%s.%s", c->section.v, c->key.v);
        tn_remedy_arg(out, r, "file", "%s", c->path.v);
        tn_look_env_args(out, r, j);
    }
    tn_look_remedy_gpu_build(j, out, f, &j->s->framework.v[fw]);
}

static struct tn_finding *note(const struct tn_judge *j, struct tn_sink *out, size_t fw, const char *variant,
                               struct tn_ref evidence)
{
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(framework, fw, gpu_build));
    f->variant = variant;
    f->severity = TN_NOTE;
    tn_look_name(out, f, j, fw);
    tn_find_evidence(f, evidence);
    tn_look_remedy_gpu_build(j, out, f, &j->s->framework.v[fw]);
    return f;
}

/* conda's record of the framework: pytorch for torch. */
static size_t conda_record(const struct tn_judge *j, const struct tn_rec_framework *fw)
{
    static const char *const torch[] = {"pytorch", "pytorch-cpu", NULL}, *const tf[] = {"tensorflow-base", "tensorflow",
                                                                                        "tensorflow-mkl", NULL};
    const char *const *names = tn_says(fw->name, "torch") ? torch : tf;
    for (size_t i = 0; i < j->s->dist.n; i++) {
        const struct tn_rec_dist *d = &j->s->dist.v[i];
        if (tn_judge_sees(j, d->env) && tn_needs_is_conda_record(d) && tn_known(d->name) && tn_str_in(d->name.v, names))
            return i;
    }
    return j->s->dist.n;
}

static bool names_cpu_build(const char *build)
{
    return strstr(build, "cpu") || strstr(build, "mkl") || strstr(build, "eigen");
}

static size_t nvidia_package(const struct tn_judge *j)
{
    size_t row = tn_needs_have(j, "nvidia-cudnn-cu12");
    if (row == j->s->dist.n)
        row = tn_needs_have(j, "nvidia-cudnn-cu13");
    return row;
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t fw)
{
    const struct tn_rec_framework *f = &j->s->framework.v[fw];
    size_t none = j->s->dist.n, conda = conda_record(j, f), nvidia = nvidia_package(j),
           torch = tn_needs_have(j, "torch");
    bool is_torch = tn_says(f->name, "torch");
    if (conda < none) {
        const struct tn_rec_dist *d = &j->s->dist.v[conda];
        if (!tn_known(d->build) || !names_cpu_build(d->build.v))
            return;
        struct tn_finding *n = note(j, out, fw, "conda", TN_REF(dist, conda, build));
        tn_find_arg(out, n, "build", "%s", d->build.v);
        tn_find_arg(out, n, "channel", "%s", tn_look_text(d->origin, "conda"));
        return;
    }
    size_t setting = is_torch ? cpu_setting(j->s) : j->s->config.n;
    if (setting < j->s->config.n)
        report_setting(j, out, fw, setting);
    else if (is_torch && nvidia < none && !tn_look_has_gpu_build(j))
        note(j, out, fw, "replaced", TN_REF(dist, nvidia, version));
    else if (is_torch && torch < none && tn_look_platform(j->s) == TN_PLATFORM_WINDOWS &&
             j->s->dist.v[torch].build.k == TN_ABSENT)
        note(j, out, fw, "windows", TN_REF(dist, torch, build));
}

/* Built for GPUs of another maker: 2.9.0+rocm6.4, +xpu. */
static bool is_other(const struct tn_rec_framework *fw)
{
    const char *plus = strchr(tn_look_text(fw->version, ""), '+');
    return plus && strcmp(plus, "+cpu") != 0;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    if (j->expect == TN_EXPECT_CPU)
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));)
        if (tn_is(fw->gpu_build, 0) && !is_other(fw) && (tn_says(fw->name, "torch") || tn_says(fw->name, "tensorflow")))
            judge(j, out, row - 1);
}

TN_CHECK(wrong_package_index, "wrong-package-index", run, .needs = TN_NEEDS_EXPECT | TN_NEEDS_FIT | TN_HAS(config));
