#!/usr/bin/env bash
# After every looking command (looking.txt), as root and as nobody, with the real driver libraries and the real setuid
# nvidia-modprobe: no device node and no kernel module appeared, no modprobe ran. Without the module, with it, and with it
# but without nvidia-modprobe, where the libraries make the nodes themselves (promise 9, design 6.11).
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
for tool in dpkg-deb setpriv; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || skip "no package index"
files=$(debs libcuda1 libnvidia-ml1 libnvidia-ptxjitcompiler1) || skip "the packages of the driver cannot be had"
driver_machine
for f in $files; do dpkg-deb -x "$f" "$WORK/driver"; done
L=$(dirname "$(ls "$WORK"/driver/usr/lib/x86_64-linux-gnu/nvidia/*/libcuda.so.1 | sed -n 1p)")
V=$(basename "$(ls "$L"/libcuda.so.[0-9]*.* | sed -n 1p)" | sed 's/libcuda.so.//')
looking_about
looking "${about[@]}" >"$WORK/all"
chmod -R a+rX "$WORK/about" "$WORK/driver" "$WORK/all"
looking_would_change_something
wrong=0 n=0
all_of() { # WHEN
    local args status
    for who in env "setpriv --reuid=65534 --regid=65534 --clear-groups"; do
        while read -r args; do
            status=0
            set -f
            # shellcheck disable=SC2086
            LD_LIBRARY_PATH=$L $who "$TENON" $args >"$WORK/out" 2>"$WORK/err" <"${about[2]}" || status=$?
            set +f
            case $status in 0 | 1 | 3) ;; *) echo "$1: tenon $args ended with $status: $(sed -n 1p "$WORK/err")"; wrong=1 ;; esac
            nothing_appeared "$1: tenon $args" || { wrong=1; seen=$(state); }
            n=$((n + 1))
        done <"$WORK/all"
    done
}
kernel_without_module
all_of "no module"
kernel_with_module "$V"
all_of "module $V"
without_modprobe
all_of "module $V, no nvidia-modprobe"
mkdir -p /sys/module/nvidia # loaded, but no nodes yet: the libraries would make them
rm -f /dev/nvidia*
seen=$(state)
all_of "module $V, no nodes"
echo "$n commands, nothing appeared"
[ $wrong = 0 ] || fail "see above"
