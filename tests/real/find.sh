#!/usr/bin/env bash
# `tenon find` on real trees: against find(1) with the same names on this machine's disks; a copy of a real Debian package
# below --root with its owner by the real dpkg, links, hard links and a venv; folders that may not be read; files that come
# and go during the search; and a FUSE mount that never answers, which is left while the rest is found.
[ -n "${TENON_NS:-}" ] || [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || TENON_NS=1 exec unshare -m bash "$0"
. "$(dirname "$0")/lib.sh"
export LANG=C.UTF-8

# The whole machine: the same files and links as find(1) sees on the same file systems.
"$TENON" find 'libc*.so.6' --json >"$WORK/own" || fail "find ended with $?"
python3 - "$WORK/own" <<'X'
import fnmatch, json, os, sys
d = json.load(open(sys.argv[1]))
mine = set()
for c in d["copies"]:
    mine.add(c["path"])
    mine.update(c["links"])
theirs = set()
for t in d["searched"]:
    if t["state"] != "whole":
        continue
    dev = os.lstat(t["path"]).st_dev
    for folder, dirs, files in os.walk(t["path"]):
        dirs[:] = [x for x in dirs if os.path.isdir(os.path.join(folder, x)) and not os.path.islink(os.path.join(folder, x))
                   and os.lstat(os.path.join(folder, x)).st_dev == dev]
        theirs.update(os.path.join(folder, f) for f in files if fnmatch.fnmatchcase(f, "libc*.so.6"))
lost = {p for p in theirs - mine if os.path.lexists(p)}
# A link's end is a row of its own under another name; what a bind mount shows twice is searched once.
print(f"whole machine: {len(theirs)} names by os.walk, {len(mine)} by tenon, {len(lost)} lost")
sys.exit(1 if lost or not theirs else 0)
X

# Below a root: a real package installed by dpkg, its copy elsewhere, a venv, hard links, links in circles, odd names.
R=$WORK/root
mkdir -p "$R"/{var/lib/dpkg/info,etc,opt/copies,home/ada/v/bin,home/ada/v/lib/python3.11/site-packages/nvidia/cudnn/lib,usr/lib/x86_64-linux-gnu}
printf 'ID=debian\nVERSION_ID="12"\n' >"$R/etc/os-release"
: >"$R/var/lib/dpkg/status"
if apt_conf && deb=$(debs libcudart11.0) && [ -n "$deb" ]; then
    dpkg --root="$R" --force-all --no-triggers -i "$deb" >/dev/null 2>&1 || true
    real=$(cd "$R" && find usr/lib -name 'libcudart.so.11*' -type f | sed -n 1p)
    [ -n "$real" ] || fail "the package holds no libcudart"
    cp "$R/$real" "$R/opt/copies/libcudart.so.11.0"
    ln "$R/opt/copies/libcudart.so.11.0" "$R/opt/copies/libcudart-00c0ffee.so.11.0"
    ln -s libcudart.so.11.0 "$R/opt/copies/libcudart.so"
    ln -s . "$R/opt/copies/round"
    ln -s /opt "$R/opt/copies/up"
    ln -s nowhere "$R/opt/libcudart.so.11.0"
    "$TENON" find libcudart.so --root "$R" --json >"$WORK/out" || fail "find --root ended with $?"
    python3 - "$WORK/out" "/$real" <<'X'
import json, sys
d = json.load(open(sys.argv[1]))
rows = {c["path"]: c for c in d["copies"]}
owned, copy = rows[sys.argv[2]], [c for c in d["copies"] if c["path"].startswith("/opt/copies/")]
assert owned["owner"].startswith("libcudart11.0"), owned
assert owned["version"] and owned["version"].startswith("11."), owned
assert len(copy) == 1 and owned["version"].startswith(copy[0]["version"]) and copy[0]["owner"] is None, copy # hard links once
names = {copy[0]["path"], *copy[0]["links"]}
assert names == {"/opt/copies/libcudart.so.11.0", "/opt/copies/libcudart-00c0ffee.so.11.0", "/opt/copies/libcudart.so"}, names
assert rows["/opt/libcudart.so.11.0"]["kind"] == "dangling"
print("below a root:", len(rows), "copies,", owned["owner"])
X
else
    echo "skipped: no package libcudart11.0 to be had"
fi

# Names that are no UTF-8, and longer than a path can be; a folder that may not be read, as somebody else.
O=$WORK/odd
mkdir -p "$O/shut"
printf x >"$O/$(printf 'libodd\377.so.1')"
python3 - "$O" <<'X'
import os, sys
os.chdir(sys.argv[1])
for i in range(24):
    os.mkdir("n" * 200)
    os.chdir("n" * 200)
open("libdeep.so.1", "w").close()
X
"$TENON" find 'libodd*' --root "$O" --json | python3 -c 'import json, sys; c = json.load(sys.stdin)["copies"]; assert len(c) == 1 and "bytes" in c[0]["path"], c'
"$TENON" find libdeep.so.1 --root "$O" >"$WORK/out" || fail "a path of 4,800 bytes: $?"
grep -F libdeep.so.1 "$WORK/out" >/dev/null || fail "a path of 4,800 bytes was not found"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 700 "$O/shut"
    chmod 755 "$WORK"
    cp "$TENON" "$WORK/tenon"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$WORK/tenon" find libnone.so.1 --root "$O" --lang en >"$WORK/out" && fail "nothing was found, and all is well"
    grep "One folder could not be read" "$WORK/out" >/dev/null || fail "an unreadable folder is not told: $(cat "$WORK/out")"
fi

# Files and folders that come and go: no crash, no complaint, and what stays is found.
G=$WORK/gone
mkdir -p "$G"/{a,b,c}/{1,2,3,4,5,6,7,8}
for d in "$G"/?/?; do printf x >"$d/libstay.so.1"; done
(while :; do for d in "$G"/?/?; do mkdir -p "$d/x/y" && printf x >"$d/x/y/libgo.so.1" && rm -r "$d/x"; done; done) 2>/dev/null &
churn=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    n=$("$TENON" find libstay.so.1 --root "$G" --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["copies"]))')
    [ "$n" = 24 ] || { kill $churn; fail "$n of 24 files while others came and went"; }
    "$TENON" find libgo.so.1 --root "$G" >/dev/null 2>"$WORK/err" || [ $? = 1 ] || { kill $churn; fail "find ended with $?"; }
