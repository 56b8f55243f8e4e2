#!/usr/bin/env bash
# `tenon verify` over a real environment: TensorFlow computes through its C API without Python, ONNX Runtime by the environment's
# own; results are compared with the CPU reference; without a GPU that is exit 3, never "ok"; a library that is cut, or that is
# another one, is a clear error.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
! grep -l 0x10de /sys/bus/pci/devices/*/vendor >/dev/null 2>&1 || skip "a machine without an NVIDIA GPU: here is one"
TF=2.15.1 ORT=1.20.1
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
mkdir -p "$PARTS/wheels"
V=$WORK/venv
"$python" -m venv "$V"
get() { "$V/bin/python" -m pip download -q --only-binary :all: --find-links "$PARTS/wheels" -d "$PARTS/wheels" "$@" >/dev/null 2>"$WORK/err"; }
install() { "$V/bin/python" -m pip install -q --no-compile --no-index --find-links "$PARTS/wheels" "$@" >"$WORK/pip.log" 2>&1 || fail "pip: $(cat "$WORK/pip.log")"; }
get onnxruntime==$ORT numpy==1.26.4 || skip "the wheel of onnxruntime $ORT"
get --no-deps tensorflow-cpu==$TF || skip "the wheel of tensorflow-cpu $TF"
unzip -q "$PARTS"/wheels/tensorflow_cpu-$TF-*.whl 'tensorflow/libtensorflow_*' 'tensorflow/__init__.py' 'tensorflow_cpu-*' -d "$("$V/bin/python" -c 'import site; print(site.getsitepackages()[0])')" || skip "unzip"
install onnxruntime==$ORT numpy==1.26.4

verify() { # STATUS ARGUMENTS...
    local want=$1 got=0
    shift
    "$TENON" verify --json --env "$V" "$@" >"$WORK/v.json" 2>"$WORK/err" || got=$?
    same "$got" "$want" "exit status of verify $*: $(cat "$WORK/err")"
}
rows() { json "$WORK/v.json" "' '.join(sorted(set('%s:%s:%s' % (l['what'], l['device'], l['status']) for l in d['layers'] if l['name'] == '$1')))"; }
verify 3
same "$(rows tensorflow)" "convolution:cpu:pass matmul:cpu:pass matmul:gpu:not_tried" "TensorFlow $TF (none of its packages but itself is there: Python could not import it)"
same "$(rows onnxruntime)" "convolution:cpu:pass matmul:cpu:pass matmul:gpu:not_tried" "ONNX Runtime $ORT"
same "$(json "$WORK/v.json" "d['status']")" partly "status"
same "$(json "$WORK/v.json" "all(0 < l['max_error'] <= l['bound'] for l in d['layers'] if l['status'] == 'pass' and (l['bound'] is not None or l['name'] in ('tensorflow', 'onnxruntime')))")" True "errors within their bounds"
same "$(json "$WORK/v.json" "[l['library']['version'] for l in d['layers'] if l['name'] == 'tensorflow'][0]")" $TF "version, as the library says"
"$V/bin/python" -c 'import tensorflow' >/dev/null 2>&1 && fail "TensorFlow imports: that it needs no Python is not proved"

L=$V/lib/python3.*/site-packages/tensorflow
cc=$(echo $L/libtensorflow_cc.so.2)
mv "$cc" "$WORK/whole"
head -c 1000000 "$WORK/whole" >"$cc"
verify 1
same "$(json "$WORK/v.json" "[l['error'] for l in d['layers'] if l['name'] == 'tensorflow' and l['status'] == 'fail'][0].split('-')[0] in ('crashed', 'unloadable')")" True "a library that is cut"
printf 'void TF_Version(void) {}\n' >"$WORK/o.c"
if cc -shared -fPIC -o "$cc" "$WORK/o.c" 2>/dev/null; then
    verify 1
    same "$(json "$WORK/v.json" "[l['error'] for l in d['layers'] if l['name'] == 'tensorflow' and l['status'] == 'fail'][0]")" missing "another library of that name"
    printf '__attribute__((constructor)) static void x(void) { *(volatile int *)0 = 1; }\n' >"$WORK/o.c"
    cc -w -shared -fPIC -o "$cc" "$WORK/o.c"
    verify 1
    same "$(json "$WORK/v.json" "[(l['what'], l['error']) for l in d['layers'] if l['name'] == 'tensorflow' and l['status'] == 'fail'][0]")" "('load', 'crashed-11')" "a library that crashes when it is loaded"
fi
echo "verified: TensorFlow $TF without Python, ONNX Runtime $ORT"
