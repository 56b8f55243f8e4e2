#!/usr/bin/env bash
# Real frameworks under `tenon run`: the two scripts of the article in an environment with a CPU-only TensorFlow (story 31);
# ONNX Runtime asked for CUDA falls back to the CPU with its own words; what is content with the CPU is left alone.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
TF=2.15.1 ORT=1.20.1
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
mkdir -p "$PARTS/wheels"
V=$WORK/venv
"$python" -m venv "$V"
get() { one "$V/bin/python" -m pip download -q --only-binary :all: --find-links "$PARTS/wheels" -d "$PARTS/wheels" "$@" >/dev/null 2>"$WORK/err"; }
install() { "$V/bin/python" -m pip install -q --no-compile --no-index --find-links "$PARTS/wheels" "$@" >"$WORK/pip.log" 2>&1 || fail "pip: $(cat "$WORK/pip.log")"; }
# twice COMMAND... : runs it alone and under tenon ("with" holds options); its output and status must be the same
twice() {
    local a=0 b=0
    "$@" >"$WORK/out0" 2>"$WORK/err0" || a=$?
    "$TENON" run "${with[@]}" -- "$@" >"$WORK/out1" 2>"$WORK/err1" || b=$?
    same "$b" "$a" "status of $*"
    sed -n '/^tenon: /,$p' "$WORK/err1" >"$WORK/said"
}
# once COMMAND...: only under tenon, where the same program has been seen with the same output before
once() {
    "$TENON" run "${with[@]}" -- "$@" >"$WORK/out1" 2>"$WORK/err1" || true
    sed -n '/^tenon: /,$p' "$WORK/err1" >"$WORK/said"
}
says() { has -F -e "$1" "$WORK/said" || fail "not said: $1: $(cat "$WORK/said")"; }
nothing_said() { [ ! -s "$WORK/said" ] || fail "said of $1: $(cat "$WORK/said")"; }

cat >"$WORK/list.py" <<'X'
import tensorflow as tf
print("TensorFlow version:", tf.__version__)
print("GPU list:", tf.config.list_physical_devices('GPU'))
X
cat >"$WORK/time.py" <<'X'
import tensorflow as tf
import timeit

def gpu_run():
    with tf.device('/gpu:0'):
        gpu_a = tf.random.normal([100, 100])
        gpu_b = tf.random.normal([100, 100])
        c = tf.matmul(gpu_a, gpu_b)
    return c

gpu_time = timeit.timeit(gpu_run, number=10)
print("GPU:", gpu_time)
X
tested=
if get tensorflow-cpu==$TF numpy==1.26.4; then
    install tensorflow-cpu==$TF numpy==1.26.4
    with=(--expect gpu)
    twice "$V/bin/python" "$WORK/list.py"
    cmp "$WORK/out0" "$WORK/out1" || fail "the output changed"
    has -x 'GPU list: \[\]' "$WORK/out1" || fail "the list is not empty: $(cat "$WORK/out1")"
    says '[cpu-only-build]'
    says 'its list of GPUs is empty'
    if ! grep -l 0x10de /sys/bus/pci/devices/*/vendor >/dev/null 2>&1; then
        sed -n 2p "$WORK/said" | has -F '[no-nvidia-gpu]' || fail "no-nvidia-gpu is not first: $(cat "$WORK/said")"
    fi
    with=(--expect gpu --machine "gpu=RTX 3090,driver=535.183.01")
    twice "$V/bin/python" "$WORK/time.py"
    sed -n 2p "$WORK/said" | has -F '[cpu-only-build]' || fail "cpu-only-build is not first: $(cat "$WORK/said")"
    says 'line 11: timeit with number=10 returns the sum of 10 runs'
    says 'line 6: the data is made inside the timed function'
    says 'line 4: nothing waits for the GPU'
    with=(--lang zh --expect gpu --machine "gpu=RTX 3090,driver=535.183.01")
    once "$V/bin/python" "$WORK/time.py"
    says '第 11 行'
    # Nobody asked for a GPU: nothing is said.
    with=()
    once "$V/bin/python" "$WORK/list.py"
    nothing_said "a CPU build that nobody asked for a GPU"
    tested="TensorFlow $TF"
else
    echo "skipped: the wheel of tensorflow-cpu $TF"
fi

if get onnxruntime==$ORT numpy==1.26.4; then
    install onnxruntime==$ORT numpy==1.26.4
    cat >"$WORK/ort.py" <<'X'
import sys
import numpy as np
import onnxruntime as ort
def field(n, x): # protobuf: a message or text as field n
    x = x.encode() if isinstance(x, str) else x
    return bytes([n << 3 | 2, len(x)]) + x
number = lambda n, v: bytes([n << 3, v])
value = lambda name: field(1, name) + field(2, field(1, number(1, 1) + field(2, field(1, number(1, 1)))))
graph = field(1, field(1, "x") + field(2, "y") + field(4, "Identity")) + field(2, "g") + field(11, value("x")) + field(12, value("y"))
model = number(1, 7) + field(7, graph) + field(8, field(1, "") + number(2, 13))
s = ort.InferenceSession(model, providers=sys.argv[1:])
print(s.get_providers(), s.run(None, {"x": np.ones(1, np.float32)}))
X
    with=()
    twice "$V/bin/python" "$WORK/ort.py" CUDAExecutionProvider CPUExecutionProvider
    cmp "$WORK/out0" "$WORK/out1" || fail "the output changed"
    has CPUExecutionProvider "$WORK/out1" || fail "$(cat "$WORK/out1")"
    says 'asked for a GPU'
    with=(--machine "gpu=RTX 3090,driver=535.183.01")
    once "$V/bin/python" "$WORK/ort.py" CUDAExecutionProvider CPUExecutionProvider
    sed -n 2p "$WORK/said" | has -F '[cpu-only-build]' || fail "cpu-only-build is not first: $(cat "$WORK/said")"
    twice "$V/bin/python" "$WORK/ort.py" CPUExecutionProvider
    nothing_said "ONNX Runtime on the CPU that was asked for"
    tested="$tested ONNX Runtime $ORT"
else
    echo "skipped: the wheel of onnxruntime $ORT"
fi
[ -n "$tested" ] || skip "no framework"
echo "under tenon run:$tested"