done
kill $churn; wait $churn 2>/dev/null || true

# Ctrl-C: gone at once, and no process of it is left.
"$TENON" find libcudnn.so.9 >/dev/null 2>&1 &
pid=$!
sleep 0.1
kill -INT $pid 2>/dev/null || true
wait $pid || true
sleep 0.3
left=$(ps -eo ppid,pid,args | awk -v p=$pid '$1 == p || $2 == p' | wc -l)
[ "$left" = 0 ] || fail "$left processes are left after an interruption"

# A mount that never answers is left after 5 seconds; the rest is found and the mount is named.
[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] || skip "a FUSE file system needs root and /dev/fuse"
sed -n "/^cat >\"\$WORK\/hang.py\"/,/^X\$/p" "$TENON_SOURCE/tests/real/deadline.sh" | sed '1d;$d' >"$WORK/hang.py"
H=$WORK/hung
mkdir -p "$H/disk" "$H/usr/lib"
printf x >"$H/usr/lib/libcuda.so.1"
trap '[ -z "${server:-}" ] || kill -9 $server 2>/dev/null; umount -l "$H/disk" 2>/dev/null; rm -rf --one-file-system "$WORK"' EXIT
: >"$WORK/ready"
python3 "$WORK/hang.py" "$H/disk" readdir >"$WORK/ready" 2>/dev/null &
server=$!
for _ in $(seq 50); do [ -s "$WORK/ready" ] && break; kill -0 $server 2>/dev/null || skip "FUSE cannot be mounted"; sleep 0.1; done
begin=$(date +%s%N)
timeout -s KILL 30 "$TENON" find libcuda.so.1 --root "$H" --lang en >"$WORK/out" || fail "a mount that hangs: exit status $?"
ms=$((($(date +%s%N) - begin) / 1000000))
grep -F "/usr/lib/libcuda.so.1" "$WORK/out" >/dev/null || fail "the file beside a mount that hangs is not found"
grep "did not answer within 5 seconds: /disk" "$WORK/out" >/dev/null || fail "the mount that hangs is not named: $(cat "$WORK/out")"
[ $ms -lt 12000 ] || fail "a mount that hangs held the search for $ms ms"
echo "a mount that hangs: left after $ms ms"
