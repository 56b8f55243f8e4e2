#!/usr/bin/env bash
# The real CUDA run time (11.8 of Debian, 12.4 of PyPI, 13.0 of the toolkit) over the real libcuda of each branch, over none, and over the
# toolkit's stub: what cudaDriverGetVersion, cudaRuntimeGetVersion and cudaGetDeviceCount answer, and what tenon says of the same
# libcuda beside a framework built for that CUDA. It must say driver-too-old exactly where the run time says 35 though there is a driver.
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
for tool in dpkg-deb setpriv cc; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || skip "no package index"
driver_machine
without_modprobe # the run time would start it
wrong=0
cells=0
printf '%-11s %-7s %-44s %-52s %s\n' libcuda cudart 'driver, run time, count' cause right

declare -A rt
if f=$(debs libcudart11.0 2>/dev/null); then
    dpkg-deb -x "$f" "$WORK/rt11"
    rt[11.8]=$(find "$WORK/rt11" -name 'libcudart.so.11*' -type f | sed -n 1p)
else
    echo "skipped: the CUDA run time 11.8 cannot be had"
fi
mkdir -p "$PARTS/wheels"
f=$(ls "$PARTS"/wheels/nvidia_cuda_runtime_cu12-12.4.127-*.whl 2>/dev/null | sed -n 1p || true)
[ -n "$f" ] || one python3 -m pip download -q --no-deps --only-binary :all: -d "$PARTS/wheels" nvidia-cuda-runtime-cu12==12.4.127 >/dev/null 2>&1 || true
f=$(ls "$PARTS"/wheels/nvidia_cuda_runtime_cu12-12.4.127-*.whl 2>/dev/null | sed -n 1p || true)
if [ -n "$f" ] && python3 -m zipfile -e "$f" "$WORK/rt12"; then
    rt[12.4]=$(find "$WORK/rt12" -name 'libcudart.so.12*' | sed -n 1p)
else
    echo "skipped: the CUDA run time 12.4 cannot be had"
