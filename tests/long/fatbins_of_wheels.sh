#!/usr/bin/env bash
# GPU code of the largest objects that wheels hold: the walk over headers and cuobjdump, as tests/real/fatbins.sh compares them.
# One member of each wheel is fetched (1.3 GB in all) and thrown away again.
. "$TENON_SOURCE/tests/real/lib.sh"
n=0
while read -r name version member; do
    rm -rf "$WORK/wheel"
    python3 "$TENON_SOURCE/tools/wheelpart.py" "$name" "$version" 'linux*x86_64' "$member" --out "$WORK/wheel" >/dev/null 2>&1 ||
        { echo "skipped: $member of $name $version"; continue; }
    f=$(find "$WORK/wheel" -name '*.so*' -type f | sed -n 1p)
    [ -n "$f" ] || { echo "skipped: $member of $name $version"; continue; }
    bash "$TENON_SOURCE/tests/real/fatbins.sh" "$f" || fail "$name $version"
    n=$((n + 1))
done <<X
torch 2.15.0 torch/lib/libtorch_cuda.so
tensorflow 2.21.0 tensorflow/libtensorflow_cc.so.2
tensorflow 2.15.1 tensorflow/libtensorflow_cc.so.2
onnxruntime-gpu 1.31.1 onnxruntime/capi/libonnxruntime_providers_cuda.so
jax-cuda13-pjrt 0.12.0.1 jax_plugins/xla_cuda13/xla_cuda_plugin.so
X
[ $n -gt 0 ] || skip "wheels"
