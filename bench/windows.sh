#!/bin/sh
# windows.sh - tenon.exe under wine beside the Linux build: all recorded machines judged in one process, and one recorded
# machine as a user does it, start included. Prints; judges nothing.
#
# usage: [RUNS=7] sh bench/windows.sh      (build and build-win with tests/replay; WINEPREFIX of a booted prefix)
set -u
cd "$(dirname "$0")/.." || exit 2
export WINEDEBUG=-all DISPLAY=
wineserver -p60 </dev/null >/dev/null 2>&1
record=tests/machines/win-tf210-healthy.json
python3 - "${RUNS:-7}" "$record" <<'P'
import os, subprocess, sys, time
runs, record = int(sys.argv[1]), sys.argv[2]
def best(argv):
    wall = []
    for _ in range(runs):
        t = time.monotonic()
        subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall.append(time.monotonic() - t)
    return min(wall) * 1000
cases = [("all recorded machines, one process", ["tests/replay", "tests/machines"]), ("start (--version)", ["tenon", "--version"]),
         ("doctor --from " + record, ["tenon", "doctor", "--from", record])]
for name, argv in cases:
    exe = argv[0] + ".exe"
    a, b = best(["build/" + argv[0]] + argv[1:]), best(["wine", "build-win/" + exe] + argv[1:])
    print(f"{name}: Linux {a:.1f} ms, wine {b:.1f} ms, ratio {b / a:.2f}")
P
ls -l build-win/dist/tenon.exe 2>/dev/null | awk '{print "tenon.exe, stripped: " $5 " bytes"}'
