#!/usr/bin/env bash
# changes.sh - apply, history, undo and recover of the Windows program under wine: a plan file makes an environment, which
# works from its own place; undo leaves every byte as before; killed at any moment, recover comes to the old state or the
# new one; a console that is closed meanwhile takes the change back. There is no Windows Python to be had: python.c stands
# in, with what the real pip installs.
set -Eeuo pipefail
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
. "$here/wine_prefix.sh"
unset CONDA_PREFIX VIRTUAL_ENV CUDA_PATH LD_LIBRARY_PATH PYTHONPATH || true
prefix_make "changes on Windows"
python3 -c 'import pip' 2>/dev/null || skip "changes on Windows (no pip)"

# Python 3.10 as its installer for all users lays it down.
base="$PREFIX/drive_c/Program Files/Python310"
mkdir -p "$base/Lib/site-packages" pip/site place
$cross-gcc -O1 -Wall -Wextra -municode -o "$base/python.exe" "$here/python.c"
echo 'void x(void) {}' >x.c
$cross-gcc -shared -o "$base/python310.dll" x.c
printf 'Windows Registry Editor Version 5.00\r\n\r\n[HKEY_LOCAL_MACHINE\\Software\\Python\\PythonCore\\3.10\\InstallPath]\r\n@="C:\\\\Program Files\\\\Python310\\\\"\r\n"ExecutablePath"="C:\\\\Program Files\\\\Python310\\\\python.exe"\r\n' |
    iconv -t UTF-16LE | { printf '\xff\xfe'; cat; } >python.reg
wine reg import 'C:\t\python.reg' >/dev/null 2>&1 || fail "the registry cannot be laid down"
python3 - <<'P'
import glob, os, pip, subprocess, sys, zipfile
def wheel(name, v):
    info = "%s-%s.dist-info" % (name, v)
    files = {name + "/__init__.py": "V = '%s'\ndef main():\n    print(V)\n" % v, info + "/METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, v),
             info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    files.update({"%s/data%d.py" % (name, i): "x = %d\n" % i for i in range(6)})
    with zipfile.ZipFile("pip/%s-%s-py3-none-any.whl" % (name, v), "w") as z:
        for n, t in files.items():
            z.writestr(n, t)
        z.writestr(info + "/RECORD", "".join("%s,,\n" % n for n in list(files) + [info + "/RECORD"]))
wheel("tinya", "1.0")
wheel("tinyb", "2.0")
subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", "pip/site"] + glob.glob("pip/*.whl"), check=True)
launcher = os.path.join(os.path.dirname(pip.__file__), "_vendor/distlib/t64.exe")
open("pip/launcher.exe", "wb").write(open(launcher, "rb").read())
with zipfile.ZipFile("pip/script.zip", "w") as z:
    z.writestr("__main__.py", "import sys\nfrom tinyb import main\nsys.exit(main())\n")
P
plan() { # FILE ENV PACKAGES...
    python3 - "$@" <<'P'
import json, sys
file, env = sys.argv[1:3]
do = [{"kind": "venv", "env": env, "python": "3.10"}, {"kind": "packages", "env": env, "python": "3.10", "packages": sys.argv[3:]}, {"kind": "check", "env": env}]
json.dump({"command": "plan", "steps": [{"do": d} for d in do]}, open(file, "w"))
P
}
run() { local rc=0; timeout 60 wine 'C:\t\tenon.exe' "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || rc=$?; tr -d '\r' <"$WORK/out" >"$WORK/text"; echo $rc >"$WORK/rc"; }
ends() { [ "$(cat "$WORK/rc")" = "$1" ] || fail "status $(cat "$WORK/rc"), not $1: $(cat "$WORK/text" "$WORK/err")"; }
# Names, kinds, times of files and bytes: what an undone change may not alter.
listing() { (cd "$1" && find . -type f -printf '%P %T@ %s\n' -o -printf '%P %y\n' | sort && find . -type f -exec sha256sum {} + | sort); }
plan demo.plan 'C:\t\place\an env' tinya tinyb==2.0
echo "mine" >place/mine
listing place >before

# Nobody is asked, nothing is done; then done, from its own place, and a second time nothing.
run apply demo.plan
ends 4
run apply demo.plan --yes
ends 0
grep -F "Scripts\\Activate.ps1" text >/dev/null || fail "no activation: $(cat text)"
cd place
! grep -raE "\.tenon-[0-9a-f]" "an env" >/dev/null || fail "names of the folder that it was built in: $(grep -rlaE '\.tenon-[0-9a-f]' 'an env')"
cd ..
cmp "place/an env/Lib/site-packages/tinyb/__init__.py" pip/site/tinyb/__init__.py
out=$(wine 'C:\t\place\an env\Scripts\tinyb-run.exe' 2>/dev/null </dev/null | tr -d '\r') || true
[ "$out" = 'C:\t\place\an env\Scripts\python.exe runs tinyb-run.exe' ] || fail "a script: $out"
run apply demo.plan --yes
ends 0
grep 'already as planned' out err >/dev/null || fail "a second time: $(cat out err)"
run history --json
python3 -c 'import json; e = json.load(open("text"))["entries"]; assert [(x["status"], x["undoable"]) for x in e] == [("done", True)], e' || fail "history: $(cat text)"

# What somebody has put there since is kept; then undone to the byte.
run undo
ends 0
listing place >after
diff before after || fail "undo left something"
run undo
ends 2

# Killed at moments of its work: recover comes to the old state or to the new one.
: >slow
seen=
for ms in 400 1000 1600 2200 3000; do
    { timeout -s KILL "$(printf "%d.%03d" $((ms / 1000)) $((ms % 1000)))" wine 'C:\t\tenon.exe' apply demo.plan --yes >/dev/null 2>&1 </dev/null; } 2>/dev/null || true
    for _ in $(seq 50); do # what was killed lets go of the state
        run recover
        [ "$(cat rc)" = 5 ] || break
    done
    ends 0
    if [ -e 'place/an env' ]; then
        cmp "place/an env/Lib/site-packages/tinyb/data5.py" pip/site/tinyb/data5.py
        seen=$seen+
        run undo
        ends 0
    else
        seen=$seen-
    fi
    listing place >after
    diff before after || fail "killed after $ms ms: something is left"
done
case $seen in *-*) ;; *) fail "never killed in time" ;; esac
# Ctrl-C's sibling: the console is closed in mid-run. The change is taken back before Windows ends the program.
$cross-gcc -O1 -Wall -Wextra -municode -o close.exe "$here/close.c"
wine 'C:\t\tenon.exe' apply demo.plan --yes >out 2>err </dev/null &
for _ in $(seq 100); do # it is in the midst of its work
    ls -d place/.*.tenon-*/Lib/site-packages/tinya >/dev/null 2>&1 && break
    sleep 0.1
done
wine close.exe tenon.exe >/dev/null 2>&1 </dev/null || fail "the console is closed: Windows had to end it: $(cat out err)"
rc=0
wait $! || rc=$?
[ $rc = 130 ] || fail "the console is closed: status $rc: $(cat out err)"
listing place >after
diff before after || fail "the console is closed: something is left"
rm slow
echo "killed 5 times: $seen"
