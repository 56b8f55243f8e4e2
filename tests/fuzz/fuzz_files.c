/* fuzz_files.c - hostile content in every file that probes read: /proc, /sys, /etc, METADATA, RECORD, conda-meta, build
 * facts, headers. The first byte chooses the file, the rest is its content; all others are as on a plain machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "probe/probe.h"
#include "world/record.h"

#define SITE "/v/lib/python3.11/site-packages"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    const char *path, *text;
} files[] = {
    {"/proc/version", "Linux version 6.1.0-37-amd64 (debian) #1 SMP\n"},
    {"/proc/sys/kernel/osrelease", "6.1.0-37-amd64\n"},
    {"/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: x\nflags\t\t: avx avx2 fma\n"},
    {"/proc/meminfo", "MemTotal:       16384000 kB\n"},
    {"/proc/modules", "nvidia 56823808 2 nvidia_uvm,nvidia_modeset, Live 0x0 (PO)\n"},
    {"/proc/devices", "Character devices:\n195 nvidia\n234 nvidia-uvm\n"},
    {"/proc/driver/nvidia/version",
     "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.309.01  Wed Mar 25\nGCC version:  gcc 12\n"},
    {"/proc/driver/nvidia/gpus/0000:01:00.0/information",
     "Model: \t\t NVIDIA A100\nGPU UUID: \t GPU-1\nGPU Firmware: \t N/A\n"},
    {"/proc/self/mountinfo", "1 1 0:1 / / rw - overlay overlay rw\n"
                             "2 1 0:2 / /sys/fs/cgroup/devices ro - cgroup cgroup rw,devices\n"},
    {"/proc/self/limits", "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024    4096    files\n"},
    {"/etc/pip.conf", "[global]\nindex-url = https://u:p@h/simple\n"},
    {"/root/.config/uv/uv.toml", "[[index]]\nurl = \"https://u:p@h/simple\"\n"},
    {"/root/.condarc", "channels:\n  - conda-forge\n"},
    {"/proc/1/cgroup", "0::/docker/abc\n"},
    {"/proc/mounts", "overlay / overlay rw 0 0\n"},
    {"/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"},
    {"/sys/bus/pci/devices/0000:01:00.0/device", "0x2204\n"},
    {"/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"},
    {"/sys/bus/pci/devices/0000:01:00.0/power/runtime_status", "active\n"},
    {"/sys/module/nvidia/version", "535.309.01\n"},
    {"/sys/module/nvidia/initstate", "live\n"},
    {"/usr/share/hwdata/pci.ids", "10de  NVIDIA Corporation\n\t2204  GA102 [GeForce RTX 3090]\n"},
    {"/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n"},
    {"/etc/ld.so.cache", "glibc-ld.so.cache1.1"},
    {"/var/lib/dpkg/status", "Package: libcuda1\nStatus: install ok installed\nVersion: 535.309.01-1\n\n"},
    {"/var/lib/dpkg/info/libcuda1:amd64.list", "/usr/lib/x86_64-linux-gnu/libcuda.so.1\n"},
    {"/usr/lib/x86_64-linux-gnu/libcuda.so.1", "x"},
    {"/usr/local/cuda-12.4/version.json", "{\"cuda\":{\"name\":\"CUDA SDK\",\"version\":\"12.4.1\"}}"},
    {"/usr/local/cuda-12.4/version.txt", "CUDA Version 12.4.1\n"},
    {"/usr/local/cuda-12.4/include/cuda.h", "#define CUDA_VERSION 12040\n"},
    {"/usr/local/cuda-12.4/bin/nvcc", "x"},
    {"/usr/local/cuda-12.4/lib64/libcudart.so.12", "x"},
    {"/lib/modules/6.1.0-37-amd64/updates/dkms/nvidia.ko", "x"},
    {"/v/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n"},
    {"/v/conda-meta/tensorflow-2.15.0-cuda118py311_0.json",
     "{\"name\":\"tensorflow\",\"version\":\"2.15.0\",\"build\":\"cuda118py311_0\",\"depends\":[\"cudnn >=8\"]}"},
    {SITE "/tensorflow-2.15.1.dist-info/METADATA",
     "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.15.1\nRequires-Dist: numpy<2\n\nx\n"},
    {SITE "/tensorflow-2.15.1.dist-info/RECORD", "tensorflow/__init__.py,sha256=x,1\n"},
    {SITE "/tensorflow-2.15.1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_17_x86_64\n"},
    {SITE "/tensorflow-2.15.1.dist-info/INSTALLER", "pip\n"},
    {SITE "/tensorflow-2.15.1.dist-info/direct_url.json", "{}"},
    {SITE "/tensorflow/python/platform/build_info.py",
     "build_info = collections.OrderedDict([('cuda_version', '12.2'), ('is_cuda_build', True)])\n"},
    {SITE "/tensorflow/include/third_party/gpus/cuda/cuda_config.h",
     "#define TF_CUDA_VERSION \"12.2\"\n#define TF_CUDART_VERSION \"12\"\n"},
    {SITE "/tensorflow/libtensorflow_framework.so.2", "x"},
    {SITE "/torch/version.py", "__version__ = '2.4.1+cu121'\ncuda: Optional[str] = '12.1'\nhip = None\n"},
    {SITE "/torch-2.4.1.dist-info/METADATA", "Name: torch\nVersion: 2.4.1\n"},
    {SITE "/onnxruntime/capi/build_and_package_info.py",
     "package_name = 'onnxruntime-gpu'\n__version__ = '1.20.0'\ncuda_version = '12.4'\n"},
    {SITE "/jax_plugins/xla_cuda12/version.py", "_version = \"0.4.30\"\n"},
    {SITE "/jaxlib/version.py", "__version__ = '0.4.30'\n"},
    {SITE "/cupy/_version.py", "__version__ = '13.6.0'\n"},
    {SITE "/cupy/.data/_wheel.json", "{\"cuda\": \"12.x\", \"packaging\": \"pip\"}"},
    {"/v/conda-meta/jaxlib-0.4.34-cuda126py311_200.json",
     "{\"name\":\"jaxlib\",\"version\":\"0.4.34\",\"build\":\"cuda126py311_200\",\"depends\":[\"__glibc >=2.17\"]}"},
    {"/usr/share/modules/modulefiles/cuda/12.4", "#%Module\nset root /usr/local\nsetenv CUDA_HOME ${root}/cuda-12.4\n"},
    {"/proc/self/cgroup", "5:devices:/\n"},
    {"/sys/fs/cgroup/devices/devices.list", "c 195:* rw\n"},
    {"/etc/cdi/nvidia.yaml", "kind: nvidia.com/gpu\n- hostPath: /l/libcuda.so.1.2\n"},
    {"/usr/bin/docker", "x"},
    {"/etc/docker/daemon.json", "{\"runtimes\": {\"nvidia\": {}}}"},
    {"/usr/bin/containerd", "x"},
    {"/etc/containerd/config.toml", "[plugins.cri.runtimes.nvidia]\na = 1\n"},
    {"/usr/bin/nvidia-ctk", "x"},
    {"/etc/nvidia-container-runtime/config.toml", "[nvidia-container-cli]\nno-cgroups = true\n"},
};

static void lay(struct tn_record *r, const char *path, const void *p, size_t n)
{
    struct tn_node *node = tn_tree_make(&r->files, path);
    node->type = 'f';
    node->whole = true;
    node->has_stat = true;
    node->st.mode = 0755;
    node->st.size = n;
    node->n_part = 0;
    tn_tree_add_part(&r->files, node, 0, tn_span_of(p, n));
}

static void note(struct tn_record *r, enum tn_question_kind kind, const char *name, const char *value)
{
    struct tn_note *n = tn_record_add(r, kind, name);
    n->a.got = TN_KNOWN;
    n->a.data = tn_span_str(tn_arena_strdup(&r->mem, value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_record r;
    struct tn_world *w;
    struct tn_snap s;
    struct tn_err err;
    struct tn_want want = {.env = NULL};
    if (size < 1)
        return 0;
    tn_record_init(&r, "linux");
    r.files.complete = r.env_complete = r.sys_complete = true;
    note(&r, TN_Q_SYS, "release", "6.1.0-37-amd64");
    note(&r, TN_Q_SYS, "arch", "x86_64");
    note(&r, TN_Q_ENV, "VIRTUAL_ENV", "/v");
    note(&r, TN_Q_ENV, "PATH", "/v/bin:/usr/local/cuda-12.4/bin:/usr/bin");
    note(&r, TN_Q_ENV, "HOME", "/root");
    for (size_t i = 0; i < TN_LEN(files); i++)
        lay(&r, files[i].path, files[i].text, strlen(files[i].text));
    struct tn_node *ctl = tn_tree_make(&r.files, "/dev/nvidiactl");
    ctl->type = 'c';
    ctl->has_stat = true;
    ctl->st = (struct tn_stat){.type = 'c', .mode = 0666, .major = 195, .minor = 255};
    lay(&r, files[data[0] % TN_LEN(files)].path, data + 1, size - 1);
    tn_snap_init(&s);
    tn_world_replay(&r, &w, &err);
    tn_probe_all(w, &want, &s);
    tn_world_close(w);
    tn_snap_deinit(&s);
    tn_record_deinit(&r);
    return 0;
}
