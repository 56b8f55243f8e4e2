#!/usr/bin/env bash
# The program and the library are built hardened: PIE, full RELRO, no executable stack, stack protector, FORTIFY, and
# start without a text relocation; the program links few libraries.
. "$(dirname "$0")/lib.sh"
lib=$(ls "$TENON_BUILD"/libtenon.so.*.*.* | sed -n 1p)
must() { grep -qE "$1" "$WORK/$2" || fail "$f: $3"; } # from files: a pipe into grep -q would end the writer
for f in "$TENON" "$lib"; do
    readelf -Wh "$f" >"$WORK/head"; readelf -Wl "$f" >"$WORK/segments"; readelf -Wd "$f" >"$WORK/dynamic"; nm -D "$f" >"$WORK/symbols"
    must 'Type:.*DYN' head "not position independent"
    must GNU_RELRO segments "no RELRO"
    must 'BIND_NOW|FLAGS.*NOW' dynamic "binds lazily"
    must 'GNU_STACK.* RW ' segments "an executable stack"
    must __stack_chk_fail symbols "no stack protector"
    must '__[a-z]+_chk' symbols "not fortified"
    if grep -q TEXTREL "$WORK/dynamic"; then fail "$f has text relocations"; fi
done
relocs=$(readelf -Wr "$TENON" | grep -c R_X86_64_RELATIV || true)
# Lists of words in the code have some 6,400; a table of rows would bring tens of thousands.
[ "$relocs" -lt 6500 ] || fail "$relocs relative relocations at start: a table of pointers?"
extra=$(readelf -Wd "$TENON" | awk '/NEEDED/{print $NF}' | grep -vE 'libc.so|ld-linux|libpthread' || true)
[ -z "$extra" ] || fail "the program needs: $extra"
