#!/usr/bin/env bash
# TensorFlow 2.21.0 with its and-cuda wheels, planned and applied for real on a machine with a driver, as far as files can tell. As pip
# leaves it, TensorFlow does not find its CUDA libraries (its own message says so); as tenon leaves it, TensorFlow's own check finds all
# of them and goes on to the card; undo leaves the tree as before. The driver's libraries are stand-ins, all else is real: 3 GB of wheels,
# deleted afterwards. Only in `make check-long`.
. "$TENON_SOURCE/tests/real/driver_machine.sh"
enter_machine "$0"
. "$TENON_SOURCE/tests/real/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
command -v cc >/dev/null || skip "cc is not installed"
python=
for v in 3.12 3.11; do
    for p in "python$v" "$HOME/.pyenv/versions/$v".*/bin/python; do
        if [ -z "$python" ] && "$p" -c 'import venv, ensurepip' 2>/dev/null; then python=$("$p" -c 'import sys; print(sys.executable)') minor=$v; fi
    done
done
[ -n "$python" ] || skip "a Python 3.11 or 3.12 with venv"
[ "$(df -m --output=avail "$WORK" | sed -n 2p)" -gt 15000 ] || skip "15 GB of disk"
driver_machine
kernel_with_module 580.95.05
as_machine
wheels=$CACHE/pip-apply
trap 'rm -rf "$WORK" "$wheels"' EXIT
export HOME=$WORK/home XDG_STATE_HOME=$WORK/state PATH=$(dirname "$python"):/usr/bin:/bin PIP_CACHE_DIR=$wheels
mkdir -p "$HOME" "$WORK/place" "$WORK/lib"
cd "$WORK/place"
listing() { find . -printf '%P %y %m %U %G %l\n' | sort; find . -type f -exec sha256sum {} + | sort; }
echo mine >neighbour
listing >"$WORK/before"
what="tensorflow[and-cuda]==2.21.0"
"$TENON" plan "$what" --method pip --python "$minor" --env tf >"$WORK/plan" || fail "plan: $(cat "$WORK/plan")"
start=$SECONDS
"$TENON" apply "$what" --method pip --python "$minor" --env tf --yes >"$WORK/out" 2>"$WORK/err" || {
    has -iE 'connection|resolve|network|timed out' "$WORK/err" && skip "the wheels: $(tail -3 "$WORK/err")"
    fail "apply: $(cat "$WORK/out" "$WORK/err")"
}
took=$((SECONDS - start))
cat "$WORK/err"
size=$(du -sm tf | cut -f1)
P=tf/bin/python
same "$($P -I -c 'import importlib.metadata as m; print(m.version("tensorflow"))')" 2.21.0 "installed"
same "$($P -I -c 'import tensorflow as tf; print(tf.matmul([[1., 2.], [3., 4.]], [[1., 2.], [3., 4.]]).numpy().tolist())' 2>/dev/null)" "[[7.0, 10.0], [15.0, 22.0]]" "multiplied"
$P -m pip check >"$WORK/check" 2>&1 || fail "pip check: $(cat "$WORK/check")"

# TensorFlow's own check, with a driver that answers.
cc -Wall -Werror -DCUDA -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o "$WORK/lib/libcuda.so.1" "$TENON_SOURCE/tests/standin/standin.c"
cc -Wall -Werror -shared -fPIC -O1 -Wl,-soname,libnvidia-ml.so.1 -o "$WORK/lib/libnvidia-ml.so.1" "$TENON_SOURCE/tests/standin/standin.c"
devices() {
    LD_LIBRARY_PATH=$WORK/lib TENON_STANDIN=$TENON_SOURCE/tests/standin/machines/laptop-1060.txt \
        $P -c 'import tensorflow as tf; print("GPUs:", len(tf.config.list_physical_devices("GPU")))' >"$WORK/check" 2>&1 || true
}
refused='Cannot dlopen some GPU libraries'
devices
! has "$refused" "$WORK/check" || fail "TensorFlow finds not all: $(cat "$WORK/check")"
has -x 'GPUs: 1' "$WORK/check" || fail "TensorFlow does not see the card: $(cat "$WORK/check")"
echo "as tenon leaves it: $(tail -1 "$WORK/check")"
# And as pip leaves it: the links are what it lacks.
site=$($P -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
into=$site/nvidia/cuda_runtime/lib
mkdir "$WORK/links"
find "$into" -maxdepth 1 -type l -name 'lib*.so*' -exec mv {} "$WORK/links/" \;
[ -n "$(ls -A "$WORK/links")" ] || fail "no links were made"
devices
has "$refused" "$WORK/check" || fail "without the links TensorFlow finds all as well: $(cat "$WORK/check")"
mv "$WORK/links"/* "$into/"

"$TENON" undo >"$WORK/out" || fail "undo: $(cat "$WORK/out")"
listing >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "undo left something"
echo "tensorflow[and-cuda] 2.21.0: $size MB applied in $took s, found by its own check, undone"
