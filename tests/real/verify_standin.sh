#!/usr/bin/env bash
# `tenon verify` and `doctor --verify` as a user starts them on a machine with a card: bus, kernel side and nodes by hand, the driver
# and ten CUDA libraries by stand-ins that compute on the CPU. Right ones are "ok" (exit 0), each fault is a problem whose cause
# doctor names, and a second copy that the real loader takes in place of the expected one is said.
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
command -v cc >/dev/null || skip "cc is not installed"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
apt_conf || true
driver_machine
S=$TENON_SOURCE/tests/standin
L=$WORK/lib
mkdir "$L"
machine=$S/machines/laptop-1060.txt
V=$(sed -n 's/^driver //p' "$machine")
so() { # NAME SOURCE FLAGS...
    cc -w -O1 -shared -fPIC -Wl,-soname,"$1" -o "$L/$1" "$S/$2" "${@:3}" -lm
}
so libnvidia-ml.so.1 standin.c
so libcuda.so.1 cuda/driver.c
mv "$L/libcuda.so.1" "$L/libcuda.so.$V"
mv "$L/libnvidia-ml.so.1" "$L/libnvidia-ml.so.$V"
ln -s "libcuda.so.$V" "$L/libcuda.so.1"
ln -s "libnvidia-ml.so.$V" "$L/libnvidia-ml.so.1"
for l in cudart:cudart.so.12 nvrtc:nvrtc.so.12 cublas:cublas.so.12 cudnn:cudnn.so.9 cufft:cufft.so.11 cusolver:cusolver.so.11 cusparse:cusparse.so.12 \
    curand:curand.so.10 nccl:nccl.so.2; do
    so "lib${l#*:}" "cuda/${l%%:*}.c" "$L/libcuda.so.1"
done
so libcublasLt.so.12 cuda/cublas.c -DLT "$L/libcuda.so.1"
kernel_with_module "$V"
rm -rf /proc/driver/nvidia/gpus /sys/bus/pci/devices/*
n=0
while read -r bus device; do
    card "$bus" "$device"
    ln -sfn /sys/bus/pci/drivers/nvidia "/sys/bus/pci/devices/$bus/driver"
    mknod -m 666 "/dev/nvidia$n" c 195 $n
    n=$((n + 1))
done < <(awk '$1=="gpu"{b=$2} $1=="pci"{print b, $2}' "$machine")
export LD_LIBRARY_PATH=$L TENON_STANDIN=$machine

tenon() { # STATUS ARGUMENTS...
    local want=$1 got=0
    shift
    timeout -s KILL 60 "$TENON" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
    same "$got" "$want" "exit status of $* (${TENON_STANDIN_FAULT:-}): $(cat "$WORK/err"; head -5 "$WORK/out")"
}
tenon 0 verify --json
same "$(json "$WORK/out" "d['status'], len(set(l['name'] for l in d['layers'])), sorted(set(l['status'] for l in d['layers'] if l['why'] != 'not-on-card'))")" \
    "('ok', 12, ['pass'])" "a machine where all is right"
same "$(json "$WORK/out" "all((l['library']['path'] or '').startswith('$L') for l in d['layers'])")" True "the files that the loader rules predict"
tenon 0 verify
grep -q "^Everything that was tried computes" "$WORK/out" || fail "the first line: $(head -1 "$WORK/out")"

caught=0
fault() { # FAULT CAUSE
    export TENON_STANDIN_FAULT=$1
    tenon 1 verify
    grep -q '^PROBLEM: ' "$WORK/out" || fail "$1: $(head -1 "$WORK/out")"
    tenon 1 doctor --verify --expect gpu --json
    got=$(json "$WORK/out" "d['findings'][0]['cause']")
    same "$got" "$2" "cause of $1"
    caught=$((caught + 1))
    unset TENON_STANDIN_FAULT
}
fault driver:readback gpu-hardware-fault
fault driver:memory out-of-memory
fault cublas:wrong vendor-library-bug
fault cudnn:crash vendor-library-bug
fault nccl:status nccl-failure

# What cuBLAS needs is found elsewhere than where the rules look for it: no prediction speaks for a copy that is opened by hand.
mkdir "$WORK/other"
cp "$L/libcublasLt.so.12" "$WORK/other/"
cc -w -O1 -shared -fPIC -Wl,-soname,libcublas.so.12 -Wl,--disable-new-dtags,-rpath,"$WORK/other" -Wl,--no-as-needed -o "$L/libcublas.so.12" "$S/cuda/cublas.c" \
    "$WORK/other/libcublasLt.so.12" "$L/libcuda.so.1" -lm
tenon 0 verify --json
tenon 0 verify
grep -q "the real loader took $WORK/other/libcublasLt.so.12, where $L/libcublasLt.so.12 was expected" "$WORK/out" || fail "another file was loaded, and nothing said: $(grep loader "$WORK/out")"
echo "verify over stand-ins: ok where all is right; $caught faults, their causes named by doctor --verify"
