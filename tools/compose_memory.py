"""Composed machines of tests/machines that hold answers of the driver's own libraries."""
import compose_parts as parts
from compose import (LIB, conda_env, conda_record, dist, finish_linux, libcuda, linux, loaded, machine, pci, tensorflow, torch, venv)
from compose_machines import GB, RTX4090, STORY, TORCH25, UUID, container, cuda11_in_system, cudnn8_in_system, linux_gpu, tf217


# --- Who holds the memory: stories 20 and 21 ------------------------------------------------------------------------

def nvml_asked(m, driver, cards, cuda):
    """Answers of NVML and of the CUDA driver interface (world/ask.h), by their lines. cards: (slot, name, GiB, processes)."""
    m.put(f"{LIB}/libnvidia-ml.so.{driver}", parts.driver_library(driver, "libnvidia-ml.so.1"))
    m.link(f"{LIB}/libnvidia-ml.so.1", f"libnvidia-ml.so.{driver}")
    m.cache.append(("libnvidia-ml.so.1", "/lib/x86_64-linux-gnu/libnvidia-ml.so.1"))
    nvml = ["opens ok", "started", f"driver {driver}", f"nvml {cuda // 1000}.{driver}", f"cuda {cuda}", f"count {len(cards)}"]
    api = [f"cuda {cuda}", "started", f"count {len(cards)}"]
    for i, (slot, name, size, processes) in enumerate(cards):
        used = sum(mib for _, mib in processes) + 512
        nvml += [f"gpu {i}", f"bus 0000:{slot}", f"name {name}", f"uuid {UUID.format(i)}", f"memory {size * GB} {used << 20} {size * GB - (used << 20)}",
                 f"minor {i}", "compute_mode 0"] + [f"process c {pid} {mib << 20} -1" for pid, mib in processes]
        api += [f"gpu {i}", f"bus 0000:{slot}", f"name {name}"]
    for subject, name, lines in (("nvml", "libnvidia-ml", nvml), ("cuda", "libcuda", api)):
        m.doc.setdefault("ask", {})[f"{LIB}/{name}.so.{driver} {subject}"] = {"text": "\n".join([*lines, "end", ""])}
    m.text("/sys/module/nvidia_uvm/initstate", "live\n")
    m.link("/proc/self/ns/pid", "pid:[4026531836]")
    m.text("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000::/home/ada:/bin/bash\nbob:x:1002:1002::/home/bob:/bin/bash\n")


