/* redact_words.c - the allow-lists of redaction: words that say nothing of a machine's owner.
 *
 * Whatever is not here is not shown. Words stand between bars; ASCII case does not count. */
#include <string.h>

#include "base/str.h"
#include "snapshot/packages.h"
#include "snapshot/redact_rules.h"

static bool same(const char *s, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (!word[i] || tn_lower(s[i]) != tn_lower(word[i]))
            return false;
    return word[n] == 0;
}

static bool equal(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tn_lower(a[i]) != tn_lower(b[i]))
            return false;
    return true;
}

/* Is it one of the words between bars? */
static bool among(const char *s, size_t n, const char *words)
{
    for (const char *w = words + 1; *w;) {
        size_t m = strcspn(w, "|");
        if (m == n && equal(w, s, n))
            return true;
        w += m + 1;
    }
    return false;
}

static bool starts(const char *s, size_t n, const char *prefix)
{
    size_t m = strlen(prefix);
    return n >= m && same(s, m, prefix);
}

static size_t digits(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && tn_is_digit(s[i]))
        i++;
    return i;
}

/* 12, 12.4, 3.10.12: at most three numbers, as four may be an address. */
static size_t version(const char *s, size_t n)
{
    size_t i = digits(s, n);
    for (unsigned parts = 1; i && parts < 3 && i + 1 < n && s[i] == '.' && tn_is_digit(s[i + 1]); parts++)
        i += 1 + digits(s + i + 1, n - i - 1);
    return i;
}

static bool number_after(const char *s, size_t n, const char *prefix)
{
    size_t m = strlen(prefix);
    return starts(s, n, prefix) && n > m && version(s + m, n - m) == n - m;
}

static const char components[] =
    "|.|..|~|?|$origin|${origin}|$lib|${lib}|$platform|lib|lib32|lib64|libs|libx32|bin|sbin|include|"
    "share|scripts|dlls|library|site-packages|dist-packages|conda-meta|envs|env|venv|.venv|virtualenv|"
    "virtualenvs|.virtualenvs|.local|.cache|.conda|.config|.pyenv|versions|pyenv|pyenv-win|uv|pip|pipx|"
    "conda|mamba|micromamba|miniconda|miniconda2|miniconda3|anaconda|anaconda2|anaconda3|miniforge|"
    "miniforge3|mambaforge|mambaforge3|condabin|pkgs|condarc|.condarc|pip.conf|pip.ini|uv.toml|"
    "pyproject.toml|pyvenv.cfg|appdata|local|locallow|roaming|programs|program files|program files (x86)|"
    "programdata|microsoft|windowsapps|continuum|pypoetry|poetry|hatch|opt|usr|etc|var|tmp|run|mnt|media|"
    "data|srv|home|users|homes|root|export|dev|proc|sys|boot|nix|gnu|store|linuxbrew|.linuxbrew|homebrew|snap|current|"
    "log|windows|system32|"
    "syswow64|wsl|drivers|driver|cuda|cudnn|cublas|nvidia|nccl|nvidia corporation|"
    "nvidia gpu computing toolkit|nvsmi|targets|x86_64-linux|x86_64-linux-gnu|aarch64-linux|"
    "aarch64-linux-gnu|sbsa-linux|extras|cupti|nvvm|compat|stubs|compute-sanitizer|nvcc|nvcc.exe|"
    "nvidia-smi|nvidia-smi.exe|ptxas|python|python.exe|pythonw.exe|python3|pip3|pip.exe|uv.exe|conda.exe|"
    "jupyter|kernels|kernel.json|modules|kernel|dkms|updates|ld.so.cache|ld.so.conf|ld.so.conf.d|"
    "metadata|record|module|games|src|build_info.py|version.py|opencl|vulkan|torch.libs|numpy.libs|"
    "software|system|hklm|hkcu|currentcontrolset|control|class|enum|pci|services|uninstall|"
    "currentversion|windows nt|version|workspace|content|kaggle|colab|sagemaker|databricks|jetpack|"
    "hpc_sdk|linux_x86_64|math_libs|comm_libs|compilers|spack|easybuild|singularity|apptainer|docker|"
    "hostedtoolcache|pythoncore|glibc-hwcaps|x86-64-v2|x86-64-v3|x86-64-v4|tls|haswell|xeon_phi|avx512_1|x86_64|";

