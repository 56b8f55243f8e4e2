#!/usr/bin/env bash
# Story 6 and its neighbours, with real pip: a plan file is applied, works unactivated, and undo leaves the tree as before; what a
# plan file may not hold; one at a time; nothing of the surroundings leads an installer elsewhere; refused where root may not.
. "$(dirname "$0")/lib.sh"
python=$(python_of_tf215) || skip "a Python with venv"
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
export HOME=$WORK/home XDG_STATE_HOME=$WORK/state PATH=$(dirname "$python"):/usr/bin:/bin PIP_NO_INDEX=1 PIP_FIND_LINKS=$WORK/wheels
mkdir -p "$HOME" "$WORK/wheels" "$WORK/place"
wheel() { # NAME VERSION [REQUIRES]
    python3 - "$WORK/wheels" "$@" <<'P'
import sys, zipfile
folder, name, v = sys.argv[1:4]
info = "%s-%s.dist-info" % (name, v)
meta = "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, v) + "".join("Requires-Dist: %s\n" % r for r in sys.argv[4:])
files = {name + "/__init__.py": "V = '%s'\ndef main():\n    print(V)\n" % v, info + "/METADATA": meta, info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
         info + "/entry_points.txt": "[console_scripts]\n%s-run = %s:main\n" % (name, name)}
with zipfile.ZipFile("%s/%s-%s-py3-none-any.whl" % (folder, name, v), "w") as z:
    for n, t in files.items():
        z.writestr(n, t)
    z.writestr(info + "/RECORD", "".join("%s,,\n" % n for n in list(files) + [info + "/RECORD"]))
P
}
wheel tinya 1.0
wheel tinyb 2.0 tinya
plan() { # FILE ENV PACKAGES...
    python3 - "$minor" "$@" <<'P'
import json, sys
minor, file, env = sys.argv[1:4]
do = [{"kind": "venv", "env": env, "python": minor}, {"kind": "packages", "env": env, "python": minor, "packages": sys.argv[4:]}, {"kind": "check", "env": env}]
json.dump({"command": "plan", "steps": [{"do": d} for d in do]}, open(file, "w"))
P
}
cd "$WORK/place"
listing() { (cd "$1" && find . -printf '%P %y %m %U %G %l\n' | sort && find . -type f -exec sha256sum {} + | sort); }

# --- story 6 ---
"$TENON" plan "conda create -n tf_gpu python3.9 -y" >"$WORK/out" || fail "the damaged command"
grep 'python=3.9' "$WORK/out" >/dev/null || fail "not repaired: $(cat "$WORK/out")"
plan demo.plan 'an env' tinya tinyb==2.0
listing . >"$WORK/before"
"$TENON" apply demo.plan --yes >"$WORK/out" 2>&1 || fail "apply: $(cat "$WORK/out")"
same "$('an env/bin/python' -c 'import tinya, tinyb; print(tinya.V, tinyb.V)')" "1.0 2.0" "unactivated"
same "$('an env/bin/tinyb-run')" "2.0" "a script, of a place with a space in its name"
same "$(bash -c '. "an env/bin/activate" && command -v tinya-run')" "$PWD/an env/bin/tinya-run" "activated"
! grep -rI "tenon-[0-9a-f]" 'an env/bin' 'an env/pyvenv.cfg' || fail "names of the folder that it was built in"
"an env/bin/python" - <<'P' || fail "RECORD does not say what is there"
import base64, csv, hashlib, importlib.metadata as m
for d in m.distributions():
    for f in d.files or []:
        if f.hash and f.hash.mode == "sha256":
            got = base64.urlsafe_b64encode(hashlib.sha256(f.locate().read_bytes()).digest()).decode().rstrip("=")
            assert got == f.hash.value, f
P
same "$("$TENON" history --json | python3 -c 'import json,sys; e = json.load(sys.stdin)["entries"]; print(len(e), e[0]["status"], e[0]["undoable"])')" "1 done True" "history"
"$TENON" apply demo.plan --yes >"$WORK/out" 2>&1 || fail "a second time: $(cat "$WORK/out")"
grep 'already as planned' "$WORK/out" >/dev/null || fail "a second time: $(cat "$WORK/out")"
"$TENON" undo >"$WORK/out" || fail "undo: $(cat "$WORK/out")"
listing . >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "undo left something"
! "$TENON" undo >"$WORK/out" 2>&1 || fail "undone twice"

# --- nobody is asked, nothing is done ---
rc=0; "$TENON" apply demo.plan </dev/null >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "without --yes"
[ ! -e 'an env' ] || fail "done without --yes"

