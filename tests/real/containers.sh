#!/usr/bin/env bash
# Real containers (runc) on a machine with a card and a loaded driver, with Debian's real libcuda and libnvidia-ml mounted
# as NVIDIA's toolkit does: doctor inside tells apart what was not requested, a capability that is missing and a device
# rule that is gone; with all three there no container cause is left; and the image that such a run leaves behind holds
# libraries of zero bytes.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "runc needs root here"
command -v dpkg-deb >/dev/null || skip "dpkg is not installed"
apt_conf || skip "no package index"
runc_of() { # the machine's own, else Debian's, unpacked
    if command -v runc; then return; fi
    mkdir -p "$PARTS/runc"
    [ -x "$PARTS/runc/usr/sbin/runc" ] || dpkg-deb -x "$(debs runc)" "$PARTS/runc" || return 1
    echo "$PARTS/runc/usr/sbin/runc"
}
RUNC=$(runc_of) || skip "runc cannot be had"
debs libcuda1 libnvidia-ml1 >/dev/null || skip "the driver's packages cannot be had"
DRIVER=$WORK/driver
for f in $(debs libcuda1 libnvidia-ml1); do dpkg-deb -x "$f" "$DRIVER"; done
version=$(basename "$(ls "$DRIVER"/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.5*)" | sed 's/libcuda.so.//')
LIB=usr/lib/x86_64-linux-gnu