static const char package_folders[] =
    "|nvidia|tensorflow|torch|torchvision|torchaudio|torch.libs|jax|jaxlib|jax_plugins|jax_cuda11_plugin|"
    "jax_cuda12_plugin|jax_cuda13_plugin|xla_cuda11|xla_cuda12|onnxruntime|onnxruntime_gpu|numpy|"
    "numpy.libs|keras|triton|cupy|cupy_backends|tensorrt|tensorrt_libs|tensorrt_bindings|"
    "tensorflow_intel|tensorflow_gpu|cuda|cudnn|h5py|google|absl|scipy|numba|bitsandbytes|xformers|"
    "flash_attn|";

static const char libraries[] =
    "|libpthread.so|libdl.so|librt.so|libutil.so|libresolv.so|libcrypt.so|libz.so|libexpat.so|libffi|libssl|libcrypto|"
    "libbz2|liblzma|libsqlite3|libtinfo|libncurses|libreadline|libuuid|libprotobuf|libopenblas|libmkl|libiomp|libomp|"
    "libgfortran|libquadmath|libibverbs|librdmacm|libmpi|libnuma|libxml2|libX11|libGL|libEGL|libglib|libhdf5|libabsl|"
    "libtbb|libshm.so|libcaffe2|liblapack|libblas|libatomic|libuv.so|libarrow|libOpenCL|ld-musl|libc.musl|libmlx5|"
    "libgdrapi|libxla|libipu|"
    "libcuda|libcu|libnv|libnpp|libnccl|libtensorflow|libtorch|libc10|libonnxruntime|libpython|"
    "libstdc++|libgcc_s|libgomp|libdxcore|libjax|libxla|libc.so|libm.so|ld-linux|cudart|cublas|cudnn|"
    "cufft|curand|cusolver|cusparse|cupti|nvrtc|nvcuda|nvml|nvinfer|nvjitlink|npp|zlibwapi|zlib1|"
    "tensorflow|_pywrap_tensorflow|python3|msvcp140|vcruntime140|concrt140|";

/* libcudart.so.11.0, cudnn_ops_infer64_8.dll, nvidia.ko.xz */
static bool is_library(const char *s, size_t n)
{
    bool ends = false;
    for (size_t i = 0; i < n; i++) {
        if (!tn_is_alpha(s[i]) && !tn_is_digit(s[i]) && !strchr("._+-", s[i]))
            return false;
        ends = ends || starts(s + i, n - i, ".so") || starts(s + i, n - i, ".dll") || starts(s + i, n - i, ".dylib") ||
               starts(s + i, n - i, ".pyd");
    }
    if (starts(s, n, "nvidia") && n < 32)
        for (size_t i = 0; i < n; i++)
            if (starts(s + i, n - i, ".ko"))
                return true;
    for (const char *l = libraries + 1; ends && n < 64 && *l;) {
        size_t m = strcspn(l, "|");
        if (m <= n && equal(l, s, m))
            return true;
        l += m + 1;
    }
    return false;
}

/* nvidia_cudnn_cu12-9.1.0.70.dist-info, cudatoolkit-11.8.0-h6a678d5_0.json: a public name and its version. */
static bool is_package_record(const char *s, size_t n)
{
    char name[128];
    size_t dash = 0;
    bool info = n > 10 && (same(s + n - 10, 10, ".dist-info") || same(s + n - 9, 9, ".egg-info"));
    if (!info && !(n > 5 && same(s + n - 5, 5, ".json")))
        return false;
    for (size_t i = 1; i + 1 < n && !dash; i++)
        if (s[i] == '-' && tn_is_digit(s[i + 1]))
            dash = i;
    if (dash == 0 || dash >= sizeof name)
        return false;
    for (size_t i = 0; i < dash; i++)
        name[i] = s[i] == '_' || s[i] == '.' ? '-' : tn_lower(s[i]);
    name[dash] = 0;
    for (size_t i = dash; i < n; i++)
        if (!tn_is_alpha(s[i]) && !tn_is_digit(s[i]) && !strchr("._+-!", s[i]))
            return false;
    return tn_package_is_public(name);
}

