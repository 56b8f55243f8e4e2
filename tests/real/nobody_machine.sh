#!/usr/bin/env bash
# Looking needs no root (promise 17): one machine after the other, looked at by root and by nobody (uid 65534, no home, no group).
# What nobody may not read is "denied" or "not asked", never "absent" and never a shorter list; each verdict is the same, or
# what it lacks is named: the finding of root's is there as untestable, or the verdict says what could not be read.
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
for tool in cc setpriv; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || true
driver_machine
V=535.183.01
L=$WORK/lib
mkdir "$L"
cc -shared -fPIC -O1 -Wl,-soname,libnvidia-ml.so.1 -o "$L/libnvidia-ml.so.$V" "$TENON_SOURCE/tests/standin/standin.c"
cc -DCUDA -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o "$L/libcuda.so.$V" "$TENON_SOURCE/tests/standin/standin.c"
ln -s "libnvidia-ml.so.$V" "$L/libnvidia-ml.so.1"
ln -s "libcuda.so.$V" "$L/libcuda.so.1"
sed "s/^driver .*/driver $V/; s/0000:01:00.0/0000:01:00.0/" "$TENON_SOURCE/tests/standin/machines/laptop-1060.txt" >"$WORK/card.txt"
card 0000:01:00.0 0x1c20
chmod -R a+rX "$L" "$WORK/card.txt"
wrong=0
both() { # WHAT [may] : "may": nobody's verdict is another one and true
    local n=0 who
    for who in env "setpriv --reuid=65534 --regid=65534 --clear-groups"; do
        for args in "snapshot --include-identifiers" "doctor --json --verbose --expect gpu"; do
            n=$((n + 1))
            # shellcheck disable=SC2086
            env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent "LD_LIBRARY_PATH=$L" "TENON_STANDIN=$WORK/card.txt" $who "$TENON" $args >"$WORK/out.$n" 2>"$WORK/err" </dev/null ||
                case $? in 1 | 3) ;; *) fail "$1: tenon $args: $(sed -n 1p "$WORK/err")" ;; esac
        done
    done
    python3 "$WORK/compare.py" "$1" "$WORK"/out.[1-4] "${2:-}" || wrong=1
}
cat >"$WORK/compare.py" <<'P'
import json, sys
what, rs, rd, ns, nd, may = sys.argv[1], *[json.load(open(x)) for x in sys.argv[2:6]], sys.argv[6]
# "own" is another question to another user; a process that /proc does not show may as well have ended.
NOISE = ("host.root", "host.home", "host.user", "free_bytes", "memory_free", "age_s", "process.own", "process.uid", "process.user")
bad, denied = [], set()
def state(v):
    return v["is"]
def facts(where, a, b):
    for k, v in a.items():
        if not isinstance(v, dict):
            continue
        if "rows" in v:
            w = b[k]
            la, lb = v.get("listed", {}), w.get("listed", {})
            hidden = state(lb) in ("denied", "failed", "unasked")
            if len(v["rows"]) > len(w["rows"]) and not hidden:
                bad.append(f"{k}: {len(v['rows'])} rows for root, {len(w['rows'])} for nobody, and nobody's list is '{state(lb)}'")
            if state(la) == "known" and state(lb) in ("denied", "failed"):
                denied.add(k)
            for x, y in zip(v["rows"], w["rows"]):
                facts(k, x, y)
        elif "is" in v:
            name, w = f"{where}.{k}", b.get(k, {"is": "unasked"})
            if any(name.endswith(x) for x in NOISE) or state(v) != "known" or w == v or (state(w), w.get("value")) == ("known", v.get("value")):
                continue
            if state(w) in ("denied", "failed"):
                denied.add(name)
            elif state(w) in ("absent", "known") and not may:
                bad.append(f"{name}: root {v.get('value')!r}, nobody {state(w)} {w.get('value')!r}")
        else:
            facts(k, v, b.get(k, {}))
facts("", rs, ns)
key = lambda f: (f["cause"], f.get("variant"))
root, nobody = [{key(f): f for f in d["findings"]} for d in (rd, nd)]
for k, f in root.items():
    if k not in nobody and f["status"] in ("confirmed", "likely") and not any(g["cause"] == k[0] and g["status"] == "untestable" for g in nd["findings"]) and not denied and not may:
        bad.append(f"root finds {k}, nobody says nothing of it")
for k, f in nobody.items():
    if k not in root and f["status"] != "untestable" and not may and not any(g["cause"] == k[0] for g in rd["findings"]):
        bad.append(f"nobody finds {k} ({f['status']}), root does not")
same = rd["verdict"]["status"] == nd["verdict"]["status"] and rd["verdict"].get("cause") == nd["verdict"].get("cause")
named = "same verdict" if same else "named" if denied or any(f["status"] == "untestable" for f in nd["findings"]) or may else "DIFFERENT"
if nd["verdict"]["status"] == "ok" and rd["verdict"]["status"] == "problem" and not may:
    bad.append("root sees a problem, to nobody all is well")
