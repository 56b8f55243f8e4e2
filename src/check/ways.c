/* ways.c - see look.h: the remedies that several checks offer, each right for platform, installer and framework.
 *
 * Invariant: at least one of those added has a command, or the table that tells more. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

/* "2.5.1" of "2.5.1+cu124": what an index is asked for. */
static void public_version(const struct tn_rec_framework *f, char *buf, size_t size)
{
    const char *v = tn_look_text(f->version, "");
    snprintf(buf, size, "%.*s", (int)strcspn(v, "+"), v);
}

/* CUDA major of the jax plug-ins: the build's, else the newest that the driver serves. */
static unsigned jax_major(const struct tn_judge *j, const struct tn_rec_framework *f)
{
    const char *cuda = tn_look_cuda(j->s, f);
    if (!*cuda)
        cuda = tn_look_text(TN_THE(j->s, driver)->cuda, "12");
    return tn_version_dotted_major(cuda) >= 13 ? 13 : 12;
}

static void common(const struct tn_judge *j, struct tn_sink *out, struct tn_remedy *r, const struct tn_rec_framework *f)
{
    char version[64];
    public_version(f, version, sizeof version);
    tn_remedy_arg(out, r, "name", "%s", tn_look_text(f->name, ""));
    tn_remedy_arg(out, r, "package", "%s", tn_look_package(f));
    tn_remedy_arg(out, r, "conda_package", "%s", tn_says(f->name, "torch") ? "pytorch" : tn_look_text(f->name, ""));
    tn_remedy_arg(out, r, "version", "%s", version);
    tn_remedy_arg(out, r, "major", "%u", jax_major(j, f));
    tn_look_env_args(out, r, j);
}

static bool is_conda(const struct tn_judge *j, const struct tn_rec_framework *f)
{
    return strcmp(tn_look_installer(j, tn_look_package(f)), "conda") == 0;
}

static const char *name_of(const struct tn_rec_framework *f)
{
    return tn_look_text(f->name, "");
}

void tn_look_remedy_builds(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                           const struct tn_rec_framework *fw)
{
    static const char *const tables[] = {"tensorflow", "torch", "jax", NULL};
    struct tn_remedy *r = tn_find_remedy(out, f, "see-builds", "");
    if (fw && tn_str_in(name_of(fw), tables))
        r->variant = tn_arena_strdup(out->mem, name_of(fw));
    tn_remedy_arg(out, r, "os", "%s", tn_look_platform(j->s) == TN_PLATFORM_WINDOWS ? "windows" : "linux");
}

bool tn_look_remedy_fitting(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                            const struct tn_rec_framework *fw)
{
    struct tn_look_fit fit;
    char version[64];
    struct tn_remedy *r = NULL;
    public_version(fw, version, sizeof version);
    if (is_conda(j, fw))
        return false;
    if (tn_says(fw->name, "torch") && tn_look_fit_torch(j, version, &fit)) {
        r = tn_find_remedy(out, f, "fitting-torch", NULL);
        tn_remedy_arg(out, r, "flavour", "%s", fit.flavour);
    } else if (tn_says(fw->name, "tensorflow") && tn_look_fit_tensorflow(j, version, &fit)) {
        bool extra = tn_look_platform(j->s) == TN_PLATFORM_LINUX && tn_version_dotted_cmp(fit.release, "2.14") >= 0;
        r = tn_find_remedy(out, f, "fitting-tensorflow", extra ? "extra" : "");
    }
    if (r == NULL)
        return false;
    tn_remedy_arg(out, r, "release", "%s", fit.release);
    tn_remedy_arg(out, r, "cuda", "%s", fit.cuda);
    tn_look_env_args(out, r, j);
    return true;
}

/* The framework whose extra brought the plug-in or libraries that lie beside it; "": none, and none is to be lost. */
static const char *extra_of(const struct tn_judge *j, const struct tn_rec_framework *fw)
{
    if (tn_says(fw->name, "jax") && (tn_judge_dist(j, "jax-cuda12-plugin") || tn_judge_dist(j, "jax-cuda13-plugin")))
        return "jax";
    return tn_says(fw->name, "tensorflow") && tn_judge_dist(j, "nvidia-cudnn-cu12") ? "tensorflow" : "";
}

void tn_look_remedy_pip_choice(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                               const struct tn_rec_framework *fw)
{
    common(j, out, tn_find_remedy(out, f, "pip-choice", is_conda(j, fw) ? "conda" : extra_of(j, fw)), fw);
}

void tn_look_remedy_cpu_build(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                              const struct tn_rec_framework *fw)
{
    struct tn_remedy *r = tn_find_remedy(out, f, "use-cpu-build", is_conda(j, fw) ? "conda" : name_of(fw));
    common(j, out, r, fw);
}

/* The package that brings CUDA: "tensorflow" since 2.1 (Windows: and 1.15), before that tensorflow-gpu. */
static const char *gpu_package(const struct tn_judge *j, const char *version)
{
    bool windows = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    bool in_one =
        tn_version_dotted_cmp(version, "2.1") >= 0 || (windows && tn_version_dotted_cmp_parts(version, "1.15", 2) == 0);
    return in_one ? "tensorflow" : "tensorflow-gpu";
}

