/* asks_jax.c - JAX: the plug-in's Python preloads NVIDIA's packages, the plug-in opens the rest by name.
 *
 * Source: jax-ml/jax jax_plugins/cuda/__init__.py (_load_nvidia_libraries, from 0.7 on: each file of nvidia/<x>/lib by
 * its path, failures ignored; _check_cuda_versions: what "Unable to load X. Is it installed?" is said of). The objects
 * carry DT_RPATH and open names that are composed at run time, as TensorFlow does. */
#include "base/str.h"
#include "loader/asks.h"

struct preload {
    const char *folder, *name;
};

static const struct preload twelve[] = {
    {"cuda_runtime", "libcudart.so.12"}, {"cuda_nvrtc", "libnvrtc.so.12"},  {"cublas", "libcublas.so.12"},
    {"cublas", "libcublasLt.so.12"},     {"nccl", "libnccl.so.2"},          {"cuda_cupti", "libcupti.so.12"},
    {"cusparse", "libcusparse.so.12"},   {"cusolver", "libcusolver.so.11"}, {"cufft", "libcufft.so.11"},
    {"nvshmem", "libnvshmem_host.so.3"}, {"cudnn", "libcudnn.so.9"},
};
static const struct preload thirteen[] = {
    {"cu13", "libcudart.so.13"},         {"cu13", "libnvrtc.so.13"},    {"cu13", "libcublas.so.13"},
    {"cu13", "libcublasLt.so.13"},       {"nccl", "libnccl.so.2"},      {"cu13", "libcupti.so.13"},
    {"cu13", "libcusparse.so.12"},       {"cu13", "libcusolver.so.12"}, {"cu13", "libcufft.so.12"},
    {"nvshmem", "libnvshmem_host.so.3"}, {"cudnn", "libcudnn.so.9"},
};

static void preloads(struct tn_asks *a, unsigned cuda)
{
    const struct preload *set = cuda == 12 ? twelve : thirteen;
    for (unsigned i = 0; i < (cuda == 12 ? TN_LEN(twelve) : TN_LEN(thirteen)); i++) {
        const char *const dir[] = {tn_arena_printf(a->mem, "nvidia/%s/lib", set[i].folder), NULL};
        tn_asks_preload(a, TN_ASK_HARMLESS, "gpu", set[i].name, dir);
    }
}

static void run(struct tn_asks *a)
{
    unsigned cuda = tn_asks_cuda(a);
    if (cuda < 12) /* the plug-in's folders are those of CUDA 12 and 13; before, jaxlib held all itself */
        return;
    const char *plugin = tn_asks_path(a, tn_arena_printf(a->mem, "jax_plugins/xla_cuda%u/xla_cuda_plugin.so", cuda));
    const char *cudnn = tn_asks_named(a, "libcudnn");
    if ((cuda == 12 || cuda == 13) && tn_asks_release(a) >= 7)
        preloads(a, cuda);
    tn_asks_file(a, TN_ASK_REQUIRED, "gpu", plugin);
    tn_asks_driver(a, plugin);
    for (uint32_t i = 0; a->f->asks.k == TN_KNOWN && i < a->f->asks.n; i++)
        tn_asks_name(a, TN_ASK_REQUIRED, "gpu", plugin, a->f->asks.v[i]);
    if (cudnn)
        tn_asks_cudnn_parts(a, cudnn);
    tn_asks_name(a, TN_ASK_OPTIONAL, "multi-gpu", plugin, "libnccl.so.2");
}

TN_ASKS(jax, "jax", run);
