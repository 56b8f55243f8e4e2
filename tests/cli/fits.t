# Story 10: requirements.txt, whatever an index has: the stub is never what is installed. Story 27: placeholders.
$ printf 'tensorflow-gpu==2.6.0  # withdrawn\nnumpy \\\n  >=1.19 --hash=sha256:abc\n--index-url http://localhost:1/simple\n' >r.txt; tenon plan -r r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03
first fits: tensorflow 2.6.0
out tensorflow-gpu==2.6.0: asked for as tensorflow==2.6.0 instead
out tensorflow==2.6.0 nvidia-
not tensorflow-gpu==2.6.0 nvidia-
exit 0
$ printf 'nvidia-cublas-cu110\n' >r.txt; tenon plan -r r.txt --machine os=linux
first refused
out the packages for CUDA 11 end in -cu11
exit 1
$ printf 'torch\nnvidia-cublas-cu13\n' >r.txt; tenon plan -r r.txt --machine os=linux,gpu="RTX 3090",driver=580.65.06
out nvidia-cublas-cu13: asked for as nvidia-cublas instead
exit 0
$ printf 'torch; sys_platform == "win32"\ntensorflow\n' >r.txt; tenon plan -r r.txt --machine os=linux,gpu="RTX 3090",driver=580.65.06
not torch
exit 0
$ printf 'tensorflow==\n' >r.txt; tenon plan -r r.txt --machine os=linux
err r.txt:1: tensorflow==:
exit 2
$ printf 'numpy\n' >r.txt; tenon plan -r r.txt --machine os=linux
err names no framework
exit 2
$ tenon plan -r gone.txt --machine os=linux
err gone.txt
exit 3

# fits: one line for each requirement of the GPU stack, with where it stands.
$ printf '# x\ntensorflow==2.15.1\nnumpy==1.26.4\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03
first r.txt: fits
out line 2: tensorflow==2.15.1: tensorflow 2.15.1 (CUDA 12.2) has machine code for GeForce RTX 3090
exit 0
$ printf 'tensorflow==2.15.1\nnumpy==2.0.0\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03 --json
json status "does_not"
json kind "requirements"
json requirements[1].line 2
json requirements[1].asked "numpy==2.0.0"
json length requirements 2
exit 1
$ printf 'tensorflow==2.15.1\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=450.80.02
first does not fit
out needs driver 525.60.13 or newer; here it is 450.80.02
out what would fit:
exit 1
$ printf 'tensorflow==2.15.1\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090" --json
json status "unknown"
exit 3
$ printf 'tensorflow==2.15.1\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=none
out here is none
exit 1
$ printf 'numpy\n' >r.txt; tenon fits r.txt --machine os=linux
out nothing in it asks for a GPU
exit 0
$ printf 'torch==2.3.0\n-r gone.txt\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03
first cannot be told
out r.txt, line 2: -r gone.txt
exit 3
$ printf 'tensorflow==2.15.1; python_version < "3.12"\ntensorflow==2.16.2; python_version >= "3.12"\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03 --json
json status "unknown"
exit 3
$ printf 'tensorflow==2.15.1; python_version < "3.12"\ntensorflow==2.16.2; python_version >= "3.12"\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03 --python 3.11
first r.txt: fits
not 2.16
exit 0
$ printf 'tensorflow-gpu==2.12\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03
out asked for as tensorflow==2.12 instead
exit 0
$ printf 'torch\nnvidia-cudnn-cu116\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=535.54.03
out not to be installed
exit 1

