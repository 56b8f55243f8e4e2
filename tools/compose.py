#!/usr/bin/env python3
"""Composes machines for tests/machines out of real parts: usage: compose.py TENON OUT-DIR [NAME...]

Each function below that is marked with @machine is one machine. Parts are fetched once into $TENON_PARTS (wheel members
by range requests), Debian packages lie unpacked in $TENON_DEBS or are fetched. What a machine says is read in tests/machines/README.md.
Nothing here runs in `make check`: the results are committed.
"""
import base64
import json
import os
import re
import sys

import compose_parts as parts
import hollow

MACHINES = {}
DEBS = os.environ.get("TENON_DEBS", "")
GUID = "{4d36e968-e325-11ce-bfc1-08002be10318}"


def machine(origin, **args):
    def keep(fn):
        MACHINES[fn.__name__.replace("_", "-")] = (fn, origin, args)
        return fn
    return keep


class Machine:
    def __init__(self, origin, os_name):
        self.doc = {"tenon_record": 1, "origin": origin, "os": os_name, "complete": ["files", "env", "sys"],
                    "sys": {}, "env": {}, "files": {}}
        if os_name == "windows":
            self.doc["complete"].append("reg")
            self.doc["reg"] = {}
        self.files, self.env, self.win = self.doc["files"], self.doc["env"], os_name == "windows"

    def put(self, path, node):
        self.files[path] = dict(node)

    def text(self, path, text, origin=None):
        lines = text.split("\n")
        node = {"text": text} if len(lines) <= 2 or lines[-1] else {"lines": lines[:-1]}
        if origin:
            node["from"] = origin
        self.files[path] = node

    def link(self, path, to):
        self.files[path] = {"link": to}

    def folder(self, path):
        self.files[path] = {"dir": True}

    def empty(self, path, origin=None):
        self.text(path, "", origin)

    def join(self, *names):
        return ("\\" if self.win else "/").join(names)

    def done(self):
        for k in ("env", "files", "reg"):
            if k in self.doc:
                self.doc[k] = dict(sorted(self.doc[k].items()))
        return self.doc


# --- Linux --------------------------------------------------------------------------------------------------------

DEBIAN12 = """PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
NAME="Debian GNU/Linux"
VERSION_ID="12"
VERSION="12 (bookworm)"
VERSION_CODENAME=bookworm
ID=debian
"""
UBUNTU2204 = """PRETTY_NAME="Ubuntu 22.04.5 LTS"
NAME="Ubuntu"
VERSION_ID="22.04"
VERSION="22.04.5 LTS (Jammy Jellyfish)"
VERSION_CODENAME=jammy
ID=ubuntu
ID_LIKE=debian
"""
LIB = "/usr/lib/x86_64-linux-gnu"


def linux(origin, kernel="6.1.0-28-amd64", glibc="2.36", os_release=DEBIAN12, modules="", home="/home/ada"):
    m = Machine(origin, "linux")
    m.kernel, m.home, m.cache = kernel, home, [("libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6")]
    m.doc["sys"] = {"release": kernel, "arch": "x86_64", "node": "box", "uid": "1000", "root": "0", "cwd": home}
    m.env.update({"HOME": home, "USER": "ada", "PATH": "/usr/local/bin:/usr/bin:/bin"})
    m.text("/proc/version", f"Linux version {kernel} (build@example) (gcc 12.2.0) #1 SMP PREEMPT_DYNAMIC\n")
    if modules is not None:
        m.text("/proc/modules", modules)
    m.text("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD Ryzen 7 5800X 8-Core Processor\n"
           "flags\t\t: fpu sse sse2 pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt xsave avx f16c abm bmi1 avx2 bmi2\n")
    m.text("/sys/devices/system/cpu/online", "0-15\n")
    m.text("/proc/meminfo", "MemTotal:       32791328 kB\nMemFree:        20123456 kB\n")
    m.text("/proc/self/status", "Name:\ttenon\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nGroups:\t44 1000 \n")
    m.text("/proc/1/cgroup", "0::/init.scope\n")
    m.text("/proc/self/mountinfo", "24 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n")
    m.text("/etc/os-release", os_release)
    m.text("/etc/hostname", "box\n")
    for short in ("lib", "bin", "sbin", "lib64"):
        m.link("/" + short, "usr/" + short)
    m.folder("/usr/lib64")
    m.put(LIB + "/libc.so.6", parts.libc(glibc))
    m.files["/dev/null"] = {"type": "c", "mode": "0666", "device": [1, 3]}
    m.folder("/sys/bus/pci/devices")
    m.folder("/usr/local")
    m.folder("/opt")
    m.folder(f"/lib/modules/{kernel}".replace("/lib/", "/usr/lib/"))
    return m


