#!/usr/bin/env bash
# Scheme C done by tenon: archives of CUDA in NVIDIA's layout and form of list, made of the real libraries of a toolkit on this
# machine, come by HTTP (cut short once, and gone on with where it was), cuDNN's from a folder; what is placed is listed; the real
# loader finds it after the activation of sh, csh and fish and no more after the deactivation; undo restores the tree. What is damaged,
# hostile, not full, or not the list that NVIDIA published leaves everything as it was. FULL=1: every library is the real one.
. "$(dirname "$0")/lib.sh"
REAL=/usr/local/cuda-13.0
here=$(dirname "$0")
[ -f "$REAL/lib/libcudnn.so.9" ] || skip "no toolkit with cuDNN in $REAL"
[ -x "$(dirname "$TENON")/tenon-unpack" ] && [ -x "$(dirname "$TENON")/tenon-get" ] || skip "tenon-unpack or tenon-get is not built"
command -v zstd >/dev/null && command -v cc >/dev/null || skip "zstd, cc"
python=$(python_of_tf215) || skip "a Python with venv"
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
export HOME=$WORK/home XDG_STATE_HOME=$WORK/state PATH=$(dirname "$python"):/usr/bin:/bin PIP_NO_INDEX=1
unset LD_LIBRARY_PATH http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
mkdir -p "$HOME" "$WORK/a" "$WORK/place"
python3 "$here/apply_manual.py" pack "$REAL" "$WORK/a" ${FULL:+full}
python3 "$here/apply_manual.py" serve "$WORK/a" "$WORK/log" &
server=$!
trap 'kill $server 2>/dev/null || true; [ -n "${KEEP:-}" ] || rm -rf "$WORK"' EXIT
for _ in $(seq 100); do [ -s "$WORK/a/port" ] && break; sleep 0.05; done
url=http://127.0.0.1:$(cat "$WORK/a/port")
plan() { # FILE ENV CUDA CUDNN [first]: what is refused here is refused before a venv is made
    python3 - "$minor" "$@" <<'P'
import json, sys
minor, file, env, cuda, cudnn = sys.argv[1:6]
image = "https://h/cudnn-linux-x86_64-%s_cuda13-archive.tar.zst" % cudnn
do = [{"kind": "venv", "env": env, "python": minor}, {"kind": "toolkit", "env": env, "into": env + "/cuda", "version": cuda},
      {"kind": "cudnn", "env": env, "into": env + "/cuda", "version": cudnn, "image": image}, {"kind": "search", "env": env, "into": env + "/cuda"}]
if len(sys.argv) > 6:
    do = do[1:3] + do[:1]
json.dump({"command": "plan", "steps": [{"do": d} for d in do]}, open(file, "w"))
P
}
listing() { (cd "$1" && find . -printf '%P %y %m %U %G %l\n' | sort && find . -type f -exec sha256sum {} + | sort); }
cd "$WORK/place"
plan p.json 'an env' 13.4.1 9.19.0.56 first
echo mine >own
listing . >"$WORK/before"

# --- nothing says whether they are NVIDIA's ---
rc=0; "$TENON" apply p.json --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "without a list: $(cat "$WORK/out")"
grep -- '--archives DIR' "$WORK/out" >/dev/null || fail "without a list: $(cat "$WORK/out")"

# --- refused, nothing placed ---
bad() { # WHAT WORD ARGS...
    local what=$1 word=$2
    shift 2
    rc=0; "$TENON" apply p.json --yes "$@" >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "$what: $(cat "$WORK/out")"
    grep -- "$word" "$WORK/out" >/dev/null || fail "$what: $(cat "$WORK/out")"
    listing . >"$WORK/after"
    diff "$WORK/before" "$WORK/after" || fail "$what left something"
}
list=$WORK/a/cuda/redist/redistrib_13.4.1.json
cp "$list" "$WORK/list"
python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); s = j["libcufft"]["linux-x86_64"]; s["sha256"] = s["sha256"][::-1]; json.dump(j, open(sys.argv[1], "w"))' "$list"
bad "a wrong digest" libcufft --archives "$url" --archives "$WORK/a/good"
[ ! -e "$XDG_STATE_HOME/tenon/archives/libcufft-linux-x86_64-13.4.88-archive.tar.zst" ] || fail "what was refused is kept"
python3 -c 'import json, sys; j = json.load(open(sys.argv[2])); del j["libcurand"]; json.dump(j, open(sys.argv[1], "w"))' "$list" "$WORK/list"
bad "a component is missing" libcurand --archives "$url" --archives "$WORK/a/good"
cp "$WORK/list" "$list"
bad "half a cuDNN" libcudnn_ops --archives "$WORK/a" --archives "$WORK/a/lacking"
bad "a hostile archive" escaped --archives "$WORK/a" --archives "$WORK/a/hostile"
[ ! -e "$WORK/place/escaped" ] && [ ! -e "$WORK/escaped" ] || fail "a hostile archive wrote outside"
cp "$list" "$WORK/a/cuda/redist/redistrib_13.0.3.json"
plan p.json 'an env' 13.0.2 9.19.0.56 first
listing . >"$WORK/before"
bad "not NVIDIA's list" "not NVIDIA's list: its sha256 is $(sha256sum <"$list" | cut -d' ' -f1)" --archives "$url" --archives "$WORK/a/good"
plan p.json 'an env' 13.4.1 9.19.0.56 first
listing . >"$WORK/before"

