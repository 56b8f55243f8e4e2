/* judge_versions.c - releases that a text states, against each other and against what the tables say fits.
 *
 * Four rules, each about numbers that no line of the text compares:
 *   an index of PyTorch's that holds nothing, and the CUDA in its address (pytorch_builds);
 *   the two halves of the driver: NVIDIA demands the same version of module and libraries (CUDA error 803);
 *   the driver and the CUDA that a PyTorch build says it was made for (CUDA release notes, tables 2 and 3);
 *   CUDA and cuDNN of the machine and those of a TensorFlow or ONNX Runtime release that found no GPU: their names of
 *   libraries carry the release (facts tables tensorflow_builds, onnxruntime_builds). A release that brings its own
 *   CUDA in wheels needs none of the machine, so nothing is compared where such wheels are stated. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"
#include "facts/cuda.h"
#include "facts/onnxruntime.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

static enum tn_platform platform(const struct tn_weigh *w)
{
    return tn_weigh_os(w, "windows") || tn_weigh_os(w, "wsl2") ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
}

static void halves(const struct tn_weigh *w)
{
    size_t lib = tn_weigh_told(w, "driver.library"), module = tn_weigh_told(w, "driver.module");
    if (lib == SIZE_MAX || module == SIZE_MAX)
        return;
    const char *l = tn_weigh_value(w, lib), *m = tn_weigh_value(w, module);
    if (tn_version_dotted_cmp(l, m) == 0)
        return;
    /* A newer branch beside the module is how a compat package looks: meant so, though it may fail (804). */
    bool compat = tn_weigh_os(w, "docker") && tn_version_dotted_major(l) > tn_version_dotted_major(m);
    tn_weigh_add(w, "driver-library-mismatch", compat ? 55 : 88, module);
    if (compat)
        tn_weigh_add(w, "forward-compat-unsupported", 50, lib);
}

/* The CUDA that a command of the text laid beside PyTorch: conda names it, pip's index by its digits ("cu118"). Less
 * sure than the build's own word: other commands may have followed. */
static const char *cuda_of_command(const struct tn_weigh *w, char *buf, size_t size)
{
    size_t row = tn_weigh_told(w, "install.cuda"), cu = tn_weigh_told(w, "install.cu");
    const char *digits = cu == SIZE_MAX ? "" : tn_weigh_value(w, cu);
    size_t n = strlen(digits);
    if (row != SIZE_MAX)
        return tn_weigh_value(w, row);
    if (n < 2 || n > 3)
        return NULL;
    snprintf(buf, size, "%.*s.%c", (int)n - 1, digits, digits[n - 1]);
    return buf;
}

static void driver(const struct tn_weigh *w)
{
    char buf[16];
    size_t have = tn_weigh_told(w, "driver.version"), built = tn_weigh_told(w, "torch.cuda");
    const char *cuda = built == SIZE_MAX ? NULL : tn_weigh_value(w, built);
    bool runs, none = tn_weigh_told(w, "torch.no_gpu") != SIZE_MAX, guessed = !cuda && none;
    if (guessed)
        cuda = cuda_of_command(w, buf, sizeof buf);
    if (have == SIZE_MAX || !cuda)
        return;
    enum tn_found found = tn_facts_driver_runs(tn_weigh_value(w, have), cuda, platform(w), &runs);
    if ((found == TN_ANSWER_YES || found == TN_ANSWER_NEWER) && !runs)
        tn_weigh_add(w, "driver-too-old", guessed ? 70 : 84, have);
}

/* Does a runtime of this release have the file names of the one asked for? Below 11 the minor is part of them. */
static bool same_line(const char *have, const char *need)
{
    unsigned parts = tn_version_dotted_major(need) < 11 && tn_version_dotted_count(need) > 1 ? 2 : 1;
    return tn_version_dotted_count(have) < parts || tn_version_dotted_cmp_parts(have, need, parts) == 0;
}

static size_t first_told(const struct tn_weigh *w, const char *const *fact)
{
    size_t row = SIZE_MAX;
    for (; row == SIZE_MAX && *fact; fact++)
        row = tn_weigh_told(w, *fact);
    return row;
}

