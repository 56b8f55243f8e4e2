#!/usr/bin/env bash
# Half-upgraded drivers and two drivers at once, in a real Debian root whose packages apt installed: real dpkg unpacks, is
# killed and removes, the real update-alternatives and ldconfig set the links, the real libraries of four releases lie beside
# each other. A table "state -> cause" is printed and one wrong line fails. After what the remedy says, the cause is gone where
# that can be tried here. Made: /proc/driver/nvidia/version, the card, kernel modules (an object with the .modinfo of a real one),
# NVIDIA's installer's list of files (its format: nvidia-installer, backup.c).
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "a root of its own needs root"
for tool in dpkg dpkg-deb chroot ldconfig cc; do command -v $tool >/dev/null || skip "$tool is not installed"; done
kept=$(ls "$PARTS"/root-driver-*.tar.gz 2>/dev/null | sed -n 1p || true)
[ -n "$kept" ] || skip "the Debian root (tests/real/root_driver.sh makes it)"
tar -C "$WORK" -xzf "$kept"
mv "$WORK/root" "$WORK/clean"
mkdir -p "$WORK/clean/usr/share/man/man1" # alternatives want it; the kept root has no manuals
apt_conf || skip "no package index"
K=6.1.0-28-amd64 V=535.309.01
L=usr/lib/x86_64-linux-gnu
[ -e "$WORK/clean/$L/nvidia/current/libcuda.so.$V" ] || skip "the root has another driver than $V"
older=$(ls "$PARTS"/debs/535.261.03-1/*.deb 2>/dev/null || true)
if [ -z "$older" ]; then
    mkdir -p "$PARTS/debs/535.261.03-1"
    (cd "$PARTS/debs/535.261.03-1" && apt-get download -qq libcuda1=535.261.03-1 libnvidia-ml1=535.261.03-1 \
        libnvidia-ptxjitcompiler1=535.261.03-1 >/dev/null 2>&1) || true
    older=$(ls "$PARTS"/debs/535.261.03-1/*.deb 2>/dev/null || true)
fi
[ -n "$older" ] || skip "driver 535.261.03 cannot be had"
files_470=$(debs libnvidia-tesla-470-cuda1 libnvidia-tesla-470-ml1) || skip "driver 470 cannot be had"
for f in $older $files_470; do dpkg-deb -x "$f" "$WORK/other"; done
O=535.261.03
wrong=0 n=0

module() { # NAME VERSION : a kernel module file of the running kernel
    mkdir -p "$R/lib/modules/$K/updates/dkms"
    printf '__attribute__((section(".modinfo"), used)) static const char a[] = "version=%s", b[] = "license=NVIDIA", c[] = "name=nvidia", d[] = "vermagic=%s SMP";\n' \
        "$2" "$K" >"$WORK/m.c"
    cc -c -o "$R/lib/modules/$K/updates/dkms/$1.ko" "$WORK/m.c"
}
loaded() { # VERSION
    mkdir -p "$R/proc/driver/nvidia" "$R/sys/module/nvidia"
    printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  Thu May  1 00:00:00 UTC 2025\n' "$1" >"$R/proc/driver/nvidia/version"
    printf '%s\n' "$1" >"$R/sys/module/nvidia/version"
    printf 'live\n' >"$R/sys/module/nvidia/initstate"
}
not_loaded() { rm -rf "$R/proc/driver/nvidia" "$R/sys/module/nvidia"; }
fresh() { # a whole machine: driver $V, loaded
    rm -rf "$WORK/r"
    R=$WORK/r
    cp -a "$WORK/clean" "$R"
    local d=$R/sys/bus/pci/devices/0000:01:00.0
    mkdir -p "$d" "$R/proc" "$R/sys/module"
    printf '0x10de\n' >"$d/vendor"
    printf '0x2204\n' >"$d/device"
    printf '0x030000\n' >"$d/class"
    printf 'Linux version %s (debian-kernel@lists.debian.org)\n' "$K" >"$R/proc/version"
    : >"$R/proc/modules"
    module nvidia-current $V
    loaded $V
}
put() { # VERSION FOLDER NAME : a real library of another release
    local from
    from=$(ls "$WORK"/other/$L/nvidia/*/"$3.so.$1")
    mkdir -p "$R/$2"
    cp "$from" "$R/$2/$3.so.$1"
}
runfile() { # VERSION FILE... : its list
    local v=$1
    shift
    mkdir -p -m 700 "$R/var/lib/nvidia"
    (umask 177; { printf '1.0-%s (%s)\nNVIDIA Accelerated Graphics Driver for Linux-x86_64\n' "$(tr -d . <<<"$v")" "$v"
      for f in "$@"; do printf '1: /%s\n3406017230\n' "$f"; done; printf '0: /%s/libcuda.so.1\nlibcuda.so.%s\n' $L "$v"; } >"$R/var/lib/nvidia/log")
}
# TENON_KEEP=FOLDER keeps the raw record of each state there.
# is STATE WANT : cause[@variant][/remedy] of the first finding, or "none"
is() {
    local got status=0 mark=WRONG
    "$TENON" doctor --root "$R" --json --expect gpu >"$WORK/d.json" 2>"$WORK/err" </dev/null || status=$?
    got=$(python3 - "$WORK/d.json" 2>"$WORK/said" <<'X'
import json, sys
d = json.load(open(sys.argv[1]))
f = [f for f in d["findings"] if f["status"] in ("confirmed", "likely") and f["cause"].startswith("driver")]
if not f:
    print("none")
else:
    f = f[0]
    print("%s %s %s" % (f["cause"], f["severity"], f["remedies"][0]["id"] if f["remedies"] else "-"))
    print("      " + f["summary"].replace("\n", " "), file=sys.stderr)
X
    ) || got="no verdict ($status)"
    [ "$got" != "$2" ] || mark=right
    [ $mark = right ] || wrong=$((wrong + 1))
    printf '%-58s %-62s %s\n' "$1" "$got" $mark
    cat "$WORK/said"
    n=$((n + 1))
    [ -z "${TENON_KEEP:-}" ] || "$TENON" snapshot --root "$R" --raw -o "$TENON_KEEP/state$n.json"
}
MIS=driver-library-mismatch
printf '%-58s %-62s %s\n' state "first cause, severity, first remedy" right