# --- a plan is no code ---
bad() { # WANT JSON
    echo "$2" >bad.json
    rc=0; "$TENON" apply bad.json --yes >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "$2: $(cat "$WORK/out")"
    grep -- "$1" "$WORK/out" >/dev/null || fail "$2: $(cat "$WORK/out")"
    rm bad.json
}
bad 'a command alone is not run' '{"command":"plan","steps":[{"command":"touch pwned"}]}'
bad 'not what the step does' '{"command":"plan","steps":[{"command":"touch pwned","do":{"kind":"venv","env":"e","python":"'$minor'"}}]}'
bad 'not known' '{"command":"plan","steps":[{"do":{"kind":"shell","env":"e"}}]}'
bad 'not a requirement' '{"command":"plan","steps":[{"do":{"kind":"packages","env":"e","python":"'$minor'","packages":["--index-url=http://x/"]}}]}'
bad 'control character' '{"command":"plan","steps":[{"do":{"kind":"venv","env":"e\u001b[2J","python":"'$minor'"}}]}'
bad 'plan again' '{"command":"plan","machine":{"driver":"535.54.03"},"steps":[{"do":{"kind":"venv","env":"e","python":"'$minor'"}}]}'
bad 'not a plan' '{"command":"doctor","steps":[]}'
bad 'this step is printed only' '{"command":"plan","steps":[{"do":{"kind":"driver","version":"550"}}]}'
[ ! -e pwned ] && [ ! -e e ] || fail "a plan file ran something"

# --- what fails leaves everything as before ---
plan missing.plan other no-such-thing
listing . >"$WORK/before"
rc=0; "$TENON" apply missing.plan --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 5 "a package that nobody has"
grep -i 'no matching distribution' "$WORK/out" >/dev/null || fail "pip's own words: $(cat "$WORK/out")"
listing . >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "what failed left something"
mkdir mine; echo precious >mine/file
plan mine.plan mine tinya
rc=0; "$TENON" apply mine.plan --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "a folder that is no environment: $(cat "$WORK/out")"
same "$(cat mine/file)" precious "somebody's folder"

mkdir other; printf 'home = /usr/bin\nversion = 3.4.10\n' >other/pyvenv.cfg
plan other.plan other tinya
rc=0; "$TENON" apply other.plan --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "another Python: $(cat "$WORK/out")"
grep '3.4.10' "$WORK/out" >/dev/null || fail "which Python: $(cat "$WORK/out")"

# --- the surroundings: nothing of them leads an installer elsewhere, or is loaded ---
echo 'int trap;' >"$WORK/trap.c"
gcc -shared -fPIC -o "$WORK/trap.so" "$WORK/trap.c"
mkdir -p "$WORK/evil"
for m in sitecustomize usercustomize pip venv ensurepip; do echo 'open("'"$WORK"'/sprung", "w")' >"$WORK/evil/$m.py"; done
cp "$WORK/evil/pip.py" "$WORK/evil/venv.py" .
plan trap.plan trapped tinya
if [ "$(id -u)" = 0 ]; then # what ld.so has put into tenon itself may be anybody's
    rc=0; LD_PRELOAD="$WORK/trap.so" "$TENON" apply trap.plan --yes >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "root, with a library preloaded: $(cat "$WORK/out")"
    [ ! -e trapped ] || fail "root, with a library preloaded"
fi
env LD_AUDIT= LD_LIBRARY_PATH="$WORK/evil" PYTHONPATH="$WORK/evil" PYTHONSTARTUP="$WORK/evil/pip.py" PYTHONHOME=/nonexistent PIP_TARGET="$WORK/evil/target" \
    PIP_PREFIX="$WORK/evil/prefix" PIP_USER=1 PIP_REQUIRE_VIRTUALENV=1 VIRTUAL_ENV="$WORK/evil/venv" CONDA_PREFIX="$WORK/evil/conda" \
    "$TENON" apply trap.plan --yes >"$WORK/out" 2>&1 || fail "with traps about: $(cat "$WORK/out")"
[ ! -e "$WORK/sprung" ] || fail "something of the surroundings ran in an installer"
same "$(trapped/bin/python -I -c 'import tinya; print(tinya.V)')" 1.0 "with traps about"
[ ! -e "$WORK/evil/target" ] && [ ! -e "$WORK/evil/prefix" ] || fail "installed elsewhere"
rm -f pip.py venv.py
rm -rf __pycache__