# --- the network ends in the middle: the next run asks for the rest alone ---
rm -rf "$XDG_STATE_HOME/tenon/archives"
nvcc=cuda_nvcc-linux-x86_64-13.4.88-archive.tar.zst
mv "$WORK/a/cuda/redist/libcurand" "$WORK/aside"
rc=0; "$TENON" apply p.json --yes --archives "$url" --archives "$WORK/a/good" >"$WORK/out" 2>&1 || rc=$?
same "$rc" 5 "an archive that the server does not have: $(cat "$WORK/out")"
grep 404 "$WORK/out" >/dev/null || fail "the server's answer: $(cat "$WORK/out")"
listing . >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "a failed download left something"
mv "$WORK/aside" "$WORK/a/cuda/redist/libcurand"
plan p.json 'an env' 13.4.1 9.19.0.56
listing . >"$WORK/before"
kept=$XDG_STATE_HOME/tenon/archives/$nvcc
head -c 100000 "$kept" >"$kept.part"; rm "$kept"
echo "libcurand-linux-x86_64-13.4.88-archive.tar.zst 500" >"$WORK/a/cut"
: >"$WORK/log"
"$TENON" apply p.json --yes --archives "$url" --archives "$WORK/a/good" >"$WORK/out" 2>&1 || fail "apply: $(cat "$WORK/out")"
grep "^$nvcc bytes=100000-" "$WORK/log" >/dev/null || fail "asked for all of it again: $(cat "$WORK/log")"
grep "^libcurand.* bytes=500-" "$WORK/log" >/dev/null || fail "cut, and not gone on with: $(cat "$WORK/log")"
! grep '^libcufft' "$WORK/log" || fail "what was there whole was fetched again"
grep 'not authenticated' "$WORK/out" >/dev/null || fail "a list that nobody knows: $(cat "$WORK/out")"
[ ! -e "$XDG_STATE_HOME/tenon/archives" ] || fail "archives are kept: $(ls "$XDG_STATE_HOME/tenon/archives")"
same "$(cat own)" mine "a neighbour"
[ -z "$(find "$HOME" -type f)" ] || fail "written at home: $(find "$HOME" -type f)"

# --- what was placed is listed ---
python3 - 'an env/cuda' <<'P' || fail "the lists do not say what was placed"
import hashlib, os, sys
top, seen = sys.argv[1], set()
for name in (".placed-cuda", ".placed-cudnn"):
    for line in open(os.path.join(top, name)):
        w = line.split(" ")
        for k in w:
            if len(k) == 64 and set(k) <= set("0123456789abcdef"):
                seen.add(k)
have = {hashlib.sha256(open(os.path.join(d, f), "rb").read()).hexdigest() for d, _, fs in os.walk(top) for f in fs
        if not f.startswith(".placed") and not os.path.islink(os.path.join(d, f))}
assert have == seen, (len(have), len(seen))
P
cmp 'an env/cuda/lib64/libcudnn_ops.so.9' "$REAL/lib/libcudnn_ops.so.9" || fail "other bytes"
[ -x 'an env/cuda/bin/ptxas' ] || fail "ptxas"

# --- the activation, of each shell ---
cat >"$WORK/ask.py" <<'P'
import ctypes, os, shutil
print(ctypes.CDLL("libcudnn.so.9").cudnnGetVersion(), ctypes.CDLL("libcudart.so.13") and 1, os.path.realpath("an env/cuda/lib64/libcudnn.so.9") in open("/proc/self/maps").read(),
      shutil.which("ptxas") == os.path.abspath("an env/cuda/bin/ptxas"))
