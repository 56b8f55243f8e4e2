#!/usr/bin/env bash
# `tenon bench --env` over a real environment: the OpenBLAS of NumPy's wheel, whose own libraries lie beside it, and the same product
# through TensorFlow by its C API without Python; both results are compared, and the difference is said.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
TF=2.15.1
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
V=$WORK/venv
"$python" -m venv --without-pip "$V"
S=$("$V/bin/python" -c 'import site; print(site.getsitepackages()[0])')
mkdir -p "$PARTS/wheels"
for p in tensorflow-cpu==$TF numpy==1.26.4; do
    "$python" -m pip download -q --no-deps --only-binary :all: --find-links "$PARTS/wheels" -d "$PARTS/wheels" $p >/dev/null 2>"$WORK/err" || skip "the wheel of $p"
done
unzip -q "$PARTS"/wheels/tensorflow_cpu-$TF-*.whl 'tensorflow/libtensorflow_*' 'tensorflow/__init__.py' 'tensorflow_cpu-*' -d "$S" || skip "unzip"
unzip -q "$PARTS"/wheels/numpy-1.26.4-cp3"$("$V/bin/python" -c 'import sys; print(sys.version_info[1])')"-*.whl 'numpy.libs/*' 'numpy-*' -d "$S"

"$TENON" bench --env "$V" --device cpu --n 96 --runs 9 --lang en --save "$WORK/b.json" >"$WORK/out" 2>"$WORK/err" || fail "bench: $(cat "$WORK/err" "$WORK/out")"
same "$(json "$WORK/b.json" "[(s['framework'], s['library'].split()[0], [(r['n'], r['runs'], r['checked']) for r in s['results']]) for s in d['sides'] if s['results']]")" \
    "[(None, 'OpenBLAS', [(96, 9, True)]), ('tensorflow', 'TensorFlow', [(96, 9, True)])]" "both sides"
same "$(json "$WORK/b.json" "d['sides'][0]['path'].startswith('$S/numpy.libs/')")" True "the library of NumPy's wheel"
grep -q "^n 96: through TensorFlow $TF .* the bare OpenBLAS .* each$" "$WORK/out" || fail "no overhead: $(cat "$WORK/out")"

# A library that is cut is said; what was measured by the bare one stays.
head -c 1000000 "$S/tensorflow/libtensorflow_cc.so.2" >"$WORK/cut"
mv "$WORK/cut" "$S/tensorflow/libtensorflow_cc.so.2"
"$TENON" bench --env "$V" --device cpu --n 96 --runs 1 --json >"$WORK/b.json" 2>"$WORK/err" || true
same "$(json "$WORK/b.json" "[(bool(s['results']), bool(s['not_measured'])) for s in d['sides'] if s['device'] == 'cpu']")" "[(True, False), (False, True)]" "a library that is cut"
echo "measured: OpenBLAS of NumPy, and TensorFlow $TF without Python"
