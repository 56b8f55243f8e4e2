#!/usr/bin/env bash
# What stands in /dev in a device's place: FIFOs, sockets, folders, files, dead links and loops, block devices, nodes without a
# driver. The real driver libraries are asked among them. Nothing blocks, nothing appears, and nobody says that all is well.
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
for tool in dpkg-deb setpriv python3; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || skip "no package index"
driver_machine
files=$(debs libcuda1 libnvidia-ml1 libnvidia-ptxjitcompiler1 2>/dev/null) || skip "the driver's packages cannot be had"
for f in $files; do dpkg-deb -x "$f" "$WORK/driver"; done
L=$(dirname "$(ls "$WORK"/driver/usr/lib/x86_64-linux-gnu/nvidia/*/libcuda.so.1 | sed -n 1p)")
V=$(basename "$(ls "$L"/libcuda.so.[0-9]*.* | sed -n 1p)" | sed 's/libcuda.so.//')
wrong=0
put() { # KIND PATH
    rm -rf "$2"
    case $1 in
    fifo) mkfifo -m 666 "$2" ;;
    socket) (cd "$(dirname "$2")" && python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$(basename "$2")") ;;
    folder) mkdir "$2" ;;
    file) : >"$2" ;;
    dead-link) ln -s /nowhere/at/all "$2" ;;
    loop) ln -s "$(basename "$2")" "$2" ;;
    link-to-fifo) mkfifo -m 666 "$WORK/fifo.$(basename "$2")" 2>/dev/null || true; ln -s "$WORK/fifo.$(basename "$2")" "$2" ;;
    block) mknod -m 666 "$2" b 7 250 ;;
    zero) mknod -m 666 "$2" c 1 5 ;;
    no-driver) mknod -m 666 "$2" c 250 250 ;;
    gone) ;;
    esac
}
count=0 longest=0
for where in "nvidiactl" "nvidia0" "nvidia-uvm" "nvidiactl nvidia0 nvidia-uvm" "dxg nvidia-caps nvidia-modeset nvidiaX"; do
    for kind in fifo socket folder file dead-link loop link-to-fifo block zero no-driver gone; do
        rm -rf /dev/nvidia* /dev/dxg
        kernel_with_module "$V"
        mknod -m 666 /dev/nvidia0 c 195 0
        for name in $where; do put $kind "/dev/$name"; done
        seen=$(state)
        for user in root nobody; do
            as=()
            case "$user $where" in nobody\ *\ *) ;; nobody*) continue ;; esac # as nobody once for each kind
            [ $user = root ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
            status=0
            begin=$(date +%s%N)
            "${as[@]}" env "LD_LIBRARY_PATH=$L" timeout -s KILL 20 "$TENON" doctor --json --expect gpu --deadline 5 >"$WORK/d.json" 2>"$WORK/err" </dev/null || status=$?
            ms=$((($(date +%s%N) - begin) / 1000000))
            got=$(json "$WORK/d.json" "d['verdict']['status'] + ' ' + (d['findings'][0]['cause'] if d['findings'] else '')" 2>/dev/null) || got="no verdict ($status)"
            count=$((count + 1))
            [ $ms -le $longest ] || longest=$ms
            # Without any node the first program makes them: that is how a healthy machine starts.
            [ "$kind $where $status" != "gone nvidiactl nvidia0 nvidia-uvm 0" ] || status=1 got="problem (none yet)"
            case "$status $got" in 1\ problem* | 3\ un*) [ $ms -lt 4000 ] || got="$got, $ms ms" ;; *) got="$got WRONG" ;; esac
            case $got in *WRONG | *ms) wrong=$((wrong + 1)); echo "$kind as $where, $user: $got" ;; esac
            nothing_appeared "$kind as $where" || wrong=$((wrong + 1))
        done
        printf '%-14s %-32s %s\n' $kind "$where" "$got"
    done
done
echo "$count looks, the longest $longest ms"
[ $wrong = 0 ] || fail "$wrong are wrong"
