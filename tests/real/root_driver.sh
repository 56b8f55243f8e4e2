#!/usr/bin/env bash
# A real Debian root (debootstrap, driver 535 and CUDA run time 11.8 installed by its own apt): tenon --root against dpkg of
# that root, through absolute alternatives links; and nothing outside the root is opened.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "a root of its own needs root"
for tool in debootstrap strace chroot unshare dpkg-query; do command -v $tool >/dev/null || skip "$tool is not installed"; done
unshare -m true 2>/dev/null || skip "mount namespaces are not allowed here"

recipe() { # ROOT: whatever changes here gives another file in the cache
    local r=$1 uri
    uri=$(awk '$1=="deb" && /bookworm main/ {for(i=2;i<=NF;i++) if($i ~ "^https?://") {print $i; exit}}' "$PARTS/apt/sources.list")
    [ -n "$uri" ] || return 1
    debootstrap --variant=minbase bookworm "$r" "$uri"
    awk '$1=="deb" && /bookworm/' "$PARTS/apt/sources.list" | sed 's/\[[^]]*\] //' >"$r/etc/apt/sources.list"
    printf '#!/bin/sh\nexit 101\n' >"$r/usr/sbin/policy-rc.d"
    chmod 755 "$r/usr/sbin/policy-rc.d"
    unshare -m sh -c "mount -t proc proc '$r/proc' && DEBIAN_FRONTEND=noninteractive chroot '$r' sh -c 'apt-get update -qq &&
        apt-get install -y -qq --no-install-recommends nvidia-driver-bin libcuda1 libnvidia-ml1 nvidia-smi libnvidia-ptxjitcompiler1 \
        nvidia-kernel-support nvidia-modprobe nvidia-persistenced libcudart11.0 && apt-get clean'"
    rm -rf "$r"/var/lib/apt/lists/* "$r"/usr/share/doc/* "$r"/usr/share/man/* "$r"/usr/share/locale/* "$r"/var/cache/* "$r"/dev/*
}

kept=$PARTS/root-driver-$(declare -f recipe | sha256sum | cut -c1-16).tar.gz
if [ ! -f "$kept" ]; then
    apt_conf || skip "no package index"
    recipe "$WORK/root" >"$WORK/recipe.log" 2>&1 </dev/null || { tail -5 "$WORK/recipe.log"; skip "the packages of the root cannot be had"; }
    tar -C "$WORK" -czf "$kept.tmp" root
    mv "$kept.tmp" "$kept"
else
    tar -C "$WORK" -xzf "$kept"
fi
R=$WORK/root

version_of() { dpkg-query --root="$R" -W -f '${Version}' "$1" 2>/dev/null || dpkg-query --admindir="$R/var/lib/dpkg" -W -f '${Version}' "$1"; }
driver=$(version_of libcuda1:amd64 | sed 's/-[^-]*$//')
runtime=$(version_of libcudart11.0:amd64 | sed 's/~.*//')
[[ $driver == 535.* && $runtime == 11.8.* ]] || fail "the root is not what it should be: $driver, $runtime"
case $(readlink "$R/usr/lib/x86_64-linux-gnu/libcuda.so.1") in /etc/alternatives/*) ;; *) fail "libcuda.so.1 is no alternative" ;; esac

strace -f -qq -o "$WORK/trace" -e trace=open,openat,openat2,execve,readlink,readlinkat,stat,lstat,newfstatat,statx,access,faccessat,faccessat2 \
    "$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json" 2>"$WORK/err" || fail "snapshot: $(cat "$WORK/err")"
status=0
strace -f -qq -o "$WORK/trace2" -e trace=open,openat,openat2,execve,readlink,readlinkat,stat,lstat,newfstatat,statx,access,faccessat,faccessat2 \
    "$TENON" doctor --root "$R" --json >"$WORK/d.json" 2>"$WORK/err" || status=$?
[ $status = 1 ] || [ $status = 3 ] || fail "doctor ended with $status: $(cat "$WORK/err")"

python3 - "$WORK/s.json" "$WORK/d.json" "$driver" "$runtime" $(for p in libcuda1 libnvidia-ml1 libnvidia-ptxjitcompiler1 libcudart11.0; do
    echo "$p=$(version_of $p:amd64)"; done) <<'X'
import json, sys
s, d = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
driver, runtime = sys.argv[3:5]
packages = dict(p.split("=") for p in sys.argv[5:])
bad = []
rows = {r["soname"].get("value"): r for r in s["library"]["rows"]}
want = {"libcuda.so.1": (driver, "libcuda1"), "libnvidia-ml.so.1": (driver, "libnvidia-ml1"),
        "libnvidia-ptxjitcompiler.so.1": (driver, "libnvidia-ptxjitcompiler1"), "libcudart.so.11.0": (runtime, "libcudart11.0")}
for soname, (version, owner) in want.items():
    row = rows.get(soname)
    if not row:
        bad.append(f"{soname} was not found")
        continue
    if row["version"].get("value") != version:
        bad.append(f"{soname}: version {row['version']}, dpkg says {version}")
    if row["owner"].get("value") != f"{owner} {packages[owner]}":
        bad.append(f"{soname}: owner {row['owner']}, dpkg says {owner} {packages[owner]}")
    if row["reachable"].get("value") is not True:
        bad.append(f"{soname} is on the loader's path of this root: {row['reachable']}")
named = {x["name"]: x for x in d["installed"]} # the verdict itself names them
for soname, (version, owner) in want.items():
    x = named.get(soname, {})
    if (x.get("version"), x.get("owner")) != (version, f"{owner} {packages[owner]}"):
        bad.append(f"doctor: {soname}: {x}")
def fact(record, field):
    return s[record].get(field, {"is": "unasked"})
if fact("driver", "library_version").get("value") != driver:
    bad.append(f"driver library: {fact('driver', 'library_version')}")
if fact("driver", "smi_path")["is"] != "known":
    bad.append(f"nvidia-smi is an absolute link, too: {fact('driver', 'smi_path')}")
etc = open(sys.argv[1].replace("s.json", "root/etc/hostname")).read().strip()
if fact("host", "distro_version").get("value") != "12" or fact("host", "name").get("value") != etc:
    bad.append(f"host: {fact('host', 'name')}, {fact('host', 'distro_version')}; the root's is {etc}")
if fact("driver", "loaded")["is"] == "known" or fact("gpu", "listed")["is"] == "known":
    bad.append(f"no kernel runs in a root folder: {fact('driver', 'loaded')} {fact('gpu', 'listed')}")
if "libcudart.so.13" in rows or any(t["path"]["value"].startswith("/usr/local/cuda") for t in s["toolkit"]["rows"]):
    bad.append("the host's toolkit was seen")
if d["verdict"]["status"] == "ok":
    bad.append("a verdict of health without hardware facts")
sys.exit("\n".join(bad) if bad else 0)
X
python3 - "$R" "$WORK/trace" "$WORK/trace2" <<'X'
# A path is the root's own prefix, below it, a descriptor of ours (/proc/self/fd/N), or asked by openat2 below a descriptor with
# RESOLVE_IN_ROOT or RESOLVE_BENEATH; by openat a single name. Before the root is opened only libc's own start is allowed.
import os, re, sys
root, bad, seen = sys.argv[1], [], 0
above = {root[:i] for i in range(1, len(root) + 1) if i == len(root) or root[i] == "/"}
for trace in sys.argv[2:]:
    opened = False
    for line in open(trace, errors="replace"):
        call = re.sub(r"^\d+\s+", "", line)
        m = re.match(r'(\w+)\((?:(AT_FDCWD|\d+), )?"((?:[^"\\]|\\.)*)"', call)
        if not m or m[1] == "execve" and not opened:
            continue
        name, base, path = m.groups()
        opens = name in ("open", "openat", "openat2")
        if path in above or path.startswith(root + "/"):
            opened = opened or path == root
            if opens and path != root: # only by descriptor: a link below would lead out
                bad.append(call)
            if name in ("stat", "access") or name == "newfstatat" and "AT_SYMLINK_NOFOLLOW" not in call:
                bad.append(call)
        elif not opened:
            if opens and not re.match(r"/(etc/ld\.so|lib/|lib64/|usr/lib/)", path):
                bad.append(call)
        elif re.fullmatch(r"/proc/self/fd/\d+", path) or path == "" and "AT_EMPTY_PATH" in call:
            pass
        elif base not in (None, "AT_FDCWD") and (re.search(r"RESOLVE_(IN_ROOT|BENEATH)", call) if name == "openat2" else "/" not in path and path != ".."):
            seen += opens
        else:
            bad.append(call)
for c in bad[:15]:
    print("outside the root:", c.rstrip())
if seen < 50:
    bad.append("")
    print(f"only {seen} questions were asked below the root")
sys.exit(1 if bad else 0)
X