print(f"{what:44} {rd['verdict']['status'] + ' ' + (rd['verdict'].get('cause') or ''):36} {nd['verdict']['status'] + ' ' + (nd['verdict'].get('cause') or ''):36} {named}"
      + (f"; denied: {', '.join(sorted(denied))}" if denied else ""))
for b in bad:
    print("  WRONG:", b)
sys.exit(1 if bad or named == "DIFFERENT" else 0)
P
printf '%-44s %-36s %s\n' machine root nobody
fresh() {
    kernel_with_module $V
    mknod -m 666 /dev/nvidia0 c 195 0
}
fresh
both "a card that works"
kernel_with_module 550.54.14
mknod -m 666 /dev/nvidia0 c 195 0
both "module and library of two versions"
kernel_without_module
both "no module"
fresh
chmod 600 /dev/nvidia* # root passes
both "device nodes for root alone" may
fresh
chmod 400 /proc/driver/nvidia/version /sys/module/nvidia/version
both "version files of the module for root alone"
fresh
chmod 700 /proc/driver/nvidia
both "/proc/driver/nvidia for root alone"
fresh
chmod 700 /sys/bus/pci/devices/0000:01:00.0
both "the card's folder on the bus for root alone"
chmod 755 /sys/bus/pci/devices/0000:01:00.0
kernel_without_module
over() { # FOLDER : this machine's in the lower layer, ours above
    mkdir -p "$WORK/up$1" "$WORK/wk$1"
    mount -t overlay none -o "lowerdir=$1,upperdir=$WORK/up$1,workdir=$WORK/wk$1" "$1" 2>/dev/null
}
if over /etc && over /var/lib; then
    mkdir -p /etc/modprobe.d
    printf 'blacklist nvidia\n' >/etc/modprobe.d/own.conf
    chmod 600 /etc/modprobe.d/own.conf
    both "a modprobe setting for root alone"
    chmod 700 /etc/modprobe.d
    both "all modprobe settings for root alone"
    chmod 755 /etc/modprobe.d
    rm /etc/modprobe.d/own.conf
    mkdir -p "/var/lib/dkms/nvidia/$V/build" "/var/lib/dkms/nvidia/$V/source"
    printf 'DKMS make.log for nvidia-%s for kernel %s (x86_64)\nnvidia.c:1:10: fatal error: linux/x.h: No such file or directory\nmake: *** [Makefile:1: all] Error 2\n' "$V" "$(uname -r)" \
        >"/var/lib/dkms/nvidia/$V/build/make.log"
    both "a module build that failed"
    chmod 700 /var/lib/dkms
    both "the same, its log for root alone"
    rm -rf /var/lib/dkms
    fresh
    chmod 600 /var/lib/dpkg/status
    both "the package database for root alone"
    chmod 644 /var/lib/dpkg/status
    chmod 700 /etc/ld.so.conf.d
    both "folders of the loader for root alone"
    chmod 755 /etc/ld.so.conf.d
else
    echo "skipped: no overlay here"
    fresh
fi
mount -t tmpfs -o mode=755 none /home
mkdir -p /home/a/venv/bin
printf 'home = /usr/bin\nversion = 3.11.2\n' >/home/a/venv/pyvenv.cfg
ln -s /usr/bin/python3 /home/a/venv/bin/python3
chown -R 1000:1000 /home/a
chmod 700 /home/a
both "another user's private environments"
umount /home
chmod 700 "$L"
both "the driver's library folder for root alone" may
chmod 755 "$L"
sleep 100 &
sleeper=$!
mkdir "$WORK/proc"
if mount -t proc -o hidepid=2 proc "$WORK/proc" 2>/dev/null; then
    mkdir "$WORK/drv" && cp -a /proc/driver/. "$WORK/drv"
    mount --move "$WORK/proc" /proc 2>/dev/null || mount --bind "$WORK/proc" /proc
    mount -t tmpfs none /proc/driver && cp -a "$WORK/drv/." /proc/driver
    sed "s/process g 1/process g $sleeper/" "$WORK/card.txt" >"$WORK/card2.txt" && mv "$WORK/card2.txt" "$WORK/card.txt" && chmod 644 "$WORK/card.txt"
    both "/proc with hidepid=2"
else
    echo "skipped: /proc cannot be mounted with hidepid=2"
fi
kill $sleeper
# Denied is a fact: the kernel's log.
if [ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ]; then
    same "$(json "$WORK/out.3" "d['event']['listed']['is']")" denied "the kernel's log, which only root may read"
else
    echo "skipped: everybody may read the kernel's log here"
fi
[ $wrong = 0 ] || fail "see above"
