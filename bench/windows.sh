#!/bin/sh
# windows.sh - tenon.exe under wine beside the Linux build: all recorded machines judged in one process, and recorded
# machines as a user does it, start included; beside both a program that does nothing, so that what wine itself takes to
# start one can be taken off. Each round runs all of them in turn; the best of each counts. Prints; judges nothing.
#
# usage: [RUNS=7] sh bench/windows.sh      (build and build-win with tests/replay; WINEPREFIX of a booted prefix)
set -u
cd "$(dirname "$0")/.." || exit 2
export WINEDEBUG=-all DISPLAY=
hello=$(mktemp -d)
trap 'rm -rf "$hello"' EXIT
echo 'int main(void) { return 0; }' >"$hello/hello.c"
"${CC:-cc}" -O2 -o "$hello/hello" "$hello/hello.c" || exit 2
x86_64-w64-mingw32-gcc -O2 -static -o "$hello/hello.exe" "$hello/hello.c" || exit 2
x86_64-w64-mingw32-strip -o "$hello/tenon.exe" build-win/tenon.exe || exit 2 # as people get it
wineserver -p60 </dev/null >/dev/null 2>&1
wine "$hello/hello.exe" </dev/null >/dev/null 2>&1
python3 - "${RUNS:-7}" "$hello" <<'P'
import os, subprocess, sys, time
runs, hello = int(sys.argv[1]), sys.argv[2]
def once(argv):
    t = time.monotonic()
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic() - t) * 1000
cases = [("a program that does nothing", [hello + "/hello"], [hello + "/hello.exe"]),
         ("all recorded machines, one process", ["build/tests/replay", "tests/machines"], ["build-win/tests/replay.exe", "tests/machines"]),
         ("tenon --version", ["build/tenon", "--version"], [hello + "/tenon.exe", "--version"])]
for name in ("win-tf210-healthy", "win11-tf210-cuda120", "win10-tf26-nocuda"):
    words = ["doctor", "--from", f"tests/machines/{name}.json"]
    cases.append(("doctor --from " + name, ["build/tenon"] + words, [hello + "/tenon.exe"] + words))
best = {}
for k in range(runs):
    for name, linux, windows in cases:
        if name.startswith("all") and k > 1:
            continue
        a, b = once(linux), once(["wine"] + windows)
        was = best.get(name, (a, b))
        best[name] = min(a, was[0]), min(b, was[1])
none = best[cases[0][0]]
for name, (a, b) in best.items():
    less = "" if name == cases[0][0] else f"; less a program that does nothing {a - none[0]:.1f} and {b - none[1]:.1f} ms, ratio {(b - none[1]) / (a - none[0]):.2f}"
    print(f"{name}: Linux {a:.1f} ms, wine {b:.1f} ms{less}")
P
wc -c <"$hello/tenon.exe" | awk '{print "tenon.exe, stripped: " $1 " bytes"}'