fresh
is "driver $V in all parts" none
loaded $O
is "updated to $V, module $O still loaded" "$MIS error reboot"
module nvidia-current $O
is "the same, and the module on the disk is $O, too" "$MIS error same-version"
chroot "$R" dpkg --set-selections <<<"nvidia-kernel-support hold"
is "the same, nvidia-kernel-support held back" "$MIS error same-version"
grep 'apt-mark unhold nvidia-kernel-support' "$WORK/d.json" >/dev/null || { echo "      WRONG: no word of the hold"; wrong=$((wrong + 1)); }
fresh
module nvidia-current 550.54.14
is "module 550.54.14 on the disk, all loaded is $V" "$MIS warning same-version"
not_loaded
is "the same, nothing loaded" "driver-not-loaded error load-module"

fresh # dpkg in the middle: a step back to the older packages, for real
dpkg --root="$R" --force-depends --force-downgrade --unpack $older >"$WORK/dpkg.log" 2>&1 || tail -3 "$WORK/dpkg.log"
is "dpkg --unpack of $O, not configured" "driver-install-failed error finish-packages"
chroot "$R" dpkg --force-depends --configure -a >"$WORK/dpkg.log" 2>&1 || tail -3 "$WORK/dpkg.log"
is "after dpkg --configure -a (module $V on the disk)" "$MIS error same-version"
module nvidia-current $O
is "and the module of $O built" "$MIS error reboot"
loaded $O
is "and after the restart" none

if k=$(debs nvidia-kernel-dkms); then
    fresh # killed while a package is unpacked: the state is in dpkg's journal alone
    loaded 550.54.14
    for wait in 0.3 0.2 0.1 0.5 0.05 0.8; do
        dpkg --root="$R" --force-depends --unpack "$k" >"$WORK/dpkg.log" 2>&1 &
        pid=$!
        sleep $wait
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        if grep -s 'half-installed' "$R"/var/lib/dpkg/updates/[0-9]* >/dev/null; then break; fi
    done
    if grep -s 'half-installed' "$R"/var/lib/dpkg/updates/[0-9]* >/dev/null; then
        is "dpkg killed while it unpacked nvidia-kernel-dkms" "driver-install-failed error finish-packages"
        loaded $V
        is "the same, and all parts fit" none
    else
        echo "skipped: dpkg could not be killed in the right moment"
    fi
else
    echo "skipped: nvidia-kernel-dkms cannot be had"
fi