def process(m, pid, name, uid, cgroup, parent=1):
    m.text(f"/proc/{pid}/status", f"Name:\t{name}\nUmask:\t0022\nState:\tR (running)\nPPid:\t{parent}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
    m.text(f"/proc/{pid}/cgroup", f"0::{cgroup}\n")


@machine(STORY + "a shared server with two RTX 4090: user bob's process holds 22 GiB of the first, the second is free; torch 2.5.1 for CUDA 12.4")
def lab_server(origin):
    name, driver, second = "NVIDIA GeForce RTX 4090", "550.54.14", ("41:00.0", *RTX4090[1:])
    m = linux_gpu(linux(origin), driver, ((RTX4090, name), (second, name)), "open")
    venv(m, m.home + "/torch", "3.11.2")
    torch(m, *TORCH25)
    nvml_asked(m, driver, ((RTX4090[0], name, 24, ((48213, 22528),)), (second[0], name, 24, ())), 12040)
    process(m, 48213, "python3", 1002, "/user.slice/user-1002.slice/session-7.scope")
    return finish_linux(m)


RTX2080 = (("01:00.0", "0x10de", "0x1e07"), "NVIDIA GeForce RTX 2080 Ti")


def tf210_asked(origin, driver, processes=(), cudnn=None):
    m = linux_gpu(linux(origin), driver, (RTX2080,))
    venv(m, version="3.10.12")
    tensorflow(m, "tensorflow", "2.10.0", "cp310-cp310-manylinux*x86_64", numpy="1.23.5")
    cuda11_in_system(m)
    if cudnn:
        for n in ("cudnn", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer", "cudnn_cnn_train", "cudnn_adv_infer", "cudnn_adv_train"):
            m.put(f"{LIB}/lib{n}.so.{cudnn}", parts.made_elf("int t;\n", {"args": [*parts.SMALL, f"-Wl,-soname,lib{n}.so.8"]},
                                                        f"an ELF file that stands for lib{n}.so.8 of cuDNN {cudnn}: no such file could be had"))
            m.link(f"{LIB}/lib{n}.so.8", f"lib{n}.so.{cudnn}")
            m.cache.append((f"lib{n}.so.8", f"/lib/x86_64-linux-gnu/lib{n}.so.8"))
    else:
        cudnn8_in_system(m)
    if driver != "410.48": # that one starts, but serves CUDA 10.0 alone
        nvml_asked(m, driver, (("01:00.0", RTX2080[1], 11, processes),), 11000)
    for pid, _ in processes:
        process(m, pid, "python", 1000, "/user.slice/user-1000.slice/session-2.scope")
    return finish_linux(m)


@machine(STORY + "CUDNN_STATUS_NOT_INITIALIZED, 1 of 4: another program of the same user holds nearly all memory of the card")
def tf210_memory_taken(origin):
    return tf210_asked(origin, "450.80.02", ((7313, 10240),))


@machine(STORY + "two notebooks are open in one JupyterLab; their kernels hold nearly all memory of the card, and a third is started")
def notebooks_open(origin):
    m = linux_gpu(linux(origin), "450.80.02", (RTX2080,))
    venv(m, version="3.10.12")
    tensorflow(m, "tensorflow", "2.10.0", "cp310-cp310-manylinux*x86_64", numpy="1.23.5")
    cuda11_in_system(m)
    cudnn8_in_system(m)
    nvml_asked(m, "450.80.02", (("01:00.0", RTX2080[1], 11, ((7313, 5400), (7588, 4900))),), 11000)
    scope = "/user.slice/user-1000.slice/session-2.scope"
    process(m, 7201, "jupyter-lab", 1000, scope)
    for pid, folder in ((7313, "lecture/week3"), (7588, "thesis")):
        process(m, pid, "python", 1000, scope, 7201)
        m.link(f"/proc/{pid}/exe", "/usr/bin/python3.10")
        m.link(f"/proc/{pid}/cwd", f"{m.home}/{folder}")
    return finish_linux(m)


@machine(STORY + "a rented container with an RTX 3080 Ti, and in it TensorFlow 1.15.0 with the CUDA 10.0 and cuDNN 7.6 of conda: older than the card")
def autodl_3080ti_cuda10(origin):
    card, driver = "NVIDIA GeForce RTX 3080 Ti", "470.82.01"
    m = linux(origin, kernel="5.4.0-126-generic", glibc="2.28", home="/root")
    m.doc["sys"]["uid"], m.env["USER"] = "0", "root"
    m.files["/.dockerenv"] = {"size": 0}
    m.text("/proc/1/cgroup", "0::/\n")
    m.text("/proc/self/mountinfo", "1 0 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AAAA,upperdir=/var/lib/docker/overlay2/0/diff\n")
    pci(m, "01:00.0", "0x10de", "0x2208", driver="nvidia")
    loaded(m, driver, [("01:00.0", card, UUID.format(0))])
    libcuda(m, driver)
    m.env.update({"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"})
    prefix = conda_env(m, "tf115", "3.7.16", "h7a1cb2a_0")
    tag = "cp37-cp37m-manylinux2010_x86_64"
    dist(m, "tensorflow-gpu", "1.15.0", tag, folder=False)
    m.empty(f"{m.site}/tensorflow_core/__init__.py")
    m.put(f"{m.site}/tensorflow_core/libtensorflow_framework.so.1",
          parts.big_member("tensorflow-gpu", "1.15.0", tag, "tensorflow_core/libtensorflow_framework.so.1"))
    dist(m, "numpy", "1.21.6", "cp37-*manylinux*x86_64")
    conda_record(m, prefix, "cudatoolkit", "10.0.130", "0", channel="main")
    conda_record(m, prefix, "cudnn", "7.6.5", "cuda10.0_0", ["cudatoolkit 10.0.*"], channel="main")
    for name, full in (("cudart", "10.0.130"), ("cublas", "10.0.130"), ("cufft", "10.0.145"), ("curand", "10.0.130"), ("cusolver", "10.0.130"),
                       ("cusparse", "10.0.130"), ("cudnn", "7.6.5")):
        soname = f"lib{name}.so." + ("7" if name == "cudnn" else "10.0")
        m.put(f"{prefix}/lib/lib{name}.so.{full}", parts.made_elf("int t;\n", {"args": [*parts.SMALL, f"-Wl,-soname,{soname}"]},
                                                                 f"an ELF file that stands for {soname} {full} of conda's package: only its name counts here"))
        m.link(f"{prefix}/lib/{soname}", f"lib{name}.so.{full}")
    nvml_asked(m, driver, (("01:00.0", card, 12, ()),), 11040)
    return finish_linux(m)


@machine(STORY + "CUDNN_STATUS_NOT_INITIALIZED, 2 of 4: driver 410.48, TensorFlow 2.10.0 for CUDA 11.2")
def tf210_driver410(origin):
    return tf210_asked(origin, "410.48")


@machine(STORY + "CUDNN_STATUS_NOT_INITIALIZED, 3 of 4: cuDNN 8.0.5 under TensorFlow 2.10.0, which was built for 8.1")
def tf210_cudnn80(origin):
    return tf210_asked(origin, "450.80.02", cudnn="8.0.5")


@machine(STORY + "CUDNN_STATUS_NOT_INITIALIZED, 4 of 4: all is well")
def tf210_linux_well(origin):
    return tf210_asked(origin, "450.80.02")


# --- The image brings its own libcuda -------------------------------------------------------------------------------

def compat_image(origin, refused):
    """NVIDIA's CUDA images hold cuda-compat in /usr/local/cuda/compat; here LD_LIBRARY_PATH names it."""
    m = container(origin)
    libcuda(m, "550.54.14")
    tf217(m)
    at = "/usr/local/cuda-12.8/compat"
    m.put(f"{at}/libcuda.so.570.124.06", parts.driver_library("570.124.06"))
    m.link(f"{at}/libcuda.so.1", "libcuda.so.570.124.06")
    m.link("/usr/local/cuda", "cuda-12.8")
    m.env["LD_LIBRARY_PATH"] = "/usr/local/cuda/compat"
    if refused:
        m.text("/sys/module/nvidia_uvm/initstate", "live\n")
        m.doc["ask"] = {f"{at}/libcuda.so.570.124.06 cuda": {"text": f"cuda 12080\n! cuInit {refused}\nend\n"}}
    return finish_linux(m)


@machine("an image with CUDA 12.8 whose compat folder is in front, on a host with driver 550.54.14 and a GeForce card: CUDA answers 804")
def docker_compat_geforce(origin):
    return compat_image(origin, 804)


@machine("the same image before any program ran: CUDA was not asked")
def docker_compat_unasked(origin):
    return compat_image(origin, None)