# Other kinds of files.
$ printf 'name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.10\n  - cudatoolkit=11.2\n  - pip:\n    - tensorflow==2.10.*\n' >e.yml; tenon fits e.yml --machine os=linux,gpu="RTX 3090",driver=535.54.03
first e.yml: fits
out line 7: tensorflow==2.10.*
exit 0
$ printf '[project]\nrequires-python = ">=3.12"\ndependencies = ["tensorflow==2.10.1"]\n' >pyproject.toml; tenon fits pyproject.toml --machine os=linux,gpu="RTX 3090",driver=535.54.03
out you asked for Python >=3.12
exit 1
$ printf '[project]\nname = "x"\n[project.optional-dependencies]\nold = ["tensorflow==1.15"]\n' >pyproject.toml; tenon fits pyproject.toml --machine os=linux,gpu="RTX 3090",driver=535.54.03
exit 0
$ printf '[project]\nname = "x"\n[project.optional-dependencies]\nold = ["tensorflow==1.15"]\n' >pyproject.toml; tenon fits 'pyproject.toml[old]' --machine os=linux,gpu="RTX 3090",driver=535.54.03
exit 1
$ printf 'FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN pip install torch==2.3.0\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=535.54.03
out line 1: nvidia/cuda:12.4.1-base-ubuntu22.04: the image demands cuda>=12.4; the driver here is 535.54.03, for CUDA 12.2
exit 1
$ printf 'FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN pip install torch==2.3.0\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
out what the image demands of driver and cards is met
exit 0
$ echo '[{"Architecture":"amd64","Config":{"Env":["NVIDIA_REQUIRE_CUDA=cuda>=12.4 brand=tesla,driver>=470,driver<471"]}}]' | tenon fits - --machine os=linux,gpu="RTX 3090",driver=535.54.03 --json
json status "does_not"
json kind "image"
exit 1
$ echo '{"architecture":"arm64","config":{"Env":["CUDA_VERSION=12.4.1"]}}' | tenon fits - --machine os=linux,gpu="RTX 3090",driver=535.54.03
out the image is for aarch64 processors; this machine has x86_64
exit 1

# Wrong use and hostile input.
$ tenon fits
exit 2
$ tenon fits gone.txt --machine os=linux
err gone.txt
exit 3
$ printf 'x: y\n' >x.yml; tenon fits x.yml --machine os=linux
err it has no dependencies
exit 3
$ printf '{"a":' >x.json; tenon fits x.json --machine os=linux
exit 3
$ printf '\377\376t\0o\0r\0c\0h\0\n\0' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=580.65.06
out line 1: torch
exit 0
$ printf 'a: &a [x,x]\nb: &b [*a,*a]\ndependencies:\n  - *b\n  - numpy\n' >x.yml; tenon fits x.yml --machine os=linux
out anchors
exit 3