fresh # two drivers: Debian's $V runs, NVIDIA's installer put an older one beside it, and its link is in front
put $O $L libcuda
ln -sf libcuda.so.$O "$R/$L/libcuda.so.1"
runfile $O $L/libcuda.so.$O
is "runfile $O over packages $V, link to $O" "$MIS error uninstall-runfile"
rm -rf "$R/var/lib/nvidia" "$R/$L/libcuda.so.$O" "$R/$L/libcuda.so.1" # what nvidia-uninstall does
chroot "$R" update-alternatives --auto nvidia >"$WORK/dpkg.log" 2>&1 || tail -3 "$WORK/dpkg.log"
is "after nvidia-uninstall, links made anew" none
fresh # the installer's driver runs, Debian's is beside it and in front
put $O $L libcuda
runfile $O $L/libcuda.so.$O
module nvidia-current $O
loaded $O
is "runfile $O runs, packages $V in front" "$MIS error remove-other-driver"
fresh # nobody's file
put $O usr/local/lib libcuda
ln -s libcuda.so.$O "$R/usr/local/lib/libcuda.so.1"
echo /usr/local/lib >"$R/etc/ld.so.conf.d/000-local.conf"
ldconfig -r "$R"
is "a copied libcuda $O in /usr/local/lib" "$MIS error remove-old-libcuda"

fresh # today all is well; ldconfig, which every installation of a package runs, takes the newest
rm -f "$R/$L/nvidia/current/"libcuda.so* "$R/$L"/libcuda.so*
put $O $L libcuda
cp "$WORK/clean/$L/nvidia/current/libcuda.so.$V" "$R/$L"
ln -s libcuda.so.$O "$R/$L/libcuda.so.1"
module nvidia-current $O
loaded $O
rm -f "$R/$L"/libnvidia-ml.so.1 "$R/$L"/libnvidia-ptxjitcompiler.so.1
is "$O runs, a newer libcuda beside it" "$MIS warning remove-old-libcuda"
ldconfig -r "$R"
is "after ldconfig" "$MIS error remove-old-libcuda"
rm "$R/$L/libcuda.so.$V"
ldconfig -r "$R"
is "that file removed, ldconfig again" none

fresh # two branches of Debian side by side are its own way
put 470.256.02 $L/nvidia/tesla-470 libcuda
ln -s libcuda.so.470.256.02 "$R/$L/nvidia/tesla-470/libcuda.so.1"
is "branch 470 beside 535, 535 chosen" none
put 470.256.02 $L/nvidia/tesla-470 libnvidia-ml
ln -sf /$L/nvidia/tesla-470/libnvidia-ml.so.1 "$R/etc/alternatives/nvidia--libnvidia-ml.so.1-x86_64-linux-gnu"
ln -s libnvidia-ml.so.470.256.02 "$R/$L/nvidia/tesla-470/libnvidia-ml.so.1"
is "libnvidia-ml alone of branch 470" "$MIS error remove-old-libcuda"

fresh
rm "$R/etc/alternatives/nvidia--libcuda.so.1-x86_64-linux-gnu"
is "a link of /etc/alternatives is lost" "driver-missing error relink-driver"
chroot "$R" update-alternatives --auto nvidia >"$WORK/dpkg.log" 2>&1 || tail -3 "$WORK/dpkg.log"
is "after update-alternatives --auto nvidia" none
fresh
rm -f "$R/$L"/libcuda.so.1
is "libcuda.so.1 itself is lost" "driver-missing error relink-driver"
chroot "$R" update-alternatives --auto nvidia >"$WORK/dpkg.log" 2>&1 || tail -3 "$WORK/dpkg.log"
is "after update-alternatives --auto nvidia" none
printf 'void x(void) {}\n' >"$WORK/o.c"
if cc -m32 -shared -fPIC -nostdlib -Wl,-soname,libcuda.so.1 -o "$WORK/libcuda.so.$V" "$WORK/o.c" 2>/dev/null; then
    fresh
    rm -f "$R/$L"/libcuda.so* "$R/$L"/nvidia/current/libcuda.so*
    mkdir -p "$R/usr/lib/i386-linux-gnu"
    cp "$WORK/libcuda.so.$V" "$R/usr/lib/i386-linux-gnu"
    echo /usr/lib/i386-linux-gnu >"$R/etc/ld.so.conf.d/i386.conf"
    ldconfig -r "$R"
    is "libcuda of 32 bits alone" "driver-missing error complete-driver"
else
    echo "skipped: a 32-bit library cannot be built here"
fi
[ $wrong = 0 ] || fail "$wrong lines are wrong"
