# Acceptance stories on recorded machines: the verdict as a person reads it. Byte for byte: tests/replay.

# 1: the article's first machine. One cause, three good layers below and above it, one next command.
$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json
exit 1
first CUDA 11.x runtime missing: cudart64_110.dll
out found NVIDIA GeForce GTX 1660
out driver 472.12, serves CUDA up to 11.4
out tensorflow 2.6.0, built for CUDA 11.2
last conda install -p C:\Users\ada\miniconda3\envs\tf -c conda-forge cudatoolkit=11.2 cudnn=8.1
not cudart64_112

$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json --json
exit 1
json verdict.status "problem"
json verdict.cause "cuda-runtime-missing"
json judged.kind "conda"
json judged.chosen_by "CONDA_PREFIX"
json layers[0].status "good"
json layers[1].status "good"
json layers[4].name "cuda"
json layers[4].status "bad"
json layers[5].status "unknown"

$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json --lang zh
exit 1
first 缺少 CUDA 11.x
first cudart64_110.dll
first cuda-runtime-missing
last conda install -p

# 2: another major version never has the name that is asked for; it may stay.
$ tenon doctor --from $SHARED_MACHINES/win11-tf210-cuda120.json
exit 1
first CUDA 12.0
first offers cudart64_12.dll where cudart64_110.dll is asked for
out installed CUDA versions stay
last cudatoolkit=11.2 cudnn=8.1
not remove CUDA

$ tenon doctor --from $SHARED_MACHINES/win11-tf210-cuda120.json --json
exit 1
json verdict.cause "cuda-version-mismatch"

# 4: the numbers differ between the systems.
$ tenon doctor --from $SHARED_MACHINES/win-tf210-driver451.json
exit 1
first needs NVIDIA driver 452.39 or newer on Windows (450.80.02 is the number for Linux); driver 451.67

$ tenon doctor --from $SHARED_MACHINES/linux-tf210-driver450.json
exit 0
first OK
out driver 450.80.02

# 7: NumPy, not Python.
$ tenon doctor --from $SHARED_MACHINES/py310-tf210-numpy2.json
exit 1
first NumPy 2.0.2 is installed, but tensorflow 2.10.0 was built against NumPy 1
last numpy<2

$ tenon doctor --from $SHARED_MACHINES/py310-tf210-numpy126.json
exit 0

# 8: Windows itself ended with 2.10; WSL 2 is well.
$ tenon doctor --from $SHARED_MACHINES/win11-native.json
exit 1
first no GPU build for native Windows: TensorFlow 2.10 was the last one
out WSL

$ tenon doctor --from $SHARED_MACHINES/win11-native.json --expect cpu
exit 0

$ tenon doctor --from $SHARED_MACHINES/wsl2-ok.json --strict
exit 0
first OK

$ tenon doctor --from $SHARED_MACHINES/wsl2-no-dxg.json --json
exit 1
json verdict.cause "wsl-driver"

# 15, first half
$ tenon doctor --from $SHARED_MACHINES/cudnn-mixed.json
exit 1
first cudnn64_8.dll is 8.1.1.33, but cudnn_ops_infer64_8.dll is 8.4.1.50

$ tenon doctor --from $SHARED_MACHINES/cudnn-whole.json --strict
exit 0

# 24: untested is not broken; --strict makes a warning count.
$ tenon doctor --from $SHARED_MACHINES/tf28-cuda116-cudnn88.json
exit 1
first cuDNN 8.8.1.3 (cudnn64_8.dll) is the suspect
out CUDA 11.6.55 is untested with tensorflow 2.8.0
out same major

$ tenon doctor --from $SHARED_MACHINES/tf28-cuda116-cudnn81.json
exit 0
first OK
out CUDA 11.6.55 is untested

$ tenon doctor --from $SHARED_MACHINES/tf28-cuda116-cudnn81.json --strict
exit 1

$ tenon doctor --from $SHARED_MACHINES/tf28-cuda116-cudnn81.json --json
exit 0
json verdict.status "ok"
json verdict.warnings 1

# Peers' mistakes
$ tenon doctor --from $SHARED_MACHINES/mismatch-535.json
exit 1
first 535.261.03, but libcuda is 535.309.01
out nothing needs to be reinstalled

$ tenon doctor --from $SHARED_MACHINES/rtx4090-torch-cu124.json --strict
exit 0
not JIT

$ tenon doctor --from $SHARED_MACHINES/b300-torch-cu128.json --strict
exit 0

$ tenon doctor --from $SHARED_MACHINES/a100-driver535-torch-cu124.json --strict
exit 0

$ tenon doctor --from $SHARED_MACHINES/toolkit-newer-than-driver.json --strict
exit 0

$ tenon doctor --from $SHARED_MACHINES/driver610-tf217.json --strict
exit 0
out driver 610.43.02

$ tenon doctor --from $SHARED_MACHINES/gtx1080-torch-cu130.json
exit 1
first GTX 1080 (compute capability 6.1) is older than all code

$ tenon doctor --from $SHARED_MACHINES/two-gpus.json
exit 0
out GTX 1080 (compute capability 6.1) is older than all code

$ tenon doctor --from $SHARED_MACHINES/two-gpus.json --expect 2
exit 1

$ tenon doctor --from $SHARED_MACHINES/two-gpus.json --expect 3
exit 1
first 3

$ tenon doctor --from $SHARED_MACHINES/docker-without-gpus.json
exit 1
first This container has neither
not apt install

$ tenon doctor --from $SHARED_MACHINES/docker-gpu.json --strict
exit 0

