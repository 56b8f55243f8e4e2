/* judge_told.c - what a complaint may come from (text_complaint.c), by what else the text states.
 *
 * Below 50 ("possible") where only the complaint speaks: whoever sees the CPU at work has, in most reports, a build
 * without CUDA; in a container, one that was not given the card. What the system, the release or a message decides
 * weighs more, and anything that a program printed comes first. Sources of what has no build: TensorFlow install guide
 * (no GPU on native Windows after 2.10), JAX installation guide (no CUDA on Windows), PyTorch's wheels for aarch64; of
 * memory lost in sleep: NVIDIA driver README, Configuring Power Management Support. */
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

#define POSSIBLE 47
#define NEWEST 49 /* before a build without CUDA: what is new fails for its age more often */
#define NAMED 48  /* by the text itself */
#define SPEAKS 35 /* a message that suggests a cause says more than a complaint */

static bool told(const struct tn_weigh *w, const char *fact)
{
    return tn_weigh_told(w, fact) != SIZE_MAX;
}

static size_t first(const struct tn_weigh *w, const char *a, const char *b)
{
    size_t row = tn_weigh_told(w, a);
    return row != SIZE_MAX ? row : tn_weigh_told(w, b);
}

/* A build that says itself that it is one of CUDA, or a text that shows the card at work. */
static bool has_cuda_build(const struct tn_weigh *w)
{
    size_t row = tn_weigh_told(w, "package.torch");
    return told(w, "torch.cuda") || told(w, "tf.cuda_build") || told(w, "install.cu") ||
           tn_signs_find(w->signs, "gpu-is-seen") || (row != SIZE_MAX && strstr(tn_weigh_value(w, row), "+cu"));
}

static bool needs_newer_windows(const struct tn_weigh *w)
{
    static const char name[][24] = {"package.tensorflow", "package.tensorflow-gpu"};
    char last[TN_DOTTED_TEXT];
    tn_facts_tf_last_windows_gpu(last, sizeof last);
    for (unsigned i = 0; i < TN_LEN(name); i++) {
        size_t row = tn_weigh_told(w, name[i]);
        if (row != SIZE_MAX && *last && tn_version_dotted_cmp_parts(tn_weigh_value(w, row), last, 2) > 0)
            return true;
    }
    return false;
}

/* A release of TensorFlow whose one package for Linux is the one for the GPU (2.1 to today): what it misses are the
 * libraries. Source: TensorFlow install guide, "tensorflow" for CPU and GPU from 2.1 on. */
static bool tf_wants_libraries(const struct tn_weigh *w)
{
    size_t row = tn_weigh_told(w, "package.tensorflow");
    if (tn_weigh_os(w, "windows") || told(w, "names.windows") || told(w, "package.tensorflow-cpu"))
        return false;
    if (row == SIZE_MAX) /* WSL has had a GPU since 2.3 only */
        return tn_weigh_os(w, "wsl2") && tn_weigh_part(w, "tensorflow");
    return tn_version_dotted_cmp_parts(tn_weigh_value(w, row), "2.1", 2) >= 0;
}

static void tf_misses(const struct tn_weigh *w, size_t row)
{
    size_t toolkit = first(w, "toolkit.nvcc", "toolkit.version");
    tn_weigh_add(w, "cuda-runtime-missing", toolkit == SIZE_MAX ? POSSIBLE : 40, row);
    tn_weigh_add(w, "cuda-not-on-loader-path", toolkit == SIZE_MAX ? 42 : POSSIBLE,
                 toolkit == SIZE_MAX ? row : toolkit);
    tn_weigh_add(w, "cudnn-missing", told(w, "cudnn.version") ? 38 : 44, row);
    if (!tn_weigh_os(w, "linux") && !tn_weigh_os(w, "wsl2") && needs_newer_windows(w)) /* no system is named */
        tn_weigh_add(w, "windows-native-unsupported", 45, row);
}

