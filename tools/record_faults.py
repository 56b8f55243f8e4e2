"""Machines with one thing wrong, and their near misses, in the words of record_list.py."""
import re

import compose_parts as parts
from record_list import *  # noqa: F401,F403: its words are ours


# --- Faults, and their near misses --------------------------------------------------------------------------------

def desktop(m, driver="535.309.01", name="RTX 3090"):
    kernel(m, "6.1.0-28-amd64")
    debian(m)
    driver_files(m, driver)
    card(m, driver, name)


def conda_tf(m):
    """The machine of conda-tf210 before TensorFlow is installed."""
    desktop(m)
    base, prefix = "/home/ada/miniconda3", "/home/ada/miniconda3/envs/tf"
    conda_base(m, base)
    conda_cuda118(m, prefix, "3.10.13", "hd12c33a_1_cpython")
    m.env.update({"CONDA_PREFIX": prefix, "CONDA_DEFAULT_ENV": "tf", "CONDA_EXE": f"{base}/bin/conda", "LD_LIBRARY_PATH": f"{prefix}/lib",
                  "PATH": f"{prefix}/bin:{base}/condabin:" + m.env["PATH"]})
    m.text("/home/ada/.bashrc", BASHRC.replace("BASE", base))
    return prefix


def tf2100(m, numpy="1.23.5", more=()):
    m.wheel("tensorflow", "2.10.0", "cp310-cp310-manylinux*x86_64", requested=True)
    m.wheel("libclang", "18.1.1", "manylinux2010_x86_64")
    names = {re.split(r"[<=>]", x)[0] for x in more}
    m.pip(f"numpy=={numpy}", *[x for x in TF210 if re.split(r"[<=>]", x)[0] not in names], *more)


@machine("story 7: conda prefix with cudatoolkit 11.8, TensorFlow 2.10.0, and NumPy 2.0.2 by pip")
def py310_tf210_numpy2(m):
    conda_tf(m)
    tf2100(m)
    site = m.at + m.site
    for n in os.listdir(site):
        if n.startswith("numpy"):
            m.remove(f"{m.site}/{n}")
    m.pip("numpy==2.0.2", extra=("--no-deps",))
    m.ldconfig()


@machine("story 7, near miss: the same with NumPy 1.26.4: nothing is wrong")
def py310_tf210_numpy126(m):
    conda_tf(m)
    tf2100(m, "1.26.4")
    m.ldconfig()


@machine("the same TensorFlow 2.10.0 with Keras 3")
def tf210_keras3(m):
    conda_tf(m)
    tf2100(m)
    for n in os.listdir(m.at + m.site):
        if n == "keras" or n.startswith("keras-2"):
            m.remove(f"{m.site}/{n}")
    m.pip("keras==3.6.0", extra=("--no-deps",))
    m.ldconfig()


@machine("the same TensorFlow 2.10.0 with protobuf 5.28.3, which refuses its generated code")
def tf210_protobuf5(m):
    conda_tf(m)
    tf2100(m)
    for n in os.listdir(m.at + m.site):
        if n.startswith(("protobuf-", "protobuf-3")):
            m.remove(f"{m.site}/{n}")
    m.pip("protobuf==5.28.3", extra=("--no-deps",))
    m.ldconfig()


def user_site(m, version="3.11"):
    """What pip install --user once left below the home folder: tensorflow-cpu 2.15.1 and NumPy 2.2.6."""
    site = f"/home/ada/.local/lib/python{version}/site-packages"
    m.wheel("tensorflow-cpu", "2.15.1", "cp311-cp311-manylinux*x86_64", site=site)
    m.wheel("numpy", "2.2.6", "cp311-cp311-manylinux*x86_64", site=site)


@machine("~/.local holds tensorflow-cpu 2.15.1 and NumPy 2.2.6; Miniconda's base with tensorflow[and-cuda] 2.15.1 finds those first")
def home_local_over_conda(m):
    desktop(m)
    base = "/home/ada/miniconda3"
    m.conda(base, [conda_python("3.11.7", "h955ad1f_0"), ("conda", "24.11.1", "py311h06a4308_0", (), {"condabin/conda": b"#!/bin/sh\n", "bin/conda": b"#!/bin/sh\n"}, {})],
            ["python ==3.11.7", "conda"])
    m.note(f"{base}/bin/python3.11", "made: pyenv's build stands for conda's: the program of CPython 3.11.7")
    m.site, m.python, m.tool, m.prefix = f"{base}/lib/python3.11/site-packages", "/mnt/tools/bin/python", "prefix", base
    meta = m.wheel("tensorflow", "2.15.1", "cp311-cp311-manylinux*x86_64", requested=True)
    m.pins(meta, "and-cuda")
    m.pip("numpy==1.26.4", "keras==2.15.0", "protobuf==4.25.5", "absl-py", "six", "wrapt<1.15", "typing-extensions", "ml-dtypes==0.3.2", "h5py", "gast", "packaging")
    user_site(m)
    m.text("/home/ada/.bashrc", BASHRC.replace("BASE", base))
    m.env.update({"PATH": f"{base}/bin:{base}/condabin:" + m.env["PATH"], "CONDA_PREFIX": base, "CONDA_DEFAULT_ENV": "base"})
    m.ldconfig()


@machine("near miss: the same ~/.local beside a venv, which does not look there: nothing is wrong")
def home_local_beside_venv(m):
    bare_debian12_tf215(m)
    user_site(m)


