"""The machines that are recorded; record_parts.py has the words used here."""
import os
import re
import subprocess
import tarfile

import compose_parts as parts
import record_parts
from compose import loaded, pci
from record_parts import LIB, PARTS, debian_package, run

MACHINES = {}
UUID = "GPU-00000000-1111-2222-3333-44444444444{}"
CARDS = {"RTX 3090": ("0x2204", "NVIDIA GeForce RTX 3090"), "RTX 4090": ("0x2684", "NVIDIA GeForce RTX 4090"), "A100": ("0x20b0", "NVIDIA A100-SXM4-40GB"),
         "RTX 2080 Ti": ("0x1e07", "NVIDIA GeForce RTX 2080 Ti"), "H100": ("0x2330", "NVIDIA H100 80GB HBM3")}
CU12 = "manylinux*x86_64"


def machine(origin, **args):
    def keep(fn):
        MACHINES[fn.__name__.replace("_", "-")] = (fn, "recorded through the program: " + origin, args)
        return fn
    return keep


# --- The system ---------------------------------------------------------------------------------------------------

def kernel(m, release, cpu="AMD Ryzen 7 5800X 8-Core Processor", vendor="AuthenticAMD", memory=32791328):
    """The kernel's side as a folder: texts in the formats of /proc and /sys."""
    m.sys["release"] = m.kernel = release
    m.text("/proc/version", f"Linux version {release} (build@example) (gcc 12.2.0) #1 SMP PREEMPT_DYNAMIC\n")
    m.text("/proc/modules", "")
    m.text("/proc/cpuinfo", f"processor\t: 0\nvendor_id\t: {vendor}\nmodel name\t: {cpu}\n"
           "flags\t\t: fpu sse sse2 pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt xsave avx f16c abm bmi1 avx2 bmi2\n")
    m.text("/sys/devices/system/cpu/online", "0-15\n")
    m.text("/proc/meminfo", f"MemTotal:       {memory} kB\nMemFree:        {memory // 2} kB\nMemAvailable:   {memory // 2} kB\n")
    m.text("/proc/self/status", "Name:\ttenon\nUid:\t{0}\t{0}\t{0}\t{0}\nGid:\t{0}\t{0}\t{0}\t{0}\nGroups:\t44 {0} \n".format(m.uid))
    m.text("/proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units     \n"
           "Max cpu time              unlimited            unlimited            seconds   \n"
           "Max stack size            8388608              unlimited            bytes     \n"
           "Max processes             127842               127842               processes \n"
           "Max open files            1048576              1048576              files     \n"
           "Max locked memory         4203024384           4203024384           bytes     \n"
           "Max address space         unlimited            unlimited            bytes     \n")
    m.text("/proc/1/cgroup", "0::/init.scope\n")
    m.text("/proc/self/mountinfo", "24 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
           "29 24 0:26 / /dev/shm rw,nosuid,nodev shared:5 - tmpfs tmpfs rw\n")
    m.node("/dev/null", {"type": "c", "mode": "0666", "device": [1, 3]})
    m.folder("/dev/shm")
    m.folder("/sys/bus/pci/devices")
    m.folder(f"/usr/lib/modules/{release}")
    m.text("/etc/hostname", m.sys["node"] + "\n")
    m.text("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n" + (f"{m.user}:x:{m.uid}:{m.uid}::{m.home}:/bin/bash\n" if m.uid else ""))
    m.folder(m.home)
    m.env.update({"HOME": m.home, "USER": m.user, "SHELL": "/bin/bash", "LANG": "C.UTF-8"})


def usr(m):
    for short in ("lib", "bin", "sbin", "lib64"):
        m.link("/" + short, "usr/" + short)
        m.folder("/usr/" + short)
    for d in ("/usr/local/bin", "/usr/local/lib", "/opt", "/root", "/tmp", "/run"):
        m.folder(d)


LIBC = r"/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux-[\w-]+)\.so"


def debian(m, python=True):
    """A small Debian 12: its own base files, glibc and Python, entered into dpkg's status."""
    usr(m)
    m.folder("/var/lib/dpkg/info")
    m.text("/var/lib/dpkg/status", "")
    m.deb("base-files", r"^/(etc|usr/lib)/(os-release|debian_version|issue|host.conf)")
    m.deb("libc-bin", r"^/etc/")
    m.deb("libc6", LIBC)
    m.deb("libgcc-s1", LIBC)
    m.deb("libstdc++6", LIBC)
    if python:
        debian_python(m)


def debian_python(m):
    m.deb("python3.11-minimal", r"/usr/bin/")
    m.deb("libpython3.11-minimal", r"/usr/lib/python3.11/(os|site)\.py$")
    m.deb("python3-minimal", r"/usr/bin/python3$")
    m.folder("/usr/lib/python3/dist-packages")
    m.folder("/usr/local/lib/python3.11/dist-packages")


def foreign(m, os_release, glibc, lib=LIB):
    """Another distribution: its os-release in the real format; the C library is made, only its version nodes count."""
    usr(m)
    m.text("/usr/lib/os-release", os_release)
    m.link("/etc/os-release", "../usr/lib/os-release")
    m.put(f"{lib}/libc.so.6", parts.libc(glibc))
    m.text("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n")
    if lib == LIB:
        m.text("/etc/ld.so.conf.d/x86_64-linux-gnu.conf", "/usr/local/lib/x86_64-linux-gnu\n/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n")


def interpreter(m, path, version, words="pyenv's build stands for it"):
    """A Python program: a real one of that version of pyenv."""
    two = ".".join(version.split(".")[:2])
    m.copy(path, os.path.expanduser(f"~/.pyenv/versions/{version}/bin/python{two}"))
    m.note(path, f"made: {words}: the program of CPython {version}")


