"""The machines of tests/machines that are composed; compose.py has the words used here."""
import base64

import compose_parts as parts
from compose import (CUDA11_DLLS, CUDA12_DLLS, CUDART12, CUDNN8, LIB, MACHINES, UBUNTU2204, conda_env, conda_record, cuda_dlls,
                     cuda_toolkit_pins, deb, dist, finish_linux, libcuda, linux, loaded, machine, nvidia_wheel, pci, pins, tensorflow, toolkit,
                     torch, venv, windows)


GB = 1 << 30
GTX1660 = ("2184", "13E71458", "GeForce GTX 1660", 6 * GB)
RTX3060 = ("2503", "397D1462", "GeForce RTX 3060", 12 * GB)
STORY = "composed for an acceptance story of the design: "
UUID = "GPU-00000000-1111-2222-3333-44444444444{}"


# --- Windows: the source article and what its readers met ---------------------------------------------------------

def tf26(origin, driver="472.12"):
    m = windows(origin, 19044, "21H2", GTX1660, driver)
    conda_env(m, "tf", "3.9.7", "h6244533_1")
    tensorflow(m, "tensorflow", "2.6.0", "cp39-cp39-win_amd64", numpy="1.19.5")
    return m


@machine(STORY + "Windows 10, GTX 1660, driver 472.12, TensorFlow 2.6.0 of PyPI in a conda environment, no CUDA anywhere")
def win10_tf26_nocuda(origin):
    return tf26(origin).done()


def tf210_windows(m):
    conda_env(m, "tf", "3.10.9", "h966fe2a_2")
    tensorflow(m, "tensorflow", "2.10.0", "cp310-cp310-win_amd64", numpy="1.23.5")


@machine(STORY + "Windows 11, RTX 3060, driver 528.49, TensorFlow 2.10.0, CUDA 12.0 alone on the disk")
def win11_tf210_cuda120(origin):
    m = windows(origin, 22621, "22H2", RTX3060, "528.49")
    tf210_windows(m)
    toolkit(m, "12.0", CUDA12_DLLS, CUDART12)
    return m.done()


def cudnn_dll(version):
    text = ".".join(map(str, version))
    return parts.pe_as(parts.Member(*CUDNN8), version, f"cudnn64_8.dll of cuDNN {text}", ("8.9.4.25", text))


def conda_cuda112(m):
    """cudatoolkit 11.2 and cudnn 8.1 of conda-forge, as TensorFlow's Windows page has them."""
    prefix = m.env["CONDA_PREFIX"]
    conda_record(m, prefix, "cudatoolkit", "11.2.2", "h7d7167e_13" if m.win else "hc23eb0c_13")
    conda_record(m, prefix, "cudnn", "8.1.0.77", "h3e0f4f4_0" if m.win else "h90431f1_0", ["cudatoolkit 11.*"])
    if m.win:
        cuda_dlls(m, prefix + "\\Library\\bin", "11.2", CUDA11_DLLS)
        cudnn_set(m, prefix + "\\Library", (8, 1, 0, 77), {})


@machine(STORY + "Windows with driver 451.67, above Linux' floor for CUDA 11 (450.80.02) and below that of Windows (452.39), TensorFlow 2.10.0 with conda's CUDA 11.2")
def win_tf210_driver451(origin):
    m = windows(origin, 19045, "22H2", GTX1660, "451.67")
    tf210_windows(m)
    conda_cuda112(m)
    return m.done()


@machine(STORY + "Windows 10 with everything that TensorFlow 2.10 asks for, from conda-forge: nothing is wrong")
def win_tf210_healthy(origin):
    m = windows(origin, 19045, "22H2", GTX1660, "516.94")
    tf210_windows(m)
    conda_cuda112(m)
    return m.done()


def event(provider, number, time, *data):
    """An event of the System log as EvtRender writes it."""
    return (f"<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='{provider}'/>"
            f"<EventID Qualifiers='0'>{number}</EventID><Version>0</Version><Level>2</Level><Task>0</Task><Opcode>0</Opcode>"
            f"<Keywords>0x80000000000000</Keywords><TimeCreated SystemTime='{time}'/><EventRecordID>9</EventRecordID><Correlation/>"
            "<Execution ProcessID='4' ThreadID='404'/><Channel>System</Channel><Computer>BOX</Computer><Security/></System><EventData>"
            + "".join(f"<Data>{d}</Data>" for d in data) + "</EventData></Event>\n")


@machine(STORY + "the same, and in its System log a reset of NVIDIA's driver an hour ago (words of nvlddmkm 153 and Display 4101 as posted)")
def win_tf210_driver_reset(origin):
    m = windows(origin, 19045, "22H2", GTX1660, "516.94")
    tf210_windows(m)
    conda_cuda112(m)
    video = "\\Device\\Video3"
    m.doc["sys"]["clock"] = "1700003600"  # 2023-11-14T23:13:20Z
    m.doc["sys"]["log"] = (event("Display", 4101, "2023-11-14T22:13:21.1000000Z", "nvlddmkm", "")
                           + event("nvlddmkm", 153, "2023-11-14T22:13:20.9000000Z", video, "Restarting TDR occurred on GPUID:100")
                           + event("nvlddmkm", 153, "2023-11-14T22:13:20.1000000Z", video, "Resetting TDR occurred on GPUID:100")
                           + event("nvlddmkm", 153, "2023-11-02T09:00:00.0000000Z", video, "Error occurred on GPUID: 100"))
    return m.done()