bool tn_redact_plain_component(const char *s, size_t n)
{
    static const char *const numbered[] = {"python",  "pip",  "cuda-",    "v",           "cudnn-", "tensorrt-",
                                           "nvidia-", "pypy", "cpython-", "pythoncore-", "cu",     "cuda_"};
    if (n == 0 || among(s, n, components) || (n == 2 && tn_is_alpha(s[0]) && s[1] == ':'))
        return true;
    for (size_t i = 0; i < TN_LEN(numbered); i++)
        if (number_after(s, n, numbered[i]))
            return true;
    if (starts(s, n, "python") && n > 10 && same(s + n - 4, 4, ".exe"))
        return number_after(s, n - 4, "python");
    if (version(s, n) == n && memchr(s, '.', n)) /* pyenv/versions/3.10.4 */
        return true;
    return is_library(s, n) || is_package_record(s, n);
}

bool tn_redact_plain_node(const char *s, size_t n)
{
    static const char *const head[] = {"GLIBC_",   "GLIBCXX_", "CXXABI_",   "GCC_",     "GOMP_", "OMP_",
                                       "GOACC_",   "OPENSSL_", "ZLIB_",     "XZ_",      "NUMA_", "LIBFFI_",
                                       "IBVERBS_", "MLX5_",    "GFORTRAN_", "QUADMATH_"};
    for (size_t i = 0; i < TN_LEN(head); i++)
        if (starts(s, n, head[i]))
            return n < 40 &&
                   strspn(s + strlen(head[i]), "0123456789._ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") >=
                       n - strlen(head[i]);
    return is_library(s, n);
}

bool tn_redact_package_folder(const char *s, size_t n)
{
    return among(s, n, package_folders);
}

static const char values[] =
    "||true|false|yes|no|on|off|all|none|void|compute|utility|graphics|video|display|compat32|ngx|cuda|"
    "cpu|gpu|tpu|rocm|pci_bus_id|fastest_first|lazy|eager|default|cuda_malloc_async|cudamallocasync|"
    "platform|bfc|global|gpu_private|gpu_shared|native|backend|expandable_segments|max_split_size_mb|"
    "garbage_collection_threshold|roundup_power2_divisions|pinned_use_cuda_host_register|"
    "release_lock_on_cudamalloc|info|warn|warning|error|trace|debug|abort|version|phb|pix|pxb|nvl|sys|"
    "loc|parallel|group|nodevfiles|auto|brand|driver|arch|stdout|stderr|unknown|nvidia|nvidiartx|geforce|"
    "geforcertx|quadro|quadrortx|titan|titanrtx|tesla|grid|vapps|vpc|vcs|vws|cloudgaming|ptx|conda-forge|"
    "defaults|pytorch|pytorch-nightly|pytorch-test|rapidsai|anaconda|main|free|intel|msys2|strict|"
    "flexible|disabled|only-if-needed|nightly|lo|docker0|ubuntu|debian|docker-desktop|opensuse|fedora|"
    "kali-linux|base|fusible|autoclustering|";

/* 0, -1, 0.5, 512MB, 3-5: digits, at most two dots, a sign, a unit. */
static bool is_number(const char *s, size_t n)
{
    unsigned dots = 0;
    size_t unit = 0;
    if (n && (*s == '-' || *s == '+' || *s == '^'))
        s++, n--;
    if (n == 0 || n > 10 || !tn_is_digit(*s))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (tn_is_alpha(s[i]) && ++unit <= 2)
            continue;
        if (unit || (!tn_is_digit(s[i]) && s[i] != '.' && s[i] != '-'))
            return false;
        dots += s[i] == '.';
    }
    return dots <= 2;
}

