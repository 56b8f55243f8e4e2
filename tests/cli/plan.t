# What fits: the newest release tested by its makers whose wheel finds its own run time.
$ tenon plan tensorflow --machine os=linux,gpu="RTX 3090",driver=535.54.03
first fits: tensorflow 2.20.0, Python 3.13, CUDA 12.5, cuDNN 9.3.0.75 (tested by its makers)
out tensorflow 2.21.0 is newer, but does not find all of the CUDA wheels that it asks for
out nvidia-cublas-cu12==12.5.3.2 nvidia-cuda-cupti-cu12==12.5.82
out nvidia-cudnn-cu12==9.3.0.75
exit 0

# Blackwell: no machine code, so the newest run time of the major, whose libraries know the card.
$ tenon plan tensorflow --machine os=linux,gpu="RTX 5090",driver=570.124
out CUDA 12.9
out has no machine code for the card: the first start compiles for minutes
out 'nvidia-cuda-runtime-cu12==12.9.*' nvidia-cudnn-cu12==9.3.0.75
not nvidia-cublas-cu12==
exit 0

# cuDNN 9.11 and later do not serve Pascal; what a resolver would take by itself is written down otherwise.
$ tenon plan jax --machine os=ubuntu-24.04,gpu="GTX 1080",driver=580.65.06
first cuDNN 9.10.2.21
out nvidia-cudnn-cu12==9.10.2.21
exit 0
$ tenon plan torch==2.5.1 --machine os=ubuntu-22.04,gpu="Tesla K80",driver=470.57.02
out newer cuDNN releases of that major number do not serve Tesla K80 (compute capability 3.7)
exit 1

# JAX's wheels for CUDA 11 are in no index; its cuDNN has another name from 9 on; NumPy 2 came later.
$ tenon plan jax --machine os=ubuntu-20.04,gpu="GTX 1080",driver=470.256.02
out --find-links https://storage.googleapis.com/jax-releases/jax_cuda_releases.html 'jax[cuda11_pip]==0.4.25'
out nvidia-cudnn-cu11==8.
out 'numpy<2'
not do not mend
exit 0

# A release without wheels for this processor is not one that nobody knows.
$ tenon plan tensorflow==1.15 --machine os=ubuntu-24.04,arch=aarch64,gpu=GB10,driver=580.95.05
out of tensorflow==1.15 there are no wheels for this system on aarch64
exit 1

# What is chosen for JAX is written down, too.
$ tenon plan jax --machine os=ubuntu-24.04,gpu="RTX 4090",driver=580.65.06
out 'nvidia-cuda-runtime==13.
out nvidia-cudnn-cu13==9.
exit 0

# Story 8: native Windows ended with 2.10.
$ tenon plan tensorflow==2.16 --machine os=windows,gpu="RTX 3060",driver=537.13
out TensorFlow has no GPU build for native Windows after 2.10
exit 1

# Story 19, the half that has no way: CUDA 10 has no libraries for Ampere.
$ tenon plan tensorflow==1.15 --machine os=linux,gpu="RTX 3090",driver=535.54.03
out tensorflow 1.15.0 is made for CUDA 10.0, whose libraries have no code for GeForce RTX 3090 (compute capability 8.6)
exit 1
$ tenon plan tensorflow==1.15 --machine os=linux,gpu="GTX 1080",driver=535.54.03
first fits: tensorflow-gpu 1.15.0, Python 3.7, CUDA 10.0, cuDNN 7.6.5.32
out conda-forge does not have cuDNN 7.4, with which tensorflow-gpu 1.15.0 was made
out driver branch 580 is the last one for GeForce GTX 1080
exit 0

# Every fact of the clash and no other, then what would fit.
$ tenon plan tensorflow==2.10 --python 3.12 --machine os=linux,gpu="GTX 1080",driver=535.54.03
out you asked for Python 3.12
out tensorflow 2.10.0 takes Python 3.7 to 3.10
out with Python 3.10: tensorflow 2.10.0, Python 3.10
exit 1
$ tenon plan tensorflow==2.15 --machine os=linux,gpu="GTX 1080",driver=450.80.02
out tensorflow 2.15.0.post1 is made for CUDA 12.2, which needs driver 525.60.13 or newer; here it is 450.80.02
out with another release: tensorflow 2.14.1
out with driver 525.60.13 or newer
exit 1

# One environment for all: one CUDA line and one cuDNN, which torch names exactly.
$ tenon plan tensorflow torch "jax[cuda12]" --machine os=linux,gpu=A100,driver=570.124
first fits: tensorflow 2.20.0, torch 2.14.0+cu126, jax
out CUDA 12.6, cuDNN 9.10.2.21
exit 0

