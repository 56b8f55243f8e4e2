#!/bin/sh
# image_oracle.sh - src/image against binutils and glibc on every shared object of this machine.
# Compares soname, needed, rpath, runpath, symbol versions needed and defined with `readelf -d -V`, and the loader
# cache with `ldconfig -p`. Exit 0: no difference; 1: differences, shown; 77: a tool is missing.
# Folders: the arguments, else the two below. TN_REAL_CUDA_LIB adds one.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$PATH:/sbin:/usr/sbin
for tool in readelf python3 ldconfig; do
    command -v $tool >/dev/null 2>&1 || { echo "no $tool"; exit 77; }
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2086
${CC:-cc} -std=gnu11 -O1 -D_GNU_SOURCE -I"$here/src" -o "$tmp/dump" "$here/tests/real/image_dump.c" \
    "$here"/src/image/*.c "$here"/src/version/*.c "$here"/src/base/*.c -llzma -lzstd -lz || exit 1
[ $# -gt 0 ] || set -- ${TN_REAL_CUDA_LIB:-/usr/local/cuda-13.0/lib} /usr/lib/x86_64-linux-gnu
for dir in "$@"; do
    [ -d "$dir" ] && find "$dir" -type f -name '*.so*' ! -name '*.py' -print
done | while IFS= read -r f; do
    head -c 4 "$f" | grep 'ELF' >/dev/null && printf '%s\n' "$f"
done | sort >"$tmp/files"
[ -s "$tmp/files" ] || { echo "no shared objects found"; exit 1; }
# A file that the program refuses or dies of lacks its lines below, and the comparison says so.
xargs -d '\n' "$tmp/dump" elf <"$tmp/files" >"$tmp/ours" || true
# -W prints long names whole; one file a call keeps versions apart.
while IFS= read -r f; do
    echo "@@ $f"
    readelf -W -h -d -V "$f" 2>/dev/null
done <"$tmp/files" | python3 "$here/tests/real/image_oracle.py" >"$tmp/theirs"
bad=0
diff -u "$tmp/theirs" "$tmp/ours" >"$tmp/diff" || { head -60 "$tmp/diff"; bad=1; }
echo "$(wc -l <"$tmp/files") shared objects, $(wc -l <"$tmp/ours") facts"
if [ -r /etc/ld.so.cache ]; then
    "$tmp/dump" ldcache /etc/ld.so.cache | sed '/^generator/d; s/ [0-9a-f]*$//' >"$tmp/cache.ours"
    ldconfig -p | sed -n 's/^\t\([^ ]*\) (\(.*\)) => \(.*\)$/\1 \3 \2/p' |
        sed 's/ [^ ]*, hwcap: "\([^"]*\)".*$/ \1/; t; s/ [^ ]*\(, .*\)*$/ -/' >"$tmp/cache.theirs"
    diff -u "$tmp/cache.theirs" "$tmp/cache.ours" >"$tmp/diff" || { head -40 "$tmp/diff"; bad=1; }
    echo "$(wc -l <"$tmp/cache.ours") cache entries"
fi
[ $bad = 0 ] && echo "no difference"
exit $bad