bool tn_redact_plain_value(const char *s, size_t n)
{
    static const char *const numbered[] = {"cu", "sm_", "compute_", "eth", "ib", "docker", "rocm", "ubuntu-", "mlx5_"};
    if (is_number(s, n) || among(s, n, values))
        return true;
    for (size_t i = 0; i < TN_LEN(numbered); i++)
        if (number_after(s, n, numbered[i]))
            return true;
    if (n > 60 || !(starts(s, n, "--xla_") || starts(s, n, "--tf_xla_")))
        return n > 4 && same(s + n - 4, 4, "+PTX") && is_number(s, n - 4);
    for (size_t i = 2; i < n; i++)
        if (!tn_is_alpha(s[i]) && s[i] != '_' && !tn_is_digit(s[i]))
            return false;
    return true;
}

bool tn_redact_public_host(const char *s, size_t n)
{
    static const char hosts[] =
        "|pypi.org|files.pythonhosted.org|test.pypi.org|pypi.python.org|download.pytorch.org|pypi.nvidia.com|"
        "pypi.ngc.nvidia.com|developer.download.nvidia.com|developer.nvidia.com|nvcr.io|conda.anaconda.org|"
        "repo.anaconda.com|repo.continuum.io|prefix.dev|storage.googleapis.com|github.com|"
        "huggingface.co|archive.ubuntu.com|security.ubuntu.com|"
        "ports.ubuntu.com|pypi.tuna.tsinghua.edu.cn|mirrors.tuna.tsinghua.edu.cn|mirrors.aliyun.com|"
        "pypi.mirrors.ustc.edu.cn|mirrors.ustc.edu.cn|mirrors.cloud.tencent.com|mirrors.huaweicloud.com|"
        "repo.huaweicloud.com|mirror.sjtu.edu.cn|mirrors.bfsu.edu.cn|mirrors.nju.edu.cn|pypi.douban.com|"
        "mirrors.163.com|mirror.baidu.com|mirrors.zju.edu.cn|localhost|127.0.0.1|";
    return among(s, n, hosts);
}

bool tn_redact_public_note(const char *s)
{
    static const char notes[] =
        "|Permission denied|Operation not permitted|No such file or directory|Input/output error|"
        "Not a directory|Is a directory|Too many levels of symbolic links|File name too long|"
        "Connection timed out|Timer expired|Device or resource busy|No such device|No such device or address|"
        "Stale file handle|Invalid argument|Resource temporarily unavailable|Too many open files|"
        "Cannot allocate memory|Function not implemented|Operation not supported|Access is denied.|"
        "The system cannot find the file specified.|The system cannot find the path specified.|"
        "Access is denied|too large|malformed|no answer in time|not supported here|permission denied|"
        "not found|input/output error|timed out|not a regular file|no answer|";
    return among(s, strlen(s), notes);
}

bool tn_redact_public_question(const char *s)
{
    static const char words[] =
        "|os|release|arch|node|uid|root|cwd|cuda_arch|cuda_driver_min|cuda_libs|cudnn_support|driver_branches|env_vars|"
        "error_codes|gpus|host_compilers|jax_builds|pytorch_builds|tensorflow_builds|tensorflow_pins|"
        "tensorflow_python_pins|tf_sonames|tf_wheel_arch|xid|";
    return among(s, strlen(s), words);
}

bool tn_redact_is_alias(const char *s, size_t n)
{
    static const char *const kinds[] = {"env", "user", "host", "gpu", "dir", "index", "name", "id"};
    for (size_t i = 0; i < TN_LEN(kinds); i++) {
        size_t m = strlen(kinds[i]);
        if (starts(s, n, kinds[i]) && n > m && digits(s + m, n - m) == n - m)
            return true;
    }
    return false;
}

static const char path_variables[] =
    "|APPTAINER_CONTAINER|CONDA_PREFIX|CUDA_BIN_PATH|CUDA_CACHE_PATH|CUDA_HOME|CUDA_MPS_PIPE_DIRECTORY|"
    "CUDA_PATH|CUDA_ROOT|CUDNN_LOGDEST_DBG|CUDNN_PATH|CUPY_CUDA_LIB_PATH|LD_AUDIT|LD_LIBRARY_PATH|"
    "LD_PRELOAD|NUMBA_CUDA_DRIVER|PATH|PYTHONHOME|PYTHONPATH|PYTHONUSERBASE|TF_CUDA_PATHS|VIRTUAL_ENV|";

