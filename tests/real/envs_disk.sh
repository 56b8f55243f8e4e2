#!/usr/bin/env bash
# What `tenon envs` says an environment takes on the disk is what du says: venvs by venv, environments that the real uv links
# from its cache (hard links, and copies that share blocks on btrfs), conda's beside its store, one inside another; folders
# that may not be read, and files that come and go meanwhile.
[ -n "${TENON_NS:-}" ] || [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || TENON_NS=1 exec unshare -m bash "$0"
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME UV_LINK_MODE
export LANG=C.UTF-8
tools=$PARTS/python-tools-1
[ -x "$tools/bin/uv" ] || skip "uv (tests/real/envs.sh fetches it)"
py=$(for p in "$HOME"/.pyenv/versions/3.1[1-9]*/bin/python3 /usr/bin/python3; do if "$p" -c 'import venv' 2>/dev/null; then echo "$p"; fi; done | sed -n 1p)
[ -n "$py" ] || skip "a Python with venv"

# A wheel of 40 MB and 500 small files, so that nothing need be fetched.
python3 - "$WORK" <<'P'
import os, sys, zipfile
os.chdir(sys.argv[1])
blob = os.urandom(1 << 20)
with zipfile.ZipFile("thing-1.0-py3-none-any.whl", "w") as z:
    names = [f"thing/lib{i}.so" for i in range(40)] + [f"thing/m{i}.py" for i in range(500)]
    for n in names:
        z.writestr(n, (n.encode() + blob)[:1 << 20] if n.endswith("so") else b"x = 1\n" * 700)
    z.writestr("thing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
    z.writestr("thing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr("thing-1.0.dist-info/RECORD", "".join(f"{n},,\n" for n in names + ["thing-1.0.dist-info/METADATA", "thing-1.0.dist-info/WHEEL", "thing-1.0.dist-info/RECORD"]))
P

H=$WORK/home
mkdir -p "$H/.virtualenvs"
envs() { HOME=$H VIRTUAL_ENV=$H/.virtualenvs/plain/inner "$TENON" envs --all --json "$@" >"$WORK/envs.json" || fail "envs ended with $?"; }
field() { json "$WORK/envs.json" "[e['$2'] for e in d['environments'] if e['path'] == '$1'][0]"; }
du_of() { du -s --block-size=1 "$@" | cut -f1; }
made() { # DIR CACHE [MODE] : an environment of the real uv with the wheel in it
    UV_CACHE_DIR=$2 "$tools/bin/uv" venv -q --no-config --offline -p "$py" "$1" &&
        UV_CACHE_DIR=$2 "$tools/bin/uv" pip install -q --no-config --offline ${3:+--link-mode "$3"} -p "$1" "$WORK/thing-1.0-py3-none-any.whl"
}

"$py" -m venv "$H/.virtualenvs/plain" || fail "venv"
"$py" -m venv --without-pip "$H/.virtualenvs/plain/inner" || fail "venv in a venv"
for i in 1 2 3; do made "$H/.virtualenvs/uv$i" "$WORK/cache" hardlink >"$WORK/log" 2>&1 || fail "uv: $(cat "$WORK/log")"; done
made "$H/.virtualenvs/copy" "$WORK/cache" copy >"$WORK/log" 2>&1 || fail "uv: $(cat "$WORK/log")"
envs
V=$H/.virtualenvs
for e in uv1 uv2 uv3 copy plain/inner; do same "$(field "$V/$e" bytes)" "$(du_of "$V/$e")" "$e as du says"; done
same "$(field "$V/plain" bytes)" "$(du_of --exclude=inner "$V/plain")" "a venv without the one in it"
# du itself counts a file once for all its arguments.
own=$(json "$WORK/envs.json" "sum(e['bytes'] for e in d['environments'] if not e['path'].startswith('$V/'))")
same "$(($(json "$WORK/envs.json" "d['bytes']") - own))" "$(du -sc --block-size=1 "$V"/* | tail -1 | cut -f1)" "all together as du -c says"
[ "$(stat -c %h "$V"/uv1/lib/*/site-packages/thing/lib0.so)" = 4 ] || fail "uv did not link"
shared=$(field "$V/uv1" bytes_shared)
[ "$shared" -ge $((40 << 20)) ] || fail "what uv links is not told as shared: $shared"
same "$(field "$V/uv1" bytes_shared)" "$(field "$V/uv2" bytes_shared)" "shared"
[ "$(field "$V/uv1" bytes_freed)" -lt $((20 << 20)) ] || fail "removing a linked environment frees little"
[ "$(field "$V/copy" bytes_freed)" -ge $((40 << 20)) ] || fail "removing a copy frees all of it"
doubled=$(json "$WORK/envs.json" "d['bytes_doubled']")
[ "$doubled" -ge $((40 << 20)) ] && [ "$doubled" -lt $((60 << 20)) ] || fail "the copy counts once as doubled: $doubled"
HOME=$H "$TENON" envs --all --sort size --lang en >"$WORK/text" || fail "envs"
has "without the links between them" <"$WORK/text" && has "are second copies" <"$WORK/text" || fail "links and copies are not told: $(cat "$WORK/text")"
# In the order of size; through links into the folder the same environment.
json "$WORK/envs.json" "d['environments'][0]['path']" >/dev/null
HOME=$H "$TENON" envs --all --sort size --json >"$WORK/sorted.json"
same "$(json "$WORK/sorted.json" "[e['bytes'] for e in d['environments']] == sorted((e['bytes'] for e in d['environments']), reverse=True)")" True "sorted"
echo "venv and uv: as du says, $((shared >> 20)) MB shared by links, $((doubled >> 20)) MB doubled"

# conda's packages are linked from a store that is nobody's.
if [ -n "$("$tools/bin/python" -c 'import rattler' 2>&1)" ]; then
    echo "skipped: conda environments (no py-rattler)"
else
    sed -n "/^cat >\"\$WORK\/channel.py\"/,/^X\$/p" "$TENON_SOURCE/tests/real/envs.sh" | sed '1d;$d' |
        sed -e 's|b"stand-in"|b"s" * (5 << 20)|' -e 's|root / "pkgs"|root / "base/pkgs"|' >"$WORK/channel.py"
    "$tools/bin/python" "$WORK/channel.py" "$WORK/conda" >"$WORK/log" 2>&1 || fail "rattler: $(tail -3 "$WORK/log")"
    mkdir -p "$WORK/conda/base/conda-meta" "$WORK/conda/base/envs"
    echo >"$WORK/conda/base/conda-meta/history"
    mv "$WORK/conda/env" "$WORK/conda/base/envs/e"
    E=$WORK/conda/base/envs/e
    mv "$WORK/conda/base" "$H/miniforge3"
    E=$H/miniforge3/envs/e
    envs
    same "$(field "$E" bytes)" "$(du_of "$E")" "a conda environment"
    same "$(field "$H/miniforge3" bytes)" "$(du_of --exclude=pkgs --exclude=e "$H/miniforge3")" "conda's base without its store and its environments"
    [ "$(field "$E" bytes_freed)" -lt "$(field "$E" bytes)" ] || fail "what the store keeps is told as freed"
    echo "conda: as du says, $(($(field "$E" bytes_freed) >> 20)) of $(($(field "$E" bytes) >> 20)) MB free again without it"
fi

# Files and folders that come and go: no complaint, and what stays is counted.
(while :; do mkdir -p "$V/plain/x/y" && printf x >"$V/plain/x/y/f" && rm -r "$V/plain/x"; done) 2>/dev/null &
churn=$!
for _ in 1 2 3 4 5; do
    HOME=$H "$TENON" envs --all --json >"$WORK/envs.json" 2>"$WORK/err" || { kill $churn; fail "envs ended with $? while files came and went"; }
    [ ! -s "$WORK/err" ] || { kill $churn; fail "$(cat "$WORK/err")"; }
    same "$(field "$V/uv1" bytes)" "$(du_of "$V/uv1")" "a neighbour while files come and go" || { kill $churn; exit 1; }
done
kill $churn; wait $churn 2>/dev/null || true
rm -rf "$V/plain/x"

# What may not be read is told, not counted as nothing.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$WORK"
    cp "$TENON" "$WORK/tenon"
    mkdir -m 700 "$V/plain/shut"
    HOME=$H VIRTUAL_ENV=$V/plain/inner setpriv --reuid=65534 --regid=65534 --clear-groups "$WORK/tenon" envs --all --json >"$WORK/envs.json" || fail "envs as nobody"
    same "$(field "$V/plain" unreadable_folders)" 1 "the folder that may not be read"
    same "$(field "$V/plain" bytes)" "$(setpriv --reuid=65534 --regid=65534 --clear-groups du -s --block-size=1 --exclude=inner "$V/plain" 2>/dev/null | cut -f1)" "as du says to the same user"
    HOME=$H VIRTUAL_ENV=$V/plain/inner setpriv --reuid=65534 --regid=65534 --clear-groups "$WORK/tenon" envs --all --lang en >"$WORK/text"
    has "1 folders could not be read" <"$WORK/text" || fail "the folder is not told: $(cat "$WORK/text")"
    rmdir "$V/plain/shut"
fi

# A file system in an environment that never answers: left after 5 seconds; the environment's figure is not known, the others
# are.
if [ "$(id -u)" = 0 ] && [ -c /dev/fuse ]; then
    sed -n "/^cat >\"\$WORK\/hang.py\"/,/^X\$/p" "$TENON_SOURCE/tests/real/deadline.sh" | sed '1d;$d' >"$WORK/hang.py"
    mkdir "$V/plain/hung"
    trap '[ -z "${server:-}" ] || kill -9 $server 2>/dev/null; umount -l "$V/plain/hung" 2>/dev/null; rm -rf --one-file-system "$WORK"' EXIT
    : >"$WORK/ready"
    python3 "$WORK/hang.py" "$V/plain/hung" readdir >"$WORK/ready" 2>/dev/null &
    server=$!
    for _ in $(seq 50); do if [ -s "$WORK/ready" ] || ! kill -0 $server 2>/dev/null; then break; fi; sleep 0.1; done
    if [ -s "$WORK/ready" ]; then
        begin=$(date +%s%N)
        HOME=$H VIRTUAL_ENV=$V/plain/inner timeout -s KILL 30 "$TENON" envs --all --json >"$WORK/envs.json" || fail "a mount that hangs: exit status $?"
        ms=$((($(date +%s%N) - begin) / 1000000))
        same "$(field "$V/plain" bytes)" None "the environment with a mount that hangs"
        same "$(field "$V/uv1" bytes)" "$(du_of "$V/uv1")" "an environment beside one that hangs"
        [ $ms -lt 12000 ] || fail "a mount that hangs held envs for $ms ms"
        echo "a mount that hangs: left after $ms ms"
    else
        echo "skipped: FUSE cannot be mounted"
    fi
    kill -9 $server 2>/dev/null; wait $server 2>/dev/null || true
    umount -l "$V/plain/hung" 2>/dev/null || true
    server=
    rmdir "$V/plain/hung"
fi

# Copies that share their blocks (reflinks): du counts them for each, the disk has them once.
[ "$(id -u)" = 0 ] || skip "a file system of its own needs root"
mkfs=$(command -v mkfs.btrfs || true)
if [ -z "$mkfs" ]; then
    apt_conf && deb=$(debs btrfs-progs) || skip "mkfs.btrfs"
    dpkg -x "$deb" "$WORK/btrfs" && mkfs=$WORK/btrfs/bin/mkfs.btrfs
    [ -x "$mkfs" ] || mkfs=$WORK/btrfs/usr/sbin/mkfs.btrfs
    [ -x "$mkfs" ] || mkfs=$WORK/btrfs/sbin/mkfs.btrfs
fi
truncate -s 600M "$WORK/disk"
"$mkfs" -q "$WORK/disk" >"$WORK/log" 2>&1 || skip "mkfs.btrfs: $(sed -n 1p "$WORK/log")"
mkdir "$WORK/mnt"
mount -o loop "$WORK/disk" "$WORK/mnt" 2>"$WORK/log" || skip "btrfs cannot be mounted: $(sed -n 1p "$WORK/log")"
trap 'umount "$WORK/mnt" 2>/dev/null; rm -rf --one-file-system "$WORK"' EXIT
H=$WORK/mnt/home V=$WORK/mnt/home/.virtualenvs
mkdir -p "$V"
for i in 1 2; do made "$V/r$i" "$WORK/mnt/cache" clone >"$WORK/log" 2>&1 || fail "uv: $(cat "$WORK/log")"; done
cp -r --reflink=always "$V/r1/lib/"*/site-packages/thing "$V/r1/again" || skip "reflinks"
sync
filefrag -v "$V"/r1/lib/*/site-packages/thing/lib0.so 2>/dev/null | has shared || skip "uv's copies share no blocks here"
envs
thing=$(du_of "$V/r1/again")
got=$(field "$V/r1" bytes) du=$(du_of "$V/r1")
[ "$got" -gt $((du - thing - (1 << 20))) ] && [ "$got" -lt $((du - thing + (4 << 20))) ] || fail "a copy in the same environment that shares its blocks: $got of du's $du, the copy is $thing"
shared=$(field "$V/r1" bytes_shared)
[ "$shared" -ge $((40 << 20)) ] || fail "what reflinks share is not told: $shared"
same "$(field "$V/r2" bytes_doubled)" 0 "shared blocks are no second copies"
echo "reflinks on btrfs: du says $((du >> 20)) MB, on the disk are $((got >> 20)) MB, $((shared >> 20)) MB shared"