# Wheels: tags, driver, and the code in the wheel's own libraries (sm_75, PTX 7.5 of CUDA 13) against the card (story 28).
$ cp $SRC/tests/fuzz/corpus/fatbin/elf x.so; python3 $SRC/tests/cli/wheel.py a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl x.so nvidia-cuda-runtime-cu12==12.4.127; tenon fits a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl --machine os=linux,glibc=2.35,gpu=T4,driver=535.54.03 --python 3.11 --json
json kind "wheel"
json status "fits"
json requirements[2].id "ft_wheel_native"
exit 0
$ cp $SRC/tests/fuzz/corpus/fatbin/elf x.so; python3 $SRC/tests/cli/wheel.py a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl x.so nvidia-cuda-runtime-cu12==12.4.127; tenon fits a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl --machine os=linux,glibc=2.35,gpu="RTX 5090",driver=580.65.06
out the driver compiles its PTX (compute_75) at the first start, which takes minutes
exit 0
$ cp $SRC/tests/fuzz/corpus/fatbin/elf x.so; python3 $SRC/tests/cli/wheel.py a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl x.so nvidia-cuda-runtime-cu12==12.4.127; tenon fits a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl --machine os=linux,glibc=2.35,gpu="RTX 3090",driver=535.54.03
out written by CUDA 13.0, which a driver for CUDA 12.2 does not read
exit 1
$ cp $SRC/tests/fuzz/corpus/fatbin/elf x.so; python3 $SRC/tests/cli/wheel.py a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl x.so nvidia-cuda-runtime-cu12==12.4.127; tenon fits a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl --machine os=linux,glibc=2.35,gpu="GTX 1080",driver=580.65.06
out GeForce GTX 1080 (compute capability 6.1) is older than all code
exit 1
$ cp $SRC/tests/fuzz/corpus/fatbin/elf x.so; python3 $SRC/tests/cli/wheel.py a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl x.so nvidia-cuda-runtime-cu12==12.4.127; tenon fits a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl --machine os=linux,glibc=2.35,driver=580.65.06
out which card is here is not known
exit 3
$ python3 $SRC/tests/cli/wheel.py a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl - nvidia-cuda-runtime-cu12==12.4.127; tenon fits a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl --machine os=linux,glibc=2.17,gpu="RTX 3090",driver=470.57.02 --python 3.12
out the wheel needs glibc 2.28 or newer; here it is 2.17
out the wheel takes Python cp311-cp311, not 3.12
out CUDA 12.4, which the wheel asks for, needs driver 525.60.13 or newer; here it is 470.57.02
exit 1
$ python3 $SRC/tests/cli/wheel.py a-1.0-cp39-abi3-win_amd64.whl -; tenon fits a-1.0-cp39-abi3-win_amd64.whl --machine os=linux
out the wheel is for win_amd64; this machine is Linux x86_64
exit 1
$ python3 $SRC/tests/cli/wheel.py a-1.0-cp39-abi3-win_amd64.whl -; tenon fits a-1.0-cp39-abi3-win_amd64.whl --machine os=windows --python 3.12
first fits
exit 0
$ python3 $SRC/tests/cli/wheel.py a-1.0-cp39-cp39-manylinux2014_x86_64.whl -; tenon fits a-1.0-cp39-cp39-manylinux2014_x86_64.whl --machine os=linux,libc=musl
out the wheel is for glibc; the C library here is musl
exit 1
$ python3 $SRC/tests/cli/wheel.py tensorflow-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl -; tenon fits tensorflow-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl --machine os=linux,glibc=2.39,gpu="RTX 5090",driver=570.124 --verbose
out tensorflow 2.21.0
out compute capability 12.0
out [
exit 0
$ python3 $SRC/tests/cli/wheel.py --out a-1.0-py3-none-any.whl -; tenon fits a-1.0-py3-none-any.whl --machine os=linux
err leads out of the folder
exit 4
$ python3 $SRC/tests/cli/wheel.py --over a-1.0-py3-none-any.whl -; tenon fits a-1.0-py3-none-any.whl --machine os=linux
err lie over each other
exit 4
$ printf 'PK' >a-1.0-py3-none-any.whl; tenon fits a-1.0-py3-none-any.whl --machine os=linux
err too short
exit 3

# TensorFlow without [and-cuda] loads the image's CUDA and cuDNN.
$ printf 'FROM nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04\nRUN pip install tensorflow==2.15.1\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
out from the image, which has 11.8
exit 1
$ printf 'FROM nvidia/cuda:12.2.2-base-ubuntu22.04\nRUN pip install tensorflow==2.15.1\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
out has no cuDNN
exit 1
$ printf 'FROM nvidia/cuda:12.2.2-base-ubuntu22.04\nRUN pip install "tensorflow[and-cuda]==2.15.1"\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
exit 0
$ printf 'FROM nvidia/cuda:12.2.2-cudnn8-runtime-ubuntu22.04\nRUN pip install tensorflow==2.15.1\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
exit 0
# A weak card can run it all the same.
$ printf 'torch==2.3.0\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="GeForce MX150",driver=550.54.14
out machine code for GeForce MX150
exit 0
# What a release itself gets wrong; on a machine without a GPU the CPU build is meant.
$ printf 'tensorflow[and-cuda]==2.16.1\n' >r.txt; tenon fits r.txt --machine os=linux,gpu="RTX 3090",driver=550.54.14
out tensorflow 2.16.1 does not find all of the CUDA wheels that it asks for: `tenon plan` puts that right
exit 0
$ printf 'tensorflow==2.15.1\n' >r.txt; tenon fits r.txt --machine os=linux,gpu=none,driver=none
out tensorflow 2.15.1, the CPU build
exit 0

# What an image brings: another minor of CUDA serves from TensorFlow 2.5 on; another major of cuDNN does not.
$ printf 'FROM nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04\nRUN pip install tensorflow==2.10\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
first Dockerfile: fits
not as an ordinary user
exit 0
$ printf 'FROM nvidia/cuda:11.2.2-cudnn8-runtime-ubuntu20.04\nRUN pip install tensorflow==2.4\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
out loads CUDA ==11.0.* from the image, which has 11.2
exit 1
$ printf 'FROM nvidia/cuda:12.2.2-cudnn8-runtime-ubuntu22.04\nRUN pip install tensorflow==2.20\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
out brings another major
exit 1

# Docker's other form of a command; instructions that are too long; names that grow.
$ printf 'FROM x\nRUN --mount=type=cache,target=/c ["bash", "-c", "pip install tensorflow==2.10"]\nRUN ["pip", "install", "torch>=2.3,<2.4"]\n' >Dockerfile; tenon fits Dockerfile --machine os=linux,gpu="RTX 3090",driver=550.54.14
out line 2: tensorflow==2.10
out line 3: torch>=2.3,<2.4
exit 1
$ { printf 'FROM x\nRUN pip install \\\n'; yes 'tensorflow \' | head -20000; } >Dockerfile; tenon fits Dockerfile --machine os=linux
out : too long
exit 3
$ { echo 'ARG B0=xxxxxxxx'; seq 0 59 | awk '{ printf "ARG B%d=${B%d}${B%d}\n", $1 + 1, $1, $1 }'; echo 'FROM nvidia/cuda:${B60}'; } >Dockerfile; tenon fits Dockerfile --machine os=linux
out too long for an image's name
exit 3
$ printf 'dependencies:\n - tensorflow\000\n' >environment.yml; tenon fits environment.yml --machine os=linux
err NUL
exit 3

# pyproject.toml: groups that bring others along, in a circle, too; one that is not there; what a build makes.
$ printf '[project]\nname="x"\n[dependency-groups]\na=[{include-group="b"}]\nb=[{include-group="a"},"tensorflow==2.10"]\n' >pyproject.toml; tenon fits 'pyproject.toml[a]' --machine os=linux,gpu="RTX 3090",driver=550.54.14
out line 5: tensorflow==2.10
exit 0
$ printf '[project]\nname="x"\n[project.optional-dependencies]\na=["x[b]"]\nb=["x[a]","tensorflow==2.10"]\n' >pyproject.toml; tenon fits 'pyproject.toml[a]' --machine os=linux,gpu="RTX 3090",driver=550.54.14
out line 5: tensorflow==2.10
exit 0
$ printf '[project]\nname="x"\ndependencies=["tensorflow"]\n' >pyproject.toml; tenon fits 'pyproject.toml[gone]' --machine os=linux,gpu="RTX 3090",driver=550.54.14
out [gone]: there is no such group
exit 3
$ printf '[project]\nname="x"\ndynamic=["dependencies"]\n' >pyproject.toml; tenon fits pyproject.toml --machine os=linux
out made when the project is built: not read
exit 3
$ printf '[project]\nrequires-python="banana"\ndependencies=["tensorflow"]\n' >pyproject.toml; tenon fits pyproject.toml --machine os=linux,gpu="RTX 3090",driver=550.54.14
out banana: no version of Python
exit 3

# An image's configuration whose settings are none.
$ echo '[{"Config": {"Env": {"a": 1}}}]' | tenon fits - --machine os=linux
out Env: no list of settings
exit 3
$ { printf '[{"Config": {"Env": ["NVIDIA_REQUIRE_CUDA='; yes 'cuda>=12.9 ' | head -2000 | tr -d '\n'; echo '"]}}]'; } | tenon fits - --machine os=linux
out too long
exit 3
