# What explain finds by arithmetic, each with a near miss: memory figures, generations, statements between commas.
$ tenon explain --no-join --json "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 1.21 GiB already allocated; 5.25 MiB free; 1.30 GiB reserved in total by PyTorch)"
exit 1
json findings[0].cause "gpu-busy"

$ tenon explain --no-join --json "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.21 GiB already allocated; 5.25 MiB free; 9.30 GiB reserved in total by PyTorch)"
exit 1
json findings[0].cause "out-of-memory"

$ tenon explain --no-join --json "GPU: RTX 5090" "PyTorch version: 2.4.0"
exit 1
json findings[0].cause "arch-unsupported"

# One of the builds of this release (cu128) has code for it.
$ tenon explain --no-join "GPU: RTX 5090" "PyTorch version: 2.7.0"
exit 0
first No known cause in this text

$ tenon explain --no-join --json "显卡 RTX 5090，pytorch 2.4.0，一推理就报错"
exit 1
json findings[0].cause "arch-unsupported"

# A sentence is no description of a machine.
$ tenon explain --no-join "We ran it on an RTX 5090, then with pytorch 2.4.0"
exit 0
first No known cause in this text

$ tenon explain --no-join --json "GPU: RTX 2080" "FROM nvidia/cuda:8.0-cudnn5-devel"
exit 1
json findings[0].cause "arch-unsupported"

$ tenon explain --no-join "GPU: RTX 2080" "FROM nvidia/cuda:10.0-cudnn7-devel"
exit 0
first No known cause in this text

$ tenon explain --no-join --json "Windows 11, Python 3.11" "tensorflow 2.16.1" "Num GPUs Available: 0"
exit 1
json findings[0].cause "windows-native-unsupported"

$ tenon explain --no-join "Windows 11, Python 3.10" "tensorflow 2.10.1" "Num GPUs Available: 0"
exit 0
first No known cause in this text

# The memory of the machine is not that of a GPU.
$ tenon explain --no-join "Out of memory: Killed process 4711 (java) total-vm:16384000kB"
exit 0
first No known cause in this text

$ tenon explain --no-join --json "Python 3.10, torch 2.6.0, torchvision 0.17.2"
exit 1
json findings[0].cause "companion-mismatch"

$ tenon explain --no-join "Python 3.10, torch 2.2.2, torchvision 0.17.2"
exit 0
first No known cause in this text
