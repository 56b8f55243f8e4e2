#!/bin/sh
# fatbins.sh - architectures of a library: our walk over headers against NVIDIA's cuobjdump. Prints; judges nothing.
#
# usage: [CUOBJDUMP=cuobjdump] [RUNS=21] sh bench/fatbins.sh FILE...     e.g. libcublasLt.so.13 libtorch_cuda.so
# cuobjdump is asked twice, as it must be (-lelf, -lptx); it unpacks everything. "cold" drops the file from the page cache
# first. "sections" is what a diagnosis reads, "anywhere" what tools/wheelcode.py could (other data is scanned, too).
set -u
here=$(cd "$(dirname "$0")" && pwd)
CUOBJDUMP=$(command -v "${CUOBJDUMP:-cuobjdump}" || true)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -std=gnu11 -O2 -D_GNU_SOURCE -I"$here/../src" -o "$work/dump" "$here/../tests/real/fatbin_dump.c" "$here"/../src/image/fatbin*.c \
    "$here"/../src/base/*.c || exit 2
cold() {
    python3 -c 'import os,sys; f=os.open(sys.argv[1],os.O_RDONLY); os.posix_fadvise(f,0,0,os.POSIX_FADV_DONTNEED)' "$1"
    "$work/dump" "${2:---sections}" "$1" | ms
}
ms() { sed -n 's/^file .* ms \([0-9.]*\) .*/\1/p'; }
for f in "$@"; do
    "$work/dump" "$f" >/dev/null
    s=$("$work/dump" --sections --time "${RUNS:-21}" "$f" | ms)
    a=$("$work/dump" --time 5 "$f" | ms)
    reads=$("$work/dump" --sections "$f" | sed -n 's/^file .* reads \([0-9]*\) bytes \([0-9]*\) .*/\1 reads, \2 bytes/p')
    printf '%s\n  sections %s ms warm, %s ms cold (%s); anywhere %s ms warm\n' "$f" "$s" "$(cold "$f")" "$reads" "$a"
    [ -n "$CUOBJDUMP" ] || continue
    start=$(date +%s%N)
    "$CUOBJDUMP" -lelf "$f" >/dev/null && "$CUOBJDUMP" -lptx "$f" >/dev/null || echo "  cuobjdump failed"
    end=$(date +%s%N)
    awk "BEGIN { t = ($end - $start) / 1e6; printf \"  cuobjdump %.0f ms: ratio %.0f\\n\", t, t / $s }"
done
