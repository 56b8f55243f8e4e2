#!/usr/bin/env bash
# `tenon clean` on a root folder of its own: a named toolkit is surveyed with the settings that name it, moved aside and brought
# back by `undo`; a mount in it and the driver stay; sizes are du's; random trees with people's files in them (clean_trees.py,
# 200 here, seed by commit; 10,000: tests/long/clean_trees.sh).
[ -n "${TENON_NS:-}" ] || [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || TENON_NS=1 exec unshare -m bash "$0"
. "$(dirname "$0")/lib.sh"
export XDG_STATE_HOME=$WORK/state LC_ALL=C
R=$WORK/root
for v in 11.2 11.6; do
    T=$R/usr/local/cuda-$v
    mkdir -p "$T"/{bin,lib64,include,nvvm/libdevice}
    printf '{"cuda":{"name":"CUDA SDK","version":"%s.0"}}' "$v" >"$T/version.json"
    head -c 3000000 /dev/zero >"$T/lib64/libcublas.so.11.0.0"
    ln -s libcublas.so.11.0.0 "$T/lib64/libcublas.so.11"
    : >"$T/bin/nvcc"; : >"$T/bin/cuda-uninstaller"; : >"$T/include/cuda.h"
done
mkdir -p "$R"/{etc/ld.so.conf.d,home/ann,var/lib/dpkg/info}
: >"$R/var/lib/dpkg/status"
ln -s cuda-11.2 "$R/usr/local/cuda"
echo /usr/local/cuda-11.6/lib64 >"$R/etc/ld.so.conf.d/cuda-11-6.conf"
# shellcheck disable=SC2016
printf 'export PATH=/usr/local/cuda-11.6/bin:$PATH\n# /usr/local/cuda-11.6\nexport CUDA_HOME=/usr/local/cuda-11.6\n' >"$R/home/ann/.bashrc"
tree() { (cd "$R" && find . \( -type d -printf '%p %m %U:%G %y\n' \) -o -printf '%p %m %U:%G %y %l %T@ %n %i\n' | sort; find . -type f -exec sha256sum {} + | sort); }
tree >"$WORK/before"
"$TENON" clean cuda 11.6 --root "$R" --lang en >"$WORK/out" || fail "the survey ended with $?"
for w in 'CUDA toolkit 11.6' '.bashrc, line 1, names /usr/local/cuda-11.6/bin' '.bashrc, line 3, names' 'cuda-11-6.conf, line 1' 'To do it: tenon clean cuda 11.6'; do
    grep -F "$w" "$WORK/out" >/dev/null || fail "not told: $w: $(cat "$WORK/out")"
done
if grep -e 'line 2' -e 'cuda-11.2' "$WORK/out" >/dev/null; then fail "a comment, or another toolkit: $(cat "$WORK/out")"; fi
tree | cmp -s "$WORK/before" - || fail "the survey has changed something"
"$TENON" clean --root "$R" --json >"$WORK/json" || fail "clean --json"
bytes=$(python3 -c "import json,sys; print([i['bytes'] for i in json.load(open(sys.argv[1]))['items'] if i['version'] == '11.6.0'][0])" "$WORK/json")
[ "$bytes" = "$(du -s --block-size=1 "$R/usr/local/cuda-11.6" | cut -f1)" ] || fail "$bytes is not what du says"
"$TENON" clean cuda 11.6 --root "$R" --yes >"$WORK/out" || fail "clean --yes ended with $?"
[ ! -e "$R/usr/local/cuda-11.6" ] && [ -e "$R/usr/local/cuda-11.2/bin/nvcc" ] || fail "not the one that was named"
"$TENON" undo >/dev/null || fail "undo ended with $?"
tree | diff "$WORK/before" - || fail "undo did not bring it back as it was"
rc=0; "$TENON" clean driver >/dev/null 2>&1 </dev/null || rc=$?
[ $rc = 4 ] || fail "clean driver ended with $rc"
rc=0; echo yes | "$TENON" clean driver --remove-driver --root "$R" >/dev/null 2>&1 || rc=$?
[ $rc = 4 ] || fail "another word than the driver's: $rc"
if [ -n "${TENON_NS:-}" ]; then
    mkdir "$R/usr/local/cuda-11.6/extras"
    mount -t tmpfs none "$R/usr/local/cuda-11.6/extras" && : >"$R/usr/local/cuda-11.6/extras/mine"
    rc=0; "$TENON" clean cuda 11.6 --root "$R" --yes >"$WORK/out" 2>&1 || rc=$?
    [ $rc = 4 ] && [ -e "$R/usr/local/cuda-11.6/extras/mine" ] || fail "a mount: $rc: $(cat "$WORK/out")"
    umount "$R/usr/local/cuda-11.6/extras"
else
    echo "skipped: a mount in what goes (not root)"
fi
seed=$(git -C "$TENON_SOURCE" rev-parse --short=7 HEAD 2>/dev/null || echo 1)
python3 "$TENON_SOURCE/tests/real/clean_trees.py" "$TENON" "$WORK/trees" "${TREES:-200}" "$((16#$seed))" || fail "a random tree"
