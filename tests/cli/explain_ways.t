# The way out of what only a text says: by its framework, else by what is right to type anywhere.
$ tenon explain --no-join 'torch 2.4.1: RuntimeError: CUDA error: no kernel image is available for execution on the device'
exit 1
last tenon plan torch

# Nothing says which framework it is.
$ tenon explain --no-join 'CUDA error: no kernel image is available for execution on the device'
exit 1
last tenon doctor

# Of what the text does not say no hole is left.
$ tenon explain --no-join 'CUDA driver version is insufficient for CUDA runtime version'
exit 1
not {
last tenon table cuda_driver_min

$ tenon explain --json --no-join 'CUDA error: no kernel image is available for execution on the device'
exit 1
not "plan"
not "command": null

# Remedies by the system of the text: a container, WSL, a shell of Windows.
$ printf "OS: Microsoft Windows 11 Pro\nCommandNotFoundError: Your shell has not been properly configured to use 'conda activate'.\n" | tenon explain --no-join -
exit 1
last conda init powershell

$ tenon explain --no-join "CommandNotFoundError: Your shell has not been properly configured to use 'conda activate'."
exit 1
last conda init bash

$ printf 'A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.1 as it may crash.\n' | tenon explain --no-join -
exit 1
last python -m pip install 'numpy<2'

# A prompt tells PowerShell from bash; a policy that blocks its scripts is not mended by conda init; where there is no conda
# command, none is offered (story 26).
$ printf 'PS C:\\Users\\a> conda activate tf\nCommandNotFoundError: Your shell has not been properly configured to use %sconda activate%s.\n' "'" "'" | tenon explain --no-join -
exit 1
last conda init powershell

$ printf '. : C:\\Users\\a\\profile.ps1 cannot be loaded because running scripts is disabled on this system.\n' | tenon explain --no-join -
exit 1
last Set-ExecutionPolicy -Scope CurrentUser RemoteSigned
not conda init

$ tenon explain --no-join 'bash: conda: command not found'
exit 1
last tenon envs
not conda init

# What is harmless needs no way out, and none is made up.
$ printf 'Your kernel may not have been built with NUMA support.\n' | tenon explain --no-join -
exit 0
not tenon doctor
