#!/bin/sh
# clean.sh - `tenon clean` beside du(1) of the very folders that it measures. Prints a ratio; judges nothing.
#
# usage: [TENON=build/tenon] [RUNS=11] [FILES=40000] sh bench/clean.sh
# A root folder with two toolkits of FILES files each, a cache and a broken environment; everything in the page cache.
set -u
here=$(cd "$(dirname "$0")" && pwd)
TENON=$(realpath "${TENON:-$here/../build/tenon}")
RUNS=${RUNS:-11} FILES=${FILES:-40000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -o "$work/time" "$here/time.c" || exit 2
python3 - "$work/root" "$FILES" <<'P'
import os, sys
root, files = sys.argv[1], int(sys.argv[2])
def put(p, n):
    os.makedirs(os.path.dirname(root + p), exist_ok=True)
    with open(root + p, "wb") as f:
        f.write(b"x" * n)
for v in ("11.2", "11.6"):
    base = "/usr/local/cuda-" + v
    put(base + "/version.json", 0)
    with open(root + base + "/version.json", "w") as f:
        f.write('{"cuda":{"name":"CUDA SDK","version":"%s.0"}}' % v)
    put(base + "/bin/nvcc", 1)
    for i in range(files):
        put("%s/include/thrust/d%d/h%d.h" % (base, i // 100, i), 1 + i % 9000)
put("/var/lib/dpkg/status", 0)
P
export XDG_STATE_HOME="$work/state"
figures() {
    label=$1; shift
    line=$("$work/time" "$RUNS" "$@") || { echo "$label: did not run"; exit 1; }
    seconds=$(echo "$line" | awk '{ print $1 }')
    printf '%-44s %s\n' "$label" "$(echo "$line" | awk '{printf "%9.1f ms  %9.1f ms CPU  %7.1f MiB", $1 * 1000, $2 * 1000, $3}')"
}
figures "tenon clean --root" "$TENON" clean --root "$work/root"; own=$seconds
figures "du -s of the same" du -s "$work/root/usr/local/cuda-11.2" "$work/root/usr/local/cuda-11.6"
printf '%-44s %9.2f\n' "tenon / du" "$(awk "BEGIN { print $own / $seconds }")"
