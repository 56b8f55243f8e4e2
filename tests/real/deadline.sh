#!/usr/bin/env bash
# A file system that hangs (FUSE, its reads and look-ups sleep for a minute) below --root and below the live machine: tenon ends
# by its deadline and says that it could not look; never that all is well, and never that something is missing.
[ -n "${TENON_NS:-}" ] || [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || TENON_NS=1 exec unshare -m bash "$0"
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] || skip "a FUSE file system needs root and /dev/fuse"
cat >"$WORK/hang.py" <<'X'
"""hang.py FOLDER WHERE : mounts a read-only file system there that has a file (and, for "lookup", nothing else answers) and speaks
the kernel's own protocol (linux/fuse.h); requests of the kind WHERE (read, open, lookup, readdir) are never answered."""
import ctypes, os, stat, struct, sys
folder, where = sys.argv[1:3]
names = ["libcuda.so.1", "libcudart.so.12", "libcudnn.so.9", "version.json", "os-release", "pyvenv.cfg", "METADATA", "ld.so.cache", "version", "status"]
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open("/dev/fuse", os.O_RDWR)
if libc.mount(b"hang", folder.encode(), b"fuse.hang", 1, f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other".encode()):
    sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
print("ready", flush=True)
def attr(node):
    mode, size = (stat.S_IFDIR | 0o755, 0) if node == 1 else (stat.S_IFREG | 0o644, 100000)
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, 200, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
while True:
    try:
        data = os.read(fd, 1 << 20)
    except OSError:
        break # unmounted
    _, op, unique, node = struct.unpack("<IIQQ", data[:24])
    body, error, out = data[40:], 0, b""
    if op == 26: # INIT
        out = struct.pack("<IIIIHHIIHHI7I", 7, 31, 65536, 0, 8, 8, 65536, 1, 1, 0, 0, *[0] * 7)
    elif op in (2, 36, 42): # FORGET, INTERRUPT, BATCH_FORGET: no answer
        continue
    elif op == 1: # LOOKUP
        name = body.split(b"\0")[0].decode(errors="replace")
        if where == "lookup":
            continue
        if name in names:
            n = 2 + names.index(name)
            out = struct.pack("<QQQQII", n, 0, 60, 60, 0, 0) + attr(n)
        else:
            error = -2
    elif op == 3: # GETATTR
        out = struct.pack("<QII", 60, 0, 0) + attr(node)
    elif op in (14, 27): # OPEN, OPENDIR
        if where == "open" and op == 14:
            continue
        out = struct.pack("<QII", 1, 0, 0)
    elif op == 15: # READ
        if where == "read":
            continue
        out = b"x" * 100
    elif op == 28: # READDIR
        if where == "readdir":
            continue
        offset = struct.unpack("<QQ", body[:16])[1]
        for i, name in list(enumerate(names))[offset:]:
            raw = name.encode()
            e = struct.pack("<QQII", 2 + i, i + 1, len(raw), 8) + raw
            out += e + b"\0" * (-len(e) % 8)
    elif op in (18, 29, 25): # RELEASE, RELEASEDIR, FLUSH
        pass
    else:
        error = -38
    try:
        os.write(fd, struct.pack("<IiQ", 16 + len(out), error, unique) + out)
    except OSError:
        pass
X
M=$WORK/mount
mkdir "$M"
stop() {
    # The server goes first, which aborts the connection: what waits for an answer wakes up.
    [ -z "${server:-}" ] || { kill -9 "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
    server=
    umount -l "$M" 2>/dev/null || true
}
trap 'stop; umount -l "$WORK/root"/*/ 2>/dev/null || true; rm -rf --one-file-system "$WORK" 2>/dev/null || true' EXIT
start() { # WHERE
    : >"$WORK/ready"
    python3 "$WORK/hang.py" "$M" "$1" >"$WORK/ready" 2>"$WORK/mounterr" &
    server=$!
    for _ in $(seq 50); do [ -s "$WORK/ready" ] && return 0; kill -0 $server 2>/dev/null || return 1; sleep 0.1; done
    return 1
}
start none || skip "FUSE cannot be mounted: $(cat "$WORK/mounterr")"
[ "$(cat "$M/version.json" | wc -c)" = 100 ] && ls "$M" | grep libcuda >/dev/null || fail "the test's file system does not work"
stop

root() { # FOLDER : a machine whose parts called for lie in the mount
    local r=$1
    rm -rf "$r"
    mkdir -p "$r/etc" "$r/usr/lib/x86_64-linux-gnu" "$r/usr/local/cuda-12.4/lib64" "$r/proc/driver/nvidia" "$r/sys/bus/pci/devices/0000:01:00.0" "$r/sys/module/nvidia" \
        "$r/usr/bin" "$r/usr/lib/python3/dist-packages" "$r/var/lib/dpkg"
    printf 'ID=debian\nVERSION_ID="12"\n' >"$r/etc/os-release"
    printf '0x10de\n' >"$r/sys/bus/pci/devices/0000:01:00.0/vendor"
    printf '0x2204\n' >"$r/sys/bus/pci/devices/0000:01:00.0/device"
    printf '0x030000\n' >"$r/sys/bus/pci/devices/0000:01:00.0/class"
    printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Thu May  1 00:00:00 UTC 2025\n' >"$r/proc/driver/nvidia/version"
    printf '535.183.01\n' >"$r/sys/module/nvidia/version"
    mkdir -p "$r/venv/bin" "$r/venv/lib/python3.11/site-packages"
    printf 'home = /usr/bin\nversion = 3.11.2\n' >"$r/venv/pyvenv.cfg"
}
R=$WORK/root
try() { # WHAT ARGUMENTS... : judged within three seconds, and not healthy
    local what=$1 begin now status=0
    shift
    begin=$(date +%s%N)
    timeout -s KILL 20 "$TENON" "$@" --deadline 1 >"$WORK/out" 2>"$WORK/err" </dev/null || status=$?
    now=$(date +%s%N)
    [ $(((now - begin) / 1000000)) -lt 3000 ] || fail "$what: ended after $(((now - begin) / 1000000)) ms with $status"
    case $status in 1 | 3) ;; *) fail "$what: exit status $status: $(head -3 "$WORK/err" "$WORK/out")" ;; esac
}
for where in read open lookup readdir; do
    case $where in
    read) parts="etc usr/lib/x86_64-linux-gnu usr/local/cuda-12.4/lib64 proc/driver/nvidia venv" ;;
    lookup) parts="usr/lib/x86_64-linux-gnu proc/driver/nvidia venv/lib/python3.11/site-packages" ;;
    *) parts="usr/lib/x86_64-linux-gnu" ;;
    esac
    for part in $parts; do
        start $where || fail "the file system did not start"
        root "$R"
        rmdir "$R/$part" 2>/dev/null || rm -rf "${R:?}/$part"
        mkdir "$R/$part"
        mount --bind "$M" "$R/$part"
        try "$where in /$part" doctor --root "$R" --env /venv --json --expect gpu
        python3 - "$WORK/out" "$where in /$part" "$part" <<'X' || fail "see above"
import json, sys
d = json.load(open(sys.argv[1]))
bad = []
if d["verdict"]["status"] == "ok":
    bad.append("verdict ok")
sure = [f["cause"] for f in d["findings"] if f["status"] == "confirmed"]
missing = {"usr/lib/x86_64-linux-gnu": {"driver-missing"}, "proc/driver/nvidia": {"driver-not-loaded"}}.get(sys.argv[3], set())
if missing & set(sure):
    bad.append(f"could not look, yet sure of {sure}")
for b in bad:
    print(sys.argv[2] + ":", b)
sys.exit(1 if bad else 0)
X
        umount -l "$R/$part"
        stop
    done
done
# The live machine: an environment of the user's on a share that hangs.
start read || fail "the file system did not start"
try "an environment that hangs" doctor --env "$M" --json
VIRTUAL_ENV=$M try "an active environment that hangs" doctor --json
LD_LIBRARY_PATH=$M try "LD_LIBRARY_PATH" snapshot
stop