# 5: slower than the processor, measured; 580 is its last branch; it works.
$ tenon doctor --from $SHARED_MACHINES/laptop-mx150-measured.json --lang zh
exit 0
out 实测比 CPU 慢
out 580

$ tenon doctor --from $SHARED_MACHINES/gpu-vendor-denied.json
exit 3
not PROBLEM

# A record is what was recorded: of the machine, and of a record again.
$ mkdir -p r/usr/lib/x86_64-linux-gnu r/etc r/opt && ln -s usr/lib r/lib && printf 'ID=debian\nVERSION_ID="12"\n' > r/etc/os-release && cp /lib/x86_64-linux-gnu/libc.so.6 r/usr/lib/x86_64-linux-gnu/ && tenon snapshot --root r > a && tenon snapshot --raw --root r -o b && tenon snapshot --from b > c && tenon snapshot --raw --from b -o d && tenon snapshot --from d > e && cmp a c && cmp a e
exit 0

$ tenon snapshot --raw --from $SHARED_MACHINES/driver-missing.json -o again.json && tenon doctor --from again.json
exit 1
first no kernel module and no libcuda.so.1

$ tenon snapshot --from $SHARED_MACHINES/mismatch-535.json > facts.json && tenon doctor --from facts.json
exit 1
first 535.261.03, but libcuda is 535.309.01

$ printf '{"tenon_record": 2, "os": "linux"}' > new.json && tenon doctor --from new.json
exit 3
err a record of version 2; this program reads 1

$ printf '{"tenon_record": 1, "files": {"/x": {"parts": [{"at": 0, "text": "a", "zeros": 99999999}]}}}' > big.json && tenon doctor --from big.json
exit 3
err too many zeros

# A machine described in words
$ tenon doctor --machine "os=linux,gpu=none"
exit 1
first No NVIDIA GPU

$ tenon doctor --machine "os=linux,gpu=none" --expect cpu
exit 0

$ tenon doctor --machine os=macos
exit 1
first There is no CUDA and no NVIDIA driver for macOS
last tenon doctor --machine os=macos --expect cpu

$ tenon doctor --machine os=macos --lang zh
exit 1
first macOS 没有 CUDA

$ tenon doctor --machine os=macos --expect cpu
exit 0

$ tenon doctor --machine "os=linux,arch=x86_64,glibc=2.17,gpu=8.6,driver=550.54.14,python=3.14" --expect gpu
exit 1
first for Python 3.14 runs on glibc 2.17

$ tenon doctor --machine "os=linux,gpu=1002:73bf,driver=none"
exit 1
first AMD 0x73bf
last tenon doctor --machine os=linux,gpu=1002:73bf,driver=none --expect cpu

$ tenon doctor --machine "os=windows,gpu=GTX 1660,driver=31.0.15.1694" --json
json layers[0].status "good"
json layers[1].status "good"

$ tenon doctor --machine "gpu=8.6"
exit 3

$ tenon doctor --machine "gpu=10de:2204,driver=none"
exit 1
first no part of an NVIDIA driver is

$ tenon doctor --machine "os=linux,os_release=ubuntu-24.04,gpu=GTX 1080,driver=590.44.01"
exit 1
first Driver 590.44.01 no longer serves GeForce GTX 1080: branch 580 is the last one
last sudo apt install nvidia-driver-580

$ tenon doctor --machine "gpu=RTX 4090,gpu=GTX 1080,driver=580.95.05" --expect 3
exit 1

$ tenon doctor --machine "gpu=RTX 3O90"
exit 2
err did you mean 'GeForce RTX 3090'?

$ tenon doctor --machine "gpu=10de:zzzz"
exit 2
err a PCI id (10de:2204)

$ tenon doctor --machine "os=lynux"
exit 2
err did you mean 'linux'?

$ tenon doctor --machine "driver=banana"
exit 2
err is no version

$ tenon doctor --machine "foo=1"
exit 2
err os_build

$ tenon doctor --machine "os=linux,os=windows"
exit 2
err said twice

$ tenon doctor --machine "gpu=none,gpu=RTX 3090"
exit 2
err none, and yet one

$ tenon doctor --machine "os"
exit 2
err KEY=VALUE

$ tenon doctor --machine "os="
exit 2
err without a value

$ tenon doctor --machine "cpu=avx2,cpu=noavx"
exit 2
err noavx

$ tenon doctor --machine "glibc=2.31,libc=musl"
exit 2
err contradict

$ tenon doctor --machine "container=dockr"
exit 2
err did you mean 'docker'?

$ tenon doctor --machine "os_build=xx"
exit 2
err Windows build number

$ tenon doctor --machine "os_release=ubuntu-22.04,glibc=2.35,kernel=5.15.0-91-generic,gpu=none" --json
exit 1
json verdict.cause "no-nvidia-gpu"

$ tenon doctor --machine ""
exit 2

$ tenon doctor --machine "gpu=none" --from x.json
exit 2

# What a report does not say was not asked.
$ tenon doctor --from $SHARED_MACHINES/report-only.json
exit 3
not OK:
not PROBLEM

# What nobody looked at is not said to be missing.
$ tenon doctor --machine gpu=10de:2204,driver=470.57.02,os=linux
first which frameworks there are is not known
out environments were not looked at
not holds no framework

# A part of the checks is no clean bill of health.
$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json --skip 'cud*'
first checks ran
not everything below it fit

$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json --only driver-too-old
first 1 of

$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json --skip '*'
exit 3
first 0 of

# A raw record is private: not to a terminal, and not into a file that happens to be called "-".
$ tenon snapshot --raw -o -
err use --output FILE
exit 2
$ tenon doctor --debug - ; test ! -e ./-
exit 0
$ tenon doctor --debug -
exit 2
