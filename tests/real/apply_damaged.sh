#!/usr/bin/env bash
# apply over an environment that is damaged: its Python leads nowhere, its pip is gone, a package has lost files: put right as a part of
# the change, whoever made it; what is damaged comes back by undo, to the byte. What is no environment any more is named and left alone.
. "$(dirname "$0")/lib.sh"
uv=$PARTS/python-tools-1/bin/uv
[ -x "$uv" ] || skip "uv (tests/real/envs.sh fetches it)"
python=$(python_of_tf215) || skip "a Python with venv"
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
export HOME=$WORK/home XDG_STATE_HOME=$WORK/state PATH=$(dirname "$uv"):$(dirname "$python"):/usr/bin:/bin PIP_NO_INDEX=1 PIP_FIND_LINKS=$WORK/wheels
export UV_NO_INDEX=1 UV_FIND_LINKS=$WORK/wheels UV_CACHE_DIR=$WORK/uv-cache UV_OFFLINE=1
mkdir -p "$HOME" "$WORK/wheels" "$WORK/place"
python3 - "$WORK/wheels" <<'P'
import sys, zipfile
info = "onnxruntime-1.20.1.dist-info/"
files = {"onnxruntime/__init__.py": "__version__ = '1.20.1'\ndef get_available_providers():\n    return []\n", "onnxruntime/more.py": "", info + "METADATA": "Metadata-Version: 2.1\nName: onnxruntime\nVersion: 1.20.1\n",
         info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
with zipfile.ZipFile(sys.argv[1] + "/onnxruntime-1.20.1-py3-none-any.whl", "w") as z:
    for n, t in files.items():
        z.writestr(n, t)
    z.writestr(info + "RECORD", "".join("%s,,\n" % n for n in list(files) + [info + "RECORD"]))
P
cd "$WORK/place"
plan() { # FILE TOOL
    python3 - "$minor" "$@" <<'P'
import json, sys
minor, file, tool = sys.argv[1:]
base = {"tool": tool, "env": "env", "python": minor}
json.dump({"command": "plan", "steps": [{"do": dict(base, kind="venv")}, {"do": dict(base, kind="packages", packages=["onnxruntime==1.20.1"])}]}, open(file, "w"))
P
}
listing() { (cd "$1" && find . -name __pycache__ -prune -o -printf '%P %y %m %U %G %l\n' | sort && find . -name __pycache__ -prune -o -type f -exec sha256sum {} + | sort); }
plan "$WORK/uv.json" uv
plan "$WORK/pip.json" pip
"$TENON" apply "$WORK/uv.json" --yes >"$WORK/out" 2>&1 || fail "made: $(cat "$WORK/out")"
site=env/lib/python$minor/site-packages
over() { # PLAN WHAT
    listing env >"$WORK/before"
    "$TENON" apply "$1" --yes >"$WORK/out" 2>&1 || fail "$2: $(cat "$WORK/out")"
    same "$(env/bin/python -I -c 'import onnxruntime, onnxruntime.more; print(onnxruntime.__version__)')" 1.20.1 "$2"
    ! grep -rI "tenon-[0-9a-f]" env/bin env/pyvenv.cfg || fail "$2: names of the folder that it was built in"
    "$TENON" undo >"$WORK/out" 2>&1 || fail "$2: $(cat "$WORK/out")"
    listing env >"$WORK/after"
    diff "$WORK/before" "$WORK/after" || fail "$2: undo"
}
rm "$site/onnxruntime/__init__.py"
over "$WORK/uv.json" "a file of a package is gone"
ln -sf /nonexistent/python3 env/bin/python
echo 'VIRTUAL_ENV=/elsewhere' >env/bin/activate
over "$WORK/uv.json" "and its Python leads nowhere"
over "$WORK/pip.json" "and it never had a pip"
rm env/pyvenv.cfg
listing env >"$WORK/before"
rc=0; "$TENON" apply "$WORK/uv.json" --yes --lang en >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "no environment any more: $(cat "$WORK/out")"
grep -F -- '--env' "$WORK/out" >/dev/null || fail "what to do: $(cat "$WORK/out")"
listing env >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "no environment any more, and changed"
echo "apply over a damaged environment: put right, undone to the byte"
