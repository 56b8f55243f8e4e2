# driver_machine.sh - a machine with a card and a driver, as far as files can tell, in this mount namespace alone. Sourced, not run.
# The vendor's own side effects stay possible: nvidia-modprobe is there with its setuid bit, and modprobe leaves a mark.

# Before lib.sh: goes into a mount namespace and a root whose folders are this machine's, without the marks of a container.
enter_machine() { # SCRIPT
    [ -z "${TENON_NS:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || return 0
    TENON_NS=1 exec unshare -m bash -c '
        mount -t tmpfs -o mode=755 none /mnt || exec bash "$0"
        for d in /*; do
            if [ -L "$d" ]; then cp -a "$d" /mnt; continue; fi
            [ -d "$d" ] && [ "$d" != /mnt ] || continue
            mkdir "/mnt$d" && mount --rbind "$d" "/mnt$d"
        done
        mkdir -p /mnt/mnt
        TENON_NS=2 exec chroot /mnt bash "$0"' "$(readlink -f "$1")"
}
as_container() { : >/.dockerenv; }
as_machine() { rm -f /.dockerenv; }

driver_machine() {
    [ "$(id -u)" = 0 ] && [ "${TENON_NS:-}" = 2 ] || skip "a machine of its own needs root and mount namespaces"
    [ -d /proc/driver ] && [ -d /sys/module ] && [ -d /sys/bus/pci/devices ] || skip "this kernel has no /proc/driver, /sys/module or PCI bus"
    local f dev
    chmod 755 "$WORK"
    dev=$WORK/dev
    mkdir -p "$dev"
    mount -t tmpfs none "$dev"
    mkdir "$dev/shm" "$dev/char"
    for f in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9"; do
        set -- $f
        mknod -m 666 "$dev/$1" c "$2" "$3"
    done
    ln -s /proc/self/fd "$dev/fd"
    mount --bind "$dev" /dev && umount -l "$dev"
    mount -t tmpfs none /proc/driver
    mount -t tmpfs none /sys/module
    mount -t tmpfs none /sys/bus/pci/devices
    card 0000:01:00.0
    # Programs of the driver in their real places; the folders below stay as they are.
    mkdir -p "$WORK/bin"
    if f=$(debs nvidia-modprobe 2>/dev/null); then
        mkdir -p "$WORK/modprobe"
        dpkg-deb -x "$f" "$WORK/modprobe"
        cp -a "$(readlink -f "$WORK/modprobe/usr/bin/nvidia-modprobe")" "$WORK/bin/nvidia-modprobe"
        chmod 4755 "$WORK/bin/nvidia-modprobe"
    else
        echo "skipped: the real nvidia-modprobe cannot be had"
    fi
    printf '#!/bin/sh\necho "$0 $*" >>%s/modprobe.ran\n' "$WORK" >"$WORK/bin/modprobe"
    chmod 755 "$WORK/bin/modprobe"
    mount -t overlay none -o "lowerdir=$WORK/bin:/usr/sbin" /usr/sbin 2>/dev/null || echo "skipped: no overlay for the programs of the driver"
    with_modprobe
    test -x "$TENON" || fail "tenon is gone"
    # Others must be able to start it.
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$TENON" || { cp "$TENON" "$WORK/tenon"; TENON=$WORK/tenon; }
    cd /
}
# Two ways of the libraries: through nvidia-modprobe where it is installed, else by their own hands.
with_modprobe() { mount -t overlay none -o "lowerdir=$WORK/bin:/usr/bin" /usr/bin 2>/dev/null || true; }
without_modprobe() { umount -l /usr/bin 2>/dev/null || true; }
card() { # ADDRESS [DEVICE]
    local d=/sys/bus/pci/devices/$1
    mkdir -p "$d"
    printf '0x10de\n' >"$d/vendor"
    printf '%s\n' "${2:-0x2204}" >"$d/device"
    printf '0x030000\n' >"$d/class"
    printf '\xde\x10\x04\x22\0\0\0\0\xa1\0\0\x03' >"$d/config" # the libraries look for the class in it
    head -c 52 /dev/zero >>"$d/config"
}
kernel_without_module() {
    rm -rf /proc/driver/nvidia /sys/module/nvidia /sys/module/nvidia_uvm /dev/nvidia*
    seen=$(state)
}
kernel_with_module() { # VERSION
    rm -f /dev/nvidia*
    mkdir -p /proc/driver/nvidia/gpus/0000:01:00.0 /sys/module/nvidia /sys/module/nvidia_uvm
    printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  %s  Thu May  1 00:00:00 UTC 2025\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n' "$1" \
        >/proc/driver/nvidia/version
    printf 'ResmanDebugLevel: 4294967295\nModifyDeviceFiles: 1\nDeviceFileUID: 0\nDeviceFileGID: 0\nDeviceFileMode: 438\n' >/proc/driver/nvidia/params
    printf '%s\n' "$1" >/sys/module/nvidia/version
    printf 'live\n' >/sys/module/nvidia/initstate
    nodes "${mode:-666}"
}
nodes() { # MODE : of nvidiactl, nvidia-uvm; /dev/nvidia0 is left out, so that it is seen when a library makes it
    mode=$1
    rm -f /dev/nvidia*
    mknod -m "$1" /dev/nvidiactl c 195 255
    mknod -m "$1" /dev/nvidia-uvm c 234 0
    seen=$(state)
}
state() { (ls -lR /dev /proc/driver /sys/module | grep -v '^total'; cat "$WORK/modprobe.ran" 2>/dev/null || true) | cksum; }
nothing_appeared() { # WHAT
    [ "$(state)" = "$seen" ] && [ ! -e "$WORK/modprobe.ran" ] && return 0
    echo "changed by looking ($1):"
    ls -l /dev /dev/char
    cat "$WORK/modprobe.ran" 2>/dev/null || true
    rm -f "$WORK/modprobe.ran"
    return 1
}
# The test can fail: the same libraries, asked without tenon, do make a node or start modprobe.
looking_would_change_something() {
    kernel_without_module
    LD_LIBRARY_PATH=$L python3 -c 'import ctypes; ctypes.CDLL("libnvidia-ml.so.1").nvmlInit_v2(); ctypes.CDLL("libcuda.so.1").cuInit(0)'
    if [ "$(state)" = "$seen" ] && [ ! -e "$WORK/modprobe.ran" ]; then fail "the bed is too soft: even the libraries themselves change nothing"; fi
    echo "asked without tenon, the libraries of $V:$(ls /dev | grep -c nvidia) new nodes, modprobe $(wc -l <"$WORK/modprobe.ran" 2>/dev/null || echo 0) times"
    rm -f "$WORK/modprobe.ran"
    kernel_without_module
}
CG=/sys/fs/cgroup/devices/tenon-test-$$
device_cgroup() {
    mkdir "$CG" 2>/dev/null || return 1
    trap 'leave_cgroup; rm -rf "$WORK"' EXIT
    home=$(awk -F: '$2 ~ /(^|,)devices(,|$)/ {print $3}' /proc/self/cgroup)
    echo 'c 195:* rwm' >"$CG/devices.deny" && echo $$ >"$CG/cgroup.procs"
}
leave_cgroup() {
    [ -d "$CG" ] || return 0
    echo $$ >"/sys/fs/cgroup/devices${home:-/}/cgroup.procs"
    rmdir "$CG"
}
