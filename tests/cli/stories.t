# Acceptance stories on recorded machines, in both languages: what each promises to say, and its exit status.

# 1: one cause, three good layers around it, one next command.
$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json --lang en
exit 1
first CUDA 11.x runtime missing: cudart64_110.dll
out good     hardware
out good     driver
out good     framework
last conda install -p C:\Users\ada\miniconda3\envs\tf -c conda-forge cudatoolkit=11.2 cudnn=8.1

$ tenon doctor --from $SHARED_MACHINES/win10-tf26-nocuda.json --lang zh
exit 1
first 缺少 CUDA 11.x 运行库：cudart64_110.dll
out 正常     硬件
out 正常     驱动
out 正常     框架
last conda install -p C:\Users\ada\miniconda3\envs\tf -c conda-forge cudatoolkit=11.2 cudnn=8.1

# 2: 12.0 has another name; 11.2 goes into the environment, and 12.0 stays.
$ tenon doctor --from $SHARED_MACHINES/win11-tf210-cuda120.json --lang en
exit 1
first offers cudart64_12.dll where cudart64_110.dll is asked for
last -c conda-forge cudatoolkit=11.2

$ tenon doctor --from $SHARED_MACHINES/win11-tf210-cuda120.json --lang zh
exit 1
first 提供的是 cudart64_12.dll，而需要的是 cudart64_110.dll
out 不必卸载现有的 CUDA
out 已安装的 CUDA 不受影响
last -c conda-forge cudatoolkit=11.2

# 3: the table, what it does not know, and two pages that disagree.
$ tenon table --os windows --tf 2.4,2.6,2.10
exit 0
out 2.10.0   windows   yes  tensorflow      3.7         3.10        11.2  8.1
out source: tensorflow/docs site/en/install/source_windows.md GPU table
out 2026-03-11
out 2.6.0    windows   yes  tensorflow      3.6         3.9         11.2  8.1
out 2.4.0    windows   yes  tensorflow      3.6         3.8         11.0  8.0

$ tenon table --os windows --tf 2.4,2.6,2.10 --full
exit 0
out source_windows.md GPU table
out 2026-03-11

$ tenon table --tf 2.99 --lang en
exit 1
err Known: 1.0.0 - 

$ tenon table --tf 2.99 --lang zh
exit 1
err 已知范围：1.0.0 - 

$ tenon table --tf 2.21 --lang en
exit 0
out conflict: pip install page of the same commit as the tested-build table

$ tenon table --tf 2.21 --lang zh
exit 0
out 冲突：pip install page

# 4: the floor of Windows is not that of Linux.
$ printf '| NVIDIA-SMI 516.94       Driver Version: 516.94       CUDA Version: 11.7     |\r\n' | tenon versions - --lang en
exit 0
out newest CUDA the driver serves, not an installed toolkit
out Windows minimum 452.39

$ printf '| NVIDIA-SMI 516.94       Driver Version: 516.94       CUDA Version: 11.7     |\r\n' | tenon versions - --lang zh
exit 0
out 不是已安装的工具包
out 452.39

$ tenon doctor --from $SHARED_MACHINES/win-tf210-driver451.json --lang zh
exit 1
first 在 Windows 上需要 452.39 或更高版本的 NVIDIA 驱动（450.80.02 是 Linux 的数字），而当前驱动是 451.67

$ tenon doctor --from $SHARED_MACHINES/linux-tf210-driver450.json --lang zh
exit 0
out 驱动 450.80.02

# 7: NumPy, not Python; the recorded pair differs in that one package.
$ tenon doctor --from $SHARED_MACHINES/py310-tf210-numpy2.json --lang en
exit 1
first NumPy 2.0.2 is installed, but tensorflow 2.10.0 was built against NumPy 1
last numpy<2

$ tenon doctor --from $SHARED_MACHINES/py310-tf210-numpy2.json --lang zh
exit 1
first 已安装 NumPy 2.0.2，但 tensorflow 2.10.0 是基于 NumPy 1 构建的
out 原因不在 Python 版本
last numpy<2

$ tenon doctor --from $SHARED_MACHINES/py310-tf210-numpy126.json --strict --lang zh
exit 0
first 正常

# 15: the odd file by its name; a whole set is well.
$ tenon doctor --from $SHARED_MACHINES/cudnn-mixed.json --lang en
exit 1
first cudnn64_8.dll is 8.1.1.33, but cudnn_ops_infer64_8.dll is 8.4.1.50, which needs zlibwapi.dll as well

