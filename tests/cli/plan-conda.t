# All of it from conda-forge: version and build string, so that no CPU build comes in its place; the strict order.
$ tenon plan tensorflow==2.18 --method conda --machine os=linux,gpu="RTX 3090",driver=550.54.14
first fits: tensorflow 2.18.0, Python 3.13, CUDA 12.8
out conda create -y -n tf-2.18 --override-channels --strict-channel-priority -c conda-forge
out 'tensorflow=2.18.0=cuda128py*h*_*' cuda-version=12.8
not pip install
not cudatoolkit
exit 0
$ tenon plan torch --method conda --machine os=linux,gpu="RTX 3090",driver=550.54.14
out 'pytorch=2.13.0=cuda129_*_py*_h*_*' cuda-version=12.9
exit 0
$ tenon plan "jax[cuda12]" --method conda --machine os=linux,gpu="RTX 3090",driver=550.54.14
out =cuda129_py*h*_*' jax cuda-version=12.9
not CPU build
exit 0
$ tenon plan tensorflow torch --method conda --machine os=linux,gpu="RTX 3090",driver=550.54.14
out 'tensorflow=2.19.1=cuda129py*h*_*'
out 'pytorch=2.13.0=cuda129_*_py*_h*_*'
exit 0
$ tenon plan tensorflow --method conda --cpu --machine os=linux,gpu="RTX 3090",driver=550.54.14
out 'tensorflow=2.19.1=cpu_py*h*_*'
not cuda-version
exit 0

# What __cuda of the driver refuses, the plan refuses: CUDA 12 asks for a driver of CUDA 12.
$ tenon plan tensorflow --method conda --machine os=linux,gpu="RTX 3090",driver=470.199.02
first fits: tensorflow 2.15.0, Python 3.11, CUDA 11.8
exit 0

# Story 9: for Windows there is none; the terms of defaults are a stop, its mkl builds are for the CPU; pip is offered.
$ tenon plan tensorflow==2.6 --method conda --machine os=windows,gpu="RTX 3060",driver=537.13
first nothing fits
out conda-forge has no build of tensorflow 2.6.0 for this system
out the defaults channel wants its terms of service accepted first, and its mkl builds are for the CPU alone
out pip second (--method mixed): tensorflow 2.6.0
exit 1
$ tenon plan tensorflow==2.6 --method conda --machine os=windows,gpu="RTX 3060",driver=537.13 --lang zh
out defaults 频道要先接受其服务条款
exit 1
$ tenon plan onnxruntime-gpu --method conda --machine os=linux,gpu="RTX 3090",driver=550.54.14
out which builds of onnxruntime conda channels have is not in the tables
out --method pip
exit 1

# conda's run time for wheels: cudatoolkit up to 11.8, single packages from 12 on; none that conda-forge does not have.
$ tenon plan tensorflow==2.15 --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
out cuda-version=12.2 cuda-libraries cuda-cupti cuda-nvcc-tools nccl cudnn=8.9
not cudatoolkit
out etc/conda/activate.d/tenon-cuda.sh
out etc/conda/deactivate.d/tenon-cuda.sh
last conda run -n tf-2.15 tenon doctor --env tf-2.15
exit 0
$ tenon plan tensorflow==2.10 --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
out cudatoolkit=11.2 cudnn=8.1
exit 0
$ tenon plan tensorflow==2.10 --method mixed --machine os=windows,gpu="RTX 3060",driver=537.13
out cudatoolkit=11.2 cudnn=8.1
not activate.d
exit 0

# The environment file, and a job that makes it.
$ tenon plan tensorflow==2.18 --method conda --export environment --machine os=linux,gpu="RTX 3090",driver=550.54.14
out - conda-forge
out - nodefaults
out - "tensorflow=2.18.0=cuda128py*h*_*"
not pip
exit 0
$ tenon plan tensorflow==2.18 --method conda --export slurm --machine os=linux,gpu="RTX 3090",driver=550.54.14 > s && sh -n s && cat s
out exec srun conda run -n tf-2.18
exit 0

# The scripts of the activation, run: conda sources them with CONDA_PREFIX set.
$ mkdir -p e && tenon plan tensorflow==2.15 --method mixed --env ./e --machine os=linux,gpu="RTX 3090",driver=550.54.14 > p && sed -n '/mkdir -p etc/p' p > s.sh && sh s.sh && CONDA_PREFIX=/x LD_LIBRARY_PATH=/y sh -c '. e/etc/conda/activate.d/tenon-cuda.sh; echo "in $LD_LIBRARY_PATH"; . e/etc/conda/deactivate.d/tenon-cuda.sh; echo "out $LD_LIBRARY_PATH"' && CONDA_PREFIX=/x sh -c 'unset LD_LIBRARY_PATH; . e/etc/conda/activate.d/tenon-cuda.sh; echo "in $LD_LIBRARY_PATH"; . e/etc/conda/deactivate.d/tenon-cuda.sh; echo "out ${LD_LIBRARY_PATH-none}"'
out in /x/lib:/y
out out /y
out in /x/lib
last out none
exit 0