static bool has_wheels(const struct tn_weigh *w)
{
    static const char *const wheels[] = {"package.nvidia-cuda-runtime-cu11", "package.nvidia-cuda-runtime-cu12",
                                         "package.nvidia-cuda-runtime", NULL};
    return first_told(w, wheels) != SIZE_MAX;
}

/* What a release that found no GPU was built for, against what the text says is there. told: only a sentence says that
 * it found none, and then what fits accuses nothing. */
static void installed(const struct tn_weigh *w, const char *cuda, const char *cudnn, size_t release, bool told)
{
    static const char *const toolkits[] = {"toolkit.nvcc", "toolkit.version", "path.cuda", NULL};
    size_t toolkit = first_told(w, toolkits), dnn = tn_weigh_told(w, "cudnn.version");
    bool windows = tn_weigh_os(w, "windows");
    if (*cuda && toolkit != SIZE_MAX && !same_line(tn_weigh_value(w, toolkit), cuda)) {
        tn_weigh_add(w, "cuda-version-mismatch", 82, toolkit);
        tn_weigh_add(w, "cuda-runtime-missing", 35, release);
    } else if (*cudnn && dnn != SIZE_MAX &&
               tn_version_dotted_major(tn_weigh_value(w, dnn)) != tn_version_dotted_major(cudnn)) {
        tn_weigh_add(w, "cudnn-version-mismatch", 80, dnn);
        tn_weigh_add(w, "cudnn-missing", 35, release);
    } else if (!told && *cuda && toolkit != SIZE_MAX) {
        tn_weigh_add(w, windows ? "dll-search-path" : "cuda-not-on-loader-path", 46, toolkit);
        if (dnn == SIZE_MAX)
            tn_weigh_add(w, "cudnn-missing", 42, release);
    }
}

/* Is a file named that was not found? "The GPU is not found" reads like one by the form, and is none. */
static bool asks_for_file(const struct tn_weigh *w)
{
    for (size_t i = 0; i < w->s->observation.n; i++) {
        const struct tn_rec_observation *o = &w->s->observation.v[i];
        if (tn_says(o->fact, "asked.library") && tn_known(o->value) &&
            (strstr(o->value.v, ".so") || strstr(o->value.v, ".dll")))
            return true;
    }
    return false;
}

static void tensorflow(const struct tn_weigh *w)
{
    static const char *const names[] = {"package.tensorflow-gpu", "package.tensorflow", NULL};
    struct tn_facts_tf f;
    size_t row = first_told(w, names), driver = tn_weigh_told(w, "driver.version");
    enum tn_platform p = tn_weigh_os(w, "windows") ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
    bool runs, asks = tn_weigh_told(w, "tf.cuda_build") != SIZE_MAX;
    if (row == SIZE_MAX || tn_facts_tf_build(tn_weigh_value(w, row), p, true, &f) != TN_ANSWER_YES || !*f.cuda)
        return;
    if (asks && driver != SIZE_MAX &&
        tn_facts_driver_runs(tn_weigh_value(w, driver), f.cuda, platform(w), &runs) == TN_ANSWER_YES && !runs)
        tn_weigh_add(w, "driver-too-old", 84, driver);
    static const char *const none[] = {"tf.no_gpu", "complaint.unseen", "complaint.cpu", NULL};
    if (first_told(w, none) == SIZE_MAX || has_wheels(w))
        return;
    installed(w, f.cuda, f.cudnn, row, tn_weigh_told(w, "tf.no_gpu") == SIZE_MAX);
    /* From 2.14 on pip brings CUDA in wheels where it is asked to (extra and-cuda); where none is named in the text,
     * the plain package was installed, or (2.16) its wheels are not found. */
    if (p == TN_PLATFORM_LINUX && tn_version_dotted_cmp_parts(tn_weigh_value(w, row), "2.14", 2) >= 0 &&
        !asks_for_file(w))
        tn_weigh_add(w, "nvidia-wheels-missing", 62, row);
}

/* No CUDA, no cuDNN and no library is named: any of them may be what is not found, cuDNN most often, which no
 * installer of CUDA brings. */