UBUNTU2204 = """PRETTY_NAME="Ubuntu 22.04.5 LTS"
NAME="Ubuntu"
VERSION_ID="22.04"
VERSION="22.04.5 LTS (Jammy Jellyfish)"
VERSION_CODENAME=jammy
ID=ubuntu
ID_LIKE=debian
"""
FEDORA40 = """NAME="Fedora Linux"
VERSION="40 (Workstation Edition)"
ID=fedora
VERSION_ID=40
VERSION_CODENAME=""
PLATFORM_ID="platform:f40"
PRETTY_NAME="Fedora Linux 40 (Workstation Edition)"
"""


# --- The driver ---------------------------------------------------------------------------------------------------

def card(m, version, name="RTX 3090", flavour="proprietary", n=1):
    device, model = CARDS[name]
    slots = [f"{i + 1:02x}:00.0" for i in range(n)]
    for s in slots:
        pci(m, s, "0x10de", device, driver="nvidia", cls="0x030200" if name in ("A100", "H100") else "0x030000")
    loaded(m, version, [(s, model, UUID.format(i)) for i, s in enumerate(slots)], flavour)
    m.note("/proc/driver/nvidia/version", "made: format of nv-procfs.c, as posted for other releases")


REAL = {"535.309.01": ("libcuda1", "libnvidia-ml1", "nvidia-smi", "current"), "535.261.03": ("libcuda1=535.261.03-1", "libnvidia-ml1=535.261.03-1", "nvidia-smi=535.261.03-1", "current"),
        "525.147.05": ("libnvidia-tesla-cuda1", "libnvidia-tesla-ml1", "nvidia-tesla-smi", "tesla"),
        "470.256.02": ("libnvidia-tesla-470-cuda1", "libnvidia-tesla-470-ml1", "nvidia-tesla-470-smi", "tesla-470")}


def driver_files(m, version, where=LIB, links=True, smi="/usr/bin/nvidia-smi"):
    """The driver's user side as NVIDIA's own installer and container tools place it: the real files, taken out of Debian's packages."""
    for stem, package in zip(("libcuda", "libnvidia-ml"), REAL[version][:2]):
        folder = debian_package(package)[1]
        m.copy(f"{where}/{stem}.so.{version}", f"{folder}{LIB}/nvidia/{REAL[version][3]}/{stem}.so.{version}", f"{stem}.so.{version} of Debian package {os.path.basename(folder)}")
        if links:
            m.link(f"{where}/{stem}.so.1", f"{stem}.so.{version}")
            m.link(f"{where}/{stem}.so", f"{stem}.so.1")
    folder = debian_package(REAL[version][2])[1]
    m.copy(smi, f"{folder}/usr/lib/nvidia/{REAL[version][3]}/nvidia-smi", f"nvidia-smi of Debian package {os.path.basename(folder)}")


def driver_debian(m, version="535.309.01"):
    """Debian's own packages with the links that its alternatives make."""
    for package in REAL[version][:3]:
        m.deb(package, r"\.so|/nvidia-smi|/etc/")
    at = REAL[version][3]
    for stem in ("libcuda", "libnvidia-ml"):
        link = f"nvidia--{stem}.so.1-x86_64-linux-gnu"
        m.link(f"/etc/alternatives/{link}", f"{LIB}/nvidia/{at}/{stem}.so.1")
        m.link(f"{LIB}/{stem}.so.1", f"/etc/alternatives/{link}")
    m.link("/etc/alternatives/nvidia--nvidia-smi", f"/usr/lib/nvidia/{at}/nvidia-smi")
    m.link("/usr/bin/nvidia-smi", "/etc/alternatives/nvidia--nvidia-smi")


def dkms(m, version, name="nvidia-current", kernel_release=None):
    release = kernel_release or m.kernel
    m.put(f"/usr/lib/modules/{release}/updates/dkms/{name}.ko", parts.module(version, release))


# --- Python packages ----------------------------------------------------------------------------------------------

def tf(m, version, tag, cuda=True, deps=(), name="tensorflow"):
    """A TensorFlow as pip leaves it, hollow, its CUDA wheels and its small dependencies by the real pip."""
    meta = m.wheel(name, version, tag, requested=True)
    if cuda:
        m.pins(meta, "and-cuda")
    if any("libclang" in x for x in re.findall(r"^Requires-Dist: (.*)$", meta, re.M)):
        m.wheel("libclang", "18.1.1", "manylinux2010_x86_64")
    m.pip(f"{name}=={version}", *deps)


def torch(m, version, tag, deps=("numpy==1.26.4",)):
    meta = m.wheel("torch", version, tag, requested=True)
    m.pins(meta)
    m.pip(f"torch=={version}", *deps)


# --- Healthy ------------------------------------------------------------------------------------------------------

@machine("a Debian 12 of Debian's own packages with driver 535.309.01 (alternatives, DKMS), RTX 3090, venv with tensorflow[and-cuda] 2.15.1: nothing is wrong")
def bare_debian12_tf215(m):
    kernel(m, "6.1.0-28-amd64")
    debian(m)
    driver_debian(m)
    dkms(m, "535.309.01")
    card(m, "535.309.01")
    m.venv("/home/ada/tf")
    tf(m, "2.15.1", "cp311-cp311-manylinux*x86_64")
    m.ldconfig()


@machine("torch alone: uv venv with torch 2.4.1 for CUDA 12.1, RTX 4090, driver 535.309.01 by NVIDIA's installer: nothing is wrong")
def uv_torch24(m):
    kernel(m, "6.1.0-28-amd64")
    debian(m)
    driver_files(m, "535.309.01")
    card(m, "535.309.01", "RTX 4090")
    m.venv("/home/ada/work/.venv", "uv")
    torch(m, "2.4.1", "cp311-cp311-manylinux1*")
    m.ldconfig()


