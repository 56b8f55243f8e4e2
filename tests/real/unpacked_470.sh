#!/usr/bin/env bash
# Debian's real libcuda and libnvidia-ml 470 in a folder, beside a kernel side that says the same version or another one:
# driver-library-mismatch is found exactly where the two differ, however the texts of the kernel side are written.
. "$(dirname "$0")/lib.sh"
command -v dpkg-deb >/dev/null || skip "dpkg is not installed"
apt_conf || skip "no package index"
R=$WORK/root
mkdir -p "$R"
files=$(debs libnvidia-tesla-470-cuda1 libnvidia-tesla-470-ml1 2>/dev/null) || skip "the packages of branch 470 cannot be had"
for f in $files; do dpkg-deb -x "$f" "$R"; done
library=$(basename "$(ls "$R"/usr/lib/x86_64-linux-gnu/nvidia/tesla-470/libcuda.so.470.* | sed -n 1p)" | sed 's/libcuda.so.//')
# A root that a loader could start in: its folders, its links, one GPU on the bus.
mkdir -p "$R/etc" "$R/proc/driver/nvidia" "$R/sys/module/nvidia" "$R/sys/bus/pci/devices/0000:01:00.0" "$R/lib64"
ln -sf nvidia/tesla-470/libcuda.so.1 "$R/usr/lib/x86_64-linux-gnu/libcuda.so.1"
ln -sf nvidia/tesla-470/libnvidia-ml.so.1 "$R/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"
printf 'ID=debian\nVERSION_ID="12"\n' >"$R/etc/os-release"
printf '0x10de\n' >"$R/sys/bus/pci/devices/0000:01:00.0/vendor"
printf '0x2204\n' >"$R/sys/bus/pci/devices/0000:01:00.0/device"
printf '0x030000\n' >"$R/sys/bus/pci/devices/0000:01:00.0/class"
kernel() { # VERSION : what the kernel module of that version shows
    printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  Thu May  1 00:00:00 UTC 2025\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n' "$1" \
        >"$R/proc/driver/nvidia/version"
    printf '%s\n' "$1" >"$R/sys/module/nvidia/version"
}
causes() { "$TENON" doctor --root "$R" --json --expect gpu >"$WORK/d.json" || [ $? = 1 ] || [ $? = 3 ] || fail "doctor ended oddly"
    json "$WORK/d.json" "' '.join(f['cause'] for f in d['findings'] if f['status'] in ('confirmed','likely'))"; }

for other in 470.223.02 535.309.01 470.256 470.256.03; do
    kernel "$other"
    case " $(causes) " in *" driver-library-mismatch "*) ;; *) fail "library $library beside a module $other: $(causes)" ;; esac
    json "$WORK/d.json" "[e['value'] for f in d['findings'] if f['cause']=='driver-library-mismatch' for e in f['evidence']]" >"$WORK/evidence"
    grep -q "$library" "$WORK/evidence" || fail "the library's version is no evidence: $(cat "$WORK/evidence")"
    grep -q "$other" "$WORK/evidence" || fail "the module's version is no evidence: $(cat "$WORK/evidence")"
done
kernel "$library"
case " $(causes) " in *" driver-library-mismatch "*) fail "both are $library" ;; esac
"$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json"
same "$(json "$WORK/s.json" "d['driver']['version']['value']+' '+d['driver']['library_version']['value']")" "$library $library" "versions"