@machine("two packages of one folder: tensorflow 2.10.1, then tensorflow-gpu 2.9.3 over it")
def tf_and_tf_gpu(m):
    conda_tf(m)
    tf210(m)
    m.wheel("tensorflow-gpu", "2.9.3", "cp310-cp310-manylinux*x86_64", requested=True)
    m.ldconfig()


@machine("a removal that broke off: torch 2.4.1's record and Python files are there, its libraries are gone")
def torch_half_removed(m):
    uv_torch24(m)
    m.remove(f"{m.site}/torch/lib")
    m.remove(f"{m.site}/torch/_C.cpython-311-x86_64-linux-gnu.so")


@machine("torch 2.4.1 with torchvision 0.20.1, which is built for torch 2.5.1")
def torch24_torchvision020(m):
    uv_torch24(m)
    m.wheel("torchvision", "0.20.1", "cp311-cp311-manylinux*", installer="uv")


@machine("near miss: torch 2.4.1 with its own torchvision 0.19.1: nothing is wrong")
def torch24_torchvision019(m):
    uv_torch24(m)
    m.wheel("torchvision", "0.19.1", "cp311-cp311-manylinux*", installer="uv")


@machine("torch 2.4.1 whose cuDNN 9.1 was replaced by TensorFlow's 8.9.7.29")
def torch24_cudnn8(m):
    uv_torch24(m)
    for n in os.listdir(m.at + m.site):
        if n.startswith("nvidia_cudnn_cu12"):
            m.remove(f"{m.site}/{n}")
    m.remove(f"{m.site}/nvidia/cudnn")
    m.wheel("nvidia-cudnn-cu12", "8.9.7.29")


@machine("tensorflow[and-cuda] 2.16.1 with all its wheels: of their folders its library names cuda_runtime alone")
def tf2161_and_cuda(m):
    desktop(m)
    m.venv("/home/ada/tf")
    tf(m, "2.16.1", "cp311-cp311-manylinux*x86_64")
    m.ldconfig()


@machine("tensorflow[and-cuda] 2.21.0 with all its wheels: its library names no folder of cusolver")
def tf221_and_cuda(m):
    desktop(m)
    m.venv("/home/ada/tf", "virtualenv", "3.12.1", pyenv(m, "3.12.1"))
    meta = m.wheel("tensorflow", "2.21.0", "cp312-cp312-manylinux*x86_64", requested=True)
    for n, v in JAX + (("nvidia-curand-cu12", "10.3.9.90"),):
        m.wheel(n, v)
    if "libclang" in meta:
        m.wheel("libclang", "18.1.1", "manylinux2010_x86_64")
    m.pip("tensorflow==2.21.0")
    pyenv_files(m, "3.12.1")
    m.ldconfig()


@machine("peer mistake 15: module 535.261.03 runs, Debian's packages were updated to 535.309.01: error 803, NVML 18")
def mismatch_535(m):
    kernel(m, "6.1.0-28-amd64")
    debian(m)
    driver_debian(m)
    dkms(m, "535.309.01")
    card(m, "535.261.03")
    m.venv("/home/ada/tf")
    tf(m, "2.15.1", "cp311-cp311-manylinux*x86_64")
    m.ldconfig()


@machine("driver 535.309.01 of Debian's packages, the kernel was upgraded to 6.1.0-30 and DKMS built the module for 6.1.0-28 alone (peer mistake 15, exit 9)")
def driver_not_loaded(m):
    kernel(m, "6.1.0-30-amd64")
    debian(m)
    driver_debian(m)
    dkms(m, "535.309.01", kernel_release="6.1.0-28-amd64")
    pci(m, "01:00.0", "0x10de", "0x2204")
    m.venv("/home/ada/tf")
    tf(m, "2.15.1", "cp311-cp311-manylinux*x86_64")
    m.ldconfig()


@machine("the image of runc-torch24 started without --gpus: the host's /proc/driver/nvidia is seen, no device node and no libcuda")
def docker_without_gpus(m):
    image(m)
    debian(m)
    m.empty("/.dockerenv")
    m.env.update({"HOME": "/root"})
    container_card(m, "535.309.01")
    m.nodes = []
    m.venv("/opt/venv")
    torch(m, "2.4.1", "cp311-cp311-manylinux1*")
    m.ldconfig()


CENTOS7 = """NAME="CentOS Linux"
VERSION="7 (Core)"
ID="centos"
ID_LIKE="rhel fedora"
VERSION_ID="7"
PRETTY_NAME="CentOS Linux 7 (Core)"
"""


@machine("CentOS 7 with glibc 2.17 and jax[cuda12] 0.12.0.1, whose wheels are for 2.27 and later; copied there, as pip would not install them")
def centos7_jax(m):
    kernel(m, "3.10.0-1160.el7.x86_64")
    foreign(m, CENTOS7, "2.17", "/usr/lib64")
    driver_files(m, "535.309.01", "/usr/lib64")
    card(m, "535.309.01", "RTX 4090")
    jax_stack(m)


@machine("a Celeron without AVX, GTX-class card, tensorflow[and-cuda] 2.15.1: Illegal instruction")
def celeron_tf215(m):
    bare_debian12_tf215(m)
    m.text("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Celeron(R) G3930 CPU @ 2.90GHz\n"
           "flags\t\t: fpu sse sse2 pni ssse3 cx16 sse4_1 sse4_2 movbe popcnt xsave abm\n")