# Story 32: a weak card gets the CPU build first.
$ tenon plan tensorflow --machine os=linux,gpu=MX150
first fits: tensorflow-cpu
out with the GPU: tensorflow 2.20.0
out driver branch 580 is the last one for GeForce MX150
exit 0

# Story 27: names never to install.
$ tenon plan tensorflow-gpu==2.6.0 --machine os=linux,gpu="RTX 3060",driver=535.54
first fits: tensorflow 2.6.0
out tensorflow-gpu==2.6.0: asked for as tensorflow==2.6.0 instead
out uv pip install --python tf-2.6/bin/python tensorflow==2.6.0
out 'keras==2.6.*'
last tenon doctor --env tf-2.6
exit 0

$ tenon plan tensorflow --machine os=linux,libc=musl,gpu="RTX 3060" --lang zh
out 安装包需要 glibc；本系统使用 musl
exit 1
$ tenon plan tensorflow --machine os=linux,gpu=none --json
json status "fits"
json choice.cuda null
json test_status "tested"
exit 0
$ tenon plan 'tensor!flow' --machine os=linux
exit 2
$ tenon plan pandas --machine os=linux
err names no framework
exit 2
$ tenon plan torch --method magic --machine os=linux
exit 2
$ tenon plan nvidia-cublas-cu116 --machine os=linux
first refused
exit 1