static const char name_variables[] = "|CONDA_DEFAULT_ENV|PYENV_VERSION|WSL_DISTRO_NAME|";

static const char word_variables[] =
    "|CONDA_DLL_SEARCH_MODIFICATION_ENABLE|CONDA_OVERRIDE_CUDA|CUDA_CACHE_DISABLE|CUDA_CACHE_MAXSIZE|"
    "CUDA_DEVICE_MAX_CONNECTIONS|CUDA_DEVICE_ORDER|CUDA_DISABLE_PTX_JIT|CUDA_FORCE_PTX_JIT|"
    "CUDA_LAUNCH_BLOCKING|CUDA_MODULE_LOADING|CUDA_VISIBLE_DEVICES|CUDNN_LOGLEVEL_DBG|"
    "HERMETIC_CUDA_COMPUTE_CAPABILITIES|JAX_PLATFORMS|JAX_PLATFORM_NAME|JAX_SKIP_CUDA_CONSTRAINTS_CHECK|"
    "NCCL_CUMEM_ENABLE|NCCL_DEBUG|NCCL_IB_DISABLE|NCCL_LAUNCH_MODE|NCCL_NVLS_ENABLE|NCCL_P2P_DISABLE|"
    "NCCL_P2P_LEVEL|NCCL_SHM_DISABLE|NCCL_SOCKET_IFNAME|NVIDIA_DISABLE_REQUIRE|"
    "NVIDIA_DRIVER_CAPABILITIES|NVIDIA_IMEX_CHANNELS|NVIDIA_MIG_CONFIG_DEVICES|NVIDIA_REQUIRE_CUDA|"
    "NVIDIA_TF32_OVERRIDE|NVIDIA_VISIBLE_DEVICES|PYTHONNOUSERSITE|PYTORCH_ALLOC_CONF|"
    "PYTORCH_CUDA_ALLOC_CONF|PYTORCH_NO_CUDA_MEMORY_CACHING|PYTORCH_NVML_BASED_CUDA_CHECK|"
    "TF_CPP_MAX_VLOG_LEVEL|TF_CPP_MIN_LOG_LEVEL|TF_CUDA_COMPUTE_CAPABILITIES|TF_CUDNN_DETERMINISTIC|"
    "TF_CUDNN_USE_AUTOTUNE|TF_DETERMINISTIC_OPS|TF_ENABLE_ONEDNN_OPTS|TF_FORCE_GPU_ALLOW_GROWTH|"
    "TF_FORCE_UNIFIED_MEMORY|TF_GPU_ALLOCATOR|TF_GPU_THREAD_MODE|TF_MIN_GPU_MULTIPROCESSOR_COUNT|"
    "TF_PER_DEVICE_MEMORY_LIMIT_MB|TF_USE_LEGACY_KERAS|TF_XLA_FLAGS|TORCH_ALLOW_TF32_CUBLAS_OVERRIDE|"
    "TORCH_CUDA_ARCH_LIST|TORCH_USE_CUDA_DSA|UV_TORCH_BACKEND|XLA_CLIENT_MEM_FRACTION|XLA_FLAGS|"
    "XLA_PYTHON_CLIENT_ALLOCATOR|XLA_PYTHON_CLIENT_MEM_FRACTION|XLA_PYTHON_CLIENT_PREALLOCATE|";

enum tn_redact_variable tn_redact_variable_kind(const char *name)
{
    size_t n = strlen(name);
    if (among(name, n, path_variables))
        return TN_REDACT_PATHS;
    if (starts(name, n, "CUDA_PATH_V") && n < 16 && strspn(name + 11, "0123456789_") == n - 11)
        return TN_REDACT_PATHS;
    if (among(name, n, name_variables))
        return TN_REDACT_NAME;
    return among(name, n, word_variables) ? TN_REDACT_WORDS : TN_REDACT_UNLISTED;
}
