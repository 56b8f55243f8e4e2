#!/usr/bin/env bash
# Machines that we do not have: a stand-in libnvidia-ml.so.1 and libcuda.so.1 (tests/standin) with the real layouts tell of cards
# from text files. Every fact must arrive, every error code must have its cause (never "ok"), and a library that hangs, floods,
# forks, writes, makes nodes or ends its program costs no more than the deadline and one sentence.
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
command -v cc >/dev/null || skip "cc is not installed"
command -v setpriv >/dev/null || skip "setpriv is not installed"
apt_conf || true
driver_machine
here=$TENON_SOURCE/tests
L=$WORK/lib
mkdir "$L"
V=
# as VERSION : the libraries carry the version in their names, as the real ones do
as() {
    [ "$V" != "$1" ] || return 0
    V=$1
    rm -f "$L"/*
    cc -Wall -Werror -shared -fPIC -O1 -Wl,-soname,libnvidia-ml.so.1 -o "$L/libnvidia-ml.so.$V" "$here/standin/standin.c"
    cc -Wall -Werror -DCUDA -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o "$L/libcuda.so.$V" "$here/standin/standin.c"
    ln -s "libnvidia-ml.so.$V" "$L/libnvidia-ml.so.1"
    ln -s "libcuda.so.$V" "$L/libcuda.so.1"
}
bed() { # FILE : bus, kernel side and nodes of a machine
    rm -rf /sys/bus/pci/devices/* /proc/driver/nvidia
    local bus device n=0
    as "$(sed -n 's/^driver //p' "$1")"
    kernel_with_module "$V"
    rm -rf /proc/driver/nvidia/gpus
    while read -r bus device; do
        card "$bus" "$device"
        ln -sfn /sys/bus/pci/drivers/nvidia "/sys/bus/pci/devices/$bus/driver"
        mknod -m 666 "/dev/nvidia$n" c 195 $n
        n=$((n + 1))
    done < <(awk '$1=="gpu"{b=$2} $1=="pci"{print b, $2}' "$1")
    seen=$(state)
}
look() { # ARGUMENTS... ; the environment is in "with"
    status=0
    env -u CUDA_VISIBLE_DEVICES "LD_LIBRARY_PATH=$L" "${with[@]}" timeout -s KILL 20 "$TENON" "$@" 2>"$WORK/err" </dev/null || status=$?
    case $status in 0 | 1 | 3) ;; *) fail "tenon $*: status $status (${with[*]}): $(head -3 "$WORK/err")" ;; esac
}

for m in "$here"/standin/machines/*.txt; do
    bed "$m"
    with=("TENON_STANDIN=$m")
    look snapshot --include-identifiers >"$WORK/s.json"
    look doctor --json --expect gpu >"$WORK/d.json"
    look doctor --expect gpu >"$WORK/d.txt"
    python3 "$here/standin/compare.py" "$m" "$WORK/s.json" "$WORK/d.json" "$WORK/d.txt" || wrong=1
    nothing_appeared "$(basename "$m")" || wrong=1
done

# Every error code of the first calls.
m=$here/standin/machines/laptop-1060.txt
bed "$m"
codes() { awk -F'\t' -v e="$1" 'index($3, e) && $2 != 0 {print $2, $1}' "$TENON_SOURCE/data/tables/error_codes.tsv"; }
: >"$WORK/codes"
one() { # CALL NUMBER NAME
    sed "1i$1 $2" "$m" >"$WORK/m.txt"
    with=("TENON_STANDIN=$WORK/m.txt")
    look doctor --json --expect gpu >"$WORK/d.json"
    echo "$1 $2 $3 $(json "$WORK/d.json" "d['verdict']['status'] + ' ' + str(d['verdict']['warnings']) + ' ' + ','.join(f['cause'] for f in d['findings'] if f['status'] in ('confirmed', 'likely') and f['severity'] != 'note')")" >>"$WORK/codes"
}
while read -r number name; do one nvml_init "$number" "$name"; done < <(codes nvmlReturn_t; echo 77 77)
while read -r number name; do one cu_init "$number" "$name"; done < <(codes CUresult; echo 7777 7777)
python3 - "$WORK/codes" <<'P' || wrong=1
import sys
must = {"cu_init 803": "driver-library-mismatch", "cu_init 802": "fabric-manager-down", "cu_init 804": "forward-compat-unsupported",
        "cu_init 999": "uvm-unavailable", "nvml_init 18": "driver-library-mismatch", "nvml_init 4": "device-permission"}
bad, n, seen = 0, 0, {}
for line in open(sys.argv[1]):
    call, number, name, status, warnings, *causes = line.split()
    causes = (causes or [""])[0].split(",")
    n += 1
    seen.setdefault((call, status, causes[0]), []).append(number)
    # CUDA works and NVML fails: a warning. Everything else is a problem with a cause; "unknown" where nothing else is.
    good = causes[0] != "" and (status == "problem" or (call == "nvml_init" and status == "ok" and warnings == "1"))
    if not good or must.get(f"{call} {number}", causes[0]) != causes[0]:
        print(f"{call} {number} {name}: {status} {causes}")
        bad += 1
for (call, status, cause), numbers in sorted(seen.items()):
    status += "" if status != "ok" else ", 1 warning"
    print(f"{call:10} -> {status:14} {cause:28} {len(numbers):3} codes: {' '.join(numbers[:8])}{' ...' if len(numbers) > 8 else ''}")
sys.exit(1 if bad or n < 120 else 0)
P

# Libraries that misbehave: what is known by then is kept, and it ends in time.
bed "$here/standin/machines/v100-nvlink.txt"
for what in hang hang-2 flood fork write node link exit exit-2 crash crash-2 noise; do
    with=("TENON_STANDIN=$here/standin/machines/v100-nvlink.txt" "TENON_STANDIN_DO=$what" "TENON_STANDIN_FILE=/dev/made-by-the-library")
    begin=$(date +%s%N)
    look doctor --json --expect gpu --deadline 2 >"$WORK/d.json"
    ms=$((($(date +%s%N) - begin) / 1000000))
    got=$(json "$WORK/d.json" "d['verdict']['status'] + ' ' + ','.join(f['cause'] + '(' + f['status'] + ')' for f in d['findings'] if f['severity'] != 'note')")
    right=yes
    case "$what $got" in
    fork\ ok* | write\ ok* | node\ ok* | link\ ok* | noise\ ok*) ;; # refused or passed over, and the answers are good
    *\ ok*) right=no ;;
    fork\ * | write\ * | node\ * | link\ * | noise\ *) right=no ;;
    esac
    [ $ms -lt 3000 ] || right=no
    printf '%-8s -> %-60s %5d ms  %s\n' "$what" "$got" $ms $right
    [ $right = yes ] || wrong=1
    nothing_appeared "$what" || wrong=1
done
sleep 0.3
left=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -c "^TENON_STANDIN=$here/standin/machines/v100-nvlink.txt" || true)
[ "$left" = 0 ] || { echo "$left processes were left behind"; wrong=1; }

# Hangs again and again: never beyond the deadline and half a second (promise 20), and never "all is well".
python3 - "$TENON" "$L" "$here/standin/machines/v100-nvlink.txt" "${TENON_TRIES:-200}" <<'P' || wrong=1
import os, subprocess, sys, time
tenon, lib, machine, tries = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
took, busy, worst, begin = [], 0, 0, time.monotonic()
def start(): # what starting a program costs here and now: a busy machine is not tenon's delay
    t = time.monotonic()
    subprocess.run([tenon, "--version"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return time.monotonic() - t
for i in range(tries):
    if time.monotonic() - begin > tries * 0.6:
        print(f"skipped: {tries - i} of {tries} tries, this machine is too slow")
        break
    env = dict(os.environ, LD_LIBRARY_PATH=lib, TENON_STANDIN=machine, TENON_STANDIN_DO=("hang", "hang-2", "flood", "hydra-2")[i % 4])
    t = time.monotonic()
    r = subprocess.run([tenon, "doctor", "--json", "--expect", "gpu", "--deadline", "0.1"], env=env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    ms = (time.monotonic() - t) * 1000
    worst = max(worst, ms)
    if r.returncode not in (1, 3) or b'"status": "ok"' in r.stdout.split(b"findings")[0]:
        sys.exit(f"try {i}: status {r.returncode}")
    if ms > 600 and start() > 0.1:
        busy += 1
        continue
    took.append(ms)
took.sort()
at = lambda p: took[min(len(took) - 1, int(len(took) * p))]
print(f"hanging driver, --deadline 0.1: {len(took)} tries, ms: least {took[0]:.0f}, median {at(0.5):.0f}, 90 % {at(0.9):.0f}, 99 % {at(0.99):.0f}, longest {took[-1]:.0f}"
      + (f"; {busy} not counted, the machine was busy" if busy else ""))
for low in range(0, 700, 50):
    n = sum(low <= x < low + 50 for x in took)
    if n:
        print(f"  {low:3}-{low + 49} ms {n:5}  {'#' * max(1, n * 60 // len(took))}")
sys.exit(took[-1] > 600 or worst > 1100 or busy > tries // 10) # a second at most, however busy
P
[ -z "${wrong:-}" ] || fail "see above"
