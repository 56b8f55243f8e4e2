#!/usr/bin/env bash
# Each failure of the real driver libraries (branches 470, 525 and three of 535) yields its cause: a table "failure -> cause" is printed,
# and one wrong line fails. After every command no device node and no kernel module has appeared, although tenon runs as root,
# the real nvidia-modprobe is there (setuid), a card is on the bus and the driver's parameters allow nodes to be made.
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
for tool in dpkg-deb setpriv cc; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || skip "no package index"
driver_machine
cc -shared -fPIC -O1 -o "$WORK/shim.so" "$TENON_SOURCE/tests/real/nvctl_shim.c" -ldl
wrong=0
done_branches=
printf '%-11s %-44s %-52s %s\n' driver failure cause right

# branch NAME PACKAGE... : $L becomes the folder of its libraries, $V its version
branch() {
    local files f
    files=$(debs "${@:2}" 2>/dev/null) || { echo "skipped: the packages of branch $1 cannot be had"; return 1; }
    R=$WORK/$1
    for f in $files; do dpkg-deb -x "$f" "$R"; done
    L=$(dirname "$(ls "$R"/usr/lib/x86_64-linux-gnu/nvidia/*/libcuda.so.1 | sed -n 1p)")
    V=$(basename "$(ls "$L"/libcuda.so.[0-9]*.* | sed -n 1p)" | sed 's/libcuda.so.//')
    done_branches="$done_branches $1"
}
# fails FAILURE CAUSE... (one of them is right) ; the command is in the array "with", its environment
fails() {
    local what=$1 got status=0
    shift
    "${with[@]}" "$TENON" doctor --json --expect gpu --deadline 8 >"$WORK/d.json" 2>"$WORK/err" </dev/null || status=$?
    got=$(json "$WORK/d.json" "(d['findings'][0]['cause'] + ('@' + d['findings'][0]['variant'] if d['findings'][0].get('variant') else '')) if d['findings'] else d['verdict']['status']" 2>/dev/null) || got="no verdict ($status)"
    local mark=WRONG want
    for want in "$@"; do [ "${got%%@*}" != "${want%%@*}" ] || mark=right; done
    [ $mark = right ] || wrong=$((wrong + 1))
    [ $mark = right ] || [ -z "${TENON_SHOW:-}" ] || cat "$WORK/d.json"
    printf '%-11s %-44s %-52s %s\n' "$V" "$what" "$got" "$mark"
    nothing_appeared "$what" || wrong=$((wrong + 1))
}
shim() { with=(env "LD_LIBRARY_PATH=$L" "LD_PRELOAD=$WORK/shim.so" "TN_NV=$1"); }
plain() { with=(env "LD_LIBRARY_PATH=${1:-$L}"); }

