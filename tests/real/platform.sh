#!/usr/bin/env bash
# What a real wheel asks of the machine, against other tools and against Python itself: the glibc of its libraries (readelf), its
# machine, and packages for Python 3.11 under another Python (through PYTHONPATH), which really cannot be imported there.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
python=$(command -v python3.11) || skip "Python 3.11"
"$python" -c 'import venv, ensurepip' 2>/dev/null || skip "venv for Python 3.11"
mkdir -p "$PARTS/wheels"
wheel() { # NAME VERSION : the file, downloaded once
    ls "$PARTS/wheels/${1//-/_}-$2"-cp311-*.whl 2>/dev/null | sed -n 1p | grep . && return
    "$python" -m venv "$WORK/pip" >/dev/null 2>&1
    one "$WORK/pip/bin/python" -m pip download -q --no-deps --only-binary :all: -d "$PARTS/wheels" "$1==$2" >&2 || return 1
    ls "$PARTS/wheels/${1//-/_}-$2"-cp311-*.whl | sed -n 1p
}
tf=$(wheel tensorflow-cpu 2.15.1 2>/dev/null) && np=$(wheel numpy 1.26.4 2>/dev/null) || skip "the wheels of tensorflow-cpu and numpy"

# The parts of the wheels that matter, as pip lays them.
V=$WORK/v
"$python" -m venv --without-pip "$V"
SITE=$V/lib/python3.11/site-packages
python3 - "$SITE" "$tf" "$np" <<'X'
import fnmatch, sys, zipfile
site, tf, np = sys.argv[1:]
keep = ("*.dist-info/*", "tensorflow/__init__.py", "tensorflow/python/platform/build_info.py", "tensorflow/libtensorflow_framework.so.2")
with zipfile.ZipFile(tf) as z:
    for m in z.namelist():
        if any(fnmatch.fnmatch(m, k) for k in keep) and not m.endswith("RECORD"):
            z.extract(m, site)
with zipfile.ZipFile(np) as z:
    z.extractall(site)
X

"$TENON" snapshot --env "$V" --include-identifiers >"$WORK/s.json"
fact() { json "$WORK/s.json" "[r.get('$1',{}).get('value') for r in d['framework']['rows'] if r['path']['value'].startswith('$V/')][0]"; }
tag=2.17 # manylinux_2_17, manylinux2014
newest=$( { echo "$tag"; readelf -V "$SITE/tensorflow/libtensorflow_framework.so.2" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | cut -d_ -f2; } | sort -V | tail -1)
same "$(fact glibc)" "$newest" "glibc by tag and readelf"
same "$(fact machine)" "$(uname -m)" "machine"
same "$(fact cpu)" "['avx']" "instruction sets"

# The right Python first: nothing is said of it.
causes() { json "$WORK/d.json" "' '.join(f['cause'] for f in d['findings'] if f['status'] in ('confirmed','likely'))"; }
"$TENON" doctor --json --env "$V" --expect cpu --only python-version-unsupported >"$WORK/d.json" || fail "Python 3.11: $(causes)"
"$V/bin/python" -c 'import numpy' || fail "numpy in its own Python"

# Another one, which meets the same folder.
other=
for p in python3.12 python3.13 python3.10 python3.9 python3.14 "$HOME"/.local/share/uv/python/cpython-3.1[0234]*/bin/python3 "$HOME"/.pyenv/versions/3.*/bin/python; do
    if "$p" -c 'import venv, sys; assert sys.version_info[:2] != (3, 11)' 2>/dev/null; then other=$p; break; fi
done
[ -n "$other" ] || { echo "skipped: a second Python"; exit 0; }
W=$WORK/w
"$other" -m venv --without-pip "$W"
got=0
PYTHONPATH=$SITE "$TENON" doctor --json --env "$W" --expect cpu >"$WORK/d.json" || got=$?
PYTHONPATH=$SITE "$W/bin/python" -c 'import numpy' 2>"$WORK/import" && fail "numpy for 3.11 imports in $other: the finding would be wrong"
case " $(causes) " in *" python-version-unsupported "*) ;; *) fail "packages for 3.11 under $("$other" -V): $(causes) (status $got)" ;; esac
same "$got" 1 "exit status"
echo "$("$other" -V): $(json "$WORK/d.json" "d['verdict']['summary']")"