# The image: tenon, ldconfig and the C library. /sys shows a card and a loaded module of the same version.
image() { # ROOT
    local r=$1 f
    mkdir -p "$r"/{bin,sbin,dev,proc,sys,tmp,etc,lib64,root} "$r/$LIB"
    cp "$TENON" "$r/bin/tenon"
    cp /sbin/ldconfig "$r/sbin/ldconfig"
    for f in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do cp -L "/lib/x86_64-linux-gnu/$f" "$r/$LIB/"; done
    cp -L /lib64/ld-linux-x86-64.so.2 "$r/lib64/"
    printf '/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n' >"$r/etc/ld.so.conf"
    printf 'ID=debian\nVERSION_ID="12"\n' >"$r/etc/os-release"
    : >"$r/.dockerenv"
}
sys() { # FOLDER
    mkdir -p "$1/bus/pci/devices/0000:01:00.0" "$1/bus/pci/drivers/nvidia" "$1/module/nvidia" "$1/fs/cgroup"
    printf '0x10de\n' >"$1/bus/pci/devices/0000:01:00.0/vendor"
    printf '0x1b80\n' >"$1/bus/pci/devices/0000:01:00.0/device"
    printf '0x030000\n' >"$1/bus/pci/devices/0000:01:00.0/class"
    ln -sf ../../drivers/nvidia "$1/bus/pci/devices/0000:01:00.0/driver"
    printf '%s\n' "$version" >"$1/module/nvidia/version"
}
bundle() { # NAME LIBRARIES NODES RULE CAPABILITIES
    python3 - "$WORK/$1" "$DRIVER/$LIB/nvidia/current" "$version" "$LIB" "$@" <<'P'
import json, os, sys
folder, source, version, lib, name, libraries, nodes, rule, capabilities = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
mounts = [{"destination": "/proc", "type": "proc", "source": "proc"},
          {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
          {"destination": "/sys", "type": "bind", "source": os.path.dirname(folder) + "/sys", "options": ["bind", "ro"]},
          {"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": ["ro"]}]
for x in libraries.split():
    mounts.append({"destination": f"/{lib}/{x}.so.{version}", "type": "bind", "source": f"{source}/{x}.so.{version}",
                   "options": ["bind", "ro", "nosuid", "nodev"]})
rules = [{"allow": False, "access": "rwm"}]
if rule == "rule":
    rules.append({"allow": True, "type": "c", "major": 195, "access": "rw"})
spec = {"ociVersion": "1.0.2", "root": {"path": os.path.dirname(folder) + "/root"}, "hostname": "box", "mounts": mounts,
        "process": {"user": {"uid": 0, "gid": 0}, "cwd": "/", "args": ["/bin/tenon", "doctor", "--json", "--expect", "gpu"],
                    "env": ["PATH=/bin:/sbin", "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=" + capabilities],
                    "capabilities": {k: ["CAP_CHOWN", "CAP_DAC_OVERRIDE"] for k in ("bounding", "effective", "permitted")}},
        "linux": {"namespaces": [{"type": t} for t in ("pid", "ipc", "uts", "mount")], "resources": {"devices": rules},
                  "devices": [{"path": "/dev/" + n, "type": "c", "major": 195, "minor": m, "fileMode": 0o666, "uid": 0, "gid": 0}
                              for n, m in (("nvidiactl", 255), ("nvidia0", 0)) if nodes == "nodes"]}}
json.dump(spec, open(folder + "/config.json", "w"))
P
}
started=0
run() { # NAME ARGS... : what tenon prints in that container
    local name=$1 rc=0
    shift
    [ $# = 0 ] || python3 -c 'import json,sys; p=sys.argv[1]; d=json.load(open(p)); d["process"]["args"]=sys.argv[2:]; json.dump(d,open(p,"w"))' \
        "$WORK/$name/config.json" "$@"
    (cd "$WORK/$name" && timeout 20 "$RUNC" --root "$WORK/state" run "tenon-$$-$name" </dev/null) >"$WORK/$name.json" 2>"$WORK/$name.err" || rc=$?
    if [ ! -s "$WORK/$name.json" ] && [ $rc != 0 ]; then
        [ $started = 1 ] || skip "runc cannot run here: $(tail -1 "$WORK/$name.err" | cut -c1-160)"
        fail "$name: $(cat "$WORK/$name.err")"
    fi
    started=1
}
cause() { json "$WORK/$1.json" "d['verdict'].get('cause')"; }
finding() { json "$WORK/$1.json" "next(((f['status'], f['summary']) for f in d['findings'] if f['cause']=='$2'), None)"; }
containers() { json "$WORK/$1.json" "[f['cause'] for f in d['findings'] if f['cause'].startswith('container-') and f['status']!='untestable']"; }

image "$WORK/root"
sys "$WORK/sys"
bundle request "" none none compute,utility
run request
same "$(cause request)" container-gpu-not-requested "neither nodes nor libraries"
case $(finding request container-gpu-not-requested) in *left-over*) fail "an image that never held a driver has left-overs" ;; esac

bundle capability libnvidia-ml nodes rule utility
run capability
same "$(cause capability)" container-capability-missing "nodes and NVML, but no libcuda"

both="libcuda libnvidia-ml"
bundle link "$both" nodes rule compute,utility
run link /sbin/ldconfig # as the toolkit's hook does it: the links and the cache are the image's from then on
bundle whole "$both" nodes rule compute,utility
run whole
same "$(containers whole)" "[]" "nodes, rule and libraries"

bundle lost "$both" nodes none compute,utility
run lost
same "$(cause lost)" container-lost-gpu "nodes and libraries, but no device rule"
if grep -q devices /proc/self/cgroup; then # version 1: the rule itself is read
    case $(finding lost container-lost-gpu) in *confirmed*195:255*) ;; *) fail "lost: $(finding lost container-lost-gpu)" ;; esac
fi
[ ! -s "$WORK/root/$LIB/libcuda.so.$version" ] && [ -e "$WORK/root/$LIB/libcuda.so.$version" ] || fail "no zero-byte library was left"
bundle leftover "" none none compute,utility
run leftover
same "$(cause leftover)" container-gpu-not-requested "an image made of a container with a GPU"
case $(finding leftover container-gpu-not-requested) in *"libcuda.so.$version"*left-over*) ;; *) fail "leftover: $(finding leftover container-gpu-not-requested)" ;; esac
echo "request, capability, rule and left-over told apart over libcuda $version"
