#!/bin/bash
# Story 28 over code that nvcc wrote: for wheels with machine code alone, with PTX beside it and with an "a" target, each card is
# told as facts/arch.h has it: native, compiled from PTX for minutes, no code, older than all code.
. "$(dirname "$0")/lib.sh"
NVCC=$(ls -d /usr/local/cuda*/bin/nvcc 2>/dev/null | sed -n 1p)
[ -n "$NVCC" ] || skip "nvcc"
cd "$WORK" || exit 1
printf 'extern "C" __global__ void k(float *x) { x[threadIdx.x] += 1; }\nextern "C" void go(float *x) { k<<<1, 32>>>(x); }\n' >k.cu
make_wheel() { # NAME GENCODE...
    local name=$1
    shift
    "$NVCC" -shared -Xcompiler -fPIC -o "$name.so" k.cu "$@" >nvcc.log 2>&1 || skip "nvcc for $name"
    python3 "$TENON_SOURCE/tests/cli/wheel.py" "$name-1.0-cp311-cp311-manylinux_2_28_x86_64.whl" "$name.so"
}
told() { # NAME MACHINE STATUS ID
    "$TENON" fits "$1-1.0-cp311-cp311-manylinux_2_28_x86_64.whl" --machine "os=linux,$2" --json >out.json || true
    same "$(json out.json 'd["status"]')" "$3" "$1 on $2"
    same "$(json out.json 'd["requirements"][-1]["id"]')" "ft_wheel_$4" "$1 on $2"
}
make_wheel sass -gencode arch=compute_80,code=sm_80 -gencode arch=compute_86,code=sm_86
make_wheel ptx -gencode arch=compute_80,code=sm_80 -gencode 'arch=compute_86,code=[sm_86,compute_86]'
make_wheel that -gencode arch=compute_90a,code=sm_90a
told sass gpu=8.9,driver=580.65.06 fits native
told sass gpu=8.0,driver=580.65.06 fits native
told sass gpu=12.0,driver=580.65.06 does_not none
told sass gpu=6.1,driver=580.65.06 does_not older
told ptx gpu=12.0,driver=580.65.06 fits jit
told ptx gpu=12.0,driver=570.124 does_not ptx_new
told ptx gpu=8.9,driver=535.54.03 fits native
told that gpu=9.0,driver=580.65.06 fits native
told that gpu=10.0,driver=580.65.06 does_not none
