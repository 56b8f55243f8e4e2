# The makers' image where it is known to hold the tested pair; its Python is theirs, so none is named.
$ tenon plan tensorflow==2.10 --method docker --machine os=linux,gpu="RTX 3090",driver=535.54.03
first fits: tensorflow 2.10.0, CUDA 11.2, cuDNN 8.1 (tested by its makers)
out docker run --rm -it --gpus all -v .:/work -w /work tensorflow/tensorflow:2.10.0-gpu
out docker manifest inspect tensorflow/tensorflow:2.10.0-gpu
exit 0
$ tenon plan tensorflow==1.15 --method docker --machine os=linux,gpu="GTX 1080",driver=535.54.03 --json
json image "tensorflow/tensorflow:1.15.0-gpu-py3"
json choice.python null
json method "docker"
exit 0
$ tenon plan torch==2.5.1 --method docker --machine os=linux,gpu="RTX 3090",driver=560.35.03
out pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
exit 0

# An image made of NVIDIA's does not start below the CUDA that it names, whatever minor-version compatibility allows;
# Python's own image with the wheels does.
$ tenon plan tensorflow==2.10 --method docker --machine os=linux,gpu="RTX 3090",driver=450.80.02
first fits: tensorflow 2.10.0, Python 3.10, CUDA 11.8, cuDNN 8.7.0.84
out printf '%s\n' 'FROM python:3.10' 'RUN python -m pip install --no-cache-dir tensorflow==2.10.0 nvidia-cublas-cu11==
out 'RUN cd /usr/local/lib/python3.10/site-packages/tensorflow && ln -sf ../nvidia/*/lib/lib*.so* .' | docker build -t tf-2.10 -
out --gpus all -v .:/work -w /work tf-2.10
not tensorflow/tensorflow
exit 0

# A Python that was asked for, or several frameworks: wheels in Python's own image.
$ tenon plan tensorflow==2.15 --python 3.10 --method docker --machine os=linux,gpu="RTX 3090",driver=535.54.03
out FROM python:3.10
exit 0
$ tenon plan tensorflow torch --method docker --machine os=linux,gpu="RTX 3090",driver=560.35.03 --env 'My Env'
out 'FROM python:3.13' 'RUN python -m pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cu126 '\''tensorflow[and-cuda]==2.20.0'\''
out docker build -t myenv -
exit 0
$ tenon plan torch --method docker --machine os=windows,gpu="RTX 3060",driver=550.54
out Docker Desktop with the WSL 2 backend
out 'FROM python:3.14','RUN python -m pip install
exit 0
$ tenon plan tensorflow --method docker --machine os=linux,gpu=none
out docker run --rm -it -v .:/work -w /work tf-
not --gpus
exit 0

# What is there, from facts.
$ tenon plan torch==2.5.1 --method docker --from $SHARED_MACHINES/podman-gpu.json
not tensorflow
exit 0

# Ways out: NVIDIA's container for TensorFlow 1.15 on Ampere, whose floor the driver meets; on an older driver an older one.
$ tenon plan tensorflow==1.15 --machine os=linux,gpu="RTX 3090",driver=535.54.03
out 1. in NVIDIA's container nvcr.io/nvidia/tensorflow:23.03-tf1-py3 (tensorflow 1.15.5; asks for driver 530, here 535.54.03); not by the package nvidia-tensorflow of the public index, a placeholder: Python 3.8, CUDA 12.1.0
exit 1
$ tenon plan tensorflow==1.15 --machine os=linux,gpu="RTX 3090",driver=525.60.13 --json
json ways_out[0].image "nvcr.io/nvidia/tensorflow:23.01-tf1-py3"
json ways_out[0].method "docker"
json ways_out[0].choice.python "3.8"
exit 1
$ tenon plan tensorflow==1.15 --machine os=linux,gpu="RTX 3090",driver=450.80.02
not nvcr.io
exit 1
$ tenon plan tensorflow==1.15 --machine os=linux,gpu="RTX 3090",driver=535.54.03 --lang zh
out 用 NVIDIA 的容器 nvcr.io/nvidia/tensorflow:23.03-tf1-py3（tensorflow 1.15.5；要求驱动 530，本机 535.54.03）
exit 1

# musl and an old C library: the container has its own.
$ tenon plan tensorflow --machine os=linux,libc=musl,gpu="RTX 3060",driver=535.54.03
out 1. in a container (--method docker), which has a C library of its own: tensorflow 2.20.0
exit 1
$ tenon plan tensorflow==2.16.2 --machine os=linux,glibc=2.12,gpu="RTX 3060",driver=545.23.06
out in the container tensorflow/tensorflow:2.16.2-gpu, which has a C library of its own: tensorflow 2.16.2, CUDA 12.3
exit 1

# Nothing can be had in a container that the cards do not run.
$ tenon plan tensorflow==1.15 --method docker --machine os=linux,gpu="RTX 3090",driver=535.54.03
out whose libraries have no code for GeForce RTX 3090
out nvcr.io/nvidia/tensorflow:23.03-tf1-py3
exit 1

# A name that no shell may be given.
$ tenon plan jax --method docker --machine os=linux,gpu=none --env "$(printf 'a\nb;rm x')"
out docker build -t abrmx -
exit 0

# Exports of an image: its name, or what makes it.
$ tenon plan tensorflow==2.10 --method docker --machine os=linux,gpu="RTX 3090",driver=535.54.03 --export dockerfile
first # tenon plan: tensorflow 2.10.0, CUDA 11.2, cuDNN 8.1
last FROM tensorflow/tensorflow:2.10.0-gpu
exit 0
$ tenon plan jax --method docker --machine os=windows,gpu="RTX 3090",driver=560.70 --export dockerfile --python 3.12
out FROM python:3.12
last RUN python -m pip install --no-cache-dir 'jax[cuda12]==
exit 0
$ tenon plan "jax[cuda12]" --method docker --machine os=linux,gpu="RTX 3090",driver=560.35.03 --export devcontainer --python 3.12
json image "python:3.12"
json runArgs[1] "all"
json hostRequirements.gpu true
exit 0
$ tenon plan torch==2.5.1 --method docker --machine os=linux,gpu="RTX 3090",driver=560.35.03 --export apptainer
first Bootstrap: docker
out From: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
not %post
exit 0
$ tenon plan torch==2.5.1 --method docker --machine os=linux,gpu="RTX 3090",driver=560.35.03 --export slurm > s && sh -n s && cat s
out #SBATCH --gres=gpu:1
last exec srun apptainer exec --nv docker://pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime python "$@"
exit 0
$ tenon plan tensorflow torch --method docker --machine os=linux,gpu="RTX 3090",driver=560.35.03 --export slurm
quiet
err build it once, then srun apptainer exec --nv NAME.sif
exit 4
$ tenon plan torch --method docker --machine os=linux,gpu=none --export requirements
quiet
exit 4

# Two jobs of Slurm that start together make the environment once; what is half made is filled.
$ mkdir b && printf '#!/bin/sh\necho "$1 $2" >>calls; sleep 0.2\n' >b/uv && printf '#!/bin/sh\necho ran >>calls\n' >b/srun && chmod +x b/uv b/srun && tenon plan torch --method uv --machine os=linux,gpu="RTX 3090",driver=560.35.03 --env 'a b' --export slurm >s && export PATH="$PWD/b:$PATH" && { sh s & sh s & wait; } && sh s && sort calls | uniq -c | tr -s ' ' && mkdir c 'c/a b' && cd c && : >'a b/pyvenv.cfg' && sh ../s && cat calls
first  1 pip install
out  3 ran
out  1 venv --python
last ran
exit 0
