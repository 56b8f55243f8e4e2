#!/usr/bin/env bash
# Where XLA looks for libdevice.10.bc: TensorFlow's own function (tsl::CandidateCudaRoots of the real libtensorflow_framework.so.2)
# names its folders; with the file in each of them, and in none, doctor says the same. The toolkit of this machine is hidden.
[ -n "${TENON_NS:-}" ] || { [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null && TENON_NS=1 exec unshare -m bash "$0"; } || { echo "skipped: a mount namespace"; exit 0; }
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH XLA_FLAGS
[ "$(uname -sm)" = "Linux x86_64" ] || skip "an x86-64 Linux"
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
c++ --version >/dev/null 2>&1 || skip "a C++ compiler"
V=$WORK/v
"$python" -m venv --without-pip "$V"
SITE=$(echo "$V"/lib/python3*/site-packages)
cat >"$WORK/roots.cc" <<'P'
#include <dlfcn.h>
#include <cstdio>
#include <string>
#include <vector>
int main(int, char **argv)
{
    void *h = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    void *f = h ? dlsym(h, "_ZN3tsl18CandidateCudaRootsB5cxx11Ev") : nullptr;
    if (!f)
        return 1;
    for (const std::string &root : ((std::vector<std::string>(*)())f)())
        std::puts(root.c_str());
}
P
c++ -std=c++17 -O1 -o "$WORK/roots" "$WORK/roots.cc" -ldl || fail "roots.cc"
python=$(readlink -f "$V/bin/python")
case $python in /usr/local/*) skip "a Python outside /usr/local" ;; esac
mount --make-rprivate / && mount -t tmpfs none /usr/local || skip "a mount over /usr/local"
[ ! -d /opt ] || mount -t tmpfs none /opt
export PATH=/usr/bin:/bin
device() { # FOLDER : libdevice below it
    mkdir -p "$1/nvvm/libdevice" "$1/bin"
    printf 'BC' >"$1/nvvm/libdevice/libdevice.10.bc"
    printf '#!/bin/sh\n' >"$1/bin/nvcc"
    chmod +x "$1/bin/nvcc"
}
found() { # is there libdevice in one of TensorFlow's own roots
    local r
    while read -r r; do [ ! -f "$r/nvvm/libdevice/libdevice.10.bc" ] || return 0; done <"$WORK/list"
    return 1
}
compared=0
for v in 2.15.1 2.16.1 2.16.2; do
    d=$PARTS/members/tensorflow-$v
    members tensorflow $v 'cp311-manylinux*x86_64' "$d" '*/libtensorflow_framework.so.2' '*/build_info.py' '*/gpus/cuda/cuda_config.h' \
        '*.dist-info/METADATA' tensorflow/__init__.py || { echo "skipped: the members of tensorflow $v"; continue; }
    rm -rf "${SITE:?}"/*
    cp -a "$d/tensorflow" "$d/tensorflow-$v.dist-info" "$SITE/"
    "$WORK/roots" "$SITE/tensorflow/libtensorflow_framework.so.2" >"$WORK/list" 2>/dev/null || fail "$v has no CandidateCudaRoots"
    release=$(sed -n 's/.*"cuda_version": *"\([0-9]*\.[0-9]*\).*/\1/p; s/.*'"'cuda_version': *'"'\([0-9]*\.[0-9]*\).*/\1/p' "$SITE/tensorflow/python/platform/build_info.py" | sed -n 1p)
    for place in none /usr/local/cuda "/usr/local/cuda-$release" /usr/local/cuda-11.0 /opt/cuda "$V" wheel; do
        rm -rf /usr/local/* /opt/cuda "$V/nvvm" "$V/bin/nvcc" "$SITE"/nvidia "$SITE"/nvidia_cuda_nvcc*
        case $place in
        none) ;;
        wheel)
            device "$SITE/nvidia/cuda_nvcc"
            mkdir -p "$SITE/nvidia_cuda_nvcc_cu12-12.3.107.dist-info"
            printf 'Metadata-Version: 2.1\nName: nvidia-cuda-nvcc-cu12\nVersion: 12.3.107\n' >"$SITE/nvidia_cuda_nvcc_cu12-12.3.107.dist-info/METADATA"
            ;;
        *) device "$place" ;;
        esac
        really=missing
        ! found || really=found
        "$TENON" doctor --json --env "$V" --expect gpu >"$WORK/d.json" 2>"$WORK/err" || [ $? = 1 ] || fail "doctor: $(cat "$WORK/err")"
        ours=$(json "$WORK/d.json" "'missing' if any(f['cause']=='cuda-tools-missing' and f['status']=='likely' for f in d['findings']) else 'found'")
        same "$ours" "$really" "libdevice of TensorFlow $v with one in $place ($(tr '\n' ' ' <"$WORK/list"))"
        compared=$((compared + 1))
    done
done
[ $compared -gt 0 ] || skip "members of the TensorFlow wheels"
echo "XLA's search for libdevice: $compared places compared with TensorFlow's own list, differences 0"