$ tenon doctor --from $SHARED_MACHINES/cudnn-mixed.json --lang zh
exit 1
first cudnn64_8.dll 是 8.1.1.33，而 cudnn_ops_infer64_8.dll 是 8.4.1.50，该版本还需要 zlibwapi.dll

$ tenon doctor --from $SHARED_MACHINES/cudnn-whole.json --strict --lang zh
exit 0

# 18: five versions by name, and which one TensorFlow uses.
$ tenon versions --from $SHARED_MACHINES/five-versions.json --lang zh
exit 0
out 驱动上限  12.4
out 工具包    11.8.0
out tensorflow 使用它
last 依据是它的构建目标（CUDA 11.2）

# 22: the same words: two notebooks by their folders, and a card that is newer than the build and its CUDA.
$ tenon explain "Blas GEMM launch failed" --from $SHARED_MACHINES/notebooks-open.json --lang en
exit 1
first /home/ada/lecture/week3 (7313, /usr/bin/python3.10, 5.2 GiB); /home/ada/thesis (7588, /usr/bin/python3.10
out Kernel > Shut Down Kernel
not pdate the driver
not driver

$ tenon explain "Blas GEMM launch failed" --from $SHARED_MACHINES/notebooks-open.json --lang zh
exit 1
first notebook 内核
not 驱动

$ tenon explain "Blas GEMM launch failed" --from $SHARED_MACHINES/autodl-3080ti-cuda10.json --lang en
exit 1
first RTX 3080 Ti (compute capability 8.6) is newer than tensorflow-gpu 1.15.0 and than its CUDA 10.0.130
not pdate the driver
not install-driver

$ tenon explain "Blas GEMM launch failed" --from $SHARED_MACHINES/autodl-3080ti-cuda10.json --lang zh
exit 1
first 比 tensorflow-gpu 1.15.0 及其 CUDA 10.0.130 都新
not 更新驱动

# 24: untested, same major; cuDNN is the suspect.
$ tenon doctor --from $SHARED_MACHINES/tf28-cuda116-cudnn88.json --lang zh
exit 1
first 最可疑的是 cuDNN 8.8.1.3
out CUDA 11.6.55 未经测试，但大版本相同

$ tenon doctor --from $SHARED_MACHINES/tf28-cuda116-cudnn81.json --lang zh
exit 0
out CUDA 11.6.55 未经测试，但大版本相同

$ tenon doctor --from $SHARED_MACHINES/tf28-cuda116-cudnn81.json --strict --lang zh
exit 1

# 25, its last half: ~/.local shadows the environment; a venv does not look there.
$ tenon doctor --from $SHARED_MACHINES/home-local-over-conda.json --lang en
exit 1
first /home/ada/.local/lib/python3.11/site-packages is imported in place of the environment's own

$ tenon doctor --from $SHARED_MACHINES/home-local-over-conda.json --lang zh
exit 1
first 实际导入的是 /home/ada/.local/lib/python3.11/site-packages 中的 tensorflow-cpu 2.15.1

$ tenon doctor --from $SHARED_MACHINES/home-local-beside-venv.json --strict
exit 0

# 28: what the code of a wheel does on a card, each told right.
$ tenon doctor --from $SHARED_MACHINES/rtx4090-torch-cu124.json --strict --lang zh
exit 0

$ tenon doctor --from $SHARED_MACHINES/b300-torch-cu128.json --strict --lang zh
exit 0

$ tenon doctor --from $SHARED_MACHINES/gtx1080-torch-cu130.json --lang zh
exit 1
first GTX 1080

$ tenon doctor --from $SHARED_MACHINES/rtx5090-torch-cu118.json --lang zh
exit 1
first RTX 5090

# 33: the redistributable is named, never an IDE.
$ tenon doctor --from $SHARED_MACHINES/win-tf210-no-msvcp1.json --lang en
exit 1
first msvcp140_1.dll
out x64
not Visual Studio 20
not IDE

$ tenon doctor --from $SHARED_MACHINES/win-tf210-no-msvcp1.json --lang zh
exit 1
first msvcp140_1.dll
not Visual Studio 20

# 26, the cause: of a shell that was not looked at nothing is ruled out.
$ tenon explain "CommandNotFoundError: Your shell has not been properly configured to use 'conda activate'." --machine os=windows
exit 1
first [shell-not-initialised]
