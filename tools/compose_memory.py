"""Composed machines of tests/machines that hold answers of the driver's own libraries."""
import compose_parts as parts
from compose import LIB, finish_linux, libcuda, linux, machine, tensorflow, torch, venv
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


def process(m, pid, name, uid, cgroup):
    m.text(f"/proc/{pid}/status", f"Name:\t{name}\nUmask:\t0022\nState:\tR (running)\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
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
