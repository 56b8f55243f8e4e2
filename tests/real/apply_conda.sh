#!/usr/bin/env bash
# Scheme A and the mixed method: an environment of conda, made by rattler behind conda's command line (no conda, mamba or
# micromamba can be had here: apply_conda.py), out of a channel with a real Python, a binary that holds its place, noarch
# modules with entry points, and pip. It works where it is put, no file of it names the folder it was built in, the digests
# of conda-meta are those of the files, undo leaves the tree equal, and nothing outside has changed (story 11: .condarc).
. "$(dirname "$0")/lib.sh"
V=$PARTS/rattler
made() {
    [ ! -e "$V/ready" ] || return 0
    python3 -m venv "$V" >/dev/null 2>&1 && "$V/bin/pip" install -q py-rattler pyyaml >/dev/null 2>&1 && : >"$V/ready"
}
one made || skip "py-rattler"
python=$(ls -d "$HOME"/.pyenv/versions/3.1[0-9].*/bin/python 2>/dev/null | sed -n 1p || true)
[ -n "$python" ] && command -v gcc strip >/dev/null || skip "a Python that can be moved, gcc, strip"
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
C=$PARTS/conda-channel-$(cat "$TENON_SOURCE/tests/real/apply_conda.py" "$python" | sha256sum | cut -c1-12)
channel() {
    [ ! -e "$C/ready" ] || return 0
    rm -rf "$C" && mkdir -p "$C/conda-forge"
    "$V/bin/python" "$TENON_SOURCE/tests/real/apply_conda.py" channel "$C/conda-forge" "$python" && : >"$C/ready"
}
one channel || fail "the channel"

export HOME=$WORK/home XDG_STATE_HOME=$WORK/state CONDA_PKGS_DIRS=$WORK/cache CONDA_ENVS_DIRS=$WORK/envs PIP_NO_INDEX=1 PIP_FIND_LINKS=$WORK/wheels
mkdir -p "$HOME/.conda" "$WORK/bin" "$WORK/envs" "$WORK/place" "$WORK/wheels"
printf '#!/bin/sh\nexec %s %s conda "$@"\n' "$V/bin/python" "$TENON_SOURCE/tests/real/apply_conda.py" >"$WORK/bin/conda"
chmod +x "$WORK/bin/conda"
export PATH=$WORK/bin:/usr/bin:/bin
printf 'channel_alias: file://%s\n' "$C" >"$HOME/.condarc"
echo /opt/theirs >"$HOME/.conda/environments.txt"
thing_wheels "$WORK/wheels"
plan() { # FILE ENV NAMED KIND-OF-EXTRA SPECS...
    python3 - "$minor" "$@" <<'P'
import json, sys
minor, file, env, named, extra, *specs = sys.argv[1:]
base = {"tool": "conda", "program": "conda", "env": env, "python": minor}
if named == "named":
    base["named"] = True
do = [dict(base, kind="conda-env", channels=["conda-forge"], packages=["python=" + minor, *specs])]
if extra == "mixed":
    do[0]["into"] = "cuda"
    do += [dict(base, kind="packages", packages=["thing==2.0"]), dict(base, kind="search", into="lib")]
json.dump({"command": "plan", "steps": [{"do": d} for d in do]}, open(file, "w"))
P
}
listing() { (cd "$1" && find . -printf '%P %y %m %U %G %l\n' | sort && find . -type f -exec sha256sum {} + | sort); }
cd "$WORK/place"
outside() { (cd "$WORK" && find . -name "state*" -prune -o -path ./cache -prune -o -printf '%P %y %m %l\n' | sort && sha256sum home/.condarc home/.conda/environments.txt); }
touch "$WORK/out"
outside >"$WORK/state.before"

whole() { # ENV: works where it is, and nothing names the folder it was built in
    same "$("$1/bin/where")" "$1/share/where $1/a:$1/b" "a binary that holds its place"
    same "$("$1/bin/where-sh")" "$1/share/where" "a text that holds its place"
    same "$("$1/bin/puremod-run")" "$1/lib/python$minor/site-packages/puremod/__init__.py" "an entry point"
    same "$("$1/bin/python" -c 'import sys; print(sys.prefix)')" "$1" "its Python"
    if grep -rlaE 'tenon-[0-9a-f]{8}|\.tenon-env' "$1"; then fail "files name the folder that it was built in"; fi
    [ -z "$(find "$1" -name '.tenon*' -o -type l -lname '*tenon-*')" ] || fail "left in it: $(find "$1" -name '.tenon*')"
    "$1/bin/python" - "$1" <<'P' || fail "digests of conda-meta"
import glob, hashlib, json, marshal, sys
n = 0
for f in glob.glob(sys.argv[1] + "/conda-meta/*.json"):
    for p in json.load(open(f))["paths_data"]["paths"]:
        want = p.get("sha256_in_prefix") or p.get("sha256")
        if p["path_type"] != "softlink" and want:
            assert hashlib.sha256(open(sys.argv[1] + "/" + p["_path"], "rb").read()).hexdigest() == want, p
            n += "sha256_in_prefix" in p
assert n >= 3, n
m = glob.glob(sys.argv[1] + "/lib/python*/site-packages/puremod/__pycache__/deep.*.pyc")
assert m, "nothing was compiled"
def names(code):
    yield code.co_filename
    for c in code.co_consts:
        if hasattr(c, "co_filename"):
            yield from names(c)
got = set(names(marshal.loads(open(m[0], "rb").read()[16:])))
assert got == {sys.argv[1] + m[0][len(sys.argv[1]):].replace("/__pycache__", "").split(".cpython")[0] + ".py"}, got
P
}

