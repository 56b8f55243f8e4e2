"""Machines inside containers of podman and enroot, and in jobs of LSF and PBS. Read by compose.py."""
from compose import machine
from compose_machines import container, finish_linux, libcuda, linux, linux_gpu, tf217, without_nodes

# Signs: podman(1) and containers/common (/run/.containerenv, container=podman, libpod-ID.scope); enroot doc/cmd/start.md and
# conf/hooks/98-nvidia.sh; LSF "Environment variables set for job execution"; PBS qsub, PBS_JOBID; Slurm with pyxis.
def without_wishes(m):
    for name in ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"):
        del m.env[name]


def podman(origin):
    m = container(origin)
    del m.files["/.dockerenv"]
    without_wishes(m)
    m.env["container"] = "podman"
    m.text("/run/.containerenv", 'engine="podman-4.9.3"\nname="tf"\nid="6c0e"\nrootless=1\n')
    m.text("/proc/1/cgroup", "0::/\n")
    m.text("/proc/self/cgroup", "0::/\n")
    m.text("/proc/self/mountinfo", "1 0 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/home/ada/.local/share/containers/storage/overlay/l/A,upperdir=/home/ada/.local/share/containers/storage/overlay/0/diff\n2 1 0:30 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n")
    return m


@machine("podman run --device nvidia.com/gpu=all, rootless, control groups of version 2: all as it should be")
def podman_gpu(origin):
    m = podman(origin)
    libcuda(m, "550.54.14")
    tf217(m)
    return finish_linux(m)


@machine("podman run without --device nvidia.com/gpu=all: neither nodes nor libraries")
def podman_without_device(origin):
    m = podman(origin)
    without_nodes(m)
    tf217(m)
    return finish_linux(m)


def enroot(origin):
    m = container(origin)
    del m.files["/.dockerenv"]
    m.env["ENROOT_ROOTFS"] = "/home/ada/.local/share/enroot/tf"
    m.text("/proc/1/cgroup", "0::/init.scope\n")
    m.text("/proc/self/mountinfo", "1 0 8:1 /home/ada/.local/share/enroot/tf / rw,relatime - ext4 /dev/sda1 rw\n2 1 0:5 / /dev rw - devtmpfs udev rw\n")
    return m


@machine("enroot start with NVIDIA_VISIBLE_DEVICES=all: the hook brought the libraries")
def enroot_gpu(origin):
    m = enroot(origin)
    libcuda(m, "550.54.14")
    tf217(m)
    return finish_linux(m)


@machine("enroot start without NVIDIA_VISIBLE_DEVICES: the host's /dev is there, the driver's libraries are not")
def enroot_without_gpu(origin):
    m = enroot(origin)
    without_wishes(m)
    tf217(m)
    return finish_linux(m)


# --- Batch jobs ---------------------------------------------------------------------------------------------------


def job(origin, env):
    m = linux_gpu(linux(origin), "550.54.14")
    m.files.pop("/usr/bin/nvidia-smi")
    m.env.update(env)
    tf217(m)
    return finish_linux(m)


@machine("a job of LSF that was given GPU 0 of a node with one")
def lsf_gpu(origin):
    return job(origin, {"LSB_JOBID": "4711", "LSB_QUEUE": "gpu", "CUDA_VISIBLE_DEVICES": "0"})


@machine("a job of LSF without -gpu on a node with a GPU that LSF enforces: it hides all")
def lsf_without_gpu(origin):
    return job(origin, {"LSB_JOBID": "4712", "LSB_QUEUE": "normal", "CUDA_VISIBLE_DEVICES": "-1"})


@machine("a job of PBS that was given GPU 0 of a node with one")
def pbs_gpu(origin):
    return job(origin, {"PBS_JOBID": "815.head", "PBS_QUEUE": "gpuq", "CUDA_VISIBLE_DEVICES": "0"})


@machine("a job of PBS without ngpus on a node with a GPU: its hook hides all")
def pbs_without_gpu(origin):
    return job(origin, {"PBS_JOBID": "816.head", "PBS_QUEUE": "workq", "CUDA_VISIBLE_DEVICES": ""})