/* The card is not seen, or the CPU does the work. */
static void unused(const struct tn_weigh *w, size_t row)
{
    bool tf = tn_weigh_part(w, "tensorflow") || told(w, "package.tensorflow") || told(w, "package.tensorflow-gpu");
    bool jax = tn_weigh_part(w, "jax") || told(w, "package.jax");
    if (tn_weigh_os(w, "macos")) {
        tn_weigh_add(w, "os-without-cuda", 55, row);
        return;
    }
    if ((tn_weigh_os(w, "windows") || told(w, "names.windows")) && ((tf && needs_newer_windows(w)) || jax)) {
        tn_weigh_add(w, "windows-native-unsupported", tf ? 82 : 60, row);
        return;
    }
    if (tn_weigh_os(w, "docker") || told(w, "complaint.container")) {
        tn_weigh_add(w, "container-gpu-not-requested", tn_signs_find(w->signs, "docker-asks-gpu") ? 40 : POSSIBLE, row);
        tn_weigh_add(w, "container-toolkit-missing", 44, row);
    }
    bool worked = told(w, "complaint.worked") || told(w, "complaint.sleep"); /* a build does not change by itself */
    bool libraries = tf_wants_libraries(w);
    if (libraries)
        tf_misses(w, row);
    if (!has_cuda_build(w))
        tn_weigh_add(w, "cpu-only-build", tn_weigh_os(w, "docker") || worked || libraries ? 30 : POSSIBLE, row);
    if (worked && !tn_weigh_os(w, "windows"))
        tn_weigh_add(w, "uvm-unavailable", 40, row);
    if (tf)
        tn_weigh_add(w, "cuda-runtime-missing", 40, row);
    tn_weigh_add(w, "driver-not-loaded", told(w, "complaint.kernel") ? NEWEST : 20, row);
}

/* After sleep the memory of nvidia_uvm's own is gone. */
static void sleep(const struct tn_weigh *w, size_t row)
{
    static const char failed[][28] = {"unspecified-launch-failure",
                                      "cuda-unknown",
                                      "cuda-unknown-bare",
                                      "no-cuda-device",
                                      "torch-sees-none",
                                      "no-gpus-seen"};
    int weight = 0;
    for (unsigned i = 0; i < TN_LEN(failed); i++)
        if (tn_signs_find(w->signs, failed[i]))
            weight = 86;
    if (!weight && (told(w, "complaint.unseen") || told(w, "complaint.cpu")))
        weight = POSSIBLE;
    if (weight && !tn_weigh_os(w, "windows"))
        tn_weigh_add(w, "uvm-unavailable", weight, row);
}

/* Somebody else holds the memory that was wanted. */
static void crowd(const struct tn_weigh *w, size_t row)
{
    static const char failed[][12] = {"cuda-oom", "torch-oom", "tf-oom"};
    bool full = false;
    for (unsigned i = 0; i < TN_LEN(failed); i++)
        full |= tn_signs_find(w->signs, failed[i]) != NULL;
    tn_weigh_add(w, "gpu-busy", full ? 96 : 40, row);
}

/* A notebook that is lent gets a card where its runtime asks for one, and while there are some. */
static void lent(const struct tn_weigh *w, size_t complaint)
{
    static const char none[][16] = {"torch-sees-none", "no-gpus-seen", "no-cuda-device", "tf-no-gpus"};
    for (unsigned i = 0; i < TN_LEN(none); i++) {
        const struct tn_sign *g = tn_signs_find(w->signs, none[i]);
        if (g)
            tn_weigh_add(w, "scheduler-gave-no-gpu", 57, g->observation);
    }
    if (complaint != SIZE_MAX)
        tn_weigh_add(w, "scheduler-gave-no-gpu", POSSIBLE, complaint);
}

/* The only card that is named is another maker's, and what was asked of NVIDIA's driver had no answer. */
static void other_card(const struct tn_weigh *w, size_t row)
{
    static const char none[][28] = {"torch-no-driver", "cuda-driver-insufficient", "torch-sees-none",
                                    "no-gpus-seen",    "no-cuda-device",           "tf-no-gpus"};
    for (unsigned i = 0; i < TN_LEN(none); i++)
        if (tn_signs_find(w->signs, none[i])) {
            tn_weigh_add(w, "no-nvidia-gpu", 130, row);
            return;
        }
    if (told(w, "complaint.cuda") && tn_weigh_most(w) < SPEAKS)
        tn_weigh_add(w, "no-nvidia-gpu", POSSIBLE, row);
}

