#!/usr/bin/env bash
# The program and the library are built hardened: PIE, full RELRO, no executable stack, stack protector, FORTIFY, and
# start without a text relocation; the program links few libraries.
. "$(dirname "$0")/lib.sh"
lib=$(ls "$TENON_BUILD"/libtenon.so.*.*.* | head -1)
for f in "$TENON" "$lib"; do
    readelf -Wh "$f" | grep -q 'Type:.*DYN' || fail "$f is not position independent"
    readelf -Wl "$f" | grep -q GNU_RELRO || fail "$f has no RELRO"
    readelf -Wd "$f" | grep -qE 'BIND_NOW|FLAGS.*NOW' || fail "$f binds lazily"
    readelf -Wl "$f" | grep GNU_STACK | grep -qv 'RWE' || fail "$f has an executable stack"
    if readelf -Wd "$f" | grep -q TEXTREL; then fail "$f has text relocations"; fi
    nm -D "$f" | grep -q '__stack_chk_fail' || fail "$f has no stack protector"
    nm -D "$f" | grep -qE '__[a-z]+_chk' || fail "$f is not fortified"
done
relocs=$(readelf -Wr "$TENON" | grep -c R_X86_64_RELATIV || true)
[ "$relocs" -lt 6000 ] || fail "$relocs relative relocations at start: a table of pointers?"
extra=$(readelf -Wd "$TENON" | awk '/NEEDED/{print $NF}' | grep -vE 'libc.so|ld-linux|libpthread|libm.so' || true)
[ -z "$extra" ] || fail "the program needs: $extra"