def pci(m, slot, vendor, device, cls="0x030000", driver=None, status="active"):
    at = f"/sys/devices/pci0000:00/0000:00:01.0/0000:{slot}"
    m.link(f"/sys/bus/pci/devices/0000:{slot}", f"../../../devices/pci0000:00/0000:00:01.0/0000:{slot}")
    for name, v in (("vendor", vendor), ("device", device), ("class", cls), ("power/runtime_status", status)):
        m.text(f"{at}/{name}", v + "\n")
    if driver:
        m.folder(f"/sys/bus/pci/drivers/{driver}")
        m.link(f"{at}/driver", f"../../../../bus/pci/drivers/{driver}")


def loaded(m, version, gpus=(), flavour="proprietary"):
    """The running kernel module: gpus are (slot, model, uuid) whose information file is there."""
    line = (f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Thu Jan  1 00:00:00 UTC 1970" if flavour != "open" else
            f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {version}  Release Build  (build@example)")
    m.text("/proc/driver/nvidia/version", line + "\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
           "made: format of nv-procfs.c, as posted for other releases")
    m.text("/sys/module/nvidia/initstate", "live\n")
    m.text("/sys/module/nvidia/version", version + "\n")
    m.text("/proc/modules", "nvidia_uvm 1540096 0 - Live 0x0000000000000000 (PO)\n"
           "nvidia 56823808 2 nvidia_uvm, Live 0x0000000000000000 (PO)\n")
    for name, major, minor in (("nvidiactl", 195, 255), ("nvidia-uvm", 234, 0), ("nvidia-uvm-tools", 234, 1), ("nvidia-modeset", 195, 254)):
        m.files[f"/dev/{name}"] = {"type": "c", "mode": "0666", "device": [major, minor]}
    for i, (slot, model, uuid) in enumerate(gpus):
        m.files[f"/dev/nvidia{i}"] = {"type": "c", "mode": "0666", "device": [195, i]}
        m.text(f"/proc/driver/nvidia/gpus/0000:{slot}/information",
               f"Model: \t\t {model}\nIRQ:   \t\t 120\nGPU UUID: \t {uuid}\nVideo BIOS: \t 94.02.42.00.a9\nBus Type: \t PCIe\n"
               f"DMA Size: \t 47 bits\nDMA Mask: \t 0x7fffffffffff\nBus Location: \t 0000:{slot}\nDevice Minor: \t {i}\n"
               f"GPU Firmware: \t {version}\nGPU Excluded:\t No\n", "made: format of nv-procfs.c")


def deb(package, path):
    """A file of a Debian package NAME_VERSION: unpacked below $TENON_DEBS, else fetched as record_parts.py fetches them."""
    folder = os.path.join(DEBS, package)
    if not DEBS or not os.path.isdir(folder):
        import record_parts
        _, folder = record_parts.debian_package(package.replace("_", "=", 1))
    return os.path.join(folder, path.lstrip("/"))


CUDA535 = "libcuda1_535.309.01-0+deb12u1"


def libcuda(m, version, where=LIB, real=False):
    """libcuda of a release and nvidia-smi. real: the file of Debian's package, else one made to stand for it."""
    package = {"535.309.01": CUDA535, "535.261.03": "libcuda1_535.261.03-1"}.get(version) if real else None
    node = parts.driver_library(version)
    if package:
        node = parts.real_file(deb(package, f"{LIB}/nvidia/current/libcuda.so.{version}"), f"libcuda.so.{version} of Debian package {package}")
    m.put(f"{where}/libcuda.so.{version}", node)
    m.link(f"{where}/libcuda.so.1", f"libcuda.so.{version}")
    m.link(f"{where}/libcuda.so", "libcuda.so.1")
    m.cache.append(("libcuda.so.1", f"{where.replace('/usr', '', 1) if where == LIB else where}/libcuda.so.1"))
    m.files.setdefault("/usr/bin/nvidia-smi", {"size": 1025168, "mode": "0755"})


def python(m, version="3.11.2"):
    two = ".".join(version.split(".")[:2])
    m.files[f"/usr/bin/python{two}"] = {"size": 6831736, "mode": "0755"}
    m.link("/usr/bin/python3", f"python{two}")
    m.folder("/usr/lib/python3/dist-packages")


def venv(m, path=None, version="3.11.2"):
    path = path or m.home + "/tf"
    two = ".".join(version.split(".")[:2])
    python(m, version)
    m.text(f"{path}/pyvenv.cfg", f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n")
    m.link(f"{path}/bin/python", "python3")
    m.link(f"{path}/bin/python3", "/usr/bin/python3")
    m.env["VIRTUAL_ENV"] = path
    m.env["PATH"] = f"{path}/bin:" + m.env["PATH"]
    m.site = f"{path}/lib/python{two}/site-packages"
    return m.site


def finish_linux(m):
    m.put("/etc/ld.so.cache", parts.ld_cache(m.cache))
    return m.done()


# --- Windows ------------------------------------------------------------------------------------------------------

CUDART110 = ("nvidia-cuda-runtime-cu11", "11.8.89", "win_amd64", "nvidia/cuda_runtime/bin/cudart64_110.dll")
CUDART12 = ("nvidia-cuda-runtime-cu12", "12.0.146", "win_amd64", "nvidia/cuda_runtime/bin/cudart64_12.dll")
CUDNN8 = ("nvidia-cudnn-cu11", "8.9.4.25", "win_amd64", "nvidia/cudnn/bin/cudnn64_8.dll")
CUDART = {"11.2": "11.2.72", "11.6": "11.6.55"}
SYSTEM32 = "C:\\Windows\\System32"
TOOLKITS = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"


CPP_RUNTIME = ("msvcp140.dll", "msvcp140_1.dll", "msvcp140_2.dll", "vcruntime140.dll", "vcruntime140_1.dll")


def cpp_runtime(m, folder, names=CPP_RUNTIME):
    """What Microsoft's redistributable package (x64) of Visual C++ 2015-2022 puts there."""
    for n in names:
        m.put(f"{folder}\\{n}", parts.made_pe((14, 29, 30139, 0), f"{n} of Visual C++ 2015-2019"))


def windows(origin, build, display, gpu=None, driver=None, runtime=CPP_RUNTIME):
    """gpu: (device id, subsystem, name, bytes). driver: as people say it, 472.12."""
    m = Machine(origin, "windows")
    m.home = "C:\\Users\\ada"
    m.doc["sys"] = {"release": f"10.0.{build}", "arch": "AMD64", "node": "BOX", "root": "0", "cwd": m.home,
                    "cpu": "avx avx2 fma pni popcnt sse4_1 sse4_2 ssse3"}
    m.env.update({"SystemRoot": "C:\\Windows", "USERPROFILE": m.home, "USERNAME": "ada", "APPDATA": m.home + "\\AppData\\Roaming",
                  "LOCALAPPDATA": m.home + "\\AppData\\Local", "PATH": "C:\\Windows\\system32;C:\\Windows"})
    reg = m.doc["reg"]
    reg["HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"] = {"values": {
        "CurrentBuildNumber": str(build), "DisplayVersion": display, "EditionID": "Professional"}}
    reg["HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor"] = {"list": {"d": ["0", "1", "2", "3"]}}
    reg["HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0"] = {"values": {
        "VendorIdentifier": "GenuineIntel", "ProcessorNameString": "Intel(R) Core(TM) i5-9400F CPU @ 2.90GHz"}}
    reg["HKLM\\SYSTEM\\CurrentControlSet\\Control\\SecureBoot\\State"] = {"values": {"UEFISecureBootEnabled": "1"}}
    m.folder(SYSTEM32)
    cpp_runtime(m, SYSTEM32, runtime)
    enum = "HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI"
    reg[enum] = {"list": {"d": []}}
    if gpu:
        device, sub, name, memory = gpu
        key = f"VEN_10DE&DEV_{device}&SUBSYS_{sub}&REV_A1"
        reg[enum]["list"]["d"].append(key)
        reg[f"{enum}\\{key}"] = {"list": {"d": ["4&2d78ab8f&0&0008"]}}
        reg[f"{enum}\\{key}\\4&2d78ab8f&0&0008"] = {"values": {
            "ClassGUID": GUID, "DeviceDesc": f"@oem12.inf,%nvidia_dev.{device.lower()}%;NVIDIA {name}", "Driver": f"{GUID}\\0000",
            "LocationInformation": "@System32\\drivers\\pci.sys,#65536;PCI bus %1, device %2, function %3;(1,0,0)",
            "Service": "nvlddmkm" if driver else "BasicDisplay"}}
        if driver:
            a, b = driver.split(".")
            four = {"4": "27.21.14" if int(a) < 460 else "30.0.14", "5": "31.0.15", "6": "32.0.16"}[a[0]] + f".{a[1:]}{b}"
            cls = f"HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{GUID}"
            reg[cls] = {"list": {"d": ["0000"]}}
            reg[cls + "\\0000"] = {"values": {"ProviderName": "NVIDIA", "DriverVersion": four, "DriverDesc": f"NVIDIA {name}",
                                              "HardwareInformation.qwMemorySize": str(memory)}}
            numbers = tuple(int(x) for x in four.split("."))
            m.put(SYSTEM32 + "\\nvcuda.dll", parts.made_pe(numbers, f"nvcuda.dll of driver {driver}"))
            m.files[SYSTEM32 + "\\nvidia-smi.exe"] = {"size": 1000464}
    return m


def add_path(m, *dirs):
    m.env["PATH"] = ";".join(dirs) + ";" + m.env["PATH"]


def cuda_dlls(m, where, release, names, source=CUDART110):
    """A toolkit's bin folder. cudart is a real file; of the others only the name matters to tenon, they get its bytes."""
    member = parts.Member(*source)
    major, minor = release.split(".")
    for n in names:
        if n.startswith("cudart"):
            node = member.node() if release in ("11.8", "12.0") else \
                parts.pe_as(member, (6, 14, 11, int(major) * 1000 + int(minor) * 10), f"cudart of CUDA {release}", ("11.8.89", CUDART[release]))
        else:
            node = parts.made_pe((6, 14, 11, int(major) * 1000 + int(minor) * 10), f"{n} of CUDA {release}")
        m.put(f"{where}\\{n}", node)


CUDA11_DLLS = ["cudart64_110.dll", "cublas64_11.dll", "cublasLt64_11.dll", "cufft64_10.dll", "curand64_10.dll", "cusolver64_11.dll",
               "cusparse64_11.dll"]
CUDA12_DLLS = ["cudart64_12.dll", "cublas64_12.dll", "cublasLt64_12.dll", "cufft64_11.dll", "curand64_10.dll", "cusolver64_11.dll",
               "cusparse64_12.dll"]


def toolkit(m, release, dlls, source=CUDART110, on_path=True):
    root = f"{TOOLKITS}\\v{release}"
    m.files[root + "\\bin\\nvcc.exe"] = {"size": 5231104}
    m.text(root + "\\version.json", json.dumps({"cuda": {"name": "CUDA SDK", "version": release + ".0"}}, indent=3) + "\n",
           "made: as CUDA's installer writes it")
    cuda_dlls(m, root + "\\bin", release, dlls, source)
    m.env["CUDA_PATH"] = root
    m.env["CUDA_PATH_V" + release.replace(".", "_")] = root
    m.doc["reg"].setdefault("HKLM\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA", {"list": {"d": []}})["list"]["d"].append("v" + release)
    m.doc["reg"][f"HKLM\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v{release}"] = {"values": {"InstallDir": root}}
    if on_path:
        add_path(m, root + "\\bin", root + "\\libnvvp")
    return root


def conda_record(m, prefix, name, version, build, depends=(), channel="conda-forge"):
    subdir = "win-64" if m.win else "linux-64"
    m.text(m.join(prefix, "conda-meta", f"{name}-{version}-{build}.json"), json.dumps({
        "name": name, "version": version, "build": build, "channel": f"https://conda.anaconda.org/{channel}/{subdir}", "subdir": subdir,
        "depends": list(depends), "files": []}) + "\n", "made: members of conda's PrefixRecord, without its list of files")


def conda_env(m, name, python_version, build):
    base = m.join(m.home, "miniconda3")
    prefix = m.join(base, "envs", name)
    conda_record(m, prefix, "python", python_version, build)
    m.folder(m.join(base, "condabin"))
    m.folder(m.join(base, "conda-meta"))
    m.env.update({"CONDA_PREFIX": prefix, "CONDA_DEFAULT_ENV": name})
    if m.win:
        m.files[prefix + "\\python.exe"] = {"size": 94720}
        m.env["CONDA_EXE"] = base + "\\Scripts\\conda.exe"
        add_path(m, prefix, prefix + "\\Library\\mingw-w64\\bin", prefix + "\\Library\\usr\\bin", prefix + "\\Library\\bin",
                 prefix + "\\Scripts", prefix + "\\bin", base + "\\condabin")
        m.folder(prefix + "\\Library\\bin")
        m.site = prefix + "\\Lib\\site-packages"
    else:
        two = ".".join(python_version.split(".")[:2])
        m.files[f"{prefix}/bin/python{two}"] = {"size": 17315816, "mode": "0755"}
        m.link(f"{prefix}/bin/python", f"python{two}")
        m.link(f"{prefix}/bin/python3", f"python{two}")
        m.env["PATH"] = f"{prefix}/bin:{base}/condabin:" + m.env["PATH"]
        m.site = f"{prefix}/lib/python{two}/site-packages"
    return prefix


# --- Python packages ----------------------------------------------------------------------------------------------

def headers(text):
    """The lines of METADATA that say what is needed; licences and descriptions run over pages."""
    return "".join(line + "\n" for line in text.split("\n\n")[0].split("\n")
                   if re.match(r"(Metadata-Version|Name|Version|Requires-Python|Requires-Dist|Provides-Extra):", line))


def dist(m, name, version, tag, folder=True, installer="pip"):
    """METADATA, WHEEL, INSTALLER as pip leaves them, and the package's folder."""
    all_members = parts.members(name, version, tag)
    info = next(x for x in all_members if re.fullmatch(r"[^/]+\.dist-info/METADATA", x)).rsplit("/", 1)[0]
    meta, kind = parts.Member(name, version, tag, info + "/METADATA"), parts.Member(name, version, tag, info + "/WHEEL")
    m.text(m.join(m.site, info, "METADATA"), headers(meta.text()), f"real: {meta.wheel}, the lines of METADATA on what is needed, sha256 of the whole {meta.sha256}")
    m.text(m.join(m.site, info, "WHEEL"), kind.text().rstrip("\n") + "\n")
    m.text(m.join(m.site, info, "INSTALLER"), installer + "\n")
    if folder:
        m.empty(m.join(m.site, name.replace("-", "_"), "__init__.py"))
    return meta.text()


def nvidia_wheel(m, name, version):
    """An NVIDIA wheel: its record, and the first 4 KB of each shared library, which is all that is read of them."""
    tag = "x86_64"
    dist(m, name, version, tag, folder=False)
    for x in parts.members(name, version, tag):
        if re.fullmatch(r"nvidia/.*/lib/lib[^/]+\.so(\.[\d.]+)?", x):
            m.put(f"{m.site}/{x}", parts.Member(name, version, tag, x, 4096).node())


def pins(meta, extra=None):
    """nvidia-* lines "Requires-Dist: nvidia-cudnn-cu12==9.1.0.70; ..." of a METADATA."""
    for n, v, rest in re.findall(r"^Requires-Dist: (nvidia-[\w-]+)\s*\(?==\s*([\w.]+?)(?:\.\*)?\)?\s*(;.*)?$", meta, re.M):
        if (not extra and "extra ==" not in rest) or (extra and extra in rest):
            yield n, v


def tensorflow(m, name, version, tag, numpy=None, source=None):
    """source: (distribution, tag) that holds the build, where name is a shell around it."""
    meta = dist(m, name, version, tag, folder=False)
    n, t = source or (name, tag)
    if source:
        dist(m, n, version, t, folder=False)
    m.empty(m.join(m.site, "tensorflow", "__init__.py"))
    known = parts.members(n, version, t)
    for f in ("tensorflow/python/platform/build_info.py", "tensorflow/include/third_party/gpus/cuda/cuda_config.h",
              "tensorflow/include/external/local_config_cuda/cuda/cuda/cuda_config.h"):
        if f in known:
            x = parts.Member(n, version, t, f)
            m.text(m.join(m.site, *f.split("/")), x.text(), "real: " + x.origin())
    if not m.win and name != "tensorflow-cpu":
        m.put(f"{m.site}/tensorflow/libtensorflow_framework.so.2",
              parts.big_member(n, version, t, "tensorflow/libtensorflow_framework.so.2"))
    if m.win and name != "tensorflow-cpu":
        m.put(f"{m.site}\\tensorflow\\python\\_pywrap_tensorflow_internal.pyd",
              parts.big_member(n, version, t, "tensorflow/python/_pywrap_tensorflow_internal.pyd"))
    if numpy:
        dist(m, "numpy", numpy, f"{tag.split('-')[0]}-*{'win_amd64' if m.win else 'manylinux*x86_64'}")
    return meta


def torch(m, version, tag, local=None, wheels=True):
    meta = dist(m, "torch", version, tag)
    x = parts.Member("torch", version, tag, "torch/version.py")
    m.text(f"{m.site}/torch/version.py", x.text(), "real: " + x.origin())
    m.put(f"{m.site}/torch/lib/libtorch_cuda.so", parts.big_member("torch", version, tag, "torch/lib/libtorch_cuda.so"))
    for n, v in pins(meta) if wheels else ():
        nvidia_wheel(m, n, v)
    return meta


def cuda_toolkit_pins(version, extras):
    """The nvidia-* wheels that the meta package cuda-toolkit asks for (torch from 2.11 on)."""
    name = next(x for x in parts.members("cuda-toolkit", version, "") if x.endswith(".dist-info/METADATA"))
    meta = parts.Member("cuda-toolkit", version, "", name).text()
    for n, v, extra in re.findall(r"^Requires-Dist: (nvidia-[\w-]+)\s*\(?==\s*([\w.]+?)(?:\.\*)?\)?\s*;.*extra == ['\"](\w+)['\"]", meta, re.M):
        if extra in extras:
            yield n, v


def main():
    tenon, out, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    import compose_machines
    import compose_container  # noqa: F401 (adds its machines)
    import compose_find  # noqa: F401 (adds its machines)
    import compose_memory  # noqa: F401 (adds its machines)
    for name, (fn, origin, args) in compose_machines.MACHINES.items():
        if names and name not in names:
            continue
        record = hollow.hollow(tenon, fn(origin), args.get("env"))
        with open(os.path.join(out, name + ".json"), "w", encoding="utf-8") as f:
            f.write(hollow.text(record))
        path = os.path.join(out, name + ".args")
        if args:
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(f"{k}={v}\n" for k, v in args.items())
        print(name, os.path.getsize(os.path.join(out, name + ".json")))


if __name__ == "__main__":
    main()