# Story 11: the user's own mirrors are told with the file that names them, used, and left as they are.
$ mkdir -p tuna/.config/pip && printf 'channels:\n  - defaults\ncustom_channels:\n  conda-forge: https://mirrors.tuna.example/anaconda/cloud\n' > tuna/.condarc && printf '[global]\nindex-url = https://ada:geheim@pypi.tuna.example/simple\n' > tuna/.config/pip/pip.conf && cp tuna/.condarc before && HOME=$PWD/tuna tenon plan tensorflow==2.8 --method mixed --cpu && cmp before tuna/.condarc
out conda-forge is taken from https://mirrors.tuna.example/anaconda/cloud, as
out /tuna/.condarc says; that file stays as it is
out packages are taken from https://pypi.tuna.example/simple, as
out -c conda-forge python=
not geheim
exit 0
$ mkdir tuna && printf 'channels:\n  - https://mirrors.tuna.example/anaconda/cloud/conda-forge/\n' > tuna/.condarc && HOME=$PWD/tuna tenon plan tensorflow==2.8 --method mixed --cpu --lang zh
out conda-forge 取自 https://mirrors.tuna.example/anaconda/cloud/conda-forge/
out -c https://mirrors.tuna.example/anaconda/cloud/conda-forge/ python=
exit 0

# The conda of a live machine: by its path where PATH does not lead to it; pixi has a form of its own, further indexes
# for wheels in its file.
$ mkdir -p h/.local/bin && printf '#!/bin/sh\n' > h/.local/bin/micromamba && chmod +x h/.local/bin/micromamba && HOME=$PWD/h MAMBA_EXE= CONDA_EXE= tenon plan tensorflow==2.8 --method mixed --cpu
out /h/.local/bin/micromamba create -y -n tf-2.8 --override-channels --strict-channel-priority -c conda-forge python=
out /h/.local/bin/micromamba run -n tf-2.8 python -m pip install tensorflow
exit 0
$ mkdir -p h/.pixi/bin && printf '#!/bin/sh\nmkdir -p torch-2.4\necho "pixi $*"\n' > h/.pixi/bin/pixi && chmod +x h/.pixi/bin/pixi && export HOME=$PWD/h MAMBA_EXE= CONDA_EXE= PATH=$PWD/h/.pixi/bin:$PATH && tenon plan torch==2.4.1 --method mixed --cpu --export sh > s && { sh s 2>&1 || :; } && cat torch-2.4/pixi.toml
out pixi init -c conda-forge torch-2.4
out pixi add --manifest-path torch-2.4/pixi.toml python=
out [pypi-options]
out extra-index-urls = ["https://download.pytorch.org/whl/cpu"]
out pixi add --manifest-path torch-2.4/pixi.toml --pypi torch==2.4.1+cpu
out torch-2.4/.pixi/envs/default
exit 0

# A cuDNN that conda-forge has for this CUDA; JAX by the extra that takes a run time that is there; PyTorch's wheels
# bring their own; wheels that conda's libraries serve are led there.
$ tenon plan "jax[cuda12]" --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
out cuda-version=12.9 cuda-libraries cuda-cupti cuda-nvcc-tools nccl cudnn=9.13
out 'jax[cuda12-local]==
out etc/conda/activate.d/tenon-cuda.sh
exit 0
$ tenon plan "jax[cuda12]==0.4.30" --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
out 'jax[cuda12_local]==0.4.30'
exit 0
$ tenon plan onnxruntime-gpu --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
out cudnn=9.13
out etc/conda/activate.d/tenon-cuda.sh
exit 0
$ tenon plan torch --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
out the wheels of torch bring their own CUDA run time: conda gives Python alone
out 1. make the environment torch-2.14 with Python 3.14
not and the CUDA run time
not cuda-version
not CONDA_OVERRIDE_CUDA
exit 0
$ tenon plan tensorflow --method conda --machine os=linux,gpu="RTX 3090",driver=550.54.14 --verbose
out cuda-version=12.9 cudnn=9.13
out the frameworks and all that they need
out undo: conda env remove -n tf-2.19
out where conda finds no driver (a login node, an image), set CONDA_OVERRIDE_CUDA=12.9 first
exit 0
$ tenon plan tensorflow==2.8 --method mixed --cpu --machine os=linux,gpu=none
not and the CUDA run time
not CONDA_OVERRIDE_CUDA
exit 0
$ tenon plan tensorflow==2.15 --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14 --verbose
out the activation of tf-2.15 leads to its own libraries
out undo: delete tenon-cuda.sh in etc/conda/activate.d and deactivate.d of tf-2.15
exit 0

# A machine without a driver has its __cuda stated.
$ mkdir -p h && export HOME=$PWD/h MAMBA_EXE= CONDA_EXE= && tenon plan tensorflow==2.15 --method mixed --machine os=linux,gpu="RTX 3090",driver=none
out CONDA_OVERRIDE_CUDA=12.2 conda create -y -n tf-2.15
exit 0
