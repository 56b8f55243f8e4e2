#!/usr/bin/env bash
# A real virtual environment with a real TensorFlow of pip's: what tenon says of it against what pip says; CPU build; active by
# VIRTUAL_ENV; the NumPy that its wheel was built for, and the next one.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
TF=2.15.1
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
mkdir -p "$PARTS/wheels"
V=$WORK/venv
"$python" -m venv "$V"
series=$("$V/bin/python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
wheel() { # NAME VERSION : the file, downloaded once
    local f
    f=$(ls "$PARTS/wheels/${1//-/_}-$2"-"$series"-*.whl 2>/dev/null | sed -n 1p || true)
    [ -n "$f" ] || one "$V/bin/python" -m pip download -q --no-deps --only-binary :all: -d "$PARTS/wheels" "$1==$2" >&2 || return 1
    ls "$PARTS/wheels/${1//-/_}-$2"-"$series"-*.whl | sed -n 1p
}
tf=$(wheel tensorflow-cpu $TF 2>/dev/null) || skip "the wheel of tensorflow-cpu $TF"
np1=$(wheel numpy 1.26.4 2>/dev/null) && np2=$(wheel numpy 2.2.6 2>/dev/null || wheel numpy 2.0.2 2>/dev/null) || skip "the wheels of numpy"
install() { "$V/bin/python" -m pip install -q --no-deps --no-compile --no-index "$@" >"$WORK/pip.log" 2>&1 || fail "pip: $(cat "$WORK/pip.log")"; }
doctor() { # WANTED-STATUS ARGUMENTS...
    local want=$1 got=0
    shift
    "$TENON" doctor --json "$@" >"$WORK/d.json" 2>"$WORK/err" || got=$?
    same "$got" "$want" "exit status of doctor $*"
}
causes() { json "$WORK/d.json" "' '.join(f['cause'] for f in d['findings'] if f['status'] in ('confirmed','likely'))"; }

install "$tf" "$np1"
doctor 0 --env "$V" --expect cpu
same "$(json "$WORK/d.json" "d['judged']['environment']")" "$V" "judged environment"
same "$(json "$WORK/d.json" "d['verdict']['status']")" ok "verdict with CPU expected"
case " $(causes) " in *" numpy-abi "*) fail "NumPy 1.26 is what $TF was built for" ;; esac
"$TENON" snapshot --env "$V" --include-identifiers >"$WORK/s.json"
pip_says=$("$V/bin/python" -m pip list --format json 2>/dev/null | python3 -c 'import json,sys; print(*sorted(x["name"].lower().replace("_","-")+" "+x["version"] for x in json.load(sys.stdin) if x["name"] not in ("pip", "setuptools")), sep=";")')
we_say=$(json "$WORK/s.json" "';'.join(sorted(r['name']['value']+' '+r['version']['value'] for r in d['dist']['rows'] if r['name']['value'] not in ('pip', 'setuptools') and r['env']['value']==[e['id']['value'] for e in d['env']['rows'] if e.get('judged',{}).get('value')][0]))")
same "$we_say" "$pip_says" "distributions"
framework="[(f['name']['value'],f['package']['value'],f['version']['value'],f['gpu_build']['value']) for f in d['framework']['rows'] if f['path']['value'].startswith('$V/')]"
same "$(json "$WORK/s.json" "$framework")" "[('tensorflow', 'tensorflow-cpu', '$TF', False)]" "framework"
same "$(json "$WORK/s.json" "[e['python']['value'] for e in d['env']['rows'] if e['path']['value']=='$V']")" \
    "['$("$V/bin/python" -c 'import platform; print(platform.python_version())')']" "version of the interpreter"

# Expected by what is there: only CPU builds, so CPU; active by the shell's variable, wherever one stands.
VIRTUAL_ENV=$V doctor 0 --expect cpu
same "$(json "$WORK/d.json" "(d['judged']['environment'],d['judged']['chosen_by'])")" "('$V', 'VIRTUAL_ENV')" "judged by VIRTUAL_ENV"
# A GPU wished for: a CPU build is a cause, or comes behind the missing GPU.
got=0
"$TENON" doctor --json --env "$V" --expect gpu >"$WORK/d.json" || got=$?
same "$got" 1 "exit status with a GPU expected"

install --upgrade --force-reinstall "$np2"
doctor 1 --env "$V" --expect cpu
case " $(causes) " in *" numpy-abi "*) ;; *) fail "TensorFlow $TF beside $(basename "$np2"): $(causes)" ;; esac
"$V/bin/python" -c 'import tensorflow' >"$WORK/import" 2>&1 && fail "TensorFlow imports with that NumPy: the finding is wrong"
install --upgrade --force-reinstall "$np1"
doctor 0 --env "$V" --expect cpu
case " $(causes) " in *" numpy-abi "*) fail "NumPy 1.26 is back" ;; esac