@machine(STORY + "Windows 10 with all of that in a conda environment without vc14_runtime, and Microsoft's redistributable of 2015 alone: msvcp140_1.dll came in 2019")
def win_tf210_no_msvcp1(origin):
    m = windows(origin, 19045, "22H2", GTX1660, "516.94", runtime=("msvcp140.dll", "vcruntime140.dll"))
    tf210_windows(m)
    conda_cuda112(m)
    return m.done()


@machine(STORY + "Windows 11, TensorFlow 2.16.1: a shell around tensorflow-intel, whose build is for the CPU")
def win11_native(origin):
    m = windows(origin, 22631, "23H2", RTX3060, "552.44")
    conda_env(m, "tf", "3.11.9", "h631f459_0_cpython")
    tensorflow(m, "tensorflow", "2.16.1", "cp311-cp311-win_amd64", numpy="1.26.4", source=("tensorflow-intel", "cp311-cp311-win_amd64"))
    return m.done()


def tf28_cuda116(origin, cudnn):
    m = windows(origin, 19044, "21H2", RTX3060, "516.94")
    conda_env(m, "tf", "3.9.13", "h6244533_1")
    tensorflow(m, "tensorflow", "2.8.0", "cp39-cp39-win_amd64", numpy="1.22.4")
    root = toolkit(m, "11.6", CUDA11_DLLS)
    cudnn_set(m, root, cudnn, {})
    if cudnn >= (8, 3):
        m.put(root + "\\bin\\zlibwapi.dll", parts.made_pe((1, 2, 3, 0), "zlibwapi.dll of zlib 1.2.3, which cuDNN's guide names"))
    return m.done()


@machine(STORY + "Windows, TensorFlow 2.8.0 (built for CUDA 11.2, cuDNN 8.1) over CUDA 11.6 and cuDNN 8.8")
def tf28_cuda116_cudnn88(origin):
    return tf28_cuda116(origin, (8, 8, 1, 3))


@machine(STORY + "the same with cuDNN 8.1: CUDA 11.6 alone is untested, and works by design")
def tf28_cuda116_cudnn81(origin):
    return tf28_cuda116(origin, (8, 1, 1, 33))


def cudnn_set(m, root, main, others):
    names = ["ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"]
    m.put(root + "\\bin\\cudnn64_8.dll", cudnn_dll(main))
    for n in names:
        v = others.get(n, main)
        m.put(f"{root}\\bin\\cudnn_{n}64_8.dll", parts.made_pe(v, f"cudnn_{n}64_8.dll of cuDNN {v[0]}.{v[1]}"))


def tf210_toolkit112(origin, others):
    m = windows(origin, 19045, "22H2", RTX3060, "516.94")
    tf210_windows(m)
    cudnn_set(m, toolkit(m, "11.2", CUDA11_DLLS), (8, 1, 1, 33), others)
    return m.done()


@machine(STORY + "cuDNN copied by hand: the main library of 8.1 beside an older or newer part of 8.4")
def cudnn_mixed(origin):
    return tf210_toolkit112(origin, {"ops_infer": (8, 4, 1, 50)})


@machine(STORY + "the same copied whole")
def cudnn_whole(origin):
    return tf210_toolkit112(origin, {})


# --- TensorFlow on Linux ------------------------------------------------------------------------------------------

RTX3090 = ("01:00.0", "0x10de", "0x2204")


def linux_gpu(m, driver, gpus=((RTX3090, "NVIDIA GeForce RTX 3090"),), flavour="proprietary"):
    for i, ((slot, vendor, device), _) in enumerate(gpus):
        pci(m, slot, vendor, device, driver="nvidia")
    loaded(m, driver, [(g[0], name, UUID.format(i)) for i, (g, name) in enumerate(gpus)], flavour)
    libcuda(m, driver)
    return m


def cuda11_in_system(m):
    """CUDA 11.8 in the loader's own folder; cudart is Debian's, of the rest the first bytes of NVIDIA's wheels."""
    m.put(LIB + "/libcudart.so.11.8.89", parts.real_file(deb("libcudart11.0_11.8.89~11.8.0-5~deb12u1", LIB + "/libcudart.so.11.8.89"),
                                                         "Debian package libcudart11.0 11.8.89~11.8.0-5~deb12u1"))
    m.link(LIB + "/libcudart.so.11.0", "libcudart.so.11.8.89")
    m.cache.append(("libcudart.so.11.0", "/lib/x86_64-linux-gnu/libcudart.so.11.0"))
    for name, version, member, full in (("cublas", "11.11.3.6", "libcublas.so.11", "11.11.3.6"), ("cublas", "11.11.3.6", "libcublasLt.so.11", "11.11.3.6"),
                                        ("cufft", "10.9.0.58", "libcufft.so.10", "10.9.0.58"), ("curand", "10.3.0.86", "libcurand.so.10", "10.3.0.86"),
                                        ("cusolver", "11.4.1.48", "libcusolver.so.11", "11.4.1.48"), ("cusparse", "11.7.5.86", "libcusparse.so.11", "11.7.5.86")):
        x = parts.Member(f"nvidia-{name}-cu11", version, "x86_64", f"nvidia/{name}/lib/{member}", 4096)
        system_library(m, x, member, full)