@machine("CPU on purpose: no card, tensorflow-cpu 2.15.1 in a venv, CPU expected: nothing is wrong", expect="cpu")
def cpu_on_purpose(m):
    kernel(m, "6.1.0-28-amd64", "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "GenuineIntel")
    debian(m)
    pci(m, "00:02.0", "0x1234", "0x1111", driver="bochs-drm")
    m.venv("/home/ada/tf")
    tf(m, "2.15.1", "cp311-cp311-manylinux*x86_64", cuda=False, name="tensorflow-cpu")
    m.ldconfig()


# --- Containers ---------------------------------------------------------------------------------------------------

def runc(kernel_side=True):
    """Looks inside a real runc container. What the host's driver shows of itself below /proc and /sys is made: /.k of the root lies over it."""
    def start(m, argv):
        import json
        binary = debian_package("runc")[1] + "/usr/sbin/runc"
        bundle = m.at + ".bundle"
        os.makedirs(bundle)
        over = "".join(f"mount --bind /.k{d} {d}\n" for d in ("/proc/driver", "/sys/bus/pci/devices", "/sys/bus/pci/drivers", "/sys/module", "/sys/devices")
                       if kernel_side and os.path.isdir(m.at + "/.k" + d))
        static = "/.t/busybox"
        m.copy("/.t/busybox", debian_package("busybox-static")[1] + "/bin/busybox")
        m.source.pop("/.t/busybox", None)
        script = f"set -e\n{over.replace('mount', static + ' mount')}cd {m.home}\nexec \"$@\""
        run(binary, "spec", cwd=bundle)
        with open(bundle + "/config.json", encoding="utf-8") as f:
            c = json.load(f)
        c["process"].update({"terminal": False, "args": [static, "sh", "-c", script, "sh", *argv], "env": [f"{k}={v}" for k, v in m.env.items()], "cwd": "/"})
        c["process"].pop("rlimits", None)
        for s in ("bounding", "effective", "permitted"):
            c["process"]["capabilities"][s] = ["CAP_SYS_ADMIN", "CAP_DAC_OVERRIDE", "CAP_CHOWN"]
        c["process"]["capabilities"].pop("inheritable", None)
        c["process"]["capabilities"].pop("ambient", None)
        c["root"] = {"path": m.at, "readonly": False}
        c["hostname"] = m.sys["node"]
        c["linux"]["maskedPaths"], c["linux"]["readonlyPaths"] = [], []
        for path, major, minor in m.nodes:
            c["linux"].setdefault("devices", []).append({"path": path, "type": "c", "major": major, "minor": minor, "fileMode": 0o666, "uid": 0, "gid": 0})
            c["linux"]["resources"]["devices"].append({"allow": True, "type": "c", "major": major, "minor": minor, "access": "rwm"})
        c["mounts"] += [{"destination": d, "type": "bind", "source": s, "options": ["bind", "ro", "nosuid", "nodev"]} for s, d in m.mounts]
        with open(bundle + "/config.json", "w", encoding="utf-8") as f:
            json.dump(c, f)
        r = subprocess.run([binary, "--root", bundle + "/state", "run", m.sys["node"]], cwd=bundle, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           stdin=subprocess.DEVNULL)
        import shutil
        shutil.rmtree(bundle)
        if r.returncode:
            raise SystemExit(f"{m.name}: runc: {r.stdout[-1500:]}")
    return start


def container_card(m, version, name="RTX 3090"):
    """The host's driver as a container with the GPU sees it; device nodes are those of the container's own /dev."""
    before = m.at
    m.at = before + "/.k"
    os.makedirs(m.at)
    card(m, version, name)
    m.text("/sys/module/nvidia_uvm/initstate", "live\n")
    m.nodes = [("/dev/nvidia0", 195, 0), ("/dev/nvidiactl", 195, 255), ("/dev/nvidia-uvm", 234, 0), ("/dev/nvidia-uvm-tools", 234, 1)]
    import shutil
    shutil.rmtree(m.at + "/dev")
    if os.path.exists(m.at + "/proc/modules"):
        os.unlink(m.at + "/proc/modules")
    m.at = before


def image(m, home="/root"):
    m.uid, m.user, m.home = 0, "root", home
    m.sys["node"] = "3f2a91c07d55"
    m.container = runc()
    m.mounts = []


@machine("a Docker container started with --gpus all: runc, driver 535.309.01 mounted into a Debian image, torch 2.4.1 in /opt/venv: nothing is wrong")
def runc_torch24(m):
    image(m)
    debian(m)
    m.empty("/.dockerenv")
    m.env.update({"HOME": "/root", "NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"})
    driver_files(m, "535.309.01")
    container_card(m, "535.309.01")
    m.venv("/opt/venv")
    torch(m, "2.4.1", "cp311-cp311-manylinux1*")
    m.ldconfig()


# --- conda --------------------------------------------------------------------------------------------------------

def cut_to(data):
    return data[:4096]


def conda_library(name, version, member, soname, full):
    """(files, links) of a library in a conda package: the first bytes of NVIDIA's wheel of the same release."""
    x = record_parts.member(f"nvidia-{name}-cu11", version, "x86_64", f"nvidia/{member}", 4096)
    return {f"lib/{full}": x.data}, {f"lib/{soname}": full}, x


def conda_python(version, build):
    two = ".".join(version.split(".")[:2])
    with open(os.path.expanduser(f"~/.pyenv/versions/{version}/bin/python{two}"), "rb") as f:
        data = f.read()
    return ("python", version, build, (), {f"bin/python{two}": data, f"lib/python{two}/site-packages/README.txt": b"This directory contains packages\n"},
            {"bin/python": f"python{two}", "bin/python3": f"python{two}"})


CUDA118 = (("cuda-runtime", "11.8.89", "cuda_runtime/lib/libcudart.so.11.0", "libcudart.so.11.0", "libcudart.so.11.8.89"),
           ("cublas", "11.11.3.6", "cublas/lib/libcublas.so.11", "libcublas.so.11", "libcublas.so.11.11.3.6"),
           ("cublas", "11.11.3.6", "cublas/lib/libcublasLt.so.11", "libcublasLt.so.11", "libcublasLt.so.11.11.3.6"),
           ("cufft", "10.9.0.58", "cufft/lib/libcufft.so.10", "libcufft.so.10", "libcufft.so.10.9.0.58"),
           ("curand", "10.3.0.86", "curand/lib/libcurand.so.10", "libcurand.so.10", "libcurand.so.10.3.0.86"),
           ("cusolver", "11.4.1.48", "cusolver/lib/libcusolver.so.11", "libcusolver.so.11", "libcusolver.so.11.4.1.48"),
           ("cusparse", "11.7.5.86", "cusparse/lib/libcusparse.so.11", "libcusparse.so.11", "libcusparse.so.11.7.5.86"))


def conda_cuda118(m, prefix, python_version, python_build, extra=()):
    """cudatoolkit 11.8 and cudnn 8 of conda-forge in a prefix that rattler made; the libraries hollow."""
    files, links, real = {}, {}, {}
    for row in CUDA118:
        f, l, x = conda_library(*row)
        files.update(f), links.update(l)
        real[next(iter(f))] = x
    dnn, dnn_links = {}, {}
    for n in ("cudnn", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer", "cudnn_cnn_train", "cudnn_adv_infer", "cudnn_adv_train"):
        f, l, x = conda_library("cudnn", "8.6.0.163", f"cudnn/lib/lib{n}.so.8", f"lib{n}.so.8", f"lib{n}.so.8.6.0")
        dnn.update(f), dnn_links.update(l)
        real[next(iter(f))] = x
    m.conda(prefix, [conda_python(python_version, python_build), ("cudatoolkit", "11.8.0", "h4ba93d1_13", ("__glibc >=2.17,<3.0.a0",), files, links),
                     ("cudnn", "8.6.0.163", "hed8a83a_0", ("cudatoolkit 11.*", "__cuda"), dnn, dnn_links), *extra],
            [f"python =={python_version}", "cudatoolkit 11.8.*", "cudnn 8.6.*"] + [e[0] for e in extra])
    for path, x in real.items():
        m.node(f"{prefix}/{path}", x.node("; under the file name of conda's package"))
    two = ".".join(python_version.split(".")[:2])
    m.note(f"{prefix}/bin/python{two}", f"made: pyenv's build stands for conda's: the program of CPython {python_version}")
    m.site, m.python, m.tool, m.prefix = f"{prefix}/lib/python{two}/site-packages", f"/mnt/pyenv/versions/{python_version}/bin/python{two}", "prefix", prefix


def conda_base(m, base, version="24.11.1", python_version="3.12.1"):
    m.conda(base, [conda_python(python_version, "h996f2a0_0"), ("conda", version, "py312h06a4308_0", (), {"condabin/conda": b"#!/bin/sh\n", "bin/conda": b"#!/bin/sh\n"}, {})],
            [f"python =={python_version}", "conda"])
    m.note(f"{base}/bin/python3.12", f"made: pyenv's build stands for conda's: the program of CPython {python_version}")


TF210 = ("absl-py<2", "astunparse", "flatbuffers<24", "gast==0.4.0", "google-pasta", "h5py<3.12", "keras==2.10.0", "keras-preprocessing", "opt-einsum", "packaging",
         "six", "termcolor", "typing-extensions", "wrapt<1.15", "tensorflow-io-gcs-filesystem<0.35", "grpcio<1.60", "tensorboard==2.10.1", "tensorflow-estimator==2.10.0",
         "protobuf==3.19.6", "setuptools<70")


def tf210(m, numpy="1.23.5", more=()):
    m.wheel("tensorflow", "2.10.1", "cp310-cp310-manylinux*x86_64", requested=True)
    m.wheel("libclang", "18.1.1", "manylinux2010_x86_64")
    if m.tool == "prefix":
        m.pip(f"numpy=={numpy}", *[x for x in TF210 if x not in more], *more)
    else:
        m.pip("tensorflow==2.10.1", f"numpy=={numpy}", *TF210, *more)


@machine("conda: a prefix made by rattler with cudatoolkit 11.8 and cudnn 8.6, TensorFlow 2.10.1 by pip in it, driver 470.256.02, RTX 2080 Ti: nothing is wrong")
def conda_tf210(m):
    kernel(m, "5.10.0-33-amd64")
    debian(m)
    driver_files(m, "470.256.02")
    card(m, "470.256.02", "RTX 2080 Ti")
    base, prefix = "/home/ada/miniconda3", "/home/ada/miniconda3/envs/tf"
    conda_base(m, base)
    conda_cuda118(m, prefix, "3.10.13", "hd12c33a_1_cpython")
    tf210(m)
    m.env.update({"CONDA_PREFIX": prefix, "CONDA_DEFAULT_ENV": "tf", "CONDA_EXE": f"{base}/bin/conda", "LD_LIBRARY_PATH": f"{prefix}/lib",
                  "PATH": f"{prefix}/bin:{base}/condabin:" + m.env["PATH"]})
    m.text("/home/ada/.bashrc", BASHRC.replace("BASE", base))
    m.text("/home/ada/.conda/environments.txt", f"{base}\n{prefix}\n")
    m.ldconfig()


BASHRC = """# >>> conda initialize >>>
# !! Contents within this block are managed by 'conda init' !!
__conda_setup="$('BASE/bin/conda' 'shell.bash' 'hook' 2> /dev/null)"
if [ $? -eq 0 ]; then
    eval "$__conda_setup"
else
    if [ -f "BASE/etc/profile.d/conda.sh" ]; then
        . "BASE/etc/profile.d/conda.sh"
    else
        export PATH="BASE/bin:$PATH"
    fi
fi
unset __conda_setup
# <<< conda initialize <<<
"""


@machine("a rental host: an Ubuntu 22.04 Docker image with Miniconda's base in /root/miniconda3, torch 2.4.1 in it, a pip mirror, driver 535.309.01 injected, RTX 4090: nothing is wrong")
def rental_host_torch(m):
    image(m)
    m.env.update({"HOME": "/root"})
    foreign(m, UBUNTU2204, "2.35")
    m.empty("/.dockerenv")
    base = "/root/miniconda3"
    m.folder("/root")
    driver_files(m, "535.309.01")
    container_card(m, "535.309.01", "RTX 4090")
    m.conda(base, [conda_python("3.11.7", "h955ad1f_0"), ("conda", "24.11.1", "py311h06a4308_0", (), {"condabin/conda": b"#!/bin/sh\n", "bin/conda": b"#!/bin/sh\n"}, {})],
            ["python ==3.11.7", "conda"])
    m.note(f"{base}/bin/python3.11", "made: pyenv's build stands for conda's: the program of CPython 3.11.7")
    m.site, m.python, m.tool, m.prefix = f"{base}/lib/python3.11/site-packages", "/mnt/tools/bin/python", "prefix", base
    m.wheel("torch", "2.4.1", "cp311-cp311-manylinux1*", requested=True)
    m.pins(record_parts.member("torch", "2.4.1", "cp311-cp311-manylinux1*", "torch-2.4.1.dist-info/METADATA").text())
    m.pip("filelock", "typing-extensions", "sympy", "networkx<3.4", "jinja2", "fsspec", "numpy==1.26.4")
    m.text("/root/.bashrc", BASHRC.replace("BASE", base))
    m.text("/etc/pip.conf", "[global]\nindex-url = https://mirrors.aliyun.com/pypi/simple/\ntrusted-host = mirrors.aliyun.com\n")
    m.env.update({"PATH": f"{base}/bin:/usr/local/nvidia/bin:/usr/local/bin:/usr/bin:/bin", "NVIDIA_VISIBLE_DEVICES": "GPU-00000000-1111-2222-3333-444444444440",
                  "NVIDIA_DRIVER_CAPABILITIES": "compute,utility,graphics,video", "LD_LIBRARY_PATH": "/usr/local/nvidia/lib:/usr/local/nvidia/lib64"})
    m.ldconfig()


# --- More healthy ones --------------------------------------------------------------------------------------------

def pyenv(m, version):
    """A pyenv of the user with one interpreter, the real one's program; virtual environments of it are made by virtualenv."""
    root, two = f"{m.home}/.pyenv", ".".join(version.split(".")[:2])
    m.env["PYENV_ROOT"] = root
    m.folder(root + "/versions")
    m.text(root + "/version", version + "\n")
    return f"{root}/versions/{version}/bin/python{two}"


def pyenv_files(m, version):
    """After the tools ran with the whole of it: what the machine keeps of the interpreter's folder."""
    root, two = f"{m.home}/.pyenv/versions/{version}", ".".join(version.split(".")[:2])
    m.copy(f"{root}/bin/python{two}", os.path.expanduser(f"~/.pyenv/versions/{version}/bin/python{two}"), f"CPython {version} built by pyenv")
    m.link(f"{root}/bin/python3", f"python{two}")
    m.link(f"{root}/bin/python", f"python{two}")
    m.folder(f"{root}/lib/python{two}/site-packages")


@machine("TensorFlow alone: pyenv's 3.11.7, virtualenv, tensorflow[and-cuda] 2.17.0, driver 535.309.01 by NVIDIA's installer, two A100: nothing is wrong")
def pyenv_tf217(m):
    kernel(m, "5.15.0-91-generic", "AMD EPYC 7742 64-Core Processor", memory=1056000000)
    foreign(m, UBUNTU2204, "2.35")
    driver_files(m, "535.309.01")
    card(m, "535.309.01", "A100", n=2)
    m.venv("/home/ada/.virtualenvs/tf", "virtualenv", "3.11.7", pyenv(m, "3.11.7"))
    tf(m, "2.17.0", "cp311-cp311-manylinux*x86_64")
    pyenv_files(m, "3.11.7")
    m.ldconfig()


JAX = (("nvidia-cublas-cu12", "12.8.4.1"), ("nvidia-cuda-runtime-cu12", "12.8.90"), ("nvidia-cuda-cupti-cu12", "12.8.90"), ("nvidia-cuda-nvcc-cu12", "12.8.93"),
       ("nvidia-cudnn-cu12", "9.10.2.21"), ("nvidia-cufft-cu12", "11.3.3.83"), ("nvidia-cusolver-cu12", "11.7.3.90"), ("nvidia-cusparse-cu12", "12.5.8.93"),
       ("nvidia-nccl-cu12", "2.27.5"), ("nvidia-nvjitlink-cu12", "12.8.93"), ("nvidia-cuda-nvrtc-cu12", "12.8.93"), ("nvidia-nvshmem-cu12", "3.3.20"))


@machine("JAX: a venv of pyenv's 3.12.1 with jax[cuda12] 0.12.0.1 and its wheels of CUDA 12.8, driver 535.309.01, RTX 4090: nothing is wrong")
def jax_cuda12(m):
    kernel(m, "6.1.0-28-amd64")
    debian(m)
    driver_files(m, "535.309.01")
    card(m, "535.309.01", "RTX 4090")
    jax_stack(m)


def jax_stack(m):
    m.venv("/home/ada/jax", "virtualenv", "3.12.1", pyenv(m, "3.12.1"))
    for name in ("jax-cuda12-plugin", "jaxlib"):
        m.wheel(name, "0.12.0.1", "cp312-cp312-manylinux*x86_64")
    m.wheel("jax-cuda12-pjrt", "0.12.0.1", "manylinux*x86_64")
    m.wheel("jax", "0.12.0.1", "py3-none-any", requested=True)
    for n, v in JAX:
        m.wheel(n, v)
    m.wheel("scipy", "1.15.3", "cp312-cp312-manylinux*x86_64")
    m.pip("jax[cuda12]==0.12.0.1", "numpy==2.2.6")
    pyenv_files(m, "3.12.1")
    m.ldconfig()


@machine("WSL 2: kernel 5.15.153.1, Windows' driver 552.44 in /usr/lib/wsl, uv venv with torch 2.4.1: nothing is wrong")
def wsl2_torch24(m):
    kernel(m, "5.15.153.1-microsoft-standard-WSL2")
    m.text("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@941d701f84f1) (gcc (GCC) 11.2.0) #1 SMP Fri Mar 29 23:14:13 UTC 2024\n")
    foreign(m, UBUNTU2204, "2.35")
    debian_python_as_ubuntu(m)
    m.node("/dev/dxg", {"type": "c", "mode": "0666", "device": [10, 125]})
    lib = "/usr/lib/wsl/lib"
    m.put(f"{lib}/libcuda.so.1.1", parts.driver_library("552.44"))
    for n in ("libcuda.so.1", "libcuda.so"):
        m.link(f"{lib}/{n}", "libcuda.so.1.1")
    m.put(f"{lib}/libdxcore.so", parts.driver_library("552.44", "libdxcore.so"))
    m.put(f"{lib}/libnvidia-ml.so.1", parts.driver_library("552.44", "libnvidia-ml.so.1"))
    m.put(f"{lib}/nvidia-smi", {"size": 715512, "mode": "0755"})
    m.text("/etc/ld.so.conf.d/ld.wsl.conf", f"{lib}\n")
    m.env.update({"WSL_DISTRO_NAME": "Ubuntu-22.04", "WSL_INTEROP": "/run/WSL/11_interop", "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/lib/wsl/lib:/mnt/c/Windows/system32"})
    m.venv("/home/ada/torch", "uv")
    torch(m, "2.4.1", "cp311-cp311-manylinux1*")
    m.ldconfig()


def debian_python_as_ubuntu(m):
    folder = debian_package("python3.11-minimal")[1]
    m.copy("/usr/bin/python3.11", folder + "/usr/bin/python3.11", f"python3.11 of Debian package {os.path.basename(folder)}, in place of Ubuntu's")
    m.link("/usr/bin/python3", "python3.11")
    m.folder("/usr/lib/python3/dist-packages")


ROCKY8 = """NAME="Rocky Linux"
VERSION="8.9 (Green Obsidian)"
ID="rocky"
ID_LIKE="rhel centos fedora"
VERSION_ID="8.9"
PLATFORM_ID="platform:el8"
PRETTY_NAME="Rocky Linux 8.9 (Green Obsidian)"
"""


def toolkit(m, root, version, nvcc):
    """A toolkit in NVIDIA's own layout: cudart is the real first part of the wheel of that release."""
    m.put(f"{root}/bin/nvcc", {"size": nvcc, "mode": "0755"})
    m.text(f"{root}/version.json", '{\n   "cuda" : {\n      "name" : "CUDA SDK",\n      "version" : "' + version + '"\n   }\n}\n', "made: as CUDA's installer writes it")
    major = version.split(".")[0]
    wheel, member, soname = {"11": ("11.8.89", "libcudart.so.11.0", "libcudart.so.11.8.89"), "12": ("12.1.105", "libcudart.so.12", "libcudart.so.12.1.105")}[major]
    x = record_parts.member(f"nvidia-cuda-runtime-cu{major}", wheel, "x86_64", f"nvidia/cuda_runtime/lib/{member}", 4096)
    m.node(f"{root}/targets/x86_64-linux/lib/{soname}", x.node("; under the file name of the toolkit"))
    m.link(f"{root}/targets/x86_64-linux/lib/{member}", soname)
    m.link(f"{root}/lib64", "targets/x86_64-linux/lib")


@machine("a node of a Slurm cluster (Rocky 8.9, A100, driver 535.309.01): three toolkits by modules and one of Spack, job with one GPU, venv in /opt/apps with torch 2.4.1: nothing is wrong")
def slurm_a100_modules(m):
    m.sys["node"] = "gpu07"
    kernel(m, "4.18.0-513.9.1.el8_9.x86_64", "AMD EPYC 7763 64-Core Processor", memory=528000000)
    foreign(m, ROCKY8, "2.28", "/usr/lib64")
    driver_files(m, "535.309.01", "/usr/lib64")
    card(m, "535.309.01", "A100")
    for version, size in (("11.8.0", 7085888), ("12.1.1", 9121792)):
        toolkit(m, f"/opt/apps/cuda/{version[:4]}", version, size)
        m.text(f"/opt/apps/modulefiles/cuda/{version[:4]}", f"#%Module1.0\nset root /opt/apps/cuda/{version[:4]}\nsetenv CUDA_HOME $root\nprepend-path PATH $root/bin\nprepend-path LD_LIBRARY_PATH $root/lib64\n")
    spack = "/opt/spack/opt/spack/linux-rocky8-zen3/gcc-12.2.0/cuda-12.1.1-nq2y4zzkd3a5p5vf3xvrhyjvgd2zqk5b"
    toolkit(m, spack, "12.1.1", 9121792)
    m.text(f"{spack}/.spack/spec.json", '{"spec": {"_meta": {"version": 4}, "nodes": [{"name": "cuda", "version": "12.1.1", "arch": {"platform": "linux", "platform_os": "rocky8"}}]}}\n')
    m.venv("/opt/apps/torch/2.4.1", "virtualenv", "3.11.7", pyenv(m, "3.11.7"))
    torch(m, "2.4.1", "cp311-cp311-manylinux1*")
    pyenv_files(m, "3.11.7")
    m.env.update({"SLURM_JOB_ID": "81723", "SLURM_JOB_GPUS": "0", "SLURM_STEP_GPUS": "0", "SLURM_NODELIST": "gpu07", "CUDA_VISIBLE_DEVICES": "0",
                  "LOADEDMODULES": "cuda/12.1:torch/2.4.1", "_LMFILES_": "/opt/apps/modulefiles/cuda/12.1:/opt/apps/modulefiles/torch/2.4.1",
                  "MODULEPATH": "/opt/apps/modulefiles", "CUDA_HOME": "/opt/apps/cuda/12.1", "LD_LIBRARY_PATH": "/opt/apps/cuda/12.1/lib64",
                  "PATH": "/opt/apps/torch/2.4.1/bin:/opt/apps/cuda/12.1/bin:/usr/local/bin:/usr/bin:/bin"})
    m.text("/etc/ld.so.conf", "include ld.so.conf.d/*.conf\n")
    m.ldconfig()


@machine("Fedora 40: the driver's libraries in /usr/lib64 as RPM Fusion places them (535.309.01), venv with torch 2.4.1: nothing is wrong")
def fedora40_torch24(m):
    kernel(m, "6.8.5-301.fc40.x86_64")
    foreign(m, FEDORA40, "2.36", "/usr/lib64")
    driver_files(m, "535.309.01", "/usr/lib64")
    card(m, "535.309.01")
    m.put("/usr/lib/modules/6.8.5-301.fc40.x86_64/extra/nvidia/nvidia.ko.xz", {"size": 11534336})
    m.venv("/home/ada/torch", "virtualenv", "3.11.7", pyenv(m, "3.11.7"))
    torch(m, "2.4.1", "cp311-cp311-manylinux1*")
    pyenv_files(m, "3.11.7")
    m.ldconfig()


def as_aarch64(node):
    """A made ELF file with the machine number of aarch64."""
    import base64
    data = bytearray(base64.b64decode(node["base64"]))
    data[18:20] = b"\xb7\0"
    return {"base64": parts.b64(bytes(data)), "from": node["from"] + ", marked as aarch64"}


UBUNTU_ARM = "/usr/lib/aarch64-linux-gnu"


@machine("Jetson AGX Orin, JetPack 6.2 (L4T 36.4.3): driver 540.4.0, CUDA 12.6, cuDNN 9.3 of NVIDIA's packages, NVIDIA's torch 2.5.0a0+nv24.08 in a venv: nothing is wrong")
def jetson_jp62_torch(m):
    m.sys.update({"arch": "aarch64", "node": "orin"})
    kernel(m, "5.15.148-tegra", "ARMv8 Processor rev 1 (v8l)", "ARM", 64330000)
    m.text("/proc/cpuinfo", "processor\t: 0\nmodel name\t: ARMv8 Processor rev 1 (v8l)\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp\nCPU implementer\t: 0x41\n")
    foreign(m, UBUNTU2204, "2.35", UBUNTU_ARM)
    arm = debian_package("libc6:arm64")[1]
    m.copy(f"{UBUNTU_ARM}/libc.so.6", f"{arm}/lib/aarch64-linux-gnu/libc.so.6", f"libc.so.6 of Debian package {os.path.basename(arm)}, in place of Ubuntu's")
    m.text("/etc/ld.so.conf.d/aarch64-linux-gnu.conf", "/usr/local/lib/aarch64-linux-gnu\n/lib/aarch64-linux-gnu\n/usr/lib/aarch64-linux-gnu\n")
    m.text("/etc/ld.so.conf.d/nvidia-tegra.conf", f"{UBUNTU_ARM}/nvidia\n")
    m.text("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64, DATE: Wed Jan  8 01:49:37 UTC 2025\n# KERNEL_VARIANT: oot\n", "made: the format of L4T 36")
    m.data("/proc/device-tree/compatible", b"nvidia,p3737-0000+p3701-0005\0nvidia,p3701-0005\0nvidia,tegra234\0", "made: the strings of the AGX Orin's device tree")
    m.data("/proc/device-tree/model", b"NVIDIA Jetson AGX Orin Developer Kit\0")
    m.text("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release Build  (buildbrain@mobile-u64-6336-d8000)  Tue Jan  7 17:35:12 PST 2025\n"
           "GCC version:  collect2: error: ld returned 1 exit status    \n", "made: as posted of a Jetson")
    m.text("/sys/module/nvidia/initstate", "live\n")
    m.text("/sys/module/nvidia/version", "540.4.0\n")
    m.text("/proc/modules", "nvidia 1519616 0 - Live 0x0000000000000000 (O)\nnvgpu 2846720 0 - Live 0x0000000000000000 (O)\n")
    for path, device in (("/dev/nvidiactl", [195, 255]), ("/dev/nvidia0", [195, 0]), ("/dev/nvmap", [10, 120]), ("/dev/nvhost-gpu", [501, 1])):
        m.node(path, {"type": "c", "mode": "0666", "device": device})
    m.put(f"{UBUNTU_ARM}/nvidia/libcuda.so.1.1", as_aarch64(parts.driver_library("540.4.0")))
    m.link(f"{UBUNTU_ARM}/nvidia/libcuda.so.1", "libcuda.so.1.1")
    m.link(f"{UBUNTU_ARM}/libcuda.so", "nvidia/libcuda.so.1.1")
    root = "/usr/local/cuda-12.6"
    m.text(f"{root}/version.json", '{\n   "cuda" : {\n      "name" : "CUDA SDK",\n      "version" : "12.6.11"\n   }\n}\n', "made: as NVIDIA's packages write it")
    m.put(f"{root}/bin/nvcc", {"size": 15700000, "mode": "0755"})
    m.link("/usr/local/cuda", "cuda-12.6")
    m.link(f"{root}/lib64", "targets/aarch64-linux/lib")
    for stem, so, full in (("cudart", "12", "12.6.68"), ("cublas", "12", "12.6.1.4"), ("cublasLt", "12", "12.6.1.4"), ("cufft", "11", "11.2.6.59"), ("curand", "10", "10.3.7.68"),
                           ("cusolver", "11", "11.6.4.69"), ("cusparse", "12", "12.5.3.3"), ("cupti", "12", "2024.3.1"), ("nvrtc", "12", "12.6.68"), ("nvJitLink", "12", "12.6.68")):
        m.put(f"{root}/targets/aarch64-linux/lib/lib{stem}.so.{full}", as_aarch64(parts.made_elf("int x;\n", {"args": [*parts.SMALL, f"-Wl,-soname,lib{stem}.so.{so}"]}, f"an ELF file that stands for lib{stem}.so.{so} of CUDA 12.6")))
        m.link(f"{root}/targets/aarch64-linux/lib/lib{stem}.so.{so}", f"lib{stem}.so.{full}")
    for stem in ("cudnn", "cudnn_ops", "cudnn_cnn", "cudnn_adv", "cudnn_graph", "cudnn_heuristic", "cudnn_engines_precompiled", "cudnn_engines_runtime_compiled"):
        m.put(f"{UBUNTU_ARM}/lib{stem}.so.9.3.0", as_aarch64(parts.made_elf("int x;\n", {"args": [*parts.SMALL, f"-Wl,-soname,lib{stem}.so.9"]}, f"an ELF file that stands for lib{stem}.so.9 of cuDNN 9.3.0")))
        m.link(f"{UBUNTU_ARM}/lib{stem}.so.9", f"lib{stem}.so.9.3.0")
    m.text("/etc/ld.so.conf.d/988_cuda-12.conf", "/usr/local/cuda-12/targets/aarch64-linux/lib\n")
    m.link("/usr/local/cuda-12", "cuda-12.6")
    m.venv("/home/ada/torch")
    m.pip("numpy==1.26.4", "filelock", "typing-extensions", "sympy==1.13.1", "networkx", "jinja2", "fsspec")
    m.remove("/home/ada/torch/bin/python3.11") if os.path.lexists(m.at + "/home/ada/torch/bin/python3.11") else None
    m.link("/home/ada/torch/bin/python3.11", "/usr/bin/python3.11")
    arm = debian_package("python3.11-minimal:arm64")[1]
    m.copy("/usr/bin/python3.11", f"{arm}/usr/bin/python3.11", f"python3.11 of Debian package {os.path.basename(arm)}")
    m.link("/usr/bin/python3", "python3.11")
    info = f"{m.site}/torch-2.5.0a0+872d972e41.nv24.8.dist-info"
    m.text(info + "/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.5.0a0+872d972e41.nv24.8\nRequires-Python: >=3.8.0\nRequires-Dist: filelock\nRequires-Dist: typing-extensions >=4.8.0\n"
           "Requires-Dist: networkx\nRequires-Dist: jinja2\nRequires-Dist: fsspec\nRequires-Dist: sympy ==1.13.1 ; python_version >= \"3.9\"\n", "made: after NVIDIA's wheel for JetPack, which could not be had")
    m.text(info + "/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_aarch64\n")
    m.text(info + "/INSTALLER", "pip\n")
    m.text(info + "/RECORD", "torch/__init__.py,,\ntorch/version.py,,\ntorch/lib/libtorch_cuda.so,,\n")
    m.empty(f"{m.site}/torch/__init__.py")
    m.text(f"{m.site}/torch/version.py", "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']\n__version__ = '2.5.0a0+872d972e41.nv24.08'\n"
           "debug = False\ncuda: Optional[str] = '12.6'\ngit_version = '872d972e41596a9ac94dda343f9bc9e1e9f0dd9e'\nhip: Optional[str] = None\nxpu: Optional[str] = None\n", "made: after torch 2.5's, for CUDA 12.6")
    m.put(f"{m.site}/torch/lib/libtorch_cuda.so", as_aarch64(parts.needing(["libc10_cuda.so", "libcudart.so.12", "libcusparse.so.12", "libcurand.so.10", "libcufft.so.11", "libcublas.so.12",
          "libcublasLt.so.12", "libcudnn.so.9"], "$ORIGIN", "DT_NEEDED as torch's build scripts write them for CUDA 12")))
    cache = [("libcuda.so.1", f"{UBUNTU_ARM}/nvidia/libcuda.so.1")]
    for d in (f"{root}/targets/aarch64-linux/lib", UBUNTU_ARM):
        cache += [(n, f"{d}/{n}") for n in sorted(os.listdir(m.at + d)) if re.fullmatch(r"lib[^/]*\.so\.\d+", n)]
    m.node("/etc/ld.so.cache", parts.ld_cache(cache, 0x0a03))