/* In a container, and no card there: it was not handed on. */
static void in_container(const struct tn_weigh *w, size_t row)
{
    static const char none[][16] = {"torch-sees-none", "no-gpus-seen", "no-cuda-device", "tf-no-gpus"};
    for (unsigned i = 0; i < TN_LEN(none); i++)
        if (tn_signs_find(w->signs, none[i])) {
            tn_weigh_add(w, "container-gpu-not-requested", 57, row);
            tn_weigh_add(w, "container-toolkit-missing", 50, row);
            return;
        }
}

/* The command that started the container asks for no card, and inside there is none; or the host has a driver that
 * answers, and the container has no nvidia-smi. */
static void started(const struct tn_weigh *w)
{
    static const char none[][24] = {"torch-sees-none", "no-gpus-seen",    "no-cuda-device",          "tf-no-gpus",
                                    "smi-not-there",   "torch-no-driver", "smi-not-there-elsewhere", "ngc-no-driver"};
    const struct tn_sign *run = tn_signs_find(w->signs, "docker-run-word"), *inside = NULL;
    bool asks = tn_signs_find(w->signs, "docker-asks-gpu") != NULL;
    for (unsigned i = 0; i < TN_LEN(none) && !inside; i++)
        inside = tn_signs_find(w->signs, none[i]);
    if (run && !asks && inside)
        tn_weigh_add(w, "container-gpu-not-requested", 62, run->observation);
    else if (run && !asks && (told(w, "complaint.unseen") || told(w, "complaint.cpu")))
        tn_weigh_add(w, "container-gpu-not-requested", NEWEST, run->observation);
    if (run && inside && told(w, "driver.version") && tn_signs_find(w->signs, "smi-not-there"))
        tn_weigh_add(w, "container-gpu-not-requested", 56, inside->observation);
}

/* What is told of libraries: not found, hidden behind a path, found only with one. */
static void libraries(const struct tn_weigh *w)
{
    size_t lib = tn_weigh_told(w, "complaint.library"), toolkit = first(w, "toolkit.nvcc", "toolkit.version");
    size_t hides = tn_weigh_told(w, "complaint.path-in-the-way"), lacks = tn_weigh_told(w, "complaint.path-missing");
    bool windows = tn_weigh_os(w, "windows");
    if (hides != SIZE_MAX)
        tn_weigh_add(w, "library-shadowed", 57, hides);
    else if (lacks != SIZE_MAX)
        tn_weigh_add(w, "cuda-not-on-loader-path", 57, lacks);
    if (lib == SIZE_MAX || tn_weigh_most(w) >= SPEAKS)
        return;
    tn_weigh_add(w, windows ? "dll-search-path" : "cuda-not-on-loader-path", toolkit == SIZE_MAX ? 44 : NEWEST,
                 toolkit == SIZE_MAX ? lib : toolkit);
    tn_weigh_add(w, "cudnn-missing", POSSIBLE, lib);
    tn_weigh_add(w, "cuda-runtime-missing", toolkit == SIZE_MAX ? 46 : 40, lib);
}

/* What the text itself names as the cause; where a message suggests it among others, that decides. */
static void named(const struct tn_weigh *w)
{
    int most = tn_weigh_most(w);
    for (size_t i = 0; i < w->s->observation.n; i++) {
        const struct tn_rec_observation *o = &w->s->observation.v[i];
        if (tn_says(o->fact, "complaint.cause") && tn_known(o->value))
            tn_weigh_add(w, o->value.v, tn_weigh_of(w, o->value.v) >= SPEAKS ? most + 1 : NAMED, i);
    }
}

/* cuBLAS does not start, and the text tells of two releases of CUDA: before memory, it is the wrong one. */
static void two_cudas(const struct tn_weigh *w, size_t row)
{
    if (tn_signs_find(w->signs, "cublas-create-failed") && !tn_signs_find(w->signs, "torch-oom"))
        tn_weigh_add(w, "cuda-version-mismatch", 66, row);
}

/* The halves of a PyTorch extension: the CUDA of the build and the compiler's. */
static void differ(const struct tn_weigh *w, size_t row)
{
    size_t built = tn_weigh_told(w, "torch.cuda"), have = first(w, "toolkit.nvcc", "toolkit.version");
    if (built == SIZE_MAX || have == SIZE_MAX ||
        tn_version_dotted_cmp_parts(tn_weigh_value(w, built), tn_weigh_value(w, have), 2) == 0)
        return;
    tn_weigh_add(w, "compiler-unsupported", POSSIBLE, row);
    tn_weigh_add(w, "compiler-unsupported", POSSIBLE, have);
    tn_weigh_add(w, "cuda-version-mismatch", 40, row);
}

