#!/usr/bin/env bash
# stories.sh - the acceptance stories of Windows, told by tenon.exe itself under wine: over the recorded machines of each, by
# exit status and the words that matter. Each of them is told on Linux too (tests/machines, tests/cli).
set -Eeuo pipefail
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
. "$here/wine_prefix.sh"
prefix_make "the stories of Windows"
cp "$TENON_SOURCE"/tests/machines/{win*,store-python-tf210,py310-tf210-numpy2,cudnn-mixed,wsl2-ok}.json "$WORK"
# story NUMBER STATUS TEXT COMMAND...: standard input is handed on
story() {
    local number=$1 status=$2 text=$3 rc=0
    shift 3
    timeout 60 wine "$WORK/tenon.exe" "$@" --lang en >"$WORK/out" 2>"$WORK/err" || rc=$?
    [ $rc = "$status" ] || fail "story $number: status $rc: $(cat "$WORK/out" "$WORK/err")"
    grep -F -- "$text" "$WORK/out" >/dev/null || fail "story $number: no \"$text\" in: $(cat "$WORK/out" "$WORK/err")"
}
phase='   12.056 |    DEBUG: [NVI2.NVMsiPhase] 802@CNVMsiPhase::InvokePhase : Running MSI install on C:\Temp\CUDA\NVIDIA_Nsight_Visual_Studio_Edition_Win64_2023.1.0.msi command-line "".'
fatal='   31.400 |    ERROR: [NVI2.NVMsiPhase] 827@CNVMsiPhase::InvokePhase : Caught exception Exception {0x80070643 - Fatal error during installation.; File: NVMsiPhase.cpp; Line: 75}'
smi='| NVIDIA-SMI 516.94       Driver Version: 516.94       CUDA Version: 11.7     |'
store='C:\Users\ada\AppData\Local\Packages\PythonSoftwareFoundation.Python.3.10_qbz5n2kfra8p0'
story 1 1 'CUDA 11.x runtime missing: cudart64_110.dll' doctor --from win10-tf26-nocuda.json </dev/null
story 2 1 'offers cudart64_12.dll where cudart64_110.dll is asked for' doctor --from win11-tf210-cuda120.json </dev/null
story 4 0 'not an installed toolkit' versions - <<<"$smi"
story 4 1 '452.39 or newer on Windows' doctor --from win-tf210-driver451.json </dev/null
story 7 1 'numpy-abi' doctor --from py310-tf210-numpy2.json </dev/null
story 8 1 '2.10' plan tensorflow==2.16 --from win11-native.json </dev/null
story 8 0 'tensorflow[and-cuda]' plan tensorflow==2.16 --from wsl2-ok.json </dev/null
story 9 1 'mkl builds are for the CPU alone' plan tensorflow==2.6 --method conda --from win10-tf26-nocuda.json </dev/null
story 13 1 'failed at "NVIDIA Nsight Visual Studio Edition Win64 2023.1.0" (0x80070643)' explain --no-join - <<<"$phase
$fatal"
story 14 1 'is a Python of the Microsoft Store' find cudart64_110.dll --from store-python-tf210.json --env "$store" </dev/null
story 14 0 'One copy of cudart64_110.dll' find cudart64_110.dll --from win-tf210-healthy.json --env 'C:\Users\ada\miniconda3\envs\tf' </dev/null
story 15 1 'cudnn_ops_infer64_8.dll is 8.4.1.50' doctor --from cudnn-mixed.json </dev/null
story 15 0 'fit; NVIDIA GeForce GTX 1660 can be used' doctor --from win-tf210-healthy.json </dev/null
story 26 1 'shell-not-initialised' explain --no-join - <<<"CommandNotFoundError: Your shell has not been properly configured to use 'conda activate'."
story 29 1 'The log ends while "NVIDIA Nsight Visual Studio Edition Win64 2023.1.0" is being installed' explain --no-join - <<<"$phase"
story 33 1 'msvcp140_1.dll is missing' doctor --from win-tf210-no-msvcp1.json </dev/null
story TDR 0 'Windows reset NVIDIA' doctor --from win-tf210-driver-reset.json </dev/null