void tn_look_remedy_gpu_build(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                              const struct tn_rec_framework *fw)
{
    const char *version = tn_look_text(fw->version, "");
    bool windows = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS, tf = tn_says(fw->name, "tensorflow");
    struct tn_look_fit fit;
    struct tn_remedy *r;
    if (is_conda(j, fw)) {
        common(j, out, tn_find_remedy(out, f, "gpu-build-conda", NULL), fw);
    } else if (tf && !windows && tn_version_dotted_cmp(version, "2.14") >= 0) {
        r = tn_find_remedy(out, f, "gpu-build-wheels", NULL);
        common(j, out, r, fw);
        if (tn_look_fit_tensorflow(j, version, &fit) && tn_version_dotted_cmp(fit.release, "2.14") >= 0)
            tn_remedy_arg(out, r, "version", "%s", fit.release);
    } else if (tf || (!windows && tn_says(fw->name, "jax")) || tn_says(fw->name, "onnxruntime")) {
        r = tn_find_remedy(out, f, "gpu-build", name_of(fw));
        common(j, out, r, fw);
        tn_remedy_arg(out, r, "gpu_package", "%s", gpu_package(j, version));
    } else if (!tn_look_remedy_fitting(j, out, f, fw)) {
        tn_look_remedy_builds(j, out, f, fw);
    }
}

static void two_parts(const char *version, char *buf, size_t size)
{
    if (!tn_version_dotted_head(version, 2, buf, size))
        snprintf(buf, size, "%s", version);
}

static struct tn_remedy *env_cuda_of_tensorflow(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                                                const char *version, const char *cuda)
{
    bool windows = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    /* The extra exists from 2.14 on (tensorflow RELEASE.md 2.14). */
    if (!windows && tn_version_dotted_cmp(version, "2.14") >= 0)
        return tn_find_remedy(out, f, "env-cuda-wheels", NULL);
    /* TensorFlow's own Windows command; conda-forge has cudatoolkit up to 11.8. */
    if (j->env && tn_says(j->env->kind, "conda") && *cuda && tn_version_dotted_major(cuda) < 12)
        return tn_find_remedy(out, f, "env-cuda-conda", NULL);
    /* NVIDIA's packages for CUDA 11 hold 11.7 and 11.8, whose names are those of 11.1 on; 8.6 with 11.8 is a pair that
     * TensorFlow tested (2.12). TensorFlow 2.4 asks for libcusolver.so.10. */
    if (!windows && tn_version_dotted_cmp(version, "2.5") >= 0)
        return tn_find_remedy(out, f, "env-cuda11-wheels", NULL);
    struct tn_remedy *r = tn_find_remedy(out, f, "see-builds", "tensorflow-release");
    tn_remedy_arg(out, r, "os", "%s", windows ? "windows" : "linux");
    return r;
}

void tn_look_remedy_env_cuda(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, size_t framework_row)
{
    static const char *const require[] = {"torch", "jax", "onnxruntime", NULL};
    const struct tn_rec_framework *fw = &j->s->framework.v[framework_row];
    char cuda[TN_DOTTED_TEXT], cudnn[TN_DOTTED_TEXT];
    struct tn_remedy *r = NULL;
    two_parts(tn_look_cuda(j->s, fw), cuda, sizeof cuda);
    two_parts(tn_look_cudnn(j->s, fw), cudnn, sizeof cudnn);
    if (strcmp(cudnn, "8.6") == 0) /* conda-forge has none between 8.4 and 8.8 */
        snprintf(cudnn, sizeof cudnn, "8.8");
    if (tn_says(fw->name, "tensorflow"))
        r = env_cuda_of_tensorflow(j, out, f, tn_look_text(fw->version, ""), cuda);
    else if (tn_str_in(name_of(fw), require))
        r = is_conda(j, fw) ? tn_find_remedy(out, f, "gpu-build-conda", NULL)
                            : tn_find_remedy(out, f, "env-cuda-requires", name_of(fw));
    if (r == NULL) {
        tn_look_remedy_builds(j, out, f, fw);
        return;
    }
    common(j, out, r, fw);
    tn_remedy_arg(out, r, "cuda", "%s", cuda);
    tn_remedy_arg(out, r, "cudnn", "%s", cudnn);
}

void tn_look_remedy_container(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    static const char *const starts[] = {"docker", "podman", "apptainer", "enroot", NULL};
    const char *kind = tn_look_text(TN_THE(j->s, container)->kind, "");
    if (tn_str_in(kind, starts))
        tn_find_remedy(out, f, "start-container", kind);
    else
        tn_find_remedy(out, f, strcmp(kind, "kubernetes") == 0 ? "request-pod-gpu" : "hand-in-gpu",
                       strcmp(kind, "lxc") == 0 ? kind : NULL);
}
