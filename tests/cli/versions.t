# Story 18: five versions on one machine, each by its name, and which one TensorFlow uses.
$ tenon versions --from $SHARED_MACHINES/five-versions.json
out driver ceiling  12.4       newest CUDA the driver serves, not an installed toolkit
out toolkit         11.8
out run time        12.3.101   cudart of a wheel in /home/ada/tf
out run time        11.2.152   cudart of a conda package in /home/ada/miniconda3/envs/tf
out <- used by tensorflow
out built for       11.2       tensorflow 2.10.0 was built for it
out PATH finds its nvcc 11.8.89
out driver          550.54.14  NVIDIA driver, loaded
last tensorflow 2.10.0 uses the CUDA run time 11.2.152

$ tenon versions --from $SHARED_MACHINES/five-versions.json --lang zh
out 驱动上限  12.4
out 不是已安装的工具包
out tensorflow 使用它
last 依据是它的构建目标（CUDA 11.2）

$ tenon versions --from $SHARED_MACHINES/five-versions.json --json
schema versions.schema.json
json command "versions"
json rows[0].name "driver"
json rows[0].version "550.54.14"
json rows[1].name "driver_ceiling"
json rows[1].version "12.4"
json rows[2].name "toolkit"
json rows[2].version "11.8.0"
json rows[3].name "runtime"
json rows[3].version "11.2.152"
json rows[3].used_by "tensorflow"
json rows[4].version "12.3.101"
json rows[4].used_by null
json rows[5].name "framework_built_for"
json rows[5].version "11.2"
json minimum_driver[0].os "Linux"
json minimum_driver[0].driver "525.60.13"

# Judged from the other environment, its TensorFlow uses its wheels.
$ tenon versions --from $SHARED_MACHINES/five-versions.json --env /home/ada/tf --json
schema versions.schema.json
json rows[3].version "12.3.101"
json rows[3].environment "/home/ada/tf"
json rows[3].used_by "tensorflow"
json rows[4].version "11.2.152"
json rows[4].used_by null

# Story 4: a pasted header.
$ printf '| NVIDIA-SMI 516.94       Driver Version: 516.94       CUDA Version: 11.7     |\r\n' | tenon versions -
out driver          516.94
out driver ceiling  11.7    newest CUDA the driver serves, not an installed toolkit (line 1)
out Windows minimum 452.39
not 450.80.02

$ printf '| NVIDIA-SMI 516.94       Driver Version: 516.94       CUDA Version: 11.7     |\r\n' | tenon versions - --json --lang zh
schema versions.schema.json
json rows[1].name "driver_ceiling"
json rows[1].version "11.7"
json rows[1].line 1
json minimum_driver[0].os "Windows"
json minimum_driver[0].driver "452.39"

# Story 18: the control panel's line is the driver's ceiling.
$ printf 'NVCUDA64.DLL\t30.0.14.7141\tNVIDIA CUDA 11.4.94 driver\n' > p.txt; tenon versions p.txt --json
schema versions.schema.json
json length rows 2
json rows[0].version "471.41"
json rows[1].name "driver_ceiling"
json rows[1].version "11.4"

# Peer mistakes 4 and 18: the 610 series, and all three parts of a driver.
$ printf '| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n' | tenon versions -
out 610.43.02
out driver ceiling  13.3
out Linux minimum 580

$ tenon versions --machine os=linux,driver=535.183.01
out 535.183.01
out driver ceiling  12.2
# Peer mistake 31: the number for Linux, not that for Windows.
out Linux minimum 525.60.13
not 528.33

$ tenon versions --machine os=windows,driver=560.94
out Windows minimum 528.33
not 525.60.13

# An old banner names no CUDA: the tables do.
$ printf '| NVIDIA-SMI 384.130                Driver Version: 384.130                   |\n' | tenon versions -
out driver ceiling  9.0
out table driver_branches

# Both systems are possible: both numbers.
$ printf 'Driver Version: 555.99  CUDA Version: 12.5\n' | tenon versions -
out Windows minimum 528.33
out Linux minimum 525.60.13

# A toolkit is no ceiling.
$ printf 'Cuda compilation tools, release 11.8, V11.8.89\n' | tenon versions - --json
json length rows 1
json rows[0].name "toolkit"
json rows[0].version "11.8.89"

$ printf 'hello\n' | tenon versions -
exit 3
quiet
err no version could be read

$ printf '' | tenon versions - --json
exit 3
schema versions.schema.json
json rows []

$ head -c 40000000 /dev/zero | tenon versions -
exit 3
err only the first 16 MB

$ tenon versions $SHARED_MACHINES/five-versions.json
exit 2
err --from

$ tenon versions nosuchfile
exit 3
err nosuchfile

# No driver, no toolkit: said, and no alarm.
$ tenon versions --from $SHARED_MACHINES/no-gpu-vm.json
out no NVIDIA driver
out none

# A build for the CPU uses none.
$ tenon versions --from $SHARED_MACHINES/cpu-only.json
out tensorflow-cpu 2.17.0 is a CPU build: it uses no CUDA