# --- a name: where conda keeps its environments ---
plan named.plan demo named only where puremod
"$TENON" apply named.plan --yes >"$WORK/out" 2>&1 || fail "apply: $(cat "$WORK/out")"
grep "conda activate $WORK/envs/demo" "$WORK/out" >/dev/null || fail "how it is used: $(cat "$WORK/out")"
whole "$WORK/envs/demo"
same "$(cat "$HOME/.conda/environments.txt")" /opt/theirs "conda's list of environments"
"$TENON" apply named.plan --yes >"$WORK/out" 2>&1 || fail "again: $(cat "$WORK/out")"
grep 'already as planned' "$WORK/out" >/dev/null || fail "again: $(cat "$WORK/out")"
plan other.plan demo named only where
rc=0; "$TENON" apply other.plan --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "another plan of that name: $(cat "$WORK/out")"
"$TENON" undo >"$WORK/out" 2>&1 || fail "undo: $(cat "$WORK/out")"

# --- a folder with a space; conda's run time first, pip second, in this order ---
plan mixed.plan './an env' folder mixed where puremod pip
"$TENON" apply mixed.plan --yes >"$WORK/out" 2>&1 || fail "mixed: $(cat "$WORK/out")"
whole "$WORK/place/an env"
same "$('an env/bin/thing-run')" 2.0 "pip's"
same "$('an env/bin/pip' --version | cut -d' ' -f1)" pip "conda's pip"
same "$(CONDA_PREFIX="$PWD/an env" LD_LIBRARY_PATH=/x sh -c '. "an env/etc/conda/activate.d/tenon-cuda.sh"; echo "$LD_LIBRARY_PATH"; . "an env/etc/conda/deactivate.d/tenon-cuda.sh"; echo "$LD_LIBRARY_PATH"')" \
    "$PWD/an env/lib:/x
/x" "activation and back"
"$TENON" undo >"$WORK/out" 2>&1 || fail "undo: $(cat "$WORK/out")"

# --- what fails leaves nothing; what is no conda is not run ---
plan missing.plan gone named only no-such-package
rc=0; "$TENON" apply missing.plan --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 5 "a package that nobody has"
grep -i 'no-such-package' "$WORK/out" >/dev/null || fail "the solver's own words: $(cat "$WORK/out")"
sed 's/"program": "conda"/"program": "cp"/' named.plan >bad.plan
rc=0; "$TENON" apply bad.plan --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "a program that is none of conda's kind: $(cat "$WORK/out")"
sed 's/"python": /"override": "12.4; touch pwned", "python": /' named.plan >bad.plan
rc=0; "$TENON" apply bad.plan --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "a version that is none: $(cat "$WORK/out")"
rm ./*.plan
outside >"$WORK/state.after"
diff "$WORK/state.before" "$WORK/state.after" || fail "something is left, or changed outside"
# --- story 25: what lies below ~/.local would be imported in place of the environment's own: named, and what helps ---
user=$HOME/.local/lib/python$minor/site-packages
mkdir -p "$user/onnxruntime" "$user/onnxruntime-1.9.0.dist-info"
echo "__version__ = '1.9.0'" >"$user/onnxruntime/__init__.py"
printf 'Metadata-Version: 2.1\nName: onnxruntime\nVersion: 1.9.0\n' >"$user/onnxruntime-1.9.0.dist-info/METADATA"
python3 - "$WORK/wheels" <<'P'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/onnxruntime-1.20.1-py3-none-any.whl", "w") as z:
    z.writestr("onnxruntime/__init__.py", "__version__ = '1.20.1'\ndef get_available_providers():\n    return []\n")
    info = "onnxruntime-1.20.1.dist-info/"
    z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: onnxruntime\nVersion: 1.20.1\n")
    z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr(info + "RECORD", "")
P
plan shadow.plan ./shadowed folder mixed pip
sed -i 's/thing==2.0/onnxruntime==1.20.1/' shadow.plan
rc=0; "$TENON" apply shadow.plan --yes --lang en >"$WORK/out" 2>&1 || rc=$?
same "$rc" 5 "~/.local before the environment: $(cat "$WORK/out")"
grep -F "onnxruntime 1.9.0 in $user is imported in place of the environment's own 1.20.1" "$WORK/out" >/dev/null || fail "not named: $(cat "$WORK/out")"
grep -F 'What helps' "$WORK/out" | has -F 'export PYTHONNOUSERSITE=1' || fail "what helps: $(cat "$WORK/out")"
[ ! -e shadowed ] || fail "made all the same"
echo "apply by conda: named, mixed, nothing names the stage, undone"