def system_library(m, x, soname, full):
    real = soname.split(".so")[0] + ".so." + full
    m.put(f"{LIB}/{real}", x.node("; under the name that packages give it"))
    m.link(f"{LIB}/{soname}", real)
    m.cache.append((soname, f"/lib/x86_64-linux-gnu/{soname}"))


def cudnn8_in_system(m, version="8.6.0.163", full="8.6.0"):
    for n in ("cudnn", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer", "cudnn_cnn_train", "cudnn_adv_infer", "cudnn_adv_train"):
        x = parts.Member("nvidia-cudnn-cu11", version, "x86_64", f"nvidia/cudnn/lib/lib{n}.so.8", 4096)
        system_library(m, x, f"lib{n}.so.8", full)


def tf210_linux(origin, driver, numpy="1.23.5", card=(RTX3090, "NVIDIA GeForce RTX 3090")):
    m = linux_gpu(linux(origin), driver, (card,))
    venv(m, version="3.10.12")
    tensorflow(m, "tensorflow", "2.10.0", "cp310-cp310-manylinux*x86_64", numpy=numpy)
    cuda11_in_system(m)
    cudnn8_in_system(m)
    return finish_linux(m)


@machine(STORY + "Linux with driver 450.80.02, the least for CUDA 11, and TensorFlow 2.10.0")
def linux_tf210_driver450(origin):
    return tf210_linux(origin, "450.80.02", card=(("01:00.0", "0x10de", "0x1e07"), "NVIDIA GeForce RTX 2080 Ti"))


def tf217(m, wheels=True, **args):
    venv(m, version="3.11.2")
    meta = tensorflow(m, "tensorflow", "2.17.0", "cp311-cp311-manylinux*x86_64", numpy="1.26.4")
    for n, v in pins(meta, "and-cuda") if wheels else ():
        nvidia_wheel(m, n, v)


@machine(STORY + "WSL 2 (kernel 5.15.153.1), Windows' driver in /usr/lib/wsl/lib, tensorflow[and-cuda] 2.17.0: nothing is wrong")
def wsl2_ok(origin):
    m = wsl(origin)
    m.files["/dev/dxg"] = {"type": "c", "mode": "0666", "device": [10, 125]}
    m.put("/usr/lib/wsl/lib/libcuda.so.1.1", parts.driver_library("552.44"))
    for n in ("libcuda.so.1", "libcuda.so"):
        m.link("/usr/lib/wsl/lib/" + n, "libcuda.so.1.1")
    m.files["/usr/lib/wsl/lib/nvidia-smi"] = {"size": 715512, "mode": "0755"}
    m.cache.append(("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"))
    tf217(m)
    return finish_linux(m)


def wsl(origin):
    m = linux(origin, kernel="5.15.153.1-microsoft-standard-WSL2", glibc="2.35", os_release=UBUNTU2204)
    m.files.pop("/proc/modules")
    m.text("/proc/modules", "")
    m.env["WSL_DISTRO_NAME"] = "Ubuntu-22.04"
    return m


@machine(STORY + "WSL 2 into which Windows hands no GPU: no /dev/dxg")
def wsl2_no_dxg(origin):
    m = wsl(origin)
    tf217(m, wheels=False)
    return finish_linux(m)


@machine(STORY + "a GPU, and tensorflow-cpu 2.17.0")
def cpu_only(origin):
    m = linux_gpu(linux(origin), "535.309.01")
    venv(m, version="3.11.2")
    tensorflow(m, "tensorflow-cpu", "2.17.0", "cp311-cp311-manylinux*x86_64", numpy="1.26.4")
    return finish_linux(m)


@machine("peer mistake 7 of the list: LD_LIBRARY_PATH unset, TensorFlow with its own wheels; a laptop's GeForce MX150 (PCI 10de:1d10), compute capability 6.1, 2 GB")
def laptop_mx150(origin):
    m = linux_gpu(linux(origin), "535.309.01", ((("01:00.0", "0x10de", "0x1d10"), "NVIDIA GeForce MX150"),))
    pci(m, "00:02.0", "0x8086", "0x5917", driver="i915")
    m.text("/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/class", "0x030200\n")
    tf217(m)
    return finish_linux(m)


@machine(STORY + "five CUDA versions on one machine: driver 550.54.14 (ceiling 12.4), a toolkit 11.8, wheels of 12.3 in another environment, conda's 11.2, and a TensorFlow built for 11.2")
def five_versions(origin):
    m = linux_gpu(linux(origin), "550.54.14")
    tf217(m)
    m.env.pop("VIRTUAL_ENV")
    m.env["PATH"] = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin"
    m.files["/usr/local/cuda-11.8/bin/nvcc"] = {"size": 7085888, "mode": "0755"}
    m.link("/usr/local/cuda", "cuda-11.8")
    m.text("/usr/local/cuda-11.8/version.json", '{"cuda": {"name": "CUDA SDK", "version": "11.8.0"}, "cuda_nvcc": {"name": "CUDA NVCC", "version": "11.8.89"}}\n',
           "made: as CUDA's installer writes it")
    prefix = conda_env(m, "tf", "3.10.9", "he550d4f_0_cpython")
    tensorflow(m, "tensorflow", "2.10.0", "cp310-cp310-manylinux*x86_64", numpy="1.23.5")
    conda_cuda112(m)
    libs = (("cuda-runtime", "11.7.99", "cuda_runtime/lib/libcudart.so.11.0", "libcudart.so.11.2.152", "libcudart.so.11.0"),
            ("cublas", "11.11.3.6", "cublas/lib/libcublas.so.11", "libcublas.so.11.4.1.1043", "libcublas.so.11"),
            ("cublas", "11.11.3.6", "cublas/lib/libcublasLt.so.11", "libcublasLt.so.11.4.1.1043", "libcublasLt.so.11"),
            ("cufft", "10.9.0.58", "cufft/lib/libcufft.so.10", "libcufft.so.10.4.1.152", "libcufft.so.10"),
            ("curand", "10.3.0.86", "curand/lib/libcurand.so.10", "libcurand.so.10.2.3.152", "libcurand.so.10"),
            ("cusolver", "11.4.1.48", "cusolver/lib/libcusolver.so.11", "libcusolver.so.11.1.0.152", "libcusolver.so.11"),
            ("cusparse", "11.7.5.86", "cusparse/lib/libcusparse.so.11", "libcusparse.so.11.4.1.1152", "libcusparse.so.11"),
            ("cudnn", "8.6.0.163", "cudnn/lib/libcudnn.so.8", "libcudnn.so.8.1.0", "libcudnn.so.8"))
    libs += tuple(("cudnn", "8.6.0.163", f"cudnn/lib/libcudnn_{n}.so.8", f"libcudnn_{n}.so.8.1.0", f"libcudnn_{n}.so.8")
                  for n in ("ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"))
    for n, v, member, full, soname in libs:
        m.put(f"{prefix}/lib/{full}", parts.Member(f"nvidia-{n}-cu11", v, "x86_64", "nvidia/" + member, 4096).node("; under the file name of conda's 11.2"))
        m.link(f"{prefix}/lib/{soname}", full)
    m.env["LD_LIBRARY_PATH"] = f"{prefix}/lib"
    return finish_linux(m)


# --- The driver ---------------------------------------------------------------------------------------------------

def debian_card(origin, bound=None, modules="", kernel="6.1.0-28-amd64"):
    m = linux(origin, modules=modules, kernel=kernel)
    pci(m, "01:00.0", "0x10de", "0x2204", driver=bound)
    return m


@machine("the reverse of mismatch-535: a left-over libcuda 535.261.03 is found before the driver's own 535.309.01")
def mismatch_older_library(origin):
    m = debian_card(origin, "nvidia")
    loaded(m, "535.309.01", [("01:00.0", "NVIDIA GeForce RTX 3090", UUID.format(0))])
    libcuda(m, "535.261.03", "/usr/local/lib", real=True)
    m.env["LD_LIBRARY_PATH"] = "/usr/local/lib"
    m.cache.pop()
    libcuda(m, "535.309.01", real=True)
    tf217(m)
    return finish_linux(m)


NOUVEAU = "nouveau 2433024 4 - Live 0x0000000000000000\n"


@machine("nouveau holds the card: driver 535.309.01 is installed, its module for this kernel too")
def nouveau_bound(origin):
    m = debian_card(origin, "nouveau", NOUVEAU)
    m.folder("/sys/module/nouveau")
    libcuda(m, "535.309.01")
    m.put(f"/usr/lib/modules/{m.kernel}/updates/dkms/nvidia-current.ko", parts.module("535.309.01", m.kernel))
    tf217(m)
    return finish_linux(m)


@machine("a card and no driver of any kind (peer mistakes 30 and 32: TensorFlow says error 303)")
def driver_missing(origin):
    m = debian_card(origin)
    tf217(m)
    return finish_linux(m)


@machine("a card that nouveau drives, and no NVIDIA driver: a fresh desktop installation")
def driver_missing_nouveau(origin):
    m = debian_card(origin, "nouveau", NOUVEAU)
    m.folder("/sys/module/nouveau")
    return finish_linux(m)


SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


@machine("Secure Boot is on and the module that was built is not signed")
def secure_boot(origin):
    m = debian_card(origin)
    libcuda(m, "535.309.01")
    m.put(SECURE_BOOT, {"base64": base64.b64encode(b"\6\0\0\0\1").decode(), "from": "made: efivarfs, four bytes of attributes, then 1"})
    m.put(f"/usr/lib/modules/{m.kernel}/updates/dkms/nvidia-current.ko", parts.module("535.309.01", m.kernel, signed=False))
    return finish_linux(m)


@machine("a card in a virtual machine whose kernel was built without module support, as the test machines of this project are; driver 535.309.01 installed")
def kernel_without_modules(origin):
    m = linux(origin, kernel="6.18.44", modules=None)
    pci(m, "01:00.0", "0x10de", "0x2204")
    m.files.pop(f"/usr/lib/modules/{m.kernel}")
    libcuda(m, "535.309.01")
    return finish_linux(m)


@machine("LD_LIBRARY_PATH names the toolkit's stubs folder, in which somebody made libcuda.so.1 (error 34); the stub is that of CUDA 13.0")
def stub_libcuda(origin):
    m = linux_gpu(linux(origin), "580.95.05", flavour="open")
    root = "/usr/local/cuda-13.0"
    m.put(f"{root}/lib64/stubs/libcuda.so", parts.real_file("/usr/local/cuda-13.0/lib64/stubs/libcuda.so", "stubs/libcuda.so of CUDA 13.0"))
    m.link(f"{root}/lib64/stubs/libcuda.so.1", "libcuda.so")
    m.files[f"{root}/bin/nvcc"] = {"size": 25000000, "mode": "0755"}
    m.link("/usr/local/cuda", "cuda-13.0")
    m.env["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64/stubs"
    tf217(m)
    return finish_linux(m)


@machine("the same stub where it belongs: in its toolkit, named by nobody")
def stub_unused(origin):
    m = linux_gpu(linux(origin), "580.95.05", flavour="open")
    root = "/usr/local/cuda-13.0"
    m.put(f"{root}/lib64/stubs/libcuda.so", parts.real_file("/usr/local/cuda-13.0/lib64/stubs/libcuda.so", "stubs/libcuda.so of CUDA 13.0"))
    m.files[f"{root}/bin/nvcc"] = {"size": 25000000, "mode": "0755"}
    tf217(m)
    return finish_linux(m)


@machine("peer mistake 4: driver 610.43.02, whose nvidia-smi names its lines anew, and tensorflow[and-cuda] 2.17.0: nothing is wrong")
def driver610_tf217(origin):
    m = linux_gpu(linux(origin), "610.43.02", flavour="open")
    tf217(m)
    return finish_linux(m)


@machine("peer mistake 16 and 24: no nvidia-smi at all, and everything else well: nothing is wrong")
def no_nvidia_smi(origin):
    m = linux_gpu(linux(origin), "550.54.14")
    m.files.pop("/usr/bin/nvidia-smi")
    tf217(m)
    return finish_linux(m)


@machine("peer mistake 9b: toolkit 13.0 on PATH over driver 535.183.01, and tensorflow[and-cuda] 2.17.0 with its own wheels of 12.3: nothing is wrong")
def toolkit_newer_than_driver(origin):
    m = linux_gpu(linux(origin), "535.183.01")
    m.files["/usr/local/cuda-13.0/bin/nvcc"] = {"size": 25000000, "mode": "0755"}
    m.text("/usr/local/cuda-13.0/version.json", '{"cuda": {"name": "CUDA SDK", "version": "13.0.1"}}\n', "made: as CUDA's installer writes it")
    m.link("/usr/local/cuda", "cuda-13.0")
    tf217(m)
    m.env["PATH"] = "/home/ada/tf/bin:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin"
    return finish_linux(m)


@machine("peer mistake 35: TensorFlow 2.17.0 without its nvidia wheels, driver well: the libraries that it opens at run time are nowhere")
def tf217_without_wheels(origin):
    m = linux_gpu(linux(origin), "550.54.14")
    tf217(m, wheels=False)
    return finish_linux(m)


def container(origin):
    m = linux(origin, kernel="5.15.0-91-generic", glibc="2.35", os_release=UBUNTU2204)
    m.files["/.dockerenv"] = {"size": 0}
    m.text("/proc/1/cgroup", "0::/\n")
    m.text("/proc/self/mountinfo", "1 0 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AAAA,upperdir=/var/lib/docker/overlay2/0/diff\n")
    pci(m, "01:00.0", "0x10de", "0x2204", driver="nvidia")
    loaded(m, "550.54.14", [("01:00.0", "NVIDIA GeForce RTX 3090", UUID.format(0))])
    m.env.update({"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"})
    m.folder("/sys/firmware")
    return m


@machine("a Docker container started with --gpus all on a host with driver 550.54.14: nothing is wrong")
def docker_gpu(origin):
    m = container(origin)
    libcuda(m, "550.54.14")
    tf217(m)
    return finish_linux(m)


def without_nodes(m):
    for path in [p for p in m.files if p.startswith("/dev/nvidia")]:
        del m.files[path]


@machine("a pod of Kubernetes without nvidia.com/gpu in its limits, on a node with a GPU: neither nodes nor libraries")
def kubernetes_without_request(origin):
    m = container(origin)
    del m.files["/.dockerenv"]
    m.text("/proc/1/cgroup", "0::/kubepods.slice/kubepods-besteffort.slice/cri-containerd-0.scope\n")
    m.text("/proc/self/mountinfo", "1 0 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/1/fs\n")
    m.folder("/run/secrets/kubernetes.io")
    m.env["KUBERNETES_SERVICE_HOST"] = "10.96.0.1"
    for name in ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"):
        del m.env[name]
    without_nodes(m)
    tf217(m)
    return finish_linux(m)


@machine("an unprivileged LXC container with the nodes (owner nobody, 65534) and the host's driver version inside, but no lxc.cgroup.devices.allow")
def lxc_without_rule(origin):
    m = container(origin)
    del m.files["/.dockerenv"]
    for name in ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"):
        del m.env[name]
    m.env["container"] = "lxc"
    m.text("/proc/1/cgroup", "7:devices:/\n0::/init.scope\n")
    m.text("/proc/self/cgroup", "7:devices:/user.slice\n0::/user.slice\n")
    m.text("/proc/self/mountinfo", "1 0 8:1 /var/lib/lxc/101/rootfs / rw,relatime - ext4 /dev/sda1 rw\n2 1 0:30 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n")
    m.text("/sys/fs/cgroup/devices/user.slice/devices.list", "c *:* m\nb *:* m\nc 1:3 rwm\nc 1:5 rwm\nc 1:7 rwm\nc 1:8 rwm\nc 1:9 rwm\nc 5:0 rwm\nc 5:1 rwm\nc 5:2 rwm\nc 136:* rwm\n")
    for path, node in m.files.items():
        if path.startswith("/dev/nvidia"):
            node.update({"uid": 65534, "gid": 65534})
    libcuda(m, "550.54.14")
    tf217(m)
    return finish_linux(m)


@machine("apptainer exec without --nv on a machine with a GPU: the host's /dev is there, the driver's libraries are not")
def apptainer_without_nv(origin):
    m = container(origin)
    del m.files["/.dockerenv"]
    for name in ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"):
        del m.env[name]
    m.folder("/.singularity.d")
    m.env["APPTAINER_CONTAINER"] = "/home/ada/tf.sif"
    m.text("/proc/1/cgroup", "0::/init.scope\n")
    m.text("/proc/self/mountinfo", "1 0 0:50 / / ro,relatime - overlay overlay ro,lowerdir=/usr/local/var/apptainer/mnt/session/overlay-lowerdir:/usr/local/var/apptainer/mnt/session/rootfs\n")
    tf217(m)
    return finish_linux(m)


# --- PyTorch and architectures ------------------------------------------------------------------------------------

GTX1080, RTX4090, RTX5090 = ("01:00.0", "0x10de", "0x1b80"), ("01:00.0", "0x10de", "0x2684"), ("01:00.0", "0x10de", "0x2b85")
CU13 = ("cublas", "cudart", "cufft", "cufile", "cupti", "curand", "cusolver", "cusparse", "nvjitlink", "nvrtc", "nvtx")


def torch_machine(origin, driver, gpus, version, tag, toolkit_version=None, flavour="open", python_version="3.11.2"):
    m = linux_gpu(linux(origin), driver, gpus, flavour)
    venv(m, m.home + "/torch", python_version)
    torch(m, version, tag)
    for n, v in cuda_toolkit_pins(toolkit_version, CU13) if toolkit_version else ():
        nvidia_wheel(m, n, v)
    return finish_linux(m)


TORCH25, TORCH29, TORCH211 = ("2.5.1", "cp311-cp311-manylinux1*"), ("2.9.1", "cp311-cp311-manylinux*x86_64"), ("2.11.0", "cp311-cp311-manylinux*x86_64")


@machine("peer mistake 2: RTX 4090 (8.9) and torch 2.5.1 for CUDA 12.4, whose sm_86 code runs on it as it is: nothing is wrong")
def rtx4090_torch_cu124(origin):
    return torch_machine(origin, "550.54.14", ((RTX4090, "NVIDIA GeForce RTX 4090"),), *TORCH25)


@machine("peer mistake 1: driver 535.183.01 (12.2) and torch for CUDA 12.4 on an A100: 12.x runs on any driver from 525.60.13 on")
def a100_driver535_torch_cu124(origin):
    return torch_machine(origin, "535.183.01", ((("01:00.0", "0x10de", "0x20b0"), "NVIDIA A100-SXM4-40GB"),), *TORCH25)


@machine("peer mistake 10: GTX 1080 (6.1) and torch 2.11.0 for CUDA 13.0, whose oldest code is sm_75")
def gtx1080_torch_cu130(origin):
    return torch_machine(origin, "580.95.05", ((GTX1080, "NVIDIA GeForce GTX 1080"),), *TORCH211, toolkit_version="13.0.2", flavour="proprietary")


@machine("peer mistake 14: RTX 4090 and GTX 1080 in one machine, torch 2.11.0 for CUDA 13.0: two verdicts")
def two_gpus(origin):
    second = ("02:00.0", "0x10de", "0x1b80")
    return torch_machine(origin, "580.95.05", ((RTX4090, "NVIDIA GeForce RTX 4090"), (second, "NVIDIA GeForce GTX 1080")), *TORCH211,
                         toolkit_version="13.0.2", flavour="proprietary")


@machine("peer mistake 3: B300 (10.3) and torch 2.9.1 for CUDA 12.8, whose plain sm_100 code runs on it: nothing is wrong")
def b300_torch_cu128(origin):
    return torch_machine(origin, "580.95.05", ((("01:00.0", "0x10de", "0x3182"), "NVIDIA B300 SXM6 AC"),), *TORCH29)


@machine("H100, driver 595.45.04, torch 2.15.0 for CUDA 13.2, newer than the tables: nothing is wrong")
def h100_torch_215(origin):
    return torch_machine(origin, "595.45.04", ((("01:00.0", "0x10de", "0x2330"), "NVIDIA H100 80GB HBM3"),), "2.15.0",
                         "cp312-cp312-manylinux*x86_64", toolkit_version="13.2.2", python_version="3.12.3")


@machine("peer mistakes 11 and 12: RTX 5090 (12.0) and torch 2.5.1 for CUDA 11.8; that wheel is not on PyPI, its version.py and libraries are made after those of 2.5.1+cu124")
def rtx5090_torch_cu118(origin):
    m = linux_gpu(linux(origin), "575.57.08", ((RTX5090, "NVIDIA GeForce RTX 5090"),), "open")
    site = venv(m, m.home + "/torch")
    info = f"{site}/torch-2.5.1+cu118.dist-info"
    cu11 = (("cuda-nvrtc", "11.8.89"), ("cuda-runtime", "11.8.89"), ("cublas", "11.11.3.6"), ("cufft", "10.9.0.58"), ("curand", "10.3.0.86"),
            ("cusolver", "11.4.1.48"), ("cusparse", "11.7.5.86"), ("cudnn", "9.1.0.70"))
    m.text(info + "/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.5.1+cu118\nRequires-Python: >=3.8.0\n" +
           "".join(f"Requires-Dist: nvidia-{n}-cu11 (=={v}) ; platform_system == \"Linux\" and platform_machine == \"x86_64\"\n" for n, v in cu11),
           "made: after torch 2.5.1's, with the pins of CUDA 11.8")
    m.text(info + "/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n")
    m.text(info + "/INSTALLER", "pip\n")
    m.empty(f"{site}/torch/__init__.py")
    x = parts.Member("torch", *TORCH25, "torch/version.py")
    m.text(f"{site}/torch/version.py", x.text().replace("+cu124", "+cu118").replace("'12.4'", "'11.8'"), "made: " + x.origin() + " with +cu118 and 11.8")
    m.put(f"{site}/torch/lib/libtorch_cuda.so",
          parts.needing(["libc10_cuda.so", "libcudart.so.11.0", "libcusparse.so.11", "libcurand.so.10", "libcufft.so.10", "libcublas.so.11",
                         "libcublasLt.so.11", "libcudnn.so.9"],
                        ":".join(f"$ORIGIN/../../nvidia/{d}/lib" for d in ("cublas", "cuda_cupti", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft",
                                                                           "curand", "cusolver", "cusparse")) + ":$ORIGIN",
                        "DT_NEEDED and DT_RPATH as torch's build scripts write them for CUDA 11.8"))
    for n, v in cu11:
        nvidia_wheel(m, f"nvidia-{n}-cu11", v)
    return finish_linux(m)


# --- The newest TensorFlow with everything that its extra takes ---------------------------------------------------

# What pip took for tensorflow[and-cuda] 2.21.0, whose pins are ranges, on 2026-12-01.
AND_CUDA_221 = (("cublas", "12.9.3.13"), ("cuda-cupti", "12.9.79"), ("cuda-nvcc", "12.9.86"), ("cuda-nvrtc", "12.9.86"),
                ("cuda-runtime", "12.9.79"), ("cudnn", "9.28.0.42"), ("cufft", "11.4.1.4"), ("curand", "10.3.10.19"),
                ("cusolver", "11.7.5.82"), ("cusparse", "12.5.10.65"), ("nccl", "2.32.3"), ("nvjitlink", "12.9.86"))


def tf221(origin, driver, card, **args):
    m = linux_gpu(linux(origin), driver, (card,), "open")
    venv(m, version="3.12.3")
    tensorflow(m, "tensorflow", "2.21.0", "cp312-cp312-manylinux*x86_64", numpy="2.2.6")
    for n, v in AND_CUDA_221:
        nvidia_wheel(m, f"nvidia-{n}-cu12", v)
    m.env.update(args)
    return finish_linux(m)


@machine("the whole environment of tensorflow[and-cuda] 2.21.0 on an RTX 4090: its wheel searches no folder of cuSOLVER, so no GPU is used")
def tf221_and_cuda(origin):
    return tf221(origin, "580.95.05", (RTX4090, "NVIDIA GeForce RTX 4090"))


@machine("story 28: the same with LD_LIBRARY_PATH for cuSOLVER on an RTX 5090 (12.0), for which the wheel holds PTX 9.0 alone: it works after minutes")
def tf221_rtx5090(origin):
    return tf221(origin, "580.95.05", (RTX5090, "NVIDIA GeForce RTX 5090"),
                 LD_LIBRARY_PATH="/home/ada/tf/lib/python3.12/site-packages/nvidia/cusolver/lib")


# --- No NVIDIA GPU ------------------------------------------------------------------------------------------------

@machine("an AMD card alone (Radeon RX 6800, 1002:73bf) and torch 2.5.1 for CUDA")
def amd_only(origin):
    m = linux(origin)
    pci(m, "03:00.0", "0x1002", "0x73bf", driver="amdgpu")
    venv(m, m.home + "/torch")
    torch(m, *TORCH25)
    return finish_linux(m)


@machine("a virtual machine with a paravirtual display (1af4:1050) and tensorflow[and-cuda] 2.17.0")
def no_gpu_vm(origin):
    m = linux(origin)
    pci(m, "00:02.0", "0x1af4", "0x1050", cls="0x038000", driver="virtio-pci")
    tf217(m, wheels=False)
    return finish_linux(m)


@machine("what a bug report says and no more: /proc/driver/nvidia/version 550.54.14 and an environment with tensorflow 2.17.0; the rest was not asked (peer mistake 24: never ok)")
def report_only(origin):
    m = linux(origin)
    tf217(m, wheels=False)
    keep = ("/proc/version", "/etc/os-release", "/home/", "/usr/bin/python3")
    m.doc["files"] = m.files = {p: n for p, n in m.files.items() if p.startswith(keep)}
    m.text("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\n")
    m.doc["complete"] = ["env"]
    return m.done()


@machine("a graphics device whose maker may not be read: it may be the GPU")
def gpu_vendor_denied(origin):
    m = linux(origin)
    pci(m, "01:00.0", "0x10de", "0x2204")
    m.files["/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/vendor"] = {"size": 4096, "mode": "0000", "error": "denied", "note": "Permission denied"}
    return finish_linux(m)


@machine("the same virtual machine with tensorflow-cpu: nobody waits for a GPU there")
def no_gpu_vm_cpu(origin):
    m = linux(origin)
    pci(m, "00:02.0", "0x1af4", "0x1050", cls="0x038000", driver="virtio-pci")
    venv(m, version="3.11.2")
    tensorflow(m, "tensorflow-cpu", "2.17.0", "cp311-cp311-manylinux*x86_64", numpy="1.26.4")
    return finish_linux(m)



def torch_env(origin):
    m = linux_gpu(linux(origin), "580.95.05", ((RTX4090, "NVIDIA GeForce RTX 4090"),), "open")
    venv(m, m.home + "/torch")
    return m


@machine("torch 2.9.1 with its companions as pip puts them together: torchvision 0.24.1, torchaudio 2.9.1, triton 3.5.1: nothing is wrong")
def torch29_companions(origin):
    m = torch_env(origin)
    torch(m, *TORCH29)
    dist(m, "torchvision", "0.24.1", TORCH29[1])
    dist(m, "torchaudio", "2.9.1", TORCH29[1])
    dist(m, "triton", "3.5.1", TORCH29[1])
    return finish_linux(m)


@machine("torch upgraded alone: torchvision 0.20.1, which goes with torch 2.5.1, beside torch 2.9.1")
def torch29_torchvision_old(origin):
    m = torch_env(origin)
    torch(m, *TORCH29)
    dist(m, "torchvision", "0.20.1", "cp311-cp311-manylinux1*")
    return finish_linux(m)


@machine("a partial downgrade: torch 2.5.1 for CUDA 12.4 with nvJitLink of CUDA 12.1 (undefined symbol: __nvJitLinkComplete_12_4)")
def torch25_nvjitlink_old(origin):
    m = torch_env(origin)
    meta = torch(m, *TORCH25, wheels=False)
    for n, v in pins(meta):
        nvidia_wheel(m, n, "12.1.105" if n == "nvidia-nvjitlink-cu12" else v)
    return finish_linux(m)


@machine("pip.conf names PyTorch's CPU index: torch 2.5.1+cpu; that wheel is not on PyPI, its version.py is made after that of 2.5.1+cu124")
def torch_cpu_index(origin):
    m = torch_env(origin)
    info = f"{m.site}/torch-2.5.1+cpu.dist-info"
    m.text(info + "/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.5.1+cpu\nRequires-Python: >=3.8.0\nRequires-Dist: filelock\n",
           "made: after torch 2.5.1's, without NVIDIA's packages")
    m.text(info + "/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n")
    m.text(info + "/INSTALLER", "pip\n")
    m.empty(f"{m.site}/torch/__init__.py")
    x = parts.Member("torch", *TORCH25, "torch/version.py")
    m.text(f"{m.site}/torch/version.py", x.text().replace("+cu124", "+cpu").replace("'12.4'", "None"), "made: " + x.origin() + " with +cpu and None")
    m.text(m.home + "/.config/pip/pip.conf", "[global]\nextra-index-url = https://download.pytorch.org/whl/cpu\n")
    return finish_linux(m)


assert MACHINES
