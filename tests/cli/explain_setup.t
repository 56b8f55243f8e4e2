# Story 13: the log of the CUDA installer on Windows names the component that failed.
$ printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\CUDAVisualStudioIntegration\\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "". \n   31.400 |    ERROR: [NVI2.NVMsiPhase] 827@CNVMsiPhase::InvokePhase : Caught exception Exception {0x80070643 - Fatal error during installation.; File: NVMsiPhase.cpp; Line: 75}. \n' | tenon explain --no-join -
exit 1
first The CUDA installer failed at "NVIDIA Nsight Visual Studio Edition Win64 2023.1.0" (0x80070643)
out Custom, without the component that failed
last conda install -c nvidia cuda-toolkit

# Story 29: the log ends while a component is being installed: it hangs there, it has not failed.
$ printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "". \n' | tenon explain --no-join -
exit 1
first The log ends while "NVIDIA Nsight Visual Studio Edition Win64 2023.1.0" is being installed

# An installation that goes on after that component has neither failed nor stopped.
$ printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\a.msi command-line "". \n   31.400 |     INFO: [NVI2.NVInstaller] 2930@CNVInstaller::InternalPerformInstallPackagePhases : Exiting Checkpoint: Processing package phase "A" ( 115 ms ). \n' | tenon explain --no-join -
exit 0

# The runfile's own log.
$ printf '[INFO]: Installing: Driver\n[INFO]: Finished with code: 256\n[ERROR]: Install of driver component failed.\n[ERROR]: Install of 550.54.15 failed, quitting\n' | tenon explain --no-join -
exit 1
first The CUDA installer failed at "driver" (256)
out the toolkit alone

# nvidia-installer.log: the first error is the one that counts.
$ printf 'installer version: 550.54.15\nERROR: You appear to be running an X server.  Installing the NVIDIA driver while X is running is not recommended\nERROR: Installation has failed.\n' | tenon explain --no-join -
exit 1
first Installing "NVIDIA driver 550.54.15" failed: You appear to be running an X server
last sudo systemctl isolate multi-user.target

# SetupAPI: sections about NVIDIA's devices alone.
$ printf '>>>  [Device Install (Hardware initiated) - PCI\\VEN_10DE&DEV_2684]\n!!!  dvi:      Device not started: Device has problem: 0x34 (CM_PROB_UNSIGNED_DRIVER).\n<<<  [Exit status: FAILURE(0xe0000219)]\n' | tenon explain --no-join -
exit 1
first Installing "NVIDIA display driver" failed: Device not started

$ printf '>>>  [Device Install (Hardware initiated) - USB\\VID_046D]\n!!!  dvi:      Device not started\n<<<  [Exit status: FAILURE(0xe0000219)]\n' | tenon explain --no-join -
exit 0
first No known cause

# What people repeat and should not is named as such; it is no cause.
$ printf 'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 8.00 GiB total capacity)\nI had to reinstall the driver and sudo pip install torch\n' | tenon explain --no-join -
exit 1
out line 2: reinstalling the driver helps only where the driver itself fails
out line 2: sudo pip writes into the system's own Python
last export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True

$ printf 'sudo ln -s /usr/local/cuda/lib64/libcudnn.so.8 /usr/local/cuda/lib64/libcudnn.so.7\n' | tenon explain --no-join --json -
exit 0
json advice[0].id "link-library"

$ printf 'sudo ln -s /usr/local/cuda-11.8 /usr/local/cuda\n' | tenon explain --no-join -
exit 0
not another version

# Story 13 on a machine: the component, the smaller installation, and apart from it the redistributable that is missing.
$ printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\CUDAVisualStudioIntegration\\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "". \n   31.400 |    ERROR: [NVI2.NVMsiPhase] 827@CNVMsiPhase::InvokePhase : Caught exception Exception {0x80070643 - Fatal error during installation.; File: NVMsiPhase.cpp; Line: 75}. \n' | tenon explain --from $SHARED_MACHINES/win-tf210-no-msvcp1.json --json -
exit 1
json findings[0].cause "cuda-install-failed"
json findings[1].cause "msvc-runtime-missing"
json findings[1].status "confirmed"

# The redistributable is there: nothing is said of it.
$ printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\CUDAVisualStudioIntegration\\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "". \n   31.400 |    ERROR: [NVI2.NVMsiPhase] 827@CNVMsiPhase::InvokePhase : Caught exception Exception {0x80070643 - Fatal error during installation.; File: NVMsiPhase.cpp; Line: 75}. \n' | tenon explain --from $SHARED_MACHINES/win-tf210-healthy.json -
exit 1
first The CUDA installer failed at "NVIDIA Nsight Visual Studio Edition Win64 2023.1.0"
not msvc-runtime-missing

# Story 29 on a machine: the installer holds its lock, the log is 40 minutes old, and a restart is due.
$ sed 's/"sys": {/"sys": {"installing": "1",/' $SHARED_MACHINES/win-tf210-healthy.json >m.json; printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "". \n' >log; touch -d '-40 minutes' log; tenon explain --from m.json log
exit 1
first the CUDA installer hangs there, it has not failed. The Windows Installer of this machine is at work
out log_unchanged_minutes = 40
out host.installing = yes

$ sed 's/"sys": {/"sys": {"installing": "1",/; s/"reg": {/"reg": {"HKLM\\\\SOFTWARE\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Component Based Servicing\\\\RebootPending": {"list": {"d": []}},/' $SHARED_MACHINES/win-tf210-healthy.json >m.json; printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "". \n' | tenon explain --from m.json -
exit 1
first A restart of this Windows is due, and installers wait for it
last Restart-Computer

$ sed 's/"sys": {/"sys": {"installing": "0",/' $SHARED_MACHINES/win-tf210-healthy.json >m.json; printf '   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\\Temp\\CUDA\\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "". \n' | tenon explain --lang zh --from m.json -
exit 1
first 安装程序在此处被中断
