#!/usr/bin/env bash
# A real kernel module of NVIDIA's driver, built here without root: nvidia-peermem of Debian's source against Debian's kernel
# headers, unsigned. What tenon reads of it is what modinfo's fields say; renamed to the main module's file it is judged as one
# without a signature.
. "$(dirname "$0")/lib.sh"
for tool in make gcc dpkg-deb; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || skip "no package index"
kept=$PARTS/peermem.tar
if [ ! -f "$kept" ]; then
    headers=$(apt-cache depends linux-headers-amd64 2>/dev/null | awk '/Depends: linux-headers-/{print $2; exit}')
    [ -n "$headers" ] || skip "kernel headers cannot be had"
    files=$(debs "$headers" "${headers%-amd64}-common" linux-kbuild-6.1 nvidia-kernel-dkms) || skip "kernel headers or the driver's source cannot be had"
    for f in $files; do dpkg-deb -x "$f" "$WORK/root"; done
    # The headers name each other by absolute paths.
    grep -rlE '(^|[ =])/usr/(src|lib)' "$WORK/root/usr/src/$headers/Makefile" "$WORK/root/usr/src/$headers/.kernelvariables" 2>/dev/null |
        xargs -r sed -i -E "s#(^|[ =])(/usr/(src|lib)/linux-)#\1$WORK/root\2#g"
    source=$(ls -d "$WORK/root"/usr/src/nvidia-current-* | sed -n 1p)
    kernel=${headers#linux-headers-}
    if ! make -C "$source" modules SYSSRC="$WORK/root/usr/src/${headers%-amd64}-common" SYSOUT="$WORK/root/usr/src/$headers" \
        KERNEL_UNAME="$kernel" NV_KERNEL_MODULES=nvidia-peermem IGNORE_CC_MISMATCH=1 >"$WORK/build.log" 2>&1 </dev/null; then
        tail -5 "$WORK/build.log"
        skip "the source does not build with this compiler"
    fi
    mkdir "$WORK/kept"
    cp "$source/nvidia-peermem.ko" "$WORK/kept/"
    printf '%s\n' "$kernel" >"$WORK/kept/kernel"
    tar -C "$WORK/kept" -cf "$kept.tmp" .
    mv "$kept.tmp" "$kept"
fi
mkdir -p "$WORK/built"
tar -C "$WORK/built" -xf "$kept"
K=$(cat "$WORK/built/kernel")
R=$WORK/machine
mkdir -p "$R/etc" "$R/lib/modules/$K/updates/dkms"
printf 'ID=debian\nVERSION_ID="12"\n' >"$R/etc/os-release"
field() { tr '\0' '\n' <"$WORK/built/nvidia-peermem.ko" | LC_ALL=C sed -n "s/^$1=//p" | sed -n 1p; }
row() { json "$WORK/s.json" "[r for r in d['module']['rows'] if r['name']['value']=='nvidia'][0]['$1'].get('value','-')"; }
cp "$WORK/built/nvidia-peermem.ko" "$R/lib/modules/$K/updates/dkms/nvidia.ko"
"$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json"
same "$(row version)" "$(field version)" "version"
same "$(row kernel)" "$K" "kernel"
same "$(row has_signature)" False "signature of an unsigned module"
case $(field vermagic) in "$K "*) ;; *) fail "built for $(field vermagic), not for $K" ;; esac
# The kernel's own mark of a signature (kernel/module_signature.c) and a structure before it.
{ cat "$WORK/built/nvidia-peermem.ko"; printf 'signature\0\0\2\0\0\0\0\0\0\0\0\11~Module signature appended~\n'; } >"$R/lib/modules/$K/updates/dkms/nvidia.ko"
"$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json"
same "$(row has_signature)" True "signature of a signed one"
# Compressed as distributions ship it.
rm "$R/lib/modules/$K/updates/dkms/nvidia.ko"
for packed in xz:xz zst:zstd gz:gzip; do
    command -v "${packed#*:}" >/dev/null || { echo "skipped: ${packed#*:}"; continue; }
    "${packed#*:}" -c "$WORK/built/nvidia-peermem.ko" >"$R/lib/modules/$K/updates/dkms/nvidia.ko.${packed%:*}"
    "$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json"
    same "$(row version)" "$(field version)" "version in a module of ${packed#*:}"
    rm "$R/lib/modules/$K/updates/dkms/nvidia.ko.${packed%:*}"
done