all_of() { # what every branch is put through
    kernel_without_module
    plain
    fails "no module" driver-not-loaded
    kernel_with_module "$V"
    nodes 666
    without_modprobe
    shim mismatch
    fails "module refuses the version (NVML 18)" driver-library-mismatch
    shim ok
    fails "ioctls without content (cuInit 803)" driver-library-mismatch
    with_modprobe
    kernel_with_module 550.54.14
    fails "module 550.54.14 beside this library" driver-library-mismatch
    kernel_with_module "$V"
    nodes 600
    with=(setpriv --reuid=65534 --regid=65534 --clear-groups env "LD_LIBRARY_PATH=$L")
    fails "nodes 0600, as nobody" device-permission
    nodes 666
    plain
    if device_cgroup; then
        fails "nodes 0666, a device cgroup forbids them" device-permission
        as_container
        fails "the same inside a container" container-lost-gpu
        as_machine
        leave_cgroup
    else
        echo "skipped: a device cgroup cannot be made here"
    fi
    plain /nowhere
    fails "libraries missing" driver-missing
}
files_of() { # damaged files, each beside the other library intact
    local B=$WORK/bad
    kernel_with_module "$V"
    nodes 666
    plain "$B"
    fresh() { rm -rf "$B"; mkdir "$B"; cp -a "$L"/* "$B"; }
    fresh; cut "$B" libnvidia-ml 100000
    fails "libnvidia-ml cut to 100,000 bytes" unknown
    same_tool_lives
    fresh; cut "$B" libcuda 100000
    fails "libcuda cut to 100,000 bytes" driver-missing
    fresh; replace "$B" libcuda; : >"$B/libcuda.so.1"
    fails "libcuda empty" driver-missing
    fresh; replace "$B" libcuda; echo "This is not a library" >"$B/libcuda.so.1"
    fails "libcuda is a text" driver-missing unknown
    if elf32 "$B/libcuda.32"; then
        fresh; replace "$B" libcuda; cp "$WORK/elf32" "$B/libcuda.so.1"
        fails "libcuda of 32 bits" driver-missing
    fi
    fresh; replace "$B" libcuda
    echo 'int cuInit(unsigned f) { return f ? 1 : 999; } int cuDriverGetVersion(int *v) { *v = 12020; return 0; }' >"$WORK/o.c"
    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$B/libcuda.so.1" "$WORK/o.c"
    fails "libcuda of another maker (cuInit 999)" unknown uvm-unavailable
    fresh; replace "$B" libcuda
    echo 'int other(void) { return 1; }' >"$WORK/o.c"
    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$B/libcuda.so.1" "$WORK/o.c"
    fails "libcuda of another maker, without cuInit" unknown driver-missing
    fresh; replace "$B" libnvidia-ml
    cc -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o "$B/libnvidia-ml.so.1" "$WORK/o.c"
    fails "libnvidia-ml of another maker" unknown driver-library-mismatch
    fresh; replace "$B" libnvidia-ml; echo text >"$B/libnvidia-ml.so.1"
    fails "libnvidia-ml is a text" unknown
}
cut() { local f; f=$(readlink -f "$1/$2.so.1"); truncate -s "$3" "$f"; }
replace() { rm -f "$1/$2".so*; }
same_tool_lives() { python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$WORK/d.json" || fail "tenon did not survive a library that dies"; }
elf32() { # a library of 32 bits with the right name
    printf 'void x(void) {}\n' >"$WORK/o.c"
    cc -m32 -shared -fPIC -nostdlib -Wl,-soname,libcuda.so.1 -o "$WORK/elf32" "$WORK/o.c" 2>/dev/null && return
    echo "skipped: a 32-bit library cannot be built here"
    return 1
}
hangs() {
    local begin ms
    kernel_with_module "$V"
    nodes 666
    without_modprobe
    shim hang
    begin=$(date +%s%N)
    status=0
    "${with[@]}" "$TENON" doctor --json --expect gpu --deadline 1 >"$WORK/d.json" 2>"$WORK/err" </dev/null || status=$?
    ms=$((($(date +%s%N) - begin) / 1000000))
    local got
    got="$(json "$WORK/d.json" "d['verdict']['status']") in $ms ms"
    local mark=right
    [ $ms -lt 2000 ] && grep -q silent <(json "$WORK/d.json" "[f.get('variant') or f['cause'] for f in d['findings']]") || grep -q gpu-hardware-fault "$WORK/d.json" || mark=WRONG
    [ $ms -lt 2000 ] || mark=WRONG
    case $got in ok*) mark=WRONG ;; esac
    [ $mark = right ] || wrong=$((wrong + 1))
    printf '%-11s %-44s %-52s %s\n' "$V" "the driver hangs, --deadline 1" "$got" $mark
    nothing_appeared hang || wrong=$((wrong + 1))
    with_modprobe
}

if branch 535 libcuda1 libnvidia-ml1 libnvidia-ptxjitcompiler1; then
    looking_would_change_something
    all_of
    files_of
    hangs
fi
if branch 535.261 libcuda1=535.261.03-1 libnvidia-ml1=535.261.03-1 libnvidia-ptxjitcompiler1=535.261.03-1; then all_of; hangs; fi
if branch tesla-535 libnvidia-tesla-535-cuda1 libnvidia-tesla-535-ml1; then all_of; fi
if branch 525 libnvidia-tesla-cuda1 libnvidia-tesla-ml1; then all_of; hangs; fi
if branch 470 libnvidia-tesla-470-cuda1 libnvidia-tesla-470-ml1; then all_of; hangs; fi
[ -n "$done_branches" ] || skip "no branch of the driver can be had"
[ $wrong = 0 ] || fail "$wrong lines are wrong"
