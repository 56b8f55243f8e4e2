# explain: a pasted text alone, and joined with the machine that it came from.
$ echo "RuntimeError: The NVIDIA driver on your system is too old (found version 10010)." | tenon explain --no-join -
exit 1
first confirmed: NVIDIA driver too old for this CUDA [driver-too-old]
out line 1:

$ echo "RuntimeError: The NVIDIA driver on your system is too old (found version 10010)." | tenon explain --no-join --lang zh -
exit 1
first 已确认：NVIDIA 驱动版本过低

$ tenon explain --no-join "the sun shines"
exit 0
first No known cause in this text
out nvidia-smi

$ tenon explain --no-join --json "ImportError: libcublas.so.10.0: cannot open shared object file: No such file or directory" "CUDA version: 10.1"
exit 1
json command "explain"
json findings[0].cause "cuda-version-mismatch"

$ printf 'CUDA version: 10.0\nImportError: libcublas.so.10.0: cannot open shared object file\n' | tenon explain --no-join --json -
exit 1
json findings[0].cause "cuda-not-on-loader-path"
json findings[0].evidence[0].line 1

$ printf 'ImportError: libcublas.so.10.0: cannot open shared object file\n' | tenon explain --no-join --json -
exit 1
json findings[0].cause "cuda-runtime-missing"

# Story 20: another user's process; another card is free; nobody's process is to be ended.
$ tenon explain CUDA_ERROR_OUT_OF_MEMORY --from $SHARED_MACHINES/lab-server.json
exit 1
first confirmed: NVIDIA GeForce RTX 4090 (GPU 0): process 48213 (python3) of bob holds 22.0 GiB
out out-of-memory
not kill
last export CUDA_VISIBLE_DEVICES=

# Story 21: the same words on four machines.
$ tenon explain CUDNN_STATUS_NOT_INITIALIZED --from $SHARED_MACHINES/tf210-memory-taken.json --json
exit 1
json findings[0].cause "gpu-busy"

$ tenon explain CUDNN_STATUS_NOT_INITIALIZED --from $SHARED_MACHINES/tf210-driver410.json --json
exit 1
json findings[0].cause "driver-too-old"

$ tenon explain CUDNN_STATUS_NOT_INITIALIZED --from $SHARED_MACHINES/tf210-cudnn80.json --json
exit 1
json findings[0].cause "cudnn-version-mismatch"

$ tenon explain CUDNN_STATUS_NOT_INITIALIZED --from $SHARED_MACHINES/tf210-linux-well.json
exit 0
first not reproducible here

# A text from another system is judged alone, and said so.
$ printf 'OS: Windows 10\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n' | tenon explain - --from $SHARED_MACHINES/tf210-linux-well.json
exit 1
err another machine
first confirmed

# Codes alone.
$ tenon explain --no-join 803
exit 1
out CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803, CUDA driver API)
out driver-library-mismatch

$ tenon explain --no-join "Xid 79"
exit 1
out Xid 79 (79, NVIDIA kernel module)
out gpu-hardware-fault

$ tenon explain --no-join NVML 18
exit 1
out NVML_ERROR_LIB_RM_VERSION_MISMATCH

$ tenon explain --no-join cufft 2
exit 1
out CUFFT_ALLOC_FAILED (2, cuFFT)
out out-of-memory

$ tenon explain --no-join NVJITLINK_ERROR_UNSUPPORTED_ARCH
exit 1
out (17, nvJitLink)
out arch-unsupported

$ tenon explain --no-join "WinError 1455"
exit 1
out WinError 1455 (1455, Windows)
out pagefile-too-small

$ tenon explain --no-join code 43
exit 1
out gpu-hardware-fault

$ tenon explain --no-join code 44
out No known cause

$ tenon explain --no-join 0x80070643
exit 1
out cuda-install-failed

$ tenon explain --no-join 99999
exit 0
first No known cause

# A log of any length, from a pipe: a line in its middle is found, under its own number.
$ python3 -c 'for i in range(400000): print("step", i, "loss 0.5 and other words that say nothing at all" if i != 200000 else "the launch timed out and was terminated")' | tenon explain --no-join --json -
exit 1
json findings[0].cause "kernel-timeout"
json findings[0].evidence[0].line 200001

# Story 26: a shell without `conda init`, and one whose execution policy keeps profile scripts from running.
$ printf "CommandNotFoundError: Your shell has not been properly configured to use 'conda activate'.\nTo initialize your shell, run\n\n    $ conda init powershell\n" | tenon explain --no-join -
exit 1
first [shell-not-initialised]

$ printf '. : File C:\\Users\\me\\Documents\\WindowsPowerShell\\profile.ps1 cannot be loaded because running scripts is disabled on this system.\n' | tenon explain --no-join --json -
exit 1
json findings[0].cause "shell-not-initialised"