P
want="91900 1 True True"
same "$(bash -c '. "an env/bin/activate"; python "$1"; deactivate; echo "${LD_LIBRARY_PATH-unset}"' x "$WORK/ask.py")" "$want
unset" "sh"
same "$(LD_LIBRARY_PATH=/b sh -c '. "an env/bin/activate"; . "an env/bin/activate"; python "$1"; deactivate; echo "$LD_LIBRARY_PATH"; command -v ptxas || echo none' x "$WORK/ask.py")" "$want
/b
none" "sh, twice, over another"
if command -v tcsh >/dev/null; then
    csh_says() { printf '%s\n' 'set prompt=x' "source 'an env/bin/activate.csh'" "$@" "python $WORK/ask.py" deactivate 'if ($?LD_LIBRARY_PATH) then' 'echo $LD_LIBRARY_PATH' endif >"$WORK/csh"; tcsh -f "$WORK/csh"; }
    same "$(csh_says)" "$want" "csh"
    same "$(LD_LIBRARY_PATH=/b csh_says "source 'an env/bin/activate.csh'")" "$want
/b" "csh, twice, over another"
else echo "skipped: tcsh"; fi
if command -v fish >/dev/null; then
    same "$(fish -N -c "source 'an env/bin/activate.fish'; python $WORK/ask.py; deactivate; set -q LD_LIBRARY_PATH; or echo unset")" "$want
unset" "fish"
    same "$(LD_LIBRARY_PATH=/b:/c fish -N -c "source 'an env/bin/activate.fish'; source 'an env/bin/activate.fish'; python $WORK/ask.py; deactivate; echo \"\$LD_LIBRARY_PATH\"")" "$want
/b:/c" "fish, twice, over another"
else echo "skipped: fish"; fi

# --- and back ---
"$TENON" apply p.json --yes --archives "$url" --archives "$WORK/a/good" >"$WORK/out" 2>&1 || fail "a second time: $(cat "$WORK/out")"
grep 'already as planned' "$WORK/out" >/dev/null || fail "a second time: $(cat "$WORK/out")"
"$TENON" undo >"$WORK/out" 2>&1 || fail "undo: $(cat "$WORK/out")"
listing . >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "undo left something"
# --- in a bundle: what is there of a killed run is kept; applied with the network cut; what is not the list's is refused ---
if [ -z "${FULL:-}" ]; then
    listing . >"$WORK/before"
    mv "$WORK/a/cuda/redist/libcurand" "$WORK/aside"
    rc=0; "$TENON" bundle p.json -o "$WORK/m.zip" --archives "$url" --archives "$WORK/a/good" >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 5 "a bundle of what the server does not have: $(cat "$WORK/out")"
    [ ! -e "$WORK/m.zip" ] || fail "half a bundle"
    mv "$WORK/aside" "$WORK/a/cuda/redist/libcurand"
    kept=$XDG_STATE_HOME/tenon/archives/$nvcc
    head -c 90000 "$kept" >"$kept.part"; rm "$kept"
    printf x | dd of="$(dirname "$kept")/cuda_cudart-linux-x86_64-13.4.88-archive.tar.zst" bs=1 seek=99 conv=notrunc status=none
    rc=0; "$TENON" bundle p.json -o "$WORK/m.zip" --archives "$url" --archives "$WORK/a/good" >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "what was kept is damaged: $(cat "$WORK/out")"
    grep 'cuda_cudart.*the list says' "$WORK/out" >/dev/null || fail "what was kept is damaged: $(cat "$WORK/out")"
    : >"$WORK/log"
    "$TENON" bundle p.json -o "$WORK/m.zip" --archives "$url" --archives "$WORK/a/good" >"$WORK/out" 2>&1 || fail "bundle: $(cat "$WORK/out")"
    same "$(cut -d' ' -f1 "$WORK/log" | sort -u | tr '\n' ' ')" "cuda_cudart-linux-x86_64-13.4.88-archive.tar.zst redistrib_13.4.1.json " "what is asked for the third time"
    [ ! -e "$XDG_STATE_HOME/tenon/archives" ] || fail "archives are kept behind a bundle"
    cut=()
    if unshare -n true 2>/dev/null; then cut=(unshare -n); elif unshare -rn true 2>/dev/null; then cut=(unshare -rn); fi
    "${cut[@]}" "$TENON" apply --bundle "$WORK/m.zip" --yes >"$WORK/out" 2>&1 || fail "apply --bundle: $(cat "$WORK/out")"
    same "$(bash -c '. "an env/bin/activate"; python "$1"' x "$WORK/ask.py")" "$want" "out of a bundle"
    "$TENON" undo >"$WORK/out" 2>&1 || fail "undo: $(cat "$WORK/out")"
    listing . >"$WORK/after"
    diff "$WORK/before" "$WORK/after" || fail "undo of a bundle left something"
fi
echo "manual: CUDA by HTTP and cuDNN out of a folder, placed, activated, taken back"