void tn_judge_told(const struct tn_weigh *w)
{
    size_t newest = tn_weigh_told(w, "complaint.newest");
    size_t unseen = tn_weigh_told(w, "complaint.unseen"), cpu = tn_weigh_told(w, "complaint.cpu");
    size_t slept = tn_weigh_told(w, "complaint.sleep"), unloaded = tn_weigh_told(w, "complaint.unloaded");
    size_t secure = tn_weigh_told(w, "complaint.secure"), board = tn_weigh_told(w, "complaint.board");
    size_t dnn = tn_weigh_told(w, "complaint.cudnn"), two = tn_weigh_told(w, "cudnn.told");
    size_t lost = tn_weigh_told(w, "complaint.lost"), hangs = tn_weigh_told(w, "complaint.hangs");
    size_t place = tn_weigh_told(w, "complaint.place"), others = tn_weigh_told(w, "complaint.crowd"),
           versions = tn_weigh_told(w, "complaint.differ");
    if ((unseen != SIZE_MAX || cpu != SIZE_MAX) && tn_weigh_most(w) < SPEAKS)
        unused(w, unseen != SIZE_MAX ? unseen : cpu);
    if (slept != SIZE_MAX)
        sleep(w, slept);
    libraries(w);
    started(w);
    named(w);
    if (tn_weigh_told(w, "toolkit.told") != SIZE_MAX)
        two_cudas(w, tn_weigh_told(w, "toolkit.told"));
    if (told(w, "complaint.misfit") && tn_weigh_most(w) < SPEAKS)
        tn_weigh_add(w, "cuda-version-mismatch", 44, tn_weigh_told(w, "complaint.misfit"));
    if (told(w, "complaint.batch") && tn_weigh_most(w) < NEWEST)
        tn_weigh_add(w, "scheduler-gave-no-gpu", NEWEST, tn_weigh_told(w, "complaint.batch"));
    if (told(w, "complaint.no-libcuda") && (tn_weigh_os(w, "docker") || told(w, "complaint.container")))
        tn_weigh_add(w, "container-capability-missing", 57, tn_weigh_told(w, "complaint.no-libcuda"));
    if (unloaded != SIZE_MAX && told(w, "names.gpu") && !tn_signs_find(w->signs, "smi-not-there"))
        tn_weigh_add(w, told(w, "complaint.container") ? "container-toolkit-missing" : "driver-not-loaded",
                     secure != SIZE_MAX ? 60 : POSSIBLE, unloaded);
    if (secure != SIZE_MAX && told(w, "names.gpu"))
        tn_weigh_add(w, "driver-not-loaded", POSSIBLE, secure);
    if (board != SIZE_MAX)
        tn_weigh_add(w, "cpu-architecture-unsupported", 55, board);
    if (dnn != SIZE_MAX && two != SIZE_MAX)
        tn_weigh_add(w, "cudnn-version-mismatch", POSSIBLE, two);
    if (lost != SIZE_MAX)
        tn_weigh_add(w, "container-lost-gpu", 56, lost);
    if (hangs != SIZE_MAX) {
        tn_weigh_add(w, "peer-to-peer-broken", POSSIBLE, hangs);
        tn_weigh_add(w, "nccl-failure", 44, hangs);
    }
    if (place != SIZE_MAX)
        tn_weigh_add(w, "wrong-environment", POSSIBLE, place);
    if (told(w, "notebook.lent"))
        lent(w, unseen != SIZE_MAX ? unseen : cpu);
    if (tn_weigh_told(w, "complaint.other-card") != SIZE_MAX)
        other_card(w, tn_weigh_told(w, "complaint.other-card"));
    if (tn_weigh_told(w, "complaint.container") != SIZE_MAX)
        in_container(w, tn_weigh_told(w, "complaint.container"));
    if (others != SIZE_MAX)
        crowd(w, others);
    if (versions != SIZE_MAX)
        differ(w, versions);
    if (newest != SIZE_MAX && tn_weigh_most(w) <= POSSIBLE)
        tn_weigh_add(w, "arch-unsupported", NEWEST, newest);
}
