# The fix of every recorded machine that has a finding: what is mended, whether that was tried on its facts, and what
# stays. A line that changes has to be truer than before.
# 48 mended, 2 gone with the rest open, 12 not told beforehand, 0 that stay; 52 machines with nothing to mend.
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/amd-only.json
json fix.cause "no-nvidia-gpu"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/apptainer-without-nv.json
json fix.cause "container-gpu-not-requested"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/celeron-tf215.json
json fix.cause "cpu-instruction-missing"
json fix.simulated "not_told"
json fix.not_told_because "anew"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/centos7-jax.json
json fix.cause "glibc-too-old"
json fix.simulated "not_told"
json fix.not_told_because "choice"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/cpu-only.json
json fix.cause "cpu-only-build"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/cudnn-mixed.json
json fix.cause "cudnn-version-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/debian12-cuda13-nogpu.json
json fix.cause "no-nvidia-gpu"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/dkms-failed.json
json fix.cause "driver-install-failed"
json fix.simulated "not_told"
json fix.not_told_because "choice"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/docker-compat-geforce.json
json fix.cause "forward-compat-unsupported"
json fix.simulated "not_told"
json fix.not_told_because "elsewhere"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/docker-compat-unasked.json
json fix.cause "forward-compat-unsupported"
json fix.simulated "not_told"
json fix.not_told_because "elsewhere"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/docker-without-gpus.json
json fix.cause "container-gpu-not-requested"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/driver-half-configured.json
json fix.cause "driver-install-failed"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/driver-missing-nouveau.json
json fix.cause "driver-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/driver-missing.json
json fix.cause "driver-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/driver-not-loaded.json
json fix.cause "driver-not-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/driver-runfile-over-packages.json
json fix.cause "driver-library-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/enroot-without-gpu.json
json fix.cause "container-gpu-not-requested"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/gtx1080-torch-cu130.json
json fix.cause "arch-unsupported"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/home-local-over-conda.json
json fix.cause "framework-corrupt"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/kernel-without-modules.json
json fix.cause "driver-not-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/kubernetes-without-request.json
json fix.cause "container-gpu-not-requested"
json fix.simulated "not_told"
json fix.not_told_because "elsewhere"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/loads-library-path.json
json fix.cause "library-shadowed"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/loads-part-gone.json
json fix.cause "cudnn-incomplete"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/loads-tf2161.json
json fix.cause "nvidia-wheels-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/lsf-without-gpu.json
json fix.cause "scheduler-gave-no-gpu"
json fix.simulated "not_told"
json fix.not_told_because "elsewhere"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/lxc-without-rule.json
json fix.cause "container-lost-gpu"
json fix.simulated "not_told"
json fix.not_told_because "elsewhere"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/mismatch-535.json
json fix.cause "driver-library-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/mismatch-older-library.json
json fix.cause "driver-library-mismatch"
json fix.simulated "not_told"
json fix.not_told_because "looks"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/mok-not-enrolled.json
json fix.cause "driver-not-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/no-gpu-vm.json
json fix.cause "no-nvidia-gpu"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/nouveau-bound.json
json fix.cause "driver-not-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/nouveau-in-initramfs.json
json fix.cause "driver-not-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/pbs-without-gpu.json
json fix.cause "scheduler-gave-no-gpu"
json fix.simulated "not_told"
json fix.not_told_because "elsewhere"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/podman-without-device.json
json fix.cause "container-gpu-not-requested"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/py310-tf210-numpy2.json
json fix.cause "numpy-abi"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/rtx5090-torch-cu118.json
json fix.cause "arch-unsupported"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/runc-lost-rule.json
json fix.cause "container-lost-gpu"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/secure-boot.json
json fix.cause "driver-not-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/store-python-tf210.json
json fix.cause "dll-search-path"
json fix.simulated "not_told"
json fix.not_told_because "anew"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/stub-libcuda.json
json fix.cause "stub-libcuda-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/tf-and-tf-gpu.json
json fix.cause "framework-package-conflict"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/tf210-cudnn80.json
json fix.cause "cudnn-version-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/tf210-driver410.json
json fix.cause "driver-too-old"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/tf210-keras3.json
json fix.cause "python-dependency-conflict"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/tf210-protobuf5.json
json fix.cause "protobuf-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/tf2161-and-cuda.json
json fix.cause "nvidia-wheels-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/tf217-without-wheels.json
json fix.cause "cuda-runtime-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/tf221-and-cuda.json
json fix.cause "nvidia-wheels-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/tf28-cuda116-cudnn88.json
json fix.cause "cudnn-version-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/torch-cpu-index.json
json fix.cause "wrong-package-index"
json fix.simulated "gone"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/torch-half-removed.json
json fix.cause "framework-corrupt"
json fix.simulated "gone"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/torch24-cudnn8.json
json fix.cause "nvidia-wheels-conflict"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/torch24-torchvision020.json
json fix.cause "companion-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/torch25-nvjitlink-old.json
json fix.cause "nvidia-wheels-conflict"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/torch29-torchvision-old.json
json fix.cause "companion-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/vfio-host.json
json fix.cause "driver-not-loaded"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/win-tf210-driver451.json
json fix.cause "driver-too-old"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/win-tf210-no-msvcp1.json
json fix.cause "msvc-runtime-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/win10-tf26-nocuda.json
json fix.cause "cuda-runtime-missing"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/win11-native.json
json fix.cause "windows-native-unsupported"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --from $SHARED_MACHINES/win11-tf210-cuda120.json
json fix.cause "cuda-version-mismatch"
json fix.simulated "mends"
json stays null
exit 0
$ tenon plan --fix --json --lang zh --from $SHARED_MACHINES/wsl2-no-dxg.json
json fix.cause "wsl-driver"
json fix.simulated "not_told"
json fix.not_told_because "elsewhere"
json stays null
exit 0
