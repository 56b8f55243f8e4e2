#!/usr/bin/env bash
# `tenon clean cuda 11.6` where apt-get has installed the toolkit, in a real Debian root with a real driver (root_driver.sh's): the
# simulation is shown and changes nothing, what else rests on it or is of the driver refuses it, --yes removes exactly its packages by apt.
. "$(dirname "$0")/../real/lib.sh"
[ "$(id -u)" = 0 ] || skip "a root of its own needs root"
for tool in chroot unshare dpkg-deb; do command -v $tool >/dev/null || skip "$tool is not installed"; done
unshare -m true 2>/dev/null || skip "mount namespaces are not allowed here"
kept=$(find "$PARTS" -maxdepth 1 -name 'root-driver-*.tar.gz' -print -quit)
[ -n "$kept" ] || skip "no kept root (tests/real/root_driver.sh makes it)"
tar -C "$WORK" -xzf "$kept"
R=$WORK/root
deb() { # NAME DEPENDS FILE...
    local d=$WORK/deb/$1 name=$1 needs=$2 f
    shift 2
    mkdir -p "$d/DEBIAN"
    printf 'Package: %s\nVersion: 11.6.124-1\nArchitecture: amd64\nMaintainer: test <test@example.org>\nDescription: as in NVIDIAs repository\n%s' \
        "$name" "${needs:+Depends: $needs
}" >"$d/DEBIAN/control"
    for f; do mkdir -p "$d$(dirname "$f")"; echo "$f" >"$d$f"; done
    dpkg-deb --root-owner-group -b "$d" "$R/root/$name.deb" >/dev/null
}
T=/usr/local/cuda-11.6
deb cuda-nvcc-11-6 "" $T/bin/nvcc $T/bin/ptxas
deb cuda-cudart-11-6 "" $T/targets/x86_64-linux/lib/libcudart.so.11.6.55 $T/include/cuda.h
deb cuda-toolkit-11-6 "cuda-nvcc-11-6, cuda-cudart-11-6" $T/version.json
printf '{"cuda":{"name":"CUDA SDK","version":"11.6.2"}}' >"$WORK/deb/cuda-toolkit-11-6$T/version.json"
dpkg-deb --root-owner-group -b "$WORK/deb/cuda-toolkit-11-6" "$R/root/cuda-toolkit-11-6.deb" >/dev/null
deb mytool cuda-cudart-11-6 /usr/bin/mytool
deb nvidia-driver-extra cuda-nvcc-11-6 /usr/share/doc/nvidia-driver-extra/x
cp "$TENON" "$R/usr/bin/tenon"
in_root() { unshare -m sh -c 'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev" && mknod -m 666 "$0/dev/null" c 1 3 && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"' "$R" "$@"; }
in_root dpkg -i /root/cuda-nvcc-11-6.deb /root/cuda-cudart-11-6.deb /root/cuda-toolkit-11-6.deb >"$WORK/dpkg" 2>&1 || fail "dpkg: $(cat "$WORK/dpkg")"
names='cuda-cudart-11-6 cuda-nvcc-11-6 cuda-toolkit-11-6'
installed() { in_root dpkg-query -W -f '${Package} ${db:Status-Status}\n' | grep ' installed$' | cut -d' ' -f1 | sort; }
tree() { (cd "$R" && find . -xdev -path ./root/.local -prune -o -path ./dev -prune -o -path ./proc -prune -o -printf '%p %m %T@ %l\n' | sort); }

tree >"$WORK/before"
in_root tenon clean cuda 11.6 --lang en >"$WORK/out" 2>&1 || fail "the survey: $?: $(cat "$WORK/out")"
grep -F "removes 3 packages" "$WORK/out" >/dev/null && grep -F 'Nothing else goes, and the driver stays' "$WORK/out" >/dev/null || fail "$(cat "$WORK/out")"
tree | diff "$WORK/before" - || fail "the simulation has changed something"

for more in mytool nvidia-driver-extra; do # somebody else rests on it; and the driver does
    in_root dpkg -i /root/$more.deb >/dev/null
    rc=0; in_root tenon clean cuda 11.6 --yes --lang en >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "$more: $(cat "$WORK/out")"
    grep -F "Refused: $more would" "$WORK/out" >/dev/null || fail "$more: $(cat "$WORK/out")"
    installed | grep -x cuda-nvcc-11-6 >/dev/null || fail "removed although it was refused"
    in_root dpkg -r $more >/dev/null
done
for p in $names; do in_root apt-mark hold "$p" >/dev/null; break; done
rc=0; in_root tenon clean cuda 11.6 --yes --lang en >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "held back: $(cat "$WORK/out")"
in_root apt-mark unhold cuda-cudart-11-6 >/dev/null

installed >"$WORK/was"
in_root tenon clean cuda 11.6 --yes --lang en >"$WORK/out" 2>&1 || fail "--yes: $?: $(cat "$WORK/out")"
installed >"$WORK/now"
same "$(comm -23 "$WORK/was" "$WORK/now" | tr '\n' ' ')" "$names " "what is gone"
same "$(comm -13 "$WORK/was" "$WORK/now")" "" "what came"
[ ! -e "$R$T/bin/nvcc" ] || fail "its files are there"
in_root sh -c 'apt-get -s autoremove' >"$WORK/auto" 2>&1
! grep -E '^Remv (libcuda1|nvidia-kernel-support|nvidia-smi|nvidia-driver-bin) ' "$WORK/auto" || fail "the driver would go next: $(cat "$WORK/auto")"
rc=0; in_root tenon clean driver --remove-driver </dev/null >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "the driver without its word"
echo "clean: three packages by apt-get, refused for a package of others, for the driver's and for a held one"
