#!/usr/bin/env bash
# Promises 1, 2, 5 and 8: apply, change, undo and recover, killed or refused at their state-changing system calls: old or new, never
# mixed; run again it finishes; undone it is as before, to the byte. A slice whose seed is the commit; all points in tests/long.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || skip "strace"
strace -o /dev/null true 2>/dev/null || skip "strace (not allowed here)"
uv=$PARTS/python-tools-1/bin/uv
[ -x "$uv" ] || skip "uv (tests/real/envs.sh fetches it)"
python=$(python_of_tf215) || skip "a Python with venv"
mkdir -p "$WORK/wheels"
for v in 1.0 2.0; do # a package with a module and a script
    python3 - "$WORK/wheels" $v <<'P'
import sys, zipfile
folder, v = sys.argv[1:]
info = "thing-%s.dist-info" % v
files = {"thing/__init__.py": "V = '%s'\ndef main():\n    print(V)\n" % v, "thing/v%s.txt" % v[0]: v, info + "/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: %s\n" % v,
         info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n", info + "/entry_points.txt": "[console_scripts]\nthing-run = thing:main\n"}
with zipfile.ZipFile("%s/thing-%s-py3-none-any.whl" % (folder, v), "w") as z:
    for n, t in files.items():
        z.writestr(n, t)
    z.writestr(info + "/RECORD", "".join("%s,,\n" % n for n in list(files) + [info + "/RECORD"]))
P
done
seed=$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null || echo none)
python3 "$(dirname "$0")/apply_crash.py" "$WORK" "$TENON" "$python" "$uv" "$WORK/wheels" "${POINTS:-12}" "$seed" ${DOUBLE:+--double} || fail "see above"