# --- a change of an environment that is there, and its undo; what somebody did since is not lost ---
wheel tinya 3.0
plan change.plan trapped tinya==3.0
listing trapped >"$WORK/before"
"$TENON" apply change.plan --yes >"$WORK/out" 2>&1 || fail "a change: $(cat "$WORK/out")"
same "$(trapped/bin/tinya-run)" 3.0 "changed"
rm trapped/bin/tinya-run # damaged since: it is made again, not called as planned
"$TENON" apply change.plan --yes >"$WORK/out" 2>&1 || fail "made again: $(cat "$WORK/out")"
! grep 'already as planned' "$WORK/out" >/dev/null || fail "damaged, and called as planned"
"$TENON" undo >"$WORK/out" || fail "$(cat "$WORK/out")"
"$TENON" undo >"$WORK/out" || fail "$(cat "$WORK/out")"
listing trapped >"$WORK/after"
diff <(sed '/__pycache__/d' "$WORK/before") <(sed '/__pycache__/d' "$WORK/after") || fail "undo of a change"
echo precious >trapped/notes
"$TENON" undo >"$WORK/out" || fail "$(cat "$WORK/out")"
[ ! -e trapped ] || fail "not undone"
kept=$(sed -n 's/.*it is \(.*\)/\1/p' "$WORK/out")
same "$(cat "$kept/notes")" precious "what was put there since"

# --- made by virtualenv: nothing beside it, whatever its settings say; with pip's own packages in it as ever ---
if [ -x "$PARTS/python-tools-1/bin/virtualenv" ]; then
    sed 's/"kind": "venv"/"kind": "venv", "tool": "virtualenv"/' demo.plan >virtual.plan
    mkdir -p "$HOME/.config/virtualenv" "$HOME/.local/lib/python$minor/site-packages"
    printf '[virtualenv]\nclear = true\nsystem-site-packages = true\nseeder = none\n' >"$HOME/.config/virtualenv/virtualenv.ini"
    touch pyproject.toml
    listing . >"$WORK/before"
    PATH=$PARTS/python-tools-1/bin:$PATH "$TENON" apply virtual.plan --yes >"$WORK/out" 2>&1 || fail "virtualenv: $(cat "$WORK/out")"
    grep -x 'virtualenv = .*' 'an env/pyvenv.cfg' >/dev/null || fail "not virtualenv: $(cat 'an env/pyvenv.cfg')"
    grep -x 'include-system-site-packages = false' 'an env/pyvenv.cfg' >/dev/null || fail "a setting led it elsewhere"
    same "$(bash -c '. "an env/bin/activate" && tinyb-run && printf %s "$VIRTUAL_ENV"')" "2.0
$PWD/an env" "virtualenv, activated"
    ! grep -rI "tenon-[0-9a-f]" 'an env/bin' 'an env/pyvenv.cfg' || fail "names of the folder that virtualenv built in"
    same "$(find "$HOME" -type f)" "$HOME/.config/virtualenv/virtualenv.ini" "files of virtualenv elsewhere"
    "$TENON" undo >"$WORK/out" || fail "$(cat "$WORK/out")"
    listing . >"$WORK/after"
    diff "$WORK/before" "$WORK/after" || fail "virtualenv left something"
    rm pyproject.toml virtual.plan
else
    echo "skipped: virtualenv (tests/real/envs.sh fetches it)"
fi

# --- one at a time ---
mkfifo "$WORK/slow"
(flock 9; cat "$WORK/slow" >/dev/null) 9>>"$XDG_STATE_HOME/tenon/lock" &
sleep 0.3
rc=0; start=$(date +%s%N); "$TENON" apply demo.plan --yes >"$WORK/out" 2>&1 || rc=$?; end=$(date +%s%N)
same "$rc" 5 "while another one works: $(cat "$WORK/out")"
: >"$WORK/slow"; wait
[ ! -e 'an env' ] || fail "two at once"

# --- root changes nothing where others can write ---
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$WORK"; mkdir "$WORK/theirs"; chown 65534 "$WORK/theirs"
    plan "$WORK/root.plan" "$WORK/theirs/env" tinya
    rc=0; "$TENON" apply "$WORK/root.plan" --yes >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "root, in a user's folder: $(cat "$WORK/out")"
    grep 'another user' "$WORK/out" >/dev/null || fail "why not: $(cat "$WORK/out")"
    same "$(ls -A "$WORK/theirs")" "" "root, in a user's folder"
fi
echo "apply: made, proven, changed, undone"
