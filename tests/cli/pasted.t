# A pasted nvidia-smi instead of a snapshot. Its tables and messages: tests/unit/explain_smi.c names who published them.
# Peer mistake 4: a healthy card of the 610 series is seen, and nothing is alarmed.
$ printf '+-----------------------------------------------------------------------------------------+\n| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n+-----------------------------------------+------------------------+----------------------+\n| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n|                                         |                        |               MIG M. |\n|=========================================+========================+======================|\n|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n|   1  NVIDIA B200                    On  |   00000000:68:00.0 Off |                    0 |\n| N/A   30C    P0            142W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n' > t; tenon doctor --from t
exit 0
err t was read as pasted text of nvidia-smi
out found 2 x NVIDIA B200
not FAULT
not warning

$ printf '+-----------------------------------------------------------------------------------------+\n| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n+-----------------------------------------+------------------------+----------------------+\n| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n|                                         |                        |               MIG M. |\n|=========================================+========================+======================|\n|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n|   1  NVIDIA B200                    On  |   00000000:68:00.0 Off |                    0 |\n| N/A   30C    P0            142W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n' | tenon doctor --from - --json
exit 0
json layers[0].summary "found 2 x NVIDIA B200 (10.0); compute capability in brackets"

$ printf '+-----------------------------------------------------------------------------------------+\n| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n+-----------------------------------------+------------------------+----------------------+\n| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n|                                         |                        |               MIG M. |\n|=========================================+========================+======================|\n|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n|   1  NVIDIA B200                    On  |   00000000:68:00.0 Off |                    0 |\n| N/A   30C    P0            142W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n' | tenon versions --from -
out 610.43.02
out driver ceiling  13.3

# Held in exclusive mode: named; through MPS that is how it is meant.
$ printf '| NVIDIA-SMI 375.26                 Driver Version: 375.26                    |\n|-------------------------------+----------------------+----------------------+\n| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n|===============================+======================+|\n|   0  Tesla K40m          On   | 0000:04:00.0     Off |                    0 |\n| N/A   35C    P0    63W / 235W |     74MiB / 11439MiB |      0%%   E. Process |\n+-------------------------------+----------------------+----------------------+\n+---+\n| Processes:                                                                  |\n|    0     28245    C   python                                          70MiB |\n' | tenon doctor --from -
exit 1
out [mig-misconfigured]

$ printf '| NVIDIA-SMI 375.26                 Driver Version: 375.26                    |\n|-------------------------------+----------------------+----------------------+\n| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n|===============================+======================+|\n|   0  Tesla K40m          On   | 0000:04:00.0     Off |                    0 |\n| N/A   35C    P0    63W / 235W |     74MiB / 11439MiB |      0%%   E. Process |\n+-------------------------------+----------------------+----------------------+\n+---+\n| Processes:                                                                  |\n|    0     28245    C   python                                          70MiB |\n' | tenon doctor --from - --lang zh
exit 1
out [mig-misconfigured]
err 按粘贴的文本

$ printf '| NVIDIA-SMI 460.32.03    Driver Version: 460.32.03    CUDA Version: 11.2     |\n|   0  Tesla T4            On   | 00002C74:00:00.0 Off |                    0 |\n| N/A   36C    P8     9W /  70W |     28MiB / 15109MiB |      0%%   E. Process |\n| Processes:                                                                  |\n|    0   N/A  N/A    122792      C   nvidia-cuda-mps-server             25MiB |\n' | tenon doctor --from -
exit 0
not [mig-misconfigured] 

# Peer mistakes 15, 24, 27: a mismatch is named, a restart mends it, nothing is to be installed.
$ printf 'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.309\n' | tenon doctor --from -
exit 1
out [driver-library-mismatch]
out reboot
not [driver-missing]
not apt

$ printf 'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.309\n' | tenon doctor --from - --lang zh
exit 1
out 认为它的版本不同

# Peer mistake 15: not loaded is not "not installed".
$ printf "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n\n" | tenon doctor --from -
exit 1
out [driver-not-loaded]
out modprobe
not apt

$ printf 'Failed to initialize NVML: Insufficient Permissions\n' | tenon doctor --from -
exit 1
out [device-permission]

$ printf 'Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost. Reboot the system to recover this GPU\n' | tenon doctor --from -
exit 1
out [gpu-hardware-fault]
out 0000:02:00.0

# An answer that names nothing is told as that answer.
$ printf 'Failed to initialize NVML: Unknown Error\n' | tenon doctor --from -
exit 1
out NVML_ERROR_UNKNOWN

# A card that NVML does not list may be anywhere: no alarm of a missing one.
$ printf 'No devices were found\n' | tenon doctor --from -
exit 3

# Peer mistake 18: all three parts of a driver.
$ printf 'Driver Version                            : 535.183.01\n' | tenon versions --from -
out 535.183.01

# A text without a word of it is none, and JSON that is broken stays JSON.
$ printf 'hello\n' | tenon doctor --from -
exit 3
not pasted

$ printf '{"schema_version": 1, Driver Version: 535.183.01' | tenon doctor --from -
exit 3
not pasted

# A table from inside WSL: a tool of Linux's form over a driver of Windows.
$ printf '| NVIDIA-SMI 510.60.02    Driver Version: 512.15       CUDA Version: 11.6     |\n' > t; tenon snapshot --from t
json host.wsl.value 2
json host.os.value "linux"

# Of a card without a number the address is what commands name.
$ printf '<nvidia_smi_log><gpu id="00000000:0C:00.0"><compute_mode>Prohibited</compute_mode></gpu></nvidia_smi_log>' | tenon doctor --from -
exit 1
out sudo nvidia-smi -i 0000:0c:00.0 -c DEFAULT

# Longer than what is read.
$ (printf '+-----------------------------------------------------------------------------------------+\n| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n+-----------------------------------------+------------------------+----------------------+\n| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n|                                         |                        |               MIG M. |\n|=========================================+========================+======================|\n|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |\n| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n|   1  NVIDIA B200                    On  |   00000000:68:00.0 Off |                    0 |\n| N/A   30C    P0            142W / 1000W |       0MiB / 183359MiB |      0%%      Default |\n|                                         |                        |             Disabled |\n+-----------------------------------------+------------------------+----------------------+\n'; head -c 20000000 /dev/zero) | tenon doctor --from -
exit 0
err only the first 16 MB
out found 2 x NVIDIA B200
