# Where sources disagree, the table shows both claims: rank 1 is what tenon uses, the rival stays with its reason.

# The release notes' Table 3 against the driver in the installer's name.
$ tenon table cuda_driver_min 11.8
out 520.06
out 522.06
out conflict: driver in the installer's file name

$ tenon table cuda_driver_min 11.7.1 --full
out 515.48.07
out 515.65.01
out 516.31
out 516.94

$ tenon table cuda_driver_min 12.8.0
out 570.26
out 570.86.10
out 570.65
out 571.96
out conflict

$ tenon table cuda_driver_min 11.2.0
out 460.27.03
out 460.27.04
out conflict

$ tenon table cuda_driver_min 11.5.0
out 496.04
out 496.13
out conflict

$ tenon table cuda_driver_min 12.2.1
out 535.86.09
out 535.86.10
out conflict

$ tenon table cuda_driver_min 9.1.85
out 390.46
out 387.26
out conflict

# The floor on Windows: 528.33 or 527.41 for 12.x, 452.39 or 456.38 for 11.1 to 11.4; none printed for 13.0.
$ tenon table cuda_driver_min 12.4.1
out 528.33
out 527.41
out conflict

$ tenon table cuda_driver_min 11.3.0
out 452.39
out 456.38
out conflict

$ tenon table cuda_driver_min 13.0.0 --full
out docs list N/A for Windows

# TensorFlow: two pages of one commit.
$ tenon table --tf 2.21 --os linux
out 12.5
out 9.3
out 12.3
out 8.9.7
out conflict: pip install page of the same commit

# The pip page lists GPUs from 3.5; the wheels hold 6.0 and up, no Blackwell code.
$ tenon table tf_wheel_arch 2.17 official linux --format csv
out sm_60 sm_70 sm_80 sm_89 compute_90,6.0,6.0 7.0 8.0 8.9 9.0,9.0,1
out 3.5,3.5 5.0 6.0 7.0 7.5 8.0,,2
not 12.0

$ tenon table --tf 2.15.0 --os linux
out 8.9
out 8.8
out conflict: the table printed cuDNN 8.8 until 2023-12-13

$ tenon table --tf 2.5 --os linux
out conflict: what the table printed at first

# JAX: the page against the build configuration, and against the extra itself.
$ tenon table --jax 0.11.0 jax_builds cuda12
out 12.9.1
out 12.3
out conflict: the docs say built with CUDA 12.3

$ tenon table --jax 0.11.0 jax_builds cuda13 --full
out 9.12.0.46,<10.0
out built_cudnn
out the docs say built with cuDNN 9.8

# SM 5.2 by the page, sm_50 in the build list.
$ tenon table --jax 0.11.0 jax_builds cuda12 --format csv
out sm_50 sm_60
out ,5.2,1,

# PyTorch: the matrix says 12.0+PTX, the wheels name no compute_120 (get_arch_list, and read in 2.12, 2.14).
$ tenon table pytorch_builds 2.13.0 cu130
out conflict: RELEASE.md matrix says 12.0+PTX on Linux
out tenon uses this row: get_arch_list of the wheel

$ tenon table pytorch_builds 2.14.0 cu130 --format csv
out 7.5 8.0 8.6 9.0 10.0 12.0,,7.5 8.0 8.6 9.0 10.0 12.0,,8.0 9.0 10.0 11.0 12.0,,580,,1,
out 7.5 8.0 8.6 9.0 10.0 12.0,12.0,7.5 8.0 8.6 9.0 10.0 12.0,,,,580,,2,
out documents say ptx_linux 12.0

$ tenon table pytorch_builds 2.12.1 cu130
out tenon uses this row: sm list: text in libtorch_python.so

$ tenon table pytorch_builds 2.11.0 cu130 --format csv
out 2.11.0,cu130,13.0,yes,9.19.0.56,
out 2.11.0,cu130,13.0,yes,9.17.1.4,

# Volta left cu128 with 2.11.
$ tenon table pytorch_builds 2.11.0 cu128 --full
out 7.5 8.0 8.6 9.0 10.0 12.0
out Volta gone

$ tenon table pytorch_builds 2.10.0 cu128
out 7.0 7.5 8.0

# Linux and Windows lists differ.
$ tenon table pytorch_builds 2.5.1 cu124 --format csv
out 5.0 6.0 7.0 7.5 8.0 8.6 9.0,,5.0 6.0 6.1 7.0 7.5 8.0 8.6 9.0,

# Spack against what ptxas was measured to accept.
$ tenon table cuda_arch 12.0 --full
not conflict
out measured from ptxas

$ tenon table cuda_arch 9.0
out 7.2
out conflict: Spack allows sm_72 from 9.0

$ tenon table host_compilers 11.2
out tenon uses this row: the 11.2 header rejects only gcc later than 10

# Xid numbers that one NVIDIA list calls unused.
$ tenon table xid 56
out display engine error
out conflict: the catalogue of 2025-10 calls it unused

$ tenon table xid 61
out unused
out conflict

$ tenon table driver_branches --driver 580.65.06
out 2028-06

# The guide: order as nvidia-smi; practice: only with CUDA_DEVICE_ORDER.
$ tenon table env_vars CUDA_VISIBLE_DEVICES --full
out numbers follow the order of nvidia-smi
out CUDA_DEVICE_ORDER=PCI_BUS_ID

# What documents and wheels say of the Python range need not be one: the wheels' own range stands in table wheels.
$ tenon table wheels torch 2.14.1 linux x86_64
out 3.10