fi
toolkit=
for f in /usr/local/cuda-13*/targets/x86_64-linux/lib/libcudart.so.13; do [ ! -f "$f" ] || { rt[13.0]=$f toolkit=${f%/targets/*}; }; done
[ -n "$toolkit" ] || echo "skipped: the CUDA run time 13.0 is not here"
chmod -R a+rX "$WORK"

cat >"$WORK/ask.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **v)
{
    static const char *const name[] = {"cudaDriverGetVersion", "cudaRuntimeGetVersion", "cudaGetDeviceCount"};
    void *rt = dlopen(v[1], RTLD_NOW);
    for (int i = 0; rt && i < 3; i++) {
        int (*f)(int *) = (int (*)(int *))dlsym(rt, name[i]), x = -1, r = f ? f(&x) : -1;
        printf(x >= 0 ? "%s%d:%d" : "%s%d", i ? " " : "", r, x);
    }
    return !rt || n != 2;
}
C
cc -o "$WORK/ask" "$WORK/ask.c" -ldl
chmod a+rx "$WORK/ask"
# An environment with a framework that was built for CUDA $1: tenon reads that in its version.py.
environment() {
    local site=$WORK/env$1/lib/python3.11/site-packages
    [ ! -d "$WORK/env$1" ] || return 0
    mkdir -p "$site/torch/lib" "$site/torch-2.9.0.dist-info" "$WORK/env$1/bin"
    printf 'home = /usr/bin\nversion = 3.11.2\n' >"$WORK/env$1/pyvenv.cfg"
    ln -s "$(command -v python3)" "$WORK/env$1/bin/python"
    printf "__version__ = '2.9.0'\ndebug = False\ncuda = '%s'\ngit_version = 'x'\nhip = None\n" "$1" >"$site/torch/version.py"
    : >"$site/torch/__init__.py"
    printf 'Metadata-Version: 2.1\nName: torch\nVersion: 2.9.0\n' >"$site/torch-2.9.0.dist-info/METADATA"
    printf 'torch/__init__.py,,\ntorch/version.py,,\n' >"$site/torch-2.9.0.dist-info/RECORD"
    printf 'pip\n' >"$site/torch-2.9.0.dist-info/INSTALLER"
    chmod -R a+rX "$WORK/env$1"
}
# cell LIBCUDA CUDART ANSWERS CAUSE : LIBCUDA's folder is $L
cell() {
    local answers got mark=right
    [ -n "${rt[$2]:-}" ] || return 0
    cells=$((cells + 1))
    answers=$(LD_LIBRARY_PATH=$L setpriv --reuid=65534 --regid=65534 --clear-groups "$WORK/ask" "${rt[$2]}") || answers=dead
    environment "$2"
    rm -f /dev/nvidia*
    seen=$(state)
    LD_LIBRARY_PATH=$L "$TENON" doctor --json --env "$WORK/env$2" --expect gpu >"$WORK/d.json" 2>"$WORK/err" </dev/null || true
    got=$(json "$WORK/d.json" "' '.join(f['cause'] for f in d['findings'] if f['status'] in ('confirmed', 'likely') and f['severity'] == 'error' and f['cause'] in ('driver-missing', 'driver-too-old', 'stub-libcuda-loaded', 'driver-library-mismatch', 'driver-not-loaded', 'unknown')) or 'none of the driver'") || got="no verdict"
    [ "$answers" = "$3" ] && [ "${got%% *}" = "${4%% *}" ] || { mark="WRONG (wanted $3, $4)"; wrong=$((wrong + 1)); }
    printf '%-11s %-7s %-44s %-52s %s\n' "$1" "$2" "$answers" "$got" "$mark"
    nothing_appeared "$1 $2" || wrong=$((wrong + 1))
}
branch() { # NAME PACKAGE
    local f
    f=$(debs "$2" 2>/dev/null) || { echo "skipped: the packages of branch $1 cannot be had"; return 1; }
    dpkg-deb -x "$f" "$WORK/$1"
    chmod -R a+rX "$WORK/$1"
    L=$(dirname "$(ls "$WORK/$1"/usr/lib/x86_64-linux-gnu/nvidia/*/libcuda.so.1 | sed -n 1p)")
    V=$(basename "$(ls "$L"/libcuda.so.[0-9]*.* | sed -n 1p)" | sed 's/libcuda.so.//')
    kernel_with_module "$V"
}

# 11.8 keeps its own version for itself while there is no device. Who needs 12.4 lives with any driver of CUDA 12.
L=/nowhere V=535.309.01
kernel_with_module "$V"
cell none 11.8 "0:0 35 35" driver-missing
cell none 12.4 "0:0 0:12040 35" driver-missing
cell none 13.0 "0:0 0:13000 35" driver-missing
if branch 470 libnvidia-tesla-470-cuda1; then
    cell "$V" 11.8 "0:11040 100 100" none
    cell "$V" 12.4 "0:11040 0:12040 35" driver-too-old
    cell "$V" 13.0 "0:11040 0:13000 35" driver-too-old
fi
if branch 525 libnvidia-tesla-cuda1; then
    cell "$V" 11.8 "0:12000 100 100" none
    cell "$V" 12.4 "0:12000 0:12040 100" none
    cell "$V" 13.0 "0:12000 0:13000 35" driver-too-old
fi
if branch 535 libcuda1; then
    cell "$V" 11.8 "0:12020 100 100" none
    cell "$V" 12.4 "0:12020 0:12040 100" none
    cell "$V" 13.0 "0:12020 0:13000 35" driver-too-old
fi
kernel_with_module 580.65.06 # new enough for CUDA 13
if [ -n "$toolkit" ]; then
    mkdir "$WORK/stub"
    cp "$toolkit/lib64/stubs/libcuda.so" "$WORK/stub/libcuda.so.1"
    chmod -R a+rX "$WORK/stub"
    L=$WORK/stub
    cell stub 13.0 "0:0 0:13000 34" stub-libcuda-loaded
fi
[ $cells != 0 ] || skip "no run time can be had"
[ $wrong = 0 ] || fail "$wrong lines are wrong"
