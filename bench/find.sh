#!/bin/sh
# find.sh - `tenon find` over the whole disk beside fd(1) with the same pattern, and `tenon envs` on 1,000 environments
# beside a plain walk of their folders. Prints ratios; judges nothing.
#
# usage: [TENON=build/tenon] [FD=fd] [RUNS=11] [KEEP=FOLDER] sh bench/find.sh
# fd searches with -u: hidden and ignored files too, as tenon does; /proc and /sys are no disks.
set -u
here=$(cd "$(dirname "$0")" && pwd)
TENON=$(realpath "${TENON:-$here/../build/tenon}")
FD=${FD:-$(command -v fd || command -v fdfind || true)}
RUNS=${RUNS:-11}
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" && work=$(realpath "$work") || exit 2
cc -O2 -o "$work/time" "$here/time.c" || exit 2
export LANG=C.UTF-8

figures() {
    label=$1; shift
    line=$("$work/time" "$RUNS" "$@") || { echo "$label: did not run"; seconds=; cpu=; return; }
    seconds=$(echo "$line" | awk '{ print $1 }') cpu=$(echo "$line" | awk '{ print $2 }')
    printf '%-44s %s\n' "$label" "$(echo "$line" | awk '{printf "%9.1f ms  %9.1f ms CPU  %7.1f MiB", $1 * 1000, $2 * 1000, $3}')"
}
ratio() {
    [ -n "$2" ] && [ -n "$3" ] && printf '%-44s %9.2f\n' "$1" "$(awk "BEGIN { print $2 / $3 }")"
}

echo "== a library on all disks"
for lib in libcudnn.so libc.so.6; do
    figures "tenon find $lib" "$TENON" find $lib; own=$seconds own_cpu=$cpu
    [ -n "$FD" ] || { echo "needs fd"; continue; }
    figures "fd -u $lib /" "$FD" -u -a -F --exclude /proc --exclude /sys $lib /
    ratio "tenon / fd, wall" "$own" "$seconds"
    ratio "tenon / fd, CPU" "$own_cpu" "$cpu"
done

echo "== 1,000 environments of 100 distributions"
[ -d "$work/home1000" ] || python3 "$here/tree.py" "$work/home1000/.virtualenvs" 1000 100
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH
HOME=$work/home1000 figures "tenon envs" "$TENON" envs; own=$seconds
figures "find(1) over the same folders" find "$work/home1000" -type f -name '*.so'
ratio "tenon / find" "$own" "$seconds"
