#!/usr/bin/env bash
# A real failure end to end: the real TensorFlow 2.15.1 of PyPI, whose driver answers (a stand-in libcuda.so.1 with one card),
# in an environment with cuDNN 9 where it asks for cuDNN 8. It falls back to the CPU and names no library; `tenon run` passes
# all through and names the cause; with the cuDNN that tenon names in its place TensorFlow's message and tenon's go away.
# The cuDNN files are the real ones (libcudnn.so.9 of 9.1.0.70, libcudnn.so.8 of the version that tenon names), the other CUDA libraries empty ones of
# the right names. Only in `make check-long`: 475 MB.
. "$TENON_SOURCE/tests/real/driver_machine.sh"
enter_machine "$0"
. "$TENON_SOURCE/tests/real/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
TF=2.15.1
command -v cc >/dev/null || skip "cc is not installed"
python=
for p in python3.11 "$HOME"/.pyenv/versions/3.11.*/bin/python; do
    if "$p" -c 'import venv, ensurepip' 2>/dev/null; then python=$p; fi
done
[ -n "$python" ] || skip "a Python 3.11 with venv"
mkdir -p "$PARTS/wheels" "$PARTS/cudnn"
V=$WORK/venv
"$python" -m venv "$V"
"$V/bin/python" -m pip download -q --only-binary :all: --find-links "$PARTS/wheels" -d "$PARTS/wheels" tensorflow==$TF >/dev/null 2>"$WORK/err" ||
    skip "the wheel of tensorflow $TF: $(sed -n 1p "$WORK/err")"
"$V/bin/python" -m pip install -q --no-compile --no-index --find-links "$PARTS/wheels" tensorflow==$TF >"$WORK/pip.log" 2>&1 || fail "pip: $(cat "$WORK/pip.log")"
S=$("$V/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
part() { # VERSION SONAME : the real file and record of that nvidia-cudnn-cu12, as pip would have put them
    if ! ls "$PARTS/cudnn/$1"/*.whl/nvidia/cudnn/lib/"$2" >/dev/null 2>&1; then
        python3 "$TENON_SOURCE/tools/wheelpart.py" nvidia-cudnn-cu12 "$1" manylinux "nvidia/cudnn/lib/$2" --out "$PARTS/cudnn/$1" >/dev/null 2>&1 &&
            python3 "$TENON_SOURCE/tools/wheelpart.py" nvidia-cudnn-cu12 "$1" manylinux "*.dist-info/*" --out "$PARTS/cudnn/$1" >/dev/null 2>&1 || return 1
    fi
    rm -rf "$S"/nvidia/cudnn "$S"/nvidia_cudnn_cu12-*.dist-info
    cp -r "$PARTS/cudnn/$1"/*.whl/. "$S/"
}
part 9.1.0.70 libcudnn.so.9 || skip "libcudnn.so.9 of nvidia-cudnn-cu12 9.1.0.70"

driver_machine
kernel_with_module 535.183.01
as_machine
L=$WORK/lib
mkdir "$L"
cc -Wall -Werror -DCUDA -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o "$L/libcuda.so.535.183.01" "$TENON_SOURCE/tests/standin/standin.c"
ln -s libcuda.so.535.183.01 "$L/libcuda.so.1"
echo 'void nothing(void) {}' >"$WORK/empty.c"
for l in libcudart.so.12 libcublas.so.12 libcublasLt.so.12 libcufft.so.11 libcurand.so.10 libcusolver.so.11 libcusparse.so.12; do
    cc -shared -fPIC -Wl,-soname,$l -o "$L/$l" "$WORK/empty.c"
done
export LD_LIBRARY_PATH=$L TENON_STANDIN=$TENON_SOURCE/tests/standin/machines/laptop-1060.txt
cat >"$WORK/train.py" <<'X'
import tensorflow as tf
print("GPUs:", len(tf.config.list_physical_devices("GPU")))
print("sum:", float(tf.reduce_sum(tf.ones([4, 4]))))
X
trained() { # runs the script alone and under tenon
    "$V/bin/python" "$WORK/train.py" >"$WORK/out0" 2>"$WORK/err0" && a=0 || a=$?
    "$TENON" run -- "$V/bin/python" "$WORK/train.py" >"$WORK/out1" 2>"$WORK/err1" && b=0 || b=$?
    same "$b" "$a" "status"
    cmp "$WORK/out0" "$WORK/out1" || fail "the output changed"
    sed -n '/^tenon: /,$p' "$WORK/err1" >"$WORK/said"
}
trained
has 'Skipping registering GPU devices' "$WORK/err1" || fail "TensorFlow found its cuDNN: $(cat "$WORK/err1")"
has -x 'GPUs: 0' "$WORK/out1" && has -x 'sum: 16.0' "$WORK/out1" || fail "$(cat "$WORK/out1")"
cat "$WORK/said"
sed -n 2p "$WORK/said" | has -E '\[(nvidia-wheels-conflict|cudnn-version-mismatch)\]' || fail "the cause is another: $(cat "$WORK/said" "$WORK/err1")"
has libcudnn.so.8 "$WORK/said" || fail "libcudnn.so.8 is not named"

# As told.
told=$(sed -n 's/.* nvidia-cudnn-cu12==\([0-9.]*\)$/\1/p' "$WORK/said" | sed -n '$p')
[ -n "$told" ] || fail "no version is named: $(cat "$WORK/said")"
part "$told" libcudnn.so.8 || skip "libcudnn.so.8 of nvidia-cudnn-cu12 $told"
"$TENON" run -- "$V/bin/python" -c 'import tensorflow as tf; tf.config.list_physical_devices("GPU")' >"$WORK/out" 2>"$WORK/err" || true
! has 'Cannot dlopen some GPU libraries' "$WORK/err" || fail "the message is still there: $(cat "$WORK/err")"
! has 'cudnn' <(sed -n '/^tenon: /,$p' "$WORK/err") || fail "cuDNN is still blamed: $(cat "$WORK/err")"
echo "cuDNN 9 under TensorFlow $TF: named, and gone with $told"