# conda's run time first, pip second; what conda takes for no name is a folder, quoted for the shell.
$ tenon plan tensorflow==2.10 --machine os=windows,gpu="RTX 3060",driver=537.13 --env 'my env'
out conda create -y -p '.\my env' --override-channels --strict-channel-priority -c conda-forge python=3.10 cudatoolkit=11.2 cudnn=8.1
out conda run -p '.\my env' python -m pip install tensorflow==2.10.0
exit 0
$ tenon plan tensorflow==2.10 --machine os=linux,gpu="RTX 3060",driver=535.54.03
out nvidia-cudnn-cu11==8.7.0.84
out (cd tf-2.10/lib/python3.10/site-packages/tensorflow && ln -sf ../nvidia/*/lib/lib*.so* .)
exit 0
$ tenon plan torch --machine os=linux,gpu="RTX 3060",driver=535.54.03
out --extra-index-url https://download.pytorch.org/whl/cu126 --index-strategy unsafe-best-match torch==2.14.0+cu126
exit 0

# Story 6, printed: a lost equal sign; story 10: the withdrawn name with its pins.
$ tenon plan "conda create -n tf_gpu python3.9 -y"
out conda create -n tf_gpu python=3.9 -y
out the sign between name and version was lost
exit 0
$ tenon plan "pip install tensorflow-gpu==2.6.0" --machine os=linux,gpu="RTX 3060",driver=535.54.03
out pip install tensorflow==2.6.0 'keras==2.6.*' 'protobuf<4' 'numpy<1.24'
out fits: tensorflow 2.6.0, Python 3.9
exit 0

# What doctor would still say once the steps are done.
$ tenon plan tensorflow --from $SHARED_MACHINES/mismatch-535.json
out What these steps do not mend: The loaded NVIDIA kernel module is 535.261.03, but libcuda is 535.309.01
exit 0
$ tenon plan torch --from $SHARED_MACHINES/a100-driver535-torch-cu124.json --json
json choice.torch "2.14.0"
json stays null
exit 0
$ tenon plan tensorflow torch "jax[cuda12]" --from $SHARED_MACHINES/h100-torch-215.json
not do not mend
exit 0

# Story 8 on the recorded machines.
$ tenon plan tensorflow==2.16 --from $SHARED_MACHINES/win11-native.json
out TensorFlow has no GPU build for native Windows after 2.10
out in WSL 2 (Windows build 22631 and driver 552.44 are new enough: 19044, 528.33): tensorflow 2.16.2
out without the GPU: tensorflow-cpu 2.16.2
out with another release: tensorflow 2.10.1, Python 3.10, CUDA 11.2
exit 1
$ tenon plan tensorflow==2.16 --from $SHARED_MACHINES/wsl2-ok.json
first fits: tensorflow 2.16.2
out 'tensorflow[and-cuda]==2.16.2'
exit 0

# Story 19: two releases beside each other, each with a run time of its own and no PATH.
$ tenon plan --side-by-side 1.15,2.10 --machine os=linux,gpu="GTX 1080",driver=535.54.03
out fits: tensorflow-gpu 1.15.0, Python 3.7, CUDA 10.0, cuDNN 7.6.5.32
out fits: tensorflow 2.10.0, Python 3.10, CUDA 11.
not PATH
exit 0
$ tenon plan --side-by-side 1.15,2.10 --machine os=linux,gpu="RTX 3090",driver=535.54.03 --json
json side_by_side[0].status "none"
json side_by_side[1].status "fits"
exit 1

# --verbose: what each step changes, needs, and how it is undone.
$ tenon plan tensorflow==2.10 --machine os=windows,gpu="RTX 3060",driver=537.13 --verbose
out changes: a new environment tf-2.10 where conda keeps its own
out undo: conda env remove -n tf-2.10
out needs the network
exit 0

# A quoted program is a value in PowerShell, unless it is called.
$ tenon plan torch --machine os=windows,gpu="RTX 3060",driver=537.13,python=3.12 --env 'my env'
out py '-3.12' -m venv 'my env'
out & 'my env\Scripts\python.exe' -m pip install --extra-index-url
exit 0

# A name that no shell may be given leaves the steps without a command, never half of one; an option's look is no option.
$ tenon plan onnxruntime --cpu --machine os=linux --env "$(printf 'a\nb')"
out (no command: a\x0Ab cannot be quoted safely)
not uv venv
err a\x0Ab cannot be written safely on a command line; its steps have no command
exit 4
$ tenon plan onnxruntime --cpu --machine os=linux --env "$(printf 'a\342\200\256b')" --json
json steps[0].command null
json steps[1].command null
json steps[2].command null
exit 4
$ tenon plan onnxruntime --cpu --machine os=linux --env=-x
out venv --python 3.14 -- -x
out --python ./-x/bin/python onnxruntime==
last tenon doctor --env ./-x
exit 0

# Exports: one file on standard output, or nothing.
$ tenon plan tensorflow==2.21 torch --export sh --machine os=linux,gpu="RTX 3090",driver=550.54.14 > s && sh -n s && cat s
first #!/bin/sh
out 'tensorflow[and-cuda]==2.21.0'
last if command -v tenon >/dev/null; then tenon doctor --env tf-2.21; fi
exit 0
$ tenon plan tensorflow torch --export pyproject --machine os=linux,gpu="RTX 3090",driver=550.54.14 > p && python3 -c "import tomllib; d = tomllib.load(open('p', 'rb')); print(d['tool']['uv']['sources']['torch']['index'], d['tool']['uv']['index'][0]['explicit'], d['project']['requires-python'])"
first pytorch-cu126 True ==3.13.*
exit 0
$ tenon plan torch --export requirements --machine os=linux,gpu="RTX 3090",driver=550.54.14
out --extra-index-url https://download.pytorch.org/whl/cu126
out torch==2.14.0+cu126
exit 0
$ tenon plan tensorflow==2.10 --export devcontainer --machine os=linux,gpu="RTX 3090",driver=550.54.14
json image "python:3.10"
json hostRequirements.gpu true
json remoteEnv.PATH "/opt/env/bin:${containerEnv:PATH}"
exit 0
$ tenon plan tensorflow==2.10 --export dockerfile --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
out FROM condaforge/miniforge3
out RUN conda create -y -p /opt/env
out ENV CONDA_OVERRIDE_CUDA=11.2
exit 0
$ tenon plan tensorflow==2.10 --export slurm --machine os=linux,gpu="RTX 3090",driver=550.54.14 --env 'a b' > s && sh -n s && cat s
out #SBATCH --job-name=ab
out #SBATCH --gres=gpu:1
last exec srun 'a b/bin/python' "$@"
exit 0
$ tenon plan torch --export ps1 --machine os=windows,gpu="RTX 3060",driver=537.13,python=3.12 --env '环境 1'
out if ($LASTEXITCODE) { exit $LASTEXITCODE }
out & '环境 1\Scripts\python.exe' -m pip install
exit 0
$ tenon plan tensorflow==2.10 --export requirements --method mixed --machine os=linux,gpu="RTX 3090",driver=550.54.14
quiet
err comes from conda, which this form cannot say
exit 4
$ tenon plan torch --export sh --machine os=linux,gpu=none --env "$(printf 'a\nb')"
quiet
err a\x0Ab cannot be written safely in this form; nothing is exported
exit 4
$ tenon plan torch --export sh --machine os=windows,gpu=none
quiet
err this plan is for Windows
exit 4
$ tenon plan tensorflow==2.10 --python 3.12 --export sh --machine os=linux,gpu="GTX 1080",driver=535.54.03
quiet
err takes Python 3.7 to 3.10
exit 1
$ tenon plan torch --export magic --machine os=linux
exit 2
$ tenon plan torch --export sh --json --machine os=linux
exit 2
