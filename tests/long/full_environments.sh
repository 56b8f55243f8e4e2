#!/usr/bin/env bash
# Two whole environments of pip's, 8 GB: TensorFlow 2.21.0 with its and-cuda wheels, and torch of the default index. What
# tenon counts and reads there is what pip says; TensorFlow's missing way to cuSOLVER is named; torch is without fault.
# Only in `make check-long`: the downloads are kept by pip's own cache.
. "$TENON_SOURCE/tests/real/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
python=
for p in python3.12 "$HOME"/.pyenv/versions/3.12.*/bin/python; do
    if "$p" -c 'import venv, ensurepip' 2>/dev/null; then python=$p; fi
done
[ -n "$python" ] || skip "a Python 3.12 with venv"

made() { # NAME REQUIREMENT : a venv with it, or nothing
    "$python" -m venv "$WORK/$1" && "$WORK/$1/bin/python" -m pip install -q "$2" >"$WORK/pip.log" 2>&1
}
looked() { # NAME : doctor's document, what it counts against what pip lists
    "$TENON" doctor --json --env "$WORK/$1" >"$WORK/$1.json" 2>"$WORK/err" || true
    ours=$(json "$WORK/$1.json" "[e['distributions'] for e in d['environments'] if e['path']=='$WORK/$1'][0]")
    pips=$("$WORK/$1/bin/python" -m pip list --format json 2>/dev/null | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))')
    same "$ours" "$pips" "distributions of $1"
    "$WORK/$1/bin/python" -m pip check >"$WORK/check" 2>&1 || fail "pip check of $1: $(cat "$WORK/check")"
    same "$(json "$WORK/$1.json" "' '.join(f['cause'] for f in d['findings'] if f['cause'] in ('protobuf-mismatch','python-dependency-conflict','nvidia-wheels-conflict','companion-mismatch','framework-package-conflict','framework-corrupt','numpy-abi','wrong-package-index'))")" "" "packages of $1"
}
version() { # NAME PACKAGE
    "$WORK/$1/bin/python" -c "import importlib.metadata as m; print(m.version('$2'))"
}

made tf "tensorflow[and-cuda]==2.21.0" || skip "the wheels of tensorflow[and-cuda] 2.21.0"
looked tf
said=$(json "$WORK/tf.json" "' | '.join(f['summary'] for f in d['findings'] if f['status'] in ('confirmed','likely') and f['cause'] != 'no-nvidia-gpu')")
case $said in *libcusolver.so.11*) ;; *) fail "libcusolver.so.11 is not named: $said" ;; esac
rows=$(json "$WORK/tf.json" "[x for x in d['installed'] if 'libcudnn.so' in x['path'] and 'site-packages' in x['path']] and 'there' or ''")
[ -n "$rows" ] || fail "the environment's cuDNN is not listed"
"$TENON" snapshot --env "$WORK/tf" --include-identifiers >"$WORK/tf.snap"
same "$(json "$WORK/tf.snap" "[r['version']['value'] for r in d['library']['rows'] if r['stem'].get('value')=='libcudnn' and '$WORK/tf' in r['path'].get('value','')][0]")" "$(version tf nvidia-cudnn-cu12)" "version of cuDNN"

echo "tensorflow: as pip says"
made torch torch || skip "the wheels of torch"
looked torch
"$TENON" snapshot --env "$WORK/torch" --include-identifiers >"$WORK/torch.snap"
same "$(json "$WORK/torch.snap" "[f['version']['value'] for f in d['framework']['rows'] if f['name']['value']=='torch' and '$WORK/torch' in f['path']['value']][0]")" "$("$WORK/torch/bin/python" -c 'import torch; print(torch.__version__)')" "version of torch"
same "$(json "$WORK/torch.snap" "[f['cuda']['value'] for f in d['framework']['rows'] if f['name']['value']=='torch' and '$WORK/torch' in f['path']['value']][0]")" "$("$WORK/torch/bin/python" -c 'import torch; print(torch.version.cuda)')" "CUDA of torch"
same "$(json "$WORK/torch.json" "' | '.join(f['summary'] for f in d['findings'] if f['status'] in ('confirmed','likely') and f['severity']!='note' and f['cause']!='no-nvidia-gpu')")" "" "findings beside the missing card"
echo "TensorFlow 2.21.0 and torch $(version torch torch): whole environments, $(du -sm "$WORK" | cut -f1) MB"