static void nothing_stated(const struct tn_weigh *w, size_t failed)
{
    static const char *const fact[] = {"toolkit.nvcc", "toolkit.version", "path.cuda", "cudnn.version", NULL};
    if (first_told(w, fact) != SIZE_MAX)
        return;
    for (size_t i = 0; i < w->s->observation.n; i++) { /* a library is named, and it is not the provider itself */
        const struct tn_rec_observation *o = &w->s->observation.v[i];
        if (tn_says(o->fact, "asked.library") && tn_known(o->value) && !strstr(o->value.v, "onnxruntime_providers"))
            return;
    }
    tn_weigh_add(w, "cudnn-missing", 54, failed);
    tn_weigh_add(w, "cuda-runtime-missing", 52, failed);
    tn_weigh_add(w, tn_weigh_os(w, "windows") ? "dll-search-path" : "cuda-not-on-loader-path", 44, failed);
}

/* The provider could not be loaded, and no library is named. */
static void onnxruntime(const struct tn_weigh *w)
{
    static const char *const names[] = {"package.onnxruntime-gpu", "package.onnxruntime", NULL};
    struct tn_facts_ort f;
    size_t row = first_told(w, names), failed = tn_weigh_told(w, "ort.no_provider");
    size_t cuda = tn_weigh_told(w, "ort.cuda"), cudnn = tn_weigh_told(w, "ort.cudnn");
    if (failed == SIZE_MAX)
        return;
    if (cuda != SIZE_MAX || cudnn != SIZE_MAX) { /* it says itself what it needs */
        nothing_stated(w, failed);
        installed(w, cuda == SIZE_MAX ? "" : tn_weigh_value(w, cuda), cudnn == SIZE_MAX ? "" : tn_weigh_value(w, cudnn),
                  failed, false);
    } else if (row != SIZE_MAX && tn_facts_ort_build(tn_weigh_value(w, row), &f) == TN_ANSWER_YES) {
        installed(w, f.cuda, f.cudnn, row, false);
    } else {
        size_t toolkit = tn_weigh_told(w, "toolkit.version"), dnn = tn_weigh_told(w, "cudnn.version");
        if (toolkit != SIZE_MAX) /* CUDA is there, and not the one that this unknown release wants */
            tn_weigh_add(w, "cuda-version-mismatch", 54, toolkit);
        tn_weigh_add(w, "cudnn-missing", row != SIZE_MAX && dnn == SIZE_MAX ? 55 : 45, failed);
        tn_weigh_add(w, "cuda-runtime-missing", 43, failed);
        if (tn_weigh_os(w, "windows"))
            tn_weigh_add(w, "dll-search-path", 40, failed);
    }
}

/* The cuDNN that a program says it loaded, against the one that it says it was built with (both as Paddle tells). */
static void loaded_cudnn(const struct tn_weigh *w)
{
    size_t loaded = tn_weigh_told(w, "cudnn.loaded"), built = tn_weigh_told(w, "cudnn.built");
    if (loaded == SIZE_MAX || built == SIZE_MAX ||
        tn_version_dotted_major(tn_weigh_value(w, loaded)) == tn_version_dotted_major(tn_weigh_value(w, built)))
        return;
    tn_weigh_add(w, "cudnn-version-mismatch", 78, loaded);
    tn_weigh_add(w, "library-shadowed", 50, loaded);
}

/* Nothing at all on PyTorch's index for a CUDA of which no build is known: the index is the wrong one, not Python. */
static void torch_index(const struct tn_weigh *w)
{
    char variant[24];
    size_t row = tn_weigh_told(w, "install.cu");
    if (row == SIZE_MAX || !tn_signs_find(w->signs, "pip-versions-none"))
        return;
    snprintf(variant, sizeof variant, "cu%.16s", tn_weigh_value(w, row));
    if (!tn_facts_torch_has_variant(variant))
        tn_weigh_add(w, "wrong-package-index", 120, row);
}

void tn_judge_versions(const struct tn_weigh *w)
{
    torch_index(w);
    halves(w);
    driver(w);
    tensorflow(w);
    onnxruntime(w);
    loaded_cudnn(w);
}
